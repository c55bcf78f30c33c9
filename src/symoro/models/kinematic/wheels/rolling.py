"""How a robot on wheels moves: x = [V0x V0y W0z qd] from the velocities of its active joints.

    W x = 0,    x = G qda,    xd = G qdda + g,    g from W xd = -Wdot x with qdda = 0

W has the rows of `contact` that are independent at random numbers. The active joints must be as many as the freedoms
3 + n - rank W, and determine the motion. Vd0 is classical: [xd_1 - W0z V0y, xd_2 + W0z V0x, xd_3].
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
    """The motion of a robot on wheels.

    Attributes:
        joints: its coordinates; `positions` those of every joint of the tree, tied ones as the linkage holds them.
        active: the joints whose velocities are given, in frame order.
        drives: the same, and active joints beyond the freedoms where they are allowed.
        rows: the independent constraints, the rows of W.
        G: one row a column of W, one column an active joint.
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
        """3 + n."""
        return BASE + len(self.joints.own)

    def matrix(self) -> Matrix:
        """W."""
        return [[row.entries.get(k, 0) for k in range(self.size)] for row in self.rows]

    def rates(self, qda: Sequence[Scalar]) -> Vector:
        """x = G qda."""
        return matvec(self.G, qda)

    def drift(self, x: Vector) -> Vector:
        """g: what xd is at qdda = 0, by the exact derivative of the constraints."""
        graph = self.builder.graph
        seeds = {}
        for k, j in enumerate(self.joints.own):
            position = self.builder.number(self.joints.positions[j])
            seeds[position.lit >> 1] = self.builder.number(x[BASE + k]).lit
        right: Vector = []
        for row in self.rows:
            entries = [(k, self.builder.number(e)) for k, e in row.entries.items()]
            slopes = forward(graph, [e.lit for _, e in entries], seeds)
            total: Scalar = 0
            for (k, _), slope in zip(entries, slopes, strict=True):
                total = total - Expr(graph, slope) * x[k]
            right.append(total)
        still = {BASE + self.joints.own.index(j): 0 for j in self.active}
        solution = self.elimination.solve(still, right)
        return [solution.get(k, 0) for k in range(self.size)]

    def accelerations(self, x: Vector, qdda: Sequence[Scalar]) -> Vector:
        """xd = G qdda + g."""
        return add(matvec(self.G, qdda), self.drift(x))

    def tree(self, x: Vector) -> dict[int, Scalar]:
        """The rates of every joint of the tree, from an x or an xd."""
        return self.joints.rates(dict(zip(self.joints.own, x[BASE:], strict=True)))

    def of_drives(self) -> Matrix:
        """The rows of G of all active joints: the unit matrix, unless there are more than freedoms."""
        return [self.G[BASE + self.joints.own.index(j)] for j in self.drives]

    def project(self, forces: Vector) -> Vector:
        """G' of the forces on the base (along x, along y, about z) and on the coordinates."""
        return matvec(transpose(self.G), forces)


def classical(x: Vector, xd: Vector) -> Vector:
    """Vd0 = d/dt [V0x V0y W0z] + W0z x V0."""
    return [xd[0] - x[2] * x[1], xd[1] + x[2] * x[0], xd[2]]


def active_joints(joints: CoupledCoordinates, robot: Robot) -> tuple[int, ...]:
    """The coordinates that a drive moves, in frame order."""
    return tuple(j for j in joints.own if robot.frame(j).mu)


def independent_constraints(
    builder: Builder, robot: Robot, joints: CoupledCoordinates, trig: Trigonometry
) -> tuple[Constraint, ...]:
    """The rows of W: those of the wheels without the redundant ones."""
    rows = constraints(builder, robot, joints, trig)
    width = BASE + len(joints.own)
    dense: Matrix = [[row.entries.get(k, 0) for k in range(width)] for row in rows]
    sampled = WheelSamples(builder).matrices(dense, robot_length(builder, robot))
    return tuple(rows[i] for i in independent_rows(sampled, WHAT))


def rolling(
    builder: Builder,
    robot: Robot,
    trig: Trigonometry | None = None,
    *,
    surplus: bool = False,
    joints: CoupledCoordinates | None = None,
) -> Rolling:
    """The motion of a robot on wheels; declares the input q.

    Arguments:
        joints: the joints of the tree, where the input q is declared already.
        surplus: whether there may be more active joints than freedoms.

    Raises:
        NotApplicableError: its active joints are too many, too few or the wrong ones; they are named.
    """
    trig = trig or Trigonometry(builder, robot)
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
