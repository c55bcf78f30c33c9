"""Events of a simulation: none is passed over between two looks, and what happens at one is what physics says."""

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError
from symoro.robot.description import Limits
from symoro.simulation.event_location import first_event
from tests.simulation.robots import slider

FINE = {"rtol": 1e-11, "atol": 1e-11}
NOISE = np.array([1e-12])


def thrown(start, speed, limit):
    """When a ball under g = 10 that is thrown up comes to a height."""
    return (speed - np.sqrt(speed**2 - 20 * (limit - start))) / 10


# -- what falls below zero


@pytest.mark.parametrize("depth", [1e-2, 1e-4, 1e-5])
@pytest.mark.parametrize("at", [0.013, 0.5, 0.77])
def test_a_function_that_is_negative_between_steps_is_located(at, depth):
    def values(t):
        return np.array([(t - at) ** 2 - depth**2])

    time, which, _ = first_event(values, 0.0, 1.0, values(0.0), NOISE)
    assert which == 0 and time == pytest.approx(at - depth, abs=1e-12)


@pytest.mark.parametrize("width", [1e-1, 1e-2, 5e-3])
def test_a_notch_and_a_jump_are_located(width):
    for values in (
        lambda t: np.array([abs(t - 0.6180) - width]),
        lambda t: np.array([-1.0 if abs(t - 0.6180) < width else 1.0]),
    ):
        time, which, _ = first_event(values, 0.0, 1.0, values(0.0), NOISE, longest=0.05)
        assert which == 0 and time == pytest.approx(0.6180 - width, abs=1e-12)


def test_the_first_of_several_events_is_located_and_a_constant_zero_is_not():
    def values(t):
        return np.array([1.0, (t - 0.5) ** 2 - 1e-6, 0.4 - t, np.inf, -1.0, (t - 0.5) ** 2 + 1e-9])

    noise = np.full(6, 1e-12)
    assert first_event(values, 0.0, 1.0, values(0.0), noise)[:2] == (pytest.approx(0.4), 2)
    assert first_event(values, 0.45, 1.0, values(0.45), noise)[:2] == (pytest.approx(0.499), 1)
    assert first_event(values, 0.52, 1.0, values(0.52), noise)[1] is None


def test_an_event_function_that_starts_at_zero_and_rises_has_a_later_event():
    def values(t):
        return np.array([t * (1e-3 - t)])

    time, which, _ = first_event(values, 0.0, 1.0, values(0.0), NOISE)
    assert which == 0 and time == pytest.approx(1e-3, abs=1e-12)


# -- stops and `until`


@pytest.mark.parametrize("speed, upper, duration", [(9.6, 5.0, 2.0), (100.0, 480.0, 30.0)])
def test_a_ball_does_not_pass_a_ceiling_below_the_top_of_its_flight(speed, upper, duration):
    robot = slider(1.0, lower=0.0, upper=upper)
    given = {"q": [0.5], "qd": [speed], "tau": [-10.0], "step": duration / 200}
    hit = thrown(0.5, speed, upper)
    motion = symoro.simulate(robot, duration, stops="end", **given)
    assert motion.t[-1] == pytest.approx(hit, abs=1e-9) and motion.q.max() <= upper * (1 + 1e-14)
    motion = symoro.simulate(
        robot, duration, **given, options=symoro.SimulationOptions(until=lambda t, state: upper - state.q[0])
    )
    assert motion.t[-1] == pytest.approx(hit, abs=1e-9)
    motion = symoro.simulate(robot, 1.5 * hit, stops=0.5, **given)
    late = motion.t[motion.t > hit] - hit
    back = upper - 0.5 * (speed - 10 * hit) * late - 5 * late**2
    assert np.abs(motion.q[motion.t > hit, 0] - back).max() < 1e-8 * upper


@pytest.mark.parametrize("short", [1e-3, 1e-6, 1e-8])
def test_a_ceiling_that_is_grazed_is_met(short):
    robot = slider(1.0, upper=0.5 + 9.6**2 / 20 - short)
    motion = symoro.simulate(robot, 2.0, q=[0.5], qd=[9.6], tau=[-10.0], stops="end", **FINE)
    assert motion.t[-1] == pytest.approx(0.96 - np.sqrt(short / 5), abs=1e-6)


