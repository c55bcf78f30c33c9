"""C source of batch functions for NumPy arrays, which have one row per sample.

    void NAME_rows(size_t n, const size_t *steps, inputs ..., [k,] outputs ...)
    void NAME_rows_packed(size_t n, const size_t *steps, void *const *arrays)

The emitted function NAME_batch requires one array per entry, so that samples must be transposed. This is done in tiles,
whose buffers fit the first-level cache, by vector instructions: square blocks of as many samples as a vector has
entries. Every tile has the same number of samples, so that the arithmetic of a sample depends neither on the number of
samples nor on that of threads; the last tile repeats its last sample. If the batch function processes samples one by
one, the rows are passed to the call function without a copy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symoro.expr import ops
from symoro.program.program import Output, Program, size

TILE = 16  # samples per call of the batch function: two vectors of doubles, one of floats, for AVX-512
SMALL_TILE = 8
LARGEST = 65536  # maximum number of numbers in the buffers of a tile; beyond it, tiles are small
LONG_RUN = 8  # consecutive zeros of an output from which on rows are filled with them
LONGEST_RUN = 16  # no vector is longer
FEWEST = 4  # entries per sample from which on vector instructions are faster


def tile_of(program: Program) -> int:
    """Return the number of samples per tile (samples that are transposed together) for a program."""
    shapes = [port.shape for port in program.inputs] + [port.shape for port in program.outputs]
    return TILE if TILE * sum(map(size, shapes)) <= LARGEST else SMALL_TILE


def rows_source(
    program: Program,
    name: str,
    *,
    constants: bool,
    blocks: bool,
    scalar: str = "double",
    layout: str = "samples",
) -> dict[str, str]:
    """Return {file name: text} of a C file with the batch functions NAME_rows and NAME_rows_packed.

    In the C functions, `steps` contains, for each input, the distance between its samples in the array; it is 0 if all
    samples have the same input. With the layout "entries" it is the distance between entries, and the distances of the
    outputs follow.

    Args:
        name: base name of the emitted functions.
        constants: whether the functions have the array k of constants.
        blocks: call NAME_batch for tiles of samples; otherwise NAME for one sample at a time.
        scalar: type of the numbers in C.
        layout: storage of the arrays, "samples" (by rows) or "entries" (entry after entry).
    """
    inputs = [size(port.shape) for port in program.inputs]
    outputs = [size(port.shape) for port in program.outputs]
    pointers = [f"const {scalar} *restrict x{a}" for a in range(len(inputs))]
    pointers += [f"const {scalar} *restrict k"] if constants else []
    pointers += [f"{scalar} *restrict y{a}" for a in range(len(outputs))]
    tile = tile_of(program)
    if layout == "entries":
        body = _by_entries(name, inputs, outputs, constants, scalar, tile if blocks else 1)
    elif blocks:
        zeros = {a: runs for a, out in enumerate(program.outputs) if (runs := _zeros(program, out))}
        body = _by_tiles(name, inputs, outputs, constants, scalar, tile, zeros)
    else:
        body = _one_by_one(name, inputs, outputs, constants)
    lines = [f'#include "{name}.h"', ""]
    if blocks:
        lines += _moves(scalar, tile) if layout == "samples" else [ALIGNED]
    lines.append(f"void {name}_rows(size_t n, const size_t *restrict steps, {', '.join(pointers)})")
    lines += ["{", *(f"    {line}" for line in body), "}", ""]
    packed = ", ".join(f"a[{at}]" for at in range(len(pointers)))
    lines.append(f"void {name}_rows_packed(size_t n, const size_t *steps, void *const *a)")
    lines += ["{", f"    {name}_rows(n, steps, {packed});", "}", ""]
    return {f"{name}_rows.c": "\n".join(lines)}


def _one_by_one(name: str, inputs: Sequence[int], outputs: Sequence[int], constants: bool) -> list[str]:
    arguments = [f"x{a} + i * steps[{a}]" for a in range(len(inputs))] + (["k"] if constants else [])
    arguments += [f"y{a} + i * {n}" for a, n in enumerate(outputs)]
    return ["for (size_t i = 0; i < n; ++i)", f"    {name}({', '.join(arguments)});"]


def _buffers(inputs: Sequence[int], outputs: Sequence[int], scalar: str, tile: int) -> list[str]:
    """Return the declarations of the buffers; those of outputs are zero, because runs of zeros are not written."""
    aligned = " ALIGNED_" if tile > 1 else ""
    lines = [f"{scalar} u{a}[{max(1, n) * tile}]{aligned};" for a, n in enumerate(inputs)]
    return lines + [f"{scalar} v{a}[{max(1, n) * tile}]{aligned} = {{0}};" for a, n in enumerate(outputs)]


def _call(name: str, inputs: Sequence[int], outputs: Sequence[int], constants: bool, tile: int) -> str:
    arguments = [str(tile)] if tile > 1 else []
    arguments += [f"u{a}" for a in range(len(inputs))] + (["k"] if constants else [])
    arguments += [f"v{a}" for a in range(len(outputs))]
    return f"{name}{'_batch' if tile > 1 else ''}({', '.join(arguments)});"


def _by_tiles(
    name: str,
    inputs: Sequence[int],
    outputs: Sequence[int],
    constants: bool,
    scalar: str,
    tile: int,
    zeros: Mapping[int, Sequence[int]],
) -> list[str]:
    """Return the C statements that process samples in tiles, for arrays with one row per sample.

    The last tile is copied entry by entry, because vectors would exceed the arrays.

    Args:
        inputs, outputs: number of entries of each array.
    """
    call = _call(name, inputs, outputs, constants, tile)
    lines = [*_buffers(inputs, outputs, scalar, tile), "size_t start = 0;"]
    for a, runs in zeros.items():
        lines.append(f"static const unsigned short zeros{a}[] = {{{', '.join(map(str, runs))}}};")
    for a, n in enumerate(inputs):
        lines.append(f"if (!steps[{a}]) read_rows_({tile}, {n}, x{a}, 0, u{a});")
    lines.append(f"for (; start + {tile} < n; start += {tile}) {{")
    for a, n in enumerate(inputs):
        lines.append(f"    if (steps[{a}]) turn_in_({n}, x{a} + start * steps[{a}], steps[{a}], u{a});")
    lines.append(f"    {call}")
    for a, n in enumerate(outputs):
        lines.append(
            f"    turn_out_({n}, {'zeros' + str(a) if a in zeros else 0}, v{a}, y{a} + start * {n});"
        )
    lines += ["}", "if (start < n) {", "    const size_t rest = n - start;"]
    for a, n in enumerate(inputs):
        lines.append(
            f"    if (steps[{a}]) read_rows_(rest, {n}, x{a} + start * steps[{a}], steps[{a}], u{a});"
        )
    lines.append(f"    {call}")
    lines += [f"    write_rows_(rest, {n}, v{a}, y{a} + start * {n});" for a, n in enumerate(outputs)]
    return [*lines, "}"]


def _by_entries(
    name: str, inputs: Sequence[int], outputs: Sequence[int], constants: bool, scalar: str, tile: int
) -> list[str]:
    """Return the C statements that process arrays stored entry after entry: entry e of sample i is x[e * step + i]."""
    lines = _buffers(inputs, outputs, scalar, tile)
    lines.append(f"for (size_t start = 0; start < n; start += {tile}) {{")
    lines.append(f"    const size_t rest = n - start, last = rest < {tile} ? rest - 1 : {tile - 1};")

    def move(entries: int, text: str, count: str) -> None:
        lines.append(f"    for (size_t e = 0; e < {entries}; ++e) for (size_t i = 0; i < {count}; ++i)")
        lines.append(f"        {text}")

    for a, n in enumerate(inputs):
        lines.append(f"    if (!steps[{a}]) {{")
        move(n, f"u{a}[e * {tile} + i] = x{a}[e];", str(tile))
        lines.append(f"    }} else if (last == {tile - 1}) {{")
        move(n, f"u{a}[e * {tile} + i] = x{a}[e * steps[{a}] + start + i];", str(tile))
        lines.append("    } else {")
        move(n, f"u{a}[e * {tile} + i] = x{a}[e * steps[{a}] + start + (i < last ? i : last)];", str(tile))
        lines.append("    }")
    lines.append(f"    {_call(name, inputs, outputs, constants, tile)}")
    for a, n in enumerate(outputs):
        step = f"steps[{len(inputs) + a}]"
        lines.append(f"    if (last == {tile - 1}) {{")
        move(n, f"y{a}[e * {step} + start + i] = v{a}[e * {tile} + i];", str(tile))
        lines.append("    } else {")
        move(n, f"y{a}[e * {step} + start + i] = v{a}[e * {tile} + i];", "rest")
        lines.append("    }")
    return [*lines, "}"]


def _zeros(program: Program, output: Output) -> list[int]:
    """Return, for each entry of an output, the number of consecutive zeros from there on; [] if runs are short."""
    graph, runs, length = program.graph, [], 0
    for lit in reversed(output.lits):
        zero = graph.op[lit >> 1] == ops.NUMBER and graph.args[lit >> 1][0] == 0
        length = min(length + 1, LONGEST_RUN) if zero else 0
        runs.append(length)
    return runs[::-1] if max(runs, default=0) >= LONG_RUN else []


# -- transposition by vector instructions

ALIGNED = """#if defined(__GNUC__)
#define ALIGNED_ __attribute__((aligned(64)))
#else
#define ALIGNED_
#endif
"""

PLAIN = """/* Samples by rows to one array per entry, and back; samples beyond the last one repeat it. */
static INLINE_ void read_rows_(size_t rest, size_t entries, const {scalar} *restrict x, size_t step,
                               {scalar} *restrict u)
{{
    for (size_t i = 0; i < {tile}; ++i) for (size_t e = 0; e < entries; ++e)
        u[e * {tile} + i] = x[(i < rest ? i : rest - 1) * step + e];
}}

