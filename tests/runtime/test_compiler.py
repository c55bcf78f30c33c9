"""Test the compiler and the cache: reuse, damage, parallel processes, and machines without a compiler."""

from __future__ import annotations

import errno
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.cache import cache_folder
from symoro.errors import MissingDependencyError
from symoro.model import Model
from symoro.runtime import compiler
from symoro.runtime.compiler import Compiler, find_compiler, library
from symoro.runtime.native import fast_call_library
from tests.runtime.fresh import uncompiled

needs_compiler = pytest.mark.skipif(find_compiler() is None, reason="no C compiler on this machine")
Q = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]


@pytest.fixture
def model() -> Model:
    return uncompiled(symoro.generate(symoro.load("rx90"), "fast-geometry"))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty cache, with the fast call path from the usual one."""
    fast_call_library()
    monkeypatch.setenv("SYMORO_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "libraries"


@pytest.fixture
def no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "find_compiler", lambda: None)


@pytest.fixture
def fresh_look() -> Iterator[None]:
    """Clear the stored result of the search for a compiler."""
    find_compiler.cache_clear()
    yield
    find_compiler.cache_clear()


# -- without a compiler


def test_numpy_serves_without_a_compiler(model: Model, no_compiler: None) -> None:
    with pytest.warns(UserWarning, match=r"there is no C compiler.*slower.*install gcc or clang") as caught:
        f = model.function()
    assert Path(caught[0].filename) == Path(__file__), "the warning points at the caller"
    assert not f.compiled
    np.testing.assert_allclose(f(q=Q)["T"], model.function(compiled=False)(q=Q)["T"])


def test_insisting_on_a_compiler(model: Model, no_compiler: None) -> None:
    with pytest.raises(MissingDependencyError, match="there is no C compiler") as caught:
        model.function(compiled=True)
    assert "set the environment variable CC" in str(caught.value)


def test_CC_that_does_not_exist(monkeypatch: pytest.MonkeyPatch, fresh_look: None) -> None:
    monkeypatch.setenv("CC", "/nonexistent/cc")
    assert find_compiler() is None


def test_CC_that_is_no_compiler(monkeypatch: pytest.MonkeyPatch, fresh_look: None) -> None:
    monkeypatch.setenv("CC", sys.executable + " -c 1/0")
    assert find_compiler() is None


@needs_compiler
def test_CC_with_options(monkeypatch: pytest.MonkeyPatch, fresh_look: None) -> None:
    usual = find_compiler()
    assert usual is not None
    find_compiler.cache_clear()
    monkeypatch.setenv("CC", f"{usual.command[0]} -DX=1")
    result = find_compiler()
    assert result is not None and result.command == (usual.command[0], "-DX=1")


def test_a_compiler_that_fails(model: Model, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check a compiler that fails: NumPy is used, and the reason is reported."""
    broken = Compiler((sys.executable, "-c", "import sys; sys.exit('cc1: no such thing')"), "broken")
    monkeypatch.setattr(compiler, "find_compiler", lambda: broken)
    with pytest.warns(UserWarning, match="the C compiler failed: cc1: no such thing"):
        f = model.function()
    assert not f.compiled and f(q=Q)["T"].shape == (4, 4)
    with pytest.raises(MissingDependencyError, match="cc1"):
        model.function(compiled=True)
    assert list(cache.iterdir()) == []


