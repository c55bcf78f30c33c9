"""Structures that combine constraints and force-driven coordinates, against Lagrange multipliers and energies.

Each on 20 random robots. The reference solves the whole equations in plain NumPy,

    A xd + H = S f + C' lambda,    C xd = -Cdot x

with known accelerations of some joints and known forces on others.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

import symoro
from symoro.errors import NotApplicableError
from symoro.expr.formula import formula
from symoro.robot.coordinates import independent
from symoro.robot.description import Coupling, Frame, JointType, Robot
from tests.models.dynamic.cases import Array, error, outputs, seeded_tree
from tests.models.dynamic.cases import state as joint_state
from tests.models.dynamic.floating.cases import afloat, state, truth
from tests.models.dynamic.test_flexible import NUMERIC, bent, limp
from tests.models.loop_cases import DRAWN, drawn, run
from tests.oracle.dynamics import STILL, Twist
from tests.oracle.flexible import FlexibleRobot
from tests.oracle.wheel_robots import body, layout, some
from tests.oracle.wheels import Wheels

CLOSE = 1e-9
SEEDS = range(20)


def parted(
    A: Array, H: Array, C: Array, drift: Array, known: Mapping[int, float], forces: Mapping[int, float]
) -> tuple[Array, Array]:
    """Return (xd, f) with xd known at some coordinates and f at others; f is zero at coordinates that C determines."""
    size, rows, driven = len(A), len(C), list(known)
    S = np.eye(size)[:, driven]
    right = np.r_[-H, -drift, list(known.values())]
    for k, force in forces.items():
        right[k] += force
    none = np.zeros((rows + len(driven), rows + len(driven)))
    whole = np.block([[A, np.hstack([-C.T, -S])], [np.vstack([C, S.T]), none]])
    x = np.linalg.lstsq(whole, right, rcond=1e-13)[0]
    f = np.zeros(size)
    f[driven] = x[size + rows :]
    for k, force in forces.items():
        f[k] = force
    return x[:size], f


def on_wheels(
    oracle: Wheels, q: Array, qda: Array, qdda: Array, forces: Mapping[int, float]
) -> tuple[Array, Array]:
    """Return (xd, f) of a wheeled robot; `forces` by joint, including passive joints."""
    x = oracle.rates(q, qda)
    A, C = oracle.matrix(q), oracle.rows(q).real
    at = {j: 3 + k for k, j in enumerate(oracle.tree.moving)}
    known = {
        3 + k: value
        for k, value in zip(oracle.active, qdda, strict=True)
        if oracle.tree.moving[k] not in forces
    }
    H = oracle.forces(q, x, np.zeros(len(x)))
    return parted(A, H, C, oracle.derivative(q, x), known, {at[j]: value for j, value in forces.items()})


@pytest.mark.parametrize("seed", SEEDS)
def test_free_and_elastic_joints_on_wheels(seed: int) -> None:
    """An active joint with a spring, another one named free, and a passive joint with a spring."""
    robot, q = layout(seed)
    rng = np.random.default_rng(seed)
    own = independent(robot)
    active, passive = ([j for j in own if robot.frame(j).mu is mu] for mu in (True, False))
    springs = [int(rng.choice(active)), *passive[:1]]
    free = [j for j in active if j not in springs][:1]
    for j in springs:
        robot = robot.with_frame(j, eta=True, k=some(rng, 20, 60), rest=some(rng, -0.3, 0.3))
    oracle = Wheels(robot)
    qda, qdda, tau = rng.uniform(-1, 1, (3, len(active)))
    values = {j: float(robot.frame(j).k.value({})) for j in springs}
    forces = {j: -k * (q[own.index(j)] - robot.frame(j).rest.value({})) for j, k in values.items()}
    given = forces | {j: tau[active.index(j)] for j in free}
    xd, f = on_wheels(oracle, q, qda, qdda, given)
    joints = [3 + own.index(j) for j in active]
    at = {"q": q, "qda": qda, "qdda": qdda, "tau_free": tau, "tau": tau}
    result = run(robot, "inverse-dynamics", at, free=free)
    size = CLOSE * max(1.0, np.abs(f).max(), np.abs(xd).max())
    assert np.abs(result["tau"] - f[joints]).max() < size
    assert np.abs(result["qdd_out"] - xd[joints]).max() < size
    every = forces | {j: tau[k] for k, j in enumerate(active) if j not in springs}
    xd, _ = on_wheels(oracle, q, qda, qdda, every)
    assert np.abs(run(robot, "direct-dynamics", at)["qdda"] - xd[joints]).max() < CLOSE * max(
        1.0, np.abs(xd).max()
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_free_joints_in_closed_loops(seed: int) -> None:
    case = drawn(list(DRAWN)[seed % len(DRAWN)], seed)
    oracle, robot = case.truth, case.robot
    rng = np.random.default_rng(seed)
    active = [oracle.own[k] for k in oracle.active]
    qda, qdda, tau = rng.uniform(-1, 1, (3, len(active)))
    A, H = oracle.inertia(case.x), oracle.bias(case.x, qda)
    free = active[seed % len(active) :][:1]
    u = np.array([j in free for j in active])
    acc = np.where(u, 0.0, qdda)
    acc[u] = np.linalg.solve(A[np.ix_(u, u)], tau[u] - H[u] - A[np.ix_(u, ~u)] @ acc[~u])
    wanted = np.where(u, tau, A @ acc + H)
    at = {"q": case.q, "qda": qda, "qdda": np.where(u, np.nan, qdda), "tau_free": np.where(u, tau, np.nan)}
    result = run(robot, "inverse-dynamics", at, free=free)
    size = (
        CLOSE
        * max(1.0, np.abs(acc).max(), np.abs(wanted).max())
        / min(1.0, oracle.moved(case.x, qda, qdda).condition)
    )
    assert np.abs(result["tau"] - wanted).max() < size
    assert np.abs(result["qdd_out"] - acc).max() < size


@pytest.mark.parametrize("seed", SEEDS)
def test_free_joints_with_the_base_given(seed: int) -> None:
    robot = afloat(seeded_tree(seed, 3 + seed % 4, coupled=False), seed)
    at = state(robot, seed)
    tree = truth(robot, at)
    own = independent(robot)
    free = tuple(own[:: 1 + seed % 3])
    u = np.array([j in free for j in own])
    A = tree.inertia(at["q"])
    H = tree.forces(at["q"], at["qd"], 0 * at["qd"], at["V0"], np.zeros(6))
    x = np.r_[at["Vd0"], np.where(u, 0.0, at["qdd"])]
    rows = np.r_[np.zeros(6, bool), u]
    x[rows] = np.linalg.solve(
        A[np.ix_(rows, rows)], at["tau"][u] - H[rows] - A[np.ix_(rows, ~rows)] @ x[~rows]
    )
    f = A @ x + H
    result = outputs(robot, "inverse-dynamics", at | {"tau_free": at["tau"]}, free=free, base="given")
    scale = max(1.0, np.abs(x).max(), np.abs(f).max()) * (1 + 1e-6 * np.linalg.cond(A))
    assert np.abs(result["qdd_out"] - x[6:]).max() < CLOSE * scale
    assert np.abs(np.r_[result["wrench0"], result["tau"]] - f).max() < CLOSE * scale


@pytest.mark.parametrize("seed", SEEDS)
def test_flexible_links_and_coupled_joints(seed: int) -> None:
    """A joint follows another one: the energies of the robot without the coupling, projected."""
    rng = np.random.default_rng(seed)
    drafts = (seeded_tree(100 * seed + k, 2 + seed % 2, coupled=False) for k in range(100))
    alone = limp(next(tree for tree in drafts if len(independent(tree)) > 1), seed)
    own = independent(alone)
    ratio = float(rng.uniform(-1.5, 1.5))
    robot = alone.with_frame(own[1], coupling=Coupling(((own[0], formula(ratio)),)))
    at, oracle = bent(robot, seed), FlexibleRobot(alone)
    kept = [k for k in range(oracle.size) if k != 1]
    G = np.eye(oracle.size)[:, kept]
    G[1, 0] = ratio
    x, xd = G @ np.r_[at["q"], at["e"]], G @ np.r_[at["qd"], at["ed"]]
    A, H = G.T @ oracle.matrix(x + 0j).real @ G, G.T @ oracle.bias(x, xd)
    n = len(at["q"])
    assert error(outputs(robot, "inertia-matrix", at)["A"], A) < NUMERIC
    assert error(outputs(robot, "bias-torques", at)["H"], H) < NUMERIC
    open_ = at | {"q": x[: n + 1], "qd": xd[: n + 1]}  # exact: the same without the coupling, projected
    A = G.T @ outputs(alone, "inertia-matrix", open_)["A"] @ G
    H = G.T @ outputs(alone, "bias-torques", open_)["H"]
    assert error(outputs(robot, "inertia-matrix", at)["A"], A) < CLOSE
    assert error(outputs(robot, "bias-torques", at)["H"], H) < CLOSE
    acc = np.linalg.solve(A, np.r_[at["tau"], np.zeros(len(kept) - n)] - H)
    scale = 1 + np.linalg.cond(A) * 1e-6
    result = outputs(robot, "direct-dynamics", at)
    assert error(np.r_[result["qdd"], result["edd"]], acc) < CLOSE * scale
    result = outputs(robot, "inverse-dynamics", at | {"qdd": acc[:n]})
    assert error(result["edd"], acc[n:]) < CLOSE * scale
    assert error(result["tau"], at["tau"]) < CLOSE * scale


# -- closed loops on wheels


class LinkageOnWheels(Wheels):
    """Rows of the loop beside those of the wheels: the velocity of one point less that of the other."""

    def __init__(self, robot: Robot, points: tuple[tuple[int, Array], tuple[int, Array]]) -> None:
        super().__init__(robot)
        self.points = points

    def _velocities(self, q: Array, x: Array) -> list[complex]:
        base = Twist(np.array([x[0], x[1], 0]), np.array([0, 0, x[2]]), STILL.vd, STILL.wd)
        at = self.tree.motion(q, x[3:], base)
        one, other = (at.v[j] + np.cross(at.w[j], at.T[j][:3, :3] @ p) for j, p in self.points)
        return [*super()._velocities(q, x), *(one - other)]


def linkage_on_wheels(seed: int) -> tuple[Robot, Array, LinkageOnWheels]:
    """Return a random wheeled robot that carries a five-bar linkage in a tilted plane."""
    carrier, q = layout(seed)
    rng = np.random.default_rng(seed)
    first, lengths = carrier.NL + 1, rng.uniform(0.2, 0.5, 5)
    plane = {"gamma": some(rng, -1, 1), "alpha": some(rng, -1, 1), "b": some(rng, 0.1, 0.4)}
    drive = {key: some(rng, 0, 0.3) for key in ("IA", "FV", "FS")}
    bars = (
        Frame(0, **plane, **drive),
        Frame(first, d=formula(lengths[0]), mu=False, **drive),
        Frame(0, **plane, d=formula(lengths[4]), **drive),
        Frame(first + 2, d=formula(lengths[2]), mu=False, **drive),
    )
    angles = rng.uniform(0.5, 1.2, 4) * [1, 1, 1, -1]
    ends = [np.zeros(3), np.array([lengths[4], 0, 0])]
    headings = []
    for side in (0, 1):
        a = angles[2 * side]
        ends[side] = ends[side] + lengths[2 * side] * np.array([np.cos(a), np.sin(a), 0])
        headings.append(a + angles[2 * side + 1])
    tip = ends[0] + lengths[1] * np.array([np.cos(headings[0]), np.sin(headings[0]), 0])
    c, s = np.cos(headings[1]), np.sin(headings[1])
    on_right = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]) @ (tip - ends[1])
    opened = Frame(first + 1, d=formula(lengths[1]), mu=False)
    gamma, d = np.arctan2(on_right[1], on_right[0]), np.hypot(*on_right[:2])
    closing = Frame(first + 3, JointType.FIXED, gamma=formula(float(gamma)), d=formula(float(d)), mu=False)
    robot = carrier.replace(
        frames=(*carrier.frames, *bars, opened, closing),
        links=(*carrier.links, *(body(rng) for _ in bars)),
    )
    points = ((first + 1, np.array([lengths[1], 0, 0])), (first + 3, on_right))
    return robot, np.r_[q, angles], LinkageOnWheels(robot.tree(), points)


@pytest.mark.parametrize("seed", SEEDS)
def test_closed_loops_on_wheels(seed: int) -> None:
    robot, q, oracle = linkage_on_wheels(seed)
    rng = np.random.default_rng(seed)
    qda, qdda, tau = rng.uniform(-1, 1, (3, len(oracle.active)))
    at = {"q": q, "qda": qda, "qdda": qdda, "tau": tau, "tau_free": tau}
    wanted = oracle.torques(q, qda, qdda)
    assert error(run(robot, "inverse-dynamics", at)["tau"], wanted) < CLOSE
    result = run(robot, "direct-dynamics", at)
    for key, value in zip(("qdda", "V0", "Vd0"), oracle.direct(q, qda, tau), strict=True):
        assert error(result[key], value) < CLOSE * max(1.0, np.abs(value).max()), key
    A, H = run(robot, "inertia-matrix", at)["A"], run(robot, "bias-torques", at)["H"]
    assert error(H, oracle.torques(q, qda, 0 * qda)) < CLOSE
    assert error(A @ qdda + H, wanted) < CLOSE
    x = oracle.rates(q, qda)
    assert error(run(robot, "energy", at)["E"], np.array(oracle.kinetic(q, x))) < CLOSE
    free = [j for j in independent(robot) if robot.frame(j).mu][-1:]
    xd, f = on_wheels(oracle, q, qda, qdda, {free[0]: tau[-1]})
    result = run(robot, "inverse-dynamics", at, free=free)
    size = CLOSE * max(1.0, np.abs(f).max(), np.abs(xd).max())
    assert np.abs(result["tau"] - f[[3 + k for k in oracle.active]]).max() < size


def test_what_wheels_do_not_combine_with() -> None:
    robot = symoro.load("mecanum").with_frame(4, mu=True).with_frame(1, eta=True, k=10)
    with pytest.raises(NotApplicableError, match="among surplus drives is not unique"):
        symoro.generate(robot, "inverse-dynamics", surplus="share")


@pytest.mark.parametrize("seed", SEEDS[:6])
def test_motors_behind_springs_among_free_joints(seed: int) -> None:
    robot = seeded_tree(seed, 4, coupled=False)
    own = independent(robot)
    robot = robot.with_frame(own[1], eta=True, k=40, rest=formula(0.1), IA=0.4)
    at = joint_state(robot, seed)
    free = (own[2],)
    bare = robot.with_frame(own[1], eta=False, k=0, rest=0, IA=0, FV=0, FS=0, FO=0)
    motors = {name: at[key][::-1] for name, key in (("qm", "q"), ("qmd", "qd"), ("qmdd", "qdd"))}
    given = at | motors | {"tau_free": at["tau"]}
    result = outputs(robot, "inverse-dynamics", given, actuators="elastic", free=free)
    spring = 40 * (motors["qm"][1] + 0.1 - at["q"][1])
    torques = np.where(np.arange(len(own)) == 1, spring, at["tau"])
    wanted = outputs(bare, "inverse-dynamics", at | {"tau_free": torques}, free=(own[1], *free))
    assert error(result["qdd_out"], wanted["qdd_out"]) < CLOSE
    rest = [k for k in range(len(own)) if k != 1]
    assert error(result["tau"][rest], wanted["tau"][rest]) < CLOSE
    frame = robot.frame(own[1])
    fv, fs, fo = (getattr(frame, name).value(dict(robot.nominal)) for name in ("FV", "FS", "FO"))
    drive = 0.4 * motors["qmdd"][1] + fv * motors["qmd"][1] + fs * np.sign(motors["qmd"][1]) + fo
    assert error(result["tau"][1:2], np.array([drive + spring])) < CLOSE
