"""Numerical kinematic chain with geometric errors: pose of the end effector and its derivatives.

The derivatives are those with respect to the geometric parameters. Arrays have one row per configuration. The formula
is that of `columns`. It is exact for errors of any size, because the displacements D0 and DE contain the exact rotation
of a rotation vector.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from symoro.errors import ArgumentError
from symoro.models.calibration.columns import BASE, DISPLACEMENT, END, GeometricColumn, MeasuredPath
from symoro.models.numeric.fixed_point import Array
from symoro.models.numeric.rotation import exponential, hat
from symoro.robot.coordinates import followers, independent
from symoro.robot.description import GEOMETRIC, JointType
from symoro.robot.size import characteristic_length, joint_units

Errors = Mapping[str, float]


@dataclass(frozen=True)
class ChainFrame:
    """Numerical geometric parameters of one frame of a kinematic chain.

    Attributes:
        j: frame number.
        sigma: joint type.
        gamma, b, alpha, d, theta, r: geometric parameters of Khalil and Kleinfinger, in rad and m.
        ratios, offset: the position of joint j is `ratios @ q + offset`.
    """

    j: int
    sigma: JointType
    gamma: float
    b: float
    alpha: float
    d: float
    theta: float
    r: float
    ratios: Array
    offset: float


@dataclass(frozen=True)
class NumericChain:
    """Numerical geometry of the chain from the base to the measured frame.

    Attributes:
        start: (4, 4) pose of frame 0 in the world.
        frames: frames of the chain, from the base outward.
        coordinates: numbers of the independent joints, in the order of q.
        length: characteristic length of the robot (m).
        units: unit of each coordinate: 1 (rad) for revolute joints, `length` for prismatic joints.
    """

    start: Array
    frames: tuple[ChainFrame, ...]
    coordinates: tuple[int, ...]
    length: float
    units: Array


def numeric_chain(path: MeasuredPath) -> NumericChain:
    """Return the geometry of the chain to the measured frame, with the nominal values of symbols.

    Args:
        path: path to the measured frame.

    Raises:
        ArgumentError: a symbol of the geometry has no value.
    """
    robot = path.robot
    known = dict(robot.nominal)
    own = tuple(independent(robot))
    laws = followers(robot)
    needed = {name for f in robot.base.Z for name in f.symbols}
    for j in path.frames:
        needed |= {name for field in GEOMETRIC for name in getattr(robot.frame(j), field).symbols}
        if j in laws:
            needed |= laws[j].offset.symbols | {n for _, ratio in laws[j].terms for n in ratio.symbols}
    if missing := sorted(needed - known.keys()):
        raise ArgumentError(
            f"these symbols have no value: {', '.join(missing)}",
            hint="give the symbols nominal values in the robot description, or replace them by numbers",
        )
    frames = []
    for j in path.frames:
        frame, ratios, offset = robot.frame(j), np.zeros(len(own)), 0.0
        if j in laws:
            offset = laws[j].offset.value(known)
            for i, ratio in laws[j].terms:
                ratios[own.index(i)] += ratio.value(known)
        elif j in own:
            ratios[own.index(j)] = 1.0
        numbers = {name: getattr(frame, name).value(known) for name in GEOMETRIC}
        frames.append(ChainFrame(j, frame.sigma, **numbers, ratios=ratios, offset=offset))
    start = np.array([f.value(known) for f in robot.base.Z]).reshape(4, 4)
    length = characteristic_length(robot, known)
    return NumericChain(start, tuple(frames), own, length, np.array(joint_units(robot, own, length)))


def end_poses(chain: NumericChain, q: Array, errors: Errors) -> Array:
    """Return the poses wTe (S, 4, 4) of the end effector in the world.

    Args:
        q: (S, n) positions of the independent joints at S configurations.
        errors: errors of the geometric parameters, by name (such as 'alpha3'); missing ones are zero.
    """
    return _walked(chain, q, errors)[0]


def error_columns(
    chain: NumericChain, q: Array, errors: Errors, columns: Sequence[GeometricColumn]
) -> tuple[Array, Array]:
    """Return the end-effector poses and their derivatives with respect to geometric parameters.

    Args:
        q: (S, n) positions of the independent joints at S configurations.
        errors: errors of the geometric parameters, by name (such as 'alpha3'); missing ones are zero.
        columns: P parameters.

    Returns:
        The poses wTe (S, 4, 4), and the twists (S, 6, P) of the end effector per unit of each parameter: linear, then
        angular, in world axes.
    """
    pose, axes = _walked(chain, q, errors)
    end = pose[:, :3, 3]
    moved = np.zeros((len(q), 6, len(columns)))
    for k, column in enumerate(columns):
        turns, frame, direction, size = axes[column.name]
        axis = frame[:, :3, :3] @ direction
        if turns:
            moved[:, :3, k] = np.cross(axis, end - frame[:, :3, 3]) * size[:, None]
            moved[:, 3:, k] = axis * size[:, None]
        else:
            moved[:, :3, k] = axis * size[:, None]
    return pose, moved


def displacement(delta: Array) -> Array:
    """Return the transform (4, 4) of a displacement: translation delta[:3], rotation vector delta[3:]."""
    transform = np.eye(4)
    transform[:3, 3] = delta[:3]
    transform[:3, :3] = exponential(delta[3:])
    return transform


# whether it is a rotation, its frame, its direction in this frame, its magnitude
Axis = tuple[bool, Array, Array, Array]
X, Y, Z = range(3)
UNITS = np.eye(3)
CROSSES = hat(UNITS)


def _walked(chain: NumericChain, q: Array, errors: Errors) -> tuple[Array, dict[str, Axis]]:
    one = np.ones(len(q))
    at = np.repeat(chain.start[None], len(q), 0)
    axes: dict[str, Axis] = {}

    def displaced(name: str) -> None:
        nonlocal at
        delta = np.array([errors.get(kind + name, 0.0) for kind in DISPLACEMENT])
        moved = at @ displacement(np.array([*delta[:3], 0.0, 0.0, 0.0]))
        for k, kind in enumerate(DISPLACEMENT[:3]):
            axes[kind + name] = False, at, np.eye(3)[k], one
        for k, kind in enumerate(DISPLACEMENT[3:]):
            # Derivative with respect to a rotation vector: left Jacobian, in the axes before the rotation.
            axes[kind + name] = True, moved, _left_jacobian(delta[3:])[:, k], one
        at = at @ displacement(delta)

    def step(name: str, axis: int, angle: Array, along: Array, turns: bool, size: Array) -> None:
        nonlocal at
        axes[name] = turns, at, UNITS[axis], size
        at = at @ _screw(axis, angle, along)

    displaced(BASE)
    for f in chain.frames:
        reading = q @ f.ratios + f.offset
        moved = reading * (1 + errors.get(f"k{f.j}", 0.0))
        value = {n: getattr(f, n) + errors.get(f"{n}{f.j}", 0.0) for n in GEOMETRIC}
        theta = value["theta"] + (moved if f.sigma == JointType.REVOLUTE else 0.0)
        r = value["r"] + (moved if f.sigma == JointType.PRISMATIC else 0.0)
        step(f"gamma{f.j}", Z, value["gamma"] * one, 0 * one, True, one)
        step(f"b{f.j}", Z, 0 * one, value["b"] * one, False, one)
        step(f"beta{f.j}", Y, errors.get(f"beta{f.j}", 0.0) * one, 0 * one, True, one)
        step(f"alpha{f.j}", X, value["alpha"] * one, 0 * one, True, one)
        step(f"d{f.j}", X, 0 * one, value["d"] * one, False, one)
        step(f"theta{f.j}", Z, theta * one, 0 * one, True, one)
        step(f"r{f.j}", Z, 0 * one, r * one, False, one)
        axes[f"k{f.j}"] = f.sigma == JointType.REVOLUTE, at, UNITS[Z], reading
    displaced(END)
    return at, axes


def _screw(axis: int, angle: Array, along: Array) -> Array:
    """Return the transforms (S, 4, 4) of screw motions about a coordinate axis.

    Args:
        axis: index of the axis: 0 (x), 1 (y) or 2 (z).
        angle: (S,) rotations about the axis, in rad.
        along: (S,) translations along the axis, in m.
    """
    transforms = np.zeros((len(angle), 4, 4))
    s, c = np.sin(angle)[:, None, None], np.cos(angle)[:, None, None]
    outer = np.diag(UNITS[axis])
    transforms[:, :3, :3] = outer + c * (UNITS - outer) + s * CROSSES[axis]
    transforms[:, axis, 3] = along
    transforms[:, 3, 3] = 1
    return transforms


def _left_jacobian(v: Array) -> Array:
    """Return the left Jacobian J (3, 3) of a rotation vector v: dR = hat(J dv) R with R = exp(v)."""
    angle = float(np.linalg.norm(v))
    a, b = 1 / 2, 1 / 6
    if angle >= 1e-4:
        a, b = (1 - np.cos(angle)) / angle**2, (angle - np.sin(angle)) / angle**3
    jacobian: Array = np.eye(3) + a * hat(v) + b * hat(v) @ hat(v)
    return jacobian
