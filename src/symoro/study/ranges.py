"""Ranges of a sweep: grids and samples of named quantities, and the values of any block of rows.

    grid      low:high:count      equally spaced values, both ends included
              a, b, c             the listed values
    sample    low:high            `count` points in the box of all sampled quantities

Grids and samples combine as a product. The last grid varies fastest, the sample slowest, so that row r contains

    point r // G of the sample,    entry r % G of the grid in C order,    G = product of the numbers of grid values

The values of a block of rows depend only on its position, so that blocks can be computed in any order and anywhere.
Random samples are drawn by PCG64, which can be advanced to any point in constant time; Sobol' and Halton sequences are
those of SciPy, scrambled with the seed (A. B. Owen, "A randomized Halton algorithm in R", arXiv:1706.02808, 2017).
"""

from __future__ import annotations

import math
import threading
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ExpressionError, OptionError
from symoro.expr.formula import formula

Array = NDArray[np.float64]
SAMPLINGS = ("random", "sobol", "halton")
MAX_ROWS = 10**9  # rows of a sweep without the option max_rows; nine columns of doubles then need 72 GB
SOBOL_BITS = (
    32  # binary digits of a Sobol' point: 2^32 points; SciPy cannot advance sequences with more digits
)
_GRID = "write NAME=LOW:HIGH:COUNT, for example q2=-90:90:181, or a list of values, for example q2=0,30,90"
_LAST = (
    threading.local()
)  # sequence of the last block of this thread: advancing it is faster than starting anew
_SAMPLE = "write NAME=LOW:HIGH, for example M2=0.5:3"


@dataclass(frozen=True)
class Grid:
    """Values of one quantity, in the unit in which they are given.

    Attributes:
        low, high, count: ends and number of equally spaced values.
        listed: explicit values, which replace the equally spaced ones.
    """

    name: str
    low: float
    high: float
    count: int
    listed: tuple[float, ...] = ()

    def values(self, index: NDArray[np.intp]) -> Array:
        """Return the values with the given indices; they do not depend on the other indices."""
        if self.listed:
            return np.array(self.listed)[index]
        step = (self.high - self.low) / max(self.count - 1, 1)
        return np.where(index == self.count - 1, self.high, self.low + index * step)


@dataclass(frozen=True)
class Interval:
    """Interval from which one quantity is sampled, in the unit in which it is given."""

    name: str
    low: float
    high: float


