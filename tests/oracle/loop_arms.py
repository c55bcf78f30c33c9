"""Palletisers and piston-driven arms with symbolic lengths, and their closed configurations by Newton's method.

Every machine has a posture `home` that closes its loops up to rounding, in its usual working mode. Random
configurations are reached from there in small steps of the motors, so that the assembly mode does not change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from symoro.robot.description import JointType, Robot
from symoro.robot.formats import loads
from tests.oracle.inverse_geometry import Tree

Array = NDArray[np.float64]
PASSIVE = "active: false"


@dataclass(frozen=True)
class LoopArm:
    """Machine with closed loops.

    Attributes:
        frames, loops: as in a YAML file.
        nominal: lengths and angles by symbol.
        home: joints by number, near a closed configuration; others are at zero.
        to, pose: end frame and given entries of its pose.
        swing: largest motion of the motors from home, in rad and fractions of the size of the machine.
        angles: symbols that are angles, which do not change with the scale.
    """

    frames: str
    loops: str
    nominal: Mapping[str, float]
    home: Mapping[int, float]
    to: int
    pose: str = "full"
    swing: float = 0.5
    angles: tuple[str, ...] = ()
    reach: Mapping[int, tuple[float, float]] = field(default_factory=dict)

    def robot(self, name: str) -> Robot:
        numbers = ", ".join(f"{symbol}: {value}" for symbol, value in self.nominal.items())
        lines = "\n".join(f"  - {line.strip()}" for line in self.frames.strip().splitlines())
        text = f"symoro: 1\nname: {name}\nnominal: {{{numbers}}}\nframes:\n{lines}\nloops: [{self.loops}]\n"
        return loads(text, "yaml")

    def drawn(self, rng: np.random.Generator, scale: float = 1.0) -> dict[str, float]:
        """Return random values around the nominal ones."""
        return {
            symbol: float(value * rng.uniform(0.9, 1.1) * (1 if symbol in self.angles else scale))
            for symbol, value in self.nominal.items()
        }


class Closure:
    """Loops of a machine with given lengths."""

    def __init__(self, arm: LoopArm, robot: Robot, values: Mapping[str, float]) -> None:
        self.arm, self.robot = arm, robot
        self.tree = Tree(robot, values)
        self.joints = [*self.tree.joints, *self.tree.cut]
        self.n = len(self.tree.joints)
        self.active = [k for k, j in enumerate(self.joints) if j <= robot.NL and robot.frame(j).mu]
        self.rest = [k for k in range(len(self.joints)) if k not in self.active]
        self.turns = np.array([self.tree.sigma[j] == JointType.REVOLUTE for j in self.joints])
        self.size = max(float(np.abs(T[:3, 3]).max()) for T in self.tree.rest.values())
        self.units = np.where(self.turns, 1.0, self.size)

    def residual(self, x: Array) -> tuple[Array, Array]:
        """Return the differences of frames k and k + B, in units of the machine's size, and their derivatives."""
        first, B = self.robot.NL + 1, self.robot.B
        q = {j: np.array([v]) for j, v in zip(self.joints, x, strict=True)}
        wanted = range(1, first + 2 * B)
        at = self.tree.placements(q, wanted)
        unit = np.array([1, 1, 1, 1 / self.size])
        gaps = [(at[k] - at[k + B])[0, :3] * unit for k in range(first, first + B)]
        slopes = [
            [
                (self.tree.slope(at, k, j) - self.tree.slope(at, k + B, j))[0] * unit
                for k in range(first, first + B)
            ]
            for j in self.joints
        ]
        J = np.array([np.concatenate([part.ravel() for part in column]) for column in slopes]).T
        return np.concatenate([gap.ravel() for gap in gaps]), J * self.units

    def closed(self, x: Array, held: Sequence[int], rounds: int = 60) -> Array | None:
        """Close the loops by Newton's method for all joints except those held; return None without convergence."""
        x, free = np.array(x, float), [k for k in range(len(x)) if k not in held]
        for _ in range(rounds):
            gap, J = self.residual(x)
            if np.abs(gap).max() < 1e-14:
                break
            step = np.linalg.lstsq(J[:, free], -gap, rcond=1e-9)[0]
            x[free] += step * self.units[free] * min(1.0, 0.3 / max(float(np.abs(step).max()), 1e-300))
        return x if np.abs(self.residual(x)[0]).max() < 1e-12 else None

    def home(self) -> Array:
        scale = self.size / self._nominal_size()
        x = np.array([self.arm.home.get(j, 0.0) for j in self.joints]) * np.where(self.turns, 1.0, scale)
        home = self.closed(x, ())
        assert home is not None, "home does not close the loops"
        return home

    def _nominal_size(self) -> float:
        tree = Tree(self.robot)
        return max(float(np.abs(T[:3, 3]).max()) for T in tree.rest.values())

    def posture(self, rng: np.random.Generator, steps: int = 15) -> Array | None:
        """Return a random closed configuration in the working mode of home; None if a step does not converge."""
        x = self.home()
        loose = [k for k in self.active if self.joints[k] not in self._in_loops()]
        move = rng.uniform(-1, 1, len(x)) * self.arm.swing * np.where(self.turns, 1.0, 0.3 * self.size)
        move[loose] = rng.uniform(-2.8, 2.8, len(loose)) * self.units[loose]
        for j, (low, high) in self.arm.reach.items():
            move[self.joints.index(j)] = rng.uniform(low, high)
        for _ in range(steps):
            x[self.active] += move[self.active] / steps
            closed = self.closed(x, self.active)
            if closed is None or np.abs((closed - x)[self.rest] / self.units[self.rest]).max() > 0.3:
                return None
            x = closed
            sizes = np.linalg.svd(self.residual(x)[1][:, self.rest], compute_uv=False)
            if (
                sizes[len(self.rest) - 1] < 2e-3 * sizes[0]
            ):  # next to it modes meet, as where a parallelogram is flat
                return None
        return np.asarray(np.where(self.turns, (x + np.pi) % (2 * np.pi) - np.pi, x))

    def _in_loops(self) -> set[int]:
        first, B = self.robot.NL + 1, self.robot.B
        joints: set[int] = set()
        for k in range(first, first + B):
            joints |= set(self.tree.above(k)) ^ set(self.tree.above(k + B))
        return joints

    def pose(self, x: Array) -> Array:
        """Return the transform of the frame in frame 0."""
        q = {j: np.array([v]) for j, v in zip(self.joints, x, strict=True)}
        return np.asarray(self.tree.placements(q, [self.arm.to])[self.arm.to][0])

    def distance(self, some: Array, one: Array) -> Array:
        """Return the largest difference of a joint of the tree, lengths in units of the machine's size."""
        turns = self.turns[: self.n]
        apart = some - one[: self.n]
        apart = np.where(turns, (apart + np.pi) % (2 * np.pi) - np.pi, apart / self.units[: self.n])
        return np.asarray(np.abs(apart).max(axis=-1))


