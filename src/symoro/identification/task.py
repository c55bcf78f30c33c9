"""What is asked of a calibration, and the best fit of all starts.

Where the places of frame 0 and of the end are near the description's, the fit starts from that, and errors are told
against it. Where they are not, or where that start ends worse than the robot as described does when it is moved as a
whole (`alignment`), frame 0 is put where it was found to stand first: errors are small from there, and told from there.
Places that look as good at first are all tried, and one that stays as good is told.

Positions show more parameters where what is measured stands off the axes, distances and contacts where the base stands
elsewhere: that is decided again at the places that are found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from symoro.errors import ArgumentError, NotApplicableError, ProgramError
from symoro.expr.formula import formula
from symoro.identification.alignment import RIVAL, Alignment, alignments, badness, difference, near, start_at
from symoro.identification.geometric_doubts import likely, odd
from symoro.identification.geometric_fit import Fitting, reach
from symoro.identification.measurements import Measurements
from symoro.models.calibration.chain import NumericChain, displacement, numeric_chain
from symoro.models.calibration.columns import BASE, DISPLACEMENT, END, columns, way_to
from symoro.models.calibration.identifiable import GeometricParameters, geometric_parameters
from symoro.models.numeric.fixed_point import Array
from symoro.robot.description import ANGLES, Robot

OFF = 0.01  # of the robot's size
AS_GOOD = 1.5  # misses of another place that cannot be ruled out, of those of the best
PLAUSIBLE = 0.1  # misses of a robot that is only moved as a whole, of its size
MET = 0.02  # the same where no unit, sign or order is mistaken
FARTHER = 10.0  # misses that two fits may differ by at other postures, of those that are left
BETTER = 1e-6  # by how much the misses of another start must be less
ROUNDED = 1e-9  # misses that are round-off, of the robot's size


@dataclass(frozen=True)
class CalibrationTask:
    """What is asked for.

    Attributes:
        known: arguments of `geometric_parameters`.
        base: where frame 0 was found to stand (4, 4); None where it stands near the description.
    """

    robot: Robot
    measured: Measurements
    known: Mapping[str, Any]
    point: Array
    plane: Array
    base: Array | None = None

    def parameters(self, offset: Sequence[float] | None = None) -> GeometricParameters:
        """Those that the measurements show, with what is measured at some place of its frame."""
        places: dict[str, Any] = {"point": list(self.point), "plane": list(self.plane), "offset": offset}
        return geometric_parameters(self.standing, measure=self.measured.measure, **self.known, **places)

    @property
    def standing(self) -> Robot:
        """The robot where it was found to stand."""
        if self.base is None:
            return self.robot
        z = tuple(formula(float(x)) for x in self.base.reshape(-1))
        return replace(self.robot, base=replace(self.robot.base, Z=z))

    @property
    def looks_from_outside(self) -> bool:
        """Whether what shows depends on where the robot stands."""
        return self.measured.measure in ("distance", "plane")

    def fitting(self, parameters: GeometricParameters) -> Fitting:
        """The fit of some parameters."""
        way = way_to(self.robot, self.known["to"])
        more = {name: value for name, value in self.known.items() if name != "to"}
        chosen = [c for c in columns(way, **more) if c.name in parameters.names]
        chain = numeric_chain(way)
        here = chain if self.base is None else replace(chain, start=self.base)
        return Fitting(
            here, chosen, self.measured, self.point, self.plane, self._whole(), described=chain.start
        )

    def _whole(self) -> NumericChain | None:
        try:
            return numeric_chain(way_to(self.robot, None))
        except (ArgumentError, NotApplicableError):  # numbers that the measured way does without
            return None


@dataclass(frozen=True)
class GeometricFit:
    """A fit: the errors, the noise's deviations, the errors' covariance, and how many steps it took.

    Attributes:
        rivals: other places of frame 0 at which everything fits as well (4, 4).
    """

    task: CalibrationTask
    parameters: GeometricParameters
    work: Fitting
    xi: Array
    scale: Mapping[str, float]
    covariance: Array
    rounds: int
    rivals: tuple[Array, ...] = ()

    @property
    def deviations(self) -> Array:
        return np.asarray(np.sqrt(np.diag(self.covariance)))

    @property
    def errors(self) -> dict[str, float]:
        return {c.name: float(x) for c, x in zip(self.work.chosen, self.xi, strict=True)}

    @property
    def base(self) -> Array:
        """Where frame 0 stands (4, 4)."""
        moved = np.array([self.errors.get(kind + BASE, 0.0) for kind in DISPLACEMENT])
        return np.asarray(self.work.chain.start @ displacement(moved))

    @property
    def badness(self) -> float:
        """The misses, in parts of the robot's size."""
        return badness(self.work, self.xi, reach(self.work) or 1.0)

    @property
    def odd(self) -> bool:
        return bool(odd(self.work, self.xi, self.deviations))


