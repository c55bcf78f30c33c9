"""Write docs/models from the catalogue: an index, and a page for each model that has none written by hand.

A generated page starts with a marker; pages without it are not changed. The text of a page below the line
`<!-- by hand from here -->` is kept. `--check` writes nothing and fails when a page would change.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from string import ascii_uppercase

import symoro
from symoro.expr.formula import formula
from symoro.models.catalogue import MENUS, Entry, Option
from symoro.program.program import Port
from symoro.robot.description import Coupling, Robot
from symoro.robot.formats import loads

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "models"
MARKER = "<!-- written by tools/model_pages.py from the catalogue -->"
BY_HAND = "<!-- by hand from here -->\n"
FIVE_BAR_ON_WHEELS = """
symoro: 1
name: FivebarOnWheels
base: {kind: wheeled, gravity: [0, 0, -9.81], link: {mass: 5, com: [0.05, 0, 0.1], inertia: [0.2, 0.3, 0.4]}}
frames:
  - {ant: 0, b: 0.1, alpha: -pi/2, r: -0.25, link: {mass: 1, inertia: [0.004, 0.004, 0.0075]}}
  - {ant: 0, b: 0.1, alpha: -pi/2, r: 0.25, link: {mass: 1, inertia: [0.004, 0.004, 0.0075]}}
  - {ant: 0, b: 0.3, link: {M: 0.2, MX: 0.02, YY: 0.003, ZZ: 0.003}}
  - {ant: 3, d: 0.2, active: false, link: {M: 0.3, MX: 0.045, YY: 0.009, ZZ: 0.009}}
  - {ant: 0, b: 0.3, d: 0.24, link: {M: 0.2, MX: 0.02, YY: 0.003, ZZ: 0.003}}
  - {ant: 5, d: 0.2, active: false, link: {M: 0.3, MX: 0.045, YY: 0.009, ZZ: 0.009}}
loops:
  - {open: {ant: 4, d: 0.3}, close: {ant: 6, d: 0.3}}
wheels:
  - {frame: 1, kind: fixed, radius: 0.1}
  - {frame: 2, kind: fixed, radius: 0.1}
