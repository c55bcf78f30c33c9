"""Programs on an NVIDIA GPU, compiled at run time by NVRTC through CuPy.

`CudaKernel` launches a program on addresses of the device; it does not depend on the library that owns the arrays.
`CudaFunction` is the callable of `Model.function(backend="cuda")` for CuPy arrays.

    f(q=q, qd=qd)               CuPy arrays, shape (n,) for one sample or (N, n) for a batch
    f(q=q, qd=qd, out={...})    outputs in arrays of the caller
    f.bind({"D3": 0.5})         the same kernel with other values of parameters

Nothing is converted or copied: arrays in the memory of the host, of another type or on another device are rejected.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from symoro.emit.cuda import THREADS, device_code, rows_of
from symoro.errors import ArgumentError, MissingDependencyError
from symoro.program.program import Input, Output, Program, Shape, size
from symoro.runtime.function import parameter_values
from symoro.runtime.options import FunctionOptions

NAME = "model"  # name of the kernel, because the name of a robot may be long
ROW_BYTES = (
    512  # rows of outputs by entries begin at multiples of this, so that warps write whole lines of the cache
)
MOST_SAMPLES = 2_000_000_000  # samples are counted by 32-bit integers
EXTRA = "symoro[cuda] installs CuPy for CUDA 13; for CUDA 12 install cupy-cuda12x instead"


class Strided(NamedTuple):
    """Array of the device; distances are counted in numbers, not in bytes.

    Attributes:
        address: address of the first entry of the first sample.
        sample: distance of the samples; 0 if all samples have the same entries.
        entry: distance of the entries.
    """

    address: int
    sample: int
    entry: int


def import_cupy() -> Any:
    """Return the module cupy.

    Raises:
        MissingDependencyError: CuPy is not installed, or there is no CUDA device.
    """
    try:
        import cupy
    except ImportError:
        raise MissingDependencyError("backend 'cuda' requires the package cupy", hint=EXTRA) from None
    try:
        devices = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        message = f"backend 'cuda' requires a CUDA device and its driver: {error}"
        raise MissingDependencyError(message, hint="use backend='c' to compute on the CPU") from None
    if not devices:
        message = "backend 'cuda' requires a CUDA device, and there is none"
        raise MissingDependencyError(message, hint="use backend='c' to compute on the CPU")
    return cupy


class Constants:
    """Constants of a kernel for certain values of the parameters; a copy per device is made at most once."""

    def __init__(self, numbers: NDArray[Any]) -> None:
        self.numbers = numbers
        self._copies: dict[int, Any] = {}

    def on_device(self, cupy: Any, device: int) -> int:
        """Return the address of the copy on the current device, which has this number."""
        if device not in self._copies:
            self._copies[device] = cupy.asarray(self.numbers)
            cupy.cuda.get_current_stream().synchronize()  # launches may follow on other streams
        return int(self._copies[device].data.ptr)


class CudaKernel:
    """Kernel of a program, compiled for each storage of the arrays and each device when it is first needed.

    Args:
        dtype: "float64" or "float32".
        trig: "accurate" or "fast".
    """

    def __init__(self, program: Program, dtype: str = "float64", trig: str = "accurate") -> None:
        self._cupy = import_cupy()
        self.program = program
        self.dtype = np.dtype(dtype)
        self._code = device_code(program, NAME, "float" if dtype == "float32" else "double", trig)
        self._modules: dict[tuple[tuple[bool, ...], int], Any] = {}

    def constants(self, values: Mapping[str, float]) -> Constants:
        """Return the constants for values of all parameters."""
        return Constants(np.array(self._code.constants_of(values), dtype=self.dtype))

    def launch(
        self,
        n: int,
        inputs: Sequence[Strided],
        outputs: Sequence[Strided],
        constants: Constants,
        stream: int,
        device: int = 0,
    ) -> None:
        """Start the computation of n samples.

        Args:
            inputs, outputs: one array per input and output of the program, all on the device; outputs must not overlap
                with other arrays.
            stream: handle of the stream (`cudaStream_t`); 0 is the default stream.
            device: number of the device.
        """
        if n == 0:
            return
        cupy, code = self._cupy, self._code
        arrays = [*inputs, *outputs]
        with cupy.cuda.Device(device):
            kernel = self._function(tuple(array.entry == 1 for array in arrays), device)
            numbers = [n, *(number for array in arrays for number in array)]
            if code.constants and not code.by_value:
                numbers.append(constants.on_device(cupy, device))
            # every argument except constants by value has at most 8 bytes; the processor is little-endian
            packed = (ctypes.c_int64 * len(numbers))(*numbers)
            start = ctypes.addressof(packed)
            addresses = [start + 8 * at for at in range(len(numbers))]
            if code.constants and code.by_value:
                addresses.append(constants.numbers.ctypes.data)
            arguments = (ctypes.c_void_p * len(addresses))(*addresses)
            blocks = -(-n // THREADS)
            cupy.cuda.driver.launchKernel(
                kernel.ptr, blocks, 1, 1, THREADS, 1, 1, 0, stream, ctypes.addressof(arguments), 0
            )

    def resources(self) -> tuple[int, int]:
        """Return registers and bytes of local memory per thread, the largest numbers of the compiled kernels."""
        compiled = [kernel for kernel, _ in self._modules.values()]
        return (
            max((kernel.num_regs for kernel in compiled), default=0),
            max((kernel.local_size_bytes for kernel in compiled), default=0),
        )

    def prepared(
        self, rows: tuple[bool, ...], constants: Constants, device: int
    ) -> tuple[int, int | None, bool]:
        """Return what another launcher needs, as XLA's: function, constants, and whether they are passed by value.

        Args:
            rows: for each input and output, whether the entries of a sample are adjacent.

        Returns:
            The handle of the function (`CUfunction`); the address of the constants on the host if they are passed by
            value, else on the device, None if there are none; whether they are passed by value.
        """
        cupy, code = self._cupy, self._code
        with cupy.cuda.Device(device):
            function = int(self._function(rows, device).ptr)
            if not code.constants:
                return function, None, False
            if code.by_value:
                return function, int(constants.numbers.ctypes.data), True
            return function, constants.on_device(cupy, device), False

    def _function(self, rows: tuple[bool, ...], device: int) -> Any:
        """Return the compiled function on the current device, which has this number."""
        cupy = self._cupy
        if (rows, device) not in self._modules:
            module = cupy.RawModule(code=self._code.text(rows), options=("-std=c++17",))
            raw = module.get_function(self._code.kernel)
            self._modules[rows, device] = (raw, raw.kernel)
        if not cupy.cuda.driver.ctxGetCurrent():  # a thread that has not yet used the device
            cupy.cuda.runtime.free(0)
        return self._modules[rows, device][1]


class CudaFunction:
    """Program with values for its parameters, as a callable of CuPy arrays.

    Attributes:
        program: inputs, assignments and outputs.
        values: values of the parameters.
        options: type of the numbers, storage of the arrays, kind of trigonometry.
        kernel: low-level launcher on addresses of the device.
        constants: constants of the kernel for these values.
    """

    def __init__(
        self,
        program: Program,
        values: Mapping[str, float],
        options: FunctionOptions,
        kernel: CudaKernel | None = None,
    ) -> None:
        self._cupy = import_cupy()
        self.program, self.options = program, options
        self.values = parameter_values(program, values)
        self.kernel = kernel or CudaKernel(program, options.dtype, options.trig)
        self.constants = self.kernel.constants(self.values)
        self._rows = rows_of(program, options.layout)[len(program.inputs) :]
        self._defaults: dict[tuple[str, int], Any] = {}

    def bind(self, values: Mapping[str, float]) -> CudaFunction:
        """Return the function with other values of some parameters; the compiled kernel is shared."""
        return CudaFunction(self.program, {**self.values, **values}, self.options, self.kernel)

    def __call__(self, *unnamed: Any, out: Mapping[str, Any] | None = None, **inputs: Any) -> dict[str, Any]:
        """Return the outputs, on the current stream.

        Args:
            out: arrays for some or all of the outputs.
            inputs: CuPy arrays by name.
        """
        program, cupy = self.program, self._cupy
        if unnamed:
            names = ", ".join(f"{port.name}=..." for port in program.inputs)
            raise ArgumentError(
                f"the inputs of {program.name} must be given by name; {len(unnamed)} of the "
                "arguments have no name",
                hint=f"call it with ({names})",
            )
        _only_known("input", inputs, program.inputs)
        _only_known("output", out or {}, program.outputs)
        device = next((a.device.id for a in inputs.values() if isinstance(a, cupy.ndarray)), None)
        if device is None:
            device = cupy.cuda.runtime.getDevice()
        with cupy.cuda.Device(device):
            given = {port.name: self._input(port, inputs, device) for port in program.inputs}
            batch = _samples(program.inputs, given)
            n = 1 if batch is None else batch
            results = {}
            for port, row in zip(program.outputs, self._rows, strict=True):
                if port.name in (out or {}):
                    results[port.name] = self._given_output(port, (out or {})[port.name], batch, device)
                else:
                    results[port.name] = self._new_output(port, batch, row)
            _check_overlap(given, {name: results[name] for name in out or {}})
            arrays = [_strided("input", port, given[port.name]) for port in program.inputs]
            targets = [_strided("output", port, results[port.name]) for port in program.outputs]
            stream = cupy.cuda.get_current_stream().ptr
            self.kernel.launch(n, arrays, targets, self.constants, stream, device)
        return results

    def _input(self, port: Input, inputs: Mapping[str, Any], device: int) -> Any:
        """Return the array of an input, with or without the axis of samples."""
        if port.name not in inputs:
            if port.default is None:
                raise ArgumentError(
                    f"input '{port.name}' is missing", hint=f"give {port.name}=... with shape {port.shape}"
                )
            key = (port.name, device)
            if key not in self._defaults:
                numbers = np.array(port.default, dtype=self.options.dtype).reshape(port.shape)
                self._defaults[key] = self._cupy.asarray(numbers)
                self._cupy.cuda.get_current_stream().synchronize()
            return self._defaults[key]
        array = inputs[port.name]
        self._check(f"input '{port.name}'", array, device)
        flat = (size(port.shape),)  # a matrix may be given by its entries, row after row
        shapes = (port.shape, flat)
        if array.shape not in shapes and (array.ndim == 0 or array.shape[1:] not in shapes):
            expected = ", ".join(map(str, port.shape))
            raise ArgumentError(
                f"input '{port.name}' has shape {array.shape}, expected {port.shape} or (N, {expected}) for N samples",
                hint=f"entries of the input: {', '.join(port.symbols[:12])}",
            )
        if len(array) > MOST_SAMPLES if array.ndim else False:
            raise ArgumentError(
                f"input '{port.name}' has more than {MOST_SAMPLES} samples, the limit for one call"
            )
        return array

    def _given_output(self, port: Output, array: Any, batch: int | None, device: int) -> Any:
        self._check(f"output '{port.name}'", array, device)
        shape = port.shape if batch is None else (batch, *port.shape)
        if array.shape != shape:
            raise ArgumentError(f"output '{port.name}' has shape {array.shape}, expected {shape}")
        return array

    def _check(self, what: str, array: Any, device: int) -> None:
        """Check library, type and device of an array.

        Raises:
            ArgumentError: the array would have to be converted or copied.
        """
        cupy, dtype = self._cupy, self.options.dtype
        if not isinstance(array, cupy.ndarray):
            kind = f"{type(array).__module__}.{type(array).__name__}"
            raise ArgumentError(
                f"{what} is not a CuPy array but {kind}; arrays are not copied to the device automatically",
                hint=f"cupy.asarray(x, dtype='{dtype}') copies an array to the device",
            )
        if array.dtype != dtype:
            raise ArgumentError(
                f"{what} has type {array.dtype}, expected {dtype}; arrays are not converted automatically",
                hint=f"use x.astype('{dtype}') or function(backend='cuda', dtype='{array.dtype}')",
            )
        if array.device.id != device:
            raise ArgumentError(
                f"{what} is on device {array.device.id}, but the other arrays are on device {device}",
                hint="all arrays of a call must be on one device",
            )

    def _new_output(self, port: Output, batch: int | None, row: bool) -> Any:
        cupy, dtype = self._cupy, self.options.dtype
        if batch is None:
            return cupy.empty(port.shape, dtype)
        if row:
            return cupy.empty((batch, *port.shape), dtype)
        per_line = ROW_BYTES // np.dtype(dtype).itemsize
        padded = -(-batch // per_line) * per_line
        return cupy.moveaxis(cupy.empty((*port.shape, padded), dtype)[..., :batch], -1, 0)

    def __repr__(self) -> str:
        inputs = ", ".join(f"{port.name} {port.shape}" for port in self.program.inputs)
        return f"<CudaFunction {self.program.name}({inputs}), {self.options.dtype}>"


def _only_known(kind: str, given: Mapping[str, Any], ports: Sequence[Input | Output]) -> None:
    for name in given:
        if name not in [port.name for port in ports]:
            shown = ", ".join(f"{port.name} {port.shape}" for port in ports)
            raise ArgumentError(f"there is no {kind} '{name}'", hint=f"{kind}s: {shown}")


def _has_samples(shape: Shape, array: Any) -> bool:
    return tuple(array.shape) not in (shape, (size(shape),))


def _samples(ports: Sequence[Input], arrays: Mapping[str, Any]) -> int | None:
    """Return the number of samples, None for one sample without an axis of samples."""
    counts = {
        port.name: len(arrays[port.name]) for port in ports if _has_samples(port.shape, arrays[port.name])
    }
    for name, count in counts.items():
        first = next(iter(counts))
        if count != counts[first]:
            raise ArgumentError(
                f"input '{name}' has {count} samples, but input '{first}' has {counts[first]}",
                hint=(
                    "give the same number of samples in all inputs; omit the axis of samples for an "
                    "input that has the same value in all samples"
                ),
            )
    return next(iter(counts.values()), None)


def _strided(kind: str, port: Input | Output, array: Any) -> Strided:
    """Return address and distances of an array.

    Raises:
        ArgumentError: the entries of a sample are not evenly spaced, or samples of an output overlap.
    """
    batch = _has_samples(port.shape, array)
    width = array.dtype.itemsize
    shape, strides = array.shape[batch:], [stride // width for stride in array.strides[batch:]]
    entry, even, follow = 1, True, 1
    axes = [(length, stride) for length, stride in zip(shape, strides, strict=True) if length != 1]
    if axes and 0 not in shape:
        entry = axes[-1][1]
        for length, stride in reversed(axes):
            even = even and stride == entry * follow
            follow *= length
    aligned = not any(stride % width for stride in array.strides)
    sample = array.strides[0] // width if batch else 0
    if not (even and aligned):
        raise ArgumentError(
            f"{kind} '{port.name}' has strides {array.strides} bytes; the entries of a sample must "
            "be evenly spaced in memory, by rows",
            hint="use cupy.ascontiguousarray(x), or store it entry by entry: "
            "cupy.moveaxis(cupy.ascontiguousarray(cupy.moveaxis(x, 0, -1)), -1, 0)",
        )
    if kind == "output" and array.size and _is_folded(array):
        raise ArgumentError(
            f"{kind} '{port.name}' has strides {array.strides} bytes: some of its entries share the "
            "same memory"
        )
    return Strided(array.data.ptr, sample, entry)


def _is_folded(array: Any) -> bool:
    """Return whether two entries of an array may have the same address."""
    reach = 0
    for stride, length in sorted(
        (abs(s), n) for s, n in zip(array.strides, array.shape, strict=True) if n > 1
    ):
        if stride <= reach:
            return True
        reach += stride * (length - 1)
    return False


def _bounds(array: Any) -> tuple[int, int]:
    """Return the addresses of the first byte of an array and of the first byte after it."""
    moves = [stride * (length - 1) for stride, length in zip(array.strides, array.shape, strict=True)]
    start = array.data.ptr + sum(move for move in moves if move < 0)
    return start, array.data.ptr + sum(move for move in moves if move > 0) + array.dtype.itemsize


def _check_overlap(inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> None:
    """Check that given outputs do not overlap with other arrays.

    Raises:
        ArgumentError: two arrays overlap.
    """
    before = [(f"input '{name}'", array) for name, array in inputs.items()]
    for name, array in outputs.items():
        low, high = _bounds(array)
        for other, another in before:
            start, end = _bounds(another)
            if array.size and another.size and low < end and start < high:
                raise ArgumentError(
                    f"output '{name}' shares memory with {other}: give each output a separate array"
                )
        before.append((f"output '{name}'", array))