def best_fit(task: CalibrationTask, noise: Mapping[str, float] | None) -> GeometricFit:
    """The best fit of all starts.

    Raises:
        ArgumentError, ProgramError: as `calibrate`.
    """
    parameters = task.parameters()
    work = task.fitting(parameters)
    zero = np.zeros(len(work.chosen))
    work.check(zero)
    places = alignments(work)
    found: list[GeometricFit] = []
    failure: ProgramError | None = None
    if not places or near(work, places[0]):
        try:
            first = _fitted(task, parameters, zero, noise)
            found.append(_completed(first, _offset(first.errors, work), noise))
        except ProgramError as error:
            failure = error
        if found and _settles(found[0], places):
            return found[0]
    for place in places:
        if place.miss > (RIVAL * places[0].miss if places[0].miss < PLAUSIBLE else places[0].miss) + ROUNDED:
            break
        try:
            found.append(_from_place(task, parameters, place, noise))
        except (ProgramError, np.linalg.LinAlgError) as error:
            failure = failure or (error if isinstance(error, ProgramError) else None)
    if not found:
        raise _refusal(work, places, failure) from None
    return _chosen(found)


def _refusal(work: Fitting, places: Sequence[Alignment], failure: ProgramError | None) -> ProgramError:
    """What to say where no start ends."""
    found = failure or ProgramError("no geometry near the description fits the measurements")
    if places and places[0].miss < MET:
        hint = (
            f"the robot as it is described meets them to {100 * places[0].miss:.2g} percent of its size: measure "
            "postures that differ more, or take the base or the tool as known"
        )
        return ProgramError(found.message, hint=hint)
    meant = likely(work)
    return ProgramError(found.message, hint=meant) if meant else found


def _settles(first: GeometricFit, places: Sequence[Alignment]) -> bool:
    """Whether the fit from the description needs no other beside it."""
    if not places:
        return True
    alone = len(places) == 1 or places[1].miss > RIVAL * places[0].miss + ROUNDED
    return alone and first.badness <= places[0].miss * (1 + BETTER) + ROUNDED and not first.odd


def _chosen(found: Sequence[GeometricFit]) -> GeometricFit:
    """The best, with those elsewhere that are as good; one from the description comes first."""
    best = found[0]
    for other in found[1:]:
        if other.badness < best.badness * (1 - BETTER) - ROUNDED:
            best = other
    rivals = [
        fit.base for fit in found if fit.badness <= AS_GOOD * best.badness + ROUNDED and _differ(best, fit)
    ]
    return replace(best, rivals=tuple(rivals))


def _differ(best: GeometricFit, other: GeometricFit) -> bool:
    """Whether two fits say different things of other postures."""
    apart = difference(best.work, best.xi, other.work, other.xi)
    return apart > FARTHER * other.badness + ROUNDED


def _from_place(
    task: CalibrationTask,
    parameters: GeometricParameters,
    place: Alignment,
    noise: Mapping[str, float] | None,
) -> GeometricFit:
    work, there, shown = task.fitting(parameters), task, parameters
    start = start_at(work, place)
    if start is None:
        there = replace(task, base=place.base)
        shown = there.parameters() if there.looks_from_outside else parameters
        work = there.fitting(shown)
        start = np.array([place.tip.get(column.name, 0.0) for column in work.chosen])
    work.check(start)
    first = _fitted(there, shown, start, noise)
    if not first.odd or place.miss > PLAUSIBLE:
        return _completed(first, _offset(first.errors, work), noise)
    # What does not show from the frame's origin may be what is missing.
    more = _completed(first, _offset(place.tip, work), noise, start=start)
    return min(first, more, key=lambda fit: fit.badness)


def _fitted(
    task: CalibrationTask, parameters: GeometricParameters, start: Array, noise: Mapping[str, float] | None
) -> GeometricFit:
    work = task.fitting(parameters)
    xi, scale, rounds = work.best(start, noise)
    turns = np.array([column.kind in (*ANGLES, "beta") for column in work.chosen])
    xi = np.where(turns & (np.abs(xi) > np.pi), xi - 2 * np.pi * np.round(xi / (2 * np.pi)), xi)
    return GeometricFit(task, parameters, work, xi, scale, work.covariance(xi, scale), rounds)


def _completed(
    first: GeometricFit,
    offset: list[float] | None,
    noise: Mapping[str, float] | None,
    start: Array | None = None,
) -> GeometricFit:
    """The same with what shows at a place of what is measured, where that is more; from other errors, if given."""
    task, begun = first.task, first.xi if start is None else start
    if task.measured.measure == "pose" or offset is None or (start is None and first.odd):
        return first
    more = task.parameters(offset)
    if len(more) <= len(first.parameters):
        return first
    work = task.fitting(more)
    errors = {c.name: float(x) for c, x in zip(first.work.chosen, begun, strict=True)}
    again = np.array([errors.get(c.name, 0.0) for c in work.chosen])
    work.check(again)
    return _fitted(task, more, again, noise)


def _offset(errors: Mapping[str, float], work: Fitting) -> list[float] | None:
    """Where what is measured stands in its frame; None where that tells nothing new.

    What is small beside the robot is taken for zero: parameters that such a lever alone would show are not shown well.
    """
    least = OFF * reach(work)
    away = [errors.get(kind + END, 0.0) for kind in DISPLACEMENT[:3]]
    away = [x if abs(x) > least else 0.0 for x in away]
    return away if any(away) else None
