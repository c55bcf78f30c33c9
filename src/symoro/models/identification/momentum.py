"""`filtered-identification`: the torques from momenta, without accelerations (1997 paper, eq. 40 to 46).

    tau = d(D1 K)/dt + D2 K,      D1 K = dE/dqd,      D2 K = -dE/dq + dU/dq + friction

In use both sides pass a low-pass filter F, and F' = s F takes the derivative (filters.py):

    F[tau] = (F'[D1] + F[D2]) K                                                                (eq. 44)

Link j moves by (V; w). Unit rate of joint k adds (v; a) to it, a unit of its position takes (c; b) away: all that lies
before the joint is seen turned back by it, so that in frame k

    revolute  (c; b) = (z x V; z x w)        prismatic  (c; b) = (z x w; 0)

and from there outward both are carried as twists. With E of eq. (49) and U of eq. (50), g being gravity in frame j:

    XX   D1 = w1 a1             D2 = w1 b1               M    D1 = V.v              D2 = V.c - g.v
    XY   D1 = w1 a2 + w2 a1     D2 = w1 b2 + w2 b1       MS   D1 = v x w + V x a    D2 = c x w + V x b + a x g

IA has qd in D1; FV, FS and FO have qd, sign(qd) and 1 in D2. Where loops close, with qd_tree = G qda,

    D1 = G' D1_tree,     D2 = G' D2_tree - Gdot' D1_tree
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symoro.expr.linalg import Vector, VectorLike, add, cross, dot, transpose
from symoro.expr.scalar import Scalar
from symoro.models.catalogue import model
from symoro.models.coordinates.joint_motion import JointMotion, joint_motion
from symoro.models.dynamic.newton_euler import LinkState
from symoro.models.dynamic.setting import gravity
from symoro.models.identification.columns import (
    AT_REST,
    FRICTION_OPTION,
    PARAMETERS,
    POSTURE,
    SPRING_TORQUES,
    Column,
    at_posture,
    at_rest_with_parameters,
    columns,
    output_spring_torques,
    with_columns,
)
from symoro.models.identification.dynamic import RegressorEntries, drive, row_name, rows
from symoro.models.identification.twists import (
    NONE,
    Bodies,
    Direction,
    FreeBase,
    RunTwist,
    base_shifts,
    by_joint,
    joint_twists,
    name_twist,
    placed,
    velocities,
    weights,
)
from symoro.models.joints import Trigonometry
from symoro.models.ports import QD, Q
from symoro.models.references import SYMORO_1997
from symoro.program.builder import Builder
from symoro.program.program import Port, Program
from symoro.robot.coordinates import PostureLike
from symoro.robot.description import JointType, Robot

Twists = Mapping[tuple[int, int], RunTwist]
D1 = Port("D1", "n,P", "columns of dE/dqd: tau = d(D1 K)/dt + D2 K; K in the order of the columns")
D2 = Port("D2", "n,P", "columns of -dE/dq + dU/dq, and of friction")


def _paired(x: VectorLike, y: VectorLike) -> dict[str, Scalar]:
    """The entries of x y' + y x' that multiply XX .. ZZ in x' J y, for a symmetric J."""
    return {
        "XX": x[0] * y[0],
        "XY": x[0] * y[1] + x[1] * y[0],
        "XZ": x[0] * y[2] + x[2] * y[0],
        "YY": x[1] * y[1],
        "YZ": x[1] * y[2] + x[2] * y[1],
        "ZZ": x[2] * y[2],
    }


def _link(tensor: Mapping[str, Scalar], ms: Vector, mass: Scalar) -> dict[str, Scalar]:
    return {**tensor, **dict(zip(("MX", "MY", "MZ"), ms, strict=True)), "M": mass}


def momenta(moving: RunTwist, rate: RunTwist) -> dict[str, Scalar]:
    """dE/dqd of one joint, for a unit of each parameter of a link."""
    v, a = rate.linear, rate.angular.value
    V, w = moving.linear, moving.angular.value
    return _link(_paired(w, a), add(cross(v, w), cross(V, a)), dot(V, v))


def slopes(moving: RunTwist, rate: RunTwist, shift: RunTwist, g: Vector) -> dict[str, Scalar]:
    """-dE/dq + dU/dq of one joint, for a unit of each parameter of a link."""
    v, a = rate.linear, rate.angular.value
    c, b = shift.linear, shift.angular.value
    V, w = moving.linear, moving.angular.value
    ms = add(add(cross(c, w), cross(V, b)), cross(a, g))
    return _link(_paired(w, b), ms, dot(V, c) - dot(g, v))


