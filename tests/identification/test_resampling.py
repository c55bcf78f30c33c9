"""Uneven times: time bases, gaps, lost and repeated samples, the band that remains, compressed and described logs."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError, FormatError
from symoro.identification.log import Log, open_log, segments
from symoro.identification.log_description import BUNDLED, FOLDER, read_description
from symoro.identification.resampling import CONTEXT
from symoro.identification.tolerances import CLOSE_STEP, DECREASING_STEP, EVEN_STEP, LONGEST_STEP
from symoro.ui.cli import main
from symoro.ui.identification_report import result_sections
from tests.identification.truth import smooth, two_links

RATE = 500.0


def q(t: np.ndarray) -> np.ndarray:
    """A motion up to 2 Hz of two joints."""
    return np.column_stack([np.sin(8 * t) + 0.3 * np.sin(12.5 * t + 1), np.cos(6 * t) - 0.4 * np.sin(11 * t)])


def tau(t: np.ndarray) -> np.ndarray:
    return 5 * q(t + 0.3)


def log_at(taken: np.ndarray, stamps: np.ndarray | None = None, noise: float = 0.0) -> Log:
    positions = q(taken) + noise * np.random.default_rng(9).standard_normal((len(taken), 2))
    return Log.from_arrays(t=taken if stamps is None else stamps, q=positions, tau=tau(taken))


def jittered(share: float, count: int = 2000, normal: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Even times, and times with jitter, a share of the period."""
    rng = np.random.default_rng(4)
    off = rng.standard_normal(count) if normal else rng.uniform(-1, 1, count)
    even = np.arange(count) / RATE
    return even, even + share / RATE * off


@pytest.mark.parametrize("share", [0.02, 0.2, 0.4])
@pytest.mark.parametrize("noise", [0.0, 1e-5])
def test_samples_at_uneven_stamps_are_interpolated(share: float, noise: float) -> None:
    _, stamps = jittered(share)
    log = log_at(stamps, noise=noise)
    assert log.resampling is not None and log.resampling.kind == "stamps" and log.segments == (0,)
    assert log.rate == pytest.approx(RATE, rel=1e-3) and abs(log.samples - 2000) <= 1
    t = stamps[0] + np.arange(log.samples) / log.rate
    error = np.abs(log.part(0, log.samples)["position"] - q(t))[8:-8].max()
    assert error < 1e-7 + 8 * noise
    assert log.resampling.interpolated > 0.6 and log.resampling.lost == 0
    assert 0.2 * RATE / (1 + 2 * share) < log.resampling.band < 0.5 * RATE


@pytest.mark.parametrize(("share", "normal"), [(0.02, False), (0.2, False), (0.2, True), (0.4, False)])
@pytest.mark.parametrize("noise", [0.0, 1e-5])
def test_inaccurate_stamps_of_even_samples_are_corrected(share: float, normal: bool, noise: float) -> None:
    """An interpolation at the stamps would add noise of velocity times jitter."""
    even, stamps = jittered(share, normal=normal)
    stamps = stamps if normal else np.sort(stamps)
    log = log_at(even, stamps, noise)
    assert log.resampling is not None and (log.resampling.kind, log.resampling.lost) == ("even", 0)
    assert log.samples == 2000 and log.rate == pytest.approx(RATE, rel=1e-4)
    np.testing.assert_allclose(log.part(0, 2000)["torque"], tau(even), atol=0)
    assert log.resampling.interpolated == 0 and log.resampling.band == pytest.approx(RATE / 2, rel=1e-3)


@pytest.mark.parametrize(
    ("noise", "at_stamps", "kind"),
    [
        (0.0, True, "stamps"),
        (2e-6, True, "stamps"),
        (1e-4, True, None),
        (0.0, False, None),
        (2e-6, False, None),
    ],
)
def test_small_jitter_is_used_if_the_positions_confirm_it(
    noise: float, at_stamps: bool, kind: str | None
) -> None:
    """5 microseconds move a fast joint by more than good encoders resolve."""
    even, stamps = jittered(0.0025)
    log = log_at(stamps if at_stamps else even, stamps, noise)
    assert (log.resampling and log.resampling.kind) == kind
    if kind:
        t = stamps[0] + np.arange(log.samples) / log.rate
        assert np.abs(log.part(0, log.samples)["position"] - q(t))[8:-8].max() < 1e-7 + 8 * noise


def test_a_random_walk_of_the_sampling_times() -> None:
    steps = (1 + np.random.default_rng(5).uniform(-0.2, 0.2, 2000)) / RATE
    log = log_at(np.cumsum(steps))
    assert log.resampling is not None and log.resampling.kind == "stamps"
    t = steps[0] + np.arange(log.samples) / log.rate
    assert np.abs(log.part(0, log.samples)["position"] - q(t))[8:-8].max() < 1e-7


