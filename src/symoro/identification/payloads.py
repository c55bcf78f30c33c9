"""Regressor columns of the payloads of logs, and the estimated payloads.

A payload p with the standard parameters x (10) adds B x to the base parameters of the robot that carries it, where B is
the image of its link's standard parameters in the base parameters. In a log with this payload

    y = W (K + B x),     columns W B for an unknown payload,     y - W B x for a known one

for every identification model, because rows and filters are linear in W. K is common to all logs. A log without an
unknown payload is required, otherwise x cannot be separated from the link that carries the payload.

If the columns of B are linearly dependent, only combinations of the parameters of the payload affect the torques. A
dependent parameter is grouped with independent ones, as base parameters are.

W. Khalil, M. Gautier, P. Lemoine, "Identification of the payload inertial parameters of industrial manipulators", ICRA
2007.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symoro.display import OneLineRepr
from symoro.errors import ArgumentError, NotApplicableError
from symoro.expr.formula import ZERO, Formula, formula
from symoro.identification.diagnostics import DiagnosticWarning, warning
from symoro.identification.identified_robot import inertial_links
from symoro.identification.log_payload import LogPayload, payload_kind
from symoro.identification.tolerances import SIGNIFICANT
from symoro.models.identification.base.parameters import BaseParameters
from symoro.models.numeric.tree import local_pose
from symoro.models.rank import rank
from symoro.models.tolerances import ANGLE_TOLERANCE, EVALUATED, WELL_CONDITIONED
from symoro.models.units import column_length_power
from symoro.robot.centre import in_other_frame
from symoro.robot.description import INERTIAL, Robot
from symoro.robot.payload import payload_frame
from symoro.robot.records import LinkFrame
from symoro.robot.size import characteristic_length

if TYPE_CHECKING:
    from symoro.identification.base_motion import BaseMotion
    from symoro.identification.equations import Booleans, RowModel
    from symoro.identification.regression import Estimate

Array = NDArray[np.float64]
PREFERRED = (
    "M",
    "MX",
    "MY",
    "MZ",
    "ZZ",
    "XX",
    "YY",
    "XY",
    "XZ",
    "YZ",
)  # dependent ones are grouped with earlier ones
KNOWN = "known torques"  # name of the column of known torques, for the estimation of drive gains


# -- columns


@dataclass(frozen=True, eq=False)
class PayloadMap:
    """Effect of one payload on the base parameters.

    Attributes:
        payload: the payload.
        names: names of its parameters that are estimated; empty if it is known.
        matrix: change of the P base and friction parameters for a unit change of each of these, (P, names).
        known: change of these parameters by what is known of the payload, (P,).
        relations: for each estimated parameter the coefficients of the parameters that are grouped with it.
        no_effect: names of its parameters that do not affect any torque, except by rounding errors of angles.
    """

    payload: LogPayload
    names: tuple[str, ...]
    matrix: Array
    known: Array
    relations: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    no_effect: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class PayloadColumns:
    """Columns of the payloads of all logs, which follow the P columns of the robot.

    Attributes:
        robot_columns: the number P.
        maps: the effect of each payload.
        known_column: whether the known torques are the last column of the rows, instead of subtracted from y.
    """

    robot_columns: int
    maps: tuple[PayloadMap, ...]
    known_column: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns of all unknown payloads."""
        return tuple(name for one in self.maps for name in one.names)

    def support(self, support: Booleans) -> Booleans:
        """Return the support of the columns of the unknown payloads.

        Args:
            support: (e, P), False where the robot's regressor is zero for every motion.
        """
        parts = [support.astype(int) @ (one.matrix != 0).astype(int) > 0 for one in self.maps]
        return np.hstack([np.zeros((len(support), 0), dtype=bool), *parts])

    def extended(self, A: Array, y: Array, payload: LogPayload | None) -> tuple[Array, Array]:
        """Return rows of a log with the columns of all payloads, and without the torques of a known payload.

        Args:
            A: regressor of the robot (..., P), or (..., P + 1) with the column of known torques.
            y: measurements.
            payload: payload of the log.
        """
        P, first = self.robot_columns, self.robot_columns
        wide = np.zeros((*A.shape[:-1], A.shape[-1] + len(self.names)))
        wide[..., :P] = A[..., :P]
        if self.known_column:
            wide[..., -1] = A[..., -1]
        for one in self.maps:
            if one.payload == payload:
                wide[..., first : first + len(one.names)] = A[..., :P] @ one.matrix
                torques = A[..., :P] @ one.known
                if self.known_column:
                    wide[..., -1] += torques
                else:
                    y = y - torques
            first += len(one.names)
        return wide, y

    def at_random(self, rows: Array) -> Array:
        """Return rows at random motions without a payload and with each unknown payload, one after the other.

        Args:
            rows: regressor of the robot (rows, P).
        """
        y = np.zeros(len(rows))
        unknown = [one.payload for one in self.maps if one.names]
        return np.vstack([self.extended(rows, y, payload)[0] for payload in (None, *unknown)])


