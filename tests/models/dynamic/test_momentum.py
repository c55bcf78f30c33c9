"""Centroidal momentum of fixed and wheeled bases, against the sum of the momenta of all links in plain NumPy.

Floating bases: `floating/test_models.py`, `floating/test_loops.py`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from symoro.robot.description import Robot
from tests.models.dynamic.cases import error, oracle, outputs, seeded_tree, state
from tests.models.loop_cases import DRAWN, drawn
from tests.oracle.dynamics import Array
from tests.oracle.floating import Floating
from tests.oracle.wheel_robots import body, layout
from tests.oracle.wheels import Wheels

CLOSE = 1e-9


def truth(robot: Robot) -> Floating:
    """Return the oracle with its base at the origin, whose velocity is an argument."""
    return Floating(robot.tree().floating(), {"R0": np.eye(3), "P0": np.zeros(3)})


def check(robot: Robot, at: dict[str, Array], qd: Array, V0: Array, share: Array | float = 0.0) -> None:
    """Check AG and h; `share` is the contribution of a prescribed base motion."""
    result = outputs(robot, "centroidal-momentum", at)
    h, com = truth(robot).momentum(at["q"], qd, V0)
    assert error(result["h"], h) < CLOSE
    assert error(result["com"], com) < CLOSE
    assert error(result["AG"] @ at.get("qda", qd) + share, h) < CLOSE


@pytest.mark.parametrize("seed", range(8))
def test_trees(seed: int) -> None:
    """Coupled joints; every other base has a mass, some have a prescribed motion."""
    robot = seeded_tree(seed, 5)
    if seed % 2:
        robot = robot.replace(base=replace(robot.base, link=body(np.random.default_rng(seed))))
    at = state(robot, seed)
    base = oracle(robot, at).base
    V0 = np.r_[base.v, base.w]
    check(robot, at, at["qd"], V0, truth(robot).momentum(at["q"], 0 * at["qd"], V0)[0])


@pytest.mark.parametrize("kind", list(DRAWN)[:3])
def test_closed_loops(kind: str) -> None:
    case = drawn(kind)
    qda = np.random.default_rng(1).uniform(-1, 1, case.truth.na)
    qd = case.truth.moved(case.x, qda, 0 * qda).qd[: case.truth.n]
    check(case.robot, {"q": case.q, "qda": qda}, qd, np.zeros(6))


@pytest.mark.parametrize("seed", range(8))
def test_wheels(seed: int) -> None:
    robot, q = layout(seed)
    wheels = Wheels(robot)
    qda = np.random.default_rng(seed).uniform(-1, 1, len(wheels.active))
    x = wheels.rates(q, qda)
    check(robot, {"q": q, "qda": qda}, x[3:], np.array([x[0], x[1], 0, 0, 0, x[2]]))
