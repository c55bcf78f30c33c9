"""Physically consistent estimates: the pseudo-inertia of every link is positive definite.

    P = [Sigma  S; S'  M],     Sigma = tr(J)/2 I - J,     J = [XX XY XZ; XY YY YZ; XZ YZ ZZ],   S = (MX, MY, MZ)

P > 0 is equivalent to a positive mass, a positive definite inertia about the centre of mass, and principal moments that
satisfy the triangle inequality: some distribution of mass has these ten parameters. Base parameters are consistent if
there are consistent standard parameters x with K = B x, so the problem is solved in the standard parameters:

    min |R K(x) - r|^2 + prior(x)     with P_j(x) >= margin I,  IA, FV, FS >= 0

and, if motors are coupled, with the matrix of all rotor inertias at the joints >= 0. This is a semidefinite program
with one unknown per standard parameter. Lengths are in units of the robot's length L (`characteristic_length`), because
P contains kg, kg m and kg m^2: in metres the margin, the prior and the accuracy of the solver would depend on the size
of the robot. R and r are the rows of which the estimate is the least-squares solution (`normal_rows`): the weighted
data for WLS, and for other methods the distance to their estimate in the metric of its covariance. The prior determines
the parameters that the data do not determine, towards the nominal (CAD) values P0 of the robot if there are some:

    euclidean    weight * sum |P - P0|^2 / |P0|^2
    entropic     weight * sum (tr(P P0^-1) - log det P)            the log-det (Bregman) divergence

P.M. Wensing, S. Kim, J.-J.E. Slotine, "Linear matrix inequalities for physically consistent inertial parameter
identification", IEEE RA-L 3, 2018. T. Lee, P.M. Wensing, F.C. Park, "Geometric robot dynamic identification: a convex
programming approach", IEEE T-RO 36, 2020. C.D. Sousa, R. Cortesao, "Physical feasibility of robot base inertial
parameter identification: a linear matrix inequality approach", IJRR 33, 2014.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError, OptionError, ProgramError
from symoro.expr.formula import Formula, formula
from symoro.identification.friction import FurtherColumns
from symoro.identification.identified_robot import inertial_links
from symoro.identification.optional_packages import needed
from symoro.identification.regression import Estimate, normal_rows
from symoro.identification.rows import RFactors
from symoro.identification.tolerances import CONSISTENT_MARGIN
from symoro.models.identification.base.parameters import BaseParameters
from symoro.models.units import column_length_power
from symoro.robot.description import INERTIAL, Robot
from symoro.robot.size import characteristic_length, joint_units

Array = NDArray[np.float64]
PRIORS = ("euclidean", "entropic")
PRIOR_WEIGHT = 1e-3
POSITIVE = ("IA", "FV", "FS")
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
    """

    standard: Mapping[str, float]
    values: Array
    eigenvalues: Mapping[int, float]
    relative: float
    ratio: float
    iterations: int


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
    total_mass: float | None = None,
    further: FurtherColumns | None = None,
) -> Consistent:
    """Return the physically consistent parameters nearest to an estimate, in the metric of its covariance.

    Args:
        base: base parameters of the robot and their relations to the standard parameters.
        estimate: the estimate without constraints.
        data: R factors of the rows from which the estimate was computed.
        prior: 'euclidean' or 'entropic'.
        weight: weight of the prior, in a sum to which each row contributes a squared residual of about one.
        cad: values of standard parameters (XX1, M1, ...) for the prior; by default the robot's nominal values.
        total_mass: an upper bound on the mass of all links in kg.
        further: the columns of coupled motors, if the estimate has some.

    Raises:
        ProgramError: the solver does not converge, or there are no consistent parameters.
        MissingDependencyError: cvxpy or Clarabel is not installed.
    """
    if prior not in PRIORS:
        raise OptionError(f"prior: expected one of {', '.join(PRIORS)}, got '{prior}'")
    if not weight > 0:
        raise ArgumentError(f"weight: expected a positive number, got {weight}")
    problem = _Problem(base, estimate, data, further)
    y, iterations = problem.solved(prior, weight, _nominal(base.original) | dict(cad or {}), total_mass)
    x = problem.units * y
    K = problem.map @ x
    off, before = (float(np.linalg.norm(problem.R @ np.append(k, -1.0))) for k in (K, estimate.values))
    standard = {name: float(v) for name, v in zip(problem.names, x, strict=True)}
    eigenvalues = {
        j: float(np.linalg.eigvalsh(pseudo_inertia(y[10 * link : 10 * link + 10]))[0])
        for link, j in enumerate(problem.links)
    }
    rows = data.together(1 / estimate.sigma)
    relative = float(np.linalg.norm(rows @ np.append(K, -1.0)) / np.linalg.norm(rows[:, -1]))
    return Consistent(standard, K, eigenvalues, relative, off / before if before else 1.0, iterations)


