"""Draw a robot as a stick figure in plain characters: side view and top view, side by side.

Digits are the joints, at the origins of their frames; + is the base and T the tool. If several joints coincide, the
first one is drawn and the legend lists the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from symoro.errors import ArgumentError
from symoro.models.geometric.posture import Point, Segment, figure, segments
from symoro.robot.description import Robot

WIDTH, HEIGHT = 38, 17
ASPECT = 2  # a character is about twice as high as it is wide
GAP = "    "

CharacterCell = tuple[int, int]
View = Callable[[Point], tuple[float, float]]


def side(p: Point) -> tuple[float, float]:
    return p[0], p[2]


def top(p: Point) -> tuple[float, float]:
    return p[0], p[1]


def picture(robot: Robot) -> str:
    """Return side view and top view of a robot in plain characters, or the reason why there is no picture."""
    try:
        links, posture = _drawn_at(robot)
    except ArgumentError as error:
        return f"no picture: {error.message} (give numbers with --bind NAME=VALUE)"
    places = [point for segment in links for point in segment.points]
    span = max(max(values) - min(values) for values in zip(*places, strict=True))
    if span == 0:
        return "no picture: all frames have the same origin"
    step = span / min(WIDTH - 1, ASPECT * (HEIGHT - 1))
    views = [_drawn(links, view, step) for view in (side, top)]
    lines = [(left + GAP + right).rstrip() for left, right in zip(*views, strict=True)]
    used = [k for k, line in enumerate(lines) if line]
    head = "side view: x to the right, z up".ljust(WIDTH) + GAP + "top view: x to the right, y up"
    return "\n".join([head, *lines[used[0] : used[-1] + 1], *_legend(robot, links, span, posture)])


def _drawn_at(robot: Robot) -> tuple[Sequence[Segment], str]:
    """Return the segments of the links in the zero posture, and a description of this posture for the legend.

    If the robot has closed loops, the passive joints are changed so that the loops are closed, where this is possible.
    """
    if not robot.B:
        return segments(robot, {}), "zero posture"
    drawing = figure(robot, {})
    return (
        drawing.segments,
        "zero posture, in which the loops are not closed" if drawing.open else "loops closed",
    )


def _drawn(links: Sequence[Segment], view: View, step: float) -> list[str]:
    """Return the lines of text of one view.

    Args:
        links: segments of the links.
        view: projection of a point to the plane of the view.
        step: length in metres that one character represents.
    """
    flat = [[view(point) for point in segment.points] for segment in links]
    xs, ys = zip(*(point for points in flat for point in points), strict=True)
    left, high = (min(xs) + max(xs)) / 2 - step * (WIDTH - 1) / 2, (min(ys) + max(ys)) / 2

    def cell(point: tuple[float, float]) -> CharacterCell:
        column, row = (point[0] - left) / step, (high - point[1]) / (step * ASPECT) + (HEIGHT - 1) / 2
        return round(row), round(column)

    grid = [[" "] * WIDTH for _ in range(HEIGHT)]
    for points in flat:
        corners = [cell(point) for point in points]
        for a, b in pairwise(corners):
            for (row, column), sign in _line(a, b):
                grid[row][column] = sign
    for segment, points in reversed(list(zip(links, flat, strict=True))):
        row, column = cell(points[-1])
        grid[row][column] = _sign(segment.frame)
    row, column = cell(flat[0][0])
    if grid[row][column] in " -|/\\":
        grid[row][column] = "+"
    return ["".join(line) for line in grid]


def _sign(frame: int | str) -> str:
    return "T" if frame == "tool" else str(int(frame) % 10)


def _line(a: CharacterCell, b: CharacterCell) -> Iterator[tuple[CharacterCell, str]]:
    """Yield the character cells on the line from a to b, each with the character ('-', '|', '/', ...) to draw."""
    rows, columns = b[0] - a[0], b[1] - a[1]
    length = max(abs(rows), abs(columns))
    if ASPECT * abs(rows) < abs(columns) / 2:
        sign = "-"
    elif abs(columns) < abs(rows) / 2:
        sign = "|"
    else:
        sign = "/" if (rows < 0) == (columns > 0) else "\\"
    for k in range(length + 1 if length else 0):
        yield (round(a[0] + rows * k / length), round(a[1] + columns * k / length)), sign


def _legend(robot: Robot, links: Sequence[Segment], span: float, posture: str) -> Iterator[str]:
    yield f"{posture}, about {span:.3g} m across; + base, digits joints" + (", T tool" if robot.tool else "")
    together: dict[Point, list[str]] = {}
    for segment in links:
        x, y, z = (round(value / span, 6) + 0.0 for value in segment.points[-1])
        together.setdefault((x, y, z), []).append(str(segment.frame))
    shared = [f"{' '.join(frames)}" for frames in together.values() if len(frames) > 1]
    if shared:
        yield "at one place: " + "; ".join(shared)
