"""Newton steps on the loop, and the table of distinct solutions."""

from __future__ import annotations

import numpy as np

from symoro.expr.kernels.array import Array
from symoro.expr.kernels.closed_chain_equations import joint_placement, role_order
from symoro.expr.kernels.closed_chain_roots import NEARLY_REAL, REAL, candidates

# Emitted Python takes over what follows.

SLOTS = 16
TRIES = 5  # three arrangements, and a pose nearby to either side
EMPTY = 1e30  # defect of a slot without solution
STEPS = 40  # of Newton's method at most; a simple root takes three
SETTLED = 1e-8  # a step below which the next would be round-off
JUMP = 0.5  # change of an angle that is too large for a step
DAMPING = (1e-12, 1e-6)  # limits of what is then added to the squared Jacobian: the defect
WEAK = 1e3  # motion for a unit error beyond which two solutions nearly meet
# Change of a pose that separates roots which meet, and isolates solutions where the loop can move.
NUDGE = 1e-5
ACCEPT = 1e-10  # defect of a solution, lengths divided by the largest one
CLOSE = 1e-6  # defect of a posture below which a solution may be near it
ROUGH = 1e-2  # defect of a posture up to which the loop's error next to it is a parabola
STEP = 1e-3  # of the difference quotient for that parabola
REACH = 0.5  # rad, length of a step along it
ROUND_OFF = 1e-14  # defect of a posture that closes the loop up to rounding
SAME = 1e-5  # distance below which two rows may be one solution
GRAIN = 1e-6  # distance below which two joint values count as equal in the order of the slots
DEVIATION = 0.1  # entry of R R' - 1 of what may still be a rounded rotation R
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


def newton_steps(
    jacobian: Array, error: Array, defect: Array, kinds: list[int]
) -> tuple[Array, Array, Array]:
    """Return steps (K, 6), which of them are damped, and which Jacobians are nearly singular (weak).

    A step is damped where an angle would jump, the Jacobian being nearly singular.
    """
    probe = np.where(np.arange(6) % 2, 1.0, -1.0)
    both = np.stack([error, np.broadcast_to(probe, error.shape)], -1)
    try:
        solution = np.linalg.solve(jacobian, both)
    except np.linalg.LinAlgError:
        solution = np.linalg.pinv(jacobian) @ both
    steps, motions = solution[..., 0].copy(), np.abs(solution[..., 1]).max(1)
    jumps = ~(np.abs(steps[:, np.array(kinds) == 0]).max(1, initial=0) < JUMP)
    turned = np.swapaxes(jacobian[jumps], 1, 2)
    damping = np.clip(defect[jumps], *DAMPING)[:, None, None]
    damped = turned @ jacobian[jumps] + damping * np.eye(6)
    steps[jumps] = solved(damped, (turned @ error[jumps][..., None])[..., 0])
    return steps, jumps, jumps | ~(motions < WEAK)


def polish(placements: Array, kinds: list[int], q: Array) -> tuple[Array, Array]:
    """Return the best of Newton's iterates from each q (K, 6) with its defect, (K, 7), and which are weak (K,)."""
    q = q.copy()
    best, weak = np.zeros((len(q), 7)), np.ones(len(q), dtype=bool)
    best[:, 6] = EMPTY
    index = np.nonzero(np.isfinite(q).all(1))[0]
    settled = np.zeros(len(index), dtype=bool)
    for _ in range(STEPS):
        q[index] = wrapped(kinds, q[index])
        error, jacobian, chain = loop_errors(placements[index], kinds, q[index])
        defect = np.abs(chain - np.eye(4)).max((1, 2))
        better = defect < best[index, 6]
        best[index[better]] = np.column_stack([q[index[better]], defect[better]])
        going = ~settled & (defect < EMPTY)
        if not going.any():
            break
        index = index[going]
        step, damped, weak[index] = newton_steps(jacobian[going], error[going], defect[going], kinds)
        q[index] -= step
        settled = (np.abs(step).max(1) < SETTLED) & ~damped
    return best, weak


