"""Logs in files: what they mean, and what is wrong with them, with the line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import symoro
from symoro import optional_packages
from symoro.errors import ArgumentError, FormatError, MissingDependencyError
from symoro.identification.log import Log, open_log
from symoro.identification.log_description import Transmission, parse_description, transmission
from symoro.robot.description import Limits
from symoro.robot.formats import loads
from tests.identification.truth import smooth, two_links

HEAD = "t,q1,q2,tau1,tau2"
Rows = list[list[float]]


def rows(count: int = 60) -> Rows:
    t = smooth(two_links(), count)
    time = np.arange(count) / t.rate
    return np.column_stack([time, t.q, t.tau]).tolist()


def written(folder: Path, table: Rows, head: str = HEAD, separator: str = ",") -> Path:
    path = folder / "log.csv"
    lines = [head, *(separator.join(repr(x) for x in row) for row in table)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def read(path: Path, description: Path | None = None) -> dict[str, np.ndarray]:
    log = open_log(path, two_links(), description)
    chunks = list(log.chunks(7))
    return {kind: np.concatenate([chunk[kind] for chunk in chunks]) for kind in chunks[0]}


def test_usual_columns_need_no_description(tmp_path: Path) -> None:
    table = rows()
    log = open_log(written(tmp_path, table), two_links())
    assert (log.samples, log.joints) == (60, 2) and log.rate == pytest.approx(500.0)
    result = read(tmp_path / "log.csv")
    assert result["position"] == pytest.approx(np.array(table)[:, 1:3], abs=0)
    assert result["torque"] == pytest.approx(np.array(table)[:, 3:], abs=0)


@pytest.mark.parametrize("separator", [";", "\t", " "])
def test_other_separators_and_line_ends(tmp_path: Path, separator: str) -> None:
    path = written(tmp_path, rows(), HEAD.replace(",", separator), separator)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n") + b"\r\n\r\n")
    assert read(path)["position"].shape == (60, 2)


def test_parquet_is_the_same_log(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = np.array(rows(100))
    path = tmp_path / "log.parquet"
    parquet.write_table(pa.table(dict(zip(HEAD.split(","), table.T, strict=True))), path, row_group_size=33)
    result = read(path)
    assert result["torque"] == pytest.approx(table[:, 3:], abs=0)
    log = open_log(path, two_links())
    assert log.part(20, 70)["position"] == pytest.approx(table[20:70, 1:3], abs=0)
    text = open_log(written(tmp_path, table.tolist()), two_links())
    assert text.part(20, 70)["position"] == pytest.approx(table[20:70, 1:3], abs=0)


def test_quoted_values_are_numbers(tmp_path: Path) -> None:
    plain = written(tmp_path, rows())
    expected = read(plain)
    quoted = tmp_path / "quoted.csv"
    lines = plain.read_text(encoding="utf-8").splitlines()
    quoted.write_text("\n".join('"' + '","'.join(line.split(",")) + '"' for line in lines), encoding="utf-8")
    assert all((read(quoted)[kind] == x).all() for kind, x in expected.items())


def test_names_in_a_comment_as_numpy_writes_them(tmp_path: Path) -> None:
    table = np.array(rows())
    path = tmp_path / "log.csv"
    np.savetxt(path, table, delimiter=",", header=f"recorded on Monday\n{HEAD}")
    assert read(path)["torque"] == pytest.approx(table[:, 3:], rel=1e-12)
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[20:22] = ["# pause", "0.038,2,x,3,4"]
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(FormatError, match="'x' is not a number") as error:
        read(path)
    assert error.value.place is not None and error.value.place.line == 22


def test_other_columns_may_contain_text(tmp_path: Path) -> None:
    """The error is that of a column of the log, not that of the text."""
    path = written(tmp_path, rows())
    lines = path.read_text(encoding="utf-8").splitlines()
    modes = ["mode", *["AUTO"] * (len(lines) - 1)]
    path.write_text("\n".join(map(",".join, zip(modes, lines, strict=True))), encoding="utf-8")
    assert read(path)["position"].shape == (60, 2)
    lines[30] = "0.06,,0,0,0"
    path.write_text("\n".join(map(",".join, zip(modes, lines, strict=True))), encoding="utf-8")
    with pytest.raises(FormatError, match="a value is missing") as error:
        read(path)
    assert error.value.place is not None and error.value.place.line == 31


def spoil(change: Callable[[list[str]], None], folder: Path) -> Path:
    path = written(folder, rows())
    lines = path.read_text(encoding="utf-8").splitlines()
    change(lines)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def cell(line: int, column: int, text: str) -> Callable[[list[str]], None]:
    def change(lines: list[str]) -> None:
        parts = lines[line - 1].split(",")
        parts[column] = text
        lines[line - 1] = ",".join(parts)

    return change


def swapped(lines: list[str]) -> None:
    lines[20], lines[21] = lines[21], lines[20]


def backwards(lines: list[str]) -> None:
    lines[1:] = lines[:0:-1]


def irregular(lines: list[str]) -> None:
    for k in range(2, 62):
        cell(k, 0, repr(0.1 * (k - 2) ** 3 / 60**2))(lines)


def timeless(lines: list[str]) -> None:
    for k in range(2, 62):
        cell(k, 0, "12.5")(lines)


def constant(lines: list[str]) -> None:
    for line in range(2, 62):
        cell(line, 2, "0.25")(lines)


@pytest.mark.parametrize(
    ("change", "line", "words"),
    [
        (cell(30, 1, "nan"), 30, "not a finite number"),
        (cell(30, 4, "inf"), 30, "not a finite number"),
        (cell(9, 3, "full"), 9, "'full' is not a number"),
        (cell(9, 3, ""), 9, "a value is missing"),
        (cell(12, 0, "nan"), 12, "not a finite number"),
        (
            lambda lines: lines.__setitem__(40, "1,2"),
            41,
            "this line has 2 values, but the line of names has 5",
        ),
        (lambda lines: lines.insert(30, ""), 31, "this line has 1 values|this line is empty"),
        (swapped, 22, "the time decreases: 0.038 s follows 0.04 s"),
        (cell(9, 3, '"0,5"'), 9, "this line has 6 values|is not a number"),
        (backwards, 3, "no usable time base: the time does not increase"),
        (irregular, 3, "no usable time base: only"),
        (timeless, 3, "no usable time base: the time is the same in all samples"),
        (constant, 2, r"joint 2 never moved: the position is constant from line 2 to 61 \(column 'q2'\)"),
        (lambda lines: lines.__setitem__(0, "t,q1,q3,tau1,tau2"), 1, "there is no column 'q2'"),
        (lambda lines: lines.__setitem__(0, "t,q1,q1,tau1,tau2"), 1, "two columns have the name 'q1'"),
        (lambda lines: lines.pop(0), 1, "numbers where the names"),
        (lambda lines: lines.insert(1, "s,rad,rad,Nm,Nm"), 2, "'s' is not a number(.|\n)*contains units"),
        (lambda lines: lines.__delitem__(slice(1, None)), 2, "no samples"),
    ],
)
def test_invalid_logs_are_reported_with_the_line(
    tmp_path: Path, change: Callable[[list[str]], None], line: int, words: str
) -> None:
    path = spoil(change, tmp_path)
    with pytest.raises(FormatError, match=words) as error:
        read(path)
    assert error.value.place is not None and error.value.place.line == line
    assert error.value.place.file == str(path)


def test_missing_and_wrong_files(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no such file"):
        open_log(tmp_path / "none.csv", two_links())
    (tmp_path / "log.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FormatError, match="not a text file"):
        open_log(tmp_path / "log.csv", two_links())
    pytest.importorskip("pyarrow")
    (tmp_path / "log.parquet").write_bytes(b"nothing of the kind")
    with pytest.raises(FormatError, match="not a Parquet file"):
        open_log(tmp_path / "log.parquet", two_links())


def test_a_damaged_parquet_file_is_named(tmp_path: Path) -> None:
    """Its table of contents is at the end, so that damaged values are found when they are read."""
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    columns = dict(zip(("t", "q1", "q2", "tau1", "tau2"), np.array(rows()).T, strict=True))
    path = tmp_path / "log.parquet"
    parquet.write_table(arrow.table(columns), path)
    contents = bytearray(path.read_bytes())
    contents[100:200] = b"\xff" * 100
    path.write_bytes(contents)
    with pytest.raises(FormatError, match="it is damaged") as error:
        symoro.identify(two_links(), path)
    assert error.value.place is not None and error.value.place.file == str(path)


def test_positions_beyond_the_limits_are_of_another_unit(tmp_path: Path) -> None:
    table = rows()
    for row in table:
        row[1], row[2] = row[1] * 57.3, row[2] * 57.3
    robot = two_links().with_frame(1, limits=Limits(-2.0, 2.0))
    log = open_log(written(tmp_path, table), robot)
    with pytest.raises(
        FormatError, match=r"the position of joint 1 is .* rad, far outside its limits -2 and 2 rad"
    ) as error:
        list(log.chunks(100))
    assert error.value.place is not None and error.value.place.line is not None
    assert "whether 'rad' is the unit" in (error.value.hint or "")


def test_torques_and_times_of_another_unit(tmp_path: Path) -> None:
    table = rows()
    robot = two_links().with_frame(1, limits=Limits(effort=2.0))
    with pytest.raises(FormatError, match=r"the torque of joint 1 is .* above its limit 2") as error:
        list(open_log(written(tmp_path, table), robot).chunks(100))
    assert error.value.place is not None and error.value.place.line is not None
    for row in table:
        row[0] *= 1000
    with pytest.raises(FormatError, match=r"0\.5 samples per second are too few") as error:
        open_log(written(tmp_path, table), two_links())
    assert error.value.hint == "check whether 's' is the unit of the time"


DESCRIPTION = """
symoro-log: 1
rate: 500
position: {file: log.csv, columns: [q1, q2], unit: deg, side: motor}
torque: {file: log.csv, columns: [tau1, tau2], unit: N.mm, side: motor, scale: [2, 4]}
transmission: {ratios: [100, -50], turns_with: {2: {1: 25}}}
"""


def test_units_scales_and_transmissions(tmp_path: Path) -> None:
    """Both sides have the same power, whatever the ratios are."""
    table = np.array(rows())
    written(tmp_path, table.tolist())
    path = tmp_path / "log.yaml"
    path.write_text(DESCRIPTION, encoding="utf-8")
    result = read(path)
    motor_q = np.radians(table[:, 1:3])
    motor_tau = table[:, 3:] * [2e-3, 4e-3]
    R = np.array([[100.0, 0.0], [25.0, -50.0]])
    assert result["position"] @ R.T == pytest.approx(motor_q)
    assert np.sum(result["position"] * result["torque"], axis=1) == pytest.approx(
        np.sum(motor_q * motor_tau, axis=1)
    )


def test_motor_side_and_joint_side_find_the_same(tmp_path: Path) -> None:
    t = smooth(two_links("pi/2"), 6000, 2000.0)
    R = np.array([[100.0, 0.0], [25.0, -50.0]])
    motor = np.column_stack([np.zeros(len(t.q)), t.q @ R.T, t.tau @ np.linalg.inv(R)])
    written(tmp_path, motor.tolist())
    text = (
        DESCRIPTION.replace("deg", "rad")
        .replace("500", "2000")
        .replace("N.mm", "N.m")
        .replace(", scale: [2, 4]", "")
    )
    (tmp_path / "log.yaml").write_text(text, encoding="utf-8")
    estimate = symoro.identify(two_links("pi/2"), tmp_path / "log.yaml", decimation=20).estimate.as_dict()
    for name, value in t.K.items():
        assert estimate[name] == pytest.approx(value, abs=5e-3)
    for name in ("IAM2", "FVM2", "FSM2"):
        assert estimate[name] == pytest.approx(0, abs=5e-3)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "the file is empty"),
        ("rate: 5\n", 1, "expected 'symoro-log: 1'"),
        (DESCRIPTION.replace("rate: 500", "rate: -5"), 3, "a positive number"),
        (DESCRIPTION.replace("rate: 500\n", ""), 2, "expected 'time' or 'rate'"),
        (DESCRIPTION.replace("rate: 500", "rate: 500\nspeed: 500"), 4, "unknown key 'speed'"),
        (DESCRIPTION.replace("unit: deg", "unit: grad"), 4, "'grad' is not one of rad, deg"),
        (DESCRIPTION.replace("[q1, q2]", "[q1]"), 4, r"expected 2 columns, one per joint \(1, 2\), got 1"),
        (DESCRIPTION.replace("[q1, q2]", "[q1, [q2]]"), 4, "expected the name of a column"),
        (DESCRIPTION.replace("scale: [2, 4]", "scale: [2, x]"), 5, "expected numbers"),
        (DESCRIPTION.replace("scale: [2, 4]", "scale: [2, 0]"), 5, "the scale of a column is zero"),
        (DESCRIPTION.replace("N.mm", "A").replace(", scale: [2, 4]", ""), 5, "a current requires 'scale'"),
        (DESCRIPTION.replace("[100, -50]", "[100, 0]"), 6, "the ratio of motor 2 to joint 2 is zero"),
        (DESCRIPTION.replace("{2: {1: 25}}", "{3: {1: 25}}"), 6, "the number of a joint, 1, 2, got '3'"),
        (
            DESCRIPTION.replace("transmission: {ratios: [100, -50], turns_with: {2: {1: 25}}}", ""),
            4,
            "require 'transmission'",
        ),
        (DESCRIPTION + "controller: {kp: [1, 2]}\n", 7, "requires 'kd'"),
        (DESCRIPTION + "controller: {kp: [1, 2], kd: [1, 2]}\n", 7, "a controller requires 'reference'"),
        (DESCRIPTION.replace("torque:", "effort:"), 2, "a log requires 'torque'(.|\n)*unknown key 'effort'"),
    ],
)
def test_descriptions_are_read_strictly(text: str, line: int, words: str) -> None:
    with pytest.raises(FormatError, match=words) as error:
        parse_description(text, [1, 2], "log.yaml")
    assert error.value.place is not None
    assert (error.value.place.file, error.value.place.line) == ("log.yaml", line)


def test_a_matrix_is_equivalent_to_ratios_and_coupling() -> None:
    text = DESCRIPTION.replace(
        "ratios: [100, -50], turns_with: {2: {1: 25}}", "matrix: [[100, 0], [25, -50]]"
    )
    result = parse_description(text, [1, 2]).transmission
    assert (
        result
        == parse_description(DESCRIPTION, [1, 2]).transmission
        == transmission([100, -50], {2: {1: 25}})
    )


def test_transmissions_that_do_not_determine_the_joints_are_rejected() -> None:
    with pytest.raises(ArgumentError, match="singular"):
        Transmission(((1.0, 2.0), (2.0, 4.0)))
    with pytest.raises(ArgumentError, match="motor 2 and joint 2 must be two different joints"):
        transmission([1, 1], {2: {2: 3}})


FIXED = """
symoro: 1
name: fixed
base: {gravity: [0, -9.81, 0]}
frames:
  - {drive: {FV: 2.0, FS: 1.5}, link: {ZZ: 1.2, MX: 1.5, M: 3}}
  - {joint: fixed, d: 0.5, link: {M: 0.2}}
  - {d: 0.3, drive: {FV: 1.0, FS: 0.8}, link: {ZZ: 0.35, MX: 0.5, M: 1.2}}
