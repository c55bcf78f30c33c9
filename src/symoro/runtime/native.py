"""Compiled program for single calls; a second library for batches is compiled at the first batch."""

from __future__ import annotations

import ctypes
import math
import sys
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError, MissingDependencyError
from symoro.program.program import Program, size
from symoro.runtime.compiler import library

# -- the fast call path: one call that checks its arrays and copies no data
#
# A call through ctypes costs microseconds per pointer. `fast_call.c` creates builtin functions of Python, without
# Python's headers; it is compiled once per machine. If it is not available (another Python than CPython, or an
# unusual platform), `Native` uses ctypes.

MOST = 16  # largest number of arrays in a call, as in fast_call.c
RANK = 4
# In the order of the table in fast_call.c; all of them belong to the stable ABI of Python 3.11.
FUNCTIONS = (
    "PyObject_GetBuffer",
    "PyBuffer_Release",
    "PyObject_Type",
    "Py_IncRef",
    "Py_DecRef",
    "PyTuple_GetItem",
    "PyBytes_AsString",
    "PyDict_New",
    "PyDict_Size",
    "PyDict_GetItemWithError",
    "PyDict_SetItem",
    "PyObject_CallObject",
    "PyFloat_AsDouble",
    "PyErr_Clear",
    "PyErr_SetString",
    "PyEval_SaveThread",
    "PyEval_RestoreThread",
)
LONG = 20_000  # number of statements from which a call releases the interpreter lock


@dataclass(frozen=True)
class FastCall:
    """Two builtin functions of a compiled program.

    Attributes:
        call: function of a dictionary of inputs that returns a dictionary of new outputs; None if an input is not a
            contiguous array of doubles of its shape, or a name is wrong.
        raw: function of buffers of the caller, inputs followed by outputs.
    """

    call: Callable[[dict[str, Any]], dict[str, Any] | None]
    raw: Callable[..., None]


@cache
def fast_call_library() -> ctypes.CDLL | None:
    """Return the library of fast_call.c, ready for use."""
    if sys.implementation.name != "cpython":
        return None
    source = (resources.files("symoro.runtime") / "fast_call.c").read_text(encoding="ascii")
    try:
        opened = library({"fast_call.c": source})
        addresses = [_address(getattr(ctypes.pythonapi, name)) for name in FUNCTIONS]
    except (MissingDependencyError, AttributeError):
        return None
    opened.fast_call_open((ctypes.c_void_p * len(addresses))(*addresses))
    return opened


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def fast_call(program: Program, packed: Any, constants: NDArray[np.float64]) -> FastCall | None:
    """Return the fast call path to a compiled program, or None if it is not available.

    Args:
        packed: C function of an array of pointers: inputs, constants if there are any, outputs.
    """
    shapes = [*(port.shape for port in program.inputs), *(port.shape for port in program.outputs)]
    if len(shapes) + 1 > MOST or any(len(shape) > RANK for shape in shapes):
        return None
    opened = fast_call_library()
    if opened is None:
        return None
    presets = [_preset(port.default, port.shape) for port in program.inputs]
    numbers = [constants.ctypes.data if len(constants) else 0, _address(packed)]
    numbers += [len(program.inputs), len(program.outputs), int(_long(program))]
    for shape, preset in zip(shapes, [*presets, *[None] * len(program.outputs)], strict=True):
        padded = [*shape, *[0] * (RANK - len(shape))]
        numbers += [0 if preset is None else preset.ctypes.data, math.prod(shape), len(shape), *padded]
    numbers += [0] * (5 + MOST * (3 + RANK) - len(numbers))
    held = (
        np.array(numbers, dtype=np.intp).tobytes(),
        None,
        np.ndarray,
        float,
        np.empty,
        tuple(port.name for port in program.inputs),
        tuple(port.name for port in program.outputs),
        tuple((port.shape,) for port in program.outputs),
        ArgumentError,
        (presets, constants, packed),  # objects to which the addresses point
    )
    return FastCall(_builtin(opened, "fast_call_by_name", held), _builtin(opened, "fast_call_raw", held))


def _preset(default: Sequence[float] | None, shape: tuple[int, ...]) -> NDArray[np.float64] | None:
    return None if default is None else np.array(default, dtype=float).reshape(shape)


def _long(program: Program) -> bool:
    return len(program.nodes) > LONG or bool(program.graph.calls)


def _builtin(opened: ctypes.CDLL, name: str, held: tuple[Any, ...]) -> Any:
    """Return a builtin function of Python whose `self` contains its data."""
    signature = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    make = signature(("PyCFunction_NewEx", ctypes.pythonapi))
    return make(ctypes.addressof(ctypes.c_char.in_dll(opened, name)), held, None)


# -- batches: NumPy has one row per sample, the emitted batch function takes one array per entry
#
# Samples are transposed block by block into buffers that fit the first-level cache, computed, and transposed back.
# If the batch function processes samples one by one, the rows are passed to the call function without a copy.

BUFFER = 16384  # total number of doubles in all buffers


def packed_source(program: Program, name: str, *, constants: bool) -> dict[str, str]:
    """Return a C file with NAME_packed(arrays): the call function with its arguments in an array."""
    count = len(program.inputs) + len(program.outputs) + int(constants)
    arguments = ", ".join(f"a[{at}]" for at in range(count))
    text = f'#include "{name}.h"\n\nvoid {name}_packed(void *const *a)\n{{\n    {name}({arguments});\n}}\n'
    return {f"{name}_packed.c": text}


