"""Check `simulate`: initial state, tables, charts, and the motion for the page."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import symoro
from symoro import optional_packages
from symoro.errors import ArgumentError
from symoro.ui.cli import main


def test_a_table_with_energy(capsys):
    assert main(["simulate", "planar2r", "q=0,1", "--duration", "0.5"]) == 0
    out = capsys.readouterr().out
    assert "q at the end" in out and "energy:" in out


def test_the_numbers_are_those_of_the_library(capsys):
    assert main(["simulate", "planar2r", "q=0,1", "tau=1,0", "--duration", "0.5", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    motion = symoro.simulate("planar2r", 0.5, q=[0, 1], tau=[1, 0])
    assert data["end"]["q2"] == motion.q[-1, 1] and data["finished"] and data["samples"] == len(motion.t)


def test_files_by_their_suffix(tmp_path):
    files = [str(tmp_path / f"out.{suffix}") for suffix in ("csv", "svg", "json")]
    words = [word for file in files for word in ("-o", file)]
    assert main(["simulate", "planar2r", "q=0,1", "--duration", "0.2", *words]) == 0
    head = Path(files[0]).read_text().splitlines()[1]
    assert head == "t,q1,q2,qd1,qd2,tau1,tau2,E,U"
    assert ET.parse(files[1]).getroot().tag.endswith("svg")
    motion = json.loads(Path(files[2]).read_text())
    assert np.shape(motion["q"]) == (len(motion["times"]), 2)


def test_the_law_follows_a_trajectory(capsys):
    words = ["q=-pi/2,0,0", "--track", "filip3r", "--duration", "1", "--json"]
    assert main(["simulate", "filip3r", *words]) == 0
    end = json.loads(capsys.readouterr().out)["end"]
    assert end["q2"] == pytest.approx(np.pi / 3, abs=1e-5)


def test_a_tracked_trajectory_gives_the_initial_state(capsys):
    ends = []
    for start in (["q=-pi/2,0,0"], []):
        assert main(["simulate", "filip3r", *start, "--track", "filip3r", "--duration", "0.2", "--json"]) == 0
        ends.append(json.loads(capsys.readouterr().out)["end"])
    assert ends[0] == pytest.approx(ends[1])
    assert main(["simulate", "filip3r", "qd=0,0,0", "--track", "filip3r", "--duration", "0.2"]) == 2
    assert "the initial position is missing" in capsys.readouterr().err


def test_joints_follow_a_trajectory(capsys):
    words = ["q=-pi/2,0,0", "--driven", "filip3r", "--duration", "1", "--json"]
    assert main(["simulate", "filip3r", *words]) == 0
    assert json.loads(capsys.readouterr().out)["end"]["q3"] == pytest.approx(-np.pi / 2)


def test_numbers_for_symbols_stops_and_other_methods(capsys):
    words = ["q=0,1", "D2=2", "--duration", "0.1", "--method", "rk4", "--step", "0.001", "--csv"]
    assert main(["simulate", "planar2r", *words]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 103
    words = ["q=0,0,0,0,0,0", "qd=5,0,0,0,0,0", "--stops", "end", "--duration", "1"]
    assert main(["simulate", "puma560", *words]) == 0
    assert "joint" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words, message",
    [
        ([], "the initial position is missing"),
        (["q=0"], "q has shape"),
        (["q=0,1", "tau=1"], "have shape"),
        (["q=0,1", "--stops", "wall"], "wall"),
        (["q=0,1", "--step", "-1"], "step = -1"),
        (["q=0,1", "x=1,2"], "'x' is not a state variable"),
        (["q=0,1", "m2=5"], "no symbol of robot 'planar2R' called 'm2'"),
        (["q=0,1", "q=0,2"], "'q' is given twice"),
        (["q=0,1", "M2=1", "M2=2"], "'M2' is given twice"),
        (["q=0,1", "V0=0,0,0,0,0,0"], "has no part 'V0'"),
        (["q=0,1", "-o", "x.png"], "supported formats are"),
        (["q=nowhere"], "posture"),
    ],
)
def test_bad_input_ends_with_a_message(capsys, words, message):
    assert main(["simulate", "planar2r", *words]) == 2
    assert message in capsys.readouterr().err


def test_a_foreign_parquet_file_is_not_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    table, chart = tmp_path / "motion.parquet", tmp_path / "motion.svg"
    words = ["simulate", "planar2r", "q=0,1", "--duration", "0.1", "-o", str(table), "-o", str(chart)]
    table.write_bytes(b"somebody's")
    assert main(words) == 2 and table.read_bytes() == b"somebody's"
    assert not chart.exists(), "all files or none"
    assert main([*words, "--force"]) == 0
    assert parquet.read_table(table).column("q2").to_pylist()[0] == 1.0


def test_a_missing_package_is_reported_before_the_simulation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def absent(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(optional_packages, "import_module", absent)
    words = ["simulate", "planar2r", "q=0,1", "--duration", "0.1", "-o", str(tmp_path / "motion.parquet")]
    assert main(words) == 2
    printed = capsys.readouterr()
    assert "symoro[parquet]" in printed.err and not printed.out


def test_gains_without_a_reference_are_rejected(capsys):
    assert main(["simulate", "planar2r", "q=0,1", "--gains", "100,20"]) == 2
    assert "--gains applies to computed-torque control" in capsys.readouterr().err


def test_a_reduced_step_is_reported(capsys):
    for method in ("DOP853", "rk4"):
        words = ["--step", "0.3", "--duration", "1", "--method", method]
        assert main(["simulate", "planar2r", "q=0,1", *words]) == 0
        assert "samples are 0.25 s apart, not 0.3 s" in capsys.readouterr().out
        assert main(["simulate", "planar2r", "q=0,1", "--step", "0.1", *words[2:]]) == 0
        assert "apart" not in capsys.readouterr().out


def test_a_tolerance_below_round_off_is_rejected(capsys, recwarn):
    assert main(["simulate", "planar2r", "q=0,1", "--rtol", "1e-20"]) == 2
    assert "rtol = 1e-20: expected at least 2.22e-14" in capsys.readouterr().err
    assert not recwarn.list


def test_the_help_states_the_range_of_restitution(capsys):
    with pytest.raises(SystemExit):
        main(["simulate", "--help"])
    assert "at least 0 and less than 1" in " ".join(capsys.readouterr().out.split())
    assert main(["simulate", "planar2r", "q=0,1", "--stops", "1"]) == 2


def test_hints_for_missing_numbers_use_the_syntax_of_the_command_line(capsys):
    with pytest.raises(ArgumentError) as caught:
        symoro.simulate("rx90", 0.1, q=[0] * 6)
    assert caught.value.hint == "give them as values={...}, or bind them in the robot"
    assert main(["simulate", "rx90", "q=0,0,0,0,0,0"]) == 2
    assert "give them as NAME=VALUE, or with --bind NAME=VALUE" in capsys.readouterr().err
