"""Flexible links against Lagrange's equations in numbers, published frequencies, and the stored arms."""

from __future__ import annotations

import json
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import symoro
from symoro.errors import FormatError, NotApplicableError, OptionError, RobotError
from symoro.expr.formula import formula
from symoro.models.catalogue import catalogue
from symoro.robot.coordinates import independent
from symoro.robot.description import Base, BaseKind, Frame, JointType, Link, Robot
from symoro.robot.flexibility import Flexibility, flexible_links, mode_names
from symoro.robot.formats import dumps, loads
from tests.models.dynamic.cases import Array, Inputs, error, masses, outputs, seeded_tree, state
from tests.oracle.dynamics import difference
from tests.oracle.flexible import FlexibleRobot
from tests.oracle.floating import rotation
from tests.oracle.golden import DATA

EXACT = 1e-9
NUMERIC = 3e-7  # the oracle differentiates shapes by differences


# -- robots


def inertial(rng: np.random.Generator) -> Link:
    return Link(**{name: formula(value) for name, value in masses(rng).items()})  # type: ignore[arg-type]


def limp(robot: Robot, seed: int, *, shapes: str | None = None) -> Robot:
    """Return the tree with some flexible links, at least one, on a fixed base without wrenches."""
    rng = np.random.default_rng(seed)
    chosen = {j for j in range(1, robot.NL + 1) if rng.random() < 0.4} | {int(rng.integers(1, robot.NL + 1))}
    links = []
    for j, link in enumerate(robot.links, 1):
        bare: dict[str, Any] = dict.fromkeys(("FX", "FY", "FZ", "CX", "CY", "CZ"), formula(0))
        if j in chosen:
            y, z, twist = (int(n) for n in rng.integers(0, 3, 3))
            values = {
                name: formula(float(x))
                for name, x in zip(("EIz", "EIy", "GJ"), rng.uniform(20, 90, 3), strict=True)
            }
            bare["flexible"] = Flexibility(
                formula(float(rng.uniform(0.3, 0.9))),
                formula(float(rng.uniform(0.3, 1.5))),
                Ip=formula(float(rng.uniform(0.01, 0.05))),
                y=y,
                z=z,
                twist=twist if y + z + twist else 1,
                shapes=shapes or str(rng.choice(["clamped", "polynomial"])),
                tip=inertial(rng) if rng.random() < 0.7 else None,
                **values,
            )
        links.append(replace(link, **bare))
    still: dict[str, Any] = dict.fromkeys(("V0", "W0", "VP0", "WP0"), (formula(0),) * 3)
    identity = tuple(formula(float(x)) for x in np.eye(4).flat)
    base = replace(robot.base, **still, Z=identity)
    return replace(robot, links=tuple(links), base=base)


def bent(robot: Robot, seed: int) -> Inputs:
    rng = np.random.default_rng(seed)
    ne = len(mode_names(robot))
    return state(robot, seed) | {"e": rng.uniform(-0.1, 0.1, ne), "ed": rng.uniform(-0.5, 0.5, ne)}


def check(robot: Robot, seed: int, tolerance: float = NUMERIC) -> None:
    """A, H, energies, direct and inverse dynamics."""
    at, truth = bent(robot, seed), FlexibleRobot(robot)
    x, xd, n = np.r_[at["q"], at["e"]], np.r_[at["qd"], at["ed"]], truth.n
    A, H = truth.matrix(x + 0j).real, truth.bias(x, xd)
    assert error(outputs(robot, "inertia-matrix", at)["A"], A) < tolerance
    assert error(outputs(robot, "bias-torques", at)["H"], H) < tolerance
    result = outputs(robot, "energy", at)
    assert (
        error([result["E"], result["U"]], [truth.kinetic(x + 0j, xd).real, truth.potential(x + 0j).real])
        < tolerance
    )
    elastic = np.array([robot.frame(j).eta for j in independent(robot)])
    tau = np.r_[np.where(elastic, 0.0, at["tau"]), np.zeros(len(x) - n)]
    A, H = outputs(robot, "inertia-matrix", at)["A"], outputs(robot, "bias-torques", at)["H"]
    acc = np.linalg.solve(A, tau - H)
    result = outputs(robot, "direct-dynamics", at | {"tau": np.where(elastic, np.nan, at["tau"])})
    scale = 1 + np.linalg.cond(A) * 1e-6
    assert error(np.r_[result["qdd"], result["edd"]], acc) < 1e-9 * scale
    given = acc[:n]
    result = outputs(robot, "inverse-dynamics", at | {"qdd": np.where(elastic, np.nan, given)})
    assert error(result["edd"], acc[n:]) < 1e-8 * scale
    assert error(result["tau"][~elastic], at["tau"][~elastic]) < 1e-8 * scale
    if elastic.any():
        assert error(result["qdd_out"], given) < 1e-8 * scale


