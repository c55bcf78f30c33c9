"""`geometric_parameters`: the geometric parameters that measurements identify, alone or in combination.

As for base inertial parameters, an independent parameter represents a sum: itself plus dependent parameters times their
coefficients,

    dX = W dxi = W_kept (dxi_kept + sum of coefficient dxi_other)

For full poses the result is exact. For positions, distances to a point and contacts with a plane, and for robots with
coupled joints, it is computed at sampled configurations. The relations are determined from two thirds of the rows of W
and verified on the others. A gap must separate independent from dependent columns (`identification.base.fit`), and the
computation is repeated with other samples.

Exact method for full poses: a parameter moves the end effector by a twist s that is constant in a frame j of the chain,
and the pose error is the sum of Ad(0Tj(q)) s over the parameters. The components that joint j does not change are
constant in the previous frame as well,

    revolute    translation along z, rotation about z
    prismatic   translations, rotation about z
    fixed       everything

and are expressed in the previous frame. The remaining components (vx, vy, wx, wy of a revolute, wx, wy of a prismatic
joint) vary with q_j and are independent of the components of all previous frames. Parameters are therefore vectors over
the remaining components of all frames, and their dependencies follow by linear algebra over the number field of the
geometry: a chain with R revolute and P prismatic joints has at most 4 R + 2 P + 6 independent parameters (Everett
1987). A gain error is proportional to q_j, which is independent of all other parameters.

L.J. Everett, M. Driels, B.W. Mooring, "Kinematic modelling for robot calibration", ICRA 1987.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from symoro.display import OneLineRepr
from symoro.errors import ArgumentError, ProgramError
from symoro.expr.formula import formula
from symoro.models.calibration.chain import Errors, NumericChain, end_poses, error_columns, numeric_chain
from symoro.models.calibration.columns import (
    BASE,
    DISPLACEMENT,
    END,
    GeometricColumn,
    MeasuredPath,
    checked_measure,
    columns,
    path_to,
)
from symoro.models.identification.base.exact.element import ExactScalar
from symoro.models.identification.base.exact.field import Field
from symoro.models.identification.base.exact.linear import SparseVector, independent
from symoro.models.identification.base.fit import Fit, fitted, rounded_coefficient
from symoro.models.identification.base.functions import RestFrame, place
from symoro.models.identification.base.geometry import field_of, without_round_off
from symoro.models.identification.base.report import relation
from symoro.models.identification.base.result import Coefficient
from symoro.models.numeric.fixed_point import Array
from symoro.models.tolerances import FLAT_SLOPE, ON_PLANE, ROUNDED_COLUMN, WEAK_GEOMETRY
from symoro.robot.coordinates import followers
from symoro.robot.description import JointType, Robot

ExactTwist = list[ExactScalar]  # v then w
X, Y, Z = ([1, 0, 0], [0, 1, 0], [0, 0, 1])
VARYING_COMPONENTS = {JointType.REVOLUTE: (0, 1, 3, 4), JointType.PRISMATIC: (3, 4), JointType.FIXED: ()}


def vectors(path: MeasuredPath, geometry: Field, columns: Sequence[GeometricColumn]) -> list[SparseVector]:
    """Return a constant vector for each geometric parameter, from which the dependent parameters can be determined.

    A linear relation between the vectors is a relation between the effects of the parameters on the measured pose, in
    all configurations. A vector contains, for each frame, the components of the end-effector twist due to its parameter
    that vary with the position of the frame's joint (see the module's docstring).

    Args:
        path: path to the measured frame.
        geometry: number field that contains the geometric parameters exactly.
        columns: the geometric parameters, one per returned vector.
    """
    rest = {j: place(geometry, path.robot, j) for j in path.frames}
    return [_vector(path, geometry, rest, column) for column in columns]


def _vector(
    path: MeasuredPath, geometry: Field, rest: dict[int, RestFrame], column: GeometricColumn
) -> SparseVector:
    if column.kind == "k":
        return {("k", column.frame): 1}
    if column.frame == BASE:
        return _components(path, rest, 0, _unit(column.kind))
    if column.frame == END:
        return _components(path, rest, len(path.frames), _unit(column.kind))
    at = path.frames.index(int(column.frame))
    if column.kind in ("theta", "r"):
        return _components(path, rest, at + 1, [0, 0, 0, *Z] if column.kind == "theta" else [*Z, 0, 0, 0])
    return _components(path, rest, at, _before(path, geometry, int(column.frame), column.kind))


def _unit(kind: str) -> ExactTwist:
    k = DISPLACEMENT.index(kind)
    return [1 if i == k else 0 for i in range(6)]


def _before(path: MeasuredPath, geometry: Field, j: int, kind: str) -> ExactTwist:
    """Return the unit twist of the parameter gamma, b, alpha, beta or d of frame j, in its antecedent frame.

    Args:
        kind: name of the parameter without the frame number.
    """
    frame = path.robot.frame(j)
    if kind in ("gamma", "b"):
        return [0, 0, 0, *Z] if kind == "gamma" else [*Z, 0, 0, 0]
    s, c = geometry.sincos(frame.gamma)
    axis = [-s, c, 0] if kind == "beta" else [c, s, 0]
    if kind == "d":
        return [*axis, 0, 0, 0]
    return [*_cross([0, 0, geometry.of(frame.b)], axis), *axis]


def _components(
    path: MeasuredPath, rest: dict[int, RestFrame], level: int, twist: ExactTwist
) -> SparseVector:
    """Split a twist that is constant in one frame of the path into linearly independent components.

    A joint on the path to the base makes some components of the twist vary; these components are recorded for the frame
    of this joint. The other components are constant in the antecedent frame as well and are transformed to it.

    Args:
        rest: pose of each frame in its antecedent at zero joint position, by frame number.
        level: index of the frame along the path; 0 is the base.
        twist: the twist (linear, angular) in this frame.

    Returns:
        The nonzero components by (index of the frame along the path, index 0 to 5 in the twist).
    """
    vector: SparseVector = {}
    for at in range(level, 0, -1):
        j = path.frames[at - 1]
        for k in VARYING_COMPONENTS[path.robot.frame(j).sigma]:
            if twist[k]:
                vector[at, k] = twist[k]
            twist = [0 if i == k else x for i, x in enumerate(twist)]
        twist = _in_antecedent(rest[j], twist)
    vector.update({(0, k): x for k, x in enumerate(twist) if x})
    return vector


def _in_antecedent(at: RestFrame, twist: ExactTwist) -> ExactTwist:
    """Transform a twist from a frame to its antecedent frame, at zero joint position.

    Args:
        at: pose of the frame in its antecedent.
        twist: the twist (linear, angular) in the axes of the frame.
    """
    v, w = _turned(at.rotation, twist[:3]), _turned(at.rotation, twist[3:])
    return [*(a + b for a, b in zip(v, _cross(at.position, w), strict=True)), *w]


def _turned(a: list[list[ExactScalar]], v: Sequence[ExactScalar]) -> ExactTwist:
    return [sum((x * y for x, y in zip(row, v, strict=True)), 0) for row in a]


def _cross(a: Sequence[ExactScalar], b: Sequence[ExactScalar]) -> ExactTwist:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


PLANE_ROUNDS = 60


@dataclass(frozen=True, repr=False)
class GeometricParameters(OneLineRepr):
    """Identifiable geometric parameters of a robot, and the dependent parameters that are grouped with them.

    Attributes:
        names: identifiable parameters, in order.
        no_effect: parameters without an effect on the measurement.
        relations: for each identifiable parameter, the coefficients of the dependent parameters, by name.
        robot: the robot.
        measure: the measured quantity: 'pose', 'position', 'distance' or 'plane'.
        method: how the result was computed, for example 'exact'.
    """

    names: tuple[str, ...]
    no_effect: tuple[str, ...]
    relations: Mapping[str, Mapping[str, Coefficient]]
    robot: Robot
    measure: str
    method: str

    def __len__(self) -> int:
        return len(self.names)

    def report(self) -> str:
        """Return the identifiable parameters and the groupings as text, one parameter per line."""
        lines = [
            f"{self.robot.name}: {len(self)} identifiable geometric parameters, measured: {self.measure}",
            f"method: {self.method}",
            "",
            *(relation(kept, others) for kept, others in self.relations.items()),
        ]
        if self.no_effect:
            lines += ["", f"no effect: {', '.join(self.no_effect)}"]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.report()


def geometric_parameters(
    robot: Robot,
    *,
    to: int | str | None = None,
    measure: str = "pose",
    known_base: bool = False,
    known_tool: bool = False,
    gains: bool = False,
    point: Sequence[float] | None = None,
    plane: Sequence[float] | None = None,
    offset: Sequence[float] | None = None,
) -> GeometricParameters:
    """Return the geometric parameters that are identifiable from measurements of a frame.

    Args:
        robot: serial or tree robot on a fixed base.
        to: measured frame; by default the tool or the last frame.
        measure: 'pose', 'position', 'distance' (of the frame's origin to a fixed point) or 'plane' (contacts with a
            plane). If `point` or `plane` is not given, a random one is used.
        known_base, known_tool: whether frame 0 and the tool frame are at their nominal poses.
        gains: whether gain errors of the joint sensors are included.
        point: reference point of distances in the world (m); on a joint axis fewer parameters are identifiable.
        plane: nx, ny, nz, d of the plane n.p = d, in the world (d in m).
        offset: position of the measured point in the frame (m); off a joint axis more parameters are identifiable.

    Returns:
        The identifiable parameters, and the coefficients with which the dependent parameters are grouped with them.

    Raises:
        NotApplicableError: the robot has closed loops, flexible links or a moving base, or no joint moves the frame.
        OptionError: `measure` is not one of the four quantities.
        ArgumentError: a symbol of the geometry has no value and the computation is numeric, or point or plane are
            invalid.
        ProgramError: the samples leave no gap between dependent and independent parameters.
    """
    checked_measure(measure)
    target = _target(measure, point, plane)
    rounded, _ = without_round_off(robot)
    path = path_to(rounded, to)
    wanted = columns(path, known_base=known_base, known_tool=known_tool, gains=gains)
    if measure == "pose" and not followers(path.robot).keys() & set(path.frames):
        return _exact(robot, path, wanted)
    away = np.zeros(3) if offset is None else _numbers("offset", offset, 3)
    errors = dict(zip((kind + END for kind in DISPLACEMENT), map(float, away), strict=False))
    return _sampled(robot, path, wanted, measure, target, errors)


def checked_point(values: Sequence[float]) -> Array:
    """Check three coordinates of a point in the world (m) and return them as an array (3,).

    Raises:
        ArgumentError: the values are not three finite numbers.
    """
    return _numbers("point", values, 3)


def checked_plane(values: Sequence[float]) -> Array:
    """Check the plane n.p = d and return (nx, ny, nz, d), scaled to a unit normal.

    Args:
        values: nx, ny, nz, d in the world; the normal may have any length.

    Raises:
        ArgumentError: the values are not four finite numbers, or the normal is zero.
    """
    numbers = _numbers("plane", values, 4)
    size = float(np.linalg.norm(numbers[:3]))
    if size == 0:
        raise ArgumentError("plane: the normal (nx, ny, nz) is zero")
    scaled: Array = numbers / size
    return scaled


def _numbers(what: str, values: Sequence[float], size: int) -> Array:
    try:
        numbers = np.array(values, dtype=float)
    except (TypeError, ValueError):  # strings, or lists of different lengths
        numbers = np.zeros(0)
    if numbers.shape != (size,) or not np.isfinite(numbers).all():
        raise ArgumentError(f"{what}: expected {size} numbers, got {values!r}"[:200])
    return numbers


@dataclass(frozen=True)
class _Target:
    """Reference of distance or plane measurements.

    Attributes:
        point: (3,) reference point of the distances, or a point of the plane, in the world.
        normal: (3,) unit normal of the plane; zero for distances to a given point.
    """

    point: Array
    normal: Array


def _target(measure: str, point: Sequence[float] | None, plane: Sequence[float] | None) -> _Target | None:
    """Return the given reference point or plane of a measurement; None if there is none."""
    if measure == "distance" and point is not None:
        return _Target(checked_point(point), np.zeros(3))
    if measure == "plane" and plane is not None:
        coefficients = checked_plane(plane)
        return _Target(coefficients[3] * coefficients[:3], coefficients[:3])
    return None


def _exact(robot: Robot, path: MeasuredPath, wanted: Sequence[GeometricColumn]) -> GeometricParameters:
    geometry = field_of(path.robot)
    elimination = independent(vectors(path, geometry, wanted))
    names = [column.name for column in wanted]
    texts = {
        n: {p: geometry.formula(c).text for p, c in parts.items()}
        for n, parts in elimination.relations.items()
    }
    return _parameters(robot, names, elimination.pivots, texts, "pose", "exact")


def _parameters(
    robot: Robot,
    names: Sequence[str],
    kept: Sequence[int],
    dropped: Mapping[int, Mapping[int, str]],
    measure: str,
    method: str,
) -> GeometricParameters:
    """Assemble the result from the independent parameters and the relations of the dependent ones.

    Args:
        names: names of all parameters.
        kept: indices of the independent parameters in `names`.
        dropped: for each index of a dependent parameter, its coefficients by index of an independent parameter.
        measure: the measured quantity.
        method: how the result was computed.
    """
    relations: dict[str, dict[str, Coefficient]] = {names[k]: {} for k in kept}
    for n, parts in dropped.items():
        for k, text in parts.items():
            relations[names[k]][names[n]] = Coefficient(text)
    idle = tuple(names[n] for n, parts in dropped.items() if not parts)
    return GeometricParameters(tuple(relations), idle, relations, robot, measure, method)


# -- sampled configurations


def _sampled(
    robot: Robot,
    path: MeasuredPath,
    wanted: Sequence[GeometricColumn],
    measure: str,
    target: _Target | None,
    errors: Errors,
) -> GeometricParameters:
    chain = numeric_chain(path)
    first, second = (_fit(chain, wanted, measure, target, errors, seed) for seed in (0, 1))
    for fit in (first, second):
        if not fit.clear or fit.smallest < WEAK_GEOMETRY or fit.kept != first.kept:
            raise ProgramError(
                f"the sampled configurations of robot '{robot.name}' do not show which parameters are "
                f"independent: the norms of independent columns (at least {fit.smallest:.1e}) and of "
                f"dependent columns (at most {fit.largest:.1e}) leave no gap",
                hint="replace lengths and angles that are almost equal (or almost zero) by equal (or zero) ones, "
                "and move a measured point that is almost on a joint axis onto the axis or away from it",
            )
    names = [column.name for column in wanted]
    units = _units(chain, wanted)
    texts = {
        n: {p: formula(rounded_coefficient(c, units[p] / units[n])).text for p, c in parts.items()}
        for n, parts in first.relations.items()
    }
    gap = f"weakest kept column {first.smallest:.1e}, strongest dropped column {first.largest:.1e}"
    return _parameters(robot, names, first.kept, texts, measure, f"numeric, at nominal values; {gap}")


def _fit(
    chain: NumericChain,
    wanted: Sequence[GeometricColumn],
    measure: str,
    target: _Target | None,
    errors: Errors,
    seed: int,
) -> Fit:
    rng = np.random.default_rng(seed)
    count = 6 * len(wanted) + 60
    q = rng.uniform(-2.5, 2.5, (count, len(chain.coordinates))) * chain.units
    at = target or _generic_target(chain, rng)
    point, normal = at.point, at.normal
    if measure == "plane":
        q = on_plane(chain, q, normal, point, errors)
    pose, moved = error_columns(chain, q, errors, wanted)
    moved[:, :3] /= (
        chain.length
    )  # lengths in units of the robot's length, so that rows and columns are comparable
    moved *= _units(chain, wanted)
    rows = measured_rows(measure, pose, moved, point, normal)
    flat = rows.reshape(-1, len(wanted))
    return fitted(flat, np.zeros((len(flat), 0)), ROUNDED_COLUMN)


def _units(chain: NumericChain, wanted: Sequence[GeometricColumn]) -> Array:
    """Return the unit of each geometric parameter in `wanted`: the robot's length for lengths, otherwise 1."""
    return np.array([chain.length if column.is_length else 1.0 for column in wanted])


