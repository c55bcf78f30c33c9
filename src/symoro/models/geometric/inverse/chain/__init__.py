"""Equation of inverse geometry: the chain, the given pose, and random samples for tests of identities."""
