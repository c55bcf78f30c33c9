"""Test the kernel texts: C, C++ and single precision have one text, emitted Python is the interpreter's."""

from __future__ import annotations

import ast
import inspect
import re
from collections import Counter
from importlib import import_module, resources
from pathlib import Path

import pytest

from symoro.emit import emit
from symoro.emit.kernels import LIBRARY, ROUND_OFF_OF_SINGLE, in_cpp, in_float, kernel_text
from symoro.expr.kernels import KERNELS, with_needs
from symoro.expr.number import in_single
from symoro.program.builder import Builder
from symoro.program.program import Program
from tests.emit.run import WARNINGS, command, need, put

LENGTHS = {
    "solve": (9, 3),
    "circle": (5,),
    "quartic": (5,),
    "closed_chain": (72, 6, 12),
    "refine": (84, 12, 20, 64),
}


def calling(*names: str) -> Program:
    """Return a program that only calls kernels."""
    b = Builder("model")
    for name in names:
        inputs = (b.input(f"{name}{i}", (n,)) for i, n in enumerate(LENGTHS[name]))
        b.output(f"of_{name}", b.call(name, *inputs))
    return b.program()


@pytest.mark.parametrize("name", KERNELS)
def test_emitted_python_is_the_text_that_gives_the_values(name: str) -> None:
    """Check that emitted Python contains all statements of the kernel modules."""
    emitted = {ast.dump(x) for x in ast.parse(emit(calling(name), "python")["model.py"]).body}
    text = inspect.getsource(import_module(f"symoro.expr.kernels.{name}"))
    ours = ast.parse(text.partition("# The following code is copied into emitted Python code.")[2]).body
    assert ours and {ast.dump(x) for x in ours} <= emitted


def test_one_text_a_language() -> None:
    files = [Path(file.name) for file in resources.files("symoro.emit.kernels").iterdir()]
    assert {f.suffix for f in files} <= {
        ".c",
        ".cu",
        ".f90",
        ".hpp",
        ".m",
        ".jl",
        ".js",
        ".mpl",
        ".rs",
        ".wl",
        ".py",
        "",
    }
    names = [f.stem for f in files if f.suffix == ".c"]
    assert {*KERNELS} <= {*names} and max(Counter(names).values()) == 1
    assert {*KERNELS} <= {f.stem for f in files if f.suffix == ".rs"}


@pytest.mark.parametrize("name", KERNELS)
def test_nothing_of_the_c_text_is_lost(name: str) -> None:
    """Check that rewritten text has the same words in the same order, except those of the table."""

    def words(text: str) -> list[str]:
        text = re.sub(
            r"/\*.*?\*/|    using std::\w+;\n|template <class Scalar>\n", " ", text, flags=re.DOTALL
        )
        text = re.sub(r"\b(Scalar|double|float|inline|static|int|closed_chain_real_)\b|[()]", " ", text)
        text = re.sub(r"\bfabsf?\b", "abs", re.sub(r"\b(\d[\d.e-]*)f\b", r"\1", text))
        text = re.sub(r"\b(sqrt|cbrt|cos|sin|acos|atan2|exp|log)f\b", r"\1", text)
        return re.findall(r"\w+|\S", text)

    given = kernel_text(name, ".c")
    # A tolerance below the round-off of single precision has another value there: both are replaced by one sign.
    small = [x for x in re.findall(r"\b\d[\d.]*e-\d+\b", given) if float(x) < ROUND_OFF_OF_SINGLE]
    texts = [
        given,
        in_float(given),
        re.sub(r"Scalar\(std::numeric_limits[^?]*\? [^:]* : (\S+?)\)", r"\1", in_cpp(given)),
    ]
    for x in small:
        texts = [text.replace(f"{in_single(float(x))}f", "@").replace(x, "@") for text in texts]
    plain, single, template = (words(text) for text in texts)
    assert template == single == plain


def test_the_c_text_is_cpp_and_cuda_too(tmp_path: Path) -> None:
    """Check that the C text is valid C++ and, with `__device__ static` for `static`, CUDA code in double."""
    text = "\n".join(kernel_text(name, ".c") for name in with_needs(KERNELS))
    calls = [f"    {name}_(n{', a' * (len(lengths) + 1)});" for name, lengths in LENGTHS.items()]
    put(
        tmp_path,
        {"kernels.cpp": "\n".join(["#include <math.h>", text, "void all_of_them(int n, double *a)"])},
    )
    with (tmp_path / "kernels.cpp").open("a") as file:
        file.write("\n".join(["", "{", *calls, "}", ""]))
    command(need("g++"), "-std=c++11", *WARNINGS, "-fsyntax-only", "kernels.cpp", cwd=tmp_path)
    device = "__attribute__((device))"
    library = []  # a number that is not a double selects the deleted template, which nvcc rejects as well
    for function, more in (("atan2", 1), *((name, 0) for name in LIBRARY if name != "atan2")):
        library.append(f'extern "C" {device} double {function}(double{", double" * more});')
        types, arguments = "class A" + ", class B" * more, "A" + ", B" * more
        library.append(f"template <{types}> {device} double {function}({arguments}) = delete;")
    library += ["#define INFINITY __builtin_inff()", f"#define static {device} static"]
    start = "__attribute__((global)) void all_of_them(int n, double *a)"
    put(tmp_path, {"kernels.cu": "\n".join([*library, text, "#undef static", start, "{", *calls, "}", ""])})
    flags = ["-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib", "-Wno-unknown-cuda-version"]
    command(
        need("clang"), *flags, "--cuda-gpu-arch=sm_70", "-S", "kernels.cu", "-o", "kernels.ptx", cwd=tmp_path
    )


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_cpp_without_warnings(tmp_path: Path, compiler: str) -> None:
    """Check three scalar types, without remains of C such as C casts or macros."""
    tool = need(compiler)
    files = emit(calling(*KERNELS), "cpp")
    assert "#define" not in files["model.hpp"].replace("#define MODEL_HPP", "")
    calls = []
    pointers = sum(map(len, LENGTHS.values())) + len(KERNELS)
    for scalar in ("float", "double", "long double"):
        nulls = ", ".join(["nullptr"] * pointers)
        calls.append(f"    if (never) {{ symoro::model::call<{scalar}>({nulls}); }}")
    main = ["bool never = false;", "int main()", "{", *calls, "    return 0;", "}"]
    put(tmp_path, files | {"use.cpp": "\n".join(['#include "model.hpp"', *main, ""])})
    flags = ["-std=c++11", *WARNINGS, "-Wold-style-cast", "-Wno-null-dereference"]
    command(tool, *flags, "use.cpp", "-o", "use", cwd=tmp_path)
    command(tmp_path / "use")


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("scalar", ["double", "float"])
def test_c_without_warnings(tmp_path: Path, compiler: str, scalar: str) -> None:
    tool = need(compiler)
    put(tmp_path, emit(calling(*KERNELS), "c", scalar=scalar))
    more = [] if scalar == "double" else ["-Wdouble-promotion"]
    command(tool, "-std=c99", *WARNINGS, *more, "-c", "model.c", "-o", "model.o", cwd=tmp_path)
