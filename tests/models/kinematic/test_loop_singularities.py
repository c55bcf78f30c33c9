"""Singularities of loops: the oracle's matrices lose rank exactly where a condition is satisfied.

The oracle has twelve closure equations per loop and their derivatives by all joints, without rows, angles or factors
of the model. Configurations on a condition are computed by Newton's method on closure and condition together, singular
ones by Newton's method on closure and a null vector of the matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import symoro
from symoro.errors import NotApplicableError
from symoro.expr.formula import Formula, formula
from symoro.models.kinematic import loop_singularities as loops_module
from symoro.models.kinematic.loop_singularities import LoopSingularities
from symoro.models.kinematic.singularities import Singularities
from symoro.robot.description import Frame, JointType, Link, Robot
from tests.models.geometric.loops import rhombus
from tests.oracle.inverse_geometry import Loops

Array = NDArray[np.float64]
ZERO = 1e-7


@dataclass(frozen=True)
class Case:
    """Mechanism, its end frame, and the relevant part of the pose: a point of a link, its rotation, or both."""

    robot: Robot
    to: int | str
    link: int
    point: tuple[float, float, float] | None = (0, 0, 0)
    turns: bool = False


def sized(name: str, **lengths: float) -> Robot:
    """Return a robot of the library with lengths for which it has singular configurations of every kind."""
    robot = symoro.load(name)
    return replace(robot, nominal=tuple({**dict(robot.nominal), **lengths}.items()))


CASES = {
    "fourbar": Case(sized("fourbar", D2=0.7, D3=0.8, D4=0.4, D5=0.5), 3, 3, None, True),
    "fivebar": Case(symoro.load("fivebar"), "tool", 2, (0.3, 0, 0)),
    "slidercrank": Case(sized("slidercrank", D2=0.3, D4=0.2), 3, 3),
    "3rrr": Case(symoro.load("3rrr"), 4, 4, turns=True),
}


class Numbers:
    """Oracle of a mechanism: closure and derivatives by all joints, cut joints last; one configuration per row."""

    def __init__(self, robot: Robot) -> None:
        self.robot, self.loops = robot, Loops(robot)
        self.joints = list(self.loops.every)
        self.passive = [k for k, j in enumerate(self.joints) if j not in self.loops.active]
        self.loops.unknown, self.loops.active = self.joints, []
        self.loops.qa = np.zeros(0)
        self.values = {name: float(value) for name, value in robot.nominal}
        self.formulas: dict[str, Formula] = {}

    def closure(self, x: Array) -> tuple[Array, Array]:
        return self.loops.residual(x)

    def gap(self, x: Array) -> Array:
        return self.loops.residual(x)[0]

    def output(self, x: Array, case: Case) -> Array:
        """Return the derivative of the relevant part of the frame's pose."""
        at = self.loops._frames(x)
        columns = []
        for j in self.joints:
            slope = np.broadcast_to(self.loops.tree.slope(at, case.link, j), (len(x), 3, 4))
            parts = [] if case.point is None else [slope[:, :, :3] @ np.array(case.point) + slope[:, :, 3]]
            parts += [slope[:, :, :3].reshape(len(x), 9)] if case.turns else []
            columns.append(np.concatenate(parts, axis=1))
        return np.stack(columns, axis=2)

    def value(self, text: str, x: Array) -> Array:
        known = self.formulas.setdefault(text, formula(text))
        rows = []
        for row in x:
            numbers = {**self.values, **{f"q{j}": float(q) for j, q in zip(self.joints, row, strict=True)}}
            rows.append(float(known.value(numbers)))
        return np.array(rows)

    def solved(self, residual: Callable[[Array], Array], x: Array, steps: int = 40) -> Array | None:
        """Return a zero by least-squares steps with finite differences, or None."""
        damping, moves = 1e-3, 1e-6 * np.eye(len(x))
        f = residual(x[None])[0]
        for _ in range(steps):
            if np.abs(f).max() < 1e-13:
                break
            both = residual(np.concatenate([x + moves, x - moves]))
            slopes = ((both[: len(x)] - both[len(x) :]) / 2e-6).T
            step = np.linalg.solve(slopes.T @ slopes + damping * np.eye(len(x)), slopes.T @ f)
            there = residual((x - step)[None])[0]
            if (there**2).sum() < (f**2).sum():
                x, f, damping = x - step, there, max(damping / 10, 1e-12)
            else:
                damping *= 10
        return x if np.abs(f).max() < 1e-11 else None


