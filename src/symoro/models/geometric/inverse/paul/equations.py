"""All scalar equations that result from moving transforms of the chain to the other side (Paul 1981).

    (I1 .. Ia)^-1  U0  (Ib+1 .. IN)^-1  =  Ia+1 .. Ib          for all 0 <= a <= b <= N, twelve entries each

I1 to IN are the factors of the chain. Which unknowns an equation contains is determined numerically; its symbolic
expression is formed only when it is used. If several equations are equal up to the sign, only the one that moves the
fewest joints is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from symoro.expr.scalar import Expr, Scalar
from symoro.models.geometric.inverse.chain.chain import Chain, Fixed, Unknown
from symoro.models.geometric.inverse.chain.placement import Algebra, applied, backward, forward, times
from symoro.models.geometric.inverse.chain.probes import Probes
from symoro.models.geometric.inverse.paul.polynomial import Polynomial
from symoro.models.tolerances import ZERO_AT_PROBES

SYMBOLIC = Algebra(Polynomial.variable, Polynomial.of)
POSITION = 3  # the column of lengths
POINTS = 3  # random points at which two equations are compared


@dataclass(frozen=True)
class MatrixEntry:
    """Entry of a matrix equation in which factors of the chain are moved to the other side.

    The factors before index `left` are moved from the left end of the chain, those from index `right` on are moved from
    its right end, and those between them remain.

    Attributes:
        left: number of factors that are moved from the left end.
        right: number of factors that precede those moved from the right end.
        row, column: position of the entry in the matrix, from 0.
    """

    left: int
    right: int
    row: int
    column: int


@dataclass(frozen=True)
class Equation:
    """Scalar equation of inverse geometry, polynomial = 0.

    Attributes:
        entry: entry of the matrix equation from which this equation follows.
        unknowns: unknowns in this equation.
    """

    entry: MatrixEntry
    unknowns: frozenset[Unknown]

    @property
    def degree(self) -> int:
        """Dimension of the equation: 1 if it compares lengths, 0 if it compares sines and cosines."""
        return int(self.entry.column == POSITION)


class Equations:
    """All scalar equations of a chain that contain only given entries of the pose.

    Attributes:
        chain: equation of inverse geometry.
        probes: random samples to test identities.
        given: for each entry of the upper three rows of the pose, whether it is given.
        all: the equations, from the shortest to the longest (estimated).
    """

    def __init__(self, chain: Chain, probes: Probes, given: Sequence[Sequence[bool]]) -> None:
        self.chain = chain
        self.probes = probes
        self.given = given
        self._built: dict[MatrixEntry, Polynomial] = {}
        self.all = tuple(_Dependences(chain, probes, given).equations())

    def polynomial(self, equation: Equation) -> Polynomial:
        """Return the polynomial of an equation polynomial = 0.

        It is the side with the moved factors of the chain minus the other side.
        """
        entry = equation.entry
        if entry not in self._built:
            self._built[entry] = self._moved(entry) - self._rest(entry)
        return self._built[entry]

    def isolates(self, equation: Equation) -> bool:
        """Return whether one side of the equation contains only one joint, or one run of parallel joints."""
        stay = self.chain.items[equation.entry.left : equation.entry.right]
        return sum(not isinstance(item, Fixed) for item in stay) == 1

    def _moved(self, entry: MatrixEntry) -> Polynomial:
        items = self.chain.items
        row = [Polynomial.of(int(k == entry.row)) for k in range(4)]
        for item in reversed(items[: entry.left]):
            row = times(row, backward(item, SYMBOLIC))
        column = [Polynomial.of(int(k == entry.column)) for k in range(4)]
        for item in items[entry.right :]:
            column = applied(backward(item, SYMBOLIC), column)
        total = row[3] * column[3]
        for r in range(3):
            for c in range(4):
                total = total + row[r] * column[c] * Polynomial.of(self.chain.target[r][c])
        return total

    def _rest(self, entry: MatrixEntry) -> Polynomial:
        row = [Polynomial.of(int(k == entry.row)) for k in range(4)]
        for item in self.chain.items[entry.left : entry.right]:
            row = times(row, forward(item, SYMBOLIC))
        return Polynomial.of(row[entry.column])


class _Dependences:
    """Numerical test of which unknowns each scalar equation contains.

    The equations are evaluated at random points, and one unknown is changed at a time.
    """

    def __init__(self, chain: Chain, probes: Probes, given: Sequence[Sequence[bool]]) -> None:
        import numpy

        self.numpy = numpy
        self.chain = chain
        self.probes = probes
        self.given = given
        self.numbers: dict[int, Any] = {}
        for unknown in chain.unknowns:
            self._draw(unknown)

    def equations(self) -> Iterator[Equation]:
        target = self._target()
        first = self._entries(target)
        depends: dict[Unknown, Any] = {}
        for unknown in self.chain.unknowns:
            kept = dict(self.numbers)
            self._draw(unknown)
            depends[unknown] = self._differs(self._entries(target), first)
            self.numbers = kept
        hidden = self._differs(self._entries(self._changed(target)), first)
        seen: set[tuple[float, ...]] = set()
        for entry in sorted(self._matrix_entries(), key=self._weight):
            at = (entry.left, entry.right, entry.row, entry.column)
            unknowns = frozenset(u for u in depends if depends[u][at])
            if not unknowns or hidden[at]:
                continue
            values = first[at]
            signature = tuple(round(float(v) * (1 if values[0] >= 0 else -1), 9) for v in values)
            if signature not in seen:
                seen.add(signature)
                yield Equation(entry, unknowns)

    def _draw(self, unknown: Unknown) -> None:
        values = self.probes.draw(-3, 3)[:POINTS]
        if unknown.turns:
            self.numbers[unknown.sine.lit] = self.numpy.sin(values)
            self.numbers[unknown.cosine.lit] = self.numpy.cos(values)
        else:
            self.numbers[unknown.length.lit] = self.probes.unit * values

    def _lift(self, x: Scalar) -> Any:
        return self.probes.of(x)[:POINTS] if isinstance(x, Expr) else float(x)

    def _target(self) -> Any:
        """Return the pose (points, 4, 4) at the random points.

        A symbolic pose is replaced by a random transform that is independent of the joints.
        """
        numpy = self.numpy
        target = numpy.zeros((POINTS, 4, 4))
        for r, row in enumerate(self.chain.target):
            for c, x in enumerate(row):
                target[:, r, c] = self._lift(x)
        if any(isinstance(x, Expr) and x.symbols() for row in self.chain.target for x in row):
            q, _ = numpy.linalg.qr(target[:, :3, :3] - 1)
            target[:, :3, :3] = q * numpy.sign(numpy.linalg.det(q))[:, None, None]
        return target

    def _changed(self, target: Any) -> Any:
        """Return a copy of the pose with other random values in the entries that are not given.

        Args:
            target: pose (points, 4, 4) at the random points.
        """
        changed = target.copy()
        for r, row in enumerate(self.given):
            for c, known in enumerate(row):
                if not known:
                    unit = self.probes.unit if c == POSITION else 1.0
                    changed[:, r, c] = unit * self.probes.draw()[:POINTS]
        return changed

    def _differs(self, values: Any, first: Any) -> Any:
        return (abs(values - first) > ZERO_AT_PROBES).any(axis=-1)

    def _matrix(self, placement: tuple[Any, Any]) -> Any:
        rotation, position = placement
        matrices = self.numpy.zeros((POINTS, 4, 4))
        matrices[:, 3, 3] = 1
        for r in range(3):
            for c in range(3):
                matrices[:, r, c] = rotation[r][c]
            matrices[:, r, 3] = position[r]
        return matrices

    def _entries(self, target: Any) -> Any:
        """Return the residuals of all scalar equations at the random points.

        A residual is the side with the moved factors minus the other side; lengths are divided by the chain's size.

        Args:
            target: pose (points, 4, 4) at the random points.

        Returns:
            Array with the axes (left, right, row, column, point); `left` and `right` are those of `MatrixEntry`.
        """
        numpy = self.numpy
        algebra = Algebra(lambda symbol: self.numbers[symbol.lit], self._lift)
        items = self.chain.items
        n = len(items)
        transforms = [self._matrix(forward(item, algebra)) for item in items]
        inverses = [self._matrix(backward(item, algebra)) for item in items]
        from_left, from_right = [target], [numpy.broadcast_to(numpy.eye(4), (POINTS, 4, 4))]
        for item in inverses:
            from_left.append(item @ from_left[-1])
        for item in reversed(inverses):
            from_right.append(from_right[-1] @ item)
        entries = numpy.zeros((n + 1, n + 1, 3, 4, POINTS))
        for a in range(n + 1):
            rest = numpy.broadcast_to(numpy.eye(4), (POINTS, 4, 4))
            for b in range(a, n + 1):
                if b > a:
                    rest = rest @ transforms[b - 1]
                difference = from_left[a] @ from_right[n - b] - rest
                difference[:, :, POSITION] /= self.probes.length
                entries[a, b] = numpy.moveaxis(difference[:, :3, :], 0, -1)
        return entries

    def _matrix_entries(self) -> Iterator[MatrixEntry]:
        n = len(self.chain.items)
        for a in range(n + 1):
            for b in range(a, n + 1):
                for row in range(3):
                    for column in range(4):
                        yield MatrixEntry(a, b, row, column)

    def _weight(self, entry: MatrixEntry) -> int:
        """Estimate the number of terms of the equation of a matrix entry, by which equations are sorted.

        Each joint on a side of the equation multiplies the number of terms of this side by three.
        """
        moving = [not isinstance(item, Fixed) for item in self.chain.items]
        moved = sum(moving[: entry.left]) + sum(moving[entry.right :])
        return int(3**moved) + int(3 ** sum(moving[entry.left : entry.right]))
