"""Check pictures of robots: positions against an independent computation, and valid SVG and PNG files."""

from __future__ import annotations

import io
import math
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from hypothesis import given, settings

import symoro
from symoro.errors import ArgumentError, OptionError, SymoroError
from symoro.models.geometric.posture import figure
from symoro.robot import library
from symoro.robot.description import Robot
from symoro.robot.formats.urdf.rigid import dot
from symoro.ui.cli import main
from symoro.ui.render import draw, thumbnail
from symoro.ui.render.body import LIGHT, extent, origins
from symoro.ui.render.output import png, svg
from symoro.ui.render.shapes import Area, Drawing, Label, Stroke, eye_named, hull
from tests.oracle.numeric import Numeric
from tests.oracle.robots import trees


def numbers(drawing: Drawing) -> list[float]:
    return [
        value
        for shape in drawing.shapes
        for point in ([shape.at] if isinstance(shape, Label) else shape.points)
        for value in point
    ]


@pytest.mark.parametrize("name", library.names())
def test_every_bundled_robot_is_drawn_inside_its_picture(name: str) -> None:
    drawing = draw(library.load(name), ground=False)
    xs = [p[0] for s in drawing.shapes if isinstance(s, Stroke | Area) for p in s.points]
    ys = [p[1] for s in drawing.shapes if isinstance(s, Stroke | Area) for p in s.points]
    assert min(xs) >= 0 and max(xs) <= drawing.width and min(ys) >= 0 and max(ys) <= drawing.height
    root = ElementTree.fromstring(svg(drawing))
    assert root.tag.endswith("svg") and len(root) > 5


@pytest.mark.parametrize("name", [n for n in library.names() if library.load(n).B])
def test_loops_are_closed_where_they_are_drawn(name: str) -> None:
    robot = library.load(name)
    result = figure(robot, {})
    at, size = origins(result), extent(result)
    assert not result.open
    for k in range(robot.NL + 1, robot.NL + robot.B + 1):
        assert math.dist(at[k], at[k + robot.B]) < 1e-8 * size
        for one, other in zip(result.axes[k], result.axes[k + robot.B], strict=True):
            assert dot(one, other) == pytest.approx(1, abs=1e-8)


@settings(max_examples=30, deadline=None)
@given(trees())
def test_frames_and_axes_have_the_poses_of_the_oracle(robot: Robot) -> None:
    oracle = Numeric(robot)
    q = [0.1 * (k + 1) for k in range(len(oracle.own))]
    result = figure(robot, {}, q)
    at = origins(result)
    fixed = robot.base.kind == "fixed"
    place = oracle.placements(q)
    for segment in result.segments:
        wanted = oracle.transform(q, "world", segment.frame) if fixed else place[segment.frame]
        assert at[segment.frame] == pytest.approx(wanted[:3, 3], abs=1e-10)
        for k, axis in enumerate(result.axes[segment.frame]):
            assert axis == pytest.approx(wanted[:3, k], abs=1e-10)


def test_beams_are_drawn_straight_to_their_tips() -> None:
    robot = symoro.load("flexible2r")
    at = origins(figure(robot, {}, [0.0, 0.0]))
    length = robot.link(1).flexible.length.value(dict(robot.nominal))  # type: ignore[union-attr]
    assert math.dist(at[1], at[2]) == pytest.approx(length + robot.frame(2).d.value(dict(robot.nominal)))


def test_a_rotated_joint_moves_only_the_links_beyond_it() -> None:
    robot = symoro.load("rx90")
    still, moved = (origins(figure(robot, {}, [0, 0, x, 0, 0, 0])) for x in (0.0, 0.5))
    assert [still[j] == moved[j] for j in (1, 2, 3)] == [True] * 3
    assert still[4] != moved[4]


def test_the_eye_is_a_rotation() -> None:
    for name in ("iso", "top", "front", "side", "33,-12"):
        axes = eye_named(name).axes()
        for i in range(3):
            for j in range(3):
                assert dot(axes[i], axes[j]) == pytest.approx(float(i == j), abs=1e-12)
    assert eye_named("top").seen((1.0, 2.0, 3.0)) == pytest.approx((1, 2, 3))
    assert eye_named("front").seen((1.0, 2.0, 3.0)) == pytest.approx((1, 3, -2))


def test_the_hull_of_a_square_leaves_out_what_is_inside() -> None:
    square = [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)]
    assert set(hull([*square, (1.0, 1.0), (1.0, 0.0), (0.0, 0.0)])) == set(square)


