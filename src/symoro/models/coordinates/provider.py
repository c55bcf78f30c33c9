"""Constraint providers: the coordinates of the tree as functions of the independent coordinates.

    nu_tree = G nu,    nud_tree = G nud + g,    forces = G' forces_tree

The actuation is a second linear map, from the independent coordinates to the drives:

    drive rates = T nu,    forces = T' tau
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symoro.expr.linalg import Matrix, Vector, matadd, matmul, matvec, transpose
from symoro.expr.scalar import Scalar
from symoro.models.coordinates.blocks import BASE, Block, Coordinate, Values, joint, motor
from symoro.models.coordinates.couplings import Coordinates
from symoro.models.solvers import solve_symmetric


@dataclass(frozen=True)
class Actuation:
    """Drives of a robot and their map to the independent coordinates.

    Attributes:
        drives: joints with a drive, in frame order.
        matrix: T, (drives, coordinates); None if the drives are the coordinates.
    """

    drives: tuple[int, ...]
    matrix: Matrix | None = None

    def forces(self, tau: Sequence[Scalar]) -> Vector:
        """Return the generalised forces T' tau of drive torques tau."""
        return list(tau) if self.matrix is None else matvec(transpose(self.matrix), tau)

    def torques(self, forces: Sequence[Scalar]) -> Vector:
        """Return the drive torques tau = T (T'T)^-1 forces, the least-squares solution of T' tau = forces."""
        if self.matrix is None:
            return list(forces)
        t = self.matrix
        normal = matmul(transpose(t), t)
        n = len(normal)
        upper = [[normal[min(i, j)][max(i, j)] for j in range(n)] for i in range(n)]
        return matvec(t, solve_symmetric(upper, forces))


class ConstraintProvider(ABC):
    """Map from the independent coordinates to the coordinates of the tree.

    Attributes:
        tree: coordinates of the tree, the rows of G, in the order of the blocks.
        own: independent coordinates, the columns of G.
        positions: position of every moving joint of the tree.
        is_identity: whether every coordinate of the tree is independent, so that G = 1.
        is_constant: whether G is the same in every configuration.
    """

    tree: tuple[Coordinate, ...]
    own: tuple[Coordinate, ...]
    positions: Mapping[int, Scalar]
    is_identity: bool
    is_constant: bool

    @property
    def actuation(self) -> Actuation:
        """Drives of the robot; by default one per joint with an independent coordinate."""
        return Actuation(tuple(c.j for c in self.own if c.block is Block.JOINT))

    @abstractmethod
    def rates(self, nu: Values) -> dict[Coordinate, Scalar]:
        """Return G nu, the velocities of the tree's coordinates."""

    @abstractmethod
    def accelerations(self, nud: Values, nu: Values) -> dict[Coordinate, Scalar]:
        """Return G nud + g, the accelerations of the tree's coordinates; the base has its classical acceleration."""

    @abstractmethod
    def project(self, forces: Values) -> dict[Coordinate, Scalar]:
        """Return G' forces, the forces of the tree's coordinates projected on the independent ones."""

    @abstractmethod
    def matrix(self) -> Matrix:
        """Return G with shape (tree, own)."""

    @abstractmethod
    def matrix_rate(self, nu: Values) -> Matrix:
        """Return the time derivative of G with shape (tree, own)."""

    @abstractmethod
    def tangents(self) -> dict[Coordinate, dict[str, Scalar]]:
        """Return, per independent coordinate, the rates of the symbols of the position inputs."""

    def columns(self, columns: Mapping[Coordinate, Vector], size: int) -> dict[Coordinate, Vector]:
        """Return the columns of J G, one per independent coordinate.

        Args:
            columns: columns of J by coordinate of the tree; the column of a missing coordinate is zero.
            size: number of rows of J.
        """
        none: Vector = [0] * size
        j: Matrix = transpose([columns.get(c, none) for c in self.tree])
        return dict(zip(self.own, transpose(matmul(j, self.matrix())), strict=True))

    def brackets(self) -> dict[tuple[Coordinate, Coordinate], list[tuple[Coordinate, int]]]:
        """Return the Lie brackets [X_i, X_j] of the quasi-velocities as lists of (l, sign), the sum of sign X_l.

        A free base has the brackets of rigid-body motions; joints, modes and motors commute.
        """
        if BASE[0] not in self.own:
            return {}
        linear, angular = BASE[:3], BASE[3:]
        brackets = {}
        for r in range(3):
            for q in range(3):
                if r != q:
                    third, sign = 3 - r - q, 1 if (q - r) % 3 == 1 else -1
                    brackets[angular[r], angular[q]] = [(angular[third], sign)]
                    brackets[angular[r], linear[q]] = [(linear[third], sign)]
                    brackets[linear[r], angular[q]] = [(linear[third], sign)]
        return brackets


