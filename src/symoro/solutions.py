"""Work with the solutions of an inverse geometric model: select valid ones, choose one, follow a path.

solutions = symoro.derive.inverse_geometry(robot).function()(T=T)
symoro.solutions.valid(solutions)                       rows that are solutions
symoro.solutions.nearest(solutions, q, robot=robot).q   solution nearest to a configuration, within the limits
symoro.solutions.follow(function, poses, q).q           one configuration per pose of a path
"""

from symoro.runtime.solutions import Nearest as Nearest
from symoro.runtime.solutions import Track as Track
from symoro.runtime.solutions import follow as follow
from symoro.runtime.solutions import nearest as nearest
from symoro.runtime.solutions import valid as valid
from symoro.runtime.solutions import windings as windings
from symoro.runtime.solutions import within_limits as within_limits

__all__ = ["Nearest", "Track", "follow", "nearest", "valid", "windings", "within_limits"]
