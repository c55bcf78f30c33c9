"""The transform of the tests against the printed matrix (1997 paper, eq. 1), entry by entry."""

from __future__ import annotations

import numpy as np

from tests.oracle.placement import placement


def test_the_printed_matrix() -> None:
    gamma, b, alpha, d, theta, r = np.random.default_rng(1).uniform(-3, 3, (6, 5))
    (cg, ca, ct), (sg, sa, st) = np.cos((gamma, alpha, theta)), np.sin((gamma, alpha, theta))
    zero, one = np.zeros(5), np.ones(5)
    printed = [
        [cg * ct - sg * ca * st, -cg * st - sg * ca * ct, sg * sa, d * cg + r * sg * sa],
        [sg * ct + cg * ca * st, -sg * st + cg * ca * ct, -cg * sa, d * sg - r * cg * sa],
        [sa * st, sa * ct, ca, r * ca + b],
        [zero, zero, zero, one],
    ]
    assert np.allclose(
        placement(gamma, b, alpha, d, theta, r), np.moveaxis(np.array(printed), 2, 0), atol=1e-14
    )
