"""Check that arrays of a wrong size are rejected with the expected size."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import symoro
from symoro.emit import emit
from symoro.program.program import Program
from tests.emit.run import command, need, put


@cache
def program() -> Program:
    return symoro.generate("rx90", "inverse-geometry").program


@cache
def geometry() -> Program:
    return symoro.generate("rx90", "fast-geometry").program


def octave(folder: Path, lines: list[str]) -> list[str]:
    """Return Octave's output or error message for each line; all lines in one process."""
    attempts = [f"try\n{line}\ncatch problem\ndisp(problem.message)\nend\ndisp('--')\n" for line in lines]
    put(folder, {"attempt.m": "1;\n" + "".join(attempts)})
    shown = command(need("octave"), "--norc", "--quiet", "attempt.m", cwd=folder)
    return [text.strip() for text in shown.split("--\n")[:-1]]


def test_matlab(tmp_path: Path) -> None:
    put(tmp_path, emit(geometry(), "matlab", name="fgm"))
    put(tmp_path, emit(program(), "matlab", name="igm"))
    number = len(geometry().used_parameters)
    k = f"k = fgm_setup(ones({number}, 1)); "
    constants = len(program().used_parameters)
    shown = {
        k + "fgm(ones(6, 1), k); fgm(ones(1, 6), k); fgm(single(ones(6, 1)), k);": "",
        k + "fgm(ones(6, 100), k);": "q must be 6 x 1, got [6 100]",
        k + "fgm(ones(2, 3), k);": "q must be 6 x 1, got [2 3]",
        k + "fgm(ones(5, 1), k);": "q must be 6 x 1, got [5 1]",
        k + "fgm(ones(6, 1), k(2:end));": "k must be",
        f"fgm_setup(ones({number + 1}, 1));": f"p must be {number} x 1",
        f"igm(ones(16, 1), igm_setup(ones({constants}, 1)));": "T must be 4 x 4, got [16 1]",
        k + "T = fgm(single([0.1 0.2 0.3 0.4 0.5 0.6]), k); disp(class(T))": "double",
    }
    for line, text, expected in zip(shown, octave(tmp_path, list(shown)), shown.values(), strict=True):
        assert expected in text and (expected or not text), line


def test_python(tmp_path: Path) -> None:
    space: dict[str, object] = {}
    exec(emit(geometry(), "python", name="fgm")["fgm.py"], space)
    setup, call = space["setup"], space["call"]
    assert callable(setup) and callable(call)
    k = setup(np.ones(len(geometry().used_parameters)))
    assert call(np.ones((100, 6)), k)["T"].shape == (100, 4, 4)
    for wrong in (np.ones((6, 100)), np.ones(5), np.ones(7), 1.0):
        with pytest.raises(ValueError, match=r"q must have the shape \(\.\.\., 6\), got"):
            call(wrong, k)
    with pytest.raises(ValueError, match="k must have the shape"):
        call(np.ones(6), k[:-1])
    with pytest.raises(ValueError, match="p must have"):
        setup(np.ones(99))


def test_javascript(tmp_path: Path) -> None:
    node = need("node")
    put(tmp_path, emit(geometry(), "javascript", name="fgm"))
    count = len(geometry().used_parameters)
    lines = [
        'import { setup, call, batch } from "./fgm.js";',
        f"const k = setup(new Array({count}).fill(1));",
        "const messages = [];",
        "const attempt = (f) => { try { f(); messages.push(''); } catch (e) { messages.push(e.message); } };",
        "attempt(() => call([1, 1, 1, 1, 1, 1], k));",
        "attempt(() => call(new Array(600).fill(1), k));",
        "attempt(() => call(undefined, k));",
        "attempt(() => call([1, 1, 1, 1, 1, 1], []));",
        "attempt(() => batch(3, new Array(18).fill(1), k));",
        "attempt(() => batch(3, new Array(6).fill(1), k));",
        "console.log(JSON.stringify(messages));",
    ]
    put(tmp_path, {"package.json": '{"type": "module"}', "attempt.js": "\n".join(lines)})
    messages = json.loads(command(node, "attempt.js", cwd=tmp_path))
    assert messages[0] == messages[4] == ""
    assert messages[1] == "q: 6 numbers expected, got 600"
    assert messages[2] == "q: 6 numbers expected, got undefined"
    assert "k:" in messages[3]
    assert messages[5] == "q: 18 numbers expected, got 6"


def test_julia() -> None:
    text = emit(geometry(), "julia", name="fgm")["fgm.jl"]
    assert 'length(q) == 6 || throw(DimensionMismatch("q must have the length 6, got $(length(q))"))' in text
    text = emit(program(), "julia", name="igm")["igm.jl"]
    assert "size(T) == (4, 4) || throw(DimensionMismatch(" in " ".join(text.split())
