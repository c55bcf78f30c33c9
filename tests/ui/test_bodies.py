"""Check the solids of robots: every link has a body, the ends of links are where the description puts them."""

from __future__ import annotations

import math
import re
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

import symoro
from symoro.expr.formula import Formula
from symoro.models.geometric.posture import figure
from symoro.models.geometric.scene import all_frames
from symoro.robot import library
from symoro.robot.coordinates import independent
from symoro.robot.description import JointType, Limits, Link, Robot
from symoro.robot.flexibility import flexible_links
from symoro.runtime.function import Function
from symoro.ui.bodies import SHORT, BodyPart, bodies
from symoro.ui.render.body import DARK, LIGHT, Palette, solids
from symoro.ui.service.defaults import default_values

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", library.names())
def test_every_link_of_every_bundled_robot_has_a_body_of_visible_size(name: str) -> None:
    robot = library.load(name)
    built = bodies(robot, default_values(robot))
    drawn = {part.link for part in built.parts if part.shape not in ("drum", "box") or part.link == 0}
    assert drawn == set(range(robot.NL + 1))  # joints alone are no body of a link
    for part in built.parts:
        assert built.unit > 0 and part.radius > 0.2 * built.unit
        assert part.radius < 0.2 * built.size or part.shape == "disc"
        if part.shape == "bar":
            assert math.hypot(*part.point) > 2 * part.radius
        if part.shape == "rail":
            assert part.high - part.low > SHORT * built.size
    moving = [j for j in range(1, robot.NJ + 1) if robot.frame(j).moving]
    wheels = {wheel.frame for wheel in robot.wheels}
    joints = {part.frame for part in built.parts if part.role in ("active", "passive", "cut")}
    assert joints == set(moving) - wheels


@pytest.mark.parametrize("name", ["rx90", "cartpole", "gough_stewart", "sr400", "stanford", "panda"])
def test_solids_do_not_depend_on_the_unit_of_length(name: str) -> None:
    """A robot described in millimetres has the same solids, a thousand times larger."""
    robot = library.load(name)
    scaled = _scaled(robot, 1000.0)
    before, after = bodies(robot, {}), bodies(scaled, {})
    assert after.size == pytest.approx(1000 * before.size)
    assert [part.shape for part in after.parts] == [part.shape for part in before.parts]
    assert [part.radius for part in after.parts] == pytest.approx(
        [1000 * part.radius for part in before.parts]
    )


def part_of(name: str, link: int, shape: str) -> BodyPart:
    (part,) = [p for p in bodies(symoro.load(name), {}).parts if p.link == link and p.shape == shape]
    return part


def test_the_pole_of_the_cart_ends_at_twice_its_centre_of_mass() -> None:
    robot = symoro.load("cartpole")
    length = dict(robot.nominal)["l"]
    assert part_of("cartpole", 2, "bar").point == pytest.approx((2 * length, 0, 0))


def test_a_point_mass_ends_its_link() -> None:
    robot = Robot.from_dh([(0, 0, 0, "q1")], "modified", "pendulum")
    link = Link(M=Formula("2"), MY=Formula("-3"), XX=Formula("4.5"), ZZ=Formula("4.5"))
    (bar,) = [p for p in bodies(replace(robot, links=(link,)), {}).parts if p.shape == "bar"]
    assert bar.point == pytest.approx((0, -1.5, 0))


def test_rails_cover_the_limits_near_the_robot() -> None:
    rail = part_of("cartpole", 0, "rail")
    assert rail.low == pytest.approx(-1.2) and rail.high == pytest.approx(1.2)


@pytest.mark.parametrize("name", ["rx90", "gough_stewart", "flexible2r", "mecanum", "stanford", "panda"])
def test_the_picture_contains_every_solid(name: str) -> None:
    robot = symoro.load(name)
    built = bodies(robot, {})
    drawn = list(solids(figure(robot, {}), built, robot.NF + 1, LIGHT))
    assert len(drawn) >= len(built.parts)
    assert {part.colour for part in drawn} == {getattr(LIGHT, part.role) for part in built.parts}


