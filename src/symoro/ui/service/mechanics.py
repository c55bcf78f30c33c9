"""Return the masses and loads of a robot as numbers, for the scene: centres of mass, gravity, external wrenches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from symoro.expr.formula import Formula
from symoro.robot.description import WRENCH, BaseKind, Link, Robot
from symoro.robot.flexibility import flexible_links
from symoro.ui.service.answer_types import BodyMass, BodyWrench, Mechanics
from symoro.ui.service.defaults import default_values, number_at
from symoro.ui.service.payload import robot_of
from symoro.ui.service.playback import numbers_of

MOMENTS = ("MX", "MY", "MZ")


def loads(payload: Mapping[str, Any]) -> Mechanics:
    """Return masses, centres of mass, gravity and external wrenches of a robot.

    A flexible link counts as its root, its straight beam and the body at its tip.
    """
    robot = robot_of(payload)
    values = {**default_values(robot), **numbers_of(robot, payload)}
    bodies = list(_bodies(robot))
    used = {
        name for _, link, _ in bodies for field in ("M", *MOMENTS) for name in getattr(link, field).symbols
    }
    return Mechanics(
        masses=[body for j, link, at in bodies if (body := _mass(j, link, at, values)) is not None],
        gravity=[_number(g, values) for g in robot.base.G],
        wrenches=[wrench for j, link, _ in bodies if (wrench := _wrench(j, link, values)) is not None],
        unknown=sorted(used - dict(robot.nominal).keys()),
    )


def _bodies(robot: Robot) -> Iterator[tuple[int, Link, Formula | None]]:
    """Yield the bodies of a robot: number of the frame, inertial parameters, and position along x if it is shifted."""
    if robot.base.kind != BaseKind.FIXED:
        yield 0, robot.base.link, None
    for j, link in enumerate(robot.links, 1):
        yield j, link, None
    for j, beam in flexible_links(robot).items():
        mass = Formula(f"({beam.density.text})*({beam.length.text})")
        yield j, Link(M=mass), Formula(f"({beam.length.text})/2")
        yield j, beam.tip or Link(), beam.length
    if robot.payload and robot.tool:
        yield robot.NF + 1, robot.payload, None


def _mass(frame: int, link: Link, shift: Formula | None, values: Mapping[str, float]) -> BodyMass | None:
    mass = _number(link.M, values)
    if mass == 0:
        return None
    centre = [_number(getattr(link, name), values) / mass for name in MOMENTS]
    centre[0] += _number(shift, values) if shift else 0.0
    return BodyMass(frame=frame, mass=mass, centre=centre)


def _wrench(frame: int, link: Link, values: Mapping[str, float]) -> BodyWrench | None:
    entries = [_number(getattr(link, name), values) for name in WRENCH]
    return BodyWrench(frame=frame, force=entries[:3], moment=entries[3:]) if any(entries) else None


def _number(value: Formula, values: Mapping[str, float]) -> float:
    return number_at(value, values) or 0.0
