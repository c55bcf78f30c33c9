"""Arguments that several commands share: the robot and its file, symbols, payload, output files, JSON."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

FOLDER, ROBOT, TABLE = "folder", "robot", "table"  # targets of the option -o
Command = Callable[[str, str, str], argparse.ArgumentParser]
LOSSY = "ignore elements of an MJCF file that symoro does not model, instead of rejecting the file"
LOSSY_OUTPUT = "leave out data that the format of -o cannot represent"
URDF_HELP = (
    "\n'symoro help urdf' describes the options for URDF, xacro and MJCF files (--fixed, --tool, ...)."
)


def command_of(arguments: Sequence[str]) -> str | None:
    """Return the name of the command, the first argument that is not an option; None if there is no such argument."""
    return next((word for word in arguments if not word.startswith("-")), None)


def robot_argument(
    parser: argparse.ArgumentParser, *, optional: bool = False, lossy: str = argparse.SUPPRESS
) -> None:
    """Add the arguments for the robot and for reading its file to a parser.

    The options of URDF files are accepted, but described only by `symoro help urdf`.

    Args:
        optional: whether the robot may be omitted.
        lossy: help text of --lossy, for a command that also writes robots.
    """
    parser.add_argument(
        "robot",
        nargs="?" if optional else None,
        help="a bundled robot, a file (.par, .yaml, .csv, .urdf, .xacro, .mjcf), or '-' for standard input",
    )
    parser.add_argument(
        "--format",
        dest="read_format",
        metavar="FORMAT",
        help="format of the robot's file (default: chosen by its suffix)",
    )
    parser.add_argument("--tree", action="store_true", help="cut the closed loops and use the spanning tree")
    parser.add_argument(
        "--base",
        dest="read_base",
        choices=("fixed", "floating"),
        help="base of the robot: floating for every robot, fixed for URDF, xacro and MJCF files only",
    )
    urdf_arguments(parser, lossy)
    parser.epilog = f"{parser.epilog or ''}\n{URDF_HELP}"


def urdf_arguments(
    parser: argparse.ArgumentParser, lossy: str = argparse.SUPPRESS, *, shown: bool = False
) -> None:
    """Add the options that control how URDF, xacro and MJCF files are read to a parser.

    Args:
        lossy: help text of --lossy.
        shown: whether the help of the parser lists these options.
    """

    def add(*flags: str, text: str, **details: Any) -> None:
        parser.add_argument(*flags, help=text if shown else argparse.SUPPRESS, **details)

    add(
        "--fixed",
        dest="read_fixed",
        choices=("merge", "keep"),
        text="links on fixed joints: merge each with the link that carries it (default), or keep a "
        "separate frame for each",
    )
    add(
        "--tool",
        dest="read_tool",
        metavar="LINK",
        text="use the frame of this link as the tool frame",
    )
    add(
        "--frames",
        dest="read_frames",
        choices=("normal", "link"),
        text="frames of the joints: x axes along the common normals (default), or as close to the axes "
        "of the links as possible",
    )
    add(
        "--exact",
        dest="read_exact",
        action="store_true",
        default=None,
        text="keep all numbers exactly as in the file; by default rounded angles such as 1.5708 become pi/2",
    )
    add(
        "--actuated",
        dest="read_actuated",
        metavar="JOINT,...",
        text="names of the active joints of a robot with closed loops",
    )
    add(
        "--arg",
        dest="read_arguments",
        action="append",
        metavar="NAME:=VALUE",
        text="value of a xacro argument; may be given several times",
    )
    add(
        "--package",
        dest="read_package",
        action="append",
        metavar="DIR",
        text="folder of a ROS package, or folder that contains several packages, in addition to those "
        "in ROS_PACKAGE_PATH",
    )
    parser.add_argument("--lossy", dest="read_lossy", action="store_true", default=None, help=lossy)


def bind_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--bind",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="replace a symbol of the robot by a number, an expression or another symbol: D3=0.45, D3=L2",
    )


def payload_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--payload",
        metavar="mass=M,com=X,Y,Z",
        help="attach a rigid payload: mass (kg), com=X,Y,Z (centre of mass, m), inertia=XX,XY,XZ,YY,YZ,ZZ about it "
        "(kg m2), link=NAME (default: at the tool frame), as in mass=2,com=0,0,0.1",
    )


def output_argument(
    parser: argparse.ArgumentParser, target: str | Sequence[str], text: str, **more: Any
) -> None:
    """Add the option -o (output) to a parser.

    Args:
        target: kind of output: a folder, a robot file, the table of a sweep, or the permitted suffixes of a file.
        text: help text.
        more: further arguments of `ArgumentParser.add_argument`.
    """
    metavar = "DIR" if target == FOLDER else "FILE"
    parser.add_argument("-o", "--output", metavar=metavar, help=text, **more)
    parser.set_defaults(target=target)


def force_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--force", action="store_true", help="overwrite files that symoro did not write")


def json_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="machine-readable output")
