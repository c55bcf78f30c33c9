"""Generated programs as Python functions: compiled, cached, for single samples and batches."""
