"""Flexible links against Lagrange's equations in numbers, published frequencies, and the stored arms."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.errors import FormatError, NotApplicableError, RobotError
from symoro.expr.formula import formula
from symoro.models.catalogue import catalogue
from symoro.robot.coordinates import independent
from symoro.robot.description import Frame, JointType, Link, Robot
from symoro.robot.flexibility import Flexibility, flexible_links, mode_names
from symoro.robot.formats import dumps, loads
from tests.models.dynamic.cases import Array, Inputs, error, masses, outputs, seeded_tree, state
from tests.oracle.flexible import FlexibleRobot
from tests.oracle.golden import DATA

EXACT = 1e-9
NUMERIC = 3e-7  # the oracle differentiates shapes by differences


# -- robots


def inertial(rng: np.random.Generator) -> Link:
    return Link(**{name: formula(value) for name, value in masses(rng).items()})  # type: ignore[arg-type]


def limp(robot: Robot, seed: int, *, shapes: str | None = None) -> Robot:
    """The tree with some links flexible, at least one; the base at rest, no wrenches."""
    rng = np.random.default_rng(seed)
    chosen = {j for j in range(1, robot.NL + 1) if rng.random() < 0.4} | {int(rng.integers(1, robot.NL + 1))}
    links = []
    for j, link in enumerate(robot.links, 1):
        bare: dict[str, Any] = dict.fromkeys(("FX", "FY", "FZ", "CX", "CY", "CZ"), formula(0))
        if j in chosen:
            y, z, twist = (int(n) for n in rng.integers(0, 3, 3))
            values = {
                name: formula(float(x)) for name, x in zip(("EIz", "EIy", "GJ"), rng.uniform(20, 90, 3))
            }
            bare["flexible"] = Flexibility(
                formula(float(rng.uniform(0.3, 0.9))),
                formula(float(rng.uniform(0.3, 1.5))),
                Ip=formula(float(rng.uniform(0.01, 0.05))),
                y=y,
                z=z,
                twist=twist if y + z + twist else 1,
                shapes=shapes or str(rng.choice(["clamped", "polynomial"])),
                tip=inertial(rng) if rng.random() < 0.7 else None,
                **values,
            )
        links.append(replace(link, **bare))
    still: dict[str, Any] = dict.fromkeys(("V0", "W0", "VP0", "WP0"), (formula(0),) * 3)
    identity = tuple(formula(float(x)) for x in np.eye(4).flat)
    base = replace(robot.base, **still, Z=identity)
    return replace(robot, links=tuple(links), base=base)


def bent(robot: Robot, seed: int) -> Inputs:
    rng = np.random.default_rng(seed)
    ne = len(mode_names(robot))
    return state(robot, seed) | {"e": rng.uniform(-0.1, 0.1, ne), "ed": rng.uniform(-0.5, 0.5, ne)}


def check(robot: Robot, seed: int, tolerance: float = NUMERIC) -> None:
    """A, H, energies, direct and inverse dynamics."""
    at, truth = bent(robot, seed), FlexibleRobot(robot)
    x, xd, n = np.r_[at["q"], at["e"]], np.r_[at["qd"], at["ed"]], truth.n
    A, H = truth.matrix(x + 0j).real, truth.bias(x, xd)
    assert error(outputs(robot, "inertia-matrix", at)["A"], A) < tolerance
    assert error(outputs(robot, "bias-torques", at)["H"], H) < tolerance
    found = outputs(robot, "energy", at)
    assert (
        error([found["E"], found["U"]], [truth.kinetic(x + 0j, xd).real, truth.potential(x + 0j).real])
        < tolerance
    )
    elastic = np.array([robot.frame(j).eta for j in independent(robot)])
    tau = np.r_[np.where(elastic, 0.0, at["tau"]), np.zeros(len(x) - n)]
    A, H = outputs(robot, "inertia-matrix", at)["A"], outputs(robot, "bias-torques", at)["H"]
    acc = np.linalg.solve(A, tau - H)
    found = outputs(robot, "direct-dynamics", at | {"tau": np.where(elastic, np.nan, at["tau"])})
    scale = 1 + np.linalg.cond(A) * 1e-6
    assert error(np.r_[found["qdd"], found["edd"]], acc) < 1e-9 * scale
    given = acc[:n]
    found = outputs(robot, "inverse-dynamics", at | {"qdd": np.where(elastic, np.nan, given)})
    assert error(found["edd"], acc[n:]) < 1e-8 * scale
    assert error(found["tau"][~elastic], at["tau"][~elastic]) < 1e-8 * scale
    if elastic.any():
        assert error(found["qdd_out"], given) < 1e-8 * scale


@pytest.mark.parametrize("seed", range(500, 510))
def test_random_trees(seed: int) -> None:
    """Bending in two planes and torsion, branches, payloads, any order of frames."""
    check(limp(seeded_tree(seed, 1 + seed % 4, coupled=False), seed), seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5000, 5040))
def test_many_random_trees(seed: int) -> None:
    check(limp(seeded_tree(seed, 1 + seed % 5, coupled=False), seed), seed)


def test_springs_and_flexible_links() -> None:
    robot = limp(seeded_tree(521, 4, coupled=False), 521)
    for j in independent(robot)[::2]:
        robot = robot.with_frame(j, eta=True, k=40.0, rest=0.3)
    check(robot, 521)


if __name__ == "__main__":
    for seed in range(500, 506):
        check(limp(seeded_tree(seed, 1 + seed % 4, coupled=False), seed), seed)
