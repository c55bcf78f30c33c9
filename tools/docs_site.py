"""Build the documentation site: build/docs, a folder of static files that needs no network.

    python tools/docs_site.py

Sphinx reads docs/ (docs/conf.py). Beside the pages the site contains

    _static/robots/          pictures and files of the bundled robots
    _static/katex/           KaTeX with its fonts, from the npm packages of the workbench
    _workbench/              the static workbench of `make site`
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

import page

from symoro.robot import library
from symoro.ui.render import thumbnail

ROOT = page.ROOT
DOCS = ROOT / "docs"
TARGET = ROOT / "build" / "docs"
ASSETS = ROOT / "build" / "docs-assets"  # copied into _static by Sphinx
DOCTREES = ROOT / "build" / "docs-cache"
WORKBENCH = ROOT / "build" / "site"
KATEX = ROOT / "frontend" / "node_modules" / "katex" / "dist"


def draw_robots(folder: Path) -> None:
    """Draw the bundled robots where a picture is older than its robot or the renderer, and copy their files."""
    folder.mkdir(parents=True, exist_ok=True)
    package = ROOT / "src" / "symoro"
    programs = (Path(__file__), *(package / "ui" / "render").glob("*.py"))
    renderer = max(path.stat().st_mtime for path in programs)
    for name in library.names():
        picture = folder / f"{name}.svg"
        source = (package / "robot" / "library" / f"{name}.yaml").stat().st_mtime
        if not picture.is_file() or picture.stat().st_mtime < max(source, renderer):
            picture.write_text(thumbnail(library.load(name)), encoding="utf-8")
        shutil.copy2(package / "robot" / "library" / f"{name}.yaml", folder)


def copy_katex(folder: Path) -> None:
    """Copy the script, the style sheet and the fonts (WOFF2) of KaTeX."""
    (folder / "fonts").mkdir(parents=True, exist_ok=True)
    for name in ("katex.min.css", "katex.min.js"):
        shutil.copy2(KATEX / name, folder)
    for font in KATEX.glob("fonts/*.woff2"):
        shutil.copy2(font, folder / "fonts")


def build_pages() -> int:
    """Run Sphinx on every page with warnings as errors; return its exit status.

    The pages are always built anew: an incremental build leaves old entries in the navigation.
    """
    shutil.rmtree(TARGET, ignore_errors=True)
    options = ["-b", "html", "-W", "--keep-going", "-n", "-j", "auto", "-q", "-E", "-d", str(DOCTREES)]
    return subprocess.run(
        [sys.executable, "-m", "sphinx", *options, str(DOCS), str(TARGET)], check=False
    ).returncode


def copy_workbench(target: Path) -> None:
    """Copy the static workbench into the site."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(WORKBENCH, target)


def main() -> int:
    """Build the site; return the exit status."""
    start = time.monotonic()
    page.main("site")
    draw_robots(ASSETS / "robots")
    copy_katex(ASSETS / "katex")
    status = build_pages()
    copy_workbench(TARGET / "_workbench")
    count = sum("_workbench" not in path.parts for path in TARGET.rglob("*.html"))
    print(
        f"{TARGET.relative_to(ROOT)}: {count} pages in {time.monotonic() - start:.0f} s; "
        f"read it: {TARGET / 'index.html'}, or python -m http.server -d {TARGET.relative_to(ROOT)}"
    )
    return status


if __name__ == "__main__":
    try:
        sys.exit(main())
    except page.PageError as error:
        sys.exit(f"docs: {error}")
