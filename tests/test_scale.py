"""The same robot in micrometres, millimetres, metres or kilometres gives the same answers.

Each robot is built again s times larger (`oracle.scaling`). Outputs change by the power of s that their units contain;
numbers of solutions, ranks and statuses do not change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import symoro
from symoro.emit.sample import sample_of
from symoro.errors import NotApplicableError, SymoroError
from symoro.expr.formula import formula
from symoro.identification import calibrate, simulated
from symoro.identification.excitation import excite
from symoro.identification.log import log_of_arrays
from symoro.model import Model
from symoro.models.calibration.identifiable import geometric_parameters
from symoro.models.identification.base.compare import numeric_rank
from symoro.robot.description import INERTIAL, Base, BaseKind, Frame, Link, Robot
from symoro.robot.formats import loads
from symoro.robot.size import characteristic_length
from symoro.runtime.demo import demo_sample
from symoro.trajectory.trajectory import Fourier, Trajectory
from tests.oracle.scaling import Powers, complete, difference, scaled

Array = NDArray[np.float64]
Options = Mapping[str, Mapping[str, Any]]
SCALES = (Fraction(1, 10**6), Fraction(1, 1000), Fraction(1000))
TOLERANCE = 1e-9

PLATFORM: dict[str, Any] = {"space": "platform"}
CONTACT: dict[str, Any] = {"contacts": [6, 2]}
DYNAMIC = (
    "inverse-dynamics",
    "direct-dynamics",
    "inertia-matrix",
    "bias-torques",
    "gravity-torques",
    "energy",
    "inverse-dynamics-derivatives",
    "direct-dynamics-derivatives",
)
GEOMETRIC = ("fast-geometry", "jacobian", "velocities", "accelerations", "jdot-qdot", "static-torques")
IDENTIFICATION = (
    "base-parameters",
    "dynamic-identification",
    "energy-identification",
    "power-identification",
    "filtered-identification",
)
EVERY = (
    *GEOMETRIC,
    *DYNAMIC,
    *IDENTIFICATION,
    "transform",
    "jacobian-determinant",
    "jacobian-inverse",
    "inverse-kinematics",
    "lagrange",
    "loop-kinematics",
    "loop-geometry",
    "inverse-geometry",
    "wheel-kinematics",
    "centroidal-momentum",
    "contact-dynamics",
)
ROBOTS = (
    "planar2r",
    "cartpole",
    "scara",
    "gantry",
    "stanford",
    "puma560",
    "ur5e",
    "panda",
    "humanoid_torso",
    "fourbar",
    "slidercrank",
    "fivebar",
    "sr400",
    "akr3000",
    "3rrr",
    "delta",
    "orthoglide",
    "gough_stewart",
    "rx90_floating",
    "rx90_elastic",
    "rx90_floating_elastic",
    "mobile_manipulator",
    "car",
    "two_steering",
    "omni3",
    "flexible2r",
    "flexible_satellite",
)


def generated(robot: Robot, model: str, options: Mapping[str, Any]) -> Model | str:
    """The model, or the type of the error that says why there is none."""
    try:
        return symoro.generate(robot, model, **options)
    except SymoroError as error:
        return type(error).__name__


def has_inverse(robot: Robot) -> bool:
    """Whether J^+ is unique: with fewer joints than rows that are not zero it minimises a sum of m/s and rad/s."""
    model = generated(robot, "jacobian", {})
    if isinstance(model, str):
        return True
    J = model.function(compiled=False)(**inputs(model))["J"]
    J = np.where(np.abs(J) > 1e-12 * np.abs(J).max(), J, 0.0)
    columns = int(J.any(axis=0).sum())
    return columns >= 6 or int(J.any(axis=1).sum()) == columns


def inputs(model: Model) -> dict[str, Array]:
    """Inputs of a model for which it has a result."""
    values, program = dict(model.robot.nominal), model.program
    given = demo_sample(model.robot, program, model.options, values)
    if given is None:
        names = [port.name for port in program.inputs]
        given = dict(zip(names, map(list, sample_of(program, values).inputs), strict=True))
    return {port.name: np.reshape(given[port.name], port.shape) for port in program.inputs}


def check_model(
    base: Robot,
    name: str,
    options: Mapping[str, Any],
    scales: Sequence[Fraction] = SCALES,
    form: Callable[[Robot], Robot] = lambda robot: robot,
    applies: bool = False,
) -> None:
    """Compare a model of the robot with those of the robot s times larger.

    A model that does not apply is rejected alike at all sizes, unless `applies` requires that there is one.
    """
    first = generated(form(base), name, options)
    platform = options == PLATFORM and name in ("inertia-matrix", "bias-torques")
    assert isinstance(first, Model) or not (options or applies), f"{base.name}, {name}: {first}"
    if isinstance(first, Model):
        given = inputs(first)
        expected = first.function(compiled=False)(**given)
    for s in scales:
        robot = form(scaled(base, s))
        made = generated(robot, name, options)
        if isinstance(first, str) or isinstance(made, str):
            assert made == first, f"{base.name}, {name}, s = {float(s):g}"
            continue
        assert made.columns == first.columns
        powers, factor = Powers(robot, made.columns, platform=platform), float(s)
        larger = {port: x * factor ** powers.of(name, port, x.shape) for port, x in given.items()}
        outputs = made.function(compiled=False)(**larger)
        for port, wanted in expected.items():
            power = powers.of(name, port, wanted.shape)
            if power is None or port == "residual":
                continue
            here = outputs[port] / factor**power
            assert here.shape == wanted.shape, f"{base.name}, {name}, {port}, s = {factor:g}"
            if port not in ("status", "free") and "status" in expected:
                valid = expected["status"] == 0
                here, wanted, power = here[valid], wanted[valid], power[valid]
            off = difference(here, wanted, power)
            assert off <= TOLERANCE, f"{base.name}, {name}, {port}, s = {factor:g}: {off:.1e}"


FAST: list[tuple[str, tuple[str, ...], Options]] = [
    ("scara", (*GEOMETRIC, *DYNAMIC, *IDENTIFICATION, "jacobian-inverse", "inverse-kinematics"), {}),
    ("gantry", ("fast-geometry", "jacobian-inverse", *DYNAMIC, "dynamic-identification"), {}),
    ("stanford", ("jacobian", "jacobian-determinant", "inverse-dynamics", "direct-dynamics"), {}),
    ("panda", ("jacobian-inverse", "inverse-kinematics"), {}),
    ("fourbar", ("loop-kinematics", "direct-dynamics", "base-parameters", "dynamic-identification"), {}),
    ("fivebar", ("jacobian", "inverse-dynamics"), {}),
    ("3rrr", ("jacobian-inverse",), {}),
    ("3rrr", ("inverse-dynamics", "direct-dynamics", "inertia-matrix"), dict.fromkeys(DYNAMIC, PLATFORM)),
    (
        "orthoglide",
        ("inverse-dynamics", "direct-dynamics", "inertia-matrix"),
        dict.fromkeys(DYNAMIC, PLATFORM),
    ),
    ("rx90_floating", ("contact-dynamics", "centroidal-momentum"), {"contact-dynamics": CONTACT}),
    ("rx90_elastic", ("inverse-dynamics", "direct-dynamics", "energy"), {}),
    ("mobile_manipulator", ("wheel-kinematics", "jacobian", *DYNAMIC[:4]), {}),
    ("omni3", ("wheel-kinematics", "jacobian", "velocities"), {}),
    ("flexible2r", ("inverse-dynamics", "direct-dynamics", "energy"), {}),
]


@pytest.mark.parametrize(("name", "models", "options"), FAST, ids=[f"{one[0]}-{one[1][0]}" for one in FAST])
def test_models_scale(name: str, models: tuple[str, ...], options: Options) -> None:
    base = complete(symoro.load(name))
    for model in models:
        check_model(base, model, options.get(model, {}), applies=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", ROBOTS)
def test_every_model_scales(name: str) -> None:
    base = complete(symoro.load(name))
    left_out = set() if has_inverse(base) else {"jacobian-inverse", "inverse-kinematics"}
    for model in EVERY:
        if model not in left_out:
            floats = base.base.kind == BaseKind.FLOATING and base.name.startswith("RX90")
            check_model(base, model, CONTACT if model == "contact-dynamics" and floats else {})
    if base.platform is not None:
        for model in (*DYNAMIC[:4], "jacobian-inverse"):
            check_model(base, model, PLATFORM)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["scara", "stanford", "puma560", "fourbar", "3rrr", "rx90_floating"])
def test_symbolic_models_scale(name: str) -> None:
    """The same where lengths and parameters are symbols with nominal values."""
    for model in ("fast-geometry", "jacobian", *DYNAMIC, *IDENTIFICATION):
        check_model(
            complete(symoro.load(name)),
            model,
            {},
            form=lambda r: r.symbolic(geometry=True, inertia=True, friction=True, gravity=True),
        )


def test_a_scaled_robot_has_a_scaled_length() -> None:
    for name in ROBOTS:
        base = complete(symoro.load(name))
        for s in SCALES:
            assert characteristic_length(scaled(base, s)) == pytest.approx(
                float(s) * characteristic_length(base), rel=1e-12
            )


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("scara", "auto"),
        ("scara", "numeric"),
        ("slidercrank", "numeric"),
        *(
            pytest.param(name, "numeric", marks=pytest.mark.slow)
            for name in ("stanford", "fourbar", "rx90_floating")
        ),
    ],
)
def test_base_parameters_scale(name: str, method: str) -> None:
    base = complete(symoro.load(name))
    first, powers = symoro.base_parameters(base, method=method), Powers(base)
    for s in SCALES:
        parameters = symoro.base_parameters(scaled(base, s), method=method)
        assert parameters.names == first.names
        assert set(parameters.no_effect) == set(first.no_effect)
        for kept, others in first.relations.items():
            for other, c in others.items():
                power = powers.of_parameter(kept) - powers.of_parameter(other)
                there = float(parameters.relations[kept][other]) / float(s) ** power
                assert there == pytest.approx(float(c), rel=1e-9)
        if not base.B:
            assert numeric_rank(scaled(base, s))[0] == len(first.names)


@pytest.mark.parametrize("name", ["scara", "stanford", pytest.param("fivebar", marks=pytest.mark.slow)])
def test_singularities_scale(name: str) -> None:
    base = complete(symoro.load(name))
    first = symoro.singularities(base)
    kinds = ("parallel", "serial", "constraint") if base.B else ("",)
    for s in SCALES:
        singularities = symoro.singularities(scaled(base, s))
        for kind in kinds:
            one, other = (getattr(x, kind) if kind else x for x in (first, singularities))
            assert (one.always, one.complete, len(one.conditions)) == (
                other.always,
                other.complete,
                len(other.conditions),
            )


@pytest.mark.parametrize("name", ["car", "two_steering", "omni3", "mobile_manipulator"])
def test_mobility_is_the_same(name: str) -> None:
    base = symoro.load(name)
    assert {tuple(symoro.mobility(scaled(complete(base), s))) for s in SCALES} == {
        tuple(symoro.mobility(base))
    }


MOTIONS: list[Any] = [
    ("cartpole", {"q": [0, 0.4], "tau": [0.3, 0]}, {}),
    (
        "scara",
        {"q": [0.1, 0.2, 0.15, 0.3], "qd": [1, -1, 1.5, 0.5], "tau": [1, 0.5, 0.3, 0.1]},
        {"stops": 0.3},
    ),
    ("fourbar", {"q": [0.8], "qd": [0.5]}, {}),
    ("flexible2r", {"q": [0.3, 0.4]}, {}),
    ("mobile_manipulator", {"q": [0.1] * 7, "qd": [1, 0.5, 0.1, 0.2, 0.1]}, {}),
    ("rx90_elastic", {"q": [0.1, 0.2, 0.3, 0.1, 0.2, 0.1]}, {}),
    pytest.param("rx90_floating", {"q": [0.1, 0.2, 0.3, 0.1, 0.2, 0.1]}, {}, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("name", "state", "options"), MOTIONS)
def test_simulations_scale(name: str, state: dict[str, Any], options: dict[str, Any]) -> None:
    base = complete(symoro.load(name))
    first = symoro.simulate(base, 0.2, **state, **options)
    for s in SCALES:
        robot, factor = scaled(base, s), float(s)
        powers = Powers(robot)
        given = {key: np.array(x) * factor ** powers.of("", key, np.shape(x)) for key, x in state.items()}
        simulation = symoro.simulate(robot, 0.2, **given, **options)
        assert [(e.joint, e.what) for e in simulation.events] == [(e.joint, e.what) for e in first.events]
        assert [e.time for e in simulation.events] == pytest.approx([e.time for e in first.events], abs=1e-8)
        assert (simulation.finished, simulation.why) == (first.finished, first.why)
        for part in ("q", "qd", "tau"):
            wanted = np.asarray(getattr(first, part))
            power = powers.of("", part, wanted.shape[1:])
            assert (
                difference(np.asarray(getattr(simulation, part)) / factor**power, wanted, power) <= TOLERANCE
            )


def fourier(factors: Array) -> Trajectory:
    """A motion of all joints, times a factor per joint."""
    sine, cosine = np.random.default_rng(4).uniform(-0.3, 0.3, (2, len(factors), 3)) * factors[:, None]
    return Trajectory((Fourier(0.5, sine.tolist(), cosine.tolist(), (0.1 * factors).tolist()),))


@pytest.mark.parametrize(
    "name", ["scara", *(pytest.param(name, marks=pytest.mark.slow) for name in ("stanford", "rx90_elastic"))]
)
def test_torques_scale(name: str) -> None:
    base = complete(symoro.load(name))
    driven = [k for k, frame in enumerate(base.frames) if not frame.eta]
    first = symoro.torques(base, fourier(np.ones(len(driven))))
    for s in SCALES:
        robot, factor = scaled(base, s), float(s)
        kinds = np.array(Powers(robot).n)[driven]
        torques = symoro.torques(robot, fourier(factor**kinds))
        wanted = np.asarray(first.tau)
        power = 2.0 - np.array(Powers(robot).n)[driven if wanted.shape[1] == len(driven) else slice(None)]
        assert difference(np.asarray(torques.tau) / factor**power, wanted, power) <= TOLERANCE
        assert torques.warnings == first.warnings


def motion(n: int) -> tuple[Array, Array, Array]:
    """A motion of n joints that shows their parameters: positions, velocities, accelerations."""
    chance = np.random.default_rng(3)
    t, w = np.arange(1200) / 200.0, 2 * np.pi * 0.3 * np.arange(1, 5)[:, None]
    a, phase = chance.uniform(0.1, 0.35, (n, 4, 1)), chance.uniform(0, 6, (n, 4, 1))
    q = (a * np.sin(w * t + phase)).sum(1).T
    qd = (a * w * np.cos(w * t + phase)).sum(1).T
    return q, qd, -(a * w**2 * np.sin(w * t + phase)).sum(1).T


@pytest.mark.parametrize(
    ("name", "without", "model"),
    [
        ("planar2r", [], "power"),
        ("scara", ["FO3"], "dynamic"),
        ("gantry", ["FO3"], "energy"),
        pytest.param("stanford", ["FO3"], "dynamic", marks=pytest.mark.slow),
        *(
            pytest.param(name, out, model, marks=pytest.mark.slow)
            for name, out in (("planar2r", []), ("scara", ["FO3"]), ("gantry", ["FO3"]))
            for model in ("dynamic", "filtered", "energy", "power")
        ),
    ],
)
def test_identification_scales(name: str, without: list[str], model: str) -> None:
    base = complete(symoro.load(name))
    results = []
    for s in (Fraction(1), *SCALES):
        robot, factor = scaled(base, s), float(s)
        powers = Powers(robot)
        kinds = np.array(powers.n)
        q, qd, qdd = (x * factor**kinds for x in motion(len(kinds)))
        tau = symoro.generate(robot, "inverse-dynamics").function(compiled=False)(q=q, qd=qd, qdd=qdd)["tau"]
        noise = 0.01 * np.random.default_rng(0).standard_normal(tau.shape) * factor ** (2.0 - kinds)
        log = log_of_arrays(200.0, q, tau + noise)
        identification = symoro.identify(
            robot,
            log,
            cutoff=20.0,
            decimation=10,
            options=symoro.IdentificationOptions(without=without, model=model),
        )
        estimate = identification.estimate
        units = factor ** np.array([powers.of_parameter(name) for name in estimate.names])
        results.append((identification, np.array(estimate.values) / units, estimate.deviations / units))
    first, values, deviations = results[0]
    for identification, here, spread in results[1:]:
        assert identification.estimate.names == first.estimate.names
        assert np.abs((here - values) / deviations).max() < 1e-6
        assert spread == pytest.approx(deviations, rel=1e-6)
        assert identification.warnings == first.warnings


@pytest.mark.parametrize("name", ["planar2r", pytest.param("scara", marks=pytest.mark.slow)])
def test_consistent_parameters_scale(name: str) -> None:
    """The margin and the prior of the pseudo-inertias do not depend on the size; here noise makes the margin active."""
    pytest.importorskip("clarabel")
    base = complete(symoro.load(name))
    results = []
    for s in (Fraction(1), *SCALES):
        robot, factor = scaled(base, s), float(s)
        powers = Powers(robot)
        kinds = np.array(powers.n)
        q, qd, qdd = (x * factor**kinds for x in motion(len(kinds)))
        tau = symoro.generate(robot, "inverse-dynamics").function(compiled=False)(q=q, qd=qd, qdd=qdd)["tau"]
        noise = 0.3 * np.random.default_rng(0).standard_normal(tau.shape) * factor ** (2.0 - kinds)
        without = ["FO3"] if name == "scara" else []
        log = log_of_arrays(200.0, q, tau + noise)
        consistent = symoro.identify(
            robot,
            log,
            cutoff=20.0,
            decimation=10,
            options=symoro.IdentificationOptions(without=without, find_consistent=True),
        ).consistent
        assert consistent is not None
        units = factor ** np.array([powers.of_parameter(name) for name in consistent.standard])
        results.append((consistent, np.array(list(consistent.standard.values())) / units))
    first, values = results[0]
    for consistent, here in results[1:]:
        assert here == pytest.approx(values, abs=1e-6)
        assert consistent.ratio == pytest.approx(first.ratio, rel=1e-9)
        assert consistent.eigenvalues == pytest.approx(first.eigenvalues, abs=1e-6)


def test_excitation_scales() -> None:
    base = complete(symoro.load("scara"))
    for j, velocity in ((1, 3.0), (2, 4.0), (3, 0.8), (4, 6.0)):
        base = base.with_frame(j, limits=replace(base.frame(j).limits, velocity=velocity))
    options: dict[str, Any] = {"harmonics": 3, "starts": 1, "without": ["FO3"], "torque": False}
    first = excite(base, **options)
    for s in SCALES:
        excitation = excite(scaled(base, s), **options)
        assert excitation.columns == first.columns
        assert excitation.condition == pytest.approx(first.condition, rel=1e-3)  # where an optimiser ends


@pytest.mark.parametrize("name", ["scara", pytest.param("stanford", marks=pytest.mark.slow)])
def test_calibration_scales(name: str) -> None:
    base = complete(symoro.load(name))
    chance = np.random.default_rng(1)
    columns = geometric_parameters(base).names
    lengths = np.array([n[0] == "T" or n.rstrip("0123456789") in ("b", "d", "r") for n in columns])
    errors = 3e-3 * chance.standard_normal(len(columns))
    q = chance.uniform(-1, 1, (30, len(Powers(base).n)))
    first: Array | None = None
    for s in (Fraction(1), *SCALES):
        robot, factor = scaled(base, s), float(s)
        assert geometric_parameters(robot).names == columns
        given = dict(zip(columns, errors * factor**lengths, strict=True))
        measured = simulated(
            robot, q * factor ** np.array(Powers(robot).n), given, length=1e-4 * factor, angle=1e-4
        )
        calibration = calibrate(robot, measured)
        assert calibration.names == columns
        here = np.array(calibration.errors) / factor**lengths
        first = here if first is None else first
        assert here == pytest.approx(first, abs=1e-9)
        assert not calibration.warnings


@pytest.mark.parametrize("measure", ["position", pytest.param("plane", marks=pytest.mark.slow)])
def test_identifiable_sets_are_the_same(measure: str) -> None:
    base = complete(symoro.load("puma560"))
    sets = {geometric_parameters(scaled(base, s), measure=measure).names for s in (Fraction(1), *SCALES)}
    assert len(sets) == 1


# -- robots that are almost special


def almost(offset: str, s: Fraction) -> Robot:
    """An arm of three turns whose first two axes meet but for an offset."""
    frames = [
        Frame(0, b=formula("0.4")),
        Frame(1, alpha=formula("pi/2"), d=formula(offset)),
        Frame(2, d=formula("0.5")),
    ]
    links = [Link(**{name: formula(0.1 + 0.01 * k) for k, name in enumerate(INERTIAL)}) for _ in frames]
    base = Base(G=(formula(0), formula(0), formula("-9.81")))
    return scaled(Robot("almost", tuple(frames), tuple(links), base=base), s)


@pytest.mark.parametrize("s", (Fraction(1), *SCALES))
def test_an_offset_of_a_millionth_of_the_size_counts(s: Fraction) -> None:
    """It makes parameters independent that are dependent without it; one of round-off does not."""
    plain, small, tiny = (
        symoro.base_parameters(almost(offset, s), method="numeric") for offset in ("0", "1e-6", "1e-13")
    )
    general = symoro.base_parameters(almost("0.1", s), method="numeric")
    assert small.names == general.names
    assert tiny.names == plain.names


@pytest.mark.parametrize("s", (Fraction(1), *SCALES))
def test_a_jacobian_of_axes_that_almost_meet_is_regular(s: Fraction) -> None:
    """Two shoulders of three axes that meet can turn between each other; an offset of a millionth ends that."""

    def arm(offset: str) -> Robot:
        ways = [{"d": "0"}, {"alpha": "pi/2"}, {"alpha": "-pi/2", "r": "0.4"}, {"alpha": "pi/2"}]
        ways += [{"alpha": "-pi/2"}, {"alpha": "pi/2", "d": offset}]
        frames = [Frame(k, **{n: formula(x) for n, x in way.items()}) for k, way in enumerate(ways)]
        return scaled(Robot("arm", tuple(frames), (Link(),) * 6), s)

    assert symoro.singularities(arm("0")).always
    assert not symoro.singularities(arm("1e-6")).always


@pytest.mark.parametrize("s", (Fraction(1), *SCALES))
def test_wheels_on_almost_one_axle(s: Fraction) -> None:
    """Two wheels on one axle bind the base once, turned by a thousandth twice; by round-off they are rejected."""
    robot = scaled(complete(symoro.load("diffdrive")), s)
    for turn, degrees in ((0.0, (2, 0)), (1e-3, (1, 0))):
        assert tuple(symoro.mobility(robot.with_frame(1, gamma=turn))) == degrees
    with pytest.raises(NotApplicableError, match="almost linearly dependent"):
        symoro.mobility(robot.with_frame(1, gamma=1e-9))


def test_a_tiny_mass_is_a_mass() -> None:
    """A link of a billionth of the total mass changes no decision, and its force is accurate to all digits."""
    base = complete(symoro.load("scara")).with_link(
        4, M=2e-9, MX=1e-10, MY=0, MZ=0, XX=1e-11, YY=1e-11, ZZ=1e-11
    )
    base = base.with_link(4, XY=0, XZ=0, YZ=0).with_frame(4, IA=0)
    for model in ("inverse-dynamics", "direct-dynamics", "dynamic-identification"):
        check_model(base, model, {})


URDF = """<robot name="arm">
  <link name="base"/>
  {links}
  {joints}
