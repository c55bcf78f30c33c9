"""C++11, header only: NAME.hpp, a namespace symoro::NAME with templates for the scalar type.

    symoro::NAME::setup<Scalar>(const Scalar* p, Scalar* k)             parameters -> constants, if there are any
    symoro::NAME::call<Scalar>(const Scalar* q, const Scalar* k, Scalar* T)     one sample; matrices by rows
    symoro::NAME::batch<Scalar>(std::size_t n, ...)                     entry e of sample i is x[e * n + i]

NAME without namespace is a function of the C code of the same name, which can be used in the same program.

`Scalar` is double, float or a type with its own sin, cos ...: dual numbers, `casadi::SX`, `CppAD::AD<double>`. Choices
between values are written such that expressions and records of operations contain both (`kernels/choices.hpp`). A model
with a kernel that drops derivatives rejects such types when it is compiled.
"""

from __future__ import annotations

from symoro.emit import keywords
from symoro.emit.clike import Style, array_of, asks_for_numbers, batch_body, call_bodies, prototypes, sizes
from symoro.emit.code import Code, code_of
from symoro.emit.dialect import Dialect, Files, Language, plain_number
from symoro.emit.header import block, header_lines
from symoro.emit.joints import joint_indices
from symoro.emit.kernels import CPP, in_cpp, kernel_text
from symoro.emit.layout import call_arguments
from symoro.emit.sample import Sample
from symoro.expr import ops
from symoro.expr.graph import Number
from symoro.expr.kernels import KERNELS
from symoro.expr.number import in_single
from symoro.program.program import Program, size


def _number(value: Number) -> str:
    return f"Scalar({plain_number(value)})"


def _tolerance(value: float) -> str:
    return CPP.tolerance.format(value, in_single(value))


# Operations that choose between values, by `kernels/choices.hpp`.
_CHOICES = (ops.SIGN, ops.MIN, ops.MAX, *ops.COMPARISONS, ops.SELECT)
_CONDITIONS = {
    ops.LESS: "detail::of<Scalar>::less({0}, {1})",
    ops.LESS_EQUAL: "detail::of<Scalar>::less_equal({0}, {1})",
    ops.EQUAL: "detail::of<Scalar>::equal({0}, {1})",
}

DIALECT = Dialect(
    comment="/* {0} */",
    functions={
        ops.SIGN: "detail::sign<Scalar>({0})",
        ops.MIN: "detail::min<Scalar>({0}, {1})",
        ops.MAX: "detail::max<Scalar>({0}, {1})",
        **{op: f"detail::select<Scalar>({text}, Scalar(1), Scalar(0))" for op, text in _CONDITIONS.items()},
        ops.SELECT: "detail::select<Scalar>({0}, {1}, {2})",
    },
    conditions=_CONDITIONS,
    truth="detail::of<Scalar>::different({0}, Scalar(0))",
    undefined="detail::undefined<Scalar>({0}, {1})",
    number=_number,
    tolerance=_tolerance,
    leading_underscore=False,
    trailing_underscore=False,
    macros=keywords.MACROS,
    reserved=keywords.CPP,
    call_name="call",
    setup_name="setup",
    batch_name="batch",
)


_STANDARD = {
    ops.SQRT: "sqrt",
    ops.SIN: "sin",
    ops.COS: "cos",
    ops.TAN: "tan",
    ops.ASIN: "asin",
    ops.ACOS: "acos",
    ops.ATAN2: "atan2",
    ops.EXP: "exp",
    ops.ABS: "abs",
}


def write(program: Program, *, name: str | None = None) -> Files:
    """Return {"NAME.hpp": text}, the C++ header with the functions of a program."""
    code = code_of(program, DIALECT, name=name)
    base = code.arrays.base
    guard, details = f"{base.upper()}_HPP", _details(code)
    parts = [
        block(header_lines(code))
        + f"#ifndef {guard}\n#define {guard}\n\n#include <cmath>\n#include <cstddef>\n#include <limits>\n"
        + ("#include <type_traits>\n#include <utility>\n" if details else ""),
        *([kernel_text("finite", ".c")] if asks_for_numbers(code) else []),
        f"namespace symoro {{\nnamespace {base} {{\n",
        "\n".join(f"constexpr std::size_t {what} = {number};" for what, number in _constants(code)) + "\n",
        *details,
        *_functions(code),
        f"}} // namespace {base}\n}} // namespace symoro\n\n#endif\n",
    ]
    return {f"{base}.hpp": "\n".join(parts)}


