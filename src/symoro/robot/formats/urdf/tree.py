"""Tree of the links: its root, its order, and its frames.

Every moving joint gets a frame, and so do fixed joints that are kept. Every other link belongs to the frame of the
nearest preceding link that has one, to which it is fixed.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from symoro.errors import UnknownNameError
from symoro.robot.formats.urdf.model import Body, Document, Joint
from symoro.robot.formats.urdf.parameters import ROUND_OFF, reproduces, six, size_of
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

_LOOPS = "a URDF describes a tree: write the joint that closes a loop as <loop_joint> (docs/urdf.md)"


@dataclass(frozen=True)
class Unit:
    """Joint of a URDF tree that gets a frame of the robot.

    Attributes:
        joint: the joint of the file.
        ant: number of the preceding joint with a frame; 0 is the root link.
        place: pose of the joint's child link frame in the child link frame of joint `ant`, at joint position 0.
        axis: joint axis in the child link frame.
    """

    joint: Joint
    ant: int
    place: Pose
    axis: Vector3


@dataclass(frozen=True)
class AttachedLink:
    """Link without a frame of the robot, which is fixed to the child link of a joint with a frame.

    Attributes:
        body: the link.
        on: number of that joint; 0 is the root link.
        place: pose of the link frame in the child link frame of joint `on`.
    """

    body: Body
    on: int
    place: Pose


@dataclass(frozen=True)
class Tree:
    """Tree of the joints that get frames of the robot (units); each joint follows its antecedent in the list."""

    root: Body
    units: tuple[Unit, ...]
    attached_links: dict[str, AttachedLink]
    floating: bool

    @property
    def merged(self) -> tuple[str, ...]:
        """Return the names of the links without a frame; they are merged with the links that carry them."""
        with_frames = {u.joint.child for u in self.units} | {self.root.name}
        return tuple(name for name in self.attached_links if name not in with_frames)

    @property
    def reach(self) -> float:
        """Return the length in metres of the longest path from the root to a joint, at zero joint positions."""
        lengths = [0.0]
        for u in self.units:
            lengths.append(lengths[u.ant] + norm(u.place.p))
        return max(lengths)


def tree(document: Document, *, base: str | None, kept: Collection[str]) -> Tree:
    """Return the links and joints of a document as a tree.

    Args:
        base: 'fixed' or 'floating'; None selects that of the file.
        kept: names of the fixed joints that get frames.

    Raises:
        FormatError: the links do not form one tree.
        NotApplicableError: a joint type is not supported (planar, or floating after the root).
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
    units, attached_links = _units(order, root, bodies, kept)
    return Tree(root, tuple(units), attached_links, floating)


def _units(
    order: list[Joint], root: Body, bodies: dict[str, Body], kept: Collection[str]
) -> tuple[list[Unit], dict[str, AttachedLink]]:
    units: list[Unit] = []
    attached_links = {root.name: AttachedLink(root, 0, Pose())}
    for joint in order:
        parent, child = attached_links[joint.parent], bodies[joint.child]
        place = parent.place @ joint.origin.pose()
        if joint.moving or joint.name in kept:
            units.append(Unit(joint, parent.on, place, unit(joint.axis)))
            attached_links[child.name] = AttachedLink(child, len(units), Pose())
        else:
            attached_links[child.name] = AttachedLink(child, parent.on, place)
    return units, attached_links


def _below(document: Document, bodies: dict[str, Body]) -> dict[str, list[Joint]]:
    """Return the child joints of each link, by link name.

    Raises:
        FormatError: a joint refers to an unknown link, or a link is the child of two joints.
    """
    below: dict[str, list[Joint]] = {name: [] for name in bodies}
    above: dict[str, Joint] = {}
    for joint in document.joints:
        for which, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in bodies:
                hint = UnknownNameError("link", link, list(bodies)[:500]).hint or ""
                raise document.error(
                    f"joint '{joint.name}' has the {which} '{link}', which does not exist",
                    joint.spot,
                    hint=hint,
                )
        if joint.child in above:
            raise document.error(
                f"link '{joint.child}' is the child of joints '{above[joint.child].name}' and '{joint.name}'",
                joint.spot,
                hint=_LOOPS,
            )
        above[joint.child] = joint
        below[joint.parent].append(joint)
    return below


def _root(document: Document, bodies: dict[str, Body]) -> Body:
    children = {joint.child for joint in document.joints}
    roots = [body for body in document.bodies if body.name not in children]
    if not roots:
        raise document.error(
            "the links form a cycle: there is no root link", document.joints[0].spot, hint=_LOOPS
        )
    if len(roots) > 1:
        names = ", ".join(f"'{body.name}'" for body in roots[:5]) + (" ..." if len(roots) > 5 else "")
        raise document.error(
            f"the links form {len(roots)} trees, with the roots {names}",
            roots[1].spot,
            hint="connect them by fixed joints, or remove the unconnected links",
        )
    return bodies[roots[0].name]


