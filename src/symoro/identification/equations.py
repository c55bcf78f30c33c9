"""Equations A K = y of an identification model along a motion, from the models of the catalogue.

    dynamic    tau = W(q, qd, qdd) K                                      n rows per sample
    filtered   F[tau] = (F'[D1] + F[D2]) K                                n rows, no accelerations
    power      F[qd' tau] = (F'[h] + F[p]) K                              one row, no accelerations
    energy     integral of qd' tau = (h(t2) - h(t1) + integral of p) K    one row per interval, no accelerations

    dynamic, floating base   [0; tau] + sum of Jc' f = W(q, qd, qdd, motion of the base) K        6 + n rows, or 6

F is the low-pass filter of the parallel decimation, the same on both sides; F' = s F filters the time derivative.
Differences and integrals are computed in `signals`. For a robot with closed loops q, qd, qdd and tau are those of the
active joints; the passive joint positions are computed from them (`postures`). For a robot with a floating base f are
the measured wrenches of its contacts (`contacts`). The six rows of the base are used alone if no torques were measured;
the columns of rotor inertias and friction, which do not occur in these rows, are then absent.

Known torques, namely those of springs, of a payload and of external wrenches, are subtracted from tau: t(q, qd, qdd) is
the inverse dynamic model of the robot without its links, rotors, friction and springs.

Friction of passive joints may be linearly dependent on other columns. The passive joints of a parallelogram move by
sums of other joints, so that only one of two passive joints has independent friction columns, and offsets of passive
joints are part of those of active ones. A friction column is removed if it is in the span of the columns before it at
random motions, with the same coefficients at a second set of random motions.

W. Khalil, D. Creusot, "SYMORO+: a system for the symbolic modelling of robots", Robotica 15, 1997, sections 6.1 to 6.3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError, NotApplicableError, OptionError
from symoro.expr.formula import ZERO, Formula
from symoro.expr.graph import ZERO as ZERO_EXPRESSION
from symoro.identification.base_motion import BaseMotion, random_base_motion
from symoro.identification.contacts import BASE_ROWS, Contact, ContactForces
from symoro.identification.friction import TERMS, Friction, FurtherColumns, further_columns
from symoro.identification.log import Log, position_units
from symoro.identification.log_description import Transmission
from symoro.identification.log_payload import payload_kind
from symoro.identification.postures import LogPostures, LoopPostures
from symoro.identification.signals import (
    HALF,
    REACH,
    MotionPiece,
    Preparation,
    beside,
    decimated,
    decimation_filter,
    independent_share,
    inner_slopes,
    motions,
    step_integrals,
    step_weights,
)
from symoro.identification.tolerances import COLUMN_IN_SPAN, PASSIVE_RATE, SMALL_SHARE_OF_COLUMN
from symoro.model import Model, generate
from symoro.models.coordinates.couplings import coordinate_joints
from symoro.models.units import column_length_power
from symoro.robot.description import DRIVE, FRICTION, INERTIAL, WRENCH, BaseKind, Link, Robot
from symoro.robot.size import characteristic_length, joint_units
from symoro.runtime.function import Function
from symoro.trajectory.assembly import BrokenLoopsError, LoopAssembly

if TYPE_CHECKING:
    from symoro.identification.payloads import PayloadColumns

# -- known_torques


def known_torques(robot: Robot) -> Function | None:
    """Return the torques of the given payload and wrenches as a function of the motion; None if there are none.

    Raises:
        NotApplicableError: a symbol of the payload or of a wrench has no number.
    """
    held = dict(_known_loads(robot))
    if not held:
        return None
    numbers = dict(robot.nominal)
    for what, formulas in held.items():
        unknown = sorted({name for formula in formulas for name in formula.symbols if name not in numbers})
        if unknown:
            raise NotApplicableError(
                f"the torques of {what} of robot '{robot.name}' are unknown: {', '.join(unknown)} has no number",
                hint=f"give {unknown[0]} a number (values, or 'nominal' in the robot's file), or remove {what} "
                "from the robot; the mass of a removed payload is identified as part of the link that carries it",
            )
    bare = _loads_only(robot)
    used = set(bare.symbols())
    given = {"base": "given"} if robot.base.kind == BaseKind.FLOATING else {}
    return generate(
        bare.bind({name: value for name, value in numbers.items() if name in used}),
        "inverse-dynamics",
        **given,
    ).function()


def known_load_names(robot: Robot) -> list[str]:
    """Return the names of the given payload and wrenches, whose torques are known."""
    return [what for what, _ in _known_loads(robot)]


def _known_loads(robot: Robot) -> Iterator[tuple[str, list[Formula]]]:
    """Yield the name of each given payload or wrench, with its nonzero formulas."""
    carried = robot.payload if robot.tool else None
    owners: list[tuple[str, Link | None, Sequence[str]]]
    owners = [("the payload", carried, (*INERTIAL, *WRENCH))]
    owners += [(f"the wrench of link {j}", link, WRENCH) for j, link in enumerate(robot.links, 1)]
    if robot.base.kind == BaseKind.FLOATING:
        owners.append(("the wrench of link 0", robot.base.link, WRENCH))
    for what, owner, names in owners:
        formulas = [getattr(owner, name) for name in names] if owner else []
        given = [formula for formula in formulas if not formula.is_zero]
        if given:
            yield what, given


def _loads_only(robot: Robot) -> Robot:
    """Return the robot with its payload and wrenches but without masses, rotors, friction and springs."""
    light: dict[str, Any] = dict.fromkeys(INERTIAL, ZERO)
    idle: dict[str, Any] = {**dict.fromkeys((*DRIVE, "k", "rest"), ZERO), "eta": False}
    return robot.replace(
        base=replace(robot.base, link=replace(robot.base.link, **light)),
        links=tuple(replace(link, **light) for link in robot.links),
        frames=tuple(replace(frame, **idle) for frame in robot.frames),
    )


# -- passive_friction


Array = NDArray[np.float64]
RANDOM_MOTIONS = 240
RANDOM_RANGES = (
    0.2,
    0.05,
    0.01,
    1e-3,
)  # rad, or shares of the largest length: amplitudes of random motions; the first that the loops can follow is used


def random_motion(
    units: Array, assembly: tuple[LoopAssembly, tuple[float, ...]] | None
) -> tuple[Array, Array, Array]:
    """Return random motions: positions of all joints, and velocities and accelerations of the coordinates.

    Args:
        units: scale of each coordinate: 1 rad, or the robot's length in metres for a prismatic joint.
        assembly: the loops, and the loop coordinates at the first posture; None for a robot without closed loops.

    Returns:
        q, qd and qdd, one row per motion.

    Raises:
        NotApplicableError: the loops cannot move from the first posture.
    """
    chance, joints = np.random.default_rng(5), len(units)
    qd, qdd = chance.standard_normal((2, RANDOM_MOTIONS, joints)) * units
    if assembly is None:
        return chance.uniform(-1, 1, (RANDOM_MOTIONS, joints)) * units, qd, qdd
    loops, start = assembly
    row = np.array(start)
    here = loops.postures(row[None])[0][loops.active]
    course = np.sin(
        np.linspace(0, 4 * np.pi, RANDOM_MOTIONS)[:, None] * chance.uniform(1, 2, (2, 1, joints))
    ).sum(0)
    for size in RANDOM_RANGES:
        try:
            return loops.postures(loops.along(here + size * loops.active_units * course, row)), qd, qdd
        except BrokenLoopsError:
            continue
    raise NotApplicableError(
        "the loops cannot move from the first sample of the log: it is a singular configuration"
    )


def absorbed(columns: Mapping[str, Array], candidates: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the regressor columns that are linear combinations of preceding columns at random motions.

    Args:
        columns: by name each column (N, e), e equations at N random motions; only columns before it in this mapping
            precede a column.
        candidates: names of the columns that are tested.

    Returns:
        For each dependent candidate the names of the columns on which it depends.
    """
    dependencies: dict[str, tuple[str, ...]] = {}
    kept: list[str] = []
    half = RANDOM_MOTIONS // 2
    for name, column in columns.items():
        early, late = column[:half].ravel(), column[half:].ravel()
        size = float(np.linalg.norm(early)) or 1.0
        if name in candidates and kept:
            basis = np.column_stack([columns[k][:half].ravel() for k in kept])
            scale = np.linalg.norm(basis, axis=0)
            scale[scale == 0] = 1.0
            shares = np.linalg.lstsq(basis / scale, early / size, rcond=COLUMN_IN_SPAN)[0]
            again = np.column_stack([columns[k][half:].ravel() for k in kept]) / scale
            off = [basis / scale @ shares - early / size, again @ shares - late / size]
            if max(float(np.linalg.norm(x)) for x in off) < COLUMN_IN_SPAN * len(columns):
                held = [
                    k for k, share in zip(kept, shares, strict=True) if abs(share) > SMALL_SHARE_OF_COLUMN
                ]
                dependencies[name] = tuple(held)
                continue
        kept.append(name)
    return dependencies


