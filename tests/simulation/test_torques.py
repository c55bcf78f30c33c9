"""Torques along motions: the printed equations of Filip, the balance of energy, limits with their times."""

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError
from symoro.trajectory.samples import Samples
from symoro.trajectory.sampling import planned
from symoro.trajectory.trajectory import Hold, Move, Trajectory


def filip(q, qd, qdd, m, g=98.1, Jm=0.11):
    """The printed torques in kg dm^2/s^2, the slips "+ m[3]" of Q[2] and Q[3] read as products."""
    (q1, q2, q3), (d1, d2, d3), (a1, a2, a3) = q.T, qd.T, qdd.T
    c, s = np.cos, np.sin
    gravity = [g * m * c(q1), g * m * c(q1 + q2), g * m * c(q1 + q2 + q3)]
    s23 = s(q2 + q3)
    Q1 = (
        gravity[0] + (2 * g * c(q1) * m + gravity[1]) + (2 * g * c(q1) + 2 * g * c(q1 + q2)) * m + gravity[2]
        + 2 * (-2 * m * s(q2) + m * (-4 * s(q2) - 2 * s23)) * d1 * d2
        + (-2 * m * s(q2) + m * (-4 * s(q2) - 2 * s23)) * d2**2
        + 2 * m * (-2 * s(q3) - 2 * s23) * d1 * d3
        + 2 * m * (-2 * s(q3) - 2 * s23) * d2 * d3
        + m * (-2 * s(q3) - 2 * s23) * d3**2
        + Jm * a1 + (m + (5 + 4 * c(q2)) * m + (9 + 8 * c(q2) + 4 * c(q3) + 4 * c(q2 + q3)) * m) * a1
        + ((1 + 2 * c(q2)) * m + (5 + 4 * c(q2) + 4 * c(q3) + 2 * c(q2 + q3)) * m) * a2
        + (1 + 2 * c(q3) + 2 * c(q2 + q3)) * m * a3
    )  # fmt: skip
    Q2 = (
        gravity[1] + 2 * g * c(q1 + q2) * m + gravity[2]
        + (2 * m * s(q2) + m * (4 * s(q2) + 2 * s23)) * d1**2
        - 4 * m * s(q3) * d1 * d3 - 4 * m * s(q3) * d2 * d3 - 2 * m * s(q3) * d3**2
        + ((1 + 2 * c(q2)) * m + (5 + 4 * c(q2) + 4 * c(q3) + 2 * c(q2 + q3)) * m) * a1
        + Jm * a2 + (m + (5 + 4 * c(q3)) * m) * a2 + (1 + 2 * c(q3)) * m * a3
    )  # fmt: skip
    Q3 = (
        gravity[2] + m * (2 * s(q3) + 2 * s23) * d1**2 + 4 * m * s(q3) * d1 * d2 + 2 * m * s(q3) * d2**2
        + (1 + 2 * c(q3) + 2 * c(q2 + q3)) * m * a1 + (1 + 2 * c(q3)) * m * a2 + Jm * a3 + m * a3
    )  # fmt: skip
    return np.stack([Q1, Q2, Q3], axis=1)


def test_the_bundled_example_has_the_torques_that_filip_printed():
    result = symoro.torques("filip3r", symoro.trajectory.load("filip3r"))
    m = 8000 * np.pi * 0.015**2 * 0.2
    samples = result.samples
    printed = filip(samples.q, samples.qd, samples.qdd, m) / 100  # kg dm^2 to kg m^2
    assert np.abs(result.tau - printed).max() < 1e-12
    assert not result.passed


def test_the_energy_of_the_drives_equals_the_gain_of_the_robot():
    path = symoro.trajectory.load("filip3r")
    result = symoro.torques("filip3r", path, step=0.001)
    energy = symoro.generate("filip3r", "energy").function()
    s = result.samples
    both = energy(q=s.q, qd=s.qd)
    total = both["E"] + both["U"]
    steps = (result.power[1:] + result.power[:-1]).sum(axis=1) / 2 * np.diff(s.t)
    put_in = np.concatenate([[0], np.cumsum(steps)])
    assert np.abs(put_in - (total - total[0])).max() < 2e-6 * np.ptp(total)
    assert result.energy.sum() == pytest.approx(total[-1] - total[0], abs=1e-9 * np.ptp(total))


