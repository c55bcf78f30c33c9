"""`closed_loop.simulated` in C: closed_loop.c, around the compiled regressor of the robot."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.emit.kernels import kernel_text
from symoro.errors import MissingDependencyError
from symoro.estimation.control_loop import ControlLoop
from symoro.estimation.equations import RowModel
from symoro.estimation.friction import TERMS
from symoro.runtime.compiler import library
from symoro.runtime.function import Function

Array = NDArray[np.float64]
FUNCTIONS = ("regressor", "constants", "known", "known_constants")
FROM_MODEL = ("K", "inertia", "viscous", "stribeck", "load", "dry", "shares")
FROM_LOOP = ("kp", "kd", "reference", "reference_rate")
COUNTS = ("joints", "columns", "motors", "samples", "steps", "parts")


class _NativeLoop(ctypes.Structure):
    """`Loop` of closed_loop.c."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in (*FUNCTIONS, *FROM_MODEL, *FROM_LOOP, "work")),
        *((name, ctypes.c_double) for name in ("stribeck_velocity", "h")),
        *((name, ctypes.c_size_t) for name in COUNTS),
    )


def driver(model: RowModel) -> Any:
    """The compiled function, or None where the robot's own are not compiled or take more than a motion."""
    for function in (model.function, model.known):
        if function is None:
            continue
        inputs = [port.name for port in function.program.inputs]
        if function.address is None or inputs != ["q", "qd", "qdd"]:
            return None
    return _compiled()


@cache
def _compiled() -> Any:
    own = (resources.files("symoro.estimation") / "closed_loop.c").read_text(encoding="ascii")
    text = "\n".join(["#include <math.h>", kernel_text("solve", ".c"), own])
    try:
        found = library({"closed_loop.c": text}).closed_loop
    except MissingDependencyError:  # the compiler went away
        return None
    found.restype, found.argtypes = ctypes.c_size_t, [ctypes.c_void_p] * 5
    return found


def simulate(run: Any, model: RowModel, K: Array, loop: ControlLoop, made: Sequence[Array]) -> int:
    """Fill q, qd, qdd, tau (N, n) from the state in the first rows of q and qd; how many samples are finite."""
    parts = _parts(model, K)
    samples, n = made[0].shape
    parts |= {name: getattr(loop, name) for name in FROM_LOOP}
    columns = len(parts["K"])
    arrays = {name: np.ascontiguousarray(value, dtype=float) for name, value in parts.items()}
    arrays["work"] = np.empty(n * (columns + n + 16))
    shared = _NativeLoop(
        *_addresses(model.function),
        *_addresses(model.known),
        *(arrays[name].ctypes.data for name in (*FROM_MODEL, *FROM_LOOP, "work")),
        model.further.friction.stribeck_velocity,
        1 / loop.rate,
        n,
        columns,
        len(model.further.shares),
        samples,
        loop.steps,
        loop.parts,
    )
    return int(run(ctypes.addressof(shared), *(array.ctypes.data for array in made)))


def _addresses(function: Function | None) -> tuple[int | None, int | None]:
    """Of a function, and of the constants that it takes."""
    if function is None:
        return None, None
    return function.address, function.constants.ctypes.data if len(function.constants) else None


def _parts(model: RowModel, K: Array) -> dict[str, Array]:
    """The parameters where closed_loop.c looks for them."""
    further, n = model.further, len(model.labels)
    joints, values = further.joints, dict(zip(model.names, K, strict=True))

    def of(*names: str) -> Array:
        return np.array([values.get(name, 0.0) for name in names])

    coupled = [joints[k] for k, _ in further.shares]
    inertia, viscous = np.zeros((n, n)), np.zeros((n, n))
    for j in coupled:
        cross = further.masses[further.names.index(f"IAM{j}")]
        inertia += values.get(f"IAM{j}", 0.0) * cross
        viscous += values.get(f"FVM{j}", 0.0) * cross
    return {
        "K": of(*model.columns),
        "inertia": inertia,
        "viscous": viscous,
        "stribeck": of(*(f"{TERMS['stribeck']}{j}" for j in joints)),
        "load": of(*(f"{TERMS['load']}{j}" for j in joints)),
        "dry": of(*(f"FSM{j}" for j in coupled)),
        "shares": np.array([share for _, share in further.shares]).reshape(-1, n),
    }
