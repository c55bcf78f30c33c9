"""Tables as text in the three conventions."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings

from symoro.errors import FormatError, NotApplicableError
from symoro.expr.formula import Formula, formula
from symoro.robot.conventions import Convention
from symoro.robot.description import GEOMETRIC, Coupling, Frame, JointType, Link, Placement, Robot, Tool
from symoro.robot.formats.table import read_table, write_table
from tests.strategies import robots

CLASSIC = """\
# convention: denavit-hartenberg
# name: planar arm
joint, theta, d, a, alpha
R, q1, 0, L1, 0
R, q2 + pi/2, 0, L2, -pi/2
"""
CRAIG = """\
joint  alpha(i-1)  a(i-1)  theta  d
R      0           0       0      h
P      pi/2        a2      pi/2   d2-L
F      0           0       1      2
"""
KHALIL = """\
# base: 1, 0, 0, x, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1
# tool: r=0.1, theta=atan2(a, b), name="hand, left"
j; joint; gamma; b; alpha; d; theta; r; name
1; revolute; g1; 0; 0; 0; 0; 0; waist
2; 1; 0; b2; pi/2; D2; 0; -0.5; "the slide; second"
"""
SLOW = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)


def texts(robot: Robot, name: str) -> list[str]:
    return [str(getattr(frame, name)) for frame in robot.frames]


def test_classic() -> None:
    robot = read_table(CLASSIC)
    assert robot.name == "planar arm"
    assert texts(robot, "d") == ["0", "L1"]
    assert texts(robot, "theta") == ["0", "pi/2"]
    assert robot.tool == Tool(Placement(2, alpha=formula("-pi/2"), d=Formula("L2")))


def test_craig_is_recognised_by_its_header() -> None:
    robot = read_table(CRAIG, "dir/arm.txt")
    assert robot.name == "arm"
    assert [f.sigma for f in robot.frames] == [JointType.REVOLUTE, JointType.PRISMATIC, JointType.FIXED]
    assert texts(robot, "alpha") == ["0", "pi/2", "0"]
    assert texts(robot, "d") == ["0", "a2", "0"]
    assert texts(robot, "r") == ["h", "-L", "2"]
    assert robot.tool is None


def test_khalil_is_recognised_by_its_header() -> None:
    robot = read_table(KHALIL)
    assert texts(robot, "gamma") == ["g1", "0"]
    assert texts(robot, "r") == ["0", "-0.5"]
    assert texts(robot, "name") == ["waist", "the slide; second"]
    assert str(robot.base.Z[3]) == "x"
    assert robot.tool == Tool(Placement(2, r=formula(0.1), theta=formula("atan2(a, b)")), "hand, left")


def test_degrees_are_exact() -> None:
    text = "# angles: degrees\n# convention: dh\njoint,theta,d,a,alpha\nR,th1+90,0,0,-45\n"
    robot = read_table(text)
    assert texts(robot, "theta") == ["pi/2"]
    assert robot.tool is not None
    assert str(robot.tool.place.alpha) == "-pi/4"


@pytest.mark.parametrize("text", [CLASSIC, CRAIG, KHALIL])
@pytest.mark.parametrize("convention", list(Convention))
def test_carried_tables_round_trip(text: str, convention: Convention) -> None:
    robot = read_table(text)
    written = write_table(robot, convention=convention)
    again = read_table(written)
    assert write_table(again, convention=convention) == written
    if convention == Convention.KHALIL_KLEINFINGER:
        assert again == robot


@SLOW
@given(robots("serial"))
def test_the_geometry_of_random_robots_round_trips(robot: Robot) -> None:
    """Check that Khalil's table contains the whole geometry, and that the others give a stable table."""
    again = read_table(write_table(robot, lossy=True))
    for frame, other in zip(robot.frames, again.frames, strict=True):
        for name in ("sigma", *GEOMETRIC):
            assert getattr(frame, name) == getattr(other, name)
    assert again.base.Z == robot.base.Z
    tool = robot.tool if robot.tool and robot.tool.place.ant == robot.NL else None
    assert (again.tool and again.tool.place) == (tool and tool.place)
    for convention in (Convention.CRAIG, Convention.DENAVIT_HARTENBERG):
        written = write_table(again, convention=convention)
        # A sum such as 1e-127 + pi/2 in one table is rounded to pi/2 in the next one.
        if not re.search(r"e-\d\d", written):
            assert write_table(read_table(written), convention=convention) == written