def least(matrix: Array) -> float:
    values = np.linalg.svd(matrix, compute_uv=False)
    return float(values[matrix.shape[1] - 1] / values[0])


@cache
def found_for(name: str) -> LoopSingularities:
    case = CASES[name]
    result = symoro.singularities(case.robot, to=case.to)
    assert isinstance(result, LoopSingularities)
    return result


def matrix_of(kind: str, numbers: Numbers, case: Case, x: Array) -> Array:
    """Return the matrix that loses rank: the passive columns of the closure, or all of them with those of the frame."""
    closure = numbers.closure(x)[1]
    if kind == "parallel":
        return closure[:, :, numbers.passive]
    return np.concatenate([closure, numbers.output(x, case)], axis=1)


@pytest.mark.first(6)
@pytest.mark.parametrize("kind", ["parallel", "serial"])
@pytest.mark.parametrize("name", CASES)
def test_postures_on_a_condition_are_singular(name: str, kind: str) -> None:
    case = CASES[name]
    numbers, rng = Numbers(case.robot), np.random.default_rng(1)
    part: Singularities = getattr(found_for(name), kind)
    assert part.complete and not part.always and part.conditions
    for condition in part.conditions:
        (text,) = condition.expressions

        def residual(x: Array, text: str = text) -> Array:
            return np.concatenate([numbers.gap(x), numbers.value(text, x)[:, None]], axis=1)

        hits = 0
        for _ in range(30):
            x = numbers.solved(residual, rng.uniform(-3, 3, len(numbers.joints)))
            if x is not None:
                assert least(matrix_of(kind, numbers, case, x[None])[0]) < ZERO
                hits += 1
            if hits == 3:
                break
        assert hits, f"no posture with {text} = 0"


@pytest.mark.first(6)
@pytest.mark.parametrize("kind", ["parallel", "serial"])
@pytest.mark.parametrize("name", CASES)
def test_singular_postures_are_on_a_condition(name: str, kind: str) -> None:
    """Regular configurations are not on a condition."""
    case = CASES[name]
    numbers, rng = Numbers(case.robot), np.random.default_rng(2)
    part: Singularities = getattr(found_for(name), kind)
    n = len(numbers.joints)

    def on_one(x: Array) -> float:
        return min(max(abs(numbers.value(e, x[None])[0]) for e in c.expressions) for c in part.conditions)

    def residual(y: Array) -> Array:
        x, v = y[:, :n], y[:, n:]
        taken = (matrix_of(kind, numbers, case, x) @ v[:, :, None])[:, :, 0]
        return np.concatenate([numbers.gap(x), taken, (v * v).sum(1, keepdims=True) - 1], axis=1)

    columns = len(numbers.passive) if kind == "parallel" else n
    hits = regular = 0
    for _ in range(12):
        start = rng.uniform(-3, 3, n)
        y = numbers.solved(residual, np.concatenate([start, rng.normal(size=columns)]), 60)
        if y is not None:
            assert on_one(y[:n]) < 1e-5, "singular, but no condition is satisfied"
            hits += 1
        x = numbers.solved(numbers.gap, start)
        if x is not None and least(matrix_of(kind, numbers, case, x[None])[0]) > 1e-2:
            assert on_one(x) > 1e-6
            regular += 1
    assert hits >= 2 and regular >= 2


def rank(matrix: Array) -> int:
    values = np.linalg.svd(matrix, compute_uv=False)
    return int((values > 1e-6 * values[0]).sum())


FLAT = {
    # the usual rank, lengths with which the mechanism can lie flat, and where it does
    "fourbar": (3, {"D2": 0.3, "D3": 0.8, "D4": 0.9, "D5": 0.4}, [0, 0, 0, 0]),
    "fivebar": (3, {"D2": 0.4, "D3": 0.3, "D4": 0.2, "D5": 0.5, "D6": 0.4}, [0, 0, 0, 0, 0]),
    "slidercrank": (3, {"D2": 0.3, "D4": 0.3}, [np.pi / 2, np.pi, 0, -np.pi]),
    # three straight legs that meet in the middle
    "3rrr": (6, {"RB": 0.77}, [np.pi, 0, np.pi, np.pi, 0, np.pi, 0, np.pi, np.pi]),
}


