"""Kinematics of robots in numbers, for many configurations at once, with NumPy."""
