"""Paths of poses on robots: met by direct geometry, derivatives that belong to each other, branches that end."""

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError, NotApplicableError
from symoro.trajectory.trajectory import Circle, Fourier, Hold, Line, Move, Poses, Start, Trajectory, Via

PUMA = (0.3, -0.6, 2.5, 0.2, 0.6, 0.1)


def consistent(samples, tolerance=1e-6):
    """q between two samples agrees with qd and qdd at both, to the fifth order of the step."""
    h = np.diff(samples.t)[:, None]
    reported = h / 2 * (samples.qd[1:] + samples.qd[:-1]) - h**2 / 12 * (samples.qdd[1:] - samples.qdd[:-1])
    assert np.abs(np.diff(samples.q, axis=0) - reported).max() < tolerance


def reached(robot, samples, **options):
    place = symoro.generate(robot, "fast-geometry", **options).function()
    return place(q=samples.q if samples.tree is None else samples.tree)["T"]


@pytest.mark.parametrize("method", ["algebraic", "numeric"])
def test_a_line_is_a_line(method):
    path = Trajectory((Line(by=(-0.1, -0.1, 0.15), duration=1),), PUMA, method=method)
    samples = symoro.trajectory.sampled("puma560", path, step=0.02)
    T = reached("puma560", samples)
    s = T[:, :3, 3] - T[0, :3, 3]
    way = np.array([-0.1, -0.1, 0.15])
    assert np.abs(s - np.outer(s @ way / (way @ way), way)).max() < 1e-10
    assert np.abs(T[:, :3, :3] - T[0, :3, :3]).max() < 1e-10
    assert np.abs(s[-1] - way).max() < 1e-10
    consistent(samples)


def test_both_methods_give_the_same():
    circle = Circle((0.4, 0.2, 0.2), (0, 1, 1), angle=0.4, duration=1, turning=True)
    result = [
        symoro.trajectory.sampled("puma560", Trajectory((circle,), PUMA, method=method))
        for method in ("algebraic", "numeric")
    ]
    for name in ("q", "qd", "qdd"):
        assert np.abs(getattr(result[0], name) - getattr(result[1], name)).max() < 1e-8


def test_poses_are_passed_at_their_times():
    first = symoro.generate("puma560", "fast-geometry").function()(q=PUMA)["T"]
    aims = [first.copy() for _ in range(2)]
    aims[0][:3, 3] += (-0.05, 0.05, 0)
    aims[1][:3, 3] += (-0.1, 0, 0.05)
    path = Trajectory((Poses([T.ravel() for T in aims], (0.5, 1.0)),), PUMA)
    samples = symoro.trajectory.sampled("puma560", path, step=0.05)
    T = reached("puma560", samples)
    assert np.abs(T[10] - aims[0]).max() < 1e-9 and np.abs(T[-1] - aims[1]).max() < 1e-9
    consistent(samples, 1e-5)


def test_a_redundant_robot_moves_with_the_least_velocity():
    start = (0.1, -0.5, 0.2, -1.8, 0.1, 1.5, 0.3)
    samples = symoro.trajectory.sampled("panda", Trajectory((Line(by=(0.1, 0.1, -0.1), duration=1),), start))
    J = symoro.generate("panda", "jacobian").function()(q=samples.q)["J"]
    for k in range(0, len(samples.t), 10):
        null = np.linalg.svd(J[k])[2][-1]
        assert abs(null @ samples.qd[k]) < 1e-8
    T = reached("panda", samples)
    assert np.abs(T[-1, :3, 3] - T[0, :3, 3] - (0.1, 0.1, -0.1)).max() < 1e-9
    consistent(samples)


def test_a_partial_pose_leaves_the_rest_alone():
    path = Trajectory((Line(by=(-0.05, 0.1, 0), duration=1),), (0, np.pi / 3, -np.pi / 2), pose="planar")
    samples = symoro.trajectory.sampled("filip3r", path)
    T = reached("filip3r", samples)
    assert np.abs(T[-1, :3, 3] - T[0, :3, 3] - (-0.05, 0.1, 0)).max() < 1e-10
    consistent(samples)


