"""Inertia matrix of a robot with flexible links, over [q; e] or [V0; q; e], by composite links.

J* is the inertia of a body with all bodies that it carries. The column of a joint is the wrench J* a, transformed
inward; that of a mode is the wrench C + T' J* S at the root of its link. A wrench f on the tip of a flexible link gives
the generalised forces S' f of its modes and the wrench T' f at the root. The wrench at a free base gives the base rows;
J* of link 0 is the block of the base itself.
"""

from __future__ import annotations

from collections.abc import Mapping

from symoro.expr.linalg import identity
from symoro.models.coordinates.blocks import BASE, Block, Coordinate, joint
from symoro.models.dynamic.articulated import TreeElement
from symoro.models.dynamic.composite import MatrixEntries
from symoro.models.dynamic.flexible.beam import Beam
from symoro.models.dynamic.flexible.tree import FlexibleTree
from symoro.models.recursion import inward, toward_base
from symoro.models.spatial import Inertia, Twist, Wrench
from symoro.program.builder import Builder
from symoro.robot.description import Robot


def _mode(j: int, k: int) -> Coordinate:
    return Coordinate(Block.MODE, j, k)


def flexible_inertia(
    builder: Builder, robot: Robot, tree: FlexibleTree, *, free_base: bool = False
) -> MatrixEntries:
    """Return the entries of the inertia matrix over [q; e], or over [V0; q; e] if the base is free.

    q are the joint positions, e the modal coordinates, V0 the twist of the base.
    """
    composite = _composites(tree)
    entries: MatrixEntries = {}
    for j, element in tree.elements.items():
        if isinstance(element, Beam):
            _modes(tree.elements, element, composite[j], entries)
        elif element.moving:
            column = composite[j].column(element)
            own = column.along(element) + builder.formula(robot.frame(j).IA)
            _toward_base(tree.elements, j, column, joint(j), entries)
            entries[joint(j), joint(j)] = own
    if free_base:
        _base(composite[0], entries)
    return entries


def _composites(tree: FlexibleTree) -> dict[int, Inertia]:
    def step(element: TreeElement, body: Inertia, onto: Inertia) -> Inertia:
        return body.to_parent(element.shift if isinstance(element, Beam) else element, onto)

    return inward(tree.elements, tree.inertias, step)


def _base(whole: Inertia, entries: MatrixEntries) -> None:
    """Add the columns of a free base to the inertia matrix: the wrenches at unit accelerations of the base.

    Args:
        whole: inertia of the whole robot.
        entries: entries of the matrix, to which the columns are added.
    """
    for c, unit in zip(BASE, identity(6), strict=True):
        wrench = whole @ Twist(unit[:3], unit[3:])
        for row, x in zip(BASE, (*wrench.f, *wrench.m), strict=True):
            entries[row, c] = x


def _modes(
    elements: Mapping[int, TreeElement],
    beam: Beam,
    tip: Inertia,
    entries: MatrixEntries,
) -> None:
    """Add the columns of a beam's modes to the entries of the inertia matrix.

    Args:
        tip: inertia J* of the beam's tip with all bodies that it carries.
        entries: entries of the matrix, to which the columns are added.
        elements: frames and beams of the tree, by number.
        beam: the beam.
    """
    for k, (column, twist) in enumerate(zip(beam.columns, beam.tips, strict=True), 1):
        wrench = tip @ twist
        for m in range(k, beam.modes + 1):
            mass = beam.mass[m - 1][k - 1] + wrench.dot(beam.tips[m - 1])
            entries[_mode(beam.i, k), _mode(beam.i, m)] = mass
        at_root = column + wrench.to_parent(beam.shift)
        _toward_base(elements, beam.i, at_root, _mode(beam.i, k), entries)


def _toward_base(
    elements: Mapping[int, TreeElement],
    j: int,
    wrench: Wrench,
    coordinate: Coordinate,
    entries: MatrixEntries,
) -> None:
    """Add one column of the inertia matrix: the generalised forces of a wrench on body j.

    The forces act on the joint of body j, on the coordinates between it and the base, and on the base.

    Args:
        coordinate: the coordinate of the column.
        entries: entries of the matrix, to which the column is added.
        elements: frames and beams of the tree, by number.
        wrench: wrench on body j, in its frame.
    """

    def step(element: TreeElement, body: Wrench) -> Wrench:
        return body.to_parent(element.shift if isinstance(element, Beam) else element)

    for k, body in toward_base(elements, j, wrench, step).items():
        element = elements[k]
        if isinstance(element, Beam):
            for m, tip in enumerate(element.tips, 1):
                entries[_mode(element.i, m), coordinate] = body.dot(tip)
        elif element.moving:
            entries[joint(k), coordinate] = body.along(element)
        if not element.i:
            onto = step(element, body)
            for row, x in zip(BASE, (*onto.f, *onto.m), strict=True):
                entries[row, coordinate] = x
