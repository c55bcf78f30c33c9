"""Test URDFs written from robots: the same frames and inertias after reading, or an error."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from symoro.errors import FormatError, NotApplicableError, SymoroError
from symoro.expr.formula import formula
from symoro.robot.coordinates import independent
from symoro.robot.description import Base, Coupling, Frame, JointType, Limits, Link, Placement, Robot, Tool
from symoro.robot.formats.urdf import read_urdf, write_urdf
from tests.oracle.placement import placement
from tests.robot.urdf.oracle import Frames, link_inertia

library = pytest.importorskip("symoro.robot.library")


def assert_same(robot: Robot, again: Robot, *, inertia: bool = True) -> None:
    rng = np.random.default_rng(1)
    one, two = Frames(robot), Frames(again)
    for a, b in zip(robot.frames, again.frames, strict=True):
        assert (a.ant, a.sigma, a.limits) == (b.ant, b.sigma, b.limits)
    values = rng.uniform(-1, 1, robot.NL)
    # Joints without a name get one in the file.
    q = {robot.frame(j).name: values[j - 1] for j in independent(robot)}
    renamed = {again.frame(j).name: values[j - 1] for j in independent(again)}
    for a, b in zip(one.placements(q), two.placements(renamed), strict=True):
        assert np.abs(a - b).max() <= 1e-12
    if inertia:
        for j in range(1, robot.NL + 1):
            assert one.inertia(j).distance(two.inertia(j)) <= 1e-12


def named(robot: Robot) -> Robot:
    frames = tuple(
        Frame(**{**vars(frame), "name": frame.name or f"joint{j}"}) for j, frame in enumerate(robot.frames, 1)
    )
    return robot.replace(frames=frames)


def trees() -> list[str]:
    return [
        name
        for name in library.names()
        if not library.load(name).B and library.load(name).base.kind != "wheeled"
    ]


@pytest.mark.parametrize("name", trees())
def test_bundled_robots(name: str) -> None:
    """Check that every bundled tree is reproduced with numbers for all symbols, and its geometry without."""
    robot = named(library.load(name).tree())
    known = dict(robot.nominal)
    missing = [s for s in robot.symbols() if s not in known]
    values = {s: round(0.1 + 0.01 * k, 4) for k, s in enumerate(missing)}
    whole = robot.bind(values)
    assert_same(whole, read_urdf(write_urdf(whole, lossy=True)))
    try:
        geometry = read_urdf(write_urdf(robot, lossy=True))
    except FormatError as error:
        assert "symbols without a value" in str(error)  # lengths, which cannot be left out
    else:
        assert_same(robot, geometry, inertia=False)


LINK = Link(
    M=formula(2), MX=formula(0.5), XX=formula(1), YY=formula(1), ZZ=formula(1), XY=formula(0.1), name="b"
)


def arm(**fields: object) -> Robot:
    frame = Frame(0, theta=formula("pi/2"), alpha=formula("pi/3"), d=formula(0.5), name="j", **fields)  # type: ignore[arg-type]
    return Robot("arm", (frame,), (LINK,), Base(G=(formula(0), formula(0), formula(-9.81))))


def test_drives_and_limits() -> None:
    drive = {"FV": formula(0.5), "FS": formula(0.25), "IA": formula(0.1), "FO": formula(-0.2)}
    robot = arm(limits=Limits(-1, None, None, 5), **drive)
    frame = read_urdf(write_urdf(robot)).frame(1)
    assert {name: getattr(frame, name) for name in drive} == drive
    assert frame.limits == Limits(-1, None, None, 5)


def test_read_back_equal_in_every_field() -> None:
    robot = arm()
    again = read_urdf(write_urdf(robot))
    assert again.frames == robot.frames
    assert again.links[0].XX == robot.links[0].XX
    assert again.base == robot.base.__class__(link=Link(name="base"), G=robot.base.G)


def test_gravity_base_pose_and_tool_are_read_back() -> None:
    robot = arm()
    moved = Base(
        G=(formula(0), formula(1), formula(2)),
        Z=tuple(map(formula, [1, 0, 0, 3, 0, 1, 0, 4, 0, 0, 1, 5, 0, 0, 0, 1])),
    )
    tool = Tool(Placement(1, alpha=formula("pi/4"), r=formula(0.2)), "claw")
    robot = robot.replace(base=moved, tool=tool, payload=Link(M=formula(1), MZ=formula(0.1)))
    again = read_urdf(write_urdf(robot))
    assert (again.base.G, again.base.Z) == (moved.G, moved.Z)
    assert again.tool == tool
    held = link_inertia(robot.payload, lambda f: f.number or 0.0).seen_from(
        placement(0, 0, np.pi / 4, 0, 0, 0.2)
    )
    assert (Frames(robot).inertia(1) + held).distance(Frames(again).inertia(1)) < 1e-12


def test_couplings_become_mimic_joints() -> None:
    follower = Frame(
        1, sigma=JointType.PRISMATIC, mu=False, coupling=Coupling(((1, formula("-1/2")),), formula(0.25))
    )
    robot = arm()
    robot = robot.replace(frames=(*robot.frames, follower), links=(LINK, Link()))
    coupling = read_urdf(write_urdf(robot)).frame(2).coupling
    assert coupling == Coupling(((1, formula(-0.5)),), formula(0.25))


def test_a_floating_base() -> None:
    """Check that the base velocity, an input of the models, is not reported as omitted."""
    robot = library.load("rx90_floating")
    robot = robot.bind({s: 0.3 for s in robot.symbols() if s not in dict(robot.nominal)})
    again = read_urdf(write_urdf(robot))
    assert again.base.kind == "floating"
    assert Frames(robot).inertia(0).distance(Frames(again).inertia(0)) < 1e-12


def test_names_that_are_invalid_in_xml_or_repeated() -> None:
    robot = arm().replace(name='a<b>&"c"\0')
    robot = robot.replace(links=(Link(name="base"),))
    tree = ET.fromstring(write_urdf(robot))
    assert tree.get("name") == 'a<b>&"c"_'
    assert [link.get("name") for link in tree.findall("link")] == ["base", "base_2"]


def test_symbols_without_a_value_are_listed() -> None:
    robot = arm().with_frame(1, d="D1", r="RL1").with_link(1, XX="XX1")
    with pytest.raises(FormatError, match="without a value: XX1, D1, RL1") as caught:
        write_urdf(robot)
    assert "bind" in str(caught.value)
    assert "XX1" not in write_urdf(robot.bind({"D1": 1, "RL1": 2}), lossy=True)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"eta": True, "k": formula(3)}, "elastic joints"),
        ({"QP": formula(0)}, "prescribed joint motion"),
    ],
)
def test_data_that_urdf_cannot_represent(changes: dict[str, object], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        write_urdf(arm(**changes))
    assert f"not kept: {message}" in write_urdf(arm(**changes), lossy=True)


def test_first_moments_without_mass() -> None:
    with pytest.raises(FormatError, match="first moments but no mass"):
        write_urdf(arm().with_link(1, M=0))
    assert 'mass value="0.0"' in write_urdf(arm().with_link(1, M=0, MX=0))


def test_loops_wheels_and_several_drivers_are_rejected() -> None:
    with pytest.raises(NotApplicableError, match="closed loops"):
        write_urdf(library.load("sr400"))
    with pytest.raises(NotApplicableError, match="wheels"):
        write_urdf(library.load("diffdrive"))
    follower = Frame(1, coupling=Coupling(((1, formula(1)), (3, formula(1)))))
    robot = arm()
    robot = robot.replace(frames=(*robot.frames, follower, Frame(2)), links=(LINK, Link(), Link()))
    with pytest.raises(NotApplicableError, match="joint 2 has 2 driving joints"):
        write_urdf(robot)


def test_values_that_are_no_numbers() -> None:
    with pytest.raises(SymoroError, match="no finite value"):
        write_urdf(arm().with_frame(1, d="1/a").replace(nominal=(("a", 0.0),)))
