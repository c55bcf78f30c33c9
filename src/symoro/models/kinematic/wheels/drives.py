"""Whether the active joints of a robot on wheels determine its motion, and which are too many or missing."""

from __future__ import annotations

from collections.abc import Sequence

from symoro.errors import NotApplicableError
from symoro.models.kinematic.wheels.samples import Matrix, rank
from symoro.robot.description import Robot

BASE = 3
WHAT = "the active joints"


def leading_drives(
    robot: Robot,
    own: Sequence[int],
    active: Sequence[int],
    matrices: Sequence[Matrix],
    *,
    surplus: bool = False,
) -> tuple[int, ...]:
    """The active joints that determine the motion: all of them, unless a surplus is allowed.

    Arguments:
        own: the joints of the columns of W behind the base's.
        matrices: W, of full rank, at random numbers.
        surplus: whether there may be more; the first ones, in frame order, that determine the motion are taken.

    Raises:
        NotApplicableError: with the joints that are too many, or those that would do.
    """
    freedoms = BASE + len(own) - len(matrices[0])
    if not _more(matrices, range(BASE)):
        raise NotApplicableError(
            f"the wheels of robot '{robot.name}' let it move nowhere: the axles meet in no common point",
            hint="steering wheels that a linkage turns are passive and say which one they 'follow'",
        )
    moved = _determined(matrices, own, active)
    if moved < freedoms:
        useful = [j for j in own if j not in active and _determined(matrices, own, [*active, j]) > moved]
        raise NotApplicableError(
            f"the active joints of robot '{robot.name}' ({_named(robot, active)}) determine {moved} of its "
            f"{freedoms} freedoms: {freedoms - moved} more must be active",
            hint=f"make active one of {_named(robot, useful)}" if useful else None,
        )
    if len(active) > freedoms and not surplus:
        removable = [
            j for j in active if _determined(matrices, own, [i for i in active if i != j]) == freedoms
        ]
        raise NotApplicableError(
            f"robot '{robot.name}' has {freedoms} freedoms and {len(active)} active joints, "
            f"{len(active) - freedoms} too many of {_named(robot, removable)}",
            hint="write 'active: false' for the joints that are to follow; inverse and direct dynamics can share the "
            "torques among all, with the option 'surplus'",
        )
    taken: list[int] = []
    for j in active:
        if _determined(matrices, own, [*taken, j]) > len(taken):
            taken.append(j)
    return tuple(taken)


def _determined(matrices: Sequence[Matrix], own: Sequence[int], active: Sequence[int]) -> int:
    """How many freedoms the active joints determine."""
    return _more(matrices, [BASE + list(own).index(j) for j in active])


def _more(matrices: Sequence[Matrix], columns: Sequence[int]) -> int:
    """How many independent motions W leaves to some columns."""
    width = len(matrices[0][0])
    units = [[1.0 if k == c else 0.0 for k in range(width)] for c in columns]
    return rank([[*matrix, *units] for matrix in matrices], WHAT) - len(matrices[0])


def _named(robot: Robot, joints: Sequence[int]) -> str:
    """Joints by number, with their names."""
    words = [f"{j} '{robot.frame(j).name}'" if robot.frame(j).name else str(j) for j in joints]
    return ("joints " if len(words) > 1 else "joint ") + ", ".join(words) if words else "none"
