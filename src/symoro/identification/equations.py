"""Equations A K = y of an identification model along a motion, from the models of the catalogue.

    dynamic    tau = W(q, qd, qdd) K                                      n rows per sample
    filtered   F[tau] = (F'[D1] + F[D2]) K                                n rows, no accelerations
    power      F[qd' tau] = (F'[h] + F[p]) K                              one row, no accelerations
    energy     integral of qd' tau = (h(t2) - h(t1) + integral of p) K    one row per interval, no accelerations

F is the low-pass of the parallel decimation, the same on both sides; F' = s F is F of the slope. Differences and
integrals are those of `signals`. For a robot with closed loops q, qd, qdd and tau are those of the active joints; its
postures follow (`postures`).

Known torques, those of springs, of a payload and of external wrenches, are subtracted from tau: t(q, qd, qdd) is the
inverse dynamic model of the robot without its links, rotors, friction and springs.

Friction of passive joints may act as other columns do. The joints of a parallelogram turn by sums of others, so that
only one of two passive joints has friction columns, and offsets of passive joints are part of those of active ones. A
friction column is removed if it lies in the span of the columns before it at random motions, with the same
coefficients at other motions.

W. Khalil, D. Creusot, "SYMORO+: a system for the symbolic modelling of robots", Robotica 15, 1997, sections 6.1 to 6.3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError, NotApplicableError, OptionError
from symoro.expr.formula import ZERO, Formula
from symoro.expr.graph import ZERO as ZERO_EXPRESSION
from symoro.identification.friction import TERMS, Friction, FurtherColumns, further_columns
from symoro.identification.log import Log, position_units
from symoro.identification.log_description import Transmission
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
from symoro.robot.description import INERTIAL, WRENCH, BaseKind, Link, Robot
from symoro.robot.size import characteristic_length, joint_units
from symoro.runtime.function import Function
from symoro.trajectory.assembly import BrokenLoopsError, LoopAssembly

# -- known_torques


DRIVE = ("IA", "FV", "FS", "FO")


def known_torques(robot: Robot) -> Function | None:
    """t as a function of the motion; None of a robot without payload and wrenches.

    Raises:
        NotApplicableError: a symbol of these has no number.
    """
    held = dict(_held(robot))
    if not held:
        return None
    numbers = dict(robot.nominal)
    for what, formulas in held.items():
        unknown = sorted({name for formula in formulas for name in formula.symbols if name not in numbers})
        if unknown:
            raise NotApplicableError(
                f"{what} of robot '{robot.name}' has no number for {', '.join(unknown)}, so that the torques "
                "of it are not known",
                hint=f"give {unknown[0]} a number (values, or 'nominal' in the robot's file); or take {what} out of "
                "the robot: what is carried is then found as a part of its link",
            )
    bare = _bare(robot)
    used = set(bare.symbols())
    return generate(
        bare.bind({name: value for name, value in numbers.items() if name in used}), "inverse-dynamics"
    ).function()


def held_words(robot: Robot) -> list[str]:
    """Return what the torques are known of, in words."""
    return [what for what, _ in _held(robot)]


def _held(robot: Robot) -> Iterator[tuple[str, list[Formula]]]:
    """Yield what acts on a link by numbers of its own, with the formulas that are not zero."""
    carried = robot.payload if robot.tool else None
    owners: list[tuple[str, Link | None, Sequence[str]]]
    owners = [("the payload", carried, (*INERTIAL, *WRENCH))]
    owners += [(f"the wrench of link {j}", link, WRENCH) for j, link in enumerate(robot.links, 1)]
    for what, owner, names in owners:
        formulas = [getattr(owner, name) for name in names] if owner else []
        given = [formula for formula in formulas if not formula.is_zero]
        if given:
            yield what, given


def _bare(robot: Robot) -> Robot:
    """Return the robot with nothing but its payload and wrenches."""
    light: dict[str, Any] = dict.fromkeys(INERTIAL, ZERO)
    idle: dict[str, Any] = {**dict.fromkeys((*DRIVE, "k", "rest"), ZERO), "eta": False}
    return robot.replace(
        links=tuple(replace(link, **light) for link in robot.links),
        frames=tuple(replace(frame, **idle) for frame in robot.frames),
    )


# -- passive_friction


Array = NDArray[np.float64]
FRICTION = ("FV", "FS", "FO")
RANDOM_MOTIONS = 240
RANDOM_RANGES = (
    0.2,
    0.05,
    0.01,
    1e-3,
)  # radians, or shares of the largest length, that the active joints go to each side; the first that can be


def drawn_motion(
    units: Array, assembly: tuple[LoopAssembly, tuple[float, ...]] | None
) -> tuple[Array, Array, Array]:
    """Motions at random: whole postures, and rates and accelerations of the coordinates.

    Args:
        units: of the coordinates: one radian, or the robot's length.
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
    raise NotApplicableError("the loops hardly move from where the log starts: a dead point")


