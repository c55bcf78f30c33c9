"""Options of `identify`, `excite` and `calibrate`: frozen data, checked when they are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from symoro.errors import ArgumentError, OptionError
from symoro.identification.collision import CollisionOptions
from symoro.identification.consistent import PRIOR_WEIGHT, PRIORS, TOTAL, Interval, mass_interval
from symoro.identification.equations import MODELS
from symoro.identification.log_description import ESTIMATE, PdController
from symoro.identification.methods import STARTS
from symoro.identification.postures import NamedPosture
from symoro.identification.tolerances import CLOE_TIME_LIMIT
from symoro.models.calibration.identifiable import checked_plane, checked_point

CONSISTENT_ONLY = ("link_priors", "nominal", "masses", "total_mass")


@dataclass(frozen=True, kw_only=True, eq=False)
class IdentificationOptions:
    """Options of `symoro.identify` beyond its keywords.

        symoro.identify(robot, log, cutoff=20, options=symoro.IdentificationOptions(find_essential=True))

    Attributes:
        description: YAML file that states the meaning of the columns of CSV and Parquet files and of bags, or the name
            of a bundled description such as 'ur-rtde'.
        topics: topics of a ROS bag with the joint states; by default the only one, or /joint_states. The joints and
            quantities of several topics are merged by time.
        drive_gains: factor of the torque column of each joint, such as torque per ampere; or 'estimate', which requires
            a log without a payload and one with a payload of known mass.
        payloads: payload of each log, one entry per log, or None for that of the log itself (`log_payload`):
            {"mass": 2, "com": [0, 0, 0.1]} for a known one, {"unknown": "box"} for one that is estimated, with "mass"
            if it was weighed, 'none' for a log without a payload. By default those of the logs and their descriptions.
        model: identification model: 'dynamic' (torques), 'filtered' (without accelerations), 'power' or 'energy'.
        delay: seconds by which the torques lag behind the motion, 'hold' for torques that a controller keeps
            constant from sample to sample, or 'estimate' to estimate and correct the delay; by default that of the
            log's description. The remaining delay is estimated in any case and reported if it biases a parameter.
        stribeck_velocity: velocity of the Stribeck term of friction (rad/s or m/s), positive, for all joints or one per
            joint; by default those of the robot (VS), and 0.05 for a joint without one.
        without: columns (parameters) that are not estimated.
        posture: assembly mode of closed loops: positions of all joints near the first sample, or the name of a
            posture; by default 'home'. Or several, one per log; for logs without one it is determined from the data.
        find_essential: also estimate the reduced (essential) parameter set.
        find_consistent: also estimate physically consistent standard parameters, by semidefinite programming (LMI).
        prior: regularisation of the consistent parameters towards the nominal values: 'euclidean' or 'entropic'.
        prior_weight: weight of this regularisation, positive.
        link_priors: factors of this weight by link number, positive; 1 for the other links. A large factor keeps a link
            with reliable nominal values near them, a small one frees a link without such values.
        nominal: nominal values of inertial parameters (M3, MX3, ...) for this regularisation, in place of the robot's.
        masses: lower and upper bounds (kg) of the masses of links, for the consistent parameters, by link number:
            {3: (2.1, 2.4)}.
        total_mass: lower and upper bound of the mass of all links (kg), of link 0 too if the base floats; a number is
            an upper bound.
        controller: gains of the joint controllers, if the description of the log contains none; for the methods 'iv',
            'didim' and 'cloe'.
        start: initial values of these methods: 'wls', 'nominal' (the robot's nominal values), or numbers by
            parameter, which replace those of 'wls'.
        time_limit: largest estimated duration of 'cloe' in seconds; a longer one is rejected before it starts.
        values: numbers for symbols of the geometry; by default the nominal values of the robot.
        piece: number of samples in memory at once, at least.
        client: a `distributed.Client` whose cluster processes the logs; by default this process does.

    Raises:
        OptionError, ArgumentError: a field has a wrong value.
    """

    description: str | Path | None = None
    topics: Sequence[str] = ()
    drive_gains: Sequence[float] | str = ()
    payloads: Sequence[Mapping[str, Any] | str | None] = ()
    model: str = "dynamic"
    delay: float | str | None = None
    stribeck_velocity: float | Sequence[float] | None = None
    without: Sequence[str] = ()
    posture: NamedPosture | Sequence[NamedPosture] | None = None
    find_essential: bool = False
    find_consistent: bool = False
    prior: str = "euclidean"
    prior_weight: float = PRIOR_WEIGHT
    link_priors: Mapping[int, float] = field(default_factory=dict)
    nominal: Mapping[str, float] = field(default_factory=dict)
    masses: Mapping[int, Interval] = field(default_factory=dict)
    total_mass: float | Interval | None = None
    controller: PdController | None = None
    start: str | Mapping[str, float] = "wls"
    time_limit: float = CLOE_TIME_LIMIT
    values: Mapping[str, float] | None = None
    piece: int | None = None
    client: Any = None

    def __post_init__(self) -> None:
        _check_choice("model", self.model, tuple(MODELS))
        _check_choice("prior", self.prior, PRIORS)
        if isinstance(self.start, str) and self.start not in STARTS:
            raise OptionError(
                f"start: expected one of {', '.join(STARTS)}, or numbers by name, got '{self.start}'"
            )
        if isinstance(self.without, str):
            raise OptionError(f"without: expected a list of columns, got '{self.without[:40]}'")
        if isinstance(self.topics, str):
            raise OptionError(f"topics: expected a list of topics, got '{self.topics[:40]}'")
        if isinstance(self.drive_gains, str) and self.drive_gains != ESTIMATE:
            raise OptionError(f"drive_gains: expected numbers or '{ESTIMATE}', got '{self.drive_gains[:40]}'")
        if isinstance(self.payloads, str | Mapping):
            raise OptionError("payloads: expected a list with one payload per log")
        for velocity in np.atleast_1d([] if self.stribeck_velocity is None else self.stribeck_velocity):
            _check_positive("stribeck_velocity", float(velocity))
        _check_positive("prior_weight", self.prior_weight)
        _check_positive("time_limit", self.time_limit)
        for j, bounds in self.masses.items():
            mass_interval(f"mass of link {j}", bounds)
        if self.total_mass is not None:
            mass_interval(TOTAL, self.total_mass)
        unused = [name for name in CONSISTENT_ONLY if getattr(self, name) not in (None, {})]
        if unused and not self.find_consistent:
            raise OptionError(
                f"the option '{unused[0]}' applies to physically consistent parameters only",
                hint="add find_consistent=True",
            )
        if self.piece is not None:
            _check_positive("piece", self.piece)


@dataclass(frozen=True, kw_only=True, eq=False)
class ExcitationOptions:
    """Options of `symoro.excite` beyond its keywords.

        symoro.excite(robot, harmonics=5, options=symoro.ExcitationOptions(starts=8, seed=1))

    Attributes:
        without: columns (parameters) that need not be excited, as in `IdentificationOptions`.
        margin: share of each limit that may be used, in (0, 1].
        rest: whether the motion starts and ends at rest.
        starts: number of random initial series, at least 1; the best result is returned.
        samples: number of samples of the regressor along one period; by default eight per shortest period.
        seed: seed of the random initial series, not negative.
        collision: whether collisions between the links are avoided, or clearance, floor and radius of derived capsules
            (`CollisionOptions`). By default they are avoided if the description contains capsules; True also derives
            capsules from the frames of a robot without them.

    Raises:
        OptionError: a field has a wrong value.
    """

    without: Sequence[str] = ()
    margin: float = 0.95
    rest: bool = True
    starts: int = 2
    samples: int | None = None
    seed: int = 0
    collision: CollisionOptions | bool | None = None

    def __post_init__(self) -> None:
        if not 0 < self.margin <= 1:
            raise OptionError(f"margin: expected a share in (0, 1], got {self.margin}")
        if not self.starts >= 1:
            raise OptionError(f"starts: expected at least one start, got {self.starts}")
        if self.samples is not None and not self.samples >= 1:
            raise OptionError(f"samples: expected at least one sample, got {self.samples}")
        if not self.seed >= 0:
            raise OptionError(f"seed: expected a number that is not negative, got {self.seed}")


@dataclass(frozen=True, kw_only=True, eq=False)
class CalibrationOptions:
    """Options of `symoro.calibrate` beyond its keywords.

        symoro.calibrate(robot, measured, options=symoro.CalibrationOptions(gains=True))

    Attributes:
        gains: also estimate a gain of each joint sensor.
        point: point to which distances are measured, in the world frame (metres), for the measure 'distance'.
        plane: nx, ny, nz, d of the plane n.p = d that is touched, in the world frame, for the measure 'plane'.

    Raises:
        ArgumentError: a field has a wrong value.
    """

    gains: bool = False
    point: Sequence[float] = (0.0, 0.0, 0.0)
    plane: Sequence[float] = (0.0, 0.0, 1.0, 0.0)

    def __post_init__(self) -> None:
        checked_point(self.point)
        checked_plane(self.plane)


@dataclass(frozen=True, kw_only=True, eq=False)
class PostureOptions(CalibrationOptions):
    """Options of `symoro.optimal_postures` beyond its keywords; `gains`, `point` and `plane` as in the calibration.

        symoro.optimal_postures(robot, 30, options=symoro.PostureOptions(region=[0.2, 1, -0.5, 0.5, 0, 1]))

    Attributes:
        region: xmin, xmax, ymin, ymax, zmin, zmax of the measured point in the world (m), such as the volume in which
            the measuring device works; None for no restriction.
        margin: share of the range of each joint that may be used, in (0, 1].
        candidates: number of random postures from which the first selection is made, at least 2.
        starts: number of random initial selections, at least 1; the best result is improved further.
        refine: whether the selected postures are improved by small changes; otherwise they are candidates.
        seed: seed of the random numbers, not negative.
        collision: avoidance of collisions between the links, as in `ExcitationOptions`.

    Raises:
        ArgumentError, OptionError: a field has a wrong value.
    """

    region: Sequence[float] | None = None
    margin: float = 0.95
    candidates: int = 500
    starts: int = 3
    refine: bool = True
    seed: int = 0
    collision: CollisionOptions | bool | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.region is not None:
            box = np.array(self.region, dtype=float).reshape(-1)
            if box.shape != (6,) or not (np.isfinite(box).all() and (box[::2] < box[1::2]).all()):
                raise ArgumentError(
                    f"region: expected xmin, xmax, ymin, ymax, zmin, zmax in metres, got {self.region!r}"[
                        :200
                    ]
                )
        if not 0 < self.margin <= 1:
            raise OptionError(f"margin: expected a share in (0, 1], got {self.margin}")
        for name, least in (("candidates", 2), ("starts", 1), ("seed", 0)):
            if not getattr(self, name) >= least:
                raise OptionError(f"{name}: expected at least {least}, got {getattr(self, name)}")


def _check_choice(name: str, value: str, choices: Sequence[str]) -> None:
    if value not in choices:
        raise OptionError(f"{name}: expected one of {', '.join(choices)}, got '{str(value)[:40]}'")


def _check_positive(name: str, value: float) -> None:
    if not (value > 0 and (isfinite(value) or name == "time_limit")):
        raise ArgumentError(f"{name}: expected a positive number, got {value}")
