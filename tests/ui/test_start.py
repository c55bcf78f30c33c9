"""The command as the system runs it: start-up, what is imported, pipes, and terminals of any encoding."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest

from symoro.ui.cli import main

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("numpy", "sympy", "scipy", "yaml", "rich", "platformdirs")


def python(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        env={**os.environ, **environment},
        timeout=120,
    )


def symoro(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return python("-m", "symoro.ui.cli", *words, **environment)


LIGHT = (
    "import symoro",
    "import symoro; symoro.load; symoro.generate; symoro.singularities",
    "import symoro; symoro.catalogue()",
    "from symoro.ui.cli import main; main([])",
    "from symoro.ui.cli import main; main(['models', '--json'])",
    "from symoro.ui.cli import main\ntry: main(['generate', '--help'])\nexcept SystemExit: pass",
    "from symoro.ui.cli import main\ntry: main(['show', '--help'])\nexcept SystemExit: pass",
)


def test_heavy_packages_are_not_imported() -> None:
    """Nor does a table of the models need NumPy; it is drawn by rich."""
    looks = [
        f"{code}\nprint('\\nloaded', {number}, *[m for m in {HEAVY!r} if m in sys.modules])"
        for number, code in enumerate(LIGHT)
    ]
    table = "from symoro.ui.cli import main; main(['models']); print('numpy' in sys.modules)"
    done = python("-c", "\n".join(["import sys", *looks, table]))
    assert done.returncode == 0, done.stderr
    loaded = [line for line in done.stdout.splitlines() if line.startswith("loaded")]
    assert loaded == [f"loaded {number}" for number in range(len(LIGHT))]
    assert "inverse-dynamics" in done.stdout and done.stdout.splitlines()[-1] == "False"


def test_importtime_shows_neither_sympy_nor_scipy() -> None:
    done = python("-X", "importtime", "-c", "import symoro")
    names = {line.rsplit("|", 1)[-1].strip().split(".")[0] for line in done.stderr.splitlines()}
    assert "symoro" in names
    assert not names & {"sympy", "scipy", "numpy"}


def test_generating_needs_no_sympy() -> None:
    code = "import sys, symoro; str(symoro.generate(symoro.load('rx90'), 'jacobian')); print('sympy' in sys.modules)"
    assert python("-c", code).stdout.strip() == "False"


def test_help_is_quick() -> None:
    """The best of a few runs, in processor time, so that a busy machine does not matter; 0.4 s is the aim."""
    best = 9.0
    for _ in range(2):
        before = os.times()
        assert symoro("--help").returncode == 0
        after = os.times()
        best = min(
            best, after.children_user + after.children_system - before.children_user - before.children_system
        )
        time.sleep(0.01)
    assert best < 0.8


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert not ended.value.code and capsys.readouterr().out.startswith("symoro ")


def test_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    done = symoro("show", "nope")
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith("symoro: no bundled robot called 'nope'")
    assert main(["robots"]) == 0
    main(["show", "/bin/ls"])
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="pipes are others there")
@pytest.mark.parametrize("words", [["robots"], ["--help"], ["generate", "transform", "rx90"]])
def test_a_closed_pipe(words: list[str]) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "symoro.ui.cli", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    errors = process.stderr.read().decode()
    process.stderr.close()
    assert process.wait(timeout=60) == 0, errors
    assert errors == ""


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_terminals_of_any_encoding(encoding: str, tmp_path: Path) -> None:
    import symoro as library

    file = tmp_path / "odd.yaml"
    library.save(library.load("planar2r").replace(name="Šé→", title="日本"), file)
    for words in (["robots"], ["show", str(file)], ["show", "日本"], ["models"]):
        done = symoro(*words, PYTHONIOENCODING=encoding)
        assert done.returncode == (2 if words == ["show", "日本"] else 0)
        assert "Traceback" not in done.stderr


def test_a_wrong_compiler_does_not_matter_here() -> None:
    """Numbers on the command line need no compiler, and say nothing about it."""
    done = symoro("eval", "fast-geometry", "rx90", "q=0,0,0,0,0,0", CC="/nonexistent")
    assert done.returncode == 0 and done.stderr == ""


def test_a_missing_compiler_is_a_warning_without_the_place_in_the_source() -> None:
    done = symoro("simulate", "planar2r", "q=0,1", "--duration", "0.1", CC="/nonexistent")
    assert done.returncode == 0
    lines = done.stderr.splitlines()
    assert lines and all(line.startswith("symoro: warning: ") for line in lines)
    assert len(set(lines)) == len(lines)


def test_an_interrupt_during_the_imports_prints_no_traceback() -> None:
    code = """
import sys
class Interrupted:
    def find_spec(self, name, *_):
        if name == "symoro.ui.cli":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupted())
