"""Check and write the output files of a command.

`check_outputs` rejects invalid targets before the computation. `deliver` prints the result before it writes files, so
that a failure to write does not lose the result.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from symoro.errors import OptionError, SymoroError
from symoro.files import check_targets
from symoro.optional_packages import needed
from symoro.robot import formats
from symoro.robot.description import Robot
from symoro.ui import failure, present
from symoro.ui.common_arguments import FOLDER, ROBOT, TABLE


def check_outputs(options: argparse.Namespace) -> None:
    """Check, before the computation, that the output files of a command can be written.

    Raises:
        OptionError, FormatError: the suffix of a file is not a format of the command's results.
        WriteError: a folder is missing or read-only, or a file that symoro did not write would be overwritten.
        MissingDependencyError: a package that a format requires is not installed.
    """
    target, given = getattr(options, "target", None), getattr(options, "output", None)
    if target is None:
        return
    paths = [Path(name) for name in ([given] if isinstance(given, str) else given or [])]
    if target == TABLE:
        from symoro.study.storage import check_output

        for path in paths:
            check_output(path, force=options.force)
        return
    folders = paths if target == FOLDER else []
    files = [] if target == FOLDER else paths
    if target == ROBOT:
        for path in files:
            if not getattr(options, "to", None):
                formats.format_of(path)
    elif target != FOLDER:
        for path in files:
            _check_suffix(path, target)
    if getattr(options, "save", None):
        files = [*files, Path(options.save)]
        _check_suffix(files[-1], (".json",))
    if getattr(options, "report", None):
        folders = [*folders, Path(options.report)]
    check_targets(files, folders, force=options.force)
    if any(path.suffix.lower() == ".parquet" for path in files):
        needed("pyarrow", "writing Parquet files", "parquet")


def _check_suffix(path: Path, suffixes: Sequence[str]) -> None:
    if path.suffix.lower() not in suffixes:
        raise OptionError(
            f"'{path}': supported formats are {', '.join(suffixes)}", hint="the suffix determines the format"
        )


def writing(options: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments of the writer of robot files that a command line selects."""
    return {"lossy": True} if options.read_lossy else {}


def check_robot(robot: Robot, options: argparse.Namespace, *, dynamic: bool = False) -> None:
    """Check that the output format of a command can represent a robot.

    Args:
        options: the parsed command line with the output file.
        dynamic: whether the results of the command are dynamic parameters.

    Raises:
        OptionError: the format does not contain the results.
        FormatError, NotApplicableError: the message lists the data that the format cannot represent.
    """
    if not options.output:
        return
    name = formats.format_of(Path(options.output))
    if dynamic and not formats.FORMATS[name].dynamic:
        raise OptionError(
            f"'{options.output}': a table contains the geometry of a robot, without dynamic parameters",
            hint="write a .yaml or .par file",
        )
    formats.dumps(robot, name, **writing(options))


def check_names(folder: str | None, names: Sequence[str], force: bool) -> None:
    """Check, before the computation, that files of a folder are not those of somebody else.

    The names of all files are known only after the computation: `write_folder` then checks each of them.

    Args:
        folder: output folder, or None.
        names: names of files that will certainly be written to the folder.
        force: overwrite any file.
    """
    if folder:
        check_targets([path for name in names if (path := Path(folder, name)).is_file()], force=force)


def deliver(
    options: argparse.Namespace,
    data: Callable[[], Mapping[str, Any]],
    show: Callable[[], None],
    write: Callable[[], Sequence[Path | str]],
    key: str | None = None,
) -> int:
    """Print the result of a command, write its files, and return the exit code.

    Args:
        data: function that returns the result for JSON; with --json an `error` is added if writing fails.
        show: function that prints the result as text.
        write: function that writes the files and returns their paths.
        key: key of the written file names in the JSON output; None omits them.
    """
    if not options.json:
        show()
        for path in write():
            if not getattr(options, "csv", False):
                print(f"wrote {path}")
        return 0
    problem: dict[str, Any] = {}
    written: list[str] = []
    try:
        written = [str(path) for path in write()]
    except SymoroError as error:
        problem = {"error": failure.as_data(error)}
    named = {key: written} if key else {}
    present.as_json({**data(), **named, **problem})
    return failure.BAD_INPUT if problem else 0
