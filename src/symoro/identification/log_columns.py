"""Columns of numbers in files, read piece by piece: CSV (also compressed, .gz) by NumPy, Parquet by pyarrow.

A CSV file has one line of names, then one line per sample. Values are separated by commas, semicolons, tabs or blanks;
lines that begin with # are comments. The line of names may be the last comment above the samples, as NumPy's savetxt
writes it. Errors contain the line, or the row of a Parquet file.
"""

from __future__ import annotations

import gzip
import itertools
import re
import zlib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from symoro.errors import FormatError, Place, UnknownNameError
from symoro.files import reason
from symoro.optional_packages import needed

Array = NDArray[np.float64]
PARQUET = (".parquet", ".pq")
CACHED_NUMBERS = 1_000_000  # columns of logs with at most this many numbers are cached
COMMENT = re.compile(rb"^[ \t]*#", re.MULTILINE)
DECIMAL_COMMAS = (
    "write decimal points instead of decimal commas, as in 0.5, and commas or semicolons between values"
)
ASYNCHRONOUS = (
    "correct the value; write quantities with different times to separate files, each with a column of times"
)
UNITS_LINE = "if this line contains units, begin it with #, and give the units in the description of the log"


@dataclass(frozen=True)
class ColumnFile:
    """CSV or Parquet file with columns of numbers.

    Attributes:
        names: names of the columns.
        samples: number of rows.
        first: line number of the first sample, without counting comments; None for a file without lines (Parquet).
        comments: line numbers of the comments below the line of names.
    """

    path: Path
    names: tuple[str, ...]
    samples: int
    delimiter: str | None
    first: int | None
    comments: tuple[int, ...] = ()
    _held: dict[tuple[int, ...], Array] = field(default_factory=dict, compare=False, repr=False)

    def line(self, sample: int) -> int:
        """Return the line number of a sample in the file."""
        line = sample + (self.first or 0)
        while (after := sample + (self.first or 0) + bisect_right(self.comments, line)) != line:
            line = after
        return line

    def place(self, sample: int, column: str | None = None) -> Place:
        """Return file, line and column of a sample, for messages."""
        if self.first is None:
            return Place(str(self.path), key=f"row {sample + 1}" + (f", column '{column}'" if column else ""))
        return Place(str(self.path), self.line(sample), None, f"column '{column}'" if column else None)

    def index(self, column: str) -> int:
        """Return the index of the column with this name.

        Raises:
            FormatError: there is no such column.
        """
        if column in self.names:
            return self.names.index(column)
        hint = UnknownNameError("column", column, self.names).hint
        line = None if self.first is None else self.first - 1
        raise FormatError(f"there is no column '{column}'", place=Place(str(self.path), line), hint=hint)

    def chunks(
        self, columns: Sequence[str], size: int, start: int = 0, stop: int | None = None
    ) -> Iterator[Array]:
        """Yield arrays with the values of some columns, `size` rows at a time.

        Args:
            columns: names of the columns.
            size: number of rows per array.
            start, stop: first sample, and last sample plus one.
        """
        wanted = [self.index(column) for column in columns]
        end = self.samples if stop is None else min(stop, self.samples)
        if self.first is None:
            return self._parquet(columns, size, start, end)
        if self.samples * len(wanted) > CACHED_NUMBERS:
            return self._csv(wanted, size, start, end)
        rows = self._short(tuple(wanted), size)
        return (rows[k : min(k + size, end)] for k in range(start, end, size))

    def _short(self, wanted: tuple[int, ...], size: int) -> Array:
        """Return all samples of a short file as one array; the file is read only once.

        Args:
            wanted: indices of the columns.
            size: number of rows that are read at a time.
        """
        if wanted not in self._held:
            rows = list(self._csv(wanted, size, 0, self.samples))
            self._held[wanted] = np.concatenate(rows) if rows else np.empty((0, len(wanted)))
        return self._held[wanted]

    def _csv(self, wanted: Sequence[int], size: int, start: int, end: int) -> Iterator[Array]:
        done = start
        with _opened_text(self.path) as stream:
            next(itertools.islice(stream, self.line(start) - 2, None), None)  # the last line that is skipped
            samples = (
                (line for line in stream if not line.lstrip(" \t").startswith("#"))
                if self.comments
                else stream
            )
            while lines := list(itertools.islice(samples, min(size, end - done))):
                self._check_widths(lines, done)
                try:
                    rows = np.loadtxt(
                        lines,
                        delimiter=self.delimiter,
                        usecols=wanted,
                        ndmin=2,
                        comments=None,
                        quotechar='"',
                    )
                except ValueError as error:
                    self._raise_unreadable(lines, wanted, done, str(error))
                if len(rows) != len(lines):
                    blank = next(k for k, line in enumerate(lines) if not line.strip())
                    raise FormatError("this line is empty", place=self.place(done + blank), hint="remove it")
                yield rows
                done += len(lines)

    def _check_widths(self, lines: Sequence[str], done: int) -> None:
        """Check that every line has one value per column name, because NumPy does not check this.

        Args:
            lines: consecutive lines of the file.
            done: number of samples before these lines.
        """
        wanted = len(self.names) - 1
        if self.delimiter is None or all(line.count(self.delimiter) == wanted for line in lines):
            return
        k = next(k for k, line in enumerate(lines) if line.count(self.delimiter) != wanted)
        if not lines[k].strip():
            raise FormatError("this line is empty", place=self.place(done + k), hint="remove it")
        self._wrong_width(lines[k].count(self.delimiter) + 1, done + k)

    def _wrong_width(self, values: int, sample: int) -> NoReturn:
        raise FormatError(
            f"this line has {values} values, but the line of names has {len(self.names)}",
            place=self.place(sample),
            hint=DECIMAL_COMMAS
            if self.delimiter == "," and 1 < values - len(self.names) <= len(self.names)
            else None,
        )

    def _raise_unreadable(
        self, lines: Sequence[str], wanted: Sequence[int], done: int, message: str
    ) -> NoReturn:
        """Raise an error that names the line which NumPy could not read.

        Args:
            lines: consecutive lines of the file.
            wanted: indices of the columns that were read; others may contain text.
            done: number of samples before these lines.
            message: error message of NumPy.
        """
        for k, line in enumerate(lines):
            cells = [cell.strip().strip('"') for cell in line.split(self.delimiter)]
            if len(cells) != len(self.names):
                self._wrong_width(len(cells), done + k)
            for name, cell in ((self.names[column], cells[column]) for column in wanted):
                if _is_number(cell):
                    continue
                text = f"'{cell[:30]}' is not a number" if cell else "a value is missing"
                hint = ASYNCHRONOUS if not cell else None
                if _is_number(cell.replace(",", ".", 1)):
                    hint = DECIMAL_COMMAS
                elif ":" in cell:
                    hint = "write times as numbers, such as seconds from the first sample"
                elif done + k == 0 and not any(map(_is_number, cells)):
                    hint = UNITS_LINE
                raise FormatError(text, place=self.place(done + k, name), hint=hint)
        raise FormatError(message, place=self.place(done))

    def _parquet(self, columns: Sequence[str], size: int, start: int, end: int) -> Iterator[Array]:
        arrow = needed("pyarrow", "reading Parquet files")
        try:
            yield from self._row_groups(columns, size, start, end)
        except (OSError, arrow.ArrowException) as error:
            raise _damaged_parquet(self.path, error) from None

    def _row_groups(self, columns: Sequence[str], size: int, start: int, end: int) -> Iterator[Array]:
        parquet = needed("pyarrow.parquet", "reading Parquet files")
        with parquet.ParquetFile(self.path, pre_buffer=False) as file:
            groups: list[int] = []
            before, at = start, 0
            for number in range(file.metadata.num_row_groups):
                count = file.metadata.row_group(number).num_rows
                if at < end and at + count > start:
                    if not groups:
                        before = at
                    groups.append(number)
                at += count
            for batch in file.iter_batches(batch_size=size, row_groups=groups, columns=list(columns)):
                rows = np.column_stack([self._numbers(batch.column(name), name, before) for name in columns])
                lower, upper = max(start - before, 0), min(end - before, len(rows))
                before += len(rows)
                if upper > lower:
                    yield rows[lower:upper]

    def _numbers(self, values: Any, column: str, row: int) -> Array:
        """Return the values of a column of a Parquet file as numbers; missing values are NaN.

        Args:
            values: array of pyarrow.
            column: name of the column, for errors.
            row: number of the row in the file to which the first value belongs.
        """
        types = needed("pyarrow", "reading Parquet files").types
        kind = values.type
        if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
            return np.asarray(values.to_numpy(zero_copy_only=False), float)
        if not (types.is_string(kind) or types.is_large_string(kind)):
            raise FormatError(
                f"the column contains values of type {kind}; numbers are expected",
                place=self.place(row, column),
                hint="write floating-point numbers, and times in seconds",
            )
        numbers = []
        for k, text in enumerate(values.to_pylist()):
            try:
                numbers.append(float("nan" if text is None else text))
            except ValueError:
                raise FormatError(
                    f"'{text[:30]}' is not a number", place=self.place(row + k, column)
                ) from None
        return np.array(numbers)


