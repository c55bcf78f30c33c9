"""Arguments of the commands sweep and study."""

from __future__ import annotations

from collections.abc import Sequence

from symoro.ui.common_arguments import (
    TABLE,
    Command,
    bind_argument,
    command_of,
    force_argument,
    json_argument,
    output_argument,
    payload_argument,
    robot_argument,
)
from symoro.ui.model_arguments import add_model_options

ALL_PROCESSORS = 0  # value of --workers without a number


def add_studying(command: Command, arguments: Sequence[str]) -> None:
    sweep = command(
        "sweep",
        "evaluate a model or measures over grids and samples",
        "symoro sweep jacobian ur5e --over q2=-180:0:61 --over q3=-150:150:61 --at q1=0,q4=-90,q5=90,q6=0 --degrees "
        "--measure manipulability --picture map.svg",
    )
    sweep.add_argument("model", help="id or alias of the model ('symoro models' lists them)")
    robot_argument(sweep)
    what = sweep.add_argument_group("what is varied")
    what.add_argument(
        "--over",
        action="append",
        default=[],
        metavar="NAME=LOW:HIGH:COUNT",
        help="grid of an input entry (q2), of every entry of an input (q), of a symbol (D3) or of a coordinate x, y, "
        "z, roll, pitch, yaw of the pose; NAME=A,B,C lists values; may be given several times",
    )
    what.add_argument(
        "--sample",
        action="append",
        default=[],
        metavar="NAME=LOW:HIGH",
        help="interval that is sampled; may be given several times",
    )
    what.add_argument("--count", type=int, metavar="N", help="number of samples")
    what.add_argument(
        "--sampling",
        choices=("random", "sobol", "halton"),
        default="random",
        help="kind of the samples (default random)",
    )
    what.add_argument("--seed", type=int, default=0, help="seed of the samples (default 0)")
    what.add_argument(
        "--at",
        action="append",
        default=[],
        metavar="NAME=VALUE,...",
        help="fixed values: q1=0,q4=10 or qd=0,0 or q=home; may be given several times",
    )
    what.add_argument("--degrees", action="store_true", help="angles of joints and poses are in degrees")
    what.add_argument(
        "--mode",
        type=int,
        metavar="N",
        help="assembly mode of closed loops, or solution of inverse geometry (default 1, or the mode of 'home')",
    )
    measured = sweep.add_argument_group("what is computed (default: the outputs of the model)")
    measured.add_argument(
        "--measure",
        action="append",
        default=[],
        metavar="MEASURE",
        help="reach, position, manipulability, condition, rank, singular-values, singularity-distance, max:OUTPUT, "
        "rms:OUTPUT, energy, stiffness, frequencies, torque-peak, speed-peak, drive-energy; may be given several times",
    )
    measured.add_argument(
        "--length",
        type=float,
        default=1.0,
        metavar="METRES",
        help="characteristic length that makes Jacobians dimensionless (default 1)",
    )
    measured.add_argument(
        "--task",
        default="pose",
        metavar="ROWS",
        help="rows of the Jacobian: pose (default), position, orientation, or a list of x,y,z,rx,ry,rz",
    )
    measured.add_argument(
        "--stiffness",
        metavar="K1,K2,...",
        help="joint stiffnesses (N m/rad or N/m), one for all joints or one per joint",
    )
    measured.add_argument("--trajectory", metavar="FILE", help="motion for peaks and energies along it")
    measured.add_argument(
        "--step",
        dest="time_step",
        type=float,
        default=0.01,
        metavar="SECONDS",
        help="largest time between samples of the trajectory (default 0.01)",
    )
    how = sweep.add_argument_group("result and computation")
    output_argument(sweep, TABLE, "table to write: .parquet or .zarr")
    how.add_argument("--picture", metavar="FILE", help="map to draw: .svg")
    how.add_argument(
        "--workers",
        type=int,
        nargs="?",
        default=1,
        const=ALL_PROCESSORS,
        metavar="N",
        help="number of threads (default 1; all processors if no number is given)",
    )
    how.add_argument("--cluster", metavar="ADDRESS", help="scheduler of a Dask cluster, tcp://HOST:PORT")
    how.add_argument("--chunk", type=int, metavar="ROWS", help="rows per chunk (default 50000)")
    how.add_argument("--max-rows", type=int, metavar="N", help="largest number of rows (default 1e9)")
    how.add_argument("--force", action="store_true", help="overwrite the files of an earlier sweep")
    bind_argument(sweep)
    payload_argument(sweep)
    json_argument(sweep)
    study = command(
        "study",
        "optimise a design for one or several objectives",
        "symoro study elbow-arm --picture history.svg",
    )
    study.add_argument(
        "study", metavar="STUDY", help="YAML file of the study, or a bundled study (elbow-arm, fivebar)"
    )
    study.add_argument("--seed", type=int, help="seed of the search (default: that of the file)")
    output_argument(study, (".csv",), "write variables, objectives and constraints of the designs: .csv")
    study.add_argument(
        "--picture", metavar="FILE", help="Pareto front of two objectives, or progress of one objective: .svg"
    )
    study.add_argument("--robot", metavar="FILE", help="write the robot with the values of the first design")
    force_argument(study)
    json_argument(study)
    if command_of(arguments) == "sweep":
        add_model_options("sweep", sweep, arguments[arguments.index("sweep") + 1 :])
