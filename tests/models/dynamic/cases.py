"""Robots with mass for tests of dynamics: random robots, states, and their oracle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

import symoro
from symoro.expr.formula import Formula, formula
from symoro.models.coordinates.layout import Layout
from symoro.models.dynamic import system as systems
from symoro.models.dynamic.formulation import Formulation
from symoro.program.program import Program
from symoro.robot.coordinates import independent
from symoro.robot.description import (
    ANGLES,
    DRIVE,
    GEOMETRIC,
    INERTIAL,
    WRENCH,
    Base,
    BaseKind,
    Coupling,
    Frame,
    JointType,
    Link,
    Placement,
    Robot,
    Tool,
)
from tests.oracle.dynamics import Array, Tree, Twist
from tests.oracle.placement import screw
from tests.oracle.robots import trees

Inputs = dict[str, Array]
MOTION = ("V0", "W0", "VP0", "WP0")
RIGHT = ("0", "pi/2", "-pi/2", "pi")


# -- robots


def masses(rng: np.random.Generator) -> dict[str, float]:
    """Return the ten parameters of a set of point masses, which are feasible."""
    m = rng.uniform(0.1, 1.0, 5)
    p = rng.uniform(-0.3, 0.3, (5, 3)) + rng.uniform(-0.2, 0.2, 3)
    J = sum(mi * ((x @ x) * np.eye(3) - np.outer(x, x)) for mi, x in zip(m, p, strict=True))
    entries = (J[0, 0], J[0, 1], J[0, 2], J[1, 1], J[1, 2], J[2, 2], *(m @ p), m.sum())
    return dict(zip(INERTIAL, map(float, entries), strict=True))


def loaded(robot: Robot, seed: int, *, symbols: bool, wrenches: bool, drives: bool, payload: bool) -> Robot:
    """Return the robot with masses, drives, wrenches, gravity in any direction, and a payload if it has a tool.

    Args:
        symbols: inertial parameters and friction are symbols with nominal values, some wrenches are inputs.
    """
    rng = np.random.default_rng(seed)
    nominal = dict(robot.nominal)

    def given(name: str, value: float) -> Formula:
        if not symbols:
            return formula(value)
        nominal[name] = value
        return Formula(name)

    links, frames = [], []
    for j in range(1, robot.NL + 1):
        fields = {name: given(f"{name}{j}", value) for name, value in masses(rng).items()}
        if wrenches and rng.random() < 0.6:
            free, some = symbols and rng.random() < 0.5, WRENCH[rng.integers(3) :]
            fields |= {n: Formula(f"{n}{j}") if free else formula(rng.uniform(-3, 3)) for n in some}
        links.append(Link(**fields))
        frame = robot.frame(j)
        if drives and frame.moving:
            frame = replace(frame, **{n: given(f"{n}{j}", float(rng.uniform(0, 0.5))) for n in DRIVE[:4]})
        frames.append(frame)
    weight = tuple(given(f"g{k}", rng.uniform(-9.81, 9.81)) for k in "xyz")
    carried = None
    if payload and robot.tool:
        carried = Link(**{name: given(f"P{name}", value) for name, value in masses(rng).items()})
    return replace(
        robot,
        frames=(*frames, *robot.frames[robot.NL :]),
        links=tuple(links),
        base=replace(robot.base, kind=BaseKind.FIXED, G=weight),
        payload=carried,
        nominal=tuple(nominal.items()),
    )


@st.composite
def heavy_trees(draw: st.DrawFn, most: int = 5) -> Robot:
    """Return trees with every joint type and frame order, coupled joints, prescribed motion of the base."""
    flag = st.booleans()
    return loaded(
        draw(trees(most=most)),
        draw(st.integers(0, 10**6)),
        symbols=draw(flag),
        wrenches=draw(flag),
        drives=draw(flag),
        payload=draw(flag),
    )


def seeded_tree(seed: int, n: int | None = None, *, coupled: bool | None = None) -> Robot:
    """Return a random tree with random geometry; half of the angles are right."""
    rng = np.random.default_rng(seed)
    n = n or int(rng.integers(1, 9))
    order = rng.permutation(n) + 1 if rng.random() < 0.5 else np.arange(1, n + 1)
    serial = rng.random() < 0.4

    def place(ant: int) -> dict[str, Any]:
        fields: dict[str, Any] = {"ant": ant}
        for name in GEOMETRIC:
            plain, size = (RIGHT, 3.0) if name in ANGLES else (("0",), 0.6)
            value = str(rng.choice(plain)) if rng.random() < 0.5 else rng.uniform(-size, size)
            fields[name] = formula(value)
        if serial:
            fields |= {"gamma": formula(0), "b": formula(0)}
        return fields

    frames: dict[int, Frame] = {}
    for k in range(n):
        ant = 0 if k == 0 else int(order[k - 1] if serial or rng.random() < 0.6 else order[rng.integers(k)])
        sigma = JointType.REVOLUTE if k == 0 else rng.choice([0, 0, 0, 1, 2])
        frames[int(order[k])] = Frame(sigma=JointType(int(sigma)), **place(ant))
    Z = np.eye(4)
    Z[:3, :3] = (screw("z", rng.uniform(-3, 3)) @ screw("x", rng.uniform(-3, 3)) @ screw("z", 1.0))[:3, :3]
    Z[:3, 3] = rng.uniform(-1, 1, 3)
    moves = {}
    if rng.random() < 0.5:
        moves = {m: tuple(formula(x) for x in rng.uniform(-1, 1, 3)) for m in MOTION}
    robot = Robot(
        f"seeded{seed}",
        tuple(frames[j] for j in sorted(frames)),
        (Link(),) * n,
        Base(Z=tuple(formula(float(z)) for z in Z.flat), **moves),
        tool=Tool(Placement(**place(int(rng.integers(1, n + 1))))),
    )
    robot = loaded(robot, seed, symbols=seed % 3 == 0, wrenches=True, drives=True, payload=seed % 2 == 0)
    moving = [j for j in range(1, n + 1) if robot.frame(j).moving]
    if len(moving) > 2 and (rng.random() < 0.3 if coupled is None else coupled):
        driven, *drivers = (int(j) for j in rng.permutation(moving)[:3])
        terms = tuple((i, formula(rng.uniform(-2, 2))) for i in drivers)
        robot = robot.with_frame(driven, coupling=Coupling(terms, formula(rng.uniform(-1, 1))))
    return robot


# -- states


def state(robot: Robot, seed: int = 1) -> Inputs:
    """Return random numbers for every possible input of a model."""
    rng = np.random.default_rng(seed)
    n = len(independent(robot))
    shapes = {"q": n, "qd": n, "qdd": n, "tau": n, "F": 6, "V0": 6, "Vd0": 6}
    result = {name: rng.uniform(-1.5, 1.5, size) for name, size in shapes.items()}
    return result | {"wrench": rng.uniform(-3, 3, (robot.NL, 6))}


def oracle(robot: Robot, at: Inputs) -> Tree:
    """Return the oracle of a robot; symbolic wrenches and base motion are taken from the inputs."""
    nominal = dict(robot.nominal)

    def number(f: Formula, given: float) -> float:
        return float(given) if f.symbols else f.value({})

    wrench = [
        [number(getattr(robot.link(j), n), at["wrench"][j - 1][k]) for k, n in enumerate(WRENCH)]
        for j in range(1, robot.NL + 1)
    ]
    given = dict(zip(MOTION, (at["V0"][:3], at["V0"][3:], at["Vd0"][:3], at["Vd0"][3:]), strict=True))
    parts = [
        np.array([number(f, x) for f, x in zip(getattr(robot.base, m), given[m], strict=True)])
        for m in MOTION
    ]
    return Tree(robot, nominal, wrench=np.array(wrench), base=Twist(*parts))


def outputs(robot: Robot, model: str, at: Mapping[str, Any], **options: Any) -> dict[str, Array]:
    """Return a model's outputs by the interpreter."""
    made, function = _function(robot, model, tuple(options.items()))
    return function(**{name: at[name] for name in made.inputs})


@lru_cache(maxsize=32)
def _function(robot: Robot, model: str, options: tuple[tuple[str, Any], ...]) -> tuple[Any, Any]:
    made = symoro.generate(robot, model, **dict(options))
    return made, made.function(compiled=False)


def examples(count: int) -> settings:
    """Return the settings of a property test with slow examples."""
    return settings(max_examples=count, deadline=None, suppress_health_check=list(HealthCheck))


def error(computed: Any, expected: Any) -> float:
    """Return the largest error, relative to the largest entry (or to 1)."""
    a, b = np.asarray(computed, float), np.asarray(expected, float)
    assert a.shape == b.shape
    assert np.all(np.isfinite(a))
    return float(np.abs(a - b).max() / max(1.0, np.abs(b).max())) if a.size else 0.0


def torque_program(robot: Robot, formulation: Formulation) -> Program:
    """Return the inverse dynamics of a rigid robot on a fixed base in one formulation, not optimised."""
    s = systems.system("torques", Layout(robot), formulation, systems.Inputs(accelerations=True))
    s.builder.output("tau", list(s.dynamics.efforts(s.state, s.known.accelerations).values()))
    return s.builder.program()
