"""The posture in which a motion of the active joints of closed loops begins, which tells its way of assembly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError, FormatError, NotClosedError, Place, SymoroError, UnknownNameError
from symoro.motion.assembly import BrokenLoopsError, LoopAssembly
from symoro.robot.description import Robot

Array = NDArray[np.float64]
SHOWN = 4  # assemblies that a message lists
APART = 0.1  # rad: what a posture that was read off may be off by


def first_posture(
    robot: Robot,
    values: Mapping[str, float],
    first: Array,
    posture: str | Sequence[float] | None,
    source: str,
    place: Place | None = None,
) -> tuple[float, ...] | None:
    """All joints of a robot with closed loops, at the first sample of its active ones; None where there is no choice.

    Arguments:
        first: the active joints there.
        posture: the name of one of the robot's, or the positions of all joints of the tree; 'home' unless given.
        source: what the sample is from, and `place` where it stands, for messages.

    Raises:
        ArgumentError: the loops can be assembled in several ways there, and nothing tells in which.
        SymoroError: they do not close with the sample; a FormatError where it has a place.
    """
    assembly = LoopAssembly(robot, values)
    named = _named(robot, assembly, posture)
    if assembly.linear:
        if posture is not None and named is not None:
            _check_sums(assembly, named)
        return None
    if named is None:
        return _only(robot, assembly, first, source, place)
    try:
        row = assembly.row(named)
    except NotClosedError:
        raise ArgumentError(
            "posture: the loops do not close near it",
            hint=f"give the positions of all joints with which {source} starts, as near as you know them",
        ) from None
    try:
        return tuple(assembly.postures(assembly.walked(row, first)[None])[0])
    except BrokenLoopsError as error:
        raise _refused(
            f"on the way from the given posture to the first sample {error.message}",
            place,
            "check units, signs and offsets of the positions; or give a posture nearer to the first sample",
        ) from None


def _refused(message: str, place: Place | None, hint: str) -> SymoroError:
    return (
        ArgumentError(message, hint=hint) if place is None else FormatError(message, place=place, hint=hint)
    )


def _named(
    robot: Robot, assembly: LoopAssembly, posture: str | Sequence[float] | None
) -> Sequence[float] | None:
    if posture is None:
        return robot.postures.get("home")
    if isinstance(posture, str):
        if posture not in robot.postures:
            raise UnknownNameError(
                f"posture '{posture}' of robot '{robot.name}'", posture, list(robot.postures)
            )
        return robot.postures[posture]
    given = [float(x) for x in posture]
    if len(given) != len(assembly.joints) or not np.isfinite(given).all():
        names = ", ".join(f"q{j}" for j in assembly.joints)
        raise ArgumentError(f"posture: expected {len(assembly.joints)} numbers, {names}; got {len(given)}")
    return given


def _check_sums(assembly: LoopAssembly, posture: Sequence[float]) -> None:
    """Refuse a posture that parallelograms do not have."""
    closed = assembly.postures(assembly.row(posture)[None])[0]
    away = np.abs(np.angle(np.exp(1j * (closed - np.asarray(posture)))))
    k = int(np.argmax(away))
    if away[k] > APART:
        raise ArgumentError(
            f"posture: joint {assembly.joints[k]} at {posture[k]:.4g}, where the parallelograms have it at "
            f"{closed[k]:.4g} with the other joints",
            hint="leave it out: parallelograms can be assembled in one way alone",
        )


def _only(
    robot: Robot, assembly: LoopAssembly, first: Array, source: str, place: Place | None
) -> tuple[float, ...]:
    """The one assembly with the first sample's positions."""
    try:
        found = [assembly.postures(row[None])[0] for row in assembly.assemblies(first)]
    except NotClosedError:
        raise _refused(
            f"the loops of robot '{robot.name}' do not close with these positions",
            place,
            "check units, signs and offsets of the positions, and the robot's lengths",
        ) from None
    if len(found) == 1:
        return tuple(found[0])
    shown = "".join(f"\n  {','.join(f'{x:.4g}' for x in one)}" for one in found[:SHOWN])
    names = ", ".join(f"q{j}" for j in assembly.joints)
    raise ArgumentError(
        f"the loops of robot '{robot.name}' can be assembled in {len(found)} ways where {source} starts, and nothing "
        f"tells in which ({names}):{shown}{'' if len(found) <= SHOWN else ' ...'}",
        hint="say which by the option 'posture', or by a posture 'home' in the robot's file",
    )
