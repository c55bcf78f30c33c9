"""Write and read the table of a sweep: Parquet or Zarr, with units, complete or not at all.

Columns are written block by block under a temporary name beside the target; the finished table replaces it in one step.
The same blocks always give the same file. The metadata of the table contain, as JSON under the key `symoro`, the robot,
model, options, measures and version; each column has its `unit`.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from symoro.errors import OptionError, Place, WriteError
from symoro.files import check_targets, reason
from symoro.optional_packages import needed
from symoro.study.quantities import Column
from symoro.study.ranges import Array

FORMATS = (".parquet", ".zarr")
METADATA = "symoro"
EXTRA = "sweep"


class TableWriter(Protocol):
    """Writer of one table."""

    def write(self, columns: Mapping[str, Array]) -> None:
        """Append a block of rows."""

    def close(self) -> None:
        """Complete the table under its temporary name."""


class ParquetWriter:
    """Writer of a Parquet file with one row group per block.

    Columns of grids repeat few values, which a dictionary stores well; other columns are doubles without repetition,
    which no general compression shortens.
    """

    def __init__(
        self, path: Path, columns: Sequence[Column], repeated: Sequence[str], metadata: Mapping[str, Any]
    ) -> None:
        pa, pq = needed("pyarrow", "Parquet", EXTRA), needed("pyarrow.parquet", "Parquet", EXTRA)
        fields = [
            pa.field(one.name, pa.float64(), nullable=False, metadata={"unit": one.unit}) for one in columns
        ]
        self._pa = pa
        self._schema = pa.schema(fields, metadata={METADATA: json.dumps(metadata)})
        self._writer = pq.ParquetWriter(
            path, self._schema, compression="NONE", use_dictionary=list(repeated), write_statistics=True
        )

    def write(self, columns: Mapping[str, Array]) -> None:
        arrays = [self._pa.array(columns[name]) for name in self._schema.names]
        self._writer.write_table(self._pa.table(arrays, schema=self._schema))

    def close(self) -> None:
        self._writer.close()


class ZarrWriter:
    """Writer of a Zarr group (format 3) with one array per column; each block is one chunk."""

    def __init__(
        self, path: Path, columns: Sequence[Column], rows: int, chunk: int, metadata: Mapping[str, Any]
    ) -> None:
        zarr = needed("zarr", "Zarr", EXTRA)
        group = zarr.open_group(str(path), mode="w")
        group.attrs.update({METADATA: dict(metadata), "columns": [one.name for one in columns]})
        self._arrays = {}
        for one in columns:
            array = group.create_array(one.name, shape=(rows,), chunks=(min(chunk, rows),), dtype="float64")
            array.attrs["unit"] = one.unit
            self._arrays[one.name] = array
        self._written = 0

    def write(self, columns: Mapping[str, Array]) -> None:
        length = len(next(iter(columns.values())))
        for name, array in self._arrays.items():
            array[self._written : self._written + length] = columns[name]
        self._written += length

    def close(self) -> None:
        """Nothing remains to be done: the group is complete when all blocks are written."""


def check_output(path: Path, *, force: bool) -> None:
    """Check, before the computation, that a table can be written.

    Raises:
        OptionError: the suffix is not a supported format.
        WriteError: the target exists and `force` is false, or its folder is missing or read-only.
        MissingDependencyError: the package for the format is not installed.
    """
    if path.suffix.lower() not in FORMATS:
        raise OptionError(
            f"'{path}': supported formats are {', '.join(FORMATS)}", hint="the suffix determines the format"
        )
    needed("pyarrow" if path.suffix.lower() == ".parquet" else "zarr", path.suffix[1:].capitalize(), EXTRA)
    if path.exists() and not force:
        what = "it is a complete table" if _is_sweep(path) else "symoro did not write it"
        raise WriteError(
            f"the file exists, and {what}",
            place=Place(str(path)),
            hint="choose another name, or overwrite it with force=True",
        )
    if path.is_dir() and not _is_sweep(path):
        raise WriteError(
            "a folder with this name exists, and it is not the result of a sweep",
            place=Place(str(path)),
            hint="choose another name",
        )
    check_targets([path.with_name(f"{path.name}.chunks") if path.is_dir() else path], force=True)


def _is_sweep(path: Path) -> bool:
    """Return whether a Parquet file or a Zarr group was written by a sweep."""
    try:
        if path.is_file():
            schema = needed("pyarrow.parquet", "Parquet", EXTRA).read_schema(path)
            return METADATA.encode() in (schema.metadata or {})
        group = json.loads((path / "zarr.json").read_text(encoding="utf-8"))
        return METADATA in group["attributes"]
    except (OSError, ValueError, KeyError, TypeError):  # errors of pyarrow are ValueErrors
        return False


def temporary_name(path: Path, folder: Path | None) -> Path:
    """Return a new name for an incomplete table: in the folder of the chunks if there is one, else beside the target.

    A process that is killed leaves the incomplete table; it is removed with the chunks.
    """
    target = Path(os.path.realpath(path))
    return (folder or target.parent) / f".symoro-{os.urandom(8).hex()}.tmp"


class Table:
    """Table that is written under the temporary name `beside` and replaces its target when it is complete.

    with Table(path, ...) as table:      an exception removes the incomplete table
        table.write(block)
    """

    def __init__(
        self,
        path: Path,
        beside: Path,
        columns: Sequence[Column],
        repeated: Sequence[str],
        rows: int,
        chunk: int,
        metadata: Mapping[str, Any],
    ) -> None:
        self._target, self._beside = Path(os.path.realpath(path)), beside
        beside.parent.mkdir(exist_ok=True)
        self._finished = False
        if path.suffix.lower() == ".parquet":
            self._writer: TableWriter = ParquetWriter(self._beside, columns, repeated, metadata)
        else:
            self._writer = ZarrWriter(self._beside, columns, rows, chunk, metadata)

    def __enter__(self) -> Table:
        return self

    def write(self, columns: Mapping[str, Array]) -> None:
        """Append a block of rows."""
        try:
            self._writer.write(columns)
        except OSError as error:
            raise _failure(self._target, error) from None

    def finish(self) -> None:
        """Complete the table and give it its name."""
        try:
            self._writer.close()
            if self._target.is_dir():
                shutil.rmtree(self._target)
            self._beside.replace(self._target)
        except OSError as error:
            raise _failure(self._target, error) from None
        self._finished = True

    def __exit__(self, *_: object) -> None:
        if not self._finished:
            if self._beside.is_dir():
                shutil.rmtree(self._beside, ignore_errors=True)
            else:
                self._writer.close()
                self._beside.unlink(missing_ok=True)
            if self._beside.parent != self._target.parent:
                with contextlib.suppress(OSError):  # finished chunks remain for the next run
                    self._beside.parent.rmdir()


def _failure(path: Path, error: OSError) -> WriteError:
    return WriteError(
        f"the table cannot be written: {reason(error)}",
        place=Place(str(path)),
        hint="check that the folder has free space",
    )


def read_table(path: Path) -> dict[str, Array]:
    """Return the columns of a table by name."""
    if path.suffix.lower() == ".parquet":
        table = needed("pyarrow.parquet", "Parquet", EXTRA).read_table(path)
        return {name: table[name].to_numpy() for name in table.column_names}
    group = needed("zarr", "Zarr", EXTRA).open_group(str(path), mode="r")
    return {name: np.asarray(group[name]) for name in group.attrs["columns"]}
