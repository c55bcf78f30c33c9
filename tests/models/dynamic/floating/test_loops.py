"""Closed loops on a floating base: the floating tree, which other tests hold, moved as the loops let it move."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.errors import NotApplicableError, OptionError
from symoro.expr.formula import formula
from symoro.models.identification.columns import parameter_values
from symoro.robot.coordinates import independent
from symoro.robot.description import Link, Robot
from tests.models.dynamic.cases import Array, masses
from tests.models.loop_cases import DRAWN, Case, drawn, error, run
from tests.oracle.floating import Floating, rotation

CLOSE = 1e-9


class Moved:
    """A case on a base with mass, a state of it, and G and Gdot qda of the oracle of loops."""

    def __init__(self, kind: str, seed: int = 3) -> None:
        self.case: Case = drawn(kind)
        rng = np.random.default_rng(seed)
        link = Link(**{name: formula(x) for name, x in masses(rng).items()})
        floating = self.case.robot.floating()
        self.robot: Robot = replace(floating, base=replace(floating.base, link=link))
        truth = self.case.truth
        na, n = truth.na, truth.n
        self.at: dict[str, Any] = {name: rng.uniform(-1.5, 1.5, na) for name in ("qda", "qdda", "tau")}
        self.at |= {name: rng.uniform(-1.5, 1.5, 6) for name in ("V0", "Vd0")}
        self.at |= {"q": self.case.q, "R0": rotation(rng), "P0": rng.uniform(-1, 1, 3)}
        x, none = self.case.x, np.zeros(na)
        self.G = np.array([truth.moved(x, e, none).qd[:n] for e in np.eye(na)]).T
        moved = truth.moved(x, self.at["qda"], none)
        self.qd, self.bias = moved.qd[:n], moved.qdd[:n]
        self.tree = Floating(self.robot.tree(), self.at)
        self.size = CLOSE / min(1.0, moved.condition)

    def projected(self, forces: Array) -> Array:
        return np.r_[forces[:6], self.G.T @ forces[6:]]

    def forces(self, qdda: Array, Vd0: Array) -> Array:
        """[wrench0; tau of the active joints]."""
        qdd = self.G @ qdda + self.bias
        return self.projected(self.tree.forces(self.case.q, self.qd, qdd, self.at["V0"], Vd0))

    def inertia(self) -> Array:
        whole = np.block([[np.eye(6), np.zeros((6, self.G.shape[1]))], [np.zeros((len(self.G), 6)), self.G]])
        return np.asarray(whole.T @ self.tree.inertia(self.case.q) @ whole)


@pytest.mark.parametrize("kind", DRAWN)
def test_motion_of_loops_on_a_floating_base(kind: str) -> None:
    """The models of the floating tree, which have tests of their own, at the joints' motion that the loops allow."""
    moved = Moved(kind)
    robot, at, size = moved.robot, moved.at, moved.size
    tree = robot.tree()
    of_tree = at | {"qd": moved.qd, "qdd": moved.G @ at["qdda"] + moved.bias}
    for model in ("velocities", "accelerations"):
        wanted = run(tree, model, of_tree)
        for name, value in run(robot, model, at).items():
            assert error(value, wanted[name]) < size, (model, name)
    J = run(tree, "jacobian", at)["J"]
    assert error(run(robot, "jacobian", at)["J"], np.c_[J[:, :6], J[:, 6:] @ moved.G]) < size
    drift = run(tree, "jdot-qdot", of_tree)["a"] + J[:, 6:] @ moved.bias
    assert error(run(robot, "jdot-qdot", at)["a"], drift) < size
    weight = run(tree, "gravity-torques", at)["Q"]
    assert error(run(robot, "gravity-torques", at)["Q"], moved.projected(weight)) < size


