"""Geometric parameter tables in three conventions, and the exact conversions between them.

    Khalil-Kleinfinger   iTj    = Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r)
    Craig                i-1Ti  = Rx(alpha_i-1) Tx(a_i-1) Rz(theta_i) Tz(d_i)
    Denavit-Hartenberg   i-1Ti  = Rz(theta_i) Tz(d_i) Tx(a_i) Rx(alpha_i)            (classic)

A screw is a rotation about and a translation along the same axis, Z(g, b) = Rz(g) Tz(b) and X(a, d) = Rx(a) Tx(d).
Screws along the same axis commute, and their parameters add up. A serial chain is therefore the product

    base X1 Z1 X2 Z2 ... Xn Zn tool,      Xi = X(alpha_i, d_i),  Zi = Z(theta_i, r_i),

and the conventions differ only in the factors after which the frames are placed. Khalil's additional Z(gamma_i, b_i)
is added to the preceding joint or to the base. Craig's frames follow each Zi: they are Khalil's frames if
gamma = b = 0. Classic Denavit-Hartenberg frames follow each Xi: frame i is Khalil's frame i moved by X(i+1); X1 becomes
part of the base, and the X of the last row is a tool frame. Inertial parameters and wrenches are transformed with the
frames.

J. Denavit, R.S. Hartenberg, J. Applied Mechanics 22, 1955. J.J. Craig, Introduction to Robotics, 1986, ch. 3.
W. Khalil, J.F. Kleinfinger, ICRA 1986.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from symoro.errors import NotApplicableError, UnknownNameError
from symoro.expr import linalg
from symoro.expr.canonical import canonical
from symoro.expr.formula import ZERO, Formula, formula
from symoro.expr.graph import Graph
from symoro.expr.linalg import Matrix, Vector
from symoro.expr.scalar import Scalar, cos, sin, wrap
from symoro.robot.records import (
    GEOMETRIC,
    IDENTITY16,
    INERTIAL,
    WRENCH,
    Frame,
    JointType,
    Link,
    Placement,
    Tool,
)
from symoro.robot.topology import chain, structure

if TYPE_CHECKING:
    from symoro.robot.description import Robot


class Convention(StrEnum):
    """Convention of geometric parameters: Khalil-Kleinfinger, Craig or classic Denavit-Hartenberg."""

    KHALIL_KLEINFINGER = "khalil-kleinfinger"
    CRAIG = "craig"
    DENAVIT_HARTENBERG = "denavit-hartenberg"


_ALIASES = {
    "khalil": Convention.KHALIL_KLEINFINGER,
    "kk": Convention.KHALIL_KLEINFINGER,
    "modified": Convention.CRAIG,
    "mdh": Convention.CRAIG,
    "classic": Convention.DENAVIT_HARTENBERG,
    "standard": Convention.DENAVIT_HARTENBERG,
    "dh": Convention.DENAVIT_HARTENBERG,
}

COLUMNS: dict[Convention, dict[str, str]] = {
    Convention.KHALIL_KLEINFINGER: {name: name for name in GEOMETRIC},
    Convention.CRAIG: {"alpha": "alpha", "a": "d", "theta": "theta", "d": "r"},
    Convention.DENAVIT_HARTENBERG: {"theta": "theta", "d": "r", "a": "d", "alpha": "alpha"},
}
"""Columns of the table of each convention, with Khalil's letter for the same parameter."""


def convention_named(name: str) -> Convention:
    """Return the convention with this name or usual abbreviation."""
    try:
        return _ALIASES.get(name.strip().lower()) or Convention(name.strip().lower())
    except ValueError:
        raise UnknownNameError("convention", name, [str(c) for c in Convention]) from None


def variable_field(sigma: JointType) -> str:
    """Return the name of the geometric parameter that is the joint variable: 'theta', 'r', or '' for a fixed joint."""
    return {JointType.REVOLUTE: "theta", JointType.PRISMATIC: "r"}.get(sigma, "")


