"""Place the solids of a robot (`ui.bodies`) in a configuration, with arrows of frames and the ground.

The colours of the solids are those of the scene of the workbench (frontend/src/scene/colours.ts).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from symoro.models.geometric.posture import Figure, Point
from symoro.robot.formats.urdf.rigid import UNIT, cross, dot, subtract, unit
from symoro.ui.bodies import Bodies
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
    ground: str
    link: str
    active: str
    passive: str
    cut: str
    base: str
    plate: str
    wheel: str


LIGHT = Palette(
    background="#ffffff",
    text="#333a44",
    ground="#e3e6ea",
    link="#9aa5b3",
    active="#e08e2b",
    passive="#f3cf9c",
    cut="#f7e4c8",
    base="#667180",
    plate="#8fb3e8",
    wheel="#4b535e",
)
DARK = Palette(
    background="#16191e",
    text="#d5dae1",
    ground="#2b3038",
    link="#8d97a4",
    active="#e0973a",
    passive="#8a6a40",
    cut="#5d4c36",
    base="#b3bcc8",
    plate="#3f5f8f",
    wheel="#c9d0d9",
)


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


def solids(drawing: Figure, built: Bodies, tool: int, palette: Palette) -> Iterator[Part]:
    """Yield the solids of a robot in a configuration.

    Args:
        built: the solids in the frames of the robot.
        tool: number of the tool frame in `built`.
        palette: colours.
    """
    at, axes = origins(drawing), drawing.axes
    lines = {segment.frame: segment.points for segment in drawing.segments}

    def key(frame: int) -> Frame:
        return "tool" if frame == tool else frame

    for part in built.parts:
        colour, j, half = getattr(palette, part.role), key(part.frame), part.radius
        centre = along(at[j], *zip(axes[j], part.point, strict=True))
        if part.shape == "path":
            corners = lines[j][:-1] if part.frame in _sliding(built) else lines[j]
            for start, end in pairwise(corners):
                yield from bar(start, end, half, colour)
        elif part.shape == "rail":
            foot = lines[j][-2]
            reached = dot(axes[j][2], subtract(at[j], foot))
            low, high = min(part.low, reached), max(part.high, reached)
            yield from bar(along(foot, (axes[j][2], low)), along(foot, (axes[j][2], high)), half, colour)
        elif part.shape == "beam":
            yield from bar(at[j], along(at[j], (axes[j][0], part.length)), half, colour)
        elif part.shape == "bar":
            yield from bar(at[j], centre, half, colour)
        elif part.shape in ("drum", "disc"):
            yield drum(centre, axes[j], half, part.length, colour)
        elif part.shape == "box":
            yield box(centre, axes[j], half, part.length, colour)
        elif part.shape == "ball":
            yield ball(centre, half, colour)
        elif part.shape == "plate":
            yield Solid(tuple(at[key(k)] for k in part.corners), colour, flat=True)
        else:
            yield hull([at[key(k)] for k in part.corners], axes[0], half, colour)


def _sliding(built: Bodies) -> set[int]:
    return {part.frame for part in built.parts if part.shape == "rail"}


def bar(start: Point, end: Point, radius: float, colour: str) -> Iterator[Part]:
    """Yield a round bar between two points, unless they coincide."""
    length = math.dist(start, end)
    if length < 1e-3 * radius:
        return
    z = unit(subtract(end, start))
    x = unit(cross(z, min(UNIT, key=lambda axis: abs(dot(axis, z)))))
    yield drum(along(start, (z, length / 2)), (x, cross(z, x), z), radius, length, colour)


def ball(place: Point, radius: float, colour: str) -> Solid:
    """Return a sphere as a solid, by circles of latitude."""
    points = [place]
    for k in range(7):
        high, wide = math.cos(math.pi * k / 6), math.sin(math.pi * k / 6)
        for a in (2 * math.pi * n / 12 for n in range(12)):
            offset = (wide * math.cos(a), wide * math.sin(a), high)
            points.append(along(place, (offset, radius)))
    return Solid(tuple(points), colour)


def hull(points: list[Point], axes: Axes, margin: float, colour: str) -> Solid:
    """Return the box around points, with sides parallel to axes.

    Args:
        axes: directions of the sides.
        margin: distance between the points and the sides, in metres.
    """
    ranges = []
    for axis in axes:
        values = [dot(axis, point) for point in points]
        ranges.append((min(values) - margin, max(values) + margin))
    corners = [(a, b, c) for a in ranges[0] for b in ranges[1] for c in ranges[2]]
    zero = (0.0, 0.0, 0.0)
    return Solid(tuple(along(zero, *zip(axes, corner, strict=True)) for corner in corners), colour)


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


def arrows(place: Point, axes: Axes, length: float) -> Iterator[Part]:
    """Yield arrows along the axes of a frame in red, green and blue, starting at `place`."""
    for axis, across, colour in zip(axes, (axes[1], axes[2], axes[0]), AXES, strict=True):
        other = cross(axis, across)
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
