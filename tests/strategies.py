"""Random descriptions for property tests: formulas, links, joints, and robots of any structure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from symoro.expr.formula import ZERO, Formula, exact_angle, formula
from symoro.robot.coordinates import independent
from symoro.robot.description import (
    ANGLES,
    DRIVE,
    GEOMETRIC,
    IDENTITY16,
    INERTIAL,
    MOTION,
    WRENCH,
    Base,
    BaseKind,
    CoupledMotor,
    Coupling,
    Frame,
    JointType,
    Limits,
    Link,
    Placement,
    Robot,
    Tool,
)

# Names that no format interprets as a joint variable (th1, q2, r3 ...).
SYMBOLS = ("a", "b_", "D3", "RL4", "L_1", "gam", "Mass", "x2y")
COMPOUND = (
    "pi/2",
    "-pi/3",
    "2*a + D3",
    "-(a - D3)/2",
    "atan2(a, D3)",
    "sqrt(2)*RL4",
    "cos(gam)*L_1 - 1/3",
    "a^2/(D3 + 1)",
    "min(a, 0.5)*pi",
    "1e-07*Mass",
    "1.5707963267948966",
)

finite = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e6, max_value=1e6)


_LEAVES = [*(formula(n) for n in range(-2, 3)), *map(Formula, SYMBOLS), *map(formula, COMPOUND)]
_POOL = [ZERO] * 20 + _LEAVES + [a - b for a in _LEAVES[3:] for b in _LEAVES[::3]]
_FORMULAS = st.sampled_from(_POOL) | finite.map(formula)
_ANGLES = _FORMULAS.map(exact_angle)


def formulas() -> st.SearchStrategy[Formula]:
    """Return zero often, otherwise a number, a symbol, or an expression of both."""
    return _FORMULAS


def angles() -> st.SearchStrategy[Formula]:
    return _ANGLES


def geometry() -> st.SearchStrategy[dict[str, Formula]]:
    """Return the six geometric parameters."""
    return st.fixed_dictionaries({name: _ANGLES if name in ANGLES else _FORMULAS for name in GEOMETRIC})


def some_of(keys: Sequence[str], most: int = 4) -> st.SearchStrategy[dict[str, Formula]]:
    """Return values for a few of the keys; the others keep their default."""
    return st.dictionaries(st.sampled_from(keys), _FORMULAS, max_size=most)


def names() -> st.SearchStrategy[str]:
    """Return any text that a file can contain, including texts that a format might misinterpret."""
    tricky = st.sampled_from(["null", "true", "- a", "a, b", "a: b", "#1", "'q'", '"', "1e3", "~", ",x", "é"])
    return st.one_of(tricky, st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8))


@st.composite
def links(draw: st.DrawFn, *, wrench: bool = True, named: bool = True) -> Link:
    fields: dict[str, Any] = draw(some_of((*INERTIAL, *(WRENCH if wrench else ())), 6))
    return Link(**fields, name=draw(st.just("") | names()) if named else "")


@st.composite
def limits(draw: st.DrawFn) -> Limits:
    low, high = sorted([draw(finite), draw(finite)])
    keep = st.booleans()
    return Limits(
        low if draw(keep) else None,
        high if draw(keep) else None,
        draw(st.none() | finite),
        draw(st.none() | finite),
    )


@st.composite
def frames(draw: st.DrawFn, ant: int, *, drive: bool = True, plain: bool = False, **fixed: Any) -> Frame:
    """Draw a frame on `ant`; `plain` omits data that a .par file cannot represent, `fixed` sets fields."""
    sigma = fixed.pop("sigma", None)
    if sigma is None:
        sigma = draw(st.sampled_from([JointType.REVOLUTE, JointType.REVOLUTE, *JointType]))
    fields: dict[str, Any] = {"ant": ant, "sigma": sigma, "mu": draw(st.booleans()), **draw(geometry())}
    if drive:
        fields |= draw(some_of(DRIVE[:3] if plain else DRIVE[:4]))
    if drive and not plain and draw(st.booleans()):
        fields |= {
            "FB": draw(formulas()),
            "VS": formula(0.25),
            "FL": formula(draw(st.sampled_from([0, 0.5]))),
        }
    if sigma != JointType.FIXED:
        fields |= draw(some_of(MOTION))
        if draw(st.booleans()):
            fields |= {"eta": True, "k": draw(formulas())}
            fields |= {} if plain else {"rest": draw(formulas())}
    if not plain:
        fields |= {"limits": draw(limits()), "name": draw(st.just("") | names())}
    return Frame(**(fields | fixed))


@st.composite
def bases(draw: st.DrawFn, *, plain: bool = False) -> Base:
    kind = draw(st.sampled_from(list(BaseKind)))
    link = Link()
    if kind != BaseKind.FIXED:
        link = draw(links(named=not plain))
    moving = draw(st.lists(st.sampled_from(["W0", "WP0", "V0", "VP0", "G"]), unique=True, max_size=3))
    vectors: dict[str, Any] = {name: tuple(draw(formulas()) for _ in range(3)) for name in moving}
    Z = (*(draw(formulas()) for _ in range(12)), *IDENTITY16[12:]) if draw(st.booleans()) else IDENTITY16
    return Base(kind=kind, link=link, Z=Z, **vectors)


@st.composite
def robots(draw: st.DrawFn, structure: str | None = None, *, plain: bool = False, most: int = 5) -> Robot:
    """A robot with fields of every kind.

    Arguments:
        structure: 'serial', 'tree' or 'closed-loop'; any of them by default.
        plain: only what a .par file can hold.
    """
    kind = structure or draw(st.sampled_from(["serial", "tree", "closed-loop"]))
    n = draw(st.integers(2 if kind == "closed-loop" else 1, most))
    ants = [j if kind == "serial" else draw(st.integers(0, j)) for j in range(n)]
    own = [draw(frames(ant, plain=plain)) for ant in ants]
    loops = draw(st.integers(1, 2)) if kind == "closed-loop" else 0
    opened, closed = [], []
    for _ in range(loops):
        left, right = draw(st.permutations(range(n + 1)))[:2]
        opened.append(draw(frames(left, drive=False, plain=plain, mu=False)))
        closed.append(draw(frames(right, drive=False, plain=plain, sigma=JointType.FIXED)))
    robot = Robot(
        name="random",
        frames=tuple(_distinct([*own, *opened, *closed])),
        links=tuple(_distinct([draw(links(named=not plain)) for _ in range(n)])),
        base=draw(bases(plain=plain)),
    )
    return robot if plain else draw(_with_extras(robot))


@st.composite
def _with_extras(draw: st.DrawFn, robot: Robot) -> Robot:
    """Add couplings, a tool, a payload, nominal values, postures and texts."""
    moving = [j for j in range(1, robot.NL + 1) if robot.frame(j).moving]
    if len(moving) > 1 and draw(st.booleans()):
        coupled, *drivers = draw(st.permutations(moving))
        terms = tuple((i, draw(formulas())) for i in drivers[: draw(st.integers(1, 2))])
        robot = robot.with_frame(
            coupled, coupling=Coupling(terms, draw(formulas())), QP=None, QDP=None, GAM=None
        )
    if len(moving) > 1 and draw(st.booleans()):
        own, *others = draw(st.permutations(moving))
        ratios = tuple((i, draw(formulas())) for i in others[: draw(st.integers(1, 2))])
        motor = CoupledMotor(own, ratios, *(draw(formulas()) for _ in range(3)))
        robot = robot.replace(motors=(motor,))
    if draw(st.booleans()):
        place = Placement(draw(st.integers(0, robot.NL)), **draw(geometry()))
        robot = robot.replace(tool=Tool(place, draw(names())))
        robot = robot.replace(payload=draw(st.none() | links()))
    numbers = draw(st.dictionaries(st.sampled_from(SYMBOLS), finite, max_size=3))
    title, reference = draw(st.just("") | names()), draw(st.just("") | names())
    n = len(independent(robot))
    rows = st.lists(finite, min_size=n, max_size=n)
    postures = draw(st.dictionaries(st.sampled_from(["home", "folded", "no", "q_2"]), rows, max_size=2))
    robot = robot.replace(postures=postures)
    return robot.replace(name=draw(names()), nominal=tuple(numbers.items()), title=title, reference=reference)


def _distinct(items: list[Any]) -> list[Any]:
    """Return the same frames or links, with names only if they are unique."""
    seen: set[str] = set()
    result = []
    for item in items:
        result.append(replace(item, name="") if item.name in seen else item)
        seen.add(item.name)
    return result
