"""Torques that jump, on joints that friction or a stop holds; friction compensation; functions that users give."""

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError, NotApplicableError
from symoro.simulation.event_location import first_event
from symoro.trajectory.trajectory import Move, Trajectory
from tests.simulation.robots import slider

FS = 0.5
BACK = Trajectory((Move((0.5,), duration=1), Move((0.0,), duration=1)), (0.0,))


def stepped(moment, before, after, *, closed):
    """A torque that steps at a moment, and has the new value there or not."""
    return lambda t, _: [after if t > moment or (closed and t == moment) else before]


def slid(push, time, FS=FS):
    """Where a mass of 1 comes to from rest under a push in a time, if it slides."""
    return np.sign(push) * (abs(push) - FS) * time**2 / 2


def time_stepped(robot, law, q, duration, h):
    """Implicit steps of velocity, M dv = h (tau - H - z) with z in FS Sgn(v): by the joints in turn."""
    bare = robot
    for j in range(1, robot.NL + 1):
        bare = bare.with_frame(j, FS=0)
    inertia, bias = (symoro.generate(bare, name).function() for name in ("inertia-matrix", "bias-torques"))
    most = np.array([float(robot.frame(j).FS.value({})) for j in range(1, robot.NL + 1)])
    q, qd = np.array(q, dtype=float), np.zeros(len(q))
    for k in range(round(duration / h)):
        t = (k + 0.5) * h
        state = symoro.simulation.mechanics.State(t, q, qd, {"tree": q})
        A, H = inertia(q=q)["A"], bias(q=q, qd=qd)["H"]
        impulse = A @ qd + h * (law(t, state) - H)
        for _ in range(30):
            for i in range(len(q)):
                free = impulse[i] - A[i] @ qd + A[i, i] * qd[i]
                qd[i] = np.sign(free) * max(abs(free) - h * most[i], 0.0) / A[i, i]
        q = q + h * qd
    return q


# -- steps


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("before", [0.0, 0.4, FS, -FS])
@pytest.mark.parametrize("moment", [0.0, 1e-9, 0.37, 0.4, 2 / 3])
def test_a_step_moves_a_joint_that_friction_holds(moment, before, closed):
    law = stepped(moment, before, 5.0, closed=closed)
    motion = symoro.simulate(slider(1.0, FS), 1.0, q=[0.0], tau=law)
    assert motion.finished and motion.q[-1, 0] == pytest.approx(slid(5.0, 1 - moment), abs=1e-10)
    assert [event.what for event in motion.events] == ["slides"]
    assert motion.events[0].time == pytest.approx(moment, abs=1e-12)


@pytest.mark.parametrize("beyond", [-1e-6, -1e-12, 0.0, 1e-6])
def test_a_step_to_the_static_friction_limit(beyond):
    law = stepped(0.4, 0.0, FS * (1 + beyond), closed=False)
    motion = symoro.simulate(slider(1.0, FS), 1.0, q=[0.0], tau=law)
    assert motion.finished and motion.q[-1, 0] == pytest.approx(max(0.0, 0.5 * beyond * 0.18), abs=1e-13)


@pytest.mark.parametrize("static", [1.0, 1.2])
def test_a_pulse_slides_a_joint_until_friction_has_taken_its_speed(static):
    def law(t, _):
        return [2.0 if 0.3 < t <= 0.35 else 0.55 if static > 1 else 0.1]

    motion = symoro.simulate(
        slider(1.0, FS), 1.0, q=[0.0], tau=law, options=symoro.SimulationOptions(static=static)
    )
    after = 0.05 if static > 1 else -0.4  # the acceleration that is left
    speed, slide = 1.5 * 0.05, slid(2.0, 0.05)
    late = 0.65 if after > 0 else speed / -after
    assert motion.finished
    assert motion.q[-1, 0] == pytest.approx(slide + speed * late + after * late**2 / 2, abs=1e-8)


@pytest.mark.parametrize("reported", [True, False])
def test_a_sampled_law_crosses_the_limit_of_friction(reported):
    """Held at 200 Hz; each piece is slid through exactly."""
    edges = np.arange(40) / 200
    pushes = 2 * np.sin(2 * np.pi * 7 * edges)

    def law(t, _):
        return [pushes[max(np.searchsorted(edges, t, side="right") - 1, 0)]]

    if reported:
        law.jumps = edges
    q = qd = 0.0
    for push in pushes:
        left = 1 / 200
        while left > 0 and (qd or abs(push) > FS):
            way = np.sign(qd) or np.sign(push)
            acceleration = push - way * FS
            time = min(left, -qd / acceleration) if qd * acceleration < 0 else left
            q, qd = q + qd * time + acceleration * time**2 / 2, qd + acceleration * time
            qd, left = (0.0, left - time) if time < left else (qd, 0.0)
    motion = symoro.simulate(slider(1.0, FS), 0.2, q=[0.0], tau=law)
    assert motion.finished and motion.q[-1, 0] == pytest.approx(q, abs=1e-12 if reported else 1e-8)


