"""Random arms by class of inverse geometry, and the same arms in equivalent frames that hide their structure.

Each function takes a random number generator and returns an `Arm`: the robot, its end frame and the given entries of
the pose. Lengths are tenths of a metre, and right angles are written as such.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from symoro.expr.formula import formula
from symoro.robot.description import Frame, JointType, Link, Placement, Robot, Tool

Rng = np.random.Generator
Number = float | str
R, P = JointType.REVOLUTE, JointType.PRISMATIC
UP, DOWN, FLAT, OVER = "pi/2", "-pi/2", 0.0, "pi"


@dataclass(frozen=True)
class Arm:
    """Robot with its end frame and the given entries of the pose; `locked` joints have fixed positions."""

    robot: Robot
    to: int | str
    pose: str = "full"
    locked: tuple[int, ...] = ()

    def __str__(self) -> str:
        return self.robot.name


def length(rng: Rng) -> float:
    return float(rng.uniform(0.1, 0.6) * rng.choice([-1, 1]))


def oblique(rng: Rng) -> float:
    """Return an angle far from 0, a right angle and pi."""
    return float(rng.uniform(0.4, 1.2) * rng.choice([-1, 1]) + rng.choice([0, np.pi]))


def right(rng: Rng) -> str:
    return str(rng.choice([UP, DOWN]))


def serial(
    name: str,
    alpha: Sequence[Number],
    d: Sequence[Number],
    r: Sequence[Number],
    prismatic: Sequence[int] = (),
    theta: Mapping[int, Number] | None = None,
    tool: Mapping[str, Number] | None = None,
) -> Robot:
    """A chain by the columns of its table; joints count from 1."""
    frames = tuple(
        Frame(
            j,
            P if j + 1 in prismatic else R,
            alpha=formula(alpha[j]),
            d=formula(d[j]),
            theta=formula((theta or {}).get(j + 1, 0.0)),
            r=formula(r[j]),
        )
        for j in range(len(alpha))
    )
    place = tool and Tool(Placement(len(frames), **{key: formula(value) for key, value in tool.items()}))
    return Robot(name, frames, (Link(),) * len(frames), tool=place)


def any_tool(rng: Rng) -> dict[str, Number]:
    return {
        "gamma": oblique(rng),
        "b": length(rng),
        "alpha": oblique(rng),
        "d": length(rng),
        "theta": oblique(rng),
        "r": length(rng),
    }


# -- spherical joints


def puma_like(rng: Rng) -> Arm:
    """Return an arm with parallel joints 2 and 3, all offsets, and a flange along the last axis."""
    L = [length(rng) for _ in range(8)]
    angles = [FLAT, right(rng), FLAT, right(rng), right(rng), right(rng)]
    robot = serial("pumalike", angles, [0, L[0], L[1], L[2], 0, 0], [L[3], L[4], L[5], L[6], 0, L[7]])
    return Arm(robot, 6)


def quartic_wrist(rng: Rng) -> Arm:
    """Return a wrist on an arm of three skew axes, whose position requires a quartic."""
    L = [length(rng) for _ in range(7)]
    angles = [FLAT, oblique(rng), oblique(rng), oblique(rng), right(rng), right(rng)]
    robot = serial("quartic", angles, [0, L[0], L[1], L[2], 0, 0], [0, L[3], L[4], L[5], 0, L[6]])
    return Arm(robot, 6)


def oblique_wrist(rng: Rng) -> Arm:
    L = [length(rng) for _ in range(3)]
    bend = float(rng.uniform(0.8, 1.3))
    angles = [FLAT, DOWN, FLAT, UP, bend, -bend]
    return Arm(serial("obliquewrist", angles, [0, 0, L[0], 0, 0, 0], [0, 0, L[1], L[2], 0, 0]), 6)


def wrist_with_tool(rng: Rng) -> Arm:
    """Return an arm with an arbitrary tool frame and a wrist whose last frame is shifted along its axis."""
    L = [length(rng) for _ in range(6)]
    robot = serial(
        "toolwrist",
        [FLAT, DOWN, FLAT, UP, DOWN, UP],
        [L[0], 0, L[1], L[2], 0, 0],
        [L[3], 0, 0, L[4], 0, L[5]],
        tool=any_tool(rng),
    )
    return Arm(robot, "tool")


def spherical_shoulder(rng: Rng) -> Arm:
    L = [length(rng) for _ in range(6)]
    angles = [FLAT, right(rng), right(rng), oblique(rng), FLAT, right(rng)]
    robot = serial("sphericalshoulder", angles, [0, 0, 0, L[0], L[1], L[2]], [L[3], 0, L[4], L[5], 0, 0])
    return Arm(robot, 6)


def spherical_middle(centre: int) -> Callable[[Rng], Arm]:
    """Return an arm whose axes centre - 1, centre, centre + 1 intersect; the others are arbitrary."""

    def made(rng: Rng) -> Arm:
        angles: list[Number] = [FLAT, *(oblique(rng) for _ in range(5))]
        d: list[Number] = [0, *(length(rng) for _ in range(5))]
        r: list[Number] = [0, *(length(rng) for _ in range(5))]
        angles[centre - 1], angles[centre] = right(rng), right(rng)
        d[centre - 1] = d[centre] = r[centre - 1] = 0
        return Arm(serial(f"spherical{centre - 1}{centre}{centre + 1}", angles, d, r), 6)

    return made


def prismatic_arm(kinds: str) -> Callable[[Rng], Arm]:
    """Return a wrist on an arm such as PRR, RPR or PPR with arbitrary axes."""

    def made(rng: Rng) -> Arm:
        sliding = [j for j, kind in enumerate(kinds, 1) if kind == "P"]
        angles = [FLAT, *(oblique(rng) for _ in range(3)), right(rng), right(rng)]
        d = [0, length(rng), length(rng), length(rng), 0, 0]
        r = [0 if j in sliding else length(rng) for j in range(1, 5)]
        turned = {j: oblique(rng) for j in sliding}
        return Arm(serial(kinds + "wrist", angles, d, [*r, 0, 0], sliding, turned), 6)

    return made


def stanford_like(rng: Rng) -> Arm:
    angles = [FLAT, DOWN, UP, FLAT, DOWN, UP]
    return Arm(serial("stanfordlike", angles, [0] * 6, [0, length(rng), 0, 0, 0, 0], [3]), 6)


# -- other structures with a closed form


def ur_like(rng: Rng) -> Arm:
    """Return an arm with parallel axes 2, 3 and 4, whose last three axes are not concurrent."""
    L = [length(rng) for _ in range(6)]
    robot = serial("urlike", [FLAT, UP, FLAT, FLAT, UP, DOWN], [0, 0, L[0], L[1], 0, 0], [L[2], 0, 0, *L[3:]])
    return Arm(robot, 6)


def parallel_axes(first: int) -> Callable[[Rng], Arm]:
    """Return an arm with three parallel axes from `first` on; the others are arbitrary."""

    def made(rng: Rng) -> Arm:
        angles: list[Number] = [FLAT, *(oblique(rng) for _ in range(5))]
        d: list[Number] = [0, *(length(rng) for _ in range(5))]
        r: list[Number] = [length(rng) for _ in range(6)]
        angles[first] = angles[first + 1] = FLAT
        return Arm(serial(f"parallel{first}", angles, d, r), 6)

    return made


def three_prismatic(rng: Rng) -> Arm:
    """Return an arm with three prismatic joints: orientation first, then three linear equations."""
    sliding = sorted(int(j) for j in rng.choice(range(1, 7), 3, replace=False))
    angles = [oblique(rng) for _ in range(6)]
    lengths = [[length(rng) for _ in range(6)] for _ in range(2)]
    turned = {j: oblique(rng) for j in sliding}
    return Arm(serial("prismatic" + "".join(map(str, sliding)), angles, *lengths, sliding, turned), 6)


def scara_like(rng: Rng) -> Arm:
    """Return four joints about or along parallel axes, with the prismatic one after the first two."""
    L = [length(rng) for _ in range(3)]
    at = int(rng.choice([3, 4]))
    d = [0, L[0], L[1], 0]
    robot = serial(f"scaralike{at}", [FLAT, FLAT, OVER, FLAT], d, [L[2], 0, 0, 0], [at])
    return Arm(robot, 4, pose="s,P")


def three_axes(rng: Rng) -> Arm:
    """Return three skew axes and a point: the quartic alone."""
    L = [length(rng) for _ in range(4)]
    tool: dict[str, Number] = {"d": length(rng), "r": length(rng)}
    robot = serial(
        "threeaxes", [FLAT, oblique(rng), oblique(rng)], [0, L[0], L[1]], [0, L[2], L[3]], tool=tool
    )
    return Arm(robot, "tool", pose="position")


def elbow_arm(rng: Rng) -> Arm:
    """Return the three axes of a usual arm and a point: four solutions in closed form."""
    tool: dict[str, Number] = {"alpha": right(rng), "d": length(rng), "r": length(rng)}
    robot = serial(
        "elbow", [FLAT, right(rng), FLAT], [0, length(rng), length(rng)], [0, 0, length(rng)], tool=tool
    )
    return Arm(robot, "tool", pose="position")


def five_axes(rng: Rng) -> Arm:
    """Return a welding arm with a point and the direction of the last axis as pose."""
    L = [length(rng) for _ in range(4)]
    tool: dict[str, Number] = {"alpha": right(rng), "r": length(rng)}
    angles = [FLAT, DOWN, FLAT, FLAT, UP]
    robot = serial("fiveaxes", angles, [0, L[0], L[1], L[2], 0], [0, 0, 0, 0, L[3]], tool=tool)
    return Arm(robot, "tool", pose="axis")


# -- no structure at all


def general(*prismatic: int) -> Callable[[Rng], Arm]:
    def made(rng: Rng) -> Arm:
        angles = [FLAT, *(oblique(rng) for _ in range(5))]
        d = [0, *(length(rng) for _ in range(5))]
        r = [0 if j in prismatic else length(rng) for j in range(1, 7)]
        turned = {j: oblique(rng) for j in prismatic}
        name = "general6R" if not prismatic else "general" + "P".join(["", *map(str, prismatic)])
        return Arm(serial(name, angles, d, r, prismatic, turned), 6)

    return made


# -- the same robot in other words


def disguised(arm: Arm, rng: Rng) -> Arm:
    """Return the same joints with the same q, in frames where no length or angle is zero.

    A frame may be shifted along its axis and rotated about it if the next frame compensates: what is added to r and
    theta is subtracted from the next b and gamma. A common normal may have the opposite direction: Rx(alpha) Tx(d) =
    Rz(pi) Rx(-alpha) Tx(-d) Rz(-pi).
    """
    frames = list(arm.robot.frames)
    for j in range(len(frames) - 1):
        turn, shift = float(rng.uniform(-1, 1)), float(rng.uniform(-0.3, 0.3))
        frames[j] = _more(frames[j], theta=turn, r=shift)
        frames[j + 1] = _more(frames[j + 1], gamma=-turn, b=-shift)
    for j in range(1, len(frames), 2):
        flipped = _more(frames[j], gamma=np.pi, theta=-np.pi)
        frames[j] = replace(flipped, alpha=formula(f"-({flipped.alpha})"), d=formula(f"-({flipped.d})"))
    return replace(arm, robot=replace(arm.robot, name="disguised" + arm.robot.name, frames=tuple(frames)))


def _more(frame: Frame, **added: float) -> Frame:
    summed = {name: formula(f"({getattr(frame, name)}) + ({value!r})") for name, value in added.items()}
    return replace(frame, **summed)


def with_fixed_frames(arm: Arm) -> Arm:
    """Return the same robot with a fixed frame in the middle of every common normal; q is the same."""
    frames: list[Frame] = []
    for frame in arm.robot.frames:
        half = formula(f"({frame.d})/2")
        before = Frame(len(frames), JointType.FIXED, mu=False, gamma=frame.gamma, b=frame.b, d=half)
        after = replace(frame, ant=len(frames) + 1, gamma=formula(0), b=formula(0), d=half)
        frames += [before, after]
    robot = arm.robot
    tool = robot.tool and replace(robot.tool, place=replace(robot.tool.place, ant=len(frames)))
    to = arm.to if isinstance(arm.to, str) else 2 * arm.to
    longer = Robot("fixed" + robot.name, tuple(frames), (Link(),) * len(frames), tool=tool)
    return replace(arm, robot=longer, to=to)


def on_a_tree(arm: Arm) -> Arm:
    """Return the same chain as one branch of a tree, with other branches at its second frame and at the base."""
    n = arm.robot.NL
    more = (Frame(2, d=formula(0.2)), Frame(n + 1, P, alpha=formula(UP)), Frame(0, r=formula(0.3)))
    robot = arm.robot
    return replace(
        arm,
        robot=replace(robot, name="tree" + robot.name, frames=robot.frames + more, links=(Link(),) * (n + 3)),
    )


def symbolic(arm: Arm, *, angles: bool = False) -> Arm:
    """Return the arm with symbols for nonzero lengths (and angles), and the numbers as nominal values."""
    values: dict[str, float] = {}
    frames = []
    for j, frame in enumerate(arm.robot.frames, 1):
        named = {}
        for field_name, letter in (("d", "D"), ("r", "RL"), *((("alpha", "A"),) if angles else ())):
            number = getattr(frame, field_name)
            if not number.is_zero:
                named[field_name] = formula(f"{letter}{j}")
                values[f"{letter}{j}"] = number.value({})
        frames.append(replace(frame, **named))
    nominal = tuple(sorted(values.items()))
    return replace(arm, robot=replace(arm.robot, frames=tuple(frames), nominal=nominal))


CLASSES: dict[str, Callable[[Rng], Arm]] = {
    "PUMA-like": puma_like,
    "wrist, quartic arm": quartic_wrist,
    "oblique wrist": oblique_wrist,
    "wrist with a tool": wrist_with_tool,
    "spherical shoulder": spherical_shoulder,
    "spherical 2-3-4": spherical_middle(3),
    "spherical 3-4-5": spherical_middle(4),
    "PRR and a wrist": prismatic_arm("PRR"),
    "RPR and a wrist": prismatic_arm("RPR"),
    "RRP and a wrist": prismatic_arm("RRP"),
    "PPR and a wrist": prismatic_arm("PPR"),
    "PRP and a wrist": prismatic_arm("PRP"),
    "RPP and a wrist": prismatic_arm("RPP"),
    "Stanford-like": stanford_like,
    "UR-like": ur_like,
    "parallel 2-3-4": parallel_axes(2),
    "parallel 3-4-5": parallel_axes(3),
    "three prismatic": three_prismatic,
    "SCARA-like": scara_like,
    "three axes, a point": three_axes,
    "elbow arm, a point": elbow_arm,
    "five axes": five_axes,
    "general 6R": general(),
    **{f"general 5R1P, P at {j}": general(j) for j in range(1, 7)},
    "general 4R2P, side by side": general(2, 3),
    "general 4R2P, one apart": general(2, 4),
    "general 4R2P, two apart": general(2, 5),
    "disguised PUMA-like": lambda rng: disguised(puma_like(rng), rng),
    "disguised quartic wrist": lambda rng: disguised(quartic_wrist(rng), rng),
    "disguised shoulder": lambda rng: disguised(spherical_shoulder(rng), rng),
    "disguised UR-like": lambda rng: disguised(ur_like(rng), rng),
    "fixed frames between": lambda rng: with_fixed_frames(puma_like(rng)),
    "branch of a tree": lambda rng: on_a_tree(puma_like(rng)),
}


def manseur_doty() -> tuple[Arm, NDArray[np.float64]]:
    """Return the robot of R. Manseur and K.L. Doty (IJRR 8(5), 1989) and a pose with sixteen real solutions.

    Its table has the standard convention, with alpha and a after theta and r: here they are moved to the next frame,
    and the last pair to the tool. The printed orientation is orthonormal only to 7e-7; the nearest rotation is used.
    """
    alpha = [f"{degrees}*pi/180" for degrees in (90, 1, 90, 1, 90, 1)]
    a = [0.3, 1, 0, 1.5, 0, 0]
    robot = serial(
        "ManseurDoty",
        [FLAT, *alpha[:5]],
        [0, *a[:5]],
        [0, 0, 0.2, 0, 0, 0],
        tool={"alpha": alpha[5], "d": a[5]},
    )
    hand = np.eye(4)
    hand[:3] = (
        (-0.760117, -0.641689, 0.102262, -1.140175),
        (0.133333, 0, 0.991071, 0),
        (-0.635959, 0.766965, 0.085558, 0),
    )
    left, _, turned = np.linalg.svd(hand[:3, :3])
    hand[:3, :3] = left @ turned
    return Arm(robot, "tool"), hand
