"""Training: scripts and their parts, run from a checkout; the package never imports them."""

import os

# Read when torch is loaded: threads that wait for others sleep instead of spinning. On a machine
# that does other work too, training is then several times as fast, and on an idle one no slower.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
