"""The catalogue: every model, its options, what it needs and gives, and the paper it comes from.

A model is a function `build(robot, **options) -> Program`, registered by the decorator `model`. Where another kind
of robot, or an option, asks for other inputs and outputs, the model has a further form, a function of its own with
the decorator `form`. The command line, the page and the documentation are made from these entries, so that adding a
model or a form is one file.
"""

from __future__ import annotations

import gc
import importlib
import pkgutil
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.abc import InspectLoader
from math import isfinite
from numbers import Real
from operator import index
from typing import Any

from symoro.errors import ExpressionError, NotApplicableError, OptionError, UnknownNameError
from symoro.expr.formula import Formula, formula
from symoro.expr.parser import NAME, reserved
from symoro.models.notes import notes
from symoro.models.references import Reference
from symoro.models.units import with_units
from symoro.program.pipeline import PassRecord, optimise, traced
from symoro.program.program import Port, Program
from symoro.progress import task
from symoro.robot.description import Robot
from symoro.robot.flexibility import flexible_links


@dataclass(frozen=True)
class Option:
    """An option of a model.

    Attributes:
        kind: 'frame' (number or name), 'frames' (several), 'points' (frames, or frames with a point in each),
            'choice', 'flag', 'text', 'number' or 'posture' (a name, or the positions of all joints).
        flag: its name on the command line, where that is not its own.
    """

    name: str
    title: str
    kind: str
    default: Any = None
    choices: tuple[str, ...] = ()
    flag: str = ""


POSTURE = Option(
    "posture",
    "assembly mode of closed loops: the name of a posture, or the positions of all joints; 'home' unless given",
    "posture",
)


def always(robot: Robot) -> str | None:
    """Applies to every robot."""
    return None


Options = Mapping[str, Any]
FLEXIBLE = "it has flexible links, and this model is one of rigid bodies"


def any_robot(robot: Robot, options: Options) -> bool:
    """Takes every robot, with any options."""
    return True


@dataclass(frozen=True)
class Entry:
    """One model of the catalogue, or one form of it.

    Attributes:
        of: what this form is of, in words ("a floating base"); nothing for the plain form.
        flexible: whether it is the form of robots with flexible links, which no other takes.
        takes: whether a robot, with the options given, is of this form.
        forms: the other forms; the first that takes a robot is the one for it, the plain form otherwise.
        applies: why the model does not apply to a robot, or None when it does.
        requirements: the same for a robot with options; each returns the reason of a rejection, or None.
        applies_to: the same in words, for people.
        equations: the formulas in LaTeX, for the documentation.
        example, example_options: a bundled robot, and the options with which it takes this form.
        plain: the same model in the form of the papers, to tell what a formulation saves.
    """

    id: str
    menu: str
    title: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    reference: Reference
    build: Callable[..., Program]
    options: tuple[Option, ...] = ()
    aliases: tuple[str, ...] = ()
    applies: Callable[[Robot], str | None] = always
    requirements: tuple[Callable[[Robot, Options], str | None], ...] = ()
    applies_to: str = "every robot"
    equations: str = ""
    example: str = "rx90"
    example_options: Mapping[str, Any] = field(default_factory=dict)
    plain: Callable[[Robot], Program] | None = None
    of: str = ""
    flexible: bool = False
    takes: Callable[[Robot, Options], bool] = any_robot
    forms: tuple[Entry, ...] = ()

    def form(self, robot: Robot, options: Options) -> Entry:
        """The form for a robot, with the options that were given."""
        bends = bool(flexible_links(robot))
        return next((f for f in self.forms if f.flexible == bends and f.takes(robot, options)), self)

    def why_not(self, robot: Robot, options: Options | None = None) -> str | None:
        """Return why the model does not apply to a robot with options, if so."""
        return self.form(robot, options or {}).refusal(robot, options)

    def refusal(self, robot: Robot, options: Options | None = None) -> str | None:
        """Return why this form does not apply to a robot with options, if so."""
        if flexible_links(robot) and not self.flexible:
            return FLEXIBLE
        reasons = (requirement(robot, options or {}) for requirement in self.requirements)
        return self.applies(robot) or next((reason for reason in reasons if reason), None)

    @property
    def all_options(self) -> tuple[Option, ...]:
        """The options of all forms."""
        found: dict[str, Option] = {}
        for one in (self, *self.forms):
            for option in one.options:
                found.setdefault(option.name, option)
        return tuple(found.values())


