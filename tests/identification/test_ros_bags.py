"""Joint states in ROS 2 bags: MCAP files of the official library, rosbag2 with sqlite3, errors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import symoro
from symoro import optional_packages
from symoro.errors import ArgumentError, FormatError, MissingDependencyError
from symoro.identification.log import open_log
from symoro.identification.ros_bag import joint_tables
from symoro.ui.cli import main
from tests.identification.truth import smooth, two_links

pytest.importorskip("rosbags")
JOINTS = ("shoulder", "elbow")
STATE = """std_msgs/Header header
string[] name
float64[] position
float64[] velocity
float64[] effort
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
================================================================================
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
"""
TEXT = "string data\n"
START = 1_700_000_000 * 10**9  # ns


def robot() -> symoro.Robot:
    return two_links().with_frame(1, name=JOINTS[0]).with_frame(2, name=JOINTS[1])


def state(
    t: int, names: Sequence[str], position: Sequence[float], effort: Sequence[float]
) -> dict[str, object]:
    """A message; its velocity is empty, as that of many drivers."""
    stamp = {"sec": t // 10**9, "nanosec": t % 10**9}
    return {
        "header": {"stamp": stamp, "frame_id": ""},
        "name": list(names),
        "position": list(position),
        "velocity": [],
        "effort": list(effort),
    }


def mcap(
    path: Path,
    messages: Sequence[tuple[str, int, dict[str, object]]],
    schema: str = STATE,
    name: str = "sensor_msgs/msg/JointState",
) -> Path:
    """Write messages (topic, time of reception, contents) by the official library."""
    writers = pytest.importorskip("mcap_ros2.writer")
    with path.open("wb") as stream:
        writer = writers.Writer(stream)
        kind = writer.register_msgdef(name if schema == STATE else "std_msgs/msg/String", schema)
        for topic, received, contents in messages:
            writer.write_message(topic, kind, contents, received, received)
        writer.finish()
    return path


def stamps(count: int, seed: int = 0) -> np.ndarray:
    """Times in ns of samples at 500 Hz, evenly sampled and stamped with 5 microseconds of jitter."""
    return START + np.arange(count) * 2_000_000 + np.random.default_rng(seed).integers(0, 5_000, count)


def test_an_mcap_file_of_the_official_library_is_a_log(tmp_path: Path) -> None:
    """The order of the joints changes from message to message; a gripper publishes to the same topic."""
    truth = smooth(two_links(), 2000)
    messages = []
    for k, t in enumerate(stamps(2000).tolist()):
        order = [0, 1] if k % 3 else [1, 0]
        names = [JOINTS[j] for j in order]
        messages.append(("/joint_states", t, state(t, names, truth.q[k, order], truth.tau[k, order])))
        if k % 7 == 0:
            messages.append(("/joint_states", t, state(t, ["gripper"], [0.01], [0.0])))
    path = mcap(tmp_path / "log.mcap", messages)
    log = open_log(path, robot())
    assert log.rate == pytest.approx(500, rel=1e-5) and log.samples == 2000
    part = log.part(0, 2000)
    np.testing.assert_allclose(part["position"], truth.q, atol=0)
    np.testing.assert_allclose(part["torque"], truth.tau, atol=0)
    estimate = symoro.identify(robot(), path, decimation=10).estimate.as_dict()
    for name, value in truth.K.items():
        assert estimate[name] == pytest.approx(value, abs=1e-3)


def test_topics_are_merged_by_time(tmp_path: Path) -> None:
    """Positions at 500 Hz, efforts at 400 Hz with other times, each joint on a topic of its own."""
    truth = smooth(two_links(), 4000, 2000.0)
    messages = []
    for k in range(0, 4000, 4):
        t = START + k * 500_000
        messages.append(("/positions", t, state(t, JOINTS, truth.q[k], [])))
    for k in range(3, 4000, 5):
        t = START + k * 500_000
        for j, name in enumerate(JOINTS):
            messages.append((f"/effort/{name}", t, state(t, [name], [], truth.tau[k, j : j + 1])))
    path = mcap(tmp_path / "log.mcap", messages)
    with pytest.raises(FormatError, match="several topics with joint states: /positions, /effort/shoulder"):
        open_log(path, robot())
    topics = ["/positions", "/effort/shoulder", "/effort/elbow"]
    log = open_log(path, robot(), topics=topics)
    assert log.rate == pytest.approx(400) and log.resampling is not None and log.resampling.streams == 3
    at = (3 + 5 * np.arange(log.samples)) % 4000
    np.testing.assert_allclose(log.part(0, log.samples)["torque"], truth.tau[at], atol=1e-9)
    inner = slice(10, -10)
    np.testing.assert_allclose(log.part(0, log.samples)["position"][inner], truth.q[at][inner], atol=1e-8)
    options = symoro.IdentificationOptions(topics=topics)
    estimate = symoro.identify(robot(), path, decimation=5, options=options).estimate.as_dict()
    for name, value in truth.K.items():
        assert estimate[name] == pytest.approx(value, abs=5e-3)


def test_a_rosbag2_with_sqlite3_is_a_log(tmp_path: Path) -> None:
    from rosbags.rosbag2 import StoragePlugin, Writer
    from rosbags.typesys import Stores, get_typestore

    truth, store = smooth(two_links(), 300), get_typestore(Stores.ROS2_HUMBLE)
    types = store.types
    folder = tmp_path / "bag"
    with Writer(folder, version=9, storage_plugin=StoragePlugin.SQLITE3) as writer:
        topic = writer.add_connection("/joint_states", "sensor_msgs/msg/JointState", typestore=store)
        for k, t in enumerate(stamps(300).tolist()):
            stamp = types["builtin_interfaces/msg/Time"](
                sec=0, nanosec=0
            )  # no time: that of reception is used
            header = types["std_msgs/msg/Header"](stamp=stamp, frame_id="")
            message = types["sensor_msgs/msg/JointState"](
                header, list(JOINTS), truth.q[k], np.full(2, np.nan), truth.tau[k]
            )
            writer.write(topic, t, store.serialize_cdr(message, "sensor_msgs/msg/JointState"))
    for path in (folder, next(folder.glob("*.db3"))):
        log = open_log(path, robot())
        assert log.samples == 300 and log.rate == pytest.approx(500, rel=1e-4)
        np.testing.assert_allclose(log.part(0, 300)["position"], truth.q, atol=0)


def some(tmp_path: Path, names: Sequence[str] = JOINTS, effort: Sequence[float] = (1.0, 2.0)) -> Path:
    messages = [
        ("/joint_states", t, state(t, names, np.linspace(0, 0.01 * k, len(names)), effort))
        for k, t in enumerate(stamps(50).tolist())
    ]
    return mcap(tmp_path / "log.mcap", messages)


def test_the_short_name_of_the_message_type_is_accepted(tmp_path: Path) -> None:
    messages = [("/joint_states", t, state(t, JOINTS, [0, 0], [0, 0])) for t in stamps(50).tolist()]
    path = mcap(tmp_path / "log.mcap", messages, name="sensor_msgs/JointState")
    assert [table.samples for table in joint_tables(path)] == [50]


def test_bags_without_a_log_are_rejected(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 2, one message with the file, and no output file."""
    monkeypatch.chdir(tmp_path)
    bad = {
        "text.mcap": ("no messages of type sensor_msgs/JointState; its topics are /text", []),
        "joints.mcap": (
            "the bag has no joint 'elbow' of robot 'arm'; its messages contain shoulder, wrist",
            [],
        ),
        "effort.mcap": ("do not contain the effort of joint 'shoulder'", []),
        "topic.mcap": ("the bag has no topic '/other' with messages", ["--topic", "/other"]),
        "cut.mcap": ("repair it with 'mcap recover'", []),
        "folder": ("the folder is not a rosbag2: it contains no metadata.yaml", []),
        "none.mcap": ("there is no such file", []),
    }
    mcap(Path("text.mcap"), [("/text", START, {"data": "x"})], TEXT)
    some(tmp_path, ("shoulder", "wrist")).rename("joints.mcap")
    some(tmp_path, effort=()).rename("effort.mcap")
    some(tmp_path).rename("topic.mcap")
    whole = some(tmp_path).read_bytes()
    Path("cut.mcap").write_bytes(whole[: len(whole) // 2])
    Path("folder").mkdir()
    symoro.save(robot().replace(name="arm"), "arm.yaml")
    for name, (words, more) in bad.items():
        assert main(["identify", "arm.yaml", name, "-o", "out.yaml", *more]) == 2
        error = capsys.readouterr().err
        assert words in error and name in error and error.count("error") <= 1, error
        assert not Path("out.yaml").exists()


@pytest.mark.parametrize("size", [8, 40])
def test_the_beginning_of_a_bag_is_damaged(tmp_path: Path, size: int) -> None:
    """The reader fails with errors of Python."""
    message = state(START, JOINTS, [0.1, 0.2], [1.0, 2.0])
    path = mcap(tmp_path / "log.mcap", [("/joint_states", START, message)])
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(FormatError, match="the bag cannot be read") as error:
        joint_tables(path)
    assert error.value.hint is not None and "mcap recover" in error.value.hint


def test_topics_belong_to_bags(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("t,q1,q2,tau1,tau2\n", encoding="utf-8")
    with pytest.raises(ArgumentError, match="is not a bag, so it has no topics"):
        open_log(tmp_path / "log.csv", two_links(), topics=["/joint_states"])


def test_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(optional_packages, "import_module", absent)
    with pytest.raises(MissingDependencyError, match=r"reading ROS bags requires .*rosbags") as error:
        open_log(tmp_path / "log.mcap", two_links())
    assert error.value.hint == "pip install 'symoro[rosbag]'"
