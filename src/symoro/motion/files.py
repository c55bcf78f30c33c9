"""Trajectories from files: YAML, a table of samples (CSV, Parquet), or one of the bundled ones by its name."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import numpy as np

from symoro.errors import FormatError, MissingDependencyError, Place, UnknownNameError
from symoro.files import reason
from symoro.motion.samples import Samples, from_columns, is_of_motion, read_table
from symoro.motion.trajectory import Trajectory
from symoro.motion.trajectory_yaml import read_trajectory_text

_SUFFIX = ".yaml"
TABLES = (".csv",)
COLUMNS = (".parquet", ".pq")
TEXTS = (".yaml", ".yml")
MAX_BYTES = 512 * 2**20


def bundled() -> list[str]:
    """The names of the bundled trajectories."""
    folder = resources.files("symoro.motion.library")
    return sorted(
        entry.name.removesuffix(_SUFFIX) for entry in folder.iterdir() if entry.name.endswith(_SUFFIX)
    )


def load_trajectory(which: str | Path) -> Trajectory | Samples:
    """A trajectory from a file (.yaml), samples from a table (.csv, .parquet), or a bundled trajectory by its name.

    Raises:
        FormatError: the file cannot be read, with the place of what is wrong.
        UnknownNameError: no file, and no bundled trajectory of this name.
        MissingDependencyError: a Parquet file, and pyarrow is not there.
    """
    path = Path(which)
    if path.suffix.lower() in COLUMNS:
        return _parquet(path)
    if path.suffix.lower() in (*TABLES, *TEXTS):
        text = _read(path)
        table = path.suffix.lower() in TABLES
        return read_table(text, str(path)) if table else read_trajectory_text(text, str(path))
    if str(which) in bundled():
        file = f"{which}{_SUFFIX}"
        text = (resources.files("symoro.motion.library") / file).read_text(encoding="utf-8")
        return read_trajectory_text(text, file)
    hint = None if bundled() and not path.exists() else "a trajectory's file ends in .yaml, .csv or .parquet"
    raise UnknownNameError("trajectory", which, bundled(), hint=hint)


def _parquet(path: Path) -> Samples:
    """The samples in a Parquet file; columns of anything but numbers are left alone."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingDependencyError("Parquet needs pyarrow", hint="pip install pyarrow") from None
    place = Place(str(path))
    try:
        table = parquet.read_table(path)
    except (OSError, ValueError, pyarrow.ArrowException) as error:
        raise FormatError(f"the file cannot be read: {reason(error)}", place=place) from None
    types = pyarrow.types
    names = [
        field.name for field in table.schema if types.is_floating(field.type) or types.is_integer(field.type)
    ]
    if not names or not table.num_rows:
        raise FormatError("the table holds no numbers", place=place)
    data = np.column_stack([table.column(name).to_numpy().astype(float) for name in names])
    strict = [k for k, name in enumerate(names) if is_of_motion(name)]
    for row, column in np.argwhere(~np.isfinite(data[:, strict]))[:1]:
        key = f"row {row + 1}, {names[strict[column]]}"
        raise FormatError("expected a finite number", place=Place(str(path), key=key))
    return from_columns(names, data, lambda row: Place(str(path), key=f"row {row + 1}"))


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise FormatError(f"the file is longer than {MAX_BYTES} bytes", place=Place(str(path)))
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise FormatError("the file is no text in UTF-8", place=Place(str(path))) from None
    except (OSError, ValueError) as error:
        raise FormatError(f"the file cannot be read: {reason(error)}", place=Place(str(path))) from None
