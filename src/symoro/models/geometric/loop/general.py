"""Loops of six unknowns at once, by elimination and eigenvalues: up to sixteen ways to close.

    M0 V1 M1 V2 .. V6 M6 = 1     <=>     V1 C1 .. V6 C6 = 1,   Ci = Mi (i < 6),   C6 = M6 M0

Vi = Rz(+-qi) or Tz(+-qi), and what is known stands in the constants Mi. The kernel `closed_chain` solves it; which of
its arrangements suits the loop is found by trying them on closed postures.

M. Raghavan, B. Roth, "Inverse kinematics of the general 6R manipulator and related linkages", ASME J. Mechanical
Design 115, 1993.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from symoro.errors import NotApplicableError
from symoro.expr.evaluate import evaluate
from symoro.expr.linalg import Matrix, identity, matmul
from symoro.expr.scalar import Expr, cos, sin, symbol
from symoro.models.geometric.inverse.chain.chain import Unknown, WayPart
from symoro.models.geometric.inverse.finite import in_units
from symoro.models.geometric.inverse.general.general import NO_POSTURE, SLOTS, WIDTH
from symoro.models.geometric.inverse.step import Step
from symoro.program.builder import Builder
from symoro.robot.description import Robot

if TYPE_CHECKING:
    from symoro.models.geometric.loop.postures import ClosedPostures

JOINTS = 6
AT_ONCE = 0  # the type of a step that is no equation of one unknown or two


def general_step(
    builder: Builder,
    robot: Robot,
    motions: Sequence[WayPart],
    active: Mapping[int, Expr],
    solved: Mapping[int, Unknown],
    joints: Mapping[int, Unknown],
    size: Expr,
) -> tuple[Step, Expr] | None:
    """The step that gives six joints, and the symbol of its residual; None where the method does not apply.

    Arguments:
        motions: the way round the loop, with the active and the solved joints as constants.
        size: the length that the kernel's lengths are divided by.
    """
    # Here, since they load NumPy, which the catalogue does without.
    from symoro.models.geometric.inverse.general.plan import FIRST, SECOND, plan
    from symoro.models.geometric.loop.postures import closed_postures

    ways = [motion for motion in motions if motion.joint]
    if len(ways) != JOINTS:
        return None
    constants = _constants(motions)
    kinds = [int(not motion.turns) for motion in ways]
    postures = closed_postures(robot, FIRST + SECOND, nominal=True)
    scaled = [x for matrix in constants for row in in_units(matrix, size) for x in row]
    literals = [builder.number(x).lit for x in scaled]
    try:
        chosen = plan(kinds, _Samples(builder, postures, active, solved, ways, literals, size).draw)
    except NotApplicableError:
        return None
    found = builder.call("closed_chain", [Expr(builder.graph, lit) for lit in literals], kinds, chosen)
    return _step(builder, ways, joints, found, size)


def _constants(motions: Sequence[WayPart]) -> list[Matrix]:
    """C1 .. C6."""
    between = [identity(4)]
    for motion in motions:
        if motion.joint:
            between.append(identity(4))
        else:
            between[-1] = matmul(between[-1], motion.matrix)
    return [*between[1:-1], matmul(between[-1], between[0])]


class _Samples:
    """Closed postures as the plan wants them: constants and joint values, one after the other."""

    def __init__(
        self,
        builder: Builder,
        postures: ClosedPostures,
        active: Mapping[int, Expr],
        solved: Mapping[int, Unknown],
        ways: Sequence[WayPart],
        literals: Sequence[int],
        size: Expr,
    ) -> None:
        import numpy

        graph = builder.graph
        variables: dict[str, Any] = {}
        for j, q in active.items():
            variables[graph.args[q.lit >> 1][0]] = postures.joints[j]
        for j, unknown in solved.items():
            values = postures.joints[j]
            for name, of in zip(unknown.symbols, (numpy.sin, numpy.cos), strict=False):
                variables[graph.args[name.lit >> 1][0]] = of(values) if unknown.turns else values
            variables[graph.args[unknown.length.lit >> 1][0]] = values
        *found, length = evaluate(graph, [*literals, size.lit], postures.parameters, variables)
        count = len(postures.joints[ways[0].joint])
        self.constants = numpy.array([numpy.broadcast_to(x, (count,)) for x in found]).T
        units = [1 if motion.turns else length for motion in ways]
        signed = [motion.sign * postures.joints[motion.joint] for motion in ways]
        self.values = numpy.array([q / unit for q, unit in zip(signed, units, strict=True)]).T
        self.next = 0

    def draw(self, _: Any) -> tuple[Sequence[float], Sequence[float]]:
        k = self.next % len(self.values)
        self.next += 1
        return self.constants[k].tolist(), self.values[k].tolist()


def _step(
    builder: Builder,
    ways: Sequence[WayPart],
    joints: Mapping[int, Unknown],
    found: Sequence[Expr],
    size: Expr,
) -> tuple[Step, Expr]:
    """Sixteen branches; where none is a solution, the first is out of reach and the others are empty."""
    number = builder.number
    defect, filled = (symbol(builder.graph, f"{name}{ways[0].joint}") for name in ("defect", "filled"))
    branches = []
    for k in range(SLOTS):
        *values, miss = found[WIDTH * k : WIDTH * (k + 1)]
        branch = {defect.lit: miss, filled.lit: number(1) if k else 1 - miss / NO_POSTURE}
        for motion, value in zip(ways, values, strict=True):
            own, q = joints[motion.joint], motion.sign * value * (1 if motion.turns else size)
            branch |= {own.sine.lit: number(sin(q)), own.cosine.lit: number(cos(q)), own.length.lit: q}
        branches.append(branch)
    return Step(AT_ONCE, tuple(joints.values()), (), (), tuple(branches), reach=(filled,)), defect
