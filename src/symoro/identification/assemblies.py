"""Assembly modes of the loops along logs: given by a posture, or determined by the torques.

Loops that are no parallelograms can be assembled in several ways with the positions of a sample. A posture names that
of the first log. Another log may have started in another way, since a robot can be taken through a dead point between
two logs: each way in which its first sample can stand is tried, together with the first log, and that which leaves the
least of the torques counts, where the others leave clearly more. A posture whose
assembly mode explains the torques worse than another one gives a warning.
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
from symoro.identification.regression import KEPT, residual, weighted
from symoro.identification.rows import compressed, joined, merged, part_of
from symoro.identification.signals import Preparation
from symoro.identification.tolerances import BETTER_FIT, NO_EFFECT, ROWS_PER_COLUMN_OF_ASSEMBLY
from symoro.trajectory.assembly import BrokenLoopsError, LoopAssembly

Array = NDArray[np.float64]
ONE_EACH = "give one posture for each log (--posture several times, in the order of the logs)"


@dataclass(frozen=True)
class _AssemblyMode:
    """An assembly with which a log may start, and the share of the torques that it leaves; None where it has no fit."""

    row: tuple[float, ...]
    left: float | None
    named: bool

    @property
    def rank(self) -> float:
        return np.inf if self.left is None else self.left


def assembled(
    logs: Sequence[Log], model: RowModel, preparation: Preparation, named: Sequence[tuple[float, ...] | None]
) -> tuple[tuple[Log, ...], list[DiagnosticWarning]]:
    """Return each log with the row from which its loops are followed, and warnings about it.

    Args:
        named: for each log the posture near its first sample, where one was given; the first has one.

    Raises:
        ArgumentError: a posture cannot be of its log, where another can; or nothing tells the assembly of a log.
    """
    if model.assembly is None or model.assembly[0].linear:
        return tuple(logs), []
    placed: list[Log] = []
    warnings: list[DiagnosticWarning] = []
    for log, posture in zip(logs, named, strict=True):
        ways = _assembly_modes(log, model, preparation, placed[:1], posture)
        chosen, doubtful = _chosen(log, ways, model.assembly[0], posture is not None)
        placed.append(replace(log, start=chosen))
        warnings += [doubtful] if doubtful else []
    return tuple(placed), warnings


def _assembly_modes(
    log: Log,
    model: RowModel,
    preparation: Preparation,
    beside: Sequence[Log],
    posture: tuple[float, ...] | None,
) -> list[_AssemblyMode]:
    """Return those in which a log can start; the first is that of the posture, or where the first log's leads to."""
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
    ways = []
    for row in [*([] if own is None else [own]), *rows]:
        start = tuple(float(x) for x in row)
        parts = [part_of(one, model, preparation) for one in (*beside, replace(log, start=start))]
        ways.append(_AssemblyMode(start, fit_residual(parts, model, preparation), row is own))
    return ways


def fit_residual(logs: Sequence[Log], model: RowModel, preparation: Preparation) -> float | None:
    """Return the share of the torques that a fit to some logs leaves; None where there is none, or a loop is broken."""
    try:
        rows = [
            merged(compressed(model.blocks(log, preparation), model.support, 1.0), model.support, KEPT)
            for log in logs
        ]
        data = reduce(joined, rows)
        if data.rows < ROWS_PER_COLUMN_OF_ASSEMBLY * len(model.names):
            return None
        return residual(data, weighted(model.names, data)).relative
    except (SymoroError, np.linalg.LinAlgError):
        return None


def _chosen(
    log: Log, ways: Sequence[_AssemblyMode], loops: LoopAssembly, given: bool
) -> tuple[tuple[float, ...], DiagnosticWarning | None]:
    """Return the row of a log, and a warning."""
    if not ways:
        raise ArgumentError(
            f"the loops do not close where {log.name} starts, or not on the way there from the first log",
            hint=f"check units, signs and offsets of its positions; or {ONE_EACH}",
        )
    own, best = ways[0], min(ways, key=lambda way: way.rank)
    if len(ways) == 1 or max(way.rank for way in ways) < NO_EFFECT:
        return own.row, None
    clear = all(best.rank < BETTER_FIT * way.rank for way in ways if way is not best)
    if given:
        return own.row, _contradicted(log, own, best, loops) if best is not own and clear else None
    if clear:
        return best.row, None
    lines = "".join(f"\n  {_shown(way, loops)}" for way in ways)
    if not own.named:
        raise ArgumentError(
            f"the loops can be assembled in {len(ways)} ways where {log.name} starts, and its torques do not determine "
            f"which:{lines}",
            hint=ONE_EACH,
        )
    return own.row, warning("unknown-assembly", log=log.name, assumed=_shown(own, loops), hint=ONE_EACH)


def _contradicted(
    log: Log, own: _AssemblyMode, best: _AssemblyMode, loops: LoopAssembly
) -> DiagnosticWarning:
    """Return the warning that another assembly mode serves better.

    Raises:
        ArgumentError: that of the posture does not serve at all.
    """
    if own.left is None:
        raise ArgumentError(
            f"posture: the loops of {log.name} cannot be followed in the assembly of {_shown(own, loops)}; they can "
            f"from {_shown(best, loops)}",
            hint="give that posture, if the robot stood so",
        )
    return warning(
        "other-assembly",
        given=_shown(own, loops),
        given_share=f"{100 * own.rank:.2g} %",
        log=log.name,
        other=_shown(best, loops),
        other_share=f"{100 * best.rank:.2g} %",
    )


def _shown(way: _AssemblyMode, loops: LoopAssembly) -> str:
    return ",".join(f"{x:.4g}" for x in loops.postures(np.array([way.row]))[0])
