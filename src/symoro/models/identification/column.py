"""Columns of a regressor: the parameters that it multiplies, their names and their values.

A column has the name of the parameter and the number of its link: XX1 .. M1, IA1, FV1, FS1, FO1, and k1 for the
stiffness of an elastic joint, whose rest position is known. Parameters that are zero have no column.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from symoro.errors import OptionError
from symoro.expr.formula import ZERO, Formula
from symoro.models.catalogue import POSTURE as POSTURE
from symoro.models.catalogue import Option, Options
from symoro.models.coordinates.blocks import Block
from symoro.models.dynamic.force_elements import spring_energy
from symoro.models.dynamic.structures import Structure
from symoro.models.dynamic.system import System
from symoro.program.program import Port
from symoro.robot.coordinates import PostureLike, with_home
from symoro.robot.description import FRICTION, FURTHER_FRICTION, INERTIAL, WRENCH, BaseKind, Robot
from symoro.robot.topology import elastic_joints

PARAMETERS = Option(
    "parameters",
    "standard: columns of all standard parameters; base: columns of the base parameters alone",
    "choice",
    "standard",
    ("standard", "base"),
)
FRICTION_OPTION = Option(
    "friction",
    "columns of FV, FS, FO; given: where the robot has them; all: for all joints; none: no friction",
    "choice",
    "given",
    ("given", "all", "none"),
)


@dataclass(frozen=True)
class Column:
    """Column of a regressor: parameter `kind` (for example XX or FV) of link or joint j."""

    kind: str
    j: int

    @property
    def name(self) -> str:
        return f"{self.kind}{self.j}"

    def value(self, robot: Robot) -> Formula:
        """Return the value of the parameter in the robot description."""
        owner = robot.link(self.j) if self.kind in INERTIAL else robot.frame(self.j)
        formula: Formula = getattr(owner, self.kind)
        return formula


def has_friction_columns(robot: Robot, options: Options) -> str | None:
    """Return the reason why an identification model has no columns for the friction of a robot, or None."""
    if robot.motors:
        return (
            "its motors are coupled (motors), and identification models have no columns for IAM, FVM and FSM"
        )
    for name in () if options.get("friction") == "none" else FURTHER_FRICTION:
        joints = [str(j) for j, frame in enumerate(robot.frames, 1) if not getattr(frame, name).is_zero]
        if joints:
            return (
                f"its joints {', '.join(joints)} have the friction {name}, for which identification models have no "
                "column; give friction='none', or set it to zero"
            )
    return None


def without_coupled_motors(robot: Robot, options: Options) -> str | None:
    """Return the reason why inertial parameters cannot be grouped if motors are coupled, or None."""
    if robot.motors:
        return "its motors are coupled (motors), and their rotor inertias IAM are not grouped with those of links"
    return None


NO_PARAMETERS = "all its inertial parameters are zero: give its links symbols, for example M1"


def with_parameters(structure: Structure, *, at_rest: bool = False) -> Callable[[Robot], str | None]:
    """Return a check that an identification model applies to a robot.

    Args:
        structure: kind of robot for which the model is defined.
        at_rest: whether robots with a prescribed base motion are rejected. Energy models require this, because the work
            of the base motion is not measured.

    Returns:
        A function of a robot that returns the reason why the model does not apply, or None.
    """

    def reason(robot: Robot) -> str | None:
        base = robot.base
        if at_rest and not all(f.is_zero for f in (*base.V0, *base.W0, *base.VP0, *base.WP0)):
            return (
                "the motion of its base is prescribed, and the work of the force on the base is not measured"
            )
        return structure.applies(robot) or (None if inertial_columns(robot) else NO_PARAMETERS)

    return reason


SPRING_TORQUES = Port(
    "springs", "na", "known torques of springs of passive joints, which are not part of W K"
)
SPRING_ENERGY = Port("springs", "", "known energy of springs of passive joints, which is not part of h K")


def output_spring_torques(s: System) -> None:
    """Add the output `springs` to a model: the known spring torques of passive elastic joints in closed loops."""
    torques = s.tree.elements.springs if s.layout.robot.B else {}
    if torques:
        efforts = {c: torques.get(c.j, 0) if c.block is Block.JOINT else 0 for c in s.provider.tree}
        projected = s.provider.project(efforts)
        s.builder.output(SPRING_TORQUES, [projected[c] for c in s.joints])


def output_spring_energy(s: System) -> None:
    """Add the output `springs` to a model: the known spring energy of passive elastic joints in closed loops."""
    robot, q = s.layout.robot, s.provider.positions
    if robot.B and any(robot.frame(j).eta for j in q):
        s.builder.output(SPRING_ENERGY, spring_energy(s.builder, robot, q))


def unloaded(robot: Robot) -> Robot:
    """Return the robot without external wrenches and payload, which the identification models do not include."""
    none: dict[str, Any] = dict.fromkeys(WRENCH, ZERO)
    links = tuple(replace(link, **none) for link in robot.links)
    base = replace(robot.base, link=replace(robot.base.link, **none))
    return replace(robot, links=links, base=base, payload=None)


def stiffness_columns(robot: Robot) -> list[Column]:
    """Return the columns for the stiffness of elastic joints; none for closed loops, whose stiffness is known."""
    return [] if robot.B else [Column("k", j) for j in elastic_joints(robot)]


def inertial_columns(robot: Robot) -> list[Column]:
    """Return the columns of the nonzero standard inertial parameters of links and rotors."""
    return [column for column in all_inertial_columns(robot) if not column.value(robot).is_zero]


def at_posture(robot: Robot, posture: PostureLike | None) -> Robot:
    """Return the robot with the given posture as 'home', which selects the assembly mode of its loops.

    The robot is unchanged if the posture is None or if there are no loops.

    Raises:
        UnknownNameError, OptionError: the robot has no such posture, or its loops do not close near it.
    """
    if posture is None or not robot.B:
        return robot
    from symoro.models.numeric.home import (
        closed_home,
        has_loop_numbers,
    )  # imported here because they need NumPy

    moved = with_home(robot, posture)
    if has_loop_numbers(moved) and closed_home(moved) is None:
        raise OptionError(
            f"posture: the loops of robot '{robot.name}' do not close near the given posture",
            hint="give the positions of all joints, in the order of q, at which the loops are closed",
        )
    return moved


def all_inertial_columns(robot: Robot) -> list[Column]:
    of_base = (
        [Column(kind, 0) for kind in INERTIAL] if robot.base.kind == BaseKind.FLOATING or robot.wheels else []
    )
    links = of_base + [Column(kind, j) for j, _ in enumerate(robot.links, 1) for kind in INERTIAL]
    return links + _of_joints(robot, ("IA",))


def _of_joints(robot: Robot, kinds: Sequence[str]) -> list[Column]:
    frames = enumerate(robot.frames[: robot.NL], 1)
    return [Column(kind, j) for j, frame in frames if frame.moving for kind in kinds]


def friction_columns(robot: Robot, friction: str) -> list[Column]:
    """Return the columns of friction and torque offset of the moving joints.

    Args:
        friction: 'all', 'given' (only nonzero parameters) or 'none'.
    """
    if friction == "none":
        return []
    candidates = _of_joints(robot, FRICTION)
    return [c for c in candidates if friction == "all" or not c.value(robot).is_zero]
