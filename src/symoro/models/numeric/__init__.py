"""Numerical kinematics of robots with NumPy, for many configurations at once."""
