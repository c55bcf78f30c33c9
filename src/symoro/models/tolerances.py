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
"""Smallest regular pivot relative to the largest entry around it, or smallest radius relative to the robot's size."""
NEARLY_DEGENERATE = Tolerance(1e-8)
"""Ratio of two equations' squared derivatives below which only the equation with the larger one is used."""
DEPENDENT_ROWS = Tolerance(1e-9)
"""Smallest nonzero determinant, relative to the product of the norms of its rows."""
CONSISTENT_ROWS = Tolerance(1e-16)
"""Largest squared residual of consistent dependent rows, relative to the squared terms of the right-hand side."""
OUT_OF_REACH_ROOT = Tolerance(1e-10)
"""Negative radicand, relative to its terms, beyond which a pose is out of reach; below it is at the boundary."""
DOUBLE_ROOT = Tolerance(1e-14)
"""Distance of two roots, relative to the larger one, below which they are one double root."""
ZERO_DIVISOR = Tolerance(1e-12)
"""Smallest nonzero divisor, relative to the largest value that it can have for a robot of this size."""
SMALL_ANGLE = Tolerance(1e-12)
"""Angle in rad below which the sine equals the angle."""
NEWTON_DAMPING = Tolerance(1e-12)
"""Damping of Newton's method, relative to the largest entry of J' J."""
LEG_DEVIATION = Tolerance(1e-6)
"""Largest deviation of the platform's pose and motion from its legs, in rad or relative to leg lengths or the twist."""
STRETCHED_LEG = Tolerance(1e-13)
"""Radicand of a stretched leg, relative to its terms, below which it is round-off."""
ZERO_SQUARE = Tolerance(1e-20)
"""Square of a sine or of a relative length below which the sine or length is zero."""
SMALLEST_SIZE = 1e-30
"""Lower bound of a size that is known only at run time; its reciprocal is finite in single precision."""

# -- Singular values and ranks, relative to the largest value.

EVALUATED = Gap(1e-7, 1e-11)
"""Thresholds for matrices whose entries are sums of products; independent constraints exceed them."""
CONTACT_ROWS = Gap(1e-5, 1e-11)
"""Thresholds for the velocity equations of contact points, with lengths divided by the robot's size."""
CLOSED_POSTURES = Gap(1e-6, 1e-9)
"""Thresholds for matrices at configurations in which Newton's method closes the loops to eleven digits."""
DEPENDENT_JOINTS = 1e-9
"""Below this singular value a pose in double precision does not determine the joints to 1e-6."""
ZERO_SINGULAR_VALUE = 1e-13
"""Singular value that is round-off of zero, relative to the terms of the entries' sums where these are known."""
SINGULAR_ASSEMBLY = 1e-5
"""Pivot, relative to its column of the dimensionless constraint Jacobian, below which loops are near-singular."""
WELL_CONDITIONED = 1e-3
"""Smallest accepted singular value, relative to the smallest singular value of the best choice or configuration."""
REGULAR_SOLUTION = 1e-9
"""Smallest reciprocal condition number of a regular solution of the platform's equations."""

# -- Vanishing values.

EPSILON = 2.0**-52
"""Spacing of double-precision numbers at 1."""
ROUND_OFF = 1e-12
"""Round-off of sums of products of sines, cosines and lengths, relative to the size of the robot."""
TINY = 1e-300
"""Lower bound of a divisor, which keeps its reciprocal finite."""
ZERO_AT_PROBES = 1e-10
"""Largest value of a zero expression at random points, relative to 1 or the power of the size with its unit."""
ZERO_ENTRY = 1e-9
"""Value below which a matrix entry is zero, relative to 1, or to the size of the loops if the entry is a length."""
SMALL_DIVISOR = 1e-3
"""Divisor, relative to the dividend, below which a quotient is considered inaccurate."""
PARALLEL_ROWS = 1e-6
"""Sine of the angle between the rows of two equations below which they are dependent."""
PARALLEL_AXES = 1e-7
"""Sine of the angle between two parallel axes, or distance of two equal axes relative to the size of the loops."""

# -- Closed loops.

CLOSED = 1e-11
"""Largest residual of closed loops, in rad or relative to the largest length."""
HOME_ERROR = 0.1
"""Largest error of a measured or rounded initial configuration, in rad or relative to the largest length."""
CROSSED = 1e-7
"""Largest vector sum of two opposite sides of a parallelogram, relative to their lengths."""
OFF_BRANCH = 1e-4
"""Sine of half the angle by which a closed loop may violate the relations of a parallelogram."""
SAME_ANGLE = 1e-9
"""Largest difference of equal angles in rad, or of a determinant from 1; multiples of pi/12 are recognised."""
RELATION = 1e-6
"""Largest error of a linear relation, in rad or relative to its largest term or to the robot's size."""
PROVED_RELATION = 1e-13
"""Largest difference of the frames of a linear loop due to round-off of the description, relative to its size."""
RIGID_LOOP = 1e-3
"""Largest distance between closed configurations of a rigid loop, in rad or relative to the largest length."""

# -- Configurations and poses.

SAME_POSTURE = 1e-6
"""Largest joint difference of two equal configurations, in rad or relative to the robot's size."""
INTENDED_POSTURE = 0.1
"""Largest joint difference of a solution from its intended configuration, in rad or relative to the robot's size."""
ROUGH_POSTURE = 1e-9
"""Joint error above which a solution is refined by Newton's method, in rad or relative to the robot's size."""
ILL_CONDITIONED_ROOT = 1e-4
"""Distance of a refined solution from its initial value above which the root is ill-conditioned."""
LEG_LENGTH = 1e-10
"""Largest residual of the leg lengths, relative to the platform's size."""
REAL_ROOT = 1e-6
"""Imaginary part of a root x, relative to |x|, below which the root is real."""
NO_POSE = 1e-4
"""Value of |e.e| / |e|^2 on a homotopy path below which the path leads to no pose; it is 1 at a pose."""

# -- Base parameters and calibration.

ANGLE_TOLERANCE = 1e-5
"""Largest rounding error of an angle, in rad; descriptions give pi/2 with six digits or more."""
LENGTH_TOLERANCE = 1e-9
"""Largest rounding error of a length or gravity component, relative to the robot's size or the magnitude of gravity."""
DEPENDENT_COLUMN = 1e-9
"""Largest remainder of a dependent column relative to the column, in double precision."""
ROUNDED_COLUMN = 1e-11
"""Largest remainder of a dependent column relative to the column, for descriptions with rounded numbers."""
EXACT_COLUMN = 1e-48
"""Largest remainder of a dependent column relative to the column, in multiple precision."""
ALL_DIGITS = 1e-50
"""Largest residual of loops that are closed in multiple precision, relative to their size."""
WEAK_COLUMN = 1e-8
"""Relative remainder of a column below which it is independent in exact arithmetic but not measurable."""
WEAK_GEOMETRY = 1e-6
"""Norm of a geometric column, relative to its size, below which it is affected by the round-off of its entries."""
FLAT_SLOPE = 1e-12
"""Squared gradient, relative to the largest one, below which the end effector hardly moves towards the plane."""
ON_PLANE = 1e-10
"""Distance from the plane, relative to the robot's length, below which it is round-off."""

# -- Capsules.

SHORTEST_LINE = 1e-9
"""Length of a line between two frames, relative to the robot's reach, below which it is round-off without a capsule."""
CROSSING = 1e-9
"""Distance of the axes of two capsules, relative to the sum of their radii, below which the axes cross."""
