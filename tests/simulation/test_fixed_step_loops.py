"""The generated integrator of robots with closed loops: its order, what it keeps, and where it ends."""

import numpy as np
import pytest

import symoro
from symoro.errors import NotClosedError
from tests.simulation.robots import numbered, without_drives

TRUE = {"rtol": 1e-12, "atol": 1e-12}
SR400 = [0.2, 0.3, -0.2, 0.1, 0.5, 0.9], [-0.5, -0.3, -0.1, 0.1, 0.3, 0.5]
STARTS = {
    "fourbar": ([0.7], [1.0]),
    "slidercrank": ([0.6], [1.0]),
    "fivebar": ([1.9, 0.9], [3.0, -2.0]),
    "sr400": SR400,
    "delta": ("home", [0.3, -0.2, 0.1]),
    "floating": ([0.7], [2.0]),
}
AFLOAT = {"V0": [0.3, -0.2, 0.5, 0.4, -0.7, 0.6], "Q0": [0.8, 0.1, -0.3, 0.2]}


def made(name):
    if name == "floating":
        robot = without_drives(symoro.load("fourbar")).floating()
        return robot.with_link(0, mass=3, inertia=[0.2, 0.3, 0.4])
    return without_drives(numbered(symoro.load(name)))


@pytest.mark.parametrize(
    "name", [pytest.param(x, marks=pytest.mark.slow) if x == "delta" else x for x in STARTS]
)
def test_it_is_of_fourth_order_and_keeps_energy_and_loops(name):
    robot, (q, qd), duration = made(name), STARTS[name], 0.2
    start = AFLOAT if name == "floating" else {}
    true = symoro.simulate(
        robot, duration, q=q, qd=qd, step=duration, **TRUE, options=symoro.SimulationOptions(start=start)
    )
    errors = []
    for step in (0.01, 0.005):
        motion = symoro.simulate(
            robot,
            duration,
            q=q,
            qd=qd,
            step=step,
            options=symoro.SimulationOptions(start=start, method="rk4"),
        )
        assert motion.finished, motion.why
        errors.append(np.abs(motion.q[-1] - true.q[-1]).max())
    assert 12 < errors[0] / errors[1] < 20 and errors[1] < 1e-5
    fine = symoro.simulate(
        robot, duration, q=q, qd=qd, step=0.001, options=symoro.SimulationOptions(start=start, method="rk4")
    )
    assert np.abs(fine.q[-1] - true.q[-1]).max() < 1e-8
    assert np.abs(fine.qd[-1] - true.qd[-1]).max() < 1e-7
    assert np.ptp(fine.energy) < 1e-7 * max(1.0, np.abs(fine.energy).max())


@pytest.mark.parametrize("qd", [[3.0, -3.0], [-6.0, 6.0], [8.0, 2.0]])
def test_it_ends_at_the_same_singular_configuration_as_error_control(qd):
    robot = made("fivebar")
    by_scipy = symoro.simulate(robot, 2.0, q=[1.9, 0.9], qd=qd, step=0.001)
    motion = symoro.simulate(
        robot, 2.0, q=[1.9, 0.9], qd=qd, step=0.001, options=symoro.SimulationOptions(method="rk4")
    )
    assert "singular configuration" in by_scipy.why and "singular configuration" in motion.why
    assert motion.t[-1] == pytest.approx(by_scipy.t[-1], abs=2e-3)
    q1, q2, q3, q4 = motion.q.T
    assert (np.sin(q1 + q2 - q3 - q4) < 0).all()  # one assembly, up to the end
    coarse = symoro.simulate(
        robot, 2.0, q=[1.9, 0.9], qd=qd, step=0.02, options=symoro.SimulationOptions(method="rk4")
    )
    assert not coarse.finished and coarse.t[-1] <= by_scipy.t[-1] + 0.02  # however long its steps are
    assert (np.sin(coarse.q @ [1, 1, -1, -1]) < 0).all()


def test_a_parallelogram_in_numbers_alone_does_not_become_an_antiparallelogram():
    values = {"D4": 0.8, "D5": 0.3}
    motion = symoro.simulate(
        "fourbar",
        1.0,
        q=[1.0, -1.0, 1.0],
        qd=[-8.0],
        values=values,
        step=0.001,
        options=symoro.SimulationOptions(method="rk4"),
    )
    assert not motion.finished and "singular configuration" in motion.why
    assert len(motion.t) > 5 and np.abs(motion.q[:, 0] - motion.q[:, 2]).max() < 1e-8


def test_a_start_in_a_singular_configuration_is_rejected():
    values = {"D2": 0.3, "D3": 0.5, "D4": 0.5, "D5": 0.3}
    with pytest.raises(NotClosedError, match="singular configuration"):
        symoro.simulate(
            "fourbar",
            1.0,
            q=[0, 0, 0],
            qd=[1.0],
            values=values,
            step=0.001,
            options=symoro.SimulationOptions(method="rk4"),
        )


@pytest.mark.parametrize("step", [0.001, 0.005])
def test_a_crank_that_turns_fully_goes_on(step):
    motion = symoro.simulate(
        made("fourbar"), 1.0, q=[0.7], qd=[15.0], step=step, options=symoro.SimulationOptions(method="rk4")
    )
    assert motion.finished and np.ptp(motion.q[:, 0]) > 2 * np.pi


def test_a_parallelogram_that_is_flat_is_passed():
    """Its relations hold there, and the numbers of its loop tell nothing."""
    q = np.full(6, 0.2)
    fine = symoro.simulate(made("sr400"), 0.2, q=q, qd=SR400[1], step=0.2, **TRUE)
    motion = symoro.simulate(
        made("sr400"), 0.2, q=q, qd=SR400[1], step=0.001, options=symoro.SimulationOptions(method="rk4")
    )
    assert motion.finished and np.abs(motion.q[-1] - fine.q[-1]).max() < 1e-9
    assert (motion.q[:, 7] == pytest.approx(motion.q[:, 1] - motion.q[:, 6], abs=1e-13)) and motion.q[
        0, 7
    ] == 0


def test_friction_of_passive_joints_takes_energy():
    robot = made("fourbar").with_frame(3, FV=0.5)
    motion = symoro.simulate(
        robot, 0.2, q=[0.7], qd=[2.0], step=0.001, options=symoro.SimulationOptions(method="rk4")
    )
    true = symoro.simulate(robot, 0.2, q=[0.7], qd=[2.0], step=0.2, **TRUE)
    assert np.abs(motion.q[-1] - true.q[-1]).max() < 1e-9 and motion.energy[-1] < motion.energy[0] - 1e-3


def test_a_controller_holds_torques_from_step_to_step():
    options = {"q": [0.7], "qd": [1.0], "tau": lambda t, s: [-0.5 * s.qd[0]]}
    true = symoro.simulate(made("fourbar"), 0.2, step=0.2, **options)
    errors = []
    for step in (0.001, 0.0005):
        motion = symoro.simulate(
            made("fourbar"), 0.2, step=step, **options, options=symoro.SimulationOptions(method="rk4")
        )
        errors.append(np.abs(motion.q[-1] - true.q[-1]).max())
    assert errors[0] < 0.005 and 1.9 < errors[0] / errors[1] < 2.1  # of first order, as torques are
