"""The joints' motion as models take it: the inputs q, qd, qdd and tau, and the motion of the tree that follows.

    q_tree = f(q),   qd_tree = G qd,   qdd_tree = G qdd + Gdot qd,   tau = G' tau_tree

`Coordinates` is the one place that knows G. Couplings give a constant G and so no bias Gdot qd; a G that depends on q,
or that comes from rolling without slipping, changes this file and no model.

A robot may fix the velocity (QP), the acceleration (QDP) or the torque (GAM) of a joint. One rule for every model:

    the fixed value stands in the place of the entry of qd, qdd or tau, which then has no effect,
    and derivatives with respect to that entry are zero.

The torque of an elastic joint of a tree is fixed likewise, at zero: its spring is among what the joint has to bear.

So a model of such a robot is the model of the same robot with all motion free, at the fixed values. A model that gives
qd, qdd or tau gives what its equations say, and one that is defined at rest or at qdd = 0 stays so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symoro.expr.linalg import Matrix, Vector, add, scale
from symoro.expr.scalar import Scalar
from symoro.models.ports import QC, QD, QDD, TAU, Q
from symoro.program.builder import Builder
from symoro.robot.coordinates import Into, drivers, followers, following, independent, positions
from symoro.robot.description import Robot
from symoro.robot.topology import cut_joints

PORTS = {port.name: port for port in (QD, QDD, TAU)}
FIXED_BY = {"qd": "QP", "qdd": "QDP", "tau": "GAM"}

JointEntries = Mapping[int, Scalar]  # by joint


@dataclass(frozen=True)
class Coordinates:
    """The joints of a tree at the coordinates q.

    Attributes:
        own: the joints with a coordinate of their own: the entries of q, qd, qdd and tau.
        positions: every moving joint of the tree (offsets of the joint variable not included).
        rows: the same joints, each with its row of G as (coordinate, entry), zeros left out.
    """

    own: tuple[int, ...]
    positions: JointEntries
    rows: Mapping[int, tuple[tuple[int, Scalar], ...]]

    @property
    def free(self) -> bool:
        """Whether every joint of the tree has a coordinate of its own: G = 1."""
        return len(self.own) == len(self.rows)

    def rates(self, qd: JointEntries) -> dict[int, Scalar]:
        """G qd: the velocity of every joint of the tree."""
        found: dict[int, Scalar] = {}
        for j, row in self.rows.items():
            found[j] = 0
            for i, entry in row:
                found[j] = entry * qd[i] + found[j]
        return found

    def bias(self, qd: JointEntries) -> dict[int, Scalar]:
        """Gdot qd: the acceleration of every joint of the tree at qdd = 0. None, as long as G is constant."""
        return dict.fromkeys(self.rows, 0)

    def accelerations(self, qdd: JointEntries, qd: JointEntries) -> dict[int, Scalar]:
        """G qdd + Gdot qd: the acceleration of every joint of the tree."""
        bias = self.bias(qd)
        return {j: x + bias[j] for j, x in self.rates(qdd).items()}

    def project(self, efforts: JointEntries) -> list[Scalar]:
        """G' tau: efforts of the tree's joints as efforts on the coordinates."""
        found = {j: efforts[j] for j in self.own}
        for j, row in self.rows.items():
            if j not in found:
                for i, entry in row:
                    found[i] = found[i] + entry * efforts[j]
        return list(found.values())

    def columns(self, found: Mapping[int, Vector], size: int) -> list[Vector]:
        """J G: columns by coordinate from those of the tree's joints; a joint left out has none."""
        columns: dict[int, Vector] = {j: [0] * size for j in self.own}
        for j, column in found.items():
            for i, entry in self.rows[j]:
                columns[i] = add(columns[i], column if entry == 1 else scale(entry, column))
        return list(columns.values())

    def matrix(self) -> Matrix:
        """G: one row a moving joint of the tree, one column a coordinate."""
        return [[dict(row).get(i, 0) for i in self.own] for row in self.rows.values()]


