"""`symoro identify`: parameters from logs, told as tables, as JSON, or written as a report and a robot's file."""

from __future__ import annotations

import argparse
from pathlib import Path

from symoro.estimation.identification import Identification, identify
from symoro.files import write_files, write_folder
from symoro.robot import formats
from symoro.robot.description import Robot
from symoro.ui import present
from symoro.ui.identification_report import as_data, report_files, result_sections
from symoro.ui.values import posture_word, words


def run(robot: Robot, options: argparse.Namespace) -> None:
    """Identify, and tell."""
    found = identify(
        robot,
        options.logs,
        description=options.columns,
        method=options.method,
        model=options.model,
        cutoff=options.cutoff,
        decimation=options.decimation,
        slow=options.slow,
        delay=options.delay,
        friction=words(options.friction),
        stribeck_velocity=options.stribeck_velocity,
        without=words(options.without),
        validate=options.validate,
        posture=[posture_word(text) for text in options.posture] if options.posture else None,
        start=options.start,
        find_essential=options.essential,
        find_consistent=options.consistent,
        prior=options.prior,
    )
    written: list[Path] = []
    if options.output:
        target = Path(options.output)
        write_files({target: _robot_text(found, formats.format_of(target))}, force=options.force)
        written.append(target)
    if options.report:
        written += write_folder(Path(options.report), report_files(found), force=options.force)
    if options.json:
        present.as_json({**as_data(found), "written": [str(path) for path in written]})
        return
    for section in result_sections(found):
        for text in section.text:
            print(text)
        present.table(list(section.head), [list(row) for row in section.rows], section.title)
    for doubt in found.doubts:
        print(f"doubtful: {doubt}")
    for path in written:
        print(f"wrote {path}")


def _robot_text(found: Identification, fmt: str) -> str:
    """The robot's file; in YAML what its notes say stands in comments, with all that a robot cannot hold."""
    text = formats.dumps(found.robot, fmt)
    if fmt != "yaml":
        return text
    head, _, rest = text.partition("\n")
    logs = ", ".join(found.log_names)
    lines = [f"from {logs}, by {found.estimate.method}", *found.robot.notes]
    comments = [f"# {' '.join(line.split())}" for line in lines]
    return "\n".join([head, *comments, rest])