def with_payloads(model: RowModel, columns: PayloadColumns | None) -> RowModel:
    """Return the identification model with the columns of payloads; the model itself if there are none."""
    if columns is None:
        return model
    support = np.hstack([model.support, columns.support(model.support)])
    return replace(model, names=(*model.names, *columns.names), support=support, payloads=columns)


def with_known_column(model: RowModel) -> RowModel:
    """Return the identification model with the known torques as its last column, instead of subtracted from y."""
    assert model.payloads is not None

    def parts(
        q: Array, qd: Array, qdd: Array, tau: Array, base: BaseMotion | None = None
    ) -> tuple[Array | None, Array, Array]:
        momentum, A, y = model.parts(q, qd, qdd, tau, base)
        known = (tau - y)[..., None]
        if momentum is not None:
            momentum = np.concatenate([momentum, np.zeros_like(known)], axis=-1)
        return momentum, np.concatenate([A, known], axis=-1), tau

    support = np.hstack([model.support, np.ones((len(model.support), 1), dtype=bool)])
    columns = replace(model.payloads, known_column=True)
    return replace(model, names=(*model.names, KNOWN), support=support, parts=parts, payloads=columns)


def payload_columns(
    base: BaseParameters,
    names: Sequence[str],
    payloads: Sequence[LogPayload | None],
    further: Sequence[LogPayload | None] = (),
) -> PayloadColumns | None:
    """Return the columns of the payloads of logs; None if no log has a payload.

    Args:
        base: the base parameters of the robot.
        names: names of the columns of the robot.
        payloads: payload of each log, or None.
        further: payload of each validation log, or None; those that are known are considered.

    Raises:
        ArgumentError: the payloads contradict each other or the robot, or cannot be separated from the robot.
    """
    validated = [one for one in further if one is not None and one.unknown is None]
    distinct = tuple(dict.fromkeys(one for one in (*payloads, *validated) if one is not None))
    if not distinct:
        return None
    robot = base.original
    if robot.tool and robot.payload and any(not getattr(robot.payload, kind).is_zero for kind in INERTIAL):
        raise ArgumentError(
            f"robot '{robot.name}' has a payload, and a log has another one: both cannot be true of this log",
            hint="give the payload of every log, and remove that of the robot",
        )
    for one in distinct:
        other = next((two for two in distinct if two.unknown == one.unknown and two != one), None)
        if one.unknown is not None and other is not None:
            raise ArgumentError(
                f"payload '{one.unknown}' is described differently in two logs: {one}; {other}",
                hint="give another name to another payload",
            )
    if all(one is not None and one.unknown is not None for one in payloads):
        raise ArgumentError(
            "every log has an unknown payload: its parameters cannot be separated from those of the link that "
            "carries it",
            hint="add a log without a payload, or with a known one",
        )
    return PayloadColumns(len(names), tuple(_payload_map(base, names, one) for one in distinct))


