"""The assembly modes: the steps of all loops unrolled together, each choice of branches one mode.

    status    0 valid, 1 out of reach: the loop cannot close, 2 singular: modes meet or a joint is free, 3 empty slot
    residual  the largest entry by which a loop stays open

Modes are counted with the first branch of every step first, the last step of the last loop fastest: their number does
not depend on the posture, so that along a path that meets no singularity a mode is one and the same row.
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
    """Every mode with all joints, the active ones included; `more` as in `unrolled`."""
    steps = [step for one in relations.solved for step in one.steps]
    joints = {j: unknown.length for j, unknown in relations.joints.items()}
    gaps = [gap for one in relations.solved for gap in one.differences]
    return unrolled(builder, steps, {**active, **joints}, gaps, tolerance, more=more)
