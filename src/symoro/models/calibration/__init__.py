"""Geometric parameters as unknowns: which of them measurements of the end show, and how."""
