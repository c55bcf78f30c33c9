"""Insert faults into symoro and report which of them the tests detect: python tools/mutate.py [--count N] [--seed S]

A fault is one changed expression of src/symoro: a sign (a + b becomes a - b, -a becomes a), an index (a[1] becomes
a[0], range(n) becomes range(n - 1)), or a dropped term (a + b becomes a). Each fault is inserted into a copy of the
tree, and the tests of the folders that belong to the changed file run there until one fails.

    --tree DIR     the tree whose sources and tests are used (default: this one)
    --count N      number of faults (default 30)
    --seed S       seed of the choice (default 0); the same seed and the same sources give the same faults
    --limit S      seconds for each fault (default 300); a fault that makes the tests hang is detected
    --only TEXT    only files whose path contains this text, such as models/dynamic
    --list         print the faults, run nothing
    --as-in DIR    the faults that the seed chooses in this other tree; those whose line of source is not in the tree,
                   or in several places, are left out. Two trees are compared by the faults that they share.
    --at FILE:LINE:COLUMN:KIND   this fault alone, as printed by another run

The exit status is 0; the last line counts the detected faults.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
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
    kind: str
    before: str
    after: str
    source: str  # the line without its indentation, and the place in it counted from its end

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}:{self.column}:{self.kind}"


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


def _is_text(node: ast.BinOp) -> bool:
    """Return whether a sum joins strings or lists rather than numbers."""
    parts = (ast.Constant, ast.JoinedStr, ast.List, ast.Tuple, ast.ListComp)
    return any(
        isinstance(side, parts) and not (isinstance(side, ast.Constant) and not isinstance(side.value, str))
        for side in (node.left, node.right)
    )


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
    return [found for path in files for found in faults_of(tree, path)]


def counterpart(wanted: Fault, every: list[tuple[Fault, str]]) -> list[tuple[Fault, str]]:
    """Return the same fault of another tree, or nothing where its line is not there exactly once."""
    same = [one for one in every if (one[0].source, one[0].kind) == (wanted.source, wanted.kind)]
    beside = [one for one in same if one[0].file == wanted.file]
    return same if len(same) == 1 else beside if len(beside) == 1 else []


def detected(tree: Path, fault: Fault, text: str, limit: float) -> str:
    """Run the tests with a fault inserted; return the test that failed, "time limit", or "" where all passed."""
    folders = [name for name in TESTS[folder_of(fault.file) or ""] if (tree / name).exists()]
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider", *folders]
    with tempfile.TemporaryDirectory(prefix="symoro-mutate-") as scratch:
        copy = Path(scratch) / "tree"
        names = shutil.ignore_patterns(
            "node_modules", ".git", ".venv*", "build", ".mypy_cache", ".hypothesis"
        )
        shutil.copytree(tree, copy, ignore=names)
        (copy / fault.file).write_text(text, encoding="utf-8")
        environment = os.environ | {"PYTHONPATH": str(copy / "src"), "SYMORO_CACHE": f"{scratch}/cache"}
        log = Path(scratch) / "log"
        with log.open("w") as stream:
            process = subprocess.Popen(command, cwd=copy, env=environment, stdout=stream, stderr=stream)
            try:
                status = process.wait(limit)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                return "time limit"
        if status == 0:
            return ""
        failures = [
            line
            for line in log.read_text(errors="replace").splitlines()
            if line.startswith(("FAILED", "ERROR"))
        ]
        return failures[0].split(" - ")[0] if failures else f"pytest ended with {status}"


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
        chosen = [found for found in every if found[0].place in options.at]
    else:
        there = candidates(options.as_in.resolve(), options.only) if options.as_in else every
        chosen = random.Random(options.seed).sample(there, min(options.count, len(there)))
        if options.as_in:
            chosen = [found for wanted, _ in chosen for found in counterpart(wanted, every)]
    print(f"{len(chosen)} of {len(every)} faults", flush=True)
    number = 0
    for fault, text in chosen:
        print(f"{fault.place}\n    {fault.before[:100]}  ->  {fault.after[:100]}", flush=True)
        if options.list:
            continue
        test = detected(tree, fault, text, options.limit)
        number += bool(test)
        print(f"    {f'detected: {test}' if test else 'NOT DETECTED'}", flush=True)
    if not options.list:
        print(f"{number} of {len(chosen)} detected")
    return 0


if __name__ == "__main__":
    sys.exit(main())
