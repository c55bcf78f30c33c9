"""Platforms with fewer than six freedoms, or with legs that end in one turn: by the tree and the legs' Jacobians.

The platform's free velocities nu are some entries of V: x, y and the turn about z in the plane, or x, y, z. With the
joints' rates q' = M nu, leg by leg, and the torques Gamma of the cut tree (leg 1 carrying the platform),

    M_a' tau = M' Gamma,    A_nu = M' A_tree M,    H_nu = M' Gamma at nu' = 0

A and H of the platform have A_nu and H_nu in the rows of nu and zero elsewhere, so that J' A J and J' (A Vd + H) are
inertia and torques of the active joints.

W. Khalil, O. Ibrahim, "General solution for the dynamic modeling of parallel robots", Journal of Intelligent and
Robotic Systems 49, 2007.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from symoro.errors import NotApplicableError
from symoro.expr.linalg import (
    Matrix,
    Vector,
    add,
    cross,
    dot,
    identity,
    matmul,
    matvec,
    position_of,
    scale,
    subtract,
    transpose,
)
from symoro.expr.number import Tolerance
from symoro.expr.scalar import Scalar, absolute, less, select
from symoro.models.coordinates.couplings import coordinates_at
from symoro.models.dynamic.composite import full_matrix, symmetric, tree_inertia
from symoro.models.dynamic.formulation import quick
from symoro.models.dynamic.platform.chain_leg import (
    ChainLeg,
    ChainPosture,
    chain_legs,
    chain_posture,
    reach,
    tip_columns,
)
from symoro.models.dynamic.platform.pose import PlatformMotion, PlatformPose, all_of
from symoro.models.dynamic.torques import Torques
from symoro.models.geometric.places import settled
from symoro.models.recursion import local_frames
from symoro.models.solvers import Solution, solve_pivoted
from symoro.program.builder import Builder
from symoro.robot.description import JointType, Robot
from symoro.robot.platform import ParallelRobot, motors
from symoro.robot.topology import moving_joints

PLANAR = (0, 1, 5)
SPATIAL = (0, 1, 2)
PARALLEL = Tolerance(1e-20)


class ReducedPlatform:
    """Platform and legs at a pose.

    Arguments:
        folds: of each leg, 1 or 2.
    """

    def __init__(
        self, builder: Builder, parallel: ParallelRobot, pose: PlatformPose, folds: Sequence[int]
    ) -> None:
        self.builder, self.parallel, self.pose = builder, parallel, pose
        self.tree = parallel.robot.tree()
        legs = chain_legs(builder, parallel)
        self.freedoms, conditions = _freedoms(legs)
        self.joints, self.active = moving_joints(self.tree), motors(self.tree)
        if len(self.active) != len(self.freedoms):
            raise NotApplicableError(
                f"the platform has {len(self.freedoms)} freedoms and {len(self.active)} active joints "
                f"({', '.join(map(str, self.active))})",
                hint=f"make {len(self.freedoms)} joints active",
            )
        length = _length(builder, legs)
        self.units = _units([k < 3 for k in self.freedoms], length)
        self.drive_units = _units([_slides(self.tree, j) for j in self.active], length)
        self.legs = [
            _LegMotion(chain_posture(builder, parallel.robot, leg, pose, fold), pose, self.freedoms, length)
            for leg, fold in zip(legs, folds, strict=True)
        ]
        self.regular = all_of([*conditions, *(x for leg in self.legs for x in leg.conditions)])

    def positions(self) -> tuple[dict[int, Scalar], Scalar]:
        """Every joint of the legs, opened ones at the platform included, and 1 where they have a value."""
        found: dict[int, Scalar] = {}
        conditions: list[Scalar] = []
        for leg in self.legs:
            found |= leg.at.positions
            conditions += leg.at.conditions
        return found, all_of(conditions)

    @cached_property
    def rates(self) -> dict[int, Vector]:
        """M: for each joint of the tree its rate at unit velocity of each freedom."""
        found: dict[int, Vector] = {}
        for leg in self.legs:
            columns = [leg.rates(_unit(leg, self.pose, k)) for k in self.freedoms]
            for j in columns[0]:
                found[j] = [column[j] for column in columns]
        return {j: found[j] for j in self.joints}

    @cached_property
    def _torques(self) -> Torques:
        q = {j: x for j, x in self.positions()[0].items() if j <= self.tree.NL}
        named = {j: self.builder.named(f"q{j}", q[j]) for j in self.joints}
        return Torques(
            self.builder, self.tree, quick(self.tree), coordinates_at(self.tree, named, self.builder.formula)
        )

    def efforts(self, motion: PlatformMotion) -> Vector:
        """M' Gamma: what the motion takes along the freedoms."""
        qd: dict[int, Scalar] = {}
        qdd: dict[int, Scalar] = {}
        free = self._free(motion)
        for leg in self.legs:
            rates, accelerations = leg.motion(free)
            qd |= rates
            qdd |= accelerations
        joints = self.joints
        gamma = self._torques.at({j: qd[j] for j in joints}, {j: qdd[j] for j in joints})
        return [
            sum(
                (self.rates[j][k] * x for j, x in zip(joints[1:], gamma[1:], strict=True)),
                self.rates[joints[0]][k] * gamma[0],
            )
            for k in range(len(self.freedoms))
        ]

    def _free(self, motion: PlatformMotion) -> PlatformMotion:
        """The motion without the entries that the legs hold at zero, which are not read."""
        v, vd = (
            [x if k in self.freedoms else 0 for k, x in enumerate(six)]
            for six in ([*motion.v, *motion.w], [*motion.vd, *motion.wd])
        )
        return PlatformMotion(v[:3], v[3:], vd[:3], vd[3:])

    def _active_rates(self) -> Matrix:
        """M_a: qda = M_a nu."""
        return [self.rates[j] for j in self.active]

    def inverse_dynamics(self, motion: PlatformMotion) -> tuple[Vector, Scalar]:
        """tau, and 1 where it has a value."""
        found = solve_pivoted(
            transpose(self._active_rates()),
            [self.efforts(motion)],
            row_factors=self.units,
            column_factors=_inverse(self.drive_units),
        )
        return found.columns[0], all_of([self.regular, found.regular])

    def bias(self, motion: PlatformMotion) -> Vector:
        """H: (6)."""
        return self._spread(self.efforts(motion))

    def _reduced_inertia(self) -> Matrix:
        joints = self.joints
        positions = self._torques.joints.positions
        entries = tree_inertia(self.builder, self.tree, local_frames(self.builder, self.tree, positions))
        m = [self.rates[j] for j in joints]
        return symmetric(matmul(transpose(m), matmul(full_matrix(entries, joints), m)))

    def inertia_rows(self) -> Matrix:
        """A: (6,6)."""
        small = self._reduced_inertia()
        place = {k: i for i, k in enumerate(self.freedoms)}
        return [
            [small[place[r]][place[c]] if r in place and c in place else 0 for c in range(6)]
            for r in range(6)
        ]

    def direct_dynamics(self, motion: PlatformMotion, tau: Sequence[Scalar]) -> tuple[Vector, Scalar]:
        """Vd: (6), and 1 where it has a value."""
        right = subtract(matvec(transpose(self._active_rates()), list(tau)), self.efforts(motion))
        found: Solution = solve_pivoted(
            self._reduced_inertia(), [right], row_factors=self.units, column_factors=self.units
        )
        return self._spread(found.columns[0]), all_of([self.regular, found.regular])

    def inverse_jacobian(self) -> tuple[Matrix, Scalar]:
        """qda = Jinv V: (na,6)."""
        return [self._spread(row) for row in self._active_rates()], self.regular

    def jacobian(self) -> tuple[Matrix, Scalar]:
        """V = J qda: (6,na)."""
        found = solve_pivoted(
            self._active_rates(),
            identity(len(self.active)),
            row_factors=_inverse(self.drive_units),
            column_factors=self.units,
        )
        rows = transpose(found.columns)
        place = {k: i for i, k in enumerate(self.freedoms)}
        full: Matrix = [rows[place[r]] if r in place else [0] * len(self.active) for r in range(6)]
        return full, all_of([self.regular, found.regular])

    def _spread(self, values: Vector) -> Vector:
        place = dict(zip(self.freedoms, values, strict=True))
        return [place.get(k, 0) for k in range(6)]


