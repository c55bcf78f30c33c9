"""Arguments that several commands share: the robot and how it is read, values for its symbols, files, JSON."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

FOLDER, ROBOT = "folder", "robot"  # targets of the option -o
Command = Callable[[str, str, str], argparse.ArgumentParser]


def command_of(arguments: Sequence[str]) -> str | None:
    """The command that the user named."""
    return next((word for word in arguments if not word.startswith("-")), None)


def robot_argument(parser: argparse.ArgumentParser, *, optional: bool = False) -> None:
    parser.add_argument(
        "robot",
        nargs="?" if optional else None,
        help="a bundled robot, a file (.par, .yaml, .csv, .urdf, .xacro, .mjcf), or '-' for standard input",
    )
    parser.add_argument(
        "--format", dest="read_format", metavar="FORMAT", help="the file's format, whatever its suffix"
    )
    parser.add_argument("--tree", action="store_true", help="the robot with its loops cut")
    parser.add_argument(
        "--base",
        dest="read_base",
        choices=("fixed", "floating"),
        help="how the base stands: floating for any robot, fixed for URDF, xacro and MJCF files",
    )
    group = parser.add_argument_group("reading URDF, xacro and MJCF files")
    group.add_argument(
        "--exact",
        dest="read_exact",
        action="store_true",
        default=None,
        help="keep rounded angles as they are",
    )
    group.add_argument("--fixed", dest="read_fixed", choices=("merge", "keep"), help="links on fixed joints")
    group.add_argument("--frames", dest="read_frames", choices=("normal", "link"), help="where x axes point")
    group.add_argument("--tool", dest="read_tool", metavar="LINK", help="the link whose frame is the tool's")
    group.add_argument(
        "--actuated",
        dest="read_actuated",
        metavar="JOINT,...",
        help="the active joints of a robot with closed loops, by name",
    )
    group.add_argument(
        "--arg", dest="read_arguments", action="append", metavar="NAME:=VALUE", help="a xacro argument"
    )
    group.add_argument(
        "--package",
        dest="read_package",
        action="append",
        metavar="DIR",
        help="a package of a xacro file, or a folder of packages; ROS_PACKAGE_PATH is looked in, too",
    )
    group.add_argument(
        "--lossy",
        dest="read_lossy",
        action="store_true",
        default=None,
        help="leave out what is not modelled, or what the format to be written cannot hold",
    )


def bind_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--bind", action="append", default=[], metavar="NAME=VALUE", help="a number for a symbol of the robot"
    )


def output_argument(
    parser: argparse.ArgumentParser, target: str | Sequence[str], text: str, **more: Any
) -> None:
    """Add the option -o of a command, whose target is a folder, a robot's file, or a file with one of some suffixes."""
    metavar = "DIR" if target == FOLDER else "FILE"
    parser.add_argument("-o", "--output", metavar=metavar, help=text, **more)
    parser.set_defaults(target=target)


def force_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--force", action="store_true", help="overwrite files that symoro did not write")


def json_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="machine-readable output")
