"""The workbench as a folder that any web server can host: the page, Python for the browser, and symoro itself.

    index.html, assets/       the built page, configured to run Python in the browser
    pyodide-HASH/             Python for the browser, from the npm package of that name
    python/symoro-HASH.zip    symoro and the pure Python packages that it cannot do without; the modules with which it
                              starts are compiled
    python/sympy-HASH.zip     SymPy, loaded when a model first needs it
    prepared-HASH/            answers about bundled robots, displayed while Python loads
    service-worker.js         keeps the files in the browser for the next visit

HASH is computed from the contents. Browsers and servers may therefore cache these files for any time: a page never
receives a file of another build.

NumPy and SciPy have to be compiled for the browser. Where the folder of Pyodide contains their wheels (a full Pyodide
distribution), they are copied and used; otherwise symoro's own arrays and integrator are used (symoro.ui.arrays).
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Iterable, Mapping
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import page

ALWAYS = ("pyyaml", "platformdirs")
SYMPY = ("sympy", "mpmath")
LOCK = "pyodide-lock.json"
STDLIB = "python_stdlib.zip"
INTERPRETER = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", LOCK, STDLIB)
LEFT_OUT = {"__pycache__", "tests", "testing", "benchmarks"}
WHEN = (2020, 1, 1, 0, 0, 0)  # equal sources give equal archives

# Remains where the page cannot start: in a folder that is opened without a server, or in an old browser.
WHILE_LOADING = """\
<p>symoro is loading. If this text remains, open the page in a current browser, from a web server: for example
<code>python -m http.server</code> in its folder, then http://localhost:8000.</p>
"""
NAMED_BY_CONTENTS = ("assets/", "python/", "pyodide-", "prepared-")  # how the paths of these files start

SERVICE_WORKER = """\
// Keeps the files of the site in the browser. Files of one build belong together: each build has its own cache.
const SITE = `symoro ${self.registration.scope} `; // other sites of the same server have other caches
const CACHE = `${SITE}VERSION`;
const FIRST = FILES;
const isNamedByContents = (path) => FOLDERS.some((start) => path.startsWith(start));