def _freedoms(legs: Sequence[ChainLeg]) -> tuple[tuple[int, ...], list[Scalar]]:
    """Which entries of V are free, and conditions on the parameters under which that is so."""
    if all(leg.rods is None for leg in legs):
        for leg in legs:
            axis = [row[2] for row in leg.seat[:3]]
            turn = leg.kinds[0] == JointType.REVOLUTE
            plane = [row[2] for row in (leg.base[:3] if turn else matmul(leg.base, leg.link)[:3])]
            if not all(settled(x) for x in (*plane[:2], *axis[:2])):
                raise NotApplicableError(
                    f"leg {leg.number} does not move in the plane x y of frame 0",
                    hint="turn frame 0 so that its z axis is across the plane, and gravity by base.location",
                )
        return PLANAR, []
    if any(leg.rods is None for leg in legs):
        raise NotApplicableError("some legs have parallelograms and some have not")
    axes = [[row[2] for row in matmul(leg.base, leg.link)[:3]] for leg in legs]
    apart: Scalar = 0
    for axis in axes[1:]:
        n = cross(axes[0], axis)
        apart = apart + dot(n, n)
    if settled(apart):
        raise NotApplicableError("the legs' parallelograms are parallel: the platform can turn besides")
    return SPATIAL, [less(PARALLEL, apart)]


def _length(builder: Builder, legs: Sequence[ChainLeg]) -> Scalar:
    """Return a length of the robot, from its parameters alone."""
    found: Scalar = 0
    for leg in legs:
        found = found + reach(leg)
        for x in position_of(leg.seat):
            found = found + absolute(x)
    found = builder.number(found)
    return select(less(0, found), found, 1)


