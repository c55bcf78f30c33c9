"""Test long C functions in parts: the same numbers for any division."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given

from symoro.emit import c, clike, emit, parts
from symoro.emit.c import batch_sources, call_sources
from symoro.emit.parts import LineGroup, cut
from symoro.program.builder import Builder
from tests.emit.programs import Case, batches, case_of, chain, everything, everything_case, few
from tests.emit.run import WARNINGS, assert_close, c_library, command, need, put, run_library


@given(batches())
@few(5)
def test_the_same_numbers_wherever_it_is_cut(batch: list[Case]) -> None:
    """Check one sample and many, compiled without warnings."""
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
        patch.setattr(clike, "WHOLE", 0)
        patch.setattr(clike, "BLOCK", 2)
        patch.setattr(parts, "LONGEST", 3)
        library = c_library(Path(folder), batch, unity=True)
        assert_close(run_library(library, batch), batch)
        assert_close(run_library(library, batch, batch=True), batch)


def test_the_same_numbers_from_several_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check parts in several files, as the runtime compiles long functions."""
    monkeypatch.setattr(clike, "WHOLE", 0)
    monkeypatch.setattr(clike, "BLOCK", 2)
    monkeypatch.setattr(parts, "LONGEST", 3)
    monkeypatch.setattr(c, "SPREAD", 300)
    cases = [everything_case(), case_of(chain(4))]
    for case in cases:
        name = case.program.name
        files = call_sources(case.program, name).files | batch_sources(case.program, name).files
        assert {f"{name}.h", f"{name}.c", f"{name}_2.c", f"{name}_3.c", f"{name}_batch_2.c"} <= set(files)
        put(tmp_path, files)
    sources = [path.name for path in sorted(tmp_path.glob("*.c"))]
    flags = ["-std=c99", *WARNINGS, "-Wno-unused-function", "-shared", "-fPIC"]
    command(need("gcc"), *flags, "-o", "lib.so", *sources, "-lm", cwd=tmp_path)
    for batch in (False, True):
        assert_close(run_library(tmp_path / "lib.so", cases, batch=batch), cases)
    assert "_part" not in command("nm", "-D", "lib.so", cwd=tmp_path)


def test_short_functions_are_one_file() -> None:
    assert set(call_sources(chain(5), "m").files) == {"m.h", "m.c"}
    files = call_sources(chain(400), "m").files
    assert len(files) > 3
    assert max(map(len, files.values())) < 3 * c.SPREAD


def test_angles_beyond_the_polynomials_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clike, "WHOLE", 0)
    monkeypatch.setattr(parts, "LONGEST", 5)
    text = emit(everything(), "c")["everything_batch.c"]
    assert "far_ |= everything_batch_part" in text
    assert (
        len(re.findall(r"^    return far_ != 0;$", text, re.MULTILINE)) == 2
    )  # of one part, and of the loop over blocks


def test_short_functions_stay_whole_and_long_ones_do_not() -> None:
    assert "_part1" not in "".join(emit(chain(5), "c").values())
    files = emit(chain(120), "c")
    for name in ("chain.c", "chain_batch.c"):
        result = re.split(r"^PART_ ", files[name], flags=re.MULTILINE)[1:]
        assert len(result) > 3
        assert max(text.count("\n") for text in result[:-1]) < 4 * parts.LONGEST
    assert "_part" not in "".join(emit(chain(120), "cpp").values())


def test_places_are_used_again_and_loads_repeated() -> None:
    units = [LineGroup([f"const double x{j} = q[{j}];"], (f"x{j}",), fetched=True) for j in range(2)]
    for j in range(2, 900):
        units.append(LineGroup([f"const double x{j} = x{j - 1} + x0;"], (f"x{j}",)))
    result = cut(units, lambda place: f"kept_[{place}]", "const double ", "")
    assert len(result.lines) == 3
    assert result.places == 2, "the second part reads one place while it fills another"
    for lines in result.lines:
        assert lines.count("const double x0 = q[0];") == 1
    assert result.lines[1][:2] == ["const double x300 = kept_[0];", "const double x0 = q[0];"]


def test_copies_go_with_what_defines_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that copies are in the part that defines their value: otherwise gcc 12 does not end."""
    monkeypatch.setattr(clike, "WHOLE", 0)
    monkeypatch.setattr(parts, "LONGEST", 10)
    b = Builder("copies")
    q = b.input("q", (3,))
    product = q[0] * q[1]
    powers = [product * q[2]]
    for _ in range(30):
        powers.append(powers[-1] * q[2])
    b.output("y", [product] * 40 + [powers[20]] * 12 + powers + [product])
    case = case_of(b.program())
    files = emit(case.program, "c")
    for name in ("copies.c", "copies_batch.c"):
        result = re.split(r"^PART_ ", files[name], flags=re.MULTILINE)[1:]
        assert len(result) > 2
        for part in result:
            for kept in re.findall(r"const double (\w+) = kept_\[.*\];", part):
                assert f"] = {kept};" not in part, "only moved from array to array"
    batch_text = files["copies_batch.c"]
    assert (
        "for (size_t e_ = 1; e_ < 40; ++e_)\n        for (size_t i = 0; i < full_; ++i) y[e_ * n + i] = y[i];"
        in batch_text
    )
    for value in set(re.findall(r"y\[.*\] = (\w+);", batch_text)):
        assert batch_text.count(f"] = {value};") < clike.COPIED
    library = c_library(tmp_path, [case])
    for batch in (False, True):
        assert_close(run_library(library, [case], batch=batch), [case])
