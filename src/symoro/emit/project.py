"""Folder with the code of a program: sources in one or several languages, a build file, a demo and a README.

    project(program, ["c"])             NAME.h NAME.c NAME_batch.c NAME_example.c Makefile README.md
    project(program, ["c", "julia"])    the same in c/ and julia/, with a Makefile and README in the top folder

`make run` builds the demo and prints the outputs for the sample numbers of the README; with an integrator
(NAME_rk4.c) it also integrates some steps from there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from symoro.emit import emit, find_language
from symoro.emit.code import base_name
from symoro.emit.dialect import Dialect, Files, Language
from symoro.emit.header import clean, commented, joint_lines, shape_text
from symoro.emit.names import Names
from symoro.emit.sample import Sample, sample_of
from symoro.errors import OptionError, ProgramError
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


def project(
    program: Program,
    languages: Sequence[str],
    extra_files: Mapping[str, str] | None = None,
    *,
    values: Mapping[str, float] | None = None,
    sample: Mapping[str, Sequence[float]] | None = None,
    name: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> Files:
    """Return the files of a folder with code, demo, Makefile and README, {path: text}.

    Args:
        languages: ids or aliases of the languages.
        extra_files: further files for the top folder, for example the robot's description.
        values: parameter -> number in the demo; small numbers by default.
        sample: input -> entries by rows in the demo; small numbers by default.
        name: base name of files and functions; that of the program by default.
        options: options of the languages; each language receives those that it has.
    """
    chosen = list(dict.fromkeys(find_language(each).id for each in languages))
    if not chosen:
        raise OptionError("a project requires at least one language")
    for option in options or {}:
        if not any(option in find_language(each).options for each in chosen):
            titles = ", ".join(find_language(each).title for each in chosen)
            raise OptionError(f"{titles} has no option '{option}'")
    numbers = sample_of(program, values, sample)
    base = base_name(program, Dialect(), Names(Dialect()), name)
    files: Files = {}
    for each in chosen:
        folder = "" if len(chosen) == 1 else f"{each}/"
        language = find_language(each)
        own = {key: value for key, value in (options or {}).items() if key in language.options}
        texts = _language_files(program, language, base, values, sample, own)
        files |= {folder + path: text for path, text in texts.items()}
    if len(chosen) > 1:
        files["Makefile"] = _top_makefile([each for each in chosen if each in BUILDS])
    files["README.md"] = _readme(program, chosen, base, numbers, sorted(files))
    for path, text in (extra_files or {}).items():
        if path in files:
            raise OptionError(f"the project already contains a file {path}")
        files[path] = text
    return files


def _language_files(
    program: Program,
    language: Language,
    base: str,
    values: Mapping[str, float] | None,
    sample: Mapping[str, Sequence[float]] | None,
    options: Mapping[str, Any],
) -> Files:
    numbers = {"values": values, "sample": sample} if "sample" in language.options else {}
    files = emit(program, language.id, name=base, **numbers, **options)
    if language.demo is not None:
        mark = commented([MADE_BY, *joint_lines(program)], BUILDS[language.id].comment)
        demo = language.demo(program, values, sample, base)
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
    program: Program, languages: Sequence[str], base: str, sample: Sample, files: Sequence[str]
) -> str:
    titles = ", ".join(find_language(each).title for each in languages)
    lines = [f"# {base}", "", f"{clean(program.title or program.name)}, in {titles}.", ""]
    lines += [f"- {clean(label)}: {clean(text)}" for label, text in program.header]
    lines += [f"- operations per call: {count(program)}", f"- {MADE_BY}", ""]
    if set(languages) & set(BUILDS):
        after = ", and the state some steps later" if any("_rk4." in file for file in files) else ""
        lines += [
            "    make run",
            "",
            f"builds the demo and prints the outputs for the sample below{after}.",
            "",
        ]
    lines += ["## Files", "", *(f"- `{file}`" for file in files), ""]
    lines += ["The header of each source file lists the order of its arguments.", ""]
    lines += [
        "## Arguments",
        "",
        *_arguments(program),
        "",
        "## Sample",
        "",
        "```",
        *_numbers(program, sample),
    ]
    return "\n".join([*lines, "```"]) + "\n"


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


def _numbers(program: Program, sample: Sample) -> list[str]:
    """Return the README lines with the sample numbers and the outputs that the demo prints for them."""
    lines = [
        f"{name} = {value!r}" for name, value in zip(program.used_parameters, sample.parameters, strict=True)
    ]
    for port, entries in zip(program.inputs, sample.inputs, strict=True):
        lines.append(f"{port.name} = {list(entries)}")
    try:
        return lines + _outputs(program, sample)
    except ModuleNotFoundError:  # for example in a browser: the rest does not need NumPy
        return [*lines, "", "The demo prints the outputs."]


def _outputs(program: Program, sample: Sample) -> list[str]:
    import numpy as np

    from symoro.program.interpret import interpret

    inputs = {
        port.name: np.reshape(entries, port.shape)
        for port, entries in zip(program.inputs, sample.inputs, strict=True)
    }
    parameters = dict(zip(program.used_parameters, sample.parameters, strict=True))
    try:
        outputs = interpret(program, inputs, parameters)
    except ProgramError as error:
        return ["", f"The outputs are not defined for these numbers: {error.message}"]
    lines = []
    for name, value in outputs.items():
        with np.printoptions(precision=9, suppress=True, threshold=10_000, linewidth=110):
            lines += ["", f"{name} =", str(value)]
    return lines