def test_friction_takes_energy_out():
    path = Trajectory((Move((1, -0.4, 0.7, 0.5, 0.9, 0.3), duration=1),), (0, -0.9, 0.3, 0.2, 0.6, 0.1))
    result = symoro.torques("puma560", path)
    robot = symoro.load("puma560").bind({f"{name}{j}": 0 for name in ("FV", "FS") for j in range(1, 7)})
    free = symoro.torques(robot, path)
    loss = (result.energy - free.energy).sum()
    nominal = dict(symoro.load("puma560").nominal)
    s = result.samples
    FV, FS = (np.array([nominal[f"{name}{j}"] for j in range(1, 7)]) for name in ("FV", "FS"))
    way = np.abs(s.q[-1] - s.q[0])
    assert loss == pytest.approx((FV * way**2 * 10 / 7 + FS * way).sum(), rel=1e-9)  # of the quintic law


def limited(**limits):
    robot = symoro.load("filip3r")
    from symoro.robot.description import Limits

    return robot.with_frame(1, limits=Limits(**limits))


def passed(robot, to=2.0):
    path = Trajectory((Move((to, 0, 0), duration=1), Hold(0.2)), (0, 0, 0))
    return symoro.torques(robot, path, step=0.001).passed


def test_exceeded_limits_are_reported_with_the_time():
    """q = 2 s(t), so that q = 1 at half the time; qd is largest there, 15/8 * 2."""
    (upper,) = passed(limited(upper=1.0))
    assert upper.what == "position" and upper.time == pytest.approx(0.5, abs=1e-6)
    assert upper.worst == pytest.approx(2.0) and upper.joint == 1
    (lower,) = passed(limited(lower=-1.0), to=-2.0)
    assert lower.time == pytest.approx(0.5, abs=1e-6) and lower.limit == -1.0
    (velocity,) = passed(limited(velocity=15 / 8))
    t = velocity.time
    assert 2 * 30 * t**2 * (1 - t) ** 2 == pytest.approx(15 / 8, abs=1e-4)
    assert velocity.worst == pytest.approx(15 / 4) and velocity.worst_time == pytest.approx(0.5)
    below, above = passed(limited(effort=5.0))
    assert below.what == above.what == "effort" and below.worst < -5 and above.worst > 5
    assert above.time == 0  # gravity alone is more than 5 N m


def test_a_limit_that_is_just_reached_is_not_passed():
    assert not passed(limited(upper=2.0, lower=0.0, velocity=3.75))


def test_limits_of_coupled_joints_count():
    from symoro.expr.formula import formula
    from symoro.robot.description import Coupling, Limits

    robot = symoro.load("filip3r").with_frame(
        2, coupling=Coupling(((1, formula("2")),), formula("0.5")), limits=Limits(upper=2.5)
    )
    path = Trajectory((Move((2, 0), duration=1),), (0, 0))
    (result,) = symoro.torques(robot, path, step=0.001).passed
    assert result.joint == 2 and result.time == pytest.approx(0.5, abs=1e-6)


