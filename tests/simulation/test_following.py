"""Torques of robots whose driven joints do not tell all: formulas are met, what physics keeps is kept."""

import json
from dataclasses import replace

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError, NotApplicableError
from symoro.expr.formula import formula
from symoro.models.numeric.rotation import from_quaternion
from symoro.robot.description import Limits
from symoro.trajectory.samples import Samples
from symoro.trajectory.sampling import coordinates_of
from symoro.trajectory.trajectory import Hold, Line, Move, Trajectory
from symoro.ui.cli import main
from tests.simulation.robots import numbered, without_drives
from tests.simulation.test_passive_friction import burger

SWAY = Trajectory((Move((0.9, -0.5), duration=1), Hold(0.2)), (0, 0))


def satellite():
    """planar2r on a free base, without gravity and friction."""
    robot = without_drives(symoro.load("planar2r").floating().with_link(0, mass=3, inertia=[0.2, 0.3, 0.4]))
    return robot.bind({"G2": 0})


def balance(result):
    """What the drives have put in at each sample, and what the robot has gained."""
    power, t = result.power.sum(axis=1), result.samples.t
    put_in = np.concatenate([[0], np.cumsum((power[1:] + power[:-1]) / 2 * np.diff(t))])
    return put_in, result.follows.energy - result.follows.energy[0]


# -- a free base


def test_a_wheel_turns_its_free_base_the_other_way():
    """About one axis through both centres: tau = I0 I1/(I0 + I1) qdd, and the base turns by -I1/(I0 + I1) q."""
    I0, I1 = 0.4, 0.1
    robot = symoro.Robot.from_dh([("R", 0, 0, 0, 0)], "kk", gravity=[0, 0, 0]).floating()
    robot = robot.with_link(0, mass=3, inertia=[0.2, 0.3, I0]).with_link(1, M=1, XX=0.05, YY=0.05, ZZ=I1)
    result = symoro.torques(
        robot, Trajectory((Move((2.0,), duration=1),), (0.0,)), step=0.005, tolerance=1e-11
    )
    s = result.samples
    assert np.abs(result.tau[:, 0] - I0 * I1 / (I0 + I1) * s.qdd[:, 0]).max() < 1e-9
    half = -I1 / (I0 + I1) * s.q[:, 0] / 2
    assert (
        np.abs(
            result.follows.parts["Q0"] - np.stack([np.cos(half), 0 * half, 0 * half, np.sin(half)], 1)
        ).max()
        < 1e-8
    )
    assert np.abs(result.follows.parts["P0"]).max() < 1e-12


def test_a_floating_robot_keeps_its_momentum_and_gains_what_its_drives_put_in():
    robot = satellite()
    start = {"V0": [0.3, -0.2, 0.5, 0.4, -0.7, 0.6], "Q0": [0.8, 0.1, -0.3, 0.2]}
    result = symoro.torques(robot, SWAY, step=0.002, start=start)
    momentum = symoro.generate(robot, "centroidal-momentum").function()
    parts, s = result.follows.parts, result.samples
    world = []
    for k in range(0, len(s.t), 60):
        R = from_quaternion(parts["Q0"][k])
        h = momentum(q=s.q[k], qd=s.qd[k], V0=parts["V0"][k])["h"]
        world.append(np.concatenate([R @ h[:3], R @ h[3:]]))
    assert np.ptp(world, axis=0).max() < 1e-7 and np.abs(world).max() > 0.1
    put_in, gained = balance(result)
    assert np.abs(put_in - gained).max() < 1e-4 * np.ptp(gained)