def _payload_map(base: BaseParameters, names: Sequence[str], payload: LogPayload) -> PayloadMap:
    robot = base.original
    link, pose = _carrier(robot, payload.link)
    standard = [f"{kind}{link}" for kind in INERTIAL]
    grouping = grouping_matrix(base, list(base.relations), standard)
    left_out = [k for k, name in enumerate(base.relations) if name not in names]
    effect = grouping @ pose
    if left_out and (effect[left_out] != 0).any():
        missing = [list(base.relations)[k] for k in left_out if (effect[k] != 0).any()]
        raise ArgumentError(
            f"without: a payload changes {', '.join(missing)}, which is left out",
            hint="estimate these parameters too",
        )
    matrix = np.zeros((len(names), len(INERTIAL)))
    for row, name in zip(effect, base.relations, strict=True):
        if name in names:
            matrix[list(names).index(name)] = row
    if not matrix.any():
        raise ArgumentError(
            f"the payload ({payload}) has no effect on any torque: link {link} does not move",
            hint="give the link that carries it",
        )
    if payload.unknown is None:
        return PayloadMap(payload, (), matrix[:, :0], matrix @ np.array(payload.parameters))
    mass = INERTIAL.index("M")
    known = np.zeros(len(names)) if payload.mass is None else payload.mass * matrix[:, mass]
    kinds = [kind for kind in PREFERRED if kind != "M" or payload.mass is None]
    kept, relations, idle = _groups(robot, names, matrix, kinds)
    suffix = payload.unknown
    return PayloadMap(
        payload,
        tuple(f"{kind}_{suffix}" for kind in kept),
        matrix[:, [INERTIAL.index(kind) for kind in kept]],
        known,
        {
            f"{kind}_{suffix}": {f"{other}_{suffix}": value for other, value in others.items()}
            for kind, others in relations.items()
        },
        tuple(f"{kind}_{suffix}" for kind in idle),
    )


def _groups(
    robot: Robot, names: Sequence[str], matrix: Array, kinds: Sequence[str]
) -> tuple[list[str], dict[str, dict[str, float]], list[str]]:
    """Return the independent parameters of a payload, those that are grouped with them, and those without effect.

    Args:
        robot: the robot.
        names: names of the rows of the matrix.
        matrix: effect of the ten parameters of a payload on the parameters of the robot, (P, 10).
        kinds: the parameters of the payload, in the order in which independent ones are selected.

    Raises:
        ArgumentError: the rank of the matrix is not clear.
    """
    length = characteristic_length(robot)
    rows = np.array([length ** -column_length_power(robot, name) for name in names])
    columns = np.array([length ** column_length_power(robot, f"{kind}1") for kind in kinds])
    unit = (rows[:, None] * matrix[:, [INERTIAL.index(kind) for kind in kinds]] * columns).T
    independent = _independent_rows(unit)
    if rank(unit, EVALUATED) != len(independent):
        raise ArgumentError(
            "the parameters of the payload that affect the torques are not clearly determined: the geometry of robot "
            f"'{robot.name}' is nearly degenerate",
            hint="check angles and lengths that are almost zero",
        )
    relations: dict[str, dict[str, float]] = {kinds[k]: {} for k in independent}
    idle = []
    for k in (k for k in range(len(kinds)) if k not in independent):
        shares = np.linalg.lstsq(unit[independent].T, unit[k], rcond=None)[0]
        # a smaller share may be the rounding error of an angle of the description
        significant = [
            (i, share) for i, share in zip(independent, shares, strict=True) if abs(share) > ANGLE_TOLERANCE
        ]
        for i, share in significant:
            relations[kinds[i]][kinds[k]] = float(share * columns[i] / columns[k])
        if not significant:
            idle.append(kinds[k])
    return [kinds[k] for k in sorted(independent)], relations, idle


def _independent_rows(rows: Array) -> list[int]:
    """Return the indices of independent rows that span all rows; earlier rows are preferred.

    A row of which only a small part is independent of the selected ones is not preferred: other rows would be very
    large multiples of this part.
    """
    kept: list[int] = []
    rest, size = rows, np.linalg.norm(rows, axis=1).max()
    while (sizes := np.linalg.norm(rest, axis=1)).max() > EVALUATED.present * size:
        k = int(np.argmax(sizes > WELL_CONDITIONED * sizes.max()))
        direction = rest[k] / sizes[k]
        rest = rest - np.outer(rest @ direction, direction)
        kept.append(k)
    return kept


