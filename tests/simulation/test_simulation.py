"""Simulation of every structure: what physics keeps is kept, what is known in formulas is met."""

from dataclasses import replace

import numpy as np
import pytest

import symoro
from symoro.errors import (
    ArgumentError,
    NotApplicableError,
    OptionError,
    UnknownNameError,
)
from symoro.models.numeric.rotation import from_quaternion
from symoro.progress import listening
from symoro.robot.description import ZERO3
from symoro.robot.topology import moving_joints
from symoro.trajectory.samples import Samples
from symoro.trajectory.trajectory import Fourier, Move, Trajectory
from tests.models.dynamic.cases import seeded_tree
from tests.models.dynamic.floating.cases import afloat, without_wrenches
from tests.simulation.robots import belt, frictionless_rx90, numbered, slider, without_drives

FINE = {"rtol": 1e-11, "atol": 1e-11}


def drift(result):
    assert result.finished, result.why
    return np.ptp(result.energy) / max(1.0, np.abs(result.energy).max(), result.E.max())


# -- energy


def test_a_frictionless_arm_keeps_its_energy():
    robot, q, qd = frictionless_rx90()
    motion = symoro.simulate(robot, 2.0, q=q, qd=qd, options=symoro.SimulationOptions(rtol=1e-12, atol=1e-12))
    assert np.ptp(motion.energy) < 1e-8
    assert np.ptp(motion.E) > 10  # it moves


@pytest.mark.slow
def test_a_frictionless_arm_keeps_its_energy_for_a_minute():
    robot, q, qd = frictionless_rx90()
    motion = symoro.simulate(
        robot, 60.0, q=q, qd=qd, step=0.05, options=symoro.SimulationOptions(rtol=1e-12, atol=1e-12)
    )
    assert np.ptp(motion.energy) < 1e-8


def test_a_tree_keeps_its_energy():
    robot = without_drives(numbered(symoro.load("humanoid_torso")))
    (n,) = symoro.generate(robot, "energy").inputs["q"]
    motion = symoro.simulate(robot, 0.3, q=np.full(n, 0.2), qd=np.linspace(-0.5, 0.5, n), **FINE)
    assert drift(motion) < 1e-8


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("base", ["fixed", "floating"])
def test_random_trees_keep_their_energy(seed, base):
    robot = without_wrenches(seeded_tree(seed, 4, coupled=seed == 1)).replace(payload=None)
    still = dict.fromkeys(("V0", "VP0", "W0", "WP0"), ZERO3)
    robot = robot.replace(base=replace(robot.base, **still))
    robot = without_drives(afloat(robot, seed, wrench=False) if base == "floating" else robot)
    n = symoro.generate(robot, "direct-dynamics").inputs["q"][0]
    rng = np.random.default_rng(seed)
    start = {"V0": rng.normal(size=6), "Q0": rng.normal(size=4)} if base == "floating" else {}
    motion = symoro.simulate(
        robot,
        0.2,
        q=rng.normal(size=n),
        qd=rng.normal(size=n),
        step=0.02,
        **FINE,
        options=symoro.SimulationOptions(start=start),
    )
    assert drift(motion) < 1e-8


@pytest.mark.parametrize("name, q, qd", [("fourbar", [0.7], [1.0]), ("fivebar", [1.9, 0.9], [0.4, -0.3])])
def test_closed_loops_keep_their_energy_and_stay_closed(name, q, qd):
    robot = without_drives(symoro.load(name))
    motion = symoro.simulate(robot, 1.0, q=q, qd=qd, **FINE)
    assert drift(motion) < 1e-8
    loop = symoro.generate(robot, "loop-geometry").function()
    for row in motion.q[::20]:
        active = [k for k, j in enumerate(motion.joints) if j in motion.coordinates]
        rows = loop(qa=row[active])
        near = np.abs(np.angle(np.exp(1j * (rows["q"] - row)))).max(axis=1)
        assert near[rows["status"] == 0].min() < 1e-10


def test_a_floating_base_keeps_energy_momentum_and_its_rotation():
    robot = without_drives(symoro.load("planar2r").floating().with_link(0, mass=3, inertia=[0.2, 0.3, 0.4]))
    robot = robot.bind({"G2": 0}).replace()
    start = {"V0": [0.3, -0.2, 0.5, 0.4, -0.7, 0.6], "Q0": [0.8, 0.1, -0.3, 0.2], "P0": [1, 2, 3]}
    motion = symoro.simulate(
        robot, 2.0, q=[0.3, 0.7], qd=[1.0, -2.0], **FINE, options=symoro.SimulationOptions(start=start)
    )
    assert drift(motion) < 1e-9
    momentum = symoro.generate(robot, "centroidal-momentum").function()
    world, first = [], None
    for k in range(0, len(motion.t), 20):
        R = from_quaternion(motion.parts["Q0"][k])
        h = momentum(q=motion.q[k], qd=motion.qd[k], V0=motion.parts["V0"][k])
        world.append(np.concatenate([R @ h["h"][:3], R @ h["h"][3:]]))
        com = motion.parts["P0"][k] + R @ h["com"]
        mass = 5.0
        first = com if first is None else first
        assert np.abs(com - first - motion.t[k] * world[0][:3] / mass).max() < 1e-9
    assert np.ptp(world, axis=0).max() < 1e-9
    assert np.abs(np.linalg.norm(motion.parts["Q0"], axis=1) - 1).max() < 1e-14