@pytest.mark.parametrize("seed", range(500, 510))
def test_random_trees(seed: int) -> None:
    """Bending in two planes and torsion, branches, payloads, any order of frames."""
    check(limp(seeded_tree(seed, 1 + seed % 4, coupled=False), seed), seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5000, 5040))
def test_many_random_trees(seed: int) -> None:
    check(limp(seeded_tree(seed, 1 + seed % 5, coupled=False), seed), seed)


def test_springs_and_flexible_links() -> None:
    robot = limp(seeded_tree(521, 4, coupled=False), 521)
    for j in independent(robot)[::2]:
        robot = robot.with_frame(j, eta=True, k=40.0, rest=0.3)
    check(robot, 521)


def test_links_without_modes_of_a_kind() -> None:
    """Each kind of mode alone, on a chain of two links."""
    for kind in ("y", "z", "twist"):
        robot = limp(seeded_tree(531, 2, coupled=False), 531)
        for j, f in flexible_links(robot).items():
            robot = robot.with_link(
                j, flexible=replace(f, **(dict.fromkeys(("y", "z", "twist"), 0) | {kind: 2}))
            )
        check(robot, 531)


def test_a_base_that_moves_as_prescribed() -> None:
    """A prescribed base rotation acts as a driven joint."""
    still = limp(seeded_tree(541, 3, coupled=False), 541)
    spin, faster = 0.7, -1.3
    base = replace(
        still.base, W0=(formula(0), formula(0), formula(spin)), WP0=(formula(0),) * 2 + (formula(faster),)
    )
    moved = replace(still, base=base)
    frames = [replace(frame, ant=frame.ant + 1) for frame in still.frames]
    tool = (
        replace(still.tool, place=replace(still.tool.place, ant=still.tool.place.ant + 1))
        if still.tool
        else None
    )
    driven = replace(still, frames=(Frame(0), *frames), links=(Link(), *still.links), tool=tool)
    at = bent(still, 541)
    more = at | {name: np.r_[x, at[name]] for name, x in (("q", 0.0), ("qd", spin), ("qdd", faster))}
    result, expected = outputs(moved, "inverse-dynamics", at), outputs(driven, "inverse-dynamics", more)
    assert error(result["tau"], expected["tau"][1:]) < EXACT
    assert error(result["edd"], expected["edd"]) < EXACT


def on_six_joints(robot: Robot) -> Robot:
    """Return a floating robot on three prismatic and three revolute joints along and about z, x, y."""
    turn = {"gamma": formula("pi/2"), "alpha": formula("pi/2")}
    kinds = [JointType.PRISMATIC] * 3 + [JointType.REVOLUTE] * 3 + [JointType.FIXED]
    legs = [Frame(j, sigma, **(turn if j else {})) for j, sigma in enumerate(kinds)]
    frames = [replace(frame, ant=frame.ant + 7) for frame in robot.frames]
    tool = (
        replace(robot.tool, place=replace(robot.tool.place, ant=robot.tool.place.ant + 7))
        if robot.tool
        else None
    )
    links = (*(Link(),) * 6, robot.base.link, *robot.links)
    base = replace(robot.base, kind=BaseKind.FIXED, link=Link())
    return replace(robot, frames=(*legs, *frames), links=links, base=base, tool=tool)


