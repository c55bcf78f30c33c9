"""Try every bundled robot in Chromium: python tools/try_site.py [--times] [ADDRESS] [ROBOT ...]

The address is that of a running server (`symoro gui` prints it); without it, the static site in build/site is tried.
Each robot is opened, drawn with a body for every link, moved and simulated for one second. One line of JSON per robot
contains the times in seconds and the result of the simulation, or the explanation of the page; the exit code is the
number of robots with errors. With --times, the first and a later visit to the page are timed instead.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from collections.abc import Iterable
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import page  # beside this file

from symoro.robot import library


class QuietHandler(SimpleHTTPRequestHandler):
    """Handler that serves files without a log."""

    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing."""


def main(*arguments: str) -> int:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("try_site: Chromium is required")
    words = [word for word in arguments if word != "--times"]
    address = words.pop(0) if words and "://" in words[0] else ""
    script = "tests/time_site.mjs" if "--times" in arguments else "tests/try_robots.mjs"
    robots = [] if "--times" in arguments else words or library.names()
    if unknown := [word for word in words if word not in library.names()]:
        sys.exit(f"try_site: unknown robots or options: {' '.join(unknown)}")
    run = partial(run_browser, script=script, robots=robots)
    if address:
        return run(address, chromium)
    site = page.ROOT / "build" / "site"
    if not (site / "index.html").is_file():
        sys.exit(
            "try_site: build/site is missing: build it with make site, or give the address of symoro gui"
        )
    handler = partial(QuietHandler, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        result = run(f"http://127.0.0.1:{server.server_port}/", chromium)
        server.shutdown()
    return result


def run_browser(address: str, chromium: str, script: str, robots: Iterable[str]) -> int:
    """Run a script of the page with node; return its exit code, the number of robots with errors."""
    command = [str(page.prepared()), script, address, chromium, *robots]
    return subprocess.run(command, cwd=page.FRONTEND, stderr=subprocess.DEVNULL, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
