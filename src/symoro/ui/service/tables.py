"""Return the data of a robot as tables: {title, part, columns, kinds, choices, hints, rows, add, remove}.

`part` identifies the table in edits of cells; `add` and `remove` are the parts of edits that add and remove rows.
Empty tables are included, so that rows can be added.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from symoro.expr.formula import Formula
from symoro.robot.conventions import variable_field
from symoro.robot.coordinates import independent
from symoro.robot.description import DRIVE, GEOMETRIC, INERTIAL, MOTION, WRENCH, BaseKind, Robot
from symoro.robot.flexibility import Flexibility, flexible_links
from symoro.robot.topology import JOINT_LETTERS
from symoro.ui.service import columns as of
from symoro.ui.service.answer_types import Row, Table
from symoro.ui.service.cells import coupling_text
from symoro.ui.service.columns import Column
from symoro.ui.service.edits import BASE_VECTORS, LIMITS

_UNITS = {"G": "gravity in the world (m/s^2)", "V0": "velocity of the base, in frame 0 (m/s)"} | {
    "W0": "angular velocity of the base, in frame 0 (rad/s)",
    "VP0": "acceleration of the base, in frame 0 (m/s^2)",
    "WP0": "angular acceleration of the base, in frame 0 (rad/s^2)",
}


def tables(robot: Robot) -> list[Table]:
    """Return all tables of a robot's data for display and editing."""
    links, joints = range(robot.NL + 1), range(1, robot.NL + 1)
    named = (of.NAME, *of.INERTIA)
    return [
        _geometry(robot),
        _table("inertia", "link", named, [_link_row(robot, j) for j in links]),
        _table("drives", "frame", of.DRIVE, [_drive_row(robot, j) for j in joints]),
        _table("joints", "frame", of.JOINT, [_joint_row(robot, j) for j in joints]),
        _table("wrenches", "link", of.WRENCH, [_row(j, robot.link(j), WRENCH) for j in links]),
        _robot_table(robot),
        _table("base", "base", of.VECTOR, [_vector_row(robot, name) for name in BASE_VECTORS]),
        _table("location", "location", of.LOCATION, [_location_row(robot, r) for r in range(3)]),
        _wheels(robot),
        _tool(robot),
        _payload(robot),
        *_flexible(robot),
        _postures(robot),
        _table("nominal", "nominal", of.NOMINAL, [_nominal_row(robot, name) for name in robot.symbols()]),
    ]


def _table(
    title: str, part: str, columns: Sequence[Column], rows: list[Row], add: str | None = None
) -> Table:
    return Table(
        title=title,
        part=part,
        columns=[column.name for column in columns],
        kinds=[column.kind for column in columns],
        choices={column.name: list(column.choices) for column in columns if column.choices},
        hints=[column.hint for column in columns],
        rows=rows,
        add=f"add_{add}" if add else None,
        remove=f"remove_{add}" if add else None,
    )


def _texts(held: object, names: Iterable[str]) -> list[str]:
    values: list[Formula | None] = [getattr(held, name) for name in names]
    return ["" if value is None else value.text for value in values]


def _row(j: int | str, held: object, names: Iterable[str]) -> Row:
    return Row(j=j, cells=_texts(held, names))


def _number(value: float | None) -> str:
    return "" if value is None else repr(value).removesuffix(".0")


def _geometry(robot: Robot) -> Table:
    columns = (
        of.NAME,
        of.frames("ant", "antecedent frame, 0 is the base", range(robot.NF + 1)),
        of.JOINT_KIND,
        of.ACTIVE,
        *of.GEOMETRY,
    )
    rows = [_geometry_row(robot, j) for j in range(1, robot.NF + 1)]
    return _table("geometry", "frame", columns, rows, "frame")


def _geometry_row(robot: Robot, j: int) -> Row:
    frame = robot.frame(j)
    variable = variable_field(frame.sigma)
    return Row(
        j=j,
        cells=[
            *(frame.name, str(frame.ant), JOINT_LETTERS[frame.sigma], "1" if frame.mu else "0"),
            *_texts(frame, GEOMETRIC),
        ],
        variable=variable,
        symbol=f"q{j}" if variable and frame.coupling is None else None,
        role="link" if j <= robot.NL else "opened" if j <= robot.NJ else "twin",
    )


def _link_row(robot: Robot, j: int) -> Row:
    link = robot.link(j)
    return Row(j=j, cells=[link.name, *_texts(link, INERTIAL)])


