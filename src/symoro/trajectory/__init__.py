"""Trajectories: their data and files, and the motion of a robot's joints along them.

A trajectory is frozen data: a start and a sequence of parts (`trajectory`). On a robot it becomes samples of positions,
velocities and accelerations (`sampling`).
"""

from symoro.trajectory.samples import Samples as Samples
from symoro.trajectory.samples import read_table as read_table
from symoro.trajectory.trajectory import Circle as Circle
from symoro.trajectory.trajectory import Fourier as Fourier
from symoro.trajectory.trajectory import Hold as Hold
from symoro.trajectory.trajectory import Line as Line
from symoro.trajectory.trajectory import Move as Move
from symoro.trajectory.trajectory import Poses as Poses
from symoro.trajectory.trajectory import Start as Start
from symoro.trajectory.trajectory import Trajectory as Trajectory
from symoro.trajectory.trajectory import Via as Via
