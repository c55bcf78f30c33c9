"""Simulink block: NAME_sfun.c, a level-2 C S-function around NAME.c, and build_NAME.m, which compiles it.

build_NAME also creates the library NAME_lib with the block, whose ports are labelled with the names of inputs and
outputs. NAME_example.m creates a model with the block and constant inputs, and simulates it.

A vector is a port of n entries and a matrix a two-dimensional port. Simulink stores signals by columns and NAME.c by
rows. An array with more axes is a port with all its entries by columns, so that reshape(u, [a b c]) returns the array.
The numbers of the parameters are one dialog parameter, which can be changed during a simulation.
"""

from __future__ import annotations

from symoro.emit.c import TRIG, one_sample_files
from symoro.emit.code import Code
from symoro.emit.header import block, clean, commented, header_lines, joint_lines
from symoro.emit.layout import wrap
from symoro.emit.matlab import literal
from symoro.emit.target import Export, ExportFiles, Target, choice
from symoro.emit.targets.matlab_arrays import (
    buffers,
    call_line,
    copy_lines,
    parameter_values,
    sample_lines,
    script_names,
    show_lines,
)
from symoro.files import MADE_BY
from symoro.program.program import Shape, size


def write(export: Export) -> ExportFiles:
    """Return {NAME.h, NAME.c, NAME_sfun.c, build_NAME.m, NAME_example.m}."""
    code, files = one_sample_files(export.program, export.base, trig=choice(export, "trig", TRIG))
    base = code.arrays.base
    return {
        **files,
        f"{base}_sfun.c": _source(export, code),
        f"build_{base}.m": _build(export, code),
        f"{base}_example.m": _example(export, code),
    }


# -- the S-function


def _source(export: Export, code: Code) -> str:
    base, with_parameters = code.arrays.base, bool(code.constants)
    about = [*header_lines(code), *_ports(code)]
    parts = [
        block(about)
        + f"#define S_FUNCTION_NAME {base}_sfun\n#define S_FUNCTION_LEVEL 2\n\n"
        + f'#include "simstruc.h"\n\n#include "{base}.h"\n'
    ]
    if with_parameters:
        parts.append(f"/* Parameters, if the dialog parameter is []. */\n{parameter_values(export, code)}\n")
        parts.append("\n".join(_parameter_functions(code)) + "\n")
    parts += ["\n".join(lines) + "\n" for lines in (_sizes(code), _SAMPLE_TIMES)]
    if with_parameters:
        parts.append("\n".join(_start(code)) + "\n")
    parts += ["\n".join(lines) + "\n" for lines in (_outputs(code), _END)]
    return "\n".join(parts)


def _ports(code: Code) -> list[str]:
    """Return lines for the header that list the ports."""
    inputs = zip(code.arrays.inputs, (port.shape for port in code.program.inputs), strict=True)
    outputs = zip(code.arrays.outputs, (out.shape for out in code.program.outputs), strict=True)
    lines = ["", "Ports of the block"]
    for kind, ports in (("input", inputs), ("output", outputs)):
        lines += [f"  {kind} {at}: {name}, {_signal(shape)}" for at, (name, shape) in enumerate(ports, 1)]
    return lines


def _signal(shape: Shape) -> str:
    """Return a description of the signal of a port."""
    if len(shape) == 2:
        return f"matrix of size {shape[0]} x {shape[1]}"
    if len(shape) < 2:
        return f"vector with {size(shape)} entries" if size(shape) > 1 else "scalar"
    return f"vector with {size(shape)} entries: reshape(u, [{' '.join(map(str, shape))}])"


def _sizes(code: Code) -> list[str]:
    """Return mdlInitializeSizes: parameters, ports, constants."""
    program = code.program
    lines = [
        "static void mdlInitializeSizes(SimStruct *S)",
        "{",
        f"    ssSetNumSFcnParams(S, {int(bool(code.constants))});",
    ]
    lines += [
        "    if (ssGetNumSFcnParams(S) != ssGetSFcnParamsCount(S)) {",
        "        return; /* Simulink reports the wrong number of parameters */",
        "    }",
    ]
    if code.constants:
        lines += [
            "    check_parameters_(S);",
            "    if (ssGetErrorStatus(S) != NULL) {",
            "        return;",
            "    }",
        ]
    lines += ["    ssSetNumContStates(S, 0);", "    ssSetNumDiscStates(S, 0);"]
    inputs, outputs = [port.shape for port in program.inputs], [out.shape for out in program.outputs]
    for kind, shapes in (("Input", inputs), ("Output", outputs)):
        lines += [f"    if (!ssSetNum{kind}Ports(S, {len(shapes)})) {{", "        return;", "    }"]
        for at, shape in enumerate(shapes):
            lines += _port_lines(kind, at, shape)
    lines += [f"    ssSetNumRWork(S, {len(code.constants)});"] if code.constants else []
    lines += [
        "    ssSetNumSampleTimes(S, 1);",
        "    ssSetOptions(S, SS_OPTION_EXCEPTION_FREE_CODE | SS_OPTION_WORKS_WITH_CODE_REUSE);",
    ]
    return [*lines, "}"]


