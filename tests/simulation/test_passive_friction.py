"""Dry friction of joints without a coordinate: passive in loops and on wheels, or coupled; and of elastic joints."""

import numpy as np
import pytest

import symoro
from symoro.expr.formula import formula
from symoro.robot.coordinates import independent
from symoro.robot.description import Coupling, Limits
from symoro.robot.topology import moving_joints
from symoro.simulation.friction_and_stop_rows import ContactRows, without_friction
from symoro.simulation.mechanics import Mechanics
from tests.simulation.robots import numbered, slider, without_drives

POSTURE = [0.9, -0.9, 0.9]  # of the parallelogram, at a crank of 0.9
FINE = {"rtol": 1e-11, "atol": 1e-11}


def parallelogram(FS, **limits):
    """A four-bar whose crank and lever are alike, without gravity; FS of joints 1, 2 and 3."""
    robot = without_drives(symoro.load("fourbar")).bind({"D2": 0.3, "D3": 0.5, "D4": 0.5, "D5": 0.3, "G2": 0})
    for j, size in enumerate(FS, 1):
        robot = robot.with_frame(j, FS=size)
    return robot.with_frame(1, limits=Limits(**limits))


def burger(FS, FV=0.0):
    """The differential drive with numbers, no gravity needed: 1 kg and wheels of some grams."""
    robot = symoro.load("diffdrive")
    values = dict(robot.nominal)
    for name in robot.symbols():
        values.setdefault(name, {"M0": 0.8, "ZZ0": 4e-3}.get(name, 0.0))
    for j in (1, 2, 3, 4):
        values |= {f"M{j}": 0.03, f"ZZ{j}": 2e-5, f"FS{j}": FS[j - 1], f"FV{j}": FV}
    return robot.bind(values)


# -- what is known in formulas


def test_a_parallelogram_comes_to_rest_by_the_friction_of_all_its_joints_and_stays():
    """All joints turn as fast as the crank, and its inertia is the same everywhere: constant deceleration."""
    FS, v = (0.02, 0.05, 0.03), 1.0
    robot = parallelogram(FS)
    motion = symoro.simulate(robot, 3.0, q=POSTURE, qd=[v], **FINE)
    rates = symoro.generate(robot, "loop-kinematics").function()
    assert np.abs(np.abs(rates(q=motion.q[0], qd=np.zeros(3))["W"]) - 1).max() < 1e-12
    A = 0.009 + 0.072 + 0.9 * 0.3**2  # crank, rocker, and a coupler that does not turn
    end = A * v / sum(FS)
    assert 0.5 < end < 2.5
    assert {event.joint for event in motion.events if event.what == "sticks"} == {1, 2, 3}
    assert {event.time for event in motion.events if event.what == "sticks"} == {motion.events[-1].time}
    assert motion.events[-1].time == pytest.approx(end, abs=1e-9)
    angle = np.where(motion.t < end, v * motion.t - v / end * motion.t**2 / 2, v * end / 2)
    assert np.abs(motion.q[:, 0] - 0.9 - angle).max() < 1e-9
    assert (motion.qd[motion.t > end + 1e-9] == 0).all()


@pytest.mark.parametrize("static", [1.0, 1.5])
def test_joints_of_a_loop_break_away_together_at_the_sum_of_what_they_hold(static):
    robot = parallelogram((0.02, 0.05, 0.03))
    motion = symoro.simulate(
        robot,
        1.0,
        q=POSTURE,
        tau=lambda t, _: [0.2 * t],
        **FINE,
        options=symoro.SimulationOptions(static=static),
    )
    slides = [event for event in motion.events if event.what == "slides"]
    assert {event.joint for event in slides} == {1, 2, 3}
    for event in slides:
        assert event.time == pytest.approx(static * 0.1 / 0.2, abs=1e-9)
    assert (motion.qd[motion.t < slides[0].time] == 0).all() and motion.qd[-1, 0] > 0.1


def test_a_stop_is_left_when_the_torque_is_more_than_all_joints_hold():
    robot = parallelogram((0.02, 0.05, 0.03), upper=0.9)
    motion = symoro.simulate(
        robot,
        4.7,
        q=POSTURE,
        tau=lambda t, _: [0.3 - 0.1 * t],
        stops=0.0,
        **FINE,
        options=symoro.SimulationOptions(static=1.2),
    )
    assert [event.what for event in motion.events if event.time > 0 and event.joint == 1] == [
        "leaves its stop"
    ]
    left = next(event.time for event in motion.events if event.what == "leaves its stop")
    assert left == pytest.approx((0.3 + 1.2 * 0.1) / 0.1, abs=1e-9)
    assert motion.q[-1, 0] < 0.88