@pytest.mark.parametrize("friction", [0.0, FS])
def test_a_step_pulls_a_joint_off_its_stop(friction):
    robot = slider(1.0, friction, upper=0.0)
    motion = symoro.simulate(robot, 1.0, q=[0.0], tau=stepped(0.4, 1.0, -3.0, closed=False), stops=0.0)
    assert motion.finished and motion.q[-1, 0] == pytest.approx(slid(-3.0, 0.6, friction), abs=1e-10)
    assert motion.events[-1].what == "leaves its stop" and motion.events[-1].time == pytest.approx(0.4)


def test_a_dip_of_the_torque_while_a_joint_slides_is_not_stepped_over():
    law = lambda t, _: [0.138 if 0.424 < t < 0.499 else 2.0]  # noqa: E731
    motion = symoro.simulate(slider(1.0, FS), 1.0, q=[0.0], tau=law)
    assert motion.qd[-1, 0] == pytest.approx(1.5 - 0.075 * (2 - 0.138), abs=1e-7)


def test_two_joints_are_let_go_by_one_step():
    """A mass carries another along the same line; both drives step at once."""
    robot = symoro.Robot.from_dh([("P", 0, 0, 0, 0), ("P", 0, 0, 0, 0)], "kk", gravity=[0, 0, 0])
    robot = robot.with_link(1, M=1).with_link(2, M=2).with_frame(1, FS=0.5).with_frame(2, FS=0.4)
    motion = symoro.simulate(robot, 1.0, q=[0, 0], tau=lambda t, _: [6.5, 3.4] if t > 0.4 else [0.1, 0.4])
    expected = np.linalg.solve([[3, 2], [2, 2]], [6.5 - 0.5, 3.4 + 0.4])  # joint 2 slides back
    assert motion.finished and motion.q[-1] == pytest.approx(expected * 0.18, abs=1e-9)


def test_a_function_that_stays_at_zero_falls_where_it_jumps():
    def values(t):
        return np.array([0.0 if t <= 0.4 else -3.0])

    time, which, _ = first_event(values, 0.0, 1.0, values(0.0), np.array([1e-12]))
    assert which == 0 and 0.4 < time < 0.4 + 1e-14


# -- the computed-torque law


@pytest.mark.parametrize("size, duration", [(0.1, 1.0), (0.5, 1.0), (0.733, 0.617)])
def test_computed_torque_tracks_there_and_back_through_friction(size, duration):
    path = Trajectory((Move((0.5,), duration=duration), Move((0.0,), duration=duration)), (0.0,))
    law = symoro.controllers.computed_torque(slider(1.0, size), path, kp=100, kd=20)
    motion = symoro.simulate(slider(1.0, size), 2 * duration, q=[0.0], tau=law)
    assert motion.finished
    x = np.where(motion.t < duration, motion.t, 2 * duration - motion.t) / duration
    assert np.abs(motion.q[:, 0] - 0.5 * x**3 * (10 - 15 * x + 6 * x**2)).max() < 1e-6
    assert [event.what for event in motion.events] == ["slides", "sticks", "slides", "sticks"]


@pytest.mark.parametrize("seed", [0, 1, pytest.param(range(2, 12), marks=pytest.mark.slow)], ids=str)
def test_computed_torque_with_wrong_friction_agrees_with_implicit_steps(seed):
    """Two rods with less, and more, friction than the law compensates."""
    rod = {"M": 1, "MX": 0.5, "ZZ": "1/3"}
    rods = symoro.Robot.from_dh([("R", 0, 0, 0, 0), ("R", 0, 1, 0, 0)], "kk", gravity=[0, 0, 0])
    rods = rods.with_link(1, **rod).with_link(2, **rod)
    path = Trajectory((Move((0.5, 1.0), duration=0.4), Move((0.0, 0.0), duration=0.4)), (0.0, 0.0))
    for one in seed if isinstance(seed, range) else [seed]:
        rng = np.random.default_rng(one)
        known, true = (rods.with_frame(1, FS=a).with_frame(2, FS=b) for a, b in rng.uniform(0.1, 1.0, (2, 2)))
        law = symoro.controllers.computed_torque(known, path, kp=100, kd=20)
        motion = symoro.simulate(true, 0.8, q=[0, 0], tau=law)
        assert motion.finished, motion.why
        assert motion.q[-1] == pytest.approx(time_stepped(true, law, [0, 0], 0.8, 4e-4), abs=2e-3)