def split(placements: Array, kinds: list[int], q: Array) -> tuple[Array, Array]:
    """Return the solutions (K', 7) next to postures q (K, 6) of loops (K, 6, 4, 4), and the posture of each (K',).

    Along the direction v in which a loop opens least, its error is the parabola c + b s + a s^2 / 2. Newton's method
    starts at both of its roots s.
    """
    jacobian = loop_errors(placements, kinds, q)[1]
    left, sizes, right = np.linalg.svd(jacobian)
    u, v, b = left[:, :, 5], right[:, 5], sizes[:, 5]
    low, c, high = ((loop_errors(placements, kinds, q + h * v)[0] * u).sum(1) for h in (-STEP, 0, STEP))
    a = (low - 2 * c + high) / (STEP * STEP)
    root = np.sqrt(np.maximum(b * b - 2 * a * c, 0))
    s = np.stack([-root - b, root - b], 1) / a[:, None]
    which, side = np.nonzero(np.abs(s) < REACH)
    rows = polish(placements[which], kinds, q[which] + s[which, side, None] * v[which])[0]
    good = rows[:, 6] < ACCEPT
    return rows[good], which[good]


def wrapped(kinds: list[int], q: Array) -> Array:
    """Angles in (-pi, pi]."""
    turned = -((-q + np.pi) % (2 * np.pi) - np.pi)
    return np.where(np.array(kinds) == 1, q, turned)


def distinct(placements: Array, kinds: list[int], rows: Array) -> Array:
    """Return the rows (q1 .. q6, defect) of the different solutions among rows (K, 7), in the order of the slots.

    Two rows are one solution where the posture between them closes the loop (6, 4, 4) as well as they do, up to
    `ROUND_OFF`; the first of them is kept. Rows are ordered by the first joint, then by the second and so on; -pi
    counts as pi.
    """
    kept: list[Array] = []
    for row in rows:
        for other in kept:
            apart = wrapped(kinds, row[:6] - other[:6])
            if np.abs(apart).max() < SAME:
                chain = loop_errors(placements[None], kinds, (other[:6] + apart / 2)[None])[2]
                if np.abs(chain - np.eye(4)).max() <= max(ROUND_OFF, row[6], other[6]):
                    break
        else:
            kept.append(row)
    table = np.array(kept)
    low = (table[:, :6] < GRAIN - np.pi) & (np.array(kinds) == 0)
    keys = np.rint(np.where(low, table[:, :6] + 2 * np.pi, table[:, :6]) / GRAIN)
    return np.asarray(table[np.lexsort(keys.T[::-1])][:SLOTS])


def straightened(placements: Array) -> Array:
    """Rotations that were rounded become rotations again: Newton's iteration for the polar factor."""
    placements = placements.copy()
    for _ in range(3):
        r = placements[..., :3, :3]
        placements[..., :3, :3] = 1.5 * r - 0.5 * r @ np.swapaxes(r, -1, -2) @ r
    return placements


def nudged(placements: Array, size: float) -> Array:
    """Return the loops with the last placement moved a little."""
    moved = placements.copy()
    moved[:, 5, :3] += size * np.array([[0, 1, -0.7, 0.3], [-1, 0, 0.4, -0.5], [0.7, -0.4, 0, 0.6]])
    return straightened(moved)


def added(placements: Array, kinds: list[int], rows: Array, others: Array) -> Array:
    """Return the rows (K, 7) of different solutions among some and others of a loop, in the order of the slots."""
    return distinct(placements, kinds, np.concatenate([rows, others])) if len(others) else rows


