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
    "FMU (FMI 2.0, 3.0)",
    _without_compiler,
    aliases=("fmi",),
    options={
        "version": "version of FMI: '2.0' or '3.0'",
        "step": "inner step of the co-simulation in seconds",
        "initial": "start values of state and inputs, by name",
    },
    remarks=(
        "The FMU is for model exchange and co-simulation, of FMI 2.0 unless the options above contain another version; "
        "`fmpy simulate {0}.fmu` runs it. Its `modelDescription.xml` lists the variables with start values and units: "
        "the entries of the arrays below, counted from 1 (`q[1]`), and the parameters.",
        "Direct dynamics have a state: the positions and velocities, which are inputs in the table below, are outputs "
        "of the FMU with start values. Closed loops have the state `qa`, `qda` of the active joints, and a floating "
        "base has the quaternion `Q0` and the position `P0`. Every other model is a function of its inputs.",
    ),
    with_values=True,
    first_index=1,
)
