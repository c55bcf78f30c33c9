"""The object that users hold: a program with its robot and options, and the doors to code and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from symoro.display import html
from symoro.errors import NotApplicableError, UnknownNameError
from symoro.models import catalogue as models
from symoro.program.count import OpCount, count
from symoro.program.program import Program, Shape
from symoro.progress import task
from symoro.robot.description import Robot
from symoro.robot.flexibility import flexible_links
from symoro.robot.formats import RobotLike, as_robot

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from symoro.models.identification.base.parameters import BaseParameters
    from symoro.models.kinematic.loop_singularities import LoopSingularities
    from symoro.models.kinematic.singularities import Singularities
    from symoro.models.kinematic.wheels.mobility import WheeledClass
    from symoro.models.numeric.assembly_modes import AssemblyModes
    from symoro.runtime.function import Function
    from symoro.runtime.numeric_inverse import NumericInverse
    from symoro.runtime.platform_pose import FoundPose


class Model:
    """A model of a robot. Made by `generate`."""

    def __init__(
        self, robot: Robot, entry: models.Entry, options: Mapping[str, Any], program: Program
    ) -> None:
        self.robot = robot
        self.entry = entry
        self.options = dict(options)
        self.program = program

    @property
    def inputs(self) -> dict[str, Shape]:
        """Name -> shape of what varies from call to call."""
        return {port.name: port.shape for port in self.program.inputs}

    @property
    def outputs(self) -> dict[str, Shape]:
        """Name -> shape of what it gives."""
        return {port.name: port.shape for port in self.program.outputs}

    @property
    def parameters(self) -> list[str]:
        """Names of the free symbols it needs, in the order the code takes them."""
        return list(self.program.used_parameters)

    @property
    def columns(self) -> list[str]:
        """Names of a regressor's columns."""
        return list(self.program.columns)

    @property
    def notes(self) -> list[str]:
        """Notes on parts of the results that no symbol shows, such as friction given by numbers."""
        return [text for label, text in self.program.header if label == "remark"]

    @property
    def conditions(self) -> list[str]:
        """What must not be zero for the outputs to hold, where symbols are divided by: as "D3 != 0"."""
        return list(self.program.conditions)

    def count(self) -> OpCount:
        """Operations per call; `.setup` is the part done once."""
        return count(self.program)

    def explain(self, *, latex: bool = False) -> list[str]:
        """How the model was formulated, how it was solved step by step, and what each optimising pass saved.

        Arguments:
            latex: the steps of the solution alone, in LaTeX (amsmath).
        """
        from symoro.emit import derivation

        if latex:
            return derivation.as_latex(self.program.derivation)
        lines = [f"formulation: {choice}" for choice in self.program.choices]
        lines += derivation.as_text(self.program.derivation)
        _, steps = models.retraced(self.robot, self.entry, self.options)
        for step in steps:
            saved = step.before.total - step.after.total
            if saved:
                lines.append(f"pass {step.name}: {step.before.total} -> {step.after.total} operations")
        if self.entry.plain is not None:
            plain = count(self.entry.plain(self.robot))
            less = plain.total - self.count().total
            lines.append(
                f"in SYMORO's form: {plain.multiplications} x, {plain.additions} +; "
                f"here {abs(less)} operations {'less' if less >= 0 else 'more, as written'}"
            )
        return lines

    def code(self, language: str, **options: Any) -> dict[str, str]:
        """The source files in a language: file name -> text."""
        from symoro.emit import emit, find_language

        if "sample" in find_language(language).options:
            closing = self._closing(options)
            options = self._demo(options.get("values"), **closing) | closing | options
        return emit(self.program, language, **options)

    def export(
        self,
        languages: list[str] | str = "c",
        values: Mapping[str, float] | None = None,
        *,
        name: str | None = None,
        **options: Any,
    ) -> dict[str, str]:
        """A whole folder: sources, build file, demo, README and the robot; path -> text.

        Arguments:
            values: numbers for parameters in the demo; the robot's nominal values serve where none is given.
            name: base name of files and functions.
            options: those of the languages, as `scalar="float"` and `trig="libm"` of C.
        """
        from symoro.emit.project import project
        from symoro.files import file_name
        from symoro.robot.formats import dumps

        chosen = [languages] if isinstance(languages, str) else list(languages)
        closing = self._closing(options)
        return project(
            self.program,
            chosen,
            extra_files={f"{file_name(self.robot.name)}.yaml": dumps(self.robot, "yaml")},
            name=name,
            options=closing | options,
            **self._demo(values, **closing),
        )

    def _closing(self, options: Mapping[str, Any]) -> dict[str, Program]:
        """What an integrator needs besides the model, where closed loops are integrated."""
        if options.get("integrator") is None or not self.robot.B or self.entry.id != "direct-dynamics":
            return {}
        from symoro.models.kinematic.loop.closure import loop_closure

        return {"closure": loop_closure(self.robot)}

    def _demo(self, values: Mapping[str, float] | None, closure: Program | None = None) -> dict[str, Any]:
        """Numbers for parameters and inputs of the demo; those of inverse models have a solution.

        Arguments:
            closure: what closes loops, which may take parameters that the model does not.
        """
        from symoro.runtime.demo import demo_sample

        numbers = {**dict(self.robot.nominal), **(values or {})}
        names = [*self.parameters, *(closure.used_parameters if closure else ())]
        return {
            "values": {name: numbers[name] for name in names if name in numbers},
            "sample": demo_sample(self.robot, self.program, self.options, numbers),
        }

    def to_sympy(self) -> dict[str, Any]:
        """SymPy matrices (or scalars) by output name."""
        import sympy

        from symoro.expr.sympy_bridge import to_sympy

        found: dict[str, Any] = {}
        for port in self.program.outputs:
            entries = to_sympy(self.program.graph, port.lits)
            if port.shape == ():
                found[port.name] = entries[0]
            elif len(port.shape) <= 2:
                rows = port.shape[0]
                columns = port.shape[1] if len(port.shape) == 2 else 1
                found[port.name] = sympy.Matrix(rows, columns, entries)
            else:
                found[port.name] = sympy.ImmutableDenseNDimArray(entries, port.shape)
        return found

    def function(
        self, values: Mapping[str, float] | None = None, *, compiled: bool | None = None
    ) -> Function:
        """A NumPy callable: compiled C when a compiler is found, NumPy otherwise.

        Arguments:
            values: numbers for parameters; the robot's nominal values serve where none is given.
            compiled: True insists on a compiler, False does without.
        """
        from symoro.runtime.function import Function

        known = set(self.robot.symbols()) | set(self.parameters)
        for name in values or {}:
            if name not in known:
                raise UnknownNameError(f"parameter of {self.entry.id}", name, self.parameters)
        numbers = {**dict(self.robot.nominal), **(values or {})}
        if self.entry.id == "inverse-geometry":
            from symoro.runtime.pose_function import PoseFunction

            return PoseFunction(
                self.program, numbers, robot=self.robot, options=self.options, compiled=compiled
            )
        return Function(self.program, numbers, compiled=compiled, robot=self.robot)

    def __str__(self) -> str:
        return next(iter(self.code("text").values()))

    def __repr__(self) -> str:
        return f"<Model {self.entry.id} of {self.robot.name}: {self.count()}>"

    def _repr_html_(self) -> str | None:
        return html(self)

    def _repr_latex_(self) -> str:
        return next(iter(self.code("latex", fragment=True).values()))


