"""Mathematica: NAME.wl with functions NAMESetup and NAME, for symbols and numbers.

k = NAMESetup[p]      p: a list in the order of the header
T = NAME[q, k]        nested lists, or a number; several outputs are returned as one list
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from symoro.emit import keywords
from symoro.emit.code import Code, KernelCall, code_of
from symoro.emit.dialect import Dialect, Files, Language, exact_number
from symoro.emit.header import block, header_lines
from symoro.emit.kernels import kernel_text
from symoro.emit.layout import call_arguments, call_variables, input_entries, nested, statements, wrap
from symoro.expr import ops
from symoro.expr.graph import Number
from symoro.program.program import Program


def _number(value: Number) -> str:
    """Return a number in Mathematica notation: 1.5*^-7 for 1.5e-07.

    A mark ` is added to a number of many digits, which keeps it in machine precision.
    """
    if not isinstance(value, float):
        return exact_number(value)
    digits, _, exponent = repr(value).partition("e")
    mark = "`" if len(digits) > 16 else ""
    return f"{digits}{mark}*^{int(exponent)}" if exponent else f"{digits}{mark}"


DIALECT = Dialect(
    comment="(* {0} *)",
    functions={
        ops.SQRT: "Sqrt[{0}]",
        ops.SIN: "Sin[{0}]",
        ops.COS: "Cos[{0}]",
        ops.TAN: "Tan[{0}]",
        ops.ASIN: "ArcSin[{0}]",
        ops.ACOS: "ArcCos[{0}]",
        ops.ATAN2: "ArcTan[{1}, {0}]",
        ops.EXP: "Exp[{0}]",
        ops.ABS: "Abs[{0}]",
        ops.SIGN: "Sign[{0}]",
        ops.MIN: "Min[{0}, {1}]",
        ops.MAX: "Max[{0}, {1}]",
        ops.LESS: "If[{0} < {1}, 1, 0]",
        ops.LESS_EQUAL: "If[{0} <= {1}, 1, 0]",
        ops.EQUAL: "If[{0} == {1}, 1, 0]",
        ops.SELECT: "If[{0}, {1}, {2}]",
    },
    number=_number,
    exact=True,
    pi="Pi",
    square="{0}^2",
    element="{0}[[{1}]]",
    base=1,
    reserved=keywords.MATHEMATICA,
    underscore="$",  # an underscore is a pattern
    leading_underscore=False,
    longest=1000,
    batch_name="",
)


def write(program: Program, *, name: str | None = None) -> Files:
    """Return {"NAME.wl": text}, the Mathematica functions of a program."""
    code = code_of(program, DIALECT, name=name)
    parts = [block(header_lines(code), "(*", "  ", "*)")]
    parts += [kernel_text(kernel, ".wl") for kernel in code.kernels]
    if code.constants:
        parts.append(_setup(code))
    parts.append(_call(code))
    return {f"{code.arrays.base}.wl": "\n".join(parts)}


def _setup(code: Code) -> str:
    a = code.arrays
    names = [name for _, name in code.reads] + [name for name, _ in code.setup]
    lines = [f"    {name} = {a.parameters}[[{at + 1}]];" for at, name in code.reads]
    lines += statements(code, code.setup, _statement, _kernel_call, "    ")
    return _function(
        a.setup, [a.parameters], names, lines, f"{{{', '.join(c.name for c in code.constants)}}}"
    )


def _call(code: Code) -> str:
    a = code.arrays
    names = call_variables(code)
    lines = [f"    {name} = {_entry(array, index)};" for name, array, index in input_entries(code, 1)]
    lines += [f"    {c.name} = {a.constants}[[{at}]];" for at, c in enumerate(code.constants, 1)]
    lines += statements(code, code.call, _statement, _kernel_call, "    ")
    for name, out, texts in zip(a.outputs, code.program.outputs, code.outputs, strict=True):
        lines.append(_statement(name, nested(out.shape, texts, "{", "}")))
    result = a.outputs[0] if len(a.outputs) == 1 else f"{{{', '.join(a.outputs)}}}"
    return _function(a.function, call_arguments(code), names + list(a.outputs), lines, result)


def _function(
    name: str, arguments: Sequence[str], variables: Sequence[str], lines: Iterable[str], result: str
) -> str:
    patterns = ", ".join(f"{argument}_" for argument in arguments)
    start = [f"{name}[{patterns}] := Module[", wrap(f"    {{{', '.join(variables)}}},", " " * 8)]
    return "\n".join([*start, *lines, wrap(f"    {result}", " " * 8), "]"]) + "\n"


def _entry(array: str, index: Sequence[int]) -> str:
    return f"{array}[[{', '.join(map(str, index))}]]" if index else array


def _kernel_call(step: KernelCall) -> list[str]:
    inputs = [_statement(name, f"{{{', '.join(entries)}}}") for name, entries in step.inputs]
    names = ", ".join(name for name, _ in step.inputs)
    kernel = "".join(part.capitalize() for part in step.kernel.split("_"))
    return [*inputs, f"    {step.result} = kernel{kernel}[{step.size}, {names}];"]


def _statement(name: str, text: str) -> str:
    return wrap(f"    {name} = {text};", " " * 8)


LANGUAGE = Language(
    "mathematica", "Mathematica", ".wl", write, aliases=("wl", "wolfram"), first_index=DIALECT.base
)
