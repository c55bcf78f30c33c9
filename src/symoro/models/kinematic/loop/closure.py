"""Newton step that closes loops, and velocities of all joints from those of the active joints, for integrators.

Let d and phi be the position error and the rotation error of frame k (before the rotation of its joint) with respect to
frame k + B, and e the axes of the selected equations (`choice`):

    Wp dqp = -[ e . d,  e . phi ],     qdp = -Wp^-1 Wa qda                       (1997 paper, eq. 12 to 14)

Joints of parallelograms are set to the positions that follow from their linear relations, modulo 2 pi. The output `det`
changes its sign where det Wp changes its sign. The output `room` is the smallest pivot of Wp relative to the entries
around it; it is zero in a singular configuration.
"""

from __future__ import annotations

from dataclasses import replace

from symoro.expr.linalg import Matrix, Vector, dot, rotation_of
from symoro.expr.scalar import Scalar, absolute, atan2, cos, minimum, sin
from symoro.models.coordinates.couplings import fixed_value
from symoro.models.coordinates.joint_motion import coordinates
from symoro.models.geometric.relative_placement import placement_between
from symoro.models.joints import Trigonometry
from symoro.models.kinematic.loop.choice import LoopAxes, LoopRow
from symoro.models.kinematic.loop.coordinates import LoopCoordinates
from symoro.models.ports import QD, QDA
from symoro.models.solvers import largest
from symoro.program.builder import Builder
from symoro.program.pipeline import optimise
from symoro.program.program import Port, Program
from symoro.robot.coordinates import Relation, independent
from symoro.robot.description import JointType, Robot

DQ = Port("dq", "n", "step of all joints that closes the loops; zero for active joints")
GAP = Port("gap", "", "largest closure error of a loop, lengths in units of the largest length")
DET = Port("det", "", "changes its sign where det Wp does")
ROOM = Port(
    "room",
    "",
    "distance from a singular configuration: smallest pivot of Wp relative to the entries around it",
)


def loop_closure(robot: Robot) -> Program:
    """Derive the Newton step that closes the loops, and the velocities of all joints of the tree.

    Further outputs are the largest closure error and two measures of the distance to a singular configuration.

    Raises:
        NotApplicableError: the active joints do not determine the loops.
    """
    builder = Builder(f"{robot.name}_loops")
    joints = coordinates(builder, robot)
    assert isinstance(joints, LoopCoordinates)
    given = builder.input(QDA, (len(joints.own),), [f"qd{j}" for j in joints.own])
    qda = {j: fixed_value(builder, robot, "qd", j) or x for j, x in zip(joints.own, given, strict=True)}
    rates, own = joints.rates(qda), independent(robot)
    made = _Closure(builder, joints)
    step = made.step()
    builder.output(DQ, [step[j] for j in own])
    builder.output(QD, [rates[j] for j in own])
    builder.output(GAP, made.gap())
    det, room = made.regularity()
    builder.output(DET, det)
    builder.output(ROOM, room)
    program = optimise(builder.program())
    return replace(program, title="Newton step that closes the loops", header=(("robot", robot.name),))


class _Closure:
    """Closure errors of the loops in a configuration.

    Attributes:
        transforms: for each loop, the transform (4x4) of one cut frame in the other: of frame k, before the rotation of
            its joint, in frame k + B.
        deviations: for dependent joints, the position minus the one that follows from the linear relation, by joint
            number.
    """

    def __init__(self, builder: Builder, joints: LoopCoordinates) -> None:
        self.builder, self.joints, self.robot = builder, joints, joints.robot
        self.trig = Trigonometry(builder, joints.robot)
        self.q = {**joints.positions, **{one.loop.left: 0 for one in joints.choice.loops}}
        self.transforms = [self._placed(one.loop.right, one.loop.left) for one in joints.choice.loops]
        laws = joints.choice.linear.relations
        self.deviations = {j: self._deviation(j, law) for j, law in laws.items() if j <= joints.robot.NL}

    def _placed(self, frm: int, to: int) -> Matrix:
        return placement_between(self.builder, self.robot, frm, to, self.q, self.trig)

    def _deviation(self, j: int, law: Relation) -> Scalar:
        away = self.q[j] - self.builder.formula(law.offset)
        for i, ratio in law.terms:
            away = away - self.builder.formula(ratio) * self.q[i]
        return away if self.robot.frame(j).sigma == JointType.PRISMATIC else atan2(sin(away), cos(away))

    def step(self) -> dict[int, Scalar]:
        """Return the correction dq of every joint of the tree by one Newton step."""
        joints = self.joints
        passive_step: list[Scalar] = []
        if joints.passive:
            passive_step = joints.factored.solve([-self._error(row) for row in joints.choice.rows])
        still: dict[int, Scalar] = dict.fromkeys(joints.own, 0)
        step = joints.linear.rates({**still, **dict(zip(joints.passive, passive_step, strict=True))})
        return {j: x - self.deviations.get(j, 0) for j, x in step.items()}

    def _error(self, row: LoopRow) -> Scalar:
        """Return the closure error of an equation: the position error d or rotation error phi along its axis."""
        one, transform = self.joints.choice.loops[row.loop], self.transforms[row.loop]
        frame = one.linear if row.kind == "v" else one.angular
        axes = rotation_of(self._placed(one.loop.right, frame))
        axis = [line[row.axis] for line in axes]
        return dot(
            axis, [line[3] for line in transform[:3]] if row.kind == "v" else self._turn(one, transform)
        )

    def _turn(self, one: LoopAxes, transform: Matrix) -> Vector:
        """Return the rotation error (3) of a loop for small angles, without the rotation of the cut joint.

        Args:
            one: the loop.
            transform: transform (4x4) of one cut frame of the loop in the other one.
        """
        if self.robot.frame(one.loop.left).sigma == JointType.REVOLUTE:
            return [-transform[1][2], transform[0][2], 0]
        half = self.builder.number(1) / 2
        return [half * (transform[j][i] - transform[i][j]) for i, j in ((1, 2), (2, 0), (0, 1))]

    def gap(self) -> Scalar:
        """Return the largest closure error of all loops, with lengths divided by the largest length of the loops.

        It includes components that are not part of the selected equations.
        """
        lengths: list[Scalar] = []
        angles: list[Scalar] = []
        for one, transform in zip(self.joints.choice.loops, self.transforms, strict=True):
            sigma = self.robot.frame(one.loop.left).sigma
            lengths += [transform[r][3] for r in range(2 if sigma == JointType.PRISMATIC else 3)]
            columns = (2,) if sigma == JointType.REVOLUTE else (0, 1, 2)
            angles += [transform[r][c] - (r == c) for r in range(3) for c in columns]
        for j, away in self.deviations.items():
            (lengths if self.robot.frame(j).sigma == JointType.PRISMATIC else angles).append(away)
        size = self.joints.length
        return largest([*angles, *([largest(lengths) / size] if lengths else [])])

    def regularity(self) -> tuple[Scalar, Scalar]:
        """Return two measures of regularity of Wp, the matrix of the passive joints in the velocity equations.

        Returns:
            The scaled determinant (output `det`) and the smallest scaled pivot (output `room`); both are zero in a
            singular configuration.
        """
        det: Scalar = 1
        room: Scalar = 1
        for x in self.joints.factored.volumes() if self.joints.passive else ():
            det, room = det * x, minimum(room, absolute(x))
        return det, room
