"""Rotations, rotation vectors and quaternions, at every angle and many at once."""

import numpy as np
import pytest

from symoro.models.numeric.rotation import exponential, from_quaternion, logarithm, quaternion

AXES = np.array([[2.0, -1.0, 0.5], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.6, 0.8], [-1.0, 1.0, 1.0]])
AXES /= np.linalg.norm(AXES, axis=1)[:, None]
ANGLES = [0, 1e-300, 1e-9, 1e-4, 1.0, 3.0, np.pi - 1e-4, np.pi - 1e-9, np.pi - 1e-13, np.pi]


@pytest.mark.parametrize("angle", ANGLES)
def test_exponential_and_logarithm_are_inverse(angle):
    R = exponential(angle * AXES)
    assert np.abs(R.transpose(0, 2, 1) @ R - np.eye(3)).max() < 1e-14
    assert np.abs(exponential(logarithm(R)) - R).max() < 1e-14
    assert np.linalg.norm(logarithm(R), axis=1) == pytest.approx(angle, abs=1e-14)
    assert np.abs(from_quaternion(quaternion(R)) - R).max() < 1e-14


def test_one_rotation_is_as_one_of_many():
    many = exponential(2.0 * AXES)
    for axis, R in zip(AXES, many, strict=True):
        assert (exponential(2.0 * axis) == R).all()
        assert (logarithm(R) == logarithm(R[None])[0]).all() and logarithm(R) == pytest.approx(2 * axis)
        assert (from_quaternion(3 * quaternion(R)) == from_quaternion(3 * quaternion(R[None]))[0]).all()


def test_a_turn_by_pi_keeps_its_axis():
    for k, R in enumerate((np.diag([1.0, -1, -1]), np.diag([-1.0, 1, -1]), np.diag([-1.0, -1, 1]))):
        assert logarithm(R) == pytest.approx(np.pi * np.eye(3)[k])
