"""Return masses, loads and contact points of a robot as numbers, for the scene.

The forces at the contact points depend on the posture; the page computes them (frontend/src/scene/support.ts).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from symoro.errors import NotApplicableError, UnknownNameError
from symoro.expr.formula import Formula
from symoro.models import catalogue
from symoro.robot.description import WRENCH, BaseKind, Link, Robot
from symoro.robot.flexibility import flexible_links
from symoro.ui.bodies import bodies as solids
from symoro.ui.service.answer_types import BodyMass, BodyWrench, ContactView, Mechanics
from symoro.ui.service.defaults import default_values, number_at
from symoro.ui.service.payload import robot_of
from symoro.ui.service.playback import numbers_of

MOMENTS = ("MX", "MY", "MZ")


def loads(payload: Mapping[str, Any]) -> Mechanics:
    """Return masses, centres of mass, gravity, external wrenches and contact points of a robot.

    A flexible link counts as its root, its straight beam and the body at its tip.
    """
    robot = robot_of(payload)
    values = {**default_values(robot), **numbers_of(robot, payload)}
    bodies = list(_bodies(robot))
    contacts = payload.get("contacts")
    used = {
        name for _, link, _ in bodies for field in ("M", *MOMENTS) for name in getattr(link, field).symbols
    }
    return Mechanics(
        masses=[body for j, link, at in bodies if (body := _mass(j, link, at, values)) is not None],
        gravity=[_number(g, values) for g in robot.base.G],
        wrenches=[wrench for j, link, _ in bodies if (wrench := _wrench(j, link, values)) is not None],
        contacts=[] if contacts is None else _contacts(robot, contacts, values),
        ends=[] if contacts is None else _ends(robot, values),
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


def _contacts(robot: Robot, contacts: list[Any], values: Mapping[str, float]) -> list[ContactView]:
    """Return the points of the option `contacts` of `contact-dynamics`; an empty list selects its default.

    Raises:
        SymoroError: a frame does not exist, or a coordinate contains a name that is not a symbol of the robot.
    """
    # Imported here because it loads NumPy.
    from symoro.models.dynamic.contact_points import contact_points

    model = catalogue.entry("contact-dynamics")
    if (reason := model.why_not(robot)) is not None:
        raise NotApplicableError(f"contact-dynamics does not apply to robot '{robot.name}': {reason}")
    given = catalogue.checked_options(model.form(robot, {}), {"contacts": contacts or None})["contacts"]
    _, points = contact_points(robot, given)
    names = [f"frame {points[0].j}"] if given is None else [_point_name(*point) for point in given]
    for x in (x for point in points for x in point.at):
        for name in x.symbols:
            if name not in values:
                raise UnknownNameError(f"symbol of robot '{robot.name}'", name, robot.symbols())
    # A tool with a contact becomes a link; in the scene it is the frame after the last one.
    return [
        ContactView(
            name=name,
            frame=point.j if point.j <= robot.NL else robot.NF + 1,
            at=[_number(x, values) for x in point.at],
        )
        for name, point in zip(names, points, strict=True)
    ]


def _point_name(frame: int | str, at: Sequence[Formula]) -> str:
    where = f"frame {frame}" if isinstance(frame, int) else frame
    return where if all(x.is_zero for x in at) else f"{where} ({', '.join(x.text for x in at)})"


def _ends(robot: Robot, values: Mapping[str, float]) -> list[Any]:
    """Return the ends of the links without a child, as values of the option `contacts`; none for a fixed base.

    An end is a link of the robot's file that is fixed to the frame, or a point with its coordinates.
    """
    if robot.base.kind != BaseKind.FLOATING:
        return []
    ends: list[Any] = []
    for part in (part for part in solids(robot, values).parts if part.shape == "bar"):
        fixed = (link for link in robot.link_frames if link.frame == part.frame)
        at_end = [
            link.name for link in fixed if tuple(_number(x, values) for x in link.position) == part.point
        ]
        named = next((name for name in at_end if robot.link_frame(name)), None)
        ends.append(named or [part.frame, [f"{x:.4g}" for x in part.point]])
    return ends


def _number(value: Formula, values: Mapping[str, float]) -> float:
    return number_at(value, values) or 0.0