def test_a_chain_of_a_tree() -> None:
    tree = Robot("tree", (Frame(0), Frame(1), Frame(1, d=Formula("x"))), (Link(),) * 3)
    with pytest.raises(NotApplicableError, match="tree"):
        write_table(tree)
    assert texts(read_table(write_table(tree, to=3)), "d") == ["0", "x"]


def test_couplings_are_not_lost_in_silence() -> None:
    robot = Robot("pair", (Frame(0), Frame(1, coupling=Coupling(((1, Formula("n")),)))), (Link(),) * 2)
    with pytest.raises(FormatError, match="coupled"):
        write_table(robot)
    assert len(read_table(write_table(robot, lossy=True)).frames) == 2


# text, replaced, by, (line, column, key), part of the message
CASES = [
    (
        CLASSIC,
        "# convention: denavit-hartenberg\n",
        "",
        (2, 1, "convention"),
        "convention cannot be determined",
    ),
    (CLASSIC, "denavit-hartenberg", "euler", (1, 15, "convention"), "no convention"),
    (CLASSIC, "alpha\n", "alfa\n", (3, 1, "alfa"), "no column"),
    (CLASSIC, ", alpha\n", "\n", (3, 1, "alpha"), "is missing"),
    (CLASSIC, "d, a, alpha", "d, a, a, alpha", (3, 21, "a"), "given twice"),
    (CLASSIC, "L1, 0", "L1", (4, 1, None), "4 cells, but the header has 5"),
    (CLASSIC, "R, q1", "X, q1", (4, 1, "joint"), "not a joint type"),
    (CLASSIC, "R, q1", "R, 2*q1", (4, 4, "theta"), "its variable plus a constant"),
    (CLASSIC, "R, q1", "R, q1 + th1", (4, 4, "theta"), "its variable plus a constant"),
    (CLASSIC, "q2 + pi/2", "q2 + q1", (5, 1, "theta"), "variable of joint 1"),
    (CLASSIC, "q2 + pi/2", "q2 + $", (5, 9, "theta"), "unexpected character"),
    (CLASSIC, "L1", "", (4, 10, "a"), "missing"),
    (CLASSIC, "# name: planar arm", "# angles: grads", (2, 11, "angles"), "radians or degrees"),
    (CLASSIC, "# name: planar arm", "# convention: dh", (2, 3, "convention"), "given twice"),
    (CLASSIC, "# name: planar arm", "# base: 1, 0", (2, 9, "base"), "16 values"),
    (CLASSIC, "# name: planar arm", "# tool: r=1, r=2", (2, 14, "tool"), "not a parameter"),
    (CLASSIC, "# name: planar arm", "# tool: r=1+", (2, 13, "tool"), "too early"),
    (CLASSIC, "# name: planar arm", "# tool: gamma=1, d=1", (2, 9, "tool"), "three axes"),
    (KHALIL, "\n2; 1", "\n3; 1", (5, 1, "j"), "this is row 2"),
    (KHALIL, '"the slide; second"', "waist", (4, 1, None), "both called"),
]


@pytest.mark.parametrize(
    ("text", "old", "new", "where", "message"), CASES, ids=[f"{c[4]}-{i}" for i, c in enumerate(CASES)]
)
def test_position(text: str, old: str, new: str, where: tuple[int, int, str | None], message: str) -> None:
    assert text.count(old) == 1
    with pytest.raises(FormatError) as caught:
        read_table(text.replace(old, new), "arm.csv")
    error = caught.value
    assert error.place is not None
    assert message in error.message.split("\nalso")[0]
    assert (error.place.file, error.place.line, error.place.column, error.place.key) == ("arm.csv", *where)


@pytest.mark.parametrize("text", ["# only a comment\n", "joint,alpha,d,theta,r\n"])
def test_nothing_to_read(text: str) -> None:
    with pytest.raises(FormatError, match=r"no header|no rows"):
        read_table(text)
