"""Robots on a floating base, states, and their oracle."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from symoro.expr.formula import ZERO, Formula, formula
from symoro.robot.description import WRENCH, Link, Robot
from tests.models.dynamic.cases import Inputs, masses, oracle, seeded_tree
from tests.models.dynamic.cases import state as joint_state
from tests.oracle.floating import Floating, quaternion, rotation


def afloat(robot: Robot, seed: int, *, wrench: bool = True) -> Robot:
    """Return the robot on a floating base with mass and an external wrench."""
    rng = np.random.default_rng(seed)
    numbers = masses(rng)
    if wrench:
        numbers |= dict(zip(WRENCH, map(float, rng.uniform(-3, 3, 6)), strict=True))
    robot = robot.floating()
    return replace(
        robot, base=replace(robot.base, link=Link(**{name: formula(x) for name, x in numbers.items()}))
    )


def floating_tree(seed: int, n: int | None = None, *, coupled: bool | None = None) -> Robot:
    """Return a random tree on a floating base."""
    return afloat(seeded_tree(seed, n, coupled=coupled), seed)


def state(robot: Robot, seed: int = 1) -> Inputs:
    """Return random numbers for every possible input of a model; Q0 is not normalised and represents R0."""
    rng = np.random.default_rng(seed + 1000)
    R0 = rotation(rng)
    return joint_state(robot, seed) | {
        "R0": R0,
        "Q0": 1.7 * quaternion(R0),
        "P0": rng.uniform(-1, 1, 3),
    }


def truth(robot: Robot, at: Inputs) -> Floating:
    """Return the oracle at the state's pose of the base, with its wrenches."""
    return Floating(robot, at, oracle(robot, at).wrench)


def without_wrenches(robot: Robot) -> Robot:
    none = dict.fromkeys(WRENCH, ZERO)
    base = replace(robot.base, link=replace(robot.base.link, **none))
    return replace(robot, links=tuple(replace(link, **none) for link in robot.links), base=base)


def with_symbolic_base(robot: Robot) -> Robot:
    """Return the robot with symbolic inertial parameters of link 0 and their nominal values."""
    nominal = {f"{name}0": getattr(robot.base.link, name).value({}) for name in ("XX", "YY", "ZZ", "MX", "M")}
    link = replace(robot.base.link, **{name[:-1]: Formula(name) for name in nominal})
    return replace(robot, base=replace(robot.base, link=link), nominal=(*robot.nominal, *nominal.items()))