def _stiff(robot: Robot, what: str) -> Robot:
    """A robot without flexible links.

    Raises:
        NotApplicableError: it has some.
    """
    if flexible_links(robot):
        raise NotApplicableError(f"{what} does not apply to robot '{robot.name}': {models.FLEXIBLE}")
    return robot


def base_parameters(robot: RobotLike, **options: Any) -> BaseParameters:
    """The base inertial parameters of a robot: names kept, without effect, and the relations.

    Arguments:
        robot: a robot, the name of a bundled one, or the path of a file.
        options: `method` ('auto', 'exact', 'numeric'), `rotor`, `posture` (of closed loops: its name, one number per
            joint, or numbers by joint; 'home' unless given), as in `models.identification.base`.
    """
    from symoro.models.identification.base.parameters import base_parameters as found

    asked = _stiff(as_robot(robot), "base_parameters")
    with task("finding base parameters"):
        return found(asked, **options)


def singularities(robot: RobotLike, to: int | str | None = None) -> Singularities | LoopSingularities:
    """The postures in which the Jacobian of a frame loses rank, as conditions to be read.

    Those of a robot with closed loops are of three kinds: `.parallel`, `.serial` and `.constraint`.
    """
    from symoro.models.kinematic.loop_singularities import loop_singularities
    from symoro.models.kinematic.singularities import singularities as found

    asked = _stiff(as_robot(robot), "singularities")
    with task("finding singularities"):
        return loop_singularities(asked, to) if asked.B else found(asked, to)


