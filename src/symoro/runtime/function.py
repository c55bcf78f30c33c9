"""`Function`: a program as a NumPy callable for one sample or a batch.

    f(q=q, qd=qd)           inputs by name, shape (n,) for one sample or (N, n) for a batch; a matrix may also be
                            given by its entries, row after row: (16,) or (N, 16) for T (4, 4)
    -> {"tau": array}       outputs by name, with the batch axis in front
    f(q=q, out={"tau": y})  writes the outputs into arrays of the caller
    f.raw(q, qd, tau)       buffers of the caller, for one sample
    f.bind({"D3": 0.5})     the same code with other values of parameters

An input without the batch axis is used for all samples. Calls share no writable data, so that several threads may use
a function at the same time. The compiled function for batches is built at the first batch.

A function in single precision takes arrays of float32, and lists, numbers and arrays of whole numbers as well; an array
of float64 would lose digits and is rejected. Without a compiler it computes in double precision and rounds the results.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np

from symoro.errors import ArgumentError, MissingDependencyError, UnknownNameError
from symoro.program.interpret import interpret
from symoro.program.program import Input, Output, Program, size
from symoro.robot.description import Robot
from symoro.runtime.compiler import HINT
from symoro.runtime.native import Array as Array
from symoro.runtime.native import Native, empty
from symoro.runtime.options import DEFAULT, DTYPES, FunctionOptions

# -- `Function.raw` without the fast call path: the same checks and effects in NumPy


def raw_in_numpy(
    program: Program, call: Callable[[Mapping[str, Any]], Mapping[str, Any]], dtype: str
) -> Callable[..., None]:
    """Return a function of buffers of the caller, inputs followed by outputs.

    Args:
        call: function of arrays by input name that returns outputs by name.
        dtype: type of the numbers in the buffers.
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
            array = _buffer(buffer, size(shape), dtype, writable=at >= inputs)
            if array is None:
                kind, of = "writable " if at >= inputs else "", f"{size(shape)} {DTYPES[dtype]}s"
                raise ArgumentError(f"array {at + 1} of raw is not a {kind}contiguous buffer of {of}")
            arrays.append(array.reshape(shape))
            for other in range(at if at >= inputs else 0):
                if np.may_share_memory(arrays[other], array):
                    raise ArgumentError(f"arrays {other + 1} and {at + 1} of raw overlap")
        results = call({port.name: array for port, array in zip(program.inputs, arrays, strict=False)})
        for port, array in zip(program.outputs, arrays[inputs:], strict=True):
            array[...] = results[port.name]

    return raw


def _buffer(value: Any, length: int, dtype: str, *, writable: bool) -> Any:
    """Return a flat view of a buffer, or None if it is not suitable."""
    try:
        view = memoryview(value)
    except TypeError:
        return None
    kind = np.dtype(dtype)
    format_fits = view.format.lstrip("@=<") == kind.char
    fits = view.c_contiguous and format_fits and view.nbytes == kind.itemsize * length
    if not fits or (writable and view.readonly):
        return None
    array = np.frombuffer(view, dtype=dtype) if length else np.empty(0)
    return array if array.flags.aligned else None


