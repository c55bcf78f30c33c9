"""Criteria of the warnings about a calibration, and other readings of its measurements.

If residuals or corrections are larger than those of sound measurements, usual mistakes in units, conventions, axes and
joints are tried one by one, and some together. One is reported if with it the same parameters fit without warnings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import prod

import numpy as np

from symoro.errors import ProgramError
from symoro.identification.alignment import alignments, is_far_off, near, placed
from symoro.identification.diagnostics import DiagnosticWarning, warning
from symoro.identification.geometric_fit import Fitting, condition, farthest, reach
from symoro.identification.tolerances import (
    ABOVE_NOISE,
    DISTANT_BASE,
    DISTANT_END,
    EQUATIONS_PER_UNKNOWN,
    FAINT_GAIN,
    HALF_RESIDUAL,
    LARGE_ANGLE,
    LARGE_GAIN,
    LARGE_LENGTH,
    OTHER_JOINT,
    RESIDUAL_ANGLE,
    RESIDUAL_LENGTH,
    ROUND_OFF,
    SIGNIFICANT,
    TRIAL_ITERATIONS,
    TWICE_RESIDUAL,
)
from symoro.models.calibration.columns import BASE, END, GeometricColumn
from symoro.models.numeric.fixed_point import Array
from symoro.models.numeric.rotation import exponential, from_quaternion, logarithm, quaternion
from symoro.robot.description import ANGLES, JointType

# -- readings


@dataclass(frozen=True)
class Reading:
    """Another reading: what it says, what to do, and how it is made.

    Attributes:
        unit: what the measured lengths are multiplied by; their residuals shrink or grow with them.
    """

    says: str
    cure: str
    made: Callable[[Fitting], Fitting]
    unit: float = 1.0


def readings(work: Fitting, *, joints: bool) -> Iterator[list[Reading]]:
    """Yield those that say something of this robot and measure, alone, then those that go together most often.

    Args:
        joints: whether to doubt the joints' signs, zeros and order too.
    """
    alone = [*_units(work), *_axes(work), *(_of_joints(work) if joints else [])]
    if work.measured.measure != "plane":
        alone.append(METRES)  # last, since large lengths let much pass
    yield from ([reading] for reading in alone)
    often = [reading for reading in alone if reading in (MILLIMETRES, DEGREES, SLIDES, LAST_W)]
    yield from ([a, b] for a, b in combinations(often, 2))
    if len(often) > 2:
        yield often


def _units(work: Fitting) -> Iterator[Reading]:
    measure, kinds = work.measured.measure, {f.sigma for f in work.chain.frames}
    if measure != "plane":
        yield MILLIMETRES
    if measure in ("distance", "plane"):
        yield ALL_MILLIMETRES
    if JointType.REVOLUTE in kinds:
        yield DEGREES
        yield RADIANS
    if JointType.PRISMATIC in kinds:
        yield SLIDES
    if measure == "pose":
        yield LAST_W
        yield INVERSE
        yield INVERSE_TURNS
        if work.measured.vectors is not None:
            yield ROLL_FIRST
            yield YAW_FIRST


# -- units and conventions


def _scaled(factor: float, place: bool = False) -> Callable[[Fitting], Fitting]:
    """Return the measured lengths in other units; those of the point and the plane too, if so."""

    def made(work: Fitting) -> Fitting:
        poses = work.measured.poses.copy()
        poses[:, :3, 3] *= factor
        measured = replace(work.measured, poses=poses, distances=factor * work.measured.distances)
        if not place:
            return replace(work, measured=measured)
        plane = np.array([*work.plane[:3], factor * work.plane[3]])
        return replace(work, measured=measured, point=factor * work.point, plane=plane)

    return made


def _joints(kind: JointType, factor: float) -> Callable[[Fitting], Fitting]:
    """Return the positions of one kind of joint in other units."""

    def made(work: Fitting) -> Fitting:
        own = {f.j for f in work.chain.frames if f.sigma == kind}
        factors = [factor if j in own else 1.0 for j in work.chain.coordinates]
        return replace(work, measured=replace(work.measured, q=work.measured.q * factors))

    return made


def _turned(change: Callable[[Fitting], Array]) -> Callable[[Fitting], Fitting]:
    """Other rotations of the poses."""

    def made(work: Fitting) -> Fitting:
        poses = work.measured.poses.copy()
        poses[:, :3, :3] = change(work)
        return replace(work, measured=replace(work.measured, poses=poses))

    return made


def _last_w(work: Fitting) -> Array:
    return from_quaternion(np.roll(quaternion(work.measured.poses[:, :3, :3]), 1, -1))


def _transposed(work: Fitting) -> Array:
    return work.measured.poses[:, :3, :3].transpose(0, 2, 1)


def _in_turn(order: Sequence[int]) -> Callable[[Fitting], Array]:
    """rx, ry, rz as angles about x, y and z, the rotations multiplied in an order."""

    def made(work: Fitting) -> Array:
        angles = work.measured.vectors
        assert angles is not None
        first, second, third = (exponential(angles[:, k, None] * np.eye(3)[k]) for k in order)
        return np.asarray(first @ second @ third)

    return made


def _inverse(work: Fitting) -> Fitting:
    poses = np.asarray(np.linalg.inv(work.measured.poses), float)
    return replace(work, measured=replace(work.measured, poses=poses))


MILLIMETRES = Reading("measured lengths are in millimetres", "divide them by 1000", _scaled(1e-3), 1e-3)
METRES = Reading(
    "the description's lengths are in millimetres",
    "describe the robot in metres",
    _scaled(1e3, place=True),
    1e3,
)
ALL_MILLIMETRES = Reading(
    "lengths, those of the point or plane too, are in millimetres",
    "divide them by 1000",
    _scaled(1e-3, place=True),
    1e-3,
)
DEGREES = Reading(
    "the joints' angles are in degrees",
    "read them with --degrees (degrees=True)",
    _joints(JointType.REVOLUTE, np.pi / 180),
)
RADIANS = Reading(
    "the joints' angles are in radians already",
    "read them without --degrees",
    _joints(JointType.REVOLUTE, 180 / np.pi),
)
SLIDES = Reading(
    "sliding joints are in millimetres", "divide them by 1000", _joints(JointType.PRISMATIC, 1e-3)
)
LAST_W = Reading(
    "quaternions are in the order x, y, z, w", "name their columns so: qx, qy, qz, qw", _turned(_last_w)
)
INVERSE = Reading("the poses are those of the base, seen from the end", "invert them", _inverse)
INVERSE_TURNS = Reading(
    "the rotations are those of the base, seen from the end",
    "invert them (a quaternion's qx, qy, qz with the other sign)",
    _turned(_transposed),
)
ROLL_FIRST = Reading(
    "rx, ry, rz are roll, pitch and yaw, about fixed axes x, y, z in turn",
    "write rotation vectors or quaternions",
    _turned(_in_turn((2, 1, 0))),
)
YAW_FIRST = Reading(
    "rx, ry, rz are angles about fixed axes z, y, x in turn",
    "write rotation vectors or quaternions",
    _turned(_in_turn((0, 1, 2))),
)

# -- axes of the world


def _axes(work: Fitting) -> Iterator[Reading]:
    """Axes that point the other way, and columns that are swapped."""
    measure = work.measured.measure
    if measure not in ("pose", "position"):
        return
    free = any(column.frame == BASE for column in work.chosen)
    tip = any(column.frame == END for column in work.chosen)
    if measure == "position" and free:
        yield Reading(LEFT_HANDED, HANDED_CURE, _mapped(MIRRORS["x"], turns=False))
        return
    if measure == "pose":
        for axis, mirror in MIRRORS.items():
            name = LEFT_HANDED if free and tip else f"axis {axis} of the world points the other way"
            yield Reading(name, HANDED_CURE, _mapped(mirror, turns=True))
            if free and tip:
                break  # the other two are this one, the base and the end turned
    for axis, mirror in MIRRORS.items():
        yield Reading(
            f"{axis} has the other sign", "change its sign in the table", _mapped(mirror, turns=False)
        )
    for names, order in ORDERS.items():
        cure = "give the columns their right names"
        yield Reading(f"columns x, y, z hold {names}", cure, _mapped(np.eye(3)[order], turns=False))


def _mapped(change: Array, *, turns: bool) -> Callable[[Fitting], Fitting]:
    """Return the measured places mapped, and the rotations too, if so."""

    def made(work: Fitting) -> Fitting:
        poses = work.measured.poses.copy()
        poses[:, :3, 3] = poses[:, :3, 3] @ change.T
        if turns:
            poses[:, :3, :3] = change @ poses[:, :3, :3] @ change.T
        return replace(work, measured=replace(work.measured, poses=poses))

    return made


LEFT_HANDED = "the measured axes are left-handed (one points the other way, or two are swapped)"
HANDED_CURE = "change the sign of one of them, or swap the two"
MIRRORS = {"x": np.diag([-1.0, 1, 1]), "y": np.diag([1.0, -1, 1]), "z": np.diag([1.0, 1, -1])}
ORDERS = {  # what the columns hold: where x, y and z are found
    "y, x, z": [1, 0, 2],
    "x, z, y": [0, 2, 1],
    "z, y, x": [2, 1, 0],
    "y, z, x": [2, 0, 1],
    "z, x, y": [1, 2, 0],
}

# -- joints


def _of_joints(work: Fitting) -> Iterator[Reading]:
    """Joints that count the other way, from other zeros, or in another order."""
    own = work.chain.coordinates
    n = len(own)
    turning = {f.j for f in work.chain.frames if f.sigma == JointType.REVOLUTE}
    for k, j in enumerate(own):
        yield _counted([k], f"joint {j} counts the other way")
    for k, m in combinations(range(n), 2):
        order = list(range(n))
        order[k], order[m] = m, k
        yield _ordered(order, f"columns q{own[k]} and q{own[m]} are swapped")
    if n > 3:
        yield _ordered(range(n)[::-1], "the joints are in the order from the end to the base")
    for k, j in enumerate(own):
        if j in turning:
            for angle in (90, -90, 180):
                yield _shifted(k, f"the zero of joint {j} is off by {angle} degrees", np.radians(angle))
    if n > 2:
        yield _counted(range(n), "all joints count the other way")
    for k, m in combinations(range(n), 2):
        yield _counted([k, m], f"joints {own[k]} and {own[m]} count the other way")


def _counted(which: Sequence[int], says: str) -> Reading:
    def made(work: Fitting) -> Fitting:
        signs = np.ones(work.measured.q.shape[1])
        signs[list(which)] = -1.0
        return replace(work, measured=replace(work.measured, q=work.measured.q * signs))

    return Reading(says, "change the signs of the readings", made)


def _ordered(order: Sequence[int], says: str) -> Reading:
    def made(work: Fitting) -> Fitting:
        return replace(work, measured=replace(work.measured, q=work.measured.q[:, list(order)]))

    return Reading(says, "give the columns their right names", made)


def _shifted(which: int, says: str, angle: float) -> Reading:
    def made(work: Fitting) -> Fitting:
        q = work.measured.q.copy()
        q[:, which] += angle
        return replace(work, measured=replace(work.measured, q=q))

    return Reading(says, "add that to the readings, or describe the robot with that zero", made)


# -- criteria


MISS = {"length": RESIDUAL_LENGTH, "angle": RESIDUAL_ANGLE}
LISTED = 4  # corrections
FAR = {BASE: DISTANT_BASE, END: DISTANT_END}
UNITS = {"length": "m", "angle": "rad"}


def calibration_warnings(
    work: Fitting, xi: Array, deviations: Array, noise: Mapping[str, float]
) -> list[DiagnosticWarning]:
    """Return the warnings about a fit.

    Args:
        noise: the deviations of the measurements that were given, if any.
    """
    warnings = fit_warnings(work, xi, deviations)
    if warnings and (misread := misread_data(work, (xi, deviations))):
        warnings.append(misread)
    elif gains := _gains(work, xi):
        warnings.append(gains)
    after = work.deviations(work.residuals(xi), 0)
    loud = [
        f"{after[n] / noise[n]:.0f} times ({n})"
        for n in after
        if after[n] > ABOVE_NOISE * noise.get(n, np.inf)
    ]
    if loud:
        warnings.append(warning("residual-above-noise", factors=" and ".join(loud)))
    return warnings


def fit_warnings(work: Fitting, xi: Array, deviations: Array) -> list[DiagnosticWarning]:
    """Return warnings about residuals and corrections that sound measurements do not have."""
    after = work.deviations(work.residuals(xi), 0)
    warnings = []
    if _left(work, xi):
        warnings.append(warning("large-residual", sizes=_sizes(after)))
    large = [f"{column.name} ({x:.3g}{_unit(column.kind)})" for column, x in _large(work, xi, deviations)]
    if large:
        more = f" and {len(large) - LISTED} more" if len(large) > LISTED else ""
        warnings.append(warning("large-correction", corrections=", ".join(large[:LISTED]) + more))
    distance = 0.0 if work.described is None else np.linalg.norm((work.chain.start - work.described)[:3, 3])
    if whole_size(work) > 0 and distance > FAR[BASE] * whole_size(work):
        warnings.append(warning("distant-base", distance=distance))
    return warnings


def _left(work: Fitting, xi: Array) -> bool:
    """Return whether residuals are left that no sound measurements leave."""
    scale = {"length": reach(work) + _tip(work, xi), "angle": 1.0}
    after = work.deviations(work.residuals(xi), 0)
    return any(value > MISS[name] * scale[name] > 0 for name, value in after.items())


def _turned_over(work: Fitting, xi: Array) -> bool:
    """Return whether an axis or a zero is off by so much that the joint is another one."""
    angles = [x for c, x in zip(work.chosen, xi, strict=True) if c.kind in (*ANGLES, "beta")]
    return bool(np.abs(angles).max(initial=0.0) > OTHER_JOINT)


def _large(work: Fitting, xi: Array, deviations: Array) -> list[tuple[GeometricColumn, float]]:
    """Parameters with corrections larger than robots need."""
    far, tip, size = reach(work), _tip(work, xi), whole_size(work)
    return [
        (column, float(x))
        for column, x, deviation in zip(work.chosen, xi, deviations, strict=True)
        if abs(x) > max(_most(column.kind, column.frame, far, tip, size), SIGNIFICANT * deviation)
    ]


def base_warnings(bases: Sequence[Array]) -> list[DiagnosticWarning]:
    """Return warnings about other places of frame 0 at which everything fits as well."""
    return [
        warning("ambiguous-base", position=_numbers(base[:3, 3]), rotation=_numbers(logarithm(base[:3, :3])))
        for base in bases
    ]


def _numbers(values: Array) -> str:
    return " ".join(f"{value:.4g}" for value in values)


def _tip(work: Fitting, xi: Array) -> float:
    """Return how far what is measured was found to stand off its frame."""
    place = [x for c, x in zip(work.chosen, xi, strict=True) if c.frame == END and c.kind.startswith("T")]
    return float(np.linalg.norm(place))


def _most(kind: str, frame: str, far: float, tip: float, size: float) -> float:
    """Return the largest correction of a parameter that nobody wonders at."""
    if frame in FAR:
        return FAR[frame] * size if kind.startswith("T") and size > 0 else np.inf
    if kind == "k":
        return LARGE_GAIN
    if kind in (*ANGLES, "beta"):
        return LARGE_ANGLE
    return LARGE_LENGTH * (far + tip) if far + tip > 0 else np.inf


def _unit(kind: str) -> str:
    if kind == "k":
        return ""
    return " rad" if kind in (*ANGLES, "beta") or kind.startswith("R") else " m"


def whole_size(work: Fitting) -> float:
    """The same of the robot's own end: markers on a low frame stand off by the size of the robot, not of the way."""
    return reach(work) if work.whole is None else max(reach(work), farthest(work.whole, work.measured.q))