@pytest.mark.parametrize("seed", [551, 552, 553])
def test_flexible_and_floating(seed: int) -> None:
    rng = np.random.default_rng(seed)
    robot = limp(seeded_tree(seed, 3, coupled=False), seed)
    robot = replace(robot, base=replace(robot.base, link=inertial(rng))).floating()
    at = bent(robot, seed) | {"R0": np.eye(3)}
    order = [2, 0, 1, 5, 3, 4]
    more = at | {"q": np.r_[np.zeros(6), at["q"]], "qd": np.r_[at["V0"][order], at["qd"]]}
    held = on_six_joints(robot)
    result = outputs(robot, "direct-dynamics", at)
    expected = outputs(held, "direct-dynamics", more | {"tau": np.r_[np.zeros(6), at["tau"]]})
    assert error(result["qdd"], expected["qdd"][6:]) < 1e-8
    assert error(result["edd"], expected["edd"]) < 1e-8
    inverse = outputs(robot, "inverse-dynamics", at | {"qdd": result["qdd"]})
    assert error(inverse["tau"], at["tau"]) < 1e-8
    assert error(inverse["Vd0"], result["Vd0"]) < 1e-8
    nan = np.full(6, np.nan)
    given = more | {"qdd": np.r_[nan, at["qdd"]], "tau_free": np.zeros(6 + len(at["q"]))}
    expected = outputs(held, "inverse-dynamics", given, free=tuple(range(1, 7)))
    inverse = outputs(robot, "inverse-dynamics", at)
    assert error(inverse["tau"], expected["tau"][6:]) < 1e-8
    assert error(inverse["edd"], expected["edd"]) < 1e-8


class Weight(FlexibleRobot):
    """The potential energy of weight alone."""

    def potential(self, x: Array) -> complex:
        still = FlexibleRobot(self.robot)
        still.gravity = 0 * self.gravity
        return super().potential(x) - still.potential(x)


@pytest.mark.parametrize("seed", range(600, 620))
def test_gravity(seed: int) -> None:
    """The gradient of the energy of weight, by complex steps; on a floating base by differences along V0, q and e."""
    rng = np.random.default_rng(seed)
    robot = limp(seeded_tree(seed, 2 + seed % 3, coupled=False), seed)
    at, truth = bent(robot, seed), Weight(robot)
    x, step = np.r_[at["q"], at["e"]], 1e-20
    slopes = [truth.potential(x + 1j * step * unit).imag / step for unit in np.eye(len(x))]
    assert error(outputs(robot, "gravity-torques", at)["Q"], np.array(slopes)) < EXACT
    robot = replace(robot, base=replace(robot.base, link=inertial(rng))).floating()
    at |= {"R0": rotation(rng), "P0": rng.uniform(-1, 1, 3)}
    weightless = replace(robot, base=replace(robot.base, G=(formula(0),) * 3))
    energies = [symoro.generate(one, "energy").function(compiled=False) for one in (robot, weightless)]
    n = len(at["q"])

    def potential(y: Array) -> Array:
        moved = {"P0": at["P0"] + at["R0"] @ y[:3], "R0": at["R0"] @ expm(np.cross(np.eye(3), y[3:6]))}
        moved |= {"q": at["q"] + y[6 : 6 + n], "e": at["e"] + y[6 + n :]}
        whole, rest = (
            f(**moved, **{name: 0 * at[name] for name in ("qd", "ed", "V0")})["U"] for f in energies
        )
        return whole - rest

    slope = difference(potential, np.zeros(6 + len(x)), 0.01)
    assert error(outputs(robot, "gravity-torques", at)["Q"], slope) < EXACT