def test_peaks_are_those_of_a_fine_motion():
    path, robot = symoro.trajectory.load("filip3r"), symoro.load("filip3r")
    peak, fine = symoro.torques(robot, path).peaks[1], symoro.torques(robot, path, step=1e-3)
    column, t = fine.tau[:, 1], fine.samples.t
    assert peak.rms == pytest.approx(np.sqrt(np.trapezoid(column**2, t) / (t[-1] - t[0])), rel=1e-6)
    # Ten times finer around every sample that is near the largest.
    top = t[np.abs(column) > 0.99 * np.abs(column).max()]
    near = np.unique(top[:, None] + np.linspace(-1e-3, 1e-3, 21)).clip(t[0], t[-1])
    _, parts = planned(robot, path, dict(robot.nominal), 0.01)
    which = np.searchsorted([part.begin for part in parts], near, side="right") - 1
    rows = [part.at(near[which == k] - part.begin) for k, part in enumerate(parts) if k in which]
    q, qd, qdd = (np.concatenate([row[i] for row in rows]) for i in range(3))
    torques = symoro.generate(robot, "inverse-dynamics").function()(q=q, qd=qd, qdd=qdd)["tau"][:, 1]
    assert abs(peak.torque) == pytest.approx(np.abs(torques).max(), rel=1e-7)
    assert peak.torque_time == pytest.approx(near[np.abs(torques).argmax()], abs=1e-4)


def test_loops_are_closed_for_samples_and_trajectories_alike():
    path = Trajectory((Move((1.6, 1.2), duration=1),), (1.9, 0.9))
    result = symoro.torques("fivebar", path)
    bare = Samples(
        result.samples.joints, result.samples.t, result.samples.q, result.samples.qd, result.samples.qdd
    )
    again = symoro.torques("fivebar", bare, posture=result.samples.tree[0])
    assert np.abs(again.tau - result.tau).max() < 1e-9
    s = result.samples
    energy = symoro.generate("fivebar", "energy").function()(q=s.tree, qda=s.qd)
    total = energy["E"] + energy["U"]
    assert result.energy.sum() == pytest.approx(total[-1] - total[0], abs=1e-9 * np.ptp(total))


def test_values_that_are_missing_are_named():
    with pytest.raises(ArgumentError, match="requires values"):
        symoro.torques("rx90", Trajectory((Hold(1),), (0,) * 6))


def test_samples_of_other_joints_are_rejected():
    zero = np.zeros((3, 2))
    with pytest.raises(ArgumentError, match="contains q1, q2"):
        symoro.torques("filip3r", Samples((1, 2), np.arange(3.0), zero, zero, zero))


# -- tables whose columns do not agree


def table(q, qd, qdd, step=0.01):
    t = np.arange(0, 1.5, step)
    rows = [np.stack([f(t), 0 * t, 0 * t], axis=1) for f in (q, qd, qdd)]
    return symoro.torques("filip3r", Samples((1, 2, 3), t, *rows))


@pytest.mark.parametrize(
    "rate, second, words",
    [
        (180 / np.pi, 1, ["the velocities of joint 1 are 57.3 times", "degrees for radians?"]),
        (1, 180 / np.pi, ["the accelerations of joint 1 are 57.3 times", "degrees for radians?"]),
        (
            -1,
            -1,
            ["the velocities of joint 1 are -1 times the derivative (wrong sign?) of its positions"],
        ),
        (0, 0, ["the velocities of joint 1 are not the derivative"]),
        (1.2, 1.2, ["the velocities of joint 1 are 1.2 times the derivative of its positions"]),
    ],
)
def test_rates_in_another_unit_give_a_warning(rate, second, words):
    result = table(np.sin, lambda t: rate * np.cos(t), lambda t: -second * np.sin(t))
    text = "; ".join(result.warnings)
    assert all(word in text for word in words)


@pytest.mark.parametrize("step", [0.001, 0.01, 0.3])
def test_rates_that_agree_give_no_warning(step):
    noise = np.random.default_rng(1)

    def measured(f, size):
        return lambda t: f(t) + noise.normal(scale=size, size=len(t))

    exact = table(np.sin, np.cos, lambda t: -np.sin(t), step)
    noisy = table(measured(np.sin, 1e-4), measured(np.cos, 0.02), measured(lambda t: -np.sin(t), 0.1), step)
    assert not exact.warnings and not noisy.warnings
    still = table(lambda t: measured(np.zeros_like, 1e-5)(t), np.zeros_like, np.zeros_like, step)
    assert not still.warnings
