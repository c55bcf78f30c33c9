"""Where iterations that simulate the robot start: from WLS, the robot's nominal values, or given numbers.

Noise on positions spoils WLS, and a robot with the inertias that it finds may not be one that can be simulated. Nominal
values are those of some body at least. Friction that the robot has no number for is that of WLS, and none where that is
negative.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import isfinite

import numpy as np

from symoro.errors import ArgumentError, OptionError
from symoro.identification.estimate import Estimate
from symoro.identification.nominal import FRICTION, nominal_columns
from symoro.models.identification.base.parameters import BaseParameters

STARTS = ("wls", "nominal")


def check_start(start: str | Mapping[str, float], simulating: bool) -> None:
    """Refuse a start that there is not.

    Raises:
        OptionError: another word, or a start of a method that has none.
    """
    if isinstance(start, str) and start not in STARTS:
        raise OptionError(f"start: expected one of {', '.join(STARTS)}, or numbers by name, got '{start}'")
    if start != "wls" and not simulating:
        raise OptionError("start: only iv, didim and cloe start from values", hint="leave it out")


def started(found: Estimate, *, base: BaseParameters, start: str | Mapping[str, float]) -> Estimate:
    """The estimate with the values to start from; its weights and deviations stay those of WLS.

    Raises:
        ArgumentError: the robot has no nominal values, or a name is no column.
    """
    if start == "wls":
        return found
    given = _nominal(found, base) if isinstance(start, str) else dict(start)
    for name, value in given.items():
        if name not in found.names:
            raise ArgumentError(
                f"start: there is no column '{name}'", hint=f"the columns are {', '.join(found.names)}"
            )
        if not isfinite(value):
            raise ArgumentError(f"start: expected a finite number for '{name}', got {value}")
    values = [given.get(name, value) for name, value in found.as_dict().items()]
    return replace(found, values=np.array(values, dtype=float))


def _nominal(found: Estimate, base: BaseParameters) -> dict[str, float]:
    known = nominal_columns(base)
    if known is None:
        raise ArgumentError(
            f"start: robot '{base.original.name}' has no nominal values for all of its inertial parameters",
            hint="give it numbers, or start from wls or from numbers by name",
        )
    told = {}
    for name, value in found.as_dict().items():
        nominal = known.get(name, 0.0)
        if name[:2] not in FRICTION or nominal:
            told[name] = nominal
        elif name[:2] != "FO":
            told[name] = max(value, 0.0)
    return told
