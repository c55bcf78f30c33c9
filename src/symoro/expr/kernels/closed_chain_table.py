"""Newton steps on the loop, and the table of distinct solutions."""

from __future__ import annotations

import numpy as np

from symoro.expr.kernels.array import Array
from symoro.expr.kernels.closed_chain_equations import joint_placement, role_order
from symoro.expr.kernels.closed_chain_roots import candidates

# Emitted Python takes over what follows.

SLOTS = 16
EMPTY = 1e30  # defect of a slot without solution
STEPS = 16  # of Newton's method at most
SETTLED = 1e-8  # a step below which the next would be round-off
JUMP = 0.5  # change of an angle that is too large for a step
DAMPING = (1e-12, 1e-6)  # limits of what is then added to the squared Jacobian: the defect
NUDGE = 1e-5  # change of a pose at which the loop can move, to make its solutions isolated
ACCEPT = 1e-10  # defect of a solution, lengths divided by the largest one
SAME = 1e-5  # distance below which two solutions are one
GRAIN = 1e-6  # distance below which two joint values count as equal in the order of the slots
LARGEST = 1.5  # entry of what may still be a rounded rotation
CHUNK = 512  # samples at a time, to bound the memory


def loop_errors(placements: Array, kinds: list[int], q: Array) -> tuple[Array, Array, Array]:
    """Error twists (K, 6), Jacobians (K, 6, 6) and products (K, 4, 4) of the loop at q (K, 6)."""
    count = len(q)
    chain = np.broadcast_to(np.eye(4), (count, 4, 4))
    axes, points = np.empty((count, 6, 3)), np.empty((count, 6, 3))
    for i in range(6):
        axes[:, i], points[:, i] = chain[:, :3, 2], chain[:, :3, 3]
        chain = chain @ joint_placement(kinds[i], q[:, i]) @ placements[:, i]
    jacobian = np.zeros((count, 6, 6))
    for i in range(6):
        if kinds[i]:
            jacobian[:, :3, i] = axes[:, i]
        else:
            jacobian[:, :3, i] = np.cross(axes[:, i], chain[:, :3, 3] - points[:, i])
            jacobian[:, 3:, i] = axes[:, i]
    r = chain[:, :3, :3]
    twist = [r[:, 2, 1] - r[:, 1, 2], r[:, 0, 2] - r[:, 2, 0], r[:, 1, 0] - r[:, 0, 1]]
    return np.concatenate([chain[:, :3, 3], np.stack(twist, -1) / 2], -1), jacobian, chain


def solved(matrices: Array, right: Array) -> Array:
    """Solutions (K, n) of linear systems, or the least ones when a matrix is singular."""
    try:
        return np.asarray(np.linalg.solve(matrices, right[..., None])[..., 0])
    except np.linalg.LinAlgError:
        return np.asarray((np.linalg.pinv(matrices) @ right[..., None])[..., 0])


def newton_steps(jacobian: Array, error: Array, defect: Array, kinds: list[int]) -> tuple[Array, Array]:
    """Steps (K, 6), and which are damped: those where an angle would jump, the Jacobian being nearly singular."""
    steps = solved(jacobian, error)
    jumps = ~(np.abs(steps[:, np.array(kinds) == 0]).max(1) < JUMP)
    turned = np.swapaxes(jacobian[jumps], 1, 2)
    damping = np.clip(defect[jumps], *DAMPING)[:, None, None]
    damped = turned @ jacobian[jumps] + damping * np.eye(6)
    steps[jumps] = solved(damped, (turned @ error[jumps][..., None])[..., 0])
    return steps, jumps


def polish(placements: Array, kinds: list[int], q: Array) -> tuple[Array, Array]:
    """The best of Newton's iterates from each q (K, 6), with its defect (K,)."""
    q = q.copy()
    best, defects = np.zeros_like(q), np.full(len(q), EMPTY)
    index = np.nonzero(np.isfinite(q).all(1))[0]
    settled = np.zeros(len(index), dtype=bool)
    for _ in range(STEPS):
        error, jacobian, chain = loop_errors(placements[index], kinds, q[index])
        defect = np.abs(chain - np.eye(4)).max((1, 2))
        better = defect < defects[index]
        best[index[better]], defects[index[better]] = q[index[better]], defect[better]
        going = ~settled & (defect < EMPTY)
        if not going.any():
            break
        index = index[going]
        step, damped = newton_steps(jacobian[going], error[going], defect[going], kinds)
        q[index] -= step
        settled = (np.abs(step).max(1) < SETTLED) & ~damped
    return wrapped(kinds, best), defects


def wrapped(kinds: list[int], q: Array) -> Array:
    """Angles in (-pi, pi]."""
    turned = -((-q + np.pi) % (2 * np.pi) - np.pi)
    return np.where(np.array(kinds) == 1, q, turned)


