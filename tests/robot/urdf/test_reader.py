"""Test the reader of URDF: names, limits, friction, mimic joints, base, errors."""

from __future__ import annotations

import pytest

from symoro.errors import FormatError, NotApplicableError, OptionError, SymoroError, UnknownNameError
from symoro.expr.formula import formula
from symoro.robot.consistency import WARNING
from symoro.robot.description import BaseKind, JointType, Limits, Robot
from symoro.robot.formats.urdf import read_urdf

MASS = (
    '<inertial><origin xyz="0 0 0.5"/><mass value="2"/>'
    '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
)


def link(name: str, inside: str = "") -> str:
    return f'<link name="{name}">{inside}</link>'


def joint(name: str, parent: str, child: str, inside: str = "", kind: str = "revolute") -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">\n{ends}{inside}</joint>'


def read(*parts: str, **choices: object) -> Robot:
    text = "\n".join(["<robot name='arm'>", *parts, "</robot>"])
    return read_urdf(text, "arm.urdf", **choices)  # type: ignore[arg-type]


def two_links(inside: str = "", kind: str = "revolute", **choices: object) -> Robot:
    return read(link("a"), link("b"), joint("j", "a", "b", inside, kind), **choices)


# -- valid files


def test_names_limits_and_friction() -> None:
    robot = two_links(
        '<axis xyz="0 0 1"/><limit lower="-1" upper="2" effort="30" velocity="4"/>'
        '<dynamics damping="0.5" friction="0.25"/>'
    )
    frame = robot.frame(1)
    assert (robot.name, frame.name, robot.link(1).name, robot.base.link.name) == ("arm", "j", "b", "a")
    assert frame.limits == Limits(-1, 2, 4, 30)
    assert (frame.FV.text, frame.FS.text, frame.IA.text) == ("0.5", "0.25", "0")
    assert [g.text for g in robot.base.G] == ["0", "0", "-9.81"]


def test_continuous_is_revolute_without_limits() -> None:
    frame = two_links('<limit lower="-1" upper="2" effort="30" velocity="4"/>', "continuous").frame(1)
    assert frame.sigma == JointType.REVOLUTE
    assert frame.limits == Limits(None, None, 4, 30)


@pytest.mark.parametrize("word", ["inf", "-Infinity", "1e9", "1e300", "nan", ""])
def test_limits_that_are_none(word: str) -> None:
    assert two_links(f'<limit lower="{word}" effort="{word}" upper="1"/>').frame(1).limits == Limits(upper=1)


def test_inverted_limits_are_omitted_with_a_note() -> None:
    robot = two_links('<limit lower="2" upper="-2" effort="1" velocity="1"/>')
    assert robot.frame(1).limits == Limits(None, None, 1, 1)
    assert any("joint j: the lower limit 2" in note for note in robot.notes)


def test_defaults_axis_x_and_no_origin() -> None:
    robot = two_links()
    assert (robot.frame(1).alpha.text, robot.frame(1).gamma.text) == ("pi/2", "pi/2")
    assert robot.link(1).M.is_zero


def test_quaternions_as_newer_files_write_them() -> None:
    turned = two_links('<origin quat_xyzw="0 0 0.7071067811865476 0.7071067811865476"/><axis xyz="0 0 1"/>')
    assert turned.frame(1).theta.text == "pi/2"


def test_frames_have_the_order_of_the_file_after_their_antecedents() -> None:
    robot = read(
        link("a"), link("b"), link("c"), link("d"), link("e"),
        joint("last", "c", "e"), joint("second", "b", "c"),
        joint("first", "a", "b"), joint("other", "a", "d"),
    )  # fmt: skip
    assert [frame.name for frame in robot.frames] == ["first", "second", "last", "other"]
    assert [frame.ant for frame in robot.frames] == [0, 1, 2, 0]
    assert robot.notes[0].startswith("order of q: first, second, last, other;")


def test_missing_inertias_and_drivers_are_reported_before_omitted_shapes() -> None:
    point = '<inertial><origin xyz="0 0 0.5"/><mass value="2"/></inertial>'
    shape = '<collision><geometry><mesh filename="absent.stl"/></geometry></collision>'
    robot = read(
        link("a", MASS), link("b", point + shape), link("c", shape),
        joint("j", "a", "b"), joint("k", "b", "c", '<mimic joint="other"/>'),
    )  # fmt: skip
    lines = [
        next(k for k, note in enumerate(robot.notes) if text in note)
        for text in (
            "order of q",
            "link b has a mass and no inertia in the file, and is a point mass",
            "link c has no mass and no inertia",
            "collision shape of link 'b' is omitted: its mesh 'absent.stl' is missing, or is not an STL or OBJ file, "
            "and 1 more",
        )
    ]
    assert lines == sorted(lines)
    assert lines[-1] == len(robot.notes) - 1
    assert any(note.startswith(f"{WARNING}joint k mimics 'other'") for note in robot.notes)


