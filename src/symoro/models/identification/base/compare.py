"""`method="numeric"`: base parameters from states, verified on others, and compared with what the symbols give.

The rows come from any state of a tree, loops that close linearly included, or from states of one assembly branch of the
other loops. Where an exact answer exists it is found too: numbers can make a robot lose parameters that its symbols
keep (a length that happens to be zero, an angle that happens to be right), and the notes then say which.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from symoro.errors import MissingDependencyError, NotApplicableError, ProgramError
from symoro.expr.formula import formula
from symoro.models.identification.base.assembly import Assembly, Posture, assembled
from symoro.models.identification.base.branch import branch, closed_states
from symoro.models.identification.base.fit import SPARE, Fit, fitted, rounded_coefficient
from symoro.models.identification.base.geometry import ParameterKey, columns, moves
from symoro.models.identification.base.loops import Closures, linear_closure, with_rigid_loops
from symoro.models.identification.base.numeric import (
    Geometry,
    States,
    coefficient_unit,
    completed,
    energy_rows,
    gauge_of,
    numbers,
    random_states,
)
from symoro.models.identification.base.parameters import BaseParameters, Coefficient, exact, friction, written
from symoro.models.identification.base.regroup import ordered
from symoro.models.numeric.fixed_point import Array, exactly
from symoro.models.tolerances import ALL_DIGITS, EXACT_COLUMN, FAINT_COLUMN, ROUNDED_COLUMN
from symoro.robot.description import BaseKind, Robot
from symoro.robot.topology import Loop
from symoro.threads import one_thread


@one_thread
def numeric_base_parameters(
    robot: Robot,
    *,
    rotor: bool,
    linear: Closures,
    notes: tuple[str, ...],
) -> BaseParameters:
    """Base parameters at the robot's nominal values.

    Arguments:
        linear: what is known of its loops.

    Raises:
        NotApplicableError: the loops cannot be assembled.
        ProgramError: the numbers do not tell which parameters depend on others.
    """
    wanted = ordered(robot, columns(robot, rotor=rotor))
    prescribed = robot.base.kind == BaseKind.FIXED and moves(robot)
    moving = prescribed or robot.base.kind != BaseKind.FIXED
    sampling = _Sampling(linear.robot, linear.open, wanted, moving, prescribed)
    with np.errstate(all="ignore"):  # the result is checked to be finite
        found = sampling.on_branch(linear.posture) if linear.open else sampling.anywhere()
        if found is None:
            rigid = with_rigid_loops(robot, linear)
            if rigid is None:
                raise _no_motion(robot, linear.posture)
            return numeric_base_parameters(robot, rotor=rotor, linear=rigid, notes=notes)
    words = ", ".join(w for w in (linear.words, found.words) if w) or "any posture"
    method = (
        f"numeric, {found.count} states ({words}), verified on others; weakest kept column "
        f"{found.fit.smallest:.1e}, strongest dropped {found.fit.largest:.1e}"
    )
    if linear.invented:
        notes = (*notes, "random values for symbols without a nominal one: " + ", ".join(linear.invented))
    if found.fit.smallest < FAINT_COLUMN:
        faint = f"some parameters differ from sums of others by {found.fit.smallest:.0e} only"
        notes = (*notes, f"{faint}: no experiment tells them apart")
    result = _written(robot, wanted, found.fit, numbers(linear.robot).length, method, notes)
    if linear.open:  # with symbols no loop closes linearly that does not with numbers
        return result
    return _compared(result, robot, rotor=rotor, posture=linear.posture)


@dataclass(frozen=True)
class _Found:
    fit: Fit
    count: int
    words: str = ""


@dataclass(frozen=True)
class _Sampling:
    """The columns of a robot at states of it.

    Attributes:
        robot: with linear loops as joints that follow others, and a number for every symbol.
        loops: the others.
        moving: whether the base moves.
        prescribed: whether it does as prescribed; then what its motion shows does not count.
    """

    robot: Robot
    loops: Sequence[Loop]
    wanted: Sequence[ParameterKey]
    moving: bool
    prescribed: bool

    def _numbers(self, **kind: bool) -> Geometry:
        return numbers(self.robot, closing=self.loops, **kind)

    @property
    def count(self) -> int:
        return len(self.wanted) + 10 * self.prescribed + SPARE

    def anywhere(self) -> _Found:
        """At random states of a tree: in doubles, or in all digits where those do not tell."""
        geometry = self._numbers()
        rng = np.random.default_rng(3)
        states = random_states(geometry, max(150, 2 * self.count), rng, moving=self.moving)
        fit = self._fit(geometry, states, ROUNDED_COLUMN)
        if fit.clear and fit.plain:
            return _Found(fit, len(states.q))
        few = random_states(geometry, self.count, rng, moving=self.moving)
        few = few.exactly(exactly(few.q), exactly(few.qd))
        fit = self._fit(self._numbers(exact=True), few, EXACT_COLUMN)
        nudged = self._fit(self._numbers(exact=True, nudged=True), few, EXACT_COLUMN)
        if not _same(fit, nudged):
            fit = self._fit(self._numbers(exact=True), few, ROUNDED_COLUMN)
        return _Found(self._clear(fit), len(few.q))

    def on_branch(self, posture: Posture | None) -> _Found | None:
        """At states of one branch of assembly, in all digits; None where the loops could not be moved."""
        geometry = self._numbers()
        for at in assembled(geometry, geometry.own(posture))[:6]:
            q = branch(geometry, at, self.count, np.random.default_rng(5))
            fit = None if q is None else self._at(geometry, len(at.bound), q)
            if fit is not None:
                words = f"one assembly branch, around {self._shown(geometry, at)}"
                return _Found(self._clear(fit), self.count, words)
        return None

    def _at(self, geometry: Geometry, rank: int, q: Array) -> Fit | None:
        """The fit at postures of a branch; None where too few of them close."""

        def tried(tolerance: float, nudged: bool = False) -> tuple[Fit | None, float]:
            exact = self._numbers(exact=True, nudged=nudged)
            rng = np.random.default_rng(7)
            closed = closed_states(exact, geometry, rank, q, rng)
            if len(closed.q) < self.count - 10:
                return None, closed.open
            base = random_states(geometry, len(closed.q), rng, moving=self.moving)
            return self._fit(exact, base.exactly(closed.q, closed.qd), tolerance), closed.open

        fit, left = tried(EXACT_COLUMN)
        if fit is None:
            return None
        if (
            left < ALL_DIGITS
            and fit.clear
            and (fit.smallest > ROUNDED_COLUMN or _same(fit, tried(EXACT_COLUMN, True)[0]))
        ):
            return fit
        return tried(ROUNDED_COLUMN)[0]

    def _fit(self, geometry: Geometry, states: States, tolerance: float) -> Fit:
        if not self.wanted:
            return Fit([], {}, 1.0, 0.0)
        rows = energy_rows(geometry, states, self.wanted)
        if rows.dtype != object and not np.all(np.isfinite(rows)):
            raise ProgramError(f"the energy of robot '{self.robot.name}' cannot be computed at these values")
        return fitted(rows, gauge_of(geometry, states, base=self.prescribed), tolerance)

    def _clear(self, fit: Fit) -> Fit:
        if not fit.clear or not (fit.plain or fit.largest < ALL_DIGITS):
            raise ProgramError(
                f"the numbers of robot '{self.robot.name}' do not tell which parameters depend on others: weakest kept "
                f"column {fit.smallest:.1e}, strongest dropped {fit.largest:.1e}",
                hint="lengths or angles that are almost equal or almost zero are made so; or another posture is given",
            )
        return fit

    def _shown(self, geometry: Geometry, at: Assembly) -> str:
        pairs = zip(geometry.coordinates, at.q * geometry.metres, strict=True)
        return ", ".join(f"q{j} = {x:.4g}" for j, x in pairs if j <= self.robot.NL)


def _no_motion(robot: Robot, posture: Posture | None) -> NotApplicableError:
    at = "the posture" if posture else "every posture that was tried"
    return NotApplicableError(
        f"the loops of robot '{robot.name}' are closed at {at}, but no motion of theirs could be followed from there",
        hint="give a posture in the same assembly mode that is farther from singular configurations",
    )


def _same(fit: Fit, other: Fit | None) -> bool:
    """Whether the last digits of long numbers do not matter: then weak columns are weak, and not round-off."""
    if other is None or not fit.clear or not other.clear:
        return False
    return fit.kept == other.kept and 0.5 < fit.smallest / other.smallest < 2


def _written(
    robot: Robot,
    wanted: Sequence[ParameterKey],
    fit: Fit,
    length: float,
    method: str,
    notes: tuple[str, ...],
) -> BaseParameters:
    """Return the result in SI units, from a fit in units of `length`."""
    relations: dict[str, dict[str, Coefficient]] = {written(wanted[k]): {} for k in fit.kept}
    idle = []
    for k, relation in fit.relations.items():
        if not relation:
            idle.append(written(wanted[k]))
        for p, c in relation.items():
            unit = coefficient_unit(robot, wanted[p], wanted[k], length)
            relations[written(wanted[p])][written(wanted[k])] = Coefficient(
                formula(rounded_coefficient(c, unit)).text
            )
    return BaseParameters(tuple(relations), tuple(idle), relations, robot, method, (), friction(robot), notes)


def _compared(
    found: BaseParameters,
    robot: Robot,
    *,
    rotor: bool,
    posture: Posture | None,
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
    robot, _ = completed(robot, seed)
    geometry = numbers(robot)
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
