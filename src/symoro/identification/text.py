"""Text of an identification: units of the parameters, rounded values, and the table of estimates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from symoro.display import aligned
from symoro.identification.log_payload import payload_kind
from symoro.identification.regression import Estimate, Residuals
from symoro.robot.description import INERTIAL, JointType, Robot


def parameter_unit(name: str, robot: Robot) -> str:
    """Return the unit of an inertial or friction parameter such as 'ZZ3' or 'FV2'."""
    kind = payload_kind(name) or name.rstrip("0123456789")
    units = {"M": "kg", "MX": "kg m", "MY": "kg m", "MZ": "kg m", "FL": "1"}
    if kind in units or kind in INERTIAL:
        return units.get(kind, "kg m^2")
    j = int(name[len(kind) :])
    prismatic = j > 0 and robot.frame(j).sigma == JointType.PRISMATIC  # link 0 has no joint
    if kind in ("IA", "IAM"):
        return "kg" if prismatic else "kg m^2"
    if kind in ("FV", "FVM"):
        return "N s/m" if prismatic else "N m s/rad"
    if kind in ("FS", "FO", "FSM", "FB"):
        return "N" if prismatic else "N m"
    return "kg m^2"


def rounded(value: float, deviation: float) -> str:
    """Return a value as text, rounded to one digit more than its standard deviation justifies."""
    if not (np.isfinite(deviation) and deviation > 0):
        return f"{value:.6g}"
    digits = max(0, 1 - int(np.floor(np.log10(deviation))))
    return f"{value:.{digits}f}" if digits < 12 else f"{value:.3e}"


def summary(
    robot: Robot,
    estimate: Estimate,
    residuals: Residuals,
    validation: Mapping[str, Residuals],
    warnings: Sequence[str],
    further: Sequence[str] = (),
) -> str:
    """Return the residuals, a table of the estimated parameters, and the warnings as text.

    Args:
        robot: the robot.
        estimate: the estimated parameters.
        residuals: residuals on the logs from which the parameters are estimated.
        validation: residuals on the validation logs, by name.
        warnings: texts of the warnings.
        further: further results, one line each.
    """
    shares = [("kept rows", residuals.kept), ("all rows", residuals.every)]
    shares += [(f"validation log {name}", other.every) for name, other in validation.items()]
    words = ", ".join(f"{100 * one.relative:.2f} % ({name})" for name, one in shares)
    rows = [
        (
            name,
            rounded(value, deviation),
            parameter_unit(name, robot),
            f"{deviation:.2g}",
            f"{relative:.3g} %" if np.isfinite(relative) else "-",
        )
        for name, value, deviation, relative in zip(
            estimate.names, estimate.values, estimate.deviations, estimate.relative, strict=True
        )
    ]
    lines = [
        f"{robot.name}: {len(estimate.names)} parameters by {estimate.method}; weighted residual {words}",
        "",
        *aligned(("parameter", "value", "unit", "deviation", "relative"), rows),
    ]
    if further:
        lines += ["", *further]
    if warnings:
        lines += ["", "Warnings:", *(f"  {line}" for line in warnings)]
    return "\n".join(lines)
