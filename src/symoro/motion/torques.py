"""Torques along a motion: power, energy, peaks, and which limit is passed at what time.

    tau(t) from `inverse-dynamics`,     power_j = tau_j qd_j,     energy_j = integral of power_j over time

Along a trajectory peaks, integrals and limits are those of the whole motion, whatever the step of its samples
(`motion/panels.py`). Of a table no more is known than its samples: the integral is that of the trapezoidal rule, and a
limit is passed on the line between two samples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError, NotApplicableError
from symoro.model import generate
from symoro.motion.bases import check_steady
from symoro.motion.extremes import Known, Passed, Peak, Sampled, largest, passed_limits, peaks_of, quantities
from symoro.motion.loops import LoopCloser
from symoro.motion.moments import PartMotion, Rows
from symoro.motion.panels import Key, Panels, Piece, resolved
from symoro.motion.samples import Samples, columns_of
from symoro.motion.sampling import STEP, check_base, coordinates_of, default_posture, planned
from symoro.motion.trajectory import Trajectory
from symoro.robot.description import JointType, Robot
from symoro.robot.formats import RobotLike, as_robot
from symoro.robot.topology import elastic_joints

Array = NDArray[np.float64]
SHOWN = 0.9  # of a peak: samples that show less of it are doubted


@dataclass(frozen=True, eq=False)
class TorqueReport:
    """Torques along a motion.

    Attributes:
        tau, power: (N, n), of the joints of the samples; newton metres or newtons, watts.
        energy: (n,), what each drive puts in over the whole motion, in joules; less than 0 where it takes out.
        between: whether energy, peaks and limits are those of the whole motion; else of the samples alone.
        doubts: what speaks against the numbers, in sentences.
    """

    robot: Robot
    samples: Samples
    tau: Array
    power: Array
    energy: Array
    peaks: tuple[Peak, ...]
    passed: tuple[Passed, ...]
    between: bool
    doubts: tuple[str, ...]

    @property
    def columns(self) -> dict[str, Array]:
        """The columns of its table."""
        found = columns_of(self.samples)
        for name, rows in (("tau", self.tau), ("power", self.power)):
            found |= {f"{name}{j}": rows[:, k] for k, j in enumerate(self.samples.joints)}
        return found


def torques(
    robot: RobotLike,
    motion: Trajectory | Samples,
    *,
    step: float = STEP,
    values: Mapping[str, float] | None = None,
) -> TorqueReport:
    """The torques that a motion takes.

    Arguments:
        motion: a trajectory, which is sampled in steps of `step` seconds; or samples.
        values: numbers for symbols; the robot's nominal values serve where none is given.

    Raises:
        NotApplicableError: what moves is not told by the joints alone: elastic or flexible robots, a base that is
            free or rolls.
        ArgumentError: numbers are missing, or the motion does not fit.
    """
    asked = as_robot(robot)
    check_base(asked)
    if elastic_joints(asked):
        raise NotApplicableError(
            f"robot '{asked.name}' has elastic joints, whose motion follows from the forces",
            hint="simulate it, with the other joints following the trajectory",
        )
    check_steady(asked, {**dict(asked.nominal), **(values or {})})
    function = generate(asked, "inverse-dynamics").function(values)
    numbers = {**dict(asked.nominal), **(values or {})}
    parts: tuple[PartMotion, ...] = ()
    if isinstance(motion, Samples):
        samples = motion
    else:
        samples, parts = planned(asked, motion, numbers, step)
    _check_fit(asked, samples)
    if asked.B and samples.tree is None:
        near = default_posture(asked, numbers)
        samples = replace(samples, tree=LoopCloser(asked, numbers).along(samples.t, samples.q, near))

    def known(t: Array, rows: Rows) -> dict[Key, Array]:
        return quantities(asked, numbers, samples.joints, rows, _efforts(function, t, rows))

    at_samples = known(samples.t, (samples.q, samples.qd, samples.qdd, samples.tree))
    sampled = Sampled(samples.t, at_samples)
    panels = _panels(asked, parts, at_samples, known) if parts else None
    whole: Known = panels or sampled
    tau, power = (
        np.stack([at_samples[what, j] for j in samples.joints], axis=1) for what in ("effort", "power")
    )
    peaks = peaks_of(whole, samples.joints, float(samples.t[-1] - samples.t[0]))
    energy = np.array([peak.energy for peak in peaks])
    passed = tuple(passed_limits(whole, asked, list(at_samples)))
    doubts = () if panels is None else (*_unresolved(panels), *_unseen(panels, sampled, samples.joints))
    return TorqueReport(asked, samples, tau, power, energy, peaks, passed, panels is not None, doubts)


def _efforts(function: Callable[..., Mapping[str, Array]], t: Array, rows: Rows) -> Array:
    q, qd, qdd, tree = rows
    found = function(q=q, qd=qd, qdd=qdd) if tree is None else function(q=tree, qda=qd, qdda=qdd)
    tau = np.asarray(found["tau"])
    if not np.isfinite(tau).all():
        row = int(np.flatnonzero(~np.isfinite(tau).all(axis=1))[0])
        raise ArgumentError(f"the torques are not determined at t = {t[row]:g} s: a dead point of the loops")
    return tau


def _panels(
    robot: Robot,
    parts: tuple[PartMotion, ...],
    keys: Mapping[Key, Array],
    known: Callable[[Array, Rows], dict[Key, Array]],
) -> Panels:
    """All quantities along the parts of a trajectory, at moments that they ask for themselves."""

    def evaluate(number: int, times: Array) -> Array:
        part = parts[number]
        found = known(part.begin + times, part.moments.at(times))
        return np.stack([found[key] for key in keys], axis=1)

    pieces = [
        Piece(k, part.begin, float(start), float(end))
        for k, part in enumerate(parts)
        for start, end in zip(part.breaks, part.breaks[1:], strict=False)
    ]
    turning = [j for what, j in keys if what == "position" and robot.frame(j).sigma == JointType.REVOLUTE]
    return resolved(evaluate, pieces, list(keys), turning)


def _unresolved(panels: Panels) -> Iterator[str]:
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


def _unseen(panels: Panels, sampled: Sampled, joints: tuple[int, ...]) -> Iterator[str]:
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


def _check_fit(robot: Robot, samples: Samples) -> None:
    wanted = coordinates_of(robot)
    if samples.joints != wanted:
        names, got = (", ".join(f"q{j}" for j in joints) for joints in (wanted, samples.joints))
        raise ArgumentError(f"the motion tells {got}; robot '{robot.name}' has {names}")


def unit_of(robot: Robot, j: int) -> tuple[str, str]:
    """The units of a joint's position and of its effort."""
    return ("m", "N") if robot.frame(j).sigma == JointType.PRISMATIC else ("rad", "Nm")
