"""Samples on a robot: the driven joints in the robot's order, and what is known of the other joints.

Columns are assigned by joint number, in any order. For a robot with closed loops the positions of passive joints give
the assembly mode, and are compared with the closed loops at every sample. If the driven joints do not determine the
motion, the positions of the other joints give the start.
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
"""A name that the robot knows, or the positions of all its joints."""


def driven_columns(robot: Robot, samples: Samples) -> Samples:
    """The samples of the driven joints in the robot's order; all else that they tell of joints is in `others`.

    Raises:
        ArgumentError: a driven joint is missing, or there is no such joint.
    """
    wanted, known = coordinates_of(robot), independent(robot)
    told = (*samples.joints, *samples.others)
    if (missing := [j for j in wanted if j not in told]) or any(j not in known for j in told):
        names, got = (", ".join(f"q{j}" for j in joints) for joints in (wanted, told))
        lost = f"; q{missing[0]} is missing" if missing else ""
        raise ArgumentError(f"the motion tells {got}; robot '{robot.name}' has {names}{lost}")
    for j in wanted:
        if j not in samples.joints:
            raise ArgumentError(
                f"the motion tells the position of joint {j} without its velocity, beside velocities of others",
                hint=f"give qd{j} too, or positions alone",
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
    """Samples of driven joints with the loops closed, and what speaks against the positions of passive joints.

    Arguments:
        posture: of all joints near the first sample, where the samples do not tell it.

    Raises:
        ArgumentError: the way of assembly is not told, or told twice; passive joints that are not where loops have
            them.
        NotClosedError: the loops cannot be followed.
    """
    near = _near(robot, samples, values, posture)
    tree = LoopCloser(robot, values).along(samples.t, samples.q, near)
    closed = replace(samples, tree=tree)
    return closed, list(_misses(robot, samples, tree, "by the closed loops", refused=True))


def _near(robot: Robot, samples: Samples, values: Mapping[str, float], posture: GivenPosture | None) -> Array:
    """A posture that tells the assembly."""
    joints = independent(robot)
    told = {**samples.others, **{j: samples.q[:, k] for k, j in enumerate(samples.joints)}}
    if all(j in told for j in joints):
        if posture is not None:
            raise ArgumentError("posture: the motion tells the positions of all joints already")
        return np.array([told[j][0] for j in joints])
    found = first_posture(robot, values, samples.q[0], posture, "the motion")
    return default_posture(robot, values) if found is None else np.array(found)


def told_parts(
    robot: Robot,
    whole: Samples,
    samples: Samples,
    values: Mapping[str, float],
    posture: GivenPosture | None,
    start: Mapping[str, ArrayLike],
) -> dict[str, ArrayLike]:
    """Where a robot starts whose driven joints do not tell all: parts of its state that a table tells.

    Arguments:
        whole: the samples as they came, and `samples` those of the driven joints.
        start: what the user tells, which goes before.

    Raises:
        ArgumentError: some joints are told and others are not; the way of assembly is not told.
    """
    joints, parts = independent(robot), _parts_of(robot)
    found: dict[str, ArrayLike] = {name: row for name, row in samples.start.items() if name in parts}
    told = {**samples.others, **{j: samples.q[:, k] for k, j in enumerate(samples.joints)}}
    left = [j for j in joints if j not in told]
    if "q" in start or samples.tree is not None:
        return found
    if robot.B and set(active_joints(robot)) == set(samples.joints):
        found["q"] = _near(robot, samples, values, posture)
    elif not left:
        found["q"] = np.array([told[j][0] for j in joints])
    elif samples.others:
        raise ArgumentError(
            f"the motion tells the position of joint {next(iter(samples.others))}, which is not driven, and not that "
            f"of joint {left[0]}",
            hint="tell those of all joints, or of the driven ones alone",
        )
    coordinates = active_joints(robot) if robot.B or robot.wheels else joints
    rates = {j: whole.qd[0, k] for k, j in enumerate(whole.joints)}
    if "q" in found and all(j in rates for j in coordinates):
        found["qd"] = np.array([rates[j] for j in coordinates])
    return found


def _parts_of(robot: Robot) -> set[str]:
    """The parts of the state that are no joints."""
    parts = {"P0", "Q0", "V0"} if robot.base.kind == BaseKind.FLOATING else set()
    parts |= {"pose"} if robot.wheels else set()
    return parts | ({"e", "ed"} if flexible_links(robot) else set())


def strayed(robot: Robot, samples: Samples, tree: Array) -> Iterator[str]:
    """Joints that forces move elsewhere than samples say."""
    return _misses(robot, samples, tree, "by the forces on it", refused=False)


def _misses(robot: Robot, samples: Samples, tree: Array, why: str, *, refused: bool) -> Iterator[str]:
    joints = independent(robot)
    for j, told in samples.others.items():
        here = tree[:, joints.index(j)]
        away, size = told - here, float(np.abs(here).max()) or characteristic_length(robot)
        if robot.frame(j).sigma == JointType.REVOLUTE:
            away, size = away - 2 * np.pi * np.round(away / (2 * np.pi)), 1.0
        row = int(np.abs(away).argmax())
        if abs(away[row]) <= PASSIVE_DIFFERS * size:
            continue
        when = f"at t = {samples.t[row]:g} s"
        message = f"joint {j} is at {told[row]:.6g} in the samples {when}, and at {here[row]:.6g} {why}"
        if refused and abs(away[row]) > PASSIVE_REFUSED * size:
            raise ArgumentError(
                message, hint="check units, signs and offsets of the positions, and the robot's lengths"
            )
        yield message
