"""`symoro pose`: where the platform of a parallel robot stands at positions of its motors."""

from __future__ import annotations

import argparse

from symoro.errors import OptionError
from symoro.model import assembly_modes, platform_pose
from symoro.robot.description import Robot
from symoro.ui import present
from symoro.ui.values import read_values

NOT_FOUND = 1


def show_pose(robot: Robot, options: argparse.Namespace) -> int:
    """Print the pose near a posture, or all poses; exit code 1 where none was found."""
    values = read_values(options.values, None)
    if "qa" not in values:
        raise OptionError(
            "the positions of the motors are missing", hint="write qa=0.1,0.2,0.3, one an active joint"
        )
    qa = values.pop("qa")
    if options.all:
        return _show_all(robot, qa, values, options)
    found = platform_pose(robot, qa, options.near, values=values, to=options.to, fold=options.fold)
    if options.json:
        data = {"T": found.T.tolist() if found.reached else None, "reached": found.reached}
        present.as_json({**data, "residual": found.residual, "iterations": found.iterations})
    elif found.reached:
        print(_matrix(found.T))
        print(f"{found.iterations} iterations, residual {found.residual:.1e}")
    else:
        print(f"no pose found near the start; the motors are missed by {found.residual:.1e}")
    return 0 if found.reached else NOT_FOUND


def _show_all(robot: Robot, qa: object, values: dict[str, float], options: argparse.Namespace) -> int:
    modes = assembly_modes(robot, qa, values=values, to=options.to)  # type: ignore[arg-type]
    if options.json:
        data = {"poses": modes.poses.tolist(), "confirmed": modes.confirmed, "paths": modes.paths}
        present.as_json({**data, "seconds": modes.seconds})
    else:
        for number, found in enumerate(modes.poses, 1):
            print(f"pose {number}\n{_matrix(found)}")
        sure = "confirmed by a second run" if modes.confirmed else "NOT confirmed: some may be missing"
        print(f"{len(modes.poses)} poses, {sure}; {modes.seconds:.1f} s")
    return 0 if len(modes.poses) else NOT_FOUND


def _matrix(pose: object) -> str:
    rows = pose.tolist()  # type: ignore[attr-defined]
    return "\n".join("  " + "  ".join(f"{x: .9f}" for x in row) for row in rows)