def coordinates_at(robot: Robot, q: JointEntries, into: Into) -> Coordinates:
    """The coordinates at given values; `into` makes numbers or expressions of formulas."""
    at = positions(robot, q, into)
    return Coordinates(tuple(independent(robot)), at, {j: tuple(drivers(robot, j, into)) for j in at})


def coordinates(builder: Builder, robot: Robot) -> Coordinates:
    """Declare the input q, and take it for the coordinates."""
    own = independent(robot)
    q = builder.input(Q, (len(own),), [f"q{j}" for j in own])
    return coordinates_at(robot, dict(zip(own, q, strict=True)), builder.formula)


def joint_positions(builder: Builder, robot: Robot, *, cut: bool = False) -> dict[int, Scalar]:
    """Declare the input q (and qc for opened joints, when asked) and give every joint's position."""
    found = dict(coordinates(builder, robot).positions)
    if cut:
        opened = cut_joints(robot)
        qc = builder.input(QC, (len(opened),), [f"q{j}" for j in opened])
        found.update(zip(opened, qc, strict=True))
    return found


@dataclass(frozen=True)
class JointMotion:
    """The motion of every joint of the tree, and the coordinates' own velocities."""

    joints: Coordinates
    own: JointEntries
    qd: JointEntries
    qdd: JointEntries

    @property
    def q(self) -> JointEntries:
        return self.joints.positions

    def accelerated(self, qdd: JointEntries) -> dict[int, Scalar]:
        """The tree's accelerations at other ones of the coordinates."""
        return self.joints.accelerations(qdd, self.own)


def joint_motion(builder: Builder, robot: Robot, *given: str) -> JointMotion:
    """Declare q, and of qd and qdd what is given; the coordinates do not move, or not accelerate, otherwise."""
    joints = coordinates(builder, robot)
    none: JointEntries = dict.fromkeys(joints.own, 0)
    qd = own_entries(builder, robot, "qd") if "qd" in given else none
    qdd = own_entries(builder, robot, "qdd") if "qdd" in given else none
    return JointMotion(joints, qd, joints.rates(qd), joints.accelerations(qdd, qd))


def own_entries(builder: Builder, robot: Robot, name: str) -> dict[int, Scalar]:
    """Declare the input qd, qdd or tau; its entries by joint, fixed values in their place."""
    own = independent(robot)
    given = builder.input(PORTS[name], (len(own),), [f"{name}{j}" for j in own])
    values: dict[int, Scalar] = dict(zip(own, given, strict=True))
    for j in own:
        fixed = getattr(robot.frame(j), FIXED_BY[name])
        if fixed is not None:
            values[j] = builder.formula(fixed)
        if name == "tau" and elastic(robot, j):
            values[j] = 0
    return values


def elastic(robot: Robot, j: int) -> bool:
    """Whether nothing but its spring drives a joint of a tree; the spring is with what the joint has to bear."""
    return robot.frame(j).eta and not robot.B


def without_fixed(robot: Robot, name: str, matrix: Matrix) -> Matrix:
    """Derivatives with respect to qd, qdd or tau, a column an entry: those of fixed entries are zero."""
    free = [
        getattr(robot.frame(j), FIXED_BY[name]) is None and not (name == "tau" and elastic(robot, j))
        for j in independent(robot)
    ]
    return [[x if kept else 0 for x, kept in zip(row, free, strict=True)] for row in matrix]


# -- robots with loops, where joints follow others that are yet to be found


def coupled_positions(robot: Robot, known: JointEntries, into: Into) -> dict[int, Scalar]:
    """The positions of the joints of the tree that known ones drive."""
    found: dict[int, Scalar] = {}
    for j, law in followers(robot).items():
        if j <= robot.NL and all(i in known for i, _ in law.terms):
            total = into(law.offset)
            for i, ratio in law.terms:
                total = total + into(ratio) * known[i]
            found[j] = total
    return found


def uncoupled(robot: Robot) -> Robot:
    """The robot with every joint on its own."""
    return following(robot, {})
