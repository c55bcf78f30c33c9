"""Arguments of the commands that make a model: generate, count, explain, eval, export, and solve."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from symoro.ui.common_arguments import (
    FOLDER,
    Command,
    bind_argument,
    command_of,
    force_argument,
    json_argument,
    output_argument,
    robot_argument,
)

if TYPE_CHECKING:
    from symoro.models.catalogue import Option

WITH_MODEL = ("generate", "count", "explain", "eval", "export")
WITH_VALUE = (
    *("--bind", "--lang", "-o", "--output", "--values", "--name", "--trig", "--integrator"),
    *("--base", "--fixed", "--frames", "--tool", "--arg", "--package", "--format"),
)


def add_generating(command: Command, arguments: Sequence[str]) -> None:
    cite = command("cite", "print the references behind a model", "symoro cite fast-geometry")
    cite.add_argument("model", nargs="?", help="model id; all of them without it")
    json_argument(cite)
    generate = command("generate", "generate a model", "symoro generate fast-geometry rx90 --lang c -o out")
    count = command("count", "count the operations of a model", "symoro count fast-geometry rx90 --to 6")
    evaluate = command(
        "eval", "evaluate a model", "symoro eval fast-geometry rx90 q=0,pi/4,0,0,0,0 D3=0.45 --json"
    )
    export = command(
        "export",
        "write a folder with sources, build file and demo",
        "symoro export fast-geometry rx90 -o out",
    )
    explain = command(
        "explain", "tell how a model was solved", "symoro explain inverse-geometry rx90 --latex"
    )
    parsers = (generate, count, explain, evaluate, export)
    for parser in parsers:
        parser.add_argument("model", help="model id; 'symoro models' lists them")
        robot_argument(parser)
        bind_argument(parser)
    for parser in (generate, export):
        parser.add_argument("--lang", help="language, c or python say; 'symoro languages' lists them")
        output_argument(parser, FOLDER, "folder to write into")
        parser.add_argument("--name", help="base name of files and functions; made legal in the language")
        parser.add_argument(
            "--float32", "--float", dest="float32", action="store_true", help="single precision (C)"
        )
        parser.add_argument(
            "--trig",
            choices=("polynomial", "libm"),
            help="sines and cosines: all at once, or the library's (C)",
        )
        parser.add_argument(
            "--integrator",
            choices=("rk4",),
            help="a fixed-step integrator beside a direct dynamic model, for real time (C)",
        )
        force_argument(parser)
    count.add_argument("--explain", action="store_true", help="tell what was chosen and what each pass saved")
    explain.add_argument("--latex", action="store_true", help="the steps of the solution in LaTeX")
    evaluate.add_argument(
        "values",
        nargs="*",
        metavar="NAME=VALUES",
        help="inputs and parameters: q=0,pi/2,0 or D3=0.45; q=home is the robot's posture of that name",
    )
    evaluate.add_argument(
        "--degrees",
        action="store_true",
        help="positions and rates of revolute joints (q, qd, qdd ...) are in degrees, given and shown",
    )
    evaluate.add_argument(
        "--values", dest="file", metavar="FILE", help="JSON file with values, '-' reads standard input"
    )
    for parser in parsers:
        json_argument(parser)
    chosen = command_of(arguments)
    if chosen in WITH_MODEL:
        after = arguments[arguments.index(chosen) + 1 :]
        add_model_options(parsers, after, WITH_VALUE)


def add_solving(command: Command, arguments: Sequence[str]) -> None:
    solve = command(
        "solve",
        "find all postures that reach a pose",
        "symoro solve rx90 --at 0,60,-45,0,45,0 --degrees --limits",
    )
    robot_argument(solve)
    solve.add_argument(
        "values",
        nargs="*",
        metavar="qa=VALUES",
        help="active joints of a robot with loops: all assembly modes with these, in place of a pose",
    )
    pose = solve.add_argument_group("the pose, told in one of these ways")
    pose.add_argument("--at", metavar="Q1,Q2,...", help="that of a posture, in numbers or by its name")
    pose.add_argument(
        "--pose", metavar="X,Y,Z,R,P,Y", help="position and roll, pitch, yaw: Rz(Y) Ry(P) Rx(R)"
    )
    pose.add_argument("--matrix", metavar="NUMBERS", help="12 or 16 entries, by rows")
    pose.add_argument(
        "--values", dest="file", metavar="FILE", help="JSON file with T, '-' reads standard input"
    )
    solve.add_argument("--near", metavar="Q1,Q2,...", help="mark the solution nearest to this posture")
    solve.add_argument(
        "--limits", action="store_true", help="only within the joints' limits, with every turn"
    )
    solve.add_argument("--degrees", action="store_true", help="angles are in degrees, given and shown")
    solve.add_argument("--csv", action="store_true", help="rows of values between commas")
    numeric = solve.add_argument_group("the numeric method: any chain without loops, one posture a pose")
    numeric.add_argument("--start", metavar="Q1,Q2,...", help="posture to start from")
    numeric.add_argument(
        "--prefer", metavar="Q1,Q2,...", help="posture to be near to where there is a choice"
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


# -- options of a model as arguments of the command line, made from the catalogue


def add_model_options(
    parsers: Sequence[argparse.ArgumentParser], arguments: Sequence[str], with_value: Sequence[str]
) -> None:
    """Options of the model that the user named, so that --help and typing errors know them.

    Arguments:
        arguments: what comes after the command.
        with_value: the other options that take a value.
    """
    from symoro.models.catalogue import catalogue, entry

    options = [
        option for known in catalogue().values() for option in known.all_options if option.kind != "flag"
    ]
    skipped = {*with_value, *(flag for option in options for flag in _flags(option))}
    words = list(_words(arguments, skipped))
    if not words:
        return
    chosen = entry(words[0])
    for parser in parsers:
        group = parser.add_argument_group(f"options of {chosen.id}", chosen.title)
        for option in chosen.all_options:
            add_model_option(group, option)


def _words(arguments: Sequence[str], with_value: set[str]) -> Iterator[str]:
    """The arguments that are no options nor values of options."""
    skip = False
    for word in arguments:
        if not skip and not word.startswith("-"):
            yield word
        skip = not skip and word in with_value


def _flags(option: Option) -> list[str]:
    name = option.flag or option.name
    return [f"--{name.replace('_', '-')}", *(["--from"] if option.name == "frm" else [])]


def add_model_option(group: argparse._ArgumentGroup, option: Option, flags: list[str] | None = None) -> None:
    text = option.title + (f" (default {option.default})" if option.default is not None else "")
    destination = f"option_{option.name}"
    flags = flags or _flags(option)
    if option.kind == "flag":
        group.add_argument(*flags, dest=destination, action="store_true", default=None, help=text)
        return
    from symoro.ui.values import posture_word

    kinds: dict[str, Callable[[str], object]] = {
        "frame": frame_named,
        "frames": frames_named,
        "points": points_named,
        "number": float,
        "posture": posture_word,
    }
    group.add_argument(
        *flags,
        dest=destination,
        metavar=None if option.choices else option.kind.upper(),
        type=kinds.get(option.kind, str),
        choices=option.choices or None,
        default=None,
        help=text,
    )


def frame_named(text: str) -> int | str:
    """A frame's number, or its name."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else text


def frames_named(text: str) -> list[int | str]:
    """Frames by number or name, with commas between them."""
    return [frame_named(word.strip()) for word in text.split(",") if word.strip()]


def points_named(text: str) -> list[int | str | tuple[int | str, list[str]]]:
    """Frames with commas between them, or points as 4:0,0,-0.2 with semicolons between them."""
    if ":" not in text and ";" not in text:
        return [*frames_named(text)]
    found: list[int | str | tuple[int | str, list[str]]] = []
    for item in text.split(";"):
        frame, colon, place = item.partition(":")
        if item.strip():
            found.append(
                (frame_named(frame.strip()), place.split(",")) if colon else frame_named(frame.strip())
            )
    return found
