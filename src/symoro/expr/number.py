"""Numbers of expressions: exact ones (int, Fraction), decimals with their exact value, and other doubles.

    1/3      int or Fraction    exact; functions of it stay symbolic, such as sqrt(1/3)
    0.1      ExactDecimal       exact while numerator and denominator have at most 30 digits, written as a decimal
    sin(0.1) float              a double

The type `Number` is any of these. The functions of this module compute sums, products and quotients of numbers without
loss of exactness.
"""

from __future__ import annotations

import math
from fractions import Fraction
from numbers import Rational, Real
from typing import Any

from symoro.errors import ProgramError

Number = int | float | Fraction

MAX_INTEGER_BITS = 1023  # limit for numerators and denominators, so that every number fits into a double
# Digits of the numerator and of the denominator of a decimal: products of two printed doubles stay exact.
MAX_DIGITS = 30
# largest denominator of a computed fraction that is printed as a fraction; others are printed as decimals
FINEST_FRACTION = 64
_LIMIT = 10**MAX_DIGITS


class ExactDecimal(float):
    """Double with the exact value that it approximates: 0.1 is 1/10, so that 0.1 + 0.2 - 0.3 is zero.

    Python's operators treat it as a double.

    Attributes:
        numerator, denominator: exact value in lowest terms. They are computed from the text when they are first read,
            because most numbers of a robot are not part of any computation.
    """

    __slots__ = ("denominator", "numerator", "text")
    numerator: int
    denominator: int
    text: str

    def __getattr__(self, name: str) -> int:
        """Compute the numerator and the denominator when one of them is first read."""
        if name not in ("numerator", "denominator"):
            raise AttributeError(name)
        terms = _terms_of(self.text)
        assert terms is not None
        self.numerator, self.denominator = terms
        return terms[0] if name == "numerator" else terms[1]

    def __reduce__(self) -> tuple[Any, ...]:
        return decimal, (self.numerator, self.denominator)


class Tolerance(float):
    """Tolerance for round-off in double precision, relative to the quantity that is compared with it.

    In an expression it is a separate constant, which is replaced in single-precision code (`in_single`).
    """

    __slots__ = ()

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, int | float):
            return NotImplemented
        return Tolerance(exact(float(self)) * exact(other))

    __rmul__ = __mul__

    def __neg__(self) -> Tolerance:
        return Tolerance(-float(self))

    def __pow__(self, exponent: int) -> Tolerance:  # type: ignore[override]
        return Tolerance(exact(float(self)) ** exponent)


SHARE_OF_DIGITS = 23 / 52  # bits of the fraction of a single and of a double


def in_single(tolerance: float) -> float:
    """Return the single-precision tolerance with the same fraction of the significant digits: 4e-5 for 1e-10."""
    return float(f"{tolerance**SHARE_OF_DIGITS:.1g}")


def decimal(numerator: int, denominator: int) -> Number:
    """Return numerator / denominator as a decimal number with its exact value.

    The result is an int if the quotient is an integer, and the nearest double if it has too many digits.
    """
    common = math.gcd(numerator, denominator)
    return _reduced(numerator // common, denominator // common)


def decimal_of(text: str) -> Number:
    """Return the number written in a text such as 0.1 or -2.5e-3."""
    value = float(text)
    if value.is_integer() and -(2**53) < value < 2**53:
        return int(value)
    if len(text) > MAX_DIGITS or "e" in text or "E" in text:
        terms = _terms_of(text) if len(text) <= 3 * MAX_DIGITS else None
        return value if terms is None else decimal(*terms)
    result = float.__new__(ExactDecimal, value)
    result.text = text
    return result


def _reduced(n: int, d: int) -> Number:
    """Return the decimal number n/d; n and d have no common factor."""
    if not -_LIMIT < n < _LIMIT or d >= _LIMIT:
        return n / d
    return n if d == 1 and -(2**53) < n < 2**53 else _made(n, d)


def _made(n: int, d: int) -> ExactDecimal:
    result = float.__new__(ExactDecimal, n / d)
    result.numerator, result.denominator = n, d
    return result


def _terms_of(text: str) -> tuple[int, int] | None:
    """Return numerator and denominator of a decimal text; None if they have far too many digits."""
    mantissa, _, exponent = text.lower().partition("e")
    whole, _, digits = mantissa.partition(".")
    below = len(digits) - int(exponent or 0)
    if len(mantissa) > 2 * MAX_DIGITS or abs(below) > 2 * MAX_DIGITS:
        return None
    n, d = int(whole + digits) * 10 ** max(0, -below), 10 ** max(0, below)
    common = math.gcd(n, d)
    return n // common, d // common


def exact(value: Number) -> Fraction:
    """Return the exact value of a number; for a double, the value of its shortest decimal text."""
    if isinstance(value, ExactDecimal):
        return Fraction(value.numerator, value.denominator)
    return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)


