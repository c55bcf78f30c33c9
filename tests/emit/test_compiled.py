"""Emitted C, C++ and Fortran, compiled without a warning, against the interpreter."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given

from tests.emit.programs import Case, batches, few, special_cases
from tests.emit.run import (
    WRAPPER_NAMES,
    assert_close,
    c_library,
    cpp_library,
    fortran_library,
    run_library,
)


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return special_cases()


@pytest.mark.parametrize("batch", [False, True])
def test_c(tmp_path: Path, cases: list[Case], batch: bool) -> None:
    assert_close(run_library(c_library(tmp_path, cases), cases, batch=batch), cases)


@pytest.mark.parametrize("batch", [False, True])
def test_c_in_float(tmp_path: Path, cases: list[Case], batch: bool) -> None:
    library = c_library(tmp_path, cases, "-Wno-conversion", "-Wdouble-promotion", scalar="float")
    assert_close(run_library(library, cases, scalar="float32", batch=batch), cases, 1e-4)


@given(batches())
@few(5)
def test_c_random(batch: list[Case]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        library = c_library(Path(folder), batch)
        assert_close(run_library(library, batch), batch)
        assert_close(run_library(library, batch, batch=True), batch)


@pytest.mark.parametrize("batch", [False, True])
def test_cpp(tmp_path: Path, cases: list[Case], batch: bool) -> None:
    found = run_library(cpp_library(tmp_path, cases), cases, names=WRAPPER_NAMES, batch=batch)
    assert_close(found, cases)


def test_cpp_in_float(tmp_path: Path, cases: list[Case]) -> None:
    library = cpp_library(tmp_path, cases, "float")
    assert_close(run_library(library, cases, names=WRAPPER_NAMES, scalar="float32"), cases, 1e-4)


OWN_SCALAR = """
#include <cmath>
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
}
"""


def test_cpp_with_a_scalar_of_its_own(tmp_path: Path, cases: list[Case]) -> None:
    """A type that is no number, with its functions in its own namespace; it has the layout of a double."""
    library = cpp_library(tmp_path, cases, "own::Number", OWN_SCALAR)
    assert_close(run_library(library, cases, names=WRAPPER_NAMES), cases)


@given(batches())
@few(5)
def test_cpp_random(batch: list[Case]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = run_library(cpp_library(Path(folder), batch), batch, names=WRAPPER_NAMES)
        assert_close(found, batch)


@pytest.mark.parametrize("batch", [False, True])
def test_fortran(tmp_path: Path, cases: list[Case], batch: bool) -> None:
    library = fortran_library(tmp_path, cases)
    assert_close(run_library(library, cases, names=WRAPPER_NAMES, batch=batch, fortran=True), cases)


@given(batches())
@few(5)
def test_fortran_random(batch: list[Case]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        library = fortran_library(Path(folder), batch)
        assert_close(run_library(library, batch, names=WRAPPER_NAMES, fortran=True), batch)
