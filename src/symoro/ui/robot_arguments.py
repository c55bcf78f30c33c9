"""Arguments of the commands about a robot as it is: show, render, check, convert, pose, base and the like."""

from __future__ import annotations

from symoro.ui.common_arguments import (
    ROBOT,
    Command,
    bind_argument,
    force_argument,
    json_argument,
    output_argument,
    robot_argument,
)
from symoro.ui.model_arguments import frame_named


def add_describing(command: Command) -> None:
    robots = command("robots", "list the bundled robots", "symoro robots")
    json_argument(robots)
    show = command("show", "show a robot as tables, with a picture", "symoro show rx90")
    robot_argument(show)
    bind_argument(show)
    json_argument(show)
    render = command(
        "render", "draw a robot into an SVG or PNG file", "symoro render rx90 -o rx90.svg --view=-30,20"
    )
    robot_argument(render)
    output_argument(render, (".svg", ".png"), "file to write: .svg or .png", required=True)
    render.add_argument(
        "--posture",
        metavar="Q1,Q2,...",
        help="joint positions or a posture's name; 'home' or zero unless given",
    )
    render.add_argument(
        "--view", default="iso", help="iso, front, side, top, or two angles: azimuth,elevation (default iso)"
    )
    render.add_argument("--size", default="640x480", metavar="WxH", help="in pixels (default 640x480)")
    render.add_argument(
        "--labels", choices=("auto", "axes", "numbers", "none"), default="auto", help="what is named"
    )
    render.add_argument("--dark", action="store_true", help="on a dark background")
    force_argument(render)
    bind_argument(render)
    json_argument(render)
    check = command("check", "read a robot and report every inconsistency", "symoro check arm.par")
    robot_argument(check)
    json_argument(check)
    convert = command("convert", "write a robot in another format", "symoro convert arm.par arm.yaml")
    robot_argument(convert)
    convert.add_argument("output", nargs="?", help="file to write; its suffix selects the format")
    convert.set_defaults(target=ROBOT)
    convert.add_argument(
        "--to",
        metavar="FORMAT",
        help="par, yaml, or a table of parameters: dh, craig or kk; to standard output without a file",
    )
    convert.add_argument("--frame", help="end of the chain, for tables of a tree")
    force_argument(convert)
    bind_argument(convert)
    json_argument(convert)
    models = command("models", "list the models of the catalogue", "symoro models")
    robot_argument(models, optional=True)
    json_argument(models)
    json_argument(command("languages", "list the languages of emitted code", "symoro languages"))


def add_analysing(command: Command) -> None:
    singularities = command(
        "singularities", "tell where the Jacobian of a frame loses rank", "symoro singularities rx90"
    )
    robot_argument(singularities)
    singularities.add_argument(
        "--to", metavar="FRAME", type=frame_named, help="frame whose Jacobian is meant"
    )
    bind_argument(singularities)
    json_argument(singularities)
    pose = command(
        "pose",
        "find the pose of a parallel robot's platform",
        "symoro pose gough_stewart qa=.9,.9,.9,.9,.9,.9 --all",
    )
    robot_argument(pose)
    pose.add_argument("values", nargs="*", metavar="NAME=VALUE", help="qa=..., and numbers for symbols")
    pose.add_argument(
        "--near", metavar="POSTURE", help="posture to start from, by its name; 'home' unless given"
    )
    pose.add_argument("--all", action="store_true", help="all poses of a platform on six legs with balls")
    pose.add_argument(
        "--fold", default="1", metavar="DIGITS", help="how the legs fold: 1 or 2, one or one a leg"
    )
    pose.add_argument("--to", metavar="FRAME", type=frame_named, help="the platform's frame")
    bind_argument(pose)
    json_argument(pose)
    base = command("base", "find the base inertial parameters", "symoro base rx90 -o regrouped.par")
    robot_argument(base)
    base.add_argument(
        "--method", choices=("auto", "exact", "numeric"), default="auto", help="how they are found"
    )
    base.add_argument("--numeric", action="store_true", help="by random states at the robot's nominal values")
    base.add_argument(
        "--posture",
        metavar="Q1,Q2,...",
        help="near which closed loops are assembled, in numbers or by its name",
    )
    base.add_argument("--no-rotor", action="store_true", help="leave rotor inertias apart")
    base.add_argument("--latex", action="store_true", help="the relations as a LaTeX table")
    output_argument(base, ROBOT, "write the regrouped robot")
    force_argument(base)
    bind_argument(base)
    json_argument(base)
