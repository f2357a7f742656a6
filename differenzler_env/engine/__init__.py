"""Engine: the compiled game. Records, rules, dealing, play, redaction and trees of play."""
