"""Random wheeled robots: layouts that can roll, with drives that determine the motion."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from symoro.expr.formula import Formula, formula
from symoro.robot.description import Base, BaseKind, Frame, JointType, Link, Robot
from symoro.robot.wheels import Wheel, WheelKind
from tests.oracle.wheels import Wheels

KEYS = ("XX", "XY", "XZ", "YY", "YZ", "ZZ", "MX", "MY", "MZ", "M")


def some(rng: np.random.Generator, low: float, high: float) -> Formula:
    return formula(float(rng.uniform(low, high)))


def body(rng: np.random.Generator) -> Link:
    """Return the inertial parameters of a few point masses."""
    points, masses = rng.uniform(-0.4, 0.4, (6, 3)), rng.uniform(0.1, 1, 6)
    J = sum(m * (p @ p * np.eye(3) - np.outer(p, p)) for m, p in zip(masses, points, strict=True))
    first = masses @ points
    values = (J[0, 0], J[0, 1], J[0, 2], J[1, 1], J[1, 2], J[2, 2], *first, masses.sum())
    return Link(**{key: formula(float(x)) for key, x in zip(KEYS, values, strict=True)})


@dataclass
class Layout:
    """Wheeled robot under construction."""

    rng: np.random.Generator
    frames: list[Frame] = field(default_factory=list)
    wheels: list[Wheel] = field(default_factory=list)

    def frame(self, ant: int, **place: float) -> int:
        rng = self.rng
        drive = {key: some(rng, 0, 0.3) for key in ("IA", "FV", "FS")}
        made = {key: formula(float(value)) for key, value in place.items()}
        self.frames.append(Frame(ant, mu=False, **made, **drive))
        return len(self.frames)

    def on_base(self, kind: WheelKind, x: float, y: float, angle: float, roller: float = 0.0) -> None:
        """Add a wheel fixed to the base, with its direction of travel rotated by an angle."""
        radius = float(self.rng.uniform(0.05, 0.3))
        c, s = math.cos(angle), math.sin(angle)
        j = self.frame(0, gamma=angle, b=radius, alpha=-math.pi / 2, d=c * x + s * y, r=c * y - s * x)
        self.wheels.append(Wheel(j, kind, formula(radius), roller=formula(roller)))

    def turning(self, kind: WheelKind, x: float, y: float, ant: int = 0) -> None:
        """Add a wheel on a vertical joint, which points up or down."""
        rng = self.rng
        radius = float(rng.uniform(0.05, 0.3))
        down = bool(rng.random() < 0.3)
        i = self.frame(
            ant,
            gamma=math.atan2(y, x),
            b=radius if ant == 0 else 0.0,
            alpha=math.pi if down else 0.0,
            d=math.hypot(x, y),
            theta=float(rng.uniform(-3, 3)),
        )
        behind = float(rng.uniform(0.05, 0.2)) if kind == WheelKind.CASTOR else 0.0
        aside = float(rng.uniform(-0.1, 0.1)) if kind == WheelKind.CASTOR and rng.random() < 0.5 else 0.0
        j = self.frame(i, alpha=math.pi / 2 if rng.random() < 0.5 else -math.pi / 2, d=-behind, r=aside)
        self.wheels.append(Wheel(j, kind, formula(radius), steering=i))

    def arm(self, joints: int) -> list[int]:
        ant, result = 0, []
        for _ in range(joints):
            prismatic = bool(self.rng.random() < 0.3)
            place = self.rng.uniform(-1, 1, 4)
            ant = self.frame(ant, alpha=place[0], d=place[1], theta=place[2], r=place[3])
            if prismatic:
                last = self.frames[-1]
                self.frames[-1] = Frame(
                    last.ant,
                    JointType.PRISMATIC,
                    alpha=last.alpha,
                    d=last.d,
                    theta=last.theta,
                    r=last.r,
                    IA=last.IA,
                )
            result.append(ant)
        return result

    def robot(self, active: list[int]) -> Robot:
        from dataclasses import replace

        frames = tuple(replace(frame, mu=j in active) for j, frame in enumerate(self.frames, 1))
        links = tuple(body(self.rng) for _ in frames)
        zero = Formula("0")
        base = Base(kind=BaseKind.WHEELED, link=body(self.rng), G=(zero, zero, formula(-9.81)))
        return Robot("layout", frames, links, base, wheels=tuple(self.wheels))


def layout(seed: int) -> tuple[Robot, np.ndarray]:
    """Return a wheeled robot and a configuration far from singularities of its drives."""
    for attempt in range(400):
        rng = np.random.default_rng([seed, attempt])
        made = Layout(rng)
        axle = float(rng.uniform(-3, 3))
        normal = np.array([-math.sin(axle), math.cos(axle)])
        start = rng.uniform(-0.5, 0.5, 2)
        for _ in range(int(rng.integers(0, 3))):  # fixed wheels share one axle
            x, y = start + normal * rng.uniform(-0.5, 0.5)
            made.on_base(WheelKind.FIXED, float(x), float(y), axle)
        for _ in range(int(rng.integers(0, 2 if made.wheels else 3))):
            made.turning(WheelKind.STEERING, *map(float, rng.uniform(-0.8, 0.8, 2)))
        for _ in range(int(rng.integers(0, 3))):
            made.turning(WheelKind.CASTOR, *map(float, rng.uniform(-0.8, 0.8, 2)))
        for _ in range(int(rng.integers(0, 4))):
            x, y, angle, roller = rng.uniform(-0.8, 0.8, 4)
            made.on_base(WheelKind.SWEDISH, float(x), float(y), 3 * float(angle), float(roller))
        if not made.wheels:
            continue
        arm = made.arm(int(rng.integers(0, 3)))
        result = _driven(made, arm, rng)
        if result is not None:
            return result
    raise AssertionError("no layout")


def _driven(made: Layout, arm: list[int], rng: np.random.Generator) -> tuple[Robot, np.ndarray] | None:
    """Return the robot with random drives that determine the motion, or None."""
    robot = made.robot([])
    n = len(made.frames)
    q = rng.uniform(-1.2, 1.2, n)
    C = Wheels(robot).rows(q).real
    freedoms = 3 + n - int(np.linalg.matrix_rank(C, tol=1e-9))
    if freedoms < 1:
        return None
    others = [int(j) for j in rng.permutation([j for j in range(1, n + 1) if j not in arm])]
    active: list[int] = list(arm)
    for j in others:
        if len(active) == freedoms:
            break
        rest = [k for k in range(3 + n) if k - 2 not in (*active, j)]
        if np.linalg.matrix_rank(C[:, rest], tol=1e-9) == len(rest) or _raises(C, active, j):
            active.append(j)
    rest = [k for k in range(3 + n) if k - 2 not in active]
    values = np.linalg.svd(C[:, rest], compute_uv=False)
    if len(active) != freedoms or len(values) < len(rest) or values[0] > 300 * values[-1]:
        return None
    return made.robot(sorted(active)), q


def _raises(C: np.ndarray, active: list[int], j: int) -> bool:
    """Return whether one more drive determines one more degree of freedom."""
    units = np.eye(C.shape[1])
    rank = lambda joints: np.linalg.matrix_rank(np.vstack([C, units[[2 + i for i in joints]]]), tol=1e-9)  # noqa: E731
    return bool(rank([*active, j]) > rank(active))
