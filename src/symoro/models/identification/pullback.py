"""Gradient of a function of the regressor: derivatives of sum Y_ij W_ij(q, qd, qdd) with respect to the motion.

If Y is the derivative of a criterion of W (its condition number, the determinant of W'W) with respect to W, the outputs
gq, gqd, gqdd are the derivatives of that criterion with respect to the motion, by one pass of reverse differentiation
at the cost of a few regressors.
"""

from __future__ import annotations

from symoro.expr import ops
from symoro.expr.derivatives import reverse
from symoro.expr.scalar import Expr, wrap
from symoro.models.coordinates.layout import Layout
from symoro.models.dynamic.formulation import quick
from symoro.models.dynamic.system import system
from symoro.models.identification.column import unloaded
from symoro.models.identification.columns import columns
from symoro.models.identification.dynamic_regressor import ALL, formulations, regressor, rows
from symoro.program.pipeline import optimise
from symoro.program.program import Port, Program
from symoro.robot.coordinates import independent
from symoro.robot.description import Robot

Y = Port("Y", "n,P", "derivative of the criterion with respect to the regressor")
SLOPES = (
    ("q", Port("gq", "n", "derivative of the criterion with respect to the positions")),
    ("qd", Port("gqd", "n", "derivative of the criterion with respect to the velocities")),
    ("qdd", Port("gqdd", "n", "derivative of the criterion with respect to the accelerations")),
)


def regressor_pullback(robot: Robot, parameters: str = "base", friction: str = "all") -> Program:
    """Return a program that computes the gradients of sum Y_ij W_ij with respect to q, qd and qdd.

    W is the regressor of the model `dynamic-identification` with the same options; the weights Y are an input.
    """
    chosen = columns(robot, parameters, friction)
    s = system("regressor_pullback", Layout(unloaded(robot)), quick(robot), ALL)
    builder = s.builder
    _ = s.tree.gravity
    matrix = rows(s, regressor(s, formulations(robot)[0]), chosen)
    weights = builder.input(Y, (len(matrix), len(chosen)))
    graph = builder.graph
    names = [(f"{name}{j}", port) for name, port in SLOPES for j in independent(robot)]
    adjoints = reverse(
        graph,
        [wrap(graph, x).lit for row in matrix for x in row],
        [weight.lit for weight in weights],
        [graph.symbol(name, ops.VARIABLE) >> 1 for name, _ in names],
    )
    for _, port in SLOPES:
        builder.output(
            port, [Expr(graph, x) for x, (_, own) in zip(adjoints, names, strict=True) if own is port]
        )
    return optimise(builder.program())
