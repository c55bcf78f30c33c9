"""Measures of a sweep: numbers that summarise the outputs of models in each row.

    reach                  distance of the end effector from the origin of frame 0
    position               its coordinates x, y, z in frame 0
    within-limits          1 if the joint positions, plus multiples of 2 pi, are within the limits, 0 if they are not
    manipulability, condition, inverse-condition, rank, singular-values, singularity-distance       (module `jacobians`)
    max:OUTPUT             largest magnitude of the entries of an output of the model
    rms:OUTPUT             root mean square of its entries
    energy                 kinetic and potential energy (model `energy`)
    stiffness              smallest translational stiffness of the end effector,  1 / largest eigenvalue of Jv k^-1 Jv'
    frequencies            sqrt(eigenvalues of A^-1 k) / 2 pi of the joints with stiffness k; the other joints are held
    torque-peak, speed-peak, drive-energy       along a trajectory: largest magnitude of the torque and velocity of each
                           active joint, and the energy that each drive supplies

The joint stiffnesses k are those of the robot's elastic joints, or those of the option `stiffness`. Gravity does not
enter the frequencies: its gradient is small compared with the stiffness of a joint. Peaks are those of the samples of
the trajectory, `step` apart; energies are integrated with the trapezoidal rule (`symoro.torques` computes both between
the samples too, for one robot).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from symoro.errors import NotApplicableError, OptionError, UnknownNameError
from symoro.models.catalogue import entry
from symoro.models.geometric.loop.mechanism import active_joints
from symoro.notation import UNITS
from symoro.program.program import Output
from symoro.robot.coordinates import independent
from symoro.robot.description import BaseKind, JointType, Robot
from symoro.robot.flexibility import flexible_links
from symoro.robot.records import Link
from symoro.robot.topology import elastic_joints
from symoro.runtime.solutions import within_limits
from symoro.study import jacobians
from symoro.study.evaluation import GIVEN, Block, Evaluation, Measure, SweepRequest, no_symbols
from symoro.study.quantities import Column, output_columns
from symoro.study.ranges import Array

if TYPE_CHECKING:
    from symoro.trajectory.samples import Samples


def _one(name: str, unit: str = "") -> Callable[[Evaluation], list[Column]]:
    return lambda evaluation: [Column(name, unit)]


# -- geometry and Jacobians


def _positions(block: Block) -> Array:
    return block.outputs("fast-geometry")["T"][:, :3, 3]


def _within_limits(block: Block) -> Array:
    inside = within_limits(block.robot, block.joint_positions, turns=True)
    return np.where(block.closed, inside.astype(float), np.nan)


def _reach(block: Block) -> Array:
    return np.asarray(np.linalg.norm(_positions(block), axis=1))


def _singular_value_columns(evaluation: Evaluation) -> list[Column]:
    (J,) = [port for port in evaluation.model("jacobian").program.outputs if port.name == "J"]
    count = min(len(evaluation.request.task), J.shape[1])
    return [Column(f"sigma{k + 1}", "") for k in range(count)]


def _distance_columns(evaluation: Evaluation) -> list[Column]:
    if evaluation.robot.B:
        return [Column(f"singularity_distance_{kind}", "") for kind in ("serial", "parallel")]
    return [Column("singularity_distance", "")]


def _distances(block: Block) -> Array:
    if not block.robot.B:
        return block.singular_values[:, -1]
    return np.stack(jacobians.singularity_distances(block.singular_values, block.closed), axis=1)


# -- outputs of the model


def outputs_of_model() -> Measure:
    """Return all outputs of the model of a sweep as a measure."""

    def columns(evaluation: Evaluation) -> list[Column]:
        return [one for port in _ports(evaluation) for one in output_columns(*_shown(evaluation, port))[0]]

    def values(block: Block) -> Array:
        results = block.outputs(GIVEN)
        parts = []
        for port in _ports(block.evaluation):
            factors = output_columns(*_shown(block.evaluation, port))[1]
            parts.append(np.reshape(results[port.name], (block.rows, -1)) * factors)
        return np.concatenate(parts, axis=1)

    return Measure((GIVEN,), columns, values)


def _ports(evaluation: Evaluation) -> tuple[Output, ...]:
    return evaluation.model(GIVEN).program.outputs


def _shown(evaluation: Evaluation, port: Output) -> tuple[Robot, Output, bool]:
    return evaluation.robot, port, evaluation.request.degrees


def _of_output(kind: str, name: str) -> Measure:
    """Return the measure 'max' or 'rms' of an output of the model."""

    def columns(evaluation: Evaluation) -> list[Column]:
        known = {port.name: port for port in _ports(evaluation)}
        if name not in known:
            raise UnknownNameError(f"output of {entry(evaluation.request.model).id}", name, list(known))
        return [Column(f"{kind}_{name}", known[name].unit)]

    def values(block: Block) -> Array:
        entries = np.reshape(block.outputs(GIVEN)[name], (block.rows, -1))
        return np.asarray(np.abs(entries).max(1) if kind == "max" else np.sqrt((entries**2).mean(1)))

    return Measure((GIVEN,), columns, values)


# -- energy, stiffness, frequencies


def _energies(block: Block) -> Array:
    results = block.outputs("energy")
    return np.stack([results["E"], results["U"]], axis=1)


def _joint_stiffness(evaluation: Evaluation, block: Block | None = None) -> tuple[list[int], Array]:
    """Return the indices of the joints with a stiffness, and the stiffnesses (rows or 1, joints).

    Raises:
        NotApplicableError: the robot is not an open chain on a fixed base with rigid links.
        OptionError: no joint has a stiffness, or one is not positive.
    """
    robot, joints = evaluation.robot, independent(evaluation.robot)
    if robot.B or robot.wheels or robot.base.kind == BaseKind.FLOATING or flexible_links(robot):
        raise NotApplicableError(
            f"stiffness and frequencies do not apply to robot '{robot.name}': they require an open chain of rigid "
            "links on a fixed base"
        )
    given = evaluation.request.stiffness
    if given is not None:
        values = given * len(joints) if len(given) == 1 else given
        if len(values) != len(joints) or not all(k > 0 for k in values):
            raise OptionError(
                f"stiffness: expected one positive number or one per joint ({len(joints)}), got {list(given)}"
            )
        return list(range(len(joints))), np.array([values], dtype=float)
    elastic = [k for k, j in enumerate(joints) if j in elastic_joints(robot)]
    if not elastic:
        raise OptionError(
            f"robot '{robot.name}' has no elastic joints: the joint stiffnesses are missing",
            hint="give the option 'stiffness' (N m/rad), one number for all joints or one per joint",
        )
    formulas = [robot.frame(joints[k]).k for k in elastic]
    varies = block is not None and any(name in block.swept for f in formulas for name in f.symbols)
    count = block.rows if block is not None and varies else 1
    parameters = [evaluation.values if block is None else block.parameters(row) for row in range(count)]
    known = [one for one in parameters if all(name in one for f in formulas for name in f.symbols)]
    return elastic, np.array([[f.value(one) for f in formulas] for one in known])


def _stiffness_symbols(evaluation: Evaluation) -> list[str]:
    robot = evaluation.robot
    elastic = elastic_joints(robot) if evaluation.request.stiffness is None else []
    return [name for j in elastic for name in robot.frame(j).k.symbols]


def _frequency_columns(evaluation: Evaluation) -> list[Column]:
    elastic, _ = _joint_stiffness(evaluation)
    return [Column(f"frequency{k + 1}", "Hz") for k in range(len(elastic))]


def _frequencies(block: Block) -> Array:
    """Return the natural frequencies in ascending order.

    With k^(1/2) =: r, the eigenvalues of A^-1 k are the reciprocals of those of the symmetric matrix r^-1 A r^-1.
    """
    elastic, k = _joint_stiffness(block.evaluation, block)
    A = block.outputs("inertia-matrix")["A"][:, elastic][:, :, elastic]
    root = np.sqrt(k)
    scaled = A / root[:, :, None] / root[:, None, :]
    good = jacobians.finite_rows(scaled)
    values = np.full(scaled.shape[:2], np.nan)
    values[good] = np.linalg.eigvalsh(scaled[good])
    return np.asarray(1 / np.sqrt(values[:, ::-1]) / (2 * np.pi))


def _stiffness_columns(evaluation: Evaluation) -> list[Column]:
    _joint_stiffness(evaluation)
    return [Column("stiffness", "N/m")]


def _stiffness(block: Block) -> Array:
    elastic, k = _joint_stiffness(block.evaluation, block)
    J = block.outputs("jacobian")["J"][:, :3, elastic] / np.sqrt(k)[:, None, :]
    return 1 / jacobians.singular_values(J)[:, 0] ** 2


# -- along a trajectory


def _driven_columns(name: str, unit: str) -> Callable[[Evaluation], list[Column]]:
    def columns(evaluation: Evaluation) -> list[Column]:
        robot = evaluation.robot
        units = unit.split(", ")
        kinds = [robot.frame(j).sigma == JointType.PRISMATIC for j in _driven(robot)]
        return [
            Column(f"{name}{j}", units[-1 if slides else 0])
            for j, slides in zip(_driven(robot), kinds, strict=True)
        ]

    return columns


def _driven(robot: Robot) -> list[int]:
    return active_joints(robot) if robot.B else independent(robot)


def _along(work: Callable[[Samples, Array], Array], torque: bool = True) -> Callable[[Block], Array]:
    """Return the values of a measure along the trajectory, row by row.

    Args:
        work: function of the samples (N times) and the torques (N, n) that returns one number per joint.
        torque: whether the torques are needed.
    """

    def values(block: Block) -> Array:
        evaluation, rows = block.evaluation, []
        for row in range(block.rows):
            samples = _samples(block, row)
            rows.append(work(samples, _torques(evaluation, block, row, samples) if torque else samples.qd))
        return np.array(rows)

    return values


def _samples(block: Block, row: int) -> Samples:
    """Return the sampled motion of one row; it is shared by rows with the same values of the geometric symbols."""
    from symoro.trajectory.samples import Samples
    from symoro.trajectory.sampling import sampled

    request = block.request
    assert request.trajectory is not None
    if isinstance(request.trajectory, Samples):
        return request.trajectory
    motions, values = block.evaluation.motions, block.parameters(row)
    key = tuple(values[name] for name in _moving_symbols(block.evaluation))
    motion = motions.get(key)
    if motion is None:
        motion = sampled(block.robot, request.trajectory, step=request.step, values=values)
        motions.clear()
        motions[key] = motion
    return motion


def _moving_symbols(evaluation: Evaluation) -> list[str]:
    """Return the swept symbols on which the motion of the joints can depend.

    A trajectory of joints is the same for all robots. A trajectory of poses, and the passive joints of loops, depend on
    the geometry but not on inertial parameters.
    """
    robot = evaluation.robot
    if not getattr(evaluation.request.trajectory, "has_poses", False) and not robot.B:
        return []
    massless = tuple(Link(name=link.name, flexible=link.flexible) for link in robot.links)
    geometry = replace(robot, links=massless, payload=None).symbols()
    return [name for name in evaluation.rows.names if name in geometry]


def _torques(evaluation: Evaluation, block: Block, row: int, samples: Samples) -> Array:
    model = evaluation.model("inverse-dynamics")
    state = {"q": samples.q if samples.tree is None else samples.tree}
    rates = {"qd": samples.qd, "qdd": samples.qdd, "qda": samples.qd, "qdda": samples.qdd}
    names = [port.name for port in model.program.inputs]
    inputs = {name: array for name, array in {**state, **rates}.items() if name in names}
    if model.swept:
        inputs["p"] = np.array([block.swept[name][row] for name in model.swept])
    return np.asarray(model.function(**inputs)["tau"])


def _peak_torques(samples: Samples, tau: Array) -> Array:
    return np.asarray(np.abs(tau).max(0))


def _peak_speeds(samples: Samples, tau: Array) -> Array:
    return np.asarray(np.abs(samples.qd).max(0))


def _drive_energies(samples: Samples, tau: Array) -> Array:
    power = tau * samples.qd
    return np.asarray(((power[1:] + power[:-1]) / 2 * np.diff(samples.t)[:, None]).sum(0))


MEASURES: dict[str, Measure] = {
    "reach": Measure(("fast-geometry",), _one("reach", "m"), _reach),
    "position": Measure(("fast-geometry",), lambda _: [Column(axis, "m") for axis in "xyz"], _positions),
    "within-limits": Measure(("fast-geometry",), _one("within_limits"), _within_limits),
    "condition": Measure(
        ("jacobian",), _one("condition"), lambda block: jacobians.condition(block.singular_values)
    ),
    "inverse-condition": Measure(
        ("jacobian",), _one("inverse_condition"), lambda block: 1 / jacobians.condition(block.singular_values)
    ),
    "rank": Measure(("jacobian",), _one("rank"), lambda block: jacobians.rank(block.singular_values)),
    "singular-values": Measure(("jacobian",), _singular_value_columns, lambda block: block.singular_values),
    "singularity-distance": Measure(("jacobian",), _distance_columns, _distances),
    "manipulability": Measure(
        ("jacobian",), _one("manipulability"), lambda block: jacobians.manipulability(block.jacobian)
    ),
    "energy": Measure(("energy",), lambda _: [Column(name, "J") for name in ("E", "U")], _energies),
    "stiffness": Measure(("jacobian",), _stiffness_columns, _stiffness, _stiffness_symbols),
    "frequencies": Measure(("inertia-matrix",), _frequency_columns, _frequencies, _stiffness_symbols),
    "torque-peak": Measure(
        ("inverse-dynamics",),
        _driven_columns("torque_peak", UNITS["tau"]),
        _along(_peak_torques),
        no_symbols,
        True,
    ),
    "speed-peak": Measure(
        (),
        _driven_columns("speed_peak", UNITS["qd"]),
        _along(_peak_speeds, torque=False),
        no_symbols,
        True,
    ),
    "drive-energy": Measure(
        ("inverse-dynamics",),
        _driven_columns("drive_energy", "J"),
        _along(_drive_energies),
        no_symbols,
        True,
    ),
}
"""Measures by name; max:OUTPUT and rms:OUTPUT are in addition."""
OF_OUTPUTS = ("max", "rms")


def measure_named(name: str, request: SweepRequest) -> Measure:
    """Return the measure with a name, such as 'reach' or 'max:tau'.

    Raises:
        UnknownNameError: there is no such measure.
        OptionError: the measure requires a trajectory.
    """
    kind, colon, output = name.partition(":")
    if colon and kind in OF_OUTPUTS:
        return _of_output(kind, output)
    if name not in MEASURES:
        known = [*MEASURES, *(f"{one}:OUTPUT" for one in OF_OUTPUTS)]
        raise UnknownNameError("measure", name, known)
    measure = MEASURES[name]
    if measure.along_trajectory and request.trajectory is None:
        raise OptionError(
            f"the measure '{name}' requires a motion", hint="give a trajectory with the option 'trajectory'"
        )
    return measure


def planned(request: SweepRequest) -> Evaluation:
    """Derive and compile the models of a sweep, after checking its names, ranges and values.

    Raises:
        UnknownNameError, OptionError, ArgumentError, NotApplicableError: the request is not valid.
    """
    measures = [measure_named(name, request) for name in request.measures] or [outputs_of_model()]
    if request.trajectory is not None and not any(one.along_trajectory for one in measures):
        along = ", ".join(name for name, one in MEASURES.items() if one.along_trajectory)
        raise OptionError(
            "the trajectory has no effect: no measure is computed along it", hint=f"such measures are {along}"
        )
    return Evaluation(request, measures)
