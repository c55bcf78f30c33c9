"""Test JavaScript: arguments, names, types, long functions, and modules without dependencies."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given

import symoro
from symoro.emit import emit, find_language, javascript, keywords, parts
from symoro.errors import NotApplicableError, OptionError
from symoro.models.catalogue import catalogue
from symoro.models.numeric.closure import closed
from symoro.models.numeric.tree import numeric_tree
from symoro.program.builder import Builder
from symoro.program.program import Program
from symoro.robot import library
from symoro.robot.description import Robot
from tests.emit.programs import (
    SAMPLES,
    Case,
    batches,
    case_of,
    chain,
    everything,
    few,
    polynomials,
    solver,
    special_cases,
)
from tests.emit.run import Results, assert_close, command, need, put, run_javascript


def run(folder: Path, program: Program, script: str, *flags: str) -> str:
    """Return the output of a script in which m is the module of a program."""
    start = f'import * as m from "./{program.name}.js";\n'
    put(folder, emit(program, "javascript"))
    put(folder, {"script.js": start + script, "package.json": '{"type": "module"}'})
    return command(need("node"), *flags, "script.js", cwd=folder)


def test_the_language_by_its_names() -> None:
    for name in ("javascript", "js", "JS", "typescript", "ts"):
        assert find_language(name).id == "javascript"
    assert set(emit(chain(2), "ts")) == {"chain.js", "chain.d.ts"}


# -- arguments


def test_parameters_by_name_and_in_order(tmp_path: Path) -> None:
    script = """
    const asked = (p) => { try { return [...m.setup(p)].join(); } catch (error) { return error.message; } };
    console.log(asked({ R1: 2, D1: 1, D2: 3, R2: 4, more: 5 }));
    console.log(asked([1, 2, 3, 4]));
    console.log(asked(Float64Array.of(1, 2, 3, 4)));
    console.log(asked({ D1: 1, R1: 2, D2: 3 }));
    console.log(asked([1, 2, 3]));
    console.log(asked([1, 2, 3, 4, 5]));
    console.log(asked({ D1: 1, R1: 2, D2: 3, R2: "4" }));
    """
    result = run(tmp_path, chain(2), script).splitlines()
    assert result[0] == result[1] == result[2]
    assert result[0].startswith("1,2,3,")
    assert result[3] == result[4] == result[6] == "4 parameters expected; missing: R2"
    assert result[5] == "4 parameters expected; missing: none"


def test_outputs_are_taken_where_the_caller_has_room(tmp_path: Path) -> None:
    script = """
    const k = m.setup([1, 2, 3, 4]), q = [0.3, -0.4];
    const out = { P: new Float64Array(6).fill(NaN) };
    console.log(m.call(q, k, out) === out, out.P.every((x, e) => x === m.call(q, k).P[e]));
    const many = { P: new Float64Array(12).fill(NaN) };
    console.log(m.batch(2, [...q, ...q], k, many) === many, many.P.every((x, e) => x === out.P[e % 6]));
    console.log(m.batch(0, [], k).P.length, m.INPUTS.q, m.OUTPUTS.P, m.PARAMETERS.join());
    """
    result = run(tmp_path, chain(2), script)
    assert result.splitlines() == ["true true", "true true", "0 [ 2 ] [ 2, 3 ] D1,R1,D2,R2"]


def test_zero_has_no_sign_and_what_is_no_number_stays_so(tmp_path: Path) -> None:
    from symoro.expr import scalar as sc

    b = Builder("edges")
    x, y = b.input("x", (2,))
    less, equal = sc.less(x, y), sc.equal(x, y)
    values = [sc.sign(x), sc.minimum(x, y), sc.maximum(x, y), less, equal, sc.select(less, x, 7), sc.sqrt(x)]
    b.output("y", values)
    b.output("flag", equal)
    rows = [[0.0, 1.0], [np.nan, 1.0], [np.inf, np.inf], [-1.0, -np.inf]]
    (result,) = run_javascript(tmp_path, [Case(b.program(), {"x": np.array(rows)}, {})])
    nan, inf = np.nan, np.inf
    expected = [
        [0, 0, 1, 1, 0, 0, 0],
        [nan, nan, nan, 0, 0, 7, nan],
        [1, inf, inf, 0, 1, 7, inf],
        [-1, -inf, -1, 0, 0, 7, nan],
    ]
    np.testing.assert_array_equal(result["y"], expected)
    np.testing.assert_array_equal(result["flag"], [0, 0, 1, 0])  # a number, not true or false


# -- names

AWKWARD = [
    *sorted(keywords.JAVASCRIPT),
    *("setup", "call", "batch", "model", "listed_", "sample_", "entry_", "kept_", "part1_", "solve_", "x_"),
    *("Map", "Symbol", "self", "window", "document", "require", "process", "exports", "sin", "sqrt", "abs"),
    *(
        "constructor",
        "__proto__",
        "prototype",
        "length",
        "name",
        "hasOwnProperty",
        "toString",
        "int",
        "double",
    ),
]


@pytest.mark.parametrize("longest", [10**9, 0])
def test_names_that_javascript_has_other_uses_for(
    tmp_path: Path, longest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(javascript, "_WHOLE", longest)
    monkeypatch.setattr(parts, "LONGEST", 20)
    b = Builder("model")
    arrays = [
        b.input(name, (1,), [f"{name}1"]) for name in ("sample", "entry", "out", "e", "q", "one", "await")
    ]
    parameters = [b.parameter(name) for name in AWKWARD]
    total = arrays[0][0]
    for k, p in enumerate(parameters):
        total = b.named(f"{AWKWARD[-k]}", total * 0.5 + p * arrays[k % len(arrays)][0])
    solved = b.call("solve", [2, total, 0, 3], [total, 1])
    b.output("default", solved)
    b.output("q", total)
    case = case_of(b.program())
    assert_close(run_javascript(tmp_path, [case], batch=True), [case])


# -- long functions


@given(batches())
@few(3)
def test_the_same_numbers_wherever_it_is_cut(batch: list[Case]) -> None:
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
        patch.setattr(javascript, "_WHOLE", 0)
        patch.setattr(parts, "LONGEST", 3)
        assert_close(run_javascript(Path(folder), batch), batch)


def test_programs_with_kernels_are_cut_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(javascript, "_WHOLE", 0)
    monkeypatch.setattr(parts, "LONGEST", 2)
    cases = special_cases()
    assert "part2_(" in emit(solver(), "javascript")["solver.js"]
    assert_close(run_javascript(tmp_path, cases), cases)
    assert_close(run_javascript(tmp_path, cases, batch=True), cases)


def test_short_functions_stay_whole_and_long_ones_do_not(tmp_path: Path) -> None:
    assert "part1_" not in emit(chain(5), "javascript")["chain.js"]
    text = emit(chain(120), "javascript")["chain.js"]
    result = re.split(r"^function part\d+_", text, flags=re.MULTILINE)[1:]
    assert len(result) > 3
    assert max(map(len, result[:-1])) < javascript._WHOLE
    case = case_of(chain(120))
    assert_close(run_javascript(tmp_path, [case]), [case])


# -- nothing but the language

BARE = """
import vm from "node:vm";
import fs from "node:fs";
const context = vm.createContext(Object.create(null)); // the language's own globals, nothing of node or a browser
for (const file of process.argv.slice(2)) {
    const module = new vm.SourceTextModule(fs.readFileSync(file, "utf8"), { context });
    await module.link((wanted) => { throw new Error(`${file} imports ${wanted}`); });
    await module.evaluate();
    const m = module.namespace;
    const k = m.PARAMETERS ? [m.setup(m.PARAMETERS.map((name, at) => 0.5 + 0.01 * at))] : [];
    const given = Object.values(m.INPUTS).map((shape) => {
        const size = shape.reduce((product, n) => product * n, 1);
        return shape.length === 0 ? 0.5 : Float64Array.from({ length: size }, (x, e) => 0.1 + 0.07 * e);
    });
    console.log(file, Object.keys(m.call(...given, ...k)).join(), Object.keys(m.batch(0, ...given, ...k)).join());
}
"""


def test_modules_load_where_there_is_nothing_but_the_language(tmp_path: Path) -> None:
    """Check modules as in a page or a worker: no require, no process, no import, also with kernels."""
    programs = [everything(), solver(), polynomials()]
    for robot, model in (
        ("stanford", "inverse-geometry"),
        ("jaco2", "inverse-geometry"),
        ("rx90", "lagrange"),
    ):
        programs.append(symoro.generate(robot, model).program)
    for program in programs:
        put(tmp_path, emit(program, "javascript"))
    put(tmp_path, {"bare.mjs": BARE})
    files = [f"{program.name}.js" for program in programs]
    shown = command(need("node"), "--experimental-vm-modules", "bare.mjs", *files, cwd=tmp_path).splitlines()
    for program, file, line in zip(programs, files, shown, strict=True):
        keys = ",".join(port.name for port in program.outputs)
        assert line == f"{file} {keys} {keys}"


# -- types

USE = """
import { batch, call, setup, OUTPUTS, PARAMETERS, type Outputs, type BatchOutputs } from "./everything.js";
const k: Float64Array = setup([1, 2, 3]);
setup({ D3: 1, d3: 1, end: 1, double: 1, _a: 1, E: 1, k: 1, function: 1, t2: 1, x_y: 1, xY: 1 });
const out: Outputs = call([0, 0, 0], new Float64Array(4), 0.5, [0, 0], k);
const many: BatchOutputs = batch(2, new Float64Array(6), new Float64Array(8), [0, 1], [0, 0, 0, 0], k);
const three: 3 = OUTPUTS.t[1];
const first: "D3" = PARAMETERS[0];
export const results: [number, Float64Array, Float64Array, number, string] = [out.k, out.t, many.k, three, first];
// @ts-expect-error a parameter is missing
setup({ D3: 1 });
// @ts-expect-error a scalar is a number
call([0], [0], [0], [0], k);
// @ts-expect-error the constants are missing
call([0], [0], 0, [0]);
"""


def test_types(tmp_path: Path) -> None:
    """Check the types if a TypeScript compiler is installed."""
    compiler = need("tsc")
    put(tmp_path, emit(everything(), "javascript"))
    put(tmp_path, {"use.ts": USE, "package.json": '{"type": "module"}'})
    strict = ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext"]
    command(compiler, *strict, "use.ts", cwd=tmp_path)


def test_the_types_name_what_the_module_has(tmp_path: Path) -> None:
    for program in (everything(), chain(2)):
        module, types = emit(program, "javascript").values()
        declared = re.findall(r"^export declare (?:function|const) (\w+)", types, re.MULTILINE)
        assert sorted(declared) == run(
            tmp_path, program, "console.log(Object.keys(m).join());"
        ).strip().split(",")
        for name in ("call", "batch"):
            head, types_text = module.split(f"function {name}(")[1], types.split(f"function {name}(")[1]
            arguments = re.findall(r"\w+", head.partition(" = {")[0])
            assert re.findall(r"(\w+)\??: ", types_text.partition(")")[0]) == arguments


# -- robots

APART = {"inverse-geometry", "loop-geometry"}  # in test_inverse_geometry and test_not_finite
APART |= {"contact-dynamics"}  # NaN for inertias that no body has, as those drawn here


def closed_joints(robot: Robot) -> dict[str, np.ndarray]:
    """Return the joint positions, by their symbols, at which the loops are closed."""
    values = dict(robot.nominal)
    tree = numeric_tree(robot, lambda f: f.value(values))
    start = np.random.default_rng(5).uniform(-1.5, 1.5, (60, len(tree.coordinates)))
    q, good = closed(tree, start, range(start.shape[1]), damped=True)
    assert good.sum() >= SAMPLES
    return {f"q{j}": q[good][:SAMPLES, k] for k, j in enumerate(tree.coordinates)}


def every_model(name: str) -> list[Case]:
    robot = symoro.load(name)
    joints = closed_joints(robot) if robot.B else {}
    cases = []
    for model in sorted(set(catalogue()) - APART):
        try:
            program = symoro.generate(robot, model).program
        except (NotApplicableError, OptionError):
            continue
        case = case_of(program)
        for port in program.inputs:
            if port.name == "q" and set(port.symbols) <= set(joints):
                case.inputs["q"][:] = np.stack([joints[symbol] for symbol in port.symbols], -1)
        cases.append(Case(program, case.inputs, {**case.parameters, **dict(robot.nominal)}))
    return cases


def check(folder: Path, name: str, run_cases: Callable[[Path, list[Case]], Results] = run_javascript) -> None:
    """Compare all models of a robot in a language with the interpreter."""
    cases = every_model(name)
    assert len(cases) > 5
    for case, result in zip(cases, run_cases(folder, cases), strict=True):
        for output, expected in case.expected().items():
            finite = np.isfinite(expected)
            assert finite.any() or not expected.size, "a posture that suits the model"
            tolerance = 1e-9 * np.max(np.abs(expected), initial=1, where=finite)
            where = f"{case.program.name}.{output}"
            np.testing.assert_allclose(result[output], expected, rtol=0, atol=tolerance, err_msg=where)


@pytest.mark.parametrize("name", ["rx90", "sr400", "rx90_floating"])
def test_every_model(tmp_path: Path, name: str) -> None:
    check(tmp_path, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(library.names()) - {"rx90", "sr400", "rx90_floating"}))
def test_every_model_of_any_robot(tmp_path: Path, name: str) -> None:
    check(tmp_path, name)
