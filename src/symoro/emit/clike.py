"""Common layout of C and C++: prototypes, loads, statements, stores, loops; JavaScript and Rust use parts of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from symoro.emit.code import Code, Instruction, KernelCall
from symoro.emit.flow import Event, Load, Store
from symoro.emit.layout import call_arguments, remark, wrap
from symoro.emit.parts import WHOLE, LineGroup, Parts, cut, whole, words
from symoro.emit.vectors import Arc, Turn
from symoro.expr import ops
from symoro.program.program import size

# -- sines, cosines and arctangents in vectors of four, by the polynomials of `kernels/sincos.c` and `kernels/atan2.c`

INDENT = "    "
LANES = 4


@dataclass(frozen=True)
class Bulk:
    """Statements of the call part that are computed together.

    Attributes:
        steps: their indices in `Code.call`.
        at_once: lines for one sample; outside the range of the polynomials the library computes all of them again.
        one_by_one: lines inside the vectorised loop over samples; they set `far_` outside the range of the polynomials.
    """

    steps: frozenset[int]
    at_once: list[str]
    one_by_one: list[str]


def bulks(code: Code, scalar: str) -> list[Bulk]:
    """Return the groups that are computed together: sines and cosines, and each layer of arctangents."""
    result = []
    if code.turns:
        steps = frozenset(step for turn in code.turns for step in turn.steps)
        result.append(Bulk(steps, _turns_at_once(code.turns, scalar), _turns_one_by_one(code.turns, scalar)))
    for number, arcs in enumerate(code.arcs, 1):
        steps = frozenset(arc.step for arc in arcs)
        result.append(Bulk(steps, _arcs_at_once(arcs, number, scalar), _arcs_one_by_one(arcs, scalar)))
    return result


def _padded(texts: Sequence[str], filler: str) -> list[list[str]]:
    """Return texts in rows of LANES; the last row is padded."""
    length = -(-len(texts) // LANES) * LANES
    filled = [*texts, *[filler] * (length - len(texts))]
    return [filled[at : at + LANES] for at in range(0, length, LANES)]


def _offset(array: str, row: int) -> str:
    return f"{array} + {row * LANES}" if row else array


def _turns_at_once(turns: Sequence[Turn], scalar: str) -> list[str]:
    angles = [turn.argument for turn in turns]
    rows = _padded(angles, "0")
    length = len(rows) * LANES
    lines = [f"{scalar} sine_[{length}], cosine_[{length}];"]
    for at, row in enumerate(rows):
        start = f"const {scalar} reach_ =" if len(rows) == 1 else "reach_ +=" if at else f"{scalar} reach_ ="
        arrays = f"{_offset('sine_', at)}, {_offset('cosine_', at)}"
        lines.append(f"{start} sincos4_({', '.join(row)}, {arrays});")
    lines += [
        "if (reach_ > SINCOS_LIMIT_) {",
        f"{INDENT}const {scalar} angle_[{len(angles)}] = {{{', '.join(angles)}}};",
        f"{INDENT}sincos_far_({len(angles)}, angle_, sine_, cosine_);",
        "}",
    ]
    for at, turn in enumerate(turns):
        for op, array in ((ops.SIN, "sine_"), (ops.COS, "cosine_")):
            if op in turn.names:
                lines.append(f"const {scalar} {turn.names[op]} = {array}[{at}];")
    return lines


def _turns_one_by_one(turns: Sequence[Turn], scalar: str) -> list[str]:
    lines = []
    for at, turn in enumerate(turns, 1):
        names = [turn.names.get(op, f"unused{at}_") for op in (ops.SIN, ops.COS)]
        lines.append(f"{scalar} {', '.join(names)};")
        lines.append(f"sincos_({turn.argument}, &{names[0]}, &{names[1]});")
        lines += [f"(void){name};" for name in names if name.startswith("unused")]
    squares = " + ".join(_square(turn.argument) for turn in turns)
    return [*lines, f"far_ |= {squares} > SINCOS_LIMIT_;"]


def _square(text: str) -> str:
    factor = text if text.isidentifier() else f"({text})"
    return f"{factor}*{factor}"


def _arcs_at_once(arcs: Sequence[Arc], number: int, scalar: str) -> list[str]:
    ys, xs = [arc.y for arc in arcs], [arc.x for arc in arcs]
    rows = [*zip(_padded(ys, "0"), _padded(xs, "1"), strict=True)]
    array, far, count = f"arc{number}_", f"far{number}_", len(arcs)
    lines = [f"{scalar} {array}[{len(rows) * LANES}];"]
    for at, (y, x) in enumerate(rows):
        start = f"const int {far} =" if len(rows) == 1 else f"{far} |=" if at else f"int {far} ="
        lines.append(f"{start} atan2x4_({', '.join([*y, *x])}, {_offset(array, at)});")
    lines += [
        f"if ({far}) {{",
        f"{INDENT}const {scalar} y_[{count}] = {{{', '.join(ys)}}};",
        f"{INDENT}const {scalar} x_[{count}] = {{{', '.join(xs)}}};",
        f"{INDENT}atan2_far_({count}, y_, x_, {array});",
        "}",
    ]
    return lines + [f"const {scalar} {arc.name} = {arc.minus}{array}[{at}];" for at, arc in enumerate(arcs)]


def _arcs_one_by_one(arcs: Sequence[Arc], scalar: str) -> list[str]:
    lines, suffix = [], "f" if scalar == "float" else ""
    for arc in arcs:
        y, x = (f"fabs{suffix}({_decimal(text, suffix)})" for text in (arc.y, arc.x))
        lines.append(f"const {scalar} {arc.name} = {arc.minus}atan2_({arc.y}, {arc.x});")
        lines.append(f"far_ |= {y} + {x} > ATAN2_LIMIT_;")
    return lines


def _decimal(text: str, suffix: str) -> str:
    """Write a whole number as a decimal, because compilers warn about the absolute value of an integer."""
    return f"{text}.0{suffix}" if text.lstrip("-").isdecimal() else text


# -- outputs that contain one value many times: a loop instead of one store per entry

Subscript = Callable[[str, int], str]
FILLED = 4  # from this number of consecutive equal constant entries of an output on, a loop is shorter
COPIED = 16  # from this number of equal entries of an output on, a batch copies the first one after its loop


def strided(n: str, i: str) -> Subscript:
    """Return the subscript function for entry e of sample i in a structure of arrays."""

    def entry(array: str, e: int) -> str:
        if e < 2:
            return f"{array}[{n} + {i}]" if e else f"{array}[{i}]"
        return f"{array}[{e} * {n} + {i}]"

    return entry


def runs(code: Code) -> list[list[Store]]:
    """Return stores of one constant into consecutive entries of an output, such as the zeros of an inertia matrix."""
    result: list[list[Store]] = []
    for output, port in enumerate(code.program.outputs):
        last = -1
        for entry, lit in enumerate(port.lits):
            if code.program.graph.cls[lit >> 1] != ops.CONSTANT:
                last = -1
            elif lit == last:
                result[-1].append(Store(output, entry))
            else:
                result.append([Store(output, entry)])
                last = lit
    return [run for run in result if len(run) >= FILLED]


def filled(code: Code, size_type: str) -> list[str]:
    """Return a loop for each run."""
    lines = []
    for run in runs(code):
        (output, first), after = run[0], run[-1].entry + 1
        head = f"{INDENT}for ({size_type} e_ = {first}; e_ < {after}; ++e_)"
        lines.append(f"{head} {code.arrays.outputs[output]}[e_] = {code.outputs[output][first]};")
    return lines


def filled_batch(code: Code, size_type: str, count: str, *, zeros: bool = True) -> list[str]:
    """Return a loop over entries and samples for each run, in a structure of arrays; runs of zeros may be omitted."""
    n, i = code.arrays.count, code.arrays.index
    lines = []
    for run in runs(code):
        (output, first), after = run[0], run[-1].entry + 1
        if not zeros and code.outputs[output][first] == "0":
            continue
        entry = f"{code.arrays.outputs[output]}[e_ * {n} + {i}]"
        lines.append(f"{INDENT}for ({size_type} e_ = {first}; e_ < {after}; ++e_)")
        lines.append(f"{INDENT * 2}{_samples(size_type, i, count)} {entry} = {code.outputs[output][first]};")
    return lines


def _samples(size_type: str, i: str, count: str) -> str:
    return f"for ({size_type} {i} = 0; {i} < {count}; ++{i})"


def copies(code: Code) -> list[list[Store]]:
    """Return stores of one value into many entries of an output, such as NaN if loops cannot be closed.

    The time in which gcc vectorises a loop is at least quadratic in the number of its stores.
    """
    by_value: dict[tuple[int, int], list[Store]] = {}
    for output, port in enumerate(code.program.outputs):
        for entry, lit in enumerate(port.lits):
            if code.program.graph.cls[lit >> 1] != ops.CONSTANT:
                by_value.setdefault((output, lit), []).append(Store(output, entry))
    return [stores for stores in by_value.values() if len(stores) >= COPIED]


def copied(code: Code, size_type: str, count: str) -> list[str]:
    """Return loops over the samples that copy the first entry of each value to the other entries."""
    n, i = code.arrays.count, code.arrays.index
    entry, samples = strided(n, i), _samples(size_type, i, count)
    lines = []
    for first, *others in copies(code):
        array, entries = code.arrays.outputs[first.output], [store.entry for store in others]
        starts = [e for e in entries if e - 1 not in entries]
        ends = [e + 1 for e in entries if e + 1 not in entries]
        for start, end in zip(starts, ends, strict=True):
            lines.append(f"{INDENT}for ({size_type} e_ = {start}; e_ < {end}; ++e_)")
            lines.append(f"{INDENT * 2}{samples} {array}[e_ * {n} + {i}] = {entry(array, first.entry)};")
    return lines


@dataclass(frozen=True)
class Style:
    """Language elements in which C, C++, JavaScript and Rust differ.

    Attributes:
        scalar: type of all numbers; empty if variables have no types.
        size_type: type of the number of samples.
        restrict: text between * and the name of an argument.
        kernel: template of a kernel's name.
        returned: whether a kernel returns an array instead of writing to one.
        first: lines at the start of each function.
        simd: text before the loop over samples that declares them independent.
        calls: whether that loop calls the call function instead of repeating its statements.
        part: text before the type of a function that is part of a longer one; empty if functions are not divided.
        samples: number of samples of every call of the batch function; None if any number may be given.
        streamed: output arrays of CUDA whose entries are not read again, so that the cache need not keep them.
        variable: text before the name of a variable; empty for that of C and JavaScript.
    """

    scalar: str
    size_type: str = "size_t"
    restrict: str = ""
    kernel: str = "{0}_"
    returned: bool = False
    first: tuple[str, ...] = ()
    simd: str = ""
    calls: bool = False
    part: str = ""
    samples: int | None = None
    streamed: frozenset[str] = frozenset()
    variable: str = ""

    def store(self, array: str, target: str, value: str) -> str:
        """Return the statement that stores a value in an entry of an output array, `target`."""
        return f"__stcs(&{target}, {value});" if array in self.streamed else f"{target} = {value};"

    @property
    def constant(self) -> str:
        """Return the text before the name of a variable."""
        return self.variable or (f"const {self.scalar} " if self.scalar else "const ")

    @property
    def flag(self) -> str:
        """Return an integer of the size of the scalar, so that a vector has as many of them."""
        return "int" if self.scalar == "float" else "long long"


_COMPARED = frozenset({ops.MIN, ops.MAX, ops.LESS, ops.LESS_EQUAL, ops.EQUAL, ops.SELECT})


def asks_for_numbers(code: Code) -> bool:
    """Return whether results depend on comparisons that compilers may invert if they assume finite numbers."""
    return bool(code.kernels) or not _COMPARED.isdisjoint(code.operations)


def prototypes(code: Code, style: Style) -> list[str]:
    """Return the declarations of setup (if there are constants), call and batch function."""
    a, scalar, restrict = code.arrays, style.scalar, style.restrict
    pointers = [f"const {scalar} *{restrict}{name}" for name in call_arguments(code)]
    pointers += [f"{scalar} *{restrict}{name}" for name in a.outputs]
    listed = ", ".join(pointers)
    setup = f"void {a.setup}(const {scalar} *{restrict}{a.parameters}, {scalar} *{restrict}{a.constants})"
    lines = [f"void {a.function}({listed})", f"void {a.batch}({style.size_type} {a.count}, {listed})"]
    return [wrap(line, marks=",") for line in ([setup, *lines] if code.constants else lines)]


@dataclass(frozen=True)
class FunctionBody:
    """Lines of a function, of the functions that are its parts, and of a function that calls them and that it calls."""

    lines: list[str]
    parts: list[list[str]] = field(default_factory=list)
    inner: list[str] = field(default_factory=list)


def call_bodies(code: Code, style: Style) -> list[FunctionBody]:
    """Return the bodies of setup (if there are constants) and call function."""
    call = _call(code, style)
    return [_setup(code, style), call] if code.constants else [call]


def _call(code: Code, style: Style) -> FunctionBody:
    a = code.arrays
    at_once = [(bulk.steps, bulk.at_once) for bulk in bulks(code, style.scalar)]
    units = line_groups(code, style, INDENT, lambda array, e: f"{array}[{e}]", at_once)
    start, fill = _start(style) + _unused(code), filled(code, style.size_type)
    if not _in_parts(code, style, len(units)):
        return FunctionBody(start + whole(units) + fill)
    pieces = cut(units, lambda place: f"kept_[{place}]", style.constant, INDENT)
    parts = _parts(pieces, _pointers(code, style), style, a.function)
    calls = [wrap(f"{INDENT}{part.call};", INDENT * 2) for part in parts]
    return FunctionBody([*start, *_kept(pieces.places, style), *calls, *fill], _texts(parts))


def batch_body(code: Code, style: Style) -> FunctionBody:
    """Return the body of the batch function."""
    if style.calls:
        return FunctionBody(_start(style) + _unused(code) + _by_the_call(code, style))
    if style.simd:
        return _batch_in_blocks(code, style)
    n, i = code.arrays.count, code.arrays.index
    units, _ = _batch_groups(code, style)
    loop = _loop(whole(units), n, i, style) if units else []
    fill = filled_batch(code, style.size_type, n) + copied(code, style.size_type, n)
    return FunctionBody(_start(style) + _unused(code) + loop + fill)


def _batch_groups(code: Code, style: Style) -> tuple[list[LineGroup], int]:
    """Return the lines for sample i in a structure of arrays, and the number of stores that are copied later."""
    one_by_one = [(bulk.steps, bulk.one_by_one) for bulk in bulks(code, style.scalar)]
    later = frozenset(store for same in copies(code) for store in same[1:])
    entry = strided(code.arrays.count, code.arrays.index)
    return line_groups(code, style, INDENT * 2, entry, one_by_one, later), len(later)


def _loop(lines: list[str], n: str, i: str, style: Style) -> list[str]:
    loop = [f"{INDENT}for ({style.size_type} {i} = 0; {i} < {n}; ++{i}) {{", *lines, INDENT + "}"]
    return [INDENT + style.simd, *loop] if style.simd else loop


def _start(style: Style) -> list[str]:
    return [INDENT + line for line in style.first]


# -- batches in blocks of samples
#
# The loop over samples processes whole blocks; the last samples of a batch are copied to a block that is filled up. So
# a vectorised loop has no remainder, which would take more time to compile than the loop, and the result of a sample
# depends neither on its place in the batch nor on the other samples: if one of them is beyond the limits of the
# polynomials, the samples near it are examined one by one.

BLOCK = 16  # number of samples: at least those of a vector of single precision
BLOCKS = 4  # number of blocks of which the samples are examined together
LARGE = (
    1024  # number of entries of all inputs and outputs from which a block is half as long, to limit the stack
)


def _block(code: Code, style: Style) -> int:
    inputs, outputs = _ports(code)
    if style.samples is not None:
        return style.samples
    return BLOCK if sum(length for _, length in inputs + outputs) < LARGE else BLOCK // 2


# With more arctangents the call function, which computes four at a time, is faster than a loop that is not vectorised.
MANY_ARCS = 8


def many_arcs(code: Code) -> bool:
    return sum(map(len, code.arcs)) >= MANY_ARCS


def _ports(code: Code) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    """Return (name, number of entries) of inputs and of outputs."""
    a, program = code.arrays, code.program
    inputs = [(name, size(port.shape)) for name, port in zip(a.inputs, program.inputs, strict=True)]
    return inputs, [(name, size(port.shape)) for name, port in zip(a.outputs, program.outputs, strict=True)]


def _batch_in_blocks(code: Code, style: Style) -> FunctionBody:
    """Return the batch function, and one for samples in whole blocks, which returns whether a sample is out of range.

    Both use the arrays of the caller, or arrays of one block.
    """
    a, size_type, block = code.arrays, style.size_type, _block(code, style)
    inner, far = f"{a.batch}_blocks", bool(code.turns or code.arcs)
    pointers = [text for name, text in _pointers(code, style).items() if name != "kept_"]
    if style.samples is None:
        count, body, pointers = "full_", code, [f"{size_type} count_", f"{size_type} {a.count}", *pointers]
        start = [f"{INDENT}const {size_type} full_ = count_ & ~({size_type}){block - 1};"]
        outer = _over_blocks(code, style, inner, far)
    else:  # the compiler knows all addresses
        count, start = str(block), []
        body = replace(code, arrays=replace(a, count=count))
        outer = _over_one_block(code, style, inner, far)
    units, later = _batch_groups(body, style)
    if _in_parts(code, style, len(units) + later):
        loop = _loop_in_parts(body, style, units, count)
    else:
        loop = FunctionBody(_loop(whole(units), count, a.index, style) if units else [])
    function = [
        wrap(f"BLOCKS_ {'int' if far else 'void'} {inner}({', '.join(pointers)})", marks=","),
        "{",
        *_start(style),
        *_unused(code),
        *start,
        *([f"{INDENT}{style.flag} far_ = 0;"] if far else []),
        *loop.lines,
        *filled_batch(body, size_type, count, zeros=style.samples is None),
        *copied(body, size_type, count),
        *([f"{INDENT}return far_ != 0;"] if far else []),
        "}",
    ]
    return FunctionBody(outer, loop.parts, function)


def _over_blocks(code: Code, style: Style, inner: str, far: bool) -> list[str]:
    """Return the lines of the batch function for any number of samples, which calls the inner function."""
    block, size_type, n = _block(code, style), style.size_type, code.arrays.count
    chunk = f"rest_ < {block * BLOCKS} ? rest_ & ~({size_type}){block - 1} : {block * BLOCKS}"
    result, in_block = "far_ = " if far else "", f"{inner}({block}, {block}, {_passed(code, '{0}_')})"
    moved = [f"{result}{in_block};", *_stored(code, n, "start_", "rest_", block)]
    lines = [
        f"const {size_type} rest_ = {n} - start_;",
        f"count_ = rest_ < {block} ? rest_ : {chunk};",
        *(["int far_;"] if far else []),
        f"if (rest_ < {block}) {{",
        *_indented([*_loaded(code, n, "start_", "rest_", block), *moved]),
        "} else {",
        *_indented([f"{result}{inner}(count_, {n}, {_passed(code, '{0} + start_')});"]),
        "}",
    ]
    if far:
        loop = f"for ({size_type} at_ = start_; far_ && at_ < start_ + count_; ++at_) {{"
        lines += [loop, *_indented(_one_by_the_call(code, n, in_block, block)), "}"]
    loop = f"for ({size_type} start_ = 0, count_; start_ < {n}; start_ += count_) {{"
    blocks = _wrapped([*_arrays_of_a_block(code, style), loop, *_indented(lines), "}"])
    if not many_arcs(code):
        return blocks
    unused = [f"{INDENT}(void){name};" for name in (inner, "to_block_", "from_block_")]
    return ["#ifdef SCALAR_", *unused, *_by_the_call(code, style), "#else", *blocks, "#endif"]


def _over_one_block(code: Code, style: Style, inner: str, far: bool) -> list[str]:
    """Return the lines of the batch function for the samples of one block, which calls the inner function."""
    block, in_place = _block(code, style), f"{inner}({_passed(code, '{0}')})"
    unused = f"(void){code.arrays.count};"
    if not far:
        return _wrapped([unused, f"{in_place};"])
    in_block = f"{inner}({_passed(code, '{0}_')})"
    loop = f"for ({style.size_type} at_ = 0; at_ < {block}; ++at_) {{"
    lines = [*_indented(_one_by_the_call(code, str(block), in_block, block)), "}"]
    return _wrapped([unused, f"if (!{in_place}) return;", *_arrays_of_a_block(code, style), loop, *lines])


def _one_by_the_call(code: Code, n: str, in_block: str, block: int) -> list[str]:
    """Return the lines that compute sample at_ again, if it is out of range: a block of its copies shows it."""
    return [
        *_loaded(code, n, "at_", "1", block),
        f"if (!{in_block}) continue;",
        *_loaded(code, n, "at_", "1", 1),
        f"{code.arrays.function}({_passed(code, '{0}_')});",
        *_stored(code, n, "at_", "1", 1),
    ]


def _arrays_of_a_block(code: Code, style: Style) -> list[str]:
    block, (inputs, outputs) = _block(code, style), _ports(code)
    return [f"{style.scalar} {name}_[{max(1, length) * block}];" for name, length in inputs + outputs]


def _passed(code: Code, template: str) -> str:
    """Return the arguments of a call; {0} is the name of an array with one entry or row per sample."""
    a = code.arrays
    inputs, outputs = ([template.format(name) for name in names] for names in (a.inputs, a.outputs))
    return ", ".join([*inputs, *([a.constants] if code.constants else []), *outputs])


def _loaded(code: Code, n: str, start: str, count: str, width: int) -> list[str]:
    inputs, _ = _ports(code)
    return [f"to_block_({size}, {n}, {x} + {start}, {count}, {width}, {x}_);" for x, size in inputs if size]


def _stored(code: Code, n: str, start: str, count: str, width: int) -> list[str]:
    _, outputs = _ports(code)
    return [f"from_block_({size}, {n}, {y} + {start}, {count}, {width}, {y}_);" for y, size in outputs]


def _wrapped(lines: Sequence[str]) -> list[str]:
    return [wrap(line, INDENT * 4) for line in _indented(lines)]


def _indented(lines: Sequence[str]) -> list[str]:
    return [INDENT + line for line in lines]


# -- long functions, divided into parts


@dataclass(frozen=True)
class _Part:
    text: list[str]
    call: str


def _in_parts(code: Code, style: Style, units: int) -> bool:
    return bool(style.part) and not code.kernels and units > WHOLE


def _pointers(code: Code, style: Style) -> dict[str, str]:
    """Return the declarations of the arguments that a part may need, by name."""
    scalar, restrict = style.scalar, style.restrict
    inputs = {name: f"const {scalar} *{restrict}{name}" for name in call_arguments(code)}
    outputs = {name: f"{scalar} *{restrict}{name}" for name in (*code.arrays.outputs, "kept_")}
    return inputs | outputs


def _kept(places: int, style: Style) -> list[str]:
    return [f"{INDENT}{style.scalar} kept_[{places}];"] if places else []


def _texts(parts: Sequence[_Part]) -> list[list[str]]:
    return [part.text for part in parts]


def _parts(
    pieces: Parts, arguments: dict[str, str], style: Style, name: str, passed: Callable[[str], str] = str
) -> list[_Part]:
    """Return a function definition and its call for each part of the code; each takes only the arguments it uses.

    Args:
        pieces: statements of the code, divided into parts.
        arguments: declaration of each available argument, by the name of the argument.
        style: style of the emitted language.
        name: name of the whole function, with which the names of the parts begin.
        passed: function that returns the text of an argument in the call, from the name of the argument.
    """
    parts = []
    for number, lines in enumerate(pieces.lines, 1):
        used = words(lines)
        needed = [argument for argument in arguments if argument in used]
        far = [f"{INDENT}{style.flag} far_ = 0;"] if "far_" in used else []
        listed = ", ".join(arguments[argument] for argument in needed)
        head = wrap(f"{style.part} {'int' if far else 'void'} {name}_part{number}({listed})", marks=",")
        text = [head, "{", *far, *lines, *([f"{INDENT}return far_ != 0;"] if far else []), "}"]
        call = f"{name}_part{number}({', '.join(map(passed, needed))})"
        parts.append(_Part(text, f"far_ |= {call}" if far else call))
    return parts


def _loop_in_parts(code: Code, style: Style, units: Sequence[LineGroup], count: str) -> FunctionBody:
    """Return the loop over blocks; each part processes all samples of a block."""
    a, size_type, block = code.arrays, style.size_type, _block(code, style)
    places = [f"kept_[{place * block} + {a.index}]" for place in range(len(units))]
    pieces = cut(units, places.__getitem__, style.constant, INDENT * 2)
    looped = Parts([_loop(lines, str(block), a.index, style) for lines in pieces.lines], pieces.places)
    arguments = {a.count: f"{size_type} {a.count}", **_pointers(code, style)}
    moving = {*a.inputs, *a.outputs}

    def passed(name: str) -> str:
        return f"{name} + start_" if name in moving else name

    parts = _parts(looped, arguments, style, a.batch, passed)
    lines = [
        f"for ({size_type} start_ = 0; start_ < {count}; start_ += {block}) {{",
        *(wrap(f"{INDENT}{part.call};", INDENT * 3) for part in parts),
        "}",
    ]
    return FunctionBody(
        _kept(pieces.places * block, style) + [INDENT + line for line in lines], _texts(parts)
    )


def _unused(code: Code) -> list[str]:
    """Return statements that mention unused inputs, so that compilers do not warn."""
    used = {array for array, _, _ in code.loads}
    return [f"{INDENT}(void){name};" for a, name in enumerate(code.arrays.inputs) if a not in used]


def _setup(code: Code, style: Style) -> FunctionBody:
    a, scalar = code.arrays, style.scalar
    units = [
        LineGroup([f"{INDENT}const {scalar} {name} = {a.parameters}[{at}];"], (name,), fetched=True)
        for at, name in code.reads
    ]
    for step in code.setup:
        units.append(LineGroup([*remark(code, step, INDENT), *_statement(step, style, INDENT)], (step[0],)))
    units += [LineGroup([f"{INDENT}{a.constants}[{c.at}] = {c.name};"]) for c in code.constants]
    if not style.part or len(units) <= WHOLE:
        return FunctionBody(_start(style) + whole(units))
    pieces = cut(units, lambda place: f"kept_[{place}]", style.constant, INDENT)
    arguments = {
        a.parameters: f"const {scalar} *{style.restrict}{a.parameters}",
        a.constants: f"{scalar} *{style.restrict}{a.constants}",
        "kept_": f"{scalar} *{style.restrict}kept_",
    }
    parts = _parts(pieces, arguments, style, a.setup)
    calls = [wrap(f"{INDENT}{part.call};", INDENT * 2) for part in parts]
    return FunctionBody([*_kept(pieces.places, style), *calls], _texts(parts))


Together = Sequence[tuple[frozenset[int], list[str]]]


def line_groups(
    code: Code,
    style: Style,
    indent: str,
    entry: Subscript,
    together: Together = (),
    later: frozenset[Store] = frozenset(),
) -> list[LineGroup]:
    """Return loads, statements and stores; bulk statements are replaced by their lines at the last of them.

    Args:
        later: stores that are omitted here.
    """
    a, start = code.arrays, indent + style.constant
    left_out = later.union(*runs(code))
    bulk_of = {step: at for at, (steps, _) in enumerate(together) for step in steps}
    left = [len(steps) for steps, _ in together]

    def written(event: Event) -> LineGroup:
        if isinstance(event, int):
            step = code.call[event]
            name = step.result if isinstance(step, KernelCall) else step[0]
            return LineGroup(_statement(step, style, indent), (name,))
        if isinstance(event, Store):
            text = code.outputs[event.output][event.entry]
            array = a.outputs[event.output]
            line = f"{indent}{style.store(array, entry(array, event.entry), text)}"
            return LineGroup([wrap(line, indent + INDENT)], copied=text)
        if isinstance(event, Load):
            line = f"{start}{event.name} = {entry(a.inputs[event.input], event.entry)};"
        else:
            line = f"{start}{event.name} = {a.constants}[{event.at}];"
        return LineGroup([line], (event.name,), fetched=True)

    def bulk(at: int) -> LineGroup:
        steps, lines = together[at]
        done = (code.call[step] for step in sorted(steps))
        names = tuple(step[0] for step in done if isinstance(step, tuple))
        return LineGroup([wrap(indent + line, indent + INDENT) for line in lines], names)

    units: list[LineGroup] = []
    waiting: list[LineGroup] = []  # stores that may read values that are not yet computed
    opened = -1
    for event in code.flow:
        if event in left_out:
            continue
        at = bulk_of.get(event, -1) if isinstance(event, int) else -1
        if at >= 0:
            left[at] -= 1
            opened = at if left[at] else -1
            if not left[at]:
                units += [bulk(at), *waiting]
                waiting = []
        elif opened >= 0 and isinstance(event, Store):
            waiting.append(written(event))
        else:
            said = remark(code, code.call[event], indent) if isinstance(event, int) else []
            if said:
                units.insert(_before_fetched(units), LineGroup(said))
            units.append(written(event))
    return units


def _before_fetched(units: Sequence[LineGroup]) -> int:
    """Return the position at which the loads for the next statement begin."""
    at = len(units)
    while at and units[at - 1].fetched:
        at -= 1
    return at


def _by_the_call(code: Code, style: Style) -> list[str]:
    """Return a loop over samples with the call function, instead of a loop over its statements."""
    a, (inputs, outputs) = code.arrays, _ports(code)
    lines = [f"{style.scalar} {name}_[{max(1, length)}];" for name, length in inputs + outputs]

    def each(length: int, text: str) -> str:
        return f"for ({style.size_type} entry_ = 0; entry_ < {length}; ++entry_) {text}"

    for name, length in inputs:
        if length:
            lines.append(each(length, f"{name}_[entry_] = {name}[entry_ * {a.count} + {a.index}];"))
    constants = [a.constants] if code.constants else []
    arguments = [f"{name}_" for name, _ in inputs] + constants + [f"{name}_" for name, _ in outputs]
    lines.append(f"{a.function}({', '.join(arguments)});")
    for name, length in outputs:
        lines.append(each(length, f"{name}[entry_ * {a.count} + {a.index}] = {name}_[entry_];"))
    loop = f"{_samples(style.size_type, a.index, a.count)} {{"
    return _indented([loop, *_indented(lines), "}"])


def _statement(step: Instruction, style: Style, indent: str) -> list[str]:
    if isinstance(step, KernelCall):
        return _kernel_call(step, style, indent)
    return [wrap(f"{indent}{style.constant}{step[0]} = {step[1]};", indent + INDENT)]


def _kernel_call(call: KernelCall, style: Style, indent: str) -> list[str]:
    if style.returned:
        return _kernel_value(call, style, indent)
    lines = []
    for name, entries in call.inputs:
        listed = ", ".join(entries)
        lines.append(wrap(f"{indent}{style.scalar} {name}[{len(entries)}] = {{{listed}}};", indent + INDENT))
    lines.append(f"{indent}{style.scalar} {call.result}[{call.size}];")
    names = ", ".join(name for name, _ in call.inputs)
    return [*lines, f"{indent}{style.kernel.format(call.kernel)}({call.size}, {names}, {call.result});"]


def _kernel_value(call: KernelCall, style: Style, indent: str) -> list[str]:
    lines = [f"{style.constant}{name} = [{', '.join(entries)}];" for name, entries in call.inputs]
    arguments = ", ".join([str(call.size), *(name for name, _ in call.inputs)])
    lines.append(f"{style.constant}{call.result} = {style.kernel.format(call.kernel)}({arguments});")
    return [wrap(indent + line, indent + INDENT, marks=(",", " ", "*([")) for line in lines]


def sizes(code: Code) -> list[tuple[str, int]]:
    """Return the names of all array sizes, and the sizes."""
    ports = [*zip(code.arrays.inputs, code.program.inputs, strict=True)]
    results = [*zip(code.arrays.outputs, code.program.outputs, strict=True)]
    return [
        ("PARAMETERS", len(code.parameters)),
        ("CONSTANTS", len(code.constants)),
        *((f"SIZE_{name}", size(port.shape)) for name, port in ports),
        *((f"SIZE_{name}", size(out.shape)) for name, out in results),
    ]


def array_of(declared: str, numbers: Sequence[float]) -> str:
    """Return the definition of an array with sample numbers."""
    shown = ", ".join(repr(x) for x in numbers) or "0"
    return wrap(f"{INDENT}{declared}[{max(1, len(numbers))}] = {{{shown}}};", INDENT * 2)