def _drive_row(robot: Robot, j: int) -> Row:
    return _row(j, robot.frame(j), (*DRIVE, *MOTION))


def _joint_row(robot: Robot, j: int) -> Row:
    frame = robot.frame(j)
    limits = [_number(getattr(frame.limits, name)) for name in LIMITS]
    cells = ["1" if frame.eta else "0", frame.k.text, frame.rest.text, *limits]
    return Row(j=j, cells=[*cells, coupling_text(frame.coupling)])


def _robot_table(robot: Robot) -> Table:
    columns = (
        Column("name", "text", "name of the robot, and of its files"),
        Column("title", "text", "short description"),
        Column("reference", "text", "source of the parameters"),
        Column("base", "choice", "kind of base", tuple(map(str, BaseKind))),
        of.frames("platform", "frame of a parallel robot's platform", range(1, robot.NL + 1), empty=True),
    )
    platform = "" if robot.platform is None else str(robot.platform)
    cells = [robot.name, robot.title, robot.reference, str(robot.base.kind), platform]
    return _table("robot", "robot", columns, [Row(j="robot", cells=cells)])


def _vector_row(robot: Robot, name: str) -> Row:
    return Row(j=name, cells=[value.text for value in getattr(robot.base, name)], hint=_UNITS[name])


def _location_row(robot: Robot, r: int) -> Row:
    return Row(j=r + 1, cells=[value.text for value in robot.base.Z[4 * r : 4 * r + 4]])


def _wheels(robot: Robot) -> Table:
    joints = range(1, robot.NL + 1)
    columns = (
        of.frames("frame", "frame of the rotating wheel; its z axis is the axle", joints),
        Column("kind", "choice", "kind of wheel", of.WHEEL_KINDS),
        Column("radius", "formula", "distance from the centre to the ground (m)"),
        of.frames("steering", "vertical steering joint (steering, castor)", joints, empty=True),
        Column("roller", "formula", "angle between roller axis and rolling direction (swedish; rad)"),
        of.frames("follows", "steering joint that this wheel follows (Ackermann)", joints, empty=True),
    )
    rows = [
        Row(
            j=k,
            cells=[
                *(str(wheel.frame), str(wheel.kind), wheel.radius.text),
                *(str(wheel.steering or ""), wheel.roller.text, str(wheel.follows or "")),
            ],
        )
        for k, wheel in enumerate(robot.wheels, 1)
    ]
    return _table("wheels", "wheel", columns, rows, "wheel")


def _tool(robot: Robot) -> Table:
    on = of.frames("on", "frame that carries it", range(robot.NL + 1))
    tool = robot.tool
    rows = (
        []
        if tool is None
        else [Row(j="tool", cells=[tool.name, str(tool.place.ant), *_texts(tool.place, GEOMETRIC)])]
    )
    return _table("tool", "tool", (of.NAME, on, *of.GEOMETRY), rows, "tool")


def _payload(robot: Robot) -> Table:
    rows = [] if robot.payload is None else [_row("payload", robot.payload, (*INERTIAL, *WRENCH))]
    return _table("payload", "payload", (*of.INERTIA, *of.WRENCH), rows, "payload")


def _flexible(robot: Robot) -> list[Table]:
    held = flexible_links(robot)
    beams = [Row(j=j, cells=_beam(flexible)) for j, flexible in held.items()]
    tips = [_row(j, flexible.tip, INERTIAL) for j, flexible in held.items() if flexible.tip is not None]
    return [
        _table("flexible links", "flexible", of.BEAM, beams, "flexible"),
        _table("tips of flexible links", "tip", of.INERTIA, tips, "tip"),
    ]


def _beam(flexible: Flexibility) -> list[str]:
    values = [getattr(flexible, column.name) for column in of.BEAM]
    return [value.text if isinstance(value, Formula) else str(value) for value in values]


def _postures(robot: Robot) -> Table:
    joints = [f"q{j}" for j in independent(robot)]
    columns = [Column(name, "number", "position (rad or m)") for name in joints]
    rows = [Row(j=name, cells=[_number(x) for x in q]) for name, q in robot.postures.items()]
    return _table("postures", "posture", columns, rows, "posture")


def _nominal_row(robot: Robot, name: str) -> Row:
    return Row(j=name, cells=[_number(dict(robot.nominal).get(name))])
