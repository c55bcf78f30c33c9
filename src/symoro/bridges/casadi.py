"""CasADi functions of programs: an SX expression, or the compiled C code with its Jacobian.

Ports keep their names and order. A scalar is a 1 x 1 matrix, a vector is a column, a matrix is a matrix, and an array
with more axes is a matrix with one row per index of the first axis, in which the other axes follow each other by rows.

The C code follows CasADi's interface for external functions: NAME, NAME_n_in, NAME_sparsity_in ... and the same for
the derivatives jac_NAME. CasADi stores matrices by columns; the entries are permuted in the program, so that the C
functions read and write the arrays of CasADi directly.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING, Any

from symoro.emit.c import call_sources
from symoro.errors import MissingDependencyError, NotApplicableError
from symoro.expr import ops
from symoro.expr.derivatives import is_undefined
from symoro.expr.evaluate import evaluate
from symoro.expr.graph import ZERO, Call
from symoro.expr.kernels import KERNELS
from symoro.program.bind import bind
from symoro.program.count import count
from symoro.program.derivative import derivative
from symoro.program.program import Input, Output, Program, Shape
from symoro.runtime.compiler import library
from symoro.runtime.function import parameter_values

if TYPE_CHECKING:
    import casadi

KINDS = ("sx", "external")
MOST_OPERATIONS = 20_000  # of a Jacobian or second derivative; a compiler takes about 1 ms per operation
HINT = "pip install 'symoro[casadi]'"


def load_casadi() -> Any:
    """Return the module casadi.

    Raises:
        MissingDependencyError: it is not installed.
    """
    try:
        import casadi
    except ImportError:
        raise MissingDependencyError("the package casadi is not installed", hint=HINT) from None
    return casadi


def valid_name(name: str) -> str:
    """Return a name that CasADi accepts for a function: letters, digits and single underscores."""
    text = re.sub(r"_+", "_", re.sub(r"\W", "_", name, flags=re.ASCII)).strip("_")
    return text if text[:1].isalpha() else f"f_{text}"


def matrix_shape(shape: Shape) -> tuple[int, int]:
    """Return the rows and columns of an array in CasADi."""
    return (shape[0] if shape else 1), prod(shape[1:])


# -- SX


def sx_function(program: Program, values: Mapping[str, float]) -> casadi.Function:
    """Return the program as a CasADi function of SX expressions.

    Args:
        values: a number for each parameter.

    Raises:
        NotApplicableError: the program calls a kernel that has no SX expression.
    """
    ca = load_casadi()
    bound = bind(program, parameter_values(program, values))
    graph = bound.graph
    inputs: list[casadi.SX] = []
    symbols: dict[str, casadi.SX] = {}
    for port in bound.inputs:
        matrix = ca.SX.sym(port.name, *matrix_shape(port.shape))
        inputs.append(matrix)
        columns = matrix_shape(port.shape)[1]
        symbols |= {s: matrix[k // columns, k % columns] for k, s in enumerate(port.symbols)}
    constants = [i << 1 for i in bound.nodes if graph.cls[i] != ops.VARIABLE]
    results: dict[int, Any] = {}
    evaluate(graph, constants, {}, results=results)
    rules, called = _rules(ca), {}

    def get(lit: int) -> Any:
        value = results[lit >> 1]
        return -value if lit & 1 else value

    for i in bound.nodes:
        op, args = graph.op[i], graph.args[i]
        if i in results:
            continue
        if op == ops.SYMBOL:
            results[i] = symbols[args[0]]
        elif op == ops.KERNEL:
            index, k = args
            if index not in called:
                called[index] = _kernel(ca, program, graph.calls[index], get)
            results[i] = called[index][k]
        elif is_undefined(graph, i):  # CasADi would simplify 0 / 0 to a number
            results[i] = ca.SX.nan()
        else:
            results[i] = rules[op](*[get(lit) for lit in args])
    outputs = [_matrix(ca, [get(lit) for lit in port.lits], port.shape) for port in bound.outputs]
    names = [port.name for port in bound.inputs], [port.name for port in bound.outputs]
    return ca.Function(valid_name(program.name), inputs, outputs, *names)


def _rules(ca: Any) -> dict[int, Callable[..., Any]]:
    """Return CasADi's function for each operation."""
    return {
        ops.ADD: lambda a, b: a + b,
        ops.SUB: lambda a, b: a - b,
        ops.MUL: lambda a, b: a * b,
        ops.DIV: lambda a, b: a / b,
        ops.SQRT: ca.sqrt,
        ops.SIN: ca.sin,
        ops.COS: ca.cos,
        ops.TAN: ca.tan,
        ops.ASIN: ca.asin,
        ops.ACOS: ca.acos,
        ops.ATAN2: ca.atan2,
        ops.EXP: ca.exp,
        ops.ABS: ca.fabs,
        ops.SIGN: ca.sign,
        ops.MIN: ca.fmin,
        ops.MAX: ca.fmax,
        ops.LESS: lambda a, b: a < b,
        ops.LESS_EQUAL: lambda a, b: a <= b,
        ops.EQUAL: lambda a, b: a == b,
        ops.SELECT: ca.if_else,
    }