def test_a_castor_wheel_that_rubs_stops_a_robot_on_its_way_straight_on():
    """1 kg and four wheels that roll: (M + sum I/r^2) v' = -sum FS/r."""
    FS, r, speed = (1e-3, 1e-3, 2e-3, 5e-4), (0.033, 0.033, 0.015), 6.0
    motion = symoro.simulate(burger(FS), 4.0, q=np.zeros(4), qd=[speed, speed], **FINE)
    mass = 0.8 + 4 * 0.03 + 2e-5 * (2 / r[0] ** 2 + 1 / r[2] ** 2)
    force = FS[0] / r[0] + FS[1] / r[1] + FS[3] / r[2]
    end = mass * speed * r[0] / force
    assert 0.5 < end < 3.5 and motion.finished
    assert motion.events[-1].what == "sticks" and motion.events[-1].time == pytest.approx(end, abs=1e-8)
    assert np.abs(motion.q[:, 2]).max() < 1e-10  # the castor stays straight
    assert motion.parts["pose"][-1, 0] == pytest.approx(speed * r[0] * end / 2, abs=1e-9)
    assert (motion.qd[motion.t > end + 1e-6] == 0).all()


def test_a_castor_that_sticks_stays_as_it_is_and_the_robot_goes_in_a_circle():
    motion = symoro.simulate(burger((4e-3, 4e-3, 1e-3, 5e-4), 1e-4), 2.0, q=np.zeros(4), qd=[8.0, 6.0])
    stuck = next(event.time for event in motion.events if event.joint == 3 and event.what == "sticks")
    assert 0.05 < stuck < 0.5 and motion.finished and len(motion.events) < 20
    late = motion.t > stuck
    assert np.ptp(motion.q[late, 2]) < 1e-8 and abs(motion.q[-1, 2]) > 0.01
    x, y, heading = motion.parts["pose"][late & (motion.qd[:, 0] > 0)].T
    radius = np.hypot(np.diff(x), np.diff(y)) / np.diff(heading)
    assert np.ptp(radius) < 1e-6 * np.abs(radius).max()
    assert (motion.qd[-1] == 0).all()


def test_a_coupled_joint_rubs_with_its_ratio():
    """Two slides of 1 kg, the second going three times as far on the first: x and 4 x."""
    robot = symoro.Robot.from_dh([("P", 0, 0, 0, 0), ("P", 0, 0, 0, 0)], "kk", gravity=[0, 0, 0])
    robot = robot.with_link(1, M=1).with_link(2, M=1).with_frame(1, FS=0.5)
    robot = robot.with_frame(2, FS=0.4, coupling=Coupling(((1, formula("3")),), formula("0")))
    v, mass, force = 1.0, 1 + 16, 0.5 + 3 * 0.4
    end = mass * v / force
    motion = symoro.simulate(robot, 1.2 * end, q=[0.0], qd=[v], step=0.1, **FINE)
    assert motion.events[-1].what == "sticks" and motion.events[-1].time == pytest.approx(end, abs=1e-9)
    assert motion.q[-1, 0] == pytest.approx(v * end / 2, abs=1e-9) and motion.qd[-1, 0] == 0


def test_a_spring_with_friction_swings_less_by_the_same_amount_and_stays():
    """Half a swing takes 2 FS/k off; it stays where the spring pulls less than FS."""
    k, FS, x = 50.0, 1.0, 0.3
    robot = slider(2.0, FS).with_frame(1, eta=True, k=k)
    motion = symoro.simulate(robot, 6.0, q=[x], **FINE)
    half, turns = np.pi / np.sqrt(k / 2.0), [x]
    while abs(turns[-1]) > FS / k:
        turns.append(-(turns[-1] - np.sign(turns[-1]) * 2 * FS / k))
    assert len(turns) > 5
    assert motion.q[-1, 0] == pytest.approx(turns[-1], abs=1e-8) and motion.qd[-1, 0] == 0
    assert motion.events[-1].what == "sticks"
    assert motion.events[-1].time == pytest.approx(half * (len(turns) - 1), abs=1e-7)


# -- what physics keeps


