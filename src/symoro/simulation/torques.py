"""Torques along a motion: power, energy, peak values, and the times at which limits are exceeded.

    tau(t) from `inverse-dynamics`,     power_j = tau_j qd_j,     energy_j = integral of power_j over time

If the driven joints do not determine the motion (a free or rolling base, elastic joints, flexible links), the other
coordinates follow from forces. The robot is then simulated with its driven joints following the motion; the torques are
those that this motion requires (Khalil, ICINCO 2010, section 7.2). An elastic joint has no motor; its spring exerts
the torque -k (q - rest). With actuators="elastic" a motor acts through the spring: the trajectory then prescribes the
link positions of all joints, and the torques are those of the motors (`motors`).

Peaks, integrals and limits are computed for three kinds of motion: along a trajectory for the continuous motion,
independent of the step of its samples (`piecewise_chebyshev`); for a simulated motion on the integrator's interpolation
(`result`); for tables from the samples only, with the trapezoidal rule and linear interpolation between samples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.deprecation import FormerWarningsName
from symoro.display import OneLineRepr, aligned
from symoro.errors import ArgumentError, NotApplicableError, OptionError
from symoro.model import generate
from symoro.models.geometric.loop.mechanism import active_joints
from symoro.robot.coordinates import independent
from symoro.robot.description import Limits, Robot
from symoro.robot.formats import RobotLike, as_robot
from symoro.robot.size import characteristic_length, joint_units, unit_of
from symoro.robot.topology import cut_joints, elastic_joints
from symoro.simulation.extremes import (
    PEAK_COLUMNS,
    Passed,
    Peak,
    SampledQuantities,
    limit_text,
    missed_peak_warnings,
    passed_limits,
    peak_rows,
    peaks_of,
    quantities,
    resolution_warnings,
    step_warnings,
    whole_motion,
    whole_simulation,
)
from symoro.simulation.following import followed_motion
from symoro.simulation.motors import MotorDrives
from symoro.simulation.piecewise_chebyshev import PiecewiseChebyshev, QuantityKey
from symoro.simulation.result import Recording, Simulation
from symoro.simulation.tolerances import HUGE
from symoro.trajectory.files import as_trajectory
from symoro.trajectory.prescribed import check_rates, check_steady
from symoro.trajectory.robot_samples import (
    GivenPosture,
    closed_samples,
    deviation_warnings,
    driven_columns,
    initial_parts,
)
from symoro.trajectory.samples import Samples, columns_of, rate_warnings
from symoro.trajectory.sampling import (
    STEP,
    MotionRows,
    PartMotion,
    coordinates_of,
    follows_from_forces,
    initial_posture,
    planned,
)
from symoro.trajectory.trajectory import OF_POSES, Start, Trajectory

Array = NDArray[np.float64]


class PassiveRates:
    """Function that computes the velocities of passive joints from those of the active joints.

    It is used for robots with closed loops or wheels.
    """

    def __init__(self, robot: Robot, values: Mapping[str, float]) -> None:
        driven, symbols = active_joints(robot), robot.symbols()
        own = {name: value for name, value in values.items() if name in symbols}
        self._joints, self._wheels = independent(robot), bool(robot.wheels)
        self._passive = [j for j in self._joints if j not in driven] if robot.B or robot.wheels else []
        if self._passive:
            model = "wheel-kinematics" if self._wheels else "loop-kinematics"
            self._function = generate(robot, model).function(own)

    def at(self, tree: Array, qda: Array) -> dict[int, Array]:
        """Return the velocities (N,) of the passive joints by joint number.

        Args:
            tree: positions of all joints of the tree at N times, one row per time.
            qda: velocities of the active joints, one row per time.
        """
        if not self._passive:
            return {}
        if self._wheels:  # three rows of the base, then all joints
            rows = [3 + self._joints.index(j) for j in self._passive]
            matrix = self._function(q=tree)["G"][:, rows]
        else:
            matrix = self._function(q=tree, qd=np.zeros_like(tree))["W"]
        rates = np.einsum("kij,kj->ki", matrix, qda)
        return {j: rates[:, k] for k, j in enumerate(self._passive)}


@dataclass(frozen=True, eq=False, repr=False)
class TorqueReport(OneLineRepr, FormerWarningsName):
    """Torques, powers and energies along a motion of N samples and n driven joints.

    Attributes:
        samples: times, positions, velocities and accelerations of the driven joints.
        tau, power: torques (N m or N) and powers (W) of the driven joints, (N, n).
        energy: energy in joules that each drive supplies over the whole motion, (n,); negative if the drive absorbs
            energy.
        peaks: values of largest magnitude, root-mean-square effort and energy per joint.
        passed: joint limits that are exceeded, with the times.
        between: True if energy, peaks and limits are computed for the continuous motion, False if only for the samples.
        warnings: reasons why the numbers may be inaccurate, in sentences.
        follows: the simulated motion, if the driven joints do not determine the motion of the robot.
        springs: torques of the springs (N,), by elastic joint.
        motors: positions and velocities (N,) of motors that act through springs, by name: qm2, qmd2.
    """

    robot: Robot
    samples: Samples
    tau: Array
    power: Array
    energy: Array
    peaks: tuple[Peak, ...]
    passed: tuple[Passed, ...]
    between: bool = False
    warnings: tuple[str, ...] = ()
    follows: Simulation | None = None
    springs: Mapping[int, Array] = field(default_factory=dict)
    motors: Mapping[str, Array] = field(default_factory=dict)

    @property
    def columns(self) -> dict[str, Array]:
        """Columns of the table of results (times, positions, torques, powers, ...) by name."""
        table = columns_of(self.samples)
        for name, rows in (("tau", self.tau), ("power", self.power)):
            table |= {f"{name}{j}": rows[:, k] for k, j in enumerate(self.samples.joints)}
        if self.samples.tree is not None and self.follows is None:
            places = enumerate(independent(self.robot))
            table |= {f"q{j}": self.samples.tree[:, k] for k, j in places if j not in self.samples.joints}
        table |= {f"spring{j}": rows for j, rows in self.springs.items()}
        table |= self.motors
        if self.follows is not None:
            none = {f"tau{j}" for j in self.springs}
            more = self.follows.columns.items()
            table |= {name: rows for name, rows in more if name not in table and name not in none}
        return table

    @property
    def title(self) -> str:
        """Robot, duration and number of samples, in words."""
        duration = self.samples.t[-1] - self.samples.t[0]
        return f"{self.robot.name}: {duration:g} s in {len(self.samples.t)} samples"

    @property
    def remarks(self) -> list[str]:
        """Energy, springs, simulated coordinates, exceeded limits and warnings, one sentence each."""
        lines = [f"energy of all drives: {self.energy.sum():.6g} J"]
        for j, spring in self.springs.items():
            at, unit = int(np.abs(spring).argmax()), unit_of(self.robot, j)[1]
            lines.append(
                f"spring of joint {j}: {spring[at]:.6g} {unit} at most, at {self.samples.t[at]:.4g} s"
            )
        if self.follows is not None:
            lines.append(f"simulated coordinates: {', '.join(self.follows.parts) or 'passive joints'}")
        if self.passed:
            lines += ["exceeded limits:", *(f"  {limit_text(self.robot, one)}" for one in self.passed)]
        else:
            lines.append(self.no_limit)
        return [*lines, *(f"warning: {warning}" for warning in self.warnings)]

    @property
    def no_limit(self) -> str:
        """Sentence for the user which states that no limit is exceeded."""
        if self.between:
            return "no limit of the robot is exceeded"
        return "no limit of the robot is exceeded at the samples; the motion between samples is not checked"

    def __str__(self) -> str:
        table = aligned(PEAK_COLUMNS, peak_rows(self.robot, self.peaks))
        return "\n".join([self.title, *table, *self.remarks])


def torques(
    robot: RobotLike,
    motion: Trajectory | Samples | str | Path,
    *,
    step: float = STEP,
    values: Mapping[str, float] | None = None,
    start: Mapping[str, ArrayLike] | None = None,
    posture: GivenPosture | None = None,
    inputs: Mapping[str, ArrayLike] | None = None,
    method: str = "DOP853",
    tolerance: float = 1e-9,
    actuators: str | None = None,
) -> TorqueReport:
    """Compute the torques, powers and energies that a motion requires.

        report = symoro.torques("filip3r", symoro.trajectory.load("filip3r"))
        report.tau, report.peaks, report.passed

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        motion: a trajectory, which is sampled in steps of `step` seconds; or samples; or the path of a file with
            a trajectory or samples.
        step: seconds between the samples of a trajectory.
        values: numbers for symbols; by default the nominal values of the robot.
        start: initial state of the other coordinates, if the driven joints do not determine the motion: q (all joints),
            qd, e, ed, P0, Q0, V0, pose. By default springs and modes start in equilibrium, everything else at rest; a
            table of samples may contain these values too.
        posture: assembly mode of a robot with closed loops, for samples of the active joints only: positions of all
            joints near the first sample, or the name of a posture; by default 'home', if the robot has it.
        inputs: other inputs of the direct dynamic model by name, constant; only if the motion is simulated.
        method, tolerance: integrator and its tolerance, only if the motion is simulated.
        actuators: "elastic" if the motors of elastic joints act through the springs; the trajectory then prescribes the
            motion of the links.

    Raises:
        NotApplicableError: the robot has no driven joint, or a path of poses is given although the driven joints do not
            determine the motion.
        ArgumentError: numbers are missing, the motion does not match the robot, or it cannot be followed to its end.
    """
    described, motion = as_robot(robot), as_trajectory(motion)
    numbers = {**dict(described.nominal), **(values or {})}
    check_rates(described)
    check_steady(described, numbers)
    if actuators is not None:
        return _actuated(described, motion, numbers, step, actuators, more=bool(start or inputs or posture))
    if not coordinates_of(described):
        raise NotApplicableError(f"robot '{described.name}' has no driven joint", hint="simulate it")
    why = follows_from_forces(described)
    if not why and (start or inputs):
        raise ArgumentError(
            f"the driven joints determine the motion of robot '{described.name}': 'start' must not be given"
        )
    if posture is not None and (not described.B or isinstance(motion, Trajectory)):
        raise ArgumentError(
            "posture: this option applies only if the motion is given as samples and the robot has "
            "closed loops",
            hint="give the positions of all joints as the start of the trajectory" if described.B else None,
        )
    parts: tuple[PartMotion, ...] = ()
    warnings: list[str] = []
    begin: dict[str, ArrayLike] = {}
    if isinstance(motion, Samples):
        samples = driven_columns(described, motion)
        if why:
            begin = initial_parts(described, motion, samples, numbers, posture, start or {})
        elif described.B and samples.tree is None:
            samples, off = closed_samples(described, samples, numbers, posture)
            warnings += off
    else:
        samples, parts = planned(described, motion, numbers, step)
        whole = initial_posture(described, motion)
        begin = {} if whole is None else {"q": whole}
    if why:
        begin |= start or {}
        record = Recording() if parts else None
        follows = followed_motion(described, samples, numbers, begin, inputs or {}, method, tolerance, record)
        report = _simulated(described, replace(samples, tree=follows.q), follows, numbers, record)
        warnings += deviation_warnings(described, samples, follows.q)
        if parts:
            coarser = tuple(
                step_warnings(samples, parts)
            )  # the interpolated samples differ from the trajectory
            report = replace(
                report, warnings=(*coarser, *report.warnings), between=report.between and not coarser
            )
    else:
        report = _known(described, samples, parts, numbers, values)
    if isinstance(motion, Samples):
        units = joint_units(described, samples.joints, characteristic_length(described, numbers))
        warnings = [*rate_warnings(samples, units), *warnings]
    return replace(report, warnings=(*warnings, *report.warnings))


def _actuated(
    robot: Robot,
    motion: Trajectory | Samples,
    values: Mapping[str, float],
    step: float,
    actuators: str,
    *,
    more: bool,
) -> TorqueReport:
    """Return the torques of the motors of a robot with elastic joints, along a prescribed motion of its links.

    Args:
        motion: motion of the links.
        values: numbers for symbols.
        step: seconds between the samples of a trajectory.
        actuators: option `actuators`, which must be 'elastic'.
        more: whether arguments of a simulation are given, which are rejected here.
    """
    if actuators != "elastic":
        raise OptionError(f"actuators = '{actuators}': expected 'elastic'")
    if more:
        raise ArgumentError(
            f"the driven joints determine the motion of robot '{robot.name}': 'start' must not be given"
        )
    if isinstance(motion, Samples):
        raise ArgumentError(
            "motors behind springs require the fourth derivative of the motion, which samples do not have",
            hint="give a trajectory of moves, via points or a Fourier series",
        )
    if isinstance(motion.start, Start) or any(isinstance(part, OF_POSES) for part in motion.parts):
        raise NotApplicableError(
            "motors behind springs require the fourth derivative of the motion, which paths of poses do not have",
            hint="give a trajectory of the joints",
        )
    drives = MotorDrives.of(robot, values)
    if why := follows_from_forces(drives.links):
        raise NotApplicableError(f"the motors of robot '{robot.name}' do not move all of its links: {why}")
    samples, parts = planned(drives.links, motion, values, step)
    drives.check(parts, samples.joints)
    rows = drives.at(parts, samples.t)
    at_samples = drives.quantities(samples.joints, rows)
    report = _report(robot, samples, at_samples, drives.whole(parts, samples.joints, list(at_samples)))
    places = {j: samples.joints.index(j) for j in drives.elastic}
    motors = {f"{name}{j}": rows[name][:, k] for name in ("qm", "qmd") for j, k in places.items()}
    warnings = (*report.warnings, *drives.warnings(rows, samples.joints))
    return replace(report, motors=motors, warnings=warnings)


def _simulated(
    robot: Robot, samples: Samples, follows: Simulation, values: Mapping[str, float], record: Recording | None
) -> TorqueReport:
    """Return the torques of a robot whose motion is simulated, because the driven joints do not determine it.

    Args:
        samples: prescribed motion of the driven joints.
        follows: the simulated motion of the whole robot.
        values: numbers for symbols.
        record: the motion between samples, or None if it was not recorded.
    """
    led = [follows.coordinates.index(j) for j in samples.joints]
    passive = PassiveRates(robot, values)

    def rates(tree: Array, qd: Array) -> dict[int, Array]:
        return {**passive.at(tree, qd), **{j: qd[:, k] for k, j in enumerate(follows.coordinates)}}

    every = rates(follows.q, follows.qd)
    at_samples = quantities(robot, values, samples.joints, _rows(samples), follows.tau[:, led], every)
    panels = None
    if record is not None:

        def known(tree: Array, qd: Array, qdd: Array, tau: Array) -> dict[QuantityKey, Array]:
            place = [follows.joints.index(j) for j in samples.joints]
            rows = tree[:, place], qd[:, led], qdd[:, led], tree
            return quantities(robot, values, samples.joints, rows, tau[:, led], rates(tree, qd))

        panels = whole_simulation(robot, record, float(samples.t[0]), list(at_samples), known)
    report = _report(robot, samples, at_samples, panels)
    return replace(report, follows=follows, springs=dict(_springs(robot, follows.q, values)))


def _springs(robot: Robot, tree: Array, values: Mapping[str, float]) -> Iterator[tuple[int, Array]]:
    own = independent(robot)
    for j in elastic_joints(robot):
        frame = robot.frame(j)
        yield j, frame.k.value(values) * (frame.rest.value(values) - tree[:, own.index(j)])


def _known(
    robot: Robot,
    samples: Samples,
    parts: tuple[PartMotion, ...],
    numbers: Mapping[str, float],
    values: Mapping[str, float] | None,
) -> TorqueReport:
    """Return the torques of a robot whose driven joints determine its motion.

    Args:
        samples: motion of the driven joints.
        parts: parts of the continuous trajectory; empty if only samples are given.
        numbers: values of all symbols.
        values: values of symbols as given by the caller.
    """
    function = generate(robot, "inverse-dynamics").function(values)
    rates = PassiveRates(robot, numbers)

    def known(t: Array, rows: MotionRows) -> dict[QuantityKey, Array]:
        _, qd, _, tree = rows
        passive = {} if tree is None else rates.at(tree, qd)
        return quantities(robot, numbers, samples.joints, rows, _efforts(function, t, rows), passive)

    at_samples = known(samples.t, _rows(samples))
    return _report(
        robot, samples, at_samples, whole_motion(robot, parts, list(at_samples), known) if parts else None
    )


def _rows(samples: Samples) -> MotionRows:
    return samples.q, samples.qd, samples.qdd, samples.tree


def _efforts(function: Callable[..., Mapping[str, Array]], t: Array, rows: MotionRows) -> Array:
    q, qd, qdd, tree = rows
    outputs = function(q=q, qd=qd, qdd=qdd) if tree is None else function(q=tree, qda=qd, qdda=qdd)
    tau = np.asarray(outputs["tau"])
    if not np.isfinite(tau).all():
        row = int(np.flatnonzero(~np.isfinite(tau).all(axis=1))[0])
        most = max(float(np.abs(rates[row]).max(initial=0.0)) for rates in (q, qd, qdd))
        if tree is not None and most < HUGE:
            raise ArgumentError(
                f"the torques are not determined at t = {t[row]:g} s: the loops are in a singular "
                "configuration"
            )
        raise ArgumentError(
            f"the torques are not finite numbers at t = {t[row]:g} s, where the motion has numbers of {most:.3g}",
            hint="check the units and the values of the motion, and the numbers of the robot",
        )
    return tau


def _report(
    robot: Robot, samples: Samples, at_samples: Mapping[QuantityKey, Array], panels: PiecewiseChebyshev | None
) -> TorqueReport:
    """Return the torque report from quantities at the samples.

    Args:
        samples: motion of the driven joints.
        at_samples: time series (N,) by quantity and joint.
        panels: the same quantities along the continuous motion, from which peaks and limits are determined; if None,
            they are determined from the samples.
    """
    sampled = SampledQuantities(samples.t, at_samples)
    whole = sampled if panels is None else panels
    tau, power = (
        np.stack([at_samples[what, j] for j in samples.joints], axis=1) for what in ("effort", "power")
    )
    peaks = peaks_of(whole, samples.joints, float(samples.t[-1] - samples.t[0]))
    energy = np.array([peak.energy for peak in peaks])
    passed = tuple(passed_limits(whole, robot, list(at_samples)))
    between = panels is not None or len(samples.t) == 1
    warnings = (
        ()
        if panels is None
        else (*resolution_warnings(panels), *missed_peak_warnings(panels, sampled, robot, samples.joints))
    )
    warnings = (*warnings, *_unwatched(robot))
    return TorqueReport(robot, samples, tau, power, energy, peaks, passed, between, warnings)


def _unwatched(robot: Robot) -> Iterator[str]:
    """Yield a warning if cut joints of loops have limits, because these limits are not checked."""
    names = [str(j) for j in cut_joints(robot) if robot.frame(j).limits != Limits()]
    if names:
        yield f"the limits of the cut joints {', '.join(names)} are not checked"