def test_mimic_chains_end_at_the_joint_that_is_free() -> None:
    robot = read(
        link("a"), link("b"), link("c"), link("d"),
        joint("p", "a", "b", '<mimic joint="q" multiplier="2" offset="0.5"/>'),
        joint("q", "b", "c", '<mimic joint="r" multiplier="-3" offset="0.25"/>', "prismatic"),
        joint("r", "c", "d"),
    )  # fmt: skip
    p, q, r = (frame.coupling for frame in robot.frames)
    assert r is None
    assert p is not None and [(i, ratio.text) for i, ratio in p.terms] == [(3, "-6")]
    assert q is not None and [(i, ratio.text) for i, ratio in q.terms] == [(3, "-3")]
    assert (p.offset, q.offset) == (formula(1), formula(0.25))
    assert [frame.mu for frame in robot.frames] == [False, False, True]


def test_mimic_of_a_joint_that_is_not_there_is_left_free_with_a_note() -> None:
    robot = two_links('<mimic joint="nobody"/>')
    assert robot.frame(1).coupling is None
    assert any("mimics 'nobody', which does not exist" in note for note in robot.notes)


# -- fixed joints, base, tool


ARM = (
    link("world"), joint("stand", "world", "a", '<origin xyz="0 0 1"/>', "fixed"), link("a", MASS),
    joint("j", "a", "b", '<axis xyz="0 0 1"/>'), link("b", MASS),
    joint("flange", "b", "hand", '<origin xyz="0 0 2"/>', "fixed"), link("hand", MASS),
)  # fmt: skip


def test_fixed_joints_merged() -> None:
    robot = read(*ARM)
    assert [frame.name for frame in robot.frames] == ["j"]
    assert (robot.link(1).M.text, robot.link(1).MZ.text, robot.frame(1).r.text) == ("4", "6", "1")
    assert robot.link(1).XX.text == "15"
    assert any(
        "2 links on fixed joints merged with the links that carry them: a, hand" in n for n in robot.notes
    )
    assert any("mass of 2 kg has no effect" in note for note in robot.notes)


def test_fixed_joints_kept_as_frames() -> None:
    robot = read(*ARM, fixed="keep")
    assert [frame.name for frame in robot.frames] == ["stand", "j", "flange"]
    assert [frame.sigma for frame in robot.frames] == [2, 0, 2]
    assert [robot.link(j).M.text for j in (1, 2, 3)] == ["2", "2", "2"]
    assert robot.frame_number("hand") == 3


def test_the_name_of_a_merged_link_leads_to_the_option_that_keeps_it() -> None:
    robot = read(*ARM)
    assert [link.name for link in robot.link_frames] == ["a", "hand"]
    with pytest.raises(UnknownNameError, match=r"fixed='keep'.*tool='hand'") as caught:
        robot.frame_number("hand")
    assert "merged" in (caught.value.hint or "")
    assert read(*ARM, fixed="keep").link_frames == ()


def test_the_base_can_float() -> None:
    robot = read(*ARM, base="floating")
    assert robot.base.kind == BaseKind.FLOATING
    assert (robot.base.link.M.text, robot.base.link.MZ.text) == ("2", "3")


def test_a_floating_first_joint_frees_the_base() -> None:
    parts = [link("world"), link("a", MASS), link("b"), joint("j", "a", "b")]
    parts.append(joint("free", "world", "a", '<origin xyz="1 2 3"/>', "floating"))
    robot = read(*parts)
    assert robot.base.kind == BaseKind.FLOATING
    assert (robot.base.link.name, robot.base.link.M.text, robot.frame(1).d.text) == ("a", "2", "0")
    pinned = read(*parts, base="fixed")
    assert (pinned.base.kind, pinned.NL) == (BaseKind.FIXED, 1)


def test_any_link_can_be_the_tool() -> None:
    robot = read(*ARM, tool="hand")
    assert robot.tool is not None
    assert (robot.tool.name, robot.tool.place.ant, robot.tool.place.r.text) == ("hand", 1, "2")
    with pytest.raises(UnknownNameError, match="no link called 'claw'"):
        read(*ARM, tool="claw")


