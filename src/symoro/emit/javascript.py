"""JavaScript: NAME.js, an ES module for browsers and node without dependencies, and NAME.d.ts, its types.

    k = setup(p)                   parameters, by name or in the order of PARAMETERS -> constants, if there are any
    { T } = call(q, k, out)        one sample; matrices by rows, a scalar is a number
    { T } = batch(n, q, k, out)    sample after sample: entry e of sample i is x[size * i + e]

`out` is optional: an object that receives the outputs, for frequent calls without allocation.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from symoro.emit import keywords
from symoro.emit.clike import Style, filled, line_groups
from symoro.emit.code import Code, code_of
from symoro.emit.dialect import Dialect, Files, Language
from symoro.emit.header import block, header_lines
from symoro.emit.kernels import kernel_text
from symoro.emit.layout import call_arguments, remark, wrap
from symoro.emit.parts import cut, whole, words
from symoro.emit.sample import Sample
from symoro.expr import ops
from symoro.files import MADE_BY
from symoro.program.program import Input, Output, Program, size

_MATH = (
    ops.SQRT,
    ops.SIN,
    ops.COS,
    ops.TAN,
    ops.ASIN,
    ops.ACOS,
    ops.ATAN2,
    ops.EXP,
    ops.ABS,
    ops.SIGN,
    ops.MIN,
    ops.MAX,
)

DIALECT = Dialect(
    comment="// {0}",
    functions={op: f"Math.{Dialect().template(op)}" for op in _MATH}
    | {
        ops.LESS: "({0} < {1} ? 1 : 0)",
        ops.LESS_EQUAL: "({0} <= {1} ? 1 : 0)",
        ops.EQUAL: "({0} === {1} ? 1 : 0)",
        ops.SELECT: "({0} ? {1} : {2})",
    },
    conditions={ops.LESS: "{0} < {1}", ops.LESS_EQUAL: "{0} <= {1}", ops.EQUAL: "{0} === {1}"},
    truth="{0} !== 0",
    reserved=keywords.JAVASCRIPT,
    trailing_underscore=False,
    longest=1000,
    call_name="call",
    setup_name="setup",
    batch_name="batch",
)
_STYLE = Style("", "let", returned=True)
_INDENT = "    "

# Longest function (characters) that is not divided. V8 does not compile a function of more than 60 kB of bytecode,
# about the length of its text; interpreted, it is fifteen times slower.
_WHOLE = 50_000

_SETUP = (
    "Constants from the parameters, by name or in their order; call it again after a parameter has changed."
)
_CALL = "One sample, matrices by rows. Returns the outputs, in `out` if given. Arrays must not share memory."
_BATCH = (
    "Many samples, one after the other: entry e of sample i is x[size * i + e]; the constants are common."
)

_LISTED = """\
/* The parameters in their order. */
function listed_(p) {
    const listed = Array.isArray(p) || ArrayBuffer.isView(p) ? p : PARAMETERS.map((name) => p[name]);
    const missing = PARAMETERS.filter((name, at) => typeof listed[at] !== "number");
    if (missing.length > 0 || listed.length !== PARAMETERS.length) {
        throw new TypeError(`${PARAMETERS.length} parameters expected; missing: ${missing.join(", ") || "none"}`);
    }
    return listed;
}
"""


_SIZED = """\
function sized_(name, array, length, orMore = false) {
    if (!array || (orMore ? array.length < length : array.length !== length)) {
        throw new TypeError(`${name}: ${length} numbers expected, got ${array ? array.length : array}`);
    }
}
"""


def write(program: Program, *, name: str | None = None) -> Files:
    """Return {"NAME.js": text, "NAME.d.ts": text}, the module and its TypeScript declarations."""
    code = code_of(program, DIALECT, name=name)
    base, head = code.arrays.base, block(header_lines(code)) + "\n"
    return {f"{base}.js": head + _module(code), f"{base}.d.ts": head + _types(code)}


# -- the module


def _module(code: Code) -> str:
    declared = [f"export const {name} = {value};" for name, value in _declared(code)]
    parts = ["".join(wrap(line, marks=",") + "\n" for line in declared)]
    parts += [kernel_text(kernel, ".js") for kernel in code.kernels]
    parts += [_SIZED] if code.constants or code.program.inputs else []
    parts += [_LISTED, _setup(code)] if code.constants else []
    return "\n".join([*parts, *_call(code), _batch(code)])


def _declared(code: Code, readonly: str = "") -> list[tuple[str, str]]:
    """Return (name, text) of the module's constants: names of the parameters, shapes of inputs and outputs.

    Args:
        readonly: "readonly " to write them as TypeScript types, "" as values.
    """
    program = code.program
    shapes: list[tuple[str, Sequence[Input | Output]]]
    shapes = [("INPUTS", program.inputs), ("OUTPUTS", program.outputs)]
    declared = [
        (name, _record([(port.name, f"{readonly}{list(port.shape)}") for port in ports], readonly))
        for name, ports in shapes
    ]
    names = ("PARAMETERS", f"{readonly}[{', '.join(map(json.dumps, code.parameters))}]")
    return [names, *declared] if code.constants else declared


def _record(pairs: Sequence[tuple[str, str]], readonly: str = "") -> str:
    """Return the text of a JavaScript object, or of its type, from (key, value) pairs."""
    entries = [f"{readonly}{_key(name)}: {value}" for name, value in pairs]
    return f"{{ {', '.join(entries)} }}" if pairs else "{}"


def _key(name: str) -> str:
    return name if name.isidentifier() and name.isascii() else json.dumps(name)


def _member(output: Output) -> str:
    key = _key(output.name)
    return f"out.{key}" if key == output.name else f"out[{key}]"


def _setup(code: Code) -> str:
    a = code.arrays
    lines = [
        f"/** {_SETUP} */",
        f"export function {a.setup}({a.parameters}) {{",
        f"{_INDENT}const listed = listed_({a.parameters});",
        *(f"{_INDENT}const {name} = listed[{at}];" for at, name in code.reads),
    ]
    for step in code.setup:
        lines += [*remark(code, step, _INDENT), wrap(f"{_INDENT}const {step[0]} = {step[1]};", _INDENT * 2)]
    entries = ", ".join(c.name for c in code.constants)
    lines.append(wrap(f"{_INDENT}return new Float64Array([{entries}]);", _INDENT * 2, marks=","))
    return "\n".join([*lines, "}"]) + "\n"


def _call(code: Code) -> list[str]:
    """Return the JavaScript functions that compute one sample; a long call function is divided into several."""
    a, inputs, outputs = code.arrays, code.program.inputs, code.program.outputs
    plain = {name: name for name, port in zip(a.inputs, inputs, strict=True) if not port.shape}
    plain |= {name: _member(out) for name, out in zip(a.outputs, outputs, strict=True) if not out.shape}
    units = line_groups(code, _STYLE, _INDENT, lambda array, e: plain.get(array) or f"{array}[{e}]")
    arrays = [(out.name, name) for name, out in zip(a.outputs, outputs, strict=True) if out.shape]
    members = ", ".join(name if key == name else f"{_key(key)}: {name}" for key, name in arrays)
    arguments_ = ", ".join([*call_arguments(code), f"out = {_room(code)}"])
    head = [f"/** {_CALL} */", wrap(f"export function {a.function}({arguments_}) {{", marks=",")]
    head += _checked(code)
    head += [wrap(f"{_INDENT}const {{ {members} }} = out;", marks=",")] if arrays else []
    end = [*filled(code, _STYLE.size_type), f"{_INDENT}return out;", "}"]
    lines = whole(units)
    if sum(map(len, lines)) <= _WHOLE:
        return ["\n".join([*head, *lines, *end]) + "\n"]
    pieces = cut(units, lambda place: f"kept_[{place}]", _STYLE.constant, _INDENT)
    handed = [*call_arguments(code), *(name for _, name in arrays), "out", "kept_"]
    room = "Array" if code.kernels else "Float64Array"  # results of kernels are kept too
    parts, calls = [], [f"{_INDENT}const kept_ = new {room}({pieces.places});"]
    for number, lines in enumerate(pieces.lines, 1):
        used = words(lines)
        arguments = f"({', '.join(name for name in handed if name in used)})"
        parts.append("\n".join([f"function part{number}_{arguments} {{", *lines, "}"]) + "\n")
        calls.append(f"{_INDENT}part{number}_{arguments};")
    return [*parts, "\n".join([*head, *calls, *end]) + "\n"]


def _checked(code: Code, count: str = "") -> list[str]:
    """Return statements that reject input arrays of a wrong length.

    Args:
        count: name of the number of samples, for which arrays must be long enough; "" for one sample.
    """
    a, lines = code.arrays, []
    for name, port in zip(a.inputs, code.program.inputs, strict=True):
        if port.shape or count:
            length = f"{size(port.shape)} * {count}" if count else str(size(port.shape))
            lines.append(f'{_INDENT}sized_("{name}", {name}, {length}{", true" * bool(count)});')
    if code.constants:
        lines.append(f'{_INDENT}sized_("{a.constants}", {a.constants}, {len(code.constants)});')
    return lines


def _room(code: Code, count: str = "") -> str:
    """Return the text of a new object for the outputs of one sample, or of `count` samples."""
    arrays = []
    for out in code.program.outputs:
        many = f" * {count}" if count and size(out.shape) != 1 else ""
        length = count if count and size(out.shape) == 1 else str(size(out.shape))
        arrays.append((out.name, f"new Float64Array({length}{many})" if out.shape or count else "0"))
    return _record(arrays)


def _batch(code: Code) -> str:
    a, program = code.arrays, code.program
    n, i = a.count, a.index
    arguments = ", ".join([n, *call_arguments(code), f"out = {_room(code, n)}"])
    room, copies, handed, stores = [], [], [], []
    for name, port in zip(a.inputs, program.inputs, strict=True):
        if not port.shape:
            handed.append(f"{name}[{i}]")
            continue
        length = size(port.shape)
        room.append(f"const {name}_ = new Float64Array({length});")
        copies.append(
            f"for (let entry = 0; entry < {length}; ++entry) {name}_[entry] = {name}[{length} * {i} + entry];"
        )
        handed.append(f"{name}_")
    room.append(f"const sample = {_room(code)};")
    handed += [*([a.constants] if code.constants else []), "sample"]
    for out in program.outputs:
        one = _member(out).replace("out", "sample", 1)
        whole_one = f"{_member(out)}.set({one}, {size(out.shape)} * {i});"
        stores.append(whole_one if out.shape else f"{_member(out)}[{i}] = {one};")
    lines = [f"/** {_BATCH} */", wrap(f"export function {a.batch}({arguments}) {{", marks=",")]
    lines += _checked(code, n)
    lines += [wrap(_INDENT + line, _INDENT * 2, marks=",") for line in room]
    lines.append(f"{_INDENT}for (let {i} = 0; {i} < {n}; ++{i}) {{")
    inside = [*copies, f"{a.function}({', '.join(handed)});", *stores]
    lines += [wrap(_INDENT * 2 + line, _INDENT * 3) for line in inside]
    return "\n".join([*lines, f"{_INDENT}}}", f"{_INDENT}return out;", "}"]) + "\n"


# -- its types


def _types(code: Code) -> str:
    a, outputs = code.arrays, code.program.outputs
    declared = [f"export declare const {name}: {kind};" for name, kind in _declared(code, "readonly ")]
    lines = [wrap(line, marks=",") for line in declared]
    lines += [
        "",
        *_interface("Outputs", outputs, one=True),
        "",
        *_interface("BatchOutputs", outputs, one=False),
    ]
    if code.constants:
        lines += ["", "export type Parameter = (typeof PARAMETERS)[number];", "", f"/** {_SETUP} */"]
        by_name = "ArrayLike<number> | Readonly<Record<Parameter, number>>"
        lines.append(f"export declare function {a.setup}({a.parameters}: {by_name}): Float64Array;")
    one, many = _arguments(code, one=True), [f"{a.count}: number", *_arguments(code, one=False)]
    lines += ["", f"/** {_CALL} */", _function(a.function, one, "Outputs")]
    lines += ["", f"/** {_BATCH} */", _function(a.batch, many, "BatchOutputs")]
    return "\n".join(lines) + "\n"


def _function(name: str, arguments: Sequence[str], result: str) -> str:
    listed = ", ".join([*arguments, f"out?: {result}"])
    return wrap(f"export declare function {name}({listed}): {result};", marks=",")


def _arguments(code: Code, *, one: bool) -> list[str]:
    ports = zip(code.arrays.inputs, code.program.inputs, strict=True)
    scalars = {name for name, port in ports if one and not port.shape}
    names = call_arguments(code)
    return [f"{name}: {'number' if name in scalars else 'ArrayLike<number>'}" for name in names]


def _interface(name: str, outputs: Sequence[Output], *, one: bool) -> list[str]:
    kinds = [(_key(out.name), "number" if one and not out.shape else "Float64Array") for out in outputs]
    return [f"export interface {name} {{", *(f"{_INDENT}{key}: {kind};" for key, kind in kinds), "}"]


# -- the demo


def demo(program: Program, numbers: Sample, name: str) -> Files:
    """Return {"NAME_example.js": text, "package.json": text}, a program that prints the outputs for sample numbers."""
    code = code_of(program, DIALECT, name=name)
    a = code.arrays
    imported = ["OUTPUTS", a.function, *([a.setup] if code.constants else [])]
    lines = [f'import {{ {", ".join(imported)} }} from "./{a.base}.js";', ""]
    if code.constants:
        lines.append(wrap(f"const {a.parameters} = {list(numbers.parameters)};"))
        lines.append(f"const {a.constants} = {a.setup}({a.parameters});")
    for array, port, entries in zip(a.inputs, program.inputs, numbers.inputs, strict=True):
        lines.append(wrap(f"const {array} = {list(entries) if port.shape else entries[0]};"))
    lines += [
        f"for (const [name, value] of Object.entries({a.function}({', '.join(call_arguments(code))}))) {{",
        "    const entries = Array.from(OUTPUTS[name].length > 0 ? value : [value]);",
        "    const columns = OUTPUTS[name].at(-1) ?? 1;",
        "    console.log(`${name} =`);",
        "    for (let first = 0; first < entries.length; first += columns) {",
        "        const row = entries.slice(first, first + columns);",
        '        console.log(row.map((entry) => entry.toPrecision(9).padStart(16)).join(" "));',
        "    }",
        "}",
    ]
    return {f"{a.base}_example.js": "\n".join(lines) + "\n", "package.json": _package(a.base)}


def _package(base: str) -> str:
    """Return the text of package.json, which makes node treat the files as modules."""
    return (
        f'{{\n  "//":\n    "{MADE_BY}",\n  "name": "{base.lower().lstrip("_")}",\n  "version": "0.0.0",\n'
        f'  "private": true,\n  "type": "module",\n  "sideEffects": false,\n'
        f'  "exports": {{ ".": {{ "types": "./{base}.d.ts", "default": "./{base}.js" }} }}\n}}\n'
    )


LANGUAGE = Language(
    "javascript",
    "JavaScript with types for TypeScript",
    ".js",
    write,
    aliases=("js", "typescript", "ts"),
    demo=demo,
)
