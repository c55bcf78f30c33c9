"""Torques, inertia matrix, bias torques and accelerations of example-robot-data's URDFs, against Pinocchio.

All of them stand on a fixed root here, and with mimic joints coupled: Pinocchio's joints are all independent, so
that its results are projected, tau = G' tau_pinocchio, A = G' A_pinocchio G.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.errors import NotApplicableError
from symoro.expr.formula import ZERO
from symoro.robot.coordinates import independent
from symoro.robot.description import Base, Robot
from symoro.robot.formats.urdf import read_urdf
from symoro.robot.topology import moving_joints
from tests.models.dynamic.cases import Array, error, outputs
from tests.oracle.dynamics import Tree
from tests.robot.urdf.examples import example_robots, whole_robots

ROBOTS = example_robots()
pytestmark = pytest.mark.skipif(not ROBOTS, reason="example-robot-data is not installed")
CLOSE = 1e-9
SMALL = 8  # joints of the robots in the quick run
SINGULAR = 1e9  # condition of an inertia matrix beyond which accelerations mean nothing


def load(path: Path) -> Robot:
    """Return the robot with all digits of its file, on a fixed root, without friction (as in Pinocchio)."""
    robot = read_urdf(path.read_text(), str(path), exact=True, base="fixed")
    frames = tuple(replace(frame, FV=ZERO, FS=ZERO) for frame in robot.frames)
    return robot.replace(frames=frames, base=Base(G=robot.base.G, Z=robot.base.Z))


class Pinocchio:
    """URDF as read by Pinocchio, with vectors over the moving joints of the robot's tree."""

    def __init__(self, path: Path, robot: Robot) -> None:
        self.pin: Any = pytest.importorskip("pinocchio")
        self.model = self.pin.buildModelFromUrdf(str(path))
        self.data = self.model.createData()
        tree = Tree(robot)
        self.G, self.offset = tree.G, tree.offset
        self.model.gravity.linear = tree.gravity
        names = [robot.frame(j).name for j in moving_joints(robot)]
        assert sorted(names) == sorted(self.model.names[1:])
        self.joints = [self.model.getJointId(name) for name in names]

    def position(self, q: Array) -> Array:
        result = self.pin.neutral(self.model)
        for i, x in zip(self.joints, self.G @ q + self.offset, strict=True):
            at = self.model.idx_qs[i]
            entries = [x] if self.model.nqs[i] == 1 else [np.cos(x), np.sin(x)]
            result[at : at + len(entries)] = entries
        return np.asarray(result)

    def rate(self, qd: Array) -> Array:
        result = np.zeros(self.model.nv)
        for i, x in zip(self.joints, self.G @ qd, strict=True):
            result[self.model.idx_vs[i]] = x
        return result

    def _rows(self) -> list[int]:
        return [self.model.idx_vs[i] for i in self.joints]

    def torques(self, q: Array, qd: Array, qdd: Array) -> Array:
        state = self.position(q), self.rate(qd), self.rate(qdd)
        return np.asarray(self.G.T @ self.pin.rnea(self.model, self.data, *state)[self._rows()])

    def bias(self, q: Array, qd: Array) -> Array:
        state = self.position(q), self.rate(qd)
        return np.asarray(self.G.T @ self.pin.nonLinearEffects(self.model, self.data, *state)[self._rows()])

    def inertia(self, q: Array) -> Array:
        A = self.pin.crba(self.model, self.data, self.position(q))
        A = np.triu(A) + np.triu(A, 1).T
        return np.asarray(self.G.T @ A[np.ix_(self._rows(), self._rows())] @ self.G)

    def accelerations(self, q: Array, qd: Array, tau: Array) -> Array:
        """Return accelerations by Pinocchio's recursion; for coupled joints by its inertia matrix."""
        if self.G.shape[0] != self.G.shape[1]:
            return np.linalg.solve(self.inertia(q), tau - self.bias(q, qd))
        full = np.zeros(self.model.nv)
        full[self._rows()] = tau
        return np.asarray(
            self.pin.aba(self.model, self.data, self.position(q), self.rate(qd), full)[self._rows()]
        )


def check(name: str) -> None:
    robot = load(ROBOTS[name])
    if not independent(robot):
        with pytest.raises(NotApplicableError, match="no moving joint"):
            symoro.generate(robot, "inverse-dynamics")
        return
    pinocchio = Pinocchio(ROBOTS[name], robot)
    rng = np.random.default_rng(1)
    n = len(independent(robot))
    q, qd, qdd = (rng.uniform(-1.5, 1.5, n) for _ in range(3))
    at = {"q": q, "qd": qd, "qdd": qdd}
    tau, A = pinocchio.torques(q, qd, qdd), pinocchio.inertia(q)
    assert error(outputs(robot, "inverse-dynamics", at)["tau"], tau) < CLOSE
    assert error(outputs(robot, "bias-torques", at)["H"], pinocchio.bias(q, qd)) < CLOSE
    assert error(outputs(robot, "inertia-matrix", at)["A"], A) < CLOSE
    if np.linalg.cond(A) > SINGULAR:
        with pytest.raises(NotApplicableError, match="moves no mass"):
            symoro.generate(robot, "direct-dynamics")
        return
    qdd = pinocchio.accelerations(q, qd, tau)
    for method in ("inertia", "recursive"):
        if method == "inertia" or n == len(moving_joints(robot)):
            accelerations = outputs(robot, "direct-dynamics", at | {"tau": tau}, method=method)["qdd"]
            assert error(accelerations, qdd) < CLOSE, method


def joints(name: str) -> int:
    return ROBOTS[name].read_text().count("<axis")


@pytest.mark.parametrize("name", [name for name in whole_robots() if joints(name) <= SMALL])
def test_small_robots(name: str) -> None:
    check(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in whole_robots() if joints(name) > SMALL])
def test_large_robots(name: str) -> None:
    check(name)


def test_symoro_loads_urdf() -> None:
    """symoro.load rounds numbers to exact angles, and the results still agree closely."""
    name = "ur_description/ur5_robot.urdf"
    robot, exact = symoro.load(ROBOTS[name]), load(ROBOTS[name])
    q = np.linspace(-1, 1, len(independent(robot)))
    inertia = outputs(robot, "inertia-matrix", {"q": q})["A"]
    assert error(inertia, outputs(exact, "inertia-matrix", {"q": q})["A"]) < 1e-4
