"""C sources of an FMU: the emitted code of a model, and one file with the functions of FMI around it.

    model.c, model.h               the model: derivatives of the state and outputs
    model_jvp.c, ...               its Jacobian-vector product, for directional derivatives
    model_loops.c, ...             Newton step that closes the loops of a robot, and velocities of all joints
    model_rates_jvp.c, ...         Jacobian-vector product of these velocities
    fmu.c                          variables, start values, instances and the functions of FMI

Names of robots and joints do not occur in names of the code, so that they cannot collide with names of FMI or C.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources

from symoro.emit.c import call_sources
from symoro.emit.dialect import Files
from symoro.emit.fmi.ode import Ode
from symoro.emit.fmi.variables import Variables
from symoro.emit.layout import wrap
from symoro.errors import NotApplicableError, OptionError
from symoro.files import MADE_BY
from symoro.program.derivative import derivative
from symoro.program.program import Program

MODEL, JVP, LOOPS, RATES_JVP = "model", "model_jvp", "model_loops", "model_rates_jvp"
FMU = "fmu.c"
TOKEN = "@token@"


@dataclass(frozen=True)
class FmuPrograms:
    """Programs of an FMU.

    Attributes:
        closure: program that closes the loops, if the robot has some.
        posture: closed posture of all joints at the start, if the robot has loops.
        directions: programs of the directional derivatives by name; empty if they are not available.
    """

    ode: Ode
    closure: Program | None
    posture: Sequence[float]
    directions: Mapping[str, Program]

    @property
    def programs(self) -> dict[str, Program]:
        """Return all programs by name of their C function."""
        loops = {LOOPS: self.closure} if self.closure is not None else {}
        return {MODEL: self.ode.program, **loops, **self.directions}

    @property
    def parameters(self) -> list[str]:
        """Return the parameters on which the programs depend."""
        return list(dict.fromkeys(name for each in self.programs.values() for name in each.used_parameters))


def fmu_programs(ode: Ode, closure: Program | None, posture: Sequence[float]) -> FmuPrograms:
    """Return the programs of an FMU, with those of the directional derivatives if they are available.

    They are not if the model calls a kernel without derivative rules, or is a Jacobian-vector product itself.
    """
    programs = FmuPrograms(ode, closure, posture, {})
    try:
        directions = {JVP: derivative(ode.program, "jvp")}
        if closure is not None:
            rates = replace(closure, outputs=tuple(port for port in closure.outputs if port.name == "qd"))
            directions[RATES_JVP] = derivative(rates, "jvp")
    except (NotApplicableError, OptionError):
        return programs
    return replace(programs, directions=directions)


def fmu_sources(programs: FmuPrograms, variables: Variables, version: str, step: float) -> Files:
    """Return the C files of an FMU by name; `TOKEN` in fmu.c is to be replaced by the GUID.

    Args:
        version: version of FMI, "2.0" or "3.0".
        step: inner step of the co-simulation in seconds.
    """
    files: Files = {}
    constants = {}
    for name, program in programs.programs.items():
        sources = call_sources(program, name)
        constants[name] = sources.constants
        files |= sources.files
    writer = _Source(programs, variables, constants)
    parts = [
        f"/* Functions of FMI {version} for one model.",
        f" * {MADE_BY}",
        " */",
        "#include <math.h>",
        "#include <stdio.h>",
        "#include <stdlib.h>",
        "#include <string.h>",
        "",
        *(f'#include "{name}.h"' for name in programs.programs),
        "",
        *writer.definitions(step),
        "",
        *writer.data(),
        "",
        *writer.setup(),
        "",
        *([*writer.loops(), "", _text("loops.c")] if programs.ode.active else []),
        *writer.evaluate(),
        "",
        *([*writer.tangents(), ""] if programs.directions else []),
        _text("instance.c"),
        _text(f"fmi{version[0]}.c"),
    ]
    return {FMU: "\n".join(parts), **files}


def _text(name: str) -> str:
    return (resources.files("symoro.emit.fmi") / name).read_text(encoding="ascii")


@dataclass(frozen=True)
class _Source:
    """Data from which the part of fmu.c that depends on the model is written.

    Attributes:
        constants: number of constants of each function.
    """

    programs: FmuPrograms
    variables: Variables
    constants: Mapping[str, int]

    def definitions(self, step: float) -> list[str]:
        ode, variables = self.programs.ode, self.variables
        sizes = {
            "INPUTS_": variables.first("input", "state", "derivative", "output"),
            "STATES_": variables.first("state", "derivative", "output"),
            "DERIVATIVES_": variables.first("derivative", "output"),
            "SIZE_": variables.size,
            "N_STATES_": sum(ode.states.values()),
            "DIRECTIONS_": int(bool(self.programs.directions)),
            "LOOPS_": int(bool(ode.active)),
            "QUATERNION_": variables["Q0"].first if "Q0" in ode.states else 0,
        }
        if ode.active:
            sizes |= {
                "JOINTS_": len(variables["q"].names),
                "ACTIVE_": len(ode.active),
                "POSITIONS_": variables["q"].first,
                "VELOCITIES_": variables["qd"].first,
                "ACTIVE_POSITIONS_": variables["qa"].first,
                "ACTIVE_VELOCITIES_": variables["qda"].first,
            }
        return [
            "#if defined _WIN32 || defined __CYGWIN__",
            "#define EXPORT_ __declspec(dllexport)",
            "#elif defined __GNUC__",
            '#define EXPORT_ __attribute__((visibility("default")))',
            "#else",
            "#define EXPORT_",
            "#endif",
            "",
            f'#define TOKEN_ "{TOKEN}"',
            f"#define INNER_STEP_ {step!r}",
            *(f"#define {name} {number}" for name, number in sizes.items()),
            "",
            "typedef void (*Logger_)(void);",
        ]

    def data(self) -> list[str]:
        start = [x for array in self.variables.arrays for x in (array.start or [0.0] * len(array.names))]
        arrays = [
            f"    double {_constants(name)}[{count}];" for name, count in self.constants.items() if count
        ]
        lines = [
            _table("static const double start_[SIZE_]", map(repr, start)),
        ]
        if self.programs.ode.active:
            active, posture = self.programs.ode.active, self.programs.posture
            arrays += ["    double posture[JOINTS_]; /* posture from which the loops are followed */"]
            arrays += [
                "    double det, det_now;     /* their determinants there, and in the present posture */"
            ]
            lines += [
                _table("static const int active_[ACTIVE_]", map(str, active)),
                _table("static const double posture_[JOINTS_]", (repr(float(x)) for x in posture)),
            ]
        return [
            *lines,
            "",
            "typedef struct {",
            "    double v[SIZE_]; /* variables by value reference */",
            *arrays,
            "    int changed;     /* whether parameters have changed since the last evaluation */",
            "    int stale;       /* whether derivatives and outputs must be computed */",
            "} Data_;",
        ]

    def setup(self) -> list[str]:
        lines = ["static void setup_(Data_ *m)", "{"]
        for name, program in self.programs.programs.items():
            if self.constants[name]:
                used = [self.variables[f"parameter {each}"].first for each in program.used_parameters]
                lines += [
                    "    {",
                    _table("        const double p[]", (f"m->v[{reference}]" for reference in used), 8),
                    "",
                    f"        {name}_setup(p, m->{_constants(name)});",
                    "    }",
                ]
        return [*lines, *(["    (void)m;"] if len(lines) == 2 else []), "}"]

    def loops(self) -> list[str]:
        arguments = ["q", "qda", *self._constant_argument(LOOPS), "step", "rates", "gap", "det", "room"]
        return [
            "static void loops_(const Data_ *m, const double *q, const double *qda, double *step, double *rates,",
            "                   double *gap, double *det, double *room)",
            "{",
            *([] if self.constants[LOOPS] else ["    (void)m;"]),
            wrap(f"    {LOOPS}({', '.join(arguments)});", " " * 8),
            "}",
        ]

    def evaluate(self) -> list[str]:
        program = self.programs.ode.program
        lines = ["static int evaluate_(Data_ *m)", "{", "    double *v = m->v;", ""]
        if self.programs.ode.active:
            lines += ["    const int status = close_(m);", "", "    if (status) return status;"]
        inputs = [self._at("v", port.name) for port in program.inputs]
        outputs = [self._at("v", port.name) for port in program.outputs]
        lines += [self._call(MODEL, inputs, outputs), *self._copied_rates("v"), "    return 0;", "}"]
        return lines

    def tangents(self) -> list[str]:
        ode = self.programs.ode
        lines = ["static void tangents_(const Data_ *m, double *d)", "{", "    const double *v = m->v;"]
        if ode.active:
            lines += [
                "    double step[JOINTS_], gap, det, room;",
                "",
                "    loops_(m, v + POSITIONS_, d + ACTIVE_POSITIONS_, step, d + POSITIONS_, &gap, &det, &room);",
                self._product(RATES_JVP, self.programs.closure, ["qd"]),
            ]
        lines += ["", self._product(JVP, ode.program, [port.name for port in ode.program.outputs])]
        return [*lines, *self._copied_rates("d"), "}"]

    def _product(self, name: str, program: Program | None, outputs: Sequence[str]) -> str:
        """Return the call of a Jacobian-vector product of a program."""
        assert program is not None
        ports = [port.name for port in program.inputs]
        inputs = [self._at("v", port) for port in ports] + [self._at("d", port) for port in ports]
        return self._call(name, inputs, [self._at("d", port) for port in outputs])

    def _call(self, name: str, inputs: Sequence[str], outputs: Sequence[str]) -> str:
        arguments = [*inputs, *self._constant_argument(name), *outputs]
        return wrap(f"    {name}({', '.join(arguments)});", " " * 8)

    def _constant_argument(self, name: str) -> list[str]:
        return [f"m->{_constants(name)}"] if self.constants[name] else []

    def _at(self, array: str, name: str) -> str:
        return f"{array} + {self.variables[name].first}"

    def _copied_rates(self, array: str) -> list[str]:
        """Return the lines that copy derivatives which are states or outputs."""
        ode, lines = self.programs.ode, []
        for state, rate in ode.rates.items():
            target = self.variables[f"{state}_rate"]
            if rate != target.name:
                source, count = self._at(array, rate), len(target.names)
                lines.append(f"    memcpy({array} + {target.first}, {source}, {count} * sizeof *{array});")
        return lines


def _constants(name: str) -> str:
    return f"k_{name}"


def _table(declared: str, numbers: Iterable[str], indent: int = 0) -> str:
    """Return the definition of an array; `declared` are its type and name."""
    return wrap(f"{declared} = {{{', '.join(numbers)}}};", " " * (indent + 4))
