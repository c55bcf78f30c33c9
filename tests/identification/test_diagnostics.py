"""Each warning in a case in which it is correct, and in one in which it stays silent."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.identification import Measurements, calibrate, log_of_arrays
from symoro.identification.base_diagnostics import base_warnings as floating_base_warnings
from symoro.identification.consistent import Consistent
from symoro.identification.diagnostics import DIAGNOSTICS, DiagnosticWarning, warning
from symoro.identification.drive_gains import DriveGains, gain_warnings
from symoro.identification.estimate_diagnostics import consistency_warnings, method_warnings
from symoro.identification.geometric import CalibrationTask, GeometricFit, best_fit, best_of
from symoro.identification.geometric_diagnostics import base_warnings
from symoro.identification.log_diagnostics import motion_warnings
from symoro.identification.regression import Estimate, Residual, Residuals
from symoro.identification.signals import Preparation
from symoro.robot.formats import loads
from tests.identification.loops import LoopMotion, fivebar_motion, fivebar_posture
from tests.identification.test_geometric_diagnostics import millimetres, sound
from tests.identification.test_motion_diagnostics import hardly
from tests.identification.test_sampling import log as sampled_log
from tests.identification.test_torque_diagnostics import identified, lagging, scaled, swapped
from tests.identification.truth import smooth, two_links

Warnings = Iterable[DiagnosticWarning]
DOCS = Path(__file__).parents[2] / "docs"
ONE_JOINT = "symoro: 1\nname: one\nframes:\n  - {link: {ZZ: 1, M: 1}}\n"


@cache
def two(
    *,
    q: float = 1.0,
    qd: float | None = None,
    tau: float = 1.0,
    rate: float = 1.0,
    noise: float = 1.0,
    limit: float = 1.0,
) -> Warnings:
    """Of a log of the two links whose numbers are these factors too large; `limit` is a share of the largest torque."""
    t = smooth(two_links())
    torque = t.tau + noise * np.array([0.5, 0.1]) * np.random.default_rng(0).standard_normal(t.tau.shape)
    largest = limit * np.abs(torque).max(axis=0)
    torque, velocity = np.clip(torque, -largest, largest), None if qd is None else qd * t.qd
    return symoro.identify(
        two_links(), log_of_arrays(rate * t.rate, q * t.q, tau * torque, velocity=velocity), decimation=4
    ).warnings


def vertical(factor: float) -> Warnings:
    """Of a joint about a vertical axis, whose torques do not determine the unit of its position."""
    t = np.arange(4000)[:, None] / 500
    q, qd, qdd = np.sin(2 * t), 2 * np.cos(2 * t), -4 * np.sin(2 * t)
    tau = 3 * qdd + 0.5 * qd + np.sign(qd)
    return symoro.identify(
        loads(ONE_JOINT, "yaml"), log_of_arrays(500, factor * q, tau), decimation=4
    ).warnings


def ranges(second: float) -> Warnings:
    t = np.arange(4000)[:, None] / 1000
    q = np.hstack([np.sin(5 * t), second * np.sin(7 * t)])
    return motion_warnings([log_of_arrays(1000.0, q, q)], two_links(), Preparation())


@cache
def bars(side: float) -> LoopMotion:
    return fivebar_motion(side, 500)


def assembled(posture: float) -> Warnings:
    return symoro.identify(
        "fivebar", bars(1.0).log(), options=symoro.IdentificationOptions(posture=fivebar_posture(posture))
    ).warnings


def second_log(noise: float) -> Warnings:
    """Of a second log without a posture, its torques with noise."""
    first, second = bars(1.0), bars(-1.0)
    tau = second.tau + noise * np.random.default_rng(0).standard_normal(second.tau.shape)
    other = log_of_arrays(500.0, second.q, tau, velocity=second.qd, acceleration=second.qdd)
    return symoro.identify(
        "fivebar", [first.log(), other], options=symoro.IdentificationOptions(posture=fivebar_posture(1.0))
    ).warnings


@cache
def replaced(change: Callable[[np.ndarray], np.ndarray], robot: str = "planar2r") -> Warnings:
    return identified(robot, change).warnings


def unchanged(tau: np.ndarray) -> np.ndarray:
    return tau


def random_walk(tau: np.ndarray) -> np.ndarray:
    """The fourth column belongs to no joint."""
    walk = np.cumsum(np.random.default_rng(0).standard_normal(len(tau)))
    return np.column_stack([tau[:, :3], walk, tau[:, 4:]])


def sampled(*given: float, **options: Any) -> Warnings:
    return symoro.identify(two_links(), sampled_log(*given), **options).warnings


def loaded(model: str) -> Warnings:
    t = smooth(two_links())
    log = log_of_arrays(t.rate, t.q, t.tau, velocity=t.qd, acceleration=t.qdd)
    return symoro.identify(
        two_links(),
        log,
        friction=["viscous", "coulomb", "load"],
        options=symoro.IdentificationOptions(model=model),
    ).warnings


def of_method(method: str, freedom: int) -> Warnings:
    estimate = Estimate(method, ("ZZ1", "FV1"), np.ones(2), np.eye(2), np.ones(1), freedom)
    return method_warnings(SimpleNamespace(names=estimate.names, kind="dynamic"), estimate, None)  # type: ignore[arg-type]


def constrained(relative: float) -> Warnings:
    fit = Residual(10, 0.1, np.ones(1), np.ones(1))
    estimate = Estimate("WLS", ("ZZ1",), np.ones(1), np.eye(1), np.ones(1), 8)
    return consistency_warnings(
        estimate, Residuals(fit, fit), Consistent({}, np.ones(1), {}, relative, 1.0, 3)
    )


@cache
def puma(**errors: float) -> tuple[symoro.Robot, Measurements]:
    return sound("puma560", **errors)


@cache
def calibrated(change: str = "", noise: float = 0.0, **errors: float) -> Warnings:
    """Of a PUMA 560 with these errors; the measurements changed, the noise given for lengths."""
    robot, measured = puma(**errors)
    if change:
        measured = {"millimetres": millimetres, "geared": geared}[change](measured)
    given = {"length": noise, "angle": 1e-4} if noise else None
    return calibrate(robot, measured, noise=given).warnings


def geared(m: Measurements) -> Measurements:
    return replace(m, q=m.q * [1, 1, 1.05, 1, 1, 1])


@cache
def fitted() -> GeometricFit:
    robot, measured = puma()
    known = {"to": None, "known_base": False, "known_tool": False, "gains": False}
    task = CalibrationTask(robot, measured, known, np.zeros(3), np.array([0.0, 0.0, 1.0, 0.0]))
    return best_fit(task, {"length": 1e-4, "angle": 1e-4})


def two_fits(shift: float) -> Warnings:
    """Of two fits whose bases differ by a shift along x, each as good on its own measurements."""
    first = fitted()
    moved = np.eye(4)
    moved[0, 3] = shift
    poses = replace(first.work.measured, poses=moved @ first.work.measured.poses)
    chain = replace(first.work.chain, start=moved @ first.work.chain.start)
    second = replace(first, work=replace(first.work, chain=chain, measured=poses))
    return base_warnings(best_of([first, second]).rivals)


def gain_share(share: float) -> Warnings:
    """Of a drive gain with this relative deviation."""
    return gain_warnings(
        DriveGains(("1",), np.array([5.0]), np.array([[(5.0 * share) ** 2]]), np.zeros((0, 1)))
    )


def of_base(quantity: str, factor: float) -> Warnings:
    """Of a floating body whose orientation, angular velocity and specific force contradict each other."""
    t = np.arange(400) / 100
    turn = 0.4 * np.sin(3 * t)  # about the vertical axis
    zero = np.zeros_like(t)
    base = {
        "orientation": np.column_stack([np.cos(turn / 2), zero, zero, np.sin(turn / 2)]),
        "angular_velocity": np.column_stack([zero, zero, 1.2 * np.cos(3 * t)]),
        "specific_force": np.column_stack([zero, zero, zero + 9.81]),
    }
    base[quantity] = factor * base[quantity]
    log = symoro.Log.from_arrays(rate=100, q=turn[:, None], base=base, contacts={0: np.zeros((400, 3))})
    return tuple(floating_base_warnings([log], np.array([0.0, 0.0, -9.81])))


def at_times(jitter: float) -> Warnings:
    """Of a log whose samples were taken with jitter, a share of the period."""
    t = smooth(two_links(), 2000)
    even = np.arange(2000) / t.rate
    stamps = even + jitter / t.rate * np.random.default_rng(0).uniform(-1, 1, 2000)
    return symoro.identify(
        two_links(), symoro.Log.from_arrays(t=stamps, q=t.q, tau=t.tau), decimation=10
    ).warnings


CASES: dict[str, tuple[Callable[[], Warnings], Callable[[], Warnings]]] = {
    "uneven-times": (lambda: at_times(0.2), lambda: at_times(0.004)),
    "derivative-mismatch": (lambda: two(qd=180 / np.pi), lambda: two(qd=1.0)),
    "base-rotation": (
        lambda: of_base("angular_velocity", 180 / np.pi),
        lambda: of_base("angular_velocity", 1.1),
    ),
    "specific-force": (lambda: of_base("specific_force", 1.5), lambda: of_base("specific_force", 1.2)),
    "position-unit": (lambda: two(q=180 / np.pi), two),
    "wound-up-joint": (lambda: vertical(180 / np.pi), lambda: vertical(1.0)),
    "time-unit": (lambda: two(rate=100.0), two),
    "slow-joint": (
        lambda: symoro.identify(two_links(), hardly(0.1, moves=0.5), decimation=20).warnings,
        lambda: symoro.identify(two_links(), hardly(0.1, moves=0.5), decimation=20, slow=5e-3).warnings,
    ),
    "saturated-torque": (lambda: two(limit=0.7), lambda: two(limit=1.0)),
    "short-motion": (lambda: ranges(1e-4), lambda: ranges(0.1)),
    "other-assembly": (lambda: assembled(-1.0), lambda: assembled(1.0)),
    "unknown-assembly": (lambda: second_log(100.0), lambda: second_log(0.0)),
    "unexplained-torques": (lambda: two(noise=1e4), two),
    "negative-parameter": (lambda: two(tau=-1.0), two),
    "torque-unit": (lambda: two(tau=1000.0), two),
    "torque-factor": (lambda: replaced(scaled(2, -1.0)), lambda: replaced(unchanged)),
    "inconsistent-torques": (lambda: replaced(swapped(2, 3), "ur5e"), lambda: replaced(unchanged, "ur5e")),
    "unexplained-joint": (lambda: replaced(random_walk, "ur5e"), lambda: replaced(unchanged, "ur5e")),
    "torque-delay": (
        lambda: lagging(0.015, 0, decimation=8)[0].warnings,
        lambda: lagging(0.0, 0, decimation=8)[0].warnings,
    ),
    "sampling-rate": (lambda: sampled(20.0, 1.0), lambda: sampled(50.0, 1.0)),
    "position-noise": (
        lambda: sampled(1000.0, 0.4, 1.0, 1e-4, slow=0.05),
        lambda: sampled(1000.0, 0.4, 1.0, 1e-4, slow=0.05, cutoff=20.0, decimation=20),
    ),
    "low-pass": (lambda: sampled(20.0, 1.0, cutoff=4.0), lambda: sampled(50.0, 1.0, cutoff=16.5)),
    "measured-load": (lambda: loaded("power"), lambda: loaded("dynamic")),
    "total-least-squares": (
        lambda: sampled(1000.0, 0.4, 1.0, 1e-3, method="tls", slow=0.05, decimation=4, cutoff=20.0),
        lambda: sampled(200.0, 0.4, 1.0, method="tls", slow=0.05, decimation=4),
    ),
    "few-rows": (lambda: of_method("DIDIM", 9), lambda: of_method("DIDIM", 10)),
    "uncertain-drive-gain": (lambda: gain_share(0.21), lambda: gain_share(0.19)),
    "constraints-explain-more": (lambda: constrained(0.09), lambda: constrained(0.11)),
    "large-residual": (lambda: calibrated(length=0.05), calibrated),
    "large-correction": (lambda: calibrated(theta4=0.4), calibrated),
    "distant-base": (lambda: calibrated(TX0=100.0, RX0=2.0), lambda: calibrated(TX0=3.0, RX0=2.0)),
    "misread-data": (lambda: calibrated("millimetres"), calibrated),
    "joint-gains": (lambda: calibrated("geared"), calibrated),
    "residual-above-noise": (
        lambda: calibrated(noise=1e-6),
        lambda: calibrated(noise=1e-4),
    ),
    "ambiguous-base": (lambda: two_fits(0.5), lambda: two_fits(0.0)),
}


def test_every_warning_has_a_case_and_a_row_in_the_documentation() -> None:
    assert set(CASES) == set(DIAGNOSTICS)
    pages = "".join(
        (DOCS / name).read_text(encoding="utf-8") for name in ("identification.md", "calibration.md")
    )
    assert all(f"| `{name}` |" in pages for name in DIAGNOSTICS)


@pytest.mark.parametrize("name", DIAGNOSTICS)
def test_a_warning_is_reported_where_it_is_correct_and_only_there(name: str) -> None:
    present, silent = CASES[name]
    lines = [line for line in present() if line.name == name]
    assert lines and not any("{" in line for line in lines)
    assert [line for line in silent() if line.name == name] == []


def test_a_warning_is_its_text_and_keeps_its_name() -> None:
    line = warning("time-unit", joint=1, velocity=3.0, unit="m/s")
    assert isinstance(line, str) and line.startswith("joint 1 oscillates at 3 m/s")
    assert copy(line).name == line.in_log("first").name == "time-unit"
    assert line.in_log("first").startswith("first: joint 1")
