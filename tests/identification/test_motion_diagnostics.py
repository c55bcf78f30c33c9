"""Joints that stand still within the noise of their sensors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import symoro
from symoro.errors import FormatError
from symoro.identification.log import Log, log_of_arrays
from symoro.identification.log_diagnostics import motion_warnings as warnings_about_motion
from symoro.identification.signals import Preparation, white_noise
from tests.identification.test_logs import written
from tests.identification.truth import inverse_dynamics, motion_warnings, smooth, two_links

NOISE = 1e-6


def hardly(amplitude: float, *, noise: float = NOISE, count: float = 0.0, moves: float = 1.0) -> Log:
    """The two links, the second one by this much to and fro, in a share of the time."""
    t = smooth(two_links(), 4000, 1000.0)
    time = np.arange(4000) / 1000
    w = 2 * np.pi * 2.0
    there = time < moves * time[-1]
    q, qd, qdd = t.q.copy(), t.qd.copy(), t.qdd.copy()
    q[:, 1] = 0.3 + amplitude * np.sin(w * time) * there
    qd[:, 1] = amplitude * w * np.cos(w * time) * there
    qdd[:, 1] = -amplitude * w**2 * np.sin(w * time) * there
    tau = inverse_dynamics(two_links())(q=q, qd=qd, qdd=qdd)["tau"]
    chance = np.random.default_rng(2)
    q = q + noise * chance.standard_normal(q.shape)
    if count:
        q = np.round(q / count) * count
    return log_of_arrays(1000.0, q, tau + np.array([0.5, 0.2]) * chance.standard_normal(q.shape))


@pytest.mark.parametrize(("noise", "cutoff"), [(1e-6, None), (1e-5, 20.0), (1e-3, 20.0), (1e-3, None)])
def test_a_joint_at_rest_whose_encoder_has_noise_is_rejected(noise: float, cutoff: float | None) -> None:
    with pytest.raises(FormatError, match=r"joint 2 never moved: .* and noise alone gives") as caught:
        symoro.identify(two_links(), hardly(0.0, noise=noise), decimation=20, cutoff=cutoff)
    assert caught.value.place is not None and "move every joint" in (caught.value.hint or "")


def test_a_joint_at_rest_between_two_counts_is_rejected() -> None:
    """Now and then it is on the other side: no normal noise, and no motion."""
    log = hardly(0.0, noise=2e-5, count=1e-4)
    with pytest.raises(FormatError, match="joint 2 never moved"):
        symoro.identify(two_links(), log, decimation=20)


@pytest.mark.parametrize("cutoff", [None, 20.0])
@pytest.mark.parametrize("noise", [1e-6, 1e-5, 3e-5])
def test_rest_between_counts_is_rejected_at_any_cut_off(noise: float, cutoff: float | None) -> None:
    log = hardly(0.0, noise=noise, count=1e-4)
    part = log.part(0, log.samples)
    q = part["position"].copy()
    q[:, 1] += 1e-4 * (np.arange(len(q)) // 7 % 3 == 0)  # goes to the next count for a while
    with pytest.raises(FormatError, match="joint 2 never moved"):
        symoro.identify(two_links(), log_of_arrays(1000.0, q, part["torque"]), decimation=20, cutoff=cutoff)


def test_a_motion_that_a_low_pass_lifts_out_of_the_noise_is_taken() -> None:
    """Ten times the noise of the samples from end to end: within its range, but not within that of velocities."""
    log = hardly(5e-3, noise=1e-3)
    estimate = symoro.identify(two_links(), log, decimation=20, cutoff=5.0)
    at = estimate.estimate.names.index("FS2")
    assert abs(estimate.estimate.values[at] - 0.8) < 5 * estimate.estimate.deviations[at] < 0.2
    with pytest.raises(FormatError, match="joint 2 never moved"):
        symoro.identify(two_links(), hardly(0.0, noise=1e-3), decimation=20, cutoff=5.0)


@pytest.mark.parametrize("amplitude", [1e-7, 1e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 1e-2, 0.3])
@pytest.mark.parametrize("cutoff", [None, 20.0])
def test_slow_motion_is_rejected_reported_or_identified_correctly(
    amplitude: float, cutoff: float | None
) -> None:
    truth = 0.8  # FS2
    try:
        estimate = symoro.identify(two_links(), hardly(amplitude), decimation=20, cutoff=cutoff)
    except FormatError as refused:
        assert "joint 2 never moved" in refused.message
        assert amplitude < (1e-3 if cutoff is None else 1e-5)
        return
    at = estimate.estimate.names.index("FS2")
    off = abs(estimate.estimate.values[at] - truth)
    assert (
        any("joint 2" in line for line in motion_warnings(estimate))
        or off < 5 * estimate.estimate.deviations[at]
    )
    if amplitude >= 1e-2:
        assert not motion_warnings(estimate) and off < 0.1


def test_rests_of_a_joint_that_moves_give_warnings_until_they_are_dropped() -> None:
    log = hardly(0.1, moves=0.5)
    estimate = symoro.identify(two_links(), log, decimation=20)
    assert any("joint 2 is not faster than the noise" in line for line in estimate.warnings)
    assert not motion_warnings(symoro.identify(two_links(), log, decimation=20, slow=5e-3))
    short = hardly(0.1, moves=0.0625)  # and it does move
    assert motion_warnings(symoro.identify(two_links(), short, decimation=20))


def test_a_joint_that_rests_in_one_of_several_logs_is_rejected_in_none() -> None:
    logs = [hardly(0.3), hardly(0.0)]
    estimate = symoro.identify(two_links(), logs, decimation=20, slow=5e-3)
    assert not motion_warnings(estimate)
    assert estimate.estimate.as_dict()["FS2"] == pytest.approx(0.8, abs=0.1)
    reported = motion_warnings(symoro.identify(two_links(), logs, decimation=20))
    assert any("joint 2 is not faster" in line and "--slow" in line for line in reported)
    with pytest.raises(FormatError, match="joint 2 never moved"):
        symoro.identify(two_links(), [logs[1], hardly(0.0, noise=1e-5)], decimation=20, slow=5e-3)


def test_a_joint_that_is_constant_in_one_of_several_files_is_rejected_in_none(tmp_path: Path) -> None:
    paths = []
    for name, log in (("moves", hardly(0.3)), ("rests", hardly(0.0, noise=0.0))):
        arrays = log.part(0, log.samples)
        time = np.arange(log.samples)[:, None] / 1000
        (tmp_path / name).mkdir()
        rows = np.hstack([time, arrays["position"], arrays["torque"]]).tolist()
        paths.append(written(tmp_path / name, rows))
    estimate = symoro.identify(two_links(), paths, decimation=20, cutoff=50, slow=5e-3)
    assert not motion_warnings(estimate)
    with pytest.raises(FormatError, match="joint 2 never moved: the position is constant"):
        symoro.identify(two_links(), paths[1], decimation=20)


@pytest.mark.parametrize(("share", "reported"), [(0.0, False), (0.06, True), (0.15, True)])
@pytest.mark.parametrize("late", [False, True])
def test_short_rests_at_an_end_of_a_long_log_give_warnings(share: float, reported: bool, late: bool) -> None:
    count, rate = 60_000, 1000.0
    time = np.arange(count) / rate
    rests = int(share * count)
    when = np.clip(time, 0, (count - rests) / rate) if late else np.maximum(time - rests / rate, 0)
    q = 0.3 * np.sin(2 * np.pi * np.array([0.7, 1.1]) * when[:, None])
    q += NOISE * np.random.default_rng(3).standard_normal(q.shape)
    log = log_of_arrays(rate, q, q)
    lines = warnings_about_motion([log], two_links(), Preparation(cutoff=20.0, decimation=20))
    assert len(lines) == (2 if reported else 0)
    assert not warnings_about_motion([log], two_links(), Preparation(cutoff=20.0, decimation=20, slow=0.01))


def test_joints_of_files_are_rejected_with_the_file(tmp_path: Path) -> None:
    log = hardly(0.0)
    arrays = log.part(0, log.samples)
    time = np.arange(log.samples)[:, None] / 1000
    path = written(tmp_path, np.hstack([time, arrays["position"], arrays["torque"]]).tolist())
    with pytest.raises(FormatError, match="joint 2 never moved") as caught:
        symoro.identify(two_links(), path, decimation=20)
    assert caught.value.place is not None and caught.value.place.file == str(path)


def test_third_differences_give_the_noise_of_a_motion() -> None:
    t = smooth(two_links(), 4000, 1000.0)
    noise = np.array([1e-5, 1e-3]) * np.random.default_rng(0).standard_normal(t.q.shape)
    assert white_noise(t.q + noise) == pytest.approx([1e-5, 1e-3], rel=0.05)
    assert white_noise(t.q).max() < 2e-6
