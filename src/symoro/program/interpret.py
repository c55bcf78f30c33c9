"""Run a program on numbers, one sample or many, without compiling anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError
from symoro.expr.evaluate import evaluate
from symoro.program.program import Input, Program, size


def interpret(
    program: Program, inputs: Mapping[str, Any], parameters: Mapping[str, float] | None = None
) -> dict[str, Any]:
    """The outputs, by name.

    Arguments:
        inputs: for each input an array of its shape, or with one leading axis of samples more; an input
            without that axis is shared by all samples.
        parameters: a number for each parameter that the program uses.
    """
    variables: dict[str, Any] = {}
    batch: tuple[int, ...] = ()
    for port in program.inputs:
        array = _array(port, inputs)
        lead = array.shape[: array.ndim - len(port.shape)]
        if lead and batch and lead != batch:
            raise ArgumentError(
                f"input '{port.name}' has {lead[0]} samples where another input has {batch[0]}"
            )
        batch = batch or lead
        flat = array.reshape((*lead, size(port.shape)))
        for k, name in enumerate(port.symbols):
            variables[name] = flat[..., k] if lead else float(flat[k])
    results = iter(evaluate(program.graph, program.roots, parameters or {}, variables))
    outputs: dict[str, Any] = {}
    for output in program.outputs:
        values = np.empty((*batch, len(output.lits)))
        for k in range(len(output.lits)):
            values[..., k] = next(results)
        outputs[output.name] = values.reshape((*batch, *output.shape))
    return outputs


def _array(port: Input, inputs: Mapping[str, Any]) -> NDArray[np.float64]:
    given = inputs.get(port.name, port.default)
    if given is None:
        raise ArgumentError(f"input '{port.name}' is missing", hint=f"expected shape {port.shape}")
    array = np.asarray(given, dtype=float)
    if port.name not in inputs:
        array = array.reshape(port.shape)
    if array.shape != port.shape and (array.ndim == 0 or array.shape[1:] != port.shape):
        raise ArgumentError(
            f"input '{port.name}' has shape {array.shape}, expected {port.shape}",
            hint="or one leading axis of samples more",
        )
    return array