class _Problem:
    """Semidefinite program for physically consistent parameters.

    Its unknowns are the standard parameters. It contains the linear map from these to the estimated base parameters.

    Attributes:
        units: unit of each parameter, a power of the robot's length; the solver's unknowns are multiples of these
            units.
    """

    def __init__(
        self, base: BaseParameters, estimate: Estimate, data: RFactors, further: FurtherColumns | None
    ) -> None:
        self.further = further
        robot = base.original
        self.links = inertial_links(robot)
        inertial = [f"{kind}{j}" for j in self.links for kind in INERTIAL]
        rotors = sorted({n for n in _inertial_names(base) if n.startswith("IA")}, key=lambda n: int(n[2:]))
        others = [name for name in estimate.names if name not in base.names]
        self.names = [*inertial, *rotors, *others]
        self.robot, self.length = robot, characteristic_length(robot)
        self.units = np.array([self.length ** column_length_power(robot, name) for name in self.names])
        self.R, _ = normal_rows(estimate, data)
        self.map = self._map(base, estimate)

    def _map(self, base: BaseParameters, estimate: Estimate) -> Array:
        numbers = _numbers(base.original)
        column = {name: k for k, name in enumerate(self.names)}
        matrix = np.zeros((len(estimate.names), len(self.names)))
        for row, name in enumerate(estimate.names):
            matrix[row, column[name]] = 1.0
            for other, coefficient in base.relations.get(name, {}).items():
                value = coefficient.substitute(numbers).number
                if value is None:
                    raise ArgumentError(
                        f"the grouping of {other} with {name} requires numbers for {', '.join(coefficient.symbols)}",
                        hint="give these geometric parameters nominal values",
                    )
                matrix[row, column[other]] = value
        return matrix

    def solved(
        self, prior: str, weight: float, known: Mapping[str, float], total_mass: float | None
    ) -> tuple[Array, int]:
        cp: Any = needed("cvxpy", "physically consistent estimates")
        needed("clarabel", "physically consistent estimates")
        x = cp.Variable(len(self.names))
        units = basis()
        forms = [self._form(cp, x, units, link) for link in range(len(self.links))]
        bound = [k for k, name in enumerate(self.names) if name.rstrip("0123456789") in POSITIVE]
        constraints = [form >> CONSISTENT_MARGIN * np.eye(4) for form in forms]
        if bound:
            constraints.append(x[bound] >= 0)
        rotors = self._rotors(x)
        if rotors is not None:
            constraints.append(rotors >> 0)
        if total_mass is not None:
            constraints.append(cp.sum(x[[10 * link + 9 for link in range(len(self.links))]]) <= total_mass)
        cost = cp.sum_squares(self.R[:, :-1] @ self.map @ np.diag(self.units) @ x - self.R[:, -1])
        cost += weight * self._prior(cp, prior, x, forms, known)
        program = cp.Problem(
            cp.Minimize(cost / (1 + weight)), constraints
        )  # scaled to a size that suits the solver
        try:
            program.solve(solver=cp.CLARABEL)
        except cp.SolverError as error:
            raise ProgramError(
                f"the semidefinite solver did not converge: {error}", hint="change the weight of the prior"
            ) from None
        if program.status not in (cp.OPTIMAL, cp.OPTIMAL_INACCURATE):
            raise ProgramError(
                f"no physically consistent parameters exist; status of the solver: {program.status}"
            )
        return np.asarray(x.value), int(program.solver_stats.num_iters or 0)

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
            np.outer(units, units) / self.length**2
        )  # inertias of revolute and prismatic joints, both in kg
        for name, mass in zip(self.further.names, self.further.masses, strict=True):
            if name in column and mass.any():
                total = total + x[column[name]] * (self.units[column[name]] * scales * mass)
        for k, j in enumerate(self.further.joints):
            if f"IA{j}" in column:
                unit = np.zeros((n, n))
                unit[k, k] = 1.0
                total = total + x[column[f"IA{j}"]] * unit
        return total

    def _form(self, cp: Any, x: Any, units: Array, link: int) -> Any:
        """Return the pseudo-inertia P (4, 4) of a link as an expression of the unknowns x.

        Args:
            cp: the module cvxpy.
            x: the unknowns of the semidefinite program.
            units: derivatives of P with respect to the ten inertial parameters (10, 4, 4).
            link: index of the link, from 0.
        """
        part = x[10 * link : 10 * link + 10]
        return cp.reshape(units.reshape(10, 16).T @ part, (4, 4), order="C")

    def _prior(self, cp: Any, prior: str, x: Any, forms: Sequence[Any], known: Mapping[str, float]) -> Any:
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
                cost += cp.trace(np.linalg.inv(P0) @ forms[link]) - cp.log_det(forms[link])
            else:
                cost += cp.sum_squares(forms[link] - P0) / (float(np.sum(P0**2)) if sound else 1.0)
        return cost


def _numbers(robot: Robot) -> dict[str, Formula]:
    inertial = {f"{kind}{j}" for j in range(robot.NL + 1) for kind in (*INERTIAL, "IA")}
    return {name: formula(value) for name, value in robot.nominal if name not in inertial}


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
