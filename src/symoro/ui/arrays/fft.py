"""Discrete Fourier transform of short sequences, with the name of `numpy.fft`."""

from __future__ import annotations

import cmath
from typing import Any

from symoro.ui.arrays.elements import COMPLEX, asarray, ndarray


def fft(value: Any) -> ndarray:
    """Return the discrete Fourier transform of a vector."""
    row = asarray(value).flat
    n = len(row)
    turns = [cmath.exp(-2j * cmath.pi * k / n) for k in range(n)]
    return ndarray([sum(x * turns[j * k % n] for j, x in enumerate(row)) for k in range(n)], (n,), COMPLEX)
