"""Wheeled robots: torques and accelerations against Lagrange multipliers, energy and rolling in simulation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import symoro
from symoro.errors import NotApplicableError
from symoro.expr.formula import ZERO, formula
from symoro.robot.description import BaseKind, Robot
from tests.models.dynamic.test_golden import expected, golden, run
from tests.models.kinematic.test_wheels import CLASSES, closed, error
from tests.oracle.dynamics import STILL
from tests.oracle.wheel_robots import layout
from tests.oracle.wheels import Wheels

CLOSE = 1e-9
Function = Callable[..., dict[str, np.ndarray]]


def function(robot: Robot, model: str, **options: str) -> Function:
    return symoro.generate(robot, model, **options).function(compiled=False)


def numbered(name: str) -> Robot:
    """Return a bundled robot with a number for every symbol."""
    robot = symoro.load(name)
    rng = np.random.default_rng(len(name))
    left = [s for s in robot.symbols() if s not in dict(robot.nominal)]
    return robot.replace(nominal=(*robot.nominal, *((s, float(rng.uniform(0.2, 1))) for s in left)))


def check(robot: Robot, q: np.ndarray, seed: int) -> None:
    """Compare all models of a robot without coupled joints with the oracle."""
    truth = Wheels(robot)
    rng = np.random.default_rng(seed)
    qda, qdda, tau = rng.uniform(-1, 1, (3, len(truth.active)))
    x = truth.rates(q, qda)
    assert (
        error(
            function(robot, "inverse-dynamics")(q=q, qda=qda, qdda=qdda)["tau"], truth.torques(q, qda, qdda)
        )
        < CLOSE
    )
    result = function(robot, "direct-dynamics")(q=q, qda=qda, tau=tau)
    for key, wanted in zip(("qdda", "V0", "Vd0"), truth.direct(q, qda, tau), strict=True):
        assert error(result[key], wanted) < CLOSE, key
    H = function(robot, "bias-torques")(q=q, qda=qda)["H"]
    assert error(H, truth.torques(q, qda, 0 * qda)) < CLOSE
    A = function(robot, "inertia-matrix")(q=q)["A"]
    assert error(A @ result["qdda"] + H, tau) < CLOSE
    assert (A == A.T).all() and np.linalg.eigvalsh(A).min() > 0
    energies = function(robot, "energy")(q=q, qda=qda)
    assert error(energies["E"], np.array(truth.kinetic(q, x))) < CLOSE
    Q = function(robot, "gravity-torques")(q=q)["Q"]
    weight = truth.tree.carried(q, 0 * q, 0 * q, weight=True, loads=False, base=STILL)
    at = truth.tree.motion(q, 0 * q, STILL).T
    along = [_along(truth, at, weight, j) for j in truth.tree.moving]
    G = np.array([truth.rates(q, unit) for unit in np.eye(len(qda))]).T
    assert error(Q, G[3:].T @ np.array(along)) < CLOSE


def _along(truth: Wheels, at: dict[int, np.ndarray], weight: np.ndarray, j: int) -> float:
    axis, o = at[j][:3, 2].real, at[j][:3, 3].real
    force, moment = weight[j, :3], weight[j, 3:]
    return float(axis @ (force if truth.tree.sigma[j] == 1 else moment - np.cross(o, force)))


@pytest.mark.parametrize("name", [name for name in CLASSES if name != "car_ackermann"])
def test_bundled_robots(name: str) -> None:
    robot = numbered(name)
    check(
        robot,
        np.random.default_rng(4).uniform(
            -0.5, 0.5, len(robot.frames) - sum(not f.moving for f in robot.frames)
        ),
        5,
    )


@pytest.mark.parametrize("seed", range(20, 26))
def test_random_layouts(seed: int) -> None:
    check(*layout(seed), seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(300, 420))
def test_many_random_layouts(seed: int) -> None:
    check(*layout(seed), seed)


def test_a_payload_counts() -> None:
    robot = numbered("mobile_manipulator").replace(payload=numbered("car").link(1))
    check(robot, np.linspace(-0.5, 0.6, 7), 3)


def test_a_linkage_does_no_work() -> None:
    """Four wheels steered by Ackermann's relation: torques are the forces of the tree, projected on the motion."""
    robot = numbered("car_ackermann")
    truth = Wheels(robot)
    rng = np.random.default_rng(2)
    q = closed(robot, rng.uniform(-0.5, 0.5, truth.n))
    qda, qdda = rng.uniform(-1, 1, (2, 2))
    G = function(robot, "wheel-kinematics")
    x = G(q=q)["G"] @ qda
    h = 1e-6
    ahead, behind = (G(q=closed(robot, q + s * h * x[3:]))["G"] @ (qda + s * h * qdda) for s in (1, -1))
    xd = (ahead - behind) / (2 * h)
    tau = function(robot, "inverse-dynamics")(q=q, qda=qda, qdda=qdda)["tau"]
    assert error(tau, G(q=q)["G"].T @ truth.forces(q, x, xd)) < 1e-8
    E = function(robot, "energy")(q=q, qda=qda)["E"]
    assert abs(E - truth.kinetic(q, x)) < 1e-10 * E
    result = function(robot, "direct-dynamics")(q=q, qda=qda, tau=tau)
    assert error(result["qdda"], qdda) < 1e-9


