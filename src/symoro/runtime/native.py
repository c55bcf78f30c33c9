"""A compiled program: single calls at once, batches by a second library that is built when the first batch comes."""

from __future__ import annotations

import ctypes
import threading
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.errors import MissingDependencyError
from symoro.program.program import Program, size
from symoro.runtime.compiler import library
from symoro.runtime.door import door
from symoro.runtime.rows import packed_source, rows_source

Array = NDArray[np.float64]
NAME = "model"  # of the C function: a robot's own name may be long


class Native:
    """The C function of a program.

    Attributes:
        address: of the C function `void (*)(const double *inputs ..., [const double *constants,] double *outputs ...)`.
        constants: what it takes between inputs and outputs, unless it is empty.
        door: the way in for single calls, where this Python has one.
    """

    def __init__(self, program: Program, values: Mapping[str, float]) -> None:
        from symoro.emit.c import call_sources

        self.program = program
        sources = call_sources(program, NAME)
        self.constants = np.empty(sources.constants)
        with_constants = len(self.constants) > 0
        extra = packed_source(program, NAME, constants=with_constants)
        extra |= rows_source(program, NAME, constants=with_constants, blocks=False)
        self._library = library({**sources.files, **extra})
        self._one = getattr(self._library, NAME)
        self._one.restype = None
        self.address = ctypes.cast(self._one, ctypes.c_void_p).value or 0
        self.constants = self.constants_of(values)
        self.constants.flags.writeable = False
        self.door = door(program, getattr(self._library, f"{NAME}_packed"), self.constants)
        self._many: Any = None
        self._building = threading.Lock()

    def constants_of(self, values: Mapping[str, float]) -> Array:
        """Return the array of constants for other numbers of the parameters."""
        found = np.empty(len(self.constants))
        if len(found):
            parameters = np.array([values[name] for name in self.program.used_parameters], dtype=float)
            getattr(self._library, f"{NAME}_setup")(_pointer(parameters), _pointer(found))
        return found

    def one(self, arrays: Mapping[str, Array]) -> dict[str, Any]:
        """One sample from arrays of the right shapes."""
        ready = {name: _in_one_piece(array) for name, array in arrays.items()}
        found = None if self.door is None else self.door.call(ready)
        if found is not None:
            return found
        results = {port.name: np.empty(port.shape) for port in self.program.outputs}
        self._one(*self._arguments(ready, results))
        return results

    def many(self, arrays: Mapping[str, Array], batch: int) -> dict[str, Any]:
        """A batch, from arrays with the batch axis in front or without it."""
        ports = self.program.inputs
        ready = {name: _in_one_piece(array) for name, array in arrays.items()}
        steps = [0 if ready[port.name].ndim == len(port.shape) else size(port.shape) for port in ports]
        results = {port.name: np.empty((batch, *port.shape)) for port in self.program.outputs}
        strides = (ctypes.c_size_t * max(1, len(steps)))(*steps)
        self._rows()(ctypes.c_size_t(batch), strides, *self._arguments(ready, results))
        return results

    def _rows(self) -> Any:
        """The C function for batches; the first caller builds it, others wait for it."""
        with self._building:
            if self._many is None:
                self._many = getattr(self._batch_library(), f"{NAME}_rows")
                self._many.restype = None
            return self._many

    def _batch_library(self) -> ctypes.CDLL:
        from symoro.emit.c import batch_sources, call_sources

        batch = batch_sources(self.program, NAME)
        if not batch.vectorised:
            return self._library
        rows = rows_source(self.program, NAME, constants=len(self.constants) > 0, blocks=True)
        try:
            return library({**call_sources(self.program, NAME).files, **batch.files, **rows})
        except MissingDependencyError as error:  # the compiler went away, or is not up to it
            warnings.warn(f"{error.message}: batches run one sample at a time, slower", stacklevel=5)
            return self._library

    def _arguments(self, sources: Mapping[str, Array], results: Mapping[str, Array]) -> list[Any]:
        constants = [self.constants] if len(self.constants) else []
        given = [sources[port.name] for port in self.program.inputs]
        return [_pointer(array) for array in (*given, *constants, *results.values())]


def _in_one_piece(array: Array) -> Array:
    made = np.ascontiguousarray(array).reshape(array.shape)  # which would give a scalar an axis
    return made if made.flags.aligned else made.copy()


def _pointer(array: Array) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)
