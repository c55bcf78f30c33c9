"""Test the Cargo package: files, constants, rejected options, and the square root, sine and arctangent of the code."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.emit import emit
from symoro.emit.kernels import kernel_text
from symoro.errors import OptionError
from symoro.files import MADE_BY, is_ours
from symoro.robot.formats import loads
from tests.emit.programs import trivial
from tests.emit.run import command, need, put

HOSTILE = """<robot name="../../etc/pass *//* wd"><link name="a"/><link name="b"/><link name="c"/><link name="d"/>
  <joint name="lift &quot;*/ joint" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="Self" type="revolute"><parent link="b"/><child link="c"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="SELF" type="prismatic"><parent link="c"/><child link="d"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""


def check_syntax(folder: Path, text: str) -> None:
    """Compile a library without generating code."""
    put(folder, {"lib.rs": text})
    command(
        need("rustc"), "--edition", "2021", "-D", "warnings", "--crate-type", "lib", "--emit", "metadata",
        "-F", "unsafe_code", "lib.rs", cwd=folder,
    )  # fmt: skip


def test_files(tmp_path: Path) -> None:
    files = symoro.generate("panda", "inverse-dynamics").export("rust")
    library = files["src/lib.rs"]
    assert set(files) == {
        "Cargo.toml", "README.md", "examples/demo.rs", "Panda.yaml", "src/lib.rs", "tests/sample.rs",
    }  # fmt: skip
    assert "#![no_std]" in library and "unsafe" not in library
    assert re.search(r'^\[lints.rust\]\nunsafe_code = "forbid"$', files["Cargo.toml"], re.M)
    assert re.search(r"^\[dependencies\]\n\n\[", files["Cargo.toml"], re.M)
    assert "pub const PANDA_JOINT1: usize = 0;" in library
    assert "pub const PANDA_JOINT7: usize = 6;" in library
    assert "cargo run --release --example demo" in files["README.md"]
    for path, text in files.items():
        (tmp_path / "file").write_text(str(text))
        assert MADE_BY in str(text) and is_ours(tmp_path / "file"), path


def test_hostile_names_are_data(tmp_path: Path) -> None:
    """Names of robots and joints never determine a path, and become identifiers that differ."""
    files = symoro.generate(loads(HOSTILE, "urdf"), "fast-geometry").export("rust")
    assert all(not path.startswith(("/", ".")) and ".." not in path for path in files)
    names = re.findall(r"pub const (\w+): usize = \d;", files["src/lib.rs"].partition("pub mod joints")[2])
    assert len(set(names)) == 3
    check_syntax(tmp_path, files["src/lib.rs"])


def test_rejected_options() -> None:
    with pytest.raises(OptionError, match="scalar = 'half' is not supported"):
        symoro.generate("rx90", "fast-geometry").export("rust", scalar="half")
    with pytest.raises(OptionError, match="scalar = 'half' is not supported"):
        emit(trivial(), "rust", scalar="half")


# -- functions: accurate to the stated number of units in the last place, and special values as in the C library

LIMITS = {"sin_": 1.0, "cos_": 1.0, "tan_": 2.5, "sqrt_": 0.5, "asin_": 2.5, "acos_": 2.5, "atan2_": 2.0}
LIMITS |= {"cbrt_": 1.5, "exp_": 1.0, "log_": 1.0}
FLOAT_LIMITS = LIMITS | {"tan_": 3.0, "asin_": 3.0, "acos_": 3.0, "atan2_": 2.5}
FLOAT_LIMITS |= dict.fromkeys(("cbrt_", "exp_", "log_"), 0.51)  # computed in double precision

NUMPY = {"asin_": "arcsin", "acos_": "arccos", "atan2_": "arctan2"}

MAIN = """
fn main() {
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        let (y, x) = line.split_once(' ').unwrap();
        let (y, x): (f64, f64) = (y.parse().unwrap(), x.parse().unwrap());
        for r in [sin_(x), cos_(x), tan_(x), sqrt_(x), asin_(x), acos_(x), atan2_(y, x), cbrt_(x), exp_(x), log_(x)] {
            println!("{:e}", r as Wide_);
        }
        let (sines, cosines) = sincos_([x, y]);
        for r in [sines[0], cosines[0], atan2_all_([y, x], [x, y])[0]] {
            println!("{:e}", r as Wide_);
        }
    }
}
"""


