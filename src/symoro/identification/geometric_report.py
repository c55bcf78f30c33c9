"""A calibration for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from symoro.models.calibration.chain import displacement
from symoro.models.calibration.columns import BASE, DISPLACEMENT, END
from symoro.models.numeric.rotation import logarithm

if TYPE_CHECKING:
    from symoro.identification.geometric import Calibration

CLOSE = 0.95  # correlations above this are told


def text(found: Calibration) -> str:
    """Parameters with their deviations, misses before and after."""
    lines = [
        f"{found.robot.name}: {len(found.names)} geometric parameters from {found.count} measurements of the "
        f"{found.parameters.measure}",
        f"misses before {_sizes(found.before)}, after {_sizes(found.after)}; condition {found.condition:.3g}",
        "",
        f"{'parameter':>10}  {'error':>13}  {'deviation':>11}  {'error/deviation':>15}  stands for",
    ]
    for name, error, deviation in zip(found.names, found.errors, found.deviations, strict=True):
        others = found.parameters.relations.get(name, {})
        words = " ".join(
            f"{'' if c.text.startswith('-') else '+'}{c.text}*{other}" for other, c in others.items()
        )
        lines.append(
            f"{name:>10}  {error:>13.6g}  {deviation:>11.3g}  {abs(error) / deviation:>15.1f}  {words}".rstrip()
        )
    close = np.argwhere(np.triu(np.abs(found.correlations) > CLOSE, 1))
    if len(close):
        pairs = [f"{found.names[i]}, {found.names[j]} ({found.correlations[i, j]:.3f})" for i, j in close[:8]]
        lines += ["", f"strongly correlated: {'; '.join(pairs)}"]
    if (stands := base_place(found)) is not None:
        lines += [
            "",
            f"frame 0 stands at {_numbers(stands[0])} m, turned by {_numbers(stands[1])} rad, far from where it is "
            "described: errors, and misses before, are those of the robot standing there",
        ]
    if (tool := found.marker) is not None:
        place, turn = marker_place(found)
        lines += [
            "",
            f"the marker stands on frame {tool.place.ant} at {_numbers(place)} m, turned by {_numbers(turn)} rad; "
            "the robot's tool is left as it is",
        ]
    if found.doubts:
        lines += ["", *(f"doubtful: {doubt}" for doubt in found.doubts)]
    return "\n".join(lines)


def base_place(found: Calibration) -> tuple[list[float], list[float]] | None:
    """Position and rotation vector of frame 0 in the world, its errors taken out; None where it is as described."""
    if found.base is None:
        return None
    errors = dict(zip(found.names, map(float, found.errors), strict=True))
    moved = displacement(np.array([errors.get(kind + BASE, 0.0) for kind in DISPLACEMENT]))
    base = found.base @ moved
    return [float(x) for x in base[:3, 3]], [float(x) for x in logarithm(base[:3, :3])]


def marker_place(found: Calibration) -> tuple[list[float], list[float]]:
    """Position and rotation vector of the marker in the frame that was measured."""
    errors = dict(zip(found.names, map(float, found.errors), strict=True))
    values = [errors.get(kind + END, 0.0) for kind in DISPLACEMENT]
    return values[:3], values[3:]


def _numbers(values: Sequence[float]) -> str:
    return " ".join(f"{value:.6g}" for value in values)


def _sizes(sizes: Mapping[str, float]) -> str:
    units = {"length": "m", "angle": "rad"}
    return ", ".join(f"{value:.3g} {units[name]}" for name, value in sizes.items())
