"""Platform as one rigid body: wrench and inertia in the axes of frame 0.

    F = M (vd - g) + U S,    N = R n + S x (vd - g),    S = R MS,    U = hat(wd) + hat(w) hat(w)

n is the moment J wd + w x (J w) in the platform's axes, written with the entries of U so that products of velocities
are shared (Khalil 2010, eq. 9).
"""

from __future__ import annotations

from dataclasses import dataclass

from symoro.errors import NotApplicableError
from symoro.expr.linalg import Matrix, Vector, add, cross, matadd, matmul, matvec, scale, subtract, transpose
from symoro.expr.scalar import Scalar
from symoro.models.dynamic.inertia import link_inertias
from symoro.models.geometric.fixed_placements import between
from symoro.models.joints import is_zero
from symoro.models.platform.pose import PlatformMotion, PlatformPose
from symoro.models.regrouping import carried, of_matrix
from symoro.models.spatial import Inertia, Symmetric, Wrench
from symoro.program.builder import Builder
from symoro.robot.platform import ParallelRobot


def platform_inertia(builder: Builder, parallel: ParallelRobot) -> Inertia:
    """Return the inertia of the platform with all links that are fixed to it, in the platform's frame.

    Raises:
        NotApplicableError: the payload is not on the platform.
    """
    robot = parallel.robot
    if robot.payload and robot.tool and robot.tool.place.ant not in parallel.body:
        raise NotApplicableError("the payload is not on the platform", hint="attach the tool to the platform")
    inertias = link_inertias(builder, robot)
    own = inertias[parallel.platform]
    others = [j for j in parallel.body if j != parallel.platform and _has_mass(inertias[j])]
    total = own.matrix()
    for j in others:
        place = between(builder, robot, parallel.platform, j, parallel.body)
        total = matadd(
            total,
            carried(inertias[j].matrix(), [row[:3] for row in place[:3]], [row[3] for row in place[:3]]),
        )
    return of_matrix(total) if others else own


def _has_mass(inertia: Inertia) -> bool:
    return not all(is_zero(x) for x in (*inertia.k, *inertia.ms, inertia.m))


@dataclass(frozen=True)
class AngularMotion:
    """Angular motion of a body, with the products of velocities that several equations use.

    Attributes:
        wd: angular acceleration.
        u: the matrix U = hat(wd) + hat(w) hat(w), with the angular velocity w.
        xy, xz, yz: products of the components of w.
        squares: squares of the components of w.
    """

    wd: Vector
    u: Matrix
    xy: Scalar
    xz: Scalar
    yz: Scalar
    squares: Vector

    @classmethod
    def of(cls, builder: Builder, w: Vector, wd: Vector, name: str = "") -> AngularMotion:
        xy, xz, yz = w[0] * w[1], w[0] * w[2], w[1] * w[2]
        squares = [x * x for x in w]
        u: Matrix = [
            [-(squares[1] + squares[2]), xy - wd[2], xz + wd[1]],
            [xy + wd[2], -(squares[0] + squares[2]), yz - wd[0]],
            [xz - wd[1], yz + wd[0], -(squares[0] + squares[1])],
        ]
        if name:
            u = [
                [builder.named(f"{name}{r}{c}", x) for c, x in enumerate(row, 1)]
                for r, row in enumerate(u, 1)
            ]
        return cls(list(wd), u, xy, xz, yz, squares)

    def moment(self, tensor: Symmetric) -> Vector:
        """Return the inertial moment J wd + w x (J w) for the inertia tensor J = (XX XY XZ YY YZ ZZ)."""
        xx, xy, xz, yy, yz, zz = tensor
        (_, u12, u13), (u21, _, u23), (u31, u32, _) = self.u
        sx, sy, sz = self.squares
        wd = self.wd
        return [
            xx * wd[0] + (zz - yy) * self.yz + xz * u21 - xy * u31 + yz * (sy - sz),
            yy * wd[1] + (xx - zz) * self.xz + xy * u32 - yz * u12 + xz * (sz - sx),
            zz * wd[2] + (yy - xx) * self.xy + yz * u13 - xz * u23 + xy * (sx - sy),
        ]


def platform_wrench(
    builder: Builder,
    inertia: Inertia,
    pose: PlatformPose,
    motion: PlatformMotion,
    angular: AngularMotion,
    gravity: Vector,
) -> Wrench:
    """Return the wrench that a motion of the platform requires.

    Args:
        inertia: inertia of the platform, in its frame.
        pose, motion: pose and motion of the platform.
        angular: angular motion of the platform in the axes of frame 0.
        gravity: gravity in frame 0.

    Returns:
        Force, and moment about the origin of the platform's frame, in the axes of frame 0.
    """
    a = subtract(motion.vd, gravity)
    s = matvec(pose.rotation, list(inertia.ms))
    back = transpose(pose.rotation)
    own = AngularMotion.of(builder, matvec(back, motion.w), matvec(back, motion.wd))
    moment = matvec(pose.rotation, own.moment(inertia.tensor()))
    force = add(scale(inertia.m, a), matvec(angular.u, s))
    return Wrench(force, add(moment, cross(s, a)))


def tensor_in_frame_0(rotation: Matrix, inertia: Inertia) -> Matrix:
    """Return R J R', the platform's inertia tensor in the axes of frame 0.

    Args:
        rotation: rotation matrix R of the platform.
        inertia: inertia of the platform, with the tensor J in its own axes.
    """
    xx, xy, xz, yy, yz, zz = inertia.tensor()
    return matmul(matmul(rotation, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), transpose(rotation))
