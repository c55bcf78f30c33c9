"""Evaluation of the rows of a sweep: numbers of a block of rows from the compiled models.

A `SweepRequest` contains everything that determines the numbers. `Evaluation` derives and compiles its models, once
each: parameters that are swept become an input of the program (`with_parameter_input`), so that rows with different
parameters share one compiled function and one call. A `Block` computes outputs of models and what several measures
share (Jacobians, singular values) at most once for a block of rows.

    joints of closed loops    positions of the passive joints from `loop-geometry`; of a given pose all joints from
                              `inverse-geometry`. One branch is used for all rows. Rows without a solution are NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError, NotApplicableError, OptionError
from symoro.model import generate
from symoro.models.catalogue import entry
from symoro.models.geometric.inverse.redundancy import has_redundant_joint
from symoro.models.geometric.loop.mechanism import active_joints
from symoro.program.parameter_input import NAME as PARAMETERS
from symoro.program.parameter_input import with_parameter_input
from symoro.program.program import Input, Program
from symoro.robot.coordinates import independent
from symoro.robot.description import BaseKind, JointType, Robot
from symoro.robot.postures import HOME
from symoro.runtime.function import Function
from symoro.runtime.poses import from_angles
from symoro.study import jacobians
from symoro.study.quantities import POSE, Column, Names, entry_factors, fixed_values
from symoro.study.ranges import Array, Rows

if TYPE_CHECKING:
    from symoro.trajectory.samples import Samples
    from symoro.trajectory.trajectory import Trajectory

WHOLE_POSE = tuple(range(6))
GIVEN = "given"  # key of the model that the user names


@dataclass(frozen=True)
class SweepRequest:
    """Everything that determines the numbers of a sweep.

    Attributes:
        robot: the robot.
        model: id of the model.
        options: options of the model.
        over, sample: grids and intervals by name, as given.
        at: fixed values by name, as given.
        count, sampling, seed, max_rows: as in `ranges.planned_rows`.
        degrees: whether angles of joints and of the pose are in degrees.
        measures: names of the measures; empty for the outputs of the model.
        length: characteristic length in metres.
        task: rows of the Jacobian that the measures use, 0 to 5.
        mode: number of the assembly or working mode, from 1; None selects that of the posture 'home', or the first.
        stiffness: joint stiffnesses (N m/rad, N/m), one or one per joint; None takes those of the elastic joints.
        trajectory: motion for the measures along a trajectory.
        step: largest time between its samples in seconds.
    """

    robot: Robot
    model: str
    options: Mapping[str, Any] = field(default_factory=dict)
    over: Mapping[str, Any] = field(default_factory=dict)
    sample: Mapping[str, Any] = field(default_factory=dict)
    at: Mapping[str, Any] = field(default_factory=dict)
    count: int | None = None
    sampling: str = "random"
    seed: int = 0
    max_rows: int | None = None
    degrees: bool = False
    measures: tuple[str, ...] = ()
    length: float = 1.0
    task: tuple[int, ...] = WHOLE_POSE
    mode: int | None = None
    stiffness: tuple[float, ...] | None = None
    trajectory: Trajectory | Samples | None = None
    step: float = 0.01


@dataclass(frozen=True, eq=False)
class CompiledModel:
    """Model of the sweep with its compiled function.

    Attributes:
        program: the program, with the swept parameters as input `p`.
        function: the compiled program.
        swept: names of the entries of the input `p`.
    """

    program: Program
    function: Function
    swept: tuple[str, ...]


def no_symbols(evaluation: Evaluation) -> Iterable[str]:
    """Return the symbols of a measure that uses none except those of its models."""
    return ()


@dataclass(frozen=True)
class Measure:
    """Measure of a sweep.

    Attributes:
        models: keys of the models whose outputs it uses.
        columns: function that returns its columns.
        values: function that returns its numbers (rows, columns) for a block of rows.
        symbols: function that returns symbols of the robot that it uses in addition to those of the models.
        along_trajectory: whether the motion is that of the trajectory instead of the inputs of the rows.
    """

    models: tuple[str, ...]
    columns: Callable[[Evaluation], list[Column]]
    values: Callable[[Block], Array]
    symbols: Callable[[Evaluation], Iterable[str]] = no_symbols
    along_trajectory: bool = False


class Evaluation:
    """Function of blocks of rows that returns the numbers of a sweep.

    Attributes:
        request: the request.
        rows: rows of the sweep.
        swept: columns of the swept quantities.
        measures: measures in the order of their columns.
        columns: columns of the outputs or measures.
    """

    def __init__(self, request: SweepRequest, measures: Sequence[Measure]) -> None:
        self.request = request
        self.robot = request.robot
        names = [*request.over, *request.sample, *request.at]
        self.by_pose = any(name in POSE and name not in self.robot.symbols() for name in names)
        self.measures = tuple(measures)
        self._programs = {key: self._program(key) for key in self._needed()}
        ports = {port.name: port for program in self._programs.values() for port in program.inputs}
        self.names = Names(self.robot, ports, request.degrees, self.by_pose)
        self.rows: Rows = _rows(request, self.names)
        self._check_names()
        self.fixed = fixed_values(self.names, request.at)
        self._check_fixed()
        self.swept = tuple(Column(name, self.names.unit(name)) for name in self.rows.names)
        self.values = {**dict(self.robot.nominal), **self._fixed_parameters()}
        self._check_missing()
        self.models = {key: self._compiled(program) for key, program in self._programs.items()}
        self.branch = self._branch()
        self.motions: dict[tuple[float, ...], Samples] = {}  # last sampled motion, by values of symbols
        self.columns = tuple(column for measure in self.measures for column in measure.columns(self))
        self._check_columns()

    # -- planning

    def _needed(self) -> list[str]:
        """Return the keys of all models that the measures and the joint positions require."""
        keys = dict.fromkeys(self._key(key) for measure in self.measures for key in measure.models)
        posture = "inverse-geometry" if self.by_pose else "loop-geometry" if self.robot.B else None
        along = all(measure.along_trajectory for measure in self.measures)
        return [*keys, *([posture] if posture and posture not in keys and not along else [])]

    def _key(self, key: str) -> str:
        return entry(self.request.model).id if key == GIVEN else key

    def model(self, key: str) -> CompiledModel:
        """Return a model of the sweep by its id, or the model that the user names by `GIVEN`."""
        return self.models[self._key(key)]

    def _program(self, key: str) -> Program:
        request = self.request
        if key == self._key(GIVEN):
            return generate(self.robot, key, **request.options).program
        known = {option.name for option in entry(key).all_options}
        shared = {name: value for name, value in request.options.items() if name == "to" and name in known}
        if key == "inverse-geometry" and self.robot.platform is None and not self._has_orientation():
            shared["pose"] = "position"
        program = generate(self.robot, key, **shared).program
        if key == "inverse-geometry" and has_redundant_joint(program):
            raise OptionError(
                f"robot '{self.robot.name}' is redundant: a pose does not determine its posture",
                hint="sweep the joint positions q instead of the pose",
            )
        return program

    def _has_orientation(self) -> bool:
        """Return whether the orientation of the end effector is swept or fixed, in addition to its position."""
        return any(name in POSE[3:] for name in (*self.request.over, *self.request.sample, *self.request.at))

    def _check_names(self) -> None:
        used = [name for program in self._programs.values() for name in program.used_parameters]
        formulas = [name for measure in self.measures for name in measure.symbols(self)]
        self.names.check([*self.rows.names], [*used, *formulas])
        known = {*self.robot.symbols()}
        self.names.check(
            [name for name in self.request.at if name not in known and name not in self.names.entries], used
        )

    def _check_fixed(self) -> None:
        if twice := next((name for name in self.rows.names if name in self.fixed), None):
            raise OptionError(f"'{twice}' is swept and also has a fixed value", hint="give one of the two")

    def _fixed_parameters(self) -> dict[str, float]:
        symbols = self.robot.symbols()
        return {name: value for name, value in self.fixed.items() if name in symbols}

    def _check_missing(self) -> None:
        """Check that every input entry and every parameter has a value.

        Raises:
            ArgumentError: the message lists all that is missing.
        """
        given = {*self.fixed, *self.rows.names}
        derived = {"q", "T", "qa"} if self.by_pose else {"qa"} if self.robot.B else set()
        entries = [
            symbol
            for name, symbols in self.names.entries.items()
            if name not in derived and self.names.ports[name].default is None and self._is_read(name)
            for symbol in symbols
            if symbol not in given
        ]
        if self.by_pose:
            entries += [name for name in POSE[:3] if name not in given]
        used = dict.fromkeys(name for p in self._programs.values() for name in p.used_parameters)
        parameters = [name for name in used if name not in self.values and name not in given]
        missing = [*entries, *parameters]
        if missing:
            listed = ", ".join(missing[:20]) + (f" and {len(missing) - 20} more" if len(missing) > 20 else "")
            raise ArgumentError(
                f"{len(missing)} values are missing: {listed}",
                hint=f"sweep them or fix them with the option 'at', for example {missing[0]}=0",
            )

    def _is_read(self, port: str) -> bool:
        """Return whether an input is read from the rows: measures along a trajectory have their own motion."""
        return any(
            port in [one.name for one in self._programs[key].inputs]
            for measure in self.measures
            if not measure.along_trajectory
            for key in (*map(self._key, measure.models), *self._posture_keys())
            if key in self._programs
        )

    def _posture_keys(self) -> tuple[str, ...]:
        return ("inverse-geometry",) if self.by_pose else ("loop-geometry",) if self.robot.B else ()

    def _compiled(self, program: Program) -> CompiledModel:
        swept = tuple(name for name in self.rows.names if name in program.used_parameters)
        promoted = with_parameter_input(program, swept) if swept else program
        return CompiledModel(promoted, Function(promoted, self.values, robot=self.robot), swept)

    def _branch(self) -> int:
        """Return the index of the branch of the joint positions that is used in all rows.

        Raises:
            OptionError: there is no such branch.
        """
        key = next(iter(self._posture_keys()), None)
        mode = self.request.mode
        if key is None or key not in self.models:
            if mode is not None:
                raise OptionError(
                    "mode: there is nothing to select, because the positions of all joints are given",
                    hint="a mode belongs to closed loops, or to a pose of the end effector",
                )
            return 0
        (branches,) = [port.shape[0] for port in self.models[key].program.outputs if port.name == "status"]
        if mode is not None:
            if not 1 <= mode <= branches:
                raise OptionError(f"mode: there is no mode {mode}", hint=f"the modes are 1 to {branches}")
            return mode - 1
        home = self.robot.postures.get(HOME)
        if home is None or branches == 1 or self.by_pose:
            return 0
        positions = dict(zip(independent(self.robot), home, strict=True))
        inputs = {"qa": np.array([positions[j] for j in active_joints(self.robot)])}
        if self.models[key].swept:
            # The posture belongs to the nominal values; symbols without one have their first value.
            first = self.rows.block(0, 1)
            nominal = [self.values.get(name, first[name][0]) for name in self.models[key].swept]
            inputs[PARAMETERS] = np.array(nominal)
        q = self.models[key].function(**inputs)["q"]
        distances = np.abs(np.exp(1j * q) - np.exp(1j * np.array(home))).sum(1)
        return int(np.where(np.isfinite(distances), distances, np.inf).argmin())

    def _check_columns(self) -> None:
        names = [column.name for column in (*self.swept, *self.columns)]
        if twice := next((name for k, name in enumerate(names) if name in names[:k]), None):
            raise OptionError(
                f"two columns would have the name '{twice}'", hint="sweep another name, or use other measures"
            )

    @property
    def compilations(self) -> int:
        """Number of programs that are compiled, one per model."""
        return len(self.models)

    @property
    def compiled(self) -> bool:
        """Whether the models run in compiled code."""
        return all(model.function.compiled for model in self.models.values())

    # -- numbers

    def outputs(self, swept: Mapping[str, Array]) -> Array:
        """Return the numbers of the columns (rows, columns) for values of the swept quantities.

        Args:
            swept: values by name, in the user's units.
        """
        block = Block(self, swept)
        with np.errstate(all="ignore"):
            parts = [np.reshape(measure.values(block), (block.rows, -1)) for measure in self.measures]
        return np.concatenate(parts, axis=1)


class Block:
    """Block of rows: inputs, outputs of models and quantities that several measures share.

    Attributes:
        evaluation: the sweep.
        swept: values of the swept quantities by name, in the user's units.
        rows: number of rows.
    """

    def __init__(self, evaluation: Evaluation, swept: Mapping[str, Array]) -> None:
        self.evaluation = evaluation
        self.robot = evaluation.robot
        self.request = evaluation.request
        self.swept = swept
        self.rows = len(next(iter(swept.values())))
        self._outputs: dict[str, dict[str, Array]] = {}

    def value(self, name: str) -> Array | float | None:
        """Return the values of a name in the user's unit: an array if it is swept, a number if it is fixed."""
        return self.swept[name] if name in self.swept else self.evaluation.fixed.get(name)

    def parameters(self, row: int) -> dict[str, float]:
        """Return the values of all parameters in one row."""
        symbols = self.robot.symbols()
        own = {name: float(column[row]) for name, column in self.swept.items() if name in symbols}
        return {**self.evaluation.values, **own}

    def outputs(self, key: str) -> dict[str, Array]:
        """Return the outputs of a model by name, with the axis of rows in front."""
        if key not in self._outputs:
            self._outputs[key] = self._called(key)
        return self._outputs[key]

    def _called(self, key: str) -> dict[str, Array]:
        model = self.evaluation.model(key)
        inputs = {}
        for port in model.program.inputs:
            if port.name != PARAMETERS or not model.swept:
                inputs[port.name] = self._input(port)
        if model.swept:
            inputs[PARAMETERS] = np.stack([self.swept[name] for name in model.swept], axis=1)
        results = model.function(**inputs)
        batched = any(
            array.ndim > len(port.shape) for port in model.program.inputs for array in [inputs[port.name]]
        )
        if batched:
            return results
        return {name: np.broadcast_to(a, (self.rows, *np.shape(a))) for name, a in results.items()}

    def _input(self, port: Input) -> Array:
        """Return an input in SI units: with the axis of rows in front if it varies, otherwise without it."""
        evaluation = self.evaluation
        if port.name == "q" and (evaluation.by_pose or self.robot.B):
            return self.postures
        if port.name == "T" and evaluation.by_pose:
            return self.poses
        factors = entry_factors(self.robot, port, self.request.degrees)
        default = np.zeros(len(port.symbols)) if port.default is None else np.array(port.default, dtype=float)
        given = [self.value(symbol) for symbol in port.symbols]
        array = np.array(default)
        for k, value in enumerate(given):
            if isinstance(value, float):
                array[k] = value * factors[k]
        if any(isinstance(value, np.ndarray) for value in given):
            array = np.tile(array, (self.rows, 1))
            for k, value in enumerate(given):
                if isinstance(value, np.ndarray):
                    array[:, k] = value * factors[k]
            return array.reshape(self.rows, *port.shape)
        return array.reshape(port.shape)

    @cached_property
    def poses(self) -> Array:
        """Poses of the end effector (N, 4, 4)."""
        turn = np.pi / 180 if self.request.degrees else 1.0
        given = {name: self.value(name) for name in POSE}
        columns = [
            (0.0 if value is None else value) * (1.0 if name in POSE[:3] else turn)
            for name, value in given.items()
        ]
        return np.broadcast_to(from_angles(*columns), (self.rows, 4, 4))

    @cached_property
    def postures(self) -> Array:
        """Positions of all joints (N, n); NaN in rows in which the loops do not close or the pose is out of reach."""
        evaluation = self.evaluation
        results = self.outputs("inverse-geometry" if evaluation.by_pose else "loop-geometry")
        k = evaluation.branch
        valid = results["status"][:, k] == 0
        return np.where(valid[:, None], results["q"][:, k], np.nan)

    @cached_property
    def joint_positions(self) -> Array:
        """Positions of all joints (N, n), given or computed; requires the model `fast-geometry`."""
        if self.evaluation.by_pose or self.robot.B:
            return self.postures
        (port,) = [one for one in self.evaluation.model("fast-geometry").program.inputs if one.name == "q"]
        return np.broadcast_to(self._input(port), (self.rows, *port.shape))

    @cached_property
    def closed(self) -> Any:
        """Whether each row has a posture, (N,)."""
        if self.evaluation.by_pose or self.robot.B:
            return np.isfinite(self.postures).all(1)
        return np.ones(self.rows, dtype=bool)

    @cached_property
    def jacobian(self) -> Array:
        """Dimensionless rows of the Jacobian that belong to the task, (N, rows, joints)."""
        J = self.outputs("jacobian")["J"]
        columns = linear_columns(self.robot, J.shape[2])
        return jacobians.homogeneous(J, columns, self.request.length, self.request.task)

    @cached_property
    def singular_values(self) -> Array:
        """Singular values of the Jacobian of the task, (N, m)."""
        return jacobians.singular_values(self.jacobian)


def linear_columns(robot: Robot, count: int) -> NDArray[np.bool_]:
    """Return whether each column of a Jacobian belongs to a linear velocity: of a prismatic joint, or of the base.

    Args:
        robot: the robot.
        count: number of columns: one per joint, one per active joint, or six more for a floating base.
    """
    base = [True] * 3 + [False] * 3 if robot.base.kind == BaseKind.FLOATING else []
    for joints in (independent(robot), active_joints(robot)):
        if len(base) + len(joints) == count:
            slides = [robot.frame(j).sigma == JointType.PRISMATIC for j in joints]
            return np.array([*base, *slides])
    raise NotApplicableError(
        f"the columns of the Jacobian of robot '{robot.name}' do not belong to its joints"
    )


def _rows(request: SweepRequest, names: Names) -> Rows:
    from symoro.study.ranges import planned_rows

    return planned_rows(
        request.over,
        request.sample,
        request.count,
        sampling=request.sampling,
        seed=request.seed,
        max_rows=request.max_rows,
        entries=names.entries,
    )
