"""Test conversions between conventions with an independent implementation of the transforms in NumPy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from symoro.errors import NotApplicableError, UnknownNameError
from symoro.expr.formula import Formula, formula
from symoro.robot.conventions import (
    Convention,
    JointRow,
    ParameterTable,
    convention_named,
    moved,
    to_table,
)
from symoro.robot.description import (
    GEOMETRIC,
    IDENTITY16,
    INERTIAL,
    WRENCH,
    Frame,
    JointType,
    Link,
    Placement,
    Robot,
    Tool,
)
from symoro.robot.formats.table import from_table
from tests.oracle.placement import placement
from tests.strategies import SYMBOLS, angles, formulas, geometry, links

Array = np.ndarray[Any, Any]
VALUES = dict(zip(SYMBOLS, (0.7, -0.4, 0.45, 0.31, 0.9, 1.1, 2.5, -1.3), strict=True))
CONVENTIONS = list(Convention)
SLOW = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)


# -- plain NumPy, written from the definitions


def rot(axis: str, angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    T = np.eye(4)
    T[:3, :3] = {"x": [[1, 0, 0], [0, c, -s], [0, s, c]], "z": [[c, -s, 0], [s, c, 0], [0, 0, 1]]}[axis]
    return T


def trans(axis: str, length: float) -> Array:
    T = np.eye(4)
    T["xyz".index(axis), 3] = length
    return T


def craig(alpha: float, a: float, theta: float, d: float) -> Array:
    return rot("x", alpha) @ trans("x", a) @ rot("z", theta) @ trans("z", d)


def classic(theta: float, d: float, a: float, alpha: float) -> Array:
    return rot("z", theta) @ trans("z", d) @ trans("x", a) @ rot("x", alpha)


STEP = {"khalil-kleinfinger": placement, "craig": craig, "denavit-hartenberg": classic}
VARIABLE = {
    "khalil-kleinfinger": {JointType.REVOLUTE: 4, JointType.PRISMATIC: 5},
    "craig": {JointType.REVOLUTE: 2, JointType.PRISMATIC: 3},
    "denavit-hartenberg": {JointType.REVOLUTE: 0, JointType.PRISMATIC: 1},
}


def number(value: Formula, values: Mapping[str, float] = VALUES) -> float:
    return value.value(values)


def matrix16(entries: Sequence[Formula]) -> Array:
    return np.array([number(e) for e in entries]).reshape(4, 4)


def place_matrix(place: Placement | Frame) -> Array:
    return placement(*(number(getattr(place, name)) for name in GEOMETRIC))


def robot_frames(robot: Robot, q: Sequence[float]) -> list[Array]:
    """Return world T j for each frame of a serial robot."""
    T, result = matrix16(robot.base.Z), []
    for frame, x in zip(robot.frames, q, strict=True):
        values = [number(getattr(frame, name)) for name in GEOMETRIC]
        if frame.moving:
            values[VARIABLE["khalil-kleinfinger"][frame.sigma]] += x
        T = T @ placement(*values)
        result.append(T)
    return result


def table_frames(table: ParameterTable, q: Sequence[float]) -> list[Array]:
    T, result = matrix16(table.base), []
    for row, x in zip(table.rows, q, strict=True):
        values = [number(value) for value in row.values]
        if row.sigma != JointType.FIXED:
            values[VARIABLE[table.convention][row.sigma]] += x
        T = T @ STEP[table.convention](*values)
        result.append(T)
    return result


def tool_matrix(tool: Tool | None) -> Array:
    return place_matrix(tool.place) if tool else np.eye(4)


# -- strategies

joint_values = st.lists(st.floats(-3, 3), min_size=6, max_size=6)


def _numeric(value: Formula) -> bool:
    return abs(number(value)) < 100


lengths = formulas().filter(_numeric)
turns = angles().filter(_numeric)


@st.composite
def serial_robots(draw: st.DrawFn, *, with_links: bool = False) -> Robot:
    n = draw(st.integers(1, 4))
    frames = []
    for j in range(n):
        fields = {name: draw(turns if name in ("gamma", "alpha", "theta") else lengths) for name in GEOMETRIC}
        frames.append(Frame(j, draw(st.sampled_from(list(JointType))), **fields))
    tool = Tool(Placement(n, draw(turns), draw(lengths), draw(turns), draw(lengths)))
    return Robot(
        name="random",
        frames=tuple(frames),
        links=tuple(draw(links(named=False)) if with_links else Link() for _ in range(n)),
        tool=draw(st.none() | st.just(tool)),
    )


@st.composite
def tables(draw: st.DrawFn) -> ParameterTable:
    convention = draw(st.sampled_from(CONVENTIONS))
    kinds = {"alpha": turns, "theta": turns, "gamma": turns}
    rows = []
    for _ in range(draw(st.integers(1, 4))):
        columns = ParameterTable(convention, ()).columns
        values = tuple(draw(kinds.get(column, lengths)) for column in columns)
        rows.append(JointRow(draw(st.sampled_from(list(JointType))), values))
    return ParameterTable(convention, tuple(rows))


# -- geometry


@SLOW
@given(tables(), joint_values)
def test_a_table_and_its_robot_reach_the_same_place(table: ParameterTable, q: list[float]) -> None:
    robot = from_table(table)
    q = q[: len(table.rows)]
    reached = robot_frames(robot, q)[-1] @ tool_matrix(robot.tool)
    np.testing.assert_allclose(reached, table_frames(table, q)[-1], rtol=1e-9, atol=1e-9)


@SLOW
@given(serial_robots(), st.sampled_from(CONVENTIONS), joint_values)
def test_a_robot_and_its_table_reach_the_same_place(
    robot: Robot, convention: Convention, q: list[float]
) -> None:
    table = to_table(robot, convention)
    q = q[: robot.NL]
    expected = robot_frames(robot, q)[-1] @ tool_matrix(robot.tool)
    reached = table_frames(table, q)[-1] @ tool_matrix(table.tool)
    np.testing.assert_allclose(reached, expected, rtol=1e-9, atol=1e-9)


@SLOW
@given(tables())
def test_back_and_forth_gives_the_table_again(table: ParameterTable) -> None:
    again = to_table(from_table(table), table.convention)
    for row, other in zip(table.rows, again.rows, strict=True):
        assert row.sigma == other.sigma
        assert [number(v) for v in row.values] == pytest.approx([number(v) for v in other.values])
    np.testing.assert_allclose(matrix16(again.base), np.eye(4), atol=1e-12)


def test_craig_is_khalil_without_gamma_and_b() -> None:
    frame = Frame(0, alpha=formula("pi/2"), d=Formula("a"), theta=formula("pi/3"), r=Formula("h"))
    table = to_table(Robot("x", (frame,), (Link(),)), "craig")
    assert table.columns == ("alpha", "a", "theta", "d")
    assert [str(v) for v in table.rows[0].values] == ["pi/2", "a", "pi/3", "h"]
    assert table.base == IDENTITY16


def test_classic_table_of_a_planar_arm_is_exact() -> None:
    zero, L1, L2 = formula(0), Formula("L1"), Formula("L2")
    rows = (
        JointRow(JointType.REVOLUTE, (zero, zero, L1, zero)),
        JointRow(JointType.REVOLUTE, (formula("pi/2"), zero, L2, formula("-pi/2"))),
    )
    robot = from_table(ParameterTable(Convention.DENAVIT_HARTENBERG, rows), "planar")
    assert [str(f.d) for f in robot.frames] == ["0", "L1"]
    assert str(robot.frame(2).theta) == "pi/2"
    assert robot.tool == Tool(Placement(2, alpha=formula("-pi/2"), d=L2))
    assert to_table(robot, "dh").rows == rows


def test_leading_gamma_and_b_join_the_joint_before_or_the_base() -> None:
    frames = (
        Frame(0, gamma=Formula("g1"), b=Formula("b1")),
        Frame(1, JointType.PRISMATIC, gamma=Formula("g2"), b=Formula("b2"), alpha=formula("pi/2")),
    )
    table = to_table(Robot("x", frames, (Link(), Link())), "craig")
    assert [str(v) for v in table.rows[0].values] == ["0", "0", "g2", "b2"]
    assert [str(table.base[i]) for i in (0, 1, 4, 11)] == ["cos(g1)", "-sin(g1)", "sin(g1)", "b1"]


# -- inertia and wrenches


def masses(link: Link) -> tuple[Array, Array, float, Array]:
    """Return J, MS, M and the wrench (f, m) of a link as numbers."""
    v = {name: number(getattr(link, name)) for name in (*INERTIAL, *WRENCH)}
    J = np.array([[v["XX"], v["XY"], v["XZ"]], [v["XY"], v["YY"], v["YZ"]], [v["XZ"], v["YZ"], v["ZZ"]]])
    wrench = np.array([v[name] for name in WRENCH])
    return J, np.array([v["MX"], v["MY"], v["MZ"]]), v["M"], wrench


def power_and_energy(T: Array, link: Link, v: Array, w: Array) -> tuple[float, float]:
    """Return kinetic energy and power of the wrench for a twist (v at the world's origin, w) in the world."""
    R, P = T[:3, :3], T[:3, 3]
    J, MS, M, wrench = masses(link)
    v_here, w_here = R.T @ (v + np.cross(w, P)), R.T @ w
    energy = 0.5 * M * v_here @ v_here + MS @ np.cross(v_here, w_here) + 0.5 * w_here @ J @ w_here
    return float(energy), float(wrench[:3] @ v_here + wrench[3:] @ w_here)


V, W = np.array([0.3, -1.1, 0.7]), np.array([-0.9, 0.4, 1.3])


def same(a: tuple[float, float], b: tuple[float, float]) -> None:
    assert a == pytest.approx(b, rel=1e-8, abs=1e-6)


small_links = links(named=False).filter(
    lambda link: all(_numeric(getattr(link, name)) for name in (*INERTIAL, *WRENCH))
)


@SLOW
@given(small_links, geometry().filter(lambda g: all(_numeric(v) for v in g.values())))
def test_a_link_keeps_energy_and_power_in_another_frame(link: Link, place: dict[str, Formula]) -> None:
    placement = Placement(0, **place)
    old = power_and_energy(place_matrix(placement), link, V, W)
    new = power_and_energy(np.eye(4), moved(link, placement), V, W)
    scale = max(1.0, *map(abs, old))
    same((old[0] / scale, old[1] / scale), (new[0] / scale, new[1] / scale))


@settings(SLOW, max_examples=25)
@given(serial_robots(with_links=True), st.sampled_from(CONVENTIONS), joint_values)
def test_links_move_with_the_frames(robot: Robot, convention: Convention, q: list[float]) -> None:
    """Check that the links of a table in its frames equal those of the robot, in both directions."""
    for link in robot.links:
        if not all(_numeric(getattr(link, name)) for name in (*INERTIAL, *WRENCH)):
            return
    table = to_table(robot, convention)
    back = from_table(table)
    q = q[: robot.NL]
    cases = zip(
        zip(robot_frames(robot, q), robot.links, strict=True),
        zip(table_frames(table, q), table.links, strict=True),
        zip(robot_frames(back, q), back.links, strict=True),
        strict=True,
    )
    for (T, link), (T_table, link_table), (T_back, link_back) in cases:
        expected = power_and_energy(T, link, V, W)
        scale = max(1.0, *map(abs, expected))
        for other in ((T_table, link_table), (T_back, link_back)):
            result = power_and_energy(*other, V, W)
            same((result[0] / scale, result[1] / scale), (expected[0] / scale, expected[1] / scale))


def test_symbols_stay_symbols_in_another_frame() -> None:
    link = Link(ZZ=Formula("J"), MX=Formula("MX"), M=Formula("m"))
    assert str(moved(link, Placement(0, d=Formula("L"))).MX) == "L*m + MX"
    value = moved(link, Placement(0, d=Formula("L"))).ZZ.value({"J": 2.0, "MX": 3.0, "m": 5.0, "L": 0.5})
    assert value == pytest.approx(2.0 + 2 * 0.5 * 3.0 + 5.0 * 0.25)


# -- errors


def test_a_tree_needs_a_chosen_frame() -> None:
    tree = Robot("tree", (Frame(0), Frame(1), Frame(1, name="left")), (Link(),) * 3)
    with pytest.raises(NotApplicableError, match="tree"):
        to_table(tree, "craig")
    assert len(to_table(tree, "craig", "left").rows) == 2
    with pytest.raises(NotApplicableError, match="no joint"):
        to_table(tree, "craig", 0)
    with pytest.raises(UnknownNameError, match="frame"):
        to_table(tree, "craig", 9)


def test_loops_are_rejected() -> None:
    frames = (Frame(0), Frame(1), Frame(0), Frame(2, mu=False), Frame(3, JointType.FIXED))
    with pytest.raises(NotApplicableError, match="closed loops"):
        to_table(Robot("loop", frames, (Link(),) * 3), "dh")


def test_a_tool_that_cannot_be_joined_is_rejected() -> None:
    row = JointRow(JointType.REVOLUTE, (formula(0), formula(0), Formula("a"), formula("pi/2")))
    place = Placement(1, gamma=Formula("g"), alpha=Formula("x"))
    with pytest.raises(NotApplicableError, match="three axes"):
        from_table(ParameterTable(Convention.DENAVIT_HARTENBERG, (row,), tool=Tool(place)))


def test_names_of_conventions() -> None:
    assert convention_named("DH") == Convention.DENAVIT_HARTENBERG
    assert convention_named("modified") == Convention.CRAIG
    with pytest.raises(UnknownNameError, match="convention"):
        convention_named("euler")
