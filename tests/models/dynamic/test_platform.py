"""Models in the platform's coordinates against multipliers on the cut tree, which know of no platform."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import symoro
from symoro.errors import NotApplicableError, OptionError
from symoro.robot.description import Robot
from tests.oracle.cut_tree import Array, CutTree

IDS = ("inverse-dynamics", "bias-torques", "inertia-matrix", "direct-dynamics")
ROBOTS = ("gough_stewart", "gough_stewart_general", "3rrr", "delta", "orthoglide")
FREEDOMS = {"3rrr": (0, 1, 5), "delta": (0, 1, 2), "orthoglide": (0, 1, 2)}


@cache
def functions(robot: Robot, fold: str = "1") -> dict[str, symoro.Model]:
    made = {}
    for model in IDS:
        asked = {"q": True} if model == "inverse-dynamics" else {}
        made[model] = symoro.generate(robot, model, space="platform", fold=fold, **asked).function(
            compiled=False
        )
    return made


def spread(name: str, rng: np.random.Generator, count: int) -> Array:
    """Poses about home."""
    robot = symoro.load(name)
    closed = CutTree(robot)
    home = closed.placed(closed.opened(np.array([robot.postures["home"]])))[robot.platform]
    T = np.broadcast_to(np.eye(4), (count, 4, 4)).copy()
    T[:, :3, :3], T[:, :3, 3] = home[0][0], home[1][0]
    free = FREEDOMS.get(name, range(6))
    for k in range(count):
        move = np.zeros(6)
        move[list(free)] = rng.uniform(-1, 1, len(free))
        T[k, :3, 3] += 0.08 * move[:3]
        T[k, :3, :3] = turned(0.3 * move[3:]) @ T[k, :3, :3]
    return T


def turned(w: Array) -> Array:
    x, y, z = w
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    angle = float(np.linalg.norm(w)) or 1.0
    return np.eye(3) + np.sin(angle) / angle * k + (1 - np.cos(angle)) / angle**2 * k @ k


def free_twists(name: str, rng: np.random.Generator, count: int) -> Array:
    V = np.zeros((count, 6))
    free = list(FREEDOMS.get(name, range(6)))
    V[:, free] = rng.uniform(-1, 1, (count, len(free)))
    return V


def compare(name: str, robot: Robot, T: Array, rng: np.random.Generator, fold: str = "1") -> float:
    """The largest relative error of the four models; the postures are the model's own, and must close."""
    V, Vd = free_twists(name, rng, len(T)), 3 * free_twists(name, rng, len(T))
    made, closed, to = functions(robot, fold), CutTree(robot), robot.platform
    found = made["inverse-dynamics"](T=T, V=V, Vd=Vd)
    x = closed.opened(found["q"])
    assert closed.gap(x).max() < 1e-10
    there, J = closed.platform(x, to)
    assert np.abs(there - T).max() < 1e-12
    solve = np.linalg.pinv(J, rcond=1e-10)
    qda = np.einsum("nij,nj->ni", solve, V)
    drift = closed.twist(x, qda, np.zeros_like(qda), to)[1]
    qdda = np.einsum("nij,nj->ni", solve, Vd - drift)
    tau = closed.motor_torques(x, qda, qdda)
    A, H = made["inertia-matrix"](T=T)["A"], made["bias-torques"](T=T, V=V)["H"]
    units = [closed.motor_torques(x, 0 * qda, np.broadcast_to(e, qda.shape)) for e in np.eye(qda.shape[1])]
    rest = closed.motor_torques(x, 0 * qda, 0 * qda)
    inertia = np.stack([unit - rest for unit in units], 2)
    Jt = J.transpose(0, 2, 1)
    return max(
        relative(found["tau"], tau),
        relative(Jt @ A @ J, inertia),
        relative(np.einsum("nij,nj->ni", Jt, np.einsum("nij,nj->ni", A, Vd) + H), tau),
        relative(made["direct-dynamics"](T=T, V=V, tau=tau)["Vd"], Vd),
    )


def relative(found: Array, true: Array) -> float:
    assert np.all(np.isfinite(found))
    return float(np.abs(found - true).max() / max(1.0, np.abs(true).max()))


@pytest.mark.parametrize("name", ROBOTS)
def test_all_four_models_against_multipliers(name: str) -> None:
    rng = np.random.default_rng(1)
    assert compare(name, symoro.load(name), spread(name, rng, 20), rng) < 1e-9


@pytest.mark.parametrize(
    ("name", "fold"), [("gough_stewart_general", "2"), ("3rrr", "212"), ("delta", "121")]
)
def test_other_folds(name: str, fold: str) -> None:
    rng = np.random.default_rng(2)
    assert compare(name, symoro.load(name), spread(name, rng, 8), rng, fold) < 1e-8


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gough_stewart", "gough_stewart_general"])
def test_ten_thousand_poses(name: str) -> None:
    rng = np.random.default_rng(3)
    robot = symoro.load(name)
    for _ in range(20):
        assert compare(name, robot, spread(name, rng, 500), rng) < 1e-9


