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
from numpy.typing import NDArray

from symoro.errors import NotApplicableError, OptionError
from symoro.models.identification.base_numeric import Array, Geometry, placed, still
from symoro.robot.description import JointType
from symoro.robot.topology import Loop, chain, loops, moving_joints

Flags = NDArray[np.bool_]
CLOSED = 1e-11
_SINGULAR = 1e-5
_STEPS = 24
_WORST = (
    1e-3  # smallest singular value of the dependent columns, relative: nearer to a singularity is left out
)


@dataclass(frozen=True)
class Assembly:
    """An assembled posture, with the coordinates split into independent and dependent ones (positions in q)."""

    q: Array
    free: list[int]
    bound: list[int]


def closure_error(geometry: Geometry, q: Array) -> Array:
    """By how much the loops are open: twelve entries a loop, the differences of the two frames."""
    return _closure(geometry, q)[0]


def closure_jacobian(geometry: Geometry, q: Array) -> Array:
    """Derivative of the error by the coordinates."""
    return _closure(geometry, q)[1]


def _closure(geometry: Geometry, q: Array) -> tuple[Array, Array]:
    robot = geometry.robot
    found = loops(robot)
    needed = {k for loop in found for j in loop.frames for k in chain(robot, j)}
    rotation, position = placed(geometry, still(q, q), needed)
    errors, blocks = [], []
    for loop in found:
        errors.append(position[loop.left] - position[loop.right])
        errors.append((rotation[loop.left] - rotation[loop.right]).reshape(len(q), 9))
        block = np.zeros((len(q), 12, robot.NF))
        for end, sign, members in _sides(loop):
            for j in members:
                frame = robot.frame(j)
                axis = rotation[j][:, :, 2]
                if frame.sigma == JointType.PRISMATIC:
                    block[:, :3, j - 1] = sign * axis
                elif frame.sigma == JointType.REVOLUTE:
                    turn = sign * _skew(axis)
                    block[:, :3, j - 1] = (turn @ (position[end] - position[j])[:, :, None])[:, :, 0]
                    block[:, 3:, j - 1] = (turn @ rotation[end]).reshape(len(q), 9)
        blocks.append(block @ geometry.ratios)
    return np.concatenate(errors, 1), np.concatenate(blocks, 1)


def _skew(a: Array) -> Array:
    found = np.zeros((len(a), 3, 3))
    for i in range(3):
        k, m = (i + 1) % 3, (i + 2) % 3
        found[:, m, k], found[:, k, m] = a[:, i], -a[:, i]
    return found


def _sides(loop: Loop) -> tuple[tuple[int, int, Sequence[int]], ...]:
    return (loop.left, 1, loop.left_chain), (loop.right, -1, loop.right_chain)


def closed(geometry: Geometry, q: Array, unknown: Sequence[int], rounds: int = 60) -> tuple[Array, Flags]:
    """Newton's method on many samples at once; returns them, and which closed."""
    q = q.copy()
    columns = list(unknown)
    for _ in range(rounds):
        error, jacobian = _closure(geometry, q)
        left = np.abs(error).max()
        if left < CLOSED:
            break
        step = _least_squares(jacobian[:, :, columns], error[:, :, None])[:, :, 0]
        q[:, columns] -= np.clip(step, -0.4, 0.4)
        if left < 1e-6:  # the digits have doubled
            break
    return q, np.abs(closure_error(geometry, q)).max(1) < 1e-9


def _least_squares(a: Array, b: Array) -> Array:
    """x of least |a x - b|, many at once; the damping only matters where columns of `a` depend on each other."""
    turned = a.transpose(0, 2, 1)
    damping = 1e-12 * np.eye(a.shape[2])
    return np.asarray(np.linalg.solve(turned @ a + damping, turned @ b), dtype=float)


