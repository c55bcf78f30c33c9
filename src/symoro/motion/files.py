"""Trajectories from files: YAML, a table of samples (CSV), or one of the bundled ones by its name."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from symoro.errors import FormatError, Place, UnknownNameError
from symoro.files import reason
from symoro.motion.samples import Samples, read_table
from symoro.motion.trajectory import Trajectory
from symoro.motion.trajectory_yaml import read_trajectory_text

_SUFFIX = ".yaml"
TABLES = (".csv",)
TEXTS = (".yaml", ".yml")
MAX_BYTES = 512 * 2**20


def bundled() -> list[str]:
    """The names of the bundled trajectories."""
    folder = resources.files("symoro.motion.library")
    return sorted(
        entry.name.removesuffix(_SUFFIX) for entry in folder.iterdir() if entry.name.endswith(_SUFFIX)
    )


def load_trajectory(which: str | Path) -> Trajectory | Samples:
    """A trajectory from a file (.yaml), samples from a table (.csv), or a bundled trajectory by its name.

    Raises:
        FormatError: the file cannot be read, with the place of what is wrong.
        UnknownNameError: no file, and no bundled trajectory of this name.
    """
    path = Path(which)
    if path.suffix.lower() in (*TABLES, *TEXTS):
        text = _read(path)
        table = path.suffix.lower() in TABLES
        return read_table(text, str(path)) if table else read_trajectory_text(text, str(path))
    if str(which) in bundled():
        file = f"{which}{_SUFFIX}"
        text = (resources.files("symoro.motion.library") / file).read_text(encoding="utf-8")
        return read_trajectory_text(text, file)
    hint = None if bundled() and not path.exists() else "a trajectory's file ends in .yaml or .csv"
    raise UnknownNameError("trajectory", which, bundled(), hint=hint)


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise FormatError(f"the file is longer than {MAX_BYTES} bytes", place=Place(str(path)))
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise FormatError("the file is no text in UTF-8", place=Place(str(path))) from None
    except (OSError, ValueError) as error:
        raise FormatError(f"the file cannot be read: {reason(error)}", place=Place(str(path))) from None
