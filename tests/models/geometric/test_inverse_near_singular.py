"""The general method near double roots: commercial arms with the wrist or the elbow close to a singularity."""

from __future__ import annotations

import tempfile
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest

import symoro
from tests.oracle.inverse_geometry import Chain
from tests.oracle.near_singular import DISTANCES, ELBOW, WRIST, Array, arms, jacobian, near_singular, urdf

VALID, OUT_OF_REACH, SINGULAR, EMPTY, UNDECIDED = range(5)
RESOLUTION = 1e-6  # rad; round-off of 1e-15 in a pose moves a double root by its square root, some 1e-7
LOST = 0.01  # share of the postures that may be lost next to postures in which the arm can almost move


class Solved:
    """Model of an arm with scaled lengths, and the oracle's geometry of the same arm."""

    def __init__(self, name: str, scale: float = 1.0) -> None:
        path = Path(tempfile.mkdtemp()) / f"{name}.urdf"
        path.write_text(urdf(name, scale), encoding="utf-8")
        robot = symoro.load(path, exact=True)
        model = symoro.generate(robot, "inverse-geometry", method="general")
        self.function = model.function(compiled=True)
        self.chain = Chain(robot)

    def __call__(self, q: Array) -> dict[str, Array]:
        return dict(self.function(T=self.chain.place(q)))

    def gaps(self, q: Array, result: dict[str, Array]) -> Array:
        """Return the distance of each configuration from the nearest row that is reported as a solution."""
        gap = np.abs((result["q"] - q[:, None] + np.pi) % (2 * np.pi) - np.pi).max(axis=2)
        return np.asarray(np.where(np.isin(result["status"], (VALID, SINGULAR)), gap, np.inf).min(axis=1))


@cache
def solved(name: str, scale: float = 1.0) -> Solved:
    return Solved(name, scale)


def postures(name: str, count: int, seed: int = 1) -> Array:
    """Return configurations of each kind at each distance from a singularity, `count` of each."""
    rng = np.random.default_rng([seed, *map(ord, name)])
    distances = np.repeat(DISTANCES, count)
    return np.concatenate([near_singular(partial(jacobian, name), k, distances, rng) for k in (WRIST, ELBOW)])


@pytest.mark.first(2)
@pytest.mark.parametrize("name", sorted(arms()))
def test_configurations_are_recovered(name: str) -> None:
    """No reachable pose is reported as out of reach, and every determined configuration is among the rows."""
    arm, q = solved(name), postures(name, 25)
    result = arm(q)
    rows = np.isin(result["status"], (VALID, SINGULAR))
    assert not (result["status"] == OUT_OF_REACH).any()
    assert rows.any(axis=1).all()
    assert (arm.gaps(q, result) > RESOLUTION).mean() <= LOST
    assert result["residual"][rows].max() <= 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(arms()))
def test_thousands_of_postures_are_found_again(name: str) -> None:
    arm, q = solved(name), postures(name, 500, 2)
    result = arm(q)
    assert not (result["status"] == OUT_OF_REACH).any()
    assert (arm.gaps(q, result) > RESOLUTION).mean() <= LOST


def test_rows_are_different_solutions() -> None:
    """Two almost equal solutions are two rows, and no solution is repeated: at 1e-4 they are 1e-4 apart."""
    arm = solved("hc10")
    rng = np.random.default_rng(3)
    q = near_singular(partial(jacobian, "hc10"), WRIST, np.full(40, 1e-4), rng)
    result = arm(q)
    for rows, status in zip(result["q"], result["status"], strict=True):
        valid = rows[status == VALID]
        gaps = np.abs((valid[:, None] - valid + np.pi) % (2 * np.pi) - np.pi).max(axis=2)
        assert (gaps + 9 * np.eye(len(valid)) > 1e-6).all()
        assert len(valid) % 2 == 0


@pytest.mark.first(1)
@pytest.mark.parametrize("scale", [1e-6, 1e3])
def test_the_size_of_the_arm_does_not_matter(scale: float) -> None:
    q = postures("hc10", 4)
    own, scaled = (solved("hc10", s) for s in (1.0, scale))
    one, other = own(q), scaled(q)
    regular = np.linalg.svd(jacobian("hc10", q), compute_uv=False)[:, -1] > 1e-6
    assert regular.sum() > 8
    assert (own.gaps(q, one) <= RESOLUTION).all() and (scaled.gaps(q, other) <= RESOLUTION).all()
    assert (one["status"][regular] == other["status"][regular]).all()


def test_certain_and_uncertain_poses() -> None:
    """A distant pose is out of reach; one close to a reachable pose is solved or undecided, never out of reach."""
    arm, rng = solved("crx3ia"), np.random.default_rng(5)
    q = near_singular(partial(jacobian, "crx3ia"), ELBOW, np.zeros(60), rng)
    T = arm.chain.place(q)
    far, near = T.copy(), T.copy()
    far[:, :3, 3] += 5.0  # m, of an arm of one
    status = arm.function(T=far)["status"]
    assert (status[:, 0] == OUT_OF_REACH).all() and (status[:, 1:] == EMPTY).all()
    left = np.linalg.svd(jacobian("crx3ia", q))[0][
        :, :3, 5
    ]  # the direction in which the arm cannot move there
    near[:, :3, 3] += 2e-7 * left / np.linalg.norm(left, axis=1, keepdims=True) * rng.choice([-1, 1], (60, 1))
    result = arm.function(T=near)
    assert not (result["status"] == OUT_OF_REACH).any()
    unsolved = ~np.isin(result["status"], (VALID, SINGULAR)).any(axis=1)
    assert (result["status"][unsolved, 0] == UNDECIDED).all()
    assert unsolved.any() and (result["residual"][unsolved, 0] < 1e-6).all()
