"""Quantities along the parts of a trajectory: of the whole time, and what speaks against them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from symoro.motion.extremes import SampledQuantities, largest
from symoro.motion.moments import MotionRows, PartMotion
from symoro.motion.panels import Panels, Piece, QuantityKey, resolved
from symoro.motion.recording import Recording
from symoro.motion.samples import Samples
from symoro.motion.spline import hermite
from symoro.robot.description import JointType, Robot

Array = NDArray[np.float64]
OFF = 0.02  # of the largest velocity, that a simulated motion may be off between samples
SHOWN = 0.9  # of a peak: samples that show less of it are doubted


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
        if shown < SHOWN * abs(peak):
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
    told = hermite(samples.t, samples.q, samples.qd, samples.qdd, t)[1]
    begins = np.array([part.begin for part in parts])
    number = np.searchsorted(begins, t, side="right") - 1
    true = np.concatenate([part.at(t[number == k] - part.begin)[1] for k, part in enumerate(parts)])
    miss = np.abs(told - true)
    if miss.max(initial=0.0) > OFF * np.abs(true).max(initial=0.0):
        row, column = np.unravel_index(int(miss.argmax()), miss.shape)
        yield (
            f"the samples are too far apart for the motion: between them the velocity that is followed is off by "
            f"{miss[row, column]:.4g} of joint {samples.joints[column]} at t = {t[row]:.6g} s; take a smaller step"
        )
