"""Helpers for tests of identification models: robots without wrenches, K in numbers, a smooth motion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import symoro
from symoro.expr import ops
from symoro.expr.derivatives import forward
from symoro.expr.evaluate import evaluate
from symoro.expr.formula import ZERO
from symoro.model import Model
from symoro.models.identification.columns import parameter_values
from symoro.robot.coordinates import independent
from symoro.robot.description import WRENCH, ZERO3, Robot
from tests.models.dynamic.cases import Array, Inputs, loaded

Motion = Callable[[float], Inputs]


def bare(robot: Robot) -> Robot:
    """Return the robot without payload and external wrenches, which the models do not include."""
    links = tuple(replace(link, **dict.fromkeys(WRENCH, ZERO)) for link in robot.links)
    return replace(robot, links=links, payload=None)


def resting(robot: Robot) -> Robot:
    """Return the robot without payload and wrenches on a fixed base."""
    still: dict[str, Any] = dict.fromkeys(("V0", "W0", "VP0", "WP0"), ZERO3)
    return bare(replace(robot, base=replace(robot.base, **still)))


def library(name: str, seed: int = 1) -> Robot:
    """Return a bundled robot with random inertias and drives, and its own frames and gravity."""
    own = symoro.load(name)
    own = own.bind({s: v for s, v in own.nominal if s in own.symbols()})
    heavy = loaded(own, seed, symbols=False, wrenches=False, drives=True, payload=False)
    return replace(heavy, base=own.base, payload=None)


def numbers(model: Model, parameters: str = "standard", values: dict[str, float] | None = None) -> Array:
    """Return the values of K."""
    given = {**dict(model.robot.nominal), **(values or {})}
    return np.array([f.value(given) for f in parameter_values(model.robot, model.columns, parameters)])


def run(model: Model, at: Inputs) -> dict[str, Array]:
    """Return a model's outputs by the interpreter."""
    return model.function(compiled=False)(**{name: at[name] for name in model.inputs})


def rate(model: Model, output: str, at: Inputs) -> Array:
    """Return the exact derivative of an output along the motion q, qd, qdd."""
    program, own = model.program, independent(model.robot)
    graph = program.graph
    seeds, given = {}, {}
    for name, after in (("q", "qd"), ("qd", "qdd")):
        for k, j in enumerate(own):
            node = graph.symbol(f"{name}{j}", ops.VARIABLE) >> 1
            seeds[node] = graph.symbol(f"{after}{j}", ops.VARIABLE)
            given[f"{name}{j}"], given[f"{after}{j}"] = float(at[name][k]), float(at[after][k])
    port = next(port for port in program.outputs if port.name == output)
    lits = forward(graph, port.lits, seeds)
    return np.array(evaluate(graph, lits, dict(model.robot.nominal), given), float).reshape(port.shape)


def smooth(n: int, seed: int) -> Motion:
    """Return a motion of n joints, three sines each, with its exact derivatives."""
    rng = np.random.default_rng(seed)
    size, speed, phase = (
        rng.uniform(0.1, 0.6, (3, n)),
        rng.uniform(0.5, 3.0, (3, n)),
        rng.uniform(0, 6, (3, n)),
    )

    def at(t: float) -> Inputs:
        angle = speed * t + phase
        return {
            "q": (size * np.sin(angle)).sum(0),
            "qd": (size * speed * np.cos(angle)).sum(0),
            "qdd": -(size * speed**2 * np.sin(angle)).sum(0),
        }

    return at
