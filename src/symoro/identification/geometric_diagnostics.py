"""Criteria of the warnings about a calibration, and tests for wrong units and conventions.

If residuals or corrections are larger than usual, common mistakes in units, conventions, axes and joints are assumed
one by one, and some of them together. A mistake is reported if the same parameters fit without warnings once it is
corrected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import prod

import numpy as np

from symoro.errors import ProgramError
from symoro.identification.alignment import alignments, is_far_off, near, with_base
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

# -- assumptions about mistakes


@dataclass(frozen=True)
class Assumption:
    """Assumption that the measurements contain a certain mistake, such as a wrong unit.

    Attributes:
        statement: the assumption in words.
        cure: what the user can do if the assumption is true.
        made: function that returns the calibration problem with the mistake corrected.
        unit: factor of the measured lengths; their residuals are multiplied by it.
    """

    statement: str
    cure: str
    made: Callable[[Fitting], Fitting]
    unit: float = 1.0


def assumptions(work: Fitting, *, joints: bool) -> Iterator[list[Assumption]]:
    """Yield the possible mistakes in the measurements of a calibration: single ones first, then combinations.

    Args:
        work: the calibration problem; its robot and kind of measurement determine which mistakes are possible.
        joints: whether to include wrong signs, zero positions and orders of joints.
    """
    alone = [
        *_unit_assumptions(work),
        *_axis_assumptions(work),
        *(_joint_assumptions(work) if joints else []),
    ]
    if work.measured.measure != "plane":
        alone.append(METRES)  # last, because large lengths make most residuals acceptable
    yield from ([assumption] for assumption in alone)
    often = [assumption for assumption in alone if assumption in (MILLIMETRES, DEGREES, SLIDES, LAST_W)]
    yield from ([a, b] for a, b in combinations(often, 2))
    if len(often) > 2:
        yield often


def _unit_assumptions(work: Fitting) -> Iterator[Assumption]:
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


def _with_scaled_lengths(factor: float, place: bool = False) -> Callable[[Fitting], Fitting]:
    """Return a function that multiplies the measured lengths of a calibration problem by a factor.

    Args:
        factor: the factor.
        place: whether the reference point and the touched plane, which the user gives, are multiplied too.
    """

    def made(work: Fitting) -> Fitting:
        poses = work.measured.poses.copy()
        poses[:, :3, 3] *= factor
        measured = replace(work.measured, poses=poses, distances=factor * work.measured.distances)
        if not place:
            return replace(work, measured=measured)
        plane = np.array([*work.plane[:3], factor * work.plane[3]])
        return replace(work, measured=measured, point=factor * work.point, plane=plane)

    return made


def _with_scaled_joints(kind: JointType, factor: float) -> Callable[[Fitting], Fitting]:
    """Return a function that multiplies the measured positions of all joints of type `kind` by a factor."""

    def made(work: Fitting) -> Fitting:
        own = {f.j for f in work.chain.frames if f.sigma == kind}
        factors = [factor if j in own else 1.0 for j in work.chain.coordinates]
        return replace(work, measured=replace(work.measured, q=work.measured.q * factors))

    return made


def _with_rotations(change: Callable[[Fitting], Array]) -> Callable[[Fitting], Fitting]:
    """Return a function that replaces the measured rotations of a calibration problem.

    Args:
        change: function that returns the new rotation matrices (S, 3, 3) of a calibration problem.
    """

    def made(work: Fitting) -> Fitting:
        poses = work.measured.poses.copy()
        poses[:, :3, :3] = change(work)
        return replace(work, measured=replace(work.measured, poses=poses))

    return made


def _last_w(work: Fitting) -> Array:
    return from_quaternion(np.roll(quaternion(work.measured.poses[:, :3, :3]), 1, -1))


def _transposed(work: Fitting) -> Array:
    return work.measured.poses[:, :3, :3].transpose(0, 2, 1)


def _from_fixed_angles(order: Sequence[int]) -> Callable[[Fitting], Array]:
    """Return a function that computes rotation matrices from rx, ry, rz, read as angles about the axes x, y and z.

    Args:
        order: order in which the three rotation matrices are multiplied, as indices of the axes (0 for x).
    """

    def made(work: Fitting) -> Array:
        angles = work.measured.vectors
        assert angles is not None
        first, second, third = (exponential(angles[:, k, None] * np.eye(3)[k]) for k in order)
        return np.asarray(first @ second @ third)

    return made


def _inverse(work: Fitting) -> Fitting:
    poses = np.asarray(np.linalg.inv(work.measured.poses), float)
    return replace(work, measured=replace(work.measured, poses=poses))


MILLIMETRES = Assumption(
    "measured lengths are in millimetres", "divide them by 1000", _with_scaled_lengths(1e-3), 1e-3
)
METRES = Assumption(
    "the description's lengths are in millimetres",
    "describe the robot in metres",
    _with_scaled_lengths(1e3, place=True),
    1e3,
)
ALL_MILLIMETRES = Assumption(
    "all lengths, including the point or plane, are in millimetres",
    "divide them by 1000",
    _with_scaled_lengths(1e-3, place=True),
    1e-3,
)
DEGREES = Assumption(
    "the joint angles are in degrees",
    "read them with --degrees (degrees=True)",
    _with_scaled_joints(JointType.REVOLUTE, np.pi / 180),
)
RADIANS = Assumption(
    "the joint angles are already in radians",
    "read them without --degrees",
    _with_scaled_joints(JointType.REVOLUTE, 180 / np.pi),
)
SLIDES = Assumption(
    "the positions of prismatic joints are in millimetres",
    "divide them by 1000",
    _with_scaled_joints(JointType.PRISMATIC, 1e-3),
)
LAST_W = Assumption(
    "quaternions are in the order x, y, z, w", "name their columns qx, qy, qz, qw", _with_rotations(_last_w)
)
INVERSE = Assumption("the poses are those of the base in the end-effector frame", "invert them", _inverse)
INVERSE_TURNS = Assumption(
    "the rotations are those of the base in the end-effector frame",
    "invert them (change the signs of qx, qy, qz of quaternions)",
    _with_rotations(_transposed),
)
ROLL_FIRST = Assumption(
    "rx, ry, rz are roll, pitch and yaw angles about the fixed axes x, y, z in this order",
    "write rotation vectors or quaternions",
    _with_rotations(_from_fixed_angles((2, 1, 0))),
)
YAW_FIRST = Assumption(
    "rx, ry, rz are angles about the fixed axes z, y, x in this order",
    "write rotation vectors or quaternions",
    _with_rotations(_from_fixed_angles((0, 1, 2))),
)

# -- axes of the world


def _axis_assumptions(work: Fitting) -> Iterator[Assumption]:
    """Yield the assumptions that a world axis is reversed or that position columns are swapped."""
    measure = work.measured.measure
    if measure not in ("pose", "position"):
        return
    free = any(column.frame == BASE for column in work.chosen)
    tip = any(column.frame == END for column in work.chosen)
    if measure == "position" and free:
        yield Assumption(LEFT_HANDED, HANDED_CURE, _with_mapped_axes(MIRRORS["x"], turns=False))
        return
    if measure == "pose":
        for axis, mirror in MIRRORS.items():
            name = LEFT_HANDED if free and tip else f"axis {axis} of the world frame is reversed"
            yield Assumption(name, HANDED_CURE, _with_mapped_axes(mirror, turns=True))
            if free and tip:
                break  # the other two differ from this one only by rotations of base and end effector
    for axis, mirror in MIRRORS.items():
        yield Assumption(
            f"the sign of {axis} is wrong",
            "change its sign in the table",
            _with_mapped_axes(mirror, turns=False),
        )
    for names, order in ORDERS.items():
        cure = "correct the names of the columns"
        yield Assumption(
            f"columns x, y, z contain {names}", cure, _with_mapped_axes(np.eye(3)[order], turns=False)
        )


def _with_mapped_axes(change: Array, *, turns: bool) -> Callable[[Fitting], Fitting]:
    """Return a function that multiplies the measured positions of a calibration problem by a matrix.

    Args:
        change: the matrix (3, 3).
        turns: whether the measured rotation matrices are multiplied too.
    """

    def made(work: Fitting) -> Fitting:
        poses = work.measured.poses.copy()
        poses[:, :3, 3] = poses[:, :3, 3] @ change.T
        if turns:
            poses[:, :3, :3] = change @ poses[:, :3, :3] @ change.T
        return replace(work, measured=replace(work.measured, poses=poses))

    return made


LEFT_HANDED = "the measured axes are left-handed (one is reversed, or two are swapped)"
HANDED_CURE = "change the sign of one of them, or swap the two"
MIRRORS = {"x": np.diag([-1.0, 1, 1]), "y": np.diag([1.0, -1, 1]), "z": np.diag([1.0, 1, -1])}
ORDERS = {  # contents of columns x, y, z: indices of the columns that contain x, y and z
    "y, x, z": [1, 0, 2],
    "x, z, y": [0, 2, 1],
    "z, y, x": [2, 1, 0],
    "y, z, x": [2, 0, 1],
    "z, x, y": [1, 2, 0],
}

# -- joints


def _joint_assumptions(work: Fitting) -> Iterator[Assumption]:
    """Yield the assumptions that joints have another sign, another zero or another order."""
    own = work.chain.coordinates
    n = len(own)
    turning = {f.j for f in work.chain.frames if f.sigma == JointType.REVOLUTE}
    for k, j in enumerate(own):
        yield _with_reversed_joints([k], f"the sign of joint {j} is wrong")
    for k, m in combinations(range(n), 2):
        order = list(range(n))
        order[k], order[m] = m, k
        yield _with_joint_order(order, f"columns q{own[k]} and q{own[m]} are swapped")
    if n > 3:
        yield _with_joint_order(
            range(n)[::-1], "the joints are in the order from the end effector to the base"
        )
    for k, j in enumerate(own):
        if j in turning:
            for angle in (90, -90, 180):
                yield _with_joint_offset(
                    k, f"the zero of joint {j} is off by {angle} degrees", np.radians(angle)
                )
    if n > 2:
        yield _with_reversed_joints(range(n), "the signs of all joints are wrong")
    for k, m in combinations(range(n), 2):
        yield _with_reversed_joints([k, m], f"the signs of joints {own[k]} and {own[m]} are wrong")


def _with_reversed_joints(which: Sequence[int], statement: str) -> Assumption:
    def made(work: Fitting) -> Fitting:
        signs = np.ones(work.measured.q.shape[1])
        signs[list(which)] = -1.0
        return replace(work, measured=replace(work.measured, q=work.measured.q * signs))

    return Assumption(statement, "change the signs of these joint positions", made)


def _with_joint_order(order: Sequence[int], statement: str) -> Assumption:
    def made(work: Fitting) -> Fitting:
        return replace(work, measured=replace(work.measured, q=work.measured.q[:, list(order)]))

    return Assumption(statement, "correct the names of the columns", made)


def _with_joint_offset(which: int, statement: str, angle: float) -> Assumption:
    def made(work: Fitting) -> Fitting:
        q = work.measured.q.copy()
        q[:, which] += angle
        return replace(work, measured=replace(work.measured, q=q))

    return Assumption(
        statement, "add this offset to the joint positions, or describe the robot with this zero", made
    )


# -- criteria


MISS = {"length": RESIDUAL_LENGTH, "angle": RESIDUAL_ANGLE}
LISTED = 4  # corrections that a warning lists
FAR = {BASE: DISTANT_BASE, END: DISTANT_END}
UNITS = {"length": "m", "angle": "rad"}


def calibration_warnings(
    work: Fitting, xi: Array, deviations: Array, noise: Mapping[str, float]
) -> list[DiagnosticWarning]:
    """Return the warnings about a calibration.

    Args:
        work: the least-squares problem of the calibration.
        xi: estimated parameter errors (P,).
        deviations: their standard deviations (P,).
        noise: given standard deviations of the measurements, by kind ('length', 'angle'); may be empty.
    """
    warnings = fit_warnings(work, xi, deviations)
    if warnings and (misread := misread_data(work, (xi, deviations))):
        warnings.append(misread)
    elif gains := _gains(work, xi):
        warnings.append(gains)
    after = work.deviations(work.residuals(xi), 0)
    excessive = [
        f"{after[n] / noise[n]:.0f} times ({n})"
        for n in after
        if after[n] > ABOVE_NOISE * noise.get(n, np.inf)
    ]
    if excessive:
        warnings.append(warning("residual-above-noise", factors=" and ".join(excessive)))
    return warnings


def fit_warnings(work: Fitting, xi: Array, deviations: Array) -> list[DiagnosticWarning]:
    """Return warnings about residuals and corrections that are larger than usual.

    Args:
        work: the least-squares problem of the calibration.
        xi, deviations: estimated parameter errors and their standard deviations (P,).
    """
    after = work.deviations(work.residuals(xi), 0)
    warnings = []
    if _has_large_residual(work, xi):
        warnings.append(warning("large-residual", sizes=_sizes(after)))
    large = [f"{column.name} ({x:.3g}{_unit(column.kind)})" for column, x in _large(work, xi, deviations)]
    if large:
        more = f" and {len(large) - LISTED} more" if len(large) > LISTED else ""
        warnings.append(warning("large-correction", corrections=", ".join(large[:LISTED]) + more))
    distance = 0.0 if work.described is None else np.linalg.norm((work.chain.start - work.described)[:3, 3])
    if robot_reach(work) > 0 and distance > FAR[BASE] * robot_reach(work):
        warnings.append(warning("distant-base", distance=distance))
    return warnings


def _has_large_residual(work: Fitting, xi: Array) -> bool:
    """Return whether the residuals at parameter errors xi are larger than those of correct measurements."""
    scale = {"length": reach(work) + _marker_distance(work, xi), "angle": 1.0}
    after = work.deviations(work.residuals(xi), 0)
    return any(value > MISS[name] * scale[name] > 0 for name, value in after.items())


def _is_other_joint(work: Fitting, xi: Array) -> bool:
    """Return whether an angle correction is so large that the joint was probably confused with another joint.

    Args:
        work: the least-squares problem of the calibration.
        xi: parameter errors (P,).
    """
    angles = [x for c, x in zip(work.chosen, xi, strict=True) if c.kind in (*ANGLES, "beta")]
    return bool(np.abs(angles).max(initial=0.0) > OTHER_JOINT)


def _large(work: Fitting, xi: Array, deviations: Array) -> list[tuple[GeometricColumn, float]]:
    """Return the parameters with implausibly large corrections, and these corrections.

    Args:
        work: the least-squares problem of the calibration.
        xi, deviations: estimated parameter errors and their standard deviations (P,).
    """
    far, tip, size = reach(work), _marker_distance(work, xi), robot_reach(work)
    return [
        (column, float(x))
        for column, x, deviation in zip(work.chosen, xi, deviations, strict=True)
        if abs(x)
        > max(_plausible_correction(column.kind, column.frame, far, tip, size), SIGNIFICANT * deviation)
    ]


def base_warnings(bases: Sequence[Array]) -> list[DiagnosticWarning]:
    """Return one warning per further pose of frame 0 with which the fit is equally good.

    Args:
        bases: these poses (4, 4).
    """
    return [
        warning("ambiguous-base", position=_numbers(base[:3, 3]), rotation=_numbers(logarithm(base[:3, :3])))
        for base in bases
    ]


def _numbers(values: Array) -> str:
    return " ".join(f"{value:.4g}" for value in values)


def _marker_distance(work: Fitting, xi: Array) -> float:
    """Return the distance of the marker from the measured frame in metres, for parameter errors xi."""
    place = [x for c, x in zip(work.chosen, xi, strict=True) if c.frame == END and c.kind.startswith("T")]
    return float(np.linalg.norm(place))


def _plausible_correction(kind: str, frame: str, far: float, tip: float, size: float) -> float:
    """Return the largest plausible correction of a geometric parameter, in the parameter's unit.

    Args:
        kind: kind of the parameter, such as 'alpha'.
        frame: number or name of the frame to which the parameter belongs.
        far: reach of the measured frame in metres.
        tip: distance of the marker from the measured frame in metres.
        size: reach of the robot's end effector in metres.
    """
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


def robot_reach(work: Fitting) -> float:
    """Return the reach of the robot's end effector in metres, even if another frame was measured.

    A marker on a frame near the base may be at a distance comparable to the size of the whole robot, not only to the
    reach of that frame.
    """
    return reach(work) if work.whole is None else max(reach(work), farthest(work.whole, work.measured.q))


def _sizes(sizes: Mapping[str, float]) -> str:
    return " and ".join(f"{value:.3g} {UNITS[name]}" for name, value in sizes.items())


# -- search for mistakes that explain the residuals


def misread_data(work: Fitting, fitted: tuple[Array, Array] | None = None) -> DiagnosticWarning | None:
    """Search for a mistake in units or conventions that explains the measurements; return a warning or None.

    Args:
        work: the calibration problem.
        fitted: parameter errors and their standard deviations, estimated without assuming a mistake; the residuals with
            a corrected mistake are compared with those of this fit. None if no fit exists.
    """
    most = np.inf if fitted is None else _acceptable_residual(work, *fitted)
    joints = fitted is None or _has_large_residual(work, fitted[0]) or _is_other_joint(work, fitted[0])
    for changes in assumptions(work, joints=joints):
        other = work
        for change in changes:
            other = change.made(other)
        fit = _trial_fit(other)
        unit = prod(change.unit for change in changes)
        if fit is None or fit_warnings(*fit) or _relative_residual(fit[0], fit[1], unit) > most:
            continue
        after = fit[0].deviations(fit[0].residuals(fit[1]), 0)
        statement = " and ".join(change.statement for change in changes)
        remedies = ", ".join(change.cure for change in changes)
        return warning("misread-data", assumption=statement, sizes=_sizes(after), remedy=remedies)
    return None


def _gains(work: Fitting, xi: Array) -> DiagnosticWarning | None:
    """Return a warning about joints whose position sensors have a wrong gain; None if all gains are correct.

    Args:
        work: the calibration problem.
        xi: estimated parameter errors without gains (P,).
    """
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
        xi, _ = work.solved(xi, weights)  # the same weights for both fits
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


def _trial_fit(work: Fitting) -> tuple[Fitting, Array, Array] | None:
    """Fit the parameters with few iterations, to test an assumption about the data.

    Returns:
        The problem (with an estimated base pose), the parameter errors and their standard deviations; None if the fit
        does not converge.
    """
    noise = {"length": 1e-3 * (reach(work) or 1.0), "angle": 1e-3}
    try:
        work, start = _trial_start(work)
        if start is None or condition(work.rows(start))[0] * ROUND_OFF > 1:
            return None
        xi, _ = work.solved(start, noise, TRIAL_ITERATIONS)
        scale = work.deviations(work.residuals(xi), len(work.chosen))
        return work, xi, np.sqrt(np.diag(work.covariance(xi, scale)))
    except (ProgramError, np.linalg.LinAlgError):
        return None


def _trial_start(work: Fitting) -> tuple[Fitting, Array | None]:
    """Return the calibration problem with an approximate base pose, and the initial parameter errors.

    The parameter errors are None if no pose of the base fits even approximately.
    """
    zero = np.zeros(len(work.chosen))
    if work.measured.measure not in ("pose", "position"):
        return work, zero
    if work.described is not None:
        work = with_base(work, work.described)
    if is_far_off(work):
        return work, None
    places = alignments(work)
    if not places or near(work, places[0]):
        return work, zero
    tip = places[0].tip
    return with_base(work, places[0].base), np.array([tip.get(column.name, 0.0) for column in work.chosen])


def _acceptable_residual(work: Fitting, xi: Array, deviations: Array) -> float:
    """Return the largest residual at which an assumed unit or convention is accepted as an explanation.

    If the original fit requires implausible corrections of the robot's lengths, about the same residual as that of the
    original fit is accepted. Otherwise the residual must be clearly smaller. Corrections of the base or of a marker are
    not evidence of a wrong unit.

    Args:
        work: the calibration problem.
        xi, deviations: parameter errors of the original fit and their standard deviations (P,).
    """
    own = any(column.frame not in FAR for column, _ in _large(work, xi, deviations))
    return (TWICE_RESIDUAL if own else HALF_RESIDUAL) * _relative_residual(work, xi)


def _relative_residual(work: Fitting, xi: Array, unit: float = 1.0) -> float:
    """Return the root mean square of the residuals, with lengths divided by the reach of the measured frame.

    Args:
        work: the calibration problem.
        xi: parameter errors.
        unit: factor by which the measured lengths were multiplied; length residuals are divided by it.
    """
    after = work.deviations(work.residuals(xi), 0)
    return float(np.hypot(after["length"] / (unit * (reach(work) or 1.0)), after.get("angle", 0.0)))
