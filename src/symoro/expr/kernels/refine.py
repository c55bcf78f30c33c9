"""refine: solutions of a serial chain that are not quite exact, made so by Newton's method.

    K0 J1 K1 .. Jn Kn = T, in the entries of T that are given;    J = Rz(+-q) or Tz(+-q)

Inputs:
    placements (12 (n + 1)): the upper three rows of K0 .. Kn, each 3 x 4 by rows.
    target (12): the upper three rows of T.
    marks (14 + n): n, the tolerance, twelve times 1 where an entry is given and 0 where not, and for each joint 1 if it
        turns, 2 if it slides, negative where it goes backwards.
    rows (K (n + 2)): candidates q1 .. qn, residual, status (0 valid, 1 out of reach, 2 singular, 3 empty).

Results (K (n + 2)): the same rows. A row that is exact (a thousandth of the tolerance), or far from any solution, is
left as it is: that costs a comparison. For the others

    (J'J + damping) step = J' (T(q) - T),    J the derivatives of the given entries,

is repeated as long as the largest difference falls. Close to a singular posture two solutions almost meet, and the
candidate may lie between them, where the difference is least along the direction v in which the chain moves least: from
there it goes on to either side, as the fold x^2 = a asks for,

    q +- 10 sqrt(residual) v

A row that gets below the tolerance is valid, or empty where another valid row holds the same solution.
"""

from __future__ import annotations

from collections.abc import Sequence

from symoro.errors import ProgramError
from symoro.expr.kernels.kernel import Kernel

JOINTS = 16  # at most: C and Fortran have arrays of this size


def _size(lengths: Sequence[int]) -> int:
    placements, target, marks, rows = lengths if len(lengths) == 4 else (0, 0, 0, 0)
    n = marks - 14
    if not 1 <= n <= JOINTS or placements != 12 * (n + 1) or target != 12 or rows == 0 or rows % (n + 2):
        raise ProgramError(
            f"refine needs 12 (n + 1), 12, 14 + n and K (n + 2) numbers for n = 1 .. {JOINTS} joints, got lengths "
            f"{list(lengths)}"
        )
    return rows


def _cost(lengths: Sequence[int]) -> tuple[int, int, int]:
    """Where every row is exact: nothing but comparisons."""
    return 0, 1, 0


REFINE = Kernel(
    "refine", "solutions of a serial chain made exact by Newton's method", _size, ("refine_table",), _cost
)
