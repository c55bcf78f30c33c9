"""Flexible link as an element of the tree: a beam from the root frame to the tip, in the axes of the root frame.

Generalised Newton-Euler equations of the beam (F. Boyer, W. Khalil, IJRR 17, 1998), with V the twist of the root and e
the modal coordinates:

    J Vd + C edd + Coriolis = f - T' f_tip                   C: wrench at the root per modal acceleration
    C' Vd + m edd + K e + Coriolis = -S' f_tip               S: twist of the tip per modal velocity

    J (M, MS, tensor) is quadratic in e, C is affine; the modal mass m, the stiffness K and the integrals of the shape
    functions are constants. A point of the beam is r = (x, v, w), its velocity in the root's axes (0, vd, wd):

    a = vd_0 + wd x r + w x (w x r) + 2 w x rd + rdd

The tip is at p = (L, v, w) with the rotation Rz(a) Ry(-b) Rx(c), where a = v'(L) and b = w'(L) are slopes and c is the
torsion angle. Its velocity relative to the root is (0, vd, wd), and ad z - bd y1 + cd x2 with y1, x2 the axes of the
successive rotations. Of the rotary inertia of the cross-sections only that about x is modelled, with the angular
velocity w_x + torsion rate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from symoro.expr.linalg import Matrix, Vector, add, cross, dot, matvec, scale
from symoro.expr.scalar import Expr, Scalar, cos, sin
from symoro.models.dynamic.flexible.shapes import Integral, Products, bending, torsion
from symoro.models.joints import Angle, JointTransform
from symoro.models.recursion import JointFrame, SinCos
from symoro.models.spatial import Inertia, Twist, Wrench
from symoro.program.builder import Builder
from symoro.robot.description import JointType
from symoro.robot.flexibility import Flexibility

NONE: Vector = [0, 0, 0]


@dataclass(frozen=True)
class Plane:
    """Bending of a beam in one plane: modal coordinates, their velocities, and mass integrals of the shape functions.

    Attributes:
        e, ed: modal coordinates and their velocities.
        slopes: derivatives of the shape functions at the tip.
        means, moments: integrals of phi_k dm and of x phi_k dm.
        products: integrals of phi_k phi_l dm.
    """

    e: Vector
    ed: Vector
    slopes: Vector
    means: Vector
    moments: Vector
    products: Matrix

    def mass_integrals(self, other: Plane, rates: bool = False) -> Vector:
        """Return, for each shape function phi_k, the integral of phi_k times the deflection in another plane.

        The integrals are over the mass of the beam.

        Args:
            other: bending in the other plane.
            rates: whether the velocity of the deflection is used instead of the deflection.
        """
        rows = [row[: len(other.e)] for row in other.products[: len(self.e)]]
        return matvec(rows, other.ed if rates else other.e)


@dataclass(frozen=True)
class Beam:
    """Beam of link i, in the axes of its root frame; its tip is body j.

    Attributes:
        shift: translation from the root to the tip.
        y, z: bending along y and along z.
        inertia: inertia of the bent beam about the root.
        columns: for each mode, the wrench at the root at unit modal acceleration.
        mass: modal mass matrix.
        stiff: elastic forces K e, with the stiffness matrix K and the modal coordinates e.
        tips: for each mode, the twist of the tip at unit modal velocity.
        rate: twist of the tip relative to the root.
        angular_bias: angular acceleration of the tip relative to the root at zero modal accelerations.
    """

    j: int
    i: int
    shift: JointFrame
    y: Plane
    z: Plane
    spin: Scalar  # angular momentum of the cross-sections about x at w = 0
    inertia: Inertia
    columns: tuple[Wrench, ...]
    mass: Matrix
    stiff: Vector
    tips: tuple[Twist, ...]
    rate: Twist
    angular_bias: Vector
    bodies: tuple[int, ...]  # the tip in the root's axes, and after each of its rotations

    @property
    def modes(self) -> int:
        return len(self.columns)

    def at_tip(self, w: Vector) -> Vector:
        """Return the angular velocity of the tip, given the angular velocity w of the root."""
        return add(w, self.rate.w)

    def gamma(self, w: Vector) -> Twist:
        """Return the acceleration of the tip at zero accelerations of root and modes.

        Args:
            w: angular velocity of the root.
        """
        linear = add(cross(w, cross(w, self.shift.position)), scale(2, cross(w, self.rate.v)))
        return Twist(linear, add(cross(w, self.rate.w), self.angular_bias))

    def moved(self, twist: Twist, w: Vector, edd: Sequence[Scalar]) -> Twist:
        """Return the acceleration of the tip.

        Args:
            twist: acceleration of the root.
            w: angular velocity of the root.
            edd: accelerations of the modes.
        """
        acceleration = twist.to_child(self.shift) + self.gamma(w)
        for tip, x in zip(self.tips, edd, strict=True):
            acceleration = acceleration + Twist(scale(x, tip.v), scale(x, tip.w))
        return acceleration

    def coriolis(self, w: Vector) -> Wrench:
        """Return the Coriolis wrench at the root due to the modal velocities.

        The centrifugal term w x (w x r) of the points r is not included; the recursion computes this term from the
        inertia of the beam.

        Args:
            w: angular velocity of the root.
        """
        y, z = self.y, self.z
        force = scale(2, cross(w, [0, dot(y.means, y.ed), dot(z.means, z.ed)]))
        rows = [  # the integral of rd r' dm, whose first row is zero
            [dot(y.moments, y.ed), dot(y.ed, y.mass_integrals(y)), dot(y.ed, y.mass_integrals(z))],
            [dot(z.moments, z.ed), dot(z.ed, z.mass_integrals(y)), dot(z.ed, z.mass_integrals(z))],
        ]
        trace = rows[0][1] + rows[1][2]
        moment = [trace * w[0], trace * w[1] - dot(rows[0], w), trace * w[2] - dot(rows[1], w)]
        return Wrench(force, add(scale(2, moment), cross(w, [self.spin, 0, 0])))

    def modal(self, w: Vector) -> Vector:
        """Return the generalised forces of the modes at zero acceleration: stiffness and velocity terms.

        Args:
            w: angular velocity of the root.
        """
        y, z = self.y, self.z
        x1, x2, x3 = w
        along_y = [
            x1 * x2 * moment - (x1 * x1 + x3 * x3) * own + x2 * x3 * other - 2 * x1 * swept
            for moment, own, other, swept in zip(
                y.moments,
                y.mass_integrals(y),
                y.mass_integrals(z),
                y.mass_integrals(z, rates=True),
                strict=True,
            )
        ]
        along_z = [
            x1 * x3 * moment - (x1 * x1 + x2 * x2) * own + x2 * x3 * other + 2 * x1 * swept
            for moment, own, other, swept in zip(
                z.moments,
                z.mass_integrals(z),
                z.mass_integrals(y),
                z.mass_integrals(y, rates=True),
                strict=True,
            )
        ]
        twisted: Vector = [0] * (self.modes - len(along_y) - len(along_z))
        return add([*along_y, *along_z, *twisted], self.stiff)


def beam(
    builder: Builder, flexible: Flexibility, link: int, tip: int, e: Sequence[Scalar], ed: Sequence[Scalar]
) -> tuple[Beam, list[JointFrame]]:
    """Return the beam of a link, and the rotations from the root's axes to the frame of its tip.

    Args:
        link: number of the link.
        tip: number of the body at the tip; the frames of the rotations have the numbers that follow.
        e, ed: modal coordinates and their velocities.
        flexible: properties of the flexible link (length, mass, stiffness, modes).
    """
    made = _BeamBuilder(builder, flexible, e, ed)
    return made.beam(link, tip), made.turns(link, tip)


class _BeamBuilder:
    """Computation of the attributes of a beam from its properties and shape functions."""

    def __init__(
        self, builder: Builder, flexible: Flexibility, e: Sequence[Scalar], ed: Sequence[Scalar]
    ) -> None:
        self.builder, self.flexible = builder, flexible
        self.length = builder.formula(flexible.length)
        self.mass = builder.formula(flexible.density) * self.length
        count = max(flexible.y, flexible.z)
        self.bent, self.twisted = bending(flexible.shapes, count), torsion(flexible.shapes, flexible.twist)
        ny, nz = flexible.y, flexible.z
        self.y, self.z = self._plane(e[:ny], ed[:ny]), self._plane(e[ny : ny + nz], ed[ny : ny + nz])
        self.et, self.etd = list(e[ny + nz :]), list(ed[ny + nz :])
        self.polar = builder.formula(flexible.Ip) * self.length
        self.spins = [self.polar * self._number(x) for x in self.twisted.means]
        slope_y, slope_z = dot(self.y.slopes, self.y.e), dot(self.z.slopes, self.z.e)
        self.a, self.b = self._sincos("y", slope_y), self._sincos("z", slope_z)
        self.c = self._sincos("t", sum(self.et[1:], self.et[0]) if self.et else 0)

    def _number(self, x: Integral) -> Expr:
        if isinstance(x, Fraction):
            return self.builder.number(x.numerator) / x.denominator
        return self.builder.number(x)

    def _plane(self, e: Sequence[Scalar], ed: Sequence[Scalar]) -> Plane:
        n, number = len(e), self._number
        return Plane(
            list(e),
            list(ed),
            [number(x) / self.length for x in self.bent.slopes[:n]],
            [self.mass * number(x) for x in self.bent.means[:n]],
            [self.mass * self.length * number(x) for x in self.bent.moments[:n]],
            [[self.mass * number(x) for x in row] for row in self.bent.products],
        )

    def _sincos(self, which: str, angle: Scalar) -> SinCos:
        value = self.builder.number(angle)
        return self.builder.number(sin(value)), self.builder.number(cos(value))

    def beam(self, link: int, tip: int) -> Beam:
        y, z = self.y, self.z
        position: Vector = [self.length, _total(y.e), _total(z.e)]
        return Beam(
            j=tip,
            i=link,
            shift=self._local(tip, link, position=position),
            y=y,
            z=z,
            spin=dot(self.spins, self.etd),
            inertia=self._inertia(),
            columns=tuple(self._columns()),
            mass=self._modal_mass(),
            stiff=self._stiff(),
            tips=tuple(self._tips()),
            rate=self._rate(),
            angular_bias=self._angular_bias(),
            bodies=(tip, *(frame.j for frame in self.turns(link, tip))),
        )

    def _inertia(self) -> Inertia:
        """Return the inertia of the bent beam; the polar inertia of the cross-sections adds to XX alone."""
        y, z, m, n = self.y, self.z, self.mass, self.length
        half = self.polar / 2
        return Inertia(
            (
                m * n * n / 3 - half,
                dot(y.e, y.mass_integrals(y)) + half,
                dot(z.e, z.mass_integrals(z)) + half,
                dot(y.moments, y.e),
                dot(z.moments, z.e),
                dot(y.e, y.mass_integrals(z)),
            ),
            (m * n / 2, dot(y.means, y.e), dot(z.means, z.e)),
            m,
        )

    def _columns(self) -> list[Wrench]:
        y, z = self.y, self.z
        along_y = [
            Wrench([0, mean, 0], [-other, 0, moment])
            for mean, moment, other in zip(y.means, y.moments, y.mass_integrals(z), strict=True)
        ]
        along_z = [
            Wrench([0, 0, mean], [other, -moment, 0])
            for mean, moment, other in zip(z.means, z.moments, z.mass_integrals(y), strict=True)
        ]
        return [*along_y, *along_z, *(Wrench(NONE, [spin, 0, 0]) for spin in self.spins)]

    def _blocks(self, *parts: tuple[Products, int, Scalar]) -> Matrix:
        """Return a block diagonal matrix.

        Args:
            parts: per block (table, n, factor); the block is the leading n x n part of the table times the factor.
        """
        size, first = sum(n for _, n, _ in parts), 0
        matrix: Matrix = [[0] * size for _ in range(size)]
        for table, n, factor in parts:
            for k in range(n):
                for m in range(n):
                    matrix[first + k][first + m] = factor * self._number(table[k][m])
            first += n
        return matrix

    def _modal_mass(self) -> Matrix:
        ny, nz, bent = len(self.y.e), len(self.z.e), self.bent.products
        twist = (self.twisted.products, len(self.et), self.polar)
        return self._blocks((bent, ny, self.mass), (bent, nz, self.mass), twist)

    def _stiff(self) -> Vector:
        """Return the elastic forces K e of the modes, with the stiffness matrix K and the modal coordinates e."""
        flexible, formula, cube = self.flexible, self.builder.formula, self.length * self.length * self.length
        ny, nz, bent = len(self.y.e), len(self.z.e), self.bent.strains
        about_z, about_y = formula(flexible.EIz) / cube, formula(flexible.EIy) / cube
        twist = (self.twisted.strains, len(self.et), formula(flexible.GJ) / self.length)
        stiffness = self._blocks((bent, ny, about_z), (bent, nz, about_y), twist)
        return matvec(stiffness, [*self.y.e, *self.z.e, *self.et])

    # -- the tip

    def _axes(self) -> tuple[Vector, Vector]:
        """Return y1 and x2, the second and third rotation axes of the tip, in the root's axes."""
        (sa, ca), (sb, cb) = self.a, self.b
        return [-sa, ca, 0], [ca * cb, sa * cb, sb]

    def _tips(self) -> list[Twist]:
        y1, x2 = self._axes()
        along_y = [Twist([0, 1, 0], [0, 0, slope]) for slope in self.y.slopes]
        along_z = [Twist([0, 0, 1], scale(-slope, y1)) for slope in self.z.slopes]
        return [*along_y, *along_z, *(Twist(NONE, x2) for _ in self.et)]

    def _slope_rates(self) -> tuple[Scalar, Scalar]:
        return dot(self.y.slopes, self.y.ed), dot(self.z.slopes, self.z.ed)

    def _rate(self) -> Twist:
        y1, x2 = self._axes()
        ad, bd = self._slope_rates()
        angular = add(add([0, 0, ad], scale(-bd, y1)), scale(_total(self.etd), x2))
        return Twist([0, _total(self.y.ed), _total(self.z.ed)], angular)

    def _angular_bias(self) -> Vector:
        """Return the angular acceleration of the tip relative to the root at zero modal accelerations.

        It is -bd (ad z x y1) + cd (ad z - bd y1) x x2, with the rates ad, bd, cd of the tip angles in the rotation
        Rz(a) Ry(-b) Rx(c), and y1, x2 the axes of its second and third rotation.
        """
        y1, x2 = self._axes()
        ad, bd = self._slope_rates()
        z: Vector = [0, 0, ad]
        before = add(z, scale(-bd, y1))
        return add(scale(-bd, cross(z, y1)), scale(_total(self.etd), cross(before, x2)))

    def turns(self, link: int, tip: int) -> list[JointFrame]:
        """Return frames for the rotation Rz(a) Ry(-b) Rx(c) of the tip, each with rotations about z, x, z.

        a and b are the slopes of the bent beam at its tip, c is the torsion angle. Ry(-b) is written as Rz(pi/2) Rx(-b)
        Rz(-pi/2).

        Args:
            tip: number of the body at the tip; the frames of the rotations have the numbers that follow.
        """
        (sa, ca), (sb, cb) = self.a, self.b
        if not self.z.e:
            return [self._local(tip + 1, tip, gamma=self.a, alpha=self.c)]
        back = -self.builder.number(1), self.builder.number(0)
        first = self._local(tip + 1, tip, gamma=(ca, -sa), alpha=(-sb, cb), theta=back)
        return [first, self._local(tip + 2, tip + 1, alpha=self.c)] if self.et else [first]

    def _local(
        self,
        j: int,
        i: int,
        *,
        gamma: SinCos | None = None,
        alpha: SinCos | None = None,
        theta: SinCos | None = None,
        position: Vector | None = None,
    ) -> JointFrame:
        zero, one = self.builder.number(0), self.builder.number(1)
        none, still = Angle(zero), (zero, one)
        place = JointTransform(none, zero, none, zero, none, zero)
        return JointFrame(
            j, i, JointType.FIXED, place, gamma or still, alpha or still, theta or still, position or NONE
        )


def _total(entries: Sequence[Scalar]) -> Scalar:
    """Return the sum of modal values, which is the value at the tip because every shape function is 1 there.

    Args:
        entries: one value per mode, for example the modal coordinates.
    """
    total: Scalar = 0
    for x in entries:
        total = total + x
    return total
