"""The warnings of identification and calibration: names, criteria and texts.

Data with a wrong unit, sign, order or clock often give parameters that look plausible. A result lists suspicious data
in `warnings`. The criteria are computed in `log_diagnostics` and `base_diagnostics` (samples), `estimate_diagnostics`
(parameters and residuals), `assemblies` (closed loops) and `geometric_diagnostics` (calibration).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from symoro.identification import tolerances as limit


@dataclass(frozen=True)
class Diagnostic:
    """Kind of warning that an identification or a calibration may report.

    Attributes:
        name: stable identifier.
        criterion: the condition under which the warning is reported.
        text: the message, with fields in braces.
    """

    name: str
    criterion: str
    text: str


class DiagnosticWarning(str):
    """Text of one warning, with the name of its kind (`Diagnostic`)."""

    __slots__ = ("name",)
    name: str

    def __new__(cls, name: str, text: str) -> DiagnosticWarning:
        made = super().__new__(cls, text)
        made.name = name
        return made

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        return self.name, str(self)

    def in_log(self, log: str) -> DiagnosticWarning:
        """Return the warning with the name of a log before its text."""
        return DiagnosticWarning(self.name, f"{log}: {self}")


def warning(name: str, **values: Any) -> DiagnosticWarning:
    """Return a warning of the kind `name`, with values inserted into its text.

    Args:
        name: name of a `Diagnostic`.
        values: values of the fields in braces in its text.
    """
    return DiagnosticWarning(name, DIAGNOSTICS[name].text.format(**values))


_LOG = (
    Diagnostic(
        "uneven-times",
        f"time steps of a log differ from their mean by more than {limit.EVEN_STEP:.0%}, or less if the positions "
        "confirm them, so it is resampled, or its quantities have different times",
        "the log is resampled at {rate:.6g} Hz: {losses}{unused}{beyond}",
    ),
    Diagnostic(
        "derivative-mismatch",
        f"over windows of {limit.RATE_WINDOW:g} s the change of a measured position (velocity) differs "
        "from the integral of the measured velocity (acceleration) by more than "
        f"{limit.FACTOR_OF_RATES:.0%}",
        "the {higher} of joint {joint} {mismatch} of {lower}",
    ),
    Diagnostic(
        "base-rotation",
        f"over windows of {limit.RATE_WINDOW:g} s the rotation of a floating base differs from the integral of its "
        f"measured angular velocity by more than {limit.FACTOR_OF_RATES:.0%}",
        "the angular velocities of the base {mismatch} of its orientation: check the order of the quaternion (w, x, y, "
        "z), that it is the rotation of frame 0 in the world, and that the angular velocity is in frame 0",
    ),
    Diagnostic(
        "specific-force",
        f"the mean specific force of a floating base differs from gravity by more than {limit.GRAVITY_MISMATCH:.0%}",
        "the specific force of the base is implausible: {mean}, and a robot that remains near its place has "
        "{expected} m/s2: check the unit, the sign (a - g, upward at rest) and the axes, and whether gravity was "
        "removed (then describe it as 'acceleration')",
    ),
    Diagnostic(
        "position-unit",
        "positions in another common unit reduce the torque residual below "
        f"{limit.BETTER_FIT:.0%} of that of the positions as they were read",
        "the model leaves {other} of the torques unexplained if the positions are {unit}, but {read} with the "
        "positions as "
        "they were read: check the unit",
    ),
    Diagnostic(
        "wound-up-joint",
        f"a revolute joint moves beyond {limit.WOUND_UP:.3g} rad, faster than {limit.FAST_JOINT:g} "
        "rad/s, and returns, and the torques do not confirm that its positions are in radians",
        "joint {joint} reaches {position:.3g} rad at {velocity:.3g} rad/s: check whether its positions are in "
        "degrees",
    ),
    Diagnostic(
        "time-unit",
        f"a joint oscillates faster than {limit.BEYOND_VELOCITY:g} times its velocity limit, or faster "
        f"than {limit.FASTEST_JOINT:g} rad/s if it has no limit",
        "joint {joint} oscillates at {velocity:.3g} {unit}: check the unit of the time or of the rate",
    ),
    Diagnostic(
        "slow-joint",
        f"the velocity of a joint is below {limit.SIGNIFICANT:g} standard deviations of its noise in "
        f"more than {limit.SLOW_SAMPLES:.0%} of the samples, or in {limit.REST_SHARE:.0%} more samples "
        "than it is between one and two times this value",
        "joint {joint} is not faster than the noise of its velocity ({velocity:.2g}) in {share:.0f} % of the "
        "samples, so the sign of its friction is random there: drop these rows with --slow (slow=) of at least this "
        "velocity, or give a lower cut-off frequency",
    ),
    Diagnostic(
        "saturated-torque",
        f"the torque of a moving joint is constant at its largest or smallest value in more than "
        f"{limit.SATURATED_SHARE:.1%} of the samples, for at least {limit.SATURATED_SAMPLES} times as long as at other "
        "values",
        "the torque of joint {joint} is constant at {value:.4g}, the {side} value of the log, in {share:.1f} % of the "
        "samples: it is probably limited by the sensor or the drive, and these rows contradict the model: reduce the "
        "motion, or cut them from the log",
    ),
    Diagnostic(
        "short-motion",
        f"the range of motion of a joint is less than {limit.SHORT_MOTION:g} times that of another "
        "joint of the same type",
        "the range of motion of joint {joint} is only {range:.2g}, that of another joint is "
        "{other:.2g}: its parameters may be dominated by noise or by the elasticity of its gear",
    ),
    Diagnostic(
        "other-assembly",
        "the torque residual in another assembly mode of the loops is clearly smaller than in that of the given "
        "posture",
        "the given posture seems to belong to another assembly mode of the loops: with {given} the model leaves "
        "{given_share} of the torques of {log} unexplained, with {other} it leaves {other_share}: give {other} "
        "as posture if the robot was in this assembly mode",
    ),
    Diagnostic(
        "unknown-assembly",
        "several assembly modes of the loops explain the torques of a log without a posture about equally well",
        "the torques of {log} do not determine the assembly mode of its loops; the mode reached from the first log "
        "is "
        "assumed, at {assumed}: {hint} if it started in another mode",
    ),
)
_ESTIMATE = (
    Diagnostic(
        "unexplained-torques",
        f"the residual of the kept rows is more than {limit.UNEXPLAINED:.0%} of the torques",
        "the model leaves {share:.0f} % of the torques unexplained: check units, signs, ratios, and the "
        "direction of gravity",
    ),
    Diagnostic(
        "negative-parameter",
        f"an inertia or a friction coefficient is negative by more than {limit.SIGNIFICANT:g} deviations, and "
        f"has an effect of more than {limit.SMALL_EFFECT:.1%} of the torques",
        "{names} cannot be negative: check the signs of positions, torques and contact forces, and whether they "
        "were recorded with the same clock",
    ),
    Diagnostic(
        "torque-unit",
        (
            "the torques are {:g} to {:g} times those of the nominal parameters, or smaller than these "
            "by such a factor"
        ).format(*limit.THOUSANDFOLD),
        "the torques are {factor:.3g} times those of the robot's nominal parameters: check whether they are in "
        "{unit}",
    ),
    Diagnostic(
        "torque-factor",
        "a factor on the torques of one joint removes the contradiction with the other joints; it "
        f"differs from 1 by more than {limit.FACTOR_ERROR:.0%} and {limit.FACTOR_DEVIATIONS:g} standard "
        "deviations",
        "the measured torques contradict each other: {factors}; check sign, unit and gear ratio. With "
        "the torques as given, {shares} of the torques ({equations}) remain unexplained",
    ),
    Diagnostic(
        "inconsistent-torques",
        f"the residual of a joint is more than {limit.JOINT_RATIO:g} times that of a fit to its equation alone, and "
        f"more than {limit.JOINT_SHARE:.0%} of its torques",
        "torques of the joints are inconsistent: a common set of parameters leaves residuals of {shares}; check the "
        "order, signs, units and gear ratios of the torques, and the geometry of the robot",
    ),
    Diagnostic(
        "unexplained-joint",
        f"the residual of a joint is more than {limit.UNEXPLAINED:.0%} of its torques and "
        f"{limit.NOISE_RATIO:g} times their white noise",
        "the model does not explain {shares}; check units, signs and the order of columns",
    ),
    Diagnostic(
        "torque-delay",
        f"an estimated delay differs from zero by more than {limit.DELAY_DEVIATIONS:g} deviations, and changes "
        "a parameter by more than its deviation",
        "torques {relation} the motion by {delay:.3g} ms (deviation {deviation:.1g} ms), {samples:.2g} "
        "samples{hold}{beyond}. Correcting this changes {parameter} by {change:.2g}, {deviations:.2g} of its "
        "standard "
        "deviations: give {option}",
    ),
    Diagnostic(
        "sampling-rate",
        "finite differences over more samples change a parameter by more than "
        f"{limit.BIAS_DEVIATIONS:g} of its standard deviations",
        "the sampling rate is too low for finite differences of this motion: with differences over "
        "more samples {change}; record at a higher rate, or move more slowly",
    ),
    Diagnostic(
        "position-noise",
        "doubling the noise on the positions changes a parameter by more than "
        f"{limit.NOISE_BIAS_DEVIATIONS:g} of its deviations",
        "noise on positions biases the parameters: with twice the noise {change}; give a lower cut-off frequency, "
        "more decimation, or use a method that is robust to such noise (iv)",
    ),
    Diagnostic(
        "low-pass",
        f"applying the low-pass twice changes a parameter by more than {limit.BIAS_DEVIATIONS:g} of its deviations",
        "the low-pass filter removes a part of the motion: if it is applied twice, {change}; give a higher cut-off "
        "frequency, or none",
    ),
    Diagnostic(
        "measured-load",
        "load-dependent friction is estimated with a model that computes the load from measured torques",
        "{names} may be biased by more than their deviations: the {model} model computes the load from measured, "
        "noisy "
        "torques; use the dynamic model",
    ),
    Diagnostic(
        "total-least-squares",
        f"total and weighted least squares differ by more than {limit.TLS_DEVIATIONS:g} deviations",
        "{parameter} is {deviations:.2g} deviations from the result of weighted least squares: total least squares "
        "assumes that the errors of all entries are independent, which those of one noisy position are not; "
        "use wls with a lower cut-off, or iv",
    ),
    Diagnostic(
        "few-rows",
        f"IDIM-IV or DIDIM has fewer than {limit.ROWS_PER_COLUMN + 1} usable rows per parameter",
        "only {rows} rows are usable for {parameters} parameters, so their true deviations may be larger than "
        "stated: in "
        "the other rows joints rest, stick or change direction; give a longer log, or less decimation",
    ),
    Diagnostic(
        "uncertain-drive-gain",
        f"the deviation of an estimated drive gain is more than {limit.FACTOR_ERROR:.0%} of it",
        "the weighed payload hardly determines the drive gains of joints {joints}: give a heavier payload, or logs in "
        "which these joints lift or accelerate it",
    ),
    Diagnostic(
        "constraints-explain-more",
        "the residual of physically consistent parameters is smaller than that of the estimate by more than "
        f"{limit.CONSTRAINED_BETTER:.0%}",
        "physically consistent parameters leave {constrained:.2f} % of the torques unexplained, the unconstrained "
        "estimate by {method} leaves {free:.2f} %: the estimate is not the best fit to this log; compare it with "
        "another method",
    ),
)
_CALIBRATION = (
    Diagnostic(
        "large-residual",
        f"the residual is more than {limit.RESIDUAL_LENGTH:.0%} of the robot's size, or {limit.RESIDUAL_ANGLE:g} rad",
        "the residuals are large ({sizes}): check the units, the order and signs of the joints, and the measured "
        "frame",
    ),
    Diagnostic(
        "large-correction",
        f"a correction is more than {limit.LARGE_ANGLE:g} rad, {limit.LARGE_LENGTH:.0%} of the robot's size, "
        f"or a gain of {limit.LARGE_GAIN:.0%}",
        "implausibly large corrections: {corrections}; check the units, the zeros and signs of the joints, and the "
        "robot description",
    ),
    Diagnostic(
        "distant-base",
        f"frame 0 is more than {limit.DISTANT_BASE:g} times the robot's size from its described position",
        "frame 0 is {distance:.3g} m from its described position: check the units",
    ),
    Diagnostic(
        "misread-data",
        "with another usual unit or convention of the measurements no other warning remains",
        "the measurements fit if {assumption}, with residuals of {sizes}: {remedy}",
    ),
    Diagnostic(
        "joint-gains",
        f"gains of the joints reduce the residual below {limit.HALF_RESIDUAL:.0%}, and differ from zero by "
        f"more than {limit.SIGNIFICANT:g} deviations",
        "with the joint gains {gains} the residuals are only {sizes}: calibrate with --gains (gains=True), or check "
        "the "
        "gear ratios",
    ),
    Diagnostic(
        "residual-above-noise",
        f"the residual is more than {limit.ABOVE_NOISE:g} times the given noise",
        "the residuals are {factors} the given noise: check the noise and the measurements",
    ),
    Diagnostic(
        "ambiguous-base",
        "another pose of frame 0 fits equally well, but predicts other measurements at further postures",
        "with frame 0 at {position} m, rotated by {rotation} rad, the measurements fit equally well: add "
        "postures that distinguish both poses, or give the pose of the base and keep it fixed",
    ),
)
DIAGNOSTICS = {diagnostic.name: diagnostic for diagnostic in (*_LOG, *_ESTIMATE, *_CALIBRATION)}
