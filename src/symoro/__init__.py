"""Symbolic models of robots with few operations, and the code that evaluates them.

    import symoro

    robot = symoro.load("rx90")                             a bundled robot, or the path of a file
    model = symoro.derive.inverse_dynamics(robot)           one function per model (`symoro.generate` takes its name)
    print(model)                                            the equations and the operation count
    model.code("c")                                         source code in C, C++, MATLAB, Julia, ...
    model.function(values)(q=q, qd=qd, qdd=qdd)["tau"]      NumPy arrays, compiled

Namespaces: `derive` (models), `solutions` (choice among solutions of inverse models), `trajectory` (motions),
`errors` (exceptions). Modules that need NumPy are imported when one of their names is first used.
"""

from typing import TYPE_CHECKING, Any

from symoro import errors as errors
from symoro._version import __version__ as __version__
from symoro.display import html as _html
from symoro.errors import SymoroError as SymoroError
from symoro.model import Model as Model
from symoro.model import assembly_modes as assembly_modes
from symoro.model import base_parameters as base_parameters
from symoro.model import generate as generate
from symoro.model import mobility as mobility
from symoro.model import numeric_inverse as numeric_inverse
from symoro.model import platform_pose as platform_pose
from symoro.model import singularities as singularities
from symoro.models.catalogue import catalogue as catalogue
from symoro.robot.description import Robot as Robot
from symoro.robot.formats import load as load
from symoro.robot.formats import save as save

if TYPE_CHECKING:
    from symoro import derive as derive
    from symoro.identification.dynamic import identify as identify
    from symoro.identification.excitation import excite as excite
    from symoro.identification.geometric import calibrate as calibrate
    from symoro.runtime.solutions import follow as follow
    from symoro.runtime.solutions import nearest as nearest
    from symoro.runtime.solutions import valid as valid
    from symoro.runtime.solutions import windings as windings
    from symoro.runtime.solutions import within_limits as within_limits
    from symoro.simulation.computed_torque import computed_torque as computed_torque
    from symoro.simulation.simulate import simulate as simulate
    from symoro.simulation.torques import torques as torques
    from symoro.trajectory.files import load_trajectory as load_trajectory
    from symoro.trajectory.sampling import sampled as sampled
    from symoro.ui.notebook import scene as scene

_SOLUTIONS = ("follow", "nearest", "valid", "windings", "within_limits")
_LATER = {
    **dict.fromkeys(_SOLUTIONS, "symoro.runtime.solutions"),
    "calibrate": "symoro.identification.geometric",
    "computed_torque": "symoro.simulation.computed_torque",
    "excite": "symoro.identification.excitation",
    "identify": "symoro.identification.dynamic",
    "load_trajectory": "symoro.trajectory.files",
    "sampled": "symoro.trajectory.sampling",
    "scene": "symoro.ui.notebook",
    "simulate": "symoro.simulation.simulate",
    "torques": "symoro.simulation.torques",
}
_NAMESPACES = ("derive",)

__all__ = [
    "Model",
    "Robot",
    "SymoroError",
    "__version__",
    "assembly_modes",
    "base_parameters",
    "calibrate",
    "catalogue",
    "computed_torque",
    "derive",
    "errors",
    "excite",
    "follow",
    "generate",
    "identify",
    "load",
    "load_trajectory",
    "mobility",
    "nearest",
    "numeric_inverse",
    "platform_pose",
    "sampled",
    "save",
    "scene",
    "simulate",
    "singularities",
    "torques",
    "valid",
    "windings",
    "within_limits",
]


@_html.register
def _robot_html(robot: Robot) -> str:
    from symoro.ui.notebook import robot_html

    return robot_html(robot)


@_html.register
def _model_html(model: Model) -> str:
    from symoro.ui.notebook import model_html

    return model_html(model)


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, and NumPy with it if it is needed."""
    from importlib import import_module

    if name in _NAMESPACES:
        return import_module(f"symoro.{name}")
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module 'symoro' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
