"""Simulation: the state of a robot integrated over time under torques, motions that joints follow, friction and stops.

SciPy's integrators run on the compiled models, with error control; `method="rk4"` runs the generated fixed-step
integrator in C instead (`fixed_step`). Between two events the right side is smooth: friction and stops switch modes at
moments that are found on the integrator's own interpolation (`switching`). Where loops close or a base floats, the
state is brought back onto its constraints when it has drifted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import (
    ArgumentError,
    MissingDependencyError,
    NotApplicableError,
    NotClosedError,
    OptionError,
)
from symoro.motion.control import GivenMotion, joint_motions
from symoro.motion.mechanics import Controller, Mechanics, State, Watch
from symoro.motion.result import Simulation
from symoro.motion.samples import Samples
from symoro.motion.switching import Modes, MotionEvent
from symoro.progress import Task, task
from symoro.robot.description import Robot
from symoro.robot.flexibility import flexible_links
from symoro.robot.formats import RobotLike, as_robot

Array = NDArray[np.float64]
METHODS = ("DOP853", "RK45", "RK23", "Radau", "BDF", "LSODA", "rk4")
DRIFT = 1e-9  # radians, metres: loops and quaternions are put right beyond it
LOOKS = 4  # moments of a step at which events are looked for
MOST_EVENTS = 100_000
NOISE = 1e-12  # of speeds, places and torques that count as zero
AT_ONCE = 50  # events at one moment, after which nothing more is believed
MOST_SAMPLES = 5_000_000


def simulate(
    robot: RobotLike,
    duration: float,
    *,
    q: ArrayLike | str,
    qd: ArrayLike | None = None,
    tau: Controller | ArrayLike | None = None,
    driven: Mapping[int | str, GivenMotion] | Samples | None = None,
    start: Mapping[str, ArrayLike] | None = None,
    values: Mapping[str, float] | None = None,
    inputs: Mapping[str, ArrayLike] | None = None,
    step: float = 0.01,
    method: str = "DOP853",
    rtol: float = 1e-9,
    atol: float = 1e-9,
    max_step: float = np.inf,
    friction: str = "events",
    static: float = 1.0,
    stops: str | float | None = None,
    until: Callable[[float, State], float] | None = None,
    watch: Watch | None = None,
) -> Simulation:
    """The motion of a robot from a state.

    Arguments:
        duration: seconds.
        q: joints at the start, all of them or the name of a posture; of a robot with closed loops all joints near a
            closed posture (or the active ones), and the loops are closed from there.
        qd: velocities of the coordinates (the active joints, where loops or wheels tie the others); zero unless given.
        tau: torques of the coordinates: numbers, or a controller `tau(t, state)`; zero unless given.
        driven: joints that follow a motion t -> (q, qd, qdd), by number or name, or as samples; their torques are
            found.
        start: other parts of the state: e, ed (modes), P0, Q0, V0 (a floating base), pose (x, y, heading, on wheels).
        values: numbers for symbols; the robot's nominal values serve where none is given.
        inputs: other inputs of the direct dynamic model, constant: wrench, V0 and Vd0 of a base that moves as given.
        step: seconds between the samples of the result; with rk4 also the step of the integrator.
        method: DOP853, RK45, RK23, Radau, BDF, LSODA (SciPy's), or rk4 (the generated fixed-step integrator).
        rtol, atol: tolerances of SciPy's integrators.
        friction: "events" (stick and slip by events), or "sign" (FS sign(qd) as the models have it, which makes small
            steps wherever a joint is at rest).
        static: break-away torque as a multiple of FS, at least 1.
        stops: what happens at the joints' limits: None (nothing), "end" (the simulation ends), or a coefficient of
            restitution, 0 (it stays) to less than 1.
        until: the simulation ends where this function of time and state passes from positive to negative.
        watch: is told each sample as it comes, with its torques; what it raises ends the simulation.

    Returns:
        The motion up to its end; `finished` and `why` tell where it ended before its time: interrupted (Ctrl-C), at a
        singular posture, at a stop.

    Raises:
        ArgumentError: numbers that do not fit, torques that are not finite; with the time.
        MissingDependencyError: SciPy is asked for and not there.
    """
    asked = as_robot(robot)
    numbers = {**dict(asked.nominal), **(values or {})}
    _check(asked, duration, step, method, rtol, atol, friction, static, stops, max_step)
    strip = friction == "events" and method != "rk4" and not flexible_links(asked)
    bare, rub = _without_friction(asked, numbers) if strip else (asked, {})
    mechanics = Mechanics(bare, numbers, inputs or {})
    y = mechanics.start({"q": _posture(asked, q), "qd": qd, **(start or {})})
    motions = joint_motions(asked, mechanics.coordinates, driven)
    control = _Control(mechanics, tau, motions)
    y = mechanics.projected(control.moved(0.0, y)[0])
    if method == "rk4":
        from symoro.motion.fixed_step import run_fixed

        if motions or stops is not None or until is not None:
            raise OptionError("driven joints, stops and 'until' need one of SciPy's methods, not rk4")
        return run_fixed(mechanics, control.torques, control.constant, y, duration, step, watch)
    modes = _modes(asked, mechanics, rub, static, stops, frozenset(motions))
    _check_between(modes, y)
    run = _Run(mechanics, control, modes, duration, step, stops == "end", until, watch)
    options = {"rtol": rtol, "atol": atol, "max_step": max_step}
    return run.result(_integrator(method), options, y)


def _integrator(method: str) -> Any:
    try:
        from scipy import integrate
    except ImportError:
        raise MissingDependencyError(
            f"method {method} needs SciPy", hint="pip install symoro[sim], or take method='rk4'"
        ) from None
    return getattr(integrate, method)


def _posture(robot: Robot, q: ArrayLike | str) -> ArrayLike:
    return robot.postures[q] if isinstance(q, str) else q


def _check(
    robot: Robot,
    duration: float,
    step: float,
    method: str,
    rtol: float,
    atol: float,
    friction: str,
    static: float,
    stops: str | float | None,
    max_step: float,
) -> None:
    positive = {"duration": duration, "step": step, "rtol": rtol, "atol": atol, "max_step": max_step}
    for name, value in positive.items():
        if not value > 0 or (name != "max_step" and not np.isfinite(value)):
            raise ArgumentError(f"{name} = {value}: expected a positive number")
    if duration / step > MOST_SAMPLES:
        raise ArgumentError(f"{duration:g} s in steps of {step:g} s are more than {MOST_SAMPLES} samples")
    if method not in METHODS:
        raise OptionError(f"no method called '{method}'", hint=f"known: {', '.join(METHODS)}")
    if friction not in ("events", "sign"):
        raise OptionError(f"friction = '{friction}': expected 'events' or 'sign'")
    if not 1 <= static < np.inf:
        raise ArgumentError(f"static = {static}: expected at least 1")
    if isinstance(stops, str) and stops != "end":
        raise OptionError(f"stops = '{stops}': expected 'end', or a coefficient of restitution")
    if isinstance(stops, int | float) and not 0 <= stops < 1:
        raise ArgumentError(f"stops = {stops}: a coefficient of restitution is at least 0, and less than 1")
    if stops is not None and flexible_links(robot):
        raise NotApplicableError(f"robot '{robot.name}' has flexible links, for which stops are not modelled")


def _without_friction(robot: Robot, values: Mapping[str, float]) -> tuple[Robot, dict[int, float]]:
    """The robot without the Coulomb friction of its own coordinates, and that friction by joint."""
    from symoro.models.geometric.loop.mechanism import active_joints
    from symoro.robot.coordinates import independent

    tied = robot.B > 0 or bool(robot.wheels)
    found: dict[int, float] = {}
    for j in active_joints(robot) if tied else independent(robot):
        FS = robot.frame(j).FS
        if not any(name not in values for name in FS.symbols) and (size := FS.value(values)) != 0:
            if size < 0:
                raise ArgumentError(f"joint {j} of robot '{robot.name}' has negative friction FS = {size:g}")
            found[j] = size
            robot = robot.with_frame(j, FS=0)
    return robot, found


def _modes(
    robot: Robot,
    mechanics: Mechanics,
    rub: Mapping[int, float],
    static: float,
    stops: str | float | None,
    driven: frozenset[int],
) -> Modes:
    n = len(mechanics.coordinates)
    lower, upper = np.full(n, -np.inf), np.full(n, np.inf)
    if stops is not None:
        for k, j in enumerate(mechanics.coordinates):
            limits = robot.frame(j).limits
            if k not in driven:
                lower[k] = -np.inf if limits.lower is None else limits.lower
                upper[k] = np.inf if limits.upper is None else limits.upper
    friction = np.array([rub.get(j, 0.0) for j in mechanics.coordinates])
    bounce = float(stops) if isinstance(stops, int | float) else 0.0
    return Modes(mechanics, friction, static, lower, upper, bounce, driven)


def _check_between(modes: Modes, y: Array) -> None:
    """Raise where a joint starts beyond its stop."""
    q = y[modes.mechanics.parts["q"]][modes.mechanics.at]
    for k, j in enumerate(modes.mechanics.coordinates):
        if not modes.lower[k] - DRIFT <= q[k] <= modes.upper[k] + DRIFT:
            raise ArgumentError(
                f"joint {j} starts at {q[k]:g}, beyond its stops {modes.lower[k]:g} and {modes.upper[k]:g}"
            )


class _Control:
    """The torques of the drives, and the motions that joints follow."""

    def __init__(
        self, mechanics: Mechanics, tau: Controller | ArrayLike | None, motions: Mapping[int, GivenMotion]
    ) -> None:
        self.mechanics, self.motions = mechanics, motions
        self._n = len(mechanics.coordinates)
        self._law: Controller | None = None
        self.constant: Array | None = None
        if callable(tau):
            self._law = tau
        else:
            self.constant = self._checked(np.zeros(self._n) if tau is None else tau, 0.0)

    def torques(self, t: float, y: Array) -> Array:
        if self._law is None:
            assert self.constant is not None
            return self.constant
        return self._checked(self._law(t, self.mechanics.state(t, y)), t)

    def _checked(self, tau: Any, t: float) -> Array:
        try:
            found = np.asarray(tau, dtype=float)
        except (TypeError, ValueError):
            raise ArgumentError(f"the torques at t = {t:g} s are no numbers: {str(tau)[:60]}") from None
        if found.shape != (self._n,):
            joints = ", ".join(map(str, self.mechanics.coordinates))
            raise ArgumentError(
                f"the torques at t = {t:g} s have shape {found.shape}, expected ({self._n},) for joints {joints}"
            )
        if not np.isfinite(found).all():
            joint = self.mechanics.coordinates[int(np.flatnonzero(~np.isfinite(found))[0])]
            raise ArgumentError(f"the torque of joint {joint} is not a finite number at t = {t:g} s")
        return found

    def moved(self, t: float, y: Array) -> tuple[Array, dict[int, float]]:
        """The state with driven joints where and as fast as their motions say, and their accelerations."""
        if not self.motions:
            return y, {}
        y, known = y.copy(), {}
        for k, motion in self.motions.items():
            q, qd, known[k] = motion(t)
            y[self.mechanics.parts["q"].start + self.mechanics.at[k]] = q
            y[self.mechanics.parts["qd"].start + k] = qd
        return y, known


class _Run:
    """One simulation under way."""

    def __init__(
        self,
        mechanics: Mechanics,
        control: _Control,
        modes: Modes,
        duration: float,
        step: float,
        ends: bool,
        until: Callable[[float, State], float] | None,
        watch: Watch | None,
    ) -> None:
        self.mechanics, self.control, self.modes = mechanics, control, modes
        self.ends, self.until, self.watch = ends, until, watch
        self.grid = np.linspace(0.0, duration, max(1, int(np.ceil(duration / step - 1e-9))) + 1)
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
        except FloatingPointError as error:
            if len(self.times) < 2:
                hint = "has every link a mass or an inertia, and every symbol a value?"
                raise ArgumentError(str(error), hint=hint) from None
            why = str(error)
        return Simulation.made(self.mechanics, self.times, self.rows, self.taus, self.events, why)

    def _rates(self, t: float, y: Array) -> Array:
        y, known = self.control.moved(t, y)
        tau = self.modes.torques(self.control.torques(t, y))
        known.update(dict.fromkeys(self.modes.held(), 0.0))
        found = self.mechanics.rates(t, y, tau, known)
        if (
            np.isnan(found).any() and np.isfinite(y).all()
        ):  # on which SciPy's integrators halve their step for ever
            raise FloatingPointError(f"the accelerations are not determined at t = {t:g} s")
        return found

    def _settled(self, t: float, y: Array, *, rest: int | None = None, loose: int | None = None) -> Array:
        if self.modes.idle:
            return y
        here, known = self.control.moved(t, y)
        y, news = self.modes.settle(t, here, self.control.torques(t, here), known, rest=rest, loose=loose)
        self.events += news
        return y

    def _go(self, integrator: Any, options: dict[str, Any], y: Array, work: Task) -> str:
        """Integrate from event to event; the reason why it ended early."""
        t, end, repeated = 0.0, float(self.grid[-1]), 0
        y = self._settled(t, y)
        while True:
            self._record(t, y, t)
            before = t
            t, y, hit, failed = self._smooth(integrator, options, t, y, end, work)
            if failed or t >= end:
                return failed
            repeated = repeated + 1 if t == before else 0
            if repeated > AT_ONCE or len(self.events) > MOST_EVENTS:
                raise ArgumentError(f"events follow each other without end at t = {t:g} s")
            if hit is not None:
                y, over = self._switch(t, y, hit)
                if over:
                    self._record(t, y, t, last=True)
                    return over

    def _smooth(
        self, integrator: Any, options: dict[str, Any], t: float, y: Array, end: float, work: Task
    ) -> tuple[float, Array, tuple[int, int] | None, str]:
        """Integrate up to the next event, or to where the state is to be put right."""
        solver = integrator(self._rates, t, y, end, **options)
        watched = not self.modes.idle or self.until is not None
        margins = self._margins(t, y) if watched else None
        while solver.status == "running":
            told = solver.step()
            if solver.status == "failed" or not np.isfinite(solver.y).all():
                reason = told or "the state is not finite"
                return solver.t, solver.y, None, f"the integrator gives up at t = {solver.t:g} s: {reason}"
            upto = float(solver.t)
            dense: Any = None
            if watched or self._due(upto):
                dense = solver.dense_output()
            hit = None
            if watched and margins is not None:
                upto, hit, margins = self._first(dense, float(solver.t_old), upto, margins)
            self._record(float(solver.t_old), solver.y, upto, dense)
            work.to(upto)
            if hit is not None:
                return upto, dense(upto), hit, ""
            ready = self.mechanics.projected(solver.y, upto)
            if ready is not solver.y and self.mechanics.gap(solver.y, ready) > DRIFT and upto < end:
                return upto, ready, None, ""
        return float(solver.t), self.mechanics.projected(solver.y, float(solver.t)), None, ""

    # -- events

    def _margins(self, t: float, y: Array) -> Array:
        """What stays positive: rows of friction, of stops, and of the user's function."""
        here, known = self.control.moved(t, y)
        found = self.modes.margins(here, self.control.torques(t, here), known)
        last = 1.0 if self.until is None else float(self.until(t, self.mechanics.state(t, here)))
        return np.vstack([found, np.full(found.shape[1], last)])

    def _first(
        self, dense: Any, start: float, end: float, margins: Array
    ) -> tuple[float, tuple[int, int] | None, Array]:
        """The first moment at which something that stays positive does not, and what it is."""
        from scipy.optimize import brentq

        before = start
        for t in np.linspace(start, end, LOOKS + 1)[1:]:
            now = self._margins(t, dense(t))
            fallen = np.argwhere((now < -NOISE) & (margins >= -NOISE))
            if len(fallen):
                times = []
                for row, column in fallen:

                    def value(x: float, at: tuple[int, int] = (row, column)) -> float:
                        return float(self._margins(x, dense(x))[at])

                    zero = (
                        before
                        if margins[row, column] <= 0
                        else brentq(value, before, t, xtol=1e-15, rtol=1e-14)
                    )
                    times.append(zero)
                k = int(np.argmin(times))
                return float(times[k]), (int(fallen[k][0]), int(fallen[k][1])), now
            margins, before = now, t
        return end, None, margins

    def _switch(self, t: float, y: Array, hit: tuple[int, int]) -> tuple[Array, str]:
        """What an event changes; a reason where the simulation is over."""
        kind, k = hit
        if kind == 2:
            return y, f"ended at t = {t:g} s, as asked"
        y = y.copy()
        joint = self.mechanics.coordinates[k]
        if kind == 1 and not self.modes.stop[k]:
            if self.ends:
                return y, f"joint {joint} meets its stop at t = {t:g} s"
            y, news = self.modes.strike(t, y, k)
            self.events += news
        elif kind == 0 and self.modes.slides[k]:
            return self._settled(t, y, rest=k), ""
        else:  # it can no longer be held
            return self._settled(t, y, loose=k), ""
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
        y = self.mechanics.projected(y, t)
        tau = self.control.torques(t, y).copy()
        if known:
            _, needed = self.mechanics.needed(
                y, self.modes.torques(tau), {**known, **dict.fromkeys(self.modes.held(), 0.0)}
            )
            qd = y[self.mechanics.parts["qd"]]
            for k in known:
                tau[k] = needed[k] + self.modes.friction[k] * np.sign(qd[k])
        tau[self.mechanics.springs] = 0.0
        self.times.append(t)
        self.rows.append(np.array(y))
        self.taus.append(tau)
        if self.watch is not None:
            self.watch(self.mechanics.state(t, self.rows[-1]), tau)
