"""Robots with numbers for simulations."""

import json
from dataclasses import replace
from pathlib import Path

import symoro
from symoro.robot.description import Limits, Robot

GOLDEN = Path(__file__).parents[1] / "data" / "golden"


def frictionless_rx90() -> tuple[Robot, list[float], list[float]]:
    """RX90 with the numbers of the golden sample, without friction and wrenches; a posture and velocities."""
    data = json.loads((GOLDEN / "RX90.json").read_text())
    none = {f"{name}{j}": 0 for name in ("FV", "FS") for j in range(1, 7)}
    robot = symoro.load("rx90").bind(none)
    robot = robot.bind({name: data["env"][name] for name in robot.symbols() if name in data["env"]})
    return robot, *([data[name][str(j)] for j in range(1, 7)] for name in ("q", "qd"))


def slider(mass: float = 1.0, FS: float = 0.0, FV: float = 0.0, **limits: float) -> Robot:
    """A mass on a horizontal slide."""
    robot = symoro.Robot.from_dh([("P", 0, 0, 0, 0)], "kk", gravity=[0, 0, 0])
    robot = robot.with_link(1, M=mass).with_frame(1, FS=FS, FV=FV)
    return robot.with_frame(1, limits=Limits(**limits))


def belt(mass: float, FS: float) -> Robot:
    """A belt (joint 1) and a mass that rubs on it (joint 2), both along z of frame 0."""
    rows = [("P", 0, 0, 0, 0), ("P", 0, 0, 0, 0)]
    robot = symoro.Robot.from_dh(rows, "kk", gravity=[0, 0, 0])
    return robot.with_link(1, M=1).with_link(2, M=mass).with_frame(2, FS=FS)


def without_drives(robot: Robot) -> Robot:
    """No friction and no torque offset."""
    from symoro.expr.formula import ZERO

    frames = tuple(replace(frame, FV=ZERO, FS=ZERO, FO=ZERO) for frame in robot.frames)
    return robot.replace(frames=frames)


def numbered(robot: Robot) -> Robot:
    """The robot with plausible numbers for symbols that have none: compact, heavy enough links."""
    known = dict(robot.nominal)
    values: dict[str, float] = {}
    for name in robot.symbols():
        if name in known:
            values[name] = known[name]
        elif name.startswith(("XX", "YY", "ZZ")):
            values[name] = 0.5
        elif name.startswith("M") and name[1:].isdigit():
            values[name] = 2.0
        elif name.startswith("k"):
            values[name] = 200.0
        elif name.startswith("IA"):
            values[name] = 0.1
        else:
            values[name] = 0.02
    return robot.bind(values)
