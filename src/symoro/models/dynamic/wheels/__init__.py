"""Dynamics of robots on wheels, projected on the motions that rolling allows."""
