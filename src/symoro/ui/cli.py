"""The command line. Arguments are made from the catalogue; the work is done by `commands`.

Bad input ends with one message and exit code 2 (`failure`), an interrupt with exit code 130.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NoReturn

from symoro._version import __version__
from symoro.errors import OptionError, SymoroError, UnknownNameError, did_you_mean
from symoro.ui import failure, progress
from symoro.ui.calibration import add_arguments
from symoro.ui.common_arguments import Command, bind_argument, force_argument, json_argument, robot_argument
from symoro.ui.model_options import add_model_option, add_model_options, frame_named
from symoro.ui.number_arguments import add_exciting, add_identifying, add_moving

EXAMPLES = """\
examples:
  symoro robots                                     the bundled robots
  symoro show rx90                                  a robot as tables, with a picture
  symoro check arm.par                              is this file sound?
  symoro convert arm.par arm.yaml                   another format, by suffix
  symoro convert arm.yaml --to dh                   Denavit-Hartenberg parameters
  symoro models                                     what can be generated
  symoro languages                                  in which languages
  symoro generate fast-geometry rx90                readable equations
  symoro generate fast-geometry rx90 --lang c -o out
  symoro count fast-geometry rx90                   operations
  symoro eval fast-geometry rx90 q=0,0,0,0,0,0      numbers
  symoro solve rx90 --at 0,60,-45,0,45,0 --degrees  all postures that reach a pose
  symoro solve fivebar qa=120,60 --degrees          all ways to assemble closed loops
  symoro explain inverse-geometry rx90              how a model was solved
  symoro export fast-geometry rx90 --lang c -o out  a folder that builds and runs
  symoro singularities rx90                         where the Jacobian loses rank
  symoro base rx90                                  the base inertial parameters
  symoro pose delta qa=0.1,0.2,0.3                  where the platform of a parallel robot stands
  symoro identify tx40 log.yaml --cutoff 100        parameters from a log of the robot's motion
  symoro torques planar3r filip3r                   torques along a trajectory
  symoro simulate planar2r q=0,1 --duration 2       the motion that follows from torques
  symoro cite fast-geometry                         the paper behind a model

'symoro COMMAND --help' tells more, 'symoro generate MODEL --help' the options of a model.
"""

HELP = "'symoro --help' lists the commands"
WITH_MODEL = ("generate", "count", "explain", "eval", "export")
POSITIONS = ("--at", "--near", "--start", "--prefer", "--pose", "--matrix", "--posture")
WITH_VALUE = (
    *("--bind", "--lang", "-o", "--output", "--values", "--name", "--trig", "--integrator"),
    *("--base", "--fixed", "--frames", "--tool", "--arg", "--package", "--format"),
)


class Parser(argparse.ArgumentParser):
    """A parser whose errors are those of the library."""

    def error(self, message: str) -> NoReturn:
        raise OptionError(message, hint=f"'{self.prog} --help' shows what it takes")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the result is the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if argv is None:
        _accept_any_character()
    try:
        return _answered(arguments)
    except SymoroError as error:
        return failure.tell(error, arguments)
    except BrokenPipeError:  # the reader (head, less) has seen enough
        _drop_output()
        return 0
    except OSError as error:  # the output goes to a full disk, say
        _drop_output()
        print(f"symoro: cannot go on: {error.strerror or error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("symoro: stopped", file=sys.stderr)
        return 130


def _drop_output() -> None:
    """Let what is still to be printed vanish, so that leaving Python does not fail over it again."""
    with contextlib.suppress(OSError, ValueError):  # an output without a file behind it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _answered(arguments: Sequence[str]) -> int:
    """Run one command and hand over all of its output, so that a reader who left is noticed here."""
    try:
        options = _parsed(arguments)
        if options.command is None:
            _parser([]).print_help()
            return 0
        from symoro.ui import commands

        with progress.shown():
            return commands.run(options)
    finally:  # --help leaves by an exception
        sys.stdout.flush()


def _accept_any_character() -> None:
    """A name that the terminal's encoding lacks is no reason to stop."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _parsed(arguments: Sequence[str]) -> argparse.Namespace:
    parser = _parser(arguments)
    command = _command(arguments)
    if command is not None and command not in _subparsers(parser):
        known = list(_subparsers(parser))
        raise UnknownNameError("command", command, known, hint=did_you_mean(command, known) or HELP)
    options, rest = parser.parse_known_args(list(_joined(arguments)))
    if options.command in ("eval", "solve", "simulate"):  # values may come before and after options
        options.values += [word for word in rest if not word.startswith("-")]
        rest = [word for word in rest if word.startswith("-")]
    if rest:
        prog = f"symoro {options.command}" if options.command else "symoro"
        word = next((word.partition("=")[0] for word in rest if word.startswith("--")), "")
        hint = did_you_mean(word, _known_flags(parser, options.command)) if word else None
        hint = hint or f"'{prog} --help' shows what it takes"
        raise OptionError(f"unrecognized arguments: {' '.join(rest)}", hint=hint)
    return options


