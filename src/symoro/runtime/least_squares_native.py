"""`least_squares.solve` in C: least_squares.c, compiled with the emitted error of one frame."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.models.geometric.inverse.error import PoseError
from symoro.runtime.compiler import library
from symoro.runtime.least_squares import Array, Found, PoseProblem, Solve

NAME = "model"  # of the emitted function
ARRAYS = ("k", "lower", "upper", "wraps", "columns", "rows", "weights", "scales", "starts", "placed")
NUMBERS = ("damping", "patience", "tolerance", "iterations", "attempts")
ADDRESS, COUNT = ctypes.c_void_p, ctypes.c_size_t


class _Shared(ctypes.Structure):
    """`Problem` of least_squares.c."""

    _fields_ = (*((name, ADDRESS) for name in ARRAYS), *((name, ctypes.c_double) for name in NUMBERS))


class DampedNative:
    """The library of one frame's error.

    Raises:
        MissingDependencyError: there is no compiler, or it cannot make a library that loads.
    """

    def __init__(self, error: PoseError, starts: int, values: Mapping[str, float]) -> None:
        from symoro.emit.c import call_sources

        self._joints, self._entries = len(error.moving), len(error.entries)
        program = error.program
        sources = call_sources(program, NAME)
        self._constants = np.empty(sources.constants)
        driver = _driver(error, starts, constants=len(self._constants) > 0)
        lib = library({**sources.files, "least_squares.c": driver})
        self._rows = _function(lib, "numeric_rows", None, COUNT, *[ADDRESS] * 6)
        self._placed = _function(lib, "numeric_placed", None, COUNT, *[ADDRESS] * 3)
        self._clean = _function(lib, "numeric_clean", ctypes.c_int, COUNT, ADDRESS, ctypes.c_double)
        if len(self._constants):
            setup = _function(lib, f"{NAME}_setup", None, ADDRESS, ADDRESS)
            parameters = np.array([values[name] for name in program.used_parameters], dtype=float)
            setup(_address(parameters), _address(self._constants))

    def clean(self, T: Array, round_off: float) -> bool:
        """Whether all poses, by rows, are finite and rotations as they are."""
        return bool(self._clean(len(T), _address(T), round_off))

    def placed(self, q: Array) -> Array:
        """The given entries of the poses of some postures, by rows."""
        q = np.ascontiguousarray(q)
        found = np.empty((len(q), self._entries))
        self._placed(len(q), _address(q), _address(self._constants), _address(found))
        return found

    def solve(self, p: PoseProblem) -> Solve:
        """The solver of one problem."""
        arrays = {name: getattr(p, name, self._constants) for name in ARRAYS}
        arrays["placed"] = p.placed.T
        kept = [np.ascontiguousarray(array, dtype=float) for array in arrays.values()]
        shared = _Shared(*map(_address, kept), *(float(getattr(p, name)) for name in NUMBERS))
        return _Solver(self._rows, self._joints, shared, kept)


@dataclass(frozen=True, eq=False)
class _Solver:
    """numeric_rows for one problem; `kept` holds the arrays that the problem points to."""

    rows: Any
    joints: int
    shared: _Shared
    kept: list[Array]

    def __call__(self, T: Array, held: Array, first: Array | None, prefer: Array | None) -> Found:
        given = [None if x is None else np.ascontiguousarray(x) for x in (T, held, first, prefer)]
        n, out = self.joints, np.empty((len(T), self.joints + 4))
        problem = ctypes.addressof(self.shared)
        self.rows(len(T), problem, *(None if x is None else _address(x) for x in (*given, out)))
        return Found(out[:, :n].copy(), out[:, n] != 0, *out[:, n + 1 :].T)


def _driver(error: PoseError, starts: int, *, constants: bool) -> str:
    places = ", ".join(str(4 * row + column) for row, column in error.entries)
    whole = [c for c in range(3) if all((r, c) in error.entries for r in range(3))]
    lines = [
        f'#include "{NAME}.h"',
        f"#define JOINTS {len(error.moving)}",
        f"#define ROWS {len(error.lengths)}",
        f"#define ENTRIES {len(error.entries)}",
        f"#define WHOLE {len(whole)}",
        f"#define STARTS {starts}",
        f"#define POSE_ERROR(q, T, k, e, J, placed) {NAME}(q, T, {'k, ' if constants else ''}e, J, placed)",
        f"static const int PLACES[ENTRIES] = {{{places}}};",
        f"static const int COLUMNS[3] = {{{', '.join(map(str, whole)) or 0}}};",
    ]
    text = (resources.files("symoro.runtime") / "least_squares.c").read_text(encoding="ascii")
    return "\n".join([*lines, text])


def _function(lib: ctypes.CDLL, name: str, result: Any, *arguments: Any) -> Any:
    found = getattr(lib, name)
    found.restype, found.argtypes = result, arguments
    return found


def _address(array: NDArray[np.float64]) -> int:
    return int(array.__array_interface__["data"][0])
