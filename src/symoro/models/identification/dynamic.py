"""`dynamic-identification`: the regressor of the inverse dynamic model, tau = W K (1997 paper, eq. 39).

A unit of one parameter of link j makes a wrench (f; m) of that link alone, in its own frame about its origin:

    M    f = VP                       XX   m = (WP1, w1 w3, -w1 w2)      XY   m = (-U31, U32, -D12)
    MX   f = U x,  m = x X VP         YY   m = (-w2 w3, WP2, w1 w2)      XZ   m = (U21, -D31, -U23)
    MY, MZ likewise                   ZZ   m = (w2 w3, -w1 w3, WP3)      YZ   m = (-D23, -U12, U13)

with U, D, VP of the Newton-Euler recursion (eq. 8 to 10), computed once for all columns. What joint k feels of it is
the power of the wrench in the motion (v; a) that the unit rate of joint k gives to link j (virtual work):

    W_k = f.v + m.a;      for the first moments together  U' v + VP x a,  for the mass  VP.v

The other way, each wrench column handed inward from frame to frame, costs more on every robot tried (RX90 628
operations in place of 605, PUMA560 728 for 656, with base columns): a column then pays two turns of three entries a
frame, where the twists are turned once for all columns.

Rotor inertia and friction have the columns qdd, qd, sign(qd) and 1. External wrenches and the payload are no part of
the model. Springs of passive joints in loops have known stiffness: their torques are an output of their own,
tau = W K + springs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symoro.expr.linalg import Vector, add, cross, dot, matvec, transpose
from symoro.expr.scalar import Scalar, sign
from symoro.models.catalogue import model
from symoro.models.coordinates.couplings import Coordinates
from symoro.models.coordinates.joint_motion import JointMotion, joint_motion
from symoro.models.dynamic.formulation import Formulation, plain, quick
from symoro.models.dynamic.newton_euler import LinkState, NewtonEuler
from symoro.models.dynamic.setting import RIGID_APPLIES_TO, gravity
from symoro.models.identification.columns import (
    FRICTION_OPTION,
    PARAMETERS,
    POSTURE,
    SPRING_TORQUES,
    Column,
    W,
    at_posture,
    columns,
    has_parameters,
    output_spring_torques,
    with_columns,
)
from symoro.models.identification.twists import RunTwist, joint_twists, name_twist, own_axes
from symoro.models.joints import Trigonometry
from symoro.models.ports import QD, QDD, Q
from symoro.models.recursion import FREE_BASE, BaseMotion, base_motion, local_frames
from symoro.models.references import SYMORO_1997
from symoro.program.builder import Builder
from symoro.program.count import count
from symoro.program.program import Program
from symoro.robot.coordinates import PostureLike
from symoro.robot.description import Robot

RegressorEntries = dict[tuple[int, Column], Scalar]  # (joint of the tree, column)


def felt(body: LinkState, twist: RunTwist) -> dict[str, Scalar]:
    """The effort of one joint for a unit of each parameter of a link, which moves by `twist` with that joint."""
    u, w, wd, vd, (d23, d31, d12) = body.u, body.w, body.wd, body.vd, body.d
    w12, w13, w23 = w[0] * w[1], w[0] * w[2], w[1] * w[2]
    v, a = twist.linear, twist.angular.value
    x, y, z = add(matvec(transpose(u), v), cross(vd, a))
    return {
        "XX": dot([wd[0], w13, -w12], a),
        "XY": dot([-u[2][0], u[2][1], -d12], a),
        "XZ": dot([u[1][0], -d31, -u[1][2]], a),
        "YY": dot([-w23, wd[1], w12], a),
        "YZ": dot([-d23, -u[0][1], u[0][2]], a),
        "ZZ": dot([w23, -w13, wd[2]], a),
        "MX": x,
        "MY": y,
        "MZ": z,
        "M": dot(vd, v),
    }


def drive(kind: str, qd: Scalar, qdd: Scalar) -> Scalar:
    """The torque of a unit of rotor inertia, friction or offset."""
    if kind == "FS":
        return sign(qd)
    return {"IA": qdd, "FV": qd, "FO": 1}[kind]


def regressor(
    builder: Builder,
    robot: Robot,
    formulation: Formulation,
    joints: JointMotion,
    base: BaseMotion,
    down: Vector,
    *,
    free_base: bool = False,
) -> RegressorEntries:
    """The entries for every joint of the tree and every column there can be; those not read cost nothing.

    Arguments:
        down: gravity in frame 0.
        free_base: give the rows of the base and the columns of link 0 too.
    """
    trig = Trigonometry(builder, robot)
    recursion = NewtonEuler(builder, formulation, local_frames(builder, robot, joints.q, trig), trig)
    recursion.move(base, down, joints.qd, joints.qdd)
    bodies = {0: recursion.ground, **recursion.bodies}
    entries: RegressorEntries = {}
    for (k, j), twist in joint_twists(recursion.bodies, trig, free_base=free_base).items():
        row = row_name(k)
        name_twist(builder, ("JV", "JW"), f"{row}_{j}", twist)
        for kind, value in felt(bodies[j], twist).items():
            entries[k, Column(kind, j)] = builder.named(f"W{row}_{kind}{j}", value)
    for j, rate in joints.qd.items():
        for kind in ("IA", "FV", "FS", "FO"):
            entries[j, Column(kind, j)] = drive(kind, rate, joints.qdd[j])
    return entries


def row_name(k: int) -> str:
    """A joint's number; the rows of a free base are called 01 to 06."""
    return str(k) if k > 0 else f"0{k - FREE_BASE[0] + 1}"


