"""The ledger: operation counts and emitted C code of structures x models, as they were recorded.

The counts may fall, never rise. The emitted text may change where a change of the derivation explains it.
`pytest tests/models/test_ledger.py --update-golden` records again, and fails for a count that has risen.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from symoro import generate
from symoro._version import __version__
from symoro.emit import emit

LEDGER = Path(__file__).parents[1] / "data" / "ledger.json"
DYNAMICS = "inverse-dynamics direct-dynamics inertia-matrix bias-torques gravity-torques energy"
REGRESSORS = "dynamic-identification energy-identification power-identification"
KINEMATICS = "jacobian velocities inverse-kinematics static-torques"
# robots, models, options
CASES = (
    ("rx90 scara akr3000 sr400 fivebar rx90_elastic rx90_floating rx90_floating_elastic", DYNAMICS, {}),
    ("mobile_manipulator diffdrive mecanum car_ackermann tricycle", DYNAMICS, {}),
    (
        "flexible2r flexible_satellite",
        "inverse-dynamics direct-dynamics inertia-matrix bias-torques energy",
        {},
    ),
    ("rx90_floating", "inverse-dynamics", {"base": "given"}),
    ("rx90_floating", "inverse-dynamics direct-dynamics", {"rotation": "quaternion"}),
    ("rx90_elastic rx90_floating_elastic", "inverse-dynamics direct-dynamics", {"actuators": "elastic"}),
    ("rx90_elastic rx90_floating_elastic cartpole", "inverse-dynamics", {"free": [2]}),
    ("3rrr delta gough_stewart", "inverse-dynamics direct-dynamics", {"space": "platform"}),
    ("gough_stewart_general orthoglide", "inertia-matrix bias-torques", {"space": "platform"}),
    ("rx90", "inverse-dynamics", {"effort": "plain"}),
    ("rx90 sr400 rx90_floating", "inverse-dynamics", {"reactions": True}),
    ("rx90 sr400 rx90_floating", REGRESSORS, {}),
    ("scara fivebar", "lagrange", {}),
    ("planar3r fivebar", "inverse-dynamics-derivatives direct-dynamics-derivatives", {}),
    ("panda ur5e rx90 sr400", "inverse-dynamics-derivatives direct-dynamics-derivatives", {}),
    ("rx90_floating", "inverse-dynamics-derivatives", {"base": "given"}),
    ("rx90_floating", "direct-dynamics-derivatives", {}),
    ("rx90_floating", "inverse-dynamics-derivatives centroidal-momentum contact-dynamics", {}),
    ("rx90 sr400 mobile_manipulator", "centroidal-momentum contact-dynamics", {}),
    ("rx90 sr400 fivebar", KINEMATICS, {}),
    ("diffdrive rx90_floating", "jacobian velocities accelerations jdot-qdot static-torques", {}),
    ("flexible2r flexible_satellite", "gravity-torques", {}),
)


def _key(robot: str, model: str, options: dict[str, object]) -> str:
    return " ".join([robot, model, *(f"{name}={value}" for name, value in options.items())])


def _measured() -> dict[str, tuple[int, int, str]]:
    """Return operations per call and at setup, and the hash of the emitted text, of all cases."""
    rows = {}
    for robots, models, options in CASES:
        for robot in robots.split():
            for name in models.split():
                model = generate(robot, name, **options)
                count = model.count()
                texts = [text.replace(__version__, "") for text in emit(model.program, "c").values()]
                digest = hashlib.sha256("".join(texts).encode()).hexdigest()[:12]
                once = count.setup.total if count.setup else 0
                rows[_key(robot, name, options)] = (count.total, once, digest)
    return rows


def test_ledger(request: pytest.FixtureRequest) -> None:
    recorded = json.loads(LEDGER.read_text()) if LEDGER.exists() else {}
    measured = _measured()
    risen = {
        key: (recorded[key][0], row[0])
        for key, row in measured.items()
        if key in recorded and row[0] > recorded[key][0]
    }
    assert not risen, f"operations per call, recorded and now: {risen}"
    if request.config.getoption("--update-golden"):
        lines = [f"{json.dumps(key)}: {json.dumps(row)}" for key, row in measured.items()]
        LEDGER.write_text("{\n" + ",\n".join(lines) + "\n}\n")
        return
    assert list(recorded) == list(measured), "the cases differ: record again with --update-golden"
    changed = [key for key, row in measured.items() if list(row) != recorded[key]]
    assert not changed, f"record again with --update-golden if these changes are intended: {changed}"
