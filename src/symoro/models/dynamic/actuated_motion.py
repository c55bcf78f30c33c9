"""Motion and torques of the motors of elastic joints, from the motion of the links and its first four derivatives.

    s = A(q) qdd + H(q, qd)                                     torques on the links alone, without rotors and friction
    qm = q - rest + s / k,   qmd = qd + s'/k,   qmdd = qdd + s''/k
    tau = IA qmdd + FV qmd + (FS + FB exp(-(qmd/VS)^2)) sign(qmd) + FO + s, with load-dependent friction added

s' and s'' are exact time derivatives of s along the motion q, qd, qdd, qddd, qdddd. A rigid joint has qm = q.

A. De Luca, "Feedforward/feedback laws for the control of flexible robots", ICRA 2000, section 2: inverse dynamics of
elastic joints.
"""

from __future__ import annotations

from itertools import pairwise

from symoro.errors import NotApplicableError
from symoro.expr.derivatives import forward
from symoro.expr.scalar import Expr, Scalar
from symoro.models.coordinates.blocks import joint
from symoro.models.coordinates.layout import Layout
from symoro.models.dynamic.force_elements import drive_torques, links_alone, loaded_torque
from symoro.models.dynamic.formulation import quick
from symoro.models.dynamic.system import Inputs, system
from symoro.models.ports import QM, QMD, QMDD, TAU
from symoro.program.builder import Builder
from symoro.program.pipeline import optimise
from symoro.program.program import Port, Program
from symoro.robot.coordinates import has_followers, independent
from symoro.robot.description import MOTION, BaseKind, Robot
from symoro.robot.topology import elastic_joints

JERK = Port("qddd", "n", "third derivatives of the links' positions")
SNAP = Port("qdddd", "n", "fourth derivatives of the links' positions")


def actuated_motion(robot: Robot) -> Program:
    """Return a program that computes positions, velocities, accelerations and torques of the motors.

    Its inputs are the positions of the links and their first four time derivatives.

    Raises:
        NotApplicableError: no joint is elastic, or the motion of the links does not determine the motion of the motors.
    """
    reason = None if elastic_joints(robot) else "none of its joints is elastic"
    if robot.B or has_followers(robot):
        reason = "its joints are coupled; elastic actuators of coupled joints are not supported"
    elif robot.base.kind == BaseKind.FLOATING:
        reason = "its base is free, so that its motion follows from the forces"
    fixed = [
        j for j in independent(robot) if any(getattr(robot.frame(j), name) is not None for name in MOTION)
    ]
    if reason is None and fixed:
        reason = f"the robot description prescribes the motion of joint {fixed[0]}"
    if reason is not None:
        raise NotApplicableError(
            f"the motors of the elastic joints of robot '{robot.name}' cannot be computed: {reason}"
        )
    program = optimise(_program(robot))
    known = {"q", "qd", "qdd", JERK.name, SNAP.name}
    other = [port.name for port in program.inputs if port.name not in known]
    if other:
        raise NotApplicableError(
            f"the motors of the elastic joints of robot '{robot.name}' cannot be computed: "
            f"the derivatives of the inputs {', '.join(other)} are unknown"
        )
    return program


def _program(robot: Robot) -> Program:
    own, bare = independent(robot), links_alone(robot)
    links = system("actuated_motion", Layout(bare), quick(bare), Inputs(accelerations=True))
    builder, q = links.builder, links.provider.positions
    qd, qdd = ({j: values[joint(j)] for j in own} for values in (links.state.nu, links.known.accelerations))
    higher: list[dict[int, Scalar]] = [
        dict(zip(own, builder.input(port, (len(own),), [f"{port.name}{j}" for j in own]), strict=True))
        for port in (JERK, SNAP)
    ]
    forces = links.dynamics.efforts(links.state, links.known.accelerations)
    efforts = {j: forces[joint(j)] for j in own}
    elastic = elastic_joints(robot)
    chain: list[dict[int, Scalar]] = [dict(q), qd, qdd, *higher]
    s = {j: builder.named(f"spring{j}", efforts[j]) for j in elastic}
    once = _along(builder, s, chain[:4], own)
    twice = _along(builder, once, chain, own)
    moved: list[dict[int, Scalar]] = [{j: chain[k][j] for j in own} for k in range(3)]
    for j in elastic:
        softness = 1 / builder.formula(robot.frame(j).k)
        moved[0][j] = moved[0][j] - builder.formula(robot.frame(j).rest)
        for k, torque in enumerate((s[j], once[j], twice[j])):
            moved[k][j] = moved[k][j] + softness * torque
    qmd, qmdd = ({j: moved[k][j] for j in elastic} for k in (1, 2))
    drives = drive_torques(builder, robot, qmd, qmdd)
    tau: dict[int, Scalar] = {**efforts, **{j: drives[j] + s[j] for j in elastic}}
    tau = {j: loaded_torque(builder, robot, j, torque, moved[1][j]) for j, torque in tau.items()}
    builder.output(TAU, [tau[j] for j in own], "torques and forces of the motors")
    for port, row in zip((QM, QMD, QMDD), moved, strict=True):
        builder.output(port, [row[j] for j in own])
    return builder.program()


def _along(
    builder: Builder, values: dict[int, Expr], chain: list[dict[int, Scalar]], own: list[int]
) -> dict[int, Expr]:
    """Return the total time derivatives d/dt of expressions in q, qd, qdd and so on, by the chain rule.

    Args:
        values: the expressions, by joint.
        chain: joint positions, velocities, accelerations and so on; each entry is the time derivative of the previous
            one.
        own: numbers of the joints on whose motion the expressions depend.
    """
    seeds = {
        builder.number(before[j]).lit >> 1: builder.number(after[j]).lit
        for before, after in pairwise(chain)
        for j in own
    }
    slopes = forward(builder.graph, [x.lit for x in values.values()], seeds)
    return dict(zip(values, (Expr(builder.graph, lit) for lit in slopes), strict=True))
