"""`power-identification`: the power of the drives as a linear function of the parameters.

    qd' tau = d(h K)/dt + p K

h are the energy functions (1997 paper, eq. 52), p what friction takes: FV qd^2, FS |qd|, FO qd; h is zero in the
columns of friction and p in all others. Both depend on q and qd alone. In use both sides pass the same low-pass
filter F, and F' = s F takes the derivative (eq. 45, 46):

    F[qd' tau] = (F'[h] + F[p]) K

Where accelerations are known (simulation, tests) the option `acceleration` gives dh = dh/dt = qd' W too, exactly:

    qd' tau = (dh + p) K
"""

from __future__ import annotations

from collections.abc import Mapping

from symoro.expr.scalar import Scalar, absolute
from symoro.models.catalogue import Option, model
from symoro.models.coordinates.joint_motion import JointMotion, joint_motion
from symoro.models.dynamic.setting import gravity
from symoro.models.identification.columns import (
    AT_REST,
    FRICTION_OPTION,
    PARAMETERS,
    POSTURE,
    SPRING_ENERGY,
    Column,
    at_posture,
    at_rest_with_parameters,
    columns,
    output_spring_energy,
    with_columns,
)
from symoro.models.identification.dynamic import formulations, regressor
from symoro.models.identification.energy import energy_functions
from symoro.models.ports import QD, Q
from symoro.models.recursion import base_motion
from symoro.models.references import SYMORO_1997
from symoro.program.builder import Builder
from symoro.program.program import Port, Program
from symoro.robot.coordinates import PostureLike
from symoro.robot.description import INERTIAL, Robot

H = Port("h", "P", "energy functions, zero for friction")
LOSS = Port("p", "P", "power that friction takes, zero for inertia: qd' tau = d(h K)/dt + p K")
ACCELERATION = Option("acceleration", "give dh/dt too, from qdd", "flag", False)
DH = Port("dh", "P", "dh/dt, on request; qdd is an input then")


def is_inertial(column: Column) -> bool:
    """Whether a column is of a mass, and not of friction."""
    return column.kind in (*INERTIAL, "IA")


def lost(column: Column, qd: Mapping[int, Scalar]) -> Scalar:
    """The power of a unit of friction or offset."""
    rate = qd[column.j]
    if column.kind == "FS":
        return absolute(rate)
    return rate * rate if column.kind == "FV" else rate


def energy_rates(builder: Builder, robot: Robot, joints: JointMotion) -> dict[Column, Scalar]:
    """dh/dt = qd' W."""
    found: dict[Column, Scalar] = {}
    base, down = base_motion(builder, robot), gravity(builder, robot)
    for (k, column), entry in regressor(builder, robot, formulations(robot)[0], joints, base, down).items():
        found[column] = found.get(column, 0) + joints.qd[k] * entry
    return found


@model(
    "power-identification",
    menu="Identification",
    title="power identification model: the power of the drives as a linear function of the parameters",
    inputs=(Q, QD, Port("qdd", "n", "joint accelerations, when dh is asked for")),
    outputs=(H, LOSS, DH, SPRING_ENERGY),
    options=(PARAMETERS, FRICTION_OPTION, ACCELERATION, POSTURE),
    reference=SYMORO_1997.at(
        "section 6.3, eq. (47) to (54), differentiated; filters of section 6.2, eq. (45), (46)"
    ),
    aliases=("pim",),
    applies=at_rest_with_parameters,
    applies_to=AT_REST,
    equations=r"\dot q^T \Gamma = \frac{d}{dt}(h K) + p K",
)
def power_identification(
    robot: Robot,
    parameters: str = "standard",
    friction: str = "given",
    acceleration: bool = False,
    posture: PostureLike | None = None,
) -> Program:
    """The energy functions and the power of friction."""
    robot = at_posture(robot, posture)
    builder = Builder(f"{robot.name}_power_identification")
    joints = joint_motion(builder, robot, "qd", *(["qdd"] if acceleration else []))
    chosen = columns(robot, parameters, friction)
    h = energy_functions(builder, robot, joints.q, joints.qd, gravity(builder, robot))
    builder.output(H, [h[c] if is_inertial(c) else 0 for c in chosen])
    builder.output(LOSS, [0 if is_inertial(c) else lost(c, joints.qd) for c in chosen])
    if acceleration:
        rates = energy_rates(builder, robot, joints)
        builder.output(DH, [rates.get(c, 0) if is_inertial(c) else 0 for c in chosen])
    output_spring_energy(builder, robot, joints)
    return with_columns(builder.program(), chosen, robot, parameters)
