"""Constraint providers: classes that map the independent coordinates to all coordinates of the tree.

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
    """Drives of a robot and the linear map T from the independent velocities to the drive velocities.

    Attributes:
        drives: numbers of the joints with a drive, in frame order.
        matrix: T, with one row per drive and one column per independent coordinate; None if T is the identity.
    """

    drives: tuple[int, ...]
    matrix: Matrix | None = None

    def forces(self, tau: Sequence[Scalar]) -> Vector:
        """Return the generalised forces T' tau of the drive torques tau, where the drive velocities are T nu."""
        return list(tau) if self.matrix is None else matvec(transpose(self.matrix), tau)

    def torques(self, forces: Sequence[Scalar]) -> Vector:
        """Return the drive torques of least norm that produce given generalised forces.

        tau = T (T'T)^-1 forces is the solution of T' tau = forces with the least norm; T maps the independent
        velocities to the drive velocities.
        """
        if self.matrix is None:
            return list(forces)
        t = self.matrix
        normal = matmul(transpose(t), t)
        n = len(normal)
        upper = [[normal[min(i, j)][max(i, j)] for j in range(n)] for i in range(n)]
        return matvec(t, solve_symmetric(upper, forces))


class ConstraintProvider(ABC):
    """Map from the independent coordinates to all coordinates of the tree (abstract class).

        nu_tree = G nu,    nud_tree = G nud + g,    forces = G' forces_tree

    Attributes:
        tree: coordinates of the tree, one per row of G, in the order base, joints, modes, motors.
        own: independent coordinates, one per column of G.
        positions: position of every moving joint of the tree, by joint number.
        is_identity: whether every coordinate of the tree is independent, so that G is the identity.
        is_constant: whether G is the same in every configuration.
    """

    tree: tuple[Coordinate, ...]
    own: tuple[Coordinate, ...]
    positions: Mapping[int, Scalar]
    is_identity: bool
    is_constant: bool

    @property
    def actuation(self) -> Actuation:
        """Drives of the robot; by default one drive per joint with an independent coordinate."""
        return Actuation(tuple(c.j for c in self.own if c.block is Block.JOINT))

    @abstractmethod
    def rates(self, nu: Values) -> dict[Coordinate, Scalar]:
        """Return the velocities G nu of all coordinates of the tree, from the independent velocities nu."""

    @abstractmethod
    def accelerations(self, nud: Values, nu: Values) -> dict[Coordinate, Scalar]:
        """Return the accelerations G nud + g of all coordinates of the tree, with the bias g at nud = 0.

        The acceleration of the base is the classical one (not the spatial acceleration).

        Args:
            nud: accelerations of the independent coordinates.
            nu: velocities of the independent coordinates.
        """

    @abstractmethod
    def project(self, forces: Values) -> dict[Coordinate, Scalar]:
        """Return the generalised forces G' forces of the independent coordinates, with nu_tree = G nu.

        Args:
            forces: generalised forces of all coordinates of the tree.
        """

    @abstractmethod
    def matrix(self) -> Matrix:
        """Return the matrix G of nu_tree = G nu: one row per coordinate of the tree, one column per independent one."""

    @abstractmethod
    def matrix_rate(self, nu: Values) -> Matrix:
        """Return the time derivative of the matrix G of nu_tree = G nu, at the independent velocities nu."""

    @abstractmethod
    def tangents(self) -> dict[Coordinate, dict[str, Scalar]]:
        """Return, per independent coordinate, the derivatives of the position inputs along this coordinate.

        Returns:
            For each independent coordinate, the velocities of the input symbols (such as 'q1') when this coordinate has
            velocity 1 and the other independent coordinates have velocity 0.
        """

    def columns(self, columns: Mapping[Coordinate, Vector], size: int) -> dict[Coordinate, Vector]:
        """Return the columns of the Jacobian J G over the independent coordinates, with nu_tree = G nu.

        Args:
            columns: columns of the Jacobian J of the tree, by coordinate; the column of a missing coordinate is zero.
            size: number of rows of J.
        """
        none: Vector = [0] * size
        j: Matrix = transpose([columns.get(c, none) for c in self.tree])
        return dict(zip(self.own, transpose(matmul(j, self.matrix())), strict=True))

    def brackets(self) -> dict[tuple[Coordinate, Coordinate], list[tuple[Coordinate, int]]]:
        """Return the nonzero Lie brackets [X_i, X_j] of the independent quasi-velocities.

        A free base has the brackets of rigid-body motions; joints, modes and motors commute.

        Returns:
            For each pair (i, j) of coordinates, a list of (l, sign) with [X_i, X_j] equal to the sum of sign X_l.
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
    """Map from independent to all coordinates for a tree that may have coupled joints or closed loops.

    The coordinates of base, modes and motors are independent.

    Args:
        joints: map from the independent joint coordinates to all joints.
        base: whether the base is free.
        modes: coordinates of flexible links.
        motors: numbers of the joints whose motors have coordinates.
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
        """Extend a matrix over the joints to a matrix over all coordinates (base, joints, modes, motors).

        Args:
            joints: matrix with one row per joint of the tree and one column per independent joint.
            diagonal: diagonal entry for base, modes and motors; the other new entries are zero.
        """
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
    """Composition of two coordinate maps, G = G_outer G_inner (closed loops on a wheeled robot).

    Args:
        inner: map of the closed loops, which determines some independent coordinates of the outer map.
        outer: map of the rolling wheels, which determines all coordinates of the tree. Coordinates that occur only in
            the outer map are taken as zero in the inner map.
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
        """Return the rows and columns of a matrix of the inner map that the composition uses.

        The rows are the independent coordinates of the outer map, the columns those of the composition.
        """
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
