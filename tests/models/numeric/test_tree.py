"""The numeric tree against the oracle: poses, velocities, closure errors and closing of loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.typing import NDArray

import symoro
from symoro.expr.formula import Formula, formula
from symoro.models.geometric.loop.postures import closed_postures
from symoro.models.numeric.closure import balanced_closure, closed, closure, refined
from symoro.models.numeric.fixed_point import doubles, exactly, number
from symoro.models.numeric.tree import (
    NumericTree,
    Velocities,
    formulas,
    numeric_tree,
    placements,
    velocities,
)
from symoro.robot.description import Robot
from tests.models.geometric.loops import open_by, two_loops
from tests.oracle.loop_robots import loop_robot
from tests.oracle.numeric import Numeric
from tests.oracle.robots import closed as closed_robots
from tests.oracle.robots import trees

Array = NDArray[np.float64]


def in_doubles(robot: Robot) -> NumericTree:
    values = dict(robot.nominal)
    return numeric_tree(robot, lambda f: f.value(values))


def in_integers(robot: Robot) -> NumericTree:
    values = dict(robot.nominal)
    return numeric_tree(robot, lambda f: number(f, values), exact=True)


def chance(tree: NumericTree, rows: int = 3) -> Array:
    return np.random.default_rng(len(tree.frames)).uniform(-2, 2, (rows, len(tree.coordinates)))


@settings(max_examples=40, deadline=None)
@given(trees() | closed_robots())
def test_frames_stand_where_the_oracle_says(robot: Robot) -> None:
    oracle, tree = Numeric(robot), in_doubles(robot)
    q = chance(tree)
    at, to_all_digits = placements(tree, q), placements(in_integers(robot), exactly(q))
    for row, values in enumerate(q):
        wanted = oracle.placements(values[: len(oracle.own)], values[len(oracle.own) :])
        for j in range(1, robot.NF + 1):
            for result in (at[j], to_all_digits[j]):
                assert np.allclose(doubles(result.rotation)[row], wanted[j][:3, :3], atol=1e-13)
                assert np.allclose(doubles(result.position)[row], wanted[j][:3, 3], atol=1e-13)


@settings(max_examples=40, deadline=None)
@given(trees())
def test_frames_move_as_the_oracle_says(robot: Robot) -> None:
    oracle, tree = Numeric(robot), in_doubles(robot)
    q, qd = chance(tree), chance(tree)[::-1]
    base = np.array([[0.3, -0.2, 0.5, 0.1, 0.7, -0.4]])
    moving = velocities(tree, placements(tree, q), qd, Velocities(base[:, :3], base[:, 3:]))
    for row in range(len(q)):
        wanted = oracle.motion(q[row], qd[row], np.zeros(q.shape[1]), base[0])
        for j in range(1, robot.NL + 1):
            linear, angular = (np.broadcast_to(x, (len(q), 3))[row] for x in moving[j])
            assert np.allclose(linear, wanted[j].v, atol=1e-12)
            assert np.allclose(angular, wanted[j].w, atol=1e-12)


def test_each_posture_may_have_a_geometry_of_its_own() -> None:
    robot = two_loops()
    names = sorted({name for f in formulas(robot) for name in f.symbols})
    rng = np.random.default_rng(3)
    values = {name: rng.uniform(0.4, 1.5, 4) for name in names}

    def at(row: Any) -> NumericTree:
        def value(f: Formula) -> Any:
            if f.is_symbol:
                return values[f.text][row]
            return f.value({name: float(x[0]) for name, x in values.items()})

        return numeric_tree(robot, value, postures=4 if row == slice(None) else 1)

    together = at(slice(None))
    q = chance(together, 4)
    assert names and not together.shared
    error, jacobian = closure(together, q)
    for row in range(4):
        one, slope = closure(at(row), q[row : row + 1])
        assert np.allclose(error[row], one[0], atol=1e-14) and np.allclose(
            jacobian[row], slope[0], atol=1e-14
        )


@pytest.mark.parametrize("number_of_robot", range(6))
def test_the_closure_is_zero_where_the_loops_close_and_has_the_derivative_of_differences(
    number_of_robot: int,
) -> None:
    robot, posture, _ = loop_robot(np.random.default_rng([11, number_of_robot]), number_of_robot)
    tree = in_doubles(robot)
    q = np.array([[posture[j] for j in tree.coordinates]])
    assert np.abs(closure(tree, q)[0]).max() < 1e-9
    q = chance(tree)
    jacobian, step = closure(tree, q)[1], 1e-6
    for k in range(q.shape[1]):
        move = step * (np.arange(q.shape[1]) == k)
        slope = (closure(tree, q + move)[0] - closure(tree, q - move)[0]) / (2 * step)
        assert np.allclose(jacobian[:, :, k], slope, atol=1e-7)


@pytest.mark.parametrize("name", ["fourbar", "fivebar", "slidercrank", "akr3000", "sr400"])
@pytest.mark.parametrize("damped", [False, True])
def test_what_newton_calls_closed_is_closed(name: str, damped: bool) -> None:
    robot, _ = with_numbers(symoro.load(name))
    tree = in_doubles(robot)
    start = np.random.default_rng(5).uniform(-1, 1, (24, len(tree.coordinates)))
    q, good = closed(tree, start, range(start.shape[1]), damped=damped)
    assert good.any()
    own = len(Numeric(robot).own)
    assert open_by(robot, q[good][:, :own], q[good][:, own:]) < 1e-10 * max(1.0, tree.size)
    assert (np.abs(balanced_closure(tree, q[~good])[0]).max(1, initial=0) > 1e-12).all()


def test_a_step_that_damping_takes_never_opens_the_loops() -> None:
    """From random joints, undamped steps lose some configurations; damped steps never increase the error."""
    tree = in_doubles(symoro.load("fivebar"))
    start = np.random.default_rng(8).uniform(-3, 3, (40, len(tree.coordinates)))
    before = np.linalg.norm(balanced_closure(tree, start)[0], axis=1)
    for rounds in (1, 3, 9):
        q, _ = closed(tree, start, range(start.shape[1]), rounds, damped=True)
        after = np.linalg.norm(balanced_closure(tree, q)[0], axis=1)
        assert (after <= before).all()


def test_enough_closed_postures_end_the_search() -> None:
    tree = in_doubles(symoro.load("fivebar"))
    start = np.random.default_rng(8).uniform(-1, 1, (40, len(tree.coordinates)))
    every, few = (closed(tree, start, range(start.shape[1]), enough=n)[1].sum() for n in (None, 5))
    assert 5 <= few < every


def test_all_digits_close() -> None:
    robot = symoro.load("fivebar")
    tree, exact = in_doubles(robot), in_integers(robot)
    start = np.random.default_rng(2).uniform(-1, 1, (24, len(tree.coordinates)))
    q, good = closed(tree, start, range(start.shape[1]))
    inverse = exactly(np.linalg.pinv(closure(tree, q[good])[1], rcond=1e-8))
    result, errors = refined(exact, exactly(q[good]), range(q.shape[1]), inverse)
    assert np.abs(doubles(errors)).max() < 1e-80
    assert np.abs(doubles(result) - q[good]).max() < 1e-9


@pytest.mark.parametrize("name", ["fourbar", "fivebar", "slidercrank", "akr3000"])
def test_closed_postures_at_random_lengths_close_by_the_oracle(name: str) -> None:
    robot = symoro.load(name).symbolic(geometry=True) if name == "fivebar" else symoro.load(name)
    result = closed_postures(robot)
    oracle = Numeric(robot)
    for k in range(len(next(iter(result.joints.values())))):
        values = {key: float(x[k]) for key, x in result.parameters.items()}
        values |= {key: 0.5 for f in formulas(robot) for key in f.symbols if key not in values}
        q, qc = (np.array([[result.joints[j][k] for j in joints]]) for joints in (oracle.own, oracle.cut))
        assert open_by(robot, q, qc, values) < 1e-10


def test_lengths_without_a_value_take_nothing_from_the_others() -> None:
    """With random numbers, about half of the square roots have a negative argument."""
    robot = symoro.load("fivebar")
    length = next(j for j, frame in enumerate(robot.frames, 1) if not frame.d.is_zero)
    odd = robot.with_frame(length, d=formula("sqrt(a1^2 - a2^2) + 1/2"))
    result = closed_postures(odd)
    assert all(np.isfinite(x).all() for x in result.joints.values())
    assert (result.parameters["a1"] > result.parameters["a2"]).all()
    assert (result.rank, result.passive_rank) == (3, 3)


def with_numbers(robot: Robot) -> tuple[Robot, list[str]]:
    """Return the robot with a value for each geometric symbol without one."""
    known = dict(robot.nominal)
    missing = sorted({name for f in formulas(robot) for name in f.symbols} - known.keys())
    return robot.replace(nominal=tuple({**known, **dict.fromkeys(missing, 0.7)}.items())), missing
