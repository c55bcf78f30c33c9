"""`solve` for a robot with loops, told by its active joints: every assembly mode, as a table, JSON or CSV."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from symoro.errors import ArgumentError, NotApplicableError, OptionError, UnknownNameError
from symoro.model import Model, generate
from symoro.models.geometric.loop.mechanism import active_joints
from symoro.robot.coordinates import independent
from symoro.robot.description import Robot
from symoro.robot.topology import cut_joints
from symoro.runtime.function import Array
from symoro.ui import present
from symoro.ui.solve import POSES, JointDisplay, answer_of, as_csv, as_data, show_answer
from symoro.ui.values import binding, numbers, posture_named

ACTIVE, START, START_OPENED = "qa", "q0", "qc0"


def solve_modes(robot: Robot, words: list[str], options: argparse.Namespace, chosen: dict[str, Any]) -> int:
    """Show every way to assemble the robot at given active joints; the exit code is 1 where there is none."""
    _check(robot, options)
    joints = {
        ACTIVE: active_joints(robot),
        START: independent(robot),
        START_OPENED: cut_joints(robot),
    }
    given = {
        name: _positions(robot, name, joints[name], text, options) for name, text in _named(words, joints)
    }
    if ACTIVE not in given:
        raise ArgumentError(
            f"expected the active joints of robot '{robot.name}' as {ACTIVE}={_list(joints[ACTIVE])}"
        )
    model = generate(robot, "loop-geometry", **chosen)
    found = model.function(compiled=False)(**given)
    shown = JointDisplay(robot, options.degrees, opened=True)
    aim = None if options.near is None else JointDisplay(robot, options.degrees).read("near", options.near)
    found = {**found, "q": np.concatenate([found["q"], found["qc"]], axis=1)}
    found["free"] = np.concatenate([found["free"], np.zeros_like(found["qc"])], axis=1)
    answer = answer_of(robot, shown, found, aim, options.limits)
    if options.json:
        present.as_json({**as_data(answer, shown), "method": _method(model)})
    elif options.csv:
        print("\n".join(as_csv([answer], shown)))
    else:
        show_answer(answer, shown, robot.name, "assembly mode")
        if _method(model) == "numeric":
            print(f"note: {model.program.choices[0]}")
    return int(not answer.solved)


def _method(model: Model) -> str:
    return "numeric" if model.program.choices[0].startswith("Newton") else "closed form"


def _check(robot: Robot, options: argparse.Namespace) -> None:
    """Refuse what does not go with active joints."""
    if not robot.B:
        raise NotApplicableError(
            f"robot '{robot.name}' has no closed loop: its joints do not follow from some of them",
            hint="tell a pose: --at, --pose, --matrix or --values",
        )
    told = [f"--{name}" for name in (*POSES[:-1], "start", "prefer") if getattr(options, name) is not None]
    if options.file is not None:
        told.append("--values")
    if told:
        raise OptionError(
            f"{ACTIVE} and {told[0]} do not go together: either the active joints are told, or a pose",
            hint=f"{START}=... tells where Newton's method starts" if told[0] == "--start" else None,
        )


def _named(words: list[str], joints: dict[str, list[int]]) -> list[tuple[str, str]]:
    found = [binding(word) for word in words]
    for name, _ in found:
        if name not in joints:
            hint = f"the active joints are {ACTIVE}={_list(joints[ACTIVE])}"
            raise UnknownNameError("input of solve", name, list(joints), hint=hint)
    return found


def _positions(robot: Robot, name: str, joints: list[int], text: str, options: argparse.Namespace) -> Array:
    """The joints' positions, in numbers or by a posture's name; angles in radians."""
    shown = JointDisplay(robot, options.degrees, opened=True)
    factors = dict(zip([*independent(robot), *cut_joints(robot)], shown.factors, strict=True))
    named = posture_named(robot, text.strip()) if name != START_OPENED else None
    if named is not None:
        at = dict(zip(independent(robot), named, strict=True))
        return np.array([at[j] for j in joints])
    given = numbers(name, text)
    values = given if isinstance(given, list) else [given]
    if len(values) != len(joints) or any(isinstance(x, list) for x in values):
        plural = "s" if len(joints) != 1 else ""
        what = {ACTIVE: "active joint", START: "joint", START_OPENED: "opened joint"}[name]
        raise ArgumentError(
            f"{name}: robot '{robot.name}' has {len(joints)} {what}{plural}, {_list(joints)}; got {len(values)} "
            f"value{'s' if len(values) != 1 else ''}",
            hint=f"expected {name}={','.join('0.5' for _ in joints)}, say",
        )
    found: Array = np.array(values, dtype=float) * np.array([factors[j] for j in joints])
    return found


def _list(joints: list[int]) -> str:
    return ",".join(f"q{j}" for j in joints)
