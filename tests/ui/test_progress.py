"""Check progress bars on terminals, silence elsewhere, and interrupts without incomplete files."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import symoro
from symoro.progress import Progress
from symoro.ui import cli, progress

LONG = ["count", "inverse-dynamics", "--effort", "search"]


@pytest.fixture
def chain(tmp_path: Path) -> Path:
    """A robot whose search takes long enough to be stopped."""
    row = {"alpha": "pi/2", "d": "D", "r": "L"}
    robot = symoro.Robot.from_dh([row] * 24, "kk", "chain", inertia="symbolic")
    symoro.save(robot, tmp_path / "chain.yaml")
    return tmp_path / "chain.yaml"


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Let processes that a test starts receive SIGINT: a background job and its children ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
@pytest.mark.skipif(os.name == "nt", reason="no such terminals there")
def test_a_bar_on_a_terminal_and_a_clean_stop(chain: Path, tmp_path: Path) -> None:
    import pty

    cache = tmp_path / "cache"
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "symoro.ui.cli", *LONG, str(chain), "--json"],
        stdout=subprocess.PIPE,
        stderr=theirs,
        start_new_session=True,
        env={**os.environ, "SYMORO_CACHE": str(cache), "TERM": "xterm", "COLUMNS": "120"},
    )
    os.close(theirs)
    shown = b""
    while b"left" not in shown and process.poll() is None:
        shown += os.read(ours, 4096)
    process.send_signal(signal.SIGINT)
    while True:
        try:
            more = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        shown += more
        if not more:
            break
    out, _ = process.communicate(timeout=60)
    os.close(ours)
    text = shown.decode()
    assert "symoro: searching for the formulation with the fewest operations" in text and "s left" in text
    assert process.returncode == 130 and out == b""
    assert "Traceback" not in text and text.rstrip().endswith("symoro: interrupted")
    assert [path for path in cache.rglob("*") if path.is_file()] == []


@pytest.mark.usefixtures("interruptible")
@pytest.mark.skipif(os.name == "nt", reason="signals are others there")
def test_a_stop_without_a_terminal(chain: Path, tmp_path: Path) -> None:
    """An interrupted command prints one word on standard error."""
    code = (
        "import sys\nfrom symoro.ui.cli import main\nfrom symoro.models.dynamic import search\n"
        "search_function = search.best_formulation\n"
        "def best(*given):\n    print('at work', flush=True)\n    return search_function(*given)\n"
        "search.best_formulation = best\nsys.exit(main(sys.argv[1:]))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, *LONG, str(chain)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, "SYMORO_CACHE": str(tmp_path / "cache")},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"at work\n"
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130 and errors == b"symoro: interrupted\n"


def test_no_progress_bars_without_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "DELAY", 0.0)
    assert cli.main(["singularities", "planar2r"]) == 0
    assert capsys.readouterr().err == ""


class Bars:
    """Replacement of the progress bars of rich."""

    def __init__(self) -> None:
        self.rows: dict[int, dict[str, Any]] = {}
        self.running = False
        self.ended = 0

    def start(self) -> None:
        self.running = True

    def stop(self) -> None:
        self.running, self.ended = False, self.ended + 1

    def add_task(self, title: str, total: float | None) -> int:
        self.rows[len(self.rows)] = {"title": title}
        return len(self.rows) - 1

    def update(self, row: int, **news: Any) -> None:
        self.rows[row] |= news

    def remove_task(self, row: int) -> None:
        del self.rows[row]


def test_bars_appear_and_disappear_with_the_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    bars = Bars()
    monkeypatch.setattr(progress, "_bars", lambda: bars)
    display = progress.Display(delay=3600)
    display.update(Progress(1, "outer", 0, None))
    display.update(Progress(2, "inner", 1, 4))
    assert not bars.running, "nothing before the delay"
    display._appear()
    assert bars.running and [row["title"] for row in bars.rows.values()] == ["outer", "inner"]
    assert bars.rows[1] == {"title": "inner", "completed": 1, "total": 4}
    display.update(Progress(2, "inner", 5, 4))
    assert bars.rows[1]["total"] is None, "an estimate that was wrong is none"
    display.update(Progress(2, "inner", 5, 4, finished=True))
    assert bars.running and list(bars.rows) == [0]
    display.update(Progress(1, "outer", 0, None, finished=True))
    assert not bars.running and bars.ended == 1
    display._appear()
    assert not bars.running, "a late timer changes nothing"