def assembled(geometry: Geometry, starts: Array) -> list[Assembly]:
    """The postures that the starts close to, farthest from a singularity first; active joints are held where they
    were, if that can be."""
    robot = geometry.robot
    passive = [k for k, j in enumerate(geometry.coordinates) if not robot.frame(j).mu]
    q, good = closed(geometry, starts, passive, rounds=40)
    if not good.any():
        q, good = closed(geometry, starts, range(len(geometry.coordinates)), rounds=150)
    q = q[good]
    if not len(q):
        return []
    found = []
    for x, jacobian in zip(q, closure_jacobian(geometry, q), strict=True):
        free, bound = _split(geometry, jacobian)
        found.append((_condition(jacobian[:, bound]), Assembly(x, free, bound)))
    most = max(len(at.bound) for _, at in found)  # fewer only where the loops are in a singularity
    usual = [pair for pair in found if len(pair[1].bound) == most]
    return [at for _, at in sorted(usual, key=lambda pair: -pair[0])]


def _condition(jacobian: Array) -> float:
    """Smallest to largest singular value."""
    if not jacobian.shape[1]:
        return 1.0
    values = np.linalg.svd(jacobian, compute_uv=False)[: jacobian.shape[1]]
    return float(values[-1] / values[0])


def _split(geometry: Geometry, jacobian: Array) -> tuple[list[int], list[int]]:
    """Independent and dependent coordinates: opened joints and passive ones depend first."""
    robot = geometry.robot
    order = sorted(
        range(jacobian.shape[1]),
        key=lambda k: (robot.frame(geometry.coordinates[k]).mu, -geometry.coordinates[k]),
    )
    basis = np.zeros((len(jacobian), 0))
    bound = []
    for k in order:
        u = jacobian[:, k] - basis @ (basis.T @ jacobian[:, k])
        size = np.linalg.norm(u)
        if size > _SINGULAR:
            bound.append(k)
            basis = np.column_stack([basis, u / size])
    return [k for k in range(jacobian.shape[1]) if k not in bound], sorted(bound)


def rates(geometry: Geometry, q: Array, at: Assembly) -> Array:
    """G: the coordinates' rates from the independent ones."""
    jacobian = closure_jacobian(geometry, q)
    g = np.zeros((len(q), q.shape[1], len(at.free)))
    g[:, at.free, range(len(at.free))] = 1
    g[:, at.bound] = -_least_squares(jacobian[:, :, at.bound], jacobian[:, :, at.free])
    return g


def branch(geometry: Geometry, at: Assembly, count: int, rng: np.random.Generator, span: float) -> Array:
    """Postures of the same branch, reached in small steps; those that come near a singularity are left out."""
    joints = [geometry.robot.frame(geometry.coordinates[k]) for k in at.free]
    reach = np.array([span if joint.sigma == JointType.REVOLUTE else 0.3 * span for joint in joints])
    target = at.q[at.free] + rng.uniform(-1, 1, (count, len(at.free))) * reach
    q = np.repeat(at.q[None], count, 0)
    for step in range(1, _STEPS + 1):
        before = q
        ahead = at.q[at.free] + (target - at.q[at.free]) * step / _STEPS
        q = q + np.einsum("sij,sj->si", rates(geometry, q, at), ahead - q[:, at.free])  # predict
        q[:, at.free] = ahead
        q, good = closed(geometry, q, at.bound, rounds=6)
        good = good & _regular(geometry, q, at) & (np.abs(q - before).max(1) < 1.0)
        q, target = q[good], target[good]
        if not len(q):
            break
    return q


def _regular(geometry: Geometry, q: Array, at: Assembly) -> Flags:
    """Which postures are far enough from a singularity."""
    jacobian = closure_jacobian(geometry, q)[:, :, at.bound]
    values = np.linalg.eigvalsh(jacobian.transpose(0, 2, 1) @ jacobian)  # squares of singular values
    return np.asarray(values[:, 0] > _WORST**2 * values[:, -1])


def starts(geometry: Geometry, posture: Mapping[int, float] | Sequence[float] | None, seed: int = 0) -> Array:
    """Where to begin: the posture given, or the middle of the joints' range and random ones."""
    robot, n = geometry.robot, len(geometry.coordinates)
    if posture is None:
        rng = np.random.default_rng(seed)
        return np.concatenate([np.zeros((1, n)), rng.uniform(-2, 2, (23, n))])
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