def _ordered(document: Document, below: dict[str, list[Joint]], root: str) -> list[Joint]:
    """Return the joints such that each follows its parent joint, otherwise in the order of the file.

    Args:
        document: links and joints of the file.
        below: child joints of each link, by link name.
        root: name of the root link.
    """
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
        unreachable = next(joint for joint in document.joints if joint.name not in reached)
        raise document.error(
            f"joint '{unreachable.name}' is not connected to the root '{root}': its links form a cycle",
            unreachable.spot,
            hint=_LOOPS,
        )
    return order


def _free(document: Document, at_root: list[Joint]) -> Joint | None:
    """Return the floating joint on the root link, which makes the base floating; None if there is none.

    Args:
        document: links and joints of the file.
        at_root: the joints on the root link.
    """
    floating = [joint for joint in at_root if joint.kind == "floating"]
    if floating and len(at_root) > 1:
        raise document.refusal(
            f"joint '{floating[0].name}' is floating, but the root has other joints as well: this describes two robots",
            floating[0].spot,
            "load only the floating part",
        )
    return floating[0] if floating else None


def _only_known_joints(document: Document, order: list[Joint], free: Joint | None) -> None:
    for joint in order:
        if joint.kind in ("planar", "floating") and joint is not free:
            raise document.refusal(
                f"joint '{joint.name}' is {joint.kind}: only the first joint may be floating, and planar "
                "joints are not supported",
                joint.spot,
                "replace it by revolute and prismatic joints with massless links between them",
            )


# -- Khalil-Kleinfinger frames of the joint axes
#
# z_j has the direction of the axis of joint j, so that joint positions equal those of the file. x_j is along the
# common normal of z_j and of the axis of the main joint that follows, so that gamma = b = 0 there; the main joint is
# the one with the largest number of moving joints after it. The remaining freedom is used to make parameters zero:
#
#     parallel axes         the normal at the height of the following origin, so that r = 0
#     coincident axes       x_j along the following x, so that theta = 0 too
#     prismatic joint       its axis through the following origin, so that d = r = 0
#     direction of x_j      so that the following theta is within a quarter turn of zero
#     last joint            the link frame, rotated only as far as z_j requires
#
# Axes that are parallel except for round-off have a common normal so far away that digits of the parameters would be
# lost; there the frame is chosen as for a last joint.


SIDE = 1e-9  # cosine, or relative to the reach: smaller values do not determine a direction


def place_frames(units: Sequence[Unit], reach: float, *, on_links: bool) -> list[Pose]:
    """Return the pose of each joint frame in the link frame of its joint; entry 0 is that of the root link.

    Args:
        units: joints with frames.
        reach: size of the robot in metres.
        on_links: whether to place the frames at the link frames of the file; if False, x is along the common normal
            with the following joint axis.
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
            frame = towards(u.joint, u.axis, next_frame, reach)
            if frame is not None:
                frames[j] = frame
                break
    return frames


def _moving_behind(units: Sequence[Unit]) -> list[int]:
    counts = [0] * (len(units) + 1)
    for j in range(len(units), 0, -1):
        counts[j] += units[j - 1].joint.moving
        counts[units[j - 1].ant] += counts[j]
    return counts


def on_link(axis: Vector3) -> Pose:
    """Return the pose of a joint frame at the origin of its link frame, with z along the joint axis.

    x is along an axis of the link frame if possible.
    """
    aside = min(range(3), key=lambda i: abs(axis[i]))
    return _with_axes(unit(across(UNIT[aside], axis)), axis, ORIGIN)


def towards(joint: Joint, axis: Vector3, following: Pose, reach: float) -> Pose | None:
    """Return the joint frame whose x axis is along the common normal of its joint axis and the following joint axis.

    Args:
        joint: the joint.
        axis: its axis in the link frame.
        following: frame of the following joint in this link frame.
        reach: size of the robot in metres.

    Returns:
        The pose of the frame in the link frame; None if the common normal is too far away.
    """
    normal = cross(axis, following.z)
    sine = norm(normal)
    parallel = sine < ROUND_OFF
    if joint.kind == "prismatic":  # only the direction of its axis matters
        origin = following.p
    elif parallel:
        origin = scaled(dot(following.p, axis), axis)
    else:
        origin = scaled(dot(cross(following.p, following.z), normal) / sine**2, axis)
    x = _normal_direction(axis, following, subtract(following.p, origin), normal, parallel, reach)
    frame = _with_axes(scaled(_sense(x, following, origin, reach), x), axis, origin)
    place = frame.inverse() @ following
    size = max(size_of(place, reach), norm(origin))
    parameters = six(place, size)
    near = parameters.gamma == 0 and parameters.b == 0 and reproduces(parameters, place, size, reach)
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
    """Return the sign (1 or -1) of the direction x that gives the simplest parameters.

    Preferences in this order: theta near zero, d positive, x along the axes of the link frame.

    Args:
        x: common normal of the joint axis and the following one.
        following: pose of the following joint frame.
        origin: origin of the frame.
        reach: size of the robot in metres.
    """
    sideways = dot(x, subtract(following.p, origin)) / (reach or 1.0)
    for measure in (dot(x, following.x), sideways, *x):
        if abs(measure) > SIDE:
            return 1.0 if measure > 0 else -1.0
    return 1.0


def _with_axes(x: Vector3, z: Vector3, origin: Vector3) -> Pose:
    return Pose(from_columns(x, cross(z, x), z), origin)
