"""`symoro excite`: a motion that shows a robot's parameters, and its file."""

from __future__ import annotations

import argparse
from pathlib import Path

from symoro.files import write_files
from symoro.motion.excite import excite, trajectory_text
from symoro.robot.description import Robot
from symoro.ui import present
from symoro.ui.values import numbers

CHOICES = ("harmonics", "frequency", "criterion", "friction", "torque", "margin", "starts", "seed")


def show_excitation(robot: Robot, options: argparse.Namespace) -> list[Path]:
    """Find the motion, and tell of it; returns the files that were written."""
    most = options.acceleration and numbers("acceleration", options.acceleration)
    found = excite(robot, acceleration=most, **{name: getattr(options, name) for name in CHOICES})
    written = [Path(options.output)] if options.output else []
    write_files({path: trajectory_text(found) for path in written}, force=options.force)
    if options.json:
        told = {"condition": found.condition, "determinant": found.determinant, "columns": found.columns}
        present.as_json({**told, "used": dict(found.used), "trajectory": trajectory_text(found)})
    else:
        print(found)
    return written
