"""MEX function for MATLAB and Octave: NAME_mex.c around NAME.c, its help text NAME_mex.m, and NAME_example.m.

    [tau, ...] = NAME_mex(q, qd, qdd)       one sample; vectors are rows or columns
    [tau, ...] = NAME_mex(q, qd, qdd, p)    parameters p in place of the numbers that are compiled in

Inputs with one more axis, such as q of size n x N, contain N samples; other inputs may have one sample, which is used
for all of them. Arrays have the shapes of the model: MATLAB stores them by columns and NAME.c by rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources

from symoro.emit.c import TRIG, one_sample_files
from symoro.emit.clike import array_of
from symoro.emit.code import Code
from symoro.emit.header import block, clean, commented, header_lines, joint_lines
from symoro.emit.layout import wrap
from symoro.emit.target import Export, ExportFiles, Target, choice
from symoro.emit.targets.matlab_arrays import (
    buffers,
    by_columns,
    call_line,
    copy_lines,
    parameter_values,
    sample_lines,
    script_names,
    show_lines,
)
from symoro.files import MADE_BY
from symoro.program.program import Input, Shape, size


def write(export: Export) -> ExportFiles:
    """Return {NAME.h, NAME.c, NAME_mex.c, NAME_mex.m, NAME_example.m}."""
    code, files = one_sample_files(export.program, export.base, trig=choice(export, "trig", TRIG))
    base = code.arrays.base
    return {
        **files,
        f"{base}_mex.c": _source(export, code),
        f"{base}_mex.m": _help(export, code),
        f"{base}_example.m": _example(export, code),
    }


def _source(export: Export, code: Code) -> str:
    """Return the text of NAME_mex.c."""
    program, base = code.program, code.arrays.base
    folder = resources.files("symoro.emit.targets")
    checks = (folder / "mex.c").read_text(encoding="ascii")
    axes = max([1, *(len(port.shape) for port in program.inputs)])
    parts = [
        block(header_lines(code)) + f'#include "{base}.h"\n',
        '#include "mex.h"\n\n#include <stdio.h>\n#include <string.h>\n',
        f'#define ID_ "symoro:{base}:"\n#define AXES_ {axes}\n',
        checks,
    ]
    if code.constants:
        number, name = len(code.parameters), code.arrays.parameters
        expected = f"{size_text((number,))}, the parameters in the order of the help text"
        parts.append(f"/* Parameters, unless others are given. */\n{parameter_values(export, code)}\n")
        parts.append(
            f"static const port_ parameters_ = {{\n"
            f'    "{name}", "{expected}", 1, {{{number}}}, {number}\n}};\n'
        )
    for name, port in zip(code.arrays.inputs, program.inputs, strict=True):
        if port.default is not None:
            numbers = by_columns(port.shape, port.default)
            text = array_of(f"static const double default_{name}", numbers).strip()
            parts.append(f"/* Entries of {name} by columns, if it is omitted. */\n{text}\n")
    if program.inputs:
        rows = ",\n".join(
            _port(name, port) for name, port in zip(code.arrays.inputs, program.inputs, strict=True)
        )
        parts.append(f"static const port_ inputs_[{len(program.inputs)}] = {{\n{rows}\n}};\n")
    parts.append("\n".join(_mex_function(code)) + "\n")
    return "\n".join(parts)


def _port(name: str, port: Input) -> str:
    shape = ", ".join(map(str, port.shape or (1,)))
    expected = size_text(port.shape, samples=True)
    return f'    {{"{name}", "{expected}", {len(port.shape)}, {{{shape}}}, {size(port.shape)}}}'


def size_text(shape: Shape, *, samples: bool = False) -> str:
    """Return the size of an array of MATLAB, such as 7 x 1; with `samples` also that of N samples."""
    text = " x ".join(map(str, shape if len(shape) > 1 else (*(shape or (1,)), 1)))
    if not samples:
        return text
    many = " x ".join([*map(str, shape or (1,)), "N"])
    row = f" or 1 x {shape[0]}" if len(shape) == 1 and shape[0] > 1 else ""
    return f"{text}{row} (or {many} for N samples)"


def _mex_function(code: Code) -> list[str]:
    """Return the lines of mexFunction: checks, setup if the parameters have changed, a loop over the samples."""
    program, a = code.program, code.arrays
    inputs, outputs = len(program.inputs), len(program.outputs)
    most = inputs + bool(code.constants)
    least = max([0, *(at for at, port in enumerate(program.inputs, 1) if port.default is None)])
    optional = "; those in brackets are optional" if least < most else ""
    lines = [
        "void mexFunction(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[])",
        "{",
        *buffers(code, "static "),
        f"    const double *given[{max(1, inputs)}];",
        f"    size_t step[{max(1, inputs)}];",
        f"    double *results[{outputs}];",
        "    size_t samples = 1;",
        *(["    const double *constants;"] if code.constants else []),
        "",
        f"    if ({f'nrhs < {least} || ' if least else ''}nrhs > {most}) {{",
        '        mexErrMsgIdAndTxt(ID_ "arguments",',
        f'                          "{a.base}_mex has the inputs {_arguments(code)}{optional}; got %d",',
        "                          nrhs);",
        "    }",
        f"    if (nlhs > {outputs}) {{",
        '        mexErrMsgIdAndTxt(ID_ "arguments",',
        f'                          "{a.base}_mex has the outputs {", ".join(a.outputs)}; got %d",',
        "                          nlhs);",
        "    }",
    ]
    lines += _given_lines(code) + _setup_lines(code)
    for at, out in enumerate(program.outputs):
        sizes = f"(const mwSize[]){{{', '.join(map(str, out.shape or (1,)))}, (mwSize)samples}}"
        created = f"created_(&plhs[{at}], {len(out.shape or (1,)) + 1}, {sizes})"
        lines.append(f"    results[{at}] = {f'nlhs <= {at} ? NULL : ' if at else ''}{created};")
    lines.append("    for (size_t sample = 0; sample < samples; ++sample) {")
    for at, (name, port) in enumerate(zip(a.inputs, program.inputs, strict=True)):
        statement = f"in_{name}[{{rows}}] = given[{at}][step[{at}] * sample + {{columns}}];"
        lines += copy_lines(port.shape, statement, "        ") if size(port.shape) else []
    lines.append(call_line(code, "constants", "        "))
    for at, (name, out) in enumerate(zip(a.outputs, program.outputs, strict=True)):
        if size(out.shape):
            statement = f"results[{at}][{size(out.shape)} * sample + {{columns}}] = out_{name}[{{rows}}];"
            lines += [f"        if (results[{at}] != NULL) {{"]
            lines += [*copy_lines(out.shape, statement, "            "), "        }"]
    return [*lines, "    }", "}"]


def _arguments(code: Code) -> str:
    """Return the arguments of the MEX function in order; those that may be omitted are in brackets."""
    ports = zip(code.arrays.inputs, code.program.inputs, strict=True)
    names = [name if port.default is None else f"[{name}]" for name, port in ports]
    return ", ".join([*names, *([f"[{code.arrays.parameters}]"] if code.constants else [])])


def _given_lines(code: Code) -> list[str]:
    """Return the lines that set the data and the distance between samples of every input."""
    program, lines = code.program, []
    for at, (name, port) in enumerate(zip(code.arrays.inputs, program.inputs, strict=True)):
        if port.default is not None:
            lines += [
                f"    given[{at}] = default_{name};",
                f"    step[{at}] = 0;",
                f"    if (nrhs > {at} && !mxIsEmpty(prhs[{at}])) {{",
            ]
        else:
            lines.append("    {")
        lines += [
            f"        const size_t count = samples_of_(prhs[{at}], &inputs_[{at}]);",
            f"        given[{at}] = mxGetPr(prhs[{at}]);",
            f"        step[{at}] = count == 1 ? 0 : inputs_[{at}].size;",
            f"        samples = common_samples_(samples, count, &inputs_[{at}]);",
            "    }",
        ]
    return lines


def _setup_lines(code: Code) -> list[str]:
    """Return the lines that compute the constants; they are kept until other parameters are given."""
    if not code.constants:
        return []
    a, number, at = code.arrays, len(code.parameters), len(code.program.inputs)
    return [
        "    {",
        f"        static double current[{number}], constants_[{len(code.constants)}];",
        "        static int ready = 0;",
        "        const double *p = defaults_;",
        f"        if (nrhs > {at} && !mxIsEmpty(prhs[{at}])) {{",
        f"            if (samples_of_(prhs[{at}], &parameters_) != 1) {{",
        f"                size_error_(prhs[{at}], &parameters_);",
        "            }",
        f"            p = mxGetPr(prhs[{at}]);",
        "        }",
        "        if (!ready || memcmp(current, p, sizeof current) != 0) {",
        "            memcpy(current, p, sizeof current);",
        f"            {a.setup}(current, constants_);",
        "            ready = 1;",
        "        }",
        "        constants = constants_;",
        "    }",
    ]


def _help(export: Export, code: Code) -> str:
    """Return NAME_mex.m: the help text, and an error if the MEX function has not been compiled."""
    base = code.arrays.base
    call = f"[{', '.join(code.arrays.outputs)}] = {base}_mex({_arguments(code)})"
    lines = [
        *wrap(call, "    ", width=92, marks=",").split("\n"),
        "",
        *header_lines(code, functions=False)[:-1],
        "",
        "Vectors are rows or columns. Inputs with one more axis N, such as n x N, contain N samples; inputs",
        "with one sample are used for all of them. Inputs in brackets may be omitted or [].",
    ]
    if code.constants:
        lines += [
            f"{code.arrays.parameters} contains the parameters in the order above; by default:",
            *_default_lines(code.parameters, export.sample.parameters),
        ]
    lines.append(MADE_BY)
    build = f"mex {base}_mex.c {base}.c"
    return (
        f"function varargout = {base}_mex(varargin)\n"
        f"{commented(lines, '%')}\n"
        f"error('symoro:{base}:build', '{base}_mex is not compiled; run: {build}');\nend\n"
    )


def _default_lines(names: Sequence[str], numbers: Sequence[float]) -> list[str]:
    text = ", ".join(f"{clean(name)} = {number!r}" for name, number in zip(names, numbers, strict=True))
    return wrap("  " + text, "    ", width=92, marks=",").split("\n")


def _example(export: Export, code: Code) -> str:
    """Return NAME_example.m: a script that prints the outputs for the sample and compares them."""
    names, base = script_names(export.program), code.arrays.base
    about = [
        f"Example for {base}_mex: evaluates the model for sample numbers and prints the outputs.",
        f"Compile first: mex {base}_mex.c {base}.c",
        *joint_lines(export.program),
        MADE_BY,
    ]
    call = f"[{', '.join(names.outputs)}] = {base}_mex({', '.join(names.inputs)});"
    lines = [*sample_lines(export, names), wrap(call, "    ", " ...", marks=","), *show_lines(export, names)]
    return commented(about, "%") + "\n".join(lines) + "\n"


TARGET = Target(
    "mex",
    "MATLAB and Octave (MEX)",
    write,
    options={"trig": "sines and cosines: 'polynomial' (vectorised) or 'libm' (C library)"},
    commands=("mkoctfile --mex {0}_mex.c {0}.c", "octave --no-gui --quiet {0}_example.m"),
    remarks=(
        "At the prompt of MATLAB and Octave, `mex {0}_mex.c {0}.c` compiles the function, `{0}_example` runs the "
        "example, and `help {0}_mex` shows the arguments.",
        "The function was tested with Octave. It was not run with MATLAB.",
    ),
    with_values=True,
    first_index=1,
)
