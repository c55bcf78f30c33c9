"""The reaction wrenches of a robot with closed loops: of each antecedent on its link, and at the opened joints.

The torques of the tree give the multipliers of the loops; the wrenches at the opened joints are external ones to the
links on both sides, and a second walk inward hands them on (Khalil 2010, eq. 26 to 29). What the loops do not
determine is not a number, and the program says which.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from symoro.expr.linalg import Matrix, Vector, add
from symoro.expr.scalar import Scalar, sqrt
from symoro.models.coordinates.joint_motion import joint_motion
from symoro.models.dynamic.formulation import plain
from symoro.models.dynamic.torques import Torques
from symoro.models.kinematic.loop.coordinates import LoopCoordinates
from symoro.models.kinematic.loop.reactions import LoopReactions, WrenchEntry, undetermined
from symoro.models.ports import CUT_REACTIONS, REACTIONS, TAU_ACTIVE
from symoro.program.builder import Builder
from symoro.program.program import Program
from symoro.robot.description import Robot


def loop_reactions(robot: Robot, name: str) -> Program:
    """Torques and reactions; parallelograms are loops like others here, with no value where they are flat."""
    builder = Builder(f"{robot.name}_{name}")
    motion = joint_motion(builder, robot, "qd", "qdd", every_loop=True)
    assert isinstance(motion.joints, LoopCoordinates)
    torques = Torques(builder, robot, plain(robot), motion.joints, regrouped=False)
    efforts = torques.efforts(torques.recursion(motion.qd, motion.qdd), motion.qd, motion.qdd, friction=True)
    builder.output(TAU_ACTIVE, motion.joints.project(efforts))
    found = LoopReactions(motion.joints, efforts)
    for j, wrench in found.on_environment().items():
        torques.wrenches[j] = add(torques.wrenches[j], wrench) if j in torques.wrenches else wrench
    bodies = torques.recursion(motion.qd, motion.qdd).bodies
    left_open = undetermined(robot)
    rows: dict[int, Vector] = {j: body.force + body.moment for j, body in sorted(bodies.items())}
    builder.output(REACTIONS, _open(builder, motion.q[next(iter(motion.q))], rows, left_open.links))
    builder.output(
        CUT_REACTIONS, _open(builder, motion.q[next(iter(motion.q))], found.at_cuts(), left_open.opened)
    )
    return replace(builder.program(), choices=tuple(left_open.words()))


def _open(builder: Builder, q: Scalar, rows: dict[int, Vector], missing: Iterable[WrenchEntry]) -> Matrix:
    """The rows with what is not determined as not a number: the root of a negative one."""
    none = sqrt(-1 - builder.number(q) * q)
    entries = set(missing)
    return [[none if (j, c) in entries else x for c, x in enumerate(row)] for j, row in rows.items()]
