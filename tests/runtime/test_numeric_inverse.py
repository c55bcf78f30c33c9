"""Test numeric inverse geometry: reached poses are correct and within limits, for all kinds of chains."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError, NotApplicableError, OptionError, SymoroError, UnknownNameError
from symoro.expr.formula import formula
from symoro.models.geometric.inverse.chain.pose import given_entries
from symoro.robot.description import Coupling, Frame, JointType, Limits, Link, Placement, Robot, Tool
from symoro.runtime import compiler
from symoro.runtime.compiler import find_compiler
from symoro.runtime.numeric_inverse import NumericInverse
from symoro.runtime.ranges import joint_ranges
from tests.oracle.numeric import Numeric

needs_compiler = pytest.mark.skipif(find_compiler() is None, reason="no C compiler on this machine")
Rng = np.random.Generator
PLACE = ("alpha", "d", "theta", "r")
KINDS = [pytest.param(True, marks=needs_compiler, id="C"), pytest.param(False, id="NumPy")]


def frame(rng: Rng, ant: int, *, prismatic: float = 0.2, limited: float = 0.6) -> Frame:
    """Return a random joint on its antecedent, with or without limits."""
    slides = rng.random() < prismatic
    numbers = rng.uniform(-1, 1, 4) * [np.pi, 0.5, np.pi, 0.5]
    if rng.random() < 0.4:
        numbers[0] = rng.choice([0, np.pi / 2, -np.pi / 2])
    low, high = np.sort(rng.uniform(-1, 1, 2) * (0.5 if slides else 3.0))
    limits = Limits(float(low), float(high + 0.4)) if rng.random() < limited else Limits()
    sigma = JointType.PRISMATIC if slides else JointType.REVOLUTE
    place = {name: formula(float(x)) for name, x in zip(PLACE, numbers, strict=True)}
    return Frame(ant, sigma, limits=limits, **place)


def chain(rng: Rng, n: int, *, tree: bool = False, **kinds: float) -> Robot:
    """Return a serial arm or a tree with a tool on its last link."""
    ants = [int(rng.integers(max(0, j - 2), j + 1)) if tree else j for j in range(n)]
    frames = tuple(frame(rng, ant, **kinds) for ant in ants)
    tool = Tool(Placement(n, d=formula(0.1), alpha=formula(0.7), r=formula(-0.2)))
    return Robot("random", frames, (Link(),) * n, tool=tool)


def postures(robot: Robot, rng: Rng, count: int) -> np.ndarray:
    ranges = joint_ranges(robot, dict(robot.nominal))
    return rng.uniform(ranges.first, ranges.last, (count, len(ranges.joints)))


def poses(robot: Robot, q: np.ndarray, frm: int | str = 0, to: int | str | None = None) -> np.ndarray:
    """Return poses by an independent direct geometry."""
    oracle = Numeric(robot)
    end = to if to is not None else ("tool" if robot.tool else robot.NL)
    return np.array([oracle.transform(row, frm, end) for row in q]).reshape(-1, 4, 4)


def judge(
    robot: Robot, result: dict[str, Any], T: np.ndarray, flags: np.ndarray | None = None, **frames: Any
) -> None:
    """Check that reached postures are finite, within limits and correct, and that others have a distance."""
    ok = result["status"] == 0
    assert np.isfinite(result["q"][result["status"] != 3]).all()
    assert symoro.solutions.within_limits(robot, result["q"][ok]).all()
    off = np.abs(poses(robot, result["q"], **frames) - T)[:, :3]
    off = off if flags is None else off * flags
    largest = off.max(axis=(1, 2))
    assert (largest[ok] < 2e-9).all()
    assert np.abs(largest - result["residual"]).max() < 1e-9
    assert (result["residual"][~ok] > 1e-9).all()


@cache
def solver_of(name: str, **options: Any) -> NumericInverse:
    """Return the solver of a bundled robot, created once."""
    return symoro.numeric_inverse(symoro.load(name), **options)


# -- chains of every kind


@pytest.mark.parametrize("seed", range(8))
def test_random_chains(seed: int) -> None:
    rng = np.random.default_rng(seed)
    robot = chain(rng, int(rng.integers(3, 9)), tree=bool(seed % 2))
    T = poses(robot, postures(robot, rng, 40))
    result = symoro.numeric_inverse(robot, compiled=False)(T)
    judge(robot, result, T)
    assert (result["status"] == 0).mean() >= 0.97


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 160))
def test_many_random_chains(seed: int) -> None:
    rng = np.random.default_rng(seed)
    robot = chain(rng, int(rng.integers(3, 10)), tree=bool(seed % 2))
    T = poses(robot, postures(robot, rng, 500))
    result = symoro.numeric_inverse(robot)(T)
    judge(robot, result, T)
    assert (result["status"] == 0).mean() >= 0.97


@needs_compiler
@pytest.mark.parametrize("name", ["panda", "iiwa14", "lwr4plus"])
def test_redundant_arms(name: str) -> None:
    robot = symoro.load(name)
    T = poses(robot, postures(robot, np.random.default_rng(7), 400))
    result = symoro.numeric_inverse(robot)(T)
    judge(robot, result, T)
    assert (result["status"] == 0).mean() >= 0.995


@pytest.mark.parametrize(
    ("pose", "joints"),
    [
        ("P,az", 4),
        ("P,sx", 4),
        ("Px,Py,az,nx", 4),
        ("position", 5),
        ("axis", 5),
        ("axis", 7),
        ("orientation", 4),
    ],
)
def test_partial_poses(pose: str, joints: int) -> None:
    """Check poses with four and other numbers of conditions, for which there may be no closed form."""
    rng = np.random.default_rng(joints)
    robot = chain(rng, joints, prismatic=0.0, limited=0.3)
    T = poses(robot, postures(robot, rng, 40))
    flags = np.array(given_entries(pose))
    T[:, :3][:, ~flags] = np.nan  # not read
    result = symoro.numeric_inverse(robot, pose=pose, compiled=False)(T)
    judge(robot, result, np.where(np.isnan(T), 0, T), flags)
    assert (result["status"] == 0).mean() >= 0.95


def test_a_pose_that_no_closed_form_reaches() -> None:
    robot = chain(np.random.default_rng(11), 4, prismatic=0.0, limited=0.0)
    with pytest.raises(NotApplicableError, match="numeric"):
        symoro.generate(robot, "inverse-geometry", pose="P,az")
    T = poses(robot, postures(robot, np.random.default_rng(1), 20))
    assert (symoro.numeric_inverse(robot, pose="P,az", compiled=False)(T)["status"] == 0).all()


@pytest.mark.parametrize(("frm", "to"), [(3, "tool"), ("tool", 2), (2, 5), ("world", 4)])
def test_between_any_two_frames(frm: int | str, to: int | str) -> None:
    rng = np.random.default_rng(21)
    robot = chain(rng, 5, tree=True, limited=0.5)
    T = poses(robot, postures(robot, rng, 30), frm, to)
    result = symoro.numeric_inverse(robot, frm=frm, to=to, compiled=False)(T)
    judge(robot, result, T, frm=frm, to=to)
    assert (result["status"] == 0).mean() >= 0.95


def coupled(*terms: tuple[int, float], limits: Limits | None = None) -> Robot:
    robot = chain(np.random.default_rng(5), 6, prismatic=0.0, limited=0.0)
    coupling = Coupling(tuple((i, formula(ratio)) for i, ratio in terms), formula(0.2))
    return robot.with_frame(4, coupling=coupling, limits=limits or Limits())


def test_coupled_joints_follow_and_keep_their_limits() -> None:
    robot = coupled((2, 0.5), limits=Limits(-0.3, 0.4))
    q = postures(robot, np.random.default_rng(2), 30)
    assert (np.abs(q[:, 1]) < 1.1).all()
    T = poses(robot, q)
    result = symoro.numeric_inverse(robot, compiled=False)(T)
    judge(robot, result, T)
    ok = result["status"] == 0
    position = 0.5 * result["q"][ok, 1] + 0.2
    assert ok.mean() > 0.9 and (position > -0.3 - 1e-8).all() and (position < 0.4 + 1e-8).all()


def test_limits_of_a_joint_that_several_drive() -> None:
    robot = coupled((2, 1.0), (3, -1.0), limits=Limits(-0.5, 0.5))
    q = np.random.default_rng(2).uniform(-2, 2, (25, 5))
    result = symoro.numeric_inverse(robot, compiled=False, restarts=20)(poses(robot, q))
    ok = result["status"] == 0
    position = result["q"][:, 1] - result["q"][:, 2] + 0.2
    assert 0 < ok.sum() < 25 and (np.abs(position[ok]) < 0.5 + 1e-8).all()


def test_limits_that_leave_nothing() -> None:
    robot = coupled((2, 1.0), limits=Limits(1.0, 2.0)).with_frame(2, limits=Limits(-1.0, 0.0))
    with pytest.raises(NotApplicableError, match=r"joint 2 .* no position"):
        symoro.numeric_inverse(robot)


def test_joints_without_limits_come_within_half_a_turn() -> None:
    robot = symoro.load("stanford")
    q = postures(robot, np.random.default_rng(4), 50)
    result = symoro.numeric_inverse(robot, compiled=False)(poses(robot, q), q0=q + 20 * np.pi * np.eye(6)[0])
    angles = np.delete(result["q"], 2, axis=1)
    assert (result["status"] == 0).all() and (np.abs(angles) <= np.pi).all()


def test_symbols_take_values() -> None:
    robot = symoro.load("rx90")
    longer = {"D3": 0.6, "RL4": 0.5}
    T = poses(robot.bind(longer), postures(robot, np.random.default_rng(4), 5))
    assert (symoro.numeric_inverse(robot, values=longer, compiled=False)(T)["status"] == 0).all()
    with pytest.raises(UnknownNameError):
        symoro.numeric_inverse(robot, values={"D9": 1.0})
    with pytest.raises(ArgumentError, match="requires values"):
        symoro.numeric_inverse(robot.replace(nominal=()))


@pytest.mark.parametrize("far", [1.0, 1e3, 1e5])
def test_prismatic_joints_without_limits_go_far(far: float) -> None:
    T = np.eye(4)
    T[:3, 3] = [far, -far, far / 3]
    robot = symoro.load("gantry")
    result = symoro.numeric_inverse(robot, pose="position", limits=False, compiled=False)(T)
    assert result["status"] == 0 and result["restarts"] == 0


# -- special postures


@pytest.mark.parametrize("name", ["rx90", "iiwa14", "ur5e", "stanford", "planar2r", "gantry"])
def test_at_singular_postures_and_beside_them(name: str) -> None:
    robot = symoro.load(name)
    ranges = joint_ranges(robot, dict(robot.nominal))
    offsets = np.array([[0.0], [1e-8], [1e-6], [1e-4], [1e-3]])
    q = np.clip(offsets * np.ones(len(ranges.joints)), ranges.lower, ranges.upper)
    T = poses(robot, q)
    result = solver_of(name, compiled=False)(T)
    judge(robot, result, T)
    assert (result["status"] == 0).all()


def test_all_joints_at_their_limits() -> None:
    robot = symoro.load("panda")
    ranges = joint_ranges(robot, {})
    q = np.array([ranges.lower, ranges.upper, np.where(np.arange(7) % 2, ranges.lower, ranges.upper)])
    T = poses(robot, q)
    result = solver_of("panda", compiled=False)(T, q0=q * 0.98)
    judge(robot, result, T)
    assert (result["status"] == 0).all()


# -- what cannot be reached


def test_the_residual_of_a_pose_out_of_reach_is_its_distance() -> None:
    """Check that a point at distance 5 of an arm with two links of 1 has the residual 3."""
    arm = Robot(
        "arm", (Frame(0), Frame(1, d=formula(1))), (Link(),) * 2, tool=Tool(Placement(2, d=formula(1)))
    )
    T = np.eye(4)
    T[0, 3] = 5
    result = symoro.numeric_inverse(arm, pose="Px,Py", compiled=False)(T)
    assert result["status"] == 1 and abs(result["residual"] - 3) < 1e-6 and np.abs(result["q"]).max() < 1e-3


def test_limits_put_a_pose_out_of_reach() -> None:
    robot = symoro.load("planar2r")
    narrow = robot.with_frame(1, limits=Limits(-0.1, 0.1)).with_frame(2, limits=Limits(-0.1, 0.1))
    T = poses(robot, np.array([[2.0, 1.0]]))[0]
    result = symoro.numeric_inverse(narrow, pose="Px,Py", compiled=False)(T)
    assert (
        result["status"] == 1
        and result["residual"] > 0.1
        and symoro.solutions.within_limits(narrow, result["q"])
    )
    free = symoro.numeric_inverse(narrow, pose="Px,Py", limits=False, compiled=False)(T)
    assert free["status"] == 0 and free["residual"] < 1e-9


@pytest.mark.parametrize("compiled", KINDS)
def test_numbers_that_are_no_pose(compiled: bool) -> None:
    robot = symoro.load("iiwa14")
    solver = symoro.numeric_inverse(robot, compiled=compiled, restarts=3)
    good = poses(robot, postures(robot, np.random.default_rng(1), 13))
    clean = solver(good)
    for bad in (np.nan, np.inf, -np.inf, 1e308, 1e200):
        T = good.copy()
        for k, (r, c) in enumerate(np.ndindex(3, 4)):
            T[k, r, c] = bad
        result = solver(T)
        assert (result["status"][:12] != 0).all() and result["status"][12] == clean["status"][12] == 0
        assert not (result["residual"][:12] <= 1e-9).any()
        assert np.array_equal(result["q"][12], clean["q"][12])


def test_a_matrix_that_is_no_rotation() -> None:
    robot = symoro.load("rx90")
    solver = symoro.numeric_inverse(robot, compiled=False)
    T = np.eye(4)
    for rotation in (-np.eye(3), np.diag([1, 1, -1]), np.ones((3, 3)), 1.1 * np.eye(3), np.zeros((3, 3))):
        T[:3, :3] = rotation
        result = solver(T)
        assert result["status"] == 3 and np.isnan(result["q"]).all() and np.isinf(result["residual"])


@pytest.mark.parametrize(("pose", "joints"), [("full", 6), ("axis", 5), ("s,n,P", 6)])
def test_rounded_poses_are_corrected_with_a_residual(pose: str, joints: int) -> None:
    robot = chain(np.random.default_rng(3), joints, prismatic=0.0, limited=0.0)
    T = poses(robot, postures(robot, np.random.default_rng(1), 30))
    solver = symoro.numeric_inverse(robot, pose=pose, compiled=False)
    rough = T.astype(np.float32)
    result = solver(rough)
    assert (result["status"] == 0).mean() > 0.9
    ok = result["status"] == 0
    assert (result["residual"][ok] < 3e-7).all() and result["residual"][ok].max() > 1e-9
    off = np.abs(poses(robot, result["q"]) - rough)[:, :3]
    off = off[:, :, given_entries(pose)[0]]
    assert (off.max(axis=(1, 2)) <= result["residual"] + 1e-12)[ok].all()


# -- what the caller chooses


def test_it_starts_from_q0() -> None:
    robot = symoro.load("panda")
    q = postures(robot, np.random.default_rng(4), 50)
    result = solver_of("panda", compiled=False)(poses(robot, q), q0=q)
    assert np.abs(result["q"] - q).max() < 1e-9 and not result["restarts"].any()
    near = solver_of("panda", compiled=False)(poses(robot, q[:1])[0], q0=q[0] + 0.01)
    assert np.abs(near["q"] - q[0]).max() < 0.1


@pytest.mark.parametrize("compiled", KINDS)
def test_locked_joints_stay(compiled: bool) -> None:
    robot = symoro.load("panda")
    q = postures(robot, np.random.default_rng(6), 15)
    solver = symoro.numeric_inverse(robot, locked="3,7", pose="P,sx,nz", compiled=compiled)
    start = np.where(np.isin(np.arange(7), [2, 6]), q, 0.0)
    T = poses(robot, q)
    result = solver(T, q0=start)
    ok = result["status"] == 0
    assert ok.mean() > 0.9 and np.array_equal(result["q"][ok][:, [2, 6]], q[ok][:, [2, 6]])
    shared = solver(T[:5], q0=start[0])
    assert (shared["q"][:, [2, 6]] == start[0, [2, 6]]).all()


def test_a_locked_joint_outside_its_limits_is_no_solution() -> None:
    robot = symoro.load("panda")
    q = np.array([0.1, 0.2, 0.3, -1.5, 0.5, 1.6, 3.5])  # joint 7 stops at 2.9
    solver = symoro.numeric_inverse(robot, locked="7", compiled=False)
    result = solver(poses(robot, q[None])[0], q0=q)
    assert result["status"] == 1 and result["q"][6] == 3.5
    with pytest.raises(ArgumentError, match="there are no unknowns"):
        symoro.numeric_inverse(robot, locked="1,2,3,4,5,6,7")
    with pytest.raises(OptionError, match="does not have an independent joint"):
        symoro.numeric_inverse(robot, locked="0")


def test_joints_off_the_way_stay() -> None:
    robot = symoro.load("humanoid_torso")
    q = postures(robot, np.random.default_rng(6), 5)
    solver = symoro.numeric_inverse(robot, to=8, compiled=False)
    T = poses(robot, q, to=8)
    start = postures(robot, np.random.default_rng(8), 5)
    result = solver(T, q0=start)
    assert (result["status"] == 0).all() and np.array_equal(result["q"][:, 8:], start[:, 8:])
    judge(robot, result, T, to=8)


@pytest.mark.parametrize("compiled", KINDS)
def test_a_preferred_posture_is_neared(compiled: bool) -> None:
    robot = symoro.load("iiwa14")
    solver = solver_of("iiwa14", compiled=compiled)
    T = poses(robot, postures(robot, np.random.default_rng(6), 30))
    wanted = np.array([0.2, 0.4, 0.1, -1.2, 0.3, 0.6, 0.0])
    plain, near = solver(T), solver(T, prefer=wanted)
    judge(robot, near, T)
    assert (near["status"] == 0).all()
    apart = [np.linalg.norm(result["q"] - wanted, axis=1) for result in (plain, near)]
    assert apart[1].mean() < 0.8 * apart[0].mean()
    stays = solver(T, q0=plain["q"], prefer=plain["q"])
    assert np.abs(stays["q"] - plain["q"]).max() < 1e-6


def test_the_neared_posture_is_the_nearest_around() -> None:
    """Check that the gradient of the distance has no component in the null space of the Jacobian."""
    robot = symoro.load("iiwa14").tree()
    free = robot.replace(frames=tuple(f.__class__(**{**vars(f), "limits": Limits()}) for f in robot.frames))
    wanted = np.array([0.2, 0.4, 0.1, -1.2, 0.3, 0.6, 0.0])
    q = wanted + 0.4 * np.random.default_rng(1).uniform(-1, 1, (10, 7))
    result = symoro.numeric_inverse(free, compiled=False, iterations=200)(poses(free, q), prefer=wanted)
    for row in result["q"]:
        to = "tool" if free.tool else 7
        null = np.linalg.svd(Numeric(free).jacobian(row, to))[2][6]
        assert abs(null @ (wanted - row)) < 1e-3


# -- one and many, C and NumPy


def test_a_batch_is_its_poses_one_by_one() -> None:
    robot = symoro.load("panda")
    solver = solver_of("panda", compiled=False)
    q = postures(robot, np.random.default_rng(2), 4)
    T = poses(robot, q)
    for extra in ({}, {"q0": q[0]}, {"q0": q}, {"prefer": q[0]}):
        many = solver(T, **extra)
        for k in range(len(q)):
            one = solver(T[k], **({"q0": q[k]} if extra.get("q0") is q else extra))
            for name in many:
                np.testing.assert_allclose(one[name], many[name][k], atol=1e-7, err_msg=name)


@needs_compiler
def test_a_batch_is_its_poses_one_by_one_in_C() -> None:
    robot = symoro.load("panda")
    solver = symoro.numeric_inverse(robot)
    T = poses(robot, postures(robot, np.random.default_rng(2), 50))
    many = solver(T)
    for k in range(50):
        one = solver(T[k])
        assert all(np.array_equal(one[name], many[name][k]) for name in many)
    assert solver(T[:0])["q"].shape == (0, 7)
    again = symoro.numeric_inverse(robot)(T)
    assert all(np.array_equal(again[name], many[name]) for name in many)


@needs_compiler
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("pose", ["full", "axis"])
def test_C_and_NumPy_agree(seed: int, pose: str) -> None:
    rng = np.random.default_rng(seed)
    robot = chain(rng, 2 + 2 * seed, tree=bool(seed % 2)) if seed else symoro.load("rx90")  # with symbols
    q = postures(robot, rng, 15)
    T = poses(robot, q)
    T[::7, 0, 3] += 50  # out of reach
    ours, theirs = (
        symoro.numeric_inverse(robot, pose=pose, compiled=kind, restarts=5) for kind in (True, False)
    )
    assert ours.compiled and not theirs.compiled
    for extra in ({}, {"q0": q[::-1]}, {"prefer": q[0]}):
        a, b = ours(T, **extra), theirs(T, **extra)
        assert np.array_equal(a["status"], b["status"])
        assert (a["status"][::7] == 1).all()
        ok = a["status"] == 0
        flat = (
            1e-2 if "prefer" in extra else 1e-4
        )  # the distance to a posture hardly changes where it is least
        same = np.abs(a["q"][ok] - b["q"][ok]).max(axis=1) < flat
        assert same.mean() > 0.9  # round-off may lead to another one
        np.testing.assert_allclose(a["residual"][::7], b["residual"][::7], rtol=1e-2)


def test_without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "find_compiler", lambda: None)
    robot = symoro.load("planar2r")
    with pytest.warns(UserWarning, match="poses are solved in NumPy, which is slower"):
        solver = symoro.numeric_inverse(robot, pose="position")
    assert not solver.compiled and "NumPy" in repr(solver)
    with pytest.raises(SymoroError, match="no C compiler"):
        symoro.numeric_inverse(robot, compiled=True)


def test_seeds() -> None:
    robot = symoro.load("iiwa14")
    T = poses(robot, postures(robot, np.random.default_rng(2), 5))
    first, again, other = (symoro.numeric_inverse(robot, compiled=False, seed=s)(T)["q"] for s in (1, 1, 2))
    assert np.array_equal(first, again) and not np.allclose(first, other)


# -- arguments


@pytest.fixture(scope="module")
def solver() -> NumericInverse:
    return symoro.numeric_inverse(symoro.load("rx90"), compiled=False)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"T": np.eye(3)}, r"T has shape \(3, 3\), expected \(4, 4\) or \(N, 4, 4\)"),
        ({"T": "pose"}, "T is not an array of real numbers"),
        ({"T": 1j * np.eye(4)}, "T is not an array of real numbers"),
        ({"T": np.eye(4), "q0": np.zeros(5)}, r"q0 has shape \(5,\), expected \(6,\) or \(N, 6\)"),
        ({"T": np.eye(4), "q0": np.zeros((2, 6))}, "q0 has 2 rows for 1 poses"),
        ({"T": np.eye(4), "q0": [0, 0, 0, 0, 0, np.nan]}, "an entry of q0 is not a finite number"),
        ({"T": np.eye(4), "prefer": [0, 0, 0, 0, 0, np.inf]}, "an entry of prefer is not a finite number"),
    ],
)
def test_arguments_that_do_not_fit(solver: NumericInverse, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        solver(**arguments)


@pytest.mark.parametrize(
    "options",
    [{"tolerance": -1}, {"tolerance": np.nan}, {"restarts": 1.5}, {"iterations": -1}, {"seed": True}],
)
def test_options_that_do_not_fit(options: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError, match="not negative"):
        symoro.numeric_inverse(symoro.load("planar2r"), **options)


def test_loops_are_refused() -> None:
    with pytest.raises(NotApplicableError, match="closed loops"):
        symoro.numeric_inverse(symoro.load("sr400"))
