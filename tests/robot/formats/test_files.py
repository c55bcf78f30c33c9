"""Test reading and writing files by suffix or name, atomic writing, and all file errors."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

from symoro.errors import FormatError, NotApplicableError, OptionError, UnknownNameError, WriteError
from symoro.robot import formats
from symoro.robot.description import Robot
from symoro.robot.formats.report import MAX_BYTES
from tests.robot.formats.samples import LOOP, SERIAL, YAML


@pytest.fixture
def robot() -> Robot:
    return formats.loads(SERIAL, "par")


@pytest.mark.parametrize("suffix", [".par", ".yaml", ".yml", ".csv", ".txt", ".PAR"])
def test_save_and_load(robot: Robot, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"arm{suffix}"
    formats.save(robot, path)
    again = formats.load(path)
    assert again == formats.load(str(path))
    if suffix not in (".csv", ".txt"):
        assert again == robot
    assert os.listdir(tmp_path) == [path.name]  # noqa: PTH208 (names alone are wanted)


@pytest.mark.parametrize("fmt", ["craig", "dh", "denavit-hartenberg", "kk", "table", "par", "YAML", "yml"])
def test_a_format_by_name(robot: Robot, tmp_path: Path, fmt: str) -> None:
    text = formats.dumps(robot, fmt)
    assert formats.loads(text, fmt).NL == robot.NL
    formats.save(robot, tmp_path / "arm", fmt)
    assert (tmp_path / "arm").read_text(encoding="utf-8") == text


def test_bundled_robots_by_name() -> None:
    library = pytest.importorskip("symoro.robot.library")
    name = library.names()[0]
    assert formats.load(name) == library.load(name)
    with pytest.raises(UnknownNameError):
        formats.load("no-such-robot")


def test_a_name_wins_over_a_folder_and_a_suffix_over_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = pytest.importorskip("symoro.robot.library")
    name = library.names()[0]
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).mkdir()
    assert formats.load(name) == library.load(name)
    (tmp_path / "mine").write_text(SERIAL, encoding="utf-8")
    with pytest.raises(FormatError, match="without a suffix"):
        formats.load("mine")
    with pytest.raises(FormatError, match=r"suffix '\.docx'"):
        formats.load(f"{name}.docx")


def test_options() -> None:
    loop = formats.loads(LOOP, "par")
    with pytest.raises(NotApplicableError, match="loops"):
        formats.dumps(loop, "dh")
    assert "craig" in formats.dumps(loop.tree(), "craig", to=2)
    with pytest.raises(OptionError, match="'to'"):
        formats.dumps(loop, "par", to=2)
    with pytest.raises(UnknownNameError, match="format"):
        formats.dumps(loop, "docx")


WRONG: dict[str, tuple[bytes, str]] = {
    "empty.par": (b"", "empty"),
    "blank.yaml": (b" \n\t\n", "empty"),
    "binary.par": (b"NL = 1\n\0\0", "binary"),
    "utf16.par": ("NL = 1".encode("utf-16"), "binary"),
    "latin.yaml": ("symoro: 1\nname: St\xe4ubli\n".encode("latin-1"), "UTF-8"),
    "large.par": (b"a" * (MAX_BYTES + 1), "larger than 4 MB"),
    "robot.docx": (b"NL = 1", "does not identify a format"),
    "robot": (b"NL = 1", "does not identify a format"),
    "cut.par": (SERIAL[:200].encode(), "not closed"),
    "cut.yaml": (YAML[: len(YAML) // 2].encode(), ""),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_files(name: str, tmp_path: Path) -> None:
    content, message = WRONG[name]
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(FormatError) as caught:
        formats.load(path)
    assert message in caught.value.message
    assert caught.value.hint
    assert caught.value.place is not None
    assert caught.value.place.file == str(path)


def test_a_file_that_is_larger_than_the_reported_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(formats, "_check_file", lambda path, place: None)
    (tmp_path / "large.par").write_bytes(b"a" * (MAX_BYTES + 1))
    with pytest.raises(FormatError, match="larger than 4 MB"):
        formats.load(tmp_path / "large.par")


def test_the_place_of_a_byte_that_is_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "a.par").write_bytes(b"NL = 1\nab\xff")
    with pytest.raises(FormatError, match=":2:3"):
        formats.load(tmp_path / "a.par")


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "folder.par").mkdir()
    for path, message in (
        (tmp_path / "none.par", "no such file"),
        (tmp_path / "folder.par", "folder"),
        (tmp_path / ("x" * 5000 + ".par"), "cannot be read"),
        ("a\0b.par", "cannot be read"),
    ):
        with pytest.raises(FormatError, match=message) as caught:
            formats.load(path)
        assert caught.value.hint


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.par")
    with pytest.raises(FormatError, match="not a regular file"):
        formats.load(tmp_path / "pipe.par")


LATIN = """<?xml version='1.0' encoding='{}'?>
<robot name="St\u00e4ubli"><link name="a"/><link name="b"/>
<joint name="\u00fcber" type="continuous"><parent link="a"/><child link="b"/></joint></robot>
"""


@pytest.mark.parametrize("encoding", ["ISO-8859-1", "iso-8859-15", "windows-1252", "UTF-8"])
@pytest.mark.parametrize("suffix", ["urdf", "xacro"])
def test_an_encoding_that_is_declared(encoding: str, suffix: str, tmp_path: Path) -> None:
    if suffix == "xacro":
        pytest.importorskip("xacrodoc")
    path = tmp_path / f"arm.{suffix}"
    path.write_bytes(LATIN.format(encoding).encode(encoding))
    robot = formats.load(path)
    assert (robot.name, robot.frames[0].name) == ("St\u00e4ubli", "\u00fcber")


def test_encodings_that_are_not_known_or_not_true(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    for declared, used, message in (
        ("koi8-r", "latin-1", "'koi8-r' is not supported; expected one of utf-8"),
        ("utf-8", "latin-1", "not UTF-8"),
        ("US-ASCII", "utf-8", "not ASCII"),
        ("rot13", "latin-1", "'rot13'"),
    ):
        path.write_bytes(LATIN.format(declared).encode(used))
        with pytest.raises(FormatError, match=message):
            formats.load(path)


class _Input:
    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


@pytest.mark.parametrize("fmt", ["par", "yaml", "kk", "craig", "dh", "urdf", "xacro"])
def test_standard_input(fmt: str, monkeypatch: pytest.MonkeyPatch) -> None:
    robot = formats.load("ur5e")
    text = formats.dumps(robot, fmt, lossy=True)
    if fmt == "xacro":
        pytest.importorskip("xacrodoc")
        text = text.replace("<robot ", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" ')
    for given in (None, fmt):
        monkeypatch.setattr(sys, "stdin", _Input(text.encode()))
        again = formats.load("-", format=given)
        assert (again.name, again.NL) == (robot.name, robot.NL)


def test_standard_input_without_a_robot(monkeypatch: pytest.MonkeyPatch) -> None:
    for data, message in (
        (b"", "empty"),
        (b"hello\n", "format of the text is not recognised"),
        (b"<sdf/>", "'sdf' does not describe a robot"),
        (b"\0\0", "binary"),
        (b"\xff", "not UTF-8"),
        (b"a" * (MAX_BYTES + 1), "larger than"),
        (b"<mujocoinclude/>", "part of an MJCF model"),
    ):
        monkeypatch.setattr(sys, "stdin", _Input(data))
        with pytest.raises(FormatError, match=message):
            formats.load("-")
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(FormatError, match="standard input"):
        formats.load("-")


def test_a_format_given_with_a_file(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text(SERIAL, encoding="utf-8")
    assert formats.load(tmp_path / "mine", format="par").frames == formats.loads(SERIAL, "par").frames
    with pytest.raises(UnknownNameError, match="format"):
        formats.load(tmp_path / "mine", format="docx")


def test_a_byte_order_mark_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "a.par").write_bytes(b"\xef\xbb\xbf" + SERIAL.encode())
    assert formats.load(tmp_path / "a.par") == formats.loads(SERIAL, "par")


def test_an_old_file_stays_when_the_new_one_fails(
    robot: Robot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "arm.yaml"
    formats.save(robot, path)
    before = path.read_bytes()

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(WriteError, match="no space left"):
        formats.save(robot.replace(name="other"), path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["arm.yaml"]


def test_targets_that_cannot_be_written(robot: Robot, tmp_path: Path) -> None:
    (tmp_path / "folder.yaml").mkdir()
    for path, message in (
        (tmp_path / "none" / "arm.yaml", "cannot be written"),
        (tmp_path / "folder.yaml", "a folder with this name exists"),
    ):
        with pytest.raises(WriteError, match=message):
            formats.save(robot, path)
    with pytest.raises(FormatError, match="UTF-8"):
        formats.save(robot.replace(title="\ud800"), tmp_path / "a.yaml")
    assert [p.name for p in tmp_path.iterdir()] == ["folder.yaml"]


def test_a_link_to_a_file_stays_a_link(robot: Robot, tmp_path: Path) -> None:
    target = tmp_path / "target.yaml"
    formats.save(robot.replace(name="old"), target)
    link = tmp_path / "link.yaml"
    try:
        link.symlink_to(target)
    except OSError:
        pytest.skip("this system makes no symbolic links")
    formats.save(robot, link)
    assert link.is_symlink()
    assert formats.load(target) == robot


def test_the_base_of_any_robot_can_be_freed(tmp_path: Path) -> None:
    for source in ("planar2r", "diffdrive"):
        robot = formats.load(source)
        path = tmp_path / f"{source}.yaml"
        formats.save(robot, path)
        assert (
            formats.load(source, base="floating") == robot.floating() == formats.load(path, base="floating")
        )
        assert formats.load(source, base=str(robot.base.kind)) == robot
    with pytest.raises(OptionError, match="the base of robot 'DiffDrive' is wheeled"):
        formats.load("diffdrive", base="fixed")
    with pytest.raises(OptionError, match="cannot be changed to 'afloat'"):
        formats.load("planar2r", base="afloat")
