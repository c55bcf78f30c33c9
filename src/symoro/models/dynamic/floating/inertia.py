"""`inertia-matrix` of a floating base, and the solution of A x = b.

    A = [ A11  A12 ]     A11: the composite inertia of the whole robot about the origin of frame 0
        [ A12' A22 ]     column j of A12: the wrench of joint j's column, handed on to link 0

by composite links (`dynamic/composite.py`; Khalil 2010, section 7.1). A = L' D L is factored from the tips inward, the
six coordinates of the base last: joints on different branches meet there alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from symoro.expr.linalg import Matrix, block, matmul, skew, transpose
from symoro.models.catalogue import form
from symoro.models.coordinates import Coordinates, coordinates
from symoro.models.dynamic.composite import (
    MatrixEntries,
    column_of,
    full_matrix,
    joint_parents,
    solve_tree,
    symmetric,
    tree_composites,
)
from symoro.models.dynamic.floating.base import (
    EXAMPLE,
    OF,
    floating_tree,
    has_floating_base,
)
from symoro.models.ports import Q
from symoro.models.recursion import FREE_BASE, Local, homeward, local_frames
from symoro.models.references import NEWTON_EULER_2010
from symoro.models.spatial import Inertia, Wrench
from symoro.program.builder import Builder
from symoro.program.program import Port, Program
from symoro.robot.description import Robot

A = Port("A", "6+n,6+n", "inertia matrix, base rows and columns first, rotor inertias included")


class FloatingInertia:
    """The inertia matrix over [base; joints of the tree]."""

    def __init__(self, builder: Builder, robot: Robot, tree: Mapping[int, Local]) -> None:
        self.tree = tree
        composite = tree_composites(builder, robot, tree)
        self.whole = composite[0]
        self.base: dict[int, Wrench] = {}  # columns of A12
        self.joints: MatrixEntries = {}
        for j, local in reversed(list(tree.items())):
            if local.moving:
                self._column(builder, robot, j, composite[j])

    def _column(self, builder: Builder, robot: Robot, j: int, inertia: Inertia) -> None:
        tree, section = self.tree, f"column {j} of A"
        column = column_of(tree[j], inertia)
        handed = homeward(tree, j, column, lambda local, wrench: wrench.to_parent(local))
        for k, wrench in handed.items():
            if k == j:
                own = wrench.along(tree[j]) + builder.formula(robot.frame(j).IA)
                self.joints[j, j] = builder.named(f"A{j}_{j}", own, section)
            elif tree[k].moving:
                self.joints[k, j] = builder.named(f"A{k}_{j}", wrench.along(tree[k]), section)
        first = next(k for k in handed if not tree[k].i)
        at_base = handed[first].to_parent(tree[first])
        for k, x in enumerate((*at_base.f, *at_base.m), 1):
            builder.named(f"A0{k}_{j}", x, section)
        self.base[j] = at_base

    def of_base(self) -> Matrix:
        """A11."""
        m, ms = self.whole.m, list(self.whole.ms)
        xx, xy, xz, yy, yz, zz = self.whole.tensor()
        hat = skew(ms)
        mass = [[m, 0, 0], [0, m, 0], [0, 0, m]]
        return block([[mass, transpose(hat)], [hat, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]]])

    def to_base(self, joints: Coordinates) -> Matrix:
        """A12 over the coordinates."""
        columns = {j: [*wrench.f, *wrench.m] for j, wrench in self.base.items()}
        return transpose(joints.columns(columns, 6))

    def matrix(self, joints: Coordinates) -> Matrix:
        """A over [base; coordinates]."""
        of_joints = full_matrix(self.joints, list(joints.rows))
        if not joints.free:
            g = joints.matrix()
            of_joints = symmetric(matmul(transpose(g), matmul(of_joints, g)))
        to_base = self.to_base(joints)
        return block([[self.of_base(), to_base], [transpose(to_base), of_joints]])

    def solved(self, joints: Coordinates, right: Matrix) -> Matrix:
        """A^-1 right.

        Raises:
            NotApplicableError: A has no inverse.
        """
        own = list(joints.own)
        entries, parents = self._entries(joints), self._parents(joints)
        order = [*FREE_BASE, *own]
        columns = []
        for column in transpose(right):
            x = solve_tree(entries, parents, dict(zip(order, column, strict=True)))
            columns.append([x[k] for k in order])
        return transpose(columns)

    def _entries(self, joints: Coordinates) -> MatrixEntries:
        """Entry (i, k) for each i before or at k."""
        order = [*FREE_BASE, *joints.own]
        a = self.matrix(joints)
        at = {k: r for r, k in enumerate(order)}
        parents = self._parents(joints)
        found: MatrixEntries = {}
        for k in order:
            i = k
            while i:
                found[i, k] = a[at[i]][at[k]]
                i = parents[i]
        return found

    def _parents(self, joints: Coordinates) -> dict[int, int]:
        """The coordinate before each one; those of the base stand on one another, coupled joints too."""
        base = dict(zip(FREE_BASE, (0, *FREE_BASE[:-1]), strict=True))
        if joints.free:
            tree = joint_parents(self.tree)
            return base | {j: parent or FREE_BASE[-1] for j, parent in tree.items()}
        own = list(joints.own)
        return base | dict(zip(own, [FREE_BASE[-1], *own[:-1]], strict=True))


@form(
    "inertia-matrix",
    of=OF,
    takes=has_floating_base,
    inputs=(Q,),
    outputs=(A,),
    reference=NEWTON_EULER_2010.at("section 7.1, eq. (83) to (88)"),
    applies=floating_tree,
    applies_to="serial and tree robots on a floating base",
    equations=r"A = \begin{bmatrix} A_{11} & A_{12} \\ A_{12}^T & A_{22} \end{bmatrix}",
    example=EXAMPLE,
)
def floating_inertia_matrix(robot: Robot) -> Program:
    """The inertia matrix of the base and the joints."""
    builder = Builder(f"{robot.name}_inertia_matrix")
    joints = coordinates(builder, robot)
    found = FloatingInertia(builder, robot, local_frames(builder, robot, joints.positions))
    builder.output(A, found.matrix(joints))
    return builder.program()
