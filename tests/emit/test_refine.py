"""The kernel refine in every language that can be run here, against NumPy; the others are read."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from symoro.emit import emit
from symoro.program.builder import Builder
from tests.emit.programs import SAMPLES, Case
from tests.emit.run import run_javascript, run_octave
from tests.emit.test_roots import Run, _c, _cpp, _fortran, _python
from tests.expr.test_refine import ARMS, Refined, posture
from tests.oracle.arms import Arm

ROWS = 6


def case_of(arm: Arm) -> Case:
    """Rows that are exact, near, twice the same, far, out of reach and no number."""
    made = Refined(arm)
    b = Builder(f"refine_{arm.robot.name}")
    width = made.n + 2
    T, rows = b.input("T", (12,)), b.input("Q", (ROWS * width,))
    placements = [float(x) for p in made.placements for x in p.ravel()]
    marks = [b.number(float(x)) for x in made.marks]
    found = b.call("refine", placements, T, marks, rows)
    b.output("S", [found[width * k : width * (k + 1)] for k in range(ROWS)])
    poses, given = [], []
    for sample in range(SAMPLES):
        q = posture(made, sample)
        T4 = made.chain.place(q[None])[0]
        off = np.linspace(1, 2, made.n)
        table = [
            made.row(T4, q + 1e-4 * off, 1),
            made.row(T4, q - 1e-6 * off, 0),
            made.row(T4, q + 0.7, 3),
            made.row(T4, q, 2) if sample else made.row(T4, q + 1e-3, 3),
            made.row(T4, q + 1e-7 * off, 0),
            made.row(T4, q * np.nan, 3),
        ]
        poses.append(T4[:3].ravel())
        given.append(np.concatenate(table))
    return Case(b.program(), {"T": np.array(poses), "Q": np.array(given)}, {})


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return [case_of(arm) for arm in ARMS]


@pytest.mark.parametrize("run", [_python, _c, _cpp, _fortran, run_octave, run_javascript])
def test_every_language_refines_alike(tmp_path: Path, cases: list[Case], run: Run) -> None:
    for case, found in zip(cases, run(tmp_path, cases), strict=True):
        expected = case.expected()["S"]
        assert {0.0, 2.0, 3.0} <= set(expected[..., -1].ravel())
        np.testing.assert_array_equal(found["S"][..., -1], expected[..., -1])
        np.testing.assert_allclose(found["S"][..., :-1], expected[..., :-1], rtol=0, atol=1e-11)


def test_julia_parses(cases: list[Case]) -> None:
    tree_sitter = pytest.importorskip("tree_sitter")
    grammar = pytest.importorskip("tree_sitter_julia")
    parser = tree_sitter.Parser(tree_sitter.Language(grammar.language()))
    (text,) = emit(cases[0].program, "julia").values()
    assert not parser.parse(text.encode()).root_node.has_error


@pytest.mark.parametrize(
    ("language", "called"), [("maple", "refine_(48,"), ("mathematica", "kernelRefine[48,")]
)
def test_brackets_match(cases: list[Case], language: str, called: str) -> None:
    (text,) = emit(cases[0].program, language).values()
    code = re.sub(r"\(\*.*?\*\)|^#.*?$", "", text, flags=re.S if language == "mathematica" else re.M)
    for opening, closing in ("()", "[]", "{}"):
        assert code.count(opening) == code.count(closing)
    assert called in text
