"""`Function`: a program as a NumPy callable, one sample or a batch.

    f(q=q, qd=qd)           inputs by name, shape (n,) for one sample or (N, n) for a batch
    -> {"tau": array}       outputs by name, with the batch axis in front

An input without the batch axis is shared by all samples. Calls share nothing that is written, so that a function may
be used by several threads at once.
"""

from __future__ import annotations

import ctypes
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError, MissingDependencyError
from symoro.program.interpret import interpret
from symoro.program.program import Input, Program, size
from symoro.robot.description import Robot
from symoro.runtime.compiler import HINT, library
from symoro.runtime.rows import rows_source

Array = NDArray[np.float64]


class Function:
    """A program with numbers for its parameters, ready to be called."""

    def __init__(
        self,
        program: Program,
        values: Mapping[str, float],
        *,
        compiled: bool | None = None,
        robot: Robot | None = None,
    ) -> None:
        self.program = program
        self.robot = robot
        self.values = _parameter_values(program, values)
        self._inputs = {port.name: port for port in program.inputs}
        self._native = None if compiled is False else self._compiled(insist=bool(compiled))
        self.compiled = self._native is not None

    def _compiled(self, *, insist: bool) -> _Native | None:
        try:
            return _Native(self.program, self.values)
        except MissingDependencyError as error:
            if insist:
                raise
            message = f"{error.message}: calls run in NumPy, slower. To change that: {HINT}"
            warnings.warn(message, stacklevel=4)
            return None

    def __call__(self, **inputs: Any) -> dict[str, Any]:
        arrays, batch = self._checked(inputs)
        if self._native is not None:
            return self._native(arrays, batch)
        if batch is not None:
            arrays = {
                name: np.broadcast_to(a, (batch, *self._inputs[name].shape)) for name, a in arrays.items()
            }
        return interpret(self.program, arrays, self.values)

    def _checked(self, inputs: Mapping[str, Any]) -> tuple[dict[str, Array], int | None]:
        for name in inputs:
            if name not in self._inputs:
                raise ArgumentError(
                    f"no input called '{name}'", hint=f"inputs: {_expected(self.program.inputs)}"
                )
        arrays: dict[str, Array] = {}
        batch: int | None = None
        for name, port in self._inputs.items():
            array = _as_array(port, inputs)
            if array.ndim == len(port.shape) + 1:
                if batch not in (None, array.shape[0]):
                    raise ArgumentError(
                        f"input '{name}' has {array.shape[0]} samples where another input has {batch}"
                    )
                batch = array.shape[0]
            arrays[name] = array
        return arrays, batch

    def __repr__(self) -> str:
        kind = "compiled" if self.compiled else "NumPy"
        return f"<Function {self.program.name}({_expected(self.program.inputs)}), {kind}>"


def _as_array(port: Input, inputs: Mapping[str, Any]) -> Array:
    if port.name not in inputs:
        if port.default is None:
            raise ArgumentError(f"input '{port.name}' is missing", hint=f"expected {_expected([port])}")
        return np.array(port.default, dtype=float).reshape(port.shape)
    given = inputs[port.name]
    try:
        if isinstance(given, np.ndarray) and given.dtype.kind == "c":
            raise TypeError("complex")
        array = np.asarray(given, dtype=float)
        if _made_of_none(given, array):
            raise TypeError("None")
    except (TypeError, ValueError, OverflowError):
        message = f"input '{port.name}' is not an array of real numbers"
        raise ArgumentError(message, hint=f"expected {_expected([port])}") from None
    if array.shape != port.shape and (array.ndim == 0 or array.shape[1:] != port.shape):
        entries = ", ".join(port.symbols[:12])
        raise ArgumentError(
            f"input '{port.name}' has shape {array.shape}, expected {port.shape} or (N, "
            f"{', '.join(map(str, port.shape))}) for N samples",
            hint=f"its entries are {entries}",
        )
    return array


def _made_of_none(given: Any, array: Array) -> bool:
    """Whether an entry is None, which NumPy takes for what is no number."""
    if isinstance(given, np.ndarray) and given.dtype.kind != "O":
        return False
    return bool(np.isnan(array).any()) and any(x is None for x in np.asarray(given, dtype=object).flat)


def _expected(ports: Sequence[Input]) -> str:
    return ", ".join(f"{port.name} {port.shape}" for port in ports)


def _parameter_values(program: Program, values: Mapping[str, float]) -> dict[str, float]:
    missing = [name for name in program.used_parameters if name not in values]
    if missing:
        shown = ", ".join(missing[:20]) + (f" and {len(missing) - 20} more" if len(missing) > 20 else "")
        raise ArgumentError(
            f"{program.name} needs values for {len(missing)} parameter(s): {shown}",
            hint="give them as function(values={...}), or bind them in the robot",
        )
    numbers = {}
    for name in program.used_parameters:
        try:
            numbers[name] = float(values[name])
        except (TypeError, ValueError, OverflowError):
            message = f"the value of parameter '{name}' is not a number: {values[name]!r}"
            raise ArgumentError(message) from None
    return numbers


NAME = "model"  # of the C function: a robot's own name may be long
_POINTER = ctypes.POINTER(ctypes.c_double)


class _Native:
    """The compiled program: one call a sample, or one call a batch."""

    def __init__(self, program: Program, values: Mapping[str, float]) -> None:
        from symoro.emit import emit
        from symoro.emit.c import constants_size, vectorises

        self.program = program
        files = emit(program, "c", name=NAME)
        del files[f"{NAME}_example.c"]
        self._constants = np.empty(constants_size(files))
        door = rows_source(program, NAME, constants=len(self._constants) > 0, blocks=vectorises(files))
        lib = library({**files, **door})
        self._one, self._many = getattr(lib, NAME), getattr(lib, f"{NAME}_rows")
        self._one.restype = self._many.restype = None
        if len(self._constants):
            setup = getattr(lib, f"{NAME}_setup")
            setup.restype = None
            parameters = np.array([values[name] for name in program.used_parameters], dtype=float)
            setup(_pointer(parameters), _pointer(self._constants))

    def __call__(self, arrays: Mapping[str, Array], batch: int | None) -> dict[str, Any]:
        program = self.program
        if batch is None:
            sources = [np.ascontiguousarray(arrays[port.name]) for port in program.inputs]
            results = [np.empty(size(port.shape)) for port in program.outputs]
            self._one(*map(_pointer, self._arguments(sources, results)))
            return {
                port.name: r.reshape(port.shape) for port, r in zip(program.outputs, results, strict=True)
            }
        sources = [np.ascontiguousarray(arrays[port.name]) for port in program.inputs]
        steps = [
            0 if arrays[port.name].ndim == len(port.shape) else size(port.shape) for port in program.inputs
        ]
        results = [np.empty((batch, *port.shape)) for port in program.outputs]
        strides = (ctypes.c_size_t * max(1, len(steps)))(*steps)
        self._many(ctypes.c_size_t(batch), strides, *map(_pointer, self._arguments(sources, results)))
        return {port.name: r for port, r in zip(program.outputs, results, strict=True)}

    def _arguments(self, sources: list[Array], results: list[Array]) -> list[Array]:
        constants = [self._constants] if len(self._constants) else []
        return [*sources, *constants, *results]


def _pointer(array: Array) -> Any:
    return array.ctypes.data_as(_POINTER)
