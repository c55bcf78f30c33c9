"""Friction of a motor that turns with two joints, and offsets that act as masses do: SCARA and gantry."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError
from symoro.expr.formula import formula
from symoro.identification.dynamic import symbolic_robot
from symoro.identification.equations import equations, random_motion
from symoro.identification.excitation import excite
from symoro.identification.friction import Friction
from symoro.identification.log import Log, log_of_arrays
from symoro.identification.log_description import Transmission, transmission
from symoro.robot.description import CoupledMotor, Limits
from symoro.robot.formats import dumps, loads

RATE = 500.0
LINKS = {
    "ZZ1": 2.0,
    "ZZ2": 0.6,
    "ZZ3": 0.02,
    "MX2": 1.1,
    "MY2": 0.03,
    "MX3": 0.02,
    "M2": 5.0,
    "M3": 1.5,
    "M4": 0.5,
    "IA1": 0.5,
    "IA2": 0.3,
    "IA3": 2.0,
    "IA4": 0.05,
    "ZZ4": 0.02,
    "MX4": 0.01,
    "MY4": 0.005,
}
FV, FS = np.array([2.0, 1.0, 5.0, 0.3]), np.array([3.0, 2.0, 6.0, 0.2])
MOTOR = np.array([0.0, 0.0, 0.5, 1.0])  # motor 4 turns by 30 q4 + 15 q3


@cache
def motion() -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(3)
    w = 2 * np.pi * 0.2 * np.arange(1, 5)
    size = np.array([1, 1, 0.3, 1])[:, None] * 0.5 * rng.standard_normal((4, 4)) / np.arange(1, 5)
    angle = np.arange(int(12 * RATE))[:, None, None] / RATE * w + rng.uniform(0, 2 * np.pi, (4, 4))
    q, qd = (size * np.sin(angle)).sum(2), (size * w * np.cos(angle)).sum(2)
    qdd = -(size * w**2 * np.sin(angle)).sum(2)
    model = symoro.generate("scara", "inverse-dynamics")
    known = {name: LINKS.get(name, 0.0) for name in model.parameters if name not in ("D2", "D3", "G3")}
    tau = model.function(known)(q=q, qd=qd, qdd=qdd)["tau"] + FV * qd + FS * np.sign(qd)
    return q, qd, tau


def scara_log(seed: int, slides_below: float, gear: Transmission | None) -> Log:
    """With a motor whose dry friction acts above a velocity alone, as friction does that slides before it slips."""
    q, qd, tau = motion()
    rate = qd @ MOTOR
    if gear is not None:
        tau = tau + (0.4 * rate + 1.0 * np.clip(rate / max(slides_below, 1e-12), -1, 1))[:, None] * MOTOR
    noise = np.random.default_rng(seed).standard_normal(tau.shape) * [0.5, 0.3, 0.5, 0.05]
    return log_of_arrays(RATE, q, tau + noise, transmission=gear)


@pytest.mark.parametrize(
    "ratios", [((80, 60, 200, 30), 15.0), pytest.param(((1, 1, 1, -2), -1.0), marks=pytest.mark.slow)]
)
def test_rows_are_dropped_where_the_coupled_motor_is_slow(ratios: tuple[tuple[float, ...], float]) -> None:
    """Its velocity is c'qd: joints 3 and 4 may both be fast while motor 4 is not."""
    gear = transmission(ratios[0], {4: {3: ratios[1]}})
    off = []
    for seed in range(3):
        log = scara_log(seed, 0.1, gear)
        estimate = symoro.identify(
            "scara", log, decimation=10, slow=0.12, options=symoro.IdentificationOptions(without=["FO3"])
        ).estimate
        k = estimate.names.index("FSM4")
        off.append((estimate.values[k] - 1.0) / estimate.deviations[k])
    assert abs(np.mean(off)) < 4 / len(off) ** 0.5


def test_rows_of_joints_that_the_motor_does_not_turn_with_are_kept() -> None:
    model = equations(
        symbolic_robot(symoro.load("scara")),
        "dynamic",
        Friction(),
        transmission((80, 60, 200, 30), {4: {3: 15}}),
    )
    qd = np.array(
        [[1.0, 1.0, 1.0, -0.5], [1.0, 1.0, 1.0, -0.45], [1.0, 1.0, 1.0, -0.6], [1.0, 0.01, 1.0, 1.0]]
    )
    kept = model._kept(np.zeros((4, 4)), qd, 0.08, np.zeros((4, 4), dtype=bool))
    assert kept.tolist() == [[True, True, False, False]] * 2 + [[True] * 4, [True, False, True, True]]


