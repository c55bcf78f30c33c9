"""Velocity equations of closed loops: against Taylor series of the closure, and suitable active joints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import symoro
from symoro.errors import NotApplicableError
from symoro.expr.formula import formula
from symoro.models.geometric.loop.parallelogram import linear_loops
from symoro.models.kinematic.loop.choice import loop_choice
from symoro.robot.description import Frame, JointType, Link, Robot
from tests.models.loop_cases import DRAWN, GOLDEN, Case, drawn, error, golden, random_loops, rhombus, run
from tests.oracle.closed import Closed
from tests.oracle.linkages import two_loops

CLOSE = 1e-9


def check(case: Case, seed: int = 3) -> None:
    truth, rng = case.truth, np.random.default_rng(seed)
    qda, qdda = rng.uniform(-1, 1, truth.na), rng.uniform(-1, 1, truth.na)
    at = truth.moved(case.x, qda, qdda)
    result = run(case.robot, "loop-kinematics", {"q": case.q, "qd": at.qd[: truth.n]})
    p, size = truth.passive, CLOSE / min(1.0, at.condition)
    assert error(result["W"], at.G[p]) < size
    assert error(result["W"] @ qdda + result["b"], at.qdd[p]) < size
    assert error(result["Wa"] @ qda + result["Wp"] @ at.qd[p], np.zeros(len(p))) < size
    assert error(result["Wa"] @ qdda + result["Wp"] @ at.qdd[p] + result["Psi"], np.zeros(len(p))) < size
    cut_rates, moved = at.qd[truth.n :], at.qdd[truth.n :]
    rate = result["Wac"] @ qda + result["Wpc"] @ at.qd[p] + result["Wc"] @ cut_rates
    assert error(rate, 0 * rate) < size
    second = result["Wac"] @ qdda + result["Wpc"] @ at.qdd[p] + result["Wc"] @ moved + result["Phi"]
    assert error(second, 0 * second) < size


@pytest.mark.parametrize("kind", DRAWN)
def test_drawn(kind: str) -> None:
    check(drawn(kind))


@pytest.mark.parametrize("name", GOLDEN)
def test_golden(name: str) -> None:
    robot, data = golden(name)
    for state in data["states"]:
        result = run(robot, "loop-kinematics", {key: np.array(state[key]) for key in ("q", "qd")})
        assert error(result["W"], state["W"]) < CLOSE
        assert error(result["b"], state["b"]) < 1e-8


def random_check(seed: int) -> None:
    case, words = random_loops(seed)
    if "crossed" in words:  # crossed in this configuration: NaN instead of a wrong value
        result = run(case.robot, "loop-kinematics", {"q": case.q, "qd": 0 * case.q})
        assert all(np.isnan(x).all() for x in result.values())
    else:
        check(case, seed)


@pytest.mark.parametrize("seed", range(8))
def test_random(seed: int) -> None:
    random_check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8, 120))
def test_random_many(seed: int) -> None:
    random_check(seed)


# -- which rows


def test_rows_of_a_five_bar_are_triangular() -> None:
    wp = run(symoro.load("fivebar"), "loop-kinematics", {"q": [0.5, 0.4, 2.2, -0.3], "qd": np.zeros(4)})["Wp"]
    assert np.count_nonzero(wp) == 3


def test_a_platform_needs_no_block_larger_than_five() -> None:
    robot, _ = golden("gough-stewart-general")
    choice = loop_choice(robot)
    assert len(choice.rows) == len(choice.passive) == 25
    counts = sorted(len([j for j in choice.passive if (row, j) in choice.present]) for row in choice.rows)
    assert counts[:5] == [5] * 5  # along each leg only the joints of the leg that carries the platform


def test_parallelograms_are_relations() -> None:
    assert not linear_loops(symoro.load("sr400")).open
    assert not linear_loops(rhombus()).open
    assert [loop.left for loop in linear_loops(two_loops()).open] == [10]
    assert len(linear_loops(symoro.load("fivebar")).open) == 1
    unequal = rhombus().with_frame(2, d="d + 1/1000000")
    assert linear_loops(unequal).open  # lengths that differ by a micrometre are not equal


@pytest.mark.parametrize("scale", [1.0, 1e-2, 1e-5])
def test_lengths_are_compared_with_each_other(scale: float) -> None:
    def bars(crank: float, ground: float, coupler: float, rocker: float) -> Robot:
        lengths = {"D2": crank, "D3": ground, "D4": coupler, "D5": rocker}
        return symoro.load("fourbar").bind({name: scale * x for name, x in lengths.items()})

    assert linear_loops(bars(0.5, 0.8, 0.8, 0.5)).relations
    for almost in (1e-3, 1e-6, 1e-9):
        assert not linear_loops(bars(0.5, 0.8, 0.8 * (1 + almost), 0.5)).relations
    assert len(loop_choice(bars(0.3, 0.8, 0.9, 0.6)).rows) == 2


def test_a_flat_parallelogram_moves() -> None:
    robot = symoro.load("sr400")
    q = np.array([0.1, 0.0, np.pi / 2 - np.pi / 2, 0.2, 0.3, 0.4, np.pi / 2, -np.pi / 2])
    q[2] = q[6] - q[1] - np.pi / 2
    flat = q.copy()
    flat[1], flat[6] = 0.0, 0.0
    flat[2], flat[7] = -np.pi / 2, 0.0
    for at in (q, flat):
        result = run(robot, "loop-kinematics", {"q": at, "qd": np.zeros(8)})
        assert np.array_equal(result["W"], [[0, -1, 0, 0, 0, 1], [0, 1, 0, 0, 0, -1]])
        assert not result["b"].any()


def test_a_pivot_that_stands_alone_is_compared_with_the_active_joints() -> None:
    """Three prismatic joints in a plane, a wedge: if two are parallel, the third is not determined."""
    right, slide = formula("pi/2"), JointType.PRISMATIC
    frames = (
        Frame(0, slide, alpha=right),
        Frame(0, slide, gamma=formula("a"), alpha=right, mu=False),
        Frame(1, slide, gamma=right, alpha=formula("b"), mu=False),
        Frame(2, JointType.FIXED, gamma=right, alpha=formula("b - a"), mu=False),
    )
    model = symoro.generate(Robot("wedge", frames, (Link(), Link())), "loop-kinematics")
    at = {"q": [0.2, 0.3], "qd": [0.0, 0.0]}
    result = model.function({"a": 0.7, "b": 1.9}, compiled=False)(**at)
    assert error(result["W"], [[np.sin(1.9) / np.sin(1.2)]]) < 1e-14
    for b in (0.7, 0.7 + np.pi):
        assert np.isnan(model.function({"a": 0.7, "b": b}, compiled=False)(**at)["W"]).all()


# -- which joints are active


def five_bar(*active: int) -> Robot:
    robot = symoro.load("fivebar")
    frames = [replace(f, mu=j in active) for j, f in enumerate(robot.frames, 1)]
    return replace(robot, frames=tuple(frames))


@pytest.mark.parametrize(
    ("active", "words", "would_do"),
    [
        ((1,), "too few", "joints 1, 2 active"),
        ((1, 2, 3), "too many", "active (mu = 1)"),
        ((), "no active joint: the mechanism has 2 degrees of freedom", "joints 1, 2 active (mu = 1)"),
    ],
)
def test_unfit_active_joints(active: tuple[int, ...], words: str, would_do: str) -> None:
    for model in ("loop-kinematics", "inverse-dynamics", "jacobian"):
        with pytest.raises(NotApplicableError, match=words) as caught:
            symoro.generate(five_bar(*active), model)
        assert "active joint" in str(caught.value) and would_do in str(caught.value.hint)


def test_unsuitable_active_joints_are_reported_with_suitable_ones() -> None:
    """A rotating base without a motor, and three motors in a loop with two degrees of freedom."""
    case = drawn("five-bar on a turning base")
    joints = Closed(case.robot).own
    base, rest = joints[0], joints[1:]
    frames = [replace(f, mu=j in rest[:3]) for j, f in enumerate(case.robot.frames, 1)]
    with pytest.raises(NotApplicableError, match="do not determine") as caught:
        symoro.generate(replace(case.robot, frames=tuple(frames)), "inverse-dynamics")
    named = [int(x) for x in str(caught.value.hint).split("joints ")[1].split(" active")[0].split(", ")]
    assert base in named and len(named) == 3
    fits = [replace(f, mu=j in named) for j, f in enumerate(case.robot.frames, 1)]
    symoro.generate(replace(case.robot, frames=tuple(fits)), "inverse-dynamics")


def test_any_pair_that_fits_is_taken() -> None:
    for pair in ((1, 3), (1, 2), (2, 3), (2, 4), (1, 4), (3, 4)):
        robot = five_bar(*pair)
        truth = Closed(robot)
        x = truth.close(np.array([0.6, 1.0, 2.3, -0.9, 0.4]))
        assert x is not None
        check(Case(robot, x))


def test_a_loop_that_cannot_close_is_refused() -> None:
    robot = symoro.load("fourbar")
    long = robot.bind(
        {name: 10.0 if k == 0 else 0.1 for k, name in enumerate(dict(robot.nominal)) if name[0] == "D"}
    )
    with pytest.raises(NotApplicableError, match="no configuration closes"):
        symoro.generate(long, "loop-kinematics")


def test_what_has_no_place_in_a_loop_is_refused() -> None:
    robot = symoro.load("fivebar")
    with pytest.raises(NotApplicableError, match="cut the loop at another joint"):
        symoro.generate(robot.with_frame(5, eta=True, k="10"), "inverse-dynamics")
    with pytest.raises(NotApplicableError, match="active and elastic"):
        symoro.generate(robot.with_frame(1, eta=True, k="10"), "inverse-dynamics")
    with pytest.raises(NotApplicableError, match="its loops determine its motion"):
        symoro.generate(robot.with_frame(2, QP="1"), "loop-kinematics")
