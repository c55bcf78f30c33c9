"""Models in platform coordinates against Lagrange multipliers on the cut tree, which has no platform."""

from __future__ import annotations

import numpy as np
import pytest

import symoro
from symoro.robot.description import Robot
from tests.oracle.cut_tree import Array, CutTree
from tests.oracle.platforms import LIBRARY, model, poses, robots, turned

ROBOTS = {name: symoro.load(name) for name in LIBRARY} | robots()


def relative(values: Array, true: Array) -> float:
    assert np.all(np.isfinite(values))
    return float(np.abs(values - true).max() / max(1.0, np.abs(true).max()))


def times(matrices: Array, vectors: Array) -> Array:
    return np.asarray(np.einsum("nij,nj->ni", matrices, vectors))


def compare(robot: Robot, T: Array, seed: int, working_mode: str = "1") -> float:
    """Return the largest relative error of the models at the motion of random motors, by the oracle."""
    closed, to, still = CutTree(robot), robot.platform or 0, np.zeros((len(T), 6))
    rng = np.random.default_rng(seed)
    inverse = model(robot, "inverse-dynamics", working_mode, q=True)
    x = closed.opened(inverse(T=T, V=still, Vd=still)["q"])
    assert closed.gap(x).max() < 1e-10
    there, J = closed.platform(x, to)
    assert np.abs(there - T).max() < 1e-12
    qda, qdda = rng.uniform(-1, 1, (2, len(T), J.shape[2]))
    V, Vd = closed.twist(x, qda, 3 * qdda, to)
    tau = closed.motor_torques(x, qda, 3 * qdda)
    rest = closed.motor_torques(x, 0 * qda, 0 * qda)
    units = [closed.motor_torques(x, 0 * qda, np.broadcast_to(e, qda.shape)) for e in np.eye(qda.shape[1])]
    inertia = np.stack([unit - rest for unit in units], 2)
    A = model(robot, "inertia-matrix", working_mode)(T=T)["A"]
    H = model(robot, "bias-torques", working_mode)(T=T, V=V)["H"]
    Jt = J.transpose(0, 2, 1)
    return max(
        relative(inverse(T=T, V=V, Vd=Vd)["tau"], tau),
        relative(Jt @ A @ J, inertia),
        relative(times(Jt, times(A, Vd) + H), tau),
        relative(model(robot, "direct-dynamics", working_mode)(T=T, V=V, tau=tau)["Vd"], Vd),
        relative(model(robot, "jacobian", working_mode)(T=T)["J"], J),
        relative(times(model(robot, "jacobian-inverse", working_mode)(T=T)["Jinv"], V), qda),
        relative(model(robot, "inverse-kinematics", working_mode)(T=T, V=V)["qda"], qda),
    )


@pytest.mark.first(8)
@pytest.mark.parametrize("name", ROBOTS)
def test_models_against_multipliers(name: str) -> None:
    assert compare(ROBOTS[name], poses(name, ROBOTS[name], 12, 1), 1) < 1e-9


@pytest.mark.parametrize(
    ("name", "working_mode"),
    [
        ("gough_stewart_general", "2"),
        ("3rrr", "212"),
        ("delta", "121"),
        ("6-RUS", "212121"),
        ("3-PRS", "2"),
        ("3-UPU", "121"),
    ],
)
def test_other_working_modes(name: str, working_mode: str) -> None:
    assert compare(ROBOTS[name], poses(name, ROBOTS[name], 6, 2), 2, working_mode) < 1e-8


@pytest.mark.slow
@pytest.mark.parametrize("name", ROBOTS)
def test_many_poses(name: str) -> None:
    if name in LIBRARY[:2]:
        for seed in range(20):
            assert compare(ROBOTS[name], poses(name, ROBOTS[name], 500, seed), seed) < 1e-9
    for working_mode in ("1", "2"):
        assert compare(ROBOTS[name], poses(name, ROBOTS[name], 200, 3), 3, working_mode) < 1e-8


