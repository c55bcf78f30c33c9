"""Shape functions of a beam of length 1 that is clamped at x = 0, and their integrals.

    bending  polynomial   phi_k = x^(k+1)                                                  k = 1, 2 ...
             clamped      phi_k = (cosh bx - cos bx - s (sinh bx - sin bx)) / (2 (-1)^(k+1))
                          cos b cosh b = -1,   s = (sinh b - sin b) / (cosh b + cos b)
    torsion  polynomial   psi_k = x^k
             clamped      psi_k = sin((2k - 1) pi x / 2) / (-1)^(k+1)

Every function is 1 at the tip. The clamped functions are the natural modes of a uniform beam with a free end; they are
orthogonal, and the integrals below are closed formulas.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

Integral = int | float | Fraction
Products = tuple[tuple[Integral, ...], ...]


@dataclass(frozen=True)
class Shapes:
    """Integrals from 0 to 1 of the shape functions phi_k of bending or torsion.

    Attributes:
        slopes: derivatives of phi_k at the tip; empty for torsion, which does not need them.
        means: integrals of phi_k.
        moments: integrals of x phi_k; empty for torsion.
        products: integrals of phi_k phi_l.
        strains: integrals of the products of second derivatives, in torsion of first derivatives.
    """

    slopes: tuple[Integral, ...]
    means: tuple[Integral, ...]
    moments: tuple[Integral, ...]
    products: Products
    strains: Products


def bending(kind: str, count: int) -> Shapes:
    """Return the integrals of the first `count` shape functions of bending.

    Args:
        kind: "clamped" for the natural modes of a clamped beam, otherwise polynomials.
    """
    return _clamped_bending(count) if kind == "clamped" else _polynomial_bending(count)


def torsion(kind: str, count: int) -> Shapes:
    """Return the integrals of the first `count` shape functions of torsion.

    Args:
        kind: "clamped" for the natural modes of a clamped beam, otherwise polynomials.
    """
    return _clamped_torsion(count) if kind == "clamped" else _polynomial_torsion(count)


def _table(count: int, entry: Callable[[int, int], Integral]) -> Products:
    return tuple(tuple(entry(k, m) for m in range(1, count + 1)) for k in range(1, count + 1))


def _row(count: int, entry: Callable[[int], Integral]) -> tuple[Integral, ...]:
    return tuple(entry(k) for k in range(1, count + 1))


def _polynomial_bending(count: int) -> Shapes:
    return Shapes(
        slopes=_row(count, lambda k: k + 1),
        means=_row(count, lambda k: Fraction(1, k + 2)),
        moments=_row(count, lambda k: Fraction(1, k + 3)),
        products=_table(count, lambda k, m: Fraction(1, k + m + 3)),
        strains=_table(count, lambda k, m: Fraction(k * (k + 1) * m * (m + 1), k + m - 1)),
    )


def _polynomial_torsion(count: int) -> Shapes:
    return Shapes(
        slopes=(),
        means=_row(count, lambda k: Fraction(1, k + 1)),
        moments=(),
        products=_table(count, lambda k, m: Fraction(1, k + m + 1)),
        strains=_table(count, lambda k, m: Fraction(k * m, k + m - 1)),
    )


def _clamped_bending(count: int) -> Shapes:
    roots = [clamped_root(k) for k in range(1, count + 1)]
    signs = [(-1) ** k for k in range(count)]
    sigmas = [_sigma(b) for b in roots]
    pairs = list(zip(roots, signs, sigmas, strict=True))
    return Shapes(
        slopes=tuple(b * s for b, _, s in pairs),
        means=tuple(sign * s / b for b, sign, s in pairs),
        moments=tuple(sign / (b * b) for b, sign, _ in pairs),
        products=_table(count, lambda k, m: Fraction(int(k == m), 4)),
        strains=_table(count, lambda k, m: roots[k - 1] ** 4 / 4 if k == m else 0),
    )


def _clamped_torsion(count: int) -> Shapes:
    return Shapes(
        slopes=(),
        means=_row(count, lambda k: (-1) ** (k + 1) / _quarter_waves(k)),
        moments=(),
        products=_table(count, lambda k, m: Fraction(int(k == m), 2)),
        strains=_table(count, lambda k, m: _quarter_waves(k) ** 2 / 2 if k == m else 0),
    )


def _quarter_waves(k: int) -> float:
    return (2 * k - 1) * math.pi / 2


def clamped_root(k: int) -> float:
    """Return the k-th positive root of cos b cosh b = -1, by Newton's method on cos b + 1 / cosh b."""
    b = _quarter_waves(k)
    for _ in range(20):
        step = (math.cos(b) + 1 / math.cosh(b)) / (math.sin(b) + math.tanh(b) / math.cosh(b))
        b += step
        if abs(step) < 1e-16 * b:
            break
    return b


def _sigma(b: float) -> float:
    """Return the coefficient s = (sinh b - sin b) / (cosh b + cos b) of a clamped bending mode."""
    return (math.sinh(b) - math.sin(b)) / (math.cosh(b) + math.cos(b))
