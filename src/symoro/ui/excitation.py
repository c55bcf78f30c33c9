"""`symoro excite`: a motion that shows a robot's parameters, and its file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from symoro.files import write_files
from symoro.identification.excitation import Excitation, excite, trajectory_text
from symoro.identification.options import ExcitationOptions
from symoro.robot.description import Robot
from symoro.tables import table_text
from symoro.trajectory.files import TABLES
from symoro.trajectory.samples import columns_of
from symoro.trajectory.sampling import sampled
from symoro.ui.outputs import deliver
from symoro.ui.values import numbers, words

KEYWORDS = ("harmonics", "frequency", "criterion", "torque")
OPTIONS = ("margin", "starts", "seed")


def show_excitation(robot: Robot, options: argparse.Namespace) -> int:
    """Optimise the motion, show it and write its file; the exit code."""
    most = options.acceleration and numbers("acceleration", options.acceleration)
    found = excite(
        robot,
        acceleration=most,
        friction=words(options.friction),
        **{name: getattr(options, name) for name in KEYWORDS},
        options=ExcitationOptions(
            without=words(options.without), **{name: getattr(options, name) for name in OPTIONS}
        ),
    )
    targets = [Path(options.output)] if options.output else []

    def data() -> dict[str, Any]:
        shown = {"condition": found.condition, "determinant": found.determinant, "columns": found.columns}
        held = {name: list(others) for name, others in found.absorbed.items()}
        used = {"used": dict(found.used), "margin": found.margin, "held_by": held}
        return {**shown, **used, "trajectory": trajectory_text(found)}

    def write() -> list[Path]:
        write_files({path: _text(robot, found, path) for path in targets}, force=options.force)
        return targets

    return deliver(options, data, lambda: print(found), write)


def _text(robot: Robot, found: Excitation, path: Path) -> str:
    if path.suffix.lower() in TABLES:
        return table_text(columns_of(sampled(robot, found.trajectory)))
    return trajectory_text(found)
