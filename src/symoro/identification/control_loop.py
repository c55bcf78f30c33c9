"""Simulation of the closed control loop that made a log, for one or several parameter vectors K.

    tau = kp (r - q) + kd (rd - qd),       M(q) qdd = tau - T(q, qd, 0),       T(q, qd, qdd) = W K + t

t are the known torques (`equations.known_torques`). Column i of M is T(q, 0, e_i) - T(q, 0, 0), so that one compiled
regressor serves every K, with friction and coupled motors. Fixed steps of the Runge-Kutta method of fourth order are
subdivided where a joint may turn back or rest, since dry friction jumps there.

If there is a compiler the loop runs in C (control_loop.c), with the direct dynamic model if that has all the columns,
and several K in parallel. The rate of the reference is that of the cubic spline through its samples: the error of
differences, times kd, would exceed the noise of the torques.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.emit.kernels import kernel_text
from symoro.errors import ArgumentError, MissingDependencyError, ProgramError, SymoroError
from symoro.expr.formula import ZERO, Formula, formula
from symoro.identification.equations import RowModel
from symoro.identification.friction import TERMS
from symoro.identification.identified_robot import DRIVE, column_base
from symoro.identification.log import Log
from symoro.identification.log_description import PdController
from symoro.identification.signals import low_pass
from symoro.identification.tolerances import ROUND_OFF
from symoro.model import generate
from symoro.models.identification.base.geometry import with_values
from symoro.models.identification.base.parameters import split
from symoro.progress import each
from symoro.robot.description import Robot
from symoro.runtime.compiler import library
from symoro.runtime.function import Function
from symoro.threads import processors

# -- control_loop


Array = NDArray[np.float64]
START = np.array([-25, 48, -36, 16, -3]) / 12  # the slope at the first of five samples


@dataclass(frozen=True, eq=False)
class ControlLoop:
    """What closes the loop: gains at the joints, and the reference with its rate, (N, n).

    Between samples the reference is a cubic polynomial. A simulation takes `steps` from one to the next, each in
    `parts` where a joint may turn back. The start is one for all (n,), or one each (B, n).
    """

    rate: float
    kp: Array
    kd: Array
    reference: Array
    reference_rate: Array
    start: Array
    start_rate: Array
    steps: int = 1
    parts: int = 16


def loop_of(
    log: Log, controller: PdController | None, cutoff: float | None = None, steps: int = 1
) -> tuple[ControlLoop, Array, Array]:
    """Return the loop that made a log, with the positions and torques that were measured.

    Raises:
        ArgumentError: the log has no reference, or there is no controller.
    """
    from scipy.interpolate import CubicSpline
    from scipy.signal import sosfiltfilt

    law = controller or (log.description.controller if log.description else None)
    chunks = list(log.chunks(log.samples))
    arrays = {kind: np.concatenate([chunk[kind] for chunk in chunks]) for kind in chunks[0]}
    if law is None or "reference" not in arrays:
        raise ArgumentError(
            f"{log.name}: simulation needs the reference that was followed, and the gains of the controller",
            hint="describe 'reference' and 'controller' in the YAML of the log",
        )
    q = arrays["position"]
    smooth = q
    if cutoff is not None:
        smooth = sosfiltfilt(low_pass(cutoff, log.rate), q, axis=0)
    r = arrays["reference"]
    rate = CubicSpline(np.arange(len(r)) / log.rate, r)(np.arange(len(r)) / log.rate, 1)
    begin = (smooth[0], START @ smooth[: len(START)] * log.rate)
    loop = ControlLoop(log.rate, np.array(law.kp), np.array(law.kd), r, rate, *begin, steps)
    return loop, q, arrays["torque"]


# -- the loop in C


FUNCTIONS = ("regressor", "constants", "known", "known_constants")
FROM_MODEL = ("K", "inertia", "viscous", "stribeck", "load", "dry", "shares")
FROM_LOOP = ("kp", "kd", "reference", "reference_rate")
TRIED_MOTIONS = 8  # motions at which the direct dynamic model is compared with the regressor
COUNTS = ("joints", "columns", "motors", "samples", "steps", "parts")


class _NativeLoop(ctypes.Structure):
    """`Loop` of control_loop.c."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in (*FUNCTIONS, *FROM_MODEL, *FROM_LOOP, "work")),
        *((name, ctypes.c_double) for name in ("stribeck_velocity", "h")),
        *((name, ctypes.c_size_t) for name in COUNTS),
    )


