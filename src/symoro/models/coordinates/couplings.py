"""The joints' motion as models take it: the inputs q, qd, qdd and tau, and the motion of the tree that follows.

    q_tree = f(q),   qd_tree = G qd,   qdd_tree = G qdd + Gdot qd,   tau = G' tau_tree

`Coordinates` is the one place that knows G. `CoupledCoordinates` are a constant one (couplings), without bias Gdot qd. A robot with
closed loops (`kinematic.loop.coordinates`) takes the positions of all its joints, a posture in which the loops are
closed, and has the active joints for coordinates: its inputs are q, qda and qdda, and tau of the active joints.

A robot may fix the velocity (QP), the acceleration (QDP) or the torque (GAM) of a joint. One rule for every model:

    the fixed value stands in the place of the entry of qd, qdd or tau, which then has no effect,
    and derivatives with respect to that entry are zero.

The torque of an elastic joint of a tree is fixed likewise, at zero: its spring is among what the joint has to bear.

So a model of such a robot is the model of the same robot with all motion free, at the fixed values. A model that gives
qd, qdd or tau gives what its equations say, and one that is defined at rest or at qdd = 0 stays so.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

from symoro.expr.formula import Formula
from symoro.expr.linalg import Matrix, Vector, add, scale, zeros
from symoro.expr.scalar import Expr, Scalar
from symoro.models.ports import QC, QD, QDA, QDD, QDDA, TAU, TAU_ACTIVE, Q
from symoro.program.builder import Builder
from symoro.robot.coordinates import Into, drivers, followers, following, independent, positions
from symoro.robot.description import Robot
from symoro.robot.topology import cut_joints

PORTS = {"qd": QD, "qdd": QDD, "tau": TAU}
OF_LOOPS = {"qd": QDA, "qdd": QDDA, "tau": TAU_ACTIVE}
FIXED_BY = {"qd": "QP", "qdd": "QDP", "tau": "GAM"}

JointEntries = Mapping[int, Scalar]  # by joint


class Coordinates(ABC):
    """The joints of a tree, and the coordinates that move them.

    Attributes:
        own: the joints with a coordinate of their own: the entries of qd, qdd and tau (qda, qdda where loops close).
        positions: every moving joint of the tree (offsets of the joint variable not included).
        joints: the moving joints of the tree, in frame order.
    """

    def __init__(self, own: tuple[int, ...], positions: JointEntries, joints: tuple[int, ...]) -> None:
        self.own, self.positions, self.joints = own, positions, joints

    @property
    @abstractmethod
    def free(self) -> bool:
        """Whether every joint of the tree has a coordinate of its own: G = 1."""

    @property
    @abstractmethod
    def constant(self) -> bool:
        """Whether G is the same in every posture."""

    @abstractmethod
    def rates(self, qd: JointEntries) -> dict[int, Scalar]:
        """G qd: the velocity of every joint of the tree."""

    @abstractmethod
    def bias(self, qd: JointEntries) -> dict[int, Scalar]:
        """Gdot qd: the acceleration of every joint of the tree at qdd = 0."""

    @abstractmethod
    def accelerations(self, qdd: JointEntries, qd: JointEntries) -> dict[int, Scalar]:
        """G qdd + Gdot qd: the acceleration of every joint of the tree."""

    @abstractmethod
    def project(self, efforts: JointEntries) -> list[Scalar]:
        """G' tau: efforts of the tree's joints as efforts on the coordinates."""

    @abstractmethod
    def columns(self, of_joints: Mapping[int, Vector], size: int) -> list[Vector]:
        """J G: columns by coordinate from those of the tree's joints; a joint left out has none."""

    @abstractmethod
    def matrix(self) -> Matrix:
        """G: one row a moving joint of the tree, one column a coordinate."""

    @abstractmethod
    def matrix_rate(self, qd: JointEntries) -> Matrix:
        """Gdot, of the shape of G."""

    @abstractmethod
    def tangents(self) -> dict[int, dict[int, Scalar]]:
        """For each coordinate the rates of the entries of the input q: the way on which a posture moves with it."""


