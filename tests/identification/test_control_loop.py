"""The simulated closed loop: C against NumPy, and both against SciPy on the direct dynamic model."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import symoro
from symoro.errors import OptionError, ProgramError
from symoro.expr.formula import formula
from symoro.identification import control_loop, output_error
from symoro.identification.control_loop import ControlLoop, Simulated, direct_dynamics, simulated
from symoro.identification.dynamic import symbolic_robot
from symoro.identification.equations import RowModel, equations
from symoro.identification.friction import TERMS, Friction
from symoro.identification.log_description import transmission
from symoro.robot.description import INERTIAL
from symoro.robot.formats import loads
from tests.identification.truth import TWO_LINKS, base_values, truth, two_links

RATE, SAMPLES = 200.0, 60
ONE_LINK = """
symoro: 1
name: one link
base: {gravity: [0, 0, 0]}
frames:
  - {link: {ZZ: 0.5}}
"""


def sines(t: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    w, shift = 2 * np.pi * np.linspace(0.7, 1.6, n), np.linspace(0.2, 2.0, n)
    angle = np.multiply.outer(t, w) + shift
    return 0.6 * np.sin(angle), 0.6 * w * np.cos(angle)


def loop_along(n: int, parts: int = 1, finer: int = 1) -> ControlLoop:
    r, rd = sines(np.arange((SAMPLES - 1) * finer + 1) / (finer * RATE), n)
    return ControlLoop(finer * RATE, np.full(n, 300.0), np.full(n, 30.0), r, rd, r[0] + 0.02, rd[0], 1, parts)


def in_numpy(monkeypatch: pytest.MonkeyPatch, model: RowModel, K: np.ndarray, loop: ControlLoop) -> Simulated:
    with monkeypatch.context() as patch:
        patch.setattr(control_loop, "driver", lambda _: None)
        return simulated(model, K, loop)


CARRIED = "tool: {on: 2, r: 0.1, d: 0.2, alpha: 0.4}\npayload: {M: 2, MZ: 0.1, XX: 0.1, YY: 0.1, ZZ: 0.02}\n"


@pytest.mark.parametrize("parts", [1, 5])
@pytest.mark.parametrize(
    ("left_out", "carried"), [((), ""), (("FS1", "FVM1", "FB2"), ""), ((), CARRIED)], ids=["", "left", "load"]
)
def test_c_is_its_twin_in_numpy(
    monkeypatch: pytest.MonkeyPatch, parts: int, left_out: tuple[str, ...], carried: str
) -> None:
    """With every kind of friction, coupled motors and a payload, both estimated and left out."""
    gear = transmission([20.0, 15.0], {1: {2: 4.0}})
    robot = loads(TWO_LINKS.replace("{d: 0.8,", "{d: 0.8, alpha: 0.3,") + carried, "yaml")
    model = equations(symbolic_robot(robot), "dynamic", Friction(tuple(TERMS), (0.05, 0.3)), gear, left_out)
    assert (model.known is not None) == bool(carried)
    assert control_loop.driver(model) is not None
    rng = np.random.default_rng(4)
    K = np.where(np.char.startswith(np.array(model.names), "F"), 0.3, 0.02) * rng.uniform(
        0.5, 1, len(model.names)
    )
    K[[model.names.index(name) for name in ("ZZ1", "ZZ2")]] = 2.0, 0.7
    K = np.stack([K, 1.2 * K])
    native = simulated(model, K, loop_along(2, parts))
    numpy = in_numpy(monkeypatch, model, K, loop_along(2, parts))
    for name in ("q", "qd", "qdd", "tau"):
        assert getattr(native, name) == pytest.approx(getattr(numpy, name), abs=1e-9, rel=1e-9)


def test_it_is_the_motion_of_the_direct_dynamic_model() -> None:
    """Without dry friction, against SciPy; the error is that of steps of 5 ms at the speed of the loop."""
    robot = loads(re.sub(r"FS: [0-9.]+", "FS: 0", TWO_LINKS), "yaml")
    model = equations(symbolic_robot(robot), "dynamic", Friction(), None)
    known = base_values(robot)
    forward = symoro.generate(robot, "direct-dynamics").function()
    loop, t = loop_along(2), np.arange(SAMPLES) / RATE

    def law(t: np.ndarray, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        r, rd = sines(t, 2)
        return loop.kp * (r - q) + loop.kd * (rd - qd)

    def slope(t: float, x: np.ndarray) -> np.ndarray:
        tau = law(np.array(t), x[:2], x[2:])
        return np.concatenate([x[2:], forward(q=x[:2], qd=x[2:], tau=tau)["qdd"]])

    start = np.concatenate([loop.start, loop.start_rate])
    exact = solve_ivp(slope, (0, t[-1]), start, "DOP853", t, rtol=1e-11, atol=1e-12).y.T
    values = np.array([known[name] for name in model.names])
    errors = []
    for finer in (1, 2):
        made = simulated(model, values, loop_along(2, finer=finer))
        q, qd, tau = (array[0, ::finer] for array in (made.q, made.qd, made.tau))
        errors.append(np.abs(np.hstack([q, qd]) - exact).max())
        assert tau == pytest.approx(law(t, q, qd), abs=1e-9)
    assert errors[0] < 1e-3
    assert errors[1] < errors[0] / 10  # of fourth order: a sixteenth


def test_a_payload_is_simulated_as_a_part_of_its_link() -> None:
    """The same motion as that of links which hold the payload themselves."""
    loaded = loads(
        re.sub(r"FS: [0-9.]+", "FS: 0", TWO_LINKS) + "tool: {on: 2}\n" + CARRIED[CARRIED.index("payload") :],
        "yaml",
    )
    assert loaded.payload is not None
    link, more = loaded.link(2), loaded.payload
    summed = {n: formula((getattr(link, n).number or 0) + (getattr(more, n).number or 0)) for n in INERTIAL}
    whole = loaded.replace(payload=None, links=(loaded.link(1), replace(link, **summed)))
    motions = []
    for robot in (loaded, whole):
        model = equations(symbolic_robot(robot), "dynamic", Friction(), None)
        known = base_values(robot)
        motions.append(simulated(model, np.array([known[name] for name in model.names]), loop_along(2)))
    assert motions[0].q == pytest.approx(motions[1].q, abs=1e-9)
    assert motions[0].qdd == pytest.approx(motions[1].qdd, abs=1e-7)


def test_a_joint_stopped_by_friction_stays_at_rest() -> None:
    """The reference stops; the remaining control torque is below dry friction, so the joint is at rest."""
    model = equations(symbolic_robot(loads(ONE_LINK, "yaml")), "dynamic", Friction(("coulomb",)), None)
    K = np.array([{"ZZ1": 0.5, "FS1": 4.0}.get(name, 0.0) for name in model.names])
    t = np.arange(400) / RATE
    r, rd = np.minimum(t, 0.5)[:, None], (t < 0.5)[:, None].astype(float)
    off = {}
    for parts in (1, 64):
        loop = ControlLoop(RATE, np.array([50.0]), np.array([10.0]), r, rd, r[0], rd[0], 1, parts)
        made = simulated(model, K, loop)
        off[parts] = np.abs(made.qd[0, 300:]).max()
        assert np.abs(made.tau[0, 300:]).max() < 4.0
    assert off[64] < off[1] / 20 and off[64] < 2 * 4.0 / 0.5 / RATE / 64


def test_motion_that_does_not_stay_finite_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    model = equations(symbolic_robot(two_links()), "dynamic", Friction(), None)
    K = np.zeros(len(model.names))
    for run in (
        lambda: simulated(model, K, loop_along(2)),
        lambda: in_numpy(monkeypatch, model, K, loop_along(2)),
    ):
        with pytest.raises(ProgramError, match="simulated closed loop diverges"):
            run()


COUPLED = "  - {d: 0.4, link: {ZZ: 0.1, MX: 0.2, M: 0.7}, coupled: {joints: {2: -2}}}\n"


@pytest.mark.parametrize(
    ("robot", "left_out"),
    [
        (two_links(), ()),
        (two_links("0.7"), ("FS1", "FO2", "MY2")),
        (loads(TWO_LINKS + COUPLED, "yaml"), ()),
        (symoro.load("puma560"), ("IA6",)),
        (symoro.load("scara"), ()),
    ],
    ids=["planar", "twisted", "coupled", "puma560", "scara"],
)
def test_the_direct_dynamic_model_takes_the_place_of_the_regressor(
    robot: symoro.Robot, left_out: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Several parameters at once, in parallel, each as by itself in NumPy."""
    model = equations(symbolic_robot(robot), "dynamic", Friction(), None, left_out)
    assert direct_dynamics(model) is not None
    rng = np.random.default_rng(0)
    inertias = ("ZZ", "IA", "M", "FV")
    size = np.array([3.0 if name.rstrip("0123456789") in inertias else 0.1 for name in model.names])
    K = size * rng.uniform(0.9, 1.1, (3, len(model.names)))
    loop = loop_along(len(model.labels), parts=2)
    result, expected = simulated(model, K, loop), in_numpy(monkeypatch, model, K, loop)
    for one, other in ((result.q, expected.q), (result.qd, expected.qd), (result.tau, expected.tau)):
        assert np.abs(one - other).max() < 1e-8 * np.abs(other).max()
    alone = simulated(model, K[1], loop)
    assert np.array_equal(alone.q[0], result.q[1])


