"""Arms close to special geometries, almost singular configurations, symbols that are zero at run time.

No regular configuration may be lost: it must be among the solutions for its own pose. `pytest -m slow` tests fifty
robots of each class with offsets of 1e-3 to 1e-8; `benchmarks/inverse_geometry_sweep.py` does so with compiled code.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import symoro
from symoro.expr.formula import formula
from symoro.robot.description import Robot
from tests.models.geometric.postures import EMPTY, OUT_OF_REACH, SINGULAR, VALID, Array, Solver, bundled
from tests.oracle.arms import CLASSES, DOWN, FLAT, UP, Arm, Rng, five_axes, oblique, parallel_axes, serial

ALMOST = (
    "PUMA-like",
    "oblique wrist",
    "spherical shoulder",
    "spherical 2-3-4",
    "Stanford-like",
    "UR-like",
    "three axes, a point",
    "elbow arm, a point",
    "five axes",
)


def lost(solver: Solver, q: Array) -> int:
    """Return the number of configurations that are not recovered within 1e-6; every valid row is checked."""
    T = np.array([solver.pose(one) for one in q])
    count = 0
    for answer, pose, one in zip(solver.batch(T, 0 * q), T, q, strict=True):
        solver.check(answer, pose, one)
        rows = answer.q[np.isin(answer.status, (VALID, SINGULAR))]
        count += not len(rows) or solver.chain.distance(rows, one[solver.unknown_columns]).min() > 1e-6
    return count


def shoulder(offset: float, *, wrist: bool = True) -> Arm:
    """Return an arm whose axes 1, 2 almost intersect and whose axes 2, 3 are almost parallel; a PUMA for offset 0."""
    if wrist:
        angles = [FLAT, DOWN, offset, DOWN, UP, DOWN]
        return Arm(serial("almost", angles, [0, offset, 0.43, 0.02, 0, 0], [0, 0, 0.15, 0.43, 0, 0]), 6)
    tool = {"alpha": DOWN, "d": 0.02, "r": 0.43}
    robot = serial("almost", [FLAT, DOWN, offset], [0, offset, 0.43], [0, 0, 0.15], tool=tool)
    return Arm(robot, "tool", pose="position")


@pytest.mark.first(1)
@pytest.mark.parametrize("offset", [1e-3, 1e-4, 1e-6])
def test_almost_a_puma(offset: float) -> None:
    """Formulas that divide by the offset lost 15 % of the configurations at 1e-4, and all at 1e-6."""
    solver = Solver(shoulder(offset))
    assert lost(solver, solver.postures(np.random.default_rng(1), 60)) == 0


@pytest.mark.first(2)
@pytest.mark.parametrize("tilt", [1e-4, 1e-6, 3e-9, 1e-10])
def test_almost_a_scara(tilt: float) -> None:
    """A rounded pose determines the tilt inexactly: a formula that divides by the tilt has this error."""
    robot = serial(
        "tilted", [FLAT, FLAT, f"pi + {3 * tilt!r}", tilt], [0, 0.106, -0.498, 0], [0.33, 0, 0, 0], [3]
    )
    solver = Solver(Arm(robot, 4, pose="s,P"))
    assert lost(solver, solver.postures(np.random.default_rng(4), 300)) == 0


@pytest.mark.first(4)
@pytest.mark.parametrize("offset", [1e-3, 1e-5, 1e-6, 1e-7, 1e-8])
@pytest.mark.parametrize("axes", ["meet", "parallel"])
def test_almost_an_elbow(offset: float, axes: str) -> None:
    """Three joints and a point: the general method does not apply, the closed form must be accurate."""
    arm = shoulder(offset, wrist=False)
    if axes == "parallel":
        frames = list(arm.robot.frames)
        frames[1] = replace(frames[1], alpha=formula(offset), d=formula(0.3))
        frames[2] = replace(frames[2], alpha=formula(DOWN))
        arm = replace(arm, robot=replace(arm.robot, frames=tuple(frames)))
    solver = Solver(arm)
    q = solver.postures(np.random.default_rng(2), 1000)
    assert lost(solver, q[solver.chain.sensitivity(q) > 1e-5]) == 0


@pytest.mark.first(6)
@pytest.mark.parametrize("square", [0.0, np.pi / 2, -np.pi / 2, np.pi])
@pytest.mark.parametrize("beside", [1e-2, 1e-3, 3e-4, 1e-4])
def test_where_two_roots_of_a_quartic_almost_meet(square: float, beside: float) -> None:
    """Type 10 of Paul's method near a right angle of joint 5: regular configurations, but double roots."""
    solver = Solver(five_axes(np.random.default_rng(0)))
    assert "type 10" in solver.model.program.choices[0]
    q = solver.postures(np.random.default_rng(3), 100)
    q[:, 4] = square + beside
    regular = solver.chain.sensitivity(q[:, solver.unknown_columns]) > 1e-6
    assert lost(solver, q[regular]) == 0


@pytest.mark.parametrize("beside", [1e-3, 1e-4])
def test_parallel_axes_almost_in_line(beside: float) -> None:
    solver = Solver(parallel_axes(2)(np.random.default_rng(1)))
    assert "type 10" in solver.model.program.choices[0]
    for joint in (0, 4, 5):
        q = solver.postures(np.random.default_rng(4), 40)
        q[:, joint] = beside
        regular = solver.chain.sensitivity(q[:, solver.unknown_columns]) > 1e-6
        assert lost(solver, q[regular]) == 0


