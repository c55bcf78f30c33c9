"""`symoro excite`: a motion that shows a robot's parameters, and its file."""

from __future__ import annotations

import argparse
from pathlib import Path

from symoro.errors import OptionError
from symoro.estimation.excite import Excitation, excite, trajectory_text
from symoro.files import write_files
from symoro.motion.files import TABLES, TEXTS
from symoro.motion.samples import columns_of
from symoro.motion.sampling import sampled
from symoro.robot.description import Robot
from symoro.tables import table_text
from symoro.ui import present
from symoro.ui.values import numbers, words

CHOICES = ("harmonics", "frequency", "criterion", "torque", "margin", "starts", "seed")


def show_excitation(robot: Robot, options: argparse.Namespace) -> list[Path]:
    """Find the motion, and tell of it; returns the files that were written."""
    written = [_named(options.output)] if options.output else []
    most = options.acceleration and numbers("acceleration", options.acceleration)
    found = excite(
        robot,
        acceleration=most,
        friction=words(options.friction),
        without=words(options.without),
        **{name: getattr(options, name) for name in CHOICES},
    )
    write_files({path: _text(robot, found, path) for path in written}, force=options.force)
    if options.json:
        told = {"condition": found.condition, "determinant": found.determinant, "columns": found.columns}
        held = {name: list(others) for name, others in found.absorbed.items()}
        used = {"used": dict(found.used), "margin": found.margin, "held_by": held}
        present.as_json({**told, **used, "trajectory": trajectory_text(found)})
    else:
        print(found)
    return written


def _named(output: str) -> Path:
    """The file that was asked for, refused before anything is sought where its format is none."""
    path = Path(output)
    if path.suffix.lower() not in (*TEXTS, *TABLES):
        raise OptionError(
            f"'{output}': a motion is written as {', '.join((*TEXTS, *TABLES))}",
            hint="the suffix tells the format: .yaml holds the series, .csv its samples",
        )
    return path


def _text(robot: Robot, found: Excitation, path: Path) -> str:
    if path.suffix.lower() in TABLES:
        return table_text(columns_of(sampled(robot, found.trajectory)))
    return trajectory_text(found)
