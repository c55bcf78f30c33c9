"""A motion that shows the Panda's parameters: OPENBLAS_NUM_THREADS=1 python benchmarks/excitation.py

Within the limits of the description, with the settings of `symoro excite panda`. The condition is that of the regressor
of `symoro identify` from a log of the motion, columns of length one. Functions are compiled before the clock starts.
"""

from __future__ import annotations

import time

import symoro
from symoro.identification.excitation import excite

MARK, SECONDS = 15, 120


def main() -> None:
    robot = symoro.load("panda")
    excite(robot, harmonics=2, options=symoro.ExcitationOptions(starts=1))
    wall, core = time.perf_counter(), time.process_time()
    result = excite(robot)
    wall, core = time.perf_counter() - wall, time.process_time() - core
    print(result)
    print(
        f"condition {result.condition:.2f} (at most {MARK}), {wall:.1f} s (under {SECONDS}), {core:.1f} s of one core"
    )


if __name__ == "__main__":
    main()
