"""Compiled program with its derivatives, which are derived and compiled when they are requested.

The bridges to PyTorch and JAX call programs in C or CUDA, and differentiate a call by calling derived programs: the vjp
of a program, the vjp of this vjp, and so on, so that derivatives of any order are available.
"""

from __future__ import annotations

import ctypes
import hashlib
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

from numpy.typing import NDArray

from symoro._version import __version__
from symoro.emit.c import call_sources
from symoro.errors import ArgumentError
from symoro.program.derivative import derivative
from symoro.program.program import Input, Program, Shape, size
from symoro.runtime.function import parameter_values
from symoro.runtime.native import Native
from symoro.runtime.options import function_options
from symoro.runtime.rows import tile_of
from symoro.runtime.workers import shared_out


@dataclass(frozen=True, eq=False)
class BatchCall:
    """Compiled function of a program for batches.

    Attributes:
        address: address of the C function `void (*)(size_t n, const size_t *steps, void *const *arrays)`: number of
            samples; for each input the distance of its samples, 0 if all have the same; inputs, constants if there
            are any, outputs.
        constants: the constants.
        native: the compiled program, to which the function belongs.
    """

    address: int
    constants: NDArray[Any]
    native: Native

    def __call__(
        self, n: int, steps: Sequence[int], inputs: Sequence[int], outputs: Sequence[int], threads: int
    ) -> None:
        """Compute n samples from and to arrays given by their addresses."""
        program = self.native.program
        lengths = [size(port.shape) for port in program.outputs]
        constants = [self.constants.ctypes.data] if len(self.constants) else []
        arrays, moves = [*inputs, *constants, *outputs], [*steps, *([0] * len(constants)), *lengths]
        item = self.native.constants.itemsize
        distances = (ctypes.c_size_t * len(steps))(*steps)
        call, pointers = _SIGNATURE(self.address), ctypes.c_void_p * len(arrays)

        def part(start: int, stop: int) -> None:
            moved = [at + start * move * item for at, move in zip(arrays, moves, strict=True)]
            call(stop - start, distances, pointers(*moved))

        shared_out(part, n, tile_of(program), threads, n * (len(program.nodes) + sum(lengths)))


_SIGNATURE = ctypes.CFUNCTYPE(None, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p)


def _batch_call(program: Program, values: Mapping[str, float], dtype: str) -> BatchCall:
    native = Native(program, values, function_options(dtype))
    return BatchCall(native.batch_address, native.constants, native)


class Differentiable:
    """Program with numbers for its parameters, its compiled functions and its derivatives.

    Attributes:
        key: hash of the code and of the numbers; equal programs have equal keys in all processes.
        inputs, outputs: shapes of the ports, in their order.
    """

    def __init__(
        self,
        key: str,
        inputs: Sequence[Shape],
        outputs: Sequence[Shape],
        make: Callable[[], Program],
        values: Mapping[str, float],
    ) -> None:
        self.key = key
        self.inputs, self.outputs = tuple(inputs), tuple(outputs)
        self.values = dict(values)
        self._make = make
        self._calls: dict[str, BatchCall] = {}
        self._derived: dict[tuple[str, tuple[int, ...]], Differentiable] = {}
        self._lock = threading.RLock()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Differentiable) and other.key == self.key

    def __hash__(self) -> int:
        return hash(self.key)

    @cached_property
    def program(self) -> Program:
        """Return the program; a derivative is derived at the first access."""
        with self._lock:
            return self._make()

    def derived(self, kind: str, wrt: Sequence[int]) -> Differentiable:
        """Return a derivative with respect to some inputs, given by their positions in ascending order.

        The inputs of a "vjp" are those of the program and the weights of all outputs, its outputs the gradients of the
        chosen inputs; the inputs of a "jvp" are those of the program and the directions of the chosen inputs, its
        outputs the derivatives of all outputs.
        """
        with self._lock:
            wanted = (kind, tuple(wrt))
            if wanted not in self._derived:
                chosen = [self.inputs[at] for at in wrt]
                added, outputs = (self.outputs, chosen) if kind == "vjp" else (chosen, self.outputs)
                key = key_of([self.key, kind, *map(str, wrt)])
                make = partial(_derive, self, kind, wrt)
                self._derived[wanted] = Differentiable(
                    key, [*self.inputs, *added], outputs, make, self.values
                )
            return self._derived[wanted]

    def batch_call(self, dtype: str) -> BatchCall:
        """Return the compiled function for batches of one type of numbers.

        Raises:
            MissingDependencyError: there is no C compiler.
        """
        with self._lock:
            if dtype not in self._calls:
                self._calls[dtype] = _batch_call(self.program, self.values, dtype)
            return self._calls[dtype]


def differentiable(program: Program, values: Mapping[str, float]) -> Differentiable:
    """Return a program with numbers for its parameters, ready to be compiled and differentiated.

    Raises:
        ArgumentError: a parameter has no value.
    """
    numbers = parameter_values(program, values)
    parts = [text for _, text in sorted(call_sources(program, "model").files.items())]
    parts += [f"{name}={number!r}" for name, number in numbers.items()]
    inputs, outputs = [port.shape for port in program.inputs], [port.shape for port in program.outputs]
    parts += [*map(str, inputs), "->", *map(str, outputs)]
    return Differentiable(key_of([__version__, *parts]), inputs, outputs, lambda: program, numbers)


def _derive(base: Differentiable, kind: str, wrt: Sequence[int]) -> Program:
    """Return a derivative with ports named by their positions, so that names of repeated derivatives are unique."""
    program = derivative(base.program, kind, [base.program.inputs[at].name for at in wrt])
    inputs = tuple(replace(port, name=f"x{at}") for at, port in enumerate(program.inputs))
    outputs = tuple(replace(port, name=f"y{at}") for at, port in enumerate(program.outputs))
    return replace(program, inputs=inputs, outputs=outputs)


def key_of(parts: Sequence[str]) -> str:
    """Return a hash of texts."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def check_names(program: Program, unnamed: Sequence[Any], given: Mapping[str, Any]) -> None:
    """Check that inputs are given by name, that none is unknown, and that no required one is missing.

    Raises:
        ArgumentError: a name is wrong or missing.
    """
    expected = ", ".join(f"{port.name} {port.shape}" for port in program.inputs)
    if unnamed:
        raise ArgumentError(
            f"the inputs of {program.name} must be given by name; {len(unnamed)} of the arguments "
            "have no name",
            hint=f"inputs: {expected}",
        )
    names = [port.name for port in program.inputs]
    for name in given:
        if name not in names:
            raise ArgumentError(f"there is no input '{name}'", hint=f"inputs: {expected}")
    for port in program.inputs:
        if port.name not in given and port.default is None:
            raise ArgumentError(f"input '{port.name}' is missing", hint=f"inputs: {expected}")


def leading_axes(port: Input, shape: Sequence[int]) -> tuple[int, ...]:
    """Return the lengths of the leading batch axes of an input.

    Raises:
        ArgumentError: the last axes are not those of the input.
    """
    given, rank = tuple(shape), len(port.shape)
    if len(given) < rank or given[len(given) - rank :] != port.shape:
        raise ArgumentError(
            f"input '{port.name}' has shape {given}, expected {port.shape} "
            f"or ({', '.join(['...', *map(str, port.shape)])}) with leading batch axes"
        )
    return given[: len(given) - rank]
