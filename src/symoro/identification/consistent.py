"""Physically consistent estimates: the pseudo-inertia of every link is positive definite.

    P = [Sigma  S; S'  M],     Sigma = tr(J)/2 I - J,     J = [XX XY XZ; XY YY YZ; XZ YZ ZZ],   S = (MX, MY, MZ)

P > 0 is equivalent to a positive mass, a positive definite inertia about the centre of mass, and principal moments that
satisfy the triangle inequality: some distribution of mass has these ten parameters. Base parameters are consistent if
there are consistent standard parameters x with K = B x, so the problem is solved in the standard parameters:

    min |R K(x) - r|^2 + prior(x)     with P_j(x) >= margin I,  IA, FV, FS >= 0,
                                           low_j <= M_j <= high_j,  low <= sum of M_j <= high

and, if motors are coupled, with the matrix of all rotor inertias at the joints >= 0. This is a semidefinite program
with one unknown per standard parameter. Lengths are in units of the robot's length L (`characteristic_length`), because
P contains kg, kg m and kg m^2: in metres the margin, the prior and the accuracy of the solver would depend on the size
of the robot. R and r are the rows of which the estimate is the least-squares solution (`normal_rows`): the weighted
data for WLS, and for other methods the distance to their estimate in the metric of its covariance. The prior determines
the parameters that the data do not determine, towards the nominal (CAD) values P0 of the robot if there are some:

    euclidean    weight * sum w_j |P_j - P0_j|^2 / |P0_j|^2
    entropic     weight * sum w_j (tr(P_j P0_j^-1) - log det P_j)      the log-det (Bregman) divergence

The factors w_j of the links are 1 by default. Bounds of masses (weighed links, a weighed robot) are in kg.

P.M. Wensing, S. Kim, J.-J.E. Slotine, "Linear matrix inequalities for physically consistent inertial parameter
identification", IEEE RA-L 3, 2018. T. Lee, P.M. Wensing, F.C. Park, "Geometric robot dynamic identification: a convex
programming approach", IEEE T-RO 36, 2020. C.D. Sousa, R. Cortesao, "Physical feasibility of robot base inertial
parameter identification: a linear matrix inequality approach", IJRR 33, 2014.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, isfinite
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError, OptionError, ProgramError, UnknownNameError
from symoro.expr.formula import Formula, formula
from symoro.identification.friction import FurtherColumns
from symoro.identification.identified_robot import inertial_links
from symoro.identification.log_payload import payload_kind
from symoro.identification.payloads import PayloadColumns, grouping_matrix
from symoro.identification.regression import Estimate, normal_rows
from symoro.identification.rows import RFactors
from symoro.identification.tolerances import CONSISTENT_MARGIN, EXACT_PARAMETER, ROUND_OFF
from symoro.models.identification.base.parameters import BaseParameters
from symoro.models.units import column_length_power
from symoro.optional_packages import needed
from symoro.robot.description import INERTIAL, Robot
from symoro.robot.size import characteristic_length, joint_units

Array = NDArray[np.float64]
PRIORS = ("euclidean", "entropic")
PRIOR_WEIGHT = 1e-3
POSITIVE = ("IA", "FV", "FS")
TOTAL = "total mass"
Interval = tuple[float, float]
"""Lower and upper bound."""
# entries of P in which each parameter occurs: (row, column, factor)
_ENTRIES = {
    "XX": ((0, 0, -0.5), (1, 1, 0.5), (2, 2, 0.5)),
    "YY": ((0, 0, 0.5), (1, 1, -0.5), (2, 2, 0.5)),
    "ZZ": ((0, 0, 0.5), (1, 1, 0.5), (2, 2, -0.5)),
    "XY": ((0, 1, -1.0), (1, 0, -1.0)),
    "XZ": ((0, 2, -1.0), (2, 0, -1.0)),
    "YZ": ((1, 2, -1.0), (2, 1, -1.0)),
    "MX": ((0, 3, 1.0), (3, 0, 1.0)),
    "MY": ((1, 3, 1.0), (3, 1, 1.0)),
    "MZ": ((2, 3, 1.0), (3, 2, 1.0)),
    "M": ((3, 3, 1.0),),
}


@dataclass(frozen=True, eq=False)
class Consistent:
    """Physically consistent standard parameters x, and how well they fit.

    Attributes:
        standard: values of all parameters of the links, rotors and friction, by name.
        values: values K(x) of the estimated base parameters.
        eigenvalues: per link the smallest eigenvalue of its pseudo-inertia in kg, with lengths in units of the robot's
            length.
        relative: norm of the weighted residual divided by that of the weighted measurements, for the rows that the fit
            uses.
        ratio: norm of the residual divided by that of the estimate without constraints.
        iterations: number of iterations of the solver.
        mass_bounds: the given bounds of masses in kg, by parameter (M3), and by 'total mass' for their sum.
    """

    standard: Mapping[str, float]
    values: Array
    eigenvalues: Mapping[int, float]
    relative: float
    ratio: float
    iterations: int
    mass_bounds: Mapping[str, Interval] = field(default_factory=dict)

    @property
    def total_mass(self) -> float:
        """Mass of all links in kg, of link 0 too if the base floats."""
        return sum(self.standard[f"M{j}"] for j in self.eigenvalues)


def basis() -> Array:
    """Return the derivatives of the pseudo-inertia with respect to the ten inertial parameters (10, 4, 4)."""
    matrices = np.zeros((len(INERTIAL), 4, 4))
    for k, name in enumerate(INERTIAL):
        for row, column, factor in _ENTRIES[name]:
            matrices[k, row, column] = factor
    return matrices


def pseudo_inertia(parameters: Sequence[float] | Array) -> Array:
    """Return the pseudo-inertia P (4, 4) of a link.

    Args:
        parameters: XX, XY, XZ, YY, YZ, ZZ, MX, MY, MZ, M of the link.
    """
    return np.asarray(np.tensordot(np.asarray(parameters, dtype=float), basis(), axes=1))


def consistent(
    base: BaseParameters,
    estimate: Estimate,
    data: RFactors,
    *,
    prior: str = "euclidean",
    weight: float = PRIOR_WEIGHT,
    cad: Mapping[str, float] | None = None,
    masses: Mapping[int, Interval] | None = None,
    total_mass: float | Interval | None = None,
    link_weights: Mapping[int, float] | None = None,
    further: FurtherColumns | None = None,
    payloads: PayloadColumns | None = None,
) -> Consistent:
    """Return the physically consistent parameters nearest to an estimate, in the metric of its covariance.

    Args:
        base: base parameters of the robot and their relations to the standard parameters.
        estimate: the estimate without constraints.
        data: R factors of the rows from which the estimate was computed.
        prior: 'euclidean' or 'entropic'.
        weight: weight of the prior, in a sum to which each row contributes a squared residual of about one.
        cad: values of standard parameters (XX1, M1, ...) for the prior; by default the robot's nominal values.
        masses: lower and upper bound of the masses of links in kg, by link number.
        total_mass: lower and upper bound of the mass of all links in kg, of link 0 too if the base floats; a number is
            an upper bound.
        link_weights: positive factors of the weight of the prior, by link number; 1 for the other links.
        further: the columns of coupled motors, if the estimate has some.
        payloads: the columns of the payloads of logs, if the estimate has some; each is consistent too.

    Raises:
        ArgumentError: a bound is not valid, the bounds contradict each other, or there is no such link or parameter.
        ProgramError: the solver does not converge, or there are no consistent parameters.
        MissingDependencyError: cvxpy or Clarabel is not installed.
    """
    if prior not in PRIORS:
        raise OptionError(f"prior: expected one of {', '.join(PRIORS)}, got '{prior}'")
    if not weight > 0:
        raise ArgumentError(f"weight: expected a positive number, got {weight}")
    bounds = checked_masses(base.original, masses or {}, total_mass)
    weights = {
        j: weight * factor for j, factor in checked_link_weights(base.original, link_weights or {}).items()
    }
    nominal = checked_nominal(base.original, cad or {})
    problem = _Problem(base, estimate, data, further, payloads)
    y, iterations = problem.solved(prior, weights, nominal, bounds)
    x = problem.units * y
    K = problem.map @ x
    off, before = (float(np.linalg.norm(problem.R @ np.append(k, -1.0))) for k in (K, estimate.values))
    standard = {name: float(v) for name, v in zip(problem.names, x, strict=True)}
    eigenvalues = {
        j: problem.mass * float(np.linalg.eigvalsh(pseudo_inertia(y[10 * link : 10 * link + 10]))[0])
        for link, j in enumerate(problem.links)
    }
    rows = data.together(1 / estimate.sigma)
    relative = float(np.linalg.norm(rows @ np.append(K, -1.0)) / np.linalg.norm(rows[:, -1]))
    return Consistent(standard, K, eigenvalues, relative, off / before if before else 1.0, iterations, bounds)


def mass_interval(name: str, given: float | Interval) -> Interval:
    """Return the lower and upper bound of a mass in kg, after checking them; a single number is an upper bound.

    Args:
        name: name of the mass in messages.
        given: upper bound, or lower and upper bound; the upper bound may be infinite.

    Raises:
        ArgumentError: a bound is negative or not a number, or the lower bound exceeds the upper bound.
    """
    try:
        low, high = (0.0, float(given)) if isinstance(given, int | float | np.number) else map(float, given)
    except (TypeError, ValueError):
        raise ArgumentError(f"{name}: expected a lower and an upper bound in kg, got {given!r}") from None
    if not (isfinite(low) and low >= 0 and high >= 0):  # false for NaN too
        raise ArgumentError(f"{name}: a mass in kg is not negative, got the bounds {low:g} and {high:g}")
    if low > high:
        raise ArgumentError(f"{name}: the lower bound {low:g} kg exceeds the upper bound {high:g} kg")
    if high == 0:
        raise ArgumentError(
            f"{name}: the upper bound {high:g} kg does not permit a body: its mass is positive"
        )
    return low, high


def checked_masses(
    robot: Robot, masses: Mapping[int, Interval], total_mass: float | Interval | None
) -> dict[str, Interval]:
    """Return the bounds of masses by parameter name, and by 'total mass' for their sum, if they do not conflict.

    Args:
        masses: bounds by link number.
        total_mass: bounds of the sum, or its upper bound; None for no bounds.

    Raises:
        ArgumentError: a bound is not valid, or the bounds of links and total mass contradict each other.
        UnknownNameError: the robot has no such link.
    """
    _check_links(robot, masses)
    bounds = {f"M{j}": mass_interval(f"mass of link {j}", masses[j]) for j in sorted(masses)}
    if total_mass is None:
        return bounds
    low, high = mass_interval(TOTAL, total_mass)
    least, most = (sum(pair[k] for pair in bounds.values()) for k in (0, 1))
    listed = ", ".join(f"{name} {pair[0]:g}..{pair[1]:g} kg" for name, pair in bounds.items())
    rounding = 1 + ROUND_OFF  # of sums: weighed links and a weighed robot may have exactly the same mass
    if least > high * rounding:
        raise ArgumentError(
            f"no masses satisfy all bounds: the lower bounds of the links sum to {least:g} kg, above the total mass "
            f"of at most {high:g} kg ({listed})",
            hint="correct the bounds of these masses",
        )
    if len(bounds) == len(inertial_links(robot)) and most * rounding < low:
        raise ArgumentError(
            f"no masses satisfy all bounds: the upper bounds of the links sum to {most:g} kg, below the total mass "
            f"of at least {low:g} kg ({listed})",
            hint="correct the bounds of these masses",
        )
    return bounds | {TOTAL: (low, high)}


def checked_link_weights(robot: Robot, factors: Mapping[int, float]) -> dict[int, float]:
    """Return the factor of the prior's weight of every link, 1 where none is given.

    Raises:
        ArgumentError: a factor is not positive and finite.
        UnknownNameError: the robot has no such link.
    """
    _check_links(robot, factors)
    for j, factor in factors.items():
        if not (factor > 0 and isfinite(factor)):
            raise ArgumentError(f"prior weight of link {j}: expected a positive number, got {factor}")
    return dict.fromkeys(inertial_links(robot), 1.0) | {int(j): float(x) for j, x in factors.items()}


def checked_nominal(robot: Robot, cad: Mapping[str, float]) -> dict[str, float]:
    """Return the nominal inertial parameters of all links: those of the robot, replaced by given values.

    Args:
        cad: values that replace those of the robot, by name (XX1, M1, ...).

    Raises:
        ArgumentError: a value is not a finite number.
        UnknownNameError: the robot has no such inertial parameter.
    """
    nominal = _nominal(robot)
    for name, value in cad.items():
        if name not in nominal:
            raise UnknownNameError(f"inertial parameter of robot '{robot.name}'", name, list(nominal))
        if not isfinite(value):
            raise ArgumentError(f"nominal value of {name}: expected a finite number, got {value}")
    return nominal | dict(cad)


def _check_links(robot: Robot, links: Iterable[int]) -> None:
    known = [str(j) for j in inertial_links(robot)]
    for j in links:
        if str(j) not in known:
            raise UnknownNameError(
                f"link of robot '{robot.name}'", j, known, hint=f"links are {known[0]} to {robot.NL}"
            )


def solver() -> Any:
    """Return the module cvxpy, with Clarabel available.

    Raises:
        MissingDependencyError: cvxpy or Clarabel is not installed.
    """
    needed("clarabel", "physically consistent estimates")
    return needed("cvxpy", "physically consistent estimates")


class _Problem:
    """Semidefinite program for physically consistent parameters.

    Its unknowns are the standard parameters. It contains the linear map from these to the estimated base parameters.

    Attributes:
        mass: unit of mass in kg: the largest estimated parameter, as a mass at the robot's length.
        units: unit of each parameter, this mass times a power of the robot's length; the solver's unknowns are
            multiples of these units.
    """

    def __init__(
        self,
        base: BaseParameters,
        estimate: Estimate,
        data: RFactors,
        further: FurtherColumns | None,
        payloads: PayloadColumns | None = None,
    ) -> None:
        self.further = further
        self.payloads = [one for one in payloads.maps if one.names] if payloads else []
        robot = base.original
        self.links = inertial_links(robot)
        inertial = [f"{kind}{j}" for j in self.links for kind in INERTIAL]
        # Base parameters that are left out of the estimate are zero in it. A rotor inertia that is not grouped with
        # others is therefore not an unknown; a sum of several parameters is constrained.
        left_out = [n for n in base.names if n not in estimate.names]
        single = [n for n in left_out if n.startswith("IA") and not base.relations[n]]
        self.zero_sums = [n for n in left_out if n not in single]
        rotors = sorted(
            {n for n in _inertial_names(base) if n.startswith("IA")} - set(single),
            key=lambda n: int(n[2:]),
        )
        others = [n for n in estimate.names if n not in base.names and payload_kind(n) is None]
        carried = [name for one in self.payloads for name in one.payload.columns]
        self.names = [*inertial, *rotors, *others, *carried]
        self.robot, self.length = robot, characteristic_length(robot)
        kinds = [f"{kind}1" if (kind := payload_kind(name)) else name for name in self.names]
        lengths = np.array([self.length ** column_length_power(robot, name) for name in kinds])
        sizes = np.array([self.length ** column_length_power(robot, name) for name in base.names])
        known = estimate.as_dict()
        magnitudes = np.abs([known.get(name, 0.0) for name in base.names]) / sizes
        self.mass = float(np.max(magnitudes, initial=0.0)) or 1.0
        self.units = self.mass * lengths
        self.R, _ = normal_rows(estimate, data)
        self.K = estimate.values
        self.map = self._map(base, estimate)
        self.zero_map = grouping_matrix(base, self.zero_sums, self.names)

    def _map(self, base: BaseParameters, estimate: Estimate) -> Array:
        matrix = grouping_matrix(base, estimate.names, self.names)
        for one in self.payloads:
            for name, others in one.relations.items():
                for other, share in others.items():
                    matrix[estimate.names.index(name), self.names.index(other)] = share
        return matrix

    def solved(
        self,
        prior: str,
        weights: Mapping[int, float],
        known: Mapping[str, float],
        masses: Mapping[str, Interval],
    ) -> tuple[Array, int]:
        """Solve the program and return the unknowns, in the units of the solver, and the number of iterations.

        Args:
            prior: 'euclidean' or 'entropic'.
            weights: weight of the prior by link number.
            known: nominal values of the inertial parameters by name.
            masses: bounds of masses in kg (`checked_masses`).
        """
        cp = solver()
        # The unknowns are the changes from parameters that give the estimate itself. Its residual is a constant, which
        # would hide the prior from the solver, and deviations below its accuracy have no effect.
        effect = self.map * self.units
        change = cp.Variable(len(self.names))
        x = np.linalg.lstsq(effect, self.K, rcond=None)[0] + change
        _, sizes, axes = np.linalg.svd(self.R[:-1, :-1] @ effect, full_matrices=False)
        data = np.minimum(sizes, 1 / EXACT_PARAMETER)[:, None] * axes
        units = basis()
        forms = [self._form(cp, x, units, 10 * link) for link in range(len(self.links))]
        bound = [k for k, name in enumerate(self.names) if name.rstrip("0123456789") in POSITIVE]
        constraints = [form >> CONSISTENT_MARGIN * np.eye(4) for form in forms]
        if bound:
            constraints.append(x[bound] >= 0)
        if self.zero_sums:
            scales = [self.units[self.names.index(name)] for name in self.zero_sums]
            constraints.append((self.zero_map * self.units / np.array(scales)[:, None]) @ x == 0)
        undetermined = []  # pseudo-inertias of payloads of which the data determine combinations only
        for one in self.payloads:
            first = self.names.index(one.payload.columns[0])
            form = self._form(cp, x, units, first)
            constraints.append(form >> CONSISTENT_MARGIN * np.eye(4))
            if one.payload.mass is not None:
                constraints.append(x[first + 9] == one.payload.mass / self.mass)
            if len(one.names) + (one.payload.mass is not None) < len(INERTIAL):
                undetermined.append(form)
        rotors = self._rotors(x)
        if rotors is not None:
            constraints.append(rotors >> 0)
        constraints += self._mass_constraints(cp, x, masses)
        cost = cp.sum_squares(data @ change) + self._prior(cp, prior, weights, forms, known)
        # payloads have no nominal values: their undetermined parameters have the smallest weight of the links
        cost += min(weights.values()) * sum(cp.sum_squares(form) for form in undetermined)
        # scaled to a size that suits the solver
        program = cp.Problem(cp.Minimize(cost / (1 + max(weights.values()))), constraints)
        try:
            with catch_warnings():
                # an inaccurate solution increases the residual, which the result contains
                simplefilter("ignore", UserWarning)
                program.solve(solver=cp.CLARABEL)
        except cp.SolverError as error:
            raise ProgramError(
                f"the semidefinite solver did not converge: {error}", hint="change the weight of the prior"
            ) from None
        if program.status not in (cp.OPTIMAL, cp.OPTIMAL_INACCURATE):
            given = "".join(f"; {name} {low:g}..{high:g} kg" for name, (low, high) in masses.items())
            given += "".join(f"; {name} is left out, that is zero" for name in self.zero_sums)
            raise ProgramError(
                f"no physically consistent parameters exist{given}; status of the solver: {program.status}"
            )
        return np.asarray(x.value), int(program.solver_stats.num_iters or 0)

    def _mass_constraints(self, cp: Any, x: Any, masses: Mapping[str, Interval]) -> list[Any]:
        """Return the constraints of the masses."""
        column = {name: k for k, name in enumerate(self.names)}
        constraints = []
        for name, bounds in masses.items():
            low, high = (bound / self.mass for bound in bounds)
            mass = x[column[name]] if name in column else cp.sum(x[[column[f"M{j}"] for j in self.links]])
            if low == high:
                constraints.append(mass == low)
            else:
                constraints += [mass >= low] if low > 0 else []
                constraints += [mass <= high] if high < inf else []
        return constraints

    def _rotors(self, x: Any) -> Any:
        """Return the matrix of all rotor inertias, reflected to the joints (n, n), as an expression of the unknowns x.

        The result is None if no motors are coupled.
        """
        if self.further is None or not self.further.shares:
            return None
        column = {name: k for k, name in enumerate(self.names)}
        n = len(self.further.joints)
        total: Any = np.zeros((n, n))
        units = np.array(joint_units(self.robot, self.further.joints, self.length))
        scales = (
            np.outer(units, units) / self.length**2 / self.mass
        )  # inertias of revolute and prismatic joints, both in the unit of mass
        for name, mass in zip(self.further.names, self.further.masses, strict=True):
            if name in column and mass.any():
                total = total + x[column[name]] * (self.units[column[name]] * scales * mass)
        for k, j in enumerate(self.further.joints):
            if f"IA{j}" in column:
                unit = np.zeros((n, n))
                unit[k, k] = 1.0
                total = total + x[column[f"IA{j}"]] * unit
        return total

    def _form(self, cp: Any, x: Any, units: Array, first: int) -> Any:
        """Return the pseudo-inertia P (4, 4) of a link or payload as an expression of the unknowns x.

        Args:
            cp: the module cvxpy.
            x: the unknowns of the semidefinite program.
            units: derivatives of P with respect to the ten inertial parameters (10, 4, 4).
            first: index of the first of its ten parameters.
        """
        part = x[first : first + 10]
        return cp.reshape(units.reshape(10, 16).T @ part, (4, 4), order="C")

    def _prior(
        self,
        cp: Any,
        prior: str,
        weights: Mapping[int, float],
        forms: Sequence[Any],
        known: Mapping[str, float],
    ) -> Any:
        cost: Any = 0.0
        for link, j in enumerate(self.links):
            units = self.units[10 * link : 10 * link + 10]
            P0 = pseudo_inertia([known.get(f"{kind}{j}", 0.0) for kind in INERTIAL] / units)
            sound = bool(np.linalg.eigvalsh(P0)[0] > 0)
            if prior == "entropic":
                if not sound:
                    raise ArgumentError(
                        f"the entropic prior requires physically consistent nominal parameters of link {j}",
                        hint="correct the nominal values of this link, or use the euclidean prior",
                    )
                distance = cp.trace(np.linalg.inv(P0) @ forms[link]) - cp.log_det(forms[link])
            else:
                distance = cp.sum_squares(forms[link] - P0) / (float(np.sum(P0**2)) if sound else 1.0)
            cost += weights[j] * distance
        return cost


def _nominal(robot: Robot) -> dict[str, float]:
    """Return the nominal inertial parameters of the robot's links; zero where there is no nominal value."""
    numbers = {name: formula(value) for name, value in robot.nominal}
    values = {}
    for j in inertial_links(robot):
        for kind in INERTIAL:
            value: Formula = getattr(robot.link(j), kind)
            known = {name: numbers[name] for name in value.symbols if name in numbers}
            values[f"{kind}{j}"] = value.substitute(known).number or 0.0
    return values


def _inertial_names(base: BaseParameters) -> list[str]:
    return [*base.no_effect, *(name for kept, others in base.relations.items() for name in (kept, *others))]
