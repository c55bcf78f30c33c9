"""Test damaged, malicious or unusual files: a robot or a SymoroError after little work."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from symoro.errors import FormatError, SymoroError
from symoro.robot.description import Robot
from symoro.robot.formats.urdf import read_urdf, write_urdf
from tests.effort import Effort

GOOD = """<?xml version="1.0"?>
<robot name="arm">
  <link name="world"/>
  <joint name="base_joint" type="fixed"><parent link="world"/><child link="base"/></joint>
  <link name="base"><inertial><mass value="2"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="j1" type="revolute">
    <parent link="base"/><child link="l1"/><origin xyz="0 0 0.3" rpy="1.5708 0 0"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="10" velocity="2"/><dynamics damping="0.1" friction="0.2"/>
  </joint>
  <link name="l1"><inertial><origin xyz="0.1 0 0" rpy="0 0.3 0"/><mass value="1"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.3"/></inertial></link>
  <joint name="j2" type="prismatic">
    <parent link="l1"/><child link="l2"/><origin xyz="0.5 0 0" rpy="0 0 0.2"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="1" effort="10" velocity="2"/>
  </joint>
  <link name="l2"/>
  <joint name="j3" type="continuous">
    <parent link="l1"/><child link="l3"/><origin xyz="0 0.1 0"/><axis xyz="0 1 1"/>
    <mimic joint="j2" multiplier="-2" offset="0.1"/>
  </joint>
  <link name="l3"/>
</robot>
"""

TOKENS = st.sampled_from(
    [
        "", " ", "0", "-0", "1e400", "1e-400", "nan", "inf", "1_0", "９", "0x10", "1,5", "9" * 500, "${x}",
        "\0", "\ud800", "\ufeff", "<", ">", "&", "&amp;", "&x;", '"', "'", "<!--", "]]>", "<![CDATA[",
        "</robot>", "</joint>", "<link>", '<mimic joint="j3"/>', '<symoro tool="nobody"/>', "<!DOCTYPE a>",
        "world", "j1", "l1", "revolute", "planar", "floating", "fixed", "mimic", "robot", "joint", "link",
        "symoro", '<symoro location="1 0"/>', "continuous", "prismatic", "1e9", "-1e-9", "0 0 0", "1 2 3",
    ]
)  # fmt: skip


def survives(text: str, **choices: object) -> Robot | None:
    try:
        with Effort(most=4_000_000):  # 1.3 million at most when this was written
            return read_urdf(text, "hostile.urdf", **choices)  # type: ignore[arg-type]
    except SymoroError as error:
        assert str(error)
        return None


@st.composite
def mutations(draw: st.DrawFn) -> str:
    """Draw the valid file with words exchanged, parts removed, duplicated or replaced."""
    text = GOOD
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = start + draw(st.integers(0, 40))
        middle = draw(st.one_of(TOKENS, st.text(max_size=4), st.just(text[start:end] * 2)))
        text = text[:start] + middle + text[end:]
    return text


@st.composite
def exchanged(draw: st.DrawFn) -> str:
    """Draw the valid file with some attribute values replaced: well-formed and wrong."""
    pieces = GOOD.split('"')
    for _ in range(draw(st.integers(1, 3))):
        at = 2 * draw(st.integers(1, (len(pieces) - 1) // 2 - 1)) + 1
        pieces[at] = draw(st.one_of(TOKENS, st.floats().map(repr), st.sampled_from(pieces[1::2])))
    return '"'.join(pieces)


@settings(max_examples=400, deadline=None)
@given(text=st.one_of(mutations(), exchanged(), exchanged()), exact=st.booleans(), keep=st.booleans())
@example(text=GOOD, exact=True, keep=True)
def test_mutated_files(text: str, exact: bool, keep: bool) -> None:
    robot = survives(text, exact=exact, fixed="keep" if keep else None)
    if robot is not None:
        assert read_urdf(write_urdf(robot)).NL == robot.NL


@settings(max_examples=60, deadline=None)
@given(text=st.text(max_size=200))
def test_any_text(text: str) -> None:
    assert survives(text) is None
    survives(f"<robot>{text}</robot>")


@pytest.mark.parametrize(
    "text",
    [
        '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]><robot name="&b;"/>',
        '<!DOCTYPE r SYSTEM "file:///etc/passwd"><robot/>',
        "<!DOCTYPE r><robot/>",
    ],
)
def test_document_types_are_rejected(text: str) -> None:
    with pytest.raises(FormatError, match="document type"):
        read_urdf(text)


@pytest.mark.parametrize(
    "text",
    [
        "<robot>" * 100_000,
        "<robot>" + "<a>" * 60 + "</a>" * 60 + '<link name="l"/>' * 30_000 + "</robot>",
        "<robot>" + '<link name="l"/>' * 15_000 + "</robot>",
        "<robot>" + "".join(f'<link name="l{i}"/>' for i in range(15_000)) + "</robot>",
        '<robot><link name="' + "l" * 3_000_000 + '"/></robot>',
        '<robot><link name="l"><inertial><mass value="' + "9" * 3_000_000 + '"/></inertial></link></robot>',
        '<robot><link name="l"><inertial><origin xyz="' + "1 " * 1_000_000 + '"/></inertial></link></robot>',
        "<robot>" + "<visual><a/></visual>" * 100_000 + "</robot>",
        "x" * 17_000_000,
    ],
)
def test_large_files_end_soon(text: str) -> None:
    assert survives(text) is None


def chain(count: int, joint: str) -> str:
    links = "".join(f'<link name="l{i}"/>' for i in range(count + 1))
    joints = "".join(
        f'<joint name="j{i}" type="continuous"><parent link="l{i}"/><child link="l{i + 1}"/>'
        f"{joint.format(i=i, k=i + 1)}</joint>"
        for i in range(count)
    )
    return f"<robot>{links}{joints}</robot>"


def test_long_chains_need_no_recursion() -> None:
    robot = survives(chain(900, '<origin xyz="0.1 0 0" rpy="0 0.1 0"/>'))
    assert robot is not None
    assert robot.NL == 900


def test_ratios_that_grow_without_end_are_rejected() -> None:
    text = chain(50, '<mimic joint="j{k}" multiplier="1e8"/>').replace('joint="j50"', 'joint="nobody"')
    with pytest.raises(FormatError, match="too large"):
        read_urdf(text)


def test_long_chains_of_mimic_joints_end_soon() -> None:
    assert (
        survives(chain(900, '<mimic joint="j{k}"/>').replace('<mimic joint="j900"/>', '<mimic joint="j0"/>'))
        is None
    )