def _kernel(ca: Any, program: Program, call: Call, get: Callable[[int], Any]) -> list[Any]:
    """Return the results of a kernel call as SX expressions."""
    if call.kernel != "solve":
        kernel = KERNELS[call.kernel]
        raise NotApplicableError(
            f"{program.name} cannot be written as an SX expression: it calls the kernel '{kernel.name}' "
            f"({kernel.title})",
            hint="use kind='external', which calls the compiled code",
        )
    matrix, right = ([get(lit) for lit in array] for array in call.inputs)
    solution = ca.solve(_matrix(ca, matrix, (call.size, call.size)), ca.vertcat(*right))
    return [solution[k] for k in range(call.size)]


def _matrix(ca: Any, entries: Sequence[Any], shape: Shape) -> Any:
    """Return entries by rows as a dense matrix."""
    rows, columns = matrix_shape(shape)
    return ca.densify(ca.reshape(ca.vertcat(*[ca.SX(x) for x in entries]), columns, rows).T)


# -- external: C code for CasADi


@dataclass(frozen=True)
class Pattern:
    """Sparsity of a matrix: its structural nonzeros by columns, as (row, column)."""

    rows: int
    columns: int
    nonzeros: tuple[tuple[int, int], ...]

    def compressed(self) -> list[int]:
        """Return CasADi's compressed column storage: rows, columns, column offsets, row indices."""
        if len(self.nonzeros) == self.rows * self.columns:
            return [self.rows, self.columns, 1]
        counts = [0] * (self.columns + 1)
        for _, column in self.nonzeros:
            counts[column + 1] += 1
        for column in range(self.columns):
            counts[column + 1] += counts[column]
        return [self.rows, self.columns, *counts, *(row for row, _ in self.nonzeros)]


Ports = tuple[tuple[str, Pattern], ...]


@dataclass(frozen=True)
class External:
    """Function of the compiled library that CasADi calls as an external function.

    Attributes:
        name: name of the function in CasADi.
        program: program that computes the function. Each of its arrays is a vector of the structural nonzeros of one
            input or output, column after column; there is no array for an input or output without nonzeros.
        inputs, outputs: name and sparsity pattern of each input and output in CasADi.
    """

    name: str
    program: Program
    inputs: Ports
    outputs: Ports


def external_function(
    program: Program, values: Mapping[str, float], jacobian: Callable[[], Program]
) -> casadi.Function:
    """Return a CasADi function that calls the compiled C code of a program.

    Its derivatives are compiled C code too: products with vectors, their derivatives, and the Jacobian. A program with
    kernels that have no derivative rule has no derivatives.

    Args:
        values: a number for each parameter.
        jacobian: returns the program of the Jacobian with respect to all inputs.

    Raises:
        MissingDependencyError: casadi is not installed, or there is no C compiler.
    """
    ca = load_casadi()
    bound = bind(program, parameter_values(program, values))
    name = valid_name(program.name)
    x, y = _dense_ports(bound.inputs), _dense_ports(bound.outputs)

    def bound_jacobian() -> Program:
        slopes = jacobian()
        return bind(slopes, parameter_values(slopes, values))

    functions = [External(name, _by_columns(bound), x, y)]
    with suppress(NotApplicableError):  # a kernel without derivative rules
        functions += _derivatives(name, bound, x, y, bound_jacobian)
    files: dict[str, str] = {}
    for function in functions:
        files |= call_sources(function.program, f"{function.name}_call").files
    files[f"{name}_casadi.c"] = "\n".join([PRELUDE, *(_wrapper(f) for f in functions)])
    return ca.external(name, library(files)._name)


