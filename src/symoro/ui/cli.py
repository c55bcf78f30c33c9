"""Parse the command line and run a command of `commands`; the options of models come from the catalogue.

Errors and exit codes are defined in `failure`.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import re
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import NoReturn

from symoro._version import __version__
from symoro.errors import OptionError, SymoroError, UnknownNameError, did_you_mean
from symoro.ui import failure, progress
from symoro.ui.common_arguments import LOSSY, Command, command_of, urdf_arguments
from symoro.ui.model_arguments import WITH_MODEL, add_generating, add_solving, flags
from symoro.ui.number_arguments import add_calibrating, add_exciting, add_identifying, add_moving
from symoro.ui.robot_arguments import add_analysing, add_describing
from symoro.ui.study_arguments import add_studying

PURPOSES = {
    "describe a robot": ("robots", "show", "render", "check", "convert"),
    "derive models": ("models", "generate", "count", "explain", "eval", "singularities", "cite"),
    "solve for joint positions and poses": ("solve", "pose"),
    "simulate motion": ("torques", "simulate", "linearise"),
    "identify parameters": ("base", "excite", "identify", "compare", "postures", "calibrate"),
    "export code": ("languages", "export", "optimise"),
    "study designs": ("sweep", "study"),
    "other": ("gui", "help"),
}
"""Commands by purpose, in the order of the help."""

EXAMPLES = """\
examples:
  symoro show rx90                                      print the tables of a robot
  symoro generate inverse-dynamics rx90                 print the equations of a model
  symoro eval mass-matrix planar2r q=0,pi/2             evaluate a model
  symoro solve rx90 --at 0,60,-45,0,45,0 --degrees      compute all configurations that reach a pose
  symoro simulate planar2r q=0,1 --duration 2           simulate a motion
  symoro torques planar3r filip3r --payload mass=2      compute torques along a trajectory with a payload
  symoro export fast-geometry rx90 --lang c -o out      write a folder with code that builds and runs
"""

MORE_HELP = """\
more help:
  symoro COMMAND --help           options and an example of a command
  symoro generate MODEL --help    options and examples of a model
  symoro help urdf                options for URDF, xacro and MJCF files
"""

HELP = "'symoro --help' lists the commands"
# Options whose value is a list of numbers, which may begin with a minus sign.
LISTS = (
    *("--at", "--near", "--start", "--prefer", "--pose", "--matrix", "--posture"),
    *("--point", "--plane", "--view", "--region", "--floor"),
)


class Parser(argparse.ArgumentParser):
    """Argument parser that raises errors of the library (`SymoroError`) instead of ending the program."""

    def error(self, message: str) -> NoReturn:
        robots = (
            "; 'symoro robots' lists the bundled robots"
            if re.search(r"required: .*\brobot\b", message)
            else ""
        )
        raise OptionError(message, hint=f"'{self.prog} --help' lists the arguments{robots}")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv` (by default that of the process) and return the exit code (`failure.EXIT_CODES`)."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if argv is None:
        _accept_any_character()
        _show_warnings_as_text()
    try:
        return _run(arguments)
    except SymoroError as error:
        return failure.report(error, arguments)
    except BrokenPipeError:  # the reader of the pipe (head, less) has ended
        _discard_output()
        return 0
    except OSError as error:  # for example a full disk
        _discard_output()
        print(f"symoro: cannot continue: {error.strerror or error}", file=sys.stderr)
        return failure.BAD_INPUT
    except KeyboardInterrupt:
        print("symoro: interrupted", file=sys.stderr)
        return failure.INTERRUPTED


def _discard_output() -> None:
    """Redirect standard output to the null device, so that the final flush at exit does not fail again."""
    with contextlib.suppress(OSError, ValueError):  # standard output may have no file descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(arguments: Sequence[str]) -> int:
    """Run one command and flush its output, so that the error of a broken pipe occurs here and not at exit."""
    try:
        options = _parsed(arguments)
        if options.command is None:
            _parser([]).print_help()
            return 0
        if options.command == "help":
            return _show_help(options.topic)
        from symoro.ui import commands

        with progress.shown():
            return commands.run(options)
    finally:  # --help ends with SystemExit
        sys.stdout.flush()


def _accept_any_character() -> None:
    """Configure standard output to escape characters that the encoding of the terminal cannot represent."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _show_warnings_as_text() -> None:
    """Print each warning once, without the place in the source code."""
    printed: set[str] = set()

    def show(message: Warning | str, *_: object, **__: object) -> None:
        if str(message) not in printed:
            printed.add(str(message))
            print(f"symoro: warning: {message}", file=sys.stderr)

    warnings.showwarning = show


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
        hint = _other_model_hint(options, word) if word else None
        hint = hint or (did_you_mean(word, _known_flags(parser, options.command)) if word else None)
        hint = hint or f"'{prog} --help' lists the arguments"
        raise OptionError(f"unrecognized arguments: {' '.join(rest)}", hint=hint)
    return options


