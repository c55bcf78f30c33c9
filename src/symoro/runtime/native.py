"""Compiled program for single calls; a second library for batches is compiled at the first batch.

`Code` is the compiled program, which all functions of a program share; `Native` is one with values of the parameters.
"""

from __future__ import annotations

import ctypes
import math
import sys
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError, MissingDependencyError
from symoro.program.program import Program, size
from symoro.runtime.compiler import library
from symoro.runtime.options import FunctionOptions
from symoro.runtime.rows import rows_source, tile_of
from symoro.runtime.workers import shared_out

Array = NDArray[Any]  # of doubles or of floats

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
            contiguous array of its type and shape, or a name is wrong.
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


@dataclass(frozen=True)
class FastCallTable:
    """Description of the ports for fast_call.c, without the address of the constants.

    Attributes:
        numbers: the struct `ports` of fast_call.c after its first member.
        shared: contents of `self` of the builtin functions after `numbers`.
        owners: objects to which the addresses point.
    """

    numbers: bytes
    shared: tuple[Any, ...]
    owners: tuple[Any, ...]


def fast_call_table(program: Program, packed: Any, dtype: str) -> FastCallTable | None:
    """Return the description of a compiled program for the fast call path, or None if it is not available.

    Args:
        packed: C function of an array of pointers: inputs, constants if there are any, outputs.
    """
    shapes = [*(port.shape for port in program.inputs), *(port.shape for port in program.outputs)]
    if len(shapes) + 1 > MOST or any(len(shape) > RANK for shape in shapes):
        return None
    if fast_call_library() is None:
        return None
    presets = [_preset(port.default, port.shape, dtype) for port in program.inputs]
    numbers = [_address(packed), len(program.inputs), len(program.outputs), int(_long(program))]
    numbers.append(np.dtype(dtype).itemsize)
    for shape, preset in zip(shapes, [*presets, *[None] * len(program.outputs)], strict=True):
        padded = [*shape, *[0] * (RANK - len(shape))]
        numbers += [0 if preset is None else preset.ctypes.data, math.prod(shape), len(shape), *padded]
    numbers += [0] * (5 + MOST * (3 + RANK) - len(numbers))
    shared = (
        None,
        np.ndarray,
        float,
        np.empty,
        tuple(port.name for port in program.inputs),
        tuple(port.name for port in program.outputs),
        tuple((port.shape, dtype) for port in program.outputs),
        ArgumentError,
    )
    return FastCallTable(np.array(numbers, dtype=np.intp).tobytes(), shared, (presets, packed))


def fast_call(table: FastCallTable, constants: Array) -> FastCall:
    """Return the fast call path to a compiled program with these constants."""
    opened = fast_call_library()
    assert opened is not None
    first = np.intp(constants.ctypes.data if len(constants) else 0).tobytes()
    held = (first + table.numbers, *table.shared, (table.owners, constants))
    return FastCall(_builtin(opened, "fast_call_by_name", held), _builtin(opened, "fast_call_raw", held))


def _preset(default: Sequence[float] | None, shape: tuple[int, ...], dtype: str) -> Array | None:
    return None if default is None else np.array(default, dtype=dtype).reshape(shape)


def _long(program: Program) -> bool:
    return len(program.nodes) > LONG or bool(program.graph.calls)


def _builtin(opened: ctypes.CDLL, name: str, held: tuple[Any, ...]) -> Any:
    """Return a builtin function of Python whose `self` contains its data."""
    return _new_function()(ctypes.addressof(ctypes.c_char.in_dll(opened, name)), held, None)


@cache
def _new_function() -> Any:
    signature = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    return signature(("PyCFunction_NewEx", ctypes.pythonapi))


# -- compiled code

NAME = "model"  # name of the C function, because the name of a robot may be long


def packed_source(program: Program, name: str, *, constants: bool) -> dict[str, str]:
    """Return a C file with NAME_packed(arrays): the call function with its arguments in an array."""
    count = len(program.inputs) + len(program.outputs) + int(constants)
    arguments = ", ".join(f"a[{at}]" for at in range(count))
    text = f'#include "{name}.h"\n\nvoid {name}_packed(void *const *a)\n{{\n    {name}({arguments});\n}}\n'
    return {f"{name}_packed.c": text}


