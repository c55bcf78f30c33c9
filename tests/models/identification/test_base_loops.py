"""Base parameters of robots with closed loops: linear loops beside others, special postures, numbers near special ones.

Counts are those of `tests.oracle.base_rank`: the rank of the energy's functions in a hundred digits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

import symoro
from symoro.errors import NotApplicableError, ProgramError, RobotError
from symoro.expr.formula import Formula, formula
from symoro.models.identification.base.fit import fitted
from symoro.models.identification.base.loops import closures, linear_closure
from symoro.models.identification.base.parameters import BaseParameters, base_parameters, split
from symoro.models.numeric.fixed_point import BITS, ONE, PI, exactly, number, sine_cosine
from symoro.models.tolerances import EXACT_COLUMN
from symoro.robot.description import INERTIAL, Base, Frame, JointType, Link, Robot
from tests.oracle.base_rank import ONE as ORACLE_ONE
from tests.oracle.base_rank import Rank, rank_of
from tests.oracle.linkages import two_loops
from tests.oracle.loop_robots import folded, loop_robot

F = JointType.FIXED
VERTICAL = Base(G=(formula(0), formula("-9.81"), formula(0)))
Numbers = float | str


def full(count: int) -> tuple[Link, ...]:
    return tuple(Link(**{n: Formula(f"{n}{j}") for n in INERTIAL}) for j in range(1, count + 1))


def passive(ant: int, sigma: JointType = JointType.REVOLUTE, **place: Numbers) -> Frame:
    return Frame(ant, sigma, mu=False, **{n: formula(x) for n, x in place.items()})


def four_bar(crank: Numbers, ground: Numbers, coupler: Numbers, rocker: Numbers, **nominal: float) -> Robot:
    frames = (
        Frame(0),
        passive(1, d=crank),
        passive(0, d=ground),
        passive(2, d=coupler),
        passive(3, F, d=rocker),
    )
    return Robot("four-bar", frames, full(3), VERTICAL, nominal=tuple(nominal.items()))


def side_by_side() -> Robot:
    """Return a parallelogram and an independent four-bar linkage."""
    frames = (
        Frame(0),
        passive(1, d="a"),
        passive(0, d="c"),
        Frame(0, d=formula("e")),
        passive(4, d=0.3),
        passive(0, d="e + 0.8"),
        passive(2, d="c"),
        passive(5, d=0.9),
        passive(3, F, d="a"),
        passive(6, F, d=0.6),
    )
    return Robot("both", frames, full(6), VERTICAL, nominal=(("a", 0.5), ("c", 0.7), ("e", 2.0)))


def relations_hold(robot: Robot, result: BaseParameters, posture: Mapping[int, float]) -> bool:
    """Return whether the relations are valid at states that the oracle closes."""
    oracle = Rank(robot, posture)
    rows = oracle.rows(12, seed=9)
    rows = ((rows[1:] - rows[0]) / ORACLE_ONE).astype(float)
    place = {column: k for k, column in enumerate(oracle.columns)}
    left = {column: rows[:, k].copy() for column, k in place.items()}
    for kept, others in result.relations.items():
        for name, c in others.items():
            left[split(name)] -= float(c) * rows[:, place[split(kept)]]
        left.pop(split(kept))
    return all(np.abs(x).max() < 1e-8 for x in left.values())


# -- linear loops beside others


def test_a_parallelogram_near_its_change_point_beside_another_loop() -> None:
    robot = two_loops({"d3": 0.5, "d4": 0.2, "g12": 0.3, "d12": 0.6, "d7": 0.45}).symbolic(inertia="all")
    posture = [0.0236, 0.9009, -0.7117, -0.0481, 0.8973, 0.5569, 1.6189, -0.3481]
    result = base_parameters(robot, posture=posture)
    assert "q7 = -q4 + pi/2, q8 = q4 - g12" in result.method
    assert len(result) == 38
    assert len(base_parameters(robot, posture=posture, rotor=False)) == 36
    assert len(base_parameters(robot)) == 38


def test_a_parallelogram_beside_a_separate_four_bar() -> None:
    result = base_parameters(side_by_side())
    assert len(result) == 3 + 8
    assert "q2 = -q1, q3 = q1" in result.method
    known = closures(side_by_side())
    assert [loop.left for loop in known.open] == [8]
    with pytest.raises(NotApplicableError, match="no linear closure"):
        base_parameters(side_by_side(), method="exact")


def test_a_parallelogram_with_oblique_angles_is_exact() -> None:
    frames = (
        Frame(0, theta=formula("t")),
        passive(1, d="a", gamma="g"),
        passive(0, d="b", gamma="h", theta="-h"),
        passive(2, d="b"),
        passive(3, F, d="a", gamma="0.3"),
    )
    robot = Robot("oblique", frames, full(3), VERTICAL, nominal=(("a", 0.4), ("b", 0.7)))
    result = base_parameters(robot)
    assert "exact" in result.method
    assert len(result) == 3


# -- postures


def test_the_default_is_the_parallelogram_and_a_crossed_posture_is_honoured() -> None:
    robot = four_bar(0.5, 0.7, 0.7, 0.5)
    assert len(base_parameters(robot)) == 3
    tip = 0.5 * np.exp(0.9j)
    over = tip + ((0.7 - tip) / abs(0.7 - tip)) ** 2 * 0.7
    crossed = {1: 0.9, 2: float(np.angle(over - tip)) - 0.9, 3: float(np.angle(over - 0.7))}
    result = base_parameters(robot, posture=crossed)
    closed = {**crossed, 4: crossed[3] - 0.9 - crossed[2]}
    assert len(result) == rank_of(robot, closed) > 3
    assert "one assembly branch" in result.method


def test_a_flat_parallelogram_is_taken_as_one_and_a_rhombus_is_not_folded() -> None:
    assert len(base_parameters(four_bar(0.5, 0.7, 0.7, 0.5), posture=[0.0, 0.0, 0.0])) == 3
    closed = linear_closure(four_bar("a", "a", "a", "a"))
    assert closed is not None
    assert closed.words == "loops closed linearly: q2 = -q1, q3 = q1, q4 = q1"


def test_a_crank_at_the_end_of_its_range() -> None:
    """At the end of its stroke the rate of the crank cannot be chosen, but the loop can move."""
    robot = four_bar(0.5, 0.7, 0.3, 0.4)
    end = float(np.arccos((0.5**2 + 0.7**2 - 0.7**2) / (2 * 0.5 * 0.7)))  # coupler and rocker in one line
    tip = 0.5 * np.exp(1j * end)
    straight = float(np.angle(0.7 - tip))
    result = base_parameters(robot, posture={1: end, 2: straight - end, 3: straight + np.pi})
    assert len(result) == 8


# -- numbers near special ones


@pytest.mark.parametrize("off", [1e-3, 1e-6, 1e-8, 1e-11])
def test_almost_a_parallelogram(off: float) -> None:
    robot = four_bar(0.5, 0.7, 0.7 + off, 0.5)
    result = base_parameters(robot, posture={1: 0.9, 2: -0.9, 3: 0.9})
    assert len(result) == 8
    assert bool([note for note in result.notes if "in an experiment" in note]) == (off < 1e-4)


@pytest.mark.parametrize("off", [1e-15, 1e-16])
def test_a_parallelogram_but_for_round_off(off: float) -> None:
    result = base_parameters(four_bar(0.5, 0.7, 0.7 + off, 0.5))
    assert len(result) == 3


@pytest.mark.parametrize("size", [1e-4, 1e3])
def test_any_unit_of_length(size: float) -> None:
    robot = four_bar(*(size * d for d in (0.3, 0.8, 0.9, 0.6)))
    result = base_parameters(robot)
    assert result.names == base_parameters(four_bar(0.3, 0.8, 0.9, 0.6)).names


def test_numbers_that_do_not_close_are_rejected() -> None:
    robot = four_bar("a", "b", "c", "d")
    assert len(base_parameters(robot)) == 8  # random lengths, others where the first do not close
    given = robot.replace(nominal=(("a", 9.0), ("b", 0.5), ("c", 0.5), ("d", 0.6)))
    with pytest.raises(NotApplicableError, match="do not close at its nominal values"):
        base_parameters(given)
    for a in (float("nan"), float("inf")):
        with pytest.raises(RobotError, match="the nominal value of a"):
            robot.replace(nominal=(("a", a), ("b", 0.5), ("c", 0.5), ("d", 0.6)))


@pytest.mark.parametrize("off", [0.1, 2e-5, 2e-6, 2e-7, 1e-8])
def test_base_parameters_without_a_gap_are_rejected(off: float) -> None:
    """Axes that are parallel to 1e-16, and almost a parallelogram: its functions are below the round-off."""
    places = {"alpha": 0.779, "d": 0.62, "r": 0.69}, {"alpha": -0.5, "d": 0.13, "theta": 0.4, "r": 0.21}
    ground = [passive(j, F, **place) for j, place in enumerate(places)]
    frames = [*ground, *(replace(f, ant=f.ant + 2) for f in four_bar(0.5, 0.7, 0.7 + off, 0.5).frames)]
    gravity = Base(G=(formula(0), formula(-3), formula(-9)))
    rounded, _ = folded(Robot("oblique", tuple(frames), (Link(), Link(), *full(5)[2:]), gravity), {})
    posture = {1: 0.9, 2: -0.9, 3: 0.9}
    if off > 1e-5:
        assert len(base_parameters(rounded, posture=posture)) == 8
    else:
        with pytest.raises(ProgramError, match=r"of dependent columns .* leave no gap"):
            base_parameters(rounded, posture=posture)


def test_independent_and_nearly_dependent_columns() -> None:
    rng = np.random.default_rng(1)
    a, b, e = rng.standard_normal((3, 60))
    ones = np.ones((60, 1))
    assert fitted(np.stack([a, b, 2 * a - b + 3], 1), ones, EXACT_COLUMN).relations == {
        2: pytest.approx({0: 2, 1: -1})
    }
    assert not fitted(np.stack([a, a + 3e-9 * b, a + 3e-10 * e], 1), ones, EXACT_COLUMN).clear
    exact = fitted(exactly(np.stack([a, a + 2.0**-40 * b, e], 1)), exactly(ones), EXACT_COLUMN)
    assert exact.clear and exact.kept == [0, 1, 2]


# -- the digits


def test_ninety_digits() -> None:
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workprec(BITS + 60):
        assert abs(mpmath.mpf(PI) / ONE - mpmath.pi) < 1e-94
        for x in (0.1, -7.3, 50.0):
            sine, cosine = sine_cosine(exactly([x]))
            assert abs(mpmath.mpf(int(sine[0])) / ONE - mpmath.sin(x)) < 1e-92
            assert abs(mpmath.mpf(int(cosine[0])) / ONE - mpmath.cos(x)) < 1e-92
        value = mpmath.sqrt(2) * mpmath.tan(mpmath.mpf(3) / 10) - mpmath.pi / 7
        assert abs(mpmath.mpf(number(formula("sqrt(2)*tan(g) - pi/7"), {"g": 0.3})) / ONE - value) < 1e-92
    with pytest.raises(ProgramError, match="no value"):
        number(formula("1/(g - 0.3)"), {"g": 0.3})


# -- random robots


def checked(seed: int, number: int) -> None:
    robot, posture, words = loop_robot(np.random.default_rng([seed, number]), number)
    given = {j: q for j, q in posture.items() if j <= robot.NL and robot.frame(j).moving}
    result = base_parameters(robot, posture=given)
    assert len(result) == rank_of(robot, posture), f"{words}\n{robot}"
    assert relations_hold(robot, result, posture), f"{words}\n{robot}"


@pytest.mark.parametrize("number", range(6))
def test_random_loops(number: int) -> None:
    checked(301, number)


def test_placements_that_are_rounded() -> None:
    """Planar loops on oblique frames with numbers of sixteen digits close to 1e-16 only."""
    robot, posture, _ = loop_robot(np.random.default_rng([1, 13]), 13)
    rounded, q = folded(robot, posture)
    assert rounded.NL < robot.NL
    assert len(base_parameters(rounded, posture=q)) == rank_of(robot, posture)


@pytest.mark.slow
def test_many_random_loops() -> None:
    from benchmarks.base_loops import swept

    messages = swept(range(200), seed=302)
    assert not messages.wrong
    assert messages.refused <= 10


def test_all_inertial_parameters_of_a_bundled_robot() -> None:
    puma = symoro.load("puma560")
    assert len(base_parameters(puma.symbolic(inertia="all"), rotor=False)) == 36
    assert len(base_parameters(puma.symbolic(inertia="all"))) == 40
    assert len(base_parameters(puma)) == 25
