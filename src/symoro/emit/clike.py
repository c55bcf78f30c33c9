"""What C and C++ lay out alike: prototypes, loads, statements, stores, the loop over a batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from symoro.emit.code import Code, KernelCall, Step
from symoro.emit.flow import Event, Load, Store
from symoro.emit.layout import call_arguments, wrap
from symoro.expr import ops
from symoro.program.program import size

INDENT = "    "
Entry = Callable[[str, int], str]


@dataclass(frozen=True)
class Style:
    """The words in which the two differ.

    Attributes:
        scalar: type of all numbers.
        size_type: type of the number of samples.
        restrict: what stands between * and the name of an argument.
        kernel: template of a kernel's name.
        first: lines at the start of each function.
        simd: what stands before the loop over samples, to say that they are independent.
    """

    scalar: str
    size_type: str = "size_t"
    restrict: str = ""
    kernel: str = "{0}_"
    first: tuple[str, ...] = ()
    simd: str = ""


def prototypes(code: Code, style: Style) -> list[str]:
    """Declarations of setup (where there are constants), call and batch function."""
    a, scalar, restrict = code.arrays, style.scalar, style.restrict
    pointers = [f"const {scalar} *{restrict}{name}" for name in call_arguments(code)]
    pointers += [f"{scalar} *{restrict}{name}" for name in a.outputs]
    listed = ", ".join(pointers)
    setup = f"void {a.setup}(const {scalar} *{restrict}{a.parameters}, {scalar} *{restrict}{a.constants})"
    lines = [f"void {a.function}({listed})", f"void {a.batch}({style.size_type} {a.count}, {listed})"]
    return [wrap(line, marks=",") for line in ([setup, *lines] if code.constants else lines)]


def bodies(code: Code, style: Style) -> list[list[str]]:
    """Lines of the functions, in the order of `prototypes`."""
    n, i = code.arrays.count, code.arrays.index
    start = [INDENT + line for line in style.first]
    unused = start + _unused(code)
    call = unused + _call(code, style, INDENT, lambda array, e: f"{array}[{e}]", turns_in_loop)
    inner = _call(code, style, INDENT * 2, _strided(n, i), turns_one_by_one)
    loop = [f"{INDENT}for ({style.size_type} {i} = 0; {i} < {n}; ++{i}) {{", *inner, INDENT + "}"]
    if style.simd:
        loop.insert(0, INDENT + style.simd)
    if code.turns:
        loop = [f"{INDENT}int far_ = 0;", *loop, *_once_more(code, style)]
    made = [call, unused + loop]
    return [start + _setup(code, style), *made] if code.constants else made


def _strided(n: str, i: str) -> Entry:
    """Entry e of sample i, in a structure of arrays."""

    def entry(array: str, e: int) -> str:
        if e < 2:
            return f"{array}[{n} + {i}]" if e else f"{array}[{i}]"
        return f"{array}[{e} * {n} + {i}]"

    return entry


def _unused(code: Code) -> list[str]:
    """An input that the model does not need is named, so that no compiler warns."""
    used = {array for array, _, _ in code.loads}
    return [f"{INDENT}(void){name};" for a, name in enumerate(code.arrays.inputs) if a not in used]


def _setup(code: Code, style: Style) -> list[str]:
    a = code.arrays
    lines = [f"{INDENT}const {style.scalar} {name} = {a.parameters}[{at}];" for at, name in code.reads]
    for step in code.setup:
        lines += _statement(step, style, INDENT)
    return lines + [f"{INDENT}{a.constants}[{c.at}] = {c.minus}{c.name};" for c in code.constants]


Turns = Callable[[Code, Style, str], list[str]]


def _call(code: Code, style: Style, indent: str, entry: Entry, turns: Turns) -> list[str]:
    """Loads, statements and stores; the sines and cosines of early angles all at once, when the last angle is known."""
    a, start = code.arrays, f"{indent}const {style.scalar} "
    together = {step for turn in code.turns for step in turn.steps}

    def written(event: Event) -> list[str]:
        if isinstance(event, int):
            return _statement(code.call[event], style, indent)
        if isinstance(event, Store):
            text = code.outputs[event.output][event.entry]
            line = f"{indent}{entry(a.outputs[event.output], event.entry)} = {text};"
            return [wrap(line, indent + INDENT)]
        if isinstance(event, Load):
            return [f"{start}{event.name} = {entry(a.inputs[event.input], event.entry)};"]
        return [f"{start}{event.name} = {event.minus}{a.constants}[{event.at}];"]

    lines: list[str] = []
    waiting: list[str] = []  # what may read a sine that is not there yet
    left = len(together)
    for event in code.flow:
        if isinstance(event, int) and event in together:
            left -= 1
            if left == 0:
                lines += turns(code, style, indent) + waiting
        elif left and isinstance(event, Store):
            waiting += written(event)
        else:
            lines += written(event)
    return lines


LANES = 4  # the loop over angles has a multiple of this length, so that it fills the vectors


def turns_in_loop(code: Code, style: Style, indent: str) -> list[str]:
    """One sample: a loop over its angles; one that is too large for the polynomials goes to the library."""
    scalar, count = style.scalar, len(code.turns)
    length = -(-count // LANES) * LANES
    listed = ", ".join([turn.argument for turn in code.turns] + ["0"] * (length - count))
    lines = [
        f"const {scalar} angle_[{length}] = {{{listed}}};",
        f"{scalar} sine_[{length}], cosine_[{length}];",
        "int far_ = 0;",
        f"for (int e_ = 0; e_ < {length}; ++e_) {{",
        f"{INDENT}sincos_(angle_[e_], &sine_[e_], &cosine_[e_]);",
        f"{INDENT}far_ |= fabs(angle_[e_]) > SINCOS_LIMIT_;",
        "}",
        f"for (int e_ = 0; far_ && e_ < {length}; ++e_) {{",
        f"{INDENT}sine_[e_] = sin(angle_[e_]);",
        f"{INDENT}cosine_[e_] = cos(angle_[e_]);",
        "}",
    ]
    for at, turn in enumerate(code.turns):
        for op, array in ((ops.SIN, "sine_"), (ops.COS, "cosine_")):
            if op in turn.names:
                lines.append(f"const {scalar} {turn.names[op]} = {array}[{at}];")
    return [wrap(indent + line, indent + INDENT) for line in lines]


def turns_one_by_one(code: Code, style: Style, indent: str) -> list[str]:
    """Many samples: each angle on its own, the loop over samples being the one that is vectorised."""
    lines = []
    for at, turn in enumerate(code.turns, 1):
        names = [turn.names.get(op, f"unused{at}_") for op in (ops.SIN, ops.COS)]
        lines.append(f"{style.scalar} {', '.join(names)};")
        lines.append(f"sincos_({turn.argument}, &{names[0]}, &{names[1]});")
        lines += [f"(void){name};" for name in names if name.startswith("unused")]
        lines.append(f"far_ |= fabs({turn.argument}) > SINCOS_LIMIT_;")
    return [indent + line for line in lines]


def _once_more(code: Code, style: Style) -> list[str]:
    """After the batch: where an angle was too large for the polynomials, every sample again by the call function."""
    a, scalar = code.arrays, style.scalar
    inputs = [(name, size(port.shape)) for name, port in zip(a.inputs, code.program.inputs, strict=True)]
    outputs = [(name, size(out.shape)) for name, out in zip(a.outputs, code.program.outputs, strict=True)]
    lines = [f"for ({style.size_type} {a.index} = 0; far_ && {a.index} < {a.count}; ++{a.index}) {{"]
    lines += [f"{INDENT}{scalar} {name}_[{max(1, length)}];" for name, length in inputs + outputs]

    def each(length: int, text: str) -> str:
        return f"{INDENT}for ({style.size_type} e_ = 0; e_ < {length}; ++e_) {text}"

    for name, length in inputs:
        if length:
            lines.append(each(length, f"{name}_[e_] = {name}[e_ * {a.count} + {a.index}];"))
    constants = [a.constants] if code.constants else []
    arguments = [f"{name}_" for name, _ in inputs] + constants + [f"{name}_" for name, _ in outputs]
    lines.append(f"{INDENT}{a.function}({', '.join(arguments)});")
    for name, length in outputs:
        lines.append(each(length, f"{name}[e_ * {a.count} + {a.index}] = {name}_[e_];"))
    return [INDENT + line for line in [*lines, "}"]]


def _statement(step: Step, style: Style, indent: str) -> list[str]:
    if isinstance(step, KernelCall):
        return _kernel_call(step, style, indent)
    return [wrap(f"{indent}const {style.scalar} {step[0]} = {step[1]};", indent + INDENT)]


def _kernel_call(call: KernelCall, style: Style, indent: str) -> list[str]:
    lines = []
    for name, entries in call.inputs:
        listed = ", ".join(entries)
        lines.append(wrap(f"{indent}{style.scalar} {name}[{len(entries)}] = {{{listed}}};", indent + INDENT))
    lines.append(f"{indent}{style.scalar} {call.result}[{call.size}];")
    names = ", ".join(name for name, _ in call.inputs)
    return [*lines, f"{indent}{style.kernel.format(call.kernel)}({call.size}, {names}, {call.result});"]


def sizes(code: Code) -> list[tuple[str, int]]:
    """Names of all arrays' sizes, and the sizes."""
    ports = [*zip(code.arrays.inputs, code.program.inputs, strict=True)]
    results = [*zip(code.arrays.outputs, code.program.outputs, strict=True)]
    return [
        ("PARAMETERS", len(code.parameters)),
        ("CONSTANTS", len(code.constants)),
        *((f"SIZE_{name}", size(port.shape)) for name, port in ports),
        *((f"SIZE_{name}", size(out.shape)) for name, out in results),
    ]


def array_of(declared: str, numbers: Sequence[float]) -> str:
    """The definition of an array with sample numbers."""
    shown = ", ".join(repr(x) for x in numbers) or "0"
    return wrap(f"{INDENT}{declared}[{max(1, len(numbers))}] = {{{shown}}};", INDENT * 2)