def test_torques_and_base_motion_afloat_equal_those_of_the_inverse_model():
    path = Trajectory((Move((0.9, -0.5), duration=1),), (0, 0))
    result = symoro.torques(satellite(), path, step=0.002, start={"V0": [0.1, 0, 0, 0, 0, 0.5]})
    s, parts = result.samples, result.follows.parts
    inverse = symoro.generate(satellite(), "inverse-dynamics", rotation="quaternion").function()
    reported = inverse(q=s.q, qd=s.qd, qdd=s.qdd, V0=parts["V0"], Q0=parts["Q0"])
    assert (
        np.abs(reported["tau"] - result.tau).max() < 1e-8
    )  # accelerations at the last sample have lost some digits
    slopes = np.gradient(parts["V0"], s.t, axis=0)
    v, w = parts["V0"][:, :3], parts["V0"][:, 3:]
    slopes[:, :3] += np.cross(w, v)
    assert np.abs(slopes - reported["Vd0"])[2:-2].max() < 1e-3


def test_a_base_in_free_fall_does_not_change_the_torques():
    robot = satellite()
    falling = robot.replace(base=replace(robot.base, G=tuple(formula(x) for x in (0, -9.81, 0))))
    one, two = (symoro.torques(each, SWAY) for each in (robot, falling))
    assert np.abs(one.tau - two.tau).max() < 1e-8
    drop = two.follows.parts["P0"][:, 1] - one.follows.parts["P0"][:, 1]
    assert np.abs(drop + 9.81 * two.samples.t**2 / 2).max() < 1e-7


# -- springs and modes


def sprung(m1=1.5, m2=0.8, k=60.0, rest=0.0, gravity=0.0):
    """A slide that is driven, and a mass behind a spring on it."""
    rows = [("P", 0, 0, 0, 0), ("P", 0, 0, 0, 0)]
    robot = symoro.Robot.from_dh(rows, "kk", gravity=[0, 0, gravity])
    return robot.with_link(1, M=m1).with_link(2, M=m2).with_frame(2, eta=True, k=k, rest=rest)


def test_the_response_of_a_mass_behind_a_spring():
    """z'' + (k/m2) z = -x'' from rest; the drive takes m1 x'' - k z, the spring gives -k z."""
    m1, m2, k, a, w = 1.5, 0.8, 60.0, 0.2, 3.0
    t = np.linspace(0, 2, 401)
    x = a * (1 - np.cos(w * t))
    motion = Samples(
        (1,), t, x[:, None], (a * w * np.sin(w * t))[:, None], (a * w**2 * np.cos(w * t))[:, None]
    )
    result = symoro.torques(sprung(m1, m2, k), motion, tolerance=1e-11)
    own = np.sqrt(k / m2)
    z = -a * w**2 / (own**2 - w**2) * (np.cos(w * t) - np.cos(own * t))
    assert np.abs(result.samples.tree[:, 1] - z).max() < 1e-8
    assert np.abs(result.springs[2] + k * z).max() < 1e-6
    assert np.abs(result.tau[:, 0] - (m1 * motion.qdd[:, 0] - k * z)).max() < 1e-6
    assert result.samples.joints == (1,) and {"q2", "qd2", "spring2"} <= set(result.columns)
    assert "tau2" not in result.columns
    put_in, gained = balance(result)
    assert np.abs(put_in - gained).max() < 1e-3 * np.ptp(gained)


def test_springs_start_where_they_carry_the_weight_and_stay_there():
    result = symoro.torques(sprung(rest=0.05, gravity=-9.81), Trajectory((Hold(1.0),), (0.3,)))
    assert result.samples.tree[0] == pytest.approx([0.3, 0.05 - 0.8 * 9.81 / 60])
    assert np.ptp(result.samples.tree, axis=0).max() < 1e-9
    assert np.abs(result.tau - 2.3 * 9.81).max() < 1e-7
    assert result.springs[2] == pytest.approx(0.8 * 9.81)
    reported = symoro.torques(
        sprung(rest=0.05, gravity=-9.81), Trajectory((Hold(1.0),), (0.3,)), start={"q": [0.3, 0.05]}
    )
    assert reported.samples.tree[0, 1] == 0.05 and np.ptp(reported.samples.tree[:, 1]) > 0.1