def test_position_alone_of_an_arm_with_three_joints():
    arm = symoro.Robot.from_dh(
        [(0, 0, 0, 0), ("pi/2", 0, 0, 0), (0, 0.5, 0, 0)], "kk", tool={"on": 3, "d": 0.4}
    )
    path = Trajectory((Line(by=(0.0, 0.1, 0.1), duration=1),), (0.2, 0.2, 1.4), pose="position")
    samples = symoro.trajectory.sampled(arm, path)
    T = reached(arm, samples)
    assert np.abs(T[-1, :3, 3] - T[0, :3, 3] - (0, 0.1, 0.1)).max() < 1e-10
    consistent(samples)


def test_a_start_by_its_pose_takes_the_branch_nearest_to_a_posture():
    T = symoro.generate("puma560", "fast-geometry").function()(q=PUMA)["T"].ravel()
    near = tuple(np.array(PUMA) + 0.1)
    samples = symoro.trajectory.sampled("puma560", Trajectory((Hold(0.1),), Start(T, near)))
    assert np.abs(samples.q[0] - PUMA).max() < 1e-9


@pytest.mark.parametrize(
    "part",
    [
        Line(by=(0, 0, 0.1), duration=1),
        Line(by=(-0.05, 0.1, 1e-6), duration=1),
        Line(to=(0.3, 0.3, 0.1), duration=1),
        Circle((0.2, 0.2, 0), (0, 1, 1), angle=0.1, duration=1),
        Poses([(0.3, 0.3, 0), (0.3, 0.3, 0.1)], (1, 2)),
    ],
)
def test_a_motion_that_the_given_entries_leave_out_is_rejected(part):
    """It was left out silently."""
    path = Trajectory((Hold(1), part), (0, np.pi / 3, -np.pi / 2), pose="planar")
    with pytest.raises(
        ArgumentError, match="part 2: the path moves along z, which 'pose: planar' does not include"
    ):
        symoro.trajectory.sampled("filip3r", path)


def test_a_circle_in_the_plane_is_led():
    circle = Circle((0.25, 0.25, 0), (0, 0, -2), angle=0.1, duration=1)
    samples = symoro.trajectory.sampled(
        "filip3r", Trajectory((circle,), (0, np.pi / 3, -np.pi / 2), pose="planar")
    )
    consistent(samples)


# -- where branches end


@pytest.mark.parametrize("method", ["algebraic", "numeric"])
def test_a_line_out_of_reach_ends_at_the_edge(method):
    path = Trajectory((Line(by=(3, 0, 0), duration=1),), PUMA, method=method)
    with pytest.raises(ArgumentError, match=r"the solution branch ends at t = 0\.") as caught:
        symoro.trajectory.sampled("puma560", path)
    time = float(str(caught.value).split("t = ")[1].split(" s")[0])
    s = 10 * time**3 - 15 * time**4 + 6 * time**5
    P = symoro.generate("puma560", "fast-geometry").function()(q=PUMA)["T"][:3, 3]
    assert 0.5 < np.linalg.norm(P + np.array([3 * s, 0, 0])) < 1.0  # the arm is about 0.9 long


def test_a_start_in_a_singular_posture_is_rejected():
    stretched = (*PUMA[:4], 0.0, 0.1)  # the wrist
    with pytest.raises(ArgumentError, match="singular"):
        symoro.trajectory.sampled("puma560", Trajectory((Line(by=(0, 0.1, 0), duration=1),), stretched))


@pytest.mark.parametrize("method", ["algebraic", "numeric"])
@pytest.mark.parametrize("beside", [0.0, 1e-8])
def test_a_path_through_a_singularity_is_rejected_with_its_time(method, beside):
    """A planar arm with two links, led through its stretched posture: it would have to come back elbow down."""
    path = Trajectory(
        (Line(by=(2.0 - 2 * np.cos(0.5) - beside, 0, 0), duration=1), Line(by=(-0.2, 0, 0), duration=1)),
        (0.5, -1.0),
        pose="Px,Py",
        method=method,
    )
    arm = symoro.Robot.from_dh([(0, 0, 0, 0), (0, 1, 0, 0)], "kk", tool={"on": 2, "d": 1})
    if beside:
        samples = symoro.trajectory.sampled(arm, path, step=0.05)
        assert (samples.q[:, 1] < 0).all()
    else:
        with pytest.raises(ArgumentError, match=r"ends at t = (0\.9|1)"):
            symoro.trajectory.sampled(arm, path, step=0.05)


