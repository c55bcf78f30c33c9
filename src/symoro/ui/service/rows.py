"""Add and remove rows: frames with their links, loops, wheels, tool, payload, beams, postures.

References to a frame keep referring to the same frame. A frame that a wheel, a platform or a coupled joint requires
cannot be removed before those are removed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from symoro.errors import ArgumentError
from symoro.expr.formula import ONE, ZERO, Formula
from symoro.expr.parser import NAME, reserved
from symoro.robot.description import INERTIAL, Frame, JointType, Link, Placement, Tool
from symoro.robot.flexibility import Flexibility
from symoro.robot.symbols import symbols
from symoro.robot.wheels import Wheel, WheelKind
from symoro.ui.service.cells import JOINTS, cell, choice, no_row
from symoro.ui.service.draft import Draft, renumbered
from symoro.ui.service.payload import item

Edit = Mapping[str, Any]
MOST_FRAMES = 200


def add_frame(draft: Draft, edit: Edit) -> Draft:
    """Add a joint and its link to a robot that is being edited.

    The new frame is numbered after frame `after` (default: the last link) and has the antecedent `ant`. With
    `carry`, frames that had the antecedent `ant` get the new frame as antecedent. With `inertia`, the inertial
    parameters of the link are new symbols.

    Args:
        draft: data of the robot.
        edit: mapping with the keys named above.
    """
    after = item(edit, "after", int, draft.NL)
    ant = item(edit, "ant", int, after)
    _link_or_base(draft, after)
    _link_or_base(draft, ant)
    _room(draft, 1)
    new = after + 1
    made = renumbered(draft, lambda j: j + 1 if j > after else j)
    ant = ant + 1 if ant > after else ant
    frames = list(made.frames)
    if item(edit, "carry", bool, False):
        frames = [replace(frame, ant=new) if frame.ant == ant else frame for frame in frames]
    sigma = choice("sigma", item(edit, "sigma", str, "R").upper(), JOINTS)
    moving = sigma != JointType.FIXED
    frame = Frame(ant, sigma, mu=moving, d=ONE if ant else ZERO, name=item(edit, "name", str, "").strip())
    frames.insert(after, frame)
    link = _symbolic_link(draft, new) if item(edit, "inertia", bool, False) else Link()
    return replace(made, frames=tuple(frames), links=(*made.links[:after], link, *made.links[after:]))


def remove_frame(draft: Draft, edit: Edit) -> Draft:
    """Remove the link and joint of frame `j`; the antecedent of `j` becomes the antecedent of the frames on it."""
    j = item(edit, "j", int)
    if not 0 < j <= draft.NL:
        no_row("link", j)
    _nothing_needs(draft, j)
    ant = draft.frame(j).ant

    def number(k: int) -> int:
        k = ant if k == j else k
        return k - 1 if k > j else k

    kept = replace(
        draft,
        frames=tuple(frame for k, frame in enumerate(draft.frames, 1) if k != j),
        links=tuple(link for k, link in enumerate(draft.links, 1) if k != j),
        postures={name: {k: x for k, x in q.items() if k != j} for name, q in draft.postures.items()},
        link_frames=tuple(link for link in draft.link_frames if link.frame != j),
        capsules=tuple(capsule for capsule in draft.capsules if capsule.frame != j),
    )
    return renumbered(kept, number)


def _nothing_needs(draft: Draft, j: int) -> None:
    for k, frame in enumerate(draft.frames, 1):
        if k != j and frame.coupling is not None and j in [i for i, _ in frame.coupling.terms]:
            raise ArgumentError(
                f"joint {k} is coupled to joint {j}", hint=f"empty the cell 'coupled' of joint {k} first"
            )
    for k, wheel in enumerate(draft.wheels, 1):
        if j in (wheel.frame, wheel.steering, wheel.follows):
            raise ArgumentError(f"wheel {k} uses frame {j}", hint=f"remove wheel {k} first")
    for motor in draft.motors:
        if j in motor.shares:
            raise ArgumentError(
                f"the coupled motor of joint {motor.joint} turns with joint {j}",
                hint="remove the motor from the list 'motors' of the robot file first",
            )
    if draft.platform == j:
        raise ArgumentError(f"frame {j} is the platform", hint="choose another frame as the platform first")


def _link_or_base(draft: Draft, j: int) -> None:
    if not 0 <= j <= draft.NL:
        raise ArgumentError(f"frame {j} has no link (links are 0 .. {draft.NL})")


def _room(draft: Draft, more: int) -> None:
    if draft.NF + more > MOST_FRAMES:
        raise ArgumentError(f"a robot in the workbench has at most {MOST_FRAMES} frames")


def _symbolic_link(draft: Draft, j: int) -> Link:
    taken = symbols_of(draft)
    values: dict[str, Any] = {name: Formula(_unused(f"{name}{j}", taken)) for name in INERTIAL}
    return Link(**values)


def symbols_of(draft: Draft) -> set[str]:
    """Return the names of all symbols of the edited robot."""
    return {*symbols(draft), *dict(draft.nominal)}  # type: ignore[arg-type]


def _unused(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def add_loop(draft: Draft, edit: Edit) -> Draft:
    """Add a closed loop between two links, whose frames are `from` and `to` in the edit.

    The frame of the cut joint has the antecedent `from`, the second frame of the cut joint the antecedent `to`.
    """
    start, end = item(edit, "from", int), item(edit, "to", int)
    _link_or_base(draft, start)
    _link_or_base(draft, end)
    _room(draft, 2)
    sigma = choice("sigma", item(edit, "sigma", str, "R").upper(), JOINTS)
    NJ = draft.NL + draft.B  # cut joints end here, their second frames follow
    made = renumbered(draft, lambda j: j + 1 if j > NJ else j)
    opened = Frame(start, sigma, mu=False)
    twin = Frame(end, JointType.FIXED, mu=False)
    return replace(made, frames=(*made.frames[:NJ], opened, *made.frames[NJ:], twin))


def remove_loop(draft: Draft, edit: Edit) -> Draft:
    """Remove the closed loop whose cut joint has the frame `j`."""
    j = item(edit, "j", int)
    if not draft.NL < j <= draft.NF:
        no_row("loop at frame", j)
    opened = j if j <= draft.NL + draft.B else j - draft.B
    gone = (opened, opened + draft.B)
    for k, frame in enumerate(draft.frames, 1):
        if frame.ant in gone and k not in gone:
            raise ArgumentError(
                f"the antecedent of frame {k} is frame {frame.ant}, which belongs to this loop",
                hint="choose another antecedent of this frame first",
            )
    kept = replace(draft, frames=tuple(f for k, f in enumerate(draft.frames, 1) if k not in gone))
    return renumbered(kept, lambda k: k - sum(k > one for one in gone))


def add_wheel(draft: Draft, edit: Edit) -> Draft:
    """Add a wheel on frame `frame` with its kind and radius and, for a steered wheel, its steering joint."""
    kinds = {str(kind): kind for kind in WheelKind}
    kind = choice("kind", item(edit, "kind", str, "fixed"), kinds)
    wheel = Wheel(
        item(edit, "frame", int),
        kind,
        cell("radius", item(edit, "radius", str, "0.1")),
        item(edit, "steering", int, 0),
        cell("roller", item(edit, "roller", str, "0")),
        item(edit, "follows", int, 0),
    )
    return replace(draft, wheels=(*draft.wheels, wheel))


def remove_wheel(draft: Draft, edit: Edit) -> Draft:
    k = item(edit, "j", int)
    if not 0 < k <= len(draft.wheels):
        no_row("wheel", k)
    return replace(draft, wheels=(*draft.wheels[: k - 1], *draft.wheels[k:]))


def add_tool(draft: Draft, edit: Edit) -> Draft:
    """Add a tool frame on frame `on`, by default on the frame of the last link."""
    if draft.tool is not None:
        raise ArgumentError("the robot has a tool already")
    on = item(edit, "on", int, draft.NL)
    _link_or_base(draft, on)
    return replace(draft, tool=Tool(Placement(on, r=Formula("0.1"))))


def remove_tool(draft: Draft, edit: Edit) -> Draft:
    """Remove the tool frame of the edited robot, and its payload."""
    if draft.tool is None:
        no_row("tool", "to remove")
    return replace(draft, tool=None, payload=None)


def add_payload(draft: Draft, edit: Edit) -> Draft:
    if draft.payload is not None:
        raise ArgumentError("the robot has a payload already")
    return replace(draft, payload=Link(M=ONE))


def remove_payload(draft: Draft, edit: Edit) -> Draft:
    if draft.payload is None:
        no_row("payload", "to remove")
    return replace(draft, payload=None)


def add_flexible(draft: Draft, edit: Edit) -> Draft:
    """Make link `j` a flexible beam with symbolic properties and one bending mode along y."""
    j = _link(draft, item(edit, "j", int))
    if draft.link(j).flexible is not None:
        raise ArgumentError(f"link {j} is flexible already")
    taken = symbols_of(draft)
    length, density, stiffness = (Formula(_unused(f"{word}{j}", taken)) for word in ("L", "rho", "EI"))
    return draft.with_link(j, flexible=Flexibility(length, density, stiffness, y=1))


def remove_flexible(draft: Draft, edit: Edit) -> Draft:
    j = _link(draft, item(edit, "j", int))
    if draft.link(j).flexible is None:
        no_row("flexible link", j)
    return draft.with_link(j, flexible=None)


def _link(draft: Draft, j: int) -> int:
    if not 0 < j <= draft.NL:
        no_row("link", j)
    return j


def add_tip(draft: Draft, edit: Edit) -> Draft:
    """Add a body at the tip of the flexible link `j`."""
    return _with_tip(draft, item(edit, "j", int), Link(M=ONE))


def remove_tip(draft: Draft, edit: Edit) -> Draft:
    return _with_tip(draft, item(edit, "j", int), None)


def _with_tip(draft: Draft, j: int, tip: Link | None) -> Draft:
    held = draft.link(_link(draft, j)).flexible
    if held is None:
        no_row("flexible link", j)
    return draft.with_link(j, flexible=replace(held, tip=tip))


def add_posture(draft: Draft, edit: Edit) -> Draft:
    """Add a posture `name` with the positions `q` of the independent joints; without `q` all positions are zero."""
    name = item(edit, "name", str).strip()
    if not NAME.match(name) or reserved(name):
        raise ArgumentError(f"'{name[:40]}' is not a valid name of a posture", hint="letters, digits and _")
    own = coordinates(draft)
    given = item(edit, "q", list, [0.0] * len(own))
    if len(given) != len(own) or any(isinstance(x, bool) or not isinstance(x, int | float) for x in given):
        raise ArgumentError(f"'q': expected {len(own)} numbers, one per joint")
    return replace(draft, postures={**draft.postures, name: dict(zip(own, map(float, given), strict=True))})


def remove_posture(draft: Draft, edit: Edit) -> Draft:
    name = item(edit, "j", str)
    if name not in draft.postures:
        no_row("posture", name[:40])
    return replace(draft, postures={key: q for key, q in draft.postures.items() if key != name})


def coordinates(draft: Draft) -> list[int]:
    """Return the numbers of the independent joints of the edited robot."""
    numbered = enumerate(draft.frames[: draft.NL], 1)
    return [j for j, frame in numbered if frame.moving and frame.coupling is None]


ROWS = {
    "add_frame": add_frame,
    "remove_frame": remove_frame,
    "add_loop": add_loop,
    "remove_loop": remove_loop,
    "add_wheel": add_wheel,
    "remove_wheel": remove_wheel,
    "add_tool": add_tool,
    "remove_tool": remove_tool,
    "add_payload": add_payload,
    "remove_payload": remove_payload,
    "add_flexible": add_flexible,
    "remove_flexible": remove_flexible,
    "add_tip": add_tip,
    "remove_tip": remove_tip,
    "add_posture": add_posture,
    "remove_posture": remove_posture,
}
