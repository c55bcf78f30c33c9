"""Platforms on legs with balls or universal joints, of six freedoms or fewer: by the tree and the legs' Jacobians.

With V the twist of the platform, the rates of all joints are q' = M V, leg by leg. A leg with five joints gives a
condition: a planar one with the normal n holds the centre C of its ball in its plane, n . (v + w x rho) = 0 with rho
from the platform's origin to C; a leg U P U prevents a turn, (z4 x z5) . w = 0. Active joints and conditions determine
the twist:

    [ M_a ] V = [ q'_a ]        V = J q'_a        M_a: rows of M of the active joints, C: those of the conditions
    [  C  ]     [  0   ]

With Gamma the torques of the arms, and A_p, F_p inertia and wrench of the platform about its origin,

    F = M' Gamma + F_p,    A = M' A_arms M + A_p,    H = F at Vd = 0,    tau = J' F

so that J' A J = A_c and J' (A Vd + H) = tau. The joints of a ball do not enter, so that a posture in which its three
turns are singular is a regular one. If a link of an end joint has inertia, or one of its turns friction or a rotor, the
whole cut tree takes the place of arms and platform (leg 1 carries it), and such postures give NaN.

A platform on planar legs (3-RPS, 3-PRS) has parasitic motions: its pose, V and Vd have six entries, of which three can
be chosen; one on three legs U P U only translates. Poses and motions that the legs do not allow give NaN.

W. Khalil, O. Ibrahim, "General solution for the dynamic modeling of parallel robots", Journal of Intelligent and
Robotic Systems 49, 2007; K. M. Lee, D. K. Shah, "Kinematic analysis of a three-degrees-of-freedom in-parallel actuated
manipulator", IEEE Journal of Robotics and Automation 4(3), 1988.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from symoro.errors import NotApplicableError
from symoro.expr.linalg import (
    Matrix,
    Vector,
    add,
    block,
    cross,
    dot,
    identity,
    matadd,
    matmul,
    matvec,
    scale,
    subtract,
    transpose,
)
from symoro.expr.number import Tolerance
from symoro.expr.scalar import Scalar, absolute, less, maximum, select
from symoro.models.coordinates.couplings import coordinates_at
from symoro.models.dynamic.composite import full_matrix, symmetric, tree_inertia
from symoro.models.dynamic.formulation import quick
from symoro.models.dynamic.platform.body import (
    BodyTurning,
    platform_inertia,
    platform_wrench,
    turned_tensor,
)
from symoro.models.dynamic.platform.pose import PlatformMotion, PlatformPose, all_of
from symoro.models.dynamic.platform.spatial_leg import (
    SpatialLeg,
    SpatialPosture,
    spatial_legs,
    spatial_posture,
)
from symoro.models.dynamic.setting import exerts, gravity
from symoro.models.dynamic.torques import Torques
from symoro.models.recursion import local_frames
from symoro.models.solvers import Solution, solve_pivoted
from symoro.program.builder import Builder
from symoro.robot.description import INERTIAL, JointType, Robot
from symoro.robot.platform import ParallelRobot, motors
from symoro.robot.topology import moving_joints

# Of the twist: a larger part that violates the conditions of the legs makes the motion one that they do not allow.
NOT_ALLOWED = Tolerance(1e-6)


class SpatialPlatform:
    """Platform and legs at a pose.

    Arguments:
        folds: of each leg, 1 or 2.
    """

    def __init__(
        self, builder: Builder, parallel: ParallelRobot, pose: PlatformPose, folds: Sequence[int]
    ) -> None:
        self.builder, self.parallel, self.pose = builder, parallel, pose
        constants = spatial_legs(builder, parallel)
        self.separate = _is_light(parallel, constants)
        self.tree = _arms(parallel) if self.separate else parallel.robot.tree()
        self.active = motors(self.tree)
        arms = [j for leg in constants for j in leg.arm]
        self.joints = arms if self.separate else moving_joints(self.tree)
        held = sum(leg.constrained for leg in constants)
        if len(self.active) + held != 6:
            raise NotApplicableError(
                f"the platform has {6 - held} freedoms and {len(self.active)} active joints "
                f"({', '.join(map(str, self.active))})",
                hint=f"make {6 - held} joints active",
            )
        self.constrained = bool(held)
        length: Scalar = 0
        for leg in constants:
            length = length + leg.length()
        self.length = builder.number(length)
        self.postures = [
            spatial_posture(builder, parallel.robot, leg, pose, fold)
            for leg, fold in zip(constants, folds, strict=True)
        ]

    @cached_property
    def legs(self) -> list[_SpatialLegMotion]:
        return [_SpatialLegMotion(at, self.pose, self.length, self.separate) for at in self.postures]

    @cached_property
    def regular(self) -> Scalar:
        """1 where every leg has its values."""
        return all_of([x for leg in self.legs for x in leg.conditions])

    def positions(self) -> tuple[dict[int, Scalar], Scalar]:
        """Every joint of the legs, opened ones at the platform included, and 1 where they have a value."""
        positions: dict[int, Scalar] = {}
        conditions: list[Scalar] = []
        for at in self.postures:
            positions |= at.positions
            conditions += at.conditions
        return positions, all_of(conditions)

    @cached_property
    def rates(self) -> dict[int, Vector]:
        """M: for each joint of the tree its rate at unit values of the six entries of V."""
        rows: dict[int, Vector] = {}
        for leg in self.legs:
            rows |= leg.rows()
        return {j: rows[j] for j in self.joints}

    @cached_property
    def _conditions(self) -> Matrix:
        """C: rows of the legs with five joints."""
        return [leg.condition for leg in self.legs if leg.condition is not None]

    @cached_property
    def _torques(self) -> Torques:
        q = self.positions()[0]
        every = moving_joints(self.tree)
        named = {
            j: self.builder.named(f"q{j}", q[j]) if j in self.joints else self.builder.number(0)
            for j in every
        }
        return Torques(
            self.builder, self.tree, quick(self.tree), coordinates_at(self.tree, named, self.builder.formula)
        )

    def allows(self, motion: PlatformMotion) -> Scalar:
        """Return 1 where the legs allow the velocity and the acceleration: c V = 0 and c Vd + drift = 0.

        Both are compared with the sizes of their parts.
        """
        conditions: list[Scalar] = []
        for leg in self.legs:
            if leg.condition is not None:
                conditions += leg.allows(motion, self.length)
        return all_of(conditions)

    def _efforts(self, motion: PlatformMotion) -> Vector:
        """M' Gamma: (6)."""
        qd: dict[int, Scalar] = {}
        qdd: dict[int, Scalar] = {}
        for leg in self.legs:
            rates, accelerations = leg.motion(motion)
            qd |= rates
            qdd |= accelerations
        every = moving_joints(self.tree)
        moved = [{j: x[j] if j in self.joints else self.builder.number(0) for j in every} for x in (qd, qdd)]
        gamma = dict(zip(every, self._torques.at(*moved), strict=True))
        forces = matvec(transpose([self.rates[j] for j in self.joints]), [gamma[j] for j in self.joints])
        return add(forces, self._platform_wrench(motion)) if self.separate else forces

    def _platform_wrench(self, motion: PlatformMotion) -> Vector:
        """F_p: (6)."""
        builder = self.builder
        turning = BodyTurning.of(builder, motion.w, motion.wd, "U")
        inertia = platform_inertia(builder, self.parallel)
        g = gravity(builder, self.parallel.robot)
        wrench = platform_wrench(builder, inertia, self.pose, motion, turning, g)
        return [*wrench.f, *wrench.m]

    def _platform_inertia(self) -> Matrix:
        """A_p: (6,6)."""
        inertia = platform_inertia(self.builder, self.parallel)
        x, y, z = matvec(self.pose.rotation, list(inertia.ms))
        mass = [[inertia.m if r == c else 0 for c in range(3)] for r in range(3)]
        hat: Matrix = [[0, -z, y], [z, 0, -x], [-y, x, 0]]
        return block([[mass, transpose(hat)], [hat, turned_tensor(self.pose.rotation, inertia)]])

    @property
    def _units(self) -> tuple[Vector, Vector]:
        """Factors that make the entries of [M_a; C] numbers without unit: of its rows, and of its columns."""
        slides = [self.tree.frame(j).sigma == JointType.PRISMATIC for j in self.active]
        rows: Vector = [1 / self.length if slide else 1 for slide in slides]
        rows += [1 / self.length if leg.at.normal else 1 for leg in self.legs if leg.condition is not None]
        columns: Vector = [self.length, self.length, self.length, 1, 1, 1]
        return rows, columns

    def _solved(self, right: Sequence[Vector], *, transposed: bool = False) -> Solution:
        """Return x with [M_a; C] x = b, or with its transpose."""
        rows, columns = self._units
        matrix = [self.rates[j] for j in self.active] + self._conditions
        if transposed:
            matrix, rows, columns = transpose(matrix), columns, rows
        return solve_pivoted(matrix, right, row_factors=rows, column_factors=columns)

    def inverse_dynamics(self, motion: PlatformMotion) -> tuple[Vector, Scalar]:
        """tau, and 1 where it has a value."""
        solution = self._solved([self._efforts(motion)], transposed=True)
        return solution.columns[0][: len(self.active)], all_of(
            [self.regular, solution.regular, self.allows(motion)]
        )

    def bias(self, motion: PlatformMotion) -> Vector:
        """H: (6)."""
        return self._efforts(motion)

    def inertia_rows(self) -> Matrix:
        """Return A: (6,6)."""
        joints = self.joints
        entries = tree_inertia(
            self.builder,
            self.tree,
            local_frames(self.builder, self.tree, self._torques.joints.positions),
        )
        m = [self.rates[j] for j in joints]
        inertia = symmetric(matmul(transpose(m), matmul(full_matrix(entries, joints), m)))
        return matadd(inertia, self._platform_inertia()) if self.separate else inertia

    def direct_dynamics(self, motion: PlatformMotion, tau: Sequence[Scalar]) -> tuple[Vector, Scalar]:
        """Vd: (6), and 1 where it has a value. A Vd + H = M_a' tau + C' lambda, C Vd = -drift."""
        units = self._units[1]
        right = subtract(
            matvec(transpose([self.rates[j] for j in self.active]), list(tau)), self._efforts(motion)
        )
        drifts = [leg.drift(motion) for leg in self.legs if leg.condition is not None]
        rows = self._conditions
        inertia = self.inertia_rows()
        # Factors make the entries comparable: those of the conditions have the size of the inertia.
        weight: Scalar = 0
        for k in range(6):
            weight = weight + units[k] * inertia[k][k] * units[k]
        factors = [*units, *(weight * f for f in self._units[0][len(self.active) :])]
        matrix = [[*inertia[r], *(row[r] for row in rows)] for r in range(6)]
        matrix += [[*row, *([0] * len(rows))] for row in rows]
        solution = solve_pivoted(
            matrix,
            [[*right, *(-drift for drift in drifts)]],
            row_factors=factors,
            column_factors=factors,
        )
        return solution.columns[0][:6], all_of([self.regular, solution.regular, self.allows_velocity(motion)])

    def allows_velocity(self, motion: PlatformMotion) -> Scalar:
        """Return 1 where the legs allow the velocity."""
        return all_of([leg.allows(motion, self.length)[0] for leg in self.legs if leg.condition is not None])

    def inverse_jacobian(self) -> tuple[Matrix, Scalar]:
        """qda = Jinv V: (na,6)."""
        return [self.rates[j] for j in self.active], self.regular

    def jacobian(self) -> tuple[Matrix, Scalar]:
        """V = J qda: (6,na)."""
        solution = self._solved(identity(6)[: len(self.active)])
        return transpose(solution.columns), all_of([self.regular, solution.regular])