def test_computed_torque_of_puma_runs_there_and_back():
    robot = symoro.load("puma560")
    there, back = (0.6, -0.5, 2.4, 0.0, 0.8, 0.0), (0.3, -0.6, 2.5, 0.2, 0.6, 0.1)
    path = Trajectory((Move(there, duration=0.4), Move(back, duration=0.4)), back)
    motion = symoro.simulate(robot, 0.8, q=back, tau=symoro.controllers.computed_torque(robot, path))
    assert motion.finished, motion.why
    assert np.abs(motion.q[-1] - back).max() < 1e-6 and np.abs(motion.q[40] - there).max() < 1e-6


def test_computed_torque_compensates_the_friction_of_the_desired_motion():
    robot = slider(1.0, FS)
    law = symoro.controllers.computed_torque(robot, BACK, kp=0, kd=0)
    given = {"q": np.zeros(1), "parts": {"tree": np.zeros(1)}}
    state = [symoro.simulation.mechanics.State(0.0, qd=np.array([v]), **given) for v in (-1.0, 0.0, 1.0)]
    for t, sign in ((0.3, 1), (1.3, -1), (5.0, 0), (0.0, 0)):
        smooth = law.reference.at(t)[2][0, 0]
        assert [law(t, one)[0] for one in state] == pytest.approx([smooth + sign * FS] * 3, abs=1e-12)


# -- laws that jump with the state


def test_a_law_that_brakes_by_the_sign_of_the_velocity_stops_a_joint():
    law = lambda t, state: [(4.0 if t < 0.3 else 0.0) - 3 * np.sign(state.qd[0])]  # noqa: E731
    motion = symoro.simulate(slider(1.0, FS), 1.0, q=[0.0], tau=law)
    assert motion.finished and motion.qd[-1, 0] == 0
    assert motion.q[-1, 0] == pytest.approx(0.5**2 * 0.3**2 / 2 * (1 / 0.5 + 1 / 3.5), abs=1e-2)


def test_friction_compensated_by_the_measured_velocity_runs_too():
    smooth = symoro.controllers.computed_torque(slider(1.0), BACK, kp=100, kd=20)
    motion = symoro.simulate(
        slider(1.0, FS), 2.0, q=[0.0], tau=lambda t, state: smooth(t, state) + FS * np.sign(state.qd)
    )
    assert motion.finished and abs(motion.q[-1, 0]) < 1e-3


def test_a_law_that_holds_the_state_where_it_jumps_is_named():
    law = lambda t, state: [(2.0 if t < 0.3 else 0.0) - np.sign(state.qd[0])]  # noqa: E731
    motion = symoro.simulate(slider(1.0), 1.0, q=[0.0], tau=law)
    assert not motion.finished and "the torque of joint 1 alternates between -1 and 1" in motion.why
    assert motion.t[-1] == 0.6 and motion.q[-1, 0] == pytest.approx(0.09)


# -- what is given


def test_a_prescribed_torque_acts_independent_of_sticking_and_driven_joints():
    rows = [("P", 0, 0, 0, 0), ("P", "pi/2", 0, 0, 0)]
    robot = symoro.Robot.from_dh(rows, "kk", gravity=[0, 0, 0]).with_link(1, M=2).with_link(2, M=1)
    robot = robot.with_frame(1, GAM=4)
    for given in ({}, {"driven": {2: lambda t: (0.0, 0.0, 0.0)}}, {"tau": lambda t, _: [7.0, 0.0]}):
        for one in (robot, robot.with_frame(2, FS=0.5)):
            motion = symoro.simulate(one, 1.0, q=[0, 0], **given)
            assert motion.q[-1, 0] == pytest.approx(2 / 3, abs=1e-9) and (motion.tau[:, 0] == 4).all()
    with pytest.raises(ArgumentError, match="the robot prescribes 4"):
        symoro.simulate(robot, 1.0, q=[0, 0], tau=[7.0, 0.0])
    with pytest.raises(ArgumentError, match="motion cannot be prescribed"):
        symoro.simulate(robot, 1.0, q=[0, 0], driven={1: lambda t: (0.0, 0.0, 0.0)})
    with pytest.raises(NotApplicableError, match="the torque of joint 1 of robot 'robot' is prescribed"):
        symoro.controllers.computed_torque(robot, Trajectory((Move((1.0, 0.0), duration=1),), (0.0, 0.0)))