@dataclass(frozen=True)
class Rows:
    """Rows of a sweep: a product of grids and of one sample.

    Attributes:
        grids: the grids; the last one varies fastest.
        intervals: box of the sample; empty if nothing is sampled.
        count: number of points of the sample; 1 if nothing is sampled.
        sampling: 'random', 'sobol' or 'halton'.
        seed: seed of the sample.
    """

    grids: tuple[Grid, ...]
    intervals: tuple[Interval, ...]
    count: int
    sampling: str = "random"
    seed: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the swept quantities, in the order of the columns."""
        return (*(grid.name for grid in self.grids), *(one.name for one in self.intervals))

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Number of values of each grid."""
        return tuple(grid.count for grid in self.grids)

    @cached_property
    def total(self) -> int:
        """Number of rows."""
        return self.count * math.prod(self.shape)

    def block(self, first: int, end: int) -> dict[str, Array]:
        """Return the values of the rows first .. end - 1 by name."""
        of_grid = math.prod(self.shape)
        rows = np.arange(first, end)
        columns: dict[str, Array] = {}
        indices = np.unravel_index(rows % of_grid, self.shape) if self.grids else ()
        for grid, index in zip(self.grids, indices, strict=True):
            columns[grid.name] = grid.values(index)
        if self.intervals:
            start, stop = first // of_grid, (end - 1) // of_grid + 1
            points = self._points(start, stop)[rows // of_grid - start]
            for k, one in enumerate(self.intervals):
                columns[one.name] = one.low + (one.high - one.low) * points[:, k]
        return columns

    def _points(self, first: int, end: int) -> Array:
        """Return the points first .. end - 1 of the sample in the unit cube."""
        width = len(self.intervals)
        if self.sampling == "random":
            bits = np.random.PCG64(self.seed)
            bits.advance(first * width)
            return np.random.Generator(bits).random((end - first, width))
        return _sequence(self.sampling, width, self.seed, first, end)


def _sequence(sampling: str, width: int, seed: int, first: int, end: int) -> Array:
    """Return points of a scrambled low-discrepancy sequence.

    Args:
        sampling: 'sobol' or 'halton'.
        width: number of coordinates.
        seed: seed of the scrambling.
        first, end: number of the first point, and of the last point plus one.
    """
    from scipy.stats import qmc

    key = (sampling, width, seed)
    sequence = getattr(_LAST, "sequence", None)
    if getattr(_LAST, "key", None) != key or sequence is None or sequence.num_generated > first:
        generator = np.random.default_rng(seed)
        if sampling == "halton":
            sequence = qmc.Halton(width, scramble=True, seed=generator)
        else:
            sequence = qmc.Sobol(width, scramble=True, bits=SOBOL_BITS, seed=generator)
        _LAST.key, _LAST.sequence = key, sequence
    if sampling == "halton":
        sequence.num_generated = first  # each point is a function of its number
    elif first > sequence.num_generated:
        sequence.fast_forward(first - sequence.num_generated)
    with warnings.catch_warnings():  # any count is allowed; a power of two is only better balanced
        warnings.simplefilter("ignore", UserWarning)
        points: Array = sequence.random(end - first)
    return points


def planned_rows(
    over: Mapping[str, Any] | None,
    sample: Mapping[str, Any] | None,
    count: int | None,
    *,
    sampling: str = "random",
    seed: int = 0,
    max_rows: int | None = None,
    entries: Mapping[str, Sequence[str]] | None = None,
) -> Rows:
    """Return the rows of a sweep after checking the ranges.

    Args:
        over: grids by name: (low, high, count), a list of values, or one of these as text.
        sample: intervals by name: (low, high), or the same as text.
        count: number of points of the sample.
        sampling: 'random', 'sobol' or 'halton'.
        seed: seed of the sample.
        max_rows: largest number of rows; by default 10^9.
        entries: names of the entries of each array; the range of an array applies to each of its entries.

    Raises:
        OptionError: a range is empty or not finite, a name is given twice, or there are too many rows.
    """
    arrays = entries or {}
    grids = [
        replace(grid, name=entry)
        for name, given in (over or {}).items()
        for grid in [_grid(name, given)]
        for entry in arrays.get(name, (name,))
    ]
    intervals = [
        Interval(entry, *limits)
        for name, given in (sample or {}).items()
        for limits in [_interval(name, given)]
        for entry in arrays.get(name, (name,))
    ]
    names = [*(one.name for one in grids), *(one.name for one in intervals)]
    if twice := next((name for k, name in enumerate(names) if name in names[:k]), None):
        raise OptionError(f"'{twice}' is swept twice", hint="give one range per name")
    if not names:
        raise OptionError(
            "there is nothing to sweep: a grid or a sample is missing",
            hint="give a grid such as q2=-90:90:181 or a sample such as M2=0.5:3",
        )
    if sampling not in SAMPLINGS:
        raise OptionError(
            f"sampling: '{sampling}' is not known", hint=f"choose one of {', '.join(SAMPLINGS)}"
        )
    rows = Rows(tuple(grids), tuple(intervals), _count(count, bool(intervals)), sampling, _seed(seed))
    allowed = MAX_ROWS if max_rows is None else max_rows
    if rows.total > allowed:
        raise OptionError(
            f"the sweep has {rows.total:,} rows, more than {allowed:,}",
            hint="use fewer values, or allow the number of rows with the option 'max_rows'",
        )
    return rows


def _count(count: int | None, sampled: bool) -> int:
    if not sampled:
        if count is not None:
            raise OptionError(
                "count: the number of samples is given, but nothing is sampled",
                hint="add a sample such as M2=0.5:3",
            )
        return 1
    if count is None:
        raise OptionError("the number of samples is missing", hint="give count, for example 1000")
    return positive_whole("count", count)


def positive_whole(name: str, value: Any) -> int:
    """Return the value of an option that is a positive whole number.

    Raises:
        OptionError: it is something else.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise OptionError(f"{name}: expected a positive whole number, got {value!r}")
    return int(value)


def _seed(seed: Any) -> int:
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise OptionError(f"seed: expected a whole number that is not negative, got {seed!r}")
    return int(seed)


def _grid(name: str, given: Any) -> Grid:
    """Return a grid from (low, high, count), a list of values, or a text."""
    if isinstance(given, str) and ":" in given:
        given = tuple(given.split(":"))
    if isinstance(given, tuple):
        if len(given) != 3:
            raise OptionError(f"the range of '{name}' is not a grid of LOW:HIGH:COUNT", hint=_GRID)
        return _spaced(name, *(number(name, one) for one in given))
    listed = given.split(",") if isinstance(given, str) else np.ravel(np.asarray(given, dtype=object))
    values = tuple(number(name, one) for one in listed)
    if not values:
        raise OptionError(f"the list of values of '{name}' is empty", hint=_GRID)
    return Grid(name, values[0], values[-1], len(values), values)


def _spaced(name: str, low: float, high: float, count: float) -> Grid:
    if count != int(count) or count < 1:
        raise OptionError(
            f"the number of values of '{name}' is {count:g}, expected a positive whole number", hint=_GRID
        )
    if (low == high) != (count == 1):
        raise OptionError(
            f"the range of '{name}' is empty: {count:g} values from {low:g} to {high:g}",
            hint="a range of one point has one value; other ranges have at least two",
        )
    return Grid(name, low, high, int(count))


def _interval(name: str, given: Any) -> tuple[float, float]:
    """Return the ends of an interval from (low, high) or a text."""
    parts = given.split(":") if isinstance(given, str) else list(given)
    if len(parts) != 2:
        raise OptionError(f"the range of '{name}' is not an interval: {given}", hint=_SAMPLE)
    low, high = (number(name, part) for part in parts)
    if not low < high:
        raise OptionError(f"the range of '{name}' is empty: from {low:g} to {high:g}", hint=_SAMPLE)
    return low, high


def number(name: str, given: Any) -> float:
    """Return a finite number from a number or an expression without symbols, such as -pi/2.

    Args:
        name: name of the quantity, for errors.
        given: number or text.

    Raises:
        OptionError: it is not a finite number.
    """
    try:
        value = formula(given.strip()).number if isinstance(given, str) else float(given)
    except ExpressionError as error:
        raise OptionError(f"value of '{name}': {error.text()}") from None
    except (TypeError, ValueError, OverflowError):
        value = None
    if value is None or not math.isfinite(value):
        raise OptionError(f"value of '{name}': expected a finite number, got '{given}'")
    return value