def test_efforts_agree() -> None:
    robot, q = layout(3)
    n = len(Wheels(robot).active)
    qda, qdda = np.random.default_rng(1).uniform(-1, 1, (2, n))
    taus = [
        function(robot, "inverse-dynamics", effort=e)(q=q, qda=qda, qdda=qdda)["tau"]
        for e in ("quick", "plain", "search")
    ]
    assert error(taus[1], taus[0]) < 1e-11 and error(taus[2], taus[0]) < 1e-11


def test_compiled_code_agrees() -> None:
    robot, q = layout(7)
    n = len(Wheels(robot).active)
    qda, tau = np.random.default_rng(1).uniform(-1, 1, (2, n))
    model = symoro.generate(robot, "direct-dynamics")
    slow, fast = (
        model.function(compiled=False)(q=q, qda=qda, tau=tau),
        model.function()(q=q, qda=qda, tau=tau),
    )
    assert all(error(fast[key], slow[key]) < 1e-11 for key in slow)


def test_wrenches_count_those_of_the_base_too() -> None:
    """A force on the chassis of a differential drive loads both wheels equally."""
    robot = numbered("diffdrive")
    pulled = robot.with_link(0, FX=formula(3), CZ=formula(0.5))
    q, still = np.zeros(4), np.zeros(2)
    less = function(robot, "inverse-dynamics")(q=q, qda=still, qdda=still)["tau"]
    more = function(pulled, "inverse-dynamics")(q=q, qda=still, qdda=still)["tau"]
    values = dict(robot.nominal)
    r, w = values["hw"], values["W2"]
    assert np.allclose(
        more - less, [3 * r / 2 + 0.5 * r / (2 * w), 3 * r / 2 - 0.5 * r / (2 * w)], atol=1e-12
    )
    symbolic = robot.with_link(0, FX="FX0")
    assert symoro.generate(symbolic, "inverse-dynamics").inputs["wrench"] == (5, 6)


# -- what is fixed, refused, or not described


def test_a_fixed_velocity_of_a_drive_stands_in_its_place() -> None:
    robot = numbered("car").with_frame(1, QP=formula(2))
    q, qdda = np.array([0, 0.2, 0]), np.ones(2)
    f = function(robot, "inverse-dynamics")
    free = function(numbered("car"), "inverse-dynamics")
    assert (
        error(
            f(q=q, qda=np.array([9.0, 1]), qdda=qdda)["tau"],
            free(q=q, qda=np.array([2.0, 1]), qdda=qdda)["tau"],
        )
        < 1e-13
    )
    with pytest.raises(NotApplicableError, match="joint 3 cannot have a prescribed QP"):
        symoro.generate(numbered("car").with_frame(3, QP=formula(1)), "inverse-dynamics")


