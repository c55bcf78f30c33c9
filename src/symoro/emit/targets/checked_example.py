"""Example in C or C++ that evaluates a model for the sample, prints its outputs and compares them with known numbers.

An entry is accepted if it differs from the expected number by at most

    share * (largest entry of the output) + round_off * (largest entry of all inputs and outputs)

The second term admits round-off in outputs that vanish, such as the residuals of an inverse model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, isnan

from symoro.emit.code import CodeNames
from symoro.emit.header import clean
from symoro.emit.layout import wrap
from symoro.emit.target import Export
from symoro.files import MADE_BY
from symoro.program.program import size

# Dimensionless: the accepted share of the largest entry, and of the largest number of the computation (round-off).
SHARE = {"double": 1e-9, "float": 1e-4}
ROUND_OFF = {"double": 1e-13, "float": 1e-6}


@dataclass(frozen=True)
class ExampleCalls:
    """Parts of an example that depend on the language and on the interface of the model.

    Attributes:
        title: what the example shows, for its first comment.
        includes: lines that include the headers.
        arrays: names of the arrays.
        setup: lines that compute the constants from the array of parameters; empty if there are no constants.
        call: lines that compute the arrays of outputs from those of the inputs.
    """

    title: str
    includes: Sequence[str]
    arrays: CodeNames
    setup: Sequence[str]
    call: Sequence[str]


def checked_example(export: Export, calls: ExampleCalls, scalar: str) -> str:
    """Return the source of the example; it is valid in C99 and in C++11, apart from the given lines."""
    program, arrays, sample = export.program, calls.arrays, export.sample
    lines = [f"/* {clean(calls.title)}", f" * {MADE_BY} */", *calls.includes]
    lines += [
        "",
        "#include <math.h>",
        "#include <stdio.h>",
        "",
        *_check(export, scalar),
        "",
        "int main(void)",
        "{",
    ]
    if calls.setup:
        lines.append(_array(scalar, arrays.parameters, sample.parameters))
    for array, entries in zip(arrays.inputs, sample.inputs, strict=True):
        lines.append(_array(scalar, array, entries))
    for array, out in zip(arrays.outputs, program.outputs, strict=True):
        if export.expected is not None:
            lines.append(_array("double", f"{array}_expected", export.expected[out.name]))
        lines.append(f"    static {scalar} {array}[{max(1, size(out.shape))}];")
    lines += ["    int wrong = 0;", "", *(f"    {line}" for line in (*calls.setup, *calls.call)), ""]
    for array, out in zip(arrays.outputs, program.outputs, strict=True):
        known = f"{array}_expected" if export.expected is not None else "NULL"
        columns = out.shape[-1] if out.shape else 1
        lines.append(f'    wrong += check("{array}", {array}, {known}, {size(out.shape)}, {columns});')
    return "\n".join([*lines, "    return wrong != 0;", "}"]) + "\n"


def _array(scalar: str, name: str, numbers: Sequence[float]) -> str:
    """Return the definition of an array whose entries may be NaN or infinite."""
    suffix = "f" if scalar == "float" else ""

    def text(x: float) -> str:
        if isfinite(x):
            return f"{x!r}{suffix}"
        return "NAN" if isnan(x) else "INFINITY" if x > 0 else "-INFINITY"

    entries = ", ".join(map(text, numbers)) or "0"
    return wrap(f"    static const {scalar} {name}[{max(1, len(numbers))}] = {{{entries}}};", "        ")


def _check(export: Export, scalar: str) -> list[str]:
    """Return the function that prints an output and counts the entries that differ from the expected ones."""
    numbers = [x for entries in export.sample.inputs for x in entries]
    numbers += [x for entries in (export.expected or {}).values() for x in entries if isfinite(x)]
    round_off = ROUND_OFF[scalar] * max(map(abs, numbers), default=1.0)
    return [
        f"static int check(const char *name, const {scalar} *x, const double *expected, int size, int columns)",
        "{",
        "    double largest = 0;",
        "    int wrong = 0;",
        '    printf("%s =\\n", name);',
        "    for (int e = 0; e < size; ++e) {",
        '        printf("%16.9g%s", (double)x[e], (e + 1) % columns == 0 ? "\\n" : " ");',
        "        if (expected && fabs(expected[e]) > largest && fabs(expected[e]) < HUGE_VAL) {",
        "            largest = fabs(expected[e]);",
        "        }",
        "    }",
        "    for (int e = 0; expected && e < size; ++e) {",
        "        const double value = (double)x[e], known = expected[e];",
        f"        const double bound = {SHARE[scalar]!r} * largest + {round_off!r};",
        "        const int both_nan = value != value && known != known;",
        "        wrong += !(both_nan || value == known || fabs(value - known) <= bound);",
        "    }",
        "    if (wrong) {",
        '        printf("%s: %d of %d entries differ from the expected numbers\\n", name, wrong, size);',
        "    }",
        "    return wrong;",
        "}",
    ]
