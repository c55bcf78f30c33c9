"""Motion of all joints of the tree as a function of the independent joint coordinates q, qd, qdd, tau.

    q_tree = f(q),   qd_tree = G qd,   qdd_tree = G qdd + Gdot qd,   tau = G' tau_tree

Subclasses of `Coordinates` define G. In `CoupledCoordinates` (joints coupled by constant ratios) G is constant and the
bias Gdot qd is zero. For a robot with closed loops (`kinematic.loop.coordinates`), q contains the positions of all
joints, in a configuration in which the loops are closed, and the coordinates are the active joints: the inputs are q,
qda and qdda, and tau refers to the active joints.

A robot description may prescribe the velocity (QP), the acceleration (QDP) or the torque (GAM) of a joint. All models
treat prescribed values in the same manner:

    the prescribed value replaces the entry of qd, qdd or tau; the entry has no effect, and
    derivatives with respect to it are zero.

The torque of an elastic joint of a tree is prescribed as zero in the same manner, because its spring belongs to the
forces that act on the joint.

A model of such a robot therefore equals the model of the robot without prescribed values, evaluated at these values. If
qd, qdd or tau is an output of a model, the prescribed value has no effect: the output is the solution of the equations.
A model that is defined at rest (or at qdd = 0) ignores prescribed velocities and accelerations (or prescribed
accelerations).
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
LOOP_PORTS = {"qd": QDA, "qdd": QDDA, "tau": TAU_ACTIVE}
FIXED_BY = {"qd": "QP", "qdd": "QDP", "tau": "GAM"}

JointEntries = Mapping[int, Scalar]  # one entry per joint, by joint number


class Coordinates(ABC):
    """Map from the independent joint coordinates to the motion of all joints of a tree.

        qd_tree = G qd,   qdd_tree = G qdd + Gdot qd,   tau = G' tau_tree

    Attributes:
        own: numbers of the joints with an independent coordinate, in the order of the entries of qd, qdd and tau (qda
            and qdda for closed loops).
        positions: position of every moving joint of the tree, by joint number, without the constant offset of the joint
            variable.
        joints: numbers of the moving joints of the tree, in frame order.
    """

    def __init__(self, own: tuple[int, ...], positions: JointEntries, joints: tuple[int, ...]) -> None:
        self.own, self.positions, self.joints = own, positions, joints

    @property
    @abstractmethod
    def free(self) -> bool:
        """Whether every moving joint of the tree has an independent coordinate, so that no joints are coupled."""

    @property
    @abstractmethod
    def constant(self) -> bool:
        """Whether the matrix G of qd_tree = G qd is the same in every configuration."""

    @abstractmethod
    def rates(self, qd: JointEntries) -> dict[int, Scalar]:
        """Return the velocities G qd of all joints of the tree, by joint number.

        Args:
            qd: velocities of the independent coordinates, by joint number.
        """

    @abstractmethod
    def bias(self, qd: JointEntries) -> dict[int, Scalar]:
        """Return the bias accelerations Gdot qd of all joints of the tree (at qdd = 0), by joint number.

        Args:
            qd: velocities of the independent coordinates, by joint number.
        """

    @abstractmethod
    def accelerations(self, qdd: JointEntries, qd: JointEntries) -> dict[int, Scalar]:
        """Return the accelerations G qdd + Gdot qd of all joints of the tree, by joint number.

        Args:
            qdd, qd: accelerations and velocities of the independent coordinates, by joint number.
        """

    @abstractmethod
    def project(self, efforts: JointEntries) -> list[Scalar]:
        """Return the generalised forces G' tau_tree of the independent coordinates.

        Args:
            efforts: torques or forces tau_tree of all joints of the tree, by joint number.
        """

    @abstractmethod
    def columns(self, of_joints: Mapping[int, Vector], size: int) -> list[Vector]:
        """Return the columns of the Jacobian J G over the independent coordinates, with qd_tree = G qd.

        Args:
            of_joints: columns of the Jacobian J of the tree, by joint number; the column of a missing joint is zero.
            size: number of rows of J.
        """

    @abstractmethod
    def matrix(self) -> Matrix:
        """Return the matrix G of qd_tree = G qd: one row per moving joint, one column per coordinate."""

    @abstractmethod
    def matrix_rate(self, qd: JointEntries) -> Matrix:
        """Return the time derivative of the matrix G of qd_tree = G qd, at the coordinate velocities qd."""

    @abstractmethod
    def tangents(self) -> dict[int, dict[int, Scalar]]:
        """Return, per independent coordinate q_k, the derivatives dq/dq_k of the model input q.

        Returns:
            For each joint number k of an independent coordinate, the nonzero entries of dq/dq_k by joint number.
        """


class CoupledCoordinates(Coordinates):
    """Coordinates of a robot whose joints are coupled by constant ratios, so that G of qd_tree = G qd is constant.

    Attributes:
        rows: nonzero entries of each row of G, as pairs (joint number of the coordinate, entry), by joint number.
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
    """Return the map from the independent joint positions q to all joints of the tree.

    Args:
        q: positions of the independent joints, by joint number.
        into: function that converts a formula of the description into a number or an expression.
    """
    by_joint = positions(robot, q, into)
    return CoupledCoordinates(
        tuple(independent(robot)), by_joint, {j: tuple(drivers(robot, j, into)) for j in by_joint}
    )


