"""Simulation of the closed control loop in which a log was recorded, for one or several parameter vectors K.

    tau = kp (r - q) + kd (rd - qd),       M(q) qdd = tau - T(q, qd, 0),       T(q, qd, qdd) = W K + t

t are the known torques (`equations.known_torques`). Column i of M is T(q, 0, e_i) - T(q, 0, 0), so that one compiled
regressor serves every K, with friction and coupled motors. The fourth-order Runge-Kutta method with fixed steps is
used; steps are subdivided where a joint may change direction or rest, because dry friction is discontinuous there.

If there is a compiler the loop runs in C (control_loop.c), several K in parallel, and with the direct dynamic model if
that contains all columns. The rate of the reference is that of the cubic spline through its samples: the error of
finite differences, times kd, would exceed the noise of the torques.
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
from symoro.identification.identified_robot import column_base
from symoro.identification.log import Log
from symoro.identification.log_description import PdController
from symoro.identification.signals import low_pass
from symoro.identification.tolerances import ROUND_OFF
from symoro.model import generate
from symoro.models.identification.base.geometry import with_values
from symoro.models.identification.base.parameters import split
from symoro.progress import each
from symoro.robot.description import FRICTION, Robot
from symoro.runtime.compiler import library
from symoro.runtime.function import Function
from symoro.threads import processors

# -- control_loop


Array = NDArray[np.float64]
START = (
    np.array([-25, 48, -36, 16, -3]) / 12
)  # finite-difference weights of the derivative at the first of five samples


@dataclass(frozen=True, eq=False)
class ControlLoop:
    """PD controller of a simulated motion, with its reference, initial state and integration step.

    Attributes:
        rate: samples per second.
        kp, kd: gains at the joints (n,).
        reference, reference_rate: desired positions and velocities (N, n); the reference is cubic between samples.
        start, start_rate: initial positions and velocities: (n,) if common to all simulations, otherwise (B, n).
        steps: integration steps between two samples.
        parts: number of parts into which a step is divided if a joint may change its direction of motion in it.
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
    """Return the control loop in which a log was recorded, with the measured positions and torques.

    Args:
        log: the log, with the reference motion.
        controller: gains; by default those of the log's description.
        cutoff: cut-off frequency in Hz of the low-pass filter from which the initial state is computed; None for no
            filter.
        steps: integration steps between two samples.

    Returns:
        The control loop, the measured positions (N, n), and the measured torques (N, n).

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
            f"{log.name}: methods that simulate require the reference positions and the gains of the controller",
            hint="describe 'reference' and 'controller' in the YAML file of the log",
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
FROM_MODEL = ("K", "inertia", "viscous", "stribeck", "stribeck_velocity", "load", "dry", "shares")
FROM_LOOP = ("kp", "kd", "reference", "reference_rate")
TRIED_MOTIONS = 8  # motions at which the direct dynamic model is compared with the regressor
COUNTS = ("joints", "columns", "motors", "samples", "steps", "parts")


class _NativeLoop(ctypes.Structure):
    """Counterpart of the C structure `Loop` in control_loop.c."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in (*FUNCTIONS, *FROM_MODEL, *FROM_LOOP, "work")),
        ("h", ctypes.c_double),
        *((name, ctypes.c_size_t) for name in COUNTS),
    )


def driver(model: RowModel) -> Any:
    """Return the compiled C function that simulates the closed loop.

    The result is None if the model is not compiled or has inputs other than q, qd, qdd.
    """
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
    except MissingDependencyError:  # there is no compiler any more
        return None
    function.restype, function.argtypes = ctypes.c_size_t, [ctypes.c_void_p] * 5
    return function


def direct_dynamics(model: RowModel) -> Function | None:
    """Return the direct dynamic model as a function of the parameters K, for fast simulation.

    It is ten times as fast as the regressor. The result is None if there are known torques, or if the regressor has
    columns that the direct dynamic model does not contain.
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
    """Return the direct dynamic model of a robot in which only the parameters `names` are symbols.

    All other inertial and friction parameters are zero.
    """
    base = column_base(robot, robot.postures)
    values: dict[tuple[int, str], Formula] = {split(name): ZERO for name in base.no_effect}
    for kept, others in base.relations.items():
        values |= {split(name): ZERO for name in others}
        values[split(kept)] = formula(kept) if kept in names else ZERO
    regrouped = with_values(base.original, values)
    frames = []
    for j, frame in enumerate(regrouped.frames, 1):
        friction = {kind: formula(f"{kind}{j}") if f"{kind}{j}" in names else ZERO for kind in FRICTION}
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
    """Simulate one motion of the closed loop in C.

    Args:
        run: compiled function (`driver`).
        model: identification model of the robot.
        direct: `direct_dynamics` of the model; None to use the regressor.
        K: parameter vector (P,).
        loop: the control loop.
        made: arrays q, qd, qdd, tau (N, n) into which the motion is written; the first rows of q and qd contain the
            initial state.

    Returns:
        The number of samples before the motion becomes infinite or NaN.
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
    """Return the memory addresses of a compiled function and of its constants; None for one that does not exist."""
    if function is None:
        return None, None
    return function.address, function.constants.ctypes.data if len(function.constants) else None


