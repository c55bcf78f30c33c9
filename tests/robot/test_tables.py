"""Test the tables of a robot: complete, without repetition and without empty tables."""

from __future__ import annotations

from hypothesis import given, settings

import symoro
from symoro.expr.formula import formula
from symoro.robot.description import Base, Coupling, Frame, JointType, Limits, Link, Placement, Robot, Tool
from symoro.robot.tables import html, tables, text
from tests.strategies import robots

ROBOT = Robot(
    "r",
    (
        Frame(0, theta=formula("-pi/2"), limits=Limits(-1, None, 2.5)),
        Frame(1, JointType.PRISMATIC, r=formula("a - b"), eta=True, k=formula("k2")),
        Frame(2, theta=formula("c"), coupling=Coupling(((1, formula("-2")),), formula("pi"))),
        Frame(3, JointType.FIXED, theta=formula("pi")),
    ),
    (Link(), Link(FX=formula("F2")), Link(), Link()),
    base=Base(W0=(formula("0"), formula("0"), formula("w"))),
    tool=Tool(Placement(4, r=formula("hand")), "gripper"),
    nominal=(("hand", 0.125),),
)


def rows(title: str, robot: Robot = ROBOT) -> list[dict[str, str]]:
    (table,) = [t for t in tables(robot) if t.title == title]
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def test_the_joint_variable_is_written_into_its_column() -> None:
    result = rows("geometric parameters")
    assert [row["theta"] for row in result] == ["q1 - pi/2", "0", "q3 + c", "pi"]
    assert [row["r"] for row in result] == ["0", "q2 + a - b", "0", "0"]
    assert [row["type"] for row in result] == ["R", "P~", "R", "fixed"]


def test_the_other_tables() -> None:
    assert [t.title for t in tables(ROBOT)] == [
        "geometric parameters",
        "drives",
        "wrenches on the environment",
        "limits",
        "coupled joints",
        "base",
        "tool",
        "nominal values",
    ]
    assert rows("limits") == [{"j": "1", "lower": "-1", "upper": "", "velocity": "2.5", "effort": ""}]
    assert rows("coupled joints") == [{"j": "3", "coupling": "q3 = (-2)*q1 + pi"}]
    assert rows("tool")[0]["name"] == "gripper" and rows("tool")[0]["r"] == "hand"
    assert rows("nominal values") == [
        {"symbol": "G3", "value": "-9.81"},
        {"symbol": "hand", "value": "0.125"},
    ]
    assert rows("base") == [{"what": "gravity", "value": "0, 0, G3"}, {"what": "W0", "value": "0, 0, w"}]
    assert rows("drives") == [{"j": "2", "IA": "0", "FV": "0", "FS": "0", "FO": "0", "k": "k2", "rest": "0"}]


def test_a_base_somewhere_and_of_some_kind() -> None:
    turned = rows("base", symoro.load("rx90_floating"))
    assert turned[0] == {"what": "kind", "value": "floating"}
    assert rows("inertial parameters", symoro.load("rx90_floating"))[0]["j"] == "0"


def test_plain_text_lines_up() -> None:
    lines = text(ROBOT).splitlines()
    start = lines.index("geometric parameters")
    head, rule = lines[start + 1], lines[start + 2]
    assert set(rule.strip()) <= {"-", " "} and len(rule) >= len(head.rstrip())
    assert all(line == line.rstrip() for line in lines)


@settings(max_examples=40, deadline=None)
@given(robots())
def test_any_robot_can_be_shown(robot: Robot) -> None:
    for table in tables(robot):
        assert table.rows and all(len(row) == len(table.columns) for row in table.rows)
    assert robot.name in text(robot)
    assert html(robot).count("<table>") == len(tables(robot))
