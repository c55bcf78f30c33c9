"""Peaks of a motion and the limits that it passes: of the whole motion (`Panels`), or of samples alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from symoro.robot.coordinates import independent, relation
from symoro.robot.description import JointType, Robot
from symoro.robot.topology import moving_joints
from symoro.simulation.piecewise_chebyshev import Panels, Piece, QuantityKey, resolved
from symoro.simulation.result import Recording
from symoro.simulation.tolerances import EQUAL_PEAKS, LIMIT_PASSED, PEAK_SHOWN, VELOCITY_MISS
from symoro.trajectory.samples import Samples
from symoro.trajectory.sampling import MotionRows, PartMotion

Array = NDArray[np.float64]


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
    return second if abs(second[0]) > abs(first[0]) * (1 + EQUAL_PEAKS) else first


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
            if sign * (worst - limit) > LIMIT_PASSED * size:
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


def whole_motion(
    robot: Robot,
    parts: Sequence[PartMotion],
    keys: Sequence[QuantityKey],
    known: Callable[[Array, MotionRows], Mapping[QuantityKey, Array]],
) -> Panels:
    """All quantities along the parts, at moments that they ask for themselves.

    Arguments:
        known: times and the motion there -> the quantities `keys`, and others.
    """

    def evaluate(number: int, times: Array) -> Array:
        part = parts[number]
        found = known(part.begin + times, part.at(times))
        return np.stack([found[key] for key in keys], axis=1)

    return resolved(evaluate, pieces_of(parts), keys, turning_joints(robot, keys))


def whole_simulation(
    robot: Robot,
    record: Recording,
    begin: float,
    keys: Sequence[QuantityKey],
    known: Callable[[Array, Array, Array, Array], Mapping[QuantityKey, Array]],
) -> Panels:
    """The same along a simulated motion.

    Arguments:
        begin: when the simulation begins.
        known: positions of the tree, velocities, accelerations (of driven ones) and torques of the coordinates -> the
            quantities `keys`, and others.
    """
    parts = record.mechanics.parts

    def evaluate(number: int, times: Array) -> Array:
        rows, tau, driven = record.at(number, times)
        found = known(rows[:, parts["q"]], rows[:, parts["qd"]], driven, tau)
        return np.stack([found[key] for key in keys], axis=1)

    pieces = [Piece(k, begin, start, end) for k, (start, end) in record.spans.items()]
    return resolved(evaluate, pieces, keys, turning_joints(robot, keys))


def pieces_of(parts: Sequence[PartMotion]) -> list[Piece]:
    """The times in which the parts are smooth."""
    return [
        Piece(k, part.begin, float(start), float(end))
        for k, part in enumerate(parts)
        for start, end in zip(part.breaks, part.breaks[1:], strict=False)
    ]


def turning_joints(robot: Robot, keys: Sequence[QuantityKey]) -> list[int]:
    """The joints whose position is an angle."""
    return [j for what, j in keys if what == "position" and robot.frame(j).sigma == JointType.REVOLUTE]


def unresolved(panels: Panels) -> Iterator[str]:
    """What grows faster than it could be followed."""
    for what, j in panels.keys:
        t = panels.grows((what, j))
        if t is not None:
            most = abs(largest(panels, (what, j))[0])
            yield (
                f"the {what} of joint {j} is not resolved at t = {t:.6g} s: it is at least {most:.4g} there, and a "
                f"limit may be passed"
            )
    if panels.cut:
        widest = int(np.where(panels.open, panels.ends - panels.begins, 0.0).argmax())
        yield (
            f"the motion changes too often to be resolved, as from t = {panels.begins[widest]:.6g} s to "
            f"{panels.ends[widest]:.6g} s: peaks may be larger, and a limit may be passed"
        )


def unseen(panels: Panels, sampled: SampledQuantities, joints: Sequence[int]) -> Iterator[str]:
    """Peaks that the samples do not show."""
    missed = []
    for what, j in ((what, j) for what in ("velocity", "effort") for j in joints):
        peak, time = largest(panels, (what, j))
        shown = abs(largest(sampled, (what, j))[0])
        if shown < PEAK_SHOWN * abs(peak):
            missed.append((shown / abs(peak), what, j, shown, abs(peak), time))
    if missed:
        _, what, j, shown, most, time = min(missed)
        names = ", ".join(map(str, sorted({one[2] for one in missed})))
        yield (
            f"the samples miss peaks of joints {names}: the {what} of joint {j} comes to {most:.4g} at "
            f"t = {time:.6g} s, and to {shown:.4g} in the samples; a smaller step shows more"
        )


def coarse(samples: Samples, parts: Sequence[PartMotion]) -> Iterator[str]:
    """Where the quintic pieces through samples, which a simulation follows, are not the motion."""
    t = (samples.t[1:] + samples.t[:-1]) / 2
    told = samples.at(t)[1]
    begins = np.array([part.begin for part in parts])
    number = np.searchsorted(begins, t, side="right") - 1
    true = np.concatenate([part.at(t[number == k] - part.begin)[1] for k, part in enumerate(parts)])
    miss = np.abs(told - true)
    if miss.max(initial=0.0) > VELOCITY_MISS * np.abs(true).max(initial=0.0):
        row, column = np.unravel_index(int(miss.argmax()), miss.shape)
        yield (
            f"the samples are too far apart for the motion: between them the velocity that is followed is off by "
            f"{miss[row, column]:.4g} of joint {samples.joints[column]} at t = {t[row]:.6g} s; take a smaller step"
        )