def test_loops_on_a_floating_base_keep_their_energy():
    robot = without_drives(symoro.load("fivebar").floating().with_link(0, mass=3, inertia=[0.2, 0.3, 0.4]))
    motion = symoro.simulate(
        robot,
        0.5,
        q=[1.9, 0.9],
        qd=[0.4, -0.3],
        **FINE,
        options=symoro.SimulationOptions(start={"V0": [0.1, 0, 0, 0.3, 0.2, 0.1]}),
    )
    assert drift(motion) < 1e-8


def test_elastic_joints_keep_their_energy_and_swing():
    robot = without_drives(numbered(symoro.load("rx90_elastic")))
    motion = symoro.simulate(robot, 0.5, q=np.full(6, 0.1), **FINE)
    assert drift(motion) < 1e-9 and np.ptp(motion.U) > 1e-3


def test_a_spring_and_a_mass_swing_as_they_should():
    robot = slider(2.0).with_frame(1, eta=True, k=50.0, rest=0.1)
    motion = symoro.simulate(robot, 2.0, q=[0.3], **FINE)
    assert np.abs(motion.q[:, 0] - (0.1 + 0.2 * np.cos(5 * motion.t))).max() < 1e-9


def test_flexible_links_keep_their_energy():
    robot = without_drives(symoro.load("flexible2r"))
    e = np.array([0.01, 0.0, -0.01, 0.0])
    motion = symoro.simulate(
        robot, 0.2, q=[0.2, 0.3], qd=[0.5, -0.4], **FINE, options=symoro.SimulationOptions(start={"e": e})
    )
    assert drift(motion) < 1e-7 and np.ptp(motion.parts["e"]) > 1e-4


def test_wheels_keep_their_energy_and_roll_straight_on():
    robot = without_drives(numbered(symoro.load("diffdrive")))
    start = {"pose": [1, 2, 0.5]}
    assert (
        drift(
            symoro.simulate(
                robot,
                1.0,
                q=np.zeros(4),
                qd=[2.0, 1.0],
                **FINE,
                options=symoro.SimulationOptions(start=start),
            )
        )
        < 1e-9
    )
    driven = dict.fromkeys(
        symoro.simulate(robot, 0.01, q=np.zeros(4)).coordinates, lambda t: (2 * t, 2.0, 0.0)
    )
    motion = symoro.simulate(
        robot,
        1.0,
        q=np.zeros(4),
        qd=[2.0, 2.0],
        driven=driven,
        **FINE,
        options=symoro.SimulationOptions(start=start),
    )
    way = motion.parts["pose"] - motion.parts["pose"][0]
    across = -np.sin(0.5) * way[:, 0] + np.cos(0.5) * way[:, 1]
    assert np.abs(across).max() < 1e-9 and np.abs(way[:, 2]).max() < 1e-9  # straight on
    assert np.hypot(way[-1, 0], way[-1, 1]) > 0.01


def test_a_mobile_manipulator_keeps_its_energy():
    robot = without_drives(symoro.load("mobile_manipulator"))
    q = np.full(7, 0.2)
    motion = symoro.simulate(robot, 0.5, q=q, qd=[1, 0.5, 0.1, -0.2, 0.3], **FINE)
    assert drift(motion) < 1e-8


# -- torques


def test_constant_and_commanded_torques_are_the_same():
    """In the same steps: those of a function are bounded by the samples."""
    one = symoro.simulate(
        "planar2r",
        0.5,
        q=[0.1, 0.2],
        tau=[1.0, -0.5],
        **FINE,
        options=symoro.SimulationOptions(max_step=0.01),
    )
    two = symoro.simulate(
        "planar2r",
        0.5,
        q=[0.1, 0.2],
        tau=lambda t, state: [1.0, -0.5],
        **FINE,
        options=symoro.SimulationOptions(max_step=0.01),
    )
    assert np.abs(one.q - two.q).max() < 1e-12 and (one.tau == two.tau).all()


def test_torques_of_a_motion_give_the_motion_back():
    """The torques of the inverse model at the moments that the integrator asks for."""
    path = Trajectory((Move((0.5, -0.3, 0.4), duration=1),), (0.1, 0.2, -0.2))
    samples = symoro.trajectory.sampled("filip3r", path, step=0.001)
    inverse = symoro.generate("filip3r", "inverse-dynamics").function()

    def tau(t, _):
        q, qd, qdd = (x[0] for x in samples.at(t))
        return inverse(q=q, qd=qd, qdd=qdd)["tau"]

    motion = symoro.simulate(
        "filip3r", 1.0, q=(0.1, 0.2, -0.2), tau=tau, options=symoro.SimulationOptions(rtol=1e-12, atol=1e-13)
    )
    assert np.abs(motion.q[-1] - (0.5, -0.3, 0.4)).max() < 1e-6


def test_the_computed_torque_law_brings_an_error_to_rest():
    """The error obeys e'' + kd e' + kp e = 0; with kd = 2 sqrt(kp) it is (1 + w t) exp(-w t)."""
    path = Trajectory((Move((0.5, -0.3, 0.4), duration=1),), (0.1, 0.2, -0.2))
    law = symoro.controllers.computed_torque("filip3r", path, kp=100.0, kd=20.0)
    off = np.array([0.2, -0.1, 0.05])
    motion = symoro.simulate("filip3r", 1.0, q=off + np.array([0.1, 0.2, -0.2]), tau=law, **FINE)
    samples = symoro.trajectory.sampled("filip3r", path, step=0.01)
    error = motion.q - samples.q
    assert np.abs(error - np.outer((1 + 10 * motion.t) * np.exp(-10 * motion.t), off)).max() < 1e-7


