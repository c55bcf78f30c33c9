"""Are payloads and drive gains recovered? python benchmarks/identification_payload.py [--seeds 20]

Pinocchio's inverse dynamics computes the torques of a PUMA 560 along random sums of sines, without and with a payload.
Friction and noise are added. Each seed is one motion and one noise. Cases:

    payload       ten unknown parameters of the payload, one estimation of both logs
    weighed       the same with a weighed mass: nine parameters
    drive gains   the torque columns are currents; the gains are unknown, and of the payload all but its mass

For each case: the mean of ((estimate - truth)/deviation)^2 over seeds and payload parameters (and gains), 1 is correct;
the share of 95 % intervals that contain the truth; the largest relative deviation of a gain. For the payload also the
deviations of the common estimation relative to those of the difference of two identifications, one per log.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

import symoro
from symoro.identification.dynamic import Identification
from symoro.identification.log import Log
from symoro.robot.description import INERTIAL

Array = NDArray[np.float64]
ROBOT = "puma560"
RATE = 200.0  # samples per second
SECONDS = 30.0
NOISE = np.array([1.0, 1.5, 0.8, 0.2, 0.2, 0.15])  # N.m
FRICTION = np.array([[4.0, 8.0, 4.0, 0.6, 0.8, 0.4], [6.0, 8.0, 5.0, 1.0, 1.0, 0.8]])  # viscous, Coulomb
GAINS = np.array([37.0, 52.0, 41.0, 9.0, -8.5, 6.0])  # N.m/A
MASS, COM = 4.2, np.array([0.05, -0.03, 0.08])  # kg, m in the tool frame
INERTIA = np.array([[0.03, 0.002, -0.001], [0.002, 0.025, 0.003], [-0.001, 0.003, 0.02]])  # kg m^2, central
QUANTILE = 1.959963984540054


@cache
def arm(with_payload: bool) -> pin.Model:
    """The robot, built joint by joint from its table of parameters."""
    robot = symoro.load(ROBOT)
    numbers = dict(robot.nominal)
    model, parent = pin.Model(), 0
    model.gravity.linear = np.array([f.value(numbers) for f in robot.base.G])
    for j in range(1, robot.NL + 1):
        frame, link = robot.frame(j), robot.link(j)
        alpha, d, theta, r = (getattr(frame, name).value(numbers) for name in ("alpha", "d", "theta", "r"))
        place = pin.SE3(pin.utils.rotate("x", alpha), np.array([d, 0, 0]))
        place = place * pin.SE3(pin.utils.rotate("z", theta), np.array([0, 0, r]))
        parent = model.addJoint(parent, pin.JointModelRZ(), place, f"joint{j}")
        x = np.array([_number(getattr(link, name), numbers) for name in INERTIAL])
        com = x[6:9] / x[9] if x[9] else np.zeros(3)
        inertia = _matrix(x) + x[9] * pin.skew(com) @ pin.skew(com)
        model.appendBodyToJoint(parent, pin.Inertia(float(x[9]), com, inertia), pin.SE3.Identity())
    if with_payload:
        r = robot.tool.place.r.value(numbers) if robot.tool else 0.0
        body = pin.Inertia(MASS, COM, INERTIA)
        model.appendBodyToJoint(parent, body, pin.SE3(np.eye(3), np.array([0, 0, r])))
    rotors = [_number(robot.frame(j).IA, numbers) for j in range(1, robot.NL + 1)]
    model.armature = np.array(rotors)
    return model


def _number(formula: symoro.Formula, numbers: Mapping[str, float]) -> float:
    return formula.value({name: numbers.get(name, 0.0) for name in formula.symbols})


def _matrix(x: Array) -> Array:
    xx, xy, xz, yy, yz, zz = x[:6]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def payload_truth() -> dict[str, float]:
    """Parameters of the payload about the origin of the tool frame."""
    J = INERTIA - MASS * pin.skew(COM) @ pin.skew(COM)
    values = [J[0, 0], J[0, 1], J[0, 2], J[1, 1], J[1, 2], J[2, 2], *(MASS * COM), MASS]
    return {f"{kind}_box": float(x) for kind, x in zip(INERTIAL, values, strict=True)}


def recorded(seed: int, *, loaded: bool, currents: bool = False, payload: object = None) -> Log:
    """A log of the arm.

    Args:
        seed: of the motion and of the noise.
        loaded: whether it carries the payload.
        currents: whether the torque columns are motor currents.
        payload: what is known of the payload.
    """
    rng = np.random.default_rng([seed, loaded])
    model = arm(loaded)
    data, n = model.createData(), model.nv
    w = 2 * np.pi * 0.1 * np.arange(1, 6)
    amplitude, phase = rng.uniform(0.1, 0.4, (n, 5)), rng.uniform(0, 2 * np.pi, (n, 5))
    angle = np.arange(int(SECONDS * RATE))[:, None, None] / RATE * w + phase
    q, qd = (amplitude * np.sin(angle)).sum(2), (amplitude * w * np.cos(angle)).sum(2)
    qdd = -(amplitude * w**2 * np.sin(angle)).sum(2)
    tau = np.array([pin.rnea(model, data, *state) for state in zip(q, qd, qdd, strict=True)])
    tau += FRICTION[0] * qd + FRICTION[1] * np.sign(qd) + NOISE * rng.standard_normal(q.shape)
    return Log.from_arrays(
        rate=RATE,
        q=q,
        tau=tau / GAINS if currents else tau,
        payload=payload,
        name="with payload" if loaded else "without payload",
    )


def identified(seed: int, case: str) -> Identification:
    """The estimation of one seed: case 'payload', 'weighed' or 'drive gains'."""
    currents = case == "drive gains"
    payload = {"unknown": "box"} | ({} if case == "payload" else {"mass": MASS})
    logs = [
        recorded(seed, loaded=False, currents=currents),
        recorded(seed, loaded=True, currents=currents, payload=payload),
    ]
    options = symoro.IdentificationOptions(drive_gains="estimate" if currents else ())
    return symoro.identify(ROBOT, logs, decimation=5, slow=0.02, options=options)


def normalised_errors(result: Identification) -> Array:
    """Errors of the payload's parameters and of the gains, in deviations."""
    truth, payload = payload_truth(), result.payloads["box"]
    errors = (payload.values - np.array([truth[name] for name in payload.names])) / payload.deviations
    if result.drive_gains is None:
        return np.asarray(errors)
    gains = (result.drive_gains.values - GAINS) / result.drive_gains.deviations
    return np.concatenate([errors, gains])


