"""Robots in plain numbers: many postures at once, in NumPy."""