def test_more_drives_than_freedoms_share_the_torques() -> None:
    """Mecanum robot with four drives: same motion, same work, least sum of squares."""
    three, four = symoro.load("mecanum"), symoro.load("mecanum").with_frame(4, mu=True)
    rng = np.random.default_rng(1)
    q, (qda, qdda, free) = rng.uniform(-1, 1, 4), rng.uniform(-1, 1, (3, 3))
    model = symoro.generate(four, "inverse-dynamics", surplus="share")
    assert model.inputs == {"q": (4,), "qda": (3,), "qdda": (3,)} and model.outputs == {"tau": (4,)}
    tau = model.function(compiled=False)(q=q, qda=qda, qdda=qdda)["tau"]
    wanted = function(three, "inverse-dynamics")(q=q, qda=qda, qdda=qdda)["tau"]
    T = function(three, "wheel-kinematics")(q=q)["G"][3:]
    assert error(T.T @ tau, wanted) < 1e-13
    least = np.linalg.lstsq(T.T, wanted, rcond=None)[0]
    assert error(tau, least) < 1e-13
    result = function(four, "direct-dynamics", surplus="share")(q=q, qda=qda, tau=tau)
    assert error(result["qdda"], qdda) < 1e-11
    idle = np.r_[free, 0.0]
    one = function(four, "direct-dynamics", surplus="share")(q=q, qda=qda, tau=idle)["qdda"]
    assert error(one, function(three, "direct-dynamics")(q=q, qda=qda, tau=free)["qdda"]) < 1e-11
    with pytest.raises(NotApplicableError, match="1 too many"):
        symoro.generate(four, "inverse-dynamics")
    same = symoro.generate(three, "inverse-dynamics", surplus="share").function(compiled=False)
    assert error(same(q=q, qda=qda, qdda=qdda)["tau"], wanted) == 0


def test_slopes_are_refused() -> None:
    car = symoro.load("car")
    tilted = car.replace(base=replace(car.base, G=(formula(1), ZERO, formula("-9"))))
    with pytest.raises(NotApplicableError, match="gravity is not vertical"):
        symoro.generate(tilted, "inverse-dynamics")


def test_without_wheels_the_motion_of_the_base_is_given() -> None:
    """As of a base that moves as prescribed."""
    bare = numbered("diffdrive").replace(wheels=())
    names = {f: tuple(formula(f"{f}_{k}") for k in "xyz") for f in ("V0", "W0", "VP0", "WP0")}
    held = bare.replace(base=replace(bare.base, kind=BaseKind.FIXED, **names))
    rng = np.random.default_rng(0)
    for model in ("inverse-dynamics", "direct-dynamics", "bias-torques", "inertia-matrix", "gravity-torques"):
        one, other = symoro.generate(bare, model), symoro.generate(held, model)
        assert one.inputs == other.inputs
        assert ("V0" in one.inputs) == (model not in ("inertia-matrix", "gravity-torques"))
        given = {name: rng.uniform(-1, 1, shape) for name, shape in one.inputs.items()}
        a, b = (m.function(compiled=False)(**given) for m in (one, other))
        assert all(error(a[key], b[key]) < 1e-13 for key in a)


def test_the_golden_differential_drive() -> None:
    """Its file has no wheels: torques at a given motion of the base."""
    data = golden("DiffDrive")
    assert error(run(data, "inverse-dynamics")["tau"], expected(data, data["expected"]["tau"])) < 1e-10


# -- in simulation

FREE = ("diffdrive", "tricycle", "car", "car_ackermann", "omni3", "mobile_manipulator")