def open_table(path: Path) -> ColumnFile:
    """Open a CSV or Parquet file; only column names and length are read, no numbers.

    Raises:
        FormatError: there is no such file, or it contains no samples.
        MissingDependencyError: a Parquet file requires pyarrow.
    """
    try:
        if path.suffix.lower() in PARQUET:
            return _parquet_table(path)
        return _csv_table(path)
    except FileNotFoundError:
        raise FormatError("there is no such file", place=Place(str(path)), hint="check the path") from None
    except UnicodeDecodeError:
        raise FormatError(
            "this is not a text file in UTF-8",
            place=Place(str(path)),
            hint="save a CSV file as UTF-8 text, or give a Parquet file or ROS 2 bag; 'rosbags-convert' converts a bag "
            "of ROS 1",
        ) from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise FormatError(f"the compressed file is damaged: {error}", place=Place(str(path))) from None
    except OSError as error:
        raise FormatError(f"the file cannot be read: {reason(error)}", place=Place(str(path))) from None


def _is_compressed(path: Path) -> bool:
    return path.suffix.lower() == ".gz"


def _opened_text(path: Path) -> IO[str]:
    """Open a text file for reading; a file with the suffix .gz is decompressed."""
    if _is_compressed(path):
        return gzip.open(path, "rt", encoding="utf-8-sig", newline=None)
    return path.open(encoding="utf-8-sig", newline=None)


