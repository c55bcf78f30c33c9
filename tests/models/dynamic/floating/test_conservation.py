"""A robot that floats without gravity and without torques keeps its momentum in the world and its energy.

The state is kept on the group: R0 moves by the exponential of a rotation vector t with

    dt/dt = w + t x w / 2 + (1 - |t| / 2 cot(|t| / 2)) / |t|^2  t x (t x w)

started anew from zero at every piece of time, so that t stays small. Accelerations of the base are classical: its
components change by Vd0 - (w x v; 0). A spatial acceleration taken for a classical one shows at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import integrate

import symoro
from symoro.expr.formula import ZERO
from symoro.robot.description import DRIVE, ZERO3, Robot
from tests.models.dynamic.cases import Array, seeded_tree
from tests.models.dynamic.floating.cases import afloat, without_wrenches
from tests.oracle.dynamics import hat

CLOSE = 1e-9
PIECE = 0.25  # seconds


def adrift(seed: int, n: int) -> Robot:
    """Return a tree of heavy links without gravity, friction and wrenches."""
    robot = without_wrenches(afloat(seeded_tree(seed, n, coupled=False), seed))
    none = dict.fromkeys(DRIVE, ZERO)
    frames = tuple(replace(frame, **none) for frame in robot.frames)
    return replace(robot, frames=frames, payload=None, base=replace(robot.base, G=ZERO3))


def turn(t: Array) -> Array:
    """Return the rotation exp(hat(t))."""
    angle = np.linalg.norm(t)
    K = hat(t)
    if angle < 1e-8:
        return np.asarray(np.eye(3) + K)
    return np.asarray(np.eye(3) + np.sin(angle) / angle * K + (1 - np.cos(angle)) / angle**2 * K @ K)


def turning(t: Array, w: Array) -> Array:
    """Return the rate of t for the angular velocity w in the rotating axes."""
    angle = np.linalg.norm(t)
    share = 1 / 12 if angle < 1e-4 else (1 - angle / 2 / np.tan(angle / 2)) / angle**2
    return np.asarray(w + np.cross(t, w) / 2 + share * np.cross(t, np.cross(t, w)))


class Adrift:
    """Free motion of a robot, with the two models that it requires."""

    def __init__(self, robot: Robot) -> None:
        self.accelerations = _function(robot, "direct-dynamics")
        self.momentum = _function(robot, "centroidal-momentum")
        self.energy = _function(robot, "energy")

    def slope(self, R: Array) -> Callable[[float, Array], Array]:
        """Return the rates of t, P0, V0, q, qd, for a rotation R exp(hat(t))."""

        def rates(_: float, s: Array) -> Array:
            n = (len(s) - 12) // 2
            t, V, q, qd = s[:3], s[6:12], s[12 : 12 + n], s[12 + n :]
            R0 = R @ turn(t)
            result = self.accelerations(q=q, qd=qd, tau=np.zeros(n), V0=V, R0=R0)
            Vd = result["Vd0"] - np.r_[np.cross(V[3:], V[:3]), np.zeros(3)]
            return np.r_[turning(t, V[3:]), R0 @ V[:3], Vd, qd, result["qdd"]]

        return rates

    def moved(self, R: Array, s: Array, seconds: float) -> tuple[Array, Array]:
        for _ in range(round(seconds / PIECE)):
            result = integrate.solve_ivp(
                self.slope(R), (0, PIECE), s, method="DOP853", rtol=1e-12, atol=1e-13
            )
            s = result.y[:, -1]
            R, s = R @ turn(s[:3]), np.r_[np.zeros(3), s[3:]]
        return R, s

    def kept(self, R: Array, s: Array) -> Array:
        """Return momentum, angular momentum about the world's origin, and energy."""
        n = (len(s) - 12) // 2
        P, V, q, qd = s[3:6], s[6:12], s[12 : 12 + n], s[12 + n :]
        result = self.momentum(q=q, qd=qd, V0=V)
        p, L = R @ result["h"][:3], R @ result["h"][3:]
        energy = self.energy(q=q, qd=qd, V0=V, P0=P, R0=R)
        return np.r_[p, L + np.cross(P + R @ result["com"], p), energy["E"] + energy["U"]]


def _function(robot: Robot, model: str) -> Any:
    return symoro.generate(robot, model).function()


def check(robot: Robot, seconds: float) -> None:
    rng = np.random.default_rng(3)
    n = sum(frame.moving for frame in robot.frames)
    motion = Adrift(robot)
    s = np.r_[np.zeros(6), rng.uniform(-0.6, 0.6, 6), rng.uniform(-1, 1, n), rng.uniform(-0.6, 0.6, n)]
    before = motion.kept(np.eye(3), s)
    after = motion.kept(*motion.moved(np.eye(3), s, seconds))
    assert np.abs(after - before).max() < CLOSE * max(1.0, np.abs(before).max())


def test_momentum_and_energy_for_two_seconds() -> None:
    check(adrift(61, 3), 2.0)


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "n"), [(61, 3), (62, 5), (63, 4), (65, 6)])
def test_momentum_and_energy_for_ten_seconds(seed: int, n: int) -> None:
    check(adrift(seed, n), 10.0)


@pytest.mark.slow
def test_the_eel_without_drag() -> None:
    eel = without_wrenches(symoro.load("eel"))
    check(eel, 10.0)
