"""The page's types of the service: src/symoro/ui/service (dataclasses) -> frontend/src/backend/messages.ts.

python tools/page_types.py            write the types
python tools/page_types.py --check    exit code 1 where they are out of date
"""

from __future__ import annotations

import argparse
import sys
import types
import typing
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from symoro.ui.service import answer_types, requests

TYPES = Path(__file__).parent.parent / "frontend" / "src" / "backend" / "messages.ts"
HEAD = """\
// Requests and answers of the service. Made by tools/page_types.py from src/symoro/ui/service: do not edit.

export type RobotDocument = Record<string, unknown>;
"""
PLAIN = {str: "string", int: "number", float: "number", bool: "boolean", type(None): "null", Any: "unknown"}


def written(kind: Any) -> str:
    """Return a type of Python in TypeScript."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind in PLAIN:
        return PLAIN[kind]
    if is_dataclass(kind):
        return str(getattr(kind, "__name__", kind))
    if origin is Literal:
        return " | ".join(f'"{value}"' for value in inner)
    if origin in (Union, types.UnionType):
        return " | ".join(dict.fromkeys(written(item) for item in inner))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return " | ".join(f'"{item.value}"' for item in kind)
    if origin is list:
        item = written(inner[0])
        return f"({item})[]" if " " in item else f"{item}[]"
    if origin is dict:
        return f"Record<string, {written(inner[1])}>"
    raise TypeError(f"no TypeScript for {kind}")


def member(entry: Field[Any], kind: Any) -> str:
    """Return the line of a field; one with a default need not be there."""
    given = entry.default is MISSING and entry.default_factory is MISSING
    if entry.default is None:  # absent instead of null
        kept = tuple(item for item in get_args(kind) if item is not type(None))
        kind = Union[kept]  # noqa: UP007
    return f"  {entry.name}{'' if given else '?'}: {written(kind)};"


def interface(kind: Any) -> Iterator[str]:
    """Yield the lines of a dataclass."""
    lines = (kind.__doc__ or "").strip().splitlines()
    if len(lines) == 1:
        yield f"/** {lines[0]} */"
    else:
        yield from ("/**", *(f" * {line.strip()}".rstrip() for line in lines), " */")
    base = kind.__bases__[0]
    inherited = {entry.name for entry in fields(base)} if is_dataclass(base) else set()
    yield f"export interface {kind.__name__}" + (f" extends {base.__name__}" if inherited else "") + " {"
    hints = get_type_hints(kind)
    for entry in fields(kind):
        if entry.name not in inherited:
            yield member(entry, hints[entry.name])
    if getattr(kind, "__pydantic_config__", {}).get("extra") == "allow":
        yield "  [more: string]: unknown;"
    yield "}"


def text() -> str:
    """Return the file of types."""
    parts = [HEAD]
    for module in (requests, answer_types):
        for kind in vars(module).values():
            own = getattr(kind, "__module__", "") == module.__name__
            if own and is_dataclass(kind) and kind not in (requests.Request, answer_types.ServiceCall):
                parts.append("\n".join(interface(typing.cast("type", kind))) + "\n")
    return "\n".join(parts)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing")
    if parser.parse_args().check:
        same = TYPES.is_file() and TYPES.read_text(encoding="utf-8") == text()
        print("same" if same else f"{TYPES} is out of date: run python tools/page_types.py")
        return int(not same)
    TYPES.write_text(text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
