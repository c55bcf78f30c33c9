"""Check `torques`: table, CSV, JSON, chart, and the motion for the page."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

from symoro.trajectory.files import load_trajectory
from symoro.ui.cli import main


def test_a_table_with_peaks_energy_and_limits(capsys):
    assert main(["torques", "filip3r", "filip3r"]) == 0
    out = capsys.readouterr().out
    assert (
        "peak torque" in out and "energy of all drives" in out and "no limit of the robot is exceeded" in out
    )


def test_exceeded_limits_are_reported(capsys, tmp_path):
    path = tmp_path / "turn.yaml"
    path.write_text(
        "symoro-trajectory: 1\nstart: [0, 0, 0, 0, 0, 0]\nparts: [{joints: [4, 0, 0, 0, 0, 0], duration: 1}]\n"
    )
    assert main(["torques", "puma560", str(path)]) == 0
    assert "joint 1: position 2.79253 rad from t = 0." in capsys.readouterr().out


def test_files_by_their_suffix(capsys, tmp_path):
    files = [str(tmp_path / f"out.{suffix}") for suffix in ("csv", "svg", "json")]
    assert main(["torques", "filip3r", "filip3r", *(w for file in files for w in ("-o", file))]) == 0
    samples = load_trajectory(files[0])
    assert samples.joints == (1, 2, 3)
    head = Path(files[0]).read_text().splitlines()[1]
    assert head.endswith("tau1,tau2,tau3,power1,power2,power3")
    assert ET.parse(files[1]).getroot().tag.endswith("svg")
    motion = json.loads(Path(files[2]).read_text())
    assert np.shape(motion["q"]) == (len(motion["times"]), 3)
    # written again: a table and a chart are ours to replace, a page's motion has no head to tell
    assert main(["torques", "filip3r", "filip3r", "-o", files[0], "-o", files[1]]) == 0


def test_a_written_table_can_be_read(capsys, tmp_path):
    one, two = (str(tmp_path / f"{name}.csv") for name in ("one", "two"))
    main(["torques", "filip3r", "filip3r", "-o", one])
    assert "no limit of the robot is exceeded" in capsys.readouterr().out
    assert main(["torques", "filip3r", one, "-o", two]) == 0
    assert Path(one).read_text() == Path(two).read_text()
    assert "at the samples; the motion between samples is not checked" in capsys.readouterr().out
    main(["torques", "filip3r", one, "--json"])
    assert json.loads(capsys.readouterr().out)["between"] is False


def test_peaks_between_samples_are_reported(capsys, tmp_path):
    path = tmp_path / "short.yaml"
    path.write_text(
        "symoro-trajectory: 1\nstart: [0, -1.5, 1.5, 0, 0.3, 0]\nparts:\n"
        "  - {joints: [1, -1.5, 1.5, 0, 0.3, 0], duration: 0.01}\n  - {hold: 1}\n"
    )
    assert main(["torques", "ur5e", str(path)]) == 0
    out = capsys.readouterr().out
    assert "joint 1: velocity 3.14159 rad/s from t = 0.0003" in out and "worst 187.5 rad/s at 0.005 s" in out
    assert "warning: the samples miss peaks of joints" in out


def test_csv_on_standard_output(capsys):
    assert main(["torques", "filip3r", "filip3r", "--csv", "--step", "0.5"]) == 0
    assert len(capsys.readouterr().out.splitlines()) > 5


@pytest.mark.parametrize(
    "words, message",
    [
        (["filip3r", "nothing"], "no trajectory called 'nothing'"),
        (["filip3r", "filip3r", "-o", "x.png"], "supported formats are .csv, .svg, .json"),
        (["filip3r", "filip3r", "--step", "0"], "expected a positive number"),
        (["filip3r", "filip3r", "--step", "nan"], "expected a positive number"),
        (["puma560", "filip3r"], "start: expected 6 numbers, got 3"),
        (["rx90_floating", "filip3r"], "start: expected 6 numbers, got 3"),
    ],
)
def test_bad_input_ends_with_a_message(capsys, words, message):
    assert main(["torques", *words]) == 2
    assert message in capsys.readouterr().err


def test_numbers_for_symbols_are_taken_as_words(capsys):
    assert main(["torques", "filip3r", "filip3r", "--json"]) == 0
    plain = json.loads(capsys.readouterr().out)
    assert main(["torques", "filip3r", "filip3r", "g=0", "--json"]) == 0
    light = json.loads(capsys.readouterr().out)
    assert abs(light["peaks"][0]["torque"]) < abs(plain["peaks"][0]["torque"])
    assert main(["torques", "filip3r", "filip3r", "nothing=0"]) == 2
    assert "nor a symbol of the robot" in capsys.readouterr().err


def test_an_empty_file_is_not_a_trajectory(capsys, tmp_path):
    file = tmp_path / "empty.yaml"
    file.write_text("# nothing\n")
    assert main(["torques", "filip3r", str(file)]) == 2
    err = capsys.readouterr().err
    assert "contains no trajectory" in err and "symoro-trajectory: 1" in err