def _derivatives(
    name: str, program: Program, x: Ports, y: Ports, jacobian: Callable[[], Program]
) -> list[External]:
    """Return the derivatives that CasADi uses, with its names and the order of its arguments.

    CasADi passes the outputs of the function (out_y) too; they are not used.

    Args:
        x, y: the ports of the function.
    """
    jvp, vjp = derivative(program, "jvp"), derivative(program, "vjp")
    given = (*x, *_unused("out", y))
    adjoint_in, adjoint_out = (*given, *_prefixed("adj", y)), _prefixed("adj", x)
    functions = [
        External(f"fwd1_{name}", _by_columns(jvp), (*given, *_prefixed("fwd", x)), _prefixed("fwd", y)),
        External(f"adj1_{name}", _by_columns(vjp), adjoint_in, adjoint_out),
    ]
    second = derivative(vjp, "jvp")
    if count(second).total <= MOST_OPERATIONS:
        inputs = (*adjoint_in, *_unused("out", adjoint_out), *_prefixed("fwd", adjoint_in))
        outputs = _prefixed("fwd", adjoint_out)
        functions.append(External(f"fwd1_adj1_{name}", _by_columns(second), inputs, outputs))
    passes = min(sum(len(p.nonzeros) for _, p in x), sum(len(p.nonzeros) for _, p in y))
    if (
        passes * count(jvp).total <= 2 * MOST_OPERATIONS
    ):  # about half of the operations of the passes are common
        functions.append(_jacobian(name, program, jacobian(), given))
    return functions


