"""Structures that the dynamic models distinguish: fixed base, floating base, wheels, flexible links, platform.

A model is one function for all of them. Its inputs and outputs follow from the structure's coordinates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from symoro.models.catalogue import Option, Options, always, form, model
from symoro.models.coordinates.layout import Layout
from symoro.models.dynamic.floating_base import ROTATION, floating_tree
from symoro.models.dynamic.setting import fixed_tree, unsupported_loops
from symoro.models.dynamic.system import Inputs
from symoro.models.kinematic.wheels.setting import APPLIES_TO as ROLLING_ROBOTS
from symoro.models.kinematic.wheels.setting import on_wheels
from symoro.models.platform.leg import APPLIES_TO
from symoro.models.platform.pose import (
    PLATFORM_POSE,
    PLATFORM_TAU,
    PLATFORM_V,
    PLATFORM_VD,
    SPACE,
    TO,
    WITH_Q,
    WORKING_MODE,
    in_platform_space,
)
from symoro.models.ports import (
    MODE_RATES,
    MODES,
    P0,
    Q0,
    QD,
    QDA,
    QDD,
    QDDA,
    QM,
    QMD,
    QMDD,
    R0,
    TAU,
    TAU_ACTIVE,
    TAU_FREE,
    V0,
    VD0,
    Q,
)
from symoro.program.program import Port, Program
from symoro.robot.description import BaseKind, Robot

EFFORT = Option(
    "effort",
    "quick: a good formulation without search; search: the formulation with the fewest operations; "
    "plain: the formulation of the papers, for reading",
    "choice",
    "quick",
    ("quick", "search", "plain"),
)
WITH_REACTIONS = Option("reactions", "also return the reaction wrenches of the joints", "flag", False)
METHOD = Option(
    "method",
    "recursive: articulated-body algorithm; inertia: factorisation of the inertia matrix; auto: "
    "the method with fewer operations",
    "choice",
    "auto",
    ("auto", "recursive", "inertia"),
)
BASE_MOTION = Option(
    "base",
    "free: no wrench acts on the base and its acceleration is computed; given: its acceleration is an input",
    "choice",
    "free",
    ("free", "given"),
    flag="base_motion",
)
FREE = Option(
    "free", "joints of known torque tau_free, by number or name; their accelerations are computed", "frames"
)
ACTUATORS = Option(
    "actuators",
    "elastic: the motors of elastic joints have separate coordinates",
    "choice",
    None,
    ("elastic",),
)
SURPLUS = Option(
    "surplus",
    "if there are more active joints than degrees of freedom: refuse the robot, or share the torques "
    "among them with the least sum of squares; qda and qdda then belong to the first joints that "
    "determine the motion, tau to all active joints",
    "choice",
    "refuse",
    ("refuse", "share"),
)
# Options that require a property of the structure.
PLATFORM_OPTIONS = (SPACE, TO, WORKING_MODE, WITH_Q)
NEEDS_BASE = (ROTATION, BASE_MOTION)
NEEDS_WHEELS = (SURPLUS,)
NEEDS_RIGID_TREE = (ACTUATORS, WITH_REACTIONS, METHOD)
NEEDS_RIGID_LINKS = (EFFORT,)


@dataclass(frozen=True)
class Structure:
    """Kind of robot that the dynamic models distinguish, for example robots on a floating base.

    Attributes:
        of: text that is added to the titles of models; empty for the fixed base.
        applies: function that returns why the models of the structure do not apply to a robot, or None.
        applies_to: description of the robots of this structure.
        example: a bundled robot of this structure.
        base, wheels, modes, platform: whether the base is floating, the base is wheeled, links are flexible, and the
            coordinates are those of a platform.
    """

    of: str
    applies: Callable[[Robot], str | None]
    applies_to: str
    example: str
    base: bool = False
    wheels: bool = False
    modes: bool = False
    platform: bool = False

    def takes(self, robot: Robot, options: Options) -> bool:
        """Return whether this structure is the one of a robot with the given options.

        Only the base, the wheels and the platform are compared; the catalogue checks flexible links.
        """
        if in_platform_space(robot, options) or self.platform:
            return self.platform and in_platform_space(robot, options)
        return self.wheels == bool(robot.wheels) and self.base == (robot.base.kind == BaseKind.FLOATING)

    def inputs(self, read: Inputs) -> tuple[Port, ...]:
        """Return the input ports of a model of this structure, in their order.

        Args:
            read: the quantities that the model uses besides the positions.
        """
        if self.platform:
            known = {
                PLATFORM_POSE: True,
                PLATFORM_V: read.rates,
                PLATFORM_VD: read.accelerations,
                PLATFORM_TAU: read.torques,
            }
            return tuple(port for port, has in known.items() if has)
        motors = not (self.wheels or self.modes) and (read.accelerations or read.torques)
        ports = {
            Q: True,
            (QDA if self.wheels else QD): read.rates,
            (QDDA if self.wheels else QDD): read.accelerations,
            TAU_FREE: read.accelerations,
            QM: motors,
            QMD: motors,
            QMDD: motors and read.accelerations,
            (TAU_ACTIVE if self.wheels else TAU): read.torques,
            MODES: self.modes,
            MODE_RATES: self.modes and read.rates,
            V0: self.base and read.rates,
            VD0: self.base and read.base_acceleration,
            P0: self.base and read.position,
            R0: self.base and read.weight,
            Q0: self.base and read.weight,
        }
        return tuple(port for port, has in ports.items() if has)

    def options(self, options: tuple[Option, ...]) -> tuple[Option, ...]:
        """Return the options of a model that apply to this structure."""
        if self.platform:
            return tuple(option for option in options if option in PLATFORM_OPTIONS)
        without = list(PLATFORM_OPTIONS)
        for needing, has in (
            (NEEDS_BASE, self.base),
            (NEEDS_WHEELS, self.wheels),
            (NEEDS_RIGID_TREE, not self.wheels and not self.modes),
            (NEEDS_RIGID_LINKS, not self.modes),
        ):
            without += () if has else needing
        return tuple(option for option in options if option not in without)


def wheeled_tree(robot: Robot) -> str | None:
    """Return the reason why the dynamic models of wheeled robots do not apply to a robot, or None."""
    if not all(g.is_zero for g in robot.base.G[:2]):
        return "its gravity is not vertical, and the heading of a wheeled robot is not an input"
    return on_wheels(robot) or (unsupported_loops(robot) if robot.B else None)


def flexible_tree(robot: Robot) -> str | None:
    """Return the reason why the models of flexible links do not apply to a robot, or None."""
    if robot.B:
        return "its loops close over flexible links, whose bending the closure equations do not contain"
    if robot.wheels:
        return "its base is wheeled, and the rolling constraints do not contain the bending of its links"
    return floating_tree(robot) if robot.base.kind == BaseKind.FLOATING else fixed_tree(robot)


def supported_friction(robot: Robot, options: Options) -> str | None:
    """Return the reason why inverse and direct dynamics cannot include the friction of a robot, or None."""
    platform = in_platform_space(robot, options)
    if robot.motors and platform:
        return "its motors are coupled (motors), which models in platform coordinates do not include"
    for j, frame in enumerate(robot.frames, 1):
        if frame.FL.is_zero:
            continue
        reason = ""
        if platform:
            reason = "models in platform coordinates do not include it"
        elif options.get("surplus") == "share":
            reason = "torques that are shared among surplus drives do not include it"
        elif not frame.mu or frame.coupling:
            reason = "it is proportional to the torque of a drive, and this joint has no drive"
        elif frame.eta and not options.get("actuators"):
            reason = (
                "it is proportional to the torque of a motor; this joint is elastic, give actuators='elastic'"
            )
        if reason:
            return f"joint {j} has load-dependent friction FL: {reason}"
    return None


def without_load_friction(robot: Robot, options: Options) -> str | None:
    """Return the reason why a model that is linear in the torques does not apply to a robot, or None."""
    loaded = [str(j) for j, frame in enumerate(robot.frames, 1) if not frame.FL.is_zero]
    if loaded:
        return (
            f"its joints {', '.join(loaded)} have load-dependent friction FL, with which A qdd + H is not the torque "
            "of the drives; use inverse-dynamics or direct-dynamics, or set FL to zero"
        )
    return supported_friction(robot, options)


FIXED = Structure(
    "",
    fixed_tree,
    "serial, tree and closed-loop robots on a base that is fixed or moves as prescribed",
    "rx90",
)
FLOATING = Structure(
    "a floating base",
    floating_tree,
    "serial, tree and closed-loop robots on a floating base",
    "rx90_floating",
    base=True,
)
WHEELED = Structure(
    "a wheeled robot",
    wheeled_tree,
    ROLLING_ROBOTS,
    "diffdrive",
    wheels=True,
)
FLEXIBLE = Structure(
    "flexible links",
    flexible_tree,
    "serial and tree robots with flexible links on a base that is fixed or moves as prescribed",
    "flexible2r",
    modes=True,
)
FLEXIBLE_FLOATING = Structure(
    "flexible links on a floating base",
    flexible_tree,
    "serial and tree robots with flexible links on a floating base",
    "flexible_satellite",
    base=True,
    modes=True,
)
PLATFORM = Structure(
    "a platform with legs, space='platform'", always, APPLIES_TO, "gough_stewart", platform=True
)
STRUCTURES = (FLOATING, WHEELED, FLEXIBLE, FLEXIBLE_FLOATING)


def structure_of(layout: Layout) -> Structure:
    """Return the structure that corresponds to the coordinates `layout` of a robot."""
    if layout.platform is not None:
        return PLATFORM
    if layout.modes:
        return FLEXIBLE_FLOATING if layout.has_free_base else FLEXIBLE
    if layout.robot.wheels:
        return WHEELED
    return FLOATING if layout.has_free_base else FIXED


def tree_model(
    id: str,
    *,
    read: Inputs,
    outputs: Callable[[Structure], tuple[Port, ...]],
    options: tuple[Option, ...] = (),
    structures: Mapping[Structure, Mapping[str, Any]],
    menu: str = "Dynamic",
    selects: bool = False,
    **details: Any,
) -> Callable[[Callable[..., Program]], Callable[..., Program]]:
    """Return a decorator that registers a function as a model for several structures of robots.

    Args:
        id: name of the model in the catalogue.
        read: the quantities that the model uses besides the positions.
        outputs: function of a structure that returns the output ports.
        options: options of the model; each structure gets the options that apply to it.
        structures: for each structure, further attributes of the catalogue entry such as reference and equations.
        menu: group of the catalogue.
        selects: whether the function takes the names of the wanted outputs.
        details: attributes of the catalogue entry that all structures share.
    """

    def register(build: Callable[..., Program]) -> Callable[..., Program]:
        for structure, own in structures.items():
            described = {
                "inputs": structure.inputs(read),
                "outputs": outputs(structure),
                "options": structure.options(options),
                "applies": structure.applies,
                "applies_to": structure.applies_to,
                "example": structure.example,
                "selects": selects,
                **own,
            }
            if structure is FIXED:
                model(id, menu=menu, **described, **details)(build)
            else:
                form(id, of=structure.of, takes=structure.takes, flexible=structure.modes, **described)(build)
        return build

    return register
