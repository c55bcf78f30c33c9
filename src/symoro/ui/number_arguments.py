"""Arguments of the commands that go from models to numbers: identify, torques, simulate, excite, calibrate."""

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


def add_identifying(command: Command) -> None:
    identify = command(
        "identify",
        "find a robot's parameters from logs of its motion",
        "symoro identify tx40 log.yaml --cutoff 100 --decimation 100 --slow 0.1 --report out -o found.yaml",
    )
    robot_argument(identify)
    identify.add_argument("logs", nargs="+", metavar="LOG", help="CSV or Parquet file, or the YAML of a log")
    identify.add_argument("--columns", metavar="FILE", help="YAML that says what the columns mean")
    identify.add_argument(
        "--method",
        default="wls",
        metavar="METHOD",
        help="ols, wls (unless given), irls, tls, iv, didim or cloe",
    )
    identify.add_argument(
        "--model",
        default="dynamic",
        metavar="MODEL",
        help="dynamic (unless given), filtered, power or energy",
    )
    identify.add_argument("--cutoff", type=float, metavar="HZ", help="of the low-pass on positions")
    identify.add_argument(
        "--decimation", type=int, default=1, metavar="N", help="samples to a row, both sides filtered alike"
    )
    identify.add_argument(
        "--slow", type=float, default=0.0, metavar="VELOCITY", help="drop rows of a joint slower than this"
    )
    identify.add_argument(
        "--delay",
        metavar="SECONDS",
        help="delay of the torques behind the positions, or 'hold' for a zero-order hold",
    )
    identify.add_argument(
        "--friction",
        default="viscous,coulomb,offset",
        metavar="TERMS",
        help="some of viscous, coulomb, offset, stribeck, load",
    )
    identify.add_argument(
        "--stribeck-velocity", type=float, default=0.05, metavar="VELOCITY", help="its scale"
    )
    identify.add_argument("--without", default="", metavar="NAMES", help="columns to leave out, as FO2,XX4")
    identify.add_argument(
        "--validate", action="append", default=[], metavar="LOG", help="a log to try the result on"
    )
    identify.add_argument(
        "--posture",
        action="append",
        metavar="NAME|VALUES",
        help="of a robot with closed loops: all joints near the first sample (--posture=-0.1,1.2,...), or a name; "
        "once, or once for each log",
    )
    identify.add_argument(
        "--start",
        default="wls",
        metavar="START",
        help="where iv, didim and cloe start: wls (unless given), or nominal, the robot's own values",
    )
    identify.add_argument(
        "--time-limit",
        type=float,
        default=120.0,
        metavar="SECONDS",
        help="longest time of cloe, as estimated before it starts (default 120)",
    )
    identify.add_argument("--essential", action="store_true", help="the parameters that the data do tell")
    identify.add_argument(
        "--consistent", action="store_true", help="standard parameters that bodies can have (an LMI)"
    )
    identify.add_argument(
        "--prior", choices=("euclidean", "entropic"), default="euclidean", help="towards the robot's numbers"
    )
    identify.add_argument("--report", metavar="DIR", help="write a report: Markdown, HTML and plots")
    output_argument(identify, ROBOT, "write the robot with its numbers")
    force_argument(identify)
    bind_argument(identify)
    json_argument(identify)


