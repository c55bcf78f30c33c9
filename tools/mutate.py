"""Insert faults into symoro and report which of them the tests detect: python tools/mutate.py [--count N] [--seed S]

A fault is one changed expression of src/symoro: a sign (a + b becomes a - b, -a becomes a), an index (a[1] becomes
a[0], range(n) becomes range(n - 1)), or a dropped term (a + b becomes a). Each package receives faults in proportion to
its lines. Each fault is inserted into a copy of the tree, and the tests of the folders that belong to the changed file
run there until one fails, those that import the changed module first.

    --tree DIR     the tree whose sources and tests are used (default: this one)
    --count N      number of faults (default 30)
    --seed S       seed of the choice (default 0); the same seed and the same sources give the same faults
    --limit S      seconds for each fault (default 300)
    --only TEXT    only files whose path contains this text, such as models/dynamic
    --list         print the faults, run nothing
    --as-in DIR    the faults that the seed chooses in this other tree; those whose line of source is not in the tree,
                   or in several places, are left out. Two trees are compared by the faults that they share.
    --at FILE:LINE:COLUMN:LENGTH:KIND   this fault alone, as printed by another run

Each fault has one of four results. It is detected when a test fails, or its fixture, that passes without the fault. A
test that fails without the fault is left out and the others run again. It is an import error when the tests cannot be
collected, which is no merit of the tests. It is undecided when the time limit ends the run. It is undetected when all
tests pass. The exit status is 0; the last line counts the results.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Folders of src/symoro with numeric or symbolic work, and the tests of each; a missing folder is skipped, so that the
# table serves for trees of different dates.
TESTS = {
    "expr": ("tests/expr", "tests/program", "tests/models/test_ledger.py"),
    "program": ("tests/program", "tests/emit", "tests/models/test_ledger.py"),
    "emit": ("tests/emit",),
    "robot": ("tests/robot",),
    "runtime": ("tests/runtime",),
    "models/dynamic": ("tests/models/dynamic", "tests/models/identification"),
    "models/geometric": ("tests/models/geometric", "tests/runtime", "tests/models/kinematic"),
    "models/kinematic": ("tests/models/kinematic", "tests/models/dynamic"),
    "models/identification": ("tests/models/identification",),
    "models/numeric": ("tests/models/numeric", "tests/models/geometric"),
    "models": ("tests/models",),
    "motion": ("tests/motion",),
    "trajectory": ("tests/trajectory",),
    "simulation": ("tests/simulation",),
    "estimation": ("tests/estimation",),
    "calibrate": ("tests/calibrate",),
    "identification": ("tests/identification",),
}
SIGNS = {ast.Add: ast.Sub, ast.Sub: ast.Add}


@dataclass(frozen=True)
class Fault:
    """A changed expression of a file."""

    file: str
    line: int
    column: int
    length: int  # of the changed expression: a - b + c begins where a - b does
    kind: str
    before: str
    after: str
    source: str  # the line without its indentation, and the place in it counted from its end

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}:{self.column}:{self.length}:{self.kind}"


def variants(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield the kinds of faults that an expression admits, with the changed expression."""
    if isinstance(node, ast.BinOp) and type(node.op) in SIGNS and not _is_text(node):
        yield "sign", ast.BinOp(node.left, SIGNS[type(node.op)](), node.right)
        yield "dropped term", node.left
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        if not isinstance(node.operand, ast.Constant):
            yield "sign", node.operand
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        if isinstance(node.slice.value, int) and isinstance(node.ctx, ast.Load):
            other = node.slice.value + 1 if node.slice.value <= 0 else node.slice.value - 1
            yield "index", ast.Subscript(node.value, ast.Constant(other), node.ctx)
    elif isinstance(node, ast.Call) and ast.unparse(node.func) == "range" and len(node.args) <= 2:
        last = ast.BinOp(node.args[-1], ast.Sub(), ast.Constant(1))
        yield "index", ast.Call(node.func, [*node.args[:-1], last], [])


