"""The workbench in a real browser: the page with its server, and the page without one.

The scenarios are in frontend/tests/browser; screenshots are written to build/screenshots, or to SYMORO_SCREENSHOTS.
Skipped where there is no chromium, no node, or no built page (`python tools/page.py test` builds what is needed).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
FRONTEND = ROOT / "frontend"
SITE = ROOT / "build" / "site"
SCENARIOS = sorted(path.name.split(".")[0] for path in (FRONTEND / "tests" / "browser").glob("*.browser.ts"))
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def node() -> Path | None:
    """Node as the build of the page finds it."""
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        import page
    finally:
        sys.path.pop(0)
    result: Path | None = page.node_of_path() or page.node_of_package()
    return result


NODE = node()
LACKING = [
    what
    for what, there in (
        ("chromium", CHROMIUM),
        ("node", NODE),
        ("the page", (ROOT / "src/symoro/ui/web/static/index.html").is_file()),
        ("the packages of the page", (FRONTEND / "node_modules" / "vitest").is_dir()),
    )
    if not there
]
pytestmark = pytest.mark.skipif(bool(LACKING), reason=f"missing: {', '.join(LACKING)}")


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """`symoro gui` at a port that is free; its address."""
    code = "import sys; from symoro.ui.cli import main; sys.exit(main(sys.argv[1:]))"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "gui", "--no-browser"], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    line = process.stdout.readline()
    yield line.split("symoro gui: ")[1].split()[0]
    process.terminate()
    process.wait(20)


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """The folder of `make site`, in a subfolder of a plain web server."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(SITE.parent))) as plain:
        threading.Thread(target=plain.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{plain.server_port}/{SITE.name}/"
        plain.shutdown()


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_scenario(scenario: str, server: str, site: str) -> None:
    if scenario == "site" and not (SITE / "index.html").is_file():
        pytest.skip("missing: the site")
    if scenario == "gallery" and "SYMORO_SCREENSHOTS" not in os.environ:
        pytest.skip("taken only for the documentation, by tools/screenshots")
    environment = os.environ | {
        "SYMORO_ADDRESS": server,
        "SYMORO_SITE": site,
        "SYMORO_CHROMIUM": str(CHROMIUM),
        "SYMORO_SCREENSHOTS": os.environ.get("SYMORO_SCREENSHOTS", str(ROOT / "build" / "screenshots")),
        "NO_COLOR": "1",
        "SYMORO_CC": shutil.which("cc") or "",
    }
    vitest = FRONTEND / "node_modules" / "vitest" / "vitest.mjs"
    command = [
        str(NODE),
        str(vitest),
        "run",
        "--config",
        "vitest.browser.config.ts",
        f"{scenario}.browser.ts",
    ]
    done = subprocess.run(command, cwd=FRONTEND, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
