"""What the dynamic models read from a robot: gravity, wrenches, friction, springs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from symoro.expr.formula import ZERO
from symoro.expr.linalg import Vector, matvec, transpose
from symoro.expr.scalar import Scalar, sign
from symoro.models.ports import WRENCH as EXTERNAL
from symoro.program.builder import Builder
from symoro.robot.coordinates import independent
from symoro.robot.description import WRENCH, ZERO3, BaseKind, Robot

LOOPS = "it has closed loops; robot.tree() cuts them"


def fixed_tree(robot: Robot) -> str | None:
    """Why the models of a tree on a fixed base do not apply, if so."""
    if robot.B:
        return LOOPS
    if robot.base.kind == BaseKind.FLOATING or robot.wheels:
        return f"its base is {robot.base.kind}"
    if not independent(robot):
        return "it has no moving joint"
    return None


def rigid_fixed_tree(robot: Robot) -> str | None:
    """The same for models that do not know springs."""
    if any(frame.eta for frame in robot.frames):
        return "it has elastic joints"
    return fixed_tree(robot)


APPLIES_TO = "serial and tree robots on a base that is fixed or moves as prescribed"
RIGID_APPLIES_TO = "serial and tree robots with rigid joints on a base that is fixed or moves as prescribed"


def gravity(builder: Builder, robot: Robot) -> Vector:
    """Gravity in frame 0: the world's, turned back by the rotation of Z."""
    world = [builder.formula(g) for g in robot.base.G]
    entries = [builder.formula(z) for z in robot.base.Z]
    rotation = [entries[4 * r : 4 * r + 3] for r in range(3)]
    return matvec(transpose(rotation), world)


def wrenches(builder: Builder, robot: Robot, *, with_base: bool = False) -> dict[int, Vector]:
    """The wrench of each link on the environment; what is left symbolic varies in time and is an input.

    Arguments:
        with_base: that of link 0 counts; where it has symbols, the input has a row for it, the first one.
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
    found: dict[int, Vector] = {}
    for j, row in {0: of_base, **formulas}.items():
        if any(not f.is_zero for f in row):
            found[j] = [given[j][k] if f.symbols else builder.formula(f) for k, f in enumerate(row)]
    return found


def drive_torques(
    builder: Builder, robot: Robot, qd: Mapping[int, Scalar], qdd: Mapping[int, Scalar]
) -> dict[int, Scalar]:
    """Rotor inertia and friction: IA qdd + FV qd + FS sign(qd) + FO, for every moving joint."""
    found: dict[int, Scalar] = {}
    for j, rate in qd.items():
        frame = robot.frame(j)
        torque: Scalar = builder.formula(frame.FO)
        torque = torque + builder.formula(frame.IA) * qdd[j] + builder.formula(frame.FV) * rate
        if not frame.FS.is_zero:
            torque = torque + builder.formula(frame.FS) * sign(rate)
        found[j] = torque
    return found


def spring_torques(builder: Builder, robot: Robot, q: Mapping[int, Scalar]) -> dict[int, Scalar]:
    """What it takes against the springs of the elastic joints of the tree: k (q - rest)."""
    elastic = {j: robot.frame(j) for j in q if robot.frame(j).eta}
    return {j: builder.formula(f.k) * (q[j] - builder.formula(f.rest)) for j, f in elastic.items()}


def at_rest(robot: Robot) -> Robot:
    """The robot without external wrenches on a base that does not move, for models of gravity and energy."""
    none: dict[str, Any] = dict.fromkeys(WRENCH, ZERO)
    links = tuple(replace(link, **none) for link in robot.links)
    of_base = replace(robot.base.link, **none)
    given = robot.base.kind == BaseKind.WHEELED and not robot.wheels
    kind = BaseKind.FIXED if given else robot.base.kind
    base = replace(robot.base, kind=kind, link=of_base, V0=ZERO3, W0=ZERO3, VP0=ZERO3, WP0=ZERO3)
    return replace(robot, links=links, base=base)
