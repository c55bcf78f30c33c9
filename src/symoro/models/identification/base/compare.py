"""`method="numeric"`: base parameters from sampled states, verified at other states and by the symbolic result.

The states are random states of a tree (loops with a linear closure are replaced by couplings), or states of one
assembly branch of the other loops. If an exact result exists, it is computed as well: special numbers (a length of
zero, a right angle) can reduce the number of base parameters, and the notes then list the lost ones.

States of one assembly branch are computed by random walks. From an assembled configuration each walker moves by a small
step along a tangent, a vector in the null space of the constraint Jacobian J, and is corrected by Newton's method. A
step is rejected, and the walker changes direction, if it comes near a singularity (J loses rank) or if the correction
is large. Walkers therefore never jump to another branch (a parallelogram can also close crossed; both branches meet
where its links are collinear).

The loops are then closed to all digits of `numeric.fixed_point`, with the pseudo-inverse of J in double precision,

    q <- q - J+ e(q),        qd <- qd - J+ J qd,

where each iteration adds about twelve digits. The residual due to rounded numbers of the description is reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from symoro.errors import MissingDependencyError, NotApplicableError, ProgramError
from symoro.expr.formula import formula
from symoro.models.identification.base.assembly import Assembly, Posture, assembled, loop_coordinates, split
from symoro.models.identification.base.fit import EXTRA_ROWS, Fit, fitted, rounded_coefficient
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
from symoro.models.identification.base.regroup import ordered
from symoro.models.identification.base.result import BaseParameters, Coefficient, exact, friction, written
from symoro.models.numeric.closure import (
    LAST,
    REFINEMENTS,
    Flags,
    balanced_closure,
    closed,
    closure,
    refined,
)
from symoro.models.numeric.fixed_point import Array, Numbers, doubles, exactly, times
from symoro.models.tolerances import ALL_DIGITS, EXACT_COLUMN, ROUND_OFF, ROUNDED_COLUMN, WEAK_COLUMN
from symoro.robot.description import BaseKind, Robot
from symoro.robot.topology import Loop
from symoro.threads import one_thread

WALKERS = 64
STEPS = (
    0.1,
    0.02,
    0.004,
)  # rad, or relative to the largest length; smaller ones are used if most steps are rejected
STRIDE = 12  # steps between two stored configurations
ACCEPTED_SHARE = 0.4  # required share of accepted steps
SINGULARITY_MARGIN = 0.1  # distance to a singularity, relative to the best configuration
CORRECTIONS = 4  # iterations of Newton's method
LARGEST_CORRECTION = 0.25  # largest correction by Newton's method, relative to the step


def branch(geometry: Geometry, at: Assembly, count: int, rng: np.random.Generator) -> Array | None:
    """Return `count` closed configurations (count, n) of the assembly branch that contains a configuration.

    They are computed by random walks. Joints outside the loops have random positions. The result is None if no step
    of the walks was accepted.

    Args:
        at: closed configuration at which the walks start.
        geometry: the robot in numbers.
        rng: generator of random numbers.
    """
    walk = _Walk(geometry, len(at.bound))
    for step in STEPS:
        away, taken = walk.walked(at.q, step, STRIDE, 0.5 * at.condition, rng)
        if taken > ACCEPTED_SHARE:
            break
    else:
        return None
    best = max((at, *(split(geometry, q) for q in away[::4])), key=lambda split_at: split_at.condition)
    kept, taken = walk.walked(
        best.q, step, STRIDE * -(-count // WALKERS), SINGULARITY_MARGIN * best.condition, rng
    )
    if taken < ACCEPTED_SHARE:
        return None
    q = kept[rng.permutation(len(kept))[:count]]
    outside = [k for k in range(q.shape[1]) if k not in walk.inside]
    q[:, outside] = rng.uniform(-2.5, 2.5, (len(q), len(outside)))
    return q


@dataclass(frozen=True)
class _Tangents:
    """Decomposition of the constraint Jacobian J at N configurations.

    Attributes:
        null: basis of the null space, (N, n, n - rank).
        inverse: pseudo-inverse of J.
        condition: smallest divided by largest singular value, (N,).
    """

    null: Array
    inverse: Array
    condition: Array


class _Walk:
    """Random walks through closed configurations of one assembly branch.

    Args:
        geometry: the robot in numbers.
        rank: rank of the constraint Jacobian on this branch.
    """

    def __init__(self, geometry: Geometry, rank: int) -> None:
        self.geometry, self.rank = geometry, rank
        self.inside = loop_coordinates(geometry)
        self.unit = geometry.units[self.inside]

    def tangents(self, q: Array) -> _Tangents:
        _, jacobian = balanced_closure(self.geometry, q)
        jacobian = jacobian[:, :, self.inside]
        turned = jacobian.transpose(0, 2, 1)
        squares, vectors = np.linalg.eigh(turned @ jacobian)
        free = len(self.inside) - self.rank
        used = vectors[:, :, free:]
        inverse = (used / squares[:, None, free:]) @ used.transpose(0, 2, 1) @ turned
        ratio = squares[:, free] / squares[:, -1] if self.rank else np.ones(len(q))
        return _Tangents(vectors[:, :, :free], inverse, np.sqrt(np.maximum(ratio, 0)))

    def walked(
        self, start: Array, step: float, steps: int, least: float, rng: np.random.Generator
    ) -> tuple[Array, float]:
        """Perform random walks and return the configurations after every STRIDE-th step.

        Args:
            start: closed configuration at which all walks start.
            step: length of a step, in rad or relative to the robot's size.
            steps: number of steps.
            least: smallest accepted condition (smallest / largest singular value) of the constraint Jacobian.

        Returns:
            The configurations, and the fraction of steps that were accepted.
        """
        q = np.repeat(start[None], WALKERS, 0)
        at = self.tangents(q)
        kept, taken = [], 0
        direction = rng.standard_normal((WALKERS, len(self.inside)))
        for number in range(1, steps + 1):
            direction = (at.null @ (at.null.transpose(0, 2, 1) @ direction[:, :, None]))[:, :, 0]
            direction = direction / np.maximum(np.linalg.norm(direction, axis=1, keepdims=True), 1e-12)
            move = step * direction * rng.uniform(0.2, 1.0, (WALKERS, 1))
            trial, good = self._corrected(q, move)
            there = self.tangents(trial)
            good &= there.condition > least
            q[good] = trial[good]
            for old, new in zip(vars(at).values(), vars(there).values(), strict=True):
                old[good] = new[good]
            direction[~good] = rng.standard_normal((int((~good).sum()), direction.shape[1]))
            taken += int(good.sum())
            if number % STRIDE == 0:
                kept.append(q.copy())
        return np.concatenate(kept), taken / (steps * WALKERS)

    def _corrected(self, q: Array, move: Array) -> tuple[Array, Flags]:
        """Move configurations by a step and close the loops again by Newton's method.

        Args:
            q: closed configurations (N, n).
            move: steps of the loop coordinates.

        Returns:
            The new configurations, and a mask that is true where the loops closed after a small correction.
        """
        moved = q.copy()
        moved[:, self.inside] += move * self.unit
        postures, good = closed(self.geometry, moved, self.inside, CORRECTIONS)
        change = (postures - moved)[:, self.inside] / self.unit
        return postures, good & (
            np.linalg.norm(change, axis=1) < LARGEST_CORRECTION * np.linalg.norm(move, axis=1)
        )

    def inverse(self, q: Array) -> Array:
        """Return the pseudo-inverses of the closure Jacobian (columns of the loop coordinates) at configurations q."""
        _, jacobian = closure(self.geometry, q)
        u, s, v = np.linalg.svd(jacobian[:, :, self.inside], full_matrices=False)
        r = self.rank
        return np.asarray((v[:, :r].transpose(0, 2, 1) / s[:, None, :r]) @ u[:, :, :r].transpose(0, 2, 1))


@dataclass(frozen=True)
class ClosedStates:
    """States with closed loops in multiple precision (scaled integers).

    Attributes:
        q, qd: positions and velocities.
        open: largest remaining error of the loop closure.
    """

    q: Numbers
    qd: Numbers
    open: float


def closed_states(
    exact: Geometry, geometry: Geometry, rank: int, q: Array, rng: np.random.Generator
) -> ClosedStates:
    """Return states whose loops are closed to all digits of multiple precision, with random velocities.

    Configurations that do not close are omitted.

    Args:
        exact: the robot in scaled integers.
        geometry: the robot in double precision.
        rank: rank of the constraint Jacobian.
        q: configurations that are closed in double precision (N, n).
    """
    walk = _Walk(geometry, rank)
    inside, back = walk.inside, exactly(walk.inverse(q))
    postures, errors = refined(exact, exactly(q), inside, back)
    left = np.abs(doubles(errors)).max(1, initial=0)
    good = left < ROUND_OFF * max(1.0, geometry.size)
    postures, back = postures[good], back[good]
    _, jacobian = closure(exact, postures)
    jacobian = jacobian[:, :, inside]
    qd = exactly(rng.standard_normal(postures.shape) * geometry.units)
    moved = qd[:, inside, None]
    for _ in range(REFINEMENTS):
        change = times(back, times(jacobian, moved))
        moved = moved - change
        if np.abs(change).max(initial=0) < LAST:
            break
    qd[:, inside] = moved[:, :, 0]
    return ClosedStates(postures, qd, float(left[good].max(initial=0)))


@one_thread
def numeric_base_parameters(
    robot: Robot,
    *,
    rotor: bool,
    linear: Closures,
    notes: tuple[str, ...],
) -> BaseParameters:
    """Return the base parameters at the robot's nominal values, computed from its energy at sampled states.

    Args:
        rotor: whether rotor inertias are included.
        linear: the loops of the robot, divided into those whose dependent joint positions are linear in the independent
            ones, and others.
        notes: remarks that are added to the result.

    Raises:
        NotApplicableError: the loops cannot be assembled.
        ProgramError: the numbers do not separate dependent from independent parameters clearly.
    """
    wanted = ordered(robot, columns(robot, rotor=rotor))
    prescribed = robot.base.kind == BaseKind.FIXED and moves(robot)
    moving = prescribed or robot.base.kind != BaseKind.FIXED
    sampling = _Sampling(linear.robot, linear.open, wanted, moving, prescribed)
    with np.errstate(all="ignore"):  # the result is checked to be finite
        sample = sampling.on_branch(linear.posture) if linear.open else sampling.anywhere()
        if sample is None:
            rigid = with_rigid_loops(robot, linear)
            if rigid is None:
                raise no_motion(robot, linear.posture)
            return numeric_base_parameters(robot, rotor=rotor, linear=rigid, notes=notes)
    words = ", ".join(w for w in (linear.words, sample.words) if w) or "any posture"
    method = (
        f"numeric, {sample.count} states ({words}), verified on other states; weakest kept column "
        f"{sample.fit.smallest:.1e}, strongest dropped column {sample.fit.largest:.1e}"
    )
    notes = (*notes, *random_values_note(linear.random_symbols))
    if sample.fit.smallest < WEAK_COLUMN:
        faint = f"some parameters differ from sums of others by {sample.fit.smallest:.0e} only"
        notes = (*notes, f"{faint}: they cannot be distinguished in an experiment")
    result = written_result(robot, wanted, sample.fit, numbers(linear.robot).length, method, notes)
    if linear.open:  # a loop without a linear closure in numbers has none in symbols
        return result
    return _compared(result, robot, rotor=rotor, posture=linear.posture)


@dataclass(frozen=True)
class _SampledFit:
    fit: Fit
    count: int
    words: str = ""


@dataclass(frozen=True)
class _Sampling:
    """Determination of the base parameters of a robot from its energy functions at sampled states.

    Attributes:
        robot: the robot, in which every symbol has a number. A closed loop whose dependent joint positions are linear
            in the independent ones (a parallelogram, for example) is replaced by a coupling of joints.
        loops: the other closed loops, whose configurations are computed numerically.
        wanted: the standard parameters (link, name), in order of preference for the base set.
        moving: whether the base moves.
        prescribed: whether the motion of the base is prescribed; energy functions that depend on this motion alone are
            then excluded.
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
        return len(self.wanted) + 10 * self.prescribed + EXTRA_ROWS

    def anywhere(self) -> _SampledFit:
        """Return the independent parameters of a robot without loops, from its energy at random states.

        Double precision is used if it is sufficient, otherwise multiple precision.
        """
        geometry = self._numbers()
        rng = np.random.default_rng(3)
        states = random_states(geometry, max(150, 2 * self.count), rng, moving=self.moving)
        fit = self._fit(geometry, states, ROUNDED_COLUMN)
        if fit.clear and fit.plain:
            return _SampledFit(fit, len(states.q))
        few = random_states(geometry, self.count, rng, moving=self.moving)
        few = few.exactly(exactly(few.q), exactly(few.qd))
        fit = self._fit(self._numbers(exact=True), few, EXACT_COLUMN)
        perturbed = self._fit(self._numbers(exact=True, perturbed=True), few, EXACT_COLUMN)
        if not _same(fit, perturbed):
            fit = self._fit(self._numbers(exact=True), few, ROUNDED_COLUMN)
        return _SampledFit(self._clear(fit), len(few.q))

    def on_branch(self, posture: Posture | None) -> _SampledFit | None:
        """Return the independent parameters of a robot with loops, from states of one assembly branch.

        The computation is in multiple precision. The result is None if the loops cannot be moved.

        Args:
            posture: positions by joint number near the assembly mode, or None.
        """
        geometry = self._numbers()
        for at in assembled(geometry, geometry.own(posture))[:6]:
            q = branch(geometry, at, self.count, np.random.default_rng(5))
            fit = None if q is None else self._at(geometry, len(at.bound), q)
            if fit is not None:
                words = f"one assembly branch, around {self._shown(geometry, at)}"
                return _SampledFit(self._clear(fit), self.count, words)
        return None

    def _at(self, geometry: Geometry, rank: int, q: Array) -> Fit | None:
        """Return the independent parameters of a robot with loops, from configurations q of one assembly branch.

        The result is None if the loops can be closed to all digits at too few of these configurations.

        Args:
            rank: rank of the constraint Jacobian.
        """

        def tried(tolerance: float, perturbed: bool = False) -> tuple[Fit | None, float]:
            exact = self._numbers(exact=True, perturbed=perturbed)
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
            raise ProgramError(f"the energy of robot '{self.robot.name}' is not finite at these values")
        return fitted(rows, gauge_of(geometry, states, base=self.prescribed), tolerance)

    def _clear(self, fit: Fit) -> Fit:
        if not fit.clear or not (fit.plain or fit.largest < ALL_DIGITS):
            raise ProgramError(
                f"the numbers of robot '{self.robot.name}' do not show which parameters are "
                f"independent: the norms of independent columns (at least {fit.smallest:.1e}) and of "
                f"dependent columns (at most {fit.largest:.1e}) leave no gap",
                hint=(
                    "replace lengths or angles that are almost equal or almost zero by exactly equal "
                    "ones or zero, or give another posture"
                ),
            )
        return fit

    def _shown(self, geometry: Geometry, at: Assembly) -> str:
        pairs = zip(geometry.coordinates, at.q * geometry.metres, strict=True)
        return ", ".join(f"q{j} = {x:.4g}" for j, x in pairs if j <= self.robot.NL)


