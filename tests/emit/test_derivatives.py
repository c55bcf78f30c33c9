"""Emitted code of derivatives: compiled and run in C, JavaScript, Octave and Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import symoro
from symoro.emit.latex import symbol_of
from symoro.program.builder import Builder
from symoro.program.derivative import derivative
from symoro.program.program import Program
from tests.emit.programs import Case, case_of, everything
from tests.emit.run import (
    Results,
    assert_close,
    c_library,
    need,
    run_javascript,
    run_library,
    run_octave,
    run_python,
    run_rust,
)


def solved() -> Program:
    """Return a program with a kernel that has derivative rules."""
    b = Builder("solved")
    q = b.input("q", (3,))
    matrix = [3 + q[0], q[1], 0.5, q[2], 4, q[0] * q[1], 0.1, q[1], 5]
    b.output("x", b.call("solve", matrix, [q[0], 1, q[2] * b.parameter("a")]))
    return b.program()


def cases() -> list[Case]:
    """Return derivatives of a model, of a program with every operation and of one with a kernel."""
    planar = symoro.generate("planar2r", "inverse-dynamics").program
    programs = [derivative(planar, kind) for kind in ("vjp", "jvp", "jacobian", "hessian")]
    programs += [derivative(planar, "vjp", "parameters"), derivative(everything(), "vjp", ["q", "T"])]
    programs += [derivative(solved(), kind) for kind in ("vjp", "hessian")]
    renamed = [replace(p, name=f"d{k}") for k, p in enumerate(programs)]
    return [case_of(program) for program in renamed]


def in_c(folder: Path, made: list[Case]) -> Results:
    need("cc")
    return run_library(c_library(folder, made), made)


def in_c_batches(folder: Path, made: list[Case]) -> Results:
    need("cc")
    return run_library(c_library(folder, made), made, batch=True)


def in_javascript(folder: Path, made: list[Case]) -> Results:
    need("node")
    return run_javascript(folder, made)


def in_rust(folder: Path, made: list[Case]) -> Results:
    return run_rust(folder, made)


def in_octave(folder: Path, made: list[Case]) -> Results:
    need("octave")
    return run_octave(folder, made)


def in_python(folder: Path, made: list[Case]) -> Results:
    return run_python(folder, made, batch=True)


@pytest.mark.parametrize("run", [in_c, in_c_batches, in_javascript, in_octave, in_python, in_rust])
def test_languages(tmp_path: Path, run: Callable[[Path, list[Case]], Results]) -> None:
    made = cases()
    assert_close(run(tmp_path, made), made, 1e-11)


@pytest.mark.parametrize(
    ("name", "symbol"),
    [
        ("tau_bar1", r"\overline{\Gamma_{1}}"),
        ("N32_bar", r"\overline{N_{32}}"),
        ("T_bar_11", r"\overline{T_{11}}"),
        ("qdd2_dot", r"\delta \ddot q_{2}"),
        ("q_bar_dot3", r"\delta \overline{q_{3}}"),
    ],
)
def test_symbols_in_latex(name: str, symbol: str) -> None:
    assert symbol_of(name) == symbol
