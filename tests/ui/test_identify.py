"""Check `identify`: tables, JSON, report and robot file."""

from __future__ import annotations

from pathlib import Path
from shutil import copy
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.robot.formats import dumps
from symoro.ui.cli import main
from tests.identification.test_payloads import UNKNOWN, recorded
from tests.identification.truth import smooth, two_links

GIVEN = ("--decimation", "10", "--slow", "0.02")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A robot and a log of it."""
    t = smooth(two_links())
    tau = t.tau + 0.2 * np.random.default_rng(0).standard_normal(t.tau.shape)
    table = np.column_stack([np.arange(len(t.q)) / t.rate, t.q, tau])
    np.savetxt(
        tmp_path / "log.csv", table, delimiter=",", header="t,q1,q2,tau1,tau2", comments="", fmt="%.12g"
    )
    (tmp_path / "arm.yaml").write_text(dumps(two_links(), "yaml"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_tables_contain_residuals_and_parameters(run: Any, folder: Path) -> None:
    text = run("identify", "arm.yaml", "log.csv", *GIVEN, "--essential")
    for words in (
        "kept rows",
        "all rows",
        "last third",
        "ZZR1",
        "95 % interval",
        "N m s/rad",
        "F statistic",
    ):
        assert words in text


def test_json_has_the_numbers(data: Any, folder: Path) -> None:
    copy("log.csv", "other.csv")
    result = data("identify", "arm.yaml", "log.csv", *GIVEN, "--validate", "other.csv")
    truth = smooth(two_links()).K
    for name, parameter in result["parameters"].items():
        assert abs(parameter["value"] - truth[name]) < 4.5 * parameter["deviation"] + 5e-3
    assert result["parameters"]["ZZ1"]["shown"] == "ZZR1" and result["parameters"]["MX2"]["shown"] == "MX2"
    assert result["residuals"]["kept"]["relative"] < 0.05
    assert result["validation"]["other"]["kept"]["relative"] == pytest.approx(
        result["residuals"]["kept"]["relative"]
    )


def test_the_delay_of_torques_is_an_option(data: Any, folder: Path) -> None:
    plain, late = (
        data("identify", "arm.yaml", "log.csv", *GIVEN, *more) for more in ((), ("--delay", "0.01"))
    )
    assert (
        abs(plain["delay"]["estimated"]) < 4 * plain["delay"]["deviation"] < 2e-3 and plain["warnings"] == []
    )
    assert late["delay"]["given"] == [0.01]
    assert abs(late["delay"]["estimated"] + 0.01) < 4 * late["delay"]["deviation"]
    assert any("lead the motion by" in line for line in late["doubts"])
    held = data("identify", "arm.yaml", "log.csv", *GIVEN, "--delay", "hold")
    assert held["delay"]["given"] == [-0.001]


def test_report_and_robot_are_written(run: Any, folder: Path) -> None:
    copy("log.csv", "other.csv")
    text = run(
        *(
            "identify",
            "arm.yaml",
            "log.csv",
            *GIVEN,
            "--consistent",
            "--essential",
            "--validate",
            "other.csv",
        ),
        *("--report", "out", "-o", "identified.yaml"),
    )
    assert "wrote identified.yaml" in text
    names = {path.name for path in (folder / "out").iterdir()}
    plots = {f"{name}-{j}.svg" for name in ("torque", "residual", "validation") for j in (1, 2)}
    assert names == {"report.md", "report.html"} | plots
    markdown = (folder / "out" / "report.md").read_text(encoding="utf-8")
    for words in (
        "# Identification of two links",
        "## Residuals",
        "| ZZR1 (ZZ1) |",
        "## Physical consistency",
        "torque-1.svg",
        "## Validation",
        "validation-2.svg",
        "residual-1.svg",
    ):
        assert words in markdown
    page = (folder / "out" / "report.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 6 and page.rstrip().endswith("</html>")
    assert "# from log, by WLS" in (folder / "identified.yaml").read_text(encoding="utf-8")
    robot = symoro.load(folder / "identified.yaml")
    t = smooth(two_links())
    torques = symoro.generate(robot, "inverse-dynamics").function()(q=t.q, qd=t.qd, qdd=t.qdd)["tau"]
    assert np.sqrt(np.mean((torques - t.tau) ** 2, axis=0)) == pytest.approx([0, 0], abs=0.3)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("identify", "arm.yaml"), "LOG"),
        (("identify", "arm.yaml", "none.csv"), "no such file"),
        (("identify", "arm.yaml", "log.csv", "--method", "magic"), "expected one of ols"),
        (("identify", "arm.yaml", "log.csv", "--method", "iv"), "require the reference"),
        (("identify", "arm.yaml", "log.csv", "--without", "M2"), "only their combination can be identified"),
        (("identify", "rx90", "log.csv"), "no column 'q3'"),
        (("identify", "fivebar", "log.csv"), "q1, q3, tau1, tau3, numbered like its active joints"),
        (("identify", "arm.yaml", "log.csv", "--start", "nominal"), "only the methods iv, didim and cloe"),
        (("identify", "arm.yaml", "log.csv", "--columns", "none.yaml"), "no such file"),
        (("identify", "arm.yaml", "log.csv", "-o", "identified.nope"), "does not identify a format"),
    ],
)
def test_errors_are_reported(
    words: tuple[str, ...], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(list(words)) == 2
    assert message in capsys.readouterr().err


def test_the_posture_selects_the_assembly_mode(
    data: Any, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from tests.identification.loops import RATE, fivebar_motion, fivebar_posture

    t = fivebar_motion(samples=1000)
    table = np.column_stack([np.arange(len(t.q)) / RATE, t.q, t.tau])
    head = {"delimiter": ",", "header": "t,q1,q3,tau1,tau3", "comments": "", "fmt": "%.15g"}
    np.savetxt(folder / "bars.csv", table, **head)
    posture = ",".join(str(x) for x in fivebar_posture())
    given = ("identify", "fivebar", "bars.csv", "--decimation", "2")
    result = data(*given, f"--posture={posture}")
    assert result["residuals"]["all"]["relative"] < 1e-2
    assert result["parameters"]["MX2"]["value"] == pytest.approx(0.09, rel=0.02)
    assert main(list(given)) != 0
    message = capsys.readouterr().err
    assert "have 2 assembly modes" in message and "--posture" in message


def test_logs_of_one_name_are_distinguished(data: Any, run: Any, folder: Path) -> None:
    """Two files of one name in two folders, one of them with torques of half as much again."""
    table = np.loadtxt("log.csv", delimiter=",", skiprows=1)
    head = Path("log.csv").read_text(encoding="utf-8").partition("\n")[0]
    for name, factor in (("a", 1.0), ("b", 1.5)):
        Path(name).mkdir()
        rows = table * np.array([1, 1, 1, factor, factor])
        np.savetxt(f"{name}/log.csv", rows, delimiter=",", header=head, comments="", fmt="%.12g")
    given = (
        "identify",
        "arm.yaml",
        "log.csv",
        *GIVEN,
        "--validate",
        "b/log.csv",
        "--validate",
        "a/log.csv",
    )
    result = data(*given)
    paths = [str(Path(name) / "log.csv") for name in ("b", "a")]
    assert list(result["validation"]) == paths
    off = [result["validation"][path]["kept"]["relative"] for path in paths]
    assert off[0] > 0.2 > 0.1 > off[1]
    text = run(*given)
    for path in paths:
        assert f"validated on {path}" in text
    again = data("identify", "arm.yaml", "log.csv", *GIVEN, "--validate", paths[0], "--validate", paths[0])
    assert list(again["validation"]) == [paths[0], f"{paths[0]} (2)"]


def test_names_are_escaped_in_markdown(run: Any, folder: Path) -> None:
    name = "<script>alert(1)</script> a|b *c* [d](e)"
    odd = two_links().replace(name=name)
    (folder / "odd.yaml").write_text(dumps(odd, "yaml"), encoding="utf-8")
    (folder / "a_b <i>x.csv").write_bytes((folder / "log.csv").read_bytes())
    run("identify", "odd.yaml", "a_b <i>x.csv", *GIVEN, "--report", "out")
    text = (folder / "out" / "report.md").read_text(encoding="utf-8")
    assert "<script" not in text and "<i>" not in text
    shown = r"&lt;script&gt;alert(1)&lt;/script&gt; a\|b \*c\* \[d\](e)"
    assert f"# Identification of {shown}\n" in text
    assert r"| log | a\_b &lt;i&gt;x, 1500 samples" in text


def test_reports_contain_methods_units_and_standard_parameters(run: Any, folder: Path) -> None:
    text = run(
        *("identify", "arm.yaml", "log.csv", *GIVEN, "--method", "tls", "--consistent", "--essential"),
        *("--report", "out"),
    )
    markdown = (folder / "out" / "report.md").read_text(encoding="utf-8")
    for report in (text, markdown):
        for words in (
            "last third, by WLS on the first two",
            "Reduced from the estimate by TLS",
            "nearest to the estimate by TLS",
        ):
            assert words in report
    essential = markdown.partition("## Essential parameters")[2].partition("\n## ")[0]
    assert "| parameter | value | deviation | % | unit |" in essential and "| kg m^2 |" in essential
    standard = markdown.partition("## Physically consistent standard parameters")[2].partition("\n## ")[0]
    for name, unit in (
        ("M1", "kg"),
        ("MX2", "kg m"),
        ("ZZ2", "kg m^2"),
        ("FV1", "N m s/rad"),
        ("FS2", "N m"),
    ):
        assert any(
            row.startswith(f"| {name} |") and row.endswith(f"| {unit} |") for row in standard.splitlines()
        )


def test_the_written_robot_has_the_friction_at_low_speed(run: Any, folder: Path) -> None:
    given = ("identify", "arm.yaml", "log.csv", *GIVEN, "--friction", "viscous,coulomb,offset,stribeck")
    run(*given, "--stribeck-velocity", "0.2", "-o", "identified.yaml")
    robot = symoro.load(folder / "identified.yaml")
    assert [frame.VS.number for frame in robot.frames] == [0.2, 0.2]
    assert all(frame.FB.number for frame in robot.frames)


def test_a_par_file_is_rejected_before_friction_at_low_speed_is_estimated(capsys: Any, folder: Path) -> None:
    given = ["identify", "arm.yaml", "log.csv", *GIVEN, "--friction", "viscous,coulomb,stribeck"]
    assert main([*given, "-o", "identified.par"]) == 2
    assert "Stribeck friction" in capsys.readouterr().err
    assert not (folder / "identified.par").exists()


def test_friction_offsets_are_left_out_of_a_par_file_on_request(run: Any, capsys: Any, folder: Path) -> None:
    given = ["identify", "arm.yaml", "log.csv", *GIVEN, "--friction", "viscous,coulomb,offset"]
    assert main([*given, "-o", "identified.par"]) == 2
    shown = capsys.readouterr()
    assert "--lossy" in shown.err and not shown.out  # before the identification
    run(*given, "-o", "identified.par", "--lossy")
    assert all(frame.FS.number for frame in symoro.load(folder / "identified.par").frames)


@pytest.mark.parametrize("command", [["identify", "arm.yaml", "log.csv", *GIVEN], ["base", "arm.yaml"]])
def test_a_table_is_rejected_for_dynamic_parameters(command: list[str], capsys: Any, folder: Path) -> None:
    assert main([*command, "-o", "result.csv"]) == 2
    shown = capsys.readouterr()
    assert "without dynamic parameters" in shown.err and not shown.out
    assert not (folder / "result.csv").exists()


def test_subtracted_torques_are_listed(data: Any, run: Any, folder: Path) -> None:
    carried = dumps(two_links(), "yaml") + "tool: {on: 2, d: 0.3}\npayload: {M: 0.01}\n"
    (folder / "carrying.yaml").write_text(carried, encoding="utf-8")
    given = ("identify", "carrying.yaml", "log.csv", *GIVEN)
    assert data(*given)["known"] == ["the payload"]
    assert "known torques, subtracted" in run(*given)


def test_masses_are_bounded_on_the_command_line(data: Any, run: Any, folder: Path) -> None:
    words = ("identify", "arm.yaml", "log.csv", *GIVEN, "--consistent")
    bounded = data(*words, "--mass", "1=5..6,2=1.5+-0.1", "--total-mass", "..6.4")["consistent"]
    assert bounded["mass_bounds"] == {"M1": [5, 6], "M2": pytest.approx([1.4, 1.6]), "total mass": [0, 6.4]}
    assert bounded["total_mass"] == pytest.approx(bounded["standard"]["M1"] + bounded["standard"]["M2"])
    assert bounded["total_mass"] <= 6.4 + 1e-5 and bounded["standard"]["M1"] >= 5 - 1e-5
    prior = ("--prior-weight", "0.01", "--link-prior", "2=10", "--nominal", "M2=2")
    run(*words, "--mass", "2=3..", *prior, "--report", "out")
    report = (folder / "out" / "report.md").read_text(encoding="utf-8")
    assert "| 2 | 3 | 3 .. (at lower) |" in report and "| all |" in report


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--mass", "1=5..6"), "--mass applies to physically consistent parameters only"),
        (("--consistent", "--mass", "1=6..5"), "the lower bound 6 kg exceeds the upper bound 5 kg"),
        (("--consistent", "--mass", "1=5"), "expected bounds in kg, got '5'"),
        (("--consistent", "--mass", "1=.."), "expected bounds in kg, got '..'"),
        (("--consistent", "--mass", "7=1..2"), "no link of robot 'two links' called '7'"),
        (("--consistent", "--mass", "arm=1..2"), "expected the number of a link"),
        (("--consistent", "--mass", "1=1..2", "--mass", "01=1..2"), "link 1 is given twice"),
        (("--consistent", "--mass=1=-1..2"), "a mass in kg is not negative"),
        (("--consistent", "--mass", "1=1+--1"), "the tolerance is not negative"),
        (("--consistent", "--total-mass", "a..b"), "expected a number, got 'a'"),
        (("--consistent", "--mass", "1=5..6", "--total-mass", "..4"), "above the total mass of at most 4 kg"),
        (("--consistent", "--link-prior", "1=0"), "prior weight of link 1: expected a positive number"),
        (("--consistent", "--prior-weight", "-1"), "prior_weight: expected a positive number"),
        (("--consistent", "--nominal", "M7=1"), "no inertial parameter of robot 'two links' called 'M7'"),
    ],
)
def test_invalid_bounds_of_masses_are_rejected(
    words: tuple[str, ...], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["identify", "arm.yaml", "log.csv", *GIVEN, *words, "-o", "out.yaml"]) == 2
    assert message in capsys.readouterr().err
    assert not (folder / "out.yaml").exists()


def test_the_verdict_is_printed_and_may_be_required(
    data: Any, run: Any, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["identify", "arm.yaml", "log.csv", *GIVEN]
    assert run(*words, "--require", "pass").rstrip().endswith("verdict: pass")
    verdict = data(*words)["verdict"]
    assert verdict["level"] == "pass"
    assert {one["name"] for one in verdict["criteria"]} >= {"fit-residual", "condition", "warnings"}
    assert all(one["value"] <= one["limits"][0] and one["level"] == "pass" for one in verdict["criteria"])
    late = [*words, "--delay", "0.01"]  # causes the warning torque-delay
    assert main(late) == 0 and main([*late, "--require", "doubtful"]) == 0
    assert main([*late, "--require", "pass", "--report", "out", "-o", "late.yaml"]) == 1
    text = capsys.readouterr().out
    assert "verdict: doubtful (" in text and "torque-delay)" in text
    assert (folder / "late.yaml").exists()
    report = (folder / "out" / "report.md").read_text(encoding="utf-8")
    assert report.index("## Verdict") < report.index("## Warnings") < report.index("## Residuals")
    assert main([*words, "--require", "perfect"]) == 2


@pytest.fixture
def loaded(folder: Path) -> Path:
    """A second log, of the robot with a payload, and both logs with currents instead of torques."""
    gains = np.array([12.0, -7.0])
    for name, log in (("empty", recorded()), ("box", recorded(UNKNOWN))):
        samples = log.part(0, log.samples)
        time = np.arange(log.samples) / log.rate
        for column, torque in (("tau", samples["torque"]), ("i", samples["torque"] / gains)):
            head = f"t,q1,q2,{column}1,{column}2"
            table = np.column_stack([time, samples["position"], torque])
            np.savetxt(folder / f"{name}-{column}.csv", table, delimiter=",", header=head, comments="")
    text = "symoro-log: 1\ntime: {column: t}\n"
    for kind, stem, unit in (("position", "q", "rad"), ("torque", "i", "A")):
        text += f"{kind}: {{file: FILE, columns: [{stem}1, {stem}2], unit: {unit}}}\n"
    (folder / "empty.yaml").write_text(text.replace("FILE", "empty-i.csv"), encoding="utf-8")
    payload = "payload: {unknown: box, mass: 2}\n"
    (folder / "box.yaml").write_text(text.replace("FILE", "box-i.csv") + payload, encoding="utf-8")
    return folder


def test_payloads_of_logs(run: Any, data: Any, loaded: Path) -> None:
    words = ("identify", "arm.yaml", "empty-tau.csv", "box-tau.csv", *GIVEN)
    payloads = ("--log-payload", "none", "--log-payload", "unknown=box")
    box = data(*words, *payloads)["payloads"]["box"]
    assert box["mass"] == pytest.approx(2, abs=4 * box["mass_deviation"])
    assert box["com"][:2] == pytest.approx([0.3, 0.1], rel=0.02) and box["com"][2] is None
    text = run(*words, *payloads, "--report", "out", "-o", "identified.yaml")
    assert "Payload box" in text and "centre of mass, x" in text and "centre of mass, z" not in text
    assert "Payload box" in (loaded / "out" / "report.md").read_text(encoding="utf-8")
    written = symoro.load(loaded / "identified.yaml")
    assert written.payload is None and not any("box" in note for note in written.notes)
    known = ("--log-payload", "none", "--log-payload", "mass=2,com=0.3,0.1,0.2,inertia=0.05,0.06,0.07")
    text = run(*words, *known)
    assert "known torques, subtracted" in text and "payload of box-tau (known, 2 kg)" in text


def test_drive_gains_are_estimated(run: Any, data: Any, loaded: Path) -> None:
    words = ("identify", "arm.yaml", "empty.yaml", "box.yaml", *GIVEN, "--drive-gains", "estimate")
    gains = data(*words)["drive_gains"]
    assert gains["values"] == pytest.approx([12, -7], rel=5e-3)
    assert "Drive gains" in run(*words)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("empty-tau.csv", "box-tau.csv", "--log-payload", "unknown"), "one for each of the 2 logs, got 1"),
        (("box-tau.csv", "--log-payload", "unknown"), "every log has an unknown payload"),
        (("box-tau.csv", "--log-payload", "heavy"), "is not of the form NAME=VALUE"),
        (("box-tau.csv", "--log-payload", "mass=two"), "expected a finite number for mass"),
        (("empty-tau.csv", "--payload", "mass=1", "--log-payload", "mass=2"), "a log has another one"),
        (("empty.yaml", "--drive-gains", "estimate"), "no log has a payload of known mass"),
        (("empty.yaml", "--drive-gains", "guess"), "numbers separated by commas or 'estimate'"),
        (("empty.yaml",), "a current requires 'scale'"),
    ],
)
def test_rejected_payloads_write_no_file(
    capsys: pytest.CaptureFixture[str], loaded: Path, words: tuple[str, ...], message: str
) -> None:
    assert main(["identify", "arm.yaml", *words, *GIVEN, "-o", "new.yaml", "--report", "out"]) == 2
    printed = capsys.readouterr()
    assert message in printed.err and not printed.out
    assert not (loaded / "new.yaml").exists() and not (loaded / "out").exists()
