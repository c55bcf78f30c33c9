"""Exact algebra of the base parameters: the number field of a geometry, sparse elimination, sums of sines."""