def _subparsers(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers of the commands, by name."""
    (action,) = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    return dict(action.choices)


def _known_flags(parser: argparse.ArgumentParser, command: str | None) -> list[str]:
    chosen = _subparsers(parser)[command] if command else parser
    return [flag for flag in chosen._option_string_actions if flag.startswith("--")]


def _joined(arguments: Sequence[str]) -> Iterator[str]:
    """--at=-1,2 for --at -1,2: a list that starts with a minus is no option."""
    words = iter(arguments)
    for word in words:
        if word in POSITIONS:
            value = next(words, None)
            yield from (
                [word] if value is None else [word, value] if value[:2] == "--" else [f"{word}={value}"]
            )
        else:
            yield word


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    parser = Parser(
        prog="symoro",
        description="Symbolic models of robots, as readable equations and as fast code.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"symoro {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")

    def command(name: str, text: str, example: str) -> argparse.ArgumentParser:
        return commands.add_parser(
            name,
            help=text,
            description=text[0].upper() + text[1:] + ".",
            epilog=f"example:\n  {example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )

    _describing(command)
    _generating(command, arguments)
    _solving(command, arguments)
    add_identifying(command)
    add_moving(command)
    add_exciting(command)
    _serving(command)
    return parser


def _describing(command: Command) -> None:
    robots = command("robots", "list the bundled robots", "symoro robots")
    json_argument(robots)
    show = command("show", "show a robot as tables, with a picture", "symoro show rx90")
    robot_argument(show)
    bind_argument(show)
    json_argument(show)
    render = command(
        "render", "draw a robot into an SVG or PNG file", "symoro render rx90 -o rx90.svg --view=-30,20"
    )
    robot_argument(render)
    render.add_argument("-o", "--output", metavar="FILE", required=True, help="file to write: .svg or .png")
    render.add_argument(
        "--posture",
        metavar="Q1,Q2,...",
        help="joint positions or a posture's name; 'home' or zero unless given",
    )
    render.add_argument(
        "--view", default="iso", help="iso, front, side, top, or two angles: azimuth,elevation (default iso)"
    )
    render.add_argument("--size", default="640x480", metavar="WxH", help="in pixels (default 640x480)")
    render.add_argument(
        "--labels", choices=("auto", "axes", "numbers", "none"), default="auto", help="what is named"
    )
    render.add_argument("--dark", action="store_true", help="on a dark background")
    force_argument(render)
    bind_argument(render)
    json_argument(render)
    check = command("check", "read a robot and report every inconsistency", "symoro check arm.par")
    robot_argument(check)
    json_argument(check)
    convert = command("convert", "write a robot in another format", "symoro convert arm.par arm.yaml")
    robot_argument(convert)
    convert.add_argument("output", nargs="?", help="file to write; its suffix tells the format")
    convert.add_argument(
        "--to",
        metavar="FORMAT",
        help="par, yaml, or a table of parameters: dh, craig or kk; to standard output without a file",
    )
    convert.add_argument("--frame", help="end of the chain, for tables of a tree")
    force_argument(convert)
    bind_argument(convert)
    json_argument(convert)
    models = command("models", "list the models of the catalogue", "symoro models")
    robot_argument(models, optional=True)
    json_argument(models)
    json_argument(command("languages", "list the languages of emitted code", "symoro languages"))
    singularities = command(
        "singularities", "tell where the Jacobian of a frame loses rank", "symoro singularities rx90"
    )
    robot_argument(singularities)
    singularities.add_argument(
        "--to", metavar="FRAME", type=frame_named, help="frame whose Jacobian is meant"
    )
    bind_argument(singularities)
    json_argument(singularities)
    pose = command(
        "pose",
        "find the pose of a parallel robot's platform",
        "symoro pose gough_stewart qa=.9,.9,.9,.9,.9,.9 --all",
    )
    robot_argument(pose)
    pose.add_argument("values", nargs="*", metavar="NAME=VALUE", help="qa=..., and numbers for symbols")
    pose.add_argument(
        "--near", metavar="POSTURE", help="posture to start from, by its name; 'home' unless given"
    )
    pose.add_argument("--all", action="store_true", help="all poses of a platform on six legs with balls")
    pose.add_argument(
        "--fold", default="1", metavar="DIGITS", help="how the legs fold: 1 or 2, one or one a leg"
    )
    pose.add_argument("--to", metavar="FRAME", type=frame_named, help="the platform's frame")
    bind_argument(pose)
    json_argument(pose)
    base = command("base", "find the base inertial parameters", "symoro base rx90 -o regrouped.par")
    robot_argument(base)
    base.add_argument(
        "--method", choices=("auto", "exact", "numeric"), default="auto", help="how they are found"
    )
    base.add_argument("--numeric", action="store_true", help="by random states at the robot's nominal values")
    base.add_argument(
        "--posture",
        metavar="Q1,Q2,...",
        help="near which closed loops are assembled, in numbers or by its name",
    )
    base.add_argument("--no-rotor", action="store_true", help="leave rotor inertias apart")
    base.add_argument("--latex", action="store_true", help="the relations as a LaTeX table")
    base.add_argument("-o", "--output", metavar="FILE", help="write the regrouped robot")
    force_argument(base)
    bind_argument(base)
    json_argument(base)
    calibrate = command(
        "calibrate",
        "find a robot's geometry from measurements",
        "symoro calibrate puma560 poses.csv -o better.yaml",
    )
    robot_argument(calibrate)
    add_arguments(calibrate)
    force_argument(calibrate)
    bind_argument(calibrate)
    json_argument(calibrate)
    cite = command("cite", "print the references behind a model", "symoro cite fast-geometry")
    cite.add_argument("model", nargs="?", help="model id; all of them without it")
    json_argument(cite)


def _generating(command: Command, arguments: Sequence[str]) -> None:
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
        parser.add_argument("-o", "--output", metavar="DIR", help="folder to write into")
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
    chosen = _command(arguments)
    if chosen in WITH_MODEL:
        after = arguments[arguments.index(chosen) + 1 :]
        add_model_options(parsers, after, WITH_VALUE)


def _solving(command: Command, arguments: Sequence[str]) -> None:
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
    if _command(arguments) != "solve":
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


def _serving(command: Command) -> None:
    gui = command("gui", "open the workbench in the browser", "symoro gui")
    gui.add_argument(
        "--host", default="127.0.0.1", help="address to serve at (default 127.0.0.1: this machine alone)"
    )
    gui.add_argument("--port", type=int, default=0, help="port (default: one that is free)")
    gui.add_argument("--no-browser", dest="browser", action="store_false", help="do not open the browser")
    gui.add_argument(
        "--name",
        action="append",
        default=[],
        metavar="HOST",
        help="a further name that the server is known by",
    )
    gui.add_argument(
        "--token", help="the secret that requests must have; made up where others can reach the server"
    )


def _command(arguments: Sequence[str]) -> str | None:
    return next((word for word in arguments if not word.startswith("-")), None)


if __name__ == "__main__":
    sys.exit(main())