def posture(builder: Builder, robot: Robot) -> CoupledCoordinates:
    """Declare the input q of a model and return the joint coordinates of the robot.

    The input has one entry per independent joint of the tree; closed loops are cut.
    """
    own = independent(robot)
    q = builder.input(Q, (len(own),), [f"q{j}" for j in own])
    return coordinates_at(robot, dict(zip(own, q, strict=True)), builder.formula)


def coordinate_joints(robot: Robot) -> list[int]:
    """Return the numbers of the joints whose velocities are independent.

    For a robot with closed loops these are the active joints; otherwise, all joints that are not coupled to others.
    """
    own = independent(robot)
    return [j for j in own if robot.frame(j).mu] if robot.B else own


def joint_positions(builder: Builder, robot: Robot, *, cut: bool = False) -> dict[int, Scalar]:
    """Declare the input q of a model and return the positions of all joints, by joint number.

    Args:
        cut: whether to declare the input qc, the positions of the cut joints, as well.
    """
    joint_values = dict(posture(builder, robot).positions)
    if cut:
        cut_numbers = cut_joints(robot)
        qc = builder.input(QC, (len(cut_numbers),), [f"q{j}" for j in cut_numbers])
        joint_values.update(zip(cut_numbers, qc, strict=True))
    return joint_values


def fixed_value(builder: Builder, robot: Robot, name: str, j: int) -> Expr | None:
    """Return the velocity, acceleration or torque that the robot description prescribes for joint j.

    Args:
        name: 'qd', 'qdd' or 'tau'.

    Returns:
        The prescribed value as an expression; None if the description prescribes no value.
    """
    fixed: Formula | None = getattr(robot.frame(j), FIXED_BY[name])
    return None if fixed is None else builder.formula(fixed)


# -- robots with loops, where joints may be coupled to joints whose positions are unknown


def coupled_positions(robot: Robot, known: JointEntries, into: Into) -> dict[int, Scalar]:
    """Return the positions of the joints that are coupled to joints with known positions.

    Args:
        known: positions of joints, by joint number.
        into: function that converts a formula of the description into a number or an expression.

    Returns:
        Positions by joint number, for each coupled joint of the tree all of whose driving joints are known.
    """
    followed: dict[int, Scalar] = {}
    for j, law in followers(robot).items():
        if j <= robot.NL and all(i in known for i, _ in law.terms):
            total = into(law.offset)
            for i, ratio in law.terms:
                total = total + into(ratio) * known[i]
            followed[j] = total
    return followed


def uncoupled(robot: Robot) -> Robot:
    """Return a copy of the robot without the couplings between its joints."""
    return following(robot, {})
