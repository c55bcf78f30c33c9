"""Numbers for the demo that goes with emitted code, where any small numbers will not do.

An inverse model has to be asked for something that exists: a pose that the robot reaches, active joints for which the
loops close. Postures are tried (the robot's own by name, then some spread over the joints' ranges) until the program
itself calls a row valid.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from symoro.emit.sample import sample_of
from symoro.errors import SymoroError
from symoro.models.catalogue import build
from symoro.program.program import Program
from symoro.robot.coordinates import independent
from symoro.robot.description import JointType, Robot
from symoro.robot.platform import platform_frame

TRIES = 48
RANGES = {JointType.REVOLUTE: (-1.5, 1.5), JointType.PRISMATIC: (0.0, 1.5)}

SampleValues = dict[str, list[float]]


def demo_sample(
    robot: Robot, program: Program, options: Mapping[str, Any], values: Mapping[str, float]
) -> SampleValues | None:
    """Inputs for which a program with a status has a valid row, or that close the loops of a robot.

    None where any numbers will do, or none were found.
    """
    names = {port.name: port for port in program.inputs}
    if robot.B and "q" in names:
        return _closed_sample(robot, program, values)
    if robot.B and "T" in names and "status" not in {port.name for port in program.outputs}:
        return _platform_sample(robot, program, options, values)
    if "status" not in {port.name for port in program.outputs} or not names.keys() & {"T", "qa"}:
        return None
    return _tried_sample(robot, program, options, values)


def _tried_sample(
    robot: Robot, program: Program, options: Mapping[str, Any], values: Mapping[str, float]
) -> SampleValues | None:
    """Inputs for which the program calls a row valid, or None."""
    import numpy as np

    from symoro.program.interpret import interpret

    names = {port.name: port for port in program.inputs}
    numbers = dict(zip(program.used_parameters, sample_of(program, values).parameters, strict=True))
    usual = dict(zip(names, sample_of(program, values).inputs, strict=True))
    for posture in _postures(robot):
        try:
            for inputs in _asked(robot, program, options, {**values, **numbers}, posture):
                given = {name: list(inputs.get(name, usual[name])) for name in names}
                arrays = {name: np.reshape(given[name], port.shape) for name, port in names.items()}
                if (interpret(program, arrays, numbers)["status"] == 0).any():
                    return given
        except SymoroError:  # no such value there: a division by zero, say
            continue
    return None


def _closed_sample(robot: Robot, program: Program, values: Mapping[str, float]) -> SampleValues | None:
    """The usual inputs, at a posture that closes the loops; None where none was found."""
    import numpy as np

    from symoro.program.interpret import interpret

    given = dict(zip([port.name for port in program.inputs], sample_of(program, values).inputs, strict=True))
    try:
        geometry = build(robot, "loop-geometry", {})[1]
    except SymoroError:
        return None
    found = demo_sample(robot, geometry, {}, values)
    if found is None:
        return None
    shapes = {port.name: port.shape for port in geometry.inputs}
    numbers = dict(zip(geometry.used_parameters, sample_of(geometry, values).parameters, strict=True))
    rows = interpret(geometry, {n: np.reshape(x, shapes[n]) for n, x in found.items()}, numbers)
    q = rows["q"][int(np.flatnonzero(rows["status"] == 0)[0])]
    return {**{name: list(x) for name, x in given.items()}, "q": q.tolist()}


def _platform_sample(
    robot: Robot, program: Program, options: Mapping[str, Any], values: Mapping[str, float]
) -> SampleValues | None:
    """The usual inputs, at the pose of the platform in the first posture that the robot names."""
    import numpy as np

    from symoro.program.interpret import interpret

    given = dict(zip([port.name for port in program.inputs], sample_of(program, values).inputs, strict=True))
    for q in robot.postures.values():
        place = build(robot.tree(), "fast-geometry", {"to": platform_frame(robot, options.get("to"))})[1]
        known = dict(zip(place.used_parameters, sample_of(place, values).parameters, strict=True))
        T = interpret(place, {"q": np.array(q)}, known)["T"]
        return {**{name: list(x) for name, x in given.items()}, "T": T.reshape(-1).tolist()}
    return None


def _postures(robot: Robot) -> Iterator[dict[int, float]]:
    """Postures by joint, within the limits that the robot tells."""
    joints = independent(robot)
    for values in robot.postures.values():
        yield dict(zip(joints, values, strict=True))
    for k in range(1, TRIES + 1):
        posture = {}
        for j in joints:
            low, high = RANGES[robot.frame(j).sigma]
            limits = robot.frame(j).limits
            low = low if limits.lower is None else max(low, limits.lower)
            high = high if limits.upper is None else min(high, limits.upper)
            if low > high:  # the range is elsewhere
                low, high = limits.lower or 0.0, limits.upper or 0.0
            share = 0.1 + 0.8 * (k * math.sqrt(j * j + j + 1) % 1.0)  # irrational: spread evenly
            posture[j] = round(low + share * (high - low), 3)
        yield posture


def _asked(
    robot: Robot,
    program: Program,
    options: Mapping[str, Any],
    numbers: Mapping[str, float],
    posture: Mapping[int, float],
) -> Iterator[SampleValues]:
    """What the model may be asked at a posture: as a user would, then with the posture as the guess q0."""
    import numpy as np

    from symoro.program.interpret import interpret

    inputs = {port.name: port for port in program.inputs}
    asked: SampleValues = {}
    if "T" in inputs:
        frames = {name: options[name] for name in ("frm", "to") if options.get(name) is not None}
        if robot.platform is not None:
            frames.setdefault("to", robot.platform)
        place = build(robot, "fast-geometry", frames)[1]
        known = dict(zip(place.used_parameters, sample_of(place, numbers).parameters, strict=True))
        q = np.array([posture[j] for j in independent(robot)])
        asked["T"] = interpret(place, {"q": q}, known)["T"].reshape(-1).tolist()
    if "qa" in inputs:
        asked["qa"] = [posture[int(symbol.lstrip("q"))] for symbol in inputs["qa"].symbols]
    yield asked
    if "q0" in inputs:
        yield {**asked, "q0": [posture[j] for j in independent(robot)]}
