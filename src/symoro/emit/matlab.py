"""MATLAB and Octave: NAME.m and, if there are constants, NAME_setup.m.

k = NAME_setup(p)        p: a vector in the order of the help text, or a struct with the parameters' names
[T, ...] = NAME(q, k)    one sample; arrays have the shapes of the model, vectors are columns
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from symoro.emit import keywords
from symoro.emit.code import Code, KernelCall, code_of
from symoro.emit.dialect import Dialect, Files, Language
from symoro.emit.header import commented, header_lines
from symoro.emit.kernels import kernel_text
from symoro.emit.layout import call_arguments, helpers, input_entries, output_entries, statements, wrap
from symoro.emit.sample import sample_of
from symoro.expr import ops
from symoro.program.program import Program, Shape


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


def _file(first: str, code: Code, lines: Iterable[str], called: Iterable[str]) -> str:
    """Return the text of a function file: the function, its help text, and the local functions that it calls."""
    about = commented(header_lines(code), "%").rstrip("\n")
    return "\n".join(["\n".join([first, about, "", *lines, "end"]) + "\n", *called])


def _setup(code: Code) -> str:
    a = code.arrays
    known = dict(code.reads)
    fields = "; ".join(
        f"{a.parameters}.{known[at]}" if at in known else "0" for at in range(len(code.parameters))
    )
    lines = [
        f"if isstruct({a.parameters})",
        wrap(f"    {a.parameters} = [{fields}];", "        ", " ..."),
        "end",
        *_checked(a.parameters, (len(code.parameters),)),
        *(f"{name} = {a.parameters}({at + 1});" for at, name in code.reads),
        *statements(code, code.setup, _statement, _kernel_call),
        f"{a.constants} = zeros({len(code.constants)}, 1);",
        *(f"{a.constants}({at}) = {c.name};" for at, c in enumerate(code.constants, 1)),
    ]
    return _file(
        f"function {a.constants} = {a.setup}({a.parameters})",
        code,
        lines,
        helpers(code.setup_operations, DIALECT),
    )


def _call(code: Code) -> str:
    a = code.arrays
    lines = [
        line
        for name, port in zip(a.inputs, code.program.inputs, strict=True)
        for line in _checked(name, port.shape)
    ]
    lines += _checked(a.constants, (len(code.constants),)) if code.constants else []
    lines += [f"{name} = {_entry(array, index)};" for name, array, index in input_entries(code, 1)]
    lines += [f"{c.name} = {a.constants}({at});" for at, c in enumerate(code.constants, 1)]
    lines += statements(code, code.call, _statement, _kernel_call)
    for name, out in zip(a.outputs, code.program.outputs, strict=True):
        if out.shape:
            lines.append(f"{name} = zeros({_size(out.shape)});")
    lines += [_statement(_entry(name, index), text) for name, index, text in output_entries(code, 1)]
    first = f"function [{', '.join(a.outputs)}] = {a.function}({', '.join(call_arguments(code))})"
    kernels = [kernel_text(kernel, ".m") for kernel in code.kernels]
    return _file(first, code, lines, helpers(code.call_operations, DIALECT) + kernels)


def _checked(name: str, shape: Shape) -> list[str]:
    """Return statements that check the size of an argument and convert it to double.

    Without the conversion, integer arguments would give integer results.
    """
    if len(shape) > 1:
        wrong, expected = (
            f"~isequal(size({name}), [{' '.join(map(str, shape))}])",
            " x ".join(map(str, shape)),
        )
    else:
        length = shape[0] if shape else 1
        wrong, expected = f"numel({name}) ~= {length}", f"{length} x 1"
        if length > 1:
            wrong += f" || ~isvector({name})"
    message = f"'{name} must be {expected}, got %s', mat2str(size({name}))"
    return [f"if {wrong}", f"    error({message});", "end", f"{name} = double({name});"]


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


def demo(
    program: Program,
    values: Mapping[str, float] | None = None,
    sample: Mapping[str, Sequence[float]] | None = None,
    name: str | None = None,
) -> Files:
    """Return {"NAME_example.m": text}, a script that prints the outputs for sample numbers.

    Args:
        values: parameter -> number; small numbers by default.
        sample: input -> entries by rows; small numbers by default.
    """
    code, numbers = code_of(program, DIALECT, name=name), sample_of(program, values, sample)
    a = code.arrays
    lines = [f"% Example for {a.base}: evaluates the model for sample numbers and prints the outputs."]
    if code.constants:
        lines += [
            _literal(a.parameters, (), numbers.parameters),
            f"{a.constants} = {a.setup}({a.parameters});",
        ]
    for array, port, entries in zip(a.inputs, program.inputs, numbers.inputs, strict=True):
        lines.append(_literal(array, port.shape, entries))
    lines += [f"[{', '.join(a.outputs)}] = {a.function}({', '.join(call_arguments(code))});"]
    lines += list(a.outputs)
    return {f"{a.base}_example.m": "\n".join(lines) + "\n"}


def _literal(array: str, shape: Shape, numbers: Sequence[float]) -> str:
    """Return a statement that assigns numbers, given by rows, to an array."""
    value = f"[{', '.join(map(repr, numbers))}]"
    if len(shape) > 1:
        order = ", ".join(str(k) for k in range(len(shape), 0, -1))
        turned = ", ".join(map(str, reversed(shape)))
        value = f"permute(reshape({value}, {turned}), [{order}])"
    return wrap(f"{array} = {value};", "    ", " ...")


LANGUAGE = Language("matlab", "MATLAB and Octave", ".m", write, aliases=("octave", "m"), demo=demo)
