"""The catalogue of models: names, options, inputs, outputs and references.

A model is a function `build(robot, **options) -> Program`, registered by the decorator `model`. If the inputs and
outputs differ for a kind of robot or for an option, the model has another variant ("form"): a second function,
registered by the decorator `form`. The command line, the page, the documentation and the functions of `symoro.derive`
are generated from these entries, so that a model or a variant is added in one file.
"""

from __future__ import annotations

import gc
import importlib
import pkgutil
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.abc import InspectLoader
from math import isfinite
from numbers import Real
from operator import index
from typing import Any

from symoro.errors import ExpressionError, NotApplicableError, OptionError, UnknownNameError, did_you_mean
from symoro.expr.formula import Formula, formula
from symoro.expr.parser import NAME, reserved
from symoro.models.notes import notes
from symoro.models.references import Reference
from symoro.models.units import with_units
from symoro.program.count import count
from symoro.program.derivative import differentiate
from symoro.program.pipeline import PassRecord, optimise, traced
from symoro.program.program import Port, Program, ports_of
from symoro.progress import task
from symoro.robot.description import BaseKind, Robot
from symoro.robot.flexibility import flexible_links


@dataclass(frozen=True)
class Option:
    """Option of a model of the catalogue.

    Attributes:
        title: description of the option in the documentation and the help.
        kind: type of the value: 'frame' (number or name), 'frames' (several), 'points' (frames, or frames with a point
            in each), 'choice', 'flag', 'text', 'number' or 'posture' (a name, or the positions of all joints).
        flag: name on the command line, if it differs from `name`.
        former: previous name, accepted for one release with a DeprecationWarning.
    """

    name: str
    title: str
    kind: str
    default: Any = None
    choices: tuple[str, ...] = ()
    flag: str = ""
    former: str = ""


POSTURE = Option(
    "posture",
    "assembly mode of closed loops: the name of a posture, or the positions of all joints; 'home' unless given",
    "posture",
)


def always(robot: Robot) -> str | None:
    """Return None: the model applies to every robot. This is the default of `Entry.applies`."""
    return None


Options = Mapping[str, Any]
FLEXIBLE = "it has flexible links, and this model requires rigid links"


def any_robot(robot: Robot, options: Options) -> bool:
    """Return True: the variant is valid for every robot and all options. This is the default of `Entry.takes`."""
    return True


