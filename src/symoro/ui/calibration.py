"""`symoro calibrate`: the geometric parameters that measurements show, and their errors from a file of measurements."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from symoro.errors import OptionError
from symoro.robot import formats
from symoro.robot.description import Robot
from symoro.ui import present
from symoro.ui.outputs import check_robot, deliver
from symoro.ui.values import numbers

if TYPE_CHECKING:
    from symoro.identification import Calibration


def show_calibration(robot: Robot, options: argparse.Namespace) -> int:
    """Show the parameters, or what they are off, and write the calibrated robot; the exit code."""
    from symoro.identification import calibrate, read_measurements
    from symoro.identification.options import CalibrationOptions
    from symoro.models.calibration.identifiable import geometric_parameters

    names = ("to", "known_base", "known_tool")
    chosen: dict[str, Any] = {name: getattr(options, name) for name in names}
    gains: bool = options.gains
    places = {name: numbers(name, text) for name in ("point", "plane") if (text := getattr(options, name))}
    if options.measurements is None:
        if options.output:
            raise OptionError("nothing to write: there are no measurements", hint="name their file")
        found = geometric_parameters(robot, measure=options.measure, gains=gains, **chosen, **places)
        if options.json:
            relations = {k: {n: c.text for n, c in others.items()} for k, others in found.relations.items()}
            present.as_json({"names": found.names, "no_effect": found.no_effect, "relations": relations})
        else:
            print(found)
        return 0
    check_robot(robot, options)
    measured = read_measurements(robot, options.measurements, options.measure, degrees=options.degrees)
    result = calibrate(robot, measured, **chosen, options=CalibrationOptions(gains=gains, **places))

    def write() -> list[str]:
        if options.output:
            formats.save(result.calibrated, options.output, force=options.force)
        return [options.output] if options.output else []

    return deliver(options, lambda: _data(result), lambda: print(result), write)


def _data(found: Calibration) -> dict[str, Any]:
    from symoro.identification.geometric import base_place, marker_place

    columns = {"names": found.names, "errors": found.errors, "deviations": found.deviations}
    tool, marker = found.marker, None
    if tool is not None:
        place, turn = marker_place(found)
        marker = {"frame": tool.place.ant, "position": place, "rotation": turn}
    stands = base_place(found)
    return {
        **{name: list(values) for name, values in columns.items()},
        "before": dict(found.before),
        "after": dict(found.after),
        "condition": found.condition,
        "count": found.count,
        "base": stands and {"position": stands[0], "rotation": stands[1]},
        "marker": marker,
        "doubts": list(found.warnings),
        "warnings": [{"name": one.name, "text": one} for one in found.warnings],
    }
