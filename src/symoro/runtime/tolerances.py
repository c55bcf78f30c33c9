"""Tolerances of the functions: what counts as a rotation, a pose that is reached, a position within its limits.

Those of the numeric inverse geometry are beside its method (`least_squares.py`), as its C text repeats them.
"""

from __future__ import annotations

# Entries of a rotation matrix; no unit.
ROTATION_EXACT = 1e-13  # entry of R'R - 1 up to which a matrix is a rotation but for round-off
ROTATION_ROUNDED = 1e-6  # largest change of an entry that makes a rotation of numbers with seven digits
ROTATION_MISTAKE = 1e-2  # a matrix farther from a rotation is rejected

# Entries of T(q) - T; lengths in metres. A row this close proves that the pose is a rotation and in reach.
POSE_EXACT = 1e-12

# Positions of the motors of a platform: rad, or a share of the longest leg. Newton's method ends below it.
MOTORS_MET = 1e-11

# Positions of joints: rad, or a share of the larger limit of a prismatic joint. A position may exceed a limit by it.
LIMIT_EXCEEDED = 1e-9
