"""Emitted JavaScript in node beside the emitted C: python benchmarks/javascript.py [ROBOT ...]

    C           one sample a call, gcc -O3 -march=native
    C, libm     the same with the sines and arctangents of the C library
    call        one sample a call, into arrays of the caller
    batch       many samples at once, time for one

ns a call, and in brackets over the C. Results are compared; each figure is the least of many passes, after the engine
has had time to compile, and the parties take turns.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import symoro
from symoro.emit.c import call_sources
from symoro.program.program import Program, size
from symoro.runtime.demo import demo_sample

CASES = {
    (
        "ur5e",
        "inverse-dynamics",
    ): 32,  # samples in a pass: few where a call is long, so that some pass is left alone
    ("ur5e", "inertia-matrix"): 32,
    ("ur5e", "direct-dynamics"): 32,
    ("ur5e", "inverse-geometry"): 32,
    ("rx90", "inverse-dynamics"): 32,
    ("rx90", "inverse-dynamics-derivatives"): 32,
    ("jaco2", "inverse-geometry"): 1,
    ("humanoid_torso", "inverse-dynamics"): 32,
    ("humanoid_torso", "direct-dynamics-derivatives"): 8,
}
FLAGS = ["-std=gnu99", "-O3", "-march=native", "-fno-math-errno", "-fno-trapping-math"]
ROUNDS = 3
BUDGET = 0.15  # seconds of each turn
TOLERANCE = 1e-8
Numbers = list[list[float]]

TIMER = """\
#include <stdio.h>
#include <time.h>
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}
"""
DRIVER = """\
const WARM = 3000; // ms: until then large functions are interpreted
const passes = (call, budget) => {
    let least = Infinity;
    for (const begun = performance.now(); performance.now() - begun < budget; ) {
        const start = performance.now();
        call();
        least = Math.min(least, ((performance.now() - start) * 1e6) / SAMPLES);
    }
    return least;
};
"""


def c_text(program: Program, parameters: list[float], inputs: Numbers, samples: int) -> str:
    """A main program that prints the least ns a call, and all outputs of the first sample."""
    name, sizes = program.name, [size(port.shape) for port in program.outputs]
    lines = [f'#include "{name}.h"', TIMER, "int main(void)", "{"]
    for k, numbers in enumerate(inputs):
        lines.append(f"    static const double i{k}[] = {{{', '.join(map(repr, numbers))}}};")
    lines += [f"    static double o{k}[{max(1, n)}];" for k, n in enumerate(sizes)]
    arguments = [f"i{k} + s * {len(a) // samples}" for k, a in enumerate(inputs)]
    if program.constants:
        listed = ", ".join(map(repr, parameters))
        constants = call_sources(program, name).constants
        lines.append(f"    static double p[] = {{{listed}}}, k[{constants}];\n    {name}_setup(p, k);")
        arguments.append("k")
    call = f"{name}({', '.join([*arguments, *(f'o{k}' for k in range(len(sizes)))])});"
    lines += [
        "    double least = 1e300;",
        f"    for (double begun = now(); now() - begun < {BUDGET * 1e9};) {{",
        "        const double start = now();",
        f"        for (int s = 0; s < {samples}; ++s) {call}",
        f"        const double taken = (now() - start) / {samples};",
        "        least = taken < least ? taken : least;",
        "    }",
        f"    {{ const int s = 0; {call} }}",
        '    printf("%.17g\\n", least);',
    ]
    lines += [f'    for (int e = 0; e < {n}; ++e) printf("%.17g\\n", o{k}[e]);' for k, n in enumerate(sizes)]
    return "\n".join([*lines, "    return 0;", "}"]) + "\n"


def javascript_text(program: Program, parameters: list[float], inputs: Numbers, samples: int) -> str:
    """A module that prints the least ns of call and of batch, and all outputs of the first sample."""
    lines = [
        f'import * as m from "./{program.name}.js";',
        f"const SAMPLES = {samples}, BUDGET = {BUDGET * 1e3};",
    ]
    lines.append(DRIVER)
    names, slices = [], []
    for k, (port, numbers) in enumerate(zip(program.inputs, inputs, strict=True)):
        n = len(numbers) // samples
        lines.append(f"const i{k} = Float64Array.of({', '.join(map(repr, numbers))});")
        one = f"(x, s) => i{k}.slice({n} * s, {n} * s + {n})" if port.shape else f"(x, s) => i{k}[s]"
        lines.append(f"const s{k} = Array.from({{ length: SAMPLES }}, {one});")
        names.append(f"i{k}")
        slices.append(f"s{k}[s]")
    if program.constants:
        lines.append(f"const k = m.setup({json.dumps(parameters)});")
    k = ["k"] if program.constants else []
    first = [text.replace("[s]", "[0]") for text in slices]
    lines += [
        f"const one = m.call({', '.join([*first, *k])}), out = structuredClone(one);",
        f"const many = m.batch({', '.join(['SAMPLES', *names, *k])});",
        "const calls = () => {",
        f"    for (let s = 0; s < SAMPLES; ++s) m.call({', '.join([*slices, *k, 'out'])});",
        "};",
        f"const batches = () => m.batch({', '.join(['SAMPLES', *names, *k, 'many'])});",
        "passes(calls, WARM);",
        "console.log(passes(calls, BUDGET));",
        "passes(batches, WARM / 4);",
        "console.log(passes(batches, BUDGET));",
        "for (const value of Object.values(one)) for (const x of [value].flat()) {",
        "    console.log(typeof x === 'number' ? x : Array.from(x).join('\\n'));",
        "}",
    ]
    return "\n".join(lines) + "\n"


def sampled(robot: symoro.Robot, model: symoro.Model, samples: int) -> Numbers:
    """Samples one after the other; those of an inverse model are one pose that is reached."""
    program, rng = model.program, np.random.default_rng(1)
    sample = demo_sample(robot, program, {}, dict(robot.nominal))
    inputs = []
    for port in program.inputs:
        if sample is not None:
            inputs.append(list(sample[port.name]) * samples)
        else:
            inputs.append(rng.uniform(-1.5, 1.5, samples * size(port.shape)).tolist())
    return inputs


def prepared(folder: Path, robot: symoro.Robot, what: str, samples: int) -> dict[str, list[str]]:
    """Commands to time, by their lines in the table."""
    model = symoro.generate(robot, what)
    program, inputs = model.program, sampled(robot, model, samples)
    values = dict.fromkeys(model.parameters, 0.5) | dict(robot.nominal)
    parameters = [values[name] for name in program.used_parameters]
    commands = {}
    for who, options in (("C", {}), ("C, libm", {"trig": "libm"})):
        place = folder / who.replace(", ", "_")
        place.mkdir()
        for file, text in model.code("c", name=program.name, **options).items():
            (place / file).write_text(text)
        (place / "main.c").write_text(c_text(program, parameters, inputs, samples))
        sources = ["main.c", f"{program.name}.c"]
        subprocess.run(["gcc", *FLAGS, "-o", "main", *sources, "-lm"], cwd=place, check=True)
        commands[who] = [str(place / "main")]
    for file, text in model.code("javascript", name=program.name).items():
        (folder / file).write_text(text)
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "main.js").write_text(javascript_text(program, parameters, inputs, samples))
    return commands | {"node": ["node", str(folder / "main.js")]}


def measured(commands: dict[str, list[str]]) -> dict[str, float]:
    """Least ns a call of each line."""
    least: dict[str, float] = {}
    results: dict[str, np.ndarray] = {}
    for _ in range(ROUNDS):
        for who, command in commands.items():
            shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
            numbers = np.array(shown, dtype=float)
            figures = ("call", "batch") if who == "node" else (who,)
            for line, ns in zip(figures, numbers, strict=False):
                least[line] = min(least.get(line, ns), float(ns))
            results[who] = numbers[len(figures) :]
    for who, sample in results.items():
        gap = np.abs(sample - results["C"]) / (1 + np.abs(results["C"]))
        if not np.max(gap, initial=0) < TOLERANCE:
            raise SystemExit(f"{who}: results differ by {np.max(gap):.1e}")
    return least


def main() -> None:
    for tool in ("gcc", "node"):
        if shutil.which(tool) is None:
            raise SystemExit(f"{tool} is not installed")
    print(subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip())
    print(f"{'ns a call':44}{'C':>9}{'C, libm':>16}{'call':>16}{'batch':>16}")
    for (name, what), samples in CASES.items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        with tempfile.TemporaryDirectory() as folder:
            ns = measured(prepared(Path(folder), symoro.load(name), what, samples))
        cells = "".join(
            f"{ns[line]:9.0f} ({ns[line] / ns['C']:4.1f})" for line in ("C, libm", "call", "batch")
        )
        print(f"{name + ', ' + what:44}{ns['C']:9.0f}{cells}", flush=True)


if __name__ == "__main__":
    main()
