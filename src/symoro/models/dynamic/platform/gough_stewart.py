"""Six legs with balls: the models of the Gough-Stewart platform in the platform's coordinates.

    A Vd + H = sum_i w_i tau_i,     w_i = (u_i; rho_i x u_i),     tau = J' (A Vd + H)

The columns w_i are the rows of the inverse Jacobian. Legs as bodies of revolution count as point masses I/L^2 at their
balls and a further mass along u.

W. Khalil, ICINCO 2010, section 5, eq. (59) to (66); W. Khalil, S. Guegan, "Inverse and direct dynamic modeling of
Gough-Stewart robots", IEEE Transactions on Robotics and Automation 20(4), 2004.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    matvec,
    scale,
    subtract,
    transpose,
)
from symoro.expr.scalar import Scalar
from symoro.models.dynamic.platform.body import (
    BodyTurning,
    check_wrenches,
    platform_inertia,
    platform_wrench,
    turned_tensor,
)
from symoro.models.dynamic.platform.pose import PlatformMotion, PlatformPose, all_of
from symoro.models.dynamic.platform.ups import leg_axes, leg_positions, leg_posture, ups_legs
from symoro.models.dynamic.platform.ups_load import LegLoad, UpsLegDynamics
from symoro.models.dynamic.setting import gravity
from symoro.models.solvers import Solution, solve_pivoted
from symoro.models.spatial import ArticulatedInertia, Symmetric, Wrench
from symoro.program.builder import Builder
from symoro.robot.platform import ParallelRobot


class GoughStewart:
    """Platform and legs at a pose.

    Arguments:
        folds: of each leg, 1 or 2.
    """

    def __init__(
        self, builder: Builder, parallel: ParallelRobot, pose: PlatformPose, folds: Sequence[int]
    ) -> None:
        self.builder, self.parallel, self.pose, self.folds = builder, parallel, pose, folds
        legs = ups_legs(builder, parallel)
        if len(legs) != 6:
            raise NotApplicableError(f"a platform on legs with balls needs six of them, got {len(legs)}")
        self.postures = [leg_posture(builder, leg, pose) for leg in legs]
        self.columns = [[*at.u, *cross(at.rho, at.u)] for at in self.postures]

    @cached_property
    def legs(self) -> list[UpsLegDynamics]:
        check_wrenches(self.parallel)
        return [
            UpsLegDynamics(self.builder, self.parallel.robot, self.pose, at, fold)
            for at, fold in zip(self.postures, self.folds, strict=True)
        ]

    @cached_property
    def regular(self) -> Scalar:
        """1 where every leg has its values."""
        return all_of([condition for leg in self.legs for condition in leg.regular])

    def loads(self, motion: PlatformMotion) -> tuple[Wrench, list[LegLoad]]:
        """The wrench of the platform alone, and what each leg asks for."""
        g = gravity(self.builder, self.parallel.robot)
        turning = BodyTurning.of(self.builder, motion.w, motion.wd, "U")
        inertia = platform_inertia(self.builder, self.parallel)
        wrench = platform_wrench(self.builder, inertia, self.pose, motion, turning, g)
        loads = [leg.load(motion, turning, g) for leg in self.legs]
        for load in loads:
            if load.moment is not None:
                wrench = Wrench(wrench.f, add(wrench.m, load.moment))
        return wrench, loads

    def inverse_dynamics(self, motion: PlatformMotion) -> tuple[Vector, Scalar]:
        """tau, and 1 where it has a value."""
        wrench, loads = self.loads(motion)
        found = self._balance(wrench, [load.force for load in loads])
        tau = [x + load.shift for x, load in zip(found.columns[0], loads, strict=True)]
        return tau, all_of([self.regular, found.regular])

    def _balance(self, wrench: Wrench, forces: Sequence[Vector]) -> Solution:
        """Forces along the legs that balance a wrench and forces at the balls."""
        total = self._gathered(wrench, forces)
        named = self.builder.named_array("F", total)
        return solve_pivoted(transpose(self.columns), [list(named)])

    def _gathered(self, wrench: Wrench, forces: Sequence[Vector]) -> Vector:
        force, moment = wrench.f, wrench.m
        for at, f in zip(self.postures, forces, strict=True):
            force = add(force, f)
            moment = add(moment, cross(at.rho, f))
        return [*force, *moment]

    def bias(self, motion: PlatformMotion) -> Vector:
        """H: the wrench at Vd = 0."""
        wrench, loads = self.loads(motion)
        forces = [
            add(load.force, scale(load.shift, at.u)) for load, at in zip(loads, self.postures, strict=True)
        ]
        return self._gathered(wrench, forces)

    def inertia_rows(self) -> Matrix:
        """A: (6,6)."""
        found = self.inertia()
        mass, h, tensor = _full(found.mass), found.h, _full(found.tensor)
        return block([[mass, transpose(h)], [h, tensor]])

    def inertia(self) -> ArticulatedInertia:
        """A over (linear; angular), by its blocks."""
        body = platform_inertia(self.builder, self.parallel)
        s, m = matvec(self.pose.rotation, list(body.ms)), body.m
        tensor = turned_tensor(self.pose.rotation, body)
        for leg in self.legs:
            if leg.axes is None:
                mass = leg.point_mass()[0]
                rho = leg.at.rho
                moved = scale(mass, rho)
                m, s = m + mass, add(s, moved)
                square = dot(rho, moved)
                for r in range(3):
                    for c in range(3):
                        tensor[r][c] = tensor[r][c] + (square if r == c else 0) - moved[r] * rho[c]
        rows: Matrix = [[m if r == c else 0 for c in range(3)] for r in range(3)]
        rows = [[*row, *mixed] for row, mixed in zip(rows, transpose(_hat(s)), strict=True)]
        rows += [[*mixed, *row] for mixed, row in zip(_hat(s), tensor, strict=True)]
        for leg, column in zip(self.legs, self.columns, strict=True):
            _gain(rows, *self._directions(leg, column))
            for inertia, twist in leg.ball_inertia():
                _gain(rows, [twist], [[inertia]])
        return _articulated(rows)

    def _directions(self, leg: UpsLegDynamics, column: Vector) -> tuple[list[Vector], Matrix]:
        """Directions in which a leg is heavy, as twists, and its inertia over them."""
        if leg.axes is None:
            return [column], [[leg.point_mass()[1]]]
        rho = leg.at.rho
        across = [[*e, *cross(rho, e)] for e in (leg.axes.ex, leg.axes.ey)]
        return [*across, column], leg.inertia()

    def direct_dynamics(self, motion: PlatformMotion, tau: Sequence[Scalar]) -> tuple[Vector, Scalar]:
        """Vd = A^-1 (sum w_i tau_i - H), and 1 where it has a value."""
        right: Vector = [0] * 6
        for column, torque in zip(self.columns, tau, strict=True):
            right = add(right, scale(torque, column))
        right = subtract(right, self.bias(motion))
        found = self.inertia().solve(Wrench(right[:3], right[3:]))
        return [*found.v, *found.w], self.regular

    def inverse_jacobian(self) -> tuple[Matrix, Scalar]:
        """qda = Jinv V."""
        return self.columns, all_of([at.regular for at in self.postures])

    def jacobian(self) -> tuple[Matrix, Scalar]:
        """V = J qda."""
        found = solve_pivoted(self.columns, identity(6))
        return transpose(found.columns), all_of([found.regular, *(at.regular for at in self.postures)])

    def positions(self) -> tuple[dict[int, Scalar], Scalar]:
        """Every joint of the legs, opened ones included, and 1 where they have a value."""
        robot = self.parallel.robot
        found: dict[int, Scalar] = {}
        conditions: list[Scalar] = []
        for at, fold in zip(self.postures, self.folds, strict=True):
            axes = leg_axes(self.builder, at, fold)
            found |= leg_positions(self.builder, robot, self.pose, at, axes)
            conditions += [at.regular, axes.regular]
        return found, all_of(conditions)


def _full(k: Symmetric) -> Matrix:
    xx, yy, zz, xy, xz, yz = k
    return [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]


def _hat(s: Vector) -> Matrix:
    return [[0, -s[2], s[1]], [s[2], 0, -s[0]], [-s[1], s[0], 0]]


def _gain(rows: Matrix, directions: Sequence[Vector], inertia: Matrix) -> None:
    """Add W M W' to the upper half of a symmetric matrix."""
    weighted = [
        [
            sum((m * w[k] for m, w in zip(row[1:], directions[1:], strict=True)), row[0] * directions[0][k])
            for k in range(6)
        ]
        for row in inertia
    ]
    for r in range(6):
        for c in range(r, 6):
            for w, y in zip(directions, weighted, strict=True):
                rows[r][c] = rows[r][c] + w[r] * y[c]


def _articulated(rows: Matrix) -> ArticulatedInertia:
    def half(offset: int) -> Symmetric:
        xx, yy, zz, xy, xz, yz = (
            rows[offset + r][offset + c] for r, c in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
        )
        return xx, yy, zz, xy, xz, yz

    h = [[rows[c][3 + r] for c in range(3)] for r in range(3)]
    return ArticulatedInertia(half(0), h, half(3))
