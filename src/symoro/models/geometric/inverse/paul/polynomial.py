"""Polynomials in the unknown sines, cosines and lengths; the coefficients are expressions of known quantities.

A monomial is a sorted tuple of symbols. There are no powers, because no term of a chain's equations contains a symbol
twice.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from symoro.expr.scalar import Expr, Scalar

Literals = tuple[int, ...]  # literals of the symbols, in ascending order
ONE: Literals = ()


class Polynomial:
    """Polynomial in unknown symbols, with the operators that a product of transforms requires."""

    __slots__ = ("terms",)

    def __init__(self, terms: Mapping[Literals, Scalar]) -> None:
        self.terms = terms

    @classmethod
    def of(cls, value: Scalar | Polynomial) -> Polynomial:
        if isinstance(value, Polynomial):
            return value
        return cls({} if _is_zero(value) else {ONE: value})

    @classmethod
    def variable(cls, symbol: Expr) -> Polynomial:
        return cls({(symbol.lit,): 1})

    def __add__(self, other: Scalar | Polynomial) -> Polynomial:
        terms = dict(self.terms)
        for monomial, coefficient in Polynomial.of(other).terms.items():
            total = terms.get(monomial, 0) + coefficient
            if _is_zero(total):
                terms.pop(monomial, None)
            else:
                terms[monomial] = total
        return Polynomial(terms)

    __radd__ = __add__

    def __neg__(self) -> Polynomial:
        return Polynomial({monomial: -coefficient for monomial, coefficient in self.terms.items()})

    def __sub__(self, other: Scalar | Polynomial) -> Polynomial:
        return self + -Polynomial.of(other)

    def __rsub__(self, other: Scalar | Polynomial) -> Polynomial:
        return Polynomial.of(other) - self

    def __mul__(self, other: Scalar | Polynomial) -> Polynomial:
        product = Polynomial({})
        for m1, c1 in Polynomial.of(other).terms.items():
            product = product + Polynomial({tuple(sorted(m + m1)): c * c1 for m, c in self.terms.items()})
        return product

    __rmul__ = __mul__

    def absorbed(self, known: Mapping[int, Expr]) -> Polynomial:
        """Return the polynomial with known symbols moved from the monomials into the coefficients.

        Args:
            known: the known symbols, by node reference.
        """
        terms: dict[Literals, Scalar] = {}
        for monomial, coefficient in self.terms.items():
            for literal in monomial:
                if literal in known:
                    coefficient = coefficient * known[literal]
            rest = tuple(literal for literal in monomial if literal not in known)
            terms[rest] = terms.get(rest, 0) + coefficient
        return Polynomial({m: c for m, c in terms.items() if not _is_zero(c)})

    def without(self, dropped: Collection[Literals]) -> Polynomial:
        return Polynomial({m: c for m, c in self.terms.items() if m not in dropped})

    def coefficient(self, *symbols: Expr) -> Scalar:
        """Return the coefficient of the product of the given symbols; without symbols, the constant term."""
        return self.terms.get(tuple(sorted(s.lit for s in symbols)), 0)

    def only_in(self, monomials: Iterable[tuple[Expr, ...]]) -> bool:
        """Return whether the polynomial contains only the given monomials and a constant."""
        allowed = {tuple(sorted(s.lit for s in symbols)) for symbols in monomials} | {ONE}
        return set(self.terms) <= allowed


def _is_zero(x: Scalar) -> bool:
    return x.is_zero if isinstance(x, Expr) else x == 0
