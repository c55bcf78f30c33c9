"""What C computes four at a time: sines and cosines of all angles, arctangents."""
