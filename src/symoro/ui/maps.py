"""Draw maps of sweeps as SVG text: heat maps of 2-D slices, coloured points, Pareto fronts.

A heat map is one picture (PNG inside the SVG) with a pixel per grid point, so that its size does not depend on the
number of drawn elements. Values that are not finite are grey. Clouds of more points than can be distinguished are
thinned to equally spaced rows.
"""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError
from symoro.study.sweep import Sweep
from symoro.ui.plot import (
    BOTTOM,
    HEIGHT,
    LEFT,
    TOP,
    WIDTH,
    Area,
    Series,
    axes,
    data_range,
    escaped,
    line_chart,
    stacked,
    svg_text,
    tick_texts,
    ticks,
)

Array = NDArray[np.float64]

# Viridis at nine equally spaced values (S. van der Walt, N. Smith, 2015): uniform in lightness, also in grey.
VIRIDIS = np.array(
    [
        (68, 1, 84),
        (71, 44, 122),
        (59, 81, 139),
        (44, 113, 142),
        (33, 144, 141),
        (39, 173, 129),
        (92, 200, 99),
        (170, 220, 50),
        (253, 231, 37),
    ],
    dtype=float,
)
NOT_FINITE = (200, 200, 200)
BAR, BAR_GAP = 14, 84  # pixels: width of the colour bar, and space at the right for it and its numbers
OUTLIERS = 10  # ratio of the whole range to that of 90 % of the values from which the rest are outliers
MAX_CHARTS = 6  # columns of a sweep that are drawn
MAX_POINTS = 5000  # points of a cloud; more overlap on a screen


def sweep_picture(sweep: Sweep) -> str:
    """Return maps of the outputs of a sweep as SVG text, one below the other.

    Two or more grids give heat maps over the first two, at the middle value of the others; one grid gives lines;
    samples give coloured points over the first two swept quantities. If the columns x, y, z are among the outputs, the
    points are drawn at x and z, or at x and y if z is constant.

    Raises:
        ArgumentError: no output has a finite value.
    """
    names = [one.name for one in sweep.outputs]
    cloud = {"x", "y", "z"} <= {*names}
    drawn = [name for name in names if not (cloud and name in ("x", "y", "z") and len(names) > 3)][
        :MAX_CHARTS
    ]
    grids = [grid for grid in sweep.rows.grids if grid.count > 1]
    finite = [name for name in drawn if np.isfinite(sweep.columns[name]).any()]
    if not finite:
        raise ArgumentError("the picture cannot be drawn: no column has a finite value")
    if cloud or sweep.rows.intervals:
        return stacked([_cloud(sweep, name, cloud) for name in finite])
    if len(grids) > 1:
        return stacked([_slice(sweep, name) for name in finite])
    (column,) = sweep.swept[:1]
    x = sweep.columns[column.name]
    return stacked(
        [
            line_chart([Series("", x, sweep.columns[n])], _title(sweep, n), _label(sweep, column.name), "")
            for n in finite
        ]
    )


def _label(sweep: Sweep, name: str) -> str:
    unit = sweep.units[name]
    return f"{name} [{unit}]" if unit else name


def _title(sweep: Sweep, name: str, suffix: str = "") -> str:
    return f"{_label(sweep, name)}: {sweep.robot.name}{suffix}"


