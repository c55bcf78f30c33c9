"""`method="numeric"`: base parameters from random states, verified, and compared with what the symbols give.

The rows come from any state of a tree, or from states of one assembly branch of closed loops. Where an exact answer
exists it is found too: numbers can make a robot lose parameters that its symbols keep (a length that happens to be
zero, an angle that happens to be right), and the notes then say which.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from symoro.errors import MissingDependencyError, NotApplicableError, ProgramError
from symoro.expr.formula import formula
from symoro.models.identification.base import BaseParameters, Coefficient, exact, friction, written
from symoro.models.identification.base_assembly import assembled, branch, no_assembly, rates, starts
from symoro.models.identification.base_geometry import Column, columns, moves
from symoro.models.identification.base_loops import linear_closure
from symoro.models.identification.base_numeric import (
    Array,
    Fit,
    Geometry,
    States,
    energy_rows,
    gauge_of,
    numbers,
    ordered_qr,
    random_states,
    residual,
)
from symoro.models.identification.base_regroup import ordered
from symoro.robot.description import BaseKind, Robot

VERIFIED = 1e-6


def numeric_base_parameters(
    robot: Robot,
    *,
    rotor: bool,
    posture: Mapping[int, float] | Sequence[float] | None,
    notes: tuple[str, ...],
    compare: bool = True,
) -> BaseParameters:
    """Base parameters at the robot's nominal values.

    Raises:
        NotApplicableError: the loops cannot be assembled.
        ProgramError: the relations do not hold on other states.
    """
    geometry, invented = numbers(robot)
    wanted = ordered(robot, columns(robot, rotor=rotor))
    prescribed = robot.base.kind == BaseKind.FIXED and moves(robot)
    free = prescribed or robot.base.kind != BaseKind.FIXED
    rng = np.random.default_rng(3)
    if robot.B and (closure := linear_closure(robot, posture)) is not None:
        geometry, _ = numbers(closure.robot)
        sample, words = random_states(geometry, _count(wanted), rng, moving=free), closure.words
    elif robot.B:
        sample, words = _on_branch(geometry, posture, len(wanted), moving=free)
    else:
        sample, words = random_states(geometry, _count(wanted), rng, moving=free), "any posture"
    fit = _fitted(geometry, sample, wanted, prescribed)
    method = (
        f"numeric, ordered QR of {len(sample.q)} states ({words}), verified on others; weakest kept column "
        f"{fit.smallest:.1e}, strongest dropped {fit.largest:.1e}"
    )
    if invented:
        notes = (*notes, "random values for symbols without a nominal one: " + ", ".join(invented))
    found = _written(robot, wanted, fit, method, notes)
    return _compared(found, robot, rotor=rotor, posture=posture) if compare else found


def _count(wanted: Sequence[Column]) -> int:
    return max(150, 3 * len(wanted))


def _on_branch(
    geometry: Geometry, posture: Mapping[int, float] | Sequence[float] | None, wanted: int, *, moving: bool
) -> tuple[States, str]:
    found = assembled(geometry, starts(geometry, posture))
    if not found:
        raise no_assembly(geometry)
    rng = np.random.default_rng(5)
    needed = max(150, 3 * wanted // 2)
    best = np.zeros((0, len(geometry.coordinates)))
    for span in (0.9, 0.5, 0.25, 0.1):
        for at in found[:3]:
            q = branch(geometry, at, 2 * needed, rng, span)
            if len(q) > len(best):
                best, chosen = q, at
            if len(best) >= needed:
                break
        if len(best) >= needed:
            break
    if len(best) < wanted + 10:
        raise no_assembly(geometry)
    speeds = rng.standard_normal((len(best), len(chosen.free)))
    qd = np.einsum("sij,sj->si", rates(geometry, best, chosen), speeds)
    tree = len([j for j in geometry.coordinates if j <= geometry.robot.NL])
    shown = ", ".join(
        f"q{j} = {x:.4g}" for j, x in zip(geometry.coordinates[:tree], chosen.q[:tree], strict=True)
    )
    states = random_states(geometry, len(best), rng, moving=moving)
    return replace(states, q=best, qd=qd), f"one assembly branch, around {shown}"


def _fitted(geometry: Geometry, sample: States, wanted: Sequence[Column], prescribed: bool) -> Fit:
    """The fit on two thirds of the states, verified on the others."""
    if not wanted:
        return Fit([], {}, 1.0, 0.0)
    rows = energy_rows(geometry, sample, wanted)
    gauge = gauge_of(geometry, sample, base=prescribed)
    if not np.all(np.isfinite(rows)):
        raise ProgramError(f"the energy of robot '{geometry.robot.name}' cannot be computed at these values")
    cut = 2 * len(rows) // 3
    fit = ordered_qr(rows[:cut], gauge[:cut])
    error = residual(fit, rows[cut:], gauge[cut:])
    if error > VERIFIED:
        raise ProgramError(
            f"the relations of robot '{geometry.robot.name}' do not hold on other states: {error:.1e}",
            hint="its numbers are too badly scaled for the numeric method",
        )
    return fit


def _written(
    robot: Robot, wanted: Sequence[Column], fit: Fit, method: str, notes: tuple[str, ...]
) -> BaseParameters:
    relations: dict[str, dict[str, Coefficient]] = {written(wanted[k]): {} for k in fit.kept}
    idle = []
    for k, relation in fit.relations.items():
        if not relation:
            idle.append(written(wanted[k]))
        for p, c in relation.items():
            relations[written(wanted[p])][written(wanted[k])] = Coefficient(formula(_rounded(c)).text)
    return BaseParameters(tuple(relations), tuple(idle), relations, robot, method, (), friction(robot), notes)


def _rounded(c: float) -> float:
    """Whole numbers as such; the digits beyond the precision of the fit gone."""
    return round(c) if abs(c - round(c)) < 1e-9 else float(f"{c:.11g}")


def _compared(
    found: BaseParameters,
    robot: Robot,
    *,
    rotor: bool,
    posture: Mapping[int, float] | Sequence[float] | None,
) -> BaseParameters:
    """With a note on the parameters that these numbers lose, where an exact answer can be had."""
    generic = robot.symbolic(geometry=True)
    try:
        tree = generic
        if generic.B:
            closure = linear_closure(generic, posture)
            if closure is None:
                return found
            tree = closure.robot
        other = exact(tree, generic, rotor=rotor)
    except (MissingDependencyError, NotApplicableError):
        return found
    lost = [name for name in other.names if name not in found.names]
    if len(other.names) <= len(found.names):
        note = "symbols in place of the lengths give the same number of parameters"
    else:
        n = len(other.names) - len(found.names)
        note = f"these numbers lose {n} parameter{'s' * (n > 1)} that symbols would keep: {', '.join(lost)}"
    return replace(found, notes=(*found.notes, note))


def numeric_rank(robot: Robot, *, rotor: bool = True, seed: int = 0) -> tuple[int, float, float]:
    """The number of base parameters of a tree from singular values, with the gap: an independent check."""
    geometry, _ = numbers(robot, seed)
    wanted = ordered(robot, columns(robot, rotor=rotor))
    if not wanted:
        return 0, 1.0, 0.0
    rng = np.random.default_rng(seed)
    prescribed = robot.base.kind == BaseKind.FIXED and moves(robot)
    free = prescribed or robot.base.kind != BaseKind.FIXED
    sample = random_states(geometry, max(150, 4 * len(wanted)), rng, moving=free)
    rows, gauge = energy_rows(geometry, sample, wanted), gauge_of(geometry, sample, base=prescribed)
    rows = rows - gauge @ np.linalg.lstsq(gauge, rows, rcond=None)[0]
    return rank_with_gap(rows)


def rank_with_gap(rows: Array) -> tuple[int, float, float]:
    """Rank of the column-normalised matrix, the smallest singular value kept and the largest dropped."""
    norms = np.linalg.norm(rows, axis=0)
    used = rows[:, norms > 1e-9 * np.sqrt(len(rows))]
    if not used.shape[1]:
        return 0, 1.0, 0.0
    values = np.linalg.svd(used / np.linalg.norm(used, axis=0), compute_uv=False)
    values = values / values[0]
    rank = int((values > 1e-9).sum())
    return rank, float(values[rank - 1]), float(values[rank]) if rank < len(values) else 0.0