def _port_lines(kind: str, at: int, shape: Shape) -> list[str]:
    if len(shape) == 2:
        lines = [
            f"    if (!ssSet{kind}PortMatrixDimensions(S, {at}, {shape[0]}, {shape[1]})) {{",
            "        return;",
            "    }",
        ]
    else:
        lines = [f"    ssSet{kind}PortWidth(S, {at}, {size(shape)});"]
    return lines + ([f"    ssSetInputPortDirectFeedThrough(S, {at}, 1);"] if kind == "Input" else [])


_SAMPLE_TIMES = [
    "static void mdlInitializeSampleTimes(SimStruct *S)",
    "{",
    "    ssSetSampleTime(S, 0, INHERITED_SAMPLE_TIME);",
    "    ssSetOffsetTime(S, 0, 0.0);",
    "    ssSetModelReferenceSampleTimeDefaultInheritance(S);",
    "}",
]


def _parameter_functions(code: Code) -> list[str]:
    """Return the functions that check the dialog parameter and return its numbers."""
    number = len(code.parameters)
    message = f"p must be [] or a real vector of {number} numbers of class double"
    return [
        "/* Check the dialog parameter: a vector with all parameters, or []. */",
        "static void check_parameters_(SimStruct *S)",
        "{",
        "    const mxArray *given = ssGetSFcnParam(S, 0);",
        "    if (mxIsEmpty(given)) {",
        "        return;",
        "    }",
        "    if (!mxIsDouble(given) || mxIsComplex(given) || mxIsSparse(given) ||",
        f"        mxGetNumberOfElements(given) != {number}) {{",
        f'        ssSetErrorStatus(S, "{code.arrays.base}_sfun: {message}");',
        "    }",
        "}",
        "",
        "/* Compute the constants from the parameters. */",
        "static void set_constants_(SimStruct *S)",
        "{",
        "    const mxArray *given = ssGetSFcnParam(S, 0);",
        f"    {code.arrays.setup}(mxIsEmpty(given) ? defaults_ : mxGetPr(given), ssGetRWork(S));",
        "}",
    ]


def _start(code: Code) -> list[str]:
    """Return the functions that Simulink calls at the start and when a parameter changes."""
    return [
        "#define MDL_START",
        "static void mdlStart(SimStruct *S)",
        "{",
        "    set_constants_(S);",
        "}",
        "",
        "#define MDL_CHECK_PARAMETERS",
        "#if defined(MDL_CHECK_PARAMETERS) && defined(MATLAB_MEX_FILE)",
        "static void mdlCheckParameters(SimStruct *S)",
        "{",
        "    check_parameters_(S);",
        "}",
        "#endif",
        "",
        "#define MDL_PROCESS_PARAMETERS",
        "#if defined(MDL_PROCESS_PARAMETERS) && defined(MATLAB_MEX_FILE)",
        "static void mdlProcessParameters(SimStruct *S)",
        "{",
        "    set_constants_(S);",
        "}",
        "#endif",
    ]


def _outputs(code: Code) -> list[str]:
    """Return mdlOutputs: copy the input signals, call the function, copy its results to the output signals."""
    program = code.program
    lines = ["static void mdlOutputs(SimStruct *S, int_T tid)", "{", *buffers(code)]
    for at, (name, port) in enumerate(zip(code.arrays.inputs, program.inputs, strict=True)):
        if size(port.shape):
            lines.append(f"    InputRealPtrsType u_{name} = ssGetInputPortRealSignalPtrs(S, {at});")
    for at, (name, out) in enumerate(zip(code.arrays.outputs, program.outputs, strict=True)):
        if size(out.shape):
            lines.append(f"    real_T *y_{name} = ssGetOutputPortRealSignal(S, {at});")
    lines.append("    UNUSED_ARG(tid);")
    for name, port in zip(code.arrays.inputs, program.inputs, strict=True):
        lines += (
            copy_lines(port.shape, f"in_{name}[{{rows}}] = *u_{name}[{{columns}}];")
            if size(port.shape)
            else []
        )
    lines.append(call_line(code, "ssGetRWork(S)"))
    for name, out in zip(code.arrays.outputs, program.outputs, strict=True):
        lines += (
            copy_lines(out.shape, f"y_{name}[{{columns}}] = out_{name}[{{rows}}];") if size(out.shape) else []
        )
    return [*lines, "}"]


_END = [
    "static void mdlTerminate(SimStruct *S)",
    "{",
    "    UNUSED_ARG(S);",
    "}",
    "",
    "#ifdef MATLAB_MEX_FILE",
    '#include "simulink.c"',
    "#else",
    '#include "cg_sfun.h"',
    "#endif",
]


