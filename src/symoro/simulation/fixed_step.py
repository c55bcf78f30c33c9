"""Simulation with the generated fixed-step integrator (`emit/integrator`): fourth-order Runge-Kutta in compiled C.

Torques are constant during each step, as in a controller that runs at the rate of the integrator.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from symoro.emit.c import call_sources
from symoro.emit.integrator import integrator_sources, state_of
from symoro.errors import NotApplicableError, OptionError
from symoro.models.kinematic.loop.closure import loop_closure
from symoro.progress import task
from symoro.runtime.compiler import library
from symoro.simulation.limits import SINGULAR_WHEELS, WheelWatch
from symoro.simulation.mechanics import Mechanics, Watch
from symoro.simulation.result import Simulation
from symoro.trajectory.assembly import JUMP, OPEN, SINGULAR
from symoro.trajectory.samples import even_times

Array = NDArray[np.float64]

NAME = "model"
PARTS = {"qda": "qd"}  # names in the model of parts of the state
UNFINISHED = (
    "",
    OPEN,
    SINGULAR,
    JUMP,
    "the state is not finite",
)  # meaning of the status codes of the integrator
CHUNK = 1000  # steps per call with constant torques; progress is reported between calls


class FixedStep:
    """Generated fixed-step integrator of a robot, compiled from C."""

    def __init__(self, mechanics: Mechanics) -> None:
        program = mechanics.direct.program
        try:
            self.layout = state_of(program)
        except OptionError as error:
            raise NotApplicableError(
                f"robot '{mechanics.robot.name}' has no generated integrator: {error.message}",
                hint="method='DOP853'",
            ) from None
        sources = call_sources(program, NAME)
        self.constants = [np.empty(sources.constants)] if sources.constants else []
        files, loops = sources.files, None
        if self.layout.tied:
            closing = loop_closure(mechanics.robot)
            closer = call_sources(closing, f"{NAME}_loops")
            files, loops = {**files, **closer.files}, bool(closer.constants)
            self.constants += [np.empty(closer.constants)] if loops else []
        extra = integrator_sources(program, NAME, constants=sources.constants > 0, loops=loops)
        self._library = library({**files, **extra})
        values = {**dict(mechanics.robot.nominal), **mechanics.direct.values}
        setups = [(program, NAME)] * bool(sources.constants)
        setups += [(closing, f"{NAME}_loops")] if loops else []
        for (made, name), constants in zip(setups, self.constants, strict=True):
            parameters = np.array([values[name] for name in made.used_parameters], dtype=float)
            getattr(self._library, f"{name}_setup")(_pointer(parameters), _pointer(constants))
        self._step = getattr(self._library, f"{NAME}_rk4")
        self._step.restype = ctypes.c_int if self.layout.tied else None
        self._slices = [mechanics.parts[PARTS.get(name, name)] for name in self.layout.state]
        self._inputs = [
            None if name == "tau" else np.ascontiguousarray(mechanics.inputs[name])
            for name in self.layout.inputs
        ]

    def advance(self, y: Array, tau: Array, h: float, steps: int) -> tuple[Array, str]:
        """Integrate `steps` steps of h seconds with constant torques tau from the state y.

        Returns:
            The final state and an empty text; if a step fails, the state before it and the reason.
        """
        parts = [y[part].copy() for part in self._slices]  # copies, because the integrator writes into them
        given = [np.ascontiguousarray(tau) if x is None else x for x in self._inputs]
        pointers = [_pointer(x) for x in (*parts, *given, *self.constants)]
        status = self._step(ctypes.c_size_t(steps), ctypes.c_double(h), *pointers) or 0
        after = y.copy()
        for part, values in zip(self._slices, parts, strict=True):
            after[part] = values
        if not status and not np.isfinite(after).all():
            return y, UNFINISHED[-1]
        return after, UNFINISHED[status]


def run_fixed(
    mechanics: Mechanics,
    torques: Callable[[float, Array], Array],
    constant: Array | None,
    y: Array,
    duration: float,
    step: float,
    watch: Watch | None = None,
) -> Simulation:
    """Simulate with equal steps of a compiled Runge-Kutta integrator; each step gives a sample.

    Args:
        mechanics: equations of motion of the robot.
        torques: control law tau(t, y), evaluated once per step.
        constant: torques (n,) if they do not depend on time and state; otherwise None.
        y: initial state.
        duration, step: duration of the simulation and of one step, in seconds.
        watch: function that is called with each sample.
    """
    integrator, wheels = FixedStep(mechanics), WheelWatch(mechanics)
    wheels.begin(y)
    if mechanics.loops is not None:
        q = y[mechanics.parts["q"]]
        mechanics.loops.check_path(lambda _: q[None], q, q, q, 0.0)
    times = even_times(duration, step)
    h = float(times[1])
    rows, taus, why, reached = [y], [torques(0.0, y)], "", 1
    if watch is not None:
        watch(mechanics.state(0.0, y), taus[0].copy())
    try:
        with task("simulating", duration) as work:
            for k, t in enumerate(times[1:]):
                y, reason = integrator.advance(y, taus[-1], h, 1)
                if not reason and not (wheels.margins(y) > 0).all():
                    reason = SINGULAR_WHEELS
                if reason:
                    why = f"{reason}, at t = {t:g} s"
                    break
                rows.append(y)
                taus.append(torques(float(t), y) if constant is None else constant)
                reached += 1
                if watch is not None:
                    watch(mechanics.state(float(t), y), taus[-1].copy())
                if k % CHUNK == 0:
                    work.to(float(t))
    except KeyboardInterrupt:
        why = "interrupted"
        rows, taus = rows[:reached], taus[:reached]
    return Simulation.made(mechanics, [float(t) for t in times[: len(rows)]], rows, taus, [], why)


def _pointer(array: Array) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)
