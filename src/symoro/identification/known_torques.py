"""Torques of what a robot tells of itself and no log has to find: its payload, and external wrenches on its links.

    tau = W K + t(q, qd, qdd)

t is the inverse dynamic model of the robot whose links, rotors, friction and springs are taken out. The identification
models do not contain it: it comes off the measured torques, in every one of them, and the robot that is found keeps its
payload and its wrenches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from symoro.errors import NotApplicableError
from symoro.expr.formula import ZERO, Formula
from symoro.model import generate
from symoro.robot.description import INERTIAL, WRENCH, Link, Robot
from symoro.runtime.function import Function

DRIVE = ("IA", "FV", "FS", "FO")


def known_torques(robot: Robot) -> Function | None:
    """t as a function of the motion; None of a robot without payload and wrenches.

    Raises:
        NotApplicableError: a symbol of these has no number.
    """
    held = dict(_held(robot))
    if not held:
        return None
    numbers = dict(robot.nominal)
    for what, formulas in held.items():
        unknown = sorted({name for formula in formulas for name in formula.symbols if name not in numbers})
        if unknown:
            raise NotApplicableError(
                f"{what} of robot '{robot.name}' has no number for {', '.join(unknown)}, so that the torques "
                "of it are not known",
                hint=f"give {unknown[0]} a number (values, or 'nominal' in the robot's file); or take {what} out of "
                "the robot: what is carried is then found as a part of its link",
            )
    bare = _bare(robot)
    used = set(bare.symbols())
    return generate(
        bare.bind({name: value for name, value in numbers.items() if name in used}), "inverse-dynamics"
    ).function()


def held_words(robot: Robot) -> list[str]:
    """What the torques are known of, in words."""
    return [what for what, _ in _held(robot)]


def _held(robot: Robot) -> Iterator[tuple[str, list[Formula]]]:
    """What acts on a link by numbers of its own, with the formulas that are not zero."""
    carried = robot.payload if robot.tool else None
    owners: list[tuple[str, Link | None, Sequence[str]]]
    owners = [("the payload", carried, (*INERTIAL, *WRENCH))]
    owners += [(f"the wrench of link {j}", link, WRENCH) for j, link in enumerate(robot.links, 1)]
    for what, owner, names in owners:
        formulas = [getattr(owner, name) for name in names] if owner else []
        given = [formula for formula in formulas if not formula.is_zero]
        if given:
            yield what, given


def _bare(robot: Robot) -> Robot:
    """The robot with nothing but its payload and wrenches."""
    light: dict[str, Any] = dict.fromkeys(INERTIAL, ZERO)
    idle: dict[str, Any] = {**dict.fromkeys((*DRIVE, "k", "rest"), ZERO), "eta": False}
    return robot.replace(
        links=tuple(replace(link, **light) for link in robot.links),
        frames=tuple(replace(frame, **idle) for frame in robot.frames),
    )
