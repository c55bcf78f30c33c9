"""One step of Newton's method that closes loops, with all velocities by the active joints' ones: for integrators.

With d and phi by how much frame k (before its joint's turn) lies and turns away from frame k + B, and e the axes of the
equations that are written (`choice`),

    Wp dqp = -[ e . d,  e . phi ],     qdp = -Wp^-1 Wa qda                       (1997 paper, eq. 12 to 14)

Joints of parallelograms go to where their relations have them, by whole turns as they are. `det` changes its sign where
det Wp does; `room` is the least pivot over the entries around it, zero in a dead point.
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

DQ = Port("dq", "n", "step of all joints towards closed loops; the active ones stay")
GAP = Port("gap", "", "largest entry by which a loop is open, lengths in units of the largest one")
DET = Port("det", "", "changes its sign where det Wp does")
ROOM = Port("room", "", "how far from a dead point: the least pivot of Wp over the entries around it")


def loop_closure(robot: Robot) -> Program:
    """The step, the velocities, and what tells of open loops and dead points.

    Raises:
        NotApplicableError: the active joints do not fit the loops.
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
    return replace(program, title="a step that closes the loops", header=(("robot", robot.name),))


class _Closure:
    """What is open of the loops at a posture.

    Attributes:
        places: frame k of each loop, before its turn, on frame k + B.
        astray: joints that follow others, and by how much they are not where their relation has them.
    """

    def __init__(self, builder: Builder, joints: LoopCoordinates) -> None:
        self.builder, self.joints, self.robot = builder, joints, joints.robot
        self.trig = Trigonometry(builder, joints.robot)
        self.q = {**joints.positions, **{one.loop.left: 0 for one in joints.choice.loops}}
        self.places = [self._placed(one.loop.right, one.loop.left) for one in joints.choice.loops]
        laws = joints.choice.linear.relations
        self.astray = {j: self._astray(j, law) for j, law in laws.items() if j <= joints.robot.NL}

    def _placed(self, frm: int, to: int) -> Matrix:
        return placement_between(self.builder, self.robot, frm, to, self.q, self.trig)

    def _astray(self, j: int, law: Relation) -> Scalar:
        away = self.q[j] - self.builder.formula(law.offset)
        for i, ratio in law.terms:
            away = away - self.builder.formula(ratio) * self.q[i]
        return away if self.robot.frame(j).sigma == JointType.PRISMATIC else atan2(sin(away), cos(away))

    def step(self) -> dict[int, Scalar]:
        """dq of every joint of the tree."""
        joints = self.joints
        passive_step: list[Scalar] = []
        if joints.passive:
            passive_step = joints.factored.solve([-self._error(row) for row in joints.choice.rows])
        still: dict[int, Scalar] = dict.fromkeys(joints.own, 0)
        step = joints.linear.rates({**still, **dict(zip(joints.passive, passive_step, strict=True))})
        return {j: x - self.astray.get(j, 0) for j, x in step.items()}

    def _error(self, row: LoopRow) -> Scalar:
        """An equation's error: its axis, seen from frame k + B, times d or phi."""
        one, place = self.joints.choice.loops[row.loop], self.places[row.loop]
        frame = one.linear if row.kind == "v" else one.angular
        axes = rotation_of(self._placed(one.loop.right, frame))
        axis = [line[row.axis] for line in axes]
        return dot(axis, [line[3] for line in place[:3]] if row.kind == "v" else self._turn(one, place))

    def _turn(self, one: LoopAxes, place: Matrix) -> Vector:
        """phi, for small ones; without the turn of the opened joint."""
        if self.robot.frame(one.loop.left).sigma == JointType.REVOLUTE:
            return [-place[1][2], place[0][2], 0]
        half = self.builder.number(1) / 2
        return [half * (place[j][i] - place[i][j]) for i, j in ((1, 2), (2, 0), (0, 1))]

    def gap(self) -> Scalar:
        """By how much the loops are open, with what their equations leave out."""
        lengths: list[Scalar] = []
        angles: list[Scalar] = []
        for one, place in zip(self.joints.choice.loops, self.places, strict=True):
            sigma = self.robot.frame(one.loop.left).sigma
            lengths += [place[r][3] for r in range(2 if sigma == JointType.PRISMATIC else 3)]
            columns = (2,) if sigma == JointType.REVOLUTE else (0, 1, 2)
            angles += [place[r][c] - (r == c) for r in range(3) for c in columns]
        for j, away in self.astray.items():
            (lengths if self.robot.frame(j).sigma == JointType.PRISMATIC else angles).append(away)
        size = self.joints.length
        return largest([*angles, *([largest(lengths) / size] if lengths else [])])

    def regularity(self) -> tuple[Scalar, Scalar]:
        """det and room."""
        det: Scalar = 1
        room: Scalar = 1
        for x in self.joints.factored.volumes() if self.joints.passive else ():
            det, room = det * x, minimum(room, absolute(x))
        return det, room
