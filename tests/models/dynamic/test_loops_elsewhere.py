"""Closed loops against terms of Pinocchio, and in motion: energy along a simulation by SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symoro
from symoro.expr.formula import ZERO
from symoro.robot.description import DRIVE, JointType, Robot
from tests.models.loop_cases import Case, bundled, drawn, error, golden, run
from tests.oracle.closed import Array, Closed
from tests.oracle.placement import placement

KINDS = ("four-bar", "five-bar on a turning base", "slider-crank", "spherical", "spatial", "loop on a twin")


def without_drives(robot: Robot) -> Robot:
    frames = tuple(f.__class__(**{**vars(f), **dict.fromkeys(DRIVE, ZERO)}) for f in robot.frames)
    return robot.replace(frames=frames)


class Pinocchio:
    """Tree of a robot, built joint by joint, and the frames that close its loops."""

    def __init__(self, robot: Robot) -> None:
        pin: Any = pytest.importorskip("pinocchio")
        self.pin, self.robot, self.truth = pin, robot, Closed(robot)
        self.model = pin.Model()
        tree = self.truth.tree
        self.model.gravity.linear = tree.gravity
        self.ids: dict[int, tuple[int, Any]] = {0: (0, pin.SE3.Identity())}  # frame -> joint, place on it
        for j in self._depth_first():
            frame = robot.frame(j)
            joint, place = self.ids[frame.ant]
            joint_frame = place * pin.SE3(placement(*self.truth.place[j]).real)
            if not frame.moving:
                self.ids[j] = (joint, joint_frame)
            else:
                kind = pin.JointModelRZ() if frame.sigma == JointType.REVOLUTE else pin.JointModelPZ()
                self.ids[j] = (self.model.addJoint(joint, kind, joint_frame, f"j{j}"), pin.SE3.Identity())
            self._add_body(j)
        self.rows = [self.model.idx_vs[self.ids[j][0]] for j in self.truth.own]

    def _depth_first(self) -> list[int]:
        results: list[int] = []
        stack = [0]
        while stack:
            i = stack.pop()
            results += [i] if i else []
            stack += [j for j in reversed(range(1, self.robot.NL + 1)) if self.robot.frame(j).ant == i]
        return results

    def _add_body(self, j: int) -> None:
        joint, place = self.ids[j]
        body = next(b for b in self.truth.tree.bodies if b.frame == j)
        if body.m:
            c = body.ms / body.m
            about = body.J - body.m * (c @ c * np.eye(3) - np.outer(c, c))
            self.model.appendBodyToJoint(joint, self.pin.Inertia(body.m, c, about), place)

    def terms(self, x: Array, xd: Array) -> tuple[Array, Array, Array, Array]:
        """Return M, bias, and rows and drift of all loops, over the joints of the tree and the cut joints."""
        pin, n = self.pin, self.truth.n
        data = self.model.createData()
        q, v = pin.neutral(self.model), np.zeros(self.model.nv)
        q[self.rows], v[self.rows] = x[:n], xd[:n]
        M = np.array(pin.crba(self.model, data, q))
        M = np.triu(M) + np.triu(M, 1).T
        h = np.array(pin.nonLinearEffects(self.model, data, q, v))
        pin.computeJointJacobians(self.model, data, q)
        pin.forwardKinematics(self.model, data, q, v, 0 * v)
        J, drift = [], []
        B, first = self.robot.B, self.robot.NL + 1
        for c, k in enumerate(range(first, first + B)):
            rows = np.zeros((6, n + B))
            gap = np.zeros(6)
            for frame, sign, opened in ((k, 1, x[n + c]), (k + B, -1, 0.0)):
                jacobian, accel = self._at(data, frame, opened, xd[n + c] if sign > 0 else 0.0)
                rows[:, :n] += sign * jacobian[:, self.rows]
                rows[:, n + c] += jacobian[:, -1] if sign > 0 else 0
                gap += sign * accel
            J.append(rows)
            drift.append(gap)
        return M[np.ix_(self.rows, self.rows)], h[self.rows], np.vstack(J), np.concatenate(drift)

    def _at(self, data: Any, frame: int, q: float, qd: float) -> tuple[Array, Array]:
        """Return Jacobian (its own joint last) and classical acceleration of a loop frame, in world axes."""
        pin, robot = self.pin, self.robot
        ant, moves = robot.frame(frame).ant, robot.frame(frame).moving
        chain = [frame]
        while ant > robot.NL:
            chain.append(ant)
            ant = robot.frame(ant).ant
        joint, place = self.ids[ant]
        for j in reversed(chain):
            at = list(self.truth.place[j])
            if moves:
                at[4 if robot.frame(j).sigma == JointType.REVOLUTE else 5] += q
            place = place * pin.SE3(placement(*at).real)
        world = data.oMi[joint] * place
        arm = world.translation - data.oMi[joint].translation
        own = np.array(pin.getJointJacobian(self.model, data, joint, pin.LOCAL_WORLD_ALIGNED))
        own[:3] -= np.cross(arm, own[3:], axis=0)
        v = pin.getVelocity(self.model, data, joint, pin.LOCAL_WORLD_ALIGNED)
        a = pin.getClassicalAcceleration(self.model, data, joint, pin.LOCAL_WORLD_ALIGNED)
        w, wd = v.angular, a.angular
        linear = a.linear + np.cross(wd, arm) + np.cross(w, np.cross(w, arm))
        z, column = world.rotation[:, 2], np.zeros((6, 1))
        if moves and robot.frame(frame).sigma == JointType.REVOLUTE:
            column[3:, 0] = z
            wd = wd + np.cross(w, z) * qd
        elif moves:
            column[:3, 0] = z
            linear = linear + 2 * np.cross(w, z) * qd
        return np.hstack([own, column]), np.r_[linear, wd]


@pytest.mark.parametrize("kind", KINDS)
def test_pinocchio(kind: str) -> None:
    check(without_drives(drawn(kind).robot), drawn(kind).x)


def test_pinocchio_platform() -> None:
    robot, data = golden("gough-stewart-general")
    robot = without_drives(robot.bind(data["values"]))
    truth = Closed(robot)
    q = np.array(data["states"][0]["q"])
    check(robot, np.r_[q, _opened(truth, q)])


def check(robot: Robot, x: Array) -> None:
    other, truth, rng = Pinocchio(robot), Closed(robot), np.random.default_rng(4)
    qda, tau = rng.uniform(-1, 1, truth.na), rng.uniform(-2, 2, truth.na)
    xd = truth.moved(x, qda, 0 * qda).qd
    M, h, J, drift = other.terms(x, xd)
    size = len(x)
    full = np.zeros((size, size))
    full[: truth.n, : truth.n] = M
    right = np.zeros(size)
    right[truth.active] = tau
    right[: truth.n] -= h
    system = np.block([[full, J.T], [J, np.zeros((len(J), len(J)))]])
    result = np.linalg.lstsq(system, np.r_[right, -drift], rcond=1e-13)[0][: truth.n]
    ours = run(robot, "direct-dynamics", {"q": x[: truth.n], "qda": qda, "tau": tau})
    assert error(ours["qdd"], result) < 1e-7


# -- energy


def simulated(case: Case, duration: float) -> tuple[float, float]:
    """The largest drift of energy and the widest gap of the loops along a free motion from rest.

    It ends before the duration where the passive joints are nearly undetermined.
    """
    from scipy import integrate as scipy

    robot = without_drives(case.robot)
    truth = Closed(robot)
    motion = symoro.generate(robot, "direct-dynamics").function()
    solved = symoro.generate(robot, "loop-kinematics").function()
    energy = symoro.generate(robot, "energy").function()
    n, active = truth.n, truth.active
    tau = np.zeros(truth.na)

    def rate(_: float, y: Array) -> Array:
        q, qda = y[:n], y[n:]
        w = solved(q=q, qd=np.zeros(n))["W"]
        qd = np.zeros(n)
        qd[active], qd[truth.passive] = qda, w @ qda
        return np.r_[qd, motion(q=q, qda=qda, tau=tau)["qdda"]]

    def regular(_: float, y: Array) -> float:
        values = np.linalg.svd(solved(q=y[:n], qd=np.zeros(n))["Wp"], compute_uv=False)
        return float(values[-1] / values[0] - 1e-3)

    regular.terminal = True  # type: ignore[attr-defined]
    start = np.r_[case.q, np.zeros(truth.na)]
    result = scipy.solve_ivp(
        rate, (0, duration), start, "DOP853", rtol=1e-12, atol=1e-12, events=regular, max_step=0.02
    )
    assert result.success and len(result.t) > 5
    levels, gaps = [], []
    for y in result.y.T[:: max(1, len(result.t) // 40)]:
        both = energy(q=y[:n], qda=y[n:])
        levels.append(both["E"] + both["U"])
        x = truth.close(np.r_[y[:n], _opened(truth, y[:n])])
        gaps.append(np.inf if x is None else np.abs(x[:n] - y[:n]).max())
    return float(np.ptp(levels)), float(max(gaps))


def _opened(truth: Closed, q: Array) -> Array:
    """Return the cut joints of a closed configuration: each moves frame k onto frame k + B."""
    x = np.r_[q, np.zeros(len(truth.cut))]
    at = truth.placements(x, 0 * x, 0 * x)
    results = []
    for k in truth.cut:
        turn = at[k][0][:3, :3].T @ at[k + truth.robot.B][0][:3, :3]
        shift = at[k][0][:3, :3].T @ (at[k + truth.robot.B][0] - at[k][0])[:3, 3]
        turns = truth.robot.frame(k).sigma == JointType.REVOLUTE
        results.append(np.arctan2(turn[1, 0], turn[0, 0]) if turns else shift[2])
    return np.array(results)


@pytest.mark.parametrize(
    ("name", "qa"), [("fivebar", [1.9, 0.9]), ("slidercrank", [0.8]), ("fourbar", [0.7])]
)
def test_energy_is_kept(name: str, qa: list[float]) -> None:
    drift, gap = simulated(bundled(name, qa), 0.3)
    assert drift < 1e-8 and gap < 1e-9


LONG_MOTIONS = {
    "fivebar": [1.9, 0.9],
    "slidercrank": [0.8],
    "fourbar": [0.7],
    "sr400": [0.3, 0.4, -0.2, 0.5, 0.7, 0.9],
    "akr3000": [0.86, -1.12, 0.55, -0.78, 0.87, 0.1],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG_MOTIONS)
def test_energy_is_kept_for_ten_seconds_or_up_to_a_singularity(name: str) -> None:
    drift, gap = simulated(bundled(name, LONG_MOTIONS[name]), 10)
    assert drift < 1e-8 and gap < 1e-9


def test_energy_is_kept_in_space() -> None:
    drift, gap = simulated(drawn("spherical"), 0.2)
    assert drift < 1e-8 and gap < 1e-9
