"""Gravity and external wrenches of a robot, and applicability of the dynamic models."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from symoro.expr.formula import ZERO
from symoro.expr.linalg import Vector, add, matvec, transpose
from symoro.expr.scalar import Scalar
from symoro.models.dynamic.inertia import tool_frame
from symoro.models.ports import WRENCH as EXTERNAL
from symoro.models.spatial import Wrench
from symoro.program.builder import Builder
from symoro.robot.coordinates import independent
from symoro.robot.description import WRENCH, ZERO3, BaseKind, Link, Robot
from symoro.robot.topology import cut_joints

LOOPS = "it has closed loops; robot.tree() cuts them"


def fixed_tree(robot: Robot) -> str | None:
    """Return the reason why the models of a fixed base (with or without loops) do not apply to a robot, or None."""
    if robot.base.kind == BaseKind.FLOATING or robot.wheels:
        return f"its base is {robot.base.kind}"
    if robot.B:
        return unsupported_loops(robot)
    if not independent(robot):
        return "it has no moving joint"
    return None


def unsupported_loops(robot: Robot) -> str | None:
    """Return the property of a robot that the models of closed loops do not support, or None."""
    for j, frame in enumerate(robot.frames[: robot.NL], 1):
        if frame.eta and frame.mu:
            return f"joint {j} is both active and elastic, which robots with closed loops do not support"
    for k in cut_joints(robot):
        if robot.frame(k).eta:
            return f"the cut joint {k} is elastic: cut the loop at another joint"
    return None


def gravity(builder: Builder, robot: Robot) -> Vector:
    """Return gravity in frame 0: the gravity vector of the world, rotated into frame 0 by the base pose Z."""
    world = [builder.formula(g) for g in robot.base.G]
    entries = [builder.formula(z) for z in robot.base.Z]
    rotation = [entries[4 * r : 4 * r + 3] for r in range(3)]
    return matvec(transpose(rotation), world)


def wrenches(builder: Builder, robot: Robot, *, with_base: bool = False) -> dict[int, Vector]:
    """Return the wrench (force; moment) of each link on the environment, in the link's frame.

    Symbolic components of a wrench vary in time and are inputs. For a robot with loops the input has a row for every
    link; nonzero numbers in the robot description replace the corresponding entries of the input. The wrench of the
    payload is added to the link with the tool; symbols in this wrench are parameters.

    Args:
        with_base: whether the wrench of link 0 is included; if it has symbols, the first row of the input is its row.
    """
    formulas = {j: [getattr(link, n) for n in WRENCH] for j, link in enumerate(robot.links, 1)}
    of_base = [getattr(robot.base.link, n) for n in WRENCH] if with_base else []
    if any(f.symbols for f in of_base):
        formulas = {0: of_base, **formulas}
    given: dict[int, list[Scalar]] = {}
    if any(f.symbols for row in formulas.values() for f in row):
        names = [f"{n}{j}" for j in formulas for n in WRENCH]
        entries = builder.input(EXTERNAL, (len(formulas), 6), names)
        given = {j: list(entries[6 * k : 6 * k + 6]) for k, j in enumerate(formulas)}
    by_link: dict[int, Vector] = {}
    for j, row in {0: of_base, **formulas}.items():
        read = [bool(f.symbols) or bool(given and robot.B and f.is_zero and j in given) for f in row]
        if any(read) or any(not f.is_zero for f in row):
            by_link[j] = [given[j][k] if read[k] else builder.formula(f) for k, f in enumerate(row)]
    for j, extra in _of_payload(builder, robot).items():
        if j or with_base:
            by_link[j] = add(by_link[j], extra) if j in by_link else extra
    return by_link


def _of_payload(builder: Builder, robot: Robot) -> dict[int, Vector]:
    """Return the wrench (fx, fy, fz, mx, my, mz) that the payload exerts on the environment, if it is described.

    Returns:
        The wrench, expressed in the frame to which the tool is attached, by the number of this frame; empty without a
        wrench.
    """
    if not robot.payload or not robot.tool or not has_wrench(robot.payload):
        return {}
    entries: Vector = [builder.formula(getattr(robot.payload, n)) for n in WRENCH]
    tool = tool_frame(builder, robot, robot.tool)
    moved = Wrench(entries[:3], entries[3:]).to_parent(tool)
    return {tool.i: [*moved.f, *moved.m]}


def has_wrench(link: Link) -> bool:
    """Return whether the description gives a link a nonzero wrench on the environment."""
    return any(not getattr(link, name).is_zero for name in WRENCH)


def at_rest(robot: Robot) -> Robot:
    """Return the robot without external wrenches and base motion, for models of gravity and energy."""
    none: dict[str, Any] = dict.fromkeys(WRENCH, ZERO)
    links = tuple(replace(link, **none) for link in robot.links)
    payload = replace(robot.payload, **none) if robot.payload else None
    of_base = replace(robot.base.link, **none)
    given = robot.base.kind == BaseKind.WHEELED and not robot.wheels
    kind = BaseKind.FIXED if given else robot.base.kind
    base = replace(robot.base, kind=kind, link=of_base, V0=ZERO3, W0=ZERO3, VP0=ZERO3, WP0=ZERO3)
    return replace(robot, links=links, base=base, payload=payload)
