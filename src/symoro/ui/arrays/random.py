"""Random numbers of `numpy.random.default_rng` in plain Python: the same numbers for the same seed.

PCG64 (M. E. O'Neill, PCG: a family of simple fast space-efficient statistically good algorithms for random number
generation, 2014), seeded as NumPy does. Integers by D. Lemire (Fast random integer generation in an interval, ACM
TOMACS 29, 2019), normal numbers by the ziggurat of G. Marsaglia and W. W. Tsang (J. Statistical Software 5, 2000).
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from symoro.ui.arrays.elements import (
    FLOAT,
    INT,
    asarray,
    broadcast_shapes,
    count_of,
    missing,
    ndarray,
    scalar,
)
from symoro.ui.arrays.functions import _shape

M32, M64, M128 = (1 << 32) - 1, (1 << 64) - 1, (1 << 128) - 1
MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645
TAIL = 3.6541528853610088  # start of the tail of the ziggurat
# area of each of its 256 layers: that of the lowest one, with the tail
AREA = TAIL * math.exp(-0.5 * TAIL * TAIL) + math.sqrt(math.pi / 2) * math.erfc(TAIL / math.sqrt(2))


def _seed_words(entropy: int) -> list[int]:
    """Return eight 32-bit words from a seed, as numpy.random.SeedSequence."""
    given = [entropy & M32]
    while entropy >> 32:
        entropy >>= 32
        given.append(entropy & M32)
    factor = 0x43B0D7E5

    def hashed(value: int) -> int:
        nonlocal factor
        value = (value ^ factor) & M32
        factor = factor * 0x931E8875 & M32
        value = value * factor & M32
        return value ^ value >> 16

    def mixed(x: int, y: int) -> int:
        value = (0xCA01F9DD * x - 0x4973F715 * y) & M32
        return value ^ value >> 16

    pool = [hashed(given[k] if k < len(given) else 0) for k in range(4)]
    for source in range(4):
        for target in range(4):
            if source != target:
                pool[target] = mixed(pool[target], hashed(pool[source]))
    for word in given[4:]:
        for target in range(4):
            pool[target] = mixed(pool[target], hashed(word))
    words, factor = [], 0x8B51F9DD
    for k in range(8):
        value = (pool[k % 4] ^ factor) & M32
        factor = factor * 0x58F38DED & M32
        value = value * factor & M32
        words.append(value ^ value >> 16)
    return words


@cache
def _ziggurat() -> tuple[list[int], list[float], list[float]]:
    """Return the tables of the ziggurat: limits of the accepted integers, scales, and densities."""
    scale = float(1 << 52)
    limits, scales, densities = [0] * 256, [0.0] * 256, [0.0] * 256
    x, last = TAIL, TAIL
    q = AREA / math.exp(-0.5 * x * x)
    limits[0], limits[1] = int(x / q * scale), 0
    scales[0], scales[255] = q / scale, x / scale
    densities[0], densities[255] = 1.0, math.exp(-0.5 * x * x)
    for k in range(254, 0, -1):
        x = math.sqrt(-2.0 * math.log(AREA / x + math.exp(-0.5 * x * x)))
        limits[k + 1] = int(x / last * scale)
        last = x
        densities[k] = math.exp(-0.5 * x * x)
        scales[k] = x / scale
    return limits, scales, densities


class PCG64:
    """Generator of random bits."""

    def __init__(self, seed: int) -> None:
        words = _seed_words(int(seed))
        pairs = [words[2 * k] | words[2 * k + 1] << 32 for k in range(4)]
        start, sequence = pairs[0] << 64 | pairs[1], pairs[2] << 64 | pairs[3]
        self._increment = (sequence << 1 | 1) & M128
        self._state = (self._increment + start) * MULTIPLIER + self._increment & M128
        self._half: int | None = None

    def advance(self, count: int) -> None:
        """Leave out `count` numbers of 64 bits: x -> a x + c is applied in powers of two."""
        a, c = MULTIPLIER, self._increment
        while count:
            if count & 1:
                self._state = self._state * a + c & M128
            a, c, count = a * a & M128, (a + 1) * c & M128, count >> 1
        self._half = None

    def next64(self) -> int:
        """Return 64 random bits."""
        state = self._state = self._state * MULTIPLIER + self._increment & M128
        value, turn = (state >> 64) ^ (state & M64), state >> 122
        return (value >> turn | value << (64 - turn)) & M64

    def next32(self) -> int:
        """Return 32 random bits, the lower half of 64 first."""
        if self._half is not None:
            value, self._half = self._half, None
            return value
        value = self.next64()
        self._half = value >> 32
        return value & M32


class Generator:
    """Generator of the same random numbers as NumPy's."""

    def __init__(self, bits: PCG64) -> None:
        self._next64, self._next32 = bits.next64, bits.next32

    def _double(self) -> float:
        return (self._next64() >> 11) * (1.0 / 9007199254740992.0)

    def _below(self, count: int) -> int:
        """Return an integer from 0 to count - 1, count up to 2**32."""
        if count == 1:
            return 0
        product = self._next32() * count
        if product & M32 < count:
            least = (M32 - (count - 1)) % count
            while product & M32 < least:
                product = self._next32() * count
        return product >> 32

    def _masked(self, count: int) -> int:
        """Return an integer from 0 to count - 1 by rejection of larger numbers with as many bits."""
        mask = (1 << (count - 1).bit_length()) - 1
        while (value := self._next32() & mask) >= count:
            pass
        return value

    def _normal(self) -> float:
        limits, scales, densities = _ziggurat()
        while True:
            bits = self._next64()
            layer = bits & 0xFF
            bits >>= 8
            negative, size = bits & 1, bits >> 1 & 0x000FFFFFFFFFFFFF
            x = size * scales[layer]
            x = -x if negative else x
            if size < limits[layer]:
                return x
            if layer == 0:
                while True:
                    far, y = -math.log1p(-self._double()) / TAIL, -math.log1p(-self._double())
                    if y + y > far * far:
                        return -(TAIL + far) if size >> 8 & 1 else TAIL + far
            elif (densities[layer - 1] - densities[layer]) * self._double() + densities[layer] < math.exp(
                -0.5 * x * x
            ):
                return x

    def _many(self, draw: Any, size: Any, dtype: Any = FLOAT) -> Any:
        if size is None:
            return scalar(draw(), dtype)
        shape = _shape(size)
        return ndarray([draw() for _ in range(count_of(shape))], shape, dtype)

    def random(self, size: Any = None) -> Any:
        """Return numbers from 0 to 1."""
        return self._many(self._double, size)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        """Return numbers between limits."""
        first, last = asarray(low, float), asarray(high, float)
        if size is None and (first.shape or last.shape):
            size = broadcast_shapes(first.shape, last.shape)
        return first + (last - first) * self.random(size)

    def standard_normal(self, size: Any = None) -> Any:
        """Return normally distributed numbers."""
        return self._many(self._normal, size)

    def normal(self, mean: Any = 0.0, deviation: Any = 1.0, size: Any = None) -> Any:
        """Return normally distributed numbers with a mean and a standard deviation."""
        return mean + deviation * self.standard_normal(size)

    def integers(self, low: int, high: int | None = None, size: Any = None) -> Any:
        """Return integers from `low` to `high` - 1."""
        first, last = (0, low) if high is None else (low, high)
        return self._many(lambda: first + self._below(last - first), size, INT)

    def choice(self, values: Any, size: Any = None, replace: bool = True) -> Any:
        """Return randomly chosen elements, with replacement."""
        if not replace:
            raise missing("choice without replacement")
        given = asarray(range(values)) if isinstance(values, int) else asarray(values)
        return given[self.integers(0, len(given), size)]

    def permutation(self, values: Any) -> ndarray:
        """Return the elements in random order."""
        given = asarray(range(values)) if isinstance(values, int) else asarray(values)
        order = list(range(len(given)))
        for k in range(len(order) - 1, 0, -1):
            other = self._masked(k + 1)
            order[k], order[other] = order[other], order[k]
        made: ndarray = given[asarray(order, int)]
        return made


def default_rng(seed: int = 0) -> Generator:
    """Return a generator with a seed."""
    return Generator(PCG64(seed))
