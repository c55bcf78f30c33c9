"""Return all data of a robot that the page displays: its document, its tables, and the geometry of the scene."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symoro.errors import SymoroError
from symoro.files import file_name
from symoro.robot.consistency import WARNING, warnings
from symoro.robot.coordinates import independent
from symoro.robot.description import BaseKind, Robot
from symoro.robot.flexibility import mode_names
from symoro.robot.formats.robot_tree import tree_of
from symoro.robot.platform import parallel_robot
from symoro.robot.topology import JOINT_LETTERS, describe, loops, outward, structure
from symoro.robot.wheels import WheelKind
from symoro.ui.bodies import bodies
from symoro.ui.failure import on_the_page
from symoro.ui.service import edits
from symoro.ui.service.answer_types import (
    ABSENT,
    BodiesView,
    BodyView,
    CouplingView,
    FrameView,
    JointView,
    LoopView,
    PlatformView,
    Sizes,
    Term,
    View,
    WheelView,
)
from symoro.ui.service.defaults import default_values, number_at
from symoro.ui.service.payload import item, robot_of
from symoro.ui.service.tables import tables


def view_of(payload: Mapping[str, Any]) -> View:
    """Return the robot of a request with all data that the page displays."""
    return view(robot_of(payload))


def edited(payload: Mapping[str, Any]) -> View:
    """Return a robot after a list of edits, with all data that the page displays; all edits are applied or none."""
    return view(edits.edited(robot_of(payload), item(payload, "edits", list)))


def view(robot: Robot) -> View:
    """Return all data of a robot that the page displays."""
    values = default_values(robot)
    return View(
        robot=tree_of(robot),
        name=robot.name,
        file=file_name(robot.name),
        title=robot.title,
        reference=robot.reference,
        structure=structure(robot),
        description=describe(robot),
        base=robot.base.kind,
        floating=robot.base.kind == BaseKind.FLOATING,
        location=[[number_at(z, values) for z in robot.base.Z[4 * r : 4 * r + 4]] for r in range(4)],
        sizes=Sizes(NL=robot.NL, NJ=robot.NJ, NF=robot.NF, B=robot.B),
        symbols=list(robot.symbols()),
        nominal=dict(robot.nominal),
        values=values,
        postures={name: list(q) for name, q in robot.postures.items()},
        notes=[on_the_page(note) for note in robot.notes if not note.startswith(WARNING)],
        warnings=[on_the_page(warning) for warning in warnings(robot)],
        coordinates=independent(robot),
        joints=[_joint(robot, j) for j in range(1, robot.NJ + 1) if robot.frame(j).moving],
        couplings=_couplings(robot),
        frames=[
            FrameView(frame=j, ant=f.ant, name=f.name, kind=JOINT_LETTERS[f.sigma], active=f.mu)
            for j, f in enumerate(robot.frames, 1)
        ],
        loops=[
            LoopView(opened=loop.left, twin=loop.right, frames=list(loop.frames)) for loop in loops(robot)
        ],
        wheels=[_wheel(robot, k, values) for k in range(len(robot.wheels))],
        platform=_platform(robot),
        tool=robot.tool.name if robot.tool else None,
        tool_link=robot.tool.place.ant if robot.tool else None,
        bodies=_bodies(robot, values),
        tables=tables(robot),
        legs=_legs(robot),
        modes=mode_names(robot) or ABSENT,
    )


def _bodies(robot: Robot, values: Mapping[str, float]) -> BodiesView:
    built = bodies(robot, values)
    parts = [
        BodyView(**{**vars(part), "point": list(part.point), "corners": list(part.corners)})
        for part in built.parts
    ]
    return BodiesView(size=built.size, unit=built.unit, parts=parts)


def _legs(robot: Robot) -> int:
    """Return the number of chains on the base if the base has a mass and is fixed; 0 if there are fewer than two.

    A chain has at least two moving joints. The mass of a fixed base has no effect: a file that contains it and carries
    several chains on it usually describes a legged robot.
    """
    if robot.base.kind != BaseKind.FIXED or robot.base.link.M.is_zero:
        return 0
    roots: dict[int, int] = {}  # frame -> first frame of its chain
    joints: dict[int, int] = {}  # first frame of a chain -> number of its moving joints
    for j in (j for j in outward(robot) if 1 <= j <= robot.NL):
        frame = robot.frame(j)
        roots[j] = roots.get(frame.ant, j)
        joints[roots[j]] = joints.get(roots[j], 0) + frame.moving
    chains = [count for count in joints.values() if count >= 2]
    return len(chains) if len(chains) >= 2 else 0


def _joint(robot: Robot, j: int) -> JointView:
    frame = robot.frame(j)
    return JointView(
        frame=j,
        name=frame.name or f"q{j}",
        kind=JOINT_LETTERS[frame.sigma],
        active=frame.mu,
        opened=j > robot.NL,
        coupled=frame.coupling is not None,
        elastic=frame.eta,
        lower=frame.limits.lower,
        upper=frame.limits.upper,
    )


def _couplings(robot: Robot) -> list[CouplingView]:
    """Return the coupled joints of a robot, each with its driving joints, their ratios and the offset."""
    held = ((j, frame.coupling) for j, frame in enumerate(robot.frames, 1))
    return [
        CouplingView(
            frame=j,
            terms=[Term(frame=i, ratio=ratio.text) for i, ratio in coupling.terms],
            offset=coupling.offset.text,
        )
        for j, coupling in held
        if coupling is not None
    ]


def _wheel(robot: Robot, k: int, values: Mapping[str, float]) -> WheelView:
    """Return the data of the wheel with index k for display.

    `symbol` in the result is the name of the radius if the radius is a symbol.

    Args:
        values: values of the robot's symbols.
    """
    wheel = robot.wheels[k]
    return WheelView(
        frame=wheel.frame,
        kind=wheel.kind,
        radius=number_at(wheel.radius, values),
        symbol=wheel.radius.text if wheel.radius.is_symbol else None,
        steering=wheel.steering or None,
        roller=number_at(wheel.roller, values) if wheel.kind == WheelKind.SWEDISH else None,
    )


def _platform(robot: Robot) -> PlatformView | None:
    """Return the platform of a robot, the frames that move with it, and the chains of its legs.

    The result is None if the robot has no platform.
    """
    if robot.platform is None:
        return None
    try:
        parallel = parallel_robot(robot)
    except SymoroError:
        return PlatformView(frame=robot.platform, body=[robot.platform], legs=[])
    return PlatformView(
        frame=parallel.platform, body=list(parallel.body), legs=[list(leg.links) for leg in parallel.legs]
    )
