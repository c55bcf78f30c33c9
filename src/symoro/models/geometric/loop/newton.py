"""Closed loops by Newton's method, for structures without a closed form: one assembly mode by continuation.

The active joints move from their positions in the configuration q0 to the given positions in equal steps. After each
step, a fixed number of Newton steps closes the loops again. Let T be the product of the transforms around a loop, with
rotation R and position p, and z_j and o_j the axis and a point on the axis of joint j:

    e = [ vee(R - R') / 2, p ],    J_j = [ z_j, z_j x (p - o_j) ]  or  [ 0, z_j ],    (J' J + mu I) dq = -J' e

J_j is the column of J for a revolute or a prismatic joint. Lengths are divided by the size of the loops
(`chain.size_of`).

mu is small enough for quadratic convergence, and keeps the step finite if J is singular; long steps are shortened.
The status depends only on the residual at the end: if the loops are not closed, it is 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from symoro.errors import OptionError
from symoro.expr.linalg import Matrix, Vector, cross, dot, identity, matmul, subtract
from symoro.expr.scalar import Expr, Scalar, absolute, less_equal, maximum, minimum, select
from symoro.models.coordinates.couplings import CoupledCoordinates, coordinates_at, uncoupled
from symoro.models.geometric.inverse.branches import OUT_OF_REACH, SINGULAR, VALID, Solution
from symoro.models.geometric.inverse.chain.chain import PathMotion, motions_between, size_of
from symoro.models.geometric.inverse.finite import closes, largest, relative
from symoro.models.geometric.loop.mechanism import passive_joints
from symoro.models.tolerances import NEWTON_DAMPING, SINGULAR_PIVOT
from symoro.program.builder import Builder
from symoro.robot.description import JointType, Robot
from symoro.robot.topology import loops

CORRECTIONS = 2  # Newton steps after each step of the active joints
FINAL = 5  # Newton steps after the last one
LONGEST = Fraction(
    1, 2
)  # largest change of a passive joint per step: rad, or fraction of the size of the loops


@dataclass(frozen=True)
class Closure:
    """Loop closure error and its Jacobian in one configuration, with lengths divided by the size of the loops.

    Attributes:
        error: closure errors e of all loops.
        columns: columns of the Jacobian J, by passive joint.
        misses: absolute values of the entries of T - I, which must be small if the loops are closed; T is the product
            of the transforms around a loop.
    """

    error: Vector
    columns: Mapping[int, Vector]
    misses: Sequence[Expr]


def continued(
    builder: Builder,
    robot: Robot,
    active: Mapping[int, Expr],
    start: Mapping[int, Expr],
    steps: int,
    tolerance: float,
) -> Solution:
    """Compute one assembly mode by continuation, from an initial configuration to given active joints.

    Args:
        active: positions of the active joints, by joint number.
        start: initial configuration of all joints, by joint number.
        steps: number of continuation steps.
        tolerance: largest residual of a closed mode.

    Raises:
        OptionError: less than one step.
    """
    if steps < 1:
        raise OptionError(f"option steps of loop-geometry must be at least 1, got {steps}")
    newton = _Newton(builder, robot)
    passive: dict[int, Scalar] = {j: start[j] for j in newton.passive}
    for k in range(1, steps + 1):
        share = Fraction(k, steps)
        driven = {j: start[j] + share * (q - start[j]) if k < steps else q for j, q in active.items()}
        for _ in range(CORRECTIONS if k < steps else FINAL):
            passive = newton.corrected(driven, passive)
    end = newton.closure(active, passive)
    fine = select(newton.singular(end), SINGULAR, VALID)
    status = select(closes(builder, end.misses, tolerance), fine, OUT_OF_REACH)
    joints = {j: builder.number(q) for j, q in {**active, **passive}.items()}
    return Solution(joints, {}, largest(end.misses), builder.number(status))


class _Newton:
    def __init__(self, builder: Builder, robot: Robot) -> None:
        self.builder = builder
        self.robot = robot
        self.passive = passive_joints(robot)
        free = uncoupled(robot)
        self.paths = [motions_between(builder, free, loop.right, loop.left, {}) for loop in loops(robot)]
        self.size = size_of(builder, [part for path in self.paths for part in path])
        self.inverse = 1 / self.size
        turning = [j for j in self.passive if robot.frame(j).sigma == JointType.REVOLUTE]
        self.units: dict[int, Scalar] = {j: 1 if j in turning else self.size for j in self.passive}
        self.count = 0

    def corrected(self, active: Mapping[int, Scalar], passive: Mapping[int, Scalar]) -> dict[int, Scalar]:
        """Return the positions of the passive joints after one Newton step.

        Args:
            active, passive: present positions of the active and passive joints, by joint number.
        """
        here = self.closure(active, passive)
        normal = self._normal(here)
        largest: Scalar = NEWTON_DAMPING
        for k in range(len(normal)):
            largest = maximum(largest, normal[k][k])
        for k in range(len(normal)):
            normal[k][k] = normal[k][k] + NEWTON_DAMPING * largest
        right = [-dot(here.columns[j], here.error) for j in self.passive]
        step = self.builder.call("solve", [x for row in normal for x in row], right)
        longest: Scalar = LONGEST
        for x in step:
            longest = maximum(longest, absolute(x))
        scale = LONGEST / longest
        self.count += 1
        return {
            j: self.builder.named(f"q{j}_step{self.count}", passive[j] + scale * x * self.units[j])
            for j, x in zip(self.passive, step, strict=True)
        }

    def closure(self, active: Mapping[int, Scalar], passive: Mapping[int, Scalar]) -> Closure:
        q = {**active, **passive}
        joints = coordinates_at(self.robot, q, self.builder.formula)
        q |= joints.positions
        error: Vector = []
        columns: dict[int, Vector] = {j: [] for j in self.passive}
        misses: list[Expr] = []
        for path in self.paths:
            end, axes = self._walk(path, q)
            rotation, position = [row[:3] for row in end[:3]], [row[3] for row in end[:3]]
            vee = [(rotation[j][i] - rotation[i][j]) / 2 for i, j in ((1, 2), (2, 0), (0, 1))]
            error += [*vee, *(self.inverse * x for x in position)]
            screws = self._screws(axes, position, joints)
            for j in self.passive:
                column = [self.units[j] * x for x in screws.get(j, [0] * 6)]
                columns[j] += [*column[:3], *(self.inverse * x for x in column[3:])]
            for r in range(3):
                misses += [self.builder.number(absolute(end[r][c] - (r == c))) for c in range(3)]
            misses.append(relative(self.builder, position, self.size))
        return Closure(error, columns, misses)

    def _walk(
        self, path: Sequence[PathMotion], q: Mapping[int, Scalar]
    ) -> tuple[Matrix, list[tuple[PathMotion, Vector, Vector]]]:
        """Return the end pose of a path, and the axis direction and origin of each joint on it.

        Args:
            path: elementary motions of the path.
            q: joint positions, by joint number.

        Returns:
            The product of the motions (4x4), and a list of (joint motion, axis direction, origin).
        """
        placed = identity(4)
        axes = []
        for motion in path:
            if motion.joint:
                axes.append((motion, [row[2] for row in placed[:3]], [row[3] for row in placed[:3]]))
                value = motion.sign * q[motion.joint]
                motion = PathMotion("z", value, 0) if motion.turns else PathMotion("z", 0, value)
            placed = matmul(placed, motion.matrix)
        return placed, axes

    def _screws(
        self, axes: Sequence[tuple[PathMotion, Vector, Vector]], end: Vector, joints: CoupledCoordinates
    ) -> dict[int, Vector]:
        """Return the columns (angular; linear) of the loop's Jacobian, by independent joint number.

        Couplings between joints are included; cut joints are independent.

        Args:
            axes: joint motion, axis direction and origin of each joint on the path.
            end: position of the end of the path.
        """
        columns: dict[int, Vector] = {}
        for motion, z, o in axes:
            axis = [motion.sign * x for x in z]
            column = [*axis, *cross(axis, subtract(end, o))] if motion.turns else [0, 0, 0, *axis]
            for j, ratio in joints.rows.get(motion.joint, ((motion.joint, 1),)):
                before = columns.get(j, [0] * 6)
                columns[j] = [x + ratio * y for x, y in zip(before, column, strict=True)]
        return columns

    def _normal(self, here: Closure) -> Matrix:
        columns = [here.columns[j] for j in self.passive]
        return [[dot(a, b) for b in columns] for a in columns]

    def singular(self, here: Closure) -> Expr:
        """Return 1 if the configuration is singular (dependent columns of the Jacobian J), else 0.

        The test uses the pivots of J' J = L D L'.

        Args:
            here: loop closure with the Jacobian.
        """
        normal = self._normal(here)
        n = len(normal)
        least: Scalar = 1
        for k in range(n):
            whole = self.builder.number(self.builder.number(normal[k][k]))
            for i in range(k):
                whole = whole + normal[i][k] * normal[i][k] / normal[i][i]
            pivot = self.builder.number(maximum(normal[k][k], SINGULAR_PIVOT * SINGULAR_PIVOT))
            least = minimum(least, pivot / maximum(whole, SINGULAR_PIVOT * SINGULAR_PIVOT))
            normal[k][k] = pivot
            for i in range(k + 1, n):
                for j in range(i, n):
                    normal[i][j] = normal[i][j] - normal[k][i] * normal[k][j] / pivot
        return self.builder.number(less_equal(least, SINGULAR_PIVOT))