def rows(joints: Coordinates, entries: RegressorEntries, chosen: Sequence[Column]) -> list[list[Scalar]]:
    """The matrix over the independent coordinates: G' times the entries of the tree's joints."""
    every = [{k: entries.get((k, c), 0) for k in joints.joints} for c in chosen]
    if joints.constant:
        return transpose([joints.project(efforts) for efforts in every])
    g = transpose(joints.matrix())  # formed once: there are more columns than coordinates
    return [[dot(row, list(efforts.values())) for efforts in every] for row in g]


def formulations(robot: Robot) -> list[Formulation]:
    """Ways to write the outward recursion among which the count decides."""
    links = tuple(replace(choice, doubled=False) for choice in quick(robot).links)
    apart = replace(quick(robot), links=links)
    together = replace(apart, links=tuple(replace(choice, difference=True) for choice in links))
    return [own_axes(f) for f in (together, apart, plain(robot))]


def regressor_program(robot: Robot, formulation: Formulation, chosen: Sequence[Column]) -> Program:
    """The program of W."""
    builder = Builder(f"{robot.name}_dynamic_identification")
    joints = joint_motion(builder, robot, "qd", "qdd")
    base, down = base_motion(builder, robot), gravity(builder, robot)
    entries = regressor(builder, robot, formulation, joints, base, down)
    builder.output(W, rows(joints.joints, entries, chosen))
    output_spring_torques(builder, robot, joints)
    return builder.program()


@model(
    "dynamic-identification",
    menu="Identification",
    title="dynamic identification model: the torques as a linear function of the parameters",
    inputs=(Q, QD, QDD),
    outputs=(W, SPRING_TORQUES),
    options=(PARAMETERS, FRICTION_OPTION, POSTURE),
    reference=SYMORO_1997.at("section 6.1, eq. (39)"),
    aliases=("dim",),
    applies=has_parameters,
    applies_to=RIGID_APPLIES_TO,
    equations=r"\Gamma = W(q, \dot q, \ddot q)\,K",
)
def dynamic_identification(
    robot: Robot,
    parameters: str = "standard",
    friction: str = "given",
    posture: PostureLike | None = None,
) -> Program:
    """The regressor of the torques."""
    robot = at_posture(robot, posture)
    chosen = columns(robot, parameters, friction)
    programs = [regressor_program(robot, f, chosen) for f in formulations(robot)]
    best = min(programs, key=lambda program: count(program).total)
    return with_columns(best, chosen, robot, parameters)
