"""Test parallel robots described by platform and legs: the resulting frames and loops, and errors."""

from __future__ import annotations

import numpy as np
import pytest

import symoro
from symoro.errors import FormatError, RobotError
from symoro.robot import library
from symoro.robot.description import Frame, Link, Robot
from symoro.robot.formats import dumps, loads
from symoro.robot.topology import moving_joints
from tests.oracle.cut_tree import CutTree

PLANAR = """
symoro: 1
name: planar
platform: {name: plate, link: {M: 2}}
leg:
  chain:
    - {active: true, name: motor, link: {M: 1}}
    - {d: L1}
  attach: {joint: revolute, d: L2}
legs:
  - {on: {d: RB}, at: {d: RP}}
  - {on: {gamma: 2*pi/3, d: RB}, at: {gamma: 2*pi/3, d: RP}}
  - {on: {gamma: 4*pi/3, d: RB}, at: {gamma: 4*pi/3, d: RP}}
"""
PARALLEL = ("gough_stewart", "gough_stewart_general", "delta", "orthoglide", "3rrr", "hybrid")


def read(text: str) -> Robot:
    return loads(text, "yaml")


def changed(old: str, new: str, text: str = PLANAR) -> str:
    assert old in text
    return text.replace(old, new, 1)


def test_frames_and_loops_of_a_planar_robot() -> None:
    robot = read(PLANAR)
    assert (robot.NL, robot.B, robot.NF, robot.platform) == (8, 2, 12, 4)
    assert [frame.ant for frame in robot.frames] == [0, 1, 2, 3, 0, 5, 0, 7, 6, 8, 4, 4]
    assert [frame.mu for frame in robot.frames[:8]] == [True, False, False, False, True, False, True, False]
    assert [robot.frame(j).name for j in (1, 5, 7)] == ["motor 1", "motor 2", "motor 3"]
    assert robot.link(4).name == "plate" and robot.link(4).M.text == "2"
    assert robot.frame_number("plate") == 4
    assert robot.frame(11).gamma.text == "2*pi/3"


def test_pose_of_the_platform_on_leg_1() -> None:
    """Check that frame 4 is the inverse of `at` on the last joint of leg 1."""
    robot = read(changed("at: {d: RP}", "at: {gamma: 1/2, b: 0.1, alpha: 0.2, d: RP, theta: 0.3, r: 0.4}"))
    frame = robot.frame(4)
    entries = [getattr(frame, name).value({"RP": 0.7}) for name in ("gamma", "b", "alpha", "d", "theta", "r")]
    assert np.allclose(entries, [-0.3, -0.4, -0.2, -0.7, -0.5, -0.1], atol=1e-15)


def test_without_a_place_the_last_joint_carries_the_platform() -> None:
    robot = read(changed("at: {d: RP}", "at: {}"))
    assert robot.platform == 3 and robot.link(3).M.text == "2"


def test_a_ball_is_three_turns_with_links_without_mass() -> None:
    robot = symoro.load("gough_stewart")
    assert (robot.NL, robot.B, len([f for f in robot.frames[: robot.NL] if f.moving])) == (32, 5, 31)
    for j in (4, 5, 6):
        frame = robot.frame(j)
        assert frame.d.is_zero and frame.r.is_zero and not frame.mu
        assert robot.link(j) == Link()
    assert [robot.frame(j).theta.text for j in (4, 5, 6)] == ["0", "pi/2", "0"]
    assert sum(frame.mu for frame in robot.frames) == 6


def test_a_parallelogram_is_a_separate_loop() -> None:
    robot = symoro.load("delta")
    assert (robot.NL, robot.B) == (17, 5)
    twins = [robot.frame(k + robot.B) for k in range(robot.NL + 1, robot.NJ + 1)]
    assert sum(twin.d.text == "WF" for twin in twins) == 3


@pytest.mark.parametrize("name", PARALLEL)
def test_home_closes_every_loop(name: str) -> None:
    robot = symoro.load(name)
    closed = CutTree(robot)
    x = closed.opened(np.array([robot.postures["home"]]))
    assert closed.gap(x).max() < 1e-12
    assert np.linalg.svd(closed.rows(x)[0][:, closed.rest])[1][-1] > 1e-2


@pytest.mark.parametrize("name", PARALLEL)
@pytest.mark.parametrize("fmt", ["yaml", "par"])
def test_platforms_are_written_and_read(name: str, fmt: str) -> None:
    robot = symoro.load(name)
    again = loads(dumps(robot, fmt), fmt)
    assert again.platform == robot.platform is not None
    assert again.frames[0] == robot.frames[0] or fmt == "par"
    if fmt == "yaml":
        assert again == robot


