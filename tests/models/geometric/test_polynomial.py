"""The roots of the univariate polynomial include the half tangents of the solutions."""

from __future__ import annotations

import numpy as np
import pytest

from symoro.errors import NotApplicableError
from symoro.expr.kernels.closed_chain import closed_chain_
from symoro.models.geometric.inverse.general.plan import plan
from symoro.models.geometric.inverse.general.univariate import univariate_polynomial
from tests.oracle.loops import general, kinds_with


@pytest.mark.parametrize(("sliding", "degree"), [((), 16), ((1, 4), 8)])
def test_solutions_are_roots(sliding: tuple[int, ...], degree: int) -> None:
    arm = general(kinds_with(*sliding), 12)
    numbers = plan(arm.kinds, arm.sample)
    constants, _ = arm.sample(np.random.default_rng(1))
    joint, polynomial = univariate_polynomial(arm.kinds, constants, numbers)
    assert len(polynomial) == degree + 1
    assert np.abs(polynomial).max() == 1
    table = closed_chain_(list(constants), list(arm.kinds), list(numbers)).reshape(16, 7)
    values = table[table[:, 6] < 1e29, joint]
    roots = np.roots(polynomial)
    angles = 2 * np.arctan(roots[np.abs(roots.imag) < 1e-6 * (1 + np.abs(roots))].real)
    assert np.sort(angles) == pytest.approx(np.sort(values), abs=1e-5)


def test_a_sliding_pivot() -> None:
    arm = general(kinds_with(3), 12)
    constants, _ = arm.sample(np.random.default_rng(1))
    with pytest.raises(NotApplicableError, match="joint 3 is prismatic"):
        univariate_polynomial(arm.kinds, constants, (0.0, 0.1, 0.2, 0.3))