def distinct(kinds: list[int], q: Array) -> Array:
    """Which rows of q (K, 6) are not a repetition of an earlier one, in the order of the slots.

    Rows are ordered by the first joint, then by the second and so on; -pi counts as pi.
    """
    alike = np.abs(wrapped(kinds, q[:, None] - q[None])).max(-1) < SAME
    kept: list[int] = []
    for row in range(len(q)):
        if not alike[row, kept].any():
            kept.append(row)
    low = (q[kept] < GRAIN - np.pi) & (np.array(kinds) == 0)
    keys = np.rint(np.where(low, q[kept] + 2 * np.pi, q[kept]) / GRAIN)
    return np.array(kept, dtype=int)[np.lexsort(keys.T[::-1])][:SLOTS]


def straightened(placements: Array) -> Array:
    """Rotations that were rounded become rotations again: Newton's iteration for the polar factor."""
    placements = placements.copy()
    for _ in range(3):
        r = placements[..., :3, :3]
        placements[..., :3, :3] = 1.5 * r - 0.5 * r @ np.swapaxes(r, -1, -2) @ r
    return placements


def nudged(placements: Array) -> Array:
    """The loops with the last placement moved a little."""
    moved = placements.copy()
    moved[:, 5, :3] += NUDGE * np.array([[0, 1, -0.7, 0.3], [-1, 0, 0.4, -0.5], [0.7, -0.4, 0, 0.6]])
    return straightened(moved)


def fill(table: Array, placements: Array, kinds: list[int], plan: list[float]) -> None:
    """Write the solutions into table (N, 16, 7); the defects are those of the placements as they were given.

    The second and third arrangements of the plan are tried for the samples whose pencil is singular, and for those
    whose number of solutions is odd, or none although there were candidates: real solutions come in pairs, except where
    two meet. Where the loop can move, its solutions are not isolated and all arrangements may fail: last comes a pose
    nearby, polished on the true one.
    """
    scale = np.abs(placements[:, :, :3, 3]).max((1, 2))
    scale[scale == 0] = 1
    scaled = placements.copy()
    scaled[:, :, :3, 3] /= scale[:, None, None]
    scaled = straightened(scaled)
    lengths = np.where(np.array(kinds) == 1, scale[:, None], 1)
    found: list[list[Array]] = [[] for _ in scale]
    again = np.arange(len(scale))
    for tries, step in enumerate((plan[0:4], plan[4:8], plan[8:12], plan[0:4])):
        if tries == 3:
            again = np.array([sample for sample in again if not found[sample]], dtype=int)
        if not len(again) or not 0 <= step[0] < 12:
            break
        order = role_order(int(step[0]))
        if kinds[order[5]] and not kinds[order[2]]:
            continue
        seen = nudged(scaled[again]) if tries == 3 else scaled[again]
        q, which, singular = candidates(seen, kinds, step)
        q, defect = polish(scaled[again[which]], kinds, q)
        missing = []
        for position, sample in enumerate(again):
            mine = which == position
            found[sample].extend(q[mine & (defect < ACCEPT)])
            if found[sample]:
                solutions = np.array(found[sample])
                found[sample] = list(solutions[distinct(kinds, solutions)])
            if singular[position] or len(found[sample]) % 2 or (not found[sample] and mine.any()):
                missing.append(sample)
        again = np.array(missing, dtype=int)
    for made, own, length, rows in zip(table, placements, lengths, found, strict=True):
        if rows:
            q = np.array(rows) * length
            chains = loop_errors(np.broadcast_to(own, (len(rows), 6, 4, 4)), kinds, q)[2]
            made[: len(rows), :6] = q
            made[: len(rows), 6] = np.abs(chains - np.eye(4)).max((1, 2))


def closed_chain_(constants: list[Array], kinds: list[Array], plan: list[Array]) -> Array:
    """The table of solutions (..., 112) by rows q1 .. q6, defect; each entry a number or an array over samples."""
    entries = [*constants, *kinds, *plan]
    shape = np.broadcast_shapes(*(np.shape(x) for x in entries))
    rows = np.stack([np.broadcast_to(np.asarray(x, dtype=float), shape) for x in entries], -1).reshape(-1, 90)
    table = np.zeros((len(rows), SLOTS, 7))
    table[:, :, 6] = EMPTY
    rotations = rows[:, :72].reshape(-1, 6, 3, 4)[..., :3]
    usable = np.isfinite(rows).all(1) & (np.abs(rotations) < LARGEST).all((1, 2, 3))
    for choice in np.unique(rows[usable, 72:], axis=0):
        index = np.nonzero(usable & (rows[:, 72:] == choice).all(1))[0]
        for start in range(0, len(index), CHUNK):
            part = index[start : start + CHUNK]
            placements = np.zeros((len(part), 6, 4, 4))
            placements[:, :, :3] = rows[part, :72].reshape(-1, 6, 3, 4)
            placements[:, :, 3, 3] = 1
            made = table[part]
            with np.errstate(all="ignore"):  # what overflows leads to no solution
                fill(made, placements, [int(kind > 0.5) for kind in choice[:6]], choice[6:].tolist())
            table[part] = made
    return table.reshape(*shape, SLOTS * 7)
