"""Chain for Pieper's method: joints with constant transforms between them, and points where axes intersect.

    K0 J1 K1 J2 ... Jn Kn = U0,    J = Rz(sign q) or Tz(sign q)

If the chain is traversed from its other end, the equation has the same form, with every transform inverted and in
reverse order. Therefore all functions for a wrist apply to a shoulder as well. Whether axes intersect depends only on
the constants: axis b, with direction z and origin p in the frame of axis a, passes through the point (0, 0, height) of
axis a if p = (0, 0, height) - t z.
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
    """Joint with the transform Rz(sign q) or Tz(sign q) and the unknown position q."""

    unknown: Unknown
    sign: int

    @property
    def turns(self) -> bool:
        return self.unknown.turns


@dataclass(frozen=True)
class Arm:
    """Chain of joints and constant transforms, with the pose that it must reach.

    Attributes:
        joints: joints from the base to the end.
        constants: constant transforms; `constants[n]` follows joint n, and `constants[0]` is before all joints.
        target: pose U0 = [s n a P] (4x4) that the product of all transforms must equal.
        given: for each of the four columns of U0, whether it is given.
    """

    joints: tuple[ArmJoint, ...]
    constants: tuple[Matrix, ...]
    target: Matrix
    given: tuple[bool, ...]


@dataclass(frozen=True)
class Centre:
    """Point that some consecutive joints do not move, such as the centre of a spherical wrist.

    Attributes:
        first, last: the joints with indices `first` to `last` - 1 (from 0) do not move the point. If `first` equals
            `last`, the point is the origin of a frame.
        before: coordinates of the point in the frame of the joint before `first`.
        behind: coordinates of the point in the frame before joint `last`, or in the end frame.
    """

    first: int
    last: int
    before: Vector
    behind: Vector


def arm_of(chain: Chain, given: Given) -> Arm:
    """Write a chain as alternating joints and constant transforms; every joint must be a separate unknown.

    Args:
        given: for each entry of the upper three rows of the pose, whether it is given.
    """
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
    """Return the same chain, traversed from the end to the base.

    Its pose is the inverse of the given one, so that each column is known only if all entries of the pose are given.
    """
    return Arm(
        tuple(ArmJoint(joint.unknown, -joint.sign) for joint in reversed(arm.joints)),
        tuple(inverse_transform(k) for k in reversed(arm.constants)),
        inverse_transform(arm.target),
        (all(arm.given),) * 4,
    )


def centres(arm: Arm, first: int, last: int, probes: Probes) -> list[Centre]:
    """Return points that the joints with indices `first` to `last` - 1 do not move.

    These are the intersection point of several axes, or the origin of a frame if there are no joints. For a single
    axis, they are the points on the axis that the given columns of the pose may determine.

    Args:
        probes: random samples to test whether lengths are zero.
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
    """Return the point in which the axes of consecutive joints intersect.

    Args:
        first, last: the joints have the indices `first` to `last` - 1.
        entry: coordinate of the point along the first axis.
        exit_height: coordinate of the point along the last axis.
    """
    before = _applied(arm.constants[first], [0, 0, entry])
    return Centre(first, last, before, _applied(inverse_transform(arm.constants[last]), [0, 0, exit_height]))


def _heights(arm: Arm, last: int, probes: Probes) -> list[Scalar]:
    """Return the heights, along the axis of joint `last` - 1, of points that the pose may determine.

    They are 0 and the heights at which x, y or z of the point is zero in the next frame, so that fewer columns of the
    pose are required to determine the point.

    Args:
        last: index of the joint (from 0) plus one.
        probes: random samples to test whether coefficients are zero.
    """
    back = inverse_transform(arm.constants[last])
    steep = [row for row in back[:3] if not probes.vanishes(row[2])]
    return [0, *(-row[3] / row[2] for row in steep)]


def _intersection(between: Matrix, probes: Probes) -> tuple[Scalar, Scalar] | None:
    """Return the coordinates of the intersection point of two axes, measured along each axis.

    Args:
        between: constant transform from the first axis to the second.
        probes: random samples to test whether lengths are zero.

    Returns:
        (coordinate along the first axis, coordinate along the second axis); None if the axes are skew or parallel.
    """
    (x, y, z), (px, py, pz) = ([row[c] for row in between[:3]] for c in (2, 3))
    across = x * x + y * y
    if probes.vanishes(across) or not probes.vanishes(px * y - py * x, probes.length):
        return None
    height = -(px * x + py * y) / across
    height = 0 if probes.vanishes(height, probes.length) else height
    return pz + height * z, height


def seen_behind(arm: Arm, centre: Centre, turns: bool, probes: Probes) -> FormPoint | None:
    """Return the coordinates of a point in the base of the chain, computed backwards from the pose of the chain's end.

    At most one joint lies between the axes that intersect in the point and the end of the chain. The coordinates are
    functions of the position of this joint.

    Args:
        centre: the point.
        turns: whether the unknown of these functions is an angle.
        probes: random samples to test whether coefficients are zero.

    Returns:
        The coordinates; None if the given columns of the pose do not determine them.
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
    """Return the product K J K .. J K of transforms over the joints with indices `start` to `stop` - 1.

    K are the constant transforms, J those of the joints. The constants before the first and after the last of these
    joints are included.
    """
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
