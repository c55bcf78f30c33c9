"""The links as one tree: its root, its order, and the frames that it needs.

A frame is made for every moving joint, and for the fixed ones where they are kept. Every link then belongs
to a frame: its own, or that of the nearest link above which has one, on which it stands still.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection
from dataclasses import dataclass

from symoro.errors import UnknownNameError
from symoro.robot.formats.urdf.model import Body, Document, Joint
from symoro.robot.formats.urdf.rigid import Pose, Vector3, norm, unit


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