def numbers(kind: type[np.floating]) -> np.ndarray:
    """Return numbers of all magnitudes, near multiples of pi/4, and special ones."""
    rng, most = np.random.default_rng(4), float(np.finfo(kind).max)
    parts = [
        rng.uniform(-1, 1, 400),
        rng.uniform(-10, 10, 400),
        rng.uniform(-1e5, 1e5, 400),
        rng.choice([-1, 1], 800) * 10 ** rng.uniform(-math.log10(most), math.log10(most), 800),
        np.arange(-200, 200) * np.pi / 4,
        6381956970095103
        * 2.0 ** np.array([797.0 if kind is np.float64 else 30.0]),  # nearest to a multiple of pi/2
        [1e5, -1e5, np.nextafter(1e5, 1e6), 3000.0, 3000.1, 1e22, most, -most, float(np.finfo(kind).tiny)],
        [float(np.finfo(kind).smallest_subnormal), 0.7, 1.0, -1.0, 0.0, -0.0, np.inf, -np.inf, np.nan],
    ]
    return np.concatenate(parts).astype(kind)


@pytest.mark.parametrize("scalar", ["double", "float"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_functions(tmp_path: Path, scalar: str) -> None:
    """Compare with 200 bits; integer overflows stop the program."""
    mpmath = pytest.importorskip("mpmath")
    kind = np.float64 if scalar == "double" else np.float32
    text = "\n".join(kernel_text(name, ".rs", scalar) for name in ("numbers", "sincos", "atan2"))
    real = MAIN if scalar == "double" else MAIN.replace("f64", "f32")
    put(tmp_path, {"main.rs": "#![allow(dead_code)]\n" + text + real})
    command(need("rustc"), "--edition", "2021", "-O", "-C", "debug-assertions=on", "main.rs", cwd=tmp_path)
    x = numbers(kind)
    y = np.random.default_rng(5).permutation(x)
    special = x[-9:]
    y, x = np.concatenate([y, np.repeat(special, 9)]), np.concatenate([x, np.tile(special, 9)])
    given = "".join(f"{float(b)!r} {float(a)!r}\n" for b, a in zip(y, x, strict=True))
    (tmp_path / "given").write_text(given)
    printed = command("sh", "-c", "./main < given", cwd=tmp_path).split()
    results = np.array(printed, dtype=float).reshape(len(x), -1)
    limits = LIMITS if scalar == "double" else FLOAT_LIMITS
    columns = [*limits, "sin_", "cos_", "atan2_"]
    with mpmath.workprec(200):
        for name, column in zip(columns, results.T, strict=True):
            arguments = (y, x) if name == "atan2_" else (x,)
            function = getattr(np, NUMPY.get(name, name.strip("_")))
            nearest = function(*(a.astype(float) for a in arguments)).astype(kind)
            for result, expected, *point in zip(column, nearest, *arguments, strict=True):
                where = f"{name} of {point} is {result}, expected {expected}"
                if not np.isfinite(expected) or expected == 0:
                    assert np.array_equal(result, expected, equal_nan=True), where
                    assert np.isnan(expected) or np.signbit(result) == np.signbit(expected), where
                    continue
                error = abs(mpmath.mpf(float(result)) - exact(mpmath, name, point))
                assert error <= limits[name] * float(np.spacing(abs(expected))), where


def exact(mpmath: Any, name: str, point: Sequence[np.floating]) -> Any:
    if name == "atan2_" and any(entry == 0 or np.isinf(entry) for entry in point):
        return mpmath.mpf(math.atan2(*point))  # mpmath has no negative zero
    x = [mpmath.mpf(float(entry)) for entry in point]
    if name == "cbrt_":
        return mpmath.sign(x[0]) * mpmath.cbrt(abs(x[0]))
    return getattr(mpmath, name.strip("_"))(*x)
