"""Test the native YAML file: the schema, the round trip, and errors with their positions."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings

from symoro.errors import FormatError
from symoro.expr.formula import Formula, formula
from symoro.files import MADE_BY
from symoro.robot.conventions import Convention, JointRow, ParameterTable, moved
from symoro.robot.description import (
    GEOMETRIC,
    BaseKind,
    Coupling,
    JointType,
    Limits,
    Link,
    Placement,
    Robot,
    Tool,
)
from symoro.robot.formats.par import read_par
from symoro.robot.formats.record_table import key_table
from symoro.robot.formats.table import from_table
from symoro.robot.formats.yaml_file import read_yaml, write_yaml
from tests.robot.formats.samples import YAML, YAML_BY_NAME, par_files
from tests.strategies import robots


def test_frames_by_name() -> None:
    robot = read_yaml(YAML_BY_NAME)
    assert [frame.ant for frame in robot.frames] == [0, 1, 1, 2]
    assert robot.frame(3).coupling is not None and robot.frame(3).coupling.terms[0][0] == 2
    assert robot.tool is not None and robot.tool.place.ant == 2
    assert formula("x") == robot.link("hand").XZ and formula("1 + L^2") == robot.link(4).XX
    assert read_yaml(write_yaml(robot)) == robot


@pytest.mark.parametrize("name", ["shoulder", "wais", "9"])
def test_a_frame_that_is_not_there(name: str) -> None:
    with pytest.raises(FormatError, match=r"frames\[4\].ant: expected a frame, 0 to 4") as caught:
        read_yaml(YAML_BY_NAME.replace("ant: hand", f"ant: {name}"))
    assert name != "wais" or "did you mean 'waist'" in caught.value.text()


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(robots())
def test_random_robots_round_trip(robot: Robot) -> None:
    text = write_yaml(robot)
    assert read_yaml(text) == robot
    assert write_yaml(read_yaml(text)) == text


@pytest.mark.parametrize("path", par_files())
def test_files_round_trip(path: Path) -> None:
    robot = read_par(path.read_text(encoding="utf-8"), str(path))
    assert read_yaml(write_yaml(robot)) == robot


def test_every_key_of_the_schema() -> None:
    robot = read_yaml(YAML)
    assert (robot.name, robot.title) == ("arm", "three joints, one coupled")
    assert (robot.NL, robot.B) == (4, 1)
    assert (robot.base.kind, robot.base.link.name) == (BaseKind.FLOATING, "hull")
    assert [str(robot.base.link.M), str(robot.base.link.XX), str(robot.base.link.FX)] == ["20", "XX0", "F"]
    assert robot.frame(1).limits == Limits(-2.5, 2.5, 3.0)
    second = robot.frame(2)
    assert (second.sigma, second.mu, second.eta) == (JointType.PRISMATIC, False, True)
    assert [str(v) for v in (second.r, second.k, second.rest)] == ["L2/2", "k2", "1/10"]
    assert [str(v) for v in (second.IA, second.FV, second.FO, second.QP)] == ["0", "FV2", "0.1", "0"]
    assert str(robot.frame(1).IA) == "IA1"
    assert robot.frame(3).coupling == Coupling(((1, formula(2)), (2, formula("-1/2"))), formula("a"))
    assert robot.frame(4).ant == 1
    assert (str(robot.link(4).XX), str(robot.link(4).YY), str(robot.link(4).CZ)) == ("0", "YY4", "c")
    assert [robot.frame(5).ant, robot.frame(6).ant] == [3, 4]
    assert (robot.frame(5).mu, robot.frame(6).sigma) == (False, JointType.FIXED)
    assert robot.tool is not None
    assert (robot.tool.name, robot.tool.place.ant, str(robot.tool.place.r)) == ("gripper", 3, "0.1")
    assert robot.nominal == (("D3", 0.45), ("L2", 0.5))
    assert read_yaml(write_yaml(robot)) == robot


def test_the_text_is_tidy() -> None:
    text = write_yaml(read_yaml("symoro: 1\nname: arm\nframes: [{alpha: pi/2, d: D}, {joint: fixed}]\n"))
    assert text == (
        f"# {MADE_BY}\nsymoro: 1\nname: arm\nframes:\n  - {{joint: revolute, alpha: pi/2, d: D}}\n"
        "  - {joint: fixed}\n"
    )


def test_symbolic_shorthands_are_used_when_they_shorten() -> None:
    text = "symoro: 1\nname: arm\ninertia: symbolic\nfriction: symbolic\nframes:\n  - {joint: revolute}\n"
    robot = read_yaml(text)
    assert [str(v) for v in (robot.link(1).ZZ, robot.frame(1).IA, robot.frame(1).FS)] == ["ZZ1", "IA1", "FS1"]
    assert write_yaml(robot) == f"# {MADE_BY}\n{text}"
    zeros = dict.fromkeys(("XX", "XY", "XZ", "YY", "YZ", "ZZ"), 0)
    assert "inertia: symbolic" not in write_yaml(robot.with_link(1, **zeros))


def test_fixed_joints_get_no_symbolic_drive() -> None:
    robot = read_yaml("symoro: 1\nname: a\ninertia: symbolic\nfriction: symbolic\nframes: [{joint: fixed}]\n")
    assert robot.frame(1).IA.is_zero
    assert robot.frame(1).FV.is_zero


def test_tip_and_payload_get_no_symbolic_inertia() -> None:
    text = "symoro: 1\nname: a\ninertia: symbolic\nframes:\n"
    text += "  - {joint: revolute, flexible: {length: L, EIz: 3, modes: {'y': 1}, tip: {M: 2}}}\n"
    text += "tool: {on: 1, name: hand}\npayload: {M: 1}\n"
    robot = read_yaml(text)
    flexible = robot.link(1).flexible
    assert flexible is not None and flexible.tip == Link(M=formula(2)) and str(robot.link(1).XX) == "XX1"
    assert robot.payload == Link(M=formula(1))
    assert write_yaml(robot).replace('"', "") == f"# {MADE_BY}\n{text}".replace("'", "")


def test_rounded_angles_are_made_exact() -> None:
    robot = read_yaml(
        "symoro: 1\nname: a\nframes: [{alpha: 1.5707963267948966, offset: -0.7853981633974483}]\n"
    )
    assert [str(robot.frame(1).alpha), str(robot.frame(1).theta)] == ["pi/2", "-pi/4"]


def test_quoted_texts_are_values_too() -> None:
    robot = read_yaml("symoro: 1\nname: 'null'\nframes: [{d: 'a + 1', name: \"x\\u00e9\"}]\n")
    assert (robot.name, str(robot.frame(1).d), robot.frame(1).name) == ("null", "a + 1", "xé")


HEAD = "symoro: 1\nname: arm\nframes:\n"
CLASSIC = "symoro: 1\nname: a\nconvention: denavit-hartenberg\nframes: [{a: 1, alpha: pi/2}, {a: A}]\n"

# text, (line, column, key), part of the message
CASES = [
    ("name: arm\n", (1, 1, "symoro"), "version of the schema is missing"),
    ("symoro: 2\n", (1, 9, "symoro"), "schema '2'"),
    ("symoro: 1\nframes: [{}]\n", (1, 1, "name"), "'name' of the robot is missing"),
    ("symoro: 1\nname: arm\n", (1, 1, "frames"), "'frames' of the robot is missing"),
    ("symoro: 1\nname: arm\nframes: {}\n", (3, 9, "frames"), "expected a list"),
    (HEAD + "  - {alfa: 1}\n", (4, 6, "frames[1].alfa"), "unknown key 'alfa'"),
    (HEAD + "  - {}\n  - {d: 1, d: 2}\n", (5, 12, "d"), "given twice"),
    (HEAD + "  - {}\n  - {d: 1 +}\n", (5, 12, "frames[2].d"), "ends too early"),
    (HEAD + "  - d: a $ b\n", (4, 10, "frames[1].d"), "unexpected character"),
    (HEAD + "  - d: 'a $ b'\n", (4, 11, "frames[1].d"), "unexpected character"),
    (HEAD + "  - d: [1]\n", (4, 8, "frames[1].d"), "expected one value"),
    (HEAD + "  - d:\n", (4, 7, "frames[1].d"), "a value is missing"),
    (HEAD + "  - d: true\n", (4, 8, "frames[1].d"), "expected a value"),
    (HEAD + "  - theta: 1\n", (4, 12, "frames[1].theta"), "the variable of this revolute joint"),
    (HEAD + "  - {joint: prismatic, r: 1}\n", (4, 27, "frames[1].r"), "variable of this prismatic"),
    (HEAD + "  - {joint: fixed, offset: 1}\n", (4, 28, "frames[1].offset"), "no variable"),
    (HEAD + "  - joint: screw\n", (4, 12, "frames[1].joint"), "not one of revolute"),
    (HEAD + "  - ant: 5\n", (4, 10, "frames[1].ant"), "a frame, 0 to 1"),
    (HEAD + "  - active: 1\n", (4, 13, "frames[1].active"), "true or false"),
    (HEAD + "  - limits: {lower: x}\n", (4, 21, "frames[1].limits.lower"), "expected a number"),
    (HEAD + "  - limits: {lower: 2, upper: 1}\n", (4, 5, None), "above the upper"),
    (HEAD + "  - link: 5\n", (4, 11, "frames[1].link"), "expected a mapping"),
    (HEAD + "  - link: {XX: 1, xx: 2}\n", (4, 19, "frames[1].link.xx"), "unknown key"),
    (
        HEAD + "  - coupled: {joints: {7: 1}}\n",
        (4, 24, "frames[1].coupled.joints.7"),
        "not a joint; expected a name or a number from 1 to 1",
    ),
    (HEAD + "  - coupled: {offset: 1}\n", (4, 14, "frames[1].coupled.joints"), "missing"),
    (HEAD + "  - {}\nloops:\n  - {open: {ant: 1}}\n", (6, 5, "loops[1].close"), "'ant', the antecedent"),
    (HEAD + "  - {}\nbase: {gravity: [0, 0]}\n", (5, 17, "base.gravity"), "expected 3 values"),
    (HEAD + "  - {}\nbase: {location: [1]}\n", (5, 18, "base.location"), "4 rows of 4"),
    (HEAD + "  - {}\nbase: {kind: flying}\n", (5, 14, "base.kind"), "not one of fixed"),
    (HEAD + "  - {}\ntool: {r: 1}\n", (5, 7, "tool"), "'on', the frame to which"),
    (HEAD + "  - {}\ntool: {on: 2}\n", (5, 12, "tool.on"), "0 to 1"),
    (HEAD + "  - {}\nnominal: {1a: 2}\n", (5, 11, "nominal.1a"), "is not a symbol"),
    (HEAD + "  - {}\nnominal: {D: x}\n", (5, 14, "nominal.D"), "expected a number"),
    (HEAD + "  - {ant: 1}\n  - {ant: 1}\n", (4, 5, None), "its own antecedent"),
    ("symoro: 1\nname: &x arm\n", (2, 7, None), "anchors"),
    ("symoro: 1\nname: *x\n", (2, 7, None), "aliases"),
    ("symoro: 1\nname: !!str arm\n", (2, 7, None), "tags"),
    ("symoro: 1\nname: arm\n---\nsymoro: 1\n", (4, 1, None), "second document"),
    ("symoro: 1\n? [a]\n: 1\n", (2, 3, None), "a key cannot be a list"),
    ("symoro: 1\nname: [arm\n", (3, 1, None), "not valid YAML"),
    ("- 1\n", (1, 1, None), "expected a mapping"),
    (CLASSIC.replace("[{", "[{ant: 0, "), (4, 11, "frames[1].ant"), "unknown key"),
    (CLASSIC.replace("[{", "[{d: 1, theta: 2, "), (4, 24, "frames[1].theta"), "variable of this revolute"),
    (CLASSIC + "tool: {on: 1, gamma: 1, alpha: 1}\n", (5, 1, "tool"), "three axes"),
    (CLASSIC + "loops: [{}]\n", (5, 8, "loops"), "serial robots only"),
]


@pytest.mark.parametrize("libyaml", [True, False])
def test_positions(libyaml: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not libyaml:
        monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    for text, where, message in CASES:
        with pytest.raises(FormatError) as caught:
            read_yaml(text, "arm.yaml")
        error = caught.value
        assert error.place is not None, message
        assert message in error.message.split("\nalso")[0]
        place = (error.place.file, error.place.line, error.place.column, error.place.key)
        assert place == ("arm.yaml", *where), message


def test_the_same_robot_without_libyaml(monkeypatch: pytest.MonkeyPatch) -> None:
    robot = read_yaml(YAML)
    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    assert read_yaml(YAML) == robot


def test_classic_frames_are_converted_with_their_inertia() -> None:
    own = Link(XX=formula(1), MY=Formula("s"), M=formula(2), FX=Formula("f"))
    text = CLASSIC.replace("{a: A}", "{a: A, offset: o, link: {XX: 1, MY: s, M: 2}, wrench: {FX: f}}")
    zero = formula(0)
    rows = (
        JointRow(JointType.REVOLUTE, (zero, zero, formula(1), formula("pi/2"))),
        JointRow(JointType.REVOLUTE, (Formula("o"), zero, Formula("A"), zero)),
    )
    table = ParameterTable(Convention.DENAVIT_HARTENBERG, rows, links=(Link(), own))
    robot = read_yaml(text)
    assert robot == from_table(table, "a")
    assert robot.link(2) == moved(own, Placement(2, d=Formula("A")))
    assert robot.tool == Tool(Placement(2, d=Formula("A")))


def test_craig_frames_are_khalils() -> None:
    text = "symoro: 1\nname: a\nconvention: craig\nframes: [{alpha: pi/2, a: A, d: h, offset: o}]\n"
    frame = read_yaml(text).frame(1)
    assert [str(getattr(frame, name)) for name in GEOMETRIC] == ["0", "0", "pi/2", "A", "o", "h"]


def test_all_errors_are_reported_together() -> None:
    with pytest.raises(FormatError) as caught:
        read_yaml(HEAD + "  - {alfa: 1, joint: screw}\n  - {d: 1 +}\ncolour: red\n", "arm.yaml")
    message = str(caught.value)
    for part in ("arm.yaml:4:6", "line 4, column 22", "line 5, column 12", "colour"):
        assert part in message


def test_duplicate_names_are_rejected() -> None:
    with pytest.raises(FormatError, match="both called 'a'"):
        read_yaml(HEAD + "  - {name: a}\n  - {name: a}\n")


def test_numbers_without_end_cannot_be_written() -> None:
    robot = read_yaml(HEAD + "  - {}\n").with_frame(1, limits=Limits(upper=float("inf")))
    with pytest.raises(FormatError, match="finite"):
        write_yaml(robot)


def test_the_documentation_lists_all_keys() -> None:
    page = Path(__file__).parents[3] / "docs" / "robot-yaml.md"
    assert key_table() in page.read_text(encoding="utf-8")
