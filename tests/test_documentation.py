"""The documentation site: every page is in the navigation, and the navigation contains existing pages only."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import symoro

DOCS = Path(__file__).resolve().parent.parent / "docs"
TOCTREE = re.compile(
    r"^```\{toctree\}\n(.*?)^```$|^\.\. toctree::\n((?:\s+\S.*\n|\n)+)", re.MULTILINE | re.DOTALL
)
SUFFIXES = (".md", ".rst", ".ipynb")


def site_pages() -> set[Path]:
    return {path for suffix in SUFFIXES for path in DOCS.rglob(f"*{suffix}")}


def listed(page: Path) -> set[Path]:
    """Return the pages that the toctrees of a page name."""
    if page.suffix == ".ipynb":
        return set()
    entries = [
        line.strip()
        for block in TOCTREE.findall(page.read_text(encoding="utf-8"))
        for line in "".join(block).splitlines()
        if line.strip() and not line.strip().startswith(":")
    ]
    pages: set[Path] = set()
    for entry in entries:
        matches = {path.resolve() for suffix in SUFFIXES for path in page.parent.glob(f"{entry}{suffix}")}
        assert matches, f"{page.relative_to(DOCS)}: the toctree entry '{entry}' matches no page"
        pages |= matches
    return pages


def test_the_navigation_reaches_every_page() -> None:
    reached, new = set[Path](), {DOCS / "index.md"}
    while new:
        reached |= new
        new = {entry for page in new for entry in listed(page)} - reached
    assert sorted(str(page.relative_to(DOCS)) for page in site_pages() - reached) == []


def test_every_namespace_has_a_page_in_the_api_reference() -> None:
    namespaces = [name for name in symoro.__all__ if isinstance(getattr(symoro, name), ModuleType)]
    for name in (*namespaces, "derive", "trajectory", "errors"):
        page = DOCS / "api" / f"{name}.rst"
        assert f".. public-names:: symoro.{name}\n" in page.read_text(encoding="utf-8")
