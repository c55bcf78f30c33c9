"""Logs of robots whose parameters are known: a closed loop, integrated in small steps with the direct dynamic model."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

import symoro
from symoro.identification.diagnostics import DiagnosticWarning
from symoro.identification.dynamic import Identification
from symoro.identification.log import Log, log_of_arrays
from symoro.identification.log_description import PdController
from symoro.robot.formats import loads
from symoro.runtime.function import Function

Array = NDArray[np.float64]

TWO_LINKS = """
symoro: 1
name: two links
base: {gravity: [0, -9.81, 0]}
frames:
  - {drive: {IA: 0.3, FV: 2.0, FS: 1.5, FO: 0.4}, link: {XX: 0.05, YY: 1.1, ZZ: 1.2, MX: 1.5, MY: 0.1, M: 3}}
  - {d: 0.8, drive: {IA: 0.1, FV: 1.0, FS: 0.8, FO: -0.2}, link: {YY: 0.3, ZZ: 0.35, MX: 0.5, MY: -0.05, M: 1.2}}
"""
FOURIER = np.array([[0.35, 0.2, 0.15, 0.1], [0.3, 0.25, 0.2, 0.12]])
PHASE = np.array([[0.3, 1.2, 2.1, 0.5], [1.1, 0.4, 2.5, 1.9]])


@cache
def two_links(twist: str = "0") -> symoro.Robot:
    """The arm; `twist` is the angle between its axes."""
    return loads(TWO_LINKS.replace("{d: 0.8,", f"{{d: 0.8, alpha: {twist},"), "yaml")


@dataclass(frozen=True)
class Truth:
    """A motion without noise, and the base parameters that made it."""

    rate: float
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    reference: Array
    controller: PdController
    K: dict[str, float]

    def log(self, rng: np.random.Generator, *, torque: float | Array = 0.0, position: float = 0.0) -> Log:
        """With normal noise of these deviations."""
        return log_of_arrays(
            self.rate,
            self.q + position * rng.standard_normal(self.q.shape),
            self.tau + torque * rng.standard_normal(self.q.shape),
            reference=self.reference,
        )


@cache
def truth(
    samples: int = 4000, rate: float = 500.0, base: float = 0.4, robot: symoro.Robot | None = None
) -> Truth:
    """The two links along a sum of sines, held to it by a PD law, from the state of steady tracking."""
    robot = robot or two_links()
    forward = symoro.generate(robot, "direct-dynamics").function()
    kp, kd = np.array([900.0, 400.0]), np.array([120.0, 50.0])
    w = 2 * np.pi * base * np.arange(1, 5)

    def reference(t: float) -> tuple[Array, Array]:
        angle = w * t + PHASE
        return (FOURIER * np.sin(angle)).sum(1), (FOURIER * w * np.cos(angle)).sum(1)

    def law(t: float, q: Array, qd: Array) -> Array:
        r, rd = reference(t)
        return kp * (r - q) + kd * (rd - qd)

    def slope(t: float, x: Array) -> Array:
        q, qd = x[:2], x[2:]
        return np.concatenate([qd, forward(q=q, qd=qd, tau=law(t, q, qd))["qdd"]])

    small, before = 4, int(2 * rate)  # steps a sample; samples in which the start is forgotten
    h = 1 / (small * rate)
    x, states = np.concatenate(reference(0.0)), []
    for k in range(small * (before + samples)):
        if k % small == 0 and k >= small * before:
            states.append(x)
        t = k * h
        a = slope(t, x)
        b = slope(t + h / 2, x + h / 2 * a)
        c = slope(t + h / 2, x + h / 2 * b)
        x = x + h / 6 * (a + 2 * b + 2 * c + slope(t + h, x + h * c))
    t = (before + np.arange(samples)) / rate
    q, qd = np.array(states)[:, :2], np.array(states)[:, 2:]
    tau = np.array([law(*item) for item in zip(t, q, qd, strict=True)])
    r = np.array([reference(x)[0] for x in t])
    qdd = forward(q=q, qd=qd, tau=tau)["qdd"]
    return Truth(rate, q, qd, qdd, tau, r, PdController(tuple(kp), tuple(kd)), base_values(robot))


@cache
def inverse_dynamics(robot: symoro.Robot) -> Function:
    return symoro.generate(robot, "inverse-dynamics").function()


@cache
def smooth(robot: symoro.Robot, samples: int = 1500, rate: float = 500.0) -> Truth:
    """Any robot of two joints along the sines themselves; torques of the inverse dynamic model, nothing simulated."""
    w = 2 * np.pi * 0.4 * np.arange(1, 5)
    angle = np.arange(samples)[:, None, None] / rate * w + PHASE
    q, qd = (FOURIER * np.sin(angle)).sum(2), (FOURIER * w * np.cos(angle)).sum(2)
    qdd = -(FOURIER * w**2 * np.sin(angle)).sum(2)
    tau = inverse_dynamics(robot)(q=q, qd=qd, qdd=qdd)["tau"]
    return Truth(rate, q, qd, qdd, tau, q, PdController((0.0, 0.0), (0.0, 0.0)), base_values(robot))


@cache
def base_values(robot: symoro.Robot) -> dict[str, float]:
    """Base parameters and friction of a robot of numbers."""
    base = symoro.base_parameters(robot.symbolic(inertia="all"))
    nominal = dict(robot.symbolic(inertia="all").nominal)
    known = {
        kept: nominal[kept] + sum(float(c) * nominal[other] for other, c in others.items())
        for kept, others in base.relations.items()
    }
    for j, frame in enumerate(robot.frames, 1):
        known |= {f"{kind}{j}": float(getattr(frame, kind).number or 0) for kind in ("FV", "FS", "FO")}
    return known


def _named(result: Identification, *names: str) -> list[DiagnosticWarning]:
    return [line for line in result.warnings if line.name in names]


def motion_warnings(result: Identification) -> list[DiagnosticWarning]:
    return _named(result, "slow-joint", "short-motion")


def unit_warnings(result: Identification) -> list[DiagnosticWarning]:
    return _named(result, "derivative-mismatch", "position-unit", "wound-up-joint", "time-unit")


def sampling_warnings(result: Identification) -> list[DiagnosticWarning]:
    return _named(result, "sampling-rate", "position-noise", "low-pass", "total-least-squares")


def torque_warnings(result: Identification) -> list[DiagnosticWarning]:
    return _named(result, "torque-factor", "inconsistent-torques", "unexplained-joint", "torque-delay")
