"""Parser of expressions: numbers, names, + - * / ^ (or **), parentheses, pi and the functions of `ops`.

It creates nodes of a graph directly; text from users is never evaluated as code. The input is limited in length,
nesting and exponent, so that malicious text quickly leads to an error with a position.

    sum     = product { ("+" | "-") product }
    product = unary { ("*" | "/") unary }
    unary   = ("+" | "-") unary | power
    power   = atom [ ("^" | "**") unary ]
    atom    = number | name | name "(" term { "," term } ")" | "(" term ")"
    term    = sum

Listings of programs also contain the function pow(x, number), and those of symoro comparisons, whose value is 1 or 0:

    term    = sum [ ("<" | "<=" | "=" | "<>") sum ]
"""

from __future__ import annotations

import re
from collections.abc import Callable

from symoro.errors import ExpressionError, ProgramError
from symoro.expr import ops
from symoro.expr.graph import ONE, ZERO, Graph
from symoro.expr.number import Number, decimal_of
from symoro.expr.scalar import Expr

MAX_LENGTH = 20_000
MAX_LENGTH_IN_LISTING = 1_000_000
MAX_DEPTH = 100
MAX_DIGITS = 400

_LEAF = (
    r"\s*(?:(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*)|(?P<op>\*\*|"
)
_TOKEN = re.compile(_LEAF + r"[-+*/^(),]))")
_LISTING_TOKEN = re.compile(_LEAF + r"<=|<>|[-+*/^(),<=]))")
ALIASES = {
    "fabs": "abs",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arctan2": "atan2",
    "Abs": "abs",
    "sgn": "sign",
    "Min": "min",
    "Max": "max",
}
_ARITY = {"atan": 1} | {name: ops.TABLE[op].arity for name, op in ops.FUNCTIONS.items()}
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")

Resolve = Callable[[str], int]


def parse(
    text: str,
    graph: Graph,
    resolve: Resolve | None = None,
    *,
    listing: bool = False,
    comparisons: bool = False,
) -> Expr:
    """Parse `text` and return it as an expression of `graph`.

    Args:
        resolve: returns the signed node reference of a name; by default each name is a parameter.
        listing: whether the grammar is that of listings: long expressions, and the function pow.
        comparisons: whether an expression in parentheses may be a comparison.

    Raises:
        ExpressionError: the text is not a valid expression; the error contains the position.
    """
    if resolve is None:

        def resolve(name: str) -> int:
            return graph.symbol(name, ops.PARAMETER)

    return Expr(graph, _Parser(text, graph, resolve, listing, comparisons).run())


def operation_tokens(text: str) -> list[int]:
    """Return the operations of an expression of a listing as it is written.

    The power x^n counts as n - 1 multiplications, and pow as one.

    Raises:
        ExpressionError: the text contains a character or function that is not part of the grammar.
    """
    _check_length(text, MAX_LENGTH_IN_LISTING)
    tokens = _tokens(text, _LISTING_TOKEN)
    operations: list[int] = []
    for (kind, token, _), (_, after, column), (before, last, _) in zip(
        tokens, tokens[1:], [("end", "", 0), *tokens], strict=False
    ):
        if kind == "name" and after == "(":
            name = ALIASES.get(token, token)
            if name == "pow":
                operations.append(ops.MUL)
                continue
            operations.append(ops.ATAN2 if name == "atan" else _operation(name, token, column))
        elif token in ("^", "**"):
            power = int(after) if after.isdigit() else 2
            operations += [ops.MUL] * (min(power, MAX_DIGITS) - 1)
        elif kind == "op" and token in _BINARY and (before in ("number", "name") or last == ")"):
            operations.append(_BINARY[token])
    return operations


_BINARY = {"+": ops.ADD, "-": ops.SUB, "*": ops.MUL, "/": ops.DIV}
_COMPARED = ("<", "<=", "=", "<>")


def _operation(name: str, token: str, column: int) -> int:
    if name not in ops.FUNCTIONS:
        known = ", ".join(sorted(_ARITY))
        raise ExpressionError(f"unknown function '{token}'", column - 1, hint=f"available functions: {known}")
    return ops.FUNCTIONS[name]


def reserved(name: str) -> bool:
    """Return whether a name is reserved by the grammar (pi, functions), so that it cannot be a symbol."""
    return name.lower() == "pi" or ALIASES.get(name, name) in _ARITY


