"""What the tests keep to: no clock, which says more of the machine than of the code, and nothing from outside."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

HERE = Path(__file__)
TESTS = HERE.parent
CLOCKS = re.compile(r"\b(perf_counter|monotonic|process_time|time\.time|timeit|thread_time)\b")
OUTSIDE = re.compile(r"""parents\[\d\] / "shared"|\.\./shared""")


@pytest.mark.parametrize("pattern", [CLOCKS, OUTSIDE], ids=["clocks", "outside"])
def test_no_test_reads(pattern: re.Pattern[str]) -> None:
    files = [path for path in TESTS.rglob("*.py") if path != HERE]
    assert len(files) > 100
    assert [str(path) for path in files if pattern.search(path.read_text(encoding="utf-8"))] == []
