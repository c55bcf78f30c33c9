"""Identify parameters in the workbench: from a log dropped on the page to the report.

The files of a log are written to a temporary folder during the call. A description may refer to these files only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from symoro.errors import ArgumentError, SymoroError
from symoro.models.coordinates.couplings import coordinate_joints
from symoro.robot.description import Robot
from symoro.robot.formats.robot_tree import tree_of
from symoro.ui.service.answer_types import IdentifyAnswer, ParameterData, SectionData
from symoro.ui.service.payload import item, robot_of
from symoro.ui.service.playback import kept_rows, number, numbers_of
from symoro.ui.values import posture_word

if TYPE_CHECKING:
    from symoro.identification.dynamic import Identification

MOST_FILES = 8
DESCRIPTION = "columns.yaml"
NAME = re.compile(r"[A-Za-z0-9][\w .()+-]{0,120}\.(csv|txt)\Z", re.ASCII | re.IGNORECASE)
REPORTS = ("report.md", "report.html")


def identified(payload: Mapping[str, Any]) -> IdentifyAnswer:
    """Identify the parameters of a robot from the log in a request.

    The answer contains the report, the parameters with standard deviations, and measured and predicted torques.
    """
    from symoro.identification.dynamic import identify
    from symoro.identification.friction import USUAL
    from symoro.identification.options import IdentificationOptions

    robot = robot_of(payload)
    values = _known(robot, numbers_of(robot, payload))
    posture = item(payload, "posture", str, "").strip()
    with _folder(payload) as folder:
        log, description = _log(robot, payload, folder)
        result = identify(
            robot,
            log,
            method=item(payload, "method", str, "wls"),
            cutoff=number(payload, "cutoff", 0.0) or None,
            decimation=item(payload, "decimation", int, 1),
            slow=number(payload, "slow", 0.0),
            friction=_words(payload, "friction", USUAL),
            options=IdentificationOptions(
                description=description,
                model=item(payload, "model", str, "dynamic"),
                delay=item(payload, "delay", str, "").strip() or None,
                posture=posture_word(posture) if posture else None,
                find_essential=item(payload, "essential", bool, False),
                find_consistent=item(payload, "consistent", bool, False),
                values=values,
            ),
        )
        return _data(result)


def _known(robot: Robot, values: Mapping[str, float]) -> dict[str, float]:
    """Return the numbers for symbols in a request, except those for friction and rotor inertias.

    Friction and rotor inertias are estimated, so they are not known values.

    Args:
        values: numbers by symbol name.
    """
    unknowns = {
        name
        for frame in robot.frames
        for amount in (frame.FV, frame.FS, frame.FB, frame.FL, frame.IA)
        for name in amount.symbols
    }
    return {name: value for name, value in values.items() if name not in unknowns}


def _words(payload: Mapping[str, Any], name: str, usual: tuple[str, ...]) -> list[str]:
    words = item(payload, name, list, list(usual))
    if not all(isinstance(word, str) for word in words):
        raise ArgumentError(f"'{name}': expected a list of strings")
    return words


@contextmanager
def _folder(payload: Mapping[str, Any]) -> Iterator[Path]:
    """Write the files of a request to a temporary folder and yield its path.

    The path of the folder is removed from error messages.
    """
    files = item(payload, "files", dict)
    if not 1 <= len(files) <= MOST_FILES:
        raise ArgumentError(f"'files': expected 1 to {MOST_FILES} files, got {len(files)}")
    with TemporaryDirectory(prefix="symoro-log-") as made:
        folder = Path(made)
        for name, text in files.items():
            if not isinstance(name, str) or not NAME.match(name) or not isinstance(text, str):
                hint = "give an object that maps the names of .csv files (without folders) to their texts"
                raise ArgumentError(
                    f"'files': '{str(name)[:60]}' is not the name of a .csv file with its text", hint=hint
                )
            (folder / name).write_bytes(text.encode("utf-8", "replace"))
        try:
            yield folder
        except SymoroError as error:
            error.message = error.message.replace(f"{folder}/", "").replace(str(folder), "the log")
            if error.place is not None and error.place.file:
                error.at(replace(error.place, file=Path(error.place.file).name))
            raise


def _log(robot: Robot, payload: Mapping[str, Any], folder: Path) -> tuple[Path, Path | None]:
    """Return the path of the log in the folder, and the path of its description or None."""
    from symoro.identification.log_description import parse_description

    first = folder / next(iter(payload["files"]))
    text = item(payload, "description", str, "")
    if not text.strip():
        return first, None
    described = parse_description(text, coordinate_joints(robot), DESCRIPTION, folder)
    kinds = (described.position, described.torque, described.velocity, described.acceleration)
    named = [one.file for one in (*kinds, described.reference, described.time) if one is not None]
    for file in named:
        if file is not None and (file.parent != folder or file.name not in payload["files"]):
            hint = f"the files of this log: {', '.join(payload['files'])}"
            raise ArgumentError(
                f"the description names '{file.name[:60]}', which was not uploaded with it", hint=hint
            )
    path = first.with_suffix(".yaml")  # the report contains the name of the log
    path.write_bytes(text.encode("utf-8", "replace"))
    whole = described.position.file is not None and described.torque.file is not None
    return (path, None) if whole else (first, path)


def _data(result: Identification) -> IdentifyAnswer:
    from symoro.ui.identification_report import as_data, report_files, report_sections

    data = as_data(result)
    time, measured, predicted = result.predicted(result.longest())
    rows = kept_rows(len(time))
    files = report_files(result)
    return IdentifyAnswer(
        method=data["method"],
        parameters=[ParameterData(name=name, **one) for name, one in data["parameters"].items()],
        residuals={name: one and one["relative"] for name, one in data["residuals"].items()},
        warnings=list(result.warnings),
        sections=[SectionData(**asdict(section)) for section in report_sections(result)],
        files={name: files[name] for name in REPORTS},
        labels=list(result.model.labels),
        times=time[rows].tolist(),
        measured=measured[rows].tolist(),
        predicted=predicted[rows].tolist(),
        robot=tree_of(result.robot),
    )