def _carrier(robot: Robot, link: int | str | None) -> tuple[int, Array]:
    """Return the link that carries a payload, and the matrix (10, 10) of its parameters in the frame of this link."""
    number, place = payload_frame(robot, link)
    if number not in inertial_links(robot):
        raise ArgumentError(
            "a payload on the base has no effect on any torque", hint="give the link that carries it"
        )
    numbers = dict(robot.nominal)
    if place is None:
        return number, np.eye(len(INERTIAL))
    try:
        if isinstance(place, LinkFrame):
            rotation, position = place.rotation, place.position
        else:
            pose = local_pose(place, lambda one: one.value(numbers))
            rotation = tuple(formula(float(x)) for x in pose.rotation[0].ravel())
            position = tuple(formula(float(x)) for x in pose.position[0])
        columns = []
        for kind in INERTIAL:
            body: dict[str, Formula] = {**dict.fromkeys(INERTIAL, ZERO), kind: formula(1)}
            moved = in_other_frame(body, rotation, position)
            columns.append([moved[name].value(numbers) for name in INERTIAL])
    except KeyError as error:
        raise NotApplicableError(
            f"the pose of the payload requires a number for {error}",
            hint="give the tool frame nominal values",
        ) from None
    return number, np.array(columns).T


def grouping_matrix(base: BaseParameters, names: Sequence[str], standard: Sequence[str]) -> Array:
    """Return the matrix of the linear map from standard parameters to estimated parameters, (names, standard).

    Args:
        base: the base parameters and their relations.
        names: names of the estimated parameters.
        standard: names of the standard parameters; those of friction equal the estimated ones.

    Raises:
        ArgumentError: a coefficient of a relation depends on a symbol without a number.
    """
    numbers = geometric_numbers(base.original)
    column = {name: k for k, name in enumerate(standard)}
    matrix = np.zeros((len(names), len(standard)))
    for row, name in enumerate(names):
        if name in column:
            matrix[row, column[name]] = 1.0
        for other, coefficient in base.relations.get(name, {}).items():
            if other not in column:
                continue
            value = coefficient.substitute(numbers).number
            if value is None:
                raise ArgumentError(
                    f"the grouping of {other} with {name} requires numbers for {', '.join(coefficient.symbols)}",
                    hint="give these geometric parameters nominal values",
                )
            matrix[row, column[other]] = value
    return matrix


def geometric_numbers(robot: Robot) -> dict[str, Formula]:
    """Return the nominal values of the symbols of a robot other than its inertial parameters."""
    inertial = {f"{kind}{j}" for j in range(robot.NL + 1) for kind in (*INERTIAL, "IA")}
    return {name: formula(value) for name, value in robot.nominal if name not in inertial}


# -- estimates


@dataclass(frozen=True, eq=False, repr=False)
class EstimatedPayload(OneLineRepr):
    """Estimated payload.

    Attributes:
        name: its name.
        names: names of the estimated parameters, such as MX_box, about the origin of the frame that carries it.
        values, deviations: their values and standard deviations.
        relations: for each estimated parameter the coefficients of those that are grouped with it: the value is that
            of the parameter of this name plus the sum of coefficient times grouped parameter.
        no_effect: parameters that do not affect any torque.
        mass, mass_deviation: mass in kg; the deviation of a weighed mass is zero.
        com, com_deviations: centre of mass in m (3,), in the frame that carries it.
        inertia, inertia_deviations: inertia matrix about the centre of mass in kg m^2 (3, 3), in the same axes. Values
            that the torques of the robot do not determine are NaN.
    """

    name: str
    names: tuple[str, ...]
    values: Array
    deviations: Array
    relations: Mapping[str, Mapping[str, float]]
    no_effect: tuple[str, ...]
    mass: float
    mass_deviation: float
    com: Array
    com_deviations: Array
    inertia: Array
    inertia_deviations: Array

    def __str__(self) -> str:
        if not np.isfinite(self.mass):
            return f"payload '{self.name}': the torques do not determine its mass"
        weighed = "weighed" if self.mass_deviation == 0 else f"deviation {self.mass_deviation:.2g}"
        axes = [
            f"{axis} = {value:.4g} (deviation {deviation:.2g})"
            for axis, value, deviation in zip("xyz", self.com, self.com_deviations, strict=True)
            if np.isfinite(value)
        ]
        centre = f", centre of mass in m: {', '.join(axes)}" if axes else ""
        return f"payload '{self.name}': mass {self.mass:.4g} kg ({weighed}){centre}"


