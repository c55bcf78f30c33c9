"""Twist of a platform as coordinates; it determines the joint rates of the legs, q' = G V.

V has six entries; for a planar or translating platform only some of them can differ from zero. A leg with five joints
constrains V. A planar leg with a ball joint keeps the joint's centre C in its plane with the normal n,
n . (v + w x rho) = 0, rho from the platform's origin to C. A leg U P U prevents a rotation, (z4 x z5) . w = 0. Active
joints and constraints determine the twist:

    [ G_a ] V = [ q'_a ]        V = J q'_a        G_a: rows of G of the active joints, C: rows of the constraints
    [  C  ]     [  0   ]

The axes of the ball joint are z4, z5, z6 with z5 perpendicular to both others, m = |z4 x z6|. An angular velocity w of
the platform with respect to the arm gives the rates (w.z4 - c w.z6) / m^2, w.z5, (w.z6 - c w.z4) / m^2, c = z4.z6.

A platform with planar legs and ball joints (3-RPS, 3-PRS) has parasitic motions: its pose, V and Vd have six entries,
of which three can be chosen. Poses and motions that violate the constraints give NaN.

W. Khalil, O. Ibrahim, "General solution for the dynamic modeling of parallel robots", Journal of Intelligent and
Robotic Systems 49, 2007; K. M. Lee, D. K. Shah, "Kinematic analysis of a three-degrees-of-freedom in-parallel actuated
manipulator", IEEE Journal of Robotics and Automation 4(3), 1988.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from symoro.errors import NotApplicableError
from symoro.expr.derivatives import forward
from symoro.expr.linalg import (
    Matrix,
    Vector,
    add,
    cross,
    dot,
    identity,
    matmul,
    matvec,
    scale,
    subtract,
    transpose,
)
from symoro.expr.scalar import Expr, Scalar, absolute, less, maximum, select, symbol, wrap
from symoro.models.coordinates.blocks import Block, Coordinate, Values, joint
from symoro.models.coordinates.provider import Actuation, ConstraintProvider
from symoro.models.geometric.fixed_placements import is_roundoff
from symoro.models.platform.leg import Leg, P, R
from symoro.models.platform.pose import PlatformMotion, PlatformPose
from symoro.models.platform.posture import Posture, posture_of
from symoro.models.solvers import solve_pivoted
from symoro.models.tolerances import LEG_DEVIATION, ZERO_SQUARE
from symoro.program.builder import Builder
from symoro.robot.platform import ParallelRobot, motors
from symoro.robot.topology import moving_joints

PLANAR = (0, 1, 5)
TRANSLATION = (0, 1, 2)
SPATIAL = (0, 1, 2, 3, 4, 5)
TWIST = tuple(Coordinate(Block.PLATFORM, 0, k) for k in range(1, 7))
"""The six coordinates of a platform (linear; angular)."""


def require(builder: Builder, conditions: Sequence[Scalar]) -> None:
    """Make all outputs of the program NaN unless every condition equals 1.

    Args:
        conditions: expressions that are 1 where the outputs are valid and 0 elsewhere.
    """
    regular: Scalar = 1
    for condition in conditions:
        regular = select(condition, regular, 0)
    builder.void_where(select(regular, 0, 1))


def twist_of(values: Values) -> Vector:
    """Return the six entries of a twist or wrench from their values by coordinate; missing entries are zero."""
    return [values.get(c, 0) for c in TWIST]


def motion_of(nu: Values, nud: Values) -> PlatformMotion:
    """Return the motion of a platform from the velocities nu and accelerations nud of its coordinates."""
    v, vd = twist_of(nu), twist_of(nud)
    return PlatformMotion(v[:3], v[3:], vd[:3], vd[3:])


@dataclass(frozen=True)
class PlatformActuation(Actuation):
    """Relation between the drive velocities q'_a and the twist V of a platform: q'_a = G_a V, C V = 0.

    Attributes:
        constraints: the matrix C of the constraints that the legs impose on V, one row per constraint.
        row_factors, units: factors of the rows of [G_a; C] and units of its columns, which make entries comparable.
    """

    builder: Builder = field(kw_only=True)
    constraints: Matrix = field(kw_only=True, default_factory=list)
    row_factors: Sequence[Scalar] | None = field(kw_only=True, default=None)
    units: Sequence[Scalar] | None = field(kw_only=True, default=None)

    @property
    def _rows(self) -> Matrix:
        assert self.matrix is not None
        return [*self.matrix, *self.constraints]

    def torques(self, forces: Sequence[Scalar]) -> Vector:
        """Return the drive torques that produce given forces on the platform; NaN at singularities of type 2.

        They are tau in G_a' tau + C' multipliers = forces, with the drive velocities G_a V and the constraints C V = 0.
        """
        solution = solve_pivoted(
            transpose(self._rows), [forces], row_factors=self.units, column_factors=self.row_factors
        )
        require(self.builder, [solution.regular])
        return solution.columns[0][: len(self.drives)]

    def jacobian(self) -> Matrix:
        """Return the Jacobian from drive velocities to the platform's twist, shape (coordinates, drives).

        It is NaN at singularities of type 2.
        """
        right = identity(len(self._rows))[: len(self.drives)]
        solution = solve_pivoted(self._rows, right, row_factors=self.row_factors, column_factors=self.units)
        require(self.builder, [solution.regular])
        return transpose(solution.columns)


class TwistCoordinates(ConstraintProvider):
    """Coordinates of a platform: its twist, or the entries of the twist that can differ from zero.

    Attributes:
        pose: pose of the platform.
        postures: configurations of its legs.
        is_constrained: whether the legs impose linear constraints on the twist.
    """

    is_identity = is_constant = False
    builder: Builder
    pose: PlatformPose
    is_constrained: bool

    @property
    @abstractmethod
    def actuation(self) -> PlatformActuation: ...

    @abstractmethod
    def joint_positions(self) -> tuple[dict[int, Scalar], list[Scalar]]:
        """Return the joint positions including cut joints, and conditions that equal 1 where these positions exist."""

    @abstractmethod
    def regular(self) -> list[Scalar]:
        """Return conditions that equal 1 where the twist determines the joint rates (no singularity of type 1)."""

    @abstractmethod
    def allows_velocity(self, nu: Values) -> list[Scalar]:
        """Return conditions that equal 1 where the velocity nu of the platform satisfies the legs' constraints."""

    def tangents(self) -> dict[Coordinate, dict[str, Scalar]]:
        """Return, per coordinate, the time derivatives of the entries of the pose T at unit rate of the coordinate.

        These derivatives are P' = v and R' = w x R, with the position P and rotation R of the platform.
        """
        tangents: dict[Coordinate, dict[str, Scalar]] = {}
        for c in self.own:
            if c.k <= 3:
                tangents[c] = {f"T{c.k}4": 1}
            else:
                axis = identity(3)[c.k - 4]
                columns = [cross(axis, column) for column in transpose(self.pose.rotation)]
                tangents[c] = {f"T{r}{k}": columns[k - 1][r - 1] for r in (1, 2, 3) for k in (1, 2, 3)}
        return tangents

    def matrix_rate(self, nu: Values) -> Matrix:
        graph, width = self.builder.graph, len(self.own)
        rates: dict[str, Scalar] = {}
        for c, tangent in self.tangents().items():
            for name, x in tangent.items():
                rates[name] = rates.get(name, 0) + x * nu[c]
        seeds = {symbol(graph, name).lit >> 1: wrap(graph, x).lit for name, x in rates.items()}
        entries = [wrap(graph, x).lit for row in self.matrix() for x in row]
        slopes = [Expr(graph, lit) for lit in forward(graph, entries, seeds)]
        return [list(slopes[k : k + width]) for k in range(0, len(slopes), width)]


