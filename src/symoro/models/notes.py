"""Remarks in the header of a model: which effects the model includes and which it leaves out.

They concern numbers of the robot description that change a result without appearing among the symbols: missing
inertias, friction of a URDF file, the pose of the base in the world.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symoro.program.program import Port
from symoro.robot.consistency import without_inertia
from symoro.robot.description import FURTHER_FRICTION, IDENTITY16, Robot

FRICTION = {"FV": "viscous friction", "FS": "Coulomb friction", **FURTHER_FRICTION}


def notes(robot: Robot, menu: str, outputs: Sequence[Port]) -> list[str]:
    """Return the remarks for the header of a model of a robot.

    Args:
        menu: the group of the catalogue that contains the model.
        outputs: the ports of the model's results.
    """
    names = [port.name for port in outputs]
    if menu == "Geometric":
        return list(_location(robot, names))
    if menu == "Dynamic":
        return [*without_inertia(robot), *_friction(robot, names)]
    return []


def _location(robot: Robot, outputs: Sequence[str]) -> Iterator[str]:
    if "T" in outputs and robot.base.Z != IDENTITY16:
        yield "poses are relative to frame 0; the location of the base in the world (Z) is not included"


def _friction(robot: Robot, outputs: Sequence[str]) -> Iterator[str]:
    """Yield a remark for each kind of friction that the robot description gives as numbers.

    Symbolic friction needs no remark, because it appears among the parameters of the model.

    Args:
        outputs: names of the model's outputs.
    """
    if not any("tau" in name or "qdd" in name or name == "H" for name in outputs):
        return
    for field, words in FRICTION.items():
        joints = [
            frame.name or str(j)
            for j, frame in enumerate(robot.frames[: robot.NL], 1)
            if getattr(frame, field).number not in (None, 0)
        ]
        if joints:
            shown = ", ".join(joints[:12]) + (" ..." if len(joints) > 12 else "")
            yield f"the torques include the {words} {field} of the description (joints {shown})"
