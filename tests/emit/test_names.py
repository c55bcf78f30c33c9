"""Test names: valid, unique, and as close as possible to the requested ones."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symoro.emit import (
    LANGUAGES,
    c,
    cpp,
    emit,
    fortran,
    javascript,
    julia,
    maple,
    mathematica,
    matlab,
    python,
    rust,
    text,
)
from symoro.emit.dialect import Dialect
from symoro.emit.names import Names, identifier
from symoro.expr.scalar import atan2, cos, maximum, minimum, sign, sin
from symoro.program.builder import Builder
from symoro.program.program import Program
from tests.emit.programs import everything, trivial
from tests.emit.run import command, need, put

DIALECTS = {
    "c": c.DOUBLE,
    "cpp": cpp.DIALECT,
    "fortran": fortran.DIALECT,
    "javascript": javascript.DIALECT,
    "julia": julia.DIALECT,
    "maple": maple.DIALECT,
    "mathematica": mathematica.DIALECT,
    "matlab": matlab.DIALECT,
    "python": python.DIALECT,
    "rust": rust.DIALECT,
    "text": text.DIALECT,
}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("q1", "q1"),
        ("fast-geometry rx90", "fast_geometry_rx90"),
        ("2R", "x2R"),
        ("", "x"),
        ("é", "u00e9"),
        ("*/", "x"),
    ],
)
def test_identifier(name: str, expected: str) -> None:
    assert identifier(name) == expected


@pytest.mark.parametrize("language", DIALECTS)
@given(wanted=st.lists(st.text(max_size=70), max_size=20))
def test_claimed_names_are_legal_and_distinct(language: str, wanted: list[str]) -> None:
    dialect = DIALECTS[language]
    names = Names(dialect)
    result = [names.claim(name) for name in [*wanted, *wanted, *sorted(dialect.reserved)[:5]]]
    seen = [name.lower() if dialect.fold_case else name for name in result]
    assert len(set(seen)) == len(seen)
    assert not set(result) & dialect.reserved
    for name in result:
        assert re.fullmatch(r"[A-Za-z_$][A-Za-z0-9_$]*", name) and len(name) <= dialect.longest
        assert dialect.leading_underscore or name[0] != "_"
        assert "_" not in name or dialect.underscore == "_"


def test_fortran_does_not_tell_case_apart() -> None:
    names = Names(Dialect(fold_case=True))
    assert [names.claim(n) for n in ("D3", "d3", "D3_2", "d3")] == ["D3", "d3_2", "D3_2_2", "d3_3"]


def test_python_keywords_are_reserved() -> None:
    assert set(keyword.kwlist) <= python.DIALECT.reserved


@pytest.mark.parametrize("language", LANGUAGES)
def test_hostile_names_stay_inside_their_comment(language: str) -> None:
    """Check that names and titles from files cannot become code."""
    b = Builder('x"; system("evil") //')
    (q,) = b.input("q", (1,), ["q\n*/ int evil;"])
    evil = 'a */ (* b *) \\\n evil() """ } \\end{document} #evil \r\n system("evil")'
    b.output("y", [q * b.parameter("a);evil(")], evil)
    program = b.program(title=evil)
    for file, written in emit(program, language).items():
        assert re.fullmatch(r"[A-Za-z0-9_$]+\.(d\.)?\w+", file)
        body = _without_comments(written, language).replace('"a);evil("', "").replace("'a);evil('", "")
        for piece in ("system(", "evil(", "int evil", "*/", "\\end{document} "):
            assert piece not in body


def _without_comments(written: str, language: str) -> str:
    blocks = {"mathematica": r"\(\*.*?\*\)", "text": r".*?\n-{20,}\n"}
    blocks |= dict.fromkeys(("c", "cpp", "cuda", "javascript"), r"/\*.*?\*/")
    if language in blocks:
        return re.sub(blocks[language], "", written, flags=re.S)
    mark = {"fortran": "!", "matlab": "%", "latex": "%", "rust": "//"}.get(language, "#")
    body = re.sub(rf"^{mark}.*$", "", written, flags=re.M)
    return re.sub(r"\\section\*.*", "", body)


