"""Models of a robot as the page shows them: equations, code, counts, numbers."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

from symoro._version import __version__
from symoro.errors import ArgumentError
from symoro.files import file_name
from symoro.model import Model, base_parameters, generate, singularities
from symoro.models.catalogue import MENUS, Entry, Option, catalogue, checked_options, retraced
from symoro.program.program import Input, Output
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
    Sources,
    Switch,
)
from symoro.ui.service.copy_as import as_command, as_python
from symoro.ui.service.gallery import READ_ONLY, STRUCTURES
from symoro.ui.service.payload import item, robot_of

MOST_KEPT = 16  # models, in one process


def about(payload: Mapping[str, Any]) -> About:
    """What this symoro can do, wherever it runs."""
    from symoro.emit import LANGUAGES
    from symoro.robot.conventions import Convention
    from symoro.robot.description import BaseKind
    from symoro.robot.formats import FORMATS

    return About(
        version=__version__,
        python=platform.python_version(),
        menus=list(MENUS),
        languages=[LanguageData(id=row.id, title=row.title) for row in LANGUAGES.values()],
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
    )


def catalogue_of(payload: Mapping[str, Any]) -> CatalogueData:
    """Every model; with a robot, the form that it takes and why it does not apply to it."""
    robot = robot_of(payload) if "robot" in payload else None
    return CatalogueData(models=[_entry(entry, robot) for entry in catalogue().values()])


def _entry(entry: Entry, robot: Robot | None) -> EntryData:
    """Return a model; for a robot, also the form that it takes without options, and the options that lead to others."""
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
    """Return the ports and options of a form as answers."""
    ports = ("inputs", "outputs")
    typed: dict[str, Any] = {
        side: {name: PortData(**port) for name, port in form[side].items()} for side in ports
    }
    return typed | {"options": [OptionData(**option) for option in form["options"]]}


def _asked(payload: Mapping[str, Any]) -> Model:
    """The model that is asked for; a page asks for the same one again, as code, in numbers, along a motion."""
    options = json.dumps(item(payload, "options", dict, {}), sort_keys=True)
    return _generated(robot_of(payload), item(payload, "model", str), options)


@lru_cache(maxsize=MOST_KEPT)
def _generated(robot: Robot, model: str, options: str) -> Model:
    return generate(robot, model, **json.loads(options))


def forget() -> None:
    """Generate models anew when they are asked for again."""
    _generated.cache_clear()


def model(payload: Mapping[str, Any]) -> ModelAnswer:
    """A model to be read: its equations, what it takes and gives, what it costs and where it comes from."""
    found = _asked(payload)
    program, data = found.program, present.model_data(found)
    return ModelAnswer(
        **{**data, "inputs": _inputs(found), "count": _counts(data["count"])},
        title=found.entry.title,
        reference=str(found.entry.reference),
        latex=found._repr_latex_(),
        form=found.entry.of,
        choices=list(program.choices),
        ports=[
            *(_port(port, "in") for port in program.inputs),
            *(_port(port, "out") for port in program.outputs),
        ],
        units={name: program.units[name] for name in found.parameters if name in program.units},
        columns=found.columns,
        conditions=found.conditions,
        derivation=found.explain(latex=True),
        python=as_python(found),
        command=as_command(found),
    )


def explain(payload: Mapping[str, Any]) -> Explanation:
    """How a model was formulated, how it was solved, and what each optimising pass saved."""
    found = _asked(payload)
    _, steps = retraced(found.robot, found.entry, found.options)
    passes = [PassData(name=step.name, before=step.before.total, after=step.after.total) for step in steps]
    return Explanation(lines=found.explain(), passes=passes)


def _port(port: Input | Output, direction: Literal["in", "out"]) -> ModelPort:
    entries = list(port.symbols) if isinstance(port, Input) else None
    shape = list(port.shape)
    return ModelPort(
        direction=direction, name=port.name, shape=shape, title=port.title, unit=port.unit, entries=entries
    )


def _inputs(found: Model) -> dict[str, InputData]:
    return {name: InputData(**one) for name, one in present.inputs_data(found).items()}


def _counts(data: Mapping[str, Any]) -> Counts:
    setup = _counts(data["setup"]) if "setup" in data else None
    return Counts(**{**data, "setup": setup})


def code(payload: Mapping[str, Any]) -> Sources:
    """A model as source files in a language, with the names of what it takes."""
    options = item(payload, "language_options", dict, {})
    found = _asked(payload)
    files = found.code(item(payload, "language", str), **options)
    return Sources(files=files, inputs=_inputs(found))


def export(payload: Mapping[str, Any]) -> Project:
    """Return a model as a whole folder, with its name: sources, build file, demo, README and the robot."""
    languages = item(payload, "languages", list)
    found = _asked(payload)
    folder = f"{file_name(found.robot.name)}_{found.entry.id.replace('-', '_')}"
    return Project(folder=folder, files=found.export(languages))


def evaluate(payload: Mapping[str, Any]) -> Outputs:
    """A model at given numbers."""
    found = _asked(payload)
    values = item(payload, "values", dict, {})
    inputs = item(payload, "inputs", dict)
    results = found.function(values, compiled=False)(**inputs)
    return Outputs(outputs={name: array.tolist() for name, array in results.items()})


def base(payload: Mapping[str, Any]) -> BaseAnswer:
    """The base inertial parameters with their relations; the options are those of the model base-parameters."""
    options = item(payload, "options", dict, {})
    given = checked_options(catalogue()["base-parameters"], options)
    return BaseAnswer(**present.base_data(base_parameters(robot_of(payload), **given)))


def singular(payload: Mapping[str, Any]) -> SingularAnswer:
    """The singular postures of a frame, as conditions."""
    found = singularities(robot_of(payload), payload.get("to"))
    return SingularAnswer(text=str(found), complete=found.complete)


def frames(payload: Mapping[str, Any]) -> Placements:
    """JavaScript that places all frames; and, with `loops`, one that closes them where there is a closed form.

    The first is there at once; to find the second may take seconds.
    """
    from symoro.errors import NotApplicableError
    from symoro.models.geometric.scene import all_frames

    robot = robot_of(payload)
    placed = all_frames(robot)
    closing = None
    if robot.B and item(payload, "loops", bool, True):
        try:
            closing = _javascript(generate(robot, "loop-geometry"))
        except NotApplicableError:
            closing = None
    placing = _javascript(Model(robot, catalogue()["fast-geometry"], {}, placed))
    return Placements(frames=placing, loops=closing)


def _javascript(found: Model) -> Module:
    (source,) = [text for name, text in found.code("javascript").items() if name.endswith((".js", ".mjs"))]
    return Module(
        source=source,
        parameters=found.parameters,
        inputs={name: list(shape) for name, shape in found.inputs.items()},
        outputs={name: list(shape) for name, shape in found.outputs.items()},
    )


def closed(payload: Mapping[str, Any]) -> Outputs:
    """The joints of a robot with loops at other values of its active joints, by Newton's method from a posture."""
    robot = robot_of(payload)
    if not robot.B:
        raise ArgumentError(f"robot '{robot.name}' has no loops to close")
    found = _generated(robot, "loop-geometry", '{"method": "numeric"}')
    wanted = {name: payload[name] for name in ("qa", "q0", "qc0") if name in payload}
    results = found.function(item(payload, "values", dict, {}), compiled=False)(**wanted)
    return Outputs(outputs={name: array.tolist() for name, array in results.items()})


# -- forms: which form of a model a robot takes, and which options lead it to another


def form_data(entry: Entry, robot: Robot) -> tuple[int, list[Switch]]:
    """The form that a robot takes, by its place in [plain, *forms], and the options that alone lead to another
    that applies.

    The value of a switch is None where any value that says something leads there.
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
    """Values of an option worth trying: those that can choose a form."""
    if option.name == "space" and not robot.B:  # its form takes every robot, to say why it refuses one
        return []
    if option.kind == "choice":
        return list(option.choices)
    if option.kind == "flag":
        return [True]
    moving = [j for j, frame in enumerate(robot.frames, 1) if frame.moving]
    return [moving[:1]] if option.kind == "frames" and moving else []