def _csv_table(path: Path) -> ColumnFile:
    with _opened_text(path) as stream:
        comments, comment = 0, ""
        while (head := stream.readline()).lstrip(" \t").startswith("#"):
            comments, comment = comments + 1, head
    names, delimiter = _cells(head)
    first = comments + 2  # number of the line below that of the names
    if all(map(_is_number, names)):
        above, _ = _cells(comment.lstrip(" \t#"))
        if len(above) == len(names) and not any(map(_is_number, above)):
            names, first = above, comments + 1
    place = Place(str(path), first - 1)
    if not any(names):
        raise FormatError("the first line with the names of the columns is missing", place=place)
    if all(map(_is_number, names)):
        raise FormatError(
            "the first line has numbers where the names of the columns are expected",
            place=place,
            hint="write a line such as t,q1,q2,tau1,tau2 above it",
        )
    _check_names(names, place)
    total, commented = _lines(path)
    samples = total - (first - 1) - sum(1 for line in commented if line >= first)
    if samples < 1:
        raise FormatError("the file has no samples", place=Place(str(path), first))
    return ColumnFile(path, tuple(names), samples, delimiter, first, tuple(commented[comments:]))


def _cells(line: str) -> tuple[list[str], str | None]:
    """Return the values in a line without quotation marks, and the separator; None for blanks."""
    delimiter = next((sign for sign in (",", ";", "\t") if sign in line), None)
    return [cell.strip().strip("\"'").strip() for cell in line.split(delimiter)], delimiter


def _check_names(names: Sequence[str], place: Place) -> None:
    twice = next((name for k, name in enumerate(names) if name in names[:k]), None)
    if twice is not None:
        raise FormatError(f"two columns have the name '{twice}'", place=place, hint="rename one of them")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _lines(path: Path) -> tuple[int, list[int]]:
    """Return the number of lines of a file up to the last nonempty one, and the line numbers of its comments."""
    total, lines, comments = 0, 0, []
    with gzip.open(path, "rb") if _is_compressed(path) else path.open("rb") as stream:
        while data := stream.read(1 << 20) + stream.readline():
            if not lines and data.startswith(b"\xef\xbb\xbf"):
                data = data[3:]
            if b"#" in data:
                comments += [lines + data.count(b"\n", 0, at.start()) + 1 for at in COMMENT.finditer(data)]
            body = data.rstrip(b"\r\n \t")
            if body:
                total = lines + body.count(b"\n") + 1
            lines += data.count(b"\n")
    return total, comments


def _damaged_parquet(path: Path, error: Exception) -> FormatError:
    """Return the error about a file that is not a Parquet file, or a damaged one."""
    first = str(error).split("\n")[0][:100]
    return FormatError(f"this is not a Parquet file, or it is damaged: {first}", place=Place(str(path)))


def _parquet_table(path: Path) -> ColumnFile:
    parquet: Any = needed("pyarrow.parquet", "reading Parquet files")
    arrow: Any = needed("pyarrow", "reading Parquet files")
    try:
        file = parquet.ParquetFile(path)
    except arrow.ArrowException as error:
        raise _damaged_parquet(path, error) from None
    names = file.schema_arrow.names
    _check_names(names, Place(str(path)))
    if not file.metadata.num_rows:
        raise FormatError("the file has no samples", place=Place(str(path)))
    return ColumnFile(path, tuple(names), file.metadata.num_rows, None, None)
