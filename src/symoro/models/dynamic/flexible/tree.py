"""Tree of a robot with flexible links: frames, and a beam between the root and the tip of each flexible link.

    i - joint - link j (root) - beam - tip in the root's axes - rotations - tip - bodies attached to link j

The bodies after a root are numbered after the frames of the robot. The mass of the beam is part of the root's inertia;
the tip has the mass of what is fixed to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from symoro.errors import NotApplicableError
from symoro.expr.scalar import Scalar
from symoro.models.dynamic.articulated import TreeElement
from symoro.models.dynamic.flexible.beam import Beam, beam
from symoro.models.dynamic.inertia import joined, link_inertias, of_link, payloads
from symoro.models.dynamic.setting import has_wrench
from symoro.models.ports import MODE_RATES, MODES
from symoro.models.recursion import joint_frames
from symoro.models.spatial import ZERO_INERTIA, Inertia
from symoro.program.builder import Builder
from symoro.program.program import Port
from symoro.robot.description import Link, Robot
from symoro.robot.flexibility import flexible_links, mode_names

ModesOfLinks = Mapping[int, list[Scalar]]  # by flexible link


@dataclass(frozen=True)
class FlexibleTree:
    """Kinematic tree of a robot with flexible links.

    Attributes:
        elements: frames and beams by number, each after its antecedent.
        inertias: inertia of every body, including link 0.
        beams: the beams by link.
    """

    elements: dict[int, TreeElement]
    inertias: dict[int, Inertia]
    beams: dict[int, Beam]

    def without_stiffness(self) -> dict[int, TreeElement]:
        """Return the elements of the tree with beams of zero stiffness.

        They are used to compute the forces of gravity without elastic forces.
        """
        return {
            j: replace(element, stiff=[0] * len(element.stiff)) if isinstance(element, Beam) else element
            for j, element in self.elements.items()
        }


def mode_inputs(builder: Builder, robot: Robot, *, rates: bool = True) -> tuple[ModesOfLinks, ModesOfLinks]:
    """Declare the modal coordinates e as an input; return e and the modal velocities ed, each by flexible link.

    Args:
        rates: whether ed is an input as well; otherwise it is zero.
    """
    e = _by_link(builder, robot, MODES, "")
    if rates:
        return e, _by_link(builder, robot, MODE_RATES, "d")
    return e, {j: [0] * len(entries) for j, entries in e.items()}


def _by_link(builder: Builder, robot: Robot, port: Port, dots: str) -> ModesOfLinks:
    names = [name.replace("e", f"e{dots}", 1) for name in mode_names(robot)]
    left = iter(builder.input(port, (len(names),), names))
    return {j: [next(left) for _ in range(f.modes)] for j, f in flexible_links(robot).items()}


def flexible_tree(
    builder: Builder, robot: Robot, q: Mapping[int, Scalar], e: ModesOfLinks, ed: ModesOfLinks
) -> FlexibleTree:
    """Return the tree of a robot with flexible links at given joint positions and modal coordinates.

    Args:
        q: joint positions.
        e, ed: modal coordinates and their velocities, by flexible link.
    """
    flexible = flexible_links(robot)
    rigid = replace(robot, payload=None)
    inertias, payload = link_inertias(builder, rigid), payloads(builder, robot)
    elements: dict[int, TreeElement] = {}
    beams: dict[int, Beam] = {}
    tips: dict[int, int] = {}
    number = robot.NF + 1
    for j, frame in joint_frames(builder, robot, q).items():
        elements[j] = replace(frame, i=tips.get(frame.i, frame.i))
        if j not in flexible:
            continue
        beams[j], turns = beam(builder, flexible[j], j, number, e[j], ed[j])
        elements |= {number: beams[j], **{turn.j: turn for turn in turns}}
        inertias |= dict.fromkeys((number, *(turn.j for turn in turns)), ZERO_INERTIA)
        inertias[j] = joined(inertias[j], beams[j].inertia)
        tips[j] = turns[-1].j
        inertias[tips[j]] = of_link(builder, flexible[j].tip or Link())
        number = turns[-1].j + 1
    for j, carried in payload.items():
        if j in tips and robot.payload and has_wrench(robot.payload):
            raise NotApplicableError(
                f"the payload on the flexible link {j} exerts a wrench; models with flexible links do not support this",
                hint="remove the wrench, or attach the tool to a rigid link",
            )
        inertias[tips.get(j, j)] = joined(inertias[tips.get(j, j)], carried)
    return FlexibleTree(elements, inertias, beams)
