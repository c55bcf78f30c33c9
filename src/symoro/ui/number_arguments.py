"""Arguments of the numerical commands: identify, torques, simulate, excite, calibrate and postures."""

from __future__ import annotations

import argparse

from symoro.ui.common_arguments import (
    FOLDER,
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


def add_identifying(command: Command) -> None:
    identify = command(
        "identify",
        "estimate dynamic parameters from motion logs",
        "symoro identify tx40 log.yaml --cutoff 100 --decimation 100 --slow 0.1 --report out -o identified.yaml",
    )
    robot_argument(identify, lossy=LOSSY_OUTPUT)
    identify.add_argument(
        "logs",
        nargs="+",
        metavar="LOG",
        help="CSV (also .gz) or Parquet file, ROS 2 bag, MCAP file, or a YAML file that describes a log",
    )
    identify.add_argument(
        "--columns",
        metavar="FILE",
        help="YAML file that assigns the columns of the log to quantities, or a bundled description: ur-rtde, "
        "ur-rtde-current, ur-rtde-target, libfranka, kuka-fri, kuka-rsi or staubli-val3",
    )
    identify.add_argument(
        "--topic",
        action="append",
        default=[],
        metavar="TOPIC",
        help="topic of a bag with joint states (default /joint_states, or the only one); several are merged by time",
    )
    identify.add_argument(
        "--drive-gains",
        metavar="K1,K2,...",
        help="factors of the torque columns, one per joint, such as torque per ampere if they are motor currents; "
        "or 'estimate', from logs with and without a payload of known mass",
    )
    identify.add_argument(
        "--log-payload",
        action="append",
        default=[],
        metavar="PAYLOAD",
        help="payload in a log, given once per log in the order of the logs: none, unknown (it is estimated), "
        "unknown=NAME,mass=M (its mass was weighed), or mass=M,com=X,Y,Z,inertia=...,link=NAME (it is known)",
    )
    identify.add_argument(
        "--method",
        default="wls",
        metavar="METHOD",
        help="estimator: ols, wls (default), irls, tls, iv, didim or cloe",
    )
    identify.add_argument(
        "--model",
        default="dynamic",
        metavar="MODEL",
        help="identification model: dynamic (default), filtered, power or energy",
    )
    identify.add_argument(
        "--cutoff", type=float, metavar="HZ", help="cutoff frequency of the low-pass filter of the positions"
    )
    identify.add_argument(
        "--decimation",
        type=int,
        default=1,
        metavar="N",
        help="decimation: low-pass filter the torques and the regressor in parallel, and keep one of N "
        "rows (default 1)",
    )
    identify.add_argument(
        "--slow",
        type=float,
        default=0.0,
        metavar="VELOCITY",
        help="remove equations of a joint at samples where it is slower than this (rad/s, m/s)",
    )
    identify.add_argument(
        "--delay",
        metavar="SECONDS",
        help="delay of the torques with respect to the positions, 'hold' for a zero-order hold, or 'estimate'",
    )
    identify.add_argument(
        "--friction",
        default="viscous,coulomb,offset",
        metavar="TERMS",
        help="friction terms: a selection of viscous, coulomb, offset, stribeck, load",
    )
    identify.add_argument(
        "--stribeck-velocity",
        metavar="VELOCITY",
        help="velocity constant of the Stribeck friction in rad/s or m/s: one for all joints, or one per joint "
        "(default: VS of the robot, otherwise 0.05)",
    )
    identify.add_argument(
        "--without", default="", metavar="NAMES", help="parameters not to estimate, for example FO2,XX4"
    )
    identify.add_argument(
        "--validate",
        action="append",
        default=[],
        metavar="LOG",
        help="log for cross-validation; may be given several times",
    )
    identify.add_argument(
        "--posture",
        action="append",
        metavar="NAME|VALUES",
        help="for a robot with closed loops: positions of all joints near the first sample "
        "(--posture=-0.1,1.2,...), or the name of a posture; given once, or once per log",
    )
    identify.add_argument(
        "--start",
        default="wls",
        metavar="START",
        help="initial parameters of iv, didim and cloe: wls (default) or nominal (the values of the robot)",
    )
    identify.add_argument(
        "--time-limit",
        type=float,
        default=120.0,
        metavar="SECONDS",
        help="time limit in seconds: cloe is rejected if its estimated duration is longer (default 120)",
    )
    identify.add_argument(
        "--essential", action="store_true", help="also estimate the reduced (essential) parameter set"
    )
    identify.add_argument(
        "--consistent",
        action="store_true",
        help="also compute physically consistent standard parameters (LMI)",
    )
    identify.add_argument(
        "--prior",
        choices=("euclidean", "entropic"),
        default="euclidean",
        help="distance to the nominal parameters that the regularisation minimises (default euclidean)",
    )
    identify.add_argument(
        "--prior-weight",
        type=float,
        metavar="WEIGHT",
        help="weight of this regularisation; each equation contributes about 1 to the sum (default 0.001)",
    )
    identify.add_argument(
        "--link-prior",
        action="append",
        default=[],
        metavar="LINK=FACTOR",
        help="factor of the weight for one link: 6=10 keeps link 6 nearer to its nominal parameters",
    )
    identify.add_argument(
        "--nominal",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="nominal inertial parameter for the regularisation in place of the robot's, for example M3=2.2,MX3=0.4",
    )
    identify.add_argument(
        "--mass",
        action="append",
        default=[],
        metavar="LINK=BOUNDS",
        help="bounds (kg) of the mass of a link, for --consistent: 3=2.1..2.4, 3=2.25+-0.05 (weighed), 3=..2.4",
    )
    identify.add_argument(
        "--total-mass",
        metavar="BOUNDS",
        help="bounds (kg) of the mass of all links, of link 0 too if the base floats, for --consistent: 29.5..30.5, "
        "30+-0.5, ..30.5",
    )
    identify.add_argument(
        "--require",
        choices=("pass", "doubtful"),
        help="exit with code 1 if the verdict is worse; the results are printed and written in any case",
    )
    identify.add_argument("--report", metavar="DIR", help="folder of the report (Markdown, HTML and plots)")
    output_argument(identify, ROBOT, "write the robot with the estimated parameters")
    force_argument(identify)
    bind_argument(identify)
    payload_argument(identify)
    json_argument(identify)
    compare = command(
        "compare",
        "compare two identified parameter sets or robots",
        "symoro compare monday.json friday.json -o comparison.md",
    )
    for name in ("first", "second"):
        compare.add_argument(
            name,
            metavar=name.upper(),
            help=f"{name} result: output of 'symoro identify --json' in a .json file, a robot file, or a bundled robot",
        )
    output_argument(compare, (".csv", ".md"), "write the comparison as a table (.csv) or as a report (.md)")
    force_argument(compare)
    json_argument(compare)


def _add_linearising(command: Command) -> None:
    linearise = command(
        "linearise",
        "derive the linear model x' = A x + B u about an equilibrium",
        "symoro linearise cartpole q=0,0 --transfer q2/tau1",
    )
    robot_argument(linearise)
    linearise.add_argument(
        "values",
        nargs="*",
        default=[],
        metavar="NAME=VALUES",
        help="equilibrium: q (zero unless given), tau (balances gravity unless given), e, Q0; numbers for symbols",
    )
    linearise.add_argument("--degrees", action="store_true", help="read angles in degrees")
    linearise.add_argument(
        "--transfer",
        action="append",
        metavar="STATE/DRIVE",
        help="also print the transfer function from a drive to a state; may be given several times",
    )
    linearise.add_argument(
        "--symbols",
        action="store_true",
        help="print the transfer functions with symbols, common factors cancelled (at most 4 states)",
    )
    linearise.add_argument("--lang", help="print or write A and B with symbols in this language")
    output_argument(linearise, FOLDER, "folder to write into")
    force_argument(linearise)
    bind_argument(linearise)
    payload_argument(linearise)
    json_argument(linearise)


def add_moving(command: Command) -> None:
    torques = command(
        "torques",
        "compute torques, power and energy along a trajectory",
        "symoro torques planar3r filip3r -o torques.csv -o torques.svg",
    )
    robot_argument(torques)
    torques.add_argument("trajectory", help="file (.yaml, .csv, .parquet) or name of a bundled trajectory")
    torques.add_argument(
        "values",
        nargs="*",
        default=[],
        metavar="NAME=VALUES",
        help="initial state of a floating base, springs and flexible modes (q, qd; e, ed; P0, Q0, V0; pose), and "
        "numbers for symbols",
    )
    torques.add_argument(
        "--posture",
        metavar="NAME|VALUES",
        help="for a robot with closed loops and a motion given as a table: positions of all joints near the "
        "first row (--posture=-0.1,1.2,...), or the name of a posture",
    )
    torques.add_argument(
        "--actuators",
        choices=("elastic",),
        help="elastic: also compute the motion and the torques of motors that drive the joints through "
        "springs",
    )
    torques.add_argument("--step", type=float, default=0.01, help="sampling period in seconds (default 0.01)")
    _add_linearising(command)
    simulate = command(
        "simulate",
        "simulate the motion under joint torques, friction and joint stops",
        "symoro simulate planar2r q=0,1 tau=0,0 --duration 2 -o motion.csv -o motion.svg",
    )
    robot_argument(simulate)
    simulate.add_argument(
        "values",
        nargs="*",
        default=[],
        metavar="NAME=VALUES",
        help="initial state (q, qd; e, ed; P0, Q0, V0; pose), torques (tau) and numbers for symbols; q=home uses the "
        "posture 'home'",
    )
    simulate.add_argument("--duration", type=float, default=1.0, help="simulated time in seconds (default 1)")
    simulate.add_argument(
        "--step",
        type=float,
        default=0.01,
        help="largest sampling period in seconds (default 0.01); the step size of rk4",
    )
    simulate.add_argument(
        "--method",
        default="DOP853",
        choices=("DOP853", "RK45", "RK23", "Radau", "BDF", "LSODA", "rk4"),
        help="integrator of SciPy, or rk4: the generated fixed-step integrator (default DOP853)",
    )
    simulate.add_argument("--rtol", type=float, default=1e-9, help="relative tolerance (default 1e-9)")
    simulate.add_argument(
        "--atol",
        type=float,
        default=1e-9,
        help="absolute tolerance in radians; lengths are relative to the robot's size (default 1e-9)",
    )
    simulate.add_argument(
        "--driven",
        metavar="FILE",
        help="file with the prescribed motion of some joints: a trajectory, or a table of samples",
    )
    simulate.add_argument(
        "--track", metavar="FILE", help="trajectory that a computed-torque controller follows"
    )
    simulate.add_argument(
        "--gains", metavar="KP,KD", help="gains KP,KD of the computed-torque controller (default 400,40)"
    )
    simulate.add_argument(
        "--stops",
        help="at joint limits: 'end' the simulation, or bounce with this coefficient of restitution, at least 0 and "
        "less than 1",
    )
    simulate.add_argument(
        "--friction",
        default="events",
        choices=("events", "sign"),
        help="dry friction: locate stick-slip events (default), or evaluate sign(qd)",
    )
    simulate.add_argument(
        "--static", type=float, default=1.0, help="static friction as a multiple of FS (default 1)"
    )
    for parser, more in ((torques, ""), (simulate, ", .parquet")):
        parser.add_argument("--csv", action="store_true", help="print comma-separated values")
        output_argument(
            parser,
            (".csv", ".svg", *([".parquet"] if more else []), ".json"),
            f"file to write: .csv (samples), .svg (charts){more} or .json (motion for the workbench); may be given "
            "several times",
            action="append",
            default=[],
        )
        bind_argument(parser)
        payload_argument(parser)
        force_argument(parser)
        json_argument(parser)


def collision_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the avoidance of collisions, which `excitation.collision_options` reads."""
    parser.add_argument(
        "--collision",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="keep the links apart (default: if the description contains their shapes, or with an option below)",
    )
    parser.add_argument(
        "--clearance",
        type=float,
        metavar="M",
        help="smallest distance between links in metres (default 1 %% of the sum of the robot's lengths)",
    )
    parser.add_argument(
        "--link-radius",
        type=float,
        metavar="M",
        help="radius of links whose shapes are derived from the frames (default 5 %% of this sum)",
    )
    parser.add_argument(
        "--floor", type=float, metavar="Z", help="height of a floor that links must not touch"
    )


def add_exciting(command: Command) -> None:
    excite = command(
        "excite",
        "compute an exciting trajectory for identification",
        "symoro excite panda -o excitation.yaml",
    )
    robot_argument(excite)
    excite.add_argument(
        "--harmonics", type=int, default=5, help="harmonics of the Fourier series (default 5)"
    )
    excite.add_argument(
        "--frequency", type=float, default=0.1, help="fundamental frequency in Hz (default 0.1)"
    )
    excite.add_argument(
        "--criterion",
        choices=("condition", "determinant"),
        default="condition",
        help="criterion to optimise (default condition)",
    )
    excite.add_argument(
        "--friction",
        default="viscous,coulomb,offset",
        metavar="TERMS",
        help="friction terms of the later identification: a selection of viscous, coulomb, offset",
    )
    excite.add_argument(
        "--without", default="", metavar="NAMES", help="parameters not to estimate, for example FO2,XX4"
    )
    excite.add_argument(
        "--acceleration",
        metavar="A1,A2,...",
        help="acceleration limits: one for all joints, or one per joint",
    )
    excite.add_argument(
        "--no-torque",
        dest="torque",
        action="store_false",
        default=None,
        help="ignore the joints' effort limits",
    )
    excite.add_argument(
        "--margin", type=float, default=0.95, help="fraction of the limits that may be used (default 0.95)"
    )
    excite.add_argument(
        "--starts", type=int, default=2, help="number of random initial trajectories (default 2)"
    )
    excite.add_argument(
        "--seed", type=int, default=0, help="seed of the random initial trajectories (default 0)"
    )
    collision_arguments(excite)
    output_argument(
        excite,
        (".yaml", ".yml", ".csv"),
        "write the trajectory: .yaml (Fourier coefficients) or .csv (samples)",
    )
    bind_argument(excite)
    payload_argument(excite)
    force_argument(excite)
    json_argument(excite)


def add_calibrating(command: Command) -> None:
    calibrate = command(
        "calibrate",
        "estimate geometric parameters from measured poses",
        "symoro calibrate puma560 poses.csv -o calibrated.yaml",
    )
    robot_argument(calibrate, lossy=LOSSY_OUTPUT)
    calibrate.add_argument(
        "measurements",
        nargs="?",
        help="file of measurements (default: none, list the identifiable parameters)",
    )
    _measuring(calibrate)
    output_argument(calibrate, ROBOT, "write the calibrated robot")
    force_argument(calibrate)
    bind_argument(calibrate)
    json_argument(calibrate)
    postures = command(
        "postures",
        "compute optimal postures for a calibration",
        "symoro postures rx90 --count 30 --measure position -o postures.csv",
    )
    robot_argument(postures)
    postures.add_argument("--count", type=int, default=30, help="number of postures (default 30)")
    _measuring(postures)
    postures.add_argument(
        "--noise",
        metavar="M,RAD",
        help="standard deviations of measured lengths and angles (default 1e-4,1e-4)",
    )
    postures.add_argument(
        "--region",
        metavar="X1,X2,Y1,Y2,Z1,Z2",
        help="bounds of the measured point in the world, such as the volume of the measuring device",
    )
    postures.add_argument(
        "--margin",
        type=float,
        default=0.95,
        help="fraction of the joint ranges that may be used (default 0.95)",
    )
    postures.add_argument(
        "--candidates", type=int, default=500, help="number of random candidates (default 500)"
    )
    postures.add_argument("--seed", type=int, default=0, help="seed of the random candidates (default 0)")
    collision_arguments(postures)
    output_argument(postures, (".csv",), "write the postures as a table")
    force_argument(postures)
    bind_argument(postures)
    json_argument(postures)


def _measuring(parser: argparse.ArgumentParser) -> None:
    """Add the options that describe the measurements of a calibration."""
    parser.add_argument(
        "--measure",
        choices=("pose", "position", "distance", "plane"),
        default="pose",
        help="measured quantity (default pose)",
    )
    parser.add_argument("--to", metavar="FRAME", help="measured frame (default: the end effector)")
    parser.add_argument("--known-base", action="store_true", help="keep frame 0 at its nominal pose")
    parser.add_argument("--known-tool", action="store_true", help="keep the tool frame at its nominal pose")
    parser.add_argument("--gains", action="store_true", help="also estimate a gain per joint sensor")
    parser.add_argument("--degrees", action="store_true", help="joint angles of the file are in degrees")
    parser.add_argument("--point", metavar="X,Y,Z", help="point to which distances are measured")
    parser.add_argument(
        "--plane", metavar="NX,NY,NZ,D", help="plane n.p = d that contains the measured points"
    )
