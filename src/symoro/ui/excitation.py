"""Run `symoro excite`: optimise an exciting trajectory and write it to a file."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

from symoro.errors import OptionError
from symoro.files import write_files
from symoro.identification.collision import CollisionOptions
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
    """Optimise an exciting trajectory, print a summary, write its file, and return the exit code."""
    most = options.acceleration and numbers("acceleration", options.acceleration)
    excitation = excite(
        robot,
        acceleration=most,
        friction=words(options.friction),
        **{name: getattr(options, name) for name in KEYWORDS},
        options=ExcitationOptions(
            without=words(options.without),
            collision=collision_options(options),
            **{name: getattr(options, name) for name in OPTIONS},
        ),
    )
    targets = [Path(options.output)] if options.output else []

    def data() -> dict[str, Any]:
        shown = {
            "condition": excitation.condition,
            "determinant": excitation.determinant,
            "columns": excitation.columns,
        }
        held = {name: list(others) for name, others in excitation.absorbed.items()}
        used: dict[str, Any] = {"used": dict(excitation.used), "margin": excitation.margin, "held_by": held}
        used["unlimited"] = {kind: list(joints) for kind, joints in excitation.unlimited.items()}
        if excitation.smallest is not None:
            used["smallest_distance"] = asdict(excitation.smallest)
            used["clearance"], used["notes"] = excitation.clearance, list(excitation.notes)
        return {**shown, **used, "trajectory": trajectory_text(excitation)}

    def write() -> list[Path]:
        write_files({path: _text(robot, excitation, path) for path in targets}, force=options.force)
        return targets

    return deliver(options, data, lambda: print(excitation), write)


def collision_options(options: argparse.Namespace) -> CollisionOptions | bool | None:
    """Return whether the command line requests that collisions are avoided, or its options; None if it has none."""
    given = {"clearance": options.clearance, "radius": options.link_radius, "floor": options.floor}
    if all(x is None for x in given.values()):
        return None if options.collision is None else bool(options.collision)
    if options.collision is False:
        raise OptionError(
            "--no-collision excludes --clearance, --link-radius and --floor", hint="omit one of them"
        )
    return CollisionOptions(**given)


def _text(robot: Robot, excitation: Excitation, path: Path) -> str:
    if path.suffix.lower() in TABLES:
        return table_text(columns_of(sampled(robot, excitation.trajectory)))
    return trajectory_text(excitation)
