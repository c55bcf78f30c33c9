"""The public interface: names at top level, option objects, and former names and keywords."""

from __future__ import annotations

import subprocess
import sys
import warnings
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError, OptionError

ROOT = Path(__file__).parents[1]
MOVED = {
    "computed_torque": symoro.controllers.computed_torque,
    "follow": symoro.solutions.follow,
    "load_trajectory": symoro.trajectory.load,
    "nearest": symoro.solutions.nearest,
    "sampled": symoro.trajectory.sampled,
    "valid": symoro.solutions.valid,
    "windings": symoro.solutions.windings,
    "within_limits": symoro.solutions.within_limits,
}
TYPED = """
import symoro
from symoro.trajectory import Move, Trajectory

path: symoro.Trajectory = Trajectory((Move((1.0, 0.5), duration=1.0),))
log = symoro.Log.from_arrays(t=[0.0, 0.1], q=[[0.0], [0.1]], tau=[[1.0], [1.0]])
options = symoro.SimulationOptions(method="Radau", rtol=1e-6)
motion: symoro.Simulation = symoro.simulate("planar2r", 1.0, q=[0, 0], options=options)
report: symoro.TorqueReport = symoro.torques("planar2r", path)
result: symoro.Identification = symoro.identify("planar2r", log, options=symoro.IdentificationOptions(model="power"))
rows = symoro.trajectory.sampled("planar2r", symoro.trajectory.Trajectory(path.parts)).q
base: symoro.BaseParameters = symoro.base_parameters("rx90")
"""


def test_public_names_exist_and_have_documentation() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in symoro.__all__:
            assert name.startswith("__") or getattr(symoro, name).__doc__
        for namespace in (symoro.controllers, symoro.derive, symoro.solutions, symoro.trajectory):
            assert set(namespace.__all__) <= set(dir(namespace))
            for name in namespace.__all__:
                assert getattr(namespace, name) is not None
    assert set(symoro.__all__) <= set(dir(symoro))


def test_errors_are_in_one_namespace() -> None:
    kinds = [getattr(symoro.errors, name) for name in dir(symoro.errors) if name.endswith("Error")]
    assert len(kinds) > 8 and all(issubclass(kind, symoro.SymoroError) for kind in kinds)


@pytest.mark.parametrize("name", MOVED)
def test_former_names_warn_and_name_the_new_place(name: str) -> None:
    with pytest.warns(
        DeprecationWarning, match=rf"symoro\.{name} is deprecated: use symoro\.\w+\.\w+"
    ) as caught:
        assert getattr(symoro, name) is MOVED[name]
    assert caught[0].filename == __file__
    assert name not in symoro.__all__


