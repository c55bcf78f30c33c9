"""Assembly modes of all closed loops of a robot: each combination of branches of the solution steps is one mode.

    status    0 valid, 1 out of reach: the loop cannot close, 2 singular: modes coincide or a joint is free,
              3 no solution on this branch
    residual  the largest closure error of a loop

The first mode has the first branch of every step; the branch of the last step of the last loop varies fastest. The
number of a mode does not depend on the configuration: along a path without singularities, a mode stays in the same row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symoro.expr.scalar import Expr
from symoro.models.geometric.inverse.branches import Solution, unrolled
from symoro.models.geometric.loop.relations import LoopRelations
from symoro.program.builder import Builder


def assemblies(
    builder: Builder,
    relations: LoopRelations,
    active: Mapping[int, Expr],
    tolerance: float,
    more: Sequence[Expr] = (),
) -> list[Solution]:
    """Return every assembly mode of the loops, with the positions of all joints.

    Args:
        relations: closed-form solution of the loops.
        active: positions of the active joints, by joint number.
        tolerance: largest closure error of a valid mode.
        more: further expressions to evaluate in each mode.
    """
    steps = [step for one in relations.solved for step in one.steps]
    joints = {j: unknown.length for j, unknown in relations.joints.items()}
    gaps = [gap for one in relations.solved for gap in one.differences]
    return unrolled(builder, steps, {**active, **joints}, gaps, tolerance, more=more)
