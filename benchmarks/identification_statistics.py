"""Are the deviations of parameters true? python benchmarks/identification_statistics.py [--runs 500] [METHOD ...]

An arm of two links with known parameters follows a sum of sines in a PD loop, simulated. Its log gets normal noise, on
the torques for OLS, WLS and IRLS, on positions too for IDIM-IV, DIDIM and CLOE, from other seeds each time. For each
method: the mean of ((estimate - truth)/deviation)^2 over runs and parameters (1 is right), the share of 95 % intervals
that hold the truth, and the largest error in deviations of the first run.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

import symoro
from symoro.estimation.closed_loop import ControlLoop, simulated
from symoro.estimation.description import PdController
from symoro.estimation.equations import equations
from symoro.estimation.friction import Friction
from symoro.estimation.identification import sought_robot
from symoro.estimation.log import Log, log_of_arrays
from symoro.robot.formats import loads

Array = NDArray[np.float64]
ROBOT = """
symoro: 1
name: two links
base: {gravity: [0, -9.81, 0]}
frames:
  - {drive: {IA: 0.3}, link: {YY: 1.1, ZZ: 1.2, MX: 1.5, MY: 0.1, M: 3}}
  - {d: 0.8, drive: {IA: 0.1}, link: {YY: 0.3, ZZ: 0.35, MX: 0.5, MY: -0.05, M: 1.2}}
"""
KNOWN = {"ZZ1": 2.268, "MX1": 2.46, "MY1": 0.1, "ZZ2": 0.35, "MX2": 0.5, "MY2": -0.05, "IA2": 0.1}
KNOWN |= {"FV1": 2.0, "FS1": 1.5, "FO1": 0.4, "FV2": 1.0, "FS2": 0.8, "FO2": -0.2}
CONTROLLER = PdController((900.0, 400.0), (120.0, 50.0))
SECONDS, BEFORE = 4.0, 1.6
AMPLITUDES = np.array([[0.35, 0.2, 0.15, 0.1], [0.3, 0.25, 0.2, 0.12]])
PHASES = np.array([[0.3, 1.2, 2.1, 0.5], [1.1, 0.4, 2.5, 1.9]])
TORQUE_NOISE, POSITION_NOISE = np.array([0.5, 0.1]), 2e-4
SIMULATING = ("iv", "didim", "cloe")
METHODS = ("ols", "wls", "irls", *SIMULATING)


def rate(method: str) -> float:
    """Samples a second: fewer for those who simulate them again and again."""
    return 250.0 if method in SIMULATING else 1000.0


def motion(rate: float) -> tuple[Array, Array, Array]:
    """Positions, torques and reference without noise, once the start is forgotten."""
    model = equations(sought_robot(loads(ROBOT, "yaml")), "dynamic", Friction(), None)
    t = np.arange(int((SECONDS + BEFORE) * rate)) / rate
    w = 2 * np.pi * 0.4 * np.arange(1, 5)
    angle = t[:, None, None] * w + PHASES
    r, rd = (AMPLITUDES * np.sin(angle)).sum(2), (AMPLITUDES * w * np.cos(angle)).sum(2)
    loop = ControlLoop(rate, np.array(CONTROLLER.kp), np.array(CONTROLLER.kd), r, rd, r[0], rd[0])
    made = simulated(model, np.array([KNOWN[name] for name in model.names]), loop)
    first = int(BEFORE * rate)
    return made.q[0, first:], made.tau[0, first:], r[first:]


def noisy(clean: tuple[Array, Array, Array], method: str, seed: int) -> Log:
    q, tau, r = clean
    rng = np.random.default_rng(seed)
    tau = tau + TORQUE_NOISE * rng.standard_normal(tau.shape)
    q = q + (POSITION_NOISE if method in SIMULATING else 0.0) * rng.standard_normal(q.shape)
    return log_of_arrays(rate(method), q, tau, reference=r)


def normalised_errors(method: str, runs: int) -> Array:
    """(runs, parameters): errors in deviations."""
    clean, found = motion(rate(method)), []
    robot = loads(ROBOT, "yaml")
    for seed in range(runs):
        # Without noise on positions nothing is to be filtered.
        cutoff = 20.0 if method in SIMULATING else None
        estimate = symoro.identify(
            robot,
            noisy(clean, method, seed),
            method=method,
            cutoff=cutoff,
            decimation=5 if method in SIMULATING else 20,
            slow=0.02,
            controller=CONTROLLER,
        ).estimate
        truth = np.array([KNOWN[name] for name in estimate.names])
        found.append((estimate.values - truth) / estimate.deviations)
    return np.array(found)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("methods", nargs="*", default=list(METHODS))
    parser.add_argument("--runs", type=int, default=500)
    options = parser.parse_args(arguments)
    print(f"{'method':8}{'runs':>6}{'mean z^2':>10}{'covered':>9}{'worst of run 1':>16}{'bias':>7}")
    for method in options.methods:
        z = normalised_errors(method, options.runs)
        covered = float(np.mean(np.abs(z) <= 1.959963984540054))
        bias = float(np.abs(z.mean(axis=0)).max())
        print(
            f"{method:8}{len(z):6d}{np.mean(z**2):10.3f}{100 * covered:8.1f}%{np.abs(z[0]).max():16.2f}{bias:7.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