def _is_text(node: ast.expr) -> bool:
    """Return whether a sum joins strings, lists or sets rather than numbers, as far as its text shows."""
    if isinstance(node, ast.BinOp):
        return _is_text(node.left) or _is_text(node.right)
    if isinstance(node, ast.IfExp):
        return _is_text(node.body)
    if isinstance(node, ast.Call):
        return ast.unparse(node.func) in ("str", "list", "tuple", "set", "sorted") or _is_text(node.func)
    if isinstance(node, ast.Attribute):
        return isinstance(node.value, ast.Constant | ast.JoinedStr)
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str | bytes)
    return isinstance(node, ast.JoinedStr | ast.List | ast.Tuple | ast.Set | ast.ListComp | ast.SetComp)


def faults_of(tree: Path, path: Path) -> Iterator[tuple[Fault, str]]:
    """Yield each fault of a file, with the text of the file that contains it; none in annotations."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line.encode()))
    data = text.encode()
    module = ast.parse(text)
    annotations = {
        id(inner)
        for node in ast.walk(module)
        for name in ("annotation", "returns")
        if getattr(node, name, None) is not None
        for inner in ast.walk(getattr(node, name))
    }
    for node in ast.walk(module):
        if id(node) in annotations:
            continue
        for kind, changed in variants(node):
            assert (
                isinstance(node, ast.expr) and node.end_lineno is not None and node.end_col_offset is not None
            )
            first = starts[node.lineno - 1] + node.col_offset
            last = starts[node.end_lineno - 1] + node.end_col_offset
            after = f"({ast.unparse(changed)})"
            fault = Fault(
                path.relative_to(tree).as_posix(),
                node.lineno,
                node.col_offset,
                last - first,
                kind,
                " ".join(data[first:last].decode().split()),
                after[1:-1],
                f"{lines[node.lineno - 1].strip()} {len(lines[node.lineno - 1][node.col_offset :])}",
            )
            yield fault, (data[:first] + after.encode() + data[last:]).decode()


def folder_of(file: str) -> str | None:
    """Return the entry of TESTS that a source file belongs to: the longest that its path starts with."""
    inner = file.removeprefix("src/symoro/")
    return max((name for name in TESTS if inner.startswith(f"{name}/")), key=len, default=None)


def candidates(tree: Path, only: str) -> list[tuple[Fault, str]]:
    """Return every fault of the numeric and symbolic code."""
    paths = [path for path in sorted((tree / "src" / "symoro").rglob("*.py")) if only in path.as_posix()]
    files = [path for path in paths if folder_of(path.relative_to(tree).as_posix())]
    return [faults for path in files for faults in faults_of(tree, path)]


def counterpart(wanted: Fault, every: list[tuple[Fault, str]]) -> list[tuple[Fault, str]]:
    """Return the same fault of another tree, or nothing where its line is not there exactly once."""
    key = wanted.source, wanted.kind, wanted.before
    same = [one for one in every if (one[0].source, one[0].kind, one[0].before) == key]
    beside = [one for one in same if one[0].file == wanted.file]
    return same if len(same) == 1 else beside if len(beside) == 1 else []


def choose(every: list[tuple[Fault, str]], tree: Path, count: int, seed: int) -> list[tuple[Fault, str]]:
    """Choose faults at random; each package of src/symoro receives its share by lines of source."""
    packages: dict[str, list[tuple[Fault, str]]] = {}
    for one in every:
        packages.setdefault(one[0].file.split("/")[2], []).append(one)
    lines = {
        name: sum(
            len(path.read_text(encoding="utf-8").splitlines())
            for path in (tree / "src" / "symoro" / name).rglob("*.py")
        )
        for name in packages
    }
    share = {name: count * lines[name] / sum(lines.values()) for name in packages}
    number = {name: int(share[name]) for name in packages}
    remainders = sorted(packages, key=lambda name: number[name] - share[name])
    for name in remainders[: count - sum(number.values())]:
        number[name] += 1
    draw = random.Random(seed)
    return [
        one
        for name in sorted(packages)
        for one in draw.sample(packages[name], min(number[name], len(packages[name])))
    ]


def test_files(tree: Path, file: str) -> list[str]:
    """Return the test files that belong to a source file, the most likely first.

    These are the files that import its module, then those that bear its name, then those that contain its name.

    The tests of the style of the sources are left out: they do not run the code.
    """
    module = file.removeprefix("src/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    package, _, name = module.rpartition(".")
    imports = re.compile(rf"{re.escape(module)}\b|from {re.escape(package)} import .*\b{name}\b")
    faults: dict[str, tuple[bool, ...]] = {}
    for folder in TESTS[folder_of(file) or ""]:
        place = tree / folder
        for path in [place] if place.suffix else sorted(place.rglob("test_*.py")):
            if path.exists() and path.name != "test_house.py":
                text = path.read_text(encoding="utf-8")
                likely = imports.search(text) is not None, name in path.stem, name in text
                faults[path.relative_to(tree).as_posix()] = likely
    return sorted(faults, key=lambda path: faults[path], reverse=True)


def run(copy: Path, arguments: list[str], limit: float) -> tuple[str, str]:
    """Run tests until one fails; return the result and the test that caused it."""
    options = ["-x", "-q", "--no-header", "-p", "no:cacheprovider", "-p", "no:randomly"]
    command = [sys.executable, "-m", "pytest", *options, *arguments]
    environment = os.environ | {"PYTHONPATH": str(copy / "src"), "SYMORO_CACHE": f"{copy.parent}/cache"}
    log = copy.parent / "log"
    with log.open("w") as stream:
        process = subprocess.Popen(
            command, cwd=copy, env=environment, stdout=stream, stderr=stream, start_new_session=True
        )
        try:
            status = process.wait(limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return "undecided", "time limit"
    if status == 0:
        return "undetected", ""
    lines = [
        line.split(" - ")[0].split(" ", 1)
        for line in log.read_text(errors="replace").splitlines()
        if line.startswith(("FAILED ", "ERROR "))
    ]
    named = [name for _, name in lines if "::" in name]
    if status == 1 and named:
        return "detected", named[0]
    return "import error", lines[0][1] if lines else f"pytest ended with status {status}"


def result_of(copy: Path, fault: Fault, text: str, limit: float, sound: dict[str, bool]) -> tuple[str, str]:
    """Insert a fault into the copy, run its tests and remove it; return the result and the test that caused it.

    sound: whether a test passes without a fault, for the tests that failed with one.
    """
    files, path = test_files(copy, fault.file), copy / fault.file
    original = path.read_text(encoding="utf-8")
    while True:
        failing = [f"--deselect={name}" for name, passes in sound.items() if not passes]
        path.write_text(text, encoding="utf-8")
        result, test = run(copy, [*failing, *files], limit)
        path.write_text(original, encoding="utf-8")
        if result not in ("detected", "import error"):
            return result, test
        names = [test] if result == "detected" else files
        key = " ".join(names)
        if key not in sound:
            extra = [] if result == "detected" else ["--collect-only"]
            sound[key] = run(copy, [*extra, *names], limit)[0] == "undetected"
        if sound[key]:
            return result, test
        if result == "import error":
            return "undecided", f"the tests cannot be collected without the fault either: {test}"


def main() -> int:
    """Insert the faults that were asked for; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--tree", type=Path, default=ROOT)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=float, default=300.0)
    parser.add_argument("--only", default="")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--as-in", type=Path)
    parser.add_argument("--at", action="append", default=[])
    options = parser.parse_args()
    tree = options.tree.resolve()
    every = candidates(tree, options.only)
    if options.at:
        chosen = [faults for faults in every if faults[0].place in options.at]
    else:
        there = candidates(options.as_in.resolve(), options.only) if options.as_in else every
        chosen = choose(there, (options.as_in or tree).resolve(), options.count, options.seed)
        if options.as_in:
            chosen = [faults for wanted, _ in chosen for faults in counterpart(wanted, every)]
    print(f"{len(chosen)} of {len(every)} faults", flush=True)
    results: Counter[str] = Counter()
    sound: dict[str, bool] = {}
    with tempfile.TemporaryDirectory(prefix="symoro-mutate-") as scratch:
        copy = Path(scratch) / "tree"
        if not options.list:
            names = ("node_modules", ".git", ".venv*", "build", ".mypy_cache", ".hypothesis", "__pycache__")
            shutil.copytree(tree, copy, ignore=shutil.ignore_patterns(*names))
        for fault, text in chosen:
            print(f"{fault.place}\n    {fault.before[:100]}  ->  {fault.after[:100]}", flush=True)
            if not options.list:
                result, test = result_of(copy, fault, text, options.limit, sound)
                results[result] += 1
                print(f"    {result}{f': {test}' if test else ''}", flush=True)
    if not options.list:
        kinds = ("detected", "undetected", "undecided", "import error")
        print(f"{len(chosen)} faults: {', '.join(f'{results[kind]} {kind}' for kind in kinds)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
