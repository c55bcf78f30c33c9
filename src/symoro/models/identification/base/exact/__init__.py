"""The exact algebra under the base parameters: a field of the geometry, sparse elimination, sums of sines."""