def _is_light(parallel: ParallelRobot, legs: Sequence[SpatialLeg]) -> bool:
    """Return whether end joints have neither inertia nor friction, and no wrench acts on them or on the platform."""
    robot = parallel.robot
    turns = [j for leg in legs for j in leg.end if j <= robot.NL]
    links = [robot.link(j) for j in turns if j not in parallel.body]
    if any(not getattr(link, name).is_zero for link in links for name in INERTIAL):
        return False
    if any(not getattr(robot.frame(j), name).is_zero for j in turns for name in ("IA", "FV", "FS", "FO")):
        return False
    loaded = [*links, *(robot.link(j) for j in parallel.body), *([robot.payload] if robot.payload else [])]
    return not any(exerts(link) for link in loaded)


def _arms(parallel: ParallelRobot) -> Robot:
    """Return the cut tree with a platform without inertia: the torques of the arms are theirs alone."""
    tree = replace(parallel.robot.tree(), payload=None)
    for j in parallel.body:
        tree = tree.with_link(j, **dict.fromkeys(INERTIAL, 0))
    return tree


class _SpatialLegMotion:
    """Rates and accelerations of a leg's joints from those of the platform."""

    def __init__(self, at: SpatialPosture, pose: PlatformPose, length: Scalar, separate: bool) -> None:
        self.at = at
        self.rho = subtract(at.centre, pose.position)
        kinds = at.leg.kinds
        columns = [
            axis if kind == JointType.PRISMATIC else cross(axis, subtract(at.centre, origin))
            for kind, (axis, origin) in zip(kinds, at.axes, strict=True)
        ]
        units: list[Scalar] = [length if kind == JointType.PRISMATIC else 1 for kind in kinds]
        if at.normal is not None:  # a third direction, along which the centre does not move
            columns.append(at.normal)
            units.append(length)
        solution = solve_pivoted(transpose(columns), identity(3), column_factors=units)
        self.inverse = transpose(solution.columns)[: len(kinds)]
        self.conditions = [*at.conditions, *at.moving, solution.regular]
        self.separate = separate
        if not separate:
            self.conditions += at.turning
        self.condition: Vector | None = None
        if at.normal is not None:
            self.condition = [*at.normal, *cross(self.rho, at.normal)]
        elif at.held is not None:
            self.condition = [0, 0, 0, *at.held]

    @property
    def _turning(self) -> list[tuple[int, Vector]]:
        """Places in the arm, and axes, of its revolute joints."""
        pairs = zip(self.at.leg.kinds, self.at.axes, strict=True)
        return [(k, axis) for k, (kind, (axis, _)) in enumerate(pairs) if kind == JointType.REVOLUTE]

    def _end_forms(self) -> list[Vector]:
        """beta_k with rate_k = beta_k . w of the end joint's turns, w the angular velocity against the arm."""
        if len(self.at.turns) == 2:
            return self.at.turns  # perpendicular, and w has no other part
        z4, z5, z6 = self.at.turns
        c = dot(z4, z6)
        inverse = 1 / (1 - c * c)
        return [
            scale(inverse, subtract(z4, scale(c, z6))),
            z5,
            scale(inverse, subtract(z6, scale(c, z4))),
        ]

    def rows(self) -> dict[int, Vector]:
        """Return the rows of M: rates of the joints at unit entries of V."""
        leg = self.at.leg
        rows = {j: [*row, *cross(self.rho, row)] for j, row in zip(leg.arm, self.inverse, strict=True)}
        if self.separate:
            return rows
        for j, form in zip(leg.end, self._end_forms(), strict=True):
            row: Vector = [0, 0, 0, *form]
            for k, axis in self._turning:
                row = subtract(row, scale(dot(form, axis), rows[leg.arm[k]]))
            rows[j] = row
        return rows

    def motion(self, motion: PlatformMotion) -> tuple[dict[int, Scalar], dict[int, Scalar]]:
        """Rates and accelerations of the joints."""
        leg = self.at.leg
        w, rho = motion.w, self.rho
        v = add(motion.v, cross(w, rho))
        a = add(add(motion.vd, cross(motion.wd, rho)), cross(w, cross(w, rho)))
        rates = matvec(self.inverse, v)
        spin, bias, drift = self._arm_bias(rates)
        second = matvec(self.inverse, subtract(a, drift))
        if self.separate:
            return dict(zip(leg.arm, rates, strict=True)), dict(zip(leg.arm, second, strict=True))
        left, left_d = subtract(w, spin), subtract(motion.wd, bias)
        for k, axis in self._turning:
            left_d = subtract(left_d, scale(second[k], axis))
        forms = self._end_forms()
        turns = [dot(form, left) for form in forms]
        for axis, rate in zip(self.at.turns, turns, strict=True):
            left_d = subtract(left_d, scale(rate, cross(spin, axis)))
            spin = add(spin, scale(rate, axis))
        turns_d = [dot(form, left_d) for form in forms]
        joints = (*leg.arm, *leg.end)
        return dict(zip(joints, (*rates, *turns), strict=True)), dict(
            zip(joints, (*second, *turns_d), strict=True)
        )

    def _arm_bias(self, rates: Vector) -> tuple[Vector, Vector, Vector]:
        """Return w, wd of the arm's last link and the acceleration of C, at zero joint accelerations."""
        w: Vector = [0, 0, 0]
        wd: Vector = [0, 0, 0]
        a: Vector = [0, 0, 0]
        here: Vector | None = None
        for kind, (axis, origin), rate in zip(self.at.leg.kinds, self.at.axes, rates, strict=True):
            if here is not None:
                a = add(a, _carried(w, wd, subtract(origin, here)))
            here = origin
            if kind == JointType.PRISMATIC:
                a = add(a, scale(2 * rate, cross(w, axis)))
            else:
                wd = add(wd, scale(rate, cross(w, axis)))
                w = add(w, scale(rate, axis))
        assert here is not None
        return w, wd, add(a, _carried(w, wd, subtract(self.at.centre, here)))

    def drift(self, motion: PlatformMotion) -> Scalar:
        """Return the part of the condition's second derivative besides c Vd; zero if the platform does not turn."""
        if self.at.normal is None:
            return 0
        return dot(self.at.normal, cross(motion.w, cross(motion.w, self.rho)))

    def allows(self, motion: PlatformMotion, length: Scalar) -> list[Scalar]:
        """Return 1 where the velocity, and where the acceleration, meets the leg's condition."""
        assert self.condition is not None
        # The value of the condition becomes the rate of a length.
        unit: Scalar = 1 if self.at.normal is not None else length
        speed = _largest(motion.v, motion.w, length)
        off = unit * dot(self.condition, [*motion.v, *motion.w])
        second = maximum(_largest(motion.vd, motion.wd, length), speed * speed / length)
        off_d = unit * (dot(self.condition, [*motion.vd, *motion.wd]) + self.drift(motion))
        return [_small(off, speed), _small(off_d, second)]


def _carried(w: Vector, wd: Vector, r: Vector) -> Vector:
    """Return the acceleration of a point of a link against another one."""
    return add(cross(wd, r), cross(w, cross(w, r)))


def _largest(linear: Vector, angular: Vector, length: Scalar) -> Scalar:
    largest: Scalar = 0
    for x in linear:
        largest = maximum(largest, absolute(x))
    for x in angular:
        largest = maximum(largest, absolute(x) * length)
    return largest


def _small(x: Scalar, size: Scalar) -> Scalar:
    """Return 1 where a number is small in comparison with a size, or zero."""
    return select(less(NOT_ALLOWED * size, absolute(x)), 0, 1)
