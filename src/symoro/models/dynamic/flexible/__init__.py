"""Robots with flexible links."""
