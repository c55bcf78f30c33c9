"""Random URDF trees for hypothesis: every joint type, axes in any direction, also nearly parallel ones."""

from __future__ import annotations

import math

from hypothesis import strategies as st

_LENGTHS = st.one_of(
    st.sampled_from([0.0, 0.0, 0.1, -0.25, 0.333, 1e-9, 1.2e-17]),
    st.floats(-1, 1).map(lambda x: round(x, 4)),
    st.floats(-1, 1),
)
_ANGLES = st.one_of(
    st.sampled_from([0.0, 0.0, math.pi / 2, -math.pi / 2, math.pi, math.pi / 4, -math.pi / 6]),
    st.sampled_from([1.5708, -1.5708, 3.14159, 0.785398, 1.57, 3.14, 1.5707963, 1e-6, 1e-9, -3e-12, 2.0944]),
    st.floats(-3.2, 3.2),
)
_AXES = st.one_of(
    st.sampled_from([(0, 0, 1), (0, 0, -1), (1, 0, 0), (0, 1, 0), (0, -1, 0), (-1, 0, 0)]),
    st.sampled_from(
        [(1, 1, 0), (0.7071, 0, 0.7071), (1, 1, 1), (1e-7, 0, 1), (0, 2, 1e-11), (0, 0.5, 0.866)]
    ),
    st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda a: math.hypot(*a) > 0.1),
)
_KINDS = st.sampled_from(["revolute", "continuous", "prismatic", "revolute", "fixed"])


def _words(values: tuple[float, ...]) -> str:
    return " ".join(repr(float(value)) for value in values)


@st.composite
def origins(draw: st.DrawFn) -> str:
    xyz = draw(st.tuples(_LENGTHS, _LENGTHS, _LENGTHS))
    rpy = draw(st.tuples(_ANGLES, _ANGLES, _ANGLES))
    return f'<origin xyz="{_words(xyz)}" rpy="{_words(rpy)}"/>'


@st.composite
def links(draw: st.DrawFn, number: int) -> str:
    if draw(st.booleans()):
        return f'<link name="l{number}"/>'
    mass, (a, b, c, d, e, f) = draw(st.floats(0, 20)), draw(st.tuples(*[st.floats(-0.5, 0.5)] * 6))
    tensor = f'ixx="{1 + a!r}" ixy="{b!r}" ixz="{c!r}" iyy="{1 + d!r}" iyz="{e!r}" izz="{1 + f!r}"'
    inertial = f'{draw(origins())}<mass value="{mass!r}"/><inertia {tensor}/>'
    return f'<link name="l{number}"><inertial>{inertial}</inertial></link>'


@st.composite
def joints(draw: st.DrawFn, number: int, parent: int, drivers: list[int]) -> tuple[str, bool]:
    """Draw a joint from link `parent` to link `number`, and return whether it moves."""
    kind = draw(_KINDS)
    moves = kind != "fixed"
    inside = f'<parent link="l{parent}"/><child link="l{number}"/>{draw(origins())}'
    if moves:
        inside += f'<axis xyz="{_words(draw(_AXES))}"/>'
        inside += '<limit lower="-1" upper="2" effort="3" velocity="4"/>' if kind != "continuous" else ""
        if drivers and draw(st.integers(0, 4)) == 0:
            driver = draw(st.sampled_from(drivers))
            inside += f'<mimic joint="j{driver}" multiplier="{draw(_ANGLES)!r}" offset="{draw(_LENGTHS)!r}"/>'
    return f'<joint name="j{number}" type="{kind}">{inside}</joint>', moves


@st.composite
def urdfs(draw: st.DrawFn, most: int = 8) -> str:
    """Draw a tree with at least one moving joint, with joints in any order in the file."""
    count = draw(st.integers(1, most))
    parts, drivers = [draw(links(0))], []
    for number in range(1, count + 1):
        parent = draw(st.integers(max(0, number - 3), number - 1))
        text, moves = draw(joints(number, parent, drivers))
        parts += [draw(links(number)), text]
        drivers += [number] if moves else []
    if not drivers:
        last = count + 1
        parts += [f'<link name="l{last}"/>', f'<joint name="j{last}" type="continuous">']
        parts[-1] += f'<parent link="l{count}"/><child link="l{last}"/>{draw(origins())}</joint>'
    if draw(st.booleans()):
        parts = draw(st.permutations(parts))
    return "\n".join(['<robot name="random">', *parts, "</robot>"])