@pytest.mark.parametrize("kind", DRAWN)
def test_loops_on_a_floating_base(kind: str) -> None:
    moved = Moved(kind)
    robot, at, size = moved.robot, moved.at, moved.size
    A, H = moved.inertia(), moved.forces(0 * at["qda"], np.zeros(6))
    assert error(run(robot, "inertia-matrix", at)["A"], A) < size
    assert error(run(robot, "bias-torques", at)["H"], H) < size
    found = run(robot, "inverse-dynamics", at, base="given")
    assert error(np.r_[found["wrench0"], found["tau"]], moved.forces(at["qdda"], at["Vd0"])) < size
    Vd0 = np.linalg.solve(A[:6, :6], -H[:6] - A[:6, 6:] @ at["qdda"])
    found = run(robot, "inverse-dynamics", at)
    assert error(found["Vd0"], Vd0) < size
    assert error(found["tau"], (A @ np.r_[Vd0, at["qdda"]] + H)[6:]) < size
    x = np.linalg.solve(A, np.r_[np.zeros(6), at["tau"]] - H)
    found = run(robot, "direct-dynamics", at)
    solved = size * max(1.0, 1e-2 * np.linalg.cond(A))
    assert error(np.r_[found["Vd0"], found["qdda"]], x) < solved
    assert error(found["qdd"], moved.G @ x[6:] + moved.bias) < solved


@pytest.mark.parametrize("kind", list(DRAWN)[:2])
def test_energy_momentum_and_regressor(kind: str) -> None:
    moved = Moved(kind)
    robot, at = moved.robot, moved.at
    found = run(robot, "energy", at)
    E, U = moved.tree.energies(moved.case.q, moved.qd, at["V0"])
    assert error([found["E"], found["U"]], [E, U]) < moved.size
    h, com = moved.tree.momentum(moved.case.q, moved.qd, at["V0"])
    found = run(robot, "centroidal-momentum", at)
    assert error(found["h"], h) < moved.size
    assert error(found["com"], com) < moved.size
    assert error(found["AG"] @ np.r_[at["V0"], at["qda"]], h) < moved.size
    for parameters in ("standard", "base"):
        model = symoro.generate(robot, "dynamic-identification", parameters=parameters)
        W = model.function(compiled=False)(**{name: at[name] for name in model.inputs})["W"]
        K = [f.value(dict(robot.nominal)) for f in parameter_values(robot, model.columns, parameters)]
        assert error(W @ K, moved.forces(at["qdda"], at["Vd0"])) < 10 * moved.size


def test_what_knows_no_loops_says_so() -> None:
    robot = Moved(next(iter(DRAWN))).robot
    for model in ("contact-dynamics", "inverse-dynamics-derivatives", "filtered-identification"):
        with pytest.raises(NotApplicableError, match="closed loops"):
            symoro.generate(robot, model)
    with pytest.raises(OptionError, match="closed loops"):
        symoro.generate(robot, "direct-dynamics", method="recursive")
    with pytest.raises(OptionError, match="reactions"):
        symoro.generate(robot, "inverse-dynamics", reactions=True)


@pytest.mark.parametrize("kind", DRAWN)
def test_springs_of_passive_joints(kind: str) -> None:
    """They bear on the active joints as the passive ones move with them, and leave the base alone."""
    moved = Moved(kind)
    at, size = moved.at, moved.size
    j = next(j for j in independent(moved.robot) if not moved.robot.frame(j).mu)
    row = independent(moved.robot).index(j)
    sprung = moved.robot.with_frame(j, eta=True, k=7, rest=0.25)
    strain = 7 * (at["q"][row] - 0.25)
    for options in ({}, {"base": "given"}):
        rigid, found = (run(robot, "inverse-dynamics", at, **options) for robot in (moved.robot, sprung))
        assert error(found["tau"] - rigid["tau"], moved.G[row] * strain) < size
        rest = (set(found) - {"tau"}).pop()
        assert error(found[rest], rigid[rest]) < size
    rigid, found = (run(robot, "energy", at) for robot in (moved.robot, sprung))
    assert error(found["U"] - rigid["U"], strain**2 / 14) < size
    tau = run(sprung, "inverse-dynamics", at)["tau"]
    assert error(run(sprung, "direct-dynamics", at | {"tau": tau})["qdda"], at["qdda"]) < size


def test_springs_of_active_joints_are_refused() -> None:
    robot = Moved("five-bar").robot
    j = next(j for j in independent(robot) if robot.frame(j).mu)
    with pytest.raises(NotApplicableError, match=f"joint {j} is active and elastic"):
        symoro.generate(robot.with_frame(j, eta=True, k=7), "inverse-dynamics")
