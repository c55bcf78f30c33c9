"""The forces of a robot on wheels, projected on its active joints: what the wheels' contacts bear drops out.

The robot is taken for one on a free base, with [wrench on the base; tau_tree] = A [Vd0; qdd] + H of the tree. The base
moves in the plane, so of the wrench the forces along x and y and the moment about z count; the contacts do no work in
x = G qda, so

    tau = G' [f0x f0y m0z tau_tree],    A_c = G' A G,    H_c = tau at qdda = 0, with the drift of the constraints

Friction and rotors of passive joints are in tau_tree. Gravity is vertical: the heading of the robot is no input.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symoro.expr.linalg import Matrix, Vector, matmul, matvec, transpose
from symoro.expr.scalar import Scalar
from symoro.models.catalogue import Option
from symoro.models.coordinates.couplings import Ratios
from symoro.models.dynamic.composite import inverse_inertia, symmetric
from symoro.models.dynamic.floating.forces import FloatingForces
from symoro.models.dynamic.floating.inertia import FloatingInertia
from symoro.models.dynamic.formulation import Formulation
from symoro.models.dynamic.setting import gravity
from symoro.models.kinematic.wheels.rolling import Rolling, rolling
from symoro.models.kinematic.wheels.setting import on_wheels
from symoro.models.solvers import TreeFactors, chain_parents
from symoro.program.builder import Builder
from symoro.robot.description import Robot

PLANAR = (0, 1, 5)
"""Along x, along y, about z: the entries of a twist or wrench that a base on the ground has."""
SURPLUS = Option(
    "surplus",
    "active joints beyond the freedoms: refuse them, or share the torques with the least sum of squares; "
    "qda and qdda are then of the first ones that determine the motion, tau of all",
    "choice",
    "refuse",
    ("refuse", "share"),
)
APPLIES_TO = "trees with rigid joints on a wheeled base whose wheels are described"


def rigid_on_wheels(robot: Robot) -> str | None:
    """Why the dynamic models of robots on wheels do not apply, if so."""
    if any(frame.eta for frame in robot.frames):
        return "it has elastic joints, which are not combined with wheels"
    if not all(g.is_zero for g in robot.base.G[:2]):
        return "its gravity is not vertical, and the heading of a robot on wheels is no input"
    return on_wheels(robot)


@dataclass(frozen=True)
class WheeledForces:
    """Torques of any number of motions in one program."""

    builder: Builder
    motion: Rolling
    forces: FloatingForces
    down: Vector

    def torques(self, qda: Sequence[Scalar], qdda: Sequence[Scalar], *, friction: bool = True) -> Vector:
        """tau of the active joints."""
        x = self.motion.rates(qda)
        return self.of(x, self.motion.accelerations(x, qdda), friction=friction)

    def of(self, x: Vector, xd: Vector, *, friction: bool = True) -> Vector:
        """The same at a motion of base and joints, the acceleration as a derivative of the entries."""
        qd, qdd = self.motion.tree(x), self.motion.tree(xd)
        found = self.forces.given(self.motion.base(x, xd), self.down, qd, qdd, friction=friction)
        rows = found.rows()
        return self.motion.project([*(rows[k] for k in PLANAR), *rows[6:]])

    def shared(self, tau: Vector) -> Vector:
        """The torques of all active joints that do the work of tau, with the least sum of squares: T (T'T)^-1 tau."""
        if self.motion.drives == self.motion.active:
            return tau
        t = self.motion.of_drives()
        return matvec(t, solved(symmetric(matmul(transpose(t), t)), tau))

    def mass(self) -> FloatingInertia:
        """The inertia of the tree and of its base."""
        return FloatingInertia(self.builder, self.forces.robot, self.forces.tree, self.forces.joints)

    def inertia(self, mass: FloatingInertia | None = None) -> Matrix:
        """A_c."""
        whole = (mass or self.mass()).matrix()
        kept = [*PLANAR, *range(6, len(whole))]
        a = [[whole[r][c] for c in kept] for r in kept]
        g = self.motion.G
        return symmetric(matmul(transpose(g), matmul(a, g)))


def solved(a: Matrix, b: Vector) -> Vector:
    """x with a x = b, each coordinate as if it stood on the one before."""
    n = len(b)
    entries = {(i + 1, j + 1): a[i][j] for j in range(n) for i in range(j + 1)}
    factors = TreeFactors(entries, chain_parents(range(1, n + 1)), inverse_inertia)
    return list(factors.solve(dict(enumerate(b, 1))).values())


def wheeled_forces(
    builder: Builder, robot: Robot, formulation: Formulation, *, surplus: bool = False
) -> WheeledForces:
    """Declare q, and what is left of the robot's description."""
    motion = rolling(builder, robot, surplus=surplus)
    joints = Ratios(motion.joints.own, motion.positions, motion.joints.rows)
    forces = FloatingForces(builder, robot.floating(), formulation, joints)
    return WheeledForces(builder, motion, forces, gravity(builder, robot))
