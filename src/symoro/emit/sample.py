"""Numbers for the demo that goes with emitted code: the caller's where given, else small distinct ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symoro.errors import OptionError, UnknownNameError
from symoro.program.program import Program, size


@dataclass(frozen=True)
class Sample:
    """Parameters in order, and for each input its entries by rows."""

    parameters: tuple[float, ...]
    inputs: tuple[tuple[float, ...], ...]


def sample_of(
    program: Program,
    values: Mapping[str, float] | None = None,
    sample: Mapping[str, Sequence[float]] | None = None,
) -> Sample:
    """Sample numbers for a program.

    Arguments:
        values: parameter -> number; names that the program does not have are ignored, since a robot knows
            more parameters than one of its models needs.
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
        given = [float(x) for x in sample.get(port.name, small)]
        if len(given) != length:
            raise OptionError(
                f"sample for input {port.name} has {len(given)} numbers",
                hint=f"{length} expected, for shape {port.shape}, by rows",
            )
        inputs.append(tuple(given))
    return Sample(parameters, tuple(inputs))
