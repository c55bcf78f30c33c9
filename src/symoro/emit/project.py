"""Folder with the code of a program: sources for one or several targets, build files, a demo and a README.

    project(program, ["c"])             NAME.h NAME.c NAME_batch.c NAME_example.c Makefile README.md
    project(program, ["c", "julia"])    the same in c/ and julia/, with a Makefile and README in the top folder

A target is a language, or a folder for a tool of the user (`targets`), such as a CMake package.

`make run` builds the demo and prints the outputs for the sample numbers of the README; with an integrator
(NAME_rk4.c) it also integrates some steps from there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from symoro.emit import LANGUAGES, emit, find_language, keywords
from symoro.emit.code import base_name
from symoro.emit.dialect import Dialect, Files, Language
from symoro.emit.header import clean, commented, joint_lines, shape_text
from symoro.emit.joints import joint_indices
from symoro.emit.names import Names
from symoro.emit.sample import Sample, sample_of
from symoro.emit.target import Export, ExportFiles, Target, missing_numbers
from symoro.emit.targets import TARGETS
from symoro.errors import NotApplicableError, OptionError, ProgramError, UnknownNameError
from symoro.expr import ops
from symoro.files import MADE_BY
from symoro.program.count import count
from symoro.program.program import Input, Output, Program


@dataclass(frozen=True)
class BuildRecipe:
    """Commands that build and run the demo in a language; {0} is the base name.

    Attributes:
        tool: (make variable, value) of the compiler or interpreter; no value if make defines it.
        run: command of the make target `run`.
        sources: files from which the demo is compiled; empty for an interpreter.
        compile: command that builds the demo; {1} are the sources that an option added.
        leftovers: files that `make clean` removes in addition to the demo.
        comment: comment sign of the language, if a line about the origin must be added to the demo.
    """

    tool: tuple[str, str]
    run: str
    sources: str = ""
    compile: str = ""
    leftovers: str = ""
    comment: str = ""


BUILDS = {
    "c": BuildRecipe(
        ("CC", ""),
        "./{0}_example",
        "{0}_example.c {0}.c {0}.h",
        "$(CC) -std=c99 -O3 $(CFLAGS) -o $@ {0}_example.c {0}.c{1} -lm",
    ),
    "cpp": BuildRecipe(
        ("CXX", ""),
        "./{0}_example",
        "{0}_example.cpp {0}.hpp",
        "$(CXX) -std=c++11 -O2 $(CXXFLAGS) -o $@ {0}_example.cpp",
        comment="//",
    ),
    "cuda": BuildRecipe(
        ("NVCC", "nvcc -arch=native"),
        "./{0}_example",
        "{0}_example.cu {0}.cu {0}.h",
        "$(NVCC) -std=c++17 -O3 $(NVCCFLAGS) -o $@ {0}_example.cu {0}.cu{1}",
    ),
    "fortran": BuildRecipe(
        ("FC", "gfortran"),
        "./{0}_example",
        "{0}.f90 {0}_example.f90",
        "$(FC) -O2 $(FFLAGS) -o $@ {0}.f90 {0}_example.f90{1}",
        "{0}_module.mod",
        comment="!",
    ),
    "python": BuildRecipe(("PYTHON", "python3"), "$(PYTHON) {0}_example.py", comment="#"),
    "matlab": BuildRecipe(("OCTAVE", "octave"), "$(OCTAVE) --no-gui --quiet {0}_example.m", comment="%"),
    "julia": BuildRecipe(("JULIA", "julia"), "$(JULIA) {0}_example.jl", comment="#"),
    "javascript": BuildRecipe(("NODE", "node"), "$(NODE) {0}_example.js", comment="//"),
}


MAKE = ("make run",)
LABELS = {"options": "options of the model"}  # label in the header of a source file -> label in the README
OTHERS = " (others are negations, signs, comparisons and choices)"
# Base names that are valid functions of C, C++ and MATLAB, whose names have at most 63 characters with the suffix, so
# that build files, README and sources agree.
_FILE_NAMES = Dialect(
    reserved=keywords.C | keywords.CPP | keywords.MATLAB,
    externals=keywords.LIBM,
    leading_underscore=False,
    trailing_underscore=False,
    longest=55,
)


def find_target(name: str) -> Target:
    """Return the export target with an id or alias: one of `targets`, or a language with its build file.

    Raises:
        UnknownNameError: there is no such target or language.
    """
    wanted = name.strip().lower()
    for target in TARGETS.values():
        if wanted in (target.id, *target.aliases):
            return target
    try:
        return _language_target(find_language(name))
    except UnknownNameError:
        raise UnknownNameError(
            "language or export target", name, list(dict.fromkeys((*LANGUAGES, *TARGETS)))
        ) from None


def project(
    program: Program,
    targets: Sequence[str | Target],
    extra_files: Mapping[str, str] | None = None,
    *,
    values: Mapping[str, float] | None = None,
    sample: Mapping[str, Sequence[float]] | None = None,
    name: str | None = None,
    options: Mapping[str, Any] | None = None,
    companions: Mapping[str, Callable[[], Program]] | None = None,
) -> ExportFiles:
    """Return the files of a folder with code, demo, build file and README, {path: contents}.

    Args:
        targets: export targets, or ids or aliases of targets and languages.
        extra_files: further files for the top folder, for example the robot's description.
        values: parameter -> number in the demo; small numbers by default.
        sample: input -> entries by rows in the demo; small numbers by default.
        name: base name of files and functions; that of the program by default.
        options: options of the targets; each target receives those that it has.
        companions: functions that return further programs of the same robot, by name.

    Raises:
        UnknownNameError: there is no such target or language.
        OptionError: there is no target, or none of the targets has an option.
        NotApplicableError: a target does not have a kernel that the program calls.
        ArgumentError: a target needs numbers for all parameters, and some are missing.
    """
    all_targets = [each if isinstance(each, Target) else find_target(each) for each in targets]
    chosen = list({target.id: target for target in all_targets}.values())
    if not chosen:
        raise OptionError("a project requires at least one language or export target")
    for option in options or {}:
        if not any(option in target.options for target in chosen):
            titles = ", ".join(target.title for target in chosen)
            known = dict.fromkeys(["name", *(own for target in chosen for own in target.options)])
            raise OptionError(f"{titles} has no option '{option}'", hint=f"its options: {', '.join(known)}")
    numbers = sample_of(program, values, sample)
    for target in chosen:
        _check_applicable(program, target, values or {})
    base = base_name(program, _FILE_NAMES, Names(_FILE_NAMES), name)
    expected = _expected(program, numbers)
    contents = Export(
        program,
        base,
        numbers,
        None if isinstance(expected, str) else expected,
        dict(values or {}),
        dict(sample or {}),
        dict(options or {}),
        dict(companions or {}),
    )
    files: ExportFiles = {}
    for target in chosen:
        folder = "" if len(chosen) == 1 else f"{target.id}/"
        own = {key: value for key, value in (options or {}).items() if key in target.options}
        written = target.write(replace(contents, options=own))
        files |= {folder + path: text for path, text in written.items()}
    if len(chosen) > 1:
        files["Makefile"] = _top_makefile([each.id for each in chosen if f"{each.id}/Makefile" in files])
    added = {**(extra_files or {})}
    for path in added:
        if path in (*files, "README.md"):
            raise OptionError(f"the project already contains a file {path}")
    return files | {"README.md": _readme(contents, chosen, files, added, expected), **added}


def _check_applicable(program: Program, target: Target, values: Mapping[str, float]) -> None:
    """Check that a target has the kernels of a program, and numbers for its parameters if it needs them."""
    calls = {
        program.graph.calls[program.graph.args[i][0]].kernel for i in program.nodes if _is_call(program, i)
    }
    missing = sorted(calls - target.kernels) if target.kernels is not None else []
    if missing:
        raise NotApplicableError(
            f"{target.title} does not have the kernel '{missing[0]}', which {program.name} calls",
            hint="export the model as C, which has every kernel",
        )
    free = [name for name in program.used_parameters if name not in values]
    if target.with_values and free:
        raise missing_numbers(target.title, program, free)


def _is_call(program: Program, node: int) -> bool:
    return program.graph.op[node] == ops.KERNEL


def _language_target(language: Language) -> Target:
    """Return the target that contains the sources of one language, a demo and a Makefile."""
    return Target(
        language.id,
        language.title,
        lambda export: {**_language_files(export, language)},
        options=language.options,
        commands=MAKE if language.id in BUILDS else (),
        first_index=language.first_index,
    )


def _language_files(export: Export, language: Language) -> Files:
    program, base = export.program, export.base
    numbers = {"values": export.values, "sample": export.inputs}
    given = {key: value for key, value in numbers.items() if key in language.options}
    files = emit(program, language.id, name=base, **{**given, **export.options})
    if language.demo is not None:
        mark = commented([MADE_BY, *joint_lines(program)], BUILDS[language.id].comment)
        demo = language.demo(program, export.sample, base)
        files |= {path: text if MADE_BY in text else mark + text for path, text in demo.items()}
    if language.id in BUILDS:
        main = next(file for file in files if "_example." in file)
        further = [
            file
            for file in sorted(files)
            if any(
                part in file for part in ("_rk4.", "_loops.", "_kernels.", "_branches.", "_seeds", "_error")
            )
        ]
        files["Makefile"] = _makefile(BUILDS[language.id], main.rsplit("_example.", 1)[0], further)
    return files


def _makefile(build: BuildRecipe, base: str, further: Sequence[str]) -> str:
    """Return the Makefile of the demo; `further` are additional sources and headers."""
    variable, value = build.tool
    lines = [f"# {MADE_BY}", *([f"{variable} = {value}"] if value else []), ""]
    demo = f"{base}_example" if build.compile else ""
    lines += [".PHONY: all run clean", "", f"all: {demo}".rstrip(), ""]
    if build.compile:
        sources = "".join(f" {file}" for file in further if not file.endswith(".h"))
        needed = " ".join([build.sources.format(base), *further])
        lines += [f"{demo}: {needed}", "\t" + build.compile.format(base, sources), ""]
    leftovers = " ".join(filter(None, [demo, build.leftovers.format(base)]))
    lines += ["run: all", "\t@" + build.run.format(base), "", "clean:"]
    return "\n".join(lines + ([f"\trm -f {leftovers}"] if leftovers else [])) + "\n"


def _top_makefile(folders: Sequence[str]) -> str:
    lines = [f"# {MADE_BY}", "", ".PHONY: all run clean", ""]
    for target in ("all", "run", "clean"):
        calls = [f"\t$(MAKE) -C {folder} {target}" for folder in folders]
        lines += [f"{target}:", *calls, ""]
    return "\n".join(lines)


# -- the README


def _readme(
    export: Export,
    targets: Sequence[Target],
    files: ExportFiles,
    added: Mapping[str, str],
    expected: Mapping[str, tuple[float, ...]] | str,
) -> str:
    """Return the README of a project.

    Args:
        export: contents of the export, with the options of all targets.
        files: files of the targets.
        added: further files: descriptions of the robot.
        expected: outputs of the example, or why there are none.
    """
    program = export.program
    title = clean(program.title or program.name)
    lines = [f"# {export.base}", "", f"{title[:1].upper()}{title[1:]}.", ""]
    lines += [f"- {LABELS.get(label, clean(label))}: {clean(text)}" for label, text in program.header]
    lines += [f"- exported as: {', '.join(target.title for target in targets)}"]
    chosen = [f"{name} = {value}" for name, value in export.options.items() if isinstance(value, str | float)]
    lines += [f"- options of the export: {clean(', '.join(chosen))}"] if chosen else []
    counted = count(program)
    lines += [f"- operations per call: {counted}{OTHERS if counted.others else ''}", f"- {MADE_BY}", ""]
    if any(target.commands == MAKE for target in targets):
        after = ", and the state some steps later" if any("_rk4." in file for file in files) else ""
        shown = f"builds the demo and prints the outputs for the sample below{after}."
        lines += [*(f"    {command}" for command in MAKE), "", shown, ""]
    for target in targets:
        folder = "" if len(targets) == 1 else target.id
        lines += _build_instructions(target, export.base, folder)
    lines += ["## Files", "", *(f"- `{file}`" for file in sorted(files))]
    lines += [*(f"- `{file}`: the robot as symoro read it" for file in added), ""]
    if any(isinstance(content, str) for content in files.values()):  # an FMU contains its sources
        lines += ["The header of each source file lists the order of its arguments.", ""]
    lines += ["## Arguments", "", *_arguments(program), "", *_joints(program, targets)]
    lines += ["## Sample", "", *_origin(export), "```", *_numbers(export, expected)]
    return "\n".join([*lines, "```"]) + "\n"


def _build_instructions(target: Target, base: str, folder: str) -> list[str]:
    """Return the README lines with the commands that build and run the example of a target, and its remarks."""
    commands = [] if target.commands == MAKE else [command.format(base) for command in target.commands]
    into = [f"cd {folder}"] if commands and folder else []
    lines = [f"    {command}" for command in (*into, *commands)]
    lines += ["", "builds the example and runs it with the sample below.", ""] if commands else []
    return [*lines, *(line for text in target.remarks for line in (text.format(base), ""))]


def _arguments(program: Program) -> list[str]:
    """Return the README tables of inputs, outputs and parameters; units that are unknown or differ are omitted."""
    rows = ["| array | shape | unit | meaning | entries, by rows |", "|---|---|---|---|---|"]
    for port in program.inputs:
        rows.append(_row(f"input `{port.name}`", port, " ".join(port.symbols)))
    rows += [_row(f"output `{out.name}`", out, "") for out in program.outputs]
    names = program.used_parameters
    if names:
        rows += ["", "| parameter, in this order | unit |", "|---|---|"]
        rows += [f"| {clean(name)} | {program.units.get(name, '')} |" for name in names]
    return rows


def _row(label: str, port: Input | Output, entries: str) -> str:
    return f"| {label} | {shape_text(port.shape)} | {port.unit} | {clean(port.title)} | {clean(entries)} |"


def _joints(program: Program, targets: Sequence[Target]) -> list[str]:
    """Return the README table with the position of each joint in the arrays, counted as the targets count."""
    joints = joint_indices(program)
    if not joints:
        return []
    columns: dict[int, list[str]] = {}
    for target in targets:
        columns.setdefault(target.first_index, []).append(target.id)
    heads = [f"position, from {first}" for first in columns]
    if len(columns) > 1:
        heads = [f"{head} ({', '.join(ids)})" for head, ids in zip(heads, columns.values(), strict=True)]
    rows = [f"| joint | in arrays with | {' | '.join(heads)} |", "|---" * (2 + len(heads)) + "|"]
    kinds = {"JOINT": "all joints", "ACTIVE": "the active joints"}
    for joint in joints:
        positions = " | ".join(str(first + joint.index) for first in columns)
        rows.append(f"| {clean(joint.name)} | {kinds[joint.kind]} | {positions} |")
    return ["## Joints", "", *rows, ""]


def _origin(export: Export) -> list[str]:
    """Return the README lines that state which numbers of the sample do not belong to the robot."""
    names = export.program.used_parameters
    invented = [clean(name) for name in names if name not in export.values]
    if not invented:
        return ["Numbers for a test.", ""]
    shown = "all parameters" if len(invented) == len(names) else ", ".join(invented)
    return [f"Numbers for a test. Invented, because the robot has no numbers for them: {shown}.", ""]


def _numbers(export: Export, expected: Mapping[str, tuple[float, ...]] | str) -> list[str]:
    """Return the README lines with the sample numbers and the outputs that the demo prints for them."""
    program, sample = export.program, export.sample
    lines = [
        f"{name} = {value!r}" for name, value in zip(program.used_parameters, sample.parameters, strict=True)
    ]
    for port, entries in zip(program.inputs, sample.inputs, strict=True):
        lines.append(f"{port.name} = {list(entries)}")
    if isinstance(expected, str):
        return [*lines, "", expected]
    for out in program.outputs:
        lines += ["", f"{out.name} =", *_rows(expected[out.name], out.shape)]
    return lines


def _rows(entries: Sequence[float], shape: Sequence[int]) -> list[str]:
    """Return an array as text with nine significant digits, one row per line; an empty line separates matrices."""
    numbers = [f"{x + 0.0:.9g}" for x in entries]  # without the sign of zero
    width, columns = max(map(len, numbers), default=0), shape[-1] if shape else 1
    rows = [
        " ".join(number.rjust(width) for number in numbers[k : k + columns])
        for k in range(0, len(numbers), columns or 1)
    ]
    height = shape[-2] if len(shape) > 2 else len(rows)
    blocks = [rows[k : k + height] for k in range(0, len(rows), height or 1)]
    return [line for k, block in enumerate(blocks) for line in ([""] if k else []) + block]


def _expected(program: Program, sample: Sample) -> dict[str, tuple[float, ...]] | str:
    """Return the outputs for the sample, {output: entries by rows}, or a sentence that explains why there are none."""
    try:
        import numpy as np
    except ModuleNotFoundError:  # for example in a browser: the rest does not need NumPy
        return "The demo prints the outputs."
    from symoro.program.interpret import interpret

    inputs = {
        port.name: np.reshape(entries, port.shape)
        for port, entries in zip(program.inputs, sample.inputs, strict=True)
    }
    parameters = dict(zip(program.used_parameters, sample.parameters, strict=True))
    try:
        outputs = interpret(program, inputs, parameters)
    except ProgramError as error:
        return f"The outputs are not defined for these numbers: {error.message}"
    except ModuleNotFoundError:
        return "The demo prints the outputs."
    return {name: tuple(np.ravel(value).tolist()) for name, value in outputs.items()}