@pytest.mark.parametrize("seed", [551, 552, 553])
def test_matrix_bias_and_energy_afloat(seed: int) -> None:
    """Those of the same robot on six joints without mass, where these stand at zero, the base turned in the world."""
    rng = np.random.default_rng(seed)
    robot = limp(seeded_tree(seed, 3, coupled=False), seed)
    robot = replace(robot, base=replace(robot.base, link=inertial(rng))).floating()
    at = bent(robot, seed)
    at |= {"R0": rotation(rng), "P0": rng.uniform(-1, 1, 3)}
    order = [2, 0, 1, 5, 3, 4]  # slides and hinges along z, x, y
    weight = np.array([g.value(dict(robot.nominal)) for g in robot.base.G])
    held = on_six_joints(robot)
    turned = tuple(formula(float(x)) for x in at["R0"].T @ weight)
    held = replace(held, base=replace(held.base, G=turned))
    more = at | {"q": np.r_[np.zeros(6), at["q"]], "qd": np.r_[at["V0"][order], at["qd"]]}
    A = outputs(robot, "inertia-matrix", at)["A"]
    places = [*order, *range(6, len(A))]
    assert error(A[np.ix_(places, places)], outputs(held, "inertia-matrix", more)["A"]) < NUMERIC
    result, expected = outputs(robot, "energy", at), outputs(held, "energy", more)
    raised = -A[0, 0] * weight @ at["P0"]
    assert error(result["E"], expected["E"]) < NUMERIC
    assert error(result["U"], expected["U"] + raised) < NUMERIC
    rates = np.r_[at["V0"], at["qd"], at["ed"]]
    assert error(result["E"], rates @ A @ rates / 2) < NUMERIC
    H = outputs(robot, "bias-torques", at)["H"]
    caused = outputs(robot, "direct-dynamics", at)
    x = np.r_[caused["Vd0"], caused["qdd"], caused["edd"]]
    tau = np.r_[np.zeros(6), at["tau"], np.zeros(len(at["e"]))]
    assert error(A @ x + H, tau) < 1e-8


# -- stored numbers


def stored(name: str) -> dict[str, Any]:
    result: dict[str, Any] = json.loads((DATA / "flexible" / f"{name}.json").read_text())
    return result


def arm2() -> Robot:
    data = stored("arm2")
    links = [
        f"  - {{link: {{ZZ: {x['Jh']}}}, flexible: {{length: {x['L']}, mass_per_length: {x['mu']}, EI: {x['EI']}, "
        f"modes: {{y: {x['modes']}}}, tip: {{M: {x['mt']}, ZZ: {x['Jt']}}}}}}}"
        for x in data["links"]
    ]
    head = ["symoro: 1", "name: arm2", f"base: {{gravity: [0, {-data['g']}, 0]}}", "frames:"]
    return loads("\n".join([*head, *links, ""]), "yaml")


def spatial() -> Robot:
    x = stored("spatial")["parameters"]
    return loads(
        f"""
symoro: 1
name: spatial
base: {{gravity: [0, 0, {-x["g"]}]}}
frames:
  - {{link: {{ZZ: {x["ZZ1"]}}}}}
  - {{alpha: pi/2, d: {x["d"]}, flexible: {{length: {x["L"]}, mass_per_length: {x["mu"]}, EIy: {x["EIy"]},
     EIz: {x["EIz"]}, modes: {{y: 2, z: 2}}, tip: {{M: {x["mt"]}}}}}}}
""",
        "yaml",
    )


@pytest.mark.parametrize(("name", "order"), [("arm2", [0, 3, 1, 2, 4, 5]), ("spatial", [0, 1, 2, 3, 4, 5])])
def test_stored_arms(name: str, order: list[int]) -> None:
    data, robot = stored(name), {"arm2": arm2, "spatial": spatial}[name]()
    x, xd = (np.array(data["state"][key])[order] for key in ("q", "qd"))
    at = {"q": x[:2], "e": x[2:], "qd": xd[:2], "ed": xd[2:]}
    A = np.array(data["M"])[np.ix_(order, order)]
    assert error(outputs(robot, "inertia-matrix", at)["A"], A) < EXACT
    assert error(outputs(robot, "bias-torques", at)["H"], np.array(data["H"])[order]) < EXACT
    result = outputs(robot, "direct-dynamics", at | {"tau": np.array(data["direct"]["tau"])})
    assert error(np.r_[result["qdd"], result["edd"]], np.array(data["direct"]["acc"])[order]) < EXACT
    if "inverse" in data:
        result = outputs(robot, "inverse-dynamics", at | {"qdd": np.array(data["inverse"]["qdd"])})
        assert error(result["tau"], data["inverse"]["tau"]) < EXACT
        assert error(result["edd"], np.array(data["inverse"]["acc"])[order][2:]) < EXACT