def test_columns_that_a_robot_does_not_have_are_simulated_by_the_regressor() -> None:
    robot = symbolic_robot(two_links())
    for friction, gear in (
        (Friction(("viscous", "load")), None),
        (Friction(), transmission((1, 1), {2: {1: 1}})),
    ):
        assert direct_dynamics(equations(robot, "dynamic", friction, gear)) is None
    carried = symbolic_robot(loads(TWO_LINKS + CARRIED, "yaml"))
    assert direct_dynamics(equations(carried, "dynamic", Friction(), None)) is None


def test_a_request_that_takes_too_long_is_rejected_before_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the time that it would take and the method to take instead; a larger limit lets it run."""
    t = truth(600)
    log = t.log(np.random.default_rng(0), torque=0.1, position=1e-5)
    given = {"method": "cloe", "controller": t.controller, "decimation": 2}
    begun: list[bool] = []

    def settled(*_: object) -> None:
        begun.append(True)
        raise ProgramError("begun", hint="")

    monkeypatch.setattr(output_error, "_converged", settled)
    with pytest.raises(
        OptionError, match=r"would take about \d+ s, more than the time limit of 1e-06 s"
    ) as caught:
        symoro.identify(two_links(), log, **given, options=symoro.IdentificationOptions(time_limit=1e-6))
    assert "didim" in (caught.value.hint or "") and "time_limit" in (caught.value.hint or "") and not begun
    with pytest.raises(ProgramError, match="begun"):
        symoro.identify(two_links(), log, **given, options=symoro.IdentificationOptions(time_limit=1e6))
