"""Random robots with numbers of usual size, for tests that compare values.

`tests.strategies` draws descriptions with fields of every kind, for reading and writing; their numbers are arbitrary.
Here lengths are about a metre, each symbol has a nominal value, and frames are numbered in any order.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from symoro.expr.formula import ZERO, Formula, formula
from symoro.robot.description import (
    ANGLES,
    GEOMETRIC,
    IDENTITY16,
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
from tests.oracle.placement import screw

ANGLE_TEXTS = ("pi/2", "-pi/2", "pi", "pi/4", "-pi/6", "2*pi/3", "0.3", "-1.234", "a1", "a2 - pi/2", "-a1")
LENGTH_TEXTS = ("1", "-1/3", "0.25", "-0.4321", "L1", "2*L2", "L1 - L2", "-L3")
NOMINAL = {"a1": 0.7, "a2": -0.4, "L1": 0.5, "L2": -0.31, "L3": 0.17, "k1": -0.6, "k2": 1.7}
RATIOS = ("1", "-1", "2", "0.5", "k1", "k2")


def angles() -> st.SearchStrategy[Formula]:
    return st.just(ZERO) | st.sampled_from(ANGLE_TEXTS).map(formula)


def lengths() -> st.SearchStrategy[Formula]:
    return st.just(ZERO) | st.sampled_from(LENGTH_TEXTS).map(formula)


@st.composite
def places(draw: st.DrawFn, *, serial: bool = False) -> dict[str, Formula]:
    """Draw the six geometric parameters; a serial chain requires no gamma and b."""
    kinds = {name: angles() if name in ANGLES else lengths() for name in GEOMETRIC}
    return {name: ZERO if serial and name in ("gamma", "b") else draw(kinds[name]) for name in GEOMETRIC}


@st.composite
def joints(draw: st.DrawFn, ant: int, **fixed: Any) -> Frame:
    sigma = draw(st.sampled_from([JointType.REVOLUTE, JointType.REVOLUTE, *JointType]))
    return Frame(**{"ant": ant, "sigma": sigma, **draw(places(serial=draw(st.booleans()))), **fixed})


@st.composite
def bases(draw: st.DrawFn) -> Base:
    """Draw a base with a random pose in the world: at rest, with prescribed motion, or free."""
    kind = draw(st.sampled_from([BaseKind.FIXED] * 4 + [BaseKind.FLOATING, BaseKind.WHEELED]))
    Z = IDENTITY16
    if draw(st.booleans()):
        turn = screw("z", 0.3) @ screw("x", draw(st.sampled_from([0.0, 1.1]))) @ screw("z", -2.0)
        turn[:3, 3] = (0.1, -0.2, 0.7)
        Z = tuple(formula(float(x)) for x in turn.flat)
    vectors = {}
    for name in ("V0", "W0", "VP0", "WP0"):
        texts = draw(st.sampled_from([("0", "0", "0"), ("0", "0.3", "-1"), (f"{name}x", "0", f"{name}z")]))
        vectors[name] = tuple(formula(text) for text in texts)
    return Base(kind=kind, Z=Z, **vectors)


@st.composite
def trees(draw: st.DrawFn, *, most: int = 6, moving: bool = True) -> Robot:
    """Draw serial robots and trees, frames numbered in any order, with couplings, a tool, a base of any kind.

    Args:
        moving: whether at least one joint moves.
    """
    n = draw(st.integers(1, most))
    serial = draw(st.booleans())
    ants = [j if serial else draw(st.integers(0, j)) for j in range(n)]
    frames = [draw(joints(ant)) for ant in ants]
    if moving and not any(frame.moving for frame in frames):
        frames[0] = replace(frames[0], sigma=JointType.REVOLUTE)
    if draw(st.booleans()):
        frames = _renumbered(frames, draw(st.permutations(range(n))))
    robot = Robot(
        "random",
        tuple(frames),
        (Link(),) * n,
        base=draw(bases()),
        nominal=tuple(sorted(NOMINAL.items())),
    )
    robot = draw(_coupled(robot))
    if draw(st.booleans()):
        robot = robot.replace(tool=Tool(Placement(draw(st.integers(0, n)), **draw(places()))))
    return robot


def _renumbered(frames: list[Frame], order: list[int]) -> list[Frame]:
    """Return the frames with frame k renumbered to order[k] + 1."""
    number = {0: 0} | {k + 1: new + 1 for k, new in enumerate(order)}
    result = {number[k]: replace(frame, ant=number[frame.ant]) for k, frame in enumerate(frames, 1)}
    return [result[j] for j in sorted(result)]


@st.composite
def _coupled(draw: st.DrawFn, robot: Robot) -> Robot:
    """Return the robot with up to two coupled joints."""
    moving = draw(st.permutations([j for j in range(1, robot.NL + 1) if robot.frame(j).moving]))
    driven = moving[: min(draw(st.sampled_from([0, 0, 1, 2])), len(moving) - 1)] if moving else []
    free = [j for j in moving if j not in driven]
    for j in driven:
        drivers = free[: draw(st.integers(1, 2))]
        terms = tuple((i, formula(draw(st.sampled_from(RATIOS)))) for i in drivers)
        robot = robot.with_frame(j, coupling=Coupling(terms, draw(angles())))
    return robot


@st.composite
def closed(draw: st.DrawFn, *, most: int = 5) -> Robot:
    """Draw a tree with one or two loops; the cut joint is of any of the three kinds."""
    tree = draw(trees(most=most))
    count = draw(st.integers(1, 2))
    ends = [draw(st.permutations(range(tree.NL + 1)))[:2] for _ in range(count)]
    cut = tuple(draw(joints(left, mu=False)) for left, _ in ends)
    closing_frames = tuple(draw(joints(right, mu=False, sigma=JointType.FIXED)) for _, right in ends)
    return tree.replace(frames=tree.frames + cut + closing_frames)


def numbers(seed: int, n: int) -> NDArray[np.float64]:
    """Return n numbers between -2 and 2."""
    return np.random.default_rng(seed).uniform(-2, 2, n)
