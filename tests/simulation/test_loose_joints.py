"""Passive joints of robots without loops: no motor is there, and they move as forces let them."""

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError, NotApplicableError
from symoro.identification.excitation import excite
from symoro.trajectory.samples import Samples
from symoro.trajectory.sampling import coordinates_of
from symoro.trajectory.trajectory import Line, Move, Trajectory

PUSH = Trajectory((Move((0.5,), duration=1),), (0.0,))


def test_the_cart_is_driven_and_the_pole_follows():
    robot = symoro.load("cartpole").bind({"FS1": 0, "FV2": 0})
    result = symoro.torques(robot, PUSH, start={"q": [0, 0.3]})
    assert result.samples.joints == (1,) and result.tau.shape == (101, 1)
    follows = result.follows
    direct = symoro.generate(robot, "direct-dynamics").function()
    tau = np.column_stack([result.tau[:, 0], np.zeros(101)])  # the pole has no torque
    qdd = direct(q=follows.q, qd=follows.qd, tau=tau)["qdd"]
    assert np.abs(qdd[:, 0] - result.samples.qdd[:, 0]).max() < 1e-8
    assert np.abs(np.gradient(follows.qd[:, 1], follows.t)[2:-2] - qdd[2:-2, 1]).max() < 0.01
    assert np.ptp(follows.q[:, 1]) > 0.1
    gained = follows.energy[-1] - follows.energy[0]
    assert result.energy.sum() == pytest.approx(gained, abs=1e-6)  # of the drive, the pole's power is none
    assert list(result.columns)[-2:] == ["E", "U"] and "tau1" in result.columns


def test_a_motion_of_the_passive_joint_is_rejected_with_the_reason():
    both = Trajectory((Move((1, 0.5), duration=1),), (0, 0))
    with pytest.raises(ArgumentError, match="expected 1 numbers") as caught:
        symoro.torques("cartpole", both)
    assert "joint 2 is passive" in caught.value.hint


def test_poses_and_the_computed_torque_law_take_no_passive_joint():
    line = Trajectory((Line(by=(0.1, 0, 0), duration=1),), (0, 0))
    with pytest.raises(NotApplicableError, match="joint 2 is passive"):
        symoro.torques("cartpole", line)
    with pytest.raises(NotApplicableError, match="joint 2 is passive"):
        symoro.controllers.computed_torque("cartpole", PUSH)


def test_excitation_moves_no_passive_joint():
    with pytest.raises(NotApplicableError, match="joint 2 is passive"):
        excite("cartpole")


@pytest.mark.parametrize("method", ["DOP853", "rk4"])
@pytest.mark.parametrize("tau", [[0, 5], lambda t, state: [1, 1e-3 if t > 0.05 else 0]])
def test_a_passive_joint_takes_no_torque(tau, method):
    with pytest.raises(ArgumentError, match="joint 2 is passive"):
        symoro.simulate("cartpole", 0.1, q=[0, 0.3], tau=tau, options=symoro.SimulationOptions(method=method))


def test_a_passive_joint_follows_no_motion():
    with pytest.raises(ArgumentError, match="joint 2 is passive"):
        symoro.simulate("cartpole", 0.1, q=[0, 0.0], driven={2: lambda t: (0.0, 0.0, 0.0)})
    motion = symoro.simulate("cartpole", 0.1, q=[0, 0.3], driven={1: lambda t: (0.0, 0.0, 0.0)})
    assert motion.finished and np.ptp(motion.q[:, 1]) > 1e-3


def test_the_same_robot_with_a_motor_takes_a_motion_of_all_joints():
    robot = symoro.load("cartpole").with_frame(2, mu=True)
    assert coordinates_of(robot) == (1, 2)
    result = symoro.torques(robot, Trajectory((Move((1, 0.5), duration=1),), (0, 0)))
    assert result.follows is None and result.tau.shape == (101, 2)


# -- velocities and accelerations that the description fixes


@pytest.mark.parametrize("name", ["QP", "QDP"])
@pytest.mark.parametrize("value", [0, 0.5, "s"])
def test_prescribed_rates_are_rejected_along_a_motion(name, value):
    robot = symoro.load("planar2r").with_frame(1, **{name: value})
    still = Samples((1, 2), np.arange(3.0), *np.zeros((3, 3, 2)))
    path = Trajectory((Move((1, 0.5), duration=1),), (0, 0))
    for call in (
        lambda: symoro.simulate(robot, 0.1, q=[0, 0]),
        lambda: symoro.simulate(robot, 0.1, q=[0, 0], options=symoro.SimulationOptions(method="rk4")),
        lambda: symoro.torques(robot, still),
        lambda: symoro.torques(robot, path),
        lambda: symoro.controllers.computed_torque(robot, path),
        lambda: excite(robot),
    ):
        with pytest.raises(NotApplicableError, match=rf"of joint 1 \({name} = {value}\)"):
            call()
