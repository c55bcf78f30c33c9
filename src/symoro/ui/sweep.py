"""Run `symoro sweep`: read the ranges, compute the rows, write the table and the map, print a summary."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from symoro.errors import OptionError
from symoro.files import check_targets, write_files
from symoro.robot.description import Robot
from symoro.study.chunks import CHUNK
from symoro.study.sweep import Sweep, sweep
from symoro.ui import present
from symoro.ui.study_arguments import ALL_PROCESSORS
from symoro.ui.values import assignments, binding, numbers


def show_sweep(robot: Robot, options: argparse.Namespace, chosen: dict[str, Any]) -> None:
    """Compute a sweep, write its files and print its summary.

    Args:
        robot: the robot.
        options: the parsed command line.
        chosen: options of the model.
    """
    picture = None if options.picture is None else Path(options.picture)
    if picture is not None:
        check_picture(picture, options.force)
    result = sweep(
        robot,
        options.model,
        over=_ranges("--over", options.over),
        sample=_ranges("--sample", options.sample),
        count=options.count,
        at=assignments("--at", options.at),
        measures=options.measure,
        degrees=options.degrees,
        length=options.length,
        task=options.task,
        mode=options.mode,
        stiffness=None if options.stiffness is None else numbers("stiffness", options.stiffness),
        trajectory=options.trajectory,
        step=options.time_step,
        sampling=options.sampling,
        seed=options.seed,
        output=options.output,
        workers=None if options.workers == ALL_PROCESSORS else options.workers,
        cluster=options.cluster,
        chunk=CHUNK if options.chunk is None else options.chunk,
        max_rows=options.max_rows,
        force=options.force,
        **chosen,
    )
    written = [options.output] if options.output else []
    if picture is not None:
        from symoro.ui.maps import sweep_picture

        write_files({picture: sweep_picture(result)}, force=options.force)
        written.append(options.picture)
    if options.json:
        present.as_json(_data(result, written))
        return
    _table(result)
    for path in written:
        print(f"wrote {path}")


def check_picture(path: Path, force: bool) -> None:
    """Check that a picture can be written: its suffix is .svg, and no foreign file would be overwritten."""
    if path.suffix.lower() != ".svg":
        raise OptionError(f"'{path}': the supported format of a picture is .svg")
    check_targets([path], force=force)


def _ranges(option: str, items: list[str]) -> dict[str, str]:
    ranges: dict[str, str] = {}
    for item in items:
        name, text = binding(item)
        if name in ranges:
            raise OptionError(f"{option}: '{name}' is given twice")
        ranges[name] = text
    return ranges


def _data(result: Sweep, written: list[str]) -> dict[str, Any]:
    return {
        "robot": result.robot.name,
        "model": result.model,
        "rows": result.rows.total,
        "compilations": result.compilations,
        "columns": result.units,
        "ranges": {
            name: {"min": one.low, "max": one.high, "undefined": one.undefined}
            for name, one in result.ranges.items()
        },
        "files": written,
    }


def _table(result: Sweep) -> None:
    rows = [
        [name, result.units[name] or "-", f"{one.low:g}", f"{one.high:g}", str(one.undefined)]
        for name, one in result.ranges.items()
    ]
    head = ["column", "unit", "smallest", "largest", "undefined"]
    swept = ", ".join(one.name for one in result.swept)
    present.table(head, rows, f"{result.robot.name}, {result.model}: {result.rows.total} rows over {swept}")
