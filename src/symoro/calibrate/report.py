"""A calibration for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from symoro.calibrate.fit import Calibration

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
    return "\n".join(lines)


def _sizes(sizes: Mapping[str, float]) -> str:
    units = {"length": "m", "angle": "rad"}
    return ", ".join(f"{value:.3g} {units[name]}" for name, value in sizes.items())
