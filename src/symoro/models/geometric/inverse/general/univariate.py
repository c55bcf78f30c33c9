"""The polynomial in one variable whose roots are the solutions of a loop of six joints: degree 16, or 8.

The pencil of the kernel `closed_chain` gives it as a determinant. For a revolute pivot q,
det(M2 s^2 + M1 s c + M0 c^2) with s, c = sin, cos of q/2 is a trigonometric polynomial of degree h, and

    sum_k a_k e^{ikq} (1 + x^2)^h = sum_k a_k (1 + ix)^(h+k) (1 - ix)^(h-k),    x = tan(q/2), k = -h .. h,

has degree 2h: h = 8, the factor (1 + x^2)^4 that the half tangents bring being gone (Raghavan and Roth 1993), or h = 4
where two sliding joints lie three places apart. Its coefficients come from equally spaced values, which is as well
conditioned as can be; the roots of a polynomial of degree 16 are not, and the kernel does not use it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symoro.errors import NotApplicableError
from symoro.expr.kernels.closed_chain import Array, arrange, coefficients, joint_placement, pencil, role_order


def univariate_polynomial(
    kinds: Sequence[int], constants: Sequence[float], plan: Sequence[float]
) -> tuple[int, Array]:
    """The joint (from 0) that the plan's first arrangement eliminates last, and the polynomial in its tan(q/2).

    Arguments:
        kinds: 0 revolute, 1 prismatic.
        constants: (72) as the kernel takes them.
        plan: (12) or the first four of its numbers.

    Returns:
        joint, coefficients: from the highest power on, the largest being 1 or -1.

    Raises:
        NotApplicableError: the joint slides, so that there is no half tangent.
    """
    order = role_order(int(plan[0]))
    roles_kinds = [int(kinds[joint]) for joint in order]
    sliding_ends = bool(roles_kinds[2] and roles_kinds[5])
    pivot = 3 if sliding_ends else 2
    if roles_kinds[pivot]:
        raise NotApplicableError(
            f"joint {order[pivot] + 1} slides: it has no half tangent",
            hint="give the numbers of another arrangement",
        )
    matrices = _matrices(roles_kinds, constants, plan, pivot, sliding_ends)
    degree = 4 if sliding_ends else 8
    count = 2 * degree + 1
    half = np.pi * np.arange(count) / count
    s, c = np.sin(half)[:, None, None], np.cos(half)[:, None, None]
    values = np.linalg.det(matrices[0] * s * s + matrices[1] * s * c + matrices[2] * c * c)
    harmonics = np.fft.fft(values) / count
    made = np.zeros(count, dtype=complex)
    for k in range(-degree, degree + 1):
        roots = [1j] * (degree + k) + [-1j] * (degree - k)  # of (1 + ix)^(h+k) (1 - ix)^(h-k), up to a factor
        made += harmonics[k] * 1j ** (degree + k) * (-1j) ** (degree - k) * np.poly(roots)
    return order[pivot], made.real / np.abs(made.real).max()


def _matrices(
    kinds: list[int], constants: Sequence[float], plan: Sequence[float], pivot: int, sliding_ends: bool
) -> Array:
    """M2, M1, M0 with the plan's shifts, except that of the pivot."""
    placements = np.zeros((1, 6, 4, 4))
    placements[0, :, :3] = np.reshape(constants, (6, 3, 4))
    placements[0, :, 3, 3] = 1
    placements[0, :, :3, 3] /= np.abs(placements[0, :, :3, 3]).max() or 1
    roles = arrange(placements, int(plan[0])).copy()
    for i in (2, 3, 4):
        if i != pivot:
            roles[:, i] = joint_placement(kinds[i], np.array(plan[i - 1])) @ roles[:, i]
    left, right = coefficients(roles, kinds, sliding_ends)
    return np.asarray(pencil(left, right, kinds, sliding_ends)[0])