def test_a_module_starts_the_command_line() -> None:
    command = [sys.executable, "-m", "symoro", "--version"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0 and symoro.__version__ in run.stdout


def test_moved_keywords_are_accepted_with_a_warning() -> None:
    pattern = (
        r"simulate\(rtol=\.\.\., method=\.\.\.\) is deprecated: use options=symoro\.SimulationOptions\(rtol="
    )
    with pytest.warns(DeprecationWarning, match=pattern) as caught:
        former = symoro.simulate("planar2r", 0.1, q=[0.1, 0.2], rtol=1e-5, method="RK45")  # type: ignore[call-arg]
    assert caught[0].filename == __file__
    options = symoro.SimulationOptions(rtol=1e-5, method="RK45")
    assert (symoro.simulate("planar2r", 0.1, q=[0.1, 0.2], options=options).q == former.q).all()


def test_moved_keywords_are_combined_with_options() -> None:
    options = symoro.SimulationOptions(method="RK45")
    expected = symoro.SimulationOptions(method="RK45", rtol=1e-5)
    with pytest.warns(DeprecationWarning):
        motion = symoro.simulate("planar2r", 0.1, q=[0.1, 0.2], options=options, rtol=1e-5)  # type: ignore[call-arg]
    assert (symoro.simulate("planar2r", 0.1, q=[0.1, 0.2], options=expected).q == motion.q).all()


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (symoro.identify, symoro.IdentificationOptions),
        (symoro.simulate, symoro.SimulationOptions),
        (symoro.calibrate, symoro.CalibrationOptions),
        (symoro.excite, symoro.ExcitationOptions),
    ],
)
def test_options_are_documented_frozen_and_apart_from_keywords(call: Any, kind: Any) -> None:
    import inspect

    keywords = [p for p in inspect.signature(call).parameters.values() if p.kind is p.KEYWORD_ONLY]
    assert len(keywords) <= 8
    text = " ".join(line.split(":")[0] for line in (kind.__doc__ or "").splitlines())
    for field in fields(kind):
        assert field.name not in {p.name for p in keywords}
        assert field.name in text.replace(",", " ").split()
    with pytest.raises(AttributeError):
        setattr(kind(), fields(kind)[0].name, None)
    with pytest.raises(OptionError, match=rf"options: expected {kind.__name__}, got dict"):
        call("planar2r", 1.0, options={}) if kind is not symoro.ExcitationOptions else call(
            "planar2r", options={}
        )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: symoro.IdentificationOptions(model="kinetic"), "model: expected one of dynamic"),
        (lambda: symoro.IdentificationOptions(prior="none"), "prior: expected one of euclidean, entropic"),
        (lambda: symoro.IdentificationOptions(start="zero"), "start: expected one of wls, nominal"),
        (lambda: symoro.IdentificationOptions(without="FO1"), "without: expected a list"),
        (lambda: symoro.IdentificationOptions(time_limit=0), "time_limit: expected a positive number"),
        (lambda: symoro.ExcitationOptions(margin=2), r"margin: expected a share in \(0, 1\], got 2"),
        (lambda: symoro.ExcitationOptions(starts=0), "starts: expected at least one"),
        (lambda: symoro.ExcitationOptions(samples=0), "samples: expected at least one"),
        (lambda: symoro.ExcitationOptions(seed=-1), "seed: expected"),
        (lambda: symoro.CalibrationOptions(plane=[0, 0, 0, 1]), "plane"),
        (lambda: symoro.CalibrationOptions(point=[0, 0]), "point"),
        (lambda: symoro.SimulationOptions(method="euler"), "no method called 'euler'"),
        (lambda: symoro.SimulationOptions(atol=-1), "atol = -1: expected a positive number"),
        (lambda: symoro.SimulationOptions(static=0.5), "static = 0.5: expected at least 1"),
        (lambda: symoro.SimulationOptions(friction="dry"), "expected 'events' or 'sign'"),
    ],
)
def test_options_are_checked_when_they_are_made(make: Any, message: str) -> None:
    with pytest.raises((OptionError, ArgumentError), match=message):
        make()


def test_a_log_of_arrays_takes_times_or_a_rate() -> None:
    t, q = np.arange(5) / 500 + 3, np.zeros((5, 2))
    log = symoro.Log.from_arrays(t=t, q=q, tau=q, qd=q)
    assert log.rate == pytest.approx(500) and (log.samples, log.joints) == (5, 2)
    assert set(log.part(0, 5)) == {"position", "torque", "velocity"}
    assert symoro.Log.from_arrays(rate=500, q=q, tau=q).rate == 500
    with pytest.raises(ArgumentError, match="either the times t"):
        symoro.Log.from_arrays(q=q, tau=q)
    with pytest.raises(ArgumentError, match=r"t has shape \(4,\), expected one time per sample: \(5,\)"):
        symoro.Log.from_arrays(t=t[:4], q=q, tau=q)
    log = symoro.Log.from_arrays(t=[0, 0.0123, 0.0246, 0.0369, 0.0615], q=q, tau=q)
    assert log.rate == pytest.approx(1 / 0.0123) and log.samples == 6
    assert log.resampling is not None and log.resampling.lost == 1
    with pytest.raises(ArgumentError, match="no usable time base: the time is the same in all samples"):
        symoro.Log.from_arrays(t=[1, 1, 1, 1, 1], q=q, tau=q)


def test_mypy_accepts_a_script_with_the_public_names(tmp_path: Path) -> None:
    file = tmp_path / "script.py"
    file.write_text(TYPED)
    # In the same folder and with the same options as `make types`, so that its cache of the package is used.
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", str(file)]
    environment = {"MYPYPATH": "src", "PATH": ""}
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert run.stdout + run.stderr == ""
