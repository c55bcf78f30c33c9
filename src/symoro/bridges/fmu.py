"""Functional Mock-up Units: start values of a robot, compiled library and archive.

The contents are described in `symoro.emit.fmi`. The archive is reproducible: its GUID is a hash of description and
sources, and its entries have a fixed date.
"""

from __future__ import annotations

import hashlib
import io
import math
import platform
import re
import sys
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.emit.fmi.description import FmuText, build_description, model_description
from symoro.emit.fmi.ode import Ode, function_of, ode_of
from symoro.emit.fmi.source import FMU, TOKEN, fmu_programs, fmu_sources
from symoro.emit.fmi.variables import variables_of
from symoro.emit.target import Export, ExportFiles, Target
from symoro.emit.targets.fmu import TARGET
from symoro.errors import ArgumentError, NotApplicableError, OptionError, UnknownNameError
from symoro.models.geometric.loop.parallelogram import linear_loops
from symoro.models.kinematic.loop.closure import loop_closure
from symoro.models.tolerances import CLOSED, HOME_ERROR
from symoro.notation import UNITS
from symoro.program.program import Input, Output, Program, size
from symoro.robot.coordinates import independent
from symoro.robot.description import JointType, Robot
from symoro.runtime.compiler import portable_library
from symoro.runtime.demo import demo_sample
from symoro.runtime.function import Function, parameter_values

VERSIONS = ("2.0", "3.0")
STEP = 1e-3  # seconds, default inner step of the co-simulation
DIRECT = "direct-dynamics"

SINGULAR = 1e-5  # smallest relative pivot of the loop equations
NEWTON_STEPS = 30
STRIDE = 0.01  # largest closure error of a posture that is predicted with the tangent
SHORTEST = 2.0**-12  # shortest part of the way to a posture

POSTURE_INPUTS = ("q", "qa", "q0", "T")

Floats = NDArray[np.float64]
Initial = Mapping[str, Any] | str | None


@dataclass(frozen=True)
class FmuModel:
    """Model of which an FMU is written.

    Attributes:
        model: id of the model.
        program: program of the model; of direct dynamics with a floating base that with the quaternion Q0.
        options: options of the model.
        values: numbers of the symbols.
    """

    robot: Robot
    model: str
    program: Program
    options: Mapping[str, Any]
    values: Mapping[str, float]


def fmu_target(model: FmuModel) -> Target:
    """Return the export target of the FMU of a model."""

    def write(export: Export) -> ExportFiles:
        return {f"{export.base}.fmu": fmu_archive(model, export.base, **export.options)}

    return replace(TARGET, write=write)


def fmu_archive(
    model: FmuModel, base: str, version: str = "2.0", step: float | None = None, initial: Initial = None
) -> bytes:
    """Return the archive of the FMU of a model.

    Args:
        base: name of the FMU, an identifier in C.
        version: version of FMI, "2.0" or "3.0".
        step: inner step of the co-simulation in seconds; 1 ms by default.
        initial: start values of state and inputs by name, or the name of a posture.

    Raises:
        OptionError: an option has an invalid value.
        ArgumentError: a start value or a parameter is missing or invalid.
        UnknownNameError: there is no such part of the state, input or posture.
        NotApplicableError: the state of the model cannot be integrated.
        MissingDependencyError: there is no C compiler.
    """
    if version not in VERSIONS:
        raise OptionError(
            f"version {version!r} of FMI is not supported", hint=f"choose {' or '.join(map(repr, VERSIONS))}"
        )
    ode = _system(model)
    inner_step = _inner_step(step, ode)
    closure = loop_closure(model.robot) if ode.active else None
    start, posture = _start(model, ode, closure, initial)
    programs = fmu_programs(ode, closure, posture)
    numbers = {**model.values}
    for program in programs.programs.values():
        parameter_values(program, numbers)  # raises an error if a parameter has no value
    parameters = {name: float(numbers[name]) for name in programs.parameters}
    variables = variables_of(ode, parameters, start, _entry_units(model.robot, ode))
    sources = fmu_sources(programs, variables, version, inner_step)
    title = f"{model.program.title or model.model} of {model.robot.name}"
    names = tuple(name for name in sources if name.endswith(".c"))
    text = FmuText(base, title, ode, variables, inner_step, bool(programs.directions), names)
    token = _token([model_description(text, version, ""), *(f"{n}\n{s}" for n, s in sorted(sources.items()))])
    sources[FMU] = sources[FMU].replace(TOKEN, token)
    folder, suffix = _platform(version)
    files: dict[str, bytes] = {"modelDescription.xml": model_description(text, version, token).encode()}
    files |= {f"sources/{name}": content.encode() for name, content in sources.items()}
    if version == "3.0":
        files["sources/buildDescription.xml"] = build_description(text).encode()
    files[f"binaries/{folder}/{base}{suffix}"] = portable_library(sources)
    return _archive(files)