def test_the_law_on_closed_loops():
    path = Trajectory((Move((1.6, 1.2), duration=0.5),), (1.9, 0.9))
    law = symoro.controllers.computed_torque("fivebar", path)
    motion = symoro.simulate("fivebar", 0.5, q=[1.9, 0.9], tau=law)
    assert np.abs(motion.q[-1, [0, 2]] - (1.6, 1.2)).max() < 1e-8


# -- joints that follow a motion


def swing(t):
    return 0.3 * np.sin(2 * t), 0.6 * np.cos(2 * t), -1.2 * np.sin(2 * t)


def test_driven_joints_follow_their_motion_and_the_others_the_hybrid_model():
    motion = symoro.simulate(
        "filip3r", 0.1, q=[0.0, 0.5, 0.2], qd=[0.6, 0, 0], driven={1: swing}, step=2e-4, **FINE
    )
    assert np.abs(motion.q[:, 0] - 0.3 * np.sin(2 * motion.t)).max() < 1e-12
    hybrid = symoro.generate("filip3r", "inverse-dynamics", free=[2, 3]).function()
    qdd = np.zeros_like(motion.qd)
    qdd[:, 0] = -1.2 * np.sin(2 * motion.t)
    reported = hybrid(q=motion.q, qd=motion.qd, qdd=qdd, tau_free=np.zeros((len(motion.t), 3)))
    assert np.abs(reported["tau"][:, 0] - motion.tau[:, 0]).max() < 1e-9
    slopes = np.gradient(motion.qd, motion.t, axis=0)
    assert np.abs(slopes - reported["qdd_out"])[2:-2].max() < 1e-4 * np.abs(slopes).max()


def test_energy_is_what_driven_joints_put_in():
    motion = symoro.simulate(
        "filip3r", 1.0, q=[0.0, 0.5, 0.2], qd=[0.6, 0, 0], driven={1: swing}, step=1e-3, **FINE
    )
    from scipy.integrate import simpson

    power = motion.tau[:, 0] * motion.qd[:, 0]
    for upto in (301, 701, 1001):
        work = simpson(power[:upto], x=motion.t[:upto])
        gained = motion.energy[upto - 1] - motion.energy[0]
        assert gained == pytest.approx(work, abs=1e-7 * np.ptp(motion.energy))


def _middle(x):
    return (x[1:] + x[:-1]) / 2


def test_a_base_follows_from_joints_that_are_all_driven():
    """Eel with prescribed motions of all joints: without gravity and drag the momentum remains zero."""
    robot = without_drives(symoro.load("planar2r").floating().with_link(0, mass=3, inertia=[0.2, 0.3, 0.4]))
    robot = robot.bind({"G2": 0})
    start = {"V0": np.zeros(6)}

    def soft(t):
        return 0.1 * t**3, 0.3 * t**2, 0.6 * t

    motion = symoro.simulate(
        robot, 1.0, q=[0, 0], driven={1: soft, 2: soft}, **FINE, options=symoro.SimulationOptions(start=start)
    )
    momentum = symoro.generate(robot, "centroidal-momentum").function()
    h = momentum(q=motion.q[-1], qd=motion.qd[-1], V0=motion.parts["V0"][-1])["h"]
    assert np.abs(h).max() < 1e-9 and np.abs(motion.parts["V0"][-1]).max() > 0.01


def test_driven_joints_of_loops_and_of_wheels():
    def turn(t):
        return 1.9 - 0.1 * t**2, -0.2 * t, -0.2

    motion = symoro.simulate("fivebar", 0.5, q=[1.9, 0.9], driven={1: turn}, **FINE)
    assert np.abs(motion.q[:, 0] - 1.9 + 0.1 * motion.t**2).max() < 1e-12

    def steer(t):
        return 0.2 + 0.1 * t**2, 0.2 * t, 0.2

    car = numbered(symoro.load("car"))
    sizes = symoro.generate(car, "direct-dynamics").inputs
    joints = [j for j in (1, 2, 3) if car.frame(j).mu]
    motion = symoro.simulate(car, 0.5, q=np.full(sizes["q"][0], 0.2), driven={joints[-1]: steer}, **FINE)
    assert motion.finished
    steering = motion.q[:, motion.joints.index(joints[-1])]
    assert np.abs(steering - 0.2 - 0.1 * motion.t**2).max() < 1e-12


def test_a_driven_joint_of_a_loop_starts_where_its_motion_does_and_the_loops_close_there():
    def still(t):
        return 1.8, 0.0, 0.0

    with pytest.raises(
        ArgumentError, match=r"q of joint 1 is 1\.9 at the start, but its prescribed motion starts at 1\.8"
    ):
        symoro.simulate("fivebar", 0.1, q=[1.9, 0.9], driven={1: still})
    motion = symoro.simulate("fivebar", 0.1, q=[1.80001, 0.9], driven={1: still})
    loop = symoro.generate("fivebar", "loop-geometry").function()
    rows = loop(qa=motion.q[0, [0, 2]])
    assert motion.q[0, 0] == 1.8
    assert np.abs(rows["q"][rows["status"] == 0] - motion.q[0]).max(axis=1).min() < 1e-9


def test_a_motion_whose_velocity_is_another_is_rejected():
    with pytest.raises(ArgumentError, match="not the derivative"):
        symoro.simulate("filip3r", 1.0, q=[0, 0, 0], driven={1: lambda t: (t, 0.0, 0.0)})


def table(t):
    """Joint 1 of a pair in samples: a sine, or a move from rest to rest."""
    t = np.asarray(t)
    return Samples((1,), t, *(f[:, None] for f in (np.sin(t), np.cos(t), -np.sin(t))))


