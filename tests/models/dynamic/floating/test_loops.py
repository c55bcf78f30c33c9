"""Closed loops on a floating base against the models of the floating tree along the constraints."""

from __future__ import annotations

from collections.abc import Callable
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
from tests.models.dynamic.test_loop_derivatives import moved_to, slope, velocity_step
from tests.models.loop_cases import DRAWN, Case, drawn, error, run
from tests.oracle.floating import Contact, Floating, rotation

CLOSE = 1e-9


class Moved:
    """Case on a floating base with mass, its state, and G and Gdot qda of the oracle of loops."""

    def __init__(
        self, kind: str | Case, robot: Robot | None = None, at: dict[str, Any] | None = None
    ) -> None:
        self.case: Case = drawn(kind) if isinstance(kind, str) else kind
        rng = np.random.default_rng(3)
        link = Link(**{name: formula(x) for name, x in masses(rng).items()})
        floating = self.case.robot.floating()
        self.robot: Robot = robot or replace(floating, base=replace(floating.base, link=link))
        truth = self.case.truth
        na, n = truth.na, truth.n
        self.at: dict[str, Any] = at or {
            **{name: rng.uniform(-1.5, 1.5, na) for name in ("qda", "qdda", "tau")},
            **{name: rng.uniform(-1.5, 1.5, 6) for name in ("V0", "Vd0")},
            "q": self.case.q,
            "R0": rotation(rng),
            "P0": rng.uniform(-1, 1, 3),
        }
        x, none = self.case.x, np.zeros(na)
        self.G = np.array([truth.moved(x, e, none).qd[:n] for e in np.eye(na)]).T
        moved = truth.moved(x, self.at["qda"], none)
        self.qd, self.bias = moved.qd[:n], moved.qdd[:n]
        self.tree = Floating(self.robot.tree(), self.at)
        self.size = CLOSE / min(1.0, moved.condition)

    def near(self, x: Array | None = None, **at: Array) -> Moved:
        """Return the same robot in another state."""
        case = Case(self.case.robot, self.case.x if x is None else x)
        return Moved(case, robot=self.robot, at=self.at | at | {"q": case.q})

    def projected(self, forces: Array) -> Array:
        return np.r_[forces[:6], self.G.T @ forces[6:]]

    def forces(self, qdda: Array, Vd0: Array) -> Array:
        """Return [wrench0; tau of the active joints]."""
        qdd = self.G @ qdda + self.bias
        return self.projected(self.tree.forces(self.case.q, self.qd, qdd, self.at["V0"], Vd0))

    def inertia(self) -> Array:
        whole = np.block([[np.eye(6), np.zeros((6, self.G.shape[1]))], [np.zeros((len(self.G), 6)), self.G]])
        return np.asarray(whole.T @ self.tree.inertia(self.case.q) @ whole)


@pytest.mark.parametrize("kind", DRAWN)
def test_motion_of_loops_on_a_floating_base(kind: str) -> None:
    """Results equal those of the floating tree at the joint motion that the loops determine."""
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
    result = run(robot, "inverse-dynamics", at, base="given")
    assert error(np.r_[result["wrench0"], result["tau"]], moved.forces(at["qdda"], at["Vd0"])) < size
    Vd0 = np.linalg.solve(A[:6, :6], -H[:6] - A[:6, 6:] @ at["qdda"])
    result = run(robot, "inverse-dynamics", at)
    assert error(result["Vd0"], Vd0) < size
    assert error(result["tau"], (A @ np.r_[Vd0, at["qdda"]] + H)[6:]) < size
    x = np.linalg.solve(A, np.r_[np.zeros(6), at["tau"]] - H)
    result = run(robot, "direct-dynamics", at)
    solved = size * max(1.0, 1e-2 * np.linalg.cond(A))
    assert error(np.r_[result["Vd0"], result["qdda"]], x) < solved
    assert error(result["qdd"], moved.G @ x[6:] + moved.bias) < solved


