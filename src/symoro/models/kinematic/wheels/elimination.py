"""Solution of the rolling constraints W x = b for some unknowns: one joint after another, then the base.

A joint that steers or spins a wheel appears in few equations, mostly with a constant coefficient (the radius, the
offset of a castor). Therefore one equation is used per unknown joint: it eliminates the joint from the other equations
and later gives its value from the other unknowns. The remaining equations, at most three, constrain only the base. They
are solved by cofactors, without a null space (`solvers.SparseRows`). The same steps apply to velocities (b = 0) and
accelerations (b = -Wdot x).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symoro.errors import NotApplicableError
from symoro.expr.ops import VARIABLE
from symoro.expr.scalar import Scalar
from symoro.models.kinematic.wheels.samples import WheelSamples
from symoro.models.solvers import RowElimination, SparseRows
from symoro.models.tolerances import EVALUATED
from symoro.program.builder import Builder

BASE = (0, 1, 2)
"""The columns of the base: along x, along y, about z."""


def eliminated(
    builder: Builder,
    rows: Sequence[Mapping[int, Scalar]],
    joints: Sequence[int],
    length: Scalar,
    *,
    base: bool,
) -> RowElimination:
    """Eliminate joint velocities, and optionally those of the base, from the rolling constraints.

    Args:
        rows: coefficients of each constraint, by column.
        joints: columns of the joints that are eliminated.
        length: length of the order of the robot's size, from its parameters; it scales columns of different units.
        base: whether to eliminate the base velocities as well.
    """
    work, waiting = SparseRows(builder, rows, lambda k: length if k >= 2 else 1), list(joints)
    samples = WheelSamples(builder)
    while waiting:
        column, row = _pivot(samples, work, waiting, length)
        waiting.remove(column)
        work.take(column, row)
    if base and len(work.left) != len(BASE):
        raise NotApplicableError(
            f"the wheels leave {len(work.left)} equations for the three velocities of the base"
        )
    return work.finish(BASE if base else ())


def _pivot(samples: WheelSamples, work: SparseRows, waiting: list[int], length: Scalar) -> tuple[int, int]:
    """Return the column of the joint that is eliminated next, and the row with which it is eliminated.

    Constant pivots are preferred, then joints that appear in the fewest rows.

    Args:
        samples: random values of symbols, at which pivots are evaluated.
        work: remaining rows.
        waiting: columns of the joints that are not yet eliminated.
        length: length relative to which pivots are compared with zero.
    """
    rows, left = work.rows, work.left
    places = [(k, i) for k in waiting for i in sorted(left) if k in rows[i]]
    values = samples.values([*(rows[i][k] for k, i in places), length]) if places else []
    candidates = []
    for index, (k, i) in enumerate(places):
        if any(abs(sample[index]) <= EVALUATED.present * abs(sample[-1]) for sample in values):  # lengths
            continue
        varies = rows[i][k].cls == VARIABLE
        unknown = sum(other in waiting for other in rows[i])
        count = sum(k in rows[other] for other in left)
        candidates.append((varies, count, unknown, k, i))
    if not candidates:
        raise NotApplicableError("the wheels do not determine the motion of every passive joint")
    *_, k, i = min(candidates)
    return k, i
