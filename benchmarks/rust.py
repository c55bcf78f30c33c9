"""Emitted Rust beside the emitted C: python benchmarks/rust.py [ROBOT ...]

    C             one sample per call, gcc -O3
    C, native     the same for the processor of the machine, -march=native
    Rust          one sample per call, cargo's release profile
    Rust, native  the same for the processor of the machine, -C target-cpu=native

ns per call, and in brackets relative to C with the same instructions. Results are compared; each figure is the least of
many passes, and the programs take turns.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from javascript import BUDGET, FLAGS, ROUNDS, TOLERANCE, Numbers, c_text, sampled

import symoro
from symoro.program.program import Program, size

CASES = {
    ("panda", "inverse-dynamics"): 32,  # samples in a pass
    ("panda", "direct-dynamics"): 32,
    ("panda", "inverse-dynamics-derivatives"): 32,
    ("ur5e", "inverse-dynamics"): 32,
    ("ur5e", "inverse-geometry"): 32,
    ("stanford", "inverse-geometry"): 32,
    ("jaco2", "inverse-geometry"): 1,
    ("rx90", "fast-geometry"): 32,
    ("humanoid_torso", "inverse-dynamics"): 32,
    ("humanoid_torso", "direct-dynamics-derivatives"): 8,
}
MODES = {
    "": ([flag for flag in FLAGS if flag != "-march=native"], ""),
    ", native": (FLAGS, "-C target-cpu=native"),
}


def rust_text(program: Program, crate: str, parameters: list[float], inputs: Numbers, samples: int) -> str:
    """A main program that prints the least ns per call, and all outputs of the first sample."""
    lines = ["use std::hint::black_box;", "use std::time::Instant;", "fn main() {"]
    arguments = []
    for k, (port, numbers) in enumerate(zip(program.inputs, inputs, strict=True)):
        n = len(numbers) // samples
        rows = ", ".join(str(numbers[n * s : n * (s + 1)]) for s in range(samples))
        lines.append(f"    let i{k}: [[f64; {n}]; {samples}] = black_box([{rows}]);")
        arguments.append(f"&i{k}[s]" if port.shape else f"i{k}[s][0]")
    if program.constants:
        lines.append(f"    let k = black_box({crate}::setup(&black_box({parameters})));")
        arguments.append("&k")
    for k, out in enumerate(program.outputs):
        lines.append(f"    let mut o{k} = {f'[0.0_f64; {size(out.shape)}]' if out.shape else '0.0_f64'};")
        arguments.append(f"&mut o{k}")
    results = ", ".join(f"&o{k}" for k in range(len(program.outputs)))
    call = f"{crate}::call({', '.join(arguments)}); black_box(({results},));"
    lines += [
        "    let mut least = f64::INFINITY;",
        "    let begun = Instant::now();",
        f"    while begun.elapsed().as_secs_f64() < {BUDGET} {{",
        "        let start = Instant::now();",
        f"        for s in 0..{samples} {{ {call} }}",
        f"        least = least.min(start.elapsed().as_secs_f64() * 1e9 / {samples}.0);",
        "    }",
        f"    {{ let s = 0; {call} }}",
        '    println!("{least}");',
    ]
    for k, out in enumerate(program.outputs):
        entries = f"o{k}" if out.shape else f"[o{k}]"
        lines.append(f'    for x in {entries} {{ println!("{{x:e}}"); }}')
    return "\n".join([*lines, "}"]) + "\n"


def prepared(folder: Path, robot: symoro.Robot, what: str, samples: int) -> dict[str, Path]:
    """Build the programs, {line of the table: path}."""
    model = symoro.generate(robot, what)
    program, inputs = model.program, sampled(robot, model, samples)
    values = dict.fromkeys(model.parameters, 0.5) | dict(robot.nominal)
    parameters = [values[name] for name in program.used_parameters]
    programs = {}
    for mode, (flags, rust_flags) in MODES.items():
        place = folder / f"c{len(flags)}"
        place.mkdir()
        for file, text in model.code("c", name=program.name).items():
            (place / file).write_text(text)
        (place / "main.c").write_text(c_text(program, parameters, inputs, samples))
        sources = ["main.c", f"{program.name}.c"]
        subprocess.run(["gcc", *flags, "-o", "main", *sources, "-lm"], cwd=place, check=True)
        programs[f"C{mode}"] = place / "main"
        place = folder / f"rust{len(rust_flags)}"
        for path, contents in model.export("rust", name="model").items():
            (place / path).parent.mkdir(parents=True, exist_ok=True)
            (place / path).write_text(str(contents))
        (place / "examples" / "timer.rs").write_text(rust_text(program, "model", parameters, inputs, samples))
        command = ["cargo", "build", "--quiet", "--offline", "--release", "--example", "timer"]
        subprocess.run(command, cwd=place, check=True, env={**os.environ, "RUSTFLAGS": rust_flags})
        programs[f"Rust{mode}"] = place / "target" / "release" / "examples" / "timer"
    return programs


def measured(programs: dict[str, Path]) -> dict[str, float]:
    """Least ns per call of each program."""
    least: dict[str, float] = {}
    results: dict[str, np.ndarray] = {}
    for _ in range(ROUNDS):
        for name, program in programs.items():
            shown = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout.split()
            numbers = np.array(shown, dtype=float)
            least[name] = min(least.get(name, np.inf), float(numbers[0]))
            results[name] = numbers[1:]
    for name, sample in results.items():
        gap = np.abs(sample - results["C"]) / (1 + np.abs(results["C"]))
        if not np.max(gap, initial=0) < TOLERANCE:
            raise SystemExit(f"{name}: results differ by {np.max(gap):.1e}")
    return least


def main() -> None:
    for tool in ("gcc", "cargo"):
        if shutil.which(tool) is None:
            raise SystemExit(f"{tool} is not installed")
    print(subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout.strip())
    print(f"{'ns per call':44}{'C':>9}{'Rust':>16}{'C, native':>12}{'Rust, native':>16}")
    for (name, what), samples in CASES.items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        with tempfile.TemporaryDirectory() as folder:
            ns = measured(prepared(Path(folder), symoro.load(name), what, samples))
        cells = []
        for mode in MODES:
            c, rust = ns[f"C{mode}"], ns[f"Rust{mode}"]
            cells.append(f"{c:10.0f}{rust:9.0f} ({rust / c:4.2f})")
        print(f"{name + ', ' + what:44}{'  '.join(cells)}", flush=True)


if __name__ == "__main__":
    main()
