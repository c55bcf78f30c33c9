"""symoro: symbolic models of robots, with few operations, and code that runs them fast.

import symoro
robot = symoro.load("rx90")
model = symoro.generate(robot, "fast-geometry")
print(model)
model.function()(q=[0, 0, 0, 0, 0, 0])["T"]
"""

from symoro._version import __version__ as __version__
from symoro.errors import SymoroError as SymoroError
from symoro.model import Model as Model
from symoro.model import base_parameters as base_parameters
from symoro.model import generate as generate
from symoro.model import singularities as singularities
from symoro.models.catalogue import catalogue as catalogue
from symoro.robot.description import Robot as Robot
from symoro.robot.formats import load as load
from symoro.robot.formats import save as save

__all__ = [
    "Model",
    "Robot",
    "SymoroError",
    "__version__",
    "base_parameters",
    "catalogue",
    "generate",
    "load",
    "save",
    "singularities",
]
