"""Assembly modes of closed loops at the start of each log: given by a posture, or determined from the torques.

Loops other than parallelograms can be assembled in several modes for the same active joint positions. A given posture
selects the mode of the first log. Another log may start in another mode, because a robot can pass through a singular
configuration between two logs. So each mode that is possible at its first sample is fitted together with the first
log. The mode with the smallest torque residual is selected if the residuals of the others are clearly larger. A warning
is given if another mode explains the torques clearly better than the mode of the given posture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError, NotClosedError, SymoroError
from symoro.identification.diagnostics import DiagnosticWarning, warning
from symoro.identification.equations import RowModel
from symoro.identification.log import Log
from symoro.identification.regression import KEPT, trial_residual
from symoro.identification.rows import compressed, joined, merged, part_of
from symoro.identification.signals import Preparation
from symoro.identification.tolerances import BETTER_FIT, NO_EFFECT, ROWS_PER_COLUMN_OF_ASSEMBLY
from symoro.trajectory.assembly import BrokenLoopsError, LoopAssembly

Array = NDArray[np.float64]
ONE_EACH = "give one posture for each log (--posture several times, in the order of the logs)"


@dataclass(frozen=True)
class _AssemblyMode:
    """Assembly mode of the closed loops in which a log may start.

    Attributes:
        row: loop coordinates (`LoopAssembly`) at the first sample.
        left: norm of the torque residual of a fit in this mode, divided by that of the torques; None if no fit exists.
        named: whether this is the mode of the given posture or, if none is given, the mode reached from the first log.
    """

    row: tuple[float, ...]
    left: float | None
    named: bool

    @property
    def rank(self) -> float:
        return np.inf if self.left is None else self.left


def assembled(
    logs: Sequence[Log], model: RowModel, preparation: Preparation, named: Sequence[tuple[float, ...] | None]
) -> tuple[tuple[Log, ...], list[DiagnosticWarning]]:
    """Select the assembly mode in which each log of a robot with closed loops starts.

    Args:
        logs: the logs.
        model: identification model of the robot.
        preparation: filters and decimation of the logs.
        named: for each log a posture near its first sample, or None to determine the mode from the torques; the first
            log requires a posture.

    Returns:
        The logs with the loop coordinates at their first samples (`Log.start`), and warnings about the assembly modes.

    Raises:
        ArgumentError: the loops cannot close in the mode of the given posture but can in another one, or the mode of a
            log is ambiguous.
    """
    if model.assembly is None or model.assembly[0].linear:
        return tuple(logs), []
    placed: list[Log] = []
    warnings: list[DiagnosticWarning] = []
    for log, posture in zip(logs, named, strict=True):
        modes = _assembly_modes(log, model, preparation, placed[:1], posture)
        chosen, suspicion = _chosen(log, modes, model.assembly[0], posture is not None)
        placed.append(replace(log, start=chosen))
        warnings += [suspicion] if suspicion else []
    return tuple(placed), warnings


def _assembly_modes(
    log: Log,
    model: RowModel,
    preparation: Preparation,
    beside: Sequence[Log],
    posture: tuple[float, ...] | None,
) -> list[_AssemblyMode]:
    """Return the assembly modes in which a log can start, each with the torque residual of a fit.

    The first one is the mode of the given posture. If no posture is given, it is the mode that is reached when the
    loops are followed from the start of the first log to the start of this log.

    Args:
        log: the log.
        model: identification model of the robot.
        preparation: filters and decimation of the logs.
        beside: logs that are fitted together with this log: the first log, or none if `log` is the first.
        posture: positions of all joints near the first sample, or None.
    """
    assert model.assembly is not None
    loops, near = model.assembly
    first = log.part(0, 1)["position"][0]
    try:
        own: Array | None = loops.row(posture) if posture is not None else loops.walked(np.array(near), first)
    except BrokenLoopsError:
        own = None
    try:
        others = loops.assemblies(first)
    except NotClosedError:
        others = []
    rows = [row for row in others if own is None or not loops.alike(row, own)]
    modes = []
    for row in [*([] if own is None else [own]), *rows]:
        start = tuple(float(x) for x in row)
        parts = [part_of(one, model, preparation) for one in (*beside, replace(log, start=start))]
        modes.append(_AssemblyMode(start, fit_residual(parts, model, preparation), row is own))
    return modes


def fit_residual(logs: Sequence[Log], model: RowModel, preparation: Preparation) -> float | None:
    """Return the norm of the torque residual of a fit to logs, divided by the norm of the torques.

    The result is None if the fit is impossible or if the loops cannot be closed along one of the logs.
    """
    try:
        rows = [
            merged(compressed(model.blocks(log, preparation), model.support, 1.0), model.support, KEPT)
            for log in logs
        ]
        data = reduce(joined, rows)
        if data.rows < ROWS_PER_COLUMN_OF_ASSEMBLY * len(model.names):
            return None
        return trial_residual(data)
    except (SymoroError, np.linalg.LinAlgError):
        return None


def _chosen(
    log: Log, modes: Sequence[_AssemblyMode], loops: LoopAssembly, given: bool
) -> tuple[tuple[float, ...], DiagnosticWarning | None]:
    """Select the assembly mode at the start of a log.

    Args:
        log: the log.
        modes: the possible modes; the first one is preferred.
        loops: the closed loops of the robot.
        given: whether the user gave a posture for this log.

    Returns:
        The loop coordinates at the first sample, and a warning or None.
    """
    if not modes:
        raise ArgumentError(
            f"the loops cannot be closed at the first sample of {log.name}, or on the motion from "
            "the first sample of the first log to it",
            hint=f"check units, signs and offsets of its positions; or {ONE_EACH}",
        )
    own, best = modes[0], min(modes, key=lambda mode: mode.rank)
    if len(modes) == 1 or max(mode.rank for mode in modes) < NO_EFFECT:
        return own.row, None
    clear = all(best.rank < BETTER_FIT * mode.rank for mode in modes if mode is not best)
    if given:
        return own.row, _contradiction_warning(log, own, best, loops) if best is not own and clear else None
    if clear:
        return best.row, None
    lines = "".join(f"\n  {_shown(mode, loops)}" for mode in modes)
    if not own.named:
        raise ArgumentError(
            f"the loops have {len(modes)} assembly modes at the first sample of {log.name}, and its torques do not "
            f"determine which one is the robot's:{lines}",
            hint=ONE_EACH,
        )
    return own.row, warning("unknown-assembly", log=log.name, assumed=_shown(own, loops), hint=ONE_EACH)


def _contradiction_warning(
    log: Log, own: _AssemblyMode, best: _AssemblyMode, loops: LoopAssembly
) -> DiagnosticWarning:
    """Return the warning that another assembly mode explains the torques clearly better than the given one.

    Args:
        own: the mode of the given posture.
        best: the mode with the smallest residual.

    Raises:
        ArgumentError: the loops cannot be followed in the mode of the given posture.
    """
    if own.left is None:
        raise ArgumentError(
            f"posture: the loops of {log.name} cannot be closed along the log from the given posture "
            f"({_shown(own, loops)}); "
            f"they can be closed from the posture {_shown(best, loops)}",
            hint=f"if the robot was in this assembly mode, give the posture {_shown(best, loops)}",
        )
    return warning(
        "other-assembly",
        given=_shown(own, loops),
        given_share=f"{100 * own.rank:.2g} %",
        log=log.name,
        other=_shown(best, loops),
        other_share=f"{100 * best.rank:.2g} %",
    )


def _shown(mode: _AssemblyMode, loops: LoopAssembly) -> str:
    return ",".join(f"{x:.4g}" for x in loops.postures(np.array([mode.row]))[0])
