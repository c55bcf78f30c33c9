"""Bundled design studies."""
