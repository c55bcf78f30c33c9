"""Check the documentation: relative links lead somewhere, Python examples run.

Fences opened by exactly ```python are run, those of one file in one namespace; a fence with any
other word after it is a sketch.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")
EXAMPLE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def pages() -> list[Path]:
    """The pages to check: those at the top, and all under docs/."""
    return sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def broken_links(page: Path, text: str) -> list[str]:
    """One message for each relative link that leads nowhere."""
    targets = LINK.findall(text)
    return [f"broken link: {target}" for target in targets if not (page.parent / target).exists()]


def broken_examples(page: Path, text: str) -> list[str]:
    """One message for each example that raises; what examples print is dropped."""
    messages = []
    namespace: dict[str, object] = {"__name__": "__example__"}
    for example in EXAMPLE.finditer(text):
        line = text.count("\n", 0, example.start()) + 1
        # Newlines in front make the traceback count lines of the page.
        code = compile("\n" * line + example.group(1), str(page), "exec")
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(code, namespace)  # noqa: S102
        except Exception:
            messages.append(f"example at line {line}:\n{traceback.format_exc(limit=-2)}")
    return messages


def main() -> int:
    """Print what is wrong; exit status 1 if anything is."""
    wrong = 0
    for page in pages():
        text = page.read_text(encoding="utf-8")
        for message in broken_links(page, text) + broken_examples(page, text):
            wrong += 1
            print(f"{page.relative_to(ROOT)}: {message}")
    print(f"{len(pages())} pages, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
