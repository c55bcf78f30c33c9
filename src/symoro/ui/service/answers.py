"""Answer calls about models: equations, code, operation counts and numbers."""

from __future__ import annotations

import json
import math
import platform
import re
import sys
from base64 import b64encode
from collections.abc import Mapping
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

from symoro._version import __version__
from symoro.errors import ArgumentError, NotApplicableError
from symoro.files import file_name
from symoro.model import Model, base_parameters, generate, singularities, singularity_distance
from symoro.models.catalogue import MENUS, Entry, Option, catalogue, checked_options, retraced
from symoro.models.identification.base.report import latex_formula, latex_relation
from symoro.models.kinematic.singularities import Singularities
from symoro.program.program import Input, Output
from symoro.robot.coordinates import independent
from symoro.robot.description import Robot
from symoro.ui import present
from symoro.ui.failure import on_the_page
from symoro.ui.service.answer_types import (
    About,
    BaseAnswer,
    CatalogueData,
    Counts,
    EntryData,
    Explanation,
    FileFormat,
    FormData,
    InputData,
    LanguageData,
    ModelAnswer,
    ModelPort,
    Module,
    OptionData,
    Outputs,
    PassData,
    Placements,
    PortData,
    Project,
    SingularAnswer,
    SingularCase,
    SingularCondition,
    SingularityDistances,
    Sources,
    Switch,
    Variables,
)
from symoro.ui.service.copy_as import as_command, as_python, file_of
from symoro.ui.service.gallery import READ_ONLY, STRUCTURES
from symoro.ui.service.page_simulation import METHOD
from symoro.ui.service.payload import finite_numbers, item, robot_of
from symoro.ui.service.variables import variables_of
from symoro.ui.singularities import MEANINGS, distances_at_home

if TYPE_CHECKING:
    from symoro.models.kinematic.loop_singularities import LoopSingularities

SCIPY_INTEGRATORS = ("DOP853", "RK45", "RK23", "Radau", "BDF", "LSODA")
Kind = Literal["serial", "parallel", "constraint"]
KINDS: tuple[Kind, ...] = ("serial", "parallel", "constraint")
MOST_LOOPS_IN_CLOSED_FORM = 2  # of the scene
MOST_KEPT = 16  # largest number of cached models per process


def about(payload: Mapping[str, Any]) -> About:
    """Return version and capabilities of this installation of symoro."""
    from symoro.emit import LANGUAGES
    from symoro.emit.targets import TARGETS
    from symoro.robot.conventions import Convention
    from symoro.robot.description import BaseKind
    from symoro.robot.formats import FORMATS

    return About(
        version=__version__,
        python=platform.python_version(),
        menus=list(MENUS),
        languages=[LanguageData(id=row.id, title=row.title) for row in LANGUAGES.values()],
        targets=[LanguageData(id=row.id, title=row.title) for row in TARGETS.values()],
        formats=[
            FileFormat(
                id=name,
                suffixes=list(row.suffixes),
                opened=name != "xacro",
                written=name not in READ_ONLY,
            )
            for name, row in FORMATS.items()
        ],
        structures=list(STRUCTURES),
        bases=[str(kind) for kind in BaseKind],
        conventions=[str(convention) for convention in Convention],
        integrators=_integrators(),
    )


def _integrators() -> list[str]:
    """Return the integrators of simulations that can run here: SciPy's with SciPy, rk4 with a C compiler.

    A page without SciPy integrates by itself (`page_simulation`).
    """
    if sys.platform == "emscripten":
        return list(SCIPY_INTEGRATORS) if find_spec("scipy") is not None else [METHOD]
    from symoro.runtime.compiler import find_compiler

    offered = list(SCIPY_INTEGRATORS) if find_spec("scipy") is not None else []
    return [*offered, "rk4"] if find_compiler() is not None else offered