@pytest.mark.parametrize("model", ["dynamic", "filtered", "energy"])
def test_the_offset_of_a_vertical_slide_is_dropped_and_named(model: str) -> None:
    """It is (M3 - IA3) over gravity: a column of its own would leave the others undetermined."""
    identification = symoro.identify(
        "scara",
        scara_log(0, 0.0, None),
        decimation=10,
        slow=0.02,
        options=symoro.IdentificationOptions(model=model),
    )
    estimate = identification.estimate
    assert "FO3" not in estimate.names and {"FO1", "FO2", "FO4"} <= set(estimate.names)
    assert {"M3", "IA3"} <= set(identification.model.absorbed["FO3"])
    right = {"M3": 2.0, "IA3": 2.0, "FS3": 6.0, "FO1": 0.0, "FV3": 5.0}
    for name, value in right.items():
        k = estimate.names.index(name)
        assert abs(estimate.values[k] - value) < 4.5 * estimate.deviations[k]


def test_an_identifiable_offset_keeps_its_column() -> None:
    scara, gantry = (symbolic_robot(symoro.load(name)) for name in ("scara", "gantry"))
    assert "FO3" in equations(scara, "dynamic", Friction(), None, ["IA3"]).names
    assert "FO3" not in equations(scara, "dynamic", Friction(), None, ["FO3"]).names
    assert set(equations(gantry, "dynamic", Friction(), None).absorbed) == {"FO3"}
    weightless = symbolic_robot(symoro.load("scara").bind({"G3": 0.0}))  # an offset is not a weight there
    assert "FO3" in equations(weightless, "dynamic", Friction(), None).names


def test_a_scara_has_an_exciting_motion_and_the_note_names_the_offset() -> None:
    robot = symoro.load("scara")
    for j, velocity in enumerate((4.0, 6.0, 1.0, 10.0), 1):
        limits: Any = robot.frame(j).limits
        robot = robot.with_frame(j, limits=Limits(limits.lower, limits.upper, velocity, None))
    excitation = excite(robot, harmonics=3, options=symoro.ExcitationOptions(starts=1))
    assert "FO3" not in excitation.columns and "FO3" in excitation.absorbed
    assert "FO3" in str(excitation)


def test_rows_are_dropped_where_a_passive_joint_with_dry_friction_is_slow() -> None:
    """Joint 3 of SR400 turns at the difference of the rates of motors 2 and 7, and rubs on both."""
    model = equations(symbolic_robot(symoro.load("sr400")), "dynamic", Friction(), None)
    assert "FS3" in model.names and "FS8" in model.absorbed
    assert model.assembly is not None
    q = random_motion(np.ones(6), model.assembly)[0][:2]
    qd = np.ones((2, 6))
    qd[0, -1] = 1.03  # active joints are 1, 2, 4, 5, 6, 7
    qd[1, -1] = 1.3
    kept = model._kept(q, qd, 0.1, np.zeros((2, 6), dtype=bool))
    assert kept.tolist() == [[True, False, True, True, True, False], [True] * 6]


@pytest.mark.parametrize("model", ["dynamic", "power"])
def test_the_identified_robot_has_the_torques_of_the_regression(model: str) -> None:
    """Inverse dynamics of the robot, read from its file, equals the regressor times the estimate."""
    gear = transmission((80, 60, 200, 30), {4: {3: 15.0}})
    log = scara_log(1, 0.0, gear)
    result = symoro.identify(
        "scara",
        log,
        friction=("viscous", "coulomb", "offset", "stribeck", "load"),
        decimation=10,
        options=symoro.IdentificationOptions(without=["FO3"], stribeck_velocity=0.3, model=model),
    )
    names = result.estimate.names
    assert {"FB1", "FL2", "IAM4", "FVM4", "FSM4"} <= set(names)
    robot = loads(dumps(result.robot, "yaml"), "yaml")
    assert robot.motors[0].joint == 4 and robot.motors[0].turns_with[0][0] == 3
    q, qd, qdd = np.random.default_rng(5).uniform(-1, 1, (3, 40, 4))
    tau = symoro.generate(robot, "inverse-dynamics").function()(q=q, qd=qd, qdd=qdd)["tau"]
    dynamic = equations(
        symbolic_robot(symoro.load("scara")), "dynamic", result.model.further.friction, gear, ["FO3"]
    )
    first, second, _ = dynamic.parts(q, qd, qdd, tau)
    assert first is None
    K = dict(zip(names, result.estimate.values, strict=True))
    rows = second @ np.array([K.get(name, 0.0) for name in dynamic.names])
    assert np.abs(rows - tau).max() < 1e-9 * np.abs(tau).max()


def test_a_robot_with_coupled_motors_requires_a_transmission() -> None:
    motor = CoupledMotor(4, ((3, formula(0.5)),), formula(0.01))
    with pytest.raises(ArgumentError, match="transmission"):
        symoro.identify(symoro.load("scara").replace(motors=(motor,)), scara_log(1, 0.0, None), decimation=10)
