"""Composite links: the columns of the inertia matrix A.

Inward, the mass beyond each joint is gathered as a pseudo-inertia (1997 paper, eq. 27 to 38):

    P_i <- P_i + iTj P_j iTj'

Column j of A is the wrench that carries the composite link j at unit acceleration of joint j, handed inward:

    revolute   f = (-MY, MX, 0)   m = (-Kxz, -Kyz, Kxx + Kyy)
    prismatic  f = (0, 0, M)      m = (MY, -MX, 0)
"""

from __future__ import annotations

from collections.abc import Mapping

from symoro.errors import NotApplicableError
from symoro.expr.linalg import Matrix
from symoro.expr.scalar import Scalar
from symoro.models.coordinates.blocks import BASE, Coordinate, joint
from symoro.models.dynamic.inertia import effective_inertias
from symoro.models.joints import is_zero
from symoro.models.recursion import Local, homeward, inward, outward
from symoro.models.spatial import Inertia, Wrench
from symoro.program.builder import Builder
from symoro.robot.description import BaseKind, Robot

MatrixEntries = dict[tuple[Coordinate, Coordinate], Scalar]  # one of (i, j) and (j, i); a missing one is zero


def tree_composites(builder: Builder, robot: Robot, locals_: Mapping[int, Local]) -> dict[int, Inertia]:
    """The mass beyond each joint, gathered from the tips inward; on link 0 too where the base is free."""
    floats = robot.base.kind == BaseKind.FLOATING

    def step(local: Local, inertia: Inertia, onto: Inertia) -> Inertia:
        if not local.i and not floats:
            return onto
        found = inertia.to_parent(local, onto)
        _name(builder, local.i, found)
        return found

    return inward(locals_, effective_inertias(builder, robot, locals_, {}, alone=False), step)


def joint_columns(
    builder: Builder, robot: Robot, locals_: Mapping[int, Local], composite: Mapping[int, Inertia]
) -> MatrixEntries:
    """The columns of the joints, with the rows of the base where it is free."""
    entries: MatrixEntries = {}
    for j, local in reversed(list(locals_.items())):
        if local.moving:
            _column(builder, robot, locals_, j, composite[j], entries)
    return entries


def _column(
    builder: Builder,
    robot: Robot,
    locals_: Mapping[int, Local],
    j: int,
    inertia: Inertia,
    entries: MatrixEntries,
) -> None:
    column = column_of(locals_[j], inertia)
    own = column.along(locals_[j])
    section = f"column {j} of A"
    entries[joint(j), joint(j)] = builder.named(
        f"A{j}_{j}", own + builder.formula(robot.frame(j).IA), section
    )
    handed = homeward(locals_, j, column, lambda local, wrench: wrench.to_parent(local))
    for k, wrench in handed.items():
        if k != j and locals_[k].moving:
            entries[joint(k), joint(j)] = builder.named(f"A{k}_{j}", wrench.along(locals_[k]), section)
    if robot.base.kind == BaseKind.FLOATING:
        first = next(k for k in handed if not locals_[k].i)
        wrench = handed[first].to_parent(locals_[first])
        for c, x in zip(BASE, (*wrench.f, *wrench.m), strict=True):
            entries[c, joint(j)] = builder.named(f"A0{c.k}_{j}", x, section)


def column_of(local: Local, inertia: Inertia) -> Wrench:
    """The wrench that carries a composite link at unit acceleration of its joint."""
    xx, yy, _, _, xz, yz = inertia.k
    x, y, _ = inertia.ms
    if local.revolute:
        return Wrench([-y, x, 0], [-xz, -yz, xx + yy])
    return Wrench([0, 0, inertia.m], [y, -x, 0])


def along_axes(locals_: Mapping[int, Local], j: int, wrench: Wrench) -> dict[int, Scalar]:
    """What joint j and those before it feel of a wrench on body j."""
    found = homeward(locals_, j, wrench, lambda local, body: body.to_parent(local))
    return {k: body.along(locals_[k]) for k, body in found.items() if locals_[k].moving}


def _name(builder: Builder, j: int, inertia: Inertia) -> None:
    for name, value in zip(("XX", "YY", "ZZ", "XY", "XZ", "YZ"), inertia.k, strict=True):
        builder.named(f"K{name}C{j}", value, f"link {j}: composite inertia")
    for name, value in zip(("MX", "MY", "MZ"), inertia.ms, strict=True):
        builder.named(f"{name}C{j}", value, f"link {j}: composite inertia")


def symmetric(a: Matrix) -> Matrix:
    """A symmetric matrix by its upper half, so that both halves are the same to the last bit."""
    return [[a[min(i, j)][max(i, j)] for j in range(len(a))] for i in range(len(a))]


def inverse_inertia(j: int, felt: Scalar) -> Scalar:
    """1 / the inertia that a joint feels.

    Raises:
        NotApplicableError: it feels none.
    """
    if is_zero(felt):
        raise NotApplicableError(
            f"joint {j} moves no mass: its acceleration has no value",
            hint=f"give mass to what it carries, or a rotor inertia IA to joint {j}",
        )
    return 1 / felt


def joint_parents(locals_: Mapping[int, Local]) -> dict[int, int]:
    """For each moving joint the moving joint before it, 0 at the base; each after its own."""
    last = outward(locals_, 0, lambda local, before: local.j if local.moving else before)
    return {j: last[local.i] for j, local in locals_.items() if local.moving}
