"""Univariate polynomial of degree 16 or 8 whose roots are the solutions of a loop of six joints.

It is the determinant of the matrix pencil of the kernel `closed_chain`. Let q be the joint that is eliminated last (the
pivot), a revolute joint. Then det(M2 s^2 + M1 s c + M0 c^2) with s, c = sin, cos of q/2 is a trigonometric polynomial
of degree h, and

    sum_k a_k e^{ikq} (1 + x^2)^h = sum_k a_k (1 + ix)^(h+k) (1 - ix)^(h-k),    x = tan(q/2), k = -h .. h,

has degree 2h. In general h = 8, after division by the factor (1 + x^2)^4 that the half tangents introduce (Raghavan and
Roth 1993); h = 4 if two prismatic joints are three joints apart. The coefficients are computed from values of the
determinant at equally spaced q, which is well conditioned. The roots of a polynomial of degree 16 are ill conditioned,
so the kernel does not use this polynomial.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symoro.errors import NotApplicableError
from symoro.expr.kernels.closed_chain import Array, arrange, coefficients, joint_placement, pencil, role_order


def univariate_polynomial(
    kinds: Sequence[int], constants: Sequence[float], plan: Sequence[float]
) -> tuple[int, Array]:
    """Return the univariate polynomial in tan(q/2) of a loop of six joints.

    The unknown q is the position of the joint that the first arrangement of the plan eliminates last.

    Args:
        kinds: kinds of the joints, 0 revolute, 1 prismatic.
        constants: (72) constants of the loop, twelve entries for each constant transform C1 to C6.
        plan: (12) settings of the kernel `closed_chain`, or the first four of them.

    Returns:
        Index of the joint (from 0), and the coefficients in descending powers, scaled so that the largest is 1 or -1.

    Raises:
        NotApplicableError: the joint is prismatic, so that there is no half tangent.
    """
    order = role_order(int(plan[0]))
    roles_kinds = [int(kinds[joint]) for joint in order]
    sliding_ends = bool(roles_kinds[2] and roles_kinds[5])
    pivot = 3 if sliding_ends else 2
    if roles_kinds[pivot]:
        raise NotApplicableError(
            f"joint {order[pivot] + 1} is prismatic: the polynomial in tan(q/2) requires a revolute joint",
            hint="give the plan of an arrangement whose pivot is revolute",
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
    """Return the matrices M2, M1, M0 of the pencil M2 s^2 + M1 s c + M0 c^2 (see the module's docstring).

    Args:
        kinds: kinds of the joints in the order of the arrangement, 0 revolute, 1 prismatic.
        constants: (72) constants of the loop.
        plan: settings of the kernel: number of the arrangement and three shifts of joint positions.
        pivot: index of the joint that is eliminated last; its shift is not applied.
        sliding_ends: whether the third and the sixth joint are prismatic.
    """
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
