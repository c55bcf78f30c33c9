"""What C and C++ lay out alike: prototypes, loads, statements, stores, the loop over a batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from symoro.emit.code import Code, KernelCall, Step
from symoro.emit.flow import Event, Load, Store
from symoro.emit.lanes import INDENT, bulks
from symoro.emit.layout import call_arguments, wrap
from symoro.expr import ops
from symoro.program.program import size

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
        calls: whether that loop calls the call function, rather than repeat what it says.
    """

    scalar: str
    size_type: str = "size_t"
    restrict: str = ""
    kernel: str = "{0}_"
    first: tuple[str, ...] = ()
    simd: str = ""
    calls: bool = False


# Arctangents from which a loop over samples is not vectorised: the call function takes them four at a time itself, and
# the compiler four times as long.
MANY_ARCS = 8


def many_arcs(code: Code) -> bool:
    return sum(map(len, code.arcs)) >= MANY_ARCS


_COMPARED = frozenset({ops.MIN, ops.MAX, ops.LESS, ops.LESS_EQUAL, ops.EQUAL, ops.SELECT})


def asks_for_numbers(code: Code) -> bool:
    """Whether comparisons decide, which a compiler that takes every number for finite may turn round."""
    return bool(code.kernels) or not _COMPARED.isdisjoint(code.operations)


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
    together = bulks(code)
    at_once = [(bulk.steps, bulk.at_once) for bulk in together]
    one_by_one = [(bulk.steps, bulk.one_by_one) for bulk in together]
    call = unused + _call(code, style, INDENT, lambda array, e: f"{array}[{e}]", at_once)
    call += _filled(code, style)
    inner = _call(code, style, INDENT * 2, _strided(n, i), one_by_one)
    loop = [f"{INDENT}for ({style.size_type} {i} = 0; {i} < {n}; ++{i}) {{", *inner, INDENT + "}"]
    if style.simd:
        loop.insert(0, INDENT + style.simd)
    loop = (loop if inner else []) + _filled(code, style, f" * {n}")
    if style.calls:
        loop = _by_the_call(code, style)
    elif together:
        loop = [f"{INDENT}int far_ = 0;", *loop, *_by_the_call(code, style, "far_ && ")]
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


Together = Sequence[tuple[frozenset[int], list[str]]]


def _call(code: Code, style: Style, indent: str, entry: Entry, together: Together) -> list[str]:
    """Loads, statements and stores; of what is done together, the given lines in the place of the last statement."""
    a, start = code.arrays, f"{indent}const {style.scalar} "
    filled = {store for run in _runs(code) for store in run}
    bulk_of = {step: at for at, (steps, _) in enumerate(together) for step in steps}
    left = [len(steps) for steps, _ in together]

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
    waiting: list[str] = []  # stores that may read what is not there yet
    opened = -1
    for event in code.flow:
        if event in filled:
            continue
        at = bulk_of.get(event, -1) if isinstance(event, int) else -1
        if at >= 0:
            left[at] -= 1
            opened = at if left[at] else -1
            if not left[at]:
                lines += [wrap(indent + line, indent + INDENT) for line in together[at][1]] + waiting
                waiting = []
        elif opened >= 0 and isinstance(event, Store):
            waiting += written(event)
        else:
            lines += written(event)
    return lines


FILLED = 4  # following entries of an output with the same constant for which a loop pays


def _runs(code: Code) -> list[list[Store]]:
    """Stores of one constant into following entries of an output: most of a tree's inertia matrix is zeros."""
    runs: list[list[Store]] = []
    for output, port in enumerate(code.program.outputs):
        last = -1
        for entry, lit in enumerate(port.lits):
            if code.program.graph.cls[lit >> 1] != ops.CONSTANT:
                last = -1
            elif lit == last:
                runs[-1].append(Store(output, entry))
            else:
                runs.append([Store(output, entry)])
                last = lit
    return [run for run in runs if len(run) >= FILLED]


def _filled(code: Code, style: Style, times: str = "") -> list[str]:
    """A loop for each run; `times` stands behind the number of an entry, " * n" in a structure of arrays."""
    lines = []
    for run in _runs(code):
        (output, first), after = run[0], run[-1].entry + 1
        start = f"{first}{times}" if first else "0"
        head = f"{INDENT}for ({style.size_type} e_ = {start}; e_ < {after}{times}; ++e_)"
        lines.append(f"{head} {code.arrays.outputs[output]}[e_] = {code.outputs[output][first]};")
    return lines


def _by_the_call(code: Code, style: Style, condition: str = "") -> list[str]:
    """Every sample by the call function: after a batch in which the polynomials did not reach, or in its stead."""
    a, scalar = code.arrays, style.scalar
    inputs = [(name, size(port.shape)) for name, port in zip(a.inputs, code.program.inputs, strict=True)]
    outputs = [(name, size(out.shape)) for name, out in zip(a.outputs, code.program.outputs, strict=True)]
    lines = [f"for ({style.size_type} {a.index} = 0; {condition}{a.index} < {a.count}; ++{a.index}) {{"]
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
