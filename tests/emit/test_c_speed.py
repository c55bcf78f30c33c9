"""Test optimisations of emitted C: fused products, vectorised sines and arctangents, loops for equal constants."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from symoro.emit import emit
from symoro.expr import scalar as sc
from symoro.program import count
from symoro.program.builder import Builder
from symoro.program.passes.grouping import grouped
from symoro.program.program import Program
from tests.emit.programs import Case, batches, case_of, few
from tests.emit.run import assert_close, c_library, run_library


def call_part(program: Program, **options: str) -> str:
    """Return the text of the function for one sample."""
    text = emit(program, "c", **options)[f"{program.name}.c"]
    return text[text.index(f"void {program.name}(") :]


def turned() -> Program:
    """Return a program with joint offsets of a quarter turn, so that C1 = -sin(q1), and a sparse matrix."""
    b = Builder("turned")
    q = b.input("q", (3,))
    s = [b.named(f"S{j}", sc.cos(x)) for j, x in enumerate(q, 1)]
    c = [b.named(f"C{j}", -sc.sin(x)) for j, x in enumerate(q, 1)]
    row = [0] * 6
    b.output("A", [[c[0] * s[1], *row, 2], [*row, c[1], s[2]], [1] * 8, [*row, c[2] * s[0], 0]])
    return b.program()


def test_a_sum_starts_with_what_is_no_product() -> None:
    b = Builder("sums")
    x1, x2, x3, x4, x5 = b.input("x", (5,))
    b.output("y", (x1 * x2 + x3 * x4) + x5)
    assert "y[0] = x5 + x1*x2 + x3*x4;" in call_part(b.program())


@given(batches())
@few(5)
def test_grouping_keeps_names_parameters_and_the_count(batch: list[Case]) -> None:
    for case in batch:
        made = grouped(case.program)
        assert made.used_parameters == case.program.used_parameters
        assert count(made).total <= count(case.program).total
        before = {case.program.names[i][0] for i in case.program.nodes if i in case.program.names}
        assert {made.names[i][0] for i in made.nodes if i in made.names} == before


def test_minus_a_sine_is_computed_with_the_others() -> None:
    text = call_part(turned())
    assert "sincos4_(q1, q2, q3, 0, sine_, cosine_)" in text
    assert "mC1 = sine_[0];" in text
    assert " sin(" not in text and "-sin(" not in text


def test_arctangents_are_computed_together() -> None:
    b = Builder("arcs")
    x1, x2, x3 = b.input("x", (3,))
    b.output("y", [sc.atan2(x1, x2) + 1, -sc.atan2(x2 + x3, x1), sc.atan2(x3, sc.atan2(x2, x3))])
    program = b.program()
    text = call_part(program)
    assert "atan2x4_(x1, t1, x2, 0, x2, x1, x3, 1, arc1_)" in text
    assert text.count(" atan2(") == 1  # alone in its layer
    assert call_part(program, trig="libm").count("atan2(") == 4


def test_whole_numbers_in_arctangents_are_doubles() -> None:
    """Check that whole numbers are written as doubles, because compilers warn about abs of an integer."""
    b = Builder("arcs")
    x1, x2 = b.input("x", (2,))
    b.output("y", [sc.atan2(x1, 2), sc.atan2(x2, x1)])
    assert "fabs(x1) + fabs(2.0) > ATAN2_LIMIT_" in emit(b.program(), "c")["arcs_batch.c"]


def test_runs_of_constants_are_loops() -> None:
    text = call_part(turned())
    assert "for (size_t e_ = 1; e_ < 7; ++e_) A[e_] = 0;" in text
    assert "for (size_t e_ = 16; e_ < 24; ++e_) A[e_] = 1;" in text
    assert "A[7] = 2;" in text and "A[31] = 0;" in text


@pytest.mark.parametrize("batch", [False, True])
def test_values(tmp_path: Path, batch: bool) -> None:
    cases = [case_of(turned())]
    assert_close(run_library(c_library(tmp_path, cases), cases, batch=batch), cases)
