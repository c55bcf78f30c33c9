"""Motions that show the parameters of a robot well: Fourier series, optimised under limits.

    q = offset + sum_l a_l / (w l) sin(w l t) - b_l / (w l) cos(w l t)                     (Swevers et al. 1997)

    condition     min of log s1 - log sP, singular values of the regressor with columns of length one
    determinant   min of -log det(W'W) / P, the volume of the parameters' confidence region

Limits are kept by a penalty that grows round by round; at the end the series is drawn in until it keeps all of them,
between samples too (`series_search`).

J. Swevers, C. Ganseman, D.B. Tukel, J. De Schutter, H. Van Brussel, "Optimal robot excitation and identification",
IEEE Transactions on Robotics and Automation 13, 1997. M. Gautier, W. Khalil, "Exciting trajectories for the
identification of base inertial parameters of robots", International Journal of Robotics Research 11, 1992.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError, NotApplicableError, OptionError, ProgramError
from symoro.files import MADE_BY
from symoro.motion.fixed_rates import check_rates
from symoro.motion.sampling import follows_from_forces
from symoro.motion.series_search import MotionLimits, SeriesSearch, condition
from symoro.motion.trajectory import Fourier, Trajectory
from symoro.progress import each
from symoro.robot.coordinates import independent
from symoro.robot.description import BaseKind, JointType, Robot, scalars
from symoro.robot.formats import RobotLike, as_robot

Array = NDArray[np.float64]
CRITERIA = ("condition", "determinant")
SLOWEST, FASTEST = 1e-6, 1e6  # Hz
WIDEST = math.pi  # half the range of a joint that turns without a limit


@dataclass(frozen=True)
class Excitation:
    """An optimised motion.

    Attributes:
        trajectory: the Fourier series.
        condition: of the regressor with columns of length one, along one period.
        determinant: log det(W'W) / P.
        columns: the parameters that it shows.
        used: the largest share that is used of each limit times the margin: position, velocity, acceleration, effort.
        starts: condition or determinant reached from each start.
        margin: share of each limit that was to be used.
    """

    trajectory: Trajectory
    condition: float
    determinant: float
    columns: tuple[str, ...]
    used: Mapping[str, float]
    starts: tuple[float, ...]
    seconds: float
    margin: float = 1.0

    def __str__(self) -> str:
        shares = ", ".join(f"{name} {100 * share:.0f} %" for name, share in self.used.items())
        of = "the limits" if self.margin == 1 else f"{100 * self.margin:g} % of the limits"
        return (
            f"{len(self.columns)} parameters, condition {self.condition:.2f}, log det(W'W)/P {self.determinant:.2f}; "
            f"used of {of}: {shares}; {self.seconds:.1f} s"
        )


def excite(
    robot: RobotLike,
    *,
    harmonics: int = 5,
    frequency: float = 0.1,
    criterion: str = "condition",
    friction: str = "all",
    acceleration: float | Sequence[float] | None = None,
    torque: bool | None = None,
    margin: float = 0.95,
    rest: bool = True,
    starts: int = 2,
    samples: int | None = None,
    values: Mapping[str, float] | None = None,
    seed: int = 0,
) -> Excitation:
    """A motion that shows the base parameters and the friction of a robot.

    Arguments:
        harmonics, frequency: of the series; one period lasts 1 / frequency seconds.
        criterion: 'condition' or 'determinant'.
        friction: columns of friction, as in `dynamic-identification`.
        acceleration: largest accelerations of the joints; without it there is no such limit.
        torque: whether the efforts of the description are limits too, by its own inertial parameters; unless told,
            where all of them have numbers.
        margin: share of each limit that may be used.
        rest: whether the motion starts and ends at rest.
        starts: random starts, of which the best is taken.
        samples: at which the regressor is taken, along one period; eight a shortest period unless given.

    Raises:
        NotApplicableError: the robot has no parameters to be shown, has closed loops or joints that follow from forces,
            or its base moves.
        ArgumentError: a joint has no velocity limit and none can be made up, or numbers are missing.
        OptionError: an option is not one of those above.
        ProgramError: no motion within the limits was found.
    """
    asked, began = as_robot(robot), time.perf_counter()
    check_rates(asked)
    _check(asked)
    if criterion not in CRITERIA:
        raise OptionError(f"criterion: expected one of {', '.join(CRITERIA)}, got '{str(criterion)[:40]}'")
    least = 2 if rest else 1  # one harmonic that starts at rest stays there
    if not (least <= harmonics <= 50 and 0 < margin <= 1 and starts >= 1 and SLOWEST <= frequency <= FASTEST):
        raise OptionError(
            f"expected {least} to 50 harmonics, a frequency of {SLOWEST:g} to {FASTEST:g} Hz, a margin in (0, 1], "
            "at least one start"
        )
    if seed < 0 or (samples is not None and samples < 1):
        raise OptionError("expected a seed that is not negative, and at least one sample")
    known = {**dict(asked.nominal), **(values or {})}
    limits = _limits(asked, acceleration, margin, _torque(asked, torque, known))
    count = samples or 8 * harmonics
    work = SeriesSearch(asked, known, limits, harmonics, frequency, criterion, friction, rest, count)
    rng = np.random.default_rng(seed)
    best: tuple[float, Array] | None = None
    reached = []
    for _ in each(range(starts), "starts"):
        x = work.feasible(work.searched(work.start(rng)))
        if any(share > 1 for share in work.used(x).values()):
            continue
        worth = work.worth(x)
        reached.append(float(worth))
        if best is None or worth < best[0]:
            best = worth, x
    if best is None:
        raise ProgramError(
            f"no motion of robot '{asked.name}' within its limits was found from {starts} starts: gravity alone may "
            "ask for more than the efforts allow",
            hint="try more starts, or other limits",
        )
    return _result(work, best[1], tuple(reached), time.perf_counter() - began, margin)


def _check(robot: Robot) -> None:
    """Refuse robots that joints given as functions of time do not move, or not all of them freely."""
    reason = "it has closed loops, in which joints do not move freely" if robot.B else ""
    if robot.base.kind != BaseKind.FIXED:
        reason = f"it stands on a {robot.base.kind} base, whose motion is no Fourier series"
    reason = reason or follows_from_forces(robot)
    if reason:
        raise NotApplicableError(f"no motion is optimised for robot '{robot.name}': {reason}")


def _torque(robot: Robot, asked: bool | None, known: Mapping[str, float]) -> bool:
    """Whether torques are limited."""
    needed = {name for record in (*robot.links, *robot.frames) for name in _symbols(record)}
    missing = sorted(needed - known.keys())
    if asked and missing:
        raise ArgumentError(f"torques cannot be limited: no number is known for {', '.join(missing[:8])}")
    return asked is not False and not missing


def _symbols(record: Any) -> set[str]:
    return {name for _, formula in scalars(record) for name in formula.symbols}


def _limits(robot: Robot, acceleration: Any, margin: float, torque: bool) -> MotionLimits:
    own = independent(robot)
    rows = [robot.frame(j) for j in own]
    lower, upper = [], []
    for frame in rows:
        wide = WIDEST if frame.sigma == JointType.REVOLUTE else math.nan
        lower.append(-wide if frame.limits.lower is None else frame.limits.lower)
        upper.append(wide if frame.limits.upper is None else frame.limits.upper)
    low, high = np.array(lower), np.array(upper)
    if bad := [f"q{j}" for j, a, b in zip(own, low, high, strict=True) if not a < b]:
        raise ArgumentError(
            f"no range is known for {', '.join(bad)}", hint="give these joints limits: lower and upper"
        )
    middle, half = (low + high) / 2, margin * (high - low) / 2
    fastest = [math.inf if f.limits.velocity is None else margin * f.limits.velocity for f in rows]
    efforts = [math.inf if f.limits.effort is None or not torque else margin * f.limits.effort for f in rows]
    hardest = np.array(math.inf if acceleration is None else acceleration, float)
    if hardest.shape not in ((), (1,), (len(own),)) or not (hardest > 0).all():
        raise ArgumentError(
            f"acceleration: expected positive numbers, one or {len(own)}, got {acceleration!r}"[:200],
            hint="one for all joints, or one a joint",
        )
    return MotionLimits(
        middle - half,
        middle + half,
        np.array(fastest),
        margin * np.broadcast_to(hardest, len(own)),
        np.array(efforts),
    )


def _result(
    work: SeriesSearch, x: Array, reached: tuple[float, ...], seconds: float, margin: float
) -> Excitation:
    w = work.matrix(x)
    series = x[:, 1:] @ work.basis.T
    half = work.harmonics
    part = Fourier(
        work.frequency,
        tuple(map(tuple, series[:, :half].tolist())),
        tuple(map(tuple, series[:, half:].tolist())),
        tuple(x[:, 0].tolist()),
    )
    volume = 2 * float(np.log(np.maximum(np.linalg.svd(w, compute_uv=False), 1e-300)).mean())
    trajectory = Trajectory((part,), name="excitation")
    return Excitation(trajectory, condition(w), volume, work.columns, work.used(x), reached, seconds, margin)


def trajectory_text(found: Excitation) -> str:
    """The file of an optimised motion, as `load_trajectory` reads it."""
    (series,) = found.trajectory.parts
    assert isinstance(series, Fourier)

    def rows(name: str, values: Sequence[Sequence[float]]) -> list[str]:
        return [f"      {name}:", *(f"        - [{', '.join(f'{x:.9g}' for x in row)}]" for row in values)]

    lines = [
        f"# {MADE_BY}",
        f"# condition {found.condition:.4g} for {len(found.columns)} parameters: {', '.join(found.columns)}",
        "symoro-trajectory: 1",
        f"name: {found.trajectory.name}",
        "parts:",
        "  - fourier:",
        f"      frequency: {series.frequency:.9g}",
        f"      offset: [{', '.join(f'{x:.9g}' for x in series.offset)}]",
        *rows("sine", series.sine),
        *rows("cosine", series.cosine),
    ]
    return "\n".join([*lines, ""])
