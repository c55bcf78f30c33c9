"""Commercial arms of the general class (data/general_arms.json), and their configurations near a singularity.

Direct geometry and Jacobian are computed here in NumPy from axes and offsets; no code of symoro is used.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

DATA = Path(__file__).parent.parent / "data" / "general_arms.json"
WRIST, ELBOW = 4, 2  # the joints, from 0, that are moved to a singular posture
DISTANCES = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)  # rad, from there


@cache
def arms() -> dict[str, Any]:
    """Return axes (6, 3), offsets (6, 3) in m and the rotation (3, 3) of the tool, by name of the arm."""
    return dict(json.loads(DATA.read_text(encoding="utf-8")))


def urdf(name: str, scale: float = 1.0) -> str:
    """Return the arm as a URDF, with all lengths multiplied by a number."""
    arm = arms()[name]
    parts = ['<link name="l0"/>']
    for j, (axis, offset) in enumerate(zip(arm["axes"], arm["offsets"], strict=True), 1):
        xyz = " ".join(repr(scale * x) for x in offset)
        turn = " ".join(map(repr, axis))
        parts.append(
            f'<link name="l{j}"/><joint name="j{j}" type="continuous"><parent link="l{j - 1}"/><child link="l{j}"/>'
            f'<origin xyz="{xyz}"/><axis xyz="{turn}"/></joint>'
        )
    return f'<robot name="{name}">{"".join(parts)}</robot>'


def jacobian(name: str, q: Array) -> Array:
    """Return the geometric Jacobians (S, 6, 6) in configurations (S, 6), lengths divided by the arm's size."""
    arm = arms()[name]
    size = sum(float(np.linalg.norm(x)) for x in arm["offsets"])
    turn, point = np.broadcast_to(np.eye(3), (len(q), 3, 3)), np.zeros((len(q), 3))
    axes, points = [], []
    for k, (axis, offset) in enumerate(zip(arm["axes"], arm["offsets"], strict=True)):
        z = np.array(axis) / np.linalg.norm(axis)
        hat = np.array([[0, -z[2], z[1]], [z[2], 0, -z[0]], [-z[1], z[0], 0]])
        s, c = np.sin(q[:, k, None, None]), np.cos(q[:, k, None, None])
        point = point + turn @ np.array(offset) / size
        axes.append(turn @ z)
        points.append(point)
        turn = turn @ (np.eye(3) + s * hat + (1 - c) * (hat @ hat))
    columns = [np.concatenate([np.cross(z, point - p), z], axis=1) for z, p in zip(axes, points, strict=True)]
    return np.stack(columns, axis=-1)


def near_singular(
    jacobians: Callable[[Array], Array], joint: int, distances: Array, rng: np.random.Generator
) -> Array:
    """Return random configurations (S, 6) with a joint at given distances from a zero of the determinant."""
    count, grid = len(distances), np.linspace(-np.pi, np.pi, 73)
    brackets: list[tuple[Array, float]] = []

    def determinants(q: Array, values: Array) -> Array:
        moved = q.copy()
        moved[:, joint] = values
        return np.asarray(np.linalg.det(jacobians(moved)))

    while len(brackets) < count:
        q = rng.uniform(-np.pi, np.pi, (max(count, 8), 6))
        values = np.array([determinants(q, x) for x in grid])
        for k, row in enumerate(values.T):
            changes = np.flatnonzero(row[:-1] * row[1:] < 0)
            if len(changes):
                brackets.append((q[k], grid[rng.choice(changes)]))
    q = np.array([posture for posture, _ in brackets[:count]])
    low = np.array([start for _, start in brackets[:count]])
    high, below = low + grid[1] - grid[0], determinants(q, low)
    for _ in range(54):
        middle = (low + high) / 2
        left = determinants(q, middle) * below > 0
        low, high = np.where(left, middle, low), np.where(left, high, middle)
    q[:, joint] = (low + high) / 2 + distances * rng.choice([-1, 1], count)
    return q