@pytest.mark.parametrize(("share", "resampled"), [(0.9, False), (1.1, True)])
def test_the_limit_of_even_steps_is_relative_to_the_period(share: float, resampled: bool) -> None:
    for rate in (50.0, 5000.0):
        t = np.arange(200) / rate
        t[100] += share * EVEN_STEP / rate
        log = Log.from_arrays(t=t, q=q(t), tau=tau(t))
        assert (log.resampling is not None) == resampled
        assert log.rate == pytest.approx(rate, rel=1e-6)


@pytest.mark.parametrize("periods", [2, 3, 4, 100])
@pytest.mark.parametrize("rate", [100.0, 5000.0])
def test_gaps_are_longer_than_a_few_periods(periods: int, rate: float) -> None:
    t = np.arange(300) / rate
    t[150:] += (periods - 1) / rate
    log = Log.from_arrays(t=t, q=q(t), tau=tau(t))
    assert log.resampling is not None
    if periods < LONGEST_STEP:
        assert log.segments == (0,) and log.resampling.lost == periods - 1
        assert log.samples == 300 + periods - 1
        assert log.resampling.band == pytest.approx(0.317 * rate / periods, rel=0.01)
    else:
        assert log.segments == (0, 150) and log.samples == 300 and log.resampling.lost == 0
        assert log.resampling.gaps == ((pytest.approx(149 / rate), pytest.approx(periods / rate)),)
    parts = segments(log)
    first, last = parts[0], parts[-1]
    np.testing.assert_allclose(first.part(0, 100)["position"], q(t[:100]), atol=0)
    np.testing.assert_allclose(last.part(last.samples - 100, last.samples)["position"], q(t[200:]), atol=0)


def test_results_do_not_depend_on_pieces() -> None:
    _, stamps = jittered(0.2)
    keep = np.ones(2000, dtype=bool)
    keep[700:760] = keep[1300:1302] = False
    log = log_at(stamps[keep])
    whole = log.part(0, log.samples)["position"]
    assert len(log.segments) == 2
    pieces = [chunk["position"] for chunk in log.chunks(37)]
    np.testing.assert_allclose(np.concatenate(pieces), whole, atol=1e-13)
    for part in segments(log):
        np.testing.assert_allclose(np.concatenate([c["position"] for c in part.chunks(CONTEXT)]),
                                   part.part(0, part.samples)["position"], atol=1e-13)  # fmt: skip


def test_repeated_samples_are_dropped_and_counted() -> None:
    even, _ = jittered(0)
    at = np.sort(np.concatenate([np.arange(2000), [100, 800, 801]]))
    log = log_at(even[at])
    assert log.resampling is not None and log.resampling.repeated == 3 and log.samples == 2000
    np.testing.assert_allclose(log.part(0, 2000)["position"], q(even), atol=0)


def test_a_log_in_which_every_sample_is_repeated() -> None:
    """Not a clock that is twice as coarse as the samples."""
    even, _ = jittered(0)
    log = log_at(np.repeat(even, 2))
    assert log.resampling is not None and log.resampling.repeated == 2000
    assert log.rate == pytest.approx(RATE, rel=1e-3)


def test_samples_that_are_nearly_at_the_same_time_are_dropped() -> None:
    rng = np.random.default_rng(3)
    t = np.sort(np.arange(2000) + rng.uniform(-0.3, 0.3, 2000)) / RATE
    for share, dropped in ((0.9, 1), (1.1, 0)):
        extra = t[1000] + share * CLOSE_STEP / RATE
        log = log_at(np.sort(np.append(t, extra)))
        assert log.resampling is not None and log.resampling.repeated == dropped


def test_joints_at_rest_remain_exactly_at_rest() -> None:
    _, stamps = jittered(0.2)
    positions = q(stamps)
    positions[800:1200] = positions[800]
    log = Log.from_arrays(t=stamps, q=positions, tau=tau(stamps))
    resting = log.part(810, 1190)["position"]
    assert (resting == resting[0]).all()