def rows_source(program: Program, name: str, *, constants: bool, blocks: bool) -> dict[str, str]:
    """Return a C file with NAME_rows(n, steps, inputs ..., [k,] outputs ...), for the emitted functions.

    `steps` contains, for each input, the distance between its samples: 0 if all samples have the same.

    Args:
        blocks: call NAME_batch for blocks of samples; otherwise NAME for one sample at a time.
    """
    inputs = [size(port.shape) for port in program.inputs]
    outputs = [size(port.shape) for port in program.outputs]
    block = max(8, min(512, BUFFER // max(1, sum(inputs) + sum(outputs)) // 8 * 8))
    pointers = [f"const double *restrict x{a}" for a in range(len(inputs))]
    pointers += ["const double *restrict k"] if constants else []
    pointers += [f"double *restrict y{a}" for a in range(len(outputs))]
    lines = [f'#include "{name}.h"', ""]
    lines.append(f"void {name}_rows(size_t n, const size_t *restrict steps, {', '.join(pointers)})")
    lines.append("{")
    if not blocks:
        arguments = [f"x{a} + i * steps[{a}]" for a in range(len(inputs))] + (["k"] if constants else [])
        arguments += [f"y{a} + i * {n}" for a, n in enumerate(outputs)]
        lines += ["    for (size_t i = 0; i < n; ++i)", f"        {name}({', '.join(arguments)});", "}", ""]
        return {f"{name}_rows.c": "\n".join(lines)}
    lines += [f"    double u{a}[{max(1, n) * block}];" for a, n in enumerate(inputs)]
    lines += [f"    double v{a}[{max(1, n) * block}];" for a, n in enumerate(outputs)]
    lines.append(f"    for (size_t start = 0; start < n; start += {block}) {{")
    lines.append(f"        const size_t m = n - start < {block} ? n - start : {block};")
    for a, n in enumerate(inputs):
        lines.append(f"        for (size_t i = 0; i < m; ++i) for (size_t e = 0; e < {n}; ++e)")
        lines.append(f"            u{a}[e * m + i] = x{a}[(start + i) * steps[{a}] + e];")
    arguments = [f"u{a}" for a in range(len(inputs))] + (["k"] if constants else [])
    arguments += [f"v{a}" for a in range(len(outputs))]
    lines.append(f"        {name}_batch(m, {', '.join(arguments)});")
    for a, n in enumerate(outputs):
        lines.append(f"        for (size_t i = 0; i < m; ++i) for (size_t e = 0; e < {n}; ++e)")
        lines.append(f"            y{a}[(start + i) * {n} + e] = v{a}[e * m + i];")
    lines += ["    }", "}", ""]
    return {f"{name}_rows.c": "\n".join(lines)}


Array = NDArray[np.float64]
NAME = "model"  # name of the C function, because the name of a robot may be long


class Native:
    """C function of a program.

    Attributes:
        address: address of the C function
            `void (*)(const double *inputs ..., [const double *constants,] double *outputs ...)`.
        constants: argument between inputs and outputs, unless it is empty.
        fast_call: fast call path for single calls; None if this Python does not support it.
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
        self.fast_call = fast_call(program, getattr(self._library, f"{NAME}_packed"), self.constants)
        self._many: Any = None
        self._building = threading.Lock()

    def constants_of(self, values: Mapping[str, float]) -> Array:
        """Return the array of constants for other numbers of the parameters."""
        constants = np.empty(len(self.constants))
        if len(constants):
            parameters = np.array([values[name] for name in self.program.used_parameters], dtype=float)
            getattr(self._library, f"{NAME}_setup")(_pointer(parameters), _pointer(constants))
        return constants

    def one(self, arrays: Mapping[str, Array]) -> dict[str, Any]:
        """Return the outputs of one sample from arrays of the right shapes."""
        ready = {name: _in_one_piece(array) for name, array in arrays.items()}
        outputs = None if self.fast_call is None else self.fast_call.call(ready)
        if outputs is not None:
            return outputs
        results = {port.name: np.empty(port.shape) for port in self.program.outputs}
        self._one(*self._arguments(ready, results))
        return results

    def many(self, arrays: Mapping[str, Array], batch: int) -> dict[str, Any]:
        """Return the outputs of a batch, from arrays with or without the batch axis in front."""
        ports = self.program.inputs
        ready = {name: _in_one_piece(array) for name, array in arrays.items()}
        steps = [0 if ready[port.name].ndim == len(port.shape) else size(port.shape) for port in ports]
        results = {port.name: np.empty((batch, *port.shape)) for port in self.program.outputs}
        strides = (ctypes.c_size_t * max(1, len(steps)))(*steps)
        self._rows()(ctypes.c_size_t(batch), strides, *self._arguments(ready, results))
        return results

    def _rows(self) -> Any:
        """Return the C function for batches; the first caller compiles it, others wait for it."""
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
        except MissingDependencyError as error:  # the compiler was removed, or fails
            warnings.warn(f"{error.message}: batches run one sample at a time, which is slower", stacklevel=5)
            return self._library

    def _arguments(self, sources: Mapping[str, Array], results: Mapping[str, Array]) -> list[Any]:
        constants = [self.constants] if len(self.constants) else []
        inputs = [sources[port.name] for port in self.program.inputs]
        return [_pointer(array) for array in (*inputs, *constants, *results.values())]


def _in_one_piece(array: Array) -> Array:
    contiguous = np.ascontiguousarray(array).reshape(
        array.shape
    )  # ascontiguousarray adds an axis to a scalar
    return contiguous if contiguous.flags.aligned else contiguous.copy()


def _pointer(array: Array) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)