@pytest.mark.parametrize("angle, short", [(0.8, 3e-3), (0.85, 1e-4), (0.9, 1e-3), (0.95, 3e-4)])
def test_a_pendulum_does_not_swing_past_its_stop(angle, short):
    robot = symoro.Robot.from_dh([("R", 0, 0, 0, 0)], "kk", gravity=[0, -9.81, 0])
    robot = robot.with_link(1, M=1, MX=1, ZZ=1)
    robot = robot.with_frame(1, limits=Limits(upper=angle - short - np.pi / 2))
    speed = np.sqrt(2 * 9.81 * (1 - np.cos(angle)))
    motion = symoro.simulate(robot, 1.5, q=[-np.pi / 2], qd=[speed], stops=0.5, step=0.05)
    assert motion.events and motion.q.max() <= angle - short - np.pi / 2 + 1e-12


def test_a_push_that_is_short_breaks_a_joint_away():
    """Nothing moves, and steps are long: the event follows from the torque alone."""
    motion = symoro.simulate(
        slider(1.0, 2.0), 10.0, q=[0.0], tau=lambda t, _: [3 * np.exp(-(((t - 5) / 0.05) ** 2))], **FINE
    )
    assert motion.events[0].what == "slides"
    assert motion.events[0].time == pytest.approx(5 - 0.05 * np.sqrt(np.log(1.5)), abs=1e-9)


@pytest.mark.parametrize("beyond", [0.0, 1e-13, 1e-11, 9e-10])
@pytest.mark.parametrize("speed", [0.0, -1.0])
def test_a_start_beyond_a_stop_by_round_off_is_one_at_the_stop(beyond, speed):
    robot = slider(1.0, lower=0.0, upper=5.0)
    motion = symoro.simulate(robot, 1.0, q=[-beyond], qd=[speed], tau=[-10.0], stops=0.5)
    assert motion.finished and motion.q.min() > -1e-14 and motion.q[-1, 0] == 0
    if speed:
        early = motion.t < 0.1
        assert np.abs(motion.q[early, 0] - 0.5 * motion.t[early] + 5 * motion.t[early] ** 2).max() < 1e-9
    with pytest.raises(ArgumentError, match="beyond its stops"):
        symoro.simulate(robot, 1.0, q=[-1e-8], tau=[-10.0], stops=0.5)  # 2e-9 of the travel


@pytest.mark.parametrize("force, bounce", [(10.0, 0.5), (1000.0, 0.9), (0.1, 0.8)])
def test_bounces_end_where_their_sum_does_and_gain_no_energy(force, bounce):
    fall = np.sqrt(2 / force)
    end = fall * (1 + 2 * bounce / (1 - bounce))
    robot = slider(1.0, lower=0.0)
    motion = symoro.simulate(robot, 1.1 * end, q=[1.0], tau=[-force], stops=bounce, step=end / 50)
    times = [event.time for event in motion.events]
    assert motion.finished and times[-1] == pytest.approx(end, rel=1e-4) and motion.q[-1, 0] == 0
    exact = fall * (1 + 2 * np.cumsum(bounce ** np.arange(1, 6)))
    assert np.abs(times[1:6] - exact).max() < 1e-8 * end
    assert np.diff(motion.E + force * motion.q[:, 0]).max() < 1e-8 * force


# -- impacts


@pytest.mark.parametrize("FS", [0.0, 1e-9, 1.0])
def test_a_joint_that_sticks_holds_nothing_against_an_impulse(FS):
    """Two rods in line, the first turns with 2 rad/s against its stop: A dqd = (impulse, 0)."""
    rod = {"M": 1, "MX": 0.5, "ZZ": "1/3"}
    robot = symoro.Robot.from_dh([("R", 0, 0, 0, 0), ("R", 0, 1, 0, 0)], "kk", gravity=[0, 0, 0])
    robot = robot.with_link(1, **rod).with_link(2, **rod).with_frame(2, FS=FS)
    robot = robot.with_frame(1, limits=Limits(upper=1.0))
    motion = symoro.simulate(robot, 0.5 + 1e-10, q=[0.0, 0.0], qd=[2.0, 0.0], stops=0.5, **FINE)
    assert motion.qd[-1] == pytest.approx([-1.0, 7.5], abs=1e-6)