def _constants(code: Code) -> list[tuple[str, int]]:
    """Return the sizes of the arrays and the positions of the joints in them, by name."""
    joints = [(f"{joint.kind}_{joint.identifier}", joint.index) for joint in joint_indices(code.program)]
    return [*sizes(code), *joints]


def _details(code: Code) -> list[str]:
    """Return the namespace with the helper functions and kernels that the code uses."""
    parts = []
    if not code.operations.isdisjoint(_CHOICES) or "solve" in code.kernels:
        parts.append(kernel_text("choices", ".hpp"))
    if set(code.kernels) - {"solve"}:
        parts.append(kernel_text("numbers", ".hpp"))
    for kernel in code.kernels:
        parts.append(in_cpp(kernel_text(kernel, ".c")))
        parts.append(kernel_text("solve_choices", ".hpp") if kernel == "solve" else _for_numbers(kernel))
    return ["namespace detail {\n", *parts, "} // namespace detail\n"] if parts else []


def _for_numbers(kernel: str) -> str:
    """Return a function that calls a kernel and rejects scalars with derivatives.

    Such a kernel branches on values and iterates in double precision, so that derivatives would be lost.
    """
    reason = (
        f"this model calls the kernel {kernel} ({KERNELS[kernel].title}), which branches on values and drops "
        "derivatives: the scalar type must be a number such as double; differentiate the model with symoro instead"
    )
    return (
        f"template <class Scalar, class... Arrays>\ninline void {kernel}_kernel(int n, Arrays... arrays)\n{{\n"
        f"    static_assert(decltype(is_number(std::declval<const Scalar&>(), 0))::value,\n"
        f'                  "{reason}");\n'
        f"    {kernel}_<Scalar>(n, arrays...);\n}}\n"
    )


def _functions(code: Code) -> list[str]:
    using = tuple(f"using std::{name};" for op, name in _STANDARD.items() if op in code.operations)
    style = Style("Scalar", "std::size_t", kernel="detail::{0}_kernel<Scalar>", first=using)
    bodies = [*call_bodies(code, style), batch_body(code, style)]
    pairs = zip(prototypes(code, style), bodies, strict=True)
    return [
        "\n".join(["template <class Scalar>", line, "{", *body.lines, "}"]) + "\n" for line, body in pairs
    ]


def demo(program: Program, numbers: Sample, name: str) -> Files:
    """Return {"NAME_example.cpp": text}, a main program that prints the outputs for sample numbers."""
    code = code_of(program, DIALECT, name=name)
    a = code.arrays
    results = [(array, out.shape) for array, out in zip(a.outputs, program.outputs, strict=True)]
    lines = [f'#include "{a.base}.hpp"', "", "#include <cstdio>", "", *_SHOW, "", "int main()", "{"]
    if code.constants:
        lines.append(array_of(f"const double {a.parameters}", numbers.parameters))
        lines.append(f"    double {a.constants}[{len(code.constants)}];")
    for array, entries in zip(a.inputs, numbers.inputs, strict=True):
        lines.append(array_of(f"const double {array}", entries))
    lines += [f"    double {array}[{max(1, size(shape))}];" for array, shape in results] + [""]
    if code.constants:
        lines.append(f"    symoro::{a.base}::{a.setup}<double>({a.parameters}, {a.constants});")
    arguments = ", ".join([*call_arguments(code), *a.outputs])
    lines += [f"    symoro::{a.base}::{a.function}<double>({arguments});", ""]
    for array, shape in results:
        lines.append(f'    show("{array}", {array}, {size(shape)}, {shape[-1] if shape else 1});')
    return {f"{a.base}_example.cpp": "\n".join([*lines, "    return 0;", "}"]) + "\n"}


_SHOW = [
    "static void show(const char* name, const double* x, int size, int columns)",
    "{",
    '    std::printf("%s =\\n", name);',
    "    for (int e = 0; e < size; ++e) {",
    '        std::printf("%16.9g%s", x[e], (e + 1) % columns == 0 ? "\\n" : " ");',
    "    }",
    "}",
]

LANGUAGE = Language("cpp", "C++11", ".hpp", write, aliases=("c++", "cxx", "hpp"), demo=demo)
