"""`symoro calibrate`: the geometric parameters that measurements show, and their errors from a file of measurements."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from symoro.errors import OptionError
from symoro.robot import formats
from symoro.robot.description import Robot
from symoro.ui import present
from symoro.ui.values import numbers


def show_calibration(robot: Robot, options: argparse.Namespace) -> list[Path]:
    """Print the parameters, or what they are off; returns the files that were written."""
    from symoro.calibrate import calibrate, read_measurements
    from symoro.models.calibration.identifiable import geometric_parameters

    names = ("to", "known_base", "known_tool", "gains")
    chosen: dict[str, Any] = {name: getattr(options, name) for name in names}
    if options.measurements is None:
        if options.output:
            raise OptionError("nothing to write: there are no measurements", hint="name their file")
        found = geometric_parameters(robot, measure=options.measure, **chosen)
        if options.json:
            relations = {k: {n: c.text for n, c in others.items()} for k, others in found.relations.items()}
            present.as_json({"names": found.names, "no_effect": found.no_effect, "relations": relations})
        else:
            print(found)
        return []
    measured = read_measurements(robot, options.measurements, options.measure, degrees=options.degrees)
    places = {name: numbers(name, text) for name in ("point", "plane") if (text := getattr(options, name))}
    result = calibrate(robot, measured, **chosen, **places)
    if options.json:
        columns = {"names": result.names, "errors": result.errors, "deviations": result.deviations}
        plain = {name: list(values) for name, values in columns.items()}
        misses = {"before": dict(result.before), "after": dict(result.after)}
        present.as_json({**plain, **misses, "condition": result.condition, "count": result.count})
    else:
        print(result)
    if not options.output:
        return []
    formats.save(result.calibrated, options.output, force=options.force)
    return [Path(options.output)]