def absorbed(columns: Mapping[str, Array], candidates: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Candidates that others hold, with the names of these.

    Args:
        columns: (N, e) each, in the order in which they are kept.
    """
    held_by: dict[str, tuple[str, ...]] = {}
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
                held_by[name] = tuple(held)
                continue
        kept.append(name)
    return held_by


# -- equations


Booleans = NDArray[np.bool_]
MODELS = {
    "dynamic": "dynamic-identification",
    "filtered": "filtered-identification",
    "power": "power-identification",
    "energy": "power-identification",  # the same functions: h is the energy, p is integrated
}
SCALAR = ("power", "energy")
FILTER_REACH = 2  # new samples, in which the low-pass of the decimation has most of its weight


@dataclass(frozen=True)
class RowBlock:
    """Rows of some samples.

    Attributes:
        time: (N,) in seconds from the start of the log.
        A: (N, e, P), e equations a sample.
        y: (N, e).
        direction: (N, n), a number for the signs of the velocities that dry friction at a joint depends on: its own,
            and those of coupled motors that turn with it.
        kept: (N, e), whether the row takes part.
    """

    time: Array
    A: Array
    y: Array
    direction: Array
    kept: Booleans


@dataclass(frozen=True)
class RowModel:
    """An identification model of a robot, ready for motions.

    Attributes:
        names: of the columns.
        support: (e, P), where A can be other than zero.
        parts: (motion) -> (D1 or None, D2, y): A = dD1/dt + D2; q is the whole posture. y is without `known`.
        function: the catalogue's model.
        columns: names of its columns, those that are left out here among them.
        assembly: the loops, and a row of their coordinates (`LoopAssembly`) to start from; None without loops.
        absorbed: friction that has no column, with the columns that hold it.
        known: the torques of what is known (`known_torques`); None where nothing is.
    """

    kind: str
    robot: Robot
    names: tuple[str, ...]
    labels: tuple[str, ...]
    support: Booleans
    parts: Callable[[Array, Array, Array, Array], tuple[Array | None, Array, Array]]
    further: FurtherColumns
    function: Function
    columns: tuple[str, ...]
    assembly: tuple[LoopAssembly, tuple[float, ...]] | None = None
    absorbed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    known: Function | None = None

    def postures(self, log: Log) -> LogPostures:
        """Return the postures along a log, which pieces in order ask for."""
        if self.assembly is None:
            return LogPostures(log)
        loops, near = self.assembly
        return LoopPostures(log, loops, log.start or near)

    def at_random(self) -> Array | None:
        """The columns (rows, P) of the dynamic model at random motions; None of models that need a motion in time."""
        if self.kind != "dynamic":
            return None
        units = self.joint_units
        q, qd, qdd = drawn_motion(units, self.assembly)
        tau = np.random.default_rng(7).standard_normal(qd.shape)
        rows = self.parts(q, qd, qdd, tau)[1] * units[:, None]
        return rows.reshape(-1, len(self.names))

    @cached_property
    def joint_units(self) -> Array:
        """The units of the coordinates: one radian, or the robot's length; forces times these are torques."""
        return np.array(position_units(self.robot))

    @cached_property
    def parameter_units(self) -> Array:
        """The units of the parameters for a robot of this size: powers of its length."""
        length = characteristic_length(self.robot)
        return np.array([length ** column_length_power(self.robot, name) for name in self.names])

    def blocks(self, log: Log, preparation: Preparation) -> Iterator[RowBlock]:
        """Yield the rows of a log, piece by piece."""
        postures = self.postures(log)
        for motion in motions(log, preparation):
            block = self.block(motion, postures, preparation)
            if block is not None:
                yield block

    def block(self, motion: MotionPiece, postures: LogPostures, preparation: Preparation) -> RowBlock | None:
        """Return the rows of one piece; None where it has none."""
        rate = postures.log.rate
        step = preparation.decimation
        first = -(-motion.first // step) * step
        centres = np.arange(first, motion.first + motion.count, step)
        if not centres.size:
            return None
        half = preparation.half
        around = self._around(int(centres[0]) - motion.start, int(centres[-1]) - motion.start, step, half)
        begin = motion.start + around.start
        q = postures.of(begin, motion.q[around])
        parts = self.parts(q, motion.qd[around], motion.qdd[around], motion.tau[around])
        postures.check(begin, parts)
        A, y = self._reduced(parts, len(centres), rate, step, half)
        at = centres - motion.start
        qd = motion.qd[at]
        rests = _nearby(motion.rests, at, half + (FILTER_REACH * step if step > 1 else 0)) | (qd == 0)
        kept = self._kept(q[at - around.start], qd, preparation.slow, rests)
        return RowBlock(centres / rate, A, y, self._direction(qd), kept)

    def _around(self, first: int, last: int, step: int, half: int) -> slice:
        """The samples that the rows at first .. last need, with those to each side that differences are made of."""
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
        """Rows in which everything that rubs is faster than `slow`; dry friction at rest is anything up to FS.

        A row is dropped for its own joint, for each coupled motor that turns with it, and for each passive joint whose
        dry friction acts on it. Where a joint comes to rest, differences have ripples, whose sign is that of nothing.
        """
        dry = np.array([f"FS{j}" in self.names for j in coordinate_joints(self.robot)])
        fast = np.abs(qd) > slow if slow > 0 else np.ones(qd.shape, dtype=bool)
        fast &= ~rests | ~dry
        if self.kind in SCALAR:  # power has no sign that could be wrong
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
        """Return, for each coupled motor with dry friction, its rate for a unit rate of each joint."""
        joints, shares = self.further.joints, self.further.shares
        return [np.array(share) for k, share in shares if f"FSM{joints[k]}" in self.names]

    def _dry_passive(self) -> list[int]:
        """Return the joints that follow others and have dry friction of their own."""
        others = set(range(1, self.robot.NL + 1)) - set(coordinate_joints(self.robot))
        return [j for j in sorted(others) if f"FS{j}" in self.names]

    def _passive_speeds(self, q: Array, qd: Array, joints: Sequence[int]) -> Array:
        """(N, e): the least speed of these joints among those whose friction acts on a row.

        The columns of FV and FS are g qd_j and g sign(qd_j), with g the rate of joint j for a unit rate of the row's.
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


def _nearby(marked: Booleans, at: NDArray[np.intp], reach: int) -> Booleans:
    """Return whether one of the samples up to `reach` away is among those found, at some."""
    sums = np.concatenate([np.zeros((1, marked.shape[1]), dtype=int), np.cumsum(marked, axis=0)])
    first, end = np.maximum(at - reach, 0), np.minimum(at + reach + 1, len(marked))
    return np.asarray(sums[end] > sums[first])


def _intervals(
    momentum: Array, rest: Array, y: Array, count: int, rate: float, step: int, half: int
) -> tuple[Array, Array]:
    """Differences and integrals over `count` intervals of `step` samples."""
    marks = beside(half) + step * np.arange(count)

    def integral(x: Array) -> Array:
        parts = step_integrals(x, rate, half)
        return np.asarray(parts.reshape(count, step, *x.shape[1:]).sum(axis=1))

    return momentum[marks + step] - momentum[marks] + integral(rest), integral(y)


def row_share(kind: str, decimation: int) -> float:
    """Return the share of rows that counts as independent, where the noise of samples is white.

    Integrals over N steps have samples in common with their neighbours. With a the weights of samples in one of them,
    rows of white noise have r(m) = sum of a(i) a(i + m N): they are worth r(0) / sum of r(m). Other models filter
    (`signals`).
    """
    if kind != "energy":
        return independent_share(decimation)
    weights = np.convolve(step_weights(HALF), np.ones(decimation))
    middle = len(weights) - 1
    alike = np.correlate(weights, weights, "full")[middle % decimation :: decimation]
    return float(weights @ weights / alike.sum())


def row_noise(kind: str, decimation: int, count: int, rng: np.random.Generator) -> Array:
    """Return what rows of an equation have of drawn white noise of samples."""
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
) -> RowModel:
    """Return the identification model of a robot with all inertial parameters unknown.

    Args:
        robot: with symbols for all inertial parameters (`robot.symbolic(inertia="all")`).
        without: columns to leave out.
        near: a posture of all joints of a robot with closed loops (`postures.start_posture`).

    Raises:
        OptionError: there is no such model.
        NotApplicableError: the model does not apply to the robot.
    """
    return _equations(robot, kind, friction, gear, tuple(without), near)


@lru_cache(maxsize=8)  # several logs, methods or workers use the same equations
def _equations(
    robot: Robot,
    kind: str,
    friction: Friction,
    gear: Transmission | None,
    without: tuple[str, ...],
    near: tuple[float, ...] | None,
) -> RowModel:
    if kind not in MODELS:
        raise OptionError(f"model: expected one of {', '.join(MODELS)}, got '{kind}'")
    check_base(robot)
    model = generate(robot, MODELS[kind], parameters="base", friction="all")
    unread = [name for name in model.inputs if name not in ("q", "qd", "qdd", "qda", "qdda")]
    if unread:
        raise NotApplicableError(
            f"robot '{robot.name}' needs {', '.join(unread)} besides its joints' motion, which a log does not have"
        )
    if kind in SCALAR and "springs" in model.outputs:
        raise NotApplicableError(
            f"robot '{robot.name}' has springs, whose power is no part of the {kind} model",
            hint="take the dynamic or the filtered model",
        )
    joints = coordinate_joints(robot)
    assembly = None
    if robot.B:
        loops = LoopAssembly(robot, dict(robot.nominal))
        assembly = (loops, tuple(loops.row(near or [0.0] * len(loops.joints))))
    further = further_columns(joints, friction, gear)
    assembled = _Assembled(model, kind, joints, friction, further)
    absorbed = assembled.without_absorbed(assembly, without)
    held = sorted(set(without) & set(absorbed))
    if held:
        where = ", ".join(absorbed[held[0]])
        raise ArgumentError(f"there is no column '{held[0]}': it acts only together with {where}")
    chosen = [k for k, name in enumerate(assembled.names) if name not in set(without)]
    unknown = [name for name in without if name not in assembled.names]
    if unknown:
        raise ArgumentError(
            f"there is no column '{unknown[0]}' to leave out",
            hint=f"the columns are {', '.join(assembled.names)}",
        )
    names = tuple(assembled.names[k] for k in chosen)
    labels = (kind,) if kind in SCALAR else tuple(f"{j}" for j in joints)

    def parts(q: Array, qd: Array, qdd: Array, tau: Array) -> tuple[Array | None, Array, Array]:
        momentum, rest, y = assembled.parts(q, qd, qdd, tau)
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
    )


class _Assembled:
    """The catalogue's model with the further columns behind its own."""

    def __init__(
        self, model: Model, kind: str, joints: Sequence[int], friction: Friction, further: FurtherColumns
    ) -> None:
        self.kind, self.further, self.joints, self.model = kind, further, tuple(joints), model
        wanted = {TERMS[term] for term in friction.terms}
        self.own = [k for k, name in enumerate(model.columns) if _is_kept(name, wanted)]
        self.rates = ("qda", "qdda") if "qda" in model.inputs else ("qd", "qdd")
        self.function = model.function()
        self.known = known_torques(model.robot)

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
        return np.hstack([np.array(used, dtype=bool), self.further.support])

    def without_absorbed(
        self, assembly: tuple[LoopAssembly, tuple[float, ...]] | None, without: Sequence[str]
    ) -> dict[str, tuple[str, ...]]:
        """Remove friction columns that are sums of other columns for every motion, and return these by name.

        Candidates are the friction of joints that follow others, and constant offsets: that of a vertical slide is a
        difference of its mass and its rotor inertia, over the acceleration of gravity.
        """
        columns = self.model.columns
        follows = {k: self._is_friction(k) and self._joint(k) not in self.joints for k in self.own}
        own = [k for k in self.own if follows[k] or columns[k] not in without]
        own.sort(key=lambda k: (self._is_friction(k), follows[k]))
        candidates = [k for k in own if follows[k] or columns[k].startswith(TERMS["offset"])]
        if not candidates:
            return {}
        robot = self.model.robot
        units = np.array(joint_units(robot, self.joints, characteristic_length(robot)))
        q, qd, qdd = drawn_motion(units, assembly)
        function = self.function
        if self.kind != "dynamic":  # the same columns, in a model whose rows are functions of the state
            function = generate(robot, MODELS["dynamic"], parameters="base", friction="all").function()
        W = function(**dict(zip(("q", *self.rates), (q, qd, qdd), strict=True)))["W"]
        W = W * units[:, None]  # torques and forces times the units of their joints, all of them energies
        held_by = absorbed({columns[k]: W[:, :, k] for k in own}, [columns[k] for k in candidates])
        self.own = [k for k in self.own if columns[k] not in held_by]
        return held_by

    def _is_friction(self, k: int) -> bool:
        return self.model.columns[k][:2] in FRICTION

    def _joint(self, k: int) -> int:
        return int(self.model.columns[k][2:])

    def parts(self, q: Array, qd: Array, qdd: Array, tau: Array) -> tuple[Array | None, Array, Array]:
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


def _is_kept(name: str, wanted: set[str]) -> bool:
    kind = name[:2]
    return kind in wanted if kind in FRICTION else True


def check_base(robot: Robot) -> None:
    """Reject robots whose base moves in a way that a log of joints does not tell.

    Raises:
        NotApplicableError: with what can be done.
    """
    if robot.wheels:
        raise NotApplicableError(
            f"identification from a log does not apply to robot '{robot.name}': its base rolls on wheels, and a "
            "log of its drives does not contain the positions of its passive joints, as castors",
            hint="solve W K = tau for K by least squares, W from the model 'dynamic-identification' with "
            "parameters='base' at the measured positions of all joints",
        )
    if robot.base.kind != BaseKind.FIXED:
        raise NotApplicableError(
            f"identification from a log does not apply to robot '{robot.name}': its base floats, and a log of joints "
            "does not contain its motion",
            hint="hold the base still while measuring, and describe the robot on a base of 'kind: fixed', no wheels",
        )
