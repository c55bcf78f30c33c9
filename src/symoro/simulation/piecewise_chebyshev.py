"""Quantities as piecewise Chebyshev interpolants of time, on subintervals (panels) determined by bisection.

On a panel every quantity is evaluated at the nine points t = mid - half cos(k pi/8), k = 0 ... 8, where mid is the
centre of the panel and half its half length. The panel is resolved if two conditions are satisfied; otherwise it is
halved. First, the polynomial through every second point agrees with the values at the points between. Second, the
integral of each velocity (acceleration) equals the change of its position (velocity); this detects a spike between the
points.

    integrals by Clenshaw-Curtis quadrature,     extrema and crossings from the roots of the interpolant

The points of a panel are inside it by a billionth of its length, so that both sides of a jump are evaluated. If Coulomb
friction makes a torque jump, at a velocity that changes its sign, the panel is divided there.

L.N. Trefethen, "Approximation theory and approximation practice", SIAM, 2013, chapters 5, 18 and 19.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from symoro.simulation.tolerances import (
    EQUAL_PEAKS,
    INSIDE,
    INTEGRAL,
    INTERPOLATION,
    NARROWEST,
    QUANTITY_NOISE,
    REFINED,
    SIGN_CHANGE,
)

Array = NDArray[np.float64]
QuantityKey = tuple[str, int]
"""Kind of a quantity (position, velocity, ...), and number of the joint."""
Evaluate = Callable[[int, Array], Array]
"""Function of the number of a part and times from its start that returns rows of all quantities."""

POINTS = 9
MOST_TURN = 1.0  # rad; largest motion of a revolute joint in a panel
MOST = 3000  # largest number of panels, in addition to four times the initial number
DENSE = 33  # points per panel at which the interpolant is evaluated
MOTION = ("position", "velocity", "acceleration")
_CHEBYSHEV = -np.cos(np.pi * np.arange(POINTS) / (POINTS - 1))
_COEFFICIENTS = np.linalg.inv(chebyshev.chebvander(_CHEBYSHEV, POINTS - 1))
_HALF = np.linalg.inv(chebyshev.chebvander(_CHEBYSHEV[::2], POINTS // 2))
_BETWEEN = (
    chebyshev.chebvander(_CHEBYSHEV[1::2], POINTS // 2) @ _HALF
)  # interpolation from every second point to the others
_WEIGHTS = chebyshev.chebval(1.0, chebyshev.chebint(np.eye(POINTS), lbnd=-1)) @ _COEFFICIENTS
_PLACES = np.linspace(-1.0, 1.0, DENSE)
_SMOOTH = chebyshev.chebvander(_PLACES, POINTS - 1) @ _COEFFICIENTS
_LINES = np.stack([np.interp(_PLACES, _CHEBYSHEV, row) for row in np.eye(POINTS)], axis=1)


@dataclass(frozen=True, eq=False)
class PiecewiseChebyshev:
    """Quantities over a time interval, as Chebyshev interpolants on P consecutive subintervals (panels).

    Attributes:
        keys: the C quantities, as kind and joint.
        begins, ends: (P,), start and end time of each panel in seconds.
        values: (P, POINTS, C), values of the quantities at the Chebyshev points.
        smooth: (P,), False where the polynomial is not valid: at a jump, or where bisection stopped early.
        open: (P,), True where bisection stopped early.
        cut: whether bisection stopped because there were too many panels.
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
        """Return the time integral of a quantity raised to a power, over the whole motion.

        Args:
            key: kind and joint of the quantity.
            power: exponent.
        """
        rows = self.values[:, :, self._at[key]] ** power
        return float(((self.ends - self.begins) / 2) @ (rows @ _WEIGHTS))

    def _dense(self, key: QuantityKey) -> Array:
        rows = self.values[:, :, self._at[key]]
        return np.where(self.smooth[:, None], rows @ _SMOOTH.T, rows @ _LINES.T)

    def _time(self, panel: int, place: float) -> float:
        half = (self.ends[panel] - self.begins[panel]) / 2
        return float(self.begins[panel] + half * (1 + place))

    def extreme(self, key: QuantityKey, sign: int) -> tuple[float, float]:
        """Return the largest (sign 1) or smallest (sign -1) value of a quantity, and its time in seconds.

        Args:
            key: kind and joint of the quantity.
        """
        rows = sign * self._dense(key)
        most = rows.max()
        panel, at = divmod(int(np.flatnonzero(rows >= most - EQUAL_PEAKS * abs(most))[0]), DENSE)
        best, place = float(rows[panel, at]), float(_PLACES[at])
        if self.smooth[panel]:
            curve = _COEFFICIENTS @ self.values[panel, :, self._at[key]]
            near = _roots(np.asarray(chebyshev.chebder(curve), dtype=float))
            values = sign * chebyshev.chebval(near, curve)
            if values.max(initial=-np.inf) > best + REFINED * abs(best):
                best, place = float(values.max()), float(near[values.argmax()])
        return sign * best, self._time(panel, place)

    def first_beyond(self, key: QuantityKey, sign: int, limit: float) -> float:
        """Return the first time in seconds at which a quantity is above (sign 1) or below (sign -1) a limit.

        The quantity must exceed the limit at some time; this is not checked.

        Args:
            key: kind and joint of the quantity.
        """
        rows = sign * (self._dense(key) - limit)
        beyond = np.flatnonzero(rows.ravel() > 0)
        if not len(beyond):  # the limit is exceeded only between the dense points
            return self.extreme(key, sign)[1]
        panel, at = divmod(int(beyond[0]), DENSE)
        if at == 0:
            return self._time(panel, -1.0)
        low, high = float(_PLACES[at - 1]), float(_PLACES[at])
        if self.smooth[panel]:
            curve = _COEFFICIENTS @ self.values[panel, :, self._at[key]]
            curve[0] -= limit
            roots = _roots(curve)
            roots = roots[(roots >= low) & (roots <= high)]
            if len(roots):
                return self._time(panel, float(roots[0]))
        share = -rows[panel, at - 1] / (rows[panel, at] - rows[panel, at - 1])
        return self._time(panel, low + share * (high - low))

    def grows(self, key: QuantityKey) -> float | None:
        """Return the time near which the peak of a quantity is not determined accurately; None if the peak is accurate.

        The peak is inaccurate if it is in a subinterval where bisection stopped early; the true value may be larger.

        Args:
            key: kind and joint of the quantity.
        """
        if not self.open.any():
            return None
        most = np.abs(self.values[:, :, self._at[key]]).max(axis=1)
        known = most[~self.open].max(initial=0.0)
        panel = int(np.where(self.open, most, 0.0).argmax())
        return None if most[panel] <= known * 1.001 else self._time(panel, 0.0)


