"""Every scalar equation that moving transforms across the chain gives, from both ends (Paul 1981).

    (I1 .. Ia)^-1  U0  (Ib+1 .. IN)^-1  =  Ia+1 .. Ib          for all 0 <= a <= b <= N, twelve entries each

What an entry depends on is found with numbers; the algebra is done only for the entries that are asked for. Equations
that differ by sign alone are kept once, in the form that moves the fewest joints.
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
    """An entry of the equation with `left` items moved from the left and those after `right` from the right."""

    left: int
    right: int
    row: int
    column: int


@dataclass(frozen=True)
class Equation:
    """A scalar equation polynomial = 0, and the unknowns in it."""

    place: MatrixEntry
    unknowns: frozenset[Unknown]

    @property
    def degree(self) -> int:
        """1 where it compares lengths, 0 where it compares sines and cosines."""
        return int(self.place.column == POSITION)


class Equations:
    """The equations of a chain whose target has some entries given."""

    def __init__(self, chain: Chain, probes: Probes, given: Sequence[Sequence[bool]]) -> None:
        self.chain = chain
        self.probes = probes
        self.given = given
        self._built: dict[MatrixEntry, Polynomial] = {}
        self.all = tuple(_Dependences(chain, probes, given).equations())

    def polynomial(self, equation: Equation) -> Polynomial:
        """Moved side less the other side."""
        place = equation.place
        if place not in self._built:
            self._built[place] = self._moved(place) - self._rest(place)
        return self._built[place]

    def isolates(self, equation: Equation) -> bool:
        """Whether a single joint, or run of joints, stays on its side: its sine and cosine stand alone there."""
        stay = self.chain.items[equation.place.left : equation.place.right]
        return sum(not isinstance(item, Fixed) for item in stay) == 1

    def _moved(self, place: MatrixEntry) -> Polynomial:
        items = self.chain.items
        row = [Polynomial.of(int(k == place.row)) for k in range(4)]
        for item in reversed(items[: place.left]):
            row = times(row, backward(item, SYMBOLIC))
        column = [Polynomial.of(int(k == place.column)) for k in range(4)]
        for item in items[place.right :]:
            column = applied(backward(item, SYMBOLIC), column)
        total = row[3] * column[3]
        for r in range(3):
            for c in range(4):
                total = total + row[r] * column[c] * Polynomial.of(self.chain.target[r][c])
        return total

    def _rest(self, place: MatrixEntry) -> Polynomial:
        row = [Polynomial.of(int(k == place.row)) for k in range(4)]
        for item in self.chain.items[place.left : place.right]:
            row = times(row, forward(item, SYMBOLIC))
        return Polynomial.of(row[place.column])


class _Dependences:
    """Finds the dependences: all entries at random points, then again with one unknown at a time changed."""

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
        for place in sorted(self._places(), key=self._weight):
            at = (place.left, place.right, place.row, place.column)
            unknowns = frozenset(u for u in depends if depends[u][at])
            if not unknowns or hidden[at]:
                continue
            values = first[at]
            signature = tuple(round(float(v) * (1 if values[0] >= 0 else -1), 9) for v in values)
            if signature not in seen:
                seen.add(signature)
                yield Equation(place, unknowns)

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
        """The target; where it is free, a random placement that has nothing to do with the joints."""
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
        """The target with other values in the entries that are not given."""
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
        """Moved side less the other side, lengths divided by the size: [left, right, row, column, point]."""
        numpy = self.numpy
        algebra = Algebra(lambda symbol: self.numbers[symbol.lit], self._lift)
        items = self.chain.items
        n = len(items)
        there = [self._matrix(forward(item, algebra)) for item in items]
        back = [self._matrix(backward(item, algebra)) for item in items]
        from_left, from_right = [target], [numpy.broadcast_to(numpy.eye(4), (POINTS, 4, 4))]
        for item in back:
            from_left.append(item @ from_left[-1])
        for item in reversed(back):
            from_right.append(from_right[-1] @ item)
        entries = numpy.zeros((n + 1, n + 1, 3, 4, POINTS))
        for a in range(n + 1):
            rest = numpy.broadcast_to(numpy.eye(4), (POINTS, 4, 4))
            for b in range(a, n + 1):
                if b > a:
                    rest = rest @ there[b - 1]
                difference = from_left[a] @ from_right[n - b] - rest
                difference[:, :, POSITION] /= self.probes.length
                entries[a, b] = numpy.moveaxis(difference[:, :3, :], 0, -1)
        return entries

    def _places(self) -> Iterator[MatrixEntry]:
        n = len(self.chain.items)
        for a in range(n + 1):
            for b in range(a, n + 1):
                for row in range(3):
                    for column in range(4):
                        yield MatrixEntry(a, b, row, column)

    def _weight(self, place: MatrixEntry) -> int:
        """About how many terms an entry has: each joint that is moved, or stays, makes two or three of one."""
        moving = [not isinstance(item, Fixed) for item in self.chain.items]
        moved = sum(moving[: place.left]) + sum(moving[place.right :])
        return int(3**moved) + int(3 ** sum(moving[place.left : place.right]))
