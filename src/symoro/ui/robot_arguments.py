"""Arguments of the commands that describe or analyse a robot: show, render, check, convert, pose, base, ..."""

from __future__ import annotations

import argparse

from symoro.ui.common_arguments import (
    LOSSY_OUTPUT,
    ROBOT,
    Command,
    bind_argument,
    force_argument,
    json_argument,
    output_argument,
    payload_argument,
    robot_argument,
)
from symoro.ui.model_arguments import frame_named


def add_describing(command: Command) -> None:
    robots = command("robots", "list the bundled robots", "symoro robots")
    json_argument(robots)
    show = command("show", "print the tables and a picture of a robot", "symoro show rx90")
    robot_argument(show)
    bind_argument(show)
    payload_argument(show)
    show.add_argument(
        "--latex", action="store_true", help="print the geometric and inertial parameters as LaTeX tables"
    )
    json_argument(show)
    render = command(
        "render", "draw a robot as an SVG or PNG file", "symoro render rx90 -o rx90.svg --view=-30,20"
    )
    robot_argument(render)
    output_argument(render, (".svg", ".png"), "file to write: .svg or .png", required=True)
    render.add_argument(
        "--posture",
        metavar="Q1,Q2,...",
        help="posture to draw: joint positions in rad and m, or the name of a posture (default: 'home' "
        "if there is one, otherwise zero)",
    )
    render.add_argument(
        "--degrees", action="store_true", help="the angles of --posture are in degrees, not in radians"
    )
    render.add_argument(
        "--view",
        default="iso",
        help="direction of view: iso, front, side, top, or azimuth,elevation in degrees (default iso)",
    )
    render.add_argument("--size", default="640x480", metavar="WxH", help="size in pixels (default 640x480)")
    render.add_argument(
        "--labels",
        choices=("auto", "axes", "numbers", "none"),
        default="auto",
        help="labels to draw (default auto)",
    )
    render.add_argument("--dark", action="store_true", help="use a dark background")
    force_argument(render)
    bind_argument(render)
    json_argument(render)
    check = command("check", "check a robot file and list its errors and warnings", "symoro check arm.par")
    robot_argument(check)
    json_argument(check)
    convert = command("convert", "write a robot in another file format", "symoro convert arm.par arm.yaml")
    robot_argument(
        convert,
        lossy="leave out data that the output format cannot represent, and parts of an MJCF file that symoro "
        "does not model",
    )
    convert.add_argument("output", nargs="?", help="file to write; its suffix determines the format")
    convert.set_defaults(target=ROBOT)
    convert.add_argument(
        "--to",
        metavar="FORMAT",
        help="format: par, yaml, urdf, or a table of parameters (dh, craig or kk); without an output "
        "file the text is printed",
    )
    convert.add_argument(
        "--frame", help="for the table of a robot with branches: last frame of the chain to write"
    )
    force_argument(convert)
    bind_argument(convert)
    payload_argument(convert)
    json_argument(convert)
    models = command("models", "list the models, and whether each applies to a robot", "symoro models sr400")
    robot_argument(models, optional=True)
    json_argument(models)
    json_argument(command("languages", "list the languages of generated code", "symoro languages"))