def catalogue_of(payload: Mapping[str, Any]) -> CatalogueData:
    """Return all models of the catalogue.

    If the request contains a robot, each model has the variant for this robot or the reason why it does not apply.
    """
    robot = robot_of(payload) if "robot" in payload else None
    return CatalogueData(models=[_entry(entry, robot) for entry in catalogue().values()])


def _entry(entry: Entry, robot: Robot | None) -> EntryData:
    """Return the data of a catalogue entry.

    If a robot is given, they include the variant for this robot with default options, and the options that select
    other variants.
    """
    data = present.entry_data(entry, robot)
    shown = {
        **data,
        **_typed(data),
        "forms": [FormData(**{**form, **_typed(form)}) for form in data["forms"]],
    }
    if robot is None:
        return EntryData(**shown)
    shown["why_not"] = data["why_not"] and on_the_page(data["why_not"])
    place, switches = form_data(entry, robot)
    return EntryData(**shown, form=place, switches=switches)


def _typed(form: Mapping[str, Any]) -> dict[str, Any]:
    """Return a variant of a model with its inputs, outputs and options converted to objects of the answer types.

    Args:
        form: data of the variant by key, as returned by `present`.
    """
    ports = ("inputs", "outputs")
    typed: dict[str, Any] = {
        side: {name: PortData(**port) for name, port in form[side].items()} for side in ports
    }
    return typed | {"options": [OptionData(**option) for option in form["options"]]}


def model_of(payload: Mapping[str, Any]) -> Model:
    """Return the model that a request names.

    Models are cached, because a page requests the same model repeatedly.
    """
    options = json.dumps(item(payload, "options", dict, {}), sort_keys=True)
    return _generated(robot_of(payload), item(payload, "model", str), options)


@lru_cache(maxsize=MOST_KEPT)
def _generated(robot: Robot, model: str, options: str) -> Model:
    return generate(robot, model, **json.loads(options))


def forget() -> None:
    """Clear the cache of models."""
    _generated.cache_clear()


def model(payload: Mapping[str, Any]) -> ModelAnswer:
    """Return equations, inputs, outputs, operation counts and reference of a model."""
    derived = model_of(payload)
    program, data = derived.program, present.model_data(derived)
    return ModelAnswer(
        **{**data, "inputs": _inputs(derived), "count": _counts(data["count"])},
        title=derived.entry.title,
        reference=str(derived.entry.reference),
        latex=derived._repr_latex_(),
        form=derived.entry.of,
        choices=list(program.choices),
        ports=[
            *(_port(port, "in") for port in program.inputs),
            *(_port(port, "out") for port in program.outputs),
        ],
        units={name: program.units[name] for name in derived.parameters if name in program.units},
        columns=derived.columns,
        conditions=derived.conditions,
        derivation=derived.explain(latex=True),
        python=as_python(derived),
        command=as_command(derived),
        file=file_of(derived.robot),
    )


def explain(payload: Mapping[str, Any]) -> Explanation:
    """Return formulation, solution steps and the effect of each optimisation pass of a model."""
    derived = model_of(payload)
    _, steps = retraced(derived.robot, derived.entry, derived.options)
    passes = [PassData(name=step.name, before=step.before.total, after=step.after.total) for step in steps]
    return Explanation(lines=derived.explain(), passes=passes)


def _port(port: Input | Output, direction: Literal["in", "out"]) -> ModelPort:
    entries = list(port.symbols) if isinstance(port, Input) else None
    shape = list(port.shape)
    return ModelPort(
        direction=direction, name=port.name, shape=shape, title=port.title, unit=port.unit, entries=entries
    )


def _inputs(derived: Model) -> dict[str, InputData]:
    return {name: InputData(**one) for name, one in present.inputs_data(derived).items()}


def _counts(data: Mapping[str, Any]) -> Counts:
    setup = _counts(data["setup"]) if "setup" in data else None
    return Counts(**{**data, "setup": setup})


def code(payload: Mapping[str, Any]) -> Sources:
    """Return a model as source files in a programming language, with its inputs."""
    options = item(payload, "language_options", dict, {})
    derived = model_of(payload)
    files = derived.code(item(payload, "language", str), **options)
    return Sources(files=files, inputs=_inputs(derived))


