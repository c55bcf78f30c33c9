"""Filters of the power and filtered models: F = a^2/(s+a)^2 and F' = s F (1997 paper, eq. 45, 46).

With L = a/(s+a) both are a cascade of two equal sections,

    y1 = L x,   F x = L y1,   F' x = s L y1 = a (y1 - F x)

and the bilinear transform s = (2/T) (1 - 1/z)/(1 + 1/z) preserves these relations in discrete time:

    L:  y(n) = pole y(n-1) + gain (x(n) + x(n-1)),     gain = a T/(2 + a T),   pole = (2 - a T)/(2 + a T)

The initial state is the steady state of the first sample: F x = x(0) and F' x = 0, without a jump. Both sides of an
equation must be filtered with the same a and T.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError
from symoro.program.builder import Builder
from symoro.program.pipeline import optimise
from symoro.program.program import Program


def low_pass_and_derivative(x: Any, a: float, step: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Filter a signal by F = a^2/(s+a)^2; return the filtered signal F x and its filtered derivative s F x.

    Samples are along the first axis; all other axes are filtered in parallel.

    Args:
        x: samples (S, ...).
        a: bandwidth in rad/s.
        step: time T between samples in seconds.

    Returns:
        The filtered signal and its derivative, each with the shape of x.
    """
    samples = np.asarray(x, dtype=float)
    if samples.ndim == 0 or not len(samples):
        raise ArgumentError("there are no samples to filter", hint="the first axis must contain the samples")
    if not (a > 0 and step > 0):
        raise ArgumentError(f"the bandwidth and the step must be positive, got a = {a}, step = {step}")
    gain, pole = a * step / (2 + a * step), (2 - a * step) / (2 + a * step)
    low, slope = np.empty_like(samples), np.empty_like(samples)
    last = y1 = y2 = samples[0]
    for n, now in enumerate(samples):
        y1, before = pole * y1 + gain * (now + last), y1
        y2 = pole * y2 + gain * (y1 + before)
        low[n], slope[n], last = y2, a * (y1 - y2), now
    return low, slope


def filter_program(name: str = "filter_step") -> Program:
    """Return a program for one time step of the low-pass filter F = a^2/(s+a)^2 and of its derivative F' = s F.

    Inputs are x and state = (x, y1, F x) of the previous step; initially all three equal the first sample. Outputs
    are y = F x, yd = F' x and the new state. Parameters are a (rad/s) and T (s).
    """
    builder = Builder(name)
    (x,) = builder.input("x", (), ["x"], "sample")
    last, y1, y2 = builder.input("state", (3,), ["x_last", "y1", "y2"], "state after the previous step")
    a, step = builder.parameter("a"), builder.parameter("T")
    whole = 2 + a * step
    gain, pole = builder.named("gain", a * step / whole), builder.named("pole", (2 - a * step) / whole)
    first = builder.named("first", pole * y1 + gain * (x + last))
    low = builder.named("low", pole * y2 + gain * (first + y1))
    builder.output("y", low, "F x")
    builder.output("yd", a * (first - low), "F' x")
    builder.output("state_next", [x, first, low], "state for the next step")
    return optimise(builder.program(title="F = a^2/(s+a)^2 and F' = s F, one sample"))
