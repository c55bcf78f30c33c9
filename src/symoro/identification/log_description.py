"""Descriptions of logs: columns, units, transmission and controller, from a YAML file that is read strictly.

    symoro-log: 1
    rate: 5000                                   samples per second; or  time: {column: t, unit: ms}
    position: {columns: [q1, q2], unit: deg}     or one per joint: [deg, mm]; keys: side (joint, motor), file, scale
    torque: {columns: [i1, i2], unit: N.m, side: motor, scale: [0.5, 0.5]}
    velocity, acceleration                       if they were measured; differentiated otherwise
    reference: {columns: [r1, r2]}               the desired positions, which the simulation follows
    controller: {kp: [900, 400], kd: [60, 40]}   tau = kp (reference - q) + kd (its rate - qd), joint side
    transmission: {ratios: [100, 80], turns_with: {2: {1: 80}}}
    delay: 0.004                                 seconds by which torques lag behind positions; or  hold
    payload: {unknown: box, mass: 2}             payload of the robot in this log (`log_payload`)
    base:                                        of a floating robot (`base_motion`)
      orientation: {columns: [qw, qx, qy, qz]}   or  order: xyzw
      angular_velocity: {columns: [wx, wy, wz], unit: deg/s}
      specific_force: {columns: [ax, ay, az], unit: m/s^2}
    contacts:                                    of a floating robot (`contacts`): 3 columns (force) or 6 (and moment)
      - {frame: 4, point: [0, 0, -0.2], columns: [fx, fy, fz], axes: frame, by: ground}

A number of the log times the factor of its unit and its scale is in SI. `file` is a file beside the YAML; without it
the columns belong to the log that the command names. Lists have one entry per joint with a coordinate, in the order of
the robot. `turns_with` gives the ratios of a motor with respect to joints that are not its own.

Transmission: both sides have the same power, qd_motor' tau_motor = qd_joint' tau_joint, so that

    q_motor = R q_joint,      tau_joint = R' tau_motor

R has the reduction ratios on its diagonal; another entry is a motor that also turns with another joint, as in a wrist
whose motor 6 turns with joint 5. With c = row k of R over R_kk the rotor inertia and the friction of motor k act on
joint i by the cross terms

    IAMk:  c_i sum_{j != i} c_j qdd_j      FVMk:  c_i sum_{j != i} c_j qd_j      FSMk:  c_i sign(c' qd)

The terms on the diagonal are part of IA and FV of the joints.

M. Gautier, P. Vandanjon, C. Presse, "Identification of inertial and drive gain parameters of robots", CDC 1994.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import pi
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError, FormatError, Place
from symoro.expr.formula import formula
from symoro.files import reason
from symoro.identification.base_motion import (
    COMPONENTS,
    ORIENTATION,
    PREFIX,
    SPECIFIC_FORCE,
    check_quantities,
)
from symoro.identification.contacts import AXES, SOURCES, Contact, column_kind
from symoro.identification.log_payload import PAYLOAD_KEYS, LogPayload, log_payload
from symoro.identification.tolerances import ROUND_OFF
from symoro.models.rank import rank, threshold
from symoro.robot.formats.document import Record, YamlList, YamlScalar, compose
from symoro.robot.formats.report import MAX_BYTES, Report, unix_lines

# -- transmission


Array = NDArray[np.float64]


@dataclass(frozen=True)
class Transmission:
    """Transmission between motors and joints, q_motor = R q_joint.

    Attributes:
        rows: the rows of the matrix R.
    """

    rows: tuple[tuple[float, ...], ...]

    def __post_init__(self) -> None:
        matrix = np.array(self.rows)
        n = len(self.rows)
        if matrix.shape != (n, n) or not np.isfinite(matrix).all():
            raise ArgumentError(f"a transmission is a square matrix of numbers, got shape {matrix.shape}")
        if (np.diag(matrix) == 0).any():
            k = int(np.flatnonzero(np.diag(matrix) == 0)[0]) + 1
            raise ArgumentError(
                f"the ratio of motor {k} to joint {k} is zero",
                hint="give a nonzero ratio for the motor of each joint",
            )
        if rank(matrix, threshold(ROUND_OFF)) != n:
            raise ArgumentError(
                "the transmission matrix is singular: the motor positions do not determine the joint positions"
            )

    @property
    def matrix(self) -> Array:
        return np.array(self.rows)

    def positions(self, motor: Array) -> Array:
        """Return joint positions (or velocities, accelerations), computed from those of the motors.

        Args:
            motor: values of the motors, one row per sample (N, n).
        """
        return np.asarray(np.linalg.solve(self.matrix, motor.T).T)

    def torques(self, motor: Array) -> Array:
        """Return joint torques, computed from motor torques (N, n), one row per sample."""
        return motor @ self.matrix

    def coupled(self) -> list[int]:
        """Return the indices (from 0) of motors that turn with more than one joint."""
        return [k for k, row in enumerate(self.rows) if sum(1 for x in row if x) > 1]

    def shares(self, k: int) -> Array:
        """Return row k of the matrix R of q_motor = R q_joint, divided by its diagonal entry R_kk, (n,).

        The result is the velocity of motor k for a unit velocity of each joint, relative to that for joint k.
        """
        row = self.matrix[k]
        return np.asarray(row / row[k])


def transmission(
    ratios: Sequence[float],
    turns_with: Mapping[int, Mapping[int, float]] | None = None,
    joints: Sequence[int] | None = None,
) -> Transmission:
    """Return a transmission with the given gear ratios.

    Args:
        ratios: turns of each motor per turn of its joint.
        turns_with: {motor: {joint: ratio}}, the turns of a motor per turn of a joint other than its own. A motor has
            the number of its joint.
        joints: numbers of the joints; 1, 2, ... by default.
    """
    n = len(ratios)
    place = {j: k for k, j in enumerate(joints or range(1, n + 1))}
    rows = [[float(ratio) if i == k else 0.0 for i in range(n)] for k, ratio in enumerate(ratios)]
    for motor, others in (turns_with or {}).items():
        for joint, ratio in others.items():
            if motor not in place or joint not in place or motor == joint:
                numbers = ", ".join(map(str, place))
                raise ArgumentError(
                    f"turns_with: motor {motor} and joint {joint} must be two different joints "
                    f"among {numbers}"
                )
            rows[place[motor]][place[joint]] = float(ratio)
    return Transmission(tuple(tuple(row) for row in rows))


# -- description


SCHEMA = 1
KEY = "symoro-log"
POSITION = {"rad": 1.0, "deg": pi / 180, "turn": 2 * pi, "m": 1.0, "mm": 1e-3}
TORQUE = {"N.m": 1.0, "N.mm": 1e-3, "kN.m": 1e3, "N": 1.0, "kN": 1e3, "A": 1.0}
TIME = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
UNITS = {
    "position": POSITION,
    "velocity": {f"{unit}/s": factor for unit, factor in POSITION.items()} | {"rpm": 2 * pi / 60},
    "acceleration": {f"{unit}/s^2": factor for unit, factor in POSITION.items()},
    "torque": TORQUE,
    "reference": POSITION,
}
SI = {"position": "rad", "velocity": "rad/s", "acceleration": "rad/s^2", "torque": "N.m", "reference": "rad"}
TURNING = ("deg", "turn", "deg/s", "turn/s", "rpm", "deg/s^2", "turn/s^2", "N.mm", "kN.m")
SLIDING = ("mm", "mm/s", "mm/s^2", "kN")
_RATIOS = "transmission: {ratios: [...]}"
BASE_UNITS = {
    ORIENTATION: {"": 1.0},
    "angular_velocity": {"rad/s": 1.0, "deg/s": pi / 180},
    SPECIFIC_FORCE: {"m/s^2": 1.0, "g": 9.80665},
    "acceleration": {"m/s^2": 1.0, "g": 9.80665},
    "velocity": {"m/s": 1.0, "mm/s": 1e-3},
    "position": {"m": 1.0, "mm": 1e-3},
}
CONTACT_UNITS = {"N": 1.0, "kN": 1e3}  # of forces; moments are in the same unit times metres
QUATERNION_ORDERS = {"wxyz": (0, 1, 2, 3), "xyzw": (3, 0, 1, 2)}
TOP = (KEY, "rate", "time", "delay", *UNITS, "transmission", "controller", "base", "contacts", "payload")
FOLDER = Path(__file__).parent / "descriptions"
BUNDLED = (
    "ur-rtde",
    "ur-rtde-current",
    "ur-rtde-target",
    "libfranka",
    "kuka-fri",
    "kuka-rsi",
    "staubli-val3",
)
ESTIMATE = "estimate"  # delay that is estimated together with the parameters
HOLD = "hold"  # delay of minus half a sample: torques of a zero-order hold


@dataclass(frozen=True)
class Quantity:
    """Columns of a log that contain one physical quantity: one per joint, or the components for a base or contact.

    Attributes:
        columns: names of the columns.
        factors: factor of each column for conversion to SI units.
        unit: the unit as the description gives it, for messages.
        motor: whether the values are on the motor side of the transmission.
        file: the file that contains the columns; None for the log itself.
    """

    columns: tuple[str, ...]
    factors: tuple[float, ...]
    unit: str
    motor: bool = False
    file: Path | None = None


@dataclass(frozen=True)
class PdController:
    """Gains kp, kd of the joint controllers: tau = kp (reference - q) + kd (velocity of the reference - qd)."""

    kp: tuple[float, ...]
    kd: tuple[float, ...]


@dataclass(frozen=True)
class LogDescription:
    """Description of a log: columns, units, rate, transmission and controller.

    Either `rate` (samples per second) or the column `time` is required; if both are given they must agree. The torque
    of a floating robot may have no columns. `base` contains the quantities of a floating base by name, and `contacts`
    its contacts with the columns of their forces or wrenches.
    """

    position: Quantity
    torque: Quantity
    velocity: Quantity | None = None
    acceleration: Quantity | None = None
    reference: Quantity | None = None
    rate: float | None = None
    time: Quantity | None = None
    transmission: Transmission | None = None
    controller: PdController | None = None
    delay: float | str | None = None
    payload: LogPayload | None = None
    base: tuple[tuple[str, Quantity], ...] = ()
    contacts: tuple[tuple[Contact, Quantity], ...] = ()

    @property
    def floating_quantities(self) -> dict[str, Quantity]:
        """Columns of the base and of the contacts of a floating robot, by quantity of the log."""
        quantities = {PREFIX + name: quantity for name, quantity in self.base}
        return quantities | {column_kind(k): quantity for k, (_, quantity) in enumerate(self.contacts)}


def usual_description(joints: Sequence[int], names: Sequence[str]) -> LogDescription:
    """Return the default description of a log: columns t (or time), q1, q2, ..., tau1, tau2, ... in SI units.

    Args:
        joints: numbers of the joints that were logged.
        names: names of the columns of the log.
    """

    def numbered(stem: str, unit: str) -> Quantity:
        return Quantity(tuple(f"{stem}{j}" for j in joints), (1.0,) * len(joints), unit)

    def where(stem: str, unit: str) -> Quantity | None:
        quantity = numbered(stem, unit)
        return quantity if all(name in names for name in quantity.columns) else None

    time = "time" if "time" in names and "t" not in names else "t"
    return LogDescription(
        numbered("q", "rad"),
        numbered("tau", "N.m"),
        velocity=where("qd", "rad/s"),
        acceleration=where("qdd", "rad/s^2"),
        reference=where("r", "rad"),
        time=Quantity((time,), (1.0,), "s"),
    )


def read_description(
    path: Path, joints: Sequence[int], slides: Collection[int] = (), gains: bool = False
) -> LogDescription:
    """Read the description of a log from a file, or a bundled one.

    Args:
        path: the YAML file, or the name of a bundled description (`BUNDLED`) if there is no such file.
        joints: numbers of the joints that were logged.
        slides: numbers of the prismatic joints among them.
        gains: whether the torques per ampere of the motors are given elsewhere.

    Raises:
        FormatError: the file has errors; the message contains the position of the first one and lists the others.
    """
    place = Place(str(path))
    if str(path) in BUNDLED and not path.exists():
        path = FOLDER / f"{path}.yaml"
    try:
        data = path.read_bytes()[: MAX_BYTES + 1]
        text = data.decode("utf-8-sig")
    except FileNotFoundError:
        hint = f"check the path; bundled descriptions are {', '.join(BUNDLED)}"
        raise FormatError("there is no such file", place=place, hint=hint) from None
    except OSError as error:
        raise FormatError(f"the file cannot be read: {reason(error)}", place=place) from None
    except UnicodeDecodeError:
        raise FormatError("the text is not UTF-8", place=place, hint="save it as UTF-8 text") from None
    return parse_description(text, joints, str(place.file), path.parent, slides, gains)


def parse_description(
    text: str,
    joints: Sequence[int],
    file: str | None = None,
    folder: Path | None = None,
    slides: Collection[int] = (),
    gains: bool = False,
) -> LogDescription:
    """Parse the text of a log description.

    Args:
        text: YAML text.
        joints: numbers of the joints that were logged.
        file: file name for error messages.
        folder: folder of the files that the description names.
        slides: numbers of the prismatic joints.
        gains: whether the torques per ampere of the motors are given elsewhere.

    Raises:
        FormatError: the text has errors.
    """
    report = Report(file, "description of a log")
    if not text.strip():
        report.fail("the file is empty", (1, 1), None, f"start it with '{KEY}: {SCHEMA}'")
    node = compose(unix_lines(text), report, "description of a log", f"{KEY}: {SCHEMA}")
    top = Record(report, node, "", TOP)
    if top.text(KEY) != str(SCHEMA):
        top.problem(
            KEY, f"expected '{KEY}: {SCHEMA}'", "the first line must contain the version of the description"
        )
        report.check()
    reader = _Reader(report, top, joints, folder or Path(), slides, gains)
    description = reader.read()
    report.check()
    return description


class _Reader:
    def __init__(
        self,
        report: Report,
        top: Record,
        numbers: Sequence[int],
        folder: Path,
        slides: Collection[int],
        gains: bool,
    ) -> None:
        self.gains = gains
        self.report, self.top, self.numbers, self.folder = report, top, tuple(numbers), folder
        self.slides = frozenset(slides)
        self.joints = len(self.numbers)

    def read(self) -> LogDescription:
        quantities = {kind: self._quantity(kind) for kind in UNITS if kind in self.top}
        base, contacts = self._base(), self._contacts()
        for kind in ("position",) if base else ("position", "torque"):
            if kind not in self.top:
                self.top.problem(
                    kind,
                    f"the description of a log requires '{kind}'",
                    f"{kind}: {{columns: [...], unit: {SI[kind]}}}",
                )
        self._check_floating(base, contacts)
        further = [("base", part) for part in base.values()] + [("contacts", part) for _, part in contacts]
        self._check_twice([*quantities.items(), *further])
        empty = Quantity((), (), "")
        return LogDescription(
            quantities.get("position", empty),
            quantities.get("torque", empty),
            velocity=quantities.get("velocity"),
            acceleration=quantities.get("acceleration"),
            reference=quantities.get("reference"),
            rate=self._rate(),
            time=self._time(),
            transmission=self._transmission(quantities),
            controller=self._controller(quantities),
            delay=self._delay(),
            payload=self._payload(),
            base=tuple(base.items()),
            contacts=tuple(contacts),
        )

    @property
    def _which(self) -> str:
        return f"one per joint ({', '.join(map(str, self.numbers))})"

    def _quantity(self, kind: str) -> Quantity:
        record = self.top.record(kind, ("columns", "unit", "side", "file", "scale"))
        names = self._texts(record, "columns")
        if len(names) != self.joints:
            record.problem("columns", f"expected {self.joints} columns, {self._which}, got {len(names)}")
        side = record.choice("side", ("joint", "motor"), "joint")
        units = self._units(record, kind, side == "joint")
        if "A" in units and "scale" not in record and not self.gains:
            record.problem(
                "unit",
                "a current requires 'scale', the torque per ampere of each motor",
                "add scale: [...], or give the option 'drive_gains'",
            )
        scale = self._numbers(record, "scale") if "scale" in record else [1.0] * self.joints
        if 0 in scale:
            record.problem("scale", "the scale of a column is zero", "give a nonzero scale for each joint")
        file = record.text("file")
        factors = tuple(UNITS[kind][unit] * x for unit, x in zip(units, scale, strict=True))
        listed = ", ".join(dict.fromkeys(units))
        return Quantity(tuple(names), factors, listed, side == "motor", self.folder / file if file else None)

    def _units(self, record: Record, kind: str, at_joints: bool) -> list[str]:
        """Return the unit of each joint; the description gives a list, or one unit for all joints.

        Args:
            record: mapping with the key `unit`.
            kind: physical quantity.
            at_joints: whether the values are on the joint side of the transmission.
        """
        if isinstance(record.node.entries.get("unit"), YamlList):
            units = self._texts(record, "unit", "a unit")
            unknown = next((unit for unit in units if unit not in UNITS[kind]), None)
            if unknown is not None:
                record.problem("unit", f"'{unknown[:40]}' is not one of {', '.join(UNITS[kind])}")
            if len(units) != self.joints:
                record.problem("unit", f"expected {self.joints} units, {self._which}, got {len(units)}")
            if unknown is not None or len(units) != self.joints:
                return [SI[kind]] * self.joints
        else:
            units = [record.choice("unit", list(UNITS[kind]), SI[kind])] * self.joints
        for j, unit in zip(self.numbers, units, strict=True):
            if at_joints and unit in (TURNING if j in self.slides else SLIDING):
                what = "is prismatic" if j in self.slides else "is revolute"
                record.problem(
                    "unit",
                    f"'{unit}' is not a unit of joint {j}, which {what}",
                    "give a unit for each joint, as in unit: [deg, mm]",
                )
                break
        return units

    def _base(self) -> dict[str, Quantity]:
        """Return the quantities of a floating base by name."""
        record = self.top.record("base", COMPONENTS)
        quantities = {}
        for name in (name for name in COMPONENTS if name in record):
            keys = ("order",) if name == ORIENTATION else ("unit",)
            part = record.record(name, ("columns", "file", *keys))
            columns = self._components(part, (COMPONENTS[name],))
            if name == ORIENTATION:
                order = QUATERNION_ORDERS[part.choice("order", list(QUATERNION_ORDERS), "wxyz")]
                columns = [columns[k] for k in order] if len(columns) == len(order) else columns
            units = BASE_UNITS[name]
            unit = part.choice("unit", list(units), next(iter(units)))
            quantities[name] = self._of_columns(part, columns, units[unit], unit)
        return quantities

    def _contacts(self) -> list[tuple[Contact, Quantity]]:
        """Return the contacts of a floating robot, each with the columns of its force or wrench."""
        contacts = []
        for k, node in enumerate(self.top.items("contacts")):
            keys = ("frame", "point", "columns", "axes", "by", "unit", "file")
            record = Record(self.report, node, f"contacts[{k + 1}]", keys)
            if "frame" not in record:
                record.problem("frame", "a contact requires 'frame', the number or name of a frame")
            frame = record.text("frame")
            columns = self._components(record, (3, 6))
            zero = formula(0)
            x, y, z = (value.number for value in record.vector("point", 3, (zero, zero, zero)))
            if x is None or y is None or z is None:
                record.problem("point", "expected 3 numbers")
            contact = Contact(
                int(frame) if frame.isascii() and frame.isdigit() else frame,
                (x or 0.0, y or 0.0, z or 0.0),
                record.choice("axes", AXES, AXES[0]),
                record.choice("by", SOURCES, SOURCES[0]),
            )
            unit = record.choice("unit", list(CONTACT_UNITS), "N")
            contacts.append((contact, self._of_columns(record, columns, CONTACT_UNITS[unit], unit)))
        return contacts

    def _check_floating(
        self, base: Mapping[str, Quantity], contacts: Sequence[tuple[Contact, Quantity]]
    ) -> None:
        if not base and not contacts:
            return
        try:
            check_quantities(base, any(contact.axes == "world" for contact, _ in contacts))
        except ArgumentError as error:
            self.top.problem("base", error.message, error.hint)

    def _components(self, record: Record, counts: Sequence[int]) -> list[str]:
        names = self._texts(record, "columns")
        if len(names) not in counts:
            expected = " or ".join(map(str, counts))
            record.problem("columns", f"expected {expected} columns, got {len(names)}")
        return names

    def _of_columns(self, record: Record, columns: Sequence[str], factor: float, unit: str) -> Quantity:
        file = record.text("file")
        factors = (factor,) * len(columns)
        return Quantity(tuple(columns), factors, unit, file=self.folder / file if file else None)

    def _check_twice(self, quantities: Sequence[tuple[str, Quantity]]) -> None:
        """Report an error if a column is used for two quantities or for two joints.

        Args:
            quantities: the columns, each with the key of the description that contains them.
        """
        used = Counter((part.file, name) for _, part in quantities for name in part.columns)
        for kind, part in quantities:
            twice = next((name for name in part.columns if used[part.file, name] > 1), None)
            if twice is not None:
                self.top.problem(kind, f"column '{twice}' is used twice", "give each joint a separate column")
                return

    def _texts(self, record: Record, key: str, what: str = "the name of a column") -> list[str]:
        texts = []
        for item in record.items(key):
            if isinstance(item, YamlScalar) and not item.is_null:
                texts.append(item.text)
            else:
                self.report.add(f"expected {what}", item.spot, record.full(key))
        return texts

    def _numbers(self, record: Record, key: str) -> list[float]:
        values = [formula.number for formula in record.entries(key)]
        if None in values:
            record.problem(key, "expected numbers")
            return [1.0] * self.joints
        if len(values) != self.joints:
            record.problem(key, f"expected {self.joints} numbers, {self._which}, got {len(values)}")
            return [1.0] * self.joints
        return [value or 0.0 for value in values]

    def _rate(self) -> float | None:
        if "rate" not in self.top:
            return None
        rate = self.top.number("rate")
        if rate is not None and rate <= 0:
            self.top.problem("rate", f"expected a positive number of samples per second, got {rate:g}")
        return rate

    def _delay(self) -> float | str | None:
        if "delay" not in self.top:
            return None
        text = self.top.text("delay")
        if text == ESTIMATE:
            self.top.problem(
                "delay",
                f"expected seconds or '{HOLD}', got '{ESTIMATE}'",
                "estimate the delay of all logs with the option 'delay'",
            )
        return text if text in (HOLD, ESTIMATE) else self.top.number("delay")

    def _payload(self) -> LogPayload | None:
        node = self.top.node.entries.get("payload")
        if node is None:
            return None
        fields: dict[str, Any] | str
        if isinstance(node, YamlScalar):
            fields = self.top.text("payload")
        else:
            record = self.top.record("payload", PAYLOAD_KEYS)
            fields = {key: record.text(key) for key in ("unknown", "link") if key in record}
            fields |= {"mass": record.number("mass")} if "mass" in record else {}
            fields |= {
                key: [x.text for x in record.entries(key)] for key in ("com", "inertia") if key in record
            }
        try:
            return log_payload(fields)
        except ArgumentError as error:
            self.top.problem("payload", error.message.removeprefix("payload: "), error.hint)
            return None

    def _time(self) -> Quantity | None:
        if "time" not in self.top:
            if "rate" not in self.top:
                self.top.problem(
                    "time", "expected 'time' or 'rate'", "rate: 1000, or time: {column: t, unit: s}"
                )
            return None
        record = self.top.record("time", ("column", "unit", "file"))
        if "column" not in record:
            record.problem("column", "the time requires 'column', the name of its column")
        unit, file = record.choice("unit", list(TIME), "s"), record.text("file")
        return Quantity(
            (record.text("column"),), (TIME[unit],), unit, file=self.folder / file if file else None
        )

    def _transmission(self, quantities: dict[str, Quantity]) -> Transmission | None:
        if "transmission" not in self.top:
            for kind, quantity in quantities.items():
                if quantity.motor:
                    self.top.problem(kind, "quantities on the motor side require 'transmission'", _RATIOS)
            return None
        record = self.top.record("transmission", ("ratios", "turns_with", "matrix"))
        if ("ratios" in record) == ("matrix" in record):
            record.problem("ratios", "expected one of 'ratios' and 'matrix'")
            return None
        try:
            if "matrix" in record:
                return self._matrix(record)
            return transmission(self._numbers(record, "ratios"), self._turns_with(record), self.numbers)
        except ArgumentError as error:
            record.problem("ratios" if "ratios" in record else "matrix", error.message, error.hint)
            return None

    def _matrix(self, record: Record) -> Transmission | None:
        n = self.joints
        rows = record.items("matrix")
        if len(rows) != n or not all(isinstance(row, YamlList) and len(row.items) == n for row in rows):
            record.problem("matrix", f"expected {n} rows of {n} numbers")
            return None
        entries = [formula.number for formula in record.entries("matrix")]
        if None in entries:
            record.problem("matrix", "expected numbers")
            return None
        numbers = [entry or 0.0 for entry in entries]
        return Transmission(tuple(tuple(numbers[k * n : (k + 1) * n]) for k in range(n)))

    def _turns_with(self, record: Record) -> dict[int, dict[int, float]]:
        turns_with = record.record("turns_with", record.keys_of("turns_with"))
        motors: dict[int, dict[int, float]] = {}
        for motor in turns_with.node.entries:
            others = turns_with.record(motor, turns_with.keys_of(motor))
            ratios = {joint: others.number(joint) or 0.0 for joint in others.node.entries}
            known = {self._number(others, joint): ratio for joint, ratio in ratios.items()}
            motors[self._number(turns_with, motor)] = {j: ratio for j, ratio in known.items() if j}
        return {motor: others for motor, others in motors.items() if motor}

    def _number(self, record: Record, key: str) -> int:
        """Return the joint number that is the key of an entry of a mapping; 0 if the key is not a joint number.

        An invalid key is added to the list of errors.

        Args:
            record: the mapping.
            key: the key.
        """
        if key.isascii() and key.isdigit() and int(key[:9]) in self.numbers:
            return int(key)
        record.report.add(
            f"expected the number of a joint, {', '.join(map(str, self.numbers))}, got '{key[:20]}'",
            record.spot_of(key),
        )
        return 0

    def _controller(self, quantities: dict[str, Quantity]) -> PdController | None:
        if "controller" not in self.top:
            return None
        record = self.top.record("controller", ("kp", "kd"))
        for key in ("kp", "kd"):
            if key not in record:
                record.problem(key, f"the controller requires '{key}', one gain per joint")
        if "reference" not in quantities:
            self.top.problem("controller", "a controller requires 'reference', the desired positions")
        return PdController(tuple(self._numbers(record, "kp")), tuple(self._numbers(record, "kd")))
