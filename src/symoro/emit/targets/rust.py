"""Cargo package without dependencies: Cargo.toml, src/lib.rs (`no_std`), examples/demo.rs, tests/sample.rs.

cargo run --release --example demo     prints the outputs for the sample numbers
cargo test                             compares them with the expected ones
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from symoro.emit import rust
from symoro.emit.code import Code
from symoro.emit.header import clean, commented, joint_lines
from symoro.emit.layout import call_arguments, wrap
from symoro.emit.target import Export, ExportFiles, Target, choice
from symoro.files import MADE_BY
from symoro.program.program import size

_INDENT = "    "
# Permitted difference of the outputs in the test, relative to the largest entry of each output.
_TOLERANCES = {"double": "1e-9", "float": "1e-4"}

# Names are those of the model, numbers have the digits of double precision, and f64 is converted to f64.
_ALLOWED = "non_snake_case, clippy::excessive_precision, clippy::approx_constant, clippy::useless_conversion"

_SHOW = """\
/// Print an array by rows, each number with nine significant digits.
fn show(name: &str, x: &[REAL], columns: usize) {
    println!("{name} =");
    for row in x.chunks(columns) {
        let shown: Vec<String> = row.iter().map(|&entry| format!("{:>16}", general(f64::from(entry)))).collect();
        println!("{}", shown.join(" "));
    }
}

/// The text of a number as printf writes it by %.9g.
fn general(x: f64) -> String {
    if !x.is_finite() {
        return format!("{x}").to_lowercase();
    }
    let scientific = format!("{x:.8e}");
    let (digits, exponent) = scientific.split_once('e').unwrap();
    let exponent: i32 = exponent.parse().unwrap();
    if !(-4..9).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", trimmed(digits), exponent.abs());
    }
    trimmed(&format!("{x:.*}", (8 - exponent) as usize)).to_string()
}

fn trimmed(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}
"""

_CHECK = """\
/// Compare each entry with the expected one, relative to the largest.
fn check(name: &str, x: &[REAL], expected: &[f64]) {
    let largest = expected.iter().filter(|y| y.is_finite()).fold(0.0_f64, |most, y| most.max(y.abs()));
    for (entry, (x, y)) in x.iter().map(|&x| f64::from(x)).zip(expected.iter().copied()).enumerate() {
        let equal = x == y || (x.is_nan() && y.is_nan()) || (x - y).abs() <= TOLERANCE * largest;
        assert!(equal, "{name}[{entry}] is {x}, expected {y}");
    }
}
"""


def write(export: Export) -> ExportFiles:
    """Return the files of a Cargo package."""
    scalar = choice(export, "scalar", tuple(rust.SCALARS))
    code = rust.rust_code(export.program, export.base, scalar)
    crate = crate_name(code)
    files: ExportFiles = {
        "Cargo.toml": _manifest(export, crate),
        "src/lib.rs": rust.module_text(code, scalar, ["no_std"]),
        "examples/demo.rs": _demo(export, code, crate, scalar),
    }
    if export.expected is not None:
        files["tests/sample.rs"] = _test(export.expected, export, code, crate, scalar)
    return files


def crate_name(code: Code) -> str:
    """Return the name of the crate: crates have names in small letters."""
    return code.arrays.base.lower()


def _manifest(export: Export, crate: str) -> str:
    about = clean(export.program.title or export.program.name)
    return f"""\
# {MADE_BY}
[package]
name = "{crate}"
version = "0.1.0"
edition = "2021"
rust-version = "1.74"
description = {rust.quoted(about)}
publish = false

[dependencies]

