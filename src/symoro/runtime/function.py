"""`Function`: a program as a NumPy callable for one sample or a batch.

    f(q=q, qd=qd)           inputs by name, shape (n,) for one sample or (N, n) for a batch; a matrix may also be
                            given by its entries, row after row: (16,) or (N, 16) for T (4, 4)
    -> {"tau": array}       outputs by name, with the batch axis in front
    f.raw(q, qd, tau)       buffers of the caller, for one sample

An input without the batch axis is used for all samples. Calls share no writable data, so that several threads may use
a function at the same time. The compiled function for batches is built at the first batch.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError, MissingDependencyError
from symoro.program.interpret import interpret
from symoro.program.program import Input, Program, size
from symoro.robot.description import Robot
from symoro.runtime.compiler import HINT
from symoro.runtime.native import Native
from symoro.runtime.options import DEFAULT, FunctionOptions

# -- `Function.raw` without the fast call path: the same checks and effects in NumPy


def raw_in_numpy(
    program: Program, call: Callable[[Mapping[str, Any]], Mapping[str, Any]]
) -> Callable[..., None]:
    """Return a function of buffers of the caller, inputs followed by outputs.

    Args:
        call: function of arrays by input name that returns outputs by name.
    """
    inputs, outputs = len(program.inputs), len(program.outputs)
    shapes = [*(port.shape for port in program.inputs), *(port.shape for port in program.outputs)]

    def raw(*buffers: Any) -> None:
        if len(buffers) != len(shapes):
            raise ArgumentError(
                f"raw requires {len(shapes)} arrays, {inputs} inputs and {outputs} outputs, got {len(buffers)}"
            )
        arrays = []
        for at, (shape, buffer) in enumerate(zip(shapes, buffers, strict=True)):
            array = _buffer(buffer, size(shape), writable=at >= inputs)
            if array is None:
                kind = "writable " if at >= inputs else ""
                raise ArgumentError(
                    f"array {at + 1} of raw is not a {kind}contiguous buffer of {size(shape)} doubles"
                )
            arrays.append(array.reshape(shape))
            for other in range(at if at >= inputs else 0):
                if np.may_share_memory(arrays[other], array):
                    raise ArgumentError(f"arrays {other + 1} and {at + 1} of raw overlap")
        results = call({port.name: array for port, array in zip(program.inputs, arrays, strict=False)})
        for port, array in zip(program.outputs, arrays[inputs:], strict=True):
            array[...] = results[port.name]

    return raw


def _buffer(value: Any, length: int, *, writable: bool) -> Any:
    """Return a flat view of a buffer, or None if it is not suitable."""
    try:
        view = memoryview(value)
    except TypeError:
        return None
    fits = view.c_contiguous and view.format.lstrip("@=<") == "d" and view.nbytes == 8 * length
    if not fits or (writable and view.readonly):
        return None
    array = np.frombuffer(view, dtype=float) if length else np.empty(0)
    return array if array.flags.aligned else None


Array = NDArray[np.float64]


class Function:
    """Program with numbers for its parameters, ready to be called.

    Attributes:
        options: number type, threads, storage and trigonometry.
        compiled: whether calls run in C.
        raw: `raw(inputs ..., outputs ...)` in the order of the program, one sample, without allocation: each argument
            is an object with a contiguous buffer of doubles (a NumPy array, an `array.array`, a `memoryview`), by
            rows, with as many entries as the input or output has; outputs are written and may not overlap with any
            other argument. Shapes are not checked, and no input may be omitted.
        address: address of the C function
            `void (*)(const double *inputs ..., [const double *constants,] double *outputs ...)`, for callers from C,
            cffi or numba as long as this object exists; None if it is not compiled.
        constants: array for the argument `constants`; this argument does not exist if the array is empty.
    """

    def __init__(
        self,
        program: Program,
        values: Mapping[str, float],
        *,
        compiled: bool | None = None,
        robot: Robot | None = None,
        options: FunctionOptions = DEFAULT,
    ) -> None:
        self.program = program
        self.robot = robot
        self.options = options
        self.values = parameter_values(program, values)
        self._inputs = {port.name: port for port in program.inputs}
        self._native = None if compiled is False else self._compiled(insist=bool(compiled))
        self.compiled = self._native is not None
        self.address = None if self._native is None else self._native.address
        self.constants = np.empty(0) if self._native is None else self._native.constants
        fast = None if self._native is None else self._native.fast_call
        self._at_once = None if fast is None else fast.call
        self.raw: Callable[..., None] = raw_in_numpy(program, self._one) if fast is None else fast.raw

    def _compiled(self, *, insist: bool) -> Native | None:
        try:
            return Native(self.program, self.values)
        except MissingDependencyError as error:
            if insist:
                raise
            message = f"{error.message}: calls run in NumPy, which is slower. To compile: {HINT}"
            warnings.warn(message, stacklevel=4)
            return None

    def constants_of(self, values: Mapping[str, float]) -> Array:
        """Return the array `constants` for other numbers of all parameters; empty if nothing is compiled."""
        return np.empty(0) if self._native is None else self._native.constants_of(values)

    def __call__(self, *unnamed: Any, **inputs: Any) -> dict[str, Any]:
        if unnamed:
            names = ", ".join(f"{port.name}=..." for port in self.program.inputs)
            raise ArgumentError(
                f"the inputs of {self.program.name} are given by name, got {len(unnamed)} without a name",
                hint=f"call it with ({names})",
            )
        if self._at_once is not None:
            outputs = self._at_once(inputs)
            if outputs is not None:
                return outputs
        arrays, batch = self._checked(inputs)
        if batch is None:
            return self._one(arrays)
        if self._native is not None:
            return self._native.many(arrays, batch)
        whole = {name: np.broadcast_to(a, (batch, *self._inputs[name].shape)) for name, a in arrays.items()}
        return interpret(self.program, whole, self.values)

    def _one(self, arrays: Mapping[str, Array]) -> dict[str, Any]:
        if self._native is not None:
            return self._native.one(arrays)
        return interpret(self.program, arrays, self.values)

    def _checked(self, inputs: Mapping[str, Any]) -> tuple[dict[str, Array], int | None]:
        for name in inputs:
            if name not in self._inputs:
                raise ArgumentError(
                    f"there is no input '{name}'", hint=f"inputs: {_expected(self.program.inputs)}"
                )
        arrays: dict[str, Array] = {}
        batch: int | None = None
        for name, port in self._inputs.items():
            array = input_array(port, inputs)
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


def input_array(port: Input, inputs: Mapping[str, Any]) -> Array:
    """Return an input as an array of the shape of its port, or with the axis of samples in front."""
    if port.name not in inputs:
        if port.default is None:
            raise ArgumentError(f"input '{port.name}' is missing", hint=f"expected {_expected([port])}")
        return np.array(port.default, dtype=float).reshape(port.shape)
    value = inputs[port.name]
    try:
        if isinstance(value, np.ndarray) and value.dtype.kind == "c":
            raise TypeError("complex")
        array = np.asarray(value, dtype=float)
        if _contains_none(value, array):
            raise TypeError("None")
    except (TypeError, ValueError, OverflowError):
        message = f"input '{port.name}' is not an array of real numbers"
        raise ArgumentError(message, hint=f"expected {_expected([port])}") from None
    flat = array.shape != port.shape and array.ndim in (1, 2) and array.shape[-1:] == (size(port.shape),)
    if flat and len(port.shape) > 1:
        array = array.reshape(*array.shape[:-1], *port.shape)  # the entries of a matrix by rows
    if array.shape != port.shape and (array.ndim == 0 or array.shape[1:] != port.shape):
        entries = ", ".join(port.symbols[:12])
        raise ArgumentError(
            f"input '{port.name}' has shape {array.shape}, expected {port.shape} or (N, "
            f"{', '.join(map(str, port.shape))}) for N samples",
            hint=f"its entries are {entries}",
        )
    return array


def _contains_none(value: Any, array: Array) -> bool:
    """Return whether an entry is None, which NumPy converts to NaN."""
    if isinstance(value, np.ndarray) and value.dtype.kind != "O":
        return False
    return bool(np.isnan(array).any()) and any(x is None for x in np.asarray(value, dtype=object).flat)


def _expected(ports: Sequence[Input]) -> str:
    return ", ".join(f"{port.name} {port.shape}" for port in ports)


def parameter_values(program: Program, values: Mapping[str, float]) -> dict[str, float]:
    """Return the values of the parameters that a program uses, as numbers.

    Raises:
        ArgumentError: a value is missing or is not a number.
    """
    missing = [name for name in program.used_parameters if name not in values]
    if missing:
        shown = ", ".join(missing[:20]) + (f" and {len(missing) - 20} more" if len(missing) > 20 else "")
        raise ArgumentError(
            f"{program.name} requires values for {len(missing)} parameter(s): {shown}",
            hint="give them as values={...}, or bind them in the robot",
        )
    numbers = {}
    for name in program.used_parameters:
        try:
            numbers[name] = float(values[name])
        except (TypeError, ValueError, OverflowError):
            message = f"the value of parameter '{name}' is not a number: {values[name]!r}"
            raise ArgumentError(message) from None
    return numbers
