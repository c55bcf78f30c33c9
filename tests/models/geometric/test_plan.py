"""Plans of the general method: reproducible, fast, and rejected if the method does not apply."""

from __future__ import annotations

import pytest

from symoro.errors import NotApplicableError
from symoro.expr.kernels.closed_chain import role_order
from symoro.models.geometric.inverse.general.plan import plan
from tests.effort import Effort
from tests.oracle.loops import ARMS, Arm, general, kinds_with


def test_a_plan() -> None:
    arm = ARMS["puma560"]
    with Effort(most=2_000_000):  # 0.22 million when this was written
        numbers = plan(arm.kinds, arm.sample)
    assert numbers == plan(arm.kinds, arm.sample)
    assert len(numbers) == 12
    assert all(type(number) is float for number in numbers)
    assert all(step in range(12) for step in numbers[::4])


@pytest.mark.parametrize("sliding", [(), (3,), (6,), (1, 2), (2, 4), (3, 6), (2, 5)])
def test_roles_suit_the_kinds(sliding: tuple[int, ...]) -> None:
    arm = general(kinds_with(*sliding), 9)
    for arrangement in plan(arm.kinds, arm.sample)[::4]:
        order = role_order(int(arrangement))
        assert not arm.kinds[order[5]] or arm.kinds[order[2]]


@pytest.mark.parametrize(
    ("arm", "motions"),
    [
        (Arm((0,) * 6, (0,) * 6, (0, 0.3, 0.4, 0.5, 0.2, 0.3), (0,) * 6), 3),  # planar
        (Arm((0,) * 6, (0, 1, 1, 0.5, -0.7, 1), (0,) * 6, (0,) * 6), 3),  # spherical
        (
            Arm((0,) * 6, (0, 1.5, 0, 0, 0, 1.5), (0, 0.1, 0.3, 0.4, 0.2, 0.3), (0,) * 6),
            5,
        ),  # four parallel axes
        (general(kinds_with(1, 2, 4, 5), 3), 5),  # four slide
    ],
)
def test_dependent_joints_are_refused(arm: Arm, motions: int) -> None:
    with pytest.raises(NotApplicableError, match=f"only {motions} independent motions"):
        plan(arm.kinds, arm.sample)


def test_a_singular_elimination_is_refused() -> None:
    arm = general(kinds_with(1, 3, 5), 3)
    with pytest.raises(NotApplicableError, match="regular enough") as caught:
        plan(arm.kinds, arm.sample)
    assert "pieper" in str(caught.value)
