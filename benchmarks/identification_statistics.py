"""Are the deviations of parameters true? python benchmarks/identification_statistics.py [METHOD ...]

An arm with known parameters, of two links or PUMA 560, follows a sum of sines in a PD loop, simulated. Its log gets
normal noise, on the torques for OLS, WLS and IRLS, on positions too for IDIM-IV, DIDIM and CLOE, from other seeds each
time. For each method: the mean of ((estimate - truth)/deviation)^2 over runs and parameters (1 is right), the share of
95 % intervals that hold the truth, the largest error in deviations of the first run, and the largest mean error.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import symoro
from symoro.identification.control_loop import ControlLoop, simulated
from symoro.identification.dynamic import symbolic_robot
from symoro.identification.equations import equations
from symoro.identification.friction import Friction
from symoro.identification.log import Log, log_of_arrays
from symoro.identification.log_description import PdController
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
FINE = 8
SIMULATING = ("iv", "didim", "cloe")
METHODS = ("ols", "wls", "irls", *SIMULATING)


@dataclass(frozen=True)
class Arm:
    """What is identified, its truth by column, and the experiment."""

    robot: symoro.Robot
    known: Mapping[str, float]
    controller: PdController
    centre: Array
    amplitudes: Array
    phases: Array
    frequency: float
    seconds: float
    before: float
    torque_noise: Array
    position_noise: float
    cutoff: float
    slow: float


def two_links() -> Arm:
    return Arm(
        robot=loads(ROBOT, "yaml"),
        known=KNOWN,
        controller=PdController((900.0, 400.0), (120.0, 50.0)),
        centre=np.zeros(2),
        amplitudes=np.array([[0.35, 0.2, 0.15, 0.1], [0.3, 0.25, 0.2, 0.12]]),
        phases=np.array([[0.3, 1.2, 2.1, 0.5], [1.1, 0.4, 2.5, 1.9]]),
        frequency=0.4,
        seconds=4.0,
        before=1.6,
        torque_noise=np.array([0.5, 0.1]),
        position_noise=2e-4,
        cutoff=20.0,
        slow=0.02,
    )


def puma() -> Arm:
    """PUMA 560 with its published parameters; the truth of its columns by least squares on exact torques."""
    robot, rng = symoro.load("puma560"), np.random.default_rng(560)
    model = equations(symbolic_robot(robot), "dynamic", Friction(), None)
    q, qd, qdd = rng.uniform(-2, 2, (3, 400, 6))
    tau = symoro.generate(robot, "inverse-dynamics").function()(q=q, qd=qd, qdd=qdd)["tau"]
    rows = model.parts(q, qd, qdd, tau)[1].reshape(-1, len(model.names))
    known, _, rank, _ = np.linalg.lstsq(rows, tau.ravel(), rcond=None)
    assert rank == len(known) and np.allclose(rows @ known, tau.ravel())
    inertia = np.array([4.0, 6.0, 2.0, 0.2, 0.18, 0.2])  # about, at the joints
    speed = 2 * np.pi * 10.0
    return Arm(
        robot=robot,
        known=dict(zip(model.names, known, strict=True)),
        controller=PdController(tuple(inertia * speed**2), tuple(1.4 * inertia * speed)),
        centre=np.array([0.0, -0.8, 0.8, 0.0, 0.3, 0.0]),
        amplitudes=rng.uniform(0.05, 0.3, (6, 5)),
        phases=rng.uniform(0, 2 * np.pi, (6, 5)),
        frequency=0.2,
        seconds=20.0,
        before=2.0,
        torque_noise=np.array([1.5, 2.5, 0.8, 0.08, 0.08, 0.08]),
        position_noise=5e-5,
        cutoff=40.0,
        slow=0.1,
    )


ARMS = {"two-links": two_links, "puma560": puma}


def rate(method: str) -> float:
    """Samples a second: fewer for those who simulate them again and again."""
    return 250.0 if method in SIMULATING else 1000.0


def motion(arm: Arm, rate: float) -> tuple[Array, Array, Array]:
    """Positions, torques and reference without noise, once the start is forgotten, in FINE times finer steps."""
    model = equations(symbolic_robot(arm.robot), "dynamic", Friction(), None)
    t = np.arange(int((arm.seconds + arm.before) * rate) * FINE) / (FINE * rate)
    w = 2 * np.pi * arm.frequency * np.arange(1, 1 + arm.phases.shape[1])
    angle = t[:, None, None] * w + arm.phases
    r = arm.centre + (arm.amplitudes * np.sin(angle)).sum(2)
    rd = (arm.amplitudes * w * np.cos(angle)).sum(2)
    gains = np.array(arm.controller.kp), np.array(arm.controller.kd)
    made = simulated(
        model,
        np.array([arm.known[name] for name in model.names]),
        ControlLoop(FINE * rate, *gains, r, rd, r[0], rd[0]),
    )
    picked = slice(int(arm.before * rate) * FINE, None, FINE)
    return made.q[0, picked], made.tau[0, picked], r[picked]


def noisy(arm: Arm, clean: tuple[Array, Array, Array], method: str, seed: int) -> Log:
    q, tau, r = clean
    rng = np.random.default_rng(seed)
    tau = tau + arm.torque_noise * rng.standard_normal(tau.shape)
    q = q + (arm.position_noise if method in SIMULATING else 0.0) * rng.standard_normal(q.shape)
    return log_of_arrays(rate(method), q, tau, reference=r)


def normalised_errors(arm: Arm, method: str, runs: int, model: str) -> Array:
    """(runs, parameters): errors in deviations."""
    clean, errors = motion(arm, rate(method)), []
    for seed in range(runs):
        estimate = symoro.identify(
            arm.robot,
            noisy(arm, clean, method, seed),
            method=method,
            model=model,
            cutoff=arm.cutoff if method in SIMULATING else None,  # exact positions are not filtered
            decimation=5 if method in SIMULATING else 20,
            slow=arm.slow,
            controller=arm.controller,
        ).estimate
        truth = np.array([arm.known[name] for name in estimate.names])
        errors.append((estimate.values - truth) / estimate.deviations)
    return np.array(errors)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("methods", nargs="*", default=list(METHODS))
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--arm", choices=ARMS, default="two-links")
    parser.add_argument(
        "--model", default="dynamic", help="of ols, wls and irls: dynamic, filtered, power or energy"
    )
    options = parser.parse_args(arguments)
    arm = ARMS[options.arm]()
    print(f"{'method':8}{'runs':>6}{'mean z^2':>10}{'covered':>9}{'worst of run 1':>16}{'bias':>7}")
    for method in options.methods:
        z = normalised_errors(arm, method, options.runs, options.model)
        covered = float(np.mean(np.abs(z) <= 1.959963984540054))
        bias = float(np.abs(z.mean(axis=0)).max())
        print(
            f"{method:8}{len(z):6d}{np.mean(z**2):10.3f}{100 * covered:8.1f}%{np.abs(z[0]).max():16.2f}{bias:7.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
