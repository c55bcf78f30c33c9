"""Newton steps on the given entries of a chain's end, row by row of the candidates."""

from __future__ import annotations

import numpy as np

from symoro.expr.kernels.closed_chain_equations import Array

# Emitted Python takes over what follows.

REFINE_START = 1e-2  # residual above which a candidate is none
REFINE_FINE = 1e-3  # of the tolerance: exact
REFINE_STEPS = 10
REFINE_DAMPING = 1e-14
REFINE_SAME = 1e-5  # joints of two rows closer than this: one solution


def refine_chain_(placements: Array, kinds: Array, q: Array) -> tuple[Array, Array]:
    """The end (S, 3, 4) of chains (S, n + 1, 4, 4) at q (S, n), and its derivatives (S, 3, 4, n)."""
    chain = placements[:, 0]
    axes = []
    for i, kind in enumerate(kinds):
        axes.append(np.sign(kind) * chain[:, :3, 2])
        origin = chain[:, :3, 3]
        axes[-1] = np.stack([axes[-1], origin], -1)
        joint = np.zeros((len(q), 4, 4))
        joint[:] = np.eye(4)
        if abs(kind) > 1.5:
            joint[:, 2, 3] = np.sign(kind) * q[:, i]
        else:
            joint[:, 0, 0] = joint[:, 1, 1] = np.cos(q[:, i])
            joint[:, 1, 0] = np.sign(kind) * np.sin(q[:, i])
            joint[:, 0, 1] = -joint[:, 1, 0]
        chain = chain @ joint @ placements[:, i + 1]
    slopes = np.zeros((len(q), 3, 4, len(kinds)))
    for i, kind in enumerate(kinds):
        z, origin = axes[i][..., 0], axes[i][..., 1]
        if abs(kind) > 1.5:
            slopes[:, :, 3, i] = z
        else:
            end = chain[:, :3].copy()
            end[:, :, 3] -= origin
            slopes[..., i] = np.cross(z[:, :, None], end, axis=1)
    return chain[:, :3], slopes


def refine_rows_(placements: Array, target: Array, kinds: Array, given: Array, q: Array) -> tuple[Array, Array]:
    """The best of Newton's iterates from each q (S, n), angles in (-pi, pi], and its residual (S,)."""
    q = q.copy()
    end, slopes = refine_chain_(placements, kinds, q)
    miss = (end - target)[:, given]
    least = np.abs(miss).max(1)
    going = np.arange(len(q))
    for _ in range(REFINE_STEPS):
        if not len(going):
            break
        jacobian = slopes[:, given]
        turned = np.swapaxes(jacobian, 1, 2)
        normal = turned @ jacobian
        top = np.max(np.diagonal(normal, axis1=1, axis2=2), 1)
        normal += REFINE_DAMPING * top[:, None, None] * np.eye(len(kinds))
        usable = np.isfinite(normal).all((1, 2)) & (top > 0)
        normal[~usable] = np.eye(len(kinds))
        x = q[going] - np.linalg.solve(normal, turned @ miss[..., None])[..., 0]
        end, slopes = refine_chain_(placements[going], kinds, x)
        miss = (end - target[going])[:, given]
        size = np.abs(miss).max(1)
        better = usable & (size < least[going])
        going, slopes, miss = going[better], slopes[better], miss[better]
        q[going], least[going] = x[better], size[better]
    turns = np.abs(kinds) < 1.5
    return np.where(turns, np.arctan2(np.sin(q), np.cos(q)), q), least


def refine_(placements: list[Array], target: list[Array], marks: list[Array], rows: list[Array]) -> Array:
    """The rows (..., K (n + 2)), refined; each entry a number or an array over samples."""
    numbers = [float(np.ravel(x)[0]) for x in marks]
    n, tolerance, given, kinds = int(numbers[0]), numbers[1], np.array(numbers[2:14]) > 0.5, np.array(numbers[14:])
    given = given.reshape(3, 4)
    entries = [*placements, *target, *rows]
    shape = np.broadcast_shapes(*(np.shape(x) for x in entries))
    whole = np.stack([np.broadcast_to(np.asarray(x, dtype=float), shape) for x in entries], -1)
    whole = whole.reshape(-1, len(entries))
    chain = np.zeros((len(whole), n + 1, 4, 4))
    chain[:, :, :3] = whole[:, : 12 * (n + 1)].reshape(-1, n + 1, 3, 4)
    chain[:, :, 3, 3] = 1
    goal = whole[:, 12 * (n + 1) : 12 * (n + 2)].reshape(-1, 3, 4)
    table = whole[:, 12 * (n + 2) :].reshape(len(whole), -1, n + 2).copy()
    turns = np.abs(kinds) < 1.5
    with np.errstate(all="ignore"):
        for k in range(table.shape[1]):
            residual, status = table[:, k, n], table[:, k, n + 1]
            wanted = (residual < REFINE_START) & ((residual > REFINE_FINE * tolerance) | (status == 1))
            index = np.nonzero(wanted)[0]
            if not len(index):
                continue
            q, least = refine_rows_(chain[index], goal[index], kinds, given, table[index, k, :n])
            kept = least <= tolerance
            index, q, least = index[kept], q[kept], least[kept]
            apart = table[index, :, :n] - q[:, None]
            apart = np.abs(np.where(turns, np.arctan2(np.sin(apart), np.cos(apart)), apart)).max(2)
            valid = (table[index, :, n + 1] == 0) | (table[index, :, n + 1] == 2)
            valid[:, k] = False
            repeated = (valid & (apart < REFINE_SAME)).any(1)
            table[index[repeated], k, n + 1] = 3
            index, q, least = index[~repeated], q[~repeated], least[~repeated]
            table[index, k, :n], table[index, k, n] = q, least
            table[index, k, n + 1] = np.where(table[index, k, n + 1] == 2, 2, 0)
    return table.reshape(*shape, -1)
