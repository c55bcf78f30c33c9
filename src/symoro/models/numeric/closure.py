"""Closed loops in numbers: by how much they are open, and closing them.

A loop closes when its frames k and k + B coincide. With p and R of the two sides, placed from the frame where they
part, z and o a joint's axis and place,

    e = [ pk - pk+B, Rk - Rk+B ],      de = [ z x (p - o), z x R ] dq  or  [ z, 0 ] dq,

twelve entries a loop, of which planar and spherical loops have dependent ones: steps are those of least squares.
Newton's method closes many postures at once in doubles; steps with the inverse that doubles give go on from there, in
scaled integers, by a dozen digits each.
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
LONGEST = 0.4  # of the same, that a coordinate may move in one step
LEAST_DAMPING, FIRST_DAMPING, MOST_DAMPING = 1e-12, 0.3, 1e6
REFINEMENTS = 24
LAST = ONE >> 285  # a digit that is of no importance


def closure(tree: NumericTree, q: Numbers) -> tuple[Numbers, Numbers]:
    """By how much the loops are open (twelve entries a loop), and the derivative by the coordinates."""
    errors, blocks = [np.zeros((len(q), 0), q.dtype)], [np.zeros((len(q), 0, len(tree.coordinates)), q.dtype)]
    for loop in tree.loops:
        at = around(tree, loop, q)
        errors.append(_error(loop, at))
        moved = [j - 1 for j in loop.frames]
        blocks.append(times(_by_joints(tree, loop, at), tree.ratios[:, moved]))
    return np.concatenate(errors, 1), np.concatenate(blocks, 1)


def closure_error(tree: NumericTree, q: Numbers) -> Numbers:
    """By how much the loops are open."""
    errors = [_error(loop, around(tree, loop, q)) for loop in tree.loops]
    return np.concatenate([np.zeros((len(q), 0), q.dtype), *errors], 1)


def around(tree: NumericTree, loop: Loop, q: Numbers) -> dict[int, Placements]:
    """The frames of a loop, placed from where its sides part."""
    return placements(tree, q, {loop.root: identity_pose(q)}, loop.frames)


def _error(loop: Loop, at: Mapping[int, Placements]) -> Numbers:
    left, right = at[loop.left], at[loop.right]
    turn = (left.rotation - right.rotation).reshape(-1, 9)
    return np.concatenate([left.position - right.position, turn], 1)


def _by_joints(tree: NumericTree, loop: Loop, at: Mapping[int, Placements]) -> Numbers:
    """The derivative of a loop's error by the joints of its frames (S, 12, frames)."""
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
    """The same with lengths in units of the largest one, so that sizes can be compared."""
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
    """Newton's method on many postures at once; returns them, and which closed.

    Arguments:
        unknown: the coordinates (their places in q) that may move.
        damped: whether steps are damped where they do not help (Levenberg and Marquardt): slower, and closes more often
            from afar.
        enough: closed postures, after which the others are left as they are.
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
        slopes = jacobian[rows][:, :, columns]
        step = least_squares(slopes, error[rows][:, :, None], damping[rows])[:, :, 0]
        trial = q[rows]
        trial[:, columns] -= np.clip(step, -LONGEST, LONGEST) * tree.units[columns]
        there, turned = balanced_closure(tree, trial)
        taken = going[rows]
        if damped:
            taken &= (there**2).sum(1) < (error[rows] ** 2).sum(1)
            changed = damping[rows] * np.where(taken, 1 / 5, 4)
            damping[rows] = np.clip(changed, LEAST_DAMPING, MOST_DAMPING)
        going &= _left(error) > CLOSED  # those that have closed are taken a step further
        q[rows[taken]], error[rows[taken]], jacobian[rows[taken]] = trial[taken], there[taken], turned[taken]
    return q, _left(error) < CLOSED


def _left(error: Array) -> Array:
    largest: Array = np.abs(error).max(1, initial=0)
    return largest


def least_squares(a: Array, b: Array, damping: Array | float = LEAST_DAMPING) -> Array:
    """x of least |a x - b|, many at once; the least damping matters only where columns of `a` depend on each other."""
    turned = a.transpose(0, 2, 1)
    more = np.reshape(damping, (-1, 1, 1)) * np.eye(a.shape[2])
    return np.asarray(np.linalg.solve(turned @ a + more, turned @ b), dtype=float)


def refined(
    tree: NumericTree, q: Numbers, unknown: Sequence[int], inverse: Numbers
) -> tuple[Numbers, Numbers]:
    """Postures in scaled integers, closed as far as their digits and the tree's go, and by how much they stay open.

    Arguments:
        inverse: of the derivative by the unknown coordinates, to a dozen digits.
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