class PlatformCoordinates(TwistCoordinates):
    """Coordinates of a platform with legs: the entries of its twist that determine the joint rates of the legs.

    Args:
        modes: working mode of each leg, 1 or 2.
        end_joints: whether the rates of the ball and universal joints at the platform are computed too.

    Attributes:
        freedoms: indices of the entries of the twist that can differ from zero; the other entries are ignored.
        length: a characteristic length of the robot, from its parameters.
    """

    def __init__(
        self,
        builder: Builder,
        parallel: ParallelRobot,
        legs: Sequence[Leg],
        pose: PlatformPose,
        modes: Sequence[int],
        *,
        end_joints: bool = True,
    ) -> None:
        self.builder, self.parallel, self.pose, self.end_joints = builder, parallel, pose, end_joints
        robot = parallel.robot
        self.freedoms, self._on_parameters = _freedoms(legs)
        self.active = motors(robot)
        count = len(self.freedoms) - sum(leg.is_constrained for leg in legs)
        if len(self.active) != count:
            raise NotApplicableError(
                f"the platform has {count} degrees of freedom and {len(self.active)} active joints "
                f"({', '.join(map(str, self.active))})",
                hint=f"set mu = 1 for exactly {count} joints",
            )
        self.length = builder.number(_sum([leg.length() for leg in legs]))
        self.postures = [
            posture_of(builder, robot, leg, pose, mode) for leg, mode in zip(legs, modes, strict=True)
        ]
        arms = sorted(j for leg in legs for j in leg.arm)
        self.tree = tuple(map(joint, moving_joints(robot) if end_joints else arms))
        self.own = tuple(TWIST[k] for k in self.freedoms)
        self.is_constrained = any(leg.is_constrained for leg in legs)

    # -- positions

    def joint_positions(self) -> tuple[dict[int, Scalar], list[Scalar]]:
        positions = {j: x for at in self.postures for j, x in at.positions.items()}
        return positions, [x for at in self.postures for x in at.conditions]

    @cached_property
    def positions(self) -> dict[int, Scalar]:  # type: ignore[override]
        positions = self.joint_positions()[0]
        return {c.j: self.builder.named(f"q{c.j}", positions[c.j]) for c in self.tree}

    # -- rates

    @cached_property
    def legs(self) -> list[LegMotion]:
        return [LegMotion(at, self.pose, self.freedoms, self.length, self.end_joints) for at in self.postures]

    def regular(self) -> list[Scalar]:
        return [*self._on_parameters, *(x for leg in self.legs for x in leg.conditions)]

    @cached_property
    def _rows(self) -> dict[int, Vector]:
        return {j: row for leg in self.legs for j, row in leg.rows().items()}

    def matrix(self) -> Matrix:
        return [self._rows[c.j] for c in self.tree]

    def rates(self, nu: Values) -> dict[Coordinate, Scalar]:
        return self._motion(nu, {})[0]

    def accelerations(self, nud: Values, nu: Values) -> dict[Coordinate, Scalar]:
        return self._motion(nu, nud)[1]

    def _motion(self, nu: Values, nud: Values) -> tuple[dict[Coordinate, Scalar], dict[Coordinate, Scalar]]:
        motion = motion_of(nu, nud)
        rates: dict[int, Scalar] = {}
        accelerations: dict[int, Scalar] = {}
        for leg in self.legs:
            of_leg = leg.motion(motion)
            rates |= of_leg[0]
            accelerations |= of_leg[1]
        return {c: rates[c.j] for c in self.tree}, {c: accelerations[c.j] for c in self.tree}

    def project(self, forces: Values) -> dict[Coordinate, Scalar]:
        rows = matvec(transpose(self.matrix()), [forces[c] for c in self.tree])
        return dict(zip(self.own, rows, strict=True))

    # -- constraints on the twist, and the drives

    @cached_property
    def _constrained(self) -> list[LegMotion]:
        return [leg for leg in self.legs if leg.constraint is not None]

    @property
    def constraints(self) -> Matrix:
        """Return the matrix C of the legs' constraints C V = 0 on the twist V, shape (constraints, coordinates)."""
        return [leg.constraint for leg in self._constrained if leg.constraint is not None]

    def allows_velocity(self, nu: Values) -> list[Scalar]:
        """Return one condition per constraint of the legs, which equals 1 where the velocity nu satisfies it."""
        return [leg.allows(motion_of(nu, {}), self.length)[0] for leg in self._constrained]

    def allows_acceleration(self, nu: Values, nud: Values) -> list[Scalar]:
        """Return one condition per constraint of the legs, which equals 1 where the acceleration nud satisfies it.

        Args:
            nu, nud: velocity and acceleration of the platform.
        """
        return [leg.allows(motion_of(nu, nud), self.length)[1] for leg in self._constrained]

    @cached_property
    def units(self) -> Vector:
        """Return the scales of the coordinates: the characteristic length for translations, 1 for rotations."""
        return _units([k < 3 for k in self.freedoms], self.length)

    @property
    def actuation(self) -> PlatformActuation:
        slides = [self.parallel.robot.frame(j).sigma == P for j in self.active]
        normals = [leg.at.normal is not None for leg in self._constrained]
        return PlatformActuation(
            tuple(self.active),
            [self._rows[j] for j in self.active],
            builder=self.builder,
            constraints=self.constraints,
            row_factors=[1 if x == 1 else 1 / x for x in _units([*slides, *normals], self.length)],
            units=self.units,
        )

    def accelerate(self, inertia: Matrix, forces: Vector, nu: Values) -> Vector:
        """Return the platform's acceleration Vd with A Vd = forces + C' multipliers and C Vd = -drift.

        C V = 0 are the constraints of the legs, and C Vd + drift is their time derivative. The result is NaN where the
        system is singular.

        Args:
            inertia: inertia matrix A.
            forces: forces on the coordinates minus the bias forces (forces at zero acceleration).
            nu: velocity of the platform.
        """
        rows, units, motion = self.constraints, self.units, motion_of(nu, {})
        factors = list(units)
        if rows:  # factors give the constraint rows the magnitude of the inertia
            weight = _sum([u * row[k] * u for k, (u, row) in enumerate(zip(units, inertia, strict=True))])
            factors += [weight / self.length if leg.at.normal else weight for leg in self._constrained]
        matrix = [[*line, *(row[k] for row in rows)] for k, line in enumerate(inertia)]
        matrix += [[*row, *([0] * len(rows))] for row in rows]
        right = [*forces, *(-leg.drift(motion) for leg in self._constrained)]
        solution = solve_pivoted(matrix, [right], row_factors=factors, column_factors=factors)
        require(self.builder, [solution.regular])
        return solution.columns[0][: len(self.own)]


