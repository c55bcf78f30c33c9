"""Writer of SYMORO's .par files, in the layout of OpenSYMORO; the module `par` contains the grammar.

Data that the format cannot represent are listed in a comment. If their omission would change the model (coupled
joints, a payload, friction offsets, rest positions), an error is raised unless `lossy` is given.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from symoro.errors import FormatError
from symoro.expr.formula import ZERO, Formula
from symoro.files import MADE_BY
from symoro.robot.description import (
    FURTHER_FRICTION,
    INERTIAL,
    MOTION,
    WRENCH,
    BaseKind,
    JointType,
    Limits,
    Link,
    Robot,
    scalars,
    with_nominal_gravity,
)
from symoro.robot.formats.par import BASE_KEYS, DRIVE_KEYS, FRAME_KEYS
from symoro.robot.formats.variable import variable_names
from symoro.robot.topology import structure

_TYPES = {"serial": 0, "tree": 1, "closed-loop": 2}
_UNNAMEABLE = re.compile(r"['\n\r]|\(\*|\*\)")


def write_par(robot: Robot, *, lossy: bool = False) -> str:
    """Return the robot as the text of a .par file.

    Args:
        robot: the robot.
        lossy: omit data that the format cannot represent, even if the omission changes the model.

    Raises:
        FormatError: the text would describe a different model.
    """
    changed = list(_changes_model(robot))
    if changed and not lossy:
        omitted = " or ".join(changed)
        raise FormatError(
            f"a .par file cannot represent {omitted} of robot '{robot.name}'; without it the model changes",
            hint="write a YAML file, or omit these data with lossy=True",
        )
    dropped = [*changed, *_dropped(robot)]
    sections = [
        [f"(* Robotname = '{_UNNAMEABLE.sub('_', robot.name)}' *)", f"(* {MADE_BY} *)", *_header(robot)],
        ["(* Geometric parameters *)", *_geometry(robot)],
        ["(* Dynamic parameters and external forces *)", *_dynamics(robot)],
        ["(* Joint parameters *)", *_joints(robot)],
        ["(* Velocity and acceleration of the base *)", *_base(robot, "W0", "WP0", "V0", "VP0")],
        ["(* Acceleration of gravity *)", *_base(robot, "G")],
        ["(* Transformation of 0 frame position fT0 *)", *_base(robot, "Z")],
        [f"(* not kept: {', '.join(dropped)} *)"] if dropped else [],
        ["(* End of definition *)"],
    ]
    return "\n\n".join("\n".join(lines) for lines in sections if lines) + "\n"


def _changes_model(robot: Robot) -> Iterable[str]:
    if any(frame.coupling for frame in robot.frames):
        yield "coupled joints"
    if robot.payload and any(not value.is_zero for _, value in scalars(robot.payload)):
        yield "the payload"
    if any(not frame.FO.is_zero for frame in robot.frames):
        yield "friction offsets (FO)"
    for name, words in FURTHER_FRICTION.items():
        if any(not getattr(frame, name).is_zero for frame in robot.frames):
            yield f"{words} ({name})"
    if robot.motors:
        yield "coupled motors (IAM, FVM, FSM)"
    if any(not frame.rest.is_zero for frame in robot.frames):
        yield "rest positions"
    if any(link.flexible for link in robot.links):
        yield "flexible links"
    if robot.wheels:
        yield "the wheels"


def _dropped(robot: Robot) -> Iterable[str]:
    """Yield the names of data of the robot that a .par file omits without an error, for example postures."""
    if _UNNAMEABLE.search(robot.name):
        yield "some characters of the name"
    for what, there in (
        ("title", robot.title),
        ("reference", robot.reference),
        ("nominal values", set(robot.nominal) - set(with_nominal_gravity((), robot.base))),
        ("postures", robot.postures),
        ("tool frame", robot.tool),
        ("capsules", robot.capsules),
        ("names of joints", any(frame.name for frame in robot.frames)),
        ("names of links", any(link.name for link in (robot.base.link, *robot.links))),
        ("joint limits", any(frame.limits != Limits() for frame in robot.frames)),
    ):
        if there:
            yield what


def _array(key: str, values: Iterable[object]) -> str:
    return f"{key} = {{{','.join(str(value) for value in values)}}}"


def _header(robot: Robot) -> list[str]:
    return [
        f"NL = {robot.NL}",
        f"NJ = {robot.NJ}",
        f"NF = {robot.NF}",
        f"Type = {_TYPES[structure(robot)]}",
        f"is_floating = {robot.base.kind == BaseKind.FLOATING}",
        f"is_mobile = {robot.base.kind == BaseKind.WHEELED}",
        *([f"platform = {robot.platform}"] if robot.platform is not None else []),
    ]


def _geometry(robot: Robot) -> list[str]:
    columns: dict[str, list[object]] = {
        key: [getattr(frame, key) for frame in robot.frames] for key in FRAME_KEYS
    }
    for key in ("sigma", "mu"):
        columns[key] = [int(getattr(frame, key)) for frame in robot.frames]
    for j, (key, value) in _joint_variables(robot).items():
        columns[key][j - 1] = value
    return [_array(key, values) for key, values in columns.items()]


def _joint_variables(robot: Robot) -> dict[int, tuple[str, Formula]]:
    """Return, by joint number, the variable parameter ('theta' or 'r') of each moving joint and its formula.

    The formula is the joint variable plus the constant offset.
    """
    offsets = {
        j: ("theta", frame.theta) if frame.sigma == JointType.REVOLUTE else ("r", frame.r)
        for j, frame in enumerate(robot.frames, 1)
        if frame.moving
    }
    used = frozenset[str]().union(*(offset.symbols for _, offset in offsets.values()))
    variables = {}
    for j, (key, offset) in offsets.items():
        names = variable_names(robot.frame(j).sigma, j)
        free = [name for name in names if name not in used]
        if not free or offset.symbols & set(names):
            raise FormatError(
                f"the offset '{offset}' of joint {j} contains a name that is reserved for joint variables "
                "in .par files",
                hint=f"give the symbol another name; {', '.join(names)} denote the variable of joint {j}",
            )
        variables[j] = (key, Formula(free[0]) + offset)
    return variables


def _dynamics(robot: Robot) -> list[str]:
    links: list[Link] = list(robot.links)
    drives: dict[str, list[Formula]] = {
        key: [getattr(frame, key) for frame in robot.frames[: robot.NL]] for key in DRIVE_KEYS
    }
    if robot.base.kind != BaseKind.FIXED or any(not v.is_zero for _, v in scalars(robot.base.link)):
        links.insert(0, robot.base.link)
        drives = {key: [ZERO, *values] for key, values in drives.items()}
    lines = [_array(key, (getattr(link, key) for link in links)) for key in INERTIAL]
    lines += [_array(key, values) for key, values in drives.items()]
    return lines + [_array(key, (getattr(link, key) for link in links)) for key in WRENCH]


def _joints(robot: Robot) -> list[str]:
    joints = robot.frames[: robot.NJ]
    lines = [
        _array("eta", (int(joint.eta) for joint in joints)),
        _array("k", (joint.k for joint in joints)),
    ]
    for key in MOTION:
        values = []
        for j, joint in enumerate(joints, 1):
            prescribed: Formula | None = getattr(joint, key)
            free = f"{key}{j}" if joint.moving else "0"
            values.append(str(prescribed) if prescribed is not None else free)
        lines.append(_array(key, values))
    return lines


def _base(robot: Robot, *keys: str) -> list[str]:
    return [_array(key, getattr(robot.base, key)) for key in keys if key in BASE_KEYS]
