"""Rust: NAME.rs, a module without dependencies, for `no_std` and without `unsafe` code.

    let k = setup(&p);             parameters -> constants, if there are any
    call(&q, ..., &k, &mut T);     one sample; matrices by rows, a scalar is a number

Nothing is allocated. The library `core` has no square root, sine or arctangent; they are part of the code
(`kernels/numbers.rs`, `sincos.rs`, `atan2.rs`). Those of several angles are computed together, in a loop without
branches that the compiler vectorises.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from symoro.emit import keywords
from symoro.emit.clike import LANES, Style, line_groups, runs
from symoro.emit.code import Code, code_of
from symoro.emit.dialect import Dialect, Files, Language, decimal
from symoro.emit.header import commented, header_lines
from symoro.emit.joints import joint_indices
from symoro.emit.kernels import kernel_text
from symoro.emit.layout import remark, wrap
from symoro.emit.names import Names
from symoro.emit.parts import WHOLE, LineGroup, Parts, cut, whole, words
from symoro.emit.vectors import Arc, Turn
from symoro.errors import OptionError
from symoro.expr import ops
from symoro.expr.graph import Number
from symoro.expr.number import in_single
from symoro.program.program import Program, Shape, size

SCALARS = {"double": "f64", "float": "f32"}
OPTIONS = {"scalar": "'double' or 'float'"}


def literal(value: Number) -> str:
    """Return the text of a number, with a point or an exponent: an integer is not a floating-point number in Rust."""
    return repr(decimal(value))


DIALECT = Dialect(
    comment="// {0}",
    functions={
        op: Dialect().template(op).replace("(", "_(", 1)
        for op in (
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
            ops.SELECT,
        )
    }
    | {
        ops.LESS: "select_({0} < {1}, 1.0, 0.0)",
        ops.LESS_EQUAL: "select_({0} <= {1}, 1.0, 0.0)",
        ops.EQUAL: "select_({0} == {1}, 1.0, 0.0)",
    },
    truth="{0} != 0.0",
    number=literal,
    reserved=keywords.RUST,
    trailing_underscore=False,
    turns=1,  # the sine and the cosine of one angle have most of their operations in common
    call_name="call",
    setup_name="setup",
    batch_name="",
)
DIALECTS = {
    "double": DIALECT,
    "float": replace(DIALECT, tolerance=lambda value: literal(in_single(value))),
}
_STYLE = Style("", returned=True, variable="let ")
_INDENT = "    "

# Names are those of the model; expressions have their written order and digits; kernels compare with NaN in mind.
_ALLOWED = (
    "non_snake_case",
    "non_upper_case_globals",
    "clippy::excessive_precision",
    "clippy::approx_constant",
    "clippy::too_many_arguments",
    "clippy::needless_range_loop",
    "clippy::neg_cmp_op_on_partial_ord",
    "clippy::precedence",
    "clippy::unnecessary_cast",
    "clippy::manual_range_contains",
    "clippy::manual_clamp",
)

_SETUP = (
    "Constants from parameters, in the order of `PARAMETERS`; call it again after a parameter has changed."
)
_CALL = "One sample. Matrices are stored by rows."


def write(program: Program, *, name: str | None = None, scalar: str = "double") -> Files:
    """Return {"NAME.rs": text}, the Rust module of a program.

    Raises:
        OptionError: the scalar type is not supported.
    """
    code = rust_code(program, name, scalar)
    return {f"{code.arrays.base}.rs": module_text(code, scalar)}


def rust_code(program: Program, name: str | None, scalar: str) -> Code:
    """Return the statements of a program in Rust.

    Raises:
        OptionError: the scalar type is not supported.
    """
    if scalar not in SCALARS:
        raise OptionError(f"scalar = {scalar!r} is not supported in Rust", hint="choose 'double' or 'float'")
    return code_of(program, DIALECTS[scalar], name=name)


def module_text(code: Code, scalar: str, attributes: Sequence[str] = ()) -> str:
    """Return the text of the module.

    Args:
        attributes: attributes of the whole crate, such as "no_std"; none for a module of another crate, which need not
            use every public constant.
    """
    first = [f"#![{attribute}]" for attribute in attributes]
    allowed = _ALLOWED if attributes else ("dead_code", *_ALLOWED)
    first.append(wrap(f"#![allow({', '.join(allowed)})]", marks=","))
    parts = ["\n".join(first) + "\n", _constants(code)]
    functions = [*([_setup(code, scalar)] if code.constants else []), _call(code, scalar)]
    in_double = [kernel for kernel in code.kernels if scalar == "float" and kernel in _IN_DOUBLE]
    kernels = [
        _IN_DOUBLE[each] if each in in_double else kernel_text(each, ".rs", scalar) for each in code.kernels
    ]
    called = "\n".join([*functions, *kernels])
    parts += [called, *_helpers(called, scalar), *map(_wide_module, in_double)]
    return commented(header_lines(code), "//") + "\n".join(parts)


# -- constants


def _constants(code: Code) -> str:
    """Return the names of the parameters, the sizes of all arrays, and the positions of the joints in them."""
    a, program = code.arrays, code.program
    names = ", ".join(map(quoted, code.parameters))
    listed = f"pub const PARAMETERS: [&str; {len(code.parameters)}] = [{names}];"
    lines = [
        "/// Names of the parameters, in their order.",
        wrap(listed, marks=","),
        "",
        "/// Number of constants that are computed from the parameters.",
        f"pub const CONSTANTS: usize = {len(code.constants)};",
    ]
    shapes = [port.shape for port in program.inputs] + [out.shape for out in program.outputs]
    sizes = [(name, size(shape)) for name, shape in zip([*a.inputs, *a.outputs], shapes, strict=True)]
    lines += _indices("sizes", "Numbers of entries of inputs and outputs.", sizes)
    about = {
        "JOINT": ("joints", "Positions of the joints in arrays of all joints."),
        "ACTIVE": ("active_joints", "Positions of the joints in arrays of the active joints."),
    }
    for kind, (module, text) in about.items():
        names_of_kind = Names(DIALECT)
        joints = [joint for joint in joint_indices(code.program) if joint.kind == kind]
        entries = [(names_of_kind.claim(joint.identifier.upper()), joint.index) for joint in joints]
        lines += _indices(module, text, entries) if entries else []
    return "\n".join(lines) + "\n"


def _indices(module: str, about: str, entries: Sequence[tuple[str, int]]) -> list[str]:
    constants = [f"{_INDENT}pub const {name}: usize = {value};" for name, value in entries]
    return ["", f"/// {about}", f"pub mod {module} {{", *constants, "}"]


def quoted(text: str) -> str:
    """Return a string literal; characters other than printable ASCII are written by their codes."""
    return '"' + "".join(_escaped(character) for character in text) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    return character if " " <= character <= "~" else f"\\u{{{ord(character):x}}}"


# -- kernels that compute in double precision for every scalar type

_IN_DOUBLE = {
    "closed_chain": """\
