"""Tolerances of the models of parallel robots; all are relative, in single precision they follow its round-off."""

from symoro.expr.number import Tolerance

MISALIGNED = Tolerance(
    1e-12
)  # rad^2: squared angle by which a pose may deviate from those that the legs allow
OFFSET = Tolerance(
    1e-6
)  # of the leg's lengths: distance by which a pose may deviate from those that the legs allow
NOT_ALLOWED = Tolerance(1e-6)  # of the twist: part by which a motion may violate the constraints of the legs
ROUND_OFF = Tolerance(1e-13)  # of the terms of a difference: a smaller difference is zero
NO_LENGTH = Tolerance(1e-20)  # square of a sine or of a relative length: a smaller one is zero
