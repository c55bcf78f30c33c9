"""Save a derived model in a file and load it again, without deriving it a second time.

The file is JSON: the robot as YAML text, the id and the options of the model, its program (`program.storage`), and a
checksum, because a program with another number in it is a program, too, but another model. A
model that took long to derive (`effort="search"`, a large robot) is loaded in milliseconds, and the loaded model gives
the same code, byte by byte.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from symoro._version import __version__
from symoro.errors import FormatError, Place, SymoroError
from symoro.files import MADE_BY, read_json, write_files
from symoro.model import Model
from symoro.models import catalogue
from symoro.program.program import ports_of
from symoro.program.storage import program_data, program_of
from symoro.robot.formats import dumps, loads

FORMAT = 2
MAX_BYTES = 500_000_000


def save_model(model: Model, path: str | Path, *, force: bool = False) -> None:
    """Save a model in a JSON file, from which `load_model` reads it.

    Args:
        path: file to write.
        force: overwrite a file that symoro did not write.

    Raises:
        WriteError: the file cannot be written.
    """
    data = {
        "about": [MADE_BY],
        "format": FORMAT,
        "version": __version__,
        "model": model.entry.id,
        "options": {name: value for name, value in model.options.items() if value is not None},
        "robot": dumps(model.robot, "yaml"),
        "program": program_data(model.program),
    }
    data["checksum"] = _checksum(json.loads(json.dumps(data, default=list)))
    lines = ",\n".join(f"{json.dumps(key)}: {_text(key, value)}" for key, value in data.items())
    write_files({Path(path): f"{{\n{lines}\n}}\n"}, force=force)


def _text(key: str, value: Any) -> str:
    """Return a value as JSON; the line about the origin stands alone, so that the file is recognised."""
    return f"[\n  {json.dumps(value[0])}\n]" if key == "about" else json.dumps(value, default=list)


def _checksum(data: dict[str, Any]) -> str:
    """Return the checksum of the contents of a file; line ends and blanks between the values do not change it."""
    contents = {key: value for key, value in data.items() if key not in ("about", "checksum")}
    return hashlib.sha256(json.dumps(contents, sort_keys=True).encode()).hexdigest()


def load_model(path: str | Path) -> Model:
    """Return the model that `save_model` saved.

    Raises:
        FormatError: the file cannot be read, is not a saved model, or is damaged.
    """
    place = Place(str(path))
    data = read_json(path, MAX_BYTES, "give a file that save_model or the option --save has written")
    if not isinstance(data, dict) or data.get("format") != FORMAT or "program" not in data:
        raise FormatError(
            "the file is not a model saved by this version", place=place, hint="save the model again"
        )
    if data.get("checksum") != _checksum(data):
        raise FormatError(
            "the saved model is damaged: its contents differ from its checksum",
            place=place,
            hint="save the model again; to change it, change the robot or the options and derive it",
        )
    try:
        robot = loads(str(data["robot"]), "yaml")
        program = program_of(data["program"])
        base = base_entry(str(data["model"]))
        options = {str(name): value for name, value in dict(data["options"]).items()}
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"the saved model is damaged: {error!r}", place=place) from None
    except SymoroError as error:
        raise FormatError(f"the saved model is damaged: {error.message}", place=place) from None
    inputs, outputs = ports_of(program.inputs), ports_of(program.outputs)
    if base.id == data["model"]:
        return Model(robot, base, options, program)
    entry = replace(
        base, id=str(data["model"]), title=program.title, inputs=inputs, outputs=outputs, aliases=(), forms=()
    )
    return Model(robot, entry, options, program)


def base_entry(name: str) -> catalogue.Entry:
    """Return the entry of a model of the catalogue, or of the model of which `name` is a derivative."""
    known = catalogue.catalogue()
    stem = name.rpartition("-")[0]
    while name not in known and stem:
        name, stem = stem, stem.rpartition("-")[0]
    return catalogue.entry(name)
