"""Functions of joint positions: sums of cosines and sines of combinations of angles, times powers of lengths.

A function is {wave: coefficient}; a wave is (kind, frequencies, powers), cos or sin of sum f_i phi_i times
prod x_k^p_k. Different waves are linearly independent functions, and a product of two waves is again a sum of them:
no rule c^2 + s^2 = 1 has to be applied, and multiples of an angle, as geared joints have, cost nothing.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from symoro.models.identification.base.exact.element import ExactScalar

COS, SIN = 0, 1
_HALF = Fraction(1, 2)
Wave = tuple[int, tuple[ExactScalar, ...], tuple[int, ...]]
WaveSum = dict[Wave, ExactScalar]


def product(a: WaveSum, b: WaveSum) -> WaveSum:
    """a * b."""
    found: WaveSum = {}
    for x, p in a.items():
        for y, q in b.items():
            c = p * q
            for wave, twice in _waves(x, y):
                term = c * twice * _HALF
                found[wave] = found[wave] + term if wave in found else term
    return {wave: c for wave, c in found.items() if c}


def total(*terms: WaveSum) -> WaveSum:
    """The sum."""
    found: WaveSum = {}
    for term in terms:
        for wave, c in term.items():
            found[wave] = found[wave] + c if wave in found else c
    return {wave: c for wave, c in found.items() if c}


def scaled(a: WaveSum, k: ExactScalar) -> WaveSum:
    """k * a."""
    return {wave: k * c for wave, c in a.items()} if k else {}


@lru_cache(maxsize=100_000)
def _waves(x: Wave, y: Wave) -> tuple[tuple[Wave, int], ...]:
    """The product of two waves, each term with twice its coefficient."""
    (k, f, p), (m, g, q) = x, y
    powers = tuple(a + b for a, b in zip(p, q, strict=True))
    if not any(f) and k == COS:
        return (((m, g, powers), 2),)
    if not any(g) and m == COS:
        return (((k, f, powers), 2),)
    plus = tuple(a + b for a, b in zip(f, g, strict=True))
    minus = tuple(a - b for a, b in zip(f, g, strict=True))
    if k == m:
        parts = [(COS, minus, 1), (COS, plus, 1 if k == COS else -1)]
    else:
        parts = [(SIN, plus, 1), (SIN, minus, 1 if k == SIN else -1)]
    found = [_settled(kind, frequencies, sign) for kind, frequencies, sign in parts]
    return tuple(((kind, f, powers), sign) for kind, f, sign in found if kind == COS or any(f))


def _settled(kind: int, f: tuple[ExactScalar, ...], sign: int) -> tuple[int, tuple[ExactScalar, ...], int]:
    """The same wave with its first frequency positive."""
    first = next((x for x in f if x), 0)
    if first >= 0:
        return kind, f, sign
    return kind, tuple(-x for x in f), -sign if kind == SIN else sign