@pytest.mark.parametrize("kind", list(DRAWN)[:2])
def test_energy_momentum_and_regressor(kind: str) -> None:
    moved = Moved(kind)
    robot, at = moved.robot, moved.at
    result = run(robot, "energy", at)
    E, U = moved.tree.energies(moved.case.q, moved.qd, at["V0"])
    assert error([result["E"], result["U"]], [E, U]) < moved.size
    h, com = moved.tree.momentum(moved.case.q, moved.qd, at["V0"])
    result = run(robot, "centroidal-momentum", at)
    assert error(result["h"], h) < moved.size
    assert error(result["com"], com) < moved.size
    assert error(result["AG"] @ np.r_[at["V0"], at["qda"]], h) < moved.size
    for parameters in ("standard", "base"):
        model = symoro.generate(robot, "dynamic-identification", parameters=parameters)
        W = model.function(compiled=False)(**{name: at[name] for name in model.inputs})["W"]
        K = [f.value(dict(robot.nominal)) for f in parameter_values(robot, model.columns, parameters)]
        assert error(W @ K, moved.forces(at["qdda"], at["Vd0"])) < 10 * moved.size


def test_what_knows_no_loops_says_so() -> None:
    robot = Moved(next(iter(DRAWN))).robot
    with pytest.raises(OptionError, match="closed loops"):
        symoro.generate(robot, "direct-dynamics", method="recursive")
    j = next(j for j in independent(robot) if not robot.frame(j).mu)
    with pytest.raises(OptionError, match="not a joint with an independent coordinate"):
        symoro.generate(robot, "inverse-dynamics", free=[j])
    with pytest.raises(NotApplicableError, match="closed loops"):
        symoro.generate(robot.with_frame(j, eta=True, k=7), "inverse-dynamics", actuators="elastic")
    with pytest.raises(OptionError, match="reactions"):
        symoro.generate(robot, "inverse-dynamics", reactions=True)


# -- contacts


def points_of(moved: Moved, contacts: tuple[Contact, ...]) -> tuple[Array, Array]:
    """Return J over [base; active joints], and the points' acceleration at Vd0 = 0 and qdda = 0."""
    at, q, units, h = moved.at, moved.case.q, np.eye(6 + len(moved.G)), 1e-30
    tree, R = moved.tree, at["R0"]
    J = np.vstack([np.array([R.T @ tree.point(q, e[6:], e[:6], c).real for e in units]).T for c in contacts])
    drift = np.concatenate([R.T @ tree.point(q, moved.qd, at["V0"], c, h).imag / h for c in contacts])
    return np.c_[J[:, :6], J[:, 6:] @ moved.G], drift + J[:, 6:] @ moved.bias


@pytest.mark.parametrize("kind", DRAWN)
def test_contacts(kind: str) -> None:
    """Contact dynamics against the complete system of equations."""
    moved = Moved(kind)
    robot, at = moved.robot, moved.at
    contacts: tuple[Contact, ...] = ((robot.NL, (0.1, -0.2, 0.3)),)
    J, a = points_of(moved, contacts)
    A, H = moved.inertia(), moved.forces(0 * at["qda"], np.zeros(6))
    K = np.block([[A, J.T], [J, np.zeros((3, 3))]])
    x = np.linalg.solve(K, np.r_[np.r_[np.zeros(6), at["tau"]] - H, -a])
    result = run(robot, "contact-dynamics", at, contacts=contacts)
    size = moved.size * max(1.0, 1e-2 * np.linalg.cond(A))
    assert error(result["forces"].ravel(), x[len(A) :]) < size
    assert error(np.r_[result["Vd0"], result["qdda"]], x[: len(A)]) < size
    assert error(result["qdd"], moved.G @ x[6 : len(A)] + moved.bias) < size


def test_contacts_that_the_loop_holds_apart() -> None:
    """Two points at a constant distance are rejected; with one degree of freedom both forces are determined."""
    robot = Moved("four-bar").robot
    ends = [(0, (0.3, 0.1, 0.2)), (robot.NL, (0.1, -0.2, 0.3))]
    assert symoro.generate(robot, "contact-dynamics", contacts=ends).outputs["forces"] == (2, 3)
    with pytest.raises(NotApplicableError, match=r"contact 3 .*is not determined"):
        symoro.generate(robot, "contact-dynamics", contacts=[*ends, (0, (1, 0, 0))])
    damped = symoro.generate(robot, "contact-dynamics", contacts=[*ends, (0, (1, 0, 0))], damping=1e-6)
    assert damped.outputs["forces"] == (3, 3)


# -- derivatives


