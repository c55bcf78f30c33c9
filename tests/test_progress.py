"""Check progress reports: the listener receives them, other threads do not."""

from __future__ import annotations

import os
import shutil
import threading
from pathlib import Path

import pytest

import symoro
from symoro.models.dynamic import search
from symoro.progress import Progress, each, listening, task
from symoro.runtime import compiler


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Provide an empty cache folder."""
    monkeypatch.setenv("SYMORO_CACHE", str(tmp_path))
    monkeypatch.setattr(search, "_FORMULATIONS", {})
    return tmp_path


def test_a_listener_hears_each_step() -> None:
    heard: list[Progress] = []
    with listening(heard.append), task("working", 3) as work:
        work.to(1)
        work.to(0.5)
    assert [(news.title, news.done, news.finished) for news in heard] == [
        ("working", 0, False),
        ("working", 1, False),
        ("working", 1, False),  # it never goes back
        ("working", 1, True),
    ]
    assert len({news.task for news in heard}) == 1


def test_silence() -> None:
    heard: list[Progress] = []
    with listening(heard.append):
        pass
    with task("unheard") as work:
        work.to(1)
    with listening(heard.append), listening(None), task("unheard"):
        pass
    assert heard == []
    assert list(each([3, 4], "listing")) == [3, 4]


def test_threads_do_not_hear_each_other() -> None:
    heard: dict[str, list[str]] = {"a": [], "b": []}
    gate = threading.Barrier(2)

    def work(name: str) -> None:
        with listening(lambda news: heard[name].append(news.title)):
            gate.wait()
            for _ in range(50):
                with task(name):
                    pass

    threads = [threading.Thread(target=work, args=(name,)) for name in heard]
    for thread in threads:
        thread.start()
    with task("main"):
        pass
    for thread in threads:
        thread.join()
    assert {name: set(titles) for name, titles in heard.items()} == {"a": {"a"}, "b": {"b"}}


def test_the_search_reports_its_progress(fresh: Path) -> None:
    heard: list[Progress] = []
    with listening(heard.append):
        model = symoro.generate("planar2r", "inverse-dynamics", effort="search")
    steps = [
        news for news in heard if news.title == "searching for the formulation with the fewest operations"
    ]
    shares = [news.done / news.total for news in steps if news.total]
    assert len(shares) > 10 and shares == sorted(shares) and shares[-1] == 1.0 and steps[-1].finished
    assert heard[0].title == "building inverse-dynamics" and heard[-1].finished
    assert model.count() == symoro.generate("planar2r", "inverse-dynamics", effort="search").count()


class Stop(BaseException):
    """As an interrupt."""


def test_a_listener_can_end_the_work(fresh: Path) -> None:
    def stop(news: Progress) -> None:
        if news.total and news.done > 0.5 and not news.finished:
            raise Stop

    with listening(stop), pytest.raises(Stop):
        symoro.generate("planar2r", "inverse-dynamics", effort="search")
    assert [path for path in fresh.rglob("*") if path.is_file()] == []
    assert symoro.generate("planar2r", "inverse-dynamics", effort="search").count().total > 0


@pytest.mark.skipif(os.name == "nt", reason="a shell script replaces the compiler")
@pytest.mark.parametrize("stopped", [False, True])
def test_the_compiler_reports_its_progress(
    fresh: Path, monkeypatch: pytest.MonkeyPatch, stopped: bool
) -> None:
    """A compiler that takes its time; stopped half-way, nothing is left of it."""
    real = shutil.which("cc")
    if real is None:
        pytest.skip("no C compiler")
    folder = fresh / "bin"
    folder.mkdir()
    slow = folder / "slow-cc"
    slow.write_text(f'#!/bin/sh\ncase "$1" in --version) ;; *) sleep 1 ;; esac\nexec {real} "$@"\n')
    slow.chmod(0o755)
    monkeypatch.setenv("CC", str(slow))
    compiler.find_compiler.cache_clear()
    heard: list[Progress] = []

    def listen(news: Progress) -> None:
        heard.append(news)
        if stopped and news.done > 0 and not news.finished:
            raise Stop

    model = symoro.generate("planar2r", "fast-geometry")
    try:
        if stopped:
            with listening(listen), pytest.raises(Stop):
                model.function(compiled=True)
        else:
            with listening(listen):
                assert model.function(compiled=True).compiled
    finally:
        compiler.find_compiler.cache_clear()
    ticks = [news for news in heard if news.title == "compiling" and news.done > 0]
    assert ticks and all(news.total for news in ticks) and ticks[-1].finished
    left = {path.suffix for path in fresh.rglob("*") if path.is_file() and path != slow}
    assert left == (set() if stopped else {".so"})
