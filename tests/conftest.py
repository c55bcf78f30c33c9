"""Options and fixtures that all tests share."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# No deadlines: the machine that runs the tests may be busy. The same examples every time: what passes once passes
# again; other examples are drawn with HYPOTHESIS_PROFILE=wandering.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.register_profile("wandering", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))

GOLDEN = Path(__file__).parent / "golden"


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
