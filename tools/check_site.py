"""Check the built documentation site (build/docs) in Chromium: python tools/check_site.py [PAGE...]

Every page has a title and one h1, formulas that KaTeX accepts, sufficient contrast in light and dark (axe-core),
no script errors, no requests to other hosts, and fits a narrow screen; the skip link, the focus and the search are
used with the keyboard; the embedded workbench opens RX90. Screenshots: build/docs-screenshots.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import page

SITE = page.ROOT / "build" / "docs"
SCREENSHOTS = page.ROOT / "build" / "docs-screenshots"
SCRIPT = "tests/docs_site.mjs"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


class Handler(SimpleHTTPRequestHandler):
    """A plain file server without a log."""

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""


def site_pages() -> list[str]:
    """Return the pages of the site, relative to its root, without those of the embedded workbench."""
    paths = (path.relative_to(SITE) for path in sorted(SITE.rglob("*.html")))
    return [path.as_posix() for path in paths if path.parts[0] not in ("_static", "_workbench")]


def main(chosen: list[str]) -> int:
    """Check the pages; return the exit status."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        print("docs: there is no chromium; the check in a browser is skipped", file=sys.stderr)
        return 0
    if not (SITE / "index.html").is_file():
        print("docs: build/docs does not exist; run make docs", file=sys.stderr)
        return 1
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(SITE))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/"
        words = [SCRIPT, address, browser, str(SCREENSHOTS), *(chosen or site_pages())]
        workbench = {"SYMORO_WORKBENCH": "1"} if (SITE / "_workbench").is_dir() else {}
        status = subprocess.run(
            [str(page.prepared()), *words], cwd=page.FRONTEND, env=os.environ | workbench, check=False
        ).returncode
        server.shutdown()
    return status


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except page.PageError as error:
        sys.exit(f"docs: {error}")