def test_samples_must_last_as_long_as_the_simulation_or_end_at_rest():
    sine = table(np.linspace(0, 1, 101))
    assert symoro.simulate("planar2r", 1.0, q=[0, 1], driven=sine).finished
    with pytest.raises(ArgumentError, match=r"motion of joint 1 ends at t = 1 s with the velocity 0\.54"):
        symoro.simulate("planar2r", 2.0, q=[0, 1], driven=sine)
    with pytest.raises(
        ArgumentError, match=r"motion of joint 1 begins at t = 0\.5 s with the velocity 0\.87"
    ):
        symoro.simulate("planar2r", 1.0, q=[0, 1], driven=table(np.linspace(0.5, 1, 51)))
    quarter = table(np.linspace(0, np.pi / 2, 101))
    motion = symoro.simulate("planar2r", 2.0, q=[0, 1], driven=quarter, step=0.1)
    assert np.abs(motion.q[:, 0] - np.sin(np.minimum(motion.t, np.pi / 2))).max() < 1e-9


def test_a_start_that_contradicts_a_motion_is_rejected():
    sine = table(np.linspace(0, 1, 101))
    with pytest.raises(
        ArgumentError, match=r"q of joint 1 is 0\.7 at the start, but its prescribed motion starts at 0"
    ):
        symoro.simulate("planar2r", 1.0, q=[0.7, 1], driven=sine)
    with pytest.raises(
        ArgumentError, match="qd of joint 1 is 0 at the start, but its prescribed motion starts at 1"
    ):
        symoro.simulate("planar2r", 1.0, q=[0, 1], qd=[0, 0], driven=sine)
    given = symoro.simulate("planar2r", 0.2, q=[0, 1], qd=[1, 0], driven=sine)
    assert (given.q == symoro.simulate("planar2r", 0.2, q=[0, 1], driven=sine).q).all()


@pytest.mark.parametrize("end", [0.5, 0.123456])
def test_a_motion_that_is_no_longer_finite_ends_the_simulation_with_a_reason(end):
    def prescribed(t):
        return (0.3 * t if t <= end else np.nan), 0.3, 0.0

    motion = symoro.simulate("planar2r", 1.0, q=[0, 1], driven={1: prescribed})
    assert not motion.finished and f"joint 1 is not finite from t = {end:g} s on" in motion.why
    assert motion.t[-1] == pytest.approx(end, abs=1e-12) and np.isfinite(motion.q).all()
    assert np.abs(motion.q[:, 0] - 0.3 * motion.t).max() < 1e-12


# -- friction


def test_a_sliding_mass_comes_to_rest_and_stays():
    m, FS, v = 2.0, 3.0, 1.5
    motion = symoro.simulate(slider(m, FS), 3.0, q=[0.0], qd=[v], **FINE)
    end = m * v / FS
    x = np.where(motion.t < end, v * motion.t - FS / m * motion.t**2 / 2, m * v**2 / FS / 2)
    assert np.abs(motion.q[:, 0] - x).max() < 1e-10
    assert [event.what for event in motion.events] == ["slides", "sticks"]
    assert motion.events[-1].time == pytest.approx(end, abs=1e-10)
    assert (motion.qd[motion.t > end + 1e-9] == 0).all()


@pytest.mark.parametrize("FS", [1e-8, 1e-3, 1.0])
def test_friction_of_any_size_stops_a_mass_at_the_same_place_as_in_formulas(FS):
    v = np.sqrt(2 * FS * 0.5)  # comes to rest after half a metre
    motion = symoro.simulate(
        slider(1.0, FS),
        1.2 * v / FS,
        q=[0.0],
        qd=[v],
        step=0.1 * v / FS,
        options=symoro.SimulationOptions(rtol=1e-11, atol=1e-14),
    )
    assert motion.q[-1, 0] == pytest.approx(0.5, abs=1e-8) and motion.qd[-1, 0] == 0


def test_a_push_below_friction_moves_nothing_and_one_above_does():
    robot = slider(1.0, 2.0)
    still = symoro.simulate(robot, 1.0, q=[0.0], tau=[1.999])
    assert (still.q == 0).all()
    moved = symoro.simulate(robot, 1.0, q=[0.0], tau=[2.5], **FINE)
    assert np.abs(moved.q[:, 0] - 0.25 * moved.t**2).max() < 1e-10
    rising = symoro.simulate(robot, 2.0, q=[0.0], tau=lambda t, _: [2 * t], **FINE)  # slides from t = 1
    late = np.maximum(rising.t - 1, 0)
    assert np.abs(rising.q[:, 0] - late**3 / 3).max() < 1e-9


def stick_slip(FS, static, mass, stiffness, speed, t):
    """The place of a mass held by a spring on a belt that it rubs on: stuck at first, then in cycles, in formulas."""
    w = np.sqrt(stiffness / mass)
    kinetic, break_away = FS / stiffness, static * FS / stiffness
    x, now = np.empty_like(t), 0.0
    start = 0.0  # where it sticks
    switches = []
    while now < t[-1] + 1:
        loose = now + (break_away - start) / speed
        stuck = (t >= now) & (t < loose)
        x[stuck] = start + speed * (t[stuck] - now)
        # m x'' = FS - k x from x = break_away with the belt's speed, until the speed is the belt's again
        a, b = break_away - kinetic, speed / w
        phase = 2 * np.pi - 2 * np.arctan2(a, b)
        again = loose + phase / w
        free = (t >= loose) & (t < again)
        s = w * (t[free] - loose)
        x[free] = kinetic + a * np.cos(s) + b * np.sin(s)
        start = kinetic + a * np.cos(phase) + b * np.sin(phase)
        switches += [loose, again]
        now = again
    return x, switches


