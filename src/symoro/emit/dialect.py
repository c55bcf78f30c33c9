"""Differences between languages as data: a `Dialect` for the notation, a `Language` for writers and options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from symoro.errors import ProgramError
from symoro.expr import ops
from symoro.expr.graph import Number

Files = dict[str, str]


def decimal(value: Number) -> float:
    """Return the double nearest to a number."""
    try:
        return float(value)
    except OverflowError:
        raise ProgramError("a number is too large for double precision") from None


def plain_number(value: Number) -> str:
    """Return the text of a number: an integer, or the shortest decimal of the same double."""
    if isinstance(value, int) and value < 10**9:
        return str(value)
    return repr(decimal(value))


def exact_number(value: Number) -> str:
    """Return the text of a number: integers and fractions exactly, decimals as they were written."""
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    return str(value) if isinstance(value, int) else repr(value)


_CALLS = {
    op: f"{info.name}({', '.join(f'{{{k}}}' for k in range(info.arity))})"
    for op, info in ops.TABLE.items()
    if op >= ops.SQRT
}
_COMPARISONS = {ops.LESS: "{0} < {1}", ops.LESS_EQUAL: "{0} <= {1}", ops.EQUAL: "{0} == {1}"}


@dataclass(frozen=True)
class Dialect:
    """Notation of expressions and names in one language. Templates contain the operands as {0}, {1}, {2}.

    Attributes:
        functions: op -> template of all operations from SQRT on, if it differs from `name({0}, {1})`; a
            comparison here is a value, 1 or 0, and {0} of a select is a condition.
        conditions: op -> template of a comparison as a condition.
        truth: template of a value, 1 or 0, as a condition.
        number: function that returns the text of a nonnegative number.
        tolerance: function that returns the text of a tolerance for round-off, given for double precision; None to
            write the number.
        exact: whether constants such as sqrt(3)/2 are written exactly; otherwise as one decimal.
        pi: text of pi, if constants are exact.
        times: multiplication sign.
        divide: template of a quotient that requires no parentheses inside; None for {0}/{1}.
        undefined: template of the quotient 0/0 that marks a result as undefined; None to write the quotient.
        square: template of x*x; None to write the product.
        parentheses: the pair around a sum inside a product.
        element: template of an entry {1} of an array {0}, counted from `base`.
        reserved: words that cannot be a name: keywords, and functions that the emitted code calls.
        externals: words that can be a variable but not a function.
        fold_case: whether names that differ only in case are the same name.
        underscore: replacement of an underscore in a name.
        leading_underscore: whether a name may start with an underscore.
        trailing_underscore: whether a name may end with one; if not, such names are reserved for the emitter.
        macros: templates of macros that the code defines for all files that include it; {0} is the base name in
            capitals.
        longest: maximum length of a name.
        symbol: function that returns the displayed form of a name; names with the same form are the same name.
        comment: template of a comment on a separate line.
        helpers: definitions that are added if the code uses one of their operations.
        turns: from this number of angles on, their sines and cosines are computed together, and several arctangents
            too (see `vectors`); 0 if never.
        listing: whether the text is a list of equations without functions: arrays of arguments need no names.
        call_name, setup_name, batch_name: templates of the functions' names; {0} is the base name,
            "" if there is no such function.
    """

    functions: Mapping[int, str] = field(default_factory=dict)
    conditions: Mapping[int, str] = field(default_factory=lambda: _COMPARISONS)
    truth: str = "{0} != 0"
    number: Callable[[Number], str] = plain_number
    tolerance: Callable[[float], str] | None = None
    exact: bool = False
    pi: str = "pi"
    times: str = "*"
    divide: str | None = None
    undefined: str | None = None
    square: str | None = None
    parentheses: tuple[str, str] = ("(", ")")
    element: str = "{0}[{1}]"
    base: int = 0
    reserved: frozenset[str] = frozenset()
    externals: frozenset[str] = frozenset()
    fold_case: bool = False
    underscore: str = "_"
    leading_underscore: bool = True
    trailing_underscore: bool = True
    longest: int = 63
    symbol: Callable[[str], str] = str
    macros: tuple[str, ...] = ()
    comment: str = "# {0}"
    helpers: Mapping[tuple[int, ...], str] = field(default_factory=dict)
    turns: int = 0
    listing: bool = False
    call_name: str = "{0}"
    setup_name: str = "{0}_setup"
    batch_name: str = "{0}_batch"

    def template(self, op: int) -> str:
        return self.functions.get(op) or _CALLS[op]


@dataclass(frozen=True)
class Language:
    """Language for which code can be emitted, with its writer functions and options.

    Attributes:
        write: (program, **options) -> {file name: text}.
        options: option -> its meaning, in addition to `name`, which every language has.
        demo: (program, sample numbers, base name) -> {file name: text}: a main program that prints the outputs for
            sample numbers; None if `write` returns it already, or if the text is not executable.
        first_index: index of the first entry of an array.
    """

    id: str
    title: str
    suffix: str
    write: Callable[..., Files]
    aliases: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    demo: Callable[..., Files] | None = None
    first_index: int = 0
