"""Arguments of the commands that derive a model: generate, count, explain, eval, export and solve."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from symoro.ui.common_arguments import (
    FOLDER,
    URDF_HELP,
    Command,
    bind_argument,
    command_of,
    force_argument,
    json_argument,
    output_argument,
    payload_argument,
    robot_argument,
)

if TYPE_CHECKING:
    from symoro.models.catalogue import Entry, Option

WITH_MODEL = ("generate", "count", "explain", "eval", "export")
WITH_VALUE = (
    *("--bind", "--lang", "-o", "--output", "--values", "--name", "--trig", "--layout", "--integrator"),
    *("--base", "--fixed", "--frames", "--tool", "--arg", "--package", "--format", "--payload", "--actuated"),
    *("--derivative", "--wrt", "--outputs", "--save", "--link", "--fmi", "--step", "--initial"),
    *(
        "--over",
        "--sample",
        "--count",
        "--sampling",
        "--seed",
        "--at",
        "--mode",
        "--measure",
        "--length",
        "--task",
    ),
    *(
        "--stiffness",
        "--trajectory",
        "--picture",
        "--workers",
        "--cluster",
        "--chunk",
        "--max-rows",
    ),
)


def add_generating(command: Command, arguments: Sequence[str]) -> None:
    cite = command("cite", "print the references of a model", "symoro cite fast-geometry")
    cite.add_argument("model", nargs="?", help="id or alias of the model (default: all models)")
    json_argument(cite)
    generate = command(
        "generate",
        "derive a model and print its equations or write code",
        "symoro generate fast-geometry rx90 --lang c -o out",
    )
    count = command("count", "count the operations of a model", "symoro count fast-geometry rx90 --to 6")
    evaluate = command(
        "eval",
        "evaluate a model at given inputs",
        "symoro eval fast-geometry rx90 q=0,pi/4,0,0,0,0 D3=0.45 --json",
    )
    export = command(
        "export",
        "write a folder with source code, build file and demo",
        "symoro export fast-geometry rx90 -o out",
    )
    _add_optimising(command)
    explain = command(
        "explain",
        "show the solution steps and choices of a model",
        "symoro explain inverse-geometry rx90 --latex",
    )
    parsers = dict(zip(WITH_MODEL, (generate, count, explain, evaluate, export), strict=True))
    for parser in parsers.values():
        parser.add_argument("model", help="id or alias of the model ('symoro models' lists them)")
        robot_argument(parser)
        bind_argument(parser)
        payload_argument(parser)
        parser.add_argument(
            "--derivative",
            metavar="KIND",
            help="a derivative of the model: vjp, jvp (products with vectors), jacobian or hessian",
        )
        parser.add_argument(
            "--wrt",
            metavar="NAMES",
            help="variables of the derivative: inputs such as q,qd, or parameters (default: all inputs)",
        )
        parser.add_argument(
            "--outputs", metavar="NAMES", help="names of the outputs, for example A,C,Q (default: all)"
        )
        parser.add_argument(
            "--no-variables",
            action="store_true",
            help="write each entry of the outputs as one expression, without intermediate variables",
        )
    for parser in (generate, export):
        parser.add_argument(
            "--lang",
            help="language of the code, for example c or python; export also takes targets such as cmake "
            "('symoro languages' lists them)",
        )
        output_argument(parser, FOLDER, "folder to write into")
        parser.add_argument("--name", help="base name of files and functions (default: robot and model)")
        parser.add_argument(
            "--float32",
            "--float",
            dest="float32",
            action="store_true",
            help="generate code in single precision (C, CUDA, Rust, CMake packages, Cortex-M)",
        )
        parser.add_argument(
            "--trig",
            choices=("polynomial", "libm", "accurate", "fast"),
            help="computation of sines and cosines. C, MEX and Simulink: polynomial (vectorised) or libm (C library); "
            "CUDA: accurate or fast",
        )
        parser.add_argument(
            "--layout",
            choices=("samples", "entries"),
            help="memory layout of the arrays: sample by sample, or entry by entry (CUDA)",
        )
        parser.add_argument(
            "--integrator",
            choices=("rk4",),
            help="also write a fixed-step integrator for a direct dynamic model (C)",
        )
        parser.add_argument(
            "--branches",
            action="store_true",
            help="also write the enumeration of all branches of inverse-geometry and a solver for control loops (C)",
        )
        force_argument(parser)
    generate.add_argument(
        "--save",
        metavar="FILE",
        help="also save the model (.json); the commands of models accept this file instead of the robot",
    )
    fmu_arguments(export)
    count.add_argument(
        "--explain",
        action="store_true",
        help="list the chosen formulation and the operations saved by each pass",
    )
    explain.add_argument("--latex", action="store_true", help="print the solution steps in LaTeX")
    explain.add_argument(
        "--link",
        metavar="LINK",
        help="number or name of a link: derive its Newton-Euler recursion as the papers print it (inverse-dynamics)",
    )
    explain.add_argument("--markdown", action="store_true", help="print the recursion of --link in Markdown")
    output_argument(explain, (".txt", ".tex", ".md"), "file for the recursion of --link: .txt, .tex or .md")
    force_argument(explain)
    evaluate.add_argument(
        "values",
        nargs="*",
        default=[],
        metavar="NAME=VALUES",
        help="inputs and parameters: q=0,pi/2,0 or D3=0.45; q=home uses the posture 'home' of the robot",
    )
    evaluate.add_argument(
        "--dtype", default="float64", metavar="TYPE", help="type of the numbers: float64 (default) or float32"
    )
    evaluate.add_argument(
        "--threads",
        type=int,
        default=1,
        metavar="N",
        help="largest number of threads for many samples (default 1)",
    )
    evaluate.add_argument(
        "--degrees",
        action="store_true",
        help="read and print angles of revolute joints and their derivatives (q, qd, qdd) in degrees",
    )
    evaluate.add_argument(
        "--values", dest="file", metavar="FILE", help="JSON file with values; '-' reads standard input"
    )
    for parser in parsers.values():
        json_argument(parser)
    chosen = command_of(arguments)
    if chosen == "export" and {"-h", "--help"} & {*arguments}:
        _describe_targets(export)
    if chosen in WITH_MODEL:
        after = arguments[arguments.index(chosen) + 1 :]
        add_model_options(chosen, parsers[chosen], after)


def _describe_targets(parser: argparse.ArgumentParser) -> None:
    """Add the list of export targets, with their flags, to the help of a command."""
    from symoro.emit.targets import TARGETS
    from symoro.ui.failure import emitting_flags

    width = max(map(len, TARGETS)) + 2
    rows = [
        f"{target.id:{width}}{target.title}; {emitting_flags(('name', *target.options))}"
        for target in TARGETS.values()
    ]
    parser.add_argument_group("export targets of --lang, with their options", "\n".join(rows))


def fmu_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("options of --lang fmu")
    group.add_argument("--fmi", metavar="VERSION", help="version of FMI: 2.0 (default) or 3.0")
    group.add_argument(
        "--step", metavar="SECONDS", help="step of the integrator inside a co-simulation (default 0.001)"
    )
    group.add_argument(
        "--initial",
        metavar="NAME=VALUES",
        action="append",
        help="start values of the state or of an input: q=0,pi/2,0; may be repeated; q=home uses the posture 'home' "
        "of the robot",
    )


def _add_optimising(command: Command) -> None:
    optimise = command(
        "optimise",
        "rewrite a listing of assignments with fewer operations",
        "symoro optimise RX90_idm.txt --lang c -o out",
    )
    optimise.add_argument(
        "file",
        help="listing of SYMORO+ or OpenSYMORO, text of 'symoro generate', C or MATLAB assignments, or one assignment "
        "per line",
    )
    optimise.add_argument(
        "--lang", help="language of the result (default text; 'symoro languages' lists them)"
    )
    optimise.add_argument(
        "--inputs",
        metavar="NAMES",
        help="names that vary from call to call; q means q1, q2, ... (default: the joint variables)",
    )
    optimise.add_argument(
        "--outputs",
        metavar="NAMES",
        help="names of the results (default: entries of arrays, and names that no later assignment uses)",
    )
    output_argument(optimise, FOLDER, "folder to write into")
    optimise.add_argument("--name", help="base name of files and functions (default: that of the listing)")
    force_argument(optimise)
    json_argument(optimise)


def add_solving(command: Command, arguments: Sequence[str]) -> None:
    solve = command(
        "solve",
        "compute all joint configurations that reach a pose",
        "symoro solve rx90 --at 0,60,-45,0,45,0 --degrees --limits",
    )
    robot_argument(solve)
    solve.add_argument(
        "values",
        nargs="*",
        default=[],
        metavar="qa=VALUES",
        help="positions of the active joints of a robot with closed loops; all assembly modes are computed",
    )
    pose = solve.add_argument_group("the pose (give one of these)")
    pose.add_argument(
        "--at",
        metavar="Q1,Q2,...",
        help="pose of the end effector at these joint positions, or at the posture with this name",
    )
    pose.add_argument(
        "--pose",
        metavar="X,Y,Z,R,P,Y",
        help="pose as position and roll, pitch, yaw angles, with the rotation Rz(Y) Ry(P) Rx(R)",
    )
    pose.add_argument(
        "--matrix", metavar="NUMBERS", help="12 or 16 entries of the transformation matrix, by rows"
    )
    pose.add_argument(
        "--values",
        dest="file",
        metavar="FILE",
        help="JSON file with one or several matrices T; '-' reads standard input",
    )
    solve.add_argument(
        "--near", metavar="Q1,Q2,...", help="mark the solution that is nearest to these joint positions"
    )
    solve.add_argument(
        "--limits",
        action="store_true",
        help="print only solutions within the joint limits; joint angles are shifted by full turns "
        "where this is necessary",
    )
    solve.add_argument(
        "--samples",
        type=int,
        metavar="N",
        help="number of values of the free parameter of a redundant arm (default 64)",
    )
    solve.add_argument("--degrees", action="store_true", help="read and print angles in degrees")
    solve.add_argument("--csv", action="store_true", help="print comma-separated values")
    numeric = solve.add_argument_group("numeric method (any open chain, one solution per pose)")
    numeric.add_argument("--start", metavar="Q1,Q2,...", help="initial joint positions of the iteration")
    numeric.add_argument(
        "--prefer",
        metavar="Q1,Q2,...",
        help="for redundant robots: joint positions to which the solution shall be close",
    )
    solve.set_defaults(model="inverse-geometry")
    bind_argument(solve)
    json_argument(solve)
    if command_of(arguments) != "solve":
        return
    from symoro.models.catalogue import entry

    chosen = entry("inverse-geometry")
    group = solve.add_argument_group(f"options of {chosen.id}", chosen.title)
    for option in chosen.all_options:
        if option.name == "method":
            option = replace(
                option, title=f"{option.title}, or numeric", choices=(*option.choices, "numeric")
            )
        add_model_option(group, option, ["--given"] if option.name == "pose" else None)


# -- options of a model, from the catalogue


def add_model_options(command: str, parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    """Add the options of the model that is named in the arguments to a parser, and examples to its help.

    An option of the model with the name of an option of the command is called --model-NAME.

    Args:
        command: the command, one of `WITH_MODEL`, which have examples for each model, or sweep.
        parser: parser of the command.
        arguments: the arguments after the command.
    """
    from symoro.models.catalogue import catalogue

    options = [
        option for known in catalogue().values() for option in known.all_options if option.kind != "flag"
    ]
    skipped = {*WITH_VALUE, *(flag for option in options for flag in flags(option))}
    named = list(_words(arguments, skipped))
    if not named:
        return
    chosen = _entry(command, named)
    group = parser.add_argument_group(f"options of {chosen.id}", chosen.title)
    taken = {*parser._option_string_actions}
    for option in chosen.all_options:
        words = [f"--model-{flag[2:]}" if flag in taken else flag for flag in flags(option)]
        add_model_option(group, option, words)
    if {"-h", "--help"} & {*arguments} and command in WITH_MODEL:
        from symoro.ui.model_examples import examples

        parser.epilog = f"{examples(command, chosen)}\n{URDF_HELP}"


def _entry(command: str, words: Sequence[str]) -> Entry:
    """Return the catalogue entry of the model that the first word names.

    Args:
        command: the command, for the hint of the error.
        words: the arguments of the command that are not options.

    Raises:
        UnknownNameError: the first word is not a model; if the second word is a model, the hint states the order of
            the arguments.
    """
    from symoro.errors import UnknownNameError
    from symoro.models.catalogue import entry

    try:
        return entry(words[0])
    except UnknownNameError as error:
        with contextlib.suppress(UnknownNameError):
            model = entry(words[1] if len(words) > 1 else "").id
            error = UnknownNameError(
                "model",
                words[0],
                error.known,
                hint=f"the model comes first: symoro {command} {model} {words[0]}",
            )
        raise error from None


def _words(arguments: Sequence[str], with_value: set[str]) -> Iterator[str]:
    """Yield the arguments that are neither options nor values of options.

    Args:
        with_value: options that are followed by a value.
    """
    skip = False
    for word in arguments:
        if not skip and not word.startswith("-"):
            yield word
        skip = not skip and word in with_value


OTHER_FLAGS = {"frm": ["from"], "pose": ["given"]}
"""Further words for an option of a model; `solve` calls the given entries of the pose --given."""


def flags(option: Option) -> list[str]:
    """Return the command-line flags of an option of a model, the usual flag first."""
    name = option.flag or option.name
    former = [option.former] if option.former else []
    others = OTHER_FLAGS.get(option.name, former)
    return [f"--{word.replace('_', '-')}" for word in (name, *others)]


def add_model_option(group: argparse._ArgumentGroup, option: Option, words: list[str] | None = None) -> None:
    text = option.title + (f" (default {option.default})" if option.default is not None else "")
    destination = f"option_{option.name}"
    words = words or flags(option)
    if option.kind == "flag":
        # If the default is not false, --no-NAME gives the value false.
        action = "store_true" if option.default is False else argparse.BooleanOptionalAction
        group.add_argument(*words, dest=destination, action=action, default=None, help=text)
        return
    from symoro.ui.values import posture_word

    kinds: dict[str, Callable[[str], object]] = {
        "frame": frame_named,
        "frames": frames_named,
        "points": points_named,
        "number": number,
        "posture": posture_word,
    }
    group.add_argument(
        *words,
        dest=destination,
        metavar=None if option.choices else option.kind.upper(),
        type=kinds.get(option.kind, str),
        choices=option.choices or None,
        default=None,
        help=text,
    )


def number(text: str) -> int | float:
    """Return a number; without point and exponent it is an integer, as in Python."""
    try:
        return int(text)
    except ValueError:
        return float(text)


def frame_named(text: str) -> int | str:
    """Return a frame as a number if the text is a number, otherwise as a name."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else text


def frames_named(text: str) -> list[int | str]:
    """Split a comma-separated list of frames, each given by number or name."""
    return [frame_named(word.strip()) for word in text.split(",") if word.strip()]


def points_named(text: str) -> list[int | str | tuple[int | str, list[str]]]:
    """Parse a list of frames 'a,b', or a list of points in frames '4:0,0,-0.2;5:0,0,0'.

    Returns:
        Frames by number or name, or pairs (frame, coordinates as texts).
    """
    if ":" not in text and ";" not in text:
        return [*frames_named(text)]
    points: list[int | str | tuple[int | str, list[str]]] = []
    for item in text.split(";"):
        frame, colon, place = item.partition(":")
        if item.strip():
            points.append(
                (frame_named(frame.strip()), place.split(",")) if colon else frame_named(frame.strip())
            )
    return points