@pytest.mark.parametrize("name", ["rx90_elastic", "rx90_floating_elastic"])
def test_elastic_arms_gain_what_their_drives_put_in(name):
    robot = without_drives(numbered(symoro.load(name)))
    joints = coordinates_of(robot)
    assert joints == (1, 2, 4, 5)
    path = Trajectory((Move((0.3, 0.2, -0.3, 0.4), duration=0.4),), (0, 0.2, 0, 0.3))
    result = symoro.torques(robot, path, step=0.002)
    assert sorted(result.springs) == [3, 6]
    put_in, gained = balance(result)
    assert np.abs(put_in - gained).max() < 2e-3 * np.abs(put_in).max()


def test_a_spring_without_stiffness_has_no_equilibrium_under_weight():
    with pytest.raises(ArgumentError, match="no equilibrium"):
        symoro.torques(sprung(k=0, gravity=-9.81), Trajectory((Hold(1.0),), (0.3,)))


def test_the_limits_of_an_elastic_joint_count():
    robot = sprung(gravity=-9.81).with_frame(2, limits=Limits(lower=-0.1))
    (one,) = symoro.torques(robot, Trajectory((Hold(0.5),), (0.0,))).passed
    assert (one.joint, one.what) == (2, "position") and one.worst == pytest.approx(-0.8 * 9.81 / 60)


def test_flexible_links_gain_what_their_drives_put_in_and_rest_where_nothing_moves():
    robot = without_drives(symoro.load("flexible2r"))
    still = symoro.torques(robot, Trajectory((Hold(0.05),), (0.3, -0.4)))
    assert (
        np.ptp(still.follows.parts["e"], axis=0).max() < 1e-7
        and np.abs(still.follows.parts["e"]).max() > 1e-3
    )
    result = symoro.torques(robot, Trajectory((Move((0.6, -0.5), duration=0.3),), (0.3, -0.4)), step=0.001)
    put_in, gained = balance(result)
    assert np.abs(put_in - gained).max() < 1e-3 * np.abs(put_in).max()
    inverse = symoro.generate(robot, "inverse-dynamics").function()
    s, parts = result.samples, result.follows.parts
    reported = inverse(q=s.q, qd=s.qd, qdd=s.qdd, e=parts["e"], ed=parts["ed"])["tau"]
    assert np.abs(reported - result.tau).max() < 1e-8 * np.abs(reported).max()


# -- wheels


def test_torques_of_straight_acceleration_equal_mass_and_friction_terms():
    FS, r, hc = (1e-3, 1e-3, 2e-3, 5e-4), 0.033, 0.015
    result = symoro.torques(burger(FS), Trajectory((Move((6.0, 6.0), duration=1),), (0.0, 0.0)))
    mass = 0.8 + 4 * 0.03 + 2e-5 * (2 / r**2 + 1 / hc**2)
    s = result.samples
    force = mass * r * s.qdd[:, 0] + FS[3] / hc * np.sign(s.qd[:, 0])
    wanted = force * r / 2 + FS[0] * np.sign(s.qd[:, 0])
    inner = slice(1, -1)
    assert np.abs(result.tau[inner] - wanted[inner, None]).max() < 1e-9
    assert result.follows.parts["pose"][-1] == pytest.approx([6 * r, 0, 0], abs=1e-9)
    assert s.tree[-1, 3] == pytest.approx(6 * r / hc, abs=1e-8)


def test_a_mobile_manipulator_takes_the_torques_of_the_inverse_model():
    robot = without_drives(symoro.load("mobile_manipulator"))
    path = Trajectory((Move((3.0, 2.0, 0.5, -0.4, 0.6), duration=1),), (0, 0, 0.1, 0.2, 0.3))
    result = symoro.torques(robot, path, start={"pose": [1, 2, 0.5]})
    s = result.samples
    inverse = symoro.generate(robot, "inverse-dynamics").function()
    assert np.abs(inverse(q=s.tree, qda=s.qd, qdda=s.qdd)["tau"] - result.tau).max() < 1e-9
    put_in, gained = balance(result)
    assert np.abs(put_in - gained).max() < 1e-3 * np.ptp(gained)
    assert (result.follows.parts["pose"][0] == [1, 2, 0.5]).all()


