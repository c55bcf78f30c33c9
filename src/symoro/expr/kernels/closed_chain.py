"""closed_chain: all real solutions of a closed loop of six joints, prod_{i=1..6} J_i(q_i) C_i = 1.

J_i is Rz(q_i) or Tz(q_i); the placements C_i hold offsets, links, tool and the given pose.

Inputs:
    constants (72): the upper three rows of C_1 .. C_6, each 3 x 4 by rows.
    kinds (6): 0 revolute, 1 prismatic.
    plan (12): three times (arrangement, shifts of its roles 3, 4, 5), in the order in which they are tried; made by
        `symoro.models.geometric.inverse.general.plan`. Arrangement 0 .. 5 starts at joint 1 .. 6; 6 .. 11 goes
        backwards, from joint 6 .. 1. A shift is the value that a variable is counted from: an angle, or a length
        divided by the largest length among the constants. Role 6 must be revolute, or roles 3 and 6 both prismatic.

Results (112): sixteen slots of q1 .. q6 and the defect, the largest entry of |prod - 1|. Angles lie in (-pi, pi].
Slots are ordered by q1, then q2 and so on. An empty slot holds zeros and the defect 1e30; empty slots come last. All
are empty where a number is not finite, a placement holds no rotation, or it is certain that the pose cannot be
reached. Where that is not certain, the first slot holds the posture that comes closest, with its defect, which is
larger than that of a solution. Rotations that are so up to rounding only are made so first; the defect is that of the
numbers given.

Close to a singular configuration two solutions nearly meet, and the elimination determines them to the square root of
the working precision only, or to less. Solutions of other arrangements and of poses nearby are then added. Next to a
posture at which Newton's method fails, or has a nearly singular Jacobian, it starts again at both roots s of the
parabola

    u'e(q + s v) = c + b s + a s^2 / 2,    u, v: left and right singular vectors of the least singular value

with e the error of the loop. Two rows are one solution where the posture between them closes the loop as well as they
do.

The method is that of Raghavan and Roth (Inverse kinematics of the general 6R manipulator and related linkages, ASME
J. Mechanical Design 115, 1993): fourteen equations, from which two joints are eliminated linearly and two more
dialytically, with the eigenvalues of Manocha and Canny (Efficient inverse kinematics for general 6R manipulators,
IEEE Trans. Robotics and Automation 10, 1994). Two sliding joints three places apart need another elimination, of
degree eight; see `closed_chain_equations`.
"""

from __future__ import annotations

from collections.abc import Sequence

from symoro.errors import ProgramError
from symoro.expr.kernels.kernel import Kernel

CONSTANTS, KINDS, PLAN, RESULTS = 72, 6, 12, 112


def _size(lengths: Sequence[int]) -> int:
    if list(lengths) != [CONSTANTS, KINDS, PLAN]:
        raise ProgramError(
            f"closed_chain needs {CONSTANTS} constants, {KINDS} kinds and a plan of {PLAN}, got lengths {list(lengths)}"
        )
    return RESULTS


def _cost(lengths: Sequence[int]) -> tuple[int, int, int]:
    """The order of what the emitted C does for a general arm with four real solutions; it varies with the pose.

    Of about 180 000 operations, two thirds are the eigenvalues of a matrix n x n, n = 24: 10/3 n^3 for the Hessenberg
    form and some 6 n^3 for the shifted QR steps. The equations and the elimination take 30 000, each solution 8 000.
    """
    return 90_000, 90_000, 2_000


CLOSED_CHAIN = Kernel(
    "closed_chain",
    "all solutions of a closed loop of six joints, by elimination and eigenvalues",
    _size,
    ("closed_chain_equations", "closed_chain_roots", "closed_chain_table"),
    _cost,
)
