"""Are the deviations of parameters true for logs as recorded? python benchmarks/identification_logs.py [--logs 20]

Pinocchio's articulated-body algorithm and a Runge-Kutta integrator move an arm with three joints, friction and a PD
controller along random sums of sines. Each log has time stamps with 20 % of jitter, three gaps, torques that are noisy
and 15 ms late, and its own seed. Either the samples are taken at the stamps, or evenly with wrong stamps; the delay is
given or estimated. For each case: the mean of ((estimate - truth)/deviation)^2 over logs and parameters (1 is correct),
the share of 95 % intervals that contain the truth, and the largest mean error.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray
from scipy.interpolate import make_interp_spline

import symoro
from symoro.identification.dynamic import symbolic_robot
from symoro.identification.equations import equations
from symoro.identification.friction import Friction
from symoro.identification.log import Log
from symoro.robot.formats import loads

Array = NDArray[np.float64]
ROBOT = """
symoro: 1
name: three links
base: {gravity: [0, 0, -9.81]}
frames:
  - {r: 0.4, drive: {IA: 0.3, FV: 2.0, FS: 1.5, FO: 0.3}, link: {XX: 0.4, YY: 0.3, ZZ: 0.5, MX: 0.2, MY: 0.1, M: 6}}
  - {alpha: -pi/2, drive: {IA: 0.2, FV: 1.5, FS: 1.2, FO: -0.2},
     link: {XX: 0.1, YY: 0.9, ZZ: 0.95, XY: 0.02, MX: 1.8, MY: 0.1, MZ: 0.2, M: 6}}
  - {d: 0.5, drive: {IA: 0.1, FV: 0.8, FS: 0.6, FO: 0.1},
     link: {XX: 0.05, YY: 0.3, ZZ: 0.32, YZ: 0.01, MX: 0.5, MY: -0.05, MZ: 0.1, M: 2}}
