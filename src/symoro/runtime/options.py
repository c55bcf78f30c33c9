"""Options of `Model.function`: number type, threads, backend, storage of arrays, trigonometry."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symoro.errors import OptionError

DTYPES = {"float64": "double", "float32": "float"}  # type of NumPy -> type of C
LAYOUTS = ("samples", "entries")
TRIGONOMETRY = {"c": ("polynomial", "libm"), "cuda": ("accurate", "fast")}  # the first is the default
BACKENDS = tuple(TRIGONOMETRY)


@dataclass(frozen=True)
class FunctionOptions:
    """Checked options of a compiled function.

    Attributes:
        dtype: type of all numbers, "float64" or "float32".
        threads: largest number of threads of a batch.
        backend: "c" (NumPy is used without a compiler) or "cuda".
        layout: storage of the arrays of a batch: "samples" (N, n) by rows, "entries" entry after entry.
        trig: sines and cosines: "polynomial" or "libm" in C, "accurate" or "fast" on a GPU.
    """

    dtype: str = "float64"
    threads: int = 1
    backend: str = "c"
    layout: str = "samples"
    trig: str = "polynomial"

    @property
    def scalar(self) -> str:
        """Return the C type of the numbers, "double" or "float"."""
        return DTYPES[self.dtype]


DEFAULT = FunctionOptions()


def function_options(
    dtype: Any = "float64",
    threads: Any = 1,
    backend: Any = "c",
    layout: Any = "samples",
    trig: Any = None,
) -> FunctionOptions:
    """Check the options of a function and return them; the options are those of `FunctionOptions`.

    Raises:
        OptionError: an option has an invalid value; the message contains the valid ones.
    """
    _chosen("backend", backend, BACKENDS)
    _chosen("layout", layout, LAYOUTS)
    if trig is None:
        trig = TRIGONOMETRY[backend][0]
    _chosen(f"trig of backend '{backend}'", trig, TRIGONOMETRY[backend])
    return FunctionOptions(_dtype(dtype), _threads(threads), backend, layout, trig)


def _chosen(option: str, value: Any, valid: Sequence[str]) -> None:
    if not isinstance(value, str) or value not in valid:
        raise OptionError(f"{option} = {value!r} is not supported", hint=f"choose {_either(valid)}")


def _dtype(value: Any) -> str:
    try:
        name = "" if value is None else str(np.dtype(value).name)
    except TypeError:
        name = ""
    if name not in DTYPES:
        raise OptionError(f"dtype = {value!r} is not supported", hint=f"choose {_either(tuple(DTYPES))}")
    return name


def _threads(value: Any) -> int:
    try:
        number = 0 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = 0
    if number < 1:
        raise OptionError(
            f"threads = {value!r} is not supported", hint="choose a whole number of threads, at least 1"
        )
    return number


def _either(valid: Sequence[str]) -> str:
    return " or ".join(f"'{name}'" for name in valid)