def driver(model: RowModel) -> Any:
    """Return the compiled function, or None where the robot's own are not compiled or take more than a motion."""
    for function in (model.function, model.known):
        if function is None:
            continue
        inputs = [port.name for port in function.program.inputs]
        if function.address is None or inputs != ["q", "qd", "qdd"]:
            return None
    return _compiled()


@cache
def _compiled() -> Any:
    own = (resources.files("symoro.identification") / "control_loop.c").read_text(encoding="ascii")
    text = "\n".join(["#include <math.h>", kernel_text("solve", ".c"), own])
    try:
        function = library({"control_loop.c": text}).closed_loop
    except MissingDependencyError:  # the compiler went away
        return None
    function.restype, function.argtypes = ctypes.c_size_t, [ctypes.c_void_p] * 5
    return function


def direct_dynamics(model: RowModel) -> Function | None:
    """Return the direct dynamic model with the parameters K, ten times as fast as M and T from the regressor.

    None where it is another model: of columns that a robot does not have, or of what is known besides K.
    """
    if model.known is not None or model.kind != "dynamic" or model.further.names:
        return None
    try:
        direct = _direct_dynamics(model.robot, model.names)
    except SymoroError:
        return None
    n = len(model.labels)
    inputs = [(port.name, port.shape) for port in direct.program.inputs]
    if direct.address is None or inputs != [(name, (n,)) for name in ("q", "qd", "tau")]:
        return None
    q, qd, tau = np.random.default_rng(3).standard_normal((3, TRIED_MOTIONS, n))
    # W K = tau, for parameters that are all 1.
    A = model.parts(q, qd, direct(q=q, qd=qd, tau=tau)["qdd"], tau)[1]
    return direct if np.abs(A.sum(axis=2) - tau).max() <= ROUND_OFF * np.abs(A).sum(axis=2).max() else None


@lru_cache(maxsize=4)
def _direct_dynamics(robot: Robot, names: tuple[str, ...]) -> Function:
    """With a parameter for each of the names, all other inertial parameters and friction being zero."""
    base = column_base(robot, robot.postures)
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

    Args:
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
    """Return the parameters where control_loop.c looks for them."""
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


# -- the loop in NumPy


@dataclass(frozen=True, eq=False)
class Simulated:
    """Motions of the closed loop, each (B, N, n)."""

    q: Array
    qd: Array
    qdd: Array
    tau: Array


def simulated(model: RowModel, K: Array, loop: ControlLoop) -> Simulated:
    """Return the closed loop for one K (P,) or several (B, P).

    Raises:
        ProgramError: the motion does not stay finite.
    """
    many = np.atleast_2d(K)
    samples, n = loop.reference.shape
    made = Simulated(*(np.empty((len(many), samples, n)) for _ in range(4)))
    made.q[:, 0], made.qd[:, 0] = loop.start, loop.start_rate
    run = driver(model)
    if run is None:
        finite = _in_numpy(model, many, loop, made)
    else:
        direct = direct_dynamics(model)
        motions = list(zip(many, made.q, made.qd, made.qdd, made.tau, strict=True))

        def finite_samples(motion: Sequence[Array]) -> int:
            values, *rows = motion
            return simulate(run, model, direct, values, loop, rows)

        finite = all(count == samples for count in _in_parallel(finite_samples, motions))
    if not finite:
        raise ProgramError(
            "the simulated loop does not stay finite for these parameters",
            hint="start from parameters that bodies can have, and check the gains",
        )
    return made


def _in_parallel(work: Callable[[Sequence[Array]], int], motions: Sequence[Sequence[Array]]) -> Iterator[int]:
    """Yield the results in their order; work in C lets other threads run."""
    title = "simulating the closed loop"
    if processors() == 1 or len(motions) == 1:
        yield from map(work, each(motions, title))
        return
    with ThreadPoolExecutor(processors()) as pool:
        waiting = [pool.submit(work, motion) for motion in motions]
        try:
            for one in each(waiting, title):
                yield one.result()
        finally:
            for one in waiting:
                one.cancel()


def _in_numpy(model: RowModel, K: Array, loop: ControlLoop, made: Simulated) -> bool:
    """Return the motions of all K side by side, from the first row on; whether they stay finite."""
    dynamics = _Dynamics(model, K)
    q, qd = made.q[:, 0], made.qd[:, 0]
    for k in range(len(loop.reference)):
        made.q[:, k], made.qd[:, k] = q, qd
        made.tau[:, k] = _torques(loop, loop.reference[k], loop.reference_rate[k], q, qd)
        made.qdd[:, k] = dynamics(q, qd, made.tau[:, k])
        if k + 1 < len(loop.reference):
            q, qd = _next(dynamics, loop, k, q, qd)
    return all(np.isfinite(held).all() for held in (made.q, made.qd, made.qdd))