def estimated_payloads(columns: PayloadColumns | None, estimate: Estimate) -> dict[str, EstimatedPayload]:
    """Return the estimated payloads by name.

    Args:
        columns: the columns of the payloads.
        estimate: the estimate of all columns.
    """
    if columns is None:
        return {}
    return {
        one.payload.unknown: _estimated(one, estimate)
        for one in columns.maps
        if one.payload.unknown is not None
    }


def _estimated(one: PayloadMap, estimate: Estimate) -> EstimatedPayload:
    at = [estimate.names.index(name) for name in one.names]
    values, covariance = estimate.values[at], estimate.covariance[np.ix_(at, at)]
    deviations = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    # the ten parameters x = mean + spread (values - estimate); a parameter of a group is not determined
    mean, spread = np.zeros(10), np.zeros((10, len(at)))
    single = set()
    for k, name in enumerate(one.names):
        kind = payload_kind(name)
        assert kind is not None
        row = INERTIAL.index(kind)
        mean[row], spread[row, k] = values[k], 1.0
        if not one.relations.get(name):
            single.add(kind)
    if one.payload.mass is not None:
        mean[INERTIAL.index("M")] = one.payload.mass
        single.add("M")
    covariances = spread @ covariance @ spread.T
    unknown = [k for k, kind in enumerate(INERTIAL) if kind not in single]
    results = []
    for function in (_mass, _centre, _central_inertia):
        value, slopes = _derived(function, mean)
        spreads = np.sqrt(np.maximum(np.einsum("...i,ij,...j->...", slopes, covariances, slopes), 0.0))
        # a value is determined if it depends on no other parameter, at parameters where no term vanishes by chance
        depends = (_derived(function, np.arange(1.0, 11.0))[1][..., unknown] != 0).any(axis=-1)
        results += [np.where(depends, np.nan, value), np.where(depends, np.nan, spreads)]
    mass, mass_deviation, *others = results
    return EstimatedPayload(
        str(one.payload.unknown),
        one.names,
        values,
        deviations,
        {name: dict(others) for name, others in one.relations.items() if others},
        one.no_effect,
        float(mass),
        float(mass_deviation),
        *others,
    )


Complex = NDArray[np.complex128]


def _mass(x: Complex) -> Complex:
    return np.asarray(x[9])


def _centre(x: Complex) -> Complex:
    return np.asarray(x[6:9] / x[9])


def _central_inertia(x: Complex) -> Complex:
    """Return I = J - m (c'c 1 - c c'), with J about the origin and c = MS / m."""
    xx, xy, xz, yy, yz, zz = x[:6]
    c = _centre(x)
    J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return np.asarray(J - x[9] * (c @ c * np.eye(3) - np.outer(c, c)))


def _derived(function: Callable[[Complex], Complex], x: Array) -> tuple[Array, Array]:
    """Return a function of the ten parameters of a payload and its derivatives, by complex steps.

    Args:
        function: `_mass`, `_centre` or `_central_inertia`.
        x: XX, XY, XZ, YY, YZ, ZZ, MX, MY, MZ, M.
    """
    step = 1e-30  # any unit: complex steps have no cancellation
    with np.errstate(invalid="ignore", divide="ignore"):  # a mass of zero: the centre of mass is not a number
        slopes = [function(x + 1j * step * unit).imag / step for unit in np.eye(len(x))]
        return function(x.astype(complex)).real, np.stack(slopes, axis=-1)


def payload_warnings(payloads: Mapping[str, EstimatedPayload]) -> list[DiagnosticWarning]:
    """Return a list with a warning if the estimated mass of a payload is negative."""
    bad = [f"M_{name}" for name, one in payloads.items() if one.mass < -SIGNIFICANT * one.mass_deviation]
    return [warning("negative-parameter", names=", ".join(bad))] if bad else []
