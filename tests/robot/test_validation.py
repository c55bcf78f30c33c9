"""Test that all inconsistencies of a description are reported together."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

import symoro
from symoro.errors import RobotError
from symoro.expr.formula import ZERO, formula
from symoro.robot.description import (
    IDENTITY16,
    Base,
    BaseKind,
    Coupling,
    Frame,
    JointType,
    Limits,
    Link,
    Placement,
    Robot,
    Tool,
)
from symoro.robot.validation import problems
from tests.strategies import robots

FIXED = JointType.FIXED


def problems_of(*frames: Frame, links: int | None = None, **fields: Any) -> tuple[str, ...]:
    try:
        Robot("bad", frames, (Link(),) * (len(frames) if links is None else links), **fields)
    except RobotError as error:
        return error.problems
    return ()


def loop(left: Frame, right: Frame) -> tuple[str, ...]:
    return problems_of(Frame(0), Frame(0), left, right, links=2)


CASES = [
    (problems_of(links=0), "at least one link"),
    (problems_of(Frame(0), links=2), "2 links but only 1 frames"),
    (problems_of(Frame(0), Frame(1), links=1), "each loop adds two frames"),
    (problems_of(Frame(3)), "antecedent 3 does not exist (frames are 0 .. 1)"),
    (problems_of(Frame(-1)), "antecedent -1 does not exist"),
    (problems_of(Frame(1)), "frame 1 is its own antecedent"),
    (problems_of(Frame(2), Frame(1)), "form a cycle: 1 -> 2 -> 1"),
    (problems_of(Frame(0), Frame(3), Frame(4), Frame(2)), "form a cycle: 2 -> 3 -> 4 -> 2"),
    (
        problems_of(Frame(0), Frame(3), Frame(1, mu=False), Frame(0, FIXED), links=2),
        "antecedent is frame 3, which only closes a loop",
    ),
    (loop(Frame(1, mu=False), Frame(2)), "frame 4 closes the loop that is cut at joint 3 and must be fixed"),
    (loop(Frame(1, mu=False), Frame(1, FIXED)), "have the same antecedent 1"),
    (loop(Frame(1), Frame(2, FIXED)), "joint 3 is the cut joint of a loop and must be passive"),
    (loop(Frame(1, mu=False, FV=formula("f")), Frame(2, FIXED)), "cannot have FV"),
    (problems_of(Frame(0, k=formula("k1"))), "stiffness but is not elastic"),
    (problems_of(Frame(0, rest=formula("1"))), "rest position but is not elastic"),
    (problems_of(Frame(0, FIXED, eta=True)), "fixed and cannot be elastic"),
    (problems_of(Frame(0, limits=Limits(2, 1))), "lower limit 2 is above the upper limit 1"),
    (
        problems_of(Frame(0), Frame(1, FIXED, coupling=Coupling(((1, formula("1")),)))),
        "fixed and cannot be coupled",
    ),
    (
        problems_of(Frame(0, coupling=Coupling(((2, formula("1")),))), Frame(1, FIXED)),
        "2, which is not a moving joint",
    ),
    (problems_of(Frame(0, coupling=Coupling(((7, formula("1")),)))), "7, which is not a moving joint"),
    (problems_of(Frame(0, coupling=Coupling(((1, formula("1")),)))), "which is itself coupled"),
    (
        problems_of(Frame(0), Frame(1, coupling=Coupling(((1, formula("1")), (1, formula("2")))))),
        "contains joint 1 more than once",
    ),
    (problems_of(Frame(0, name="a"), Frame(1, name="a")), "joints 1 and 2 are both called 'a'"),
    (problems_of(Frame(0), base=Base(Z=IDENTITY16[:12])), "Z needs 16 entries, got 12"),
    (problems_of(Frame(0), base=Base(Z=(*IDENTITY16[:15], ZERO))), "last row of Z must be 0 0 0 1"),
    (problems_of(Frame(0), base=Base(G=(ZERO,))), "G needs 3 entries, got 1"),
    (problems_of(Frame(0), tool=Tool(Placement(2))), "the tool is fixed to frame 2, which carries no link"),
    (problems_of(Frame(0), payload=Link()), "a payload requires a tool frame"),
]


@pytest.mark.parametrize(("messages", "expected"), CASES, ids=[text[:40] for _, text in CASES])
def test_errors_are_reported(messages: tuple[str, ...], expected: str) -> None:
    assert any(expected in problem for problem in messages), messages


def test_all_of_them_at_once() -> None:
    result = problems_of(
        Frame(9, k=formula("1")), Frame(0, FIXED, eta=True), Frame(1, limits=Limits(1, 0)), payload=Link()
    )
    assert len(result) == 5
    with pytest.raises(RobotError) as caught:
        Robot("bad", (Frame(9), Frame(8)), (Link(),) * 2)
    lines = str(caught.value).splitlines()
    assert lines[0] == "robot 'bad' is inconsistent in 2 places:" and len(lines) == 3


def test_the_first_and_the_last_of_a_long_circle() -> None:
    n = 200
    result = problems_of(*(Frame(j % n + 1) for j in range(1, n + 1)))
    assert len(result) == 1 and len(result[0]) < 200


def test_many_frames_take_no_time() -> None:
    assert problems(Robot("long", tuple(Frame(j) for j in range(3000)), (Link(),) * 3000)) == []


@settings(max_examples=30, deadline=None)
@given(robots())
def test_random_robots_are_sound(robot: Robot) -> None:
    assert problems(robot) == []


def test_bundled_robots_are_sound() -> None:
    assert problems(symoro.load("rx90_floating")) == []
    assert symoro.load("rx90_floating").base.kind == BaseKind.FLOATING
