"""Test robots as frozen data: numbers of links and joints, modified copies, equality, frames by name."""

from __future__ import annotations

import dataclasses
import pickle

import pytest

import symoro
from symoro.errors import RobotError, UnknownNameError
from symoro.expr.formula import Formula, formula
from symoro.robot.description import Base, BaseKind, Coupling, Frame, JointType, Link, Placement, Robot, Tool


def arm(n: int = 3, **fields: object) -> Robot:
    return Robot("arm", tuple(Frame(j, d=formula(f"D{j + 1}")) for j in range(n)), (Link(),) * n, **fields)


def test_sizes_in_the_papers_words() -> None:
    robot = symoro.load("akr3000")
    assert robot.NF == robot.NL + 2 * robot.B and robot.NJ == robot.NL + robot.B
    assert symoro.load("rx90").B == 0
    assert robot.frame(1) is robot.frames[0] and robot.link(1) is robot.links[0]
    assert robot.link(0) is robot.base.link


@pytest.mark.parametrize("name", ["rx90", "akr3000"])
def test_no_frame_or_link_before_the_first_or_after_the_last(name: str) -> None:
    """Check that negative indices of Python are rejected."""
    robot = symoro.load(name)
    for j in (0, -1, robot.NF + 1, "base", "0"):
        with pytest.raises(UnknownNameError, match=f"no frame called '{j}'\nhint: .*0 is the base"):
            robot.frame(j)
    for k in (-1, robot.NL + 1, -robot.NL):
        with pytest.raises(UnknownNameError, match=f"no link called '{k}'"):
            robot.link(k)
    with pytest.raises(UnknownNameError, match="no frame called '0'"):
        robot.with_frame(0, d=1)
    for j in (-1, robot.NF + 1):
        with pytest.raises(UnknownNameError):
            robot.with_frame(j, d=1)
        with pytest.raises(UnknownNameError):
            robot.with_link(j, M=1)
    if robot.B:
        with pytest.raises(UnknownNameError, match=f"no link called '{robot.NF}'"):
            robot.link(str(robot.NF))


def test_it_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        arm().name = "other"  # type: ignore[misc]


def test_equality_and_hash() -> None:
    assert arm() == arm() and hash(arm()) == hash(arm())
    assert arm() != arm(4) and arm() != arm().replace(name="leg")
    assert arm(notes=("from a file",)) == arm(), "how it was obtained does not matter"
    assert len({arm(), arm(), arm(2)}) == 2
    assert pickle.loads(pickle.dumps(arm())) == arm()  # noqa: S301


def test_with_frame_and_with_link() -> None:
    robot = arm().with_frame(2, alpha="pi/2", d=0.5, sigma=JointType.PRISMATIC).with_link(3, M="m3", XX=2)
    assert robot.frame(2).alpha == Formula("pi/2") and robot.frame(2).d.number == 0.5
    assert Formula("m3") == robot.link(3).M and robot.link(3).XX.number == 2
    assert robot.frame(1) == arm().frame(1)
    with pytest.raises(UnknownNameError, match="no field of Frame called 'beta'"):
        arm().with_frame(1, beta=1)
    floating = arm(base=Base(kind=BaseKind.FLOATING)).with_link(0, M=5)
    assert floating.base.link.M.number == 5


def test_a_joint_that_is_no_longer_driven() -> None:
    robot = arm().with_frame(1, QP="0").with_frame(1, QP=None)
    assert robot.frame(1).QP is None


def test_cutting_the_loops() -> None:
    robot = symoro.load("sr400")
    tree = robot.tree()
    assert (tree.NF, tree.B) == (robot.NL, 0)
    assert arm().tree() == arm()


def test_frames_by_number_and_name() -> None:
    robot = arm().with_frame(2, name="elbow").with_link(3, name="hand")
    for which, number in ((0, 0), ("base", 0), ("0", 0), (3, 3), ("3", 3), ("elbow", 2), ("hand", 3)):
        assert robot.frame_number(which) == number
    for wrong in (4, -1, "wrist", True, "03"):
        with pytest.raises(UnknownNameError, match="no frame called"):
            robot.frame_number(wrong)
    with pytest.raises(UnknownNameError) as caught:
        robot.frame_number("elbw")
    assert "did you mean 'elbow'" in str(caught.value)


def test_printing() -> None:
    robot = symoro.load("rx90")
    text = str(robot)
    for part in ("RX90: Staubli RX-90", "serial, 6 joints (RRRRRR)", "source: ", "-pi/2", "D3      0.45"):
        assert part in text, part
    html = robot._repr_html_()
    assert html.count("<table>") == html.count("</table>") >= 4
    odd = arm().replace(name="<script>", title="a & b")
    assert "<script>" not in odd._repr_html_() and "a &amp; b" in odd._repr_html_()


def test_an_inconsistent_robot_cannot_be_made() -> None:
    with pytest.raises(RobotError) as caught:
        Robot("bad", (Frame(5), Frame(2)), (Link(),) * 2)
    assert len(caught.value.problems) == 2
    with pytest.raises(RobotError, match="not a moving joint"):
        arm().with_frame(1, coupling=Coupling(((9, formula("1")),)))
    with pytest.raises(RobotError, match="carries no link"):
        arm(tool=Tool(Placement(9)))
