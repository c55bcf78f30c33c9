"""General rule of regrouping: the relations as printed in the papers, for scalars of every kind."""

from __future__ import annotations

import random
from fractions import Fraction as F

import pytest

from symoro.expr.linalg import matadd
from symoro.models.regrouping import carried, moving, of_matrix, relations, staying
from symoro.models.spatial import Inertia
from symoro.robot.description import INERTIAL, JointType

S, C, D, R = F(3, 5), F(4, 5), F(7, 3), F(-5, 4)  # sin and cos of alpha, d, r


def turned(theta: tuple[F, F]) -> list[list[F]]:
    """Return the rotation in Khalil and Kleinfinger's notation, from sine and cosine of theta."""
    s, c = theta
    return [[c, -s, 0], [C * s, C * c, -S], [S * s, S * c, C]]


POSITION = [D, -R * S, R * C]
REVOLUTE = {  # Gautier and Khalil 1988, eq. 20 to 22, with alpha, d and r
    "YY": {"XX": 1, "YY": C * C, "YZ": C * S, "ZZ": S * S},
    "MZ": {
        "XX": 2 * R,
        "XY": D * S,
        "XZ": -D * C,
        "YY": 2 * R * C * C,
        "YZ": 2 * R * C * S,
        "ZZ": 2 * R * S * S,
        "MY": -S,
        "MZ": C,
    },
    "M": {
        "XX": R * R,
        "XY": D * R * S,
        "XZ": -D * R * C,
        "YY": D * D + R * R * C * C,
        "YZ": R * R * C * S,
        "ZZ": D * D + R * R * S * S,
        "MX": D,
        "MY": -R * S,
        "MZ": R * C,
        "M": 1,
    },
}


def test_a_joint_that_turns() -> None:
    for theta in ((F(0), F(1)), (F(5, 13), F(-12, 13))):
        stay, gain = relations(JointType.REVOLUTE, turned(theta), POSITION)
        assert gain == {name: REVOLUTE.get(name, {}) for name in INERTIAL}
        assert stay["YY"] == {"XX": -1} and stay["MZ"] == stay["M"] == {}
        for name in set(INERTIAL) - {"YY", "MZ", "M"}:
            assert stay[name] == {name: 1}


def test_a_joint_that_slides_or_is_fixed() -> None:
    rotation = turned((F(5, 13), F(-12, 13)))
    stay, gain = relations(JointType.PRISMATIC, rotation, POSITION)
    assert [name for name in INERTIAL if stay[name]] == ["MX", "MY", "MZ", "M"]
    assert [name for name in INERTIAL if gain[name]] == ["XX", "XY", "XZ", "YY", "YZ", "ZZ"]
    assert all(set(gain[name]) <= set(INERTIAL[:6]) for name in INERTIAL)
    stay, whole = relations(JointType.FIXED, rotation, POSITION)
    assert not any(stay.values()) and whole["M"] == REVOLUTE["M"]
    assert all(gain[name] == whole[name] for name in INERTIAL[:6]), "a tensor does not feel the position"


@pytest.mark.parametrize("sigma", list(JointType))
def test_the_relations_are_the_rule(sigma: JointType) -> None:
    """The matrices and the coefficients give the same numbers."""
    chance = random.Random(int(sigma))
    rotation = turned((F(8, 17), F(15, 17)))
    given = {name: F(chance.randint(-9, 9), 7) for name in INERTIAL}
    xx, xy, xz, yy, yz, zz, x, y, z, m = given.values()
    p = Inertia(((yy + zz - xx) / 2, (xx + zz - yy) / 2, (xx + yy - zz) / 2, -xy, -xz, -yz), (x, y, z), m)
    moves = moving(p.matrix(), sigma, "J")
    left, booked = staying(p.matrix(), moves), carried(moves, rotation, POSITION)
    for result, table in zip((left, booked), relations(sigma, rotation, POSITION), strict=True):
        inertia = of_matrix(result)
        summed = [sum(given[s] * table[s].get(t, 0) for s in INERTIAL) for t in INERTIAL]
        assert summed == [*inertia.tensor(), *inertia.ms, inertia.m]
    if sigma == JointType.REVOLUTE:
        assert of_matrix(staying(p.matrix(), moving(p.matrix(), sigma, "K"))).k[2] == 0
    everything = matadd(moves, left)
    assert everything == p.matrix()
