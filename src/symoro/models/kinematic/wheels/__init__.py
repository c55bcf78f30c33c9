"""Robots on wheels: what rolling without slip says of the base and the joints."""
