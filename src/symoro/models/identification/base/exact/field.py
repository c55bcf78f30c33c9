"""Number field of a robot's geometry: formulas as exact numbers, and exact numbers as formulas.

    symbol, pi, any function not listed   a generator: generic, nonzero, independent of the others
    decimal                               the rational number of its decimal text
    sqrt(n), n whole                      a product of roots of primes
    cos, sin of a symbolic angle          generators c and s with s^2 = 1 - c^2; of its multiples, by (c + i s)^m
    cos, sin of k*pi/12                   in sqrt(2) and sqrt(3)
    cos, sin of a decimal angle           rational: (1 - t^2)/(1 + t^2), 2t/(1 + t^2), t a fraction next to tan(x/2)

Therefore c^2 + s^2 = 1 is exact for every angle, as the algebra of base parameters requires; a decimal angle is
accurate to 1e-16.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from symoro.expr import ops
from symoro.expr.canonical import canonical
from symoro.expr.formula import Formula, formula
from symoro.expr.graph import Graph
from symoro.expr.number import exact, readable
from symoro.expr.scalar import Expr
from symoro.expr.surds import square_free
from symoro.models.identification.base.exact.element import Element, ExactScalar, Ring, inverse

ExactSinCos = tuple[ExactScalar, ExactScalar]
_ZERO: ExactSinCos = (0, 1)
_TANGENT_DENOMINATOR = 10**8  # tan(x/2) to 1e-16


class Field:
    """Converter between the formulas of a robot and exact numbers.

    All formulas must be passed to the constructor, because their symbols and square roots define the set of
    numbers.
    """

    def __init__(self, lengths: Iterable[Formula], angles: Iterable[Formula]) -> None:
        self.graph = Graph()
        self.symbols: dict[str, str] = {}  # generator -> its text
        self.roots: dict[str, int | str] = {}
        self.root_texts: dict[str, str] = {}
        self.whole: dict[str, int] = {}  # angle symbol -> the common denominator of its multiples
        self.lits: dict[Formula, int] = {}
        for f in [*lengths, *angles]:
            self.lits[f] = f.into(self.graph).lit
        for f in angles:
            self._announce_angle(self.lits[f])
        for i in self.graph.reachable(list(self.lits.values())):
            if self.graph.op[i] in (ops.SIN, ops.COS, ops.TAN):
                self._announce_angle(self.graph.args[i][0])
        for f in lengths:
            self._announce(self.lits[f])
        nodes = self.graph.reachable(list(self.lits.values()))
        self.decimals = any(self.graph.op[i] == ops.NUMBER and self.graph.args[i][1] for i in nodes)
        needs_ring = self.symbols or self.roots
        self.ring = Ring(list(self.symbols), self.roots) if needs_ring else None
        self.known: dict[int, ExactScalar] = {}

    # -- announcing formulas: collect the generators

    def _announce(self, root: int) -> None:
        graph = self.graph
        stack = [root >> 1]
        while stack:
            i = stack.pop()
            op = graph.op[i]
            if op in (ops.ADD, ops.SUB, ops.MUL, ops.DIV):
                stack += [lit >> 1 for lit in graph.args[i]]
            elif op == ops.SQRT and isinstance(graph.value(graph.args[i][0]), int):
                self._announce_root(graph.value(graph.args[i][0]))
            elif op not in (ops.NUMBER, ops.SIN, ops.COS, ops.TAN):
                self.symbols.setdefault(self._name(i), self._text(i))

    def _announce_root(self, n: int | float | Fraction | None) -> None:
        for p in _primes(square_free(int(n or 0))[1]):
            self.roots.setdefault(f"sqrt{p}", p)
            self.root_texts.setdefault(f"sqrt{p}", f"sqrt({p})")

    def _announce_angle(self, lit: int) -> None:
        turn, terms, _ = self._split(lit)
        twelfths = int(turn * 12)
        for n in (2, 3):  # odd multiples of 15 degrees need sqrt(2), all but those of 45 need sqrt(3)
            if twelfths % n:
                self._announce_root(n)
        for i, ratio in terms:
            name = self._name(i)
            self.whole[name] = math.lcm(self.whole.get(name, 1), ratio.denominator)
            text = self._text(i)
            cosine, sine = f"c_{name}", f"s_{name}"
            self.symbols.setdefault(cosine, text)
            self.roots.setdefault(sine, cosine)

    def _name(self, i: int) -> str:
        return f"x{i}"

    def _text(self, i: int) -> str:
        return canonical(Expr(self.graph, i << 1))

    def _split(self, lit: int) -> tuple[Fraction, list[tuple[int, Fraction]], float]:
        """Write an angle as turn*pi + sum of ratio*node + decimal.

        Args:
            lit: reference to a node of the expression graph.

        Returns:
            turn (a multiple of 1/12), pairs (node of the expression graph, ratio), and the constant `decimal` in
            radians.
        """
        graph = self.graph
        turn, rest = graph.split_pi(lit)
        terms: dict[int, Fraction] = {}
        decimal = Fraction(0)
        stack = [(rest, Fraction(1))]
        while stack:
            x, factor = stack.pop()
            factor = -factor if x & 1 else factor
            i = x >> 1
            c, k = graph.coefficient(i)
            if graph.op[k] in (ops.ADD, ops.SUB):
                stack += [(t, factor * exact(c)) for t in graph.terms(k << 1)]
            elif graph.op[k] == ops.NUMBER:
                decimal += factor * exact(c) * exact(graph.args[k][0])
            elif graph.cls[k] == ops.CONSTANT:  # a root among angles, or pi with a decimal factor
                decimal += factor * Fraction(Formula(self._text(k)).number or 0.0) * exact(c)
            else:
                terms[k] = terms.get(k, Fraction(0)) + factor * exact(c)
        if (turn * 12).denominator != 1:
            decimal, turn = decimal + Fraction(float(turn) * math.pi), Fraction(0)
        return turn, [(k, r) for k, r in terms.items() if r], float(decimal)

    # -- formulas to exact numbers

    def of(self, f: Formula) -> ExactScalar:
        """Return the exact number that a formula represents."""
        return self._of(self.lits[f])

    def _of(self, lit: int) -> ExactScalar:
        for i in self.graph.reachable([lit]):
            if i not in self.known and self._is_read(i):
                self.known[i] = self._node(i)
        value = self.known[lit >> 1]
        return -value if lit & 1 else value

    def _is_read(self, i: int) -> bool:
        """Return whether node i of the expression graph is converted to an exact number.

        Nodes inside an angle, or inside a function that is treated as a symbol, are not converted.
        """
        op = self.graph.op[i]
        if op in (ops.ADD, ops.SUB, ops.MUL, ops.DIV):
            return all(lit >> 1 in self.known for lit in self.graph.args[i])
        if op in (ops.NUMBER, ops.SIN, ops.COS, ops.TAN) or self._name(i) in self.symbols:
            return True
        return op == ops.SQRT and isinstance(self.graph.value(self.graph.args[i][0]), int)

    def _node(self, i: int) -> ExactScalar:
        op, args = self.graph.op[i], self.graph.args[i]
        if op == ops.NUMBER:
            return exact(args[0])
        if op in (ops.SIN, ops.COS, ops.TAN):
            s, c = self._turn(args[0])
            return s if op == ops.SIN else c if op == ops.COS else s * inverse(c)
        if op == ops.SQRT and self._name(i) not in self.symbols:
            return self._root(int(self.graph.value(args[0]) or 0))
        if op < ops.ADD or self._name(i) in self.symbols:
            assert self.ring is not None
            return self.ring.generator(self._name(i))
        x, y = (-self.known[lit >> 1] if lit & 1 else self.known[lit >> 1] for lit in args)
        if op == ops.ADD:
            return x + y
        if op == ops.SUB:
            return x - y
        return x * y if op == ops.MUL else x * inverse(y)

    def _root(self, n: int) -> ExactScalar:
        factor, rest = square_free(n)
        value: ExactScalar = factor
        assert self.ring is not None
        for p in _primes(rest):
            value = value * self.ring.generator(f"sqrt{p}")
        return value

    def sincos(self, f: Formula) -> ExactSinCos:
        """Return the exact sine and cosine of the angle that a formula represents."""
        return self._turn(self.lits[f])

    def _turn(self, lit: int) -> ExactSinCos:
        turn, terms, decimal = self._split(lit)
        sincos = _sum(self._exact_turn(turn), _decimal_turn(decimal))
        for i, ratio in terms:
            name = self._name(i)
            assert self.ring is not None
            base = self.ring.generator(f"s_{name}"), self.ring.generator(f"c_{name}")
            multiple = int(ratio * self.whole[name])
            if multiple < 0:
                base = -base[0], base[1]
            for _ in range(abs(multiple)):
                sincos = _sum(sincos, base)
        return sincos

    def _exact_turn(self, turn: Fraction) -> ExactSinCos:
        """Return the exact sine and cosine of the angle turn*pi, a multiple of pi/12."""
        steps = int(turn * 12) % 24
        sincos: ExactSinCos = _ZERO
        for _ in range(steps // 6):
            sincos = _sum(sincos, (1, 0))
        rest, half = steps % 6, Fraction(1, 2)
        if rest % 2:
            r2 = self._root(2) * half
            sincos, rest = _sum(sincos, (r2, r2)), rest - 3
        if rest:
            r3 = self._root(3) * half
            sincos = _sum(sincos, {-2: (-half, r3), 2: (half, r3), 4: (r3, half)}[rest])
        return sincos

    # -- exact numbers to formulas

    def formula(self, x: ExactScalar) -> Formula:
        """Convert an exact number to a formula; fractions that came from decimals are written as decimals."""
        if not isinstance(x, Element):
            return formula(readable(Fraction(x), self.decimals))
        num = self._polynomial(x.num)
        if x.den == x.ring.one:
            return formula(num)
        return formula(f"({num})/({self._polynomial(x.den)})")

    def denominator(self, x: Element) -> Formula:
        """Return the denominator of an exact number as a formula."""
        return formula(self._polynomial(x.den))

    def _polynomial(self, p: Any) -> str:
        assert self.ring is not None
        for name in self.whole:
            p = min(p, self._with_sines(p, name), key=len)
        texts = [self._generator_text(name) for name in self.ring.names]
        parts = []
        for powers, c in p.terms():
            factors = [f"({t})^{e}" for t, e in zip(texts, powers, strict=True) if e]
            number = readable(Fraction(int(c.numerator), int(c.denominator)), self.decimals)
            parts.append("*".join([f"({number})", *factors]))
        return " + ".join(parts)

    def _with_sines(self, p: Any, name: str) -> Any:
        """Return the polynomial p with c^2 replaced by 1 - s^2, where c and s are cosine and sine of one angle.

        The result may have fewer terms than p.

        Args:
            name: name of the angle.
        """
        assert self.ring is not None
        k = self.ring.names.index(f"c_{name}")
        square = 1 - self.ring.generators[f"s_{name}"] ** 2
        rewritten = self.ring.ring.zero
        for powers, c in p.terms():
            rest = (*powers[:k], powers[k] % 2, *powers[k + 1 :])
            rewritten += self.ring.ring({rest: c}) * square ** (powers[k] // 2)
        return rewritten

    def _generator_text(self, name: str) -> str:
        if name in self.root_texts:
            return self.root_texts[name]
        if name.startswith(("c_", "s_")):
            inner, whole = self.symbols[f"c_{name[2:]}"], self.whole[name[2:]]
            angle = inner if whole == 1 else f"({inner})/{whole}"
            return f"{'cos' if name[0] == 'c' else 'sin'}({angle})"
        return self.symbols[name]


def _sum(a: ExactSinCos, b: ExactSinCos) -> ExactSinCos:
    """Return sine and cosine of the sum of two angles that are given by their sines and cosines."""
    return a[0] * b[1] + a[1] * b[0], a[1] * b[1] - a[0] * b[0]


def _decimal_turn(x: float) -> ExactSinCos:
    """Return rational numbers s and c near sine and cosine of an angle, with s^2 + c^2 = 1 exactly.

    s is an odd and c an even function of the angle.
    """
    if x == 0:
        return _ZERO
    quarters = round(abs(x) / (math.pi / 2))
    t = Fraction(math.tan((abs(x) - quarters * math.pi / 2) / 2)).limit_denominator(_TANGENT_DENOMINATOR)
    sincos: ExactSinCos = (2 * t / (1 + t * t), (1 - t * t) / (1 + t * t))
    for _ in range(quarters % 4):
        sincos = _sum(sincos, (1, 0))
    return (sincos[0] if x > 0 else -sincos[0]), sincos[1]


def _primes(n: int) -> list[int]:
    """Return the prime factors of a square-free whole number."""
    factors, p = [], 2
    while p * p <= n:
        if n % p == 0:
            factors.append(p)
            n //= p
        p += 1
    return [*factors, n] if n > 1 else factors