def _parts(model: RowModel, K: Array) -> dict[str, Array]:
    """Return the parameters K as the arrays that control_loop.c reads, by name."""
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
        "stribeck_velocity": further.friction.velocities(n),
        "load": of(*(f"{TERMS['load']}{j}" for j in joints)),
        "dry": of(*(f"FSM{j}" for j in coupled)),
        "shares": np.array([share for _, share in further.shares]).reshape(-1, n),
    }


# -- the loop in NumPy


@dataclass(frozen=True, eq=False)
class Simulated:
    """Motion of B simulated closed loops: positions, velocities, accelerations and torques, each (B, N, n)."""

    q: Array
    qd: Array
    qdd: Array
    tau: Array


def simulated(model: RowModel, K: Array, loop: ControlLoop) -> Simulated:
    """Simulate the closed loop for one parameter vector K (P,) or for several (B, P).

    Raises:
        ProgramError: a simulated motion becomes infinite or NaN.
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
            "the simulated closed loop diverges for these parameters",
            hint="start from physically consistent parameters, and check the gains",
        )
    return made


def _in_parallel(work: Callable[[Sequence[Array]], int], motions: Sequence[Sequence[Array]]) -> Iterator[int]:
    """Call `work` for every motion in parallel threads; yield the results in the order of the motions.

    Threads are sufficient, because the C code releases the interpreter lock.

    Args:
        work: function of the arrays of one motion.
        motions: for each motion the arrays that are filled.
    """
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
    """Simulate the motions for all parameter vectors K at once in NumPy.

    Args:
        model: identification model of the robot.
        K: parameter vectors (B, P).
        loop: the control loop.
        made: arrays into which the motions are written; the first samples of q and qd contain the initial states.

    Returns:
        Whether all motions remain finite.
    """
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
    """Return the positions and velocities at the sample after `sample`, from those at `sample`."""
    part = 1 / loop.steps
    for k in range(loop.steps):
        q, qd = _step(dynamics, loop, sample, part * k, part, q, qd)
    return q, qd


def _step(
    dynamics: _Dynamics, loop: ControlLoop, sample: int, u: float, part: float, q: Array, qd: Array
) -> tuple[Array, Array]:
    """Return positions and velocities after one integration step of B simulations.

    The step is subdivided for those simulations in which a joint may change direction.

    Args:
        dynamics: function that returns the joint accelerations.
        loop: the control loop.
        sample: index of the sample before the step.
        u: start of the step, as a fraction of the sampling interval.
        part: length of the step, as a fraction of the sampling interval.
        q, qd: positions and velocities before the step (B, n).
    """
    x, v = _runge_kutta_step(dynamics, loop, sample, u, part, q, qd)
    turns = (np.minimum(np.abs(qd), np.abs(v)) < np.abs(v - qd)).any(axis=1, keepdims=True)
    if not turns.any():
        return x, v
    part, y, w = part / loop.parts, q, qd
    for k in range(loop.parts):
        y, w = _runge_kutta_step(dynamics, loop, sample, u + part * k, part, y, w)
    return np.where(turns, y, x), np.where(turns, w, v)


def _runge_kutta_step(
    dynamics: _Dynamics, loop: ControlLoop, sample: int, u: float, part: float, q: Array, qd: Array
) -> tuple[Array, Array]:
    """Return positions and velocities after one fourth-order Runge-Kutta step; arguments as in `_step`."""
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
    """Return the reference positions and velocities between `sample` and the next one, by cubic interpolation.

    `u` is the time after `sample` as a fraction of the sampling interval.
    """
    h = 1 / loop.rate
    step = loop.reference[sample + 1] - loop.reference[sample]
    begin, end = h * loop.reference_rate[sample], h * loop.reference_rate[sample + 1]
    b, c = 3 * step - 2 * begin - end, begin + end - 2 * step
    r = loop.reference[sample] + u * (begin + u * (b + u * c))
    return r, (begin + u * (2 * b + u * 3 * c)) / h


def _torques(loop: ControlLoop, r: Array, rd: Array, q: Array, qd: Array) -> Array:
    return np.asarray(loop.kp * (r - q) + loop.kd * (rd - qd))


class _Dynamics:
    """Function object that returns the joint accelerations of B simulated robots with different parameters.

    The regressor is evaluated once for all B robots.
    """

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
        torques += (given - y).reshape(torques.shape)  # known torques
        M = np.moveaxis(torques[2:] - torques[1], 0, -1)
        try:
            return np.asarray(np.linalg.solve(M, (tau - torques[0])[..., None])[..., 0])
        except np.linalg.LinAlgError:
            return np.full_like(q, np.nan)