def _sizes(sizes: Mapping[str, float]) -> str:
    return " and ".join(f"{value:.3g} {UNITS[name]}" for name, value in sizes.items())


# -- what fits instead


def misread_data(work: Fitting, fitted: tuple[Array, Array] | None = None) -> DiagnosticWarning | None:
    """Return the warning about the unit or convention with which everything fits; None if there is none.

    Args:
        found: errors and their deviations, with whose residuals others are compared; None where nothing fitted.
    """
    most = np.inf if fitted is None else _allowed(work, *fitted)
    joints = fitted is None or _left(work, fitted[0]) or _turned_over(work, fitted[0])
    for changes in readings(work, joints=joints):
        other = work
        for change in changes:
            other = change.made(other)
        fit = _tried(other)
        unit = prod(change.unit for change in changes)
        if fit is None or fit_warnings(*fit) or _relative_residual(fit[0], fit[1], unit) > most:
            continue
        after = fit[0].deviations(fit[0].residuals(fit[1]), 0)
        says = " and ".join(change.says for change in changes)
        cures = ", ".join(change.cure for change in changes)
        return warning("misread-data", assumption=says, sizes=_sizes(after), remedy=cures)
    return None


def _gains(work: Fitting, xi: Array) -> DiagnosticWarning | None:
    """Return the warning about joints that move by other factors of their readings; None if there are none."""
    whole = work.measured.measure in ("pose", "position") and not any(c.kind == "k" for c in work.chosen)
    if not whole or _relative_residual(work, xi) < ROUND_OFF:
        return None
    gains = [GeometricColumn("k", str(f.j)) for f in work.chain.frames if f.ratios.any()]
    effect = np.linalg.norm(replace(work, chosen=gains).rows_at(work.errors(xi)), axis=0)
    gains = [gain for gain, size in zip(gains, effect, strict=True) if size > FAINT_GAIN * effect.max()]
    other = replace(work, chosen=[*work.chosen, *gains])
    start = np.concatenate([xi, np.zeros(len(gains))])
    rows = other.rows(start)
    if len(rows) < EQUATIONS_PER_UNKNOWN * len(start) or condition(rows)[0] * ROUND_OFF > 1:
        return None
    try:
        weights = work.deviations(work.residuals(xi), 0)
        xi, _ = work.solved(xi, weights)  # the same weights for both: those of the fit may be others
        solution, _ = other.solved(np.concatenate([xi, start[len(xi) :]]), weights)
    except ProgramError:
        return None
    scale = other.deviations(other.residuals(solution), len(solution))
    deviations = np.sqrt(np.diag(other.covariance(solution, scale)))
    named = zip(gains, solution[len(xi) :], deviations[len(xi) :], strict=True)
    factors = [f"{gain.name} ({x:.3g})" for gain, x, deviation in named if abs(x) > SIGNIFICANT * deviation]
    if not factors or _relative_residual(other, solution) > HALF_RESIDUAL * _relative_residual(work, xi):
        return None
    return warning("joint-gains", gains=", ".join(factors), sizes=_sizes(scale))


