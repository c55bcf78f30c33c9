"""Check that the active joints of a wheeled robot determine its motion, and report surplus or missing joints."""

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
    """Return active joints that determine the motion of a wheeled robot.

    Args:
        own: joint coordinates to which the columns of the matrices after the three base columns belong.
        active: numbers of the active joints.
        matrices: matrix of the rolling constraints, of full rank, at several random joint positions and parameters.
        surplus: whether there may be more active joints than degrees of freedom. If so, the first active joints in
            frame order that determine the motion are returned; if not, all active joints are returned.

    Raises:
        NotApplicableError: there are too many or too few active joints; the message names them.
    """
    freedoms = BASE + len(own) - len(matrices[0])
    if not _more(matrices, range(BASE)):
        raise NotApplicableError(
            f"robot '{robot.name}' cannot move: the axles of its wheels have no common point",
            hint="declare steering wheels that are driven by a linkage as passive, and give their "
            "leading steering joint with 'follows'",
        )
    moved = _determined(matrices, own, active)
    if moved < freedoms:
        useful = [j for j in own if j not in active and _determined(matrices, own, [*active, j]) > moved]
        raise NotApplicableError(
            f"the active joints of robot '{robot.name}' ({_named(robot, active)}) determine {moved} of its "
            f"{freedoms} degrees of freedom: {freedoms - moved} more must be active",
            hint=f"make one of these active: {_named(robot, useful)}" if useful else None,
        )
    if len(active) > freedoms and not surplus:
        removable = [
            j for j in active if _determined(matrices, own, [i for i in active if i != j]) == freedoms
        ]
        raise NotApplicableError(
            f"robot '{robot.name}' has {freedoms} degrees of freedom and {len(active)} active joints, "
            f"{len(active) - freedoms} too many: make {len(active) - freedoms} of "
            f"{_named(robot, removable)} passive",
            hint="set 'active: false' for passive joints; inverse and direct dynamics can distribute the torques "
            "among all active joints, with the option 'surplus'",
        )
    chosen: list[int] = []
    for j in active:
        if _determined(matrices, own, [*chosen, j]) > len(chosen):
            chosen.append(j)
    return tuple(chosen)


def _determined(matrices: Sequence[Matrix], own: Sequence[int], active: Sequence[int]) -> int:
    """Return the number of degrees of freedom that the active joints determine.

    Args:
        matrices: matrix of the rolling constraints at several random joint positions and parameters.
        own: joint coordinates to which the columns of the matrices after the three base columns belong.
        active: numbers of the active joints.
    """
    return _more(matrices, [BASE + list(own).index(j) for j in active])


def _more(matrices: Sequence[Matrix], columns: Sequence[int]) -> int:
    """Return how many of the given velocities can be chosen independently under the rolling constraints W x = 0.

    Args:
        matrices: matrix W of the rolling constraints at several random joint positions and parameters.
        columns: columns of W to which these velocities belong.
    """
    width = len(matrices[0][0])
    units = [[1.0 if k == c else 0.0 for k in range(width)] for c in columns]
    return rank([[*matrix, *units] for matrix in matrices], WHAT) - len(matrices[0])


def _named(robot: Robot, joints: Sequence[int]) -> str:
    """Return a text that lists joints by number and name, such as "joints 1 'left', 2 'right'"."""
    words = [f"{j} '{robot.frame(j).name}'" if robot.frame(j).name else str(j) for j in joints]
    return ("joints " if len(words) > 1 else "joint ") + ", ".join(words) if words else "none"
