"""Optimal postures for a geometric calibration: the set that maximises an observability index.

W is the derivative of all measurements with respect to the P identifiable parameters (`models.calibration`), lengths
divided by the robot's characteristic length L, and rows weighted by the noise: rows of lengths with 1 / L, rows of
angles with (s_length / L) / s_angle. With its singular values s_1 .. s_P at N postures,

    O1 = (s_1 s_2 ... s_P)^(1/P) / sqrt(N)                                                          (Borm and Menq)

Maximising O1 is maximising det(W'W), which minimises the volume of the confidence region; the set does not depend on
the units of the parameters. Random candidates within the limits are exchanged with selected postures as long as the
determinant grows (Fedorov), from several random initial sets. The best set is improved by small changes of its
postures.

    det(M + w'w) = det(M) det(I + w M^-1 w')                  w: rows of one posture, M: information of the others

J.H. Borm, C.H. Menq, "Determination of optimal measurement configurations for robot calibration based on observability
measure", International Journal of Robotics Research 10, 1991. Y. Sun, J.M. Hollerbach, "Observability index selection
for robot calibration", ICRA 2008. V.V. Fedorov, "Theory of optimal experiments", 1972.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.display import OneLineRepr
from symoro.errors import ArgumentError, ProgramError
from symoro.identification.collision import Clearance, requested_clearance
from symoro.identification.geometric import checked_noise
from symoro.identification.geometric_fit import condition
from symoro.identification.options import PostureOptions
from symoro.identification.series_search import MotionLimits, motion_limits
from symoro.identification.tolerances import (
    DRAWS_PER_CANDIDATE,
    EXCHANGE_GAIN,
    POSTURE_CHANGES,
    POSTURE_STEPS,
    RANDOM_SETS,
    ROUND_OFF,
    SINGULAR_INFORMATION,
    WEAKEST_SHARE,
)
from symoro.models.calibration.chain import NumericChain, end_poses, error_columns, numeric_chain
from symoro.models.calibration.columns import GeometricColumn, columns, path_to
from symoro.models.calibration.identifiable import (
    checked_plane,
    checked_point,
    geometric_parameters,
    measured_rows,
    on_plane,
)
from symoro.models.numeric.fixed_point import Array
from symoro.progress import each
from symoro.robot.description import JointType, Robot
from symoro.robot.formats import RobotLike, as_robot
from symoro.tables import table_text
from symoro.threads import one_thread

DEFAULT_NOISE = {"length": 1e-4, "angle": 1e-4}  # m and rad: a laser tracker


@dataclass(frozen=True, repr=False)
class PostureDesign(OneLineRepr):
    """Result of `optimal_postures`: the postures and the accuracy that a calibration with them has.

    Attributes:
        postures: coordinates of the selected postures (N, n), in radians and metres.
        names: the identifiable geometric parameters.
        deviations: expected standard deviations of their errors for the given noise (rad, m).
        index: observability index O1.
        random_median, random_best: median and largest O1 of 200 random sets of as many candidates.
        condition: condition number of W with columns of unit norm.
        measure: the measured quantity.
        noise: standard deviations of the measurements, {'length': metres, 'angle': radians}.
        robot: the robot.
        smallest: smallest distance between two links (m) and the names of these links; None if collisions are not
            avoided.
        notes: remarks on the shapes of the links, and on pairs of links that are not checked.
        seconds: duration of the search.
    """

    postures: Array
    names: tuple[str, ...]
    deviations: Array
    index: float
    random_median: float
    random_best: float
    condition: float
    measure: str
    noise: Mapping[str, float]
    robot: Robot
    smallest: tuple[float, str] | None = None
    notes: tuple[str, ...] = ()
    seconds: float = field(default=0.0, compare=False)

    def __str__(self) -> str:
        noise = f"{self.noise['length']:.3g} m" + (
            f", {self.noise['angle']:.3g} rad" if self.measure == "pose" else ""
        )
        lines = [
            f"{self.robot.name}: {len(self.postures)} postures for {len(self.names)} geometric parameters, "
            f"measured: {self.measure}; condition {self.condition:.3g}; {self.seconds:.1f} s",
            f"observability index O1 {self.index:.4g}; of {RANDOM_SETS} random sets: median "
            f"{self.random_median:.4g}, best {self.random_best:.4g}",
            "",
            f"{'parameter':>10}  expected deviation for a noise of {noise}",
            *(f"{name:>10}  {x:.3g}" for name, x in zip(self.names, self.deviations, strict=True)),
        ]
        if self.smallest:
            lines += ["", f"smallest distance: {self.smallest[0]:.4g} m between {self.smallest[1]}"]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    def table(self, *, degrees: bool = False) -> str:
        """Return the postures as CSV with the columns q1 .. qn; append the measured columns for `read_measurements`.

        Args:
            degrees: whether positions of revolute joints are in degrees.
        """
        from symoro.robot.coordinates import independent

        joints = independent(self.robot)
        turns = [degrees and self.robot.frame(j).sigma == JointType.REVOLUTE for j in joints]
        q = np.where(turns, np.degrees(self.postures), self.postures)
        return table_text({f"q{j}": column for j, column in zip(joints, q.T, strict=True)})


@one_thread
def optimal_postures(
    robot: RobotLike,
    count: int = 30,
    *,
    measure: str = "pose",
    to: int | str | None = None,
    known_base: bool = False,
    known_tool: bool = False,
    noise: Mapping[str, float] | None = None,
    options: PostureOptions | None = None,
) -> PostureDesign:
    """Select postures from whose measurements `calibrate` estimates the geometric parameters most accurately.

        design = symoro.optimal_postures("rx90", 30, measure="position")
        design.postures, design.deviations

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file; a tree on a fixed base.
        count: number of postures.
        measure: 'pose', 'position', 'distance' or 'plane', as in `calibrate`.
        to: number or name of the measured frame; by default the tool or the last link's frame.
        known_base, known_tool: whether frame 0, or the tool frame, is kept at its nominal pose.
        noise: standard deviations of the measurements, {'length': metres, 'angle': radians}; 1e-4 by default.
        options: sensor gains, reference point and plane, region, collisions, search (`PostureOptions`).

    Raises:
        NotApplicableError: the robot has closed loops, flexible links or a moving base.
        ArgumentError: too few postures for the parameters, a joint without position limits, or a wrong argument.
        ProgramError: too few random postures satisfy the limits, the region, the plane and the clearance; or the
            postures do not determine all parameters.
    """
    chosen, described, began = options or PostureOptions(), as_robot(robot), time.perf_counter()
    checked_noise(noise)
    given = {**DEFAULT_NOISE, **(noise or {})}
    task = _task(described, measure, to, known_base, known_tool, given, chosen)
    parameters, rng = len(task.chosen), np.random.default_rng(chosen.seed)
    rows = {"pose": 6, "position": 3}.get(measure, 1)
    if not count * rows > parameters:
        raise ArgumentError(
            f"{count} postures give {max(count, 0) * rows} equations for {parameters} parameters",
            hint=f"select at least {parameters // rows + 1} postures, or keep the base or the tool at its nominal "
            "pose",
        )
    pool = task.candidates(max(chosen.candidates, count), count, rng)
    blocks = task.rows(pool)
    random_sets = [rng.permutation(len(pool))[:count] for _ in range(RANDOM_SETS)]
    indices = np.array([task.index(blocks[one]) for one in random_sets])
    starts = [random_sets[k] for k in range(min(chosen.starts - 1, RANDOM_SETS))]
    starts.append(random_sets[int(indices.argmax())])
    selections = [exchange(blocks, start) for start in each(starts, "starts")]
    best = max(selections, key=lambda one: task.index(blocks[one]))
    postures = pool[best]
    if chosen.refine:
        postures = task.refined(postures, rng)
    w = task.rows(postures)
    ratio, weakest = condition(w.reshape(-1, parameters))
    if ratio * ROUND_OFF > 1:
        hidden = [c.name for c, x in zip(task.chosen, np.abs(weakest), strict=True) if x > WEAKEST_SHARE]
        raise ProgramError(
            f"no postures within the limits determine {', '.join(hidden)}: condition number {ratio:.1e}",
            hint="widen the limits or the region, select more postures, or keep the base or the tool at its nominal "
            "pose",
        )
    information = np.einsum("srp,srq->pq", w, w)
    deviations = np.sqrt(np.diag(np.linalg.inv(information))) * task.units
    return PostureDesign(
        postures,
        tuple(column.name for column in task.chosen),
        deviations,
        task.index(w),
        float(np.median(indices)),
        float(indices.max()),
        ratio,
        measure,
        given,
        described,
        task.clearance.closest(postures) if task.clearance else None,
        tuple(task.clearance.notes()) if task.clearance else (),
        time.perf_counter() - began,
    )


@dataclass(frozen=True, eq=False)
class _Task:
    """Calibration for which postures are selected.

    Attributes:
        chain: kinematic chain to the measured frame.
        chosen: the identifiable parameters.
        measure: the measured quantity.
        point, plane: reference of distances; nx, ny, nz, d of the touched plane.
        noise: standard deviations of lengths (m) and angles (rad).
        limits: position limits of the joints.
        region: bounds of the measured point (3, 2), or None.
        clearance: required distances between the links, or None.
    """

    chain: NumericChain
    chosen: tuple[GeometricColumn, ...]
    measure: str
    point: Array
    plane: Array
    noise: Mapping[str, float]
    limits: MotionLimits
    region: Array | None
    clearance: Clearance | None

    @property
    def units(self) -> Array:
        """Unit of each parameter: the characteristic length for lengths, otherwise 1."""
        return np.array([self.chain.length if column.is_length else 1.0 for column in self.chosen])

    def rows(self, q: Array) -> Array:
        """Return the derivatives (S, r, P) of the measurements, divided by the noise, per unit of the parameters."""
        pose, moved = error_columns(self.chain, q, {}, self.chosen)
        rows = measured_rows(self.measure, pose, moved, self.point, self.plane[:3]) * self.units
        weights = np.full(rows.shape[1], 1 / self.noise["length"])
        if self.measure == "pose":
            weights[3:] = 1 / self.noise["angle"]
        return np.asarray(rows * weights[:, None])

    def index(self, blocks: Array) -> float:
        """Return the observability index O1 of postures with the rows `blocks` (N, r, P)."""
        s = np.linalg.svd(blocks.reshape(-1, blocks.shape[2]), compute_uv=False)
        if not s[-1] > 0:
            return 0.0
        scale = self.noise["length"] / self.chain.length  # lengths in units of the robot instead of the noise
        return float(scale * np.exp(np.log(s).mean()) / np.sqrt(len(blocks)))

    def allowed(self, q: Array) -> Array:
        """Return which of the postures (S, n) satisfy the limits, the region, the plane and the clearance (S,)."""
        joints = q @ self.limits.ratios.T + self.limits.offsets
        slack = ROUND_OFF * (self.limits.upper - self.limits.lower)
        low, high = self.limits.lower - slack, self.limits.upper + slack
        fits = np.asarray(((joints >= low) & (joints <= high)).all(axis=1))
        if self.region is not None:
            place = end_poses(self.chain, q, {})[:, :3, 3]
            fits &= ((place >= self.region[:, 0]) & (place <= self.region[:, 1])).all(1)
        if self.clearance is not None and fits.any():
            fits[fits] = self.clearance.holds(q[fits])
        return np.asarray(fits)

    def reached(self, q: Array) -> Array:
        """Return the postures, moved until the measured point is on the plane if contacts are measured."""
        if self.measure != "plane":
            return q
        return on_plane(self.chain, q, self.plane[:3], self.plane[3] * self.plane[:3])

    def candidates(self, wanted: int, least: int, rng: np.random.Generator) -> Array:
        """Return random postures (S, n) that satisfy all restrictions.

        Args:
            wanted: number of postures to return.
            least: number below which there are too few.
            rng: random numbers.

        Raises:
            ProgramError: there are too few such postures.
        """
        low, high = (x[self.limits.own_rows] for x in (self.limits.lower, self.limits.upper))
        kept: list[Array] = []
        drawn = 0
        while sum(map(len, kept)) < wanted and drawn < DRAWS_PER_CANDIDATE * wanted:
            q = self.reached(rng.uniform(low, high, (wanted, len(low))))
            drawn += wanted
            kept.append(q[self.allowed(q)])
        pool = np.concatenate(kept)[:wanted]
        if len(pool) < least:
            kinds = {"the region": self.region, "the clearance of the links": self.clearance}
            others = "".join(f", {name}" for name, given in kinds.items() if given is not None)
            plane = ", the plane" if self.measure == "plane" else ""
            raise ProgramError(
                f"{len(pool)} of {drawn} random postures satisfy the joint limits{others}{plane}, fewer than the "
                f"{least} postures to select",
                hint="widen the restrictions, or select fewer postures",
            )
        return pool

    def refined(self, postures: Array, rng: np.random.Generator) -> Array:
        """Return the postures, exchanged with randomly changed ones of decreasing distance."""
        q, (low, high) = postures, (x[self.limits.own_rows] for x in (self.limits.lower, self.limits.upper))
        for step in POSTURE_STEPS:
            changes = step * (high - low) / 2 * rng.uniform(-1, 1, (POSTURE_CHANGES, *q.shape))
            near = self.reached(np.clip(q + changes, low, high).reshape(-1, len(low)))
            pool = np.concatenate([q, near[self.allowed(near)]])
            q = pool[exchange(self.rows(pool), np.arange(len(q)))]
        return q


def _task(
    robot: Robot,
    measure: str,
    to: int | str | None,
    known_base: bool,
    known_tool: bool,
    noise: Mapping[str, float],
    options: PostureOptions,
) -> _Task:
    known: dict[str, Any] = {"known_base": known_base, "known_tool": known_tool, "gains": options.gains}
    point, plane = checked_point(options.point), checked_plane(options.plane)
    names = geometric_parameters(
        robot, to=to, measure=measure, point=list(point), plane=list(plane), **known
    ).names
    path = path_to(robot, to)
    chain = numeric_chain(path)
    limits = motion_limits(robot, None, options.margin, False, dict(robot.nominal))
    return _Task(
        chain,
        tuple(column for column in columns(path, **known) if column.name in names),
        measure,
        point,
        plane,
        noise,
        limits,
        None if options.region is None else np.array(options.region, dtype=float).reshape(3, 2),
        requested_clearance(robot, options.collision, limits.centre),
    )


def exchange(blocks: Array, start: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the indices of a selection from which no exchange with another candidate increases the determinant.

    Args:
        blocks: rows of all candidates (S, r, P).
        start: indices of the initial selection (N,).
    """
    selected = np.array(start)
    improved = True
    while improved:
        improved = False
        for k in range(len(selected)):
            others = np.delete(selected, k)
            gains = _gains(blocks[others], blocks)
            gains[others] = -np.inf  # every posture is selected once
            best = int(gains.argmax())
            if gains[best] > gains[selected[k]] + EXCHANGE_GAIN:
                selected[k], improved = best, True
    return selected


def _gains(others: Array, blocks: Array) -> Array:
    """Return log det(I + w M^-1 w') of each block w of rows, where M is the information of other postures (S,)."""
    m = np.einsum("srp,srq->pq", others, others)
    m += SINGULAR_INFORMATION * np.trace(m) / len(m) * np.eye(len(m))
    inner = blocks @ np.linalg.inv(m) @ blocks.transpose(0, 2, 1)
    return np.asarray(np.linalg.slogdet(np.eye(blocks.shape[1]) + inner)[1])
