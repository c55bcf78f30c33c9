"""Pieper's position equations: three joints from the position of a point.

Joints whose axes intersect in a point do not move it. Its position, expressed from both ends of the chain, gives three
equations in three other joints i, j, k,

    Ji (R Jj F + p) = G            R, p between i and j; F, or G if k is beyond the point, depends on qk alone

With y = Jj F and h = R y + p, and C, S the cosine and sine of qj (i and j are revolute or prismatic: RRX, PRX, RPX,
PPX):

    RRX  hz = Gz, |h|^2 = |G|^2:    R3 y = Gz - pz,    2 p'R y = |G|^2 - |F|^2 - |p|^2
    PRX  hx = Gx, hy = Gy:          R1 y = Gx - px,    R2 y = Gy - py
         Both are linear in y; with yz = Fz they give yx and yy, and  yx^2 + yy^2 + Fz^2 = |F|^2  gives qk; C Fx - S Fy
         = yx, S Fx + C Fy = yy  give qj. If the left sides of the two equations are parallel (axes i and j intersect
         or are parallel), the combination without y gives qk, and one of them gives qj. For intersecting axes, h is
         then known along both axes, and its component perpendicular to them up to a sign. This is more accurate than
         an equation of type 2 if the point is close to axis i.
    RPX  hz = Gz, hx^2 + hy^2 = Gx^2 + Gy^2:    rj from the first, qk from the second, hx^2 + hy^2 + Gz^2 = |G|^2;
         if j is perpendicular to i, the first gives qk and the second rj.
    PPX  hx = Gx, hy = Gy:    qk from the combination without rj, then rj.
    Finally qi from  Ci hx - Si hy = Gx, Si hx + Ci hy = Gy,  or  ri = Gz - hz.

If the two equations are almost parallel, or one of them almost vanishes (axes that almost intersect or are almost
parallel), or if this may happen for symbolic parameters, their determinant D is not used as a divisor. Instead the
polynomial is multiplied by D^2; its roots then occur in pairs that coincide for D = 0, and the equation with the
larger left side gives qj up to a sign; rj likewise. This doubles the number of branches; those with the wrong sign are
not solutions, except for D = 0, where both signs are.

qk is the root of a polynomial of degree four in general, of type 10 or 9. It reduces to two square roots if all
squared terms depend on qk through a single linear combination: for example, if axes j and k are parallel or intersect.

D. L. Pieper, "The kinematics of manipulators under computer control", Stanford, 1968; W. Khalil, D. Creusot,
"SYMORO+: a system for the symbolic modelling of robots", Robotica 15, 1997, section 3.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from symoro.expr.linalg import (
    Matrix,
    Vector,
    add,
    dot,
    inverse_transform,
    matvec,
    position_of,
    rotation_of,
    subtract,
    transpose,
)
from symoro.expr.scalar import Expr, Scalar, less, maximum, select, sqrt
from symoro.models.geometric.inverse.chain.probes import Probes
from symoro.models.geometric.inverse.chain.problem import Problem, shorthand
from symoro.models.geometric.inverse.paul import equation_types
from symoro.models.geometric.inverse.paul.forms import (
    Form,
    FormPoint,
    combined,
    distance,
    moved,
    placed,
    shared_direction,
    solve_form,
    still,
    without_zeros,
)
from symoro.models.geometric.inverse.pieper.arm import Arm, ArmJoint, Centre, seen_behind
from symoro.models.geometric.inverse.step import Draft, Step
from symoro.models.tolerances import SMALL_DIVISOR

Lines = tuple[tuple[Expr, Expr], ...]
LinearEquation = tuple[Vector, Form]  # a y = b: the factors of (yx, yy), and b


@dataclass(frozen=True)
class Position:
    """Position equation Ji (R Jj F + p) = G of a point, in three unknown joints i, j and k.

    Ji and Jj are the transforms of the joints i and j. The joint k is in F or in G.

    Attributes:
        i, j, k: the three joints.
        between: constant transform with rotation R and position p, between joints i and j.
        near: point F, as functions of qk.
        far: point G, as functions of qk.
        lines: definitions (symbol, value) of the symbols in G.
    """

    i: ArmJoint
    j: ArmJoint
    k: ArmJoint
    between: Matrix
    near: FormPoint
    far: FormPoint
    lines: Lines

    @property
    def rotation(self) -> Matrix:
        return rotation_of(self.between)

    @property
    def offset(self) -> Vector:
        return position_of(self.between)


def position_of_centre(problem: Problem, arm: Arm, centre: Centre) -> Position | None:
    """Return the position equation of the point in which some axes intersect.

    The other joints are three joints before these axes, or two before and one after them.

    Returns:
        The equation; None if the given columns of the pose do not determine the point.
    """
    i, j = arm.joints[:2]
    k = arm.joints[2] if centre.first == 3 else arm.joints[centre.last]
    far = seen_behind(arm, centre, k.turns, problem.probes)
    if far is None:
        return None
    near = still(k.turns, centre.before)
    if centre.first == 3:
        near = placed(arm.constants[2], moved(k.turns, k.sign, centre.before))
    far, lines = _with_names(problem, placed(inverse_transform(arm.constants[0]), far))
    return Position(i, j, k, arm.constants[1], near, far, lines)


def _with_names(problem: Problem, point: FormPoint) -> tuple[FormPoint, Lines]:
    """Introduce symbols G1, G2, ... for the coefficients of a point.

    Returns:
        The point in these symbols, and the definitions (symbol, value).
    """
    lines: Lines = ()
    forms = []
    for n, form in enumerate(point, 1):
        named = [
            shorthand(problem, f"G{n}" + (f"_{m}" if m else ""), a, 1 if form.turns else 1 - m)
            for m, a in enumerate(form.k)
        ]
        forms.append(Form(form.turns, tuple(a for a, _ in named)))
        lines += tuple(line for _, defining in named for line in defining)
    return (forms[0], forms[1], forms[2]), lines


def position_steps(problem: Problem, position: Position) -> list[Step] | None:
    """Return solution steps for the joints k, j and i from the position of a point.

    Returns:
        The steps; None if the point does not determine the joints.
    """
    if position.j.turns:
        steps = _turn_second(problem, position)
    else:
        steps = (_turn_and_slide if position.i.turns else _slide_twice)(problem, position)
    if steps is None:
        return None
    k, j = steps
    return [replace(k, lines=position.lines + k.lines), j, _first(problem, position)]


# -- k and j


def _turn_second(problem: Problem, position: Position) -> list[Step] | None:
    """Solve the position equation of a point for the joints k and j, if joint j is revolute.

    These are the cases RRX and PRX of the module's docstring.

    Args:
        position: the equation Ji (R Jj F + p) = G, see `Position`.

    Returns:
        The steps for the joints k and j; None if the point does not determine them.
    """
    probes = problem.probes
    near, k = position.near, position.k
    (u, left), (v, right) = rows = _rows(position)
    degree = right.degree - 1  # of v; the degree of u is 0
    length = probes.length**degree
    area = u[0] * v[1] - u[1] * v[0]
    flat = probes.vanishes(area, length)
    if not flat and _small(
        problem, area, length * max(probes.largest(dot(u, u)), _square(probes, v, length))
    ):
        yx = combined([v[1], -u[1]], [left, right], degree)
        yy = combined([-v[0], u[0]], [left, right], degree)
        total = distance(near).times(area * area, 2 * degree)
        step = _squares(problem, k, (yx, yy, near[2].times(area, degree)), total, (area, length))
        return None if step is None else [_repeating(step), _turn_by_larger(problem, position, rows)]
    if not flat:
        yx = combined([v[1], -u[1]], [left, right], degree).times(1 / area, -degree)
        yy = combined([-v[0], u[0]], [left, right], degree).times(1 / area, -degree)
        step = _squares(problem, k, (yx, yy, near[2]), distance(near))
        return None if step is None else [step, _turn_twice(problem, position, yx, yy)]
    by_u = probes.largest(dot(u, u)) >= _square(probes, v, length)
    first, second = rows if by_u else rows[::-1]
    (u, left), (v, right) = first, second
    if probes.vanishes(dot(u, u), 1.0 if by_u else length**2):
        return None
    without = right - left.times(dot(u, v) / dot(u, u), right.degree - left.degree)
    step = _zero(problem, k, without)
    if step is None:
        return None
    intersect = position.i.turns and not all(probes.vanishes(row[2]) for row in position.rotation[:2])
    return [step, _turn_to_side(problem, position) if intersect else _turn_once(problem, position, first)]


def _square(probes: Probes, v: Vector, length: float) -> float:
    """Return the largest squared norm of the vector v over all samples, divided by length^2."""
    return probes.largest(dot(v, v)) / length**2


def _small(problem: Problem, divisor: Scalar, size: float) -> bool:
    """Return whether a divisor is small at a sample, or contains symbols of the robot and so may become small.

    Args:
        divisor: the divisor.
        size: magnitude relative to which the divisor is small.
    """
    expr = problem.builder.number(divisor)
    return bool(expr.symbols()) or bool(min(abs(problem.probes.of(expr))) < SMALL_DIVISOR * size)


def _repeating(step: Step) -> Step:
    """Return a solution step changed so that its coincident roots count as separate solutions.

    If two roots of this step are equal, both signs of the next step give solutions, so that neither root is discarded.
    """
    return replace(step, meets=(), repeats=step.meets)


def _turn_by_larger(problem: Problem, position: Position, rows: Sequence[LinearEquation]) -> Step:
    """Solve one of two linear equations m y = b for the angle of joint j, the equation whose vector m is larger.

    Here y is the point F (`position.near`) after the motion of joint j; only its x and y coordinates are unknown:

        y = (m b + w (-my, mx)) / |m|^2, w^2 = |m|^2 (Fx^2 + Fy^2) - b^2

    Args:
        position: position equation of the point, see `Position`.
        rows: the two equations as (m, b).
    """
    k, label = position.k.unknown, position.j.unknown.label
    number = problem.builder.number
    (u, left), (v, right) = rows
    draft = _draft(problem, 3)
    # Both equations in one unit: the second is divided by the robot's size if its factors are lengths.
    unit = draft.power(1 - right.degree)
    v = [unit * x for x in v]
    second = less(dot(u, u), dot(v, v))
    m = [number(select(second, b, a)) for a, b in zip(u, v, strict=True)]
    b = draft.let(f"b{label}", select(second, unit * right.at(k), left.at(k)))
    square = number(maximum(dot(u, u), dot(v, v)))
    x, y = (position.near[n].at(k) for n in (0, 1))
    most = draft.let(f"square{label}", square * (x * x + y * y))
    w = draft.let(f"root{label}", draft.root(most - b * b, equation_types.inverse_of(draft, most, 1)))
    end = [(m[0] * b - m[1] * w) / square, (m[1] * b + m[0] * w) / square]
    return _turn_onto(problem, draft, position, end)


def _rows(position: Position) -> tuple[LinearEquation, LinearEquation]:
    """Return the two scalar position equations that are linear in y, the point F after the motion of joint j.

    The terms with yz, which equals Fz, are on the right side.

    Args:
        position: position equation with the point F, see `Position`.

    Returns:
        Two pairs (factors of yx and yy, right side).
    """
    r, p = position.rotation, position.offset
    near, far = position.near, position.far
    if position.i.turns:
        along = matvec(transpose(r), p)
        squares = distance(far) - distance(near)
        return (
            (r[2][:2], far[2].plus(-p[2]) - near[2].times(r[2][2])),
            (along[:2], squares.plus(-dot(p, p)).times(Fraction(1, 2)) - near[2].times(along[2], 1)),
        )
    return (
        (r[0][:2], far[0].plus(-p[0]) - near[2].times(r[0][2])),
        (r[1][:2], far[1].plus(-p[1]) - near[2].times(r[1][2])),
    )


def _turn_twice(problem: Problem, position: Position, yx: Form, yy: Form) -> Step:
    """Solve C Fx - S Fy = yx, S Fx + C Fy = yy for the angle of joint j, with cosine C and sine S.

    Args:
        position: position equation of a point; F is its point `near`.
        yx, yy: right sides as functions of the position of joint k.
    """
    k = position.k.unknown
    draft = _draft(problem, 3)
    return _turn_onto(problem, draft, position, [yx.at(k), yy.at(k)])


def _turn_onto(problem: Problem, draft: Draft, position: Position, right: Sequence[Scalar]) -> Step:
    j, k = position.j, position.k.unknown
    x, y = (draft.let(f"F{j.unknown.label}_{n}", position.near[n].at(k)) for n in (0, 1))
    end: list[Scalar] = [draft.let(f"y{j.unknown.label}_{n}", value) for n, value in enumerate(right)]
    equation_types.solve_turn_onto(draft, j.unknown, j.sign, [x, y], end)
    s, c = j.sign * j.unknown.sine, j.unknown.cosine
    return draft.step(*_shown(problem, (c * x - s * y, end[0]), (s * x + c * y, end[1])))


def _turn_to_side(problem: Problem, position: Position) -> Step:
    """Solve the position equation Ji (R Jj F + p) = G for joint j, if the axes of joints i and j intersect.

    The components of h = R Jj F + p along both axes are known, and its component perpendicular to them up to the sign:

        hz = Gz, a h = Fz + a p with a = R z; h = e (ax, ay) + w (-ay, ax) in x and y, e^2 + w^2 = Gx^2 + Gy^2

    Args:
        position: the position equation; `Position` defines its symbols.
    """
    r, p, k = position.rotation, position.offset, position.k.unknown
    label = position.j.unknown.label
    draft = _draft(problem, 3)
    ax, ay, az = (row[2] for row in r)
    across = problem.builder.number(sqrt(ax * ax + ay * ay))
    g = [form.at(k) for form in position.far]
    height = position.near[2].at(k) + dot([ax, ay, az], p)
    e = draft.let(f"e{label}", (height - az * g[2]) / across)
    square = draft.let(f"square{label}", g[0] * g[0] + g[1] * g[1])
    w = draft.let(f"root{label}", draft.root(square - e * e, equation_types.inverse_of(draft, square, 1)))
    h = [(e * ax - w * ay) / across, (e * ay + w * ax) / across, g[2]]
    return _turn_onto(problem, draft, position, matvec(transpose(r), subtract(h, p))[:2])


def _turn_once(problem: Problem, position: Position, row: LinearEquation) -> Step:
    """Solve the equation u (C Fx - S Fy, S Fx + C Fy) = b (type 2) for the angle of joint j.

    C and S are the cosine and sine of this angle, and F is the point `position.near`.

    Args:
        row: the vector u, and the right side b as a function of the position of joint k.
    """
    j, k = position.j, position.k.unknown
    u, right = row
    draft = _draft(problem, 2)
    x, y = (draft.let(f"F{j.unknown.label}_{n}", position.near[n].at(k)) for n in (0, 1))
    number = problem.builder.number
    cosine, sine = number(u[0] * x + u[1] * y), number(j.sign * (u[1] * x - u[0] * y))
    equation_types.solve_turn(draft, j.unknown, sine, cosine, number(right.at(k)), right.degree)
    left = sine * j.unknown.sine + cosine * j.unknown.cosine
    return draft.step(*_shown(problem, (left, right.at(k))))


def _turn_and_slide(problem: Problem, position: Position) -> list[Step] | None:
    """Solve the position equation of a point for the joints k and j, if joint i is revolute and joint j prismatic.

    This is the case RPX of the module's docstring.

    Args:
        position: the equation Ji (R Jj F + p) = G, see `Position`.

    Returns:
        The steps for the joints k and j; None if the point does not determine them.
    """
    r, far, k = position.rotation, position.far, position.k
    slope = [row[2] for row in r]
    start = placed(position.between, position.near)
    if not problem.probes.vanishes(slope[2]) and _small(problem, slope[2], 1):
        along = far[2] - start[2]
        hx, hy = (start[n].times(slope[2]) + along.times(slope[n]) for n in (0, 1))
        parts = (hx, hy, far[2].times(slope[2]))
        step = _squares(problem, k, parts, distance(far).times(slope[2] * slope[2]), (slope[2], 1.0))
        return None if step is None else [_repeating(step), _slide_to_radius(problem, position, start)]
    if not problem.probes.vanishes(slope[2]):
        length = (far[2] - start[2]).times(1 / slope[2])
        hx, hy = (start[n] + length.times(slope[n]) for n in (0, 1))
        step = _squares(problem, k, (hx, hy, far[2]), distance(far))
        return None if step is None else [step, _slide(problem, position, length)]
    step = _zero(problem, k, far[2] - start[2])
    return None if step is None else [step, _slide_to_radius(problem, position, start)]


def _slide_twice(problem: Problem, position: Position) -> list[Step] | None:
    """Solve the position equation of a point for the joints k and j, if the joints i and j are prismatic.

    This is the case PPX of the module's docstring.

    Args:
        position: the equation Ji (R Jj F + p) = G, see `Position`.

    Returns:
        The steps for the joints k and j; None if the point does not determine them.
    """
    r, far, k = position.rotation, position.far, position.k
    x, y = r[0][2], r[1][2]
    across = x * x + y * y
    if problem.probes.vanishes(across):
        return None
    start = placed(position.between, position.near)
    rest = [far[n] - start[n] for n in (0, 1)]
    step = _zero(problem, k, combined([y, -x], rest))
    length = combined([x, y], rest).times(1 / across)
    return None if step is None else [step, _slide(problem, position, length)]


def _slide(problem: Problem, position: Position, length: Form) -> Step:
    j = position.j
    value = j.sign * length.at(position.k.unknown)
    draft = _draft(problem, 1)
    draft.length(j.unknown, value)
    return draft.step(*_shown(problem, (j.unknown.length, value)))


def _slide_to_radius(problem: Problem, position: Position, start: FormPoint) -> Step:
    """Solve (hx + a r)^2 + (hy + b r)^2 = Gx^2 + Gy^2 for the position r of the prismatic joint j.

    G is the point `position.far`, and (a, b) is the direction of axis j in x and y.

    Args:
        start: the point h = (hx, hy, hz) at r = 0, as functions of the position of joint k.
    """
    j, k = position.j, position.k.unknown
    number = problem.builder.number
    draft = _draft(problem, 9)
    label = j.unknown.label
    h = [draft.let(f"h{label}_{n}", start[n].at(k)) for n in (0, 1)]
    g = [position.far[n].at(k) for n in (0, 1)]
    a, b, c = (row[2] for row in position.rotation)
    along = j.sign * (a * h[0] + b * h[1])
    across = number(1 if problem.probes.vanishes(c) else a * a + b * b)
    equation_types.solve_polynomial(
        draft, j.unknown, [number(dot(h, h) - dot(g, g)), number(2 * along), across], 2
    )
    r = j.unknown.length
    return draft.step(*_shown(problem, (across * r * r + 2 * along * r, dot(g, g) - dot(h, h))))


# -- i


def _first(problem: Problem, position: Position) -> Step:
    """Solve the position equation Ji h = G for the first joint i, after joints j and k are solved.

    Ci hx - Si hy = Gx, Si hx + Ci hy = Gy  for a revolute joint,    ri = Gz - hz  for a prismatic one

    Ji is the transform of joint i, h the known point before it, and G the point `position.far`.
    """
    i, k = position.i, position.k.unknown
    h = add(matvec(position.rotation, _second_applied(position)), position.offset)
    g = [form.at(k) for form in position.far]
    if not i.turns:
        draft = _draft(problem, 1)
        value = i.sign * (g[2] - h[2])
        draft.length(i.unknown, value)
        return draft.step(*_shown(problem, (i.unknown.length, value)))
    draft = _draft(problem, 3)
    x, y = (draft.let(f"h{i.unknown.label}_{n}", h[n]) for n in (0, 1))
    equation_types.solve_turn_onto(draft, i.unknown, i.sign, [x, y], g[:2])
    s, c = i.sign * i.unknown.sine, i.unknown.cosine
    return draft.step(*_shown(problem, (c * x - s * y, g[0]), (s * x + c * y, g[1])))


def _second_applied(position: Position) -> Vector:
    """Return Jj F, the point F (`position.near`) after the motion of joint j."""
    j = position.j
    x, y, z = (form.at(position.k.unknown) for form in position.near)
    if not j.turns:
        return [x, y, z + j.sign * j.unknown.length]
    s, c = j.sign * j.unknown.sine, j.unknown.cosine
    return [c * x - s * y, s * x + c * y, z]


# -- equations in qk alone


def _zero(problem: Problem, k: ArmJoint, form: Form) -> Step | None:
    """Return the step that solves form(qk) = 0 for the position qk of joint k.

    Returns:
        The step; None if the function does not depend on qk.
    """
    draft = _draft(problem, 0)
    named = solve_form(draft, k.unknown, without_zeros(form, problem.probes))
    return None if named is None else draft.step(*_shown(problem, _sides(named, k)))


def _squares(
    problem: Problem,
    k: ArmJoint,
    parts: Sequence[Form],
    total: Form,
    unit: tuple[Scalar, float] = (1, 1.0),
) -> Step | None:
    """Solve a^2 + b^2 + c^2 = n for the position qk of a joint, where a, b, c and n are functions of qk.

    Two square roots suffice if all terms depend on qk through one linear combination. If they do not, the sum is solved
    as one polynomial equation.

    Args:
        k: the joint.
        parts: a, b and c.
        total: n.
        unit: (D, size), if the equation was multiplied by D^2; size is the magnitude of D for a robot of this size.

    Returns:
        The step; None if the equation does not depend on qk.
    """
    probes = problem.probes
    factor, length = unit
    size = min(1.0, probes.largest(factor) / length) ** 2
    parts, total = [without_zeros(form, probes, size) for form in parts], without_zeros(total, probes, size)
    whole = without_zeros(combined([1, 1, 1], [form.squared() for form in parts]) - total, probes, size)
    shared = shared_direction([*parts, total], probes, size)
    if shared is None or all(problem.builder.number(x).is_zero for x in whole.k[3:]):
        return _zero(problem, k, whole)
    direction, factors = shared
    draft = _draft(problem, 0)
    label = f"L{k.unknown.label}"
    constants = [form.k[0] for form in parts]
    a = problem.builder.number(dot(factors[:3], factors[:3]))
    b = draft.let_varying(f"b{label}", 2 * dot(factors[:3], constants) - factors[3])
    c = draft.let_varying(f"c{label}", dot(constants, constants) - total.k[0])
    degree = parts[0].degree
    root = equation_types.quadratic_root(draft, label, a, b, c, (2 * (degree - direction.degree), 2 * degree))
    named = solve_form(draft, k.unknown, direction.plus(-root))
    if named is None:
        return None
    return draft.step(*_shown(problem, (a * root * root + b * root, -c), _sides(named, k)))


def _sides(form: Form, k: ArmJoint) -> tuple[Scalar, Scalar]:
    """Return the two sides of the equation form(q) = 0 for the position q of joint k.

    The left side contains the terms with q, the right side the constant.
    """
    return form.plus(-form.k[0]).at(k.unknown), -form.k[0]


def _draft(problem: Problem, number: int) -> Draft:
    return Draft(problem.builder, number, problem.start, frozenset(), problem.chain.size)


def _shown(problem: Problem, *equations: tuple[Scalar, Scalar]) -> list[tuple[Expr, Expr]]:
    number = problem.builder.number
    return [(number(left), number(right)) for left, right in equations]
