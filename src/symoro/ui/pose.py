"""Run `symoro pose`: the platform pose of a parallel robot at given positions of its active joints."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from symoro.errors import OptionError
from symoro.model import assembly_modes, platform_pose
from symoro.robot.description import Robot
from symoro.robot.platform import motors
from symoro.runtime import poses
from symoro.ui import present
from symoro.ui.failure import NO_SOLUTION
from symoro.ui.values import numbers, posture_named, read_values


def show_pose(robot: Robot, options: argparse.Namespace) -> int:
    """Print the platform pose of a parallel robot for given positions of its active joints.

    By default one pose near a start is computed by Newton's method; with the option --all every pose is computed.

    Returns:
        The exit code: 1 if there is no solution, otherwise 0.
    """
    values = read_values(options.values, None)
    if "qa" not in values:
        active = ",".join(f"q{j}" for j in motors(robot))
        raise OptionError(
            f"the positions of the active joints are missing: give qa={active}",
            hint="one number per active joint, for example "
            f"qa={','.join(['0.1'] * len(motors(robot)))}; --near gives the start of Newton's method",
        )
    qa = values.pop("qa")
    if options.all:
        return _show_all(robot, qa, values, options)
    start = _start(robot, options.near)
    solution = platform_pose(
        robot, qa, start, values=values, to=options.to, working_mode=options.working_mode
    )
    if options.json:
        data = {"T": solution.T.tolist() if solution.reached else None, "reached": solution.reached}
        present.as_json({**data, "residual": solution.residual, "iterations": solution.iterations})
    elif solution.reached:
        print(_matrix(solution.T))
        print(f"{solution.iterations} iterations, residual {solution.residual:.1e}")
    else:
        print(f"Newton's method did not converge from this start: residual {solution.residual:.1e}")
        print("hint: give another start with --near (x,y,z,roll,pitch,yaw or the name of a posture)")
    return 0 if solution.reached else NO_SOLUTION


def _start(robot: Robot, text: str | None) -> Any:
    """Return the start of Newton's method from the text of --near: a posture's name, or a platform pose (4, 4).

    Args:
        text: value of the option --near, or None.

    Raises:
        ArgumentError: the numbers are neither x,y,z,roll,pitch,yaw nor the 12 or 16 entries of a matrix.
    """
    if text is None or posture_named(robot, text) is not None:
        return text
    entries = np.atleast_1d(numbers("near", text))
    return poses.from_angles(*entries) if entries.shape == (6,) else poses.from_entries(entries)


def _show_all(robot: Robot, qa: object, values: dict[str, float], options: argparse.Namespace) -> int:
    modes = assembly_modes(robot, qa, values=values, to=options.to)  # type: ignore[arg-type]
    if options.json:
        data = {"poses": modes.poses.tolist(), "confirmed": modes.confirmed, "paths": modes.paths}
        present.as_json({**data, "seconds": modes.seconds})
    else:
        for number, pose in enumerate(modes.poses, 1):
            print(f"pose {number}\n{_matrix(pose)}")
        confirmed = "confirmed by a second run" if modes.confirmed else "NOT confirmed: some may be missing"
        print(f"{len(modes.poses)} poses, {confirmed}; {modes.seconds:.1f} s")
    return 0 if len(modes.poses) else NO_SOLUTION


def _matrix(pose: object) -> str:
    rows = pose.tolist()  # type: ignore[attr-defined]
    return "\n".join("  " + "  ".join(f"{x: .9f}" for x in row) for row in rows)
