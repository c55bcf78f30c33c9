"""Test the rules of MATLAB Coder on emitted MATLAB code: fixed sizes, one class and one assignment per variable."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from symoro.emit import emit
from tests.emit.programs import Case, special_cases
from tests.emit.run import command, need, put

ASSIGNED = re.compile(r"^(?:\[([\w, ~]+)\]|(\w+)) = ", re.MULTILINE)
MARK = "\n\n%#codegen\n"
# Functions outside this list would have to be supported by Coder as well.
CALLED = {
    *(
        "abs",
        "acos",
        "asin",
        "atan2",
        "class",
        "cos",
        "double",
        "error",
        "isa",
        "isnan",
        "isstruct",
        "isvector",
    ),
    *("max", "min", "numel", "reshape", "sign", "sin", "size", "sqrt", "tan", "zeros"),
}


def functions(text: str) -> list[tuple[str, list[str], str]]:
    """Return the name, the arguments and the body of every function of a file, without comments."""
    matches = re.findall(r"^function .*?(\w+)\(([^)]*)\)\n(.*?)^end$", text, re.MULTILINE | re.DOTALL)
    plain = [
        (name, arguments, re.sub(r"^\s*%.*\n", "", body, flags=re.MULTILINE))
        for name, arguments, body in matches
    ]
    return [(name, arguments.split(", "), body) for name, arguments, body in plain]


@pytest.mark.parametrize("case", special_cases(), ids=lambda case: case.program.name)
def test_rules(case: Case) -> None:
    kernels = {call.kernel for call in case.program.graph.calls}
    for name, text in emit(case.program, "matlab").items():
        static = kernels <= {"solve"} or name.endswith("_setup.m")
        assert (MARK in text) == static
        assert ("codegen" in text) == static
        if not static:
            continue
        first, *others = functions(text)
        targets = [target for many, one in ASSIGNED.findall(first[2]) for target in (many or one).split(", ")]
        assert len(targets) == len(set(targets)), "a variable is assigned twice"
        assert not set(first[1]) & set(targets), "an argument is assigned"
        own = {other[0] for other in others} | {first[0]}
        indexed = {*first[1], *targets, *(word for other in others for word in _variables(other))}
        for function in (first, *others):
            called = set(re.findall(r"\b([A-Za-z]\w*)\(", re.sub(r"'[^'\n]*'", "", function[2])))
            assert called - indexed - own <= CALLED


def _variables(function: tuple[str, list[str], str]) -> set[str]:
    _, arguments, body = function
    assigned = re.findall(r"^\s*(?:for )?\[?(?:~, )?(\w+)\]? = ", body, re.MULTILINE)
    return {*arguments, *assigned}


def test_coder_command_has_the_sizes_of_the_arguments(tmp_path: Path) -> None:
    """The arguments of the command in the help text are accepted by the functions."""
    octave = need("octave")
    cases = [case for case in special_cases() if not case.program.graph.calls]
    lines = []
    for case in cases:
        files = emit(case.program, "matlab")
        put(tmp_path, files)
        for text in files.values():
            usage = re.sub(r"\n%\s*", " ", text[text.index("codegen ") : text.index("% Made by")])
            match = re.fullmatch(r"codegen (\w+) -args \{(.*)\}", usage.strip())
            assert match is not None
            lines.append(f"{match[1]}({match[2]});")
    put(tmp_path, {"driver_.m": "1;\n" + "\n".join(lines) + "\n"})
    command(octave, "--no-gui", "--norc", "--quiet", "driver_.m", cwd=tmp_path)
    assert len(lines) > len(cases)


def test_struct_vector_and_class_of_constants(tmp_path: Path) -> None:
    octave = need("octave")
    case = next(case for case in special_cases() if case.program.name == "chain")
    put(tmp_path, emit(case.program, "matlab"))
    fields = ", ".join(f"'{name}', {value!r}" for name, value in case.parameters.items())
    vector = ", ".join(map(repr, case.parameter_list()))
    q = ", ".join(map(repr, np.ravel(case.sample(0)["q"]).tolist()))
    lines = [
        "1;",
        f"a = chain_setup(struct({fields})); b = chain_setup([{vector}]); c = chain_setup(single([{vector}]).');",
        "assert(isequal(a, b)); assert(max(abs(b - c)) < 1e-6); assert(isa(c, 'double'));",
        f"P = chain([{q}], a); R = chain(single([{q}]), a);",
        "assert(isa(R, 'double')); assert(max(abs(P(:) - R(:))) < 1e-5);",
        f"try, chain([{q}], single(a)); catch problem, disp(problem.message), end",
    ]
    put(tmp_path, {"driver_.m": "\n".join(lines) + "\n"})
    shown = command(octave, "--no-gui", "--norc", "--quiet", "driver_.m", cwd=tmp_path)
    assert "k must be" in shown and "double, got" in shown and "of class single" in shown
