"""Run `symoro singularities`: conditions in symbols, and distances at configurations and poses in numbers."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from symoro.errors import ArgumentError, OptionError
from symoro.model import singularities, singularity_analysis
from symoro.robot.coordinates import independent
from symoro.robot.description import Robot
from symoro.robot.postures import HOME
from symoro.tables import table_text
from symoro.ui import present
from symoro.ui.failure import NO_SOLUTION
from symoro.ui.values import numbers, posture_named, read_values

if TYPE_CHECKING:
    from symoro.models.kinematic.singularity_distance import SingularityAnalysis

GIVEN = ("q", "qa", "T")
COUNT = 100  # configurations near 'home' if none are given
SPREAD = 0.1  # rad, or part of the characteristic length: displacement of the active joints from 'home'
MOST_ROWS = 20  # configurations that are listed one by one
MEANINGS = {
    "serial": "type 1: active joints move while the frame is at rest",
    "parallel": "type 2: the frame moves while the active joints are locked",
    "passive": "passive joints move while the frame and the active joints are at rest",
    "constraint": "the constraints of the loops become dependent",
}


def show_singularities(robot: Robot, options: argparse.Namespace) -> int:
    """Print the conditions of the singularities, or the distances at configurations.

    Distances are computed if configurations, poses or a sample are given, or if a condition cannot be written.

    Returns:
        The exit code: 1 if no configuration closes the loops, otherwise 0.
    """
    given = _given(robot, options)
    explicit = bool(given) or any(
        x is not None for x in (options.count, options.seed, options.spread, options.length)
    )
    if explicit or options.csv:
        return _show(robot, _analysis(robot, given, options), options, {"robot": robot.name})
    result = singularities(robot, options.to)
    if not options.json:
        print(result)
    if not result.complete and _has_home(robot):
        if not options.json:
            print()
        return _show(robot, _analysis(robot, given, options), options, asdict(result))
    if options.json:
        present.as_json(asdict(result))
    return 0


def _has_home(robot: Robot) -> bool:
    """Return whether a robot has loops that close in the posture 'home', with numbers for all lengths."""
    if not robot.B:
        return False
    from symoro.models.numeric.home import closed_home

    return closed_home(robot) is not None


def distances_at_home(robot: Robot, to: int | str | None) -> str:
    """Return the distances in the posture 'home' as a line of text; empty if the loops do not close in it."""
    if not _has_home(robot):
        return ""
    from symoro.models.numeric.home import sampled_near_home

    home = sampled_near_home(robot, 0, 0, 0.0, 1.0)[0]
    distances = singularity_analysis(robot, home, to=to).distances
    listed = ", ".join(f"{name} {float(x):.6g}" for name, x in distances.items())
    return f"distances in posture '{HOME}', characteristic length 1 m: {listed}"


def _given(robot: Robot, options: argparse.Namespace) -> dict[str, Any]:
    """Return the configurations or poses of the command line: q, qa or T by name; empty if none is given.

    Raises:
        OptionError: several of them are given.
    """
    values = read_values(options.values, options.file)
    unknown = next((name for name in values if name not in GIVEN), None)
    if unknown is not None:
        raise OptionError(
            f"'{unknown}' is not a configuration: expected {', '.join(GIVEN)}",
            hint="--bind NAME=VALUE gives a number for a symbol of the robot",
        )
    if options.at is not None:
        named = posture_named(robot, options.at)
        values["q (--at)"] = named if named is not None else numbers("at", options.at)
    if options.pose is not None:
        from symoro.runtime import poses

        entries = numbers("pose", options.pose)
        angles = isinstance(entries, list) and len(entries) == 6
        values["T (--pose)"] = poses.from_angles(*entries) if angles else poses.from_entries(entries)
    if len(values) > 1:
        raise OptionError(f"{' and '.join(values)} exclude each other: give one of them")
    return {name.split(" ")[0]: value for name, value in values.items()}


def _analysis(robot: Robot, given: Mapping[str, Any], options: argparse.Namespace) -> SingularityAnalysis:
    from symoro.models.numeric.home import sampled_near_home

    length = 1.0 if options.length is None else options.length
    sampling = [name for name in ("count", "seed", "spread") if getattr(options, name) is not None]
    if given and sampling:
        raise OptionError(
            f"--{sampling[0]} applies to random configurations near the posture '{HOME}', not to given ones"
        )
    if not given:
        count = COUNT if options.count is None else options.count
        spread = SPREAD if options.spread is None else options.spread
        if count < 0:
            raise OptionError(f"--count: expected a number of configurations, got {count}")
        if not 0 <= spread < float("inf"):
            raise OptionError(f"--spread: expected a positive displacement, got {spread}")
        if not 0 < length < float("inf"):
            raise OptionError(f"--length: expected a positive length in m, got {length}")
        given = {"q": sampled_near_home(robot, count, options.seed or 0, spread, length)}
    try:
        return singularity_analysis(
            robot, **given, length=length, to=options.to, working_mode=options.working_mode
        )
    except (TypeError, ValueError) as error:
        raise ArgumentError(
            f"{next(iter(given))}: expected numbers, one row per configuration ({error})"
        ) from None


def _show(
    robot: Robot, analysis: SingularityAnalysis, options: argparse.Namespace, first: Mapping[str, Any]
) -> int:
    """Print an analysis as text, CSV or JSON, and return the exit code."""
    import numpy as np

    rows = {name: np.atleast_1d(x) for name, x in analysis.distances.items()}
    q, twist, rates = (np.atleast_2d(x) for x in (analysis.q, analysis.twist, analysis.rates))
    open_rows = int(np.isnan(rows["serial"]).sum())
    count = len(q)
    if options.json:
        data: dict[str, Any] = {"length": analysis.length, "output": analysis.output}
        data["joints"] = [f"q{j}" for j in analysis.joints]
        columns = {"q": q, **rows, "twist": twist, "rates": rates}
        lists = {name: column.tolist() for name, column in columns.items()}
        present.as_json({**first, "numeric": {**data, "nearest": analysis.nearest, **lists}})
    elif options.csv:
        columns = {f"q{j}": q[:, k] for k, j in enumerate(independent(robot))} | rows
        columns |= {name: twist[:, k] for k, name in enumerate(("vx", "vy", "vz", "wx", "wy", "wz"))}
        columns |= {f"qd{j}": rates[:, k] for k, j in enumerate(analysis.joints)}
        sys.stdout.write(table_text(columns))
    else:
        _print(robot, analysis, rows, twist, rates)
    if open_rows:
        print(
            f"symoro: warning: {open_rows} of {count} configurations are not finite or do not close the loops; their "
            "distances are NaN",
            file=sys.stderr,
        )
    return NO_SOLUTION if count and open_rows == count else 0


def _print(
    robot: Robot, analysis: SingularityAnalysis, rows: Mapping[str, Any], twist: Any, rates: Any
) -> None:
    import numpy as np

    count = len(rows["serial"])
    plural = "" if count == 1 else "s"
    print(
        f"{robot.name}: distance to singularities at {count} configuration{plural}; output: {analysis.output}; "
        f"characteristic length {analysis.length:g} m"
    )
    if count <= MOST_ROWS:
        table = [
            [str(k + 1), *(f"{rows[name][k]:.6g}" for name in MEANINGS), analysis.nearest[k]]
            for k in range(count)
        ]
        present.table(["configuration", *MEANINGS, "nearest"], table)
    finite = np.flatnonzero(~np.isnan(rows["serial"]))
    if not len(finite):
        return
    smallest = {name: int(finite[rows[name][finite].argmin()]) for name in MEANINGS}
    table = [
        [name, f"{rows[name][k]:.6g}", str(k + 1), f"{np.median(rows[name][finite]):.6g}", MEANINGS[name]]
        for name, k in smallest.items()
        if np.isfinite(rows[name][k])
    ]
    if count > 1:
        present.table(["type", "smallest", "at configuration", "median", "meaning"], table)
    if robot.B:
        k = smallest["parallel"]
        print(
            f"easiest twist (vx vy vz, m/s; wx wy wz, rad/s) at configuration {k + 1}: {_numbers(twist[k])}"
        )
    k = smallest["serial"]
    names = " ".join(f"q{j}" for j in analysis.joints)
    print(f"joint velocities of least effect ({names}) at configuration {k + 1}: {_numbers(rates[k])}")


def _numbers(values: Any) -> str:
    return " ".join(f"{x:.6g}" for x in present.without_negative_zeros(values.round(12)))