static INLINE_ void write_rows_(size_t rest, size_t entries, const {scalar} *restrict v, {scalar} *restrict y)
{{
    for (size_t i = 0; i < rest; ++i) for (size_t e = 0; e < entries; ++e)
        y[i * entries + e] = v[e * {tile} + i];
}}
"""

VECTORS = """#if defined(__clang__) || __GNUC__ >= 12
#define PICK_(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#define VECTORS_
#endif
#if defined(__AVX512F__)
#define BYTES_ 64
#elif defined(__AVX__)
#define BYTES_ 32
#else
#define BYTES_ 16
#endif
#if defined(__GNUC__)
#define INLINE_ inline __attribute__((always_inline, unused))
#else
#define INLINE_ inline
#endif
"""


def _moves(scalar: str, tile: int) -> list[str]:
    """Return the C functions that copy a tile from rows to one array per entry, and back."""
    width = 8 if scalar == "double" else 4
    lanes = [n for n in (2, 4, 8, 16) if 16 <= n * width <= 64 and n <= tile]
    text = [ALIGNED, VECTORS, PLAIN.format(scalar=scalar, tile=tile), "#ifdef VECTORS_"]
    text += [_square(n, scalar, width, tile) for n in lanes]
    text += [
        f"static INLINE_ void turn_in_(size_t entries, const {scalar} *restrict x, size_t step,",
        f"                             {scalar} *restrict u)",
        "{",
        *_choice(
            lanes, width, f"read_rows_({tile}, entries, x, step, u)", "turn_in{0}_(entries, x, step, u)"
        ),
        "}",
        "",
        "static INLINE_ void turn_out_(size_t entries, const unsigned short *zeros,",
        f"                              const {scalar} *restrict v, {scalar} *restrict y)",
        "{",
        *_choice(lanes, width, f"write_rows_({tile}, entries, v, y)", "turn_out{0}_(entries, zeros, v, y)"),
        "}",
        "#else",
        f"#define turn_in_(entries, x, step, u) read_rows_({tile}, entries, x, step, u)",
        f"#define turn_out_(entries, zeros, v, y) write_rows_({tile}, entries, v, y)",
        "#endif",
        "",
    ]
    return text


def _choice(lanes: Sequence[int], width: int, plain: str, call: str) -> list[str]:
    """Return C statements that call a copy function with the vector width suited to the number of entries.

    Args:
        lanes: numbers of entries of the available vectors.
        width: bytes per number.
        plain: call of the copy function without vectors, for short rows.
        call: call of the copy function with vectors; {0} is the number of entries of a vector.
    """
    lines = [f"    if (entries < {FEWEST}) {{ {plain}; return; }}"]
    for n in lanes[:-1]:
        lines.append(f"    if (entries <= {n} || BYTES_ == {n * width}) {{ {call.format(n)}; return; }}")
    return [*lines, f"    {call.format(lanes[-1])};"]


def _square(n: int, scalar: str, width: int, tile: int) -> str:
    """Return the C functions that transpose squares of n samples times n entries by vector instructions.

    If a row is not a multiple of n, its last square overlaps the one before. A row shorter than n is read together with
    the start of the next one, and written in order, so that the next row overwrites the surplus.
    """
    stages, b = [], 1
    while b < n:
        first = [lane if not lane & b else n + lane - b for lane in range(n)]
        second = [lane + b if not lane & b else n + lane for lane in range(n)]
        for i in range(n):
            if not i & b:
                stages.append(f"a = r[{i}], b = r[{i + b}];")
                stages.append(f"r[{i}] = PICK_(a, b, {', '.join(map(str, first))});")
                stages.append(f"r[{i + b}] = PICK_(a, b, {', '.join(map(str, second))});")
        b *= 2
    vector = f"vector{n}_"
    load = " ".join(f"r[{i}] = *(const {vector} *)(x + (s + {i}) * step + e);" for i in range(n))
    take = " ".join(
        f"r[{i}] = *(const {vector} *)(v + ((size_t){i} < entries ? e + {i} : e) * {tile} + s);"
        for i in range(n)
    )
    keep = " ".join(
        f"if ((size_t){i} < entries) *({vector} *)(u + (e + {i}) * {tile} + s) = r[{i}];" for i in range(n)
    )
    store = " ".join(f"*({vector} *)(y + (s + {i}) * entries + e) = r[{i}];" for i in range(n))
    blank = " ".join(f"*({vector} *)(y + (s + {i}) * entries + e) = zero;" for i in range(n))
    squares = f"for (size_t s = 0; s < {tile}; s += {n}) for (size_t at = 0; at < entries; at += {n}) {{"
    place = f"const size_t e = entries < {n} || at + {n} <= entries ? at : entries - {n};"
    return "\n".join(
        [
            f"typedef {scalar} {vector} __attribute__((vector_size({n * width}), aligned({width}), may_alias));",
            f"static INLINE_ void square{n}_({vector} *r)",
            "{",
            f"    {vector} a, b;",
            *(f"    {stage}" for stage in stages),
            "}",
            "",
            f"static INLINE_ void turn_in{n}_(size_t entries, const {scalar} *restrict x, size_t step,",
            f"                              {scalar} *restrict u)",
            "{",
            f"    {squares}",
            f"        {place}",
            f"        {vector} r[{n}];",
            f"        {load}",
            f"        square{n}_(r);",
            f"        {keep}",
            "    }",
            "}",
            "",
            f"static INLINE_ void turn_out{n}_(size_t entries, const unsigned short *zeros,",
            f"                               const {scalar} *restrict v, {scalar} *restrict y)",
            "{",
            f"    {squares}",
            f"        {place}",
            f"        {vector} r[{n}];",
            f"        if (zeros && zeros[e] >= {n}) {{",
            f"            const {vector} zero = {{0}};",
            f"            {blank}",
            "            continue;",
            "        }",
            f"        {take}",
            f"        square{n}_(r);",
            f"        {store}",
            "    }",
            "}",
            "",
        ]
    )