def test_a_png_shows_the_same_picture_as_the_svg() -> None:
    image_module = pytest.importorskip("PIL.Image")
    data = png(draw(symoro.load("rx90"), size=(320, 200)))
    image = image_module.open(io.BytesIO(data)).convert("RGB")
    assert image.size == (320, 200)
    colours = image.getcolors(320 * 200)
    assert len(colours) > 50
    reds = sum(count for count, (r, g, b) in colours if r > 180 and g < 90 and b < 90)
    blues = sum(count for count, (r, g, b) in colours if b > 180 and r < 90)
    assert reds > 10 and blues > 10


def test_names_of_robots_cannot_leave_their_text() -> None:
    robot = symoro.load("rx90").replace(name="a", title='<script>alert("x")</script>')
    text = svg(draw(robot))
    assert "<script" not in text
    ElementTree.fromstring(text)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"view": "nan,1"}, "view"),
        ({"view": "1,2,3"}, "view"),
        ({"labels": "all"}, "labels"),
        ({"size": (10, 10)}, "size"),
        ({"size": (10**9, 100)}, "size"),
    ],
)
def test_options_that_are_none(options: dict[str, object], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        draw(symoro.load("rx90"), **options)  # type: ignore[arg-type]


def test_postures_that_are_none() -> None:
    for posture in ([1.0], [math.nan] * 6, [math.inf] * 6):
        with pytest.raises(ArgumentError, match="posture"):
            draw(symoro.load("rx90"), posture=posture)


def test_a_robot_without_numbers_is_rejected() -> None:
    with pytest.raises(SymoroError, match="no number is given for D3, RL4"):
        draw(symoro.load("rx90").replace(nominal=()))
    bound = draw(symoro.load("rx90").replace(nominal=()), values={"D3": 1.0, "RL4": 1.0})
    assert all(math.isfinite(x) for x in numbers(bound))


def test_all_frames_at_one_place_are_drawn() -> None:
    robot = symoro.load("rx90").bind({"D3": 0, "RL4": 0})
    assert all(math.isfinite(x) for x in numbers(draw(robot)))


def test_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "arm.svg"
    assert main(["render", "rx90", "-o", str(path)]) == 0
    first = path.read_text()
    assert main(["render", "rx90", "-o", str(path), "--posture", "0,pi/4,0,0,0,0", "--dark"]) == 0
    assert main(["render", "rx90", "-o", str(path), "--view", "-30,20"]) == 0
    assert path.read_text() != first
    assert main(["render", "rx90", "-o", str(tmp_path / "arm.gif")]) == 2
    assert ".svg, .png" in capsys.readouterr().err
    foreign = tmp_path / "mine.svg"
    foreign.write_text("<svg/>")
    assert main(["render", "rx90", "-o", str(foreign)]) != 0
    assert foreign.read_text() == "<svg/>"
    picture = tmp_path / "arm.png"
    assert main(["render", "rx90", "-o", str(picture)]) == 0
    assert main(["render", "rx90", "-o", str(picture), "--view", "top"]) == 0, (
        "its own file may be overwritten"
    )


def test_a_notebook_shows_picture_and_tables() -> None:
    shown = symoro.load("rx90")._repr_html_()
    assert shown.count("<svg") == 1 and "<table" in shown
    assert "no picture: no number is given" in symoro.load("rx90").replace(nominal=())._repr_html_()
    assert not re.search(r"<\?xml|<!--", shown)


def test_every_bundled_robot_has_a_thumbnail() -> None:
    folder = Path(__file__).parents[3] / "frontend" / "public" / "thumbnails"
    assert {path.stem for path in folder.glob("*.svg")} == set(library.names()), "run tools/thumbnails.py"


@pytest.mark.parametrize("name", ["gantry", "cartpole"])
def test_slides_do_not_hide_in_each_other(name: str) -> None:
    """Prismatic joints are extended in thumbnails, so that links are visible beside the boxes."""
    root = ElementTree.fromstring(thumbnail(library.load(name)))
    areas = [
        area for area in root.iter("{http://www.w3.org/2000/svg}polygon") if area.get("fill") == LIGHT.link
    ]
    spans = [_span(area.get("points", "")) for area in areas]
    assert max(spans) > 20  # pixels, of a picture of 160 by 120


def _span(points: str) -> float:
    """Return the largest side of the rectangle around the points of a polygon."""
    pairs = [tuple(map(float, point.split(","))) for point in points.split()]
    return max(max(values) - min(values) for values in zip(*pairs, strict=True))
