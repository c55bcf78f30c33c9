"""Notes on an import: order, sense and offsets of the joints, changes and omissions."""

from __future__ import annotations

import math
from collections.abc import Sequence

from symoro.robot.consistency import WARNING, body_warnings
from symoro.robot.description import Frame, JointType
from symoro.robot.formats.urdf.model import Body, Document
from symoro.robot.formats.urdf.rigid import Pose
from symoro.robot.formats.urdf.snap import Rounding
from symoro.robot.formats.urdf.tree import Tree

SHOWN = 8  # names in a list


class ImportNotes:
    """Collector of the notes and warnings of one import."""

    def __init__(self, document: Document) -> None:
        self._order: list[str] = []
        self._dynamics: list[str] = []  # what changes the dynamics, before the notes on names
        self._lines = list(document.notes)
        self._shapes: list[str] = []
        self._between: list[tuple[str, float]] = []
        self.has_tool = False

    def notes(self) -> tuple[str, ...]:
        return (*self._order, *self._dynamics, *self._lines, *self._shapes)

    def add(self, lines: Sequence[str]) -> None:
        self._lines += lines

    def check_bodies(self, bodies: Sequence[Body], reach: float) -> None:
        """Add warnings and notes on inertias and collision shapes of the links, before links are merged.

        Args:
            bodies: the links of the file.
            reach: size of the robot in metres.
        """
        for body in bodies:
            xx, xy, xz, yy, yz, zz = body.inertia
            tensor = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
            lines = body_warnings(f"link '{body.name}'", body.mass, tensor, reach or 1.0)
            self._lines += [f"{WARNING}{line}" for line in lines]
        points = [body.name for body in bodies if body.mass and not any(body.inertia)]
        if points:
            word, have, are = (
                ("links", "have", "are point masses")
                if len(points) > 1
                else ("link", "has", "is a point mass")
            )
            self._dynamics.append(
                f"{word} {_listed(points)} {have} a mass and no inertia in the file, and {are} at the centre of mass"
            )
        omitted = [(body.name, reason) for body in bodies for reason in body.omitted]
        if omitted:
            name, reason = omitted[0]
            more = f", and {len(omitted) - 1} more" if len(omitted) > 1 else ""
            self._shapes.append(f"a collision shape of link '{name}' is omitted: {reason}{more}")

    def rounded(self, rounding: Rounding) -> None:
        note = rounding.note()
        if note:
            self._lines.append(note)

    def nothing_moves(self) -> None:
        self._lines.append("no joint moves: the fixed joints get frames")

    def frame_between(self, joint: str, place: Pose) -> None:
        """Add a note on an auxiliary frame before a joint whose axis is nearly parallel to the preceding one.

        Args:
            joint: name of the joint.
            place: pose of the joint frame in the preceding frame.
        """
        self._between.append((joint, math.hypot(place.R[0][2], place.R[1][2])))

    def active(self, driven: Sequence[str] | None) -> None:
        """Add a note on the active joints of a robot with loops.

        Args:
            driven: names of the joints with an actuator in the file; None or empty if the file contains no actuators.
        """
        if driven:
            self._lines.append(f"active joints, those with an actuator in the file: {', '.join(driven)}")
        else:
            self._lines.append(
                f"{WARNING}the file contains no actuators, so every joint of the tree is active; a robot with loops "
                "has as many active joints as degrees of freedom: select them with the option 'actuated'"
            )

    def base_inertia(self, mass: float) -> None:
        if mass:
            self._dynamics.append(
                f"the base is fixed: its mass of {mass:g} kg has no effect unless the base is floating"
            )

    def missing_inertia(self, links: Sequence[str]) -> None:
        """Add a note on moving links that have neither a mass nor an inertia, also with the links fixed to them.

        Args:
            links: names of these links.
        """
        if links:
            word, have = ("links", "have") if len(links) > 1 else ("link", "has")
            self._dynamics.append(f"{word} {_listed(links)} {have} no mass and no inertia in the file")

    def complete(self, tree: Tree, frames: Sequence[Frame]) -> None:
        """Add the notes on the final frames: order of q, offsets, couplings, friction, merged links, end effector.

        Args:
            tree: the tree of links and joints.
            frames: the frames of the robot.
        """
        moving = [frame.name for frame in frames if frame.moving and not frame.coupling]
        if moving:
            self._order.append(
                f"order of q: {', '.join(moving)}; each with the direction, zero and unit of the file"
            )
        offsets = [f"{name} {offset}" for name, offset in _offsets(frames)]
        if offsets:
            self._order.append(f"theta (r of a prismatic joint) is q plus an offset: {', '.join(offsets)}")
        self._coupled(frames)
        self._friction(frames)
        self._merged(tree)
        self._end(tree, frames)
        self._extra()

    def _coupled(self, frames: Sequence[Frame]) -> None:
        followers = [frame.name for frame in frames if frame.coupling]
        if followers:
            self._dynamics.append(f"mimic joints, which have no generalised coordinate: {_listed(followers)}")

    def _friction(self, frames: Sequence[Frame]) -> None:
        """Add notes on friction, because it changes the torques of every model."""
        for field, words in (("FV", "damping (FV)"), ("FS", "friction (FS)")):
            joints = [frame.name for frame in frames if not getattr(frame, field).is_zero]
            if joints:
                self._dynamics.append(
                    f"the {words} in the file contributes to the torques: joints {_listed(joints)}"
                )

    def _merged(self, tree: Tree) -> None:
        merged = tree.merged
        if merged:
            count = f"{len(merged)} link{'s' if len(merged) > 1 else ''}"
            self._lines.append(
                f"{count} on fixed joints merged with the links that carry them: {_listed(merged)}"
            )

    def _end(self, tree: Tree, frames: Sequence[Frame]) -> None:
        """Add a note on the end-effector frame, if the file has further links that are fixed to the last link.

        Args:
            tree: the tree of links and joints.
            frames: the frames of the robot.
        """
        moving = [k for k, u in enumerate(tree.units, 1) if u.joint.moving]
        if self.has_tool or not moving or len(tree.units) != moving[-1]:
            return
        last = tree.units[-1].joint
        beyond = [
            name
            for name, attached in tree.attached_links.items()
            if attached.on == len(tree.units) and name != last.child
        ]
        if beyond:
            shown = ", ".join(beyond[-4:])
            self._lines.append(
                f"poses and Jacobians refer to the frame of joint {last.name} by default; the option 'tool' selects a "
                f"link beyond it as tool frame: {shown}"
            )

    def _extra(self) -> None:
        if self._between:
            names = _listed([f"{name} ({angle:.1e} rad)" for name, angle in self._between])
            self._lines.append(
                f"an auxiliary fixed frame precedes joints whose axes are parallel except for round-off: {names}"
            )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:SHOWN]) + (" ..." if len(names) > SHOWN else "")


def _offsets(frames: Sequence[Frame]) -> list[tuple[str, str]]:
    """Return name and constant offset of each moving joint whose offset is not zero."""
    offsets = []
    for frame in frames:
        offset = frame.r if frame.sigma == JointType.PRISMATIC else frame.theta
        if frame.moving and not offset.is_zero:
            offsets.append((frame.name, offset.text))
    return offsets
