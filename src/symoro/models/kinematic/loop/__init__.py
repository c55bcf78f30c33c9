"""Velocity equations of closed loops: choice of their rows, and their solution for the passive joints."""