def linearised(moved: Moved, f: Callable[[Moved], Array]) -> dict[str, Array]:
    """Return differences of f with respect to active joints, their velocities, V0 and base rotation."""
    truth, x, at = moved.case.truth, moved.case.x, moved.at
    turned = np.zeros(3)
    velocity = velocity_step(truth, x, at["qda"])
    return {
        "qa": slope(lambda y: f(moved.near(x=moved_to(truth, x, y))), x[truth.active]),
        "qda": slope(lambda y: f(moved.near(qda=y)), at["qda"], velocity),
        "V0": slope(lambda y: f(moved.near(V0=y)), at["V0"]),
        "R0": slope(lambda y: f(moved.near(R0=at["R0"] @ expm(y))), turned),
    }


def expm(e: Array) -> Array:
    """Return the rotation by a rotation vector."""
    angle = np.linalg.norm(e)
    if angle == 0:
        return np.eye(3)
    x, y, z = e / angle
    hat = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + np.sin(angle) * hat + (1 - np.cos(angle)) * hat @ hat)


@pytest.mark.parametrize(
    "kind", ["slider-crank", *(pytest.param(k, marks=pytest.mark.slow) for k in ("spherical", "five-bar"))]
)
def test_derivatives(kind: str) -> None:
    moved = Moved(kind)
    robot, at, size = moved.robot, moved.at, 10 * moved.size
    A = moved.inertia()
    result = run(robot, "inverse-dynamics-derivatives", at, base="given")
    wanted = linearised(moved, lambda there: there.forces(at["qdda"], at["Vd0"]))
    for name, value in (wanted | {"Vd0": A[:, :6], "qdda": A[:, 6:]}).items():
        assert error(np.r_[result[f"dwrench0_d{name}"], result[f"dtau_d{name}"]], value) < size, name

    def free(there: Moved, qdda: Array) -> Array:
        A, H = there.inertia(), there.forces(0 * qdda, np.zeros(6))
        Vd0 = np.linalg.solve(A[:6, :6], -H[:6] - A[:6, 6:] @ qdda)
        return np.r_[Vd0, (A @ np.r_[Vd0, qdda] + H)[6:]]

    result = run(robot, "inverse-dynamics-derivatives", at)
    wanted = linearised(moved, lambda there: free(there, at["qdda"]))
    wanted["qdda"] = slope(lambda y: free(moved, y), at["qdda"])
    for name, value in wanted.items():
        assert error(np.r_[result[f"dVd0_d{name}"], result[f"dtau_d{name}"]], value) < size, name


@pytest.mark.parametrize("kind", DRAWN)
def test_derivatives_of_accelerations(kind: str) -> None:
    """They equal -A^-1 times the derivatives of the forces at the accelerations caused by the torques."""
    moved = Moved(kind)
    robot, at = moved.robot, moved.at
    tau, Vd0 = (run(robot, "inverse-dynamics", at)[name] for name in ("tau", "Vd0"))
    forces = run(robot, "inverse-dynamics-derivatives", at | {"Vd0": Vd0}, base="given")
    result = run(robot, "direct-dynamics-derivatives", at | {"tau": tau})
    A = moved.inertia()
    size = moved.size * max(1.0, 1e-2 * np.linalg.cond(A))
    for name in ("qa", "qda", "V0", "R0"):
        wanted = -np.r_[forces[f"dwrench0_d{name}"], forces[f"dtau_d{name}"]]
        assert error(A @ np.r_[result[f"dVd0_d{name}"], result[f"dqdda_d{name}"]], wanted) < size, name
    units = np.eye(len(A))[:, 6:]
    assert error(A @ np.r_[result["dVd0_dtau"], result["dqdda_dtau"]], units) < size


# -- identification


def regressors(moved: Moved, model: str, parameters: str, **options: Any) -> tuple[dict[str, Array], Array]:
    made = symoro.generate(moved.robot, model, parameters=parameters, **options)
    result = made.function(compiled=False)(**{name: moved.at[name] for name in made.inputs})
    nominal = dict(moved.robot.nominal)
    K = [f.value(nominal) for f in parameter_values(moved.robot, made.columns, parameters)]
    return result, np.array(K)


