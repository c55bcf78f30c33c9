"""Fixed-point numbers with 96 decimal digits in NumPy arrays, stored as integers scaled by 2^BITS.

A mechanism with one degree of freedom can have dozens of independent functions of one variable. On a short interval
of its motion they differ by less than the precision of doubles; 96 digits distinguish them. The functions `times`,
`scaled` and `sine_cosine` accept arrays of doubles as well, so that the kinematics are written only once.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ProgramError
from symoro.expr import ops
from symoro.expr.evaluate import evaluate
from symoro.expr.formula import Formula
from symoro.expr.graph import Graph

BITS = 320
ONE = 1 << BITS
_GUARD = 40  # additional bits of intermediate results
_LONG = 14  # a number with more characters may have been rounded to double precision
_HALVINGS = 16  # of an angle, before the series of sine and cosine
_TERMS = 34  # of the series for an angle halved 16 times; the next term is below the last digit
Array = NDArray[np.float64]
Numbers = Any  # an array of doubles, or of scaled integers


def is_exact(x: Numbers) -> bool:
    """Return whether an array contains fixed-point numbers (scaled integers) rather than doubles."""
    return bool(x.dtype == object)


def one_like(x: Numbers) -> int | float:
    return ONE if is_exact(x) else 1.0


def array(items: Any, *, exact: bool = False) -> Numbers:
    """Convert items to an array with at least one axis, of doubles or, if `exact` is true, of scaled integers."""
    return np.atleast_1d(np.array(items, dtype=object if exact else float))


def times(a: Numbers, b: Numbers) -> Numbers:
    """Return the matrix product a b; both arrays contain doubles, or both contain fixed-point numbers."""
    made = a @ b
    return made >> BITS if is_exact(made) else made


def scaled(a: Numbers, b: Numbers) -> Numbers:
    """Return the elementwise product a * b; both arrays contain doubles, or both contain fixed-point numbers."""
    made = a * b
    return made >> BITS if is_exact(made) else made


def turned(rotation: Numbers, x: Numbers) -> Numbers:
    """Return the products (S, 3) of S matrices (S, 3, 3) and S vectors x (S, 3)."""
    return times(rotation, x[:, :, None])[:, :, 0]


def cross(a: Numbers, b: Numbers) -> Numbers:
    """Return the cross products a x b of vectors along axis 1 of the arrays (S, 3, ...)."""
    pairs = [((i + 1) % 3, (i + 2) % 3) for i in range(3)]
    made = np.stack([a[:, i] * b[:, k] - a[:, k] * b[:, i] for i, k in pairs], 1)
    return made >> BITS if is_exact(made) else made


def exactly(x: Any) -> Numbers:
    """Convert an array of doubles to fixed-point numbers (scaled integers); the error is below 2^-BITS."""
    x = np.asarray(x, dtype=float)
    return np.array([_integer(Fraction(v)) for v in x.ravel().tolist()], dtype=object).reshape(x.shape)


def doubles(x: Numbers) -> Any:
    """Convert an array of fixed-point numbers to doubles; an array of doubles is returned unchanged."""
    return np.asarray(x / ONE, dtype=float) if is_exact(x) else x


def _integer(x: Fraction) -> int:
    return (x.numerator << BITS) // x.denominator


def sine_cosine(x: Numbers) -> tuple[Numbers, Numbers]:
    """Return the sines and cosines of angles x in rad, given as doubles or fixed-point numbers.

    For fixed-point numbers the angle is halved repeatedly, the power series is summed, and the angle is doubled again.
    """
    if not is_exact(x):
        return np.sin(x), np.cos(x)
    bits = BITS + _GUARD
    y = (x << _GUARD) >> _HALVINGS
    one = (y * 0) + (1 << bits)
    sums = [one, y]  # cosine, sine
    power = y
    for n in range(2, _TERMS):
        power = (power * y >> bits) // n
        sums[n % 2] = sums[n % 2] - power if n % 4 in (2, 3) else sums[n % 2] + power
    cosine, sine = sums
    for _ in range(_HALVINGS):
        sine, cosine = (sine * cosine) >> (bits - 1), ((cosine * cosine) >> (bits - 1)) - one
    return sine >> _GUARD, cosine >> _GUARD


def _atan_of_inverse(n: int, bits: int) -> int:
    """Return atan(1/n) from its power series, as an integer scaled by 2^bits."""
    term = total = (1 << bits) // n
    k = 1
    while term:
        term = -term // (n * n)
        k += 2
        total += term // k
    return total


def _pi() -> int:
    """Return pi from J. Machin's formula, as a fixed-point number (scaled integer)."""
    bits = BITS + _GUARD
    return 4 * (4 * _atan_of_inverse(5, bits) - _atan_of_inverse(239, bits)) >> _GUARD


PI = _pi()
_RULES: dict[int, Callable[..., int]] = {
    ops.ADD: lambda a, b: a + b,
    ops.SUB: lambda a, b: a - b,
    ops.MUL: lambda a, b: a * b >> BITS,
    ops.DIV: lambda a, b: (a << BITS) // b,
    ops.SQRT: lambda a: math.isqrt(a << BITS),
    ops.SIN: lambda a: _sine_cosine_of(a)[0],
    ops.COS: lambda a: _sine_cosine_of(a)[1],
    ops.TAN: lambda a: (_sine_cosine_of(a)[0] << BITS) // _sine_cosine_of(a)[1],
}


def _sine_cosine_of(angle: int) -> tuple[int, int]:
    turns = angle // (2 * PI)
    sine, cosine = sine_cosine(np.array([angle - turns * 2 * PI], dtype=object))
    return int(sine[0]), int(cosine[0])


def _decimal(x: int | float | Fraction, perturbed: bool) -> int:
    written = Fraction(str(x))
    if perturbed and isinstance(x, float) and len(str(x)) > _LONG:
        generator = random.Random(abs(x))
        written *= 1 + Fraction(generator.choice([-1, 1]) * generator.uniform(1, 3)) / 10**16
    return _integer(written)


def number(f: Formula, values: Mapping[str, float], *, perturbed: bool = False) -> int:
    """Return the value of the formula f as a fixed-point number (scaled integer).

    Decimal numbers are read exactly as written.

    Args:
        values: numerical values of the formula's symbols, by name.
        perturbed: whether to change the last digit of numbers that have all digits of a double, so that numbers which
            are only rounded do not satisfy exact relations by chance. Equal numbers are changed equally.

    Raises:
        ProgramError: the formula has no value at these numbers (for example, a division by zero).
    """
    graph = Graph()
    root = f.into(graph).lit
    numbers: dict[int, int] = {}

    def get(lit: int) -> int:
        return -numbers[lit >> 1] if lit & 1 else numbers[lit >> 1]

    try:
        for i in graph.reachable([root]):
            op, args = graph.op[i], graph.args[i]
            if op in (ops.NUMBER, ops.TOLERANCE):
                numbers[i] = _decimal(args[0], perturbed)
            elif op == ops.PI:
                numbers[i] = PI
            elif op == ops.SYMBOL:
                numbers[i] = _decimal(float(values[args[0]]), perturbed)
            elif op in _RULES:
                numbers[i] = _RULES[op](*map(get, args))
            else:  # other functions are evaluated in double precision
                numbers[i] = _integer(Fraction(float(evaluate(graph, [2 * i], values)[0])))
    except (ArithmeticError, ValueError):
        raise ProgramError(f"'{f.text}' has no value at these numbers") from None
    return get(root)
