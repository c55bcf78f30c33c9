"""Geometric calibration: which geometric parameters are identifiable, and their regressor."""
