"""Random robots of every structure with a regular configuration, for tests that run all export targets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import symoro
from symoro import Model
from symoro.errors import NotApplicableError
from symoro.expr.formula import formula
from symoro.robot.coordinates import independent
from symoro.robot.description import Frame, JointType, Link, Robot
from tests.models.loop_cases import heavy, random_loops
from tests.oracle.floating import rotation
from tests.oracle.wheel_robots import body, layout

STRUCTURES = ("serial", "tree", "loops", "floating", "elastic", "wheeled")
MODELS = (
    "fast-geometry",
    "jacobian",
    "inverse-dynamics",
    "direct-dynamics",
    "inertia-matrix",
    "dynamic-identification",
)
ANGLES = ("0", "pi/2", "-pi/2", "pi/3", "0.4", "-1.1")


@dataclass(frozen=True)
class RandomRobot:
    """Robot with numbers, and positions q in which its loops close and its drives are regular."""

    structure: str
    robot: Robot
    q: np.ndarray


def random_robot(structure: str, seed: int) -> RandomRobot:
    """Return a random robot of a structure; the inertial parameters of every second one are symbols."""
    rng = np.random.default_rng([STRUCTURES.index(structure), seed])
    robot, q = _numeric(structure, seed, rng)
    return RandomRobot(structure, robot.symbolic(inertia=True) if seed % 2 else robot, q)


def _numeric(structure: str, seed: int, rng: np.random.Generator) -> tuple[Robot, np.ndarray]:
    if structure == "loops":
        case, _ = random_loops(seed)
        return case.robot, case.q
    if structure == "wheeled":
        return layout(seed)
    robot = _tree(rng, serial=structure == "serial")
    if structure == "floating":
        robot = replace(robot, base=replace(robot.base, link=body(rng))).floating()
    if structure == "elastic":
        moving = [j for j in range(1, robot.NL + 1) if robot.frame(j).moving]
        robot = robot.with_frame(moving[-1], eta=True, k=formula(40.0))
    return robot, rng.uniform(-1.5, 1.5, len(independent(robot)))


def _tree(rng: np.random.Generator, *, serial: bool) -> Robot:
    """Return a chain or a tree of two to five joints with feasible inertias; joint names contain any characters."""
    n = int(rng.integers(2, 6))
    frames = []
    for j in range(n):
        fields = {name: formula(str(rng.choice(ANGLES))) for name in ("alpha", "theta")}
        fields |= {name: formula(round(float(rng.uniform(-0.6, 0.6)), 3)) for name in ("d", "r")}
        ant = j if serial else int(rng.integers(0, j + 1))
        sigma = JointType(int(rng.random() < 0.25))
        frames.append(Frame(ant, sigma, name=f'joint "{j}" <é>*/', **fields))
    return heavy(Robot("random <robot>", tuple(frames), tuple(body(rng) for _ in frames) or (Link(),)), rng)


def models(case: RandomRobot) -> Iterator[Model]:
    """Yield those of MODELS that apply to the robot, for example not the Jacobian of wheels."""
    for name in MODELS:
        try:
            yield symoro.generate(case.robot, name)
        except NotApplicableError:
            continue


def inputs_of(case: RandomRobot, model: Model, seed: int = 0) -> dict[str, Any]:
    """Return random inputs of a model in the configuration of the robot."""
    rng = np.random.default_rng(seed)
    given = {name: rng.uniform(-1, 1, shape) for name, shape in model.inputs.items()}
    if "q" in given:
        given["q"] = case.q
    if "R0" in given:
        given["R0"] = rotation(rng)
    return given
