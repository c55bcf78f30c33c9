"""Platforms on legs with balls and universal joints against multipliers on the cut tree, which have no platform."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import symoro
from symoro.errors import NotApplicableError
from symoro.robot.description import Robot
from tests.oracle.cut_tree import Array, CutTree
from tests.oracle.platforms import in_planes, platform, poses, robots, turned

IDS = (
    "inverse-dynamics",
    "bias-torques",
    "inertia-matrix",
    "direct-dynamics",
    "jacobian",
    "jacobian-inverse",
)
RESTRICTED = ("3-RPS", "3-PRS", "3-RRS", "3-UPU")
ROBOTS = robots()


@cache
def functions(name: str, fold: str = "1") -> dict[str, symoro.Function]:
    made = {}
    for model in IDS:
        asked = {"q": True} if model == "inverse-dynamics" else {}
        made[model] = symoro.generate(ROBOTS[name], model, space="platform", fold=fold, **asked).function(
            compiled=False
        )
    return made


def relative(values: Array, true: Array) -> float:
    assert np.all(np.isfinite(values))
    return float(np.abs(values - true).max() / max(1.0, np.abs(true).max()))


def times(matrices: Array, vectors: Array) -> Array:
    return np.asarray(np.einsum("nij,nj->ni", matrices, vectors))


def compare(name: str, T: Array, seed: int, fold: str = "1") -> float:
    """The largest relative error of the models; the motion is that of random motors, by the oracle."""
    robot, made = ROBOTS[name], functions(name, fold)
    closed, to, still = CutTree(robot), robot.platform or 0, np.zeros((len(T), 6))
    rng = np.random.default_rng(seed)
    x = closed.opened(made["inverse-dynamics"](T=T, V=still, Vd=still)["q"])
    assert closed.gap(x).max() < 1e-10
    there, J = closed.platform(x, to)
    assert np.abs(there - T).max() < 1e-12
    qda, qdda = rng.uniform(-1, 1, (2, len(T), J.shape[2]))
    V, Vd = closed.twist(x, qda, 3 * qdda, to)
    tau = closed.motor_torques(x, qda, 3 * qdda)
    rest = closed.motor_torques(x, 0 * qda, 0 * qda)
    units = [closed.motor_torques(x, 0 * qda, np.broadcast_to(e, qda.shape)) for e in np.eye(qda.shape[1])]
    inertia = np.stack([unit - rest for unit in units], 2)
    A, H = made["inertia-matrix"](T=T)["A"], made["bias-torques"](T=T, V=V)["H"]
    Jt = J.transpose(0, 2, 1)
    return max(
        relative(made["inverse-dynamics"](T=T, V=V, Vd=Vd)["tau"], tau),
        relative(Jt @ A @ J, inertia),
        relative(times(Jt, times(A, Vd) + H), tau),
        relative(made["direct-dynamics"](T=T, V=V, tau=tau)["Vd"], Vd),
        relative(made["jacobian"](T=T)["J"], J),
        relative(times(made["jacobian-inverse"](T=T)["Jinv"], V), qda),
    )


@pytest.mark.parametrize("name", ROBOTS)
def test_models_against_multipliers(name: str) -> None:
    assert compare(name, poses(name, ROBOTS[name], 6, 1), 1) < 1e-9


@pytest.mark.parametrize(("name", "fold"), [("6-RUS", "212121"), ("3-PRS", "2"), ("3-UPU", "121")])
def test_other_working_modes(name: str, fold: str) -> None:
    assert compare(name, poses(name, ROBOTS[name], 3, 2), 2, fold) < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("name", ROBOTS)
def test_many_poses(name: str) -> None:
    for fold in ("1", "2"):
        assert compare(name, poses(name, ROBOTS[name], 200, 3), 3, fold) < 1e-8


@pytest.mark.parametrize("name", [name for name in ROBOTS if not name.startswith("6-UPS")])
def test_a_robot_a_thousand_times_smaller(name: str) -> None:
    """No threshold has a unit: J of the robot with all lengths times s."""
    robot, s = ROBOTS[name], 1e-3
    T = poses(name, robot, 2, 4)
    small = robot.bind(
        {word: value * s for word, value in robot.nominal if word[:2] in ("RB", "RP", "LA", "LB")}
    )
    J = symoro.generate(robot, "jacobian", space="platform").function(compiled=False)(T=T)["J"]
    T[:, :3, 3] *= s
    tiny = symoro.generate(small, "jacobian", space="platform").function(compiled=False)(T=T)["J"]
    slides = [robot.frame(j).sigma == 1 for j in range(1, robot.NL + 1) if robot.frame(j).mu]
    J[:, :3] *= s
    J[:, :, slides] /= s
    np.testing.assert_allclose(tiny, J, rtol=1e-9, atol=1e-9 * np.abs(J).max())


@pytest.mark.parametrize("name", RESTRICTED)
def test_poses_and_motions_that_the_legs_do_not_allow(name: str) -> None:
    """Parasitic motions cannot be left out: there is no value for such a motion, and no projection of it."""
    made, T, still = functions(name), poses(name, ROBOTS[name], 1, 5)[0], np.zeros(6)
    J = made["jacobian"](T=T)["J"]
    off = np.linalg.svd(J)[0][:, 5]  # a twist that is not one of the platform
    small = 1e-3 * off
    for V, Vd in ((J[:, 0] + small, still), (still, J[:, 1] + small)):
        assert np.isnan(made["inverse-dynamics"](T=T, V=V, Vd=Vd)["tau"]).all()
    assert np.isnan(made["bias-torques"](T=T, V=J[:, 0] + small)["H"]).all()
    assert np.isnan(made["direct-dynamics"](T=T, V=J[:, 0] + small, tau=np.ones(3))["Vd"]).all()
    kinematics = symoro.generate(ROBOTS[name], "inverse-kinematics", space="platform").function(
        compiled=False
    )
    assert np.isnan(kinematics(T=T, V=J[:, 0] + small)["qda"]).all()
    np.testing.assert_allclose(kinematics(T=T, V=J[:, 0])["qda"], [1, 0, 0], atol=1e-9)
    tilted = T.copy()
    turn = np.array([[1, 0, 0], [0, np.cos(0.01), -np.sin(0.01)], [0, np.sin(0.01), np.cos(0.01)]])
    tilted[:3, :3] = turn @ T[:3, :3]
    tilted[:3, 3] += 0.01
    assert np.isnan(made["inverse-dynamics"](T=tilted, V=still, Vd=still)["tau"]).all()
    assert np.isnan(made["inertia-matrix"](T=tilted)["A"]).all()


@pytest.mark.parametrize("name", ["6-RUS", "3-RPS", "3-UPU"])
def test_energy_is_conserved(name: str) -> None:
    """Motors without torque, friction and rotors: the platform falls, and its energy stays; Runge and Kutta."""
    robot = ROBOTS[name]
    for j in range(1, robot.NL + 1):
        if robot.frame(j).mu:
            robot = robot.with_frame(j, IA=0, FV=0, FS=0)
    T = poses(name, robot, 1, 6)[0]
    direct, inverse = (
        symoro.generate(robot, model, space="platform", q=True).function(compiled=False)
        for model in ("direct-dynamics", "inverse-dynamics")
    )
    closed = CutTree(robot)
    na = len(closed.active)

    def total(T: Array, V: Array) -> float:
        x = closed.opened(inverse(T=T, V=0 * V, Vd=0 * V)["q"][None])
        J = closed.platform(x, robot.platform or 0)[1][0]
        qda = np.linalg.lstsq(J, V, rcond=None)[0]
        return float(closed.energy(x, closed.accelerations(x, qda[None], 0 * qda[None])[0])[0])

    def slope(T: Array, V: Array) -> tuple[Array, Array]:
        x, y, z = V[3:]
        turning = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        rate = np.zeros((4, 4))
        rate[:3, :3], rate[:3, 3] = turning @ T[:3, :3], V[:3]
        return rate, direct(T=T, V=V, tau=np.zeros(na))["Vd"]

    V = np.zeros(6)
    before, h = total(T, V), 2e-3
    for _ in range(25):
        k1 = slope(T, V)
        k2 = slope(T + h / 2 * k1[0], V + h / 2 * k1[1])
        k3 = slope(T + h / 2 * k2[0], V + h / 2 * k2[1])
        k4 = slope(T + h * k3[0], V + h * k3[1])
        T, V = (
            y + h / 6 * (a + 2 * b + 2 * c + d) for y, a, b, c, d in zip((T, V), k1, k2, k3, k4, strict=True)
        )
    moving = (
        0.5
        * V
        @ symoro.generate(robot, "inertia-matrix", space="platform").function(compiled=False)(T=T)["A"]
        @ V
    )
    assert moving > 0.1
    assert abs(total(T, V) - before) < 1e-8 * moving


@pytest.mark.parametrize("name", ["3-PRS", "3-RRS"])
@pytest.mark.parametrize("tilt", [0, 1e-9, 1e-6])
def test_a_ball_whose_turns_are_singular(name: str, tilt: float) -> None:
    """The level platform: first and last turn of every ball have one axis, which does not matter for a ball."""
    robot, T = ROBOTS[name], in_planes(ROBOTS[name], 0.7, turned([tilt, 0, 0]))
    out = symoro.generate(robot, "inverse-geometry", space="platform").function(compiled=False)(T=T)
    assert (out["status"] == 0).all() and out["residual"].max() < 1e-9
    beside = in_planes(robot, 0.7, turned([1e-4, 1e-4, 0]))
    made, vectors = functions(name), []
    for at in (T, beside):
        J = made["jacobian"](T=at)["J"]
        tau = made["direct-dynamics"](T=at, V=J @ [0.1, 0.2, 0.3], tau=np.zeros(3))["Vd"]
        vectors.append(np.concatenate([J.ravel(), tau, made["inertia-matrix"](T=at)["A"].ravel()]))
    np.testing.assert_allclose(*vectors, atol=2e-2)


def test_inverse_geometry_gives_every_working_mode() -> None:
    model = symoro.generate(ROBOTS["6-RUS"], "inverse-geometry")
    assert model.outputs["q"][0] == 64
    out = model.function(compiled=False)(T=poses("6-RUS", ROBOTS["6-RUS"], 1, 7)[0])
    assert (out["status"] == 0).all() and out["residual"].max() < 1e-9
    assert len({tuple(np.round(row[[0, 6]], 6)) for row in out["q"]}) == 4


# -- what is rejected


def upu(seat: str) -> Robot:
    slide = "{joint: prismatic, alpha: pi/2, active: true}"
    return platform(
        "upu", ["{joint: universal, alpha: pi/2}", slide], "{joint: universal, alpha: -pi/2}", seat=seat
    )


def test_three_legs_upu_that_do_not_translate_are_rejected() -> None:
    with pytest.raises(NotApplicableError, match="in no orientation of the platform"):
        symoro.generate(upu(""), "inverse-dynamics", space="platform")


def test_legs_without_a_closed_form_are_rejected() -> None:
    motor = "{alpha: pi/2, active: true}"
    skew = platform("skew", [motor, "{alpha: 0.3, d: LA}"], "{joint: ball, d: LB}")
    with pytest.raises(NotApplicableError, match="revolute axes are not parallel"):
        symoro.generate(skew, "inverse-dynamics", space="platform")
    off = platform("off", [motor, "{d: LA}", "{alpha: pi/2, d: 0.1}"], "{joint: ball, d: LB}", six=True)
    with pytest.raises(NotApplicableError, match="do not intersect at a right angle") as error:
        symoro.generate(off, "inverse-dynamics", space="platform")
    assert "without the option space" in str(error.value)


def test_the_number_of_motors_must_fit() -> None:
    robot = ROBOTS["3-RPS"].with_frame(1, mu=True)
    with pytest.raises(NotApplicableError, match="3 freedoms and 4 active joints"):
        symoro.generate(robot, "inverse-dynamics", space="platform")
