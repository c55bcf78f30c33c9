"""Paul's method: solve the simplest scalar equation, treat its unknown as known, and repeat.

Among the equations with one unknown (types 1, 2, 3) or two (types 4 to 8 and 10), the next one is chosen by these
rules:

    it determines the unknown at every regular configuration, if necessary together with a second equation of type 2,
    which is solved where the first one degenerates (see `degeneracy`);
    it adds no branch that the mechanism does not have (types 1 and 3 before 2, one unknown before two);
    its formula is singular as rarely as possible (a constant determinant before one that can vanish);
    it is short.

R. Paul, "Robot manipulators: mathematics, programming and control", 1981; W. Khalil, D. Creusot, "SYMORO+: a system
for the symbolic modelling of robots", Robotica 15, 1997, section 3.3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

from symoro.errors import NotApplicableError
from symoro.expr.scalar import Expr, Scalar, wrap
from symoro.models.geometric.inverse.chain.chain import Unknown
from symoro.models.geometric.inverse.chain.probes import Probes
from symoro.models.geometric.inverse.paul import equation_types
from symoro.models.geometric.inverse.paul.degeneracy import Degeneracy
from symoro.models.geometric.inverse.paul.equations import Equation, Equations
from symoro.models.geometric.inverse.paul.polynomial import Polynomial
from symoro.models.geometric.inverse.step import Draft, Step
from symoro.models.tolerances import PARALLEL_ROWS, ZERO_AT_PROBES
from symoro.program.builder import Builder

STEADY = (
    0.5  # a determinant is nearly constant if the ratio of its smallest to its largest sample exceeds this
)
LOOKED_AT = 2  # factor: so many more equations are expanded, to select the shortest
ATTEMPTS = 12  # number of equations, or pairs of equations, that are tested for degeneracy
SHORTEST, ALONE = 16, 60  # number of equations in two unknowns, and in one unknown, that are considered


@dataclass(frozen=True)
class Reduction:
    """Scalar equation in the unknowns that are not solved yet; known quantities are part of its coefficients.

    Attributes:
        polynomial: left side of the equation polynomial = 0.
        terms: number of terms of the original equation.
        degree: 1 if the equation compares lengths, 0 if it compares sines and cosines.
    """

    polynomial: Polynomial
    terms: int
    degree: int


class Paul:
    """Search for the solution steps of Paul's method.

    Args:
        builder: builder of the program.
        probes: random samples to test identities.
        equations: all scalar equations of the chain.
        start: positions for joints that are free in singular configurations, by joint number.
        degeneracy: search for regular configurations at which an equation degenerates; None if the equations describe
            only a part of the mechanism.
        pairs_first: if true, and an equation in one unknown may be degenerate, two unknowns are solved together
            instead.

    Attributes:
        used_pairs: whether `pairs_first` changed the solution.
    """

    def __init__(
        self,
        builder: Builder,
        probes: Probes,
        equations: Equations,
        start: Mapping[int, Expr],
        degeneracy: Degeneracy | None = None,
        *,
        pairs_first: bool = False,
    ) -> None:
        self.builder = builder
        self.probes = probes
        self.equations = equations
        self.start = start
        self.degeneracy = degeneracy
        self.pairs_first, self.used_pairs = pairs_first, False

    def steps(self, solved: Sequence[Unknown] = ()) -> tuple[list[Step], list[Unknown]]:
        """Determine the solution steps, one after another.

        Args:
            solved: unknowns that are already known.

        Returns:
            The steps, and the unknowns for which no equation of a known type exists.
        """
        known = list(solved)
        left = [u for u in self.equations.chain.unknowns if u not in known]
        solved_steps: list[Step] = []
        while left:
            step = self._next(frozenset(known), left)
            if step is None:
                break
            solved_steps.append(step)
            known += step.unknowns
            left = [u for u in left if u not in step.unknowns]
        return solved_steps, left

    def _next(self, known: frozenset[Unknown], left: Sequence[Unknown]) -> Step | None:
        one = {u: self._forms(known, {u}, ALONE) for u in left}
        for safe in (True, False) if self.degeneracy else (False,):
            for steady in (True, False):
                for search in (self._length, self._twice):
                    for u, forms in one.items():
                        step = search(known, u, forms, steady, safe)
                        if step:
                            return step
            step = self._once(known, one, safe)
            if step:
                return step
            if safe and self.pairs_first:
                step = self._two(known, left, one)
                if step:
                    self.used_pairs = True
                    return step
        return self._two(known, left, one)

    def _safe(self, *derivatives: Scalar) -> bool:
        """Return whether, at every regular configuration, at least one of the derivatives is nonzero.

        Args:
            derivatives: derivatives of equations with respect to their common unknown.
        """
        return self.degeneracy is None or not self.degeneracy.at_regular_configuration(*derivatives)

    # -- equations

    def _forms(
        self, known: frozenset[Unknown], unknowns: set[Unknown], most: int = SHORTEST
    ) -> list[Reduction]:
        """Return the equations that contain exactly the given unknowns besides solved ones, shortest first.

        Args:
            known: unknowns that are already solved.
            unknowns: unknowns that each returned equation must contain.
            most: number of shortest equations to return. Equations that isolate one joint are returned in addition.
        """
        chosen = [e for e in self.equations.all if e.unknowns - known == unknowns]
        light = chosen[
            : LOOKED_AT * most
        ]  # sorted by weight, because the expansion of long equations takes long
        shortest = sorted(light, key=lambda e: len(self.equations.polynomial(e).terms))[:most]
        plain = [e for e in chosen if e not in shortest and self.equations.isolates(e)]
        return [self._form(e, known) for e in (*shortest, *plain)]

    def _form(self, equation: Equation, known: frozenset[Unknown]) -> Reduction:
        symbols = {s.lit: s for u in known for s in u.symbols}
        whole = self.equations.polynomial(equation).absorbed(symbols)
        lengths = {u.length.lit for u in self.equations.chain.unknowns if not u.turns}
        zero = []
        for monomial, coefficient in whole.terms.items():
            degree = equation.degree - sum(literal in lengths for literal in monomial)
            if self.probes.vanishes(coefficient, self.probes.length**degree):
                zero.append(monomial)
        terms = len(self.equations.polynomial(equation).terms)
        return Reduction(whole.without(zero), terms, equation.degree)

    def _draft(self, number: int, known: frozenset[Unknown]) -> Draft:
        return Draft(self.builder, number, self.start, known, self.equations.chain.size)

    def _shown(self, *forms: Reduction) -> list[tuple[Expr, Expr]]:
        return [self._sides(form.polynomial) for form in forms]

    def _sides(self, polynomial: Polynomial) -> tuple[Expr, Expr]:
        """Return the two sides of the equation polynomial = 0.

        The left side contains the terms with unknowns, the right side the known terms.
        """
        graph = self.builder.graph
        left = self.builder.number(0)
        for monomial, coefficient in polynomial.terms.items():
            if monomial:
                term = wrap(graph, coefficient)
                for literal in monomial:
                    term = term * Expr(graph, literal)
                left = left + term
        right = -wrap(graph, polynomial.coefficient())
        return (-left, -right) if str(left).startswith("-") else (left, right)

    def _number(self, x: Scalar) -> Expr:
        return self.builder.number(x)

    # -- one unknown

    def _length(
        self, known: frozenset[Unknown], u: Unknown, forms: Sequence[Reduction], steady: bool, safe: bool
    ) -> Step | None:
        """Solve an equation of type 1 (X r = Y) for the unknown u.

        Args:
            known: unknowns that are already solved.
            u: prismatic joint with the position r.
            forms: equations in u alone.
            steady: whether the coefficient X must be nearly constant.
            safe: whether X must be nonzero at every regular configuration.

        Returns:
            The solution step; None if no equation has this type.
        """
        if u.turns:
            return None
        for form in forms:
            if not form.polynomial.only_in([(u.length,)]):
                continue
            x = self._number(form.polynomial.coefficient(u.length))
            if not self._degenerate(x) and (self._steady(x) or not steady) and (not safe or self._safe(x)):
                draft = self._draft(1, known)
                equation_types.solve_length(
                    draft, u, x, -self._number(form.polynomial.coefficient()), form.degree
                )
                return draft.step(*self._shown(form))
        return None

    def _degenerate(self, *coefficients: Scalar) -> bool:
        """Return whether all coefficients of an unknown vanish at some sample.

        Samples are random configurations; if the robot has closed loops, they include all kinds of closed
        configurations. Isolated singularities have probability zero among them. If the coefficients vanish at a sample,
        they vanish on a whole set of configurations, and the equation does not determine the unknown there.
        """
        import numpy

        values = numpy.abs([self.probes.of(x) for x in coefficients]).max(axis=0)
        return bool((values <= PARALLEL_ROWS**2 * values.max()).any())

    def _steady(self, x: Scalar) -> bool:
        values = abs(self.probes.of(x))
        return bool(values.min() > STEADY * values.max()) or wrap(self.builder.graph, x).cls < 2

    def _twice(
        self, known: frozenset[Unknown], u: Unknown, forms: Sequence[Reduction], steady: bool, safe: bool
    ) -> Step | None:
        """Solve two equations of type 3, X S + Y C = Z, for the sine S and cosine C of the angle u.

        The pair whose determinant varies least is chosen, then the shortest pair.

        Args:
            known: unknowns that are already solved.
            forms: equations in u alone.
            steady: whether the determinant must be nearly constant.
            safe: whether it must be nonzero at every regular configuration.

        Returns:
            The solution step; None if there is no suitable pair.
        """
        if not u.turns:
            return None
        usable = [f for f in forms if f.polynomial.only_in([(u.sine,), (u.cosine,)])]
        chosen = self._best_pair(u, usable, steady, safe)
        if chosen is None:
            return None
        matrix, right = self._system(u, *chosen)
        determinant = matrix[0][1] * matrix[1][0] - matrix[0][0] * matrix[1][1]
        draft = self._draft(3, known)
        degree = sum(form.degree for form in chosen)
        value = None if degree else self.probes.whole_number(determinant)
        equation_types.solve_turn_twice(draft, u, matrix, right, degree, value)
        return draft.step(*self._shown(*chosen))

    def _best_pair(
        self, u: Unknown, forms: Sequence[Reduction], steady: bool, safe: bool
    ) -> tuple[Reduction, Reduction] | None:
        """Return the shortest pair of independent equations that are linear in sine and cosine of u.

        Pairs with a constant determinant come first.

        Args:
            u: unknown angle.
            forms: equations in u alone.
            steady: whether the determinant of the pair must be nearly constant.
            safe: whether the determinant must be nonzero at every regular configuration.

        Returns:
            The pair; None if there is no such pair.
        """
        import numpy

        if len(forms) < 2:
            return None
        c, s = (
            numpy.array([self.probes.of(f.polynomial.coefficient(x)) for f in forms])
            for x in (u.cosine, u.sine)
        )
        determinants = abs(c[:, None] * s[None] - s[:, None] * c[None])
        sizes = numpy.sqrt((c * c + s * s)[:, None] * (c * c + s * s)[None])
        fits = (determinants > PARALLEL_ROWS * sizes).all(axis=2)
        if steady:
            fits &= determinants.min(axis=2) > STEADY * determinants.max(axis=2)
        # A determinant that varies may be nearly constant at the samples by chance: constant ones come first.
        varies = determinants.max(axis=2) - determinants.min(axis=2) > ZERO_AT_PROBES * determinants.max(
            axis=2
        )
        pairs = [(i, j) for i, j in zip(*numpy.nonzero(numpy.triu(fits, 1)), strict=True)]
        pairs.sort(key=lambda ij: (varies[ij], forms[ij[0]].terms + forms[ij[1]].terms))
        for i, j in pairs[:ATTEMPTS]:
            (y1, x1), (y2, x2) = self._system(u, forms[i], forms[j])[0]
            if not safe or not varies[i, j] or self._safe(x1 * y2 - x2 * y1):
                return forms[i], forms[j]
        return None

    def _system(self, u: Unknown, *forms: Reduction) -> tuple[equation_types.Matrix2, equation_types.Vector2]:
        matrix = [[f.polynomial.coefficient(s) for s in (u.cosine, u.sine)] for f in forms]
        return matrix, [-f.polynomial.coefficient() for f in forms]

    def _independent(self, matrix: equation_types.Matrix2) -> bool:
        """Return whether the two rows of a 2x2 matrix are linearly independent at every sample."""
        (a, b), (c, d) = ([self.probes.of(x) for x in row] for row in matrix)
        sizes = (a * a + b * b) * (c * c + d * d)
        return bool((abs(a * d - b * c) > PARALLEL_ROWS * sizes**0.5).all())

    def _once(
        self, known: frozenset[Unknown], one: Mapping[Unknown, Sequence[Reduction]], safe: bool
    ) -> Step | None:
        """Solve an equation of type 2 (X S + Y C = Z) for one unknown angle.

        Equations with right side zero are preferred, because they always have a solution. Equations with constant
        coefficients are used last: they give, for example, the cosine of the angle alone, so that the angle is
        inaccurate near zero, and no later joint can compensate for this error. Single joints are preferred to sums of
        joints, because it is then clear which joint takes its position from q0 if it is free.

        Args:
            known: unknowns that are already solved.
            one: equations that contain only one unknown, by unknown.
            safe: whether the unknown must be determined at every regular configuration, if necessary by two equations.

        Returns:
            The solution step; None if no equation has this type.
        """
        candidates: list[tuple[tuple[int, int, int], Unknown, Reduction]] = []
        for u, forms in one.items():
            for form in forms:
                polynomial = form.polynomial
                if u.turns and polynomial.only_in([(u.sine,), (u.cosine,)]):
                    x, y = polynomial.coefficient(u.sine), polynomial.coefficient(u.cosine)
                    if self._degenerate(x, y):
                        continue
                    rank = 0 if self._number(polynomial.coefficient()).is_zero else 1
                    rank += rank == 1 and self._steady(x * x + y * y)
                    candidates.append(((rank, len(u.parts), form.terms), u, form))
        candidates.sort(key=lambda item: item[0])
        ordered = [(u, form) for _, u, form in candidates]
        if not safe:
            return self._turn(known, *ordered[0]) if ordered else None
        for u, form in ordered[:ATTEMPTS]:
            if self._safe(self._derivative(u, form)):
                return self._turn(known, u, form)
        # The position comes first: its branches are those towards the point and away from it.
        pairs = [
            (u, first, second)
            for u, first in sorted(ordered[:ATTEMPTS], key=lambda item: -item[1].degree)
            for v, second in ordered[:ATTEMPTS]
            if u is v and first is not second
        ]
        for u, first, second in pairs[:ATTEMPTS]:
            if self._safe(self._derivative(u, first), self._derivative(u, second)):
                return self._turn(known, u, first, second)
        return None

    def _derivative(self, u: Unknown, form: Reduction) -> Scalar:
        """Return the derivative X C - Y S of an equation X S + Y C = Z (type 2) with respect to its angle u."""
        x, y = (form.polynomial.coefficient(s) for s in (u.sine, u.cosine))
        return x * u.cosine - y * u.sine

    def _turn(self, known: frozenset[Unknown], u: Unknown, *forms: Reduction) -> Step:
        """Solve one equation of type 2, or of two such equations the one that determines the angle u better.

        Args:
            known: unknowns that are already solved.
            u: unknown angle.
            forms: one or two equations in u alone.
        """
        draft = self._draft(2, known)
        rows = [
            tuple(self._number(form.polynomial.coefficient(*s)) for s in ((u.sine,), (u.cosine,), ()))
            for form in forms
        ]
        equations = [
            equation_types.TurnEquation(x, y, -z, form.degree)
            for (x, y, z), form in zip(rows, forms, strict=True)
        ]
        equation_types.solve_turn(draft, u, *equation_types.better_determined(draft, u, *equations))
        return draft.step(*self._shown(*forms))

    # -- two unknowns

    def _two(
        self, known: frozenset[Unknown], left: Sequence[Unknown], one: Mapping[Unknown, Sequence[Reduction]]
    ) -> Step | None:
        pairs = [(u, v, self._forms(known, {u, v})) for u, v in combinations(left, 2)]
        for search in (self._slides, self._triangle, self._turn_and_slide, self._radius, self._stretched):
            for u, v, forms in pairs:
                if len(forms) >= 2:
                    step = search(known, u, v, forms)
                    if step:
                        return step
        return None

    def _slides(
        self, known: frozenset[Unknown], u: Unknown, v: Unknown, forms: Sequence[Reduction]
    ) -> Step | None:
        """Solve two linear equations (type 1) for two prismatic joints u and v.

        Args:
            known: unknowns that are already solved.
            forms: equations in u and v.

        Returns:
            The solution step; None if no pair of equations has this type.
        """
        if u.turns or v.turns:
            return None
        for first, second in combinations(forms, 2):
            if all(f.polynomial.only_in([(u.length,), (v.length,)]) for f in (first, second)):
                m = [[f.polynomial.coefficient(w.length) for w in (u, v)] for f in (first, second)]
                if self._independent(m):
                    e = [-self._number(f.polynomial.coefficient()) for f in (first, second)]
                    determinant = m[0][0] * m[1][1] - m[0][1] * m[1][0]
                    draft = self._draft(1, known)
                    x = self._number(determinant)
                    equation_types.solve_length(draft, u, x, self._number(e[0] * m[1][1] - e[1] * m[0][1]))
                    equation_types.solve_length(draft, v, x, self._number(m[0][0] * e[1] - m[1][0] * e[0]))
                    return draft.step(*self._shown(first, second))
        return None

    def _triangle(
        self, known: frozenset[Unknown], u: Unknown, v: Unknown, forms: Sequence[Reduction]
    ) -> Step | None:
        """Solve two equations of type 6, 7 or 8 (a triangle, Mu (Cu, Su) + Mv (Cv, Sv) = e) for two angles.

        Args:
            known: unknowns that are already solved.
            forms: equations in u and v.

        Returns:
            The solution step; None if no pair of equations has this type.
        """
        for first, second, mi, mj, e in self._angles(u, v, forms):
            degree = first.degree
            if degree == second.degree and self._conformal(mi, degree) and self._conformal(mj, degree):
                if all(self._number(x).is_zero for x in e):
                    raise NotApplicableError(
                        f"the angles {u.label} and {v.label} are the corners of a triangle with a side of length zero: "
                        "their sum is determined, the single angles are not",
                        hint="omit the option 'pose', or solve it numerically with numeric_inverse()",
                    )
                draft = self._draft(8 if u.before is v or v.before is u else 7, known)
                equation_types.solve_triangle(draft, u, v, mi, mj, e, degree)
                return draft.step(*self._shown(first, second))
        return None

    def _stretched(
        self, known: frozenset[Unknown], u: Unknown, v: Unknown, forms: Sequence[Reduction]
    ) -> Step | None:
        """Solve two equations Mu (Cu, Su) + Mv (Cv, Sv) = e with general matrices (type 10) for two angles.

        Args:
            known: unknowns that are already solved.
            forms: equations in u and v.

        Returns:
            The solution step; None if no pair of equations has this type.
        """
        for i, j in permutations((u, v)):
            for first, second, mi, mj, e in self._angles(i, j, forms):
                if self._independent(mj):
                    draft = self._draft(10, known)
                    equation_types.solve_stretched(draft, i, j, mi, mj, e, first.degree + second.degree)
                    return draft.step(*self._shown(first, second))
        return None

    def _angles(
        self, u: Unknown, v: Unknown, forms: Sequence[Reduction]
    ) -> Iterator[
        tuple[Reduction, Reduction, equation_types.Matrix2, equation_types.Matrix2, equation_types.Vector2]
    ]:
        """Yield pairs of equations Mu (Cu, Su) + Mv (Cv, Sv) = e for two angles u and v.

        Equations with products of the two angles are excluded.

        Args:
            forms: equations in u and v.

        Returns:
            The two equations, Mu, Mv and e.
        """
        if not (u.turns and v.turns):
            return
        alone = [(u.sine,), (u.cosine,), (v.sine,), (v.cosine,)]
        usable = [f for f in forms if f.polynomial.only_in(alone)]
        for first, second in combinations(usable, 2):
            mi, e = self._system(u, first, second)
            mj, _ = self._system(v, first, second)
            if self._different(mi, mj, e):
                yield first, second, mi, mj, e

    def _different(self, *columns: object) -> bool:
        """Return whether two equations Mi ui + Mj uj = e are linearly independent at every sample.

        Args:
            columns: Mi, Mj and e; the rows of each belong to the two equations.
        """
        import numpy

        mi, mj, e = columns
        rows = [[*mi[k], *mj[k], e[k]] for k in (0, 1)]  # type: ignore[index]
        values = numpy.array([[self.probes.of(x) for x in row] for row in rows])
        a, b = values / (numpy.linalg.norm(values, axis=1, keepdims=True) + 1e-300)
        return bool((1 - abs((a * b).sum(axis=0)) > PARALLEL_ROWS).all())

    def _conformal(self, matrix: Sequence[Sequence[Scalar]], degree: int) -> bool:
        """Return whether the columns of a 2x2 matrix are perpendicular, of equal length and nonzero.

        The formulas require exact equality, so that axes that are only almost parallel are rejected.

        Args:
            degree: dimension of the entries, as a power of a length.
        """
        (a, b), (c, d) = ([self.probes.of(x) for x in row] for row in matrix)
        size = a * a + c * c
        if (size < PARALLEL_ROWS * self.probes.length ** (2 * degree)).any():
            return False
        return bool(
            (abs(size - b * b - d * d) <= ZERO_AT_PROBES * size).all()
            and (abs(a * b + c * d) <= ZERO_AT_PROBES * size).all()
        )

    def _turn_and_slide(
        self, known: frozenset[Unknown], u: Unknown, v: Unknown, forms: Sequence[Reduction]
    ) -> Step | None:
        """Solve two equations of type 5, M (C, S) + w r = e, for an angle and a length r.

        Args:
            known: unknowns that are already solved.
            u, v: the unknowns, in any order.
            forms: equations in u and v.

        Returns:
            The solution step; None if no pair of equations has this type.
        """
        if u.turns == v.turns:
            return None
        turn, slide = (u, v) if u.turns else (v, u)
        usable = [f for f in forms if f.polynomial.only_in([(turn.sine,), (turn.cosine,), (slide.length,)])]
        for first, second in combinations(usable, 2):
            m, e = self._system(turn, first, second)
            w = [f.polynomial.coefficient(slide.length) for f in (first, second)]
            y, x = (w[1] * m[0][k] - w[0] * m[1][k] for k in (0, 1))
            lengths = first.degree == second.degree == 1
            square = self.probes.largest(x * x + y * y)
            if lengths and square > PARALLEL_ROWS * self.probes.length**2 and not self._degenerate(x, y):
                draft = self._draft(5, known)
                equation_types.solve_turn_and_slide(draft, turn, slide, m, w, e)
                return draft.step(*self._shown(first, second))
        return None

    def _radius(
        self, known: frozenset[Unknown], u: Unknown, v: Unknown, forms: Sequence[Reduction]
    ) -> Step | None:
        """Solve two equations of type 4, (r M + N) (C, S) = e, for an angle and a length r.

        Args:
            known: unknowns that are already solved.
            u, v: the unknowns, in any order.
            forms: equations in u and v.

        Returns:
            The solution step; None if no pair of equations has this type.
        """
        if u.turns == v.turns:
            return None
        turn, slide = (u, v) if u.turns else (v, u)
        r, c, s = slide.length, turn.cosine, turn.sine
        usable = [f for f in forms if f.polynomial.only_in([(r, c), (r, s), (c,), (s,)])]
        for first, second in combinations(usable, 2):
            n, e = self._system(turn, first, second)
            m = [[f.polynomial.coefficient(r, x) for x in (c, s)] for f in (first, second)]
            unit = self._number(self.probes.length)
            whole = [[unit * x + y for x, y in zip(*rows, strict=True)] for rows in zip(m, n, strict=True)]
            lengths = first.degree == second.degree == 1
            if lengths and self._conformal(m, 0) and self._conformal(whole, 1):
                draft = self._draft(4, known)
                equation_types.solve_radius(draft, slide, turn, m, n, e)
                return draft.step(*self._shown(first, second))
        return None
