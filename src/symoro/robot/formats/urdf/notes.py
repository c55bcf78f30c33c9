"""What the user is told of an import: the joints' order, sense and offsets, what was changed or left out."""

from __future__ import annotations

import math
from collections.abc import Sequence

from symoro.robot.consistency import WARNING, of_body
from symoro.robot.description import Frame, JointType
from symoro.robot.formats.urdf.model import Body, Document
from symoro.robot.formats.urdf.rigid import Pose
from symoro.robot.formats.urdf.snap import Rounding
from symoro.robot.formats.urdf.tree import Tree


class Story:
    """The notes of one import, as they come up."""

    def __init__(self, document: Document) -> None:
        self._lines = list(document.notes)
        self._between: list[tuple[str, float]] = []
        self.has_tool = False

    def notes(self) -> tuple[str, ...]:
        return tuple(self._lines)

    def add(self, lines: Sequence[str]) -> None:
        self._lines += lines

    def doubts(self, bodies: Sequence[Body], reach: float) -> None:
        """Links that no real robot has; they may vanish in the sum with others, so they are told here."""
        for body in bodies:
            xx, xy, xz, yy, yz, zz = body.inertia
            tensor = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
            found = of_body(f"link '{body.name}'", body.mass, tensor, reach or 1.0)
            self._lines += [f"{WARNING}{line}" for line in found]

    def rounded(self, rounding: Rounding) -> None:
        note = rounding.note()
        if note:
            self._lines.append(note)

    def nothing_moves(self) -> None:
        self._lines.append("no joint moves: the fixed ones are kept as frames")

    def frame_between(self, joint: str, place: Pose) -> None:
        """An extra frame before a joint whose axis is parallel to the one before but for some angle."""
        self._between.append((joint, math.hypot(place.R[0][2], place.R[1][2])))

    def active(self, driven: Sequence[str] | None) -> None:
        """Add a note on the active joints of a robot with loops."""
        if driven:
            self._lines.append(f"active joints, those with an actuator in the file: {', '.join(driven)}")
        else:
            self._lines.append(
                f"{WARNING}the file names no actuators, so every joint of the tree is active; a robot with loops "
                "has as many active joints as degrees of freedom: choose them with the option 'actuated'"
            )

    def base_inertia(self, mass: float) -> None:
        if mass:
            self._lines.append(f"the base is fixed: its {mass:g} kg play no part unless it floats")

    def told(self, tree: Tree, frames: Sequence[Frame]) -> None:
        """The notes on the finished frames."""
        moving = [frame.name for frame in frames if frame.moving and not frame.coupling]
        if moving:
            self._lines.insert(
                0, f"q is, in this order: {', '.join(moving)}; each in the file's own sense, zero and unit"
            )
        offsets = [f"{name} {offset}" for name, offset in _offsets(frames)]
        if offsets:
            self._lines.insert(1, f"theta (r of a prismatic joint) is q plus an offset: {', '.join(offsets)}")
        self._coupled(frames)
        self._friction(frames)
        self._merged(tree)
        self._end(tree, frames)
        self._extra()

    def _coupled(self, frames: Sequence[Frame]) -> None:
        followers = [frame.name for frame in frames if frame.coupling]
        if followers:
            self._lines.append(f"mimic joints, without a coordinate of their own: {', '.join(followers)}")

    def _friction(self, frames: Sequence[Frame]) -> None:
        """Friction changes the torques of every model, so it is reported."""
        for field, words in (("FV", "damping (FV)"), ("FS", "friction (FS)")):
            joints = [frame.name for frame in frames if not getattr(frame, field).is_zero]
            if joints:
                shown = ", ".join(joints[:8]) + (" ..." if len(joints) > 8 else "")
                self._lines.append(f"the {words} of the file is part of the torques: joints {shown}")

    def _merged(self, tree: Tree) -> None:
        merged = tree.merged
        if merged:
            shown = ", ".join(merged[:8]) + (" ..." if len(merged) > 8 else "")
            count = f"{len(merged)} link{'s' if len(merged) > 1 else ''}"
            self._lines.append(f"{count} on fixed joints added to the links that carry them: {shown}")

    def _end(self, tree: Tree, frames: Sequence[Frame]) -> None:
        """Add a note on the frame that poses refer to, if the file has links beyond it on fixed joints."""
        moving = [k for k, u in enumerate(tree.units, 1) if u.joint.moving]
        if self.has_tool or not moving or len(tree.units) != moving[-1]:
            return
        last = tree.units[-1].joint
        beyond = [
            name for name, rider in tree.riders.items() if rider.on == len(tree.units) and name != last.child
        ]
        if beyond:
            shown = ", ".join(beyond[-4:])
            self._lines.append(
                f"poses and Jacobians refer to the frame of joint {last.name} by default; the option 'tool' makes a "
                f"link beyond it the tool frame: {shown}"
            )

    def _extra(self) -> None:
        if self._between:
            names = ", ".join(f"{name} ({angle:.1e} rad)" for name, angle in self._between[:8])
            more = " ..." if len(self._between) > 8 else ""
            self._lines.append(
                f"a fixed frame put before joints whose axes are parallel but for round-off: {names}{more}"
            )


def _offsets(frames: Sequence[Frame]) -> list[tuple[str, str]]:
    """The constant that each moving joint adds to its position, where there is one."""
    found = []
    for frame in frames:
        offset = frame.r if frame.sigma == JointType.PRISMATIC else frame.theta
        if frame.moving and not offset.is_zero:
            found.append((frame.name, offset.text))
    return found
