"""The identification models of a floating base: link 0 has columns, and the base has rows.

    dynamic     [wrench0; tau] = W K
    filtered    [wrench0; tau] = d(D1 K)/dt + D2 K
    energy      E + U = h K,      integral of (V0' wrench0 + qd' tau) = change of h K, and what friction takes
    power       V0' wrench0 + qd' tau = d(h K)/dt + p K

wrench0 is what moves the base, in frame 0: measured under its feet, or zero. The equations are those of a fixed base
(files beside this one): the six coordinates of the base, its velocity along and about its own axes, count as joints
before all others. They are no coordinates that could be differentiated, yet the rows of D2 are those of joints that
slide along and turn about these axes: w x p for the momentum p, and w x L + v x p for the angular one about the origin
of frame 0, less the weight.

Where loops close, the coordinates are the active joints; springs of passive joints are no part of K: their torques, or
their energy, are an output besides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symoro.expr.linalg import Vector, dot
from symoro.expr.scalar import Scalar
from symoro.models.catalogue import form
from symoro.models.coordinates.couplings import Coordinates
from symoro.models.coordinates.joint_motion import JointMotion, joint_motion
from symoro.models.dynamic.floating.base import (
    APPLIES_TO,
    EXAMPLE,
    OF,
    ROTATION,
    base_gravity,
    base_position,
    has_floating_base,
    rigid_floating_tree,
)
from symoro.models.dynamic.formulation import Formulation
from symoro.models.identification.columns import (
    FRICTION_OPTION,
    NO_PARAMETERS,
    PARAMETERS,
    POSTURE,
    Column,
    at_posture,
    columns,
    inertial_columns,
    output_spring_energy,
    output_spring_torques,
    with_columns,
)
from symoro.models.identification.dynamic import RegressorEntries, formulations, regressor, rows
from symoro.models.identification.energy import H, energy_functions
from symoro.models.identification.momentum import second_rows, split
from symoro.models.identification.power import ACCELERATION, DH, LOSS, is_inertial, lost
from symoro.models.identification.twists import Direction, FreeBase, RunTwist
from symoro.models.ports import P0, Q0, QD, QDD, R0, V0, VD0, Q
from symoro.models.recursion import FREE_BASE, BaseMotion, base_motion
from symoro.models.references import SYMORO_1997
from symoro.program.builder import Builder
from symoro.program.count import count
from symoro.program.program import Port, Program
from symoro.robot.coordinates import PostureLike
from symoro.robot.description import Robot

W = Port("W", "6+n,P", "regressor: [wrench0; tau] = W K; K in the order of the columns")
D1 = Port("D1", "6+n,P", "columns of the momenta: [wrench0; tau] = d(D1 K)/dt + D2 K")
D2 = Port("D2", "6+n,P", "columns of what momenta and weight take besides, and of friction")


def floating_with_parameters(robot: Robot) -> str | None:
    """Why a regressor does not apply to a robot on a floating base, if so."""
    reason = rigid_floating_tree(robot)
    return reason or (None if inertial_columns(robot) else NO_PARAMETERS)


def _all_rows(joints: Coordinates, entries: RegressorEntries, chosen: Sequence[Column]) -> list[list[Scalar]]:
    """The rows of the base, then those of the coordinates."""
    return _of_base(entries, chosen) + rows(joints, entries, chosen)


def _of_base(entries: RegressorEntries, chosen: Sequence[Column]) -> list[list[Scalar]]:
    return [[entries.get((k, column), 0) for column in chosen] for k in FREE_BASE]


def _ground(base: BaseMotion, height: Scalar = 0) -> FreeBase:
    return FreeBase(RunTwist(base.v, Direction(base.w)), height)


@form(
    "dynamic-identification",
    of=OF,
    takes=has_floating_base,
    inputs=(Q, QD, QDD, V0, VD0, R0, Q0),
    outputs=(W,),
    options=(PARAMETERS, FRICTION_OPTION, ROTATION, POSTURE),
    reference=SYMORO_1997.at("section 6.1, eq. (39), with link 0"),
    applies=floating_with_parameters,
    applies_to=APPLIES_TO,
    equations=r"(f_0; \Gamma) = W(q, \dot q, \ddot q, {}^0V_0, {}^0\dot V_0, R_0)\,K",
    example=EXAMPLE,
)
def floating_dynamic_identification(
    robot: Robot,
    parameters: str = "standard",
    friction: str = "given",
    rotation: str = "matrix",
    posture: PostureLike | None = None,
) -> Program:
    """The regressor of the wrench on the base and the torques."""
    robot = at_posture(robot, posture)
    chosen = columns(robot, parameters, friction)

    def build(formulation: Formulation) -> Program:
        builder = Builder(f"{robot.name}_dynamic_identification")
        joints = joint_motion(builder, robot, "qd", "qdd")
        base, down = base_motion(builder, robot), base_gravity(builder, robot, rotation)
        entries = regressor(builder, robot, formulation, joints, base, down, free_base=True)
        builder.output(W, _all_rows(joints.joints, entries, chosen))
        output_spring_torques(builder, robot, joints)
        return with_columns(builder.program(), chosen, robot, parameters)

    return min((build(f) for f in formulations(robot)), key=lambda program: count(program).total)


@form(
    "filtered-identification",
    of=OF,
    takes=has_floating_base,
    inputs=(Q, QD, V0, R0, Q0),
    outputs=(D1, D2),
    options=(PARAMETERS, FRICTION_OPTION, ROTATION, POSTURE),
    reference=SYMORO_1997.at("section 6.2, eq. (40) to (46), with link 0"),
    applies=floating_with_parameters,
    applies_to=APPLIES_TO,
    equations=r"(f_0; \Gamma) = \frac{d}{dt}(D_1 K) + D_2 K",
    example=EXAMPLE,
)
def floating_filtered_identification(
    robot: Robot,
    parameters: str = "standard",
    friction: str = "given",
    rotation: str = "matrix",
    posture: PostureLike | None = None,
) -> Program:
    """The momenta, and what is to be added to their rates."""
    robot = at_posture(robot, posture)
    builder = Builder(f"{robot.name}_filtered_identification")
    joints = joint_motion(builder, robot, "qd")
    base = base_motion(builder, robot, acceleration=False)
    down = base_gravity(builder, robot, rotation)
    chosen = columns(robot, parameters, friction)
    found = split(builder, robot, joints.q, joints.qd, down, _ground(base))
    builder.output(D1, _all_rows(joints.joints, found.first, chosen))
    of_base = _of_base(found.second, chosen)
    builder.output(D2, of_base + second_rows(joints, found, chosen))
    output_spring_torques(builder, robot, joints)
    return with_columns(builder.program(), chosen, robot, parameters)


def _energies(
    builder: Builder, robot: Robot, joints: JointMotion, base: BaseMotion, rotation: str
) -> tuple[dict[Column, Scalar], Vector]:
    """h for every parameter that there can be, and gravity in frame 0."""
    place, down = base_position(builder), base_gravity(builder, robot, rotation)
    height = -dot([builder.formula(g) for g in robot.base.G], place)
    return energy_functions(builder, robot, joints.q, joints.qd, down, _ground(base, height)), down


@form(
    "energy-identification",
    of=OF,
    takes=has_floating_base,
    inputs=(Q, QD, V0, P0, R0, Q0),
    outputs=(H,),
    options=(PARAMETERS, ROTATION, POSTURE),
    reference=SYMORO_1997.at("section 6.3, eq. (47) to (54), with link 0"),
    applies=floating_with_parameters,
    applies_to=APPLIES_TO,
    equations=r"\int_{t_1}^{t_2} ({}^0V_0^T f_0 + \dot q^T \Gamma)\,dt = (h(t_2) - h(t_1))\,K",
    example=EXAMPLE,
)
def floating_energy_identification(
    robot: Robot,
    parameters: str = "standard",
    rotation: str = "matrix",
    posture: PostureLike | None = None,
) -> Program:
    """The energy functions."""
    robot = at_posture(robot, posture)
    builder = Builder(f"{robot.name}_energy_identification")
    joints = joint_motion(builder, robot, "qd")
    base = base_motion(builder, robot, acceleration=False)
    h, _ = _energies(builder, robot, joints, base, rotation)
    chosen = columns(robot, parameters, "none")
    builder.output(H, [h[column] for column in chosen])
    output_spring_energy(builder, robot, joints)
    return with_columns(builder.program(), chosen, robot, parameters)


@form(
    "power-identification",
    of=OF,
    takes=has_floating_base,
    inputs=(Q, QD, QDD, V0, VD0, P0, R0, Q0),
    outputs=(H, LOSS, DH),
    options=(PARAMETERS, FRICTION_OPTION, ACCELERATION, ROTATION, POSTURE),
    reference=SYMORO_1997.at("section 6.3, eq. (47) to (54), differentiated, with link 0"),
    applies=floating_with_parameters,
    applies_to=APPLIES_TO,
    equations=r"{}^0V_0^T f_0 + \dot q^T \Gamma = \frac{d}{dt}(h K) + p K",
    example=EXAMPLE,
)
def floating_power_identification(
    robot: Robot,
    parameters: str = "standard",
    friction: str = "given",
    acceleration: bool = False,
    rotation: str = "matrix",
    posture: PostureLike | None = None,
) -> Program:
    """The energy functions and the power of friction."""
    robot = at_posture(robot, posture)
    builder = Builder(f"{robot.name}_power_identification")
    joints = joint_motion(builder, robot, "qd", *(["qdd"] if acceleration else []))
    base = base_motion(builder, robot, acceleration=acceleration)
    h, down = _energies(builder, robot, joints, base, rotation)
    chosen = columns(robot, parameters, friction)
    builder.output(H, [h[c] if is_inertial(c) else 0 for c in chosen])
    builder.output(LOSS, [0 if is_inertial(c) else lost(c, joints.qd) for c in chosen])
    if acceleration:
        entries = regressor(builder, robot, formulations(robot)[0], joints, base, down, free_base=True)
        rates = {**dict(zip(FREE_BASE, (*base.v, *base.w), strict=True)), **joints.qd}
        builder.output(DH, [_power(entries, rates, c) if is_inertial(c) else 0 for c in chosen])
    output_spring_energy(builder, robot, joints)
    return with_columns(builder.program(), chosen, robot, parameters)


def _power(entries: RegressorEntries, rates: Mapping[int, Scalar], column: Column) -> Scalar:
    """[V0; qd]' W of one column."""
    return dot(list(rates.values()), [entries.get((k, column), 0) for k in rates])
