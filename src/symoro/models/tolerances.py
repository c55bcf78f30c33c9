"""Tolerances of the models. Each one is relative or has a unit, and states its reason.

Counts of samples, tries and iterations are not tolerances; they are next to the code that uses them.
"""

from __future__ import annotations

from typing import NamedTuple

from symoro.expr.number import Tolerance


class Gap(NamedTuple):
    """Relative singular values: above `present` they count, below `absent` they are round-off."""

    present: float
    absent: float


# -- In generated code; single precision uses as many of its digits.

SINGULAR_PIVOT = Tolerance(1e-10)
"""Of the largest entry around a pivot, or of a radius beside the robot's size: some digits above round-off."""
DEPENDENT_ROWS = Tolerance(1e-9)
"""Of the product of the sizes of some rows: their determinant vanishes."""
OUT_OF_REACH_ROOT = Tolerance(1e-10)
"""Of the parts of a root's argument: below minus this the pose is out of reach, within it at the boundary."""
DOUBLE_ROOT = Tolerance(1e-14)
"""Of the larger root: the two signs of a root give one solution."""
ZERO_DIVISOR = Tolerance(1e-12)
"""Of the upper bound of a factor for a robot of this size."""
SMALL_ANGLE = Tolerance(1e-12)
"""rad; the angle equals its sine."""
NEWTON_DAMPING = Tolerance(1e-12)
"""Of the largest entry of J' J."""
LEG_DEVIATION = Tolerance(1e-6)
"""rad, of a leg's lengths, or of a twist: part by which pose and motion of a platform may violate its legs."""
STRETCHED_LEG = Tolerance(1e-13)
"""Of the terms of a root's argument: what round-off leaves of zero."""
ZERO_SQUARE = Tolerance(1e-20)
"""Of the square of a sine or of a relative length: the sine or length is zero."""
SMALLEST_SIZE = 1e-30
"""Of a size that is known at run time only; its reciprocal is finite in single precision."""

# -- Singular values and ranks, relative to the largest value.

EVALUATED = Gap(1e-7, 1e-11)
"""Entries are sums of some products; constraints that are meant to differ do so by more."""
CONTACT_ROWS = Gap(1e-5, 1e-11)
"""Of the velocities of contact points, lengths in units of the robot's."""
CLOSED_POSTURES = Gap(1e-6, 1e-9)
"""Entries are computed at postures which Newton's method closes to eleven digits."""
DEPENDENT_JOINTS = 1e-9
"""With a smaller value a pose in doubles does not determine the joints to 1e-6."""
ZERO_SINGULAR_VALUE = 1e-13
"""Round-off of a zero; of the terms that the entries are sums of, where these are known."""
SINGULAR_ASSEMBLY = 1e-5
"""Of a column of the closure's derivative, without units: the loops are near a singularity."""
WELL_CONDITIONED = 1e-3
"""Of the least singular value of the best choice, or posture."""
REGULAR_SOLUTION = 1e-9
"""1 / condition of a solution of the platform's equations."""

# -- Vanishing values.

EPSILON = 2.0**-52
"""Spacing of doubles at 1."""
ROUND_OFF = 1e-12
"""Of the size: what sums of some products of sines, cosines and lengths leave of zero."""
TINY = 1e-300
"""Keeps a reciprocal finite."""
ZERO_AT_PROBES = 1e-10
"""Of numbers of its kind: 1, or a power of the chain's size."""
ZERO_ENTRY = 1e-9
"""Of 1, or of the size of the loops where the entry is a length."""
SMALL_DIVISOR = 1e-3
"""Of the dividend."""
PARALLEL_ROWS = 1e-6
"""Sine of the angle between the rows of two dependent equations."""
PARALLEL_AXES = 1e-7
"""Sine of the angle between two axes, or a distance of the size of the loops."""

# -- Closed loops.

CLOSED = 1e-11
"""Of the largest length, or of a radian."""
APART = 0.1
"""rad, or of the largest length: errors of a posture that was measured or rounded to one digit are smaller."""
CROSSED = 1e-7
"""Of the lengths of two opposite sides: their sum vanishes in a parallelogram."""
OFF_BRANCH = 1e-4
"""Sine of half the angle by which a closed loop misses the relations of a parallelogram."""
SAME_ANGLE = 1e-9
"""rad, or of a determinant beside 1: multiples of pi/12 are recognised."""
RELATION = 1e-6
"""Of the largest term of a linear relation, a radian, or the robot's size: relations have eleven digits."""
PROVED_RELATION = 1e-13
"""Of its size: the frames of a linear loop differ by the round-off of the description."""
RIGID_LOOP = 1e-3
"""rad, or of the largest length: closed postures of a loop that can move are farther apart."""

# -- Postures and poses.

SAME_POSTURE = 1e-6
"""rad, or of the robot's size: joints of two equal postures."""
INTENDED_POSTURE = 0.1
"""rad, or of the robot's size: joints of a solution that is meant for a posture."""
ROUGH_POSTURE = 1e-9
"""rad, or of the robot's size: error of the joints that Newton's method should remove."""
ILL_CONDITIONED_ROOT = 1e-4
"""Distance of a solution from its candidate; that of a well-conditioned root is smaller."""
LEG_LENGTH = 1e-10
"""Of the platform's size: legs miss their lengths by less."""
REAL_ROOT = 1e-6
"""Imaginary part of |x|."""
NO_POSE = 1e-4
"""|e.e| / |e|^2 of a path that leaves for e.e = 0; it is 1 at a pose."""

# -- Base parameters and calibration.

ANGLE_TOLERANCE = 1e-5
"""rad; descriptions give pi/2 with six digits or more."""
LENGTH_TOLERANCE = 1e-9
"""Of the robot's size, or of the amount of gravity: less than every tolerance of manufacture."""
DEPENDENT_COLUMN = 1e-9
"""Of a column in doubles: less is left of a dependent one."""
ROUNDED_COLUMN = 1e-11
"""The same where numbers of the description are rounded."""
EXACT_COLUMN = 1e-48
"""The same where all digits count."""
ALL_DIGITS = 1e-50
"""Of the size: loops that stay open by less are closed to all digits."""
FAINT_COLUMN = 1e-8
"""Of its size: weaker columns are kept by their digits, but no measurement shows them."""
FAINT_GEOMETRY = 1e-6
"""Of its size: below that, round-off of the entries of a geometric column counts."""
FLAT_SLOPE = 1e-12
"""Of the largest square: the end effector hardly moves towards the plane."""
ON_PLANE = 1e-10
"""Of the robot's length: a distance from the plane that is round-off."""
