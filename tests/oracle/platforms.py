"""Parallel robots of the library and others, feasible poses, and their models, each generated once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

import symoro
from symoro.robot.description import Robot
from symoro.robot.formats import loads
from tests.oracle.cut_tree import CutTree

Array = NDArray[np.float64]
LIBRARY = ("gough_stewart", "gough_stewart_general", "3rrr", "delta", "orthoglide")
PLANE, TRANSLATION = (0, 1, 5), (0, 1, 2)
FREEDOMS = {"3rrr": PLANE, "3-RPR": PLANE, "3-PRR": PLANE, "delta": TRANSLATION, "orthoglide": TRANSLATION}
PLATFORM = "{M: 4, MX: 0.1, MY: -0.05, MZ: 0.2, XX: 0.35, XY: 0.01, YY: 0.3, ZZ: 0.65}"
FIRST = "link: {M: 1, MX: 0.1, MY: 0.03, ZZ: 0.05, YY: 0.05, XZ: 0.01}"
SECOND = "link: {M: 0.7, MX: 0.15, MZ: -0.1, XX: 0.01, YY: 0.06, ZZ: 0.07}"
DRIVE = "active: true, drive: {IA: 0.1, FV: 0.3, FS: 0.2}"
THREE = [("0", ""), ("2*pi/3", "2"), ("4*pi/3 + E", "3")]
SIX = [(f"{k}*pi/3*2 {s} GB", f"{k}*pi/3*2 {s} GP") for k in range(3) for s in "-+"]
NUMBERS = {
    "RB": 0.5,
    "RB2": 0.55,
    "RB3": 0.45,
    "RP": 0.3,
    "RP2": 0.28,
    "RP3": 0.33,
    "LA": 0.3,
    "LB": 0.6,
    "GB": 0.2,
    "GP": 0.8,
    "E": 0.15,
}


def platform(name: str, chain: list[str], attach: str, *, six: bool = False, seat: str = "") -> Robot:
    """Return a robot with equal legs; three legs are at unequal angles and distances."""
    if six:
        legs = [f"{{on: {{gamma: {a}, d: RB}}, at: {{gamma: {b}, d: RP}}}}" for a, b in SIX]
    else:
        legs = [f"{{on: {{gamma: {a}, d: RB{n}}}, at: {{gamma: {a}, {seat}d: RP{n}}}}}" for a, n in THREE]
    joints = "\n".join(f"    - {joint}" for joint in chain)
    lines = "\n".join(f"  - {leg}" for leg in legs)
    text = (
        f"symoro: 1\nname: {name}\nplatform: {{name: platform, link: {PLATFORM}}}\nleg:\n  chain:\n{joints}\n"
        f"  attach: {attach}\nlegs:\n{lines}\nnominal: {{G3: -9.81}}\n"
    )
    used = {word: value for word, value in NUMBERS.items() if word in _words(text)}
    numbers = ", ".join(f"{word}: {value}" for word, value in used.items())
    return loads(text.replace("{G3: -9.81}", f"{{G3: -9.81, {numbers}}}"), "yaml")


def _words(text: str) -> set[str]:
    return set("".join(c if c.isalnum() else " " for c in text).split())


@cache
def model(robot: Robot, name: str, working_mode: str = "1", **options: bool) -> symoro.Function:
    """Return the function of a model in platform coordinates."""
    made = symoro.generate(robot, name, space="platform", working_mode=working_mode, **options)
    return made.function(compiled=False)


@cache
def robots() -> dict[str, Robot]:
    """Return robots with legs that the library does not contain."""
    slide = f"{{joint: prismatic, alpha: pi/2, {DRIVE}, {SECOND}}}"
    rod = f"{{joint: universal, d: LA, offset: [pi/3, 0], {SECOND}}}"
    return {
        "6-RUS": platform(
            "rus", [f"{{alpha: pi/2, {DRIVE}, {FIRST}}}", rod], "{joint: ball, d: LB}", six=True
        ),
        "6-PUS": platform(
            "pus",
            [f"{{joint: prismatic, {DRIVE}, {FIRST}}}", f"{{joint: universal, alpha: pi/2, {SECOND}}}"],
            "{joint: ball, d: LB}",
            six=True,
        ),
        "3-RPS": platform("rps", [f"{{alpha: pi/2, {FIRST}}}", slide], "ball"),
        "3-PRS": platform(
            "prs",
            [f"{{joint: prismatic, {DRIVE}, {FIRST}}}", f"{{alpha: pi/2, {SECOND}}}"],
            "{joint: ball, d: LB}",
        ),
        "3-RRS": platform(
            "rrs", [f"{{alpha: pi/2, {DRIVE}, {FIRST}}}", f"{{d: LA, {SECOND}}}"], "{joint: ball, d: LB}"
        ),
        "3-RPR": platform("rpr", [f"{{{FIRST}}}", slide], "{joint: revolute, alpha: -pi/2}"),
        "3-PRR": platform(
            "prr",
            [f"{{joint: prismatic, alpha: pi/2, {DRIVE}, {FIRST}}}", f"{{alpha: -pi/2, {SECOND}}}"],
            "{joint: revolute, d: LB}",
        ),
        "3-UPU": platform(
            "upu",
            [f"{{joint: universal, alpha: pi/2, {FIRST}}}", slide],
            "{joint: universal, alpha: -pi/2}",
            seat="alpha: pi/2, ",
        ),
        "6-UPS, balls with mass": symoro.load("gough_stewart_general")
        .with_link(4, M=0.5, MX=0.01, ZZ=0.02)
        .with_link(5, M=0.3, XX=0.01),
    }


def poses(name: str, robot: Robot, count: int, seed: int) -> Array:
    """Return random poses: near home for robots of the library, else at about 0.6 m height or in the plane.

    The spherical joint of a planar leg stays in a vertical plane through the axis of the base. Height and two angles
    are chosen; the other two positions and the rotation about the vertical follow by Newton's method.
    """
    rng = np.random.default_rng(seed)
    placements = np.broadcast_to(np.eye(4), (count, 4, 4)).copy()
    if name in LIBRARY or name in FREEDOMS:
        free = list(FREEDOMS.get(name, range(6)))
        placements[:] = home(robot) if name in LIBRARY else np.eye(4)
        for T in placements:
            move = np.zeros(6)
            move[free] = rng.uniform(-1, 1, len(free))
            T[:3, 3] += 0.08 * move[:3]
            T[:3, :3] = turned(0.3 * move[3:]) @ T[:3, :3]
        return placements
    for T in placements:
        T[:3, 3] = [0, 0, 0.6] + 0.08 * rng.uniform(-1, 1, 3)
        if name.startswith("6"):
            T[:3, :3] = turned(0.25 * rng.uniform(-1, 1, 3))
        elif name != "3-UPU":
            T[:] = in_planes(robot, T[2, 3], turned([*(0.3 * rng.uniform(-1, 1, 2)), 0]))
    return placements


def home(robot: Robot) -> Array:
    """Return the pose of the platform in the posture home."""
    closed = CutTree(robot)
    x = closed.opened(np.array([robot.postures["home"]]))
    return closed.platform(x, robot.platform or 0)[0][0]


def turned(w: Sequence[float] | Array) -> Array:
    """Return the rotation matrix of a rotation vector."""
    x, y, z = w
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    angle = float(np.linalg.norm(w)) or 1.0
    return np.asarray(np.eye(3) + np.sin(angle) / angle * k + (1 - np.cos(angle)) / angle**2 * k @ k)


def in_planes(robot: Robot, height: float, tilt: Array) -> Array:
    """Return the pose with the spherical joints of three planar legs in their planes, at a height and tilt."""
    numbers = dict(robot.nominal)
    angles = [0, 2 * np.pi / 3, 4 * np.pi / 3 + numbers["E"]]
    radii = [numbers[f"RP{n}"] for n in ("", "2", "3")]
    balls = np.array([[r * np.cos(a), r * np.sin(a), 0] for a, r in zip(angles, radii, strict=True)])
    normals = np.array([[-np.sin(a), np.cos(a), 0] for a in angles])

    def pose(u: Array) -> Array:
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = turned([0, 0, u[2]]) @ tilt, [u[0], u[1], height]
        return T

    def off(u: Array) -> Array:
        T = pose(u)
        return np.asarray((normals * (T[:3, 3] + balls @ T[:3, :3].T)).sum(1))

    u = np.zeros(3)
    for _ in range(30):
        slopes = np.array([(off(u + h) - off(u - h)) / 2e-6 for h in 1e-6 * np.eye(3)]).T
        u = u - np.linalg.solve(slopes, off(u))
    assert np.abs(off(u)).max() < 1e-14
    return pose(u)
