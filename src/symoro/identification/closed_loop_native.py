"""`closed_loop.simulated` in C: closed_loop.c, around the compiled regressor of the robot."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, lru_cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.emit.kernels import kernel_text
from symoro.errors import MissingDependencyError, SymoroError
from symoro.expr.formula import ZERO, Formula, formula
from symoro.identification.control_loop import ControlLoop
from symoro.identification.equations import RowModel
from symoro.identification.friction import TERMS
from symoro.identification.robots import DRIVE, sought_base
from symoro.model import generate
from symoro.models.identification.base.geometry import with_values
from symoro.models.identification.base.parameters import split
from symoro.robot.description import Robot
from symoro.runtime.compiler import library
from symoro.runtime.function import Function

Array = NDArray[np.float64]
FUNCTIONS = ("regressor", "constants", "known", "known_constants")
FROM_MODEL = ("K", "inertia", "viscous", "stribeck", "load", "dry", "shares")
FROM_LOOP = ("kp", "kd", "reference", "reference_rate")
TRIED = 8  # motions at which the direct dynamic model is compared with the regressor
ROUNDOFF = 1e-9  # of the torques: the largest difference between them
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
    own = (resources.files("symoro.identification") / "closed_loop.c").read_text(encoding="ascii")
    text = "\n".join(["#include <math.h>", kernel_text("solve", ".c"), own])
    try:
        found = library({"closed_loop.c": text}).closed_loop
    except MissingDependencyError:  # the compiler went away
        return None
    found.restype, found.argtypes = ctypes.c_size_t, [ctypes.c_void_p] * 5
    return found


def direct_dynamics(model: RowModel) -> Function | None:
    """Return the direct dynamic model with the parameters K, ten times as fast as M and T from the regressor.

    None where it is another model: of columns that a robot does not have, or of what is known besides K.
    """
    if model.known is not None or model.kind != "dynamic" or model.further.names:
        return None
    try:
        found = _direct_dynamics(model.robot, model.names)
    except SymoroError:
        return None
    n = len(model.labels)
    inputs = [(port.name, port.shape) for port in found.program.inputs]
    if found.address is None or inputs != [(name, (n,)) for name in ("q", "qd", "tau")]:
        return None
    q, qd, tau = np.random.default_rng(3).standard_normal((3, TRIED, n))
    # W K = tau, for parameters that are all 1.
    A = model.parts(q, qd, found(q=q, qd=qd, tau=tau)["qdd"], tau)[1]
    return found if np.abs(A.sum(axis=2) - tau).max() <= ROUNDOFF * np.abs(A).sum(axis=2).max() else None


@lru_cache(maxsize=4)
def _direct_dynamics(robot: Robot, names: tuple[str, ...]) -> Function:
    """With a parameter for each of the names, all other inertial parameters and friction being zero."""
    base = sought_base(robot, robot.postures)
    values: dict[tuple[int, str], Formula] = {split(name): ZERO for name in base.no_effect}
    for kept, others in base.relations.items():
        values |= {split(name): ZERO for name in others}
        values[split(kept)] = formula(kept) if kept in names else ZERO
    regrouped = with_values(base.original, values)
    frames = []
    for j, frame in enumerate(regrouped.frames, 1):
        friction = {kind: formula(f"{kind}{j}") if f"{kind}{j}" in names else ZERO for kind in DRIVE}
        frames.append(replace(frame, FV=friction["FV"], FS=friction["FS"], FO=friction["FO"]))
    model = generate(regrouped.replace(frames=tuple(frames)), "direct-dynamics")
    known = {**dict(robot.nominal), **dict.fromkeys(names, 1.0)}
    return Function(model.program, known, robot=model.robot)


def simulate(
    run: Any,
    model: RowModel,
    direct: Function | None,
    K: Array,
    loop: ControlLoop,
    made: Sequence[Array],
) -> int:
    """Fill q, qd, qdd, tau (N, n) from the state in the first rows of q and qd; how many samples are finite.

    Arguments:
        direct: `direct_dynamics` of the model.
    """
    parts = _parts(model, K)
    samples, n = made[0].shape
    parts |= {name: getattr(loop, name) for name in FROM_LOOP}
    columns = len(parts["K"]) if direct is None else 0
    arrays = {name: np.ascontiguousarray(value, dtype=float) for name, value in parts.items()}
    arrays["work"] = np.empty(n * (columns + n + 16))
    addresses = _addresses(model.function)
    if direct is not None:
        known = {**direct.values, **{name: float(x) for name, x in zip(model.names, K, strict=True)}}
        arrays["constants"] = direct.constants_of(known)
        addresses = direct.address, arrays["constants"].ctypes.data
    shared = _NativeLoop(
        *addresses,
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
