"""Loop geometry against an independent search: loops close, every assembly mode is returned once.

A parallelogram has a second mode, the antiparallelogram, which such robots do not use: a model that uses the linear
relation may omit it, so that this mode is allowed but not required.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

import symoro
from symoro.errors import SymoroError
from symoro.robot.description import Robot
from symoro.robot.formats import loads
from symoro.runtime.compiler import find_compiler
from tests.oracle.inverse_geometry import Loops
from tests.oracle.linkages import LINKAGES, two_loops

Array = NDArray[np.float64]
VALID, OUT_OF_REACH, SINGULAR, EMPTY = range(4)
CLOSED = 1e-10
needs_compiler = pytest.mark.skipif(find_compiler() is None, reason="no C compiler on this machine")


class Solver:
    """Model of a robot with loops, and the oracle of the same robot."""

    def __init__(
        self, robot: Robot, values: dict[str, float] | None = None, *, compiled: bool = False
    ) -> None:
        self.loops = Loops(robot, values)
        self.n = len(self.loops.tree.joints)
        self.model = symoro.generate(robot, "loop-geometry")
        self.function = self.model.function(values, compiled=compiled)

    def __call__(self, qa: Array) -> tuple[Array, Array]:
        """Return the valid assembly modes at the active joints (tree and cut joints in one row), and every status."""
        out = self.function(qa=qa)
        assert set(out["status"]) <= {VALID, OUT_OF_REACH, SINGULAR, EMPTY}
        rows = np.concatenate([out["q"], out["qc"]], axis=1)
        return rows[out["status"] == VALID], out["status"]

    def distance(self, some: Array, one: Array) -> Array:
        turns = np.array([self.loops.tree.sigma[j] == 0 for j in self.loops.every])
        apart = some - one
        return np.abs(np.where(turns, (apart + np.pi) % (2 * np.pi) - np.pi, apart)).max(axis=-1)

    def check(self, qa: Array) -> Array:
        """Check the properties of every answer; return the valid assembly modes."""
        result, _ = self(qa)
        assert np.isfinite(result).all()
        if len(result):
            assert self.loops.gap(result[:, : self.n], result[:, self.n :]).max() <= CLOSED
            active = [self.loops.every.index(j) for j in self.loops.active]
            np.testing.assert_allclose(result[:, active], np.tile(qa, (len(result), 1)), rtol=0, atol=1e-15)
        for k, one in enumerate(result):
            assert k == 0 or self.distance(result[:k], one).min() > 1e-6, "an assembly is given twice"
        return result

    def check_all(self, qa: Array, needed: Callable[[Array], bool], seed: int = 0) -> int:
        """Check that the assembly modes are the oracle's; return their number, or -1 if the oracle is not certain."""
        known = self.loops.assemblies(qa, np.random.default_rng(seed), count=100)
        result = self.check(qa)
        if not known.countable:
            return -1
        for one in known.q:
            here = len(result) > 0 and self.distance(result, one).min() < 1e-6
            assert here or not needed(one), f"an assembly mode is missing; there are {len(known.q)}"
        for one in result:
            assert len(known.q) and self.distance(known.q, one).min() < 1e-6, (
                "an assembly mode is not a solution"
            )
        return len(known.q)


# -- robots


def every_mode(q: Array) -> bool:
    return True


def sr400_linear(q: Array) -> bool:
    """Return whether q3 = q7 - q2 - pi/2, the parallelogram and not its crossed mode."""
    return abs((q[2] - q[6] + q[1] + np.pi / 2 + np.pi) % (2 * np.pi) - np.pi) < 1e-6


def two_loops_uncrossed(robot: Robot, *, second: bool) -> Callable[[Array], bool]:
    """Return a predicate: opposite bars of the parallelogram (and of the second loop, if it is one) are parallel."""
    tree = Loops(robot).tree

    def uncrossed(q: Array) -> bool:
        at = tree.placements({j + 1: q[j : j + 1] for j in range(10)}, range(1, 13))
        o = {j: T[0, :3, 3] for j, T in at.items()}
        first = np.allclose(o[9] - o[7], o[3] - o[4], atol=1e-6)
        return bool(first and (not second or np.allclose(o[10] - o[6], o[3] - o[2], atol=1e-6)))

    return uncrossed


@dataclass(frozen=True)
class Case:
    """Robot, range of its active joints, required modes, and largest number of modes."""

    robot: Robot
    low: list[float]
    high: list[float]
    modes: set[int]
    needed: Callable[[Array], bool] = every_mode

    def draw(self, rng: np.random.Generator, count: int) -> Array:
        return rng.uniform(self.low, self.high, (count, len(self.low)))


