"""Represent a robot between edits without consistency checks; it is checked after the last edit.

A sequence of edits may pass through inconsistent descriptions: a wheel that is to be steered gets its steering joint in
another cell. Postures are stored per joint number, so that they remain valid when joints are added or removed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from symoro.robot.coordinates import independent
from symoro.robot.description import Base, Capsule, CoupledMotor, Frame, Link, LinkFrame, Robot, Tool
from symoro.robot.wheels import Wheel

Postures = Mapping[str, Mapping[int, float]]


@dataclass(frozen=True)
class Draft:
    """Data of a robot during editing, without consistency checks; the fields are those of `Robot`."""

    name: str
    frames: tuple[Frame, ...]
    links: tuple[Link, ...]
    base: Base
    tool: Tool | None
    payload: Link | None
    nominal: tuple[tuple[str, float], ...]
    title: str
    reference: str
    notes: tuple[str, ...]
    postures: Postures
    wheels: tuple[Wheel, ...]
    platform: int | None
    motors: tuple[CoupledMotor, ...]
    link_frames: tuple[LinkFrame, ...]
    capsules: tuple[Capsule, ...]

    @property
    def NL(self) -> int:
        return len(self.links)

    @property
    def NF(self) -> int:
        return len(self.frames)

    @property
    def B(self) -> int:
        return (self.NF - self.NL) // 2

    def frame(self, j: int) -> Frame:
        return self.frames[j - 1]

    def link(self, j: int) -> Link:
        return self.links[j - 1] if j else self.base.link

    def with_frame(self, j: int, **changes: Any) -> Draft:
        changed = replace(self.frame(j), **changes)
        return replace(self, frames=(*self.frames[: j - 1], changed, *self.frames[j:]))

    def with_link(self, j: int, **changes: Any) -> Draft:
        changed = replace(self.link(j), **changes)
        if j == 0:
            return replace(self, base=replace(self.base, link=changed))
        return replace(self, links=(*self.links[: j - 1], changed, *self.links[j:]))

    def with_wheel(self, k: int, **changes: Any) -> Draft:
        changed = replace(self.wheels[k - 1], **changes)
        return replace(self, wheels=(*self.wheels[: k - 1], changed, *self.wheels[k:]))


def draft_of(robot: Robot) -> Draft:
    """Return the unchecked, editable data of a robot."""
    own = independent(robot)
    held = {f.name: getattr(robot, f.name) for f in fields(Robot)}
    postures = {name: dict(zip(own, q, strict=True)) for name, q in robot.postures.items()}
    return Draft(**{**held, "postures": postures})


def robot_of_draft(draft: Draft) -> Robot:
    """Return the robot that edited data describe; joints without a value in a posture are at zero.

    Raises:
        RobotError: the description is inconsistent.
    """
    held = {f.name: getattr(draft, f.name) for f in fields(Robot)}
    robot = Robot(**{**held, "postures": {}})
    own = independent(robot)
    postures = {name: tuple(q.get(j, 0.0) for j in own) for name, q in draft.postures.items()}
    return replace(robot, postures=postures) if postures else robot


def renumbered(draft: Draft, number: Callable[[int], int]) -> Draft:
    """Return the edited robot data with new frame numbers in all references; the order of the frames stays the same.

    Args:
        number: function from the old to the new frame number.
    """
    tool = draft.tool and replace(
        draft.tool, place=replace(draft.tool.place, ant=number(draft.tool.place.ant))
    )
    return replace(
        draft,
        frames=tuple(_renumbered(frame, number) for frame in draft.frames),
        tool=tool,
        wheels=tuple(
            replace(w, frame=number(w.frame), steering=number(w.steering), follows=number(w.follows))
            for w in draft.wheels
        ),
        platform=None if draft.platform is None else number(draft.platform),
        motors=tuple(
            replace(
                motor,
                joint=number(motor.joint),
                turns_with=tuple((number(i), ratio) for i, ratio in motor.turns_with),
            )
            for motor in draft.motors
        ),
        link_frames=tuple(replace(one, frame=number(one.frame)) for one in draft.link_frames),
        capsules=tuple(replace(one, frame=number(one.frame)) for one in draft.capsules),
        postures={name: {number(j): x for j, x in q.items()} for name, q in draft.postures.items()},
    )


def _renumbered(frame: Frame, number: Callable[[int], int]) -> Frame:
    changes: dict[str, Any] = {"ant": number(frame.ant)}
    if frame.coupling is not None:
        terms = tuple((number(i), ratio) for i, ratio in frame.coupling.terms)
        changes["coupling"] = replace(frame.coupling, terms=terms)
    return replace(frame, **changes)
