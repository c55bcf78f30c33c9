"""Equations of a closed loop of six joints, seen from one of its twelve arrangements.

The loop prod J_i C_i = 1 reads the same from any joint, and backwards: (J C)^-1 turned about x by pi has the same
form. An arrangement names the joints 1 .. 6 from where it starts, in its direction.

Role 6 revolute: J3 C3 J4 C4 J5 C5 = (J6 C6 J1 C1 J2 C2)^-1, whose third and fourth columns l and p are free of
q6. Fourteen functions of them are of degree one in the cosine and sine of every angle (Raghavan and Roth 1993):
p, l, p.p, p.l, p x l, (p.p) l - 2 (p.l) p. They are of degree two at most in a prismatic variable.

Roles 3 and 6 prismatic (the ends slide): the rotation (nine) and the moment of the two sliding directions about each
other, z.(p x l), are free of q3 and q6.

A function of this kind is known from three values a variable: no algebra is needed to find its coefficients.
"""

from __future__ import annotations

import numpy as np

from symoro.expr.kernels.array import Array

# Emitted Python takes over what follows.

TURN = np.diag([1.0, -1.0, -1.0, 1.0])  # about x by pi
ANGLES = np.array([0, 2, 4]) * np.pi / 3
NODES = (ANGLES, np.array([-1.0, 0.0, 1.0]))  # where a revolute, a prismatic variable is tried
FIT = (  # from values at the nodes to coefficients of (cos, sin, 1) or (r^2, r, 1)
    np.stack([np.cos(ANGLES), np.sin(ANGLES), np.full(3, 0.5)]) * 2 / 3,
    np.array([[0.5, -1.0, 0.5], [-0.5, 0.0, 0.5], [0.0, 1.0, 0.0]]),
)
HALF = (  # from those to the coefficients of (x^2, x, 1), x = tan(q/2) or r, times 1 + x^2 for an angle
    np.array([[-1.0, 0.0, 1.0], [0.0, 2.0, 0.0], [1.0, 0.0, 1.0]]),
    np.eye(3),
)


def rigid_inverse(placement: Array) -> Array:
    """Inverse of placements (..., 4, 4)."""
    inverse = np.zeros_like(placement)
    inverse[..., :3, :3] = np.swapaxes(placement[..., :3, :3], -1, -2)
    inverse[..., :3, 3] = -(inverse[..., :3, :3] @ placement[..., :3, 3:])[..., 0]
    inverse[..., 3, 3] = 1
    return inverse


def joint_placement(kind: int, value: Array) -> Array:
    """Rz(value) or Tz(value), (..., 4, 4)."""
    value = np.asarray(value, dtype=float)
    placement = np.zeros((*value.shape, 4, 4))
    placement[...] = np.eye(4)
    if kind:
        placement[..., 2, 3] = value
    else:
        placement[..., 0, 0] = placement[..., 1, 1] = np.cos(value)
        placement[..., 1, 0] = np.sin(value)
        placement[..., 0, 1] = -placement[..., 1, 0]
    return placement


def role_order(arrangement: int) -> list[int]:
    """The joints (from 0) in the roles 1 .. 6: 0 .. 5 start at that joint, 6 .. 11 the same backwards."""
    joints = [0, 1, 2, 3, 4, 5] if arrangement < 6 else [5, 4, 3, 2, 1, 0]
    start = arrangement % 6
    return joints[start:] + joints[:start]


def arrange(placements: Array, arrangement: int) -> Array:
    """The constant placements (..., 6, 4, 4) behind the joints in the roles 1 .. 6."""
    order = role_order(arrangement)
    if arrangement < 6:
        return placements[..., order, :, :]
    before = [(joint + 5) % 6 for joint in order]
    return TURN @ rigid_inverse(placements[..., before, :, :]) @ TURN


def loop_functions(product: Array, sliding_ends: bool) -> Array:
    """The functions that both sides share (..., 14), or (..., 10) when the ends are prismatic."""
    l, p = product[..., :3, 2], product[..., :3, 3]
    cross = np.stack([p[..., i - 2] * l[..., i - 1] - p[..., i - 1] * l[..., i - 2] for i in range(3)], -1)
    if sliding_ends:
        rotation = product[..., :3, :3].reshape(*product.shape[:-2], 9)
        return np.concatenate([rotation, cross[..., 2:]], -1)
    pp = np.sum(p * p, -1, keepdims=True)
    pl = np.sum(p * l, -1, keepdims=True)
    return np.concatenate([p, l, pp, pl, cross, pp * l - 2 * pl * p], -1)


def coefficients(placements: Array, kinds: list[int], sliding_ends: bool) -> tuple[Array, Array]:
    """Both sides, fitted.

    Arguments:
        placements: (N, 6, 4, 4) by roles, the shifts of the variables included.
        kinds: by roles.

    Returns:
        left: (N, functions, 3, 3, 3) over the bases of joints 3, 4, 5, less the constant of the right side;
            when the ends slide, (N, functions, 3, 3, 1) over those of joints 4 and 5.
        right: (N, functions, 8) over the products of the bases of joints 1 and 2, the constant left out.
    """
    at = [joint_placement(kinds[i], NODES[kinds[i]]) @ placements[:, i, None] for i in range(5)]
    if sliding_ends:
        products = placements[:, 2, None, None] @ at[3][:, :, None] @ at[4][:, None]
        values = loop_functions(products, True)[:, :, :, None]
        left = np.einsum("ai,bj,nijkf->nfabk", FIT[kinds[3]], FIT[kinds[4]], values)
    else:
        products = at[2][:, :, None, None] @ (at[3][:, :, None] @ at[4][:, None])[:, None]
        fits = [FIT[kinds[i]] for i in (2, 3, 4)]
        left = np.einsum("ai,bj,ck,nijkf->nfabc", *fits, loop_functions(products, False), optimize=True)
    backward = rigid_inverse(placements[:, 5, None, None] @ at[0][:, :, None] @ at[1][:, None])
    values = loop_functions(backward, sliding_ends)
    right = np.einsum("ai,bj,nijf->nfab", FIT[kinds[0]], FIT[kinds[1]], values).reshape(*left.shape[:2], 9)
    left[..., -1, -1, -1] -= right[..., 8]
    return left, right[..., :8]


def pencil(left: Array, right: Array, kinds: list[int], sliding_ends: bool) -> Array:
    """M2, M1, M0 (N, 3, n, n) of (M2 x^2 + M1 x + M0) m = 0, n = 12, or 4 when the ends slide.

    x is the pivot's tan(q/2); m holds the monomials y^3 .. 1 of the next joint times z^2 .. 1 of the one after. The
    equations are those combinations in which joints 1 and 2 cancel, and these times y. A right side of lower rank
    leaves more combinations than are needed; the last columns of a complete QR are then some of them.
    """
    cancel = np.linalg.qr(right, mode="complete")[0][..., 8:]
    pivot = 3 if sliding_ends else 2
    equations = np.einsum("nfk,nfabc->nkabc", cancel, left)
    equations = np.einsum("ax,nkabc->nkxbc", HALF[kinds[pivot]], equations)
    equations = np.einsum("by,nkxbc->nkxyc", HALF[kinds[pivot + 1]], equations)
    if not sliding_ends:
        equations = np.einsum("cz,nkxyc->nkxyz", HALF[kinds[pivot + 2]], equations)
    samples, count, _, _, last = equations.shape
    made = np.zeros((samples, 3, 2 * count, 4, last))
    made[:, :, :count, 1:] = made[:, :, count:, :3] = np.moveaxis(equations, 2, 1)
    return made.reshape(samples, 3, 2 * count, 4 * last)