self.addEventListener("install", (event) => {
  // The browser has just downloaded most of these files, and need not do it again.
  const mode = (file) => ({ cache: isNamedByContents(file) ? "force-cache" : "no-cache" });
  const requests = FIRST.map((file) => new Request(file, mode(file)));
  const start = new Request("./", { cache: "reload" });
  const kept = caches.open(CACHE).then((cache) => cache.addAll([start, ...requests]));
  event.waitUntil(kept.then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  // The cache of the build before remains, because its page may still be open.
  const old = (names) => names.filter((name) => name.startsWith(SITE) && name !== CACHE).slice(0, -1);
  event.waitUntil(caches.keys().then((names) => Promise.all(old(names).map((name) => caches.delete(name)))));
});

/** Store a copy of a response. The page does not wait for it, and the storage may be full. */
function keep(event, response) {
  const copy = response.clone();
  const put = caches.open(CACHE).then((cache) => cache.put(event.request, copy));
  event.waitUntil(put.catch(() => undefined));
}

/** Return a file that another build may have changed: from the server, or without a network from this build. */
async function newest(event) {
  const { request } = event;
  try {
    const response = await fetch(request, { cache: "no-cache" });
    if (response.ok && request.mode !== "navigate") keep(event, response);
    return response;
  } catch {
    const name = request.mode === "navigate" ? "./" : request;
    return (await caches.match(name, { cacheName: CACHE, ignoreVary: true })) ?? Response.error();
  }
}

/** Return a file whose name contains a hash of its contents: from the cache of any build. */
async function unchanging(event) {
  const kept = await caches.match(event.request, { ignoreVary: true }).catch(() => undefined);
  if (kept) return kept;
  const response = await fetch(event.request);
  if (response.status === 200) keep(event, response);
  return response;
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { scope } = self.registration;
  if (request.method !== "GET" || !request.url.startsWith(scope)) return;
  const path = request.url.slice(scope.length);
  const kept = request.mode !== "navigate" && isNamedByContents(path);
  event.respondWith(kept ? unchanging(event) : newest(event));
});
"""

Sources = Iterable[tuple[str, Path]]
Contents = Mapping[str, bytes]  # of an archive, by names
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
    shutil.copytree(built, made, ignore=shutil.ignore_patterns("notebook"))
    python = made / "pyodide"
    (made / "python").mkdir()
    python.mkdir()
    for name in INTERPRETER:
        shutil.copy2(pyodide / name, python)
    packages = copy_packages(pyodide, python)
    archive, sympy = made / "python" / "symoro.zip", made / "python" / "sympy.zip"
    write_archive(archive, read(own_sources(), sources_of(ALWAYS)))
    write_archive(sympy, read(sources_of(SYMPY)))
    compiled = compiled_modules(pyodide, archive, sympy)
    for path in (archive, sympy, python / STDLIB):
        replace_modules(path, compiled)
    python, archive, sympy = named_by_contents(python), named_by_contents(archive), named_by_contents(sympy)
    prepared = made / "prepared"
    write_prepared(prepared, robots, packages)
    prepared = named_by_contents(prepared)
    first = [archive, *(python / name for name in INTERPRETER if not name.endswith((".mjs", ".json")))]
    metadata = {
        "symoro-back": "worker",
        "symoro-python": f"{python.name}/",
        "symoro-archive": f"python/{archive.name}",
        "symoro-sympy": f"python/{sympy.name}",
        "symoro-packages": " ".join(packages),
        "symoro-prepared": f"{prepared.name}/",
        "symoro-bytes": str(sum(path.stat().st_size for path in first)),
    }
    head = "".join(f'  <meta name="{name}" content="{text}" />\n' for name, text in metadata.items())
    start = made / "index.html"
    text = start.read_text("utf-8").replace("  </head>", f"{head}  </head>", 1)
    start.write_text(text.replace('<div id="page">', f'<div id="page">{WHILE_LOADING}', 1), "utf-8")
    write_service_worker(made)
    shutil.rmtree(target, ignore_errors=True)
    made.rename(target)
    size = sum(path.stat().st_size for path in target.rglob("*"))
    print(f"{target.relative_to(page.ROOT)}: {size / 1e6:.1f} MB; try it: python -m http.server -d {target}")


def check_distribution(pyodide: Path, own: Path) -> None:
    """Check that a folder is a full Pyodide distribution of the version that the page uses.

    Args:
        pyodide: folder that the user names.
        own: folder of the npm package.

    Raises:
        PageError: files or wheels are missing, or the version differs.
    """
    hint = "give the unpacked folder of a full Pyodide distribution (pyodide-VERSION.tar.bz2)"
    if lacking := [name for name in INTERPRETER if not (pyodide / name).is_file()]:
        raise page.PageError(f"PYODIDE={pyodide}: missing files: {', '.join(lacking)}; {hint}")
    try:
        given, expected = (json.loads((folder / LOCK).read_text("utf-8")) for folder in (pyodide, own))
        versions = [
            f"Python {lock['info']['python']}, ABI {lock['info']['abi_version']}"
            for lock in (given, expected)
        ]
        wheels = [given["packages"][name]["file_name"] for name in ("numpy", "scipy")]
    except (ValueError, KeyError, TypeError) as error:
        raise page.PageError(f"PYODIDE={pyodide}: {LOCK} cannot be read ({error!r}); {hint}") from None
    if versions[0] != versions[1]:
        raise page.PageError(f"PYODIDE={pyodide}: it has {versions[0]}, expected {versions[1]}; {hint}")
    if lacking := [name for name in wheels if not (pyodide / name).is_file()]:
        raise page.PageError(f"PYODIDE={pyodide}: missing files: {', '.join(lacking)}; {hint}")


def copy_packages(pyodide: Path, target: Path) -> list[str]:
    """Copy the wheels of NumPy and SciPy, and those that they need; return the names of the packages that exist."""
    lock = json.loads((pyodide / LOCK).read_text("utf-8"))["packages"]
    available = []
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
            available.append(name)
    return available


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
            ("inverse", {}),
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
    names = [path.relative_to(folder).as_posix() for path in files_of(folder)]
    offered = ("/lists.json", "/rx90.json")  # prepared answers of the first robot
    later = ("index.html", "python/sympy-")  # the page itself is stored under the address of the folder
    first = [
        name
        for name in names
        if not name.startswith(later)
        and not name.endswith(".whl")
        and (not name.startswith("prepared-") or name.endswith(offered))
    ]
    text = SERVICE_WORKER.replace("VERSION", digest(folder)).replace("FILES", json.dumps(first))
    text = text.replace("FOLDERS", json.dumps(NAMED_BY_CONTENTS))
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


def read(*sources: Sources) -> Contents:
    return {name: path.read_bytes() for one in sources for name, path in one}


def contents_of(path: Path) -> Contents:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}


def write_archive(path: Path, contents: Contents) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in contents.items():
            archive.writestr(zipfile.ZipInfo(name, WHEN), data, zipfile.ZIP_DEFLATED, 9)


def compiled_modules(pyodide: Path, archive: Path, sympy: Path) -> Contents:
    """Return the modules with which Python starts in the browser, compiled by that Python (compile_modules.mjs).

    Raises:
        PageError: a module cannot be compiled, or the models of the first robot cannot be derived.
    """
    script = Path(__file__).with_name("compile_modules.mjs")
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "compiled.zip"
        command = [page.prepared(), script, pyodide.absolute(), archive, sympy, target]
        done = subprocess.run(list(map(str, command)), stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            raise page.PageError(f"the modules of the site cannot be compiled: {done.stderr.strip()}")
        return contents_of(target)


def replace_modules(path: Path, compiled: Contents) -> None:
    """Replace the sources of an archive by the compiled modules that exist."""
    given = contents_of(path)
    names = {name: f"{name}c" if f"{name}c" in compiled else name for name in given}
    write_archive(path, {new: compiled.get(new, given[name]) for name, new in names.items()})


def files_of(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.is_file()]


def digest(path: Path) -> str:
    """Return a hash of a file, or of the names and contents of all files of a folder."""
    if path.is_file():
        return hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    lines = [f"{file.relative_to(path).as_posix()} {digest(file)}" for file in files_of(path)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]


def named_by_contents(path: Path) -> Path:
    """Rename a file or folder, so that its name contains a hash of its contents."""
    return path.rename(path.with_name(f"{path.stem}-{digest(path)}{path.suffix}"))
