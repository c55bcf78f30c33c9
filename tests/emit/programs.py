"""Programs to emit: one with all operations, small special ones, and random ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from symoro.errors import ProgramError
from symoro.expr import scalar as sc
from symoro.expr.scalar import Expr
from symoro.program.builder import Builder
from symoro.program.interpret import interpret
from symoro.program.program import Program

SAMPLES = 3


@dataclass(frozen=True)
class Case:
    """Program with numbers: inputs with a leading axis of samples, and parameters."""

    program: Program
    inputs: dict[str, np.ndarray]
    parameters: dict[str, float]

    @property
    def samples(self) -> int:
        return next((len(array) for array in self.inputs.values()), 1)

    def expected(self) -> dict[str, np.ndarray]:
        """Return the results of the interpreter, sample by sample, computed once."""
        return dict(self._expected)

    @cached_property
    def _expected(self) -> dict[str, np.ndarray]:
        rows = [interpret(self.program, self.sample(i), self.parameters) for i in range(self.samples)]
        return {name: np.stack([row[name] for row in rows]) for name in rows[0]}

    def sample(self, i: int) -> dict[str, np.ndarray]:
        return {name: array[i] for name, array in self.inputs.items()}

    def parameter_list(self) -> list[float]:
        return [self.parameters[name] for name in self.program.used_parameters]


def case_of(program: Program, seed: int = 1) -> Case:
    """Return a program with random numbers."""
    rng = np.random.default_rng(seed)
    inputs = {port.name: rng.uniform(-1.5, 1.5, (SAMPLES, *port.shape)) for port in program.inputs}
    return Case(program, inputs, {name: float(rng.uniform(0.2, 1.5)) for name in program.parameters})


def everything(name: str = "everything") -> Program:
    """Return a program with every operation, named variables of both signs, constants, parameters, colliding names.

    Difficult names: a variable with the name of an input entry (q1), names that differ only in case (d3 and D3),
    keywords of several languages, leading underscores, arrays with the names of arguments (k, n).
    """
    b = Builder(name)
    q = b.input("q", (3,), title="joint positions")
    T = b.input("T", (2, 2), ["T11", "T12", "T21", "T22"])
    (n,) = b.input("n", (), ["lambda"])
    b.input("unused", (2,))
    p = {
        s: b.parameter(s)
        for s in ("D3", "d3", "end", "double", "_a", "E", "k", "function", "t2", "x_y", "xY")
    }
    c, s = b.named("C1", sc.cos(q[0])), b.named("S1", sc.sin(q[0]))
    C2, S2 = sc.cos(q[1]), sc.sin(q[1])
    shared = b.named("q1", c * C2 * p["D3"] - s * S2 * p["d3"])
    minus = b.named("class", -(shared * q[2] + p["end"]))
    half = sc.sqrt(b.number(3)) / 2
    regrouped = b.named("while", p["D3"] * p["d3"] + p["end"] / p["double"])
    negated = b.named("MXR", -(p["_a"] * p["E"] + p["k"]))
    branch = sc.select(sc.less(shared, q[2]), shared * half, minus - shared)
    choice = sc.select(sc.equal(q[1], T[0]), q[1], -q[2])
    flag = sc.less_equal(T[0], T[3])
    flags = flag * q[0] + sc.select(flag, T[1], T[2])
    roots = sc.sqrt(1 + q[0] * q[0]) / (2 + S2)
    angles = sc.atan2(-s, c) + sc.asin(s * C2) - sc.acos(C2 * c) + sc.tan(q[2] / 4) + sc.exp(-q[1])
    signs = sc.sign(q[0]) * sc.absolute(q[2] - q[1]) + 5 * sc.sign(q[1] - T[0])
    extremes = sc.minimum(q[0], -q[1]) - sc.maximum(T[1], q[2]) * 1e-7 + 123456789012 * sc.minimum(s, C2)
    difference = shared - branch
    b.output("t", [[shared, -branch, 1], [difference * s, -difference, -(difference * c)]], "a matrix")
    b.output("k", negated)
    products = (regrouped * p["function"] - negated) * q[0]
    b.output("Q", [products, regrouped, p["D3"], q[1], -q[2], p["t2"] * p["x_y"] - p["xY"]])
    b.output("r", [roots, angles, signs, extremes * 1e-12, choice, flags, n * n, -(n + q[0]), b.pi() / 2])
    b.output("last", [[[minus / (2 + c), half], [-half, b.number(-2) / 3]], [[0, -1], [0.1, T[3] / 7]]])
    return b.program(title="every operation, and names that collide")


def everything_case(name: str = "everything") -> Case:
    """Return a case whose first sample has q2 = T11: equal() is true there, and the sign of zero is computed."""
    case = case_of(everything(name))
    case.inputs["T"][0, 0, 0] = case.inputs["q"][0, 1]
    return case


def solver(name: str = "solver", n: int = 4) -> Program:
    """Return two linear systems, the second with results of the first; the first pivot must be exchanged."""
    b = Builder(name)
    A, v = b.input("A", (n, n)), b.input("v", (n,))
    m = b.parameter("m")
    matrix = [A[n * i + j] + (m if abs(i - j) == 1 else 0) for i in range(n) for j in range(n)]
    x = b.call("solve", [0, *matrix[1:]], [-v[0], *v[1:]])
    y = b.call("solve", [x[0] + 3, 1, 0, x[1] - 2], [v[0] * x[-1], 5])
    b.output("x", x)
    b.output("y", [y[0] * y[0], -y[1]])
    return b.program(title="linear systems")


def polynomials(name: str = "polynomials") -> Program:
    """Return roots and angles: the kernel that calls the other one first, constant entries, a lower degree."""
    b = Builder(name)
    a, k = b.input("a", (5,)), b.input("k", (5,))
    m = b.parameter("m")
    roots = b.call("quartic", [a[0] + m, a[1], -a[2], a[3], a[4]])
    angles = b.call("circle", [k[0] / 4, k[1], k[2] + m, -k[3], k[4]])
    pair = b.call("quartic", [0, 0, 1, k[0], roots[4] - 3])
    b.output("x", roots)
    b.output("t", angles)
    b.output("pair", pair)
    b.output("none", b.call("circle", [m, 0, 0, 0, 0]))
    return b.program(title="roots of polynomials")


def comparisons(name: str = "comparisons") -> Program:
    """Return comparisons as numbers, each used once: in quotients, where integers would be wrong, and in functions."""
    b = Builder(name)
    x = b.input("x", (6,))
    less = [sc.less(x[i], x[j]) for i in range(6) for j in range(i)]
    quotients = [less[0] / (2 + less[1]), 1 / (less[2] + 2 * sc.equal(x[1], x[1]) + less[3])]
    functions = [sc.sqrt(less[4] + less[5]), sc.cos(less[6]), sc.atan2(less[7], 1 + less[8])]
    sizes = [sc.absolute(-less[9]), sc.sign(-less[10]), sc.absolute(less[11] - less[12])]
    b.output("y", [*quotients, *functions, *sizes, sc.minimum(less[13], less[14] / 3)])
    return b.program(title="comparisons as numbers")


def expanded(name: str = "expanded") -> Program:
    """Return one expression per entry; the sum is shared in the graph, and written twice."""
    b = Builder(name)
    q = b.input("q", (3,))
    d = b.parameter("D3")
    c, s = [sc.cos(x) for x in q], [sc.sin(x) for x in q]
    reach = d * c[1] - (d + 1) * s[1] * c[2]
    b.output("P", [c[0] * reach, s[0] * reach, -(c[1] * s[2] + reach)])
    return b.program(title="position, expanded", expanded=True)


def trivial(name: str = "trivial") -> Program:
    """Return a program without parameters and statements: an input as output, a constant, an empty array."""
    b = Builder(name)
    q = b.input("q", (2,))
    b.output("y", [q[1], 0, 1.5])
    b.output("z", -q[0])
    return b.program()


def chain(joints: int, name: str = "chain") -> Program:
    """Return the positions of the frames of a general serial robot: about 48 operations per joint."""
    b = Builder(name)
    q = b.input("q", (joints,))
    R: list[list[Any]] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    P: list[Any] = [0, 0, 0]
    places = []
    for j in range(joints):
        c, s = b.named(f"C{j + 1}", sc.cos(q[j])), b.named(f"S{j + 1}", sc.sin(q[j]))
        d, r = b.parameter(f"D{j + 1}"), b.parameter(f"R{j + 1}")
        at, section = [P[k] + R[k][0] * d + R[k][2] * r for k in range(3)], f"link {j + 1}: position"
        P = [b.named(f"P{j + 1}_{k + 1}", x, section) for k, x in enumerate(at)]
        R = [[row[0], row[1] * 0.3 + row[2] * 0.95, row[2] * 0.3 - row[1] * 0.95] for row in R]
        R = [[row[0] * c + row[1] * s, row[1] * c - row[0] * s, row[2]] for row in R]
        places.append(P)
    b.output("P", places)
    return b.program(title="positions of all frames")


# -- random programs

Recipe = list[tuple[int, int, int, int]]
Rule = Callable[[Any, Any, Any], Any]
_SMOOTH: list[Rule] = [
    lambda x, y, z: x + y,
    lambda x, y, z: x * y - z,
    lambda x, y, z: z - x * y,
    lambda x, y, z: -(x * y),
    lambda x, y, z: (x - y) * z,
    lambda x, y, z: (x - y) * (y - z) * x,
    lambda x, y, z: x - (y + z),
    lambda x, y, z: x / (2 + y * y),
    lambda x, y, z: sc.sin(x),
    lambda x, y, z: sc.cos(x - y),
    lambda x, y, z: sc.sqrt(x),
    lambda x, y, z: sc.tan(x),
    lambda x, y, z: sc.asin(x),
    lambda x, y, z: -sc.acos(x),
    lambda x, y, z: sc.exp(-(x * x)),
    lambda x, y, z: x * 0.25,
    lambda x, y, z: x + sc.sqrt(sc.wrap(x.graph, 2)) / 3,
    lambda x, y, z: sc.absolute(x),
]
_JUMPS: list[Rule] = [
    lambda x, y, z: x / (y * z),
    lambda x, y, z: -x / (y / z),
    lambda x, y, z: sc.atan2(x, y),
    lambda x, y, z: sc.sign(x),
    lambda x, y, z: sc.minimum(x, -y),
    lambda x, y, z: sc.maximum(x, y),
    lambda x, y, z: sc.less(x, y),
    lambda x, y, z: sc.less_equal(x, y) * z,
    lambda x, y, z: sc.select(sc.less(x, y), z, -x),
    lambda x, y, z: sc.select(sc.less(y, z), -y, -z),
]
_RULES = _SMOOTH * 2 + _JUMPS


def build(recipe: Recipe, name: str, seed: int) -> Case:
    """Return the program of a recipe: steps with small, defined values far from discontinuities."""
    b = Builder(name)
    pool: list[Expr] = [*b.input("q", (3,)), *b.input("v", (2,)), b.parameter("m"), b.parameter("T1"), b.pi()]
    pool += [b.number(2), b.number(0.7)]
    rng = np.random.default_rng(seed)
    inputs = {"q": rng.uniform(-1.5, 1.5, (SAMPLES, 3)), "v": rng.uniform(-1.5, 1.5, (SAMPLES, 2))}
    parameters = {"m": 0.37, "T1": 1.25}
    for rule, x, y, z in recipe:
        operands = [pool[-1 - k % len(pool)] for k in (x, y, z)]
        made = _attempt(
            b, _RULES[rule % len(_RULES)], operands, Case(_probe(b, operands), inputs, parameters)
        )
        if made is not None:
            pool.append(b.named(f"v{len(pool)}", made) if x % 5 == 0 else made)
    chosen = pool[-6:]
    b.output("y", [-e if k % 3 == 0 else e for k, e in enumerate(chosen)])
    return Case(b.program(), inputs, parameters)


def _probe(b: Builder, operands: Sequence[Expr]) -> Program:
    """Return a program whose outputs are some expressions, to compute their values."""
    probe = Builder("probe")
    probe.graph, probe._inputs, probe._parameters = b.graph, b._inputs, b._parameters
    probe.output("y", list(operands))
    return probe.program()


def _attempt(b: Builder, rule: Callable[..., Any], operands: Sequence[Expr], case: Case) -> Expr | None:
    """Return the result of a rule, unless it is undefined, large, or too close to a discontinuity."""
    if rule in _JUMPS:
        values = case.expected()["y"]
        gaps = [abs(values[:, i] - s * values[:, j]) for i in range(3) for j in range(i) for s in (-1, 1)]
        if np.min(np.abs(values)) < 1e-3 or min(map(np.min, gaps)) < 1e-3:
            return None
    try:
        made = sc.wrap(b.graph, rule(*operands))
        result = Case(_probe(b, [made]), case.inputs, case.parameters).expected()["y"]
    except ProgramError:
        return None
    return made if np.all(np.abs(result) < 100) else None


recipes = st.lists(
    st.tuples(st.integers(0, len(_RULES) - 1), *[st.integers(0, 60)] * 3), min_size=20, max_size=50
)


def few(examples: int) -> settings:
    """Return settings for tests that compile a batch of programs per example: shrinking would compile hundreds."""
    return settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )


def special_cases() -> list[Case]:
    """Return one case of each special program."""
    others = (solver(), polynomials(), comparisons(), expanded(), trivial(), chain(4))
    return [everything_case(), *map(case_of, others)]


@st.composite
def batches(draw: st.DrawFn, programs: int = 20) -> list[Case]:
    """Draw a batch of random programs, to be compiled together."""
    return [build(draw(recipes), f"random_{k}", k) for k in range(programs)]