def almost(arm: Arm, rng: Rng) -> Arm:
    """Return the arm with one to four lengths and angles changed by 1e-3 to 1e-8."""
    frames = list(arm.robot.frames)
    for _ in range(int(rng.integers(1, 5))):
        j, name = int(rng.integers(1, len(frames))), str(rng.choice(["d", "r", "alpha"]))
        offset = float(rng.choice([-1, 1]) * 10 ** rng.uniform(-8, -3))
        frames[j] = replace(frames[j], **{name: formula(f"({getattr(frames[j], name)}) + ({offset!r})")})
    return replace(arm, robot=replace(arm.robot, frames=tuple(frames)))


@pytest.mark.first(5)
@pytest.mark.parametrize("name", ALMOST)
def test_almost_special_arms(name: str) -> None:
    rng = np.random.default_rng([1, *map(ord, name)])
    solver = Solver(almost(CLASSES[name](rng), rng))
    assert lost(solver, solver.postures(rng, 40)) == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ALMOST)
def test_many_almost_special_arms(name: str) -> None:
    missed = 0
    for seed in range(50):
        rng = np.random.default_rng([seed, *map(ord, name)])
        solver = Solver(almost(CLASSES[name](rng), rng), compiled=True)
        missed += lost(solver, solver.postures(rng, 400))
    assert missed <= 2


# -- notes and conditions


def test_another_method_is_taken_and_said() -> None:
    choices = Solver(shoulder(1e-5)).model.program.choices
    assert choices[0].startswith("method: general")
    assert any(choice.startswith("not pieper: inaccurate for this robot") for choice in choices)


def test_refinement_is_said_where_it_is_and_absent_where_it_is_not_needed() -> None:
    note = "solutions that are not exact are refined by Newton's method"
    assert note in Solver(five_axes(np.random.default_rng(0))).model.program.choices
    for name in ("puma560", "rx90", "ur5e"):
        assert note not in Solver(bundled(name)).model.program.choices


# -- symbols that are zero at run time


def symbolic() -> Robot:
    """Return an arm with three skew axes and a wrist; the first two axes have symbolic parameters."""
    robot = shoulder(0.1).robot
    frames = list(robot.frames)
    frames[1] = replace(frames[1], alpha=formula("AL2"), d=formula("D2"))
    frames[2] = replace(frames[2], alpha=formula("AL3"))
    return replace(
        robot, name="symbolic", frames=tuple(frames), nominal=(("AL2", -1.2), ("AL3", 0.3), ("D2", 0.1))
    )


@pytest.mark.first(3)
@pytest.mark.parametrize(
    "values",
    [
        {"AL2": -1.2, "AL3": 0.3, "D2": 0.1},
        {"AL2": -np.pi / 2, "AL3": 0.3, "D2": 0.0},
        {"AL2": -np.pi / 2, "AL3": 0.0, "D2": 0.0},
        {"AL2": 0.0, "AL3": 0.3, "D2": 0.1},
        {"AL2": 1e-6, "AL3": 0.3, "D2": 0.1},
        {"AL2": -np.pi / 2, "AL3": 1e-6, "D2": 1e-6},
    ],
    ids=str,
)
def test_symbols_may_be_zero_at_run_time(values: dict[str, float]) -> None:
    """A formula that divides by D2 and sin(AL2) reported every pose as out of reach."""
    solver = Solver(Arm(symbolic(), 6), values=values)
    q = solver.postures(np.random.default_rng(5), 60)
    assert lost(solver, q[solver.chain.sensitivity(q) > 1e-4]) == 0


def test_where_the_formulas_fail_slots_are_empty_and_the_condition_is_listed() -> None:
    """Axes 1 and 2 coincide: the joints are dependent."""
    solver = Solver(Arm(symbolic(), 6), values={"AL2": 0.0, "AL3": 0.3, "D2": 0.0})
    assert solver.model.conditions == ["max(D2^2, sin(AL2)^2) != 0"]
    q = solver.postures(np.random.default_rng(6), 3)
    for answer in solver.batch(np.array([solver.pose(one) for one in q]), q):
        assert set(answer.status) == {EMPTY}


def test_conditions_of_a_robot_with_symbols() -> None:
    model = symoro.generate(symoro.load("rx90"), "inverse-geometry")
    assert model.conditions == ["RL4 != 0"]
    assert "formulation: valid if none of these is zero: RL4" in model.explain()
    assert "if: RL4 != 0" in next(iter(model.code("c").values()))
    solver = Solver(bundled("rx90"), values={"RL4": 0.0, "D3": 0.5})
    q = solver.postures(np.random.default_rng(7), 1)[0]
    assert OUT_OF_REACH not in solver(solver.pose(q), q).status


def test_numbers_have_no_conditions() -> None:
    assert symoro.generate(symoro.load("ur5e"), "inverse-geometry").conditions == []


@pytest.mark.first(1)
@pytest.mark.parametrize("kinds", ["RPR", "RPP"])
def test_a_slide_almost_square_to_the_first_axis(kinds: str) -> None:
    """The position equations RPX divide by the cosine of the angle between the axes."""
    rng = np.random.default_rng(8)
    for offset in (1e-4, 1e-6, 1e-8):
        angles = [FLAT, f"pi/2 + {offset!r}", oblique(rng)]
        sliding = [j for j, kind in enumerate(kinds, 1) if kind == "P"]
        robot = serial("slide", angles, [0, 0.3, 0.2], [0.1, 0.2, 0.3], sliding, tool={"d": 0.3, "r": 0.2})
        solver = Solver(Arm(robot, "tool", pose="position"))
        assert lost(solver, solver.postures(rng, 300)) == 0