@pytest.mark.parametrize("static", [1.2, 1.5, 3.0])
def test_stick_slip_of_a_mass_on_a_belt(static):
    m, k, FS, v = 1.3, 40.0, 6.0, 0.35
    robot = belt(m, FS)

    def spring(_, state):
        return [0.0, -k * (state.q[0] + state.q[1])]

    moving = {1: lambda t: (v * t, v, 0.0)}
    motion = symoro.simulate(
        robot,
        6.0,
        q=[0, 0],
        qd=[v, 0],
        tau=spring,
        driven=moving,
        step=0.005,
        **FINE,
        options=symoro.SimulationOptions(static=static),
    )
    x, switches = stick_slip(FS, static, m, k, v, motion.t)
    assert np.abs(motion.q.sum(axis=1) - x).max() < 1e-8
    reported = [event.time for event in motion.events if event.time > 0]
    assert len(reported) >= 5
    assert np.abs(np.array(reported) - switches[: len(reported)]).max() < 1e-9
    assert [e.what for e in motion.events if e.time > 0][:4] == ["slides", "sticks", "slides", "sticks"]


def test_with_equal_friction_at_rest_the_mass_is_caught_once_and_then_swings():
    """From rest it slides until it is as fast as the belt, sticks up to k x = FS, then swings and just touches."""
    m, k, FS, v = 1.0, 25.0, 5.0, 0.5
    w, x0 = 5.0, 0.2
    robot = belt(m, FS)
    motion = symoro.simulate(
        robot,
        2.0,
        q=[0, 0],
        qd=[v, -v],
        tau=lambda _, s: [0.0, -k * (s.q[0] + s.q[1])],
        driven={1: lambda t: (v * t, v, 0.0)},
        **FINE,
    )
    caught = np.arcsin(v / (x0 * w)) / w
    at = x0 * (1 - np.cos(w * caught))
    loose = caught + (x0 - at) / v
    t = motion.t
    x = np.where(
        t < caught,
        x0 * (1 - np.cos(w * t)),
        np.where(t < loose, at + v * (t - caught), x0 + v / w * np.sin(w * (t - loose))),
    )
    upto = t < loose + 2 * np.pi / w - 1e-3  # there it touches the belt's speed
    assert np.abs(motion.q.sum(axis=1) - x)[upto].max() < 1e-8


def test_motors_of_a_delta_that_start_in_motion_follow_the_law():
    robot = symoro.load("delta")
    home = np.array(robot.postures["home"])
    result, free = (
        symoro.simulate(
            robot,
            0.02,
            q=home,
            qd=[0.5, 0.4, 0.6],
            options=symoro.SimulationOptions(rtol=1e-7, atol=1e-8, friction=how),
        )
        for how in ("events", "sign")
    )
    assert result.finished and {event.what for event in result.events} == {"slides"}
    assert np.abs(result.q - free.q).max() < 1e-12 and np.abs(result.qd[-1] - result.qd[0]).min() > 0.1
    assert np.diff(result.energy).max() < 0  # friction takes


def test_two_joints_stick_and_break_away_one_after_the_other():
    robot = (
        symoro.load("filip3r")
        .bind({"g": 0})
        .with_frame(1, FS=1.0)
        .with_frame(2, FS=0.5)
        .with_frame(3, FS=0.2)
    )
    motion = symoro.simulate(robot, 1.0, q=[0, 0.5, 0.3], tau=lambda t, _: [0, 0, t], **FINE)
    first = next(event for event in motion.events if event.what == "slides")
    assert first.joint == 3 and first.time == pytest.approx(0.2, abs=1e-9)
    assert (motion.qd[motion.t < 0.2] == 0).all()
    put_in = np.cumsum(_middle((motion.tau * motion.qd).sum(axis=1)) * np.diff(motion.t))
    assert (motion.energy[1:] - motion.energy[0] <= put_in + 1e-9).all()  # friction only takes


def test_events_agree_with_friction_that_is_smooth_enough_not_to_switch():
    """While no joint comes to rest both ways are the same equations."""
    robot = symoro.load("puma560")
    q, qd = (0.3, -0.6, 2.5, 0.2, 0.6, 0.1), (2.0, -1.5, 1.5, 3.0, 3.0, 3.0)
    one, two = (
        symoro.simulate(robot, 0.02, q=q, qd=qd, **FINE, options=symoro.SimulationOptions(friction=how))
        for how in ("events", "sign")
    )
    assert not [event for event in one.events if event.what == "sticks"]
    assert np.abs(one.q - two.q).max() < 1e-10


def test_a_whole_arm_comes_to_rest_by_friction():
    robot = numbered(symoro.load("puma560"))  # the energy takes MZ1, which has no number
    motion = symoro.simulate(
        robot, 3.0, q=(0.3, 1.0, 1.5, 0.2, 0.6, 0.1), qd=(1, 0.5, -0.5, 1, 1, 1), step=0.05
    )
    assert motion.finished
    assert np.diff(motion.energy).max() < 1e-9
    assert motion.qd[-1, 0] == 0 and motion.qd[-1, 5] == 0


# -- stops


