"""The controller's part of a closed loop, read from a log: gains, the reference and its rate, where the motion starts.

The rate of the reference is that of the cubic spline through the samples: differences would be off by more torque than
the noise has, times kd.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError
from symoro.identification.description import PdController
from symoro.identification.log import Log
from symoro.identification.signals import low_pass

Array = NDArray[np.float64]
START = np.array([-25, 48, -36, 16, -3]) / 12  # the slope at the first of five samples


@dataclass(frozen=True, eq=False)
class ControlLoop:
    """What closes the loop: gains at the joints, and the reference with its rate, (N, n).

    Between samples the reference is a cubic polynomial. A simulation takes `steps` from one to the next, each in
    `parts` where a joint may turn back. The start is one for all (n,), or one each (B, n).
    """

    rate: float
    kp: Array
    kd: Array
    reference: Array
    reference_rate: Array
    start: Array
    start_rate: Array
    steps: int = 1
    parts: int = 16


def loop_of(
    log: Log, controller: PdController | None, cutoff: float | None = None, steps: int = 1
) -> tuple[ControlLoop, Array, Array]:
    """The loop that made a log, with the positions and torques that were measured.

    Raises:
        ArgumentError: the log has no reference, or there is no controller.
    """
    from scipy.interpolate import CubicSpline
    from scipy.signal import sosfiltfilt

    law = controller or (log.description.controller if log.description else None)
    chunks = list(log.chunks(log.samples))
    arrays = {kind: np.concatenate([chunk[kind] for chunk in chunks]) for kind in chunks[0]}
    if law is None or "reference" not in arrays:
        raise ArgumentError(
            f"{log.name}: simulation needs the reference that was followed, and the gains of the controller",
            hint="describe 'reference' and 'controller' in the YAML of the log",
        )
    q = arrays["position"]
    smooth = q
    if cutoff is not None:
        smooth = sosfiltfilt(low_pass(cutoff, log.rate), q, axis=0)
    r = arrays["reference"]
    rate = CubicSpline(np.arange(len(r)) / log.rate, r)(np.arange(len(r)) / log.rate, 1)
    begin = (smooth[0], START @ smooth[: len(START)] * log.rate)
    loop = ControlLoop(log.rate, np.array(law.kp), np.array(law.kd), r, rate, *begin, steps)
    return loop, q, arrays["torque"]