@pytest.mark.parametrize("name", FREE)
def test_rolling_keeps_energy_and_does_not_slip(name: str) -> None:
    """Without drive and friction: energy to 1e-9, contact points to 1e-10 in the world, independent of W."""
    from scipy import integrate

    robot = numbered(name)
    frames = tuple(replace(frame, FV=ZERO, FS=ZERO) for frame in robot.frames)
    robot = robot.replace(frames=frames)
    truth = Wheels(robot)
    rates = symoro.generate(robot, "wheel-kinematics").function()
    direct = symoro.generate(robot, "direct-dynamics").function()
    energy = symoro.generate(robot, "energy").function()
    n, m = truth.n, len(truth.active)
    tau = np.zeros(m)

    def move(_: float, s: np.ndarray) -> np.ndarray:
        q, qda, heading = s[3 : 3 + n], s[3 + n :], s[2]
        x = rates(q=q)["G"] @ qda
        c, si = np.cos(heading), np.sin(heading)
        world = [c * x[0] - si * x[1], si * x[0] + c * x[1], x[2]]
        return np.r_[world, x[3:], direct(q=q, qda=qda, tau=tau)["qdda"]]

    rng = np.random.default_rng(6)
    q = closed(robot, rng.uniform(-0.3, 0.3, n))
    start = np.r_[0.2, -0.1, 0.4, q, rng.uniform(-1, 1, m) * (0.3 if name == "car" else 1)]
    end = integrate.solve_ivp(
        move, (0, 1.0), start, method="DOP853", rtol=1e-11, atol=1e-12, dense_output=True
    )
    total = [sum(map(float, energy(q=s[3 : 3 + n], qda=s[3 + n :]).values())) for s in (start, end.y[:, -1])]
    assert abs(total[1] - total[0]) < 1e-9 * max(1.0, abs(total[0]))
    for t in np.linspace(0, 1, 7):
        s = end.sol(t)
        assert _slip(truth, s, move(t, s)) < 1e-10


def _slip(truth: Wheels, s: np.ndarray, sd: np.ndarray) -> float:
    """Return the largest velocity of a contact point in the world, which should be zero."""
    c, si = np.cos(s[2]), np.sin(s[2])
    base = [c * sd[0] + si * sd[1], -si * sd[0] + c * sd[1], sd[2]]
    x = np.r_[base, sd[3 : 3 + truth.n]]
    return float(np.abs(truth.rows(s[3 : 3 + truth.n]).real @ x).max())


def test_drives_do_the_work() -> None:
    """With torques and friction the change of energy is the work of the torques minus the friction loss."""
    from scipy import integrate

    robot = numbered("diffdrive")
    frames = tuple(replace(frame, FS=ZERO, FV=formula(0.02 * j)) for j, frame in enumerate(robot.frames, 1))
    robot = robot.replace(frames=frames)
    G = symoro.generate(robot, "wheel-kinematics").function()
    direct, energy = (symoro.generate(robot, m).function() for m in ("direct-dynamics", "energy"))
    tau, fv = np.array([0.3, 0.5]), 0.02 * np.arange(1, 5)

    def move(_: float, s: np.ndarray) -> np.ndarray:
        qd = G(q=s[:4])["G"][3:] @ s[4:6]
        power = tau @ s[4:6] - qd @ (fv * qd)
        return np.r_[qd, direct(q=s[:4], qda=s[4:6], tau=tau)["qdda"], power]

    start = np.array([0, 0, 0.3, 0, 0.5, -0.2, 0])
    end = integrate.solve_ivp(move, (0, 1.0), start, method="DOP853", rtol=1e-11, atol=1e-12).y[:, -1]
    before, after = (sum(map(float, energy(q=s[:4], qda=s[4:6]).values())) for s in (start, end))
    assert abs(after - before - end[6]) < 1e-9 * max(1.0, abs(after))
