"""Check the documentation: relative links lead somewhere, Python examples and command lines run.

    python tools/check_docs.py                  every page, in the running environment
    python tools/check_docs.py PAGE ...         these pages alone
    python tools/check_docs.py --update PAGE .. write the present outputs below the examples of these pages
    python tools/check_docs.py --extra NAME     the pages that need this extra alone; without NAME, those that need none
    python tools/check_docs.py --clean PREFIX   each page as its readers have it: in PREFIX-plain, which contains the
                                                wheel of symoro, or in PREFIX-NAME, with the extra that it needs;
                                                pages that need one of the large extras are left out
    python tools/check_docs.py --large          the pages that need large extras (LARGE), in the running environment,
                                                which has them; pages for a GPU are named and left out without one

The wheel is built and installed again when a file that it is made from changes, and the environments are made again
when pyproject.toml changes.

A page needs an extra if a line of it begins with: Needs `pip install 'symoro[NAME]'`.

Fences opened by exactly ```python and the cells of notebooks are run, those of one file in one namespace; a fence with
any other word after it is a sketch. The text that a cell prints must equal its saved output (tools/notebooks.py).
Command lines are those that start with `symoro`, in an indented block or a ```sh fence, and in the README and the
tutorial also those inside a sentence; a line with a word in capitals, which the reader replaces, is not run, nor is
`symoro gui`, which does not end. The examples of a page share an empty folder. A fence after a line that ends with a
file name (`arm.yaml`:) is written into that folder. A fence of text directly below an example contains lines
of its output, with numbers within 1 %; a fence opened by ```text approximately, within 50 %, for results of an
optimisation that follows the round-off of the processor. Fences of YAML, JSON and XML must be accepted by their
parsers.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import hashlib
import importlib.util
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
import types
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from difflib import unified_diff
from pathlib import Path
from xml.etree import ElementTree

import yaml

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")
EXAMPLE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^ {4}(symoro [^\n]+)$", re.MULTILINE)
SHELL = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"`([\w-]+\.\w+)`:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`(symoro [^`]+)`")
PLACEHOLDER = re.compile(r"\b[A-Z]{4,}\b|\.\.\.")
ENDLESS = re.compile(r"symoro gui\b")
NEEDS = re.compile(r"^Needs `pip install '?symoro\[([\w,]+)\]'?`", re.MULTILINE)
SHOWN = re.compile(
    r"^```(python|sh)\n((?:(?!```).*\n)*)```\n\n```text( approximately)?\n((?:(?!```).*\n)*)```$",
    re.MULTILINE,
)  # an example and, directly below, what it prints
PARSERS: dict[str, Callable[[str], object]] = {
    "yaml": yaml.safe_load,
    "json": json.loads,
    "xml": lambda text: ElementTree.fromstring(f"<part>{text}</part>"),  # pages show parts of files
}
DATA = re.compile(r"^```(yaml|json|xml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?")
CHANGING = re.compile(r"\d+(?:\.\d+)? (?:s|ms|us)\b|\d+\.\d+\.\d+")  # durations, versions
RULE = re.compile(r"--+")  # below the head of a column, as wide as its longest number
DIFFERENCE = 0.01  # relative, of numbers of an output
LARGE_DIFFERENCE = 0.5  # relative, where the result of an optimisation depends on the processor
SMALLEST = 1e-6  # smaller numbers of an output are round-off
LARGE = ("casadi", "cuda", "fmu", "jax", "study", "sweep", "torch")  # extras that make bridges checks
WITH_INLINE = ("README.md", "tutorial.md")


def pages() -> list[Path]:
    """Return the pages to check: those at the top, and all under docs/, notebooks included."""
    return sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("docs/**/*.ipynb")])


def text_of(page: Path) -> str:
    """Return the text of a page; a notebook as Markdown, its code as fences."""
    text = page.read_text(encoding="utf-8")
    if page.suffix != ".ipynb":
        return text
    cells = [("".join(cell["source"]), cell["cell_type"] == "code") for cell in json.loads(text)["cells"]]
    return "\n".join(f"```python\n{source}\n```\n" if is_code else f"{source}\n" for source, is_code in cells)


def extra_of(page: Path) -> str:
    """Return the extra, or several with commas, that the examples of a page need; "" for none."""
    named = NEEDS.search(text_of(page))
    return named.group(1) if named else ""


def is_large(extra: str) -> bool:
    """Return whether one of the extras, separated by commas, is large."""
    return any(name in LARGE for name in extra.split(","))


def has_gpu() -> bool:
    """Return whether CuPy is installed and there is a CUDA device."""
    try:
        import cupy

        return bool(cupy.cuda.runtime.getDeviceCount())
    except Exception:  # CuPy raises errors of its own if there is no driver
        return False


def saved_outputs(page: Path) -> list[str]:
    """Return the text that each code cell of a notebook printed when it was saved; [] for other pages."""
    if page.suffix != ".ipynb":
        return []
    cells = [
        cell for cell in json.loads(page.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"
    ]
    streams = ([output for output in cell["outputs"] if output["output_type"] == "stream"] for cell in cells)
    return ["".join("".join(output["text"]) for output in outputs) for outputs in streams]


def is_close(saved: str, printed: str, difference: float = DIFFERENCE) -> bool:
    """Return whether two outputs have the same words in any order and numbers within a relative difference."""
    saved, printed = (RULE.sub("-", CHANGING.sub("", output)) for output in (saved, printed))
    if sorted(NUMBER.sub("", saved).split()) != sorted(NUMBER.sub("", printed).split()):
        return False
    numbers, others = (sorted(map(float, NUMBER.findall(output))) for output in (saved, printed))
    return len(numbers) == len(others) and all(
        abs(a - b) <= max(difference * abs(a), SMALLEST) for a, b in zip(numbers, others, strict=True)
    )


def broken_links(page: Path, text: str) -> list[str]:
    """Return one message for each relative link without a target."""
    targets = LINK.findall(text)
    return [f"broken link: {target}" for target in targets if not (page.parent / target).exists()]


def broken_data(text: str) -> list[str]:
    """Return one message for each fence of YAML, JSON or XML that its parser rejects."""
    messages = []
    for fence in DATA.finditer(text):
        language, content = fence.groups()
        try:
            PARSERS[language](content)
        except Exception as error:
            messages.append(f"{language} at line {text.count(chr(10), 0, fence.start()) + 1}: {error}")
    return messages


def command_lines(page: Path, text: str) -> Iterator[tuple[int, str]]:
    """Yield (position, line) of the commands on a page."""
    results = [(match.start(1), match.group(1)) for match in BLOCK.finditer(text)]
    for fence in SHELL.finditer(text):
        for match in re.finditer(r"^symoro [^\n]+$", fence.group(1), re.MULTILINE):
            results.append((fence.start(1) + match.start(), match.group()))
    if page.name in WITH_INLINE:
        results += [(match.start(1), match.group(1).replace("\n", " ")) for match in INLINE.finditer(text)]
    lines = ((at, line.split(" #")[0], line) for at, line in results)
    return ((at, line) for at, run, line in lines if not PLACEHOLDER.search(run) and not ENDLESS.match(run))


def run_python(page: Path, line: int, code: str, namespace: dict[str, object]) -> None:
    """Run an example; newlines in front make the traceback count lines of the page."""
    exec(compile("\n" * line + code, str(page), "exec"), namespace)  # noqa: S102


def write_file(name: str, content: str) -> None:
    """Write a file that a page shows into the current folder."""
    Path(name).write_text(content, encoding="utf-8")


def run_command(text: str, quiet: bool) -> None:
    """Run a command line in this process.

    Raises:
        RuntimeError: it did not end well, or it has warned where a page must be `quiet`.
    """
    from symoro.ui.cli import main as symoro

    errors = io.StringIO()
    with contextlib.redirect_stderr(errors):
        try:
            code = symoro(shlex.split(text, comments=True)[1:])
        except SystemExit as done:
            code = done.code if isinstance(done.code, int) else 1
    warned = [line for line in errors.getvalue().splitlines() if not line.startswith("note:")]
    if code or (quiet and warned):
        raise RuntimeError(f"'{text}' ended with {code}: {errors.getvalue().strip()}")


def wrong_outputs(text: str, printed: dict[int, str]) -> Iterator[tuple[re.Match[str], str, str]]:
    """Yield each fence of text, directly below an example, with a line that the example did not print.

    Args:
        printed: output of each example that was run, by its position in the text.

    Yields:
        the example with its fence, the first such line, and the output of the example.
    """
    for shown in SHOWN.finditer(text):
        language, code, is_rough, expected = shown.groups()
        difference = LARGE_DIFFERENCE if is_rough else DIFFERENCE
        outputs = [output for start, output in printed.items() if shown.start() <= start < shown.end()]
        is_run = len(outputs) == (1 if language == "python" else len(code.splitlines()))
        lines = "".join(outputs).splitlines()
        for line in expected.splitlines() if is_run else ():
            if "..." not in line and not any(is_close(line, other, difference) for other in [*lines, ""]):
                yield (
                    shown,
                    line,
                    "".join(f"{one.rstrip()}\n" for one in "".join(outputs).strip("\n").split("\n")),
                )
                break


def updated(text: str, printed: dict[int, str]) -> str:
    """Return a page with the present outputs of its examples; outputs abridged by `...` do not change."""
    wrong = [
        (shown, output) for shown, _, output in wrong_outputs(text, printed) if "..." not in shown.group(4)
    ]
    for shown, output in reversed(wrong):
        text = text[: shown.start(4)] + output + text[shown.end(4) :]
    return text


def broken_examples(page: Path, text: str, update: bool = False) -> list[str]:
    """Return one message for each example or command that fails, and for each saved output that is out of date.

    Args:
        update: write the present outputs into the page first.
    """
    namespace: dict[str, object] = {"__name__": "__example__"}
    quiet = page.parent == ROOT / "docs" / "models"  # what is shown there must not need a warning
    steps: list[tuple[int, Callable[[int], None]]] = []
    for example in EXAMPLE.finditer(text):
        code = example.group(1)
        steps.append((example.start(), lambda line, code=code: run_python(page, line, code, namespace)))
    for file in FILE.finditer(text):
        name, content = file.groups()
        steps.append((file.start(), lambda _, name=name, content=content: write_file(name, content)))
    for start, words in command_lines(page, text):
        steps.append((start, lambda line, words=words: run_command(words, quiet)))
    messages, printed = [], dict[int, str]()
    for start, step in sorted(steps, key=lambda item: item[0]):
        line = text.count("\n", 0, start) + 1
        try:
            with contextlib.redirect_stdout(io.StringIO()) as output:
                step(line)
            printed[start] = output.getvalue()
        except Exception:
            messages.append(f"example at line {line}:\n{traceback.format_exc(limit=-2)}")
    if update and page.suffix == ".md" and updated(text, printed) != text:
        page.write_text(updated(text, printed), encoding="utf-8")
        print(f"{page.relative_to(ROOT)}: outputs updated", flush=True)
        return messages
    for shown, wrong, _ in wrong_outputs(text, printed):
        number = text.count("\n", 0, shown.start(4)) + 1
        messages.append(f"the output at line {number} is out of date: '{wrong}'")
    for number, (example, saved) in enumerate(
        zip(EXAMPLE.finditer(text), saved_outputs(page), strict=False), 1
    ):
        if not is_close(saved, printed.get(example.start(), saved)):
            changes = unified_diff(
                saved.splitlines(), printed[example.start()].splitlines(), lineterm="", n=0
            )
            messages.append(
                f"the saved output of code cell {number} is out of date: run tools/notebooks.py\n"
                + "\n".join(f"    {line}" for line in [*changes][2:])
            )
    return messages


@contextlib.contextmanager
def empty_folder() -> Iterator[None]:
    """Work in an empty folder, which is removed afterwards."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="symoro-docs-") as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def checked(page: Path, update: bool = False) -> tuple[list[str], float]:
    """Return what is wrong with a page, and the seconds that its examples took; on request update its outputs."""
    start = time.process_time()
    text = text_of(page)
    with empty_folder(), displays():
        messages = broken_links(page, text) + broken_data(text) + broken_examples(page, text, update)
    return messages, time.process_time() - start


