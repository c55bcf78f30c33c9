"""Measures of Jacobian matrices: manipulability, singular values, condition, rank, distance to singularities.

A Jacobian J (6, n) maps joint rates to the twist (linear; angular) of a frame. Its entries have different units, so
that its singular values depend on the unit of length. With a characteristic length L the matrix

    J_h = diag(1/L ... , 1 ...) J diag(1 (revolute), L (prismatic))

is dimensionless: the linear velocity and the rates of prismatic joints are measured in L per second (J. Angeles,
"Fundamentals of Robotic Mechanical Systems", section 5.8). Of J_h, only the rows of the task are used. With s_1 >= ...
>= s_m the m = min(rows, n) singular values,

    manipulability    s_1 ... s_m = sqrt(det(J_h J_h')) or sqrt(det(J_h' J_h))     (T. Yoshikawa, IJRR 4(2), 1985)
    condition         s_1 / s_m
    rank              number of singular values above 1e-9 s_1

Distance to singularities. For an open chain it is s_m: the smallest twist, over all unit joint rates that move the
frame, or over all unit wrenches the smallest torque. For a robot with closed loops J refers to the active joints, and
there are two types (C. Gosselin, J. Angeles, IEEE Trans. Robotics and Automation 6(3), 1990):

    type 1 (serial)      s_m        smallest twist of the frame for unit rates of the active joints; zero if active
                                    joints can move while the frame is at rest
    type 2 (parallel)    1 / s_1    smallest rates of the active joints for a unit twist that is possible; zero if the
                                    frame can move while the active joints are locked

For the same rows and length they equal the distances 'serial' and 'parallel' of the numeric singularity analysis
(`models/kinematic/singularity_distance.py`), which also contains passive and constraint singularities. Here they follow
from the compiled Jacobian, for millions of rows.

Both are singular values of the matrices that relate dimensionless rates and twists, so that they can be compared with
each other and between robots. They do not depend on the choice of the equations of the loops, as the determinants of
these equations do.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from symoro.models.tolerances import DEPENDENT_JOINTS

Array = NDArray[np.float64]
RANK = DEPENDENT_JOINTS  # relative to s_1: below it a pose in double precision does not determine the joints to 1e-6


def homogeneous(J: Array, prismatic: NDArray[np.bool_], length: float, task: tuple[int, ...]) -> Array:
    """Return the dimensionless rows of Jacobians that belong to a task.

    Args:
        J: Jacobians (N, 6, n), linear rows first.
        prismatic: whether each joint is prismatic, (n,).
        length: characteristic length in metres.
        task: indices of the rows.
    """
    rows = J if task == tuple(range(6)) else J[:, list(task)]
    if length == 1.0:  # metres and radians: nothing to scale
        return rows
    linear = np.array([1 / length if row < 3 else 1.0 for row in task])
    return np.asarray(rows * linear[:, None] * np.where(prismatic, length, 1.0))


def finite_rows(J: Array) -> NDArray[np.bool_]:
    """Return, per matrix, whether all its entries are finite."""
    return np.asarray(np.isfinite(J).all(axis=(1, 2)))


def singular_values(J: Array) -> Array:
    """Return the singular values (N, m) of each matrix in decreasing order; NaN if an entry is not finite."""
    return _where_finite(J, _svd, (min(J.shape[1:]),))


def manipulability(J: Array) -> Array:
    """Return the product of the singular values of each matrix, (N,), from its determinant or QR decomposition."""
    if J.shape[1] == J.shape[2]:
        return _where_finite(J, lambda A: np.asarray(np.abs(np.linalg.det(A))), ())
    tall = J if J.shape[1] > J.shape[2] else J.transpose(0, 2, 1)

    def product(A: Array) -> Array:
        R = np.linalg.qr(A, mode="r")
        return np.asarray(np.abs(np.diagonal(R, axis1=1, axis2=2).prod(1)))

    return _where_finite(tall, product, ())


def condition(s: Array) -> Array:
    """Return the condition number s_1 / s_m of each row of singular values; infinite for a singular matrix."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(s[:, 0] / s[:, -1])


def rank(s: Array) -> Array:
    """Return the numerical rank for each row of singular values; NaN if they are NaN."""
    count = (s > RANK * s[:, :1]).sum(1).astype(float)
    return np.where(np.isnan(s[:, 0]), np.nan, count)


def singularity_distances(s: Array, postures: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Return the distances to singularities of type 1 and type 2 for each row of singular values.

    Args:
        s: singular values (N, m) of dimensionless Jacobians with respect to the active joints.
        postures: whether the loops are closed, (N,). The Jacobian of a closed posture in which a model has no value is
            infinite: the posture is a singularity of type 2.
    """
    singular = postures & np.isnan(s[:, 0])
    with np.errstate(divide="ignore"):
        second = np.where(singular, 0.0, 1 / s[:, 0])
    return s[:, -1], second


def _svd(J: Array) -> Array:
    return np.asarray(np.linalg.svd(J, compute_uv=False), dtype=np.float64)


def _where_finite(J: Array, work: Callable[[Array], Array], shape: tuple[int, ...]) -> Array:
    """Return work(J) for the matrices with finite entries, NaN for the others; LAPACK rejects NaN."""
    good = finite_rows(J)
    if good.all():
        return np.asarray(work(J))
    values = np.full((len(J), *shape), np.nan)
    values[good] = work(J[good])
    return values
