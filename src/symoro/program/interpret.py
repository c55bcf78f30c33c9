"""Run a program on numbers, one sample or many, without compiling anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from symoro.expr.evaluate import evaluate
from symoro.program.program import Program


def interpret(
    program: Program, inputs: Mapping[str, Any], parameters: Mapping[str, float] | None = None
) -> dict[str, Any]:
    """The outputs, by name.

    Arguments:
        inputs: for each input an array of its shape, or with one leading axis of samples more.
        parameters: a number for each parameter that the program uses.
    """
    values: dict[str, Any] = dict(parameters or {})
    batch: tuple[int, ...] = ()
    for port in program.inputs:
        array = np.asarray(inputs[port.name], dtype=float)
        lead = array.shape[: array.ndim - len(port.shape)]
        batch = lead or batch
        flat = array.reshape((*lead, -1))
        for k, name in enumerate(port.symbols):
            values[name] = flat[..., k] if lead else float(flat[k])
    results = evaluate(program.graph, program.roots, values)
    outputs: dict[str, Any] = {}
    at = 0
    for port in program.outputs:
        entries = [np.broadcast_to(x, batch) for x in results[at : at + len(port.lits)]]
        at += len(port.lits)
        outputs[port.name] = np.stack(entries, -1).reshape((*batch, *port.shape))
    return outputs