def test_gaps_separate_the_filters() -> None:
    """After a gap the arm is elsewhere: a filter or a difference over the gap would see a jump."""
    truth = smooth(two_links(), 9000)
    t = np.arange(9000) / truth.rate
    keep = np.ones(9000, dtype=bool)
    for start, stop in ((2000, 2400), (4000, 4030), (4033, 4060), (6500, 7300)):
        keep[start:stop] = False
    log = Log.from_arrays(t=t[keep], q=truth.q[keep], tau=truth.tau[keep])
    result = symoro.identify(two_links(), log, cutoff=50, decimation=10)
    assert [part.name for part in result.logs] == [
        "log, segment 1",
        "log, segment 2",
        "log, segment 4",
        "log, segment 5",
    ]
    warnings = [line for line in result.warnings if line.name == "uneven-times"]
    assert len(warnings) == 1 and "1 of 5 segments are too short" in warnings[0] and "4 gaps" in warnings[0]
    for name, value in truth.K.items():
        assert result.estimate.as_dict()[name] == pytest.approx(value, abs=2e-3)
    assert result.longest() == 2

    noise = np.where(np.arange(9000)[:, None] < 2000, 2.0, 0.05) * np.random.default_rng(0).standard_normal(
        (9000, 2)
    )
    noisy = (truth.tau + noise)[keep]  # most of all in the first segment
    other = Log.from_arrays(t=t[keep], q=truth.q[keep], tau=noisy, name="other")
    validated = symoro.identify(two_links(), log, cutoff=50, decimation=10, validate=[other])
    assert list(validated.validation) == ["other"] and validated.longest(validation=True) == 2
    pairs = [validated.predicted(k, validation=True)[1:] for k in range(4)]
    measured, predicted = (np.concatenate(parts) for parts in zip(*pairs, strict=True))
    share = np.linalg.norm(measured - predicted, axis=0) / np.linalg.norm(measured, axis=0)
    assert validated.validation["other"].every.equations == pytest.approx(share, rel=1e-9)
    with pytest.raises(ArgumentError, match="5 segments, and none can be used: log, segment 4: 2440 samples"):
        symoro.identify(two_links(), log, decimation=300)


@pytest.mark.parametrize("speed", [0.8, 1.3])
@pytest.mark.parametrize("length", [450, 600])
def test_a_segment_in_which_a_joint_does_not_reverse_gives_no_warning(length: int, speed: float) -> None:
    """There the column of its dry friction equals that of its constant offset."""
    robot, rng = two_links(), np.random.default_rng(0)
    t = np.delete(np.arange(8000), slice(length, 1600)) / RATE
    w = np.array([speed, 2.9])
    angle = w * t[:, None] - np.array([0.9, 0.5])
    q, qd, qdd = np.sin(angle), w * np.cos(angle), -(w**2) * np.sin(angle)
    torques = symoro.generate(robot, "inverse-dynamics").function()(q=q, qd=qd, qdd=qdd)["tau"]
    log = Log.from_arrays(t=t, q=q, tau=torques + 0.02 * rng.standard_normal(torques.shape))
    result = symoro.identify(robot, log, decimation=4, slow=0.05)
    assert len(result.logs) == 2 and (next(result.rows.of(0)).direction[:, 0] > 0).all()
    assert [line.name for line in result.warnings] == ["uneven-times"]


def test_a_cutoff_beyond_the_band_is_reported() -> None:
    truth = smooth(two_links(), 3000)
    keep = np.arange(3000) % 250 > 1  # two samples in 250 are lost
    log = Log.from_arrays(t=np.arange(3000)[keep] / truth.rate, q=truth.q[keep], tau=truth.tau[keep])
    for cutoff, reported in ((40, False), (70, True)):
        result = symoro.identify(two_links(), log, cutoff=cutoff, decimation=10)
        (text,) = [line for line in result.warnings if line.name == "uneven-times"]
        assert ("is above this" in text) == reported


def test_the_delay_of_torques_is_estimated_in_every_segment() -> None:
    """The deviations then include that of the delay."""
    truth = smooth(two_links(), 6000)
    rng = np.random.default_rng(2)
    t = np.arange(6000) / truth.rate
    torques = truth.tau[:-8] + 0.05 * rng.standard_normal((5992, 2))  # 16 ms later
    keep = np.ones(5992, dtype=bool)
    keep[2000:2300] = keep[3900:4400] = False
    log = Log.from_arrays(t=t[8:][keep], q=truth.q[8:][keep], tau=torques[keep])
    given, late = (
        symoro.identify(
            two_links(), log, decimation=10, slow=0.02, options=symoro.IdentificationOptions(delay=delay)
        )
        for delay in (0.016, "estimate")
    )
    assert late.delay is not None and late.delay.deviation < 1e-3
    assert late.logs[0].delay == pytest.approx(0.016, abs=4 * late.delay.deviation)
    rows = {row[0]: row[1] for row in result_sections(late)[0].rows}
    assert rows["delay of the torques"] in str(late) and "given" not in rows["delay of the torques"]
    assert (late.estimate.deviations > given.estimate.deviations * 0.99).all()
    errors = late.estimate.values - np.array([truth.K[name] for name in late.estimate.names])
    assert np.mean((errors / late.estimate.deviations) ** 2) < 3
    with pytest.raises(ArgumentError, match="the delay of the torques cannot be estimated"):
        symoro.identify(
            two_links(),
            log,
            decimation=10,
            options=symoro.IdentificationOptions(delay="estimate", model="power"),
        )


