"""The recursive Newton-Euler algorithm as users of JAX and PyTorch write it: a loop over joints, a batch in front."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from symoro.robot.description import Robot


@dataclass(frozen=True)
class Chain:
    """Numbers of a serial robot with revolute joints in Khalil's or Craig's convention, one row per joint."""

    alpha: list[float]
    d: list[float]
    r: list[float]
    theta: list[float]
    mass: list[float]
    first_moment: list[list[float]]  # mass times centre of mass
    inertia: list[list[list[float]]]  # about the origin of the frame
    gravity: list[float]


def chain_of(robot: Robot) -> Chain:
    """Return the numbers of a serial robot without friction and rotor inertias."""

    def numbers(rows: Any, *fields: str) -> list[list[float]]:
        return [[getattr(row, field).value({}) for field in fields] for row in rows]

    geometry = numbers(robot.frames, "alpha", "d", "r", "theta")
    matrices = numbers(robot.links, "XX", "XY", "XZ", "XY", "YY", "YZ", "XZ", "YZ", "ZZ")
    return Chain(
        *([row[at] for row in geometry] for at in range(4)),
        [row[0] for row in numbers(robot.links, "M")],
        numbers(robot.links, "MX", "MY", "MZ"),
        [[row[:3], row[3:6], row[6:]] for row in matrices],
        [g.value({}) for g in robot.base.G],
    )


def inverse_dynamics(xp: Any, chain: Chain, q: Any, qd: Any, qdd: Any) -> Any:
    """Return the joint torques (..., n); `xp` is numpy, jax.numpy or torch."""
    torch = xp.__name__ == "torch"
    cross = xp.linalg.cross if torch else xp.cross

    def stack(entries: list[Any]) -> Any:
        return xp.stack(entries, dim=-1) if torch else xp.stack(entries, -1)

    zero = q[..., 0] * 0

    def vector(numbers: list[float]) -> Any:
        return stack([zero + number for number in numbers])

    def times(matrix: Any, u: Any, transposed: bool = False) -> Any:
        entry = (lambda i, k: matrix[k][i]) if transposed else (lambda i, k: matrix[i][k])
        return stack([sum(entry(i, k) * u[..., k] for k in range(3)) for i in range(3)])

    axis = vector([0.0, 0.0, 1.0])
    w = wd = vector([0.0, 0.0, 0.0])
    a = vector([-g for g in chain.gravity])
    rotations, offsets, forces, moments = [], [], [], []
    for j in range(len(chain.alpha)):
        ca, sa = math.cos(chain.alpha[j]), math.sin(chain.alpha[j])
        c, s = xp.cos(q[..., j] + chain.theta[j]), xp.sin(q[..., j] + chain.theta[j])
        rotation = [[c, -s, zero], [ca * s, ca * c, zero - sa], [sa * s, sa * c, zero + ca]]
        offset = vector([chain.d[j], -sa * chain.r[j], ca * chain.r[j]])
        rate, acceleration = axis * qd[..., j : j + 1], axis * qdd[..., j : j + 1]
        a = times(rotation, a + cross(wd, offset) + cross(w, cross(w, offset)), transposed=True)
        before = times(rotation, w, transposed=True)
        wd = times(rotation, wd, transposed=True) + cross(before, rate) + acceleration
        w = before + rate
        moment = vector(chain.first_moment[j])
        inertia = chain.inertia[j]
        forces.append(chain.mass[j] * a + cross(wd, moment) + cross(w, cross(w, moment)))
        moments.append(times(inertia, wd) + cross(w, times(inertia, w)) + cross(moment, a))
        rotations.append(rotation)
        offsets.append(offset)
    torques: list[Any] = []
    force, torque = forces[-1], moments[-1]
    for j in reversed(range(len(chain.alpha))):
        torques.insert(0, torque[..., 2])
        if j:
            force, torque = times(rotations[j], force), times(rotations[j], torque)
            torque = moments[j - 1] + torque + cross(offsets[j], force)
            force = forces[j - 1] + force
    return stack(torques)