def test_joints_between_flexible_links_stick_and_slide():
    robot = without_drives(symoro.load("flexible2r")).with_frame(1, FS=2.0).with_frame(2, FS=0.5)
    motion = symoro.simulate(robot, 0.1, q=[0.2, 0.3], qd=[1.0, -0.8], step=5e-4)
    assert {event.what for event in motion.events} == {"sticks", "slides"} and motion.finished
    lost = np.abs(motion.qd) @ [2.0, 0.5]
    total = np.concatenate([[0], np.cumsum((lost[1:] + lost[:-1]) / 2 * np.diff(motion.t))])
    assert np.abs(motion.energy[0] - motion.energy - total).max() < 1e-3 * total[-1] and total[-1] > 1e-3


@pytest.mark.parametrize("name, q, qd", [("fivebar", [1.9, 0.9], [1.0, -2.0]), ("slidercrank", [0.0], [3.0])])
def test_energy_goes_where_joints_rub(name, q, qd):
    """Reversals, sticking and a dead centre: what is lost is FS |v| of each joint, at each moment."""
    robot = without_drives(symoro.load(name))
    for j in moving_joints(robot):
        robot = robot.with_frame(j, FS=0.05 * j)
    motion = symoro.simulate(
        robot, 1.0, q=q, qd=qd, step=1e-3, options=symoro.SimulationOptions(rtol=1e-9, atol=1e-9)
    )
    assert motion.finished, motion.why
    bare, friction = without_friction(robot, {})
    mechanics = Mechanics(bare, {}, {})
    rates = np.array(
        [mechanics.tree_rates(np.concatenate([q, qd])) for q, qd in zip(motion.q, motion.qd, strict=True)]
    )
    sizes = {one.joint: one.FS for one in friction}
    lost = np.abs(rates) @ np.array([sizes[j] for j in motion.joints])
    total = np.concatenate([[0], np.cumsum((lost[1:] + lost[:-1]) / 2 * np.diff(motion.t))])
    assert np.abs(motion.energy[0] - motion.energy - total).max() < 1e-4 * total[-1] and total[-1] > 0.03
    assert any(event.what == "sticks" for event in motion.events)


DELTA = pytest.param("delta", marks=pytest.mark.slow)


@pytest.mark.parametrize(
    "name", ["fivebar", "slidercrank", DELTA, "sr400", "diffdrive", "mobile_manipulator", "car_ackermann"]
)
def test_sliding_joints_push_as_the_models_have_it(name):
    robot = numbered(symoro.load(name))
    for j in moving_joints(robot):
        robot = robot.with_frame(j, FS=0.1 + 0.03 * j)
    bare, friction = without_friction(robot, {})
    assert len(friction) == len(moving_joints(robot))
    whole, parts = Mechanics(robot, {}, {}), Mechanics(bare, {}, {})
    rng = np.random.default_rng(4)
    near = robot.postures.get("home", np.full(len(independent(robot)), 0.3))
    y = whole.start({"q": near, "qd": rng.normal(size=len(whole.coordinates))})
    contact = ContactRows(parts, friction)
    rows = contact.matrix(y)
    push = -(contact.friction * np.sign(rows @ y[whole.parts["qd"]])) @ rows
    tau = rng.normal(size=len(whole.coordinates))
    one, two = whole.accelerations(y, tau), parts.accelerations(y, tau + push)
    assert np.abs(one - two).max() < 1e-8 * (1 + np.abs(one).max())


@pytest.mark.parametrize("name", ["fivebar", DELTA, "diffdrive", "mobile_manipulator"])
def test_the_drift_of_passive_joints_is_what_their_velocities_gain(name):
    robot = without_drives(numbered(symoro.load(name)))
    mechanics = Mechanics(robot, {}, {})
    near = robot.postures.get("home", np.full(len(independent(robot)), 0.3))
    n = len(mechanics.coordinates)
    y = mechanics.start({"q": near, "qd": np.linspace(0.4, -0.3, n)})
    h, sides = 1e-5, []
    for sign in (1, -1):
        moved = y.copy()
        moved[mechanics.parts["q"]] += sign * h * mechanics.tree_rates(y)
        sides.append(mechanics.tree_rates(moved))
    slopes = (sides[0] - sides[1]) / (2 * h)
    assert np.abs(slopes - mechanics.tree_drift(y)).max() < 1e-6 * (1 + np.abs(slopes).max())


def test_a_slider_turns_at_its_dead_centres_and_does_not_stick_there():
    robot = without_drives(symoro.load("slidercrank")).bind({"G2": 0}).with_frame(3, FS=0.05)
    motion = symoro.simulate(robot, 0.5, q=[0.5], qd=[20.0], step=1e-3, **FINE)
    turned = [event for event in motion.events if event.time > 0]
    crank = np.interp([event.time for event in turned], motion.t, motion.q[:, 0])
    assert len(turned) >= 3 and {event.what for event in turned} == {"slides"}
    assert np.abs(crank - np.pi * np.arange(1, len(turned) + 1)).max() < 1e-4
    lost = np.sum(np.abs(np.diff(motion.q[:, 2])) * 0.05)
    assert motion.energy[0] - motion.energy[-1] == pytest.approx(lost, rel=1e-3)


