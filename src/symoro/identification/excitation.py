"""Exciting motions for identification: Fourier series, optimised under limits.

    q = offset + sum_l a_l / (w l) sin(w l t) - b_l / (w l) cos(w l t)                     (Swevers et al. 1997)

    condition     min of log s1 - log sP, singular values of the regressor with columns of length one
    determinant   min of -log det(W'W) / P, the volume of the parameters' confidence region

The regressor has the columns that `identify` estimates from a log of the motion. Limits are enforced by a penalty that
increases from round to round; finally the amplitudes are reduced until all limits are respected, also between samples
(`series_search`). So are the distances between links that are not adjacent, if collisions are avoided (`collision`).

J. Swevers, C. Ganseman, D.B. Tukel, J. De Schutter, H. Van Brussel, "Optimal robot excitation and identification",
IEEE Transactions on Robotics and Automation 13, 1997. M. Gautier, W. Khalil, "Exciting trajectories for the
identification of base inertial parameters of robots", International Journal of Robotics Research 11, 1992.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from symoro.deprecation import takes_options
from symoro.display import OneLineRepr
from symoro.errors import ArgumentError, NotApplicableError, OptionError, ProgramError
from symoro.expr.formula import ZERO
from symoro.files import MADE_BY
from symoro.identification.collision import Clearance, SmallestDistance, requested_clearance
from symoro.identification.dynamic import check_left_out, symbolic_robot
from symoro.identification.equations import RowModel, equations
from symoro.identification.friction import USUAL, Friction
from symoro.identification.options import ExcitationOptions
from symoro.identification.regression import FOR_EVERY_MOTION, dependent
from symoro.identification.series_search import SeriesSearch, condition, dry_friction, motion_limits
from symoro.identification.tolerances import LIMIT_IN_USE, NOT_EXCITED, ROUND_OFF, TINY, VERIFICATION_SAMPLES
from symoro.model import base_parameters, generate
from symoro.models.coordinates.couplings import uncoupled
from symoro.progress import each
from symoro.robot.coordinates import independent
from symoro.robot.description import BaseKind, Robot
from symoro.robot.formats import RobotLike, as_robot
from symoro.threads import one_thread
from symoro.trajectory.prescribed import check_rates
from symoro.trajectory.sampling import follows_from_forces
from symoro.trajectory.trajectory import Fourier, Trajectory

Array = NDArray[np.float64]
CRITERIA = ("condition", "determinant")
SLOWEST, FASTEST = 1e-6, 1e6  # Hz
ALONG_THE_MOTION = (
    "its column is zero along the optimised motion",
    "along the optimised motion its column is {}",
)


@dataclass(frozen=True, repr=False)
class Excitation(OneLineRepr):
    """Result of `excite`: an optimised motion and its quality.

    Attributes:
        trajectory: the Fourier series.
        condition: condition number of the regressor with columns of unit norm, along one period.
        determinant: log det(W'W) / P, where W is the regressor and P the number of parameters.
        columns: the excited parameters, which `identify` estimates.
        used: largest used fraction of each kind of limit: position, velocity, acceleration, effort. The value 1 is the
            limit times the margin.
        starts: final value of the criterion for each random start.
        seconds: duration of the search.
        margin: fraction of each limit that may be used.
        absorbed: friction parameters without a column in the regressor, each with the columns of which its column would
            be a linear combination.
        unlimited: the joints without a limit in the description, by kind of limit: position, velocity, effort. A
            revolute joint without position limits moves between -pi and pi.
        smallest: smallest distance between two links; None if collisions are not avoided.
        clearance: required distance between links (m); None if collisions are not avoided.
        notes: remarks on the shapes of the links, and on pairs of links that are not checked.
    """

    trajectory: Trajectory
    condition: float
    determinant: float
    columns: tuple[str, ...]
    used: Mapping[str, float]
    starts: tuple[float, ...]
    seconds: float
    margin: float = 1.0
    absorbed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unlimited: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    smallest: SmallestDistance | None = None
    clearance: float | None = None
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        shares = ", ".join(f"{name} {100 * share:.0f} %" for name, share in self.used.items())
        of = "the limits" if self.margin == 1 else f"{100 * self.margin:g} % of the limits"
        return (
            f"{len(self.columns)} parameters, condition {self.condition:.2f}, log det(W'W)/P {self.determinant:.2f}; "
            f"used of {of}: {shares}; {self.seconds:.1f} s"
            + "".join(
                f"\nnote: {name} acts only together with {', '.join(others)}, and has no separate column"
                for name, others in self.absorbed.items()
            )
            + "".join(
                f"\nnote: the description has no {kind} limits of joints {', '.join(map(str, joints))}: "
                f"{'-pi .. pi rad is the assumed range' if kind == 'position' else f'the {kind} is not limited'}"
                for kind, joints in self.unlimited.items()
            )
            + (
                f"\nsmallest distance: {self.smallest.distance:.4g} m between {self.smallest.pair} at "
                f"t = {self.smallest.time:.4g} s (clearance {self.clearance:.4g} m)"
                if self.smallest
                else ""
            )
            + "".join(f"\nnote: {note}" for note in self.notes)
        )


@takes_options(ExcitationOptions)
@one_thread
def excite(
    robot: RobotLike,
    *,
    harmonics: int = 5,
    frequency: float = 0.1,
    criterion: str = "condition",
    friction: Sequence[str] = USUAL,
    acceleration: float | Sequence[float] | None = None,
    torque: bool | None = None,
    values: Mapping[str, float] | None = None,
    options: ExcitationOptions | None = None,
) -> Excitation:
    """Optimise a motion that excites the base parameters and the friction of a robot, for `identify`.

        result = symoro.excite("tx40", harmonics=5, frequency=0.1)
        result.trajectory, result.condition

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        harmonics, frequency: number of harmonics and fundamental frequency (Hz) of the Fourier series; one period lasts
            1 / frequency seconds.
        criterion: 'condition' (condition number of the regressor) or 'determinant' (volume of the confidence region).
        friction: friction terms to be excited: some of 'viscous', 'coulomb', 'offset', as in `identify`.
        acceleration: limit of the accelerations (rad/s2 or m/s2): one for all joints, one per coordinate, or one per
            moving joint, coupled joints included; by default there is no such limit.
        torque: whether the effort limits of the joints are respected, with the inertial parameters of the robot; by
            default they are if all parameters have numbers.
        values: numbers for symbols; by default the nominal values of the robot.
        options: further options: margin, random starts, columns left out (`ExcitationOptions`).

    Raises:
        NotApplicableError: the robot has no parameters to be excited, closed loops, a moving base, or a joint whose
            motion cannot be a Fourier series.
        ArgumentError: a joint has no position limits, or limits that prevent its motion; or numbers are missing.
        OptionError: an option has a wrong value.
        ProgramError: the search gave no motion within the limits, none without collisions (the pair of links is named),
            or none that excites all parameters.
    """
    chosen = options or ExcitationOptions()
    described, began = as_robot(robot), time.perf_counter()
    check_rates(described)
    _check(described)
    if criterion not in CRITERIA:
        raise OptionError(f"criterion: expected one of {', '.join(CRITERIA)}, got '{str(criterion)[:40]}'")
    least = 2 if chosen.rest else 1  # one harmonic that starts at rest stays there
    if not (least <= harmonics <= 50 and SLOWEST <= frequency <= FASTEST):
        raise OptionError(
            f"expected {least} to 50 harmonics and a frequency of {SLOWEST:g} to {FASTEST:g} Hz, "
            f"got {harmonics} harmonics and {frequency:g} Hz"
        )
    known = {**dict(described.nominal), **(values or {})}
    described = _without_load_friction(described, known)
    limits = motion_limits(described, acceleration, chosen.margin, _torque(described, torque, known), known)
    equation = _equation(described, values, friction, chosen.without)
    count = chosen.samples or 8 * harmonics
    clearance = requested_clearance(described, chosen.collision, limits.centre, known)
    work = SeriesSearch(
        described, known, equation, limits, harmonics, frequency, criterion, chosen.rest, count, clearance
    )
    rng = np.random.default_rng(chosen.seed)
    best: tuple[float, Array, Array] | None = None
    reached, failures = [], []
    for _ in each(range(chosen.starts), "starts"):
        x = work.optimised(work.start(rng))
        w = work.matrix(x, work.dense_middles)
        if not (work.keeps(x) and condition(w) < NOT_EXCITED):
            failures.append((x, w))
            continue
        worth = work.worth(w)
        reached.append(float(worth))
        if best is None or worth < best[0]:
            best = worth, x, w
    if best is None:
        raise _failure(work, described, known, *failures[-1])
    result = _result(work, *best[1:], tuple(reached), time.perf_counter() - began, chosen.margin)
    if clearance is not None:
        _verify(clearance, result.trajectory)
        notes, smallest = tuple(clearance.notes()), work.smallest_distance(best[1])
        result = replace(result, smallest=smallest, clearance=clearance.least, notes=notes)
    return replace(result, unlimited=_unlimited(described, limits.own, torque))


def _without_load_friction(robot: Robot, known: Mapping[str, float]) -> Robot:
    """Return the robot without load-dependent friction, with effort limits that leave room for it.

    With the torque r without this friction, the torque is |tau| = |r| / (1 - |FL|) at most.
    """
    frames = []
    for frame in robot.frames:
        if not frame.FL.is_zero and frame.limits.effort is not None:
            effort = frame.limits.effort * (1 - abs(frame.FL.value(known)))
            frame = replace(frame, limits=replace(frame.limits, effort=effort))
        frames.append(replace(frame, FL=ZERO))
    return robot.replace(frames=tuple(frames))


def _verify(clearance: Clearance, trajectory: Trajectory) -> None:
    """Check the distances at dense samples of the final trajectory, independently of the search.

    Raises:
        ProgramError: some links are closer than the clearance.
    """
    (series,) = trajectory.parts
    assert isinstance(series, Fourier)
    order = 2 * np.pi * series.frequency * np.arange(1, len(series.sine[0]) + 1)
    count = VERIFICATION_SAMPLES * len(order)
    for part in np.array_split(np.arange(count) / count / series.frequency, len(order)):
        angles = part[:, None] * order
        q = (
            np.sin(angles) / order @ np.array(series.sine).T
            - np.cos(angles) / order @ np.array(series.cosine).T
        )
        distance, pair = clearance.closest(q + np.array(series.offset))
        if distance < clearance.least * (1 - ROUND_OFF):
            raise ProgramError(
                f"the optimised motion brings {pair} to a distance of {distance:.4g} m, less than the clearance "
                f"{clearance.least:.4g} m"
            )


def _unlimited(robot: Robot, joints: Sequence[int], torque: bool | None) -> dict[str, tuple[int, ...]]:
    """Return the joints without a limit in the description, by kind of limit; kinds without such joints are omitted.

    Args:
        robot: the robot.
        joints: numbers of the joints to check.
        torque: False if the user chose to ignore effort limits.
    """
    given = {j: robot.frame(j).limits for j in joints}
    missing = {
        "position": tuple(j for j, one in given.items() if one.lower is None or one.upper is None),
        "velocity": tuple(j for j, one in given.items() if one.velocity is None),
        "effort": tuple(j for j, one in given.items() if one.effort is None and torque is not False),
    }
    return {kind: joints for kind, joints in missing.items() if joints}


def _equation(
    robot: Robot, values: Mapping[str, float] | None, friction: Sequence[str], without: Sequence[str]
) -> RowModel:
    """Return the identification model whose parameters the motion shall excite.

    Args:
        values: numbers for symbols of the robot.
        friction: friction terms.
        without: parameters that are left out.
    """
    terms = Friction(tuple(friction))
    if beyond := [term for term in terms.terms if term not in USUAL]:
        raise OptionError(f"friction: expected some of {', '.join(USUAL)}, got '{beyond[0]}'")
    symbolic = symbolic_robot(robot, values)
    check_left_out(without, base_parameters(symbolic))
    equation = equations(symbolic, "dynamic", terms, None, without)
    if not equation.names:
        raise NotApplicableError(f"robot '{robot.name}' has no parameters that a motion can excite")
    return equation


def _check(robot: Robot) -> None:
    """Reject robots whose joints cannot all follow independent Fourier series, such as closed loops."""
    reason = "it has closed loops, whose joints are not independent" if robot.B else ""
    if robot.base.kind != BaseKind.FIXED:
        reason = f"it has a {robot.base.kind} base, whose motion is not a Fourier series"
    for j in independent(robot):
        if robot.frame(j).eta:
            reason = reason or f"joint {j} is elastic, and its motion depends on its spring"
        elif not robot.frame(j).mu:
            reason = reason or f"joint {j} is passive: it has no motor that follows a series"
        if robot.frame(j).GAM is not None:
            reason = reason or f"the torque of joint {j} is prescribed (GAM)"
    reason = reason or follows_from_forces(robot)
    if reason:
        raise NotApplicableError(f"no motion is optimised for robot '{robot.name}': {reason}")


def _torque(robot: Robot, requested: bool | None, known: Mapping[str, float]) -> bool:
    """Return whether the search respects the effort limits.

    Args:
        robot: the robot.
        requested: the user's choice; if None, effort limits are respected if all inertial parameters have numbers.
        known: values of the robot's symbols.
    """
    if requested is False:
        return False
    program = generate(uncoupled(robot), "inverse-dynamics").program
    missing = sorted(set(program.used_parameters) - known.keys())
    if requested and missing:
        raise ArgumentError(
            "the effort limits cannot be checked, because these parameters have no values: "
            f"{', '.join(missing[:8])}"
        )
    return not missing


def _failure(
    work: SeriesSearch, robot: Robot, known: Mapping[str, float], x: Array, w: Array
) -> ProgramError:
    """Return the error for a failed search, with the limit or the parameters that prevent a solution.

    Args:
        work: the search.
        robot: the robot.
        known: values of the robot's symbols.
        x: best motion of the search.
        w: regressor along this motion.
    """
    slow, limits = work.slow_efforts(x), work.limits
    hint = "try more starts, larger effort limits, or no torque limits (torque=False)"
    none = f"the search gave no motion of robot '{robot.name}' within its limits"
    dry = {j: dry_friction(robot, j, known) for j in limits.joints} if slow is not None else {}
    for (j, least), effort in zip(dry.items(), limits.effort, strict=False):
        if least >= effort:
            return ProgramError(
                f"{none}: the dry friction of joint {j}, FS + FB = {least:.4g}, is not smaller than its "
                f"effort limit times the margin, {effort:.4g}",
                hint=hint,
            )
    if slow is not None and not (slow <= limits.effort).all():
        k = int(np.argmax(slow / limits.effort))
        j = limits.joints[k]
        place = ", ".join(f"{q:.3g}" for q in x[:, 0])
        return ProgramError(
            f"{none}: slow motion near q = [{place}] requires an effort of {slow[k]:.4g} at joint {j}, "
            f"{dry[j]:.4g} of it dry friction; the effort limit of the joint times the margin is "
            f"{limits.effort[k]:.4g}",
            hint=hint,
        )
    smallest = work.smallest_distance(x)
    if smallest is not None and not work.is_clear(x):
        return ProgramError(
            f"{none} without collisions: the distance between {smallest.pair} is {smallest.distance:.4g} m at "
            f"t = {smallest.time:.4g} s, less than the clearance",
            hint="try more starts, a smaller clearance, or narrower limits of the joints between these links",
        )
    size = condition(w)
    full = [name for name, share in work.used(x).items() if share > LIMIT_IN_USE]
    bound = f"; these limits are fully used: {', '.join(full)}" if full else ""
    return ProgramError(
        f"{none} that excites its parameters: the condition number is {size:.1e}{bound}{_hidden(work, w)}",
        hint="try more starts, more harmonics, wider limits, or leave out columns by the option 'without'",
    )


def _hidden(work: SeriesSearch, w: Array) -> str:
    """Return a text that lists the parameters that a motion does not excite, each with the reason.

    Args:
        work: the search.
        w: regressor along the motion; the columns of these parameters are linearly dependent or zero.
    """
    zero = np.zeros((len(w), 1))
    units = work.equation.parameter_units
    hidden = dependent(work.columns, np.hstack([w, zero]), ALONG_THE_MOTION, units)
    drawn = work.equation.at_random()
    if drawn is not None:
        always = dependent(
            work.columns, np.hstack([drawn, np.zeros((len(drawn), 1))]), FOR_EVERY_MOTION, units
        )
        hidden |= {name: reason for name, reason in always.items() if name in hidden}
    return "".join(f"\n  - {name}: {reason}" for name, reason in list(hidden.items())[:8])


def _result(
    work: SeriesSearch, x: Array, w: Array, reached: tuple[float, ...], seconds: float, margin: float
) -> Excitation:
    series = x[:, 1:] @ work.basis.T
    half = work.harmonics
    part = Fourier(
        work.frequency,
        tuple(map(tuple, series[:, :half].tolist())),
        tuple(map(tuple, series[:, half:].tolist())),
        tuple(x[:, 0].tolist()),
    )
    volume = 2 * float(np.log(np.maximum(np.linalg.svd(w, compute_uv=False), TINY)).mean())
    trajectory = Trajectory((part,), name="excitation")
    return Excitation(
        trajectory,
        condition(w),
        volume,
        work.columns,
        work.used(x),
        reached,
        seconds,
        margin,
        work.equation.absorbed,
    )


def trajectory_text(excitation: Excitation) -> str:
    """Return the trajectory file (YAML) of an optimised motion, which `symoro.trajectory.load` reads."""
    (series,) = excitation.trajectory.parts
    names = excitation.columns
    assert isinstance(series, Fourier)

    def rows(name: str, values: Sequence[Sequence[float]]) -> list[str]:
        return [f"      {name}:", *(f"        - [{', '.join(f'{x:.9g}' for x in row)}]" for row in values)]

    lines = [
        f"# {MADE_BY}",
        f"# condition {excitation.condition:.4g} for {len(names)} parameters: {', '.join(names)}",
        "symoro-trajectory: 1",
        f"name: {excitation.trajectory.name}",
        "parts:",
        "  - fourier:",
        f"      frequency: {series.frequency:.9g}",
        f"      offset: [{', '.join(f'{x:.9g}' for x in series.offset)}]",
        *rows("sine", series.sine),
        *rows("cosine", series.cosine),
    ]
    return "\n".join([*lines, ""])
