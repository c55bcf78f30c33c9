"""Spatial twists, wrenches and inertias, ordered (linear; angular), and their transformation between frames.

With R = iAj, P = iPj and hat(P) the matrix of the product P x, the screw transformation of the papers is

    jTi = [ R'  -R' hat(P) ]       twist    jV = jTi iV               to_child
          [ 0    R'        ]       wrench   if = jTi' jf              to_parent
                                   inertia  iJ = jTi' jJ jTi          to_parent

(Khalil 2010, eq. 17). No 6x6 matrix is formed: a change of frame is a sequence of elementary rotations and a
translation, so that right angles cost no operations.

There are two kinds of inertia. A rigid body, or several bodies that move as one, has ten parameters (`Inertia`). A body
that carries force-driven joints has an articulated-body inertia with 21 entries (`ArticulatedInertia`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symoro.errors import NotApplicableError
from symoro.expr.linalg import (
    Matrix,
    Vector,
    add,
    block,
    cross,
    dot,
    matadd,
    matvec,
    scale,
    subtract,
    transpose,
)
from symoro.expr.scalar import Scalar
from symoro.models.joints import is_zero
from symoro.models.recursion import JointFrame, SinCos, turn_back_z, turn_x, turn_z
from symoro.models.solvers import solve_symmetric

Symmetric = tuple[Scalar, Scalar, Scalar, Scalar, Scalar, Scalar]  # xx yy zz xy xz yz
PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))  # row and column of each entry


@dataclass(frozen=True)
class Twist:
    """Velocity or acceleration of a frame: linear part v of its origin, and angular part w."""

    v: Vector
    w: Vector

    def __add__(self, other: Twist) -> Twist:
        return Twist(add(self.v, other.v), add(self.w, other.w))

    def to_child(self, frame: JointFrame) -> Twist:
        """Return jTi iV, the twist of the antecedent's body at the origin of frame j, in frame j."""
        return self.before_joint(frame).after_joint(frame)

    def before_joint(self, frame: JointFrame) -> Twist:
        """Return the twist at the child's origin, in the child's axes before the joint rotation Rz(theta)."""
        return Twist(
            frame.before_joint(add(self.v, cross(self.w, frame.position))), frame.before_joint(self.w)
        )

    def after_joint(self, frame: JointFrame) -> Twist:
        """Transform a twist that `before_joint` returned to the child's axes after the joint rotation Rz(theta)."""
        return Twist(turn_back_z(frame.theta, self.v), turn_back_z(frame.theta, self.w))


def along(frame: JointFrame, x: Scalar) -> Twist:
    """Return x ja_j, the twist of joint j at the joint rate x, with ja_j = (0, 0, sigma; 0, 0, 1 - sigma) (eq. 16)."""
    return Twist([0, 0, x if frame.prismatic else 0], [0, 0, x if frame.revolute else 0])


@dataclass(frozen=True)
class Wrench:
    """Force f, and moment m about the origin of a frame."""

    f: Vector
    m: Vector

    def __add__(self, other: Wrench) -> Wrench:
        return Wrench(add(self.f, other.f), add(self.m, other.m))

    def __sub__(self, other: Wrench) -> Wrench:
        return Wrench(subtract(self.f, other.f), subtract(self.m, other.m))

    def __neg__(self) -> Wrench:
        return self.times(-1)

    def times(self, x: Scalar) -> Wrench:
        return Wrench(scale(x, self.f), scale(x, self.m))

    def dot(self, twist: Twist) -> Scalar:
        """Return the scalar product of the wrench with a twist, the power of the wrench."""
        return dot([*self.f, *self.m], [*twist.v, *twist.w])

    def along(self, frame: JointFrame) -> Scalar:
        """Return ja_j' f, the component of the wrench along the joint axis (joint torque or force)."""
        return self.f[2] if frame.prismatic else self.m[2]

    def to_parent(self, frame: JointFrame) -> Wrench:
        """Return jTi' jf, the wrench about the origin of the antecedent's frame i, in frame i."""
        force = frame.to_parent(self.f)
        return Wrench(force, add(frame.to_parent(self.m), cross(frame.position, force)))


def turned(turn: SinCos, wrench: Wrench) -> Wrench:
    """Return the wrench with force and moment rotated by Rz(angle); `turn` contains the sine and cosine."""
    return Wrench(turn_z(turn, wrench.f), turn_z(turn, wrench.m))