def export(payload: Mapping[str, Any]) -> Project:
    """Return a model as a folder: sources, build file, demo, README and robot file."""
    languages = item(payload, "languages", list)
    derived = model_of(payload)
    folder = f"{file_name(derived.robot.name)}_{derived.entry.id.replace('-', '_')}"
    contents = derived.export(languages)
    return Project(
        folder=folder,
        files={path: text for path, text in contents.items() if isinstance(text, str)},
        binaries={
            path: b64encode(data).decode() for path, data in contents.items() if isinstance(data, bytes)
        },
    )


def evaluate(payload: Mapping[str, Any]) -> Outputs:
    """Return the outputs of a model at given inputs."""
    derived = model_of(payload)
    values = item(payload, "values", dict, {})
    inputs = item(payload, "inputs", dict)
    results = derived.function(values, compiled=False)(**inputs)
    return Outputs(outputs={name: array.tolist() for name, array in results.items()})


def variables(payload: Mapping[str, Any]) -> Variables:
    """Return the names in the equations of a model, with their meanings, units and values at given inputs."""
    inputs, values = item(payload, "inputs", dict, {}), item(payload, "values", dict, {})
    return Variables(variables=variables_of(model_of(payload), inputs, values))


def base(payload: Mapping[str, Any]) -> BaseAnswer:
    """Return the base inertial parameters of a robot and their relations.

    The request may contain options of the model `base-parameters`.
    """
    options = item(payload, "options", dict, {})
    given = checked_options(catalogue()["base-parameters"], options)
    result = base_parameters(robot_of(payload), **given)
    latex = {kept: latex_relation(kept, others) for kept, others in result.relations.items()}
    return BaseAnswer(**present.base_data(result), latex=latex)


def singular(payload: Mapping[str, Any]) -> SingularAnswer:
    """Return the conditions under which the Jacobian of a frame of a robot is singular.

    If they are incomplete, the text also contains the distances to the singularities in the posture 'home'.
    """
    robot, to = robot_of(payload), payload.get("to")
    result = singularities(robot, to)
    numbers = "" if result.complete else distances_at_home(robot, to)
    kinds = KINDS[:1] if isinstance(result, Singularities) else KINDS
    return SingularAnswer(
        text="\n".join(filter(None, [str(result), numbers])),
        complete=result.complete,
        cases=[_case(kind, result) for kind in kinds],
    )


def singularity_distances(payload: Mapping[str, Any]) -> SingularityDistances:
    """Return the distances of a posture from the singularities of each type.

    Raises:
        NotApplicableError: the loops are open in this posture.
    """
    robot, values = robot_of(payload), item(payload, "values", dict, {})
    q = finite_numbers("q", item(payload, "q", list), (len(independent(robot)),))
    numbers = {name: value for name, value in values.items() if name in robot.symbols()}
    distances = singularity_distance(robot, q, values=numbers)
    if any(math.isnan(x) for x in distances.values()):
        raise NotApplicableError(f"the loops of robot '{robot.name}' are open in this posture")
    return SingularityDistances(**{name: float(x) for name, x in distances.items()})


def _case(kind: Kind, result: Singularities | LoopSingularities) -> SingularCase:
    if isinstance(result, Singularities):
        part, matrix = result, f"determinant of {result.meaning}"
    else:
        part = getattr(result, kind)
        matrix = part.meaning
    return SingularCase(
        kind=kind,
        title=MEANINGS[kind],
        matrix=matrix,
        conditions=[
            SingularCondition(
                factors=list(condition.expressions),
                latex=[latex_formula(text) for text in condition.expressions],
                solution=condition.solution,
                joints=sorted({int(j) for j in re.findall(r"\bq(\d+)\b", condition.expression)}),
            )
            for condition in part.conditions
        ],
        always=part.always,
        complete=part.complete,
        notes=list(part.notes),
    )


