"""The door between Python and a compiled function: one call that checks its arrays, and copies nothing.

A call through ctypes costs microseconds a pointer. The door (`door.c`) is a builtin function of Python's own kind, made
from C without Python's headers. It is compiled once a machine. Where it cannot be had (another Python than CPython, an
odd platform), `Native` goes through ctypes.
"""

from __future__ import annotations

import ctypes
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError, MissingDependencyError
from symoro.program.program import Program
from symoro.runtime.compiler import library

MOST = 16  # arrays in a call, as in door.c
RANK = 4
# In the order of the table in door.c; all of them belong to the stable ABI of Python 3.11.
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
LONG = 20_000  # statements from which a call takes so long that other threads may run meanwhile


@dataclass(frozen=True)
class Door:
    """The two builtin functions of a compiled program.

    Attributes:
        call: a dictionary of inputs -> a dictionary of fresh outputs; None where an input is not exactly an array of
            doubles of its shape in one piece, or a name is not right.
        raw: the caller's own buffers, inputs and then outputs.
    """

    call: Callable[[dict[str, Any]], dict[str, Any] | None]
    raw: Callable[..., None]


@cache
def opened_door() -> ctypes.CDLL | None:
    """The library of door.c, ready for use."""
    if sys.implementation.name != "cpython":
        return None
    source = (resources.files("symoro.runtime") / "door.c").read_text(encoding="ascii")
    try:
        found = library({"door.c": source})
        addresses = [_address(getattr(ctypes.pythonapi, name)) for name in FUNCTIONS]
    except (MissingDependencyError, AttributeError):
        return None
    found.door_open((ctypes.c_void_p * len(addresses))(*addresses))
    return found


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def door(program: Program, packed: Any, constants: NDArray[np.float64]) -> Door | None:
    """The door to a compiled program, where there can be one.

    Arguments:
        packed: the C function that takes an array of pointers: inputs, constants where there are any, outputs.
    """
    shapes = [*(port.shape for port in program.inputs), *(port.shape for port in program.outputs)]
    if len(shapes) + 1 > MOST or any(len(shape) > RANK for shape in shapes):
        return None
    opened = opened_door()
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
        (presets, constants, packed),  # what the numbers point to
    )
    return Door(_builtin(opened, "door_call", held), _builtin(opened, "door_raw", held))


def _preset(default: Sequence[float] | None, shape: tuple[int, ...]) -> NDArray[np.float64] | None:
    return None if default is None else np.array(default, dtype=float).reshape(shape)


def _long(program: Program) -> bool:
    return len(program.nodes) > LONG or bool(program.graph.calls)


def _builtin(opened: ctypes.CDLL, name: str, held: tuple[Any, ...]) -> Any:
    """A builtin function of Python, whose `self` is what it needs."""
    signature = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    make = signature(("PyCFunction_NewEx", ctypes.pythonapi))
    return make(ctypes.addressof(ctypes.c_char.in_dll(opened, name)), held, None)
