"""Peak values along a motion and the limits that it exceeds, for a continuous motion or for samples only."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from symoro.robot.coordinates import independent, relation
from symoro.robot.description import JointType, Robot
from symoro.robot.size import unit_of
from symoro.robot.topology import moving_joints
from symoro.simulation.piecewise_chebyshev import Piece, PiecewiseChebyshev, QuantityKey, resolved
from symoro.simulation.result import Recording
from symoro.simulation.tolerances import EQUAL_PEAKS, LIMIT_PASSED, PEAK_SHOWN, QUANTITY_NOISE, VELOCITY_MISS
from symoro.trajectory.samples import Samples
from symoro.trajectory.sampling import MotionRows, PartMotion

Array = NDArray[np.float64]


class Known(Protocol):
    """Protocol of quantities along a motion (position, velocity, torque, ... of a joint) as functions of time."""

    def integral(self, key: QuantityKey, power: int = 1) -> float: ...

    def extreme(self, key: QuantityKey, sign: int) -> tuple[float, float]: ...

    def first_beyond(self, key: QuantityKey, sign: int, limit: float) -> float: ...


@dataclass(frozen=True, eq=False)
class SampledQuantities:
    """Quantities along a motion of which only samples are known.

    Integrals use the trapezoidal rule, crossings of limits linear interpolation.
    """

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
    """Joint limit that a motion exceeds.

    Attributes:
        what: 'position', 'velocity' or 'effort'.
        time: first time at which the limit is exceeded, in seconds.
        worst: value farthest beyond the limit.
        worst_time: time of that value, in seconds.
    """

    joint: int
    what: str
    limit: float
    time: float
    worst: float
    worst_time: float


@dataclass(frozen=True)
class Peak:
    """Values of largest magnitude (position, velocity, torque, ...) of one joint along a motion.

    The values keep their signs; the time of the largest torque is given as well.
    """

    joint: int
    torque: float
    torque_time: float
    rms: float
    velocity: float
    acceleration: float
    power: float
    energy: float


def largest(known: Known, key: QuantityKey) -> tuple[float, float]:
    """Return the value of largest magnitude of a quantity along a motion, and its time in seconds.

    If two values have the same magnitude, the earlier one is returned.

    Args:
        known: quantities along the motion.
        key: kind ('position', 'velocity', 'effort', ...) and joint of the quantity.
    """
    first, second = sorted((known.extreme(key, sign) for sign in (1, -1)), key=lambda peak: peak[1])
    return second if abs(second[0]) > abs(first[0]) * (1 + EQUAL_PEAKS) else first


def peaks_of(known: Known, joints: Sequence[int], span: float) -> tuple[Peak, ...]:
    """Return, per joint, peak values, root-mean-square effort and energy over a motion of `span` seconds.

    Args:
        known: quantities along the motion.
        joints: joint numbers.
    """
    peaks = []
    for j in joints:
        torque, time = largest(known, ("effort", j))
        rms = float(np.sqrt(known.integral(("effort", j), 2) / span)) if span > 0 else abs(torque)
        rest = {what: largest(known, (what, j))[0] for what in ("velocity", "acceleration", "power")}
        peaks.append(Peak(j, torque, time, rms, energy=known.integral(("power", j)), **rest))
    return tuple(peaks)


def passed_limits(known: Known, robot: Robot, keys: Sequence[QuantityKey]) -> Iterator[Passed]:
    """Yield the joint limits that quantities along a motion exceed.

    Args:
        known: the quantities as functions of time.
        keys: kind ('position', 'velocity', 'effort') and joint of the quantities to check.
    """
    for what, j in keys:
        for sign, limit in _limits(robot, what, j):
            worst, when = known.extreme((what, j), sign)
            size = max(abs(limit), *(abs(known.extreme((what, j), side)[0]) for side in (-1, 1)))
            if sign * (worst - limit) > LIMIT_PASSED * size:
                yield Passed(j, what, limit, known.first_beyond((what, j), sign, limit), worst, when)


def _limits(robot: Robot, what: str, j: int) -> Iterator[tuple[int, float]]:
    """Yield (-1, lower limit) and (1, upper limit) of a quantity of joint j; limits that are not given are omitted.

    Args:
        what: 'position', 'velocity' or 'effort'.
    """
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
    """Return positions and velocities of all joints, and accelerations, efforts and powers of the driven joints.

    Args:
        values: numbers for the symbols of the robot.
        joints: numbers of the n driven joints.
        motion: positions, velocities and accelerations of the driven joints, (N, n) each, and positions of all joints
            of the tree, or None if these are not known.
        tau: efforts of the driven joints (N, n).
        rates: known velocities (N,) of other joints by joint number.

    Returns:
        The time series (N,) by quantity and joint.
    """
    q, qd, qdd, tree = motion
    places = {} if tree is None else {j: tree[:, k] for k, j in enumerate(independent(robot))}
    places |= {j: q[:, k] for k, j in enumerate(joints)}
    velocities = {**rates, **{j: qd[:, k] for k, j in enumerate(joints)}}
    columns: dict[QuantityKey, Array] = {}
    for j, place, rate in _tree_motion(robot, values, places, velocities):
        columns["position", j] = place
        if rate is not None:
            columns["velocity", j] = rate
    for k, j in enumerate(joints):
        columns["acceleration", j] = qdd[:, k]
        columns["effort", j] = tau[:, k]
        columns["power", j] = tau[:, k] * qd[:, k]
    return columns


def _tree_motion(
    robot: Robot, values: Mapping[str, float], q: Mapping[int, Array], qd: Mapping[int, Array]
) -> Iterator[tuple[int, Array, Array | None]]:
    """Yield (joint, positions, velocities) of each moving joint; velocities are None if unknown.

    Args:
        values: numbers for the symbols of the robot.
        q, qd: known positions and velocities (N,) by joint number; those of coupled joints are computed from them.
    """
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
) -> PiecewiseChebyshev:
    """Return all quantities along the parts of a trajectory as piecewise Chebyshev interpolants.

    Args:
        parts: the consecutive parts of the trajectory.
        keys: quantities (kind and joint) to interpolate.
        known: function that computes the quantities from an array of times and the joint motion at these times.
    """

    def evaluate(number: int, times: Array) -> Array:
        part = parts[number]
        columns = known(part.begin + times, part.at(times))
        return np.stack([columns[key] for key in keys], axis=1)

    return resolved(evaluate, pieces_of(parts), keys, turning_joints(robot, keys))


def whole_simulation(
    robot: Robot,
    record: Recording,
    begin: float,
    keys: Sequence[QuantityKey],
    known: Callable[[Array, Array, Array, Array], Mapping[QuantityKey, Array]],
) -> PiecewiseChebyshev:
    """Return all quantities along a simulated motion as piecewise Chebyshev interpolants.

    Args:
        record: the recorded motion between the samples.
        begin: time at which the simulation begins, in seconds.
        keys: quantities (kind and joint) to interpolate.
        known: function that returns the quantities from positions of the tree, velocities, accelerations of the
            driven joints, and torques of the coordinates.
    """
    parts = record.mechanics.parts

    def evaluate(number: int, times: Array) -> Array:
        rows, tau, driven = record.at(number, times)
        columns = known(rows[:, parts["q"]], rows[:, parts["qd"]], driven, tau)
        return np.stack([columns[key] for key in keys], axis=1)

    pieces = [Piece(k, begin, start, end) for k, (start, end) in record.spans.items()]
    return resolved(evaluate, pieces, keys, turning_joints(robot, keys))


def pieces_of(parts: Sequence[PartMotion]) -> list[Piece]:
    """Return the time intervals in which the motion along the parts of a trajectory is smooth."""
    return [
        Piece(k, part.begin, float(start), float(end))
        for k, part in enumerate(parts)
        for start, end in zip(part.breaks, part.breaks[1:], strict=False)
    ]


def turning_joints(robot: Robot, keys: Sequence[QuantityKey]) -> list[int]:
    """Return the joints whose position is an angle, among the joints of given quantities.

    Args:
        keys: quantities, as kind and joint.
    """
    return [j for what, j in keys if what == "position" and robot.frame(j).sigma == JointType.REVOLUTE]


def resolution_warnings(panels: PiecewiseChebyshev) -> Iterator[str]:
    """Yield warnings about quantities that change too fast to be interpolated accurately."""
    for what, j in panels.keys:
        t = panels.grows((what, j))
        if t is not None:
            most = abs(largest(panels, (what, j))[0])
            yield (
                f"the {what} of joint {j} is not resolved at t = {t:.6g} s: it is at least {most:.4g} there, and a "
                f"limit may be exceeded"
            )
    if panels.cut:
        widest = int(np.where(panels.open, panels.ends - panels.begins, 0.0).argmax())
        yield (
            f"the motion changes too often to be resolved, for example from t = {panels.begins[widest]:.6g} s to "
            f"{panels.ends[widest]:.6g} s: peaks may be larger, and a limit may be exceeded"
        )


def missed_peak_warnings(whole: Known, sampled: Known, robot: Robot, joints: Sequence[int]) -> Iterator[str]:
    """Yield a warning if the peaks of the continuous motion are larger than those of its samples.

    Peaks that are round-off compared with the largest value of the same unit are ignored.

    Args:
        whole: quantities of the continuous motion.
        sampled: quantities at the samples.
        joints: numbers of the joints to compare.
    """
    missed = []
    for what in ("velocity", "effort"):
        peaks = {j: largest(whole, (what, j)) for j in joints}
        units = {j: _unit(robot, what, j) for j in joints}
        for j, (peak, time) in peaks.items():
            most = max(abs(peaks[other][0]) for other in joints if units[other] == units[j])
            shown = abs(largest(sampled, (what, j))[0])
            if abs(peak) > QUANTITY_NOISE * most and shown < PEAK_SHOWN * abs(peak):
                missed.append((shown / abs(peak), what, j, shown, abs(peak), time))
    if missed:
        share, what, j, shown, most, time = min(missed)
        names = ", ".join(map(str, sorted({one[2] for one in missed})))
        unit = _unit(robot, what, j)
        yield (
            f"the samples miss peaks of joints {names}: the {what} of joint {j} reaches {most:.4g} {unit} at "
            f"t = {time:.6g} s, but only {shown:.4g} {unit} ({100 * share:.0f} %) at the samples, because their step "
            "is too long for this motion; use a smaller step"
        )


def step_warnings(samples: Samples, parts: Sequence[PartMotion]) -> Iterator[str]:
    """Yield a warning if the samples are too coarse to represent the trajectory in a simulation.

    A simulation replaces the trajectory by quintic splines through its samples.

    Args:
        samples: samples of the trajectory.
        parts: the parts of the continuous trajectory.
    """
    t = (samples.t[1:] + samples.t[:-1]) / 2
    interpolated = samples.at(t)[1]
    begins = np.array([part.begin for part in parts])
    number = np.searchsorted(begins, t, side="right") - 1
    true = np.concatenate([part.at(t[number == k] - part.begin)[1] for k, part in enumerate(parts)])
    miss = np.abs(interpolated - true)
    if miss.max(initial=0.0) > VELOCITY_MISS * np.abs(true).max(initial=0.0):
        row, column = np.unravel_index(int(miss.argmax()), miss.shape)
        yield (
            f"the samples are too far apart for the motion: between them the velocity of joint "
            f"{samples.joints[column]} has an error of {miss[row, column]:.4g} at t = {t[row]:.6g} s; use a smaller "
            "step"
        )


# -- text

PEAK_COLUMNS = (
    "joint",
    "peak torque",
    "at (s)",
    "rms",
    "peak qd",
    "peak qdd",
    "peak power (W)",
    "energy (J)",
)


def peak_rows(robot: Robot, peaks: Sequence[Peak]) -> list[list[str]]:
    """Return the rows of a table of peak values, one row per joint, for the columns `PEAK_COLUMNS`."""
    return [
        [
            f"{peak.joint} {robot.frame(peak.joint).name}".strip(),
            f"{peak.torque:.4g} {unit_of(robot, peak.joint)[1]}",
            *(f"{x:.4g}" for x in (peak.torque_time, peak.rms, peak.velocity, peak.acceleration)),
            *(f"{x:.4g}" for x in (peak.power, peak.energy)),
        ]
        for peak in peaks
    ]


def limit_text(robot: Robot, one: Passed) -> str:
    """Return a sentence that describes an exceeded joint limit: joint, quantity, limit, value and time."""
    unit = _unit(robot, one.what, one.joint)
    return (
        f"joint {one.joint}: {one.what} {one.limit:.6g} {unit} from t = {one.time:.4g} s, "
        f"worst {one.worst:.6g} {unit} at {one.worst_time:.4g} s"
    )


def _unit(robot: Robot, what: str, j: int) -> str:
    """Return the unit of a quantity of joint j as text.

    Args:
        what: 'position', 'velocity' or 'effort'.
    """
    position, effort = unit_of(robot, j)
    return {"position": position, "velocity": f"{position}/s", "effort": effort}[what]
