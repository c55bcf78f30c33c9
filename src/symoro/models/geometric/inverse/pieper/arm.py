"""Chain for Pieper's method: joints with constant transforms between them, and points where axes intersect.

    K0 J1 K1 J2 ... Jn Kn = U0,    J = Rz(sign q) or Tz(sign q)

Read from its other end, the chain has the same form, with every transform inverted and in reverse order: statements
about a wrist are valid for a shoulder. Whether axes intersect depends only on the constants: axis b, with direction z
and origin p in the frame of axis a, passes through the point (0, 0, height) of axis a if p = (0, 0, height) - t z.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from symoro.expr.linalg import (
    Matrix,
    Vector,
    add,
    homogeneous,
    identity,
    inverse_transform,
    matmul,
    matvec,
    position_of,
    rotation_of,
)
from symoro.expr.scalar import Scalar
from symoro.models.geometric.inverse.chain.chain import Chain, Unknown
from symoro.models.geometric.inverse.chain.pose import Given
from symoro.models.geometric.inverse.chain.probes import Probes
from symoro.models.geometric.inverse.paul.forms import FormPoint, moved, placed, still


@dataclass(frozen=True)
class ArmJoint:
    """Joint Rz(sign q) or Tz(sign q) with unknown q."""

    unknown: Unknown
    sign: int

    @property
    def turns(self) -> bool:
        return self.unknown.turns


@dataclass(frozen=True)
class Arm:
    """Chain of joints and constant transforms.

    Attributes:
        joints: joints from the base to the end.
        constants: transforms between the joints; `constants[n]` is after joint n, the first one before all joints.
        target: required product U0.
        given: which columns of U0 are given.
    """

    joints: tuple[ArmJoint, ...]
    constants: tuple[Matrix, ...]
    target: Matrix
    given: tuple[bool, ...]


@dataclass(frozen=True)
class Centre:
    """Point that the joints `first` to `last` - 1 (from 0) do not move, or the origin of a frame.

    Attributes:
        before: coordinates of the point in the frame of the joint before `first`.
        behind: coordinates of the point in the frame before joint `last`, or in the end frame.
    """

    first: int
    last: int
    before: Vector
    behind: Vector


def arm_of(chain: Chain, given: Given) -> Arm:
    """Return the arm of a chain in which every joint is a separate unknown."""
    owners = {unknown.joint: unknown for unknown in chain.unknowns}
    joints: list[ArmJoint] = []
    constants: list[Matrix] = [identity(4)]
    for motion in chain.motions:
        if motion.joint:
            # The unknown of a revolute joint is its angle with the sign of the path.
            joints.append(ArmJoint(owners[motion.joint], 1 if motion.turns else motion.sign))
            constants.append(identity(4))
        else:
            constants[-1] = matmul(constants[-1], motion.matrix)
    columns = tuple(all(row[c] for row in given) for c in range(4))
    return Arm(tuple(joints), tuple(constants), chain.target, columns)


def reversed_arm(arm: Arm) -> Arm:
    """Return the same loop from the other end; each of its columns depends on all entries of the pose."""
    return Arm(
        tuple(ArmJoint(joint.unknown, -joint.sign) for joint in reversed(arm.joints)),
        tuple(inverse_transform(k) for k in reversed(arm.constants)),
        inverse_transform(arm.target),
        (all(arm.given),) * 4,
    )


def centres(arm: Arm, first: int, last: int, probes: Probes) -> list[Centre]:
    """Return the points that the joints from `first` to `last` - 1 do not move.

    For a single axis, these are the points that U0 may determine.
    """
    if first == last:
        return [Centre(first, last, position_of(arm.constants[first]), [0, 0, 0])]
    if not all(joint.turns for joint in arm.joints[first:last]):
        return []
    if last - first == 1:
        return [_on_axes(arm, first, last, height, height) for height in _heights(arm, last, probes)]
    meetings = [_intersection(between, probes) for between in arm.constants[first + 1 : last]]
    heights = [met for met in meetings if met is not None]
    if len(heights) < len(meetings):
        return []
    if any(not probes.vanishes(one[1] - other[0], probes.length) for one, other in pairwise(heights)):
        return []
    return [_on_axes(arm, first, last, heights[0][0], heights[-1][1])]


def _on_axes(arm: Arm, first: int, last: int, entry: Scalar, exit_height: Scalar) -> Centre:
    """Return the point from its heights on the first and the last axis."""
    before = _applied(arm.constants[first], [0, 0, entry])
    return Centre(first, last, before, _applied(inverse_transform(arm.constants[last]), [0, 0, exit_height]))


def _heights(arm: Arm, last: int, probes: Probes) -> list[Scalar]:
    """Return 0 and the heights of the points on the axis before `last` at which a later coordinate is zero."""
    back = inverse_transform(arm.constants[last])
    steep = [row for row in back[:3] if not probes.vanishes(row[2])]
    return [0, *(-row[3] / row[2] for row in steep)]


def _intersection(between: Matrix, probes: Probes) -> tuple[Scalar, Scalar] | None:
    """Return the heights of the intersection point on both axes; None if the axes are skew or parallel."""
    (x, y, z), (px, py, pz) = ([row[c] for row in between[:3]] for c in (2, 3))
    across = x * x + y * y
    if probes.vanishes(across) or not probes.vanishes(px * y - py * x, probes.length):
        return None
    height = -(px * x + py * y) / across
    height = 0 if probes.vanishes(height, probes.length) else height
    return pz + height * z, height


def seen_behind(arm: Arm, centre: Centre, turns: bool, probes: Probes) -> FormPoint | None:
    """Return the centre in the frame of U0, with at most one joint after its axes; None if U0 does not determine it.

    Args:
        turns: whether the joint in whose forms the result is written is revolute: the joint after the axes, if there
            is one.
    """
    seen = still(turns, centre.behind)
    for joint in arm.joints[centre.last :]:
        seen = placed(inverse_transform(arm.constants[-1]), moved(turns, -joint.sign, centre.behind))
    columns = []
    for form, known in zip(seen, arm.given[:3], strict=True):
        pairs = zip(form.k, form.sizes(probes.length), strict=True)
        if not known and not all(probes.vanishes(k, size) for k, size in pairs):
            return None
        columns.append(form if known else form.times(0))
    return placed(arm.target, (columns[0], columns[1], columns[2])) if arm.given[3] else None


def along(arm: Arm, start: int, stop: int) -> Matrix:
    """Return K J K .. J K of the joints from `start` to `stop` - 1, including the constants before and after them."""
    transform = arm.constants[start]
    for joint, after in zip(arm.joints[start:stop], arm.constants[start + 1 : stop + 1], strict=True):
        transform = matmul(matmul(transform, _placement(joint)), after)
    return transform


def _placement(joint: ArmJoint) -> Matrix:
    if not joint.turns:
        return homogeneous(identity(3), [0, 0, joint.sign * joint.unknown.length])
    s, c = joint.sign * joint.unknown.sine, joint.unknown.cosine
    return homogeneous([[c, -s, 0], [s, c, 0], [0, 0, 1]], [0, 0, 0])


def _applied(matrix: Matrix, point: Sequence[Scalar]) -> Vector:
    return add(matvec(rotation_of(matrix), point), position_of(matrix))