def _sum(values: Sequence[Scalar]) -> Scalar:
    total: Scalar = 0
    for x in values:
        total = total + x
    return total


def _units(linear: Sequence[bool], length: Scalar) -> Vector:
    """Return scales of coordinates: `length` for translations, 1 for rotations; all are 1 if only one kind occurs.

    Args:
        linear: for each coordinate, whether it is a translation.
    """
    if all(linear) or not any(linear):
        return [1] * len(linear)
    return [length if one else 1 for one in linear]


def _freedoms(legs: Sequence[Leg]) -> tuple[tuple[int, ...], list[Scalar]]:
    """Return the indices of the entries of the twist V that can differ from zero, and conditions.

    Args:
        legs: the legs of the platform.

    Returns:
        The indices, and conditions on the geometric parameters that equal 1 where the other entries of V are zero.

    Raises:
        NotApplicableError: the legs do not form a supported platform.
    """
    if all(len(leg.end) > 1 for leg in legs):
        return SPATIAL, []
    axes = [[row[2] for row in matmul(leg.places[0], leg.places[1])[:3]] for leg in legs]
    if not any(leg.parallelogram for leg in legs):
        for leg, axis in zip(legs, axes, strict=True):
            normal = [row[2] for row in leg.places[0][:3]] if leg.kinds[0] == R else axis
            if not all(is_roundoff(x) for x in (*normal[:2], *(row[2] for row in leg.seat[:2]))):
                raise NotApplicableError(
                    f"leg {leg.number} does not move in the plane x y of frame 0",
                    hint="choose frame 0 with its z axis normal to the plane of the legs, and describe "
                    "its orientation in the world by base.location",
                )
        return PLANAR, []
    if not all(leg.parallelogram for leg in legs):
        raise NotApplicableError(
            "unsupported platform: either every leg or no leg may contain a parallelogram"
        )
    apart = _sum([dot(n, n) for n in (cross(axes[0], axis) for axis in axes[1:])])
    if is_roundoff(apart):
        raise NotApplicableError(
            "the parallelograms of the legs are parallel, so that the platform can also rotate"
        )
    return TRANSLATION, [less(ZERO_SQUARE, apart)]


