"""Print results as tables and highlighted code, or as JSON."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from symoro.errors import SymoroError
from symoro.model import Model, mobility
from symoro.models.catalogue import Entry
from symoro.models.identification.base.parameters import BaseParameters
from symoro.program.count import OpCount
from symoro.robot import consistency
from symoro.robot.description import Robot
from symoro.robot.tables import geometry, inertia, tables
from symoro.robot.topology import describe, structure
from symoro.ui.failure import in_a_shell


def as_json(data: Any) -> None:
    """Print data as one JSON value; nan and infinities become null."""
    print(json.dumps(_finite(data), indent=2, allow_nan=False))


def _finite(data: Any) -> Any:
    if isinstance(data, Mapping):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data


def _console() -> Any:
    from rich.console import Console as RichConsole

    class Console(RichConsole):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # handled by the command line

    return Console(width=None if sys.stdout.isatty() else 160, highlight=False)


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], title: str | None = None) -> None:
    """Print a table of texts with aligned columns.

    Args:
        columns: names of the columns.
        rows: cells of each row.
        title: heading of the table.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    made = Table(*columns, title=Text(title) if title else None, title_justify="left", box=box.SIMPLE_HEAD)
    for row in rows:
        made.add_row(*(Text(cell) for cell in row))
    _console().print(made)


def robot(shown: Robot) -> None:
    """Print the tables and a picture of a robot."""
    from rich.text import Text

    from symoro.ui.picture import picture

    console = _console()
    console.print(Text.assemble((shown.name, "bold"), "  ", shown.title))
    console.print(Text(describe(shown), "dim"))
    if shown.wheels:
        console.print(Text(f"wheels: {wheels(shown)}", "dim"), soft_wrap=True)
    for line in _loop_lines(shown):
        console.print(Text(line, "dim"), soft_wrap=True)
    if shown.reference:
        console.print(Text(f"source: {shown.reference}", "dim"), soft_wrap=True)
    for note in shown.notes:
        console.print(Text(f"note: {in_a_shell(note)}"))
    for warning in consistency.warnings(shown):
        if f"{consistency.WARNING}{warning}" not in shown.notes:  # otherwise it is among the notes
            console.print(Text(f"warning: {warning}"), soft_wrap=True)
    for part in tables(shown):
        table(part.columns, part.rows, part.title)
    print(picture(shown))


def robot_latex(shown: Robot) -> str:
    """Return the geometric and inertial parameters of a robot as LaTeX tables."""
    from symoro.models.identification.base.report import latex_formula

    heads = {"j": "$j$", "ant": "$a(j)$", "type": "type", "mu": r"$\mu_j$", "name": "name"}
    heads |= {name: rf"$\{name}_j$" for name in ("gamma", "alpha", "theta")}
    parts: list[str] = []
    for part in (one for one in (geometry(shown), inertia(shown)) if one.rows):
        plain = [column in ("type", "name") for column in part.columns]
        rows = [
            " & ".join(
                cell.replace("_", r"\_") if text else f"${latex_formula(cell)}$"
                for cell, text in zip(row, plain, strict=True)
            )
            for row in part.rows
        ]
        parts += [
            f"% {part.title} of {shown.name}",
            rf"\begin{{tabular}}{{{'c' * len(part.columns)}}}",
            r"  \hline",
            f"  {' & '.join(heads.get(name, f'${name}_j$') for name in part.columns)} " + r"\\",
            r"  \hline",
            *(rf"  {row} \\" for row in rows),
            r"  \hline",
            r"\end{tabular}",
        ]
    return "\n".join([*parts, ""])


def wheels(shown: Robot) -> str:
    """Return a text with the type of a wheeled robot (degrees of mobility and steerability).

    If the type is undefined, the text contains the reason.
    """
    try:
        return mobility(shown).words
    except SymoroError as error:
        return error.message


def degrees(shown: Robot) -> tuple[int, int] | None:
    """Return the degrees of mobility and steerability of a wheeled robot, or None if they are undefined."""
    try:
        degrees_of = mobility(shown)
        return degrees_of[0], degrees_of[1]
    except SymoroError:
        return None


def _loop_lines(shown: Robot) -> list[str]:
    """Return lines of text about the mobility of a robot, its active and passive joints, and its loops."""
    if not shown.B:
        return []
    try:
        from symoro.models.geometric.loop.mobility import (
            loop_mobility,  # imported here, because it loads NumPy
        )

        mechanism = loop_mobility(shown)
    except SymoroError as error:
        return [f"loops: {error.message}"]
    joints = {
        "active": mechanism.active,
        "passive": mechanism.passive,
        "cut": mechanism.opened,
    }
    counts = "; ".join(f"{len(js)} {word} ({_joint_list(js)})" for word, js in joints.items() if js)
    lines = [f"mobility {mechanism.mobility}: {counts}; constraints of rank {mechanism.rank}"]
    for one in mechanism.loops:
        held = [j for j in one.loop.frames if shown.frame(j).moving]
        lines.append(
            f"loop {one.loop.left}-{one.loop.right}: {one.kind}, of rank {one.rank}, joints {_joint_list(held)}"
        )
    return lines + [f"note: {remark}" for remark in mechanism.remarks]


def _joint_list(joints: Sequence[int]) -> str:
    return ", ".join(f"q{j}" for j in joints)