def _generic_target(chain: NumericChain, rng: np.random.Generator) -> _Target:
    """Return a random point that the end effector can reach, and a random plane through this point."""
    (pose,) = end_poses(chain, rng.uniform(-2, 2, (1, len(chain.coordinates))) * chain.units, {})
    normal = rng.standard_normal(3)
    return _Target(pose[:3, 3], normal / np.linalg.norm(normal))


def measured_rows(measure: str, pose: Array, moved: Array, point: Array, normal: Array) -> Array:
    """Project the twists of the end effector on the measured components, which gives the rows of the regressor.

    Args:
        measure: measured quantity, 'pose', 'position', 'distance' or 'plane'.
        pose: (S, 4, 4) poses of the end effector in the world.
        moved: (S, 6, P) twists of the end effector per unit of each of P parameters.
        point: (3,) reference point of distances.
        normal: (3,) unit normal of the plane.

    Returns:
        The regressor (S, m, P) with m = 6 (pose), 3 (position) or 1 (distance, plane).
    """
    if measure == "pose":
        return moved
    if measure == "position":
        return moved[:, :3]
    if measure == "plane":
        rows: Array = np.einsum("k,skp->sp", normal, moved[:, :3])[:, None]
        return rows
    away = pose[:, :3, 3] - point
    away = away / np.linalg.norm(away, axis=1)[:, None]
    along: Array = np.einsum("sk,skp->sp", away, moved[:, :3])[:, None]
    return along