AWKWARD = """
    INLINE_ LANES_ RARE_ LOOSE_ LIBRARY_ SIMD_ SINCOS_ SINCOS_LIMIT_ ATAN2_ reach_ far_ far1_ arc1_
    angle_ sine_ cosine_ unused1_ x_ y_ e_ lanes_ words_ sincos_ sincos4_ atan2_ sign_ min_ max_ solve_
    FLT_EVAL_METHOD DBL_MAX FLT_RADIX M_PI M_E HUGE_VAL INFINITY NAN NULL EOF linux unix i386
    math_errhandling OVERFLOW MODEL_H MODEL_HPP MODEL_CONSTANTS MODEL_PARAMETERS MODEL_SIZE_q
    MODEL_SIZE_y model model_setup model_batch symoro size_t sin fabs double restrict stdin offsetof
    DECIMAL_DIG _Bool __GNUC__ std Scalar detail
    PARAMETERS CONSTANTS None Some crate fn match self Self gen joints sizes call setup f64 kept_ select_ Wide_ core
""".split()  # noqa: SIM905


def _awkward() -> Program:
    """Return sines, arctangents, choices and a linear system, with names that are reserved in C or Rust."""
    builder = Builder("model")
    q = builder.input("q", (3,))
    parameters = [builder.parameter(name) for name in AWKWARD]
    total = parameters[0] * q[0]
    for k, p in enumerate(parameters):
        total = total + p * q[k % 3]
    arcs = [atan2(sin(x) * parameters[0] + 1, cos(x) + 2) for x in q]
    solved = builder.call("solve", [2, q[0], 0, 3], [total, 1])
    builder.output("y", [*arcs, *solved, minimum(total, q[1]), maximum(total, q[2]), sign(total)])
    return builder.program()


@pytest.mark.parametrize("flags", [["-std=c99"], ["-std=gnu17", "-O2"]])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_names_that_c_has_other_uses_for(tmp_path: Path, compiler: str, flags: list[str]) -> None:
    put(tmp_path, emit(_awkward(), "c", name="model"))
    command(need(compiler), *flags, "-Wall", "-Wextra", "-Werror", "-c", "model.c", cwd=tmp_path)
    command(need(compiler), *flags, "-Wall", "-Wextra", "-Werror", "-c", "model_example.c", cwd=tmp_path)


@pytest.mark.parametrize("scalar", ["double", "float"])
@pytest.mark.parametrize("make", [_awkward, everything, trivial])
def test_names_that_rust_has_other_uses_for(tmp_path: Path, make: Callable[[], Program], scalar: str) -> None:
    (text,) = emit(make(), "rust", name="model", scalar=scalar).values()
    put(tmp_path, {"model.rs": text})
    kind = ["--crate-type", "lib", "--emit", "metadata"]
    command(
        need("rustc"),
        "--edition",
        "2021",
        "-D",
        "warnings",
        "-F",
        "unsafe_code",
        *kind,
        "model.rs",
        cwd=tmp_path,
    )


def test_c_and_cpp_of_one_name_in_one_unit(tmp_path: Path) -> None:
    put(tmp_path, emit(_awkward(), "c", name="model"))
    put(tmp_path, emit(_awkward(), "cpp", name="model"))
    (tmp_path / "both.cpp").write_text(
        '#include "model.h"\n#include "model.hpp"\n#include <cstdio>\n'
        "int main()\n{\n"
        "    double p[MODEL_PARAMETERS], k[MODEL_CONSTANTS], l[symoro::model::CONSTANTS];\n"
        "    double q[3] = {0.3, -0.4, 0.5}, y[MODEL_SIZE_y], z[MODEL_SIZE_y];\n"
        "    for (int i = 0; i < MODEL_PARAMETERS; ++i) p[i] = 0.1 * i;\n"
        "    model_setup(p, k);\n    model(q, k, y);\n"
        "    symoro::model::setup<double>(p, l);\n    symoro::model::call<double>(q, l, z);\n"
        "    for (int i = 0; i < MODEL_SIZE_y; ++i) {\n"
        "        if (!(y[i] - z[i] < 1e-12 && z[i] - y[i] < 1e-12)) return 1;\n    }\n"
        "    return 0;\n}\n"
    )
    command(need("gcc"), "-std=c99", "-O2", "-c", "model.c", cwd=tmp_path)
    command(
        need("g++"),
        "-std=c++11",
        "-Wall",
        "-Wextra",
        "-Werror",
        "both.cpp",
        "model.o",
        "-o",
        "both",
        cwd=tmp_path,
    )
    command("./both", cwd=tmp_path)
