"""Closed loops as numbers: assembling them, and walking on one branch of assembly.

A loop closes when its frames k and k + B coincide. The unknowns are the positions of the opened joint k and of
passive joints; Newton's method (least squares, as planar loops have dependent equations) finds them from a posture
nearby. Other postures of the same branch are reached in small steps of the independent coordinates, so that a walk
never jumps to another assembly (a parallelogram can also close crossed).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from symoro.errors import NotApplicableError, OptionError
from symoro.models.identification.base_numeric import Array, Geometry, placed, still
from symoro.robot.description import JointType
from symoro.robot.topology import Loop, loops, moving_joints

CLOSED = 1e-11
_STEPS = 24
_WORST = 1e-3  # smallest singular value of the dependent columns, relative: nearer to a singularity is left out


@dataclass(frozen=True)
class Assembly:
    """An assembled posture, with the coordinates split into independent and dependent ones (positions in q)."""

    q: Array
    free: list[int]
    bound: list[int]


def closure_error(geometry: Geometry, q: Array) -> Array:
    """By how much the loops are open: twelve entries a loop, the differences of the two frames."""
    rotation, position = placed(geometry, still(q, q))
    parts = []
    for loop in loops(geometry.robot):
        parts.append(position[loop.left] - position[loop.right])
        parts.append((rotation[loop.left] - rotation[loop.right]).reshape(len(q), 9))
    return np.concatenate(parts, 1)


def closure_jacobian(geometry: Geometry, q: Array) -> Array:
    """Derivative of the error by the coordinates."""
    rotation, position = placed(geometry, still(q, q))
    robot = geometry.robot
    found = []
    for loop in loops(robot):
        block = np.zeros((len(q), 12, robot.NF))
        for end, sign, members in _sides(loop):
            for j in members:
                frame = robot.frame(j)
                axis = rotation[j][:, :, 2]
                if frame.sigma == JointType.PRISMATIC:
                    block[:, :3, j - 1] = sign * axis
                elif frame.sigma == JointType.REVOLUTE:
                    block[:, :3, j - 1] = sign * np.cross(axis, position[end] - position[j])
                    turned = np.cross(axis[:, :, None], rotation[end], axisa=1, axisb=1, axisc=1)
                    block[:, 3:, j - 1] = sign * turned.reshape(len(q), 9)
        found.append(block @ geometry.ratios)
    return np.concatenate(found, 1)


def _sides(loop: Loop) -> tuple[tuple[int, int, Sequence[int]], ...]:
    return (loop.left, 1, loop.left_chain), (loop.right, -1, loop.right_chain)


def closed(geometry: Geometry, q: Array, unknown: Sequence[int], rounds: int = 60) -> tuple[Array, Array]:
    """Newton's method on many samples at once; returns them, and which closed."""
    q = q.copy()
    columns = list(unknown)
    for _ in range(rounds):
        error = closure_error(geometry, q)
        if np.abs(error).max() < CLOSED:
            break
        jacobian = closure_jacobian(geometry, q)[:, :, columns]
        step = np.linalg.pinv(jacobian, rcond=1e-7) @ error[:, :, None]
        q[:, columns] -= np.clip(step[:, :, 0], -0.4, 0.4)
    return q, np.abs(closure_error(geometry, q)).max(1) < 1e-9


def assembled(geometry: Geometry, starts: Array) -> list[Assembly]:
    """The postures that the starts close to, active joints held where they were if that can be."""
    robot = geometry.robot
    passive = [k for k, j in enumerate(geometry.coordinates) if not robot.frame(j).mu]
    q, good = closed(geometry, starts, passive)
    if not good.any():
        q, good = closed(geometry, starts, range(len(geometry.coordinates)), rounds=200)
    return [Assembly(x, *_split(geometry, x)) for x in q[good]]


def _split(geometry: Geometry, q: Array) -> tuple[list[int], list[int]]:
    """Independent and dependent coordinates: opened joints and passive ones depend first."""
    robot = geometry.robot
    jacobian = closure_jacobian(geometry, q[None])[0]
    order = sorted(
        range(len(q)),
        key=lambda k: (robot.frame(geometry.coordinates[k]).mu, -geometry.coordinates[k]),
    )
    basis = np.zeros((len(jacobian), 0))
    bound = []
    for k in order:
        u = jacobian[:, k] - basis @ (basis.T @ jacobian[:, k])
        size = np.linalg.norm(u)
        if size > 1e-7:
            bound.append(k)
            basis = np.column_stack([basis, u / size])
    return [k for k in range(len(q)) if k not in bound], sorted(bound)


def rates(geometry: Geometry, q: Array, at: Assembly) -> Array:
    """G: the coordinates' rates from the independent ones."""
    jacobian = closure_jacobian(geometry, q)
    g = np.zeros((len(q), q.shape[1], len(at.free)))
    g[:, at.free, range(len(at.free))] = 1
    g[:, at.bound] = -np.linalg.pinv(jacobian[:, :, at.bound], rcond=1e-9) @ jacobian[:, :, at.free]
    return g


def branch(geometry: Geometry, at: Assembly, count: int, rng: np.random.Generator, span: float) -> Array:
    """Postures of the same branch, reached in small steps; those that come near a singularity are left out."""
    target = at.q[at.free] + rng.uniform(-span, span, (count, len(at.free)))
    q = np.repeat(at.q[None], count, 0)
    good = np.ones(count, bool)
    for step in range(1, _STEPS + 1):
        before = q.copy()
        ahead = at.q[at.free] + (target - at.q[at.free]) * step / _STEPS
        q = q + np.einsum("sij,sj->si", rates(geometry, q, at), ahead - q[:, at.free])  # predict
        q[:, at.free] = ahead
        q, closes = closed(geometry, q, at.bound, rounds=12)
        jacobian = closure_jacobian(geometry, q)[:, :, at.bound]
        values = np.linalg.svd(jacobian, compute_uv=False)[:, : len(at.bound)]
        good &= closes & (values[:, -1] > _WORST * values[:, 0]) & (np.abs(q - before).max(1) < 1.0)
        q[~good] = at.q
    return q[good]


def starts(geometry: Geometry, posture: Mapping[int, float] | Sequence[float] | None, seed: int = 0) -> Array:
    """Where to begin: the posture given, or the middle of the joints' range and random ones."""
    robot, n = geometry.robot, len(geometry.coordinates)
    if posture is None:
        rng = np.random.default_rng(seed)
        return np.concatenate([np.zeros((1, n)), rng.uniform(-2, 2, (47, n))])
    given = dict(posture) if isinstance(posture, Mapping) else _by_joint(geometry, posture)
    for j in given:
        if not 1 <= j <= robot.NJ or not robot.frame(j).moving:
            raise OptionError(f"posture: joint {j} of robot '{robot.name}' does not exist or does not move")
    return np.array([[float(given.get(j, 0.0)) for j in geometry.coordinates]])


def _by_joint(geometry: Geometry, posture: Sequence[float]) -> dict[int, float]:
    joints = moving_joints(geometry.robot)
    if len(posture) != len(joints):
        raise OptionError(f"posture: {len(joints)} positions expected, got {len(posture)}")
    return dict(zip(joints, posture, strict=True))


def no_assembly(geometry: Geometry) -> NotApplicableError:
    return NotApplicableError(
        f"the loops of robot '{geometry.robot.name}' could not be closed at its nominal values",
        hint="give a posture near an assembled one, or nominal values for its lengths",
    )