@pytest.mark.parametrize("side, after", [(-1, [-0.5, 1.5]), (1, [-0.5, 0.0])])
def test_a_joint_at_a_stop_leaves_it_by_an_impulse_that_pulls_and_stays_by_one_that_pushes(side, after):
    """A mass that carries another against a stop: the other goes on, unless a stop ahead of it holds it."""
    robot = symoro.Robot.from_dh([("P", 0, 0, 0, 0), ("P", 0, 0, 0, 0)], "kk", gravity=[0, 0, 0])
    robot = robot.with_link(1, M=1).with_link(2, M=2).with_frame(1, limits=Limits(upper=1.0))
    robot = robot.with_frame(2, limits=Limits(lower=0.0) if side < 0 else Limits(upper=0.0))
    motion = symoro.simulate(
        robot, 1 + 1e-10, q=[0.0, 0.0], qd=[1.0, 0.0], tau=[0.0, side * 0.1], stops=0.5, **FINE
    )
    assert motion.events[0].joint == 2 and motion.events[0].time < 1e-12
    assert motion.qd[-1] == pytest.approx(after, abs=1e-8)


def test_friction_of_a_joint_with_a_spring_takes_energy():
    """Two rods, the second on a spring: what is lost is FS |qd| of both."""
    rod = {"M": 1, "MX": 0.5, "ZZ": "1/3"}
    robot = symoro.Robot.from_dh([("R", 0, 0, 0, 0), ("R", 0, 1, 0, 0)], "kk", gravity=[0, -9.81, 0])
    robot = robot.with_link(1, **rod).with_link(2, **rod)
    robot = robot.with_frame(1, FS=0.5).with_frame(2, FS=0.3, eta=True, k=50)
    motion = symoro.simulate(robot, 0.2, q=[0.0, 0.3], qd=[0.0, -1.0], step=1e-3, **FINE)
    power = np.abs(motion.qd) @ (0.5, 0.3)
    lost = ((power[1:] + power[:-1]) / 2 * np.diff(motion.t)).sum()
    assert motion.energy[0] - motion.energy[-1] == pytest.approx(lost, rel=1e-4) and lost > 0.3


@pytest.mark.parametrize(
    "seed", [3, 19, 20, 25, 105, 225, pytest.param(range(300, 500), marks=pytest.mark.slow)], ids=str
)
def test_two_rods_between_stops_stay_there_and_gain_no_energy(seed):
    """Friction and stops of both, any method: joints come to rest, strike together, and leave stops slowly."""
    rod = {"M": 1, "MX": 0.5, "ZZ": "1/3"}
    rods = symoro.Robot.from_dh([("R", 0, 0, 0, 0), ("R", 0, 1, 0, 0)], "kk", gravity=[0, -9.81, 0])
    rods = rods.with_link(1, **rod).with_link(2, **rod)
    for one in seed if isinstance(seed, range) else [seed]:
        rng = np.random.default_rng(one)
        robot, limits = rods, []
        for j in (1, 2):
            FS = float(rng.choice([0, 1e-6, 0.1, 1.0]))
            limits.append((-rng.uniform(0.01, 1.5), rng.uniform(0.01, 1.5)))
            robot = robot.with_frame(j, FS=FS, limits=Limits(*map(float, limits[-1])))
        lower, upper = np.transpose(limits)
        q, bounce, qd = rng.uniform(lower, upper), float(rng.choice([0, 0.3, 0.9])), rng.normal(size=2) * 3
        method = str(rng.choice(["DOP853", "RK45", "Radau", "LSODA"]))
        given = {"q": q, "qd": qd, "stops": bounce, "step": 0.005, "method": method}
        motion = symoro.simulate(robot, 1.0, **given, options=symoro.SimulationOptions(rtol=1e-7, atol=1e-7))
        assert motion.finished, motion.why
        assert (motion.q >= lower - 1e-6).all() and (motion.q <= upper + 1e-6).all()
        assert np.diff(motion.energy).max() < 1e-4
