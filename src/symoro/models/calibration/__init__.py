"""Geometric parameters as unknowns of calibration: which ones are identifiable, and their regressor."""
