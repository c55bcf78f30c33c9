"""Run `symoro explain inverse-dynamics ROBOT --link LINK`: print or write the Newton-Euler recursion of one link."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from symoro.errors import OptionError
from symoro.files import MADE_BY, write_files
from symoro.model import newton_euler
from symoro.models import catalogue as models
from symoro.robot.description import Robot
from symoro.ui import present
from symoro.ui.model_arguments import frame_named

MODEL = "inverse-dynamics"


def check_recursion(options: argparse.Namespace) -> None:
    """Check the options of `explain` that belong to --link.

    Raises:
        OptionError: an option does not fit the others.
    """
    if options.link is None:
        if options.markdown or options.output:
            given = "--markdown" if options.markdown else "-o"
            raise OptionError(f"{given} requires --link", hint="for example --link 3")
        return
    if models.entry(options.model).id != MODEL:
        raise OptionError(
            f"--link derives the Newton-Euler recursion, which belongs to {MODEL}, not to {options.model}",
            hint=f"symoro explain {MODEL} {options.robot} --link {options.link}",
        )
    if options.derivative or options.outputs or options.no_variables:
        raise OptionError("--link does not take --derivative, --outputs and --no-variables")
    if options.latex and options.markdown:
        raise OptionError("--latex and --markdown exclude each other", hint="omit one of them")
    if options.output and (options.latex or options.markdown):
        raise OptionError("the suffix of -o determines the format", hint="omit --latex and --markdown")


def show_recursion(robot: Robot, options: argparse.Namespace) -> None:
    """Derive the recursion of one link, and print it or write it to a file."""
    derivation = newton_euler(robot, frame_named(options.link))
    if options.output:
        path = Path(options.output)
        writers: dict[str, Callable[[], str]] = {
            ".tex": derivation.latex,
            ".md": derivation.markdown,
            ".txt": lambda: f"{MADE_BY}\n\n{derivation.text()}",
        }
        write_files({path: writers[path.suffix.lower()]()}, force=options.force)
    if options.json:
        present.as_json({"title": derivation.title, "equations": derivation.equations})
    elif options.output:
        print(f"wrote {options.output}")
    elif options.latex:
        print(derivation.latex(fragment=True))
    else:
        print(derivation.markdown() if options.markdown else derivation.text(), end="")
