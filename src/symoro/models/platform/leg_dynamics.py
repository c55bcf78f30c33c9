"""Dynamics of a Gough-Stewart platform: its legs are loads on one free body.

    A Vd + H = sum_i w_i tau_i,     w_i = (u_i; rho_i x u_i),     tau = J' (A Vd + H)

The columns w_i are the rows of the inverse Jacobian. Legs as bodies of revolution count as point masses I/L^2 at their
balls and a further mass along u. A force along a leg changes the unknown of that leg alone, so it is kept apart. By the
tree and its loops the same models need about three times the operations.

W. Khalil, ICINCO 2010, section 5, eq. (59) to (66); W. Khalil, S. Guegan, "Inverse and direct dynamic modeling of
Gough-Stewart robots", IEEE Transactions on Robotics and Automation 20(4), 2004.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from symoro.expr.linalg import (
    Matrix,
    Vector,
    add,
    block,
    cross,
    dot,
    matvec,
    scale,
    subtract,
    transpose,
)
from symoro.expr.scalar import Scalar
from symoro.models.coordinates.blocks import Coordinate, Values
from symoro.models.dynamic.setting import exerts, gravity
from symoro.models.dynamic.tree_dynamics import Known, Method, Solution, State
from symoro.models.platform.body import AngularMotion, platform_inertia, platform_wrench, tensor_in_frame_0
from symoro.models.platform.coordinates import TWIST, PlatformActuation, TwistCoordinates, motion_of, require
from symoro.models.platform.pose import PlatformMotion, PlatformPose
from symoro.models.platform.ups import UpsLeg, leg_axes, leg_positions, leg_posture, ups_legs
from symoro.models.platform.ups_dynamics import LegLoad, UpsLegDynamics
from symoro.models.spatial import ArticulatedInertia, Symmetric, Wrench
from symoro.program.builder import Builder
from symoro.robot.description import INERTIAL
from symoro.robot.platform import ParallelRobot


def light_ups_legs(builder: Builder, parallel: ParallelRobot) -> list[UpsLeg] | None:
    """Return six UPS legs with balls without mass, and no external wrench on any link; otherwise None."""
    robot = parallel.robot
    legs = ups_legs(builder, parallel)
    if legs is None or len(legs) != 6:
        return None
    balls = [robot.link(j) for leg in legs for j in leg.joints[3:5]]
    if any(not getattr(link, name).is_zero for link in balls for name in INERTIAL):
        return None
    links = [*robot.links, *([robot.payload] if robot.payload else [])]
    return None if any(exerts(link) for link in links) else legs


class LegCoordinates(TwistCoordinates):
    """The twist of a platform on six UPS legs. There is no tree: no joint of the legs is computed.

    Arguments:
        modes: working mode of each leg, 1 or 2.
    """

    is_constrained = False

    def __init__(
        self,
        builder: Builder,
        parallel: ParallelRobot,
        legs: Sequence[UpsLeg],
        pose: PlatformPose,
        modes: Sequence[int],
    ) -> None:
        self.builder, self.parallel, self.pose, self.modes = builder, parallel, pose, modes
        self.postures = [leg_posture(builder, leg, pose) for leg in legs]
        self.rows = [[*at.u, *cross(at.rho, at.u)] for at in self.postures]
        self.tree, self.own = (), TWIST
        self.positions: dict[int, Scalar] = {}

    def joint_positions(self) -> tuple[dict[int, Scalar], list[Scalar]]:
        positions: dict[int, Scalar] = {}
        conditions: list[Scalar] = []
        for at, mode in zip(self.postures, self.modes, strict=True):
            axes = leg_axes(self.builder, at, mode)
            positions |= leg_positions(self.builder, self.parallel.robot, self.pose, at, axes)
            conditions += [at.regular, axes.regular]
        return positions, conditions

    def regular(self) -> list[Scalar]:
        return [at.regular for at in self.postures]

    def allows_velocity(self, nu: Values) -> list[Scalar]:
        return []  # the legs allow every motion

    @property
    def actuation(self) -> PlatformActuation:
        drives = tuple(at.leg.joints[2] for at in self.postures)
        return PlatformActuation(drives, self.rows, builder=self.builder)

    def rates(self, nu: Values) -> dict[Coordinate, Scalar]:
        return {}

    def accelerations(self, nud: Values, nu: Values) -> dict[Coordinate, Scalar]:
        return {}

    def project(self, forces: Values) -> dict[Coordinate, Scalar]:
        return dict.fromkeys(self.own, 0)

    def matrix(self) -> Matrix:
        return []


class LegDynamics:
    """The equations of motion of a platform on six UPS legs, with the interface of `TreeDynamics`."""

    def __init__(self, provider: LegCoordinates) -> None:
        self.provider, self.builder, self.parallel = provider, provider.builder, provider.parallel

    @cached_property
    def legs(self) -> list[UpsLegDynamics]:
        provider = self.provider
        return [
            UpsLegDynamics(self.builder, self.parallel.robot, provider.pose, at, mode)
            for at, mode in zip(provider.postures, provider.modes, strict=True)
        ]

    def _require_regular(self) -> None:
        require(self.builder, [condition for leg in self.legs for condition in leg.regular])

    def state(self, nu: Values) -> State:
        """Return the velocities; no joint has one."""
        return State(nu, {})

    def loads(self, motion: PlatformMotion) -> tuple[Wrench, list[LegLoad]]:
        """Return the wrench of the platform alone, and the load of each leg."""
        g = gravity(self.builder, self.parallel.robot)
        angular = AngularMotion.of(self.builder, motion.w, motion.wd, "U")
        inertia = platform_inertia(self.builder, self.parallel)
        wrench = platform_wrench(self.builder, inertia, self.provider.pose, motion, angular, g)
        loads = [leg.load(motion, angular, g) for leg in self.legs]
        for load in loads:
            if load.moment is not None:
                wrench = Wrench(wrench.f, add(wrench.m, load.moment))
        return wrench, loads

    def _total(self, wrench: Wrench, forces: Sequence[Vector]) -> Vector:
        """Return the sum of a wrench on the platform and of forces at the balls."""
        force, moment = wrench.f, wrench.m
        for at, f in zip(self.provider.postures, forces, strict=True):
            force = add(force, f)
            moment = add(moment, cross(at.rho, f))
        return [*force, *moment]

    def _efforts(self, motion: PlatformMotion) -> Vector:
        wrench, loads = self.loads(motion)
        directions = [at.u for at in self.provider.postures]
        forces = [add(load.force, scale(load.along, u)) for load, u in zip(loads, directions, strict=True)]
        return self._total(wrench, forces)

    def efforts(
        self, state: State, nud: Values, gravity: Vector | None = None, *, elements: bool = True
    ) -> dict[Coordinate, Scalar]:
        """Return A Vd + H; gravity and force elements are those of the robot."""
        self._require_regular()
        return dict(zip(TWIST, self._efforts(motion_of(state.nu, nud)), strict=True))

    def inertia(self) -> Matrix:
        """Return A: (6,6)."""
        parts = self._inertia()
        self._require_regular()
        return block([[_full(parts.mass), transpose(parts.h)], [parts.h, _full(parts.tensor)]])

    def methods(self, known: Known) -> list[Method]:
        """Return the algorithm: the twist is acceleration-driven or force-driven as a whole."""
        return [Method.PARTITION] if known.forces else [Method.WALK]

    def solve(self, state: State, known: Known, method: Method) -> Solution:
        """Return accelerations and forces; forces along the legs are returned as those of their drives."""
        if method is Method.WALK:
            wrench, loads = self.loads(motion_of(state.nu, known.accelerations))
            total = self.builder.named_array("F", self._total(wrench, [load.force for load in loads]))
            self._require_regular()
            forces = dict(zip(TWIST, total, strict=True))
            return Solution(known.accelerations, forces, tuple(load.along for load in loads))
        right = subtract(list(known.forces.values()), self._efforts(motion_of(state.nu, {})))
        twist = self._inertia().solve(Wrench(right[:3], right[3:]))
        self._require_regular()
        return Solution(dict(zip(TWIST, [*twist.v, *twist.w], strict=True)), known.forces)

    def _inertia(self) -> ArticulatedInertia:
        """Return A over (linear; angular), by its blocks."""
        body = platform_inertia(self.builder, self.parallel)
        s, m = matvec(self.provider.pose.rotation, list(body.ms)), body.m
        tensor = tensor_in_frame_0(self.provider.pose.rotation, body)
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
        for leg, column in zip(self.legs, self.provider.rows, strict=True):
            _gain(rows, *self._directions(leg, column))
            for inertia, twist in leg.ball_inertia():
                _gain(rows, [twist], [[inertia]])
        return _articulated(rows)

    def _directions(self, leg: UpsLegDynamics, column: Vector) -> tuple[list[Vector], Matrix]:
        """Return the directions in which a leg has inertia, as twists, and its inertia over them."""
        if leg.axes is None:
            return [column], [[leg.point_mass()[1]]]
        rho = leg.at.rho
        across = [[*e, *cross(rho, e)] for e in (leg.axes.ex, leg.axes.ey)]
        return [*across, column], leg.inertia()


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
