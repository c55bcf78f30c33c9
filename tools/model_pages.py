"""Write docs/models from the catalogue: an index, and a page for each model that has none written by hand.

A generated page starts with a marker; pages without it are left alone. What stands in a page below the line
`<!-- by hand from here -->` is kept. `--check` writes nothing and fails when a page would change.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import symoro
from symoro.models.catalogue import MENUS, Entry, Option
from symoro.program.program import Port

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "models"
MARKER = "<!-- written by tools/model_pages.py from the catalogue -->"
BY_HAND = "<!-- by hand from here -->\n"


def page(entry: Entry) -> str:
    """The page of a model."""
    parts = [MARKER, f"# {entry.id}", f"{entry.title[0].upper()}{entry.title[1:]}."]
    if entry.aliases:
        parts.append("Also called " + ", ".join(f"`{name}`" for name in entry.aliases) + ".")
    parts += _form(entry)
    for form in entry.forms:
        parts += [f"## Of {form.of}", *_form(form)]
    return "\n\n".join(parts) + "\n"


def _form(entry: Entry) -> list[str]:
    """What one form needs, gives and comes from."""
    parts = [f"$$\n{entry.equations}\n$$"] if entry.equations else []
    parts += [f"Reference: {entry.reference}.", f"Applies to {entry.applies_to}."]
    if entry.inputs:
        parts.append(_ports("input", entry.inputs))
    parts.append(_ports("output", entry.outputs))
    if entry.options:
        parts.append(_options(entry.options))
    return [*parts, _example(entry)]


def _ports(kind: str, ports: tuple[Port, ...]) -> str:
    rows = [f"| `{p.name}` | {p.shape or 'one number'} | {p.title} |" for p in ports]
    return "\n".join([f"| {kind} | shape | meaning |", "|---|---|---|", *rows])


def _options(options: tuple[Option, ...]) -> str:
    rows = []
    for option in options:
        default = "" if option.default is None else f"`{option.default}`"
        values = ", ".join(f"`{c}`" for c in option.choices) if option.choices else option.kind
        rows.append(f"| `{option.name}` | {values} | {default} | {option.title} |")
    return "\n".join(["| option | values | default | meaning |", "|---|---|---|---|", *rows])


def _example(entry: Entry) -> str:
    asked = "".join(f", {name}={json.dumps(value)}" for name, value in entry.example_options.items())
    words = "".join(f" --{name} {value}" for name, value in entry.example_options.items())
    lines = [
        "```python",
        "import symoro",
        "",
        f'model = symoro.generate(symoro.load("{entry.example}"), "{entry.id}"{asked})',
        "print(model)  # the equations",
        "print(model.count(), model.inputs, model.outputs)",
        'print(model.code("c").keys())',
        "```",
        "",
        f"    symoro generate {entry.id} {entry.example}{words} --lang c -o out",
    ]
    return "\n".join(lines)


def index() -> str:
    """The index of all models."""
    lines = [MARKER, "# Models", ""]
    for menu in MENUS:
        entries = [e for e in symoro.catalogue().values() if e.menu == menu]
        if entries:
            lines += [f"## {menu}", "", *(f"- [{e.id}]({e.id}.md): {e.title}" for e in entries), ""]
    return "\n".join(lines)


def pages() -> dict[Path, str]:
    """Every generated file with its text; pages written by hand are left out."""
    wanted = {FOLDER / "README.md": index()}
    for entry in symoro.catalogue().values():
        path = FOLDER / f"{entry.id}.md"
        old = path.read_text(encoding="utf-8") if path.exists() else MARKER
        if old.startswith(MARKER):
            _, by_hand, rest = old.partition(BY_HAND)
            wanted[path] = page(entry) + (f"\n{by_hand}{rest}" if by_hand else "")
    return wanted


def main() -> int:
    """Write or check; the exit status tells whether anything is out of date."""
    stale = [p for p, text in pages().items() if not p.exists() or p.read_text(encoding="utf-8") != text]
    if "--check" in sys.argv[1:]:
        for path in stale:
            print(f"out of date: {path.name}; run python tools/model_pages.py")
        return 1 if stale else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
    print(f"{len(stale)} pages written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
