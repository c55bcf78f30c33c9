"""Identification of the inertial and friction parameters of a robot from logs of its motion.

    result = symoro.identify("tx40", "log.yaml", cutoff=100, decimation=100, slow=0.1)
    result.estimate.as_dict(), result.estimate.deviations
    result.residuals.kept.relative, result.residuals.every.relative, result.residuals.held_out.relative
    result.robot                                      the robot with the estimated parameters

One pass over the logs computes the R factors of their rows (`rows`); every linear estimator starts from these.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.deprecation import FormerWarningsName, takes_options
from symoro.display import OneLineRepr
from symoro.errors import ArgumentError, NotApplicableError, OptionError, ProgramError
from symoro.identification.assemblies import assembled
from symoro.identification.autocorrelation import first_rows, with_autocorrelation
from symoro.identification.base_diagnostics import base_warnings
from symoro.identification.base_motion import PREFIX
from symoro.identification.cluster import Passes, Work
from symoro.identification.consistent import (
    Consistent,
    checked_link_weights,
    checked_masses,
    checked_nominal,
    consistent,
    solver,
)
from symoro.identification.contacts import BASE_ROWS, check_contacts
from symoro.identification.correlated_rows import with_correlated_rows
from symoro.identification.delay import TorqueDelay, aligned, delay_seconds, delay_text, estimated_delay
from symoro.identification.diagnostics import DiagnosticWarning
from symoro.identification.drive_gains import (
    DriveGains,
    at_gains,
    comparable_units,
    estimated_gains,
    gain_warnings,
    with_uncertain_gains,
)
from symoro.identification.equations import (
    SCALAR,
    RowBlock,
    RowModel,
    check_base,
    check_floating,
    equations,
    row_name,
    row_share,
)
from symoro.identification.essential_parameters import Essential, essential
from symoro.identification.estimate_diagnostics import (
    consistency_warnings,
    method_warnings,
    parameter_warnings,
    sampling_warnings,
    torque_warnings,
)
from symoro.identification.friction import USUAL, friction_of
from symoro.identification.identified_robot import (
    check_motors,
    column_base,
    identified_robot,
    standard_robot,
    with_drives_of,
    without_further_friction,
    without_passive_rotors,
)
from symoro.identification.load_friction import has_load, load_point
from symoro.identification.log import Log, log_names, open_log, position_units, segments, with_drive_gains
from symoro.identification.log_description import ESTIMATE
from symoro.identification.log_diagnostics import (
    motion_warnings,
    rate_warnings,
    saturation_warnings,
    time_warnings,
    torque_noise,
    unit_warnings,
)
from symoro.identification.log_payload import log_payload
from symoro.identification.methods import (
    METHODS,
    SIMULATING,
    check_start,
    estimated,
    estimated_with_load,
    started,
)
from symoro.identification.options import IdentificationOptions
from symoro.identification.payloads import (
    EstimatedPayload,
    PayloadColumns,
    estimated_payloads,
    payload_columns,
    payload_warnings,
    with_known_column,
    with_payloads,
)
from symoro.identification.postures import in_mode_of, start_postures
from symoro.identification.regression import (
    ALL,
    KEPT,
    Estimate,
    Residuals,
    check_dependence,
    log_residual,
    ordinary,
    residual,
    weighted,
    why_no_column,
)
from symoro.identification.rows import LogPart, LogRows, RFactors, compressed, joined, merged, steady
from symoro.identification.sampling import sampling_bias, widened
from symoro.identification.signals import Preparation, planned
from symoro.identification.text import summary
from symoro.identification.tolerances import CONVERGED, DELAY_DECIMATION, DELAY_STEADY_ROWS
from symoro.identification.verdict import Verdict, verdict
from symoro.models.coordinates.couplings import coordinate_joints
from symoro.models.identification.base.parameters import BaseParameters
from symoro.robot.description import BaseKind, Robot
from symoro.robot.formats import RobotLike, as_robot
from symoro.threads import one_thread

Array = NDArray[np.float64]
LogLike = Log | str | Path
DELAY_PASSES = 5  # the torque residuals, which weight the joints, change with the delay
SECANT_SLOPES = (
    -2.0,
    -0.3,
)  # of the remaining over the corrected delay, which is -1 without jumps of dry friction
_STANDARD = re.compile(r"(?:XX|XY|XZ|YY|YZ|ZZ|MX|MY|MZ|M|IA)\d+\Z")


@dataclass(frozen=True, eq=False, repr=False)
class Identification(OneLineRepr, FormerWarningsName):
    """The result of an identification.

    Attributes:
        original: the robot with a symbol for every inertial parameter.
        base: its base parameters and their relations to the standard parameters.
        model: the identification equations, y = W K.
        preparation: filters, decimation and velocity limit of the samples.
        logs: the logs from which the parameters are estimated; a log with gaps is one log per segment.
        estimate: the estimated parameters K with their standard deviations.
        residuals: residuals of the estimate on these logs.
        data: R factors of the QR decompositions of the rows that were kept.
        rows: the rows of the regression, log by log.
        validation: residuals on the validation logs, by name.
        essential: reduced (essential) parameter set, if requested.
        consistent: physically consistent standard parameters, if requested.
        warnings: suspicious properties of the data and of the estimate (`diagnostics`).
        delay: estimated remaining delay of the torques with respect to the motion; None if it is not determined. The
            delay that was corrected is that of the logs (`Log.delay`).
        validation_rows: the rows of the regression of the validation logs; None without such logs.
        drive_gains: estimated drive gains, by which the torques of the logs were multiplied; None if they were given.
        described: the robot as described, whose drives are those of the result if the logs contain no torques.
        noise: standard deviation of the rows of each equation due to white noise of the torques; None if unknown.
        payloads: estimated payloads, by name.
    """

    original: Robot
    base: BaseParameters
    model: RowModel
    preparation: Preparation
    logs: tuple[Log, ...]
    estimate: Estimate
    residuals: Residuals
    data: RFactors
    rows: LogRows
    validation: Mapping[str, Residuals]
    essential: Essential | None = None
    consistent: Consistent | None = None
    warnings: tuple[DiagnosticWarning, ...] = ()
    delay: TorqueDelay | None = None
    validation_rows: LogRows | None = None
    drive_gains: DriveGains | None = None
    described: Robot | None = None
    noise: Array | None = None

    @cached_property
    def robot(self) -> Robot:
        """The robot with the estimated numbers: consistent standard parameters if requested, otherwise base parameters.

        With base parameters, the parameters that are regrouped into others are zero. Without torques the drives have no
        effect on the rows, and are those of the description.
        """
        if self.consistent is not None:
            robot = standard_robot(self.original, dict(self.consistent.standard), self.model.further)
        else:
            robot = identified_robot(self.base, self.estimate, self.model.further)
        if self.described is not None and self.model.labels == BASE_ROWS:
            return with_drives_of(robot, self.described)
        return robot

    @cached_property
    def verdict(self) -> Verdict:
        """The verdict on the identification: pass, doubtful or fail, with its criteria."""
        reduced = self.essential or essential(self.estimate, self.data)
        return verdict(
            self.model.labels,
            self.estimate,
            reduced.estimate,
            self.data,
            self.residuals,
            self.validation,
            self.consistent,
            self.warnings,
            self.noise,
        )

    @cached_property
    def payloads(self) -> dict[str, EstimatedPayload]:
        """The estimated payloads by name: ten parameters, mass, centre of mass and inertia, with deviations."""
        return estimated_payloads(self.model.payloads, self.estimate)

    @property
    def log_names(self) -> list[str]:
        """Names of the logs from which the parameters are estimated; equal names are made distinct."""
        return log_names(self.logs)

    def __str__(self) -> str:
        further = [*map(str, self.payloads.values()), *([str(self.drive_gains)] if self.drive_gains else [])]
        if any(log.delay for log in self.logs):
            further.append(f"delay of the torques: {delay_text(self.logs, self.delay)}")
        text = summary(self.original, self.estimate, self.residuals, self.validation, self.warnings, further)
        return f"{text}\n\n{self.verdict}"

    def longest(self, *, validation: bool = False) -> int:
        """Return the index of the longest log or segment of a log between gaps, from 0.

        Args:
            validation: whether the log is one of the validation logs.

        Raises:
            ArgumentError: there are no validation logs.
        """
        logs = self._rows_of(validation).logs
        return int(np.argmax([log.samples / log.rate for log in logs]))

    def _rows_of(self, validation: bool) -> LogRows:
        rows = self.validation_rows if validation else self.rows
        if rows is None:
            raise ArgumentError("there is no validation log", hint="give a log in 'validate'")
        return rows

    def predicted(self, number: int = 0, *, validation: bool = False) -> tuple[Array, Array, Array]:
        """Return time, measured and predicted values of all rows of one log, including the dropped rows.

        Args:
            number: index of the log, or of the segment of a log between gaps, from 0.
            validation: whether the log is one of the validation logs.

        Raises:
            ArgumentError: there are no validation logs.
        """
        blocks = list(self._rows_of(validation).of(number))
        K = self.estimate.values
        return (
            np.concatenate([block.time for block in blocks]),
            np.concatenate([block.y for block in blocks]),
            np.concatenate([block.A @ K for block in blocks]),
        )


@takes_options(IdentificationOptions)
@one_thread
def identify(
    robot: RobotLike,
    logs: LogLike | Sequence[LogLike],
    *,
    method: str = "wls",
    friction: Sequence[str] = USUAL,
    cutoff: float | None = None,
    decimation: int = 1,
    slow: float = 0.0,
    validate: Sequence[LogLike] = (),
    options: IdentificationOptions | None = None,
) -> Identification:
    """Estimate the base inertial parameters and the friction of a robot from logs of its motion.

        result = symoro.identify("tx40", "log.yaml", cutoff=100, decimation=100, slow=0.1)
        result.estimate.as_dict(), result.residuals.every.relative, result.robot

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        logs: one or several logs: paths (CSV, Parquet, ROS 2 bag, or the YAML file of a log that names its files) or
            `Log`s, as `symoro.Log.from_arrays(t=t, q=q, tau=tau)`.
        method: 'ols', 'wls', 'irls', 'tls', or one of 'iv', 'didim', 'cloe', which simulate the robot in its control
            loop and require the reference motion in the log, and the controller.
        friction: friction terms to be estimated: some of 'viscous', 'coulomb', 'offset', 'stribeck', 'load'.
        cutoff: cut-off frequency in Hz of the low-pass filter of the positions; by default they are not filtered.
        decimation: number of samples per row of the regression; 1 uses all samples without a filter.
        slow: rows of a joint with a velocity below this value (rad/s or m/s) are dropped.
        validate: logs on which the residuals of the estimate are computed.
        options: further options: identification model, delay, consistent parameters, ... (`IdentificationOptions`).

    Raises:
        FormatError: a log cannot be read; the message contains the line.
        ArgumentError: arguments contradict each other, or the logs do not determine a parameter (with the reason).
        OptionError: an option has a wrong value.
    """
    chosen = options or IdentificationOptions()
    if chosen.delay == ESTIMATE:
        return _with_estimated_delay(
            lambda delay: identify(
                robot,
                logs,
                method=method,
                friction=friction,
                cutoff=cutoff,
                decimation=decimation,
                slow=slow,
                validate=validate,
                options=replace(chosen, delay=delay),
            )
        )
    if method not in METHODS:
        raise OptionError(f"method: expected one of {', '.join(METHODS)}, got '{method}'")
    preparation = Preparation(
        cutoff, decimation, slow, **({} if chosen.piece is None else {"piece": chosen.piece})
    )
    if chosen.find_consistent:
        solver()  # a missing package is reported before the identification
    described = as_robot(robot).bind(dict(chosen.values or {}))
    symbolic = symbolic_robot(described)
    check_base(symbolic)
    check_floating(symbolic, chosen.model, method, friction)
    _check_method(method, symbolic)
    check_start(chosen.start, method in SIMULATING)
    listed, listed_others = _listed(logs), _listed(validate)
    used = _with_payloads(_opened(listed, symbolic, chosen), chosen.payloads)
    if described.motors and has_torques(used[0]):
        check_motors(described, used[0].transmission)
    others = _opened(listed_others, symbolic, chosen, rests=True) if listed_others else ()
    _check_twice(_origins(listed, used), _origins(listed_others, others))
    of_times = time_warnings((*used, *others), preparation)
    of_torques = saturation_warnings(used, coordinate_joints(symbolic))
    of_validation = log_names(others, used)
    divided = [[_segments(log, preparation, chosen.delay) for log in some] for some in (used, others)]
    counts = [len(parts) for parts in divided[1]]  # segments of each validation log
    used, others = (tuple(segment for parts in some for segment in parts) for some in divided)
    assembly = in_mode_of(symbolic, chosen.posture)
    named = start_postures(assembly, used, chosen.posture)
    near = named[0]
    assembly = in_mode_of(assembly, near)
    base = column_base(assembly, symbolic.postures)
    check_left_out(chosen.without, base)
    checked_masses(base.original, chosen.masses, chosen.total_mass)  # before the work
    checked_link_weights(base.original, chosen.link_priors)
    checked_nominal(base.original, chosen.nominal)
    terms = friction_of(described, friction, chosen.stribeck_velocity)
    contacts, torques = used[0].contacts, has_torques(used[0])
    own_equation = equations(
        assembly, chosen.model, terms, used[0].transmission, chosen.without, near, contacts, torques
    )
    used, assembly_warnings = assembled(used, own_equation, preparation, named)
    others = _beside(used[0], others, own_equation, preparation, near)
    columns = payload_columns(
        base, own_equation.names, [log.payload for log in used], [log.payload for log in others]
    )
    _check_payloads(method, own_equation, columns, others)
    equation = with_payloads(own_equation, columns)
    gains = None
    if chosen.drive_gains == ESTIMATE:
        gains = _estimated_gains(equation, used, preparation, chosen)
        used, others = (
            tuple(with_drive_gains(log, gains.values.tolist()) for log in some) for some in (used, others)
        )
    if chosen.client is not None and near is not None:
        raise NotApplicableError(
            f"the loops of robot '{symbolic.name}' are closed sample after sample, which cannot be "
            "distributed over a cluster",
            hint="omit the option 'client', so that one process reads the log",
        )
    share = row_share(chosen.model, decimation)
    work = Work(
        assembly,
        chosen.model,
        terms,
        used[0].transmission,
        tuple(chosen.without),
        preparation,
        share,
        payloads=columns,
        contacts=contacts,
        torques=torques,
    )
    passes = Passes(equation, used, work, chosen.client)
    rows, parts = passes()
    data = merged(parts, equation.support, KEPT)
    of_motion = motion_warnings(used, symbolic, preparation)
    try:
        check_rows(equation, data)
    except ArgumentError as error:
        rates = [line for log in used for line in rate_warnings(log, coordinate_joints(symbolic))]
        if not rates:
            raise
        raise ArgumentError(error.message, hint=f"{rates[0]}: check whether they are measured") from None
    begin = partial(started, base=base, start=chosen.start)
    try:
        if has_load(equation):
            estimate, data = estimated_with_load(
                method, passes, data, chosen.controller, begin, chosen.time_limit
            )
            rows, parts = passes(load_point(estimate, slopes=False))
        else:
            estimate = estimated(method, data, rows, chosen.controller, begin, chosen.time_limit)
    except ProgramError as error:
        if method not in SIMULATING or chosen.start != "wls":
            raise
        hint = "or start from the nominal values of the robot, start='nominal'"
        raise ProgramError(error.message, hint=f"{error.hint}; {hint}") from None
    bias = sampling_bias(used, rows.model, preparation, estimate, data)
    of_estimate = sampling_warnings(bias, estimate, data) + method_warnings(equation, estimate, data)
    early = first_rows(rows)
    if contacts:  # one contact force is part of several rows
        estimate = with_correlated_rows(estimate, rows())
    if method not in SIMULATING:  # noise of positions causes autocorrelation too, and its warning comes first
        estimate = with_autocorrelation(estimate, early, chosen.model, decimation)
    lag = None if method == "cloe" else _estimated_delay(rows, early, estimate)
    estimate, gains = with_uncertain_gains(widened(estimate, bias), gains, data)
    noise = torque_noise(used, equation, preparation)
    residuals = _residuals(method, equation, parts, estimate)
    ends = np.cumsum(counts, dtype=int)
    validation = {
        name: log_residual(
            _parts(rows.model, others[end - count : end], preparation), equation.support, estimate
        )
        for name, count, end in zip(of_validation, counts, ends, strict=True)
    }
    constrained = (
        consistent(
            base,
            estimate,
            data,
            prior=chosen.prior,
            weight=chosen.prior_weight,
            cad=chosen.nominal,
            masses=chosen.masses,
            total_mass=chosen.total_mass,
            link_weights=chosen.link_priors,
            further=equation.further,
            payloads=columns,
        )
        if chosen.find_consistent
        else None
    )
    warnings = [
        *assembly_warnings,
        *of_times,
        *(base_warnings(used, equation.gravity) if contacts else ()),
        *unit_warnings(used, own_equation, preparation, others),
        *of_motion,
        *of_torques,
        *of_estimate,
    ]
    if not assembly_warnings:  # a wrong assembly mode has the same effects as wrong torques
        given = used[0].rate, used[0].delay
        warnings += parameter_warnings(base, estimate, residuals, data)
        warnings += torque_warnings(equation.labels, estimate, data, noise, lag, *given)
    warnings += consistency_warnings(estimate, residuals, constrained)
    warnings += gain_warnings(gains)
    warnings += payload_warnings(estimated_payloads(columns, estimate))
    return Identification(
        symbolic,
        base,
        equation,
        preparation,
        used,
        estimate,
        residuals,
        data,
        rows,
        validation,
        essential(estimate, data) if chosen.find_essential else None,
        constrained,
        tuple(warnings),
        lag,
        LogRows(rows.model, others, preparation) if others else None,
        gains,
        described,
        noise,
    )


def _with_estimated_delay(run: Callable[[float | None], Identification]) -> Identification:
    """Return an identification with the delay of the torques estimated from the logs and corrected.

    The deviations of the parameters include the uncertainty of the delay: dK/dd times its deviation.

    Args:
        run: function that identifies the parameters with a given delay in seconds; None for that of the logs.

    Raises:
        ArgumentError: the logs do not determine the delay.
    """
    result = run(None)
    delays = {log.delay for log in result.logs}
    lag, slope, step = result.delay, None, 0.0
    for _ in range(DELAY_PASSES):
        if lag is None or len(delays) > 1:
            raise ArgumentError(
                "the delay of the torques cannot be estimated: the method or model does not use torques of single "
                "joints, the logs are too short or too noisy, or their descriptions contain different delays",
                hint="give the delay in seconds",
            )
        if slope is None:
            slope = lag.change / lag.seconds if lag.seconds else lag.change
        if abs(lag.seconds) <= CONVERGED * lag.deviation:
            break
        step = step or lag.seconds
        delays = {delays.pop() + step}
        result = run(*delays)
        if result.delay is None:
            break  # without a new estimate, the larger deviation of the previous one remains
        secant = (result.delay.seconds - lag.seconds) / step
        lag = result.delay
        step = -lag.seconds / secant if SECANT_SLOPES[0] < secant < SECANT_SLOPES[1] else lag.seconds
    if lag is None or slope is None:
        return result
    change = slope * lag.deviation
    estimate = result.estimate
    return replace(
        result, estimate=replace(estimate, covariance=estimate.covariance + np.outer(change, change))
    )


def _estimated_delay(rows: LogRows, early: Sequence[RowBlock], estimate: Estimate) -> TorqueDelay | None:
    """Return the delay of the torques; None if it is not determined.

    The result is None for the power and energy models too: their rows are products of torques and velocities, and a
    delay of the torques does not simply shift such products in time.

    Rows without decimation are not filtered and jump where dry friction reverses, so that they cannot be interpolated:
    the delay is then determined from filtered rows. Rows near a reversal are not used, because the time of the jump is
    known to one sample only: it would dominate the delay.

    Args:
        rows: the regression rows.
        early: those at the beginning of each log.
        estimate: the estimate, from which the iteration starts.
    """
    kind, preparation = rows.model.kind, rows.preparation
    if kind in SCALAR:
        return None
    if preparation.decimation == 1:
        preparation = replace(preparation, decimation=DELAY_DECIMATION)
        long = [log for log in rows.logs if _is_long_enough(log, preparation)]
        early = first_rows(LogRows(rows.model, long, preparation))
    steadily = [replace(block, kept=steady(block, DELAY_STEADY_ROWS)) for block in early]
    return estimated_delay(steadily, estimate, row_share(kind, preparation.decimation))


def symbolic_robot(robot: Robot, values: Mapping[str, float] | None = None) -> Robot:
    """Return the robot with a symbol for every inertial parameter, without further friction and coupled motors.

    Args:
        values: numbers that replace symbols of the robot; by default no symbol is replaced.

    Raises:
        NotApplicableError: a passive joint has a rotor inertia, which base parameters do not have.
    """
    bound = without_further_friction(robot.bind(dict(values)) if values else robot)
    return without_passive_rotors(bound).symbolic(inertia="all") if robot.B else bound.symbolic(inertia="all")


def _check_method(method: str, robot: Robot) -> None:
    if robot.B and method in SIMULATING:
        raise NotApplicableError(
            f"method '{method}' simulates the robot in its control loop, which is not supported for robots with "
            f"closed kinematic loops such as '{robot.name}'",
            hint="use wls, irls or tls; a low cut-off frequency and decimation reduce the noise of the positions",
        )


def _listed(logs: LogLike | Sequence[LogLike]) -> list[LogLike]:
    return [logs] if isinstance(logs, Log | str | Path) else list(logs)


def _opened(
    given: Sequence[LogLike], robot: Robot, chosen: IdentificationOptions, rests: bool = False
) -> tuple[Log, ...]:
    if not given:
        raise ArgumentError("no log is given", hint="give at least one log or file")
    rests = rests or len(given) > 1
    gains: Sequence[float] = () if isinstance(chosen.drive_gains, str) else chosen.drive_gains
    currents = chosen.drive_gains == ESTIMATE
    opened = tuple(
        with_drive_gains(log, gains)
        if isinstance(log, Log)
        else open_log(
            log,
            _without_effort_limits(robot) if currents else robot,
            chosen.description,
            rests=rests,
            topics=chosen.topics,
            drive_gains=[1.0] * len(coordinate_joints(robot)) if currents else gains,
        )
        for log in given
    )
    opened = tuple(replace(log, units=position_units(robot)) for log in opened)
    joints = coordinate_joints(robot)
    for log in opened:
        if log.joints != len(joints):
            names = ", ".join(f"q{j}" for j in joints)
            what = "active joints" if robot.B else "joints"
            raise ArgumentError(
                f"{log.name} has {log.joints} joints, robot '{robot.name}' has {len(joints)} {what}: {names}"
            )
        _check_base_columns(log, opened[0], robot)
        if log.transmission != opened[0].transmission:
            raise ArgumentError(f"the transmissions of {log.name} and {opened[0].name} differ")
    return opened


def _without_effort_limits(robot: Robot) -> Robot:
    """Return the robot without limits of its torques, with which currents cannot be compared."""
    frames = tuple(replace(frame, limits=replace(frame.limits, effort=None)) for frame in robot.frames)
    return robot.replace(frames=frames)


def _with_payloads(
    logs: tuple[Log, ...], payloads: Sequence[Mapping[str, Any] | str | None]
) -> tuple[Log, ...]:
    """Return the logs with the payloads of the option `payloads`.

    Raises:
        ArgumentError: the number of payloads is not that of the logs, or a payload differs from that of its log.
    """
    if not payloads:
        return logs
    if len(payloads) != len(logs):
        raise ArgumentError(f"payloads: expected one for each of the {len(logs)} logs, got {len(payloads)}")
    changed = []
    for log, given in zip(logs, payloads, strict=True):
        payload = log.payload if given is None else log_payload(given)
        if log.payload is not None and payload != log.payload:
            raise ArgumentError(
                f"payloads: the description of {log.name} contains another payload: {log.payload}",
                hint="give the payload in one place",
            )
        changed.append(replace(log, payload=payload))
    return tuple(changed)


def _check_payloads(
    method: str, equation: RowModel, columns: PayloadColumns | None, others: Sequence[Log]
) -> None:
    """Check that the method and the validation logs admit the payloads of the logs.

    Args:
        method: identification method.
        equation: identification model of the robot.
        columns: columns of the payloads; None if there are none.
        others: the validation logs.
    """
    known = {one.payload for one in columns.maps} if columns is not None else set()
    for log in others:
        if log.payload is not None and log.payload not in known:
            raise ArgumentError(
                f"validation log {log.name} has a payload ({log.payload}) that no log of the estimation has",
                hint="estimate this payload from another log, or validate on a log with one of the other payloads",
            )
    if columns is None:
        return
    if method in SIMULATING:
        raise NotApplicableError(
            f"method '{method}' simulates the robot, which is not supported for logs with payloads",
            hint="use wls, irls or tls",
        )
    if has_load(equation):
        raise NotApplicableError(
            "load-dependent friction is not supported for logs with payloads",
            hint="remove 'load' from the friction terms",
        )


def _estimated_gains(
    equation: RowModel, logs: Sequence[Log], preparation: Preparation, chosen: IdentificationOptions
) -> DriveGains:
    """Estimate the drive gains from logs whose torques are currents.

    Raises:
        ArgumentError, NotApplicableError: the logs do not determine the gains, or the model does not contain them.
    """
    if chosen.model in SCALAR or chosen.client is not None:
        raise NotApplicableError(
            f"drive gains cannot be estimated with the {chosen.model} model"
            if chosen.model in SCALAR
            else "drive gains cannot be estimated on a cluster",
            hint="use the dynamic or the filtered model, and omit the option 'client'",
        )
    if equation.contacts:
        raise NotApplicableError(
            "drive gains cannot be estimated for robots with a floating base",
            hint="give the drive gains as numbers, or leave out the torques: the contact forces determine the links",
        )
    if logs[0].transmission is not None and logs[0].transmission.coupled():
        raise NotApplicableError(
            "drive gains cannot be estimated if a motor turns with several joints",
            hint="give the drive gains as numbers",
        )
    weighed = equation.payloads is not None and any(one.known.any() for one in equation.payloads.maps)
    if not weighed:
        raise ArgumentError(
            "the scale of the drive gains is not determined: no log has a payload of known mass",
            hint="weigh the payload of one log, and give its mass as in payload: {unknown: box, mass: 2}",
        )
    model = with_known_column(equation)
    rows = LogRows(model, logs, preparation)
    share = row_share(chosen.model, preparation.decimation)
    parts = [
        merged(compressed(rows.of(k), model.support, log.samples / log.rate, share), model.support, KEPT)
        for k, log in enumerate(logs)
    ]
    data = reduce(joined, parts)
    check_rows(equation, at_gains(data, comparable_units(data)[1]))
    return estimated_gains(equation.labels, data)


def _check_base_columns(log: Log, first: Log, robot: Robot) -> None:
    """Check that a log contains the motion of a floating base and its contacts, the same as the first log.

    Raises:
        ArgumentError: the base of the robot is fixed, the contacts differ, or a frame of a contact does not exist.
    """
    if robot.base.kind != BaseKind.FLOATING:
        if log.contacts or any(kind.startswith(PREFIX) for kind in log.part(0, 1)):
            raise ArgumentError(
                f"{log.name} contains contacts or the motion of a base, but the base of robot '{robot.name}' is fixed",
                hint="describe the robot with a floating base ('kind: floating' under 'base'), or use "
                "robot.floating()",
            )
        return
    check_contacts(robot, log.contacts)
    if log.contacts != first.contacts or has_torques(log) != has_torques(first):
        raise ArgumentError(
            f"the contacts of {log.name} and {first.name} differ, or only one of both logs contains torques",
            hint="describe the same contacts in all logs, with columns of zeros where a contact is absent",
        )


def has_torques(log: Log) -> bool:
    """Return whether a log contains torques; those of a floating robot may contain none."""
    return "torque" in log.part(0, 1)


def _segments(log: Log, preparation: Preparation, delay: float | str | None) -> tuple[Log, ...]:
    """Return the segments of a log between gaps that are long enough for the filters, with their delay corrected.

    Args:
        log: the log.
        preparation: filters and decimation of the log.
        delay: seconds, 'hold', or None for the delay in the log's description.

    Raises:
        ArgumentError: no segment is long enough.
    """
    parts = segments(log)
    if len(parts) == 1:
        return (_timed(log, delay),)
    usable = []
    rejected: dict[int, ArgumentError] = {}
    for part in parts:
        try:
            timed = _timed(part, delay)
            planned(timed, preparation)
            usable.append(timed)
        except ArgumentError as error:
            rejected[part.samples] = error
    if not usable:
        longest = rejected[max(rejected)]
        raise ArgumentError(
            f"gaps divide the log into {len(parts)} segments, and none can be used: {longest.message}",
            hint=f"record a log without gaps, or {longest.hint}",
        )
    return tuple(usable)


def _is_long_enough(log: Log, preparation: Preparation) -> bool:
    try:
        planned(log, preparation)
    except ArgumentError:
        return False
    return True


def _timed(log: Log, delay: float | str | None) -> Log:
    """Return the log with its motion shifted to correct the delay of its torques.

    Args:
        delay: seconds, 'hold', or None for the delay in the log's description.
    """
    described = log.description.delay if log.description else None
    return aligned(log, delay_seconds(described if delay is None else delay, log.rate))


def _origins(given: Sequence[LogLike], opened: Sequence[Log]) -> list[tuple[str, object]]:
    """Return for each log its name, and its file or, without a file, the identity of the given object."""
    return [
        (log.source.name, log.source.resolve()) if log.source is not None else (log.name, id(one))
        for one, log in zip(given, opened, strict=True)
    ]


def _check_twice(logs: Sequence[tuple[str, object]], others: Sequence[tuple[str, object]]) -> None:
    """Reject a log that is given twice.

    Its rows would count twice, and the standard deviations would be too small. The residual on a validation log from
    which the parameters are estimated would validate nothing.

    Args:
        logs: name and origin of each log of the estimation.
        others: the same of the validation logs.
    """
    counts = Counter(origin for _, origin in logs)
    twice = next((name for name, origin in logs if counts[origin] > 1), None)
    if twice is not None:
        raise ArgumentError(
            f"the log '{twice}' is given twice",
            hint="give each log once; repeated samples add no information",
        )
    common = next((name for name, origin in others if origin in counts), None)
    if common is not None:
        raise ArgumentError(
            f"the validation log '{common}' is also a log of the estimation",
            hint="validate on another log; without one, the last third of the logs is used",
        )


def _beside(
    first: Log,
    others: tuple[Log, ...],
    model: RowModel,
    preparation: Preparation,
    near: tuple[float, ...] | None,
) -> tuple[Log, ...]:
    """Select the assembly modes in which the validation logs start, relative to the first log.

    Args:
        first: the first log of the identification.
        others: the validation logs.
        model: identification model of the robot.
        preparation: filters and decimation of the logs.
        near: positions of all joints near the first sample of the first log, for a robot with closed loops.

    Returns:
        The validation logs with the loop coordinates at their first samples.
    """
    if not others:
        return ()
    return assembled((first, *others), model, preparation, (near, *(None for _ in others)))[0][1:]


def check_left_out(without: Sequence[str], base: BaseParameters) -> None:
    """Reject names in the option `without` that are standard parameters but not columns of the regressor.

    The error states why the parameter has no column: it has no effect, or it is grouped with another one.
    """
    for name in without:
        if _STANDARD.match(name) and name not in base.names:
            raise ArgumentError(f"there is no column '{name}': {why_no_column(name, base, base.relations)}")


def check_rows(equation: RowModel, data: RFactors) -> None:
    """Check that the rows determine every parameter, and that every joint has rows with nonzero torque.

    Args:
        equation: identification model of the robot.
        data: R factors of the regression rows.

    Raises:
        ArgumentError: there are too few rows, a joint has no rows or no torque, or a parameter is not determined.
    """
    P = len(equation.names)
    if data.rows <= P:
        raise ArgumentError(
            f"{data.rows} rows for {P} parameters are too few",
            hint=(
                "give a longer log, less decimation, or a smaller value of the option 'slow': rows in "
                "which the joint is slower are dropped"
            ),
        )
    for k, count in enumerate(data.counts):
        if not count:
            raise ArgumentError(
                f"no row of {row_name(equation.labels[k])} remains: the joint never moved, or never "
                "faster than the value of 'slow'",
                hint=(
                    "move every joint, or give a smaller value of the option 'slow': rows in which the "
                    "joint is slower are dropped"
                ),
            )
    norms = data.norms()
    for k, norm in enumerate(norms):
        if norm == 0:
            raise ArgumentError(
                f"the torque of {row_name(equation.labels[k])} is zero in all samples"
                if equation.labels[k].isdigit()
                else f"the contact forces result in a {equation.labels[k]} of zero in all samples",
                hint="check whether it was measured",
            )
    check_dependence(equation.names, data.together(1 / norms), equation.at_random, equation.parameter_units)


def _parts(equation: RowModel, parts: Sequence[Log], preparation: Preparation) -> dict[LogPart, RFactors]:
    """Return the R factors of all segments of a log."""
    blocks = (block for part in parts for block in equation.blocks(part, preparation))
    return compressed(blocks, equation.support, max(part.samples / part.rate for part in parts))


def _residuals(
    method: str, equation: RowModel, parts: Mapping[LogPart, RFactors], estimate: Estimate
) -> Residuals:
    """Return the residuals of an estimate on all data, and a validation residual on the last third.

    The validation residual is that of parameters estimated from the first two thirds of the log. These parameters are
    estimated by ordinary least squares if `method` is 'ols', otherwise by weighted least squares.

    Args:
        method: identification method of the estimate.
        equation: identification model of the robot.
        parts: R factors by part of the log: (third of the log 0, 1 or 2; whether the fit uses the rows).
        estimate: the estimate.
    """
    residuals = log_residual(parts, equation.support, estimate)
    early = merged(parts, equation.support, [part for part in KEPT if part[0] < 2])
    late = merged(parts, equation.support, [part for part in KEPT if part[0] == 2])
    try:
        check_rows(equation, early)
        fit = ordinary if method == "ols" else weighted
        before = fit(equation.names, early)
    except ArgumentError:
        return residuals
    every = merged(parts, equation.support, [part for part in ALL if part[0] == 2])
    late_residual = residual(late, before) if late.rows else None
    whole = residual(every, before) if every.rows else None
    return replace(residuals, held_out=late_residual, held_out_every=whole, held_out_by=before.method)
