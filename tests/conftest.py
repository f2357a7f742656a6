"""Settings that all tests share."""

import os

import hypothesis

# The first call of a kernel compiles it, so time says nothing. CI draws the same examples always.
hypothesis.settings.register_profile(
    "project", deadline=None, print_blob=True, derandomize="CI" in os.environ
)
hypothesis.settings.load_profile("project")

# No plot opens a window, in this process or in the commands that tests start.
os.environ["MPLBACKEND"] = "Agg"
