"""Environments: Gymnasium's single seat and vector forms, PettingZoo's AEC and parallel forms."""