def _system(model: FmuModel) -> Ode:
    """Return the system of an FMU: differential equations of direct dynamics, a function for every other model."""
    if model.model != DIRECT:
        return function_of(model.program)
    try:
        return ode_of(model.program)
    except OptionError:
        raise NotApplicableError(
            f"the state of {model.program.name} cannot be integrated in an FMU: the inputs are "
            f"{', '.join(port.name for port in model.program.inputs)}",
            hint="derive the direct dynamics in joint coordinates, without the option 'space'",
        ) from None


def _inner_step(step: Any, ode: Ode) -> float:
    if step is None:
        return STEP
    if not ode.states:
        raise OptionError("this model has no state, and so there is no integration step", hint="omit 'step'")
    number = float(step) if isinstance(step, (int, float)) and not isinstance(step, bool) else math.nan
    if not (math.isfinite(number) and number > 0):
        raise OptionError(f"step = {step!r} is not valid", hint="give a positive number of seconds")
    return number


# -- start values


def _start(
    model: FmuModel, ode: Ode, closure: Program | None, initial: Initial
) -> tuple[dict[str, Sequence[float]], Sequence[float]]:
    """Return the start values of states and inputs, and the closed posture of a robot with loops."""
    shapes = {port.name: port.shape for port in model.program.inputs if port.name in ode.inputs}
    sizes = {**ode.states, **{name: size(shape) for name, shape in shapes.items()}}
    defaults = {port.name: port.default for port in model.program.inputs if port.default is not None}
    if not ode.states:  # postures that close the loops, and poses that can be reached
        sample = demo_sample(model.robot, model.program, model.options, model.values) or {}
        defaults |= {name: tuple(sample[name]) for name in POSTURE_INPUTS if name in sample}
    start: dict[str, Sequence[float]] = {
        name: list(defaults.get(name) or _neutral(name, count)) for name, count in sizes.items()
    }
    given = _given(model.robot, initial, _names(ode, sizes))
    q = given.pop("q", None) if closure is not None else None
    for name, value in given.items():
        part = "qda" if name == "qd" and "qda" in sizes and "qd" not in sizes else name
        start[part] = _numbers(name, value, sizes[part]).tolist()
    if "qm" in sizes:  # springs without deflection, unless the motors have start values
        for motor, joint in (("qm", "q"), ("qmd", "qd")):
            if motor not in given:
                start[motor] = start[joint]
    if "Q0" in ode.states and not any(start["Q0"]):
        raise ArgumentError("initial: the quaternion Q0 is zero", hint="Q0 = (1, 0, 0, 0) is no rotation")
    if closure is None:
        return start, ()
    posture = _closed_posture(model, ode, closure, q)
    start["qa"] = [float(posture[k]) for k in ode.active]
    return start, posture.tolist()


def _neutral(name: str, count: int) -> list[float]:
    """Return the start values of an array without a default: the identity for a rotation or pose, otherwise zero."""
    if name == "Q0":
        return [1.0, 0.0, 0.0, 0.0]
    if (name, count) in (("R0", 9), ("T", 16)):
        return np.eye(math.isqrt(count)).ravel().tolist()
    return [0.0] * count


def _names(ode: Ode, sizes: Mapping[str, int]) -> list[str]:
    """Return the names that start values may have: q and qd also for the state of active joints."""
    names = ["q" if name == "qa" and ode.active else name for name in sizes]
    return [*names, *(["qd"] if "qda" in sizes and "qd" not in sizes else [])]


