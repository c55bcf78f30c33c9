"""`energy-identification`: the energy as a linear function of the parameters, E + U = h K (1997 paper, eq. 47 to 54).

    XX w1^2/2   XY w1 w2   XZ w1 w3   YY w2^2/2   YZ w2 w3   ZZ w3^2/2   IA qd^2/2
    (MX, MY, MZ)  V x w - jg          M  V.V/2 - g.0Pj           (eq. 52; with the mass that eq. 50 omits)

Between two instants the work of the drives equals the change of energy plus the loss by friction:

    integral of qd' tau = (h(t2) - h(t1)) K + integral of (FV qd^2 + FS |qd| + FO qd)

No acceleration is needed. U is zero if all mass is at the origin of frame 0. With base parameters h K equals E + U up
to a constant, which cancels in the difference.
"""

from __future__ import annotations

from collections.abc import Mapping

from symoro.expr.linalg import Vector, cross, dot, subtract
from symoro.expr.scalar import Scalar
from symoro.models.coordinates.blocks import BASE, joint
from symoro.models.coordinates.layout import Layout
from symoro.models.dynamic.floating_base import ROTATION
from symoro.models.dynamic.formulation import quick
from symoro.models.dynamic.structures import FIXED, FLOATING, WHEELED, tree_model
from symoro.models.dynamic.system import Inputs, System, system
from symoro.models.identification.column import (
    PARAMETERS,
    POSTURE,
    SPRING_ENERGY,
    Column,
    at_posture,
    output_spring_energy,
    unloaded,
    with_parameters,
    without_coupled_motors,
)
from symoro.models.identification.columns import columns, with_columns
from symoro.models.identification.dynamic_regressor import stretches
from symoro.models.identification.twists import (
    NONE,
    Bodies,
    Direction,
    FreeBase,
    RunTwist,
    name_twist,
    placed,
    velocities,
    weights,
)
from symoro.models.joints import Trigonometry
from symoro.models.recursion import outward
from symoro.models.references import SYMORO_1997
from symoro.program.builder import Builder
from symoro.program.program import Port, Program
from symoro.robot.coordinates import PostureLike
from symoro.robot.description import Robot

H = Port("h", "P", "energy functions: E + U = h K; K in the order of the columns")


def energy_functions(
    builder: Builder,
    robot: Robot,
    q: Mapping[int, Scalar],
    qd: Mapping[int, Scalar],
    down: Vector,
    base: FreeBase | None = None,
) -> dict[Column, Scalar]:
    """Return the energy h per unit of each inertial parameter, by column.

    Args:
        q, qd: positions and velocities by joint.
        down: gravity in frame 0.
        base: motion of a free base, for which the columns of link 0 are included; None for a fixed base.
    """
    trig = Trigonometry(builder, robot)
    bodies = placed(builder, robot, q, trig)
    ground = base or FreeBase(NONE)
    moving = velocities(bodies, qd, trig, ground.twist)
    g = weights(bodies, down, trig)
    heights = _heights(bodies, g, ground.height)
    half = builder.number(1) / 2
    functions: dict[Column, Scalar] = {}
    for j in (0, *bodies) if base else bodies:
        name_twist(builder, ("V", "W"), str(j) if j < 10 else f"_{j}", moving[j], f"link {j}: velocities")
        for kind, value in _of_link(moving[j], g[j], heights[j], half).items():
            functions[Column(kind, j)] = value
    functions |= {Column("IA", j): half * (rate * rate) for j, rate in qd.items()}
    return functions


def _of_link(moving: RunTwist, g: Vector, height: Scalar, half: Scalar) -> dict[str, Scalar]:
    v, w = moving.linear, moving.angular.value
    x, y, z = subtract(cross(v, w), g)
    return {
        "XX": half * (w[0] * w[0]),
        "XY": w[0] * w[1],
        "XZ": w[0] * w[2],
        "YY": half * (w[1] * w[1]),
        "YZ": w[1] * w[2],
        "ZZ": half * (w[2] * w[2]),
        "MX": x,
        "MY": y,
        "MZ": z,
        "M": half * dot(v, v) + height,
    }


def _heights(bodies: Bodies, g: Mapping[int, Vector], height: Scalar) -> dict[int, Scalar]:
    """Return, by link number, the potential -g.0Pj of a unit mass at the origin of each link frame.

    Args:
        g: gravity in the axes of each link.
        height: potential of a unit mass at the origin of the base.
    """
    return outward(bodies, height, lambda body, before: before - dot(g[body.i], body.position))


def energy_columns(s: System) -> dict[Column, Scalar]:
    """Return the energy h per unit of each parameter, including the stiffness of springs, by column."""
    robot, rates = s.layout.robot, s.state.rates
    qd = {j: rates[joint(j)] for j in s.tree.joints}
    base = None
    down = s.tree.gravity
    if s.tree.with_base:
        v: Vector = [rates[c] for c in BASE]
        height = -dot([s.builder.formula(g) for g in robot.base.G], s.position) if s.position else 0
        base = FreeBase(RunTwist(v[:3], Direction(v[3:])), height)
    functions = energy_functions(s.builder, s.tree.robot, s.provider.positions, qd, down, base)
    half = s.builder.number(1) / 2
    functions |= {Column("k", j): half * (stretch * stretch) for j, stretch in stretches(s).items()}
    return functions


READ = Inputs(position=True)


@tree_model(
    "energy-identification",
    menu="Identification",
    title="energy identification model: the energy as a linear function of the parameters",
    read=READ,
    outputs=lambda structure: (H, *(() if structure.wheels else (SPRING_ENERGY,))),
    requirements=(without_coupled_motors,),
    options=(PARAMETERS, ROTATION, POSTURE),
    aliases=("eim", "energy-regressor"),
    structures={
        FIXED: {
            "applies": with_parameters(FIXED, at_rest=True),
            "applies_to": "serial, tree and closed-loop robots on a base at rest",
            "reference": SYMORO_1997.at("section 6.3, eq. (47) to (54)"),
            "equations": r"\int_{t_1}^{t_2} \dot q^T \Gamma\,dt = (h(t_2) - h(t_1))\,K, \qquad E + U = h(q, \dot q)\,K",
        },
        FLOATING: {
            "applies": with_parameters(FLOATING),
            "reference": SYMORO_1997.at("section 6.3, eq. (47) to (54), with link 0"),
            "equations": r"\int_{t_1}^{t_2} ({}^0V_0^T f_0 + \dot q^T \Gamma)\,dt = (h(t_2) - h(t_1))\,K",
        },
        WHEELED: {
            "applies": with_parameters(WHEELED),
            "reference": SYMORO_1997.at("section 6.3, eq. (47) to (54), with link 0"),
            "equations": r"\int_{t_1}^{t_2} \dot q_a^T \Gamma\,dt = (h(t_2) - h(t_1))\,K",
        },
    },
)
def energy_identification(
    robot: Robot,
    parameters: str = "standard",
    rotation: str = "matrix",
    posture: PostureLike | None = None,
) -> Program:
    """Return a program that computes the row h with E + U = h K: the energy per unit of each parameter in K.

    The arguments are the options of the model.
    """
    robot = at_posture(robot, posture)
    layout = Layout(unloaded(robot))
    s = system("energy_identification", layout, quick(robot), READ, rotation=rotation)
    chosen = columns(robot, parameters, "none")
    h = energy_columns(s)
    s.builder.output(H, [h[column] for column in chosen])
    output_spring_energy(s)
    return with_columns(s.builder.program(), chosen, robot, parameters)
