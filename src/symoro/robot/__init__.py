"""Robots: what they are (frozen data), how they hang together, and the files they come from."""
