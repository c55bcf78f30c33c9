"""Hand-written code of the kernels: one file NAME.SUFFIX per kernel and language in this folder.

C, C in single precision and C++ use the text NAME.c; Fortran calls it. Rust in single precision uses the text NAME.rs.
Emitted Python contains the NumPy modules of `symoro.expr.kernels`, which also evaluate programs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from importlib import resources

from symoro.expr.number import in_single

# Kernels that consist of several files in some languages, in order.
_PARTS = {"closed_chain": ("closed_chain_equations", "closed_chain_roots", "closed_chain")}


def kernel_text(kernel: str, suffix: str, scalar: str = "double") -> str:
    """Return the implementation of a kernel in the language of a suffix; the scalar type is one of C."""
    folder = resources.files("symoro.emit.kernels")
    files = [folder / f"{part}{suffix}" for part in _PARTS.get(kernel, (kernel,))]
    text = "\n".join(_of_scalar(file.read_text(encoding="ascii"), scalar) for file in files if file.is_file())
    if suffix == ".rs":
        return in_rust(text, scalar)
    return text if scalar == "double" else in_float(text)


_SECTIONS = {f"/* -- {scalar} */\n": scalar for scalar in ("double", "float", "both")}


def _of_scalar(text: str, scalar: str) -> str:
    """Return the lines for a scalar type: those after "/* -- TYPE */" are for that type, until another such line."""
    section, lines = "both", []
    for line in text.splitlines(keepends=True):
        if line in _SECTIONS:
            section = _SECTIONS[line]
        elif section in ("both", scalar):
            lines.append(line)
    return "".join(lines)


# -- single precision and C++: the C text with some words replaced
#
#                         C, double           C, float           C++
#     a function          static double f_    static float f_    template <class Scalar> inline Scalar f_
#     the scalar          double              float              Scalar
#     a decimal           0.5                 0.5f               Scalar(0.5)
#     a tolerance         1e-14               6e-07f             Scalar(... ? 6e-07 : 1e-14), by its digits
#     a conversion        (double)n           (float)n           Scalar(n)
#     its bits            unsigned long long  uint32_t           (not used)
#     of the library      fabs(x)             fabsf(x)           abs(x), after using std::abs;
#     a constant          static const        static const       const
#
# The text before the line "From here on in the caller's type." computes in double for every scalar; in C++ it is
# `inline` and not a template.
#
# The texts follow these rules so that the table is complete. A function starts with `static` in the first column, as
# do its braces. A decimal has a point or an exponent; an integer has neither, and is not combined with a scalar. A
# decimal below the round-off of single precision is a tolerance (`symoro.expr.number.in_single`). Comments are /* */.
# Constants that depend on the precision, such as those of a polynomial, are in sections for each type (`_of_scalar`).
# A scalar needs + - * /, -=, < <= > == !=, the functions of the library, and a conversion from double.

_CALLERS_TYPE = "/* From here on in the caller's type. */\n"
LIBRARY = ("fabs", "sqrt", "cbrt", "cos", "sin", "tan", "acos", "atan2", "exp", "log", "ceil", "floor")
_WORDS = re.compile(
    r"(?P<comment>/\*.*?\*/)"
    r"|\((?P<type>double|int|closed_chain_real_)\)(?P<converted>\w+(?:\[[^\]]*\])?|\([^()]*\))"
    r"|\b(?P<scalar>double|f64)\b"
    r"|\b(?P<bits>unsigned long long)\b"
    r"|\b(?P<number>[0-9]+\.[0-9]+(?:e-?[0-9]+)?|[0-9]+e-?[0-9]+)\b"
    r"|\b(?P<infinity>INFINITY)\b"
    rf"|\b(?P<function>{'|'.join(LIBRARY)})(?=\()",
    re.DOTALL,
)
ROUND_OFF_OF_SINGLE = 2.0**-24
_FUNCTION = re.compile(r"^static (?:inline )?([^;={]*\n\{\n)(.*?^\}\n)", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Relative:
    """Replacements for words of C in a related language.

    Attributes:
        scalar: the type.
        bits: unsigned integer of the size of the type.
        number: template of a decimal.
        tolerance: template of a bound on round-off, {0} for double precision and {1} for single precision.
        infinity: infinity of math.h, which is valid in every precision.
        conversion: template of a conversion of {1}, in parentheses, to the type {0}.
        library: template of the name of a function of the library.
        renamed: functions of the library that have another name.
        opening: beginning of a function; "" for that of C.
        using: template of a line for each function of the library that a function calls.
        constant: replacement of `static const`.
    """

    scalar: str
    bits: str = "unsigned long long"
    number: str = "{0}"
    tolerance: str = "{0}"
    infinity: str = "INFINITY"
    conversion: str = "({0}){1}"
    library: str = "{0}"
    renamed: tuple[tuple[str, str], ...] = ()
    opening: str = ""
    using: str = ""
    constant: str = "static const"


FLOAT = Relative("float", bits="uint32_t", number="{0}f", tolerance="{1}f", library="{0}f")
RUST_FLOAT = Relative("f32", tolerance="{1}")
_CPP_DOUBLE = Relative(
    "double",
    conversion="{0}{1}",
    renamed=(("fabs", "abs"),),
    opening="inline ",
    using="    using std::{0};\n",
    constant="const",
)
CPP = replace(
    _CPP_DOUBLE,
    scalar="Scalar",
    number="Scalar({0})",
    tolerance="Scalar(std::numeric_limits<Scalar>::digits == 24 ? {1} : {0})",
    infinity="Scalar(INFINITY)",
    opening="template <class Scalar>\ninline ",
)


def in_float(text: str) -> str:
    """Return the C source of a kernel in single precision, including its numbers and mathematical functions.

    Functions that always compute in double precision are not changed.

    Args:
        text: C source of the kernel in double precision.
    """
    before, after = _halves(text)
    return before + _rewritten(after, FLOAT)


def in_rust(text: str, scalar: str) -> str:
    """Return the Rust source of a kernel in a precision: in single precision `f32` for `f64`, and other tolerances.

    Functions that always compute in double precision are not changed.

    Args:
        text: Rust source of the kernel in double precision.
        scalar: "double" or "float".
    """
    before, after = _halves(text)
    return before + (after if scalar == "double" else _rewritten(after, RUST_FLOAT))


def in_cpp(text: str) -> str:
    """Return the C source of a kernel as C++ function templates whose parameter is the scalar type.

    Functions that always compute in double precision become inline functions without a template parameter.

    Args:
        text: C source of the kernel.
    """
    before, after = _halves(text)
    return _rewritten(before, _CPP_DOUBLE) + _rewritten(after, CPP)


def in_device(text: str) -> str:
    """Return the text as CUDA device code; functions start with `static` in the first column.

    Those without `inline` are long: inlined, they take the compiler minutes.
    """
    text = re.sub(r"^static (?=inline )", "static __device__ ", text, flags=re.MULTILINE)
    return re.sub(
        r"^static (?!__device__|const )", "static __device__ __noinline__ ", text, flags=re.MULTILINE
    )


def _halves(text: str) -> tuple[str, str]:
    """Return the part of a kernel that always computes in double, and the part in the scalar type of the caller."""
    before, mark, after = text.partition(_CALLERS_TYPE)
    return (before, after) if mark else ("", text)


def _rewritten(text: str, relative: Relative) -> str:
    names = dict(relative.renamed)

    def word(match: re.Match[str]) -> str:
        kind, whole = match.lastgroup, match[0]
        if kind == "converted":
            what = match["converted"]
            inner = what if what.startswith("(") or relative.conversion[0] == "(" else f"({what})"
            return relative.conversion.format(match["type"].replace("double", relative.scalar), inner)
        if kind == "scalar":
            return relative.scalar
        if kind == "bits":
            return relative.bits
        if kind == "number":
            small = 0 < float(whole) < ROUND_OFF_OF_SINGLE
            return (
                relative.tolerance.format(whole, in_single(float(whole)))
                if small
                else relative.number.format(whole)
            )
        if kind == "infinity":
            return relative.infinity
        return relative.library.format(names.get(whole, whole)) if kind == "function" else whole

    def function(match: re.Match[str]) -> str:
        head, body = match.groups()
        called = {match["function"] for match in _WORDS.finditer(body)}
        using = [relative.using.format(names.get(name, name)) for name in LIBRARY if name in called]
        return relative.opening + head + "".join(using) + body

    if relative.opening:
        text = _FUNCTION.sub(function, text)
    return _WORDS.sub(word, text).replace("static const", relative.constant)
