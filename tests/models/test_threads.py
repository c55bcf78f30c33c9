"""Models generated in several threads equal those of one thread; no state of the process is changed."""

from __future__ import annotations

import copy
import gc
import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import symoro
from symoro.emit import emit
from symoro.models import catalogue
from symoro.models.dynamic import search
from symoro.models.identification.base import parameters as base

WORK = (
    ("planar3r", "inverse-dynamics", {"effort": "search"}),
    ("scara", "direct-dynamics", {}),
    ("puma560", "inverse-geometry", {}),
    ("sr400", "loop-geometry", {}),
    ("fivebar", "loop-geometry", {}),
    ("sr400", "base-parameters", {}),
    ("fourbar", "base-parameters", {}),
    ("slidercrank", "base-parameters", {"method": "numeric"}),
)


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Clear the caches, and switch threads fifty times as often as usual."""
    monkeypatch.setenv("SYMORO_CACHE", str(tmp_path))

    def forget() -> None:
        search._FORMULATIONS.clear()
        base._cached_parameters.cache_clear()
        for path in tmp_path.rglob("*.json"):
            path.unlink()

    often = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    yield forget
    sys.setswitchinterval(often)
    search._FORMULATIONS.clear()


def text_of(robot: str, model: str, options: dict[str, str]) -> dict[str, str]:
    return dict(emit(catalogue.build(symoro.load(robot), model, options)[1], "c"))


def test_threads_generate_what_one_does(fresh: Callable[[], None]) -> None:
    fresh()
    alone = [text_of(*work) for work in WORK]
    fresh()
    begin = threading.Barrier(4)

    def all_of_it(turn: int) -> list[dict[str, str]]:
        begin.wait()
        order = [*range(turn, len(WORK)), *range(turn)]
        result = {k: text_of(*WORK[k]) for k in order}
        return [result[k] for k in range(len(WORK))]

    with ThreadPoolExecutor(4) as pool:
        for result in pool.map(all_of_it, (0, 0, 3, 5)):
            assert result == alone


def test_other_threads_keep_their_garbage_collector(monkeypatch: pytest.MonkeyPatch) -> None:
    """Generation in one thread does not change the garbage collector, which other threads may need on or off."""
    switched: list[str] = []
    monkeypatch.setattr(gc, "disable", lambda: switched.append("off"))
    monkeypatch.setattr(gc, "enable", lambda: switched.append("on"))
    worker = threading.Thread(target=text_of, args=("planar2r", "inverse-dynamics", {}))
    worker.start()
    worker.join()
    assert not switched


def test_one_thread_alone_has_it_off_and_then_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bool] = []
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    chosen = catalogue.entry("inverse-dynamics")
    monkeypatch.setattr(catalogue, "optimise", lambda program: seen.append(gc.isenabled()) or program)
    for switch in (gc.enable, gc.disable):
        switch()
        before = gc.isenabled()
        try:
            catalogue.build(symoro.load("planar2r"), chosen.id, {})
            assert gc.isenabled() == before
        finally:
            gc.enable()
    assert seen == [False, False]


def test_numpy_warns_in_a_thread_as_before() -> None:
    """Base parameters are computed without warnings; the thread's warning filters are restored afterwards."""
    begin = threading.Barrier(3)

    def state(_: int) -> tuple[dict[str, str], dict[str, str]]:
        begin.wait()
        before = np.geterr()
        base._cached_parameters.__wrapped__(symoro.load("fourbar"), "numeric", True, None)
        return before, np.geterr()

    with ThreadPoolExecutor(3) as pool:
        for before, after in pool.map(state, range(3)):
            assert before == after


def test_cached_base_parameters_cannot_be_written_to() -> None:
    """Equal requests from any thread return the same object."""
    result = symoro.base_parameters(symoro.load("planar2r"))
    kept = result.names[0]
    with pytest.raises(TypeError):
        result.relations[kept]["M9"] = result.relations[kept]  # type: ignore[index]
    with pytest.raises(TypeError):
        del result.relations[kept]  # type: ignore[attr-defined]
    for other in (copy.deepcopy(result), pickle.loads(pickle.dumps(result))):  # noqa: S301
        assert other == result and other.report() == result.report()


def test_only_so_many_formulations_stay_in_memory(
    fresh: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh()
    monkeypatch.setattr(search, "CACHE_SIZE", 3)
    for k in range(5):
        robot = symoro.load("planar2r").replace(name=f"arm{k}")
        catalogue.build(robot, "inverse-dynamics", {"effort": "search"})
    assert [robot.name for robot, _ in search._FORMULATIONS] == ["arm2", "arm3", "arm4"]
