"""Transforms between any two frames, against NumPy and against the golden robots."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symoro
from symoro.errors import NotApplicableError, OptionError, UnknownNameError
from symoro.expr.formula import formula
from symoro.program.interpret import interpret
from symoro.program.program import Output
from symoro.robot.description import BaseKind, Coupling, Frame, JointType, Link, Placement, Robot, Tool
from tests.oracle.golden import NAMES, golden
from tests.oracle.numeric import Numeric, Where
from tests.oracle.robots import closed, numbers, trees

MODELS = ("transform", "fast-geometry")


def frames_of(robot: Robot) -> list[Where]:
    """Return every frame of a robot."""
    special: list[Where] = ["world"] if robot.base.kind == BaseKind.FIXED else []
    return [*range(robot.NF + 1), *special, *(["tool"] if robot.tool else [])]


def chain(n: int, **fields: object) -> Robot:
    frames = tuple(Frame(j, d=formula(f"D{j + 1}"), **fields) for j in range(n))
    return Robot("chain", frames, (Link(),) * n)


def check(robot: Robot, frm: Where, to: Where, seed: int = 0) -> None:
    oracle = Numeric(robot)
    q, qc = numbers(seed, len(oracle.own)), numbers(seed + 1, len(oracle.cut))
    wanted = oracle.transform(q, frm, to, qc)
    for name in MODELS:
        model = symoro.generate(robot, name, frm=frm, to=to)
        given = {"q": q, "qc": qc} if "qc" in model.inputs else {"q": q}
        poses = model.function(compiled=False)(**given)["T"]
        np.testing.assert_allclose(poses, wanted, rtol=0, atol=1e-12, err_msg=f"{name} {frm} {to}")


@settings(max_examples=60, deadline=None)
@given(trees() | closed(), st.data(), st.integers(0, 99))
def test_any_two_frames_of_any_structure(robot: Robot, data: st.DataObject, seed: int) -> None:
    frames = frames_of(robot)
    check(robot, data.draw(st.sampled_from(frames)), data.draw(st.sampled_from(frames)), seed)


def test_every_pair_of_frames_of_a_tree_with_loops() -> None:
    robot = Robot(
        "loops",
        (
            Frame(0, alpha=formula("pi/2"), d=formula("0.3")),
            Frame(1, JointType.PRISMATIC, gamma=formula("0.4"), b=formula("-0.2"), r=formula("0.1")),
            Frame(1, alpha=formula("-0.7"), d=formula("0.5"), theta=formula("pi/3")),
            Frame(2, mu=False, d=formula("0.2")),
            Frame(3, JointType.FIXED, mu=False, d=formula("0.6"), r=formula("0.1")),
        ),
        (Link(),) * 3,
        tool=Tool(Placement(3, r=formula("0.2"))),
    )
    for frm in frames_of(robot):
        for to in frames_of(robot):
            check(robot, frm, to)


@pytest.mark.parametrize("name", NAMES)
def test_golden_placement(name: str) -> None:
    data = golden(name)
    for model in MODELS:
        poses = data.run(model, to=data.robot.NL)["T"]
        np.testing.assert_allclose(poses, data.expected["T0_n"], rtol=0, atol=1e-12)


# -- what users read


def test_names_of_parallel_axes_run_together() -> None:
    text = str(symoro.generate(symoro.load("rx90"), "fast-geometry"))
    assert "S23 = sin(" in text and "C23 = cos(" in text


def test_twelve_joints_do_not_mix_up_cosines() -> None:
    """cos(q12) is C12, cos(q1 + q2) is C1_2: two names (OpenSYMORO had one)."""
    robot = chain(12).with_frame(4, alpha="pi/2").with_frame(12, alpha="pi/2")
    model = symoro.generate(robot, "fast-geometry")
    lines = [line for line in str(model).splitlines() if re.match(r"[CS][0-9_]+ = ", line)]
    names = [line.split(" = ")[0] for line in lines]
    assert {"C12", "S12", "C1_2", "S1_2"} <= set(names)
    assert len(names) == len(set(names))
    values = {f"D{j}": 0.1 * j for j in range(1, 13)}
    q = numbers(3, 12)
    poses = model.function(values, compiled=False)(q=q)["T"]
    np.testing.assert_allclose(poses, Numeric(robot, values).transform(q, 0, 12), rtol=0, atol=1e-12)


def test_names_of_sines_are_those_of_the_positive_angle() -> None:
    """A path towards the base rotates by -q3 - q2, which is still named S23 and C23."""
    text = str(symoro.generate(chain(3).with_frame(1, alpha="pi/2"), "fast-geometry", frm=3, to=0))
    assert "S23 = " in text and "Sm3" not in text


def test_names_of_a_difference_of_angles() -> None:
    robot = Robot(
        "fork",
        (Frame(0), Frame(1, d=formula("A")), Frame(1, d=formula("B")), Frame(2, d=formula("C"))),
        (Link(),) * 4,
    )
    text = str(symoro.generate(robot, "fast-geometry", frm=2, to=3))
    assert "S2_m3 = " in text


@pytest.mark.parametrize("symbol", ["mu", "m3", "S2", "T", "t1", "q1", "q", "C1"])
def test_any_symbol_may_be_called_anything(symbol: str) -> None:
    """The name of a symbol may equal that of a variable, an input, an output or a negative joint."""
    robot = chain(3).with_frame(2, alpha=symbol, gamma=symbol, d=f"2*{symbol}").bind({"D1": 0.1, "D3": 0.3})
    values = {symbol: 0.37}
    oracle, q = Numeric(robot, values), numbers(1, 3)
    for frm, to in ((0, 3), (3, 0)):
        model = symoro.generate(robot, "fast-geometry", frm=frm, to=to)
        for compiled in (False, None):
            poses = model.function(values, compiled=compiled)(q=q)["T"]
            np.testing.assert_allclose(poses, oracle.transform(q, frm, to), rtol=0, atol=1e-12)


def test_an_expanded_model_is_one_expression_an_entry() -> None:
    model = symoro.generate(symoro.load("rx90"), "transform")
    *body, last = str(model).split("-----\n", 1)[1].strip().splitlines()
    statements = [line for line in body if line]
    assert last == f"(* lines: {len(statements)} *)"
    assert all(re.match(r"(T\[\d,\d\]|[SC]\d+) = ", line) for line in statements)
    entries = [line for line in statements if line.startswith("T[")]
    assert len(entries) == 16
    assert "T[1,4] = (D3*C2 - RL4*S23)*C1" in entries


def test_intermediate_variables_are_transforms() -> None:
    """U3T6_24 is entry (2, 4) of the transform of frame 6 in frame 3."""
    robot = symoro.load("puma560")
    program = symoro.generate(robot, "fast-geometry", to=6).program
    named = [(node, name, sign) for node, (name, sign) in program.names.items() if re.match(r"U\dT\d_", name)]
    assert len(named) > 10
    roots = tuple(node << 1 | sign for node, _, sign in named)
    shown = type(program)(
        program.name, program.graph, program.inputs, (Output("U", (len(roots),), roots),), program.parameters
    )
    q = numbers(5, 6)
    values = interpret(shown, {"q": q}, dict(robot.nominal))["U"]
    oracle = Numeric(robot)
    for (_, name, _), value in zip(named, values, strict=True):
        i, j, r, c = map(int, re.match(r"U(\d)T(\d)_(\d)(\d)\Z", name).groups())  # type: ignore[union-attr]
        assert value == pytest.approx(oracle.transform(q, i, j)[r - 1, c - 1], abs=1e-12), name


def test_fast_geometry_costs_no_more_than_the_papers() -> None:
    counted = symoro.generate(symoro.load("rx90"), "fast-geometry").count()
    assert (counted.multiplications, counted.additions) <= (44, 20)


# -- frames as users write them


def test_frames_by_number_name_and_tool() -> None:
    robot = symoro.load("puma560")
    assert robot.tool is not None
    q = numbers(0, 6)

    def placed(**options: object) -> object:
        return symoro.generate(robot, "fast-geometry", **options).function(compiled=False)(q=q)["T"].tolist()

    assert placed(to=3) == placed(to="3") == placed(to=np.int64(3)) == placed(to=robot.frame(3).name or "3")
    assert placed() == placed(to="tool") == placed(to=robot.tool.name)
    assert placed(to="tool", frm=0) == placed(frm="base")


def test_no_steps_is_the_identity() -> None:
    for frm, to in ((0, 0), (3, 3)):
        model = symoro.generate(symoro.load("rx90"), "transform", frm=frm, to=to)
        np.testing.assert_array_equal(model.function(compiled=False)(q=np.zeros(6))["T"], np.eye(4))


def test_a_robot_without_moving_joints() -> None:
    robot = Robot("stand", (Frame(0, JointType.FIXED, d=formula("1/2")),), (Link(),))
    for compiled in (False, None):
        model = symoro.generate(robot, "fast-geometry").function(compiled=compiled)(q=[])["T"]
        assert model[0, 3] == 0.5


def test_a_coupled_joint_beyond_a_loop() -> None:
    robot = (
        chain(2)
        .bind({"D1": 1, "D2": 1})
        .with_frame(2, coupling=Coupling(((1, formula("-2")),), formula("pi/5")))
    )
    check(robot, 0, 2)


@pytest.mark.parametrize("frame", [7, -1, "hand", "7", "", "²"])
def test_an_unknown_frame_is_named(frame: int | str) -> None:
    with pytest.raises(UnknownNameError, match="no frame called"):
        symoro.generate(symoro.load("rx90"), "transform", to=frame)


@pytest.mark.parametrize("frame", [1.5, True, [1], (), {}])
def test_what_is_no_frame_is_told(frame: object) -> None:
    with pytest.raises(OptionError, match="expected a frame's number or name"):
        symoro.generate(symoro.load("rx90"), "transform", to=frame)


def test_no_tool_and_no_world() -> None:
    with pytest.raises(NotApplicableError, match="has no tool frame"):
        symoro.generate(symoro.load("rx90"), "transform", to="tool")
    with pytest.raises(NotApplicableError, match="wheeled base"):
        symoro.generate(symoro.load("mobile_manipulator"), "transform", frm="world")
