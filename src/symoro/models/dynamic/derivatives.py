"""`inverse-dynamics-derivatives` and `direct-dynamics-derivatives`: what control and optimisation linearise.

    dtau/dq, dtau/dqd by differentiation of the Newton-Euler program, dtau/dqdd = A
    dqdd/dq = -A^-1 dtau/dq,   dqdd/dqd = -A^-1 dtau/dqd,   dqdd/dtau = A^-1      at the qdd that tau causes

Where loops close, the posture moves with the active joints qa, dq = G dqa, and nothing is varied but along that way:

    dtau/dqa = (dtau/dq) G,   with qda and qdda held; G, Gdot qda and tau depend on q themselves

The derivatives of what is written for closed postures alone are right on that way, and on no other.

Coulomb friction is taken as constant between changes of sign. What the robot fixes (QP, QDP, GAM) is no variable: its
column is zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from symoro.expr import ops
from symoro.expr.derivatives import forward
from symoro.expr.linalg import Matrix, identity, transpose
from symoro.expr.scalar import Expr, Scalar, wrap
from symoro.expr.substitute import substitute
from symoro.models.catalogue import form, model
from symoro.models.coordinates.couplings import Coordinates, own_entries, without_fixed
from symoro.models.coordinates.joint_motion import joint_motion
from symoro.models.dynamic.composite import coupled, solve, tree_inertia
from symoro.models.dynamic.formulation import quick
from symoro.models.dynamic.setting import (
    OPEN_APPLIES_TO,
    RIGID_OPEN_APPLIES_TO,
    fixed_tree,
    rigid_fixed_tree,
)
from symoro.models.dynamic.torques import Torques
from symoro.models.ports import QD, QDA, QDD, QDDA, TAU, TAU_ACTIVE, Q
from symoro.models.references import NEWTON_EULER_2010, SYMORO_1997
from symoro.program.builder import Builder
from symoro.program.program import Port, Program
from symoro.robot.description import BaseKind, Robot

BY = "derivatives with respect to"
MOVED = f"{BY} positions of the active joints, the passive ones moving with them"
INVERSE = (
    Port("dtau_dq", "n,n", f"{BY} positions"),
    Port("dtau_dqd", "n,n", f"{BY} velocities"),
    Port("dtau_dqdd", "n,n", f"{BY} accelerations: the inertia matrix"),
)
INVERSE_OF_LOOPS = (
    Port("dtau_dqa", "na,na", MOVED),
    Port("dtau_dqda", "na,na", f"{BY} velocities of the active joints"),
    Port("dtau_dqdda", "na,na", f"{BY} accelerations of the active joints: the inertia matrix"),
)
DIRECT = (
    Port("dqdd_dq", "n,n", f"{BY} positions"),
    Port("dqdd_dqd", "n,n", f"{BY} velocities"),
    Port("dqdd_dtau", "n,n", f"{BY} torques: the inverse of the inertia matrix"),
)
DIRECT_OF_LOOPS = (
    Port("dqdda_dqa", "na,na", MOVED),
    Port("dqdda_dqda", "na,na", f"{BY} velocities of the active joints"),
    Port("dqdda_dtau", "na,na", f"{BY} torques: the inverse of the inertia matrix"),
)


def closes_loops(robot: Robot, options: Mapping[str, Any]) -> bool:
    """Whether a robot on no floating base has loops."""
    return bool(robot.B) and robot.base.kind != BaseKind.FLOATING


OF_LOOPS: Mapping[str, Any] = {
    "of": "closed loops",
    "takes": closes_loops,
    "applies": fixed_tree,
    "applies_to": "closed-loop robots on a base that is fixed or moves as prescribed",
    "example": "fivebar",
}


def slopes_along(builder: Builder, values: Sequence[Scalar], ways: Sequence[Mapping[str, Scalar]]) -> Matrix:
    """The derivatives of values, a column for each way on which symbols move, at the rates given."""
    graph = builder.graph
    lits = [wrap(graph, x).lit for x in values]
    columns = []
    for way in ways:
        seeds = {graph.symbol(name, ops.VARIABLE) >> 1: wrap(graph, x).lit for name, x in way.items()}
        columns.append([Expr(graph, x) for x in forward(graph, lits, seeds)])
    return transpose(columns)


def ways(joints: Coordinates) -> dict[str, list[dict[str, Scalar]]]:
    """How the inputs q and qd move with each coordinate, and with its velocity."""
    return {
        "q": [{f"q{j}": x for j, x in way.items()} for way in joints.tangents().values()],
        "qd": [{f"qd{j}": 1} for j in joints.own],
    }


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
        self.ways = ways(self.motion.joints)

    def at(self, qdd: Mapping[int, Scalar]) -> list[Scalar]:
        """Torques at an acceleration of the coordinates."""
        return self.torques.at(self.motion.qd, self.motion.accelerated(qdd))

    def inertia(self) -> Matrix:
        """A."""
        entries = tree_inertia(self.builder, self.robot, self.torques.locals_)
        return coupled(self.motion.joints, entries)

    def slopes(self, torques: Sequence[Scalar], name: str) -> Matrix:
        """d torques / d name."""
        return slopes_along(self.builder, torques, self.ways[name])

    def solved(self, right: Matrix) -> Matrix:
        """A^-1 right."""
        return solve(self.builder, self.robot, self.motion.joints, self.torques.locals_, right)


@model(
    "inverse-dynamics-derivatives",
    menu="Dynamic",
    title="partial derivatives of the torques",
    inputs=(Q, QD, QDD),
    outputs=INVERSE,
    reference=NEWTON_EULER_2010.at("section 3.2, eq. (18) to (31), differentiated"),
    aliases=("idm-derivatives",),
    applies=rigid_fixed_tree,
    applies_to=RIGID_OPEN_APPLIES_TO,
    equations=r"\partial \Gamma / \partial q, \quad \partial \Gamma / \partial \dot q, \quad "
    r"\partial \Gamma / \partial \ddot q = A",
)
@form(
    "inverse-dynamics-derivatives",
    **OF_LOOPS,
    inputs=(Q, QDA, QDDA),
    outputs=INVERSE_OF_LOOPS,
    reference=SYMORO_1997.at("section 5.2, eq. (22), differentiated"),
    equations=r"\partial \Gamma / \partial q_a = (\partial \Gamma / \partial q)\,G, \quad "
    r"\partial \Gamma / \partial \dot q_a, \quad \partial \Gamma / \partial \ddot q_a = G^T A\,G",
)
def inverse_dynamics_derivatives(robot: Robot) -> Program:
    """Derivatives of the inverse dynamic model."""
    builder = Builder(f"{robot.name}_inverse_dynamics_derivatives")
    torques = _Torques(builder, robot)
    tau = torques.at(own_entries(builder, robot, "qdd"))
    by_acceleration = without_fixed(robot, "qdd", torques.inertia())
    found = (torques.slopes(tau, "q"), torques.slopes(tau, "qd"), by_acceleration)
    for port, matrix in zip(INVERSE_OF_LOOPS if robot.B else INVERSE, found, strict=True):
        builder.output(port, matrix)
    return builder.program()


@model(
    "direct-dynamics-derivatives",
    menu="Dynamic",
    title="partial derivatives of the accelerations",
    inputs=(Q, QD, TAU),
    outputs=DIRECT,
    reference=NEWTON_EULER_2010.at("section 3.1, eq. (7), (8), differentiated"),
    aliases=("ddm-derivatives",),
    applies=fixed_tree,
    applies_to=OPEN_APPLIES_TO,
    equations=r"\partial \ddot q / \partial q = -A^{-1}\,\partial\Gamma/\partial q, \quad "
    r"\partial \ddot q / \partial \dot q = -A^{-1}\,\partial\Gamma/\partial\dot q, \quad "
    r"\partial \ddot q / \partial \Gamma = A^{-1}",
)
@form(
    "direct-dynamics-derivatives",
    **OF_LOOPS,
    inputs=(Q, QDA, TAU_ACTIVE),
    outputs=DIRECT_OF_LOOPS,
    reference=SYMORO_1997.at("section 5.3, eq. (23) to (25), differentiated"),
    equations=r"\partial \ddot q_a / \partial q_a = -A^{-1} (\partial \Gamma / \partial q)\,G, \quad "
    r"\partial \ddot q_a / \partial \dot q_a = -A^{-1}\,\partial\Gamma/\partial\dot q_a, \quad "
    r"\partial \ddot q_a / \partial \Gamma = A^{-1}",
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
    by_torque = without_fixed(robot, "tau", [row[2 * n :] for row in solved])
    parts = ([row[:n] for row in solved], [row[n : 2 * n] for row in solved], by_torque)
    for port, matrix in zip(DIRECT_OF_LOOPS if robot.B else DIRECT, parts, strict=True):
        builder.output(port, matrix)
    return builder.program()


def _at_acceleration(torques: _Torques, qdd: Sequence[Scalar]) -> Matrix:
    """-(dtau/dq, dtau/dqd) at given accelerations, which are held constant while differentiating."""
    builder, own = torques.builder, torques.motion.joints.own
    names = [f"qdd{j}" for j in own]
    motion = torques.at(dict(zip(own, held(builder, names), strict=True)))
    rows = zip(torques.slopes(motion, "q"), torques.slopes(motion, "qd"), strict=True)
    return released(builder, [[-x for x in (*a, *b)] for a, b in rows], names, qdd)
