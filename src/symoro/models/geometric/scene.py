"""Poses of all frames of a robot in one program, for drawing.

    0Aj = 0Ai iAj,   0Pj = 0Pi + 0Ai iPj     outward from the base, eq. (1) of the 1997 paper for each iTj

Frame i is the antecedent of frame j. The positions of the cut joints are a separate input, qc; the tool frame is the
last one. For robots with coupled joints, the positions of all joints are an output as well. The pose of the base in the
world is not included. The frames that a flexible link carries are attached to the tip of its beam, which depends on the
modal coordinates e.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from symoro.expr.linalg import Matrix, Vector, add, homogeneous, identity, matvec, transpose
from symoro.models.coordinates.couplings import joint_positions
from symoro.models.dynamic.flexible.beam import beam
from symoro.models.dynamic.flexible.tree import ModesOfLinks, mode_inputs
from symoro.models.joints import Trigonometry, fixed_transform, joint_transform
from symoro.models.recursion import JointFrame, joint_frame, outward, tree_links
from symoro.program.builder import Builder
from symoro.program.pipeline import optimise
from symoro.program.program import Port, Program
from symoro.robot.coordinates import followers
from symoro.robot.description import JointType, Robot
from symoro.robot.flexibility import flexible_links
from symoro.robot.topology import outward as outward_order

POSES = Port("T", "NF,4,4", "pose of every frame in frame 0; the tool frame is the last")
JOINTS = Port(
    "joints", "nj", "position of every moving joint in frame order, including cut and coupled joints"
)
TIPS = Port("tips", "nf,4,4", "pose of the tip of every flexible link in frame 0")


@dataclass(frozen=True)
class FramePose:
    """Pose of a frame in frame 0."""

    rotation: Matrix
    position: Vector

    def then(self, local: JointFrame) -> FramePose:
        """Return the pose of frame j in frame 0: the product of this pose (of the antecedent i) and the pose of j in i.

        Args:
            local: pose of frame j in its antecedent frame i.
        """
        columns = [local.to_parent(axis) for axis in identity(3)]
        rotation = transpose([matvec(self.rotation, column) for column in columns])
        return FramePose(rotation, add(self.position, matvec(self.rotation, local.position)))


def all_frames(robot: Robot, *, modes: bool = False) -> Program:
    """Derive the program of the poses of all frames in frame 0 from the joint positions q (and qc).

    Args:
        modes: whether the modal coordinates e of flexible links are an input, and the poses of the tips an output;
            otherwise flexible links are straight.
    """
    builder = Builder(f"{robot.name}_frames")
    q = joint_positions(builder, robot, cut=bool(robot.B))
    flexible = flexible_links(robot)
    e: ModesOfLinks = {j: [0] * link.modes for j, link in flexible.items()}
    if modes and flexible:
        e, _ = mode_inputs(builder, robot, rates=False)
    trig = Trigonometry(builder, robot)
    places = {
        j: joint_frame(j, link.i, link.sigma, joint_transform(builder, robot, j, q), trig)
        for j, link in tree_links(robot, outward_order(robot)).items()
    }
    if robot.tool:
        place = fixed_transform(builder, robot.tool.place)
        last = robot.NF + 1
        places[last] = joint_frame(last, robot.tool.place.ant, JointType.FIXED, place, trig)
    tree, tips = _with_beams(builder, robot, places, e)
    poses = outward(tree, FramePose(identity(3), [0, 0, 0]), lambda local, before: before.then(local))
    builder.output(POSES, [homogeneous(poses[j].rotation, poses[j].position) for j in sorted(places)])
    if modes and tips:
        builder.output(TIPS, [homogeneous(poses[j].rotation, poses[j].position) for j in tips.values()])
    if followers(robot):
        builder.output(JOINTS, [q[j] for j in sorted(q)])
    return optimise(builder.program())


def _with_beams(
    builder: Builder, robot: Robot, places: Mapping[int, JointFrame], e: ModesOfLinks
) -> tuple[dict[int, JointFrame], dict[int, int]]:
    """Return the frames with those of the beams between them, and the number of the tip of each flexible link.

    Args:
        places: frames of the robot by number, each after its antecedent.
        e: modal coordinates by flexible link.
    """
    flexible = flexible_links(robot)
    tree: dict[int, JointFrame] = {}
    tips: dict[int, int] = {}
    number = robot.NF + 2
    for j, frame in places.items():
        tree[j] = replace(frame, i=tips.get(frame.i, frame.i))
        if j in flexible:
            bent, turns = beam(builder, flexible[j], j, number, e[j], [0] * len(e[j]))
            tree |= {number: bent.shift, **{turn.j: turn for turn in turns}}
            tips[j] = turns[-1].j
            number = tips[j] + 1
    return tree, dict(sorted(tips.items()))
