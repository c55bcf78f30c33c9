"""Home assembly mode of a robot with closed loops, given by the posture 'home' of its description.

Closed loops often have several assembly modes, which may satisfy different equations. For example, an
antiparallelogram has the same lengths as a parallelogram, and a slider-crank whose crank and rod have equal lengths can
fold and rotate as one body. The posture 'home' selects the mode in which the robot is used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from symoro.errors import ArgumentError
from symoro.models.numeric.closure import Flags, around, closed
from symoro.models.numeric.fixed_point import Array
from symoro.models.numeric.tree import NumericTree, formulas, numeric_tree
from symoro.models.tolerances import HOME_ERROR
from symoro.robot.coordinates import independent
from symoro.robot.description import JointType, Robot
from symoro.robot.postures import HOME
from symoro.robot.topology import loops


def has_loop_numbers(robot: Robot) -> bool:
    """Return whether every length and angle of the closed loops has a numerical value."""
    return not any(f.symbols - dict(robot.nominal).keys() for f in formulas(robot, _loop_frames(robot)))


def _loop_frames(robot: Robot) -> list[int]:
    return sorted({j for loop in loops(robot) for j in loop.frames})


@lru_cache(maxsize=64)
def closed_home(robot: Robot) -> Mapping[int, float] | None:
    """Return the joint positions of the posture 'home' with all loops closed.

    Returns:
        The position of every independent joint, including the cut joints, by joint number. The result is None if the
        robot has no posture 'home', if a length or angle of its loops has no numerical value, or if the loops do not
        close near this posture.
    """
    given = robot.postures.get(HOME)
    values = dict(robot.nominal)
    if given is None or not has_loop_numbers(robot):
        return None
    with np.errstate(all="ignore"):  # with a length that is not finite the loops do not close
        tree = numeric_tree(robot, lambda f: f.value(values), frames=_loop_frames(robot))
        own = dict(zip(independent(robot), given, strict=True))
        start = shut(tree, np.array([[own.get(j, 0.0) for j in tree.coordinates]]), own)
        q, good = closed(tree, start, range(len(tree.coordinates)))
    if not good[0] or np.abs((q[0] - start[0]) / tree.units).max(initial=0) > HOME_ERROR:
        return None
    return dict(zip(tree.coordinates, q[0].tolist(), strict=True))


def shut(tree: NumericTree, q: Array, given: Mapping[int, float] | None = None) -> Array:
    """Set the cut joints so that the two frames of each cut are as close as possible.

    Args:
        q: (S, n) configurations, changed in place.
        given: positions of cut joints that must not be changed, by joint number.

    Returns:
        The configurations q.
    """
    for loop in tree.loops:
        j = loop.left
        if j not in tree.coordinates or j in (given or ()):
            continue
        k = tree.coordinates.index(j)
        q[:, k] = 0
        at = around(tree, loop, q)
        (rotation, position), other = at[j], at[loop.right]
        if tree.robot.frame(j).sigma == JointType.PRISMATIC:
            q[:, k] = ((other.position - position) * rotation[:, :, 2]).sum(1)
        else:
            turn = rotation.transpose(0, 2, 1) @ other.rotation
            q[:, k] = np.arctan2(turn[:, 1, 0] - turn[:, 0, 1], turn[:, 0, 0] + turn[:, 1, 1])
    return q


def closed_near_home(robot: Robot, qa: Array, active: Sequence[int]) -> tuple[Array, Flags]:
    """Return configurations with given active joints, whose loops Newton's method closes starting at posture 'home'.

    Args:
        qa: (S, na) positions of the active joints (rad, m).
        active: numbers of the active joints.

    Returns:
        The positions (S, n) of the independent joints of the tree, and flags (S,) that are true where the loops are
        closed.

    Raises:
        ArgumentError: the robot has no posture 'home' in which its loops close.
    """
    home = closed_home(robot)
    if home is None:
        raise ArgumentError(
            f"robot '{robot.name}' has no posture '{HOME}' in which its loops close",
            hint="add it to the description, or give the positions of all joints",
        )
    values, own = dict(robot.nominal), independent(robot)
    tree = numeric_tree(robot, lambda f: f.value(values))
    start = np.array(
        [home.get(j, dict(zip(own, robot.postures[HOME], strict=True)).get(j, 0.0)) for j in tree.coordinates]
    )
    x = np.repeat(start[None], len(qa), 0)
    columns = [tree.coordinates.index(j) for j in active]
    x[:, columns] = qa
    x, good = closed(tree, x, [k for k in range(len(tree.coordinates)) if k not in columns])
    return x[:, [tree.coordinates.index(j) for j in own]], good


def sampled_near_home(robot: Robot, count: int, seed: int, spread: float, length: float) -> Array:
    """Return the posture 'home' and random configurations near it, all with closed loops.

    The active joints (all joints of a robot without loops) are displaced uniformly; the loops determine the others.

    Args:
        count: number of random configurations.
        seed: seed of the random numbers.
        spread: largest displacement of an active joint in rad, or relative to `length` for prismatic joints.
        length: characteristic length in m.

    Returns:
        The positions (count + 1, n) of the independent joints; NaN where the loops do not close.

    Raises:
        ArgumentError: the robot has no posture 'home' in which its loops close.
    """
    own = independent(robot)
    if HOME not in robot.postures:
        raise ArgumentError(
            f"robot '{robot.name}' has no posture '{HOME}', near which configurations are drawn",
            hint="give configurations, or add the posture to the description",
        )
    home = dict(zip(own, robot.postures[HOME], strict=True))
    active = [j for j in own if robot.frame(j).mu] if robot.B else own
    units = [length if robot.frame(j).sigma == JointType.PRISMATIC else 1.0 for j in active]
    away = np.random.default_rng(seed).uniform(-spread, spread, (count, len(active))) * units
    qa = np.array([home[j] for j in active]) + np.concatenate([np.zeros((1, len(active))), away])
    if not robot.B:
        return np.asarray(qa)
    q, good = closed_near_home(robot, qa, active)
    q[~good] = np.nan
    return q