def _jacobian(name: str, program: Program, slopes: Program, inputs: Ports) -> External:
    """Return the function of the Jacobian, with one sparse matrix per output and input.

    Args:
        slopes: the program of the Jacobian.
    """
    blocks = iter(slopes.outputs)
    outputs, flat = [], []
    for y in program.outputs:
        for x in program.inputs:
            block = next(blocks)
            rows, columns = _permutation(y.shape), _permutation(x.shape)
            by_columns = [block.lits[i * len(columns) + j] for j in columns for i in rows]
            nonzeros = [(k % len(rows), k // len(rows)) for k, lit in enumerate(by_columns) if lit != ZERO]
            outputs.append((f"jac_{y.name}_{x.name}", Pattern(len(rows), len(columns), tuple(nonzeros))))
            lits = tuple(lit for lit in by_columns if lit != ZERO)
            if lits:
                flat.append(replace(block, shape=(len(lits),), lits=lits))
    flat_inputs = tuple(_flat_input(port) for port in slopes.inputs)
    flat_program = replace(slopes, inputs=flat_inputs, outputs=tuple(flat))
    return External(f"jac_{name}", flat_program, inputs, tuple(outputs))


def _dense_ports(ports: Sequence[Input] | Sequence[Output]) -> Ports:
    shapes = [(port.name, matrix_shape(port.shape)) for port in ports]
    return tuple(
        (name, Pattern(rows, columns, tuple((i, j) for j in range(columns) for i in range(rows))))
        for name, (rows, columns) in shapes
    )


def _prefixed(prefix: str, ports: Ports) -> Ports:
    return tuple((f"{prefix}_{name}", pattern) for name, pattern in ports)


def _unused(prefix: str, ports: Ports) -> Ports:
    """Return ports that CasADi passes without any number."""
    return tuple((f"{prefix}_{name}", replace(pattern, nonzeros=())) for name, pattern in ports)


def _by_columns(program: Program) -> Program:
    """Return the program with vectors as arrays, which contain the entries in the order of CasADi."""
    outputs = tuple(
        replace(port, shape=(len(port.lits),), lits=tuple(port.lits[k] for k in _permutation(port.shape)))
        for port in program.outputs
    )
    return replace(program, inputs=tuple(_flat_input(port) for port in program.inputs), outputs=outputs)


def _flat_input(port: Input) -> Input:
    symbols = tuple(port.symbols[k] for k in _permutation(port.shape))
    return replace(port, shape=(len(symbols),), symbols=symbols, default=None)


def _permutation(shape: Shape) -> list[int]:
    """Return the positions by rows of the entries of an array, in the order of CasADi (by columns)."""
    rows, columns = matrix_shape(shape)
    return [i * columns + j for j in range(columns) for i in range(rows)]


PRELUDE = """\
/* Interface of CasADi for external functions. */
#include <stddef.h>

typedef long long int casadi_int;

#if defined(_WIN32)
#define SYMBOL_EXPORT __declspec(dllexport)
#else
#define SYMBOL_EXPORT __attribute__((visibility("default")))
#endif
"""


def _wrapper(function: External) -> str:
    """Return the C functions by which CasADi calls one function of the library."""
    name = function.name
    used = [at for at, (_, pattern) in enumerate(function.inputs) if pattern.nonzeros]
    written = [at for at, (_, pattern) in enumerate(function.outputs) if pattern.nonzeros]
    sizes = [len(function.inputs[at][1].nonzeros) for at in used]
    sizes += [len(function.outputs[at][1].nonzeros) for at in written]
    declared = ", ".join(["const double *"] * len(used) + ["double *"] * len(written))
    arguments = [*(f"arg[{at}]" for at in used), *(f"res[{at}]" for at in written)]
    body = [f"void {name}_call({declared});", ""]
    for kind, ports in (("in", function.inputs), ("out", function.outputs)):
        names = ", ".join(f'"{port}"' for port, _ in ports)
        body += [
            f"SYMBOL_EXPORT casadi_int {name}_n_{kind}(void) {{ return {len(ports)}; }}",
            f"SYMBOL_EXPORT const char *{name}_name_{kind}(casadi_int i)",
            "{",
            f"    static const char *const names[] = {{{names}}};",
            f"    return i >= 0 && i < {len(ports)} ? names[i] : NULL;",
            "}",
            f"SYMBOL_EXPORT const casadi_int *{name}_sparsity_{kind}(casadi_int i)",
            "{",
        ]
        for at, (_, pattern) in enumerate(ports):
            numbers = ", ".join(map(str, pattern.compressed()))
            body.append(f"    static const casadi_int s{at}[] = {{{numbers}}};")
        listed = ", ".join(f"s{at}" for at in range(len(ports)))
        body += [
            f"    static const casadi_int *const all[] = {{{listed}}};",
            f"    return i >= 0 && i < {len(ports)} ? all[i] : NULL;",
            "}",
        ]
    body += [
        f"SYMBOL_EXPORT int {name}_work(casadi_int *sz_arg, casadi_int *sz_res, casadi_int *sz_iw, casadi_int *sz_w)",
        "{",
        f"    *sz_arg = {len(function.inputs)};",
        f"    *sz_res = {len(function.outputs)};",
        "    *sz_iw = 0;",
        f"    *sz_w = {sum(sizes)};",
        "    return 0;",
        "}",
        f"SYMBOL_EXPORT int {name}(const double **arg, double **res, casadi_int *iw, double *w, int mem)",
        "{",
        "    casadi_int i;",
        "    (void)iw, (void)mem;",
    ]
    for argument, length in zip(
        arguments, sizes, strict=True
    ):  # a missing input is zero, a missing output is not read
        clear = f" for (i = 0; i < {length}; ++i) w[i] = 0;" if argument.startswith("arg") else ""
        body.append(f"    if (!{argument}) {{{clear} {argument} = w; w += {length}; }}")
    body += [f"    {name}_call({', '.join(arguments)});", "    return 0;", "}", ""]
    return "\n".join(body)
