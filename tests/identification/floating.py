"""Logs of floating robots whose parameters are known: torques and contact forces from Pinocchio's free flyer.

Any motion of the base and of the joints is possible if wrenches at the contacts support it: the wrenches of least norm
whose generalised forces on the base are those of the motion. The torques are what they leave to the joints.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import symoro
from symoro.identification.contacts import Contact
from symoro.identification.log import Log
from symoro.robot.formats.urdf import read_urdf
from tests.identification.truth import base_values

Array = NDArray[np.float64]
LINK = """
<link name="{name}"><inertial><origin xyz="{com}"/><mass value="{mass}"/>
<inertia ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="{xy}" ixz="{xz}" iyz="{yz}"/></inertial></link>"""
JOINT = """
<joint name="{name}" type="{type}"><parent link="{parent}"/><child link="{child}"/>
<origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="{axis}"/>{limit}</joint>"""
LIMIT = '<limit lower="-3" upper="3" effort="1e6" velocity="1e6"/>'


def _link(name: str, mass: float, com: str, size: float) -> str:
    inertia = [mass * size**2 * x for x in (1.0, 0.8, 0.5, 0.05, -0.04, 0.03)]
    names = ("xx", "yy", "zz", "xy", "xz", "yz")
    return LINK.format(name=name, mass=mass, com=com, **dict(zip(names, inertia, strict=True)))


def urdf_of(joints: str, legs: Sequence[str] = ("0.1 0.05 -0.1",)) -> str:
    """Return a URDF with a body and equal legs.

    Args:
        joints: types of the joints of each leg, as 'RRR' or 'RP'.
        legs: position of each hip on the body.
    """
    parts = [_link("body", 8.0, "0.02 -0.01 0.03", 0.2)]
    for leg, hip in enumerate(legs):
        parent, xyz = "body", hip
        for k, kind in enumerate(joints):
            name = f"leg{leg}_{k}"
            parts.append(_link(name, 1.5 - 0.3 * k, "0.03 0.02 -0.1", 0.12))
            parts.append(
                JOINT.format(
                    name=f"joint{leg}_{k}",
                    type="revolute" if kind == "R" else "prismatic",
                    parent=parent,
                    child=name,
                    xyz=xyz,
                    rpy="0 0 0" if k else "0 0.2 0.1",
                    axis=("1 0 0", "0 1 0", "0 1 0.2")[k % 3] if kind == "R" else "0 0 1",
                    limit=LIMIT,
                )
            )
            parent, xyz = name, "0.02 0 -0.25"
        parts.append(f'<link name="foot{leg}"/>')
        fixed = {"name": f"ankle{leg}", "type": "fixed", "parent": parent, "child": f"foot{leg}"}
        parts.append(JOINT.format(**fixed, xyz="0 0.01 -0.2", rpy="0.3 0 0.4", axis="1 0 0", limit=""))
    return f'<robot name="walker">{"".join(parts)}</robot>'


def body_motion(t: float) -> tuple[Array, Array]:
    """Return the position of the body, and its rotation vector-like angles (roll, pitch, yaw)."""
    place = np.array([0.15 * np.sin(5 * t), 0.1 * np.sin(7 * t + 1), 0.5 + 0.08 * np.sin(6 * t + 2)])
    return place, np.array(
        [0.3 * np.sin(4 * t + 0.5), 0.35 * np.sin(5.5 * t + 1.5), 0.6 * np.sin(3 * t) + 0.3 * np.sin(8 * t)]
    )


def _slope(f: Callable[[float], Array], t: float, h: float = 1e-3) -> Array:
    """Return the derivative of a smooth function, with an error of about h^6."""
    return sum(
        c * (f(t + k * h) - f(t - k * h)) for k, c in ((1, 0.75), (2, -0.15), (3, 1 / 60))
    ) / np.float64(h)


@dataclass(frozen=True)
class FloatingTruth:
    """A motion without noise, with the contact wrenches and the base parameters.

    Attributes:
        base: every quantity of the base.
        wrenches: wrench of each contact on the robot (N, C, 6), in the axes of the contact frames.
        world: the forces of the contacts in the axes of the world (N, C, 3).
    """

    robot: symoro.Robot
    rate: float
    q: Array
    tau: Array
    base: dict[str, Array]
    wrenches: Array
    world: Array
    feet: tuple[str, ...]
    components: int
    K: dict[str, float]
    mass: float

    def log(
        self,
        rng: np.random.Generator | None = None,
        *,
        torque: float = 0.0,
        force: float = 0.0,
        torques: bool = True,
        base: Sequence[str] = ("orientation", "angular_velocity", "specific_force"),
        contacts: Sequence[Contact] = (),
        axes: str = "frame",
        sign: float = 1.0,
        **more: Any,
    ) -> Log:
        """Return a log with normal noise of these deviations (N m and N)."""
        chance = rng or np.random.default_rng(0)
        measured = self.wrenches[:, :, : self.components] if axes == "frame" else self.world
        noisy = sign * (measured + force * chance.standard_normal(measured.shape))
        tau = self.tau + torque * chance.standard_normal(self.tau.shape)
        points = contacts or [Contact(foot, axes=axes) for foot in self.feet]
        given = {"rate": self.rate} | more
        return Log.from_arrays(
            q=self.q,
            tau=tau if torques else None,
            base={name: self.base[name] for name in base},
            contacts={contact: noisy[:, k] for k, contact in enumerate(points)},
            **given,
        )


@cache
def walker(
    joints: str = "RRR",
    legs: tuple[str, ...] = ("0.1 0.05 -0.1",),
    components: int = 6,
    samples: int = 1200,
    rate: float = 200.0,
) -> FloatingTruth:
    """Return the motion of a body with legs.

    Args:
        joints, legs: see `urdf_of`.
        components: 3 for forces at the feet, 6 for wrenches.
        samples, rate: number of samples, and samples per second.
    """
    text = urdf_of(joints, legs)
    pin = pytest.importorskip("pinocchio")
    robot = read_urdf(text, "walker.urdf").floating()
    return moved(robot, pin.buildModelFromXML(text, pin.JointModelFreeFlyer()), components, samples, rate)


def moved(
    robot: symoro.Robot,
    model: Any,
    components: int,
    samples: int,
    rate: float,
    feet: Sequence[str] = (),
) -> FloatingTruth:
    """Return a motion of a robot on a floating base.

    Args:
        robot: the robot.
        model: Pinocchio's model of the same robot.
        components: 3 for forces at the feet, 6 for wrenches.
        samples, rate: number of samples, and samples per second.
        feet: names of the links in contact; by default those whose name starts with 'foot'.
    """
    import pinocchio as pin

    data = model.createData()
    moving = [j for j, frame in enumerate(robot.frames, 1) if frame.moving]
    ids = [model.getJointId(robot.frame(j).name) for j in moving]
    rows = [*range(6), *(model.idx_vs[i] for i in ids)]
    points = list(feet) or sorted(frame.name for frame in model.frames if frame.name.startswith("foot"))
    points = list(dict.fromkeys(points))
    numbers = [model.getFrameId(name) for name in points]
    rng = np.random.default_rng(3)
    n = len(moving)
    w = 2 * np.pi * rng.uniform(0.4, 1.6, (n, 3))
    amplitude, phase = rng.uniform(0.1, 0.3, (n, 3)), rng.uniform(0, 6, (n, 3))
    model.gravity.linear = np.array([g.value(dict(robot.nominal)) for g in robot.base.G])

    def joints(t: float) -> Array:
        return np.asarray((amplitude * np.sin(w * t + phase)).sum(1))

    def rotation(t: float) -> Array:
        return np.asarray(pin.rpy.rpyToMatrix(*body_motion(t)[1]))

    def angular(t: float) -> Array:
        skew = rotation(t).T @ _slope(rotation, t)
        return np.array([skew[2, 1], skew[0, 2], skew[1, 0]])

    def velocity(t: float) -> Array:
        return _slope(lambda x: body_motion(x)[0], t)

    columns: dict[str, list[Array]] = {}
    for t in np.arange(samples) / rate:
        R, omega, rate_of = rotation(t), angular(t), _slope(angular, t)
        v, a = R.T @ velocity(t), R.T @ _slope(velocity, t)
        q, qd, qdd = joints(t), _slope(joints, t), _slope(lambda x: _slope(joints, x), t)
        place = pin.neutral(model)
        place[:3], place[3:7] = body_motion(t)[0], pin.Quaternion(R).coeffs()
        full, rates, accelerations = (np.zeros(model.nv) for _ in range(3))
        for k, i in enumerate(ids):
            place[model.idx_qs[i]] = q[k]
        rates[rows] = np.r_[v, omega, qd]
        accelerations[rows] = np.r_[a - np.cross(omega, v), rate_of, qdd]
        full = pin.rnea(model, data, place, rates, accelerations)[rows]
        pin.computeJointJacobians(model, data, place)
        pin.updateFramePlacements(model, data)
        J = np.vstack([pin.getFrameJacobian(model, data, i, pin.LOCAL)[:components, rows] for i in numbers])
        wrench = np.linalg.pinv(J[:, :6].T) @ full[:6]
        wrenches = np.zeros((len(points), 6))
        wrenches[:, :components] = wrench.reshape(len(points), components)
        x, y, z, scalar = pin.Quaternion(R).coeffs()
        samples_now = {
            "q": q,
            "tau": full[6:] - J[:, 6:].T @ wrench,
            "wrenches": wrenches,
            "world": np.array([data.oMf[i].rotation @ f[:3] for i, f in zip(numbers, wrenches, strict=True)]),
            "orientation": np.array([scalar, x, y, z]),
            "angular_velocity": omega,
            "specific_force": a - R.T @ model.gravity.linear,
            "acceleration": a,
            "velocity": v,
            "position": body_motion(t)[0],
        }
        for name, x in samples_now.items():
            columns.setdefault(name, []).append(np.asarray(x))
    arrays = {name: np.array(values) for name, values in columns.items()}
    mass = sum(inertia.mass for inertia in model.inertias)
    names = ("orientation", "angular_velocity", "specific_force", "acceleration", "velocity", "position")
    base = {name: arrays[name] for name in names}
    return FloatingTruth(
        robot,
        rate,
        arrays["q"],
        arrays["tau"],
        base,
        arrays["wrenches"],
        arrays["world"],
        tuple(points),
        components,
        base_values(robot),
        float(mass),
    )
