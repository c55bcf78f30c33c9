"""Build the solids of a robot: links, joints by type, wheels, plates, arrows of frames and the ground.

All sizes are relative to the robot: `unit` is one fifteenth of its extent.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from symoro.models.geometric.posture import Figure, Point
from symoro.robot.description import JointType, Robot
from symoro.ui.render.shapes import along

ROUND = 24
AXES = ("#d62828", "#2a9d4a", "#2f6fde")
Axes = tuple[Point, Point, Point]
Frame = int | str


@dataclass(frozen=True)
class Palette:
    """Colours of a drawing."""

    background: str
    text: str
    link: str
    active: str
    passive: str
    ground: str
    plate: str


LIGHT = Palette("#ffffff", "#333a44", "#6b7480", "#e08e2b", "#b9c0c8", "#e3e6ea", "#8fb3e8")
DARK = Palette("#16191e", "#d5dae1", "#8d97a4", "#e0973a", "#59626e", "#2b3038", "#3f5f8f")


@dataclass(frozen=True)
class Solid:
    """Convex solid of a drawing, given by points whose convex hull it is.

    Solids with `flat` set are drawn semi-transparent.
    """

    points: tuple[Point, ...]
    colour: str
    flat: bool = False


@dataclass(frozen=True)
class Line:
    """Line through points in space, with colour and width."""

    points: tuple[Point, ...]
    colour: str
    width: float
    dashed: bool = False


Part = Solid | Line


def origins(drawing: Figure) -> dict[Frame, Point]:
    """Return the origin of each frame in the base frame, frame 0 first."""
    base = drawing.segments[0].points[0] if drawing.segments else (0.0, 0.0, 0.0)
    return {0: base, **{segment.frame: segment.points[-1] for segment in drawing.segments}}


def extent(drawing: Figure) -> float:
    """Return the largest distance between frame origins along an axis, in metres; 1 if all origins coincide."""
    points = [point for segment in drawing.segments for point in segment.points]
    spans = [max(values) - min(values) for values in zip(*points, strict=True)]
    return max(spans, default=0.0) or 1.0


def links(drawing: Figure, palette: Palette) -> Iterator[Part]:
    """Yield the lines of the links, from frame to frame."""
    for segment in drawing.segments:
        for start, end in zip(segment.points, segment.points[1:], strict=False):
            if start != end:
                yield Line((start, end), palette.link, 4.0)


def joints(robot: Robot, drawing: Figure, unit: float, palette: Palette) -> Iterator[Part]:
    """Yield a cylinder per revolute joint and a box per prismatic joint.

    Active joints have the accent colour of the palette.

    Args:
        unit: size of the shapes in metres.
        palette: colours.
    """
    at = origins(drawing)
    wheels = {wheel.frame for wheel in robot.wheels}
    for j in range(1, robot.NJ + 1):
        frame = robot.frame(j)
        if not frame.moving or j in wheels:
            continue
        colour = palette.active if frame.mu else palette.passive
        axes, place = drawing.axes[j], at[j]
        if frame.sigma == JointType.REVOLUTE:
            yield drum(place, axes, 0.28 * unit, 0.8 * unit, colour)
        else:
            yield box(place, axes, 0.24 * unit, 1.1 * unit, colour)


def drum(place: Point, axes: Axes, radius: float, height: float, colour: str) -> Solid:
    """Return a cylinder as a solid.

    Args:
        place: centre of the cylinder.
        axes: axes of a frame; the axis of the cylinder is parallel to z.
        radius, height: sizes in metres.
    """
    x, y, z = axes
    turns = [2 * math.pi * k / ROUND for k in range(ROUND)]
    return Solid(
        tuple(
            along(place, (x, radius * math.cos(a)), (y, radius * math.sin(a)), (z, side * height / 2))
            for a in turns
            for side in (-1, 1)
        ),
        colour,
    )


def box(place: Point, axes: Axes, half: float, height: float, colour: str) -> Solid:
    """Return a square box as a solid.

    Args:
        place: centre of the box.
        axes: axes of a frame; the sides of the box are parallel to them, its height is along z.
        half: half of the side length of the square, in metres.
        height: height in metres.
    """
    x, y, z = axes
    corners = [(a, b, c) for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]
    return Solid(
        tuple(along(place, (x, a * half), (y, b * half), (z, c * height / 2)) for a, b, c in corners), colour
    )


def wheels(robot: Robot, drawing: Figure, values: Mapping[str, float], palette: Palette) -> Iterator[Part]:
    """Yield a disc for each wheel, perpendicular to its axle; the disc has a default radius if the wheel's is unknown.

    Args:
        values: values of symbols by name.
    """
    at = origins(drawing)
    for wheel in robot.wheels:
        known = wheel.radius.symbols <= values.keys()
        radius = wheel.radius.value(values) if known else extent(drawing) / 8
        yield drum(at[wheel.frame], drawing.axes[wheel.frame], radius, 0.3 * radius, palette.passive)


def plates(robot: Robot, drawing: Figure, palette: Palette) -> Iterator[Part]:
    """Yield a plate for each link, such as a platform, that carries three or more frames with different origins."""
    at = origins(drawing)
    for link in range(robot.NL + 1):
        carried = {
            at[segment.frame] for segment in drawing.segments if _carrier(robot, segment.frame) == link
        }
        corners = carried | ({at[link]} if link else set())
        if len(corners) > 2 and len(carried) > 1:
            yield Solid(tuple(corners), palette.plate, flat=True)


def _carrier(robot: Robot, frame: Frame) -> int:
    if frame == "tool":
        return robot.tool.place.ant if robot.tool else -1
    return robot.frame(int(frame)).ant


def arrows(place: Point, axes: Axes, length: float) -> Iterator[Part]:
    """Yield arrows along the axes of a frame in red, green and blue, starting at `place`."""
    for axis, across, colour in zip(axes, (axes[1], axes[2], axes[0]), AXES, strict=True):
        other = _cross(axis, across)
        neck, tip = along(place, (axis, 0.72 * length)), along(place, (axis, length))
        yield Line((place, neck), colour, 1.8)
        rim = [2 * math.pi * k / 8 for k in range(8)]
        head = [
            along(neck, (across, 0.08 * length * math.cos(a)), (other, 0.08 * length * math.sin(a)))
            for a in rim
        ]
        yield Solid((*head, tip), colour)


def ground(place: Point, size: float, palette: Palette) -> Iterator[Part]:
    """Yield the lines of a square grid on the ground below a robot.

    Args:
        place: origin of the base frame; the grid has the same height.
        size: extent of the robot in metres; the grid is somewhat larger.
    """
    step = _round_step(size / 4)
    count = math.ceil(0.75 * size / step)
    ahead, beside = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    for k in range(-count, count + 1):
        for one, other in ((ahead, beside), (beside, ahead)):
            middle = along(place, (one, k * step))
            ends = (along(middle, (other, -count * step)), along(middle, (other, count * step)))
            yield Line(ends, palette.ground, 1.0)


def _round_step(wanted: float) -> float:
    """Return the largest number 1, 2 or 5 times a power of ten that does not exceed `wanted`."""
    power = 10.0 ** math.floor(math.log10(wanted))
    return next(m * power for m in (5, 2, 1) if m * power <= wanted * (1 + 1e-9))


def _cross(a: Point, b: Point) -> Point:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
