"""Kinematics of a platform with six legs of given lengths: seven quadrics in Study parameters.

A pose is a dual quaternion x = (e, g) with e.g = 0, up to a factor. The quaternion e is the rotation R, and the
position is P = 2 vec(g e*) / e.e. The equation |P + R b - A|^2 = L^2 of a leg from the point A of the base to the point
b of the moving body is a quadric:

    (A.A + b.b - L^2) e.e + 4 g.g - 2 A.(e b e*) + 4 (e* g).b - 4 (g e*).A = 0

Together with Study's quadric e.g = 0 the six equations have 40 solutions with nonzero e.e: M. Husty, "An algorithm for
solving the direct kinematics of general Stewart-Gough platforms", Mechanism and Machine Theory 31(4), 1996.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

ComplexArray = NDArray[np.complex128]
Array = NDArray[np.float64]


def _product() -> Array:
    """Return the tensor M (4, 4, 4) of the quaternion product (p q)_k = sum M[k, i, j] p_i q_j."""
    product = np.zeros((4, 4, 4))
    product[0, range(4), range(4)] = [1, -1, -1, -1]
    for k in (1, 2, 3):
        product[k, 0, k] = product[k, k, 0] = 1
        i, j = k % 3 + 1, (k + 1) % 3 + 1
        product[k, i, j], product[k, j, i] = 1, -1
    return product


_M = _product()
_CONJUGATE = np.diag([1.0, -1.0, -1.0, -1.0])
_TURN = np.einsum(
    "kpj,pim,jl->kmil", _M[1:], _M[:, :, 1:], _CONJUGATE
)  # (e b e*)_k = TURN[k,m,i,l] b_m e_i e_l
_SHIFT = np.einsum("kij,jl->kil", _M[1:], _CONJUGATE)  # (g e*)_k = SHIFT[k,i,l] g_i e_l
_BACK = np.einsum("kij,il->kjl", _M[1:], _CONJUGATE)  # (e* g)_k = BACK[k,j,l] g_j e_l
STUDY = np.zeros((8, 8))
STUDY[:4, 4:] = STUDY[4:, :4] = np.eye(4) / 2


def quadrics(legs: ComplexArray | Array) -> ComplexArray:
    """Return the symmetric matrices Q (..., 7, 8, 8) of the quadrics x' Q x = 0 of six legs.

    The first six matrices are the leg equations, the last one is Study's quadric.

    Args:
        legs: (..., 6, 7) with the rows (A, b, L^2): point on the base, point on the platform, squared length.
    """
    a, b, square = legs[..., :3], legs[..., 3:6], legs[..., 6]
    quadric = np.zeros((*legs.shape[:-1], 8, 8), complex)
    constant = (a * a).sum(-1) + (b * b).sum(-1) - square
    quadric[..., range(4), range(4)] += constant[..., None]
    quadric[..., range(4, 8), range(4, 8)] += 4
    turned = np.einsum("kmil,...k,...m->...il", _TURN, a, b)
    quadric[..., :4, :4] -= turned + np.swapaxes(turned, -1, -2)
    coupling = 2 * np.einsum("kjl,...k->...jl", _BACK, b) - 2 * np.einsum("kil,...k->...il", _SHIFT, a)
    quadric[..., 4:, :4] += coupling
    quadric[..., :4, 4:] += np.swapaxes(coupling, -1, -2)
    study = np.broadcast_to(STUDY, (*legs.shape[:-2], 1, 8, 8))
    return np.concatenate([quadric, study], -3)


def study_of(pose: Array) -> Array:
    """Return the Study parameters x = (e, g), (8,), of a pose (4, 4)."""
    r, p = pose[:3, :3], pose[:3, 3]
    columns = np.array(
        [
            [1 + r[0, 0] + r[1, 1] + r[2, 2], r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]],
            [r[2, 1] - r[1, 2], 1 + r[0, 0] - r[1, 1] - r[2, 2], r[0, 1] + r[1, 0], r[0, 2] + r[2, 0]],
            [r[0, 2] - r[2, 0], r[0, 1] + r[1, 0], 1 - r[0, 0] + r[1, 1] - r[2, 2], r[1, 2] + r[2, 1]],
            [r[1, 0] - r[0, 1], r[0, 2] + r[2, 0], r[1, 2] + r[2, 1], 1 - r[0, 0] - r[1, 1] + r[2, 2]],
        ]
    )
    e = columns[np.argmax(np.abs(np.diag(columns)))]
    e = e / np.linalg.norm(e)
    g = np.einsum("kij,i,j->k", _M, np.array([0.0, *p]) / 2, e)
    return np.concatenate([e, g])


def pose_of(x: Array) -> Array:
    """Return the pose (4, 4) of real Study parameters x = (e, g), (8,)."""
    e, g = x[:4] / np.linalg.norm(x[:4]), x[4:] / np.linalg.norm(x[:4])
    pose = np.eye(4)
    pose[:3, :3] = np.einsum("kmil,i,l->km", _TURN, e, e)
    pose[:3, 3] = 2 * np.einsum("kil,i,l->k", _SHIFT, g, e)
    return pose
