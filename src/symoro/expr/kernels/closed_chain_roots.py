"""Real roots of the pencil, and the joint values that belong to each (Manocha and Canny 1994)."""

from __future__ import annotations

import numpy as np

from symoro.expr.kernels.array import Array
from symoro.expr.kernels.closed_chain_equations import (
    arrange,
    coefficients,
    joint_placement,
    pencil,
    role_order,
)

# Emitted Python takes over what follows.

REAL = 1e-3  # imaginary part of an angle up to which a root may be a real one, seen through round-off
NEARLY_REAL = 0.03  # the same for a root of multiplicity four or more
FAR = 1e-5  # inverse of a length beyond which a sliding pivot is at infinity
# Entries of the companion matrix beyond which its roots are inaccurate, and its leading matrix is singular.
LARGE = (1e6, 1e10)
NULL = 1e-6  # singular value, against the largest, that counts as zero in the pencil
RANK = 1e-9  # the same for the right side
SHARED = 4  # most solutions that are told apart when they share the pivot's value
MIXTURE = 0.37  # of z with y, so that two solutions that share y still differ


def real_roots(matrices: Array, kind: int, limits: Array | float = REAL) -> tuple[Array, Array, Array]:
    """Return samples (K,), half angles (K,) of the real roots x = tan(half) of M2 x^2 + M1 x + M0, and doubts (N,).

    t = 1/x is an eigenvalue of the companion matrix of M0 t^2 + M1 t + M2, whose leading matrix the shift of the
    pivot makes regular. A doubt is 2 where this matrix is singular all the same, 1 where it is nearly so or where roots
    beyond the limit (a number, or one per sample) are nearly real, and 0 otherwise.
    """
    samples, _, n, _ = matrices.shape
    companion = np.zeros((samples, 2 * n, 2 * n))
    companion[:, :n, n:] = np.eye(n)
    largest = np.full(samples, np.inf)
    for sample in range(samples):
        try:
            lower = np.linalg.solve(
                matrices[sample, 2], np.hstack([matrices[sample, 0], matrices[sample, 1]])
            )
        except np.linalg.LinAlgError:
            continue
        if np.isfinite(lower).all():
            companion[sample, n:] = -lower
            largest[sample] = np.abs(lower).max()
    t = np.linalg.eigvals(companion)
    imaginary = np.abs(t.imag) / (1 + np.abs(t) ** 2)
    if kind:
        imaginary[np.abs(t) < FAR] = np.inf
    real = imaginary < np.broadcast_to(limits, samples)[:, None]
    which, column = np.nonzero(real)
    nearly = (~real & (imaginary < NEARLY_REAL)).any(1) | ~(largest < LARGE[0])
    return which, np.arctan2(1, t.real[which, column]), np.where(largest < LARGE[1], nearly.astype(int), 2)


