"""Geometry of closed loops: passive joints from the active ones."""