def _subparsers(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the parser of each command by name."""
    (action,) = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    return dict(action.choices)


def _known_flags(parser: argparse.ArgumentParser, command: str | None) -> list[str]:
    chosen = _subparsers(parser)[command] if command else parser
    return [flag for flag in chosen._option_string_actions if flag.startswith("--")]


def _other_model_hint(options: argparse.Namespace, flag: str) -> str | None:
    """Return a hint if an unknown option belongs to other models than the one on the command line.

    The result is None if no model has this option or if the command does not use a model.

    Args:
        options: the parsed command line.
        flag: the unknown option, for example '--frame'.
    """
    if options.command not in (*WITH_MODEL, "sweep") or not getattr(options, "model", None):
        return None
    from symoro.models.catalogue import catalogue, entry

    others = [one.id for one in catalogue().values() if any(flag in flags(o) for o in one.all_options)]
    if not others:
        return None
    own = entry(options.model)
    known = ", ".join(flags(option)[0] for option in own.all_options)
    has = f"{own.id} has the options {known}" if known else f"{own.id} has no options"
    return f"{flag} is an option of {', '.join(others[:4])}{' ...' if len(others) > 4 else ''}; {has}"


def _joined(arguments: Sequence[str]) -> Iterator[str]:
    """Join an option and a value that begins with a minus: '--at -1,2' becomes '--at=-1,2'.

    Otherwise argparse would interpret such a value as another option.
    """
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
        usage="symoro [-h] [--version] COMMAND ...",
        description="Derive symbolic models of robots, and write them as equations and as fast code.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"symoro {__version__}")
    # The epilog lists the commands by purpose instead of argparse.
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", prog="symoro", help=argparse.SUPPRESS, parser_class=Parser
    )
    summaries: dict[str, str] = {}

    def command(name: str, text: str, example: str) -> argparse.ArgumentParser:
        summaries[name] = text
        return commands.add_parser(
            name,
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
    add_studying(command, arguments)
    _serving(command)
    parser.epilog = "\n".join((_by_purpose(summaries), EXAMPLES, _exit_codes(), MORE_HELP))
    return parser


def _by_purpose(summaries: Mapping[str, str]) -> str:
    """Return the list of all commands for the help text, grouped by purpose, with one line per command.

    Args:
        summaries: one-line summary by command.
    """
    lines = []
    for purpose, names in PURPOSES.items():
        lines += [f"{purpose}:", *(f"  {name:<15}{summaries[name]}" for name in names), ""]
    return "\n".join(lines)


def _exit_codes() -> str:
    return "\n".join(
        ["exit codes:", *(f"  {code:<5}{text}" for code, text in failure.EXIT_CODES.items()), ""]
    )


def _show_help(words: Sequence[str]) -> int:
    """Print the help of a topic, of a command, or of a command for a model; return the exit code.

    Args:
        words: the arguments after `symoro help`.
    """
    if not words:
        _parser([]).print_help()
        return 0
    if words[0] == "urdf":
        topic = argparse.ArgumentParser(
            prog="symoro COMMAND ROBOT",
            usage="symoro COMMAND ROBOT.urdf [options]",
            description="Options for URDF, xacro and MJCF files, accepted by every command that reads a robot.",
            epilog="example:\n  symoro show nao.urdf --fixed keep --base floating",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            add_help=False,
        )
        urdf_arguments(topic, LOSSY, shown=True)
        topic.print_help()
        return 0
    parser = _parser([*words, "--help"])
    known = _subparsers(parser)
    if words[0] not in known:
        raise UnknownNameError(
            "command or help topic",
            words[0],
            [*known, "urdf"],
            hint=did_you_mean(words[0], [*known, "urdf"]) or HELP,
        )
    known[words[0]].print_help()
    return 0


def _serving(command: Command) -> None:
    help = command("help", "show the help of a command, a model or a topic (urdf)", "symoro help urdf")
    help.add_argument(
        "topic", nargs="*", metavar="TOPIC", help="urdf, or a command, or a command and a model"
    )
    gui = command("gui", "open the workbench in a browser", "symoro gui")
    gui.add_argument(
        "--host", default="127.0.0.1", help="address of the server (default 127.0.0.1: this machine only)"
    )
    gui.add_argument("--port", type=int, default=0, help="port of the server (default: any free port)")
    gui.add_argument("--no-browser", dest="browser", action="store_false", help="do not open the browser")
    gui.add_argument(
        "--name",
        action="append",
        default=[],
        metavar="HOST",
        help="additional host name under which the server accepts requests; may be given several times",
    )
    gui.add_argument(
        "--token",
        help="secret that requests must contain (default: a random one if other machines can reach the server)",
    )


if __name__ == "__main__":
    sys.exit(main())
