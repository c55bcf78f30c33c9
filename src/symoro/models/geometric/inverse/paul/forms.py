"""Known functions of one unknown q, and their zeros.

    q an angle:   k0 + kc C + ks S + kcc cos(2 q) + kss sin(2 q)
    q a length:   k0 + k1 q + k2 q^2 + k3 q^3 + k4 q^4

The coordinates of a point that q moves are such forms of the first degree, its squared distance from any other point
is of the first degree in (C, S) and of the second in a length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symoro.expr.linalg import Matrix, dot, position_of, rotation_of
from symoro.expr.scalar import Scalar
from symoro.models.geometric.inverse.chain.chain import Unknown
from symoro.models.geometric.inverse.chain.probes import Probes
from symoro.models.geometric.inverse.paul import types
from symoro.models.geometric.inverse.step import Draft

DEGREES = 5  # coefficients of a form


@dataclass(frozen=True)
class Form:
    """(k0, kc, ks, kcc, kss) of an angle or (k0 .. k4) of a length."""

    turns: bool
    k: tuple[Scalar, ...]

    def __add__(self, other: Form) -> Form:
        return Form(self.turns, tuple(a + b for a, b in zip(self.k, other.k, strict=True)))

    def __sub__(self, other: Form) -> Form:
        return self + other.times(-1)

    def times(self, factor: Scalar) -> Form:
        return Form(self.turns, tuple(factor * a for a in self.k))

    def plus(self, constant: Scalar) -> Form:
        return Form(self.turns, (self.k[0] + constant, *self.k[1:]))

    def squared(self) -> Form:
        """Of a form of the first degree (in an angle) or the second (in a length)."""
        if self.turns:
            k0, c, s = self.k[:3]
            return Form(
                True, (k0 * k0 + (c * c + s * s) / 2, 2 * k0 * c, 2 * k0 * s, (c * c - s * s) / 2, c * s)
            )
        k0, k1, k2 = self.k[:3]
        return Form(False, (k0 * k0, 2 * k0 * k1, k1 * k1 + 2 * k0 * k2, 2 * k1 * k2, k2 * k2))

    def at(self, unknown: Unknown) -> Scalar:
        """Its value, in the symbols of the unknown."""
        return self.k[0] + dot(self.k[1:], _powers(unknown))


FormPoint = tuple[Form, Form, Form]


def _powers(unknown: Unknown) -> list[Scalar]:
    if unknown.turns:
        s, c = unknown.sine, unknown.cosine
        return [c, s, c * c - s * s, 2 * s * c]
    r = unknown.length
    return [r, r * r, r * r * r, r * r * r * r]


def still(turns: bool, point: Sequence[Scalar]) -> FormPoint:
    """A point that the unknown does not move."""
    x, y, z = (Form(turns, (value, *[0] * (DEGREES - 1))) for value in point)
    return x, y, z


def moved(turns: bool, sign: int, point: Sequence[Scalar]) -> FormPoint:
    """A point turned about z, or pushed along it, by sign times the unknown."""
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
    """A placement times a point."""
    rows = zip(rotation_of(matrix), position_of(matrix), strict=True)
    x, y, z = (combined(row, point).plus(p) for row, p in rows)
    return x, y, z


def combined(factors: Sequence[Scalar], forms: Sequence[Form]) -> Form:
    """A sum of multiples of forms."""
    total = forms[0].times(factors[0])
    for factor, form in zip(factors[1:], forms[1:], strict=True):
        total = total + form.times(factor)
    return total


def distance(point: FormPoint) -> Form:
    """|point|^2 of a point that the unknown moves on a circle or on a line along a unit vector."""
    k0, k1, k2 = ([form.k[n] for form in point] for n in range(3))
    if not point[0].turns:
        moving = dot(k1, k1)
        return Form(False, (dot(k0, k0), 2 * dot(k0, k1), moving, 0, 0))
    radius = (dot(k1, k1) + dot(k2, k2)) / 2
    return Form(True, (dot(k0, k0) + radius, 2 * dot(k0, k1), 2 * dot(k0, k2), 0, 0))


def tidied(form: Form, probes: Probes, size: float = 1.0) -> Form:
    """Without the coefficients that are zero whatever the posture, beside numbers of a size."""
    return Form(form.turns, tuple(0 if probes.vanishes(a, size) else a for a in form.k))


def shared_direction(
    forms: Sequence[Form], probes: Probes, size: float = 1.0
) -> tuple[Form, list[Scalar]] | None:
    """L and m with form_n = k0_n + m_n L, where all forms of the first degree (second, of a length) have such an L."""
    tails = [form.k[1:3] for form in forms]
    moving = [tail for tail in tails if not all(probes.vanishes(a, size) for a in tail)]
    if not moving:
        return None
    c, s = max(moving, key=lambda tail: probes.largest(dot(tail, tail)))
    if any(not probes.vanishes(c * b - s * a, size) for a, b in moving):
        return None
    square = c * c + s * s
    factors: list[Scalar] = []
    for a, b in tails:
        if (a, b) == (c, s):
            factors.append(1)
        else:
            factors.append((a * c + b * s) / square if (a, b) in moving else 0)
    return Form(forms[0].turns, (0, c, s, 0, 0)), factors


def solve_form(draft: Draft, unknown: Unknown, form: Form) -> Form | None:
    """form = 0 by the type that fits (1, 2, 9 or 10, told to the draft); the form as named there, None without q."""
    degree = max((n for n, a in enumerate(form.k) if not draft.builder.number(a).is_zero), default=0)
    if degree == 0:
        return None
    k = [draft.let_varying(f"k{unknown.label}_{n}", a) for n, a in enumerate(form.k)]
    if unknown.turns and degree <= 2:
        draft.type = 2
        types.solve_turn(draft, unknown, k[2], k[1], -k[0])
    elif unknown.turns:
        draft.type = 10
        types.solve_circle(draft, unknown, list(k))
    elif degree == 1:
        draft.type = 1
        types.solve_length(draft, unknown, k[1], -k[0])
    else:
        draft.type = 9
        types.solve_polynomial(draft, unknown, k[: degree + 1])
    return Form(form.turns, tuple(k))
