"""Run `symoro study`: read a design study, optimise it, print and write the designs."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from symoro.errors import OptionError
from symoro.files import check_targets, write_files
from symoro.robot import formats
from symoro.study.design import DesignResult, DesignStudy
from symoro.study.study_file import load_study, optimise_design
from symoro.tables import table_text
from symoro.ui import present
from symoro.ui.outputs import deliver
from symoro.ui.plot import Series, line_chart
from symoro.ui.sweep import check_picture


def show_study(options: argparse.Namespace) -> int:
    """Optimise a design study, print and write the result, and return the exit code."""
    study = load_study(options.study)
    if options.seed is not None:
        if options.seed < 0:
            raise OptionError(f"seed: expected a whole number that is not negative, got {options.seed}")
        study = replace(study, seed=options.seed)
    if options.picture:
        _check_drawable(study)
        check_picture(Path(options.picture), options.force)
    if options.robot:
        formats.format_of(Path(options.robot))
        check_targets([Path(options.robot)], force=options.force)
    result = optimise_design(study)

    def write() -> list[str]:
        files: dict[Path, str | bytes] = {}
        if options.output:
            files[Path(options.output)] = table_text(result.columns)
        if options.picture:
            files[Path(options.picture)] = design_chart(result)
        if options.robot:
            target = Path(options.robot)
            files[target] = formats.dumps(result.robot(), formats.format_of(target))
        write_files(files, force=options.force)
        return [str(path) for path in files]

    return deliver(options, lambda: _data(result), lambda: _table(result), write, "files")


def _check_drawable(study: DesignStudy) -> None:
    if len(study.objectives) > 2:
        raise OptionError(
            f"a picture shows one or two objectives, but the study has {len(study.objectives)}",
            hint="write the designs to a table with -o designs.csv",
        )


def design_chart(result: DesignResult) -> str:
    """Return the Pareto front of two objectives, or the progress of one objective, as SVG text."""
    names = [one.name for one in result.study.objectives]
    if len(names) == 1:
        generations = np.arange(1, len(result.history) + 1)
        line = Series("", generations, np.array(result.history))
        return line_chart([line], f"{result.study.name}: best design", "generation", names[0])
    front = Series("Pareto front", result.objectives[:, 0], result.objectives[:, 1], "points")
    return line_chart([front], f"{result.study.name}: Pareto front", names[0], names[1], height=360)


def _data(result: DesignResult) -> dict[str, Any]:
    study = result.study
    return {
        "study": study.name,
        "robot": study.robot.name,
        "seed": study.seed,
        "evaluations": result.evaluations,
        "converged": result.converged,
        "variables": list(study.variables),
        "objectives": [one.name for one in study.objectives],
        "constraints": [one.name for one in study.constraints],
        "designs": [
            dict(zip(result.columns, row, strict=True))
            for row in zip(*(array.tolist() for array in result.columns.values()), strict=True)
        ],
    }


def _table(result: DesignResult) -> None:
    rows = zip(*(array.tolist() for array in result.columns.values()), strict=True)
    title = f"{result.study.name}: {result.evaluations} designs evaluated"
    present.table(list(result.columns), [[f"{x:.6g}" for x in row] for row in rows], title)
    if result.converged is False:
        print("The search ended before it converged: give more generations.")
