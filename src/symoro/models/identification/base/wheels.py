"""Base parameters of wheeled robots, from the regressor of the torques at sampled states.

Rolling constraints are nonholonomic: the torques do not follow from the energy as a function of the independent rates.
Therefore the columns of W(q, qda, qdda), not the functions of the energy, determine which parameters act in
combination. A relation between columns of W is valid for the other identification models too: the momenta are linear in
the rates and W in the accelerations, and the power is qda' W.

States with loops belong to one assembly branch (`compare`). States near a singular configuration of the wheels have
large rates of passive joints and are excluded.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symoro.errors import NotApplicableError, ProgramError
from symoro.expr.evaluate import evaluate
from symoro.models.dynamic.formulation import plain
from symoro.models.identification.base.assembly import Posture, assembled, no_assembly
from symoro.models.identification.base.compare import branch, no_motion, random_values_note, written_result
from symoro.models.identification.base.fit import EXTRA_ROWS, Fit, fitted
from symoro.models.identification.base.geometry import ParameterKey, columns
from symoro.models.identification.base.numeric import Geometry, completed, geometric_formulas, numbers
from symoro.models.identification.base.regroup import ordered
from symoro.models.identification.base.result import BaseParameters
from symoro.models.identification.column import Column
from symoro.models.identification.dynamic_regressor import regressor_program
from symoro.models.numeric.closure import closed
from symoro.models.numeric.fixed_point import Array
from symoro.models.numeric.home import closed_home
from symoro.models.tolerances import ROUNDED_COLUMN
from symoro.models.units import length_power
from symoro.program.program import Program
from symoro.robot.description import JointType, Robot
from symoro.robot.size import joint_units
from symoro.threads import one_thread

STATES = 4  # sampled states per parameter
LARGEST = 20.0  # a state whose columns are this many times larger than usual is near a singular configuration


@one_thread
def wheeled_base_parameters(
    robot: Robot, *, rotor: bool, posture: Posture | None, notes: tuple[str, ...]
) -> BaseParameters:
    """Return the base parameters of a wheeled robot at its nominal values.

    Args:
        rotor: whether rotor inertias are included, including those of passive joints, which act on the drives through
            the rolling constraints.
        posture: for closed loops, a configuration near the assembly mode; by default the robot's posture 'home'.
        notes: remarks that are added to the result.

    Raises:
        NotApplicableError: the active joints do not determine the motion, or the loops cannot be assembled.
        ProgramError: there is no gap between independent and dependent columns.
    """
    whole, random_symbols = completed(robot)
    wanted = ordered(robot, columns(robot, rotor=rotor))
    if not wanted:
        return written_result(robot, wanted, Fit([], {}, 1.0, 0.0), 1.0, "no parameters", notes)
    geometry = numbers(whole)
    rng = np.random.default_rng(3)
    count = STATES * len(wanted) + EXTRA_ROWS
    with np.errstate(all="ignore"):  # states whose columns are not finite are excluded
        q = _postures(geometry, posture, count, rng)
        rows = _regressor_rows(geometry, wanted, q, rng)
        fit = fitted(rows, np.zeros((len(rows), 0)), ROUNDED_COLUMN)
    if not (fit.clear and fit.plain):
        raise ProgramError(
            f"the numbers of robot '{robot.name}' do not show which parameters are independent: the "
            f"norms of independent columns (at least {fit.smallest:.1e}) and of dependent columns (at "
            f"most {fit.largest:.1e}) leave no gap",
            hint=(
                "replace lengths or angles that are almost equal or almost zero by exactly equal ones or zero"
            ),
        )
    method = (
        f"numeric, {count} states of the wheeled robot with link 0, verified on other states; weakest "
        f"kept column {fit.smallest:.1e}, strongest dropped column {fit.largest:.1e}"
    )
    symbols = sorted({name for f in geometric_formulas(robot) for name in f.symbols} - {*random_symbols})
    if symbols:
        notes = (*notes, f"the relations hold at the nominal values of {', '.join(symbols)}")
    notes = (*notes, *random_values_note(random_symbols))
    return written_result(robot, wanted, fit, geometry.length, method, notes)


def _postures(
    geometry: Geometry, posture: Posture | None, count: int, rng: np.random.Generator
) -> dict[int, Array]:
    """Return joint positions at random configurations with closed loops, as arrays (N,) by joint number.

    Positions are in rad or m.

    Args:
        posture: configuration near the assembly mode, or None.
        count: number of configurations.
        rng: generator of random numbers.
    """
    joints = geometry.coordinates
    q = rng.uniform(-2.5, 2.5, (count, len(joints)))
    if geometry.loops:
        near = geometry.own(closed_home(geometry.robot) if posture is None else posture)
        starts = assembled(geometry, near)
        if not starts:
            raise no_assembly(geometry)
        walks = (branch(geometry, at, count, rng) for at in starts[:6])
        walked = next((one for one in walks if one is not None), None)
        if walked is None:
            raise no_motion(geometry.robot, posture)
        q, good = closed(geometry, walked, range(len(joints)))
        q = q[good]
    return dict(zip(joints, (q * geometry.metres).T, strict=True))


def _regressor_rows(
    geometry: Geometry, wanted: Sequence[ParameterKey], q: dict[int, Array], rng: np.random.Generator
) -> Array:
    """Return rows of the regressor W (torques = W times parameters) at configurations q.

    Velocities and accelerations are random. There is one column per parameter in `wanted`. Lengths are in units of the
    robot's size.
    """
    robot, length = geometry.robot, geometry.length
    chosen = [Column(name, j) for j, name in wanted]
    program = regressor_program(robot, plain(robot), chosen, surplus="share")
    W = _evaluated(program, robot, q, length, rng)
    powers = np.array([length_power(robot, j, name) for j, name in wanted])
    (drives,) = (map(_joint, port.symbols) for port in program.inputs if port.name == "qda")
    efforts = np.array([1 if robot.frame(j).sigma == JointType.PRISMATIC else 2 for j in drives])
    W = W / length ** (efforts[:, None] - powers)
    sizes = np.abs(W).max((1, 2))
    usual = sizes < LARGEST * np.median(sizes[np.isfinite(sizes)])
    if usual.sum() * W.shape[1] < len(wanted) + EXTRA_ROWS:
        raise NotApplicableError(
            f"robot '{robot.name}' is singular at almost every configuration of its wheels"
        )
    return np.asarray(W[usual].reshape(-1, len(wanted)))


def _joint(symbol: str) -> int:
    """Return the joint number of an input name: 3 for q3, qda3 or qdda3."""
    return int(symbol.lstrip("qd"))


def _evaluated(
    program: Program, robot: Robot, q: dict[int, Array], length: float, rng: np.random.Generator
) -> Array:
    """Return the regressor W (states, drives, columns) at configurations q with random velocities and accelerations.

    Args:
        program: program that computes W.
        q: positions (N,) by joint number.
        length: size of the robot in metres.
    """
    count = len(next(iter(q.values())))
    variables: dict[str, Array] = {}
    for port in program.inputs:
        for name in port.symbols:
            j = _joint(name)
            (unit,) = joint_units(robot, [j], length)
            variables[name] = q[j] if port.name == "q" else rng.standard_normal(count) * unit
    (output,) = (port for port in program.outputs if port.name == "W")
    values = evaluate(program.graph, output.lits, dict(robot.nominal), variables)
    entries = [np.broadcast_to(np.asarray(x, float), (count,)) for x in values]
    return np.stack(entries, 1).reshape(count, *output.shape)
