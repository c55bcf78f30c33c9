"""Derivation of an inverse geometric model as text, step by step.

For each step the text contains the equations, their type, the solution, the branches and the singularities. It shows
the regular case: the guards against division by zero and against the square root of a negative number are omitted from
the formulas and listed as conditions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from symoro.errors import ProgramError
from symoro.expr import ops
from symoro.expr.graph import ZERO
from symoro.expr.scalar import Expr, atan2, symbol, wrap
from symoro.expr.substitute import substitute
from symoro.models.geometric.inverse.chain.chain import Unknown
from symoro.models.geometric.inverse.step import Step
from symoro.program.program import Sentence, Stage

TYPES = {
    1: "X r = Y",
    2: "X S + Y C = Z",
    3: "X1 S + Y1 C = Z1, X2 S + Y2 C = Z2",
    4: "X1 r S = Y1, X2 r C = Y2",
    5: "X1 S = Y1 + Z1 r, X2 C = Y2 + Z2 r",
    6: "W Sj = X Ci + Y Si + Z1, W Cj = X Si - Y Ci + Z2",
    7: "W1 Cj + W2 Sj = X Ci + Y Si + Z1, W1 Sj - W2 Cj = X Si - Y Ci + Z2",
    8: "X Ci + Y Cij = Z1, X Si + Y Sij = Z2",
    9: "a4 r^4 + a3 r^3 + a2 r^2 + a1 r + a0 = 0",
    10: "a4 S^2 + a3 C S + a2 C + a1 S + a0 = 0",
}
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")
SHORT = 60  # characters up to which intermediate variables are substituted into a condition


def derivation(steps: Sequence[Step]) -> tuple[Stage, ...]:
    """Return the derivation of an inverse geometric model as text, one section per solution step."""
    return tuple(Stage(_title(step), tuple(_StepReport(step).sentences())) for step in steps)


def _title(step: Step) -> str:
    unknowns = " and ".join(map(str, step.unknowns))
    kind = f"type {step.type}" + (f", {TYPES[step.type]}" if step.type in TYPES else "")
    n = len(step.choices)
    count = NUMBERS[n] if n < len(NUMBERS) else str(n)
    return f"{unknowns}: {kind}; {count} solution{'s' * (n > 1)}"


def _is_short(value: Expr) -> bool:
    try:
        return len(str(value)) <= SHORT
    except ProgramError:  # the expression is too long for text
        return False


def _turned(left: Expr, right: Expr) -> tuple[Expr, Expr]:
    """Return both sides of the equation left = right, negated if the left side starts with a minus sign."""
    return (-left, -right) if str(left).startswith("-") else (left, right)


class _StepReport:
    """Sentences that describe one solution step, without its numerical guards."""

    def __init__(self, step: Step) -> None:
        self.step = step
        self.graph = step.equations[0][0].graph if step.equations else step.lines[0][0].graph
        self.zero = wrap(self.graph, 0)
        flags = {flag.lit >> 1: ZERO for _, flag in step.free}
        self.radicands = dict(self._radicands([value for _, value in step.lines]))
        self.guards = (self.radicands, flags)

    def sentences(self) -> Iterator[Sentence]:
        step = self.step
        equations = [_turned(left, right) for left, right in step.equations]
        for left, right in equations:
            yield left, "=", right
        yield from self._choices()
        for target, value in step.lines:
            if (target, self._plain(value)) not in equations:
                yield target, "=", self._plain(value)
        for unknown in step.unknowns:
            if unknown.turns:
                yield self._sum(unknown), "=", wrap(self.graph, atan2(unknown.sine, unknown.cosine))
        for radicand in self._reach():
            yield "out of reach if ", radicand, "<", self.zero
        for unknown, flag in step.free:
            yield "singular if ", self._vanishing(flag), "=", self.zero, f": q{unknown.joint} is then free"

    def _choices(self) -> Iterator[Sentence]:
        """Yield a sentence for each symbol that distinguishes the branches, with its possible values."""
        if len(self.step.choices) == 1:
            return
        for literal in self.step.choices[0]:
            name = Expr(self.graph, literal)
            values = list(dict.fromkeys(choice[literal] for choice in self.step.choices))
            if all(value.number is not None for value in values):
                yield name, "=", values[0], *(part for value in values[1:] for part in (" or ", value))
        roots = [lit for lit in self.step.choices[0] if self._kernel(self.step.choices[0][lit])]
        if roots:
            names = ", ".join(str(Expr(self.graph, lit)) for lit in roots)
            kernel, inputs = self._kernel(self.step.choices[0][roots[0]]) or ("", "")
            yield (f"{names}: one of the roots that {kernel}({inputs}) computes",)

    def _kernel(self, value: Expr) -> tuple[str, str] | None:
        """Return the name and the arguments of the numerical kernel that computes a value.

        Returns:
            (name, arguments) as text; None if the value is not the output of a kernel.
        """
        graph, node = self.graph, value.lit >> 1
        if graph.op[node] != ops.KERNEL:
            return None
        call = graph.calls[graph.args[node][0]]
        return call.kernel, ", ".join(str(Expr(graph, lit)) for array in call.inputs for lit in array)

    def _radicands(self, values: Sequence[Expr]) -> Iterator[tuple[int, int]]:
        """Yield the radicands in some expressions that are guarded against negative values as max(x, 0).

        Args:
            values: the expressions.

        Returns:
            Pairs of graph nodes: the guarded expression max(x, 0) and its argument x.
        """
        graph = self.graph
        for i in graph.reachable([value.lit for value in values]):
            if graph.op[i] == ops.MAX and ZERO in graph.args[i]:
                x, y = graph.args[i]
                yield i, x if y == ZERO else y

    def _plain(self, value: Expr) -> Expr:
        for guards in self.guards:
            value = self._put(value, guards)
        return value

    def _put(self, value: Expr, values: Mapping[int, int]) -> Expr:
        return Expr(self.graph, substitute(self.graph, [value.lit], values)[0])

    def _reach(self) -> list[Expr]:
        if self.radicands:
            return [self._spelled(self._plain(Expr(self.graph, lit))) for lit in self.radicands.values()]
        return [self._plain(value) for value in self.step.reach]

    def _vanishing(self, flag: Expr) -> Expr:
        """Return the expression that is zero at the singularity that a flag indicates.

        Args:
            flag: condition that is 1 at the singularity; for example, the flag x^2 <= tolerance gives x.
        """
        graph, node = self.graph, flag.lit >> 1
        if graph.op[node] != ops.LESS_EQUAL:
            return 1 - flag
        lit = graph.args[node][0]
        if graph.op[lit >> 1] == ops.MUL and graph.args[lit >> 1][0] == graph.args[lit >> 1][1]:
            lit = graph.args[lit >> 1][0]
        return self._spelled(Expr(graph, lit))

    def _spelled(self, value: Expr) -> Expr:
        """Substitute the intermediate variables of the step into an expression.

        If the result is too long for text, the expression is returned unchanged.
        """
        shown = value
        for target, made in reversed(self.step.lines):
            shown = self._put(shown, {target.lit >> 1: self._plain(made).lit})
        return shown if _is_short(shown) else value

    def _sum(self, unknown: Unknown) -> Expr:
        total = self.zero
        for joint, sign in unknown.parts:
            total = total + sign * symbol(self.graph, f"q{joint}")
        return total