def test_a_pendulum_loses_what_its_friction_takes_between_two_turning_points():
    """m g l (cos a - cos b) = FS (a + b) from rest to rest, and it stays where gravity is less than FS."""
    weight, FS = 9.81, 0.8
    robot = symoro.Robot.from_dh([("R", 0, 0, 0, 0)], "kk", gravity=[0, -weight, 0])
    robot = robot.with_link(1, M=1, MX=1, ZZ=1).with_frame(1, FS=FS)
    motion = symoro.simulate(robot, 8.0, q=[-0.3], **FINE)
    assert motion.finished and motion.events[-1].what == "sticks" and motion.qd[-1, 0] == 0
    turns = [0.0, *(event.time for event in motion.events if event.time > 0)]
    angles = [-0.3]
    for _ in turns[1:]:
        at = angles[-1]
        swing = np.sign(np.cos(at)) * np.linspace(0.01, np.pi, 4000)
        level = weight * (np.sin(at) - np.sin(at - swing)) - FS * np.abs(
            swing
        )  # kinetic energy on the way down
        k = int(np.flatnonzero(level < 0)[0])
        angles.append(float(at - np.interp(0.0, [level[k], level[k - 1]], [swing[k], swing[k - 1]])))
    assert len(turns) > 5 and abs(weight * np.cos(motion.q[-1, 0])) < FS
    assert motion.q[-1, 0] == pytest.approx(angles[-1], abs=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_loops_with_friction_and_stops_gain_no_energy(seed):
    rng = np.random.default_rng(seed)
    robot = parallelogram(rng.choice([0.0, 1e-4, 0.02], size=3), lower=0.9 - rng.uniform(0.1, 1), upper=1.4)
    restitution, speed = float(rng.choice([0.0, 0.4, 0.9])), float(rng.choice([-1, 1]) * rng.uniform(2, 5))
    given = {"stops": restitution, "static": float(rng.choice([1.0, 1.3])), "step": 0.005}
    motion = symoro.simulate(
        robot, 1.0, q=POSTURE, qd=[speed], **given, options=symoro.SimulationOptions(rtol=1e-8, atol=1e-8)
    )
    assert motion.finished, motion.why
    limits = robot.frame(1).limits
    assert limits.lower - 1e-6 <= motion.q[:, 0].min() and motion.q[:, 0].max() <= limits.upper + 1e-6
    assert np.diff(motion.energy).max() < 1e-9 * (1 + motion.energy[0])
    assert "meets its stop" in {event.what for event in motion.events}


def test_robots_that_start_at_rest_on_wheels_stay_there():
    motion = symoro.simulate(burger((4e-3, 4e-3, 1e-3, 5e-4)), 1.0, q=[0, 0, 0.4, 0], tau=[3e-3, -3e-3])
    assert (motion.qd == 0).all() and np.ptp(motion.parts["pose"]) == 0


def test_friction_in_a_joint_that_its_driven_ones_lead_is_part_of_their_torque():
    """The crank of a parallelogram follows a motion: inertia, and the friction of all joints."""
    FS = (0.02, 0.05, 0.03)
    robot = parallelogram(FS)
    motion = symoro.simulate(
        robot,
        1.0,
        q=POSTURE,
        qd=[0.0],
        driven={1: lambda t: (0.9 + 0.5 * np.sin(4 * t) ** 2, 2 * np.sin(8 * t), 16 * np.cos(8 * t))},
        **FINE,
    )
    A = 0.009 + 0.072 + 0.9 * 0.3**2
    t = motion.t[1:-1]
    wanted = A * 16 * np.cos(8 * t) + sum(FS) * np.sign(np.sin(8 * t))
    assert np.abs(motion.tau[1:-1, 0] - wanted)[np.abs(np.sin(8 * t)) > 1e-6].max() < 1e-8


def test_all_joints_of_a_delta_may_rub():
    robot = symoro.load("delta")
    for j in moving_joints(robot):
        robot = robot.with_frame(j, FS=1e-3)
    motion = symoro.simulate(
        robot,
        0.05,
        q=robot.postures["home"],
        tau=[0, 0, 0],
        options=symoro.SimulationOptions(rtol=1e-7, atol=1e-8),
    )
    assert motion.finished and np.isfinite(motion.q).all()