"""


def test_columns_have_the_numbers_of_the_joints(tmp_path: Path) -> None:
    """A joint that is fixed keeps its number, here as in every other command."""
    robot = loads(FIXED, "yaml")
    table = rows()
    path = written(tmp_path, table, "t,q1,q3,tau1,tau3")
    assert open_log(path, robot).part(0, 60)["position"] == pytest.approx(np.array(table)[:, 1:3], abs=0)
    five = [[*row[:2], 9.0, *row[2:4], 9.0, *row[4:]] for row in table]
    path = written(tmp_path, five, "t,q1,q2,q3,tau1,tau2,tau3")  # the fixed joint in it
    assert open_log(path, robot).part(0, 60)["position"] == pytest.approx(np.array(table)[:, 1:3], abs=0)
    with pytest.raises(
        FormatError, match=r"no column 'q3': .* requires the columns t, q1, q3, tau1, tau3, numbered"
    ):
        open_log(written(tmp_path, table), robot)
    with pytest.raises(FormatError, match="q1, q3, tau1, tau3, numbered like its active joints"):
        open_log(tmp_path / "log.csv", symoro.load("fivebar"))


def test_couplings_have_the_numbers_of_the_joints() -> None:
    text = DESCRIPTION.replace("{2: {1: 25}}", "{3: {1: 25}}")
    assert parse_description(text, [1, 3]).transmission == transmission([100, -50], {2: {1: 25}})
    with pytest.raises(FormatError, match="the number of a joint, 1, 3, got '2'"):
        parse_description(DESCRIPTION, [1, 3])


def test_a_wrong_number_is_reported_once() -> None:
    """And nothing of joints that nobody wrote of."""
    with pytest.raises(FormatError, match="the number of a joint") as caught:
        parse_description(DESCRIPTION.replace("{2: {1: 25}}", "{3: {1: 25}}"), [1, 2])
    assert "motor 1" not in caught.value.text()


def test_a_package_that_is_missing_is_named_with_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(optional_packages, "import_module", absent)
    with pytest.raises(MissingDependencyError, match=r"consistent parameters requires .*cvxpy") as error:
        optional_packages.needed("cvxpy", "a check of consistent parameters")
    assert error.value.hint == "pip install 'symoro[identify]'"


def test_comments_are_skipped_and_lines_counted_on(tmp_path: Path) -> None:
    """Above the names, among the samples, after them; with blanks before the sign too."""

    def commented(lines: list[str]) -> None:
        lines.insert(40, "   # half of it")
        lines.insert(10, "# ten")
        lines[:0] = ["# Made by something", "\t# of two lines"]
        lines.append("# the end")

    plain = read(written(tmp_path, rows()))
    path = spoil(commented, tmp_path)
    assert read(path)["torque"] == pytest.approx(plain["torque"], abs=0)
    log = open_log(path, two_links())
    assert log.samples == 60
    for start, stop in ((0, 60), (8, 12), (37, 41), (59, 60)):
        assert log.part(start, stop)["position"] == pytest.approx(plain["position"][start:stop], abs=0)
    lines = path.read_text(encoding="utf-8").splitlines()
    for sample in (0, 8, 9, 37, 38, 59):
        line = log.place(sample).line
        assert line is not None
        assert float(lines[line - 1].split(",")[1]) == plain["position"][sample, 0]


def test_samples_of_a_simulation_are_a_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What one command writes the other reads, with the line at its head that says who made it."""
    from symoro.ui.cli import main

    monkeypatch.chdir(tmp_path)
    law = "symoro-trajectory: 1\nstart: [0, 1]\nparts:\n  - {joints: [1, -0.5], duration: 1}\n"
    Path("law.yaml").write_text(law + "  - {joints: [0.2, 1.2], duration: 1}\n", encoding="utf-8")
    given = ["planar2r", "q=0,1", "--track", "law.yaml", "--duration", "2", "--step", "0.005"]
    assert main(["simulate", *given, "-o", "sim.csv"]) == 0
    assert Path("sim.csv").read_text(encoding="utf-8").startswith("#")
    assert main(["identify", "planar2r", "sim.csv"]) == 0
    estimate = symoro.identify("planar2r", "sim.csv").estimate.as_dict()
    assert estimate["ZZ2"] == pytest.approx(1 / 3, abs=0.02)