@dataclass(frozen=True)
class Inertia:
    """Inertia of a rigid body: pseudo-inertia k = (Kxx Kyy Kzz Kxy Kxz Kyz), first moments ms, mass m.

    `given` contains the inertia tensor XX XY XZ YY YZ ZZ if the body was described by it.
    """

    k: Symmetric
    ms: tuple[Scalar, Scalar, Scalar]
    m: Scalar
    given: Symmetric | None = None

    def matrix(self) -> Matrix:
        """Return the 4x4 pseudo-inertia matrix."""
        xx, yy, zz, xy, xz, yz = self.k
        x, y, z = self.ms
        return [[xx, xy, xz, x], [xy, yy, yz, y], [xz, yz, zz, z], [x, y, z, self.m]]

    def tensor(self) -> Symmetric:
        """Return the entries XX XY XZ YY YZ ZZ of the inertia tensor about the frame's origin."""
        if self.given is not None:
            return self.given
        xx, yy, zz, xy, xz, yz = self.k
        return yy + zz, -xy, -xz, xx + zz, -yz, xx + yy

    def articulated(self) -> ArticulatedInertia:
        """Return the body as a spatial inertia with 21 entries (eq. 11)."""
        xx, xy, xz, yy, yz, zz = self.tensor()
        x, y, z = self.ms
        m = self.m
        hat: Matrix = [[0, -z, y], [z, 0, -x], [-y, x, 0]]
        return ArticulatedInertia((m, m, m, 0, 0, 0), hat, (xx, yy, zz, xy, xz, yz))

    def __matmul__(self, twist: Twist) -> Wrench:
        return self.articulated() @ twist

    def column(self, frame: JointFrame) -> Wrench:
        """Return J a, the wrench at unit acceleration along the joint axis a (J is the spatial inertia)."""
        return self.articulated().column(frame)

    def to_parent(self, frame: JointFrame, onto: Inertia | None = None) -> Inertia:
        """Return iTj P iTj' + onto: the inertia transformed to the antecedent's frame i, plus the inertia `onto`.

        With s = iAj MS and h = s + M P, K is increased by s P' + P h'.
        """
        p = frame.position
        s = frame.to_parent(self.ms)
        h = [x + self.m * y for x, y in zip(s, p, strict=True)]
        turned = turned_to_parent(frame, self.k)
        gained: Symmetric = (
            p[0] * (s[0] + h[0]),
            p[1] * (s[1] + h[1]),
            p[2] * (s[2] + h[2]),
            p[0] * s[1] + h[0] * p[1],
            p[0] * s[2] + h[0] * p[2],
            p[1] * s[2] + h[1] * p[2],
        )
        onto = onto or ZERO_INERTIA
        k = _sum(onto.k, turned, gained)
        x, y, z = add(onto.ms, h)
        return Inertia(k, (x, y, z), onto.m + self.m)

    def centre(self) -> Vector:
        """Return the centre of mass c = MS / M.

        Raises:
            NotApplicableError: the mass is zero.
        """
        return scale(_inverse(self.m), self.ms)

    def central(self) -> Matrix:
        """Return the inertia tensor about the centre of mass, as a 3x3 matrix."""
        c, (x, y, z) = self.centre(), self.ms
        xx, xy, xz, yy, yz, zz = self.tensor()
        xy, xz, yz = xy + x * c[1], xz + x * c[2], yz + y * c[2]
        xx, yy, zz = xx - (y * c[1] + z * c[2]), yy - (x * c[0] + z * c[2]), zz - (x * c[0] + y * c[1])
        return [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]

    def solve(self, wrench: Wrench) -> Twist:
        """Return the twist V with J V = f, where J is the spatial inertia and f the wrench.

        The tensor about the centre of mass is used, with three divisions and 1 / M.

        Raises:
            NotApplicableError: the inertia is singular.
        """
        c = self.centre()
        w = _solved(self.central(), subtract(wrench.m, cross(c, wrench.f)))
        return Twist(subtract(scale(_inverse(self.m), wrench.f), cross(w, c)), w)


