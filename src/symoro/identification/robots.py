"""The result as a robot: estimated numbers in place of its symbols.

Base parameters stand in the links as `BaseParameters.robot` has them: each holds what it stands for, the others are
zero. The torques of such a robot are those of the true one; its masses are not to be read one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from symoro.errors import NotApplicableError
from symoro.expr.formula import ZERO, Formula, formula
from symoro.identification.estimate import Estimate
from symoro.models.identification.base.geometry import with_values
from symoro.models.identification.base.parameters import BaseParameters, split
from symoro.models.identification.columns import regressor_base
from symoro.robot.description import INERTIAL, Robot

DRIVE = ("FV", "FS", "FO")


def without_passive_rotors(robot: Robot) -> Robot:
    """The robot with no rotor inertia at its passive joints, which have no motor.

    Raises:
        NotApplicableError: a passive joint has a number for it.
    """
    known = dict(robot.nominal)
    frames = list(robot.frames)
    for j, frame in enumerate(robot.frames, 1):
        if frame.mu or frame.IA.is_zero:
            continue
        if all(name in known for name in frame.IA.symbols):
            raise NotApplicableError(
                f"joint {j} of robot '{robot.name}' is passive, and has a rotor inertia, IA = {frame.IA}",
                hint="a passive joint has no motor: give its link what turns with it, or make the joint active",
            )
        frames[j - 1] = replace(frame, IA=ZERO)
    return robot.replace(frames=tuple(frames))


def sought_base(robot: Robot, postures: Mapping[str, Sequence[float]]) -> BaseParameters:
    """Return the base parameters of the columns of a regressor, with the rotor inertias of passive joints.

    Arguments:
        robot: its posture 'home' selects the assembly mode of closed loops.
        postures: those of the robot that the result is written into.
    """
    found = regressor_base(robot)
    pairs = zip(found.original.frames, robot.frames, strict=True)
    frames = tuple(replace(frame, mu=own.mu) for frame, own in pairs)
    return replace(found, original=found.original.replace(frames=frames, postures=postures))


def identified_robot(base: BaseParameters, estimate: Estimate) -> Robot:
    """The robot that has the estimated base parameters and friction."""
    robot = base.original
    known = estimate.as_dict()
    idle: dict[tuple[int, str], Formula] = {split(name): ZERO for name in base.no_effect}
    for kept, others in base.relations.items():
        idle |= {split(name): ZERO for name in others}
        idle[split(kept)] = formula(known.get(kept, 0.0))
    return _with_drives(
        with_values(robot, idle), known, "base parameters: masses are not to be read one by one"
    )


def standard_robot(robot: Robot, known: dict[str, float]) -> Robot:
    """The robot with standard parameters as numbers."""
    values = {
        (j, kind): formula(known[f"{kind}{j}"])
        for j in range(1, robot.NL + 1)
        for kind in (*INERTIAL, "IA")
        if f"{kind}{j}" in known
    }
    return _with_drives(with_values(robot, values), known, "standard parameters, physically consistent")


def beyond_a_file(robot: Robot, names: Iterable[str]) -> list[str]:
    """Parameters that a robot's file has no place for: its torques are without them."""
    links = range(1, robot.NL + 1)
    held = {f"{kind}{j}" for kind in (*DRIVE, *INERTIAL, "IA") for j in links}
    return [name for name in names if name not in held]


def _with_drives(robot: Robot, known: dict[str, float], note: str) -> Robot:
    frames = []
    for j, frame in enumerate(robot.frames, 1):
        found: dict[str, Any] = {
            kind: formula(known[f"{kind}{j}"]) for kind in DRIVE if f"{kind}{j}" in known
        }
        if j <= robot.NL and frame.moving:  # friction that was not sought is none
            found = dict.fromkeys(DRIVE, ZERO) | found
        frames.append(replace(frame, **found))
    rest = beyond_a_file(robot, known)
    notes = (*robot.notes, f"identified {note}")
    if rest:
        listed = ", ".join(f"{name} = {known[name]:.6g}" for name in rest)
        notes = (*notes, f"beside what a robot's file holds: {listed}")
    used = robot.replace(frames=tuple(frames), notes=notes)
    symbols = set(used.symbols())
    return used.replace(nominal=tuple(pair for pair in used.nominal if pair[0] in symbols))
