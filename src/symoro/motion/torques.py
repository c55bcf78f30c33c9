"""Torques along a motion: power, energy, peaks, and which limit is passed at what time.

    tau(t) from `inverse-dynamics`,     power_j = tau_j qd_j,     energy_j = integral of power_j over time

The integral is that of the trapezoidal rule over the samples. A limit counts as passed from the first moment, found on
the line between two samples, at which the position, velocity or effort is beyond it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError, NotApplicableError
from symoro.model import generate
from symoro.motion.bases import check_steady
from symoro.motion.loops import LoopCloser
from symoro.motion.samples import Samples, columns_of
from symoro.motion.sampling import STEP, check_base, coordinates_of, default_posture, sampled
from symoro.motion.trajectory import Trajectory
from symoro.robot.coordinates import independent, relation
from symoro.robot.description import JointType, Robot
from symoro.robot.formats import RobotLike, as_robot
from symoro.robot.topology import elastic_joints, moving_joints

Array = NDArray[np.float64]
SLACK = 1e-9  # a limit may be exceeded by so much, which is round-off


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


@dataclass(frozen=True, eq=False)
class TorqueReport:
    """Torques along a motion.

    Attributes:
        tau, power: (N, n), of the joints of the samples; newton metres or newtons, watts.
        energy: (n,), what each drive puts in over the whole motion, in joules; less than 0 where it takes out.
    """

    robot: Robot
    samples: Samples
    tau: Array
    power: Array
    energy: Array
    peaks: tuple[Peak, ...]
    passed: tuple[Passed, ...]

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
    samples = motion if isinstance(motion, Samples) else sampled(asked, motion, step=step, values=values)
    _check_fit(asked, samples)
    if asked.B:
        if samples.tree is None:
            near = default_posture(asked, numbers)
            samples = replace(samples, tree=LoopCloser(asked, numbers).along(samples.t, samples.q, near))
        tau = function(q=samples.tree, qda=samples.qd, qdda=samples.qdd)["tau"]
    else:
        tau = function(q=samples.q, qd=samples.qd, qdd=samples.qdd)["tau"]
    if not np.isfinite(tau).all():
        row = int(np.flatnonzero(~np.isfinite(tau).all(axis=1))[0])
        raise ArgumentError(
            f"the torques are not determined at t = {samples.t[row]:g} s: a dead point of the loops"
        )
    power = tau * samples.qd
    energy = _integral(samples.t, power)
    passed = tuple(_passed(asked, samples, tau, numbers))
    return TorqueReport(asked, samples, tau, power, energy, _peaks(samples, tau, power, energy), passed)


def _check_fit(robot: Robot, samples: Samples) -> None:
    wanted = coordinates_of(robot)
    if samples.joints != wanted:
        names, got = (", ".join(f"q{j}" for j in joints) for joints in (wanted, samples.joints))
        raise ArgumentError(f"the motion tells {got}; robot '{robot.name}' has {names}")


def _integral(t: Array, rows: Array) -> Array:
    return np.asarray(((rows[1:] + rows[:-1]) / 2 * np.diff(t)[:, None]).sum(axis=0))


def _peaks(samples: Samples, tau: Array, power: Array, energy: Array) -> tuple[Peak, ...]:
    found = []
    for k, j in enumerate(samples.joints):
        at = int(np.abs(tau[:, k]).argmax())
        span = samples.t[-1] - samples.t[0]
        square = _integral(samples.t, tau[:, k : k + 1] ** 2)[0]
        rms = float(np.sqrt(square / span)) if span > 0 else abs(float(tau[0, k]))
        largest = {
            name: float(rows[np.abs(rows[:, k]).argmax(), k])
            for name, rows in (("velocity", samples.qd), ("acceleration", samples.qdd), ("power", power))
        }
        found.append(
            Peak(j, float(tau[at, k]), float(samples.t[at]), rms, energy=float(energy[k]), **largest)
        )
    return tuple(found)


def _passed(robot: Robot, samples: Samples, tau: Array, values: Mapping[str, float]) -> Iterator[Passed]:
    """Limits passed: positions and velocities of all joints that the coordinates determine, efforts of the driven."""
    for j, q, qd in _tree_motion(robot, samples, values):
        limits = robot.frame(j).limits
        lower = -np.inf if limits.lower is None else limits.lower
        upper = np.inf if limits.upper is None else limits.upper
        yield from _first(j, "position", samples.t, q, lower, upper)
        if limits.velocity is not None and qd is not None:
            yield from _first(j, "velocity", samples.t, qd, -limits.velocity, limits.velocity)
    for k, j in enumerate(samples.joints):
        effort = robot.frame(j).limits.effort
        if effort is not None:
            yield from _first(j, "effort", samples.t, tau[:, k], -effort, effort)


def _tree_motion(
    robot: Robot, samples: Samples, values: Mapping[str, float]
) -> Iterator[tuple[int, Array, Array | None]]:
    """Each moving joint with its positions, and its velocities where they are known."""
    own = {j: (samples.q[:, k], samples.qd[:, k]) for k, j in enumerate(samples.joints)}
    if robot.B and samples.tree is not None:
        passive = [(k, j) for k, j in enumerate(independent(robot)) if j not in own]
        yield from ((j, q, qd) for j, (q, qd) in own.items())
        yield from ((j, samples.tree[:, k], None) for k, j in passive)
        return
    for j in moving_joints(robot):
        follows = relation(robot, j)
        if follows is None:
            yield j, *own[j]
            continue
        ratios = [(own[i], ratio.value(values)) for i, ratio in follows.terms]
        q = np.full(len(samples.t), follows.offset.value(values))
        qd = np.zeros(len(samples.t))
        for (position, rate), ratio in ratios:
            q, qd = q + ratio * position, qd + ratio * rate
        yield j, q, qd


def _first(j: int, what: str, t: Array, x: Array, lower: float, upper: float) -> Iterator[Passed]:
    """Where a quantity leaves its range, below and above."""
    for limit, beyond in ((lower, lower - x), (upper, x - upper)):
        out = np.flatnonzero(beyond > SLACK * max(1.0, abs(limit)))
        if not len(out):
            continue
        k, worst = int(out[0]), int(beyond.argmax())
        time = float(t[k])
        if k > 0 and beyond[k - 1] <= 0:
            share = -beyond[k - 1] / (beyond[k] - beyond[k - 1])
            time = float(t[k - 1] + share * (t[k] - t[k - 1]))
        yield Passed(j, what, float(limit), time, float(x[worst]), float(t[worst]))


def unit_of(robot: Robot, j: int) -> tuple[str, str]:
    """The units of a joint's position and of its effort."""
    return ("m", "N") if robot.frame(j).sigma == JointType.PRISMATIC else ("rad", "Nm")