</robot>"""


def urdf(s: float) -> str:
    """An arm with axes that are parallel, that meet, and that do neither; lengths times s."""
    origins = [(0, 0, 0.3), (0.1, 0.05, 0), (0, 0.4, 0.02), (0.02, 0, 0.35), (0, 1e-7, 0.1)]
    turns = [(0, 0, 0), (1.5708, 0, 0), (0, 0, 0.3), (-1.5707963, 0, 0), (0, 1.2, 0)]
    kinds = ["revolute", "revolute", "prismatic", "revolute", "revolute"]
    links = "".join(
        f'<link name="l{k}"><inertial><origin xyz="{0.1 * s:.15g} 0 0"/><mass value="2"/><inertia '
        f'ixx="{0.01 * s * s:.15g}" ixy="0" ixz="0" iyy="{0.02 * s * s:.15g}" iyz="0" izz="{0.02 * s * s:.15g}"/>'
        "</inertial></link>"
        for k in range(5)
    )
    joints = "".join(
        f'<joint name="j{k}" type="{kind}"><parent link="{f"l{k - 1}" if k else "base"}"/><child link="l{k}"/>'
        f'<origin xyz="{" ".join(f"{x * s:.15g}" for x in xyz)}" rpy="{" ".join(map(str, rpy))}"/>'
        f'<axis xyz="0 0 1"/><limit lower="{-s if kind == "prismatic" else -1}" upper="1" effort="1" velocity="1"/>'
        "</joint>"
        for k, (xyz, rpy, kind) in enumerate(zip(origins, turns, kinds, strict=True))
    )
    return URDF.format(links=links, joints=joints)


@pytest.mark.parametrize("s", [1e-6, 1e-3, 1e3])
def test_a_urdf_is_read_alike_in_all_sizes(s: float) -> None:
    first, resized = loads(urdf(1.0), "urdf"), loads(urdf(s), "urdf")
    for one, other in zip(first.frames, resized.frames, strict=True):
        for name in ("gamma", "alpha", "theta"):
            assert getattr(one, name).number == pytest.approx(getattr(other, name).number, abs=1e-9)
        for name in ("b", "d", "r"):
            here = (getattr(other, name).number or 0.0) / s
            assert here == pytest.approx(getattr(one, name).number, abs=1e-10)
            assert (here == 0) == (getattr(one, name).number == 0)
    assert len(resized.notes) == len(first.notes)


@pytest.mark.parametrize("length", ["1e-17", "1e-12"])
def test_a_length_of_round_off_is_not_the_size_of_a_robot(length: str) -> None:
    """Axes that intersect, as a CAD program exports them: the masses determine the size."""
    links = "link: {XX: 0.1, YY: 0.2, ZZ: 0.2, MX: 0.5, M: 2}"
    text = f"symoro: 1\nname: gimbal\nframes:\n  - {{{links}}}\n  - {{d: %s, alpha: pi/2, {links}}}\n"
    size = characteristic_length(loads(text % "0", "yaml"))
    assert size == pytest.approx(0.1**0.5) and characteristic_length(loads(text % length, "yaml")) == size
