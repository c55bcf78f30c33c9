"""The course of a simulation: a state integrated from event to event, with samples on the way.

Between two events the right side is smooth: friction and stops switch modes at moments that are found on the
integrator's own interpolation (`switching`), torques jump at moments that are told (`drives`) or met by the
integrator's error control. What a joint at rest does is decided by the torques after a jump. Where loops close, a base
floats or passive joints stick, the state is brought back onto its constraints when it has drifted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError, NotClosedError, UndecidedError
from symoro.progress import Task, task
from symoro.simulation.chatter import Endless
from symoro.simulation.contact_modes import BEYOND, NOISE, Modes, MotionEvent
from symoro.simulation.drives import Drives
from symoro.simulation.event_location import first_crossing
from symoro.simulation.limits import STUCK, WatchedLimits, WheelWatch
from symoro.simulation.mechanics import Mechanics, State, Watch
from symoro.simulation.result import Recording, Simulation

Array = NDArray[np.float64]

DRIFT = 1e-9  # radians, or shares of the robot's length: a state that has drifted farther is put right
SAMPLES = 5  # of the result: the longest interval in which, where a user's function decides, looks are a sample apart
STRIDES = {
    "DOP853": 3,
    "RK45": 2,
}  # samples in a step whose stages are no farther apart than samples are; else 1
MOST_EVENTS = 100_000
SOON = 1e-6  # seconds after a moment at which joints may start from rest
AT_ONCE = 50  # events at one moment, after which nothing more is believed
AGAIN = 4  # decisions at one moment, of a law whose torque jumps with the state


class Course:
    """One simulation under way.

    Attributes:
        grid: the times of the samples, from zero on.
        upto: moments up to which the integrator runs at once: where a motion that joints follow has a kink, an
            integrator that steps over it may not notice, and where the law of the torques jumps.
        limits: those of joints that have no stop; None where nothing happens at limits.
        ends: whether it ends at a stop or such a limit.
    """

    def __init__(
        self,
        mechanics: Mechanics,
        control: Drives,
        modes: Modes,
        limits: WatchedLimits | None,
        grid: Array,
        breaks: Iterable[float],
        ends: bool,
        until: Callable[[float, State], float] | None,
        watch: Watch | None,
        record: Recording | None = None,
    ) -> None:
        self.mechanics, self.control, self.modes, self.limits = mechanics, control, modes, limits
        self.ends, self.until, self.watch, self.record = ends, until, watch, record
        self.wheels = WheelWatch(mechanics)
        if record is not None:
            record.begin(mechanics, control)
        self.grid = grid
        ends_at = {float(t) for t in (*breaks, *control.jumps) if 0 < t < grid[-1]}
        self.upto = [*sorted(ends_at), float(grid[-1])]
        self._endless = Endless(float(grid[-1]), mechanics.coordinates)
        smooth = until is None and control.constant is not None and not control.motions
        apart = np.inf if smooth else float(grid[-1]) / (len(grid) - 1)
        self._longest, self._apart = SAMPLES * apart, apart
        self._raised: Exception | None = None  # by a function of the user's
        self.rows: list[Array] = []
        self.taus: list[Array] = []
        self.times: list[float] = []
        self.events: list[MotionEvent] = []

    def result(self, integrator: Any, options: dict[str, Any], y: Array) -> Simulation:
        why = ""
        try:
            with task("simulating", float(self.grid[-1])) as work:
                why = self._go(integrator, options, y, work)
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
            why = (
                str(error)
                if isinstance(error, FloatingPointError)
                else "the accelerations are not determined"
            )
            if len(self.times) < 2:
                hint = "give every link a mass or an inertia, and every symbol a value"
                if self.mechanics.loops is not None:
                    hint = f"start away from singular configurations of the loops; {hint}"
                raise ArgumentError(why, hint=hint) from None
            if self.mechanics.loops is not None:
                why += ", where its loops may be singular"
        doubts = () if self.limits is None else self.limits.doubts()
        return Simulation.made(self.mechanics, self.times, self.rows, self.taus, self.events, why, doubts)

    def _rates(self, t: float, y: Array) -> Array:
        y, known = self.control.moved(t, y)
        found = self.mechanics.rates(t, y, self.control.acting(t, y), self.modes.holds(y, known))
        if (
            np.isnan(found).any() and np.isfinite(y).all()
        ):  # SciPy's integrators would halve their step for ever
            raise FloatingPointError(f"the accelerations are not determined at t = {t:g} s")
        return found

    def _settled(self, t: float, y: Array, **change: int) -> Array:
        """The state once it is decided what joints at rest do.

        A torque that jumps with the velocity is another one when they stand: it is decided again with what acts then.
        A joint that comes to rest and would be pushed back the way it came is held by such a law.
        """
        if self.modes.idle:
            return y
        here, known = self.control.moved(t, y)
        _, soon = self.control.moved(min(t + SOON, float(self.grid[-1])), y)
        tau, came, news = self.control.acting(t, here), 0.0, []
        if "rest" in change:
            came, before = self.modes.slides[change["rest"]], self.modes.kept()
        for _ in range(AGAIN):
            y, found = self.modes.settle(t, here, tau, known, soon=soon, **change)
            if came and self.modes.slides[change["rest"]] == came:
                self.modes.restore(before)
                here, came = self.modes.halted(here, change["rest"]), 0.0
                tau = self.control.acting(t, here)
                continue
            news += found
            tau, last = self.control.acting(t, y), tau
            if np.array_equal(tau, last):
                break
            here, came, change = y, 0.0, {}
        self.events += news
        return y

    def _go(self, integrator: Any, options: dict[str, Any], y: Array, work: Task) -> str:
        """Integrate from event to event; the reason why it ended early."""
        t, repeated, ahead = 0.0, 0, iter(self.upto)
        upto = next(ahead)
        self.control.within(t, upto)
        y = self._settled(t, y)
        self.wheels.begin(y)
        while True:
            y = self.modes.within(t, y)
            self._record(t, y, t)
            before = t
            t, y, hit, failed = self._smooth(integrator, options, t, y, upto, work)
            if failed or t >= self.upto[-1]:
                return failed
            if t >= upto:
                upto = next(ahead)
                self.control.within(t, upto)
                y = self._settled(t, y) if hit is None else y
            repeated = repeated + 1 if t == before else 0
            if repeated > AT_ONCE or len(self.events) > MOST_EVENTS:
                raise UndecidedError(f"events follow each other without end at t = {t:g} s")
            if hit is not None:
                y, over = self._switch(t, self.modes.within(t, y), hit)
                if over:
                    self._record(t, y, t, last=True)
                    return over

    def _smooth(
        self, integrator: Any, options: dict[str, Any], t: float, y: Array, end: float, work: Task
    ) -> tuple[float, Array, int | None, str]:
        """Integrate up to the next event, or to where the state is to be put right."""
        stride = STRIDES.get(integrator.__name__, 1) * self._apart
        bounded = {**options, "max_step": min(options["max_step"], stride)}
        solver = integrator(self._rates, t, y, end, **bounded)
        watched = not self.modes.idle or self.until is not None or bool(self.limits) or self.wheels.varies
        margins = self._margins(t, y) if watched else None
        noise = np.concatenate(
            [
                np.zeros(0) if self.modes.idle else self.modes.noise(t),
                np.full(len(self.limits or ()), BEYOND),
                np.zeros(len(self.wheels)),
                [NOISE],
            ]
        )
        places = [] if self.modes.idle else self.modes.places()
        if self.record is not None:
            self.record.run(t, self.modes)
        while solver.status == "running":
            before = solver.y.copy()
            told = solver.step()
            if self._endless.slow(float(solver.t)):
                self._endless.look(float(solver.t), self._torques_at(float(solver.t), solver.y))
            if solver.status == "failed" or not np.isfinite(solver.y).all():
                reason = told or "the state is not finite"
                return solver.t, solver.y, None, f"the integrator gives up at t = {solver.t:g} s: {reason}"
            upto = float(solver.t)
            dense: Any = None
            if watched or self.record is not None or self._due(upto):
                dense = solver.dense_output()
            hit = None
            if watched and margins is not None:
                look = partial(self._margins_on, dense)
                upto, hit, margins = first_crossing(
                    look, float(solver.t_old), upto, margins, noise, self._longest, places
                )
            here = solver.y if hit is None else dense(upto)
            ready = self._ready(upto, here)
            self._check_loops(before, here, ready, upto, solver)
            if self.record is not None:
                self.record.step(upto, dense)
            self._record(float(solver.t_old), solver.y, upto, dense)
            work.to(upto)
            if hit is not None:
                return upto, here, hit, ""
            if ready is not solver.y and self.mechanics.gap(solver.y, ready) > DRIFT and upto < end:
                return upto, ready, None, ""
        return float(solver.t), self._ready(float(solver.t), solver.y), None, ""

    def _check_loops(self, before: Array, y: Array, ready: Array, t: float, solver: Any = None) -> None:
        """Raise where a step goes through a dead point of loops, which error control need not notice."""
        if self.mechanics.loops is None:
            return
        q = self.mechanics.parts["q"]

        def path(shares: Array) -> Array:
            start = float(solver.t_old)
            return np.asarray(solver.dense_output()(start + shares * (t - start))[q].T)

        self.mechanics.loops.check_way(path, before[q], y[q], ready[q], t)

    def _ready(self, t: float, y: Array) -> Array:
        """The state with its constraints met: loops closed, quaternions of length 1, sticking joints at rest."""
        return self.modes.at_rest(self.mechanics.projected(y, t))

    # -- events

    def _margins(self, t: float, y: Array) -> Array:
        """What stays positive: those of friction, of stops, of other limits, of wheels, and the user's function."""
        here, known = self.control.moved(t, y)
        found = (
            np.ones(0) if self.modes.idle else self.modes.margins(here, self.control.acting(t, here), known)
        )
        last = 1.0 if self.until is None else self._asked(t, here)
        limits = np.zeros(0) if self.limits is None else self.limits.margins(here)
        return np.concatenate([found, limits, self.wheels.margins(here), [last]])

    def _asked(self, t: float, y: Array) -> float:
        """What `until` says.

        Raises:
            ArgumentError: no number.
        """
        assert self.until is not None
        try:
            found: Any = self.until(t, self.mechanics.state(t, y))
        except Exception as error:
            self._raised = error
            raise
        flat = np.asarray(found)
        if flat.dtype.kind not in "iuf" or flat.size != 1 or np.isnan(flat).any():
            raise ArgumentError(
                f"'until' gives {str(found)[:60]} at t = {t:g} s: expected a number that becomes negative where the "
                "simulation is to end",
                hint="1 - state.q[0] ends it where q[0] passes 1; conditions and NaN tell no moment",
            )
        return float(flat.reshape(()))

    def _margins_on(self, dense: Any, t: float) -> Array:
        return self._margins(t, dense(t))

    def _torques_at(self, t: float, y: Array) -> Array:
        return self.control.acting(t, self.control.moved(t, y)[0])

    def _switch(self, t: float, y: Array, hit: int) -> tuple[Array, str]:
        """What an event changes; a reason where the simulation is over."""
        rubbing = 0 if self.modes.idle else len(self.modes.slides)
        others = hit - (0 if self.modes.idle else rubbing + len(self.modes.stop))
        if others == len(self.limits or ()) + len(self.wheels):
            return y, f"ended at t = {t:g} s, as asked"
        if others == len(self.limits or ()):
            return y, f"{STUCK}, at t = {t:g} s"
        if others >= 0 and self.limits is not None:
            self.events.append(self.limits.switch(t, others))
            return y, f"joint {self.events[-1].joint} passes its limit at t = {t:g} s" if self.ends else ""
        if hit < rubbing:
            self._endless.event(t, self._torques_at(t, y))
            return self._settled(t, y, **{"rest" if self.modes.slides[hit] else "loose": hit}), ""
        k = hit - rubbing
        if self.modes.stop[k]:
            return self._settled(t, y, leaves=k), ""
        if self.ends:
            return y, f"joint {self.mechanics.coordinates[k]} meets its stop at t = {t:g} s"
        y, news = self.modes.strike(t, y, k)
        self.events += news
        return self._settled(t, y), ""

    # -- samples

    def _due(self, t: float) -> bool:
        return len(self.times) < len(self.grid) and self.grid[len(self.times)] <= t

    def _record(self, start: float, y: Array, end: float, dense: Any = None, *, last: bool = False) -> None:
        """Take down the samples of the grid up to a moment."""
        while self._due(end):
            t = float(self.grid[len(self.times)])
            if dense is None and t < end:
                break
            self._take(t, y if dense is None else dense(t))
        if last and (not self.times or self.times[-1] < end):
            self._take(end, y)

    def _take(self, t: float, y: Array) -> None:
        y, known = self.control.moved(t, y)
        y, drifted = self._ready(t, y), y
        self._check_loops(drifted, drifted, y, t)
        self.modes.check_rest(t, y)
        tau = self.control.torques(t, y)
        tau = self.modes.taken(y, tau, known) if known else tau.copy()
        tau[self.mechanics.springs] = 0.0
        self._endless.heard(tau)
        self.times.append(t)
        self.rows.append(np.array(y))
        self.taus.append(tau)
        if self.watch is not None:
            try:
                self.watch(self.mechanics.state(t, y), tau.copy())
            except Exception as error:
                self._raised = error
                raise
