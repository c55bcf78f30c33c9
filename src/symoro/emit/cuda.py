"""CUDA C++: NAME.cu, NAME.h and NAME_example.cu, with one thread per sample.

    void NAME_setup(const double *p, double *k);       on the host: parameters -> constants, if there are any
    cudaError_t NAME_launch(int n, const double *q, const double *k, double *tau, cudaStream_t stream);

Inputs and outputs are arrays of the device; `k` is an array of the host, passed to the kernel by value, so that every
launch may have other values. An array is stored by samples, entry e of sample i at x[i * entries + e], or by entries,
at x[e * n + i]. Outputs with more than MOST_BY_SAMPLES entries are always stored by entries: the stores of neighbouring
threads would otherwise be far apart, and the memory would be used to less than a tenth of its bandwidth.

Sines and cosines are computed together by polynomials (`kernels/sincos_double.cu`, `kernels/sincos_float.cu`), or with
trig="fast" in single precision by the special function unit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from symoro.emit import c, keywords
from symoro.emit.clike import INDENT, Style, array_of, call_bodies, line_groups, runs, sizes
from symoro.emit.code import Code, code_of
from symoro.emit.dialect import Files, Language, plain_number
from symoro.emit.header import block, header_lines, joint_lines
from symoro.emit.kernels import in_device, in_float, kernel_text
from symoro.emit.layout import helpers, wrap
from symoro.emit.parts import LineGroup, whole
from symoro.emit.sample import Sample, sample_of
from symoro.emit.vectors import FEWEST_ANGLES, Turn
from symoro.errors import OptionError
from symoro.expr import ops
from symoro.expr.evaluate import evaluate
from symoro.expr.graph import Number
from symoro.expr.number import in_single
from symoro.files import MADE_BY
from symoro.program.passes.schedule import peak_live
from symoro.program.program import Output, Program, size

SCALARS = ("double", "float")
TRIG = ("accurate", "fast")
LAYOUTS = ("samples", "entries")
MOST_BY_SAMPLES = 16  # outputs with more entries are stored by entries in every layout
THREADS = 128  # threads per block
MOST_LOADS_FIRST = 64  # entries of inputs, a quarter of the registers of a thread
FREE_REGISTERS = (
    200  # of the 255 registers of a thread; the others contain addresses and intermediate results
)
MOST_BYTES = 3072  # bytes of constants passed by value; every device accepts 4096 bytes of arguments


def _number(value: Number) -> str:
    """Return a number with a decimal point, because the library has no functions of integers on a device."""
    text = plain_number(value)
    return f"{text}.0" if text.isdigit() else text


_HELPERS = {
    op: text.replace("static ", "static __host__ __device__ ") for op, text in c.DOUBLE.helpers.items()
}
_DOUBLE = replace(
    c.DOUBLE,
    functions={**c.DOUBLE.functions, ops.SIN: "sin_({0})", ops.COS: "cos_({0})"},
    number=_number,
    macros=("{0}_H", "{0}_PARAMETERS", "{0}_CONSTANTS"),
    reserved=keywords.CUDA,
    helpers=_HELPERS,
    turns=FEWEST_ANGLES,
    batch_name="{0}_launch",
)
_FLOAT = replace(
    _DOUBLE,
    functions={**c.FLOAT.functions, ops.SIN: "sin_({0})", ops.COS: "cos_({0})"},
    number=lambda value: _number(value) + "f",
    tolerance=lambda value: _number(in_single(value)) + "f",
    helpers={op: in_float(text) for op, text in _HELPERS.items()},
)
_DIALECTS = {"double": _DOUBLE, "float": _FLOAT}


@dataclass(frozen=True)
class DeviceCode:
    """Device code of a program in one precision; the text of the kernel depends on the storage of the arrays.

    Attributes:
        scalar, trig: precision and kind of trigonometry.
        kernel: name of the kernel.
        by_value: whether the constants are an argument by value; otherwise a pointer to an array of the device.
    """

    code: Code
    scalar: str
    trig: str

    @property
    def kernel(self) -> str:
        return f"{self.code.arrays.base}_kernel"

    @property
    def constants(self) -> int:
        """Return the number of constants."""
        return len(self.code.constants)

    @property
    def by_value(self) -> bool:
        return self.constants * (4 if self.scalar == "float" else 8) <= MOST_BYTES

    def constants_of(self, values: Mapping[str, float]) -> list[float]:
        """Return the constants for numbers of all parameters."""
        program = self.code.program
        lits = [i << 1 | program.names.get(i, ("", 0))[1] for i in program.constants]
        return [float(x) for x in evaluate(program.graph, lits, values)]

    def text(self, rows: Sequence[bool]) -> str:
        """Return helpers and kernel, without any include.

        Args:
            rows: for each input and output, whether its entries are adjacent; the distance of entries is otherwise an
                argument.
        """
        return "\n".join([*_helpers(self.code, self.scalar, self.trig), self._kernel(rows)])

    def _exceeds_registers(self) -> bool:
        """Return whether the values that are live at the same time may exceed the registers of a thread."""
        program = self.code.program
        words = 1 if self.scalar == "float" else 2
        return not self.code.kernels and words * peak_live(program, program.nodes) > FREE_REGISTERS

    def _kernel(self, rows: Sequence[bool]) -> str:
        code, a, scalar = self.code, self.code.arrays, self.scalar
        arrays = [*a.inputs, *a.outputs]
        apart = {name for name, row in zip(arrays, rows, strict=True) if not row}

        def entry(array: str, e: int) -> str:
            if array not in apart or not e:
                return f"{array}[{e}]"
            return f"{array}[{e}*{array}_entry_]"

        arguments = [f"int {a.count}"]
        for name in arrays:
            kind = "const " if name in a.inputs else ""
            arguments += [f"{kind}{scalar} *__restrict__ {name}", f"long long {name}_sample_"]
            arguments.append(f"long long {name}_entry_")
        if self.constants:
            kind = f"const {a.base}_constants " if self.by_value else f"const {scalar} *__restrict__ "
            arguments.append(f"{kind}{'constants_' if self.by_value else a.constants}")
        head = f"__global__ void __launch_bounds__({THREADS}) {self.kernel}({', '.join(arguments)})"
        lines = [wrap(f'extern "C" {head}', marks=","), "{"]
        lines += _SPILLING if self._exceeds_registers() else []
        lines.append(f"{INDENT}const int {a.index} = blockIdx.x*{THREADS} + threadIdx.x;")
        lines.append(f"{INDENT}if ({a.index} >= {a.count}) return;")
        if self.constants and self.by_value:
            lines.append(f"{INDENT}const {scalar} *const {a.constants} = constants_.{a.constants};")
        lines += [f"{INDENT}{name} += {a.index}*{name}_sample_;" for name in arrays]
        large = {name for name, port in zip(a.outputs, code.program.outputs, strict=True) if _is_large(port)}
        style = Style(scalar, streamed=frozenset(large & apart))
        together = []
        if code.turns:
            steps = frozenset(step for turn in code.turns for step in turn.steps)
            together.append((steps, _turns(code.turns, scalar, self.trig)))
        for run in runs(code):
            (output, first), after = run[0], run[-1].entry + 1
            name = a.outputs[output]
            target = f"{name}[e_*{name}_entry_]" if name in apart else f"{name}[e_]"
            loop = f"{INDENT}for (int e_ = {first}; e_ < {after}; ++e_)"
            lines.append(f"{loop} {style.store(name, target, code.outputs[output][first])}")
        lines += whole(_loads_first(code, line_groups(code, style, INDENT, entry, together)))
        struct = f"struct {a.base}_constants {{\n{INDENT}{scalar} {a.constants}[{self.constants}];\n}};\n\n"
        return (struct if self.constants and self.by_value else "") + "\n".join([*lines, "}"]) + "\n"


# ptxas of CUDA 13 and later can use shared memory before local memory, which is in the second-level cache.
_SPILLING = [
    "#if __CUDACC_VER_MAJOR__ >= 13 /* values that exceed the registers are kept in shared memory first */",
    f'{INDENT}asm volatile(".pragma \\"enable_smem_spilling\\";");',
    "#endif",
]


def _loads_first(code: Code, groups: Sequence[LineGroup]) -> list[LineGroup]:
    """Return the lines of a kernel with the loads of inputs first, so that they wait for the memory together.

    The branch for large angles would otherwise separate them. Many inputs stay where they are, because they would
    occupy registers.
    """
    loads = {load.name for load in code.loads}
    if len(loads) > MOST_LOADS_FIRST:
        return list(groups)
    is_load = [group.fetched and loads.issuperset(group.names) for group in groups]
    first = [group for group, load in zip(groups, is_load, strict=True) if load]
    return first + [group for group, load in zip(groups, is_load, strict=True) if not load]


def device_code(
    program: Program, name: str | None, scalar: str = "double", trig: str = "accurate"
) -> DeviceCode:
    """Return the device code of a program."""
    return DeviceCode(code_of(program, _DIALECTS[scalar], name=name, fused=True), scalar, trig)


def _is_large(port: Output) -> bool:
    return size(port.shape) > MOST_BY_SAMPLES


def rows_of(program: Program, layout: str) -> list[bool]:
    """Return for each input and output whether it is stored by samples in a layout."""
    outputs = [layout == "samples" and not _is_large(port) for port in program.outputs]
    return [layout == "samples"] * len(program.inputs) + outputs


def _helpers(code: Code, scalar: str, trig: str) -> list[str]:
    parts = helpers(code.operations, _DIALECTS[scalar])
    if not code.operations.isdisjoint((ops.SIN, ops.COS)):
        parts += _trigonometry(scalar, trig)
    texts = [kernel_text(kernel, ".c") for kernel in code.kernels]
    return parts + [in_device(text if scalar == "double" else in_float(text)) for text in texts]


def _trigonometry(scalar: str, trig: str) -> list[str]:
    """Return sincos_ of the device, and sin_ and cos_ of host and device."""
    end = "f" if scalar == "float" else ""
    fast = _is_fast(scalar, trig)
    texts = [kernel_text("sincos_fast" if fast else f"sincos_{scalar}", ".cu")]
    for name, result in (("sin", "s"), ("cos", "c")):
        value = result if fast else f"x*x > SINCOS_LIMIT_ ? {name}_far_(x) : {result}"
        if not fast:
            far = f"[[maybe_unused]] static __device__ __noinline__ {scalar} {name}_far_({scalar} x)"
            texts.append(f"{far}\n{{\n    return {name}{end}(x);\n}}\n")
        lines = [
            f"[[maybe_unused]] static __host__ __device__ inline {scalar} {name}_({scalar} x)",
            "{",
            "#ifdef __CUDA_ARCH__",
            f"    {scalar} s, c;",
            "    sincos_(x, &s, &c);",
            f"    return {value};",
            "#else",
            f"    return {name}{end}(x);",
            "#endif",
            "}",
        ]
        texts.append("\n".join(lines) + "\n")
    return texts


def _is_fast(scalar: str, trig: str) -> bool:
    return trig == "fast" and scalar == "float"


def _turns(turns: Sequence[Turn], scalar: str, trig: str) -> list[str]:
    """Return sines and cosines of the early angles; the library computes them again if an angle is large."""
    lines, again = [], []
    for at, turn in enumerate(turns, 1):
        names = [turn.names.get(op, f"unused{at}_") for op in (ops.SIN, ops.COS)]
        lines.append(f"{scalar} {', '.join(names)};")
        lines.append(f"sincos_({turn.argument}, &{names[0]}, &{names[1]});")
        for op, function in ((ops.SIN, "sin_far_"), (ops.COS, "cos_far_")):
            if op in turn.names:
                again.append(f"{INDENT}{turn.names[op]} = {function}({turn.argument});")
    if _is_fast(scalar, trig):
        return lines
    squares = " + ".join(f"({turn.argument})*({turn.argument})" for turn in turns)
    return [*lines, f"if ({squares} > SINCOS_LIMIT_) {{", *again, "}"]


# -- files


def write(
    program: Program,
    *,
    name: str | None = None,
    scalar: str = "double",
    trig: str = "accurate",
    layout: str = "samples",
    values: Mapping[str, float] | None = None,
    sample: Mapping[str, Sequence[float]] | None = None,
) -> Files:
    """Return {NAME.cu, NAME.h, NAME_example.cu}."""
    for option, value, valid in (
        ("scalar", scalar, SCALARS),
        ("trig", trig, TRIG),
        ("layout", layout, LAYOUTS),
    ):
        if value not in valid:
            raise OptionError(
                f"{option} = {value!r} is not supported in CUDA",
                hint=f"choose {' or '.join(repr(each) for each in valid)}",
            )
    device = device_code(program, name, scalar, trig)
    rows = rows_of(program, layout)
    head, base = block(header_lines(device.code)), device.code.arrays.base
    return {
        f"{base}.h": head + _header(device, rows),
        f"{base}.cu": head + _source(device, rows),
        f"{base}_example.cu": _example(device, rows, sample_of(program, values, sample)),
    }


def _launch_prototype(device: DeviceCode) -> str:
    a, scalar = device.code.arrays, device.scalar
    arguments = [f"int {a.count}", *(f"const {scalar} *{name}" for name in a.inputs)]
    arguments += [f"const {scalar} *{a.constants}"] if device.constants else []
    arguments += [f"{scalar} *{name}" for name in a.outputs]
    return wrap(f"cudaError_t {a.batch}({', '.join(arguments)}, cudaStream_t stream)", marks=",")


def _setup_prototype(device: DeviceCode) -> str:
    a, scalar = device.code.arrays, device.scalar
    return f"void {a.setup}(const {scalar} *{a.parameters}, {scalar} *{a.constants})"


def _lengths(code: Code) -> list[int]:
    """Return the number of entries of each input and output."""
    return [size(port.shape) for port in code.program.inputs] + [
        size(port.shape) for port in code.program.outputs
    ]


def _storage(device: DeviceCode, rows: Sequence[bool]) -> list[str]:
    """Return the description of the storage of all arrays."""
    a = device.code.arrays
    pairs = [*zip([*a.inputs, *a.outputs], rows, strict=True)]
    by = {True: [name for name, row in pairs if row], False: [name for name, row in pairs if not row]}
    place = {True: f"x[{a.index} * entries + e]", False: f"x[e * {a.count} + {a.index}]"}
    lines = [
        f"{' '.join(by[row])}: entry e of sample {a.index} is {place[row]}"
        for row in (True, False)
        if by[row]
    ]
    if device.constants:
        where = "host" if device.by_value else "device"
        lines.append(f"{a.constants}: array of the {where}, shared by all samples")
    return lines


def _header(device: DeviceCode, rows: Sequence[bool]) -> str:
    code = device.code
    base, upper = code.arrays.base, code.arrays.base.upper()
    lines = [f"#ifndef {upper}_H", f"#define {upper}_H", "", "#include <cuda_runtime_api.h>", ""]
    lines += [f"#define {upper}_{what} {number}" for what, number in sizes(code)]
    lines += ["", "#ifdef __cplusplus", 'extern "C" {', "#endif", ""]
    if device.constants:
        lines += [
            "/* Constants from parameters, on the host; call it again after a parameter has changed. */"
        ]
        lines += [f"{_setup_prototype(device)};", ""]
    lines += [
        f"/* Starts one thread per sample on a stream; {code.arrays.count} samples in arrays of the device:"
    ]
    lines += [f" * {line}" for line in _storage(device, rows)]
    lines += [
        " * Matrices are stored by rows; arrays must not overlap. */",
        f"{_launch_prototype(device)};",
        "",
    ]
    lines += ["#ifdef __cplusplus", "}", "#endif", "", f"#endif /* {base}.h */"]
    return "\n".join(lines) + "\n"


def _source(device: DeviceCode, rows: Sequence[bool]) -> str:
    code, a = device.code, device.code.arrays
    parts = [f'#include "{a.base}.h"\n\n#include <math.h>\n', device.text(rows)]
    if device.constants:
        setup = call_bodies(code, Style(device.scalar))[0]
        parts.append("\n".join([f'extern "C" {_setup_prototype(device)}', "{", *setup.lines, "}"]) + "\n")
    lines = [
        f'extern "C" {_launch_prototype(device)}',
        "{",
        f"{INDENT}if ({a.count} <= 0) return cudaSuccess;",
    ]
    arguments = [a.count]
    for name, length, row in zip([*a.inputs, *a.outputs], _lengths(code), rows, strict=True):
        arguments += [name, str(length), "1"] if row else [name, "1", a.count]
    if device.constants and device.by_value:
        lines.append(f"{INDENT}{a.base}_constants constants_;")
        copied = f"constants_.{a.constants}[e_] = {a.constants}[e_];"
        lines.append(f"{INDENT}for (int e_ = 0; e_ < {device.constants}; ++e_) {copied}")
    if device.constants:
        arguments.append("constants_" if device.by_value else a.constants)
    blocks = f"{INDENT}const int blocks_ = {a.count}/{THREADS} + ({a.count} % {THREADS} != 0);"
    call = f"{INDENT}{device.kernel}<<<blocks_, {THREADS}, 0, stream>>>({', '.join(arguments)});"
    lines += [blocks, wrap(call, INDENT * 2, marks=","), f"{INDENT}return cudaGetLastError();", "}"]
    parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _example(device: DeviceCode, rows: Sequence[bool], sample: Sample) -> str:
    """Return a program that evaluates the model for many equal samples and prints the outputs of the last one."""
    code, a, scalar = device.code, device.code.arrays, device.scalar
    program = code.program
    arrays = [*a.inputs, *a.outputs]
    lines = [
        f"/* Example for {a.base}: evaluates the model for many equal samples and prints the outputs of one.",
        *(f" * {line}" for line in joint_lines(program)),
        f" * {MADE_BY} */",
        f'#include "{a.base}.h"',
        "",
        "#include <stdio.h>",
        "#include <stdlib.h>",
        "",
        *_EXAMPLE_FUNCTIONS.replace("double", scalar).splitlines(),
        "",
        "int main(void)",
        "{",
    ]
    if code.constants:
        lines.append(array_of(f"const {scalar} {a.parameters}", sample.parameters))
        lines.append(f"    {scalar} {a.constants}[{len(code.constants)}];")
        lines.append(f"    {a.setup}({a.parameters}, {a.constants});")
    for name, entries in zip(a.inputs, sample.inputs, strict=True):
        lines.append(array_of(f"const {scalar} {name}_sample", entries))
    given = [*(f"{name}_sample" for name in a.inputs), *["NULL"] * len(a.outputs)]
    for name, length, row, numbers in zip(arrays, _lengths(code), rows, given, strict=True):
        lines.append(f"    {scalar} *{name} = to_device({numbers}, {length}, {int(row)});")
    constants = [a.constants] if code.constants else []
    if code.constants and not device.by_value:
        constants = [f"{a.constants}_device"]
        lines.append(f"    {scalar} *{constants[0]} = to_device({a.constants}, {len(code.constants)}, 2);")
    arguments = ", ".join(["SAMPLES", *a.inputs, *constants, *a.outputs, "0"])
    lines += ["", wrap(f"    checked({a.batch}({arguments}));", "        ", marks=",")]
    shapes = [out.shape for out in program.outputs]
    for name, shape, row in zip(a.outputs, shapes, rows[len(a.inputs) :], strict=True):
        columns = shape[-1] if shape else 1
        lines.append(f'    show("{name}", {name}, {size(shape)}, {int(row)}, {columns});')
    lines += [f"    checked(cudaFree({name}));" for name in arrays]
    lines += [f"    checked(cudaFree({name}));" for name in constants if name not in (a.constants,)]
    return "\n".join([*lines, "    return 0;", "}"]) + "\n"


_EXAMPLE_FUNCTIONS = """\
#define SAMPLES 1000

