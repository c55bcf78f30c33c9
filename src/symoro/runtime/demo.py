"""Sample numbers for the demo of emitted code, for models to which arbitrary small numbers cannot be given.

An inverse model requires a reachable pose, and a loop model requires active joint positions for which the loops can be
closed. Postures are tried (the named postures of the robot, then some distributed over the joint ranges) until the
program returns a valid solution (status 0).
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
    """Return inputs for which the program has a valid solution, or that close the loops of the robot.

    Args:
        options: options of the model.
        values: parameter -> number.

    Returns:
        Input -> entries by rows; None if arbitrary numbers are valid, or if no posture gives a valid solution.
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
    """Try postures and return the first inputs for which a solution has status 0; None if there are none."""
    import numpy as np

    from symoro.program.interpret import interpret

    names = {port.name: port for port in program.inputs}
    numbers = dict(zip(program.used_parameters, sample_of(program, values).parameters, strict=True))
    usual = dict(zip(names, sample_of(program, values).inputs, strict=True))
    for posture in _postures(robot):
        try:
            for inputs in _inputs_at(robot, program, options, {**values, **numbers}, posture):
                sample = {name: list(inputs.get(name, usual[name])) for name in names}
                arrays = {name: np.reshape(sample[name], port.shape) for name, port in names.items()}
                if (interpret(program, arrays, numbers)["status"] == 0).any():
                    return sample
        except SymoroError:  # not defined there, for example a division by zero
            continue
    return None


def _closed_sample(robot: Robot, program: Program, values: Mapping[str, float]) -> SampleValues | None:
    """Return default inputs with joint positions q that close the loops; None if there are none."""
    import numpy as np

    from symoro.program.interpret import interpret

    usual = dict(zip([port.name for port in program.inputs], sample_of(program, values).inputs, strict=True))
    try:
        geometry = build(robot, "loop-geometry", {})[1]
    except SymoroError:
        return None
    sample = demo_sample(robot, geometry, {}, values)
    if sample is None:
        return None
    shapes = {port.name: port.shape for port in geometry.inputs}
    numbers = dict(zip(geometry.used_parameters, sample_of(geometry, values).parameters, strict=True))
    rows = interpret(geometry, {n: np.reshape(x, shapes[n]) for n, x in sample.items()}, numbers)
    q = rows["q"][int(np.flatnonzero(rows["status"] == 0)[0])]
    return {**{name: list(x) for name, x in usual.items()}, "q": q.tolist()}


def _platform_sample(
    robot: Robot, program: Program, options: Mapping[str, Any], values: Mapping[str, float]
) -> SampleValues | None:
    """Return default inputs with the platform pose T of the robot's first named posture; None without postures."""
    import numpy as np

    from symoro.program.interpret import interpret

    usual = dict(zip([port.name for port in program.inputs], sample_of(program, values).inputs, strict=True))
    for q in robot.postures.values():
        place = build(robot.tree(), "fast-geometry", {"to": platform_frame(robot, options.get("to"))})[1]
        known = dict(zip(place.used_parameters, sample_of(place, values).parameters, strict=True))
        T = interpret(place, {"q": np.array(q)}, known)["T"]
        return {**{name: list(x) for name, x in usual.items()}, "T": T.reshape(-1).tolist()}
    return None


def _postures(robot: Robot) -> Iterator[dict[int, float]]:
    """Yield postures {joint: position} within the limits of the robot."""
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
            if low > high:  # zero is outside the range
                low, high = limits.lower or 0.0, limits.upper or 0.0
            share = 0.1 + 0.8 * (
                k * math.sqrt(j * j + j + 1) % 1.0
            )  # irrational factor: evenly distributed values
            posture[j] = round(low + share * (high - low), 3)
        yield posture


def _inputs_at(
    robot: Robot,
    program: Program,
    options: Mapping[str, Any],
    numbers: Mapping[str, float],
    posture: Mapping[int, float],
) -> Iterator[SampleValues]:
    """Yield inputs of the model at a posture, first without and then with the posture as initial guess q0.

    Args:
        numbers: parameter -> number.
        posture: joint -> position.
    """
    import numpy as np

    from symoro.program.interpret import interpret

    inputs = {port.name: port for port in program.inputs}
    sample: SampleValues = {}
    if "T" in inputs:
        frames = {name: options[name] for name in ("frm", "to") if options.get(name) is not None}
        if robot.platform is not None:
            frames.setdefault("to", robot.platform)
        place = build(robot, "fast-geometry", frames)[1]
        known = dict(zip(place.used_parameters, sample_of(place, numbers).parameters, strict=True))
        q = np.array([posture[j] for j in independent(robot)])
        sample["T"] = interpret(place, {"q": q}, known)["T"].reshape(-1).tolist()
    if "qa" in inputs:
        sample["qa"] = [posture[int(symbol.lstrip("q"))] for symbol in inputs["qa"].symbols]
    yield sample
    if "q0" in inputs:
        yield {**sample, "q0": [posture[j] for j in independent(robot)]}