def _roots(curve: Array) -> Array:
    """Return the real roots in [-1, 1] of a Chebyshev series, given by its coefficients, in ascending order."""
    roots = chebyshev.chebroots(chebyshev.chebtrim(curve, REFINED * np.abs(curve).max(initial=0.0)))
    real = np.sort(roots.real[np.abs(roots.imag) < 1e-6])
    return np.asarray(real[np.abs(real) <= 1.0])


@dataclass(frozen=True)
class Piece:
    """Time interval in which the motion of one part of a trajectory is smooth.

    `start` and `end` are in seconds from the beginning of the part, `begin` is the time at which the part begins.
    """

    part: int
    begin: float
    start: float
    end: float


@dataclass(frozen=True)
class _Open:
    """Subinterval [a, b] of a smooth time interval whose polynomials have not been tested yet."""

    piece: Piece
    a: float
    b: float
    jump: bool = False

    @property
    def narrow(self) -> bool:
        return self.jump or self.b - self.a <= NARROWEST * (self.piece.end - self.piece.start)


def resolved(
    evaluate: Evaluate, pieces: Sequence[Piece], keys: Sequence[QuantityKey], turning: Sequence[int]
) -> PiecewiseChebyshev:
    """Return Chebyshev interpolants of quantities over consecutive time intervals.

    Args:
        evaluate: function of a part number and times that returns the quantities, one row per time.
        pieces: the time intervals in which the motion is smooth.
        keys: the quantities, as kind and joint.
        turning: joints whose position is an angle.
    """
    check = _Resolution(tuple(keys), turning, 1 + max(piece.part for piece in pieces))
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
        bad = check(waiting, values)
        full = len(kept) + 2 * len(waiting) > most
        cut = cut or (full and bool(bad.any()))
        later: list[_Open] = []
        for panel, rows, wrong in zip(waiting, values, bad, strict=True):
            if not wrong.any() or panel.narrow or full:
                given_up = bool(wrong.any()) and not panel.jump
                kept.append((panel, rows, not wrong.any(), given_up))
            else:
                later += _divided(panel, rows, wrong, check)
        waiting = later
    return _joined(tuple(keys), kept, cut)


def _middle(piece: Piece) -> float:
    return (piece.start + piece.end) / 2


def _evaluated(evaluate: Evaluate, panels: list[_Open], count: int) -> Array:
    """Return the values of `count` quantities at the Chebyshev points of P time intervals, (P, POINTS, count).

    Args:
        evaluate: function of a part number and times that returns the quantities, one row per time.
        panels: the P time intervals.
    """
    values = np.empty((len(panels), POINTS, count))
    for part in dict.fromkeys(panel.piece.part for panel in panels):
        rows = [k for k, panel in enumerate(panels) if panel.piece.part == part]
        a, b = (np.array([getattr(panels[k], end) for k in rows]) for end in ("a", "b"))
        times = ((a + b) / 2)[:, None] + ((b - a) / 2 * (1 - INSIDE))[:, None] * _CHEBYSHEV
        values[rows] = evaluate(part, times.ravel()).reshape(len(rows), POINTS, count)
    return values


