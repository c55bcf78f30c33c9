"""Numerical closure of kinematic loops: closure errors, their derivatives, and Newton's method.

A loop is closed when its frames k and k + B coincide. Let p and R be the position and rotation of each of these two
frames, expressed in the frame in which the two sides of the loop meet. Let z and o be the axis and origin of a joint.
The closure error e and its change de with a joint position are

    e = [ pk - pk+B, Rk - Rk+B ],      de = [ z x (p - o), z x R ] dq  or  [ z, 0 ] dq.

Each loop has twelve equations. Some of these equations are dependent for planar and spherical loops, so that each
Newton step is a least-squares solution. Newton's method closes many configurations at once in double precision.
`refined` continues in scaled integers with the inverse computed in double precision; each of its steps adds about a
dozen digits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from symoro.models.numeric.fixed_point import ONE, Array, Numbers, cross, times
from symoro.models.numeric.tree import NumericTree, Placements, identity_pose, placements
from symoro.models.tolerances import CLOSED
from symoro.robot.description import JointType
from symoro.robot.topology import Loop

Flags = NDArray[np.bool_]
LONGEST = 0.4  # largest change of a coordinate in one step: rad, or fraction of the largest length
LEAST_DAMPING, FIRST_DAMPING, MOST_DAMPING = 1e-12, 0.3, 1e6
REFINEMENTS = 24  # steps in scaled integers
LAST = ONE >> 285  # closure error below which a loop is closed exactly


def closure(tree: NumericTree, q: Numbers) -> tuple[Numbers, Numbers]:
    """Return the loop closure errors and their Jacobian with respect to the coordinates q.

    Args:
        q: (S, n) coordinates of S configurations, in the order of `tree.coordinates`.

    Returns:
        The errors (S, 12 L) of the L loops, with 3 position and 9 rotation entries per loop, and their Jacobian
        (S, 12 L, n).
    """
    errors, blocks = [np.zeros((len(q), 0), q.dtype)], [np.zeros((len(q), 0, len(tree.coordinates)), q.dtype)]
    for loop in tree.loops:
        at = around(tree, loop, q)
        errors.append(_error(loop, at))
        moved = [j - 1 for j in loop.frames]
        blocks.append(times(_by_joints(tree, loop, at), tree.ratios[:, moved]))
    return np.concatenate(errors, 1), np.concatenate(blocks, 1)


def closure_error(tree: NumericTree, q: Numbers) -> Numbers:
    """Return the closure errors (S, 12 L) of L loops at S configurations q (S, n)."""
    errors = [_error(loop, around(tree, loop, q)) for loop in tree.loops]
    return np.concatenate([np.zeros((len(q), 0), q.dtype), *errors], 1)


def around(tree: NumericTree, loop: Loop, q: Numbers) -> dict[int, Placements]:
    """Return the poses of a loop's frames, by frame number, relative to `loop.root`.

    `loop.root` is the frame in which the two sides of the loop meet.
    """
    return placements(tree, q, {loop.root: identity_pose(q)}, loop.frames)


def _error(loop: Loop, at: Mapping[int, Placements]) -> Numbers:
    left, right = at[loop.left], at[loop.right]
    turn = (left.rotation - right.rotation).reshape(-1, 9)
    return np.concatenate([left.position - right.position, turn], 1)


def _by_joints(tree: NumericTree, loop: Loop, at: Mapping[int, Placements]) -> Numbers:
    """Return the Jacobian (S, 12, F) of a loop's closure error with respect to its F joints.

    Args:
        at: poses of the loop's frames, by frame number.
    """
    count, kind = len(at[loop.root].position), at[loop.root].position.dtype
    block = np.zeros((count, 12, len(loop.frames)), kind)
    sides = [(j, at[loop.left], 1) for j in loop.left_chain] + [
        (j, at[loop.right], -1) for j in loop.right_chain
    ]
    for k, (j, end, sign) in enumerate(sides):
        sigma, axis = tree.robot.frame(j).sigma, at[j].rotation[:, :, 2]
        if sigma == JointType.PRISMATIC:
            block[:, :3, k] = sign * axis
        elif sigma == JointType.REVOLUTE:
            block[:, :3, k] = sign * cross(axis, end.position - at[j].position)
            block[:, 3:, k] = sign * cross(axis[:, :, None], end.rotation).reshape(count, 9)
    return block


def balanced_closure(tree: NumericTree, q: Array) -> tuple[Array, Array]:
    """Return the dimensionless loop closure errors and their Jacobian (shapes as for `closure`).

    Lengths are divided by the largest length of the loops, so that lengths and angles are comparable.
    """
    error, jacobian = closure(tree, q)
    rows = np.tile([1 / tree.size] * 3 + [1.0] * 9, len(tree.loops))
    return error * rows, jacobian * rows[:, None] * tree.units


def closed(
    tree: NumericTree,
    q: Array,
    unknown: Sequence[int],
    rounds: int = 60,
    *,
    damped: bool = False,
    enough: int | None = None,
) -> tuple[Array, Flags]:
    """Close the loops of many configurations at once by Newton's method.

    Args:
        q: (S, n) initial coordinates of S configurations.
        unknown: indices of the coordinates (columns of q) that may change; the other coordinates stay constant.
        rounds: maximum number of iterations.
        damped: whether steps that increase the error are damped (Levenberg-Marquardt): slower, but converges from
            initial values that are far from a solution.
        enough: number of closed configurations after which the iteration stops.

    Returns:
        The configurations (S, n), and flags (S,) that are true where the loops are closed.
    """
    q, columns = q.copy(), list(unknown)
    error, jacobian = balanced_closure(tree, q)
    damping = np.full(len(q), FIRST_DAMPING if damped else LEAST_DAMPING)
    going = np.ones(len(q), bool)
    for _ in range(rounds):
        rows = np.flatnonzero(going) if tree.shared else np.arange(len(q))
        closed_count = (~going & (_left(error) < CLOSED)).sum()
        if not going.any() or (enough is not None and closed_count >= enough):
            break
        derivatives = jacobian[rows][:, :, columns]
        step = least_squares(derivatives, error[rows][:, :, None], damping[rows])[:, :, 0]
        trial = q[rows]
        trial[:, columns] -= np.clip(step, -LONGEST, LONGEST) * tree.units[columns]
        trial_error, trial_jacobian = balanced_closure(tree, trial)
        taken = going[rows]
        if damped:
            taken &= (trial_error**2).sum(1) < (error[rows] ** 2).sum(1)
            changed = damping[rows] * np.where(taken, 1 / 5, 4)
            damping[rows] = np.clip(changed, LEAST_DAMPING, MOST_DAMPING)
        going &= _left(error) > CLOSED  # configurations that have just closed take one more step
        q[rows[taken]], error[rows[taken]], jacobian[rows[taken]] = (
            trial[taken],
            trial_error[taken],
            trial_jacobian[taken],
        )
    return q, _left(error) < CLOSED


def _left(error: Array) -> Array:
    largest: Array = np.abs(error).max(1, initial=0)
    return largest


def least_squares(a: Array, b: Array, damping: Array | float = LEAST_DAMPING) -> Array:
    """Return x that minimises |a x - b|^2 + damping |x|^2, for many systems at once.

    The default damping is so small that it has an effect only if columns of `a` are dependent.

    Args:
        a: (S, m, n) matrices.
        b: (S, m, k) right-hand sides.
        damping: one number, or one per system (S,).
    """
    transposed = a.transpose(0, 2, 1)
    more = np.reshape(damping, (-1, 1, 1)) * np.eye(a.shape[2])
    return np.asarray(np.linalg.solve(transposed @ a + more, transposed @ b), dtype=float)


def refined(
    tree: NumericTree, q: Numbers, unknown: Sequence[int], inverse: Numbers
) -> tuple[Numbers, Numbers]:
    """Close the loops to about 85 digits in fixed-point numbers (scaled integers), starting from double precision.

    Args:
        q: (S, n) configurations that are closed to double precision, as scaled integers.
        unknown: indices of the coordinates (columns of q) that may change.
        inverse: inverse of the closure Jacobian with respect to these coordinates, accurate to about a dozen digits.

    Returns:
        The configurations (S, n) and the remaining closure errors, both as scaled integers.
    """
    q, columns, before = q.copy(), list(unknown), None
    for _ in range(REFINEMENTS):
        errors = closure_error(tree, q)
        worst = np.abs(errors).max(initial=0)
        if worst < LAST or (before and 2 * worst > before):
            break
        before = worst
        q[:, columns] -= times(inverse, errors[:, :, None])[:, :, 0]
    return q, errors
