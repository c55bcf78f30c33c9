"""`jacobian-inverse` and `inverse-kinematics`: joint velocities from the velocity of a frame.

    regular    qd = J^-1 V                                              six joints
    redundant  qd = J' (J J')^-1 (V - J qd0) + qd0                      more than six joints: minimum |qd - qd0|
    partial    qd = (J' J)^-1 J' V                                      fewer than six: minimum |J qd - V|, SI units
    damped     qd = qd0 + J' (J J' + damping^2 I)^-1 (V - J qd0)        near singularities

V is the velocity (linear; angular) of the frame, qd are the joint velocities and qd0 the preferred joint velocities. J
is factored as in eq. (4) of the 1997 paper: V is first transferred to the intermediate frame, in which the third factor
is inverted block by block (section 4.6). A prescribed motion of the base is subtracted from V.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from symoro.errors import NotApplicableError, OptionError
from symoro.expr.linalg import (
    Matrix,
    Vector,
    add,
    cross,
    identity,
    matadd,
    matmul,
    matscale,
    matvec,
    rotation_of,
    subtract,
    transpose,
)
from symoro.expr.scalar import Scalar
from symoro.models.catalogue import Option
from symoro.models.dynamic.structures import FIXED, PLATFORM, WHEELED, Structure, tree_model
from symoro.models.dynamic.system import Inputs
from symoro.models.geometric.relative_placement import placement_between
from symoro.models.joints import Trigonometry, is_zero
from symoro.models.kinematic.jacobian import (
    OPTIONS,
    Factors,
    assembled,
    candidates,
    checked_mid,
    factors,
    joint_provider,
    needs_joints,
)
from symoro.models.kinematic.platform import (
    PLATFORM_DETAILS,
    PLATFORM_JINV,
    PLATFORM_QDA,
    platform_inverse_kinematics,
    platform_jacobian_inverse,
)
from symoro.models.kinematic.tool import moving_frame
from symoro.models.platform.pose import PLATFORM_POSE, PLATFORM_V, SPACE, TO, WORKING_MODE
from symoro.models.ports import QD, QDA, Q
from symoro.models.rank import always_singular
from symoro.models.recursion import base_motion
from symoro.models.references import SYMORO_1997
from symoro.models.solvers import BlockFactors, diagonal_blocks
from symoro.program.builder import Builder
from symoro.program.count import count
from symoro.program.program import Port, Program
from symoro.robot.description import Robot
from symoro.robot.topology import chain

GIVEN_VELOCITY = Port("V", "6", "velocity (linear; angular) of frame `to`, expressed in frame `frame`")
DAMPING = Port("damping", "", "damping factor, for the method damped")
PREFERRED = Port("qd0", "n", "preferred joint velocities, for the methods redundant and damped")

METHODS = ("auto", "regular", "redundant", "partial", "damped")
MAX_TRIED = 9  # on paths of at most this length every intermediate frame is tried
METHOD = Option(
    "method",
    "method: regular (J is square), redundant (six joints or more), partial (six or fewer) or damped; "
    "auto: according to the number of joints",
    "choice",
    "auto",
    METHODS,
)
SINGULAR = "its Jacobian is singular in every configuration"


def inverse_port(structure: Structure) -> Port:
    """Return the description (name, shape, text) of the output `Jinv` for a kind of robot."""
    if structure.platform:
        return PLATFORM_JINV
    size = "na" if structure.wheels else "n"
    return Port("Jinv", f"{size},6", "J^-1; J'(J J')^-1 for more than six joints, (J'J)^-1 J' for fewer")


def structures(
    equations: str, inputs: Mapping[Structure, tuple[Port, ...]] | None = None
) -> dict[Structure, dict[str, Any]]:
    """Return the catalogue entries of an inverse model, by kind of robot (fixed base, wheeled, platform).

    Args:
        equations: LaTeX text of the equations for robots other than platforms.
        inputs: additional inputs by kind of robot.
    """
    own: dict[str, Any] = {
        "reference": SYMORO_1997.at("section 4.6"),
        "equations": equations,
        "applies": needs_joints,
    }
    details_of = {
        FIXED: {**own, "applies_to": "every robot with a moving joint"},
        WHEELED: own,
        PLATFORM: PLATFORM_DETAILS,
    }
    return {s: {**details, "inputs": inputs[s]} if inputs else details for s, details in details_of.items()}


@dataclass(frozen=True)
class _Setting:
    """Data from which an inverse model is derived: the robot, its coordinates and the factors of its Jacobian.

    Attributes:
        end: frame whose velocity is given.
        frame: frame in whose axes this velocity is expressed.
        joints: numbers of the joints whose velocities are computed.
        q: positions of all joints.
        factors: the three factors of the Jacobian.
    """

    builder: Builder
    robot: Robot
    end: int
    frame: int | str
    joints: Sequence[int]
    q: Mapping[int, Scalar]
    trig: Trigonometry
    factors: Factors


def _setting(robot: Robot, end: int, frame: int | str, m: int, name: str) -> _Setting:
    builder = Builder(f"{robot.name}_{name}")
    provider = joint_provider(builder, robot)
    trig = Trigonometry(builder, robot)
    made = factors(builder, robot, end, frame, m, provider, trig)
    joints = [c.j for c in provider.own]
    return _Setting(builder, robot, end, frame, joints, provider.positions, trig, made)


def _to_mid(f: Factors, v: Vector, w: Vector) -> Vector:
    """Transfer the twist (v; w) of frame n to the origin of the intermediate frame m, in the axes of m.

    Args:
        f: factors of the Jacobian, with the rotation and the lever arm between the frames m and n.
        v, w: linear and angular velocity of frame n, in the axes of the frame of expression.
    """
    back = transpose(f.rotation)
    linear, angular = matvec(back, v), matvec(back, w)
    return subtract(linear, cross(angular, f.lever)) + angular


def _moving_columns(s: _Setting) -> list[int]:
    """Return the indices of the nonzero columns of J; they belong to the joints that move the frame."""
    columns = [k for k, column in enumerate(transpose(s.factors.third)) if not all(map(is_zero, column))]
    if not columns:
        raise NotApplicableError(f"no joint moves frame {s.end} of robot '{s.robot.name}'")
    return columns


def _restricted(matrix: Matrix, columns: list[int]) -> Matrix:
    return [[row[k] for k in columns] for row in matrix]


def _spread(values: list[list[Scalar]], columns: list[int], n: int) -> list[list[Scalar]]:
    """Insert zero rows for the joints that do not move the frame.

    Args:
        values: one row per joint that moves the frame.
        columns: indices of the joints that move the frame.
        n: number of all joints, which is the number of returned rows.
    """
    width = len(values[0])
    rows: list[list[Scalar]] = [[0] * width for _ in range(n)]
    for k, row in zip(columns, values, strict=True):
        rows[k] = row
    return rows


def _mids(robot: Robot, end: int, frame: int | str, mid: int | str | None) -> list[int]:
    chosen = checked_mid(robot, end, mid)
    if chosen is not None:
        return [chosen]
    path = [0, *chain(robot, end)]
    if len(path) <= MAX_TRIED:
        return path
    return list(dict.fromkeys((*candidates(robot, end, frame), path[len(path) // 2])))


def _cheapest(programs: list[Program | None], robot: Robot) -> Program:
    derived = [program for program in programs if program is not None]
    if not derived:
        raise NotApplicableError(f"robot '{robot.name}': {SINGULAR}", hint="use method='damped'")
    return min(derived, key=lambda program: count(program).total)


def _solve(builder: Builder, matrix: Matrix, right: Matrix) -> Matrix | None:
    """Return the solution X of the linear system `matrix` X = `right`.

    Returns:
        X; None if the matrix is singular in every configuration.
    """
    if diagonal_blocks(matrix) is None or always_singular(builder, matrix):
        return None
    factors = BlockFactors(builder, matrix, "IDET")
    return transpose([factors.solve(column) for column in transpose(right)])


def _least(builder: Builder, j: Matrix, right: Matrix) -> Matrix | None:
    """Return J' (J J')^-1 `right`, the minimum-norm solution X of J X = `right`.

    Returns:
        X; None if J J' is singular in every configuration.
    """
    jt = transpose(j)
    solution = _solve(builder, matmul(j, jt), right)
    return matmul(jt, solution) if solution else None


def _partial(builder: Builder, j: Matrix, right: Matrix) -> Matrix | None:
    """Return (J' J)^-1 J' `right`, the least-squares solution X of J X = `right`.

    If J has as many nonzero rows as columns, the solution is computed with the inverse of the nonzero rows. The result
    is the same, but J' J would square the condition number of J, which is large if the lengths of the robot differ from
    1 m by orders of magnitude.

    Returns:
        X; None if J is singular in every configuration.
    """
    used = [k for k, row in enumerate(j) if not all(map(is_zero, row))]
    if len(used) == len(j[0]):
        return _solve(builder, [j[k] for k in used], [right[k] for k in used])
    jt = transpose(j)
    return _solve(builder, matmul(jt, j), matmul(jt, right))


@tree_model(
    "jacobian-inverse",
    menu="Kinematic",
    title="inverse of the Jacobian, or its pseudo-inverse",
    read=Inputs(rates=False, weight=False),
    outputs=lambda structure: (inverse_port(structure),),
    options=(*OPTIONS, SPACE, TO, WORKING_MODE),
    aliases=("jinv", "inverse-jacobian", "pseudo-inverse"),
    structures=structures(r"J^{-1}, \quad J^{+} = J^T (J J^T)^{-1} \text{ or } (J^T J)^{-1} J^T"),
)
def jacobian_inverse(
    robot: Robot,
    to: int | str | None = None,
    frame: int | str = 0,
    mid: int | str | None = None,
    space: str | None = None,
    working_mode: str = "1",
) -> Program:
    """Derive the inverse of the Jacobian of frame `to` if it is square, else its pseudo-inverse.

    Args:
        to: frame whose velocity is given; by default the tool, the platform or the last link's frame.
        frame: frame in whose axes the velocity is expressed.
        mid: intermediate frame of Renaud's factorisation; by default the one that requires the fewest operations.
        space: 'platform' for the Jacobian between motors and platform of a parallel robot; None for other robots.
        working_mode: working mode of the legs of a parallel robot, 1 or 2: one digit for all legs, or one per leg.
    """
    if space == "platform":
        return platform_jacobian_inverse(robot, to, working_mode)
    tree, end, expressed = moving_frame(robot, to, frame)
    mids = _mids(tree, end, expressed, mid)
    return _cheapest([_inverse_program(tree, end, expressed, m) for m in mids], robot)


def _inverse_program(robot: Robot, end: int, frame: int | str, m: int) -> Program | None:
    s = _setting(robot, end, frame, m, "jacobian_inverse")
    columns = _moving_columns(s)
    n = len(s.joints)
    if len(columns) < 6:
        inverse = _partial(s.builder, _restricted(assembled(s.factors), columns), identity(6))
    else:
        third = _restricted(s.factors.third, columns)
        units = transpose([_to_mid(s.factors, [*e[:3]], [*e[3:]]) for e in identity(6)])
        inverse = _least(s.builder, third, units) if len(columns) > 6 else _solve(s.builder, third, units)
    if inverse is None:
        return None
    title = f"inverse of the Jacobian of frame {end} in frame {frame}"
    s.builder.output(inverse_port(WHEELED if robot.wheels else FIXED), _spread(inverse, columns, n), title)
    return s.builder.program()


@tree_model(
    "inverse-kinematics",
    menu="Kinematic",
    title="inverse kinematic model: joint velocities from a frame's velocity",
    read=Inputs(rates=False, weight=False),
    outputs=lambda structure: (PLATFORM_QDA if structure.platform else QDA if structure.wheels else QD,),
    options=(*OPTIONS, METHOD, SPACE, TO, WORKING_MODE),
    aliases=("ikm", "inverse-velocity-kinematics", "differential-inverse-kinematics"),
    structures=structures(
        r"\dot q = J^{-1} V, \quad \dot q = J^{+} V + (I - J^{+} J)\,\dot q_0, \quad "
        r"\dot q = J^T (J J^T + \lambda^2 I)^{-1} V",
        {
            FIXED: (Q, GIVEN_VELOCITY, DAMPING, PREFERRED),
            WHEELED: (Q, GIVEN_VELOCITY, DAMPING, PREFERRED),
            PLATFORM: (PLATFORM_POSE, PLATFORM_V),
        },
    ),
)
def inverse_kinematics(
    robot: Robot,
    to: int | str | None = None,
    frame: int | str = 0,
    mid: int | str | None = None,
    method: str = "auto",
    space: str | None = None,
    working_mode: str = "1",
) -> Program:
    """Derive the joint velocities that give frame `to` a required velocity.

    Args:
        to: frame whose velocity is given; by default the tool, the platform or the last link's frame.
        frame: frame in whose axes the velocity is expressed.
        mid: intermediate frame of Renaud's factorisation; by default the one that requires the fewest operations.
        method: 'regular', 'redundant', 'partial' or 'damped'; 'auto' selects a method by the number of joints.
        space: 'platform' for the velocities of motors and platform of a parallel robot; None for other robots.
        working_mode: working mode of the legs of a parallel robot, 1 or 2: one digit for all legs, or one per leg.
    """
    if space == "platform":
        return platform_inverse_kinematics(robot, to, working_mode)
    tree, end, expressed = moving_frame(robot, to, frame)
    mids = _mids(tree, end, expressed, mid)
    return _cheapest([_velocity_program(tree, end, expressed, m, method) for m in mids], robot)


def _velocity_program(robot: Robot, end: int, frame: int | str, m: int, method: str) -> Program | None:
    s = _setting(robot, end, frame, m, "inverse_kinematics")
    columns = _moving_columns(s)
    method = _method_for(method, len(columns))
    title = f"velocity of frame {end} in frame {frame}"
    given = s.builder.input(GIVEN_VELOCITY, (6,), [f"V_{k}" for k in range(1, 7)], title)
    relative = subtract(given, _base_part(s))
    n = len(s.joints)
    rates: list[list[Scalar]] | None
    if method == "regular":
        at_mid = _to_mid(s.factors, relative[:3], relative[3:])
        rates = _solve(s.builder, _restricted(s.factors.third, columns), [[x] for x in at_mid])
    elif method == "partial":
        rates = _partial(s.builder, _restricted(assembled(s.factors), columns), [[x] for x in relative])
    else:
        names = [f"qd0_{j}" for j in s.joints]
        preferred = s.builder.input(PREFERRED, (n,), names, default=[0.0] * n)
        towards = _damped if method == "damped" else _redundant
        rates = towards(s, columns, relative, [preferred[k] for k in columns])
    if rates is None:
        return None
    qd = _spread(rates, columns, n)
    if method in ("redundant", "damped"):  # joints that do not move the frame have their preferred velocities
        qd = [row if k in columns else [preferred[k]] for k, row in enumerate(qd)]
    s.builder.output(QDA if robot.B or robot.wheels else QD, [row[0] for row in qd])
    return s.builder.program()


def _redundant(s: _Setting, columns: list[int], relative: Vector, near: Vector) -> Matrix | None:
    """Return the joint velocities qd0 + J' (J J')^-1 (V - J qd0) of a redundant robot.

    J is replaced by the third factor of the Jacobian, because the other two factors are regular.

    Args:
        columns: indices of the joints that move the frame.
        relative: V, the twist of the frame relative to the base.
        near: qd0, the preferred velocities of these joints.
    """
    third = _restricted(s.factors.third, columns)
    at_mid = _to_mid(s.factors, relative[:3], relative[3:])
    correction = _least(s.builder, third, [[x] for x in subtract(at_mid, matvec(third, near))])
    return [[x + row[0]] for x, row in zip(near, correction, strict=True)] if correction else None


def _damped(s: _Setting, columns: list[int], relative: Vector, near: Vector) -> Matrix | None:
    """Return the damped least-squares joint velocities qd0 + J' (J J' + damping^2 I)^-1 (V - J qd0).

    Args:
        columns: indices of the joints that move the frame.
        relative: V, the twist of the frame relative to the base.
        near: qd0, the preferred velocities of these joints.
    """
    j = _restricted(assembled(s.factors), columns)
    (damping,) = s.builder.input(DAMPING, (), ["damping"], default=[0.01])
    square = matadd(matmul(j, transpose(j)), matscale(damping * damping, identity(6)))
    solution = _solve(s.builder, square, [[x] for x in subtract(relative, matvec(j, near))])
    return [[x] for x in add(near, matvec(transpose(j), [row[0] for row in solution]))] if solution else None


def _method_for(method: str, joints: int) -> str:
    if method == "auto":
        return "regular" if joints == 6 else "redundant" if joints > 6 else "partial"
    if method == "regular" and joints != 6:
        needed = "six joints"
    elif method == "redundant" and joints < 6:
        needed = "six joints or more"
    elif method == "partial" and joints > 6:
        needed = "at most six joints"
    else:
        return method
    raise OptionError(
        f"method {method} requires {needed} that move the frame; this frame has {joints}",
        hint="use method='auto'",
    )


def _base_part(s: _Setting) -> Vector:
    """Return the twist of frame n due to the prescribed motion of the base, in the axes of the frame of expression."""
    if s.robot.wheels:
        return [0] * 6
    base = base_motion(s.builder, s.robot, acceleration=False)
    if base.still:
        return [0] * 6
    placed = placement_between(s.builder, s.robot, 0, s.end, s.q, s.trig)
    position = [row[3] for row in placed[:3]]
    turn = rotation_of(placement_between(s.builder, s.robot, s.frame, 0, s.q, s.trig))
    return matvec(turn, add(base.v, cross(base.w, position))) + matvec(turn, base.w)
