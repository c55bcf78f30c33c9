"""C99: NAME.h, NAME.c, NAME_batch.c and NAME_example.c, without heap, with math.h only.

    void NAME_setup(const double *p, double *k);             parameters -> constants, if there are any
    void NAME(const double *q, const double *k, double *T);  one sample; matrices by rows
    void NAME_batch(size_t n, ...);                          entry e of sample i is x[e * n + i]

The batch function is in a separate file, because its vectorisation takes a compiler longer than the rest.

Sines and cosines of the joint angles are computed together by polynomials, four per vector (`kernels/sincos.c`), and
so are arctangents (`kernels/atan2.c`), in double and in single precision; `trig="libm"` selects the C library instead.
Sums are grouped so that products are fused with them (`grouping`), which changes at most the last digit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from symoro.emit import keywords
from symoro.emit.branches import BranchData, branch_example, branch_sources
from symoro.emit.clike import (
    FunctionBody,
    Style,
    array_of,
    asks_for_numbers,
    batch_body,
    call_bodies,
    many_arcs,
    prototypes,
    sizes,
)
from symoro.emit.code import Code, base_name, code_of
from symoro.emit.dialect import Dialect, Files, Language, plain_number
from symoro.emit.header import block, header_lines, joint_lines
from symoro.emit.integrator import INTEGRATORS, example_lines, integrator_sources
from symoro.emit.joints import joint_indices
from symoro.emit.kernels import in_float, kernel_text
from symoro.emit.layout import call_arguments, helpers
from symoro.emit.names import Names
from symoro.emit.sample import Sample, sample_of
from symoro.emit.vectors import FEWEST_ANGLES
from symoro.errors import OptionError
from symoro.expr import ops
from symoro.expr.graph import Number
from symoro.expr.number import in_single
from symoro.files import MADE_BY
from symoro.program.program import Program, size

_FLOAT_FUNCTIONS = (ops.SQRT, ops.SIN, ops.COS, ops.TAN, ops.ASIN, ops.ACOS, ops.ATAN2, ops.EXP, ops.ABS)

DOUBLE = Dialect(
    comment="/* {0} */",
    functions={
        ops.ABS: "fabs({0})",
        ops.SIGN: "sign_({0})",
        ops.MIN: "min_({0}, {1})",
        ops.MAX: "max_({0}, {1})",
        ops.LESS: "({0} < {1} ? 1.0 : 0.0)",  # an int would lead to integer division
        ops.LESS_EQUAL: "({0} <= {1} ? 1.0 : 0.0)",
        ops.EQUAL: "({0} == {1} ? 1.0 : 0.0)",
        ops.SELECT: "({0} ? {1} : {2})",
    },
    leading_underscore=False,
    trailing_underscore=False,
    macros=keywords.MACROS,
    reserved=keywords.C,
    externals=keywords.LIBM,
    helpers={
        (ops.SIGN,): "static inline double sign_(double x)\n{\n    return (double)((x > 0) - (x < 0));\n}\n",
        (ops.MIN,): "static inline double min_(double a, double b)\n{\n    return b < a ? b : a;\n}\n",
        (ops.MAX,): "static inline double max_(double a, double b)\n{\n    return b > a ? b : a;\n}\n",
    },
)


def _float_number(value: Number) -> str:
    text = plain_number(value)
    return text if text.isdigit() else text + "f"


FLOAT = replace(
    DOUBLE,
    functions={**DOUBLE.functions}
    | {op: DOUBLE.template(op).replace("(", "f(", 1) for op in _FLOAT_FUNCTIONS}
    | {op: in_float(DOUBLE.template(op)) for op in ops.COMPARISONS},
    number=_float_number,
    tolerance=lambda value: _float_number(in_single(value)),
    helpers={op: in_float(text) for op, text in DOUBLE.helpers.items()},
)
DIALECTS = {"double": DOUBLE, "float": FLOAT}
# Operations that a vectorised loop over samples computes without branches, by `kernels/select.c`.
CHOICES = frozenset({ops.SIGN, ops.MIN, ops.MAX, *ops.COMPARISONS, ops.SELECT})
_WITHOUT_BRANCHES = {
    ops.LESS: "select_({0} < {1}, 1.0, 0.0)",
    ops.LESS_EQUAL: "select_({0} <= {1}, 1.0, 0.0)",
    ops.EQUAL: "select_({0} == {1}, 1.0, 0.0)",
    ops.SELECT: "select_({0}, {1}, {2})",
}
TRIG = ("polynomial", "libm")


def write(
    program: Program,
    *,
    name: str | None = None,
    scalar: str = "double",
    trig: str = "polynomial",
    values: Mapping[str, float] | None = None,
    sample: Mapping[str, Sequence[float]] | None = None,
    integrator: str | None = None,
    closure: Program | None = None,
    branches: BranchData | None = None,
) -> Files:
    """Return {NAME.h, NAME.c, NAME_batch.c, NAME_example.c}, and with an integrator {NAME_rk4.h, NAME_rk4.c}.

    For a robot with closed loops the integrator also needs {NAME_loops.h, NAME_loops.c}, which close the loops. With
    the branches of an inverse geometric model there are {NAME_branches.h, NAME_branches.c} and the programs NAME_seeds
    and NAME_error, which they call.
    """
    _check_options(scalar, trig)
    if integrator not in (None, *INTEGRATORS):
        raise OptionError(f"integrator = {integrator!r} is not supported in C", hint="choose 'rk4'")
    numbers = sample_of(program, values, sample)
    code = _code(program, name, scalar, trig)
    files = _call_files(code, scalar) | _batch_files(_batch_code(code, program, name, scalar, trig), scalar)
    if branches is not None:
        files |= _branch_files(branches, code.arrays.function, scalar, trig)
        lines = branch_example(branches, code.arrays.function)
        heads = [f"{code.arrays.function}_branches"]
        return files | {f"{code.arrays.base}_example.c": _example(code, scalar, numbers, heads, lines)}
    if integrator is None:
        return files | {f"{code.arrays.base}_example.c": _example(code, scalar, numbers, [], [])}
    heads, loops = [f"{code.arrays.function}_rk4"], None
    if closure is not None:
        loops = _code(closure, f"{code.arrays.function}_loops", scalar, trig)
        files |= _call_files(loops, scalar, batch=False)
        heads.append(loops.arrays.base)
    files |= integrator_sources(
        program,
        code.arrays.function,
        constants=bool(code.constants),
        scalar=scalar,
        loops=None if loops is None else bool(loops.constants),
    )
    more = _steps(code, scalar, numbers, loops, values)
    return files | {f"{code.arrays.base}_example.c": _example(code, scalar, numbers, heads, more)}


def _check_options(scalar: str, trig: str) -> None:
    if scalar not in DIALECTS:
        raise OptionError(f"scalar = {scalar!r} is not supported in C", hint="choose 'double' or 'float'")
    if trig not in TRIG:
        raise OptionError(f"trig = {trig!r} is not supported in C", hint="choose 'polynomial' or 'libm'")


def _branch_files(branches: BranchData, name: str, scalar: str, trig: str) -> Files:
    """Return {NAME_branches.h, NAME_branches.c} and the files of the programs NAME_seeds and NAME_error."""
    if scalar != "double":
        raise OptionError(
            "the branches of an inverse model are computed in double precision", hint="omit scalar"
        )
    files: Files = {}
    for program, part in ((branches.seeds, f"{name}_seeds"), (branches.error, f"{name}_error")):
        code = _code(program, part, scalar, trig)
        files |= _call_files(code, scalar) | _batch_files(
            _batch_code(code, program, part, scalar, trig), scalar
        )
    return files | branch_sources(branches, name, f"{name}_seeds", f"{name}_error")


def _steps(
    code: Code, scalar: str, sample: Sample, loops: Code | None, values: Mapping[str, float] | None
) -> list[str]:
    """Return the lines of the example that integrate some steps from the sample."""
    a, program = code.arrays, code.program
    ports = [port.name for port in program.inputs]
    arrays, numbers = dict(zip(ports, a.inputs, strict=True)), dict(zip(ports, sample.inputs, strict=True))
    lines, constants = [], ""
    if loops is not None and loops.constants:
        constants = f"{loops.arrays.base}_k"
        used = dict(zip(program.used_parameters, sample.parameters, strict=True))
        known = sample_of(loops.program, {**(values or {}), **used}).parameters
        lines.append(array_of(f"const {scalar} {loops.arrays.base}_p", known))
        lines.append(f"    {scalar} {constants}[{len(loops.constants)}];")
    steps = example_lines(
        program, a.function, arrays, numbers, a.constants if code.constants else "", constants, scalar
    )
    setup = [f"    {loops.arrays.setup}({loops.arrays.base}_p, {constants});"] if loops and constants else []
    return [*lines, *setup, *steps]


@dataclass(frozen=True)
class Sources:
    """Some of the files, with data for their compilation.

    A long function has its parts in several files, NAME.c, NAME_2.c ..., which can be compiled in parallel.

    Attributes:
        constants: number of constants of the setup function; writing the code may fold some of the program's.
        vectorised: whether the batch function processes several samples at once; otherwise it equals single calls.
    """

    files: Files
    constants: int
    vectorised: bool


def call_sources(program: Program, name: str, scalar: str = "double", trig: str = "polynomial") -> Sources:
    """Return {NAME.h, NAME.c}, without the batch function."""
    code = _code(program, name, scalar, trig)
    header = {f"{code.arrays.base}.h": _header(code, scalar)}
    return _sources(code, scalar, header | _spread(code.arrays.base, _call_unit(code, scalar)))


def call_code(program: Program, name: str | None = None, scalar: str = "double") -> tuple[Code, Files]:
    """Return the code of the call function, and {NAME.h, NAME.c} with comments, without the batch function.

    A single sine is computed by the polynomials too, so that the C library is not needed for it.
    """
    code = code_of(program, replace(DIALECTS[scalar], turns=1), name=name, fused=True)
    return code, _call_files(code, scalar, batch=False)


def batch_sources(
    program: Program,
    name: str,
    scalar: str = "double",
    trig: str = "polynomial",
    samples: int | None = None,
) -> Sources:
    """Return {NAME_batch.c}.

    Args:
        samples: number of samples of every call, for a faster function: the compiler knows all addresses. Runs of
            zeros of an output are not written; the caller sets them once.
    """
    code = _batch_code(_code(program, name, scalar, trig), program, name, scalar, trig)
    return _sources(code, scalar, _spread(f"{code.arrays.base}_batch", _batch_unit(code, scalar, samples)))


def one_sample_files(program: Program, name: str, trig: str) -> tuple[Code, Files]:
    """Return {NAME.h, NAME.c} without the batch function, for export targets, and the code with its names.

    Raises:
        OptionError: the kind of the sines and cosines is not supported.
    """
    _check_options("double", trig)
    code = _code(program, name, "double", trig)
    return code, _call_files(code, "double", batch=False)


def _sources(code: Code, scalar: str, files: Files) -> Sources:
    return Sources(files, len(code.constants), not _style(code, scalar).calls)


def _code(program: Program, name: str | None, scalar: str, trig: str) -> Code:
    return code_of(program, _dialect(scalar, trig), name=name, fused=True)


def _dialect(scalar: str, trig: str) -> Dialect:
    return replace(DIALECTS[scalar], turns=FEWEST_ANGLES if trig == "polynomial" else 0)


def _batch_code(code: Code, program: Program, name: str | None, scalar: str, trig: str) -> Code:
    """Return the code in the form for a loop over samples: without branches, if the loop is vectorised."""
    if _one_by_one(code) or CHOICES.isdisjoint(code.call_operations):
        return code
    dialect = _dialect(scalar, trig)
    choices = {op: text if scalar == "double" else in_float(text) for op, text in _WITHOUT_BRANCHES.items()}
    functions = {**dialect.functions, **choices}
    return code_of(program, replace(dialect, functions=functions), name=name, fused=True)


def _call_files(code: Code, scalar: str, *, batch: bool = True) -> Files:
    head, base = block(header_lines(code)), code.arrays.base
    header = _header(code, scalar, batch=batch)
    return {f"{base}.h": head + header, f"{base}.c": head + _call_unit(code, scalar).text()}


def _batch_files(code: Code, scalar: str) -> Files:
    head = block(header_lines(code))
    return {f"{code.arrays.base}_batch.c": head + _batch_unit(code, scalar).text()}


def function_name(program: Program, name: str | None = None) -> str:
    """Return the name of the call function; NAME_setup and NAME_batch are derived from it."""
    return base_name(program, DOUBLE, Names(DOUBLE), name)


def _header(code: Code, scalar: str, *, batch: bool = True) -> str:
    """Return the header file; without the batch function if there is none."""
    base, upper = code.arrays.base, code.arrays.base.upper()
    about = [
        "Constants from parameters; call it again after a parameter has changed.",
        "One sample. Matrices are stored by rows; arrays must not overlap.",
        f"Many samples: entry e of sample i is x[e * {code.arrays.count} + i]; the constants are shared.",
    ]
    declared = prototypes(code, Style(scalar))  # restrict is not a keyword of C++, and may be omitted here
    lines = [f"#ifndef {upper}_H", f"#define {upper}_H", "", "#include <stddef.h>", ""]
    lines += [f"#define {upper}_{what} {number}" for what, number in sizes(code)]
    lines += _joint_enumeration(code, upper)
    lines += ["", "#ifdef __cplusplus", 'extern "C" {', "#endif", ""]
    described = list(zip(about[-len(declared) :], declared, strict=True))
    for text, line in described if batch else described[:-1]:
        lines += [f"/* {text} */", f"{line};", ""]
    lines += ["#ifdef __cplusplus", "}", "#endif", "", f"#endif /* {base}.h */"]
    return "\n".join(lines) + "\n"


def _joint_enumeration(code: Code, upper: str) -> list[str]:
    """Return an enumeration with the position of each joint in the arrays, by its name in the description."""
    joints = joint_indices(code.program)
    if not joints:
        return []
    entries = [f"    {upper}_{joint.kind}_{joint.identifier} = {joint.index}," for joint in joints]
    return [
        "",
        "/* Positions of the joints in the arrays. */",
        "enum {",
        *entries[:-1],
        entries[-1][:-1],
        "};",
    ]


@dataclass(frozen=True)
class _Unit:
    """Contents of one file: required helpers, heads and bodies of the functions."""

    first: list[str]
    heads: Sequence[str]
    bodies: Sequence[FunctionBody]

    def text(self) -> str:
        return "\n".join([*self.first, *_functions(self.heads, self.bodies)])


SPREAD = 80_000  # maximum number of characters of parts per file


def _spread(base: str, unit: _Unit) -> Files:
    """Return the functions in {BASE.c}, and the parts of long functions in {BASE_2.c, ...}."""
    parts = ["\n".join(lines) + "\n" for body in unit.bodies for lines in body.parts]
    if sum(map(len, parts)) < 2 * SPREAD:
        return {f"{base}.c": unit.text()}
    first = [*unit.first, kernel_text("apart", ".c")]
    groups: list[list[str]] = [[]]
    for part in parts:
        if sum(map(len, groups[-1])) > SPREAD:
            groups.append([])
        groups[-1].append(part)
    declared = "".join(part.partition("\n{\n")[0] + ";\n" for part in parts)
    whole = _functions(unit.heads, [FunctionBody(body.lines, inner=body.inner) for body in unit.bodies])
    files = {f"{base}_{number}.c": "\n".join([*first, *group]) for number, group in enumerate(groups, 2)}
    return {f"{base}.c": "\n".join([*first, declared, *whole])} | files


def _call_unit(code: Code, scalar: str) -> _Unit:
    """Return setup and call function."""
    kernels = ["lanes"] if _together(code) else []
    for kernel in _together(code):
        kernels += [kernel, f"{kernel}_four"]
    parts = [_includes(code, scalar), *helpers(code.operations, DIALECTS[scalar])]
    parts += _kernels([*_guards(code), *kernels, *code.kernels], scalar)
    style = _style(code, scalar)
    return _Unit(parts, prototypes(code, style)[:-1], call_bodies(code, style))


def _batch_unit(code: Code, scalar: str, samples: int | None = None) -> _Unit:
    """Return the batch function with its helpers, and the call function if samples are processed one by one."""
    style = replace(_style(code, scalar), samples=samples)
    if style.calls:
        parts = [f'#include "{code.arrays.base}.h"\n']
    else:
        together, choices = _together(code), not CHOICES.isdisjoint(code.call_operations)
        kernels = [*_guards(code), *(["lanes"] if together else []), *together]
        kernels += ["roots"] if ops.SQRT in code.call_operations else []
        kernels += [*(["select"] if choices else []), "simd"]
        kernels += ["scalar"] if samples is None and many_arcs(code) else []
        kernels += ["blocks"] if samples is None or together else []
        parts = [_includes(code, scalar, choices=choices), *_kernels(kernels, scalar)]
    return _Unit(parts, prototypes(code, style)[-1:], [batch_body(code, style)])


def _one_by_one(code: Code) -> bool:
    """Return whether the function for many samples calls the function for one sample in a loop.

    This is so if the code calls kernels, because compilers do not vectorise a loop that contains them.
    """
    return bool(code.kernels)


def _style(code: Code, scalar: str) -> Style:
    one_by_one = _one_by_one(code)
    simd = "" if one_by_one else "SIMD_"
    return Style(scalar, restrict="restrict ", simd=simd, calls=one_by_one, part="PART_")


def _together(code: Code) -> list[str]:
    return [*(["sincos"] if code.turns else []), *(["atan2"] if code.arcs else [])]


def _includes(code: Code, scalar: str, *, choices: bool = False) -> str:
    together = _together(code)
    first = "#include <float.h>\n" if together else ""
    last = "#include <stdint.h>\n" if scalar == "float" and (together or choices) else ""
    return f'#include "{code.arrays.base}.h"\n\n{first}#include <math.h>\n{last}'


def _guards(code: Code) -> list[str]:
    """Return preprocessor checks for compiler flags that would change the meaning of the code."""
    order = ["order"] if _together(code) or code.kernels else []
    return [*order, *(["finite"] if asks_for_numbers(code) else [])]


def _kernels(names: Sequence[str], scalar: str) -> list[str]:
    return [kernel_text(name, ".c", scalar) for name in names]


def _functions(heads: Sequence[str], bodies: Sequence[FunctionBody]) -> list[str]:
    """Return the text of each function, preceded by that of its parts."""
    texts = []
    for prototype, body in zip(heads, bodies, strict=True):
        parts = [kernel_text("parts", ".c")] if body.parts else []
        functions = [*body.parts, *([body.inner] if body.inner else []), [prototype, "{", *body.lines, "}"]]
        parts += ["\n".join(lines) + "\n" for lines in functions]
        texts.append("\n".join(parts))
    return texts


def _example(code: Code, scalar: str, sample: Sample, heads: Sequence[str], more: Sequence[str]) -> str:
    """Return the example; `more` are additional lines after the sample, which require further headers."""
    a, program = code.arrays, code.program
    results = [(name, out.shape) for name, out in zip(a.outputs, program.outputs, strict=True)]
    lines = [
        f"/* Example for {a.base}: evaluates the model for sample numbers and prints the outputs.",
        *(f" * {line}" for line in joint_lines(program)),
        f" * {MADE_BY} */",
        f'#include "{a.base}.h"',
        *(f'#include "{head}.h"' for head in heads),
        "",
        "#include <stdio.h>",
        "",
        *_show(scalar),
        "",
        "int main(void)",
        "{",
    ]
    if code.constants:
        lines.append(array_of(f"const {scalar} {a.parameters}", sample.parameters))
        lines.append(f"    {scalar} {a.constants}[{len(code.constants)}];")
    for name, numbers in zip(a.inputs, sample.inputs, strict=True):
        lines.append(array_of(f"const {scalar} {name}", numbers))
    lines += [f"    {scalar} {name}[{max(1, size(shape))}];" for name, shape in results] + [""]
    if code.constants:
        lines.append(f"    {a.setup}({a.parameters}, {a.constants});")
    lines += [f"    {a.function}({', '.join([*call_arguments(code), *a.outputs])});", ""]
    for name, shape in results:
        lines.append(f'    show("{name}", {name}, {size(shape)}, {shape[-1] if shape else 1});')
    lines += more
    return "\n".join([*lines, "    return 0;", "}"]) + "\n"


def _show(scalar: str) -> list[str]:
    return [
        f"static void show(const char *name, const {scalar} *x, int size, int columns)",
        "{",
        '    printf("%s =\\n", name);',
        "    for (int e = 0; e < size; ++e) {",
        '        printf("%16.9g%s", (double)x[e], (e + 1) % columns == 0 ? "\\n" : " ");',
        "    }",
        "}",
    ]


LANGUAGE = Language(
    "c",
    "C99",
    ".c",
    write,
    aliases=("c99",),
    options={
        "scalar": "'double' or 'float'",
        "trig": "sines and cosines: 'polynomial' (vectorised) or 'libm' (C library)",
        "values": "numbers for parameters in the example",
        "sample": "numbers for inputs in the example",
        "branches": (
            "True: also write the enumeration of all branches of an inverse geometric model and a solver for "
            "control loops"
        ),
        "integrator": "'rk4': also write a fixed-step integrator of a direct dynamic model",
        "closure": (
            "program that closes the loops, required by the integrator of a robot with closed loops; "
            "`Model.code` provides it"
        ),
    },
)