@dataclass(frozen=True)
class JointRow:
    """Row of a geometric parameter table, for one joint.

    `values` contains the parameters in the order of the columns. In the column of the joint variable it contains the
    constant offset.
    """

    sigma: JointType
    values: tuple[Formula, ...]
    name: str = ""


@dataclass(frozen=True)
class ParameterTable:
    """Geometric parameter table of a serial chain in one convention.

    Attributes:
        rows: one row per joint.
        base: pose of the table's frame 0 in the world, a homogeneous transform, sixteen entries by rows.
        tool: tool frame, fixed to the table's last frame.
        links: inertial parameters and wrenches in the table's frames, or an empty tuple.
    """

    convention: Convention
    rows: tuple[JointRow, ...]
    base: tuple[Formula, ...] = IDENTITY16
    tool: Tool | None = None
    links: tuple[Link, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(COLUMNS[self.convention])


# -- homogeneous transforms of formulas


def transform(place: Placement | Frame, graph: Graph) -> Matrix:
    """Return the homogeneous 4x4 transform that six Khalil-Kleinfinger parameters define.

    Args:
        place: record with the fields gamma, b, alpha, d, theta and r.
        graph: expression graph in which the entries are created.
    """
    values = {name: getattr(place, name).into(graph) for name in GEOMETRIC}
    first = _screw(2, values["gamma"], values["b"])
    second = _screw(0, values["alpha"], values["d"])
    third = _screw(2, values["theta"], values["r"])
    return linalg.matmul(linalg.matmul(first, second), third)


def _screw(axis: int, angle: Scalar, length: Scalar) -> Matrix:
    """Return the 4x4 transform of a rotation about an axis and a translation along the same axis.

    Args:
        axis: 0 for x, 2 for z.
        angle: angle of the rotation (rad).
        length: length of the translation (m).
    """
    matrix = linalg.identity(4)
    i, j = [(1, 2), (2, 0), (0, 1)][axis]
    matrix[i][i] = matrix[j][j] = cos(angle)
    matrix[i][j], matrix[j][i] = -sin(angle), sin(angle)
    matrix[axis][3] = length
    return matrix


def composed(base: tuple[Formula, ...], *places: Placement) -> tuple[Formula, ...]:
    """Return the product base * T1 * T2 * ... of the transforms of fixed frames.

    Args:
        base: homogeneous transform, sixteen entries by rows.
        places: geometric parameters of the frames, each given in the preceding one.

    Returns:
        The product, sixteen entries by rows.
    """
    if all(_is_identity(place) for place in places):
        return base
    graph = Graph()
    entries = [entry.into(graph) for entry in base]
    matrix: Matrix = [list(entries[4 * i : 4 * i + 4]) for i in range(4)]
    for place in places:
        matrix = linalg.matmul(matrix, transform(place, graph))
    return tuple(_written(graph, entry) for row in matrix for entry in row)


def moved(link: Link, place: Placement) -> Link:
    """Return a link with its inertial parameters and its wrench expressed in another frame.

    With the rotation R and the translation P of `place`:
    MS' = R MS + M P, J' = R J R' - hat(P) hat(R MS) - hat(R MS) hat(P) - M hat(P) hat(P); f' = R f, m' = R m + P x R f.

    Args:
        link: parameters in the original frame of the link.
        place: pose of the original frame in the other frame.
    """
    if _is_identity(place) or all(getattr(link, name).is_zero for name in (*INERTIAL, *WRENCH)):
        return link
    graph = Graph()
    value: dict[str, Scalar] = {name: getattr(link, name).into(graph) for name in (*INERTIAL, *WRENCH)}
    matrix = transform(place, graph)
    R, P = linalg.rotation_of(matrix), linalg.position_of(matrix)
    first = linalg.matvec(R, [value["MX"], value["MY"], value["MZ"]])
    force = linalg.matvec(R, [value["FX"], value["FY"], value["FZ"]])
    moment = linalg.matvec(R, [value["CX"], value["CY"], value["CZ"]])
    J = _moved_inertia(_inertia_matrix(value), R, P, first, value["M"])
    results = dict(zip(("XX", "XY", "XZ"), J[0], strict=True))
    results |= {"YY": J[1][1], "YZ": J[1][2], "ZZ": J[2][2]}
    total = linalg.add(first, linalg.scale(value["M"], P))
    results |= dict(zip(("MX", "MY", "MZ"), total, strict=True))
    results |= dict(zip(("FX", "FY", "FZ"), force, strict=True))
    moment = linalg.add(moment, linalg.cross(P, force))
    results |= dict(zip(("CX", "CY", "CZ"), moment, strict=True))
    changes: dict[str, Any] = {name: _written(graph, result) for name, result in results.items()}
    return replace(link, **changes)


def _inertia_matrix(v: dict[str, Scalar]) -> Matrix:
    return [[v["XX"], v["XY"], v["XZ"]], [v["XY"], v["YY"], v["YZ"]], [v["XZ"], v["YZ"], v["ZZ"]]]


def _moved_inertia(J: Matrix, R: Matrix, P: Vector, first: Vector, mass: Scalar) -> Matrix:
    turned = linalg.matmul(linalg.matmul(R, J), linalg.transpose(R))
    shift, moment = linalg.skew(P), linalg.skew(first)
    terms = [
        linalg.matmul(shift, moment),
        linalg.matmul(moment, shift),
        linalg.matscale(mass, linalg.matmul(shift, shift)),
    ]
    for term in terms:
        turned = linalg.matadd(turned, linalg.matscale(-1, term))
    return turned


def _written(graph: Graph, value: Scalar) -> Formula:
    return formula(canonical(wrap(graph, value)))


def _is_identity(place: Placement) -> bool:
    return all(getattr(place, name).is_zero for name in GEOMETRIC)


def _x_screw(ant: int, frame: Frame) -> Placement:
    return Placement(ant, alpha=frame.alpha, d=frame.d)


def _inverse_x(place: Placement) -> Placement:
    return replace(place, alpha=-place.alpha, d=-place.d)


# -- conversion of a table into a robot


def from_classic(
    frames: Sequence[Frame], links: Sequence[Link], tool: Tool | None
) -> tuple[list[Frame], list[Link], Tool | None]:
    """Convert a serial chain from classic Denavit-Hartenberg frames to Khalil-Kleinfinger frames.

    Args:
        frames: alpha and d contain alpha_i and a_i of the same row, which are applied after the joint.
        links: inertial parameters and wrenches in the classic frames.
        tool: tool frame given in one of the classic frames.
    """
    tails = [_x_screw(j, frame) for j, frame in enumerate(frames, 1)]
    before = [Placement(0), *tails]
    moved_frames = [
        replace(frame, alpha=place.alpha, d=place.d) for frame, place in zip(frames, before, strict=False)
    ]
    moved_links = [moved(link, tail) for link, tail in zip(links, tails, strict=True)]
    if tool:
        tail = tails[tool.place.ant - 1] if tool.place.ant else Placement(0)
        tool = replace(tool, place=_joined(tail, tool.place))
    elif tails and not _is_identity(tails[-1]):
        tool = Tool(tails[-1])
    return moved_frames, moved_links, tool


def _joined(tail: Placement, place: Placement) -> Placement:
    """Return the six parameters of the product of two fixed transforms.

    Args:
        tail: first transform, a screw X(alpha, d).
        place: second transform.

    Raises:
        NotApplicableError: six parameters cannot represent the product.
    """
    if _is_identity(tail):
        return place
    if place.gamma.is_zero and place.b.is_zero:
        return replace(place, alpha=tail.alpha + place.alpha, d=tail.d + place.d)
    if place.alpha.is_zero and place.d.is_zero:
        return replace(tail, theta=place.gamma + place.theta, r=place.b + place.r)
    raise NotApplicableError(
        "the tool frame is rotated about three axes; the six parameters of the last frame cannot represent it",
        hint="describe a part of the rotation by an additional row with a fixed joint",
    )


# -- conversion of a robot into a table


def to_table(robot: Robot, convention: str, to: int | str | None = None) -> ParameterTable:
    """Return the geometric parameter table of the chain from the base to a frame.

    Args:
        robot: serial robot, or tree structure if `to` is given.
        convention: name of the convention, such as 'craig', or an abbreviation such as 'dh'.
        to: last frame by number or name; the end effector of a serial robot if None.

    Raises:
        NotApplicableError: the robot is not a serial chain, and no frame was given.
    """
    kind = convention_named(convention)
    if robot.B:
        raise NotApplicableError(
            f"robot '{robot.name}' has closed loops; a parameter table describes a serial chain",
            hint="cut the loops with robot.tree() and choose a frame",
        )
    if to is None and structure(robot) != "serial":
        raise NotApplicableError(
            f"robot '{robot.name}' has a tree structure; a parameter table describes a serial chain",
            hint="select the last frame of the chain with the option 'to'",
        )
    end = robot.NL if to is None else robot.frame_number(to)
    numbers = chain(robot, end)
    if not numbers:
        raise NotApplicableError(
            "there is no joint between the base and this frame", hint="select another frame"
        )
    tool = None
    if robot.tool and robot.tool.place.ant == end:
        tool = replace(robot.tool, place=replace(robot.tool.place, ant=len(numbers)))
    frames = [robot.frame(j) for j in numbers]
    links = [robot.link(j) for j in numbers]
    return _CUTS[kind](_Chain(frames, links, robot.base.Z, tool)).table(kind)


@dataclass(frozen=True)
class _Chain:
    """Serial chain whose frames are being converted to another convention."""

    frames: list[Frame]
    links: list[Link]
    base: tuple[Formula, ...]
    tool: Tool | None

    def table(self, convention: Convention) -> ParameterTable:
        fields = COLUMNS[convention].values()
        rows = tuple(
            JointRow(frame.sigma, tuple(getattr(frame, field) for field in fields), frame.name)
            for frame in self.frames
        )
        return ParameterTable(convention, rows, self.base, self.tool, tuple(self.links))


def _as_it_is(chain: _Chain) -> _Chain:
    return chain


def _craig(chain: _Chain) -> _Chain:
    """Return the chain in Craig's frames.

    The parameters gamma and b of each frame are added to the preceding joint or to the base.
    """
    frames, links = [], []
    for frame, link, after in zip(chain.frames, chain.links, [*chain.frames[1:], None], strict=True):
        gamma, b = (after.gamma, after.b) if after else (ZERO, ZERO)
        frames.append(replace(frame, gamma=ZERO, b=ZERO, theta=frame.theta + gamma, r=frame.r + b))
        links.append(moved(link, Placement(0, gamma=-gamma, b=-b)))
    first = chain.frames[0]
    base = composed(chain.base, Placement(0, gamma=first.gamma, b=first.b))
    return _Chain(frames, links, base, chain.tool)


def _classic(chain: _Chain) -> _Chain:
    """Return the chain in classic Denavit-Hartenberg frames.

    The parameters alpha and a of each row are moved to the preceding row of the table. The last row receives those
    of the tool frame, if the tool frame has only these two parameters.
    """
    chain = _craig(chain)
    tool = chain.tool
    tails = [*(_x_screw(0, frame) for frame in chain.frames[1:]), Placement(0)]
    if tool and _is_x_screw(tool.place):
        tails[-1], tool = tool.place, None
    frames = [
        replace(frame, alpha=tail.alpha, d=tail.d) for frame, tail in zip(chain.frames, tails, strict=True)
    ]
    links = [moved(link, _inverse_x(tail)) for link, tail in zip(chain.links, tails, strict=True)]
    return _Chain(frames, links, composed(chain.base, _x_screw(0, chain.frames[0])), tool)


def _is_x_screw(place: Placement) -> bool:
    return all(getattr(place, name).is_zero for name in ("gamma", "b", "theta", "r"))


_CUTS: dict[Convention, Callable[[_Chain], _Chain]] = {
    Convention.KHALIL_KLEINFINGER: _as_it_is,
    Convention.CRAIG: _craig,
    Convention.DENAVIT_HARTENBERG: _classic,
}
