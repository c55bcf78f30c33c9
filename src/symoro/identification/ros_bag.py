"""Joint states in ROS 2 bags: MCAP files and rosbag2 (sqlite3 or MCAP), read without ROS by the package rosbags.

A message of type sensor_msgs/JointState contains names of joints and their positions (rad or m), velocities and efforts
(N.m or N). Joints are identified by name, so their order may change and messages may contain some of them only. The
messages of a topic with the same names are a table with the columns

    stamp, NAME.position, NAME.velocity, NAME.effort

`stamp` is the time of the header in seconds from the first message of the bag, or the time of reception if the headers
contain no time. Tables have different times; they are merged by resampling.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError, FormatError, Place
from symoro.identification.log_columns import ColumnFile
from symoro.identification.log_description import LogDescription, Quantity
from symoro.optional_packages import needed
from symoro.robot.description import Robot

Array = NDArray[np.float64]
SUFFIXES = (".mcap", ".db3")
MESSAGE = "sensor_msgs/msg/JointState"
MESSAGES = (MESSAGE, "sensor_msgs/JointState")
"""Names of the message type: that of ROS 2, and the short one that other writers of MCAP files use."""
USUAL_TOPIC = "/joint_states"
STAMP = "stamp"
FIELDS = ("position", "velocity", "effort")
LISTED_JOINTS = 20  # names of joints
CUT_SHORT = "the file is cut short: repair it with 'mcap recover', or record the log again"
DAMAGED = "the file is damaged: copy it again, or repair it with 'mcap recover'"
READER_HINTS = {
    "end magic": CUT_SHORT,
    "Truncated": CUT_SHORT,
    "checksum": DAMAGED,
    "Profile": "give a file of ROS 2 messages: its writer must set the profile 'ros2'",
}
"""Hints by part of a message of rosbags."""


@dataclass(frozen=True)
class JointTable(ColumnFile):
    """Messages of one topic with the same joints.

    Attributes:
        topic: the topic.
        rows: numbers of the messages within the topic, from 1.
        values: one row per message, one column per name.
    """

    topic: str = ""
    rows: tuple[int, ...] = ()
    values: Array = field(default_factory=lambda: np.empty((0, 0)), compare=False, repr=False)

    def place(self, sample: int, column: str | None = None) -> Place:
        """Return file, topic and message of a sample, for errors."""
        where = f"topic {self.topic}, message {self.rows[sample]}"
        return Place(str(self.path), key=where + (f", '{column}'" if column else ""))

    def chunks(
        self, columns: Sequence[str], size: int, start: int = 0, stop: int | None = None
    ) -> Iterator[Array]:
        """Yield arrays with the values of some columns, `size` rows at a time."""
        wanted = [self.index(column) for column in columns]
        end = self.samples if stop is None else min(stop, self.samples)
        return (self.values[k : min(k + size, end), wanted] for k in range(start, end, size))


def is_bag(path: Path) -> bool:
    """Return whether a path is that of a bag: an MCAP or sqlite3 file, or a folder."""
    return path.suffix.lower() in SUFFIXES or path.is_dir()


def bag_description(joints: Sequence[str]) -> LogDescription:
    """Return the default description of a bag: positions and efforts of the joints with these names, in SI units.

    Velocities are not used, because drivers filter them with an unknown delay.
    """
    ones = (1.0,) * len(joints)
    return LogDescription(
        Quantity(tuple(f"{name}.position" for name in joints), ones, "rad"),
        Quantity(tuple(f"{name}.effort" for name in joints), ones, "N.m"),
        time=Quantity((STAMP,), (1.0,), "s"),
    )


def check_joints(described: LogDescription, tables: Sequence[ColumnFile], robot: Robot) -> None:
    """Check that the messages of a bag contain the joints of a robot.

    Raises:
        FormatError: a joint is missing; the error lists those of the bag.
    """
    columns = {name for table in tables for name in table.names}
    for column in (*described.position.columns, *described.torque.columns):
        if column in columns:
            continue
        joint, _, quantity = column.rpartition(".")
        joints = list(dict.fromkeys(name.rpartition(".")[0] for name in sorted(columns) if name != STAMP))
        place = Place(str(tables[0].path))
        if joint in joints:
            raise FormatError(
                f"the messages do not contain the {quantity} of joint '{joint}' of robot '{robot.name}'",
                place=place,
                hint="give all topics that contain positions and efforts, or a description of the columns",
            )
        listed = ", ".join(joints[:LISTED_JOINTS]) + (", ..." if len(joints) > LISTED_JOINTS else "")
        raise FormatError(
            f"the bag has no joint '{joint}' of robot '{robot.name}'; its messages contain {listed}",
            place=place,
            hint="give the topic of this robot, or assign the joints in a description, as in "
            f"position: {{columns: [{joints[0]}.position, ...]}}, time: {{column: {STAMP}}}",
        )


def joint_tables(path: Path, topics: Sequence[str] = ()) -> list[JointTable]:
    """Read the joint states of a bag.

    Args:
        path: an MCAP or .db3 file, or the folder of a rosbag2.
        topics: topics to read; by default the only topic with joint states, or /joint_states.

    Returns:
        The tables, in the order of the topics; of tables of one topic, those with more messages come first.

    Raises:
        FormatError: the file is damaged or contains no joint states.
        MissingDependencyError: the package rosbags is not installed.
    """
    place = Place(str(path))
    bags: Any = needed("rosbags.rosbag2", "reading ROS bags")
    types: Any = needed("rosbags.typesys", "reading ROS bags")
    store = types.get_typestore(types.Stores.ROS2_HUMBLE)
    groups: dict[str, dict[tuple[str, ...], list[tuple[int, int, int, Any]]]] = {}
    if not path.exists():
        raise FormatError("there is no such file", place=place, hint="check the path")
    if path.is_dir() and not (path / "metadata.yaml").is_file():
        raise FormatError(
            "the folder is not a rosbag2: it contains no metadata.yaml",
            place=place,
            hint="give a CSV or Parquet file, an .mcap or .db3 file, or the folder of a bag",
        )
    try:
        with bags.Reader(path) as reader:
            states = [c for c in reader.connections if c.msgtype in MESSAGES]
            chosen = _chosen_topics(
                path, [c.topic for c in states], [c.topic for c in reader.connections], topics
            )
            counts = dict.fromkeys(chosen, 0)
            for connection, received, data in reader.messages([c for c in states if c.topic in chosen]):
                message = store.deserialize_cdr(data, MESSAGE)
                counts[connection.topic] += 1
                stamp = message.header.stamp.sec * 10**9 + message.header.stamp.nanosec
                entry = (counts[connection.topic], stamp, received, message)
                names = tuple(sorted(message.name))
                groups.setdefault(connection.topic, {}).setdefault(names, []).append(entry)
    except (FormatError, ArgumentError):
        raise
    except Exception as error:  # the reader raises errors of many kinds for damaged files
        text = str(error).split("\n")[0][:120]
        hint: str | None = DAMAGED
        if isinstance(error, bags.ReaderError):
            hint = next((hint for part, hint in READER_HINTS.items() if part in text), None)
        else:
            text = f"its contents are damaged ({type(error).__name__}: {text})"
        raise FormatError(f"the bag cannot be read: {text}", place=place, hint=hint) from None
    if not any(groups.values()):
        raise FormatError(f"the topics {', '.join(chosen)} have no messages", place=place)
    stamps = [entry[1] for tables in groups.values() for entries in tables.values() for entry in entries]
    use_header = all(stamps)
    first = (
        min(stamps)
        if use_header
        else min(entry[2] for tables in groups.values() for entries in tables.values() for entry in entries)
    )
    tables = []
    for topic in chosen:
        by_names = sorted(groups.get(topic, {}).items(), key=lambda item: -len(item[1]))
        tables += [_table(path, topic, names, entries, first, use_header) for names, entries in by_names]
    return tables


def _chosen_topics(
    path: Path, states: Sequence[str], every: Sequence[str], topics: Sequence[str]
) -> list[str]:
    """Return the topics to read, in the order in which they are given.

    Args:
        path: the bag, for errors.
        states: topics with joint states.
        every: all topics.
        topics: given topics.
    """
    available = list(dict.fromkeys(states))
    place = Place(str(path))
    if not available:
        listed = f"; its topics are {', '.join(dict.fromkeys(every))}" if every else "; it has no topics"
        raise FormatError(
            f"the bag has no messages of type sensor_msgs/JointState{listed}",
            place=place,
            hint="record the topic /joint_states",
        )
    unknown = next((topic for topic in topics if topic not in available), None)
    if unknown is not None:
        raise FormatError(
            f"the bag has no topic '{unknown}' with messages of type sensor_msgs/JointState",
            place=place,
            hint=f"topics of this type are {', '.join(available)}",
        )
    if topics:
        return list(dict.fromkeys(topics))
    if len(available) == 1:
        return available
    if USUAL_TOPIC in available:
        return [USUAL_TOPIC]
    raise FormatError(
        f"the bag has several topics with joint states: {', '.join(available)}",
        place=place,
        hint="choose one or several of them by the option 'topic'",
    )


def _table(
    path: Path,
    topic: str,
    names: tuple[str, ...],
    entries: Sequence[tuple[int, int, int, Any]],
    first: int,
    use_header: bool,
) -> JointTable:
    """Return the table of the messages of a topic that contain the same joints.

    Args:
        path: the bag.
        topic: the topic.
        names: names of the joints, sorted.
        entries: number, time of the header and time of reception (ns) of each message, and the message.
        first: time in nanoseconds that is subtracted from all times.
        use_header: whether the times are those of the headers.
    """
    rows = tuple(number for number, _, _, _ in entries)
    head = JointTable(path, (), 0, None, None, topic=topic, rows=rows)
    if len(set(names)) != len(names):
        raise FormatError("a joint has two entries in the message", place=head.place(0))
    times = np.array([(stamp if use_header else received) - first for _, stamp, received, _ in entries])
    columns, arrays = [STAMP], [times / 1e9]
    orders = [np.argsort(np.array(message.name)) for _, _, _, message in entries]
    for kind in FIELDS:
        lengths = np.array([len(getattr(message, kind)) for _, _, _, message in entries])
        if not lengths.any() or not len(names):
            continue
        wrong = np.flatnonzero(lengths != len(names))
        if wrong.size:
            raise FormatError(
                f"the message has {lengths[wrong[0]]} numbers of '{kind}' for {len(names)} joints",
                place=head.place(int(wrong[0])),
            )
        values = np.array(
            [getattr(entry[3], kind)[order] for entry, order in zip(entries, orders, strict=True)],
            dtype=float,
        )
        for k, name in enumerate(names):
            if not np.isnan(values[:, k]).all():  # a driver without this quantity
                columns.append(f"{name}.{kind}")
                arrays.append(values[:, k])
    return JointTable(
        path, tuple(columns), len(entries), None, None, topic=topic, rows=rows, values=np.column_stack(arrays)
    )
