"""Run each command: read the input, call the library, print the result."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from symoro.emit.names import identifier
from symoro.errors import MissingDependencyError, OptionError, SymoroError
from symoro.files import file_name, write_folder
from symoro.model import Model, base_parameters, check_expandable, generate
from symoro.model_files import base_entry, load_model, save_model
from symoro.models import catalogue as models
from symoro.progress import each
from symoro.robot import consistency, formats
from symoro.robot.coordinates import independent
from symoro.robot.description import JointType, Robot
from symoro.robot.symbols import zero_inertial_parameters
from symoro.robot.topology import describe
from symoro.ui import failure, present
from symoro.ui.model_arguments import WITH_MODEL
from symoro.ui.outputs import check_names, check_outputs, check_robot, deliver, writing
from symoro.ui.values import binding, numbers, payload_fields, posture_named, posture_word


def run(options: argparse.Namespace) -> int:
    """Run the parsed command and return the exit code."""
    command = {
        "robots": robots,
        "show": show,
        "render": render,
        "check": check,
        "convert": convert,
        "models": list_models,
        "languages": list_languages,
        "singularities": singularities,
        "base": base,
        "pose": pose,
        "excite": excite,
        "calibrate": calibrate,
        "postures": postures,
        "cite": cite,
        "generate": write_model,
        "count": count,
        "explain": explain,
        "eval": evaluate,
        "solve": solve,
        "export": export,
        "optimise": optimise,
        "identify": identify,
        "compare": compare,
        "torques": torques,
        "simulate": simulate,
        "linearise": linearise,
        "sweep": sweep,
        "study": study,
        "gui": open_gui,
    }[options.command]
    check_outputs(options)
    return command(options) or 0


def robots(options: argparse.Namespace) -> None:
    from symoro.robot import library

    rows = []
    for name in each(library.names(), "reading robots"):
        robot = library.load(name)
        rows.append(
            {"id": name, "structure": describe(robot), "title": robot.title, "reference": robot.reference}
        )
    if options.json:
        present.as_json(rows)
    else:
        present.table(
            ["id", "structure", "description"], [[r["id"], r["structure"], r["title"]] for r in rows]
        )


def show(options: argparse.Namespace) -> None:
    robot = _robot(options)
    if options.json:
        present.as_json(present.robot_data(robot))
    elif options.latex:
        print(present.robot_latex(robot), end="")
    else:
        present.robot(robot)


def render(options: argparse.Namespace) -> None:
    from symoro.ui.render import write_picture

    robot = _robot(options)
    path = Path(options.output)
    write_picture(
        robot,
        path,
        posture=_joints(robot, options.posture, options.degrees),
        size=options.size,
        force=options.force,
        **{name: getattr(options, name) for name in ("view", "labels", "dark")},
    )
    _written([path], options.json)


def _joints(robot: Robot, text: str | None, degrees: bool) -> list[float] | None:
    """Return joint positions (rad or m) from a text with numbers or the name of a posture; None if there is no text.

    Args:
        degrees: whether the numbers of revolute joints are in degrees.
    """
    if text is None:
        return None
    named = posture_named(robot, text)
    if named is not None:
        return list(named)
    given = numbers("posture", text)
    values = list(given) if isinstance(given, list) else [given]
    joints = independent(robot)
    if not degrees or len(values) != len(joints):
        return values
    turns = [robot.frame(j).sigma == JointType.REVOLUTE for j in joints]
    return [math.radians(x) if turn else x for x, turn in zip(values, turns, strict=True)]


def excite(options: argparse.Namespace) -> int:
    from symoro.ui.excitation import show_excitation

    return show_excitation(_robot(options), options)


def calibrate(options: argparse.Namespace) -> int:
    from symoro.ui.calibration import show_calibration

    return show_calibration(_robot(options), options)


def postures(options: argparse.Namespace) -> int:
    from symoro.ui.calibration import show_postures

    return show_postures(_robot(options), options)


def check(options: argparse.Namespace) -> int:
    try:
        robot = _read(options)
    except SymoroError as error:
        if not options.json:
            raise
        problems = getattr(error, "problems", None) or [error.text()]
        present.as_json({"ok": False, "problems": problems, "error": failure.as_data(error)})
        return 2
    warnings = consistency.warnings(robot)
    notes = [failure.in_a_shell(note) for note in robot.notes if not note.startswith(consistency.WARNING)]
    if options.json:
        known = {"ok": True, "robot": robot.name, "structure": describe(robot)}
        on_wheels = {"wheels": present.wheels(robot)} if robot.wheels else {}
        present.as_json({**known, **on_wheels, "warnings": warnings, "notes": notes})
    else:
        verdict = f"readable, with {len(warnings)} warning{'s'[: len(warnings) > 1]}" if warnings else "sound"
        print(f"{robot.name}: {verdict}. {describe(robot)}")
        if robot.wheels:
            print(f"wheels: {present.wheels(robot)}")
        for warning in warnings:
            print(f"warning: {warning}")
        for note in notes:
            print(f"note: {note}")
    return 0


def convert(options: argparse.Namespace) -> None:
    robot = _robot(options)
    details = writing(options)
    if options.frame is not None:
        details["to"] = options.frame
    if options.output:
        formats.save(robot, options.output, options.to, force=options.force, **details)
        _written([Path(options.output)], options.json)
        name = formats.format_named(options.to) if options.to else formats.format_of(Path(options.output))
        if not (options.json or formats.FORMATS[name].dynamic):
            print("note: the table contains the geometry of the chain alone")
    elif options.to:
        text = formats.dumps(robot, options.to, **details)
        if options.json:
            present.as_json({"robot": robot.name, "format": formats.format_named(options.to), "text": text})
        else:
            sys.stdout.write(text)
    else:
        raise OptionError(
            "the output is missing: give the file to write, or its format with --to",
            hint="for example symoro convert rx90 rx90.yaml",
        )


def list_models(options: argparse.Namespace) -> None:
    entries = models.catalogue().values()
    robot = formats.load(options.robot, **_reading(options)) if options.robot else None
    if options.json:
        present.as_json([present.entry_data(entry, robot) for entry in entries])
        return
    rows = []
    for entry in entries:
        row = [entry.menu, entry.id, entry.title, ", ".join(entry.aliases)]
        if robot is not None:
            row.append(entry.why_not(robot) or "yes")
        rows.append(row)
    present.table(["menu", "id", "title", "also called", *(["applies"] if robot else [])], rows)


def list_languages(options: argparse.Namespace) -> None:
    from symoro.emit import LANGUAGES
    from symoro.emit.targets import TARGETS

    rows = [(row.id, row.title, row.aliases, ("name", *row.options)) for row in LANGUAGES.values()]
    rows += [
        (row.id, row.title, row.aliases, ("name", *row.options))
        for row in TARGETS.values()
        if row.id not in LANGUAGES
    ]
    if options.json:
        present.as_json([dict(zip(("id", "title", "aliases", "options"), row, strict=True)) for row in rows])
    else:
        listed = [
            [name, title, ", ".join(aliases), failure.emitting_flags(own)]
            for name, title, aliases, own in rows
        ]
        present.table(["id", "language or export target", "also called", "options"], listed)


def singularities(options: argparse.Namespace) -> int:
    from symoro.ui.singularities import show_singularities

    return show_singularities(_robot(options), options)


def pose(options: argparse.Namespace) -> int:
    from symoro.ui.pose import show_pose

    return show_pose(_robot(options), options)


def base(options: argparse.Namespace) -> int:
    robot = _robot(options)
    check_robot(robot, options, dynamic=True)
    method = "numeric" if options.numeric else options.method
    posture = posture_word(options.posture) if options.posture else None
    grouped = base_parameters(
        robot, inertia=options.inertia, method=method, rotor=not options.no_rotor, posture=posture
    )

    def write() -> list[str]:
        if options.output:
            formats.save(grouped.robot, options.output, force=options.force, **writing(options))
        return [options.output] if options.output else []

    def show() -> None:
        print(grouped.latex() if options.latex else grouped.report())
        zeros = zero_inertial_parameters(robot) if options.inertia == "given" and not options.latex else []
        if zeros:
            print(
                f"note: {len(zeros)} inertial parameters are zero in the description and are left out "
                f"({', '.join(zeros[:6])}{' ...' if len(zeros) > 6 else ''}); --inertia all includes them"
            )

    return deliver(options, lambda: present.base_data(grouped), show, write)


def cite(options: argparse.Namespace) -> None:
    entries = [models.entry(options.model)] if options.model else list(models.catalogue().values())
    if options.json:
        present.as_json(
            [{"id": e.id, "reference": str(e.reference), "bibtex": e.reference.bibtex} for e in entries]
        )
        return
    if options.model:
        print(f"{entries[0].id}: {entries[0].reference}\n")
    seen = {entry.reference.key: entry.reference.bibtex for entry in entries}
    print("\n\n".join(seen.values()))


def write_model(options: argparse.Namespace) -> None:
    from symoro.emit import find_language

    robot = _robot(options)
    language = find_language(options.lang or "text")
    check_names(options.output, [_base_name(robot, options) + language.suffix], options.force)
    model = _derived(robot, options)
    if options.save:
        save_model(model, options.save, force=options.force)
    if options.json and not (options.lang or options.output or _emitting(options)):
        present.as_json(present.model_data(model))
        return
    files = model.code(options.lang or "text", **_emitting(options))
    if options.output:
        _report_notes(model, options)
        _written(write_folder(Path(options.output), files, force=options.force), options.json)
    elif options.json:
        present.as_json(files)
    else:
        present.source(files)


def count(options: argparse.Namespace) -> None:
    model = _model(options)
    if options.json:
        data = present.count_data(model.count())
        present.as_json({**data, "explanation": model.explain()} if options.explain else data)
        return
    present.count(model)
    if options.explain:
        print("\n".join(model.explain()))


def explain(options: argparse.Namespace) -> None:
    from symoro.ui.recursion import check_recursion, show_recursion

    check_recursion(options)
    if options.link is not None:
        show_recursion(_robot(options), options)
        return
    model = _model(options)
    lines = model.explain(latex=options.latex)
    if options.json:
        present.as_json(lines)
    else:
        print(
            "\n".join(lines)
            if lines
            else f"{model.entry.id} has no solution steps: its equations are written directly"
        )


def evaluate(options: argparse.Namespace) -> None:
    from symoro.ui import evaluate as evaluating

    model = _model(options)
    _report_notes(model, options)
    evaluating.evaluate(model, options)


def solve(options: argparse.Namespace) -> int:
    from symoro.models.geometric.inverse.chain.pose import WHOLE
    from symoro.ui import solve as solving
    from symoro.ui.solve import model_or_numeric, solve_modes

    if options.pose in WHOLE and options.option_pose is None:  # `generate` calls the given entries --pose
        options.option_pose, options.pose = options.pose, None
    if options.values:
        return solve_modes(_robot(options), options.values, options, _chosen(options))
    return solving.solve(model_or_numeric(_robot(options), _chosen(options), options), options)


def identify(options: argparse.Namespace) -> int:
    from symoro.ui import identify as identifying

    return identifying.run(_robot(options), options)


def compare(options: argparse.Namespace) -> int:
    from symoro.ui import compare as comparing

    return comparing.run(options)


def export(options: argparse.Namespace) -> None:
    from symoro.emit.project import MAKE, find_target

    if not options.output:
        raise OptionError("export needs a folder: the option -o is missing", hint="for example -o out")
    targets = (options.lang or "c").split(",")
    with_makefile = len(targets) > 1 or find_target(targets[0]).commands == MAKE
    robot = _robot(options)
    names = ["README.md", f"{file_name(robot.name)}.yaml", *(["Makefile"] if with_makefile else [])]
    check_names(options.output, names, options.force)
    model = _derived(robot, options)
    files = model.export(targets, **_emitting(options), **_fmu_options(options))
    _report_notes(model, options)
    _report_name(files, options)
    _warn_of_other_model(Path(options.output), files)
    _written(write_folder(Path(options.output), files, force=options.force), options.json)


def optimise(options: argparse.Namespace) -> None:
    from symoro.listings import optimise as optimise_listing

    names = [None if text is None else _listed(text) for text in (options.inputs, options.outputs)]
    listing = optimise_listing(options.file, inputs=names[0], outputs=names[1])
    emitting = {"name": options.name} if options.name else {}
    counts = {"written": listing.written, "optimised": listing.count()}
    if options.output:
        files = listing.code(options.lang or "text", **emitting)
        write_folder(Path(options.output), files, force=options.force)
    if options.json:
        ports = {"inputs": listing.inputs, "outputs": listing.outputs, "parameters": listing.parameters}
        data = {**{name: present.count_data(one) for name, one in counts.items()}, **ports}
        present.as_json({**data, "warnings": list(listing.warnings)})
        return
    for warning in listing.warnings:
        print(f"symoro: warning: {options.file}: {warning}", file=sys.stderr)
    if options.output:
        for name in files:
            print(f"wrote {Path(options.output) / name}")
    else:
        present.source(listing.code(options.lang or "text", **emitting))
    for name, one in counts.items():
        print(f"{name}: {one}", file=sys.stderr if not options.output else sys.stdout)


def _warn_of_other_model(folder: Path, files: Mapping[str, Any]) -> None:
    """Print a warning if the output folder contains the project of another model.

    The new project replaces its Makefile and README.md.

    Args:
        folder: output folder.
        files: contents of the new files by name.
    """
    shared = [name for name in ("Makefile", "README.md") if name in files]
    try:
        title = (folder / "README.md").read_text(encoding="utf-8").partition("\n")[0]
    except (OSError, ValueError):  # there is no such file, or it is not a text
        return
    if "README.md" in files and title != str(files["README.md"]).partition("\n")[0]:
        replaced = "are replaced by those" if len(shared) > 1 else "is replaced by that"
        print(
            f"symoro: warning: {folder} contains the project '{title.lstrip('# ')}': its {' and '.join(shared)} "
            f"{replaced} of this model, its sources remain; use one folder per model to keep both",
            file=sys.stderr,
        )


def _report_name(files: Mapping[str, Any], options: argparse.Namespace) -> None:
    """Print a note on standard error if the name of a project is not the given one, except with the option --json."""
    used = str(files["README.md"]).partition("\n")[0].lstrip("# ")
    if not options.json and options.name and options.name != used:
        print(
            f"note: '{options.name}' cannot be the name of a function: the project is called {used}",
            file=sys.stderr,
        )


def torques(options: argparse.Namespace) -> int:
    from symoro.ui.torques import show_torques

    return show_torques(_robot(options), options)


def simulate(options: argparse.Namespace) -> int:
    from symoro.ui.simulate import show_simulation

    return show_simulation(_robot(options), options)


def linearise(options: argparse.Namespace) -> int:
    from symoro.ui.linearise import show_linearisation

    return show_linearisation(_robot(options), options)


def sweep(options: argparse.Namespace) -> None:
    from symoro.ui.sweep import show_sweep

    show_sweep(_robot(options), options, _chosen(options))


def study(options: argparse.Namespace) -> int:
    from symoro.ui.study import show_study

    return show_study(options)


def _base_name(robot: Robot, options: argparse.Namespace) -> str:
    """Return the base name of the generated files, from the option --name or from the names of robot and model."""
    kind = f"_{options.derivative}" if options.derivative else ""
    return identifier(options.name or f"{robot.name}_{models.entry(options.model).id}{kind}", "model")


def _emitting(options: argparse.Namespace) -> dict[str, Any]:
    """Return the options of the code generator that are given on the command line: values by option name."""
    given = {
        "scalar": "float" if options.float32 else None,
        "trig": options.trig,
        "layout": options.layout,
        "name": options.name,
        "integrator": options.integrator,
        "branches": options.branches or None,
    }
    return {name: value for name, value in given.items() if value is not None}


def _fmu_options(options: argparse.Namespace) -> dict[str, Any]:
    """Return the options of FMUs that are given on the command line: values by option name.

    Raises:
        OptionError: a start value is given twice, or the step is not one number.
    """
    given: dict[str, Any] = {}
    if options.fmi is not None:
        given["version"] = options.fmi
    if options.step is not None:
        given["step"] = numbers("step", options.step)
    if options.initial is not None:
        initial: dict[str, Any] = {}
        for item in options.initial:
            name, text = binding(item)
            if name in initial:
                raise OptionError(f"--initial: '{name}' is given twice")
            initial[name] = posture_word(text) if name == "q" else numbers(name, text)
        given["initial"] = initial
    return given


def _reading(options: argparse.Namespace) -> dict[str, Any]:
    """Return the options for reading the robot file that are given on the command line: values by option name."""
    prefix = "read_"
    given = {
        name.removeprefix(prefix): value
        for name, value in vars(options).items()
        if name.startswith(prefix) and value is not None
    }
    if "arguments" in given:
        given["arguments"] = dict(item.partition(":=")[::2] for item in given["arguments"])
    return given


def _robot(options: argparse.Namespace) -> Robot:
    if options.robot == "-" and getattr(options, "file", None) == "-":
        raise OptionError(
            "standard input cannot contain both the robot and its values", hint="give a file for one of them"
        )
    robot = _read(options)
    if getattr(options, "payload", None) is not None:
        robot = robot.with_payload(**payload_fields(options.payload))
    return robot.bind(dict(binding(item) for item in options.bind)) if options.bind else robot


def _read(options: argparse.Namespace) -> Robot:
    if _is_saved(options):
        return load_model(options.robot).robot
    robot = formats.load(options.robot, **_reading(options))
    return robot.tree() if options.tree else robot


def _chosen(options: argparse.Namespace) -> dict[str, Any]:
    """Return the model's options that are given on the command line: values by option name."""
    prefix = "option_"
    return {
        name.removeprefix(prefix): value
        for name, value in vars(options).items()
        if name.startswith(prefix) and value is not None
    }


