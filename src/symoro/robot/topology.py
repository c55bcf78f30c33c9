"""Kinematic structure of a robot: chains, branches, subtrees, loops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from symoro.robot.flexibility import flexible_links
from symoro.robot.records import JointType

if TYPE_CHECKING:
    from symoro.robot.description import Robot

Structure = Literal["serial", "tree", "closed-loop"]
JointLetter = Literal["R", "P", "F"]
JOINT_LETTERS: dict[JointType, JointLetter] = {
    JointType.REVOLUTE: "R",
    JointType.PRISMATIC: "P",
    JointType.FIXED: "F",
}


@dataclass(frozen=True)
class Loop:
    """Closed loop, cut at joint k: the frames `left` (k) and `right` (k + B) coincide; B is the number of loops.

    `root` is the last common frame of both sides. `left_chain` and `right_chain` are the frames from the root
    (excluded) to `left` and `right` (included).
    """

    left: int
    right: int
    root: int
    left_chain: tuple[int, ...]
    right_chain: tuple[int, ...]

    @property
    def frames(self) -> tuple[int, ...]:
        return self.left_chain + self.right_chain


def structure(robot: Robot) -> Structure:
    """Return the type of a robot's structure: 'serial', 'tree' or 'closed-loop'."""
    if robot.B:
        return "closed-loop"
    serial = all(frame.ant == j for j, frame in enumerate(robot.frames))
    return "serial" if serial else "tree"


def children(robot: Robot, j: int) -> list[int]:
    """Return the numbers of the frames whose antecedent is frame j."""
    return [k for k, frame in enumerate(robot.frames, 1) if frame.ant == j]


def chain(robot: Robot, j: int) -> list[int]:
    """Return the numbers of the frames from the base (excluded) to frame j (included)."""
    frames: list[int] = []
    while j:
        frames.append(j)
        j = robot.frame(j).ant
    return frames[::-1]


def path(robot: Robot, start: int, end: int) -> tuple[list[int], list[int]]:
    """Return the path from frame `start` to frame `end` through their last common ancestor.

    Returns:
        The frames from `start` to the ancestor (excluded), and those from the ancestor (excluded) to `end`.
    """
    up, down = chain(robot, start), chain(robot, end)
    shared = 0
    while shared < min(len(up), len(down)) and up[shared] == down[shared]:
        shared += 1
    return up[shared:][::-1], down[shared:]


def common_ancestor(robot: Robot, a: int, b: int) -> int:
    """Return the last common frame of the chains from the base to frames a and b."""
    shared = 0
    for i, j in zip(chain(robot, a), chain(robot, b), strict=False):
        if i != j:
            break
        shared = i
    return shared


def subtree(robot: Robot, j: int) -> list[int]:
    """Return the numbers of frame j and all its descendants, each after its antecedent."""
    frames, stack = [], [j]
    below: dict[int, list[int]] = {}
    for k, frame in enumerate(robot.frames, 1):
        below.setdefault(frame.ant, []).append(k)
    while stack:
        k = stack.pop()
        frames.append(k)
        stack += reversed(below.get(k, []))
    return frames


def outward(robot: Robot) -> list[int]:
    """Return all frame numbers, ordered such that each frame follows its antecedent.

    Where this order permits, frames are in increasing order of their numbers.
    """
    ordered, placed = [], {0}
    waiting = list(range(1, robot.NF + 1))
    while waiting:
        later = []
        for j in waiting:
            if robot.frame(j).ant in placed:
                placed.add(j)
                ordered.append(j)
            else:
                later.append(j)
        waiting = later
    return ordered


def leaves(robot: Robot) -> list[int]:
    """Return the numbers of the links without descendants."""
    parents = {frame.ant for frame in robot.frames[: robot.NL]}
    return [j for j in range(1, robot.NL + 1) if j not in parents]


def branches(robot: Robot) -> list[list[int]]:
    """Return the branches of the tree as lists of frames.

    Each branch starts at the base or a fork and ends at a fork or a leaf.
    """
    runs: list[list[int]] = []
    stack = [[k] for k in reversed([k for k in children(robot, 0) if k <= robot.NL])]
    while stack:
        run = stack.pop()
        below = [k for k in children(robot, run[-1]) if k <= robot.NL]
        while len(below) == 1:
            run.append(below[0])
            below = [k for k in children(robot, run[-1]) if k <= robot.NL]
        runs.append(run)
        stack += [[k] for k in reversed(below)]
    return runs


def loops(robot: Robot) -> list[Loop]:
    """Return the closed loops of a robot, in the order of their cut joints."""
    closed = []
    for k in range(robot.NL + 1, robot.NJ + 1):
        partner = k + robot.B
        root = common_ancestor(robot, k, partner)
        to_left, to_right = chain(robot, k), chain(robot, partner)
        skip = len(chain(robot, root))
        closed.append(Loop(k, partner, root, tuple(to_left[skip:]), tuple(to_right[skip:])))
    return closed


def moving_joints(robot: Robot) -> list[int]:
    """Return the numbers of the moving joints of the tree (frames 1..NL with sigma 0 or 1), in frame order."""
    return [j for j in range(1, robot.NL + 1) if robot.frame(j).moving]


def elastic_joints(robot: Robot) -> list[int]:
    """Return the numbers of the moving joints of the tree that have a spring, in frame order."""
    return [j for j in moving_joints(robot) if robot.frame(j).eta]


def cut_joints(robot: Robot) -> list[int]:
    """Return the numbers of the moving cut joints of loops (frames NL+1..NJ)."""
    return [j for j in range(robot.NL + 1, robot.NJ + 1) if robot.frame(j).moving]


def parallel(robot: Robot, i: int, j: int) -> bool:
    """Return whether the axes of the consecutive frames i and j are parallel in every configuration: alpha_j = 0."""
    frame = robot.frame(j)
    return frame.ant == i and frame.alpha.is_zero


def describe(robot: Robot) -> str:
    """Return a short text about a robot's structure, such as 'serial, 6 joints (RRRRRR)'."""
    kinds = "".join(JOINT_LETTERS[frame.sigma] for frame in robot.frames[: robot.NL])
    kinds = kinds if len(kinds) <= 16 else kinds[:15] + "..."
    joints = len(moving_joints(robot))
    words = [structure(robot), f"{joints} joint{'s' if joints != 1 else ''} ({kinds})"]
    if robot.B:
        words.append(f"{robot.B} loop{'s' if robot.B > 1 else ''}")
    if robot.base.kind != "fixed":
        words.append(f"{robot.base.kind} base")
    elastic = sum(frame.eta for frame in robot.frames)
    if elastic:
        words.append(f"{elastic} elastic")
    flexible = len(flexible_links(robot))
    if flexible:
        words.append(f"{flexible} flexible link{'s' if flexible > 1 else ''}")
    return ", ".join(words)


def is_prefix_ordered(robot: Robot) -> bool:
    """Return whether every frame of a robot has a larger number than its antecedent."""
    return all(a < b for a, b in ((frame.ant, j) for j, frame in enumerate(robot.frames, 1)))
