"""Equations of motion of a robot of any structure, as the time derivative of one state vector.

The state vector has these parts, as far as they apply to the robot:

    q    joints of the tree                  q' = qd, or q' = G qd for robots with loops or wheels
    qd   velocities of the coordinates       qd' from the model `direct-dynamics`
    e, ed  modes of flexible links           e' = ed, ed' from `direct-dynamics`
    P0, Q0, V0  a floating base: position,   P0' = R0 v,  Q0' = Q0 (0, w)/2,  V0' = Vd0 - (w x v; 0)
         quaternion and twist V0 = (v; w)
    pose  a wheeled base: x, y, heading      from the twist V0 of the model, rotated by the heading

The coordinates are all joints, or the active joints if loops or wheels constrain the others; the matrix G maps the
velocities of the active joints to those of all joints of the tree. The models divide by the length of the quaternion;
it is normalised at each step.

If some accelerations are known (of joints with a prescribed motion, sticking joints or joints at a stop) the
equations are solved for the others (`free_dynamics`).
"""

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
    """State of a robot at one time, as given to a controller; its arrays are read-only.

    Attributes:
        t: time in seconds.
        q, qd: positions and velocities of the coordinates.
        parts: all parts of the state by name; `tree` contains the positions of all joints.
    """

    t: float
    q: Array
    qd: Array
    parts: Mapping[str, Array]