def test_the_scene_has_the_colours_of_the_pictures() -> None:
    text = (ROOT / "frontend" / "src" / "scene" / "colours.ts").read_text(encoding="utf-8")
    roles = [field.name for field in fields(Palette) if field.name not in ("background", "text", "ground")]
    for name, palette in (("LIGHT", LIGHT), ("DARK", DARK)):
        (block,) = re.findall(rf"const {name}: Palette = \{{(.*?)\}};", text, re.DOTALL)
        given = dict(re.findall(r'(\w+): "(#\w+)"', block))
        assert {role: given[role] for role in roles} == {role: getattr(palette, role) for role in roles}


@pytest.mark.parametrize("name", ["flexible2r", "flexible_satellite"])
def test_frames_on_flexible_links_are_at_the_tips_of_the_beams(name: str) -> None:
    robot = symoro.load(name)
    values = dict(robot.nominal)
    beams = flexible_links(robot)
    count = sum(beam.modes for beam in beams.values())
    program = all_frames(robot, modes=True)
    place = Function(program, values, compiled=False)
    straight = Function(all_frames(robot), values, compiled=False)
    q, e = np.array([0.3, -0.7]), 0.02 * (1 + np.arange(count))
    np.testing.assert_allclose(place(q=q, e=np.zeros(count))["T"], straight(q=q)["T"], atol=1e-14)
    bent = place(q=q, e=e)
    first = 0
    for tip, (j, beam) in zip(bent["tips"], beams.items(), strict=True):
        modes = e[first : first + beam.modes]
        along_y, along_z = modes[: beam.y].sum(), modes[beam.y : beam.y + beam.z].sum()
        root = bent["T"][j - 1]
        local = np.array([beam.length.value(values), along_y, along_z, 1.0])
        np.testing.assert_allclose(tip[:, 3], root @ local, atol=1e-12)
        slope_y = sum((k + 2) * x for k, x in enumerate(modes[: beam.y])) / beam.length.value(values)
        slope_z = sum((k + 2) * x for k, x in enumerate(modes[beam.y : beam.y + beam.z]))
        slope_z /= beam.length.value(values)
        direction = root[:3, :3].T @ tip[:3, 0]
        wanted = [math.cos(slope_y) * math.cos(slope_z), math.sin(slope_y) * math.cos(slope_z)]
        np.testing.assert_allclose(direction, [*wanted, math.sin(slope_z)], atol=1e-12)
        first += beam.modes


def _scaled(robot: Robot, factor: float) -> Robot:
    values = default_values(robot)

    def longer(place: object) -> dict[str, Formula]:
        return {name: Formula(repr(factor * getattr(place, name).value(values))) for name in ("b", "d", "r")}

    frames = []
    for frame in robot.frames:
        limits = frame.limits
        if frame.sigma == JointType.PRISMATIC and limits.lower is not None and limits.upper is not None:
            limits = Limits(factor * limits.lower, factor * limits.upper)
        frames.append(replace(frame, **longer(frame), limits=limits))  # type: ignore[arg-type]
    links = []
    for link in robot.links:
        changed = {name: Formula(f"{factor}*({getattr(link, name).text})") for name in ("MX", "MY", "MZ")}
        changed |= {name: Formula(f"{factor**2}*({getattr(link, name).text})") for name in ("XX", "YY", "ZZ")}
        links.append(replace(link, **changed))
    own = independent(robot)
    postures = {
        name: tuple(
            factor * x if robot.frame(j).sigma == JointType.PRISMATIC else x
            for j, x in zip(own, q, strict=True)
        )
        for name, q in robot.postures.items()
    }
    tool = robot.tool and replace(robot.tool, place=replace(robot.tool.place, **longer(robot.tool.place)))
    return replace(robot, frames=tuple(frames), links=tuple(links), tool=tool, postures=postures)


@pytest.mark.parametrize("length", [1.0, 1e-7])
def test_numbers_of_symbols_determine_the_size(length: float) -> None:
    robot = symoro.load("planar2r").replace(nominal=())
    built = bodies(robot, dict.fromkeys(robot.symbols(), length))
    assert built.size == pytest.approx(2 * length) and built.unit == pytest.approx(0.052 * length)