def _model(options: argparse.Namespace) -> Model:
    return _derived(_robot(options), options)


def _derived(robot: Robot, options: argparse.Namespace) -> Model:
    """Derive the model that is named on the command line, or a derivative of it, and return it.

    Raises:
        OptionError: a payload is given, but the model does not depend on inertial parameters; or variables are given
            without the kind of derivative.
    """
    entry = models.entry(options.model)
    if options.payload is not None and entry.menu in ("Geometric", "Kinematic"):
        raise OptionError(
            f"--payload does not change '{entry.id}', which is a {entry.menu.lower()} model",
            hint="omit --payload, or name a dynamic model ('symoro models' lists them)",
        )
    if options.wrt is not None and options.derivative is None:
        raise OptionError(
            "--wrt selects the variables of a derivative, but no derivative is requested",
            hint="add --derivative vjp",
        )
    outputs = None if options.outputs is None else _listed(options.outputs)
    if _is_saved(options):
        model = _saved(options)
    else:
        if options.no_variables and options.wrt is None:
            check_expandable(robot, options.model, outputs, derivative=options.derivative is not None)
        first = (
            outputs if options.derivative is None else None
        )  # a derivative has other outputs than its model
        model = generate(robot, options.model, outputs=first, **_chosen(options))
    if options.derivative is not None:
        model = model.derivative(options.derivative, None if options.wrt is None else _listed(options.wrt))
    if outputs is not None:
        model = model.with_outputs(outputs)
    return model.expanded() if options.no_variables else model


