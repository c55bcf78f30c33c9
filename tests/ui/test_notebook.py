"""Check the HTML of robots and models for notebooks."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest

import symoro
from symoro.errors import ArgumentError
from symoro.ui import notebook


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A scene's script and style, as a build leaves them."""
    (tmp_path / "scene.js").write_text("const text = '</script>';")
    (tmp_path / "scene.css").write_text("body { margin: 0 }")
    monkeypatch.setattr(notebook, "BUILT", tmp_path)


def shown(cell: str) -> dict[str, object]:
    page = unescape(re.search(r'srcdoc="([^"]*)"', cell)[1])  # type: ignore[index]
    match = re.search(r'id="shown">(.*?)</script>', page, re.DOTALL)
    return dict(json.loads(match[1]))  # type: ignore[index]


@pytest.mark.parametrize("name", ["rx90", "fourbar", "sr400", "mobile_manipulator", "rx90_floating"])
def test_a_cell_holds_all_that_the_scene_needs(name: str, built: None) -> None:
    data = shown(symoro.scene(name)._repr_html_())
    robot = symoro.load(name)
    assert data["view"]["sizes"]["NF"] == robot.NF  # type: ignore[index]
    assert "export" in data["placements"]["frames"]["source"]  # type: ignore[index]
    assert bool(robot.B) == bool(data["view"]["loops"])  # type: ignore[index]


def test_nothing_ends_the_page_early(built: None) -> None:
    robot = symoro.load("rx90").replace(title="</script><script>alert(1)</script>")
    cell = symoro.scene(robot)._repr_html_()
    page = unescape(re.search(r'srcdoc="([^"]*)"', cell)[1])  # type: ignore[index]
    assert page.count("</script>") == 2
    assert "alert(1)" in json.dumps(shown(cell))


def test_values_and_a_posture(built: None) -> None:
    data = shown(symoro.scene("rx90", values={"D3": 0.9}, posture=[1, 0, 0, 0, 0, 0])._repr_html_())
    assert data["q"] == [1, 0, 0, 0, 0, 0]
    assert data["view"]["nominal"]["D3"] == 0.9  # type: ignore[index]


@pytest.mark.parametrize(
    "given",
    [{"posture": [float("nan")] * 6}, {"posture": [1.0]}, {"values": {"D3": float("inf")}}, {"height": -5}],
)
def test_invalid_scenes_are_rejected(given: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError):
        symoro.scene("rx90", **given)


def test_without_the_built_scene_a_picture_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook, "BUILT", tmp_path / "none")
    cell = symoro.scene("rx90")._repr_html_()
    assert "files of the 3D scene are missing" in cell and "<svg" in cell


def test_a_model_shows_its_equations() -> None:
    cell = symoro.generate("planar2r", "inverse-dynamics")._repr_html_()
    assert r"\begin{align*}" in cell and "<svg" in cell and "torques" in cell


def test_a_long_model_ends_in_whole_blocks() -> None:
    cell = symoro.generate("rx90", "direct-dynamics")._repr_html_()
    assert cell.count(r"\begin{align*}") == cell.count(r"\end{align*}")
    assert "more lines" in cell
