"""The motion of a robot as rates of a state, whatever its structure.

The state is one vector; its parts, where a robot has them:

    q    joints of the tree                  q' = qd, or from the coordinates: G qda (loops, wheels)
    qd   coordinates' velocities             qd' from `direct-dynamics`
    e, ed  modes of flexible links           e' = ed, ed' = edd
    P0, Q0, V0  a floating base              P0' = R0 v,  Q0' = Q0 (0, w)/2,  V0' = Vd0 - (w x v; 0)
    pose  a base on wheels: x, y, heading    from V0 of the model, turned by the heading

Coordinates are all joints; where loops or wheels tie them, the active ones. The quaternion's length has no meaning (the
models divide by it), and it is set to 1 at each step: the rotation never leaves the group.

Where some accelerations are known (joints that follow a motion, joints that stick or stand at a stop) the equations are
parted (`partition`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import ArgumentError, NotApplicableError, SymoroError
from symoro.model import Model, generate
from symoro.models.geometric.loop.mechanism import active_joints
from symoro.models.numeric.rotation import from_quaternion
from symoro.models.ports import WRENCH as EXTERNAL
from symoro.program.program import Program
from symoro.robot.coordinates import independent
from symoro.robot.description import WRENCH, BaseKind, Robot
from symoro.robot.flexibility import mode_names
from symoro.robot.size import characteristic_length, joint_units
from symoro.robot.topology import elastic_joints
from symoro.runtime.function import Function
from symoro.trajectory.assembly import LoopCloser
from symoro.trajectory.prescribed import check_rates, check_steady, unknown_energy_reason

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class State:
    """A moment of a motion, as a controller sees it; its arrays cannot be written to.

    Attributes:
        q, qd: positions and velocities of the coordinates.
        parts: all parts of the state by name; `tree` are the positions of all joints.
    """

    t: float
    q: Array
    qd: Array
    parts: Mapping[str, Array]


@dataclass(frozen=True, eq=False)
class FreeDynamics:
    """The equations A x = Q - H + W'l, factored over the entries of x that are not given: A_ff = L L'.

    Attributes:
        columns: the entries of the coordinates.
        inertia, force: A and Q - H.
        given: x with its given entries, zero elsewhere; `free` are the entries that are not given.
        factor: L.
        reduced: z = L^-1 (Q - H - A x_given)_f.
    """

    columns: slice
    inertia: Array
    force: Array
    given: Array
    free: NDArray[np.bool_]
    factor: Array
    reduced: Array

    def reduced_rows(self, rows: Array) -> Array:
        """Return M = (L^-1 W_f')' for rows over the coordinates: M M' = W_f A_ff^-1 W_f'."""
        wide = np.zeros((len(rows), len(self.free)))
        wide[:, self.columns] = rows
        return np.asarray(np.linalg.solve(self.factor, wide[:, self.free].T).T)

    def given_part(self, rows: Array) -> Array:
        """Return the part of W x that the given accelerations contribute."""
        return np.asarray(rows @ self.given[self.columns])

    def accelerations(self, change: Array | None = None) -> Array:
        """Return x; the forces of rows change z by M'l."""
        x = self.given.copy()
        x[self.free] = self.from_reduced(self.reduced if change is None else self.reduced + change)
        return x

    def from_reduced(self, z: Array) -> Array:
        """Return L^-T z, over the free entries."""
        return np.asarray(np.linalg.solve(self.factor.T, z))

    def missing_forces(self, x: Array) -> Array:
        """Return A x - (Q - H) of the coordinates: the forces that x requires besides Q."""
        return np.asarray((self.inertia @ x - self.force)[self.columns])


class Mechanics:
    """A robot with numbers, its state laid out, and its rates.

    Attributes:
        joints: all joints of the tree with a coordinate.
        coordinates: those whose velocities are part of the state.
        fixed: torques that the robot fixes (GAM), by the number of the coordinate.
        at: places of the coordinates among the joints.
        parts: slices of the state by name.
        length: the robot's characteristic length.
        units: one per entry of the state: 1 for angles, `length` for lengths, the same for their rates.
        coordinate_units: the units of the coordinates.
    """

    def __init__(self, robot: Robot, values: Mapping[str, float], inputs: Mapping[str, ArrayLike]) -> None:
        self.robot = robot
        self.values = {name: value for name, value in values.items() if name in robot.symbols()}
        self.floating = robot.base.kind == BaseKind.FLOATING
        self.rolling = bool(robot.wheels)
        self.joints = independent(robot)
        tied = robot.B > 0 or self.rolling
        self.coordinates = active_joints(robot) if tied else self.joints
        self.at = [self.joints.index(j) for j in self.coordinates]
        self.springs = [k for k, j in enumerate(self.coordinates) if j in elastic_joints(robot)]
        self.inputs = {name: np.asarray(value, dtype=float) for name, value in inputs.items()}
        check_rates(robot)
        check_steady(robot, {**dict(robot.nominal), **self.values})
        self._direct = self._made("direct-dynamics")
        self.fixed = self._fixed_torques()
        self.parts = self._layout(self._direct.program)
        self.length = characteristic_length(robot, self.values)
        self.coordinate_units = np.array(joint_units(robot, self.coordinates, self.length))
        self.units = self._units()
        self._bound: dict[int, frozenset[str]] = {}
        self.loops = LoopCloser(robot, {**dict(robot.nominal), **self.values}) if robot.B else None
        self._check_inputs()

    def _function(self, model: str) -> Function:
        return self._made(model).function(self.values)

    def _made(self, model: str) -> Model:
        quaternion = self.floating and model in ("direct-dynamics", "bias-torques", "energy")
        return _generated(self.robot, model, quaternion)

    def _fixed_torques(self) -> dict[int, float]:
        """What acts on coordinates whatever their drives are told."""
        values = {**dict(self.robot.nominal), **self.values}
        told = {k: self.robot.frame(j).GAM for k, j in enumerate(self.coordinates)}
        return {k: GAM.value(values) for k, GAM in told.items() if GAM is not None}

    def _layout(self, direct: Program) -> dict[str, slice]:
        shapes = {port.name: port.shape for port in direct.inputs}
        sizes = {"q": len(self.joints), "qd": len(self.coordinates)}
        if "e" in shapes:
            sizes |= {"e": shapes["e"][0], "ed": shapes["ed"][0]}
        if self.floating:
            sizes |= {"P0": 3, "Q0": 4, "V0": 6}
        if self.rolling:
            sizes |= {"pose": 3}
        found, start = {}, 0
        for name, size in sizes.items():
            found[name] = slice(start, start + size)
            start += size
        self.size = start
        return found

    def _units(self) -> Array:
        found, parts, length = np.ones(self.size), self.parts, self.length
        found[parts["q"]] = joint_units(self.robot, self.joints, length)
        found[parts["qd"]] = self.coordinate_units
        for name in ("e", "ed"):
            if name in parts:
                found[parts[name]] = [
                    1.0 if mode.startswith("et") else length for mode in mode_names(self.robot)
                ]
        for name, lengths in (("P0", 3), ("V0", 3), ("pose", 2)):
            if name in parts:
                found[parts[name].start : parts[name].start + lengths] = length
        return found

    def _check_inputs(self) -> None:
        own = {"q", "qd", "qda", "tau", *self.parts}
        wanted = {port.name: port.shape for port in self._direct.program.inputs if port.name not in own}
        for name, shape in wanted.items():
            given = self.inputs.get(name)
            if given is None and name == EXTERNAL.name:
                given = self._wrenches(shape[0])
            if given is None:
                symbols = ", or values for its symbols" if name == EXTERNAL.name else ""
                raise ArgumentError(
                    f"robot '{self.robot.name}' needs '{name}' besides its state and torques",
                    hint=f"give inputs={{'{name}': ...}} with shape {shape}{symbols}",
                )
            if given.shape != shape and given.shape != (math.prod(shape),):
                raise ArgumentError(f"'{name}' has shape {given.shape}, expected {shape}")
            self.inputs[name] = given.reshape(shape)
        for name in self.inputs:
            if name not in wanted:
                raise ArgumentError(
                    f"there is no input '{name}' to be given", hint=f"known: {', '.join(wanted) or 'none'}"
                )

    def _wrenches(self, rows: int) -> Array | None:
        """Return the links' wrenches from the values of their symbols, the last `rows` links; None without values."""
        links = [self.robot.base.link, *self.robot.links][-rows:]
        formulas = [getattr(link, name) for link in links for name in WRENCH]
        values = {**dict(self.robot.nominal), **self.values}
        if any(name not in values for formula in formulas for name in formula.symbols):
            return None
        return np.array([formula.value(values) for formula in formulas])

    # -- the state

    def split(self, y: Array) -> dict[str, Array]:
        return {name: y[part] for name, part in self.parts.items()}

    def state(self, t: float, y: Array) -> State:
        """The state in its parts: copies, as what a controller does to them must not change the motion."""
        y = y.copy()
        y.flags.writeable = False
        tree = y[self.parts["q"]]
        q = tree[self.at]
        q.flags.writeable = False
        return State(t, q, y[self.parts["qd"]], {**self.split(y), "tree": tree})

    def start(self, given: Mapping[str, ArrayLike | None]) -> Array:
        """The state with these parts; what is not given is zero, and the base stands upright at the origin."""
        y = np.zeros(self.size)
        if self.floating:
            y[self.parts["Q0"]] = (1.0, 0.0, 0.0, 0.0)
        for name, value in given.items():
            if value is None:
                continue
            if name not in self.parts:
                raise ArgumentError(
                    f"robot '{self.robot.name}' has no '{name}' in its state",
                    hint=f"it has {', '.join(self.parts)}",
                )
            part = self.parts[name]
            array = np.asarray(value, dtype=float)
            if name == "q" and array.shape == (len(self.coordinates),) and self.loops is not None:
                array = self.loops.guess(array)
            if array.shape != (part.stop - part.start,):
                active = (
                    f", or ({len(self.coordinates)},) for the active joints"
                    if name == "q" and self.loops
                    else ""
                )
                raise ArgumentError(
                    f"{name} has shape {array.shape}, expected ({part.stop - part.start},){active}"
                )
            if not np.isfinite(array).all():
                raise ArgumentError(f"{name}: a number is not finite")
            y[part] = array
        if self.floating and not np.linalg.norm(y[self.parts["Q0"]]) > 0:
            raise ArgumentError("the quaternion Q0 has no length")
        y = self.projected(y)
        if self.loops is not None:
            self.loops.check_start(y[self.parts["q"]])
        _ = self.direct  # the first function that needs a value of every parameter
        return y

    def projected(self, y: Array, t: float = 0.0) -> Array:
        """The state with its loops closed and its quaternion of length 1."""
        if self.loops is None and not self.floating:
            return y
        return np.asarray(self.projected_rows(y[None], [t])[0])

    def projected_rows(self, rows: Array, times: Sequence[float] | Array) -> Array:
        """Return `projected` for many states at once, one per row."""
        if self.loops is None and not self.floating:
            return rows
        rows = rows.copy()
        if self.loops is not None:
            q = rows[:, self.parts["q"]]
            rows[:, self.parts["q"]] = self.loops.rows_at(q[:, self.at], q, times)
        if self.floating:
            rows[:, self.parts["Q0"]] /= np.linalg.norm(rows[:, self.parts["Q0"]], axis=1, keepdims=True)
        return rows

    def gap(self, y: Array, projected: Array) -> float:
        """Return how far a state has drifted, in radians or shares of the robot's length."""
        return float((np.abs(y - projected) / self.units).max())

    # -- accelerations

    def _call(self, function: Function, y: Array, tau: Array | None) -> dict[str, Any]:
        """A function of the state, with what it takes of it."""
        names = self._bound.get(id(function))
        if names is None:
            names = frozenset(port.name for port in function.program.inputs)
            self._bound[id(function)] = names
        given: dict[str, Any] = {name: y[part] for name, part in self.parts.items() if name in names}
        if "qda" in names:
            given["qda"] = y[self.parts["qd"]]
            given.pop("qd", None)
        if tau is not None and "tau" in names:
            given["tau"] = tau
        given |= {name: value for name, value in self.inputs.items() if name in names}
        return function(**given)

    def accelerations(self, y: Array, tau: Array) -> Array:
        """Return all accelerations x from the direct dynamic model; it does not read the torques of elastic joints."""
        found = self._call(self.direct, y, tau)
        x = [found["qdda"] if "qdda" in found else found["qdd"]]
        if self.floating:
            x.insert(0, found["Vd0"])
        if "ed" in self.parts:
            x.append(found["edd"])
        return np.concatenate(x)

    def rates(self, y: Array, x: Array) -> Array:
        """Return the rate of the state, with all accelerations x."""
        dy = np.zeros(self.size)
        parts, columns = self.parts, self.columns
        dy[parts["qd"]] = x[columns]
        if "e" in parts:
            dy[parts["e"]], dy[parts["ed"]] = y[parts["ed"]], x[columns.stop :]
        if self.floating:
            self._move_base(dy, y, x[:6])
        dy[parts["q"]] = self.tree_rates(y)
        if self.rolling:
            self._roll(dy, y)
        return dy

    def _move_base(self, dy: Array, y: Array, Vd0: Array) -> None:
        parts = self.parts
        V0, Q0 = y[parts["V0"]], y[parts["Q0"]]
        v, w = V0[:3], V0[3:]
        dy[parts["P0"]] = from_quaternion(Q0) @ v
        a, b = Q0[0], Q0[1:]
        dy[parts["Q0"]] = 0.5 * np.concatenate([[-(b @ w)], a * w + np.cross(b, w)])
        dy[parts["V0"]] = Vd0
        dy[parts["V0"].start : parts["V0"].start + 3] -= np.cross(w, v)

    def tree_matrix(self, y: Array) -> Array:
        """How fast all joints of the tree turn as the coordinates do."""
        q = y[self.parts["q"]]
        if self.rolling:
            return np.asarray(self._wheel_rates(q=q)["G"][3:])
        found = np.zeros((len(self.joints), len(self.coordinates)))
        found[self.at, range(len(self.at))] = 1.0
        if self.loops is not None:
            found[self.loops.passive] = self._loop_rates(q=q, qd=np.zeros(len(q)))["W"]
        return found

    def wheel_determinant(self, q: Array) -> float:
        """What is zero where the active joints cannot drive a robot on wheels."""
        return float(self._wheel_rates(q=q)["det"])

    def tree_rates(self, y: Array) -> Array:
        """Velocities of all joints of the tree."""
        qd = y[self.parts["qd"]]
        return self.tree_matrix(y) @ qd if self.loops is not None or self.rolling else qd

    def tree_drift(self, y: Array) -> Array:
        """Accelerations of all joints of the tree where the coordinates have none."""
        if self.rolling:
            found = self._call(self.direct, y, np.zeros(len(self.coordinates)))
            return np.asarray(found["qdd"] - self.tree_matrix(y) @ found["qdda"])
        drift = np.zeros(len(self.joints))
        if self.loops is not None:
            drift[self.loops.passive] = self._loop_rates(q=y[self.parts["q"]], qd=self.tree_rates(y))["b"]
        return drift

    def _roll(self, dy: Array, y: Array) -> None:
        x, y_, turn = self._wheel_rates(q=y[self.parts["q"]])["G"][:3] @ y[self.parts["qd"]]
        heading = y[self.parts["pose"]][2]
        c, s = np.cos(heading), np.sin(heading)
        dy[self.parts["pose"]] = (c * x - s * y_, s * x + c * y_, turn)

    @cached_property
    def direct(self) -> Function:
        """The direct dynamic model."""
        return self._direct.function(self.values)

    @cached_property
    def _loop_rates(self) -> Function:
        return self._function("loop-kinematics")

    @cached_property
    def _wheel_rates(self) -> Function:
        return self._function("wheel-kinematics")

    @cached_property
    def _inertia(self) -> Function:
        try:
            return self._function("inertia-matrix")
        except NotApplicableError as error:
            raise NotApplicableError(
                f"joints of robot '{self.robot.name}' that follow a motion, stick or meet stops need its inertia "
                f"matrix: {error.message}"
            ) from None

    @cached_property
    def _bias(self) -> Function:
        return self._function("bias-torques")

    @property
    def columns(self) -> slice:
        """The entries of the coordinates among all accelerations."""
        base = 6 if self.floating else 0
        return slice(base, base + len(self.coordinates))

    def free_dynamics(self, y: Array, tau: Array, push: Array, known: Mapping[int, float]) -> FreeDynamics:
        """Return the equations of motion, factored over the accelerations that are not known.

        Args:
            tau: torques of the drives; those of elastic joints are those of their springs instead.
            push: further forces on the coordinates.
            known: accelerations of coordinates.

        Raises:
            LinAlgError: the inertia matrix is not positive definite.
        """
        A, H = self._call(self._inertia, y, None)["A"], self._call(self._bias, y, None)["H"]
        columns = self.columns
        force = tau + push
        force[self.springs] = push[self.springs]
        right = -H
        right[columns] += force
        given, free = np.zeros(len(H)), np.ones(len(H), dtype=bool)
        for k, value in known.items():
            given[columns.start + k], free[columns.start + k] = value, False
        if known:
            factor = np.linalg.cholesky(A[free][:, free])
            reduced = np.linalg.solve(factor, (right - A @ given)[free])
        else:
            factor = np.linalg.cholesky(A)
            reduced = np.linalg.solve(factor, right)
        return FreeDynamics(columns, A, right, given, free, factor, reduced)

    def with_impulse(self, y: Array, change: Array) -> Array:
        """Return the state with its velocities changed by those of all entries."""
        after, columns = y.copy(), self.columns
        after[self.parts["qd"]] += change[columns]
        if self.floating:
            after[self.parts["V0"]] += change[:6]
        if "ed" in self.parts:
            after[self.parts["ed"]] += change[columns.stop :]
        return after

    # -- what comes of it

    @cached_property
    def unknown_energy_reason(self) -> str:
        """The reason why the energies are unknown where the base moves as prescribed; empty where they are known."""
        return unknown_energy_reason(self.robot, {**dict(self.robot.nominal), **self.values}, self.inputs)

    @cached_property
    def energy_function(self) -> Function | None:
        """Kinetic and potential energy, where the robot has the model and the numbers."""
        if self.unknown_energy_reason:
            return None
        try:
            return self._function("energy")
        except SymoroError:
            return None

    def energies(self, rows: Array) -> tuple[Array, Array] | None:
        """E and U of states, one a row."""
        function = self.energy_function
        if function is None:
            return None
        names = {port.name for port in function.program.inputs}
        given: dict[str, Any] = {name: rows[:, part] for name, part in self.parts.items() if name in names}
        if "qda" in names:
            given["qda"] = rows[:, self.parts["qd"]]
            given.pop("qd", None)
        given |= {name: value for name, value in self.inputs.items() if name in names}
        found = function(**given)
        return np.asarray(found["E"]), np.asarray(found["U"])


@lru_cache(maxsize=32)
def _generated(robot: Robot, model: str, quaternion: bool) -> Model:
    """Return a model; simulations of one robot follow each other, with other starts, torques or values."""
    return generate(robot, model, **({"rotation": "quaternion"} if quaternion else {}))


Controller = Callable[[float, State], ArrayLike]
Watch = Callable[[State, Array], None]
"""Hears of a sample: the state, and the torques of the coordinates."""
