"""`inertia-matrix` of a floating base, and the solution of A x = b.

    A = [ A11  A12 ]     A11: the composite inertia of the whole robot about the origin of frame 0
        [ A12' A22 ]     column j of A12: the wrench of joint j's column, handed on to link 0

by composite links (`dynamic/composite.py`; Khalil 2010, section 7.1). A = L' D L is factored from the tips inward, the
six coordinates of the base last: joints on different branches meet there alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from symoro.errors import NotApplicableError
from symoro.expr.linalg import Matrix, Vector, block, skew, transpose
from symoro.models.coordinates.couplings import Coordinates
from symoro.models.dynamic.composite import (
    coupled,
    inverse_inertia,
    joint_columns,
    joint_parents,
    tree_composites,
)
from symoro.models.recursion import FREE_BASE, Local
from symoro.models.solvers import TreeFactors, ancestors
from symoro.program.builder import Builder
from symoro.program.program import Port
from symoro.robot.description import Robot
from symoro.robot.free_base import unborne_joint

A = Port("A", "6+n,6+n", "inertia matrix, base rows and columns first, rotor inertias included")


class FloatingInertia:
    """The inertia matrix over [base; coordinates]."""

    def __init__(
        self, builder: Builder, robot: Robot, tree: Mapping[int, Local], joints: Coordinates
    ) -> None:
        self.robot, self.tree, self.joints = robot, tree, joints
        composite = tree_composites(builder, robot, tree)
        self.whole = composite[0]
        self.columns = joint_columns(builder, robot, tree, composite)

    def of_base(self) -> Matrix:
        """A11."""
        m, hat = self.whole.m, skew(self.whole.ms)
        xx, xy, xz, yy, yz, zz = self.whole.tensor()
        mass = [[m, 0, 0], [0, m, 0], [0, 0, m]]
        return block([[mass, transpose(hat)], [hat, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]]])

    def to_base(self) -> Matrix:
        """A12."""
        columns: dict[int, Vector] = {j: [self.columns[k, j] for k in FREE_BASE] for j in self.joints.joints}
        return transpose(self.joints.columns(columns, 6))

    def of_joints(self) -> Matrix:
        """A22."""
        return coupled(self.joints, self.columns)

    def matrix(self) -> Matrix:
        """A."""
        to_base = self.to_base()
        return block([[self.of_base(), to_base], [transpose(to_base), self.of_joints()]])

    def factors(self) -> TreeFactors[int]:
        """A, factored.

        Raises:
            NotApplicableError: A has no inverse.
        """
        j = unborne_joint(self.robot, lambda formula: formula.is_zero)
        if j is not None:
            raise NotApplicableError(
                f"the base has no mass, and joint {j} alone stands on it: their accelerations have no value",
                hint=f"give link 0 a mass and an inertia, or joint {j} a rotor inertia IA",
            )
        order, a, parents = [*FREE_BASE, *self.joints.own], self.matrix(), self._parents()
        at = {k: r for r, k in enumerate(order)}
        entries = {(i, k): a[at[i]][at[k]] for k in order for i in (k, *ancestors(parents, k))}
        return TreeFactors(entries, parents, inverse_inertia)

    def _parents(self) -> dict[int, int]:
        """The coordinate before each one; those of the base stand on one another, and so do all if they are coupled."""
        base = dict(zip(FREE_BASE, (0, *FREE_BASE[:-1]), strict=True))
        last, own = FREE_BASE[-1], self.joints.own
        if self.joints.free:
            return base | {j: parent or last for j, parent in joint_parents(self.tree).items()}
        return base | dict(zip(own, (last, *own[:-1]), strict=True))