def _is_saved(options: argparse.Namespace) -> bool:
    """Return whether a command of models has the file of a saved model in place of the robot."""
    return options.command in WITH_MODEL and Path(options.robot).suffix.lower() == ".json"


def _saved(options: argparse.Namespace) -> Model:
    """Return the saved model that is given in place of the robot.

    Raises:
        OptionError: the file contains another model, or an option would change the model.
        FormatError: the file is not a saved model.
    """
    model = load_model(options.robot)
    name, saved = models.entry(options.model).id, base_entry(model.entry.id).id
    if name != saved:
        raise OptionError(
            f"{options.robot} contains the model '{model.entry.id}', not '{name}'",
            hint=f"symoro {options.command} {saved} {options.robot}",
        )
    fixed = [name for name in ("bind", "payload", "tree") if getattr(options, name)]
    chosen = [f"no-{name}" if value is False else name for name, value in _chosen(options).items()]
    given = [f"--{option.replace('_', '-')}" for option in (*fixed, *chosen)]
    if given:
        raise OptionError(
            f"{given[0]} does not apply to a saved model",
            hint="derive the model from the robot with this option, and save it with --save",
        )
    return model


def _listed(text: str) -> list[str]:
    """Return the names in a text such as "q,qd"."""
    return [name.strip() for name in text.split(",") if name.strip()]


def _report_notes(model: Model, options: argparse.Namespace) -> None:
    """Print the notes of a model on standard error, except with the option --json."""
    if not options.json:
        for note in model.notes:
            print(f"note: {failure.in_a_shell(note)}", file=sys.stderr)


def _written(paths: list[Path], as_json: bool) -> None:
    if as_json:
        present.as_json([str(path) for path in paths])
        return
    for path in paths:
        print(f"wrote {path}")


def open_gui(options: argparse.Namespace) -> None:
    try:
        from symoro.ui.web.gui import gui
    except ImportError as error:
        raise MissingDependencyError(
            f"the workbench requires the package {error.name}, which is not installed",
            hint=f"pip install {error.name}",
        ) from None
    gui(options.host, options.port, browser=options.browser, names=options.name, token=options.token)
