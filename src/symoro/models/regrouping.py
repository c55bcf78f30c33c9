"""The general rule of regrouping: which mass a joint does not move, and what its antecedent gains of it.

The mass of a link is its pseudo-inertia, over scalars of any kind (expressions, exact numbers):

    P = [ K   MS ]     K = integral of r r' dm:  Kxx = (YY + ZZ - XX)/2, Kxy = -XY, ...
        [ MS'  M ]

A change of frame is P_i = T P_j T', T = iTj, whatever moves. Mass that a joint does not move may be booked on
either side of it, and the general rule books it on the antecedent (Gautier and Khalil 1988, eq. 20 to 22):

    revolute   the block (z, 1): Kzz, MZ, M         its columns of T do not depend on theta
    prismatic  K                                     the rotation of T does not depend on r
    fixed      everything

Of Kzz any amount may go: all of it, or YY = Kxx + Kzz, after which the link has no YY and XXR = XX - YY. The latter is
what SYMORO and the papers do.
"""

from __future__ import annotations

from fractions import Fraction

from symoro.expr.linalg import Matrix, MatrixLike, VectorLike, homogeneous, matmul, transpose, zeros
from symoro.expr.scalar import Scalar
from symoro.models.spatial import Inertia
from symoro.robot.description import INERTIAL, JointType

Coefficients = dict[str, Scalar]


def of_matrix(p: MatrixLike) -> Inertia:
    """From the 4x4 pseudo-inertia."""
    return Inertia(
        (p[0][0], p[1][1], p[2][2], p[0][1], p[0][2], p[1][2]), (p[0][3], p[1][3], p[2][3]), p[3][3]
    )


def moving(p: Matrix, sigma: JointType, basis: str = "K") -> Matrix:
    """What goes to the antecedent, still in the link's frame.

    Arguments:
        basis: of a link that turns, what vanishes: 'K' for Kzz, 'J' for YY.
    """
    if sigma == JointType.FIXED:
        return p
    moves = zeros(4, 4)
    if sigma == JointType.PRISMATIC:
        for r in range(3):
            moves[r][:3] = p[r][:3]
        return moves
    moves[2][2] = p[2][2] if basis == "K" else p[0][0] + p[2][2]
    moves[2][3] = moves[3][2] = p[2][3]
    moves[3][3] = p[3][3]
    return moves


def staying(p: MatrixLike, moves: MatrixLike) -> Matrix:
    """What is left on the link."""
    return [[x - y for x, y in zip(r, s, strict=True)] for r, s in zip(p, moves, strict=True)]


def carried(p: MatrixLike, rotation: MatrixLike, position: VectorLike) -> Matrix:
    """T P T' with T made of a rotation and a position."""
    t = homogeneous(rotation, position)
    return matmul(matmul(t, p), transpose(t))


def relations(
    sigma: JointType, rotation: MatrixLike, position: VectorLike
) -> tuple[dict[str, Coefficients], dict[str, Coefficients]]:
    """The rule for the standard parameters, YY vanishing: of each one what stays and what the antecedent gains.

    Both are {parameter of the link: {parameter that it enters: coefficient}}, zeros left out; the rule is linear, so
    that a unit of each tells.
    """
    stay: dict[str, Coefficients] = {}
    gain: dict[str, Coefficients] = {}
    for name in INERTIAL:
        p = _unit(name).matrix()
        moves = moving(p, sigma, basis="J")
        stay[name] = _standard(of_matrix(staying(p, moves)))
        gain[name] = _standard(of_matrix(carried(moves, rotation, position))) if any(map(any, moves)) else {}
    return stay, gain


def _unit(name: str) -> Inertia:
    """A mass of which one standard parameter is one and the others are none."""
    xx, xy, xz, yy, yz, zz, x, y, z, m = (int(name == each) for each in INERTIAL)
    half = Fraction(1, 2)
    return Inertia(
        ((yy + zz - xx) * half, (xx + zz - yy) * half, (xx + yy - zz) * half, -xy, -xz, -yz), (x, y, z), m
    )


def _standard(inertia: Inertia) -> Coefficients:
    values = (*inertia.tensor(), *inertia.ms, inertia.m)
    return {name: value for name, value in zip(INERTIAL, values, strict=True) if value}
