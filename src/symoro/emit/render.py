"""Expressions as text in one dialect.

The nodes are processed in ascending order; each text is composed once, from those of its operands, in linear time and
without recursion. A node's text never starts with a minus sign: `sign` is 1 if the node is minus its text, and the sum
that uses it subtracts. Sums are grouped as in the program, so that all languages have the same rounding errors.
"""

from __future__ import annotations

import math
from fractions import Fraction

from symoro.emit.dialect import Dialect
from symoro.errors import ProgramError
from symoro.expr import ops
from symoro.expr.derivatives import is_undefined
from symoro.expr.evaluate import evaluate
from symoro.expr.graph import Graph, Number

SUM, QUOTIENT, PRODUCT, ATOM = range(4)
LONGEST_EXACT = 200  # maximum length of an exact constant; a longer one is written as a decimal


class Renderer:
    """Converter of the nodes of an expression graph to texts in one language.

    Attributes:
        text: node -> text, which never starts with a minus sign.
        sign: node -> 1 if the node is minus its text.
        prec: node -> precedence of the outermost operator of the text.
        flipped: node -> text of minus the node's text, if that requires no unary minus: b - a for a - b.
        conditions: node -> text of a comparison as a condition.
    """

    def __init__(self, graph: Graph, dialect: Dialect) -> None:
        size = len(graph)
        self.graph, self.dialect = graph, dialect
        self.text = [""] * size
        self.sign = bytearray(size)
        self.prec = [ATOM] * size
        self.flipped: dict[int, str] = {}
        self.conditions: dict[int, str] = {}
        self._times, self._zero = dialect.times, dialect.number(0)
        self._open, self._close = dialect.parentheses
        self._rules = {
            ops.ADD: self._sum,
            ops.SUB: self._sum,
            ops.MUL: self._product,
            ops.DIV: self._quotient,
        }

    # -- public methods, called in ascending order of the nodes

    def leaf(self, i: int, text: str, sign: int = 0) -> None:
        """Define the text of node i as a name; with sign 1 the name is the text of minus node i."""
        self.text[i] = text
        self.sign[i] = sign
        self.prec[i] = ATOM
        self.flipped.pop(i, None)
        self.conditions.pop(i, None)

    def expression(self, i: int) -> None:
        """Compose the text of node i from the texts of its operands."""
        rule = self._rules.get(self.graph.op[i])
        if rule is not None:
            rule(i)
        else:
            self._function(i)

    def constants(self, nodes: list[int]) -> None:
        """Compose the texts of nodes of class CONSTANT: exact if the dialect permits it, otherwise one decimal each."""
        try:
            values = evaluate(self.graph, [i << 1 for i in nodes], {})
        except OverflowError:
            raise ProgramError("a number is too large for double precision") from None
        rounding: set[int] = set()  # tolerances and expressions of them, which may depend on the precision
        for i, value in zip(nodes, values, strict=True):
            if not math.isfinite(value):
                raise ProgramError("a constant expression has no finite value")
            if self.graph.op[i] == ops.NUMBER:
                self._number(i, self.graph.args[i][0])
                continue
            if self.graph.op[i] == ops.TOLERANCE:
                self.text[i] = (self.dialect.tolerance or self.dialect.number)(self.graph.args[i][0])
                rounding.add(i)
                continue
            if not rounding.isdisjoint(lit >> 1 for lit in self.graph.children(i)):
                self.expression(i)
                rounding.add(i)
                continue
            if self.dialect.exact:
                self._exact(i)
            if not self.dialect.exact or len(self.text[i]) > LONGEST_EXACT:
                self.leaf(i, "")
                self._number(i, abs(value))
                self.sign[i] = value < 0

    def signed(self, lit: int) -> str:
        """Return the complete text of an expression (a signed node reference), with a minus sign if required."""
        i = lit >> 1
        if not (self.sign[i] ^ lit) & 1:
            return self.text[i]
        if i in self.flipped:
            return self.flipped[i]
        if self.text[i] == self._zero:
            return self._zero
        return f"-{self._inside(i)}" if self.prec[i] == SUM else f"-{self.text[i]}"

    # -- constants

    def _number(self, i: int, value: Number) -> None:
        self.text[i] = self.dialect.number(value)
        exact = self.dialect.exact and isinstance(value, Fraction) and not self.dialect.divide
        self.prec[i] = QUOTIENT if exact else ATOM

    def _exact(self, i: int) -> None:
        if self.graph.op[i] == ops.PI:
            self.text[i] = self.dialect.pi
        else:
            self.expression(i)

    # -- rules

    def _inside(self, i: int) -> str:
        return f"{self._open}{self.text[i]}{self._close}"

    def _sum(self, i: int) -> None:
        """Compose the text of a sum or difference.

        It is a + b if both signs agree, otherwise the positive term minus the negative one. If both are negative, the
        node is minus its text.
        """
        x, y = self.graph.args[i]
        a, b = x >> 1, y >> 1
        negative_a = (self.sign[a] ^ x) & 1
        negative_b = (self.sign[b] ^ y ^ (self.graph.op[i] == ops.SUB)) & 1
        self.prec[i] = SUM
        if negative_a == negative_b:
            if self.prec[b] == SUM:
                a, b = b, a  # a sum on the left requires no parentheses
            right = self._inside(b) if self.prec[b] == SUM else self.text[b]
            self.text[i] = f"{self.text[a]} + {right}"
            self.sign[i] = negative_a
            if a in self.flipped:
                self.flipped[i] = f"{self.flipped[a]} - {right}"
            elif b in self.flipped:
                left = self._inside(a) if self.prec[a] == SUM else self.text[a]
                self.flipped[i] = f"{self.flipped[b]} - {left}"
            return
        if negative_a:
            a, b = b, a
        self.text[i] = self._difference(a, b)
        self.flipped[i] = self._difference(b, a)
        self.sign[i] = 0

    def _difference(self, a: int, b: int) -> str:
        if self.prec[b] != SUM:
            return f"{self.text[a]} - {self.text[b]}"
        if self.prec[a] != SUM and b in self.flipped:
            return f"{self.flipped[b]} + {self.text[a]}"
        return f"{self.text[a]} - {self._inside(b)}"

    def _product(self, i: int) -> None:
        x, y = self.graph.args[i]
        a, b = x >> 1, y >> 1
        self.sign[i] = (self.sign[a] ^ self.sign[b] ^ x ^ y) & 1
        if a == b and self.dialect.square:
            base = self.text[a] if self.prec[a] == ATOM else self._inside(a)
            self.text[i] = self.dialect.square.format(base)
            self.prec[i] = PRODUCT
            return
        if self.dialect.exact and self._fraction_of(i, a, b):
            return
        left = self._inside(a) if self.prec[a] == SUM else self.text[a]
        right = self._inside(b) if self.prec[b] <= QUOTIENT else self.text[b]
        self.text[i] = f"{left}{self._times}{right}"
        self.prec[i] = PRODUCT
        if self.flipped:
            self._flip_factor(i, a, b, left, right)

    def _flip_factor(self, i: int, a: int, b: int, left: str, right: str) -> None:
        if a in self.flipped:
            left = self._inside_flipped(a)
        elif b in self.flipped:
            right = self._inside_flipped(b)
        else:
            return
        self.flipped[i] = f"{left}{self._times}{right}"

    def _inside_flipped(self, i: int) -> str:
        flipped = self.flipped[i]
        return f"{self._open}{flipped}{self._close}" if self.prec[i] <= QUOTIENT else flipped

    def _fraction_of(self, i: int, a: int, b: int) -> bool:
        """Write the product of a fraction n/d and an expression b as n*b/d; return whether this was possible."""
        value = self.graph.args[a][0] if self.graph.op[a] == ops.NUMBER else None
        if not isinstance(value, Fraction):
            return False
        above = self._inside(b) if self.prec[b] == SUM else self.text[b]
        if value.numerator != 1:
            right = self._inside(b) if self.prec[b] <= QUOTIENT else self.text[b]
            above = f"{self.dialect.number(value.numerator)}{self._times}{right}"
        below = self.dialect.number(value.denominator)
        if self.dialect.divide:
            above = self.text[b] if value.numerator == 1 else above
            self.text[i], self.prec[i] = self.dialect.divide.format(above, below), PRODUCT
        else:
            self.text[i], self.prec[i] = f"{above}/{below}", QUOTIENT
        return True

    def _quotient(self, i: int) -> None:
        x, y = self.graph.args[i]
        a, b = x >> 1, y >> 1
        self.sign[i] = (self.sign[a] ^ self.sign[b] ^ x ^ y) & 1
        if self.dialect.undefined and is_undefined(self.graph, i):
            self.text[i] = self.dialect.undefined.format(self.text[a], self.text[b])
            self.prec[i] = ATOM
            return
        if self.dialect.divide:
            self.text[i] = self.dialect.divide.format(self.text[a], self.text[b])
            self.prec[i] = PRODUCT
            return
        above = self._inside(a) if self.prec[a] == SUM else self.text[a]
        below = self._inside(b) if self.prec[b] != ATOM else self.text[b]
        self.text[i] = f"{above}/{below}"
        self.prec[i] = QUOTIENT
        if a in self.flipped:
            self.flipped[i] = f"{self._inside_flipped(a)}/{below}"

    def _function(self, i: int) -> None:
        """Compose the text of a function; a minus sign in the argument of an odd or even function is removed."""
        graph, op = self.graph, self.graph.op[i]
        lits = list(graph.args[i])
        info = ops.TABLE[op]
        sign = 0
        if info.odd or info.even:
            first = (self.sign[lits[0] >> 1] ^ lits[0]) & 1
            sign = first if info.odd else 0
            lits[0] ^= first
        operands = [self.signed(lit) for lit in lits]
        if op == ops.SELECT:
            operands[0] = self._condition(lits[0])
        elif op in self.dialect.conditions:
            self.conditions[i] = self.dialect.conditions[op].format(*operands)
        self.text[i] = self.dialect.template(op).format(*operands)
        self.sign[i] = sign
        self.prec[i] = ATOM

    def _condition(self, lit: int) -> str:
        known = self.conditions.get(lit >> 1)
        return known if known is not None else self.dialect.truth.format(self.text[lit >> 1])
