"""Event-driven integration of a simulation: SciPy's integrators run from event to event; samples are interpolated.

Between two events the right-hand side is smooth. The modes of friction and stops (`friction_and_stops`) change at times
that are located on the integrator's interpolation (`event_location`). Torques jump at declared times (`drives`), or
at times that the integrator's error control detects; the modes after a jump depend on the torques after it. If there
are closed loops, a floating base or sticking passive joints, a state that has drifted is projected onto its constraints
and the integrator is restarted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError, NotClosedError, UndecidedError
from symoro.progress import Task, task
from symoro.simulation.chatter import ChatterGuard
from symoro.simulation.drives import Drives
from symoro.simulation.event_location import first_event
from symoro.simulation.friction_and_stops import ContactModes, Mode, MotionEvent
from symoro.simulation.limits import SINGULAR_WHEELS, WatchedLimits, WheelWatch
from symoro.simulation.mechanics import Mechanics, State, Watch
from symoro.simulation.result import Recording, Simulation
from symoro.simulation.tolerances import CONTACT, DRIFT, FORCE_NOISE

Array = NDArray[np.float64]
SAMPLES = 5  # samples in the longest interval that is interpolated at once, if there is a user's function
STRIDES = {
    "DOP853": 3,
    "RK45": 2,
}  # largest step in samples, by method: its stages are not farther apart than samples; 1 for other methods
MOST_EVENTS = 100_000
DECISIONS = 4  # repeated decisions at one time, for a law that is discontinuous in the state


class EventIntegrator:
    """Integrator of one simulation, from event to event.

    Attributes:
        grid: times of the samples in seconds, starting at zero.
        restarts: times at which the integrator is restarted: kinks of prescribed motions, declared jumps, the end.
        limits: monitored limits of joints without a stop; None if limits have no effect.
        ends: whether reaching a stop or a monitored limit ends the simulation.
        position_error: error tolerance of the integrator for positions, in rad.
    """

    def __init__(
        self,
        mechanics: Mechanics,
        control: Drives,
        modes: ContactModes,
        limits: WatchedLimits | None,
        grid: Array,
        breaks: Iterable[float],
        position_error: float,
        *,
        ends: bool = False,
        until: Callable[[float, State], float] | None = None,
        watch: Watch | None = None,
        record: Recording | None = None,
    ) -> None:
        self.mechanics, self.control, self.modes, self.limits = mechanics, control, modes, limits
        self.ends, self.until, self.watch, self.record = ends, until, watch, record
        self.position_error, self.grid = position_error, grid
        self.wheels = WheelWatch(mechanics)
        if record is not None:
            record.begin(mechanics, control)
        inner = {float(t) for t in (*breaks, *control.jumps) if 0 < t < grid[-1]}
        self.restarts = [*sorted(inner), float(grid[-1])]
        self._guard = ChatterGuard(float(grid[-1]), mechanics.coordinates)
        smooth = until is None and control.constant is not None and not control.motions
        self._apart = np.inf if smooth else float(grid[-1]) / (len(grid) - 1)
        self._watched = not modes.idle or until is not None or bool(limits) or self.wheels.varies
        self._raised: Exception | None = None  # exception raised by a function of the user
        self.rows: list[Array] = []
        self.taus: list[Array] = []
        self.times: list[float] = []
        self.events: list[MotionEvent] = []

    def result(self, integrator: Any, options: dict[str, Any], y: Array) -> Simulation:
        """Integrate from the initial state y and return the simulated motion.

        Args:
            integrator: SciPy integrator class, for example `scipy.integrate.DOP853`.
            options: its keyword arguments (tolerances, largest step).
            y: initial state.

        Raises:
            ArgumentError: the accelerations are not determined at the start.
            NotClosedError: the loops do not close at the start.
            UndecidedError: the state of friction and stops is not determined at the start.
        """
        why = ""
        try:
            with task("simulating", float(self.grid[-1])) as work:
                why = self._run(integrator, options, y, work)
        except KeyboardInterrupt:
            why = "interrupted"
        except NotClosedError as error:
            if not self.times:
                raise
            why = error.message
        except UndecidedError as error:
            if len(self.times) < 2:
                raise
            why = error.message
        except (FloatingPointError, np.linalg.LinAlgError) as error:
            if error in (self.control.raised, self._raised):
                raise
            why = self._undetermined(error)
        warnings = () if self.limits is None else self.limits.warnings()
        return Simulation.made(self.mechanics, self.times, self.rows, self.taus, self.events, why, warnings)

    def _undetermined(self, error: Exception) -> str:
        """Return a sentence that explains why the accelerations cannot be computed during the simulation.

        At the start of the simulation the error is raised instead.

        Args:
            error: exception raised by the computation of the accelerations.
        """
        known = isinstance(error, FloatingPointError)
        why = str(error) if known else "the accelerations are not determined"
        if len(self.times) < 2:
            hint = "give every link a mass or an inertia, and every symbol a value"
            if self.mechanics.loops is not None:
                hint = f"start outside singular configurations of the loops; {hint}"
            raise ArgumentError(why, hint=hint) from None
        return why if self.mechanics.loops is None else f"{why}; the loops may be in a singular configuration"

    def _rates(self, t: float, y: Array) -> Array:
        y, known = self.control.moved(t, y)
        tau = self.control.acting(t, y)
        try:
            rates = self.mechanics.rates(y, self.modes.accelerations(y, tau, known))
        except np.linalg.LinAlgError:
            rates = np.full(len(y), np.nan)
        if (
            np.isnan(rates).any() and np.isfinite(y).all()
        ):  # otherwise SciPy would halve its step indefinitely
            raise FloatingPointError(f"the accelerations are not determined at t = {t:g} s")
        return rates

    # -- from event to event

    def _run(self, integrator: Any, options: dict[str, Any], y: Array, work: Task) -> str:
        """Integrate to the end of the simulation; return the reason if it ends early, otherwise an empty text.

        Args:
            integrator, options: SciPy integrator class and its keyword arguments.
            y: initial state.
            work: progress display.
        """
        t, repeated, restarts = 0.0, 0, iter(self.restarts)
        end = next(restarts)
        self.control.within(t, end)
        y = self._start(t, y)
        self.wheels.begin(y)
        while True:
            y = self.modes.rows.clipped(t, y, 2 * self.position_error)
            self._record(y, t)
            before = t
            t, y, event, failed = self._segment(integrator, options, t, y, end, work)
            if failed or t >= self.restarts[-1]:
                return failed
            if t >= end:
                end = next(restarts)
                self.control.within(t, end)
                y = self._settled(t, y) if event is None else y
            repeated = repeated + 1 if t == before else 0
            self._guard.check_count(t, repeated)
            if len(self.events) > MOST_EVENTS:
                raise UndecidedError(f"more than {MOST_EVENTS} events up to t = {t:g} s")
            if event is not None:
                y, over = self._switch(t, self.modes.rows.clipped(t, y, 2 * self.position_error), event)
                if over:
                    self._record(y, t, last=True)
                    return over

    def _start(self, t: float, y: Array) -> Array:
        """Return the initial state at time t after the initial stick, slip and stop states have been determined."""
        if self.modes.idle:
            return y
        y = self.modes.rows.clipped(t, y, CONTACT)
        struck = self.modes.begin(y)
        if struck and not self.ends:
            return self._strike(t, y, struck[0])
        return self._settled(t, y, begin=True)

    def _settled(self, t: float, y: Array, **change: Any) -> Array:
        """Determine which joints stick, slip or rest on a stop, and return the state with sticking joints at rest.

        A torque that is discontinuous in the velocity changes when joints come to rest, so the decision is repeated
        with the new torque. With such a law a joint remains at rest if its torque would drive it back in the direction
        from which it came.

        Args:
            t, y: time and state.
            change: keyword arguments of `ContactModes.settle` that describe the event.
        """
        if self.modes.idle:
            return y
        modes = self.modes
        here, known = self.control.moved(t, y)
        tau, event, came = self.control.acting(t, here), change.get("event"), Mode.OPEN
        before, news = modes.copy(), []
        if event is not None and event < len(modes.mode) and not modes.rows.stop[event]:
            came = int(modes.mode[event])
        for _ in range(DECISIONS):
            y, events = modes.settle(t, here, tau, known, **change)
            if event is not None and came in (Mode.FORWARD, Mode.BACKWARD) and modes.mode[event] == came:
                modes.restore(before)
                here, came = modes.stopped(here, event), Mode.OPEN
                tau = self.control.acting(t, here)
                continue
            news += events
            last, tau = tau, self.control.acting(t, y)
            if np.array_equal(tau, last):
                break
            here, came, change = y, Mode.OPEN, {}
        self.events += news
        return y

    def _strike(self, t: float, y: Array, row: int) -> Array:
        """Return the state after the impact at time t at the stop with index `row`."""
        here, known = self.control.moved(t, y)
        after = self.modes.impact(t, here, self.control.acting(t, here), known, row)
        return self._settled(t, after, event=row, struck=True)

    def _segment(
        self, integrator: Any, options: dict[str, Any], t: float, y: Array, end: float, work: Task
    ) -> tuple[float, Array, int | None, str]:
        """Integrate from t to `end`, to the first event, or until the state has drifted off its constraints.

        Each segment starts with SciPy's automatic first step: reusing the last step loses two digits of energy.

        Args:
            integrator, options: SciPy integrator class and its keyword arguments.
            t, y: initial time and state.
            end: latest end time in seconds.
            work: progress display.

        Returns:
            Final time and state, index of the event function (None without an event), and the reason if the integrator
            fails (otherwise empty).
        """
        stride = STRIDES.get(integrator.__name__, 1) * self._apart
        solver = integrator(
            self._rates, t, y, end, **{**options, "max_step": min(options["max_step"], stride)}
        )
        margins, noise = (self._margins(t, y), self._noise()) if self._watched else (None, None)
        if self.record is not None:
            self.record.run(t, self.modes)
        while solver.status == "running":
            before = solver.y.copy()
            message = solver.step()
            upto = float(solver.t)
            if self._guard.is_slow(upto):
                self._guard.look(upto, self._torques_at(upto, solver.y))
            if solver.status == "failed" or not np.isfinite(solver.y).all():
                reason = message or "the state is not finite"
                return upto, solver.y, None, f"the integrator fails at t = {upto:g} s: {reason}"
            dense: Any = None
            if self._watched or self.record is not None or self._due(upto):
                dense = solver.dense_output()
            event = None
            if margins is not None and noise is not None:
                on_curve = partial(self._margins_on, dense)
                upto, event, margins = first_event(
                    on_curve, float(solver.t_old), upto, margins, noise, SAMPLES * self._apart
                )
            here = solver.y if event is None else dense(upto)
            ready = self._ready(upto, here)
            self._check_loops(before, here, ready, upto, solver)
            if self.record is not None:
                self.record.step(upto, dense)
            self._record(solver.y, upto, dense)
            work.to(upto)
            if event is not None:
                return upto, here, event, ""
            if ready is not solver.y and self.mechanics.gap(solver.y, ready) > DRIFT and upto < end:
                return upto, ready, None, ""
        return float(solver.t), self._ready(float(solver.t), solver.y), None, ""

    def _check_loops(self, before: Array, y: Array, ready: Array, t: float, solver: Any) -> None:
        """Reject a step across a singular configuration of the loops, which error control may not detect.

        Args:
            before: state at the start of the step.
            y: state at the end t of the step.
            ready: the state y projected onto its constraints.
            solver: the SciPy integrator.
        """
        if self.mechanics.loops is None:
            return
        q = self.mechanics.parts["q"]

        def path(shares: Array) -> Array:
            start = float(solver.t_old)
            return np.asarray(solver.dense_output()(start + shares * (t - start))[q].T)

        self.mechanics.loops.check_path(path, before[q], y[q], ready[q], t)

    def _ready(self, t: float, y: Array) -> Array:
        """Return the state projected onto its constraints: loops closed, unit quaternion, sticking joints at rest."""
        return self.modes.project(self.mechanics.projected(y, t))

    # -- events

    def _margins(self, t: float, y: Array) -> Array:
        """Return the values of all event functions at time t in the state y; each is positive until its event.

        The order is: friction and stops, monitored limits, wheels, and the user's function `until`.
        """
        here, known = self.control.moved(t, y)
        parts = [] if self.modes.idle else [self.modes.margins(here, self.control.acting(t, here), known)]
        if self.limits is not None:
            parts.append(self.limits.margins(here))
        last = 1.0 if self.until is None else self._until(t, here)
        return np.concatenate([*parts, self.wheels.margins(here), [last]])

    def _noise(self) -> Array:
        """Return, per event function, the magnitude of its round-off."""
        parts = [] if self.modes.idle else [self.modes.noise(self.position_error)]
        watched, wheels = np.full(len(self.limits or ()), CONTACT), np.zeros(len(self.wheels))
        return np.concatenate([*parts, watched, wheels, [FORCE_NOISE]])

    def _until(self, t: float, y: Array) -> float:
        """Return the value of the user's function `until` at time t in the state y.

        Raises:
            ArgumentError: the value is not a number.
        """
        assert self.until is not None
        try:
            value: Any = self.until(t, self.mechanics.state(t, y))
        except Exception as error:
            self._raised = error
            raise
        flat = np.asarray(value)
        if flat.dtype.kind not in "iuf" or flat.size != 1 or np.isnan(flat).any():
            raise ArgumentError(
                f"'until' returns {str(value)[:60]} at t = {t:g} s: expected a number that becomes negative at the "
                "end of "
                "the simulation",
                hint="for example, 1 - state.q[0] ends the simulation where q[0] exceeds 1; do not return a "
                "condition or NaN",
            )
        return float(flat.reshape(()))

    def _margins_on(self, dense: Any, t: float) -> Array:
        return self._margins(t, dense(t))

    def _torques_at(self, t: float, y: Array) -> Array:
        return self.control.acting(t, self.control.moved(t, y)[0])

    def _switch(self, t: float, y: Array, event: int) -> tuple[Array, str]:
        """Apply an event; return the state after it, and a reason if the event ends the simulation (otherwise empty).

        Args:
            t, y: time and state at the event.
            event: index of the event function that became zero.
        """
        rows = self.modes.rows
        others = event - (0 if self.modes.idle else len(rows) + 1)
        limits = len(self.limits or ())
        if others == limits + len(self.wheels):
            return y, f"ended at t = {t:g} s by the function 'until'"
        if others == limits:
            return y, f"{SINGULAR_WHEELS}, at t = {t:g} s"
        if others >= 0 and self.limits is not None:
            self.events.append(self.limits.switch(t, others))
            return y, f"joint {self.events[-1].joint} exceeds its limit at t = {t:g} s" if self.ends else ""
        if event < len(rows) and rows.stop[event] and self.modes.mode[event] == Mode.OPEN:
            if self.ends:
                return y, f"joint {rows.joints[event]} reaches its stop at t = {t:g} s"
            return self._strike(t, y, event), ""
        self._guard.event(t, self._torques_at(t, y))
        return self._settled(t, y, event=event), ""

    # -- samples

    def _due(self, t: float) -> bool:
        return len(self.times) < len(self.grid) and self.grid[len(self.times)] <= t

    def _record(self, y: Array, end: float, dense: Any = None, *, last: bool = False) -> None:
        """Store the samples whose times are not later than `end`.

        Args:
            y: state at `end`.
            dense: interpolation of the last step; without it only a sample at `end` itself is stored.
            last: whether the simulation ends here, so that a sample is stored at `end` in any case.
        """
        first, upto = len(self.times), int(np.searchsorted(self.grid, end, side="right"))
        times = self.grid[first:upto]
        if dense is not None and len(times):
            self._take(times, dense(times).T)
        elif len(times) and times[0] == end:
            self._take(times, y[None])
        if last and (not self.times or self.times[-1] < end):
            self._take(np.array([end]), y[None])

    def _take(self, times: Array, rows: Array) -> None:
        """Store the states `rows` (one per time) as samples."""
        moved = [self.control.moved(float(t), y) for t, y in zip(times, rows, strict=True)]
        drifted = np.array([y for y, _ in moved])
        try:
            ready = self.mechanics.projected_rows(drifted, times)
            if self.mechanics.loops is not None:
                q = self.mechanics.parts["q"]
                self.mechanics.loops.check_samples(drifted[:, q], ready[:, q], times)
        except NotClosedError:
            if len(times) == 1:
                raise
            for k in range(len(times)):  # keep the samples before the first one that does not close
                self._take(times[k : k + 1], rows[k : k + 1])
            return
        for t, y, (_, known) in zip(times, ready, moved, strict=True):
            self._take_ready(float(t), self.modes.project(y), known)

    def _take_ready(self, t: float, y: Array, known: dict[int, float]) -> None:
        tau = self.modes.drive_torques(y, self.control.torques(t, y), known)
        tau[self.mechanics.springs] = 0.0
        self._guard.observe(tau)
        self.times.append(t)
        self.rows.append(np.array(y))
        self.taus.append(tau)
        if self.watch is not None:
            try:
                self.watch(self.mechanics.state(t, y), tau.copy())
            except Exception as error:
                self._raised = error
                raise
