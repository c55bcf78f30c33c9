"""Tolerances for rotations, reached poses and joint limits.

Those of the numeric inverse geometry are in its module (`least_squares.py`), because its C code repeats them.
"""

from __future__ import annotations

# Entries of a rotation matrix; without unit.
ROTATION_EXACT = 1e-13  # largest entry of R'R - 1 of a rotation with round-off
ROTATION_ROUNDED = 1e-6  # largest correction of an entry of a rotation given with seven digits
ROTATION_MISTAKE = 1e-2  # a matrix farther from a rotation is rejected

# Entries of T(q) - T; lengths in metres. A smaller residual proves that the pose is a rotation and in reach.
POSE_EXACT = 1e-12

# Positions of the active joints of a platform: rad, or relative to the longest leg. Newton's method stops below it.
MOTORS_MET = 1e-11

# Joint positions: rad, or relative to the larger limit of a prismatic joint. A position may exceed a limit by it.
LIMIT_EXCEEDED = 1e-9
