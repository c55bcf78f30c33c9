"""Sample numbers for the demo of emitted code: those given by the caller, otherwise small different numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symoro.errors import OptionError, UnknownNameError
from symoro.program.program import Program, size


@dataclass(frozen=True)
class Sample:
    """Sample numbers: the parameters in order, and for each input its entries by rows."""

    parameters: tuple[float, ...]
    inputs: tuple[tuple[float, ...], ...]


def sample_of(
    program: Program,
    values: Mapping[str, float] | None = None,
    sample: Mapping[str, Sequence[float]] | None = None,
) -> Sample:
    """Return sample numbers for the parameters and inputs of a program.

    Args:
        values: parameter -> number; names that the program does not use are ignored, since a robot has more
            parameters than one of its models needs.
        sample: input -> its entries, by rows.
    """
    values, sample = values or {}, sample or {}
    names = [port.name for port in program.inputs]
    for name in sample:
        if name not in names:
            raise UnknownNameError("input", name, names)
    parameters = tuple(
        float(values.get(name, round(0.1 * k, 10))) for k, name in enumerate(program.used_parameters, 1)
    )
    inputs = []
    for port in program.inputs:
        length = size(port.shape)
        small = port.default or [round(0.1 * e, 10) for e in range(1, length + 1)]
        entries = [float(x) for x in sample.get(port.name, small)]
        if len(entries) != length:
            raise OptionError(
                f"the sample of input {port.name} has {len(entries)} numbers",
                hint=f"expected {length} numbers for the shape {port.shape}, by rows",
            )
        inputs.append(tuple(entries))
    return Sample(parameters, tuple(inputs))