def test_crossing_a_singularity_in_a_straight_line_is_rejected():
    """The wrist passes through zero between two samples: every joint would be continuous, the branch is not."""
    start = (*PUMA[:4], 0.1, PUMA[5])
    wrist = symoro.generate("puma560", "fast-geometry", to=5).function()(q=start)["T"]
    turn = Circle(wrist[:3, 3], wrist[:3, 2], angle=-0.21, turning=True, duration=1)
    with pytest.raises(ArgumentError, match=r"branch ends at t = 0\.4"):
        symoro.trajectory.sampled("puma560", Trajectory((turn,), start), step=0.013)


def test_a_path_that_the_robot_has_too_few_joints_for():
    with pytest.raises(ArgumentError, match="too few joints"):
        symoro.trajectory.sampled("filip3r", Trajectory((Line(by=(0, 0, 0.1), duration=1),), (0.1, 0.5, 0.3)))


# -- joints


def test_a_path_close_by_a_singular_posture_does_not_ask_for_more_joints():
    """The wrist nearly stretches out: small velocities count beside those of the wrist."""
    quarter = Circle(
        (0.1, 0.2, 0.3), (0, 0, 1), np.pi / 2, turning=True, velocity=(0.2, 10), acceleration=(1, 5)
    )
    path = Trajectory((quarter,), tuple(np.deg2rad([0.3, -0.6, 2.5, 0.2, 0.6, 0.1])))
    samples = symoro.torques("puma560", path).samples
    T = reached("puma560", samples)
    radii = np.linalg.norm(T[:, :2, 3] - [0.1, 0.2], axis=1)
    assert np.ptp(radii) < 1e-9 and np.ptp(T[:, 2, 3]) < 1e-9
    assert np.abs(samples.qd).max() > 10


def test_a_pose_with_a_wrong_last_row_is_rejected():
    pose = np.eye(4)
    pose[3, 3] = 2.0
    with pytest.raises(ArgumentError, match="last row of a pose must be 0, 0, 0, 1; got 0, 0, 0, 2"):
        symoro.trajectory.sampled("puma560", Trajectory((Line(to=tuple(pose.ravel()), duration=1),), PUMA))


def test_parts_follow_each_other_without_a_jump():
    path = Trajectory(
        (Move((1, 0.5, 0), duration=1), Via(((0, 0, 1), (0.5, 0, 0)), (0.5, 1.2)), Hold(0.3)), (0, 0, 0)
    )
    samples = symoro.trajectory.sampled("filip3r", path, step=0.01)
    assert samples.t[-1] == pytest.approx(2.5) and (np.diff(samples.t) > 0).all()
    consistent(samples)


@pytest.mark.parametrize("before", [(), (Hold(0.5),)])
@pytest.mark.parametrize("after", [(), (Hold(0.5),), (Move((1, 0, 0), duration=1),)])
def test_a_move_to_the_present_posture_takes_no_time(before, after):
    stay = Move((0, 0, 0), velocity=(1,), acceleration=(1,))
    result = symoro.torques("filip3r", Trajectory((*before, stay, *after), (0, 0, 0)), step=0.1)
    lasts = sum(part.duration for part in (*before, *after))
    assert result.samples.t[-1] == pytest.approx(lasts) and len(result.samples.t) == round(lasts / 0.1) + 1
    assert result.between and not result.warnings


def test_limits_of_velocity_are_kept_by_a_timed_move():
    move = Move((2, -1, 0.5), law="trapezoidal", velocity=(1.0,), acceleration=(4.0,))
    samples = symoro.trajectory.sampled("filip3r", Trajectory((move,), (0, 0, 0)), step=0.001)
    assert np.abs(samples.qd).max() == pytest.approx(1, abs=1e-9)
    assert samples.t[-1] == pytest.approx(2.25)


