"""Planar robots with closed loops that have several assembly modes, and their torques on the branch of one posture.

The loops are closed by Newton's method here, and postures of the branch are reached in small steps from `home`; no step
crosses a singular configuration. Torques and regressors are those of `closed.Closed`, whose links have one parameter
each for a column of the regressor.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from symoro.expr.formula import ZERO, formula
from symoro.robot.description import INERTIAL, Base, Frame, JointType, Link, Robot
from tests.oracle.closed import Array, Closed

R, P, F = JointType.REVOLUTE, JointType.PRISMATIC, JointType.FIXED
VERTICAL = Base(G=(formula(0), formula("-9.81"), formula(0)))
SINGULAR = 0.03  # smallest singular value of a step's end, of the best posture met
PLANAR = ("ZZ", "MX", "MY", "M")


# -- robots


def frame(ant: int, sigma: JointType = R, *, mu: bool = False, **place: float | str) -> Frame:
    return Frame(ant, sigma, mu=mu, **{name: formula(x) for name, x in place.items()})


def bodies(count: int, seed: int = 1) -> tuple[Link, ...]:
    rng = np.random.default_rng(seed)
    sizes = np.column_stack(
        [rng.uniform(0.05, 0.3, count), *rng.uniform(-0.3, 0.3, (2, count)), np.ones(count)]
    )
    return tuple(
        Link(**{name: formula(round(float(x), 3)) for name, x in zip(PLANAR, row, strict=True)})
        for row in sizes
    )


def wrapped(angle: float) -> float:
    return float((angle + np.pi) % (2 * np.pi) - np.pi)


def met(a: complex, b: complex, left: float, right: float, side: int) -> complex:
    """Return the intersection of two circles about a and b, on one side."""
    along, distance = np.angle(b - a), abs(b - a)
    return a + left * np.exp(
        1j * (along + side * np.arccos((left**2 + distance**2 - right**2) / (2 * left * distance)))
    )


def four_bar(
    crank: float, ground: float, coupler: float, rocker: float, side: int, drive: int = 1, q: float = 0.9
) -> Robot:
    tip = crank * np.exp(1j * q)
    top = met(tip, ground, coupler, rocker, side)
    frames = (
        frame(0, mu=drive == 1),
        frame(1, d=crank),
        frame(0, d=ground, mu=drive == 3),
        frame(2, d=coupler),
        frame(3, F, d=rocker),
    )
    home = (q, wrapped(np.angle(top - tip) - q), float(np.angle(top - ground)))
    return Robot("four-bar", frames, bodies(3), VERTICAL, postures={"home": home})


def slider_crank(crank: float, rod: float, side: int, q: float = 0.7) -> Robot:
    """Return a slider-crank whose slide passes through the crank's axis; `side` is the side of the rod's end."""
    tip = crank * np.exp(1j * q)
    end = tip.real + side * np.sqrt(rod**2 - tip.imag**2)
    frames = (
        frame(0, mu=True),
        frame(1, d=crank),
        frame(0, P, gamma="pi/2", alpha="pi/2"),
        frame(2, d=rod),
        frame(3, F, alpha="-pi/2"),
    )
    home = (q, wrapped(np.angle(end - tip) - q), float(end))
    links = (*bodies(2), Link(M=formula(1.5)))
    return Robot("slider-crank", frames, links, VERTICAL, postures={"home": home})


def five_bar(
    lengths: tuple[float, float, float, float, float], side: int, q: tuple[float, float] = (2, 1)
) -> Robot:
    """Return a five-bar of left crank and rod, ground, right crank and rod; both cranks are active."""
    crank, rod, ground, other_crank, other_rod = lengths
    left, right = crank * np.exp(1j * q[0]), ground + other_crank * np.exp(1j * q[1])
    top = met(left, right, rod, other_rod, side)
    frames = (
        frame(0, mu=True),
        frame(1, d=crank),
        frame(0, d=ground, mu=True),
        frame(3, d=other_crank),
        frame(2, d=rod),
        frame(4, F, d=other_rod),
    )
    home = (
        float(q[0]),
        wrapped(np.angle(top - left) - q[0]),
        float(q[1]),
        wrapped(np.angle(top - right) - q[1]),
    )
    return Robot("five-bar", frames, bodies(4), VERTICAL, postures={"home": home})


def braced_arm(arm: float, far: float, near: float, side: int) -> Robot:
    """Return an active link with two bars that form a rigid triangle with it."""
    top = met(0, arm, near, far, side)
    frames = (frame(0, mu=True), frame(1, d=arm), frame(1), frame(2, d=far), frame(3, F, d=near))
    home = (0.2, float(np.angle(top - arm)), float(np.angle(top)))
    return Robot("braced arm", frames, bodies(3), VERTICAL, postures={"home": home})


def scaled(robot: Robot, s: float) -> Robot:
    """Return the robot with lengths, prismatic positions, gravity and inertial parameters scaled by s."""
    k = formula(repr(s))
    power = {"M": formula(1), **dict.fromkeys(("MX", "MY", "MZ"), k)}
    links = tuple(Link(**{n: getattr(x, n) * power.get(n, k * k) for n in INERTIAL}) for x in robot.links)
    frames = tuple(replace(f, b=f.b * k, d=f.d * k, r=f.r * k) for f in robot.frames)
    g = robot.base.G
    home = [
        x * s if robot.frame(j).sigma == P else x for j, x in enumerate(robot.postures["home"], 1)
    ]  # every joint of the tree moves
    base = replace(robot.base, G=(g[0] * k, g[1] * k, g[2] * k))
    return Robot(robot.name, frames, links, base, postures={"home": home})


# -- their branches


class Branch:
    """Robot with loops closed from its posture 'home'."""

    def __init__(self, robot: Robot) -> None:
        self.closed = Closed(robot)
        lengths = [abs(x) for place in self.closed.place.values() for x in (place[1], place[3], place[5])]
        self.size = max(lengths)
        row = np.ones((3, 4))
        row[:, 3] = 1 / self.size
        self.rows = np.tile(row.ravel(), robot.B)
        slides = [robot.frame(j).sigma == P for j in self.closed.joints]
        self.units = np.where(slides, self.size, 1.0)
        q = np.array(robot.postures["home"])
        tried = [np.r_[q, angle] for angle in np.linspace(-3, 3, 7)]  # of the cut joint
        cut_columns = list(range(len(q), len(self.closed.joints)))
        near = min((self.newton(x, cut_columns) for x in tried), key=self.gap)
        self.home = self.newton(near, list(range(len(near))))
        assert self.gap(self.home) < 1e-12 and np.abs((self.home - near) / self.units).max() < 1e-6

    def gap(self, x: Array) -> float:
        return float(np.abs(self.closed.gaps(x, 0 * x, 0 * x)[0] * self.rows).max())

    def jacobian(self, x: Array) -> Array:
        return np.asarray(self.closed.jacobian(x) * self.rows[:, None] * self.units)

    def newton(self, x: Array, free: list[int]) -> Array:
        x = np.array(x, float)
        for _ in range(30):
            e = self.closed.gaps(x, 0 * x, 0 * x)[0] * self.rows
            step = np.linalg.lstsq(self.jacobian(x)[:, free], -e, rcond=1e-9)[0]
            x[free] += step * min(1.0, 0.3 / max(np.abs(step).max(), 1e-300)) * self.units[free]
            if np.abs(step).max() < 1e-15:
                break
        return x

    def postures(self, count: int, rng: np.random.Generator) -> Array:
        """Return configurations of the branch in which the active joints determine the others."""
        x, postures = self.home, []
        null, best, rank = self._tangents(x)
        way = rng.standard_normal(len(x))
        for number in range(1, 4000):
            move = null @ (null.T @ way)
            if null.shape[1]:
                move *= 0.06 * rng.uniform(0.3, 1) / np.linalg.norm(move)
            there = self.newton(x + move * self.units, list(range(len(x))))
            ahead, condition, rank_there = self._tangents(there)
            changed = np.linalg.norm((there - x) / self.units - move)
            if (
                self.gap(there) < 1e-12
                and changed <= 0.02
                and rank_there == rank
                and condition > SINGULAR * best
            ):
                x, null, way, best = (
                    there,
                    ahead,
                    move + 0.01 * rng.standard_normal(len(x)),
                    max(best, condition),
                )
            else:
                way = rng.standard_normal(len(x))
            values = np.linalg.svd(self.jacobian(x)[:, self.closed.rest], compute_uv=False)
            if number % 8 == 0 and values[len(self.closed.rest) - 1] > 1e-2 * values[0]:
                postures.append(x)
            if len(postures) == count:
                return np.array(postures)
        raise AssertionError("too few postures")

    def _tangents(self, x: Array) -> tuple[Array, float, int]:
        _, values, right = np.linalg.svd(self.jacobian(x))
        rank = int((values > 1e-7 * values[0]).sum())
        return right[rank:].T, float(values[rank - 1] / values[0]), rank


@dataclass(frozen=True)
class Samples:
    """States of a branch (q, qda, qdda), torques, the standard regressor and its numeric rank."""

    q: Array
    qda: Array
    qdda: Array
    tau: Array
    values: dict[str, float]
    rank: int


def samples(robot: Robot, count: int = 8, seed: int = 0) -> Samples:
    branch, rng = Branch(robot), np.random.default_rng(seed)
    truth = branch.closed
    names = [
        (n, j) for j, link in enumerate(robot.links, 1) for n in INERTIAL if not getattr(link, n).is_zero
    ]
    units = [Closed(_alone(robot, n, j)) for n, j in names]
    rows, states, torques = [], [], []
    for x in branch.postures(count, rng):
        for _ in range(2):
            qda, qdda = rng.standard_normal((2, truth.na)) * branch.units[truth.active]
            moving = truth.moved(x, qda, qdda)
            rows.append(np.array([moving.G.T @ one.efforts(moving) for one in units]).T)
            torques.append(truth.torques(x, qda, qdda))
            states.append((x[: truth.n], qda, qdda))
    q, qda, qdda = (np.array(part) for part in zip(*states, strict=True))
    W, tau = np.concatenate(rows), np.array(torques)
    values = {f"{n}{j}": getattr(robot.link(j), n).value({}) for n, j in names}
    assert np.abs(W @ list(values.values()) - tau.ravel()).max() < 1e-9 * np.abs(tau).max()
    sizes = np.linalg.norm(W, axis=0) * np.abs(list(values.values()))
    used = W[:, sizes > 1e-11 * np.linalg.norm(tau)]
    singular = np.linalg.svd(used / np.linalg.norm(used, axis=0), compute_uv=False)
    return Samples(q, qda, qdda, tau, values, int((singular > 1e-7 * singular[0]).sum()))


def _alone(robot: Robot, name: str, j: int) -> Robot:
    """Return the robot with one inertial parameter of size 1, all others zero."""
    links = [Link(**{name: formula(1)}) if k == j else Link() for k in range(1, robot.NL + 1)]
    none = dict.fromkeys(("IA", "FV", "FS", "FO"), ZERO)
    return replace(robot, links=tuple(links), frames=tuple(replace(f, **none) for f in robot.frames))
