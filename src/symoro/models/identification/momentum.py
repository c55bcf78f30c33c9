"""`filtered-identification`: the torques from momenta, without accelerations (1997 paper, eq. 40 to 46).

    tau = d(D1 K)/dt + D2 K,      D1 K = dE/dqd,      D2 K = -dE/dq + dU/dq + friction

In practice both sides are filtered by a low-pass filter F, and F' = s F gives the derivative (filters.py):

    F[tau] = (F'[D1] + F[D2]) K                                                                (eq. 44)

Link j has the twist (V; w). Its derivative with respect to the velocity of joint k is (v; a), its derivative with
respect to the position of joint k is -(c; b). In frame k, relative to which a change of q_k moves all bodies before the
joint backwards,

    revolute  (c; b) = (z x V; z x w)        prismatic  (c; b) = (z x w; 0)

and from there both are transformed outward as twists. With E of eq. (49), U of eq. (50) and gravity g in frame j:

    XX   D1 = w1 a1             D2 = w1 b1               M    D1 = V.v              D2 = V.c - g.v
    XY   D1 = w1 a2 + w2 a1     D2 = w1 b2 + w2 b1       MS   D1 = v x w + V x a    D2 = c x w + V x b + a x g

IA has qd in D1; FV, FS and FO have qd, sign(qd) and 1 in D2. With closed loops and qd_tree = G qda,

    D1 = G' D1_tree,     D2 = G' D2_tree - Gdot' D1_tree
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symoro.expr.linalg import Matrix, Vector, VectorLike, add, cross, dot, transpose
from symoro.expr.scalar import Scalar
from symoro.models.coordinates.blocks import BASE, Coordinate, joint
from symoro.models.coordinates.layout import Layout
from symoro.models.dynamic.floating_base import ROTATION
from symoro.models.dynamic.formulation import quick
from symoro.models.dynamic.newton_euler import LinkState
from symoro.models.dynamic.structures import FIXED, FLOATING, WHEELED, Structure, structure_of, tree_model
from symoro.models.dynamic.system import Inputs, System, system
from symoro.models.identification.column import (
    FRICTION_OPTION,
    PARAMETERS,
    POSTURE,
    SPRING_TORQUES,
    Column,
    at_posture,
    has_friction_columns,
    output_spring_torques,
    unloaded,
    with_parameters,
)
from symoro.models.identification.columns import columns, with_columns
from symoro.models.identification.dynamic_regressor import (
    RegressorEntries,
    drive_entries,
    regressor_port,
    row_name,
    rows,
)
from symoro.models.identification.twists import (
    NONE,
    Bodies,
    Direction,
    RunTwist,
    Twists,
    base_shifts,
    by_joint,
    joint_twists,
    name_twist,
    placed,
    velocities,
    weights,
)
from symoro.models.joints import Trigonometry
from symoro.models.references import SYMORO_1997
from symoro.program.program import Port, Program
from symoro.robot.coordinates import PostureLike
from symoro.robot.description import JointType, Robot


def _paired(x: VectorLike, y: VectorLike) -> dict[str, Scalar]:
    """Return the coefficients of XX, XY, XZ, YY, YZ, ZZ in the product x' J y with the inertia tensor J."""
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
    """Return the momentum dE/dqd_k of joint k per unit of each inertial parameter of a link, by parameter name.

    Args:
        moving: twist of the link.
        rate: twist of the link at unit velocity of the joint.
    """
    v, a = rate.linear, rate.angular.value
    V, w = moving.linear, moving.angular.value
    return _link(_paired(w, a), add(cross(v, w), cross(V, a)), dot(V, v))


def slopes(moving: RunTwist, rate: RunTwist, shift: RunTwist, g: Vector) -> dict[str, Scalar]:
    """Return the energy gradient -dE/dq_k + dU/dq_k of joint k per unit of each inertial parameter of a link.

    E is the kinetic and U the potential energy. The entries are by parameter name.

    Args:
        moving: twist of the link.
        rate: twist of the link at unit velocity of the joint.
        shift: minus the derivative of the link's twist with respect to the joint position.
        g: gravity in the axes of the link.
    """
    v, a = rate.linear, rate.angular.value
    c, b = shift.linear, shift.angular.value
    V, w = moving.linear, moving.angular.value
    ms = add(add(cross(c, w), cross(V, b)), cross(a, g))
    return _link(_paired(w, b), ms, dot(V, c) - dot(g, v))


def _start(body: LinkState, moving: RunTwist) -> RunTwist:
    """Return minus the derivative of a link's twist with respect to its own joint position, in the link frame.

    Args:
        body: the link.
        moving: its twist.
    """
    (vx, vy, _), (wx, wy, _) = moving.linear, moving.angular.value
    if body.sigma == JointType.PRISMATIC:
        return RunTwist([-wy, wx, 0], Direction([0, 0, 0]))
    return RunTwist([-vy, vx, 0], Direction([-wy, wx, 0]))


def shifts(
    bodies: Bodies, moving: Mapping[int, RunTwist], trig: Trigonometry, ground: Mapping[Coordinate, RunTwist]
) -> Twists:
    """Return minus the derivative of the twist of link j with respect to coordinate c, by (c, j).

    Args:
        moving: twist of each link.
        ground: the same derivatives of the base twist with respect to the coordinates of a free base; empty for a fixed
            base.
    """
    return by_joint(bodies, trig, lambda body: _start(body, moving[body.j]), ground)


@dataclass(frozen=True)
class Split:
    """Matrices D1 and D2 of tau = d(D1 K)/dt + D2 K (parameters K), by (coordinate of the tree, column)."""

    first: RegressorEntries
    second: RegressorEntries


