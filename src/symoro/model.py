"""`Model`, the symbolic model of a robot, and the functions that compute models and results from a robot."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from symoro.deprecation import current_names, renamed
from symoro.display import html
from symoro.errors import ArgumentError, NotApplicableError, OptionError, UnknownNameError
from symoro.expr import ops
from symoro.models import catalogue as models
from symoro.program.count import LONGEST_EXPANDED, OpCount, count, long_entry
from symoro.program.pipeline import optimise
from symoro.program.program import Program, Shape
from symoro.progress import task
from symoro.robot.description import Robot
from symoro.robot.flexibility import flexible_links
from symoro.robot.formats import RobotLike, as_robot

if TYPE_CHECKING:
    import casadi
    from numpy.typing import ArrayLike, DTypeLike, NDArray

    from symoro.bridges.cuda import CudaFunction
    from symoro.bridges.fmu import FmuModel
    from symoro.emit.branches import BranchData
    from symoro.emit.derivation import Derivation
    from symoro.emit.target import Target
    from symoro.models.identification.base.parameters import BaseParameters
    from symoro.models.kinematic.loop_singularities import LoopSingularities
    from symoro.models.kinematic.singularities import Singularities
    from symoro.models.kinematic.singularity_distance import SingularityAnalysis
    from symoro.models.kinematic.wheels.mobility import WheeledClass
    from symoro.models.numeric.assembly_modes import AssemblyModes
    from symoro.runtime.branches import BranchSolver
    from symoro.runtime.function import Function
    from symoro.runtime.numeric_inverse import NumericInverse
    from symoro.runtime.platform_pose import PlatformPose


# Other usual names of outputs. Most textbooks call the Coriolis matrix of the Christoffel symbols C.
OTHER_NAMES = {"lagrange": {"C": "B"}}


class Model:
    """A symbolic model of a robot, made by `generate` or by a function of `symoro.derive`.

        model = symoro.generate("rx90", "inverse-dynamics")
        print(model)                               # the equations and the operation count
        model.count()                              # operations per call
        model.code("c")                            # {file name: text}
        model.to_sympy()["tau"]                    # SymPy matrix
        model.function(values)(q=q, qd=qd, qdd=qdd)["tau"]

    Attributes:
        robot: the robot of the model.
        entry: the model's entry in the catalogue: id, title, inputs, outputs, options, reference.
        options: the options that were given.
        program: inputs, assignments and outputs.
    """

    def __init__(
        self, robot: Robot, entry: models.Entry, options: Mapping[str, Any], program: Program
    ) -> None:
        self.robot = robot
        self.entry = entry
        self.options = dict(options)
        self.program = program

    @property
    def inputs(self) -> dict[str, Shape]:
        """Shapes of the inputs by name; inputs are the quantities that vary from call to call."""
        return {port.name: port.shape for port in self.program.inputs}

    @property
    def outputs(self) -> dict[str, Shape]:
        """Shapes of the outputs by name."""
        return {port.name: port.shape for port in self.program.outputs}

    @property
    def parameters(self) -> list[str]:
        """Names of the symbols that remain in the model, in the order of the arguments of the emitted code."""
        return list(self.program.used_parameters)

    @property
    def columns(self) -> list[str]:
        """Names of the columns, if the model is a regressor."""
        return list(self.program.columns)

    @property
    def notes(self) -> list[str]:
        """Remarks on contributions that are not visible as symbols, such as friction given by numbers."""
        return [text for label, text in self.program.header if label == "remark"]

    @property
    def conditions(self) -> list[str]:
        """Conditions for the outputs to be valid, such as "D3 != 0" for a divisor that must not vanish."""
        return list(self.program.conditions)

    def count(self) -> OpCount:
        """Return the number of operations per call; `.setup` counts the operations that are executed only once."""
        return count(self.program)

    def derivative(self, kind: str, wrt: Sequence[str] | str | None = None) -> Model:
        """Return a derivative of the outputs as a model.

            model = symoro.generate("rx90", "inverse-dynamics")
            gradient = model.derivative("vjp", wrt=["q", "qd"])     # inputs q, qd, qdd, tau_bar; outputs q_bar, qd_bar
            identification = model.derivative("jacobian", wrt="parameters")     # output dtau_dp

        Coulomb friction is constant between changes of sign. The nine entries of the rotation R0 are independent.

        Args:
            kind: "vjp" (vector-Jacobian product: additional inputs `<output>_bar`, outputs `<input>_bar`), "jvp"
                (Jacobian-vector product: additional inputs `<input>_dot`, outputs `<output>_dot`), "jacobian" (outputs
                `d<output>_d<input>` with the shape of the output followed by that of the input) or "hessian" (of the
                sum of `<output>_bar . output`: additional inputs `<output>_bar`, output `H` over the entries of the
                inputs in port order).
            wrt: names of inputs; None for all inputs; or "parameters", which are one array `p` in the order of
                `parameters` (`p_bar`, `p_dot`, `d<output>_dp`).

        Raises:
            OptionError: there is no such kind, or two ports of the derivative would have the same name.
            UnknownNameError: there is no such input.
            NotApplicableError: the model has no parameters, or calls a kernel without derivative rules.
        """
        entry, program = models.derived(self.robot, self.entry, self.options, self.program, kind, wrt)
        return Model(self.robot, entry, self.options, program)

    def with_outputs(self, outputs: Sequence[str]) -> Model:
        """Return the model with some of its outputs; what only the others need is left out.

            symoro.generate("rx90", "lagrange").with_outputs(["A", "C", "Q"])

        The Coriolis matrix B of `lagrange` may be called C; the output then has this name.

        Raises:
            UnknownNameError: the model has no such output.
            OptionError: no output is named.
        """
        names = [outputs] if isinstance(outputs, str) else list(outputs)
        if not names:
            raise OptionError(
                "at least one output is required", hint=f"the outputs are {', '.join(self.outputs)}"
            )
        others = {name: other for other, name in OTHER_NAMES.get(self.entry.id, {}).items() if other in names}
        own = {}
        for out in self.program.outputs:
            own[out.name] = out
            if out.name in others:
                other = others[out.name]
                own[other] = replace(out, name=other, title=re.sub(rf"\b{out.name}\b", other, out.title))
        for name in names:
            if name not in own:
                raise UnknownNameError(f"output of {self.entry.id}", name, list(self.outputs))
        kept = tuple(out for name, out in own.items() if name in names)
        title = self.program.title
        for name, other in others.items():
            title = re.sub(rf"\b{name}\b", other, title)
        program = optimise(replace(self.program, outputs=kept, title=title))
        return Model(self.robot, self.entry, self.options, program)

    def expanded(self) -> Model:
        """Return the model without intermediate variables: each output entry is one expression of sines and cosines.

        The size of the expressions is estimated before they are written.

        Raises:
            NotApplicableError: an entry would have more than 5,000 operations; the message contains the estimate.
        """
        too_long = long_entry(self.program, LONGEST_EXPANDED)
        if too_long:
            raise _too_long(self.program.name, *too_long)
        operation = self.program.graph.op
        names = {i: name for i, name in self.program.names.items() if operation[i] in (ops.SIN, ops.COS)}
        program = replace(self.program, expanded=True, names=names, sections={})
        return Model(self.robot, self.entry, self.options, program)

    def explain(self, *, latex: bool = False) -> list[str]:
        """Return the formulation, the steps of the solution, and the operations that each optimisation pass saves.

        Args:
            latex: whether to return only the steps of the solution, in LaTeX (amsmath).

        Returns:
            Lines of text.
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
                f"the formulation of SYMORO+ has {plain.multiplications} multiplications and "
                f"{plain.additions} additions; this model has {abs(less)} operations "
                f"{('less' if less >= 0 else 'more, as written')}"
            )
        return lines

    def code(self, language: str, **options: Any) -> dict[str, str]:
        """Return the source files in a language: {file name: text}.

        Args:
            language: 'c', 'cpp', 'python', 'matlab', 'julia', 'fortran', 'latex', ...; `symoro languages` lists them.
            options: options of the language, such as `scalar="float"` of C.

        Raises:
            UnknownNameError: there is no such language or option.
        """
        from symoro.emit import emit, find_language

        if "sample" in find_language(language).options:
            closing = self._closing(options)
            options = self._demo(options.get("values"), **closing) | closing | self._with_branches(options)
        return emit(self.program, language, **options)

    @renamed(languages="targets")
    def export(
        self,
        targets: list[str] | str = "c",
        values: Mapping[str, float] | None = None,
        *,
        name: str | None = None,
        **options: Any,
    ) -> dict[str, str | bytes]:
        """Return a project folder with sources, build file, demo, README and the robot: {path: contents}.

        Args:
            targets: one or several languages, as for `code`, or export targets such as "cmake"; `symoro languages`
                lists them.
            values: numbers for the parameters; by default the nominal values of the robot.
            name: base name of files and functions; by default the name of the model's program.
            options: options of the targets, such as `scalar="float"` and `trig="libm"` of C.

        Raises:
            UnknownNameError: there is no such target.
            OptionError: there is no such option, or it has an invalid value.
            ArgumentError: the target needs a number for every parameter, and one is missing.
            NotApplicableError: the target does not have a kernel that the model calls.
        """
        from symoro.emit.project import project
        from symoro.files import file_name
        from symoro.robot.formats import dumps

        chosen = [targets] if isinstance(targets, str) else list(targets)
        closing = self._closing(options)
        return project(
            self.program,
            [self._target(target, values) for target in chosen],
            extra_files={f"{file_name(self.robot.name)}.yaml": dumps(self.robot, "yaml")},
            name=name,
            options=closing | self._with_branches(options),
            companions=self._companions(),
            **self._demo(values, **closing),
        )

    def _target(self, name: str, values: Mapping[str, float] | None) -> str | Target:
        """Return an export target; the one of FMUs needs the robot and a compiler in addition to the program."""
        from symoro.emit.targets.fmu import TARGET

        if name.strip().lower() not in (TARGET.id, *TARGET.aliases):
            return name
        from symoro.bridges.fmu import fmu_target

        return fmu_target(self._fmu_model(values))

    def _fmu_model(self, values: Mapping[str, float] | None) -> FmuModel:
        """Return the model as a part of an FMU: the state of a floating base contains a quaternion."""
        from symoro.bridges.fmu import DIRECT, FmuModel

        program = self.program
        if self.entry.id == DIRECT and "R0" in self.inputs:
            program = models.build(self.robot, DIRECT, {**self.options, "rotation": "quaternion"})[1]
        return FmuModel(self.robot, self.entry.id, program, self.options, self._numbers(values))

    def write_fmu(
        self,
        path: str | PathLike[str],
        version: str = "2.0",
        *,
        step: float | None = None,
        initial: Mapping[str, Any] | str | None = None,
        values: Mapping[str, float] | None = None,
        name: str | None = None,
        force: bool = False,
    ) -> None:
        """Write a Functional Mock-up Unit (FMU) for model exchange and co-simulation.

            model = symoro.generate("panda", "direct-dynamics")
            model.write_fmu("panda.fmu", initial={"q": [0, -0.3, 0, -2, 0, 1.8, 0.8]}, step=1e-3)

        Direct dynamics have the positions and velocities as state; any other model is a function of its inputs. The
        variables are the entries of the arrays, `q[1]`, `tau[3]`, and the parameters of the model.

        Args:
            path: file to write.
            version: version of FMI, "2.0" or "3.0".
            step: step in seconds of the fourth-order Runge-Kutta method of the co-simulation; 1 ms by default.
            initial: start values by name: parts of the state (`q`, `qd`, `e`, `Q0` ...) and inputs; zero by default.
                `q` may be the name of a posture. For a robot with closed loops `q` contains all joints, near a posture
                in which the loops are closed, or the active joints.
            values: numbers for the parameters; by default the nominal values of the robot.
            name: model identifier; by default the name of the model's program.
            force: overwrite a file that symoro did not write.

        Raises:
            OptionError: the version or the step is not valid.
            ArgumentError: a start value has the wrong size or does not close the loops, or a parameter has no value.
            UnknownNameError: there is no such start value, posture or parameter.
            NotApplicableError: the state of the model cannot be integrated.
            MissingDependencyError: there is no C compiler.
            WriteError: the file cannot be written.
        """
        from symoro.bridges.fmu import fmu_archive
        from symoro.emit.c import function_name
        from symoro.files import check_targets, write_files

        check_targets([Path(path)], force=force)
        base = function_name(self.program, name)
        content = fmu_archive(self._fmu_model(values), base, version, step, initial)
        write_files({Path(path): content}, force=force)

    def _companions(self) -> dict[str, Callable[[], Program]]:
        """Return functions that derive further programs of the robot, which some export targets need."""
        frames = {name: self.options[name] for name in ("frm", "to") if self.options.get(name) is not None}
        return {"geometry": lambda: models.build(self.robot, "fast-geometry", frames)[1]}

    def _closing(self, options: Mapping[str, Any]) -> dict[str, Program]:
        """Return the program that closes the loops, which a generated integrator of a robot with closed loops requires.

        Args:
            options: options of the export.

        Returns:
            The program by name; empty if it is not required.
        """
        if options.get("integrator") is None or not self.robot.B or self.entry.id != "direct-dynamics":
            return {}
        from symoro.models.kinematic.loop.closure import loop_closure

        return {"closure": loop_closure(self.robot)}

    def _with_branches(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options of a language with the numbers of the robot in place of `branches=True`.

        Raises:
            OptionError: the model is not an inverse geometric model of a complete pose.
        """
        given = dict(options)
        if not given.get("branches"):
            given.pop("branches", None)
            return given
        given["branches"] = self._branch_data(options.get("values"))
        return given

    def _branch_data(self, values: Mapping[str, float] | None) -> BranchData:
        chosen = self.options
        if self.entry.id != "inverse-geometry" or chosen.get("pose", "full") != "full" or self.robot.B:
            raise OptionError(
                "the option 'branches' requires the model inverse-geometry of a robot without loops, with a full pose"
            )
        free = "swivel" if chosen.get("swivel") else chosen.get("locked")
        frames = {name: chosen[name] for name in ("frm", "to", "tolerance") if name in chosen}
        return branch_solver(self.robot, free=free, values=values, **frames).data

    def _demo(self, values: Mapping[str, float] | None, closure: Program | None = None) -> dict[str, Any]:
        """Return numbers for parameters and inputs of the demo; for inverse models, inputs for which a solution exists.

        Args:
            values: numbers for the parameters that the user gives.
            closure: program that closes the loops, which may have parameters that the model does not have.
        """
        from symoro.runtime.demo import demo_sample

        numbers = {**dict(self.robot.nominal), **(values or {})}
        names = [*self.parameters, *(closure.used_parameters if closure else ())]
        return {
            "values": {name: numbers[name] for name in names if name in numbers},
            "sample": demo_sample(self.robot, self.program, self.options, numbers),
        }

    def to_sympy(self) -> dict[str, Any]:
        """Return the outputs as SymPy expressions, fully substituted: {output: matrix, scalar or array}.

            >>> import symoro, sympy
            >>> T = symoro.generate("planar2r", "fast-geometry").to_sympy()["T"]
            >>> sympy.simplify(T[0, 3])
            D2*cos(q1) + D3*cos(q1 + q2)

        Symbols are real and have the names of the inputs' entries (`q1`, `qd1`) and of `parameters`. The intermediate
        variables are substituted, so that expressions of large models are long: `code` and `function` keep them.

        Returns:
            A scalar for an output without axes, a Matrix for one with one or two axes (a vector is a column), and an
            ImmutableDenseNDimArray for one with three.

        Raises:
            ProgramError: the model calls a numeric kernel, which has no symbolic expression.
        """
        import sympy

        from symoro.expr.sympy_bridge import to_sympy

        expressions: dict[str, Any] = {}
        for port in self.program.outputs:
            entries = to_sympy(self.program.graph, port.lits)
            if port.shape == ():
                expressions[port.name] = entries[0]
            elif len(port.shape) <= 2:
                rows = port.shape[0]
                columns = port.shape[1] if len(port.shape) == 2 else 1
                expressions[port.name] = sympy.Matrix(rows, columns, entries)
            else:
                expressions[port.name] = sympy.ImmutableDenseNDimArray(entries, port.shape)
        return expressions

    @overload
    def function(
        self,
        values: Mapping[str, float] | None = ...,
        *,
        compiled: bool | None = ...,
        dtype: DTypeLike = ...,
        threads: int = ...,
        backend: Literal["c"] = ...,
        layout: str = ...,
        trig: str | None = ...,
    ) -> Function: ...

    @overload
    def function(
        self,
        values: Mapping[str, float] | None = ...,
        *,
        compiled: bool | None = ...,
        dtype: DTypeLike = ...,
        threads: int = ...,
        backend: Literal["cuda"],
        layout: str = ...,
        trig: str | None = ...,
    ) -> CudaFunction: ...

    @overload
    def function(
        self,
        values: Mapping[str, float] | None = ...,
        *,
        compiled: bool | None = ...,
        dtype: DTypeLike = ...,
        threads: int = ...,
        backend: str,
        layout: str = ...,
        trig: str | None = ...,
    ) -> Function | CudaFunction: ...

    def function(
        self,
        values: Mapping[str, float] | None = None,
        *,
        compiled: bool | None = None,
        dtype: DTypeLike = "float64",
        threads: int = 1,
        backend: str = "c",
        layout: str = "samples",
        trig: str | None = None,
    ) -> Function | CudaFunction:
        """Return a NumPy callable: compiled C if there is a C compiler, otherwise NumPy.

            f = model.function(values={"XX1": 0.2})
            f(q=q, qd=qd, qdd=qdd)["tau"]      # one sample (n,) or a batch (N, n)

        Args:
            values: numbers for the parameters; by default the nominal values of the robot.
            compiled: True requires a compiler, False uses NumPy; by default a compiler is used if there is one.
            dtype: type of all numbers, "float64" or "float32".
            threads: largest number of threads of a batch; the results do not depend on it.
            backend: "c", or "cuda" for CuPy arrays on a GPU.
            layout: "samples": the arrays of a batch are stored sample after sample; "entries": entry after entry.
            trig: sines and cosines by "polynomial" (default) or "libm"; for CUDA "accurate" (default) or "fast".

        Raises:
            ArgumentError: a parameter has no value.
            OptionError: an option has an invalid value.
            UnknownNameError: there is no such parameter.
            MissingDependencyError: `compiled` is True and there is no compiler, or the backend is not available.
        """
        from symoro.runtime.function import Function
        from symoro.runtime.options import function_options

        chosen = function_options(dtype, threads, backend, layout, trig)
        numbers = self._numbers(values)
        if chosen.backend == "cuda":
            from symoro.bridges.cuda import CudaFunction

            return CudaFunction(self.program, numbers, chosen)
        if self.entry.id == "inverse-geometry":
            from symoro.runtime.pose_function import PoseFunction

            return PoseFunction(
                self.program,
                numbers,
                robot=self.robot,
                options=self.options,
                compiled=compiled,
                call_options=chosen,
            )
        return Function(self.program, numbers, compiled=compiled, robot=self.robot, options=chosen)

    def _numbers(self, values: Mapping[str, Any] | None) -> dict[str, Any]:
        """Return the nominal values of the robot, replaced by the given values.

        Raises:
            UnknownNameError: there is no such parameter.
        """
        known = set(self.robot.symbols()) | set(self.parameters)
        for name in values or {}:
            if name not in known:
                raise UnknownNameError(f"parameter of {self.entry.id}", name, self.parameters)
        return {**dict(self.robot.nominal), **(values or {})}

    def to_casadi(self, values: Mapping[str, float] | None = None, *, kind: str = "sx") -> casadi.Function:
        """Return a CasADi function with the names of the inputs and outputs.

            f = symoro.generate("panda", "inverse-dynamics").to_casadi()
            tau = f(q, qd, qdd)             # casadi.SX, casadi.MX or numbers

        Vectors are columns. Arrays with more than two axes are matrices: one row per index of the first axis, the
        other axes one after the other by rows.

        Args:
            values: numbers for the parameters; by default the nominal values of the robot.
            kind: "sx": an expression that CasADi differentiates and optimises; "external": compiled C code, whose
                Jacobian is C code of symoro.

        Raises:
            ArgumentError: a parameter has no value.
            OptionError: there is no such kind.
            UnknownNameError: there is no such parameter.
            NotApplicableError: the model calls a kernel that has no SX expression.
            MissingDependencyError: casadi is not installed, or there is no compiler for kind="external".
        """
        from symoro.bridges import casadi as bridge

        if kind not in bridge.KINDS:
            raise OptionError(
                f"no CasADi function of kind {kind!r}", hint="the kinds are " + ", ".join(bridge.KINDS)
            )
        numbers = self._numbers(values)
        if kind == "sx":
            return bridge.sx_function(self.program, numbers)
        return bridge.external_function(self.program, numbers, lambda: self.derivative("jacobian").program)

    def to_torch(
        self,
        values: Mapping[str, Any] | None = None,
        *,
        kind: str = "compiled",
        device: str | None = None,
        parameters: Sequence[str] = (),
    ) -> Callable[..., dict[str, Any]]:
        """Return a function of PyTorch tensors that PyTorch can differentiate and compile.

            f = model.to_torch()
            f(q=q, qd=qd, qdd=qdd)["tau"].square().sum().backward()

        Inputs have the type float32 or float64, are on one device, and may have leading batch axes.

        Args:
            values: numbers for the parameters; by default the nominal values of the robot.
            kind: "compiled" (a custom operator in C, or CUDA on the current stream, with the vjp program as backward
                pass) or "emitted" (PyTorch code, which PyTorch differentiates).
            device: "cpu" or "cuda" to accept only tensors there.
            parameters: names of parameters that become the input `p`, to be learned or to vary from sample to sample;
                their entries in `values` are not used.

        Raises:
            OptionError: unknown kind or device.
            UnknownNameError: there is no such parameter.
            ArgumentError: a parameter has no value.
            NotApplicableError: the emitted kind of a model that calls a kernel which PyTorch does not have.
            MissingDependencyError: PyTorch, a compiler or the device is missing.
        """
        from symoro.bridges.torch import to_torch

        program, numbers = self._bridged(values, parameters)
        return to_torch(program, numbers, kind=kind, device=device)

    def to_jax(
        self,
        values: Mapping[str, Any] | None = None,
        *,
        kind: str = "compiled",
        parameters: Sequence[str] = (),
    ) -> Callable[..., dict[str, Any]]:
        """Return a function of JAX arrays for `jit`, `vmap`, `grad`, `jvp`, `jacrev`, `hessian` ...

            f = jax.jit(model.to_jax())
            jax.grad(lambda q: f(q=q, qd=qd, qdd=qdd)["tau"].sum())(q)

        Inputs have the type float32 or float64 and may have leading batch axes.

        Args:
            values: numbers for the parameters; by default the nominal values of the robot.
            kind: "compiled" (C or CUDA through XLA's foreign function interface, with derived programs as derivatives)
                or "emitted" (jnp code, which JAX differentiates).
            parameters: names of parameters that become the input `p`, to be learned or to vary from sample to sample;
                their entries in `values` are not used.

        Raises:
            OptionError: unknown kind.
            UnknownNameError: there is no such parameter.
            ArgumentError: a parameter has no value.
            NotApplicableError: the emitted kind of a model that calls a kernel which JAX does not have.
            MissingDependencyError: JAX, a compiler or CuPy (for a GPU) is missing.
        """
        from symoro.bridges.jax import to_jax

        program, numbers = self._bridged(values, parameters)
        return to_jax(program, numbers, kind=kind)

    def _bridged(
        self, values: Mapping[str, Any] | None, parameters: Sequence[str]
    ) -> tuple[Program, dict[str, Any]]:
        """Return the program with the chosen parameters as the input `p`, and the values of all symbols.

        Raises:
            OptionError: `parameters` is not a list of names.
        """
        from symoro.program.parameter_input import with_parameter_input

        if isinstance(parameters, str) or not isinstance(parameters, Sequence):
            raise OptionError(
                f"parameters: expected a list of names, got {parameters!r}",
                hint='give the names as a list, for example ["M7"]',
            )
        program = with_parameter_input(self.program, parameters) if parameters else self.program
        return program, self._numbers(values)

    def __str__(self) -> str:
        return next(iter(self.code("text").values()))

    def __repr__(self) -> str:
        return f"<Model {self.entry.id} of {self.robot.name}: {self.count()}>"

    def _repr_html_(self) -> str | None:
        return html(self)

    def _repr_latex_(self) -> str:
        return next(iter(self.code("latex", fragment=True).values()))


def _rigid(robot: Robot, what: str) -> Robot:
    """Return the robot if all its links are rigid.

    Raises:
        NotApplicableError: a link is flexible.
    """
    if flexible_links(robot):
        raise NotApplicableError(f"{what} does not apply to robot '{robot.name}': {models.FLEXIBLE}")
    return robot


def base_parameters(robot: RobotLike, *, inertia: str = "given", **options: Any) -> BaseParameters:
    """Return the base (minimal) inertial parameters of a robot and the relations to the standard parameters.

        base = symoro.base_parameters("rx90")
        base.names, base.no_effect, base.relations

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        inertia: 'given' leaves out inertial parameters that are zero in the description; 'all' includes every inertial
            parameter, as the literature does.
        options: `method` ('auto', 'exact', 'numeric'), `rotor` (True: include rotor inertias), `posture` (assembly mode
            of closed loops: a name, one number per joint, or numbers by joint; by default 'home').
    """
    from symoro.models.identification.base.parameters import base_parameters as compute

    if inertia not in ("given", "all"):
        raise OptionError(f"inertia: expected 'given' or 'all', got '{inertia}'")
    rigid = _rigid(as_robot(robot), "base_parameters")
    if inertia == "all":
        rigid = rigid.symbolic(inertia="all")
    with task("computing base parameters"):
        return compute(rigid, **options)


def newton_euler(robot: RobotLike, link: int | str) -> Derivation:
    """Return the Newton-Euler recursion of one link as the papers print it, with its geometry inserted.

        print(symoro.newton_euler("rx90", 3))               # text; .latex() and .markdown() for papers and lectures
        symoro.newton_euler("rx90", 3).equations["Gamma3"]

    Each step has the general vector form, the form with the matrices of the link, and the scalar components: angular
    velocity and acceleration, U, acceleration of the origin, force and moment of the link, reactions and torque.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        link: number of the link, or name of the link or its joint; 0 is the base, if it is floating.

    Raises:
        NotApplicableError: the robot has wheels or flexible links, or a symbol with the name of a component.
        UnknownNameError: there is no such link.
    """
    from symoro.emit.derivation import Derivation
    from symoro.models.dynamic.link_recursion import link_recursion

    return Derivation(*link_recursion(as_robot(robot), link))


def singularities(robot: RobotLike, to: int | str | None = None) -> Singularities | LoopSingularities:
    """Return the conditions under which the Jacobian of a frame is singular, in symbolic form.

    For a robot with closed loops there are three kinds: `.serial` (type 1), `.parallel` (type 2) and `.constraint`. A
    kind whose conditions are too long for text has no conditions and a note; `singularity_analysis` computes numbers.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        to: number or name of the frame; by default the tool, the platform or the last link's frame.
    """
    from symoro.models.kinematic.loop_singularities import loop_singularities
    from symoro.models.kinematic.singularities import singularities as tree_singularities

    rigid = _rigid(as_robot(robot), "singularities")
    with task("computing singularities"):
        return loop_singularities(rigid, to) if rigid.B else tree_singularities(rigid, to)


def singularity_analysis(
    robot: RobotLike,
    q: ArrayLike | None = None,
    *,
    qa: ArrayLike | None = None,
    T: ArrayLike | None = None,
    length: float = 1.0,
    to: int | str | None = None,
    working_mode: str = "1",
    values: Mapping[str, float] | None = None,
) -> SingularityAnalysis:
    """Return the distances of configurations from the singularities of a robot, and the singular motions.

        analysis = symoro.singularity_analysis("gough_stewart", T=poses)      # (N, 4, 4)
        analysis.distances["parallel"]                                        # (N,), zero at a type 2 singularity
        analysis.twist                                                        # (N, 6), motion with locked motors

    The distances are defined in `symoro.models.kinematic.singularity_distance`. Exactly one of q, qa and T is given.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        q: (N, n) or (n,) positions of the joints (rad, m), which close the loops.
        qa: (N, na) or (na,) positions of the active joints; Newton's method closes the loops from the posture 'home'.
        T: (N, 4, 4) or (4, 4) poses of the platform of a parallel robot.
        length: characteristic length in m, by which angular velocities are multiplied.
        to: frame whose twist is analysed; by default the tool, the platform or the last link's frame.
        working_mode: working mode of the legs at the poses T.
        values: numbers for symbols; by default the nominal values of the robot.

    Raises:
        ArgumentError: an argument is missing or has a wrong shape, or a symbol has no value.
        NotApplicableError: the robot is wheeled or has no moving joint, its active joints do not determine its motion,
            or T is given for a robot without a platform.
    """
    import numpy as np

    from symoro.models.geometric.loop.mechanism import active_joints
    from symoro.models.kinematic.singularity_distance import singularity_analysis as compute
    from symoro.models.numeric.home import closed_near_home
    from symoro.runtime.platform_pose import joints_at

    rigid = _rigid(as_robot(robot), "singularity_analysis")
    for name in values or {}:
        if name not in rigid.symbols():
            raise UnknownNameError(f"symbol of robot {rigid.name}", name, rigid.symbols())
    rigid = rigid.bind(values) if values else rigid
    given = [name for name, value in (("q", q), ("qa", qa), ("T", T)) if value is not None]
    if len(given) != 1:
        raise ArgumentError(
            f"expected one of q, qa and T, got {' and '.join(given) or 'none of them'}",
            hint="q: all joints; qa: active joints; T: poses of the platform",
        )
    positions = q
    if T is not None:
        poses = np.asarray(T, float)
        if poses.ndim not in (2, 3) or poses.shape[-2:] != (4, 4):
            raise ArgumentError(f"T: expected the shape (N, 4, 4) or (4, 4), got {poses.shape}")
        positions = joints_at(rigid, poses, dict(rigid.nominal), to, working_mode)
    if qa is not None:
        active = active_joints(rigid)
        motors = np.asarray(qa, float)
        if motors.ndim not in (1, 2) or motors.shape[-1] != len(active):
            raise ArgumentError(
                f"qa: expected the shape (N, {len(active)}) or ({len(active)},), got {motors.shape}"
            )
        rows, closed = closed_near_home(rigid, np.atleast_2d(motors), active)
        positions = np.where(closed[:, None], rows, np.nan).reshape(*motors.shape[:-1], -1)
    assert positions is not None
    return compute(rigid, positions, length, to=to)


def singularity_distance(
    robot: RobotLike, q: ArrayLike | None = None, length: float = 1.0, **options: Any
) -> dict[str, NDArray[Any]]:
    """Return the distances of configurations from the singularities of a robot, by type.

    Args:
        robot, q, length: as for `singularity_analysis`.
        options: the other arguments of `singularity_analysis`.

    Returns:
        Arrays (N,), or () for one configuration, by type: 'serial' (type 1), 'parallel' (type 2), 'passive' and
        'constraint'. They have no unit, are zero at a singularity, infinite if a robot has no singularity of the type,
        and NaN where the loops are not closed.
    """
    return dict(singularity_analysis(robot, q, length=length, **options).distances)


def mobility(robot: RobotLike) -> WheeledClass:
    """Return the degrees of mobility and steerability of a wheeled robot (Campion et al.)."""
    from symoro.models.kinematic.wheels.mobility import mobility as compute

    return compute(as_robot(robot))


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
    """Return an iterative solver of inverse geometry for any chain without loops, also for redundant chains.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        frm, to, pose, locked: the options of the model `inverse-geometry`.
        values: numbers for symbols; by default the nominal values of the robot.
        options: options of the solver, with their defaults: `limits` (True: stay within the joint limits), `tolerance`
            (1e-9: largest residual of a solution), `iterations` (50: steps per start), `restarts` (256: largest number
            of starts), `seed` (0: seed of the random starts), `compiled` (None: use a compiler if there is one; True
            requires a compiler, False uses NumPy).
    """
    from symoro.models.geometric.inverse.chain.problem import locked_joints
    from symoro.models.geometric.inverse.error import pose_error
    from symoro.runtime.numeric_inverse import NumericInverse

    rigid = _rigid(as_robot(robot), "numeric_inverse")
    for name in values or {}:
        if name not in rigid.symbols():
            raise UnknownNameError(f"symbol of robot {rigid.name}", name, rigid.symbols())
    error = pose_error(rigid, frm, to, pose)
    fixed = tuple(locked_joints(rigid, locked))
    return NumericInverse(rigid, error, {**dict(rigid.nominal), **(values or {})}, locked=fixed, **options)


def branch_solver(
    robot: RobotLike,
    *,
    frm: int | str = 0,
    to: int | str | None = None,
    free: int | str | None = None,
    values: Mapping[str, float] | None = None,
    **options: Any,
) -> BranchSolver:
    """Return a solver that enumerates all configurations for a pose, also of an arm with one redundant joint.

        solver = symoro.branch_solver("panda")
        solver(T, near=q).q             # all configurations within the joint limits, the nearest first

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        frm, to: the options of the model `inverse-geometry`.
        free: free parameter of a redundant arm: 'swivel', or the number or name of a joint; by default it is chosen.
        values: numbers for symbols; by default the nominal values of the robot.
        options: options of the solver, with their defaults: `limits` (True: only configurations within the joint
            limits), `tolerance` (1e-9: largest residual), `compiled` (None: use a compiler if there is one; True
            requires a compiler, False uses NumPy).

    Raises:
        NotApplicableError: the robot has loops, or more than one redundant joint.
    """
    from symoro.runtime.branch_plan import numbered
    from symoro.runtime.branches import BranchSolver

    rigid = _rigid(as_robot(robot), "branch_solver")
    if rigid.B:
        raise NotApplicableError(
            f"robot '{rigid.name}' has closed loops; branch_solver applies to robots without loops",
            hint="the models inverse-geometry and loop-geometry solve closed loops",
        )
    for name in values or {}:
        if name not in rigid.symbols():
            raise UnknownNameError(f"symbol of robot {rigid.name}", name, rigid.symbols())
    with task("choosing the free parameter"):
        return BranchSolver(numbered(rigid, values), frm=frm, to=to, free=free, **options)


@renamed(fold="working_mode")
def platform_pose(
    robot: RobotLike,
    qa: ArrayLike,
    near: ArrayLike | str | None = None,
    *,
    values: Mapping[str, float] | None = None,
    to: int | str | None = None,
    working_mode: str = "1",
) -> PlatformPose:
    """Return the platform pose of a parallel robot for given active joints, by Newton's method from a known pose.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        qa: positions of the active joints (radians or metres).
        near: the pose (4, 4) at which Newton's method starts, or the name of a posture; by default the posture 'home'.
        values: numbers for symbols; by default the nominal values of the robot.
        to, working_mode: frame of the platform and working mode of the legs, as in the models with `space="platform"`.
    """
    from symoro.runtime.platform_pose import platform_pose as compute

    parallel = as_robot(robot)
    return compute(parallel, qa, near, {**dict(parallel.nominal), **(values or {})}, to, working_mode)


def assembly_modes(
    robot: RobotLike,
    qa: ArrayLike,
    *,
    values: Mapping[str, float] | None = None,
    to: int | str | None = None,
) -> AssemblyModes:
    """Return all assembly modes (up to 40 platform poses) of a Gough-Stewart platform (6-UPS).

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        qa: positions of the six prismatic joints (metres).
        values: numbers for symbols; by default the nominal values of the robot.
        to: frame of the platform, by number or name.
    """
    from symoro.runtime.platform_pose import assembly_modes as compute

    parallel = as_robot(robot)
    with task("computing the assembly modes"):
        return compute(parallel, qa, {**dict(parallel.nominal), **(values or {})}, to)


def generate(robot: RobotLike, model: str, *, outputs: Sequence[str] | None = None, **options: Any) -> Model:
    """Derive a model of a robot and return it.

        symoro.generate("rx90", "inverse-dynamics", effort="search")
        symoro.generate("rx90", "lagrange", outputs=["A"], expanded=True)

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        model: id or alias of a model, such as "inertia-matrix" or "mass-matrix"; `symoro.catalogue()` lists them. The
            functions of `symoro.derive`, one per model, do the same with typed options.
        outputs: names of the outputs, as in `Model.with_outputs`; all by default. Outputs that take much longer are not
            derived if they are not named.
        options: options of the model.

    Raises:
        UnknownNameError: there is no such robot, model or option.
        OptionError: an option has a wrong value.
        NotApplicableError: the model does not apply to the robot; the message contains the reason.
        ArgumentError: robot and model are swapped.
    """
    if _swapped(robot, model):
        raise ArgumentError(
            "the arguments of generate are swapped: the robot comes first, then the name of the model",
            hint=f"generate(robot, '{robot if models.is_model_name(robot) else 'inverse-dynamics'}')",
        )
    described = as_robot(robot)
    former = {option.former: option.name for option in models.entry(model).all_options if option.former}
    options = current_names(options, former)
    names = [outputs] if isinstance(outputs, str) else outputs
    own = OTHER_NAMES.get(models.entry(model).id, {})
    wanted = {own.get(name, name) for name in names or ()}
    known = {port.name for port in models.entry(model).form(described, options).outputs}
    selected = {"outputs": tuple(sorted(wanted))} if wanted and wanted <= known else {}
    entry, program = models.build(described, model, {**options, **selected})
    whole = Model(described, entry, options, program)
    return whole if names is None else whole.with_outputs(names)


# For models that take seconds for large robots, a model whose equations they contain and that takes a fraction of one.
_SIMPLER_MODELS = {
    "loop-geometry": "loop-kinematics",
    "direct-dynamics": "inverse-dynamics",
    "contact-dynamics": "inverse-dynamics",
    "inverse-dynamics-derivatives": "inverse-dynamics",
    "direct-dynamics-derivatives": "inverse-dynamics",
    "dynamic-identification": "accelerations",
    "filtered-identification": "velocities",
}


def check_expandable(
    robot: Robot, model: str, outputs: Sequence[str] | None = None, *, derivative: bool = False
) -> None:
    """Check that `Model.expanded` can succeed, before the model is derived, where an estimate exists.

    The Christoffel coefficients of a long chain take minutes, its inertia matrix takes a fraction of a second: if an
    entry of A is far too long, the model is rejected at once. For others the length of a simpler model is computed
    (`_SIMPLER_MODELS`), unless outputs are chosen, which may be short.

    Args:
        outputs: names of the outputs that are needed; by default all.
        derivative: whether a derivative of the model is needed, with respect to all its inputs.

    Raises:
        NotApplicableError: an entry would have too many operations; the message contains the estimate.
    """
    from symoro.models.dynamic.lagrange import MOST_SIMPLIFIED, largest_inertia_entry

    entry = models.entry(model)
    if entry.why_not(robot) is not None:
        return
    simpler = _SIMPLER_MODELS.get(entry.id, entry.id if derivative else None)
    if entry.id == "lagrange" and not set(outputs or "A") <= {"Q"}:
        largest, where = largest_inertia_entry(robot)
        if largest:
            raise _too_long(f"{robot.name}_lagrange", largest, where)
    elif simpler is not None and outputs is None and models.entry(simpler).why_not(robot) is None:
        program = generate(robot, simpler).program
        too_long = long_entry(program, MOST_SIMPLIFIED * LONGEST_EXPANDED)
        if too_long:
            raise _too_long(program.name, too_long[0], f"even {too_long[1]}")


def _too_long(name: str, operations: int, where: str) -> NotApplicableError:
    return NotApplicableError(
        f"without intermediate variables, {where} of {name} would have {operations:.3g} operations "
        f"(at most {LONGEST_EXPANDED})",
        hint="choose other outputs, a smaller robot, or numbers for parameters; or keep the variables",
    )


def _swapped(robot: object, model: object) -> bool:
    """Return whether the first two arguments of `generate` are a model and a robot, in this order."""
    return isinstance(model, Robot) or (models.is_model_name(robot) and not models.is_model_name(model))


def generate_with_defaults(model: str, robot: RobotLike, **options: Any) -> Model:
    """Return a model of a robot; options that equal their defaults are not passed on.

    A variant of a model rejects options of other variants, even if they have their default values.
    """
    defaults = {option.name: option.default for option in models.entry(model).all_options}
    given = {name: value for name, value in options.items() if not _equals(value, defaults[name])}
    return generate(robot, model, **given)


def _equals(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and bool(value == default))