def test_a_mass_bounces_at_its_stops():
    motion = symoro.simulate(slider(1.0, lower=-1.0, upper=1.0), 3.0, q=[0.0], qd=[1.0], stops=0.5, **FINE)
    for number in (np.float32(0.5), np.array(0.5)):  # one half, of whatever type
        same = symoro.simulate(slider(1.0, upper=1.0), 1.5, q=[0.0], qd=[1.0], stops=number)
        assert same.qd[-1, 0] == pytest.approx(-0.5)
    # 1 s to the stop, back with half the speed
    back = np.where(motion.t < 1, motion.t, 1 - 0.5 * (motion.t - 1))
    assert np.abs(motion.q[:, 0] - back).max() < 1e-10


def test_a_mass_stays_at_a_stop_until_it_is_pulled_off():
    robot = slider(1.0, upper=1.0)
    motion = symoro.simulate(robot, 4.0, q=[0.0], qd=[1.0], tau=lambda t, _: [2.0 - t], stops=0.0, **FINE)
    late = np.maximum(motion.t - 2, 0)
    arrived = motion.t > 1
    assert np.abs(motion.q[arrived, 0] - (1 - late[arrived] ** 3 / 6)).max() < 1e-9
    assert [event.what for event in motion.events] == ["meets its stop", "leaves its stop"]
    assert motion.events[1].time == pytest.approx(2.0, abs=1e-9)


def test_bounces_that_grow_ever_smaller_come_to_rest():
    robot = slider(1.0, lower=0.0)
    motion = symoro.simulate(robot, 5.0, q=[1.0], tau=[-9.81], stops=0.5)
    assert motion.finished and motion.q[-1, 0] == 0 and motion.qd[-1, 0] == 0
    assert motion.q.min() > -1e-9


def test_an_impact_keeps_momentum_of_what_is_not_struck():
    """A floating double pendulum, no gravity: an internal stop changes no momentum and takes energy."""
    from symoro.robot.description import Limits

    robot = without_drives(symoro.load("planar2r").floating().with_link(0, mass=3, inertia=[0.2, 0.3, 0.4]))
    robot = robot.bind({"G2": 0}).with_frame(2, limits=Limits(upper=0.5))
    motion = symoro.simulate(robot, 1.0, q=[0.1, 0.2], qd=[0.0, 1.0], stops=0.3, **FINE)
    momentum = symoro.generate(robot, "centroidal-momentum").function()
    ends = [
        momentum(q=motion.q[k], qd=motion.qd[k], V0=motion.parts["V0"][k])["h"]
        for k in (0, len(motion.t) - 1)
    ]
    R = [from_quaternion(motion.parts["Q0"][k]) for k in (0, -1)]
    for part in (slice(0, 3), slice(3, 6)):
        assert np.abs(R[0] @ ends[0][part] - R[1] @ ends[1][part]).max() < 1e-8
    assert any(event.what == "meets its stop" for event in motion.events)
    assert motion.energy[-1] < motion.energy[0] - 1e-3 and np.diff(motion.energy).max() < 1e-9


def test_a_joint_that_starts_at_its_stop_stays_or_leaves():
    robot = slider(1.0, lower=-1.0, upper=1.0)
    pushed = symoro.simulate(robot, 1.0, q=[1.0], tau=[2.0], stops=0.5)
    assert np.abs(pushed.q - 1).max() < 1e-12
    pulled = symoro.simulate(robot, 1.0, q=[1.0], tau=[-2.0], stops=0.5, **FINE)
    assert np.abs(pulled.q[:, 0] - (1 - pulled.t**2)).max() < 1e-10
    struck = symoro.simulate(robot, 1.0, q=[1.0], qd=[1.0], stops=0.5, **FINE)
    assert np.abs(struck.q[:, 0] - (1 - 0.5 * struck.t)).max() < 1e-10
    with pytest.raises(ArgumentError, match=r"starts at 1\.5, beyond its stops"):
        symoro.simulate(robot, 1.0, q=[1.5], stops=0.5)


def test_a_simulation_can_end_at_a_stop_or_by_the_function_until():
    motion = symoro.simulate(slider(1.0, upper=1.0), 3.0, q=[0.0], qd=[1.0], stops="end")
    assert not motion.finished and "joint 1 reaches its stop at t = 1 s" in motion.why
    assert motion.t[-1] == pytest.approx(1)
    motion = symoro.simulate(
        slider(),
        3.0,
        q=[0.0],
        qd=[1.0],
        options=symoro.SimulationOptions(until=lambda t, state: 0.25 - state.q[0]),
    )
    assert motion.t[-1] == pytest.approx(0.25, abs=1e-9)


# -- the generated integrator


@pytest.mark.parametrize("name", ["planar2r", "flexible2r", "floating", "elastic", "diffdrive"])
def test_the_generated_integrator_is_of_fourth_order(name):
    start = {}
    if name == "floating":
        robot = symoro.load("planar2r").floating().with_link(0, mass=3, inertia=[0.2, 0.3, 0.4])
        start = {"V0": [0.3, -0.2, 0.5, 0.4, -0.7, 0.6], "Q0": [0.8, 0.1, -0.3, 0.2]}
    elif name == "elastic":
        robot = symoro.load("filip3r").with_frame(2, eta=True, k=2.0)
    elif name == "diffdrive":
        robot = without_drives(numbered(symoro.load("diffdrive")))
        start = {"pose": [1, 2, 0.5]}
    else:
        robot = symoro.load(name)
    n = len([frame for frame in robot.frames if frame.moving])
    q, qd = np.full(n, 0.3), np.full(n, -0.4)
    if name == "diffdrive":
        qd = np.array([2.0, 1.0])
    # the modes of beams are stiff
    duration, steps = (0.01, (2e-4, 1e-4)) if name == "flexible2r" else (0.2, (0.002, 0.001))
    fine = {"friction": "sign", "step": duration, "rtol": 1e-12, "atol": 1e-13}
    true = symoro.simulate(robot, duration, q=q, qd=qd, **fine, options=symoro.SimulationOptions(start=start))
    errors = []
    for step in steps:
        motion = symoro.simulate(
            robot,
            duration,
            q=q,
            qd=qd,
            step=step,
            options=symoro.SimulationOptions(start=start, method="rk4"),
        )
        errors.append(np.abs(motion.q[-1] - true.q[-1]).max())
        for part, rows in motion.parts.items():
            errors[-1] = max(errors[-1], np.abs(rows[-1] - true.parts[part][-1]).max())
    assert errors[1] < 1e-6 and (errors[1] < 1e-12 or 12 < errors[0] / errors[1] < 20)