class _Resolution:
    """Test that determines the quantities which the polynomials on a time interval do not represent accurately."""

    def __init__(self, keys: tuple[QuantityKey, ...], turning: Sequence[int], parts: int) -> None:
        at = {key: k for k, key in enumerate(keys)}
        kinds = dict.fromkeys(what for what, _ in keys)
        self.kinds = [np.array([k for k, key in enumerate(keys) if key[0] == what]) for what in kinds]
        self.motion = np.array([key[0] in MOTION for key in keys])
        self.rates = [k for k, key in enumerate(keys) if key[0] == "velocity"]
        self.pairs = [
            (at[what, j], k)
            for lower, what in (("position", "velocity"), ("velocity", "acceleration"))
            for (other, j), k in at.items()
            if other == lower and (what, j) in at
        ]
        self.angles = [k for (what, j), k in at.items() if what == "position" and j in turning]
        self.largest = np.zeros(
            (parts, len(keys))
        )  # per part, so that a spike in one part does not hide another

    def __call__(self, panels: list[_Open], values: Array) -> NDArray[np.bool_]:
        parts = np.array([panel.piece.part for panel in panels])
        np.maximum.at(self.largest, parts, np.abs(values).max(axis=1))
        size = self.largest.copy()
        for kind in self.kinds:
            most = size[:, kind].max(axis=1, keepdims=True)
            noise = np.maximum(most, QUANTITY_NOISE * most.max()) * QUANTITY_NOISE
            size[:, kind] = np.maximum(size[:, kind], noise / INTERPOLATION)
        size = size[parts]
        miss = np.abs(np.einsum("ij,pjc->pic", _BETWEEN, values[:, ::2]) - values[:, 1::2]).max(axis=1)
        bad = miss > INTERPOLATION * size
        half = np.array([(panel.b - panel.a) / 2 for panel in panels])
        for rate, lower in self.pairs:
            integral = half * (values[:, :, rate] @ _WEIGHTS)
            changed = values[:, -1, lower] - values[:, 0, lower]
            bad[:, rate] |= np.abs(changed - integral) > INTEGRAL * np.maximum(1.0, size[:, lower])
        for k in self.angles:
            bad[:, k] |= np.abs(np.diff(values[:, :, k], axis=1)).sum(axis=1) > MOST_TURN
        return np.asarray(bad)


def _divided(panel: _Open, rows: Array, wrong: NDArray[np.bool_], check: _Resolution) -> list[_Open]:
    """Divide a time interval into two.

    It is divided at its centre or, if only efforts and powers are not resolved, where a velocity changes its sign.

    Args:
        panel: the time interval.
        rows: values of the quantities at its Chebyshev points.
        wrong: mask of the quantities that the polynomials do not represent accurately.
        check: the test that determined `wrong`.
    """
    a, b, piece = panel.a, panel.b, panel.piece
    if not wrong[check.motion].any():
        root = _sign_change(rows[:, check.rates])
        if root is not None:
            at, near = (a + b) / 2 + (b - a) / 2 * root, SIGN_CHANGE * (b - a)
            low, high = max(a, at - near), min(b, at + near)
            ends = [(a, low, False), (low, high, True), (high, b, False)]
            return [_Open(piece, start, end, jump) for start, end, jump in ends if end - start > near / 2]
    middle = (a + b) / 2
    return [_Open(piece, a, middle), _Open(piece, middle, b)]


def _sign_change(rates: Array) -> float | None:
    """Return the first point in (-1, 1) at which a velocity changes its sign; None if no velocity does.

    Args:
        rates: velocities at the Chebyshev points, one column per joint.
    """
    rows = _SMOOTH @ rates
    changes = np.argwhere(rows[:-1] * rows[1:] < 0)
    if not len(changes):
        return None
    at, column = (int(x) for x in changes[0])
    roots = _roots(_COEFFICIENTS @ rates[:, column])
    roots = roots[(roots >= _PLACES[at]) & (roots <= _PLACES[at + 1])]
    return float(roots[0]) if len(roots) else float((_PLACES[at] + _PLACES[at + 1]) / 2)


def _joined(
    keys: tuple[QuantityKey, ...], kept: list[tuple[_Open, Array, bool, bool]], cut: bool
) -> PiecewiseChebyshev:
    kept.sort(key=lambda item: (item[0].piece.begin, item[0].piece.part, item[0].a))
    begins, ends = (
        np.array([panel.piece.begin + getattr(panel, end) for panel, *_ in kept]) for end in ("a", "b")
    )
    values, smooth, given_up = ([item[k] for item in kept] for k in (1, 2, 3))
    return PiecewiseChebyshev(keys, begins, ends, np.array(values), np.array(smooth), np.array(given_up), cut)