"""


def page(entry: Entry) -> str:
    """Return the page of a model."""
    parts = [MARKER, f"# {entry.id}", f"{entry.title[0].upper()}{entry.title[1:]}."]
    if entry.aliases:
        parts.append("Also called " + ", ".join(f"`{name}`" for name in entry.aliases) + ".")
    parts += _form(entry)
    for form in entry.forms:
        parts += [f"## For {form.of}", *_form(form)]
    return "\n\n".join(parts) + "\n"


def _form(entry: Entry) -> list[str]:
    """Return inputs, outputs and references of one form."""
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
    options = "".join(f", {name}={json.dumps(value)}" for name, value in entry.example_options.items())
    words = "".join(f" --{name} {value}" for name, value in entry.example_options.items())
    lines = [
        "```python",
        "import symoro",
        "",
        f'model = symoro.generate(symoro.load("{entry.example}"), "{entry.id}"{options})',
        "print(model)  # the equations",
        "print(model.count(), model.inputs, model.outputs)",
        'print(model.code("c").keys())',
        "```",
        "",
        f"    symoro generate {entry.id} {entry.example}{words} --lang c -o out",
    ]
    return "\n".join(lines)


def index() -> str:
    """Return the index of all models."""
    lines = [MARKER, "# Models", "", "[Which model applies to which structure](structures.md)", ""]
    for menu in MENUS:
        entries = [e for e in symoro.catalogue().values() if e.menu == menu]
        if entries:
            lines += [f"## {menu}", "", *(f"- [{e.id}]({e.id}.md): {e.title}" for e in entries), ""]
            lines += [
                "```{toctree}",
                ":hidden:",
                f":caption: {menu}",
                "",
                *(e.id for e in entries),
                "```",
                "",
            ]
    lines += ["```{toctree}", ":hidden:", "", "structures", "```", ""]
    return "\n".join(lines)


def structures() -> dict[str, tuple[Robot, dict[str, object]]]:
    """Return the structures of the table: a robot of each, and the options that request it."""
    load = symoro.load
    manipulator = load("mobile_manipulator")
    on_wheels = loads(FIVE_BAR_ON_WHEELS, "yaml")
    coupled = load("rx90").with_frame(5, coupling=Coupling(((4, formula("0.7")),)))
    bent = load("flexible2r").with_frame(2, coupling=Coupling(((1, formula("0.7")),)))
    return {
        "tree": (load("rx90"), {}),
        "coupled joints": (coupled, {}),
        "closed loops": (load("sr400"), {}),
        "platform space": (load("gough_stewart"), {"space": "platform"}),
        "floating base": (load("rx90_floating"), {}),
        "floating base with given motion": (load("rx90_floating"), {"base": "given"}),
        "loops on a floating base": (load("sr400").floating(), {}),
        "elastic joints": (load("rx90_elastic"), {}),
        "elastic actuators": (load("rx90_elastic"), {"actuators": "elastic"}),
        "free joints": (load("cartpole"), {"free": [2]}),
        "free joints in loops": (load("fivebar"), {"free": [1]}),
        "wheels": (manipulator, {}),
        "elastic joints on wheels": (manipulator.with_frame(6, eta=True, k=30), {}),
        "free joints on wheels": (manipulator, {"free": [6]}),
        "loops on wheels": (on_wheels, {}),
        "flexible links": (load("flexible2r"), {}),
        "flexible links, coupled joints": (bent, {}),
        "flexible links on a floating base": (load("flexible_satellite"), {}),
    }


def table() -> str:
    """Return the table of structures and models: what applies, and why the others are rejected."""
    robots, reasons = structures(), dict[str, int]()
    entries = [e for e in symoro.catalogue().values() if e.menu in ("Kinematic", "Dynamic", "Identification")]
    lines = [MARKER, "# Structures and models", ""]
    lines += [
        "`+` means that the model applies, and a number that it is rejected for the reason below. A cell is empty if",
        "the model does not have the required option.",
        "",
    ]
    letters = dict(zip(robots, ascii_uppercase, strict=False))
    lines += [f"- {letter}: {name}" for name, letter in letters.items()]
    lines += ["", "| model | " + " | ".join(letters.values()) + " |", "|---|" + ":-:|" * len(letters)]
    for entry in entries:
        cells = [_cell(entry, robot, options, reasons) for robot, options in robots.values()]
        lines.append(f"| [{entry.id}]({entry.id}.md) | " + " | ".join(cells) + " |")
    lines += ["", *(f"{number}. {reason}" for reason, number in reasons.items()), ""]
    return "\n".join(lines)


def _cell(entry: Entry, robot: Robot, options: dict[str, object], reasons: dict[str, int]) -> str:
    if not set(options) <= {option.name for option in entry.all_options}:
        return ""
    reason = entry.why_not(robot, options)
    if reason is None:
        known = {option.name for option in entry.form(robot, options).options}
        return "+" if set(options) <= known else ""
    return str(reasons.setdefault(reason, len(reasons) + 1))


def pages() -> dict[Path, str]:
    """Return every generated file with its text, without pages written by hand."""
    wanted = {FOLDER / "README.md": index(), FOLDER / "structures.md": table()}
    for entry in symoro.catalogue().values():
        path = FOLDER / f"{entry.id}.md"
        old = path.read_text(encoding="utf-8") if path.exists() else MARKER
        if old.startswith(MARKER):
            _, by_hand, rest = old.partition(BY_HAND)
            wanted[path] = page(entry) + (f"\n{by_hand}{rest}" if by_hand else "")
    return wanted


def main() -> int:
    """Write or check the pages; return 1 if a page is out of date."""
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