def monomials(matrices: Array) -> tuple[Array, Array]:
    """Null vectors (K', n) of matrices (K, n, n) that are vectors of monomials, and the matrix each belongs to.

    Two solutions may share the pivot's value (wrists do). Multiplication by y and by z maps the null space to
    itself, and its eigenvectors there are the solutions.
    """
    n = matrices.shape[-1]
    _, sizes, rows = np.linalg.svd(matrices)
    nullity = np.clip((sizes < NULL * sizes[:, :1]).sum(1), 1, SHARED)
    vectors, owners = [np.zeros((0, n))], [np.zeros(0, dtype=int)]
    for size in range(1, SHARED + 1):
        index = np.nonzero(nullity == size)[0]
        space = np.swapaxes(rows[index, n - size :], 1, 2)
        if size == 1 or not len(index):
            vectors.append(space[..., 0])
            owners.append(index)
            continue
        grid = space.reshape(len(index), 4, n // 4, size)
        action = multiplication(grid[:, :3], grid[:, 1:])
        if n == 12:
            action = action + MIXTURE * multiplication(grid[:, :, :2], grid[:, :, 1:])
        factors, directions = np.linalg.eig(action)
        k, column = np.nonzero(np.abs(factors.imag) < 1e-2 * (1 + np.abs(factors)))
        vectors.append(np.swapaxes(space @ directions, 1, 2)[k, column].real)
        owners.append(index[k])
    return np.concatenate(vectors), np.concatenate(owners)


def multiplication(high: Array, low: Array) -> Array:
    """The matrices S (k, size, size) with high = low S, from grids (k, powers, powers, size) of a null space."""
    count, size = high.shape[0], high.shape[-1]
    return np.asarray(np.linalg.pinv(low.reshape(count, -1, size)) @ high.reshape(count, -1, size))


def ratio_value(kind: int, high: Array, low: Array) -> Array:
    """The variable x with high = x low (k, powers, powers), as a joint value."""
    top, bottom = np.sum(high * low, (1, 2)), np.sum(low * low, (1, 2))
    return np.asarray(top / np.where(bottom > 0, bottom, 1) if kind else 2 * np.arctan2(top, bottom))


def basis(kind: int, value: Array) -> Array:
    """(cos, sin, 1) or (r^2, r, 1)."""
    if kind:
        return np.stack([value * value, value, np.ones_like(value)], -1)
    return np.stack([np.cos(value), np.sin(value), np.ones_like(value)], -1)


def candidates(
    placements: Array, kinds: list[int], step: list[float], limits: Array | float = REAL
) -> tuple[Array, Array, Array]:
    """Return approximate solutions (K, 6) in the joints' order, the sample of each, and the doubts (N,) of the roots.

    Arguments:
        placements: (N, 6, 4, 4).
        step: arrangement, and the shifts of its roles 3, 4, 5: each variable counts from there.
        limits: imaginary part up to which a root counts as real, one number or one per sample.
    """
    arrangement = int(step[0])
    order = role_order(arrangement)
    kinds = [kinds[joint] for joint in order]
    shifts = np.array([0, 0, *step[1:4], 0])
    roles = arrange(placements, arrangement).copy()
    for i in (2, 3, 4):
        roles[:, i] = joint_placement(kinds[i], shifts[i]) @ roles[:, i]
    sliding_ends = bool(kinds[2] and kinds[5])
    left, right = coefficients(roles, kinds, sliding_ends)
    matrices = pencil(left, right, kinds, sliding_ends)

    pivot = 3 if sliding_ends else 2
    which, half, doubts = real_roots(matrices, kinds[pivot], limits)
    s, c = np.sin(half)[:, None, None], np.cos(half)[:, None, None]
    at_root = matrices[which, 0] * s * s + matrices[which, 1] * s * c + matrices[which, 2] * c * c
    vectors, owners = monomials(at_root)
    which, half = which[owners], half[owners]
    grid = vectors.reshape(len(vectors), 4, vectors.shape[1] // 4)

    values = np.zeros((len(which), 6))
    values[:, pivot] = np.tan(half) if kinds[pivot] else 2 * half
    values[:, pivot + 1] = ratio_value(kinds[pivot + 1], grid[:, :3], grid[:, 1:])
    bases = [basis(kinds[i], values[:, i]) for i in (pivot, pivot + 1)]
    if sliding_ends:
        bases.append(np.ones((len(which), 1)))
    else:
        values[:, 4] = ratio_value(kinds[4], grid[:, :, :2], grid[:, :, 1:])
        bases.append(basis(kinds[4], values[:, 4]))
    known = np.einsum("kfabc,ka,kb,kc->kf", left[which], *bases)
    products = (np.linalg.pinv(right, rcond=RANK)[which] @ known[..., None])[..., 0]
    values[:, 0] = products[:, 5] if kinds[0] else np.arctan2(products[:, 5], products[:, 2])
    values[:, 1] = products[:, 7] if kinds[1] else np.arctan2(products[:, 7], products[:, 6])
    if not sliding_ends:  # else Newton's first step finds both lengths: they enter linearly
        chain = roles[which, 5]
        for i in range(5):
            chain = chain @ joint_placement(kinds[i], values[:, i]) @ roles[which, i]
        values[:, 5] = np.arctan2(-chain[:, 1, 0], chain[:, 0, 0])
    postures = np.empty_like(values)
    postures[:, order] = values + shifts
    return postures, which, doubts
