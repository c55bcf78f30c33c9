"""Torques along a motion: power, energy, peaks, and which limit is passed at what time.

    tau(t) from `inverse-dynamics`,     power_j = tau_j qd_j,     energy_j = integral of power_j over time

Where the driven joints do not tell all that moves (a base that is free or rolls, elastic joints, flexible links), the
rest follows from forces: the robot is simulated with its driven joints following the motion, and the torques are those
that this takes (2010 paper, section 7.2). An elastic joint has no motor, and its spring gives -k (q - rest). Motors
behind springs are not asked here: their torque along a motion of the links takes its fourth derivative.

The integral is that of the trapezoidal rule over the samples. A limit counts as passed from the first moment, found on
the line between two samples, at which the position, velocity or effort is beyond it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import ArgumentError, NotApplicableError
from symoro.model import generate
from symoro.motion.bases import check_steady
from symoro.motion.following import led
from symoro.motion.loops import LoopCloser
from symoro.motion.result import Simulation
from symoro.motion.samples import Samples, columns_of
from symoro.motion.sampling import (
    STEP,
    coordinates_of,
    default_posture,
    follows_from_forces,
    sampled,
    told_start,
)
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
        follows: the simulated motion, where the driven joints do not tell all that moves.
        springs: (N,), the torques of the springs, by elastic joint.
    """

    robot: Robot
    samples: Samples
    tau: Array
    power: Array
    energy: Array
    peaks: tuple[Peak, ...]
    passed: tuple[Passed, ...]
    follows: Simulation | None = None
    springs: Mapping[int, Array] = field(default_factory=dict)

    @property
    def columns(self) -> dict[str, Array]:
        """The columns of its table."""
        found = columns_of(self.samples)
        for name, rows in (("tau", self.tau), ("power", self.power)):
            found |= {f"{name}{j}": rows[:, k] for k, j in enumerate(self.samples.joints)}
        found |= {f"spring{j}": rows for j, rows in self.springs.items()}
        if self.follows is not None:
            none = {f"tau{j}" for j in self.springs}
            more = self.follows.columns.items()
            found |= {name: rows for name, rows in more if name not in found and name not in none}
        return found


def torques(
    robot: RobotLike,
    motion: Trajectory | Samples,
    *,
    step: float = STEP,
    values: Mapping[str, float] | None = None,
    start: Mapping[str, ArrayLike] | None = None,
    inputs: Mapping[str, ArrayLike] | None = None,
    method: str = "DOP853",
    tolerance: float = 1e-9,
) -> TorqueReport:
    """The torques that a motion takes.

    Arguments:
        motion: a trajectory, which is sampled in steps of `step` seconds; or samples.
        values: numbers for symbols; the robot's nominal values serve where none is given.
        start: where the rest starts, of robots whose driven joints do not tell all: q (all joints), qd, e, ed, P0, Q0,
            V0, pose. Springs and modes start in equilibrium unless told, all else at rest.
        inputs: other inputs of the direct dynamic model of such robots, constant.
        method, tolerance: of the integrator for such robots.

    Raises:
        NotApplicableError: a robot without driven joints; poses of a robot whose driven joints do not tell all.
        ArgumentError: numbers are missing, the motion does not fit, or it cannot be followed to its end.
    """
    asked = as_robot(robot)
    numbers = {**dict(asked.nominal), **(values or {})}
    check_steady(asked, numbers)
    if not coordinates_of(asked):
        raise NotApplicableError(f"robot '{asked.name}' has no driven joint", hint="simulate it")
    why = follows_from_forces(asked)
    if not why and (start or inputs):
        raise ArgumentError(f"the motion tells all of robot '{asked.name}': there is no start to be given")
    samples = motion if isinstance(motion, Samples) else sampled(asked, motion, step=step, values=values)
    _check_fit(asked, samples)
    if why:
        posture = None if isinstance(motion, Samples) else told_start(asked, motion)
        begin = {**({} if posture is None else {"q": posture}), **(start or {})}
        follows = led(asked, samples, numbers, begin, inputs or {}, method, tolerance)
        tau = follows.tau[:, [follows.coordinates.index(j) for j in samples.joints]]
        samples = replace(samples, tree=follows.q)
    else:
        samples, tau = _known(asked, samples, numbers, values)
        follows = None
    power = tau * samples.qd
    energy = _integral(samples.t, power)
    passed = tuple(_passed(asked, samples, tau, numbers, follows))
    springs = {} if samples.tree is None else dict(_springs(asked, samples.tree, numbers))
    peaks = _peaks(samples, tau, power, energy)
    return TorqueReport(asked, samples, tau, power, energy, peaks, passed, follows, springs)


def _springs(robot: Robot, tree: Array, values: Mapping[str, float]) -> Iterator[tuple[int, Array]]:
    own = independent(robot)
    for j in elastic_joints(robot):
        frame = robot.frame(j)
        yield j, frame.k.value(values) * (frame.rest.value(values) - tree[:, own.index(j)])


def _known(
    robot: Robot, samples: Samples, numbers: Mapping[str, float], values: Mapping[str, float] | None
) -> tuple[Samples, Array]:
    """The torques of a robot whose driven joints tell all."""
    function = generate(robot, "inverse-dynamics").function(values)
    if robot.B:
        if samples.tree is None:
            near = default_posture(robot, numbers)
            samples = replace(samples, tree=LoopCloser(robot, numbers).along(samples.t, samples.q, near))
        tau = function(q=samples.tree, qda=samples.qd, qdda=samples.qdd)["tau"]
    else:
        tau = function(q=samples.q, qd=samples.qd, qdd=samples.qdd)["tau"]
    if not np.isfinite(tau).all():
        row = int(np.flatnonzero(~np.isfinite(tau).all(axis=1))[0])
        raise ArgumentError(
            f"the torques are not determined at t = {samples.t[row]:g} s: a dead point of the loops"
        )
    return samples, tau


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


def _passed(
    robot: Robot, samples: Samples, tau: Array, values: Mapping[str, float], follows: Simulation | None
) -> Iterator[Passed]:
    """Limits passed: positions and velocities of all joints where they are known, efforts of the driven."""
    for j, q, qd in _tree_motion(robot, samples, values, follows):
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
    robot: Robot, samples: Samples, values: Mapping[str, float], follows: Simulation | None
) -> Iterator[tuple[int, Array, Array | None]]:
    """Each moving joint with its positions, and its velocities where they are known."""
    q = {j: samples.q[:, k] for k, j in enumerate(samples.joints)}
    qd = {j: samples.qd[:, k] for k, j in enumerate(samples.joints)}
    if samples.tree is not None:
        q |= {j: samples.tree[:, k] for k, j in enumerate(independent(robot)) if j not in q}
    if follows is not None:
        qd |= {j: follows.qd[:, k] for k, j in enumerate(follows.coordinates) if j not in qd}
    for j in moving_joints(robot):
        relations = relation(robot, j)
        if relations is None:
            yield j, q[j], qd.get(j)
            continue
        place = np.full(len(samples.t), relations.offset.value(values))
        rate: Array | None = np.zeros(len(samples.t))
        for i, ratio in relations.terms:
            place = place + ratio.value(values) * q[i]
            rate = None if rate is None or i not in qd else rate + ratio.value(values) * qd[i]
        yield j, place, rate


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
