"""Equation of inverse geometry: the kinematic chain, the given pose, and random samples to test identities."""
