"""Factor an expression in sines and cosines, so that its zeros can be read from the factors.

The expression becomes a polynomial over the rationals in c_j = cos q_j, s_j = sin q_j and its other subexpressions
(atoms), and SymPy factors it. Because c^2 + s^2 = 1, the polynomial can be written in several forms, not all of which
factor. Two forms are tried: the polynomial without c^2, and the polynomial in which all terms of even degree in c_j and
s_j have equal degree, and all terms of odd degree as well (1 becomes c^2 + s^2). A product of factors that are linear
in c_j and s_j has the second form. Then, for joints whose angles occurred as sums (parallel axes), q_j is replaced by
the sum if this gives fewer terms: s2*c3 + c2*s3 becomes sin(q2 + q3) again. An expression that is too large to be
expanded remains unchanged, with a note.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

from symoro.expr import ops
from symoro.expr.graph import Graph
from symoro.expr.number import Number, exact, readable
from symoro.expr.scalar import Expr, Scalar, cos, sin

MAX_TERMS = 800
MAX_WORK = 400  # largest product of terms and unknowns that is factored


@dataclass(frozen=True)
class Factoring:
    """Expression as a product coefficient * factor1^power1 * factor2^power2 * ...

    Attributes:
        value: the expression that was factored.
        coefficient: constant coefficient of the product.
        parts: factors with their powers; empty if the expression could not be factored.
        why_not: reason why the expression could not be factored; empty if it was factored.
    """

    value: Expr
    coefficient: Expr | int = 1
    parts: tuple[tuple[Expr, int], ...] = ()
    why_not: str = ""

    @property
    def factors(self) -> tuple[tuple[Expr, int], ...]:
        return self.parts or ((self.value, 1),)


_ARITHMETIC = (ops.ADD, ops.SUB, ops.MUL)
_Wave = tuple[int, tuple[int, ...]]
_Harmonic = tuple[int, tuple[int, ...], tuple[int, ...]]


class _TooLarge(Exception):
    pass


def factored(value: Expr) -> Factoring:
    """Return the factors of an expression in sines and cosines; requires SymPy.

    If SymPy is not installed or the expression is too large, the result contains the expression as its only factor, and
    the reason.
    """
    if value.number is not None:
        return Factoring(value)
    try:
        from sympy import QQ
        from sympy.polys.rings import ring
    except ImportError:
        return Factoring(value, why_not="not factored: SymPy is not installed (pip install sympy)")
    try:
        return _Polynomials(value, QQ, ring).run()
    except _TooLarge:
        return Factoring(value, why_not=f"a block was not expanded: it has more than {MAX_TERMS} terms")


def simplified(value: Expr) -> Expr:
    """Return the expression rewritten as a short sum of products.

    It is returned unchanged if it is too large or SymPy is not installed.
    """
    if value.number is not None:
        return value
    try:
        from sympy import QQ
        from sympy.polys.rings import ring
    except ImportError:
        return value
    try:
        return _Polynomials(value, QQ, ring).shortest()
    except _TooLarge:
        return value


@dataclass(frozen=True)
class _Sum:
    """Argument of a sine or cosine: a sum of joint angles with signs +1 or -1, and a constant."""

    terms: tuple[tuple[int, int], ...]  # node of the symbol, +1 or -1
    rest: int  # literal


class _Polynomials:
    def __init__(self, value: Expr, field: Any, ring: Any) -> None:
        self.value, self.graph, self.field = value, value.graph, field
        self.nodes = self.graph.reachable([value.lit])
        self.decimals = any(self.graph.op[i] == ops.NUMBER and self.graph.args[i][1] for i in self.nodes)
        self.sums: dict[int, _Sum] = {}
        self.angles: list[int] = []
        atoms = self._collect()
        names = [f"c{k}" for k in range(len(self.angles))] + [f"s{k}" for k in range(len(self.angles))]
        names += [f"a{k}" for k in range(len(atoms))]
        self.ring, *generators = ring(names or ["unused"], field)
        n = len(self.angles)
        self.cosine = dict(zip(self.angles, generators[:n], strict=True))
        self.sine = dict(zip(self.angles, generators[n : 2 * n], strict=True))
        self.atom = dict(zip(atoms, generators[2 * n :], strict=False))
        self.roots = [relation for i in self.atom if (relation := self._root(i)) is not None]
        self.generators = generators

    def run(self) -> Factoring:
        polynomial = self._polynomial()
        if polynomial == 0:
            return Factoring(Expr(self.graph, self.graph.number(0)))
        written_otherwise = (polynomial, self._lifted(polynomial))
        coefficient, parts = max(map(self._split, written_otherwise), key=lambda split: len(split[1]))
        lit = self.graph.number(self._number(coefficient))
        written = tuple((self._written(p), int(power)) for p, power in parts)
        return Factoring(self.value, Expr(self.graph, lit), written or ((Expr(self.graph, 2), 1),))

    def shortest(self) -> Expr:
        """Return the expression as a polynomial in sin q_j and cos q_j or as a Fourier sum.

        The form with fewer terms is returned.
        """
        polynomial = self._polynomial()
        harmonics = self._harmonics(polynomial)
        if harmonics is not None and len(harmonics) <= len(polynomial):
            return self._sum_of_harmonics(harmonics)
        return self._written(polynomial)

    # -- harmonics: products of sines and cosines as sines and cosines of sums

    def _harmonics(self, p: Any) -> dict[_Harmonic, Fraction] | None:
        """Return the polynomial p as a Fourier sum of sines and cosines of sums of angles.

        Returns:
            Coefficient by (sin or cos, multiples of the angles, powers of the atoms); None if there are too many terms.
        """
        n = len(self.angles)
        known: dict[tuple[int, ...], dict[_Wave, int]] = {}  # many terms differ only in their atoms
        # Integers over one denominator: additions of fractions would need most of the time.
        degree = max((sum(powers[: 2 * n]) for powers in p), default=0)
        common = lcm(*(int(coefficient.denominator) for coefficient in p.values()))
        total: dict[_Harmonic, int] = {}
        for powers, coefficient in p.terms():
            waves = known.get(powers[: 2 * n])
            if waves is None:
                waves = known[powers[: 2 * n]] = _waves(powers, n)
            if len(waves) > MAX_TERMS:
                return None
            number = int(coefficient.numerator) * (common // int(coefficient.denominator))
            number <<= degree - sum(powers[: 2 * n])
            for (op, multiples), value in waves.items():
                key = (op, multiples, powers[2 * n :])
                total[key] = total.get(key, 0) + value * number
        return {key: Fraction(value, common << degree) for key, value in total.items() if value}

    def _sum_of_harmonics(self, harmonics: dict[_Harmonic, Fraction]) -> Expr:
        graph = self.graph
        result = Expr(graph, graph.number(0))
        waves: dict[_Wave, Scalar] = {}
        for (op, multiples, powers), value in sorted(harmonics.items()):
            if (op, multiples) not in waves:
                angle = Expr(graph, graph.number(0))
                for node, times in zip(self.angles, multiples, strict=True):
                    angle = angle + times * Expr(graph, node << 1)
                waves[op, multiples] = sin(angle) if op == ops.SIN else cos(angle)
            term = self._number(value) * waves[op, multiples]
            for atom, power in zip(self.atom, powers, strict=False):
                if power:
                    term = term * Expr(graph, atom << 1) ** power
            result = result + term
        return result

    def _split(self, p: Any) -> tuple[Any, list[tuple[Any, int]]]:
        """Return the constant coefficient of the polynomial p, and its factors with their powers.

        If p is large, only factors that are single generators (a sine, a cosine or an atom) are split off, because
        SymPy may take very long for many terms in many unknowns.
        """
        powers = [min(of_one) for of_one in zip(*p.monoms(), strict=True)]
        rest = self.ring({tuple(m - n for m, n in zip(own, powers, strict=True)): c for own, c in p.terms()})
        alone = [(g, n) for g, n in zip(self.generators, powers, strict=True) if n]
        unknowns = sum(1 for g in self.generators if rest.degree(g) > 0)
        if len(rest) * unknowns > MAX_WORK:
            return self.field(1), [*alone, (rest, 1)]
        coefficient, parts = rest.factor_list()
        return coefficient, [*alone, *parts]

    # -- from expressions to polynomials

    def _collect(self) -> list[int]:
        """Return the nodes that become atoms of the polynomial, and store the joint angles and their sums."""
        graph = self.graph
        atoms: dict[int, None] = {}
        inside: set[int] = set()
        for i in reversed(self.nodes):
            if i in inside and not self._read_outside(i):
                continue
            op = graph.op[i]
            if op in (ops.SIN, ops.COS):
                angle_sum = _angle_sum(graph, graph.args[i][0])
                if angle_sum is not None:
                    self.sums[i] = angle_sum
                    for node, _ in angle_sum.terms:
                        if node not in self.angles:
                            self.angles.append(node)
                    if angle_sum.rest >> 1:
                        for lit in (graph.sin(angle_sum.rest), graph.cos(angle_sum.rest)):
                            atoms.update(dict.fromkeys(self._leaves(lit >> 1)))
                else:
                    atoms.setdefault(i)
                inside.update(graph.reachable([graph.args[i][0]]))
            elif op not in (*_ARITHMETIC, ops.NUMBER):
                atoms.setdefault(i)
                inside.update(c >> 1 for c in graph.children(i))
        self.angles.sort()
        return sorted(a for a in atoms if graph.op[a] != ops.NUMBER)

    def _leaves(self, i: int) -> list[int]:
        """Return the innermost operands of nested sums and products in an expression.

        For example, cos(pi/6) is the product of 1/2 and sqrt(3), so that its operands are 1/2 and sqrt(3).

        Args:
            i: node of the expression.
        """
        if self.graph.op[i] not in _ARITHMETIC:
            return [i]
        return [leaf for lit in self.graph.args[i] for leaf in self._leaves(lit >> 1)]

    def _read_outside(self, i: int) -> bool:
        """Return whether node i is an operand of a sum or product, or is the whole expression."""
        graph = self.graph
        return i == self.value.lit >> 1 or any(
            graph.op[k] in _ARITHMETIC and any(lit >> 1 == i for lit in graph.args[k])
            for k in self.nodes
            if k > i
        )

    def _polynomial(self) -> Any:
        graph = self.graph
        made: dict[int, Any] = {}

        def of(lit: int) -> Any:
            return -made[lit >> 1] if lit & 1 else made[lit >> 1]

        for i in self.nodes:
            op, args = graph.op[i], graph.args[i]
            if i in self.sums:
                made[i] = self._expanded(self.sums[i], op)
            elif i in self.atom:
                made[i] = self.atom[i]
            elif op == ops.NUMBER:
                made[i] = self.ring.ground_new(self._rational(args[0]))
            elif op in _ARITHMETIC and all(lit >> 1 in made for lit in args):
                a, b = of(args[0]), of(args[1])
                made[i] = a + b if op == ops.ADD else a - b if op == ops.SUB else self._product(a, b)
        return of(self.value.lit)

    def _number(self, coefficient: Any) -> Number:
        """Return a coefficient of a polynomial as a number for an expression.

        It is a fraction, or a decimal number if the original expression contains decimals.
        """
        value = Fraction(int(coefficient.numerator), int(coefficient.denominator))
        return readable(value, decimals=True) if self.decimals else value

    def _rational(self, number: Any) -> Any:
        fraction = exact(number)
        return self.field(fraction.numerator, fraction.denominator)

    def _product(self, a: Any, b: Any) -> Any:
        if len(a) * len(b) > 20 * MAX_TERMS:
            raise _TooLarge
        product = self._reduced(a * b)
        if len(product) > MAX_TERMS:
            raise _TooLarge
        return product

    def _reduced(self, p: Any) -> Any:
        """Return the polynomial p without squares of cosines and of square roots.

        cos^2 is replaced by 1 - sin^2, and a square of a square root, such as sqrt(3)^2, by a number.
        """
        n = len(self.angles)
        highest = list(map(max, zip(*p, strict=True))) or [0] * len(self.generators)
        for k, number in self.roots:
            if highest[k] > 1:
                p = self._without_squares(p, k, [((), number)])
        for k in range(n):
            if highest[k] > 1:
                p = self._without_squares(p, k, [((), 1), ((n + k,), -1)])
        return p

    def _without_squares(self, p: Any, k: int, square: Sequence[tuple[tuple[int, ...], Any]]) -> Any:
        """Return the polynomial p with the square of its k-th generator replaced by a sum.

        Args:
            k: index of the generator.
            square: terms of the sum as (indices of the generators that are squared in the term, coefficient).
        """
        while any(powers[k] > 1 for powers in p):
            made = {powers: coefficient for powers, coefficient in p.items() if powers[k] < 2}
            for powers, coefficient in p.items():
                if powers[k] < 2:
                    continue
                for squared, factor in square:
                    changed = list(powers)
                    changed[k] -= 2
                    for i in squared:
                        changed[i] += 2
                    key = tuple(changed)
                    term = (
                        coefficient if factor == 1 else -coefficient if factor == -1 else coefficient * factor
                    )
                    made[key] = made[key] + term if key in made else term
            p = p.new({powers: c for powers, c in made.items() if c})
        return p

    def _root(self, i: int) -> tuple[int, Any] | None:
        """Return the index of the generator and the radicand if node i is the square root of a number, else None."""
        if self.graph.op[i] != ops.SQRT:
            return None
        number = self.graph.value(self.graph.args[i][0])
        index = 2 * len(self.angles) + list(self.atom).index(i)
        return None if number is None else (index, self._rational(number))

    def _lifted(self, p: Any) -> Any:
        """Multiply terms of the polynomial p by c_j^2 + s_j^2 = 1 until their degrees in (c_j, s_j) are equal.

        Terms of even and of odd degree are treated separately.
        """
        n = len(self.angles)
        for k, angle in enumerate(self.angles):
            degrees = [powers[k] + powers[n + k] for powers, _ in p.terms()]
            goal = {parity: max((d for d in degrees if d % 2 == parity), default=0) for parity in (0, 1)}
            one = self.cosine[angle] ** 2 + self.sine[angle] ** 2
            lifted = self.ring.zero
            for powers, coefficient in p.terms():
                degree = powers[k] + powers[n + k]
                lifted += self.ring({powers: coefficient}) * one ** ((goal[degree % 2] - degree) // 2)
            p = lifted
        return p

    def _expanded(self, angle_sum: _Sum, op: int) -> Any:
        """Return the sine or cosine of a sum of angles as a polynomial, expanded by the addition theorems.

        Args:
            angle_sum: the sum of angles.
            op: operation code of sin or cos.
        """
        s, c = self.ring.zero, self.ring.one
        for node, sign in angle_sum.terms:
            sj, cj = sign * self.sine[node], self.cosine[node]
            s, c = self._reduced(s * cj + c * sj), self._reduced(c * cj - s * sj)
        if angle_sum.rest >> 1:
            sr, cr = (self._atom_of(f(angle_sum.rest)) for f in (self.graph.sin, self.graph.cos))
            s, c = s * cr + c * sr, c * cr - s * sr
        return s if op == ops.SIN else c

    def _atom_of(self, lit: int) -> Any:
        number = self.graph.value(lit)
        if number is not None:
            return self.ring.ground_new(self._rational(number))
        i, op = lit >> 1, self.graph.op[lit >> 1]
        if op in _ARITHMETIC:
            a, b = (self._atom_of(x) for x in self.graph.args[i])
            atom = a + b if op == ops.ADD else a - b if op == ops.SUB else a * b
        else:
            atom = self.atom[i]
        return -atom if lit & 1 else atom

    # -- from polynomials to expressions

    def _written(self, p: Any) -> Expr:
        """Return the polynomial p as an expression, with sines and cosines of sums of angles where this is shorter."""
        best = self._reduced(p)
        meaning = {angle: Expr(self.graph, angle << 1) for angle in self.angles}
        improved = True
        while improved:
            improved = False
            for angle, other, sign in self._exchanges():
                candidate = self._exchanged(best, angle, other, sign)
                if len(candidate) < len(best):
                    best, improved = candidate, True
                    meaning[angle] = meaning[angle] + sign * meaning[other]
        return self._expression(best, meaning)

    def _exchanges(self) -> list[tuple[int, int, int]]:
        """Return the substitutions of angles by sums that can shorten a polynomial.

        Returns:
            Triples (angle, other, sign); the angle can be replaced by the sum angle + sign*other.
        """
        substitutions: dict[tuple[int, int, int], None] = {}
        for s in self.sums.values():
            for (a, x), (b, y) in zip(s.terms, s.terms[1:], strict=False):
                if a != b:
                    substitutions[(b, a, x * y)] = None
                    substitutions[(a, b, x * y)] = None
        return list(substitutions)

    def _exchanged(self, p: Any, angle: int, other: int, sign: int) -> Any:
        """Return the polynomial p rewritten in the sine and cosine of angle + sign*other instead of `angle`."""
        s, c, so, co = self.sine[angle], self.cosine[angle], sign * self.sine[other], self.cosine[other]
        replaced = p.compose([(s, s * co - c * so), (c, c * co + s * so)])
        return self._reduced(replaced)

    def _expression(self, p: Any, meaning: dict[int, Expr]) -> Expr:
        graph = self.graph
        values = [cos(meaning[angle]) for angle in self.angles] + [
            sin(meaning[angle]) for angle in self.angles
        ]
        values += [Expr(graph, atom << 1) for atom in self.atom]
        result = Expr(graph, graph.number(0))
        for powers, coefficient in p.terms():
            term = Expr(graph, graph.number(self._number(coefficient)))
            for value, power in zip(values, powers, strict=False):
                if power:
                    term = term * value**power
            result = result + term
        return result


def _waves(powers: Sequence[int], n: int) -> dict[_Wave, int]:
    """Return a product of powers of cosines and sines as a sum of sines and cosines of sums of angles.

    Args:
        powers: powers of the cosines of n angles, then of their sines.
        n: number of angles.

    Returns:
        Coefficients by (sin or cos, multiples of the angles). To be integers, they are multiplied by 2^m, where m is
        the sum of the powers.
    """
    waves: dict[_Wave, int] = {(ops.COS, (0,) * n): 1}
    for k in range(n):
        for op, times in ((ops.COS, powers[k]), (ops.SIN, powers[n + k])):
            for _ in range(times):
                waves = _times_wave(waves, op, k)
    return waves


def _times_wave(waves: dict[_Wave, int], op: int, k: int) -> dict[_Wave, int]:
    """Multiply a sum of sines and cosines by 2 sin or 2 cos of angle k, by the product-to-sum formulas.

    Args:
        waves: coefficient by (sin or cos, multiples of the angles).
        op: operation code of sin or cos.
    """
    product: dict[_Wave, int] = {}
    for (kind, multiples), value in waves.items():
        for step in (1, -1):
            angles = (*multiples[:k], multiples[k] + step, *multiples[k + 1 :])
            if kind == ops.COS and op == ops.COS:
                new, sign = ops.COS, 1
            elif kind == ops.SIN and op == ops.COS:
                new, sign = ops.SIN, 1
            elif kind == ops.COS:
                new, sign = ops.SIN, step
            else:
                new, sign = ops.COS, -step
            first = next((m for m in angles if m), 0)
            if first < 0:  # sin and cos of -angle are expressed by those of angle
                angles = tuple(-m for m in angles)
                sign = -sign if new == ops.SIN else sign
            if new == ops.COS or first:
                key = (new, angles)
                product[key] = product.get(key, 0) + sign * value
    return {key: value for key, value in product.items() if value}


def _angle_sum(graph: Graph, lit: int) -> _Sum | None:
    """Return an angle as a signed sum of symbols and a constant; None if it is not such a sum.

    Args:
        lit: reference of the angle in the expression graph.
    """
    times: dict[int, int] = {}
    rest: list[int] = []
    stack = [lit]
    while stack:
        x = stack.pop()
        i, op = x >> 1, graph.op[x >> 1]
        if graph.cls[i] != ops.VARIABLE:
            rest.append(x)
        elif op in (ops.ADD, ops.SUB):
            a, b = graph.args[i]
            stack += (a ^ (x & 1), b ^ (x & 1) ^ (op == ops.SUB))
        elif op == ops.SYMBOL:
            times[i] = times.get(i, 0) + (-1 if x & 1 else 1)
        else:
            return None
    total = 0
    for x in rest:
        total = graph.add(total, x)
    terms = [(i, 1 if n > 0 else -1) for i, n in sorted(times.items()) for _ in range(abs(n))]
    return _Sum(tuple(terms), total)