# Two more parallelograms along the arms, over a triangular plate at the elbow, keep the flange vertical.
PALLETISER = LoopArm(
    frames="""
    {r: H}
    {ant: 1, alpha: pi/2, d: d2}
    {ant: 2, d: L2, active: false}
    {ant: 1, alpha: pi/2, d: d2}
    {ant: 4, d: -e, active: false}
    {ant: 3, d: L3, active: false}
    {ant: 2, d: L2, active: false}
    {ant: 1, b: h, alpha: pi/2, d: d2, active: false}
    {ant: 7, gamma: pi/2, d: h, active: false}
    {ant: 6, alpha: -pi/2, d: L6}
    """,
    loops="{open: {ant: 5, d: L2}, close: {ant: 3, d: -e}}, "
    "{open: {ant: 8, d: L2}, close: {ant: 7, gamma: pi/2, d: h}}, "
    "{open: {ant: 9, d: L3}, close: {ant: 6, gamma: pi/2, d: h}}",
    nominal={"H": 0.5, "d2": 0.2, "L2": 0.9, "L3": 0.8, "e": 0.25, "h": 0.15, "L6": 0.12},
    home={
        2: 1.2,
        3: -1.5,
        4: -0.3,
        5: 1.5,
        6: 0.3,
        7: -1.2,
        8: 1.2,
        9: -0.3 - np.pi / 2,
        11: -1.5,
        12: np.pi / 2 - 1.2,
        13: np.pi / 2 + 0.3,
    },
    to=10,
)
TILTED = LoopArm(  # KUKA KR PA: base anchor, plate and flange at angles of their own
    frames="""
    {r: H}
    {ant: 1, alpha: pi/2, d: a1}
    {ant: 2, d: L2, active: false}
    {ant: 1, alpha: pi/2, d: a1}
    {ant: 4, gamma: w, d: e, active: false}
    {ant: 3, d: L3, active: false}
    {ant: 2, d: L2, active: false}
    {ant: 1, b: h*sin(g), alpha: pi/2, d: a1 - h*cos(g), active: false}
    {ant: 7, gamma: k, d: p, active: false}
    {ant: 6, alpha: -pi/2, d: L6, r: -R6}
    """,
    loops="{open: {ant: 5, d: L2}, close: {ant: 3, gamma: w, d: e}}, "
    "{open: {ant: 8, d: L2}, close: {ant: 7, gamma: pi - g, d: h}}, "
    "{open: {ant: 9, d: L3}, close: {ant: 6, gamma: k, d: p}}",
    nominal={
        "H": 0.8,
        "a1": 0.3,
        "L2": 1.1,
        "L3": 1.2,
        "e": 0.4,
        "h": 0.3,
        "p": 0.25,
        "L6": 0.2,
        "R6": 0.3,
        "w": 2.6,
        "g": 0.5,
        "k": 1.2,
    },
    angles=("w", "g", "k"),
    home={
        2: 1.3,
        3: -1.6,
        4: -0.3,
        5: 1.6 - 2.6,
        6: 0.3,
        7: -1.3,
        8: 1.3,
        9: -0.3 - 1.2,
        11: -1.6 + 2.6,
        12: np.pi - 0.5 - 1.3,
        13: 1.2 + 0.3,
    },
    to=10,
)
OFFSET = (
    LoopArm(  # Fanuc M-410: shoulder axis turned over, arm beside the axis of the turret, rods numbered first
        frames="""
    {r: H}
    {ant: 1, alpha: -pi/2, d: a1, r: s, active: false, b: h}
    {ant: 1, alpha: -pi/2, d: a1, r: s}
    {ant: 1, alpha: -pi/2, d: a1, r: s}
    {ant: 3, d: L2, active: false}
    {ant: 5, gamma: -pi/2, d: h, active: false}
    {ant: 3, d: L2, active: false}
    {ant: 7, d: L3, active: false}
    {ant: 4, gamma: pi, d: e, active: false}
    {ant: 8, alpha: pi/2, d: L6, offset: k, r: R6}
    """,
        loops="{open: {ant: 2, d: L2}, close: {ant: 5, gamma: -pi/2, d: h}}, "
        "{open: {ant: 6, d: L3}, close: {ant: 8, gamma: -pi/2, d: h}}, "
        "{open: {ant: 9, d: L2}, close: {ant: 7, gamma: pi, d: e}}",
        nominal={
            "H": 0.7,
            "a1": 0.25,
            "s": 0.15,
            "L2": 1.0,
            "L3": 1.1,
            "e": 0.35,
            "h": 0.2,
            "L6": 0.15,
            "R6": 0.4,
            "k": 0.3,
        },
        angles=("k",),
        # Arm and forearm turn by a and b in the plane: q3 = a, q7 = b - a, q8 = -b.
        home={
            2: -1.2,
            3: -1.2,
            4: 0.4,
            5: 1.2,
            6: 0.4 + np.pi / 2,
            7: 1.6,
            8: -0.4,
            9: -1.6 - np.pi,
            11: 1.2 - np.pi / 2,
            12: -0.4 - np.pi / 2,
            13: 1.6 + np.pi,
        },
        to=10,
    )
)
CROSSHEAD = (
    LoopArm(  # Kawasaki CP: the forearm hangs on the rod of its motor, and the way passes crank and rod
        frames="""
    {r: H}
    {ant: 1, alpha: pi/2, d: d1}
    {ant: 2, d: -e, active: false}
    {ant: 3, d: L2, active: false}
    {ant: 1, alpha: pi/2, d: d1}
    {ant: 5, d: L2, active: false}
    {ant: 1, b: h, alpha: pi/2, d: d1, active: false}
    {ant: 4, d: e + L3, active: false}
    {ant: 6, gamma: pi/2, d: h, active: false}
    {ant: 8, alpha: -pi/2, d: L6}
    """,
        loops="{open: {ant: 5, d: L2}, close: {ant: 4, d: e}}, "
        "{open: {ant: 7, d: L2}, close: {ant: 6, gamma: pi/2, d: h}}, "
        "{open: {ant: 9, d: L3}, close: {ant: 8, gamma: pi/2, d: h}}",
        nominal={"H": 0.5, "d1": 0.2, "L2": 0.9, "L3": 0.8, "e": 0.25, "h": 0.15, "L6": 0.12},
        # Crank at b, rod and lower arm at a: q2 = b, q3 = a - b, q4 = b - a, q8 = -b, q5 = a.
        home={
            2: -0.3,
            3: 1.5,
            4: -1.5,
            5: 1.2,
            6: -1.2,
            7: 1.2,
            8: 0.3,
            9: -0.3 - np.pi / 2,
            11: -1.5,
            12: np.pi / 2 - 1.2,
            13: np.pi / 2 + 0.3,
        },
        to=10,
    )
)
WRIST = LoopArm(  # a forearm kept level by parallelograms, with a spherical wrist
    frames="""
    {r: H}
    {ant: 1, alpha: pi/2, d: d2}
    {ant: 2, d: L2, active: false}
    {ant: 1, alpha: pi/2, d: d2}
    {ant: 4, d: -e, active: false}
    {ant: 3, d: L3, active: false}
    {ant: 2, d: L2, active: false}
    {ant: 1, b: h, alpha: pi/2, d: d2, active: false}
    {ant: 7, gamma: pi/2, d: h, active: false}
    {ant: 6, alpha: -pi/2, d: L6, r: R6}
    {ant: 10, alpha: pi/2}
    {ant: 11, alpha: -pi/2}
    """,
    loops=PALLETISER.loops,
    nominal={**PALLETISER.nominal, "R6": 0.3},
    home={
        **{j: q for j, q in PALLETISER.home.items() if j < 11},
        11: 0.7,
        13: -1.5,
        14: np.pi / 2 - 1.2,
        15: np.pi / 2 + 0.3,
    },
    to=12,
)
EXCAVATOR = LoopArm(  # swing, boom, stick and bucket; three cylinders, the bucket's on a linkage
    frames="""
    {r: H}
    {ant: 1, alpha: pi/2, d: a1, active: false}
    {ant: 2, d: L2, active: false}
    {ant: 3, d: L3, active: false}
    {ant: 1, b: -c2, alpha: pi/2, d: c1, active: false}
    {ant: 5, joint: prismatic, gamma: pi/2, alpha: pi/2}
    {ant: 2, gamma: g2, d: m1, active: false}
    {ant: 7, joint: prismatic, gamma: pi/2, alpha: pi/2}
    {ant: 3, gamma: g9, d: m9, active: false}
    {ant: 9, joint: prismatic, gamma: pi/2, alpha: pi/2}
    {ant: 3, d: k1, active: false}
    {ant: 11, d: k2, active: false}
    """,
    loops="{open: {ant: 6, alpha: -pi/2}, close: {ant: 2, gamma: g1, d: b1}}, "
    "{open: {ant: 8, alpha: -pi/2}, close: {ant: 3, gamma: g3, d: m2}}, "
    "{open: {ant: 10, alpha: -pi/2}, close: {ant: 11, d: k2}}, "
    "{open: {ant: 12, d: k3}, close: {ant: 4, gamma: g4, d: k4}}",
    nominal={
        "H": 1.2,
        "a1": 0.3,
        "L2": 4.0,
        "L3": 2.2,
        "c1": 0.8,
        "c2": 0.4,
        "m1": 2.2,
        "m9": 0.5,
        "k1": 1.9,
        "k2": 0.5,
        "b1": 1.9,
        "m2": 0.6,
        "k3": 0.55,
        "k4": 0.4,
        "g1": 0.25,
        "g2": 0.3,
        "g9": 1.1,
        "g3": 2.8,
        "g4": 1.7,
    },
    angles=("g1", "g2", "g3", "g4", "g9"),
    home={2: 0.7, 3: -1.3, 4: -0.6, 5: 0.6, 6: 1.6, 7: 0.2, 8: 1.7, 9: 0.2, 10: 1.4, 11: 1.4, 12: -1.4},
    to=4,
    swing=0.2,
)
CRANE = LoopArm(  # slewing crane with two cylinders, the second on the boom
    frames="""
    {r: H}
    {ant: 1, alpha: pi/2, active: false}
    {ant: 2, d: L2, active: false}
    {ant: 1, b: -c2, alpha: pi/2, d: c1, active: false}
    {ant: 4, joint: prismatic, gamma: pi/2, alpha: pi/2}
    {ant: 2, gamma: g2, d: m1, active: false}
    {ant: 6, joint: prismatic, gamma: pi/2, alpha: pi/2}
    {ant: 3, d: L3, joint: fixed}
    """,
    loops="{open: {ant: 5, alpha: -pi/2}, close: {ant: 2, gamma: g1, d: b1}}, "
    "{open: {ant: 7, alpha: -pi/2}, close: {ant: 3, gamma: g3, d: m2}}",
    nominal={
        "H": 2.0,
        "L2": 3.5,
        "L3": 3.0,
        "c1": 0.4,
        "c2": 1.0,
        "m1": 1.2,
        "m2": 0.5,
        "b1": 1.5,
        "g1": 0.1,
        "g2": 0.2,
        "g3": 2.6,
    },
    angles=("g1", "g2", "g3"),
    home={2: 0.9, 3: -1.4, 4: 0.9, 5: 2.3, 6: 0.1, 7: 2.2},
    to=8,
    pose="position",
    swing=0.2,
)
SPRING = LoopArm(  # ABB IRB 6400: a passive counterweight cylinder at the shoulder, six motors on the arm
    frames="""
    {r: H}
    {ant: 1, alpha: pi/2, d: d2, offset: pi/2}
    {ant: 2, d: L2}
    {ant: 3, alpha: pi/2, d: d4, r: L4}
    {ant: 4, alpha: -pi/2}
    {ant: 5, alpha: pi/2, r: L6}
    {ant: 1, b: c2, alpha: pi/2, d: -c1, active: false}
    {ant: 7, joint: prismatic, gamma: pi/2, alpha: pi/2, active: false}
    """,
    loops="{open: {ant: 8, alpha: -pi/2}, close: {ant: 2, gamma: g1, d: b1}}",
    nominal={
        "H": 0.9,
        "d2": 0.2,
        "L2": 1.0,
        "d4": 0.2,
        "L4": 1.1,
        "L6": 0.2,
        "c1": 0.7,
        "c2": 0.1,
        "b1": 0.35,
        "g1": 0.4,
    },
    angles=("g1",),
    home={2: -0.3, 3: 0.3, 5: 0.9, 7: 0.3, 8: 0.8},
    to=6,
    swing=0.6,
)
PISTONS = LoopArm(  # shoulder and elbow by pistons, spherical wrist
    frames="""
    {r: H}
    {ant: 1, alpha: pi/2, d: d2, active: false}
    {ant: 2, d: L2, active: false}
    {ant: 3, alpha: pi/2, d: d4, r: L4}
    {ant: 4, alpha: -pi/2}
    {ant: 5, alpha: pi/2}
    {ant: 1, b: -c2, alpha: pi/2, d: c1, active: false}
    {ant: 7, joint: prismatic, gamma: pi/2, alpha: pi/2}
    {ant: 2, gamma: g2, d: m1, active: false}
    {ant: 9, joint: prismatic, gamma: pi/2, alpha: pi/2}
    """,
    loops="{open: {ant: 8, alpha: -pi/2}, close: {ant: 2, gamma: g1, d: b1}}, "
    "{open: {ant: 10, alpha: -pi/2}, close: {ant: 3, gamma: g3, d: m2}}",
    nominal={
        "H": 1.0,
        "d2": 0.1,
        "L2": 1.2,
        "d4": 0.1,
        "L4": 1.1,
        "c1": 0.4,
        "c2": 0.5,
        "m1": 0.4,
        "m2": 0.3,
        "b1": 0.6,
        "g1": 0.1,
        "g2": 0.3,
        "g3": 2.4,
    },
    angles=("g1", "g2", "g3"),
    home={2: 0.9, 3: -0.7, 5: 0.8, 7: 0.9, 8: 0.8, 9: 0.1, 10: 0.9},
    to=6,
    swing=0.2,
)
SLIDER = LoopArm(  # a slide along the upper arm and a rod to the forearm: a slider-crank turns the elbow
    frames="""
    {r: H}
    {ant: 1, alpha: pi/2, d: d2}
    {ant: 2, d: L2, active: false}
    {ant: 2, joint: prismatic, gamma: pi/2, alpha: pi/2}
    {ant: 4, alpha: -pi/2, active: false}
    {ant: 3, joint: fixed, d: L3}
    """,
    loops="{open: {ant: 5, d: L5}, close: {ant: 3, gamma: g3, d: m}}",
    nominal={"H": 0.6, "d2": 0.1, "L2": 0.8, "L3": 0.7, "L5": 0.4, "m": 0.15, "g3": 1.9},
    angles=("g3",),
    home={2: 0.8, 3: -0.6, 4: 0.4, 5: 0.3},
    to=6,
    pose="position",
    swing=0.25,
)
COUPLER = LoopArm(  # the coupler of a general four-bar carries an elbow: a tie that is not linear
    frames="""
    {r: H}
    {ant: 1, alpha: pi/2, d: d2}
    {ant: 2, d: L2, active: false}
    {ant: 1, alpha: pi/2, d: d4, active: false}
    {ant: 3, gamma: g5, d: L5}
    {ant: 5, joint: fixed, d: L6}
    """,
    loops="{open: {ant: 3, d: L3}, close: {ant: 4, d: L4}}",
    nominal={
        "H": 0.6,
        "d2": 0.1,
        "d4": 0.6,
        "L2": 0.7,
        "L3": 0.55,
        "L4": 0.8,
        "L5": 0.5,
        "L6": 0.4,
        "g5": 0.6,
    },
    angles=("g5",),
    home={2: 1.9, 3: -1.6, 4: 1.6, 5: -0.4},
    to=6,
    swing=0.4,
)
ARMS = {
    "palletiser": PALLETISER,
    "tilted": TILTED,
    "offset": OFFSET,
    "crosshead": CROSSHEAD,
    "wrist": WRIST,
    "excavator": EXCAVATOR,
    "crane": CRANE,
    "spring": SPRING,
    "pistons": PISTONS,
    "slider": SLIDER,
    "coupler": COUPLER,
}
