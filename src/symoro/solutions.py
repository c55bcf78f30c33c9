"""Work with the solutions of an inverse geometric model: select valid ones, choose one, follow a path.

solutions = symoro.derive.inverse_geometry(robot).function()(T=T)
symoro.solutions.valid(solutions)                       rows that are solutions
symoro.solutions.nearest(solutions, q, robot=robot).q   solution nearest to a configuration, within the limits
symoro.solutions.follow(function, poses, q).q           one configuration per pose of a path

Redundant arms, with solver = symoro.branch_solver(robot):

solver(T, near=q).q                                     all configurations, the nearest first
symoro.solutions.intervals(solver, T)                   values of the free parameter within the joint limits
symoro.solutions.self_motion(solver, q).q               configurations that the arm reaches without moving the tool
symoro.solutions.Tracker(solver, q).step(T, dt).q       one configuration per control cycle
"""

from symoro.runtime.branches import Branches as Branches
from symoro.runtime.branches import BranchSolver as BranchSolver
from symoro.runtime.self_motion import Interval as Interval
from symoro.runtime.self_motion import SelfMotion as SelfMotion
from symoro.runtime.self_motion import intervals as intervals
from symoro.runtime.self_motion import self_motion as self_motion
from symoro.runtime.solutions import Nearest as Nearest
from symoro.runtime.solutions import Track as Track
from symoro.runtime.solutions import follow as follow
from symoro.runtime.solutions import nearest as nearest
from symoro.runtime.solutions import valid as valid
from symoro.runtime.solutions import windings as windings
from symoro.runtime.solutions import within_limits as within_limits
from symoro.runtime.tracker import Tracker as Tracker
from symoro.runtime.tracker import TrackerStep as TrackerStep

__all__ = [
    "BranchSolver",
    "Branches",
    "Interval",
    "Nearest",
    "SelfMotion",
    "Track",
    "Tracker",
    "TrackerStep",
    "follow",
    "intervals",
    "nearest",
    "self_motion",
    "valid",
    "windings",
    "within_limits",
]
