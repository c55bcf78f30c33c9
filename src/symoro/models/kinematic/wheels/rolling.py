"""Motion of a wheeled robot: x = [V0x V0y W0z qd] as a function of the velocities of its active joints.

    W x = 0,    x = G qda,    xd = G qdda + g,    g from W xd = -Wdot x with qdda = 0

W contains the constraints of `contact` that are independent at random joint positions and parameters. The number of
active joints must equal the number of degrees of freedom 3 + n - rank W (n joint coordinates), and they must determine
the motion. The classical acceleration of the base is Vd0 = [xd_1 - W0z V0y, xd_2 + W0z V0x, xd_3].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symoro.expr.derivatives import forward
from symoro.expr.linalg import Matrix, Vector, add, matvec, transpose
from symoro.expr.scalar import Expr, Scalar
from symoro.models.coordinates.couplings import CoupledCoordinates, posture
from symoro.models.joints import Trigonometry
from symoro.models.kinematic.wheels.ackermann import tied_positions
from symoro.models.kinematic.wheels.contact import BASE, Constraint, constraints
from symoro.models.kinematic.wheels.drives import leading_drives
from symoro.models.kinematic.wheels.elimination import eliminated
from symoro.models.kinematic.wheels.samples import WheelSamples, independent_rows, robot_length
from symoro.models.solvers import RowElimination
from symoro.program.builder import Builder
from symoro.robot.description import Robot

WHAT = "the constraints of the wheels"


@dataclass(frozen=True)
class Rolling:
    """Rolling constraints W x = 0 of a wheeled robot and their solution x = G qda.

    The vector x = [V0x V0y W0z qd] contains the velocities of base and joints, and qda those of the active joints.

    Attributes:
        joints: joint coordinates.
        positions: position of every joint of the tree; those of dependent steering joints follow from Ackermann's
            relation.
        active: numbers of the active joints whose velocities qda are given, in frame order.
        drives: numbers of all active joints; more than `active` if surplus active joints are allowed.
        rows: independent constraints, the rows of W.
        elimination: solution of the constraints.
        G: matrix with one row per column of W and one column per joint in `active`.
    """

    builder: Builder
    joints: CoupledCoordinates
    positions: Mapping[int, Scalar]
    active: tuple[int, ...]
    drives: tuple[int, ...]
    rows: tuple[Constraint, ...]
    elimination: RowElimination
    G: Matrix

    @property
    def size(self) -> int:
        """Number 3 + n of columns of W: base velocities and joint coordinates."""
        return BASE + len(self.joints.own)

    def matrix(self) -> Matrix:
        """Return the matrix W of the independent rolling constraints."""
        return [[row.entries.get(k, 0) for k in range(self.size)] for row in self.rows]

    def rates(self, qda: Sequence[Scalar]) -> Vector:
        """Return the velocities x = G qda of base and joints for velocities qda of the active joints."""
        return matvec(self.G, qda)

    def drift(self, x: Vector) -> Vector:
        """Return g, the accelerations xd of base and joints at zero accelerations of the active joints.

        The constraints are differentiated symbolically.

        Args:
            x: velocities [V0x V0y W0z qd].
        """
        graph = self.builder.graph
        seeds = {}
        for k, j in enumerate(self.joints.own):
            position = self.builder.number(self.joints.positions[j])
            seeds[position.lit >> 1] = self.builder.number(x[BASE + k]).lit
        right: Vector = []
        for row in self.rows:
            entries = [(k, self.builder.number(e)) for k, e in row.entries.items()]
            derivatives = forward(graph, [e.lit for _, e in entries], seeds)
            total: Scalar = 0
            for (k, _), derivative in zip(entries, derivatives, strict=True):
                total = total - Expr(graph, derivative) * x[k]
            right.append(total)
        still = {BASE + self.joints.own.index(j): 0 for j in self.active}
        solution = self.elimination.solve(still, right)
        return [solution.get(k, 0) for k in range(self.size)]

    def accelerations(self, x: Vector, qdda: Sequence[Scalar]) -> Vector:
        """Return the accelerations of base and joints for given accelerations of the active joints.

        Args:
            x: velocities [V0x V0y W0z qd].
            qdda: accelerations of the active joints.
        """
        return add(matvec(self.G, qdda), self.drift(x))

    def tree(self, x: Vector) -> dict[int, Scalar]:
        """Return the velocities (or accelerations) of every joint of the tree, by joint number.

        Args:
            x: velocities [V0x V0y W0z qd], or their time derivatives.
        """
        return self.joints.rates(dict(zip(self.joints.own, x[BASE:], strict=True)))

    def of_drives(self) -> Matrix:
        """Return the matrix that gives the velocities of all active joints from those of the joints in `active`.

        These are rows of G. The matrix is the unit matrix if there are no surplus active joints.
        """
        return [self.G[BASE + self.joints.own.index(j)] for j in self.drives]

    def project(self, forces: Vector) -> Vector:
        """Return the efforts G' f at the active joints that are equivalent to the forces f on base and joints.

        Args:
            forces: f: forces on the base (along x, along y, about z), then efforts on the joint coordinates.
        """
        return matvec(transpose(self.G), forces)


def classical(x: Vector, xd: Vector) -> Vector:
    """Return the classical acceleration of the base, Vd0 = d/dt [V0x V0y W0z] + W0z x V0.

    Args:
        x: velocities [V0x V0y W0z ...].
        xd: time derivatives of x.
    """
    return [xd[0] - x[2] * x[1], xd[1] + x[2] * x[0], xd[2]]


def active_joints(joints: CoupledCoordinates, robot: Robot) -> tuple[int, ...]:
    """Return the joint coordinates that are actuated, in frame order."""
    return tuple(j for j in joints.own if robot.frame(j).mu)


def independent_constraints(
    builder: Builder, robot: Robot, joints: CoupledCoordinates, trig: Trigonometry
) -> tuple[Constraint, ...]:
    """Return the independent rolling constraints of the wheels."""
    rows = constraints(builder, robot, joints, trig)
    width = BASE + len(joints.own)
    dense: Matrix = [[row.entries.get(k, 0) for k in range(width)] for row in rows]
    sampled = WheelSamples(builder).matrices(dense, robot_length(builder, robot))
    return tuple(rows[i] for i in independent_rows(sampled, WHAT))


def rolling(
    builder: Builder,
    robot: Robot,
    *,
    surplus: bool = False,
    joints: CoupledCoordinates | None = None,
) -> Rolling:
    """Declare the input q and return the rolling constraints of a wheeled robot with their solution.

    Args:
        surplus: whether there may be more active joints than degrees of freedom.
        joints: joints of the tree if the input q has been declared already.

    Raises:
        NotApplicableError: there are too many or too few active joints; the message names them.
    """
    trig = Trigonometry(builder, robot)
    joints = joints or posture(builder, robot)
    rows = independent_constraints(builder, robot, joints, trig)
    width = BASE + len(joints.own)
    dense: Matrix = [[row.entries.get(k, 0) for k in range(width)] for row in rows]
    drives = active_joints(joints, robot)
    length = robot_length(builder, robot)
    sampled = WheelSamples(builder).matrices(dense, length)
    active = leading_drives(robot, joints.own, drives, sampled, surplus=surplus)
    passive = [BASE + k for k, j in enumerate(joints.own) if j not in active]
    elimination = eliminated(builder, [row.entries for row in rows], passive, length, base=True)
    columns = []
    for j in active:
        known = {BASE + joints.own.index(i): 1 if i == j else 0 for i in active}
        column = elimination.solve(known, [0] * len(rows))
        columns.append([builder.named(f"G{k + 1}_{j}", column.get(k, 0)) for k in range(width)])
    positions = {**joints.positions, **tied_positions(builder, robot, joints, trig)}
    matrix: Matrix = [[column[k] for column in columns] for k in range(width)]
    return Rolling(builder, joints, positions, active, drives, rows, elimination, matrix)
