"""Rows of the equations along logs, and their R factors by an incremental QR decomposition.

    [A y] = Q R,      ||A K - y|| = ||R_A K - r|| for every K

R has as many rows as columns for any number of samples, and is sufficient for least squares. A new block is appended by
the decomposition of [R; block]. Two R factors of different data (pieces, logs, machines) are joined by the
decomposition of one above the other. The result does not depend on the order except for round-off. Rows of one equation
do not contain the columns of links before its joint: its R factor has the columns of its support only.

Rows are kept in memory if they are few, and computed again otherwise.

G.H. Golub, C.F. Van Loan, "Matrix computations", section 5.2; J. Demmel et al., "Communication-optimal parallel and
sequential QR and LU factorizations", SIAM J. Sci. Comput. 34, 2012 (tall and skinny).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from symoro.identification.equations import Booleans, RowBlock, RowModel
from symoro.identification.log import Log, log_with
from symoro.identification.signals import Preparation, planned

# -- compress


Array = NDArray[np.float64]
LogPart = tuple[int, bool]
"""Index of the third of the log, and whether the rows are kept."""
THIRDS = 3
AT_ONCE = 320  # rows per factorisation


@dataclass(frozen=True, eq=False)
class RFactors:
    """R factors (QR decomposition) of the regression rows of all equations.

    Attributes:
        factors: per equation the R factor of [A y], over the columns of its support and y.
        counts: number of rows of each equation.
        support: (e, P), False where A is zero for every motion.
        share: fraction of the rows that counts as independent; less than 1 if a filter correlates neighbouring
            rows.
    """

    factors: tuple[Array, ...]
    counts: tuple[int, ...]
    support: Booleans
    share: float = 1.0

    @property
    def rows(self) -> int:
        return sum(self.counts)

    @property
    def independent(self) -> float:
        """Equivalent number of independent rows: their number times the fraction `share`."""
        return self.share * self.rows

    def wide(self, k: int, scale: float = 1.0) -> Array:
        """Return the R factor of equation k over all columns of [A y], multiplied by `scale`."""
        columns = np.append(self.support[k], True)
        wide = np.zeros((len(self.factors[k]), len(columns)))
        wide[:, columns] = self.factors[k] * scale
        return wide

    def together(self, weights: Iterable[float]) -> Array:
        """Return the R factor of the rows of all equations.

        Args:
            weights: factor by which the rows of each equation are multiplied, one per equation.
        """
        parts = [self.wide(k, weight) for k, weight in enumerate(weights)]
        return r_factor(np.vstack(parts))

    def residuals(self, K: Array) -> Array:
        """Return the residual norm ||A K - y|| of each equation for the parameters K."""
        return np.array(
            [float(np.linalg.norm(self.wide(k) @ np.append(K, -1.0))) for k in range(len(self.factors))]
        )

    def norms(self) -> Array:
        """Return the norm ||y|| of the measurements of each equation."""
        return np.array([float(np.linalg.norm(factor[:, -1])) for factor in self.factors])


def r_factor(rows: Array) -> Array:
    """Return the square factor R of the QR decomposition of a matrix, padded with zero rows if it has too few rows."""
    factor = np.asarray(np.linalg.qr(rows, mode="r"))
    missing = rows.shape[1] - len(factor)
    return np.vstack([factor, np.zeros((missing, rows.shape[1]))]) if missing > 0 else factor


def empty(support: Booleans, share: float = 1.0) -> RFactors:
    """Return R factors of zero rows, to which rows can be appended.

    Args:
        support: (equations, columns), False where the regressor is zero for every motion.
        share: fraction of the rows that counts as independent.
    """
    sizes = [int(row.sum()) + 1 for row in support]
    return RFactors(tuple(np.zeros((n, n)) for n in sizes), (0,) * len(sizes), support, share)


def joined(first: RFactors, second: RFactors) -> RFactors:
    """Return the R factors of the rows of two data sets together."""
    pairs = zip(first.factors, second.factors, strict=True)
    factors = tuple(r_factor(np.vstack(pair)) for pair in pairs)
    counts = tuple(a + b for a, b in zip(first.counts, second.counts, strict=True))
    return RFactors(factors, counts, first.support, first.share)


def absorbed(before: RFactors, block: RowBlock, rows: Booleans) -> RFactors:
    """Return R factors to which rows of a block are appended.

    Args:
        before: R factors without these rows.
        block: regression rows of N samples.
        rows: mask (N, e) of the rows to append.
    """
    factors, counts = [], []
    for k, factor in enumerate(before.factors):
        chosen, columns = rows[:, k], np.flatnonzero(before.support[k])
        count = int(chosen.sum())
        if count:
            every = count == len(chosen)
            A, y = (block.A[:, k], block.y[:, k]) if every else (block.A[chosen, k], block.y[chosen, k])
            factor = _appended(factor, A, y, columns)
        factors.append(factor)
        counts.append(before.counts[k] + count)
    return RFactors(tuple(factors), tuple(counts), before.support, before.share)


def _appended(factor: Array, A: Array, y: Array, columns: NDArray[np.intp]) -> Array:
    """Return an R factor to which the rows [A y] are appended.

    Few rows are appended at a time: rows that fit into the processor's cache are factored faster.

    Args:
        factor: the R factor without these rows.
        A: regressor rows, with all P columns.
        y: measurements.
        columns: indices of the columns of A that the factor contains.
    """
    n = len(columns)
    whole = n and columns[-1] - columns[0] + 1 == n
    chosen: slice | NDArray[np.intp] = slice(columns[0], columns[-1] + 1) if whole else columns
    for start in range(0, len(y), AT_ONCE):
        part = A[start : start + AT_ONCE]
        new = np.empty((n + 1 + len(part), n + 1))
        new[: n + 1] = factor
        new[n + 1 :, :-1] = part[:, chosen]
        new[n + 1 :, -1] = y[start : start + AT_ONCE]
        factor = r_factor(new)
    return factor


def compressed(
    blocks: Iterable[RowBlock], support: Booleans, length: float, share: float = 1.0
) -> dict[LogPart, RFactors]:
    """Return the R factors of the regression rows of a log.

    Args:
        blocks: the rows, in time order.
        support: (equations, columns), False where the regressor is zero for every motion.
        length: duration of the log in seconds.
        share: fraction of the rows that counts as independent.

    Returns:
        The R factors by part of the log: (third of the log 0, 1 or 2; whether the fit uses the rows).
    """
    factors: dict[LogPart, RFactors] = {}
    for block in blocks:
        third = np.minimum((THIRDS * block.time / length).astype(int), THIRDS - 1)
        for part in range(third[0], third[-1] + 1):
            here = (third == part)[:, None]
            for kept in (True, False):
                rows = here & (block.kept if kept else ~block.kept)
                if rows.any():
                    before = factors[part, kept] if (part, kept) in factors else empty(support, share)
                    factors[part, kept] = absorbed(before, block, rows)
    return factors


def merged(parts: Mapping[LogPart, RFactors], support: Booleans, wanted: Iterable[LogPart]) -> RFactors:
    """Return the R factors of the rows of several parts of a log together.

    Args:
        parts: R factors by part of the log: (third of the log 0, 1 or 2; whether the fit uses the rows).
        support: (equations, columns), False where the regressor is zero for every motion.
        wanted: the parts to join.
    """
    share = next((part.share for part in parts.values()), 1.0)
    return reduce(joined, (parts[part] for part in wanted if part in parts), empty(support, share))


# -- rows


HELD_BYTES = 100_000_000  # bytes
FIELDS = ("time", "A", "y", "direction", "kept")


class LogRows:
    """Regression rows of several logs; they are computed when needed and kept in memory if they are few."""

    def __init__(self, model: RowModel, logs: Sequence[Log], preparation: Preparation) -> None:
        self.model, self.logs, self.preparation = model, tuple(logs), preparation
        self._held: dict[int, list[RowBlock]] = {}

    def of(self, number: int) -> Iterator[RowBlock]:
        """Yield the blocks of regression rows of the log with index `number`."""
        if number in self._held:
            yield from self._held[number]
            return
        room = HELD_BYTES - sum(block.A.nbytes for blocks in self._held.values() for block in blocks)
        blocks: list[RowBlock] = []
        for block in self.model.blocks(self.logs[number], self.preparation):
            room -= block.A.nbytes
            if room > 0:
                blocks.append(block)
            else:
                blocks.clear()
            yield block
        if room > 0:
            self._held[number] = blocks

    def __call__(self) -> Iterator[RowBlock]:
        for number in range(len(self.logs)):
            yield from self.of(number)


def whole(blocks: Sequence[RowBlock]) -> RowBlock:
    """Return consecutive blocks of regression rows as one block."""
    return RowBlock(*(np.concatenate([getattr(b, field) for b in blocks]) for field in FIELDS))


def steady(rows: RowBlock, beside: int) -> Booleans:
    """Return the mask of the used rows near which no joint reverses.

    Args:
        rows: the rows, in time order.
        beside: number of rows to each side in which no velocity of the joint may change its sign.
    """
    signs = np.where(rows.kept, rows.direction, 0.0)
    kept = rows.kept.copy()
    for k in range(1, beside + 1):
        kept[k:] &= signs[k:] == signs[:-k]
        kept[:-k] &= signs[:-k] == signs[k:]
    return kept


def picked(rows: RowBlock, at: NDArray[np.intp]) -> RowBlock:
    """Return the regression rows of the samples with indices `at` only."""
    return RowBlock(*(getattr(rows, field)[at] for field in FIELDS))


# -- log_part


PART_SAMPLES = 4000
PART_ROWS = 100


def part_of(log: Log, model: RowModel, preparation: Preparation) -> Log:
    """Return a short part of a log, from its middle.

    For a robot whose closed loops must be followed from the first sample, the part is from the start of the log.
    """
    ends = planned(log, preparation).ends
    size = max(PART_SAMPLES, PART_ROWS * preparation.decimation) + 2 * ends
    followed = model.assembly is not None and not model.assembly[0].linear
    first = 0 if followed else max(0, log.samples - size) // 2
    first -= first % preparation.decimation
    return log_with(log, log.part(first, min(log.samples, first + size)))
