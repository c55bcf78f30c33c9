"""Every model of a floating base on legged robots of example-robot-data, against Pinocchio's free flyer.

Pinocchio's accelerations are spatial: the classical one is w x v more. Its tangent space has the base's own axes.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.expr.formula import ZERO
from symoro.robot.description import Robot
from symoro.robot.formats.urdf import read_urdf
from symoro.robot.topology import leaves
from tests.models.dynamic.cases import Array, error, outputs
from tests.oracle.dynamics import hat
from tests.oracle.floating import rotation
from tests.robot.urdf.examples import example_robots

pin = pytest.importorskip("pinocchio")
EXAMPLES = example_robots()
pytestmark = pytest.mark.skipif(not EXAMPLES, reason="example-robot-data is not installed")
CLOSE = 1e-9
QUICK = ("bolt_description/robots/bolt.urdf", "solo_description/robots/solo12.urdf")
LEGGED = (
    "anymal_b_simple_description/robots/anymal.urdf",
    "anymal_c_simple_description/urdf/anymal.urdf",
    "hyq_description/robots/hyq_no_sensors.urdf",
    "talos_data/robots/talos_reduced.urdf",
    "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "icub_description/robots/icub_reduced.urdf",
    "go2_description/urdf/go2.urdf",
    "a1_description/urdf/a1.urdf",
    "b1_description/urdf/b1.urdf",
    "laikago_description/urdf/laikago.urdf",
    "simple_humanoid_description/urdf/simple_humanoid.urdf",
)


def path_of(name: str) -> str:
    result = [path for path in map(str, EXAMPLES.values()) if path.endswith(name)]
    if not result:
        pytest.skip(f"{name} is not among the examples")
    return result[0]


class FreeFlyer:
    """Robot, state, and Pinocchio's results; vectors over [base; joints of the robot]."""

    def __init__(self, name: str) -> None:
        path = path_of(name)
        robot = read_urdf(Path(path).read_text(), path, exact=True).floating()
        frames = tuple(replace(frame, FV=ZERO, FS=ZERO, IA=ZERO) for frame in robot.frames)
        self.robot = robot.replace(frames=frames)
        self.model = pin.buildModelFromUrdf(path, pin.JointModelFreeFlyer())
        self.data = self.model.createData()
        self.moving = [j for j, frame in enumerate(robot.frames, 1) if frame.moving]
        assert len(self.moving) == self.model.nv - 6
        self.ids = [self.model.getJointId(robot.frame(j).name) for j in self.moving]
        self.rows = [*range(6), *(self.model.idx_vs[i] for i in self.ids)]
        self.model.gravity.linear = np.array([g.value({}) for g in robot.base.G])
        rng = np.random.default_rng(1)
        n = len(self.moving)
        self.at: dict[str, Any] = {x: rng.uniform(-1, 1, n) for x in ("q", "qd", "qdd", "tau")}
        self.at |= {x: rng.uniform(-1, 1, 6) for x in ("V0", "Vd0")}
        self.at |= {"R0": rotation(rng), "P0": rng.uniform(-1, 1, 3)}
        self.q = self._position()
        self.v = self.over(self.at["V0"], self.at["qd"])
        v, w = self.at["V0"][:3], self.at["V0"][3:]
        self.more = np.r_[np.cross(w, v), np.zeros(3)]  # classical less spatial

    def _position(self) -> Array:
        result = pin.neutral(self.model)
        result[:3], result[3:7] = self.at["P0"], pin.Quaternion(self.at["R0"]).coeffs()
        for i, x in zip(self.ids, self.at["q"], strict=True):
            at = self.model.idx_qs[i]
            entries = [x] if self.model.nqs[i] == 1 else [np.cos(x), np.sin(x)]
            result[at : at + len(entries)] = entries
        return np.asarray(result)

    def over(self, base: Array, joints: Array) -> Array:
        result = np.zeros(self.model.nv)
        result[self.rows] = np.r_[base, joints]
        return result

    def forces(self, Vd0: Array, qdd: Array) -> Array:
        a = self.over(Vd0 - self.more, qdd)
        return np.asarray(pin.rnea(self.model, self.data, self.q, self.v, a)[self.rows])

    def inertia(self) -> Array:
        A = pin.crba(self.model, self.data, self.q)
        return np.asarray((np.triu(A) + np.triu(A, 1).T)[np.ix_(self.rows, self.rows)])

    def out(self, model: str, **options: Any) -> dict[str, Array]:
        return outputs(self.robot, model, self.at, **options)