def _next(dynamics: _Dynamics, loop: ControlLoop, sample: int, q: Array, qd: Array) -> tuple[Array, Array]:
    """Return the state at the next sample."""
    part = 1 / loop.steps
    for k in range(loop.steps):
        q, qd = _step(dynamics, loop, sample, part * k, part, q, qd)
    return q, qd


def _step(
    dynamics: _Dynamics, loop: ControlLoop, sample: int, u: float, part: float, q: Array, qd: Array
) -> tuple[Array, Array]:
    """Return a part of the way to the next sample, in short steps for the robots of which a joint may turn back."""
    x, v = _advanced(dynamics, loop, sample, u, part, q, qd)
    turns = (np.minimum(np.abs(qd), np.abs(v)) < np.abs(v - qd)).any(axis=1, keepdims=True)
    if not turns.any():
        return x, v
    part, y, w = part / loop.parts, q, qd
    for k in range(loop.parts):
        y, w = _advanced(dynamics, loop, sample, u + part * k, part, y, w)
    return np.where(turns, y, x), np.where(turns, w, v)


def _advanced(
    dynamics: _Dynamics, loop: ControlLoop, sample: int, u: float, part: float, q: Array, qd: Array
) -> tuple[Array, Array]:
    """One step of Runge and Kutta's fourth order, from part u of the way to the next sample."""
    h = part / loop.rate
    x, v = q, qd
    q_sum, qd_sum = np.zeros_like(q), np.zeros_like(qd)
    for at, reach, weight in ((0.0, 0.5, 1.0), (0.5, 0.5, 2.0), (0.5, 1.0, 2.0), (1.0, 0.0, 1.0)):
        r, rd = _reference(loop, sample, u + at * part)
        a = dynamics(x, v, _torques(loop, r, rd, x, v))
        q_sum, qd_sum = q_sum + weight * v, qd_sum + weight * a
        x, v = q + reach * h * v, qd + reach * h * a
    return q + h / 6 * q_sum, qd + h / 6 * qd_sum


def _reference(loop: ControlLoop, sample: int, u: float) -> tuple[Array, Array]:
    """Return the cubic reference a part u of the way from a sample to the next one, and its rate."""
    h = 1 / loop.rate
    step = loop.reference[sample + 1] - loop.reference[sample]
    begin, end = h * loop.reference_rate[sample], h * loop.reference_rate[sample + 1]
    b, c = 3 * step - 2 * begin - end, begin + end - 2 * step
    r = loop.reference[sample] + u * (begin + u * (b + u * c))
    return r, (begin + u * (2 * b + u * 3 * c)) / h


def _torques(loop: ControlLoop, r: Array, rd: Array, q: Array, qd: Array) -> Array:
    return np.asarray(loop.kp * (r - q) + loop.kd * (rd - qd))


class _Dynamics:
    """Accelerations of B robots, from one call of the regressor for all of them."""

    def __init__(self, model: RowModel, K: Array) -> None:
        n = len(model.labels)
        B = len(K)
        self.model, self.K, self.shape = model, K, (n + 2, B, n, len(model.names))
        self.rates = np.zeros((n + 2, B, n))
        self.accelerations = np.zeros((n + 2, B, n))
        for i in range(n):
            self.accelerations[2 + i, :, i] = 1.0

    def __call__(self, q: Array, qd: Array, tau: Array) -> Array:
        calls, _, n, _ = self.shape
        self.rates[0] = qd
        given = np.concatenate([tau] * calls)
        _, A, y = self.model.parts(
            np.concatenate([q] * calls), self.rates.reshape(-1, n), self.accelerations.reshape(-1, n), given
        )
        torques = np.matmul(A.reshape(self.shape), self.K[None, :, :, None])[..., 0]
        torques += (given - y).reshape(torques.shape)  # what is known
        M = np.moveaxis(torques[2:] - torques[1], 0, -1)
        try:
            return np.asarray(np.linalg.solve(M, (tau - torques[0])[..., None])[..., 0])
        except np.linalg.LinAlgError:
            return np.full_like(q, np.nan)
