"""Peers of symoro for the benchmarks: where they come from, and how they are built and called."""
