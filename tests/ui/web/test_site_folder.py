"""Check the folder of the static site (tools/site_folder.py): Pyodide distributions, contents, service worker."""

from __future__ import annotations

import importlib
import json
import re
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
INFO = {"python": "3.14.2", "abi_version": "2026_0"}
FILES = {name: f"{name}-1-cp314-wasm32.whl" for name in ("numpy", "scipy", "openblas")}


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    yield importlib.import_module("site_folder")
    for name in ("site_folder", "page"):
        sys.modules.pop(name, None)


def distribution(folder: Path, tool: Any, info: dict[str, str] = INFO) -> Path:
    """Write a folder with the files of a full Pyodide distribution; their contents are names."""
    folder.mkdir()
    for name in (*tool.INTERPRETER, *FILES.values()):
        (folder / name).write_text(name)
    tool.write_archive(folder / tool.STDLIB, {"os.py": b"import sys"})
    packages = {name: {"file_name": file, "depends": []} for name, file in FILES.items()}
    packages["scipy"]["depends"] = ["numpy", "openblas"]
    (folder / tool.LOCK).write_text(json.dumps({"info": info, "packages": packages}))
    return folder


def test_a_full_distribution_is_accepted_and_its_wheels_are_copied(tool: Any, tmp_path: Path) -> None:
    own, given = (distribution(tmp_path / name, tool) for name in ("own", "given"))
    tool.check_distribution(given, own)
    target = tmp_path / "site"
    target.mkdir()
    assert tool.copy_packages(given, target) == ["numpy", "scipy"]
    assert {path.name for path in target.iterdir()} == set(FILES.values())


def test_a_folder_without_wheels_has_no_packages(tool: Any, tmp_path: Path) -> None:
    given = distribution(tmp_path / "given", tool)
    (given / FILES["openblas"]).unlink()
    target = tmp_path / "site"
    target.mkdir()
    assert tool.copy_packages(given, target) == ["numpy"]


def rejected(tool: Any, given: Path, own: Path) -> str:
    with pytest.raises(sys.modules["page"].PageError) as caught:
        tool.check_distribution(given, own)
    message = str(caught.value)
    assert message.startswith(f"PYODIDE={given}: ")
    assert "\n" not in message
    return message


def test_other_folders_are_rejected_with_a_reason(tool: Any, tmp_path: Path) -> None:
    own, given = (distribution(tmp_path / name, tool) for name in ("own", "given"))
    lock = given / tool.LOCK
    (given / FILES["numpy"]).unlink()
    assert f"missing files: {FILES['numpy']}" in rejected(tool, given, own)
    lock.write_text("{")
    assert f"{tool.LOCK} cannot be read" in rejected(tool, given, own)
    lock.write_text(json.dumps({"info": INFO, "packages": {}}))
    assert "numpy" in rejected(tool, given, own)
    other = distribution(tmp_path / "other", tool, {**INFO, "python": "3.13.2"})
    message = rejected(tool, other, own)
    assert "Python 3.13.2" in message
    assert "Python 3.14.2" in message
    (given / "python_stdlib.zip").unlink()
    assert "missing files: python_stdlib.zip" in rejected(tool, given, own)
    assert "pyodide.mjs" in rejected(tool, tmp_path / "nothing", own)


def test_the_folder_is_named_by_its_contents(
    tool: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules["page"], "ROOT", tmp_path)
    (tmp_path / "data.yaml").write_text("robot")
    own = {"symoro/__init__.py": Path(__file__), "symoro/data.yaml": tmp_path / "data.yaml"}
    monkeypatch.setattr(tool, "own_sources", lambda: iter(own.items()))
    monkeypatch.setattr(tool, "sources_of", lambda names: iter([]))
    monkeypatch.setattr(tool, "compiled_modules", lambda *_: {"symoro/__init__.pyc": b"compiled"})
    built, pyodide = tmp_path / "built", distribution(tmp_path / "pyodide", tool)
    (built / "assets").mkdir(parents=True)
    (built / "index.html").write_text("<head>\n  </head>")
    (built / "assets" / "index-1.js").write_text("1")
    site = tmp_path / "site"

    def made() -> tuple[dict[str, str], str]:
        tool.make(built, pyodide, site, robots=["planar2r"])
        entries = re.findall(r'name="symoro-(\w+)" content="(.*?)"', (site / "index.html").read_text())
        return dict(entries), (site / "service-worker.js").read_text()

    first, worker = made()
    assert first["packages"] == "numpy scipy"
    with zipfile.ZipFile(site / first["archive"]) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == {
            "symoro/__init__.pyc": b"compiled",
            "symoro/data.yaml": b"robot",
        }
    prepared = json.loads((site / first["prepared"] / "planar2r.json").read_text())
    assert {key.partition(" ")[0] for key in prepared} >= {"robot_open", "frames", "catalogue", "model"}
    # The first files are stored for visits without network: not the wheels, which are large.
    assert f'"{first["archive"]}"' in worker
    assert ".whl" not in re.search(r"FIRST = (.*);", worker)[1]  # type: ignore[index]
    again, same = made()
    assert (again, same) == (first, worker)
    (built / "assets" / "index-1.js").write_text("2")
    _, other = made()
    cache = re.compile(r"CACHE = (.*);")
    assert cache.search(other)[1] != cache.search(worker)[1]  # type: ignore[index]