@dataclass(frozen=True)
class Entry:
    """One model of the catalogue, or one variant ("form") of a model for a kind of robot or an option.

    Attributes:
        aliases: other names of the model: its name in SYMORO, and names in textbooks and other libraries.
        of: the kind of robot of this variant ("a floating base"); empty for the default variant.
        flexible: whether this variant is for robots with flexible links; no other variant applies to these.
        takes: function of a robot and options that returns whether this variant is used.
        selects: whether `build` takes the names of the wanted outputs, because the others may take much longer.
        forms: the other variants. The first whose `takes` returns true is used, otherwise the default variant.
        applies: function that returns why the model does not apply to a robot, or None if it applies.
        requirements: functions of a robot and options; each returns the reason why the model rejects them, or None.
        applies_to: description of the robots to which the model applies.
        equations: the formulas in LaTeX, for the documentation.
        example, example_options: a bundled robot and options that select this variant.
        plain: function that builds the model as published, for the comparison of operation counts.
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
    selects: bool = False
    forms: tuple[Entry, ...] = ()

    def form(self, robot: Robot, options: Options) -> Entry:
        """Return the variant of the model that is used for a robot with given options."""
        has_flexible_links = bool(flexible_links(robot))
        return next(
            (f for f in self.forms if f.flexible == has_flexible_links and f.takes(robot, options)), self
        )

    def why_not(self, robot: Robot, options: Options | None = None) -> str | None:
        """Return why the model does not apply to a robot with given options, or None if it applies."""
        return self.form(robot, options or {}).refusal(robot, options)

    def refusal(self, robot: Robot, options: Options | None = None) -> str | None:
        """Return why this variant does not apply to a robot with given options, or None if it applies."""
        if flexible_links(robot) and not self.flexible:
            return FLEXIBLE
        reasons = (requirement(robot, options or {}) for requirement in self.requirements)
        return self.applies(robot) or next((reason for reason in reasons if reason), None)

    @property
    def all_options(self) -> tuple[Option, ...]:
        """The options of all variants of the model; an option of several variants is listed once."""
        options: dict[str, Option] = {}
        for one in (self, *self.forms):
            for option in one.options:
                options.setdefault(option.name, option)
        return tuple(options.values())


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
    """Return a decorator that registers a function as the model `id` of the catalogue.

    Args:
        id: name of the model, for example "inertia-matrix".
        details: further attributes of `Entry`.
        menu: group of the catalogue, for example "Dynamic".
        title: description of the model in one line.
        inputs, outputs: the ports of the model.
        reference: publication that the model follows.
    """

    def register(build: Callable[..., Program]) -> Callable[..., Program]:
        _ENTRIES[id] = Entry(id, menu, title, inputs, outputs, reference, build, **details)
        return build

    return register


def form(
    id: str, *, of: str, takes: Callable[[Robot, Options], bool], **details: Any
) -> Callable[[Callable[..., Program]], Callable[..., Program]]:
    """Return a decorator that registers a function as another variant of the model `id`.

    Args:
        of: the kind of robot of this variant, for example "a floating base".
        takes: function of a robot and options that returns whether this variant is used.
        details: attributes of `Entry` that differ from the default variant; options are not inherited.
    """

    def register(build: Callable[..., Program]) -> Callable[..., Program]:
        own = {"options": (), "plain": None, **details}
        _FORMS.setdefault(id, []).append({"of": of, "takes": takes, "build": build, **own})
        return build

    return register


MENUS = ("Geometric", "Kinematic", "Dynamic", "Identification")


@cache
def catalogue() -> Mapping[str, Entry]:
    """Return all models by id, ordered by menu.

        >>> symoro.catalogue()["inertia-matrix"].aliases
        ('inm', 'crba', 'mass-matrix', 'joint-space-inertia')

    Returns:
        Entries with `id`, `aliases`, `menu`, `title`, `inputs`, `outputs`, `options`, `reference` and `equations`;
        `why_not(robot)` returns the reason if a model does not apply to a robot.
    """
    import symoro.models

    for module in pkgutil.walk_packages(symoro.models.__path__, "symoro.models."):
        if _registers(module):
            importlib.import_module(module.name)
    ordered = sorted(_ENTRIES.values(), key=lambda e: (MENUS.index(e.menu), e.build.__code__.co_filename))
    return {entry.id: _with_forms(entry) for entry in ordered}


def _registers(module: pkgutil.ModuleInfo) -> bool:
    """Return whether the source of a module contains a decorator that registers a model.

    Other modules are imported on first use only, so that NumPy is not loaded for the catalogue.
    """
    spec = module.module_finder.find_spec(module.name, None)
    source = spec.loader.get_source(module.name) if spec and isinstance(spec.loader, InspectLoader) else None
    return source is None or any(f"\n@{name}(" in source for name in ("model", "form", "tree_model"))


def _with_forms(plain: Entry) -> Entry:
    return replace(plain, forms=tuple(replace(plain, **own) for own in _FORMS.get(plain.id, ())))


def entry(name: str) -> Entry:
    """Return the model with a given id or alias; case, spaces and underscores do not matter.

    Raises:
        UnknownNameError: no model has this name; the hint contains the nearest ids and aliases.
    """
    known = catalogue()
    if not isinstance(name, str):
        raise OptionError(
            f"expected the name of a model, got {type(name).__name__}", hint="for example 'inverse-dynamics'"
        )
    by_name = _by_name()
    key = "-".join(name.lower().replace("_", " ").replace("-", " ").split())
    if key in by_name:
        return known[by_name[key]]
    raise UnknownNameError("model", name, list(known), hint=did_you_mean(key, list(by_name)))


@cache
def _by_name() -> Mapping[str, str]:
    """Return a dictionary from every id and alias to the id of its model."""
    return {name: id for id, one in catalogue().items() for name in (id, *one.aliases)}


def is_model_name(name: object) -> bool:
    """Return whether `name` is the id or an alias of a model, in upper or lower case."""
    return isinstance(name, str) and name.lower() in _by_name()


def build(robot: Robot, name: str, options: Mapping[str, Any]) -> tuple[Entry, Program]:
    """Build and optimise a model for a robot.

    Args:
        name: id or alias of the model.
        options: values of the model's options, by name; and `outputs`, names of outputs: models with other outputs that
            take much longer derive only these.

    Returns:
        The catalogue entry of the variant that was used, and its program with title, header and units.

    Raises:
        UnknownNameError: there is no such model or option.
        OptionError: an option has a wrong value, or belongs to another variant of the model.
        NotApplicableError: the model does not apply to the robot; the message contains the reason.
    """
    whole = entry(name)
    wanted = options.get("outputs")
    options = {option: value for option, value in options.items() if option != "outputs"}
    chosen = whole.form(robot, options)
    given = checked_options(chosen, options, whole)
    reason = chosen.refusal(robot, options)
    if reason:
        what = f"{chosen.id} of {chosen.of}" if chosen.of else chosen.id
        raise NotApplicableError(f"{what} does not apply to robot '{robot.name}': {reason}")
    with _no_collection(), task(f"building {chosen.id}"):
        selected = {"wanted": wanted} if wanted is not None and chosen.selects else {}
        program = optimise(chosen.build(robot, **given, **selected))
    shown = ", ".join(f"{k} = {v}" for k, v in given.items() if v is not None)
    named = ("joints", _joint_names(robot))
    described = (("model", chosen.id), ("robot", robot.name), named, ("options", shown))
    header = (*described, *(("remark", note) for note in notes(robot, chosen.menu, chosen.outputs)))
    return chosen, replace(
        with_units(program, robot),
        title=chosen.title,
        header=tuple(h for h in header if h[1]) + program.header,
        joints={f"q{j}": frame.name or f"q{j}" for j, frame in enumerate(robot.frames, 1) if frame.moving},
    )


def derived(
    robot: Robot,
    base: Entry,
    options: Options,
    program: Program,
    kind: str,
    wrt: Sequence[str] | str | None,
) -> tuple[Entry, Program]:
    """Return an entry that describes a derivative of a model, and the optimised program of the derivative.

    The entry is not part of the catalogue. Its options are those of the model.

    Args:
        base: the entry of the model.
        options: the options that were given for the model.
        program: the program of the model.
        kind, wrt: as for `symoro.program.derivative.derivative`.
    """
    raw = differentiate(program, kind, wrt)
    with _no_collection(), task(f"building the {kind} of {base.id}"):
        result = optimise(raw)
        special = None if options or kind != "jacobian" else _published_jacobian(robot, base, raw)
        if special is not None and count(special).total < count(result).total:
            raw = result = special

    def build(robot: Robot, **options: Any) -> Program:
        return raw

    entry = replace(
        base,
        id=f"{base.id}-{kind}",
        title=result.title,
        inputs=ports_of(result.inputs),
        outputs=ports_of(result.outputs),
        build=build,
        aliases=(),
        plain=None,
        forms=(),
    )
    return entry, result


def _published_jacobian(robot: Robot, base: Entry, raw: Program) -> Program | None:
    """Return the Jacobian of a model as computed by the model `<id>-derivatives`, or None.

    The result is None if that model has other variables or outputs. With closed loops, wheels or a floating base its
    variables have the same names but another meaning.

    Args:
        base: the entry of the model.
        raw: the program of the Jacobian by automatic differentiation; the result has the same ports.
    """
    name = f"{base.id}-derivatives"
    if name not in catalogue() or robot.B or robot.wheels or robot.base.kind == BaseKind.FLOATING:
        return None
    if entry(name).why_not(robot):  # for example flexible links
        return None
    other = build(robot, name, {})[1]
    blocks = {o.name: o for o in other.outputs}
    symbols = {s for port in raw.inputs for s in port.symbols}
    same = all(o.name in blocks and blocks[o.name].shape == o.shape for o in raw.outputs)
    if not same or not symbols.issuperset(s for port in other.inputs for s in port.symbols):
        return None
    outputs = tuple(replace(o, lits=blocks[o.name].lits) for o in raw.outputs)
    details = {name: getattr(other, name) for name in ("graph", "parameters", "names", "sections", "choices")}
    return optimise(replace(raw, outputs=outputs, **details))


def _joint_names(robot: Robot) -> str:
    """Return a list such as "q1 shoulder, q2 elbow" of joint variables and joint names.

    The list is empty if all names are the numbers of the joints (J1, joint1 or q1).
    """
    joints = [(j, frame.name) for j, frame in enumerate(robot.frames, 1) if frame.moving and frame.name]
    if all(name in (f"J{j}", f"joint{j}", f"q{j}") for j, name in joints):
        return ""
    return ", ".join(f"q{j} {name}" for j, name in joints)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Disable Python's garbage collection within a `with` statement.

    Expression graphs have no reference cycles, and collection takes up to a fifth of the time of building a model. The
    setting is global to the process, so it is not changed while other threads run.
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
    """Build a model again and record the effect of each optimisation pass; return the program and the records.

    Args:
        chosen: catalogue entry of the model.
        options: values of the model's options, by name.
    """
    return traced(chosen.build(robot, **checked_options(chosen, options)))


def checked_options(chosen: Entry, options: Options, whole: Entry | None = None) -> dict[str, Any]:
    """Return the values of all options of a model; options that are not given have their defaults.

    Args:
        chosen: the variant of the model that is built.
        options: the given values, by name.
        whole: the model of which `chosen` is a variant. Options of other variants are accepted if their values are
            empty.

    Raises:
        OptionError: a value is wrong, or the option belongs to another variant.
        UnknownNameError: the model has no such option.
    """
    known = {option.name: option for option in chosen.options}
    of_forms = {option.name for option in (whole or chosen).all_options}
    for name, value in options.items():
        if name not in known and name in of_forms and not names_something(value):
            continue
        if name not in known and name in of_forms:
            raise OptionError(
                f"option {name} of {chosen.id} does not apply to this robot, which uses the "
                f"{f'variant for {chosen.of}' if chosen.of else 'default variant'} of the model",
                hint="options of this variant: " + (", ".join(known) or "none"),
            )
        if name not in known:
            raise UnknownNameError(f"option of {chosen.id}", name, list(known))
    return {
        name: _checked(chosen, option, options.get(name, option.default)) for name, option in known.items()
    }


def names_something(value: Any) -> bool:
    """Return whether an option has a value that names something, that is, neither None nor an empty list."""
    return value is not None and not (isinstance(value, (list, tuple)) and not value)


def _checked(chosen: Entry, option: Option, value: Any) -> Any:
    """Check the value of one option and return it in the form that models use (for example frames as a list).

    Args:
        chosen: catalogue entry of the model, for the error message.

    Raises:
        OptionError: the value is wrong; the message states what is expected.
    """
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
        frame = _frame(value)
        if frame is not None:
            return frame
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
    """Return the name of a posture, or the joint positions of one, from the value of an option.

    Joint positions are given as numbers, or as a text with commas. The result is None if the value is neither a name
    nor finite numbers.
    """
    if isinstance(value, str) and NAME.match(value.strip()) and not reserved(value.strip()):
        return value.strip()
    given = value.split(",") if isinstance(value, str) else value
    try:
        numbers = [formula(x.item() if hasattr(x, "item") else x).number for x in given]
    except (ExpressionError, TypeError):
        return None
    finite = tuple(x for x in numbers if x is not None and isfinite(x))
    return finite if len(finite) == len(numbers) else None


def _point(value: Any) -> tuple[int | str, tuple[Formula, ...]] | None:
    """Return a frame and the coordinates of a point in it, from the value of an option.

    The value is a frame (the point is then its origin) or (frame, (x, y, z)); the result is None for any other value.
    """
    given, point = value if isinstance(value, (list, tuple)) and len(value) == 2 else (value, (0, 0, 0))
    frame = _frame(given)
    if frame is None or isinstance(point, str) or not hasattr(point, "__len__") or len(point) != 3:
        return None
    try:
        return frame, tuple(formula(x) for x in point)
    except (ExpressionError, TypeError):
        return None


def _frame(value: Any) -> int | str | None:
    """Return the number (also a NumPy integer) or name of a frame; None if the value is neither."""
    if isinstance(value, str):
        return value
    try:
        return None if isinstance(value, bool) else index(value)
    except TypeError:  # an array is an index only if it contains one integer
        return None
