"""Test xacro: macros, arguments and includes, expanded by the library if it is installed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

import symoro
from symoro.errors import FormatError, MissingDependencyError
from symoro.robot.formats.urdf import read_xacro
from symoro.ui.cli import main

HEAD = '<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">'
MACRO = """
<xacro:macro name="arm" params="k parent">
  <link name="l${k}"/>
  <joint name="j${k}" type="continuous">
    <parent link="${parent}"/><child link="l${k}"/><origin xyz="${length * k} 0 0" rpy="${pi/2} 0 0"/>
    <axis xyz="0 0 1"/>
  </joint>
</xacro:macro>
"""
BODY = """
<xacro:arg name="length" default="0.5"/>
<xacro:property name="length" value="$(arg length)"/>
<link name="l0"/>
<xacro:arm k="1" parent="l0"/>
<xacro:arm k="2" parent="l1"/>
</robot>
"""


def test_macros_properties_and_arguments() -> None:
    pytest.importorskip("xacrodoc")
    robot = read_xacro(HEAD + MACRO + BODY)
    assert [frame.name for frame in robot.frames] == ["j1", "j2"]
    assert robot.frame(2).alpha.text in ("pi/2", "-pi/2")
    assert robot.frame(1).d.text == "0.5"
    assert read_xacro(HEAD + MACRO + BODY, arguments={"length": "0.25"}, exact=True).frame(1).d.text == "0.25"


def test_includes_are_looked_up_from_the_file(tmp_path: Path) -> None:
    pytest.importorskip("xacrodoc")
    package = tmp_path / "my_robot"
    (package / "urdf").mkdir(parents=True)
    (package / "package.xml").write_text("<package><name>my_robot</name></package>")
    (package / "urdf" / "macro.xacro").write_text(HEAD + MACRO + "</robot>")
    for include in ("macro.xacro", "$(find my_robot)/urdf/macro.xacro"):
        text = f'{HEAD}<xacro:include filename="{include}"/>{BODY}'
        robot = read_xacro(text, str(package / "urdf" / "arm.urdf.xacro"))
        assert robot.NL == 2


@pytest.fixture
def scattered(tmp_path: Path) -> tuple[Path, str]:
    """Return a package my_robot in one folder, and a file in another folder that includes a part of it."""
    pytest.importorskip("xacrodoc")
    package = tmp_path / "ws" / "src" / "deep" / "a_folder"
    (package / "urdf").mkdir(parents=True)
    (package / "package.xml").write_text("<package format='3'><name>my_robot</name></package>")
    (package / "urdf" / "macro.xacro").write_text(HEAD + MACRO + "</robot>")
    file = tmp_path / "elsewhere" / "arm.xacro"
    file.parent.mkdir()
    file.write_text(f'{HEAD}<xacro:include filename="$(find my_robot)/urdf/macro.xacro"/>{BODY}')
    return package, str(file)


def test_packages_by_the_option(scattered: tuple[Path, str], tmp_path: Path) -> None:
    package, file = scattered
    for folder in (package, package.parent, tmp_path / "ws", str(package), [tmp_path / "none", package]):
        assert symoro.load(file, package=folder).NL == 2
    assert main(["check", file, "--package", str(package)]) == 0


def test_packages_by_the_environment(scattered: tuple[Path, str], monkeypatch: pytest.MonkeyPatch) -> None:
    package, file = scattered
    monkeypatch.setenv("ROS_PACKAGE_PATH", os.pathsep.join(["/nowhere", str(package.parent.parent)]))
    assert symoro.load(file).NL == 2


def test_packages_by_their_folder(scattered: tuple[Path, str], tmp_path: Path) -> None:
    package, file = scattered
    with pytest.raises(FormatError):
        symoro.load(file)
    package.rename(tmp_path / "my_robot")  # next to the folder of the file, without package.xml
    (tmp_path / "my_robot" / "package.xml").unlink()
    assert symoro.load(file).NL == 2


def test_the_hint_lists_the_searched_folders(
    scattered: tuple[Path, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _, file = scattered
    monkeypatch.delenv("ROS_PACKAGE_PATH", raising=False)
    with pytest.raises(FormatError) as caught:
        symoro.load(file, package=tmp_path / "none")
    assert caught.value.message == "there is no package 'my_robot'"
    hint = caught.value.hint or ""
    for part in (str(tmp_path / "none"), str(Path(file).parent), "ROS_PACKAGE_PATH (not set)", "'package'"):
        assert part in hint
    monkeypatch.setenv("ROS_PACKAGE_PATH", "/opt/nowhere")
    with pytest.raises(FormatError, match="/opt/nowhere"):
        symoro.load(file)


@pytest.mark.parametrize("name", ["../my_robot", "/etc", "..", "a b", ""])
def test_names_that_are_not_packages(name: str, scattered: tuple[Path, str]) -> None:
    package, file = scattered
    text = Path(file).read_text().replace("my_robot", name)
    with pytest.raises(FormatError):
        read_xacro(text, file, package=package)


@pytest.mark.parametrize(
    "text",
    [
        HEAD + '<link name="${unknown}"/></robot>',
        HEAD + '<xacro:include filename="nowhere.xacro"/></robot>',
        HEAD + "<xacro:nothing/></robot>",
        HEAD + '<link name="${1/0}"/></robot>',
    ],
)
def test_macros_that_fail(text: str) -> None:
    pytest.importorskip("xacrodoc")
    with pytest.raises(FormatError, match="macros cannot be expanded"):
        read_xacro(text, "arm.xacro")


def test_plain_errors_have_a_line() -> None:
    with pytest.raises(FormatError) as caught:
        read_xacro(HEAD + "\n<link>\n</robot>", "arm.xacro")
    assert caught.value.place is not None and caught.value.place.line == 3
    with pytest.raises(FormatError, match="document type"):
        read_xacro("<!DOCTYPE r><robot/>")


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xacrodoc", None)
    with pytest.raises(MissingDependencyError, match="xacrodoc") as caught:
        read_xacro(HEAD + "</robot>")
    assert "pip install 'symoro[xacro]'" in str(caught.value)
