"""Run `symoro calibrate` and `symoro postures`: estimate geometric parameters, or select the postures for it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symoro.deprecation import FORMER_WARNINGS_KEY
from symoro.errors import OptionError
from symoro.files import write_files
from symoro.robot import formats
from symoro.robot.description import Robot
from symoro.ui import present
from symoro.ui.outputs import check_robot, deliver, writing
from symoro.ui.values import numbers

if TYPE_CHECKING:
    from symoro.identification import Calibration


def show_calibration(robot: Robot, options: argparse.Namespace) -> int:
    """Print the identifiable geometric parameters, or their errors estimated from measurements.

    Also write the calibrated robot if requested, and return the exit code.
    """
    from symoro.identification import calibrate, read_measurements
    from symoro.identification.options import CalibrationOptions
    from symoro.models.calibration.identifiable import geometric_parameters

    chosen, gains = _measured(options), bool(options.gains)
    places = _lists(options, "point", "plane")
    if options.measurements is None:
        if options.output:
            raise OptionError(
                "there is no result to write: the file of measurements is missing",
                hint="give the file of measurements after the robot",
            )
        model_columns = geometric_parameters(robot, measure=options.measure, gains=gains, **chosen, **places)
        if options.json:
            relations = {
                k: {n: c.text for n, c in others.items()} for k, others in model_columns.relations.items()
            }
            present.as_json(
                {"names": model_columns.names, "no_effect": model_columns.no_effect, "relations": relations}
            )
        else:
            print(model_columns)
        return 0
    check_robot(robot, options)
    measured = read_measurements(robot, options.measurements, options.measure, degrees=options.degrees)
    result = calibrate(robot, measured, **chosen, options=CalibrationOptions(gains=gains, **places))

    def write() -> list[str]:
        if options.output:
            formats.save(result.calibrated, options.output, force=options.force, **writing(options))
        return [options.output] if options.output else []

    return deliver(options, lambda: _data(result), lambda: print(result), write)


def _measured(options: argparse.Namespace) -> dict[str, Any]:
    return {name: getattr(options, name) for name in ("to", "known_base", "known_tool")}


def _lists(options: argparse.Namespace, *names: str) -> dict[str, Any]:
    """Return the lists of numbers of those options that are given."""
    return {name: numbers(name, text) for name in names if (text := getattr(options, name))}


def show_postures(robot: Robot, options: argparse.Namespace) -> int:
    """Select optimal postures for a calibration, print a summary, write their file, and return the exit code."""
    from symoro.identification.options import PostureOptions
    from symoro.identification.posture_design import optimal_postures
    from symoro.ui.excitation import collision_options

    noise = None
    if options.noise:
        given = numbers("noise", options.noise)
        noise = dict(zip(("length", "angle"), given if isinstance(given, list) else [given], strict=False))
        if isinstance(given, list) and len(given) > 2:
            raise OptionError(f"noise: expected one or two numbers, got {len(given)}")
    design = optimal_postures(
        robot,
        options.count,
        measure=options.measure,
        noise=noise,
        **_measured(options),
        options=PostureOptions(
            gains=options.gains,
            collision=collision_options(options),
            **{name: getattr(options, name) for name in ("margin", "candidates", "seed")},
            **_lists(options, "point", "plane", "region"),
        ),
    )

    def data() -> dict[str, Any]:
        shown = {name: getattr(design, name) for name in ("measure", "index", "random_median", "random_best")}
        lists = {name: getattr(design, name) for name in ("postures", "deviations")}
        rest = {"condition": design.condition, "names": list(design.names), "noise": dict(design.noise)}
        smallest = design.smallest and {"distance": design.smallest[0], "pair": design.smallest[1]}
        notes = {"smallest_distance": smallest, "notes": list(design.notes)}
        return {**shown, **rest, **{name: x.tolist() for name, x in lists.items()}, **notes}

    def write() -> list[Path]:
        targets = [Path(options.output)] if options.output else []
        text = design.table(degrees=options.degrees)
        write_files(dict.fromkeys(targets, text), force=options.force)
        return targets

    return deliver(options, data, lambda: print(design), write)


def _data(calibration: Calibration) -> dict[str, Any]:
    from symoro.identification.geometric import base_place, marker_place

    columns = {"names": calibration.names, "errors": calibration.errors, "deviations": calibration.deviations}
    tool, marker = calibration.marker, None
    if tool is not None:
        place, turn = marker_place(calibration)
        marker = {"frame": tool.place.ant, "position": place, "rotation": turn}
    base_pose = base_place(calibration)
    return {
        **{name: list(values) for name, values in columns.items()},
        "before": dict(calibration.before),
        "after": dict(calibration.after),
        "condition": calibration.condition,
        "count": calibration.count,
        "base": base_pose and {"position": base_pose[0], "rotation": base_pose[1]},
        "marker": marker,
        FORMER_WARNINGS_KEY: list(calibration.warnings),
        "warnings": [{"name": one.name, "text": one} for one in calibration.warnings],
    }
