"""Samples of a robot's motion: the driven joints in the robot's order, and known positions of other joints.

Columns are assigned by joint number, in any order. For a robot with closed loops the positions of passive joints in the
samples select the assembly mode, and are compared at every sample with the positions that close the loops. If the
driven joints do not determine the motion, the positions of the other joints are used as initial values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import ArgumentError
from symoro.models.geometric.loop.mechanism import active_joints
from symoro.robot.coordinates import independent
from symoro.robot.description import BaseKind, JointType, Robot
from symoro.robot.flexibility import flexible_links
from symoro.robot.size import characteristic_length
from symoro.trajectory.assembly import LoopCloser, first_posture
from symoro.trajectory.samples import Samples
from symoro.trajectory.sampling import coordinates_of, default_posture
from symoro.trajectory.tolerances import PASSIVE_DIFFERS, PASSIVE_REFUSED

Array = NDArray[np.float64]

GivenPosture = str | Sequence[float]
"""Name of a posture of the robot, or the positions of all its joints."""


def driven_columns(robot: Robot, samples: Samples) -> Samples:
    """Return the samples with columns for the driven joints only, in the robot's order.

    The positions of other joints are moved to the field `others`.

    Raises:
        ArgumentError: a driven joint is missing, or a joint does not exist.
    """
    wanted, known = coordinates_of(robot), independent(robot)
    given = (*samples.joints, *samples.others)
    if (missing := [j for j in wanted if j not in given]) or any(j not in known for j in given):
        names, got = (", ".join(f"q{j}" for j in joints) for joints in (wanted, given))
        lost = f"; q{missing[0]} is missing" if missing else ""
        raise ArgumentError(f"the motion contains {got}, but robot '{robot.name}' requires {names}{lost}")
    for j in wanted:
        if j not in samples.joints:
            raise ArgumentError(
                f"the motion contains velocities of other joints, but not of joint {j}",
                hint=f"give qd{j} too, or positions only",
            )
    order = [samples.joints.index(j) for j in wanted]
    others = {j: samples.q[:, k] for k, j in enumerate(samples.joints) if j not in wanted}
    return replace(
        samples,
        joints=wanted,
        q=samples.q[:, order],
        qd=samples.qd[:, order],
        qdd=samples.qdd[:, order],
        others={**others, **samples.others},
    )


def closed_samples(
    robot: Robot, samples: Samples, values: Mapping[str, float], posture: GivenPosture | None
) -> tuple[Samples, list[str]]:
    """Compute the passive joints along samples of the driven joints by closing the loops.

    Args:
        values: values of the robot's symbols.
        posture: positions of all joints near the first sample, required if the samples do not contain them.

    Returns:
        The samples with the positions of all joints (`Samples.tree`), and warnings about passive joint positions in the
        samples that differ from the computed ones.

    Raises:
        ArgumentError: the assembly mode is not given or given twice, or passive joints contradict the closed loops.
        NotClosedError: the loops cannot be followed.
    """
    near = _near(robot, samples, values, posture)
    tree = LoopCloser(robot, values).along(samples.t, samples.q, near)
    closed = replace(samples, tree=tree)
    return closed, list(_misses(robot, samples, tree, "according to the closed loops", refused=True))


def _near(robot: Robot, samples: Samples, values: Mapping[str, float], posture: GivenPosture | None) -> Array:
    """Return positions of all joints from which the assembly mode of the closed loops is determined.

    If the samples contain all joints, the result is their positions in the first sample. Otherwise it is the given
    posture, or the default posture of the robot.

    Args:
        robot: robot with closed loops.
        samples: motion of the driven joints.
        values: values of the robot's symbols.
        posture: positions of all joints, the name of a posture, or None.
    """
    joints = independent(robot)
    positions = {**samples.others, **{j: samples.q[:, k] for k, j in enumerate(samples.joints)}}
    if all(j in positions for j in joints):
        if posture is not None:
            raise ArgumentError("posture: the motion already contains the positions of all joints")
        return np.array([positions[j][0] for j in joints])
    first = first_posture(robot, values, samples.q[0], posture, "the motion")
    return default_posture(robot, values) if first is None else np.array(first)


def initial_parts(
    robot: Robot,
    whole: Samples,
    samples: Samples,
    values: Mapping[str, float],
    posture: GivenPosture | None,
    start: Mapping[str, ArrayLike],
) -> dict[str, ArrayLike]:
    """Return the initial state in a table of samples, for a motion that the driven joints do not determine.

    Args:
        whole: the samples as read from the table.
        samples: the samples of the driven joints only.
        values: values of the robot's symbols.
        posture: for robots with closed loops, positions of all joints near the first sample, or the name of a posture.
        start: initial values given by the user, which take precedence.

    Returns:
        Initial values by the name of the state variable: 'q', 'qd', 'P0', 'Q0', 'V0', 'pose', 'e', 'ed'.

    Raises:
        ArgumentError: positions of some joints are missing, or the assembly mode is not given.
    """
    joints, parts = independent(robot), _parts_of(robot)
    initial: dict[str, ArrayLike] = {name: row for name, row in samples.start.items() if name in parts}
    positions = {**samples.others, **{j: samples.q[:, k] for k, j in enumerate(samples.joints)}}
    missing = [j for j in joints if j not in positions]
    if "q" in start or samples.tree is not None:
        return initial
    if robot.B and set(active_joints(robot)) == set(samples.joints):
        initial["q"] = _near(robot, samples, values, posture)
    elif not missing:
        initial["q"] = np.array([positions[j][0] for j in joints])
    elif samples.others:
        raise ArgumentError(
            f"the motion contains the position of joint {next(iter(samples.others))}, which is not driven, but not "
            "that "
            f"of joint {missing[0]}",
            hint="give the positions of all joints, or of the driven ones only",
        )
    coordinates = active_joints(robot) if robot.B or robot.wheels else joints
    rates = {j: whole.qd[0, k] for k, j in enumerate(whole.joints)}
    if "q" in initial and all(j in rates for j in coordinates):
        initial["qd"] = np.array([rates[j] for j in coordinates])
    return initial


def _parts_of(robot: Robot) -> set[str]:
    """Return the names of the robot's state variables other than joint positions and velocities."""
    parts = {"P0", "Q0", "V0"} if robot.base.kind == BaseKind.FLOATING else set()
    parts |= {"pose"} if robot.wheels else set()
    return parts | ({"e", "ed"} if flexible_links(robot) else set())


