"""Inverse geometry of arms with loops: all joints, including motors beside the path, checked by the oracle."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import symoro
from symoro.robot.description import JointType, Robot
from symoro.runtime.compiler import find_compiler
from tests.models.geometric.loops import PI, arm_with_four_bar, planar_platform, two_loops
from tests.oracle.inverse_geometry import Chain, Loops

Array = NDArray[np.float64]
VALID, OUT_OF_REACH, SINGULAR, EMPTY = range(4)
EXACT = 1e-9
needs_compiler = pytest.mark.skipif(find_compiler() is None, reason="no C compiler on this machine")


@dataclass(frozen=True)
class Arm:
    """Robot with loops, its end frame, the given entries of the pose, and the range of the motors."""

    robot: Robot
    to: int | str
    pose: str = "full"
    low: Sequence[float] = ()
    high: Sequence[float] = ()

    def draw(self, rng: np.random.Generator) -> Array:
        count = len(Loops(self.robot).active)
        return rng.uniform(self.low or [-2.5] * count, self.high or [2.5] * count)


ARMS = {
    "sr400": Arm(symoro.load("sr400"), 6),
    "akr3000": Arm(symoro.load("akr3000"), 10, "full", [-3, 0.6, 0.2, -3, -3, -3], [3, 1.2, 0.6, 3, 3, 3]),
    "geared": Arm(arm_with_four_bar(0.07), 6),
    "fivebar": Arm(symoro.load("fivebar"), "tool", "position"),
    "fourbar": Arm(symoro.load("fourbar"), 3, "s,n"),
    "slidercrank": Arm(symoro.load("slidercrank"), 3, "position"),
    "TwoLoops": Arm(two_loops(), 5, "position", [-1] * 4, [1] * 4),
    "platform": Arm(planar_platform(), 3, "planar", [0.3] * 3, [0.9] * 3),
}


class Solver:
    """Model of an arm in every assembly mode, and the oracle of the same arm."""

    def __init__(self, arm: Arm, *, compiled: bool = False, **options: Any) -> None:
        self.arm, robot = arm, arm.robot
        self.model = symoro.generate(
            robot, "inverse-geometry", to=arm.to, pose=arm.pose, modes="all", **options
        )
        self.function = self.model.function(compiled=compiled)
        self.loops = Loops(robot)
        self.chain = Chain(robot.tree(), arm.to, pose=arm.pose)
        self.n = len(self.loops.tree.joints)
        self.turns = np.array([robot.frame(j).sigma == JointType.REVOLUTE for j in self.loops.every])
        self.way = [self.loops.tree.joints.index(j) for j in self.chain.unknown]

    def distance(self, some: Array, one: Array) -> Array:
        apart = some - one
        return np.abs(np.where(self.turns, (apart + PI) % (2 * PI) - PI, apart)).max(axis=-1)

    def pose_of(self, row: Array) -> Array:
        return np.asarray(self.chain.place(row[None, self.way])[0])

    def given_entries(self, T: Array) -> Array:
        """Return the pose with zeros in the entries that are not given to the model."""
        if self.arm.pose in ("full", "planar"):
            return T
        known = np.eye(4)
        known[:3][self.chain.mask] = T[:3][self.chain.mask]
        return known

    def check(self, T: Array, q0: Array) -> tuple[Array, Array]:
        """Check the properties of every answer; return the rows that are solutions, and those that are valid."""
        out = self.function(T=self.given_entries(T), q0=q0)
        assert set(out["status"]) <= {VALID, OUT_OF_REACH, SINGULAR, EMPTY}
        rows = np.concatenate([out["q"], out["qc"]], axis=1)
        good = np.isin(out["status"], (VALID, SINGULAR))
        valid = rows[out["status"] == VALID]
        assert np.isfinite(rows[good]).all()
        if good.any():
            assert out["residual"][good].max() <= EXACT
            assert self.loops.gap(rows[good, : self.n], rows[good, self.n :]).max() <= EXACT, "a loop is open"
            assert self.chain.error(rows[good][:, self.way], T).max() <= EXACT, "the pose is not reached"
        for k, one in enumerate(valid):
            assert k == 0 or self.distance(valid[:k], one).min() > 1e-6, "a solution is given twice"
        return rows[good], valid

    def check_posture(self, row: Array, tolerance: float = 1e-6) -> int:
        """Check that a closed configuration is among the solutions for its pose; return their number."""
        result, _ = self.check(self.pose_of(row), row[: self.n])
        assert len(result) and self.distance(result, row).min() < tolerance, (
            f"{row} is not among the solutions"
        )
        return len(result)

    def closed(self, qa: Array, seed: int = 0, count: int = 60) -> Array:
        return np.asarray(self.loops.assemblies(qa, np.random.default_rng(seed), count=count).q)


@cache
def solver(name: str) -> Solver:
    return Solver(ARMS[name])


def sweep(name: str, draws: int, seed: int) -> None:
    made, rng = solver(name), np.random.default_rng(seed)
    checked = 0
    for k in range(draws):
        for row in made.closed(ARMS[name].draw(rng), k):
            made.check_posture(row)
            checked += 1
    assert checked >= draws


@pytest.mark.parametrize("name", ARMS)
def test_every_closed_posture_is_among_the_solutions(name: str) -> None:
    sweep(name, 4, 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", ARMS)
def test_many_closed_postures(name: str) -> None:
    sweep(name, 150, 2)


def test_sr400_has_a_motor_beside_the_path() -> None:
    """q7 = q2 + q3 + pi/2, q8 = -q3 - pi/2: the motor drives the forearm through the parallelogram."""
    arm = ARMS["sr400"]
    model = symoro.generate(arm.robot, "inverse-geometry", to=6)
    assert model.outputs["q"] == (8, 8) and model.outputs["qc"] == (8, 1)
    q2, q3 = 0.4, -0.9
    q = np.array([0.3, q2, q3, 0.2, 0.7, -0.4, q2 + q3 + PI / 2, -q3 - PI / 2])
    T = symoro.generate(arm.robot.tree(), "fast-geometry", to=6).function(compiled=False)(q=q)["T"]
    rows = symoro.solutions.valid(model.function(compiled=False)(T=T))
    assert len(rows) == 4  # the pose is out of reach with the shoulder turned by pi
    assert np.abs(rows - q).max(axis=1).min() < 1e-12
    sums = rows[:, 6] - rows[:, 1] - rows[:, 2] - PI / 2
    np.testing.assert_allclose(np.sin(sums / 2), 0, atol=1e-12)
    explanation = "\n".join(model.explain())
    assert "q7 = q2 + q3 + pi/2" in explanation


@pytest.mark.first(3)
@pytest.mark.parametrize("power", [3, 5, 7, 8])
@pytest.mark.parametrize("sign", [1, -1])
def test_lengths_next_to_a_parallelogram(power: int, sign: int) -> None:
    """A four-bar that is almost a parallelogram: closed form and modes near the special case."""
    arm = replace(ARMS["geared"], robot=arm_with_four_bar(sign * 10.0**-power))
    made, rng = Solver(arm), np.random.default_rng(power)
    for k in range(3):
        for row in made.closed(arm.draw(rng), k):
            made.check_posture(row, 1e-5)


@pytest.mark.first(3)
@pytest.mark.parametrize("power", range(3, 9))
def test_postures_next_to_singular_ones(power: int) -> None:
    """The wrist is almost straight, then the crank of the four-bar is almost aligned with its coupler."""
    arm, near = ARMS["geared"], 10.0**-power
    made, rng = solver("geared"), np.random.default_rng(power)
    loops = made.loops
    for k in range(2):
        qa = arm.draw(rng)
        qa[loops.active.index(5)] = near
        for row in made.closed(qa, k):
            made.check_posture(row, 1e-5)
    turned = replace(arm, robot=driven(arm.robot, 8))  # the coupler's angle to the crank is given
    for k in range(2):
        qa = arm.draw(rng)
        qa[-1] = near
        for row in Solver(turned).closed(qa, k):
            made.check_posture(row, 1e-5)


def driven(robot: Robot, j: int) -> Robot:
    """Return the robot with joint j active instead of joint 7."""
    frames = [replace(f, mu=f.mu if i not in (7, j) else i == j) for i, f in enumerate(robot.frames, 1)]
    return replace(robot, frames=tuple(frames))


@pytest.mark.first(12)
@pytest.mark.parametrize("name", ARMS)
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_numbers_that_are_none(name: str, value: float) -> None:
    made = solver(name)
    row = made.closed(ARMS[name].draw(np.random.default_rng(5)))[0]
    T = made.pose_of(row)
    for r, c in np.argwhere(made.chain.mask):
        bad = made.given_entries(T).copy()
        bad[r, c] = value
        out = made.function(T=bad, q0=row[: made.n])
        assert (out["status"] == EMPTY).all()
    out = made.function(T=made.given_entries(T), q0=np.full(made.n, value))
    assert (out["status"] == EMPTY).all()


def test_a_pose_out_of_the_loops_reach() -> None:
    """The path of the five-bar reaches the point, its other leg does not."""
    made = solver("fivebar")
    out = made.function(T=np.array([[1, 0, 0, -0.4], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]))
    assert set(out["status"]) == {OUT_OF_REACH}
    assert out["residual"].min() > 1e-3


def test_a_motor_that_the_pose_leaves_open_comes_from_q0() -> None:
    """One motor determines the elbow of the five-bar; the other keeps its position, and the loop closes with both."""
    robot = symoro.load("fivebar")
    model = symoro.generate(robot, "inverse-geometry", to=1, pose="orientation")
    assert (
        "q3 is determined neither by the pose nor by the loops: its value is taken from q0"
        in model.program.choices
    )
    loops = Loops(robot)
    row = loops.assemblies([1.2, 0.5], np.random.default_rng(0)).q[0]
    T = symoro.generate(robot, "fast-geometry", to=1).function(compiled=False)(q=row[:4])["T"]
    out = model.function(compiled=False)(T=T, q0=[0, 0, 0.5, 0])
    rows = symoro.solutions.valid(out)
    assert len(rows) == 2 and np.abs(rows - row[:4]).max(axis=1).min() < 1e-9
    assert loops.gap(out["q"], out["qc"]).max() < 1e-12


@pytest.mark.parametrize("offset", [0, 1e-8, 1e-5, 1e-2])
def test_joints_that_the_loops_tie_must_agree(offset: float) -> None:
    """The full pose of a coupler has more conditions than one motor satisfies: rows that do not close are rejected."""
    robot = symoro.load("fourbar")
    row = Loops(robot).assemblies([0.8], np.random.default_rng(0)).q[0]
    q = row[:3] + np.array([0, offset, 0])
    T = symoro.generate(robot.tree(), "fast-geometry", to=2).function(compiled=False)(q=q)["T"]
    model = symoro.generate(robot, "inverse-geometry", to=2)
    out = model.function(compiled=False)(T=T)
    rows = symoro.solutions.valid(out)
    if offset:
        assert not len(rows)
    else:
        assert len(rows) == 1 and np.abs(rows[0] - row[:3]).max() < 1e-12


@needs_compiler
@pytest.mark.parametrize("name", ["sr400", "akr3000"])
def test_compiled_as_interpreted(name: str) -> None:
    arm = ARMS[name]
    one, other = solver(name), Solver(arm, compiled=True)
    rng = np.random.default_rng(7)
    rows = [row for k in range(4) for row in one.closed(arm.draw(rng), k)]
    T = np.array([one.pose_of(row) for row in rows])
    here, there = one.function(T=T), other.function(T=T)
    np.testing.assert_array_equal(here["status"], there["status"])
    good = np.isin(here["status"], (VALID, SINGULAR))
    np.testing.assert_allclose(here["q"][good], there["q"][good], atol=1e-9)
