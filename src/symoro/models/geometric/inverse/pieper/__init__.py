"""Pieper's method of inverse geometry: arms with three axes through one point, or with three prismatic joints.

Arms with seven joints are solved with a given swivel angle.
"""