@needs_compiler
def test_a_library_that_does_not_load(model: Model, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check a file system from which libraries cannot be loaded."""

    def refuse(name: str) -> None:
        raise OSError(f"{name}: failed to map segment")

    monkeypatch.setattr(compiler.ctypes, "CDLL", refuse)
    with pytest.warns(UserWarning, match="cannot be used"):
        assert not model.function().compiled


# -- the cache


@needs_compiler
def test_built_once(model: Model, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model.function(compiled=True)
    files = list(cache.iterdir())
    assert len(files) == 1
    stamp = files[0].stat().st_mtime_ns

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("compiled again")

    monkeypatch.setattr(compiler.subprocess, "run", refuse)
    again = uncompiled(model).function({"D3": 0.5}, compiled=True)
    assert again(q=Q)["T"].shape == (4, 4)
    assert list(cache.iterdir()) == files and files[0].stat().st_mtime_ns == stamp


# A process that compiles and calls a library, and imports nothing else.
SCRIPT = "from symoro.runtime.compiler import library; print(library({'a.c': 'int one(void) { return 1; }'}).one())"


@needs_compiler
def test_a_damaged_file_is_built_again(cache: Path) -> None:
    """Check damaged files in separate processes, because a loaded library remains loaded."""
    for damage in (None, b"", b"not a library at all" * 100):
        if damage is not None:
            (file,) = cache.iterdir()
            file.write_bytes(damage)
        done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
        assert done.stdout == "1\n"
        (file,) = cache.iterdir()
        assert len(file.read_bytes()) > 1000


@needs_compiler
def test_long_sources_are_compiled_side_by_side(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that long sources are compiled in separate processes and linked to one library."""
    monkeypatch.setattr(compiler, "ALONE", 0)
    names = [f"part{k}" for k in range(5)]
    files = {
        f"{name}.c": f"int {name}(void);\nint {name}(void) {{ return {k}; }}\n"
        for k, name in enumerate(names)
    }
    files["all.c"] = "".join(f"int {name}(void);\n" for name in names)
    files["all.c"] += (
        f"int all(void);\nint all(void) {{ return {' + '.join(f'{name}()' for name in names)}; }}\n"
    )
    for processors in (1, 2, 8):
        monkeypatch.setattr(compiler, "processors", lambda processors=processors: processors)
        files["all.c"] += "\n"
        assert library(files).all() == 10


@needs_compiler
def test_one_of_several_sources_that_fails(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "ALONE", 0)
    monkeypatch.setattr(compiler, "processors", lambda: 2)
    files = {f"good{k}.c": f"int good{k} = {k};\n" for k in range(3)} | {"bad.c": "int bad = ;\n"}
    with pytest.raises(MissingDependencyError, match=r"the C compiler failed: .*bad\.c") as caught:
        library(files)
    assert "compiled=False" in str(caught.value)
    assert not list(cache.glob("*"))


def test_an_interrupt_leaves_no_compiler_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []

    class Recorded(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            started.append(self)

    def stop() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(compiler.subprocess, "Popen", Recorded)
    monkeypatch.setattr(compiler, "processors", lambda: 3)
    with pytest.raises(KeyboardInterrupt):
        compiler._run([[sys.executable, "-c", "import time; time.sleep(60)"]] * 5, tmp_path, stop)
    assert len(started) == 3 and all(process.poll() is not None for process in started)


@needs_compiler
def test_different_sources_different_files(cache: Path) -> None:
    library({"a.c": "int one(void) { return 1; }"})
    other = library({"a.c": "int one(void) { return 2; }"})
    assert len(list(cache.iterdir())) == 2
    assert other.one() == 2


@needs_compiler
def test_a_cache_that_cannot_be_written(model: Model, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that a private temporary folder is used; the error is simulated, as root may write anywhere."""
    cache.mkdir(parents=True)
    make = tempfile.TemporaryFile

    def refused(*given: Any, dir: Any = None, **more: Any) -> Any:
        if Path(dir or "") == cache:
            raise PermissionError(errno.EACCES, "Permission denied", str(dir))
        return make(*given, dir=dir, **more)

    monkeypatch.setattr(tempfile, "TemporaryFile", refused)
    assert model.function(compiled=True)(q=Q)["T"].shape == (4, 4)
    assert list(cache.iterdir()) == []


@needs_compiler
def test_a_cache_that_is_a_file(model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that a private temporary folder is used if the cache folder cannot be created."""
    (tmp_path / "cache").write_text("in the way")
    monkeypatch.setenv("SYMORO_CACHE", str(tmp_path / "cache"))
    assert cache_folder("libraries") is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.function(compiled=True)(q=Q)["T"].shape == (4, 4)


@needs_compiler
def test_no_room_leaves_no_scraps(model: Model, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(compiler.shutil, "copyfile", full)
    with pytest.warns(UserWarning, match="No space left on device"):
        assert not model.function().compiled
    assert list(cache.iterdir()) == []


WAITING = """
import os, pathlib, sys, time
folder = pathlib.Path(sys.argv[1])
(folder / str(os.getpid())).touch()
while len(list(folder.iterdir())) < 4:
    time.sleep(0.005)
"""


@needs_compiler
def test_four_processes_at_once(cache: Path, tmp_path: Path) -> None:
    """Check that processes which compile the same library together all get it, without remaining files."""
    ready = tmp_path / "ready"
    ready.mkdir()
    words = [sys.executable, "-c", f"import symoro.runtime.compiler\n{WAITING}\n{SCRIPT}", str(ready)]
    processes = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    assert [process.communicate(timeout=60)[0] for process in processes] == ["1\n"] * 4
    assert [process.returncode for process in processes] == [0] * 4
    assert len(list(cache.iterdir())) == 1


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("SYMORO_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    assert "symoro" in str(cache_folder("libraries"))
