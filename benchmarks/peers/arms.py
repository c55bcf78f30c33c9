"""Arms for inverse geometry, as numbers that all parties share: placements, axes, Denavit-Hartenberg parameters.

Nothing here comes from a model of symoro: the direct geometry multiplies the six parameters of each frame by itself,
and what the peers want is measured on the arm in its position zero, so that no table is copied by hand.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import symoro
from symoro.expr.formula import Formula
from symoro.robot.description import Frame, JointType, Link, Placement, Robot, Tool

EXACT = 1e-14  # rounding of sines: nearer than this to 0 or 1 is 0 or 1
ALIKE = 1e-9  # axes nearer than this to parallel, or to meeting, are
STROKE = (0.2, 1.0)  # of a prismatic joint, metres
TITLES = {
    "puma560": "PUMA560",
    "rx90": "RX90",
    "ur5e": "UR5e",
    "tx40": "TX40",
    "jaco2": "JACO2",
    "panda": "Panda, joint 7 locked",
    "stanford": "Stanford",
    "general6r": "general 6R, random",
}


@dataclass(frozen=True)
class Arm:
    """A serial arm.

    Attributes:
        robot: symbols as they are in the description.
        revolute: a mask over the joints.
        rows: gamma, b, alpha, d, theta, r of each frame; the last row is the tool, and moves with no joint.
    """

    name: str
    title: str
    robot: Robot
    revolute: Any
    rows: Any

    @property
    def joints(self) -> int:
        return len(self.revolute)

    @cached_property
    def number(self) -> Robot:
        """The robot with all its symbols replaced by numbers."""
        return self.robot.bind(dict(self.robot.nominal))

    def postures(self, count: int) -> Any:
        """Random positions (count, joints): a pose made from them can be reached."""
        random = np.random.default_rng(1)
        turns = random.uniform(-math.pi, math.pi, (count, self.joints))
        return np.where(self.revolute, turns, random.uniform(*STROKE, turns.shape))


@dataclass(frozen=True)
class Axes:
    """An arm in position zero: directions (joints, 3) and points (joints, 3) of its axes, and its placement."""

    directions: Any
    points: Any
    home: Any


@dataclass(frozen=True)
class Standard:
    """Standard Denavit-Hartenberg parameters: T = base A1 ... An tool, A = Rz(theta) Tz(d) Tx(a) Rx(alpha)."""

    theta: tuple[float, ...]
    d: tuple[float, ...]
    a: tuple[float, ...]
    alpha: tuple[float, ...]
    base: Any
    tool: Any


def arm(name: str) -> Arm:
    """One of TITLES."""
    if name == "general6r":
        robot = general()
    elif name == "panda":
        robot = locked(symoro.load("panda"), Formula("pi/4"))
    else:
        robot = symoro.load(name)
    return measured(name, TITLES[name], robot)


def measured(name: str, title: str, robot: Robot) -> Arm:
    """A robot that is a plain chain, with any number of joints."""
    number = robot.bind(dict(robot.nominal))
    places: list[Frame | Placement] = [*number.frames]
    places.append(number.tool.place if number.tool else Placement(ant=number.NL))
    if [place.ant for place in places] != list(range(len(places))):
        raise ValueError(f"{name} is no plain chain")
    columns = ("gamma", "b", "alpha", "d", "theta", "r")
    rows = np.array([[getattr(place, column).number for column in columns] for place in places])
    revolute = np.array([frame.sigma == JointType.REVOLUTE for frame in number.frames])
    return Arm(name, title, robot, revolute, rows)


def locked(robot: Robot, angle: Formula) -> Robot:
    """A robot whose last joint is held: it becomes the tool of the others."""
    last = robot.frames[-1]
    place = Placement(last.ant, last.gamma, last.b, last.alpha, last.d, last.theta + angle, last.r)
    name = f"{robot.name}_locked"
    return robot.replace(name=name, frames=robot.frames[:-1], links=robot.links[:-1], tool=Tool(place))


def general() -> Robot:
    """Six revolute joints without any special place."""
    random = np.random.default_rng(6)
    frames = []
    for j in range(6):
        alpha, d, theta, r = random.uniform((0.4, 0.1, -2, -0.4), (1.4, 0.5, 2, 0.4)).round(3)
        frames.append(
            Frame(
                ant=j,
                alpha=Formula(str(alpha)),
                d=Formula(str(d)),
                theta=Formula(str(theta)),
                r=Formula(str(r)),
            )
        )
    return Robot("general6r", tuple(frames), (Link(),) * 6)


def direct(arm: Arm, q: Any) -> Any:
    """Placements (..., 4, 4) of the tool for positions (..., joints)."""
    return _frames(arm, q)[-1]


def _frames(arm: Arm, q: Any) -> list[Any]:
    moved = np.zeros((*np.shape(q)[:-1], arm.joints + 1))
    moved[..., :-1] = q
    revolute = np.append(arm.revolute, True)
    place = np.broadcast_to(np.eye(4), (*np.shape(q)[:-1], 4, 4))
    frames = []
    for j, (gamma, b, alpha, d, theta, r) in enumerate(arm.rows):
        turn = theta + moved[..., j] * revolute[j]
        length = r + moved[..., j] * (not revolute[j])
        place = place @ _screw("z", gamma, b) @ _screw("x", alpha, d) @ _screw("z", turn, length)
        frames.append(place)
    return frames


def _screw(axis: str, angle: Any, length: Any) -> Any:
    angle, length = np.broadcast_arrays(np.asarray(angle, float), np.asarray(length, float))
    s, c = np.sin(angle), np.cos(angle)
    zero, one = np.zeros_like(c), np.ones_like(c)
    if axis == "z":
        rows = [[c, -s, zero, zero], [s, c, zero, zero], [zero, zero, one, length]]
    else:
        rows = [[one, zero, zero, length], [zero, c, -s, zero], [zero, s, c, zero]]
    return np.moveaxis(np.array([*rows, [zero, zero, zero, one]]), (0, 1), (-2, -1))


def axes(arm: Arm) -> Axes:
    """The arm at zero."""
    frames = [_cleaned(frame) for frame in _frames(arm, np.zeros(arm.joints))]
    directions = np.array([frame[:3, 2] for frame in frames[:-1]])
    return Axes(directions, np.array([frame[:3, 3] for frame in frames[:-1]]), frames[-1])


def _cleaned(array: Any) -> Any:
    """Sines and cosines of right angles without their rounding, since the peers look for exact zeros."""
    nearest = np.clip(np.round(array), -1, 1)
    return np.where(np.abs(array - nearest) < EXACT, nearest, array)


def standard(axes: Axes) -> Standard:
    """Standard parameters by the classical construction: x along the common normal of an axis with the next."""
    z, home = axes.directions, axes.home
    n = len(z)
    x, origin = _normals(axes)
    theta, d, a, alpha = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n)
    for i in range(1, n):
        step = origin[i] - origin[i - 1]
        theta[i - 1] = _angle(x[i - 1], x[i], z[i - 1])
        d[i - 1], a[i - 1] = step @ z[i - 1], step @ x[i]
        alpha[i - 1] = _angle(z[i - 1], z[i], x[i])
    base = _place(x[0], z[0], origin[0])
    tool = np.linalg.inv(_place(x[-1], z[-1], origin[-1])) @ home
    values = [tuple(float(v) for v in _cleaned(w)) for w in (theta, d, a, alpha)]
    return Standard(*values, base, tool)


def _normals(axes: Axes) -> tuple[list[Any], list[Any]]:
    """x and origin of the frames 0 .. n-1; frame i has the axis of joint i+1, and frame n is frame n-1, moved."""
    z, p = axes.directions, axes.points
    xs: list[Any] = []
    origins: list[Any] = [p[0]]
    for i in range(1, len(z)):
        before = origins[-1]
        cross = np.cross(z[i - 1], z[i])
        sine = np.linalg.norm(cross)
        between = p[i] - before
        if sine > ALIKE:
            x = cross / sine
            foot = before + z[i - 1] * (np.cross(between, z[i]) @ cross) / sine**2
            origin = p[i] + z[i] * (np.cross(between, z[i - 1]) @ cross) / sine**2
        else:
            foot = before
            origin = p[i] - z[i] * (between @ z[i])
            gap = origin - before
            if np.linalg.norm(gap) > ALIKE:
                x = gap / np.linalg.norm(gap)
            else:
                x = xs[-1] if xs else _across(z[i])
        if i == 1:
            origins[0] = foot  # the base is free along the first axis
        elif x @ xs[-1] < -ALIKE:
            x = -x  # an offset of 0 rather than pi, as in the usual tables
        xs.append(_cleaned(x))
        origins.append(_cleaned(origin))
    return [xs[0], *xs], origins


def _across(z: Any) -> Any:
    other = np.eye(3)[np.argmin(np.abs(z))]
    x = np.cross(z, other)
    return x / np.linalg.norm(x)


def _angle(start: Any, end: Any, about: Any) -> float:
    return math.atan2(np.cross(start, end) @ about, start @ end)


def _place(x: Any, z: Any, origin: Any) -> Any:
    place = np.eye(4)
    place[:3, :4] = np.column_stack([x, np.cross(z, x), z, origin])
    return place


def standard_direct(table: Standard, q: Any, revolute: Sequence[bool]) -> Any:
    """The placements that a table says, to compare."""
    place = table.base
    for j, turns in enumerate(revolute):
        theta = table.theta[j] + (q[..., j] if turns else 0.0)
        d = table.d[j] + (0.0 if turns else q[..., j])
        place = place @ _screw("z", theta, d) @ _screw("x", table.alpha[j], table.a[j])
    return place @ table.tool