class LegMotion:
    """Map from the velocity and acceleration of the platform to the joint rates and accelerations of a leg.

    Attributes:
        constraint: the row c of the leg's constraint c V = 0 on the twist V of the platform; None if the leg has six
            joints, or if its constraint is already expressed by zero entries of the twist (`freedoms`).
        conditions: expressions that equal 1 where the joint rates are determined.
    """

    def __init__(
        self,
        at: Posture,
        pose: PlatformPose,
        freedoms: Sequence[int],
        length: Scalar,
        end_joints: bool,
    ) -> None:
        self.at, self.freedoms, self.end_joints = at, freedoms, end_joints
        self.rho = subtract(at.centre, pose.position)
        self.linear = [k for k in freedoms if k < 3]
        columns, slides = [x.column for x in at.joints], [kind == P for kind in at.leg.kinds]
        if at.normal is not None:  # a third direction, perpendicular to the motion of C
            columns.append(at.normal)
            slides.append(True)
        solution = solve_pivoted(
            [[column[k] for column in columns] for k in self.linear],
            identity(len(self.linear)),
            column_factors=_units(slides, length),
        )
        self.inverse = transpose(solution.columns)[: len(at.joints)]
        self.conditions = [*at.conditions, *at.moving, solution.regular, *(at.turning if end_joints else ())]
        self.constraint: Vector | None = None
        if at.normal is not None:
            self.constraint = [*at.normal, *cross(self.rho, at.normal)]
        elif at.fixed_axis is not None:
            self.constraint = [0, 0, 0, *at.fixed_axis]

    @property
    def _carriers(self) -> list[tuple[int, Vector]]:
        """Return the revolute joints of the arm that rotate the link before the end joint.

        Returns:
            For each joint its index in the arm and its axis in frame 0.
        """
        leg = self.at.leg
        count = len(leg.places)  # the rod of a parallelogram does not rotate the coupler
        pairs = zip(leg.kinds[:count], self.at.joints, strict=False)
        return [(k, x.axis) for k, (kind, x) in enumerate(pairs) if kind == R]

    def _end_forms(self) -> list[Vector]:
        """Return, for each axis k of the end joint, the vector beta_k for which the joint rate is beta_k . w.

        w is the angular velocity of the platform relative to the arm.
        """
        axes = self.at.end_axes
        if len(axes) < 3:
            return axes  # perpendicular axes, and w has no other component
        z4, z5, z6 = axes
        c = dot(z4, z6)
        inverse = 1 / (1 - c * c)
        return [
            scale(inverse, subtract(z4, scale(c, z6))),
            z5,
            scale(inverse, subtract(z6, scale(c, z4))),
        ]

    def rows(self) -> dict[int, Vector]:
        """Return, by joint number, the rates of each joint at unit values of the platform's coordinates (rows of G)."""
        leg = self.at.leg
        rows: dict[int, Vector] = {}
        for j, row in zip(leg.arm, self.inverse, strict=True):
            place = dict(zip(self.linear, row, strict=True))
            linear = [place.get(k, 0) for k in range(3)]
            rows[j] = [*linear, *cross(self.rho, linear)]
        if self.end_joints:
            for j, form in zip(leg.end, self._end_forms(), strict=True):
                row = [0, 0, 0, *form]
                for k, axis in self._carriers:
                    row = subtract(row, scale(dot(form, axis), rows[leg.arm[k]]))
                rows[j] = row
        return {j: [row[k] for k in self.freedoms] for j, row in self._with_rods(rows).items()}

    def _with_rods(self, values: dict[int, Any]) -> dict[int, Any]:
        """Return values by joint, extended by the values of the second rod and the coupler of a parallelogram.

        Args:
            values: rates or accelerations by joint, including the first rod; each may be a row over the coordinates.
        """
        rods = self.at.leg.parallelogram
        if rods is None:
            return values
        x = values[rods.rod]
        opposite = [-y for y in x] if isinstance(x, list) else -x
        return {**values, rods.second: x, rods.coupler: opposite}

    def motion(self, motion: PlatformMotion) -> tuple[dict[int, Scalar], dict[int, Scalar]]:
        """Return the rates and the accelerations of the leg's joints, by joint, for a motion of the platform."""
        leg = self.at.leg
        w, rho = motion.w, self.rho
        v = add(motion.v, cross(w, rho))
        a = add(add(motion.vd, cross(motion.wd, rho)), cross(w, cross(w, rho)))
        first = self._arm(v)
        spin, bias, drift = self._at_constant_rates(first)
        second = self._arm(subtract(a, drift))
        rates, accelerations = (dict(zip(leg.arm, x, strict=True)) for x in (first, second))
        if self.end_joints and len(leg.end) == 1:
            for of_joints, angular in ((rates, w), (accelerations, motion.wd)):
                of_joints[leg.end[0]] = self._parallel_end(of_joints, angular)
        elif self.end_joints:
            left, left_d = subtract(w, spin), subtract(motion.wd, bias)
            for k, axis in self._carriers:
                left_d = subtract(left_d, scale(second[k], axis))
            forms = self._end_forms()
            turns = [dot(form, left) for form in forms]
            for axis, rate in zip(self.at.end_axes, turns, strict=True):
                left_d = subtract(left_d, scale(rate, cross(spin, axis)))
                spin = add(spin, scale(rate, axis))
            rates |= zip(leg.end, turns, strict=True)
            accelerations |= zip(leg.end, [dot(form, left_d) for form in forms], strict=True)
        return self._with_rods(rates), self._with_rods(accelerations)

    def _arm(self, v: Vector) -> Vector:
        """Return the rates of the arm's joints for the velocity v of the centre C of the end joint."""
        return matvec(self.inverse, [v[k] for k in self.linear])

    def _parallel_end(self, values: Mapping[int, Scalar], angular: Vector) -> Scalar:
        """Return rate or acceleration of the revolute joint at the platform, in a leg whose axes are all parallel.

        Args:
            values: rates or accelerations of the arm's joints.
            angular: angular velocity or acceleration of the platform.
        """
        (axis,) = self.at.end_axes
        left = dot(angular, axis)
        for k, other in self._carriers:
            left = left - dot(axis, other) * values[self.at.leg.arm[k]]
        return left

    def _at_constant_rates(self, rates: Vector) -> tuple[Vector, Vector, Vector]:
        """Return the motion at zero joint accelerations: w and wd of the arm's last link, and the acceleration of C.

        C is the centre of the end joint. With w_k the angular velocity after joint k and c_k the Jacobian column of
        this joint, the acceleration of C is sum_k (w_(k-1) + w_k) x (rate_k c_k).

        Args:
            rates: joint rates of the arm.
        """
        w: Vector = [0, 0, 0]
        wd: Vector = [0, 0, 0]
        a: Vector = [0, 0, 0]
        for kind, at, rate in zip(self.at.leg.kinds, self.at.joints, rates, strict=True):
            after = w if kind == P else add(w, scale(rate, at.axis))
            a = add(a, cross(add(w, after), scale(rate, at.column)))
            if kind == R:
                wd = add(wd, scale(rate, cross(w, at.axis)))
            w = after
        return w, wd, a

    def drift(self, motion: PlatformMotion) -> Scalar:
        """Return the time derivative of the leg's constraint c V = 0 without the term c Vd (V is the platform's twist).

        It is zero if the platform does not rotate.

        Args:
            motion: motion of the platform.
        """
        if self.at.normal is None:
            return 0
        return dot(self.at.normal, cross(motion.w, cross(motion.w, self.rho)))

    def allows(self, motion: PlatformMotion, length: Scalar) -> tuple[Scalar, Scalar]:
        """Return two conditions, which equal 1 where velocity and acceleration satisfy the leg's constraint.

        Args:
            length: characteristic length of the robot, which makes linear and angular components comparable.
            motion: motion of the platform.
        """
        assert self.constraint is not None
        # The constraint is scaled to the rate of a length.
        unit: Scalar = 1 if self.at.normal is not None else length
        speed = _largest(motion.v, motion.w, length)
        off = unit * dot(self.constraint, [*motion.v, *motion.w])
        second = maximum(_largest(motion.vd, motion.wd, length), speed * speed / length)
        off_d = unit * (dot(self.constraint, [*motion.vd, *motion.wd]) + self.drift(motion))
        return _is_small(off, speed), _is_small(off_d, second)


def _largest(linear: Vector, angular: Vector, length: Scalar) -> Scalar:
    largest: Scalar = 0
    for x in linear:
        largest = maximum(largest, absolute(x))
    for x in angular:
        largest = maximum(largest, absolute(x) * length)
    return largest


def _is_small(x: Scalar, size: Scalar) -> Scalar:
    """Return 1 where |x| is negligible compared with `size`, otherwise 0."""
    return select(less(LEG_DEVIATION * size, absolute(x)), 0, 1)
