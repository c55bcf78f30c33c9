"""All poses of a platform with six legs: one with 40 real poses, and random platforms with a known pose."""

from __future__ import annotations

import numpy as np
import pytest

from symoro.models.numeric.assembly_modes import assembly_modes
from symoro.models.numeric.six_legs import pose_of, quadrics, study_of

Array = np.ndarray
# P. Dietmaier, "The Stewart-Gough platform of general geometry can have 40 real postures", 1998
BASE = np.array(
    [
        (0, 0, 0),
        (1.107915, 0, 0),
        (0.549094, 0.756063, 0),
        (0.735077, -0.223935, 0.525991),
        (0.514188, -0.526063, -0.368418),
        (0.590473, 0.094733, -0.205018),
    ]
)
PLATFORM = np.array(
    [
        (0, 0, 0),
        (0.542805, 0, 0),
        (0.956919, -0.528915, 0),
        (0.665885, -0.353482, 1.402538),
        (0.478359, 1.158742, 0.107672),
        (-0.137087, -0.235121, 0.353913),
    ]
)
LENGTHS = np.array([1.0, 0.645275, 1.086284, 1.503439, 1.281933, 0.771071])


def random_pose(rng: np.random.Generator) -> Array:
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    pose = np.eye(4)
    pose[:3, :3] = q * np.sign(np.linalg.det(q))
    pose[:3, 3] = rng.normal(size=3)
    return pose


def lengths(a: Array, b: Array, pose: Array) -> Array:
    return np.linalg.norm(pose[:3, 3] + b @ pose[:3, :3].T - a, axis=1)


def test_study_parameters() -> None:
    """Rotations by pi about the axes make each of the four quaternion entries the largest in some poses."""
    rng = np.random.default_rng(0)
    largest = set()
    for k in range(40):
        pose = random_pose(rng)
        if k % 4:
            pose[:3, :3] = pose[:3, :3] @ (2 * np.diag(np.eye(3)[k % 4 - 1]) - np.eye(3))
        x = study_of(pose)
        largest.add(int(np.argmax(np.abs(x[:4]))))
        assert np.abs(pose_of(x) - pose).max() < 1e-13
        a, b = rng.normal(size=(2, 6, 3))
        legs = np.c_[a, b, lengths(a, b, pose) ** 2]
        assert np.abs(np.einsum("kij,i,j->k", quadrics(legs), x, x)).max() < 1e-12
    assert largest == set(range(4))


def verified(a: Array, b: Array, wanted: Array, poses: Array) -> None:
    for pose in poses:
        assert np.abs(lengths(a, b, pose) - wanted).max() < 1e-9
        assert np.abs(pose[:3, :3] @ pose[:3, :3].T - np.eye(3)).max() < 1e-9
        assert np.linalg.det(pose[:3, :3]) > 0
    apart = [np.abs(p - q).max() for i, p in enumerate(poses) for q in poses[:i]]
    assert min(apart, default=1) > 1e-6


def test_forty_real_poses() -> None:
    result = assembly_modes(BASE, PLATFORM, LENGTHS)
    assert len(result.poses) == 40 and result.confirmed and result.paths == 40
    verified(BASE, PLATFORM, LENGTHS, result.poses)


def random_platforms(count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(count):
        (a, b), pose = rng.normal(size=(2, 6, 3)), random_pose(rng)
        wanted = lengths(a, b, pose)
        result = assembly_modes(a, b, wanted)
        verified(a, b, wanted, result.poses)
        assert result.confirmed and len(result.poses) % 2 == 0  # complex roots come in conjugate pairs
        assert min(np.abs(p - pose).max() for p in result.poses) < 1e-9


def test_a_random_platform() -> None:
    random_platforms(1, 1)


@pytest.mark.slow
def test_random_platforms() -> None:
    random_platforms(25, 2)


def test_the_size_of_a_platform_does_not_matter() -> None:
    rng = np.random.default_rng(3)
    (a, b), pose = rng.normal(size=(2, 6, 3)), random_pose(rng)
    wanted = lengths(a, b, pose)
    result = assembly_modes(1000 * a, 1000 * b, 1000 * wanted)
    verified(a, b, wanted, [np.block([[p[:3, :3], p[:3, 3:] / 1000], [0, 0, 0, 1]]) for p in result.poses])
    assert result.confirmed and len(result.poses) >= 2


def test_legs_that_cannot_meet() -> None:
    result = assembly_modes(BASE, PLATFORM, np.array([9.0, 0.1, 9.0, 0.1, 9.0, 0.1]))
    assert len(result.poses) == 0