def _slice(sweep: Sweep, name: str) -> str:
    """Return the heat map of a column over the first two grids, at the middle value of the others."""
    grids = sweep.rows.grids
    axes_drawn = [k for k, grid in enumerate(grids) if grid.count > 1][:2]
    place: list[int | slice] = [grid.count // 2 for grid in grids]
    for k in axes_drawn:
        place[k] = slice(None)
    values = sweep.columns[name].reshape(sweep.rows.shape)[tuple(place)]
    others = [
        f"{grid.name} = {grid.values(np.array(grid.count // 2)):g}"
        for k, grid in enumerate(grids)
        if k not in axes_drawn and grid.count > 1
    ]
    first, second = (grids[k] for k in axes_drawn)
    labels = (_label(sweep, first.name), _label(sweep, second.name))
    suffix = f" ({', '.join(others)})" if others else ""
    return heat_map(
        values, (first.low, first.high), (second.low, second.high), _title(sweep, name, suffix), labels
    )


def _cloud(sweep: Sweep, name: str, cloud: bool) -> str:
    columns = sweep.columns
    if cloud:
        flat = np.nanmax(columns["z"]) - np.nanmin(columns["z"]) <= 1e-9 * np.nanmax(np.abs(columns["x"]))
        horizontal, vertical = "x", "y" if flat else "z"
    elif len(sweep.swept) > 1:
        horizontal, vertical = (one.name for one in sweep.swept[:2])
    else:
        horizontal, vertical = sweep.swept[0].name, name
    return coloured_points(
        columns[horizontal],
        columns[vertical],
        columns[name],
        _title(sweep, name),
        (_label(sweep, horizontal), _label(sweep, vertical)),
        equal=cloud,
    )


def heat_map(
    values: Array, x: tuple[float, float], y: tuple[float, float], title: str, labels: tuple[str, str]
) -> str:
    """Return the heat map of a matrix as SVG text.

    Args:
        values: numbers (nx, ny); the first axis is horizontal.
        x, y: coordinates of the first and last row and column of the matrix.
        title: title of the map.
        labels: texts of the axes.
    """
    area = _area(_spread(x, values.shape[0]), _spread(y, values.shape[1]))
    low, high = colour_range(values)
    flipped = values.T[::-1]  # the first line of a picture is at the top
    flipped = flipped[:, ::-1] if x[0] > x[1] else flipped
    flipped = flipped[::-1] if y[0] > y[1] else flipped
    picture = base64.b64encode(_png(_colours(flipped, low, high))).decode()
    image = (
        f'<image x="{area.left}" y="{area.top}" width="{area.right - area.left}" height="{area.bottom - area.top}" '
        f'preserveAspectRatio="none" style="image-rendering:pixelated" href="data:image/png;base64,{picture}"/>'
    )
    return _chart(area, [image], low, high, title, labels)


def coloured_points(
    x: Array, y: Array, values: Array, title: str, labels: tuple[str, str], *, equal: bool = False
) -> str:
    """Return points whose colours are values, as SVG text; at most `MAX_POINTS` are drawn.

    Args:
        x, y, values: coordinates and values (N,).
        title: title of the map.
        labels: texts of the axes.
        equal: whether both axes have the same scale.
    """
    step = -(-len(x) // MAX_POINTS)
    x, y, values = x[::step], y[::step], values[::step]
    area = _area(data_range([x], flat=1.0, margin=0.03), data_range([y], flat=1.0, margin=0.03))
    if equal:
        area = _equal_scales(area)
    low, high = colour_range(values)
    good = np.isfinite(x) & np.isfinite(y)
    colours = _colours(values[good], low, high)
    px, py = np.asarray(area.px(x[good])), np.asarray(area.py(y[good]))
    circles = [
        f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2" fill="#{r:02x}{g:02x}{blue:02x}"/>'
        for a, b, (r, g, blue) in zip(px, py, colours, strict=True)
    ]
    return _chart(area, circles, low, high, title, labels)


def _spread(ends: tuple[float, float], count: int) -> tuple[float, float]:
    """Return the range of an axis, half a cell wider than the grid at both ends."""
    low, high = sorted(ends)
    half = (high - low) / max(count - 1, 1) / 2
    return low - half, high + half


def _equal_scales(area: Area) -> Area:
    """Return the area with one range extended to both sides, so that both axes have the same scale."""
    width, height = area.right - area.left, area.bottom - area.top
    scale = max((area.x[1] - area.x[0]) / width, (area.y[1] - area.y[0]) / height)
    ends = []
    for (low, high), pixels in ((area.x, width), (area.y, height)):
        middle, half = (low + high) / 2, scale * pixels / 2
        ends.append((middle - half, middle + half))
    return replace(area, x=ends[0], y=ends[1])


def colour_range(values: Array) -> tuple[float, float]:
    """Return the values of the first and last colour: the smallest and largest, without far outliers.

    If all values span more than `OUTLIERS` times the range that contains 90 % of them, only that range is resolved: the
    condition number is 1e17 in a singular posture and below 100 in most others.
    """
    low, high = data_range([values.ravel()], flat=1.0)
    inner = np.percentile(values[np.isfinite(values)], (5, 95))
    spread = float(inner[1] - inner[0])
    return (float(inner[0]), float(inner[1])) if 0 < OUTLIERS * spread < high - low else (low, high)


def _area(x: tuple[float, float], y: tuple[float, float]) -> Area:
    return Area(x, y, LEFT, TOP, WIDTH - BAR_GAP, HEIGHT + 60 - BOTTOM)


def _chart(
    area: Area, body: Sequence[str], low: float, high: float, title: str, labels: tuple[str, str]
) -> str:
    """Return a chart with axes, title and colour bar around its contents."""
    head = f'<text x="{LEFT}" y="22" class="title">{escaped(title)}</text>'
    inside = [head, *axes(area, *labels), *body, *_colour_bar(area, low, high)]
    return svg_text(WIDTH, HEIGHT + 60, title, inside)


def _colour_bar(area: Area, low: float, high: float) -> list[str]:
    left, height = area.right + 14, area.bottom - area.top
    ramp = _colours(np.linspace(high, low, 128)[:, None], low, high)
    picture = base64.b64encode(_png(ramp)).decode()
    made = [
        f'<image x="{left:.1f}" y="{area.top:.1f}" width="{BAR}" height="{height:.1f}" preserveAspectRatio="none" '
        f'href="data:image/png;base64,{picture}"/>'
    ]
    values = ticks(low, high)
    for value, text in zip(values, tick_texts(values), strict=True):
        y = area.bottom - (value - low) / (high - low) * height
        made.append(f'<text x="{left + BAR + 4:.1f}" y="{y + 4:.1f}">{text}</text>')
    return made


def _colours(values: Array, low: float, high: float) -> NDArray[np.uint8]:
    """Return the colours (..., 3) of values between low and high; others that are finite have the nearest colour."""
    share = np.clip((values - low) / (high - low), 0, 1)
    good = np.isfinite(share)
    at = np.where(good, share, 0.0) * (len(VIRIDIS) - 1)
    k = np.minimum(at.astype(int), len(VIRIDIS) - 2)
    rest = (at - k)[..., None]
    colours = VIRIDIS[k] * (1 - rest) + VIRIDIS[k + 1] * rest
    return np.where(good[..., None], np.round(colours), NOT_FINITE).astype(np.uint8)


def _png(colours: NDArray[np.uint8]) -> bytes:
    """Return a picture (height, width, 3) as PNG (ISO/IEC 15948): signature, header, compressed lines, end."""
    height, width, _ = colours.shape
    lines = np.concatenate([np.zeros((height, 1), np.uint8), colours.reshape(height, -1)], axis=1)

    def part(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = (part(b"IHDR", header), part(b"IDAT", zlib.compress(lines.tobytes(), 6)), part(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)
