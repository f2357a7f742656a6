"""Adapters: the environments in the forms of other libraries. Each is imported on demand."""
