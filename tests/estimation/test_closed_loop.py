"""The simulated closed loop: C against NumPy, and both against SciPy on the direct dynamic model."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicHermiteSpline

import symoro
from symoro.errors import ProgramError
from symoro.estimation import closed_loop
from symoro.estimation.closed_loop import Simulated, refined, simulated
from symoro.estimation.control_loop import ControlLoop
from symoro.estimation.equations import RowModel, equations
from symoro.estimation.friction import TERMS, Friction
from symoro.estimation.identification import sought_robot
from symoro.estimation.transmission import transmission
from symoro.robot.formats import loads
from tests.estimation.truth import TWO_LINKS, base_values, two_links

RATE, SAMPLES = 200.0, 60


def loop_along(n: int, substeps: int = 1) -> ControlLoop:
    t = np.arange(SAMPLES) / RATE
    w, shift = 2 * np.pi * np.linspace(0.7, 1.6, n), np.linspace(0.2, 2.0, n)
    r, rd = 0.6 * np.sin(np.outer(t, w) + shift), 0.6 * w * np.cos(np.outer(t, w) + shift)
    return ControlLoop(RATE, np.full(n, 300.0), np.full(n, 30.0), r, rd, r[0] + 0.02, rd[0], substeps)


def in_numpy(monkeypatch: pytest.MonkeyPatch, model: RowModel, K: np.ndarray, loop: ControlLoop) -> Simulated:
    with monkeypatch.context() as patch:
        patch.setattr(closed_loop, "driver", lambda _: None)
        return simulated(model, K, loop)


@pytest.mark.parametrize("substeps", [1, 3])
@pytest.mark.parametrize("left_out", [(), ("FS1", "FVM1", "FB2")])
def test_c_is_its_twin_in_numpy(
    monkeypatch: pytest.MonkeyPatch, substeps: int, left_out: tuple[str, ...]
) -> None:
    """With every kind of friction and coupled motors, where they are sought and where they are left out."""
    gear = transmission([20.0, 15.0], {1: {2: 4.0}})
    model = equations(sought_robot(two_links("0.3")), "dynamic", Friction(tuple(TERMS)), gear, left_out)
    assert closed_loop.driver(model) is not None
    rng = np.random.default_rng(4)
    K = np.where(np.char.startswith(np.array(model.names), "F"), 0.3, 0.02) * rng.uniform(
        0.5, 1, len(model.names)
    )
    K[[model.names.index(name) for name in ("ZZ1", "ZZ2")]] = 2.0, 0.7
    K = np.stack([K, 1.2 * K])
    native = simulated(model, K, loop_along(2, substeps))
    numpy = in_numpy(monkeypatch, model, K, loop_along(2, substeps))
    for name in ("q", "qd", "qdd", "tau"):
        assert getattr(native, name) == pytest.approx(getattr(numpy, name), abs=1e-9, rel=1e-9)


def test_it_is_the_motion_of_the_direct_dynamic_model() -> None:
    """Without dry friction, against SciPy; the error is that of steps of 5 ms at the speed of the loop."""
    robot = loads(re.sub(r"FS: [0-9.]+", "FS: 0", TWO_LINKS), "yaml")
    model = equations(sought_robot(robot), "dynamic", Friction(), None)
    known = base_values(robot)
    forward = symoro.generate(robot, "direct-dynamics").function()
    loop = loop_along(2)
    t = np.arange(SAMPLES) / RATE
    r = CubicHermiteSpline(t, loop.reference, loop.reference_rate)

    def law(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return loop.kp * (r(t) - q) + loop.kd * (r(t, 1) - qd)

    def slope(t: float, x: np.ndarray) -> np.ndarray:
        return np.concatenate([x[2:], forward(q=x[:2], qd=x[2:], tau=law(t, x[:2], x[2:]))["qdd"]])

    start = np.concatenate([loop.start, loop.start_rate])
    exact = solve_ivp(slope, (0, t[-1]), start, "DOP853", t, rtol=1e-11, atol=1e-12).y.T
    values = np.array([known[name] for name in model.names])
    errors = []
    for substeps in (1, 2):
        made = simulated(model, values, loop_along(2, substeps))
        errors.append(np.abs(np.hstack([made.q[0], made.qd[0]]) - exact).max())
        assert made.tau[0] == pytest.approx(
            np.array([law(*x) for x in zip(t, made.q[0], made.qd[0], strict=True)]), abs=1e-9
        )
    assert errors[0] < 1e-3
    assert errors[1] < errors[0] / 10  # of fourth order: a sixteenth


def test_steps_shorten_where_dry_friction_would_shake_a_joint() -> None:
    robot = two_links()
    model = equations(sought_robot(robot), "dynamic", Friction(), None)
    known = base_values(robot)
    few, many = (
        refined(model, np.array([known[name] for name in model.names]), loop_along(2)).substeps
        for known in (known, known | {"FS2": 20.0})
    )
    assert 1 <= few < many <= closed_loop.MOST_SUBSTEPS
    none = np.array([0.0 if name.startswith("FS") else known[name] for name in model.names])
    assert refined(model, none, loop_along(2)).substeps == 1


def test_motion_that_does_not_stay_finite_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    model = equations(sought_robot(two_links()), "dynamic", Friction(), None)
    K = np.zeros(len(model.names))
    for run in (
        lambda: simulated(model, K, loop_along(2)),
        lambda: in_numpy(monkeypatch, model, K, loop_along(2)),
    ):
        with pytest.raises(ProgramError, match="does not stay finite"):
            run()
