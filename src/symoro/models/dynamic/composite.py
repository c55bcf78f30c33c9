"""Composite links: the columns of the inertia matrix A.

The inertia beyond each joint is accumulated inward as a pseudo-inertia (1997 paper, eq. 27 to 38):

    P_i <- P_i + iTj P_j iTj'

Column j of A is the wrench on the composite link j at unit acceleration of joint j, transformed inward:

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
from symoro.models.recursion import JointFrame, inward, outward, toward_base
from symoro.models.spatial import Inertia, Wrench
from symoro.program.builder import Builder
from symoro.robot.description import BaseKind, Robot

MatrixEntries = dict[
    tuple[Coordinate, Coordinate], Scalar
]  # either (i, j) or (j, i) is stored; missing entries are zero


def tree_composites(builder: Builder, robot: Robot, frames: Mapping[int, JointFrame]) -> dict[int, Inertia]:
    """Return the inertia of each link with all links that it carries; link 0 is included if the base is free."""
    floats = robot.base.kind == BaseKind.FLOATING

    def step(frame: JointFrame, inertia: Inertia, onto: Inertia) -> Inertia:
        if not frame.i and not floats:
            return onto
        composite = inertia.to_parent(frame, onto)
        _name(builder, frame.i, composite)
        return composite

    return inward(frames, effective_inertias(builder, robot, frames, {}, alone=False), step)


def joint_columns(
    builder: Builder, robot: Robot, frames: Mapping[int, JointFrame], composite: Mapping[int, Inertia]
) -> MatrixEntries:
    """Return the entries of the joints' columns of the inertia matrix A, with the rows of the base if it is free.

    Args:
        composite: composite inertia of each link.
    """
    entries: MatrixEntries = {}
    for j, frame in reversed(list(frames.items())):
        if frame.moving:
            _column(builder, robot, frames, j, composite[j], entries)
    return entries


def _column(
    builder: Builder,
    robot: Robot,
    frames: Mapping[int, JointFrame],
    j: int,
    inertia: Inertia,
    entries: MatrixEntries,
) -> None:
    column = column_of(frames[j], inertia)
    own = column.along(frames[j])
    section = f"column {j} of A"
    entries[joint(j), joint(j)] = builder.named(
        f"A{j}_{j}", own + builder.formula(robot.frame(j).IA), section
    )
    floats = robot.base.kind == BaseKind.FLOATING
    handed = toward_base(frames, j, column, lambda frame, wrench: wrench.to_parent(frame), base=floats)
    for k, wrench in handed.items():
        if k == 0:
            for c, x in zip(BASE, (*wrench.f, *wrench.m), strict=True):
                entries[c, joint(j)] = builder.named(f"A0{c.k}_{j}", x, section)
        elif k != j and frames[k].moving:
            entries[joint(k), joint(j)] = builder.named(f"A{k}_{j}", wrench.along(frames[k]), section)


def column_of(frame: JointFrame, inertia: Inertia) -> Wrench:
    """Return the wrench on a composite link at unit acceleration of its joint, in the link's frame.

    Args:
        inertia: inertia of the composite link, in the link's frame.
    """
    xx, yy, _, _, xz, yz = inertia.k
    x, y, _ = inertia.ms
    if frame.revolute:
        return Wrench([-y, x, 0], [-xz, -yz, xx + yy])
    return Wrench([0, 0, inertia.m], [y, -x, 0])


def along_axes(frames: Mapping[int, JointFrame], j: int, wrench: Wrench) -> dict[int, Scalar]:
    """Return the components of a wrench on body j along the axes of the joints from joint j to the base."""
    wrenches = toward_base(frames, j, wrench, lambda frame, body: body.to_parent(frame))
    return {k: body.along(frames[k]) for k, body in wrenches.items() if frames[k].moving}


def _name(builder: Builder, j: int, inertia: Inertia) -> None:
    for name, value in zip(("XX", "YY", "ZZ", "XY", "XZ", "YZ"), inertia.k, strict=True):
        builder.named(f"K{name}C{j}", value, f"link {j}: composite inertia")
    for name, value in zip(("MX", "MY", "MZ"), inertia.ms, strict=True):
        builder.named(f"{name}C{j}", value, f"link {j}: composite inertia")


def symmetric(a: Matrix) -> Matrix:
    """Return the symmetric matrix with the upper triangle of `a`; the lower triangle has the same expressions."""
    return [[a[min(i, j)][max(i, j)] for j in range(len(a))] for i in range(len(a))]


def inverse_inertia(j: int, inertia: Scalar) -> Scalar:
    """Return 1 / inertia for the inertia about (or mass along) the axis of joint j.

    Raises:
        NotApplicableError: the inertia is zero.
    """
    if is_zero(inertia):
        raise NotApplicableError(
            f"joint {j} moves no mass, so that its acceleration is undetermined",
            hint=f"give a mass to the links that joint {j} moves, or a rotor inertia IA to the joint",
        )
    return 1 / inertia


def joint_parents(frames: Mapping[int, JointFrame]) -> dict[int, int]:
    """Return, for each moving joint, the nearest moving joint on its path to the base (0 if there is none).

    Each joint comes after its parent in the dictionary.
    """
    last = outward(frames, 0, lambda frame, before: frame.j if frame.moving else before)
    return {j: last[frame.i] for j, frame in frames.items() if frame.moving}
