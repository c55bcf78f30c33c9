"""Functions of one unknown joint position q with known coefficients (`Form`), and their zeros.

    q an angle:   k0 + kc C + ks S + kcc cos(2 q) + kss sin(2 q),   C = cos q, S = sin q
    q a length:   k0 + k1 q + k2 q^2 + k3 q^3 + k4 q^4

The coordinates of a point that moves with q are functions of the first order. Its squared distance from another point
is of the first order in (C, S), and of the second order in a length.

A function of degree n has the dimension of a length to the power n. If q is an angle, its coefficients have this
dimension, too. If q is a length, the coefficient km has the dimension of a length to the power n - m.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symoro.expr.linalg import Matrix, dot, position_of, rotation_of
from symoro.expr.scalar import Scalar
from symoro.models.geometric.inverse.chain.chain import Unknown
from symoro.models.geometric.inverse.chain.probes import Probes
from symoro.models.geometric.inverse.paul import equation_types
from symoro.models.geometric.inverse.step import Draft

DEGREES = 5  # coefficients of a form


@dataclass(frozen=True)
class Form:
    """Function of one unknown joint position q: a trigonometric polynomial (angle) or a polynomial (length).

        q an angle:   k0 + kc cos(q) + ks sin(q) + kcc cos(2 q) + kss sin(2 q)
        q a length:   k0 + k1 q + k2 q^2 + k3 q^3 + k4 q^4

    Attributes:
        turns: whether the unknown is an angle.
        k: coefficients (k0, kc, ks, kcc, kss) for an angle, or (k0, k1, k2, k3, k4) for a length.
        degree: dimension of the function, as a power of a length.
    """

    turns: bool
    k: tuple[Scalar, ...]
    degree: int = 1

    def __add__(self, other: Form) -> Form:
        return Form(self.turns, tuple(a + b for a, b in zip(self.k, other.k, strict=True)), self.degree)

    def __sub__(self, other: Form) -> Form:
        return self + other.times(-1)

    def times(self, factor: Scalar, degree: int = 0) -> Form:
        """Return the function multiplied by a known factor.

        Args:
            degree: dimension of the factor, as a power of a length.
        """
        return Form(self.turns, tuple(factor * a for a in self.k), self.degree + degree)

    def plus(self, constant: Scalar) -> Form:
        return Form(self.turns, (self.k[0] + constant, *self.k[1:]), self.degree)

    def squared(self) -> Form:
        """Return the square of the function, as a function of the same kind.

        The function must be of the first order (angle) or of at most the second order (length).
        """
        if self.turns:
            k0, c, s = self.k[:3]
            k = (k0 * k0 + (c * c + s * s) / 2, 2 * k0 * c, 2 * k0 * s, (c * c - s * s) / 2, c * s)
            return Form(True, k, 2 * self.degree)
        k0, k1, k2 = self.k[:3]
        squares = (k0 * k0, 2 * k0 * k1, k1 * k1 + 2 * k0 * k2, 2 * k1 * k2, k2 * k2)
        return Form(False, squares, 2 * self.degree)

    def sizes(self, length: float) -> list[float]:
        """Return the magnitude relative to which each coefficient is compared with zero.

        Args:
            length: size of the robot.
        """
        return [length ** (self.degree if self.turns else self.degree - n) for n in range(len(self.k))]

    def at(self, unknown: Unknown) -> Scalar:
        """Return the function with its variable replaced by a joint unknown.

        Args:
            unknown: joint unknown whose sine and cosine (angle) or position (length) are inserted.
        """
        return self.k[0] + dot(self.k[1:], _powers(unknown))


FormPoint = tuple[Form, Form, Form]


def _powers(unknown: Unknown) -> list[Scalar]:
    if unknown.turns:
        s, c = unknown.sine, unknown.cosine
        return [c, s, c * c - s * s, 2 * s * c]
    r = unknown.length
    return [r, r * r, r * r * r, r * r * r * r]


def still(turns: bool, point: Sequence[Scalar]) -> FormPoint:
    """Return the coordinates of a fixed point, as constant functions of the unknown.

    Args:
        turns: whether the unknown is an angle.
        point: x, y, z.
    """
    x, y, z = (Form(turns, (value, *[0] * (DEGREES - 1))) for value in point)
    return x, y, z


def moved(turns: bool, sign: int, point: Sequence[Scalar]) -> FormPoint:
    """Return the coordinates of a point that a joint moves, as functions of the unknown joint position q.

    Args:
        turns: if true, the joint rotates the point about z by sign * q; if false, it translates the point along z by
            sign * q.
        sign: 1 or -1.
        point: x, y, z at q = 0.
    """
    x, y, z = point
    if turns:
        return (
            Form(True, (0, x, -sign * y, 0, 0)),
            Form(True, (0, y, sign * x, 0, 0)),
            Form(True, (z, 0, 0, 0, 0)),
        )
    same = still(False, point)
    return same[0], same[1], Form(False, (z, sign, 0, 0, 0))


def placed(matrix: Matrix, point: FormPoint) -> FormPoint:
    """Return the coordinates of a moving point after a constant transform (4x4), as functions of the unknown."""
    rows = zip(rotation_of(matrix), position_of(matrix), strict=True)
    x, y, z = (combined(row, point).plus(p) for row, p in rows)
    return x, y, z


def combined(factors: Sequence[Scalar], forms: Sequence[Form], degree: int = 0) -> Form:
    """Return a linear combination of functions of one unknown.

    Args:
        factors: known factors, one per function.
        forms: the functions.
        degree: dimension of the first factor, as a power of a length; the other factors have dimension 0.
    """
    total = forms[0].times(factors[0], degree)
    for factor, form in zip(factors[1:], forms[1:], strict=True):
        total = total + form.times(factor)
    return total


def distance(point: FormPoint) -> Form:
    """Return the squared distance of a moving point from the origin, as a function of the unknown.

    The point moves on a circle (the unknown is an angle) or on a straight line (the unknown is a length).
    """
    k0, k1, k2 = ([form.k[n] for form in point] for n in range(3))
    if not point[0].turns:
        moving = dot(k1, k1)
        return Form(False, (dot(k0, k0), 2 * dot(k0, k1), moving, 0, 0), 2)
    radius = (dot(k1, k1) + dot(k2, k2)) / 2
    return Form(True, (dot(k0, k0) + radius, 2 * dot(k0, k1), 2 * dot(k0, k2), 0, 0), 2)


def without_zeros(form: Form, probes: Probes, size: float = 1.0) -> Form:
    """Replace coefficients of a function that vanish at all samples by zero.

    Args:
        form: the function.
        probes: random samples at which the coefficients are evaluated.
        size: magnitude of the factor by which the function was multiplied; coefficients are compared relative to it.
    """
    pairs = zip(form.k, form.sizes(probes.length), strict=True)
    return Form(
        form.turns, tuple(0 if probes.vanishes(a, size * own) else a for a, own in pairs), form.degree
    )


def shared_direction(
    forms: Sequence[Form], probes: Probes, size: float = 1.0
) -> tuple[Form, list[Scalar]] | None:
    """Write all functions as form_n = k0_n + m_n L with one common function L, if possible.

    The functions of an angle are of the first order, those of a length of at most the second. L is the function form_n
    that varies most relative to the size of the robot, without its constant k0_n.

    Args:
        forms: the functions form_n of one unknown.
        probes: random samples at which the coefficients are compared.
        size: magnitude of the factor by which the functions were multiplied.

    Returns:
        L and the factors m_n; None if there is no such L.
    """
    sizes = [[size * own for own in form.sizes(probes.length)[1:3]] for form in forms]
    tails = [form.k[1:3] for form in forms]
    moving = [
        n
        for n, tail in enumerate(tails)
        if not all(probes.vanishes(a, own) for a, own in zip(tail, sizes[n], strict=True))
    ]
    if not moving:
        return None

    def variation(n: int) -> float:
        return max(probes.largest(a) / own for a, own in zip(tails[n], sizes[n], strict=True))

    chosen = max(moving, key=variation)
    c, s = tails[chosen]
    for n in moving:
        a, b = tails[n]
        if not probes.vanishes(c * b - s * a, sizes[n][0] * sizes[chosen][1] / size):
            return None
    # The coefficients of a length's form have different units: only one of them is used for the ratio.
    flat = probes.vanishes(s, sizes[chosen][1])
    by_c, by_s = (1, 1) if forms[0].turns else (int(flat), int(not flat))
    square = by_c * c * c + by_s * s * s
    factors: list[Scalar] = []
    for n, (a, b) in enumerate(tails):
        if (a, b) == (c, s):
            factors.append(1)
        else:
            factors.append((by_c * a * c + by_s * b * s) / square if n in moving else 0)
    return Form(forms[0].turns, (0, c, s, 0, 0), forms[chosen].degree), factors


def solve_form(draft: Draft, unknown: Unknown, form: Form) -> Form | None:
    """Solve form = 0 for the unknown, as an equation of type 1, 2, 9 or 10.

    The formulas and the type of the equation are added to the step `draft`.

    Returns:
        The function, with symbols in place of coefficients that depend on the pose; None if it does not depend on the
        unknown.
    """
    degree = max((n for n, a in enumerate(form.k) if not draft.builder.number(a).is_zero), default=0)
    if degree == 0:
        return None
    k = [draft.let_varying(f"k{unknown.label}_{n}", a) for n, a in enumerate(form.k)]
    if unknown.turns and degree <= 2:
        draft.type = 2
        equation_types.solve_turn(draft, unknown, k[2], k[1], -k[0], form.degree)
    elif unknown.turns:
        draft.type = 10
        equation_types.solve_circle(draft, unknown, list(k), form.degree)
    elif degree == 1:
        draft.type = 1
        equation_types.solve_length(draft, unknown, k[1], -k[0], form.degree)
    else:
        draft.type = 9
        equation_types.solve_polynomial(draft, unknown, k[: degree + 1], form.degree)
    return Form(form.turns, tuple(k), form.degree)