def subtraction_ratio(seed: int, result: Identification) -> Array:
    """Deviations of the payload from two separate identifications relative to those of the common one, (columns,).

    The difference of the two estimates, K_with - K_without = B x, is solved for x by generalised least squares.
    """
    options = {"decimation": 5, "slow": 0.02}
    runs = [symoro.identify(ROBOT, recorded(seed, loaded=loaded), **options) for loaded in (False, True)]
    assert result.model.payloads is not None
    effect = result.model.payloads.maps[0].matrix
    changed = [k for k in range(len(effect)) if result.estimate.names[k] in result.base.names]
    covariance = sum(run.estimate.covariance[np.ix_(changed, changed)] for run in runs)
    scale = np.sqrt(np.diag(covariance))
    rows = np.linalg.solve(
        np.linalg.cholesky(covariance / np.outer(scale, scale)), effect[changed] / scale[:, None]
    )
    apart = np.sqrt(np.diag(np.linalg.inv(rows.T @ rows)))
    return np.asarray(apart / result.payloads["box"].deviations)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    options = parser.parse_args(arguments)
    print(f"{'case':14}{'seeds':>6}{'mean z^2':>10}{'covered':>9}{'bias':>7}")
    for case in ("payload", "weighed", "drive gains"):
        results = [identified(seed, case) for seed in range(options.seeds)]
        z = np.array([normalised_errors(result) for result in results])
        covered = float(np.mean(np.abs(z) <= QUANTILE))
        bias = float(np.abs(z.mean(axis=0)).max() * len(z) ** 0.5)
        print(
            f"{case:14}{len(z):6d}{np.mean(z**2):10.3f}{100 * covered:8.1f}%{bias:7.2f}",
            flush=True,
        )
        warnings = {warning.name for result in results for warning in result.warnings}
        print(f"  warnings: {', '.join(sorted(warnings)) or 'none'}")
        if case == "payload":
            ratio = subtraction_ratio(0, results[0])
            print(
                f"  deviations of two separate runs relative to the common one: {ratio.min():.2f} .. {ratio.max():.2f}"
            )
        gains = results[-1].drive_gains
        if gains is not None:
            shares = ", ".join(f"{100 * x:.2f} %" for x in gains.deviations / np.abs(gains.values))
            print(f"  relative deviations of the gains: {shares}")


if __name__ == "__main__":
    main()
