"""Table of the scalar operations of expressions, one row per operation.

The operands of a node are signed node references, integers `2 * node + sign` (see `graph`). The order of the constants
matters in two places: leaves come first, and all operations from `ADD` on have their operands in `args`.
"""

from __future__ import annotations

from dataclasses import dataclass

NUMBER, PI, TOLERANCE, SYMBOL, KERNEL = range(5)
ADD, SUB, MUL, DIV = range(5, 9)
SQRT, SIN, COS, TAN, ASIN, ACOS, ATAN2 = range(9, 16)
ABS, SIGN, MIN, MAX = range(16, 20)
LESS, LESS_EQUAL, EQUAL, SELECT = range(20, 24)
EXP = 24


@dataclass(frozen=True)
class OpInfo:
    """Properties of an operation, used by optimisation passes and code printers.

    Attributes:
        name: name in text; for a function, the name that the parser accepts.
        arity: number of operands.
        odd: whether f(-x, ...) = -f(x, ...) in the first argument, so that a minus sign is moved out of the function.
        even: whether f(-x) = f(x).
        group: group in which the operation is counted.
    """

    name: str
    arity: int
    odd: bool = False
    even: bool = False
    group: str = "functions"


TABLE: dict[int, OpInfo] = {
    NUMBER: OpInfo("number", 0, group=""),
    PI: OpInfo("pi", 0, group=""),
    TOLERANCE: OpInfo("tolerance", 0, group=""),
    SYMBOL: OpInfo("symbol", 0, group=""),
    KERNEL: OpInfo("kernel", 0, group=""),
    ADD: OpInfo("+", 2, group="additions"),
    SUB: OpInfo("-", 2, group="additions"),
    MUL: OpInfo("*", 2, group="multiplications"),
    DIV: OpInfo("/", 2, group="divisions"),
    SQRT: OpInfo("sqrt", 1),
    SIN: OpInfo("sin", 1, odd=True),
    COS: OpInfo("cos", 1, even=True),
    TAN: OpInfo("tan", 1, odd=True),
    ASIN: OpInfo("asin", 1, odd=True),
    ACOS: OpInfo("acos", 1),
    ATAN2: OpInfo("atan2", 2, odd=True),
    ABS: OpInfo("abs", 1, even=True, group="others"),
    SIGN: OpInfo("sign", 1, odd=True, group="others"),
    MIN: OpInfo("min", 2, group="others"),
    MAX: OpInfo("max", 2, group="others"),
    LESS: OpInfo("less", 2, group="others"),
    LESS_EQUAL: OpInfo("less_equal", 2, group="others"),
    EQUAL: OpInfo("equal", 2, group="others"),
    SELECT: OpInfo("select", 3, group="others"),
    EXP: OpInfo("exp", 1),
}

FUNCTIONS: dict[str, int] = {info.name: op for op, info in TABLE.items() if op >= SQRT}
COMPARISONS = (LESS, LESS_EQUAL, EQUAL)
LEFT_ALONE = {
    ABS: (ABS, *COMPARISONS),
    SIGN: (SIGN, *COMPARISONS),
}  # operations that change only the sign

# Class of a node: what its value depends on. Operations of class PARAMETER are part of the setup.
CONSTANT, PARAMETER, VARIABLE = range(3)

# Signed node references of the numbers that every graph starts with.
ZERO, ONE, MINUS_ONE, TWO = 0, 2, 3, 4
