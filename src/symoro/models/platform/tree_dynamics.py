"""Dynamics of a platform by the tree of its legs: the joints follow the twist of the platform, q' = G V.

With Gamma the torques of the tree and A_t its inertia,

    F = A Vd + H = G' Gamma,    A = G' A_t G,    G_a' tau + C' multipliers = F

so that J' A J and J' (A Vd + H) are inertia and torques of the active joints. Leg 1 carries the platform. Where the end
joints are balls or universal joints without inertia and friction, the arms alone are the tree, and the platform is a
body of its own with the inertia A_p and the wrench F_p about its origin:

    F = G' Gamma + F_p,    A = G' A_t G + A_p

The joints of a ball do not enter then, so that a posture in which its three turns are singular is a regular one.

W. Khalil, O. Ibrahim, "General solution for the dynamic modeling of parallel robots", Journal of Intelligent and
Robotic Systems 49, 2007.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from symoro.expr.linalg import (
    Matrix,
    Vector,
    add,
    block,
    identity,
    matadd,
    matmul,
    matvec,
    skew,
    subtract,
    transpose,
)
from symoro.expr.scalar import Scalar
from symoro.models.coordinates.couplings import coordinates_at
from symoro.models.dynamic.composite import full_matrix, symmetric, tree_inertia
from symoro.models.dynamic.formulation import quick
from symoro.models.dynamic.setting import exerts, gravity
from symoro.models.dynamic.torques import Torques
from symoro.models.platform.body import AngularMotion, platform_inertia, platform_wrench, tensor_in_frame_0
from symoro.models.platform.coordinates import PlatformCoordinates
from symoro.models.platform.leg import Leg, legs_of
from symoro.models.platform.pose import PlatformMotion, PlatformPose
from symoro.models.recursion import local_frames
from symoro.program.builder import Builder
from symoro.robot.description import DRIVE, INERTIAL, Robot
from symoro.robot.platform import ParallelRobot
from symoro.robot.topology import moving_joints


class TreeOfLegsDynamics:
    """Platform and legs at a pose.

    Arguments:
        modes: working mode of each leg, 1 or 2.
    """

    def __init__(
        self, builder: Builder, parallel: ParallelRobot, pose: PlatformPose, modes: Sequence[int]
    ) -> None:
        self.builder, self.parallel, self.pose = builder, parallel, pose
        legs = legs_of(builder, parallel)
        self.free_platform = _has_light_ends(parallel, legs)
        self.tree = _arms(parallel) if self.free_platform else parallel.robot.tree()
        self.coordinates = PlatformCoordinates(
            builder, parallel, legs, pose, modes, end_joints=not self.free_platform
        )

    @property
    def is_constrained(self) -> bool:
        """Whether the entries of V depend on each other."""
        return bool(self.coordinates.constraints)

    def positions(self) -> tuple[dict[int, Scalar], list[Scalar]]:
        """Return the positions of all joints of the legs, cut joints included, and where they have values."""
        return self.coordinates.positions(), self.coordinates.reached()

    # -- kinematics

    def allowed(self, motion: PlatformMotion, *, acceleration: bool = True) -> list[Scalar]:
        """Return conditions: each is 1 where the legs allow the motion."""
        return self.coordinates.allowed(motion, acceleration=acceleration)

    def inverse_jacobian(self) -> tuple[Matrix, list[Scalar]]:
        """Return the matrix of q'_a = Jinv V, and where it has values."""
        return [self.coordinates.twist(row) for row in self.coordinates.actuation()], self.regular()

    def jacobian(self) -> tuple[Matrix, list[Scalar]]:
        """Return the matrix of V = J q'_a, and where it has values."""
        count = len(self.coordinates.freedoms)
        solution = self.coordinates.solve(identity(count)[: len(self.coordinates.active)])
        columns = [self.coordinates.twist(column) for column in solution.columns]
        return transpose(columns), [*self.regular(), solution.regular]

    # -- dynamics

    def regular(self) -> list[Scalar]:
        """Return conditions: each is 1 where a leg has its values."""
        return self.coordinates.regular()

    @cached_property
    def _torques(self) -> Torques:
        q, joints, every = self.coordinates.positions(), self.coordinates.joints, moving_joints(self.tree)
        named = {
            j: self.builder.named(f"q{j}", q[j]) if j in joints else self.builder.number(0) for j in every
        }
        return Torques(
            self.builder, self.tree, quick(self.tree), coordinates_at(self.tree, named, self.builder.formula)
        )

    def _forces(self, motion: PlatformMotion) -> Vector:
        """Return F over the freedoms."""
        joints = self.coordinates.joints
        every = moving_joints(self.tree)
        rates, accelerations = (
            {j: x.get(j, self.builder.number(0)) for j in every} for x in self.coordinates.motion(motion)
        )
        gamma = dict(zip(every, self._torques.at(rates, accelerations), strict=True))
        forces = self.coordinates.project([gamma[j] for j in joints])
        return add(forces, self._platform_wrench(motion)) if self.free_platform else forces

    def _platform_wrench(self, motion: PlatformMotion) -> Vector:
        """Return F_p: (6)."""
        angular = AngularMotion.of(self.builder, motion.w, motion.wd, "U")
        inertia = platform_inertia(self.builder, self.parallel)
        g = gravity(self.builder, self.parallel.robot)
        wrench = platform_wrench(self.builder, inertia, self.pose, motion, angular, g)
        return [*wrench.f, *wrench.m]

    def _inertia(self) -> Matrix:
        """Return A over the freedoms."""
        joints, g = self.coordinates.joints, self.coordinates.matrix()
        frames = local_frames(self.builder, self.tree, self._torques.joints.positions)
        entries = full_matrix(tree_inertia(self.builder, self.tree, frames), joints)
        inertia = symmetric(matmul(transpose(g), matmul(entries, g)))
        if not self.free_platform:
            return inertia
        body = platform_inertia(self.builder, self.parallel)
        hat = skew(matvec(self.pose.rotation, list(body.ms)))
        mass = [[body.m if r == c else 0 for c in range(3)] for r in range(3)]
        tensor = tensor_in_frame_0(self.pose.rotation, body)
        return matadd(inertia, block([[mass, transpose(hat)], [hat, tensor]]))

    def efforts(self, motion: PlatformMotion) -> Vector:
        """Return A Vd + H: (6)."""
        return self.coordinates.twist(self._forces(motion))

    def inertia(self) -> Matrix:
        """Return A: (6,6)."""
        place = {k: i for i, k in enumerate(self.coordinates.freedoms)}
        a = self._inertia()
        return [
            [a[place[r]][place[c]] if r in place and c in place else 0 for c in range(6)] for r in range(6)
        ]

    def torques(self, motion: PlatformMotion) -> tuple[Vector, list[Scalar]]:
        """Return tau, and where it has values."""
        solution = self.coordinates.balance(self._forces(motion))
        tau = solution.columns[0][: len(self.coordinates.active)]
        return tau, [*self.regular(), solution.regular, *self.allowed(motion)]

    def accelerations(self, motion: PlatformMotion, tau: Sequence[Scalar]) -> tuple[Vector, list[Scalar]]:
        """Return Vd, and where it has values."""
        coordinates = self.coordinates
        right = subtract(matvec(transpose(coordinates.actuation()), tau), self._forces(motion))
        solution = coordinates.accelerate(self._inertia(), right, coordinates.drifts(motion))
        vd = coordinates.twist(solution.columns[0][: len(coordinates.freedoms)])
        return vd, [*self.regular(), solution.regular, *self.allowed(motion, acceleration=False)]


def _has_light_ends(parallel: ParallelRobot, legs: Sequence[Leg]) -> bool:
    """Return whether balls have neither inertia nor friction, and no wrench acts on them or on the platform."""
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
    return not any(exerts(link) for link in loaded)


def _arms(parallel: ParallelRobot) -> Robot:
    """Return the tree with a platform without inertia, so that its torques are those of the arms."""
    tree = replace(parallel.robot.tree(), payload=None)
    for j in parallel.body:
        tree = tree.with_link(j, **dict.fromkeys(INERTIAL, 0))
    return tree