@dataclass(frozen=True, eq=False)
class FreeDynamics:
    """Equations of motion A x = Q - H + W'l, prepared for computing the unknown entries x_f of the accelerations x.

    x are the accelerations of base, coordinates and flexible modes, A is the inertia matrix, Q - H the generalised
    forces; l are the contact forces, and W contains one row per contact. The unknown entries are computed with the
    Cholesky factor L of the submatrix A_ff = L L'.

    Attributes:
        columns: indices of the coordinates in x.
        inertia, force: A and Q - H.
        given: x with its given entries, zero elsewhere.
        free: mask f of the unknown entries of x.
        factor: Cholesky factor L.
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
        """Transform contact rows W to M = (L^-1 W_f')', where L is the Cholesky factor of the inertia matrix A_ff.

        W_f are the columns of W for the unknown accelerations, and M M' = W_f A_ff^-1 W_f'.

        Args:
            rows: W, one row per contact and one column per coordinate.
        """
        wide = np.zeros((len(rows), len(self.free)))
        wide[:, self.columns] = rows
        return np.asarray(np.linalg.solve(self.factor, wide[:, self.free].T).T)

    def given_part(self, rows: Array) -> Array:
        """Return the contribution of the given accelerations x to the contact accelerations W x.

        Args:
            rows: W, one row per contact and one column per coordinate.
        """
        return np.asarray(rows @ self.given[self.columns])

    def accelerations(self, change: Array | None = None) -> Array:
        """Return the accelerations x of base, coordinates and flexible modes.

        Args:
            change: vector that is added to z = L^-1 (Q - H - A x_given)_f, for example M'l for contact forces l.
        """
        x = self.given.copy()
        x[self.free] = self.from_reduced(self.reduced if change is None else self.reduced + change)
        return x

    def from_reduced(self, z: Array) -> Array:
        """Return L^-T z, the unknown accelerations for a reduced right-hand side z (L is the Cholesky factor)."""
        return np.asarray(np.linalg.solve(self.factor.T, z))

    def missing_forces(self, x: Array) -> Array:
        """Return the generalised forces A x - (Q - H) of the coordinates.

        These are the forces that the accelerations x require in addition to those that act.
        """
        return np.asarray((self.inertia @ x - self.force)[self.columns])


class Mechanics:
    """Equations of motion of a robot with numerical parameters, and the layout of its state vector.

    Attributes:
        joints: numbers of the independent joints of the tree.
        coordinates: numbers of the joints whose velocities are part of the state.
        fixed: torques prescribed in the robot's description (GAM), by index of the coordinate.
        at: per coordinate, the index of its joint in `joints`.
        parts: slices of the state vector by name of the part.
        length: the robot's characteristic length in metres.
        units: per entry of the state 1 for angles and their rates, `length` for lengths and their rates.
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
        self._direct = self.model("direct-dynamics")
        self.fixed = self._fixed_torques()
        self.parts = self._layout(self._direct.program)
        self.length = characteristic_length(robot, self.values)
        self.coordinate_units = np.array(joint_units(robot, self.coordinates, self.length))
        self.units = self._units()
        self._bound: dict[int, frozenset[str]] = {}
        self.loops = LoopCloser(robot, {**dict(robot.nominal), **self.values}) if robot.B else None
        self._check_inputs()

    def _function(self, name: str) -> Function:
        return self.model(name).function(self.values)

    def model(self, name: str) -> Model:
        """Return a model of the robot by name, as the simulation uses it."""
        quaternion = self.floating and name in ("direct-dynamics", "bias-torques", "energy")
        return _generated(self.robot, name, quaternion)

    def _fixed_torques(self) -> dict[int, float]:
        """Return the torques prescribed in the robot's description (GAM), by index of the coordinate."""
        values = {**dict(self.robot.nominal), **self.values}
        fixed = {k: self.robot.frame(j).GAM for k, j in enumerate(self.coordinates)}
        return {k: GAM.value(values) for k, GAM in fixed.items() if GAM is not None}

    def _layout(self, direct: Program) -> dict[str, slice]:
        shapes = {port.name: port.shape for port in direct.inputs}
        sizes = {"q": len(self.joints), "qd": len(self.coordinates)}
        if "e" in shapes:
            sizes |= {"e": shapes["e"][0], "ed": shapes["ed"][0]}
        if self.floating:
            sizes |= {"P0": 3, "Q0": 4, "V0": 6}
        if self.rolling:
            sizes |= {"pose": 3}
        parts, start = {}, 0
        for name, size in sizes.items():
            parts[name] = slice(start, start + size)
            start += size
        self.size = start
        return parts

    def _units(self) -> Array:
        units, parts, length = np.ones(self.size), self.parts, self.length
        units[parts["q"]] = joint_units(self.robot, self.joints, length)
        units[parts["qd"]] = self.coordinate_units
        for name in ("e", "ed"):
            if name in parts:
                units[parts[name]] = [
                    1.0 if mode.startswith("et") else length for mode in mode_names(self.robot)
                ]
        for name, lengths in (("P0", 3), ("V0", 3), ("pose", 2)):
            if name in parts:
                units[parts[name].start : parts[name].start + lengths] = length
        return units

    def _check_inputs(self) -> None:
        own = {"q", "qd", "qda", "tau", *self.parts}
        wanted = {port.name: port.shape for port in self._direct.program.inputs if port.name not in own}
        for name, shape in wanted.items():
            given = self.inputs.get(name)
            if given is None and name == EXTERNAL.name:
                given = self._wrenches(shape[0])
            if given is None:
                symbols = ", or values of its symbols" if name == EXTERNAL.name else ""
                raise ArgumentError(
                    f"the input '{name}' of robot '{self.robot.name}' is missing",
                    hint=f"give inputs={{'{name}': ...}} with shape {shape}{symbols}",
                )
            if given.shape != shape and given.shape != (math.prod(shape),):
                raise ArgumentError(f"'{name}' has shape {given.shape}, expected {shape}")
            self.inputs[name] = given.reshape(shape)
        for name in self.inputs:
            if name not in wanted:
                raise ArgumentError(
                    f"there is no input '{name}'", hint=f"the inputs are: {', '.join(wanted) or 'none'}"
                )

    def _wrenches(self, rows: int) -> Array | None:
        """Return the external wrenches on the last links, from the values of their symbols.

        The result is a flat array of 6 entries per link, or None if a symbol has no value.

        Args:
            rows: number of links.
        """
        links = [self.robot.base.link, *self.robot.links][-rows:]
        formulas = [getattr(link, name) for link in links for name in WRENCH]
        values = {**dict(self.robot.nominal), **self.values}
        if any(name not in values for formula in formulas for name in formula.symbols):
            return None
        return np.array([formula.value(values) for formula in formulas])

    # -- state

    def split(self, y: Array) -> dict[str, Array]:
        return {name: y[part] for name, part in self.parts.items()}

    def state(self, t: float, y: Array) -> State:
        """Return the state vector y at time t, divided into named parts.

        The parts are read-only copies, so that a controller cannot change the motion.
        """
        y = y.copy()
        y.flags.writeable = False
        tree = y[self.parts["q"]]
        q = tree[self.at]
        q.flags.writeable = False
        return State(t, q, y[self.parts["qd"]], {**self.split(y), "tree": tree})

    def start(self, given: Mapping[str, ArrayLike | None]) -> Array:
        """Return the initial state vector with the given parts (by name: q, qd, e, P0, ...).

        Parts that are not given are zero; the frame of a floating base then coincides with the world frame.
        """
        y = np.zeros(self.size)
        if self.floating:
            y[self.parts["Q0"]] = (1.0, 0.0, 0.0, 0.0)
        for name, value in given.items():
            if value is None:
                continue
            if name not in self.parts:
                raise ArgumentError(
                    f"the state of robot '{self.robot.name}' has no part '{name}'",
                    hint=f"parts of the state: {', '.join(self.parts)}",
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
                raise ArgumentError(f"{name}: a value is not finite")
            y[part] = array
        if self.floating and not np.linalg.norm(y[self.parts["Q0"]]) > 0:
            raise ArgumentError("the quaternion Q0 is zero")
        y = self.projected(y)
        if self.loops is not None:
            self.loops.check_start(y[self.parts["q"]])
        _ = self.direct  # raises an error if a parameter has no value
        return y

    def projected(self, y: Array, t: float = 0.0) -> Array:
        """Return the state y at time t with the loops closed and the quaternion of the base normalised."""
        if self.loops is None and not self.floating:
            return y
        return np.asarray(self.projected_rows(y[None], [t])[0])

    def projected_rows(self, rows: Array, times: Sequence[float] | Array) -> Array:
        """Apply `projected` to several states (one per row) at the given times."""
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
        """Return the largest difference between the entries of a state y and those of its projection.

        Angles are compared in radians, lengths relative to the robot's length.
        """
        return float((np.abs(y - projected) / self.units).max())

    # -- accelerations

    def _call(self, function: Function, y: Array, tau: Array | None) -> dict[str, Any]:
        """Evaluate a generated function in the state y with torques tau; return its outputs by name."""
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
        """Return the accelerations of base, coordinates and flexible modes, from the direct dynamic model.

        Args:
            y: state.
            tau: torques of the coordinates; entries of elastic joints are ignored, because their springs act instead.
        """
        outputs = self._call(self.direct, y, tau)
        x = [outputs["qdda"] if "qdda" in outputs else outputs["qdd"]]
        if self.floating:
            x.insert(0, outputs["Vd0"])
        if "ed" in self.parts:
            x.append(outputs["edd"])
        return np.concatenate(x)

    def rates(self, y: Array, x: Array) -> Array:
        """Return the time derivative of the state y.

        Args:
            x: accelerations of base, coordinates and flexible modes.
        """
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
        """Return the matrix G in the state y, with qd_tree = G qd.

        It maps the velocities of the coordinates to those of all joints of the tree.
        """
        q = y[self.parts["q"]]
        if self.rolling:
            return np.asarray(self._wheel_rates(q=q)["G"][3:])
        matrix = np.zeros((len(self.joints), len(self.coordinates)))
        matrix[self.at, range(len(self.at))] = 1.0
        if self.loops is not None:
            matrix[self.loops.passive] = self._loop_rates(q=q, qd=np.zeros(len(q)))["W"]
        return matrix

    def wheel_determinant(self, q: Array) -> float:
        """Return the determinant of the wheel kinematics at the positions q.

        It is zero in configurations where the active joints cannot drive the robot.
        """
        return float(self._wheel_rates(q=q)["det"])

    def tree_rates(self, y: Array) -> Array:
        """Return the velocities of all joints of the tree in the state y."""
        qd = y[self.parts["qd"]]
        return self.tree_matrix(y) @ qd if self.loops is not None or self.rolling else qd

    def tree_drift(self, y: Array) -> Array:
        """Return the accelerations of all joints of the tree in the state y if the coordinates do not accelerate."""
        if self.rolling:
            outputs = self._call(self.direct, y, np.zeros(len(self.coordinates)))
            return np.asarray(outputs["qdd"] - self.tree_matrix(y) @ outputs["qdda"])
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
        """Compiled function of the direct dynamic model."""
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
                "prescribed motions, dry friction and stops require the inertia matrix of robot "
                f"'{self.robot.name}', which cannot be derived: {error.message}"
            ) from None

    @cached_property
    def _bias(self) -> Function:
        return self._function("bias-torques")

    @property
    def columns(self) -> slice:
        """Slice of the coordinates in the vector of all accelerations (base, coordinates, modes)."""
        base = 6 if self.floating else 0
        return slice(base, base + len(self.coordinates))

    def free_dynamics(self, y: Array, tau: Array, further: Array, known: Mapping[int, float]) -> FreeDynamics:
        """Return the equations of motion in the state y, factored for the unknown accelerations.

        Args:
            tau: torques of the drives; elastic joints have the torques of their springs instead.
            further: additional generalised forces on the coordinates.
            known: given accelerations by index of the coordinate.

        Raises:
            LinAlgError: the inertia matrix is not positive definite.
        """
        A, H = self._call(self._inertia, y, None)["A"], self._call(self._bias, y, None)["H"]
        columns = self.columns
        force = tau + further
        force[self.springs] = further[self.springs]
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
        """Return the state y after a jump `change` of all velocities (base, coordinates, modes)."""
        after, columns = y.copy(), self.columns
        after[self.parts["qd"]] += change[columns]
        if self.floating:
            after[self.parts["V0"]] += change[:6]
        if "ed" in self.parts:
            after[self.parts["ed"]] += change[columns.stop :]
        return after

    # -- energies

    @cached_property
    def unknown_energy_reason(self) -> str:
        """Reason why the energies are unknown (a base with prescribed motion); empty if they are known."""
        return unknown_energy_reason(self.robot, {**dict(self.robot.nominal), **self.values}, self.inputs)

    @cached_property
    def energy_function(self) -> Function | None:
        """Compiled function for the kinetic and potential energy.

        It is None if the robot has no such model or numbers are missing.
        """
        if self.unknown_energy_reason:
            return None
        try:
            return self._function("energy")
        except SymoroError:
            return None

    def energies(self, rows: Array) -> tuple[Array, Array] | None:
        """Return kinetic and potential energies (N,), (N,) of N states, one per row; None if they are unknown."""
        function = self.energy_function
        if function is None:
            return None
        names = {port.name for port in function.program.inputs}
        given: dict[str, Any] = {name: rows[:, part] for name, part in self.parts.items() if name in names}
        if "qda" in names:
            given["qda"] = rows[:, self.parts["qd"]]
            given.pop("qd", None)
        given |= {name: value for name, value in self.inputs.items() if name in names}
        outputs = function(**given)
        return np.asarray(outputs["E"]), np.asarray(outputs["U"])


@lru_cache(maxsize=32)
def _generated(robot: Robot, model: str, quaternion: bool) -> Model:
    """Return a generated model of a robot by model name; cached for repeated simulations of the same robot."""
    return generate(robot, model, **({"rotation": "quaternion"} if quaternion else {}))


Controller = Callable[[float, State], ArrayLike]
Watch = Callable[[State, Array], None]
"""Function called with each sample: the state, and the torques of the coordinates."""