@pytest.mark.parametrize("name", PARALLEL)
def test_links_have_inertias_that_bodies_can_have(name: str) -> None:
    robot, values = symoro.load(name), dict(symoro.load(name).nominal)
    for link in robot.links:
        p = {
            n: getattr(link, n).value(values)
            for n in ["XX", "XY", "XZ", "YY", "YZ", "ZZ", "MX", "MY", "MZ", "M"]
        }
        if not p["M"]:
            assert not any(p.values())
            continue
        c = np.array([p["MX"], p["MY"], p["MZ"]]) / p["M"]
        J = np.array([[p["XX"], p["XY"], p["XZ"]], [p["XY"], p["YY"], p["YZ"]], [p["XZ"], p["YZ"], p["ZZ"]]])
        about = np.linalg.eigvalsh(J - p["M"] * (c @ c * np.eye(3) - np.outer(c, c)))
        assert about[0] > -1e-12 and about[2] <= about[0] + about[1] + 1e-12


def test_names_of_bundled_parallel_robots() -> None:
    assert library.load("gough-stewart") is library.load("gough_stewart") is library.load("Gough Stewart")
    assert library.load("3-RRR") is library.load("3rrr")


def test_modules_are_mounted_on_each_other() -> None:
    robot = symoro.load("hybrid")
    lower = robot.frame_number("lower platform")
    assert robot.platform == robot.frame_number("upper platform")
    assert sum(frame.ant == lower for frame in robot.frames[: robot.NL]) == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            changed("platform: {name: plate, link: {M: 2}}\n", ""),
            "the platform of the parallel robot is missing",
        ),
        (
            changed("attach: {joint: revolute, d: L2}", "attach: glue"),
            "'glue' is not one of ball, universal, revolute",
        ),
        (changed("  attach: {joint: revolute, d: L2}\n", ""), "not attached to the platform"),
        (changed("joint: revolute, d: L2", "joint: prismatic, d: L2"), "'prismatic' is not one of"),
        (changed("    - {d: L1}", "    - {d: L1, joint: hinge}"), "'hinge' is not one of"),
        (
            changed("{on: {d: RB}, at: {d: RP}}", "{on: {d: RB}, chain: [], at: {d: RP}}"),
            "chain of joints of this leg is missing",
        ),
        (changed("{active: true,", "{d: 1, active: true,"), "is given both in 'on' and in the first joint"),
        (changed("{on: {d: RB}", "{onto: {d: RB}"), "unknown key 'onto'"),
        (changed("name: planar", "name: planar\nframes: [{}]"), "by its legs or by its frames"),
        (changed("{d: L1}", "{d: L1, width: 2}"), "'width' is valid only for a parallelogram"),
        (
            changed("{d: L1}", "{joint: parallelogram, length: 1}"),
            "the width of this parallelogram is missing",
        ),
        (changed("{d: L1}", "{joint: universal, offset: 1}"), "expected a list"),
        (changed("{d: L1}", "{joint: universal, offset: [1, 2, 3]}"), "list of 2 offsets"),
        (changed("{d: L1}", "{d: L1 +}"), "the expression ends too early"),
        (changed("name: planar", "name: planar\nmodules: []"), "must be given in one of the modules"),
        ("symoro: 1\nname: x\nplatform: {}\nlegs: [{}]", "at least two legs"),
        ("symoro: 1\nname: x\nframes: [{}]\nplatform: 4", "expected a frame, 0 to 1"),
    ],
)
def test_invalid_parallel_robots(text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(text)
    assert message in str(caught.value)
    assert caught.value.place is not None


# -- attachment points by their coordinates

POINTS = """
symoro: 1
name: points
platform: {link: {M: 1, XX: 0.1, YY: 0.1, ZZ: 0.1}}
leg:
  chain:
    - {joint: universal, alpha: -pi/2, offset: [-pi/2, pi/2]}
    - {joint: prismatic, alpha: pi/2, active: true}
  attach: ball
legs:
"""


def by_points(a: np.ndarray, b: np.ndarray) -> Robot:
    def text(point: np.ndarray) -> str:
        x, y, z = point.tolist()
        return f"{{x: {x!r}, y: {y!r}, z: {z!r}}}"

    legs = "".join(f"  - {{on: {text(one)}, at: {text(other)}}}\n" for one, other in zip(a, b, strict=True))
    return read(POINTS + legs)


def test_points_give_the_bundled_platform() -> None:
    """The bundled platform is described by angles and radii; x and y of its points give the same geometry."""
    robot = symoro.load("gough_stewart")
    n = dict(robot.nominal)
    angles = np.repeat([0, 2 * np.pi / 3, 4 * np.pi / 3], 2)
    signs = np.tile([-1, 1], 3)

    def points(radius: str, angle: str) -> np.ndarray:
        phi = angles + signs * n[angle]
        return n[radius] * np.stack([np.cos(phi), np.sin(phi), 0 * phi], 1)

    cartesian = by_points(points("RB", "GB"), points("RP", "GP"))
    for j in range(1, robot.NF + 1):
        for name in ("gamma", "b", "alpha", "d", "theta", "r"):
            one, other = (getattr(r.frame(j), name).value(n) for r in (robot, cartesian))
            apart = (
                (one - other + np.pi) % (2 * np.pi) - np.pi
                if name in ("gamma", "alpha", "theta")
                else one - other
            )
            assert abs(apart) < 1e-15 * 4, (j, name)


def test_leg_lengths_of_arbitrary_points() -> None:
    """The positions of the prismatic joints are the distances |P + R b - a| of the attachment points."""
    rng = np.random.default_rng(2)
    a, b = rng.uniform(-1, 1, (6, 3)) * [1, 1, 0.2], rng.uniform(-0.5, 0.5, (6, 3)) * [1, 1, 0.2]
    a[0], b[1], a[2] = [0, 0, 0.1], [0, 0, 0], [-0.7, 0, 0]  # on the z axis, at the origin, behind the y axis
    robot = by_points(a, b)
    solve = symoro.generate(robot, "inverse-geometry").function(compiled=False)
    motors = [k for k, j in enumerate(moving_joints(robot)) if robot.frame(j).mu]
    for _ in range(20):
        R, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = R * np.linalg.det(R), [*rng.uniform(-0.3, 0.3, 2), 2.0]
        result = solve(T=T)
        lengths = np.linalg.norm(T[:3, 3] + b @ T[:3, :3].T - a, axis=1)
        assert result["status"][0] == 0
        assert np.abs(result["q"][0, motors] - lengths).max() < 1e-12


def test_points_may_be_symbols() -> None:
    robot = read(changed("{on: {d: RB}, at: {d: RP}}", "{on: {x: XB, y: YB/2}, at: {x: RP, y: 0, z: H}}"))
    frame = robot.frame(1)
    assert frame.gamma.symbols == {"XB", "YB"} == frame.d.symbols
    assert frame.gamma.value({"XB": -3.0, "YB": 8.0}) == np.arctan2(4, -3)
    assert frame.d.value({"XB": -3.0, "YB": 8.0}) == 5.0
    assert robot.frame(4).r.text == "-H" or robot.frame(4).r.value({"H": 2.0}) == -2.0
    again = loads(dumps(robot, "yaml"), "yaml")
    assert again == robot


@pytest.mark.parametrize(
    ("point", "message", "column"),
    [
        ("{x: 1}", "the coordinate y of the attachment point is missing", 10),
        ("{y: 1, z: 2}", "the coordinate x of the attachment point is missing", 10),
        ("{x: 1, y: 2, d: 3}", "'d' cannot be given together with the coordinates x, y, z", 23),
        ("{x: 1, y: 2, gamma: 0}", "'gamma' cannot be given together", 23),
        ("{x: 1, y: 2 +}", "the expression ends too early", 0),
        ("{x: [1], y: 2}", "expected one value", 14),
        ("{x: 1, y: , z: 0}", "a value is missing", 0),
        ("{x: 1, y: 2, w: 3}", "unknown key 'w'", 23),
        ("[1, 2, 3]", "expected a mapping, got a list", 10),
    ],
)
def test_invalid_points(point: str, message: str, column: int) -> None:
    text = changed("{on: {d: RB}, at: {d: RP}}", f"{{on: {point}, at: {{d: RP}}}}")
    with pytest.raises(FormatError) as caught:
        read(text)
    assert message in str(caught.value)
    place = caught.value.place
    assert place is not None and place.line == text.split("{on:")[0].count("\n") + 1
    assert place.column and (not column or place.column == column), place


def test_a_leg_that_does_not_reach() -> None:
    numbers = "nominal: {L1: 1, L2: 1, RB: 1, RP: 0.2}\npostures: {home: [0, 0, 0, 0, 0, 0, 0]}\n"
    with pytest.raises(FormatError, match=r"does not reach the platform") as caught:
        read(PLANAR + numbers)
    assert "degrees apart" in str(caught.value) and caught.value.hint


def test_a_platform_that_carries_no_link() -> None:
    frames, links = (Frame(0), Frame(1)), (Link(), Link())
    with pytest.raises(RobotError, match="platform is frame 3"):
        Robot("x", frames, links, platform=3)
    with pytest.raises(RobotError, match="platform is frame 0"):
        Robot("x", frames, links, platform=0)
    assert Robot("x", frames, links, platform=2).platform == 2