def _given(robot: Robot, initial: Initial, names: Sequence[str]) -> dict[str, Any]:
    """Return the given start values by name; a posture of the robot is replaced by its positions."""
    if initial is None:
        return {}
    if isinstance(initial, str):
        initial = {"q": initial}
    if not isinstance(initial, Mapping):
        raise OptionError(
            f"initial: expected start values by name, got {type(initial).__name__}",
            hint="for example initial={'q': [...]}",
        )
    given = dict(initial)
    for name in given:
        if name not in names:
            raise UnknownNameError("start value of the FMU", name, names)
    if isinstance(given.get("q"), str):
        if given["q"] not in robot.postures:
            raise UnknownNameError(f"posture of robot '{robot.name}'", given["q"], list(robot.postures))
        given["q"] = robot.postures[given["q"]]
    return given


def _numbers(name: str, value: Any, count: int) -> Floats:
    """Return start values as an array of numbers.

    Raises:
        ArgumentError: they are not finite numbers, or their number is wrong.
    """
    try:
        array = np.asarray(value, dtype=float).ravel()
    except (TypeError, ValueError):
        raise ArgumentError(f"initial: {name} does not consist of numbers") from None
    if len(array) != count:
        raise ArgumentError(f"initial: {name} has {len(array)} numbers, expected {count}")
    if not np.isfinite(array).all():
        raise ArgumentError(f"initial: a number of {name} is not finite")
    return array


def _closed_posture(model: FmuModel, ode: Ode, closure: Program, q: Any) -> Floats:
    """Return the initial posture of a robot with loops: near the given posture, or a default one."""
    function = Function(closure, parameter_values(closure, model.values), compiled=False)
    close = _Closer(function, len(ode.active))
    count = size(next(port.shape for port in closure.inputs if port.name == "q"))
    if q is not None and np.size(q) != len(ode.active):
        given = _with_parallelograms(model, _numbers("q", q, count))
        return close(given, f"near the initial posture (closure error at most {HOME_ERROR:g})", HOME_ERROR)
    postures = list(model.robot.postures.values())
    sample = None if postures else demo_sample(model.robot, model.program, model.options, model.values)
    if not postures and sample is None:
        raise ArgumentError(
            f"no posture of robot '{model.robot.name}' is known in which the loops are closed",
            hint=f"give the positions of all {count} joints as start values of q",
        )
    posture = close(
        np.array(postures[0] if sample is None else sample["q"], dtype=float), "in the default posture"
    )
    return posture if q is None else close.walked(posture, ode.active, _numbers("q", q, len(ode.active)))


def _with_parallelograms(model: FmuModel, q: Floats) -> Floats:
    """Return a posture in which the joints of parallelograms satisfy their linear relations.

    Raises:
        ArgumentError: a joint violates its relation by more than the error of a rounded posture.
    """
    joints = independent(model.robot)
    q = q.copy()
    for j, law in linear_loops(model.robot).relations.items():
        if j in joints:
            terms = sum(ratio.value(model.values) * q[joints.index(i)] for i, ratio in law.terms)
            deviation = float(q[joints.index(j)] - law.offset.value(model.values) - terms)
            if model.robot.frame(j).sigma == JointType.REVOLUTE:
                deviation = math.remainder(deviation, 2 * math.pi)
            if abs(deviation) > HOME_ERROR:
                raise ArgumentError(
                    f"initial: the loops do not close: joint {j} must be at {q[joints.index(j)] - deviation:.6g} "
                    "to close its parallelogram",
                    hint="give the active joints only, or a posture in which the loops are closed",
                )
            q[joints.index(j)] -= deviation
    return q


@dataclass(frozen=True)
class _Closer:
    """Newton's method for the closed loops of a robot; `function` evaluates `loop_closure`."""

    function: Function
    active: int

    def __call__(self, q: Floats, where: str, near: float = math.inf, side: float = 0.0) -> Floats:
        """Return a posture with closed loops near q, for fixed active joints.

        Args:
            where: end of the message if there is none.
            near: largest closure error of q.
            side: number with the sign of the determinant of the loop equations; zero for any sign.

        Raises:
            ArgumentError: there is no such posture, or it is singular.
        """
        hint = "give the positions of all joints in a posture in which the loops are closed"
        for _ in range(NEWTON_STEPS):
            result = self.function(q=q, qda=np.zeros(self.active))
            gap, room = float(result["gap"]), float(result["room"])
            if room <= SINGULAR:
                raise ArgumentError(f"initial: the loops are singular {where}", hint=hint)
            if not gap <= near or (gap <= CLOSED and side * float(result["det"]) < 0):
                break
            q, near = q + result["dq"], math.inf
            if gap <= CLOSED:
                return np.asarray(q)
        raise ArgumentError(f"initial: the loops do not close {where}", hint=hint)

    def walked(self, q: Floats, active: Sequence[int], qa: Floats) -> Floats:
        """Return the posture at the positions qa of the active joints, in the assembly mode of the closed posture q.

        The posture is followed along a straight line of the active joints, as in the FMU.
        """
        side = float(self.function(q=q, qda=np.zeros(self.active))["det"])
        begin, share, way = 0.0, 1.0, qa - q[list(active)]
        while begin < 1:
            guess = q + self.function(q=q, qda=share * way)["qd"]
            guess[list(active)] = qa if begin + share >= 1 else guess[list(active)]
            try:
                q = self(
                    guess,
                    "between the default posture and these positions of the active joints",
                    STRIDE,
                    side,
                )
                begin += share
            except ArgumentError:
                share /= 2
                if share < SHORTEST:
                    raise
        return q


