"""Transform of Khalil and Kleinfinger in NumPy, for all tests; no code of symoro is called.

    iTj = Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r)

Arguments are real or complex numbers, or arrays of them.

W. Khalil, J.F. Kleinfinger, "A new geometric notation for open and closed-loop robots", ICRA 1986.
"""

from __future__ import annotations

import cmath
import math
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
NUMBERS = (int, float, complex)  # those of NumPy among them


def screw(axis: str, angle: Any, length: Any = 0.0) -> Array:
    """Return a rotation about x or z and a translation along it."""
    if isinstance(angle, NUMBERS) and isinstance(length, NUMBERS):
        functions: Any = cmath if isinstance(angle, complex) else math
        s, c = functions.sin(angle), functions.cos(angle)
        if axis == "z":
            return np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, length], [0, 0, 0, 1]])
        return np.array([[1, 0, 0, length], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1]])
    s, c, length = np.broadcast_arrays(np.sin(angle), np.cos(angle), length)
    i, j, k = (0, 1, 2) if axis == "z" else (1, 2, 0)
    result = np.zeros((*s.shape, 4, 4), np.result_type(s, length))
    result[..., i, i], result[..., i, j], result[..., j, i], result[..., j, j] = c, -s, s, c
    result[..., k, k] = result[..., 3, 3] = 1
    result[..., k, 3] = length
    return result


def placement(gamma: Any = 0, b: Any = 0, alpha: Any = 0, d: Any = 0, theta: Any = 0, r: Any = 0) -> Array:
    """Return the transform of a frame in its antecedent frame."""
    return screw("z", gamma, b) @ screw("x", alpha, d) @ screw("z", theta, r)