# -- times that are not usable


@pytest.mark.parametrize(
    ("times", "words"),
    [
        (lambda t: 0 * t, "no usable time base: the time is the same"),
        (lambda t: -t, "no usable time base: the time does not increase"),
        (lambda t: np.random.default_rng(0).permutation(t), "time"),
        (lambda t: t**3, "no usable time base: only"),
        (lambda t: np.where(t > 1, t - 1, t), "the time decreases"),
        (lambda t: 1e4 * t, "samples per second are too few"),
        (lambda t: 1e-5 * t, "samples per second are too many"),
    ],
)
def test_times_without_a_period_are_rejected(times: Callable[[np.ndarray], np.ndarray], words: str) -> None:
    even, _ = jittered(0)
    with pytest.raises(ArgumentError, match=words):
        log_at(even, times(even))


@pytest.mark.parametrize(("share", "rejected"), [(0.8, False), (1.2, True)])
def test_the_limit_of_decreasing_times(share: float, rejected: bool) -> None:
    even, stamps = jittered(0.2)
    stamps[1000] = stamps[999] - share * DECREASING_STEP / RATE
    if rejected:
        with pytest.raises(ArgumentError, match="the time decreases"):
            log_at(even, stamps)
    else:
        assert log_at(even, stamps).samples == 2000


