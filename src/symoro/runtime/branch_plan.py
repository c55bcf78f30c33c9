"""Choice of the closed form from which the branches of an arm are enumerated, and the numbers that this needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from symoro.emit.branches import NO_PARAMETER, SWIVEL, BranchData
from symoro.errors import NotApplicableError, OptionError
from symoro.expr import ops
from symoro.models.catalogue import build
from symoro.models.geometric.inverse.error import PoseError, pose_error
from symoro.models.geometric.inverse.redundancy import simple_joint, spherical_arm
from symoro.models.geometric.screws import last_frame, resolve
from symoro.program.program import Program
from symoro.robot.description import Robot
from symoro.robot.size import robot_reach
from symoro.runtime.ranges import joint_ranges, limit_tolerance

TURN = 2 * np.pi


def numbered(robot: Robot, values: Mapping[str, float] | None) -> Robot:
    """Return the robot with its nominal values, replaced by the given ones, in place of symbols."""
    known = {**dict(robot.nominal), **(values or {})}
    return robot.bind({name: known[name] for name in robot.symbols() if name in known})


def seed_programs(
    robot: Robot, frm: int | str, to: int | str | None, free: int | str | None, tolerance: float
) -> Iterator[tuple[Program, float | None]]:
    """Yield programs of inverse geometry in the order of preference.

    Yields:
        The program, and the sum of the lengths (m) that differ from the robot; None if it is that of the robot.

    Raises:
        NotApplicableError: the robot has no method with this free parameter.
    """
    options: dict[str, Any] = {"frm": frm, "tolerance": tolerance, **({} if to is None else {"to": to})}
    start, end = resolve(robot, frm, 0), resolve(robot, to, last_frame(robot))
    if free is not None and free != "swivel":
        yield build(robot, "inverse-geometry", {**options, "locked": str(free)})[1], None
        return
    try:
        yield build(robot, "inverse-geometry", {**options, "swivel": True})[1], None
        return
    except NotApplicableError as error:
        exact_swivel = error
    general = None
    if free is None:
        if (joint := simple_joint(robot, start, end, tolerance)) is not None:
            yield build(robot, "inverse-geometry", {**options, "locked": str(joint)})[1], None
            return
        general = build(robot, "inverse-geometry", options)[1]
        if _is_closed_form(general):
            yield general, None
            return
    for arm, change, both in _similar_arms(robot, start, end):
        if free == "swivel" and not both:
            continue
        joint = None if both else simple_joint(arm, start, end, tolerance)
        given = {"swivel": True} if both else {} if joint is None else {"locked": str(joint)}
        try:
            seeds = build(arm, "inverse-geometry", {**options, **given})[1]
        except NotApplicableError:
            continue
        if _is_closed_form(seeds):
            yield seeds, change
    if general is None:
        raise exact_swivel
    yield general, None


def _is_closed_form(program: Program) -> bool:
    return not program.choices[0].startswith("method: general")


def _similar_arms(robot: Robot, start: int | str, end: int | str) -> list[tuple[Robot, float, bool]]:
    """Return arms with spherical shoulder, wrist or both (true), with their changed lengths, the smallest first."""
    try:
        arms = [
            spherical_arm(robot, start, end, *parts) for parts in ((True, False), (False, True), (True, True))
        ]
    except NotApplicableError:
        return []
    listed = [(*arm, both) for arm, both in zip(arms, (False, False, True), strict=True)]
    return sorted(listed, key=lambda item: item[1])


def branch_data(
    robot: Robot,
    seeds: Program,
    *,
    change: float | None,
    frm: int | str,
    to: int | str | None,
    limits: bool,
    tolerance: float,
) -> BranchData:
    """Return the numbers of a robot that the search for branches needs.

    Args:
        seeds: program of the model inverse-geometry, of the robot or of a similar arm.
        change: sum of the lengths (m) by which the similar arm differs; None for the robot itself.
        frm, to: frames of the pose.
        limits: False ignores the joint limits.
        tolerance: largest residual of a solution.
    """
    error = pose_error(robot, frm, to)
    ranges = joint_ranges(robot, {}, limits=limits)
    reach = robot_reach(robot, {})
    parameter = _parameter(seeds, error)
    first, last, closed = -np.pi, np.pi, True
    if parameter >= 0:
        low, high = float(ranges.lower[parameter]), float(ranges.upper[parameter])
        if not ranges.turns[parameter]:
            raise NotApplicableError("the given joint of a redundant arm must be revolute to be sampled")
        if high - low < TURN:
            first, last, closed = low, high, False
    lengths = [column == 3 for _, column in error.entries]
    speeds = [robot.frame(j).limits.velocity for j in ranges.joints]
    return BranchData(
        seeds=seeds,
        error=error.program,
        exact=change is None,
        change=(change or 0.0) / reach,
        parameter=parameter,
        first=first,
        last=last,
        closed=closed,
        lower=tuple(ranges.lower.tolist()),
        upper=tuple(ranges.upper.tolist()),
        limit_tolerances=tuple(limit_tolerance(ranges.turns, ranges.lower, ranges.upper).tolist()),
        turns=tuple(ranges.turns.tolist()),
        speed=tuple(np.inf if speed is None else float(speed) for speed in speeds),
        units=tuple(
            0.0 if not moving else 1.0 if turn else reach
            for moving, turn in zip(error.moving, ranges.turns, strict=True)
        ),
        weights=tuple(1 / reach if length else 1.0 for length in error.lengths),
        places=tuple(4 * row + column for row, column in error.entries),
        scales=tuple(1 / reach if length else 1.0 for length in lengths),
        tolerance=tolerance,
    )


def _parameter(seeds: Program, error: PoseError) -> int:
    """Return the free parameter of a model: SWIVEL, the index of the given joint, or NO_PARAMETER.

    The given joint is the one whose position in every solution is that of q0.
    """
    if any(port.name == "swivel" for port in seeds.inputs):
        return SWIVEL
    graph = seeds.graph
    names = next(port.symbols for port in seeds.inputs if port.name == "q0")
    output = next(port for port in seeds.outputs if port.name == "q")
    given = [
        j
        for j, name in enumerate(names)
        if error.moving[j]
        and all(
            lit & 1 == 0 and graph.op[lit >> 1] == ops.SYMBOL and graph.args[lit >> 1][0] == name
            for lit in output.lits[j :: len(names)]
        )
    ]
    if len(given) > 1:
        raise OptionError(
            f"{len(given)} joints are given by q0: branches are enumerated over one parameter",
            hint="lock at most one joint",
        )
    return given[0] if given else NO_PARAMETER
