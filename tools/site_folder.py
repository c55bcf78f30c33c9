"""The workbench as a folder that any web server can host: the page, Python for the browser, and symoro itself.

    index.html, assets/      the built page, configured to run Python in the browser
    pyodide/                 Python for the browser, from the npm package of that name
    python/symoro-*.zip      symoro and the pure Python packages that it cannot do without
    python/sympy.zip         SymPy, loaded when a model first needs it
    prepared/                answers about bundled robots, displayed while Python loads
    service-worker.js        keeps the files in the browser for the next visit

NumPy and SciPy have to be compiled for the browser. Where the folder of Pyodide contains their wheels (a full Pyodide
distribution), they are copied and used; otherwise symoro's own arrays and integrator are used (symoro.ui.arrays).
"""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from collections.abc import Iterable
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import page

ALWAYS = ("pyyaml", "platformdirs")
SYMPY = ("sympy", "mpmath")
INTERPRETER = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json", "python_stdlib.zip")
LEFT_OUT = {"__pycache__", "tests", "testing", "benchmarks"}
WHEN = (2020, 1, 1, 0, 0, 0)  # equal sources give equal archives

SERVICE_WORKER = """\
// Keeps the files of the site in the browser. Files of one build belong together: each build has its own cache.
const CACHE = "symoro-VERSION";
const FIRST = FILES;

self.addEventListener("install", (event) => {
  // The browser has just downloaded most of these files, and need not do it again.
  const requests = FIRST.map((file) => new Request(file, { cache: "force-cache" }));
  const kept = caches.open(CACHE).then((cache) => cache.addAll(requests));
  event.waitUntil(kept.then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const old = (names) => names.filter((name) => name.startsWith("symoro-") && name !== CACHE);
  event.waitUntil(caches.keys().then((names) => Promise.all(old(names).map((name) => caches.delete(name)))));
});

async function answer(request) {
  const cache = await caches.open(CACHE);
  if (request.mode === "navigate") {
    try {
      return await fetch(request); // a new build is used at once
    } catch {
      return (await cache.match("./")) ?? Response.error();
    }
  }
  const kept = await cache.match(request, { ignoreVary: true });
  if (kept) return kept;
  const response = await fetch(request);
  if (response.ok && response.status === 200) await cache.put(request, response.clone());
  return response;
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "GET" && request.url.startsWith(self.registration.scope)) event.respondWith(answer(request));
});
"""

Sources = Iterable[tuple[str, Path]]
Answer = tuple[str, dict[str, Any], Any]  # name of the call, its arguments without the robot, its answer


def make(built: Path, pyodide: Path, target: Path, robots: Iterable[str] | None = None) -> None:
    """Write the folder again, completely or not at all.

    Args:
        built: the built page.
        pyodide: folder of Pyodide; its wheels of NumPy and SciPy are used if it contains them.
        robots: bundled robots whose answers are prepared; all by default.
    """
    made = target.with_name(f"{target.name}.part")
    shutil.rmtree(made, ignore_errors=True)
    shutil.copytree(built, made)
    (made / "python").mkdir()
    (made / "pyodide").mkdir()
    for name in INTERPRETER:
        shutil.copy2(pyodide / name, made / "pyodide")
    packages = copy_packages(pyodide, made / "pyodide")
    archive = made / "python" / "symoro.zip"
    write_archive(archive, [*own_sources(), *sources_of(ALWAYS)])
    # The name contains a hash of the contents, because browsers cache files.
    archive = archive.rename(archive.with_name(f"symoro-{digest(archive)}.zip"))
    write_archive(made / "python" / "sympy.zip", sources_of(SYMPY))
    start = made / "index.html"
    first = [
        archive,
        *(made / "pyodide" / name for name in INTERPRETER if not name.endswith((".mjs", ".json"))),
    ]
    metadata = {
        "symoro-back": "worker",
        "symoro-archive": f"python/{archive.name}",
        "symoro-packages": " ".join(packages),
        "symoro-bytes": str(sum(path.stat().st_size for path in first)),
    }
    head = "".join(f'  <meta name="{name}" content="{text}" />\n' for name, text in metadata.items())
    start.write_text(start.read_text("utf-8").replace("  </head>", f"{head}  </head>", 1), "utf-8")
    write_prepared(made / "prepared", robots, packages)
    write_service_worker(made)
    shutil.rmtree(target, ignore_errors=True)
    made.rename(target)
    size = sum(path.stat().st_size for path in target.rglob("*"))
    print(f"{target.relative_to(page.ROOT)}: {size / 1e6:.1f} MB; try it: python -m http.server -d {target}")


