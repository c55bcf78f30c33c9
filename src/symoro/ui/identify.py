"""Run `symoro identify`: estimate parameters from logs, print them, write a report and a robot file."""

from __future__ import annotations

import argparse
from pathlib import Path

from symoro.errors import OptionError
from symoro.files import check_targets, write_files, write_folder
from symoro.identification.dynamic import Identification, identify, symbolic_robot
from symoro.identification.friction import Friction, further_columns
from symoro.identification.identified_robot import standard_robot
from symoro.identification.options import IdentificationOptions
from symoro.models.coordinates.couplings import coordinate_joints
from symoro.robot import formats
from symoro.robot.description import Robot
from symoro.ui import present
from symoro.ui.identification_report import as_data, report_files, result_sections
from symoro.ui.outputs import deliver
from symoro.ui.values import posture_word, words

BODIES = ("urdf", "xacro", "mjcf")  # formats that require inertias of physical bodies


def run(robot: Robot, options: argparse.Namespace) -> int:
    """Identify the parameters of a robot, print and write the result, and return the exit code."""
    _check_format(robot, options)
    result = identify(
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
            topics=options.topic,
            drive_gains=_gains(options.drive_gains),
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
            write_files({target: _robot_text(result, formats.format_of(target))}, force=options.force)
            written.append(target)
        if options.report:
            written += write_folder(Path(options.report), report_files(result), force=options.force)
        return written

    return deliver(options, lambda: as_data(result), lambda: _show(result), write, "written")


def _gains(text: str | None) -> list[float]:
    """Return the numbers of the option --drive-gains."""
    try:
        return [float(word) for word in words(text or "")]
    except ValueError:
        raise OptionError(f"--drive-gains: expected numbers separated by commas, got '{text}'") from None


def _check_format(robot: Robot, options: argparse.Namespace) -> None:
    """Check, before the identification, that the output files can represent its result."""
    if options.report:
        names = ("report.md", "report.html", *(f"torque-{j}.svg" for j in coordinate_joints(robot)))
        targets = [path for name in names if (path := Path(options.report) / name).exists()]
        check_targets(targets, force=options.force)
    if not options.output:
        return
    fmt = formats.format_of(Path(options.output))
    if fmt in BODIES and not options.consistent:
        raise OptionError(
            f"'{options.output}': a {fmt.upper()} file contains inertias of bodies, but base parameters are grouped",
            hint="add --consistent, or write a .yaml file",
        )
    symbolic = symbolic_robot(robot)
    sample = dict.fromkeys(dict(symbolic.nominal) | dict.fromkeys(symbolic.symbols(), 0.0), 1.0)
    joints = coordinate_joints(robot)
    friction = Friction(tuple(words(options.friction)), options.stribeck_velocity)
    further = further_columns(joints, friction, None)
    half = dict.fromkeys(further.names, 0.5)  # an estimate that every robot may have, because |FL| < 1
    formats.dumps(standard_robot(symbolic, sample | half, further), fmt)


def _show(result: Identification) -> None:
    for section in result_sections(result):
        for text in section.text:
            print(text)
        present.table(list(section.head), [list(row) for row in section.rows], section.title)
    if result.warnings:
        print("Warnings:", *(f"  {line}" for line in result.warnings), sep="\n")


def _robot_text(result: Identification, fmt: str) -> str:
    """Return the text of the robot file with the estimated parameters.

    A YAML file contains the notes as comments.

    Args:
        fmt: file format.
    """
    text = formats.dumps(result.robot, fmt)
    if fmt != "yaml":
        return text
    head, _, rest = text.partition("\n")
    logs = ", ".join(result.log_names)
    lines = [f"from {logs}, by {result.estimate.method}", *result.robot.notes]
    comments = [f"# {' '.join(line.split())}" for line in lines]
    return "\n".join([head, *comments, rest])
