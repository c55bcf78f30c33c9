"""Trajectories: their parts and files, and the motion of a robot's joints along them.

    path = symoro.trajectory.load("motion.yaml")            a file, or a bundled trajectory
    path = Trajectory((Move(to=(0, 1), duration=2),), start=(0, 0))
    samples = symoro.trajectory.sampled(robot, path)        t, q, qd, qdd

A trajectory is frozen data: a start and a sequence of parts. `Move` (to joint positions), `Via` (through points),
`Fourier` (series) and `Hold` (rest) prescribe the motion of the joints; `Line`, `Circle` and `Poses` prescribe the
motion of a frame. The time laws of `Move`, `Line` and `Circle` are `quintic`, `nonic` and `trapezoidal`.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from symoro.trajectory.files import load_trajectory as load
    from symoro.trajectory.samples import Samples as Samples
    from symoro.trajectory.samples import read_table as read_table
    from symoro.trajectory.sampling import sampled as sampled
    from symoro.trajectory.trajectory import Circle as Circle
    from symoro.trajectory.trajectory import Fourier as Fourier
    from symoro.trajectory.trajectory import Hold as Hold
    from symoro.trajectory.trajectory import Line as Line
    from symoro.trajectory.trajectory import Move as Move
    from symoro.trajectory.trajectory import Poses as Poses
    from symoro.trajectory.trajectory import Start as Start
    from symoro.trajectory.trajectory import Trajectory as Trajectory
    from symoro.trajectory.trajectory import Via as Via

_PARTS = ("Circle", "Fourier", "Hold", "Line", "Move", "Poses", "Start", "Trajectory", "Via")
_PLACES = {
    **{name: ("trajectory", name) for name in _PARTS},
    "Samples": ("samples", "Samples"),
    "load": ("files", "load_trajectory"),
    "read_table": ("samples", "read_table"),
    "sampled": ("sampling", "sampled"),
}

__all__ = [
    "Circle",
    "Fourier",
    "Hold",
    "Line",
    "Move",
    "Poses",
    "Samples",
    "Start",
    "Trajectory",
    "Via",
    "load",
    "read_table",
    "sampled",
]


def __getattr__(name: str) -> Any:
    """Import a public name of this package, and NumPy with it, when the name is first used."""
    if name in _PLACES:
        from importlib import import_module

        module, original = _PLACES[name]
        return getattr(import_module(f"symoro.trajectory.{module}"), original)
    raise AttributeError(f"module 'symoro.trajectory' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
