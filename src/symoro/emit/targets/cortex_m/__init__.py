"""Cortex-M microcontrollers: C in single precision with startup code, linker script and an example for QEMU.

    NAME.h, NAME.c                   the model; the only files that another project needs
    main.c                           example: outputs, their error, instructions per call
    board.h, board.c                 console (semihosting) and timer for the example
    startup.c, link.ld, Makefile     program for the boards MPS2 of QEMU, with Cortex-M4 or Cortex-M7

The parameters are replaced by their numbers: all constants are computed in double precision and are literals of the
code, so that there is neither a setup function nor an array of constants. The code has no heap and no operations in
double precision, and requires an FPU of single precision.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources

from symoro.emit.c import call_code
from symoro.emit.clike import INDENT
from symoro.emit.code import Code
from symoro.emit.header import block, joint_lines
from symoro.emit.layout import call_arguments, wrap
from symoro.emit.target import Export, ExportFiles, Target, choice
from symoro.errors import OptionError
from symoro.expr.kernels import KERNELS
from symoro.files import MADE_BY
from symoro.program.bind import bind
from symoro.program.program import size

FIXED = ("main.c", "board.h", "board.c", "startup.c", "link.ld", "Makefile")
SCALARS = ("float",)
IN_DOUBLE = frozenset({"closed_chain"})  # kernels that compute in double precision for every scalar type
SMALLEST = 2.0**-149  # smallest positive number of single precision
SMALLEST_NORMAL = 2.0**-126  # smallest one with all digits
LARGEST = 3.4028235677973366e38  # numbers from here on are infinite in single precision
# An output is a residual that vanishes up to round-off if its entries, in double precision, are smaller than this part
# of the largest number of the example. Its error is relative to that number, of whose round-off it consists.
ROUND_OFF = 1e-9


def write(export: Export) -> ExportFiles:
    """Return the files of a program for a Cortex-M.

    Raises:
        OptionError: the name of the model is that of a fixed file, such as board.c, or the scalar is not 'float'.
    """
    scalar = choice(export, "scalar", SCALARS)
    if f"{export.base.lower()}.c" in FIXED:
        raise OptionError(
            f"name = '{export.base}' is not possible: {export.base.lower()}.c is a file of the example",
            hint="choose another name, for example that of the robot",
        )
    names = export.program.used_parameters
    program = bind(export.program, dict(zip(names, export.sample.parameters, strict=True)))
    code, sources = call_code(program, export.base, scalar)
    files: ExportFiles = {**sources}
    for file in FIXED:
        text = (resources.files(__name__) / file).read_text(encoding="ascii")
        for mark, replacement in _example(code, export).items():
            text = text.replace(f"@{mark}@", replacement)
        lines = [MADE_BY, *(joint_lines(program) if file == "main.c" else [])]
        files[file] = (f"# {MADE_BY}\n" if file == "Makefile" else block(lines)) + text
    return files


def _example(code: Code, export: Export) -> dict[str, str]:
    """Return the texts for the marks in the fixed files: the name of the model, and its example."""
    a = code.arrays
    known = export.expected or {}
    arrays = [_array(name, entries) for name, entries in zip(a.inputs, export.sample.inputs, strict=True)]
    outputs = []
    for name, out in zip(a.outputs, code.program.outputs, strict=True):
        length, columns = size(out.shape), out.shape[-1] if out.shape else 1
        arrays.append(f"{INDENT}static float {name}[{max(1, length)}];")
        outputs.append(f'{INDENT}show("{name}", {name}, {length}, {columns});')
        if out.name in known:
            arrays.append(_array(f"expected_{name}", known[out.name]))
            scale = _literal(_scale(known[out.name], export))
            outputs.append(f"{INDENT}compare({name}, expected_{name}, {length}, {scale});")
    call = f"{a.function}({', '.join([*call_arguments(code), *a.outputs])});"
    return {
        "NAME": a.base,
        "ARRAYS": "\n".join(arrays),
        "CALL": wrap(call, INDENT * 2),
        "OUTPUTS": "\n".join(outputs),
    }


def _scale(entries: Sequence[float], export: Export) -> float:
    """Return the size of an output in the example, to which its error is relative; see ROUND_OFF."""
    own = _largest(entries)
    overall = max(map(_largest, [*export.sample.inputs, *(export.expected or {}).values()]), default=0.0)
    scale = own if own > ROUND_OFF * overall else overall
    return scale if scale >= SMALLEST_NORMAL else 1.0


def _largest(numbers: Sequence[float]) -> float:
    """Return the largest absolute value of the finite numbers; 0 if there are none."""
    return max((abs(x) for x in numbers if abs(x) < LARGEST), default=0.0)


def _array(name: str, numbers: Sequence[float]) -> str:
    shown = ", ".join(map(_literal, numbers)) or "0"
    return wrap(f"{INDENT}static const float {name}[{max(1, len(numbers))}] = {{{shown}}};", INDENT * 2)


def _literal(x: float) -> str:
    """Return a number as a literal of single precision."""
    if x != x:
        return "NAN"
    if 0 < abs(x) < SMALLEST:
        return "0.0f"
    return f"{x!r}f" if abs(x) < LARGEST else "-INFINITY" if x < 0 else "INFINITY"


TARGET = Target(
    "cortex-m",
    "C for Cortex-M",
    write,
    aliases=("cortex", "microcontroller"),
    kernels=frozenset(KERNELS) - IN_DOUBLE,
    options={"scalar": "'float': the code is always in single precision"},
    commands=("make run",),
    remarks=(
        "This requires arm-none-eabi-gcc with newlib, and qemu-system-arm. `make run CPU=cortex-m7` selects another "
        "processor; `make size` prints the size of code and stack only.",
        "The code computes in single precision. The numbers of the parameters are part of it: export the model again "
        "after a change.",
        "The project of your own board needs only the source and the header of the model. Compile the source with "
        "`-O2 -fno-math-errno` and the flags of the FPU, which must be enabled before the first call.",
        "The example was run in QEMU, not on a board. QEMU counts instructions; a processor needs one or several clock "
        "cycles per instruction.",
    ),
    with_values=True,
)
