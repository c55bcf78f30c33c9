"""How `solve` finds postures: in closed form where there is one, else by iteration, one posture a pose."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from symoro.errors import NotApplicableError, OptionError
from symoro.model import Model, generate, numeric_inverse
from symoro.robot.description import Robot
from symoro.runtime.compiler import find_compiler
from symoro.runtime.function import Array
from symoro.runtime.numeric_inverse import NumericInverse
from symoro.ui.solve import JointDisplay

METHOD = "numeric"
ONLY_NUMERIC = ("start", "prefer")
FIRST_RESTARTS = 20  # in NumPy, before a compiler is asked
FEW = 5  # poses that are tried in NumPy first: for more of them it pays to compile


class Numeric:
    """Stands where the model in closed form would."""

    def __init__(self, robot: Robot, chosen: Mapping[str, Any], options: argparse.Namespace) -> None:
        self.robot = robot
        self.options = {name: value for name, value in chosen.items() if name != "method"}
        if self.options.pop("swivel", False):
            raise OptionError(
                "the swivel angle is for closed forms", hint="--prefer tells a posture to be near to"
            )
        joints = JointDisplay(robot, options.degrees)
        told = next((name for name in ("start", "near", "at") if getattr(options, name) is not None), None)
        self._start = None if told is None else joints.read(told, getattr(options, told))
        self._prefer = None if options.prefer is None else joints.read("prefer", options.prefer)
        self._only_limits = options.limits
        self._poses = 0
        self._solvers: dict[tuple[tuple[str, Any], ...], NumericInverse] = {}
        self._solver(compiled=False, limits=True, restarts=0)  # tells now what is wrong

    def function(self, *, compiled: bool | None = None) -> Numeric:
        return self

    def __call__(self, T: Array, q0: Array) -> dict[str, Any]:
        """One row, as a model in closed form would give it; `q0` is what was told as --start, --near or --at."""
        compiled = None if find_compiler() else False
        attempts: list[dict[str, Any]] = [
            {"compiled": False, "limits": True, "restarts": FIRST_RESTARTS},
            {"compiled": compiled, "limits": True},
            {"compiled": compiled, "limits": False},
        ]
        self._poses += 1
        many = compiled is None and self._poses > FEW
        for attempt in attempts[int(many) : 2 if self._only_limits else 3]:
            found = self._solver(**attempt)(T, self._start, prefer=self._prefer)
            if found["status"] == 0:
                break
        return {
            "q": found["q"][None],
            "status": np.array([found["status"]]),
            "residual": np.array([found["residual"]]),
            "free": np.zeros((1, len(found["q"]))),
        }

    def _solver(self, **attempt: Any) -> NumericInverse:
        key = tuple(attempt.items())
        if key not in self._solvers:
            self._solvers[key] = numeric_inverse(self.robot, **self.options, **attempt)
        return self._solvers[key]


def model_or_numeric(robot: Robot, chosen: Mapping[str, Any], options: argparse.Namespace) -> Model | Numeric:
    """What solves the poses: the method that was asked for, or the first that applies."""
    asked = chosen.get("method", "auto")
    if asked == METHOD:
        return Numeric(robot, chosen, options)
    try:
        model = generate(robot, options.model, **chosen)
    except NotApplicableError as refusal:
        if asked != "auto" or chosen.get("swivel") or robot.B:
            raise
        numeric = Numeric(robot, chosen, options)
        reason = refusal.message.splitlines()[0]
        print(f"symoro: note: {reason}; solved numerically, one posture a pose", file=sys.stderr)
        return numeric
    for name in ONLY_NUMERIC:
        if getattr(options, name) is not None:
            raise OptionError(f"--{name} is for the numeric method", hint=f"add --method {METHOD}")
    return model