def test_the_computed_torque_law_on_wheels_and_where_it_is_rejected():
    robot = burger((0, 0, 0, 0))
    path = Trajectory((Move((2.0, 1.0), duration=1),), (0.0, 0.0))
    motion = symoro.simulate(
        robot, 1.0, q=[0.1, 0, 0, 0], tau=symoro.controllers.computed_torque(robot, path, kp=400, kd=40)
    )
    assert np.abs(motion.q[-1, :2] - [2.0, 1.0]).max() < 1e-3
    for other in (satellite(), sprung()):
        with pytest.raises(NotApplicableError, match="computed-torque law"):
            symoro.controllers.computed_torque(other, SWAY)


# -- refused


def test_poses_of_robots_whose_joints_do_not_determine_the_motion_are_rejected():
    path = Trajectory((Line(by=(0, 0.1, 0), duration=1),), (0.1, 0.2))
    for robot in (satellite(), symoro.load("flexible2r")):
        with pytest.raises(NotApplicableError, match="do not determine the poses of its frames"):
            symoro.torques(robot, path)


@pytest.mark.parametrize(
    "robot, path, options, words",
    [
        ("filip3r", "filip3r", {"start": {"V0": np.zeros(6)}}, "'start' must not be given"),
        (sprung(), (0.1, 0.2, 0.3), {}, "start: expected 2 numbers, got 3"),
        (sprung(), (0.1,), {"start": {"V0": np.zeros(6)}}, "has no part 'V0'"),
        (sprung(), (0.1,), {"start": {"q": [0.1, np.nan]}}, "not finite"),
        (satellite(), (0.1, 0), {"method": "rk4"}, "SciPy"),
        (satellite(), (0.1, 0), {"tolerance": 0}, "rtol"),
    ],
)
def test_inconsistent_arguments_are_rejected(robot, path, options, words):
    motion = symoro.trajectory.load(path) if isinstance(path, str) else Trajectory((Hold(1),), path)
    with pytest.raises(Exception, match=words) as caught:
        symoro.torques(robot, motion, **options)
    assert isinstance(caught.value, symoro.errors.SymoroError)


def test_a_robot_of_springs_alone_and_a_joint_with_a_spring_are_not_driven():
    alone = sprung().with_frame(1, eta=True, k=10.0)
    with pytest.raises(NotApplicableError, match="no driven joint"):
        symoro.torques(alone, Trajectory((Hold(1),), (0.0,)))
    with pytest.raises(ArgumentError, match="joint 2 is elastic"):
        symoro.simulate(sprung(), 1.0, q=[0, 0], driven={2: lambda t: (0.0, 0.0, 0.0)})


@pytest.mark.parametrize(
    "times", [[0, 0.5], [0.1, 1.0], [0, 0.5, 0.5, 1.0], [1.0], [[0, 1.0]], [0, np.nan, 1.0]]
)
def test_times_that_do_not_ascend_to_the_duration_are_rejected(times):
    with pytest.raises(ArgumentError, match="times"):
        symoro.simulate("planar2r", 1.0, q=[0, 0], options=symoro.SimulationOptions(times=times))


def test_a_motion_that_starts_late_keeps_its_times():
    t = np.linspace(5.0, 6.0, 51)
    q = 0.1 * (t - 5)[:, None] ** 3
    motion = Samples((1,), t, q, 0.3 * (t - 5)[:, None] ** 2, 0.6 * (t - 5)[:, None])
    result = symoro.torques(sprung(), motion)
    assert (result.samples.t == t).all() and (result.follows.t == t).all()
    assert result.peaks[0].torque_time >= 5


# -- the command


def test_from_the_command_line(tmp_path, capsys):
    (tmp_path / "path.yaml").write_text(
        "symoro-trajectory: 1\nstart: [0]\nparts:\n  - {joints: [0.5], duration: 0.5}\n"
    )
    (tmp_path / "sprung.yaml").write_text(symoro.robot.formats.dumps(sprung(), "yaml"))
    words = ["torques", str(tmp_path / "sprung.yaml"), str(tmp_path / "path.yaml")]
    assert main([*words, "q=0,0.02", "-o", str(tmp_path / "out.csv")]) == 0
    assert "spring of joint 2" in capsys.readouterr().out
    assert "spring2" in (tmp_path / "out.csv").read_text().splitlines()[1]
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["end"]["q1"] == pytest.approx(0.5)
    assert main([*words, "x=1"]) != 0
    assert "neither a state variable nor a symbol" in capsys.readouterr().err


