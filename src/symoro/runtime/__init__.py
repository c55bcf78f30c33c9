"""Execution of generated programs as Python functions: compiled and cached, for single samples and batches."""