def fill(table: Array, placements: Array, kinds: list[int], plan: list[float]) -> None:
    """Write the solutions into table (N, 16, 7); the defects are those of the placements as they were given.

    Real solutions come in pairs. Another arrangement of the plan, and a pose nearby whose solutions are polished on the
    true one, are tried for the samples in which two solutions nearly meet or some may be missing: their number is odd,
    a candidate leads nowhere, or there is none and the roots leave a doubt about that.
    """
    scale = np.abs(placements[:, :, :3, 3]).max((1, 2))
    scale[scale == 0] = 1
    scaled = placements.copy()
    scaled[:, :, :3, 3] /= scale[:, None, None]
    scaled = straightened(scaled)
    lengths = np.where(np.array(kinds) == 1, scale[:, None], 1)
    solutions = [np.zeros((0, 7)) for _ in scale]
    best = np.zeros((len(scale), 7))  # the posture that opens a loop least, for those without solution
    best[:, 6] = np.abs(loop_errors(scaled, kinds, best[:, :6])[2] - np.eye(4)).max((1, 2))
    decided = np.zeros(len(scale), dtype=bool)
    again = np.arange(len(scale))
    for tries in range(TRIES):
        step = plan[4 * (tries % 3) : 4 * (tries % 3) + 4]
        if not len(again) or not 0 <= step[0] < 12:
            break
        order = role_order(int(step[0]))
        if kinds[order[5]] and not kinds[order[2]]:
            continue
        seen = scaled[again] if tries < 3 else nudged(scaled[again], NUDGE if tries == 3 else -NUDGE)
        none = np.array([len(solutions[sample]) == 0 for sample in again])
        starts, which, doubts = candidates(seen, kinds, step, np.where(none & (tries > 0), NEARLY_REAL, REAL))
        ends, weak = polish(scaled[again[which]], kinds, starts)
        decided[again] |= (doubts == 0) & (tries < 3)
        failed = ~(ends[:, 6] < ACCEPT)
        index = np.nonzero(failed & (ends[:, 6] < ROUGH))[0]
        near, owners = split(scaled[again[which[index]]], kinds, ends[index, :6])
        rows = np.concatenate([ends[~failed], near])
        origin = np.concatenate([which[~failed], which[index[owners]]])
        doubtful, before = np.zeros(len(again), dtype=bool), np.zeros(len(again), dtype=int)
        for position, sample in enumerate(again):
            mine, before[position] = which == position, len(solutions[sample])
            solutions[sample] = added(scaled[sample], kinds, solutions[sample], rows[origin == position])
            if mine.any() and ends[mine, 6].min() < best[sample, 6]:
                best[sample] = ends[mine][ends[mine, 6].argmin()]
            count, doubt = len(solutions[sample]), doubts[position]
            doubtful[position] = doubt > 1 or failed[mine].any() or count % 2 or (not count and doubt)
        kept = doubtful | np.isin(np.arange(len(again)), which[weak])
        again, doubtful, before = again[kept], doubtful[kept], before[kept]
        origin = np.repeat(np.arange(len(again)), [len(solutions[sample]) for sample in again])
        rows = np.concatenate([np.zeros((0, 7)), *(solutions[sample] for sample in again)])
        near, owners = split(scaled[again[origin]], kinds, rows[:, :6])
        for position, sample in enumerate(again):
            more = near[origin[owners] == position]
            solutions[sample] = added(scaled[sample], kinds, solutions[sample], more)
        counts = np.array([len(solutions[sample]) for sample in again], dtype=int)
        again = again[doubtful | (tries == 0) | (counts > before) | (counts % 2 == 1)]
    for k, known in enumerate(solutions):
        if not len(known) and (not decided[k] or best[k, 6] < CLOSE):
            solutions[k] = best[k : k + 1]
    for made, own, length, rows in zip(table, placements, lengths, solutions, strict=True):
        if len(rows):
            q = rows[:, :6] * length
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
    with np.errstate(all="ignore"):
        squares = rotations @ np.swapaxes(rotations, -1, -2)
        usable = np.isfinite(rows).all(1) & (np.abs(squares - np.eye(3)) < DEVIATION).all((1, 2, 3))
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
