"""Julia: NAME.jl, a module with NAME_setup, NAME! (in place) and NAME (allocating).

k = NAME_setup(p)           p: a vector in the order of PARAMETERS, or a dictionary
NAME!(T, ..., q, ..., k)    outputs first; arrays have the shapes of the model, scalars are 0-dimensional
NAME(q, ..., k)             a named tuple (T = ..., ...)
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from symoro.emit import keywords
from symoro.emit.code import Code, KernelCall, code_of
from symoro.emit.dialect import Dialect, Files, Language
from symoro.emit.header import commented, header_lines
from symoro.emit.kernels import kernel_text
from symoro.emit.layout import WIDTH, call_arguments, helpers, input_entries, output_entries, statements, wrap
from symoro.emit.sample import Sample
from symoro.expr import ops
from symoro.program.program import Program, Shape

_INDENT = "    "


def _real(name: str, domain: str) -> str:
    """Return the definition of a Julia function that returns NaN outside its domain instead of raising an exception.

    Args:
        name: function of Julia, such as sqrt.
        domain: condition on x under which the function is defined.
    """
    return f"real_{name}(x) = {domain} ? {name}(x) : {name}(one(x)) * NaN\n"


DIALECT = Dialect(
    functions={
        ops.SQRT: "real_sqrt({0})",
        ops.ASIN: "real_asin({0})",
        ops.ACOS: "real_acos({0})",
        ops.ATAN2: "atan({0}, {1})",
        ops.LESS: "ifelse({0} < {1}, 1.0, 0.0)",
        ops.LESS_EQUAL: "ifelse({0} <= {1}, 1.0, 0.0)",
        ops.EQUAL: "ifelse({0} == {1}, 1.0, 0.0)",
        ops.SELECT: "ifelse({0}, {1}, {2})",
    },
    element="{0}[{1}]",
    base=1,
    reserved=keywords.JULIA,
    longest=1000,
    helpers={
        (ops.SQRT,): _real("sqrt", "x >= 0"),
        (ops.ASIN,): _real("asin", "abs(x) <= 1"),
        (ops.ACOS,): _real("acos", "abs(x) <= 1"),
    },
    batch_name="",
)


def write(program: Program, *, name: str | None = None) -> Files:
    """Return {"NAME.jl": text}, the Julia module of a program."""
    code = code_of(program, DIALECT, name=name)
    a = code.arrays
    module = _module_name(a.base)
    exported = [a.function, f"{a.function}!", *([a.setup] if code.constants else [])]
    parts = [commented(header_lines(code), "#") + f"module {module}\n", f"export {', '.join(exported)}\n"]
    if code.constants:
        listed = ", ".join(json.dumps(text).replace("$", "\\$") for text in code.parameters)
        parts.append(wrap(f"const PARAMETERS = [{listed}]", marks=",") + "\n")
    parts += helpers(code.operations, DIALECT) + [kernel_text(kernel, ".jl") for kernel in code.kernels]
    parts += [*([_setup(code)] if code.constants else []), _in_place(code), _allocating(code)]
    return {f"{a.base}.jl": "\n".join([*parts, f"end # module {module}\n"])}


def _module_name(base: str) -> str:
    """Return the name of the module in capitalised words, FgmRx90 for fgm_rx90; functions have no such names."""
    name = "".join(part[:1].upper() + part[1:] for part in base.split("_"))
    return name if name != base else f"{name}Module"


def _setup(code: Code) -> str:
    a = code.arrays
    entries = ", ".join(c.name for c in code.constants)
    lines = [
        f"{a.setup}({a.parameters}::AbstractDict) = {a.setup}([{a.parameters}[name] for name in PARAMETERS])",
        "",
        f"function {a.setup}({a.parameters})",
        *_checked(a.parameters, (len(code.parameters),)),
        *(f"    {name} = {a.parameters}[{at + 1}]" for at, name in code.reads),
        *statements(code, code.setup, _statement, _kernel_call, _INDENT),
        wrap(f"    return [{entries}]", _INDENT * 2),
        "end",
    ]
    return "\n".join(lines) + "\n"


def _in_place(code: Code) -> str:
    a = code.arrays
    lines = [wrap(f"function {a.function}!({', '.join([*a.outputs, *call_arguments(code)])})", marks=",")]
    for name, port in zip(a.inputs, code.program.inputs, strict=True):
        lines += _checked(name, port.shape)
    lines += _checked(a.constants, (len(code.constants),)) if code.constants else []
    lines += [f"    {name} = {_entry(array, index)}" for name, array, index in input_entries(code, 1)]
    lines += [f"    {c.name} = {a.constants}[{at}]" for at, c in enumerate(code.constants, 1)]
    lines += statements(code, code.call, _statement, _kernel_call, _INDENT)
    lines += [_statement(_entry(name, index), text) for name, index, text in output_entries(code, 1)]
    return "\n".join([*lines, "    return nothing", "end"]) + "\n"


def _allocating(code: Code) -> str:
    a = code.arrays
    arguments = call_arguments(code)
    kinds = ", ".join(f"eltype({name})" for name in arguments) or "Float64"
    lines = [f"function {a.function}({', '.join(arguments)})", f"    Element = float(promote_type({kinds}))"]
    for name, out in zip(a.outputs, code.program.outputs, strict=True):
        lines.append(f"    {name} = zeros({', '.join(['Element', *map(str, out.shape)])})")
    lines.append(wrap(f"    {a.function}!({', '.join([*a.outputs, *arguments])})", _INDENT * 2))
    pairs = zip(a.outputs, code.program.outputs, strict=True)
    results = ", ".join(f"{name} = {name}{'' if out.shape else '[]'}" for name, out in pairs)
    return "\n".join([*lines, wrap(f"    return (; {results})", _INDENT * 2), "end"]) + "\n"


def _checked(name: str, shape: Shape) -> list[str]:
    """Return statements that reject an argument of a wrong size; a tuple is accepted as a vector."""
    if not shape:
        return []
    size = "length" if len(shape) == 1 else "size"
    expected = str(shape[0]) if len(shape) == 1 else f"({', '.join(map(str, shape))})"
    message = f'"{name} must have the {size} {expected}, got $({size}({name}))"'
    return [wrap(f"    {size}({name}) == {expected} || throw(DimensionMismatch({message}))", _INDENT * 2)]


def _entry(array: str, index: Sequence[int]) -> str:
    """Return the text of an array entry; the brackets are empty for a scalar (0-dimensional array or number)."""
    return f"{array}[{', '.join(map(str, index))}]"


def _kernel_call(step: KernelCall) -> list[str]:
    inputs = [
        wrap(f"    {name} = float([{', '.join(entries)}])", _INDENT * 2) for name, entries in step.inputs
    ]
    names = ", ".join(name for name, _ in step.inputs)
    return [*inputs, f"    {step.result} = {step.kernel}_({step.size}, {names})"]


def _statement(name: str, text: str) -> str:
    line = f"    {name} = {text}"
    return line if len(line) <= WIDTH else wrap(f"    {name} = ({text})", _INDENT * 2)


def demo(program: Program, numbers: Sample, name: str) -> Files:
    """Return {"NAME_example.jl": text}, a program that prints the outputs for sample numbers."""
    code = code_of(program, DIALECT, name=name)
    a = code.arrays
    lines = [f'include("{a.base}.jl")', f"using .{_module_name(a.base)}", ""]
    if code.constants:
        lines += [
            _literal(a.parameters, (0,), numbers.parameters),
            f"{a.constants} = {a.setup}({a.parameters})",
        ]
    for array, port, entries in zip(a.inputs, program.inputs, numbers.inputs, strict=True):
        lines.append(_literal(array, port.shape, entries))
    lines += [
        f"for (name, value) in pairs({a.function}({', '.join(call_arguments(code))}))",
        '    println(name, " =")',
        '    show(stdout, "text/plain", value)',
        "    println()",
        "end",
    ]
    return {f"{a.base}_example.jl": "\n".join(lines) + "\n"}


def _literal(array: str, shape: Shape, numbers: Sequence[float]) -> str:
    """Return a statement that assigns numbers, given by rows, to an array."""
    value = f"[{', '.join(map(repr, numbers))}]" if shape else repr(numbers[0])
    if len(shape) > 1:
        order = ", ".join(str(k) for k in range(len(shape), 0, -1))
        turned = ", ".join(map(str, reversed(shape)))
        value = f"permutedims(reshape({value}, {turned}), ({order}))"
    return wrap(f"{array} = {value}")


LANGUAGE = Language("julia", "Julia", ".jl", write, aliases=("jl",), demo=demo, first_index=DIALECT.base)
