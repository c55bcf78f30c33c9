"""quartic: the real roots of a4 x^4 + a3 x^3 + a2 x^2 + a1 x + a0 = 0 (type 9 of the inverse geometry).

With x = unit tan(t/2) the quartic is a trigonometric polynomial of degree 2 in t, whose zeros the kernel `circle`
finds; a root at infinity, where the leading coefficient is zero or tiny, is as good as any other, t = pi:

    b_k = a_k unit^k:  k0 = (b0 + b4)/2 - kcc,  kc = (b0 - b4)/2,  ks = (b1 + b3)/4,  kcc = (b0 + b4 - b2)/8,
    kss = (b1 - b3)/8

The unit is the geometric mean of the sizes of the two middle roots, which are the slopes of the Newton polygon (the
upper hull of log|a_k| over k). Two steps of Newton's method on the quartic itself, or on its reverse for large roots,
give small and large roots their relative accuracy. Roots more than about 12 decades apart, where they are close
together in pairs, are beyond this.

Reference: D. A. Bini, Numerical computation of polynomial zeros by means of Aberth's method, Numer. Algorithms 13,
1996 (the Newton polygon).
"""

from __future__ import annotations

from collections.abc import Sequence

from symoro.errors import ProgramError
from symoro.expr.kernels.kernel import Kernel


def _size(lengths: Sequence[int]) -> int:
    if list(lengths) != [5]:
        raise ProgramError(f"quartic needs 5 coefficients, highest first, got lengths {list(lengths)}")
    return 8


def _cost(lengths: Sequence[int]) -> tuple[int, int, int]:
    """Of the emitted C for four real roots, those of circle included."""
    return 305, 392, 100


QUARTIC = Kernel(
    "quartic",
    "real roots of a4 x^4 + a3 x^3 + a2 x^2 + a1 x + a0 = 0",
    _size,
    ("quartic_table",),
    _cost,
    needs=("circle",),
)