@pytest.mark.parametrize(
    ("separator", "words"), [(";", "'0,0' is not a number"), (",", "values, but the line of names has 5")]
)
def test_decimal_commas_are_reported(tmp_path: Path, separator: str, words: str) -> None:
    path = written(tmp_path, rows(), HEAD.replace(",", separator), separator="|")
    path.write_text(
        path.read_text(encoding="utf-8").replace(".", ",").replace("|", separator), encoding="utf-8"
    )
    with pytest.raises(FormatError, match=words) as caught:
        read(path)
    assert "decimal commas" in (caught.value.hint or "")


def test_parquet_files_without_a_log_are_reported(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = dict(zip(HEAD.split(","), np.array(rows(100)).T, strict=True))
    path = tmp_path / "log.parquet"

    def refused(words: str, names: list[str] | None = None, **changed: object) -> str:
        made = table | changed
        parquet.write_table(pa.table(list(made.values()), names=names or list(made)), path)
        with pytest.raises(FormatError, match=words) as caught:
            read(path)
        return caught.value.text()

    texts = [str(x) for x in table["q2"]]
    texts[5] = "abc"
    assert "row 6, column 'q2'" in refused("'abc' is not a number", q2=pa.array(texts))
    refused("contains values of type list", q2=pa.array([[x] for x in table["q2"]]))
    refused("contains values of type timestamp", t=pa.array(range(100), type=pa.timestamp("ns")))
    refused("contains values of type bool", tau1=pa.array([True] * 100))
    refused("two columns have the name 'q1'", names=["t", "q1", "q1", "tau1", "tau2"])
    assert "row 8" in refused(
        "not a finite number", q2=pa.array([None if k == 7 else 0.1 * k for k in range(100)])
    )
    parquet.write_table(pa.table(table | {"q2": pa.array([str(x) for x in table["q2"]])}), path)
    assert read(path)["position"][:, 1] == pytest.approx(table["q2"], abs=0)


SLIDING = """
symoro: 1
name: mixed
base: {gravity: [0, -9.81, 0]}
frames:
  - {drive: {FV: 2.0, FS: 1.5}, link: {ZZ: 1.2, MX: 1.5, M: 3}}
  - {joint: prismatic, alpha: -pi/2, drive: {FV: 1.0, FS: 0.8}, link: {ZZ: 0.35, MX: 0.5, M: 1.2}}
"""
MIXED = """symoro-log: 1
time: {column: t}
position: {columns: [q1, q2], unit: %s}
torque: {columns: [tau1, tau2], unit: %s}
"""


def test_each_joint_may_have_its_own_unit(tmp_path: Path) -> None:
    table = rows()
    (tmp_path / "log.yaml").write_text(MIXED % ("[deg, mm]", "[N.mm, kN]"))
    result = open_log(written(tmp_path, table), loads(SLIDING, "yaml"), tmp_path / "log.yaml").part(0, 60)
    raw = np.array(table)
    np.testing.assert_allclose(result["position"], raw[:, 1:3] * [np.pi / 180, 1e-3], rtol=1e-15)
    np.testing.assert_allclose(result["torque"], raw[:, 3:] * [1e-3, 1e3], rtol=1e-15)


@pytest.mark.parametrize(
    ("units", "line", "words"),
    [
        (("deg", "N"), 3, "'deg' is not a unit of joint 2, which is prismatic"),
        (("mm", "N"), 3, "'mm' is not a unit of joint 1, which is revolute"),
        (("[mm, deg]", "N"), 3, "'mm' is not a unit of joint 1, which is revolute"),
        (("rad", "kN"), 4, "'kN' is not a unit of joint 1, which is revolute"),
        (("[deg, mm, m]", "N"), 3, "expected 2 units, one per joint"),
        (("[deg, inch]", "N"), 3, "'inch' is not one of rad, deg"),
        (("[deg, [mm]]", "N"), 3, "expected a unit"),
    ],
)
def test_a_unit_that_its_joint_cannot_have_is_rejected(
    tmp_path: Path, units: tuple[str, str], line: int, words: str
) -> None:
    (tmp_path / "log.yaml").write_text(MIXED % units)
    with pytest.raises(FormatError, match=words) as caught:
        open_log(written(tmp_path, rows()), loads(SLIDING, "yaml"), tmp_path / "log.yaml")
    assert caught.value.place.line == line


def test_motor_positions_of_prismatic_joints_are_angles(tmp_path: Path) -> None:
    text = MIXED % ("deg, side: motor", "N.m")
    (tmp_path / "log.yaml").write_text(text + "transmission: {ratios: [100, 500]}\n")
    result = open_log(written(tmp_path, rows()), loads(SLIDING, "yaml"), tmp_path / "log.yaml").part(0, 60)
    np.testing.assert_allclose(result["position"], np.array(rows())[:, 1:3] * np.pi / 180 / [100, 500])


@pytest.mark.parametrize(
    ("before", "after"),
    [("[q1, q2]", "[q2, q2]"), ("[tau1, tau2]", "[q1, tau2]"), ("[tau1, tau2]", "[tau1, tau1]")],
)
def test_a_column_has_one_meaning(before: str, after: str) -> None:
    with pytest.raises(FormatError, match=r"column '\w+' is used twice"):
        parse_description((MIXED % ("rad", "N.m")).replace(before, after), [1, 2], "log.yaml")


def test_rounded_times_are_distinguished_from_gaps(tmp_path: Path) -> None:
    table = np.array(rows())
    table[:, 0] = np.round(np.arange(60) / 400, 3)
    log = open_log(written(tmp_path, table.tolist()), two_links())
    assert log.rate == pytest.approx(400, rel=2e-3) and log.segments == (0,)
    assert log.part(0, 60)["torque"] == pytest.approx(table[:, 3:], abs=0)
    table[30:, 0] += 0.1
    log = open_log(written(tmp_path, table.tolist()), two_links())
    assert log.rate == pytest.approx(400, rel=5e-3) and log.segments == (0, 30)
    assert log.part(0, 60)["torque"] == pytest.approx(table[:, 3:], abs=0)
    assert log.resampling is not None and log.resampling.gaps[0][1] == pytest.approx(0.1025, abs=2e-3)


@pytest.mark.parametrize("rate", [300.0, 125.0])
def test_a_lost_sample_among_rounded_times_is_interpolated(tmp_path: Path, rate: float) -> None:
    table = np.array(rows())
    table[:, 0] = np.round(np.arange(60) / rate, 3)
    log = open_log(written(tmp_path, np.delete(table, 40, 0).tolist()), two_links())
    assert log.samples == 60 and log.resampling is not None
    assert (log.resampling.lost, log.resampling.kind) == (1, "even")
    result = log.part(0, 60)["position"]
    assert np.delete(result, 40, 0) == pytest.approx(np.delete(table[:, 1:3], 40, 0), abs=0)
    assert result[40] == pytest.approx(table[40, 1:3], abs=1e-5)


STAMPED = """
symoro-log: 1
%s
position: {columns: [q1, q2]}
torque: {columns: [tau1, tau2]}
"""
CLOCKS = ("rate: %g", "rate: %g\ntime: {column: t, unit: ms}")


def stamped(folder: Path, times: np.ndarray, rate: str, head: str = HEAD) -> Log:
    table = np.array(rows(len(times)))
    table[:, 0] = times
    (folder / "log.yaml").write_text(STAMPED % rate, encoding="utf-8")
    return open_log(written(folder, table.tolist(), head), two_links(), folder / "log.yaml")


def lost(rate: float, at: int | None, count: int = 400) -> np.ndarray:
    """Times in whole milliseconds, without one of the samples."""
    times = np.round(1000 * np.arange(count) / rate)
    return times if at is None else np.delete(times, at)


@pytest.mark.parametrize("rate", [1000.0, 800.0, 400.0, 300.0, 125.0])
@pytest.mark.parametrize("at", [1, 200, 397])
def test_a_lost_sample_is_never_taken_for_rounding(tmp_path: Path, rate: float, at: int) -> None:
    """To give the rate in place of the time would shift all samples behind it."""
    log = stamped(tmp_path, lost(rate, at), "time: {column: t, unit: ms}")
    assert log.samples == 400 and log.resampling is not None and log.resampling.lost == 1
    recorded = np.array(rows(399))[:, 1:3]
    assert np.delete(log.part(0, 400)["position"], at, 0) == pytest.approx(recorded, abs=0)
    for clock in CLOCKS:
        with pytest.raises(FormatError, match="contradict the rate") as caught:
            stamped(tmp_path, lost(rate, at), clock % rate)
        assert abs(int(caught.value.place.line or 0) - (at + 2)) <= 4


@pytest.mark.parametrize("rate", [1000.0, 800.0, 640.0, 400.0, 300.0, 3000 / 7])
def test_rounded_times_agree_with_their_rate(tmp_path: Path, rate: float) -> None:
    for clock in CLOCKS:
        log = stamped(tmp_path, lost(rate, None), clock % rate)
        assert log.rate == pytest.approx(rate, rel=1e-5) and log.samples == 400
    with pytest.raises(FormatError, match="contradict the rate"):
        stamped(tmp_path, lost(rate, None), CLOCKS[1] % (1.01 * rate))
    if rate != 1000.0:
        log = stamped(tmp_path, lost(rate, None), "time: {column: t, unit: ms}")
        assert log.rate == pytest.approx(rate, rel=1e-3) and log.samples == 400
        assert log.resampling is not None and log.resampling.interpolated == 0


@pytest.mark.parametrize("name", ["temperature", "torque", "t"])
def test_a_column_that_is_not_a_clock_does_not_contradict_a_rate(tmp_path: Path, name: str) -> None:
    values = np.round(40 + np.sin(np.arange(400)), 2)
    assert stamped(tmp_path, values, "rate: 500", HEAD.replace("t,", f"{name},", 1)).rate == 500


def test_times_in_seconds_of_any_name_are_compared_with_the_rate(tmp_path: Path) -> None:
    times = np.arange(400) / 500
    times[200:] += 0.002
    for name in ("t", "time", "Time [s]", "timestamp"):
        with pytest.raises(FormatError, match="contradict the rate"):
            stamped(tmp_path, times, "rate: 500", HEAD.replace("t,", f"{name},", 1))


def test_one_log_is_not_two(tmp_path: Path) -> None:
    path = written(tmp_path, rows())
    (tmp_path / "sub").mkdir()
    with pytest.raises(ArgumentError, match=r"the log 'log.csv' is given twice"):
        symoro.identify(two_links(), [path, tmp_path / "sub" / ".." / "log.csv"])
    with pytest.raises(ArgumentError, match=r"the validation log 'log.csv' is also a log of the estimation"):
        symoro.identify(two_links(), path, validate=[tmp_path / "sub" / ".." / "log.csv"])
    log = symoro.Log.from_arrays(rate=100, q=np.zeros((9, 2)), tau=np.zeros((9, 2)), name="day")
    with pytest.raises(ArgumentError, match="the log 'day' is given twice"):
        symoro.identify(two_links(), [log, log])
    with pytest.raises(ArgumentError, match="the validation log 'day' is also a log of the estimation"):
        symoro.identify(two_links(), log, validate=[log])