def test_friction_and_mass_everywhere_in_the_legs() -> None:
    """Crosses with mass, friction and rotors at every turn, those of the balls included."""
    rng = np.random.default_rng(4)
    robot = symoro.load("gough_stewart_general")
    for j in range(1, robot.NL + 1):
        if robot.frame(j).moving and not robot.frame(j).mu:
            robot = robot.with_frame(j, IA=rng.uniform(0, 0.1), FV=rng.uniform(0, 1), FS=rng.uniform(0, 1))
        if robot.frame(j).ant == 0:
            robot = robot.with_link(j, M=1, MX=0.02, MY=-0.01, ZZ=0.03)
    assert compare("gough_stewart_general", robot, spread("gough_stewart_general", rng, 10), rng) < 1e-9


@pytest.mark.parametrize(("name", "most"), [("gough_stewart", 1250), ("gough_stewart_general", 2000)])
def test_operations(name: str, most: int) -> None:
    count = symoro.generate(name, "inverse-dynamics", space="platform").count()
    assert count.additions + count.multiplications <= most


def test_a_vertical_leg_is_a_regular_posture() -> None:
    """The first pivot of the unpivoted elimination is zero there."""
    robot = symoro.load("gough_stewart")
    values = dict(robot.nominal)
    angles = [values["GB"], values["GP"]]
    a = values["RB"] * np.array([np.cos(-angles[0]), np.sin(-angles[0])])
    b = values["RP"] * np.array([np.cos(-angles[1]), np.sin(-angles[1])])
    T = np.eye(4)
    T[:2, 3], T[2, 3] = a - b, 0.8
    rng = np.random.default_rng(5)
    assert compare("gough_stewart", robot, np.array([T]), rng) < 1e-9


# -- where there is no value


def parallel_legs() -> tuple[Robot, Array]:
    """All legs vertical: a singularity of type 2."""
    robot = symoro.load("gough_stewart").bind({"RP": "RB", "GP": "GB"})
    T = np.eye(4)
    T[2, 3] = 0.8
    return robot, T


def still(robot: Robot, model: str, T: Array, **options: str) -> dict[str, Array]:
    made = symoro.generate(robot, model, space="platform", **options)
    inputs = {"T": T, "V": np.full(6, 0.1), "Vd": np.full(6, 0.2), "tau": np.ones(6)}
    shapes = {name: inputs[name][: made.inputs[name][0]] for name in made.inputs}
    return made.function(compiled=False)(**shapes)


def test_parallel_legs_have_no_torques() -> None:
    robot, T = parallel_legs()
    assert np.all(np.isnan(still(robot, "inverse-dynamics", T)["tau"]))
    assert np.all(np.isnan(still(robot, "jacobian", T)["J"]))
    assert np.all(np.isfinite(still(robot, "jacobian-inverse", T)["Jinv"]))
    assert np.all(
        np.isfinite(still(robot, "direct-dynamics", T)["Vd"])
    )  # the platform's inertia is regular there


def quarter_turn(beside: float) -> Array:
    """Fichter's singularity: a symmetric platform turned by a right angle about the vertical."""
    T = np.eye(4)
    T[:3, :3] = turned(np.array([0.0, 0.0, np.pi / 2 - beside]))
    T[2, 3] = 0.8
    return T


def test_a_platform_turned_by_a_right_angle_has_no_torques() -> None:
    robot = symoro.load("gough_stewart")
    assert np.all(np.isnan(still(robot, "inverse-dynamics", quarter_turn(0))["tau"]))


@pytest.mark.parametrize("beside", [1e-2, 1e-3, 1e-4, -1e-4])
def test_beside_a_singularity_torques_are_right(beside: float) -> None:
    """J' (A Vd + H) with J, A and H by other ways, to 1e-8 times the condition."""
    robot, T = symoro.load("gough_stewart"), quarter_turn(beside)
    rng = np.random.default_rng(6)
    made, closed = functions(robot), CutTree(robot)
    V, Vd = rng.uniform(-1, 1, 6), rng.uniform(-1, 1, 6)
    found = made["inverse-dynamics"](T=T, V=V, Vd=Vd)
    J = closed.platform(closed.opened(found["q"][None]), robot.platform)[1][0]
    true = J.T @ (made["inertia-matrix"](T=T)["A"] @ Vd + made["bias-torques"](T=T, V=V)["H"])
    assert np.linalg.cond(J) > 1 / abs(beside)
    assert np.abs(found["tau"] - true).max() < 1e-8 * np.linalg.cond(J) * np.abs(true).max()