def copy_packages(pyodide: Path, target: Path) -> list[str]:
    """Copy the wheels of NumPy and SciPy, and those that they need; return the names of the packages that exist."""
    lock = json.loads((pyodide / "pyodide-lock.json").read_text("utf-8"))["packages"]
    found = []
    for name in ("numpy", "scipy"):
        wanted, names = [name], set()
        while wanted:
            one = wanted.pop()
            names.add(one)
            wanted += [other for other in lock.get(one, {}).get("depends", []) if other not in names]
        files = [pyodide / lock[one]["file_name"] for one in names if one in lock]
        if len(files) == len(names) and all(path.is_file() for path in files):
            for path in files:
                shutil.copy2(path, target)
            found.append(name)
    return found


def write_prepared(folder: Path, robots: Iterable[str] | None, packages: list[str]) -> None:
    """Write the answers that the page requests first, per bundled robot (frontend/src/backend/prepared.ts)."""
    from symoro.ui.service import call
    from symoro.ui.service.answers import SCIPY_INTEGRATORS
    from symoro.ui.service.page_simulation import METHOD

    folder.mkdir()
    gallery = call("robots", {})
    integrators = list(SCIPY_INTEGRATORS) if "scipy" in packages else [METHOD]
    about = {**call("about", {}), "integrators": integrators}
    write_answers(folder / "lists.json", [("about", {}, about), ("robots", {}, gallery)])
    for robot in [row["id"] for row in gallery["robots"]] if robots is None else robots:
        view = call("robot_open", {"id": robot})
        requests: list[tuple[str, dict[str, Any]]] = [
            ("frames", {"loops": False}),
            ("frames", {"loops": True}),
            ("catalogue", {}),
            ("model", {"model": "inverse-dynamics", "options": {}}),
            ("code", {"model": "inverse-geometry", "options": {}, "language": "javascript"}),
        ]
        answers: list[Answer] = [("robot_open", {"id": robot}, view)]
        for name, payload in requests:
            answer = call(name, {"robot": view["robot"], **payload})
            if "error" not in answer:
                answers.append((name, payload, answer))
        write_answers(folder / f"{robot}.json", answers)


def write_answers(path: Path, answers: list[Answer]) -> None:
    """Write answers under the name of the call and its arguments, in the form of JSON.stringify."""
    keyed = {
        f"{name} {json.dumps(payload, separators=(',', ':'))}": answer for name, payload, answer in answers
    }
    path.write_text(json.dumps(keyed, separators=(",", ":")), "utf-8")


def write_service_worker(folder: Path) -> None:
    """Write the service worker; its cache has the hash of all files, so that a new site replaces the old one."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    names = [path.relative_to(folder).as_posix() for path in paths]
    total = hashlib.sha256(
        "".join(f"{name} {digest(path)}" for name, path in zip(names, paths, strict=True)).encode()
    )
    always = [name for name in names if name.startswith(("assets/", "pyodide/", "python/symoro-"))]
    first = [name for name in always if not name.endswith(".whl")]
    listed = json.dumps(["./", *first, "prepared/lists.json", "prepared/rx90.json"])
    text = SERVICE_WORKER.replace("VERSION", total.hexdigest()[:12]).replace("FILES", listed)
    (folder / "service-worker.js").write_text(text, "utf-8")


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
