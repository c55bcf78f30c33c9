"""Poses from numbers: angles, entries, and rotations that were rounded."""

from __future__ import annotations

import numpy as np
import pytest

from symoro.errors import ArgumentError
from symoro.models.geometric.inverse.chain.pose import given_entries
from symoro.runtime.poses import from_angles, from_entries, orthonormal, rotation_part


def test_angles_turn_about_the_fixed_axes_in_turn() -> None:
    pose = from_angles(1, 2, 3, 0.3, 0, 0)
    assert pose[:3, 3].tolist() == [1, 2, 3] and pose[3].tolist() == [0, 0, 0, 1]
    assert np.allclose(pose[1:3, 1:3], [[np.cos(0.3), -np.sin(0.3)], [np.sin(0.3), np.cos(0.3)]])
    parts = [from_angles(0, 0, 0, *angles) for angles in ((0, 0, 0.7), (0, 0.5, 0), (0.3, 0, 0))]
    assert np.allclose(np.linalg.multi_dot(parts), from_angles(0, 0, 0, 0.3, 0.5, 0.7))


def test_entries_by_rows() -> None:
    pose = from_angles(1, 2, 3, 0.1, 0.2, 0.3)
    for entries in (pose, pose[:3], pose.ravel(), pose[:3].ravel().tolist()):
        assert np.array_equal(from_entries(entries), pose)
    for entries in (np.eye(3), [], np.full(12, np.nan)):
        with pytest.raises(ArgumentError):
            from_entries(entries)


def test_the_nearest_rotation() -> None:
    pose = from_angles(1, 2, 3, 0.1, 0.2, 0.3)
    whole = rotation_part(given_entries("full"))
    assert whole is not None
    made, change = orthonormal(pose.round(5), whole, 1)
    assert 1e-7 < change < 1e-5 and np.allclose(made[:3, :3] @ made[:3, :3].T, np.eye(3), atol=1e-14)
    assert np.allclose(made, pose, atol=2e-5)
    for factors in ([1, 1, -1, 1], [1, 1, 0, 1], [1, 1, 1.1, 1]):
        with pytest.raises(ArgumentError, match="not a rotation"):
            orthonormal(pose * factors, whole, 1)


def test_the_part_of_a_pose_that_turns() -> None:
    pose = from_angles(1, 2, 3, 0, 0, 0.3)
    for entries in ("position", "Px,Py", "sx,sy,P", "sx,sy,nx,ny,az"):
        assert rotation_part(given_entries(entries)) is None
    for entries, columns in (("axis", (2,)), ("s,n,P", (0, 1)), ("planar", (0, 1)), ("sx,sy,nx,ny", (0, 1))):
        part = rotation_part(given_entries(entries))
        assert part is not None and part.columns == columns
        made, change = orthonormal(pose * 1.001, part)
        assert 1e-4 < change < 2e-3
        assert np.allclose(made[: part.rows, columns], pose[: part.rows, columns])
        assert np.array_equal(made[:, 3], pose[:, 3] * 1.001), "the position stays"


def test_a_plane_has_two_hands() -> None:
    part = rotation_part(given_entries("planar"))
    assert part is not None
    up, down = from_angles(1, 2, 0, 0, 0, 0.3), from_angles(1, 2, 0, np.pi, 0, 0.3)
    orthonormal(up, part, 1), orthonormal(down, part, -1), orthonormal(down, part)
    with pytest.raises(ArgumentError, match="they are left-handed, expected right-handed"):
        orthonormal(down, part, 1)
    with pytest.raises(ArgumentError, match="they are right-handed, expected left-handed"):
        orthonormal(up, part, -1)
