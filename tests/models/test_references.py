"""Citations: each section and equation that a model names is in the paper's list (tests/data/papers.yaml).

In the catalogue and its pages an equation must also stand in the section that is named before it. In docstrings and
comments a year says which paper is meant until the next year; without a previous year, it is the one paper of the
module's docstring. A year of a publication without a list is not followed.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

import symoro
from symoro import models
from tests.oracle.golden import DATA

MODELS = Path(models.__file__).parent
PAGES = Path(__file__).parents[2] / "docs" / "models"
YEARS = {"1997": "khalil-creusot-1997", "2010": "khalil-2010", "1988": "gautier-khalil-1988"}
BY_NAME = {"campion-bastin-dandrea-novel-1996", "khalil-gautier-enguehard-1991"}
"""Papers without a list: what is cited of them is called by its name, no section or equation."""
NUMBER = r"\(?\d+[a-z]?\)?"
PATTERN = re.compile(
    r"(?P<year>\b(?:19|20)\d\d\b)"
    r"|\bsections?\s+(?P<sections>\d+(?:\.\d+)*(?:(?:, | and | to )\d+(?:\.\d+)*)*)"
    rf"|\beq\.\s+(?P<equations>{NUMBER}(?:(?:,|\s+to|\s+and)\s+{NUMBER})*)"
    r"|(?:  |^|# )(?P<line>\(\d+[a-z]?\)(?:(?:,|\s+to|\s+and)\s+\(\d+[a-z]?\))*)(?=[ .;:,]*$)",
    re.MULTILINE,
)


def spans(text: str) -> Iterator[int]:
    """Return the numbers of `(6a), (8) to (10)` or `26-38`."""
    for first, last in re.findall(r"(\d+)[a-z]?\)?(?:\s*(?:to|-)\s*\(?(\d+))?", text):
        yield from range(int(first), int(last or first) + 1)


@dataclass(frozen=True)
class Paper:
    """Equations of each section of a paper."""

    sections: dict[str, frozenset[int]]

    @property
    def equations(self) -> frozenset[int]:
        return frozenset().union(*self.sections.values())

    def within(self, section: str) -> frozenset[int]:
        inner = (n for name, n in self.sections.items() if name == section or name.startswith(f"{section}."))
        return frozenset().union(*inner)


def read() -> dict[str, Paper]:
    listed = yaml.safe_load((DATA / "papers.yaml").read_text(encoding="utf-8"))
    return {
        key: Paper({name: frozenset(spans(row.get("equations", ""))) for name, row in sections.items()})
        for key, sections in listed.items()
    }


PAPERS = read()


def paper_of(match: re.Match[str]) -> str | None:
    """Return the paper of a year; two were published in 2008."""
    year = match["year"]
    if year == "2008":
        return "filip-2008" if "Filip" in match.string[max(0, match.start() - 100) : match.start()] else None
    return YEARS.get(year)


def faults(text: str, paper: str | None, *, strict: bool = False) -> Iterator[str]:
    """Yield the citations that do not exist. Strict: equations must belong to the section named before them."""
    section = ""
    followed = True
    for match in PATTERN.finditer(text):
        if match["year"]:
            paper, section = paper_of(match), ""
            followed = paper is not None
        elif not followed:
            continue
        elif paper is None:
            if not match["line"]:
                yield f"{match[0]!r}: of which paper?"
        elif match["sections"]:
            for section in re.findall(r"[\d.]*\d", match["sections"]):
                if section not in PAPERS[paper].sections:
                    yield f"{paper} has no section {section}"
        else:
            known = PAPERS[paper].within(section) if strict else PAPERS[paper].equations
            missing = [n for n in spans(match["equations"] or match["line"]) if n not in known]
            if missing:
                yield f"{paper} has no eq. {missing} {f'in section {section}' if strict else ''}"


def blocks(path: Path) -> Iterator[str]:
    """Return docstrings and comments of a module; comments on consecutive lines are one text."""
    source = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            yield ast.get_docstring(node) or ""
    comment, last = "", 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            if token.start[0] != last + 1:
                yield comment
                comment = ""
            comment += f"{token.string}\n"
            last = token.start[0]
    yield comment


def default_paper(path: Path) -> str | None:
    """Return the only listed paper that the docstring of a module names."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    named = {paper_of(match) for match in PATTERN.finditer(text) if match["year"]} - {None}
    return named.pop() if len(named) == 1 else None


def test_what_models_cite_is_in_the_papers() -> None:
    for id, entry in symoro.catalogue().items():
        reference = entry.reference
        if reference.key in BY_NAME:
            assert reference.place and not PATTERN.search(reference.place), id
            continue
        assert reference.key in PAPERS, id
        assert "section" in reference.place, id
        assert list(faults(reference.place, reference.key, strict=True)) == [], id


def test_what_modules_cite_is_in_the_papers() -> None:
    for path in sorted(MODELS.rglob("*.py")):
        paper = default_paper(path)
        assert [fault for text in blocks(path) for fault in faults(text, paper)] == [], path


def test_what_pages_cite_is_in_the_papers() -> None:
    for path in sorted(PAGES.glob("*.md")):
        assert list(faults(path.read_text(encoding="utf-8"), None, strict=True)) == [], path


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("Khalil 2010, eq. (32) to (44)", 0),
        ("Khalil 2010, section 3.3.2, eq. (32) to (44), and eq. 72", 0),
        ("Khalil 2010, eq. (110) to (113)", 1),
        ("1997 paper, section 5.6; eq. (6a), (6c), (55)", 2),
        ("Gautier and Khalil (1988, eq. 17 to 24)", 1),
        ("1997, sections 3.3 and 3.9", 1),
        ("    H = a' J a + Ia      (36)\n    K = J - ...     (136)\n", 1),
        ("V. Filip, 2008, eq. (15), (16)", 1),
        ("R. Featherstone, 2008, section 60.5", 0),
        ("# (40)\n# (400)\n", 1),
        ("f(200), a (3, 3) matrix (301) in the text", 0),
    ],
)
def test_the_faults_that_are_found(text: str, wrong: int) -> None:
    assert len(list(faults(text, "khalil-2010"))) == wrong


def test_a_section_and_its_equations_belong_together() -> None:
    (fault,) = faults("section 5.3.2, eq. (26) to (39)", "khalil-creusot-1997", strict=True)
    assert "[39]" in fault
    assert not list(faults("section 5.3, eq. (23) to (38)", "khalil-creusot-1997", strict=True))
    (fault,) = faults("eq. (3)", None)
    assert "which paper" in fault
