"""Pieper's method: three axes through a point, or three prismatic joints; seven joints by a swivel angle."""