@pytest.mark.parametrize("method", ["DOP853", "rk4"])
def test_a_controller_or_watcher_changes_nothing_by_writing(method):
    def writes(t, state):
        state.qd[:] = 0
        return [0.0]

    def reads(state, tau):
        tau[:] = 9

    given = {"q": [0.0], "qd": [1.0], "method": method}
    with pytest.raises(ValueError, match="read-only"):
        symoro.simulate(slider(), 0.1, tau=writes, **given)
    assert (
        symoro.simulate(slider(), 0.1, **given, options=symoro.SimulationOptions(watch=reads)).tau == 0
    ).all()
    buffer = np.zeros(1)

    def reuses(t, _):
        buffer[0] = t
        return buffer

    motion = symoro.simulate(slider(), 0.1, tau=reuses, **given)
    assert motion.tau[:, 0] == pytest.approx(motion.t)


@pytest.mark.parametrize(
    "motion, word",
    [
        (lambda t: (0.0 if t < 0.5 else 1.0, 0.0, 0.0), "position jumps"),
        (lambda t: (max(0.0, t - 0.5), float(t > 0.5), 0.0), "velocity jumps"),
        (lambda t: (np.sin(2 * t), 5.0 if t > 0.1 else 2 * np.cos(2 * t), -4 * np.sin(2 * t)), "derivative"),
    ],
)
def test_a_motion_that_does_not_fit_its_rates_is_rejected_with_the_time(motion, word):
    with pytest.raises(ArgumentError, match=word):
        symoro.simulate(slider(), 1.0, q=[0.0], driven={1: motion})


@pytest.mark.parametrize("frequency", [1, 300])
def test_motions_that_are_fast_or_whose_acceleration_jumps_are_followed(frequency):
    w = 2 * np.pi * frequency
    swing = lambda t: (1e-3 * np.sin(w * t), 1e-3 * w * np.cos(w * t), -1e-3 * w * w * np.sin(w * t))  # noqa: E731
    ramp = lambda t: (t * t, 2 * t, 2.0) if t < 0.05 else (0.1 * t - 0.0025, 0.1, 0.0)  # noqa: E731
    for motion in (swing, ramp):
        result = symoro.simulate(slider(), 0.1, q=[0.0], driven={1: motion})
        assert result.finished and result.q[-1, 0] == pytest.approx(motion(0.1)[0])


def test_until_that_is_not_a_number_is_rejected():
    for given in (True, np.True_, np.nan, None, "1", [1.0, 2.0]):
        with pytest.raises(ArgumentError, match="'until' returns"):
            symoro.simulate(
                slider(),
                0.1,
                q=[0.0],
                options=symoro.SimulationOptions(until=lambda t, _, given=given: given),
            )


def test_a_dip_of_until_that_lasts_a_little_more_than_a_sample_ends_the_simulation():
    for moment in 0.2 + 0.0037 * np.arange(60):
        motion = symoro.simulate(
            slider(),
            1.0,
            q=[0.0],
            options=symoro.SimulationOptions(
                until=lambda t, _, a=moment: -1.0 if a < t < a + 0.0105 else 1.0
            ),
        )
        assert motion.t[-1] == pytest.approx(moment, abs=1e-9)


@pytest.mark.parametrize("where", ["tau", "until", "watch"])
def test_exceptions_of_user_functions_are_raised(where):
    for error in (FloatingPointError, np.linalg.LinAlgError, RuntimeError):

        def fails(*given, error=error):
            if (given[0] if where != "watch" else given[0].t) > 0.05:
                raise error("mine")
            return [0.0] if where == "tau" else 1.0

        with pytest.raises(error, match="mine"):
            symoro.simulate(slider(), 0.1, q=[0.0], **{where: fails})


def test_jumps_that_are_not_times_are_rejected():
    def law(t, _):
        return [0.0]

    law.jumps = ["soon"]
    with pytest.raises(ArgumentError, match="'jumps'"):
        symoro.simulate(slider(), 0.1, q=[0.0], tau=law)
