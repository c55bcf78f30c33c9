"""Types of equations that Paul's method solves, in Khalil's numbering.

    1  X r = Y                          r = Y / X
    2  X S + Y C = Z                    S = (X Z + eps Y sqrt(D)) / B, C = (Y Z - eps X sqrt(D)) / B,
                                        B = X^2 + Y^2, D = B - Z^2;   Z = 0: (S, C) = eps (-Y, X) / sqrt(B)
    3  X1 S + Y1 C = Z1                 S = (Z1 Y2 - Z2 Y1) / D, C = (X1 Z2 - X2 Z1) / D, D = X1 Y2 - X2 Y1
       X2 S + Y2 C = Z2
    4  (r M + N) u = e, u = (C, S)      r from |e|^2 = a r^2 + 2 b r + c, u as type 3
    5  M u + w r = e                    type 2 for u from w x (M u - e) = 0, r as type 1
    6, 7, 8
       Mi ui + Mj uj = e                type 2 for ui from |e - Mi ui|^2 = |Mj uj|^2 = mj^2, uj as type 3
    9  a4 r^4 + a3 r^3 + a2 r^2 + a1 r + a0 = 0, by a square root if a4 = a3 = 0
    10 k0 + kc C + ks S + kcc cos(2 phi) + kss sin(2 phi) = 0; also types 6 to 8 if Mi or Mj is not a scaled rotation

M, N, Mi, Mj are known 2x2 matrices, e and w are known vectors, eps = +-1.

Each function adds the solution of one equation to a `Draft`, an incomplete solution step. Its argument `degree` is the
physical dimension of the equation: 1 if it compares lengths, 0 if it compares sines and cosines, and the sum for
products of equations. Thresholds for zero are relative to that power of the robot's size.

W. Khalil, "On the explicit derivation of the inverse geometric models of robots", IMACS-IFAC Symposium, 1986.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from symoro.expr.linalg import dot, matvec, transpose
from symoro.expr.ops import VARIABLE
from symoro.expr.scalar import Expr, Scalar, absolute, less, less_equal, maximum, minimum, select, sqrt, wrap
from symoro.models.geometric.inverse.chain.chain import Unknown
from symoro.models.geometric.inverse.step import Draft
from symoro.models.tolerances import DOUBLE_ROOT, NEARLY_DEGENERATE, OUT_OF_REACH_ROOT

Vector2 = list[Scalar]
Matrix2 = list[list[Scalar]]  # columns: cosine, sine


def solve_length(draft: Draft, unknown: Unknown, x: Expr, y: Expr, degree: int = 1) -> None:
    """Solve an equation of type 1, X r = Y, for a prismatic joint and add it to the step.

    Args:
        draft: solution step to which the formulas are added.
        unknown: joint with the position r.
        x, y: coefficients X and Y.
        degree: 1 if the equation compares lengths, 0 if it compares sines and cosines.
    """
    free = draft.vanishing(x * x, degree - 1)
    draft.length(unknown, y / _nonzero(x, free), free)


def solve_turn(draft: Draft, unknown: Unknown, x: Expr, y: Expr, z: Expr, degree: int) -> None:
    """Solve an equation of type 2, X S + Y C = Z, for a joint angle and add it to the step.

    Args:
        draft: solution step to which the formulas are added.
        unknown: angle with sine S and cosine C.
        x, y, z: coefficients X, Y and Z.
        degree: 1 if the equation compares lengths, 0 if it compares sines and cosines.
    """
    label = unknown.label
    if x.is_zero or y.is_zero:
        factor = y if x.is_zero else x
        free = draft.vanishing(factor * factor, degree)
        known = draft.let(f"ratio{label}", z / _nonzero(factor, free))
        radicand = 1 - known * known if free is None else select(free, 0, 1) - known * known
        other = draft.let(f"root{label}", draft.root(radicand))
        draft.angle(unknown, *((other, known) if x.is_zero else (known, other)), free)
        return
    square = draft.let(f"square{label}", x * x + y * y)
    free = draft.vanishing(square, degree)
    if z.is_zero:
        inverse = draft.let(f"root{label}", draft.sign() / sqrt(_nonzero(square, free)))
        draft.angle(unknown, -y * inverse, x * inverse, free)
        return
    inverse = draft.let(f"inverse{label}", 1 / _nonzero(square, free))
    root = draft.let(f"root{label}", draft.root(square - z * z, inverse))
    draft.angle(unknown, (x * z + y * root) * inverse, (y * z - x * root) * inverse, free)


class TurnEquation(NamedTuple):
    """Equation of type 2, X S + Y C = Z, with the coefficients x, y, z.

    The attribute `degree` is 1 if the equation compares lengths, and 0 if it compares sines and cosines.
    """

    x: Expr
    y: Expr
    z: Expr
    degree: int


def better_determined(
    draft: Draft, unknown: Unknown, first: TurnEquation, second: TurnEquation | None = None
) -> TurnEquation:
    """Return whichever of two equations of type 2 determines the angle better, selected when the program runs.

    The square of an equation's derivative with respect to the angle is D = X^2 + Y^2 - Z^2. The second equation is used
    where |D| of the first equation is smaller than NEARLY_DEGENERATE times D of the second one, both in units of the
    robot's size; elsewhere the first one is used.

    Args:
        draft: solution step to which the formulas are added.
        unknown: the angle.
        first, second: the equations; if there is no second one, the first one is returned.
    """
    if second is None:
        return first
    label, number = unknown.label, draft.builder.number
    factor = draft.power(first.degree - second.degree)
    x2, y2, z2 = (number(factor * value) for value in second[:3])
    second = TurnEquation(x2, y2, z2, first.degree)
    d1, d2 = (
        draft.let(f"d{label}_{k}", one.x * one.x + one.y * one.y - one.z * one.z)
        for k, one in enumerate((first, second), 1)
    )
    other = draft.let(f"other{label}", less(absolute(d1), NEARLY_DEGENERATE * d2))
    x, y, z = (
        draft.let(f"{letter}{label}", select(other, b, a))
        for letter, a, b in zip("xyz", first[:3], second[:3], strict=True)
    )
    return TurnEquation(x, y, z, first.degree)


def solve_turn_twice(
    draft: Draft, unknown: Unknown, matrix: Matrix2, right: Vector2, degree: int, value: Scalar | None = None
) -> None:
    """Solve two equations of type 3, M u = z with u = (C, S), for a joint angle.

    Args:
        draft: solution step to which the formulas are added.
        unknown: angle with sine S and cosine C.
        matrix: M; its columns are the coefficients of C and of S.
        right: right side z.
        degree: sum of the dimensions of both equations (1 for lengths, 0 for sines and cosines).
        value: the determinant X1 Y2 - X2 Y1 if it is known to be a number.
    """
    (y1, x1), (y2, x2) = matrix
    z1, z2 = right
    determinant = draft.let(f"det{unknown.label}", x1 * y2 - x2 * y1 if value is None else value)
    free = draft.vanishing(determinant * determinant, degree)
    inverse = draft.let(f"inverse{unknown.label}", 1 / _nonzero(determinant, free))
    sine, cosine = (z1 * y2 - z2 * y1) * inverse, (x1 * z2 - x2 * z1) * inverse
    draft.angle(unknown, sine, cosine, free)
    draft.unit(unknown)


def solve_turn_onto(draft: Draft, unknown: Unknown, sign: int, start: Vector2, end: Vector2) -> None:
    """Solve Rz(sign q) start = end (type 3) for the angle q between two vectors in the x-y plane.

    Only the directions of the vectors are used, because the norms of short vectors are inaccurate.

    Args:
        draft: solution step to which the formulas are added.
        unknown: the angle q.
        sign: 1 or -1.
        start, end: vectors (x, y) in m.
    """
    x, y = start
    across, along = sign * (x * end[1] - y * end[0]), x * end[0] + y * end[1]
    shorter = draft.builder.number(minimum(dot(start, start), dot(end, end)))
    free = draft.vanishing(shorter, 1)
    size = draft.let(f"size{unknown.label}", across * across + along * along)
    inverse = draft.let(f"inverse{unknown.label}", 1 / sqrt(_nonzero(size, free)))
    draft.angle(unknown, across * inverse, along * inverse, free)


def solve_radius(draft: Draft, slide: Unknown, turn: Unknown, m: Matrix2, n: Matrix2, e: Vector2) -> None:
    """Solve two equations of type 4, (r M + N) u = e with u = (C, S), for a length and an angle.

    M' M, N' N and M' N + N' M must be multiples of the unit matrix.

    Args:
        draft: solution step to which the formulas are added.
        slide: prismatic joint with the position r.
        turn: angle with sine S and cosine C.
        m, n: matrices M and N; their columns are the coefficients of C and of S.
        e: right side, with lengths.
    """
    a, b, c = (
        dot(m[0], m[0]) + dot(m[1], m[1]),
        dot(m[0], n[0]) + dot(m[1], n[1]),
        dot(n[0], n[0]) + dot(n[1], n[1]),
    )
    a, b, c = draft.let(f"a{slide.label}", a / 2), draft.let(f"b{slide.label}", b / 2), c / 2
    square = draft.let(f"square{slide.label}", dot(e, e))
    size = square * a + b * b
    root = draft.root(b * b + a * (square - c), inverse_of(draft, size, 1))
    draft.length(slide, (root - b) / a)
    r = slide.length
    turned = [[r * x + y for x, y in zip(*rows, strict=True)] for rows in zip(m, n, strict=True)]
    free = draft.vanishing(square, 1)
    inverse = draft.let(f"inverse{turn.label}", 1 / _nonzero(square, free))
    cosine, sine = matvec(transpose(turned), e)
    draft.angle(turn, sine * inverse, cosine * inverse, free)
    draft.unit(turn)


def solve_turn_and_slide(
    draft: Draft, turn: Unknown, slide: Unknown, m: Matrix2, w: Vector2, e: Vector2
) -> None:
    """Solve two equations of type 5, M u + w r = e with u = (C, S), for an angle and a length.

    Args:
        draft: solution step to which the formulas are added.
        turn: angle with sine S and cosine C.
        slide: prismatic joint with the position r.
        m: matrix M; its columns are the coefficients of C and of S.
        w: coefficients of r.
        e: right side, with lengths.
    """
    y, x = (w[1] * m[0][k] - w[0] * m[1][k] for k in (0, 1))
    z = w[1] * e[0] - w[0] * e[1]
    number = draft.builder.number
    solve_turn(draft, turn, number(x), number(y), number(z), 1)
    u = [turn.cosine, turn.sine]
    along = [e[k] - dot(m[k], u) for k in (0, 1)]
    solve_length(draft, slide, number(dot(w, w)), number(dot(w, along)))


def solve_triangle(
    draft: Draft, first: Unknown, second: Unknown, mi: Matrix2, mj: Matrix2, e: Vector2, degree: int
) -> None:
    """Solve two equations of type 6, 7 or 8, Mi ui + Mj uj = e, for two angles.

    Mi' Mi and Mj' Mj must be multiples of the unit matrix, so that the equation describes a triangle.

    Args:
        draft: solution step to which the formulas are added.
        first, second: the angles i and j, with u = (C, S).
        mi, mj: matrices Mi and Mj.
        e: right side.
        degree: 1 if the equations compare lengths, 0 if they compare sines and cosines.
    """
    number = draft.builder.number
    e = [draft.let(f"e{first.label}_{k}", x) for k, x in enumerate(e, 1)]
    cosine, sine = matvec(transpose(mi), e)
    square_i, square_j = ((dot(m[0], m[0]) + dot(m[1], m[1])) / 2 for m in (mi, mj))
    z = draft.let(f"z{first.label}", (dot(e, e) + (square_i - square_j)) / 2)
    x, y = draft.let(f"x{first.label}", sine), draft.let(f"y{first.label}", cosine)
    solve_turn(draft, first, number(x), number(y), number(z), 2 * degree)
    u = [first.cosine, first.sine]
    rest = [draft.let(f"e{second.label}_{k + 1}", e[k] - dot(mi[k], u)) for k in (0, 1)]
    cosine, sine = matvec(transpose(mj), rest)
    free = draft.vanishing(number(square_j), degree)
    inverse = draft.let(f"inverse{second.label}", 1 / _nonzero(number(square_j), free))
    draft.angle(second, sine * inverse, cosine * inverse, free)
    draft.unit(second)


def solve_stretched(
    draft: Draft, first: Unknown, second: Unknown, mi: Matrix2, mj: Matrix2, e: Vector2, degree: int
) -> None:
    """Solve two equations Mi ui + Mj uj = e with general matrices for two angles (type 10).

    The angle j is eliminated by |F e - F Mi ui|^2 = det(Mj)^2 with F = adj(Mj).

    Args:
        draft: solution step to which the formulas are added.
        first, second: the angles i and j, with u = (C, S).
        mi, mj: matrices Mi and Mj.
        e: right side.
        degree: sum of the dimensions of both equations (1 for lengths, 0 for sines and cosines).
    """
    (a, b), (c, d) = mj
    determinant = draft.let(f"area{second.label}", a * d - b * c)
    adjoint: Matrix2 = [[d, -b], [-c, a]]
    f = matvec(adjoint, e)
    nc, ns = (matvec(adjoint, [mi[0][k], mi[1][k]]) for k in (0, 1))
    cc, ss = dot(nc, nc), dot(ns, ns)
    solve_circle(
        draft,
        first,
        [
            dot(f, f) + (cc + ss) / 2 - determinant * determinant,
            -2 * dot(f, nc),
            -2 * dot(f, ns),
            (cc - ss) / 2,
            dot(nc, ns),
        ],
        2 * degree,
    )
    u = [first.cosine, first.sine]
    right = [e[k] - dot(mi[k], u) for k in (0, 1)]
    solve_turn_twice(draft, second, mj, right, degree)


def quadratic_root(draft: Draft, label: str, a: Expr, b: Expr, c: Expr, degrees: tuple[int, int]) -> Expr:
    """Return a root of a x^2 + b x + c = 0 (type 9 with a4 = a3 = 0), with two branches.

    Args:
        draft: solution step to which the formulas are added.
        label: name of the root.
        a, b, c: coefficients.
        degrees: dimensions of a and c, as powers of a length.
    """
    four = draft.let(f"product{label}", 4 * a * c)
    size = b * b + absolute(four)
    highest, lowest = degrees
    inverse = inverse_of(draft, size, (highest + lowest) // 2)
    root = draft.let(f"root{label}", draft.root(b * b - four, inverse, f"eps_{label}"))
    if a.cls != VARIABLE:
        return draft.let(label, (root - b) / (2 * a))
    # If a may become zero, use the form of the root that does not subtract nearly equal numbers.
    whole = (root - b) / (2 * _nonzero(a, draft.vanishing(a * a, highest)))
    return draft.let(label, select(less_equal(b * root, 0), whole, 2 * c / (-b - root)))


def solve_polynomial(draft: Draft, unknown: Unknown, coefficients: list[Expr], degree: int) -> None:
    """Solve an equation of type 9, a0 + a1 r + a2 r^2 (+ a3 r^3 + a4 r^4) = 0, for a prismatic joint.

    For the third and fourth degree, r is divided by a length of the robot, because the tolerances of the quartic solver
    assume roots of the order of 1.

    Args:
        draft: solution step to which the formulas are added.
        unknown: joint with the position r.
        coefficients: a0, a1, ... in ascending order.
        degree: exponent d of the unit m^d of a0.
    """
    number = draft.builder.number
    label = unknown.label
    named = [draft.let_varying(f"a{label}_{k}", x) for k, x in enumerate(coefficients)]
    free = _all_vanishing(draft, named[1:], degree, draft.size)
    if len(named) == 3:
        degrees = (degree - 2, degree)
        root = quadratic_root(draft, f"r{label}", named[2], named[1], named[0], degrees)
        draft.length(unknown, root, free)
        return
    named += [number(0)] * (5 - len(named))
    roots = draft.builder.call("quartic", [x * draft.power(k) for k, x in enumerate(named)][::-1])
    root, *conditions = draft.pick(
        (f"q{label}_root", f"defect{label}_root", f"gap{label}_root"),
        list(zip(roots[:4], roots[4:], _gaps([roots[:4]], roots[4:]), strict=True)),
    )
    draft.length(unknown, root * draft.size, free)
    _root_conditions(draft, free, *conditions)


def solve_circle(draft: Draft, unknown: Unknown, coefficients: list[Scalar], degree: int) -> None:
    """Solve an equation of type 10, k0 + kc C + ks S + kcc cos(2 phi) + kss sin(2 phi) = 0.

    It has up to four roots, one per branch.

    Args:
        draft: solution step to which the formulas are added.
        unknown: angle phi with sine S and cosine C.
        coefficients: k0, kc, ks, kcc, kss.
        degree: dimension of the coefficients, as a power of a length.
    """
    label = unknown.label
    named = [draft.let_varying(f"k{label}_{k}", x) for k, x in enumerate(coefficients)]
    free = _all_vanishing(draft, named[1:], degree)
    roots = draft.builder.call("circle", named)
    gaps = _gaps([roots[:4], roots[4:8]], roots[8:])
    s, c, *conditions = draft.pick(
        [f"{letter}{label}_root" for letter in ("S", "C", "defect", "gap")],
        list(zip(roots[:4], roots[4:8], roots[8:], gaps, strict=True)),
    )
    draft.angle(unknown, s, c, free)
    _root_conditions(draft, free, *conditions)


def _gaps(coordinates: Sequence[Sequence[Expr]], defects: Sequence[Expr]) -> list[Expr]:
    """Return, for each root in ascending order, the smallest squared distance from its neighbours.

    A neighbour that is not a true root is ignored. The distance from the previous root may be zero; that from the next
    root is at least 2 DOUBLE_ROOT, so that only the second of two coincident roots is discarded.

    Args:
        coordinates: one list over the roots per coordinate; the coordinates are the length, or sine and cosine.
        defects: one number per root, zero for a true root.
    """
    far = wrap(defects[0].graph, 1)
    gaps = [far]
    for n in range(1, len(defects)):
        square = far * 0
        for values in coordinates:
            step = values[n] - values[n - 1]
            square = square + step * step
        wrong = maximum(defects[n], defects[n - 1])
        gaps.append(square + less(OUT_OF_REACH_ROOT, wrong * wrong))
    gaps.append(far)
    kept = wrap(far.graph, 2 * DOUBLE_ROOT)
    return [wrap(far.graph, minimum(before, maximum(behind, kept))) for before, behind in pairwise(gaps)]


def _root_conditions(draft: Draft, free: Expr | None, defect: Expr, gap: Expr) -> None:
    """Add two conditions to a step: the polynomial root must be a true root, and it must not repeat another root.

    The pose is out of reach if the root is not a true root, and two roots that coincide give one solution. Neither
    condition applies where the unknown is free.

    Args:
        draft: the solution step.
        free: 1 where the unknown is free; None if it is never free.
        defect: zero for a true root.
        gap: squared distance from the neighbouring roots.
    """
    radicand = -defect * defect
    if free is not None:
        radicand, gap = (wrap(gap.graph, select(free, fine, x)) for fine, x in ((0, radicand), (1, gap)))
    draft.reach.append(radicand)
    draft.meets.append((None, gap))


def _all_vanishing(draft: Draft, coefficients: list[Expr], degree: int, unit: Scalar = 1) -> Expr | None:
    """Return a flag that is 1 where all coefficients of a polynomial vanish.

    Args:
        coefficients: coefficients of x, x^2, ...
        degree: dimension of the equation, as a power of a length.
        unit: magnitude of x (the robot's size for a length).

    Returns:
        The flag; None if a nonzero coefficient depends only on the robot, so that the flag is never 1.
    """
    if any(x.cls != VARIABLE and not x.is_zero for x in coefficients):
        return None
    terms: list[Scalar] = []
    power: Scalar = 1
    for x in coefficients:
        power = power * unit if unit != 1 else 1
        terms.append(x * power)
    return draft.vanishing(draft.builder.number(dot(terms, terms)), degree)


def inverse_of(draft: Draft, square: Expr, degree: int) -> Scalar:
    """Return 1 / square, or 1 where the square vanishes.

    Args:
        draft: solution step to which the threshold for zero belongs.
        square: square of a quantity.
        degree: dimension of that quantity (not of its square), as a power of a length.
    """
    return 1 / _nonzero(square, draft.vanishing(square, degree))


def _nonzero(x: Expr, vanishes: Expr | None) -> Scalar:
    """Return the divisor x, replaced by 1 where it vanishes, to avoid a division by zero.

    Args:
        vanishes: flag that is 1 where x vanishes; None if x never vanishes.
    """
    return x if vanishes is None else select(vanishes, 1, x)