# -- units of arrays whose entries have different units


_JOINT = re.compile(r"[a-z]+(\d+)")


def _entry_units(robot: Robot, ode: Ode) -> dict[str, list[str]]:
    """Return the units of the entries of arrays that belong to joints of both types, or to a twist or wrench."""
    units = {}
    ports: dict[str, Input | Output] = {port.name: port for port in ode.program.inputs}
    ports |= {port.name: port for port in ode.program.outputs}
    symbols = {port.name: port.symbols for port in ode.program.inputs}
    joints = [_joint_numbers(symbols.get(name, ())) for name in ("q", "qda", "tau")]
    names = {name: port.shape for name, port in ports.items()}
    if ode.active:
        names |= {"qa": (len(ode.active),), "qd": ports["q"].shape}
    for name, shape in names.items():
        choices = UNITS.get(name, "").split(", ")
        unit = ports[name].unit if name in ports else ""
        count = size(shape)
        if ";" in unit and (shape[-1:] == (6,) or shape == (3,)):
            linear, angular = unit.split("; ")
            part = shape[-1] - (3 if shape[-1] == 6 else 1)
            units[name] = ([linear] * part + [angular] * (shape[-1] - part)) * (count // shape[-1])
        elif name in ("e", "ed") and " or " in unit:
            lengths, angles = unit.split(" or ")
            kinds = [angles if re.match("ed?t", symbol) else lengths for symbol in symbols[name]]
            units[name] = kinds
            units[f"{name}d"] = [f"{kind}2" if name == "ed" else f"{kind}/s" for kind in kinds]
        elif len(choices) == 2 and len(shape) == 1 and name in (*_OF_JOINTS, "tau"):
            own = next((each for each in joints if len(each) == count), None)
            if own is not None:
                units[name] = [choices[robot.frame(j).sigma == JointType.PRISMATIC] for j in own]
    return units


_OF_JOINTS = ("q", "qd", "qdd", "qa", "qda", "qdda", "qm", "qmd", "qmdd")


def _joint_numbers(symbols: Sequence[str]) -> list[int]:
    matches = [_JOINT.fullmatch(symbol) for symbol in symbols]
    return [int(match[1]) for match in matches if match is not None]


# -- the archive


def _token(parts: Sequence[str]) -> str:
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    return f"{{{digest[:8]}-{digest[8:12]}-{digest[12:16]}-{digest[16:20]}-{digest[20:32]}}}"


def _platform(version: str) -> tuple[str, str]:
    """Return the folder of the binary in the archive, and its suffix, for this machine."""
    system, suffix = {"win32": ("windows", ".dll"), "darwin": ("darwin", ".dylib")}.get(
        sys.platform, ("linux", ".so")
    )
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(
        platform.machine().lower(), platform.machine().lower()
    )
    if version == "2.0" and machine == "x86_64":
        return {"windows": "win64"}.get(system, f"{system}64"), suffix
    return f"{machine}-{system}", suffix


DATE = (1980, 1, 1, 0, 0, 0)  # earliest date of an archive


def _archive(files: Mapping[str, bytes]) -> bytes:
    """Return a ZIP archive of files; the first one is not compressed, so that its comment about the origin is read."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for number, (name, content) in enumerate(files.items()):
            info = zipfile.ZipInfo(name, DATE)
            info.create_system = 3  # Unix, on every machine
            info.external_attr = 0o644 << 16
            info.compress_type = zipfile.ZIP_DEFLATED if number else zipfile.ZIP_STORED
            archive.writestr(info, content)
    return stream.getvalue()