UNEQUAL = two_loops({"d12": 0.26})
CASES = {
    "fourbar": Case(symoro.load("fourbar"), [-3.1], [3.1], {2}),
    "fivebar": Case(symoro.load("fivebar"), [-3.1] * 2, [3.1] * 2, {0, 2}),
    "slidercrank": Case(symoro.load("slidercrank"), [-3.1], [3.1], {2}),
    "sr400": Case(symoro.load("sr400"), [-2] * 6, [2] * 6, {2}, sr400_linear),
    "akr3000": Case(symoro.load("akr3000"), [-3, 0.6, 0.2, -3, -3, -3], [3, 1.2, 0.6, 3, 3, 3], {0, 2, 4}),
    "TwoLoops": Case(two_loops(), [-1] * 4, [1] * 4, {4}, two_loops_uncrossed(two_loops(), second=True)),
    "TwoLoops, unequal": Case(UNEQUAL, [-1] * 4, [1] * 4, {0, 4}, two_loops_uncrossed(UNEQUAL, second=False)),
}


@pytest.mark.parametrize("name", CASES)
def test_every_assembly_is_found(name: str) -> None:
    case = CASES[name]
    made = Solver(case.robot)
    counts = {made.check_all(qa, case.needed) for qa in case.draw(np.random.default_rng(1), 6)}
    assert counts - {-1} <= case.modes and max(counts) > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_many_postures(name: str) -> None:
    case = CASES[name]
    made = Solver(case.robot)
    for k, qa in enumerate(case.draw(np.random.default_rng(2), 300)):
        made.check_all(qa, case.needed, seed=k)


@pytest.mark.parametrize("name", CASES)
def test_a_batch_is_its_postures_one_by_one(name: str) -> None:
    made = Solver(CASES[name].robot)
    qa = CASES[name].draw(np.random.default_rng(3), 4)
    together = made.function(qa=qa)
    for k in range(4):
        for key, alone in made.function(qa=qa[k]).items():
            np.testing.assert_allclose(alone, together[key][k], rtol=0, atol=1e-12)


@needs_compiler
@pytest.mark.parametrize("name", CASES)
def test_c_and_numpy_agree(name: str) -> None:
    robot = CASES[name].robot
    plain, native = Solver(robot), Solver(robot, compiled=True)
    assert native.function.compiled
    for qa in CASES[name].draw(np.random.default_rng(4), 8):
        some, others = plain.check(qa), native.check(qa)
        assert len(some) == len(others)
        assert all(plain.distance(others, one).min() < 1e-8 for one in some)


# -- parallelograms


def test_the_parallelogram_of_sr400_is_linear() -> None:
    """q3 = q7 - q2 - pi/2, q8 = q2 - q7, q9 = -q8, in the first row and without loss of digits."""
    made = Solver(symoro.load("sr400"))
    for qa in np.random.default_rng(5).uniform(-2, 2, (20, 6)):
        first = made.check(qa)[0]
        q2, q7 = qa[1], qa[5]
        wanted = np.array([*qa[:2], q7 - q2 - np.pi / 2, *qa[2:], q2 - q7, q7 - q2])
        assert made.distance(first[None], wanted)[0] < 1e-12


def test_a_flat_parallelogram_is_still_one() -> None:
    """If all bars are collinear the two modes coincide; the linear relation is still valid."""
    made = Solver(symoro.load("sr400"))
    q2 = 0.4
    for q7 in (q2, q2 + np.pi):
        qa = np.array([0.3, q2, 0.1, 0.2, 0.3, q7])
        out = made.function(qa=qa)
        kept = np.isin(out["status"], (VALID, SINGULAR))
        rows = np.concatenate([out["q"], out["qc"]], axis=1)[kept]
        wanted = np.array([*qa[:2], q7 - q2 - np.pi / 2, *qa[2:], q2 - q7, q7 - q2])
        assert made.distance(rows, wanted).min() < 1e-9


@pytest.mark.parametrize("bound", [True, False])
def test_a_four_bar_that_happens_to_be_a_parallelogram(bound: bool) -> None:
    """Equal lengths are numbers of the robot, or given at the call, when they can no longer be recognised."""
    lengths = {"D2": 0.3, "D5": 0.3, "D3": 0.8, "D4": 0.8}
    robot = symoro.load("fourbar")
    made = Solver(robot.bind(lengths)) if bound else Solver(robot, lengths)

    def uncrossed(q: Array) -> bool:
        return abs((q[2] - q[0] + np.pi) % (2 * np.pi) - np.pi) < 1e-6

    for q1 in (0.4, 1.3, -2.2):
        assert made.check_all(np.array([q1]), uncrossed if bound else every_mode) == 2