[lints.rust]
unsafe_code = "forbid"
"""


def _demo(export: Export, code: Code, crate: str, scalar: str) -> str:
    a = code.arrays
    lines = [f"Example for {crate}: evaluates the model for sample numbers and prints the outputs."]
    text = commented([*lines, *joint_lines(code.program), MADE_BY], "//")
    body = _sample_lines(export, code, scalar)
    for name, out in zip(a.outputs, code.program.outputs, strict=True):
        array = f"&{name}" if out.shape else f"&[{name}]"
        body.append(f'{_INDENT}show("{name}", {array}, {max(1, out.shape[-1]) if out.shape else 1});')
    head = f"#![allow({_ALLOWED})]\n\nuse {crate}::{_functions(code)};\n\n"
    return text + head + _SHOW.replace("REAL", rust.SCALARS[scalar]) + _function("main", body)


def _test(
    expected: Mapping[str, Sequence[float]], export: Export, code: Code, crate: str, scalar: str
) -> str:
    a = code.arrays
    text = commented([f"Test of {crate} with the sample numbers of the example.", MADE_BY], "//")
    body = _sample_lines(export, code, scalar)
    for name, out in zip(a.outputs, code.program.outputs, strict=True):
        numbers = ", ".join(_number(x, "f64") for x in expected[out.name])
        array = f"&{name}" if out.shape else f"&[{name}]"
        body.append(wrap(f'{_INDENT}check("{name}", {array}, &[{numbers}]);', _INDENT * 2, marks=","))
    head = f"#![allow({_ALLOWED})]\n\n"
    head += f"use {crate}::{_functions(code)};\n\nconst TOLERANCE: f64 = {_TOLERANCES[scalar]};\n\n"
    check = _CHECK.replace("REAL", rust.SCALARS[scalar])
    return text + head + check + _function("sample", body).replace("\nfn", "\n#[test]\nfn", 1)


def _functions(code: Code) -> str:
    a = code.arrays
    return f"{{{a.function}, {a.setup}}}" if code.constants else a.function


def _function(name: str, body: Sequence[str]) -> str:
    return "\n".join(["", f"fn {name}() {{", *body, "}"]) + "\n"


def _sample_lines(export: Export, code: Code, scalar: str) -> list[str]:
    """Return the statements that evaluate the model for the sample numbers."""
    a, program, real = code.arrays, code.program, rust.SCALARS[scalar]
    lines = []
    if code.constants:
        lines.append(_array(a.parameters, export.sample.parameters, real))
        lines.append(f"{_INDENT}let {a.constants} = {a.setup}(&{a.parameters});")
    for name, port, numbers in zip(a.inputs, program.inputs, export.sample.inputs, strict=True):
        one = f"{_INDENT}let {name}: {real} = {_number(numbers[0], real)};" if not port.shape else ""
        lines.append(one or _array(name, numbers, real))
    for name, out in zip(a.outputs, program.outputs, strict=True):
        zeros = f"[0.0; {size(out.shape)}]" if out.shape else "0.0"
        lines.append(f"{_INDENT}let mut {name} = {zeros};")
    shapes = dict(zip(a.inputs, (port.shape for port in program.inputs), strict=True))
    passed = [name if shapes.get(name, (1,)) == () else f"&{name}" for name in call_arguments(code)]
    arguments = ", ".join([*passed, *(f"&mut {name}" for name in a.outputs)])
    return [*lines, wrap(f"{_INDENT}{a.function}({arguments});", _INDENT * 2)]


def _array(name: str, numbers: Sequence[float], real: str) -> str:
    listed = ", ".join(_number(x, real) for x in numbers)
    return wrap(f"{_INDENT}let {name}: [{real}; {len(numbers)}] = [{listed}];", _INDENT * 2, marks=",")


def _number(x: float, real: str) -> str:
    if math.isnan(x):
        return f"{real}::NAN"
    return repr(x) if math.isfinite(x) else f"{'-' * (x < 0)}{real}::INFINITY"


TARGET = Target(
    "rust",
    "Rust (Cargo package)",
    write,
    aliases=("rs", "cargo"),
    options=rust.OPTIONS,
    commands=("cargo run --release --example demo", "cargo test --release"),
    remarks=(
        "The crate has the name above in small letters. It is `no_std`, has no dependencies, allocates nothing and "
        'contains no `unsafe` code. Build it with `RUSTFLAGS="-C target-cpu=native"` for the vector instructions of '
        "your processor.",
    ),
)