def _units(linear: Sequence[bool], length: Scalar) -> list[Scalar]:
    """Return the unit of each coordinate, lengths and angles, as a multiple of the first one's."""
    if all(linear) or not any(linear):
        return [1] * len(linear)
    return [length if one else 1 for one in linear]


def _inverse(units: Sequence[Scalar]) -> list[Scalar]:
    return [1 if x == 1 else 1 / x for x in units]


def _slides(robot: Robot, j: int) -> bool:
    return robot.frame(j).sigma == JointType.PRISMATIC


def _unit(leg: _LegMotion, pose: PlatformPose, k: int) -> tuple[Vector, Vector]:
    """Velocity of a leg's tip, and angular, at unit velocity of one freedom."""
    linear: Vector = [1 if i == k else 0 for i in range(3)]
    angular: Vector = [1 if i + 3 == k else 0 for i in range(3)]
    return add(linear, cross(angular, leg.arm)), angular


class _LegMotion:
    """Rates and accelerations of a leg's joints from those of the platform."""

    def __init__(self, at: ChainPosture, pose: PlatformPose, freedoms: Sequence[int], length: Scalar) -> None:
        self.at = at
        self.arm = subtract(at.tip, pose.position)
        self.columns = tip_columns(at)
        self.rows = [k for k in freedoms if k < 3]
        matrix = [[column[k] for _, column in self.columns] for k in self.rows]
        slides = [kind == JointType.PRISMATIC for kind in at.leg.kinds]
        slides += [False] * (len(self.columns) - len(slides))
        found = solve_pivoted(matrix, identity(len(self.rows)), column_factors=_units(slides, length))
        self.inverse = transpose(found.columns)
        self.conditions = [*at.conditions, at.folded, found.regular]

    def rates(self, tip: tuple[Vector, Vector]) -> dict[int, Scalar]:
        """Joint rates from the velocity of the tip and the angular one."""
        return self._spread(self._solved(tip[0]), tip[1])

    def _solved(self, v: Vector) -> Vector:
        return matvec(self.inverse, [v[k] for k in self.rows])

    def _spread(self, values: Vector, w: Vector) -> dict[int, Scalar]:
        """All joints of the leg: rods follow each other, the last turn takes what is left of the angular velocity."""
        leg = self.at.leg
        found = {j: x for (j, _), x in zip(self.columns, values, strict=True)}
        if leg.rods:
            found[leg.rods.second], found[leg.rods.coupler] = found[leg.rods.rod], -found[leg.rods.rod]
        axis = self._axis(leg.last)
        left = dot(w, axis)
        for j, kind in zip((leg.first, leg.second), leg.kinds, strict=True):
            if kind == JointType.REVOLUTE:
                left = left - dot(axis, self._axis(j)) * found[j]
        found[leg.last] = left
        return found

    def _axis(self, j: int) -> Vector:
        return [row[2] for row in self.at.axes[j][:3]]

    def motion(self, motion: PlatformMotion) -> tuple[dict[int, Scalar], dict[int, Scalar]]:
        """Rates and accelerations of the joints."""
        v = add(motion.v, cross(motion.w, self.arm))
        a = add(add(motion.vd, cross(motion.wd, self.arm)), cross(motion.w, cross(motion.w, self.arm)))
        values = self._solved(v)
        second = self._solved(subtract(a, self._bias(values, v)))
        return self._spread(values, motion.w), self._spread(second, motion.wd)

    def _bias(self, values: Vector, v: Vector) -> Vector:
        """The tip's acceleration at zero acceleration of the joints: the columns' derivatives times the rates."""
        leg = self.at.leg
        w: Vector = [0, 0, 0]
        total: Vector = [0, 0, 0]
        moved: list[tuple[int, JointType, Scalar]] = []
        for (j, _), kind, rate in zip(self.columns, leg.kinds, values, strict=False):
            axis, place = self._axis(j), [row[3] for row in self.at.axes[j][:3]]
            if kind == JointType.PRISMATIC:
                change = cross(w, axis)
            else:
                arm = subtract(self.at.tip, place)
                change = add(
                    cross(cross(w, axis), arm), cross(axis, subtract(v, self._velocity(moved, place)))
                )
                w = add(w, scale(rate, axis))
            total = add(total, scale(rate, change))
            moved.append((j, kind, rate))
        if leg.rods:
            rate, (rod, column) = values[2], self.columns[2]
            spin = add(w, scale(rate, self._axis(rod)))
            total = add(total, scale(rate, cross(spin, column)))
        return total

    def _velocity(self, moved: Sequence[tuple[int, JointType, Scalar]], point: Vector) -> Vector:
        """Of a point carried by the joints so far."""
        found: Vector = [0, 0, 0]
        for j, kind, rate in moved:
            axis, place = self._axis(j), [row[3] for row in self.at.axes[j][:3]]
            column = axis if kind == JointType.PRISMATIC else cross(axis, subtract(point, place))
            found = add(found, scale(rate, column))
        return found