def test_every_sample_of_the_generated_integrator_is_the_one_of_its_time():
    q, qd = np.array([0.3, 0.4]), np.array([-0.4, 0.9])
    true = symoro.simulate(
        "planar2r", 0.1, q=q, qd=qd, step=0.001, options=symoro.SimulationOptions(rtol=1e-12, atol=1e-13)
    )
    motion = symoro.simulate(
        "planar2r", 0.1, q=q, qd=qd, step=0.001, options=symoro.SimulationOptions(method="rk4")
    )
    assert (motion.q[0] == q).all() and (motion.qd[0] == qd).all()
    assert np.abs(motion.t - true.t).max() == 0 and np.abs(motion.q - true.q).max() < 1e-10


def test_the_generated_integrator_with_a_controller_holds_torques_from_step_to_step():
    motion = symoro.simulate(
        slider(1.0),
        1.0,
        q=[0.0],
        tau=lambda t, s: [1.0 if t < 0.5 else -1.0],
        step=0.01,
        options=symoro.SimulationOptions(method="rk4"),
    )
    assert motion.q[-1, 0] == pytest.approx(0.25, abs=1e-12)
    assert motion.qd[-1, 0] == pytest.approx(0, abs=1e-12)


# -- interrupted, refused


def test_an_interrupt_keeps_what_was_computed():
    calls = []

    def tau(t, state):
        calls.append(t)
        if t > 0.5:
            raise KeyboardInterrupt
        return [0.0, 0.0]

    motion = symoro.simulate(
        "planar2r", 10.0, q=[0.1, 0.2], tau=tau, options=symoro.SimulationOptions(max_step=0.05)
    )
    assert not motion.finished and motion.why == "interrupted"
    assert 0.3 < motion.t[-1] <= 0.5 and len(motion.q) == len(motion.t) == len(motion.tau)


def test_progress_is_reported():
    heard = []
    with listening(heard.append):
        symoro.simulate("planar2r", 1.0, q=[0.1, 0.2])
    reported = [news for news in heard if news.title == "simulating"]
    assert reported[0].total == 1.0 and reported[-1].finished and reported[-1].done == pytest.approx(1.0)


@pytest.mark.slow
def test_a_platform_that_falls_into_a_singular_posture_ends_there_with_what_was_computed():
    """Six legs with friction, all alike: what is lost is FS times the ways of the legs."""
    robot = symoro.load("gough_stewart")
    for j in moving_joints(robot):
        robot = robot.with_frame(j, FV=0)
    motion = symoro.simulate(robot, 1.0, q="home")
    assert not motion.finished and "singular configuration" in motion.why
    assert 0.3 < motion.t[-1] < 0.7 and np.isfinite(motion.q).all()
    legs = [k for k, j in enumerate(motion.joints) if j in motion.coordinates]
    FS = np.array([robot.frame(j).FS.value(dict(robot.nominal)) for j in motion.coordinates])
    assert (FS > 0).all()
    lost = np.abs(motion.q[:, legs] - motion.q[0, legs]) @ FS
    assert np.abs(motion.energy[0] - motion.energy - lost).max() < 1e-6 * lost[-1]


def test_a_singular_configuration_ends_the_motion_with_a_reason():
    """Five bars that fly apart come to where they are stretched out; what was computed up to there is kept."""
    robot = without_drives(symoro.load("fivebar"))
    motion = symoro.simulate(robot, 5.0, q=[1.9, 0.9], qd=[-3.0, 3.0])
    assert np.isfinite(motion.q).all()
    assert motion.t[-1] == pytest.approx(0.72)  # 0.7255 s with tolerances of 1e-12
    assert not motion.finished and "singular configuration" in motion.why


def test_no_step_passes_a_singular_configuration_into_another_assembly_mode():
    """A step over the moment where both outer bars are in line; with small steps the loops do not close there."""
    motion = symoro.simulate("fivebar", 1.0, q=[2.2, 0.6], qd=[1.6435, -2.7626])
    assert not motion.finished and "singular configuration" in motion.why
    assert motion.t[-1] == pytest.approx(0.22)  # 0.2258 s with tolerances of 1e-12
    assert np.ptp(motion.energy) < 1e-6 * motion.energy[0]
    q1, q2, q3, q4 = motion.q.T
    assert (np.sin(q1 + q2 - q3 - q4) < 0).all()  # one assembly, up to the end


def test_a_parallelogram_in_numbers_alone_does_not_become_an_antiparallelogram():
    motion = symoro.simulate("fourbar", 1.0, q=[1.0, -1.0, 1.0], qd=[-8.0], values={"D4": 0.8, "D5": 0.3})
    assert not motion.finished and "singular configuration" in motion.why
    assert len(motion.t) > 5 and np.abs(motion.q[:, 0] - motion.q[:, 2]).max() < 1e-8


