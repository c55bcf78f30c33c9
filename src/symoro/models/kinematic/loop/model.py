"""`loop-kinematics`: velocity equations of closed loops, and the motion of the passive joints.

    [ Wa  Wp  0  ] [ qda ]              [ Wa  Wp  0  ] [ qdda ]   [ Psi ]
    [ Wac Wpc Wc ] [ qdp ] = 0,         [ Wac Wpc Wc ] [ qddp ] + [ Phi ] = 0         (1997 paper, eq. 11 to 14)
                   [ qdc ]                             [ qddc ]

    qdp = W qda,   W = -Wp^-1 Wa,       qddp = W qdda + b,   b = -Wp^-1 Psi

The indices a, p and c denote the active, passive and cut joints. Wp has one row and one column per passive joint of the
tree, in frame order; the rows of a parallelogram are its linear relations. The input qd contains the velocities of all
joints of the tree, which must satisfy the loops. The module `choice` describes the selection of the rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from symoro.expr.linalg import Matrix, Vector
from symoro.expr.scalar import Scalar
from symoro.models.catalogue import model
from symoro.models.coordinates.couplings import fixed_value
from symoro.models.coordinates.joint_motion import coordinates
from symoro.models.geometric.loop.mechanism import reason_not_closed
from symoro.models.ports import QD, Q
from symoro.models.references import SYMORO_1997
from symoro.program.builder import Builder
from symoro.program.program import Port, Program
from symoro.robot.coordinates import Relation, independent
from symoro.robot.description import Robot
from symoro.robot.topology import cut_joints, loops

if TYPE_CHECKING:
    from symoro.models.kinematic.loop.choice import LoopChoice, LoopRow
    from symoro.models.kinematic.loop.coordinates import LoopCoordinates

WA = Port(
    "Wa", "p,na", "equations without cut joints: columns of the active joints; p passive joints of the tree"
)
WP = Port("Wp", "p,p", "equations without cut joints: columns of the passive joints")
WAC = Port(
    "Wac", "c,na", "equations with one cut joint each: columns of the active joints; c moving cut joints"
)
WPC = Port("Wpc", "c,p", "equations with one cut joint each: columns of the passive joints")
WC = Port("Wc", "c,c", "equations with one cut joint each: columns of the cut joints")
PSI = Port("Psi", "p", "Wa qdda + Wp qddp + Psi = 0")
PHI = Port("Phi", "c", "Wac qdda + Wpc qddp + Wc qddc + Phi = 0")
W = Port("W", "p,na", "passive joints from the active ones: qdp = W qda")
B = Port("b", "p", "qddp = W qdda + b")


def reason_not_driven(robot: Robot) -> str | None:
    """Return the reason why the robot has no velocity equations of loops; None if it has them.

    Only the structure of the robot is checked, not its geometry.
    """
    return None if robot.B and loops(robot) else reason_not_closed(robot)


@model(
    "loop-kinematics",
    menu="Kinematic",
    title="velocity equations of closed loops, and motion of the passive joints",
    inputs=(Q, QD),
    outputs=(WA, WP, WAC, WPC, WC, PSI, PHI, W, B),
    reference=SYMORO_1997.at("section 4.5, eq. (11) to (14)"),
    aliases=("kinematic-constraints", "loop-velocities"),
    applies=reason_not_driven,
    applies_to="robots with closed loops",
    equations=r"\begin{bmatrix} W_a & W_p & 0 \\ W_{ac} & W_{pc} & W_c \end{bmatrix} "
    r"\begin{bmatrix} \dot q_a \\ \dot q_p \\ \dot q_c \end{bmatrix} = 0, \qquad "
    r"\dot q_p = W \dot q_a, \quad \ddot q_p = W \ddot q_a + b",
    example="fourbar",
)
def loop_kinematics(robot: Robot) -> Program:
    """Derive the velocity equations of the closed loops, and the motion of the passive joints."""
    # Imported here because they load NumPy, which the catalogue does not require.
    from symoro.models.kinematic.loop.coordinates import LoopCoordinates

    builder = Builder(f"{robot.name}_loop_kinematics")
    joints = coordinates(builder, robot)
    assert isinstance(joints, LoopCoordinates)
    own = independent(robot)
    given = builder.input(QD, (len(own),), [f"qd{j}" for j in own])
    qd = {j: fixed_value(builder, robot, "qd", j) or x for j, x in zip(own, given, strict=True)}
    rates = joints.tree.rates(qd)
    matrices = _stacked(joints, rates)
    for port in (WA, WP, WAC, WPC, WC, PSI, PHI, W, B):
        if matrices[port.name]:  # there may be no moving cut joint
            builder.output(port, matrices[port.name])
    return replace(builder.program(), choices=tuple(words(joints.choice)))


def _stacked(joints: LoopCoordinates, rates: Mapping[int, Scalar]) -> dict[str, Matrix | Vector]:
    """Return the matrices and vectors of the velocity equations of the loops, by name.

    Args:
        joints: coordinates of the robot with closed loops.
        rates: velocities of the joints of the tree, which satisfy the loops.
    """
    robot, choice = joints.robot, joints.choice
    passive = [j for j in joints.tree.own if not robot.frame(j).mu]
    in_tree, at_cuts = (
        {j: law for j, law in choice.linear.relations.items() if (j > robot.NL) == cut}
        for cut in (False, True)
    )

    def velocity_rows(laws: Mapping[int, Relation], rows: Sequence[LoopRow]) -> list[Matrix]:
        """Return the columns of the active and of the passive joints: linear relations, then equations of loops."""
        lines: list[dict[int, Scalar]] = []
        for j, law in laws.items():
            ratios: dict[int, Scalar] = {i: -joints.builder.formula(ratio) for i, ratio in law.terms}
            lines.append({**ratios, j: 1})
        lines += [{i: joints.coefficient(row, i) for i in joints.linear.own} for row in rows]
        return [[[line.get(i, 0) for i in some] for line in lines] for some in (joints.own, passive)]

    wa, wp = velocity_rows(in_tree, choice.rows)
    wac, wpc = velocity_rows(at_cuts, choice.closing)
    cut_of_rows = [*at_cuts, *(choice.loops[row.loop].loop.left for row in choice.closing)]
    wc: Matrix = [[int(k == j) for j in cut_joints(robot)] for k in cut_of_rows]
    psi = joints.drift(rates, choice.rows) if joints.passive else []
    phi = joints.drift(rates, choice.closing) if choice.closing else []
    bias = joints.accelerations_at(dict.fromkeys(joints.own, 0), rates)
    g = dict(zip(joints.joints, joints.matrix(), strict=True))
    return {
        "Wa": wa,
        "Wp": wp,
        "Wac": wac,
        "Wpc": wpc,
        "Wc": wc,
        "Psi": [*[0] * len(in_tree), *psi],
        "Phi": [*[0] * len(at_cuts), *phi],
        "W": [g[j] for j in passive],
        "b": [bias[j] for j in passive],
    }


def words(choice: LoopChoice) -> list[str]:
    """Return sentences that describe the selected velocity equations of each loop."""
    lines = [f"joint {j} is a linear function of others, in a parallelogram" for j in choice.linear.relations]
    for k, one in enumerate(choice.loops):
        kept = [f"{row.kind}{'xyz'[row.axis]}" for row in choice.rows if row.loop == k]
        lines.append(
            f"loop {one.loop.left}-{one.loop.right}: {', '.join(kept) or 'no row'}; linear rows in the axes of "
            f"frame {one.linear}, angular rows in those of frame {one.angular}"
        )
    return lines