def _start(body: LinkState, moving: RunTwist) -> RunTwist:
    """What a unit of its own joint's position takes from the velocity of a body, in its frame."""
    (vx, vy, _), (wx, wy, _) = moving.linear, moving.angular.value
    if body.sigma == JointType.PRISMATIC:
        return RunTwist([-wy, wx, 0], Direction([0, 0, 0]))
    return RunTwist([-vy, vx, 0], Direction([-wy, wx, 0]))


def shifts(
    bodies: Bodies, moving: Mapping[int, RunTwist], trig: Trigonometry, ground: Mapping[int, RunTwist]
) -> Twists:
    """(k, j) -> what a unit of the position of joint k takes from the velocity of link j; `ground`: of the base."""
    return by_joint(bodies, trig, lambda body: _start(body, moving[body.j]), ground)


@dataclass(frozen=True)
class Split:
    """The entries of D1 and D2 for every joint of the tree and every column there can be."""

    first: RegressorEntries
    second: RegressorEntries


def split(
    builder: Builder,
    robot: Robot,
    q: Mapping[int, Scalar],
    qd: Mapping[int, Scalar],
    down: Vector,
    base: FreeBase | None = None,
) -> Split:
    """D1 and D2, with the rows of the base and the columns of link 0 where it is free; `down` is gravity in frame 0."""
    trig = Trigonometry(builder, robot)
    bodies = placed(builder, robot, q, trig)
    moving = velocities(bodies, qd, trig, base.twist if base else NONE)
    g = weights(bodies, down, trig)
    rate = joint_twists(bodies, trig, free_base=base is not None)
    found = Split({}, {})
    for (k, j), shift in shifts(bodies, moving, trig, base_shifts(base.twist) if base else {}).items():
        name_twist(builder, ("JV", "JW"), f"{row_name(k)}_{j}", rate[k, j], f"link {j}: Jacobian columns")
        for kind, value in momenta(moving[j], rate[k, j]).items():
            found.first[k, Column(kind, j)] = value
        for kind, value in slopes(moving[j], rate[k, j], shift, g[j]).items():
            found.second[k, Column(kind, j)] = value
    for j, velocity in qd.items():
        found.first[j, Column("IA", j)] = velocity
        for kind in ("FV", "FS", "FO"):
            found.second[j, Column(kind, j)] = drive(kind, velocity, 0)
    return found


def second_rows(motion: JointMotion, found: Split, chosen: Sequence[Column]) -> list[list[Scalar]]:
    """The rows of D2 of the coordinates: G' d(D1 K)/dt = d(G' D1 K)/dt - Gdot' D1 K."""
    joints = motion.joints
    second = rows(joints, found.second, chosen)
    if joints.constant:
        return second
    turning = transpose(joints.matrix_rate(motion.own))
    first = [[found.first.get((k, c), 0) for k in joints.joints] for c in chosen]
    return [
        [x - dot(row, column) for x, column in zip(line, first, strict=True)]
        for line, row in zip(second, turning, strict=True)
    ]


@model(
    "filtered-identification",
    menu="Identification",
    title="filtered dynamic identification model: the torques without accelerations",
    inputs=(Q, QD),
    outputs=(D1, D2, SPRING_TORQUES),
    options=(PARAMETERS, FRICTION_OPTION, POSTURE),
    reference=SYMORO_1997.at("section 6.2, eq. (40) to (46)"),
    aliases=("fdim",),
    applies=at_rest_with_parameters,
    applies_to=AT_REST,
    equations=r"\Gamma = \frac{d}{dt}(D_1 K) + D_2 K, \qquad D_1 K = \partial E / \partial \dot q, \qquad "
    r"D_2 K = -\partial E / \partial q + \partial U / \partial q",
)
def filtered_identification(
    robot: Robot,
    parameters: str = "standard",
    friction: str = "given",
    posture: PostureLike | None = None,
) -> Program:
    """The momenta and the slopes of the energies."""
    robot = at_posture(robot, posture)
    builder = Builder(f"{robot.name}_filtered_identification")
    joints = joint_motion(builder, robot, "qd")
    chosen = columns(robot, parameters, friction)
    found = split(builder, robot, joints.q, joints.qd, gravity(builder, robot))
    builder.output(D1, rows(joints.joints, found.first, chosen))
    builder.output(D2, second_rows(joints, found, chosen))
    output_spring_torques(builder, robot, joints)
    return with_columns(builder.program(), chosen, robot, parameters)
