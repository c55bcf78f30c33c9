"""Where the Khalil-Kleinfinger frames of a tree of joint axes stand.

z_j is along the axis of joint j, in its sense, so that the joint's position is the file's own. x_j is along
the common normal of z_j and of the axis of the main joint that follows, so that gamma = b = 0 there; the main
joint is the one with the largest number of moving joints behind it. What this leaves free makes parameters
vanish:

    parallel axes         the normal at the height of the following origin, so that r = 0
    coincident axes       x_j along the following x, so that theta = 0 too
    prismatic joint       its axis through the following origin, so that d = r = 0
    sense of x_j          so that the following theta is within a quarter turn of zero
    nothing follows       the link's own frame, turned only as far as z_j needs

Axes that are parallel but for round-off have a common normal so far away that the digits of the placement
would be lost; there the frame is as if nothing followed.
"""

from __future__ import annotations

from collections.abc import Sequence

from symoro.robot.formats.urdf.model import Joint
from symoro.robot.formats.urdf.parameters import ROUND_OFF, faithful, six, size_of
from symoro.robot.formats.urdf.rigid import (
    ORIGIN,
    UNIT,
    Pose,
    Vector3,
    across,
    cross,
    dot,
    from_columns,
    norm,
    scaled,
    subtract,
    unit,
)
from symoro.robot.formats.urdf.tree import Unit

SIDE = 1e-9  # cosine, or share of the reach: a smaller one does not decide between two directions


def place_frames(units: Sequence[Unit], reach: float, *, on_links: bool) -> list[Pose]:
    """Each unit's frame in the frame of its link, counted from 1; 0 is the root's own frame.

    Arguments:
        on_links: keep to the links' own frames, whatever follows.
    """
    frames = [Pose()] * (len(units) + 1)
    behind = _moving_behind(units)
    following: list[list[int]] = [[] for _ in frames]
    for k, u in enumerate(units, 1):
        if u.joint.moving:
            following[u.ant].append(k)
    for j in range(len(units), 0, -1):
        u = units[j - 1]
        if not u.joint.moving:
            continue
        frames[j] = on_link(u.axis)
        if on_links:
            continue
        for k in sorted(following[j], key=lambda k: -behind[k]):
            next_frame = units[k - 1].place @ frames[k]
            found = towards(u.joint, u.axis, next_frame, reach)
            if found is not None:
                frames[j] = found
                break
    return frames


def _moving_behind(units: Sequence[Unit]) -> list[int]:
    counts = [0] * (len(units) + 1)
    for j in range(len(units), 0, -1):
        counts[j] += units[j - 1].joint.moving
        counts[units[j - 1].ant] += counts[j]
    return counts


def on_link(axis: Vector3) -> Pose:
    """The link's frame with z turned to the axis; x stays along an axis of the link where it can."""
    aside = min(range(3), key=lambda i: abs(axis[i]))
    return _with_axes(unit(across(UNIT[aside], axis)), axis, ORIGIN)


def towards(joint: Joint, axis: Vector3, following: Pose, reach: float) -> Pose | None:
    """The frame on the common normal to the axis of the following frame; None when that is too far away."""
    normal = cross(axis, following.z)
    sine = norm(normal)
    parallel = sine < ROUND_OFF
    if joint.kind == "prismatic":  # its axis may stand anywhere
        origin = following.p
    elif parallel:
        origin = scaled(dot(following.p, axis), axis)
    else:
        origin = scaled(dot(cross(following.p, following.z), normal) / sine**2, axis)
    x = _normal_direction(axis, following, subtract(following.p, origin), normal, parallel, reach)
    frame = _with_axes(scaled(_sense(x, following, origin, reach), x), axis, origin)
    place = frame.inverse() @ following
    size = max(size_of(place, reach), norm(origin))
    found = six(place, size)
    near = found.gamma == 0 and found.b == 0 and faithful(found, place, size, reach)
    return frame if near else None


def _normal_direction(
    axis: Vector3, following: Pose, offset: Vector3, normal: Vector3, parallel: bool, reach: float
) -> Vector3:
    if not parallel:
        return unit(across(unit(normal), axis))
    sideways = across(offset, axis)
    if norm(sideways) > ROUND_OFF * max(reach, norm(following.p)):
        return unit(sideways)
    return unit(across(following.x, axis))


def _sense(x: Vector3, following: Pose, origin: Vector3, reach: float) -> float:
    """The better sense of x: theta next to zero, else d positive, else x along the link's own axes."""
    sideways = dot(x, subtract(following.p, origin)) / (reach or 1.0)
    for measure in (dot(x, following.x), sideways, *x):
        if abs(measure) > SIDE:
            return 1.0 if measure > 0 else -1.0
    return 1.0


def _with_axes(x: Vector3, z: Vector3, origin: Vector3) -> Pose:
    return Pose(from_columns(x, cross(z, x), z), origin)
