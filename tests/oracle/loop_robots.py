"""Random robots with one to three closed loops of all kinds, each with a closed configuration.

A robot is drawn in a configuration: joints are added with their positions in it, and the closing frame of a loop has
the pose of the cut joint. Loops are attached to the base, to a link of a tree or to links of other loops; lengths are
numbers or symbols.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from symoro.expr.formula import Formula, formula
from symoro.robot.description import ANGLES, GEOMETRIC, INERTIAL, Base, Frame, JointType, Link, Robot
from tests.oracle.arms import Rng, oblique
from tests.oracle.placement import placement, screw

Array = NDArray[np.float64]
Where = int | str  # a link, or "closing frame 1": the frame that closes the first loop
R, P, F = JointType.REVOLUTE, JointType.PRISMATIC, JointType.FIXED


def parameters(T: Array) -> dict[str, float | str]:
    """Return the six geometric parameters of a transform."""
    if abs(T[2, 2]) > 1 - 1e-9:
        gamma = float(np.arctan2(T[1, 3], T[0, 3]))
        turned = screw("z", -gamma, 0) @ T
        over = T[2, 2] < 0
        result: dict[str, float | str] = {
            "gamma": gamma,
            "b": float(T[2, 3]),
            "alpha": "pi" if over else 0.0,
            "d": float(np.hypot(T[0, 3], T[1, 3])),
            "theta": float(np.arctan2(-turned[1, 0] if over else turned[1, 0], turned[0, 0])),
        }
    else:
        alpha = float(np.arccos(T[2, 2]))
        gamma, theta = float(np.arctan2(T[0, 2], -T[1, 2])), float(np.arctan2(T[2, 0], T[2, 1]))
        x, y, z = (screw("z", -gamma, 0) @ T)[:3, 3]
        r = -y / np.sin(alpha)
        values = (gamma, z - r * np.cos(alpha), alpha, x, theta, r)
        result = dict(zip(GEOMETRIC, map(float, values), strict=True))
    return {n: v if isinstance(v, str) else _plain(n, v) for n, v in result.items()}


def _plain(name: str, value: float) -> float | str:
    """Return the value without round-off: zero, or a multiple of a right angle."""
    turns = round(value / (np.pi / 2))
    if name in ANGLES and turns and abs(value - turns * np.pi / 2) < 1e-12:
        return f"{turns}*pi/2"
    return value if abs(value) > 1e-12 else 0.0


@dataclass
class Draft:
    """Robot under construction, in a configuration."""

    rng: Rng
    symbols: float = 0.4  # how many of the lengths are symbols
    frames: list[Frame] = field(default_factory=list)
    q: list[float] = field(default_factory=list)
    cut_joints: list[tuple[Frame, float]] = field(default_factory=list)
    closing_frames: list[tuple[Where, Frame]] = field(default_factory=list)
    nominal: dict[str, float] = field(default_factory=dict)
    bare: set[int] = field(default_factory=set)  # fixed frames without a mass

    def length(self, low: float = 0.15, high: float = 0.7, name: str = "L") -> Formula:
        return self.named(round(float(self.rng.uniform(low, high)), int(self.rng.choice([2, 3, 15]))), name)

    def named(self, value: float, name: str = "L") -> Formula:
        """Return the number, or a symbol with this nominal value."""
        if self.rng.random() > self.symbols:
            return formula(value)
        self.nominal[f"{name}{len(self.nominal) + 1}"] = value
        return Formula(f"{name}{len(self.nominal)}")

    def value(self, f: Formula) -> float:
        return f.value(self.nominal)

    def local(self, frame: Frame, q: float = 0.0) -> Array:
        gamma, b, alpha, d, theta, r = (self.value(getattr(frame, n)) for n in GEOMETRIC)
        theta, r = theta + q * (frame.sigma == R), r + q * (frame.sigma == P)
        return placement(gamma, b, alpha, d, theta, r)

    def placed(self, at: Where) -> Array:
        if isinstance(at, str):
            ant, frame = self.closing_frames[int(at.split()[-1]) - 1]
            return self.placed(ant) @ self.local(frame)
        if at == 0:
            return np.eye(4)
        frame = self.frames[at - 1]
        return self.placed(frame.ant) @ self.local(frame, self.q[at - 1])

    def joint(
        self, ant: int, q: float, sigma: JointType = R, *, active: bool = False, **place: object
    ) -> int:
        fields = {n: v if isinstance(v, Formula) else formula(v) for n, v in place.items()}  # type: ignore[arg-type]
        self.frames.append(Frame(ant, sigma, mu=active, **fields))
        self.q.append(q)
        return len(self.frames)

    def mark(self, ant: int, **place: object) -> int:
        """Add a fixed frame without mass."""
        self.bare.add(self.joint(ant, 0.0, F, **place))
        return len(self.frames)

    def close(self, ant: int, on: Where, q: float, sigma: JointType = R, **place: object) -> str:
        """Cut a joint on `ant` and close the loop on another link, in the present configuration."""
        fields = {n: v if isinstance(v, Formula) else formula(v) for n, v in place.items()}  # type: ignore[arg-type]
        frame = Frame(ant, sigma, mu=False, **fields)
        target = np.linalg.inv(self.placed(on)) @ self.placed(ant) @ self.local(frame, q)
        given = {n: formula(v) for n, v in parameters(target).items()}
        if given["d"].number and abs(given["d"].number) > 1e-6:
            given["d"] = self.named(given["d"].number)
        return self.shut(frame, q, on, Frame(0, F, mu=False, **given))

    def shut(self, frame: Frame, q: float, on: Where, closing_frame: Frame) -> str:
        self.cut_joints.append((frame, q))
        self.closing_frames.append((on, closing_frame))
        return f"closing frame {len(self.closing_frames)}"

    def robot(self, name: str) -> tuple[Robot, dict[int, float]]:
        n, loops = len(self.frames), len(self.cut_joints)
        number = {f"closing frame {k + 1}": n + loops + k + 1 for k in range(loops)}
        frames = [replace(f, IA=Formula(f"IA{j}") if f.mu else f.IA) for j, f in enumerate(self.frames, 1)]
        frames += [frame for frame, _ in self.cut_joints]
        frames += [
            replace(frame, ant=number[on] if isinstance(on, str) else on) for on, frame in self.closing_frames
        ]
        rng = self.rng
        share = 1.0 if rng.random() < 0.8 else 0.7
        links = [
            Link(**{x: Formula(f"{x}{j}") for x in INERTIAL if j not in self.bare and rng.random() < share})
            for j in range(1, n + 1)
        ]
        g = [("0", "0", "-9.81"), ("0", "-9.81", "0"), ("0", "0", "0"), ("1.5", "2", "-9")]
        x, y, z = (formula(t) for t in g[int(rng.choice(4, p=[0.4, 0.35, 0.05, 0.2]))])
        made = Robot(
            name, tuple(frames), tuple(links), Base(G=(x, y, z)), nominal=tuple(self.nominal.items())
        )
        positions = {
            **dict(enumerate(self.q, 1)),
            **{n + k + 1: q for k, (_, q) in enumerate(self.cut_joints)},
        }
        return made, positions


# -- loops; each returns links that lie in its plane, in pairs (parent, child) joined by a joint


Pairs = list[tuple[int, int]]


def _angle(rng: Rng) -> float:
    return float(rng.uniform(-3, 3))


def _ground(draft: Draft, carrier: int) -> int:
    """Add the frame of a loop on its carrier."""
    u = draft.rng.random()
    if u < 0.5:
        return carrier
    if u < 0.75:
        return draft.mark(carrier, alpha=str(draft.rng.choice(["pi/2", "-pi/2"])), d=draft.length())
    return draft.mark(carrier, alpha=round(oblique(draft.rng), 3), d=draft.length(), r=draft.length())


def four_bar(draft: Draft, carrier: int) -> Pairs:
    ground = _ground(draft, carrier)
    crank = draft.joint(ground, _angle(draft.rng), active=True)
    coupler = draft.joint(crank, _angle(draft.rng), d=draft.length())
    rocker = draft.joint(ground, _angle(draft.rng), d=draft.length())
    draft.close(coupler, rocker, _angle(draft.rng), d=draft.length())
    return [(crank, coupler)]


def five_bar(draft: Draft, carrier: int) -> Pairs:
    ground = _ground(draft, carrier)
    left = draft.joint(ground, _angle(draft.rng), active=True)
    coupler = draft.joint(left, _angle(draft.rng), d=draft.length())
    right = draft.joint(ground, _angle(draft.rng), active=True, d=draft.length())
    other = draft.joint(right, _angle(draft.rng), d=draft.length())
    draft.close(coupler, other, _angle(draft.rng), d=draft.length())
    return [(left, coupler), (right, other)]


def parallelogram(draft: Draft, carrier: int, *, crossed: bool = False) -> Pairs:
    ground = _ground(draft, carrier)
    q, side, base = _angle(draft.rng), draft.length(), draft.length(0.2, 0.8)
    coupler_q, rocker_q = -q, q
    if crossed:
        a, b = draft.value(side), draft.value(base)
        tip = a * np.exp(1j * q)
        diagonal = b - tip  # the coupler reflected at the line from the crank's tip to the other pivot
        end = tip + (diagonal / abs(diagonal)) ** 2 * b
        coupler_q, rocker_q = float(np.angle(end - tip)) - q, float(np.angle(end - b))
    crank = draft.joint(ground, q, active=True)
    coupler = draft.joint(crank, coupler_q, d=side)
    rocker = draft.joint(ground, rocker_q, d=base)
    cut_joint = Frame(coupler, mu=False, d=base)
    draft.shut(cut_joint, rocker_q - q - coupler_q, rocker, Frame(0, F, mu=False, d=side))
    return [(crank, coupler)]


def slider_crank(draft: Draft, carrier: int) -> Pairs:
    ground, rng = _ground(draft, carrier), draft.rng
    crank = draft.joint(ground, _angle(rng), active=True)
    rod = draft.joint(crank, _angle(rng), d=draft.length())
    place: dict[str, object] = {"gamma": round(_angle(rng), 2), "d": round(float(rng.uniform(0, 0.3)), 2)}
    slider = draft.joint(ground, float(rng.uniform(0.1, 0.6)), P, alpha="pi/2", **place)
    draft.close(rod, slider, _angle(rng), d=draft.length())
    return [(crank, rod)]


def spherical(draft: Draft, carrier: int) -> Pairs:
    ground = _ground(draft, carrier)
    link = first = draft.joint(ground, _angle(draft.rng), active=True)
    for _ in range(2):
        link = draft.joint(link, _angle(draft.rng), alpha=round(oblique(draft.rng), 3))
    draft.close(link, ground, _angle(draft.rng), alpha=round(oblique(draft.rng), 3))
    return [(first, first + 1)]


def spatial(draft: Draft, carrier: int) -> Pairs:
    """Add seven joints in space, of which one or two may be prismatic, cut at any joint."""
    rng = draft.rng
    cut = int(rng.integers(2, 7))
    sliding = set(rng.choice(np.arange(1, 7), int(rng.choice([0, 0, 1, 2])), replace=False).tolist())

    def place() -> dict[str, object]:
        return {
            "alpha": round(oblique(rng), 3),
            "d": draft.length(),
            "r": round(float(rng.uniform(0.1, 0.5)), 3),
        }

    def grown(ant: int, first: int, last: int) -> int:
        for k in range(first, last):
            sigma = P if k in sliding else R
            q = float(rng.uniform(0.1, 0.5)) if sigma == P else _angle(rng)
            ant = draft.joint(ant, q, sigma, active=k == 0, **place())
        return ant

    left = grown(carrier, 0, cut)
    right = grown(carrier, cut, 6)
    draft.close(left, right, _angle(rng), **place())
    return []


# -- loops on links of loops


def dyad(draft: Draft, pairs: Pairs) -> None:
    """Add two links between two adjacent links of a planar loop; the mobility does not change."""
    parent, child = pairs[int(draft.rng.integers(len(pairs)))]
    one = draft.joint(parent, _angle(draft.rng), d=draft.length(), gamma=round(_angle(draft.rng), 2))
    other = draft.joint(child, _angle(draft.rng), d=draft.length(), gamma=round(_angle(draft.rng), 2))
    draft.close(one, other, _angle(draft.rng), d=draft.length())


def parallel_dyad(draft: Draft, pairs: Pairs) -> None:
    """Add a parallelogram about the joint of two links."""
    parent, child = pairs[int(draft.rng.integers(len(pairs)))]
    between, turn = _angle(draft.rng), _angle(draft.rng)
    a, b = draft.length(), draft.length()
    hinge = draft.mark(parent, **{n: getattr(draft.frames[child - 1], n) for n in GEOMETRIC})
    one = draft.joint(hinge, -turn, gamma=draft.q[child - 1] + between, d=a, theta=turn - between)
    arm = draft.joint(child, between, d=b)
    draft.shut(Frame(one, mu=False, d=b), between, arm, Frame(0, F, mu=False, d=a))


def on_cut_frame(draft: Draft, pairs: Pairs) -> None:
    """Add two links that are closed on the closing frame of the previous loop."""
    parent, _ = pairs[int(draft.rng.integers(len(pairs)))]
    one = draft.joint(parent, _angle(draft.rng), d=draft.length(), gamma=round(_angle(draft.rng), 2))
    two = draft.joint(one, _angle(draft.rng), d=draft.length())
    draft.close(two, f"closing frame {len(draft.closing_frames)}", _angle(draft.rng), d=draft.length())


LOOPS: dict[str, Callable[[Draft, int], Pairs]] = {
    "four-bar": four_bar,
    "parallelogram": parallelogram,
    "crossed": lambda draft, carrier: parallelogram(draft, carrier, crossed=True),
    "slider-crank": slider_crank,
    "five-bar": five_bar,
    "spherical": spherical,
    "spatial": spatial,
}
SHARES = [0.2, 0.3, 0.05, 0.15, 0.1, 0.1, 0.1]
ADDED: dict[str, Callable[[Draft, Pairs], None]] = {
    "dyad": dyad,
    "parallelogram about a joint": parallel_dyad,
    "on a closing frame": on_cut_frame,
}
PLANAR = ("four-bar", "parallelogram", "slider-crank", "five-bar")


def loop_robot(rng: Rng, number: int) -> tuple[Robot, dict[int, float], list[str]]:
    """Return a robot, the configuration in which it was drawn, and a description of its loops."""
    draft = Draft(rng, symbols=float(rng.choice([0.0, 0.5, 1.0])))
    for _ in range(int(rng.choice([0, 1, 2], p=[0.5, 0.3, 0.2]))):
        _tree_joint(draft, len(draft.frames))
    words: list[str] = []
    wanted = int(rng.choice([1, 2, 3], p=[0.35, 0.45, 0.2]))
    carriers = list(range(len(draft.frames) + 1))
    while len(draft.cut_joints) < wanted:
        kind = str(rng.choice(list(LOOPS), p=SHARES))
        if kind == "spatial" and "spatial" in words:
            continue
        carrier = int(rng.choice(carriers))
        pairs = LOOPS[kind](draft, carrier)
        words.append(kind)
        if kind in PLANAR and len(draft.cut_joints) < wanted and rng.random() < 0.6:
            added = str(rng.choice(list(ADDED)))
            ADDED[added](draft, pairs)
            words.append(added)
        carriers.append(len(draft.frames))
    for _ in range(int(rng.choice([0, 1, 2], p=[0.6, 0.3, 0.1]))):
        _tree_joint(draft, int(rng.integers(0, len(draft.frames) + 1)))
    robot, posture = draft.robot(f"loops{number}")
    return robot, posture, words


def folded(robot: Robot, posture: dict[int, float]) -> tuple[Robot, dict[int, float]]:
    """Return the same robot without its massless fixed frames; transforms are rounded numbers."""
    draft = Draft(np.random.default_rng(), nominal=dict(robot.nominal))
    bare = [j for j in range(1, robot.NL + 1) if robot.frame(j).sigma == F]
    number = {0: 0}
    for j in range(1, robot.NF + 1):
        if j not in bare:
            number[j] = len(number)
    frames = []
    for j, frame in enumerate(robot.frames, 1):
        if j in bare:
            continue
        while frame.ant in bare:
            under = robot.frame(frame.ant)
            place = parameters(draft.local(under) @ draft.local(frame))
            fields = {n: formula(place.get(n, 0.0)) for n in GEOMETRIC}
            frame = replace(frame, ant=under.ant, **fields)
        frames.append(replace(frame, ant=number[frame.ant]))
    links = tuple(link for j, link in enumerate(robot.links, 1) if j not in bare)
    made = replace(robot, name=f"{robot.name} folded", frames=tuple(frames), links=links)
    return made, {number[j]: q for j, q in posture.items() if j not in bare}


def _tree_joint(draft: Draft, ant: int) -> None:
    rng = draft.rng
    sigma = P if rng.random() < 0.2 else R
    alpha = str(rng.choice(["0", "pi/2", "-pi/2", "pi/4"]))
    draft.joint(ant, float(rng.uniform(-0.5, 0.5)), sigma, active=True, alpha=alpha, d=draft.length())
