"""Which geometric parameters full poses show, exactly.

A parameter moves the end by a twist that is constant in a frame j of the way, s: the error of the pose is the sum of
Ad(0Tj(q)) s over the parameters. What the joint j leaves as it is, is constant in the frame before as well,

    revolute    translation along z, rotation about z
    prismatic   translations, rotation about z
    fixed       everything

and is written there; what is left (vx, vy, wx, wy; or wx, wy) turns with q_j, or grows with it, and is like nothing
before it. So parameters are vectors over what is left of all frames, and which of them depend on others is a matter of
linear algebra over the geometry's field: 4 R + 2 P + 6 are independent, if there are enough of them (Everett 1987).
A gain is a multiple of q_j, which no other parameter is.

L.J. Everett, M. Driels, B.W. Mooring, "Kinematic modelling for robot calibration", ICRA 1987.
"""

from __future__ import annotations

from collections.abc import Sequence

from symoro.models.calibration.columns import BASE, DISPLACEMENT, END, GeometricColumn, MeasuredWay
from symoro.models.identification.base.exact.element import ExactScalar
from symoro.models.identification.base.exact.field import Field
from symoro.models.identification.base.exact.linear import SparseVector
from symoro.models.identification.base.functions import RestFrame, place
from symoro.robot.description import JointType

ExactTwist = list[ExactScalar]  # v then w
X, Y, Z = ([1, 0, 0], [0, 1, 0], [0, 0, 1])
LEFT = {JointType.REVOLUTE: (0, 1, 3, 4), JointType.PRISMATIC: (3, 4), JointType.FIXED: ()}


def vectors(way: MeasuredWay, geometry: Field, columns: Sequence[GeometricColumn]) -> list[SparseVector]:
    """The parameters as vectors, one each."""
    rest = {j: place(geometry, way.robot, j) for j in way.frames}
    return [_vector(way, geometry, rest, column) for column in columns]


def _vector(
    way: MeasuredWay, geometry: Field, rest: dict[int, RestFrame], column: GeometricColumn
) -> SparseVector:
    if column.kind == "k":
        return {("k", column.frame): 1}
    if column.frame == BASE:
        return _booked(way, rest, 0, _unit(column.kind))
    if column.frame == END:
        return _booked(way, rest, len(way.frames), _unit(column.kind))
    at = way.frames.index(int(column.frame))
    if column.kind in ("theta", "r"):
        return _booked(way, rest, at + 1, [0, 0, 0, *Z] if column.kind == "theta" else [*Z, 0, 0, 0])
    return _booked(way, rest, at, _before(way, geometry, int(column.frame), column.kind))


def _unit(kind: str) -> ExactTwist:
    k = DISPLACEMENT.index(kind)
    return [1 if i == k else 0 for i in range(6)]


def _before(way: MeasuredWay, geometry: Field, j: int, kind: str) -> ExactTwist:
    """The twist of gamma, b, alpha, beta or d of frame j in its antecedent."""
    frame = way.robot.frame(j)
    if kind in ("gamma", "b"):
        return [0, 0, 0, *Z] if kind == "gamma" else [*Z, 0, 0, 0]
    s, c = geometry.sincos(frame.gamma)
    axis = [-s, c, 0] if kind == "beta" else [c, s, 0]
    if kind == "d":
        return [*axis, 0, 0, 0]
    return [*_cross([0, 0, geometry.of(frame.b)], axis), *axis]


def _booked(way: MeasuredWay, rest: dict[int, RestFrame], level: int, twist: ExactTwist) -> SparseVector:
    """A twist that is constant in the frame of a level (0: the base), as what is left of it frame by frame."""
    found: SparseVector = {}
    for at in range(level, 0, -1):
        j = way.frames[at - 1]
        for k in LEFT[way.robot.frame(j).sigma]:
            if twist[k]:
                found[at, k] = twist[k]
            twist = [0 if i == k else x for i, x in enumerate(twist)]
        twist = _in_antecedent(rest[j], twist)
    found.update({(0, k): x for k, x in enumerate(twist) if x})
    return found


def _in_antecedent(at: RestFrame, twist: ExactTwist) -> ExactTwist:
    """The same twist seen from the frame before, the joint at zero."""
    v, w = _turned(at.rotation, twist[:3]), _turned(at.rotation, twist[3:])
    return [*(a + b for a, b in zip(v, _cross(at.position, w), strict=True)), *w]


def _turned(a: list[list[ExactScalar]], v: Sequence[ExactScalar]) -> ExactTwist:
    return [sum((x * y for x, y in zip(row, v, strict=True)), 0) for row in a]


def _cross(a: Sequence[ExactScalar], b: Sequence[ExactScalar]) -> ExactTwist:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