@pytest.mark.parametrize("options", [{}, {"method": "RK23", "rtol": 1e-3, "atol": 1e-3}])
def test_a_crank_that_turns_fully_goes_on(options):
    """Long steps, in which the links turn far, are no singular configurations."""
    motion = symoro.simulate(without_drives(symoro.load("fourbar")), 1.0, q=[0.7], qd=[15.0], **options)
    assert motion.finished and np.ptp(motion.q[:, 0]) > 2 * np.pi


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_torques_that_are_not_finite_are_reported_with_joint_and_time(bad):
    with pytest.raises(ArgumentError, match="torque of joint 2 is not a finite number at t = 0"):
        symoro.simulate("planar2r", 1.0, q=[0, 0], tau=[0, bad])
    with pytest.raises(ArgumentError, match=r"joint 1 is not a finite number at t = 0\.\d"):
        symoro.simulate("planar2r", 1.0, q=[0, 0], tau=lambda t, _: [bad if t > 0.3 else 0, 0])


REFUSED = [
    ({"q": [0, 0, 0]}, "q has shape"),
    ({"q": [0, np.nan]}, "not finite"),
    ({"qd": [0]}, "qd has shape"),
    ({"tau": [0]}, "expected \\(2,\\)"),
    ({"tau": "x"}, "not numbers"),
    ({"start": {"V0": np.zeros(6)}}, "has no part 'V0'"),
    ({"step": 0}, "step = 0"),
    ({"rtol": -1}, "rtol"),
    ({"static": 0.5}, "static"),
    ({"stops": 1.5}, "restitution"),
    ({"stops": False}, "restitution"),
    ({"stops": np.bool_(True)}, "restitution"),
    ({"stops": [0.5]}, "restitution"),
    ({"stops": {}}, "restitution"),
    ({"values": {"m2": 5}}, "no symbol of robot 'planar2R' called 'm2'"),
    ({"values": {"D2": np.inf}}, "value of D2: expected a finite number, got inf"),
    ({"driven": {3: lambda t: (0, 0, 0)}}, "no frame called '3'"),
    ({"driven": {1: lambda t: 0.0}}, "must return three finite numbers"),
    ({"inputs": {"wrench": 0}}, "no input 'wrench'"),
]


def test_inconsistent_arguments_are_rejected():
    for options, words in REFUSED:
        with pytest.raises((ArgumentError, UnknownNameError), match=words):
            symoro.simulate("planar2r", 1.0, **{"q": [0.0, 0.0], **options})
    for options in ({"method": "euler"}, {"friction": "none"}, {"stops": "wall"}):
        with pytest.raises(OptionError):
            symoro.simulate("planar2r", 1.0, q=[0, 0], **options)
    for duration in (0, -1, np.nan, np.inf):
        with pytest.raises(ArgumentError, match="duration"):
            symoro.simulate("planar2r", duration, q=[0, 0])


def test_numbers_that_are_missing_are_named():
    with pytest.raises(ArgumentError, match="requires values"):
        symoro.simulate("rx90", 1.0, q=np.zeros(6))


def test_loops_that_do_not_close_at_the_start():
    with pytest.raises(ArgumentError, match="do not close"):
        symoro.simulate("fivebar", 1.0, q=[3.1, 0.0])


def test_a_table_and_a_parquet_file(tmp_path):
    from symoro.trajectory.samples import read_table

    motion = symoro.simulate("planar2r", 0.5, q=[0.1, 0.2])
    again = read_table(motion.csv().replace("qd1", "x1").replace("qd2", "x2"))
    assert (again.q == motion.q).all()
    assert {"t", "q1", "qd2", "tau1", "E", "U"} <= set(motion.columns)
    parquet = pytest.importorskip("pyarrow.parquet")
    motion.write_parquet(tmp_path / "motion.parquet")
    assert parquet.read_table(tmp_path / "motion.parquet").column("q1").to_pylist() == motion.q[:, 0].tolist()


def test_a_fourier_series_drives_a_joint():
    series = Trajectory((Fourier(0.5, [[1.0]] * 3, [[0.2]] * 3, (0, 0, 0)),))
    samples = symoro.trajectory.sampled("filip3r", series)
    motion = symoro.simulate("filip3r", 2.0, q=samples.q[0], qd=samples.qd[0], driven=samples, step=0.02)
    reported = symoro.torques("filip3r", series, step=0.02)
    assert np.abs(motion.tau - reported.tau).max() < 1e-6 * np.abs(reported.tau).max() + 1e-6


def test_a_base_that_turns_against_gravity_is_rejected_and_a_turntable_is_not():
    from symoro.expr.formula import formula

    def turning(*W0):
        robot = symoro.load("filip3r")
        return robot.replace(base=replace(robot.base, W0=tuple(formula(x) for x in W0)))

    with pytest.raises(NotApplicableError, match="gravity would rotate in frame 0"):
        symoro.simulate(turning(0, 0, 1), 0.1, q=[0, 0, 0])
    with pytest.raises(NotApplicableError, match="gravity would rotate in frame 0"):
        symoro.torques(turning(0, 0, 1), Trajectory((Move((1, 0, 0), duration=1),), (0, 0, 0)))
    assert symoro.simulate(turning(0, 1, 0), 0.1, q=[0, 0, 0]).finished  # gravity is along y


def test_the_former_name_of_warnings_gives_a_deprecation_warning():
    motion = symoro.simulate("planar2r", 0.01, q=[0, 1])
    with pytest.warns(DeprecationWarning, match="now called 'warnings'"):
        assert motion.doubts == motion.warnings
