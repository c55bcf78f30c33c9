"""Emitted code in every language that can be run here, against the interpreter: one build and one run per language."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from symoro.emit import emit
from symoro.runtime.function import Function
from tests.emit.kernel_cases import (
    CIRCLES,
    DOUBLES,
    QUARTICS,
    inverse_cases,
    loop_cases,
    refine_cases,
    root_cases,
    unreachable_loop,
)
from tests.emit.not_finite import KNOWN, READ, assert_no_solution, cases_of, known_cases
from tests.emit.programs import SAMPLES, Case, batches, case_of, few, solver, special_cases
from tests.emit.run import (
    WRAPPER_NAMES,
    Results,
    assert_close,
    c_library,
    cpp_library,
    fortran_library,
    run_javascript,
    run_library,
    run_octave,
    run_python,
    run_rust,
)

Run = Callable[[list[Case]], Results]
pytestmark = pytest.mark.filterwarnings(
    "ignore::RuntimeWarning"
)  # of emitted Python with values that are not finite


# -- what the results are compared with


def assert_roots(results: Results, cases: list[Case]) -> None:
    """Compare with NumPy if the roots are simple; for double roots check the roots and a small defect."""
    tables = [result["y"].reshape(len(QUARTICS), -1) for result in results]
    for rows, table, case in zip((QUARTICS, CIRCLES), tables, cases, strict=False):
        expected = case.expected()["y"].reshape(len(QUARTICS), -1)
        for row, x, y in zip(rows, table, expected, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-12, err_msg=str(row))
    for (_, roots), row in zip(DOUBLES, tables[2], strict=False):
        np.testing.assert_allclose(row[: len(roots)], roots, rtol=1e-6)
        np.testing.assert_allclose(row[4:], [0] * len(roots) + [1] * (4 - len(roots)), atol=1e-6)


def assert_refined(results: Results, cases: list[Case]) -> None:
    for case, result in zip(cases, results, strict=True):
        expected = case.expected()["S"]
        assert {0.0, 2.0, 3.0} <= set(expected[..., -1].ravel())
        np.testing.assert_array_equal(result["S"][..., -1], expected[..., -1])
        np.testing.assert_allclose(result["S"][..., :-1], expected[..., :-1], rtol=0, atol=1e-11)


def assert_loops(results: Results, cases: list[Case], tolerance: float = 1e-9) -> None:
    for case, result in zip(cases, results, strict=True):
        expected = case.expected()["S"]
        np.testing.assert_allclose(result["S"][..., :6], expected[..., :6], rtol=0, atol=tolerance)
        full = expected[..., 6] < 1e29
        assert (full == (result["S"][..., 6] < 1e29)).all()
        assert full.any(1).all()
        assert result["S"][..., 6][full].max() < tolerance


def assert_poses_solved(results: Results, cases: list[Case]) -> None:
    for case, result in zip(cases, results, strict=True):
        expected = case.expected()
        assert (expected["status"] == 0).any()
        assert (expected["status"] == 2).any() == case.program.name.startswith(("RX90", "Stanford"))
        turned = (result["q"] - expected["q"] + np.pi) % (2 * np.pi) - np.pi  # -pi is pi
        assert abs(turned).max() < 1e-8
        for name in set(result) - {"q"}:
            np.testing.assert_allclose(result[name], expected[name], atol=1e-8, err_msg=case.program.name)


def assert_not_finite(results: Results, cases: list[Case]) -> None:
    assert_no_solution(results, KNOWN, known_cases())


@dataclass(frozen=True)
class Group:
    """Cases, and the comparison of their results."""

    cases: list[Case]
    check: Callable[[Results, list[Case]], None]


@cache
def group(name: str) -> Group:
    return {
        "special": lambda: Group(special_cases(), assert_close),
        "roots": lambda: Group(root_cases(), assert_roots),
        "refined": lambda: Group(refine_cases(), assert_refined),
        "loops": lambda: Group(loop_cases(), assert_loops),
        "poses": lambda: Group(inverse_cases(), assert_poses_solved),
        "not finite": lambda: Group([case for case, _ in known_cases()], assert_not_finite),
    }[name]()


KERNELS = ("roots", "refined", "loops", "poses")
ALL = ("special", *KERNELS, "not finite")


def cases_in(names: tuple[str, ...]) -> list[Case]:
    return [case for name in names for case in group(name).cases]


def check(run: Run, names: tuple[str, ...]) -> None:
    """Run the cases of several groups together, and check each group separately."""
    results = run(cases_in(names))
    for name in names:
        chosen = group(name)
        own, results = results[: len(chosen.cases)], results[len(chosen.cases) :]
        chosen.check(own, chosen.cases)


# -- each language


def test_interpreter() -> None:
    check(lambda cases: [case.expected() for case in cases], ("not finite",))
    check(
        lambda cases: [Function(c.program, c.parameters, compiled=False)(**c.inputs) for c in cases],
        ("not finite",),
    )


def test_c(tmp_path: Path) -> None:
    names = ("special", *KERNELS)
    out_of_reach = unreachable_loop()
    library = c_library(tmp_path, [*cases_in(names), out_of_reach])
    check(lambda cases: run_library(library, cases), names)
    check(lambda cases: run_library(library, cases, batch=True), ("special", "loops"))
    (result,) = run_library(library, [out_of_reach])
    assert (result["S"][..., 6] == 1e30).all() and (result["S"][..., :6] == 0).all()


def test_optimised_c_knows_what_is_not_finite(tmp_path: Path) -> None:
    library = c_library(tmp_path, cases_in(("not finite",)), "-O3", "-march=native")
    for batch in (False, True):
        check(lambda cases, batch=batch: run_library(library, cases, batch=batch), ("not finite",))


def test_c_in_float(tmp_path: Path) -> None:
    special, loops = group("special").cases, group("loops").cases[:-1]
    # The last loop is omitted: a pose rounded to single precision is not close to a double root.
    flags = ("-Wno-conversion", "-Wdouble-promotion")
    library = c_library(tmp_path, [*special, *loops], *flags, scalar="float")
    for batch in (False, True):
        assert_close(run_library(library, special, scalar="float32", batch=batch), special, 1e-4)
    assert_loops(run_library(library, loops, scalar="float32"), loops, 1e-3)


def test_cpp(tmp_path: Path) -> None:
    library = cpp_library(tmp_path, cases_in(ALL))
    check(lambda cases: run_library(library, cases, names=WRAPPER_NAMES), ALL)
    check(lambda cases: run_library(library, cases, names=WRAPPER_NAMES, batch=True), ("special",))


OWN_SCALAR = """
#include <cmath>
#include <type_traits>
namespace own {
struct Number {
    double v;
    Number() : v(0) {}
    explicit Number(double x) : v(x) {}
};
#define BINARY(op) inline Number operator op(Number a, Number b) { return Number(a.v op b.v); }
BINARY(+) BINARY(-) BINARY(*) BINARY(/)
#define COMPARE(op) inline bool operator op(Number a, Number b) { return a.v op b.v; }
COMPARE(<) COMPARE(>) COMPARE(<=) COMPARE(==) COMPARE(!=)
inline Number operator-(Number a) { return Number(-a.v); }
inline Number &operator-=(Number &a, Number b) { a.v -= b.v; return a; }
#define UNARY(f) inline Number f(Number a) { return Number(std::f(a.v)); }
UNARY(sin) UNARY(cos) UNARY(tan) UNARY(asin) UNARY(acos) UNARY(sqrt) UNARY(abs)
UNARY(cbrt) UNARY(exp) UNARY(log)
inline Number atan2(Number a, Number b) { return Number(std::atan2(a.v, b.v)); }
std::true_type symoro_is_number(const Number &);
}
"""


def test_cpp_in_float_and_with_a_scalar_of_its_own(tmp_path: Path) -> None:
    """Check a scalar type that is not a number, with functions in its namespace and the layout of a double."""
    cases = group("special").cases
    for folder in ("float", "own"):
        (tmp_path / folder).mkdir()
    library = cpp_library(tmp_path / "float", cases, "float")
    assert_close(run_library(library, cases, names=WRAPPER_NAMES, scalar="float32"), cases, 1e-4)
    library = cpp_library(tmp_path / "own", cases, "own::Number", OWN_SCALAR)
    assert_close(run_library(library, cases, names=WRAPPER_NAMES), cases)


def test_fortran(tmp_path: Path) -> None:
    library = fortran_library(tmp_path, cases_in(ALL))
    check(lambda cases: run_library(library, cases, names=WRAPPER_NAMES, fortran=True), ALL)
    batch = ("special",)
    check(lambda cases: run_library(library, cases, names=WRAPPER_NAMES, batch=True, fortran=True), batch)


def test_python(tmp_path: Path) -> None:
    check(lambda cases: run_python(tmp_path, cases, batch=False), ("special",))
    check(lambda cases: run_python(tmp_path, cases, batch=True), ALL)
    loops = group("loops").cases
    assert_loops(run_python(tmp_path, loops, batch=True), loops, 1e-11)


def test_python_solves_regular_samples_beside_a_singular_one(tmp_path: Path) -> None:
    case = case_of(solver(n=2))
    case.inputs["A"][1] = [[0, -case.parameters["m"]], [1, 1]]
    x = run_python(tmp_path, [case], batch=True)[0]["x"]
    assert np.all(np.isnan(x[1]))
    np.testing.assert_allclose(x[[0, 2]], case.expected()["x"][[0, 2]], rtol=1e-12)


def test_octave(tmp_path: Path) -> None:
    check(lambda cases: run_octave(tmp_path, cases), ALL)


def test_javascript(tmp_path: Path) -> None:
    check(lambda cases: run_javascript(tmp_path, cases), ALL)
    check(lambda cases: run_javascript(tmp_path, cases, batch=True), ("special", "loops"))


def test_rust(tmp_path: Path) -> None:
    check(lambda cases: run_rust(tmp_path, cases), ("special", *KERNELS))


def test_optimised_rust_knows_what_is_not_finite(tmp_path: Path) -> None:
    check(lambda cases: run_rust(tmp_path, cases, "-O"), ("not finite",))


def test_rust_in_float(tmp_path: Path) -> None:
    special, loops = group("special").cases, group("loops").cases[:-1]  # as in C
    results = run_rust(tmp_path, [*special, *loops], scalar="float")
    assert_close(results[: len(special)], special, 1e-4)
    assert_loops(results[len(special) :], loops, 1e-3)


# -- random programs


@contextmanager
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@given(batches())
@few(5)
def test_random_programs(batch: list[Case]) -> None:
    with folder() as place:
        library = c_library(place, batch, unity=True)
        assert_close(run_library(library, batch), batch)
        assert_close(run_library(library, batch, batch=True), batch)
    with folder() as place:
        assert_close(run_library(cpp_library(place, batch), batch, names=WRAPPER_NAMES), batch)
    with folder() as place:
        library = fortran_library(place, batch)
        assert_close(run_library(library, batch, names=WRAPPER_NAMES, fortran=True), batch)
    with folder() as place:
        assert_close(run_python(place, batch, batch=True), batch)
        assert_close(run_javascript(place, batch), batch)
        assert_close(run_rust(place, batch), batch)


@given(batches())
@few(1)
def test_random_programs_in_octave(batch: list[Case]) -> None:
    with folder() as place:
        assert_close(run_octave(place, batch), batch)


# -- languages that are read


@pytest.mark.parametrize("language", ["text", "julia", "maple"])
def test_what_is_no_number_has_no_solution_in_languages_that_are_read(language: str) -> None:
    from tests.emit.evaluator import run_functions, run_text

    jobs = [job for job in KNOWN if job[0] in READ]
    made = cases_of(jobs, (np.nan,))
    results = [run_text(case) if language == "text" else run_functions(case, language) for case, _ in made]
    # Formulas that are read have no guards against numbers that are not finite; a note states this.
    assert_no_solution(results, jobs, made, guarded=language != "text")


def test_kernels_parse_in_julia() -> None:
    tree_sitter = pytest.importorskip("tree_sitter")
    grammar = pytest.importorskip("tree_sitter_julia")
    parser = tree_sitter.Parser(tree_sitter.Language(grammar.language()))
    for name in ("roots", "refined", "loops"):
        (text,) = emit(group(name).cases[0].program, "julia").values()
        assert not parser.parse(text.encode()).root_node.has_error


def test_brackets_match_in_maple_and_mathematica() -> None:
    calls = {
        "loops": ("closed_chain_(112,", "kernelClosedChain[112,"),
        "refined": ("refine_(48,", "kernelRefine[48,"),
    }
    for name, (maple, mathematica) in calls.items():
        program = group(name).cases[0].program
        for language, called in (("maple", maple), ("mathematica", mathematica)):
            (text,) = emit(program, language).values()
            comments = re.S if language == "mathematica" else re.M
            code = re.sub(r"\(\*.*?\*\)|^#.*?$", "", text, flags=comments)
            for opening, closing in ("()", "[]", "{}"):
                assert code.count(opening) == code.count(closing)
            assert called in text


assert SAMPLES * 8 == len(QUARTICS) == len(CIRCLES)