@pytest.mark.parametrize("name", FLAT)
def test_constraints_that_lose_rank(name: str) -> None:
    """In the flat configuration, and in no configuration that is only a parallel singularity."""
    usual, lengths, at = FLAT[name]
    case = CASES[name]
    robot = replace(case.robot, nominal=tuple({**dict(case.robot.nominal), **lengths}.items()))
    numbers = Numbers(robot)
    result = found_for(name)
    assert result.constraint.complete and result.constraint.conditions
    x = np.array(at, dtype=float)
    gap, slopes = numbers.closure(x[None])
    assert np.abs(gap).max() < 1e-12
    assert rank(slopes[0]) < usual

    def meets(y: Array) -> float:
        return min(
            max(abs(numbers.value(e, y[None])[0]) for e in c.expressions)
            for c in result.constraint.conditions
        )

    assert meets(x) < 1e-12
    rng = np.random.default_rng(3)
    for condition in result.parallel.conditions:
        (text,) = condition.expressions

        def residual(y: Array, text: str = text) -> Array:
            return np.concatenate([numbers.gap(y), numbers.value(text, y)[:, None]], axis=1)

        for _ in range(4):
            y = numbers.solved(residual, rng.uniform(-3, 3, len(x)))
            if y is not None and rank(numbers.closure(y[None])[1][0]) == usual:
                assert meets(y) > 1e-6


# -- readable text


def test_as_they_are_read() -> None:
    text = str(symoro.singularities("fivebar"))
    assert "sin(q1 + q2 - q3 - q4) = 0   at q1 + q2 - q3 - q4 = 0 or pi" in text
    serial = text[text.index("serial") :]
    assert "sin(q2) = 0   at q2 = 0 or pi" in serial and "sin(q4) = 0   at q4 = 0 or pi" in serial
    crank = str(symoro.singularities("slidercrank"))
    assert "cos(q1 + q2) = 0" in crank and "sin(q2) = 0" in crank
    platform = found_for("3rrr")
    assert [c.expression for c in platform.serial.conditions] == ["sin(q2)", "sin(q6)", "sin(q8)"]
    assert len(platform.parallel.conditions) == 1


def test_a_parallelogram_is_never_parallel() -> None:
    """Its relation is linear even if it is flat: its constraints lose rank there, but the motion remains determined."""
    for robot, to in ((symoro.load("sr400"), 6), (rhombus(), 2)):
        result = symoro.singularities(robot, to=to)
        assert isinstance(result, LoopSingularities)
        assert result.parallel.complete and not result.parallel.conditions
        assert result.constraint.conditions and result.constraint.complete
    arm = symoro.singularities("sr400", to=6)
    assert isinstance(arm, LoopSingularities)
    assert "sin(q5)" in [c.expression for c in arm.serial.conditions]


def test_incomplete_conditions_are_reported() -> None:
    """Rows of a Delta robot depend on each other across loops; a bar of the five-bar only rotates."""
    delta = symoro.singularities("delta")
    assert isinstance(delta, LoopSingularities)
    assert not delta.complete and not delta.parallel.conditions
    assert "incomplete: there may be other singular configurations" in str(delta)
    bar = symoro.singularities("fivebar", to=1)
    assert isinstance(bar, LoopSingularities)
    assert not bar.serial.complete and "not analysed" in bar.serial.notes[0]


def test_active_joints_that_do_not_fit_are_refused() -> None:
    robot = symoro.load("fivebar")
    frames = tuple(replace(f, mu=j == 1) for j, f in enumerate(robot.frames, 1))
    with pytest.raises(NotApplicableError, match="leave 1 of its degrees of freedom undetermined"):
        symoro.singularities(replace(robot, frames=frames))


def test_from_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    import json

    from symoro.ui.cli import main

    assert main(["singularities", "fourbar", "--json"]) == 0
    data: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert data["parallel"]["conditions"][0]["expressions"] == ["sin(q1 + q2 - q3)"]
    assert {"serial", "constraint"} <= data.keys() and data["serial"]["complete"] is True


def driven_rocker() -> Robot:
    return symoro.load("fourbar").with_frame(1, mu=False).with_frame(3, mu=True)


