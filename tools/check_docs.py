"""Check the documentation: relative links lead somewhere, Python examples and command lines run.

Fences opened by exactly ```python are run, those of one file in one namespace; a fence with any
other word after it is a sketch. Command lines are those that start with `symoro`, in an indented
block or a ```sh fence, and in the README and the tutorial also those inside a sentence; a word in
capitals stands for something else, and such a line is not run; nor is `symoro gui`, which does not
end. The examples of a page share an empty folder.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")
EXAMPLE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^ {4}(symoro [^\n]+)$", re.MULTILINE)
SHELL = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`(symoro [^`]+)`")
PLACEHOLDER = re.compile(r"\b[A-Z]{4,}\b|\.\.\.")
ENDLESS = re.compile(r"symoro gui\b")
WITH_INLINE = ("README.md", "tutorial.md")


def pages() -> list[Path]:
    """The pages to check: those at the top, and all under docs/."""
    return sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def broken_links(page: Path, text: str) -> list[str]:
    """One message for each relative link that leads nowhere."""
    targets = LINK.findall(text)
    return [f"broken link: {target}" for target in targets if not (page.parent / target).exists()]


def command_lines(page: Path, text: str) -> Iterator[tuple[int, str]]:
    """(position, line) of the commands on a page."""
    found = [(match.start(1), match.group(1)) for match in BLOCK.finditer(text)]
    for fence in SHELL.finditer(text):
        for match in re.finditer(r"^symoro [^\n]+$", fence.group(1), re.MULTILINE):
            found.append((fence.start(1) + match.start(), match.group()))
    if page.name in WITH_INLINE:
        found += [(match.start(1), match.group(1).replace("\n", " ")) for match in INLINE.finditer(text)]
    lines = ((at, line.split(" #")[0], line) for at, line in found)
    return ((at, line) for at, run, line in lines if not PLACEHOLDER.search(run) and not ENDLESS.match(run))


def run_python(page: Path, line: int, code: str, namespace: dict[str, object]) -> None:
    """Run an example; newlines in front make the traceback count lines of the page."""
    exec(compile("\n" * line + code, str(page), "exec"), namespace)  # noqa: S102


def run_command(text: str) -> None:
    """Run a command line in this process.

    Raises:
        RuntimeError: it did not end well.
    """
    from symoro.ui.cli import main as symoro

    errors = io.StringIO()
    with contextlib.redirect_stderr(errors):
        try:
            code = symoro(shlex.split(text, comments=True)[1:])
        except SystemExit as done:
            code = done.code if isinstance(done.code, int) else 1
    if code:
        raise RuntimeError(f"'{text}' ended with {code}: {errors.getvalue().strip()}")


def broken_examples(page: Path, text: str) -> list[str]:
    """One message for each example or command that fails; what they print is dropped."""
    namespace: dict[str, object] = {"__name__": "__example__"}
    steps: list[tuple[int, Callable[[int], None]]] = []
    for example in EXAMPLE.finditer(text):
        code = example.group(1)
        steps.append((example.start(), lambda line, code=code: run_python(page, line, code, namespace)))
    for start, words in command_lines(page, text):
        steps.append((start, lambda line, words=words: run_command(words)))
    messages = []
    for start, step in sorted(steps, key=lambda item: item[0]):
        line = text.count("\n", 0, start) + 1
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                step(line)
        except Exception:
            messages.append(f"example at line {line}:\n{traceback.format_exc(limit=-2)}")
    return messages


@contextlib.contextmanager
def empty_folder() -> Iterator[None]:
    """Work in a folder of one's own, which is gone afterwards."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="symoro-docs-") as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def checked(page: Path) -> tuple[list[str], float]:
    """What is wrong with a page, and the seconds that its examples took."""
    start = time.process_time()
    text = page.read_text(encoding="utf-8")
    with empty_folder():
        messages = broken_links(page, text) + broken_examples(page, text)
    return messages, time.process_time() - start


def main() -> int:
    """Print what is wrong, and with --times the pages that take longest; exit status 1 if anything is wrong."""
    every = pages()
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        found = dict(zip(every, pool.map(checked, every), strict=True))
    wrong = [(page, message) for page, (messages, _) in found.items() for message in messages]
    for page, message in wrong:
        print(f"{page.relative_to(ROOT)}: {message}")
    if "--times" in sys.argv[1:]:
        for page, (_, seconds) in sorted(found.items(), key=lambda item: -item[1][1])[:20]:
            print(f"{seconds:6.1f} s  {page.relative_to(ROOT)}")
    print(f"{len(every)} pages, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
