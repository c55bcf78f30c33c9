"""Inverse geometry of palletisers and piston-driven arms with symbolic lengths, against closed configurations."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.errors import NotApplicableError
from symoro.robot.description import Robot
from tests.oracle.inverse_geometry import Loops, entries
from tests.oracle.loop_arms import ARMS, PALLETISER, Closure, LoopArm

VALID, OUT_OF_REACH, SINGULAR, EMPTY = range(4)
NEAR = 1e-6


@cache
def solved(name: str) -> tuple[LoopArm, Robot, symoro.Model]:
    arm = ARMS[name]
    robot = arm.robot(name)
    return arm, robot, symoro.generate(robot, "inverse-geometry", to=arm.to, pose=arm.pose)


def check(arm: LoopArm, closure: Closure, function: Any, x: np.ndarray, q0: np.ndarray) -> int:
    """Check that a closed configuration is among the solutions for its pose, and that all are correct.

    Return the number of solutions.
    """
    T, mask = closure.pose(x), entries(arm.pose)
    known = np.eye(4)
    known[:3][mask] = T[:3][mask]
    out = function(T=T if arm.pose == "full" else known, q0=q0)
    good = np.isin(out["status"], (VALID, SINGULAR))
    assert good.any(), "there is no valid solution"
    assert closure.distance(out["q"][good], x).min() < NEAR, "the posture is not among the solutions"
    for row in np.concatenate([out["q"], out["qc"]], axis=1)[good]:
        assert np.abs(closure.residual(row)[0]).max() < 1e-9, "a loop is open"
        unit = np.array([1, 1, 1, 1 / closure.size])
        assert np.abs(((closure.pose(row) - T)[:3] * unit)[mask]).max() < 1e-9, "the pose is not reached"
    return int(good.sum())


def sweep(name: str, scale: float, postures: int, draws: int, seed: int) -> None:
    arm, robot, model = solved(name)
    rng = np.random.default_rng(seed)
    for _ in range(draws):
        values = arm.drawn(rng, scale)
        function = model.function(values=values, compiled=False)
        closure = Closure(arm, robot, values)
        drawn = [closure.posture(rng) for _ in range(2 * postures)]
        closed = [x for x in drawn if x is not None][:postures]
        assert closed, "no posture was drawn"
        for x in closed:
            check(arm, closure, function, x, np.zeros(closure.n))


@pytest.mark.parametrize("scale", [1, pytest.param(1e-3, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ARMS)
def test_closed_postures_are_among_the_solutions(name: str, scale: float) -> None:
    """q0 is zero: no joint that the pose and the loops determine is taken from it."""
    sweep(name, scale, 2, 1, 1)


@pytest.mark.slow
@pytest.mark.parametrize("scale", [1e-3, 1, 1e3])
@pytest.mark.parametrize("name", ARMS)
def test_many_closed_postures(name: str, scale: float) -> None:
    sweep(name, scale, 20, 4, 2)


@pytest.mark.first(2)
@pytest.mark.parametrize(
    ("to", "pose", "options"),
    [
        (6, "position", {}),
        (10, "position", {}),
        (10, "full", {"locked": "10"}),
        (10, "axis", {"locked": "10"}),
    ],
)
def test_a_part_of_the_pose_of_a_palletiser(to: int, pose: str, options: dict[str, str]) -> None:
    """The parallelograms determine q6; only q10, which they do not determine, is taken from q0."""
    arm = replace(PALLETISER, to=to, pose=pose)
    robot = arm.robot("palletiser")
    model = symoro.generate(robot, "inverse-geometry", to=to, pose=pose, **options)
    assert "q6 = -q2 - q3 because of the loops: it is not an unknown of the pose" in model.program.choices
    closure, rng = Closure(arm, robot, dict(arm.nominal)), np.random.default_rng(4)
    function, checked = model.function(compiled=False), 0
    while checked < 3:
        x = closure.posture(rng)
        if x is not None:
            q0 = np.where(np.arange(10) == 9, x[:10], 5.0)
            check(arm, closure, function, x, q0)
            checked += 1


def test_a_pose_that_the_loops_do_not_allow_has_no_solution() -> None:
    """The flange is not vertical."""
    arm, robot, model = solved("palletiser")
    closure = Closure(arm, robot, dict(arm.nominal))
    T = closure.pose(closure.home())
    tilt = np.array([[1, 0, 0], [0, np.cos(0.2), -np.sin(0.2)], [0, np.sin(0.2), np.cos(0.2)]])
    T[:3, :3] = tilt @ T[:3, :3]
    out = model.function(compiled=False)(T=T)
    assert not np.isin(out["status"], (VALID, SINGULAR)).any()


def test_lengths_without_values() -> None:
    """With three parallelograms, one in eight closed configurations has none crossed: enough must be drawn."""
    arm, robot, _ = solved("palletiser")
    model = symoro.generate(replace(robot, nominal=()), "inverse-geometry", to=arm.to)
    closure = Closure(arm, robot, dict(arm.nominal))
    function = model.function(values=dict(arm.nominal), compiled=False)
    assert check(arm, closure, function, closure.home(), np.zeros(10)) == 2


def test_the_way_back_from_the_flange() -> None:
    """From frame 10 to frame 0 the joints are in the opposite order: q2 is then the dependent one."""
    arm, robot, _ = solved("palletiser")
    model = symoro.generate(robot, "inverse-geometry", frm=10, to=0)
    assert "q2 = -q3 - q6 because of the loops: it is not an unknown of the pose" in model.program.choices
    closure = Closure(arm, robot, dict(arm.nominal))
    x = closure.home()
    out = model.function(compiled=False)(T=np.linalg.inv(closure.pose(x)))
    good = np.isin(out["status"], (VALID, SINGULAR))
    assert closure.distance(out["q"][good], x).min() < NEAR


def test_every_assembly_mode_of_a_palletiser() -> None:
    """Crossed parallelograms do not keep the flange vertical: no equation may vanish on either kind."""
    arm, robot, _ = solved("palletiser")
    function = symoro.generate(robot, "inverse-geometry", to=10, modes="all").function(compiled=False)
    closure, loops = Closure(arm, robot, dict(arm.nominal)), Loops(robot)
    assemblies = loops.assemblies([0.4, 1.2, -0.3, 0.8], np.random.default_rng(0), count=60).q
    assert len(assemblies) == 8
    for x in assemblies:
        check(arm, closure, function, x, np.zeros(10))


def test_ties_that_are_not_linear_are_rejected_with_the_reason() -> None:
    """The loop of the cylinder is cut at the pivot of the boom: the path has three joints, one degree of freedom."""
    arm = LoopArm(
        frames="""
        {r: H}
        {ant: 1, b: -c2, alpha: pi/2, d: c1, active: false}
        {ant: 2, joint: prismatic, gamma: pi/2, alpha: pi/2}
        {ant: 3, alpha: -pi/2, active: false}
        {ant: 4, d: L4}
        {ant: 5, joint: fixed, d: L5}
        """,
        loops="{open: {ant: 4, gamma: g, d: b1}, close: {ant: 1, alpha: pi/2}}",
        nominal={"H": 1.0, "c1": 0.4, "c2": 0.6, "L4": 1.5, "L5": 1.0, "b1": 0.8, "g": 2.8},
        home={},
        to=6,
        pose="position",
    )
    with pytest.raises(NotApplicableError, match=r"the loops determine q\d.*nonlinear") as error:
        symoro.generate(arm.robot("pivot"), "inverse-geometry", to=6, pose="position")
    assert "cut the loops elsewhere" in str(error.value)
