"""Exact numbers of a geometry: fractions of polynomials in its symbols, with square roots.

An element is N/D over the rationals. Its generators are symbols (lengths, gravity, cosines of symbolic angles) and
*roots*, generators r whose square is a polynomial in the symbols: r^2 = 2 for sqrt(2), r^2 = 1 - c^2 for the sine that
belongs to the cosine c. N contains each root at most to the first power, D contains none (1/(a + b r) = (a - b r)/(a^2
- b^2 r^2)); N and D have no common factor. This form is unique, so that zero is recognised.

Rational numbers are plain int or Fraction, not Element; both can be combined.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from symoro.errors import MissingDependencyError

ExactScalar = Any  # int, Fraction or Element


def inverse(x: ExactScalar) -> ExactScalar:
    """Return 1/x exactly; for int x the result is a Fraction, not a float."""
    return Fraction(1) / x


class Ring:
    """Ring of polynomials with rational coefficients, for the numerators and denominators of exact numbers."""

    def __init__(self, symbols: Sequence[str], roots: Mapping[str, int | str]) -> None:
        """Create the ring of polynomials in the given symbols and square roots.

        Args:
            symbols: names of the symbols.
            roots: for each name of a root its radicand: a whole number, or the name of the cosine c in 1 - c^2.
        """
        try:
            from sympy import QQ
            from sympy.polys.rings import ring
        except ImportError:
            raise MissingDependencyError(
                "exact base parameters of a robot with a symbolic geometry require SymPy",
                hint="install it with: pip install sympy, or use method='numeric'",
            ) from None
        self.names = [*symbols, *roots]
        self.rational = QQ
        self.ring, *generators = ring(self.names, QQ)
        self.one = self.ring.one
        self.generators = dict(zip(self.names, generators, strict=True))
        self.first_root = len(symbols)
        self.squares = [
            self.ring(square) if isinstance(square, int) else 1 - self.generators[square] ** 2
            for square in roots.values()
        ]

    def generator(self, name: str) -> Element:
        return Element(self, self.generators[name], self.one)

    def ground(self, x: int | Fraction) -> Any:
        return self.rational(x.numerator, x.denominator)

    def reduced(self, p: Any) -> Any:
        """Return the polynomial p with squares of roots replaced by their radicands, for example r^2 by 2."""
        for k, square in enumerate(self.squares, self.first_root):
            while any(powers[k] > 1 for powers in p):
                low, high = self.ring.zero, self.ring.zero
                for powers, c in p.items():
                    if powers[k] > 1:
                        high[(*powers[:k], powers[k] - 2, *powers[k + 1 :])] = c
                    else:
                        low[powers] = c
                p = low + high * square
        return p

    def conjugate(self, p: Any, k: int) -> Any:
        """Return a polynomial p with the sign of root number k changed."""
        conjugated = self.ring.zero
        for powers, c in p.items():
            conjugated[powers] = -c if powers[k] & 1 else c
        return conjugated

    def made(self, num: Any, den: Any) -> ExactScalar:
        """Return num/den in its simplest form: an int or Fraction if it is rational, otherwise an Element.

        Args:
            num: polynomial in which squares of roots have been replaced.
            den: polynomial without roots.
        """
        if not num:
            return 0
        if den != self.one:
            num, den = num.cancel(den)
            if den.is_ground:
                num, den = num.quo_ground(den.LC), self.one
        if den == self.one and num.is_ground:
            c = num.LC
            return Fraction(int(c.numerator), int(c.denominator))
        return Element(self, num, den)


class Element:
    """Exact number that is not rational: a fraction of polynomials in symbols and square roots."""

    __slots__ = ("den", "num", "ring")

    def __init__(self, ring: Ring, num: Any, den: Any) -> None:
        self.ring, self.num, self.den = ring, num, den

    def __bool__(self) -> bool:
        return True

    def __neg__(self) -> Element:
        return Element(self.ring, -self.num, self.den)

    def __add__(self, other: ExactScalar) -> ExactScalar:
        ring = self.ring
        if isinstance(other, Element):
            if self.den == other.den:
                return ring.made(self.num + other.num, self.den)
            return ring.made(self.num * other.den + other.num * self.den, self.den * other.den)
        return ring.made(self.num + self.den.mul_ground(ring.ground(other)), self.den) if other else self

    __radd__ = __add__

    def __sub__(self, other: ExactScalar) -> ExactScalar:
        return self + (-other)

    def __rsub__(self, other: ExactScalar) -> ExactScalar:
        return -self + other

    def __mul__(self, other: ExactScalar) -> ExactScalar:
        ring = self.ring
        if isinstance(other, Element):
            return ring.made(ring.reduced(self.num * other.num), self.den * other.den)
        if not other:
            return 0
        return Element(ring, self.num.mul_ground(ring.ground(other)), self.den)

    __rmul__ = __mul__

    def __truediv__(self, other: ExactScalar) -> ExactScalar:
        return self * inverse(other)

    def __rtruediv__(self, other: ExactScalar) -> ExactScalar:
        ring, num, den = self.ring, self.den, self.num
        for k in range(ring.first_root, len(ring.names)):
            if any(powers[k] for powers in den):
                conjugate = ring.conjugate(den, k)
                num = ring.reduced(num * conjugate)
                den = ring.reduced(den * conjugate)
        return ring.made(num, den) * other

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Element) and self.num == other.num and self.den == other.den

    def __hash__(self) -> int:
        return hash((self.num, self.den))

    @property
    def size(self) -> int:
        """Number of terms of numerator and denominator together, a measure of the length of the exact number."""
        return len(self.num) + len(self.den)
