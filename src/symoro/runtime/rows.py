"""What stands between NumPy's rows and the emitted functions, of which that for batches wants one array an entry.

Samples are taken a block at a time: turned around into buffers that stay in the nearest cache, computed, turned back.
Where the batch function takes them one at a time, they are handed to the call function as they lie.
"""

from __future__ import annotations

from symoro.program.program import Program, size

BUFFER = 16384  # doubles in all buffers together


def packed_source(program: Program, name: str, *, constants: bool) -> dict[str, str]:
    """A C file with NAME_packed(arrays): the call function with its arguments in an array."""
    count = len(program.inputs) + len(program.outputs) + int(constants)
    arguments = ", ".join(f"a[{at}]" for at in range(count))
    text = f'#include "{name}.h"\n\nvoid {name}_packed(void *const *a)\n{{\n    {name}({arguments});\n}}\n'
    return {f"{name}_packed.c": text}


def rows_source(program: Program, name: str, *, constants: bool, blocks: bool) -> dict[str, str]:
    """A C file with NAME_rows(n, steps, inputs ..., [k,] outputs ...), for the emitted functions.

    `steps` holds, for each input, how far apart its samples are: 0 where all share one.

    Arguments:
        blocks: by NAME_batch, a block at a time; else by NAME, one sample at a time.
    """
    inputs = [size(port.shape) for port in program.inputs]
    outputs = [size(port.shape) for port in program.outputs]
    block = max(8, min(512, BUFFER // max(1, sum(inputs) + sum(outputs)) // 8 * 8))
    pointers = [f"const double *restrict x{a}" for a in range(len(inputs))]
    pointers += ["const double *restrict k"] if constants else []
    pointers += [f"double *restrict y{a}" for a in range(len(outputs))]
    lines = [f'#include "{name}.h"', ""]
    lines.append(f"void {name}_rows(size_t n, const size_t *restrict steps, {', '.join(pointers)})")
    lines.append("{")
    if not blocks:
        arguments = [f"x{a} + i * steps[{a}]" for a in range(len(inputs))] + (["k"] if constants else [])
        arguments += [f"y{a} + i * {n}" for a, n in enumerate(outputs)]
        lines += ["    for (size_t i = 0; i < n; ++i)", f"        {name}({', '.join(arguments)});", "}", ""]
        return {f"{name}_rows.c": "\n".join(lines)}
    lines += [f"    double u{a}[{max(1, n) * block}];" for a, n in enumerate(inputs)]
    lines += [f"    double v{a}[{max(1, n) * block}];" for a, n in enumerate(outputs)]
    lines.append(f"    for (size_t start = 0; start < n; start += {block}) {{")
    lines.append(f"        const size_t m = n - start < {block} ? n - start : {block};")
    for a, n in enumerate(inputs):
        lines.append(f"        for (size_t i = 0; i < m; ++i) for (size_t e = 0; e < {n}; ++e)")
        lines.append(f"            u{a}[e * m + i] = x{a}[(start + i) * steps[{a}] + e];")
    arguments = [f"u{a}" for a in range(len(inputs))] + (["k"] if constants else [])
    arguments += [f"v{a}" for a in range(len(outputs))]
    lines.append(f"        {name}_batch(m, {', '.join(arguments)});")
    for a, n in enumerate(outputs):
        lines.append(f"        for (size_t i = 0; i < m; ++i) for (size_t e = 0; e < {n}; ++e)")
        lines.append(f"            y{a}[(start + i) * {n} + e] = v{a}[e * m + i];")
    lines += ["    }", "}", ""]
    return {f"{name}_rows.c": "\n".join(lines)}
