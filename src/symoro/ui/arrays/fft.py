"""Discrete Fourier transform of short sequences, with the name of `numpy.fft`."""

from __future__ import annotations

import cmath
from typing import Any

from symoro.ui.arrays.elements import COMPLEX, ndarray
from symoro.ui.arrays.functions import _along


def fft(value: Any) -> ndarray:
    """Return the discrete Fourier transforms of the rows along the last axis."""

    def transformed(row: list[Any]) -> list[complex]:
        n = len(row)
        turns = [cmath.exp(-2j * cmath.pi * k / n) for k in range(n)]
        return [sum(x * turns[j * k % n] for j, x in enumerate(row)) for k in range(n)]

    return _along(value, transformed, -1, COMPLEX)
