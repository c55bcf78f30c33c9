"""The identified robot, written and read again, has the torques of the log, with any payload or wrench."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import symoro
from symoro.errors import NotApplicableError
from symoro.expr.formula import formula
from symoro.identification.dynamic import Identification
from symoro.identification.log import Log, log_of_arrays
from symoro.robot.description import INERTIAL, Link, Robot
from symoro.robot.formats import dumps, loads
from tests.identification.loops import RATE, sr400, sr400_joints, sr400_motion
from tests.identification.truth import Truth, smooth, truth

FIRST = "drive: {IA: 0.3, FV: 2.0, FS: 1.5, FO: 0.4}, link: {mass: 3, com: [0.5, 0.1, 0], inertia: [0.2, 0.3, 0.4]}"
SECOND = (
    "drive: {IA: 0.1, FV: 1.0, FS: 0.8}, link: {mass: 1.2, com: [0.4, -0.1, 0.1], inertia: [0.1, 0.2, 0.25]}"
)
TOOL = "tool: {on: 2, r: 0.1, d: 0.2, alpha: 0.4}\n"
BRICK = "M: 2, MZ: 0.1, MX: 0.3, XX: 0.15, YY: 0.2, ZZ: 0.1"


def robot(second: str = "", tail: str = "", more: str = "", twist: str = "0.7") -> Robot:
    """Two links on axes that are not parallel, the second one with further keys."""
    head = "symoro: 1\nname: arm\nbase: {gravity: [0, 3, -9.81]}\nframes:\n"
    frames = f"  - {{{FIRST}}}\n  - {{d: 0.8, alpha: {twist}, {second}{SECOND}}}\n{more}"
    return loads(head + frames + tail, "yaml")


THIRD = "  - {d: 0.5, drive: {IA: 0.2, FV: 0.3}, link: {mass: 0.7, com: [0.2, 0, 0.1], inertia: [0.1, 0.1, 0.1]}, "
ROBOTS = {
    "plain": robot(),
    "payload": robot(tail=f"{TOOL}payload: {{{BRICK}}}\n"),
    "payload with a symbol": robot(
        tail=TOOL + "payload: {M: carried, MZ: 0.1*carried}\nnominal: {carried: 2}\n"
    ),
    "wrench": robot("wrench: {FX: 5, FZ: -3, CZ: 2}, "),
    "payload and wrench": robot("wrench: {FX: 5, CZ: 2}, ", f"{TOOL}payload: {{{BRICK}}}\n"),
    "passive joint": robot("active: false, "),
    "passive joint, rotor regrouped": robot("active: false, ", twist="pi/2"),
    "coupled joints": robot(more=THIRD + "coupled: {joints: {2: -1.5}, offset: 0.3}}\n"),
    "coupled joints with payload": robot(
        more=THIRD + "coupled: {joints: {2: -1.5}}, wrench: {FY: 4}}\n",
        tail=TOOL.replace("on: 2", "on: 3") + f"payload: {{{BRICK}}}\n",
    ),
}


def guess(made: Robot) -> Robot:
    """Return the robot with other values of all unknown parameters, so that nominal values cannot pass the test."""
    links = [
        replace(link, **{n: formula(1.2 * (getattr(link, n).number or 0)) for n in INERTIAL})
        for link in made.links
    ]
    frames = [replace(frame, IA=formula(1.3 * (frame.IA.number or 0))) for frame in made.frames]
    return made.replace(links=tuple(links), frames=tuple(frames))


def torques(made: Robot, t: Truth) -> np.ndarray:
    return symoro.generate(made, "inverse-dynamics").function()(q=t.q, qd=t.qd, qdd=t.qdd)["tau"]


def log_of(t: Truth) -> Log:
    return log_of_arrays(t.rate, t.q, t.tau, velocity=t.qd, acceleration=t.qdd)


def reread(result: Identification) -> Robot:
    return loads(dumps(result.robot, "yaml"), "yaml")


def off(result: Identification, t: Truth) -> float:
    """Return the largest torque error of the identified robot, relative to the torques of the log."""
    return float(np.max(np.abs(torques(reread(result), t) - t.tau)) / np.max(np.abs(t.tau)))


MODELS = {"dynamic": 1e-9, "filtered": 1e-4, "power": 1e-3, "energy": 1e-3}


QUICK = ("payload and wrench", "coupled joints with payload")
CASES = [
    pytest.param(name, model, marks=[] if model == "dynamic" or name in QUICK else pytest.mark.slow)
    for name in ROBOTS
    for model in MODELS
]


@pytest.mark.parametrize(("name", "model"), CASES)
def test_the_identified_robot_has_the_torques_of_the_log(name: str, model: str) -> None:
    t = smooth(ROBOTS[name], 1200)
    estimate = symoro.identify(
        guess(ROBOTS[name]),
        log_of(t),
        decimation=1 if model == "dynamic" else 4,
        options=symoro.IdentificationOptions(model=model),
    )
    assert off(estimate, t) < MODELS[model]
    assert not estimate.warnings


@pytest.mark.parametrize("name", ["payload with a symbol", "passive joint", "coupled joints with payload"])
def test_the_consistent_one_has_them_too(name: str) -> None:
    pytest.importorskip("cvxpy")
    t = smooth(ROBOTS[name], 1200)
    tau = t.tau + 0.05 * np.random.default_rng(3).standard_normal(t.tau.shape)
    estimate = symoro.identify(
        guess(ROBOTS[name]),
        log_of(replace(t, tau=tau)),
        options=symoro.IdentificationOptions(find_consistent=True),
    )
    assert estimate.consistent is not None and estimate.consistent.ratio == pytest.approx(1, abs=1e-2)
    assert off(estimate, t) < 1e-2
    assert estimate.robot.payload == ROBOTS[name].payload


SIMULATING = [("iv", 1e-6), ("didim", 1e-6), pytest.param("cloe", 1e-4, marks=pytest.mark.slow)]


@pytest.mark.parametrize(("method", "position"), SIMULATING)
def test_simulating_methods_include_the_payload(method: str, position: float) -> None:
    made = ROBOTS["payload and wrench"]
    t = truth(1500, 500.0, robot=made)
    estimate = symoro.identify(
        made,
        t.log(np.random.default_rng(0), torque=0.05, position=position),
        method=method,
        cutoff=60,
        slow=0.05,
        options=symoro.IdentificationOptions(controller=t.controller, start="nominal"),
    )
    z = (
        estimate.estimate.values - [t.K[name] for name in estimate.estimate.names]
    ) / estimate.estimate.deviations
    assert np.abs(z).max() < 4.5
    assert off(estimate, t) < 2e-2


@pytest.mark.slow
def test_loops_carry_payloads_and_springs_too() -> None:
    made = sr400()
    sprung = made.replace(
        frames=tuple(
            replace(f, eta=True, k=formula(300.0)) if j == 3 else f for j, f in enumerate(made.frames, 1)
        )
    )
    brick = Link(M=formula(4), MZ=formula(0.4), XX=formula(0.1), YY=formula(0.1))
    loaded = sprung.replace(payload=brick)
    assert loaded.tool is not None
    t = sr400_motion(1)
    function = symoro.generate(loaded, "inverse-dynamics").function()
    motion = {"q": sr400_joints(t.q), "qda": t.qd, "qdda": t.qdd}
    tau = function(**motion)["tau"]
    estimate = symoro.identify(loaded, log_of_arrays(RATE, t.q, tau, velocity=t.qd, acceleration=t.qdd))
    again = symoro.generate(reread(estimate), "inverse-dynamics").function()(**motion)["tau"]
    assert np.max(np.abs(again - tau)) < 1e-6 * np.max(np.abs(tau))


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (
            robot(tail=TOOL + "payload: {M: carried}\n"),
            "the torques of the payload of robot 'arm' are unknown: carried has no number",
        ),
        (
            robot("wrench: {FX: push}, "),
            "the torques of the wrench of link 2 of robot 'arm' are unknown: push has no number",
        ),
    ],
)
def test_a_payload_without_a_number_is_rejected_with_a_hint(made: Robot, words: str) -> None:
    t = smooth(ROBOTS["plain"])
    with pytest.raises(NotApplicableError, match=words) as caught:
        symoro.identify(made, log_of(t))
    assert "remove the" in (caught.value.hint or "") and "from the robot" in (caught.value.hint or "")
    number = dict.fromkeys(made.symbols(), 1.5)
    symoro.identify(made, log_of(t), options=symoro.IdentificationOptions(values=number))