def test_the_arm_released() -> None:
    """Over half a second, beside the stored solution of the same equations; and energy is kept."""
    data, robot = stored("arm2")["release"], arm2()
    order = [0, 3, 1, 2, 4, 5]
    move = symoro.generate(robot, "direct-dynamics").function()
    energies = symoro.generate(robot, "energy").function()

    def rates(_: float, y: Array) -> Array:
        result = move(q=y[:2], e=y[2:6], qd=y[6:8], ed=y[8:], tau=np.zeros(2))
        return np.r_[y[6:], result["qdd"], result["edd"]]

    start = np.r_[np.array(data["q"][0])[order], np.zeros(6)]
    times = np.array(data["t"][:6])
    path = solve_ivp(rates, (0, times[-1]), start, "DOP853", times, rtol=1e-10, atol=1e-12).y.T
    expected = np.array(data["q"][:6])[:, order]
    assert np.abs(path[:, :6] - expected).max() < 1e-6
    result = energies(q=path[:, :2], e=path[:, 2:6], qd=path[:, 6:8], ed=path[:, 8:])
    total = result["E"] + result["U"]
    assert np.ptp(result["E"]) > 1
    assert np.ptp(total) < 1e-7


def clamped(shapes: str, case: dict[str, Any], data: dict[str, Any]) -> Robot:
    """A beam on a fixed frame, or pinned with a hub; another joint beside it, since a robot has one."""
    in_torsion = "GJ" in case
    stiffness = {"GJ": case["GJ"], "Ip": case["Ip"]} if in_torsion else {"EIz": data["EI"]}
    tip = {"XX": case.get("Jp", 0)} if in_torsion else {"M": case.get("mp", 0), "ZZ": case.get("Jp", 0)}
    values: dict[str, Any] = {name: formula(x) for name, x in stiffness.items()}
    body: dict[str, Any] = {name: formula(x) for name, x in tip.items()}
    flexible = Flexibility(
        formula(data["L"]),
        formula(data["mu"]),
        shapes=shapes,
        tip=Link(**body),
        **values,
        **({"twist": 4} if in_torsion else {"y": 4}),
    )
    beam = Link(ZZ=formula(case.get("Jh", 0)), flexible=flexible)
    pinned = case.get("root") == "pinned"
    frames = (Frame(0), *(() if pinned else (Frame(0, JointType.FIXED),)))
    links = (beam,) if pinned else (Link(ZZ=formula(1)), beam)
    return Robot("beam", frames, links, Base(G=(formula(0),) * 3))


def frequencies(robot: Robot) -> Array:
    """Return the natural frequencies of the undeformed robot, without that of the free joint."""
    ne = len(mode_names(robot))
    zero = {"q": np.zeros(1), "qd": np.zeros(1), "tau": np.zeros(1), "ed": np.zeros(ne)}
    A = outputs(robot, "inertia-matrix", {"q": np.zeros(1), "e": np.zeros(ne)})["A"]
    columns = [outputs(robot, "bias-torques", zero | {"e": e})["H"] for e in np.eye(ne)]
    K = np.zeros((1 + ne, 1 + ne))
    K[:, 1:] = np.array(columns).T
    result: Array = np.sqrt(np.sort(np.abs(np.linalg.eigvals(np.linalg.solve(A, K))))[1:])
    return result


CASES = {case["case"]: case for case in stored("beams")["cases"]}


@pytest.mark.parametrize(
    ("case", "shapes", "first", "second"),
    [
        ("clamped-free", "clamped", 1e-12, 1e-12),
        ("clamped-free", "polynomial", 1e-4, 1e-2),
        ("clamped-tip", "polynomial", 1e-4, 1e-2),
        ("clamped-tip", "clamped", 1e-3, 5e-2),
        ("hub-free", "clamped", 1e-4, 1e-2),
        ("hub-free", "polynomial", 1e-4, 1e-2),
        ("hub-tip", "polynomial", 1e-4, 1e-2),
        ("pinned-free", "clamped", 1e-4, 1e-2),
        ("torsion, clamped-free", "clamped", 1e-12, 1e-12),
        ("torsion, clamped-free", "polynomial", 1e-4, 1e-2),
        ("torsion, clamped, tip inertia Jp", "polynomial", 1e-4, 1e-2),
    ],
)
def test_frequencies_of_beams(case: str, shapes: str, first: float, second: float) -> None:
    """With four modes; never below the true ones (Rayleigh)."""
    result = frequencies(clamped(shapes, CASES[case], stored("beams")))
    over = result[:2] / np.array(CASES[case]["omega"][:2]) - 1
    assert np.all(over > -1e-9)
    assert over[0] < first
    assert over[1] < second