class _Parser:
    def __init__(self, text: str, graph: Graph, resolve: Resolve, listing: bool, comparisons: bool) -> None:
        _check_length(text, MAX_LENGTH_IN_LISTING if listing else MAX_LENGTH)
        self.graph, self.resolve, self.listing = graph, resolve, listing
        self.comparisons = comparisons
        self.tokens = _tokens(text, _LISTING_TOKEN if listing else _TOKEN)
        self.at = 0
        self.depth = 0

    def run(self) -> int:
        result = self.sum()
        kind, token, column = self.tokens[self.at]
        if kind != "end":
            raise ExpressionError(f"unexpected '{token}'", column, hint="expected an operator")
        return result

    def peek(self, *operators: str) -> bool:
        kind, token, _ = self.tokens[self.at]
        return kind == "op" and token in operators

    def take(self) -> tuple[str, str, int]:
        token = self.tokens[self.at]
        self.at += 1
        return token

    def expect(self, expected: str) -> None:
        kind, token, column = self.take()
        if kind != "op" or token != expected:
            actual = f"'{token}'" if kind != "end" else "the end"
            raise ExpressionError(f"expected '{expected}', got {actual}", column)

    def sum(self) -> int:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ExpressionError(f"nested deeper than {MAX_DEPTH} levels", self.tokens[self.at][2])
        left = self.product()
        while self.peek("+", "-"):
            _, op, column = self.take()
            right = self.product()
            left = self.checked(column, self.graph.add, left, right ^ (op == "-"))
        self.depth -= 1
        return left

    def term(self) -> int:
        left = self.sum()
        if not self.comparisons or not self.peek(*_COMPARED):
            return left
        _, sign, column = self.take()
        right = self.sum()
        if sign == "<>":
            if right != ZERO:
                raise ExpressionError("only a comparison with zero may be written with <>", column)
            return left  # a condition holds if its value is not zero
        op = {"<": ops.LESS, "<=": ops.LESS_EQUAL, "=": ops.EQUAL}[sign]
        return self.checked(column, self.graph.apply, op, [left, right])

    def product(self) -> int:
        left = self.unary()
        while self.peek("*", "/"):
            _, op, column = self.take()
            right = self.unary()
            left = self.checked(column, self.graph.mul if op == "*" else self.graph.div, left, right)
        return left

    def unary(self) -> int:
        sign = 0
        while self.peek("+", "-"):
            sign ^= self.take()[1] == "-"
        result = self.power()
        return result ^ sign if result >> 1 else result

    def power(self) -> int:
        base = self.atom()
        if not self.peek("^", "**"):
            return base
        _, _, column = self.take()
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ExpressionError(f"nested deeper than {MAX_DEPTH} levels", column)
        exponent = self.graph.value(self.unary())
        self.depth -= 1
        if exponent is None:
            raise ExpressionError("the exponent must be a number", column + 1)
        return self.checked(column, self.graph.power, base, exponent)

    def atom(self) -> int:
        kind, token, column = self.take()
        if kind == "number":
            return self.checked(column, self.graph.number, _number(token, column))
        if kind == "name":
            if self.peek("("):
                return self.function(token, column)
            if token.lower() == "pi":
                return self.graph.pi()
            if reserved(token):
                raise ExpressionError(
                    f"'{token}' is a function and requires an argument in parentheses", column
                )
            return self.resolve(token)
        if kind == "op" and token == "(":
            inner = self.term()
            self.expect(")")
            return inner
        if kind == "end":
            raise ExpressionError("the expression ends too early", column, hint="a value is missing")
        raise ExpressionError(f"expected a value, got '{token}'", column)

    def function(self, token: str, column: int) -> int:
        name = ALIASES.get(token, token)
        self.expect("(")
        arguments = [self.term()]
        while self.peek(","):
            self.take()
            arguments.append(self.term())
        self.expect(")")
        if self.listing and name == "pow":
            return self.pow(arguments, column)
        arity = _ARITY.get(name)
        if arity is None:
            known = ", ".join(sorted(_ARITY))
            raise ExpressionError(f"unknown function '{token}'", column, hint=f"available functions: {known}")
        if len(arguments) != arity:
            raise ExpressionError(f"{token} requires {arity} argument(s), got {len(arguments)}", column)
        if name == "atan":
            return self.checked(column, self.graph.binary, ops.ATAN2, arguments[0], ONE)
        return self.checked(column, self.graph.apply, ops.FUNCTIONS[name], arguments)

    def pow(self, arguments: list[int], column: int) -> int:
        exponent = self.graph.value(arguments[1]) if len(arguments) == 2 else None
        if exponent is None:
            raise ExpressionError("pow requires two arguments, the second a number", column)
        return self.checked(column, self.graph.power, arguments[0], exponent)

    def checked(self, column: int, make: Callable[..., int], *arguments: object) -> int:
        try:
            return make(*arguments)
        except ProgramError as error:
            raise ExpressionError(error.message, column) from None


def _check_length(text: str, most: int) -> None:
    if len(text) > most:
        raise ExpressionError(f"the expression is longer than {most} characters", most)


def _tokens(text: str, token: re.Pattern[str]) -> list[tuple[str, str, int]]:
    tokens: list[tuple[str, str, int]] = []
    at, end = 0, len(text.rstrip())
    while at < end:
        match = token.match(text, at)
        if match is None:
            start = at + len(text[at:]) - len(text[at:].lstrip())
            raise ExpressionError(
                f"unexpected character {text[start]!r}",
                start + 1,
                hint="an expression may contain numbers, names, + - * / ^, parentheses, pi and functions",
            )
        kind = str(match.lastgroup)
        tokens.append((kind, match[kind], match.start(kind) + 1))
        at = match.end()
    tokens.append(("end", "", len(text) + 1))
    return tokens


def _number(token: str, column: int) -> Number:
    if token.isdigit():
        if len(token) > MAX_DIGITS:
            raise ExpressionError(f"a number may have at most {MAX_DIGITS} digits", column)
        return int(token)
    return decimal_of(token)
