"""Checks of motions that a robot's description prescribes: motion of the base, and fixed joint rates.

The models use the prescribed velocities and accelerations of a moving base (W0, WP0, V0, VP0) for one instant. Along a
motion the base may only rotate at a constant rate about the direction of gravity; gravity is then constant in frame 0.

The model `energy` uses the prescribed velocity of the base, and heights above the origin of frame 0. Along a motion
these are energies in the world only if that velocity is constant in frame 0 and horizontal:

    VP0 = W0 x V0,    WP0 = 0,    g' V0 = 0

Fixed velocities and accelerations of joints (QP, QDP) replace the inputs of a model for one instant. They contradict
the motion that is integrated or requested, and are rejected.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from symoro.errors import NotApplicableError
from symoro.expr.formula import Formula
from symoro.robot.description import BaseKind, Robot
from symoro.robot.topology import moving_joints
from symoro.trajectory.tolerances import PARALLEL

Array = NDArray[np.float64]


def check_steady(robot: Robot, values: Mapping[str, float]) -> None:
    """Check that gravity stays constant in frame 0 during the rotation of the base that a robot prescribes.

    Args:
        values: values of the robot's symbols.

    Raises:
        NotApplicableError: gravity is not constant in frame 0; the hint describes an alternative.
    """
    base = robot.base
    if base.kind != BaseKind.FIXED:
        return
    entries = (*base.W0, *base.WP0, *base.G, *base.Z)
    if any(name not in values for entry in entries for name in entry.symbols):
        return  # a missing value is an input, or is reported by the model
    w, wd, g = (np.array([x.value(values) for x in part]) for part in (base.W0, base.WP0, base.G))
    fixed = np.array([x.value(values) for x in base.Z]).reshape(4, 4)[:3, :3].T @ g
    turns = np.linalg.norm(np.cross(w, fixed)) > PARALLEL * np.linalg.norm(w) * np.linalg.norm(fixed)
    if wd.any() or turns:
        raise NotApplicableError(
            f"the base of robot '{robot.name}' rotates (W0, WP0), so that gravity would rotate in frame 0 along the "
            "motion",
            hint="describe the rotation as a joint with a prescribed motion",
        )


def unknown_energy_reason(robot: Robot, values: Mapping[str, float], inputs: Mapping[str, Array]) -> str:
    """Return the reason why the model `energy` does not give energies in the world; empty if it does.

    Args:
        values: values of the robot's symbols.
        inputs: motion of the base that is given as an input of the models, if any: its twist 'V0' and the derivative
            'Vd0' of the twist.
    """
    base = robot.base
    if base.kind == BaseKind.FLOATING or robot.wheels:
        return ""
    known = {**values, **{name: np.nan for name in _symbols(robot) if name not in values}}
    v, w = _given(robot, known, inputs.get("V0"), (*base.V0, *base.W0))
    vd, wd = _given(robot, known, inputs.get("Vd0"), (*base.VP0, *base.WP0))
    turn = np.array([z.value(known) for z in base.Z]).reshape(4, 4)[:3, :3]
    g = turn.T @ np.array([x.value(known) for x in base.G])
    across = np.cross(w, v)
    size = PARALLEL * max(np.linalg.norm(vd), np.linalg.norm(w) * np.linalg.norm(v))
    if wd.any() or np.linalg.norm(vd - across) > size:
        return "its base accelerates, but its description contains the velocity at one instant only"
    sinks = abs(g @ v) > PARALLEL * np.linalg.norm(g) * np.linalg.norm(v)
    return "its base moves vertically, but heights are measured from it" if sinks else ""


def _symbols(robot: Robot) -> set[str]:
    base = robot.base
    entries = (*base.V0, *base.W0, *base.VP0, *base.WP0, *base.G, *base.Z)
    return {name for entry in entries for name in entry.symbols}


def _given(
    robot: Robot, values: Mapping[str, float], given: Array | None, entries: Sequence[Formula]
) -> tuple[Array, Array]:
    """Return the linear and the angular components of the base's velocity or acceleration.

    Args:
        values: values of the robot's symbols.
        given: the six components as an input of the models, or None. The input replaces those components that the
            description leaves variable (`models.recursion.base_motion`).
        entries: formulas of the six components in the robot's description.
    """
    free = robot.base.kind != BaseKind.FIXED
    twist = np.array(
        [
            x.value(values) if given is None or not (free or x.symbols) else given[k]
            for k, x in enumerate(entries)
        ]
    )
    return twist[:3], twist[3:]


RATES = {"QP": "velocity", "QDP": "acceleration"}


def check_rates(robot: Robot) -> None:
    """Reject a description that fixes the velocity or acceleration of a joint.

    Raises:
        NotApplicableError: QP or QDP of a joint is given; the hint describes an alternative.
    """
    for j in moving_joints(robot):
        for name, what in RATES.items():
            fixed = getattr(robot.frame(j), name)
            if fixed is not None:
                raise NotApplicableError(
                    f"robot '{robot.name}' fixes the {what} of joint {j} ({name} = {fixed}), which is valid at one "
                    "instant "
                    "but not along a motion",
                    hint=f"leave out {name}, and prescribe the motion of the joint",
                )