def on_plane(
    chain: NumericChain, q: Array, normal: Array, point: Array, errors: Errors | None = None
) -> Array:
    """Move configurations by Newton's method until the end effector is on a plane.

    Args:
        q: (S, n) initial configurations.
        normal, point: unit normal and a point of the plane, in the world.
        errors: errors of the geometric parameters, by name.

    Returns:
        The configurations that reach the plane; configurations that do not are omitted.

    Raises:
        ProgramError: fewer than a third of the configurations reach the plane.
    """
    drives, length, units = _drives(chain), chain.length, chain.units
    for _ in range(PLANE_ROUNDS):
        pose, moved = error_columns(chain, q, errors or {}, [column for column, _ in drives])
        slopes = np.einsum("k,skp->sp", normal, moved[:, :3]) @ np.array([ratios for _, ratios in drives])
        miss = (pose[:, :3, 3] - point) @ normal / length
        slopes = slopes * units / length  # steepest descent in radians and robot lengths
        size = (slopes**2).sum(1)
        size = size + FLAT_SLOPE * size.max()
        q = q - np.clip(miss / size, -0.5, 0.5)[:, None] * slopes * units
    pose, _ = error_columns(chain, q, errors or {}, [])
    there = np.abs((pose[:, :3, 3] - point) @ normal) < ON_PLANE * length
    if there.sum() < len(q) // 3:
        raise ProgramError("too few sampled configurations reach the plane")
    return q[there]


def _drives(chain: NumericChain) -> list[tuple[GeometricColumn, Array]]:
    """Return, for each moving joint of the chain, the geometric parameter that moves the chain like the joint.

    Returns:
        Pairs of this parameter (theta of a revolute, r of a prismatic joint) and the derivatives (n,) of the joint
        position with respect to the coordinates.
    """
    kinds = {JointType.REVOLUTE: "theta", JointType.PRISMATIC: "r"}
    return [(GeometricColumn(kinds[f.sigma], str(f.j)), f.ratios) for f in chain.frames if f.sigma in kinds]