@pytest.mark.parametrize("step, warned", [(0.5, True), pytest.param(0.005, False, marks=pytest.mark.slow)])
def test_samples_too_far_apart_for_the_motion_give_a_warning(step, warned):
    robot = symoro.load("planar2r").floating().with_link(0, mass=3, inertia=[0.2, 0.3, 0.4])
    path = Trajectory((Move((1, -0.5), law="trapezoidal", duration=1),), (0, 0))
    result = symoro.torques(robot, path, step=step, tolerance=1e-6)
    assert any("too far apart" in warning for warning in result.warnings) == warned == (not result.between)


def test_a_start_that_contradicts_the_trajectory_is_rejected() -> None:
    path = Trajectory((Move((0.5, 0.2), duration=1),), (0.1, 0.0))
    near = symoro.torques("flexible2r", path, start={"q": [0.1, 0.0]})
    assert near.samples.q[0] == pytest.approx([0.1, 0.0])
    with pytest.raises(ArgumentError, match=r"joint 1 starts at 0\.3, but its trajectory starts at 0\.1"):
        symoro.torques("flexible2r", path, start={"q": [0.3, 0.0]})


# -- the whole motion


@pytest.mark.parametrize("name", ["floating", "elastic", "flexible"])
def test_peaks_and_energies_do_not_depend_on_the_samples(name):
    robot = {
        "floating": satellite(),
        "elastic": without_drives(symoro.load("filip3r")).with_frame(2, eta=True, k=20.0),
        "flexible": without_drives(symoro.load("flexible2r")),
    }[name]
    few, many = (symoro.torques(robot, SWAY, step=step) for step in (0.1, 0.005))
    assert few.between and many.between and len(few.samples.t) < len(many.samples.t) / 10
    for one, other in zip(few.peaks, many.peaks, strict=True):
        assert one.torque == pytest.approx(other.torque, rel=1e-5)
        assert one.rms == pytest.approx(other.rms, rel=1e-5)
    gained = few.follows.energy[-1] - few.follows.energy[0]
    assert few.energy.sum() == pytest.approx(gained, abs=1e-6)
    shown = np.abs(many.tau).max(axis=0)
    assert [abs(one.torque) for one in few.peaks] == pytest.approx(
        shown, rel=1e-2
    )  # no peak of its own making
    assert (np.array([abs(one.torque) for one in few.peaks]) >= shown * (1 - 1e-6)).all()


def test_energies_are_right_where_friction_makes_torques_jump():
    robot = satellite().with_frame(1, FS=0.4).with_frame(2, FS=0.3)
    path = Trajectory((Move((0.9, -0.5), duration=1), Move((0.2, 0.3), duration=0.7)), (0, 0))
    result = symoro.torques(robot, path, step=0.05)
    lost = 0.4 * (0.9 + 0.7) + 0.3 * (0.5 + 0.8)
    gained = result.follows.energy[-1] - result.follows.energy[0]
    assert result.between and result.energy.sum() == pytest.approx(gained + lost, abs=1e-6)


def test_a_limit_passed_between_samples_is_reported():
    robot = satellite()
    peak = abs(symoro.torques(robot, SWAY, step=0.4).peaks[0].torque)
    tight = robot.with_frame(1, limits=Limits(effort=0.99 * peak))
    result = symoro.torques(tight, SWAY, step=0.4)
    assert np.abs(result.tau[:, 0]).max() < 0.9 * peak  # the samples do not show it
    assert {(one.joint, one.what) for one in result.passed} == {(1, "effort")} and result.warnings
    table = symoro.torques(tight, result.samples)
    assert not table.between and not table.passed  # of a table the samples alone are known
