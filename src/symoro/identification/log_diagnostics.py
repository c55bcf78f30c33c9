"""Criteria of the warnings about logs: joints at rest, noise, and units.

Noise. Differences of order n of samples x, in which well-sampled motion vanishes, give the deviation of white noise:

    s^2 = mean of (difference of order n)^2 / binomial(2n, n);      n = 3:  x(k+3) - 3 x(k+2) + 3 x(k+1) - x(k), and 20

White noise gives the same value for every n. A motion that is sampled coarsely gives smaller values for higher n, so
the smallest value is used. Normal noise of N samples has a range of about 2 sqrt(2 ln N) s; a coarse encoder at rest
alternates between neighbouring counts. Velocities that are computed from such noise have the deviation

    s_v^2 = s^2 / pi times the integral over w = 0 .. pi of (H(w) D(w) rate)^2

where H is the gain of the low-pass filter, forwards and backwards, and D that of the differences; the factor D(w) rate
is absent if velocities were measured. A joint rests if its velocities are within this noise and its range is not far
beyond it: its friction would have the sign of noise. A range within the noise of raw samples may still be motion,
because the low-pass filter removes most of the noise.

Units. Measured velocities and accelerations are compared with positions and velocities over windows of a tenth of a
second, in which noise averages out:

    x(t + h) - x(t) = s integral of v,        s = 1 if their units agree

Accelerations without velocities are compared with the change of this from window to window. Positions in a wrong unit
change every sine of the model, while friction and rotor inertias fit as before. So a part of the log is fitted again
with positions in other units. Joints that are far from zero and fast give a warning if no fit determines the unit,
unless the robot allows this velocity or the joint rotates in one direction. Joints that oscillate faster than any robot
can indicate a time or a rate in a wrong unit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil, pi
from math import log as ln

import numpy as np
from numpy.typing import NDArray

from symoro.errors import FormatError, SymoroError
from symoro.identification.diagnostics import DiagnosticWarning, warning
from symoro.identification.equations import SCALAR, Booleans, RowModel
from symoro.identification.log import Log, log_names, log_with
from symoro.identification.regression import KEPT, trial_residual
from symoro.identification.rows import compressed, merged
from symoro.identification.signals import (
    MotionPiece,
    Preparation,
    decimation_filter,
    low_pass,
    motion_between,
    motions,
    planned,
    slope_gain,
    white_noise,
)
from symoro.identification.tolerances import (
    BETTER_FIT,
    BEYOND_VELOCITY,
    CERTAIN_MOTION,
    CONSTANT_TORQUE,
    DIAGNOSED_SAMPLES,
    ENCODER_COUNTS,
    EQUAL_POSITIONS,
    FACTOR_OF_RATES,
    FAST_JOINT,
    FASTEST_JOINT,
    LEAST_CHANGE,
    NEAR_LARGEST,
    NOISE_RANGE,
    NOISE_VELOCITY,
    ONE_WAY,
    PEAK_SAMPLES,
    PEAK_VELOCITY,
    RATE_WINDOW,
    REST_SAMPLES,
    REST_SHARE,
    ROWS_PER_COLUMN,
    SATURATED_SAMPLES,
    SATURATED_SHARE,
    SHORT_MOTION,
    SIGNIFICANT,
    SLOW_SAMPLES,
    UNIT_RESIDUAL,
    WOUND_UP,
)
from symoro.models.coordinates.couplings import coordinate_joints
from symoro.robot.description import JointType, Robot
from symoro.trajectory.samples import compared

# -- motion and noise of the joints


Array = NDArray[np.float64]
NO_LIMIT = 10**12  # samples: a log that is long enough for any filter
STRETCHES = 10  # parts of the log over which these samples are distributed


@dataclass(frozen=True, eq=False)
class Noise:
    """White noise of the joint positions and velocities of a log.

    Attributes:
        position: standard deviation of the noise of each joint position (n,).
        velocity: standard deviation of the noise of each joint velocity after filtering (n,).
        count: for a joint whose encoder alternates between few counts, the median step between counts; otherwise zero
            (n,).
    """

    position: Array
    velocity: Array
    count: Array


def motion_warnings(logs: Sequence[Log], robot: Robot, preparation: Preparation) -> list[DiagnosticWarning]:
    """Return warnings about joints that hardly move, or whose velocity is often within the noise.

    Raises:
        FormatError: in every log the motion of a joint is within its noise. (Joints with constant positions are
            rejected earlier, when a log is read.)
    """
    joints = coordinate_joints(robot)
    seen = [_diagnosed(log, preparation) for log in logs]
    still = np.array([_resting_in(log, *parts, preparation) for log, parts in zip(logs, seen, strict=True)])
    constant = np.array([(noise.position == 0) & (_motion_ranges(pieces) == 0) for noise, pieces in seen])
    for k in np.flatnonzero((still | constant).all(axis=0) & still.any(axis=0)):
        at = int(np.argmax(still[:, k]))
        _reject_resting_joint(logs[at], joints, int(k), *seen[at])
    warnings: list[DiagnosticWarning] = []
    for log, (noise, pieces) in zip(logs, seen, strict=True):
        slow = _slow_joint_warnings(pieces, noise, joints, preparation)
        warnings += slow if len(logs) == 1 else [line.in_log(log.name) for line in slow]
    return warnings or _short_motion_warnings(
        np.max([_motion_ranges(pieces) for _, pieces in seen], axis=0), robot, joints
    )


def _resting_in(
    log: Log, noise: Noise, pieces: Sequence[MotionPiece], preparation: Preparation
) -> NDArray[np.bool_]:
    """Return the mask of the joints that are at rest during a whole log.

    Args:
        log: the log.
        noise: noise of positions and velocities of each joint.
        pieces: some parts of the log; the whole log is read only if a joint is at rest in all of them.
        preparation: filters of the log.
    """
    still = _resting_in_all(pieces, noise)
    return still & _resting_in_all(motions(log, preparation), noise) if still.any() else still


def _resting_in_all(pieces: Iterable[MotionPiece], noise: Noise) -> NDArray[np.bool_]:
    """Return the mask of the joints that are at rest in every piece; pieces with too few samples are ignored."""
    still = [_resting(piece, noise) for piece in pieces if piece.count >= REST_SAMPLES]
    return np.all(still, axis=0) if still else np.zeros(len(noise.position), dtype=bool)


def _diagnosed(log: Log, preparation: Preparation) -> tuple[Noise, list[MotionPiece]]:
    """Return the noise of a log and some pieces of its motion, which are evenly distributed over the log."""
    ends = planned(log, preparation).ends
    size = min(log.samples - 2 * ends, DIAGNOSED_SAMPLES // STRETCHES)
    count = min(STRETCHES, ceil((log.samples - 2 * ends) / size))
    starts = np.linspace(ends, log.samples - ends - size, count).astype(int)
    pieces = [motion_between(log, preparation, int(first), int(first) + size) for first in starts]
    raw = [log.part(int(first), int(first) + size) for first in starts]
    position = _noise([part["position"] for part in raw])
    measured = "velocity" in raw[0]
    source = _noise([part["velocity"] for part in raw]) if measured else position
    velocity = source * _gain(log.rate, preparation, measured)
    counts = [_count(column) for column in np.concatenate([part["position"] for part in raw]).T]
    return Noise(position, velocity, np.array(counts)), [piece for piece in pieces if piece is not None]


def _noise(parts: Sequence[Array]) -> Array:
    return np.asarray(np.sqrt(np.mean([white_noise(part) ** 2 for part in parts], axis=0)))


def time_warnings(logs: Sequence[Log], preparation: Preparation) -> list[DiagnosticWarning]:
    """Return a warning with the losses for each log that was resampled because of uneven times.

    Args:
        logs: the logs, not yet divided into segments.
        preparation: filters and decimation of the logs.
    """
    warnings = []
    for name, log in zip(log_names(logs), logs, strict=True):
        losses = log.resampling
        if losses is None:
            continue
        least = 2 * planned(replace(log, samples=NO_LIMIT), preparation).ends + preparation.decimation
        lengths = np.diff((*log.segments, log.samples))
        short = lengths[lengths <= least]
        unused = (
            f"; {len(short)} of {len(lengths)} segments are too short for the filters" if short.size else ""
        )
        cutoff = preparation.cutoff
        beyond = f"; the cut-off of {cutoff:g} Hz is above this" if cutoff and cutoff > losses.band else ""
        text = warning("uneven-times", rate=log.rate, losses=losses, unused=unused, beyond=beyond)
        warnings.append(text.in_log(name) if len(logs) > 1 else text)
    return warnings


def torque_noise(logs: Sequence[Log], model: RowModel, preparation: Preparation) -> Array | None:
    """Return the standard deviation of regression rows due to white noise on the torques, one per equation (e,).

    The rows of a floating robot contain the noise of its contact forces.

    Args:
        logs: the logs.
        model: identification model; the result is None for 'power' and 'energy'.
        preparation: filters and decimation of the logs.
    """
    if model.kind in SCALAR:
        return None
    parts = [_middle(log, DIAGNOSED_SAMPLES) for log in logs]
    decimation = preparation.decimation
    weights = decimation_filter(decimation) if decimation > 1 else np.ones(1)
    if model.contacts:
        every = replace(preparation, decimation=1)
        pairs = zip(logs, parts, strict=True)
        measured = [block.y for log, part in pairs for block in model.blocks(log_with(log, part), every)]
    else:
        measured = [part["torque"] for part in parts]
    return _noise(measured) * float(np.linalg.norm(weights))


def _gain(rate: float, preparation: Preparation, measured: bool) -> float:
    """Return the standard deviation of velocities divided by that of the noise from which they are computed.

    Args:
        rate: samples per second.
        preparation: low-pass filter and finite differences.
        measured: whether the velocities were measured; if not, they are finite differences of positions.
    """
    w = (np.arange(8192) + 0.5) * np.pi / 8192
    gain = np.ones_like(w)
    if preparation.cutoff is not None:
        from scipy.signal import sosfreqz

        gain = np.abs(sosfreqz(low_pass(preparation.cutoff, rate), w)[1]) ** 2
    if not measured:
        gain = gain * slope_gain(w, preparation.half) * rate
    return float(np.sqrt(np.mean(gain**2)))


def _inner_samples(motion: MotionPiece) -> slice:
    return slice(motion.first - motion.start, motion.first - motion.start + motion.count)


def _motion_ranges(pieces: Sequence[MotionPiece]) -> Array:
    """Return the largest minus the smallest position of each joint over all pieces, (n,)."""
    return np.asarray(np.ptp(np.concatenate([piece.q[_inner_samples(piece)] for piece in pieces]), axis=0))


def _resting(motion: MotionPiece, noise: Noise) -> NDArray[np.bool_]:
    """Return the mask of the joints that are at rest, within the noise, in a piece of a log.

    Joints with exactly constant positions are excluded.

    Args:
        motion: the piece.
        noise: noise of positions and velocities of each joint.
    """
    q, qd = motion.q[_inner_samples(motion)], np.abs(motion.qd[_inner_samples(motion)])
    span = np.ptp(q, axis=0)
    wide = 2 * (2 * ln(max(len(q), 2))) ** 0.5 + NOISE_RANGE
    slow = (np.sqrt(np.mean(qd**2, axis=0)) <= NOISE_VELOCITY * noise.velocity) & (noise.velocity > 0)
    peaks = np.mean(qd > PEAK_VELOCITY * noise.velocity, axis=0) > PEAK_SAMPLES
    quiet = slow & (span <= np.where(peaks, 1.0, CERTAIN_MOTION) * wide * noise.position)
    return np.asarray((noise.position > 0) & (quiet | (span <= ENCODER_COUNTS * noise.count)))


def _count(q: Array) -> float:
    """Return the median step between the values of positions q if these are few (encoder counts); otherwise zero."""
    steps = np.diff(np.unique(q))
    steps = steps[steps > EQUAL_POSITIONS * np.ptp(q)]
    return float(np.median(steps)) if 0 < len(steps) <= ENCODER_COUNTS else 0.0


def _reject_resting_joint(
    log: Log, joints: Sequence[int], k: int, noise: Noise, pieces: Sequence[MotionPiece]
) -> None:
    span, fast = _motion_ranges(pieces)[k], float(np.sqrt(np.mean(_speeds(pieces)[:, k] ** 2)))
    raise FormatError(
        f"joint {joints[k]} never moved: the range of its position is {span:.2g} and the noise of its "
        f"samples is {noise.position[k]:.2g}; the root mean square of its velocity is {fast:.2g}, and "
        f"noise alone gives {noise.velocity[k]:.2g}",
        place=log.place(0),
        hint="move every joint by more than the noise, give a lower cut-off frequency if the joint did "
        "move, or describe the robot without this joint",
    )


def _speeds(pieces: Sequence[MotionPiece]) -> Array:
    """Return the absolute velocities of the joints in all pieces, one row per sample."""
    return np.concatenate([np.abs(piece.qd[_inner_samples(piece)]) for piece in pieces])


def _slow_joint_warnings(
    pieces: Sequence[MotionPiece], noise: Noise, joints: Sequence[int], preparation: Preparation
) -> list[DiagnosticWarning]:
    """Return warnings about joints that rest at times, or are slow in most of the used samples.

    Samples of constant position are ignored: the fit does not use their rows, or, if no dry friction is estimated, the
    rows satisfy the model. The velocity of a joint that reverses is within three standard deviations of its noise about
    as often as it is between three and six. Any excess of the former is rest.

    Args:
        pieces: parts of the log.
        noise: noise of positions and velocities of each joint.
        joints: numbers of the joints.
        preparation: filters and velocity limit.
    """
    qd = _speeds(pieces)
    moves = ~np.concatenate([piece.rests[_inner_samples(piece)] for piece in pieces])
    warnings = []
    for k, j in enumerate(joints):
        limit = SIGNIFICANT * noise.velocity[k]
        kept = qd[:, k][moves[:, k] & (qd[:, k] >= preparation.slow)]
        if noise.position[k] == 0 or not len(kept):
            continue
        share = float(np.mean(kept < limit))
        passing = float(np.mean((kept >= limit) & (kept < 2 * limit)))
        if share > SLOW_SAMPLES or share - passing > REST_SHARE:
            warnings.append(warning("slow-joint", joint=j, velocity=limit, share=100 * share))
    return warnings


def _short_motion_warnings(ranges: Array, robot: Robot, joints: Sequence[int]) -> list[DiagnosticWarning]:
    """Return warnings about joints that hardly move in any log.

    Args:
        ranges: range of motion of each joint (n,).
        joints: numbers of the joints.
    """
    warnings = []
    for k, j in enumerate(joints):
        alike = [
            w for w, i in zip(ranges, joints, strict=True) if robot.frame(i).sigma == robot.frame(j).sigma
        ]
        if 0 < ranges[k] < SHORT_MOTION * max(alike):
            warnings.append(warning("short-motion", joint=j, range=ranges[k], other=max(alike)))
    return warnings


def saturation_warnings(logs: Sequence[Log], joints: Sequence[int]) -> list[DiagnosticWarning]:
    """Return warnings about torques that stay at their largest or smallest value while the joint moves.

    Measured torques vary by their noise, except where the sensor or the drive limits them.

    Args:
        logs: the logs, not yet divided into segments.
        joints: numbers of the joints.
    """
    warnings = []
    for log in logs:
        part = _middle(log, DIAGNOSED_SAMPLES)
        if "torque" not in part:
            continue
        noise = white_noise(part["torque"])
        for k, j in enumerate(joints):
            limited = _saturation(part["torque"][:, k], part["position"][:, k], float(noise[k]))
            if limited is not None:
                value, side, share = limited
                line = warning("saturated-torque", joint=j, value=value, side=side, share=100 * share)
                warnings.append(line if len(logs) == 1 else line.in_log(log.name))
    return warnings


def _saturation(torque: Array, q: Array, noise: float) -> tuple[float, str, float] | None:
    """Return value, side and share of samples of a torque that is limited, or None.

    Args:
        torque: torque of a joint (N,).
        q: position of this joint (N,).
        noise: standard deviation of the white noise of the torque.
    """
    constant = (np.abs(np.diff(torque)) <= CONSTANT_TORQUE * noise) & (np.diff(q) != 0)
    edges = np.flatnonzero(np.diff(constant.astype(int), prepend=0, append=0))
    starts, lengths = edges[::2], np.diff(edges)[::2]
    if not starts.size:
        return None
    levels = torque[starts]
    extremes = {"largest": float(torque.max()), "smallest": float(torque.min())}
    near = NEAR_LARGEST * (extremes["largest"] - extremes["smallest"])
    at = {side: np.abs(levels - extreme) <= near for side, extreme in extremes.items()}
    elsewhere = lengths[~(at["largest"] | at["smallest"])].max(initial=1)
    long = lengths >= SATURATED_SAMPLES * elsewhere
    shares = {side: float(lengths[here & long].sum() / len(torque)) for side, here in at.items()}
    side = max(shares, key=shares.__getitem__)
    return (
        (float(np.median(levels[at[side]])), side, shares[side]) if shares[side] > SATURATED_SHARE else None
    )


# -- units


DIAGNOSED_ROWS = 200
JOINT_MOTION = ("position", "velocity", "acceleration", "reference")  # quantities in the unit of positions
# Positions and velocities of prismatic joints are in robot lengths.
LEAST_MOTION = {
    JointType.REVOLUTE: 0.05,
    JointType.PRISMATIC: 0.005,
}  # rad, robot lengths: smaller motions are not used for identification
LARGEST_MOTION = {JointType.REVOLUTE: 8 * pi, JointType.PRISMATIC: 20.0}


@dataclass(frozen=True)
class OtherUnit:
    """Unit in which positions of one joint type may have been given by mistake.

    `factor` converts positions from this unit to SI units.
    """

    sigma: JointType
    factor: float
    words: str


OTHER_UNITS = (
    OtherUnit(JointType.REVOLUTE, pi / 180, "in degrees"),
    OtherUnit(JointType.REVOLUTE, 180 / pi, "in radians but were read as degrees"),
    OtherUnit(JointType.REVOLUTE, 2 * pi, "in turns"),
    OtherUnit(JointType.PRISMATIC, 1e-3, "in millimetres"),
    OtherUnit(JointType.PRISMATIC, 1e3, "in metres but were read as millimetres"),
)


def unit_warnings(
    logs: Sequence[Log], model: RowModel, preparation: Preparation, validation: Sequence[Log] = ()
) -> list[DiagnosticWarning]:
    """Return warnings about wrong units of positions, velocities, accelerations and times.

    Args:
        logs: the logs from which the parameters are estimated.
        model: identification model of the robot.
        preparation: filters and decimation of the logs.
        validation: logs that are only compared with the estimate; warnings about them contain the name of the log.
    """
    warnings: list[DiagnosticWarning] = []
    joints = coordinate_joints(model.robot)
    files = {log.source for log in logs if log.source is not None}
    named = [(log, log.name if len(logs) > 1 else "") for log in logs]
    named += [(log, f"validation log {log.name}") for log in validation if log.source not in files]
    for log, name in named:
        part = _middle(log, max(DIAGNOSED_SAMPLES, DIAGNOSED_ROWS * preparation.decimation))
        own = [*_derivative_warnings(part, log.rate, joints, log.position_units)]
        own = (
            own
            or _position_unit_warnings(log, part, model, preparation)
            or _wound_up_warnings(log, part, model, preparation)
        )
        own = own or _time_unit_warnings(log, part, model)
        warnings += [line.in_log(name) for line in own] if name else own
    return warnings


def rate_warnings(log: Log, joints: Sequence[int]) -> list[DiagnosticWarning]:
    """Return warnings about measured velocities and accelerations that contradict the positions."""
    return [*_derivative_warnings(_middle(log, DIAGNOSED_SAMPLES), log.rate, joints, log.position_units)]


def _middle(log: Log, size: int) -> dict[str, Array]:
    first = max(0, log.samples - size) // 2
    return log.part(first, min(log.samples, first + size))


def _derivative_warnings(
    part: dict[str, Array], rate: float, joints: Sequence[int], units: Array
) -> Iterator[DiagnosticWarning]:
    """Yield warnings about velocities that contradict positions, and accelerations that contradict velocities.

    Accelerations are compared with positions if velocities are not given.

    Args:
        part: samples of a log by quantity, (N, n).
        rate: samples per second.
        joints: numbers of the joints.
        units: scale of each joint position: one radian, or the robot's length in metres (n,).
    """
    step = max(1, round(RATE_WINDOW * rate))
    for higher, lower in (("velocity", "position"), ("acceleration", "velocity")):
        if higher not in part:
            continue
        x, sums, times = part.get(lower), _integral(part[higher], rate), 1
        if x is None:
            x, sums, times = part["position"], _integral(sums, rate), 2
        moved, integrated = (np.diff(a[::step], times, axis=0) for a in (x, sums))
        of = f"its {_plural(lower)}" if times == 1 else "the change of its positions"
        for k, j in enumerate(joints):
            unit = units[k]
            enough = len(moved) >= 3
            line = (
                compared(moved[:, k] / unit, integrated[:, k] / unit, LEAST_CHANGE, FACTOR_OF_RATES)
                if enough
                else None
            )
            if line:
                yield warning("derivative-mismatch", higher=_plural(higher), joint=j, mismatch=line, lower=of)


def _integral(v: Array, rate: float) -> Array:
    """Return the time integral of samples v (N, ...) from the first sample on, by the trapezoidal rule.

    Args:
        v: the samples.
        rate: samples per second.
    """
    return np.concatenate([np.zeros((1, v.shape[1])), np.cumsum((v[1:] + v[:-1]) / 2, axis=0)]) / rate


def _plural(kind: str) -> str:
    return "velocities" if kind == "velocity" else f"{kind}s"


def _revolute_indices(model: RowModel) -> list[int]:
    """Return the indices of the revolute joints among the coordinates of a model."""
    joints = coordinate_joints(model.robot)
    return [k for k, j in enumerate(joints) if model.robot.frame(j).sigma == JointType.REVOLUTE]


def _wound_up_warnings(
    log: Log, part: dict[str, Array], model: RowModel, preparation: Preparation
) -> list[DiagnosticWarning]:
    """Return warnings about joints that are fast and far from zero, so that their positions may be in degrees.

    There is no warning if the torques confirm that the positions are in radians.
    """
    joints = coordinate_joints(model.robot)
    step = max(1, round(RATE_WINDOW * log.rate))
    warnings = []
    for k in _revolute_indices(model):
        q = part["position"][:, k]
        far, fast = float(np.abs(q).max()), _speed(q, log.rate, step)
        allowed = (model.robot.frame(joints[k]).limits.velocity or 0.0) * (1 + FACTOR_OF_RATES)
        if far < WOUND_UP or fast < max(FAST_JOINT, allowed) or _turns_onward(q):
            continue
        if not _confirmed(log, part, model, preparation, k):
            warnings.append(warning("wound-up-joint", joint=joints[k], position=far, velocity=fast))
    return warnings


def _time_unit_warnings(log: Log, part: dict[str, Array], model: RowModel) -> list[DiagnosticWarning]:
    """Return a list with a warning if the velocity of the fastest joint is implausible; otherwise an empty list.

    The times or the rate may then have a wrong unit.
    """
    step = max(1, min(round(log.rate * RATE_WINDOW / 10), len(part["position"]) // 50))
    largest, worst = 1.0, []
    for k, j in enumerate(coordinate_joints(model.robot)):
        frame, q = model.robot.frame(j), part["position"][:, k]
        limit = frame.limits.velocity
        most = BEYOND_VELOCITY * limit if limit else FASTEST_JOINT * log.position_units[k]
        fast = _speed(q, log.rate, step)
        if fast > most * largest and not _turns_onward(q):
            unit = "rad/s" if frame.sigma == JointType.REVOLUTE else "m/s"
            largest, worst = fast / most, [warning("time-unit", joint=j, velocity=fast, unit=unit)]
    return worst


def _speed(q: Array, rate: float, step: int) -> float:
    """Return the largest absolute mean velocity of a joint over `step` consecutive samples.

    Args:
        q: positions of the joint (N,).
        rate: samples per second.
        step: number of samples.
    """
    return float(np.abs(q[step:] - q[:-step]).max(initial=0.0)) * rate / step


def _turns_onward(q: Array) -> bool:
    """Return whether a joint with positions q (N,) moves mostly in one direction."""
    return bool(abs(q[-1] - q[0]) > ONE_WAY * float(np.abs(np.diff(q)).sum()))


def _confirmed(
    log: Log, arrays: dict[str, Array], model: RowModel, preparation: Preparation, joint: int
) -> bool:
    """Return whether the torques confirm that the positions of a joint are in radians.

    They do if the torque residual would be clearly larger with these positions read as degrees.

    Args:
        log: the log.
        arrays: samples of the log by quantity.
        model: identification model of the robot.
        preparation: filters and decimation of the log.
        joint: index of the joint.
    """
    if model.assembly is not None and not model.assembly[0].linear:
        return True  # the unit is correct if the loops close along the whole log
    try:
        kept = [block.kept for block in model.blocks(log_with(log, arrays), preparation)]
    except SymoroError:
        return False
    factors = np.ones(arrays["position"].shape[1])
    factors[joint] = pi / 180
    scaled = {kind: x * (factors if kind in JOINT_MOTION else 1) for kind, x in arrays.items()}
    now, tried = (_residual(log, one, model, preparation, kept) for one in (arrays, scaled))
    return now is not None and tried is not None and max(now, UNIT_RESIDUAL) < BETTER_FIT * tried


def _position_unit_warnings(
    log: Log, arrays: dict[str, Array], model: RowModel, preparation: Preparation
) -> list[DiagnosticWarning]:
    """Return a list with a warning if another unit of the positions explains the torques far better, or []."""
    if model.assembly is not None and not model.assembly[0].linear:
        return []  # the unit is correct if the loops close along the whole log
    try:
        part = log_with(log, arrays)
        kept = [block.kept for block in model.blocks(part, preparation)]
    except SymoroError:
        return []
    now = _residual(log, arrays, model, preparation, kept)
    if now is None or now < UNIT_RESIDUAL:
        return []
    joints = [model.robot.frame(j).sigma for j in coordinate_joints(model.robot)]
    best: tuple[float, str] = (now, "")
    for other in OTHER_UNITS:
        chosen = np.array([sigma == other.sigma for sigma in joints])
        own = arrays["position"] / log.position_units
        if not chosen.any() or not _is_plausible_range(own[:, chosen], other):
            continue
        factors = np.where(chosen, other.factor, 1.0)
        scaled = {kind: x * (factors if kind in JOINT_MOTION else 1) for kind, x in arrays.items()}
        tried = _residual(log, scaled, model, preparation, kept)
        if tried is not None and tried < min(best[0], BETTER_FIT * now):
            best = (tried, other.words)
    if not best[1]:
        return []
    shares = {"other": f"{100 * best[0]:.1f} %", "read": f"{100 * now:.1f} %"}
    return [warning("position-unit", unit=best[1], **shares)]


def _is_plausible_range(q: Array, other: OtherUnit) -> bool:
    """Return whether positions would have a plausible range of motion if they were in another unit.

    Args:
        q: positions of one joint as given.
        other: the other unit.
    """
    span = other.factor * np.ptp(q, axis=0)
    return bool(span.max() > LEAST_MOTION[other.sigma] and span.max() < LARGEST_MOTION[other.sigma])


def _residual(
    log: Log, arrays: dict[str, Array], model: RowModel, preparation: Preparation, kept: Sequence[Booleans]
) -> float | None:
    """Return the relative residual of a least-squares fit to a part of a log; None if no fit exists.

    Args:
        log: the log.
        arrays: samples of the part by quantity.
        model: identification model of the robot.
        preparation: filters and decimation.
        kept: masks of the rows that the fit uses, one per block of rows.
    """
    part = log_with(log, arrays)
    every = replace(preparation, slow=0.0)  # the same rows for all units
    try:
        blocks = (
            replace(block, kept=chosen) for block, chosen in zip(model.blocks(part, every), kept, strict=True)
        )
        rows = compressed(blocks, model.support, part.samples / part.rate)
        data = merged(rows, model.support, KEPT)
        if data.rows < ROWS_PER_COLUMN * len(model.names):
            return None
        return trial_residual(data)
    except SymoroError:
        return None
