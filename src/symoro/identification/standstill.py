"""Joints that do not move beyond the noise of their own measurement.

The white noise of samples x is told by their differences of an order n, in which motion that is well sampled vanishes:

    s^2 = mean of (difference of order n)^2 / binomial(2n, n);      n = 3:  x(k+3) - 3 x(k+2) + 3 x(k+1) - x(k), and 20

White noise gives the same for every n, a motion that is sampled thinly gives less the higher n is: the least counts.
Normal noise of N samples ranges over about 2 sqrt(2 ln N) s; a coarse encoder at rest goes to and fro between
neighbouring counts. Velocities that are made of such noise have the deviation

    s_v^2 = s^2 / pi times the integral over w = 0 .. pi of (H(w) D(w) rate)^2

H the gain of the low-pass that ran forwards and backwards, D that of the differences; without D(w) rate where
velocities were measured. A joint whose velocities are within this noise, and that goes nowhere far beyond it, stands
still: its friction would have the sign of noise. One that goes less far than the noise of raw samples may move all the
same, since the low-pass takes most of that out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, comb
from math import log as ln

import numpy as np
from numpy.typing import NDArray

from symoro.errors import FormatError
from symoro.identification.differences import slope_gain
from symoro.identification.equations import SCALAR
from symoro.identification.log import Log
from symoro.identification.signals import (
    MotionPiece,
    Preparation,
    decimation_filter,
    low_pass,
    motion_between,
    motions,
    planned,
)
from symoro.models.coordinates.couplings import coordinate_joints
from symoro.robot.description import Robot

Array = NDArray[np.float64]
PART, PARTS = 20_000, 10  # samples that tell the noise, and mostly the motion too; stretches they are in
ORDERS, FEW = (3, 6, 12), 4  # of differences that tell noise; of samples more than so many times the order
LEAST = 50  # samples, fewer of which tell no motion from noise
COUNTS = 3.0  # of an encoder, that a joint at rest may go
ROUNDED = 1e-6  # of the way: values that differ by less are one
BEYOND = 2.0  # deviations, by which the range of a motion exceeds that of noise
FAR = 30.0  # times the range of noise: who goes further moves, however noisy its velocity is
MORE = 2.0  # velocities of noise are at most this many times those expected
PEAK, PEAKS = 5.0, 1e-3  # deviations, and the share of samples beyond them that no noise has
SLOW = 3.0  # deviations within which a velocity tells no sign
MANY, RESTS = 0.2, 0.03  # the share of such rows that is told; of those in which the joint rests
LITTLE = 1e-3  # of the way of another joint


@dataclass(frozen=True, eq=False)
class Noise:
    """White noise of each joint: of the positions, and of the velocities that rows are made of.

    Attributes:
        count: the usual step of an encoder that showed a few counts alone; zero of others.
    """

    position: Array
    velocity: Array
    count: Array


def checked_motion(logs: Sequence[Log], robot: Robot, preparation: Preparation) -> list[str]:
    """Refuse joints whose motion is that of noise in every log; those without any are told by their columns.

    Gives what is doubtful: joints that are slower than noise in many rows, or that went hardly anywhere.

    Raises:
        FormatError: with the noise, and what the joint did.
    """
    joints = coordinate_joints(robot)
    seen = [_looked_at(log, preparation) for log in logs]
    still = np.array([_still_in(log, *parts, preparation) for log, parts in zip(logs, seen, strict=True)])
    constant = np.array([(noise.position == 0) & (_way(pieces) == 0) for noise, pieces in seen])
    for k in np.flatnonzero((still | constant).all(axis=0) & still.any(axis=0)):
        at = int(np.argmax(still[:, k]))
        _refuse(logs[at], joints, int(k), *seen[at])
    doubts: list[str] = []
    for log, (noise, pieces) in zip(logs, seen, strict=True):
        told = _slow(pieces, noise, joints, preparation)
        doubts += [line if len(logs) == 1 else f"{log.name}: {line}" for line in told]
    return doubts or _short(np.max([_way(pieces) for _, pieces in seen], axis=0), robot, joints)


def _still_in(
    log: Log, noise: Noise, pieces: Sequence[MotionPiece], preparation: Preparation
) -> NDArray[np.bool_]:
    """Which joints stand still all along a log: in the parts that were looked at, then in all of it."""
    still = _still_in_all(pieces, noise)
    return still & _still_in_all(motions(log, preparation), noise) if still.any() else still


def _still_in_all(pieces: Iterable[MotionPiece], noise: Noise) -> NDArray[np.bool_]:
    """Which joints stand still in all pieces, but for those too short to tell."""
    found = [_still(piece, noise) for piece in pieces if piece.count >= LEAST]
    return np.all(found, axis=0) if found else np.zeros(len(noise.position), dtype=bool)


def _looked_at(log: Log, preparation: Preparation) -> tuple[Noise, list[MotionPiece]]:
    """The noise in parts of a log from its beginning to its end, and the motion there."""
    ends = planned(log, preparation).ends
    size = min(log.samples - 2 * ends, PART // PARTS)
    count = min(PARTS, ceil((log.samples - 2 * ends) / size))
    starts = np.linspace(ends, log.samples - ends - size, count).astype(int)
    found = [motion_between(log, preparation, int(first), int(first) + size) for first in starts]
    raw = [log.part(int(first), int(first) + size) for first in starts]
    position = _noise([part["position"] for part in raw])
    measured = "velocity" in raw[0]
    source = _noise([part["velocity"] for part in raw]) if measured else position
    velocity = source * _gain(log.rate, preparation, measured)
    counts = [_count(column) for column in np.concatenate([part["position"] for part in raw]).T]
    return Noise(position, velocity, np.array(counts)), [piece for piece in found if piece is not None]


def _noise(parts: Sequence[Array]) -> Array:
    return np.asarray(np.sqrt(np.mean([white_noise(part) ** 2 for part in parts], axis=0)))


def white_noise(x: Array) -> Array:
    """The deviation of white noise on each column."""
    if len(x) < 4:
        return np.zeros(x.shape[1])
    powers = [
        np.mean(np.diff(x, n, axis=0) ** 2, axis=0) / comb(2 * n, n)
        for n in ORDERS
        if len(x) > FEW * n or n == 3
    ]
    return np.asarray(np.sqrt(np.min(powers, axis=0)))


def torque_noise(logs: Sequence[Log], kind: str, decimation: int) -> Array | None:
    """Return the deviation of the rows of each joint by white noise of torques (e,); None if rows are not torques."""
    if kind in SCALAR:
        return None
    parts = [
        log.part(max(0, log.samples - PART) // 2, min(log.samples, (log.samples + PART) // 2)) for log in logs
    ]
    weights = decimation_filter(decimation) if decimation > 1 else np.ones(1)
    return _noise([part["torque"] for part in parts]) * float(np.linalg.norm(weights))


def _gain(rate: float, preparation: Preparation, measured: bool) -> float:
    """The deviation of velocities by that of the noise they are made of."""
    w = (np.arange(8192) + 0.5) * np.pi / 8192
    gain = np.ones_like(w)
    if preparation.cutoff is not None:
        from scipy.signal import sosfreqz

        gain = np.abs(sosfreqz(low_pass(preparation.cutoff, rate), w)[1]) ** 2
    if not measured:
        gain = gain * slope_gain(w, preparation.half) * rate
    return float(np.sqrt(np.mean(gain**2)))


def _own(motion: MotionPiece) -> slice:
    return slice(motion.first - motion.start, motion.first - motion.start + motion.count)


def _way(pieces: Sequence[MotionPiece]) -> Array:
    """How far each joint goes."""
    return np.asarray(np.ptp(np.concatenate([piece.q[_own(piece)] for piece in pieces]), axis=0))


def _still(motion: MotionPiece, noise: Noise) -> NDArray[np.bool_]:
    """Which joints do not move in a piece, though they are not constant."""
    q, qd = motion.q[_own(motion)], np.abs(motion.qd[_own(motion)])
    way = np.ptp(q, axis=0)
    wide = 2 * (2 * ln(max(len(q), 2))) ** 0.5 + BEYOND
    slow = (np.sqrt(np.mean(qd**2, axis=0)) <= MORE * noise.velocity) & (noise.velocity > 0)
    peaks = np.mean(qd > PEAK * noise.velocity, axis=0) > PEAKS
    quiet = slow & (way <= np.where(peaks, 1.0, FAR) * wide * noise.position)
    return np.asarray((noise.position > 0) & (quiet | (way <= COUNTS * noise.count)))


def _count(q: Array) -> float:
    """The usual step of samples that take a few values alone; zero of others."""
    steps = np.diff(np.unique(q))
    steps = steps[steps > ROUNDED * np.ptp(q)]
    return float(np.median(steps)) if 0 < len(steps) <= COUNTS else 0.0


def _refuse(log: Log, joints: Sequence[int], k: int, noise: Noise, pieces: Sequence[MotionPiece]) -> None:
    way, fast = _way(pieces)[k], float(np.sqrt(np.mean(_rates(pieces)[:, k] ** 2)))
    raise FormatError(
        f"joint {joints[k]} never moved: its position goes over {way:.2g} where the noise of its samples is "
        f"{noise.position[k]:.2g}, its velocity is {fast:.2g} (root mean square) where noise alone gives "
        f"{noise.velocity[k]:.2g}",
        place=log.place(0),
        hint="parameters show in motion alone: move every joint beyond the noise, give a lower cut-off if it did "
        "move, or describe a robot without this one",
    )


def _rates(pieces: Sequence[MotionPiece]) -> Array:
    """The speeds in all pieces."""
    return np.concatenate([np.abs(piece.qd[_own(piece)]) for piece in pieces])


def _slow(
    pieces: Sequence[MotionPiece], noise: Noise, joints: Sequence[int], preparation: Preparation
) -> list[str]:
    """Joints that rest at times, or are slow mostly, where those rows take part.

    Samples of one position on end do not, or obey the model where no dry friction is sought. A joint that turns back
    is within three deviations about as long as between three and six: what is more is rest.
    """
    qd = _rates(pieces)
    moves = ~np.concatenate([piece.rests[_own(piece)] for piece in pieces])
    found = []
    for k, j in enumerate(joints):
        limit = SLOW * noise.velocity[k]
        kept = qd[:, k][moves[:, k] & (qd[:, k] >= preparation.slow)]
        if noise.position[k] == 0 or not len(kept):
            continue
        share = float(np.mean(kept < limit))
        passing = float(np.mean((kept >= limit) & (kept < 2 * limit)))
        if share > MANY or share - passing > RESTS:
            found.append(
                f"joint {j} is no faster than the noise of its velocity ({limit:.2g}) in {100 * share:.0f} % of the "
                "samples, so that friction has a sign by chance: drop those rows by --slow (slow=), of this much at "
                "least, or give a lower cut-off"
            )
    return found


def _short(ways: Array, robot: Robot, joints: Sequence[int]) -> list[str]:
    """Joints that go hardly anywhere in any log."""
    found = []
    for k, j in enumerate(joints):
        alike = [w for w, i in zip(ways, joints, strict=True) if robot.frame(i).sigma == robot.frame(j).sigma]
        if 0 < ways[k] < LITTLE * max(alike):
            found.append(
                f"joint {j} goes over {ways[k]:.2g} alone, another one over {max(alike):.2g}: what is found of it may "
                "be of noise, or of the give of its gear"
            )
    return found
