"""Check the stick figure: positions of the joints, and reasons for a missing picture."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

import symoro
from symoro.expr.formula import formula
from symoro.models.geometric.posture import segments
from symoro.robot import library
from symoro.robot.description import Frame, Link, Robot
from symoro.ui.picture import GAP, HEIGHT, WIDTH, picture
from tests.oracle.numeric import Numeric
from tests.oracle.robots import closed, trees


def views(text: str) -> tuple[list[str], list[str]]:
    """The lines of the two views, without heads and legend."""
    lines = text.splitlines()
    end = next(k for k, line in enumerate(lines) if line.startswith("zero posture"))
    whole = [line.ljust(2 * WIDTH + len(GAP)) for line in lines[1:end]]
    return [line[:WIDTH] for line in whole], [line[WIDTH + len(GAP) :] for line in whole]


def at(view: list[str], sign: str) -> tuple[int, int]:
    return next((row, line.index(sign)) for row, line in enumerate(view) if sign in line)


def test_the_picture_of_the_rx90() -> None:
    text = picture(symoro.load("rx90"))
    side, top = views(text)
    assert at(side, "3")[0] == at(side, "1")[0] and at(side, "3")[1] > at(side, "1")[1], "3 right of 1"
    assert at(side, "4")[1] == at(side, "3")[1] and at(side, "4")[0] < at(side, "3")[0], "4 above 3"
    assert at(top, "1")[0] == at(top, "3")[0]
    assert "at one place: 1 2; 4 5 6" in text
    assert text.isascii()


@pytest.mark.parametrize("name", library.names())
def test_every_bundled_robot(name: str) -> None:
    text = picture(symoro.load(name))
    lines = text.splitlines()
    assert len(lines) <= HEIGHT + 3
    assert all(len(line) <= 2 * WIDTH + len(GAP) for line in lines[:-2])
    assert text.isascii()
    assert "side view" in text or text.startswith("no picture")


@settings(max_examples=40, deadline=None)
@given(trees() | closed())
def test_frames_have_the_positions_of_the_oracle(robot: Robot) -> None:
    oracle = Numeric(robot)
    place = oracle.placements([0.0] * len(oracle.own))
    fixed = robot.base.kind == "fixed"
    for segment in segments(robot, {}):
        wanted = (
            oracle.transform([0.0] * len(oracle.own), "world", segment.frame)
            if fixed
            else place[segment.frame]
        )
        assert segment.points[-1] == pytest.approx(wanted[:3, 3], abs=1e-12)
    assert picture(robot)


def test_no_numbers_no_picture() -> None:
    robot = symoro.load("rx90").replace(nominal=())
    assert (
        picture(robot) == "no picture: no number is given for D3, RL4 (give numbers with --bind NAME=VALUE)"
    )
    assert "side view" in picture(robot.bind({"D3": 1, "RL4": 2}))


def test_symbols_that_do_not_matter() -> None:
    """Inertias and gravity have no numbers in most robots, and need none."""
    robot = Robot("arm", (Frame(0), Frame(1, d=formula("1"))), (Link(M=formula("M1")),) * 2)
    assert "side view" in picture(robot)


def test_all_frames_at_one_place() -> None:
    assert picture(Robot("wrist", (Frame(0), Frame(1)), (Link(),) * 2)).startswith(
        "no picture: all frames have"
    )


def test_lines_in_every_direction() -> None:
    def arm(angle: str) -> list[str]:
        frames = (Frame(0, alpha=formula("pi/2"), theta=formula(angle)), Frame(1, d=formula("1")))
        return views(picture(Robot("arm", frames, (Link(),) * 2)))[0]

    assert any("-" in line for line in arm("0"))
    assert any("|" in line for line in arm("pi/2"))
    assert any("/" in line for line in arm("pi/4"))
    assert any("\\" in line for line in arm("-pi/4"))
