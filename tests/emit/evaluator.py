"""Evaluator for the subset of Julia, Maple, Mathematica and of the listing that the emitters write.

One grammar of expressions for all four (numbers, names, calls, entries, lists, + - * / ^, comparisons) is parsed and
computed in one pass; the syntax of statements and functions is defined per language.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from symoro.emit import emit
from symoro.emit.code import code_of
from symoro.emit.text import DIALECT as LISTING
from symoro.expr.kernels import KERNELS
from tests.emit.programs import Case

Env = dict[str, Any]
_TOKEN = re.compile(
    r"\s*(\d+\.?\d*(?:`?\*\^-?\d+|`|[eE][+-]?\d+)?|[A-Za-z_$][\w$!]*|<=|>=|==|!=|<>|[-+*/^()\[\]{},=<>;])"
)


def _quotient(a: Any, b: Any) -> Any:
    """Return a / b of floating-point numbers: 0 / 0 is NaN."""
    with np.errstate(all="ignore"):
        return a / b if np.ndim(a) or np.ndim(b) or b != 0 else float(np.divide(float(a), float(b)))


def _sign(x: float) -> float:
    return float(np.sign(x))


def _solve(a: Sequence[float], b: Sequence[float]) -> np.ndarray:
    n = len(b)
    return np.linalg.solve(np.reshape(a, (n, n)), np.array(b))


def _circle(k: Sequence[float]) -> np.ndarray:
    return np.array(KERNELS["circle"].evaluate([list(k)]))


def _quartic(a: Sequence[float]) -> np.ndarray:
    return np.array(KERNELS["quartic"].evaluate([list(a)]))


_COMMON: dict[str, Callable[..., Any]] = {
    "sqrt": math.sqrt,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan2": math.atan2,
    "exp": math.exp,
    "abs": abs,
    "min": min,
    "max": max,
}


@dataclass(frozen=True)
class Grammar:
    """Brackets and function names of a language."""

    functions: Mapping[str, Callable[..., Any]]
    call: str = "("
    index: str = "["
    list: str = "["
    constants: Mapping[str, float] = field(default_factory=dict)


_CLOSING = {"(": ")", "[": "]", "{": "}"}
_CHOICES = {"select": lambda c, a, b: a if c else b}
TEXT = Grammar(
    {**_COMMON, **_CHOICES, "sign": _sign, "solve": _solve, "circle": _circle, "quartic": _quartic},
    constants={"pi": math.pi},
)
JULIA = Grammar(
    {
        **_COMMON,
        "sign": _sign,
        "atan": math.atan2,
        "ifelse": _CHOICES["select"],
        "real_sqrt": math.sqrt,
        "real_asin": math.asin,
        "real_acos": math.acos,
        "float": lambda x: x,
        "solve_": lambda n, a, b: _solve(a, b),
        "circle_": lambda n, k: _circle(k),
        "quartic_": lambda n, a: _quartic(a),
    }
)
MAPLE = Grammar(
    {
        **_COMMON,
        "signum": _sign,
        "arcsin": math.asin,
        "arccos": math.acos,
        "arctan": math.atan2,
        "piecewise": _CHOICES["select"],
        "Vector": np.array,
        "Matrix": np.array,
        "Array": np.array,
        "solve_": lambda n, a, b: _solve(a, b),
        "circle_": lambda n, k: _circle(k),
        "quartic_": lambda n, a: _quartic(a),
    },
    constants={"Pi": math.pi},
)
MATHEMATICA = Grammar(
    {
        "Sqrt": math.sqrt,
        "Sin": math.sin,
        "Cos": math.cos,
        "Tan": math.tan,
        "ArcSin": math.asin,
        "ArcCos": math.acos,
        "ArcTan": lambda x, y: math.atan2(y, x),
        "Exp": math.exp,
        "Abs": abs,
        "Sign": _sign,
        "Min": min,
        "Max": max,
        "If": _CHOICES["select"],
        "kernelSolve": lambda n, a, b: _solve(a, b),
        "kernelCircle": lambda n, k: _circle(k),
        "kernelQuartic": lambda n, a: _quartic(a),
    },
    call="[",
    index="[[",
    list="{",
    constants={"Pi": math.pi},
)


class Reader:
    """Parser that computes one expression."""

    def __init__(self, text: str, grammar: Grammar, env: Env) -> None:
        self.grammar, self.env = grammar, env
        self.tokens = _TOKEN.findall(text)
        assert "".join(self.tokens) == re.sub(r"\s", "", text), f"cannot read {text!r}"
        self.at = 0

    def whole(self) -> Any:
        value = self.comparison()
        assert self.at == len(self.tokens), f"left over: {self.tokens[self.at :]}"
        return value

    def peek(self, ahead: int = 0) -> str:
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def take(self, expected: str | None = None) -> str:
        token = self.peek()
        assert expected in (None, token), f"expected {expected}, got {token}"
        self.at += 1
        return token

    def comparison(self) -> Any:
        left = self.sum()
        if self.peek() not in ("<", "<=", "=", "==", "!=", "<>"):
            return left
        operator = self.take()
        right = self.sum()
        if operator in ("<", "<="):
            return left < right or (operator == "<=" and left == right)
        return (left == right) == (operator in ("=", "=="))

    def sum(self) -> Any:
        sign = -1 if self.peek() == "-" else 1
        if sign < 0:
            self.take()
        value = sign * self.product() if sign < 0 else self.product()
        while self.peek() in ("+", "-"):
            value = value + self.product() if self.take() == "+" else value - self.product()
        return value

    def product(self) -> Any:
        value = self.power()
        while self.peek() in ("*", "/"):
            value = value * self.power() if self.take() == "*" else _quotient(value, self.power())
        return value

    def power(self) -> Any:
        value = self.atom()
        if self.peek() == "^":
            self.take()
            return value ** self.atom()
        return value

    def atom(self) -> Any:
        token = self.take()
        if token[0].isdigit():
            return float(token.replace("`", "").replace("*^", "e"))
        if token == "(":
            value = self.comparison()
            self.take(")")
            return value
        if token == self.grammar.list:
            return self.items(_CLOSING[token])
        return self.named(token)

    def named(self, name: str) -> Any:
        g = self.grammar
        if name in g.functions and self.peek() == g.call:
            self.take()
            return g.functions[name](*self.items(_CLOSING[g.call]))
        value = g.constants[name] if name in g.constants else self.env[name]
        if self.peek() + (self.peek(1) if len(g.index) == 2 else "") != g.index:
            return value
        for bracket in g.index:
            self.take(bracket)
        index = tuple(int(k) - 1 for k in self.items("]"))
        if len(g.index) == 2:
            self.take("]")
        return np.asarray(value)[index].item()

    def items(self, closing: str) -> list[Any]:
        results = []
        while self.peek() != closing:
            results.append(self.comparison())
            if self.peek() == ",":
                self.take()
        self.take(closing)
        return results


def store(target: str, value: Any, env: Env) -> None:
    """Set a variable, or the entry target[i, j] of a dictionary by index."""
    match = re.fullmatch(r"([\w$]+)\[([\d, ]*)\]", target.strip())
    if match is None:
        assert re.fullmatch(r"[A-Za-z_$][\w$]*", target.strip()), target
        env[target.strip()] = value
        return
    index = tuple(int(k) for k in match.group(2).replace(" ", "").split(",") if k)
    env.setdefault(match.group(1), {})[index] = float(value)


def _shaped(entries: Any, shape: Sequence[int]) -> np.ndarray:
    if isinstance(entries, dict):
        listed = [entries[index] for index in sorted(entries)]
        return np.reshape(listed, shape)
    return np.reshape(np.array(entries, dtype=float), shape)


# -- languages


def run_text(case: Case) -> dict[str, np.ndarray]:
    program = case.program
    code = code_of(program, LISTING, split=not program.expanded)
    (text,) = emit(program, "text").values()
    body = re.split(r"\n-{20,}\n", text)[1].replace("\n    ", " ")
    rows = []
    for i in range(case.samples):
        env: Env = {name: case.parameters[code.parameters[at]] for at, name in code.reads}
        flat = [array[i].reshape(-1) for array in case.inputs.values()]
        env |= {name: float(flat[array][e]) for array, e, name in code.loads}
        for line in body.splitlines():
            if line and not line.endswith((":", "*)")):  # neither a heading nor the number of lines
                target, expression = line.split(" = ", 1)
                arrays = {n: [v[k] for k in sorted(v)] for n, v in env.items() if isinstance(v, dict)}
                store(target, Reader(expression, TEXT, {**env, **arrays}).whole(), env)
        pairs = zip(code.arrays.outputs, program.outputs, strict=True)
        rows.append([_shaped(env[name], port.shape) for name, port in pairs])
    return {port.name: np.stack([row[k] for row in rows]) for k, port in enumerate(program.outputs)}


def run_functions(case: Case, language: str) -> dict[str, np.ndarray]:
    """Run Julia, Maple or Mathematica code: the setup function if there is one, then the call function."""
    program = case.program
    (text,) = emit(program, language).values()
    functions, grammar = _READERS[language](text), _GRAMMARS[language]
    names = [n for n in functions if not n.endswith("!")] if language != "julia" else list(functions)
    call = next(n for n in names if "etup" not in n)
    shared = []
    if program.constants:
        setup = next(n for n in names if "etup" in n)
        shared = [functions[setup].run(grammar, [case.parameter_list()])["return"]]
    rows = []
    for i in range(case.samples):
        given = [array[i] for array in case.inputs.values()] + shared
        blanks = [{} for _ in program.outputs] if language == "julia" else []
        env = functions[call].run(grammar, [*blanks, *given])
        if language == "julia":
            rows.append([env[name] for name in functions[call].arguments[: len(program.outputs)]])
        else:
            result = env["return"]
            rows.append(list(result) if len(program.outputs) > 1 else [result])
    return {
        port.name: np.stack([_shaped(row[k], port.shape) for row in rows])
        for k, port in enumerate(program.outputs)
    }


@dataclass(frozen=True)
class Emitted:
    """Function of an emitted file: arguments, and statements as (target, expression)."""

    arguments: list[str]
    statements: list[tuple[str, str]]

    def run(self, grammar: Grammar, values: Sequence[Any]) -> Env:
        env: Env = dict(zip(self.arguments, values, strict=True))
        for target, expression in self.statements:
            store(target, Reader(expression, grammar, env).whole(), env)
        return env


def _arguments(text: str) -> list[str]:
    return [a.strip().rstrip("_") for a in text.split(",") if a.strip()]


def _julia(text: str) -> dict[str, Emitted]:
    results = {}
    for name, arguments, body in re.findall(r"^function (\S+?)\(([^)]*)\)\n(.*?)\nend$", text, re.M | re.S):
        if not name.endswith(("!", "_setup")):
            continue
        whole = body.replace("\n        ", " ").splitlines()
        lines = [
            line for line in whole if line.strip()[0] != "#" and "|| throw(" not in line
        ]  # checks of sizes
        pairs = [line.replace("return ", "return = ", 1).split(" = ", 1) for line in lines]
        kept = [(p[0], p[1]) for p in pairs if p[1] != "nothing"]
        results[name] = Emitted(_arguments(arguments), kept)
    return results


def _maple(text: str) -> dict[str, Emitted]:
    results = {}
    for name, arguments, body in re.findall(r"^(\w+) := proc\(([^)]*)\)\n(.*?)end proc:$", text, re.M | re.S):
        if name.endswith("_"):  # a kernel
            continue
        statements = []
        for part in re.sub(r"#.*", "", body).split(";"):
            line = " ".join(part.split())
            if line.startswith("return "):
                statements.append(("return", f"[{line[7:]}]" if "," in line and line[7] != "[" else line[7:]))
            elif ":=" in line:
                target, expression = line.split(":=", 1)
                statements.append((target, expression))
        results[name] = Emitted(_arguments(arguments), statements)
    return results


def _mathematica(text: str) -> dict[str, Emitted]:
    results = {}
    pattern = r"^([\w$]+)\[([^\]]*)\] := Module\[\n(.*?)^\]$"
    for name, arguments, body in re.findall(pattern, text, re.M | re.S):
        locals_, rest = body.split("},", 1)
        assert locals_.strip().startswith("{")
        *lines, result = re.sub(r"\(\*.*?\*\)", "", rest).split(";")
        statements = [(p[0], p[1]) for p in (line.split("=", 1) for line in lines)]
        results[name] = Emitted(_arguments(arguments), [*statements, ("return", result)])
    return results


_GRAMMARS = {"julia": JULIA, "maple": MAPLE, "mathematica": MATHEMATICA}
_READERS = {"julia": _julia, "maple": _maple, "mathematica": _mathematica}
