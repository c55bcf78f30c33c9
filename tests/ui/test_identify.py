"""Check `identify`: tables, JSON, report and robot file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.robot.formats import dumps
from symoro.ui.cli import main
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
    result = data("identify", "arm.yaml", "log.csv", *GIVEN, "--validate", "log.csv")
    truth = smooth(two_links()).K
    for name, parameter in result["parameters"].items():
        assert abs(parameter["value"] - truth[name]) < 4.5 * parameter["deviation"] + 5e-3
    assert result["parameters"]["ZZ1"]["shown"] == "ZZR1" and result["parameters"]["MX2"]["shown"] == "MX2"
    assert result["residuals"]["kept"]["relative"] < 0.05
    assert result["validation"]["log"]["kept"]["relative"] == pytest.approx(
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
    text = run(
        *("identify", "arm.yaml", "log.csv", *GIVEN, "--consistent", "--essential"),
        *("--report", "out", "-o", "identified.yaml"),
    )
    assert "wrote identified.yaml" in text
    names = {path.name for path in (folder / "out").iterdir()}
    assert names == {"report.md", "report.html", "torque-1.svg", "torque-2.svg"}
    markdown = (folder / "out" / "report.md").read_text(encoding="utf-8")
    for words in (
        "# Identification of two links",
        "## Residuals",
        "| ZZR1 (ZZ1) |",
        "## Physical consistency",
        "torque-1.svg",
    ):
        assert words in markdown
    page = (folder / "out" / "report.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 2 and page.rstrip().endswith("</html>")
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
        "a/log.csv",
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
    again = data("identify", "arm.yaml", "log.csv", *GIVEN, "--validate", "log.csv", "--validate", "log.csv")
    assert list(again["validation"]) == ["log", "log (2)"]


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


def test_subtracted_torques_are_listed(data: Any, run: Any, folder: Path) -> None:
    carried = dumps(two_links(), "yaml") + "tool: {on: 2, d: 0.3}\npayload: {M: 0.01}\n"
    (folder / "carrying.yaml").write_text(carried, encoding="utf-8")
    given = ("identify", "carrying.yaml", "log.csv", *GIVEN)
    assert data(*given)["known"] == ["the payload"]
    assert "known torques, subtracted" in run(*given)