def deviation_warnings(robot: Robot, samples: Samples, tree: Array) -> Iterator[str]:
    """Yield warnings about undriven joints whose simulated positions differ from the samples.

    Args:
        tree: simulated positions of all joints of the tree, one row per sample.
    """
    return _misses(robot, samples, tree, "according to the simulation", refused=False)


def _misses(robot: Robot, samples: Samples, tree: Array, why: str, *, refused: bool) -> Iterator[str]:
    joints = independent(robot)
    for j, given in samples.others.items():
        here = tree[:, joints.index(j)]
        away, size = given - here, float(np.abs(here).max()) or characteristic_length(robot)
        if robot.frame(j).sigma == JointType.REVOLUTE:
            away, size = away - 2 * np.pi * np.round(away / (2 * np.pi)), 1.0
        row = int(np.abs(away).argmax())
        if abs(away[row]) <= PASSIVE_DIFFERS * size:
            continue
        when = f"at t = {samples.t[row]:g} s"
        message = f"joint {j} is at {given[row]:.6g} in the samples {when}, but at {here[row]:.6g} {why}"
        if refused and abs(away[row]) > PASSIVE_REFUSED * size:
            raise ArgumentError(
                message, hint="check units, signs and offsets of the positions, and the robot's lengths"
            )
        yield message