def add_moving(command: Command) -> None:
    torques = command(
        "torques",
        "torques, power and energy along a trajectory, and the limits it passes",
        "symoro torques planar3r filip3r -o torques.csv -o torques.svg",
    )
    robot_argument(torques)
    torques.add_argument(
        "trajectory", help="a file (.yaml, .csv, .parquet), or the name of a bundled trajectory"
    )
    torques.add_argument(
        "values",
        nargs="*",
        metavar="NAME=VALUES",
        help="where a free base, springs and modes start (q, qd; e, ed; P0, Q0, V0; pose), and numbers for symbols",
    )
    torques.add_argument(
        "--posture",
        metavar="NAME|VALUES",
        help="of a table for a robot with closed loops: all joints near its first row (--posture=-0.1,1.2,...), or a "
        "name",
    )
    torques.add_argument(
        "--actuators", choices=("elastic",), help="motors behind the springs of elastic joints"
    )
    torques.add_argument(
        "--step", type=float, default=0.01, help="seconds from sample to sample (default 0.01)"
    )
    simulate = command(
        "simulate",
        "the motion that follows from torques, friction and stops",
        "symoro simulate planar2r q=0,1 tau=0,0 --duration 2 -o motion.csv -o motion.svg",
    )
    robot_argument(simulate)
    simulate.add_argument(
        "values",
        nargs="*",
        metavar="NAME=VALUES",
        help="the start (q, qd; e, ed; P0, Q0, V0; pose), torques (tau) and numbers for symbols; q=home is a posture",
    )
    simulate.add_argument("--duration", type=float, default=1.0, help="seconds (default 1)")
    simulate.add_argument(
        "--step",
        type=float,
        default=0.01,
        help="seconds between samples, or less, so that the last is at the end (default 0.01); of rk4 its own step",
    )
    simulate.add_argument(
        "--method",
        default="DOP853",
        choices=("DOP853", "RK45", "RK23", "Radau", "BDF", "LSODA", "rk4"),
        help="SciPy's integrators, or the generated one of fixed step (default DOP853)",
    )
    simulate.add_argument("--rtol", type=float, default=1e-9, help="relative tolerance (default 1e-9)")
    simulate.add_argument(
        "--atol",
        type=float,
        default=1e-9,
        help="absolute tolerance in radians, or shares of the robot's length (default 1e-9)",
    )
    simulate.add_argument("--driven", metavar="FILE", help="joints that follow a trajectory or table")
    simulate.add_argument("--track", metavar="FILE", help="a trajectory that the computed-torque law follows")
    simulate.add_argument("--gains", metavar="KP,KD", help="of that law (default 400,40)")
    simulate.add_argument(
        "--stops", help="at joint limits: 'end', or a coefficient of restitution, at least 0 and less than 1"
    )
    simulate.add_argument(
        "--friction", default="events", choices=("events", "sign"), help="stick and slip by events (default)"
    )
    simulate.add_argument(
        "--static", type=float, default=1.0, help="break-away torque as a multiple of FS (default 1)"
    )
    for parser, more in ((torques, ""), (simulate, ", .parquet")):
        parser.add_argument("--csv", action="store_true", help="rows of values between commas")
        output_argument(
            parser,
            (".csv", ".svg", *([".parquet"] if more else []), ".json"),
            f"write .csv (samples), .svg (charts){more} or .json (a motion that the page plays); more than once",
            action="append",
            default=[],
        )
        bind_argument(parser)
        force_argument(parser)
        json_argument(parser)


def add_exciting(command: Command) -> None:
    excite = command(
        "excite",
        "find a motion that shows a robot's parameters well",
        "symoro excite panda -o excitation.yaml",
    )
    robot_argument(excite)
    excite.add_argument("--harmonics", type=int, default=5, help="of the Fourier series (default 5)")
    excite.add_argument("--frequency", type=float, default=0.1, help="in Hz; a period is 1/f (default 0.1)")
    excite.add_argument(
        "--criterion", choices=("condition", "determinant"), default="condition", help="what is made best"
    )
    excite.add_argument(
        "--friction",
        default="viscous,coulomb,offset",
        metavar="TERMS",
        help="some of viscous, coulomb, offset, as they will be identified",
    )
    excite.add_argument("--without", default="", metavar="NAMES", help="columns to leave out, as FO2,XX4")
    excite.add_argument(
        "--acceleration", metavar="A1,A2,...", help="largest accelerations, one or one a joint"
    )
    excite.add_argument(
        "--no-torque", dest="torque", action="store_false", default=None, help="efforts are no limits"
    )
    excite.add_argument(
        "--margin", type=float, default=0.95, help="share of the limits to use (default 0.95)"
    )
    excite.add_argument("--starts", type=int, default=2, help="random starts (default 2)")
    excite.add_argument("--seed", type=int, default=0, help="of the starts")
    output_argument(
        excite, (".yaml", ".yml", ".csv"), "write the trajectory: .yaml (the series) or .csv (its samples)"
    )
    bind_argument(excite)
    force_argument(excite)
    json_argument(excite)


def add_calibrating(command: Command) -> None:
    calibrate = command(
        "calibrate",
        "find a robot's geometry from measurements",
        "symoro calibrate puma560 poses.csv -o better.yaml",
    )
    robot_argument(calibrate)
    calibrate.add_argument(
        "measurements", nargs="?", help="file of measurements; without it, what they would show"
    )
    calibrate.add_argument(
        "--measure",
        choices=("pose", "position", "distance", "plane"),
        default="pose",
        help="what was measured (default: pose)",
    )
    calibrate.add_argument("--to", metavar="FRAME", help="the frame that was measured")
    calibrate.add_argument("--known-base", action="store_true", help="frame 0 stands where it is said to")
    calibrate.add_argument("--known-tool", action="store_true", help="the end does")
    calibrate.add_argument("--gains", action="store_true", help="the joints' readings may be off by a factor")
    calibrate.add_argument("--degrees", action="store_true", help="joint angles are in degrees")
    calibrate.add_argument("--point", metavar="X,Y,Z", help="the point that distances are taken to")
    calibrate.add_argument("--plane", metavar="NX,NY,NZ,D", help="the plane n.p = d that was touched")
    output_argument(calibrate, ROBOT, "write the calibrated robot")
    force_argument(calibrate)
    bind_argument(calibrate)
    json_argument(calibrate)