_ENTRIES: dict[str, Entry] = {}
_FORMS: dict[str, list[dict[str, Any]]] = {}


def model(
    id: str,
    *,
    menu: str,
    title: str,
    inputs: tuple[Port, ...],
    outputs: tuple[Port, ...],
    reference: Reference,
    **details: Any,
) -> Callable[[Callable[..., Program]], Callable[..., Program]]:
    """Register a model under its id."""

    def register(build: Callable[..., Program]) -> Callable[..., Program]:
        _ENTRIES[id] = Entry(id, menu, title, inputs, outputs, reference, build, **details)
        return build

    return register


def form(
    id: str, *, of: str, takes: Callable[[Robot, Options], bool], **details: Any
) -> Callable[[Callable[..., Program]], Callable[..., Program]]:
    """Register another form of a model; what `details` leave out is as in the plain form, options excepted."""

    def register(build: Callable[..., Program]) -> Callable[..., Program]:
        own = {"options": (), "plain": None, **details}
        _FORMS.setdefault(id, []).append({"of": of, "takes": takes, "build": build, **own})
        return build

    return register


MENUS = ("Geometric", "Kinematic", "Dynamic", "Identification")


@cache
def catalogue() -> Mapping[str, Entry]:
    """Every model by id, in the order of the menus."""
    import symoro.models

    for module in pkgutil.walk_packages(symoro.models.__path__, "symoro.models."):
        if _registers(module):
            importlib.import_module(module.name)
    ordered = sorted(_ENTRIES.values(), key=lambda e: (MENUS.index(e.menu), e.build.__code__.co_filename))
    return {entry.id: _with_forms(entry) for entry in ordered}


def _registers(module: pkgutil.ModuleInfo) -> bool:
    """Whether a module says `@model` or `@form`; what computes in numbers, and NumPy, is loaded when a model asks."""
    spec = module.module_finder.find_spec(module.name, None)
    source = spec.loader.get_source(module.name) if spec and isinstance(spec.loader, InspectLoader) else None
    return source is None or any(f"\n@{name}(" in source for name in ("model", "form", "tree_model"))


def _with_forms(plain: Entry) -> Entry:
    return replace(plain, forms=tuple(replace(plain, **own) for own in _FORMS.get(plain.id, ())))


def entry(name: str) -> Entry:
    """A model by id or by one of SYMORO's names for it."""
    known = catalogue()
    key = name.strip().lower().replace("_", "-")
    if key in known:
        return known[key]
    for candidate in known.values():
        if key in candidate.aliases:
            return candidate
    raise UnknownNameError("model", name, list(known), hint=None)


def build(robot: Robot, name: str, options: Mapping[str, Any]) -> tuple[Entry, Program]:
    """The optimised program of a model for a robot, with its header.

    Raises:
        UnknownNameError, OptionError, NotApplicableError: with what to do instead.
    """
    whole = entry(name)
    chosen = whole.form(robot, options)
    given = checked_options(chosen, options, whole)
    reason = chosen.refusal(robot, options)
    if reason:
        what = f"{chosen.id} of {chosen.of}" if chosen.of else chosen.id
        raise NotApplicableError(f"{what} does not apply to robot '{robot.name}': {reason}")
    with _no_collection(), task(f"building {chosen.id}"):
        program = optimise(chosen.build(robot, **given))
    shown = ", ".join(f"{k} = {v}" for k, v in given.items() if v is not None)
    named = ("joints", _joint_names(robot))
    described = (("model", chosen.id), ("robot", robot.name), named, ("options", shown))
    header = (*described, *(("remark", note) for note in notes(robot, chosen.menu, chosen.outputs)))
    return chosen, replace(
        with_units(program, robot),
        title=chosen.title,
        header=tuple(h for h in header if h[1]) + program.header,
    )