def _loop_data(shown: Robot) -> dict[str, Any]:
    """Return mobility, joints and loops of a robot as a dictionary for JSON; empty for a robot without loops."""
    if not shown.B:
        return {}
    try:
        from symoro.models.geometric.loop.mobility import (
            loop_mobility,  # imported here, because it loads NumPy
        )

        mechanism = loop_mobility(shown)
    except SymoroError as error:
        return {"loops": {"why_not": error.message}}
    return {
        "loops": {
            "mobility": mechanism.mobility,
            "rank": mechanism.rank,
            "active": mechanism.active,
            "passive": mechanism.passive,
            "opened": mechanism.opened,
            "loops": [
                {
                    "frames": [one.loop.left, one.loop.right],
                    "kind": one.kind,
                    "rank": one.rank,
                    "joints": [j for j in one.loop.frames if shown.frame(j).moving],
                }
                for one in mechanism.loops
            ],
            "remarks": mechanism.remarks,
        }
    }


def source(files: Mapping[str, str]) -> None:
    """Print source files one after the other, highlighted if the output is a terminal."""
    for name, text in files.items():
        if len(files) > 1:
            print(f"==== {name}")
        sys.stdout.write(text if text.endswith("\n") else text + "\n")


def arrays(results: Mapping[str, Any]) -> None:
    """Print named arrays, for example the outputs of a model by output name."""
    import numpy as np

    with np.printoptions(precision=6, suppress=True, linewidth=120):
        for name, array in results.items():
            print(f"{name} =\n{without_negative_zeros(array.round(15))}")


def without_negative_zeros(array: Any) -> Any:
    """Return the array with negative zeros replaced by zero."""
    return array + 0.0


def count(model: Model) -> None:
    """Print the operation counts of a model: those of each call, and those of the setup, which runs once."""
    counted = model.count()
    rows = [_count_row("each call", counted)]
    if counted.setup is not None:
        rows.append(_count_row("once (setup)", counted.setup))
    columns = ["", "multiplications", "additions", "divisions", "functions", "others"]
    table(columns, rows, f"{model.entry.id} of {model.robot.name}")


def _count_row(label: str, c: OpCount) -> list[str]:
    return [label, *map(str, (c.multiplications, c.additions, c.divisions, c.functions, c.others))]


def count_data(c: OpCount) -> dict[str, Any]:
    names = ("additions", "multiplications", "divisions", "functions", "others", "kernels")
    data: dict[str, Any] = {name: getattr(c, name) for name in names}
    if c.setup is not None:
        data["setup"] = count_data(c.setup)
    return data


def model_data(model: Model) -> dict[str, Any]:
    return {
        "model": model.entry.id,
        "robot": model.robot.name,
        "options": model.options,
        "inputs": inputs_data(model),
        "outputs": model.outputs,
        "parameters": model.parameters,
        "count": count_data(model.count()),
        "text": str(model),
    }


def inputs_data(model: Model) -> dict[str, Any]:
    """Return shape and entry names of each input of a model, by input name."""
    return {port.name: {"shape": port.shape, "entries": port.symbols} for port in model.program.inputs}


def entry_data(entry: Entry, shown: Robot | None) -> dict[str, Any]:
    data: dict[str, Any] = {
        "id": entry.id,
        "menu": entry.menu,
        "title": entry.title,
        "aliases": entry.aliases,
        **_form_data(entry),
        "forms": [{"of": form.of, **_form_data(form)} for form in entry.forms],
    }
    if shown is not None:
        data["why_not"] = entry.why_not(shown)
    return data


def _form_data(form: Entry) -> dict[str, Any]:
    """Return inputs, outputs, options and reference of a variant of a model as a dictionary for JSON.

    Args:
        form: catalogue entry of the variant.
    """
    return {
        "inputs": {port.name: {"shape": port.shape, "title": port.title} for port in form.inputs},
        "outputs": {port.name: {"shape": port.shape, "title": port.title} for port in form.outputs},
        "options": [
            {"name": o.name, "title": o.title, "kind": o.kind, "default": o.default, "choices": o.choices}
            for o in form.options
        ],
        "reference": str(form.reference),
        "applies_to": form.applies_to,
    }


def robot_data(shown: Robot) -> dict[str, Any]:
    return {
        "name": shown.name,
        "title": shown.title,
        "reference": shown.reference,
        "structure": structure(shown),
        "NL": shown.NL,
        "NJ": shown.NJ,
        "NF": shown.NF,
        **({"mobility": degrees(shown), "wheels": wheels(shown)} if shown.wheels else {}),
        **_loop_data(shown),
        "symbols": shown.symbols(),
        "nominal": dict(shown.nominal),
        "postures": dict(shown.postures),
        "notes": [in_a_shell(note) for note in shown.notes],
        "tables": [
            {"title": t.title, "rows": [dict(zip(t.columns, row, strict=True)) for row in t.rows]}
            for t in tables(shown)
        ],
    }


def base_data(base: BaseParameters) -> dict[str, Any]:
    return {
        "robot": base.original.name,
        "names": base.names,
        "no_effect": base.no_effect,
        "relations": {k: {n: str(c) for n, c in others.items()} for k, others in base.relations.items()},
        "friction": base.friction,
        "method": base.method,
        "conditions": base.conditions,
        "notes": base.notes,
    }
