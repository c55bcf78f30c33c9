"""Reaction wrenches of a robot with closed loops: of each antecedent on its link, and at the cut joints.

The torques of the tree give the Lagrange multipliers of the loops. The wrenches at the cut joints act as external
wrenches on the links on both sides, and a second inward recursion adds them (Khalil 2010, eq. 26 to 29). Components
that the loops do not determine are NaN; the header of the program lists them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from symoro.expr.linalg import Matrix, Vector, add
from symoro.expr.scalar import Scalar, sqrt
from symoro.models.coordinates.layout import Layout
from symoro.models.coordinates.provider import TreeCoordinates
from symoro.models.dynamic.formulation import plain
from symoro.models.dynamic.system import Inputs, system
from symoro.models.kinematic.loop.coordinates import LoopCoordinates
from symoro.models.kinematic.loop.reactions import LoopReactions, WrenchEntry, undetermined
from symoro.models.ports import CUT_REACTIONS, REACTIONS, TAU_ACTIVE
from symoro.program.builder import Builder
from symoro.program.program import Program
from symoro.robot.description import Robot


def loop_reactions(robot: Robot, name: str) -> Program:
    """Return a program with the torques and joint reactions of a robot with closed loops.

    Parallelograms are treated as general loops, so that the results are NaN in configurations where a parallelogram is
    flat (all links collinear).

    Args:
        name: suffix of the program's name, after the name of the robot.
    """
    s = system(name, Layout(robot), plain(robot), Inputs(accelerations=True), regroup=False, every_loop=True)
    builder, provider, dynamics = s.builder, s.provider, s.tree
    assert isinstance(provider, TreeCoordinates) and isinstance(provider.joints, LoopCoordinates)
    accelerations = provider.accelerations(s.known.accelerations, s.state.nu)
    forces = dynamics.tree_forces(s.state, accelerations)
    builder.output(TAU_ACTIVE, s.loaded(list(provider.project(forces).values())))
    reactions = LoopReactions(provider.joints, {c.j: force for c, force in forces.items()})
    for j, wrench in reactions.on_environment().items():
        dynamics.loads[j] = add(dynamics.loads[j], wrench) if j in dynamics.loads else wrench
    bodies = dynamics.walk(s.state, accelerations, dynamics.inertias).bodies
    first = next(iter(provider.positions.values()))
    left_open = undetermined(robot)
    rows: dict[int, Vector] = {j: body.force + body.moment for j, body in sorted(bodies.items())}
    builder.output(REACTIONS, _open(builder, first, rows, left_open.links))
    builder.output(CUT_REACTIONS, _open(builder, first, reactions.at_cuts(), left_open.cuts))
    return replace(builder.program(), choices=tuple(left_open.words()))


def _open(builder: Builder, q: Scalar, rows: dict[int, Vector], missing: Iterable[WrenchEntry]) -> Matrix:
    """Return the wrenches as rows of a matrix, with NaN for the components that are not determined.

    NaN is written as the square root of a negative number, which depends on a joint position q.

    Args:
        rows: wrench (force; moment) by frame.
        missing: the components that are not determined.
        q: position of a joint.
    """
    none = sqrt(-1 - builder.number(q) * q)
    entries = set(missing)
    return [[none if (j, c) in entries else x for c, x in enumerate(row)] for j, row in rows.items()]
