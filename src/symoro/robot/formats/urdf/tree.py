"""The links as one tree: its root, its order, and the frames that it needs.

A frame is made for every moving joint, and for the fixed ones where they are kept. Every link then belongs
to a frame: its own, or that of the nearest link above which has one, on which it stands still.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from symoro.errors import UnknownNameError
from symoro.robot.formats.urdf.model import Body, Document, Joint
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


@dataclass(frozen=True)
class Unit:
    """A joint that gets a frame: `place` is its link's frame in the frame of link `ant` (0 is the root)."""

    joint: Joint
    ant: int
    place: Pose
    axis: Vector3


@dataclass(frozen=True)
class Rider:
    """A link that stands at `place` in the link frame of unit `on` (0 is the root)."""

    body: Body
    on: int
    place: Pose


@dataclass(frozen=True)
class Tree:
    """The robot cut into units in an order where each comes after the one it stands on."""

    root: Body
    units: tuple[Unit, ...]
    riders: dict[str, Rider]
    floating: bool

    @property
    def merged(self) -> tuple[str, ...]:
        """Return the names of the links without a frame: they were merged with the links that carry them."""
        with_frames = {u.joint.child for u in self.units} | {self.root.name}
        return tuple(name for name in self.riders if name not in with_frames)

    @property
    def reach(self) -> float:
        """The longest way from the root to a joint, all positions zero."""
        ways = [0.0]
        for u in self.units:
            ways.append(ways[u.ant] + norm(u.place.p))
        return max(ways)


def tree(document: Document, *, base: str | None, kept: Collection[str]) -> Tree:
    """The tree of a document; `kept` names the fixed joints that get frames, `base` overrides the file's.

    Raises:
        FormatError: the links do not form one tree.
        NotApplicableError: a joint that is none of ours (planar, or floating elsewhere than at the root).
    """
    bodies = {body.name: body for body in document.bodies}
    below = _below(document, bodies)
    root = _root(document, bodies)
    order = _ordered(document, below, root.name)
    free = _free(document, below[root.name])
    floating = base == "floating" or (base is None and free is not None)
    if free is not None and floating:
        root, order = bodies[free.child], [joint for joint in order if joint is not free]
    _only_known_joints(document, order, free)
    units, riders = _units(order, root, bodies, kept)
    return Tree(root, tuple(units), riders, floating)


def _units(
    order: list[Joint], root: Body, bodies: dict[str, Body], kept: Collection[str]
) -> tuple[list[Unit], dict[str, Rider]]:
    units: list[Unit] = []
    riders = {root.name: Rider(root, 0, Pose())}
    for joint in order:
        parent, child = riders[joint.parent], bodies[joint.child]
        place = parent.place @ joint.origin.pose()
        if joint.moving or joint.name in kept:
            units.append(Unit(joint, parent.on, place, unit(joint.axis)))
            riders[child.name] = Rider(child, len(units), Pose())
        else:
            riders[child.name] = Rider(child, parent.on, place)
    return units, riders


def _below(document: Document, bodies: dict[str, Body]) -> dict[str, list[Joint]]:
    """The joints that stand on each link; each link may be the child of one."""
    below: dict[str, list[Joint]] = {name: [] for name in bodies}
    above: dict[str, Joint] = {}
    for joint in document.joints:
        for which, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in bodies:
                hint = UnknownNameError("link", link, list(bodies)[:500]).hint or ""
                raise document.error(
                    f"joint '{joint.name}' has the {which} '{link}', but there is no such link",
                    joint.spot,
                    hint=hint,
                )
        if joint.child in above:
            raise document.error(
                f"link '{joint.child}' is the child of joints '{above[joint.child].name}' and '{joint.name}'",
                joint.spot,
                hint="a URDF is a tree: write the joint that closes a loop as <loop_joint> (docs/urdf.md)",
            )
        above[joint.child] = joint
        below[joint.parent].append(joint)
    return below


def _root(document: Document, bodies: dict[str, Body]) -> Body:
    children = {joint.child for joint in document.joints}
    roots = [body for body in document.bodies if body.name not in children]
    if not roots:
        raise document.error("the links go round in a circle: none is the root", document.joints[0].spot)
    if len(roots) > 1:
        names = ", ".join(f"'{body.name}'" for body in roots[:5]) + (" ..." if len(roots) > 5 else "")
        raise document.error(
            f"the links form {len(roots)} trees, with the roots {names}",
            roots[1].spot,
            hint="join them by fixed joints, or remove the links that belong to nothing",
        )
    return bodies[roots[0].name]


def _ordered(document: Document, below: dict[str, list[Joint]], root: str) -> list[Joint]:
    """The joints in the file's order, each moved back behind the one that it stands on."""
    number = {joint.name: i for i, joint in enumerate(document.joints)}
    ready = [number[joint.name] for joint in below[root]]
    order = []
    while ready:
        joint = document.joints[heapq.heappop(ready)]
        order.append(joint)
        for child in below[joint.child]:
            heapq.heappush(ready, number[child.name])
    if len(order) < len(document.joints):
        reached = {joint.name for joint in order}
        lost = next(joint for joint in document.joints if joint.name not in reached)
        raise document.error(
            f"joint '{lost.name}' is not joined to the root '{root}': its links go round in a circle",
            lost.spot,
        )
    return order


def _free(document: Document, at_root: list[Joint]) -> Joint | None:
    """The floating joint that says that the whole robot is free, if there is one."""
    floating = [joint for joint in at_root if joint.kind == "floating"]
    if floating and len(at_root) > 1:
        raise document.refusal(
            f"joint '{floating[0].name}' floats beside other joints of the root: that is two robots",
            floating[0].spot,
            "load the floating part alone",
        )
    return floating[0] if floating else None


def _only_known_joints(document: Document, order: list[Joint], free: Joint | None) -> None:
    for joint in order:
        if joint.kind in ("planar", "floating") and joint is not free:
            raise document.refusal(
                f"joint '{joint.name}' is {joint.kind}: only the first joint may float, and none be planar",
                joint.spot,
                "replace it by revolute and prismatic joints with massless links between them",
            )


# -- Khalil-Kleinfinger frames of the joint axes
#
# z_j is along the axis of joint j, in its sense, so that the joint's position is the file's own. x_j is along the
# common normal of z_j and of the axis of the main joint that follows, so that gamma = b = 0 there; the main joint is
# the one with the largest number of moving joints behind it. What this leaves free makes parameters vanish:
#
#     parallel axes         the normal at the height of the following origin, so that r = 0
#     coincident axes       x_j along the following x, so that theta = 0 too
#     prismatic joint       its axis through the following origin, so that d = r = 0
#     sense of x_j          so that the following theta is within a quarter turn of zero
#     nothing follows       the link's own frame, turned only as far as z_j needs
#
# Axes that are parallel but for round-off have a common normal so far away that the digits of the placement would be
# lost; there the frame is as if nothing followed.


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
