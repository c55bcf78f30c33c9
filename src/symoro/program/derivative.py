"""Derivatives of programs, as programs: products with vectors, Jacobians and Hessians.

For a program y = f(x) with the inputs x and the outputs y,

    "vjp"       x_bar = (df/dx)' y_bar                     (reverse mode)
    "jvp"       y_dot = (df/dx) x_dot                      (forward mode)
    "jacobian"  dy_dx = df/dx                              (the mode that requires fewer operations)
    "hessian"   H = d2(y_bar . f)/dx2                      (forward over reverse mode)

The variables x are all inputs, some of them, or the parameters. Comparisons and sign functions have derivative zero, so
that Coulomb friction is constant between changes of sign.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from symoro.errors import NotApplicableError, OptionError, UnknownNameError
from symoro.expr import ops
from symoro.expr.derivatives import (
    Sweep,
    dependent,
    forward,
    forward_jacobian,
    jacobian,
    reverse_jacobian,
)
from symoro.expr.graph import ONE, ZERO
from symoro.expr.kernels import KERNELS
from symoro.program.count import count
from symoro.program.passes.rebuild import copied
from symoro.program.pipeline import optimise
from symoro.program.program import Input, Output, Program, Shape

PARAMETERS = "parameters"
WRT = "expected a list of inputs, or 'parameters'"
SIMILAR = 4  # ratio of the numbers of passes up to which both modes of the Jacobian are compared
COULOMB = "Coulomb friction and other sign functions are treated as constant between changes of sign"


def derivative(program: Program, kind: str, wrt: Sequence[str] | str | None = None) -> Program:
    """Return the optimised program that computes derivatives of a program.

    Args:
        program: the program to differentiate; it is not changed.
        kind: "vjp" (additional inputs `<output>_bar`, outputs `<input>_bar`), "jvp" (`<input>_dot`, `<output>_dot`),
            "jacobian" (outputs `d<output>_d<input>`) or "hessian" (additional inputs `<output>_bar`, output `H` over
            the entries of the variables in port order).
        wrt: names of inputs, "parameters" (port `p`), or None for all inputs.

    Raises:
        OptionError: there is no such kind, `wrt` is not a list of names, or a new port would have the name of an
            existing one.
        UnknownNameError: the program has no such input.
        NotApplicableError: the program has no parameters, or calls a kernel without derivative rules.
    """
    return optimise(differentiate(program, kind, wrt))


def differentiate(program: Program, kind: str, wrt: Sequence[str] | str | None = None) -> Program:
    """Return the program of `derivative` before the optimisation passes; the arguments are the same."""
    if kind not in KINDS:
        raise OptionError(f"no derivative of kind {kind!r}", hint="the kinds are " + ", ".join(KINDS))
    program = copied(program)
    chosen = variables(program, wrt)
    _check_kernels(program, kind, chosen)
    result = KINDS[kind](program, chosen)
    _check_ports(result, kind)
    names = ", ".join(PARAMETERS if v.name == "p" else v.name for v in chosen)
    header = (*program.header, ("derivative", f"{kind} with respect to {names}"))
    if any(program.graph.op[i] == ops.SIGN for i in program.nodes):
        header = (*header, ("remark", COULOMB))
    return replace(
        result,
        name=f"{program.name}_{kind}",
        title=f"{TITLES[kind]} ({program.title})" if program.title else TITLES[kind],
        header=header,
        columns=program.columns if kind == "jvp" else (),
        expanded=False,
        as_written=False,
    )


# -- variables


@dataclass(frozen=True)
class Variable:
    """Array with respect to which a program is differentiated: an input, or the array of all parameters."""

    name: str
    shape: Shape
    symbols: tuple[str, ...]
    nodes: tuple[int, ...]
    unit: str = ""
    default: tuple[float, ...] | None = None

    @property
    def title(self) -> str:
        return f"the parameters {', '.join(self.symbols)}" if self.name == "p" else self.name


def variables(program: Program, wrt: Sequence[str] | str | None) -> list[Variable]:
    """Return the variables selected by `wrt` (as for `derivative`), in port order with the parameters last."""
    by_name = {port.name: port for port in program.inputs}
    if wrt is None and not by_name:
        raise NotApplicableError(
            f"{program.name} has no inputs",
            hint="differentiate with respect to the parameters: wrt='parameters'",
        )
    given: object = list(by_name) if wrt is None else [wrt] if isinstance(wrt, str) else wrt
    chosen = list(given) if isinstance(given, Iterable) else []
    if not chosen or not all(isinstance(name, str) for name in chosen):
        raise OptionError(f"wrt: {WRT}, got {wrt!r}", hint="inputs: " + ", ".join(by_name))
    for name in chosen:
        if name not in by_name and name != PARAMETERS:
            known = ", ".join(by_name)
            raise UnknownNameError(
                f"input of {program.name}", name, list(by_name), hint=f"inputs: {known}; or 'parameters'"
            )
    selected = [_input(program, port) for name, port in by_name.items() if name in chosen]
    return [*selected, _parameters(program)] if PARAMETERS in chosen else selected


def _input(program: Program, port: Input) -> Variable:
    nodes = tuple(program.graph.symbol(s, ops.VARIABLE) >> 1 for s in port.symbols)
    default = None if port.default is None else (0.0,) * len(nodes)
    return Variable(port.name, port.shape, port.symbols, nodes, port.unit, default)


def _parameters(program: Program) -> Variable:
    names = program.used_parameters
    if not names:
        raise NotApplicableError(
            f"{program.name} has no parameters: the robot gives all its quantities as numbers",
            hint="robot.symbolic() returns the robot with symbols for its numbers",
        )
    nodes = tuple(program.graph.symbol(name, ops.PARAMETER) >> 1 for name in names)
    return Variable("p", (len(names),), names, nodes)


def _check_kernels(program: Program, kind: str, chosen: Sequence[Variable]) -> None:
    graph = program.graph
    active = dependent(graph, program.nodes, [i for v in chosen for i in v.nodes])
    for i in program.nodes:
        if graph.op[i] == ops.KERNEL and i in active:
            kernel = KERNELS[graph.calls[graph.args[i][0]].kernel]
            if kernel.forward is None or kernel.reverse is None:
                raise NotApplicableError(
                    f"the {kind} of {program.name} is not available: the model calls the kernel '{kernel.name}' "
                    f"({kernel.title}), which has no derivative rule"
                )


def _check_ports(program: Program, kind: str) -> None:
    names = [port.name for port in program.inputs] + [port.name for port in program.outputs]
    for name in names:
        if names.count(name) > 1:
            raise OptionError(
                f"the {kind} of this model has two ports called {name}",
                hint="select other variables with the option 'wrt', or another kind: the jvp of a vjp and the vjp "
                "of a jvp have different names",
            )


# -- the kinds


def _vjp(program: Program, chosen: Sequence[Variable]) -> Program:
    weights, sweep = _swept(program, chosen)
    outputs = tuple(
        Output(
            f"{v.name}_bar",
            v.shape,
            tuple(sweep.of(i) for i in v.nodes),
            f"gradient of the weighted outputs with respect to {v.title}",
        )
        for v in chosen
    )
    return _with_names(replace(program, inputs=(*program.inputs, *weights), outputs=outputs), sweep)


def _jvp(program: Program, chosen: Sequence[Variable]) -> Program:
    taken = _symbols(program)
    directions = tuple(
        Input(
            f"{v.name}_dot",
            v.shape,
            tuple(_unused(f"{s}_dot", taken) for s in v.symbols),
            f"direction in which {v.title} varies",
            v.default,
            v.unit,
        )
        for v in chosen
    )
    graph = program.graph
    seeds = {
        i: graph.symbol(s)
        for v, port in zip(chosen, directions, strict=True)
        for i, s in zip(v.nodes, port.symbols, strict=True)
    }
    tangents = iter(forward(graph, program.roots, seeds))
    outputs = tuple(
        Output(
            f"{o.name}_dot",
            o.shape,
            tuple(next(tangents) for _ in o.lits),
            f"derivative of {o.name} in this direction",
            o.unit,
        )
        for o in program.outputs
    )
    return replace(program, inputs=(*program.inputs, *directions), outputs=outputs)


def _jacobian(program: Program, chosen: Sequence[Variable]) -> Program:
    nodes = [i for v in chosen for i in v.nodes]
    passes = len(nodes), len(program.roots)
    modes = [jacobian]
    if max(passes) <= SIMILAR * min(passes):
        modes = [forward_jacobian, reverse_jacobian]
    candidates = [_with_blocks(program, chosen, mode(program.graph, program.roots, nodes)) for mode in modes]
    return min(candidates, key=lambda candidate: count(candidate).total)


def _with_blocks(program: Program, chosen: Sequence[Variable], rows: Sequence[Sequence[int]]) -> Program:
    """Return the program with a Jacobian as outputs, one per output and variable.

    Args:
        rows: the rows of the Jacobian of all outputs with respect to all variables.
    """
    outputs = []
    top = 0
    for o in program.outputs:
        left = 0
        for v in chosen:
            block = [row[left : left + len(v.nodes)] for row in rows[top : top + len(o.lits)]]
            lits = tuple(lit for row in block for lit in row)
            title = f"derivatives of {o.name} with respect to {v.title}"
            outputs.append(Output(f"d{o.name}_d{v.name}", (*o.shape, *v.shape), lits, title))
            left += len(v.nodes)
        top += len(o.lits)
    return replace(program, outputs=tuple(outputs))


def _hessian(program: Program, chosen: Sequence[Variable]) -> Program:
    weights, sweep = _swept(program, chosen)
    nodes = [i for v in chosen for i in v.nodes]
    gradient = [sweep.of(i) for i in nodes]
    n = len(nodes)
    matrix = [[ZERO] * n for _ in nodes]
    for k, node in enumerate(nodes):  # the matrix is symmetric: only one triangle is differentiated
        for j, lit in enumerate(forward(program.graph, gradient[: k + 1], {node: ONE})):
            matrix[j][k] = matrix[k][j] = lit
    title = f"second derivatives of the weighted outputs with respect to {', '.join(v.title for v in chosen)}"
    output = Output("H", (n, n), tuple(lit for row in matrix for lit in row), title)
    return _with_names(replace(program, inputs=(*program.inputs, *weights), outputs=(output,)), sweep)


KINDS: dict[str, Callable[[Program, Sequence[Variable]], Program]] = {
    "vjp": _vjp,
    "jvp": _jvp,
    "jacobian": _jacobian,
    "hessian": _hessian,
}
TITLES = {
    "vjp": "vector-Jacobian product",
    "jvp": "Jacobian-vector product",
    "jacobian": "Jacobian matrices",
    "hessian": "Hessian matrix of the weighted outputs",
}


# -- parts of these


def _swept(program: Program, chosen: Sequence[Variable]) -> tuple[tuple[Input, ...], Sweep]:
    """Return the inputs `<output>_bar` (weights of the outputs) and the adjoints of the weighted sum of the outputs."""
    taken = _symbols(program)
    weights = tuple(
        Input(
            f"{o.name}_bar",
            o.shape,
            tuple(_unused(f"{o.name}_bar{index}", taken) for index in _indices(o.shape)),
            f"weights of {o.name}",
        )
        for o in program.outputs
    )
    graph = program.graph
    symbols = [graph.symbol(s) for port in weights for s in port.symbols]
    return weights, Sweep(graph, program.roots, symbols, [i for v in chosen for i in v.nodes])


def _with_names(program: Program, sweep: Sweep) -> Program:
    """Return the program with names for the adjoints of its named variables: N32_bar is the adjoint of N32."""
    graph, names, sections = program.graph, dict(program.names), dict(program.sections)
    taken = _symbols(program)
    for i, (name, sign) in program.names.items():
        lit = graph.signed(sweep.adjoint(i), sign)
        if graph.op[lit >> 1] >= ops.ADD and lit >> 1 not in names:
            unique = _unused(f"{name}_bar", taken)
            names[lit >> 1] = (unique, lit & 1)
            if name in sections:
                sections[unique] = f"{sections[name]}, adjoints"
    return replace(program, names=names, sections=sections)


def _indices(shape: Shape) -> list[str]:
    """Return the suffixes of the entries of an array by rows: 1, 2 ... for a vector, _11, _12 ... for a matrix."""
    if len(shape) < 2:
        return [""] if not shape else [str(k) for k in range(1, shape[0] + 1)]
    between = "_" if max(shape) > 9 else ""
    tails = [""]
    for axis, length in enumerate(shape):
        lead = "_" if axis == 0 else between
        tails = [f"{tail}{lead}{k}" for tail in tails for k in range(1, length + 1)]
    return tails


def _symbols(program: Program) -> set[str]:
    """Return the names of all input entries, parameters and intermediate variables."""
    entries = {s for port in program.inputs for s in port.symbols}
    return entries | set(program.parameters) | {name for name, _ in program.names.values()}


def _unused(name: str, taken: set[str]) -> str:
    """Return the name, with a number appended if it is in `taken`, and add it to `taken`."""
    unique, k = name, 2
    while unique in taken:
        unique, k = f"{name}_{k}", k + 1
    taken.add(unique)
    return unique
