"""`Function.raw` where there is no door: the same checks and effects in NumPy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from symoro.errors import ArgumentError
from symoro.program.program import Program, size


def raw_in_numpy(
    program: Program, call: Callable[[Mapping[str, Any]], Mapping[str, Any]]
) -> Callable[..., None]:
    """A function of the caller's own buffers, inputs and then outputs.

    Arguments:
        call: arrays of the inputs' shapes by name -> outputs by name.
    """
    inputs, outputs = len(program.inputs), len(program.outputs)
    shapes = [*(port.shape for port in program.inputs), *(port.shape for port in program.outputs)]

    def raw(*given: Any) -> None:
        if len(given) != len(shapes):
            raise ArgumentError(
                f"raw takes {len(shapes)} arrays, {inputs} inputs and {outputs} outputs: {len(given)} given"
            )
        arrays = []
        for at, (shape, buffer) in enumerate(zip(shapes, given, strict=True)):
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
        found = call({port.name: array for port, array in zip(program.inputs, arrays, strict=False)})
        for port, array in zip(program.outputs, arrays[inputs:], strict=True):
            array[...] = found[port.name]

    return raw


def _buffer(given: Any, length: int, *, writable: bool) -> Any:
    """A flat view of what was given, or None where it does not fit."""
    try:
        view = memoryview(given)
    except TypeError:
        return None
    fits = view.c_contiguous and view.format.lstrip("@=<") == "d" and view.nbytes == 8 * length
    if not fits or (writable and view.readonly):
        return None
    array = np.frombuffer(view, dtype=float) if length else np.empty(0)
    return array if array.flags.aligned else None
