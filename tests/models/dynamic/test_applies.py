"""Applicability: models that do not apply state the reason; those that do accept every robot of their kind."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import symoro
from symoro.errors import NotApplicableError, OptionError, UnknownNameError
from symoro.expr.formula import ZERO
from symoro.models.catalogue import catalogue
from symoro.robot import library
from symoro.robot.description import BaseKind, Frame, JointType, Link, Robot
from tests.models.dynamic.cases import error, oracle, outputs, state

MODELS = [
    name for name, entry in catalogue().items() if entry.build.__module__.startswith("symoro.models.dynamic")
]
TREE_MODELS = [name for name in MODELS if name != "static-torques"]


def test_the_dynamic_models_are_all_here() -> None:
    assert set(MODELS) == {
        "inverse-dynamics",
        "bias-torques",
        "gravity-torques",
        "inertia-matrix",
        "direct-dynamics",
        "lagrange",
        "energy",
        "static-torques",
        "inverse-dynamics-derivatives",
        "direct-dynamics-derivatives",
        "centroidal-momentum",
        "contact-dynamics",
    }


def of_wheels(model: str) -> bool:
    """Return whether a model has a form for wheeled robots."""
    return any(form.of == "a wheeled robot" for form in catalogue()[model].forms)


@pytest.mark.parametrize("model", TREE_MODELS)
@pytest.mark.parametrize(
    ("robot", "reason"),
    [
        ("diffdrive", "its base is wheeled"),
    ],
)
def test_they_say_why(model: str, robot: str, reason: str) -> None:
    if robot == "diffdrive" and of_wheels(model):
        assert catalogue()[model].why_not(symoro.load(robot)) is None
        return
    with pytest.raises(NotApplicableError, match=f"{model} does not apply to robot .*{reason}"):
        symoro.generate(symoro.load(robot), model)


def test_a_floating_base_has_all_models_of_trees() -> None:
    floating = symoro.load("rx90_floating")
    assert not [model for model in TREE_MODELS if catalogue()[model].why_not(floating)]


def test_the_recursive_coriolis_terms_need_independent_joints() -> None:
    with pytest.raises(NotApplicableError, match="recursive"):
        symoro.generate("rx90_floating", "lagrange", coriolis="recursive")


@pytest.mark.parametrize("model", MODELS)
def test_nothing_moves(model: str) -> None:
    robot = Robot("stone", (Frame(0, JointType.FIXED),), (Link(),))
    with pytest.raises(NotApplicableError, match="no moving joint"):
        symoro.generate(robot, model)


def held(name: str) -> Robot:
    """Return a bundled robot with its loops cut, on a fixed base, with rigid joints and links."""
    robot = symoro.load(name).tree()
    frames = tuple(replace(frame, eta=False, k=ZERO, rest=ZERO) for frame in robot.frames)
    links = tuple(replace(link, flexible=None) for link in robot.links)
    base = replace(robot.base, kind=BaseKind.FIXED, link=Link())
    return robot.replace(frames=frames, links=links, base=base, wheels=())


def numbered(robot: Robot) -> Robot:
    """Return a number for every symbol without a nominal value."""
    rng = np.random.default_rng(len(robot.name))
    open_ = [name for name in robot.symbols() if name not in dict(robot.nominal)]
    return robot.replace(nominal=(*robot.nominal, *((name, float(rng.uniform(0.2, 1))) for name in open_)))


LONG = ("lagrange", "inverse-dynamics-derivatives", "direct-dynamics-derivatives")


@pytest.mark.parametrize("name", sorted(set(library.names()) - {"snake"}))  # a hundred links: floating/
def test_bundled_robots(name: str) -> None:
    """Models that are fast to generate agree with the oracle."""
    robot = numbered(held(name))
    at = state(robot)
    truth = oracle(robot, at)
    q, qd, qdd, tau = (at[key] for key in ("q", "qd", "qdd", "tau"))
    expected = {
        "inverse-dynamics": ("tau", truth.torques(q, qd, qdd), 1e-10),
        "bias-torques": ("H", truth.bias(q, qd), 1e-10),
        "inertia-matrix": ("A", truth.inertia(q), 1e-10),
    }
    models = [m for m in MODELS if m != "contact-dynamics" and (m not in LONG or robot.NL <= 4)]
    if np.linalg.matrix_rank(truth.inertia(q)) == len(q):
        expected["direct-dynamics"] = ("qdd", truth.accelerations(q, qd, tau), 1e-7)
    else:  # the cut tree of a platform: links between joints have no mass
        models = [m for m in models if not m.startswith("direct-dynamics")]
    for model in models:
        result = outputs(robot, model, at)
        assert all(np.isfinite(value).all() for value in result.values()), model
        if model in expected:
            key, wanted, close = expected[model]
            assert error(result[key], wanted) < close, model


@pytest.mark.slow
@pytest.mark.parametrize("model", LONG)
@pytest.mark.parametrize("name", library.names())
def test_long_models_of_bundled_robots(name: str, model: str) -> None:
    robot = numbered(held(name))
    at = state(robot)
    A = oracle(robot, at).inertia(at["q"])
    result = outputs(robot, model, at)
    if model == "direct-dynamics-derivatives":
        assert error(result["dqdd_dtau"] @ A, np.eye(len(A))) < 1e-7
    else:
        assert error(result["A" if model == "lagrange" else "dtau_dqdd"], A) < 1e-10


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        ("direct-dynamics", {"method": "magic"}, "auto, recursive, inertia"),
        ("lagrange", {"coriolis": "magic"}, "christoffel, recursive"),
        ("inverse-dynamics", {"effort": "much"}, "quick, search"),
    ],
)
def test_wrong_options(model: str, options: dict[str, str], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        symoro.generate(symoro.load("planar2r"), model, **options)


def test_unknown_option_and_frame() -> None:
    robot = symoro.load("planar2r")
    with pytest.raises(UnknownNameError, match="methode"):
        symoro.generate(robot, "direct-dynamics", methode="recursive")
    with pytest.raises(UnknownNameError, match="7"):
        symoro.generate(robot, "static-torques", to=7)


@pytest.mark.parametrize("model", MODELS)
def test_entries_are_complete(model: str) -> None:
    """Every entry has the data that documentation, command line and page need."""
    entry = catalogue()[model]
    assert entry.menu == "Dynamic"
    assert entry.title
    assert entry.equations
    assert str(entry.reference)
    assert entry.applies_to
    soft = {"damping": 1e-6} if model == "contact-dynamics" else {}  # a plane determines no force across it
    made = symoro.generate(symoro.load("planar2r"), model, **soft)
    assert list(made.inputs) == [port.name for port in entry.inputs if port.name in made.inputs]
    assert set(made.outputs) <= {port.name for port in entry.outputs}


def test_an_option_that_does_not_apply_is_named() -> None:
    """The model applies, and the error names the option that does not."""
    with pytest.raises(OptionError, match=r"option actuators .* a wheeled robot"):
        symoro.generate("diffdrive", "inverse-dynamics", actuators="elastic")
    with pytest.raises(OptionError, match="option free: 3 is not a joint with an independent coordinate"):
        symoro.generate("diffdrive", "inverse-dynamics", free=[3])


@pytest.mark.parametrize("empty", [[], (), None])
def test_no_joint_named_free_is_no_option(empty: object) -> None:
    for robot in ("planar2r", "rx90_floating"):
        named = symoro.generate(robot, "inverse-dynamics", free=empty)
        assert named.inputs == symoro.generate(robot, "inverse-dynamics").inputs


@pytest.mark.parametrize("free", [0, np.array([1, 2]), np.array([1.5]), 1.5, {1}])
def test_what_names_no_joint_is_refused(free: object) -> None:
    for robot in ("planar2r", "rx90_floating"):
        with pytest.raises(OptionError, match="option free"):
            symoro.generate(robot, "inverse-dynamics", free=free)


def test_elastic_joints_have_all_models_of_trees() -> None:
    for name in ("rx90_elastic", "rx90_floating_elastic"):
        robot = symoro.load(name)
        assert not [model for model in TREE_MODELS if catalogue()[model].why_not(robot)]
