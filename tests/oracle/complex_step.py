"""Derivatives by the complex step through the emitted Python of a model: exact to round-off.

Squire and Trapp, "Using complex variables to estimate derivatives of real functions", SIAM Review 40, 1998.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from symoro.emit import emit
from symoro.program.program import Program

Array = np.ndarray
STEP = 1e-40  # there is no subtraction, so that the step may be far below the precision of the value


class _ComplexNumpy:
    """NumPy in which choices depend on the real part, and in which arrays are complex."""

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def sign(self, x: Any) -> Any:
        return np.sign(np.real(x))

    def abs(self, x: Any) -> Any:
        return x * np.where(np.real(x) < 0, -1, 1)

    def maximum(self, x: Any, y: Any) -> Any:
        return np.where(np.real(x) >= np.real(y), x, y)

    def minimum(self, x: Any, y: Any) -> Any:
        return np.where(np.real(x) <= np.real(y), x, y)

    def arctan2(self, y: Any, x: Any) -> Any:
        a, b = np.real(y), np.real(x)
        slope = (b * np.imag(y) - a * np.imag(x)) / (a**2 + b**2)
        return np.arctan2(a, b) + 1j * slope

    def asarray(self, x: Any, dtype: Any = None) -> Any:
        return np.asarray(x, complex)

    def empty(self, shape: Any, dtype: Any = None) -> Any:
        return np.zeros(shape, complex)

    zeros = empty

    def full(self, shape: Any, value: Any, dtype: Any = None) -> Any:
        return np.full(shape, value, complex)


def complex_call(program: Program) -> Callable[..., dict[str, Array]]:
    """Return the emitted Python function `call` of a program without parameters, for complex numbers."""
    assert not program.used_parameters
    (text,) = emit(program, "python").values()
    scope: dict[str, Any] = {"np": _ComplexNumpy()}
    exec(text.replace("import numpy as np\n", ""), scope)
    call: Callable[..., dict[str, Array]] = scope["call"]
    return call


def along(
    call: Callable[..., dict[str, Array]], at: Mapping[str, Array], direction: Mapping[str, Array]
) -> dict[str, Array]:
    """Return the derivatives of all outputs along a direction of the inputs."""
    moved = {
        name: np.asarray(x, complex) + 1j * STEP * np.asarray(direction.get(name, 0.0))
        for name, x in at.items()
    }
    return {name: np.imag(y) / STEP for name, y in call(**moved).items()}