class CoupledCoordinates(Coordinates):
    """Joints that follow others by constant ratios.

    Attributes:
        rows: the joints, each with its row of G as (coordinate, entry), zeros left out.
    """

    def __init__(
        self,
        own: tuple[int, ...],
        positions: JointEntries,
        rows: Mapping[int, tuple[tuple[int, Scalar], ...]],
    ) -> None:
        super().__init__(own, positions, tuple(rows))
        self.rows = rows

    @property
    def free(self) -> bool:
        return len(self.own) == len(self.rows)

    @property
    def constant(self) -> bool:
        return True

    def rates(self, qd: JointEntries) -> dict[int, Scalar]:
        velocities: dict[int, Scalar] = {}
        for j, row in self.rows.items():
            velocities[j] = 0
            for i, entry in row:
                velocities[j] = entry * qd[i] + velocities[j]
        return velocities

    def bias(self, qd: JointEntries) -> dict[int, Scalar]:
        return dict.fromkeys(self.rows, 0)

    def accelerations(self, qdd: JointEntries, qd: JointEntries) -> dict[int, Scalar]:
        bias = self.bias(qd)
        return {j: x + bias[j] for j, x in self.rates(qdd).items()}

    def project(self, efforts: JointEntries) -> list[Scalar]:
        projected = {j: efforts[j] for j in self.own}
        for j, row in self.rows.items():
            if j not in projected:
                for i, entry in row:
                    projected[i] = projected[i] + entry * efforts[j]
        return list(projected.values())

    def columns(self, of_joints: Mapping[int, Vector], size: int) -> list[Vector]:
        columns: dict[int, Vector] = {j: [0] * size for j in self.own}
        for j, column in of_joints.items():
            for i, entry in self.rows[j]:
                columns[i] = add(columns[i], column if entry == 1 else scale(entry, column))
        return list(columns.values())

    def matrix(self) -> Matrix:
        return [[dict(row).get(i, 0) for i in self.own] for row in self.rows.values()]

    def matrix_rate(self, qd: JointEntries) -> Matrix:
        return zeros(len(self.rows), len(self.own))

    def tangents(self) -> dict[int, dict[int, Scalar]]:
        return {i: {i: 1} for i in self.own}


def coordinates_at(robot: Robot, q: JointEntries, into: Into) -> CoupledCoordinates:
    """The coordinates at given values; `into` makes numbers or expressions of formulas."""
    at = positions(robot, q, into)
    return CoupledCoordinates(tuple(independent(robot)), at, {j: tuple(drivers(robot, j, into)) for j in at})


def posture(builder: Builder, robot: Robot) -> CoupledCoordinates:
    """Declare the input q: every joint that has a coordinate while the loops are open."""
    own = independent(robot)
    q = builder.input(Q, (len(own),), [f"q{j}" for j in own])
    return coordinates_at(robot, dict(zip(own, q, strict=True)), builder.formula)


def coordinate_joints(robot: Robot) -> list[int]:
    """The joints with a coordinate of their own: the active ones of a robot with loops."""
    own = independent(robot)
    return [j for j in own if robot.frame(j).mu] if robot.B else own


def joint_positions(builder: Builder, robot: Robot, *, cut: bool = False) -> dict[int, Scalar]:
    """Declare the input q (and qc for opened joints, when asked) and give every joint's position."""
    joint_values = dict(posture(builder, robot).positions)
    if cut:
        cut_numbers = cut_joints(robot)
        qc = builder.input(QC, (len(cut_numbers),), [f"q{j}" for j in cut_numbers])
        joint_values.update(zip(cut_numbers, qc, strict=True))
    return joint_values


def fixed_value(builder: Builder, robot: Robot, name: str, j: int) -> Expr | None:
    """What the robot fixes of the velocity, acceleration or torque of a joint."""
    fixed: Formula | None = getattr(robot.frame(j), FIXED_BY[name])
    return None if fixed is None else builder.formula(fixed)


# -- robots with loops, where joints follow others that are yet to be found


def coupled_positions(robot: Robot, known: JointEntries, into: Into) -> dict[int, Scalar]:
    """The positions of the joints of the tree that known ones drive."""
    followed: dict[int, Scalar] = {}
    for j, law in followers(robot).items():
        if j <= robot.NL and all(i in known for i, _ in law.terms):
            total = into(law.offset)
            for i, ratio in law.terms:
                total = total + into(ratio) * known[i]
            followed[j] = total
    return followed


def uncoupled(robot: Robot) -> Robot:
    """The robot with every joint on its own."""
    return following(robot, {})
