"""Motions that show the parameters of a robot well: Fourier series, optimised under limits.

    q = offset + sum_l a_l / (w l) sin(w l t) - b_l / (w l) cos(w l t)                     (Swevers et al. 1997)

    condition     min of log s1 - log sP, singular values of the regressor with columns of length one
    determinant   min of -log det(W'W) / P, the volume of the parameters' confidence region

Positions, velocities and accelerations are linear in the series; at rest at both ends, a and b lie in a plane, in which
the search goes on. Limits are kept by a penalty that grows round by round; at the end the series is drawn in until it
keeps all of them at every sample of a fine grid. Slopes are analytic: of the measure by the regressor, of that by the
motion (`models.identification.pullback`), of that by the series.

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

from symoro.errors import ArgumentError, MissingDependencyError, NotApplicableError, OptionError, ProgramError
from symoro.files import MADE_BY
from symoro.model import generate
from symoro.models.identification.pullback import regressor_pullback
from symoro.motion.trajectory import Fourier, Trajectory
from symoro.progress import each
from symoro.robot.coordinates import independent
from symoro.robot.description import JointType, Robot, scalars
from symoro.robot.formats import RobotLike, as_robot
from symoro.runtime.function import Function

Array = NDArray[np.float64]
CRITERIA = ("condition", "determinant")
WIDEST = math.pi  # half the range of a joint that turns without a limit
PENALTIES = (1.0, 30.0, 1000.0)
FINE = 20  # samples a shortest period, where limits are verified
KEPT = 1 - 1e-9


@dataclass(frozen=True)
class MotionLimits:
    """What the joints may do: lower and upper positions, velocities, accelerations, torques (inf: anything)."""

    lower: Array
    upper: Array
    velocity: Array
    acceleration: Array
    effort: Array


@dataclass(frozen=True)
class Excitation:
    """An optimised motion.

    Attributes:
        trajectory: the Fourier series.
        condition: of the regressor with columns of length one, along one period.
        determinant: log det(W'W) / P.
        columns: the parameters that it shows.
        used: the largest share of each limit that is used: position, velocity, acceleration, effort.
        starts: condition or determinant reached from each start.
    """

    trajectory: Trajectory
    condition: float
    determinant: float
    columns: tuple[str, ...]
    used: Mapping[str, float]
    starts: tuple[float, ...]
    seconds: float

    def __str__(self) -> str:
        shares = ", ".join(f"{name} {100 * share:.0f} %" for name, share in self.used.items())
        return (
            f"{len(self.columns)} parameters, condition {self.condition:.2f}, log det(W'W)/P {self.determinant:.2f}; "
            f"used of the limits: {shares}; {self.seconds:.1f} s"
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
        NotApplicableError: the robot has no parameters to be shown.
        ArgumentError: a joint has no velocity limit and none can be made up, or numbers are missing.
        OptionError: an option is not one of those above.
        ProgramError: no motion within the limits was found.
    """
    asked, began = as_robot(robot), time.perf_counter()
    if criterion not in CRITERIA:
        raise OptionError(f"criterion: expected one of {', '.join(CRITERIA)}, got '{str(criterion)[:40]}'")
    least = 2 if rest else 1  # one harmonic that starts at rest stays there
    if not (least <= harmonics <= 50 and 0 < margin <= 1 and starts >= 1 and 0 < frequency < math.inf):
        raise OptionError(
            f"expected {least} to 50 harmonics, a positive frequency, a margin in (0, 1], at least one start"
        )
    known = {**dict(asked.nominal), **(values or {})}
    limits = _limits(asked, acceleration, margin, _torque(asked, torque, known))
    count = samples or 8 * harmonics
    work = _SeriesSearch(asked, known, limits, harmonics, frequency, criterion, friction, rest, count)
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
    return work.result(best[1], tuple(reached), time.perf_counter() - began)


def _torque(robot: Robot, asked: bool | None, known: Mapping[str, float]) -> bool:
    """Whether torques are limited."""
    needed = {name for link in robot.links for name in _symbols(link)} | {
        name for frame in robot.frames for name in _symbols(frame)
    }
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
    hardest = np.broadcast_to(
        np.array(math.inf if acceleration is None else acceleration, float), (len(own),)
    )
    if not (hardest > 0).all():
        raise ArgumentError("acceleration: expected positive numbers, one or one a joint")
    return MotionLimits(
        middle - half, middle + half, np.array(fastest), margin * hardest.astype(float), np.array(efforts)
    )


class _SeriesSearch:
    """One search: x are the series in the plane of motions that start at rest."""

    def __init__(
        self,
        robot: Robot,
        known: Mapping[str, float],
        limits: MotionLimits,
        harmonics: int,
        frequency: float,
        criterion: str,
        friction: str,
        rest: bool,
        samples: int,
    ) -> None:
        model = generate(robot, "dynamic-identification", parameters="base", friction=friction)
        self.columns = tuple(model.columns)
        if not self.columns:
            raise NotApplicableError(f"robot '{robot.name}' has no parameters that a motion could show")
        needed = {name: known[name] for name in model.parameters if name in known}
        self.regressor = model.function(needed)
        self.pulled = Function(regressor_pullback(robot, "base", friction), needed, robot=robot)
        self.limits, self.criterion = limits, criterion
        self.n, self.harmonics, self.frequency = len(independent(robot)), harmonics, frequency
        self.basis = _at_rest(harmonics) if rest else np.eye(2 * harmonics)
        times = (
            (np.arange(samples) + 0.5) / samples / frequency
        )  # at the ends nothing moves, and friction has no sign
        self.few = self._linear(times)
        self.many = self._linear(np.arange(FINE * harmonics) / (FINE * harmonics) / frequency)
        self.torques = self.slopes = None
        if np.isfinite(limits.effort).any():
            self.torques = generate(robot, "inverse-dynamics").function(known)
            self.slopes = generate(robot, "inverse-dynamics-derivatives").function(known)

    def _linear(self, t: Array) -> tuple[Array, Array, Array]:
        """Position, velocity and acceleration of one joint from (offset, a, b) in the plane: (S, 1 + plane)."""
        order = 2 * np.pi * self.frequency * np.arange(1, self.harmonics + 1)
        s, c = np.sin(t[:, None] * order), np.cos(t[:, None] * order)
        zero = np.zeros((len(t), 1))
        parts = [np.hstack([s / order, -c / order]), np.hstack([c, s]), np.hstack([-s * order, c * order])]
        first = [zero + 1, zero, zero]
        q, qd, qdd = (np.hstack([one, part @ self.basis]) for one, part in zip(first, parts, strict=True))
        return q, qd, qdd

    def start(self, rng: np.random.Generator) -> Array:
        """A random motion within the limits."""
        plane = self.basis.shape[1]
        x = rng.standard_normal((self.n, 1 + plane))
        x[:, 0] = (self.limits.lower + self.limits.upper) / 2
        x[:, 0] += 0.3 * (self.limits.upper - self.limits.lower) * rng.uniform(-1, 1, self.n)
        return self.feasible(x)

    def moved(self, x: Array, linear: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        """q, qd, qdd (S, n)."""
        q, qd, qdd = (part @ x.T for part in linear)
        return q, qd, qdd

    # -- the measure

    def matrix(self, x: Array) -> Array:
        """The regressor along the motion (S n, P)."""
        q, qd, qdd = self.moved(x, self.few)
        found: Array = np.asarray(self.regressor(q=q, qd=qd, qdd=qdd)["W"])
        return found.reshape(-1, len(self.columns))

    def worth(self, x: Array) -> float:
        """The criterion: a condition number, or minus the determinant's logarithm."""
        return (
            self._measured(self.matrix(x))[0]
            if self.criterion == "determinant"
            else condition(self.matrix(x))
        )

    def _measured(self, w: Array) -> tuple[float, Array]:
        """The measure that is minimised, and its derivative by the regressor."""
        if self.criterion == "determinant":
            u, s, v = np.linalg.svd(w, full_matrices=False)
            s = np.maximum(s, 1e-14 * s[0])
            return -2 * float(np.log(s).mean()), -2 / len(s) * (u / s) @ v
        size = np.maximum(np.linalg.norm(w, axis=0), 1e-12)
        unit = w / size
        u, s, v = np.linalg.svd(unit, full_matrices=False)
        weakest = max(s[-1], 1e-14 * s[0])
        slope = np.outer(u[:, 0], v[0]) / s[0] - np.outer(u[:, -1], v[-1]) / weakest
        slope = (slope - unit * (unit * slope).sum(0)) / size
        return float(np.log(s[0] / weakest)), slope

    def objective(self, flat: Array, penalty: float) -> tuple[float, Array]:
        """Measure and penalty, with their slope."""
        x = flat.reshape(self.n, -1)
        q, qd, qdd = self.moved(x, self.few)
        value, slope = self._measured(self.matrix(x))
        pulled = self.pulled(q=q, qd=qd, qdd=qdd, Y=slope.reshape(len(q), self.n, -1))
        grown = sum(
            np.asarray(pulled[g]).T @ part for g, part in zip(("gq", "gqd", "gqdd"), self.few, strict=True)
        )
        cost, steep = self._penalty(x)
        return value + penalty * cost, (grown + penalty * steep).reshape(-1)

    # -- limits

    def _penalty(self, x: Array) -> tuple[float, Array]:
        """Squares of what passes the limits, in parts of them, and the slope."""
        q, qd, qdd = self.moved(x, self.many)
        half = (self.limits.upper - self.limits.lower) / 2
        off = (q - (self.limits.upper + self.limits.lower) / 2) / half
        pairs = [(off, self.many[0], 1 / half)]
        pairs += [
            (rate / most, linear, 1 / most)
            for rate, linear, most in (
                (qd, self.many[1], self.limits.velocity),
                (qdd, self.many[2], self.limits.acceleration),
            )
        ]
        cost, slope = 0.0, np.zeros_like(x)
        for share, linear, unit in pairs:
            over = np.sign(share) * np.maximum(np.abs(share) - 1, 0)
            cost += float((over**2).mean())
            slope += (2 / over.size * over * unit).T @ linear
        if self.torques is not None and self.slopes is not None:
            share = np.asarray(self.torques(q=q, qd=qd, qdd=qdd)["tau"]) / self.limits.effort
            over = np.sign(share) * np.maximum(np.abs(share) - 1, 0)
            cost += float((over**2).mean())
            if over.any():
                pull = 2 / over.size * over / self.limits.effort
                by = self.slopes(q=q, qd=qd, qdd=qdd)
                for name, linear in zip(("dtau_dq", "dtau_dqd", "dtau_dqdd"), self.many, strict=True):
                    slope += np.einsum("si,sij->sj", pull, np.asarray(by[name])).T @ linear
        return cost, slope

    def used(self, x: Array) -> dict[str, float]:
        """The largest share of each limit that is used."""
        q, qd, qdd = self.moved(x, self.many)
        half = (self.limits.upper - self.limits.lower) / 2
        shares = {
            "position": np.abs(q - (self.limits.upper + self.limits.lower) / 2) / half,
            "velocity": np.abs(qd) / self.limits.velocity,
            "acceleration": np.abs(qdd) / self.limits.acceleration,
        }
        if self.torques is not None:
            shares["effort"] = (
                np.abs(np.asarray(self.torques(q=q, qd=qd, qdd=qdd)["tau"])) / self.limits.effort
            )
        return {
            name: float(share.max())
            for name, share in shares.items()
            if np.isfinite(share).all() and share.any()
        }

    def feasible(self, x: Array) -> Array:
        """The motion drawn in until it keeps all limits on the fine grid: each joint's amplitude for what is linear,
        all of them together for torques."""
        x = x.copy()
        x[:, 0] = np.clip(x[:, 0], self.limits.lower, self.limits.upper)
        q, qd, qdd = self.moved(x, self.many)
        away = q - x[:, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = [
                away.max(0) / (self.limits.upper - x[:, 0]),
                -away.min(0) / (x[:, 0] - self.limits.lower),
                np.abs(qd).max(0) / self.limits.velocity,
                np.abs(qdd).max(0) / self.limits.acceleration,
            ]
        most = np.nan_to_num(np.max(shares, axis=0), nan=np.inf, posinf=np.inf)
        x[:, 1:] *= (KEPT / np.maximum(most, KEPT))[:, None]
        if self.torques is not None:
            for _ in range(200):
                if self.used(x).get("effort", 0.0) <= 1:
                    break
                x[:, 1:] *= 0.98
        return x

    # -- the search

    def searched(self, x: Array) -> Array:
        """The best motion from a start."""
        try:
            from scipy.optimize import minimize
        except ImportError:
            raise MissingDependencyError(
                "optimised motions need SciPy, which is not installed", hint="pip install scipy"
            ) from None
        flat = x.reshape(-1)
        for penalty in PENALTIES:
            found = minimize(
                self.objective, flat, args=(penalty,), jac=True, method="L-BFGS-B", options={"maxiter": 150}
            )
            flat = np.asarray(found.x)
        return flat.reshape(x.shape)

    def result(self, x: Array, reached: tuple[float, ...], seconds: float) -> Excitation:
        w = self.matrix(x)
        series = x[:, 1:] @ self.basis.T
        half = self.harmonics
        part = Fourier(
            self.frequency,
            tuple(map(tuple, series[:, :half].tolist())),
            tuple(map(tuple, series[:, half:].tolist())),
            tuple(x[:, 0].tolist()),
        )
        volume = 2 * float(np.log(np.maximum(np.linalg.svd(w, compute_uv=False), 1e-300)).mean())
        trajectory = Trajectory((part,), name="excitation")
        return Excitation(trajectory, condition(w), volume, self.columns, self.used(x), reached, seconds)


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


def condition(w: Array) -> float:
    """The condition number of a matrix with columns of length one."""
    size = np.linalg.norm(w, axis=0)
    s = np.linalg.svd(w / np.where(size > 0, size, 1), compute_uv=False)
    return float(s[0] / max(s[-1], 1e-300))


def _at_rest(harmonics: int) -> Array:
    """A basis of the (a, b) with zero velocity and acceleration at t = 0: sum of a = 0, sum of l b = 0."""
    orders = np.arange(1, harmonics + 1)
    rows = np.zeros((2, 2 * harmonics))
    rows[0, :harmonics] = 1
    rows[1, harmonics:] = orders
    _, s, v = np.linalg.svd(rows)
    found: Array = v[len(s) :].T
    return found
