"""Engine: the compiled game. Records, rules, dealing, play and redaction; no Python objects."""
