"""Solutions made exact: Newton's method on the pose for those that a closed form gives almost.

The kernel compares lengths with 1: it works on lengths divided by the robot's size.

Where two roots of a quartic come close, or a small divisor amplifies the round-off of what it divides, a true solution
may miss the pose by more than the tolerance, or seem out of reach. The kernel `refine` takes what is near and leaves
the rest alone. It starts from formulas that were derived and tried (see trial.py): a wrong derivation has no row to
start from, and is told, not hidden.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symoro.expr.number import Tolerance
from symoro.expr.scalar import Expr, Scalar, less_equal, maximum, select
from symoro.models.geometric.inverse.branches import SINGULAR, VALID, Solution
from symoro.models.geometric.inverse.chain.chain import links
from symoro.models.geometric.inverse.chain.problem import Problem
from symoro.models.geometric.inverse.finite import in_units

TURNS, SLIDES = 1, 2  # as the kernel marks joints


def refined(problem: Problem, found: Sequence[Solution], tolerance: float) -> list[Solution]:
    """The solutions, each with its joints, residual and status as the kernel leaves them."""
    builder = problem.builder
    joints, between = links(problem.chain.motions)
    size = problem.chain.size
    placements = [x for matrix in between for row in in_units(matrix, size) for x in row]
    pairs = [
        (entry, known)
        for row, mask in zip(in_units(problem.chain.target, size), problem.given, strict=True)
        for entry, known in zip(row, mask, strict=True)
    ]
    marks: list[Scalar] = [
        len(joints),
        builder.number(Tolerance(tolerance)),
        *(int(known) for _, known in pairs),
    ]
    marks += [joint.sign * (TURNS if joint.turns else SLIDES) for joint in joints]
    inverse = 1 / size
    rows = [
        x
        for one in found
        for x in (
            *(one.joints[j.joint] * (1 if j.turns else inverse) for j in joints),
            one.residual,
            one.status,
        )
    ]
    table = builder.call("refine", placements, [entry if known else 0 for entry, known in pairs], marks, rows)
    width = len(joints) + 2
    made = []
    for k, one in enumerate(found):
        *q, residual, status = table[width * k : width * (k + 1)]
        values = {
            joint.joint: builder.number(value * (1 if joint.turns else size))
            for joint, value in zip(joints, q, strict=True)
        }
        made.append(replace(one, joints=values, residual=residual, status=_status(problem, one, status)))
    return made


def _status(problem: Problem, one: Solution, status: Expr) -> Expr:
    """Singular where a joint is free, whatever the kernel says of the pose."""
    if not one.free:
        return status
    free: Scalar = problem.builder.number(0)
    for flag in one.free.values():
        free = maximum(free, flag)
    return problem.builder.number(select(free, select(less_equal(status, VALID), SINGULAR, status), status))