class Code:
    """Compiled functions of a program for one type of numbers; it does not refer to the program.

    Attributes:
        constants: number of constants, the results of the setup function.
        address: address of the C function
            `void (*)(const double *inputs ..., [const double *constants,] double *outputs ...)`.
        table: description for the fast call path; None if this Python does not support it.
    """

    def __init__(self, program: Program, options: FunctionOptions) -> None:
        from symoro.emit.c import call_sources

        sources = call_sources(program, NAME, options.scalar, options.trig)
        self.constants = sources.constants
        self.options = options
        extra = packed_source(program, NAME, constants=self.constants > 0)
        files = {**sources.files, **extra, **self._rows_source(program, blocks=False)}
        self._library = library(files, straight=True)
        self.one = getattr(self._library, NAME)
        self.one.restype = None
        self.address = _address(self.one)
        self.table = fast_call_table(program, getattr(self._library, f"{NAME}_packed"), options.dtype)
        self._rows: Any = None
        self._building = threading.Lock()

    def _rows_source(self, program: Program, *, blocks: bool) -> dict[str, str]:
        return rows_source(
            program,
            NAME,
            constants=self.constants > 0,
            blocks=blocks,
            scalar=self.options.scalar,
            layout=self.options.layout,
        )

    @cached_property
    def setup(self) -> Any:
        """Return the C function of parameters that computes the constants."""
        function = getattr(self._library, f"{NAME}_setup")
        function.restype = None
        return function

    def rows(self, program: Program) -> Any:
        """Return `NAME_rows_packed` for the program of this code; the first caller compiles it, others wait for it."""
        with self._building:
            if self._rows is None:
                self._rows = getattr(self._batch_library(program), f"{NAME}_rows_packed")
                self._rows.restype = None
            return self._rows

    def _batch_library(self, program: Program) -> ctypes.CDLL:
        from symoro.emit.c import batch_sources, call_sources

        scalar, trig = self.options.scalar, self.options.trig
        batch = batch_sources(program, NAME, scalar, trig, samples=tile_of(program))
        if not batch.vectorised:
            return self._library
        rows = self._rows_source(program, blocks=True)
        try:
            return library({**call_sources(program, NAME, scalar, trig).files, **batch.files, **rows})
        except MissingDependencyError as error:  # the compiler was removed, or fails
            warnings.warn(f"{error.message}: batches run one sample at a time, which is slower", stacklevel=5)
            return self._library


_CODES: WeakKeyDictionary[Program, dict[tuple[str, ...], Code]] = WeakKeyDictionary()


def code_of(program: Program, options: FunctionOptions) -> Code:
    """Return the compiled code of a program; all functions of the program share it."""
    codes = _CODES.setdefault(program, {})
    key = (options.dtype, options.trig, options.layout)
    if key not in codes:
        codes[key] = Code(program, options)
    return codes[key]


