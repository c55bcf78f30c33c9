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
from typing import NoReturn

from symoro._version import __version__
from symoro.errors import OptionError, SymoroError, UnknownNameError, did_you_mean
from symoro.ui import failure, progress
from symoro.ui.common_arguments import Command, command_of
from symoro.ui.model_arguments import add_generating, add_solving
from symoro.ui.number_arguments import add_calibrating, add_exciting, add_identifying, add_moving
from symoro.ui.robot_arguments import add_analysing, add_describing

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
# Lists of numbers, the first of which may have a minus.
LISTS = (
    *("--at", "--near", "--start", "--prefer", "--pose", "--matrix", "--posture"),
    *("--point", "--plane", "--view"),
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
    command = command_of(arguments)
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
        if word in LISTS:
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

    add_describing(command)
    add_analysing(command)
    add_calibrating(command)
    add_generating(command, arguments)
    add_solving(command, arguments)
    add_identifying(command)
    add_moving(command)
    add_exciting(command)
    _serving(command)
    return parser


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


if __name__ == "__main__":
    sys.exit(main())