def check(name: str) -> None:
    flyer = FreeFlyer(name)
    at, A = flyer.at, flyer.inertia()
    H = flyer.forces(np.zeros(6), 0 * at["qd"])
    solved = max(CLOSE, 1e-15 * np.linalg.cond(A))
    assert error(flyer.out("inertia-matrix")["A"], A) < CLOSE
    assert error(flyer.out("bias-torques")["H"], H) < CLOSE
    Vd0 = -np.linalg.solve(A[:6, :6], H[:6] + A[:6, 6:] @ at["qdd"])
    result = flyer.out("inverse-dynamics")
    assert error(result["Vd0"], Vd0) < CLOSE
    assert error(result["tau"], flyer.forces(Vd0, at["qdd"])[6:]) < CLOSE
    result = flyer.out("inverse-dynamics", base="given")
    assert error(np.r_[result["wrench0"], result["tau"]], flyer.forces(at["Vd0"], at["qdd"])) < CLOSE
    torques = flyer.over(np.zeros(6), at["tau"])
    x = pin.aba(flyer.model, flyer.data, flyer.q, flyer.v, torques)[flyer.rows]
    x = x + np.r_[flyer.more, 0 * at["q"]]
    for method in ("recursive", "inertia"):
        result = flyer.out("direct-dynamics", method=method)
        assert error(np.r_[result["Vd0"], result["qdd"]], x) < solved, method
    weight = pin.computeGeneralizedGravity(flyer.model, flyer.data, flyer.q)[flyer.rows]
    assert error(flyer.out("gravity-torques")["Q"], weight) < CLOSE
    check_energies(flyer)
    check_regressor(flyer)
    check_jacobian(flyer)


def check_energies(flyer: FreeFlyer) -> None:
    model, data, at = flyer.model, flyer.data, flyer.at
    result = flyer.out("energy")
    E = pin.computeKineticEnergy(model, data, flyer.q, flyer.v)
    U = pin.computePotentialEnergy(model, data, flyer.q)
    assert error([result["E"], result["U"]], [E, U]) < CLOSE
    AG = pin.ccrba(model, data, flyer.q, flyer.v)[:, flyer.rows]
    turn = np.kron(np.eye(2), at["R0"].T)
    result = flyer.out("centroidal-momentum")
    assert error(result["AG"], turn @ AG) < CLOSE
    assert error(result["h"], turn @ np.r_[data.hg.linear, data.hg.angular]) < CLOSE
    com = pin.centerOfMass(model, data, flyer.q)
    assert error(result["com"], at["R0"].T @ (com - at["P0"])) < CLOSE


def check_regressor(flyer: FreeFlyer) -> None:
    """Check that the torques are linear in the parameters of the file."""
    made = symoro.generate(flyer.robot, "dynamic-identification")
    W = made.function(compiled=False)(**{name: flyer.at[name] for name in made.inputs})["W"]
    K = [
        getattr(flyer.robot.link(int(name.lstrip("XYZM"))), name.rstrip("0123456789"))
        for name in made.columns
    ]
    forces = flyer.forces(flyer.at["Vd0"], flyer.at["qdd"])
    assert error(W @ [k.value({}) for k in K], forces) < CLOSE


def check_jacobian(flyer: FreeFlyer) -> None:
    """Compare the Jacobian of the last link, whose frame differs from Pinocchio's."""
    j = leaves(flyer.robot)[-1]
    J = flyer.out("jacobian", to=j)["J"]
    place, T = point(flyer, j, np.zeros(3))
    assert error(J[:3], at_point(flyer, j, place)) < CLOSE
    assert T.shape == (4, 4)


def point(flyer: FreeFlyer, j: int, p: Array) -> tuple[Array, Array]:
    """Return a point of link j in the world, and 0Tj."""
    T = flyer.out("transform", frm=0, to=j)["T"]
    return flyer.at["P0"] + flyer.at["R0"] @ (T[:3, :3] @ p + T[:3, 3]), T


def at_point(flyer: FreeFlyer, j: int, place: Array) -> Array:
    """Return the Jacobian rows of a point of link j, in the axes of frame 0."""
    i = flyer.ids[flyer.moving.index(j)]
    pin.computeJointJacobians(flyer.model, flyer.data, flyer.q)
    J = pin.getJointJacobian(flyer.model, flyer.data, i, pin.LOCAL_WORLD_ALIGNED)[:, flyer.rows]
    arm = place - flyer.data.oMi[i].translation
    return np.asarray(flyer.at["R0"].T @ (J[:3] - hat(arm) @ J[3:]))


