"""Results do not depend on the size, mass and speed of a robot: an experiment with other units of all quantities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symoro
from symoro.robot.formats import loads

# A revolute, a prismatic and a revolute joint; E is an inertia, F a force, T a time.
POLAR = """
symoro: 1
name: polar
base: {{gravity: [0, -{g}, 0]}}
frames:
  - {{drive: {{IA: 0.1*{E}, FV: {E}/{T}, FS: 0.8*{F}*{L}}}, link: {{ZZ: 1.2*{E}, MX: 1.5*{ML}, M: 3*{M}}}}}
  - {{joint: prismatic, alpha: -pi/2, drive: {{IA: 0.4*{M}, FV: 3*{M}/{T}, FS: 0.9*{F}}},
     link: {{XX: 0.3*{E}, YY: 0.3*{E}, ZZ: 0.3*{E}, MX: 0.4*{ML}, MZ: 0.4*{ML}, M: 2*{M}}}}}
  - {{d: 0.5*{L}, drive: {{IA: 0.05*{E}, FV: 0.3*{E}/{T}, FS: 0.2*{F}*{L}}},
     link: {{XX: 0.3*{E}, YY: 0.3*{E}, ZZ: 1.2*{E}, MX: 0.4*{ML}, MY: 0.4*{ML}, M: 2*{M}}}}}
tool: {{on: 3, d: 0.5*{L}, alpha: pi/2}}
"""
GAINS = np.array([12.0, -7.0, 3.0])
BOX: dict[str, Any] = {"mass": 1.0, "com": [0.1, 0.05, 0.1], "inertia": [0.05, 0.06, 0.07]}


def polar(L: float, M: float, T: float) -> symoro.Robot:
    force = M * L / T**2
    return loads(POLAR.format(g=9.81 * L / T**2, L=L, M=M, T=T, E=M * L**2, ML=M * L, F=force), "yaml")


def log(L: float, M: float, T: float, *, loaded: bool, payload: Any = None) -> symoro.Log:
    """Return the log of one motion in units of lengths, masses and times, with the same noise."""
    robot = polar(1, 1, 1)
    chance = np.random.default_rng(int(loaded))
    w = 2 * np.pi * 0.4 * np.arange(1, 5)
    amplitude = chance.uniform(0.05, 0.3, (3, 4))
    angle = np.arange(1500)[:, None, None] / 500 * w + chance.uniform(0, 6, (3, 4))
    q = (amplitude * np.sin(angle)).sum(2) + np.array([0, 0.6, 0])
    qd = (amplitude * w * np.cos(angle)).sum(2)
    qdd = -(amplitude * w**2 * np.sin(angle)).sum(2)
    model = symoro.generate(robot.with_payload(**BOX) if loaded else robot, "inverse-dynamics").function()
    tau = model(q=q, qd=qd, qdd=qdd)["tau"] + [0.3, 0.2, 0.05] * chance.standard_normal(q.shape)
    q = q + 1e-6 * chance.standard_normal(q.shape)
    lengths = np.array([1, L, 1])
    currents = tau * M * L**2 / lengths / T**2 / GAINS
    return symoro.Log.from_arrays(rate=500 / T, q=q * lengths, tau=currents, payload=payload)


def identified(L: float, M: float, T: float) -> symoro.Identification:
    logs = [log(L, M, T, loaded=False), log(L, M, T, loaded=True, payload={"unknown": "box", "mass": M})]
    options = symoro.IdentificationOptions(find_consistent=True, drive_gains="estimate")
    return symoro.identify(polar(L, M, T), logs, decimation=5, options=options)


def test_a_small_light_and_slow_robot_has_the_same_result() -> None:
    pytest.importorskip("cvxpy")
    pytest.importorskip("clarabel")
    L, M, T = 1e-3, 1e-6, 10.0
    usual, small = identified(1, 1, 1), identified(L, M, T)
    assert small.warnings == usual.warnings and small.verdict.level == "pass"
    for one, other in zip(usual.verdict.criteria, small.verdict.criteria, strict=True):
        assert other.name == one.name and other.value == pytest.approx(one.value, rel=1e-4, abs=1e-6)
    assert usual.drive_gains is not None and small.drive_gains is not None
    assert small.drive_gains.values == pytest.approx(usual.drive_gains.values, rel=1e-6)
    box, tiny = usual.payloads["box"], small.payloads["box"]
    assert tiny.com / L == pytest.approx(box.com, rel=1e-5) and box.com == pytest.approx(BOX["com"], abs=0.01)
    assert tiny.inertia_deviations / (M * L**2) == pytest.approx(box.inertia_deviations, rel=1e-4)
    assert usual.consistent is not None and small.consistent is not None
    assert small.consistent.total_mass / M == pytest.approx(usual.consistent.total_mass, rel=1e-3)
