"""The part of NumPy that symoro uses, in plain Python, for pages without NumPy.

NumPy has to be compiled for the browser, and package registries do not provide it in this form. A page that runs
Python without it calls `install`: `import numpy` then returns this package, wherever NumPy itself does not exist.
Functions, shapes, types and random numbers are those of NumPy; sums may differ in their last digits. There is one
implementation of each model, and this package replaces only the arrays below it.
"""

from __future__ import annotations

import math
import sys
from importlib.util import find_spec
from types import ModuleType, SimpleNamespace
from typing import Any

from symoro.ui.arrays import elements, functions, linalg, random
from symoro.ui.arrays.elements import missing

__version__ = "2.0"

_SPECIAL: dict[str, Any] = {
    "pi": math.pi,
    "inf": math.inf,
    "nan": math.nan,
    "float64": elements.float64,
    "bool_": elements.bool_,
    "int64": int,
    "intp": int,
    "int_": int,
    "integer": int,
    "number": float,
    "complex128": complex,
    "dtype": elements.dtype_of,
    "finfo": lambda _: SimpleNamespace(
        eps=sys.float_info.epsilon, max=sys.float_info.max, tiny=sys.float_info.min
    ),
    "abs": functions.absolute,
    "linalg": linalg,
    "random": random,
    "flatnonzero": lambda value: elements.nonzero(functions.ravel(value))[0],
    "nonzero": lambda value: elements.nonzero(elements.asarray(value)),
    "argwhere": lambda value: functions.stack(elements.nonzero(elements.asarray(value)), -1),
    "result_type": lambda *values: max(
        (elements.asarray(x).dtype if not isinstance(x, type) else elements.dtype_of(x) for x in values),
        key=lambda dtype: elements.ORDER[dtype.kind],
    ),
}


class _Elementwise:
    """Function of two arrays, with `outer` as in NumPy."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, a: Any, b: Any, out: Any = None, where: Any = None) -> Any:
        if where is not None:
            kept = functions.where(where, b, 1.0)
            result = functions.where(where, elements.binary(self.name, a, kept), 0.0 if out is None else out)
        else:
            result = elements.binary(self.name, a, b)
        if out is not None:
            out[...] = result
            return out
        return result

    def outer(self, a: Any, b: Any) -> Any:
        """Return the function of all pairs of elements."""
        left, right = elements.asarray(a), elements.asarray(b)
        return self(left.reshape((*left.shape, *[1] * right.ndim)), right)


def __getattr__(name: str) -> Any:
    """Return a function or a constant by its name in NumPy.

    Raises:
        MissingDependencyError: the function exists in NumPy only.
        AttributeError: the name is that of a detail of Python's modules.
    """
    if name.startswith("__"):
        raise AttributeError(name)
    if name in _SPECIAL:
        value = _SPECIAL[name]
    elif name in elements._ARITHMETIC:
        value = _Elementwise(name)
    elif hasattr(functions, f"{name}_"):  # the name is that of a function of Python
        value = getattr(functions, f"{name}_")
    elif hasattr(functions, name):
        value = getattr(functions, name)
    elif hasattr(elements, name):
        value = getattr(elements, name)
    else:
        raise missing(name)
    globals()[name] = value
    return value


class _Annotation:
    """Stand-in for the type NDArray in annotations."""

    def __getitem__(self, _: Any) -> Any:
        return Any


class _Missing:
    """Part of NumPy that is imported by name but not available: each use is rejected."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        raise missing(self._name)


def install() -> None:
    """Return this package for `import numpy` if NumPy does not exist."""
    if "numpy" in sys.modules or find_spec("numpy") is not None:
        return
    typing = ModuleType("numpy.typing")
    typing.__dict__.update(NDArray=_Annotation(), ArrayLike=Any, DTypeLike=Any)
    polynomial = ModuleType("numpy.polynomial")
    polynomial.__dict__.update(
        {name: _Missing("polynomial") for name in ("chebyshev", "polynomial", "Polynomial", "Chebyshev")}
    )
    parts = {"typing": typing, "linalg": linalg, "random": random, "polynomial": polynomial}
    sys.modules.update(
        {"numpy": sys.modules[__name__]} | {f"numpy.{name}": part for name, part in parts.items()}
    )
