"""The inertia matrix over [q; e], or [V0; q; e], by composite links: J* of a body with all that it carries.

A joint's column is the wrench J* a handed inward, a mode's the wrench C + T' J* S at the root of its link. On its way a
wrench on the tip of a flexible link asks S' f of the modes there, and is T' f at the root. What reaches a free base is
its row; J* of link 0 is the block of the base itself.
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
    """Return A over [q; e], and V0 before them where the base is free, by its entries."""
    composite = _composites(tree)
    entries: MatrixEntries = {}
    for j, element in tree.elements.items():
        if isinstance(element, Beam):
            _modes(tree.elements, element, composite[j], entries)
        elif element.moving:
            column = composite[j].column(element)
            own = column.along(element) + builder.formula(robot.frame(j).IA)
            _homeward(tree.elements, j, column, joint(j), entries)
            entries[joint(j), joint(j)] = own
    if free_base:
        _base(composite[0], entries)
    return entries


def _composites(tree: FlexibleTree) -> dict[int, Inertia]:
    def step(element: TreeElement, body: Inertia, onto: Inertia) -> Inertia:
        return body.to_parent(element.shift if isinstance(element, Beam) else element, onto)

    return inward(tree.elements, tree.inertias, step)


def _base(whole: Inertia, entries: MatrixEntries) -> None:
    """The columns of a free base: the wrench that a unit of its acceleration takes."""
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
    """The columns of a beam's modes."""
    for k, (column, twist) in enumerate(zip(beam.columns, beam.tips, strict=True), 1):
        wrench = tip @ twist
        for m in range(k, beam.modes + 1):
            mass = beam.mass[m - 1][k - 1] + wrench.dot(beam.tips[m - 1])
            entries[_mode(beam.i, k), _mode(beam.i, m)] = mass
        at_root = column + wrench.to_parent(beam.shift)
        _homeward(elements, beam.i, at_root, _mode(beam.i, k), entries)


def _homeward(
    elements: Mapping[int, TreeElement],
    j: int,
    wrench: Wrench,
    coordinate: Coordinate,
    entries: MatrixEntries,
) -> None:
    """What the coordinates before body j, its own joint, and the base feel of a wrench on it."""

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