def check_contacts(flyer: FreeFlyer, most: int = 3) -> None:
    """Compare contacts at the tips of some limbs with the complete system of equations."""
    at, n = flyer.at, len(flyer.moving)
    contacts = [(j, (0.05, -0.02, 0.1)) for j in leaves(flyer.robot) if j in flyer.moving][:most]
    pin.forwardKinematics(flyer.model, flyer.data, flyer.q, flyer.v, flyer.over(-flyer.more, np.zeros(n)))
    still = [
        (pin.getClassicalAcceleration(flyer.model, flyer.data, i, pin.LOCAL_WORLD_ALIGNED), flyer.data.oMi[i])
        for i in (flyer.ids[flyer.moving.index(j)] for j, _ in contacts)
    ]
    turns = [
        pin.getVelocity(
            flyer.model, flyer.data, flyer.ids[flyer.moving.index(j)], pin.LOCAL_WORLD_ALIGNED
        ).angular
        for j, _ in contacts
    ]
    accelerations, rows = [], []
    for (j, p), (a, place), w in zip(contacts, still, turns, strict=True):
        there, _ = point(flyer, j, np.array(p))
        arm = there - place.translation
        world = a.linear + np.cross(a.angular, arm) + np.cross(w, np.cross(w, arm))
        accelerations.append(at["R0"].T @ world)
        rows.append(at_point(flyer, j, there))
    A, H, J = flyer.inertia(), flyer.forces(np.zeros(6), np.zeros(n)), np.vstack(rows)
    K = np.block([[A, J.T], [J, np.zeros((len(J), len(J)))]])
    right = np.r_[np.r_[np.zeros(6), at["tau"]] - H, -np.concatenate(accelerations)]
    y = np.linalg.solve(K, right)
    result = flyer.out("contact-dynamics", contacts=tuple(contacts))
    tolerance = max(CLOSE, 1e-15 * np.linalg.cond(A) * np.linalg.cond(J) ** 2)
    assert error(np.r_[result["Vd0"], result["qdd"]], y[: 6 + n]) < tolerance
    assert error(result["forces"], y[6 + n :].reshape(-1, 3)) < tolerance


def check_derivatives(flyer: FreeFlyer) -> None:
    """Check derivatives with a given base motion; those of a free base follow from A11, which other tests check."""
    at, model, data = flyer.at, flyer.model, flyer.data
    a = flyer.over(at["Vd0"] - flyer.more, at["qdd"])
    pin.computeRNEADerivatives(model, data, flyer.q, flyer.v, a)
    by_q, by_v = (x[np.ix_(flyer.rows, flyer.rows)] for x in (data.dtau_dq, data.dtau_dv))
    A = flyer.inertia()
    v, w = at["V0"][:3], at["V0"][3:]
    spatial = np.block([[-hat(w), hat(v)], [np.zeros((3, 6))]])  # of the spatial acceleration, to V0
    expected = {
        "q": by_q[:, 6:],
        "qd": by_v[:, 6:],
        "qdd": A[:, 6:],
        "V0": by_v[:, :6] + A[:, :6] @ spatial,
        "Vd0": A[:, :6],
        "R0": by_q[:, 3:6],
    }
    result = flyer.out("inverse-dynamics-derivatives", base="given")
    for name, slope in expected.items():
        both = np.vstack([result[f"dwrench0_d{name}"], result[f"dtau_d{name}"]])
        assert error(both, slope) < CLOSE, name
    free, direct = flyer.out("inverse-dynamics-derivatives"), flyer.out("direct-dynamics-derivatives")
    inverse = np.linalg.inv(A)
    assert error(direct["dqdd_dtau"], inverse[6:, 6:]) < max(CLOSE, 1e-14 * np.linalg.cond(A))
    schur = A[6:, 6:] - A[6:, :6] @ np.linalg.solve(A[:6, :6], A[:6, 6:])
    assert error(free["dtau_dqdd"], schur) < CLOSE


@pytest.mark.parametrize("name", QUICK)
def test_some_legged_robots(name: str) -> None:
    check(name)
    check_contacts(FreeFlyer(name), 2)


def test_derivatives_of_a_legged_robot() -> None:
    check_derivatives(FreeFlyer(QUICK[0]))


@pytest.mark.slow
@pytest.mark.parametrize("name", LEGGED)
def test_legged_robots(name: str) -> None:
    check(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*QUICK, *LEGGED])
def test_contacts(name: str) -> None:
    check_contacts(FreeFlyer(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", [QUICK[1], *LEGGED[:3]])
def test_derivatives(name: str) -> None:
    check_derivatives(FreeFlyer(name))


def test_root_link_of_a_urdf() -> None:
    """The mass of the root link is present for fixed and floating bases."""
    path = path_of(QUICK[1])
    loaded: Robot = symoro.load(path)
    assert not loaded.base.link.M.is_zero
    assert loaded.floating().base.link == symoro.load(path, base="floating").base.link
