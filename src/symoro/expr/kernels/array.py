"""The type of what the NumPy text of kernels computes with; emitted Python has a line of its own for it."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]
