"""Constraint providers: the coordinates of a tree from the independent ones.

    nu_tree = G nu,    nud_tree = G nud + g,    forces = G' forces_tree

Actuation is a second map, from the independent coordinates to the drives:

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
    """The drives of a robot.

    Attributes:
        drives: the joints with a drive, in frame order.
        matrix: T, (drives, coordinates); None where the drives are the coordinates.
    """

    drives: tuple[int, ...]
    matrix: Matrix | None = None

    def forces(self, tau: Sequence[Scalar]) -> Vector:
        """Return T' tau."""
        return list(tau) if self.matrix is None else matvec(transpose(self.matrix), tau)

    def torques(self, forces: Sequence[Scalar]) -> Vector:
        """Return the torques with T' tau = forces and the least sum of squares, T (T'T)^-1 forces."""
        if self.matrix is None:
            return list(forces)
        t = self.matrix
        normal = matmul(transpose(t), t)
        n = len(normal)
        upper = [[normal[min(i, j)][max(i, j)] for j in range(n)] for i in range(n)]
        return matvec(t, solve_symmetric(upper, forces))


class ConstraintProvider(ABC):
    """The map from independent coordinates to those of the tree.

    Attributes:
        tree: the coordinates of the tree, the rows of G, in the order of the blocks.
        own: the independent ones, the columns of G.
        positions: of every moving joint of the tree.
        is_identity: every coordinate of the tree is independent, G = 1.
        is_constant: G does not depend on the posture.
    """

    tree: tuple[Coordinate, ...]
    own: tuple[Coordinate, ...]
    positions: Mapping[int, Scalar]
    is_identity: bool
    is_constant: bool

    @property
    def actuation(self) -> Actuation:
        """The drives; by default one per joint with a coordinate of its own."""
        return Actuation(tuple(c.j for c in self.own if c.block is Block.JOINT))

    @abstractmethod
    def rates(self, nu: Values) -> dict[Coordinate, Scalar]:
        """Return G nu."""

    @abstractmethod
    def accelerations(self, nud: Values, nu: Values) -> dict[Coordinate, Scalar]:
        """Return G nud + g; those of the base are classical."""

    @abstractmethod
    def project(self, forces: Values) -> dict[Coordinate, Scalar]:
        """Return G' forces."""

    @abstractmethod
    def matrix(self) -> Matrix:
        """Return G: (tree, own)."""

    @abstractmethod
    def matrix_rate(self, nu: Values) -> Matrix:
        """Return the time derivative of G: (tree, own)."""

    @abstractmethod
    def tangents(self) -> dict[Coordinate, dict[str, Scalar]]:
        """Return, per independent coordinate, the rates of the symbols of the position inputs."""

    def columns(self, columns: Mapping[Coordinate, Vector], size: int) -> dict[Coordinate, Vector]:
        """Return J G by columns, from those of J; a coordinate of the tree that is left out has none."""
        none: Vector = [0] * size
        j: Matrix = transpose([columns.get(c, none) for c in self.tree])
        return dict(zip(self.own, transpose(matmul(j, self.matrix())), strict=True))

    def brackets(self) -> dict[tuple[Coordinate, Coordinate], list[tuple[Coordinate, int]]]:
        """Return the Lie brackets of the quasi-velocities: (i, j) -> (l, +1 or -1), [X_i, X_j] = their sum.

        Those of rigid motions for a free base; joints, modes and motors commute.
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
    """Base, modes and motors independent; the joints by couplings or closed loops.

    Arguments:
        joints: the joints of the tree and those with a coordinate of their own.
        base: whether the base is free.
        modes: the coordinates of flexible links.
        motors: the joints whose motors have coordinates.
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
        """Return a matrix over all coordinates from that of the joints; the others have the diagonal."""
        rows = dict(zip(self.joints.joints, joints, strict=True))
        place = {j: k for k, j in enumerate(self.joints.own)}
        return [
            [
                (rows[c.j][place[i.j]] if i.block is Block.JOINT else 0)
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
    """Two providers one after the other, G = G_outer G_inner.

    Arguments:
        inner: gives some independent coordinates of the outer one (those of closed loops).
        outer: gives the tree (on wheels). A coordinate that only the outer provider determines is zero for the inner.
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
        """Return the rows and columns (outer.own, own) of a matrix of the inner provider."""
        rows = dict(zip(self.inner.tree, inner, strict=True))
        at = [self.inner.own.index(c) for c in self.own]
        return [[rows[c][k] for k in at] for c in self.outer.own]

    def matrix(self) -> Matrix:
        return matmul(self.outer.matrix(), self._of_outer(self.inner.matrix()))

    def matrix_rate(self, nu: Values) -> Matrix:
        rates = self._outer(nu, self.inner.rates(self._inner(nu)))
        turned = matmul(self.outer.matrix_rate(rates), self._of_outer(self.inner.matrix()))
        return matadd(
            turned, matmul(self.outer.matrix(), self._of_outer(self.inner.matrix_rate(self._inner(nu))))
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
