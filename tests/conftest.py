"""Settings that all tests share."""

import os
import signal
import tempfile

import hypothesis
import pytest

# The first call of a kernel compiles it, so time says nothing. CI draws the same examples always.
hypothesis.settings.register_profile(
    "project", deadline=None, print_blob=True, derandomize="CI" in os.environ
)
hypothesis.settings.load_profile("project")

# No plot opens a window, in this process or in the commands that tests start.
os.environ["MPLBACKEND"] = "Agg"

# A shell that starts the tests in the background lets them ignore Ctrl-C, and all that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def one_thread():
    """Torch on one thread, as the sums of a matrix product depend on how it is split."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


# Matches that tests play are kept apart from a person's own, and speak English.
_HOME = tempfile.TemporaryDirectory(prefix="differenzler-tests-")
os.environ["XDG_DATA_HOME"] = _HOME.name
os.environ["LC_ALL"] = "C.UTF-8"
