"""Draw a robot as a picture, without a browser: frames with axes, joints by type, links, closed loops.

draw(robot) -> Drawing     write_picture(robot, path)     svg(drawing) -> text     png(drawing) -> bytes
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from symoro.errors import OptionError
from symoro.files import write_files
from symoro.models.geometric.posture import Figure, Point, figure
from symoro.robot.coordinates import independent
from symoro.robot.description import JointType, Robot
from symoro.ui.bodies import bodies
from symoro.ui.render import body
from symoro.ui.render.output import png, svg
from symoro.ui.render.shapes import Area, Drawing, Eye, Flat, Label, Shape, Stroke, along, eye_named, hull

__all__ = ["draw", "png", "svg", "thumbnail", "write_picture"]

MARGIN = 28  # pixels around the robot, for labels
NARROW = 8  # margin without labels
LABELS = ("auto", "axes", "numbers", "none")
FEW = 12  # largest number of frames whose axes are labelled
MOST_PIXELS = 8192


def draw(
    robot: Robot,
    *,
    values: Mapping[str, float] | None = None,
    posture: Sequence[float] | None = None,
    view: str = "iso",
    size: tuple[int, int] = (640, 480),
    labels: str = "auto",
    arrows: bool = True,
    dark: bool = False,
    ground: bool = True,
    clear: bool = False,
) -> Drawing:
    """Return a drawing of the robot at a posture.

    Args:
        values: values of symbols, in addition to the nominal ones.
        posture: positions of the independent joints (rad, m); by default those of 'home', or zero.
        view: 'iso', 'front', 'side', 'top', or azimuth and elevation in degrees, for example '-52,24'.
        size: width and height in pixels.
        labels: labels of axes ('axes'), numbers of frames ('numbers'), or 'none'; 'auto' depends on the number of
            frames.
        arrows: whether the axes of the frames are drawn.
        clear: whether the background is transparent.

    Raises:
        ArgumentError: a symbol of the geometry has no value, or the posture does not fit the robot.
        OptionError: an option has an invalid value.
    """
    if labels not in LABELS:
        raise OptionError(f"labels: expected one of {', '.join(LABELS)}, got '{labels[:40]}'")
    width, height = size
    if not (64 <= width <= MOST_PIXELS and 64 <= height <= MOST_PIXELS):
        raise OptionError(f"size: expected 64 to {MOST_PIXELS} pixels per side, got {width} x {height}")
    known = {**dict(robot.nominal), **(values or {})}
    drawing = figure(robot, known, posture)
    palette = body.DARK if dark else body.LIGHT
    paper = _Paper(eye_named(view), width, height, NARROW if labels == "none" else MARGIN)
    unit = body.extent(drawing) / 11
    for part in body.solids(drawing, bodies(robot, known), robot.NF + 1, palette):
        paper.add(part)
    for part in _arrows(drawing, unit) if arrows else ():
        paper.add(part)
    if labels == "auto":
        labels = "axes" if robot.NF <= FEW else "numbers"
    if labels != "none":
        for place, text in _names(drawing, labels, unit):
            paper.write(place, text, palette.text)
    if ground:
        paper.behind(body.ground(body.origins(drawing)[0], body.extent(drawing), palette))
    title = f"{robot.name}: {robot.title}" if robot.title else robot.name
    return Drawing(width, height, "none" if clear else palette.background, title, paper.shapes())


def thumbnail(robot: Robot) -> str:
    """Return a small SVG picture of a robot without labels, for lists of robots."""
    drawing = draw(
        robot,
        posture=_drawn_out(robot),
        size=(160, 120),
        labels="none",
        arrows=False,
        ground=False,
        clear=True,
    )
    return svg(drawing, header=False)


def _drawn_out(robot: Robot) -> list[float] | None:
    """Return joint positions for a picture in which prismatic joints are extended by half the robot's size.

    The result is None if the robot has a named posture, closed loops or no prismatic joint; then the default posture
    is drawn.
    """
    slides = [robot.frame(j).sigma == JointType.PRISMATIC for j in independent(robot)]
    if robot.postures or robot.B or not any(slides):
        return None
    reach = body.extent(figure(robot, {}, None))
    return [0.5 * reach if slide else 0.0 for slide in slides]


def _arrows(drawing: Figure, unit: float) -> Iterator[body.Part]:
    at = body.origins(drawing)
    for frame, axes in drawing.axes.items():
        yield from body.arrows(at[frame], axes, unit * (1.6 if frame in (0, "tool") else 1.3))


def _names(drawing: Figure, labels: str, unit: float) -> list[tuple[Point, str]]:
    """Return the labels of frames with their positions in space; labels at the same position are joined.

    Args:
        labels: 'numbers' for frame numbers, otherwise names of the axes x and z.
        unit: length of a frame's arrows in metres.
    """
    at = body.origins(drawing)
    together: dict[tuple[int, ...], tuple[Point, list[str]]] = {}
    for frame, axes in drawing.axes.items():
        name = "T" if frame == "tool" else str(frame)
        if labels == "numbers":
            spots = [(at[frame], name)]
        else:
            spots = [(along(at[frame], (axes[k], 1.45 * unit)), f"{'xyz'[k]}{name}") for k in (0, 2)]
        for place, text in spots:
            key = tuple(round(3 * value / unit) for value in place)
            together.setdefault(key, (place, []))[1].append(text)
    return [(place, _joined(texts)) for place, texts in together.values()]


def _joined(texts: list[str]) -> str:
    return ", ".join(texts) if len(texts) < 4 else f"{texts[0]} .. {texts[-1]}"


class _Paper:
    """Collection of projected shapes; after the last one is added, all are scaled to the size of the picture."""

    def __init__(self, eye: Eye, width: int, height: int, margin: int) -> None:
        self.eye, self.width, self.height, self.margin = eye, width, height, margin
        self.seen: list[Shape] = []
        self.back: list[Shape] = []

    def add(self, part: body.Part) -> None:
        self.seen.append(self._flat(part))

    def behind(self, parts: Iterable[body.Part]) -> None:
        self.back += [self._flat(part) for part in parts]

    def write(self, place: Point, text: str, colour: str) -> None:
        x, y, depth = self.eye.seen(place)
        self.seen.append(Label((x, y), text, colour, 11, depth))

    def _flat(self, part: body.Part) -> Shape:
        points = [self.eye.seen(point) for point in part.points]
        depth = sum(p[2] for p in points) / len(points)
        plane = tuple((x, y) for x, y, _ in points)
        if isinstance(part, body.Line):
            return Stroke(plane, part.colour, part.width, depth, part.dashed)
        line = None if part.colour in body.AXES else "#00000066"
        return Area(tuple(hull(plane)), part.colour, depth, line, 0.45 if part.flat else 1.0)

    def shapes(self) -> tuple[Shape, ...]:
        """Return all shapes scaled to pixels, the farthest first and labels last."""
        corners = [
            p for shape in self.seen for p in ([shape.at] if isinstance(shape, Label) else shape.points)
        ]
        xs, ys = [p[0] for p in corners], [p[1] for p in corners]
        span_x, span_y = (max(xs) - min(xs)) or 1e-9, (max(ys) - min(ys)) or 1e-9
        scale = min((self.width - 2 * self.margin) / span_x, (self.height - 2 * self.margin) / span_y)
        middle_x, middle_y = (max(xs) + min(xs)) / 2, (max(ys) + min(ys)) / 2

        def pixel(p: Flat) -> Flat:
            return self.width / 2 + scale * (p[0] - middle_x), self.height / 2 - scale * (p[1] - middle_y)

        def placed(shape: Shape) -> Shape:
            if isinstance(shape, Stroke):
                points = tuple(map(pixel, shape.points))
                return Stroke(points, shape.colour, shape.width, shape.depth, shape.dashed)
            if isinstance(shape, Area):
                points = tuple(map(pixel, shape.points))
                return Area(points, shape.colour, shape.depth, shape.line, shape.opacity)
            x, y = pixel(shape.at)
            return Label((x + 3, y + 4), shape.text, shape.colour, shape.size, shape.depth)

        ordered = sorted(self.seen, key=lambda shape: (isinstance(shape, Label), shape.depth))
        return tuple(placed(shape) for shape in (*self.back, *ordered))


# -- files


def write_picture(
    robot: Robot, path: Path, *, size: str = "640x480", force: bool = False, **options: Any
) -> None:
    """Draw a robot and write the picture to an SVG or PNG file.

    Args:
        path: path of the file; the suffix selects the format.
        size: width and height in pixels, as in '640x480'.
        force: overwrite a file that symoro did not write.
        options: the other options of `draw`.

    Raises:
        OptionError: the suffix is neither .svg nor .png, or an option has an invalid value.
    """
    suffix = path.suffix.lower()
    if suffix not in (".svg", ".png"):
        raise OptionError(f"pictures are .svg or .png files, got '{path.name[:80]}'")
    drawing = draw(robot, size=_pixels(size), **options)
    write_files({path: svg(drawing) if suffix == ".svg" else png(drawing)}, force=force)


def _pixels(text: str) -> tuple[int, int]:
    width, _, height = text.lower().partition("x")
    if not (width.isdecimal() and height.isdecimal() and len(text) < 20):
        raise OptionError(f"size: expected WIDTHxHEIGHT in pixels, as in 640x480, got '{text[:40]}'")
    return int(width), int(height)
