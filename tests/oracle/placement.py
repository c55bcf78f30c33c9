"""The placement of a frame on its antecedent, for every oracle that needs one.

    iTj = Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r)

W. Khalil, J.F. Kleinfinger, "A new geometric notation for open and closed-loop robots", ICRA 1986. Nothing here calls
symoro.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def screw(axis: str, angle: Any, length: Any) -> Any:
    """A turn about x or z and a shift along it, (..., 4, 4); of numbers or arrays of them, real or complex."""
    s, c, length = np.broadcast_arrays(np.sin(angle), np.cos(angle), length)
    i, j, k = {"x": (1, 2, 0), "z": (0, 1, 2)}[axis]
    found = np.zeros((*s.shape, 4, 4), np.result_type(s, length, 1.0))
    found[..., i, i], found[..., i, j], found[..., j, i], found[..., j, j] = c, -s, s, c
    found[..., k, k] = found[..., 3, 3] = 1
    found[..., k, 3] = length
    return found


def placement(gamma: Any = 0, b: Any = 0, alpha: Any = 0, d: Any = 0, theta: Any = 0, r: Any = 0) -> Any:
    """iTj, the joint's position added to theta or r."""
    return screw("z", gamma, b) @ screw("x", alpha, d) @ screw("z", theta, r)
