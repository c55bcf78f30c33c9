"""Expression graph of scalars, in which every subexpression is one node (hash consing).

Expressions are integers: a *signed node reference* (argument names `lit`, `x`, `y`) is `2 * node + sign`, where sign 1
means minus the node. Negation flips the last bit and costs nothing, so `a - b` and `b - a` are the same node. Plain
node numbers are called `i`, `j` or `node`. A node refers only to earlier nodes: ascending node order is the order of
evaluation, and every traversal is a loop. The class of a node is CONSTANT, PARAMETER or VARIABLE, depending on its
symbols: a node is a VARIABLE if it depends on an input, a PARAMETER if it depends on parameters only.

The constructors of nodes simplify everything that can be simplified locally and exactly (folding): numbers, zeros and
ones, like terms, products of parameters before variables, square roots (`surds`), sines and cosines (`trigonometry`).
Numbers that were written exactly stay exact, and so do decimals as long as they are short (`number`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from symoro.errors import ProgramError
from symoro.expr import folding, ops, surds, trigonometry
from symoro.expr.number import Number as Number
from symoro.expr.number import negative, normal, product, quotient, total
from symoro.expr.number import root as decimal_root
from symoro.expr.ops import (
    ADD,
    CONSTANT,
    COS,
    DIV,
    KERNEL,
    MUL,
    NUMBER,
    PARAMETER,
    PI,
    SELECT,
    SIN,
    SQRT,
    SUB,
    SYMBOL,
    TOLERANCE,
    VARIABLE,
)
from symoro.expr.ops import MINUS_ONE as MINUS_ONE
from symoro.expr.ops import ONE as ONE
from symoro.expr.ops import TWO as TWO
from symoro.expr.ops import ZERO as ZERO


@dataclass(frozen=True)
class Call:
    """Call of a kernel: its array inputs, as tuples of signed node references, and its number of scalar results."""

    kernel: str
    inputs: tuple[tuple[int, ...], ...]
    size: int


class Graph:
    """Expression graph of one model; graphs share no nodes.

    Attributes:
        op, args, cls: operation, operands and class of each node, indexed by node number.
        table: (operation, operands) -> node.
        turns: cache of sines and cosines, (SIN or COS, angle) -> reference, because a few constant angles occur very
            often.
        calls: the kernel calls, in order.
    """

    __slots__ = ("_call_numbers", "args", "calls", "cls", "op", "table", "turns")

    def __init__(self) -> None:
        self.op: list[int] = []
        self.args: list[tuple[Any, ...]] = []
        self.cls: list[int] = []
        self.table: dict[tuple[int, tuple[Any, ...]], int] = {}
        self.turns: dict[tuple[int, int], int] = {}
        self.calls: list[Call] = []
        self._call_numbers: dict[Call, int] = {}
        for value in (0, 1, 2):
            self.number(value)

    def __len__(self) -> int:
        return len(self.op)

    # -- leaves

    def node(self, op: int, args: tuple[Any, ...], cls: int) -> int:
        """Return the positive reference of the node (op, args) of class cls; create it if it does not exist."""
        key = (op, args)
        index = self.table.get(key)
        if index is None:
            index = self.table[key] = len(self.op)
            self.op.append(op)
            self.args.append(args)
            self.cls.append(cls)
        return index << 1

    def new_node(self, op: int, args: tuple[Any, ...], cls: int) -> int:
        """Create a node that does not exist yet and return its positive reference."""
        index = self.table[op, args] = len(self.op)
        self.op.append(op)
        self.args.append(args)
        self.cls.append(cls)
        return index << 1

    def number(self, value: Number) -> int:
        """Return a number as a signed node reference; integers, fractions and integer-valued floats are exact."""
        value = normal(value)
        if value < 0:
            return self.node(NUMBER, (negative(value), isinstance(value, float)), CONSTANT) | 1
        return self.node(NUMBER, (value, isinstance(value, float)), CONSTANT)

    def tolerance(self, value: float) -> int:
        """Return a signed node reference of a round-off tolerance, whose value depends on the emitted scalar type.

        Args:
            value: value of the tolerance in double precision.
        """
        return self.node(TOLERANCE, (abs(float(value)),), CONSTANT) | (value < 0)

    def pi(self) -> int:
        return self.node(PI, (), CONSTANT)

    def symbol(self, name: str, cls: int = VARIABLE) -> int:
        if cls not in (PARAMETER, VARIABLE):
            raise ProgramError(f"symbol '{name}': class must be PARAMETER or VARIABLE")
        return self.node(SYMBOL, (name, cls), cls)

    def value(self, lit: int) -> Number | None:
        """Return the number if the expression `lit` is a number, otherwise None."""
        index = lit >> 1
        if self.op[index] != NUMBER:
            return None
        number: Number = self.args[index][0]
        return negative(number) if lit & 1 else number

    @staticmethod
    def signed(lit: int, sign: int) -> int:
        """Return the expression `lit`, or minus it if sign is 1; zero is never negated."""
        return lit ^ sign if lit > 1 else ZERO

    # -- sums

    def add(self, x: int, y: int) -> int:
        if x > y:  # one order, so that x + y and y + x are folded in the same way
            x, y = y, x
        i, j = x >> 1, y >> 1
        if i == 0:
            return y if j else ZERO
        if i == j:
            return ZERO if x != y else self.mul(TWO, x)
        op = self.op
        oi, oj = op[i], op[j]
        if oi == MUL or oj == MUL:
            merged = self._add_products(x, y)
            if merged is not None:
                return merged
        elif oi == NUMBER and oj == NUMBER:
            a, b = self.args[i][0], self.args[j][0]
            return self.number(total(negative(a) if x & 1 else a, negative(b) if y & 1 else b))
        if oi == ADD or oi == SUB:  # noqa: SIM109 (executed most often)
            merged = self._add_to_sum(x, y)
            if merged is not None:
                return merged
        if oj == ADD or oj == SUB:  # noqa: SIM109
            merged = self._add_to_sum(y, x)
            if merged is not None:
                return merged
        sign, ci, cj = x & 1, self.cls[i], self.cls[j]
        return self.node(ADD if sign == y & 1 else SUB, (i << 1, j << 1), ci if ci > cj else cj) | sign

    def plain_sum(self, x: int, y: int) -> int:
        """Return x + y without simplification; x and y must be different nodes."""
        if x > y:
            x, y = y, x
        sign, ci, cj = x & 1, self.cls[x >> 1], self.cls[y >> 1]
        return self.node(ADD if sign == y & 1 else SUB, (x & ~1, y & ~1), ci if ci > cj else cj) | sign

    def sub(self, x: int, y: int) -> int:
        return self.add(x, y ^ 1)

    def terms(self, lit: int) -> tuple[int, int]:
        """Return the two terms p, q of a sum p + q, as signed node references."""
        i, sign = lit >> 1, lit & 1
        p, q = self.args[i]
        return p ^ sign, q ^ sign ^ (1 if self.op[i] == SUB else 0)

    def coefficient(self, i: int) -> tuple[Number, int]:
        """Return (c, u) if node i is the product of a number c and node u; otherwise (1, i)."""
        if self.op[i] == MUL:
            a, b = self.args[i]
            if self.op[a >> 1] == NUMBER:
                return self.args[a >> 1][0], b >> 1
        return 1, i

    def _add_products(self, x: int, y: int) -> int | None:
        """Return the simplified sum x + y if one of two rules applies, otherwise None.

        The rules are c1*u + c2*u = (c1 + c2)*u and (cos a)^2 u + (sin a)^2 u = u.
        """
        i, j = x >> 1, y >> 1
        op, args = self.op, self.args
        one, other = op[i] == MUL, op[j] == MUL
        cx, ux = self.coefficient(i) if one and op[args[i][0] >> 1] == NUMBER else (1, i)
        cy, uy = self.coefficient(j) if other and op[args[j][0] >> 1] == NUMBER else (1, j)
        if ux == uy:
            both = total(negative(cx) if x & 1 else cx, negative(cy) if y & 1 else cy)
            return self.mul(self.number(both), ux << 1)
        if one and other and not (x ^ y) & 1:
            merged = trigonometry.pythagoras(self, i, j)
            return None if merged is None else merged ^ (x & 1)
        return None

    def _add_to_sum(self, x: int, y: int) -> int | None:
        """Return the simplified sum (p + q) + y, where x = p + q; None if no rule applies.

        The term y cancels with a term of x that equals -y. If p or q varies less than x (a number or an expression of
        parameters), and y also does, these two are added first.
        """
        i, sign = x >> 1, x & 1
        a, b = self.args[i]
        p: int = a ^ sign
        q: int = b ^ sign ^ (1 if self.op[i] == SUB else 0)
        if p == y ^ 1:
            return q
        if q == y ^ 1:
            return p
        cls = self.cls
        whole, kind = cls[i], cls[y >> 1]
        if kind < whole:
            for term, rest in ((p, q), (q, p)):
                if cls[term >> 1] < whole:
                    return self.add(rest, self.add(term, y))
        elif whole == kind == CONSTANT:
            return folding.constant_sum(self, x, y)
        return None

    # -- products

    def mul(self, x: int, y: int) -> int:
        neg = (x ^ y) & 1
        i, j = x >> 1, y >> 1
        if i == 0 or j == 0:
            return ZERO
        if i == 1:
            return (j << 1) | neg
        if j == 1:
            return (i << 1) | neg
        op, cls, args = self.op, self.cls, self.args
        ci, cj = cls[i], cls[j]
        if ci > cj or (ci == cj and i > j):
            i, j, ci, cj = j, i, cj, ci
        if cj == CONSTANT:
            folded = self._mul_constants(i, j)
            if folded is not None:
                return self.signed(folded, neg)
            if op[j] == NUMBER:  # the coefficient is the first factor
                i, j = j, i
        if ci < VARIABLE and op[j] == MUL:
            a, b = args[j]
            if cls[a >> 1] < cj:  # factors that do not vary are grouped before those that do
                if ci == cj:
                    return self.signed(self.mul(a, self.mul(i << 1, b)), neg)
                return self.signed(self.mul(self.mul(i << 1, a), b), neg)
        if i == j and op[i] == SQRT:
            return self.signed(args[i][0], neg)
        if op[i] == DIV and args[i][1] == j << 1:
            return self.signed(args[i][0], neg)
        if op[j] == DIV and args[j][1] == i << 1:
            return self.signed(args[j][0], neg)
        return self.node(MUL, (i << 1, j << 1), cj) | neg

    def _mul_constants(self, i: int, j: int) -> int | None:
        """Return the simplified product of two constant nodes; None if it cannot be simplified.

        Numbers and square roots are multiplied in their normal form; in other products the numbers come first.
        """
        if self.op[i] == NUMBER and self.op[j] == NUMBER:
            return self.number(product(self.args[i][0], self.args[j][0]))
        folded = surds.product(self, i, j)
        if folded is not None:
            return folded
        if self.op[j] == NUMBER:
            i, j = j, i
        (r, u), (s, v) = self.coefficient(i), self.coefficient(j)
        if self.op[i] == NUMBER:
            return None if s == 1 else self.mul(self.number(product(self.args[i][0], s)), v << 1)
        if r == 1 and s == 1:
            return None
        return self.mul(self.number(product(r, s)), self.mul(u << 1, v << 1))

    def div(self, x: int, y: int) -> int:
        i, j, neg = x >> 1, y >> 1, (x ^ y) & 1
        if j == 0:
            raise ProgramError("division by zero")
        if j == 1 or i == 0:
            return self.signed(x, y & 1)
        if i == j:
            return ONE ^ neg
        op, cls, args = self.op, self.cls, self.args
        if op[j] == NUMBER:
            value = args[j][0]
            if op[i] == NUMBER and isinstance(value, float):
                return self.signed(self.number(quotient(args[i][0], value)), neg)
            return self.signed(self.mul(self.number(quotient(1, value)), i << 1), neg)
        if cls[j] == CONSTANT and (root := surds.inverse(self, j)) is not None:
            return self.signed(self.mul(root, i << 1), neg)
        if cls[j] < VARIABLE and cls[j] < cls[i]:
            return self.signed(self.mul(self.div(ONE, j << 1), i << 1), neg)
        if op[i] == MUL:
            a, b = args[i]
            if a == j << 1:
                return self.signed(b, neg)
            if b == j << 1:
                return self.signed(a, neg)
        return self.node(DIV, (i << 1, j << 1), max(cls[i], cls[j])) | neg

    def power(self, x: int, exponent: Number) -> int:
        """Return x to the power of an integer or of a multiple of 1/2 or 1/4."""
        return folding.power(self, x, exponent)

    # -- functions

    def sqrt(self, x: int) -> int:
        value = self.value(x)
        if value is not None:
            if value < 0:
                raise ProgramError("square root of a negative number")
            root = self.number(decimal_root(value)) if isinstance(value, float) else surds.root(self, value)
            if root is not None:
                return root
        return self.node(SQRT, (x,), self.cls[x >> 1])

    def sin(self, x: int) -> int:
        return self._turn(SIN, x)

    def cos(self, x: int) -> int:
        return self._turn(COS, x)

    def _turn(self, op: int, x: int) -> int:
        literal = self.turns.get((op, x))
        if literal is None:
            literal = self.turns[op, x] = trigonometry.sincos(self, op, x)
        return literal

    def split_pi(self, x: int) -> tuple[Fraction, int]:
        """Split x = turn*pi + rest; return the exact fraction `turn` and the reference of the rest."""
        return trigonometry.split_pi(self, x)

    def unary(self, op: int, x: int) -> int:
        """Return the function `op` of one argument x, such as sin x."""
        if op == SQRT:
            return self.sqrt(x)
        if op == SIN or op == COS:  # noqa: SIM109
            return self._turn(op, x)
        if self.cls[x >> 1] == CONSTANT:
            folded = folding.unary(self, op, x)
            if folded is not None:
                return folded
        if self.op[x >> 1] in ops.LEFT_ALONE.get(op, ()):
            return x & ~1 if op == ops.ABS else x
        info = ops.TABLE[op]
        sign = x & 1 if info.odd else 0
        arg = x & ~1 if info.odd or info.even else x
        return self.node(op, (arg,), self.cls[x >> 1]) | sign

    def binary(self, op: int, x: int, y: int) -> int:
        """Return the function or comparison `op` of x and y; a comparison is 1 if it is true and 0 otherwise."""
        if op == ADD:
            return self.add(x, y)
        if op == SUB:
            return self.add(x, y ^ 1)
        if op == MUL:
            return self.mul(x, y)
        if op == DIV:
            return self.div(x, y)
        if x > y and op in (ops.MIN, ops.MAX, ops.EQUAL):
            x, y = y, x
        folded = folding.binary(self, op, x, y)
        if folded is not None:
            return folded
        cls = max(self.cls[x >> 1], self.cls[y >> 1])
        if op == ops.ATAN2:
            return self.node(op, (x & ~1, y), cls) | (x & 1)
        if x == y:
            return x if op in (ops.MIN, ops.MAX) else (ZERO if op == ops.LESS else ONE)
        return self.node(op, (x, y), cls)

    def select(self, condition: int, x: int, y: int) -> int:
        """Return the expression that equals x where the condition is not zero, and y elsewhere."""
        value = self.value(condition)
        if value is not None:
            return x if value != 0 else y
        if x == y:
            return x
        condition &= ~1
        if x == ONE and y == ZERO and self.op[condition >> 1] in ops.COMPARISONS:
            return condition
        sign = x & y & 1
        cls = max(self.cls[condition >> 1], self.cls[x >> 1], self.cls[y >> 1])
        return self.node(SELECT, (condition, x ^ sign, y ^ sign), cls) | sign

    def call(self, kernel: str, inputs: Sequence[Sequence[int]], size: int) -> list[int]:
        """Add a kernel call and return its `size` results, which are of class VARIABLE and are not simplified."""
        call = Call(kernel, tuple(tuple(i) for i in inputs), size)
        index = self._call_numbers.setdefault(call, len(self.calls))
        if index == len(self.calls):
            self.calls.append(call)
        return [self.node(KERNEL, (index, k), VARIABLE) for k in range(size)]

    def apply(self, op: int, children: Sequence[int]) -> int:
        """Return the operation `op` applied to operands, with simplification."""
        if len(children) == 1:
            return self.unary(op, children[0])
        if len(children) == 2:
            return self.binary(op, children[0], children[1])
        return self.select(*children)

    # -- traversal

    def children(self, i: int) -> tuple[int, ...]:
        """Return the operands of node i (for a kernel result, all inputs of the call) as references."""
        op = self.op[i]
        if op >= ADD:
            return self.args[i]
        if op == KERNEL:
            return tuple(lit for array in self.calls[self.args[i][0]].inputs for lit in array)
        return ()

    def reachable(self, roots: Sequence[int]) -> list[int]:
        """Return all nodes on which the expressions `roots` depend, in evaluation (ascending) order."""
        op, args = self.op, self.args
        last = max((lit >> 1 for lit in roots), default=-1)
        visited = bytearray(last + 1)
        called = bytearray(len(self.calls))
        for lit in roots:
            visited[lit >> 1] = 1
        nodes = []
        for i in range(last, -1, -1):  # children precede their parents
            if visited[i]:
                nodes.append(i)
                if op[i] >= ADD:
                    for lit in args[i]:
                        visited[lit >> 1] = 1
                elif op[i] == KERNEL and not called[args[i][0]]:
                    called[args[i][0]] = 1
                    for lit in self.children(i):
                        visited[lit >> 1] = 1
        nodes.reverse()
        return nodes
