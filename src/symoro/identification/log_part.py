"""A part of a log as one of its own, for those who look at some samples only."""

from __future__ import annotations

from dataclasses import replace

from symoro.identification.equations import RowModel
from symoro.identification.log import Log, log_of_arrays
from symoro.identification.signals import Preparation, planned

SAMPLES = 4000
ROWS = 100


def part_of(log: Log, model: RowModel, preparation: Preparation) -> Log:
    """Samples for some rows from the middle; from the start where loops are followed from there."""
    ends = planned(log, preparation).ends
    size = max(SAMPLES, ROWS * preparation.decimation) + 2 * ends
    followed = model.assembly is not None and not model.assembly[0].linear
    first = 0 if followed else max(0, log.samples - size) // 2
    first -= first % preparation.decimation
    arrays = log.part(first, min(log.samples, first + size))
    more = {kind: x for kind, x in arrays.items() if kind not in ("position", "torque")}
    part = log_of_arrays(
        log.rate, arrays["position"], arrays["torque"], transmission=log.transmission, name=log.name, **more
    )
    return replace(part, start=log.start, units=log.units)
