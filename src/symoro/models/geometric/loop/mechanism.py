"""Active and passive joints of a robot with loops, and the path around each loop.

Frames k and k + B of a loop coincide; they are the two sides of the cut. Therefore the product of the transforms along
the path from one to the other is the identity:

    (k+B)T(root)  (root)Tk  =  I

W. Khalil, J.F. Kleinfinger, "A new geometric notation for open and closed-loop robots", ICRA 1986.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from symoro.expr.linalg import Matrix
from symoro.expr.scalar import Expr, Scalar, cos, sin, symbol
from symoro.models.geometric.inverse.chain.chain import PathMotion, Unknown, motions_between
from symoro.models.joints import is_zero
from symoro.models.ports import QA
from symoro.program.builder import Builder
from symoro.program.program import Port
from symoro.robot.coordinates import independent, relation
from symoro.robot.description import JointType, Robot
from symoro.robot.topology import Loop, cut_joints, loops

START = Port("q0", "n", "initial configuration of Newton's method, and positions of joints that are free")
START_OPENED = Port("qc0", "B", "positions of the cut joints in that configuration")


def active_joints(robot: Robot) -> list[int]:
    """Return the numbers of the active joints of the tree in frame order, one per entry of qa."""
    return [j for j in independent(robot) if robot.frame(j).mu]


def passive_joints(robot: Robot) -> list[int]:
    """Return the numbers of the joints that the loops determine.

    These are the passive joints of the tree, followed by the cut joints.
    """
    cut = [j for j in cut_joints(robot) if relation(robot, j) is None]
    return [j for j in independent(robot) if not robot.frame(j).mu] + cut


def reason_not_closed(robot: Robot) -> str | None:
    """Return the reason why the loops cannot determine the passive joints; None if there is no such reason."""
    if not robot.B:
        return "it has no closed loop"
    determined = {j for loop in loops(robot) for j in loop.frames}
    determined |= {i for j in determined for i, _ in _drivers(robot, j)}
    undetermined = [j for j in passive_joints(robot) if j not in determined]
    if undetermined:
        return f"joint {undetermined[0]} is passive but not part of a loop"
    if not active_joints(robot):
        return "none of its joints is active"
    return None


def _drivers(robot: Robot, j: int) -> Sequence[tuple[int, object]]:
    law = relation(robot, j)
    return law.terms if law else ()


def joint_unknown(builder: Builder, robot: Robot, j: int) -> Unknown:
    """Return the unknown of joint j: symbols Sj, Cj and qj for a revolute joint, qj for a prismatic one."""
    sine, cosine, position = (symbol(builder.graph, f"{letter}{j}") for letter in "SCq")
    turns = robot.frame(j).sigma == JointType.REVOLUTE
    return Unknown(str(j), ((j, 1),), turns, sine, cosine, position)


@dataclass(frozen=True)
class KnownRotation(PathMotion):
    """Rotation about z in a path, by an angle whose sine and cosine are known expressions."""

    sine: Scalar = field(default=0)
    cosine: Scalar = field(default=1)

    @property
    def matrix(self) -> Matrix:
        s, c = self.sine, self.cosine
        return [[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]


@dataclass(frozen=True)
class KnownTranslation(PathMotion):
    """Translation in a path, by a known vector."""

    vector: tuple[Scalar, Scalar, Scalar] = field(default=(0, 0, 0))

    @property
    def lengths(self) -> tuple[Scalar, ...]:
        return self.vector

    @property
    def matrix(self) -> Matrix:
        x, y, z = self.vector
        return [[1, 0, 0, x], [0, 1, 0, y], [0, 0, 1, z], [0, 0, 0, 1]]


def loop_path(
    builder: Builder,
    robot: Robot,
    loop: Loop,
    known: Mapping[int, Scalar],
    solved: Mapping[int, Unknown],
) -> tuple[PathMotion, ...]:
    """Return the elementary motions around a loop, from one of its two cut frames to the other (k + B to k).

    Args:
        loop: the loop.
        known: positions of known joints, by joint number.
        solved: joints whose sines and cosines are known from other loops, by joint number.
    """
    return path_between(builder, robot, loop.right, loop.left, known, solved)


def path_between(
    builder: Builder,
    robot: Robot,
    frm: int | str,
    to: int | str,
    known: Mapping[int, Scalar],
    solved: Mapping[int, Unknown],
) -> tuple[PathMotion, ...]:
    """Return the elementary motions between any two frames.

    Args:
        frm, to: first and last frame of the path.
        known: positions of known joints, by joint number.
        solved: joints whose sines and cosines are known from other loops, by joint number.
    """
    motions = motions_between(builder, robot, frm, to, known)
    return _summed(
        [_known(motion, solved[motion.joint]) if motion.joint in solved else motion for motion in motions]
    )


def _known(motion: PathMotion, unknown: Unknown) -> PathMotion:
    if unknown.turns:
        return KnownRotation(sine=motion.sign * unknown.sine, cosine=unknown.cosine)
    return PathMotion(length=motion.sign * unknown.length)


def _summed(motions: Sequence[PathMotion]) -> tuple[PathMotion, ...]:
    """Return the same path with known rotations about parallel axes combined into one rotation.

    Rz(a) Tx(d) Rz(b) = T(d cos a, d sin a, 0) Rz(a + b),    Rz(a) Rz(q) = Rz(q) Rz(a)

    Args:
        motions: elementary motions of the path.
    """
    path: list[PathMotion] = []
    angle: Scalar = 0
    for motion in motions:
        if isinstance(motion, KnownRotation) or (motion.axis == "x" and not is_zero(motion.angle)):
            path += [PathMotion("z", angle), motion]
            angle = 0
        elif motion.joint:
            path.append(motion)
        elif motion.axis == "x":
            path.append(KnownTranslation(vector=(motion.length * cos(angle), motion.length * sin(angle), 0)))
        else:
            angle = angle + motion.angle
            path.append(KnownTranslation(vector=(0, 0, motion.length)))
    return (*path, PathMotion("z", angle))


def joint_inputs(builder: Builder, robot: Robot) -> tuple[dict[int, Expr], dict[int, Expr]]:
    """Declare the inputs of a model of a robot with loops: qa, q0 and qc0.

    Returns:
        The positions qa of the active joints, and the initial configuration of all joints (q0 of the tree, qc0 of the
        cut joints), both by joint number.
    """
    active, own, cut = active_joints(robot), independent(robot), cut_joints(robot)
    qa = builder.input(QA, (len(active),), [f"q{j}" for j in active])
    q0 = builder.input(START, (len(own),), [f"q0_{j}" for j in own], default=[0.0] * len(own))
    start = dict(zip(own, q0, strict=True))
    if cut:
        qc0 = builder.input(START_OPENED, (len(cut),), [f"q0_{j}" for j in cut], default=[0.0] * len(cut))
        start.update(zip(cut, qc0, strict=True))
    return dict(zip(active, qa, strict=True)), start
