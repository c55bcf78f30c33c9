"""Velocity equations of closed loops: their selection, and their solution for the passive joints."""
