"""Inverse geometry of arms with seven joints, spherical shoulder and spherical wrist, for a given swivel angle.

The elbow can rotate about the line from shoulder to wrist; the swivel angle psi of this rotation is an input. S and W
are the positions of the centres of shoulder and wrist, z1 is the first axis, s3 the position of the shoulder in the
frame before the elbow, and w4 that of the wrist in the frame after the elbow.

    w = W - S                                from the shoulder's centre to the wrist's, in the frame of the pose
    v = Rz(q4) w4 - s3                       the same in the frame before the elbow; |v| = |w|: type 2 for q4
    a = w / |w|,  b1 = z1 - (z1' a) a, normalised,  c1 = a x b1
    b = cos(psi) b1 + sin(psi) c1,  c = a x b
    a' = v / |v|, b' = -s3 + (s3' a') a', normalised,  c' = a' x b'
    R = a a'^T + b b'^T + c c'^T             orientation of the frame before the elbow

At psi = 0 the elbow is in the plane of that line and the first axis, on the side of the positive axis. The angles of
shoulder and wrist follow from R (see orientation.py). There are eight solutions.

M. Shimizu, H. Kakuya, W.-K. Yoon, K. Kitagaki, K. Kosuge, "Analytical inverse kinematic computation for 7-DOF
redundant manipulators with joint limits and its application to redundancy resolution", IEEE Trans. Robotics 24, 2008.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symoro.errors import NotApplicableError
from symoro.expr.linalg import (
    Matrix,
    Vector,
    add,
    cross,
    dot,
    matadd,
    matmul,
    matvec,
    position_of,
    rotation_of,
    scale,
    subtract,
    transpose,
)
from symoro.expr.scalar import Expr, Scalar, cos, less_equal, select, sin, sqrt
from symoro.models.geometric.inverse.chain.chain import Unknown
from symoro.models.geometric.inverse.chain.problem import Problem, shorthand
from symoro.models.geometric.inverse.paul import equation_types
from symoro.models.geometric.inverse.pieper.arm import Arm, Centre, arm_of, centres
from symoro.models.geometric.inverse.pieper.orientation import orientation_steps
from symoro.models.geometric.inverse.step import Draft, Step
from symoro.models.tolerances import SINGULAR_PIVOT

ELBOW = 3  # index of the elbow joint, from 0


def swivel_steps(problem: Problem, swivel: Expr) -> list[Step]:
    """Return the solution steps of an arm with seven joints for a given swivel angle of the elbow.

    Args:
        problem: inverse geometry problem in which every joint is a separate unknown.
        swivel: swivel angle in rad.

    Raises:
        NotApplicableError: the arm does not have seven joints with spherical shoulder 1-2-3 and wrist 5-6-7.
    """
    arm = arm_of(problem.chain, problem.given)
    shoulder, wrist = _spheres(problem, arm)
    elbow = arm.joints[ELBOW].unknown
    w = subtract(_point(arm.target, wrist.behind), shoulder.before)
    first = _elbow_step(problem, elbow, w, wrist.before, shoulder.behind)
    rotation = _orientation(arm, elbow, w, wrist.before, shoulder.behind, swivel, problem.chain.size)
    named = [
        [shorthand(problem, f"R{r}{c}", x) for c, x in enumerate(row, 1)] for r, row in enumerate(rotation, 1)
    ]
    lines = tuple(line for row in named for _, defining in row for line in defining)
    known: Matrix = [[x for x, _ in row] for row in named]
    k = [rotation_of(matrix) for matrix in arm.constants]
    upper = matmul(matmul(transpose(k[0]), known), transpose(k[3]))
    after_elbow = matmul(known, matmul(_about_z(elbow), k[4]))
    lower = matmul(matmul(transpose(after_elbow), rotation_of(arm.target)), transpose(k[7]))
    unknowns = [joint.unknown for joint in arm.joints]
    above = orientation_steps(problem, unknowns[:3], k[1:3], upper, "M")
    below = orientation_steps(problem, unknowns[4:], k[5:7], lower, "N")
    if above is None or below is None:
        raise NotApplicableError(REQUIRED_STRUCTURE)
    return [replace(first, lines=first.lines + lines), *above, *below]


REQUIRED_STRUCTURE = (
    "the option swivel requires seven revolute joints whose axes 1-2-3 intersect in one point and whose axes "
    "5-6-7 intersect in another"
)


def _spheres(problem: Problem, arm: Arm) -> tuple[Centre, Centre]:
    if len(arm.joints) != 7 or not all(arm.given) or not arm.joints[ELBOW].turns:
        raise NotApplicableError(REQUIRED_STRUCTURE)
    both_centres = [centres(arm, first, first + 3, problem.probes) for first in (0, ELBOW + 1)]
    if not all(both_centres):
        raise NotApplicableError(REQUIRED_STRUCTURE)
    return both_centres[0][0], both_centres[1][0]


def _elbow_step(problem: Problem, elbow: Unknown, w: Vector, w4: Vector, s3: Vector) -> Step:
    """Solve |Rz(q4) w4 - s3| = |w| for the elbow angle q4, as the equation X S + Y C = Z with S, C = sin, cos q4.

    Args:
        elbow: unknown q4.
        w: vector from shoulder to wrist.
        w4: position of the wrist in the frame after the elbow.
        s3: position of the shoulder in the frame before the elbow.
    """
    number = problem.builder.number
    draft = Draft(problem.builder, 2, problem.start, frozenset(), problem.chain.size)
    x = number(s3[0] * w4[1] - s3[1] * w4[0])
    y = number(-s3[0] * w4[0] - s3[1] * w4[1])
    sizes = dot(w4, w4) + dot(s3, s3) - 2 * s3[2] * w4[2]
    z = draft.let(f"z{elbow.label}", (dot(w, w) - sizes) / 2)
    equation_types.solve_turn(draft, elbow, x, y, z, 2)
    return draft.step((x * elbow.sine + y * elbow.cosine, z))


def _orientation(
    arm: Arm, elbow: Unknown, w: Vector, w4: Vector, s3: Vector, swivel: Expr, size: Expr
) -> Matrix:
    """Return the orientation R of the frame before the elbow, from the swivel angle.

    Args:
        elbow: unknown q4.
        w: vector from shoulder to wrist, in the frame of the pose.
        w4: position of the wrist in the frame after the elbow.
        s3: position of the shoulder in the frame before the elbow.
        swivel: swivel angle in rad.
        size: size of the robot.
    """
    base = rotation_of(arm.constants[0])
    first_axis, across = ([row[c] for row in base] for c in (2, 0))
    a, b1, c1 = _triad(w, first_axis, across, 1)
    s, c = sin(swivel), cos(swivel)
    b = add(scale(c, b1), scale(s, c1))
    v = subtract(matvec(_about_z(elbow), w4), s3)
    own = _triad(v, scale(-1, s3), [0, 0, 1], size)
    rotation = _dyad(a, own[0])
    for one, other in ((b, own[1]), (cross(a, b), own[2])):
        rotation = matadd(rotation, _dyad(one, other))
    return rotation


def _triad(along: Vector, towards: Vector, instead: Vector, size: Scalar) -> tuple[Vector, Vector, Vector]:
    """Return three orthonormal vectors a, b, c = a x b with a parallel to `along`.

    Args:
        along: direction of a.
        towards: vector whose component perpendicular to a has the direction of b.
        instead: vector used in place of `towards` if `towards` is parallel to `along`.
        size: magnitude of `towards`.
    """
    a = _unit(along)
    b = _across(towards, a)
    replacement = _across(instead, a)
    lost = less_equal(dot(b, b), SINGULAR_PIVOT**2 * size * size)
    b = _unit([select(lost, y, x) for x, y in zip(b, replacement, strict=True)])
    return a, b, cross(a, b)


def _across(v: Sequence[Scalar], a: Sequence[Scalar]) -> Vector:
    return subtract(v, scale(dot(v, a), a))


def _unit(v: Sequence[Scalar]) -> Vector:
    return scale(1 / sqrt(dot(v, v)), v)


def _dyad(u: Sequence[Scalar], v: Sequence[Scalar]) -> Matrix:
    return [scale(x, v) for x in u]


def _about_z(elbow: Unknown) -> Matrix:
    s, c = elbow.sine, elbow.cosine
    return [[c, -s, 0], [s, c, 0], [0, 0, 1]]


def _point(matrix: Matrix, point: Vector) -> Vector:
    return add(matvec(rotation_of(matrix), point), position_of(matrix))
