"""FMU: a Functional Mock-up Unit for FMI 2.0 or 3.0, a compiled model for any simulation tool.

The archive contains a compiled library. It is written by `symoro.bridges.fmu`, to which `Model.export` gives the robot
and the compiler.
"""

from __future__ import annotations

from symoro.emit.target import Export, ExportFiles, Target
from symoro.errors import NotApplicableError


def _without_compiler(export: Export) -> ExportFiles:
    raise NotApplicableError(
        f"the FMU of {export.base} requires a C compiler and the robot",
        hint="Model.export and Model.write_fmu provide them",
    )


TARGET = Target(
    "fmu",
    "FMU",
    _without_compiler,
    aliases=("fmi",),
    options={
        "version": "version of FMI: '2.0' or '3.0'",
        "step": "inner step of the co-simulation in seconds",
        "initial": "start values of state and inputs, by name",
    },
    remarks=(
        "The FMU is for model exchange and co-simulation. `fmpy simulate NAME.fmu` runs it, and its "
        "`modelDescription.xml` lists its variables with their start values and units. Direct dynamics have the "
        "positions and velocities as state; every other model is a function of its inputs.",
    ),
    with_values=True,
)
