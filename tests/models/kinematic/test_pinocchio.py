"""Jacobians, velocities, accelerations and Jdot qdot of imported URDFs against Pinocchio.

Frame j of the import and Pinocchio's joint frame differ by a constant transform, which is determined at q = 0.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.program.interpret import interpret
from symoro.robot.coordinates import independent
from symoro.robot.description import Robot
from tests.robot.urdf.examples import example_robots, whole_robots

ROBOTS = example_robots()
pin = pytest.importorskip("pinocchio")
pytestmark = pytest.mark.skipif(not ROBOTS, reason="example-robot-data is not installed")

MOST_JOINTS = 40  # in the default run; the larger ones are in the slow one
TOLERANCE = 1e-9


class PinocchioModel:
    """URDF in Pinocchio, driven by the coordinates of the imported robot."""

    def __init__(self, path: Path, robot: Robot) -> None:
        self.model = pin.buildModelFromUrdf(str(path))
        self.data = self.model.createData()
        self.robot = robot

    def tree(self, values: np.ndarray, *, offset: bool) -> dict[str, float]:
        """Return position or rate of every moving joint by name, with couplings resolved."""
        own = dict(zip(independent(self.robot), values, strict=True))
        results = {}
        for j, frame in enumerate(self.robot.frames, 1):
            if frame.moving and frame.coupling is None:
                results[frame.name] = own[j]
            elif frame.coupling is not None:
                total = sum(ratio.number * own[i] for i, ratio in frame.coupling.terms)
                results[frame.name] = total + (frame.coupling.offset.number if offset else 0.0)
        return results

    def state(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> tuple[np.ndarray, ...]:
        position = pin.neutral(self.model)
        rates = [np.zeros(self.model.nv), np.zeros(self.model.nv)]
        for name, value in self.tree(q, offset=True).items():
            joint = self.model.getJointId(name)
            at = self.model.idx_qs[joint]
            entries = [value] if self.model.nqs[joint] == 1 else [np.cos(value), np.sin(value)]
            position[at : at + len(entries)] = entries
        for rate, values in zip(rates, (qd, qdd), strict=True):
            for name, value in self.tree(values, offset=False).items():
                rate[self.model.idx_vs[self.model.getJointId(name)]] = value
        return position, *rates


def _run(robot: Robot, model: str, inputs: dict[str, Any], **options: Any) -> dict[str, np.ndarray]:
    program = symoro.generate(robot, model, **options).program
    return interpret(program, inputs, dict(robot.nominal))


def _check(name: str) -> None:
    path = ROBOTS[name]
    robot = symoro.load(path, exact=True)
    pinocchio_model = PinocchioModel(path, robot)
    own = independent(robot)
    if not own:
        assert pinocchio_model.model.nv == 0
        return
    rng = np.random.default_rng(len(name))
    q, qd, qdd = (rng.uniform(-1, 1, len(own)) for _ in range(3))
    last = own[-1]
    joint = pinocchio_model.model.getJointId(robot.frame(last).name)
    zero = np.zeros_like(q)
    pin.forwardKinematics(
        pinocchio_model.model, pinocchio_model.data, *pinocchio_model.state(zero, zero, zero)
    )
    at_zero = _run(robot, "fast-geometry", {"q": zero}, frm=0, to=last)["T"]
    on_joint = pinocchio_model.data.oMi[joint].inverse() * pin.SE3(at_zero)
    state = pinocchio_model.state(q, qd, qdd)
    pin.forwardKinematics(pinocchio_model.model, pinocchio_model.data, *state)
    placed = pinocchio_model.data.oMi[joint] * on_joint
    T = _run(robot, "fast-geometry", {"q": q}, frm=0, to=last)["T"]
    _close(T, placed.homogeneous)
    twist = on_joint.actInv(pinocchio_model.data.v[joint])
    spatial = on_joint.actInv(pinocchio_model.data.a[joint])
    motion = _run(robot, "accelerations", {"q": q, "qd": qd, "qdd": qdd})
    classical = spatial.linear + np.cross(twist.angular, twist.linear)
    for key, wanted in (
        ("v", twist.linear),
        ("w", twist.angular),
        ("vd", classical),
        ("wd", spatial.angular),
    ):
        _close(motion[key][last - 1], wanted)
    _check_jacobian(robot, pinocchio_model, last, joint, on_joint, q, qd, T[:3, :3])


def _check_jacobian(
    robot: Robot,
    pinocchio_model: PinocchioModel,
    last: int,
    joint: int,
    on_joint: Any,
    q: np.ndarray,
    qd: np.ndarray,
    R: np.ndarray,
) -> None:
    zero = np.zeros_like(q)
    position, velocity, _ = pinocchio_model.state(q, qd, zero)
    pin.computeJointJacobians(pinocchio_model.model, pinocchio_model.data, position)
    local = on_joint.actionInverse @ pin.getJointJacobian(
        pinocchio_model.model, pinocchio_model.data, joint, pin.ReferenceFrame.LOCAL
    )
    columns = []
    for unit in np.eye(len(q)):
        columns.append(local @ pinocchio_model.state(q, unit, zero)[1])
    turned = np.kron(np.eye(2), R) @ np.array(columns).T
    _close(_run(robot, "jacobian", {"q": q}, to=last, frame=0)["J"], turned)
    pin.forwardKinematics(
        pinocchio_model.model, pinocchio_model.data, position, velocity, np.zeros(pinocchio_model.model.nv)
    )
    twist = on_joint.actInv(pinocchio_model.data.v[joint])
    spatial = on_joint.actInv(pinocchio_model.data.a[joint])
    wanted = np.r_[R @ (spatial.linear + np.cross(twist.angular, twist.linear)), R @ spatial.angular]
    _close(_run(robot, "jdot-qdot", {"q": q, "qd": qd}, to=last, frame=0)["a"], wanted)


def _close(actual: np.ndarray, wanted: np.ndarray) -> None:
    scale = max(1.0, float(np.abs(wanted).max()))
    assert float(np.abs(actual - wanted).max()) <= TOLERANCE * scale


def _joints(name: str) -> int:
    return ROBOTS[name].read_text(errors="replace").count("<joint")


@pytest.mark.parametrize("name", [n for n in whole_robots() if _joints(n) <= MOST_JOINTS])
def test_motion_is_pinocchio_s(name: str) -> None:
    _check(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in whole_robots() if _joints(n) > MOST_JOINTS])
def test_motion_of_large_robots_is_pinocchio_s(name: str) -> None:
    _check(name)