class Function:
    """Program with numbers for its parameters, ready to be called.

    Attributes:
        options: number type, threads, storage and trigonometry.
        values: numbers of the parameters.
        compiled: whether calls run in C.
        raw: `raw(inputs ..., outputs ...)` in the order of the program, one sample, without allocation: each argument
            is an object with a contiguous buffer of numbers (a NumPy array, an `array.array`, a `memoryview`), by
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
        self._inputs = {port.name: port for port in program.inputs}
        numbers = parameter_values(program, values)
        self._use(numbers, None if compiled is False else self._compiled(numbers, insist=bool(compiled)))

    def _compiled(self, values: Mapping[str, float], *, insist: bool) -> Native | None:
        try:
            return Native(self.program, values, self.options)
        except MissingDependencyError as error:
            if insist:
                raise
            message = f"{error.message}: calls run in NumPy, which is slower. To compile: {HINT}"
            warnings.warn(message, stacklevel=4)
            return None

    def _use(self, values: dict[str, float], native: Native | None) -> None:
        """Set the values of the parameters, and the compiled code with these values if there is one."""
        self.values = values
        self._native = native
        self.compiled = native is not None
        self.address = None if native is None else native.address
        self.constants = np.empty(0) if native is None else native.constants
        fast = None if native is None else native.fast_call
        self._at_once = None if fast is None else fast.call
        self.raw: Callable[..., None] = (
            raw_in_numpy(self.program, self._one, self.options.dtype) if fast is None else fast.raw
        )

    def bind(self, values: Mapping[str, float]) -> Self:
        """Return this function with other numbers for some parameters; nothing is compiled.

            g = f.bind({"D3": 0.5})     # f is unchanged

        Raises:
            ArgumentError: a value is not a number.
            UnknownNameError: there is no such parameter.
        """
        for name in values:
            if name not in self.values and (self.robot is None or name not in self.robot.symbols()):
                raise UnknownNameError(
                    f"parameter of {self.program.name}", name, self.program.used_parameters
                )
        changed = {name: _number(name, value) for name, value in values.items() if name in self.values}
        numbers = self.values | changed
        bound = copy.copy(self)
        bound._use(numbers, None if self._native is None else self._native.bind(numbers))
        return bound

    def constants_of(self, values: Mapping[str, float]) -> Array:
        """Return the array `constants` for other numbers of all parameters; empty if nothing is compiled."""
        return np.empty(0) if self._native is None else self._native.constants_of(values)

    def __call__(self, *unnamed: Any, out: Any = None, **inputs: Any) -> dict[str, Any]:
        """Return the outputs by name, for one sample or a batch.

        Args:
            out: dictionary of arrays for all or some outputs, in which the results are stored and which are returned.
                For a batch they have the batch axis in front, and the storage of `layout`.
            inputs: inputs by name.

        Raises:
            ArgumentError: an input or output has a wrong name, shape or type, is missing, or overlaps another.
        """
        if unnamed:
            names = ", ".join(f"{port.name}=..." for port in self.program.inputs)
            raise ArgumentError(
                f"the inputs of {self.program.name} must be given by name; {len(unnamed)} of the "
                "arguments have no name",
                hint=f"call it with ({names})",
            )
        if self._at_once is not None and out is None:
            outputs = self._at_once(inputs)
            if outputs is not None:
                return outputs
        arrays, samples = self._checked(inputs)
        results = self._results(samples, {} if out is None else out, arrays)
        if self._native is None:
            self._in_numpy(arrays, samples, results)
        elif samples is None:
            self._native.one(arrays, results)
        else:
            self._native.many(arrays, samples, results)
        return results

    def _one(self, arrays: Mapping[str, Array]) -> dict[str, Any]:
        results = self._results(None, {}, arrays)
        if self._native is None:
            self._in_numpy(arrays, None, results)
        else:
            self._native.one(arrays, results)
        return results

    def _in_numpy(
        self, arrays: Mapping[str, Array], samples: int | None, results: Mapping[str, Array]
    ) -> None:
        if samples is not None:
            arrays = {
                name: np.broadcast_to(a, (samples, *self._inputs[name].shape)) for name, a in arrays.items()
            }
        for name, output in interpret(self.program, arrays, self.values).items():
            results[name][...] = output

    def _checked(self, inputs: Mapping[str, Any]) -> tuple[dict[str, Array], int | None]:
        """Return the inputs as arrays, and the number of samples; None for one sample without a batch axis."""
        for name in inputs:
            if name not in self._inputs:
                raise ArgumentError(
                    f"there is no input '{name}'", hint=f"inputs: {_expected(self.program.inputs)}"
                )
        arrays: dict[str, Array] = {}
        samples: int | None = None
        for name, port in self._inputs.items():
            array = input_array(port, inputs, self.options.dtype)
            if array.ndim == len(port.shape) + 1:
                if samples not in (None, array.shape[0]):
                    raise ArgumentError(
                        f"input '{name}' has {array.shape[0]} samples, but another input has {samples}"
                    )
                samples = array.shape[0]
            arrays[name] = array
        return arrays, samples

    def _results(
        self, samples: int | None, out: Mapping[str, Any], inputs: Mapping[str, Array]
    ) -> dict[str, Array]:
        """Return an array for each output: that of the caller, after checking it, or a new one."""
        if not isinstance(out, Mapping):
            raise ArgumentError(
                "out: expected a dictionary of arrays by output name", hint=_outputs(self.program)
            )
        ports = {port.name: port for port in self.program.outputs}
        for name in out:
            if name not in ports:
                raise ArgumentError(f"there is no output '{name}'", hint=_outputs(self.program))
        results: dict[str, Array] = {}
        for name, port in ports.items():
            if name not in out:
                results[name] = empty(samples, port.shape, self.options)
                continue
            array = output_array(port, out[name], samples, self.options)
            for kind, others in (("input", inputs), ("output", {n: results[n] for n in results if n in out})):
                for other, taken in others.items():
                    if np.may_share_memory(array, taken):
                        raise ArgumentError(
                            f"the array for output '{name}' and that of {kind} '{other}' overlap",
                            hint="give each output a separate array",
                        )
            results[name] = array
        return results

    def __repr__(self) -> str:
        kind = "compiled" if self.compiled else "NumPy"
        return f"<Function {self.program.name}({_expected(self.program.inputs)}), {kind}>"


def output_array(port: Output, array: Any, samples: int | None, options: FunctionOptions) -> Array:
    """Return the array of the caller for an output.

    Raises:
        ArgumentError: it cannot contain the output.
    """
    shape = port.shape if samples is None else (samples, *port.shape)
    what = f"the array for output '{port.name}'"
    expected = f"expected a contiguous array of {options.dtype} with shape {shape}"
    by_entries = samples is not None and options.layout == "entries"
    if by_entries:
        expected = f"expected an array of {options.dtype} with shape {shape}, stored entry after entry"
    if not isinstance(array, np.ndarray):
        raise ArgumentError(f"{what} is not a NumPy array", hint=expected)
    if array.dtype != np.dtype(options.dtype):
        raise ArgumentError(f"{what} has the type {array.dtype}", hint=expected)
    if array.shape != shape:
        raise ArgumentError(f"{what} has shape {array.shape}", hint=expected)
    if not array.flags.writeable:
        raise ArgumentError(f"{what} is read-only", hint=expected)
    if not (np.moveaxis(array, 0, -1) if by_entries else array).flags.c_contiguous:
        raise ArgumentError(f"{what} has strides {array.strides} bytes", hint=expected)
    if not array.flags.aligned:
        raise ArgumentError(f"{what} is not aligned in memory", hint=expected)
    return array


def input_array(port: Input, inputs: Mapping[str, Any], dtype: str = "float64") -> Array:
    """Return an input as an array of the shape of its port, or with the axis of samples in front."""
    if port.name not in inputs:
        if port.default is None:
            raise ArgumentError(f"input '{port.name}' is missing", hint=f"expected {_expected([port])}")
        return np.array(port.default, dtype).reshape(port.shape)
    value = inputs[port.name]
    given = value.dtype if isinstance(value, np.ndarray) else None
    try:
        if given is not None and given.kind == "c":
            raise TypeError("complex")
        array = np.asarray(value, dtype)
        if _contains_none(value, array):
            raise TypeError("None")
    except (TypeError, ValueError, OverflowError):
        message = f"input '{port.name}' is not an array of real numbers"
        raise ArgumentError(message, hint=f"expected {_expected([port])}") from None
    if given is not None and given.kind == "f" and given.itemsize > array.itemsize and dtype != "float64":
        raise ArgumentError(
            f"input '{port.name}' is an array of {given}, the function computes in {dtype}",
            hint=f"convert the array '{port.name}' to {dtype} before the call",
        )
    flat = array.shape != port.shape and array.ndim in (1, 2) and array.shape[-1:] == (size(port.shape),)
    if flat and len(port.shape) > 1:
        array = array.reshape(*array.shape[:-1], *port.shape)  # the entries of a matrix by rows
    if array.shape != port.shape and (array.ndim == 0 or array.shape[1:] != port.shape):
        entries = ", ".join(port.symbols[:12])
        raise ArgumentError(
            f"input '{port.name}' has shape {array.shape}, expected {port.shape} or (N, "
            f"{', '.join(map(str, port.shape))}) for N samples",
            hint=f"entries of the input: {entries}",
        )
    return array


def _contains_none(value: Any, array: Array) -> bool:
    """Return whether an entry is None, which NumPy converts to NaN."""
    if isinstance(value, np.ndarray) and value.dtype.kind != "O":
        return False
    return bool(np.isnan(array).any()) and any(x is None for x in np.asarray(value, dtype=object).flat)


def _expected(ports: Sequence[Input]) -> str:
    return ", ".join(f"{port.name} {port.shape}" for port in ports)


def _outputs(program: Program) -> str:
    return "outputs: " + ", ".join(f"{port.name} {port.shape}" for port in program.outputs)


def parameter_values(program: Program, values: Mapping[str, float]) -> dict[str, float]:
    """Return the values of the parameters that a program uses.

    Raises:
        ArgumentError: a value is missing or not a number.
    """
    missing = [name for name in program.used_parameters if name not in values]
    if missing:
        shown = ", ".join(missing[:20]) + (f" and {len(missing) - 20} more" if len(missing) > 20 else "")
        raise ArgumentError(
            f"{program.name} requires values for {len(missing)} parameter(s): {shown}",
            hint="give them as values={...}, or bind them in the robot",
        )
    return {name: _number(name, values[name]) for name in program.used_parameters}


def _number(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(f"the value of parameter '{name}' is not a number: {value!r}") from None
