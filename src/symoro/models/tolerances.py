"""Tolerances of the models; each one is relative to a stated quantity or has a unit.

Numbers of samples, tries and iterations are not tolerances; they are defined next to the code that uses them.
"""

from __future__ import annotations

from typing import NamedTuple

from symoro.expr.number import Tolerance


class Gap(NamedTuple):
    """Pair of thresholds for relative singular values.

    Values above `present` are nonzero, and values below `absent` are zero up to round-off. Between them the rank is
    undecided.
    """

    present: float
    absent: float


# -- In generated code; scaled to the number of digits in single precision.

SINGULAR_PIVOT = Tolerance(1e-10)
"""Relative to the largest entry around a pivot, or to the robot's size for a radius; above round-off."""
NEARLY_DEGENERATE = Tolerance(1e-8)
"""Quotient of the squared derivatives of two equations: the unknown is taken from the equation of the larger one."""
DEPENDENT_ROWS = Tolerance(1e-9)
"""Relative to the product of the sizes of the rows: a smaller determinant is zero."""
CONSISTENT_ROWS = Tolerance(1e-16)
"""Relative to the squared terms of the right-hand side: dependent rows with a smaller squared residual agree."""
OUT_OF_REACH_ROOT = Tolerance(1e-10)
"""Relative to the terms of a radicand: if it is more negative, the pose is out of reach; within, at the boundary."""
DOUBLE_ROOT = Tolerance(1e-14)
"""Relative to the larger root: closer roots are one double root."""
ZERO_DIVISOR = Tolerance(1e-12)
"""Relative to the upper bound of the divisor for a robot of this size."""
SMALL_ANGLE = Tolerance(1e-12)
"""rad; smaller angles equal their sine."""
NEWTON_DAMPING = Tolerance(1e-12)
"""Relative to the largest entry of J' J."""
LEG_DEVIATION = Tolerance(1e-6)
"""rad, or relative to leg lengths or the twist: how far pose and motion of a platform may violate its legs."""
STRETCHED_LEG = Tolerance(1e-13)
"""Relative to the terms of a radicand: smaller values are round-off."""
ZERO_SQUARE = Tolerance(1e-20)
"""Square of a sine or of a relative length; the sine or length is zero if it is smaller."""
SMALLEST_SIZE = 1e-30
"""Lower bound of a size that is known at run time only; its reciprocal is finite in single precision."""

# -- Singular values and ranks, relative to the largest value.

EVALUATED = Gap(1e-7, 1e-11)
"""For entries that are sums of products; constraints that are meant to be independent exceed the gap."""
CONTACT_ROWS = Gap(1e-5, 1e-11)
"""For the velocities of contact points, with lengths divided by the robot's size."""
CLOSED_POSTURES = Gap(1e-6, 1e-9)
"""For entries computed at configurations in which Newton's method closes the loops to eleven digits."""
DEPENDENT_JOINTS = 1e-9
"""Below this singular value a pose in double precision does not determine the joints to 1e-6."""
ZERO_SINGULAR_VALUE = 1e-13
"""Smaller values are round-off of zero; relative to the terms of the entries' sums where these are known."""
SINGULAR_ASSEMBLY = 1e-5
"""Relative to a column of the dimensionless constraint Jacobian: the loops are near a singular configuration."""
WELL_CONDITIONED = 1e-3
"""Relative to the smallest singular value of the best choice or configuration."""
REGULAR_SOLUTION = 1e-9
"""Smallest 1 / condition number of a regular solution of the platform's equations."""

# -- Vanishing values.

EPSILON = 2.0**-52
"""Spacing of double-precision numbers at 1."""
ROUND_OFF = 1e-12
"""Relative to the size: round-off of sums of products of sines, cosines and lengths."""
TINY = 1e-300
"""Keeps a reciprocal finite."""
ZERO_AT_PROBES = 1e-10
"""Relative to 1, or to the power of the chain's size that has the same unit."""
ZERO_ENTRY = 1e-9
"""Relative to 1, or to the size of the loops if the entry is a length."""
SMALL_DIVISOR = 1e-3
"""Relative to the dividend."""
PARALLEL_ROWS = 1e-6
"""Sine of the angle between the rows of two dependent equations."""
PARALLEL_AXES = 1e-7
"""Sine of the angle between two axes, or a distance relative to the size of the loops."""

# -- Closed loops.

CLOSED = 1e-11
"""rad, or relative to the largest length: residual of closed loops."""
HOME_ERROR = 0.1
"""rad, or relative to the largest length; a configuration that was measured or rounded to one digit errs by less."""
CROSSED = 1e-7
"""Relative to the lengths of two opposite sides: their vector sum vanishes in a parallelogram."""
OFF_BRANCH = 1e-4
"""Sine of half the angle by which a closed loop violates the relations of a parallelogram."""
SAME_ANGLE = 1e-9
"""rad, or deviation of a determinant from 1; multiples of pi/12 are recognised."""
RELATION = 1e-6
"""rad, or relative to the largest term of a linear relation or to the robot's size; relations have eleven digits."""
PROVED_RELATION = 1e-13
"""Relative to its size: the frames of a linear loop differ by the round-off of the description."""
RIGID_LOOP = 1e-3
"""rad, or relative to the largest length; closed configurations of a movable loop are farther apart."""

# -- Configurations and poses.

SAME_POSTURE = 1e-6
"""rad, or relative to the robot's size: joint difference of two equal configurations."""
INTENDED_POSTURE = 0.1
"""rad, or relative to the robot's size: joint difference between a solution and the configuration it is meant for."""
ROUGH_POSTURE = 1e-9
"""rad, or relative to the robot's size: a larger joint error is refined by Newton's method."""
ILL_CONDITIONED_ROOT = 1e-4
"""Distance of a refined solution from its start; that of a well-conditioned root is smaller."""
LEG_LENGTH = 1e-10
"""Relative to the platform's size: residual of the leg lengths."""
REAL_ROOT = 1e-6
"""Imaginary part relative to |x|: the root is real if it is smaller."""
NO_POSE = 1e-4
"""|e.e| / |e|^2 of a homotopy path; it tends to 0 on a path to no pose, and is 1 at a pose."""

# -- Base parameters and calibration.

ANGLE_TOLERANCE = 1e-5
"""rad; descriptions give pi/2 with six digits or more."""
LENGTH_TOLERANCE = 1e-9
"""Relative to the robot's size, or to the magnitude of gravity; below manufacturing tolerances."""
DEPENDENT_COLUMN = 1e-9
"""Relative to the column, in double precision: a dependent column has a smaller remainder."""
ROUNDED_COLUMN = 1e-11
"""As DEPENDENT_COLUMN, for descriptions with rounded numbers."""
EXACT_COLUMN = 1e-48
"""As DEPENDENT_COLUMN, in multiple precision."""
ALL_DIGITS = 1e-50
"""Relative to the size: residual of loops that are closed in multiple precision."""
WEAK_COLUMN = 1e-8
"""Relative to its size: a smaller remainder is independent in exact arithmetic but not measurable."""
WEAK_GEOMETRY = 1e-6
"""Relative to its size: below this, a geometric column is affected by the round-off of its entries."""
FLAT_SLOPE = 1e-12
"""Relative to the largest squared gradient: below this, the end effector hardly moves towards the plane."""
ON_PLANE = 1e-10
"""Relative to the robot's length: smaller distances from the plane are round-off."""
