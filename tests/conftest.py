"""Options and fixtures of all tests."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from symoro import progress
from symoro.models import catalogue
from symoro.program.program import Program
from symoro.robot.description import Robot
from symoro.runtime import compiler

# No deadlines: the machine that runs the tests may be busy. The same examples every time: what passes once passes
# again; other examples are drawn with HYPOTHESIS_PROFILE=wandering.
settings.register_profile("steady", deadline=None, derandomize=True, max_examples=50)
settings.register_profile("wandering", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))

GOLDEN = Path(__file__).parent / "golden"

# Compiled functions are shared by the test processes, and by the next run of the tests.
os.environ.setdefault("SYMORO_CACHE", str(Path(__file__).resolve().parent.parent / "build" / "test-cache"))

# The optimisation of C code that is called a few times took half of the tests' time. It is switched off except
# in tests/runtime, where functions are compiled with the usual flags.
FLAGS = compiler._flags
OPTIMISED = "tests/runtime/"

SEEDS = 1  # number of seeds of each test that is repeated for random robots; -m slow runs the others

# Programs are frozen, so tests that generate the same model can share it.
BUILD = catalogue.build
MOST_MODELS = 200
models: dict[Any, tuple[catalogue.Entry, Program]] = {}
running: pytest.Item | None = None


def plain_flags() -> list[str]:
    """Return the flags of the compiler without optimisation."""
    return ["-O0" if flag == "-O3" else flag for flag in FLAGS()]


def shared_build(robot: Robot, name: str, options: Mapping[str, Any]) -> tuple[catalogue.Entry, Program]:
    """Build a model, or return the one that was built from an equal description.

    Work that is counted (tests/effort.py) or listened to is done, and so is the work of a test that has replaced
    attributes or variables of the environment.
    """
    patch = getattr(running, "funcargs", {}).get("monkeypatch")
    replaced = patch is not None and (patch._setattr or patch._setitem)
    if replaced or sys.getprofile() is not None or progress._LISTENER.get() is not None:
        return BUILD(robot, name, options)
    key = robot, robot.notes, name, repr(sorted(options.items()))
    if key not in models:
        if len(models) == MOST_MODELS:
            del models[next(iter(models))]
        models[key] = BUILD(robot, name, options)
    return models[key]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all but the first seeds, and all but the first cases of a test marked `first(count)`, as slow."""
    counts: dict[Any, int] = {}
    for item in items:
        values = dict(item.callspec.params) if hasattr(item, "callspec") else {}
        first = item.get_closest_marker("first")
        if item.get_closest_marker("slow") or ("seed" not in values and first is None):
            continue
        others = {} if first else {name: value for name, value in values.items() if name != "seed"}
        key = item.nodeid.split("[")[0], repr(others)
        counts[key] = counts.get(key, 0) + 1
        if counts[key] > (first.args[0] if first else SEEDS):
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Choose the flags of the compiler before fixtures use it."""
    global running
    running = item
    compiler._flags = FLAGS if item.nodeid.startswith(OPTIMISED) else plain_flags


def pytest_collection_finish() -> None:
    """Share models; leave what was collected out of the search for cycles, which is made more rarely."""
    catalogue.build = shared_build
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="rewrite the golden files from what is emitted"
    )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with tests/golden/PATH, or write it there under --update-golden."""

    def compare(path: str, text: str) -> None:
        file = GOLDEN / path
        if request.config.getoption("--update-golden"):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode())
            return
        assert file.exists(), f"no golden file {path}: run pytest --update-golden, and read what it wrote"
        assert text == file.read_bytes().decode(), (
            f"{path} differs: if that is meant, run pytest --update-golden"
        )

    return compare
