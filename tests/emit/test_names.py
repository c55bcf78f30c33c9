"""Names: legal, distinct, and as near to what was asked as possible."""

from __future__ import annotations

import keyword
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symoro.emit import LANGUAGES, c, cpp, emit, fortran, julia, maple, mathematica, matlab, python, text
from symoro.emit.dialect import Dialect
from symoro.emit.names import Names, identifier
from symoro.program.builder import Builder

DIALECTS = {
    "c": c.DOUBLE,
    "cpp": cpp.DIALECT,
    "fortran": fortran.DIALECT,
    "julia": julia.DIALECT,
    "maple": maple.DIALECT,
    "mathematica": mathematica.DIALECT,
    "matlab": matlab.DIALECT,
    "python": python.DIALECT,
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
    found = [names.claim(name) for name in [*wanted, *wanted, *sorted(dialect.reserved)[:5]]]
    seen = [name.lower() if dialect.fold_case else name for name in found]
    assert len(set(seen)) == len(seen)
    assert not set(found) & dialect.reserved
    for name in found:
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
    """Robots come from files: nothing in a name or a title may become code."""
    b = Builder('x"; system("evil") //')
    (q,) = b.input("q", (1,), ["q\n*/ int evil;"])
    evil = 'a */ (* b *) \\\n evil() """ } \\end{document} #evil \r\n system("evil")'
    b.output("y", [q * b.parameter("a);evil(")], evil)
    program = b.program(title=evil)
    for file, written in emit(program, language).items():
        assert re.fullmatch(r"[A-Za-z0-9_$]+\.\w+", file)
        body = _without_comments(written, language).replace('"a);evil("', "").replace("'a);evil('", "")
        for piece in ("system(", "evil(", "int evil", "*/", "\\end{document} "):
            assert piece not in body


def _without_comments(written: str, language: str) -> str:
    blocks = {"c": r"/\*.*?\*/", "cpp": r"/\*.*?\*/", "mathematica": r"\(\*.*?\*\)", "text": r".*?\n-{20,}\n"}
    if language in blocks:
        return re.sub(blocks[language], "", written, flags=re.S)
    mark = {"fortran": "!", "matlab": "%", "latex": "%"}.get(language, "#")
    body = re.sub(rf"^{mark}.*$", "", written, flags=re.M)
    return re.sub(r"\\section\*.*", "", body)