def test_no_centrifugal_stiffening() -> None:
    """In the plane of rotation the square of a frequency falls by that of the spin, across it nothing happens."""
    data = stored("beams")
    robot = clamped("clamped", {**CASES["hub-free"], "Jh": 1.0}, data)
    flexible = robot.link(1).flexible
    assert flexible is not None
    robot = robot.with_link(1, flexible=replace(flexible, EIy=flexible.EIz, z=4))
    omega, spin, ne = CASES["clamped-free"]["omega"][0], 2.0, 8
    at = {"q": np.zeros(1), "qd": np.array([spin]), "qdd": np.zeros(1), "ed": np.zeros(ne)}
    edd = [
        outputs(robot, "inverse-dynamics", at | {"e": e})["edd"]
        for e in np.vstack([np.zeros(ne), np.eye(ne)])
    ]
    within, across = -(edd[1][0] - edd[0][0]), -(edd[5][4] - edd[0][4])
    assert within == pytest.approx(omega**2 - spin**2, rel=1e-9)
    assert across == pytest.approx(omega**2, rel=1e-9)


def test_a_stiff_link_is_rigid() -> None:
    """The error of the accelerations falls as 1 / EI where the modes are at rest under their load."""
    robot = arm2()
    rods = []
    for j, f in flexible_links(robot).items():
        length, density = (float(x.value({})) for x in (f.length, f.density))
        rod = robot.link(j).ZZ.value({}) + density * length**3 / 3
        tip = f.tip or Link()
        m, inertia = tip.M.value({}), tip.ZZ.value({})
        rods.append(
            Link(
                M=formula(density * length + m),
                MX=formula(density * length**2 / 2 + m * length),
                ZZ=formula(rod + m * length**2 + inertia),
            )
        )
    rigid = replace(robot, links=tuple(rods)).with_frame(2, d=1.0)
    at = state(rigid, 1)
    tau = outputs(rigid, "inverse-dynamics", at)["tau"]
    A, H = outputs(rigid, "inertia-matrix", at)["A"], outputs(rigid, "bias-torques", at)["H"]
    whole = at | {"e": np.zeros(4), "ed": np.zeros(4)}
    assert error(outputs(robot, "inertia-matrix", whole)["A"][:2, :2], A) < EXACT
    assert error(outputs(robot, "bias-torques", whole)["H"][:2], H) < EXACT
    errors = []
    for factor in (1e3, 1e5):
        stiff = robot
        for j, f in flexible_links(robot).items():
            stiff = stiff.with_link(j, flexible=replace(f, EIz=formula(f.EIz.value({}) * factor)))
        held = _at_rest(stiff, whole)
        result = outputs(stiff, "inverse-dynamics", held)
        errors.append(error(result["tau"], tau))
    assert errors[1] < 1e-4
    assert errors[0] > 30 * errors[1]


def _at_rest(robot: Robot, at: Inputs) -> Inputs:
    """Return the deflection at which the modes do not accelerate while the joints do."""
    e = np.zeros(4)
    for _ in range(8):
        here = outputs(robot, "inverse-dynamics", at | {"e": e})["edd"]
        steps = 1e-6 * np.eye(4)
        slope = np.array(
            [outputs(robot, "inverse-dynamics", at | {"e": e + s})["edd"] - here for s in steps]
        ).T
        e = e - np.linalg.solve(slope / 1e-6, here)
    return at | {"e": e}


# -- descriptions


def test_yaml_and_back() -> None:
    for name in ("flexible2r", "flexible_satellite"):
        robot = symoro.load(name)
        assert loads(dumps(robot, "yaml"), "yaml") == robot
    for seed in (561, 562):
        robot = limp(seeded_tree(seed, 3, coupled=False), seed)
        assert loads(dumps(robot, "yaml"), "yaml") == robot


def test_names_of_the_modes() -> None:
    robot = symoro.load("flexible_satellite")
    assert mode_names(robot) == ["ez2_1", "ez2_2", "et2_1", "ez4_1", "ez4_2", "et4_1"]
    assert "flexible links" in str(robot)
    assert "2 flexible links" in str(robot)