def _joint_names(robot: Robot) -> str:
    """Return the joint variables with the names of their joints; empty if these only repeat the numbers."""
    joints = [(j, frame.name) for j, frame in enumerate(robot.frames, 1) if frame.moving and frame.name]
    if all(name in (f"J{j}", f"joint{j}", f"q{j}") for j, name in joints):
        return ""
    return ", ".join(f"q{j} {name}" for j, name in joints)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Without the search for cycles: graphs have none, and looking through them takes up to a fifth of the time.

    The switch is the whole process's: it stays as it is where other threads run, which may want it on, or off.
    """
    if not gc.isenabled() or threading.active_count() > 1:
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def retraced(robot: Robot, chosen: Entry, options: Mapping[str, Any]) -> tuple[Program, list[PassRecord]]:
    """A model built again, with what each optimising pass did."""
    return traced(chosen.build(robot, **checked_options(chosen, options)))


def checked_options(chosen: Entry, options: Options, whole: Entry | None = None) -> dict[str, Any]:
    """The options of a form with their values, those not given included; one of another form may be left empty.

    Arguments:
        whole: the model whose form it is, where its other forms count.
    """
    known = {option.name: option for option in chosen.options}
    of_forms = {option.name for option in (whole or chosen).all_options}
    for name, value in options.items():
        if name not in known and name in of_forms and not names_something(value):
            continue
        if name not in known and name in of_forms:
            raise OptionError(
                f"option {name} of {chosen.id} is not for this robot, which takes the form of "
                f"{chosen.of or 'fixed trees'}",
                hint="its options: " + (", ".join(known) or "none"),
            )
        if name not in known:
            raise UnknownNameError(f"option of {chosen.id}", name, list(known))
    return {
        name: _checked(chosen, option, options.get(name, option.default)) for name, option in known.items()
    }


def names_something(value: Any) -> bool:
    """Whether the value of an option says something: None and an empty list do not."""
    return value is not None and not (isinstance(value, (list, tuple)) and not value)


def _checked(chosen: Entry, option: Option, value: Any) -> Any:
    """The value of an option, or an error that says what it can be."""
    expected = None
    if value is None:
        return None
    if option.choices and value not in option.choices:
        expected = "one of " + ", ".join(option.choices)
    elif option.kind == "flag" and not isinstance(value, bool):
        expected = "True or False"
    elif option.kind == "number" and (isinstance(value, bool) or not isinstance(value, Real)):
        expected = "a number"
    elif option.kind == "text" and not isinstance(value, str):
        expected = "a text"
    elif option.kind == "frame":
        found = _frame(value)
        if found is not None:
            return found
        expected = "a frame's number or name"
    elif option.kind == "frames":
        several = [_frame(x) for x in value] if isinstance(value, (list, tuple)) else [_frame(value)]
        if None not in several:
            return several
        expected = "a list of frames' numbers or names"
    elif option.kind == "points":
        points = [_point(x) for x in value] if isinstance(value, (list, tuple)) else [None]
        if None not in points:
            return points
        expected = "a list of frames, or of (frame, (x, y, z))"
    elif option.kind == "posture":
        posture = _posture(value)
        if posture is not None:
            return posture
        expected = "the name of a posture, or finite numbers, one per joint"
    if expected is not None:
        raise OptionError(f"option {option.name} of {chosen.id}: expected {expected}, got {value!r}")
    return value


def _posture(value: Any) -> str | tuple[float, ...] | None:
    """Return a posture's name or its numbers, also from a text with commas; None if it is neither."""
    if isinstance(value, str) and NAME.match(value.strip()) and not reserved(value.strip()):
        return value.strip()
    given = value.split(",") if isinstance(value, str) else value
    try:
        numbers = [formula(x.item() if hasattr(x, "item") else x).number for x in given]
    except (ExpressionError, TypeError):
        return None
    found = tuple(x for x in numbers if x is not None and isfinite(x))
    return found if len(found) == len(numbers) else None


def _point(value: Any) -> tuple[int | str, tuple[Formula, ...]] | None:
    """A frame with a point in it, by default its origin; None if it is neither."""
    frame, place = value if isinstance(value, (list, tuple)) and len(value) == 2 else (value, (0, 0, 0))
    found = _frame(frame)
    if found is None or isinstance(place, str) or not hasattr(place, "__len__") or len(place) != 3:
        return None
    try:
        return found, tuple(formula(x) for x in place)
    except (ExpressionError, TypeError):
        return None


def _frame(value: Any) -> int | str | None:
    """A frame's number, also one of NumPy's, or its name; None if it is neither."""
    if isinstance(value, str):
        return value
    try:
        return None if isinstance(value, bool) else index(value)
    except TypeError:  # an array has an index only where it holds one integer
        return None
