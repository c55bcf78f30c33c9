"""Velocity equations of closed loops arranged as in the 1997 paper, eq. (12) to (14), including parallelograms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symoro.expr.linalg import Matrix, Vector
from symoro.expr.scalar import Scalar
from symoro.models.kinematic.loop.choice import LoopRow
from symoro.models.kinematic.loop.coordinates import LoopCoordinates
from symoro.robot.coordinates import Relation
from symoro.robot.topology import cut_joints


def stacked(joints: LoopCoordinates, rates: Mapping[int, Scalar]) -> dict[str, Matrix | Vector]:
    """Return the matrices and vectors of the velocity equations of the loops, by name.

    These are Wa, Wp, Wac, Wpc, Wc, W, Psi, Phi and b of eq. (12) to (14) in the 1997 paper; the indices a, p and c
    denote active, passive and cut joints.

    Args:
        joints: coordinates of the robot with closed loops.
        rates: velocities of the joints of the tree, which satisfy the loops.
    """
    made = _Stack(joints)
    wa, wp = made.velocity_rows(made.relations, joints.choice.rows)
    wac, wpc = made.velocity_rows(made.cut_relations, joints.choice.closing)
    cut_of_rows = [
        *made.cut_relations,
        *(joints.choice.loops[row.loop].loop.left for row in joints.choice.closing),
    ]
    wc: Matrix = [[int(k == j) for j in made.cut] for k in cut_of_rows]
    no_drift: list[Scalar] = [0] * len(made.relations)
    no_cut_drift: list[Scalar] = [0] * len(made.cut_relations)
    psi = joints.drift(rates, joints.choice.rows) if joints.passive else []
    phi = joints.drift(rates, joints.choice.closing) if joints.choice.closing else []
    bias = joints.accelerations_at(dict.fromkeys(joints.own, 0), rates)
    g = dict(zip(joints.joints, joints.matrix(), strict=True))
    return {
        "Wa": wa,
        "Wp": wp,
        "Wac": wac,
        "Wpc": wpc,
        "Wc": wc,
        "Psi": [*no_drift, *psi],
        "Phi": [*no_cut_drift, *phi],
        "W": [g[j] for j in made.passive],
        "b": [bias[j] for j in made.passive],
    }


class _Stack:
    """Assembly of the constraint matrices, with the linear relations of parallelograms as additional rows."""

    def __init__(self, joints: LoopCoordinates) -> None:
        self.joints = joints
        robot, laws = joints.robot, joints.choice.linear.relations
        self.passive = [j for j in joints.tree.own if not robot.frame(j).mu]
        self.cut = cut_joints(robot)
        self.relations = {j: law for j, law in laws.items() if j <= robot.NL}
        self.cut_relations = {j: law for j, law in laws.items() if j > robot.NL}

    def velocity_rows(self, laws: Mapping[int, Relation], rows: Sequence[LoopRow]) -> tuple[Matrix, Matrix]:
        """Return the coefficients of the active and of the passive joints in velocity equations, as two matrices.

        Args:
            laws: linear relations of the dependent joints of parallelograms, which give the first rows.
            rows: velocity equations of loops, which give the other rows.
        """
        active, passive = self.joints.own, self.passive
        lines: list[dict[int, Scalar]] = []
        for j, law in laws.items():
            ratios: dict[int, Scalar] = {i: -self.joints.builder.formula(ratio) for i, ratio in law.terms}
            lines.append({**ratios, j: 1})
        for row in rows:
            lines.append({i: self.joints.coefficient(row, i) for i in self.joints.linear.own})
        wa: Matrix = [[line.get(i, 0) for i in active] for line in lines]
        wp: Matrix = [[line.get(i, 0) for i in passive] for line in lines]
        return wa, wp