def readable(value: Fraction, decimals: bool) -> Number:
    """Return an exact result in the type that prints best: a simple fraction, otherwise a decimal.

    Args:
        value: exact result of a computation.
        decimals: whether decimals were part of the computation; 3/10 is then printed as 0.3.
    """
    if decimals and value.denominator % 5 == 0 and _remainder(value.denominator, 2, 5) == 1:
        return decimal(value.numerator, value.denominator)
    # Sines of exact angles have powers of 2 and 3 in the denominator.
    exact_angle = value.denominator < 10**6 and _remainder(value.denominator, 2, 3) == 1
    simple = exact_angle or value.denominator <= FINEST_FRACTION
    return value if simple else decimal(value.numerator, value.denominator)


def _remainder(n: int, *primes: int) -> int:
    """Return n without its factors of the given primes."""
    for p in primes:
        while n % p == 0:
            n //= p
    return n


def decimal_and_divisor(value: float) -> tuple[str, int]:
    """Return the text of a decimal and an integer whose quotient is exactly the value: 1/30 is 0.1 / 3.

    If there is no such short form, the divisor is 1 and the text is the shortest decimal of the double.
    """
    if isinstance(value, ExactDecimal):
        n, d = value.numerator, value.denominator
        divisor = _remainder(d, 2, 5)
        above = decimal(n * divisor, d)
        if 1 < divisor <= FINEST_FRACTION and exact(float(above)) == exact(above):
            return repr(above), divisor
    return repr(float(value)), 1


def written(value: Number) -> Number:
    """Convert a Python number to a Number; a float becomes the decimal of its shortest text."""
    return decimal_of(repr(value)) if type(value) is float and math.isfinite(value) else value


def negative(a: Number) -> Number:
    """Return -a."""
    if type(a) is not ExactDecimal:
        return -a
    result = float.__new__(ExactDecimal, -float(a))
    result.numerator, result.denominator = -a.numerator, a.denominator
    return result


# The arguments have type Any for mypy: int, Fraction and ExactDecimal have a numerator, a float does not.


def total(a: Any, b: Any) -> Number:
    """Return the sum a + b."""
    if not (type(a) is ExactDecimal or type(b) is ExactDecimal) or type(a) is float or type(b) is float:
        return a + b  # type: ignore[no-any-return]
    n, d, m, e = a.numerator, a.denominator, b.numerator, b.denominator
    if d < e:
        n, d, m, e = m, e, n, d
    # Most denominators are powers of ten, so that one divides the other.
    return decimal(n * e + m * d, d * e) if d % e else decimal(n + m * (d // e), d)


def product(a: Any, b: Any) -> Number:
    """Return the product a b."""
    if not (type(a) is ExactDecimal or type(b) is ExactDecimal) or type(a) is float or type(b) is float:
        return a * b  # type: ignore[no-any-return]
    n, d, m, e = a.numerator, a.denominator, b.numerator, b.denominator
    f, g = math.gcd(n, e), math.gcd(m, d)  # faster than the gcd of the products
    return _reduced(n // f * (m // g), d // g * (e // f))


def quotient(a: Any, b: Any) -> Number:
    """Return a / b, exact if both are exact; b must not be zero."""
    if type(a) is float or type(b) is float:
        return a / b  # type: ignore[no-any-return]
    if type(a) is ExactDecimal or type(b) is ExactDecimal:
        n, d = a.numerator * b.denominator, a.denominator * b.numerator
        return decimal(n, d) if d > 0 else decimal(-n, -d)
    return Fraction(a) / Fraction(b)


def root(a: float) -> Number:
    """Return the square root of a nonnegative double or decimal."""
    if isinstance(a, ExactDecimal):
        n, d = a.numerator, a.denominator
        p, q = math.isqrt(n), math.isqrt(d)
        if p * p == n and q * q == d:
            return decimal(p, q)
    return math.sqrt(a)


def normal(value: Number) -> Number:
    """Return a number in its normal type: a bounded int or Fraction, or a float that is not an integer.

    Floats with an integer value become exact ints.

    Raises:
        ProgramError: the value is too large, or is not a number.
    """
    if type(value) is int and -(2**53) < value < 2**53:
        return value
    if type(value) is ExactDecimal:
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ProgramError("a number is too large for double precision")
        return int(value) if value.is_integer() and abs(value) < 2**53 else float(value)
    if isinstance(value, Rational):
        p, q = int(value.numerator), int(value.denominator)
        if p.bit_length() > MAX_INTEGER_BITS or q.bit_length() > MAX_INTEGER_BITS:
            raise ProgramError("a number is too large for exact arithmetic")
        return p if q == 1 else Fraction(p, q)
    if isinstance(value, Real):  # number types of other libraries, such as numpy.float32
        return normal(float(value))
    raise ProgramError(f"expected a number, got {type(value).__name__}")
