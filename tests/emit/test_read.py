"""Test languages without an installed interpreter by an evaluator of the emitted subset."""

from __future__ import annotations

import re

import pytest
from hypothesis import given

from symoro.emit import emit, julia
from symoro.emit.sample import sample_of
from tests.emit.evaluator import run_functions, run_text
from tests.emit.programs import Case, batches, few, special_cases
from tests.emit.run import assert_close

LANGUAGES = ["text", "julia", "maple", "mathematica"]


def run(case: Case, language: str) -> dict[str, object]:
    return run_text(case) if language == "text" else run_functions(case, language)


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return special_cases()


@pytest.mark.parametrize("language", LANGUAGES)
def test_values(cases: list[Case], language: str) -> None:
    assert_close([run(case, language) for case in cases], cases)


@pytest.mark.parametrize("language", LANGUAGES)
def test_values_random(language: str) -> None:
    @given(batches())
    @few(4)
    def check(batch: list[Case]) -> None:
        assert_close([run(case, language) for case in batch], batch)

    check()


def test_julia_parses(cases: list[Case]) -> None:
    tree_sitter = pytest.importorskip("tree_sitter")
    grammar = pytest.importorskip("tree_sitter_julia")
    parser = tree_sitter.Parser(tree_sitter.Language(grammar.language()))
    assert parser.parse(b"function f(x) = end").root_node.has_error
    for case in cases:
        for text in emit(case.program, "julia").values():
            assert not parser.parse(text.encode()).root_node.has_error
        for text in julia.demo(case.program, sample_of(case.program), case.program.name).values():
            assert not parser.parse(text.encode()).root_node.has_error


def test_latex_is_balanced(cases: list[Case]) -> None:
    """Check without TeX that braces, environments and parentheses match, and that no symbol has two indices."""
    for case in cases:
        (text,) = emit(case.program, "latex").values()
        equations = re.sub(r"^%.*", "", text, flags=re.M)
        for opening, closing in ("{}", "()"):
            assert equations.count(opening) == equations.count(closing)
        assert (
            re.findall(r"\\begin\{(\w+\*?)\}", equations).sort()
            == re.findall(r"\\end\{(\w+\*?)\}", equations).sort()
        )
        assert not re.search(r"_\{[^{}]*\}_", equations)
        for block in re.findall(r"\\begin\{align\*\}(.*?)\\end\{align\*\}", equations, re.S):
            assert block.strip()
