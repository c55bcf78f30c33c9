"""Check whether the relations of base parameters hold in every assembly mode of closed loops.

The equations of loops may have several families of solutions, with different relations between the parameters: the
links of a kite whose short sides coincide rotate as one body. Without a posture the result is that of one family.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symoro.models.geometric.loop.parallelogram import linear_loops
from symoro.models.identification.base.assembly import Assembly, assembled, loop_coordinates
from symoro.models.identification.base.loops import Closures
from symoro.models.identification.base.numeric import Geometry, coefficient_unit, energy_rows, numbers, still
from symoro.models.identification.base.result import BaseParameters, split
from symoro.models.numeric.closure import Flags, balanced_closure, closed
from symoro.models.numeric.fixed_point import Array
from symoro.models.numeric.tree import joint_positions
from symoro.models.tolerances import RELATION
from symoro.robot.coordinates import independent
from symoro.robot.size import joint_units
from symoro.threads import one_thread

NEAR = 5  # configurations around each closed one
RATES = 3  # states at each of them
STEP = 0.1  # rad, or relative to the largest length: distance of two configurations of a mode


@one_thread
def other_modes(parameters: BaseParameters, known: Closures) -> tuple[str, ...]:
    """Return a tuple with a note if the relations of base parameters do not hold in another assembly mode.

    As in the models of the robot, a parallelogram is crossed only if it is crossed in the posture 'home'.

    Args:
        parameters: the base parameters.
        known: the loops of the robot, with nominal values of all symbols.
    """
    robot = parameters.original.replace(nominal=known.robot.nominal)
    linear = linear_loops(robot)
    with np.errstate(all="ignore"):
        geometry = numbers(linear.robot, closing=linear.open)
        postures = assembled(geometry, None) if linear.open else []
        wrong = [
            at.q
            for at, holds in zip(postures, _hold(parameters, geometry, postures), strict=True)
            if not holds
        ]
    if not wrong:
        return ()
    (q,) = joint_positions(geometry, wrong[0][None])
    own = independent(robot)
    units = joint_units(robot, own, geometry.length)
    shown = ", ".join(f"q{j} = {q[j - 1] * unit:.4g}" for j, unit in zip(own, units, strict=True))
    return (
        "the loops have several assembly modes with different base parameters: the returned ones are "
        f"not valid near {shown}; the posture 'home' of the robot, or the option posture, selects the "
        "mode",
    )


def _hold(parameters: BaseParameters, geometry: Geometry, postures: Sequence[Assembly]) -> Sequence[bool]:
    """Return, for each closed configuration, whether the relations of base parameters hold near it.

    Let h be the energy per unit of a parameter. The relation of a dependent parameter to base parameters holds if its h
    minus the sum of coefficient times h of the base parameters is constant.

    Args:
        geometry: the robot in numbers.
        postures: the closed configurations.
    """
    if not postures:
        return []
    q, qd, good = _states(geometry, postures)
    keys = {split(name) for kept, others in parameters.relations.items() for name in (kept, *others)}
    columns = sorted(keys | {split(name) for name in parameters.no_effect})
    place = {column: k for k, column in enumerate(columns)}
    rows = energy_rows(geometry, still(q, qd), columns).reshape(*good.shape, len(columns))
    left, sizes = rows.copy(), np.abs(rows)
    values = dict(geometry.robot.nominal)
    for kept, others in parameters.relations.items():
        for name, c in others.items():
            unit = coefficient_unit(geometry.robot, split(kept), split(name), geometry.length)
            own, other = place[split(name)], rows[:, :, place[split(kept)]] * (c.value(values) / unit)
            left[:, :, own] -= other
            sizes[:, :, own] = np.maximum(sizes[:, :, own], np.abs(other))
    dropped = [
        place[split(name)]
        for name in (*parameters.no_effect, *(n for o in parameters.relations.values() for n in o))
    ]
    away = np.where(good[:, :, None], np.abs(left - left[:, :1]), 0)[:, :, dropped].max(1)
    limits = RELATION * np.maximum(sizes.max((0, 1)), 1)  # functions that vanish consist of round-off
    return [bool(x) for x in (away <= limits[dropped]).all(1)]


def _states(geometry: Geometry, postures: Sequence[Assembly]) -> tuple[Array, Array, Flags]:
    """Return states around each of P closed configurations.

    Args:
        postures: the closed configurations.

    Returns:
        Positions (P * states, n), velocities (P * states, n), and a mask (P, states) of the states with closed
        loops.
    """
    rng = np.random.default_rng(11)
    rank, own = len(postures[0].bound), np.repeat(np.stack([at.q for at in postures]), NEAR + 1, 0)
    step = STEP * _tangents(geometry, own, rank, rng)
    step[:: NEAR + 1] = 0
    moved, good = closed(geometry, own + step, range(own.shape[1]))
    good &= np.abs((moved - own) / geometry.units).max(1) < 2 * STEP * np.sqrt(own.shape[1])
    q = np.repeat(moved, RATES, 0)
    return q, _tangents(geometry, q, rank, rng), np.repeat(good, RATES).reshape(len(postures), -1)


def _tangents(geometry: Geometry, q: Array, rank: int, rng: np.random.Generator) -> Array:
    """Return random velocities (N, n) that keep the loops closed at configurations q (N, n).

    Args:
        rank: rank of the constraint Jacobian.
    """
    inside = loop_coordinates(geometry)
    _, jacobian = balanced_closure(geometry, q)
    turned = jacobian[:, :, inside].transpose(0, 2, 1)
    null = np.linalg.eigh(turned @ jacobian[:, :, inside])[1][:, :, : len(inside) - rank]
    rates = rng.uniform(-1, 1, q.shape)
    rates[:, inside] = (null @ (null.transpose(0, 2, 1) @ rates[:, inside, None]))[:, :, 0]
    return np.asarray(rates * geometry.units)
