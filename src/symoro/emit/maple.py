"""Maple: NAME.mpl with procedures NAME_setup and NAME, for symbols and numbers.

k := NAME_setup(p):       p: a list or Vector in the order of the header
T := NAME(q, k):          a Matrix, a Vector or a number; several outputs are returned as an expression sequence
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from symoro.emit import keywords
from symoro.emit.code import Code, KernelCall, code_of
from symoro.emit.dialect import Dialect, Files, Language, exact_number
from symoro.emit.header import commented, header_lines
from symoro.emit.kernels import kernel_text
from symoro.emit.layout import call_arguments, call_variables, input_entries, nested, statements, wrap
from symoro.expr import ops
from symoro.program.program import Program, Shape

_TRUE = {ops.LESS: "{0} < {1}", ops.LESS_EQUAL: "{0} <= {1}", ops.EQUAL: "{0} = {1}"}

DIALECT = Dialect(
    functions={
        ops.ASIN: "arcsin({0})",
        ops.ACOS: "arccos({0})",
        ops.ATAN2: "arctan({0}, {1})",
        ops.SIGN: "signum({0})",
        ops.SELECT: "piecewise({0}, {1}, {2})",
        **{op: f"piecewise({text}, 1, 0)" for op, text in _TRUE.items()},
    },
    conditions=_TRUE,
    truth="{0} <> 0",
    number=exact_number,
    exact=True,
    pi="Pi",
    square="{0}^2",
    base=1,
    reserved=keywords.MAPLE,
    longest=1000,
    batch_name="",
)


def write(program: Program, *, name: str | None = None) -> Files:
    """Return {"NAME.mpl": text}, the Maple procedures of a program."""
    code = code_of(program, DIALECT, name=name)
    parts = [commented(header_lines(code), "#"), *(kernel_text(kernel, ".mpl") for kernel in code.kernels)]
    if code.constants:
        parts.append(_setup(code))
    parts.append(_call(code))
    return {f"{code.arrays.base}.mpl": "\n".join(parts)}


def _setup(code: Code) -> str:
    a = code.arrays
    names = [name for _, name in code.reads] + [name for name, _ in code.setup]
    lines = [f"    {name} := {a.parameters}[{at + 1}];" for at, name in code.reads]
    lines += statements(code, code.setup, _statement, _kernel_call, "    ")
    result = f"[{', '.join(c.name for c in code.constants)}]"
    return _procedure(a.setup, [a.parameters], names, lines, result)


def _call(code: Code) -> str:
    a = code.arrays
    names = call_variables(code)
    lines = [f"    {name} := {_entry(array, index)};" for name, array, index in input_entries(code, 1)]
    lines += [f"    {c.name} := {a.constants}[{at}];" for at, c in enumerate(code.constants, 1)]
    lines += statements(code, code.call, _statement, _kernel_call, "    ")
    results = []
    for name, out, texts in zip(a.outputs, code.program.outputs, code.outputs, strict=True):
        lines.append(_statement(name, _array(out.shape, texts)))
        results.append(name)
    return _procedure(a.function, call_arguments(code), names + results, lines, ", ".join(results))


def _procedure(
    name: str, arguments: Sequence[str], variables: Sequence[str], lines: Iterable[str], result: str
) -> str:
    start = [f"{name} := proc({', '.join(arguments)})", wrap(f"    local {', '.join(variables)};", " " * 8)]
    return "\n".join([*start, *lines, wrap(f"    return {result};", " " * 8), "end proc:"]) + "\n"


def _array(shape: Shape, texts: list[str]) -> str:
    """Return the text of a Maple Vector, Matrix or Array of expressions, or the expression of a scalar."""
    kind = {0: "", 1: "Vector", 2: "Matrix"}.get(len(shape), "Array")
    return f"{kind}({nested(shape, texts, '[', ']')})" if kind else texts[0]


def _entry(array: str, index: Sequence[int]) -> str:
    return f"{array}[{', '.join(map(str, index))}]" if index else array


def _kernel_call(step: KernelCall) -> list[str]:
    inputs = [_statement(name, f"[{', '.join(entries)}]") for name, entries in step.inputs]
    names = ", ".join(name for name, _ in step.inputs)
    return [*inputs, f"    {step.result} := {step.kernel}_({step.size}, {names});"]


def _statement(name: str, text: str) -> str:
    return wrap(f"    {name} := {text};", " " * 8)


LANGUAGE = Language("maple", "Maple", ".mpl", write, aliases=("mpl",), first_index=DIALECT.base)
