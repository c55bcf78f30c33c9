"""Code generation: `emit(program, "c")` returns {file name: text} for every supported language."""

from __future__ import annotations

from typing import Any

from symoro.emit import (
    c,
    cpp,
    cuda,
    fortran,
    javascript,
    julia,
    latex,
    maple,
    mathematica,
    matlab,
    python,
    rust,
    text,
)
from symoro.emit.dialect import Files, Language
from symoro.errors import OptionError, UnknownNameError
from symoro.program.program import Program

_MODULES = (c, cpp, cuda, fortran, matlab, python, julia, javascript, rust, maple, mathematica, latex, text)
LANGUAGES: dict[str, Language] = {module.LANGUAGE.id: module.LANGUAGE for module in _MODULES}

_BY_NAME = {alias: row for row in LANGUAGES.values() for alias in (row.id, *row.aliases)}


def find_language(name: str) -> Language:
    """Return the language with an id or alias, such as "c++" or "cpp"; case is ignored."""
    row = _BY_NAME.get(name.strip().lower())
    if row is None:
        from symoro.emit.targets import TARGETS  # the targets use this module

        hint = f"'{name}' is an export target: use export" if name in TARGETS else None
        raise UnknownNameError("language", name, list(LANGUAGES), hint=hint)
    return row


def emit(program: Program, language: str, /, **options: Any) -> Files:
    """Return the source files of a program in a language, {file name: text}.

    Args:
        language: an id of LANGUAGES, or an alias such as cpp for c++.
        options: `name`, the base name of functions and files, and the options of the language.
    """
    row = find_language(language)
    known = ("name", *row.options)
    for option in options:
        if option not in known:
            raise OptionError(
                f"{row.title} has no option '{option}'", hint=f"its options: {', '.join(known)}"
            )
    return row.write(program, **options)


__all__ = ["LANGUAGES", "Language", "Files", "emit", "find_language"]
