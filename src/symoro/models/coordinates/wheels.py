"""Coordinates of wheeled robots: rolling (nonholonomic) constraints.

The constraints determine the velocities of the base and of the passive joints from those of the active joints.
"""

from __future__ import annotations

from collections.abc import Mapping

from symoro.expr.derivatives import forward
from symoro.expr.linalg import Matrix, Vector, matmul, transpose
from symoro.expr.scalar import Expr, Scalar, wrap
from symoro.models.coordinates.blocks import BASE, PLANAR_BASE, Block, Coordinate, Values, joint
from symoro.models.coordinates.couplings import CoupledCoordinates
from symoro.models.coordinates.provider import Actuation, ConstraintProvider
from symoro.models.kinematic.wheels.rolling import classical, rolling
from symoro.program.builder import Builder
from symoro.robot.description import Robot


class WheelCoordinates(ConstraintProvider):
    """Map from the velocities of the active joints of a wheeled robot to those of base and joints.

    The map follows from the rolling constraints. The independent coordinates are active joints, one per degree of
    freedom.

    Args:
        surplus: whether the robot may have more active joints than degrees of freedom; the coordinates are then the
            first active joints that determine the motion.
        joints: coordinates of the joints, if the input q of the program has been declared already.

    Raises:
        NotApplicableError: the active joints do not determine the motion, or there are too many of them.
    """

    is_identity = is_constant = False

    def __init__(
        self,
        builder: Builder,
        robot: Robot,
        *,
        surplus: bool = False,
        joints: CoupledCoordinates | None = None,
    ) -> None:
        self.builder = builder
        self.rolling = rolling(builder, robot, surplus=surplus, joints=joints)
        self.joints = self.rolling.joints
        self.positions = self.rolling.positions
        self.tree = (*BASE, *map(joint, self.joints.joints))
        self.own = tuple(map(joint, self.rolling.active))

    @property
    def actuation(self) -> Actuation:
        drives = self.rolling.drives
        return Actuation(drives, None if drives == self.rolling.active else self.rolling.of_drives())

    def _tree(self, x: Vector, base: Vector) -> dict[Coordinate, Scalar]:
        values: dict[Coordinate, Scalar] = dict.fromkeys(BASE, 0)
        values |= zip(PLANAR_BASE, base, strict=True)
        return values | {joint(j): rate for j, rate in self.rolling.tree(x).items()}

    def rates(self, nu: Values) -> dict[Coordinate, Scalar]:
        x = self.rolling.rates([nu[c] for c in self.own])
        return self._tree(x, x[:3])

    def accelerations(self, nud: Values, nu: Values) -> dict[Coordinate, Scalar]:
        x = self.rolling.rates([nu[c] for c in self.own])
        xd = self.rolling.accelerations(x, [nud[c] for c in self.own])
        return self._tree(xd, classical(x, xd))

    def project(self, forces: Values) -> dict[Coordinate, Scalar]:
        joints = self.joints.project({j: forces[joint(j)] for j in self.joints.joints})
        projected = self.rolling.project([*(forces[c] for c in PLANAR_BASE), *joints])
        return dict(zip(self.own, projected, strict=True))

    def columns(self, columns: Mapping[Coordinate, Vector], size: int) -> dict[Coordinate, Vector]:
        none: Vector = [0] * size
        joints = self.joints.columns({c.j: v for c, v in columns.items() if c.block is Block.JOINT}, size)
        j: Matrix = transpose([*(columns.get(c, none) for c in PLANAR_BASE), *joints])
        return dict(zip(self.own, transpose(matmul(j, self.rolling.G)), strict=True))

    def matrix(self) -> Matrix:
        g = self.rolling.G
        rows = dict(zip(PLANAR_BASE, g, strict=False))
        none: Vector = [0] * len(self.own)
        return [*(rows.get(c, none) for c in BASE), *matmul(self.joints.matrix(), g[3:])]

    def matrix_rate(self, nu: Values) -> Matrix:
        """Return the time derivative of the matrix G of nu_tree = G nu, at the independent velocities nu.

        The term W0 x V0 (angular times linear velocity of the base) of the classical base acceleration is not included.
        """
        graph, rates = self.builder.graph, self.rates(nu)
        seeds = {
            wrap(graph, self.joints.positions[j]).lit >> 1: wrap(graph, rates[joint(j)]).lit
            for j in self.joints.own
        }
        width = len(self.own)
        derivatives = forward(graph, [wrap(graph, x).lit for row in self.matrix() for x in row], seeds)
        entries = [Expr(graph, lit) for lit in derivatives]
        return [list(entries[k : k + width]) for k in range(0, len(entries), width)]

    def tangents(self) -> dict[Coordinate, dict[str, Scalar]]:
        rows = dict(zip(self.tree, self.matrix(), strict=True))
        return {
            c: {f"q{j}": rows[joint(j)][column] for j in self.joints.own} for column, c in enumerate(self.own)
        }
