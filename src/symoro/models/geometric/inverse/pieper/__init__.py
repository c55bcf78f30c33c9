"""Pieper's method: three axes through a point, or three prismatic joints; seven joints with a swivel angle."""
