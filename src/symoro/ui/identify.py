"""Run `symoro identify`: estimate parameters from logs, print them, write a report and a robot file."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from symoro.errors import OptionError
from symoro.files import check_targets, write_files, write_folder
from symoro.identification.consistent import PRIOR_WEIGHT, Interval
from symoro.identification.contacts import BASE_ROWS
from symoro.identification.dynamic import Identification, identify, symbolic_robot
from symoro.identification.equations import SCALAR
from symoro.identification.friction import TERMS, friction_of, further_columns
from symoro.identification.identified_robot import standard_robot
from symoro.identification.log_description import ESTIMATE
from symoro.identification.options import IdentificationOptions
from symoro.identification.verdict import COLUMNS
from symoro.models.coordinates.couplings import coordinate_joints
from symoro.robot import formats
from symoro.robot.description import Robot
from symoro.ui import present
from symoro.ui.failure import NOT_SATISFIED
from symoro.ui.identification_report import PLOTS, as_data, plot_file, report_files, result_sections
from symoro.ui.outputs import check_robot, deliver, writing
from symoro.ui.values import assignments, log_payload_fields, numbers, posture_word, words

T = TypeVar("T")
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
            payloads=[log_payload_fields(text) for text in options.log_payload],
            model=options.model,
            delay=options.delay,
            stribeck_velocity=_stribeck_velocity(options),
            without=words(options.without),
            posture=[posture_word(text) for text in options.posture] if options.posture else None,
            start=options.start,
            time_limit=options.time_limit,
            find_essential=options.essential,
            find_consistent=options.consistent,
            prior=options.prior,
            prior_weight=PRIOR_WEIGHT if options.prior_weight is None else options.prior_weight,
            link_priors=_by_link("--link-prior", options.link_prior, partial(_number, "--link-prior")),
            nominal={
                name: _number("--nominal", text)
                for name, text in assignments("--nominal", options.nominal).items()
            },
            masses=_by_link("--mass", options.mass, partial(_bounds, "--mass")),
            total_mass=_bounds("--total-mass", options.total_mass) if options.total_mass else None,
        ),
    )

    def write() -> list[Path]:
        written: list[Path] = []
        if options.output:
            target = Path(options.output)
            text = _robot_text(result, formats.format_of(target), **writing(options))
            write_files({target: text}, force=options.force)
            written.append(target)
        if options.report:
            written += write_folder(Path(options.report), report_files(result), force=options.force)
        return written

    code = deliver(options, lambda: as_data(result), lambda: _show(result), write, "written")
    if code == 0 and options.require and not result.verdict.satisfies(options.require):
        return NOT_SATISFIED
    return code


def _gains(text: str | None) -> list[float] | str:
    """Return the numbers of the option --drive-gains, or 'estimate'."""
    if text is not None and text.strip() == ESTIMATE:
        return ESTIMATE
    try:
        return [float(word) for word in words(text or "")]
    except ValueError:
        raise OptionError(
            f"--drive-gains: expected numbers separated by commas or '{ESTIMATE}', got '{text}'"
        ) from None


def _stribeck_velocity(options: argparse.Namespace) -> Any:
    text = options.stribeck_velocity
    return None if text is None else numbers("--stribeck-velocity", text)


def _by_link(option: str, texts: Sequence[str], read: Callable[[str], T]) -> dict[int, T]:
    """Return the values of an option by link number, from texts such as '3=2.1..2.4,4=1..2'.

    Args:
        option: name of the option, for errors.
        read: function that converts the text after the equals sign.
    """
    values = {}
    for link, text in assignments(option, texts).items():
        if not link.isdecimal():
            raise OptionError(
                f"{option} {link}={text}: expected the number of a link before '=', got '{link}'"
            )
        if int(link) in values:
            raise OptionError(f"{option}: link {int(link)} is given twice")
        values[int(link)] = read(text)
    return values


def _bounds(option: str, text: str) -> Interval:
    """Return the lower and upper bound in a text: '2.1..2.4', '2.1..', '..2.4', or a value with tolerance '2.2+-0.1'.

    Args:
        option: name of the option, for errors.
    """
    first, separator, second = text.partition("..")
    if separator and (first.strip() or second.strip()):
        low = _number(option, first) if first.strip() else 0.0
        return low, _number(option, second) if second.strip() else math.inf
    first, separator, second = text.partition("+-")
    if not separator:
        raise OptionError(
            f"{option}: expected bounds in kg, got '{text}'",
            hint="write LOW..HIGH, ..HIGH for an upper bound, or VALUE+-TOLERANCE for a weighed mass",
        )
    value, tolerance = _number(option, first), _number(option, second)
    if tolerance < 0:
        raise OptionError(f"{option}: the tolerance is not negative, got '{text}'")
    low = value - tolerance
    return max(low, 0.0) if value >= 0 else low, value + tolerance


def _number(option: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise OptionError(f"{option}: expected a number, got '{text.strip()}'") from None


def _check_format(robot: Robot, options: argparse.Namespace) -> None:
    """Check, before the identification, that the output files can represent its result."""
    if options.report:
        labels = [*BASE_ROWS, *SCALAR, *map(str, coordinate_joints(robot))]
        plots = [plot_file(name, label) for name in PLOTS for label in labels]
        names = ("report.md", "report.html", *plots)
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
    joints = coordinate_joints(robot)
    friction = friction_of(robot, words(options.friction), _stribeck_velocity(options))
    estimated = {f"{TERMS[term]}{j}" for term in friction.terms for j in joints} - set(words(options.without))
    sample = dict.fromkeys([*dict(symbolic.nominal), *symbolic.symbols(), *estimated], 1.0)
    further = further_columns(joints, friction, None)
    half = dict.fromkeys(further.names, 0.5)  # an estimate that every robot may have, because |FL| < 1
    check_robot(standard_robot(symbolic, sample | half, further), options, dynamic=True)


def _show(result: Identification) -> None:
    for section in result_sections(result):
        for text in section.text:
            print(text)
        present.table(list(section.head), [list(row) for row in section.rows], section.title)
    if result.warnings:
        print("Warnings:", *(f"  {line}" for line in result.warnings), sep="\n")
    verdict = result.verdict
    present.table(list(COLUMNS), [list(one.row()) for one in verdict.criteria], "Verdict")
    print(verdict.line)


def _robot_text(result: Identification, fmt: str, **details: Any) -> str:
    """Return the text of the robot file with the estimated parameters.

    A YAML file contains the notes as comments.

    Args:
        fmt: file format.
        details: further arguments of the writer.
    """
    text = formats.dumps(result.robot, fmt, **details)
    if fmt != "yaml":
        return text
    head, _, rest = text.partition("\n")
    logs = ", ".join(result.log_names)
    lines = [f"from {logs}, by {result.estimate.method}", *result.robot.notes]
    comments = [f"# {' '.join(line.split())}" for line in lines]
    return "\n".join([head, *comments, rest])