static void checked(cudaError_t status)
{
    if (status != cudaSuccess) {
        fprintf(stderr, "CUDA: %s\\n", cudaGetErrorString(status));
        exit(1);
    }
}

/* Position of an entry of a sample in an array that is stored by samples (1), by entries (0) or shared (2). */
static size_t place(int sample, int entry, int entries, int by_samples)
{
    if (by_samples == 2) return (size_t)entry;
    return by_samples ? (size_t)sample*entries + entry : (size_t)entry*SAMPLES + sample;
}

/* Array of the device with the same numbers in all samples; not initialised if x is NULL. */
static double *to_device(const double *x, int entries, int by_samples)
{
    const size_t bytes = sizeof(double)*SAMPLES*(entries ? entries : 1);
    double *host = (double *)calloc(bytes, 1);
    double *device = NULL;
    for (int i = 0; x && i < SAMPLES; ++i) {
        for (int e = 0; e < entries; ++e) host[place(i, e, entries, by_samples)] = x[e];
    }
    checked(cudaMalloc((void **)&device, bytes));
    checked(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
    free(host);
    return device;
}

static void show(const char *name, const double *device, int entries, int by_samples, int columns)
{
    const size_t bytes = sizeof(double)*SAMPLES*(entries ? entries : 1);
    double *host = (double *)malloc(bytes);
    checked(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
    printf("%s =\\n", name);
    for (int e = 0; e < entries; ++e) {
        const double x = host[place(SAMPLES - 1, e, entries, by_samples)];
        printf("%16.9g%s", (double)x, (e + 1) % columns == 0 ? "\\n" : " ");
    }
    free(host);
}
"""


LANGUAGE = Language(
    "cuda",
    "CUDA C++",
    ".cu",
    write,
    aliases=("cu",),
    options={
        "scalar": "'double' or 'float'",
        "trig": (
            "sines and cosines: 'accurate' (error 1e-14, or 1e-6 in float) or 'fast' (special "
            "functions of the device, in float)"
        ),
        "layout": "layout of the arrays: 'samples' (sample by sample) or 'entries' (entry by entry)",
        "values": "numbers for parameters in the example",
        "sample": "numbers for inputs in the example",
    },
)