# -- loops that cannot close


@pytest.mark.parametrize(
    ("name", "values", "qa"),
    [
        ("fourbar", {"D4": 0.1}, [2.9]),
        ("fivebar", {"D5": 0.05, "D6": 0.05}, [2.0, 0.4]),
        ("slidercrank", {"D4": 0.05}, [1.5]),
        ("akr3000", {}, [0.3, 0.9, 5.0, 0.1, 0.2, 0.3]),
    ],
)
def test_what_cannot_close_is_told(name: str, values: dict[str, float], qa: list[float]) -> None:
    made = Solver(symoro.load(name), values)
    result, status = made(np.array(qa))
    assert not len(result)
    assert (status == OUT_OF_REACH).any()


def test_numbers_that_are_none_close_nothing() -> None:
    made = Solver(symoro.load("fivebar"))
    for qa in ([np.nan, 0.3], [np.inf, 0.3]):
        with np.errstate(all="ignore"):
            assert not len(made(np.array(qa))[0])


def test_stretched_bars_close_once() -> None:
    """Five-bar at the limit of its reach: rounding must neither lose the configuration nor repeat it."""
    made = Solver(symoro.load("fivebar"), {"D2": 0.2, "D4": 0.2, "D3": 0.24, "D5": 0.12, "D6": 0.12})
    qa = np.array([np.pi / 2, np.pi / 2])
    out = made.function(qa=qa)
    kept = np.isin(out["status"], (VALID, SINGULAR))
    rows = np.concatenate([out["q"], out["qc"]], axis=1)[kept]
    assert len(rows) == 1
    assert made.loops.gap(rows[:, :4], rows[:, 4:])[0] <= CLOSED


def test_a_robot_without_loops_is_refused() -> None:
    with pytest.raises(SymoroError):
        symoro.generate(symoro.load("rx90"), "loop-geometry")


# -- random linkages


@pytest.mark.parametrize("name", LINKAGES)
def test_random_linkages(name: str) -> None:
    check_linkage(name, 0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 30))
@pytest.mark.parametrize("name", LINKAGES)
def test_many_random_linkages(name: str, seed: int) -> None:
    check_linkage(name, seed)


def check_linkage(name: str, seed: int) -> None:
    rng = np.random.default_rng([seed, *map(ord, name)])
    robot, q = LINKAGES[name](rng)
    made = Solver(robot)
    assert made.check_all(q[:1], every_mode) != 0
    for turn in rng.uniform(-0.3, 0.3, 3):
        made.check_all(q[:1] + turn, every_mode)


CROSSED = """symoro: 1
name: x
frames: [{{}}, {{ant: 1, d: 0.3, active: false}}, {{ant: 0, d: 0.5, active: false}}]
loops: [{{open: {{ant: 2, d: 0.5}}, close: {{ant: 3, d: 0.3}}}}]
postures: {{home: [{home}]}}
"""


def test_a_parallelogram_that_is_crossed_at_home_has_that_mode() -> None:
    """P = 0.3 (c1, s1), Q = (0.5, 0): the elbow is on either side of PQ, at distances 0.5 and 0.3."""
    q1 = 0.8
    far = math.hypot(0.5 - 0.3 * math.cos(q1), 0.3 * math.sin(q1))
    down = math.atan2(-0.3 * math.sin(q1), 0.5 - 0.3 * math.cos(q1))
    inner = math.acos((0.25 + far**2 - 0.09) / (far * 1.0))
    crossed = down - inner  # direction of the coupler, below PQ; above PQ it is 0, the parallelogram
    assert down + inner == pytest.approx(0, abs=1e-12)
    tip = 0.3 * np.exp(1j * q1) + 0.5 * np.exp(1j * crossed) - 0.5
    home = [q1, crossed - q1, float(np.angle(tip))]
    for posture, modes in ((home, 2), ([q1, -q1, q1], 1)):
        robot = loads(CROSSED.format(home=", ".join(map(repr, posture))), "yaml")
        model = symoro.generate(robot, "loop-geometry").function(compiled=False)(qa=[q1])
        assert len(model["q"]) == modes
        assert (model["status"] == 0).all()
        assert min(np.abs(row - posture).max() for row in model["q"]) < 1e-12
