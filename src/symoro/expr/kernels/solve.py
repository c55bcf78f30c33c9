"""solve: x = A^-1 b, A (n,n) by rows, b (n,)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

# The following code is copied into emitted Python code.


def solve_(a: list[Array], b: list[Array]) -> Array:
    """Solve A x = b for A (n, n) by rows, each entry a number or an array over samples: (..., n)."""
    n = len(b)
    shape = np.broadcast_shapes(*(np.shape(x) for x in (*a, *b)))
    matrix = np.stack([np.broadcast_to(x, shape) for x in a], -1).reshape(*shape, n, n)
    right = np.stack([np.broadcast_to(x, shape) for x in b], -1).reshape(*shape, n, 1)
    try:
        solution: Array = np.linalg.solve(matrix, right)[..., 0]
    except np.linalg.LinAlgError:  # one singular sample must not affect the others
        solution = np.full((*shape, n), np.nan)
        if matrix.ndim > 2:
            for sample in np.ndindex(shape):
                solution[sample] = solve_(list(matrix[sample].ravel()), list(right[sample].ravel()))
    return solution
