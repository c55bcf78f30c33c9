"""Test robots from rows in Python: the same robots as from files, and errors with row and key."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import symoro
from symoro import Robot
from symoro.errors import FormatError, UnknownNameError
from symoro.expr.formula import formula
from symoro.robot.description import JointType
from symoro.robot.formats import dumps, loads

UR5E = [
    (0, 0.1625, 0, "pi/2"),
    (0, 0, -0.425, 0),
    (0, 0, -0.3922, 0),
    (0, 0.1333, 0, "pi/2"),
    (0, 0.0997, 0, "-pi/2"),
    (0, 0.0996, 0, 0),
]
RX90_CRAIG = [
    (0, 0, 0, 0),
    ("pi/2", 0, 0, 0),
    (0, "D3", 0, 0),
    ("-pi/2", 0, 0, "RL4"),
    ("pi/2", 0, 0, 0),
    ("-pi/2", 0, 0, 0),
]


def tool(robot: Robot, q: Any) -> Any:
    return symoro.generate(robot, "fast-geometry").function(compiled=False)(q=q)["T"]


def test_three_lines() -> None:
    robot = symoro.Robot.from_dh([(0, 0.4, 0.3, 0), (0, 0, 0.2, "pi")], convention="standard")
    f = symoro.generate(robot, "fast-geometry").function(compiled=False)
    np.testing.assert_allclose(f(q=[0, np.pi / 2])["T"][:3, 3], [0.3, 0.2, 0.4], atol=1e-15)


def test_standard_rows_are_the_makers_table() -> None:
    """Compare with the bundled UR5e, which is read from a file in the same convention."""
    ours, bundled = Robot.from_dh(UR5E, "dh"), symoro.load("ur5e")
    q = np.random.default_rng(1).uniform(-3, 3, 6)
    np.testing.assert_allclose(tool(ours, q), tool(bundled, q), rtol=0, atol=1e-15)


def test_craig_rows() -> None:
    ours = Robot.from_dh(RX90_CRAIG, convention="craig", nominal={"D3": 0.45, "RL4": 0.45})
    geometry = [(f.ant, f.sigma, f.alpha, f.d, f.theta, f.r) for f in symoro.load("rx90").frames]
    assert [(f.ant, f.sigma, f.alpha, f.d, f.theta, f.r) for f in ours.frames] == geometry


@pytest.mark.parametrize("rows", [[("pi/2", "D", 0, 0.5)], [(0, 0, "pi/2", "D", 0, 0.5)]])
def test_khalils_rows_have_four_columns_or_six(rows: list[Any]) -> None:
    (frame,) = Robot.from_dh(rows, "kk").frames
    assert (str(frame.alpha), str(frame.d), str(frame.r)) == ("pi/2", "D", "0.5")


@pytest.mark.parametrize(
    "rows",
    [
        [("R", 0, 0.4, 0.3, 0), ("P", 0, 0.1, 0, 0)],
        [("q1", 0.4, 0.3, 0), (0, "q2 + 0.1", 0, 0)],
        [{"d": 0.4, "a": 0.3}, {"joint": "prismatic", "offset": 0.1}],
        [{"d": 0.4, "a": 0.3}, {"joint": "P", "d": "q2 + 0.1"}],
        [{"d": 0.4, "a": 0.3}, {"d": "q + 0.1"}],
        np.array([["q1", "0.4", "0.3", "0"], ["0", "q2+0.1", "0", "0"]]),
    ],
)
def test_notations_for_prismatic_joints(rows: list[Any]) -> None:
    robot = Robot.from_dh(rows, "standard")
    assert [f.sigma for f in robot.frames] == [JointType.REVOLUTE, JointType.PRISMATIC]
    assert robot.frame(2).r == formula("0.1") and robot.frame(1).r == formula("0.4")


def test_kinds_of_joints_apart() -> None:
    robot = Robot.from_dh([(0, 0, 0.3, 0), (0, 0.1, 0, 0), (0, 0, 0, 0)], "dh", joints="RPF")
    assert [f.sigma for f in robot.frames] == list(JointType)


def test_numbers_of_every_kind() -> None:
    robot = Robot.from_dh([(np.float64(0.5), 1, Fraction(1, 3), formula("L")), np.zeros(4)], "dh")
    assert (robot.frame(1).theta, robot.frame(1).r) == (formula("0.5"), formula("1"))
    assert robot.frame(2).d == formula("1/3") and robot.frame(2).alpha == formula("L")


def test_degrees() -> None:
    rows = [
        {"theta": 30, "alpha": 90, "limits": (-180, 180)},
        {"joint": "P", "theta": 45, "d": 0.2, "limits": {"lower": -1, "upper": 1}},
    ]
    options: dict[str, Any] = {"tool": {"theta": 60, "r": 2}, "postures": {"home": [90, 0.5]}}
    robot = Robot.from_dh(rows, "dh", degrees=True, **options)
    assert robot.frame(1).theta == formula("pi/6") and robot.frame(2).alpha == formula("pi/2")
    assert robot.frame(2).theta == formula("pi/4") and robot.frame(2).r == formula("0.2")
    assert robot.frame(1).limits.upper == pytest.approx(np.pi) and robot.frame(2).limits.upper == 1
    assert robot.tool is not None and robot.tool.place.theta == formula("pi/3")
    assert robot.postures["home"] == (pytest.approx(np.pi / 2), 0.5)


def test_mass_centre_and_inertia_in_the_rows_own_frame() -> None:
    """Check that in standard rows the link frame is at the end of the link."""
    rod = {"a": "L", "mass": "m", "com": ["-L/2", 0, 0], "inertia": [0, "m*L^2/12", "m*L^2/12"]}
    robot = Robot.from_dh([{**rod, "name": "hip", "link": "thigh", "IA": "IA1"}], "dh")
    link = robot.link("thigh")
    assert (formula("m"), formula("L*m/2"), formula("L^2*m/3")) == (link.M, link.MX, link.ZZ)
    assert formula("IA1") == robot.frame("hip").IA and robot.link("hip") is link
    values = {"m": 3.0, "L": 0.8, "IA1": 0.0}
    torque = symoro.generate(robot, "inverse-dynamics").function(values, compiled=False)
    turning = torque(q=[0.0], qd=[0.0], qdd=[1.0])["tau"]
    np.testing.assert_allclose(turning, [3.0 * 0.8**2 / 3], rtol=1e-14)


def test_gravity_has_a_number_unless_it_is_given() -> None:
    assert dict(Robot.from_dh(UR5E, "dh").nominal) == {"G3": -9.81}
    assert dict(Robot.from_dh(UR5E, "dh", nominal={"G3": -1.6}).nominal) == {"G3": -1.6}
    robot = Robot.from_dh(UR5E, "dh", gravity=(0, "-g", 0))
    assert robot.base.G[1] == formula("-g") and robot.nominal == ()


def test_a_tree_by_names() -> None:
    rows = [{"name": "waist"}, {"alpha": "pi/2", "link": {"name": "left"}}, {"ant": "waist"}, {"ant": "left"}]
    robot = Robot.from_dh(rows, "khalil-kleinfinger", tool={"on": "left", "d": 1})
    assert [f.ant for f in robot.frames] == [0, 1, 1, 2]
    assert robot.tool is not None and robot.tool.place.ant == 2


def test_it_can_be_saved() -> None:
    robot = Robot.from_dh(
        [{"a": "L", "mass": 2, "com": [0.1, 0, 0], "limits": (-1, 1)}, ("P", 0, 0, 0, 0)],
        "dh",
        "arm",
        title="an arm",
        postures={"home": ["pi/2", 0.25]},
        nominal={"L": 0.3},
    )
    assert loads(dumps(robot, "yaml"), "yaml") == robot
    assert dict(robot.nominal) == {"G3": -9.81, "L": 0.3} and robot.title == "an arm"


ROW = (0, 0, 0, 0)


@pytest.mark.parametrize(
    ("rows", "details", "said"),
    [
        ([(1, 2, 3)], {}, "frames[1]: expected 4 values, theta, d, a, alpha, got 3"),
        ([ROW, ("X", 0, 0, 0, 0)], {}, "frames[2]: expected 4 values"),
        ([ROW, 7], {}, "frames[2]: expected a row"),
        ([ROW, "RPP"], {}, "frames[2]: expected a row"),
        ([(float("nan"), 0, 0, 0)], {}, "frames[1].theta: nan is not a finite number"),
        ([(0, 0, float("inf"), 0)], {}, "frames[1].a: inf is not a finite number"),
        ([(0, "1 +", 0, 0)], {}, "frames[1].d: the expression ends too early"),
        ([(0, 0, "__import__('os')", 0)], {}, "frames[1].a"),
        ([(0, 0, [1], 0)], {}, "frames[1].a: expected a number or an expression, got list"),
        ([(0, 0, np.ones(2), 0)], {}, "frames[1].a: expected a number or an expression, got ndarray"),
        ([(0, 0, True, 0)], {}, "frames[1].a: expected a number or an expression, got bool"),
        ([("2*q1", 0, 0, 0)], {}, "must be its variable plus a constant"),
        ([("q1", "q1", 0, 0)], {}, "two joint variables"),
        ([ROW, ("q1", 0, 0, 0)], {}, "contains q1, the variable of joint 1"),
        ([{"theta": 1, "offset": 2}], {}, "define the same value"),
        ([{"thta": 1}], {}, "did you mean 'theta'"),
        ([{"joint": "ball"}], {}, "frames[1].joint: 'ball' is not a joint type"),
        ([{"mass": 1, "M": 2}], {}, "both define the inertial parameters"),
        ([{"com": [0, 0, 1]}], {}, "'com' requires 'mass'"),
        ([{"mass": 1, "com": [0, 1]}], {}, "expected 3 values, got 2"),
        ([{"mass": 1, "inertia": [1, 2]}], {}, "expected a symmetric matrix"),
        ([{"mass": 1, "inertia": [[1, 2, 0], [0, 1, 0], [0, 0, 1]]}], {}, "expected a symmetric matrix"),
        ([], {}, "the key 'frames' of the robot is missing"),
        ([ROW], {"joints": "RR"}, "1 rows, but 2 joint types"),
        ([ROW], {"colour": "red"}, "unknown key 'colour'"),
        ([ROW], {"postures": {"home": [1, 2]}}, "posture 'home' has 2 numbers, the robot has 1"),
        ([ROW], {"postures": {"pi": [1]}}, "posture 'pi'"),
        ([ROW], {"postures": {"home": ["L"]}}, "a posture must be a list of numbers"),
        ([("pi/2", 0, 0, 0)], {"degrees": True}, "contains pi, but the angles are in degrees"),
        ([{"elastic": {"stiffness": 1}}], {"degrees": True}, "'elastic' cannot be given in degrees"),
        ([{"ant": 1}], {}, "unknown key 'ant'"),
    ],
)
def test_errors_name_row_and_key(rows: list[Any], details: dict[str, Any], said: str) -> None:
    with pytest.raises(FormatError) as caught:
        Robot.from_dh(rows, "dh", **details)
    assert said in caught.value.text()
    assert "line 0" not in caught.value.text() and "file" not in caught.value.text().replace("YAML file", "")


def test_the_convention_is_required() -> None:
    with pytest.raises(UnknownNameError, match="convention"):
        Robot.from_dh([ROW], "denavit")
    with pytest.raises(TypeError):
        Robot.from_dh([ROW])  # type: ignore[call-arg]


def test_sympy_expressions_equal_texts() -> None:
    sympy = pytest.importorskip("sympy")
    q1, q2, length, offset = sympy.symbols("q1 q2 L offset", real=True)
    rows = [
        (q1, sympy.Rational(1, 2), 0, sympy.pi / 2),
        (q2 + sympy.pi / 4, 0, 2 * length**2 + sympy.sin(offset), sympy.Float(0.25)),
    ]
    texts = [("q1", "1/2", 0, "pi/2"), ("q2 + pi/4", 0, "2*L^2 + sin(offset)", 0.25)]
    robot = Robot.from_dh(rows, "dh")
    assert robot == Robot.from_dh(texts, "dh")
    assert Robot.from_dh(sympy.Matrix(rows), "dh") == robot
    assert Robot.from_dh(np.array([[0, 1, 2, 0.5]]), "dh") == Robot.from_dh([(0, 1.0, 2.0, 0.5)], "dh")
    assert robot.bind({"L": sympy.sqrt(length)}).frame(2) == robot.bind({"L": "sqrt(L)"}).frame(2)
    assert robot.with_link(1, mass=length, com=[offset, 0, 0]).link(1).MX.symbols == {"L", "offset"}


def test_sympy_expressions_without_a_formula_are_rejected() -> None:
    sympy = pytest.importorskip("sympy")
    for value, message in (
        (sympy.Symbol("a 2"), "the SymPy symbol 'a 2' cannot be the name of a parameter"),
        (sympy.Symbol("__import__('os').getcwd()"), "cannot be the name of a parameter"),
        (sympy.gamma(sympy.Symbol("x")), "the SymPy function 'gamma' is not supported"),
        (sympy.oo, "SymPy"),
        (sympy.I, "SymPy"),
    ):
        with pytest.raises(FormatError) as caught:
            Robot.from_dh([(0, value, 0, 0)], "dh")
        assert message in caught.value.text() and "frames[1].d" in caught.value.text()
