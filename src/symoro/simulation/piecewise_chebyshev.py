"""Quantities over time in panels: intervals on each of which a polynomial tells them, found by halving.

On a panel every quantity is known at the nine points of Chebyshev, t = mid - half cos(k pi/8). The panel is resolved
when the polynomial through every second point meets the points between, and the integral of each velocity
(acceleration) is what its position (velocity) changes by: a spike between the points shows in the position. Else it is
halved.

    integral by the weights of Clenshaw and Curtis,     extremes and crossings on the polynomial of degree eight

The points of a panel lie inside it by a billionth of its length, so that at a jump both sides are told. Where Coulomb
friction makes a torque jump, at a velocity that changes its sign, the panel is parted there.

L.N. Trefethen, "Approximation theory and approximation practice", SIAM, 2013, chapters 5, 19."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

QuantityKey = tuple[str, int]
"""What a quantity is (position, velocity, ...), and of which joint."""
Evaluate = Callable[[int, Array], Array]
"""Number of a part and moments from its beginning -> rows of all quantities."""

POINTS = 9
INSIDE = 1e-9
MET = 1e-5  # of a quantity's largest amount in a part, that the points between may be off
NOISE = 1e-7  # of the largest amount of its kind: less is round-off
CHANGED = 1e-7  # of a position or velocity, that an integral may be off
TURN = 1.0  # rad: in a panel no joint moves farther
NARROW = 1e-9  # of a piece: a panel is not halved further
JUMP = 1e-6  # of a panel: how close to a change of sign it is parted
MOST = 3000  # panels besides four times those to begin with
DENSE = 33
ROUND_OFF = 1e-13
ALIKE = 1e-8  # of a value: the first of several that are so close is the largest
MOTION = ("position", "velocity", "acceleration")


def _lagrange(x: Array) -> Array:
    """The polynomials of the points, at places of (-1, 1): (len(x), POINTS)."""
    weights = (-1.0) ** np.arange(POINTS)
    weights[[0, -1]] /= 2
    away = x[:, None] - _CHEBYSHEV
    hit = away == 0
    terms = weights / np.where(hit, 1.0, away)
    rows = terms / terms.sum(axis=1, keepdims=True)
    return np.asarray(np.where(hit.any(axis=1, keepdims=True), hit.astype(float), rows))


def _linear(x: Array) -> Array:
    """Lines from point to point instead."""
    return np.stack([np.interp(x, _CHEBYSHEV, row) for row in np.eye(POINTS)], axis=1)


def _between() -> Array:
    """From every second point to the others."""
    even, odd = _CHEBYSHEV[::2], _CHEBYSHEV[1::2]
    return np.linalg.solve(np.vander(even, increasing=True).T, np.vander(odd, len(even), increasing=True).T).T


def _weights() -> Array:
    """Clenshaw and Curtis on (-1, 1), exact for degree eight."""
    powers = np.arange(POINTS)
    moments = (1 + (-1.0) ** powers) / (powers + 1)
    return np.asarray(np.linalg.solve(np.vander(_CHEBYSHEV, increasing=True).T, moments))


_CHEBYSHEV = -np.cos(np.pi * np.arange(POINTS) / (POINTS - 1))
_BETWEEN, _WEIGHTS = _between(), _weights()
_PLACES = np.linspace(-1.0, 1.0, DENSE)


@dataclass(frozen=True, eq=False)
class Panels:
    """Quantities over a time, in panels that follow each other.

    Attributes:
        begins, ends: (P,), seconds.
        values: (P, POINTS, C), of the quantities `keys`.
        smooth: (P,), False where a polynomial does not tell: at a jump, or where halving was given up.
        open: (P,), where it was given up.
        cut: whether it was given up because there were too many panels.
    """

    keys: tuple[QuantityKey, ...]
    begins: Array
    ends: Array
    values: Array
    smooth: NDArray[np.bool_]
    open: NDArray[np.bool_]
    cut: bool

    @cached_property
    def _at(self) -> dict[QuantityKey, int]:
        return {key: k for k, key in enumerate(self.keys)}

    def integral(self, key: QuantityKey, power: int = 1) -> float:
        """Over the whole time."""
        rows = self.values[:, :, self._at[key]] ** power
        return float(((self.ends - self.begins) / 2) @ (rows @ _WEIGHTS))

    def _curve(self, key: QuantityKey, panel: int, places: Array) -> Array:
        form = _lagrange if self.smooth[panel] else _linear
        return np.asarray(form(places) @ self.values[panel, :, self._at[key]])

    def _dense(self, key: QuantityKey) -> Array:
        rows = self.values[:, :, self._at[key]]
        return np.where(self.smooth[:, None], rows @ _lagrange(_PLACES).T, rows @ _linear(_PLACES).T)

    def _time(self, panel: int, place: float) -> float:
        half = (self.ends[panel] - self.begins[panel]) / 2
        return float(self.begins[panel] + half * (1 + place))

    def extreme(self, key: QuantityKey, sign: int) -> tuple[float, float]:
        """The largest (sign 1) or smallest (-1) value, and when."""
        rows = sign * self._dense(key)
        most = rows.max()
        panel, at = divmod(int(np.flatnonzero(rows >= most - ALIKE * abs(most))[0]), DENSE)
        best, place, reach = float(rows[panel, at]), float(_PLACES[at]), 2.0 / (DENSE - 1)
        for _ in range(8):
            near = np.clip(place + reach * np.linspace(-1, 1, 17), -1, 1)
            found = sign * self._curve(key, panel, near)
            if found.max() > best + ROUND_OFF * abs(best):
                best, place = float(found.max()), float(near[found.argmax()])
            reach /= 8
        return sign * best, self._time(panel, place)

    def first_beyond(self, key: QuantityKey, sign: int, limit: float) -> float:
        """When the quantity is beyond a limit for the first time; it is beyond it somewhere."""
        rows = sign * (self._dense(key) - limit)
        beyond = np.flatnonzero(rows.ravel() > 0)
        if not len(beyond):  # by less than lies between two places
            return self.extreme(key, sign)[1]
        panel, at = divmod(int(beyond[0]), DENSE)
        if at == 0:
            return self._time(panel, -1.0)
        low, high = _PLACES[at - 1], _PLACES[at]
        for _ in range(50):
            middle = (low + high) / 2
            if sign * (self._curve(key, panel, np.array([middle]))[0] - limit) > 0:
                high = middle
            else:
                low = middle
        return self._time(panel, high)

    def grows(self, key: QuantityKey) -> float | None:
        """When a quantity is largest where halving was given up, and larger than all that is resolved."""
        if not self.open.any():
            return None
        most = np.abs(self.values[:, :, self._at[key]]).max(axis=1)
        known = most[~self.open].max(initial=0.0)
        panel = int(np.where(self.open, most, 0.0).argmax())
        return None if most[panel] <= known * 1.001 else self._time(panel, 0.0)


@dataclass(frozen=True)
class Piece:
    """A time of a part in which its motion is smooth; from `begin` of the part on."""

    part: int
    begin: float
    start: float
    end: float


@dataclass(frozen=True)
class _Open:
    """A panel that is not resolved yet."""

    piece: Piece
    a: float
    b: float
    jump: bool = False

    @property
    def narrow(self) -> bool:
        return self.jump or self.b - self.a <= NARROW * (self.piece.end - self.piece.start)


def resolved(
    evaluate: Evaluate, pieces: Sequence[Piece], keys: Sequence[QuantityKey], turning: Sequence[int]
) -> Panels:
    """Panels of quantities over pieces of time that follow each other.

    Arguments:
        turning: joints whose position is an angle.
    """
    judge = _Judge(tuple(keys), turning, 1 + max(piece.part for piece in pieces))
    waiting = [
        _Open(piece, a, b)
        for piece in pieces
        for a, b in ((piece.start, _middle(piece)), (_middle(piece), piece.end))
    ]
    most = MOST + 4 * len(waiting)
    kept: list[tuple[_Open, Array, bool, bool]] = []
    cut = False
    while waiting:
        values = _evaluated(evaluate, waiting, len(keys))
        bad = judge(waiting, values)
        full = len(kept) + 2 * len(waiting) > most
        cut = cut or (full and bool(bad.any()))
        later: list[_Open] = []
        for panel, rows, wrong in zip(waiting, values, bad, strict=True):
            if not wrong.any() or panel.narrow or full:
                given_up = bool(wrong.any()) and not panel.jump
                kept.append((panel, rows, not wrong.any(), given_up))
            else:
                later += _parted(panel, rows, wrong, judge)
        waiting = later
    return _joined(tuple(keys), kept, cut)


def _middle(piece: Piece) -> float:
    return (piece.start + piece.end) / 2


def _evaluated(evaluate: Evaluate, panels: list[_Open], count: int) -> Array:
    """(P, POINTS, C)."""
    values = np.empty((len(panels), POINTS, count))
    for part in dict.fromkeys(panel.piece.part for panel in panels):
        rows = [k for k, panel in enumerate(panels) if panel.piece.part == part]
        a, b = (np.array([getattr(panels[k], end) for k in rows]) for end in ("a", "b"))
        times = ((a + b) / 2)[:, None] + ((b - a) / 2 * (1 - INSIDE))[:, None] * _CHEBYSHEV
        values[rows] = evaluate(part, times.ravel()).reshape(len(rows), POINTS, count)
    return values


class _Judge:
    """Which quantities of which panels are not told by their polynomials."""

    def __init__(self, keys: tuple[QuantityKey, ...], turning: Sequence[int], parts: int) -> None:
        at = {key: k for k, key in enumerate(keys)}
        self.kinds = [np.array([k for k, key in enumerate(keys) if key[0] == what]) for what in _kinds(keys)]
        self.motion = np.array([key[0] in MOTION for key in keys])
        self.rates = [k for k, key in enumerate(keys) if key[0] == "velocity"]
        self.pairs = [
            (at[what, j], k)
            for lower, what in (("position", "velocity"), ("velocity", "acceleration"))
            for (other, j), k in at.items()
            if other == lower and (what, j) in at
        ]
        self.angles = [k for (what, j), k in at.items() if what == "position" and j in turning]
        self.largest = np.zeros((parts, len(keys)))  # of each part, so that a spike of one hides no other

    def __call__(self, panels: list[_Open], values: Array) -> NDArray[np.bool_]:
        parts = np.array([panel.piece.part for panel in panels])
        np.maximum.at(self.largest, parts, np.abs(values).max(axis=1))
        size = self.largest.copy()
        for kind in self.kinds:
            most = size[:, kind].max(axis=1, keepdims=True)
            size[:, kind] = np.maximum(size[:, kind], np.maximum(most, NOISE * most.max()) * NOISE / MET)
        size = size[parts]
        miss = np.abs(np.einsum("ij,pjc->pic", _BETWEEN, values[:, ::2]) - values[:, 1::2]).max(axis=1)
        bad = miss > MET * size
        half = np.array([(panel.b - panel.a) / 2 for panel in panels])
        for rate, lower in self.pairs:
            told = half * (values[:, :, rate] @ _WEIGHTS)
            changed = values[:, -1, lower] - values[:, 0, lower]
            bad[:, rate] |= np.abs(changed - told) > CHANGED * np.maximum(1.0, size[:, lower])
        for k in self.angles:
            bad[:, k] |= np.abs(np.diff(values[:, :, k], axis=1)).sum(axis=1) > TURN
        return np.asarray(bad)


def _kinds(keys: tuple[QuantityKey, ...]) -> list[str]:
    return list(dict.fromkeys(what for what, _ in keys))


def _parted(panel: _Open, rows: Array, wrong: NDArray[np.bool_], judge: _Judge) -> list[_Open]:
    """Two halves; or what is before and after a change of sign, where forces alone are not resolved."""
    a, b, piece = panel.a, panel.b, panel.piece
    if not wrong[judge.motion].any():
        root = _sign_change(rows[:, judge.rates])
        if root is not None:
            at, near = (a + b) / 2 + (b - a) / 2 * root, JUMP * (b - a)
            low, high = max(a, at - near), min(b, at + near)
            ends = [(a, low, False), (low, high, True), (high, b, False)]
            return [_Open(piece, start, end, jump) for start, end, jump in ends if end - start > near / 2]
    middle = (a + b) / 2
    return [_Open(piece, a, middle), _Open(piece, middle, b)]


def _sign_change(rates: Array) -> float | None:
    """The first place of (-1, 1) at which one of the polynomials changes its sign."""
    rows = _lagrange(_PLACES) @ rates
    changes = np.argwhere(rows[:-1] * rows[1:] < 0)
    if not len(changes):
        return None
    at, column = (int(x) for x in changes[0])
    low, high, side = _PLACES[at], _PLACES[at + 1], rows[at, column]
    for _ in range(50):
        middle = (low + high) / 2
        if (_lagrange(np.array([middle])) @ rates[:, column])[0] * side > 0:
            low = middle
        else:
            high = middle
    return float(middle)


def _joined(keys: tuple[QuantityKey, ...], kept: list[tuple[_Open, Array, bool, bool]], cut: bool) -> Panels:
    kept.sort(key=lambda item: (item[0].piece.begin, item[0].piece.part, item[0].a))
    begins, ends = (
        np.array([panel.piece.begin + getattr(panel, end) for panel, *_ in kept]) for end in ("a", "b")
    )
    values, smooth, given_up = ([item[k] for item in kept] for k in (1, 2, 3))
    return Panels(keys, begins, ends, np.array(values), np.array(smooth), np.array(given_up), cut)