"""
RATE = 250.0  # samples per second
STEPS = 4  # steps of the integrator per sample
SECONDS = 20.0
JITTER = 0.2  # relative to the period
GAPS = 3
DELAY = 0.015  # s
NOISE = np.array([0.6, 0.9, 0.3])  # N.m
GAINS = np.array([600.0, 900.0, 200.0]), np.array([60.0, 80.0, 15.0])


def pinocchio_model(robot: symoro.Robot) -> pin.Model:
    """The same arm, built joint by joint."""
    model = pin.Model()
    model.gravity.linear = np.array([0, 0, -9.81])
    parent = 0
    for j in range(1, robot.NL + 1):
        frame, link = robot.frame(j), robot.link(j)
        turn = pin.SE3(
            pin.utils.rotate("x", frame.alpha.number or 0.0), np.array([frame.d.number or 0.0, 0, 0])
        )
        place = turn * pin.SE3(np.eye(3), np.array([0, 0, frame.r.number or 0.0]))
        parent = model.addJoint(parent, pin.JointModelRZ(), place, f"joint{j}")
        mass, first = link.M.number, np.array([link.MX.number, link.MY.number, link.MZ.number], dtype=float)
        xx, xy, xz, yy, yz, zz = (getattr(link, name).number for name in ("XX", "XY", "XZ", "YY", "YZ", "ZZ"))
        about_origin = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], dtype=float)
        com = first / mass
        central = about_origin + mass * pin.skew(com) @ pin.skew(com)
        model.appendBodyToJoint(parent, pin.Inertia(mass, com, central), pin.SE3.Identity())
    model.armature = np.array([robot.frame(j).IA.number for j in range(1, robot.NL + 1)], dtype=float)
    return model


def truth(robot: symoro.Robot, model: pin.Model) -> dict[str, float]:
    """Base parameters, by least squares on torques of Pinocchio at random states."""
    rows_of = equations(symbolic_robot(robot), "dynamic", Friction(), None)
    q, qd, qdd = np.random.default_rng(0).uniform(-2, 2, (3, 200, robot.NL))
    data = model.createData()
    tau = np.array([pin.rnea(model, data, *state) for state in zip(q, qd, qdd, strict=True)])
    tau += friction(robot, qd)
    rows = rows_of.parts(q, qd, qdd, tau)[1].reshape(-1, len(rows_of.names))
    known, _, rank, _ = np.linalg.lstsq(rows, tau.ravel(), rcond=None)
    assert rank == len(known) and np.allclose(rows @ known, tau.ravel())
    return dict(zip(rows_of.names, known, strict=True))


def friction(robot: symoro.Robot, qd: Array) -> Array:
    FV, FS, FO = (
        np.array([getattr(robot.frame(j), name).number for j in range(1, robot.NL + 1)], dtype=float)
        for name in ("FV", "FS", "FO")
    )
    return FV * qd + FS * np.sign(qd) + FO


def motion(robot: symoro.Robot, model: pin.Model, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """Times, positions and torques of the controlled arm, in steps of the integrator."""
    n, data = robot.NL, model.createData()
    w = 2 * np.pi * 0.15 * np.arange(1, 7)
    amplitude, phase = rng.uniform(0.1, 0.35, (n, 6)), rng.uniform(0, 2 * np.pi, (n, 6))
    kp, kd = GAINS

    def law(t: float, q: Array, qd: Array) -> Array:
        r = (amplitude * np.sin(w * t + phase)).sum(1)
        rd = (amplitude * w * np.cos(w * t + phase)).sum(1)
        return kp * (r - q) + kd * (rd - qd)

    def slope(t: float, x: Array) -> Array:
        q, qd = x[:n], x[n:]
        return np.concatenate([qd, pin.aba(model, data, q, qd, law(t, q, qd) - friction(robot, qd))])

    h, count = 1 / (RATE * STEPS), int((SECONDS + 1) * RATE * STEPS)
    x = np.concatenate([(amplitude * np.sin(phase)).sum(1), (amplitude * w * np.cos(phase)).sum(1)])
    states = np.empty((count, 2 * n))
    for k in range(count):
        states[k], t = x, k * h
        a = slope(t, x)
        b = slope(t + h / 2, x + h / 2 * a)
        c = slope(t + h / 2, x + h / 2 * b)
        x = x + h / 6 * (a + 2 * b + 2 * c + slope(t + h, x + h * c))
    times = h * np.arange(count)
    tau = np.array([law(t, s[:n], s[n:]) for t, s in zip(times, states, strict=True)])
    return times, states[:, :n], tau


def recorded(
    robot: symoro.Robot, model: pin.Model, seed: int, at_stamps: bool, position_noise: float = 0.0
) -> Log:
    """A log with jitter, gaps and late noisy torques.

    Args:
        robot, model: the arm.
        seed: of the motion, the noise, the jitter and the gaps.
        at_stamps: whether the samples are taken at the jittered stamps, or evenly.
        position_noise: standard deviation in rad.
    """
    rng = np.random.default_rng(seed)
    fine, q, tau = motion(robot, model, rng)
    even = 0.5 + np.arange(int(SECONDS * RATE)) / RATE
    stamps = even + (JITTER / RATE) * rng.uniform(-1, 1, len(even))
    taken = stamps if at_stamps else even
    keep = np.ones(len(even), dtype=bool)
    for start in rng.choice(np.arange(1, 9), GAPS, replace=False) / 10 * len(even):
        keep[int(start) : int(start) + int(rng.integers(10, 100))] = False
    positions = make_interp_spline(fine, q, 5)(taken)
    positions += position_noise * rng.standard_normal(positions.shape)
    torques = make_interp_spline(fine, tau, 3)(taken - DELAY) + NOISE * rng.standard_normal(positions.shape)
    return Log.from_arrays(t=stamps[keep], q=positions[keep], tau=torques[keep])


def normalised_errors(
    robot: symoro.Robot, log: Log, known: Mapping[str, float], delay: float | str | None = DELAY
) -> Array:
    """Errors of the parameters in deviations (P,)."""
    options = symoro.IdentificationOptions(delay=delay)
    estimate = symoro.identify(robot, log, decimation=5, slow=0.05, options=options).estimate
    errors = estimate.values - np.array([known[name] for name in estimate.names])
    return np.asarray(errors / estimate.deviations)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logs", type=int, default=20)
    parser.add_argument("--position-noise", type=float, default=0.0, help="standard deviation in rad")
    options = parser.parse_args(arguments)
    robot = loads(ROBOT, "yaml")
    model = pinocchio_model(robot)
    known = truth(robot, model)
    print(f"{'samples':12}{'delay':>10}{'logs':>6}{'mean z^2':>10}{'covered':>9}{'bias':>7}")
    for at_stamps in (True, False):
        logs = [
            recorded(robot, model, seed, at_stamps, options.position_noise) for seed in range(options.logs)
        ]
        kinds = {log.resampling.kind for log in logs if log.resampling is not None}
        assert kinds == {"stamps" if at_stamps else "even"} and all(
            len(log.segments) == GAPS + 1 for log in logs
        )
        for delay in (DELAY, "estimate"):
            z = np.array([normalised_errors(robot, log, known, delay) for log in logs])
            covered = float(np.mean(np.abs(z) <= 1.959963984540054))
            bias = float(np.abs(z.mean(axis=0)).max())
            name = "at stamps" if at_stamps else "even"
            print(
                f"{name:12}{delay:>10}{len(z):6d}{np.mean(z**2):10.3f}{100 * covered:8.1f}%{bias:7.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