@contextlib.contextmanager
def displays() -> Iterator[None]:
    """Replace what notebooks import to draw, so that they print the same text with and without Jupyter."""
    display = types.ModuleType("IPython.display")
    display.SVG = display.display = lambda drawn: drawn  # type: ignore[attr-defined]
    replaced = {"IPython": types.ModuleType("IPython"), "IPython.display": display}
    before = {name: sys.modules[name] for name in replaced if name in sys.modules}
    sys.modules.update(replaced)
    try:
        yield
    finally:
        for name in replaced:
            del sys.modules[name]
        sys.modules.update(before)


def check(chosen: list[Path], times: bool, update: bool = False) -> int:
    """Print what is wrong with pages, and on request which take longest; return 1 if anything is wrong."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        results = dict(zip(chosen, pool.map(functools.partial(checked, update=update), chosen), strict=True))
    wrong = [(page, message) for page, (messages, _) in results.items() for message in messages]
    for page, message in wrong:
        print(f"{page.relative_to(ROOT)}: {message}")
    if times:
        for page, (_, seconds) in sorted(results.items(), key=lambda item: -item[1][1])[:20]:
            print(f"{seconds:6.1f} s  {page.relative_to(ROOT)}")
    print(f"{len(chosen)} pages, {len(wrong)} wrong", flush=True)
    return 1 if wrong else 0


def digest(paths: Iterable[Path]) -> str:
    """Return a hash of the names and the contents of files."""
    state = hashlib.sha256()
    for path in sorted(paths):
        state.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes() + b"\0")
    return state.hexdigest()


def wheel_sources() -> list[Path]:
    """Return the files that a wheel of symoro is made from, except the page, which the build itself keeps current."""
    folders = [
        path for folder in ("src", "frontend/src", "frontend/public") for path in (ROOT / folder).rglob("*")
    ]
    files = [path for path in folders if path.is_file() and not {"__pycache__", "static"} & {*path.parts}]
    return [
        *files,
        *(ROOT / "frontend").glob("*.*"),
        ROOT / "pyproject.toml",
        ROOT / "tools" / "build_backend.py",
    ]


def install(python: Path | str, *words: str) -> None:
    """Run pip install in an environment.

    Raises:
        subprocess.CalledProcessError: the installation failed.
    """
    pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
    subprocess.run([str(python), *pip, *words], check=True)


def wheel() -> Path:
    """Return the wheel of symoro; it is built if its sources have changed.

    Raises:
        subprocess.CalledProcessError: the build failed.
    """
    folder = ROOT / "build" / "docs-wheel" / digest(wheel_sources())[:32]
    if not any(folder.glob("*.whl")):
        shutil.rmtree(folder.parent, ignore_errors=True)
        pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
        alone = [] if importlib.util.find_spec("hatchling") is None else ["--no-build-isolation"]
        subprocess.run([*pip, *alone, "--wheel-dir", str(folder), str(ROOT)], check=True)
    return next(folder.glob("*.whl"))


def environment(prefix: str, extra: str) -> Path:
    """Return the Python of a virtual environment that contains symoro, with an extra or without.

    The environment is made anew when pyproject.toml has changed, and symoro is installed again when its wheel has.
    The environment of an extra has the packages of the plain one, symoro among them, on its path, and its own besides.

    Raises:
        subprocess.CalledProcessError: an installation failed.
    """
    folder = Path(f"{prefix}-{extra.replace(',', '-') or 'plain'}")
    python, stamp, installed = folder / "bin" / "python", folder / "pyproject.sha256", folder / "wheel.sha256"
    state = digest([ROOT / "pyproject.toml"])
    built = wheel()
    fresh = not stamp.is_file() or stamp.read_text() != state
    if fresh:
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([str(ROOT / "tools" / "make-venv"), str(folder)], check=True)
    if not extra:
        if fresh:
            install(python, str(built))
        elif not installed.is_file() or installed.read_text() != built.parent.name:
            install(python, "--no-deps", "--force-reinstall", str(built))
        installed.write_text(built.parent.name)
    elif fresh:
        own, plain = (
            next(one.glob("lib/python*/site-packages")) for one in (folder, Path(f"{prefix}-plain"))
        )
        (own / "plain.pth").write_text(f"{plain}\n")
        install(python, f"{built}[{extra}]")
        for copied in own.glob(
            "symoro*"
        ):  # symoro itself is that of the plain environment, which is kept current
            shutil.rmtree(copied)
    stamp.write_text(state)
    return python


def main() -> int:
    """Check the requested pages; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("pages", nargs="*", type=Path, metavar="PAGE", help="pages to check; default: all")
    parser.add_argument("--times", action="store_true", help="print which pages take longest")
    parser.add_argument("--update", action="store_true", help="write the present outputs into the pages")
    parser.add_argument("--extra", nargs="?", const="", help="only pages that need this extra, or none")
    parser.add_argument("--clean", metavar="PREFIX", help="make environments, and check each page in its own")
    parser.add_argument("--large", action="store_true", help="only pages that need one of the large extras")
    options = parser.parse_args()
    every = [page.resolve() for page in options.pages] or pages()
    if options.large:
        every = [page for page in every if is_large(extra_of(page))]
        skipped = [page for page in every if "cuda" in extra_of(page).split(",") and not has_gpu()]
        for page in skipped:
            print(f"skipped, there is no GPU: {page.relative_to(ROOT)}")
        every = [page for page in every if page not in skipped]
    if options.clean is None:
        chosen = [page for page in every if options.extra is None or extra_of(page) == options.extra]
        return check(chosen, options.times, options.update)
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    status = 0
    for extra in sorted({"", *map(extra_of, every)}):
        if is_large(extra):
            print(f"documentation with symoro[{extra}]: checked by make bridges")
            continue
        python = environment(options.clean, extra)
        again = [
            python,
            __file__,
            "--extra",
            *([extra] if extra else []),
            *(["--times"] if options.times else []),
        ]
        print(f"documentation with symoro{f'[{extra}]' if extra else ''}:", flush=True)
        status |= subprocess.run(again, env=alone, check=False).returncode
    return status


if __name__ == "__main__":
    sys.exit(main())
