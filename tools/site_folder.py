"""The workbench as a folder that any web server can host: the page, Python for the browser, and symoro itself.

    index.html, assets/      the built page, configured to run Python in the browser
    pyodide/                 Python for the browser, from the npm package of that name
    python/symoro-*.zip      symoro and the pure Python packages that it cannot do without
    python/sympy.zip         SymPy, loaded when a model first needs it

NumPy has to be compiled for the browser: put the wheel that pyodide-lock.json names into pyodide/, and the
models that need it load it from there. Without it they say so.
"""

from __future__ import annotations

import hashlib
import shutil
import zipfile
from collections.abc import Iterable
from importlib.metadata import distribution
from pathlib import Path

import page

ALWAYS = ("pyyaml", "platformdirs")
SYMPY = ("sympy", "mpmath")
INTERPRETER = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json", "python_stdlib.zip")
LEFT_OUT = {"__pycache__", "tests", "testing", "benchmarks"}
WHEN = (2020, 1, 1, 0, 0, 0)  # equal sources give equal archives

Sources = Iterable[tuple[str, Path]]


def make(built: Path, pyodide: Path, target: Path) -> None:
    """Write the folder again, completely or not at all."""
    made = target.with_name(f"{target.name}.part")
    shutil.rmtree(made, ignore_errors=True)
    shutil.copytree(built, made)
    (made / "python").mkdir()
    (made / "pyodide").mkdir()
    for name in INTERPRETER:
        shutil.copy2(pyodide / name, made / "pyodide")
    archive = made / "python" / "symoro.zip"
    write_archive(archive, [*own_sources(), *sources_of(ALWAYS)])
    # The name contains a hash of the contents, because browsers cache files.
    archive = archive.rename(archive.with_name(f"symoro-{digest(archive)}.zip"))
    write_archive(made / "python" / "sympy.zip", sources_of(SYMPY))
    start = made / "index.html"
    metadata = {"symoro-back": "worker", "symoro-archive": f"python/{archive.name}"}
    head = "".join(f'  <meta name="{name}" content="{text}" />\n' for name, text in metadata.items())
    start.write_text(start.read_text("utf-8").replace("  </head>", f"{head}  </head>", 1), "utf-8")
    shutil.rmtree(target, ignore_errors=True)
    made.rename(target)
    size = sum(path.stat().st_size for path in target.rglob("*"))
    print(f"{target.relative_to(page.ROOT)}: {size / 1e6:.1f} MB; try it: python -m http.server -d {target}")


def own_sources() -> Sources:
    """Return the sources of symoro without its server."""
    package = page.ROOT / "src" / "symoro"
    server = package / "ui" / "web"
    for path in sorted(package.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts and server not in path.parents:
            yield path.relative_to(package.parent).as_posix(), path


def sources_of(names: Iterable[str]) -> Sources:
    """Return the Python files and licences of installed packages, without compiled files."""
    for name in names:
        for file in sorted(distribution(name).files or []):
            licence = file.name.startswith(("LICENSE", "LICENCE", "AUTHORS", "COPYING"))
            wanted = licence or file.suffix == ".py"
            if wanted and ".." not in file.parts and not LEFT_OUT.intersection(file.parts):
                yield file.as_posix(), Path(str(file.locate()))


def write_archive(path: Path, sources: Sources) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, source in sources:
            archive.writestr(zipfile.ZipInfo(name, WHEN), source.read_bytes(), zipfile.ZIP_DEFLATED, 9)


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]
