"""Velocities of the active joints of robots with loops, against differences of transforms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import symoro
from tests.oracle.inverse_geometry import Loops

Array = NDArray[np.float64]
STEP = 1e-6

CASES: dict[str, dict[str, Any]] = {
    # the frame, active joints, and the assembly mode
    "fivebar": {"to": "tool", "qa": [2.0, 1.1]},
    "fourbar": {"to": 2, "qa": [0.7]},
    "slidercrank": {"to": 3, "qa": [0.9]},
    "sr400": {"to": 6, "qa": [0.3, 0.4, 0.2, 0.7, -0.4, 1.1]},
    "akr3000": {"to": 10, "qa": [0.3, 0.9, 0.55, 0.2, 0.5, 0.4]},
}


def velocity(name: str, mode: int, qa: Array, qda: Array) -> Array:
    """Return the velocity (linear; angular) of the frame by central differences of its transform."""
    place = symoro.generate(name, "fast-geometry", to=CASES[name]["to"], active=True).function(compiled=False)
    before, here, after = (place(qa=qa + t * qda)["T"][mode] for t in (-STEP, 0.0, STEP))
    rate = (after - before) / (2 * STEP)
    turn = rate[:3, :3] @ here[:3, :3].T
    return np.array([*rate[:3, 3], turn[2, 1], turn[0, 2], turn[1, 0]])


@pytest.mark.parametrize("name", CASES)
def test_velocities_of_the_active_joints(name: str) -> None:
    qa, to = np.array(CASES[name]["qa"]), CASES[name]["to"]
    model = symoro.generate(name, "loop-geometry").function(compiled=False)(qa=qa)
    models = {
        which: symoro.generate(name, which, to=to).function(compiled=False)
        for which in ("jacobian", "jacobian-inverse", "inverse-kinematics")
    }
    rng = np.random.default_rng(4)
    for mode in np.flatnonzero(model["status"] == 0):
        q, qda = model["q"][mode], rng.normal(size=len(qa))
        assert Loops(symoro.load(name)).gap(q[None], model["qc"][mode][None]).max() < 1e-12
        V = velocity(name, int(mode), qa, qda)
        np.testing.assert_allclose(models["jacobian"](q=q)["J"] @ qda, V, atol=1e-7)
        np.testing.assert_allclose(models["inverse-kinematics"](q=q, V=V)["qda"], qda, atol=1e-5)
        np.testing.assert_allclose(models["jacobian-inverse"](q=q)["Jinv"] @ V, qda, atol=1e-5)


@pytest.mark.parametrize("name", ["fivebar", "sr400", "akr3000"])
def test_the_determinant_is_that_of_the_jacobian(name: str) -> None:
    qa, to = np.array(CASES[name]["qa"]), CASES[name]["to"]
    model = symoro.generate(name, "loop-geometry").function(compiled=False)(qa=qa)
    jacobian = symoro.generate(name, "jacobian", to=to).function(compiled=False)
    determinant = symoro.generate(name, "jacobian-determinant", to=to).function(compiled=False)
    for q in model["q"][model["status"] == 0]:
        J = jacobian(q=q)["J"]
        part = J if J.shape[1] == 6 else J[: J.shape[1]]
        np.testing.assert_allclose(determinant(q=q)["det"], np.linalg.det(part), rtol=1e-9)


def test_shapes_are_those_of_the_active_joints() -> None:
    assert symoro.generate("sr400", "inverse-kinematics", to=6).outputs == {"qda": (6,)}
    assert symoro.generate("fivebar", "jacobian-inverse").outputs == {"Jinv": (2, 6)}
    redundant = symoro.generate("fivebar", "inverse-kinematics", method="damped")
    assert redundant.inputs["qd0"] == (2,) and redundant.outputs == {"qda": (2,)}


def test_outputs_are_nan_in_a_singular_configuration() -> None:
    """The distal bars of the five-bar are aligned: the loop does not determine the velocities of its passive joints."""
    half = np.arcsin((0.3 - 0.12) / 0.2)
    left, right = np.pi / 2 + half, np.pi / 2 - half
    q = [left, -left, right, np.pi - right]
    out = symoro.generate("fivebar", "inverse-kinematics").function(compiled=False)(q=q, V=[1, 0, 0, 0, 0, 0])
    assert np.isnan(out["qda"]).all()


def test_the_arm_of_the_sr400_is_what_its_models_are_about() -> None:
    """The default frame is not the side rod of the parallelogram, which is the last link by number."""
    by_default = symoro.generate("sr400", "jacobian").function(compiled=False)
    of_arm = symoro.generate("sr400", "jacobian", to=6).function(compiled=False)
    q = np.array([0.3, -0.9, 0.7 + 0.9 - np.pi / 2, 0.4, 0.2, -0.3, 0.7, -1.6])
    assert np.array_equal(by_default(q=q)["J"], of_arm(q=q)["J"])
    assert symoro.generate("sr400", "inverse-geometry").outputs["q"] == (8, 8)
