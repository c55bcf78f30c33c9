"""Contact dynamics on fixed and wheeled bases and with closed loops, against a KKT system in plain NumPy.

    [ A  C'  J' ] [ xd     ]   [ forces - H ]
    [ C  0   0  ] [ lambda ] = [ -Cdot x    ]      C: closure of loops, rolling of wheels
    [ J  0   0  ] [ f      ]   [ -Jdot x    ]      J: contact points

over all coordinates of the tree. A, H, C and the motion of the points are those of the oracles, by momenta and complex
steps. Floating bases: `floating/test_contact.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

import symoro
from symoro.errors import NotApplicableError
from symoro.robot.coordinates import independent
from symoro.robot.description import Robot
from tests.models.dynamic.cases import error, oracle, outputs, seeded_tree, state
from tests.models.dynamic.test_structures import LinkageOnWheels, linkage_on_wheels
from tests.models.loop_cases import Case, random_loops
from tests.oracle.closed import Closed
from tests.oracle.dynamics import STEP, STILL, Array, Tree, Twist, cross
from tests.oracle.floating import Contact
from tests.oracle.wheel_robots import Layout, body, layout
from tests.oracle.wheels import Wheels

CLOSE = 1e-9
WELL_CONDITIONED = 0.05  # least over largest singular value of the rows of the points
SEEDS = range(20)
Velocity = Callable[[Contact], Array]


def kkt(A: Array, forces: Array, C: Array, c: Array, J: Array, a: Array) -> tuple[Array, Array]:
    """Return xd and f (points, 3); rows of C may be redundant."""
    rows = np.vstack([C, J])
    whole = np.block([[A, rows.T], [rows, np.zeros((len(rows), len(rows)))]])
    y = np.linalg.lstsq(whole, np.r_[forces, -c, -a], rcond=1e-13)[0]
    assert np.abs(whole @ y - np.r_[forces, -c, -a]).max() < 1e-9 * max(1.0, np.abs(y).max())
    return y[: len(A)], y[len(A) + len(C) :].reshape(-1, 3)


def point_velocity(
    tree: Tree, q: Array, qd: Array, base: Twist, contact: Contact, step: float = 0.0
) -> Array:
    """Return the velocity of a point in the axes of frame 0 at step 0; q and qd are those of the tree."""
    j, p = contact
    at = tree.motion(q + 1j * step * qd if step else q, qd, base, step)
    return tree.Z[:3, :3].T @ (at.v[j] + cross(at.w[j], at.T[j][:3, :3] @ np.asarray(p, float)))


def chosen(robot: Robot, rng: np.random.Generator, rows: Callable[[Contact], Array]) -> tuple[Contact, ...]:
    """Return one or two points with well-determined forces; empty if there are none."""
    points: list[Contact] = []
    for j in range(robot.NL, 0, -1):
        point = (j, tuple(float(x) for x in rng.uniform(-0.3, 0.3, 3)))
        sizes = np.linalg.svd(np.vstack([rows(c) for c in (*points, point)]), compute_uv=False)
        if len(sizes) == 3 * len(points) + 3 and sizes[-1] > WELL_CONDITIONED * sizes[0]:
            points.append(point)
        if len(points) == 2:
            break
    return tuple(points)


# -- trees on a fixed base


class FixedTree:
    """Rows of points on a tree, over its independent joints; the base may have a prescribed motion."""

    def __init__(self, tree: Tree, q: Array, qd: Array) -> None:
        self.tree, self.q, self.qd = tree, tree.G @ q + tree.offset, tree.G @ qd

    def rows(self, contact: Contact) -> Array:
        columns = [point_velocity(self.tree, self.q, e, STILL, contact).real for e in self.tree.G.T]
        return np.array(columns).T

    def drift(self, contact: Contact) -> Array:
        return point_velocity(self.tree, self.q, self.qd, self.tree.base, contact, STEP).imag / STEP


@pytest.mark.parametrize("seed", SEEDS)
def test_trees_on_a_fixed_base(seed: int) -> None:
    """Coupled joints, prescribed motion of the base, wrenches; an elastic joint for every other seed."""
    rng, points = np.random.default_rng(seed), ()
    for attempt in range(100):
        robot = seeded_tree(seed + 100 * attempt, int(rng.integers(5, 9)))
        if len(independent(robot)) < 3:
            continue
        at = state(robot, seed)
        tree = oracle(robot, at)
        moving = FixedTree(tree, at["q"], at["qd"])
        points = chosen(robot, rng, moving.rows)
        if points and np.linalg.cond(tree.inertia(at["q"])) < 1e4:
            break
    assert points
    forces = at["tau"] - tree.bias(at["q"], at["qd"])
    if seed % 2:
        j = independent(robot)[0]
        robot = robot.with_frame(j, eta=True, k=30, rest=0.2)
        forces[0] += -30 * (at["q"][0] - 0.2) - at["tau"][0]
    none = np.zeros((0, len(forces)))
    J = np.vstack([moving.rows(c) for c in points])
    a = np.concatenate([moving.drift(c) for c in points])
    qdd, f = kkt(tree.inertia(at["q"]), forces, none, np.zeros(0), J, a)
    result = outputs(robot, "contact-dynamics", at, contacts=points)
    assert error(result["qdd"], qdd) < CLOSE
    assert error(result["forces"], f) < CLOSE


# -- closed loops on a fixed base


def with_arm(case: Case, rng: np.random.Generator) -> Case:
    """Return the case with three active joints added to one of its links, so that a point moves in all directions."""
    robot, made = case.robot, Layout(rng)
    n, ant = robot.NL, int(rng.integers(1, robot.NL + 1))
    made.frames = list(robot.frames[:n])
    arm = made.arm(3)
    frames = [replace(f, mu=True) if j in arm else f for j, f in enumerate(made.frames, 1)]
    frames[n] = replace(frames[n], ant=ant)
    cut = [replace(f, ant=f.ant + 3 if f.ant > n else f.ant) for f in robot.frames[n:]]
    longer = robot.replace(frames=(*frames, *cut), links=(*robot.links, *(body(rng) for _ in arm)))
    own = case.truth.n
    return Case(longer, np.r_[case.x[:own], rng.uniform(-1, 1, 3), case.x[own:]])


@pytest.mark.parametrize("seed", SEEDS)
def test_closed_loops_on_a_fixed_base(seed: int) -> None:
    """One to three random loops; a passive joint is elastic for every other seed."""
    rng, points = np.random.default_rng(seed), ()
    for attempt in range(50):
        case, words = random_loops(seed + 100 * attempt)
        if "crossed" in words:
            continue
        case = with_arm(case, rng)
        robot, truth = case.robot, case.truth
        qda, tau = rng.uniform(-1, 1, (2, truth.na))
        moved = truth.moved(case.x, qda, 0 * qda)
        n = truth.n
        moving = FixedTree(truth.tree, case.q, moved.qd[:n])
        points = chosen(robot, rng, lambda c, rows=moving.rows, G=moved.G: rows(c) @ G)[:1]
        if points and moved.condition > 0.02 and np.linalg.cond(truth.inertia(case.x)) < 1e4:
            break
    assert points
    if seed % 2 and truth.passive:
        robot = robot.with_frame(truth.own[truth.passive[0]], eta=True, k=30, rest=0.2)
        truth = Closed(robot)
    size = len(case.x)
    A, forces = np.zeros((size, size)), np.zeros(size)
    A[:n, :n] = truth.tree.inertia(case.q)
    forces[:n] = -truth.efforts(replace(moved, qdd=0 * moved.qdd))
    forces[truth.active] += tau
    J = np.hstack([np.vstack([moving.rows(c) for c in points]), np.zeros((3 * len(points), size - n))])
    a = np.concatenate([moving.drift(c) for c in points])
    drift = 2 * truth.gaps(case.x, moved.qd, 0 * case.x)[2]
    xdd, f = kkt(A, forces, truth.jacobian(case.x), drift, J, a)
    result = outputs(robot, "contact-dynamics", {"q": case.q, "qda": qda, "tau": tau}, contacts=points)
    assert error(result["qdda"], xdd[truth.active]) < CLOSE
    assert error(result["qdd"], xdd[:n]) < CLOSE
    assert error(result["forces"], f) < CLOSE


# -- wheels


class OnWheels:
    """Rows of points of a wheeled robot, over [x y rotation, joints]."""

    def __init__(self, truth: Wheels, q: Array, qda: Array) -> None:
        self.truth, self.q, self.x = truth, q, truth.rates(q, qda)
        self.G = np.array([truth.rates(q, e) for e in np.eye(len(qda))]).T

    def _base(self, x: Array, vd: Sequence[float] = (0, 0, 0)) -> Twist:
        return Twist(np.array([x[0], x[1], 0]), np.array([0, 0, x[2]]), np.array(vd), STILL.wd)

    def rows(self, contact: Contact) -> Array:
        units = np.eye(len(self.x))
        tree = self.truth.tree
        return np.array([point_velocity(tree, self.q, e[3:], self._base(e), contact).real for e in units]).T

    def drift(self, contact: Contact) -> Array:
        """Return the acceleration at constant entries of x; that of the base is W0 x V0."""
        x = self.x
        base = self._base(x, [-x[2] * x[1], x[2] * x[0], 0])
        return point_velocity(self.truth.tree, self.q, x[3:], base, contact, STEP).imag / STEP

    def solved(self, tau: Array, springs: Array, points: Sequence[Contact]) -> tuple[Array, Array]:
        """Return xd and f; `springs` are forces on all joints."""
        truth, x = self.truth, self.x
        forces = np.r_[np.zeros(3), springs] - truth.forces(self.q, x, 0 * x)
        forces[[3 + k for k in truth.active]] += tau
        J = np.vstack([self.rows(c) for c in points])
        a = np.concatenate([self.drift(c) for c in points])
        C = truth.rows(self.q).real
        return kkt(truth.matrix(self.q), forces, C, truth.derivative(self.q, x), J, a)


def arm_on_wheels(seed: int, rng: np.random.Generator) -> tuple[Robot, Array]:
    """Return a random wheeled robot with an arm of three joints, and a configuration."""
    robot, q = layout(seed)
    made = Layout(rng)
    made.frames = list(robot.frames)
    arm = made.arm(3)
    frames = [replace(f, mu=True) if j in arm else f for j, f in enumerate(made.frames, 1)]
    longer = robot.replace(frames=tuple(frames), links=(*robot.links, *(body(rng) for _ in arm)))
    return longer, np.r_[q, rng.uniform(-1, 1, 3)]


def check_on_wheels(
    robot: Robot, moving: OnWheels, points: Sequence[Contact], qda: Array, tau: Array, springs: Array
) -> None:
    truth, x = moving.truth, moving.x
    xd, f = moving.solved(np.where(springs[truth.active] != 0, 0, tau), springs, points)
    at = {"q": moving.q, "qda": qda, "tau": tau}
    result = outputs(robot, "contact-dynamics", at, contacts=tuple(points))
    assert error(result["forces"], f) < CLOSE
    assert error(result["qdda"], xd[[3 + k for k in truth.active]]) < CLOSE
    assert error(result["qdd"], xd[3:]) < CLOSE
    assert error(result["Vd0"], xd[:3] + np.array([-x[2] * x[1], x[2] * x[0], 0])) < CLOSE
    assert error(np.r_[result["V0"], result["qd"]], x) < CLOSE


@pytest.mark.parametrize("seed", SEEDS)
def test_wheels(seed: int) -> None:
    """An arm on a random base with wheels; an elastic joint for every other seed."""
    rng, points = np.random.default_rng(seed), ()
    for attempt in range(50):
        robot, q = arm_on_wheels(seed + 100 * attempt, rng)
        truth = Wheels(robot)
        qda, tau = rng.uniform(-1, 1, (2, len(truth.active)))
        moving = OnWheels(truth, q, qda)
        points = chosen(robot, rng, lambda c, rows=moving.rows, G=moving.G: rows(c) @ G)
        if points and np.linalg.cond(moving.G.T @ truth.matrix(q) @ moving.G) < 1e4:
            break
    assert points
    springs = np.zeros(truth.n)
    if seed % 2:
        robot = robot.with_frame(robot.NL, eta=True, k=30, rest=0.2)
        springs[-1] = -30 * (q[-1] - 0.2)
    check_on_wheels(robot, moving, points, qda, tau, springs)


@pytest.mark.parametrize("seed", SEEDS)
def test_closed_loops_on_wheels(seed: int) -> None:
    rng, points = np.random.default_rng(seed), ()
    for attempt in range(50):
        robot, q, truth = linkage_on_wheels(seed + 100 * attempt)
        assert isinstance(truth, LinkageOnWheels)
        qda, tau = rng.uniform(-1, 1, (2, len(truth.active)))
        moving = OnWheels(truth, q, qda)
        points = chosen(robot, rng, lambda c, rows=moving.rows, G=moving.G: rows(c) @ G)[:1]
        if points and np.linalg.cond(moving.G.T @ truth.matrix(q) @ moving.G) < 1e4:
            break
    assert points
    check_on_wheels(robot, moving, points, qda, tau, np.zeros(truth.n))


# -- contacts that determine no forces


def test_rejected_and_damped() -> None:
    """A fixed base, a planar arm and two wheels do not move a point in three directions; damping accepts them."""
    cases: list[tuple[str, list[int]]] = [
        ("rx90", [0]),
        ("planar3r", [3]),
        ("diffdrive", [1]),
        ("fivebar", [2]),
    ]
    for name, contacts in cases:
        robot = symoro.load(name)
        with pytest.raises(NotApplicableError, match=r"the force of contact 1 .*is not determined"):
            symoro.generate(robot, "contact-dynamics", contacts=contacts)
        model = symoro.generate(robot, "contact-dynamics", contacts=contacts, damping=1e-6)
        assert model.outputs["forces"] == (1, 3)


def test_a_point_that_is_hardly_held_moves_as_a_free_robot() -> None:
    """The limit of large damping is direct dynamics."""
    robot = seeded_tree(7, 6, coupled=False)
    at = state(robot)
    free = outputs(robot, "direct-dynamics", at)
    soft = outputs(robot, "contact-dynamics", at, contacts=(robot.NL,), damping=1e12)
    assert error(soft["qdd"], free["qdd"]) < 1e-9
