"""`symoro identify`: parameters from logs, shown as tables or JSON, written as a report and a robot's file."""

from __future__ import annotations

import argparse
from pathlib import Path

from symoro.errors import OptionError
from symoro.files import check_targets, write_files, write_folder
from symoro.identification.dynamic import Identification, identify, symbolic_robot
from symoro.identification.identified_robot import standard_robot
from symoro.identification.options import IdentificationOptions
from symoro.models.coordinates.couplings import coordinate_joints
from symoro.robot import formats
from symoro.robot.description import Robot
from symoro.ui import present
from symoro.ui.identification_report import as_data, report_files, result_sections
from symoro.ui.outputs import deliver
from symoro.ui.values import posture_word, words

BODIES = ("urdf", "xacro", "mjcf")  # formats whose links are bodies


def run(robot: Robot, options: argparse.Namespace) -> int:
    """Identify, show the result and write it; the exit code."""
    _check_format(robot, options)
    found = identify(
        robot,
        options.logs,
        method=options.method,
        friction=words(options.friction),
        cutoff=options.cutoff,
        decimation=options.decimation,
        slow=options.slow,
        validate=options.validate,
        options=IdentificationOptions(
            description=options.columns,
            model=options.model,
            delay=options.delay,
            stribeck_velocity=options.stribeck_velocity,
            without=words(options.without),
            posture=[posture_word(text) for text in options.posture] if options.posture else None,
            start=options.start,
            time_limit=options.time_limit,
            find_essential=options.essential,
            find_consistent=options.consistent,
            prior=options.prior,
        ),
    )

    def write() -> list[Path]:
        written: list[Path] = []
        if options.output:
            target = Path(options.output)
            write_files({target: _robot_text(found, formats.format_of(target))}, force=options.force)
            written.append(target)
        if options.report:
            written += write_folder(Path(options.report), report_files(found), force=options.force)
        return written

    return deliver(options, lambda: as_data(found), lambda: _show(found), write, "written")


def _check_format(robot: Robot, options: argparse.Namespace) -> None:
    """Reject files that cannot hold the result, and reports over foreign files, before anything is computed."""
    if options.report:
        names = ("report.md", "report.html", *(f"torque-{j}.svg" for j in coordinate_joints(robot)))
        targets = [path for name in names if (path := Path(options.report) / name).exists()]
        check_targets(targets, force=options.force)
    if not options.output:
        return
    fmt = formats.format_of(Path(options.output))
    if fmt in BODIES and not options.consistent:
        raise OptionError(
            f"'{options.output}': a {fmt.upper()} file holds bodies, and base parameters are not their inertias",
            hint="add --consistent, or write a .yaml file",
        )
    sought = symbolic_robot(robot)
    sample = dict.fromkeys(dict(sought.nominal) | dict.fromkeys(sought.symbols(), 0.0), 1.0)
    formats.dumps(standard_robot(sought, sample), fmt)


def _show(found: Identification) -> None:
    for section in result_sections(found):
        for text in section.text:
            print(text)
        present.table(list(section.head), [list(row) for row in section.rows], section.title)
    if found.warnings:
        print("Warnings:", *(f"  {line}" for line in found.warnings), sep="\n")


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
