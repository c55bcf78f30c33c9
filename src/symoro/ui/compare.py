"""Run `symoro compare`: print and write the differences of two results of identification or of two robots."""

from __future__ import annotations

import argparse
import csv
import io
from dataclasses import asdict
from pathlib import Path
from typing import Any

from symoro.files import MADE_BY, write_files
from symoro.identification.comparison import COLUMNS, RESIDUAL_COLUMNS, Comparison, compare
from symoro.ui import present
from symoro.ui.identification_report import Section, markdown_page
from symoro.ui.outputs import deliver


def run(options: argparse.Namespace) -> int:
    """Compare two results, print and write the comparison, and return the exit code."""
    result = compare(options.first, options.second)

    def write() -> list[Path]:
        if not options.output:
            return []
        target = Path(options.output)
        text = _csv(result) if target.suffix.lower() == ".csv" else _report(result)
        write_files({target: text}, force=options.force)
        return [target]

    return deliver(options, lambda: _data(result), lambda: _show(result), write, "written")


def _sections(result: Comparison) -> list[Section]:
    pairs = ((result.first, result.only_first), (result.second, result.only_second))
    only = [f"Only in {one.name}: {', '.join(names)}." for one, names in pairs if names]
    named = [f"First: {result.first.name}. Second: {result.second.name}."]
    rows = tuple(one.row() for one in result.parameters)
    sections = [Section("Parameters", (*named, *only, *result.notes), COLUMNS, rows)]
    residuals = tuple(result.residual_rows())
    if residuals:
        sections.append(Section("Residuals", (), RESIDUAL_COLUMNS, residuals))
    return sections


def _show(result: Comparison) -> None:
    for section in _sections(result):
        for text in section.text:
            print(text)
        present.table(list(section.head), [list(row) for row in section.rows], section.title)
    print(result.line)


def _report(result: Comparison) -> str:
    title = f"Comparison of {result.first.name} and {result.second.name}"
    return markdown_page(title, [Section("Result", (f"{result.line}.",)), *_sections(result)])


def _csv(result: Comparison) -> str:
    """Return the differences of the parameters as CSV text, with all digits."""
    stream = io.StringIO()
    stream.write(f"# {MADE_BY}\n")
    writer = csv.writer(stream, lineterminator="\n")
    rows = _data(result)["parameters"]
    writer.writerow(rows[0])
    writer.writerows(row.values() for row in rows)
    return stream.getvalue()


def _data(result: Comparison) -> dict[str, Any]:
    return {
        "first": result.first.name,
        "second": result.second.name,
        "parameters": [
            {**asdict(one), "difference": one.difference, "relative": one.relative}
            for one in result.parameters
        ],
        "significant": result.significant,
        "only_first": list(result.only_first),
        "only_second": list(result.only_second),
        "chi_square": result.chi_square,
        "freedom": result.freedom,
        "p_value": result.p_value,
        "residuals": {
            name: {case: dict(shares) for case, shares in one.residuals.items()}
            for name, one in (("first", result.first), ("second", result.second))
        },
        "notes": list(result.notes),
    }