def random_values_note(symbols: Sequence[str]) -> tuple[str, ...]:
    """Return a tuple with one note, which names the symbols that have random values; empty if there are none."""
    return ("random values for symbols without a nominal one: " + ", ".join(symbols),) if symbols else ()


def no_motion(robot: Robot, posture: Posture | None) -> NotApplicableError:
    """Return the error for loops that are closed but could not be moved from their closed configuration.

    Args:
        posture: the configuration that was given, or None.
    """
    at = "the posture" if posture else "every configuration that was tried"
    return NotApplicableError(
        f"the loops of robot '{robot.name}' are closed at {at}, but they could not be moved from there",
        hint="give a posture of the same assembly mode that is farther from singular configurations",
    )


def _same(fit: Fit, other: Fit | None) -> bool:
    """Return whether two results of the numeric method have the same independent parameters.

    The results are computed from geometries that differ only in the last digits of their numbers. If the results
    differ, rounding determines them, and they are not valid.
    """
    if other is None or not fit.clear or not other.clear:
        return False
    return fit.kept == other.kept and 0.5 < fit.smallest / other.smallest < 2


def written_result(
    robot: Robot,
    wanted: Sequence[ParameterKey],
    fit: Fit,
    length: float,
    method: str,
    notes: tuple[str, ...],
) -> BaseParameters:
    """Return the base parameters with coefficients in SI units.

    Args:
        wanted: the standard parameters (link, name), one per column.
        fit: the independent columns, and the coefficients of the dependent ones, with lengths in units of `length`.
        length: unit of length in metres.
        method: description of the method.
        notes: remarks for the result.
    """
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
    result: BaseParameters,
    robot: Robot,
    *,
    rotor: bool,
    posture: Posture | None,
) -> BaseParameters:
    """Return the base parameters with a note that compares them with the exact ones for symbolic lengths and angles.

    The note lists the base parameters that special numbers (a length of zero, a right angle) eliminate. There is no
    note if no exact result exists.

    Args:
        result: base parameters at the nominal values.
        rotor: whether rotor inertias are included.
        posture: positions by joint number near the assembly mode, or None.
    """
    generic = robot.symbolic(geometry=True)
    try:
        tree = generic
        if generic.B:
            closure = linear_closure(generic, posture)
            if closure is None:
                return result
            tree = closure.robot
        other = exact(tree, generic, rotor=rotor)
    except (MissingDependencyError, NotApplicableError):
        return result
    lost = [name for name in other.names if name not in result.names]
    if len(other.names) <= len(result.names):
        note = "symbolic lengths give the same number of parameters"
    else:
        n = len(other.names) - len(result.names)
        note = f"{n} base parameter{'s' * (n > 1)} of symbolic lengths vanish{'es' * (n == 1)} for these numbers: "
        note += ", ".join(lost)
    return replace(result, notes=(*result.notes, note))


def numeric_rank(robot: Robot, *, rotor: bool = True, seed: int = 0) -> tuple[int, float, float]:
    """Return the number of base parameters of a tree, determined from singular values at random states.

    Args:
        rotor: whether rotor inertias are included.
        seed: seed of the random states and of random values of symbols.

    Returns:
        The number, the smallest singular value that is taken as nonzero, and the largest one that is taken as zero.
    """
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
    """Return the rank of a matrix; its columns are first scaled to unit length.

    Args:
        rows: the matrix, shape (rows, columns).

    Returns:
        The rank, the smallest singular value that is taken as nonzero, and the largest one that is taken as zero, both
        relative to the largest singular value.
    """
    norms = np.linalg.norm(rows, axis=0)
    used = rows[:, norms > 1e-9 * np.sqrt(len(rows))]
    if not used.shape[1]:
        return 0, 1.0, 0.0
    values = np.linalg.svd(used / np.linalg.norm(used, axis=0), compute_uv=False)
    values = values / values[0]
    rank = int((values > 1e-9).sum())
    return rank, float(values[rank - 1]), float(values[rank]) if rank < len(values) else 0.0
