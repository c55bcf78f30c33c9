"""Draw line charts as SVG text, without further packages.

    chart = line_chart([Series("joint 1", t, tau1), Series("joint 2", t, tau2)], "Torques", "time [s]", "[N m]")
    stacked([chart_of_torques, chart_of_power])        several charts below each other, as one SVG

A value that is not finite leaves a gap in its line. Lines with more points than a screen can show are thinned: the
first, lowest, highest and last point of each narrow column remain, so that peaks remain visible.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import ArgumentError
from symoro.files import MADE_BY

Array = NDArray[np.float64]
Kind = Literal["line", "dashed", "points"]

# Colours of Okabe and Ito, distinguishable with colour vision deficiency; dashes distinguish repeated colours.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
WIDTH, HEIGHT = 760, 300
LEFT, RIGHT, TOP, BOTTOM = 78, 18, 40, 46
TICKS = 6
COLUMNS = 1000  # width of a column in pixels; narrower than a pixel of most screens
LEGEND_ROW = 18
_CHARACTER = 6.6  # mean width of a character of 12 px


@dataclass(frozen=True, eq=False)
class Series:
    """Line of a chart: name in the legend, points and style."""

    name: str
    x: ArrayLike
    y: ArrayLike
    kind: Kind = "line"


@dataclass(frozen=True)
class Level:
    """Horizontal line of a chart with a label, for example a limit."""

    name: str
    value: float


def line_chart(
    series: Sequence[Series],
    title: str = "",
    x_label: str = "",
    y_label: str = "",
    *,
    levels: Sequence[Level] = (),
    width: int = WIDTH,
    height: int = HEIGHT,
) -> str:
    """Return a chart with one or more lines as SVG text.

    Args:
        series: the lines.
        title, x_label, y_label: texts of the chart and its axes.
        levels: horizontal lines, drawn only inside the range of the series.
        width, height: size in pixels.

    Raises:
        ArgumentError: x and y of a series differ in length, or no series has a finite point.
    """
    points = [(one, *series_points(one)) for one in series]
    legend, rows = _legend([one.name for one in series], [one.kind for one in series], width)
    top = TOP + rows * LEGEND_ROW
    x_range = data_range([x for _, x, _ in points], flat=1.0)
    y_range = data_range([y for _, _, y in points], flat=1.0, margin=0.05)
    area = Area(x_range, y_range, LEFT, top, width - RIGHT, height - BOTTOM)
    body = [*axes(area, x_label, y_label), *_level_lines(area, levels)]
    for k, (one, x, y) in enumerate(points):
        body += _drawn(area, one.kind, x, y, *_style(k, one.kind))
    head = f'<text x="{LEFT}" y="22" class="title">{escaped(title)}</text>' if title else ""
    return svg_text(width, height, title, [head, *legend, *body])


def stacked(charts: Sequence[str]) -> str:
    """Return several charts (SVG texts) below each other as one SVG text."""
    sizes = [_size(chart) for chart in charts]
    width, height = max((w for w, _ in sizes), default=WIDTH), sum(h for _, h in sizes)
    body, y = [], 0
    for chart, (_, high) in zip(charts, sizes, strict=True):
        body.append(f'<g transform="translate(0 {y})">{_inner(chart)}</g>')
        y += high
    return svg_text(width, height, "", body)


@dataclass(frozen=True)
class Area:
    """Plot area of a chart, which maps the data ranges of x and y to pixels."""

    x: tuple[float, float]
    y: tuple[float, float]
    left: float
    top: float
    right: float
    bottom: float

    def px(self, x: Array | float) -> Array | float:
        return self.left + (x - self.x[0]) / (self.x[1] - self.x[0]) * (self.right - self.left)

    def py(self, y: Array | float) -> Array | float:
        return self.bottom - (y - self.y[0]) / (self.y[1] - self.y[0]) * (self.bottom - self.top)


def series_points(one: Series) -> tuple[Array, Array]:
    x, y = np.asarray(one.x, dtype=float), np.asarray(one.y, dtype=float)
    if x.ndim != 1 or x.shape != y.shape:
        raise ArgumentError(f"series '{one.name}': x of shape {x.shape}, y of shape {y.shape}, expected (N,)")
    return x, y


def data_range(arrays: Sequence[Array], *, flat: float, margin: float = 0.0) -> tuple[float, float]:
    """Return the smallest and largest finite value of several arrays, extended by a margin.

    Args:
        flat: relative extension to both sides if all values are equal.
        margin: extension to both sides, relative to the range.
    """
    known = [array[np.isfinite(array)] for array in arrays]
    known = [array for array in known if array.size]
    if not known:
        raise ArgumentError("no series has a finite point")
    low, high = min(float(a.min()) for a in known), max(float(a.max()) for a in known)
    if high - low <= 1e-9 * max(abs(low), abs(high)):  # do not magnify round-off
        half = flat * max(abs(low), abs(high)) or flat
        return low - half, high + half
    return low - margin * (high - low), high + margin * (high - low)


def ticks(low: float, high: float, wanted: int = TICKS) -> list[float]:
    """Return about `wanted` round tick values between low and high: multiples of 1, 2 or 5 times a power of ten."""
    rough = (high - low) / wanted
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [k * step for k in range(first, last + 1)]


def tick_texts(values: Sequence[float]) -> list[str]:
    """Return tick labels with the smallest number of digits for which neighbouring labels differ."""
    near = 1e-3 * abs(values[1] - values[0]) if len(values) > 1 else math.inf
    for digits in range(1, 16):
        # 100 rather than 1e+02: powers of ten only for numbers with more than six digits before or four after the point
        texts = [f"{float(f'{value:.{digits}g}'):g}" for value in values]
        if all(abs(float(text) - value) <= near for text, value in zip(texts, values, strict=True)):
            break
    return texts


def axes(area: Area, x_label: str, y_label: str) -> list[str]:
    made = []
    xs, ys = ticks(*area.x), ticks(*area.y)
    for value, text in zip(xs, tick_texts(xs), strict=True):
        x = area.px(value)
        made.append(f'<path class="grid" d="M{x:.1f} {area.top:.1f}V{area.bottom:.1f}"/>')
        made.append(f'<text x="{x:.1f}" y="{area.bottom + 16:.1f}" class="middle">{text}</text>')
    for value, text in zip(ys, tick_texts(ys), strict=True):
        y = area.py(value)
        made.append(f'<path class="grid" d="M{area.left:.1f} {y:.1f}H{area.right:.1f}"/>')
        made.append(f'<text x="{area.left - 6:.1f}" y="{y + 4:.1f}" class="end">{text}</text>')
    made.append(
        f'<path class="axis" d="M{area.left:.1f} {area.top:.1f}V{area.bottom:.1f}H{area.right:.1f}"/>'
    )
    middle_x, middle_y = (area.left + area.right) / 2, (area.top + area.bottom) / 2
    if x_label:
        made.append(
            f'<text x="{middle_x:.1f}" y="{area.bottom + 36:.1f}" class="middle">{escaped(x_label)}</text>'
        )
    if y_label:
        place = f'transform="translate(16 {middle_y:.1f}) rotate(-90)"'
        made.append(f'<text {place} class="middle">{escaped(y_label)}</text>')
    return made


def _level_lines(area: Area, levels: Sequence[Level]) -> list[str]:
    made = []
    for level in levels:
        if area.y[0] <= level.value <= area.y[1]:
            y = area.py(level.value)
            made.append(f'<path class="level" d="M{area.left:.1f} {y:.1f}H{area.right:.1f}"/>')
            made.append(
                f'<text x="{area.right - 4:.1f}" y="{y - 4:.1f}" class="end">{escaped(level.name)}</text>'
            )
    return made


def _style(k: int, kind: Kind) -> tuple[str, str]:
    """Return the colour and the dash pattern (SVG) of the line with index k in a chart.

    Args:
        kind: 'dashed' for a dashed line; other lines are dashed only when their colour is used again.
    """
    again = k // len(COLOURS)
    dash = "5 4" if kind == "dashed" else "" if not again else f"{2 + 4 * again} 3"
    return COLOURS[k % len(COLOURS)], dash


def _drawn(area: Area, kind: Kind, x: Array, y: Array, colour: str, dash: str) -> list[str]:
    x, y = _thinned(x, y, area.x)
    px, py = np.asarray(area.px(x)), np.asarray(area.py(y))
    good = np.isfinite(px) & np.isfinite(py)
    if kind == "points":
        places = zip(px[good], py[good], strict=True)
        return [f'<circle cx="{a:.2f}" cy="{b:.2f}" r="1.6" fill="{colour}"/>' for a, b in places]
    words, pen_down = [], False
    for a, b, there in zip(px, py, good, strict=True):
        if there:
            words.append(f"{'L' if pen_down else 'M'}{a:.2f} {b:.2f}")
        pen_down = bool(there)
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return [f'<path class="line" stroke="{colour}"{dashes} d="{"".join(words)}"/>'] if words else []


def _thinned(x: Array, y: Array, span: tuple[float, float]) -> tuple[Array, Array]:
    """Reduce the points of a line to the first, lowest, highest and last point of each narrow column.

    Args:
        span: range of x that is displayed.
    """
    if len(x) <= 4 * COLUMNS or not np.isfinite(x).all() or (np.diff(x) < 0).any():
        return x, y
    column = np.floor((x - span[0]) / (span[1] - span[0]) * COLUMNS)
    starts = np.flatnonzero(np.diff(column, prepend=column[0] - 1))
    kept: set[int] = set()
    for first, end in zip(starts, [*starts[1:], len(x)], strict=True):
        part = y[first:end]
        holes = first + np.flatnonzero(~np.isfinite(part))
        kept |= {int(first), int(end - 1), *map(int, holes[:1])}
        if len(holes) < len(part):
            kept |= {int(first + np.nanargmin(part)), int(first + np.nanargmax(part))}
    order = sorted(kept)
    return x[order], y[order]


def _legend(names: Sequence[str], kinds: Sequence[Kind], width: int) -> tuple[list[str], int]:
    """Return the SVG elements of a chart's legend and its number of rows.

    There are no elements and no rows if no line has a name.

    Args:
        names, kinds: name and style of each line.
        width: width of the chart in pixels.
    """
    made, x, row = [], float(LEFT), 0
    shown = [(k, name) for k, name in enumerate(names) if name]
    for k, name in shown:
        wide = 30 + _CHARACTER * len(name) + 14
        if x + wide > width - RIGHT and x > LEFT:
            x, row = float(LEFT), row + 1
        y = 30 + row * LEGEND_ROW + 6
        colour, dash = _style(k, kinds[k])
        if kinds[k] == "points":
            made.append(f'<circle cx="{x + 11:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>')
        else:
            dashes = f' stroke-dasharray="{dash}"' if dash else ""
            made.append(f'<path class="line" stroke="{colour}"{dashes} d="M{x:.1f} {y:.1f}h22"/>')
        made.append(f'<text x="{x + 28:.1f}" y="{y + 4:.1f}">{escaped(name)}</text>')
        x += wide
    return made, row + 1 if shown else 0


_CSS = (
    "text{font:12px system-ui,sans-serif;fill:#222}.title{font-size:15px;font-weight:600}"
    ".middle{text-anchor:middle}.end{text-anchor:end}.grid{stroke:#ddd;stroke-width:1}"
    ".axis{stroke:#444;fill:none}.line{fill:none;stroke-width:1.6;stroke-linejoin:round}"
    ".level{stroke:#b00020;stroke-dasharray:2 3}"
)


def svg_text(width: int, height: int, title: str, body: Sequence[str]) -> str:
    name = f"<title>{escaped(title)}</title>" if title else ""
    lines = "\n".join(part for part in body if part)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img">\n<!-- {MADE_BY} -->\n{name}<style>{_CSS}</style>\n'
        f'<rect width="{width}" height="{height}" fill="#fff"/>\n{lines}\n</svg>\n'
    )


def _size(chart: str) -> tuple[int, int]:
    match = re.search(r'viewBox="0 0 (\d+) (\d+)"', chart)
    if match is None:
        raise ArgumentError("expected the SVG text of a chart made by line_chart")
    return int(match[1]), int(match[2])


def _inner(chart: str) -> str:
    """Return the elements of a chart (SVG text) without the enclosing svg element, comment and style."""
    return chart.partition("</style>\n")[2].rpartition("\n</svg>")[0]


def escaped(text: str) -> str:
    """Escape a text for XML and replace characters that XML does not allow."""
    clean = "".join(sign if sign.isprintable() else " " for sign in text)
    for sign, written in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        clean = clean.replace(sign, written)
    return clean