def test_a_robot_whose_joints_are_all_fixed_keeps_them() -> None:
    robot = read(link("a"), link("b"), joint("j", "a", "b", kind="fixed"))
    assert [frame.sigma for frame in robot.frames] == [2]


# -- errors and their positions


@pytest.mark.parametrize(
    ("parts", "message", "line"),
    [
        ((link("a"), joint("j", "a", "b")), "has the child 'b', which does not exist", 3),
        ((link("a"), link("b"), link("a")), "the name 'a' is used for a second link", 4),
        ((link("a"), link("b")), "2 trees, with the roots 'a', 'b'", 3),
        ((link("a"), link("b"), joint("j", "a", "b"), joint("k", "b", "a")), "form a cycle", 4),
        (
            (link("a"), link("b"), joint("j", "a", "b"), joint("k", "a", "b")),
            "child of joints 'j' and 'k'",
            6,
        ),
        ((link("a"), link("b"), joint("j", "a", "b", kind="hinge")), "unknown joint type 'hinge'", 4),
        ((link("a"), "<link/>"), "the element 'link' requires the attribute 'name'", 3),
        ((link("a"), link("b"), joint("j", "a", "b", '<axis xyz="0 0 0"/>')), "has zero length", 5),
        ((link("a"), link("b"), joint("j", "a", "b", '<axis xyz="0 0"/>')), "expected 3 numbers, got 2", 5),
        ((link("a"), link("b"), joint("j", "a", "b", '<origin xyz="0 0 ${h}"/>')), "got '\\${h}'", 5),
        ((link("a"), link("b"), joint("j", "a", "b", '<origin xyz="0 0 1e12"/>')), "too large", 5),
        ((link("a"), link("b"), joint("j", "a", "b", '<mimic joint="j"/>')), "form a cycle: 'j' -> 'j'", 4),
        (
            (link("a"), link("b"), '<joint name="j" type="fixed"><child link="b"/></joint>'),
            "has no parent",
            4,
        ),
        (
            ("<link name='a'><inertial><inertia ixx='1'/></inertial></link>",),
            "requires the attribute 'ixy'",
            2,
        ),
        ((link("a"),), "has no joints", 2),
        ((), "has no links", 1),
        (("<link name='a'>",), "not an XML file: mismatched tag", 3),
        (
            (link("a", "<xacro:inertia m='1'/>"),),
            "'xacro:inertia' is a macro, which has not been expanded",
            2,
        ),
    ],
)
def test_errors_name_the_line(parts: tuple[str, ...], message: str, line: int) -> None:
    with pytest.raises(FormatError, match=message) as caught:
        read(*parts)
    assert caught.value.place is not None
    assert (caught.value.place.file, caught.value.place.line) == ("arm.urdf", line)


def test_definitions_of_macros_change_nothing() -> None:
    definitions = (
        '<xacro:property name="m" value="1"/>',
        "<xacro:macro name='leg'><link name='c'/></xacro:macro>",
    )
    assert read(*definitions, *ARM) == read(*ARM)


@pytest.mark.parametrize("kind", ["planar", "floating"])
def test_joints_without_a_frame_are_rejected(kind: str) -> None:
    parts = [link("a"), link("b"), link("c"), joint("j", "a", "b"), joint("k", "b", "c", kind=kind)]
    with pytest.raises(NotApplicableError, match=f"'k' is {kind}") as caught:
        read(*parts)
    assert caught.value.place is not None and caught.value.place.line == 7


def test_floating_beside_others_is_rejected() -> None:
    parts = [link("a"), link("b"), link("c"), joint("j", "a", "b"), joint("k", "a", "c", kind="floating")]
    with pytest.raises(NotApplicableError, match="two robots"):
        read(*parts)


def test_other_formats_get_a_hint() -> None:
    with pytest.raises(FormatError, match="MJCF"):
        read_urdf("<mujoco/>")
    with pytest.raises(FormatError, match=r"suffix \.xacro"):
        two_links('<origin xyz="0 0 ${height}"/>')


@pytest.mark.parametrize("choice", [{"base": "wheels"}, {"fixed": "drop"}, {"frames": "dh"}])
def test_unknown_choices(choice: dict[str, str]) -> None:
    with pytest.raises(OptionError, match=next(iter(choice))):
        read(*ARM, **choice)


def test_lines_count_from_the_first_of_the_file() -> None:
    with pytest.raises(SymoroError) as caught:
        read_urdf("\n\n  <robot>\n<link/></robot>")
    assert caught.value.place is not None and caught.value.place.line == 4