def frames(payload: Mapping[str, Any]) -> Placements:
    """Return JavaScript modules that compute the poses of all frames of a robot.

    With `loops` in the request, a second module closes the loops if a closed form exists. The first module is
    generated immediately; the second may take seconds.
    """
    from symoro.models.geometric.scene import all_frames

    robot = robot_of(payload)
    placed = all_frames(robot, modes=True)
    closing = None
    if robot.B and item(payload, "loops", bool, True):
        try:
            closing = javascript_module(_loop_closure(robot))
        except NotApplicableError:
            closing = None
    placing = javascript_module(Model(robot, catalogue()["fast-geometry"], {}, placed))
    return Placements(frames=placing, loops=closing)


def _loop_closure(robot: Robot) -> Model:
    """Return the model by which the scene closes the loops of a robot, derived in about a second.

    The scene moves the active joints in small steps and calls the model after each, so that Newton's method needs no
    continuation of its own (steps=1). The search for a closed form takes 5 to 40 s for three or more loops, which
    belong to parallel robots and usually have none: their loops are closed by Newton's method directly.
    """
    method = "auto" if robot.B <= MOST_LOOPS_IN_CLOSED_FORM else "numeric"
    return generate(robot, "loop-geometry", method=method, steps=1)


def javascript_module(derived: Model) -> Module:
    """Return the emitted JavaScript of a model with its parameters and the shapes of its inputs and outputs."""
    (source,) = [text for name, text in derived.code("javascript").items() if name.endswith((".js", ".mjs"))]
    return Module(
        source=source,
        parameters=derived.parameters,
        inputs={name: list(shape) for name, shape in derived.inputs.items()},
        outputs={name: list(shape) for name, shape in derived.outputs.items()},
    )


def closed(payload: Mapping[str, Any]) -> Outputs:
    """Return the positions of all joints at which the loops of a robot are closed, for given active joints.

    They are computed by Newton's method, which starts at the posture in the request.
    """
    robot = robot_of(payload)
    if not robot.B:
        raise ArgumentError(f"robot '{robot.name}' has no closed loops")
    closure = _generated(robot, "loop-geometry", '{"method": "numeric"}')
    wanted = {name: payload[name] for name in ("qa", "q0", "qc0") if name in payload}
    results = closure.function(item(payload, "values", dict, {}), compiled=False)(**wanted)
    return Outputs(outputs={name: array.tolist() for name, array in results.items()})


# -- variants of a model: the variant for a robot, and the options that select another one


def form_data(entry: Entry, robot: Robot) -> tuple[int, list[Switch]]:
    """Return the variant of a model for a robot, and the options that select another applicable variant.

    Returns:
        Index in [general variant, *forms], and one `Switch` per option value that selects another variant. The value
        of a `Switch` is None if every value except the default selects that variant.
    """
    forms = [entry, *entry.forms]
    taken = _place(entry, robot, {})
    switches = []
    for option in entry.all_options:
        for value in _values(option, robot):
            place = _place(entry, robot, {option.name: value})
            if place != taken and forms[place].refusal(robot) is None:
                shown = None if option.kind in ("frames", "points") else value
                switches.append(Switch(option=option.name, value=shown, form=place))
    return taken, switches


def _place(entry: Entry, robot: Robot, options: dict[str, Any]) -> int:
    form = entry.form(robot, options)
    return next((at for at, one in enumerate(entry.forms, 1) if one is form), 0)


def _values(option: Option, robot: Robot) -> list[Any]:
    """Return those values of an option that can select another variant of a model."""
    if (
        option.name == "space" and not robot.B
    ):  # its variant accepts every robot and reports why it does not apply
        return []
    if option.kind == "choice":
        return list(option.choices)
    if option.kind == "flag":
        return [True]
    moving = [j for j, frame in enumerate(robot.frames, 1) if frame.moving]
    return [moving[:1]] if option.kind == "frames" and moving else []