class Native:
    """Compiled program with values of its parameters.

    Attributes:
        address: address of the C function
            `void (*)(const double *inputs ..., [const double *constants,] double *outputs ...)`.
        constants: argument between inputs and outputs, unless it is empty.
        fast_call: fast call path for single calls; None if this Python does not support it.
    """

    def __init__(
        self,
        program: Program,
        values: Mapping[str, float],
        options: FunctionOptions,
        code: Code | None = None,
    ) -> None:
        self.program = program
        self.options = options
        self.code = code_of(program, options) if code is None else code
        self.address = self.code.address
        self.constants = self.constants_of(values)
        self.constants.flags.writeable = False
        table = self.code.table
        self.fast_call = None if table is None else fast_call(table, self.constants)

    def bind(self, values: Mapping[str, float]) -> Native:
        """Return the same code with other numbers for all parameters."""
        return Native(self.program, values, self.options, self.code)

    @property
    def batch_address(self) -> int:
        """Return the address of the C function `void (*)(size_t n, const size_t *steps, void *const *arrays)`."""
        return _address(self.code.rows(self.program))

    def constants_of(self, values: Mapping[str, float]) -> Array:
        """Return the array of constants for other numbers of the parameters."""
        constants = np.empty(self.code.constants, self.options.dtype)
        if len(constants):
            parameters = np.array([values[name] for name in self.program.used_parameters], self.options.dtype)
            self.code.setup(_pointer(parameters), _pointer(constants))
        return constants

    def one(self, arrays: Mapping[str, Array], results: Mapping[str, Array]) -> None:
        """Compute one sample from arrays of the right shapes into contiguous arrays."""
        ready = {name: _in_one_piece(array) for name, array in arrays.items()}
        self.code.one(*map(_pointer, self._arguments(ready, results)))

    def many(self, arrays: Mapping[str, Array], samples: int, results: Mapping[str, Array]) -> None:
        """Compute a batch from arrays with or without the batch axis in front, into arrays stored as `empty` does."""
        ready, moves, steps = {}, [], []
        entries = self.options.layout == "entries"
        for port in self.program.inputs:
            array = arrays[port.name]
            common = array.ndim == len(port.shape)
            if common or not entries:
                array, step = _rows(array, common, size(port.shape))
            else:
                array = _by_entries(array)
                step = samples
            ready[port.name] = array
            steps.append(step)
            moves.append(0 if common else 1 if entries else step)
        if self.code.constants:
            moves.append(0)
        lengths = [size(output.shape) for output in self.program.outputs]
        steps += [samples] * len(lengths)
        moves += [1] * len(lengths) if entries else lengths
        call, item = self.code.rows(self.program), np.dtype(self.options.dtype).itemsize
        addresses = [array.ctypes.data for array in self._arguments(ready, results)]
        strides = (ctypes.c_size_t * len(steps))(*steps)
        pointers = ctypes.c_void_p * len(addresses)

        def part(start: int, stop: int) -> None:
            moved = [at + start * move * item for at, move in zip(addresses, moves, strict=True)]
            call(ctypes.c_size_t(stop - start), strides, pointers(*moved))

        work = samples * (len(self.program.nodes) + sum(lengths))
        shared_out(part, samples, tile_of(self.program), self.options.threads, work)

    def _arguments(self, inputs: Mapping[str, Array], results: Mapping[str, Array]) -> list[Array]:
        constants = [self.constants] if len(self.constants) else []
        taken = [inputs[port.name] for port in self.program.inputs]
        return [*taken, *constants, *(results[port.name] for port in self.program.outputs)]


def empty(samples: int | None, shape: tuple[int, ...], options: FunctionOptions) -> Array:
    """Return a new array for an output: of one sample if the number of samples is None, else of a batch."""
    if samples is None:
        return np.empty(shape, options.dtype)
    if options.layout == "entries":
        return np.moveaxis(np.empty((*shape, samples), options.dtype), -1, 0)
    return np.empty((samples, *shape), options.dtype)


def _rows(array: Array, common: bool, entries: int) -> tuple[Array, int]:
    """Return the array with contiguous rows, copied if necessary, and the distance between its rows."""
    if common:
        return _in_one_piece(array), 0
    step, rest = divmod(array.strides[0], array.itemsize) if array.ndim else (0, 0)
    if len(array) and array[0].flags.c_contiguous and array.flags.aligned and not rest and step >= entries:
        return array, step
    return _in_one_piece(array), entries


def _by_entries(array: Array) -> Array:
    """Return an array (N, ...) that is stored entry after entry, copied if necessary."""
    return np.moveaxis(_in_one_piece(np.moveaxis(array, 0, -1)), -1, 0)


def _in_one_piece(array: Array) -> Array:
    contiguous = np.ascontiguousarray(array).reshape(
        array.shape
    )  # ascontiguousarray adds an axis to a scalar
    return contiguous if contiguous.flags.aligned else contiguous.copy()


def _pointer(array: Array) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)
