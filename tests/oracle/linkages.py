"""Random linkages: chains that are closed on themselves, and the sample with two loops.

A linkage is drawn as an open chain in a configuration; the closing frame has the pose of the last frame. Thus at least
one assembly mode exists.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from symoro.expr.formula import formula
from symoro.robot.description import GEOMETRIC, Frame, JointType, Link, Robot
from tests.oracle.arms import FLAT, UP, Number, P, R, Rng, length, oblique
from tests.oracle.inverse_geometry import Tree

Array = NDArray[np.float64]


def parameters(T: Array) -> dict[str, float]:
    """Return the six geometric parameters of a transform whose z axes are not parallel."""
    alpha = float(np.arccos(T[2, 2]))
    gamma, theta = float(np.arctan2(T[0, 2], -T[1, 2])), float(np.arctan2(T[2, 0], T[2, 1]))
    c, s = np.cos(gamma), np.sin(gamma)
    x, y, z = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]) @ T[:3, 3]
    r = -y / np.sin(alpha)
    return dict(zip(GEOMETRIC, map(float, (gamma, z - r * np.cos(alpha), alpha, x, theta, r)), strict=True))


def closed(
    name: str,
    alpha: Sequence[Number],
    d: Sequence[Number],
    r: Sequence[Number],
    q: Array,
    prismatic: Sequence[int] = (),
    active: Sequence[int] = (1,),
) -> Robot:
    """Return a chain whose last joint is cut, closed on the base in the configuration q."""

    def frame(j: int, sigma: JointType) -> Frame:
        return Frame(j, sigma, mu=j + 1 in active, alpha=formula(alpha[j]), d=formula(d[j]), r=formula(r[j]))

    n = len(alpha) - 1
    chain = tuple(frame(j, P if j + 1 in prismatic else R) for j in range(n + 1))
    open_chain = Robot(name, chain, (Link(),) * (n + 1))
    joints = {j + 1: q[j : j + 1] for j in range(n + 1)}
    T = Tree(open_chain).placements(joints, [n + 1])[n + 1][0]
    if abs(T[2, 2]) > 1 - 1e-9:  # planar: all normals lie in one plane, and all axes are parallel
        place = {
            "gamma": float(np.arctan2(T[1, 3], T[0, 3])),
            "d": float(np.hypot(T[0, 3], T[1, 3])),
            "theta": float(np.arctan2(T[1, 0], T[0, 0]) - np.arctan2(T[1, 3], T[0, 3])),
            "r": round(float(T[2, 3]), 12),  # zero, but for the cosines of right angles
        }
    else:
        place = parameters(T)
    closing_frame = Frame(
        0, JointType.FIXED, mu=False, **{key: formula(value) for key, value in place.items()}
    )
    return Robot(name, (*chain, closing_frame), (Link(),) * n)


def four_bar(rng: Rng) -> tuple[Robot, Array]:
    q = rng.uniform(-3, 3, 4)
    d = [0, length(rng), length(rng), length(rng)]
    return closed("planar4R", [FLAT] * 4, d, [0] * 4, q), q


def slider(at: int) -> Callable[[Rng], tuple[Robot, Array]]:
    """Return a planar loop of three revolute joints and one prismatic joint at the given position."""

    def made(rng: Rng) -> tuple[Robot, Array]:
        q = rng.uniform(-1, 1, 4)
        alpha: list[Number] = [FLAT] * 4
        alpha[at - 1] = UP
        if at < 4:
            alpha[at] = "-pi/2"
        d = [0, *(length(rng) for _ in range(3))]
        return closed(f"planarP{at}", alpha, d, [0] * 4, q, [at]), q

    return made


def spherical_four_bar(rng: Rng) -> tuple[Robot, Array]:
    q = rng.uniform(-3, 3, 4)
    return closed("spherical4R", [FLAT, *(oblique(rng) for _ in range(3))], [0] * 4, [0] * 4, q), q


def spatial(*prismatic: int) -> Callable[[Rng], tuple[Robot, Array]]:
    """Return seven joints in space, of which one is active: six unknowns."""

    def made(rng: Rng) -> tuple[Robot, Array]:
        q = rng.uniform(-2, 2, 7)
        columns = [[0, *(draw(rng) for _ in range(6))] for draw in (oblique, length, length)]
        name = "spatial" + "".join(f"P{j}" for j in prismatic)
        return closed(name, *columns, q, prismatic), q

    return made


LINKAGES: dict[str, Callable[[Rng], tuple[Robot, Array]]] = {
    "four-bar": four_bar,
    "slider at 2": slider(2),
    "slider at 3": slider(3),
    "spherical four-bar": spherical_four_bar,
    "spatial 7R": spatial(),
    "spatial 6R1P": spatial(4),
}


def two_loops(values: Mapping[str, float] | None = None) -> Robot:
    """Return the sample TwoLoops of OpenSYMORO: eight links, two four-bar loops, the first a parallelogram."""
    lengths = {"d3": 0.5, "d4": 0.6, "d7": 0.2, "d12": 0.2, "g12": 0.4}
    passive = {"mu": False}
    frames = (
        Frame(0),
        Frame(1, alpha=formula(UP)),
        Frame(2, d=formula("d3")),
        Frame(3, d=formula("d4"), **passive),
        Frame(4, gamma=formula("-g12"), alpha=formula(UP)),
        Frame(1, b=formula("d12*cos(g12)"), alpha=formula(UP), d=formula("-d12*sin(g12)"), **passive),
        Frame(4, gamma=formula(UP), d=formula("d7"), **passive),
        Frame(3, **passive),
        Frame(7, d=formula("d4"), **passive),
        Frame(6, d=formula("d3"), **passive),
        Frame(8, JointType.FIXED, gamma=formula("g12 + pi/2"), d=formula("d7"), **passive),
        Frame(11, JointType.FIXED, **passive),
    )
    nominal = tuple(sorted({**lengths, **(values or {})}.items()))
    return Robot("TwoLoops", frames, (Link(),) * 8, nominal=nominal)