@pytest.mark.parametrize(
    ("robot", "to"), [(driven_rocker(), None), (driven_rocker(), 3), (symoro.load("fourbar"), 1)]
)
def test_a_driven_link_is_never_at_rest_while_its_motor_moves(robot: Robot, to: int | None) -> None:
    """In a singular configuration the passive joints can move: this is parallel, not serial."""
    result = symoro.singularities(robot, to=to)
    assert result.serial.complete
    assert not result.serial.conditions
    assert "W" not in result.serial.meaning
    assert result.parallel.conditions


def test_a_driven_arm_before_a_loop_has_its_own_serial_postures() -> None:
    """Two active joints move a point of link 2; the following loop has no effect."""
    robot = symoro.load("fivebar")
    driven = robot.with_frame(3, mu=False).with_frame(2, mu=True)
    result = symoro.singularities(driven, to="tool")
    assert [c.expression for c in result.serial.conditions] == ["sin(q2)"]


# -- conditions that cannot be written


@pytest.mark.parametrize("name", ["gough_stewart", "gough_stewart_general"])
def test_platforms_are_not_analysed_before_the_work(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def mobility(robot: Robot) -> None:
        raise AssertionError("the structure of the loops is enough")

    monkeypatch.setattr(loops_module, "loop_mobility", mobility)
    result = symoro.singularities(name)
    for part in (result.parallel, result.serial, result.constraint):
        assert not part.complete and not part.conditions and not part.always
        assert part.notes[0].startswith("not analysed") and "distance to the singularities" in part.notes[0]
    assert "products" in result.parallel.notes[0] and "minors" in result.constraint.notes[0]


def test_products_of_a_determinant_are_counted() -> None:
    """Two loops of five rows with three own joints each and four shared ones, which can be divided in six ways."""
    parts = [(5, {1, 2, 3, 7, 8, 9, 10}), (5, {4, 5, 6, 7, 8, 9, 10})]
    assert loops_module._assignments(parts) == 120**2 * 6
    assert loops_module._assignments([(2, {1, 2})]) == 2
    assert loops_module._assignments([(5, {1, 2})]) == 0  # rows of a planar loop depend on each other


def test_a_spatial_loop_whose_conditions_are_too_long_has_a_note() -> None:
    alphas, lengths = (0.3, 1.1, -0.7, 0.9, 1.3, -1.1, 0.5), (0.2, 0.4, 0.3, 0.2, 0.25, 0.35, 0.3)
    pairs = enumerate(zip(alphas, lengths, strict=True))
    frames = [Frame(j, mu=j == 0, alpha=formula(a), d=formula(d), r=formula(0.1)) for j, (a, d) in pairs]
    close = Frame(0, JointType.FIXED, mu=False, d=formula(0.3), r=formula(0.2))
    robot = Robot("seven turns", (*frames, close), (Link(),) * 6)
    result = symoro.singularities(robot)
    assert not result.complete
    assert any(
        "characters" in note and "distance to the singularities" in note for note in result.parallel.notes
    )


@pytest.mark.slow
def test_a_kind_that_is_short_enough_is_written() -> None:
    """Two 3-RPS modules in series: the constraints of the modules are separate, but the platform depends on both."""
    result = symoro.singularities("hybrid")
    assert result.parallel.complete and "q2 = 0" in str(result)
    assert not result.serial.complete and "products" in result.serial.notes[0]


@pytest.mark.slow
def test_a_platform_of_three_legs_is_written() -> None:
    """3-RPS: 2e6 products in the determinant of W and J, most of which are zero."""
    robot = symoro.loads(
        """
symoro: 1
name: rps
modules:
  - platform: {name: plate, link: {M: 1}}
    leg:
      chain: [{alpha: -pi/2, link: {M: 1}}, {joint: prismatic, alpha: pi/2, active: true, link: {M: 1}}]
      attach: ball
    legs:
      - {on: {d: RB}, at: {d: RP}}
      - {on: {gamma: 2*pi/3, d: RB}, at: {gamma: 2*pi/3, d: RP}}
      - {on: {gamma: 4*pi/3, d: RB}, at: {gamma: 4*pi/3, d: RP}}
nominal: {RB: 0.3, RP: 0.24}
""",
        "yaml",
    )
    assert "q2 = 0" in str(symoro.singularities(robot))
