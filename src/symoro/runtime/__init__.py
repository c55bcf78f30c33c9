"""Generated programs as functions: compiled, cached, batched."""
