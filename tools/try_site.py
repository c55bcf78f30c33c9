"""Try every bundled robot in Chromium: python tools/try_site.py [ADDRESS] [ROBOT ...]

The address is that of a running server (`symoro gui` prints it); without it, the static site in build/site is tried.
Each robot is opened, drawn with a body for every link, moved and simulated for one second. One line of JSON per robot
contains the times in seconds and the result of the simulation, or the explanation of the page; the exit code is the
number of robots with errors.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import page  # beside this file

from symoro.robot import library


def main(*arguments: str) -> int:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("try_site: Chromium is required")
    address, robots = (
        ("", arguments) if not arguments or "://" not in arguments[0] else (arguments[0], arguments[1:])
    )
    if address:
        return tried(address, chromium, robots)
    site = page.ROOT / "build" / "site"
    if not (site / "index.html").is_file():
        sys.exit(
            "try_site: build/site is missing: build it with make site, or give the address of symoro gui"
        )
    handler = partial(SimpleHTTPRequestHandler, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        result = tried(f"http://127.0.0.1:{server.server_port}/", chromium, robots)
        server.shutdown()
    return result


def tried(address: str, chromium: str, robots: tuple[str, ...]) -> int:
    """Run the browser; return the number of robots with errors."""
    command = [str(page.prepared()), "tests/try_robots.mjs", address, chromium, *(robots or library.names())]
    return subprocess.run(command, cwd=page.FRONTEND, stderr=subprocess.DEVNULL, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
