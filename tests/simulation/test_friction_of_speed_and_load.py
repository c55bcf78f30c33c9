"""Friction that depends on speed and load, and of coupled motors, in simulation: independent integration and energy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import symoro
from symoro.errors import ArgumentError, NotApplicableError
from symoro.expr.formula import formula
from symoro.robot.description import CoupledMotor, Robot
from symoro.trajectory import Move, Trajectory

FINE = symoro.SimulationOptions(rtol=1e-10, atol=1e-12)
K, PULL = 40.0, 0.1  # N/m and m/s: stiffness of a spring and velocity of its other end
FS, FB, VS = 2.0, 1.5, 0.15


def slider(**drive: float) -> Robot:
    """Return a mass of 1 kg on a horizontal prismatic joint."""
    rows = [{"joint": "prismatic", "link": {"M": 1}, "drive": drive}]
    return symoro.Robot.from_dh(rows, "khalil-kleinfinger", "slider", gravity=[0, -9.81, 0])


def stick_slip(duration: float, load: float) -> list[tuple[float, float]]:
    """Return the times and positions at which the mass comes to rest, by SciPy with separate phases."""

    def dry(v: float, tau: float) -> float:
        return FS + FB * np.exp(-((v / VS) ** 2)) + load * abs(tau)

    def slip(t: float, y: np.ndarray) -> list[float]:
        tau = K * (PULL * t - y[0])
        return [y[1], tau - dry(y[1], tau)]

    def rests(t: float, y: np.ndarray) -> float:
        return y[1] if t > start + 1e-6 else 1.0

    rests.terminal, rests.direction = True, -1
    t, q, stops = 0.0, 0.0, []
    while True:
        start = (q + (FS + FB) / (1 - load) / K) / PULL  # the spring overcomes the friction at rest
        if start >= duration:
            return stops
        y0 = [q, 0.0]
        phase = solve_ivp(slip, (start, duration), y0, events=rests, rtol=1e-11, atol=1e-13, first_step=1e-5)
        if not len(phase.t_events[0]):
            return stops
        t, q = float(phase.t_events[0][0]), float(phase.y_events[0][0][0])
        stops.append((t, q))


@pytest.mark.parametrize("load", [0.0, 0.3])
def test_a_mass_on_a_pulled_spring_sticks_and_slips_as_an_independent_integration(load: float) -> None:
    robot = slider(FS=FS, FB=FB, VS=VS, FL=load)
    motion = symoro.simulate(
        robot, 6.0, q=[0.0], tau=lambda t, state: K * (PULL * t - state.q), step=0.01, options=FINE
    )
    expected = stick_slip(6.0, load)
    rests = [event.time for event in motion.events if event.what == "sticks" and event.time > 0]
    assert len(expected) >= 2
    assert np.abs(np.array(rests) - [t for t, _ in expected]).max() < 1e-6
    at = np.searchsorted(motion.t, [t + 0.01 for t, _ in expected])
    assert np.abs(motion.q[at, 0] - [q for _, q in expected]).max() < 1e-7


def test_a_sliding_mass_loses_the_work_of_friction() -> None:
    robot = slider(FS=FS, FB=FB, VS=VS, FV=0.3)
    motion = symoro.simulate(robot, 1.0, q=[0.0], qd=[2.0], step=1e-4, options=FINE)
    v = motion.qd[:, 0]
    lost = 0.3 * v**2 + (FS + FB * np.exp(-((v / VS) ** 2))) * np.abs(v)
    total = np.concatenate([[0], np.cumsum((lost[1:] + lost[:-1]) / 2 * np.diff(motion.t))])
    assert np.abs(motion.energy[0] - motion.energy - total).max() < 1e-6 * total[-1]
    assert motion.events[-1].what == "sticks" and v[-1] == 0


def test_friction_of_the_load_holds_a_joint_that_less_friction_lets_slip() -> None:
    """At rest the friction is FS + FL |tau|; a force above it accelerates by tau - FS - FL |tau|."""
    held = symoro.simulate(slider(FS=1.0, FL=0.5), 0.2, q=[0.0], tau=[1.99], step=0.1, options=FINE)
    assert held.q[-1, 0] == 0
    moved = symoro.simulate(slider(FS=1.0, FL=0.5), 0.2, q=[0.0], tau=[3.0], step=0.1, options=FINE)
    assert moved.q[-1, 0] == pytest.approx(0.5 * 0.2**2 / 2, rel=1e-9)


def test_the_torque_of_a_prescribed_motion_overcomes_all_friction() -> None:
    robot = slider(FS=1.0, FB=FB, VS=VS, FL=0.25, FV=0.2)
    motion = symoro.simulate(
        robot,
        1.0,
        q=[0.0],
        driven={1: lambda t: (np.sin(3 * t) / 3, np.cos(3 * t), -3 * np.sin(3 * t))},
        step=0.04,
        options=FINE,
    )
    model = symoro.generate(robot, "inverse-dynamics").function()
    wanted = model(q=motion.q, qd=motion.qd, qdd=-3 * np.sin(3 * motion.t)[:, None])["tau"]
    assert np.abs(motion.tau - wanted).max() < 1e-9 * np.abs(wanted).max()


def coupled() -> Robot:
    """Return two horizontal links with a motor that turns with both joints."""
    rows = [
        {"link": {"ZZ": 0.3}, "drive": {"IA": 0.2}},
        {"d": 0.5, "link": {"ZZ": 0.1, "MX": 0.2, "M": 1}, "drive": {"IA": 0.1, "FV": 0.1}},
    ]
    robot = symoro.Robot.from_dh(rows, "khalil-kleinfinger", "two", gravity=[0, 0, -9.81])
    motor = CoupledMotor(2, ((1, formula(0.5)),), formula(0.05), formula(0.1), formula(0.3))
    return robot.with_frame(1, FV=0.1).replace(motors=(motor,))


def test_the_dry_friction_of_a_coupled_motor_acts_on_its_velocity() -> None:
    motion = symoro.simulate(coupled(), 1.5, q=[0.1, 0.4], qd=[1.0, -1.5], step=1e-3, options=FINE)
    rates = motion.qd @ [0.5, 1.0]
    viscous = 0.1 * (motion.qd**2).sum(1) + 0.1 * 2 * 0.5 * motion.qd[:, 0] * motion.qd[:, 1]
    lost = 0.3 * np.abs(rates) + viscous
    total = np.concatenate([[0], np.cumsum((lost[1:] + lost[:-1]) / 2 * np.diff(motion.t))])
    assert np.abs(motion.energy[0] - motion.energy - total).max() < 1e-5 * total[-1]
    first = next(event for event in motion.events if event.what == "sticks")
    after = motion.t > first.time + 1e-3
    until = min([event.time for event in motion.events if event.time > first.time], default=np.inf)
    stuck = after & (motion.t < until)
    assert stuck.any() and np.abs(rates[stuck]).max() < 1e-9
    assert np.abs(motion.qd[stuck]).max() > 1e-2  # the joints move on, the motor does not


@pytest.mark.parametrize("load", [0.0, 0.2])
def test_computed_torque_follows_a_motion_against_this_friction(load: float) -> None:
    robot = coupled().with_frame(1, FB=0.2, VS=0.1, FS=0.1, FL=load)
    there = np.array([0.5, 0.6])
    path = Trajectory((Move(tuple(there), duration=1.0),), (0.0, 0.0))
    law = symoro.controllers.computed_torque(robot, path, kp=100, kd=20)
    motion = symoro.simulate(robot, 1.0, q=[0.0, 0.0], tau=law, step=0.01)
    assert motion.finished, motion.why
    x = motion.t[:, None]
    assert np.abs(motion.q - there * x**3 * (10 - 15 * x + 6 * x**2)).max() < 1e-4


def test_friction_that_cannot_be_simulated_is_rejected() -> None:
    with pytest.raises(ArgumentError, match="self-locking"):
        symoro.simulate(slider(FS=1.0).with_frame(1, FL="FL1"), 0.1, q=[0.0], values={"FL1": 1.0})
    with pytest.raises(ArgumentError, match="not positive"):
        symoro.simulate(slider(FB=1.0, VS=1.0).with_frame(1, VS="VS1"), 0.1, q=[0.0], values={"VS1": 0.0})
    with pytest.raises(NotApplicableError, match="no drive"):
        symoro.simulate(slider(FL=0.1).with_frame(1, mu=False), 0.1, q=[0.0])
