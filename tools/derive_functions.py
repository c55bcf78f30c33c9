"""Write src/symoro/derive.py, one typed function per model, from the catalogue.

`--check` writes nothing and fails if the file would change.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path

import symoro
from symoro.models.catalogue import Entry, Option
from symoro.program.program import Port

FILE = Path(__file__).resolve().parent.parent / "src" / "symoro" / "derive.py"
WIDTH = 116
HEAD = '''"""Typed functions, one per model of the catalogue: `symoro.derive.inverse_dynamics(robot, effort="search")`.

Each function equals `symoro.generate` with the name of the model, and returns a `Model`. Editors complete the options,
and type checkers check them. Other names of a model (`Entry.aliases`) are functions too: `mass_matrix` is
`inertia_matrix`.

tools/derive_functions.py writes this file from the catalogue. Do not edit it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from symoro.expr.formula import FormulaLike
from symoro.model import Model
from symoro.model import generate_with_defaults as _generate
from symoro.robot.formats import RobotLike

FrameLike = int | str
'''
TYPES = {
    "frame": "FrameLike",
    "frames": "FrameLike | Sequence[FrameLike]",
    "points": "Sequence[FrameLike | tuple[FrameLike, Sequence[FormulaLike]]]",
    "flag": "bool",
    "text": "str",
    "number": "float",
    "posture": "str | Sequence[float]",
}


def function_name(name: str) -> str:
    """Return the name of the function of a model's id or alias."""
    return name.replace("-", "_")


def type_of(option: Option) -> str:
    """Return the type annotation of an option."""
    if option.choices:
        kind = f"Literal[{', '.join(map(quoted, option.choices))}]"
    else:
        kind = TYPES[option.kind]
    return f"{kind} | None" if option.default is None else kind


def quoted(value: object) -> str:
    """Return a literal of Python, a text in double quotes."""
    return f'"{value}"' if isinstance(value, str) else repr(value)


def function(entry: Entry) -> str:
    """Return the definition of the function of a model."""
    options = entry.all_options
    arguments = "".join(f"    {o.name}: {type_of(o)} = {quoted(o.default)},\n" for o in options)
    keywords = f"    *,\n{arguments}" if options else ""
    passed = "".join(f"        {o.name}={o.name},\n" for o in options)
    quotes = 'r"""' if "\\" in entry.equations else '"""'
    call = f'"{entry.id}", robot' if not options else f'\n        "{entry.id}",\n        robot,\n{passed}    '
    return (
        f"def {function_name(entry.id)}(\n    robot: RobotLike,\n{keywords}) -> Model:\n"
        f'    {quotes}{docstring(entry)}\n    """\n    return _generate({call})\n'
    )


def docstring(entry: Entry) -> str:
    """Return the documentation of the function of a model."""
    parts = [wrapped(f"Derive `{entry.id}` ({entry.title}).", "")]
    if entry.aliases:
        names = ", ".join(f"`{function_name(name)}`" for name in entry.aliases)
        parts.append(wrapped(f"Also called {names}.", ""))
    if entry.equations:
        parts.append(".. math::\n\n" + wrapped(entry.equations, "    "))
    parts.append(wrapped(f"It applies to {entry.applies_to}.", ""))
    parts.append(section("Args", arguments(entry)))
    parts.append(returns(entry))
    raised = [
        "NotApplicableError: the model does not apply to the robot; the message contains the reason.",
        "OptionError: an option has a wrong value, or it does not apply to this kind of robot.",
    ]
    parts.append(section("Raises", raised[: 1 + bool(entry.all_options)]))
    parts.append(section("References", [f"{entry.reference}."], ""))
    parts.append(
        section("Example", [f'>>> model = symoro.derive.{function_name(entry.id)}("{entry.example}")'])
    )
    return textwrap.indent("\n\n".join(parts), "    ").strip()


def arguments(entry: Entry) -> Iterator[str]:
    """Return one line of documentation per argument."""
    yield "robot: a robot, the name of a bundled robot, or the path of a file."
    plain = {option.name for option in entry.options}
    for option in entry.all_options:
        forms = [form.of for form in entry.forms if option.name in {o.name for o in form.options}]
        scope = "" if option.name in plain else f" (for {', '.join(forms)})"
        yield f"{option.name}: {option.title}{scope}."


def returns(entry: Entry) -> str:
    """Return the section about the inputs and outputs of the plain form."""
    parts = ["Returns:"]
    if entry.inputs:
        parts += ["    Model: a model with the inputs", *ports(entry.inputs), "    and the outputs"]
    else:
        parts += ["    Model: a model with the outputs"]
    parts += ports(entry.outputs)
    if entry.forms:
        forms = ", ".join(form.of for form in entry.forms)
        text = (
            f"Inputs and outputs differ for {forms}; `model.inputs` and `model.outputs` contain their shapes."
        )
        parts.append(wrapped(text, "    "))
    return "\n".join(parts)


def ports(items: tuple[Port, ...]) -> list[str]:
    """Return a list of ports, with an empty line before and after it."""
    return [
        "",
        *(wrapped(f"- `{p.name}` ({p.shape or 'scalar'}): {p.title}", "    ", "  ") for p in items),
        "",
    ]


def section(title: str, lines: Iterable[str], more: str = "    ") -> str:
    """Return a section of a docstring."""
    return "\n".join([f"{title}:", *(wrapped(line, "    ", more) for line in lines)])


def wrapped(text: str, first: str, more: str = "") -> str:
    """Return a paragraph with an indentation of its first line, and a further one of the other lines."""
    fill = textwrap.TextWrapper(
        WIDTH - 4, first, first + more, break_on_hyphens=False, break_long_words=False
    )
    return fill.fill(text)


def module() -> str:
    """Return the text of the module."""
    entries = list(symoro.catalogue().values())
    public = "".join(f'    "{name}",\n' for name in sorted(function_name(e.id) for e in entries))
    aliases = "".join(
        f"{function_name(alias)} = {function_name(e.id)}\n" for e in entries for alias in e.aliases
    )
    parts = [
        HEAD,
        f"__all__ = [\n{public}]\n",
        *("\n" + function(e) for e in entries),
        "\n# Other names",
        aliases,
    ]
    return "\n".join(parts)


def main() -> int:
    text = module()
    if "--check" in sys.argv[1:]:
        if not FILE.is_file() or FILE.read_text(encoding="utf-8") != text:
            print(
                "src/symoro/derive.py differs from the catalogue: run tools/derive_functions.py",
                file=sys.stderr,
            )
            return 1
        return 0
    FILE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
