"""Singular legs and platforms, and poses and motions that violate the constraints: outputs are NaN."""

from __future__ import annotations

import numpy as np
import pytest

import symoro
from symoro.robot.description import Robot
from tests.oracle.cut_tree import Array
from tests.oracle.platforms import FREEDOMS, LIBRARY, in_planes, model, poses, robots, turned

IDS = ("inverse-dynamics", "bias-torques", "inertia-matrix", "direct-dynamics")
RESTRICTED = ("3-RPS", "3-PRS", "3-RRS", "3-UPU")
FEW_FREEDOMS = ("3rrr", "delta", "orthoglide")


def moved(robot: Robot, name: str, T: Array) -> dict[str, Array]:
    """Return the outputs of a model at a pose, with some motion and torques."""
    function = model(robot, name)
    inputs = {"T": T, "V": np.full(6, 0.1), "Vd": np.full(6, 0.2), "tau": np.ones(6)}
    return function(**{port.name: inputs[port.name][: port.shape[0]] for port in function.program.inputs})


def all_nan(robot: Robot, T: Array) -> bool:
    return all(np.isnan(x).all() for name in IDS for x in moved(robot, name, T).values())


def test_parallel_legs_have_no_torques() -> None:
    """Vertical legs are a singularity of type 2, where the inertia of the platform is regular."""
    robot = symoro.load("gough_stewart").bind({"RP": "RB", "GP": "GB"})
    T = np.eye(4)
    T[2, 3] = 0.8
    assert np.isnan(moved(robot, "inverse-dynamics", T)["tau"]).all()
    assert np.isnan(moved(robot, "jacobian", T)["J"]).all()
    assert np.isfinite(moved(robot, "jacobian-inverse", T)["Jinv"]).all()
    assert np.isfinite(moved(robot, "direct-dynamics", T)["Vd"]).all()
    # r = 0: the ball in the centre of the universal joint.
    assert all_nan(robot, np.eye(4))


def test_a_platform_turned_by_a_right_angle_has_no_torques() -> None:
    """Fichter's singularity: a symmetric platform rotated by a right angle about the vertical."""
    T = np.eye(4)
    T[:3, :3], T[2, 3] = turned([0, 0, np.pi / 2]), 0.8
    assert np.isnan(moved(symoro.load("gough_stewart"), "inverse-dynamics", T)["tau"]).all()


def test_a_leg_along_the_first_axis_of_its_universal_joint() -> None:
    """At theta2 = 0 the rotation of a leg about itself is undetermined."""
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
    assert all_nan(robot, T)
    T[:3, 3] += [0, 0, 1e-3]
    assert np.isfinite(moved(robot, "inertia-matrix", T)["A"]).all()


def test_a_stretched_elbow() -> None:
    robot = symoro.load("3rrr")
    values = dict(robot.nominal)
    T = np.eye(4)
    T[1, 3] = values["L1"] + values["L2"] - values["RB"] + values["RP"]  # leg 1, at -pi/2, is straight
    assert all_nan(robot, T)


@pytest.mark.parametrize("name", FEW_FREEDOMS)
def test_poses_and_motions_of_a_platform_with_three_freedoms(name: str) -> None:
    """A tilted platform gives NaN; entries of V and Vd that are not coordinates are ignored."""
    robot = symoro.load(name)
    T, free = poses(name, robot, 1, 4)[0], FREEDOMS[name]
    assert np.isfinite(moved(robot, "inertia-matrix", T)["A"]).all()
    given = np.full((2, 6), np.nan)
    given[:, free] = [[0.3, -0.2, 0.4], [1.0, 0.5, -0.7]]
    for id in ("inverse-dynamics", "bias-torques", "direct-dynamics"):
        function = model(robot, id)
        with_nan, without = (
            function(**{p.name: known[p.name] for p in function.program.inputs})
            for v, a in (given, np.nan_to_num(given))
            for known in [{"T": T, "V": v, "Vd": a, "tau": [1.0, 2.0, 3.0]}]
        )
        assert all(np.isfinite(x).all() and np.array_equal(with_nan[n], x) for n, x in without.items())
    T[:3, :3] = turned([0.01, 0, 0]) @ T[:3, :3]
    assert all_nan(robot, T)


@pytest.mark.parametrize("name", RESTRICTED)
def test_poses_and_motions_that_the_legs_do_not_allow(name: str) -> None:
    """Motions without the required parasitic components give NaN; they are not projected."""
    robot, still = robots()[name], np.zeros(6)
    T = poses(name, robot, 1, 5)[0]
    inverse, bias, direct = (
        model(robot, id) for id in ("inverse-dynamics", "bias-torques", "direct-dynamics")
    )
    J = model(robot, "jacobian")(T=T)["J"]
    off = 1e-3 * np.linalg.svd(J)[0][:, 5]  # a twist that is not one of the platform
    for V, Vd in ((J[:, 0] + off, still), (still, J[:, 1] + off)):
        assert np.isnan(inverse(T=T, V=V, Vd=Vd)["tau"]).all()
    assert np.isnan(bias(T=T, V=J[:, 0] + off)["H"]).all()
    assert np.isnan(direct(T=T, V=J[:, 0] + off, tau=np.ones(3))["Vd"]).all()
    kinematics = model(robot, "inverse-kinematics")
    assert np.isnan(kinematics(T=T, V=J[:, 0] + off)["qda"]).all()
    np.testing.assert_allclose(kinematics(T=T, V=J[:, 0])["qda"], [1, 0, 0], atol=1e-9)
    tilted = T.copy()
    tilted[:3, :3] = turned([0.01, 0, 0]) @ T[:3, :3]
    tilted[:3, 3] += 0.01
    assert np.isnan(inverse(T=tilted, V=still, Vd=still)["tau"]).all()
    assert np.isnan(model(robot, "inertia-matrix")(T=tilted)["A"]).all()


@pytest.mark.parametrize("name", ["3-PRS", "3-RRS"])
@pytest.mark.parametrize("tilt", [0, 1e-9, 1e-6])
def test_a_ball_whose_turns_are_singular(name: str, tilt: float) -> None:
    """At the level pose the first and last axes of all ball joints coincide, which has no effect."""
    robot = robots()[name]
    T = in_planes(robot, 0.7, turned([tilt, 0, 0]))
    out = symoro.generate(robot, "inverse-geometry", space="platform").function(compiled=False)(T=T)
    assert (out["status"] == 0).all() and out["residual"].max() < 1e-9
    beside = in_planes(robot, 0.7, turned([1e-4, 1e-4, 0]))
    vectors = []
    for at in (T, beside):
        J = model(robot, "jacobian")(T=at)["J"]
        Vd = model(robot, "direct-dynamics")(T=at, V=J @ [0.1, 0.2, 0.3], tau=np.zeros(3))["Vd"]
        vectors.append(np.concatenate([J.ravel(), Vd, model(robot, "inertia-matrix")(T=at)["A"].ravel()]))
    np.testing.assert_allclose(*vectors, atol=2e-2)


def test_nan_in_nan_out() -> None:
    T = np.eye(4)
    T[2, 3] = np.nan
    for name in LIBRARY:
        assert np.isnan(moved(symoro.load(name), "inverse-dynamics", T)["tau"]).all()