def test_friction_and_mass_everywhere_in_the_legs() -> None:
    """First links with mass, friction and rotors at every joint, including ball joints."""
    rng = np.random.default_rng(4)
    name = "gough_stewart_general"
    robot = ROBOTS[name]
    for j in range(1, robot.NL + 1):
        if robot.frame(j).moving and not robot.frame(j).mu:
            robot = robot.with_frame(j, IA=rng.uniform(0, 0.1), FV=rng.uniform(0, 1), FS=rng.uniform(0, 1))
        if robot.frame(j).ant == 0:
            robot = robot.with_link(j, M=1, MX=0.02, MY=-0.01, ZZ=0.03)
    assert compare(robot, poses(name, robot, 10, 4), 4) < 1e-9


def test_ups_legs_that_are_not_in_the_special_form() -> None:
    """With a rotation between universal and prismatic joint the general form of the legs applies."""
    name = "gough_stewart_general"
    robot = ROBOTS[name]
    second = next(j for j in range(1, robot.NL + 1) if robot.frame(j).mu) - 1
    robot = robot.with_frame(second, gamma=0.2)
    assert compare(robot, poses(name, robot, 4, 5), 5) < 1e-9


@pytest.mark.parametrize(
    ("name", "inverse", "direct"), [("gough_stewart", 1117, 1605), ("gough_stewart_general", 1909, 3462)]
)
def test_operations(name: str, inverse: int, direct: int) -> None:
    for most, id in ((inverse, "inverse-dynamics"), (direct, "direct-dynamics")):
        count = symoro.generate(name, id, space="platform").count()
        assert count.additions + count.multiplications <= most


def test_a_vertical_leg_is_a_regular_posture() -> None:
    """The first pivot of an elimination without pivoting is zero there."""
    robot = ROBOTS["gough_stewart"]
    values = dict(robot.nominal)
    angles = [values["GB"], values["GP"]]
    a = values["RB"] * np.array([np.cos(-angles[0]), np.sin(-angles[0])])
    b = values["RP"] * np.array([np.cos(-angles[1]), np.sin(-angles[1])])
    T = np.eye(4)
    T[:2, 3], T[2, 3] = a - b, 0.8
    assert compare(robot, np.array([T]), 5) < 1e-9


@pytest.mark.parametrize("name", [name for name in robots() if not name.startswith("6-UPS")])
def test_a_robot_a_thousand_times_smaller(name: str) -> None:
    """No threshold has a unit: the Jacobian of a scaled robot is scaled accordingly."""
    robot, s = ROBOTS[name], 1e-3
    T = poses(name, robot, 2, 4)
    small = robot.bind(
        {word: value * s for word, value in robot.nominal if word[:2] in ("RB", "RP", "LA", "LB")}
    )
    J = model(robot, "jacobian")(T=T)["J"].copy()
    T[:, :3, 3] *= s
    tiny = model(small, "jacobian")(T=T)["J"]
    slides = [robot.frame(j).sigma == 1 for j in range(1, robot.NL + 1) if robot.frame(j).mu]
    J[:, :3] *= s
    J[:, :, slides] /= s
    np.testing.assert_allclose(tiny, J, rtol=1e-9, atol=1e-9 * np.abs(J).max())


@pytest.mark.parametrize("beside", [1e-2, 1e-3, 1e-4, -1e-4])
def test_beside_a_singularity_torques_are_right(beside: float) -> None:
    """Torques equal J' (A Vd + H), with J, A and H computed by other methods, to 1e-8 times the condition number."""
    robot = ROBOTS["gough_stewart"]
    T = np.eye(4)
    T[:3, :3], T[2, 3] = turned([0, 0, np.pi / 2 - beside]), 0.8
    rng = np.random.default_rng(6)
    V, Vd = rng.uniform(-1, 1, (2, 6))
    inverse = model(robot, "inverse-dynamics", q=True)(T=T, V=V, Vd=Vd)
    closed = CutTree(robot)
    J = closed.platform(closed.opened(inverse["q"][None]), robot.platform or 0)[1][0]
    A, H = model(robot, "inertia-matrix")(T=T)["A"], model(robot, "bias-torques")(T=T, V=V)["H"]
    true = J.T @ (A @ Vd + H)
    assert np.linalg.cond(J) > 1 / abs(beside)
    assert np.abs(inverse["tau"] - true).max() < 1e-8 * np.linalg.cond(J) * np.abs(true).max()
