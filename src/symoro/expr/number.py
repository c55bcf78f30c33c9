"""Numbers as expressions keep them: exact (int, Fraction) where they were written so, else doubles."""

from __future__ import annotations

import math
from fractions import Fraction
from numbers import Rational, Real

from symoro.errors import ProgramError

Number = int | float | Fraction

MAX_INTEGER_BITS = 1023  # of a numerator or a denominator: every number fits a double


def normal(value: Number) -> Number:
    """A bounded int or Fraction, or a float that is no whole number; a whole float counts as exact."""
    if type(value) is int and -(2**53) < value < 2**53:
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ProgramError("a number is too large for double precision")
        return int(value) if value.is_integer() and abs(value) < 2**53 else float(value)
    if isinstance(value, Rational):
        p, q = int(value.numerator), int(value.denominator)
        if p.bit_length() > MAX_INTEGER_BITS or q.bit_length() > MAX_INTEGER_BITS:
            raise ProgramError("a number is too large to be kept exactly")
        return p if q == 1 else Fraction(p, q)
    if isinstance(value, Real):  # of another library, as numpy.float32
        return normal(float(value))
    raise ProgramError(f"expected a number, got {type(value).__name__}")