# -- scripts for MATLAB


def _build(export: Export, code: Code) -> str:
    """Return build_NAME.m, which compiles the S-function and creates a library with the block."""
    base, program = code.arrays.base, code.program
    about = [
        f"build_{base}: compile the S-function {base}_sfun",
        f"and create the library {base}_lib with its block.",
        *joint_lines(program),
        *_ports(code),
        "",
        MADE_BY,
    ]
    labels = [
        f"port_label('{kind}', {at}, '{name}');"
        for kind, names in (("input", code.arrays.inputs), ("output", code.arrays.outputs))
        for at, name in enumerate(names, 1)
    ]
    texts = ", ...\n    ".join("'" + label.replace("'", "''") + "'" for label in labels)
    parameters = ", 'Parameters', 'p'" if code.constants else ""
    lines = [
        "folder = fileparts(mfilename('fullpath'));",
        f"sources = {{fullfile(folder, '{base}_sfun.c'), fullfile(folder, '{base}.c')}};",
        "mex('-outdir', folder, ['-I' folder], sources{:});",
        "",
        f"library = '{base}_lib';",
        f"block = [library '/{base}'];",
        "if bdIsLoaded(library)",
        "    close_system(library, 0);",
        "end",
        "new_system(library, 'Library');",
        f"add_block('built-in/S-Function', block, 'FunctionName', '{base}_sfun'{parameters});",
        "mask = Simulink.Mask.create(block);",
    ]
    if code.constants:
        names = " ".join(code.parameters)
        prompt = f"parameters, {len(code.parameters)} numbers in the order of the header of the S-function"
        lines += [
            wrap(f"% {clean(names)}", "%     ", width=100, marks=" "),
            literal("values", (len(code.parameters),), export.sample.parameters),
            "mask.addParameter('Type', 'edit', 'Name', 'p', 'Value', mat2str(values, 17), ...",
            f"    'Prompt', '{prompt}');",
        ]
    lines += [
        f"labels = {{{texts}}};",
        "set_param(block, 'MaskDisplay', strjoin(labels, char(10)));",
        "set_param(block, 'Position', [100 100 260 200]);",
        "save_system(library, fullfile(folder, library));",
    ]
    return f"function build_{base}()\n{commented(about, '%')}\n" + "\n".join([*lines, "end"]) + "\n"


def _example(export: Export, code: Code) -> str:
    """Return NAME_example.m, which simulates the block with constant inputs, prints its outputs and compares them."""
    names, base = script_names(export.program), code.arrays.base
    about = [
        f"Example for {base}_sfun: evaluates the block for sample numbers and prints the outputs.",
        f"Run build_{base} first.",
        *joint_lines(export.program),
        MADE_BY,
    ]
    lines = [
        *sample_lines(export, names),
        f"load_system('{base}_lib');",
        f"model_ = '{base}_model';",
        "if bdIsLoaded(model_)",
        "    close_system(model_, 0);",
        "end",
        "new_system(model_);",
        f"add_block('{base}_lib/{base}', [model_ '/block']);",
    ]
    for at, (name, port) in enumerate(zip(names.inputs, export.program.inputs, strict=True), 1):
        value = f"{name}(:)" if len(port.shape) > 2 else name
        vector = "off" if len(port.shape) == 2 else "on"
        lines += [
            f"add_block('built-in/Constant', [model_ '/{name}'], 'Value', '{value}', ...",
            f"    'VectorParams1D', '{vector}');",
            f"add_line(model_, '{name}/1', 'block/{at}');",
        ]
    for at, name in enumerate(names.outputs, 1):
        lines += [
            f"add_block('built-in/ToWorkspace', [model_ '/result_{name}'], ...",
            f"    'VariableName', '{name}', 'SaveFormat', 'Array');",
            f"add_line(model_, 'block/{at}', 'result_{name}/1');",
        ]
    lines.append("results_ = sim(model_, 'StopTime', '0');")
    for name, out in zip(names.outputs, export.program.outputs, strict=True):
        shape = ", ".join(map(str, out.shape if len(out.shape) > 1 else (*(out.shape or (1,)), 1)))
        lines.append(f"{name} = reshape(results_.get('{name}'), {shape});")
    return commented(about, "%") + "\n".join([*lines, *show_lines(export, names)]) + "\n"


TARGET = Target(
    "simulink",
    "Simulink (S-function)",
    write,
    options={"trig": "sines and cosines: 'polynomial' (vectorised) or 'libm' (C library)"},
    commands=('matlab -batch "build_{0}; {0}_example"',),
    remarks=(
        "At the prompt of MATLAB, `build_{0}` compiles the S-function and creates a library with the block.",
        "The S-function was compiled and called with a substitute for `simstruc.h`. It and the scripts were not run "
        "with MATLAB and Simulink.",
    ),
    with_values=True,
    first_index=1,
)
