"""Logs in another unit than was said: what their numbers show of it.

Velocities and accelerations that were measured are compared with the positions and velocities that they are derivatives
of. Over windows of a tenth of a second, in which noise averages out,

    x(t + h) - x(t) = s integral of v,        s = 1 where their units agree

and of accelerations without velocities the change of that from window to window.
Positions in another unit garble every sine of the model, though friction and rotor inertias fit as well as before: the
residual grows, and less than one would think. So a part of the log is fitted again with positions in the units that
they might be in, all rows of it alike. Joints far from zero that are fast too are told where no fit shows the unit, but
for those that their robot allows to be as fast, and those that go round and round: degrees go to and fro. Joints that
go to and fro faster than any do are of a time, or a rate, in another unit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.errors import SymoroError
from symoro.identification.compress import compressed, merged
from symoro.identification.equations import Booleans, RowModel
from symoro.identification.least_squares import weighted
from symoro.identification.log import Log, log_of_arrays
from symoro.identification.residuals import KEPT, residual
from symoro.identification.signals import Preparation
from symoro.models.coordinates.couplings import coordinate_joints
from symoro.robot.description import JointType
from symoro.trajectory.samples import compared

Array = NDArray[np.float64]
PART = 20_000  # samples that are looked at, and rows of a fit if they are decimated to fewer
ROWS = 200
ENOUGH = 5  # rows to a column, without which residuals are not compared
WINDOW = 0.1  # s
# Positions and velocities of prismatic joints are in robot lengths.
MOVED = 0.01  # rad: windows with smaller changes are not compared
OFF = 0.2  # of 1, that a factor may be: offsets and filters are no units
TURNS, FAST = 3 * pi, 20.0  # rad, rad/s: more than this of both is no joint of a robot
ONWARD = 0.9  # of the way that a joint goes, that lead it onward
RUSH, BEYOND = 60.0, 3.0  # rad/s; of the robot's own limit: faster than this no joint goes to and fro
LEAST_WAY = {
    JointType.REVOLUTE: 0.05,
    JointType.PRISMATIC: 0.005,
}  # rad, robot lengths: less is not a motion for identification
MOST_WAY = {JointType.REVOLUTE: 8 * pi, JointType.PRISMATIC: 20.0}
BETTER = 0.8  # of a residual, that another unit must leave to be believed
LEAST = 1e-4  # of the torques: residuals below it are of rounding, and tell nothing


@dataclass(frozen=True)
class OtherUnit:
    """A unit that positions might be in: joints of this kind, times a factor, are in SI then."""

    sigma: JointType
    factor: float
    words: str


OTHERS = (
    OtherUnit(JointType.REVOLUTE, pi / 180, "in degrees"),
    OtherUnit(JointType.REVOLUTE, 180 / pi, "in radians, and taken for degrees"),
    OtherUnit(JointType.REVOLUTE, 2 * pi, "in turns"),
    OtherUnit(JointType.PRISMATIC, 1e-3, "in millimetres"),
    OtherUnit(JointType.PRISMATIC, 1e3, "in metres, and taken for millimetres"),
)


def unit_doubts(logs: Sequence[Log], model: RowModel, preparation: Preparation) -> list[str]:
    """Sentences for the user; none where units seem right."""
    found: list[str] = []
    joints = coordinate_joints(model.robot)
    for log in logs:
        part = _middle(log, max(PART, ROWS * preparation.decimation))
        told = [*_rates(part, log.rate, joints, log.position_units)]
        told = told or _positions(log, part, model, preparation) or _whirls(log, part, model, preparation)
        told = told or _rushes(log, part, model)
        found += [line if len(logs) == 1 else f"{log.name}: {line}" for line in told]
    return found


def rate_doubts(log: Log, joints: Sequence[int]) -> list[str]:
    """Measured velocities and accelerations that are not those of the positions."""
    return [*_rates(_middle(log, PART), log.rate, joints, log.position_units)]


def _middle(log: Log, size: int) -> dict[str, Array]:
    first = max(0, log.samples - size) // 2
    return log.part(first, min(log.samples, first + size))


def _rates(part: dict[str, Array], rate: float, joints: Sequence[int], units: Array) -> Iterator[str]:
    """Velocities beside positions, accelerations beside velocities, or beside positions where there are none."""
    step = max(1, round(WINDOW * rate))
    for higher, lower in (("velocity", "position"), ("acceleration", "velocity")):
        if higher not in part:
            continue
        x, sums, times = part.get(lower), _integral(part[higher], rate), 1
        if x is None:
            x, sums, times = part["position"], _integral(sums, rate), 2
        moved, told = (np.diff(a[::step], times, axis=0) for a in (x, sums))
        of = f"its {_plural(lower)}" if times == 1 else "the rate of its positions"
        for k, j in enumerate(joints):
            unit = units[k]
            enough = len(moved) >= 3
            line = compared(moved[:, k] / unit, told[:, k] / unit, MOVED, OFF) if enough else None
            if line:
                yield f"the {_plural(higher)} of joint {j} {line} of {of}"


def _integral(v: Array, rate: float) -> Array:
    """Over time, from the first sample on, by trapezia."""
    return np.concatenate([np.zeros((1, v.shape[1])), np.cumsum((v[1:] + v[:-1]) / 2, axis=0)]) / rate


def _plural(kind: str) -> str:
    return "velocities" if kind == "velocity" else f"{kind}s"


def _turning(model: RowModel) -> list[int]:
    """Places of the joints that turn."""
    joints = coordinate_joints(model.robot)
    return [k for k, j in enumerate(joints) if model.robot.frame(j).sigma == JointType.REVOLUTE]


def _whirls(log: Log, part: dict[str, Array], model: RowModel, preparation: Preparation) -> list[str]:
    """Joints that are far from zero, and fast, where nothing speaks for it."""
    joints = coordinate_joints(model.robot)
    step = max(1, round(WINDOW * log.rate))
    found = []
    for k in _turning(model):
        q = part["position"][:, k]
        far, fast = float(np.abs(q).max()), _speed(q, log.rate, step)
        allowed = (model.robot.frame(joints[k]).limits.velocity or 0.0) * (1 + OFF)
        if far < TURNS or fast < max(FAST, allowed) or _goes_on(q):
            continue
        if not _confirmed(log, part, model, preparation, k):
            found.append(f"joint {joints[k]} goes to {far:.3g} rad, at {fast:.3g} rad/s: is it in degrees?")
    return found


def _rushes(log: Log, part: dict[str, Array], model: RowModel) -> list[str]:
    """The fastest of the joints that go to and fro faster than any joint does."""
    step = max(1, min(round(log.rate * WINDOW / 10), len(part["position"]) // 50))
    worst: tuple[float, str] = (1.0, "")
    for k, j in enumerate(coordinate_joints(model.robot)):
        frame, q = model.robot.frame(j), part["position"][:, k]
        most = BEYOND * frame.limits.velocity if frame.limits.velocity else RUSH * log.position_units[k]
        fast = _speed(q, log.rate, step)
        if fast > most * worst[0] and not _goes_on(q):
            unit = "rad/s" if frame.sigma == JointType.REVOLUTE else "m/s"
            worst = (
                fast / most,
                f"joint {j} goes to and fro at {fast:.3g} {unit}: are the time, or the rate, in another unit?",
            )
    return [worst[1]] if worst[1] else []


def _speed(q: Array, rate: float, step: int) -> float:
    """The largest mean velocity over some steps."""
    return float(np.abs(q[step:] - q[:-step]).max(initial=0.0)) * rate / step


def _goes_on(q: Array) -> bool:
    """Whether a joint goes round and round, or one way."""
    return bool(abs(q[-1] - q[0]) > ONWARD * float(np.abs(np.diff(q)).sum()))


def _confirmed(
    log: Log, arrays: dict[str, Array], model: RowModel, preparation: Preparation, joint: int
) -> bool:
    """Whether degrees for radians of one joint would leave clearly more of the torques."""
    if model.assembly is not None and not model.assembly[0].linear:
        return True  # loops that close all along the log tell of the unit themselves
    try:
        kept = [block.kept for block in model.blocks(_part(log, arrays), preparation)]
    except SymoroError:
        return False
    factors = np.ones(arrays["position"].shape[1])
    factors[joint] = pi / 180
    scaled = {kind: x * (1 if kind == "torque" else factors) for kind, x in arrays.items()}
    now, tried = (_residual(log, one, model, preparation, kept) for one in (arrays, scaled))
    return now is not None and tried is not None and max(now, LEAST) < BETTER * tried


def _positions(log: Log, arrays: dict[str, Array], model: RowModel, preparation: Preparation) -> list[str]:
    """The unit of positions with which torques are explained far better, if there is one."""
    if model.assembly is not None and not model.assembly[0].linear:
        return []  # loops that close all along the log tell of the unit themselves
    try:
        part = _part(log, arrays)
        kept = [block.kept for block in model.blocks(part, preparation)]
    except SymoroError:
        return []
    now = _residual(log, arrays, model, preparation, kept)
    if now is None or now < LEAST:
        return []
    joints = [model.robot.frame(j).sigma for j in coordinate_joints(model.robot)]
    best: tuple[float, str] = (now, "")
    for other in OTHERS:
        chosen = np.array([sigma == other.sigma for sigma in joints])
        own = arrays["position"] / log.position_units
        if not chosen.any() or not _likely(own[:, chosen], other):
            continue
        factors = np.where(chosen, other.factor, 1.0)
        scaled = {kind: x * (1 if kind == "torque" else factors) for kind, x in arrays.items()}
        tried = _residual(log, scaled, model, preparation, kept)
        if tried is not None and tried < min(best[0], BETTER * now):
            best = (tried, other.words)
    if not best[1]:
        return []
    return [
        f"torques are explained to {100 * best[0]:.1f} % with positions that are {best[1]}, to {100 * now:.1f} % with "
        "positions as they were taken"
    ]


def _likely(q: Array, other: OtherUnit) -> bool:
    """Whether joints that were in this unit would move as those of robots do."""
    way = other.factor * np.ptp(q, axis=0)
    return bool(way.max() > LEAST_WAY[other.sigma] and way.max() < MOST_WAY[other.sigma])


def _part(log: Log, arrays: dict[str, Array]) -> Log:
    given: dict[str, Any] = {kind: x for kind, x in arrays.items() if kind not in ("position", "torque")}
    part = log_of_arrays(
        log.rate, arrays["position"], arrays["torque"], **given, transmission=log.transmission
    )
    return replace(part, units=log.units)


def _residual(
    log: Log, arrays: dict[str, Array], model: RowModel, preparation: Preparation, kept: Sequence[Booleans]
) -> float | None:
    """The residual of a fit to samples, of some rows of each block; None where there is none."""
    part = _part(log, arrays)
    every = replace(preparation, slow=0.0)  # another unit would drop other rows
    try:
        blocks = (
            replace(block, kept=chosen) for block, chosen in zip(model.blocks(part, every), kept, strict=True)
        )
        rows = compressed(blocks, model.support, part.samples / part.rate)
        data = merged(rows, model.support, KEPT)
        if data.rows < ENOUGH * len(model.names):
            return None
        shown = [data.wide(k)[:, :-1].any(axis=0) for k in range(len(data.factors))]
        if not np.any(shown, axis=0).all():
            return None  # a joint rests here, that another log moves
        return residual(data, weighted(model.names, data)).relative
    except (SymoroError, np.linalg.LinAlgError):
        return None