/// Solutions of a closed chain, computed in double precision.
fn closed_chain_(size: usize, constants: [f32; 72], marks: [f32; 6], plan: [f32; 12]) -> [f32; 112] {
    let (constants, marks, plan) = (constants.map(f64::from), marks.map(f64::from), plan.map(f64::from));
    wide_::closed_chain_(size, constants, marks, plan).map(|entry| entry as f32)
}
"""
}


def _wide_module(kernel: str) -> str:
    """Return a module that contains a kernel and its helpers in double precision."""
    text = kernel_text(kernel, ".rs").replace(f"fn {kernel}_(", f"pub fn {kernel}_(")
    return "\n".join(["mod wide_ {", *_helpers(text, "double"), f"{text}}}"]) + "\n"


# -- helpers: those functions of the files that the code calls

_HELPERS = ("numbers", "sincos", "atan2")
_DEFINED = re.compile(r"^(?:fn|const|type) (\w+)", re.MULTILINE)


def _helpers(called: str, scalar: str) -> list[str]:
    """Return the definitions, separated by empty lines in the files, that some code uses directly or indirectly."""
    items = [
        item.strip("\n") + "\n"
        for name in _HELPERS
        for item in re.split(r"\n\n+", kernel_text(name, ".rs", scalar))
    ]
    names = [set(_DEFINED.findall(item)) for item in items]
    used, before = {*words(called.splitlines())}, -1
    while len(used) > before:
        before = len(used)
        for item, defined in zip(items, names, strict=True):
            if not used.isdisjoint(defined):
                used.update(words(item.splitlines()))
    return [item for item, defined in zip(items, names, strict=True) if not used.isdisjoint(defined)]


# -- functions


def _setup(code: Code, scalar: str) -> str:
    a, real = code.arrays, SCALARS[scalar]
    units = [
        LineGroup([f"{_INDENT}let {name} = {a.parameters}[{at}];"], (name,), fetched=True)
        for at, name in code.reads
    ]
    for name, text in code.setup:
        statement = wrap(f"{_INDENT}let {name} = {text};", _INDENT * 2)
        units.append(LineGroup([*remark(code, (name, text), _INDENT), statement], (name,)))
    units += [LineGroup([f"{_INDENT}{a.constants}[{c.at}] = {c.name};"]) for c in code.constants]
    count = len(code.constants)
    parameters = {a.parameters: f"&[{real}; {len(code.parameters)}]"}
    head = [
        f"/// {_SETUP}",
        f"pub fn {a.setup}({a.parameters}: {parameters[a.parameters]}) -> [{real}; {count}] {{",
        f"{_INDENT}let mut {a.constants} = [0.0; {count}];",
    ]
    results = {a.constants: f"&mut [{real}; {count}]"}
    parts, lines = _divided(units, parameters, results, "setup_part", real, borrowed=frozenset(results))
    return "\n".join([*parts, *head, *lines, f"{_INDENT}{a.constants}", "}"]) + "\n"


def _call(code: Code, scalar: str) -> str:
    """Return the function that computes one sample, after its parts if it is long."""
    a, program, real = code.arrays, code.program, SCALARS[scalar]
    inputs = {
        name: f"&{_array(real, port.shape)}" if port.shape else real
        for name, port in zip(a.inputs, program.inputs, strict=True)
    }
    constants = {a.constants: f"&[{real}; {len(code.constants)}]"} if code.constants else {}
    outputs = {
        name: f"&mut {_array(real, out.shape)}" for name, out in zip(a.outputs, program.outputs, strict=True)
    }
    numbers = {name: name for name, port in zip(a.inputs, program.inputs, strict=True) if not port.shape}
    numbers |= {
        name: f"*{name}" for name, out in zip(a.outputs, program.outputs, strict=True) if not out.shape
    }
    units = line_groups(
        code, _STYLE, _INDENT, lambda array, e: numbers.get(array) or f"{array}[{e}]", _together(code)
    )
    listed = ", ".join(f"{name}: {kind}" for name, kind in {**inputs, **constants, **outputs}.items())
    head = [f"/// {_CALL}", wrap(f"pub fn {a.function}({listed}) {{", marks=",")]
    loaded = {array for array, _, _ in code.loads}
    head += [f"{_INDENT}let _ = {name};" for at, name in enumerate(a.inputs) if at not in loaded]
    # Results of kernels are arrays, which are not passed between parts.
    parts, lines = _divided(
        units, {**inputs, **constants}, outputs, "part", real, whole_function=bool(code.kernels)
    )
    return "\n".join([*parts, *head, *lines, *_filled(code), "}"]) + "\n"


def _array(real: str, shape: Shape) -> str:
    return f"[{real}; {size(shape)}]" if shape else real


def _divided(
    units: Sequence[LineGroup],
    inputs: dict[str, str],
    outputs: dict[str, str],
    name: str,
    real: str,
    *,
    borrowed: frozenset[str] = frozenset(),
    whole_function: bool = False,
) -> tuple[list[str], list[str]]:
    """Return the functions that are parts of a long function, and the lines of the function itself.

    Args:
        units: line groups of the function.
        inputs, outputs: types of the arguments, by name.
        name: beginning of the names of the parts.
        real: scalar type.
        borrowed: outputs that are variables of the function and not references.
        whole_function: whether the function is not divided.
    """
    if whole_function or len(units) <= WHOLE:
        return [], whole(units)
    pieces: Parts = cut(units, lambda place: f"kept_[{place}]", _STYLE.constant, _INDENT)
    kept = f"[{real}; {pieces.places}]"
    types = {**inputs, **outputs, "kept_": f"&mut {kept}"}
    functions, lines = [], [f"{_INDENT}let mut kept_: {kept} = [0.0; {pieces.places}];"]
    for number, piece in enumerate(pieces.lines, 1):
        used = [argument for argument in types if argument in words(piece)]
        listed = ", ".join(f"{argument}: {types[argument]}" for argument in used)
        passed = ", ".join(
            f"&mut {argument}" if argument in borrowed or argument == "kept_" else argument
            for argument in used
        )
        head = wrap(f"fn {name}{number}_({listed}) {{", marks=",")
        functions.append("\n".join(["#[inline(never)]", head, *piece, "}"]) + "\n")
        lines.append(wrap(f"{_INDENT}{name}{number}_({passed});", _INDENT * 2))
    return functions, lines


def _filled(code: Code) -> list[str]:
    """Return a statement for each run of equal constants in an output."""
    lines = []
    for run in runs(code):
        (output, first), after = run[0], run[-1].entry + 1
        text = code.outputs[output][first]
        lines.append(f"{_INDENT}{code.arrays.outputs[output]}[{first}..{after}].fill({text});")
    return lines


# -- sines, cosines and arctangents that are computed together


def _together(code: Code) -> list[tuple[frozenset[int], list[str]]]:
    """Return the statements that are computed together, as positions in `Code.call`, and their lines."""
    groups = []
    if code.turns:
        steps = frozenset(step for turn in code.turns for step in turn.steps)
        groups.append((steps, _turn_lines(code.turns)))
    for number, arcs in enumerate(code.arcs, 1):
        groups.append((frozenset(arc.step for arc in arcs), _arc_lines(arcs, number)))
    return groups


def _padded(texts: Sequence[str], filler: str) -> str:
    """Return an array of one entry or of a multiple of LANES, so that a vectorised loop has no remainder."""
    missing = -len(texts) % LANES if len(texts) > 1 else 0
    return f"[{', '.join([*texts, *[filler] * missing])}]"


def _turn_lines(turns: Sequence[Turn]) -> list[str]:
    arrays = {ops.SIN: "sine_", ops.COS: "cosine_"}
    received = [array if any(op in turn.names for turn in turns) else "_" for op, array in arrays.items()]
    angles = _padded([turn.argument for turn in turns], "0.0")
    lines = [f"let ({', '.join(received)}) = sincos_({angles});"]
    for at, turn in enumerate(turns):
        for op, array in arrays.items():
            if op in turn.names:
                lines.append(f"let {turn.names[op]} = {array}[{at}];")
    return lines


def _arc_lines(arcs: Sequence[Arc], number: int) -> list[str]:
    ys, xs = _padded([arc.y for arc in arcs], "0.0"), _padded([arc.x for arc in arcs], "1.0")
    lines = [f"let arc{number}_ = atan2_all_({ys}, {xs});"]
    return lines + [f"let {arc.name} = {arc.minus}arc{number}_[{at}];" for at, arc in enumerate(arcs)]


LANGUAGE = Language("rust", "Rust", ".rs", write, aliases=("rs",), options=OPTIONS)