def test_the_command_rejects_a_log_without_a_time_base(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table = np.column_stack([np.full(200, 3.0), q(np.arange(200) / RATE), tau(np.arange(200) / RATE)])
    np.savetxt("log.csv", table, header="t,q1,q2,tau1,tau2", delimiter=",", comments="")
    assert main(["identify", "planar2r", "log.csv", "-o", "out.yaml"]) == 2
    error = capsys.readouterr().err
    assert "log.csv:3" in error and "no usable time base" in error and not Path("out.yaml").exists()


# -- compressed files, files with their own times, bundled descriptions


def write(path: Path, head: str, table: np.ndarray) -> Path:
    text = "\n".join([head, *(",".join(map(repr, row)) for row in table.tolist())]) + "\n"
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")
    return path


def test_compressed_logs(tmp_path: Path) -> None:
    t = np.arange(300) / RATE
    table = np.column_stack([t, q(t), tau(t)])
    path = write(tmp_path / "log.csv.gz", "t,q1,q2,tau1,tau2", table)
    log = open_log(path, two_links())
    assert log.name == "log"
    np.testing.assert_allclose(log.part(20, 90)["position"], q(t)[20:90], atol=0)
    assert log.place(7).line == 9
    (tmp_path / "log.yaml").write_text(
        "symoro-log: 1\nrate: 500\nposition: {file: log.csv.gz, columns: [q1, q2]}\n"
        "torque: {file: log.csv.gz, columns: [tau1, tau2]}\n"
    )
    np.testing.assert_allclose(
        open_log(tmp_path / "log.yaml", two_links()).part(0, 300)["torque"], tau(t), atol=0
    )
    whole = path.read_bytes()
    for data in (whole[: len(whole) // 2], b"t,q1\n1,2\n", whole[:40] + b"\0" * 20 + whole[60:]):
        path.write_bytes(data)
        with pytest.raises(FormatError, match="the compressed file is damaged"):
            open_log(path, two_links())


ASYNCHRONOUS = """symoro-log: 1
time: {column: t, unit: ms}
position: {file: position.csv, columns: [q1, q2]}
torque: {file: torque.csv, columns: [tau1, tau2]}
"""


def test_files_with_their_own_times_are_merged(tmp_path: Path) -> None:
    """Positions at 500 Hz, torques at 200 Hz from later on, both with a gap."""
    first, second = np.arange(2000) / 500, 0.1013 + np.arange(600) / 200
    first, second = np.delete(first, slice(800, 900)), np.delete(second, slice(400, 440))
    write(tmp_path / "position.csv", "t,q1,q2", np.column_stack([1000 * first, q(first)]))
    write(tmp_path / "torque.csv", "t,tau1,tau2", np.column_stack([1000 * second, tau(second)]))
    (tmp_path / "log.yaml").write_text(ASYNCHRONOUS)
    log = open_log(tmp_path / "log.yaml", two_links())
    assert log.rate == pytest.approx(200) and len(log.segments) == 3
    assert log.resampling is not None and log.resampling.streams == 2
    start = log.segments[1]
    t = 1.8 + np.arange(50) / 200
    part = log.part(start, start + 50)
    np.testing.assert_allclose(part["position"], q(t), atol=1e-7)
    np.testing.assert_allclose(part["torque"][8:], tau(t)[8:], atol=1e-4)
    (tmp_path / "log.yaml").write_text(ASYNCHRONOUS.replace("time: {column: t, unit: ms}", "rate: 500"))
    with pytest.raises(FormatError, match=r"this file has 560 samples, but position\.csv has 1900"):
        open_log(tmp_path / "log.yaml", two_links())


def test_streams_of_different_clocks_are_rejected(tmp_path: Path) -> None:
    t = np.arange(300) / RATE
    write(tmp_path / "position.csv", "t,q1,q2", np.column_stack([1000 * t, q(t)]))
    write(tmp_path / "torque.csv", "t,tau1,tau2", np.column_stack([1000 * t + 5000, tau(t)]))
    (tmp_path / "log.yaml").write_text(ASYNCHRONOUS)
    with pytest.raises(FormatError, match="positions and torques have no times in common"):
        open_log(tmp_path / "log.yaml", two_links())


def test_every_bundled_description_is_valid_and_lists_its_source() -> None:
    assert {path.stem for path in FOLDER.glob("*.yaml")} == set(BUNDLED)
    for name in BUNDLED:
        joints = range(1, 8 if name in ("libfranka", "kuka-fri") else 7)
        described = read_description(Path(name), list(joints), gains=True)
        assert described.time is not None
        assert len(described.position.columns) == len(described.torque.columns) == len(joints)
        if described.torque.unit == "A":
            with pytest.raises(FormatError, match="a current requires 'scale'") as caught:
                read_description(Path(name), list(joints))
            assert "the option 'drive_gains'" in (caught.value.hint or "")
    with pytest.raises(FormatError, match="no such file") as caught:
        read_description(Path("ur-rtd"), list(range(1, 7)))
    assert "bundled descriptions are ur-rtde" in (caught.value.hint or "")


def test_currents_of_an_rtde_recorder_with_drive_gains(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The recorder of RTDE separates values by blanks, and records more fields than are needed."""
    monkeypatch.chdir(tmp_path)
    t = np.arange(200) / RATE
    six = np.column_stack([q(t + k) for k in range(3)])
    names = [f"{field}_{k}" for field in ("actual_q", "actual_qd", "actual_current") for k in range(6)]
    table = np.column_stack([t + 1234.5, six, 0 * six, six / 2])
    np.savetxt("log.csv", table, header=" ".join(["timestamp", *names]), comments="", fmt="%.17g")
    log = open_log("log.csv", symoro.load("ur5e"), "ur-rtde-current", drive_gains=[2, 4, 6, 8, 10, 12])
    np.testing.assert_allclose(log.part(0, 200)["position"], six, atol=1e-15)
    np.testing.assert_allclose(log.part(0, 200)["torque"], six * [1, 2, 3, 4, 5, 6], atol=1e-14)
    for gains, words in (
        ("1,2", "expected 6 numbers"),
        ("1,2,3,4,5,x", "expected numbers"),
        ("1,2,3,4,5,0", "zero"),
    ):
        given = ["identify", "ur5e", "log.csv", "--columns", "ur-rtde-current", "--drive-gains", gains]
        assert main(given) == 2 and words in capsys.readouterr().err
    assert main(["identify", "ur5e", "log.csv", "--columns", "ur-rtde-current"]) == 2
    assert "a current requires 'scale'" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("at_stamps", [True, False])
def test_deviations_of_logs_as_recorded_are_correct(at_stamps: bool) -> None:
    """20 logs of Pinocchio with 20 % of jitter, three gaps and torques that are 15 ms late."""
    pytest.importorskip("pinocchio")
    from benchmarks import identification_logs as recording

    robot = recording.loads(recording.ROBOT, "yaml")
    model = recording.pinocchio_model(robot)
    known = recording.truth(robot, model)
    logs = [recording.recorded(robot, model, seed, at_stamps) for seed in range(20)]
    z = np.array([recording.normalised_errors(robot, log, known) for log in logs])
    assert 0.7 < np.mean(z**2) < 1.3
    assert 0.90 < np.mean(np.abs(z) < 1.96) < 0.98