def mobility(robot: RobotLike) -> WheeledClass:
    """The degrees of mobility and of steerability of a robot on wheels."""
    from symoro.models.kinematic.wheels.mobility import mobility as found

    return found(as_robot(robot))


def numeric_inverse(
    robot: RobotLike,
    *,
    frm: int | str = 0,
    to: int | str | None = None,
    pose: str = "full",
    locked: str | None = None,
    values: Mapping[str, float] | None = None,
    **options: Any,
) -> NumericInverse:
    """A solver that finds one posture for a pose by iteration, for any chain without loops, redundant ones too.

    Arguments:
        frm, to, pose, locked: as the options of `inverse-geometry`.
        values: numbers for symbols; the robot's nominal values serve where none is given.
        options: `limits` (True: stay within them), `tolerance` (1e-9, largest residual of a posture that counts),
            `iterations` (50, most steps from one start), `restarts` (256, at most), `seed` (0, of the starts),
            `compiled` (None; True insists on a compiler, False does without).
    """
    from symoro.models.geometric.inverse.chain.problem import locked_joints
    from symoro.models.geometric.inverse.error import pose_error
    from symoro.runtime.numeric_inverse import NumericInverse

    asked = _stiff(as_robot(robot), "numeric_inverse")
    for name in values or {}:
        if name not in asked.symbols():
            raise UnknownNameError(f"symbol of robot {asked.name}", name, asked.symbols())
    error = pose_error(asked, frm, to, pose)
    held = tuple(locked_joints(asked, locked))
    return NumericInverse(asked, error, {**dict(asked.nominal), **(values or {})}, locked=held, **options)


def platform_pose(
    robot: RobotLike,
    qa: ArrayLike,
    near: ArrayLike | str | None = None,
    *,
    values: Mapping[str, float] | None = None,
    to: int | str | None = None,
    fold: str = "1",
) -> FoundPose:
    """The pose of a parallel robot's platform at positions of its motors, by Newton's method from a known pose.

    Arguments:
        qa: positions of the active joints.
        near: the pose (4, 4) to start from, or the name of a posture; the posture 'home' unless given.
        values: numbers for symbols; the robot's nominal values serve where none is given.
        to, fold: the platform's frame, and how its legs fold, as in the models with `space="platform"`.
    """
    from symoro.runtime.platform_pose import platform_pose as found

    asked = as_robot(robot)
    return found(asked, qa, near, {**dict(asked.nominal), **(values or {})}, to, fold)


def assembly_modes(
    robot: RobotLike,
    qa: ArrayLike,
    *,
    values: Mapping[str, float] | None = None,
    to: int | str | None = None,
) -> AssemblyModes:
    """All poses of a platform on six legs with balls (6-UPS) at positions of its slides, up to 40 of them."""
    from symoro.runtime.platform_pose import assembly_modes as found

    asked = as_robot(robot)
    with task("finding the poses of the platform"):
        return found(asked, qa, {**dict(asked.nominal), **(values or {})}, to)


def generate(robot: RobotLike, model: str, **options: Any) -> Model:
    """Any model of the catalogue, options by keyword, for a robot, a bundled one's name, or a file's path."""
    asked = as_robot(robot)
    entry, program = models.build(asked, model, options)
    return Model(asked, entry, options, program)