def add_analysing(command: Command) -> None:
    singularities = command(
        "singularities",
        "list the singular configurations, or compute the distance to them",
        "symoro singularities gough_stewart --count 1000 --length 0.3",
    )
    robot_argument(singularities)
    singularities.add_argument(
        "values",
        nargs="*",
        default=[],
        metavar="NAME=VALUES",
        help="configurations at which the distances are computed: q=... (all joints), qa=... (active joints) or T=... "
        "(poses of the platform)",
    )
    singularities.add_argument(
        "--to", metavar="FRAME", type=frame_named, help="frame of the Jacobian (default: the end effector)"
    )
    numeric = singularities.add_argument_group(
        "distances at configurations, instead of conditions in symbols"
    )
    numeric.add_argument(
        "--at", metavar="Q1,Q2,...", help="joint positions that close the loops, or the name of a posture"
    )
    numeric.add_argument(
        "--pose",
        metavar="X,Y,Z,R,P,Y",
        help="pose of the platform: position and roll, pitch, yaw, or the 12 or 16 entries of a matrix",
    )
    numeric.add_argument(
        "--values",
        dest="file",
        metavar="FILE",
        help="JSON file with q, qa or T, one row per configuration; '-' reads standard input",
    )
    numeric.add_argument(
        "--count",
        type=int,
        metavar="N",
        help="number of random configurations near the posture 'home' (default 100)",
    )
    numeric.add_argument(
        "--seed", type=int, metavar="N", help="seed of the random configurations (default 0)"
    )
    numeric.add_argument(
        "--spread",
        type=float,
        metavar="X",
        help="largest displacement of the active joints from 'home': rad, or X times the characteristic length "
        "(default 0.1)",
    )
    numeric.add_argument(
        "--length",
        type=float,
        metavar="METRES",
        help="characteristic length, by which angular velocities are multiplied (default 1 m)",
    )
    working_mode_argument(numeric)
    numeric.add_argument("--csv", action="store_true", help="print comma-separated values")
    bind_argument(singularities)
    json_argument(singularities)
    pose = command(
        "pose",
        "compute the platform pose of a parallel robot",
        "symoro pose gough_stewart qa=.9,.9,.9,.9,.9,.9 --all",
    )
    robot_argument(pose)
    pose.add_argument(
        "values",
        nargs="*",
        default=[],
        metavar="NAME=VALUE",
        help="positions of the active joints, qa=..., and numbers for symbols",
    )
    pose.add_argument(
        "--near",
        metavar="START",
        help="start of Newton's method: x,y,z,roll,pitch,yaw, the 12 or 16 entries of a matrix, or the name of a "
        "posture (default 'home')",
    )
    pose.add_argument(
        "--all",
        action="store_true",
        help="compute all poses of the platform for the given lengths of six legs (Gough-Stewart "
        "platform: universal, prismatic and spherical joint per leg)",
    )
    working_mode_argument(pose)
    pose.add_argument(
        "--to",
        metavar="FRAME",
        type=frame_named,
        help="frame of the platform (default: the platform frame of the robot description)",
    )
    bind_argument(pose)
    json_argument(pose)
    base = command("base", "determine the base inertial parameters", "symoro base rx90 -o regrouped.par")
    robot_argument(base, lossy=LOSSY_OUTPUT)
    base.add_argument(
        "--method",
        choices=("auto", "exact", "numeric"),
        default="auto",
        help="exact (symbolic) or numeric method (default auto: exact if possible)",
    )
    base.add_argument(
        "--numeric",
        action="store_true",
        help="same as --method numeric: evaluate the robot at its nominal values in random states",
    )
    base.add_argument(
        "--posture",
        metavar="Q1,Q2,...",
        help="posture that selects the assembly mode of closed loops, in numbers or by name",
    )
    base.add_argument(
        "--inertia",
        choices=("given", "all"),
        default="given",
        help="given: leave out inertial parameters that are zero in the description; all: include every inertial "
        "parameter, as the literature does (default given)",
    )
    base.add_argument(
        "--no-rotor", action="store_true", help="do not group rotor inertias with link inertias"
    )
    base.add_argument("--latex", action="store_true", help="print the grouping relations as a LaTeX table")
    output_argument(base, ROBOT, "write the robot with grouped parameters")
    force_argument(base)
    bind_argument(base)
    payload_argument(base)
    json_argument(base)


def working_mode_argument(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--working-mode",
        "--fold",
        dest="working_mode",
        default="1",
        metavar="DIGITS",
        help="working mode of the legs, 1 or 2: one digit for all legs, or one per leg (default 1)",
    )