def test_a_series_that_starts_with_a_velocity_can_only_come_first():
    series = Fourier(0.5, [[1.0]] * 3, [[0.5]] * 3, (0, 0, 0))
    samples = symoro.trajectory.sampled("filip3r", Trajectory((series,)))
    assert np.abs(samples.q[0] - samples.q[-1]).max() < 1e-12
    with pytest.raises(ArgumentError, match=r"part 2: begins at t = 1 s with q"):
        symoro.trajectory.sampled("filip3r", Trajectory((Hold(1), series), (0, 0, 0)))
    at_zero = Fourier(0.5, [[1.0]] * 3, [[0.0]] * 3, (0, 0, 0))
    with pytest.raises(ArgumentError, match="with qd1 = 1"):
        symoro.trajectory.sampled("filip3r", Trajectory((Hold(1), at_zero), (0, 0, 0)))


@pytest.mark.parametrize("to", [(1,), (1, 2, 3, 4)])
def test_the_number_of_joints_must_fit(to):
    with pytest.raises(ArgumentError, match=r"part 2: to: expected 3 numbers \(q1, q2, q3\)"):
        symoro.trajectory.sampled("filip3r", Trajectory((Hold(1), Move(to, duration=1)), (0, 0, 0)))


@pytest.mark.parametrize("name, size", [("rx90_floating", 6), ("diffdrive", 2), ("rx90_elastic", 4)])
def test_poses_of_robots_whose_joints_do_not_determine_the_motion_are_rejected(name, size):
    start = (0.1,) * size
    with pytest.raises(NotApplicableError, match="do not determine the poses of its frames"):
        symoro.trajectory.sampled(name, Trajectory((Line(by=(0, 0, 0.1), duration=1),), start))
    result = symoro.trajectory.sampled(name, Trajectory((Move((0.5,) * size, duration=1),), start))
    assert len(result.joints) == size and (result.q[-1] == 0.5).all()


# -- loops


def test_loops_stay_closed_along_joints_and_along_a_line():
    path = Trajectory(
        (Move((1.6, 1.2), duration=1), Line(by=(0.02, 0.01, 0), duration=1)), (1.9, 0.9), pose="Px,Py"
    )
    samples = symoro.trajectory.sampled("fivebar", path, step=0.02)
    assert samples.joints == (1, 3) and samples.tree.shape == (101, 4)
    T = reached("fivebar", samples)
    assert np.abs(T[-1, :2, 3] - T[50, :2, 3] - (0.02, 0.01)).max() < 1e-9
    consistent(samples)
    loop = symoro.generate("fivebar", "loop-geometry").function()
    for k in range(0, 101, 20):
        rows = loop(qa=samples.q[k])
        assert np.abs(rows["q"][rows["status"] == 0] - samples.tree[k]).max(axis=1).min() < 1e-9


@pytest.mark.parametrize("name", [pytest.param("gough_stewart", marks=pytest.mark.slow), "delta", "3rrr"])
def test_platforms_follow_a_line(name):
    robot = symoro.load(name)
    way = (0.01, 0.02, 0.0) if name == "3rrr" else (0.01, 0.02, 0.05)
    path = Trajectory((Line(by=way, duration=1),), "home")
    result = symoro.torques(robot, path, step=0.05)
    T = reached(name, result.samples)
    assert np.abs(T[-1, :3, 3] - T[0, :3, 3] - way).max() < 1e-9
    assert np.abs(T[:, :3, :3] - T[0, :3, :3]).max() < 1e-9
    consistent(result.samples, 1e-5)


def test_loops_that_cannot_close_are_reported_with_the_time():
    with pytest.raises(ArgumentError, match=r"singular configuration.* at t = 0\.\d+ s"):
        symoro.trajectory.sampled("fivebar", Trajectory((Move((3.1, 0.0), duration=1),), (1.9, 0.9)))