from symoro.__main__ import main
sys.exit(main())
"""
    done = python("-c", code)
    assert (done.returncode, done.stderr) == (130, "symoro: interrupted\n")


def test_an_interrupt_prints_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from symoro.ui import cli, commands

    def stop(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "run", stop)
    assert cli.main(["robots"]) == 130
    assert capsys.readouterr().err == "symoro: interrupted\n"


@pytest.mark.parametrize(("package", "extra"), [("sympy", "sympy"), ("scipy", "sim")])
def test_packages_of_the_readme_come_with_symoro(package: str, extra: str) -> None:
    """What the README shows works after its own installation; the name of a former extra remains valid."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert any(re.match(rf"{package}\b", name) for name in project["dependencies"])
    assert project["optional-dependencies"][extra] == []
    assert not any(package in name for one in project["optional-dependencies"].values() for name in one)


@pytest.fixture
def check() -> Any:
    """tools/check_docs.py, which runs the examples of the documentation."""
    spec = importlib.util.spec_from_file_location("check_docs", ROOT / "tools" / "check_docs.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_each_page_is_run_with_the_extra_that_it_names(check: Any, tmp_path: Path) -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    needed = {page.relative_to(ROOT).as_posix(): check.extra_of(page) for page in check.pages()}
    assert (
        needed["README.md"] == needed["docs/simulation.md"] == needed["docs/notebooks/simulation.ipynb"] == ""
    )
    assert needed["docs/identification.md"] == needed["docs/notebooks/identification.ipynb"] == "identify"
    named = {name for extra in needed.values() if extra for name in extra.split(",")}
    assert named <= set(extras) - {"test", "dev"}
    page = tmp_path / "page.md"
    for line, extra in (
        ("Needs `pip install symoro[png]`.", "png"),
        ("Needs `pip install 'symoro[png,xacro]'`, and more", "png,xacro"),
        ("PNG needs `pip install 'symoro[png]'`.", ""),
        ("Needs nothing: not even `pip install 'symoro[png]'`.", ""),
    ):
        page.write_text(f"# A page\n\n{line}\n")
        assert check.extra_of(page) == extra


def test_the_examples_of_notebooks_are_run(check: Any, tmp_path: Path) -> None:
    page = tmp_path / "page.ipynb"
    cells = [
        {"cell_type": "markdown", "source": ["# A page\n", "[lost](nowhere.md)"]},
        {"cell_type": "code", "source": ["from IPython.display import SVG\n", "x = SVG('1')"], "outputs": []},
        {"cell_type": "code", "source": "print('2 m')", "outputs": [stream("2.01 m\n")]},
        {"cell_type": "code", "source": "print('2 m')", "outputs": [stream("3 m\n")]},
        {"cell_type": "code", "source": "y = x + no_such_name", "outputs": []},
    ]
    page.write_text(json.dumps({"cells": cells}))
    link, example, output = check.checked(page)[0]
    assert link == "broken link: nowhere.md" and "no_such_name" in example
    assert output.startswith("the saved output of code cell 3 is out of date")


def test_outputs_that_pages_show_are_compared(check: Any, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    example = "```python\nprint('largest torque', 1.2344, 'N m')\n```\n\n```text\n{}\n```\n"
    assert check.broken_examples(page, example.format("largest torque 1.234 N m")) == []
    (message,) = check.broken_examples(page, example.format("largest torque 2.5 N m"))
    assert message == "the output at line 6 is out of date: 'largest torque 2.5 N m'"
    assert check.broken_data("```yaml\na: [1\n```\n")[0].startswith("yaml at line 1")


def stream(text: str) -> dict[str, object]:
    return {"output_type": "stream", "name": "stdout", "text": [text]}


def test_command_lines_of_the_documentation_are_run(check: Any, tmp_path: Path) -> None:
    """tools/check_docs.py runs them; here, that it finds them and that it notices one which fails."""
    readme = ROOT / "README.md"
    result = [line for _, line in check.command_lines(readme, readme.read_text())]
    assert len(result) >= 4 and not any("COMMAND" in line for line in result)
    page = tmp_path / "page.md"
    text = "# a page\n\n    symoro show rx90   # good\n\n    symoro show nothing.yaml\n\n```sh\nsymoro cite rx91\n```\n"
    messages = check.broken_examples(page, text)
    assert [message.split(":")[0] for message in messages] == ["example at line 5", "example at line 8"]


def test_outputs_of_pages_are_updated(check: Any) -> None:
    page = "```python\nprint(1)\n```\n\n```text\n{}\n```\n"
    assert check.updated(page.format("2"), {0: "1\n"}) == page.format("1")
    assert check.updated(page.format("2\n..."), {0: "1\n"}) == page.format("2\n...")
