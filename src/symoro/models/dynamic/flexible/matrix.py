"""The inertia matrix over [q; e], or [V0; q; e], by composite links: J* of a body with all that it carries.

A joint's column is the wrench J* a handed inward, a mode's the wrench C + T' J* S at the root of its link. On its way a
wrench on the tip of a flexible link asks S' f of the modes there, and is T' f at the root. What reaches a free base is
its row; J* of link 0 is the block of the base itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symoro.expr.linalg import Matrix, identity
from symoro.expr.scalar import Scalar
from symoro.models.dynamic.articulated import TreeElement
from symoro.models.dynamic.flexible.beam import Beam
from symoro.models.dynamic.flexible.tree import FlexibleTree
from symoro.models.recursion import FREE_BASE, homeward, inward
from symoro.models.spatial import Inertia, Twist, Wrench
from symoro.program.builder import Builder
from symoro.robot.coordinates import independent
from symoro.robot.description import Robot

Coordinate = tuple[int, int]  # (joint or entry of V0, 0), or (flexible link, number of its mode from 1)


def coordinate_order(robot: Robot, beams: Mapping[int, Beam], *, free_base: bool) -> list[Coordinate]:
    """[V0; q; e]: the base where it is free, the joints, then the modes link by link."""
    modes = [(j, k) for j, beam in beams.items() for k in range(1, beam.modes + 1)]
    of_base = FREE_BASE if free_base else ()
    return [*((j, 0) for j in (*of_base, *independent(robot))), *sorted(modes)]


def inertia_rows(builder: Builder, robot: Robot, tree: FlexibleTree, *, free_base: bool = False) -> Matrix:
    """A over [q; e], and V0 before them where the base is free."""
    composite = _composites(tree)
    entries: dict[tuple[Coordinate, Coordinate], Scalar] = {}
    for j, element in tree.elements.items():
        if isinstance(element, Beam):
            _modes(tree.elements, element, composite[j], entries)
        elif element.moving:
            column = composite[j].column(element)
            own = column.along(element) + builder.formula(robot.frame(j).IA)
            _homeward(tree.elements, j, column, (j, 0), entries)
            entries[(j, 0), (j, 0)] = own
    if free_base:
        _base(composite[0], entries)
    order = coordinate_order(robot, tree.beams, free_base=free_base)
    return [[entries.get((i, k), entries.get((k, i), 0)) for k in order] for i in order]


def _composites(tree: FlexibleTree) -> dict[int, Inertia]:
    def step(element: TreeElement, body: Inertia, onto: Inertia) -> Inertia:
        return body.to_parent(element.shift if isinstance(element, Beam) else element, onto)

    return inward(tree.elements, tree.inertias, step)


def _base(whole: Inertia, entries: dict[tuple[Coordinate, Coordinate], Scalar]) -> None:
    """The columns of a free base: the wrench that a unit of its acceleration takes."""
    for k, unit in zip(FREE_BASE, identity(6), strict=True):
        wrench = whole @ Twist(unit[:3], unit[3:])
        for row, x in zip(FREE_BASE, (*wrench.f, *wrench.m), strict=True):
            entries[(row, 0), (k, 0)] = x


def _modes(
    elements: Mapping[int, TreeElement],
    beam: Beam,
    tip: Inertia,
    entries: dict[tuple[Coordinate, Coordinate], Scalar],
) -> None:
    """The columns of a beam's modes."""
    for k, (column, twist) in enumerate(zip(beam.columns, beam.tips, strict=True), 1):
        wrench = tip @ twist
        for m in range(k, beam.modes + 1):
            mass = beam.mass[m - 1][k - 1] + wrench.dot(beam.tips[m - 1])
            entries[(beam.i, k), (beam.i, m)] = mass
        at_root = column + wrench.to_parent(beam.shift)
        _homeward(elements, beam.i, at_root, (beam.i, k), entries)


def _homeward(
    elements: Mapping[int, TreeElement],
    j: int,
    wrench: Wrench,
    coordinate: Coordinate,
    entries: dict[tuple[Coordinate, Coordinate], Scalar],
) -> None:
    """What the coordinates before body j, its own joint, and the base feel of a wrench on it."""

    def step(element: TreeElement, body: Wrench) -> Wrench:
        return body.to_parent(element.shift if isinstance(element, Beam) else element)

    for k, body in homeward(elements, j, wrench, step).items():
        element = elements[k]
        if isinstance(element, Beam):
            for m, tip in enumerate(element.tips, 1):
                entries[(element.i, m), coordinate] = body.dot(tip)
        elif element.moving:
            entries[(k, 0), coordinate] = body.along(element)
        if not element.i:
            onto = step(element, body)
            for row, x in zip(FREE_BASE, (*onto.f, *onto.m), strict=True):
                entries[(row, 0), coordinate] = x


def rows_of(tree: FlexibleTree, modes: Mapping[int, Sequence[Scalar]]) -> list[Scalar]:
    """Entries of all modes, link by link."""
    return [x for j in sorted(tree.beams) for x in modes[j]]
