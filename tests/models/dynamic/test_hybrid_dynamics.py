"""Hybrid dynamics by recursion against the partition of the 6 + n equations of motion."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import symoro
from symoro.errors import NotApplicableError
from symoro.expr.formula import ZERO, formula
from symoro.expr.scalar import Scalar
from symoro.models.coordinates.blocks import joint
from symoro.models.coordinates.joint_motion import coordinates
from symoro.models.coordinates.provider import TreeCoordinates
from symoro.models.dynamic.articulated import Driven, Free, body_inertias, hybrid_dynamics
from symoro.models.dynamic.force_elements import drive_torques
from symoro.models.dynamic.setting import gravity, wrenches
from symoro.models.dynamic.system import joint_entries
from symoro.models.recursion import base_motion, joint_frames
from symoro.program.builder import Builder
from symoro.program.count import count
from symoro.program.interpret import interpret
from symoro.program.pipeline import optimise
from symoro.program.program import Program
from symoro.robot.description import WRENCH, BaseKind, Frame, JointType, Link, Robot
from symoro.robot.topology import moving_joints
from tests.models.dynamic.cases import (
    Array,
    Inputs,
    error,
    examples,
    heavy_trees,
    loaded,
    masses,
    oracle,
    outputs,
    seeded_tree,
    state,
)
from tests.oracle.free_base import FreeTree

CLOSE = 1e-11
SOLVED = 1e-8  # the condition of the inertia matrix comes in


def declared(builder: Builder, robot: Robot) -> tuple[Mapping[int, Scalar], Mapping[int, Scalar]]:
    """Declare q and qd; return positions and velocities of the joints of the tree."""
    provider = TreeCoordinates(coordinates(builder, robot))
    rates = provider.rates(joint_entries(builder, robot, provider, "qd"))
    return provider.positions, {j: rates[joint(j)] for j in moving_joints(robot)}


def program(robot: Robot, free: Collection[int], free_base: bool) -> Program:
    """Return qdd, tau and Vd0 from `known`: torques of the free joints, accelerations of the others."""
    builder = Builder("hybrid")
    q, qd = declared(builder, robot)
    moving = moving_joints(robot)
    known = dict(zip(moving, builder.input("known", (len(moving),)), strict=True))
    friction = drive_torques(builder, robot, qd, dict.fromkeys(moving, 0))
    joints = {
        j: Free(known[j] - friction[j], builder.formula(robot.frame(j).IA)) if j in free else Driven(known[j])
        for j in moving
    }
    base = base_motion(builder, robot, acceleration=not free_base)
    loads = wrenches(builder, robot)
    if free_base:
        loads[0] = [builder.formula(getattr(robot.base.link, name)) for name in WRENCH]
    tree, down = joint_frames(builder, robot, q), gravity(builder, robot)
    inertias = body_inertias(builder, robot, tree, free_base=free_base)
    result = hybrid_dynamics(builder, tree, qd, joints, base, down, inertias, loads, free_base=free_base)
    assert set(result.qdd) == set(free)
    assert set(result.efforts) == set(moving) - set(free)
    qdd = {**known, **result.qdd}
    drives = drive_torques(builder, robot, qd, qdd)
    builder.output("qdd", [qdd[j] for j in moving])
    builder.output(
        "tau", [result.efforts[j] + drives[j] if j in result.efforts else known[j] for j in moving]
    )
    builder.output("Vd0", [*result.base.v, *result.base.w])
    return builder.program()


def evaluated(robot: Robot, made: Program, at: Inputs) -> dict[str, Array]:
    return interpret(optimise(made), {port.name: at[port.name] for port in made.inputs}, dict(robot.nominal))


def floating(robot: Robot, seed: int) -> Robot:
    """Return the robot on a floating base with mass and an external wrench."""
    rng = np.random.default_rng(seed)
    numbers = masses(rng) | dict(zip(WRENCH, map(float, rng.uniform(-3, 3, 6)), strict=True))
    link = Link(**{name: formula(value) for name, value in numbers.items()})
    return replace(robot, base=replace(robot.base, kind=BaseKind.FLOATING, link=link))


def uncoupled(robot: Robot) -> Robot:
    return replace(robot, frames=tuple(replace(frame, coupling=None) for frame in robot.frames))


def check(robot: Robot, free: Collection[int], free_base: bool, seed: int) -> None:
    """Compare the recursion with the partition."""
    at, moving = state(robot, seed), moving_joints(robot)
    at["known"] = np.random.default_rng(seed).uniform(-2, 2, len(moving))
    wrench = oracle(robot, at).wrench
    truth = FreeTree(robot, dict(robot.nominal), wrench)
    which = [*[free_base] * 6, *(j in free for j in moving)]
    known = np.r_[np.zeros(6) if free_base else at["Vd0"], at["known"]]
    x, f = truth.partition(at["q"], at["qd"], at["V0"], known, which)
    result = evaluated(robot, program(robot, free, free_base), at)
    assert error(result["Vd0"], x[:6]) < SOLVED
    assert error(result["qdd"], x[6:]) < SOLVED
    assert error(result["tau"], f[6:]) < SOLVED


def some(moving: list[int], seed: int) -> set[int]:
    rng = np.random.default_rng(seed)
    return {j for j in moving if rng.random() < 0.5}


@given(heavy_trees(), st.integers(0, 1000), st.booleans())
@examples(30)
def test_random_trees(robot: Robot, seed: int, free_base: bool) -> None:
    robot = floating(uncoupled(robot), seed)
    check(robot, some(moving_joints(robot), seed), free_base, seed)


@pytest.mark.parametrize("free_base", [False, True])
@pytest.mark.parametrize("seed", range(40, 52))
def test_seeded_trees(seed: int, free_base: bool) -> None:
    robot = floating(seeded_tree(seed, coupled=False), seed)
    moving = moving_joints(robot)
    for free in (some(moving, seed), set(moving), set()):
        check(robot, free, free_base, seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2000, 2300))
def test_many_seeded_trees(seed: int) -> None:
    robot = floating(seeded_tree(seed, coupled=False), seed)
    check(robot, some(moving_joints(robot), seed), seed % 2 == 0, seed)


@pytest.mark.parametrize("seed", range(60, 68))
def test_a_fixed_base_that_moves_as_the_robot_says(seed: int) -> None:
    """Free and driven joints on a fixed base, with the regrouping of a fixed base."""
    robot = seeded_tree(seed, coupled=False)
    at, moving = state(robot, seed), moving_joints(robot)
    free = some(moving, seed)
    truth = oracle(robot, at)
    A, H = truth.inertia(at["q"]), truth.bias(at["q"], at["qd"])
    u = np.array([j in free for j in moving])
    at["known"] = at["tau"]
    x, f = np.where(u, 0.0, at["known"]), np.where(u, at["known"], 0.0)
    x[u] = np.linalg.solve(A[np.ix_(u, u)], f[u] - H[u] - A[np.ix_(u, ~u)] @ x[~u])
    f[~u] = (A @ x + H)[~u]
    result = evaluated(robot, program(robot, free, False), at)
    assert error(result["qdd"], x) < SOLVED
    assert error(result["tau"], f) < SOLVED


@pytest.mark.parametrize("seed", range(8))
def test_all_driven_is_inverse_dynamics(seed: int) -> None:
    robot = seeded_tree(seed, coupled=False)
    at = state(robot, seed)
    result = evaluated(robot, program(robot, set(), False), at | {"known": at["qdd"]})
    assert error(result["tau"], outputs(robot, "inverse-dynamics", at)["tau"]) < CLOSE


@pytest.mark.parametrize("name", ["rx90", "stanford", "humanoid_torso"])
def test_all_free_is_direct_dynamics(name: str) -> None:
    """Both programs are identical to the last operation."""
    robot = symoro.load(name)
    made = program(robot, moving_joints(robot), False)
    kept = replace(made, outputs=tuple(port for port in made.outputs if port.name == "qdd"))
    direct = symoro.generate(robot, "direct-dynamics", method="recursive").count()
    assert count(optimise(kept)).total == direct.total


def test_fewer_operations_where_joints_are_driven() -> None:
    """Composite links have ten parameters, articulated bodies 21."""
    robot = floating(loaded(uncoupled(symoro.load("rx90")), 1, **ALL), 1)
    totals = [count(optimise(program(robot, free, True))).total for free in ((), (1,), range(1, 7))]
    assert totals == sorted(totals)
    assert totals[0] < 0.7 * totals[2]


ALL = {"symbols": True, "wrenches": False, "drives": False, "payload": False}


def test_each_moving_joint_must_be_known() -> None:
    """A missing joint is reported and not treated as fixed."""
    robot = symoro.load("planar2r")
    builder = Builder("one joint short")
    q, qd = declared(builder, robot)
    tree, base = joint_frames(builder, robot, q), base_motion(builder, robot)
    inertias = body_inertias(builder, robot, tree)
    with pytest.raises(KeyError):
        hybrid_dynamics(builder, tree, qd, {1: Driven(0)}, base, [0, 0, 0], inertias, {})


# -- nothing to move


def pendulum(*frames: Frame, **mass: float) -> Robot:
    """Return a pendulum with massless links except the last one."""
    heavy = Link(**{name: formula(value) for name, value in mass.items()})
    robot = Robot("pendulum", frames, (*(Link(),) * (len(frames) - 1), heavy))
    return replace(robot, base=replace(robot.base, G=(ZERO, ZERO, formula(-9.81))))


HEAVY = {"M": 1.0, "MX": 0.3, "XX": 0.1, "YY": 0.2, "ZZ": 0.2}


def test_a_free_joint_without_mass() -> None:
    robot = pendulum(Frame(0), Frame(1, alpha=formula("pi/2")))
    with pytest.raises(NotApplicableError, match="joint 2 moves no mass"):
        program(robot, {2}, False)
    program(robot, set(), False)  # driven, it takes no torque
    assert program(robot.with_frame(2, IA=0.1).with_frame(1, IA=0.1), {1, 2}, False)


def test_two_free_joints_on_one_axis() -> None:
    """The inner joint has no inertia from the outer one; this is exact, not a cancellation."""
    robot = pendulum(Frame(0), Frame(1), **HEAVY)
    with pytest.raises(NotApplicableError, match="joint 1 moves no mass"):
        program(robot, {1, 2}, False)
    for free in ({1}, {2}):
        assert program(robot, free, False)
    slides = pendulum(Frame(0, JointType.PRISMATIC), Frame(1, JointType.PRISMATIC), **HEAVY)
    with pytest.raises(NotApplicableError, match="joint 1 moves no mass"):
        program(slides, {1, 2}, False)


def test_a_free_base_without_mass() -> None:
    bare = pendulum(Frame(0))
    afloat = replace(bare, base=replace(bare.base, kind=BaseKind.FLOATING))
    with pytest.raises(NotApplicableError, match="inertia of the free base is singular") as caught:
        program(afloat, set(), True)
    assert "link 0" in str(caught.value)
    held = replace(afloat, links=(Link(**{name: formula(x) for name, x in HEAVY.items()}),))
    assert program(held, set(), True)  # what the joint holds is mass enough
    with pytest.raises(NotApplicableError, match="inertia of the free base is singular"):
        program(held, {1}, True)  # but not about the axis of a free joint
