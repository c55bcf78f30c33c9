"""MATLAB and Octave: NAME.m and, if there are constants, NAME_setup.m.

k = NAME_setup(p)        p: a vector in the order of the help text, or a struct with the parameters' names
[T, ...] = NAME(q, k)    one sample; arrays have the shapes of the model, vectors are columns

The functions are marked with %#codegen for MATLAB Coder, which requires that a variable keeps its class and size.
Kernels other than `solve` build arrays whose size depends on the data; functions that call them are not marked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from symoro.emit import keywords
from symoro.emit.code import Code, KernelCall, code_of
from symoro.emit.dialect import Dialect, Files, Language
from symoro.emit.header import WIDTH, commented, header_lines
from symoro.emit.kernels import kernel_text
from symoro.emit.layout import call_arguments, helpers, input_entries, output_entries, statements, wrap
from symoro.emit.sample import Sample
from symoro.expr import ops
from symoro.program.program import Program, Shape, size


def _real(name: str, domain: str) -> str:
    """Return the definition of a function that returns NaN outside its domain instead of a complex number.

    Args:
        name: function of MATLAB, such as sqrt.
        domain: condition on x under which the result is real.
    """
    return f"function y = real_{name}(x)\nif {domain}\n    y = {name}(x);\nelse\n    y = NaN;\nend\nend\n"


_SELECT = "function y = select_(condition, a, b)\nif condition\n    y = a;\nelse\n    y = b;\nend\nend\n"

DIALECT = Dialect(
    comment="% {0}",
    functions={
        ops.SQRT: "real_sqrt({0})",
        ops.ASIN: "real_asin({0})",
        ops.ACOS: "real_acos({0})",
        ops.LESS: "double({0} < {1})",  # functions do not accept logical values
        ops.LESS_EQUAL: "double({0} <= {1})",
        ops.EQUAL: "double({0} == {1})",
        ops.SELECT: "select_({0}, {1}, {2})",
    },
    truth="{0} ~= 0",
    element="{0}({1})",
    base=1,
    reserved=keywords.MATLAB,
    leading_underscore=False,
    longest=55,  # 63 minus the length of _example
    helpers={
        (ops.SQRT,): _real("sqrt", "x >= 0"),
        (ops.ASIN,): _real("asin", "abs(x) <= 1"),
        (ops.ACOS,): _real("acos", "abs(x) <= 1"),
        (ops.SELECT,): _SELECT,
    },
    batch_name="",
)


def write(program: Program, *, name: str | None = None) -> Files:
    """Return {"NAME.m": text}, the MATLAB function of a program, and NAME_setup.m if there are constants."""
    code = code_of(program, DIALECT, name=name)
    a = code.arrays
    files = {f"{a.function}.m": _call(code)}
    if code.constants:
        files[f"{a.setup}.m"] = _setup(code)
    return files


_STATIC_KERNELS = frozenset({"solve"})  # kernels whose arrays have sizes that MATLAB Coder can determine


def _file(
    first: str,
    code: Code,
    shapes: Sequence[Shape],
    lines: Iterable[str],
    called: Iterable[str],
    *,
    static: bool,
) -> str:
    """Return the text of a function file: the function, its help text, and the local functions that it calls.

    Args:
        first: declaration of the function.
        shapes: shapes of its arguments.
        lines: its statements.
        called: texts of the local functions.
        static: whether all sizes are known before the function runs, as MATLAB Coder requires.
    """
    about = header_lines(code)
    if static:
        name = first.rpartition("= ")[2].partition("(")[0]
        arguments = ", ".join(f"zeros({_size(shape)})".replace(" ", "") for shape in shapes)
        usage = wrap(f"MATLAB Coder: codegen {name} -args {{{arguments}}}", "    ", width=WIDTH, marks=" ")
        about[-1:-1] = usage.split("\n")
    # The directive is not part of the help text, which ends at the first empty line.
    help_text = commented(about, "%") + ("\n%#codegen\n" if static else "")
    return "\n".join(["\n".join([first, help_text, *lines, "end"]) + "\n", *called])


def _setup(code: Code) -> str:
    a = code.arrays
    known = dict(code.reads)
    fields = "; ".join(
        f"{a.parameters}.{known[at]}" if at in known else "0" for at in range(len(code.parameters))
    )
    lines = [
        f"if isstruct({a.parameters})",
        wrap(f"    {a.constants} = {a.setup}([{fields}]);", "        ", " ..."),
        "    return",
        "end",
        *_checked(a.parameters, (len(code.parameters),)),
        *(f"{name} = double({a.parameters}({at + 1}));" for at, name in code.reads),
        *statements(code, code.setup, _statement, _kernel_call),
        f"{a.constants} = zeros({len(code.constants)}, 1);",
        *(f"{a.constants}({at}) = {c.name};" for at, c in enumerate(code.constants, 1)),
    ]
    return _file(
        f"function {a.constants} = {a.setup}({a.parameters})",
        code,
        [(len(code.parameters),)],
        lines,
        helpers(code.setup_operations, DIALECT),
        static=True,
    )


def _call(code: Code) -> str:
    a = code.arrays
    lines = [
        line
        for name, port in zip(a.inputs, code.program.inputs, strict=True)
        for line in _checked(name, port.shape)
    ]
    lines += _checked(a.constants, (len(code.constants),), kind="double") if code.constants else []
    # Every entry is converted, because integers would give integer results; a variable cannot change its class in
    # MATLAB Coder.
    lines += [f"{name} = double({_entry(array, index)});" for name, array, index in input_entries(code, 1)]
    lines += [f"{c.name} = {a.constants}({at});" for at, c in enumerate(code.constants, 1)]
    lines += statements(code, code.call, _statement, _kernel_call)
    for name, out in zip(a.outputs, code.program.outputs, strict=True):
        if out.shape:
            lines.append(f"{name} = zeros({_size(out.shape)});")
    lines += [_statement(_entry(name, index), text) for name, index, text in output_entries(code, 1)]
    first = f"function [{', '.join(a.outputs)}] = {a.function}({', '.join(call_arguments(code))})"
    kernels = [kernel_text(kernel, ".m") for kernel in code.kernels]
    shapes = [port.shape for port in code.program.inputs]
    shapes += [(len(code.constants),)] if code.constants else []
    static = _STATIC_KERNELS.issuperset(code.kernels)
    called = helpers(code.call_operations, DIALECT) + kernels
    return _file(first, code, shapes, lines, called, static=static)


def _checked(name: str, shape: Shape, kind: str = "") -> list[str]:
    """Return statements that check the size of an argument; MATLAB Coder evaluates them when it generates code.

    Args:
        kind: class that the argument must have; "" if its entries are converted to double.
    """
    length = size(shape)
    if len(shape) > 1:
        wrong = [f"size({name}, {axis}) ~= {n}" for axis, n in enumerate(shape, 1)] + [
            f"numel({name}) ~= {length}"
        ]
        expected = " x ".join(map(str, shape))
    else:
        wrong, expected = [f"numel({name}) ~= {length}"], f"{length} x 1"
        wrong += [f"~isvector({name})"] if length > 1 else []
    given, values = "got [%d %d], %d entries", f"size({name}, 1), size({name}, 2), numel({name})"
    if kind:
        wrong, expected = [f"~isa({name}, '{kind}')", *wrong], f"{expected} {kind}"
        given, values = f"{given} of class %s", f"{values}, class({name})"
    return [
        wrap(f"if {' || '.join(wrong)}", "        ", " ..."),
        wrap(
            f"    error('symoro:size', '{name} must be {expected}, {given}', {values});",
            "        ",
            " ...",
            marks=",",
        ),
        "end",
    ]


def _size(shape: Shape) -> str:
    return ", ".join(map(str, shape if len(shape) > 1 else (*shape, 1)))


def _entry(array: str, index: Sequence[int]) -> str:
    return f"{array}({', '.join(map(str, index))})" if index else array


def _kernel_call(step: KernelCall) -> list[str]:
    inputs = [_statement(name, f"[{', '.join(entries)}]") for name, entries in step.inputs]
    names = ", ".join(name for name, _ in step.inputs)
    return [*inputs, f"{step.result} = {step.kernel}_({step.size}, {names});"]


def _statement(name: str, text: str) -> str:
    return wrap(f"{name} = {text};", "    ", " ...")


def demo(program: Program, numbers: Sample, name: str) -> Files:
    """Return {"NAME_example.m": text}, a script that prints the outputs for sample numbers."""
    code = code_of(program, DIALECT, name=name)
    a = code.arrays
    lines = [f"% Example for {a.base}: evaluates the model for sample numbers and prints the outputs."]
    if code.constants:
        lines += [
            literal(a.parameters, (), numbers.parameters),
            f"{a.constants} = {a.setup}({a.parameters});",
        ]
    for array, port, entries in zip(a.inputs, program.inputs, numbers.inputs, strict=True):
        lines.append(literal(array, port.shape, entries))
    lines += [f"[{', '.join(a.outputs)}] = {a.function}({', '.join(call_arguments(code))});"]
    lines += list(a.outputs)
    return {f"{a.base}_example.m": "\n".join(lines) + "\n"}


def literal(array: str, shape: Shape, numbers: Sequence[float]) -> str:
    """Return a statement that assigns numbers, given by rows, to an array."""
    value = f"[{', '.join(map(repr, numbers))}]"
    if len(shape) > 1:
        order = ", ".join(str(k) for k in range(len(shape), 0, -1))
        turned = ", ".join(map(str, reversed(shape)))
        value = f"permute(reshape({value}, {turned}), [{order}])"
    return wrap(f"{array} = {value};", "    ", " ...")


LANGUAGE = Language(
    "matlab", "MATLAB and Octave", ".m", write, aliases=("octave", "m"), demo=demo, first_index=DIALECT.base
)