def test_symbols_are_parameters() -> None:
    robot = symoro.load("flexible2r")
    model = symoro.generate(robot, "direct-dynamics")
    assert {"L1", "L2"} <= set(model.parameters)
    assert "L1" not in symoro.generate(robot.bind({"L1": 0.6}), "direct-dynamics").parameters


FRAME = "symoro: 1\nname: x\nframes:\n  - {{flexible: {{{}}}}}\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("modes: {y: 1}, EI: 1", "'length' of the flexible link is missing"),
        ("length: 1, EI: 1", "'modes' of the flexible link is missing"),
        ("length: 1, EI: 1, modes: {y: 0}", "no mode"),
        ("length: 1, EI: 1, modes: {y: 1.5}", "whole number"),
        ("length: 1, EI: 1, modes: {y: 99}", "whole number"),
        ("length: 1, EI: 1, modes: {y: 7}", "polynomial shapes"),
        ("length: 1, modes: {y: 1}", "no stiffness EIz"),
        ("length: 1, EI: 1, modes: {twist: 1}", "no stiffness GJ"),
        ("length: 0, EI: 1, modes: {y: 1}", "needs a length"),
        ("length: -1, EI: 1, modes: {y: 1}", "length = -1 is negative"),
        ("length: 1, mass_per_length: -2, EI: 1, modes: {y: 1}", "density = -2 is negative"),
        ("length: 1, EI: 1, modes: {x: 1}", "unknown key 'x'"),
        ("length: 1, EI: 1, modes: {y: 1}, shapes: wavy", "not one of"),
        ("length: 1, EI: 1, modes: {y: 1}, tip: {MASS: 1}", "unknown key 'MASS'"),
    ],
)
def test_bad_files(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        loads(FRAME.format(text), "yaml")


def test_bad_robots() -> None:
    robot = symoro.load("flexible2r")
    flexible = robot.link(1).flexible
    with pytest.raises(RobotError, match="base cannot be flexible"):
        robot.with_link(0, flexible=flexible)
    fourbar = symoro.load("fourbar")
    with pytest.raises(RobotError, match="closed loops"):
        fourbar.with_link(1, flexible=flexible)


KNOWN = {
    "inverse-dynamics",
    "direct-dynamics",
    "bias-torques",
    "gravity-torques",
    "inertia-matrix",
    "energy",
}


@pytest.mark.parametrize("model", [name for name in catalogue() if name not in KNOWN])
def test_the_other_models_refuse(model: str) -> None:
    with pytest.raises(NotApplicableError, match="flexible links"):
        symoro.generate("flexible2r", model)


def test_the_other_functions_refuse() -> None:
    for function in (symoro.base_parameters, symoro.singularities, symoro.numeric_inverse):
        with pytest.raises(NotApplicableError, match="flexible links"):
            function("flexible2r")
    with pytest.raises(FormatError, match="flexible links"):
        dumps(symoro.load("flexible2r"), "urdf")
    for model in ("inverse-dynamics", "direct-dynamics"):
        with pytest.raises(OptionError, match=r"option actuators .* flexible links"):
            symoro.generate(
                symoro.load("flexible2r").with_frame(1, eta=True, k=1.0), model, actuators="elastic"
            )


@pytest.mark.parametrize("model", sorted(KNOWN))
def test_batches_in_c_and_without(model: str) -> None:
    """Entries of e are distinguished from loop counters of emitted code."""
    made = symoro.generate("flexible2r", model)
    rng = np.random.default_rng(7)
    at = {name: rng.uniform(-0.3, 0.3, (5, *shape)) for name, shape in made.inputs.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compiled = made.function()(**at)
    plain = made.function(compiled=False)(**at)
    for name, values in plain.items():
        assert error(compiled[name], values) < 1e-9


def test_modes_that_move_no_mass() -> None:
    robot = symoro.load("flexible2r")
    flexible = robot.link(2).flexible
    assert flexible is not None
    light = robot.with_link(2, flexible=replace(flexible, density=formula(0), tip=None))
    with pytest.raises(NotApplicableError, match="modes of link 2 move no mass"):
        symoro.generate(light, "direct-dynamics")
    twisted = replace(flexible, y=0, twist=1, GJ=formula(5))
    with pytest.raises(NotApplicableError, match="for torsion a polar inertia Ip"):
        symoro.generate(robot.with_link(2, flexible=twisted), "direct-dynamics")