# -- equations


Booleans = NDArray[np.bool_]
MODELS = {
    "dynamic": "dynamic-identification",
    "filtered": "filtered-identification",
    "power": "power-identification",
    "energy": "power-identification",  # the functions of the power model: h is the energy, p is integrated
}
SCALAR = ("power", "energy")
FILTER_REACH = 2  # decimated samples that contain most of the weight of the decimation filter


@dataclass(frozen=True)
class RowBlock:
    """Rows of the regression A K = y at N consecutive samples, with e equations per sample.

    Attributes:
        time: (N,) in seconds from the start of the log.
        A: regressor (N, e, P).
        y: measurements (N, e).
        direction: (N, n), or (N, e) with the rows of a floating base, a number that encodes the signs of the velocities
            on which the dry friction at a joint depends: the joint's velocity, and the velocities of coupled motors
            that turn with the joint.
        kept: (N, e), whether the fit uses the row.
    """

    time: Array
    A: Array
    y: Array
    direction: Array
    kept: Booleans


@dataclass(frozen=True)
class RowModel:
    """Identification model of a robot, which computes the rows A K = y of the regression along a motion.

    Attributes:
        kind: 'dynamic', 'filtered', 'power' or 'energy'.
        robot: the robot, with symbols for its inertial parameters.
        names: names of the columns of A.
        labels: names of the equations in messages.
        support: (e, P), False where A is zero for every motion.
        parts: function of (q, qd, qdd, tau, base) that returns (D1 or None, D2, y), where A = dD1/dt + D2. q contains
            all joints; `base` is the motion of a floating base, otherwise None. y excludes the `known` torques.
        further: columns in addition to those of `function`.
        function: the compiled model of the catalogue.
        columns: names of the columns of `function`, including those that are left out here.
        assembly: the loops, and initial values of the loop coordinates (`LoopAssembly`); None without loops.
        absorbed: friction parameters without a column, each with the columns on which it depends.
        known: the known torques (`known_torques`); None if there are none.
        payloads: columns of the payloads of logs, after those of `parts`; None if no log has a payload.
        contacts: contacts of a robot with a floating base, whose equations start with the six rows of the base.
    """

    kind: str
    robot: Robot
    names: tuple[str, ...]
    labels: tuple[str, ...]
    support: Booleans
    parts: Callable[..., tuple[Array | None, Array, Array]]
    further: FurtherColumns
    function: Function
    columns: tuple[str, ...]
    assembly: tuple[LoopAssembly, tuple[float, ...]] | None = None
    absorbed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    known: Function | None = None
    payloads: PayloadColumns | None = None
    contacts: tuple[Contact, ...] = ()

    def postures(self, log: Log) -> LogPostures:
        """Return an object that computes the positions of all joints along a log, one piece after the other."""
        if self.assembly is None:
            return LogPostures(log)
        loops, near = self.assembly
        return LoopPostures(log, loops, log.start or near)

    def at_random(self) -> Array | None:
        """Return the regressor (rows, P) of the dynamic model at random motions; None for the other models."""
        if self.kind != "dynamic":
            return None
        q, qd, qdd = random_motion(self.joint_units, self.assembly)
        rng = np.random.default_rng(7)
        tau = rng.standard_normal(qd.shape)
        length = characteristic_length(self.robot)
        base = random_base_motion(len(q), len(self.contacts), length, rng) if self.contacts else None
        rows = self.parts(q, qd, qdd, tau, base)[1] * self.row_units[:, None]
        rows = rows.reshape(-1, rows.shape[-1])
        return rows if self.payloads is None else self.payloads.at_random(rows)

    @cached_property
    def joint_units(self) -> Array:
        """Scale of each coordinate: 1 rad for a revolute joint, the robot's length in metres for a prismatic joint.

        A generalised force times this scale is a torque.
        """
        return np.array(position_units(self.robot))

    @property
    def row_units(self) -> Array:
        """Scale of each equation (e,): a force or torque times this scale is a torque."""
        return row_units(self.robot, self.joint_units)[: len(self.labels)]

    @property
    def gravity(self) -> Array:
        """Acceleration of gravity in the world (3,), in m/s2."""
        return _gravity(self.robot)

    @cached_property
    def parameter_units(self) -> Array:
        """Scale of each parameter for a robot of this size: a power of the robot's length in metres."""
        length = characteristic_length(self.robot)
        kinds = [f"{kind}1" if (kind := payload_kind(name)) else name for name in self.names]
        return np.array([length ** column_length_power(self.robot, name) for name in kinds])

    def blocks(self, log: Log, preparation: Preparation) -> Iterator[RowBlock]:
        """Yield the rows of the regression along a log, in blocks of consecutive samples."""
        postures = self.postures(log)
        for motion in motions(log, preparation):
            block = self.block(motion, postures, preparation)
            if block is not None:
                yield block

    def block(self, motion: MotionPiece, postures: LogPostures, preparation: Preparation) -> RowBlock | None:
        """Return the rows of the regression for one piece of a log; None if the piece contains no row.

        Args:
            motion: the piece of the log, filtered and differentiated.
            postures: computes the positions of all joints along the log.
            preparation: filters, decimation and velocity limit.
        """
        rate = postures.log.rate
        step = preparation.decimation
        first = -(-motion.first // step) * step
        centres = np.arange(first, motion.first + motion.count, step)
        if not centres.size:
            return None
        half = preparation.half
        around = self._required_samples(
            int(centres[0]) - motion.start, int(centres[-1]) - motion.start, step, half
        )
        begin = motion.start + around.start
        q = postures.of(begin, motion.q[around])
        base = None if motion.base is None else motion.base[around]
        parts = self.parts(q, motion.qd[around], motion.qdd[around], motion.tau[around], base)
        postures.check(begin, parts)
        A, y = self._reduced(parts, len(centres), rate, step, half)
        if self.payloads is not None:
            A, y = self.payloads.extended(A, y, postures.log.payload)
        at = centres - motion.start
        qd = motion.qd[at]
        rests = _any_marked_nearby(motion.rests, at, half + (FILTER_REACH * step if step > 1 else 0)) | (
            qd == 0
        )
        kept = self._kept(q[at - around.start], qd, preparation.slow, rests)
        direction = self._direction(qd)
        if self.contacts:  # friction does not occur in the rows of the base
            ahead = ((0, 0), (len(BASE_ROWS), 0))
            rows = slice(len(self.labels))
            kept = np.pad(kept, ahead, constant_values=True)[:, rows]
            direction = np.pad(direction, ahead)[:, rows]
        return RowBlock(centres / rate, A, y, direction, kept)

    def _required_samples(self, first: int, last: int, step: int, half: int) -> slice:
        """Return the range of samples that are required to compute consecutive rows of the regression.

        Args:
            first, last: numbers of the samples to which the first and the last row belong.
            step: number of samples per row.
            half: number of samples on each side that the finite differences use.
        """
        if self.kind == "energy":
            return slice(first - beside(half), last + step + 1 + beside(half))
        reach = REACH * step if step > 1 else 0
        reach += 0 if self.kind == "dynamic" else half
        return slice(first - reach, last + reach + (step == 1))

    def _reduced(
        self, parts: tuple[Array | None, Array, Array], count: int, rate: float, step: int, half: int
    ) -> tuple[Array, Array]:
        momentum, A, y = parts
        if self.kind == "energy":
            assert momentum is not None
            return _intervals(momentum, A, y, count, rate, step, half)
        if momentum is not None:
            A, y = A[half:-half] + inner_slopes(momentum, rate, half), y[half:-half]
        if step == 1:
            return A, y
        weights = decimation_filter(step)
        return decimated(A, weights), decimated(y, weights)

    def _kept(self, q: Array, qd: Array, slow: float, rests: Booleans) -> Booleans:
        """Return a mask (N, e) of the rows that the fit uses.

        The row of a joint is dropped if one of these is slower than `slow`: the joint, a coupled motor that turns with
        it, or a passive joint whose dry friction acts on it. Dry friction at rest may have any value between -FS and
        FS. Where a joint comes to rest, differentiated positions oscillate, and the sign of the velocity is
        meaningless.

        Args:
            q, qd: positions of all joints, and velocities of the coordinates.
            slow: velocity limit in rad/s or m/s; 0 for no limit.
            rests: (N, n), whether a joint is at rest.
        """
        dry = np.array([f"FS{j}" in self.names for j in coordinate_joints(self.robot)])
        fast = np.abs(qd) > slow if slow > 0 else np.ones(qd.shape, dtype=bool)
        fast &= ~rests | ~dry
        if self.kind in SCALAR:  # one row for all joints: a single moving joint suffices
            return np.asarray(fast.any(axis=1, keepdims=True))
        for share in self._dry_motors():
            turns = share != 0
            slips = (np.abs(qd @ share) > slow) & ~rests[:, turns].all(axis=1)
            fast[:, turns] &= slips[:, None]
        if slow > 0 and (passive := self._dry_passive()):
            fast &= self._passive_speeds(q, qd, passive) > slow
        return np.asarray(fast)

    def _direction(self, qd: Array) -> Array:
        signs = np.sign(qd)
        for place, share in enumerate(self._dry_motors(), 1):
            signs += 3.0**place * np.sign(qd @ share)[:, None] * (share != 0)
        return signs

    def _dry_motors(self) -> list[Array]:
        """Return, for each coupled motor with dry friction, its velocity for a unit velocity of each joint (n,)."""
        joints, shares = self.further.joints, self.further.shares
        return [np.array(share) for k, share in shares if f"FSM{joints[k]}" in self.names]

    def _dry_passive(self) -> list[int]:
        """Return the numbers of the passive joints whose dry friction FS is a column of the regressor."""
        others = set(range(1, self.robot.NL + 1)) - set(coordinate_joints(self.robot))
        return [j for j in sorted(others) if f"FS{j}" in self.names]

    def _passive_speeds(self, q: Array, qd: Array, joints: Sequence[int]) -> Array:
        """Return, per row (N, e), the smallest speed of the passive joints whose dry friction acts on its joint.

        The columns of FVj and FSj are g qd_j and g sign(qd_j), where g is the velocity of passive joint j for a unit
        velocity of the row's joint. The magnitude of their ratio is the speed of joint j.

        Args:
            q, qd: positions of all joints, and velocities of the coordinates.
            joints: numbers of the passive joints.
        """
        inputs = [port.name for port in self.function.program.inputs]
        given = {"q": q, inputs[1]: qd, **{name: np.zeros_like(qd) for name in inputs[2:]}}
        outputs = self.function(**given)
        rows = outputs["W" if "W" in outputs else "D2"]
        least = np.full(qd.shape, np.inf)
        for j in joints:
            viscous, dry = (np.abs(rows[:, :, self.columns.index(f"{kind}{j}")]) for kind in ("FV", "FS"))
            acts = dry > PASSIVE_RATE * float(dry.max(initial=0.0))
            least = np.minimum(least, np.where(acts, viscous / np.where(acts, dry, 1.0), np.inf))
        return least


def _any_marked_nearby(marked: Booleans, at: NDArray[np.intp], reach: int) -> Booleans:
    """Return, for each sample number in `at` and each joint, whether a sample nearby is marked.

    Args:
        marked: mask (N, n) of samples and joints.
        at: numbers of the samples.
        reach: largest distance of a nearby sample, in samples.
    """
    sums = np.concatenate([np.zeros((1, marked.shape[1]), dtype=int), np.cumsum(marked, axis=0)])
    first, end = np.maximum(at - reach, 0), np.minimum(at + reach + 1, len(marked))
    return np.asarray(sums[end] > sums[first])


def _intervals(
    momentum: Array, rest: Array, y: Array, count: int, rate: float, step: int, half: int
) -> tuple[Array, Array]:
    """Return the rows A and y of the energy model over `count` intervals of `step` samples.

    A is the difference of h over each interval plus the integral of p; y is the integral of the power.

    Args:
        momentum: h at the samples (formula of the energy model in this module).
        rest: p at the samples.
        y: power qd' tau at the samples.
        count: number of intervals.
        rate: samples per second.
        step: samples per interval.
        half: number of samples that the integration formula uses.
    """
    marks = beside(half) + step * np.arange(count)

    def integral(x: Array) -> Array:
        parts = step_integrals(x, rate, half)
        return np.asarray(parts.reshape(count, step, *x.shape[1:]).sum(axis=1))

    return momentum[marks + step] - momentum[marks] + integral(rest), integral(y)


def row_share(kind: str, decimation: int) -> float:
    """Return the share of the regression rows that counts as independent if the noise of the samples is white.

    Integrals over N steps have samples in common with their neighbours. If a are the weights of samples in one
    integral, rows of white noise have the autocorrelation r(m) = sum of a(i) a(i + m N), and the share is r(0) / sum of
    r(m). The rows of the other models are filtered (`signals.independent_share`).

    Args:
        kind: identification model.
        decimation: samples per row.
    """
    if kind != "energy":
        return independent_share(decimation)
    weights = np.convolve(step_weights(HALF), np.ones(decimation))
    middle = len(weights) - 1
    alike = np.correlate(weights, weights, "full")[middle % decimation :: decimation]
    return float(weights @ weights / alike.sum())


def row_noise(kind: str, decimation: int, count: int, rng: np.random.Generator) -> Array:
    """Simulate unit white noise of the samples, and return the values that it gives in `count` rows of one equation.

    Args:
        kind: identification model: 'dynamic', 'filtered', 'power' or 'energy'.
        decimation: samples per row.
        count: number of rows.
        rng: random number generator.
    """
    if kind == "energy":
        x = rng.standard_normal(count * decimation + 1 + 2 * beside(HALF))
        return np.asarray(step_integrals(x, 1.0).reshape(count, decimation).sum(axis=1))
    if decimation == 1:
        return rng.standard_normal(count)
    x = rng.standard_normal((count + 2 * REACH - 1) * decimation)
    return decimated(x, decimation_filter(decimation))


def equations(
    robot: Robot,
    kind: str,
    friction: Friction,
    gear: Transmission | None,
    without: Sequence[str] = (),
    near: tuple[float, ...] | None = None,
    contacts: Sequence[Contact] = (),
    torques: bool = True,
) -> RowModel:
    """Return the identification model of a robot with all inertial parameters unknown.

    Args:
        robot: with symbols for all inertial parameters (`robot.symbolic(inertia="all")`).
        kind: 'dynamic', 'filtered', 'power' or 'energy'.
        friction: friction terms of every joint.
        gear: transmission between motors and joints; None if motors are not coupled.
        without: columns to leave out.
        near: posture of all joints of a robot with closed loops (`postures.start_posture`).
        contacts: contacts of a robot with a floating base.
        torques: whether torques were measured; without them only the six rows of a floating base are used.

    Raises:
        OptionError: there is no such model.
        NotApplicableError: the model does not apply to the robot.
    """
    return _equations(robot, kind, friction, gear, tuple(without), near, tuple(contacts), torques)


@lru_cache(maxsize=8)  # cached, because several logs, methods or workers use the same equations
def _equations(
    robot: Robot,
    kind: str,
    friction: Friction,
    gear: Transmission | None,
    without: tuple[str, ...],
    near: tuple[float, ...] | None,
    contacts: tuple[Contact, ...],
    torques: bool,
) -> RowModel:
    if kind not in MODELS:
        raise OptionError(f"model: expected one of {', '.join(MODELS)}, got '{kind}'")
    check_base(robot)
    model = generate(robot, MODELS[kind], parameters="base", friction="all")
    motion = ("V0", "Vd0", "R0") if contacts else ()
    unread = [name for name in model.inputs if name not in ("q", "qd", "qdd", "qda", "qdda", *motion)]
    if unread:
        raise NotApplicableError(
            f"the model of robot '{robot.name}' requires {', '.join(unread)}, which a log of joint motions does not "
            "contain"
        )
    if kind in SCALAR and "springs" in model.outputs:
        raise NotApplicableError(
            f"robot '{robot.name}' has springs, whose power is not part of the {kind} model",
            hint="use the dynamic or the filtered model",
        )
    joints = coordinate_joints(robot)
    assembly = None
    if robot.B:
        loops = LoopAssembly(robot, dict(robot.nominal))
        assembly = (loops, tuple(loops.row(near or [0.0] * len(loops.joints))))
    further = further_columns(joints, friction if torques else Friction(()), gear if torques else None)
    assembled = _Assembled(model, kind, joints, friction, further, contacts, torques)
    absorbed = assembled.without_absorbed(assembly, without)
    held = sorted(set(without) & set(absorbed))
    if held:
        where = ", ".join(absorbed[held[0]])
        raise ArgumentError(f"there is no column '{held[0]}': it depends linearly on {where}")
    chosen = [k for k, name in enumerate(assembled.names) if name not in set(without)]
    unknown = [name for name in without if name not in assembled.names]
    if unknown:
        raise ArgumentError(
            f"there is no column '{unknown[0]}' to leave out",
            hint=f"the columns are {', '.join(assembled.names)}",
        )
    names = tuple(assembled.names[k] for k in chosen)
    labels = (kind,) if kind in SCALAR else tuple(f"{j}" for j in joints)
    if contacts:
        labels = (*BASE_ROWS, *labels) if torques else BASE_ROWS

    def parts(
        q: Array, qd: Array, qdd: Array, tau: Array, base: BaseMotion | None = None
    ) -> tuple[Array | None, Array, Array]:
        momentum, rest, y = assembled.parts(q, qd, qdd, tau, base)
        if len(chosen) == len(assembled.names):
            return momentum, rest, y
        return None if momentum is None else momentum[..., chosen], rest[..., chosen], y

    support, columns = assembled.support[:, chosen], tuple(model.columns)
    return RowModel(
        kind,
        robot,
        names,
        labels,
        support,
        parts,
        further,
        assembled.function,
        columns,
        assembly,
        absorbed,
        assembled.known,
        contacts=contacts,
    )


def row_units(robot: Robot, units: Array) -> Array:
    """Return the scale of each row of the dynamic model: 1 for a torque, the robot's length in metres for a force.

    Args:
        robot: the robot; if its base is floating, the rows of its base come first.
        units: scale of each joint coordinate (n,).
    """
    if robot.base.kind != BaseKind.FLOATING:
        return units
    length = characteristic_length(robot)
    return np.concatenate([np.repeat([length, 1.0], 3), units])


def _gravity(robot: Robot) -> Array:
    return np.array([x.value(dict(robot.nominal)) for x in robot.base.G])


def row_name(label: str) -> str:
    """Return the name of an equation in messages, from its label: 'joint 2', or 'base force x'."""
    return f"joint {label}" if label.isdigit() else label


class _Assembled:
    """Regressor of a robot: the columns of the catalogue's model, then those of further friction and coupled motors.

    "Further friction" denotes the terms that the catalogue's model does not contain (`FurtherColumns`).
    """

    def __init__(
        self,
        model: Model,
        kind: str,
        joints: Sequence[int],
        friction: Friction,
        further: FurtherColumns,
        contacts: tuple[Contact, ...] = (),
        torques: bool = True,
    ) -> None:
        self.kind, self.further, self.joints, self.model = kind, further, tuple(joints), model
        self.contact_forces = ContactForces(model.robot, contacts) if contacts else None
        self.rows = slice(None) if torques else slice(len(BASE_ROWS))
        self.gravity = _gravity(model.robot) if contacts else np.zeros(3)
        wanted = {TERMS[term] for term in friction.terms}
        self.own = [k for k, name in enumerate(model.columns) if _is_kept(name, wanted)]
        self.rates = ("qda", "qdda") if "qda" in model.inputs else ("qd", "qdd")
        self.function = model.function()
        self.known = known_torques(model.robot)
        if not torques:  # rotor inertias and friction do not occur in the rows of the base
            used = np.any(self.support, axis=0)
            self.own = [k for place, k in enumerate(self.own) if used[place]]

    @property
    def names(self) -> list[str]:
        return [*(self.model.columns[k] for k in self.own), *self.further.names]

    @property
    def support(self) -> Booleans:
        if self.kind in SCALAR:
            return np.ones((1, len(self.names)), dtype=bool)
        ports = [port for port in self.model.program.outputs if port.name in ("W", "D1", "D2")]
        shape = ports[0].shape
        used = [
            [any(p.lits[i * shape[1] + k] != ZERO_EXPRESSION for p in ports) for k in self.own]
            for i in range(shape[0])
        ]
        further = self.further.support
        if self.contact_forces is not None:
            further = np.pad(further, ((len(BASE_ROWS), 0), (0, 0)))
        return np.hstack([np.array(used, dtype=bool), further])[self.rows]

    def without_absorbed(
        self, assembly: tuple[LoopAssembly, tuple[float, ...]] | None, without: Sequence[str]
    ) -> dict[str, tuple[str, ...]]:
        """Remove friction columns that depend linearly on other columns for every motion.

        Candidates are the friction columns of passive joints, and constant offsets. For example, the offset column of a
        vertical prismatic joint is the difference of the columns of its mass and of its rotor inertia, divided by the
        acceleration of gravity.

        Args:
            assembly: the loops, and initial values of the loop coordinates; None without loops.
            without: names of columns that are left out anyway.

        Returns:
            The removed columns, each with the names of the columns on which it depends.
        """
        columns = self.model.columns
        follows = {k: self._is_friction(k) and self._joint(k) not in self.joints for k in self.own}
        own = [k for k in self.own if follows[k] or columns[k] not in without]
        own.sort(key=lambda k: (self._is_friction(k), follows[k]))
        candidates = [k for k in own if follows[k] or columns[k].startswith(TERMS["offset"])]
        if not candidates:
            return {}
        robot = self.model.robot
        length = characteristic_length(robot)
        units = np.array(joint_units(robot, self.joints, length))
        q, qd, qdd = random_motion(units, assembly)
        given = dict(zip(("q", *self.rates), (q, qd, qdd), strict=True))
        if self.contact_forces is not None:
            motion = random_base_motion(len(q), 0, length, np.random.default_rng(7))
            given |= motion.inputs(self.gravity)
        function = self.function
        if (
            self.kind != "dynamic"
        ):  # the same columns in the dynamic model, whose rows are functions of the state
            function = generate(robot, MODELS["dynamic"], parameters="base", friction="all").function()
        W = function(**given)["W"]
        W = (
            W * row_units(robot, units)[:, None]
        )  # torques, and forces times the units of their joints: all are energies
        dependencies = absorbed({columns[k]: W[:, :, k] for k in own}, [columns[k] for k in candidates])
        self.own = [k for k in self.own if columns[k] not in dependencies]
        return dependencies

    def _is_friction(self, k: int) -> bool:
        return self.model.columns[k][:2] in FRICTION

    def _joint(self, k: int) -> int:
        return int(self.model.columns[k][2:])

    def parts(
        self, q: Array, qd: Array, qdd: Array, tau: Array, base: BaseMotion | None = None
    ) -> tuple[Array | None, Array, Array]:
        if base is not None:
            return self._floating_parts(q, qd, qdd, tau, base)
        rate, acceleration = self.rates
        outputs = self.function(
            **{"q": q, rate: qd}, **({acceleration: qdd} if self.kind == "dynamic" else {})
        )
        y = tau - outputs["springs"] if "springs" in outputs else tau
        if self.known is not None:
            y = y - self.known(**{"q": q, rate: qd, acceleration: qdd})["tau"]
        if self.kind == "dynamic":
            W = outputs["W"]
            own = W if len(self.own) == W.shape[2] else W[:, :, self.own]
            if not self.further.names:
                return None, own, y
            more = self.further.inertias(qdd) + self.further.torques(qd, tau)
            return None, np.concatenate([own, more], axis=2), y
        loss = self.further.torques(qd, tau)
        if self.kind == "filtered":
            momentum = np.concatenate([outputs["D1"][:, :, self.own], self.further.inertias(qd)], axis=2)
            return momentum, np.concatenate([outputs["D2"][:, :, self.own], loss], axis=2), y
        energy = np.concatenate([outputs["h"][:, self.own], self.further.energies(qd)], axis=1)
        lost = np.concatenate([outputs["p"][:, self.own], np.einsum("ki,kip->kp", qd, loss)], axis=1)
        return energy[:, None, :], lost[:, None, :], np.sum(qd * y, axis=1)[:, None]

    def _floating_parts(
        self, q: Array, qd: Array, qdd: Array, tau: Array, base: BaseMotion
    ) -> tuple[None, Array, Array]:
        assert self.contact_forces is not None
        inputs = {"q": q, "qd": qd, "qdd": qdd, **base.inputs(self.gravity)}
        outputs = self.function(**inputs)
        ahead = ((0, 0), (len(BASE_ROWS), 0))
        y = np.pad(tau, ahead) + self.contact_forces(q, base)
        if "springs" in outputs:
            y = y - outputs["springs"]
        if self.known is not None:
            loads = self.known(**inputs)
            y = y - np.hstack([loads["wrench0"], loads["tau"]])
        A = outputs["W"][:, self.rows, :][:, :, self.own]
        if self.further.names:
            more = self.further.inertias(qdd) + self.further.torques(qd, tau)
            A = np.concatenate([A, np.pad(more, (*ahead, (0, 0)))[:, self.rows]], axis=2)
        return None, A, y[:, self.rows]


def _is_kept(name: str, wanted: set[str]) -> bool:
    kind = name[:2]
    return kind in wanted if kind in FRICTION else True


def check_base(robot: Robot) -> None:
    """Reject robots with a wheeled base; a log of its drives does not contain the positions of passive joints.

    Raises:
        NotApplicableError: the base is wheeled; the hint describes an alternative.
    """
    if robot.wheels:
        raise NotApplicableError(
            f"identification from a log does not apply to robot '{robot.name}': its base is wheeled, and a "
            "log of its drives does not contain the positions of passive joints such as castors",
            hint="solve W K = tau for K by least squares, W from the model 'dynamic-identification' with "
            "parameters='base' at the measured positions of all joints",
        )
    if robot.base.kind not in (BaseKind.FIXED, BaseKind.FLOATING):
        raise NotApplicableError(
            f"identification from a log does not apply to robot '{robot.name}' with a base of kind "
            f"'{robot.base.kind}'",
            hint="fix the base during the measurement, and describe the robot with a base of 'kind: fixed' and "
            "without wheels",
        )


def check_floating(robot: Robot, kind: str, method: str, terms: Sequence[str]) -> None:
    """Reject models, methods and structures that are not supported for a floating base.

    Args:
        robot: the robot; any robot with a fixed base passes.
        kind: identification model.
        method: identification method.
        terms: friction terms.

    Raises:
        NotApplicableError: the combination is not supported; the hint describes an alternative.
    """
    if robot.base.kind != BaseKind.FLOATING:
        return
    about = f"robot '{robot.name}' has a floating base"
    if robot.B:
        raise NotApplicableError(
            f"{about} and closed kinematic loops, which identification from a log does not support together",
            hint="identify the tree without its loops (robot.tree()), with the torques of all joints",
        )
    if kind != "dynamic":
        raise NotApplicableError(
            f"{about}: the {kind} model is not supported", hint="use the dynamic model, which is the default"
        )
    if method in ("iv", "didim", "cloe"):
        raise NotApplicableError(
            f"{about}: method '{method}' simulates a robot with a fixed base",
            hint="use wls, ols, irls or tls",
        )
    if "load" in terms:
        raise NotApplicableError(
            f"{about}: friction that depends on the load is not supported",
            hint="use the friction terms viscous, coulomb, offset and stribeck",
        )
