"""Regressor of the inverse dynamic model, tau = W K (1997 paper, eq. 39).

A unit value of one parameter of link j gives a wrench (f; m) on this link alone, in its frame about its origin:

    M    f = VP                       XX   m = (WP1, w1 w3, -w1 w2)      XY   m = (-U31, U32, -D12)
    MX   f = U x,  m = x X VP         YY   m = (-w2 w3, WP2, w1 w2)      XZ   m = (U21, -D31, -U23)
    MY, MZ likewise                   ZZ   m = (w2 w3, -w1 w3, WP3)      YZ   m = (-D23, -U12, U13)

with U, D, VP of the Newton-Euler recursion (eq. 8 to 10), computed once for all columns. The torque of joint k is the
power of the wrench on the twist (v; a) of link j at unit velocity of joint k (virtual work):

    W_k = f.v + m.a;      for the first moments together  U' v + VP x a,  for the mass  VP.v

The alternative, transforming each wrench inward from frame to frame, costs more on every robot tried (RX90 628
operations instead of 605, PUMA560 728 instead of 656, with base columns): it requires two rotations per column and
frame, whereas the twists are transformed once for all columns.

Rotor inertia and friction have the columns qdd, qd, sign(qd) and 1, the stiffness of an elastic joint q - rest. A
motor of an elastic joint has separate rows, [forces on joints; torques of motors] = W K, with the deflection qm + rest
- q of the spring in both rows. External wrenches and the payload are not included. Springs of passive joints in loops
have a known stiffness: their torques are a separate output, tau = W K + springs.

For a floating base [wrench0; tau] = W K, with the columns of link 0; wrench0 is the measured wrench on the base (for
example of the ground on its feet), or zero. For wheels tau = G' W_tree K.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symoro.expr.linalg import Matrix, add, cross, dot, matvec, transpose
from symoro.expr.scalar import Scalar, sign
from symoro.models.coordinates.blocks import Block, Coordinate, Values, joint, motor
from symoro.models.coordinates.layout import Layout
from symoro.models.dynamic.formulation import Formulation, plain, quick
from symoro.models.dynamic.newton_euler import LinkState, NewtonEuler
from symoro.models.dynamic.structures import (
    Structure,
    structure_of,
)
from symoro.models.dynamic.system import Inputs, System, system
from symoro.models.identification.column import (
    Column,
    output_spring_torques,
    unloaded,
)
from symoro.models.identification.twists import RunTwist, joint_twists, name_twist, own_axes
from symoro.models.joints import Trigonometry
from symoro.models.recursion import joint_frames
from symoro.program.program import Port, Program
from symoro.robot.description import FRICTION, Robot
from symoro.robot.topology import elastic_joints

RegressorEntries = dict[tuple[Coordinate, Column], Scalar]  # (coordinate of the tree, column)


def regressor_row(body: LinkState, twist: RunTwist) -> dict[str, Scalar]:
    """Return the torque of one joint per unit of each inertial parameter of a link, by parameter name.

    Args:
        body: velocities and accelerations of the link.
        twist: twist of the link at unit velocity of the joint.
    """
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
    """Return the torque of a joint per unit of rotor inertia (IA), friction (FV, FS) or offset (FO).

    Args:
        kind: name of the parameter.
        qd, qdd: velocity and acceleration of the joint.
    """
    if kind == "FS":
        return sign(qd)
    return {"IA": qdd, "FV": qd, "FO": 1}[kind]


def regressor(s: System, formulation: Formulation) -> RegressorEntries:
    """Return the entries of the regressor W of tau = W K, by (coordinate of the tree, column).

    Entries that no output uses cost no operations.

    Args:
        s: system of equations of motion of the robot.
        formulation: formulation of the outward Newton-Euler recursion.
    """
    builder, robot, dynamics = s.builder, s.tree.robot, s.tree
    rates, accelerations = s.state.rates, s.provider.accelerations(s.known.accelerations, s.state.nu)
    base, down, trig = dynamics.root(rates, accelerations), dynamics.gravity, Trigonometry(builder, robot)
    qd, qdd = ({j: values[joint(j)] for j in dynamics.joints} for values in (rates, accelerations))
    recursion = NewtonEuler(
        builder, formulation, joint_frames(builder, robot, s.provider.positions, trig), trig
    )
    recursion.move(base, down, qd, qdd)
    bodies = {0: recursion.ground, **recursion.bodies}
    entries: RegressorEntries = {}
    for (c, j), twist in joint_twists(recursion.bodies, trig, free_base=dynamics.with_base).items():
        row = row_name(c)
        name_twist(builder, ("JV", "JW"), f"{row}_{j}", twist)
        for kind, value in regressor_row(bodies[j], twist).items():
            entries[c, Column(kind, j)] = builder.named(f"W{row}_{kind}{j}", value)
    return entries | drive_entries(s, accelerations)


def drive_entries(s: System, accelerations: Values | None) -> RegressorEntries:
    """Return the regressor entries of rotor inertias, friction and springs, by (coordinate of the tree, column).

    Args:
        accelerations: accelerations by coordinate; if None, the entries of rotor inertias are omitted.
    """
    entries: RegressorEntries = {}
    kinds = FRICTION if accelerations is None else ("IA", *FRICTION)
    for c in s.provider.tree:
        if c.block is Block.MOTOR or (c.block is Block.JOINT and c.j not in s.layout.motors):
            for kind in kinds:
                qdd = 0 if accelerations is None else accelerations[c]
                entries[c, Column(kind, c.j)] = drive(kind, s.state.rates[c], qdd)
    for j, stretch in stretches(s).items():
        entries[joint(j), Column("k", j)] = stretch
        if j in s.layout.motors:
            entries[motor(j), Column("k", j)] = -stretch
    return entries


def stretches(s: System) -> dict[int, Scalar]:
    """Return the deflection of the spring of each elastic joint, by joint; empty for robots with closed loops.

    The deflection is q - rest, or q - qm - rest if the joint has a motor at position qm.
    """
    robot, elements = s.layout.robot, s.tree.elements
    joints = [] if robot.B else elastic_joints(robot)
    rest = {j: s.provider.positions[j] - s.builder.formula(robot.frame(j).rest) for j in joints}
    return {j: x - elements.qm[j] if j in s.layout.motors else x for j, x in rest.items()}


def row_name(c: Coordinate) -> str:
    """Return the name of a regressor row: the joint number, or 01 to 06 for the coordinates of a free base."""
    return str(c.j) if c.block is Block.JOINT else f"0{c.k}"


def rows(s: System, entries: RegressorEntries, chosen: Sequence[Column]) -> Matrix:
    """Return the regressor of the independent coordinates, G' times the regressor of the tree.

    G maps the velocities of the independent coordinates to those of the tree.

    Args:
        entries: regressor of the tree by (coordinate, column).
        chosen: columns of the result, in order.
    """
    provider = s.provider
    every = [{c: entries.get((c, column), 0) for c in provider.tree} for column in chosen]
    if provider.is_constant:
        return transpose([list(provider.project(efforts).values()) for efforts in every])
    g = transpose(provider.matrix())  # formed once, because there are more columns than coordinates
    return [[dot(row, list(efforts.values())) for efforts in every] for row in g]


def formulations(robot: Robot) -> list[Formulation]:
    """Return candidate formulations of the outward Newton-Euler recursion; the cheapest one is chosen later."""
    links = tuple(replace(choice, doubled=False) for choice in quick(robot).links)
    apart = replace(quick(robot), links=links)
    together = replace(apart, links=tuple(replace(choice, difference=True) for choice in links))
    return [own_axes(f) for f in (together, apart, plain(robot))]


ALL = Inputs(accelerations=True, all_accelerations=True, base_acceleration=True)


def regressor_port(name: str, structure: Structure, title: str) -> Port:
    """Return the output port of a matrix with one row per independent coordinate and one column per parameter.

    Args:
        name: name of the output.
        structure: kind of robot.
        title: description of the output.
    """
    rows = "na" if structure.wheels else "6+n" if structure.base else "n"
    return Port(name, f"{rows},P", title.replace("tau", "[wrench0; tau]" if structure.base else "tau", 1))


def w_port(structure: Structure) -> Port:
    """Return the output port of the regressor W of tau = W K."""
    return regressor_port("W", structure, "regressor: tau = W K; K in the order of the columns")


def regressor_program(
    robot: Robot,
    formulation: Formulation,
    chosen: Sequence[Column],
    rotation: str = "matrix",
    actuators: str | None = None,
    surplus: str = "refuse",
) -> Program:
    """Return a program that computes the regressor W of tau = W K, with the parameter values K.

    Args:
        formulation: formulation of the outward Newton-Euler recursion.
        chosen: columns of W, in order.
        rotation: representation of the rotation of a floating base, 'matrix' or 'quaternion'.
        actuators: 'elastic' if the motors of elastic joints have separate coordinates, otherwise None.
        surplus: 'share' if a wheeled robot may have more active joints than degrees of freedom, otherwise 'refuse'.
    """
    layout = Layout(unloaded(robot), actuators, surplus)
    s = system("dynamic_identification", layout, formulation, ALL, rotation=rotation)
    _ = s.tree.gravity
    entries = regressor(s, formulation)
    s.builder.output(w_port(structure_of(layout)), rows(s, entries, chosen))
    output_spring_torques(s)
    return s.builder.program()
