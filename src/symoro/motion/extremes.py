"""Peaks of a motion, and the limits that it passes: of its whole time (`Panels`), or of samples alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from symoro.motion.panels import ALIKE, QuantityKey
from symoro.robot.coordinates import independent, relation
from symoro.robot.description import Robot
from symoro.robot.topology import moving_joints

Array = NDArray[np.float64]
SLACK = 1e-7  # of a limit, or of the largest amount of the quantity: the error of the polynomials of panels


class Known(Protocol):
    """Quantities over time."""

    def integral(self, key: QuantityKey, power: int = 1) -> float: ...

    def extreme(self, key: QuantityKey, sign: int) -> tuple[float, float]: ...

    def first_beyond(self, key: QuantityKey, sign: int, limit: float) -> float: ...


@dataclass(frozen=True, eq=False)
class SampledQuantities:
    """Quantities at samples: integrals by the trapezoidal rule, limits passed on the line between two samples."""

    t: Array
    columns: Mapping[QuantityKey, Array]

    def integral(self, key: QuantityKey, power: int = 1) -> float:
        rows = self.columns[key] ** power
        return float(((rows[1:] + rows[:-1]) / 2 * np.diff(self.t)).sum())

    def extreme(self, key: QuantityKey, sign: int) -> tuple[float, float]:
        at = int((sign * self.columns[key]).argmax())
        return float(self.columns[key][at]), float(self.t[at])

    def first_beyond(self, key: QuantityKey, sign: int, limit: float) -> float:
        beyond = sign * (self.columns[key] - limit)
        k = int(np.flatnonzero(beyond > 0)[0])
        if k == 0:
            return float(self.t[0])
        share = -beyond[k - 1] / (beyond[k] - beyond[k - 1])
        return float(self.t[k - 1] + share * (self.t[k] - self.t[k - 1]))


@dataclass(frozen=True)
class Passed:
    """A limit that a motion passes.

    Attributes:
        what: position, velocity or effort.
        time: when it is passed for the first time.
        worst: the value farthest beyond it, and `worst_time` when.
    """

    joint: int
    what: str
    limit: float
    time: float
    worst: float
    worst_time: float


@dataclass(frozen=True)
class Peak:
    """The largest amounts of a joint along a motion, each with its sign, and when."""

    joint: int
    torque: float
    torque_time: float
    rms: float
    velocity: float
    acceleration: float
    power: float
    energy: float


def largest(known: Known, key: QuantityKey) -> tuple[float, float]:
    """The value of largest amount, and when; the earlier of two that are alike."""
    first, second = sorted((known.extreme(key, sign) for sign in (1, -1)), key=lambda found: found[1])
    return second if abs(second[0]) > abs(first[0]) * (1 + ALIKE) else first


def peaks_of(known: Known, joints: Sequence[int], span: float) -> tuple[Peak, ...]:
    """The peaks of joints over a span of time."""
    found = []
    for j in joints:
        torque, time = largest(known, ("effort", j))
        rms = float(np.sqrt(known.integral(("effort", j), 2) / span)) if span > 0 else abs(torque)
        rest = {what: largest(known, (what, j))[0] for what in ("velocity", "acceleration", "power")}
        found.append(Peak(j, torque, time, rms, energy=known.integral(("power", j)), **rest))
    return tuple(found)


def passed_limits(known: Known, robot: Robot, keys: Sequence[QuantityKey]) -> Iterator[Passed]:
    """The limits passed by quantities that are known."""
    for what, j in keys:
        for sign, limit in _limits(robot, what, j):
            worst, when = known.extreme((what, j), sign)
            size = max(abs(limit), *(abs(known.extreme((what, j), side)[0]) for side in (-1, 1)))
            if sign * (worst - limit) > SLACK * size:
                yield Passed(j, what, limit, known.first_beyond((what, j), sign, limit), worst, when)


def _limits(robot: Robot, what: str, j: int) -> Iterator[tuple[int, float]]:
    """Below and above."""
    limits = robot.frame(j).limits
    most = {"velocity": limits.velocity, "effort": limits.effort}.get(what)
    lower, upper = (
        (limits.lower, limits.upper) if what == "position" else (None if most is None else -most, most)
    )
    for sign, limit in ((-1, lower), (1, upper)):
        if limit is not None:
            yield sign, float(limit)


def quantities(
    robot: Robot,
    values: Mapping[str, float],
    joints: Sequence[int],
    motion: tuple[Array, Array, Array, Array | None],
    tau: Array,
    rates: Mapping[int, Array],
) -> dict[QuantityKey, Array]:
    """Positions and velocities of all joints where they are known; accelerations, efforts and powers of the driven.

    Arguments:
        motion: positions, velocities and accelerations of the driven joints, positions of all joints of the tree.
        rates: velocities of other joints, where they are known.
    """
    q, qd, qdd, tree = motion
    places = {} if tree is None else {j: tree[:, k] for k, j in enumerate(independent(robot))}
    places |= {j: q[:, k] for k, j in enumerate(joints)}
    velocities = {**rates, **{j: qd[:, k] for k, j in enumerate(joints)}}
    found: dict[QuantityKey, Array] = {}
    for j, place, rate in _tree_motion(robot, values, places, velocities):
        found["position", j] = place
        if rate is not None:
            found["velocity", j] = rate
    for k, j in enumerate(joints):
        found["acceleration", j] = qdd[:, k]
        found["effort", j] = tau[:, k]
        found["power", j] = tau[:, k] * qd[:, k]
    return found


def _tree_motion(
    robot: Robot, values: Mapping[str, float], q: Mapping[int, Array], qd: Mapping[int, Array]
) -> Iterator[tuple[int, Array, Array | None]]:
    """Each moving joint with its positions, and its velocities where they are known."""
    size = len(next(iter(q.values())))
    for j in moving_joints(robot):
        relations = relation(robot, j)
        if relations is None:
            yield j, q[j], qd.get(j)
            continue
        place = np.full(size, relations.offset.value(values))
        rate: Array | None = np.zeros(size)
        for i, ratio in relations.terms:
            place = place + ratio.value(values) * q[i]
            rate = None if rate is None or i not in qd else rate + ratio.value(values) * qd[i]
        yield j, place, rate