def test_a_leg_without_length() -> None:
    """r = 0: the ball in the centre of the universal joint."""
    robot = symoro.load("gough_stewart").bind({"RP": "RB", "GP": "GB"})
    for model in IDS:
        assert all(np.all(np.isnan(x)) for x in still(robot, model, np.eye(4)).values())


def test_a_leg_along_the_first_axis_of_its_cross() -> None:
    """theta2 = 0: a leg that is no body of revolution has no turn about itself."""
    robot = symoro.load("gough_stewart_general")
    values = dict(robot.nominal)
    points = {
        k: np.array(
            [
                values[f"D{k}1"] * np.cos(values[f"G{k}1"]),
                values[f"D{k}1"] * np.sin(values[f"G{k}1"]),
                values[f"B{k}1"],
            ]
        )
        for k in "BP"
    }
    axis = np.array([-np.sin(values["GB1"]), np.cos(values["GB1"]), 0])
    T = np.eye(4)
    T[:3, 3] = points["B"] + 0.9 * axis - points["P"]
    for model in IDS:
        assert all(np.all(np.isnan(x)) for x in still(robot, model, T).values())
    T[:3, 3] += [0, 0, 1e-3]
    assert np.all(np.isfinite(still(robot, "inertia-matrix", T)["A"]))


def test_a_stretched_elbow() -> None:
    robot = symoro.load("3rrr")
    values = dict(robot.nominal)
    far = values["L1"] + values["L2"] - values["RB"]
    T = np.eye(4)
    T[1, 3] = far + values["RP"]  # leg 1, at -pi/2, is straight
    for model in IDS:
        assert all(np.all(np.isnan(x)) for x in still(robot, model, T).values())


@pytest.mark.parametrize("name", ["3rrr", "delta", "orthoglide"])
def test_a_pose_that_the_legs_do_not_allow(name: str) -> None:
    robot = symoro.load(name)
    T = spread(name, np.random.default_rng(7), 1)[0]
    assert np.all(np.isfinite(still(robot, "inertia-matrix", T)["A"]))
    T[:3, :3] = turned(np.array([0.01, 0, 0])) @ T[:3, :3]
    for model in IDS:
        assert all(np.all(np.isnan(x)) for x in still(robot, model, T).values())


@pytest.mark.parametrize(
    ("name", "free"), [("3rrr", (0, 1, 5)), ("delta", (0, 1, 2)), ("orthoglide", (0, 1, 2))]
)
def test_motions_that_the_legs_do_not_allow_are_not_read(name: str, free: tuple[int, ...]) -> None:
    robot = symoro.load(name)
    T = spread(name, np.random.default_rng(4), 1)[0]
    given = np.full((2, 6), np.nan)
    given[:, free] = [[0.3, -0.2, 0.4], [1.0, 0.5, -0.7]]
    inputs = {"tau": [1.0, 2.0, 3.0]}
    for model in ("inverse-dynamics", "bias-torques", "direct-dynamics"):
        made = symoro.generate(robot, model, space="platform")
        run = made.function(compiled=False)
        found, known = (
            run(**{n: {**inputs, "T": T, "V": v, "Vd": a}[n] for n in made.inputs})
            for v, a in (given, np.nan_to_num(given))
        )
        assert all(np.isfinite(known[n]).all() and np.array_equal(found[n], known[n]) for n in known)


def test_nan_in_nan_out() -> None:
    T = np.eye(4)
    T[2, 3] = np.nan
    for name in ROBOTS:
        assert np.all(np.isnan(still(symoro.load(name), "inverse-dynamics", T)["tau"]))


# -- what is refused


def test_robots_without_a_platform_are_refused() -> None:
    with pytest.raises(NotApplicableError, match=r"no loops|names no platform"):
        symoro.generate("rx90", "inverse-dynamics", space="platform")
    with pytest.raises(NotApplicableError, match="leg"):
        symoro.generate("sr400", "inverse-dynamics", space="platform")
    with pytest.raises(NotApplicableError):
        symoro.generate("hybrid", "inverse-dynamics", space="platform")


def test_too_few_motors_are_refused() -> None:
    robot = symoro.load("3rrr").with_frame(1, mu=False)
    with pytest.raises(NotApplicableError, match="active joints"):
        symoro.generate(robot, "inverse-dynamics", space="platform")


def test_a_parallelogram_that_is_none_is_refused() -> None:
    robot = symoro.load("delta")
    opened = next(k for k in range(robot.NL + 1, robot.NJ + 1) if robot.frame(k).d.text == "LF")
    with pytest.raises(NotApplicableError, match="opposite sides differ"):
        symoro.generate(robot.with_frame(opened, d="LF + 1/1000000"), "inverse-dynamics", space="platform")


@pytest.mark.parametrize("fold", ["3", "11", "", "x"])
def test_folds_that_do_not_exist(fold: str) -> None:
    with pytest.raises(OptionError, match="fold"):
        symoro.generate("3rrr", "inverse-dynamics", space="platform", fold=fold)
