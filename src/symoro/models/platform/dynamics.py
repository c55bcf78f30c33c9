"""Dynamics of a platform by the tree of its legs; the twist of the platform determines the joint rates, q' = G V.

With Gamma the torques of the tree and A_t its inertia matrix,

    F = A Vd + H = G' Gamma,    A = G' A_t G,    G_a' tau + C' multipliers = F

so that J' A J and J' (A Vd + H) are inertia matrix and torques of the active joints. Leg 1 carries the platform. If the
end joints are ball or universal joints without inertia and friction, the tree consists of the arms alone, and the
platform is a separate body with the inertia A_p and the wrench F_p about its origin:

    F = G' Gamma + F_p,    A = G' A_t G + A_p

The joint angles of ball joints are then not needed, so that their singular configurations have no effect.

Six UPS legs with massless ball joints have special equations with fewer operations and the same interface
(`leg_dynamics`).

W. Khalil, O. Ibrahim, "General solution for the dynamic modeling of parallel robots", Journal of Intelligent and
Robotic Systems 49, 2007.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symoro.expr.linalg import Matrix, Vector, block, matadd, matvec, skew, transpose
from symoro.expr.scalar import Scalar
from symoro.models.coordinates.blocks import Coordinate, Values
from symoro.models.dynamic.force_elements import ForceElements
from symoro.models.dynamic.formulation import quick
from symoro.models.dynamic.setting import has_wrench
from symoro.models.dynamic.tree_dynamics import Known, Method, Solution, State, TreeDynamics
from symoro.models.platform.body import AngularMotion, platform_inertia, platform_wrench, tensor_in_frame_0
from symoro.models.platform.coordinates import PlatformCoordinates, motion_of, require
from symoro.models.platform.leg import Leg, legs_of
from symoro.models.platform.leg_dynamics import LegDynamics, light_ups_legs
from symoro.models.platform.pose import PlatformPose, pose_input, working_modes
from symoro.models.platform.ups import LegCoordinates
from symoro.program.builder import Builder
from symoro.robot.description import DRIVE, INERTIAL, JointType, Robot
from symoro.robot.platform import ParallelRobot, parallel_robot


class PlatformDynamics(TreeDynamics):
    """Equations of motion of a platform with legs; the coordinates are entries of the platform's twist.

    The platform is a separate body if the end joints have no inertia and friction; otherwise it belongs to the tree of
    the legs.
    """

    provider: PlatformCoordinates

    def __init__(self, provider: PlatformCoordinates) -> None:
        builder, parallel = provider.builder, provider.parallel
        self.parallel, self.free_platform = parallel, not provider.end_joints
        legs = [at.leg for at in provider.postures]
        tree = _arms(parallel, legs) if self.free_platform else parallel.robot.tree()
        elements = ForceElements(builder, tree, provider.positions)
        super().__init__(builder, tree, provider, elements, quick(tree))

    def state(self, nu: Values) -> State:
        require(self.builder, self.provider.allows_velocity(nu))
        return super().state(nu)

    def efforts(
        self, state: State, nud: Values, gravity: Vector | None = None, *, elements: bool = True
    ) -> dict[Coordinate, Scalar]:
        require(self.builder, self.provider.regular())
        efforts = super().efforts(state, nud, gravity, elements=elements)
        if not self.free_platform:
            return efforts
        motion = motion_of(state.nu, nud)
        angular = AngularMotion.of(self.builder, motion.w, motion.wd, "U")
        body = platform_inertia(self.builder, self.parallel)
        down = self.gravity if gravity is None else gravity
        wrench = platform_wrench(self.builder, body, self.provider.pose, motion, angular, down)
        return {c: efforts[c] + x for c, x in zip(self.provider.own, [*wrench.f, *wrench.m], strict=True)}

    def inertia(self) -> Matrix:
        require(self.builder, self.provider.regular())
        inertia = super().inertia()
        if not self.free_platform:
            return inertia
        rotation, body = self.provider.pose.rotation, platform_inertia(self.builder, self.parallel)
        hat = skew(matvec(rotation, list(body.ms)))
        mass = [[body.m if r == c else 0 for c in range(3)] for r in range(3)]
        tensor = tensor_in_frame_0(rotation, body)
        return matadd(inertia, block([[mass, transpose(hat)], [hat, tensor]]))

    def methods(self, known: Known) -> list[Method]:
        """Return the algorithm that computes the forces on the platform, or its accelerations.

        Args:
            known: either all accelerations or all forces of the platform.
        """
        return [Method.PARTITION] if known.forces else [Method.WALK]

    def solve(self, state: State, known: Known, method: Method) -> Solution:
        nud, forces = known
        if method is Method.WALK:
            efforts = self.efforts(state, nud)
            require(self.builder, self.provider.allows_acceleration(state.nu, nud))
            return Solution(nud, efforts)
        own = self.provider.own
        at_rest = self.efforts(state, dict.fromkeys(own, 0))
        right = [forces[c] - at_rest[c] for c in own]
        accelerations = self.provider.accelerate(self.inertia(), right, state.nu)
        return Solution(dict(zip(own, accelerations, strict=True)), forces)


def has_light_ends(parallel: ParallelRobot, legs: Sequence[Leg]) -> bool:
    """Return whether the platform can be a separate body, connected to the legs by massless end joints.

    The end joints must have no friction, no external wrench may act on them or on the platform, and no leg may end in a
    single revolute joint.
    """
    if any(len(leg.end) == 1 for leg in legs):
        return False
    robot = parallel.robot
    joints = [j for leg in legs for j in leg.end if j <= robot.NL]
    links = [robot.link(j) for j in joints if j not in parallel.body]
    if any(not getattr(link, name).is_zero for link in links for name in INERTIAL):
        return False
    if any(not getattr(robot.frame(j), name).is_zero for j in joints for name in DRIVE):
        return False
    loaded = [*links, *(robot.link(j) for j in parallel.body), *([robot.payload] if robot.payload else [])]
    return not any(has_wrench(link) for link in loaded)


def _arms(parallel: ParallelRobot, legs: Sequence[Leg]) -> Robot:
    """Return the robot as the tree of its arms: the end joints are fixed, and the platform has no inertia."""
    tree = replace(parallel.robot.tree(), payload=None)
    for j in parallel.body:
        tree = tree.with_link(j, **dict.fromkeys(INERTIAL, 0))
    for j in (j for leg in legs for j in leg.end if j <= tree.NL):
        tree = tree.with_frame(j, sigma=JointType.FIXED)
    return tree


def platform_coordinates(
    builder: Builder, parallel: ParallelRobot, pose: PlatformPose, modes: Sequence[int]
) -> PlatformCoordinates | LegCoordinates:
    """Return the coordinates of a platform at a pose.

    Args:
        modes: working mode of each leg, 1 or 2.

    Raises:
        NotApplicableError: a leg has no closed-form solution, or the number of active joints is wrong.
    """
    ups = light_ups_legs(builder, parallel)
    if ups is not None:
        return LegCoordinates(builder, parallel, ups, pose, modes)
    legs = legs_of(builder, parallel)
    return PlatformCoordinates(
        builder, parallel, legs, pose, modes, end_joints=not has_light_ends(parallel, legs)
    )


def platform_input(
    builder: Builder, robot: Robot, to: int | str | None, working_mode: str
) -> PlatformCoordinates | LegCoordinates:
    """Declare the pose T of the platform as an input and return the coordinates of the platform.

    Args:
        to: frame of the platform; None for the one in the robot description.
        working_mode: one digit (1 or 2) for all legs, or one digit per leg.

    Raises:
        NotApplicableError: the robot is not a platform whose legs have closed-form solutions.
        OptionError: `working_mode` is neither one working mode for all legs nor one per leg.
    """
    parallel = parallel_robot(robot, to)
    pose = pose_input(builder)
    return platform_coordinates(builder, parallel, pose, working_modes(working_mode, len(parallel.legs)))


def platform_dynamics(
    coordinates: PlatformCoordinates | LegCoordinates,
) -> PlatformDynamics | LegDynamics:
    """Return the equations of motion of a platform with the given coordinates."""
    if isinstance(coordinates, LegCoordinates):
        return LegDynamics(coordinates)
    return PlatformDynamics(coordinates)
