"""Check identification in the workbench: estimates equal those of the library, and bad logs give clear errors."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import symoro
from symoro.identification.log import log_of_arrays
from symoro.ui.service import call

pytest.importorskip("pyarrow")
ROBOT = call("robot_open", {"id": "planar2r"})["robot"]
SPLIT = """symoro-log: 1
rate: 1000
position: {file: position.csv, columns: [a, b], unit: deg}
torque: {file: current.csv, columns: [a, b]}
"""


@cache
def arrays() -> tuple[Any, Any, Any]:
    t = np.arange(2000)[:, None] / 1000
    w, phase = 2 * np.pi * np.array([0.9, 1.3]), np.array([0.3, 1.1])
    q = np.sin(w * t + phase) + 0.3 * np.sin(3 * w * t)
    qd = w * np.cos(w * t + phase) + 0.9 * w * np.cos(3 * w * t)
    qdd = -(w**2) * np.sin(w * t + phase) - 2.7 * w**2 * np.sin(3 * w * t)
    tau = symoro.generate("planar2r", "inverse-dynamics").function()(q=q, qd=qd, qdd=qdd)["tau"]
    return t, q, tau + 0.5 * np.random.default_rng(0).standard_normal(tau.shape)


def table(head: str, rows: Any) -> str:
    return "\n".join([head, *(",".join(repr(float(x)) for x in row) for row in rows)])


@cache
def text() -> str:
    return table("t,q1,q2,tau1,tau2", np.concatenate(arrays(), axis=1))


def test_a_log_gives_the_numbers_of_the_library() -> None:
    result = call(
        "identify", {"robot": ROBOT, "files": {"log.csv": text()}, "decimation": 20, "essential": True}
    )
    _, q, tau = arrays()
    wanted = symoro.identify("planar2r", log_of_arrays(1000, q, tau), decimation=20)
    values = {one["name"]: one["value"] for one in result["parameters"]}
    assert values == pytest.approx(wanted.estimate.as_dict(), rel=1e-6, abs=1e-9)
    assert result["residuals"]["kept"] == pytest.approx(wanted.residuals.kept.relative)
    assert "Essential parameters" in [section["title"] for section in result["sections"]]
    assert set(result["files"]) == {"report.md", "report.html"}
    assert len(result["times"]) == len(result["measured"]) == len(result["predicted"])
    assert np.abs(np.subtract(result["measured"], result["predicted"])).max() < 5
    assert "error" not in call("robot_view", {"robot": result["robot"]})


def test_torques_that_lag_are_reported_and_corrected() -> None:
    t, q, tau = arrays()
    late = table("t,q1,q2,tau1,tau2", np.concatenate([t, q, np.roll(tau, 12, axis=0)], axis=1)[12:])
    payload = {"robot": ROBOT, "files": {"log.csv": late}, "decimation": 20, "slow": 0.05}
    result = call("identify", payload)
    assert [line for line in result["warnings"] if "lag behind the motion by 12" in line]
    assert call("identify", {**payload, "delay": "0.012"})["warnings"] == []
    assert "delay: expected seconds" in call("identify", {**payload, "delay": "late"})["error"]["message"]


def test_a_log_in_two_files_with_units() -> None:
    _, q, tau = arrays()
    files = {"position.csv": table("a,b", np.degrees(q)), "current.csv": table("a,b", tau)}
    result = call("identify", {"robot": ROBOT, "files": files, "description": SPLIT, "decimation": 20})
    assert "position, " in result["files"]["report.md"]  # what the log is called
    assert result["residuals"]["kept"] < 0.01


@pytest.mark.parametrize("file", ["/etc/passwd", "../position.csv", "/dev/zero", "other.csv"])
def test_a_description_names_no_other_files(file: str) -> None:
    files = {"position.csv": "a,b\n1,2"}
    description = SPLIT.replace("current.csv", file)
    result = call("identify", {"robot": ROBOT, "files": files, "description": description})
    assert "was not uploaded with it" in result["error"]["message"]


@pytest.mark.parametrize(
    "name", ["../x.csv", "/tmp/x.csv", ".csv", "x.parquet", "a/b.csv", "", "columns.yaml", "x\x00.csv"]
)
def test_names_of_files_are_names(name: str) -> None:
    result = call("identify", {"robot": ROBOT, "files": {name: text()}})
    assert "is not the name of a .csv file with its text" in result["error"]["message"]


def test_errors_contain_the_line_but_not_the_temporary_folder() -> None:
    broken = text().replace("\n0.001,", "\nnever,", 1)
    error = call("identify", {"robot": ROBOT, "files": {"log.csv": broken}})["error"]
    assert error["place"] == {**error["place"], "file": "log.csv", "line": 3}
    missing = call("identify", {"robot": ROBOT, "files": {"log.csv": "t,q1\n0,1"}})["error"]
    assert "tmp" not in json.dumps([error, missing])


SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-2, 3), st.floats(), st.text(max_size=8))
VALUES = st.one_of(
    SCALARS, st.lists(SCALARS, max_size=3), st.dictionaries(st.text(max_size=4), SCALARS, max_size=2)
)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.fixed_dictionaries(
        {
            "files": st.one_of(
                st.just("whole"), st.fixed_dictionaries({"a.csv": st.text(max_size=80)}), VALUES
            )
        },
        optional=dict.fromkeys(
            (
                "description",
                "method",
                "model",
                "cutoff",
                "decimation",
                "slow",
                "friction",
                "essential",
                "values",
            ),
            VALUES,
        ),
    )
)
def test_any_log_gets_an_answer(payload: dict[str, Any]) -> None:
    files = {"log.csv": text()[:4000]} if payload["files"] == "whole" else payload["files"]
    result = call("identify", {"robot": ROBOT, **payload, "files": files})
    json.dumps(result, allow_nan=False)
    if "error" in result:
        assert result["error"]["kind"] and result["error"]["message"]


def test_a_robot_with_loops_takes_a_posture() -> None:
    """The posture selects the assembly mode; without it the log is rejected, and names are accepted."""
    from tests.identification.loops import RATE, fivebar_motion, fivebar_posture

    motion = fivebar_motion(samples=400)
    time = np.arange(len(motion.q))[:, None] / RATE
    head = "t,q1,q3,qd1,qd3,qdd1,qdd3,tau1,tau3"
    rows = np.hstack([time, motion.q, motion.qd, motion.qdd, motion.tau])
    given = {"robot": call("robot_open", {"id": "fivebar"})["robot"], "files": {"log.csv": table(head, rows)}}
    assert "have 2 assembly modes" in call("identify", given)["error"]["message"]
    assert "folded" in call("identify", {**given, "posture": "folded"})["error"]["message"]
    posture = ",".join(map(repr, fivebar_posture()))
    result = call("identify", {**given, "posture": posture})
    assert result["residuals"]["kept"] < 1e-6 and result["warnings"] == []
