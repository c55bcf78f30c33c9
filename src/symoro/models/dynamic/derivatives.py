"""`inverse-dynamics-derivatives` and `direct-dynamics-derivatives`: what control and optimisation linearise.

    dtau/dq, dtau/dqd by differentiation of the Newton-Euler program, dtau/dqdd = A
    dqdd/dq = -A^-1 dtau/dq,   dqdd/dqd = -A^-1 dtau/dqd,   dqdd/dtau = A^-1      at the qdd that tau causes

Coulomb friction is taken as constant between changes of sign. What the robot fixes (QP, QDP, GAM) is no variable: its
column is zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symoro.expr import ops
from symoro.expr.derivatives import forward
from symoro.expr.graph import ONE
from symoro.expr.linalg import Matrix, identity, transpose
from symoro.expr.scalar import Expr, Scalar, wrap
from symoro.expr.substitute import substitute
from symoro.models.catalogue import model
from symoro.models.coordinates import joint_motion, own_entries, without_fixed
from symoro.models.dynamic.composite import coupled, solve, tree_inertia
from symoro.models.dynamic.formulation import quick
from symoro.models.dynamic.setting import (
    OPEN_APPLIES_TO,
    RIGID_OPEN_APPLIES_TO,
    open_tree,
    rigid_open_tree,
)
from symoro.models.dynamic.torques import Torques
from symoro.models.ports import QD, QDD, TAU, Q
from symoro.models.references import NEWTON_EULER_2010
from symoro.program.builder import Builder
from symoro.program.program import Port, Program
from symoro.robot.coordinates import independent
from symoro.robot.description import Robot

DTAU_DQ = Port("dtau_dq", "n,n", "derivatives with respect to positions")
DTAU_DQD = Port("dtau_dqd", "n,n", "derivatives with respect to velocities")
DTAU_DQDD = Port("dtau_dqdd", "n,n", "derivatives with respect to accelerations: the inertia matrix")
DQDD_DQ = Port("dqdd_dq", "n,n", "derivatives with respect to positions")
DQDD_DQD = Port("dqdd_dqd", "n,n", "derivatives with respect to velocities")
DQDD_DTAU = Port("dqdd_dtau", "n,n", "derivatives with respect to torques: the inverse of the inertia matrix")


def slopes(builder: Builder, values: Sequence[Scalar], symbols: Sequence[str]) -> Matrix:
    """d values / d symbols, entries of inputs or symbols of their own."""
    graph = builder.graph
    lits = [wrap(graph, x).lit for x in values]
    columns = []
    for name in symbols:
        node = graph.symbol(name, ops.VARIABLE) >> 1
        columns.append([Expr(graph, x) for x in forward(graph, lits, {node: ONE})])
    return transpose(columns)


def held(builder: Builder, names: Sequence[str]) -> list[Scalar]:
    """Symbols for values that are held constant while differentiating: as expressions they could merge with others."""
    graph = builder.graph
    return [Expr(graph, graph.symbol(f"held {name}", ops.VARIABLE)) for name in names]


def released(builder: Builder, matrix: Matrix, names: Sequence[str], values: Sequence[Scalar]) -> Matrix:
    """The matrix with the values in place of the symbols."""
    graph = builder.graph
    at = {
        graph.symbol(f"held {name}", ops.VARIABLE) >> 1: wrap(graph, x).lit
        for name, x in zip(names, values, strict=True)
    }
    lits = [[wrap(graph, x).lit for x in row] for row in matrix]
    return [[Expr(graph, x) for x in substitute(graph, row, at)] for row in lits]


class _Torques:
    """Torques at the inputs q and qd, their slopes, and the solution of A x = b."""

    def __init__(self, builder: Builder, robot: Robot) -> None:
        self.builder, self.robot = builder, robot
        self.motion = joint_motion(builder, robot, "qd")
        self.torques = Torques(builder, robot, quick(robot), self.motion.joints)

    def at(self, qdd: Mapping[int, Scalar]) -> list[Scalar]:
        """Torques at an acceleration of the coordinates."""
        return self.torques.at(self.motion.qd, self.motion.accelerated(qdd))

    def inertia(self) -> Matrix:
        """A."""
        entries = tree_inertia(self.builder, self.robot, self.torques.locals_)
        return coupled(self.motion.joints, entries)

    def slopes(self, torques: Sequence[Scalar], name: str) -> Matrix:
        """d torques / d name."""
        return slopes(self.builder, torques, [f"{name}{j}" for j in independent(self.robot)])

    def solved(self, right: Matrix) -> Matrix:
        """A^-1 right."""
        return solve(self.builder, self.robot, self.motion.joints, self.torques.locals_, right)


@model(
    "inverse-dynamics-derivatives",
    menu="Dynamic",
    title="partial derivatives of the torques",
    inputs=(Q, QD, QDD),
    outputs=(
        DTAU_DQ,
        DTAU_DQD,
        DTAU_DQDD,
    ),
    reference=NEWTON_EULER_2010.at("section 3.2, eq. (18) to (31), differentiated"),
    aliases=("idm-derivatives",),
    applies=rigid_open_tree,
    applies_to=RIGID_OPEN_APPLIES_TO,
    equations=r"\partial \Gamma / \partial q, \quad \partial \Gamma / \partial \dot q, \quad "
    r"\partial \Gamma / \partial \ddot q = A",
)
def inverse_dynamics_derivatives(robot: Robot) -> Program:
    """Derivatives of the inverse dynamic model."""
    builder = Builder(f"{robot.name}_inverse_dynamics_derivatives")
    torques = _Torques(builder, robot)
    tau = torques.at(own_entries(builder, robot, "qdd"))
    builder.output(DTAU_DQ, torques.slopes(tau, "q"))
    builder.output(DTAU_DQD, torques.slopes(tau, "qd"))
    by_acceleration = without_fixed(robot, "qdd", torques.inertia())
    builder.output(DTAU_DQDD, by_acceleration)
    return builder.program()


@model(
    "direct-dynamics-derivatives",
    menu="Dynamic",
    title="partial derivatives of the accelerations",
    inputs=(Q, QD, TAU),
    outputs=(
        DQDD_DQ,
        DQDD_DQD,
        DQDD_DTAU,
    ),
    reference=NEWTON_EULER_2010.at("section 3.1, eq. (7), (8), differentiated"),
    aliases=("ddm-derivatives",),
    applies=open_tree,
    applies_to=OPEN_APPLIES_TO,
    equations=r"\partial \ddot q / \partial q = -A^{-1}\,\partial\Gamma/\partial q, \quad "
    r"\partial \ddot q / \partial \dot q = -A^{-1}\,\partial\Gamma/\partial\dot q, \quad "
    r"\partial \ddot q / \partial \Gamma = A^{-1}",
)
def direct_dynamics_derivatives(robot: Robot) -> Program:
    """Derivatives of the direct dynamic model."""
    builder = Builder(f"{robot.name}_direct_dynamics_derivatives")
    torques = _Torques(builder, robot)
    tau = own_entries(builder, robot, "tau")
    bias = torques.at(dict.fromkeys(tau, 0))
    found = torques.solved([[t - h] for t, h in zip(tau.values(), bias, strict=True)])
    right = _at_acceleration(torques, [row[0] for row in found])
    n = len(tau)
    solved = torques.solved([[*row, *unit] for row, unit in zip(right, identity(n), strict=True)])
    builder.output(DQDD_DQ, [row[:n] for row in solved])
    builder.output(DQDD_DQD, [row[n : 2 * n] for row in solved])
    by_torque = without_fixed(robot, "tau", [row[2 * n :] for row in solved])
    builder.output(DQDD_DTAU, by_torque)
    return builder.program()


def _at_acceleration(torques: _Torques, qdd: Sequence[Scalar]) -> Matrix:
    """-(dtau/dq, dtau/dqd) at given accelerations, which are held constant while differentiating."""
    builder, own = torques.builder, independent(torques.robot)
    names = [f"qdd{j}" for j in own]
    motion = torques.at(dict(zip(own, held(builder, names), strict=True)))
    rows = zip(torques.slopes(motion, "q"), torques.slopes(motion, "qd"), strict=True)
    return released(builder, [[-x for x in (*a, *b)] for a, b in rows], names, qdd)
