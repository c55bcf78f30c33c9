"""Compare emitted files with reviewed versions; `pytest --update-golden` rewrites them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from symoro._version import __version__
from symoro.emit import LANGUAGES, emit
from symoro.emit.project import project
from symoro.program.program import Program
from tests.emit.programs import chain, everything, expanded, polynomials, solver


def check(golden: Callable[[str, str], None], path: str, text: str) -> None:
    """Compare without the version; Python files have another suffix, since their layout is not that of the sources."""
    suffix = ".txt" if path.endswith(".py") else ""
    golden(f"emit/{path}{suffix}", text.replace(f"symoro {__version__}", "symoro VERSION"))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("make", [everything, solver, polynomials, expanded, lambda: chain(2)])
def test_files(golden: Callable[[str, str], None], make: Callable[[], Program], language: str) -> None:
    for name, text in emit(make(), language).items():
        check(golden, f"{language}/{name}", text)


def test_project(golden: Callable[[str, str], None]) -> None:
    for path, text in project(chain(2), ["c", "python"], {"chain.yaml": "name: chain\n"}).items():
        check(golden, f"project/{path}", text)