def carried_on(moved: Moved, t: float) -> Moved:
    """Return the state after a short time at the accelerations of the state."""
    at, case = moved.at, moved.case
    qda = at["qda"] + t * at["qdda"]
    qa = case.x[case.truth.active] + t * at["qda"] + t * t / 2 * at["qdda"]
    v, w = at["V0"][:3], at["V0"][3:]
    rate = at["Vd0"] - np.r_[np.cross(w, v), np.zeros(3)]
    return moved.near(
        x=moved_to(case.truth, case.x, qa),
        qda=qda,
        V0=at["V0"] + t * rate,
        R0=at["R0"] @ expm(t * w + t * t / 2 * rate[3:]),
        P0=at["P0"] + t * at["R0"] @ v + t * t / 2 * at["R0"] @ at["Vd0"][:3],
    )


@pytest.mark.parametrize("parameters", ["standard", "base"])
@pytest.mark.parametrize("kind", ["four-bar", "five-bar", "spherical"])
def test_identification_by_energy_power_and_momentum(kind: str, parameters: str) -> None:
    moved = Moved(kind)
    at = moved.at
    forces = moved.forces(at["qdda"], at["Vd0"])
    power = np.r_[at["V0"], at["qda"]] @ forces
    result, K = regressors(moved, "power-identification", parameters, acceleration=True)
    assert error((result["dh"] + result["p"]) @ K, power) < 10 * moved.size

    def energy(there: Moved) -> Array:
        result, K = regressors(there, "energy-identification", parameters)
        return np.array([result["h"] @ K])

    lost = result["p"] @ K
    rate = slope(lambda t: energy(carried_on(moved, float(t[0]))), np.zeros(1), 1e-3)
    assert error(rate[0, 0], power - lost) < 100 * CLOSE
    if parameters == "standard":
        E, U = moved.tree.energies(moved.case.q, moved.qd, at["V0"])
        assert error(energy(moved), [E + U]) < 10 * moved.size

    def momenta(there: Moved) -> Array:
        result, K = regressors(there, "filtered-identification", parameters)
        return np.asarray(result["D1"] @ K)

    result, K = regressors(moved, "filtered-identification", parameters)
    rate = slope(lambda t: momenta(carried_on(moved, float(t[0]))), np.zeros(1), 1e-3)
    assert error(rate[:, 0] + result["D2"] @ K, forces) < 100 * CLOSE


def test_springs_are_an_output_of_their_own() -> None:
    moved = Moved("five-bar")
    at, robot = moved.at, moved.robot
    j = next(j for j in independent(robot) if not robot.frame(j).mu)
    row = independent(robot).index(j)
    sprung = robot.with_frame(j, eta=True, k=7, rest=0.25)
    strain = 7 * (at["q"][row] - 0.25)
    for model in ("dynamic-identification", "filtered-identification"):
        assert error(run(sprung, model, at)["springs"], moved.G[row] * strain) < moved.size
    for model in ("energy-identification", "power-identification"):
        assert error(run(sprung, model, at)["springs"], strain**2 / 14) < moved.size


@pytest.mark.parametrize("kind", DRAWN)
def test_springs_of_passive_joints(kind: str) -> None:
    """The springs load the active joints through the constraints and do not load the base."""
    moved = Moved(kind)
    at, size = moved.at, moved.size
    j = next(j for j in independent(moved.robot) if not moved.robot.frame(j).mu)
    row = independent(moved.robot).index(j)
    sprung = moved.robot.with_frame(j, eta=True, k=7, rest=0.25)
    strain = 7 * (at["q"][row] - 0.25)
    for options in ({}, {"base": "given"}):
        rigid, result = (run(robot, "inverse-dynamics", at, **options) for robot in (moved.robot, sprung))
        assert error(result["tau"] - rigid["tau"], moved.G[row] * strain) < size
        rest = (set(result) - {"tau"}).pop()
        assert error(result[rest], rigid[rest]) < size
    rigid, result = (run(robot, "energy", at) for robot in (moved.robot, sprung))
    assert error(result["U"] - rigid["U"], strain**2 / 14) < size
    tau = run(sprung, "inverse-dynamics", at)["tau"]
    assert error(run(sprung, "direct-dynamics", at | {"tau": tau})["qdda"], at["qdda"]) < size


def test_springs_of_active_joints_are_refused() -> None:
    robot = Moved("five-bar").robot
    j = next(j for j in independent(robot) if robot.frame(j).mu)
    with pytest.raises(NotApplicableError, match=f"joint {j} is both active and elastic"):
        symoro.generate(robot.with_frame(j, eta=True, k=7), "inverse-dynamics")
