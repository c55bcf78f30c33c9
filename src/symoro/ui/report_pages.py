"""Sections of a report as Markdown, and as one HTML page. Names in them are a user's: both show them as they are."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from symoro.files import MADE_BY


@dataclass(frozen=True)
class Section:
    """A heading, sentences, and a table; each may be absent."""

    title: str
    text: tuple[str, ...] = ()
    head: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


def markdown_page(title: str, sections: Sequence[Section], plots: Sequence[str]) -> str:
    lines = [f"<!-- {MADE_BY} -->", "", f"# {escaped(title)}", ""]
    for section in sections:
        lines += [f"## {escaped(section.title)}", ""]
        for text in section.text:
            lines += [escaped(text), ""]
        if section.rows:
            lines += [_row(section.head), "|" + " --- |" * len(section.head), *map(_row, section.rows), ""]
    lines += ["## Measured and predicted", ""]
    lines += [f"![{name}]({name})" for name in plots]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """Text of a user or of ours as Markdown that shows it as it is: names may hold HTML, bars or stars."""
    marked = re.sub(r"([\\`*_\[\]|~$])", r"\\\1", " ".join(text.split()))
    return html.escape(marked, quote=False)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(escaped, cells)) + " |"


_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222}"
    "table{border-collapse:collapse;margin:1em 0}th,td{padding:.15em .8em;border-bottom:1px solid #ddd;text-align:left}"
    "td{font-variant-numeric:tabular-nums}svg{max-width:100%;height:auto}"
)


def html_page(title: str, sections: Sequence[Section], plots: Sequence[str]) -> str:
    parts = [f"<h1>{html.escape(title)}</h1>"]
    for section in sections:
        parts.append(f"<h2>{html.escape(section.title)}</h2>")
        parts += [f"<p>{html.escape(text)}</p>" for text in section.text]
        if section.rows:
            head = "".join(f"<th>{html.escape(cell)}</th>" for cell in section.head)
            body = "".join(
                "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>"
                for row in section.rows
            )
            parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
    parts += ["<h2>Measured and predicted</h2>", *plots]
    inside = "\n".join(parts)
    return (
        f'<!DOCTYPE html>\n<!-- {MADE_BY} -->\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{html.escape(title)}</title><style>{_STYLE}</style></head><body>\n{inside}\n</body></html>\n"
    )
