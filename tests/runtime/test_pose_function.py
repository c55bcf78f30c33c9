"""Test poses in single precision, rounded, and out of reach."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.models.geometric.inverse.chain.pose import given_entries

CASES = (
    ("ur5e", {}),
    ("puma560", {"method": "general"}),
    ("rx90", {"pose": "axis", "locked": "6"}),
    ("iiwa14", {"swivel": True}),
    ("scara", {"pose": "planar"}),
    ("scara", {}),
    ("planar3r", {"pose": "planar"}),
)


@cache
def made(name: str, compiled: bool = False, **options: Any) -> tuple[Any, Any]:
    """Return inverse and direct geometry."""
    robot = symoro.load(name)
    place = symoro.generate(robot, "fast-geometry").function(compiled=False)
    return symoro.generate(robot, "inverse-geometry", **options).function(compiled=compiled), place


def poses(place: Any, count: int = 20) -> tuple[np.ndarray, np.ndarray]:
    q = np.random.default_rng(3).uniform(-1.2, 1.2, (count, place.program.inputs[0].shape[0]))
    return q, place(q=q)["T"]


@pytest.mark.parametrize(("name", "options"), CASES)
def test_single_precision_loses_no_solution(name: str, options: dict[str, Any]) -> None:
    """Check that each row has the distance from the given numbers as residual."""
    solve, place = made(name, **options)
    q, T = poses(place)
    given = T.astype(np.float32)
    exact, result = solve(T=T, q0=q), solve(T=given, q0=q)
    assert (exact["status"] == 0).any()
    np.testing.assert_array_equal(result["status"] == 0, exact["status"] == 0)
    held = result["status"] == 0
    turned = (result["q"] - exact["q"] + np.pi) % (2 * np.pi) - np.pi
    assert abs(turned[held]).max() < 1e-4  # close to singular postures the joints move more than the pose
    counts = np.array(given_entries(options.get("pose", "full")))
    flat = result["q"].reshape(-1, q.shape[1])
    missed = (place(q=flat)["T"].reshape(*held.shape, 4, 4) - given[:, None])[..., :3, :]
    distance = abs(missed[..., counts]).max(axis=-1)
    assert distance[held].max() < 1e-6
    assert (result["residual"] - distance)[held].min() > -1e-12, "the residual claims more than is true"


@pytest.mark.parametrize("compiled", [False, True])
def test_one_pose_is_taken_as_a_batch_is(compiled: bool) -> None:
    solve, place = made("ur5e", compiled)
    _, T = poses(place, 6)
    T[:4] += np.random.default_rng(0).uniform(-1e-7, 1e-7, (4, 4, 4))
    many = solve(T=T)
    for k, pose in enumerate(T):
        for name, rows in solve(T=pose).items():
            np.testing.assert_allclose(rows, many[name][k], atol=1e-12)
    assert (many["status"] == 0).any(axis=1).all()
    np.testing.assert_array_equal(many["residual"][4:], solve(T=T[4:])["residual"])
    assert many["residual"][:4][many["status"][:4] == 0].min() > 1e-9


def test_one_pose_for_many_postures() -> None:
    solve, place = made("rx90", pose="axis", locked="6")
    q, T = poses(place, 4)
    result = solve(T=T[0].astype(np.float32), q0=q)
    assert result["q"].shape[0] == 4 and (result["status"] == 0).any(axis=1).all()
    np.testing.assert_array_equal(result["q"][:, :, 5], np.tile(q[:, 5:], (1, result["q"].shape[1])))


@pytest.mark.parametrize(
    "spoilt",
    [
        lambda T: T + 1e-4 * np.eye(4)[[1, 2, 0, 3]],  # no rotation, nor nearly
        lambda T: T * [1, 1, -1, 1],  # left-handed
        lambda T: T * np.nan,
        lambda T: np.zeros((4, 4)),
    ],
)
def test_what_is_no_rotation_has_no_solution(spoilt: Any) -> None:
    solve, place = made("ur5e")
    _, T = poses(place, 3)
    T[1] = spoilt(T[1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = solve(T=T)
        assert not np.isin(solve(T=T[1])["status"], (0, 2)).any()
    np.testing.assert_array_equal(np.isin(result["status"], (0, 2)).any(axis=1), [True, False, True])


@pytest.mark.parametrize(
    ("name", "options"),
    [("ur5e", {}), ("rx90", {}), ("planar3r", {"pose": "planar"}), ("iiwa14", {"swivel": True})],
)
def test_out_of_reach_the_residual_is_the_distance(name: str, options: dict[str, Any]) -> None:
    """Check the residual of a UR5e that is 4.1 m short; roots of negative numbers replaced by zero gave 38."""
    solve, place = made(name, **options)
    _, T = poses(place, 5)
    T[:4, 0, 3] += 5
    result = solve(T=T)
    assert (result["status"][:4] == 1).any(axis=1).all() and not (result["status"][:4] == 0).any()
    for k in range(4):
        away = result["status"][k] == 1
        counts = np.array(given_entries(options.get("pose", "full")))
        distance = abs((place(q=result["q"][k])["T"] - T[k])[:, :3][:, counts]).max(axis=1)
        np.testing.assert_allclose(result["residual"][k][away], distance[away], atol=1e-12)
        alone = solve(T=T[k])
        np.testing.assert_allclose(alone["residual"], result["residual"][k], atol=1e-12)


@pytest.mark.parametrize(
    ("name", "options"),
    [("rx90", {}), ("rx90", {"pose": "axis", "locked": "6"}), ("planar3r", {"pose": "planar"})],
)
def test_a_rounded_pose_alone_needs_no_numpy(
    name: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The nearest rotation of a single pose is computed by compiled code, as exactly as that of a batch."""
    solve, place = made(name, True, **options)
    q, T = poses(place, 4)
    errors = np.random.default_rng(4).normal(size=(3, 3))
    for size in (1e-12, 1e-10, 1e-8, 1e-7):
        given = T.copy()
        given[:, :3, :3] += size * errors
        expected = solve(T=given, q0=q)
        with monkeypatch.context() as patched:
            patched.setattr("symoro.runtime.poses.RotationPart.nearest", None)
            alone = [solve(T=one, q0=start) for one, start in zip(given, q, strict=True)]
        for k, one in enumerate(alone):
            np.testing.assert_array_equal(one["status"], expected["status"][k])
            rows = one["status"] == 0
            assert rows.any()
            np.testing.assert_allclose(one["q"][rows], expected["q"][k][rows], atol=1e-9)
            np.testing.assert_allclose(one["residual"][rows], expected["residual"][k][rows], atol=1e-12)


def test_a_left_handed_pose_alone_has_no_solution() -> None:
    solve, place = made("rx90", True)
    _, (T, *_) = poses(place, 2)
    T[:3, 0] *= -1
    T[0, 0] += 1e-8
    assert not np.isin(solve(T=T)["status"], (0, 2)).any()