class TreeCoordinates(ConstraintProvider):
    """Constraint provider of a tree with coupled joints or closed loops; base, modes and motors are independent.

    Args:
        joints: coordinates of the joints.
        base: whether the base is free.
        modes: coordinates of flexible links.
        motors: joints whose motors have coordinates.
    """

    def __init__(
        self,
        joints: Coordinates,
        *,
        base: bool = False,
        modes: Sequence[Coordinate] = (),
        motors: Sequence[int] = (),
    ) -> None:
        self.joints = joints
        before, after = BASE if base else (), (*modes, *map(motor, motors))
        self.tree = (*before, *map(joint, joints.joints), *after)
        self.own = (*before, *map(joint, joints.own), *after)
        self.positions = joints.positions
        self.is_identity, self.is_constant = joints.free, joints.constant

    def _independent(self, values: Values) -> dict[int, Scalar]:
        return {j: values[joint(j)] for j in self.joints.own}

    def _whole(self, values: Values, joints: Mapping[int, Scalar]) -> dict[Coordinate, Scalar]:
        return {c: joints[c.j] if c.block is Block.JOINT else values[c] for c in self.tree}

    def rates(self, nu: Values) -> dict[Coordinate, Scalar]:
        return self._whole(nu, self.joints.rates(self._independent(nu)))

    def accelerations(self, nud: Values, nu: Values) -> dict[Coordinate, Scalar]:
        joints = self.joints.accelerations(self._independent(nud), self._independent(nu))
        return self._whole(nud, joints)

    def project(self, forces: Values) -> dict[Coordinate, Scalar]:
        projected = self.joints.project({j: forces[joint(j)] for j in self.joints.joints})
        joints = dict(zip(self.joints.own, projected, strict=True))
        return {c: joints[c.j] if c.block is Block.JOINT else forces[c] for c in self.own}

    def columns(self, columns: Mapping[Coordinate, Vector], size: int) -> dict[Coordinate, Vector]:
        of_joints = {c.j: column for c, column in columns.items() if c.block is Block.JOINT}
        joints = dict(zip(self.joints.own, self.joints.columns(of_joints, size), strict=True))
        none: Vector = [0] * size
        return {c: joints[c.j] if c.block is Block.JOINT else columns.get(c, none) for c in self.own}

    def matrix(self) -> Matrix:
        return self._spread(self.joints.matrix(), 1)

    def matrix_rate(self, nu: Values) -> Matrix:
        return self._spread(self.joints.matrix_rate(self._independent(nu)), 0)

    def _spread(self, joints: Matrix, diagonal: int) -> Matrix:
        """Return the matrix over all coordinates from that of the joints; other blocks are `diagonal` times 1."""
        rows = dict(zip(self.joints.joints, joints, strict=True))
        column_of = {j: k for k, j in enumerate(self.joints.own)}
        return [
            [
                (rows[c.j][column_of[i.j]] if i.block is Block.JOINT else 0)
                if c.block is Block.JOINT
                else (diagonal if i == c else 0)
                for i in self.own
            ]
            for c in self.tree
        ]

    def tangents(self) -> dict[Coordinate, dict[str, Scalar]]:
        joints = self.joints.tangents()
        return {
            c: {f"q{i}": x for i, x in joints[c.j].items()} if c.block is Block.JOINT else {}
            for c in self.own
        }


class ChainedCoordinates(ConstraintProvider):
    """Composition of two constraint providers, G = G_outer G_inner.

    Args:
        inner: provider (closed loops) that determines some independent coordinates of the outer provider.
        outer: provider (wheels) that determines the tree. A coordinate that only it determines is zero for the inner
            one.
    """

    is_identity = is_constant = False

    def __init__(self, inner: ConstraintProvider, outer: ConstraintProvider) -> None:
        self.inner, self.outer = inner, outer
        self.tree, self.positions = outer.tree, outer.positions
        self.own = tuple(c for c in outer.own if c in inner.own)

    def _inner(self, values: Values) -> dict[Coordinate, Scalar]:
        return {c: values.get(c, 0) for c in self.inner.own}

    def _outer(self, values: Values, inner: Values) -> dict[Coordinate, Scalar]:
        return {c: values[c] if c in values else inner[c] for c in self.outer.own}

    def rates(self, nu: Values) -> dict[Coordinate, Scalar]:
        return self.outer.rates(self._outer(nu, self.inner.rates(self._inner(nu))))

    def accelerations(self, nud: Values, nu: Values) -> dict[Coordinate, Scalar]:
        rates = self._outer(nu, self.inner.rates(self._inner(nu)))
        inner = self.inner.accelerations(self._inner(nud), self._inner(nu))
        return self.outer.accelerations(self._outer(nud, inner), rates)

    def project(self, forces: Values) -> dict[Coordinate, Scalar]:
        outer = self.outer.project(forces)
        inner = self.inner.project({c: outer.get(c, 0) for c in self.inner.tree})
        return {c: inner[c] for c in self.own}

    def columns(self, columns: Mapping[Coordinate, Vector], size: int) -> dict[Coordinate, Vector]:
        outer = self.outer.columns(columns, size)
        inner = self.inner.columns({c: outer[c] for c in self.inner.tree if c in outer}, size)
        return {c: inner[c] for c in self.own}

    def _of_outer(self, inner: Matrix) -> Matrix:
        """Return the block (outer.own, own) of a matrix of the inner provider."""
        rows = dict(zip(self.inner.tree, inner, strict=True))
        at = [self.inner.own.index(c) for c in self.own]
        return [[rows[c][k] for k in at] for c in self.outer.own]

    def matrix(self) -> Matrix:
        return matmul(self.outer.matrix(), self._of_outer(self.inner.matrix()))

    def matrix_rate(self, nu: Values) -> Matrix:
        rates = self._outer(nu, self.inner.rates(self._inner(nu)))
        outer_rate = matmul(self.outer.matrix_rate(rates), self._of_outer(self.inner.matrix()))
        return matadd(
            outer_rate, matmul(self.outer.matrix(), self._of_outer(self.inner.matrix_rate(self._inner(nu))))
        )

    def tangents(self) -> dict[Coordinate, dict[str, Scalar]]:
        outer = self.outer.tangents()
        g = self._of_outer(self.inner.matrix())
        tangents: dict[Coordinate, dict[str, Scalar]] = {}
        for column, c in enumerate(self.own):
            tangent: dict[str, Scalar] = {}
            for row, i in enumerate(self.outer.own):
                for name, x in outer[i].items():
                    tangent[name] = tangent.get(name, 0) + x * g[row][column]
            tangents[c] = tangent
        return tangents
