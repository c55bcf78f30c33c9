"""Independent coordinates of a robot with closed loops: its active joints, in a closed configuration.

    [ Wa  Wp  0  ] [ qda ]                                                        (1997 paper, eq. 12 to 14, 22)
    [ Wac Wpc Wc ] [ qdp ] = 0          qdp = -Wp^-1 Wa qda            qddp = -Wp^-1 (Wa qdda + Psi)
                   [ qdc ]              tau = tau_a - Wa' Wp^-T tau_p

The indices a, p and c denote active, passive and cut joints. Wp is factored once (`factors`). Velocities, accelerations
and torques are solutions of linear systems with Wp or its transpose. If only some of them are required, the matrix
W = -Wp^-1 Wa is not formed, and neither is G, the matrix of all joint velocities with respect to qda. Joints of
parallelograms and coupled joints depend on others by constant relations (`linear`) and are not unknowns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from symoro.expr.derivatives import forward
from symoro.expr.linalg import Matrix, Vector, add, scale
from symoro.expr.scalar import Expr, Scalar, absolute, less, select, sin, wrap
from symoro.models.coordinates.couplings import Coordinates, CoupledCoordinates, JointEntries
from symoro.models.joints import Trigonometry, is_zero
from symoro.models.kinematic.loop.choice import LoopChoice, LoopRow, loop_choice
from symoro.models.kinematic.loop.sides import LoopSides, Motion, loop_sides
from symoro.models.solvers import BlockFactors, SingularityTest, largest
from symoro.models.tolerances import OFF_BRANCH
from symoro.program.builder import Builder
from symoro.robot.coordinates import Into, drivers
from symoro.robot.description import JointType, Robot
from symoro.robot.topology import moving_joints


def loop_coordinates(
    builder: Builder, robot: Robot, tree: CoupledCoordinates, *, every_loop: bool = False
) -> LoopCoordinates:
    """Return the independent coordinates of a robot with closed loops.

    Args:
        tree: coordinates of the robot with cut loops.
        every_loop: whether velocity equations are also selected for parallelograms; reactions require them.

    Raises:
        NotApplicableError: the active joints do not determine the loops, or the loops do not close.
    """
    choice = loop_choice(robot, every_loop=every_loop)
    _void_off_branch(builder, robot, choice, tree.positions)
    return LoopCoordinates(builder, robot, choice, tree)


def _void_off_branch(builder: Builder, robot: Robot, choice: LoopChoice, q: JointEntries) -> None:
    """Make the outputs NaN in configurations in which a parallelogram is crossed (an antiparallelogram).

    Args:
        choice: velocity equations of the loops, with the linear relations of the parallelograms.
        q: joint positions, by joint number.
    """
    for j, law in choice.linear.relations.items():
        if j <= robot.NL and robot.frame(j).sigma == JointType.REVOLUTE:
            away = q[j] - builder.formula(law.offset)
            for i, ratio in law.terms:
                away = away - builder.formula(ratio) * q[i]
            half = absolute(sin(away * (builder.number(1) / 2)))
            builder.void_where(select(less(half, OFF_BRANCH), 0, 1))


class LoopCoordinates(Coordinates):
    """Independent coordinates of a robot with closed loops: the positions of its active joints.

    Attributes:
        choice: selected velocity equations.
        tree: coordinates of the robot with cut loops.
        linear: every joint of the tree as a linear function of the active joints and of the passive joints whose
            velocities are solved with Wp.
        sides: contributions of the joints to the velocity equations, on the two sides of each loop.
    """

    def __init__(self, builder: Builder, robot: Robot, choice: LoopChoice, tree: CoupledCoordinates) -> None:
        super().__init__(choice.active, tree.positions, tuple(moving_joints(robot)))
        self.builder, self.robot, self.choice, self.tree = builder, robot, choice, tree
        into: Into = builder.formula
        rows = {j: tuple(drivers(choice.linear.robot, j, into)) for j in self.joints}
        self.linear = CoupledCoordinates((*choice.active, *choice.passive), tree.positions, rows)

    @property
    def passive(self) -> tuple[int, ...]:
        """Numbers of the passive joints whose velocities follow from the velocity equations of the loops."""
        return self.choice.passive

    @cached_property
    def sides(self) -> list[LoopSides]:
        trig = Trigonometry(self.builder, self.robot)
        return loop_sides(self.builder, self.robot, self.positions, self.choice, trig)

    # -- the equations

    def coefficient(self, row: LoopRow, joint: int) -> Scalar:
        """Return the coefficient of an active or passive joint in a velocity equation.

        It includes the contributions of the joints that depend linearly on this joint.
        """
        if joint in self.passive and row in self.choice.rows and (row, joint) not in self.choice.present:
            return 0
        total: Scalar = 0
        for j, terms in self.linear.rows.items():
            for i, entry in terms:
                if i == joint:
                    total = total + entry * self.sides[row.loop].coefficient(row, j)
        return total

    @cached_property
    def wp(self) -> Matrix:
        """Matrix Wp of the velocity equations: one row per selected equation, one column per passive joint."""
        return [
            [
                self.builder.named(f"Wp{r}_{j}", self.coefficient(row, j), "velocity equations of the loops")
                for j in self.passive
            ]
            for r, row in enumerate(self.choice.rows, 1)
        ]

    @cached_property
    def factored(self) -> BlockFactors:
        rows, length = self.choice.rows, self.length
        slides = [self.robot.frame(j).sigma == JointType.PRISMATIC for j in self.passive]
        test = SingularityTest(
            lambda r: [self.coefficient(rows[r], j) for j in self.own],
            [
                1 if row.kind == "v" else length for row in rows
            ],  # entries of angular rows are multiplied by a length
            [length if slide else 1 for slide in slides],
        )
        return BlockFactors(self.builder, self.wp, "IWp", test)

    @cached_property
    def length(self) -> Scalar:
        """Largest length among the geometric parameters of the loops; 1 if all of them are zero."""
        frames = [self.robot.frame(j) for one in self.choice.loops for j in one.loop.frames]
        formulas = [x for frame in frames for x in (frame.d, frame.r, frame.b) if not x.is_zero]
        most = self.builder.number(largest([self.builder.formula(x) for x in formulas]))
        return select(less(0, most), most, 1)

    def motions(self, rates: JointEntries) -> list[tuple[Motion, Motion]]:
        """Return the velocities of the left and the right side of every loop at the cut joint.

        Args:
            rates: velocities of the joints of the tree, by joint number.
        """
        return [(one.left.velocity(rates), one.right.velocity(rates)) for one in self.sides]

    def residuals(self, rates: JointEntries, rows: Sequence[LoopRow]) -> Vector:
        """Return the residuals of velocity equations, without the contributions of the cut joints.

        Args:
            rates: velocities of the joints of the tree.
            rows: velocity equations.
        """
        moving = self.motions(rates)
        return [self.sides[row.loop].residual(row, *moving[row.loop]) for row in rows]

    def cut_rates(self, rates: JointEntries) -> dict[int, Scalar]:
        """Return the velocity qdc of the cut joint of each loop, by index of the loop.

        Args:
            rates: velocities of the joints of the tree, which satisfy the loops.
        """
        moving = self.motions(rates)
        return {
            row.loop: -self.sides[row.loop].residual(row, *moving[row.loop]) for row in self.choice.closing
        }

    def drift(self, rates: JointEntries, rows: Sequence[LoopRow]) -> Vector:
        """Return the velocity-dependent terms in the time derivatives of velocity equations of the loops.

        They are the time derivatives at zero joint accelerations (vectors Psi and Phi of eq. (12) to (14) in the 1997
        paper).

        Args:
            rates: velocities of the joints of the tree, which satisfy the loops.
            rows: the selected equations for Psi, the equations that contain a cut joint for Phi.
        """
        moving, cut_rates = self.motions(rates), self.cut_rates(rates)
        drifts = [(one.left.drift(rates), one.right.drift(rates)) for one in self.sides]
        residuals = []
        for row in rows:
            one, (left, _) = self.sides[row.loop], moving[row.loop]
            more = one.cut_drift(row, cut_rates.get(row.loop, 0), left)
            residuals.append(one.residual(row, *drifts[row.loop]) + more)
        return residuals

    def constraint_efforts(self, multipliers: Sequence[Scalar]) -> dict[int, Scalar]:
        """Return the efforts at the joints of the tree due to the Lagrange multipliers of the selected equations.

        They are the product of the transposed constraint matrix and the multipliers.
        """
        efforts: dict[int, Scalar] = dict.fromkeys(self.joints, 0)
        for k, one in enumerate(self.sides):
            for side, which, sign in ((one.left, 0, 1), (one.right, 1, -1)):
                wrench: dict[str, Vector] = {"v": [0, 0, 0], "w": [0, 0, 0]}
                for row, x in zip(self.choice.rows, multipliers, strict=True):
                    if row.loop == k and not is_zero(x):
                        axis = one.along(row)[which]
                        wrench[row.kind] = add(wrench[row.kind], scale(sign * x, axis))
                for j, effort in side.efforts(wrench["v"], wrench["w"]).items():
                    efforts[j] = efforts[j] + effort
        return efforts

    # -- the interface

    @property
    def free(self) -> bool:
        return False

    @property
    def constant(self) -> bool:
        return not self.passive

    def _spread(self, active: JointEntries, passive: Sequence[Scalar]) -> dict[int, Scalar]:
        """Return the velocities (or accelerations) of all joints of the tree, by joint number.

        Args:
            active, passive: velocities (or accelerations) of the active and of the passive joints.
        """
        return self.linear.rates({**active, **dict(zip(self.passive, passive, strict=True))})

    def _passive(self, active: JointEntries, drift: Sequence[Scalar]) -> Vector:
        """Return the velocities or accelerations -Wp^-1 (Wa x + drift) of the passive joints.

        Wa and Wp are the matrices of the active and of the passive joints in the velocity equations of the loops.

        Args:
            active: x, the velocities or accelerations of the active joints.
            drift: zero for velocities; for accelerations, the velocity-dependent terms of the equations.
        """
        alone = self._spread(active, [0] * len(self.passive))
        right = [-(x + y) for x, y in zip(self.residuals(alone, self.choice.rows), drift, strict=True)]
        return self.factored.solve(right)

    def rates(self, qd: JointEntries) -> dict[int, Scalar]:
        if not self.passive:
            return self.linear.rates(qd)
        passive_rates = self._passive(qd, [0] * len(self.passive))
        for j, x in zip(self.passive, passive_rates, strict=True):
            self.builder.named(f"qdp{j}", x, "velocities of the passive joints")
        return self._spread(qd, passive_rates)

    def bias(self, qd: JointEntries) -> dict[int, Scalar]:
        return self.accelerations(dict.fromkeys(self.own, 0), qd)

    def accelerations(self, qdd: JointEntries, qd: JointEntries) -> dict[int, Scalar]:
        return self.accelerations_at(qdd, self.rates(qd))

    def accelerations_at(self, qdd: JointEntries, rates: JointEntries) -> dict[int, Scalar]:
        """Return the accelerations of all joints of the tree.

        Args:
            qdd: accelerations of the active joints.
            rates: velocities of all joints of the tree.
        """
        if not self.passive:
            return self.linear.rates(qdd)
        drift = self.drift(rates, self.choice.rows)
        passive_accelerations = self._passive(qdd, drift)
        for j, x in zip(self.passive, passive_accelerations, strict=True):
            self.builder.named(f"qddp{j}", x, "accelerations of the passive joints")
        return self._spread(qdd, passive_accelerations)

    def project(self, efforts: JointEntries) -> list[Scalar]:
        reduced = dict(zip(self.linear.own, self.linear.project(efforts), strict=True))
        passive = [reduced[j] for j in self.passive]
        if all(is_zero(x) for x in passive):
            return [reduced[j] for j in self.own]
        multipliers = self.factored.solve_transposed(passive)
        for r, x in enumerate(multipliers, 1):
            self.builder.named(f"lambda{r}", x, "multipliers of the velocity equations")
        back = dict(
            zip(self.linear.own, self.linear.project(self.constraint_efforts(multipliers)), strict=True)
        )
        return [reduced[j] - back[j] for j in self.own]

    @cached_property
    def w(self) -> Matrix:
        """Matrix W = -Wp^-1 Wa, which gives the velocities of the passive joints from those of the active joints.

        Wa and Wp are the matrices of the active and of the passive joints in the velocity equations of the loops.
        """
        columns = []
        for i in self.own:
            unit: dict[int, Scalar] = {j: int(i == j) for j in self.own}
            columns.append(self._passive(unit, [0] * len(self.passive)))
        rows = [list(row) for row in zip(*columns, strict=True)]
        for j, row in zip(self.passive, rows, strict=True):
            for i, x in zip(self.own, row, strict=True):
                self.builder.named(f"W{j}_{i}", x, "passive joints from the active ones")
        return rows

    def columns(self, of_joints: Mapping[int, Vector], size: int) -> list[Vector]:
        reduced = dict(zip(self.linear.own, self.linear.columns(of_joints, size), strict=True))
        columns: dict[int, Vector] = {j: reduced[j] for j in self.own}
        for j, row in zip(self.passive, self.w if self.passive else [], strict=True):
            if all(is_zero(x) for x in reduced[j]):
                continue
            for i, entry in zip(self.own, row, strict=True):
                columns[i] = add(columns[i], scale(entry, reduced[j]))
        return list(columns.values())

    def matrix(self) -> Matrix:
        w = dict(zip(self.passive, self.w, strict=True)) if self.passive else {}
        rows = []
        for j in self.joints:
            line: dict[int, Scalar] = dict.fromkeys(self.own, 0)
            for i, entry in self.linear.rows[j]:
                if i in line:
                    line[i] = line[i] + entry
                else:
                    for k, x in zip(self.own, w[i], strict=True):
                        line[k] = line[k] + entry * x
            rows.append(list(line.values()))
        return rows

    def matrix_rate(self, qd: JointEntries) -> Matrix:
        graph, rates = self.builder.graph, self.rates(qd)
        seeds = {wrap(graph, self.positions[j]).lit >> 1: wrap(graph, rates[j]).lit for j in self.tree.own}
        lits = [wrap(graph, x).lit for row in self.matrix() for x in row]
        derivatives = [Expr(graph, lit) for lit in forward(graph, lits, seeds)]
        width = len(self.own)
        return [list(derivatives[k : k + width]) for k in range(0, len(derivatives), width)]

    def tangents(self) -> dict[int, dict[int, Scalar]]:
        rows = dict(zip(self.joints, self.matrix(), strict=True))
        return {i: {j: rows[j][c] for j in self.tree.own} for c, i in enumerate(self.own)}
