"""Training: learners that run from a checkout. The package never imports them."""