def _tried(work: Fitting) -> tuple[Fitting, Array, Array] | None:
    """Return the fit with its errors and deviations, or None where nothing fits soon."""
    noise = {"length": 1e-3 * (reach(work) or 1.0), "angle": 1e-3}
    try:
        work, start = _begun(work)
        if start is None or condition(work.rows(start))[0] * ROUND_OFF > 1:
            return None
        xi, _ = work.solved(start, noise, TRIAL_ITERATIONS)
        scale = work.deviations(work.residuals(xi), len(work.chosen))
        return work, xi, np.sqrt(np.diag(work.covariance(xi, scale)))
    except (ProgramError, np.linalg.LinAlgError):
        return None


def _begun(work: Fitting) -> tuple[Fitting, Array | None]:
    """Return where to start from; no errors where nothing is near that fits."""
    zero = np.zeros(len(work.chosen))
    if work.measured.measure not in ("pose", "position"):
        return work, zero
    if work.described is not None:
        work = placed(work, work.described)
    if is_far_off(work):
        return work, None
    places = alignments(work)
    if not places or near(work, places[0]):
        return work, zero
    tip = places[0].tip
    return placed(work, places[0].base), np.array([tip.get(column.name, 0.0) for column in work.chosen])


def _allowed(work: Fitting, xi: Array, deviations: Array) -> float:
    """Return the residuals that another reading may leave.

    A robot that is fitted to any unit has lengths of its own far off: residuals that are no worse serve then. The place
    of the base or of a marker tells no unit.
    """
    own = any(column.frame not in FAR for column, _ in _large(work, xi, deviations))
    return (TWICE_RESIDUAL if own else HALF_RESIDUAL) * _relative_residual(work, xi)


def _relative_residual(work: Fitting, xi: Array, unit: float = 1.0) -> float:
    """Return the root mean square of the residuals, lengths as shares of the robot's size in the measured unit."""
    after = work.deviations(work.residuals(xi), 0)
    return float(np.hypot(after["length"] / (unit * (reach(work) or 1.0)), after.get("angle", 0.0)))
