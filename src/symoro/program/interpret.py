"""Numerical evaluation of a program in Python, for one sample or many, without compilation."""

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
    """Evaluate a program with numbers and return {name of the output: array}.

    Args:
        inputs: for each input an array of its shape, or with an additional leading axis of samples; an input
            without that axis is used for all samples.
        parameters: parameter -> number, for each parameter that the program uses.

    Returns:
        Arrays of the shapes of the outputs, with the leading axis of samples if an input has one.
    """
    variables: dict[str, Any] = {}
    batch: tuple[int, ...] = ()
    for port in program.inputs:
        array = _array(port, inputs)
        lead = array.shape[: array.ndim - len(port.shape)]
        if lead and batch and lead != batch:
            raise ArgumentError(
                f"input '{port.name}' has {lead[0]} samples, but another input has {batch[0]}"
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
    value = inputs.get(port.name, port.default)
    if value is None:
        raise ArgumentError(f"input '{port.name}' is missing", hint=f"expected shape {port.shape}")
    array = np.asarray(value, dtype=float)
    if port.name not in inputs:
        array = array.reshape(port.shape)
    if array.shape != port.shape and (array.ndim == 0 or array.shape[1:] != port.shape):
        raise ArgumentError(
            f"input '{port.name}' has shape {array.shape}, expected {port.shape}",
            hint=f"for N samples give (N, {', '.join(map(str, port.shape))})",
        )
    return array