def split(s: System) -> Split:
    """Compute the matrices D1 and D2 of tau = d(D1 K)/dt + D2 K, with the parameters K of a robot.

    If the base is free or wheeled, its rows and the columns of link 0 are included.
    """
    builder, robot, rates = s.builder, s.tree.robot, s.state.rates
    qd = {j: rates[joint(j)] for j in s.tree.joints}
    down, trig = s.tree.gravity, Trigonometry(builder, robot)
    base = NONE
    if s.tree.with_base:
        v: Vector = [rates[c] for c in BASE]
        base = RunTwist(v[:3], Direction(v[3:]))
    bodies = placed(builder, robot, s.provider.positions, trig)
    moving = velocities(bodies, qd, trig, base)
    g = weights(bodies, down, trig)
    rate = joint_twists(bodies, trig, free_base=s.tree.with_base)
    parts = Split({}, {})
    ground = base_shifts(base) if s.tree.with_base else {}
    for (c, j), shift in shifts(bodies, moving, trig, ground).items():
        name_twist(builder, ("JV", "JW"), f"{row_name(c)}_{j}", rate[c, j], f"link {j}: Jacobian columns")
        for kind, value in momenta(moving[j], rate[c, j]).items():
            parts.first[c, Column(kind, j)] = value
        for kind, value in slopes(moving[j], rate[c, j], shift, g[j]).items():
            parts.second[c, Column(kind, j)] = value
    for j, velocity in qd.items():
        parts.first[joint(j), Column("IA", j)] = velocity
    parts.second.update(drive_entries(s, None))
    return parts


def second_rows(s: System, parts: Split, chosen: Sequence[Column]) -> Matrix:
    """Return the matrix D2 of the independent coordinates, G' D2_tree - Gdot' D1_tree.

    G maps the independent velocities to those of the tree, and tau = d(D1 K)/dt + D2 K with the parameters K. The term
    in Gdot follows from G' d(D1 K)/dt = d(G' D1 K)/dt - Gdot' D1 K.

    Args:
        parts: D1 and D2 of the tree.
        chosen: columns of the result, in order.
    """
    second = rows(s, parts.second, chosen)
    if s.provider.is_constant:
        return second
    turning = transpose(s.provider.matrix_rate(s.state.nu))
    first = [[parts.first.get((c, column), 0) for c in s.provider.tree] for column in chosen]
    return [
        [x - dot(row, column) for x, column in zip(line, first, strict=True)]
        for line, row in zip(second, turning, strict=True)
    ]


def momentum_ports(structure: Structure) -> tuple[Port, Port]:
    """Return the output ports of the matrices D1 and D2 of tau = d(D1 K)/dt + D2 K."""
    first = "columns of dE/dqd: tau = d(D1 K)/dt + D2 K; K in the order of the columns"
    return (
        regressor_port("D1", structure, first),
        regressor_port("D2", structure, "columns of -dE/dq + dU/dq, and of friction"),
    )


@tree_model(
    "filtered-identification",
    menu="Identification",
    title="filtered dynamic identification model: the torques without accelerations",
    read=Inputs(),
    outputs=lambda structure: (
        *momentum_ports(structure),
        *(() if structure.wheels else (SPRING_TORQUES,)),
    ),
    requirements=(has_friction_columns,),
    options=(PARAMETERS, FRICTION_OPTION, ROTATION, POSTURE),
    aliases=("fdim", "filtered-regressor"),
    structures={
        FIXED: {
            "applies": with_parameters(FIXED, at_rest=True),
            "applies_to": "serial, tree and closed-loop robots on a base at rest",
            "reference": SYMORO_1997.at("section 6.2, eq. (40) to (46)"),
            "equations": r"\Gamma = \frac{d}{dt}(D_1 K) + D_2 K, \qquad D_1 K = \partial E / \partial \dot q, \qquad "
            r"D_2 K = -\partial E / \partial q + \partial U / \partial q",
        },
        FLOATING: {
            "applies": with_parameters(FLOATING),
            "reference": SYMORO_1997.at("section 6.2, eq. (40) to (46), with link 0"),
            "equations": r"(f_0; \Gamma) = \frac{d}{dt}(D_1 K) + D_2 K",
        },
        WHEELED: {
            "applies": with_parameters(WHEELED),
            "reference": SYMORO_1997.at("section 6.2, eq. (40) to (46), with link 0"),
            "equations": r"\Gamma = \frac{d}{dt}(D_1 K) + D_2 K",
        },
    },
)
def filtered_identification(
    robot: Robot,
    parameters: str = "standard",
    friction: str = "given",
    rotation: str = "matrix",
    posture: PostureLike | None = None,
) -> Program:
    """Return a program that computes the matrices D1 and D2 with tau = d(D1 K)/dt + D2 K.

    K are the parameters. D1 contains the momenta per unit of each parameter, D2 the gradients of the energy and the
    friction. The arguments are the options of the model.
    """
    robot = at_posture(robot, posture)
    layout = Layout(unloaded(robot))
    s = system("filtered_identification", layout, quick(robot), Inputs(), rotation=rotation)
    chosen = columns(robot, parameters, friction)
    parts = split(s)
    d1, d2 = momentum_ports(structure_of(layout))
    s.builder.output(d1, rows(s, parts.first, chosen))
    s.builder.output(d2, second_rows(s, parts, chosen))
    output_spring_torques(s)
    return with_columns(s.builder.program(), chosen, robot, parameters)