@dataclass(frozen=True)
class ArticulatedInertia:
    """Spatial inertia J = [ mass h' ; h tensor ], which maps (linear; angular) accelerations to wrenches."""

    mass: Symmetric
    h: Matrix
    tensor: Symmetric

    def articulated(self) -> ArticulatedInertia:
        return self

    def __add__(self, other: ArticulatedInertia) -> ArticulatedInertia:
        return ArticulatedInertia(
            _sum(self.mass, other.mass), matadd(self.h, other.h), _sum(self.tensor, other.tensor)
        )

    def __matmul__(self, twist: Twist) -> Wrench:
        mass, tensor = full_matrix(self.mass), full_matrix(self.tensor)
        return Wrench(
            add(matvec(mass, twist.v), matvec(transpose(self.h), twist.w)),
            add(matvec(self.h, twist.v), matvec(tensor, twist.w)),
        )

    def column(self, frame: JointFrame) -> Wrench:
        """Return J a, the wrench at unit acceleration along the joint axis a (J is the spatial inertia)."""
        if frame.prismatic:
            return Wrench(full_matrix(self.mass)[2], [row[2] for row in self.h])
        return Wrench(list(self.h[2]), full_matrix(self.tensor)[2])

    def freed(self, frame: JointFrame, rotor: Scalar, inverse: Scalar) -> ArticulatedInertia:
        """Return the articulated inertia beyond a force-driven joint, J - J a H^-1 a' J with H = a' J a + rotor.

        The column of the result along the axis, J a (1 - a' J a / H), is computed as J a rotor / H, so that it is
        exactly zero without a rotor.

        Args:
            rotor: rotor inertia of the joint.
            inverse: 1 / H.
        """
        u = self.column(frame)
        left = u.times(rotor * inverse)
        freed = self.less(u.times(inverse), u)
        mass, h, tensor = freed.mass, freed.h, freed.tensor
        if frame.prismatic:
            mass = (*mass[:2], left.f[2], mass[3], left.f[0], left.f[1])
            h = [[*row[:2], x] for row, x in zip(h, left.m, strict=True)]
        else:
            tensor = (*tensor[:2], left.m[2], tensor[3], left.m[0], left.m[1])
            h[2] = left.f
        return ArticulatedInertia(mass, h, tensor)

    def less(self, k: Wrench, u: Wrench) -> ArticulatedInertia:
        """Return the inertia J - k u' for two parallel wrenches k and u, for which it is symmetric."""
        mass, tensor = _less(self.mass, k.f, u.f), _less(self.tensor, k.m, u.m)
        h = [[x - a * b for x, b in zip(row, u.f, strict=True)] for row, a in zip(self.h, k.m, strict=True)]
        return ArticulatedInertia(mass, h, tensor)

    def to_parent(self, frame: JointFrame, onto: ArticulatedInertia) -> ArticulatedInertia:
        """Return jTi' J jTi + onto: the inertia transformed to the antecedent's frame i, plus the inertia `onto`.

        With h_i = h + hat(P) mass, the tensor is increased by hat(P) h' - h_i hat(P).
        """
        p = frame.position
        mass = turned_to_parent(frame, self.mass)
        turned = matrix_to_parent(frame, self.h)
        h = matadd(turned, transpose([cross(p, row) for row in full_matrix(mass)]))
        first, second = [cross(p, row) for row in turned], [cross(p, row) for row in h]
        both = [cross(p, add(x, y)) for x, y in zip(turned, h, strict=True)]
        gained: Symmetric = (
            both[0][0],
            both[1][1],
            both[2][2],
            first[1][0] + second[0][1],
            first[2][0] + second[0][2],
            first[2][1] + second[1][2],
        )
        tensor = _sum(onto.tensor, turned_to_parent(frame, self.tensor), gained)
        return ArticulatedInertia(_sum(onto.mass, mass), matadd(onto.h, h), tensor)

    def solve(self, wrench: Wrench) -> Twist:
        """Return the twist V with J V = f, where J is this inertia and f the wrench (six divisions).

        Raises:
            NotApplicableError: the inertia is singular.
        """
        rows = block([[full_matrix(self.mass), transpose(self.h)], [self.h, full_matrix(self.tensor)]])
        x = _solved(rows, [*wrench.f, *wrench.m])
        return Twist(x[:3], x[3:])


ZERO_INERTIA = Inertia((0, 0, 0, 0, 0, 0), (0, 0, 0), 0)
AnyInertia = Inertia | ArticulatedInertia


def gathered(frame: JointFrame, inertia: AnyInertia, onto: AnyInertia) -> AnyInertia:
    """Return jTi' jJ jTi + iJ: the inertia of link j, transformed to frame i, plus that of its antecedent i.

    The result has ten parameters if both are rigid bodies, otherwise 21 entries.

    Args:
        inertia: inertia of link j, in frame j.
        onto: inertia of link i, in frame i.
    """
    if isinstance(inertia, ArticulatedInertia):
        return inertia.to_parent(frame, onto.articulated())
    if isinstance(onto, ArticulatedInertia):
        return onto + inertia.to_parent(frame).articulated()
    return inertia.to_parent(frame, onto)


# -- blocks


