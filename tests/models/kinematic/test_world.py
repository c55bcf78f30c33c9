"""Poses and Jacobians of robots on a floating base in the world: finite differences, and Pinocchio on ANYmal."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symoro
from symoro.errors import NotApplicableError
from symoro.expr.formula import formula
from symoro.robot.description import Frame, JointType, Link, Robot
from tests.oracle.floating import rotation
from tests.robot.urdf.examples import example_robots

ANYMAL = "anymal_b_simple_description/robots/anymal.urdf"
STEP = 1e-5  # of central differences, whose error is about the square of it


def random_robot(seed: int) -> Robot:
    """Return a tree of six links with revolute and prismatic joints, on a floating base."""
    rng = np.random.default_rng(seed)
    frames = []
    for j in range(6):
        geometry = dict(zip(("gamma", "b", "alpha", "d", "r"), rng.uniform(-1, 1, 5).tolist(), strict=True))
        kind = JointType.PRISMATIC if rng.uniform() < 0.3 else JointType.REVOLUTE
        if kind == JointType.PRISMATIC:
            geometry["theta"] = geometry.pop("r")
        ant = j if j != 3 else 1  # a branch
        fields: dict[str, Any] = {name: formula(x) for name, x in geometry.items()}
        frames.append(Frame(ant, kind, **fields))
    return Robot("random", tuple(frames), (Link(),) * 6).floating()


def exp(w: Any) -> Any:
    """Return the rotation of a small rotation vector, by its series."""
    hat = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    return np.eye(3) + hat + hat @ hat / 2 + hat @ hat @ hat / 6


def moved(at: dict[str, Any], V0: Any, qd: Any, time: float) -> dict[str, Any]:
    """Return position and rotation of the base and the joints after a short time at constant velocities."""
    return {
        "q": at["q"] + time * qd,
        "P0": at["P0"] + at["R0"] @ V0[:3] * time,
        "R0": at["R0"] @ exp(V0[3:] * time),
    }


@pytest.mark.parametrize("seed", range(6))
def test_the_jacobian_is_the_derivative_of_the_pose_in_the_world(seed: int) -> None:
    robot = random_robot(seed)
    rng = np.random.default_rng(100 + seed)
    for to in (6, 3, 0):
        pose = symoro.generate(robot, "fast-geometry", frm="world", to=to)
        assert pose.inputs == {"q": (6,), "P0": (3,), "R0": (3, 3)}
        jacobian = symoro.generate(robot, "jacobian", frame="world", to=to)
        assert jacobian.inputs == {"q": (6,), "R0": (3, 3)} and jacobian.outputs == {"J": (6, 12)}
        T, J = pose.function(compiled=False), jacobian.function(compiled=False)
        at = {"q": rng.uniform(-1, 1, 6), "P0": rng.uniform(-1, 1, 3), "R0": rotation(rng)}
        V0, qd = rng.uniform(-1, 1, 6), rng.uniform(-1, 1, 6)
        before, after = (T(**moved(at, V0, qd, sign * STEP))["T"] for sign in (-1, 1))
        rate = (after - before) / (2 * STEP)
        turn = rate[:3, :3] @ T(**at)["T"][:3, :3].T
        twist = np.r_[rate[:3, 3], turn[2, 1], turn[0, 2], turn[1, 0]]
        assert np.abs(J(q=at["q"], R0=at["R0"])["J"] @ np.r_[V0, qd] - twist).max() < 1e-8


@pytest.mark.parametrize("seed", range(3))
def test_transforms_with_the_world_are_those_of_frame_0_after_the_base(seed: int) -> None:
    robot = random_robot(seed)
    rng = np.random.default_rng(200 + seed)
    at = {"q": rng.uniform(-1, 1, 6), "P0": rng.uniform(-1, 1, 3), "R0": rotation(rng)}
    base = np.eye(4)
    base[:3, :3], base[:3, 3] = at["R0"], at["P0"]
    relative = symoro.generate(robot, "transform", to=6).function(compiled=False)(q=at["q"])["T"]
    for model in ("transform", "fast-geometry"):
        out = symoro.generate(robot, model, frm="world", to=6).function(compiled=False)(**at)["T"]
        back = symoro.generate(robot, model, frm=6, to="world").function(compiled=False)(**at)["T"]
        assert np.abs(out - base @ relative).max() < 1e-12
        assert np.abs(back @ out - np.eye(4)).max() < 1e-12
        same = symoro.generate(robot, model, frm="world", to="world")
        assert np.array_equal(same.function(compiled=False)(q=at["q"])["T"], np.eye(4))


def test_the_factors_and_the_drift_are_in_the_axes_of_the_world() -> None:
    robot = random_robot(1)
    rng = np.random.default_rng(7)
    at = {name: rng.uniform(-1, 1, 6) for name in ("q", "qd", "V0")} | {"R0": rotation(rng)}
    turn = np.kron(np.eye(2), at["R0"])
    parts = symoro.generate(robot, "jacobian", frame="world", mid=5).function(compiled=False)(
        q=at["q"], R0=at["R0"]
    )
    assert np.abs(parts["J1"] @ parts["J2"] @ parts["J3"] - parts["J"]).max() < 1e-12
    inner = symoro.generate(robot, "jacobian").function(compiled=False)(q=at["q"])["J"]
    assert np.abs(parts["J"] - turn @ inner).max() < 1e-12
    drift = symoro.generate(robot, "jdot-qdot", frame="world").function(compiled=False)(**at)["a"]
    own = {name: at[name] for name in ("q", "qd", "V0")}
    assert (
        np.abs(drift - turn @ symoro.generate(robot, "jdot-qdot").function(compiled=False)(**own)["a"]).max()
        < 1e-12
    )


def test_closed_loops_on_a_floating_base() -> None:
    robot = symoro.load("sr400").floating()
    rng = np.random.default_rng(3)
    R0, q = rotation(rng), np.array([0.1, 0.2, 0, 0.3, 0.4, 0.5, 0.6, 0])
    q[2], q[7] = q[6] - q[1] - np.pi / 2, q[1] - q[6]
    world = symoro.generate(robot, "jacobian", frame="world")
    assert world.inputs == {"q": (8,), "R0": (3, 3)}
    J = world.function(compiled=False)(q=q, R0=R0)["J"]
    inner = symoro.generate(robot, "jacobian").function(compiled=False)(q=q)["J"]
    assert np.abs(J - np.kron(np.eye(2), R0) @ inner).max() < 1e-12


def test_the_world_of_other_bases() -> None:
    """On a fixed base the pose Z is part of the description; a wheeled base has no pose among the inputs."""
    assert symoro.generate("rx90", "jacobian", frame="world").inputs == {"q": (6,)}
    assert symoro.generate("rx90", "fast-geometry", frm="world").inputs == {"q": (6,)}
    for model, option in (("jacobian", "frame"), ("fast-geometry", "frm"), ("jdot-qdot", "frame")):
        with pytest.raises(NotApplicableError, match="wheeled base"):
            symoro.generate("mobile_manipulator", model, **{option: "world"})
    with pytest.raises(NotApplicableError, match="floating base"):
        symoro.generate(symoro.load("rx90").floating(), "jacobian-inverse", frame="world")


def test_anymal_against_pinocchio() -> None:
    pin = pytest.importorskip("pinocchio")
    if not any(str(path).endswith(ANYMAL) for path in example_robots().values()):
        pytest.skip("example-robot-data is not installed")
    from tests.models.dynamic.floating.test_pinocchio import FreeFlyer

    flyer = FreeFlyer(ANYMAL)
    robot, data, at = flyer.robot, flyer.data, flyer.at
    for j in flyer.moving[2::3]:
        i = flyer.ids[flyer.moving.index(j)]
        T = symoro.generate(robot, "fast-geometry", frm="world", to=j).function(compiled=False)
        J = symoro.generate(robot, "jacobian", frame="world", to=j).function(compiled=False)
        here = T(q=at["q"], P0=at["P0"], R0=at["R0"])["T"]
        pin.computeJointJacobians(flyer.model, data, flyer.q)
        place = data.oMi[i]
        jacobian = pin.getJointJacobian(flyer.model, data, i, pin.LOCAL_WORLD_ALIGNED)[:, flyer.rows]
        arm = here[:3, 3] - place.translation
        jacobian[:3] -= np.cross(arm, jacobian[3:].T).T
        assert np.abs(J(q=at["q"], R0=at["R0"])["J"] - jacobian).max() < 1e-12
        # The frames of link j differ from Pinocchio's by a constant transform.
        fixed = np.linalg.inv(place.homogeneous) @ here
        pin.forwardKinematics(flyer.model, data, pin.neutral(flyer.model))
        rest = T(q=0 * at["q"], P0=np.zeros(3), R0=np.eye(3))["T"]
        assert np.abs(np.linalg.inv(data.oMi[i].homogeneous) @ rest - fixed).max() < 1e-9
