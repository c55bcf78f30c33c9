"""Build the packages of a release, check them, and try the wheel in an empty environment.

    python tools/release.py             check the version, build, check the metadata, install the wheel, run the demo
    python tools/release.py --try PYTHON [PYTHON ...]
                                        also install the wheel with these interpreters and run the README's examples

The version is that of src/symoro/_version.py; CITATION.cff and the newest section of CHANGELOG.md must have it too.
The wheel is built from the sdist, so both contain everything that a build needs. Nothing is uploaded:
`twine upload dist/*` does that.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"


def version() -> str:
    """Return the version of the package, after comparing it with the changelog and the citation file."""
    sources = {
        "src/symoro/_version.py": r'__version__ = "([^"]+)"',
        "CHANGELOG.md": r"^## \[(\d[^\]]*)\]",
        "CITATION.cff": r"^version: (\S+)",
    }
    versions = {}
    for name, pattern in sources.items():
        match = re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
        if match is None:
            sys.exit(f"release: {name} contains no version")
        versions[name] = match.group(1)
    if len(set(versions.values())) > 1:
        listed = ", ".join(f"{name}: {value}" for name, value in versions.items())
        sys.exit(f"release: the versions differ ({listed}); set the same version in all three files")
    return versions["CHANGELOG.md"]


def run(*command: str | Path, **options: object) -> None:
    """Run a command and stop the release if it fails."""
    print("$", *command, flush=True)
    done = subprocess.run([str(word) for word in command], cwd=options.pop("cwd", ROOT), **options)  # type: ignore[call-overload]
    if done.returncode != 0:
        sys.exit(f"release: '{command[0]}' failed with exit code {done.returncode}")


def build() -> Path:
    """Build sdist and wheel into an empty dist/ and return the wheel."""
    shutil.rmtree(DIST, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", DIST)
    run(sys.executable, "-m", "twine", "check", "--strict", *sorted(DIST.iterdir()))
    (wheel,) = DIST.glob("*.whl")
    return wheel


def environment(python: str, folder: Path, wheel: Path) -> Path:
    """Create an empty virtual environment with the wheel and return its folder of programs."""
    run(python, "-m", "venv", folder)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    run(programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel)
    return programs


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--try", nargs="+", default=[], metavar="PYTHON", dest="interpreters")
    interpreters = parser.parse_args().interpreters
    number = version()
    wheel = build()
    if f"-{number}-" not in wheel.name:
        sys.exit(f"release: the wheel is {wheel.name}, expected version {number}")
    with tempfile.TemporaryDirectory() as folder:
        programs = environment(sys.executable, Path(folder) / "demo", wheel)
        path = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": ""}
        run(programs / "python", "-m", "pip", "check")
        run(ROOT / "tools" / "demo", env=path)
        for python in interpreters:
            own = environment(python, Path(folder) / Path(python).name, wheel)
            run(own / "python", "--version")
            run(
                own / "python",
                ROOT / "tools" / "check_docs.py",
                "README.md",
                env={**path, "PATH": f"{own}{os.pathsep}{path['PATH']}"},
            )
    print(
        f"release: symoro {number} is in {DIST.relative_to(ROOT)}: {', '.join(sorted(p.name for p in DIST.iterdir()))}"
    )


if __name__ == "__main__":
    main()