def turned_about_z(turn: SinCos, k: Symmetric) -> Symmetric:
    """Return Rz K Rz' for a symmetric matrix K; `turn` contains the sine s and cosine c of the angle.

    With e = (Kxx - Kyy) s + 2 Kxy c, the 2x2 block of x and y requires four multiplications.
    """
    s, c = turn
    xx, yy, zz, xy, xz, yz = k
    e = (xx - yy) * s + (2 * xy) * c
    b = s * e
    x, y, _ = turn_z(turn, [xz, yz, 0])
    return xx - b, yy + b, zz, c * e - xy, x, y


def turned_about_x(turn: SinCos, k: Symmetric) -> Symmetric:
    """Return Rx K Rx' for a symmetric matrix K; `turn` contains the sine and cosine of the angle."""
    s, c = turn
    xx, yy, zz, xy, xz, yz = k
    if c.is_zero:  # a right angle exchanges axes
        return xx, zz, yy, -(s * xz), s * xy, -yz
    e = (yy - zz) * s + (2 * yz) * c
    b = s * e
    return xx, yy - b, zz + b, c * xy - s * xz, s * xy + c * xz, c * e - yz


def turned_to_parent(frame: JointFrame, k: Symmetric) -> Symmetric:
    """Return iAj K jAi: a symmetric matrix K given in frame j, transformed to the antecedent's frame i."""
    return turned_about_z(frame.gamma, turned_about_x(frame.alpha, turned_about_z(frame.theta, k)))


def matrix_to_parent(frame: JointFrame, h: Matrix) -> Matrix:
    """Return iAj H jAi: a 3x3 matrix H given in frame j, transformed to the antecedent's frame i."""
    return _matrix_about_z(frame.gamma, _matrix_about_x(frame.alpha, _matrix_about_z(frame.theta, h)))


def _matrix_about_z(turn: SinCos, h: Matrix) -> Matrix:
    """Return Rz H Rz' for any 3x3 matrix H; `turn` contains the sine and cosine of the angle.

    The rotation does not change the skew-symmetric part of the 2x2 block of x and y, so that the formula of a symmetric
    matrix applies to the rest.
    """
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = h
    s, c = turn
    e = (xx - yy) * s + (xy + yx) * c
    b, d = s * e, c * e
    xz, yz, _ = turn_z(turn, [xz, yz, 0])
    zx, zy, _ = turn_z(turn, [zx, zy, 0])
    return [[xx - b, d - yx, xz], [d - xy, yy + b, yz], [zx, zy, zz]]


def _matrix_about_x(turn: SinCos, h: Matrix) -> Matrix:
    """Return Rx H Rx' for any 3x3 matrix H; `turn` contains the sine and cosine of the angle."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = h
    s, c = turn
    _, xy, xz = turn_x(turn, [0, xy, xz])
    _, yx, zx = turn_x(turn, [0, yx, zx])
    if c.is_zero:
        return [[xx, xy, xz], [yx, zz, -zy], [zx, -yz, yy]]
    e = (yy - zz) * s + (yz + zy) * c
    b, d = s * e, c * e
    return [[xx, xy, xz], [yx, yy - b, d - zy], [zx, d - yz, zz + b]]


def full_matrix(k: Symmetric) -> Matrix:
    """Return the 3x3 matrix of the entries xx, yy, zz, xy, xz, yz of a symmetric matrix."""
    xx, yy, zz, xy, xz, yz = k
    return [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]


def _sum(first: Symmetric, *others: Symmetric) -> Symmetric:
    xx, yy, zz, xy, xz, yz = (sum(entries[1:], entries[0]) for entries in zip(first, *others, strict=True))
    return xx, yy, zz, xy, xz, yz


def _less(a: Symmetric, x: Vector, y: Vector) -> Symmetric:
    """Return the symmetric matrix a - x y' for two parallel vectors x and y."""
    xx, yy, zz, xy, xz, yz = (entry - x[i] * y[j] for entry, (i, j) in zip(a, PAIRS, strict=True))
    return xx, yy, zz, xy, xz, yz


def _solved(a: Matrix, b: Sequence[Scalar]) -> Vector:
    """Return the solution x of a x = b for a symmetric matrix a; the first row is eliminated first."""
    x = solve_symmetric([row[::-1] for row in a[::-1]], b[::-1], lambda _, pivot: _inverse(pivot))
    return x[::-1]


def _inverse(mass: Scalar) -> Scalar:
    if is_zero(mass):
        raise NotApplicableError(
            "the inertia of the free base is singular, so that its acceleration is undetermined",
            hint="give link 0 a mass and an inertia",
        )
    return 1 / mass
