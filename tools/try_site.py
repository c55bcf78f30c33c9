"""Try every bundled robot in the static site (build/site) in Chromium: python tools/try_site.py [ROBOT ...]

Each robot is opened, drawn, moved and simulated for one second. One line of JSON per robot contains the times in
seconds and the message of the simulation; the exit code is the number of robots with errors.
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


def main(*robots: str) -> int:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    site = page.ROOT / "build" / "site"
    if chromium is None or not (site / "index.html").is_file():
        sys.exit("try_site: Chromium and build/site (make site) are required")
    handler = partial(SimpleHTTPRequestHandler, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        command = [
            str(page.prepared()),
            "tests/try_robots.mjs",
            f"http://127.0.0.1:{server.server_port}/",
            chromium,
        ]
        done = subprocess.run(
            [*command, *(robots or library.names())],
            cwd=page.FRONTEND,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        server.shutdown()
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
