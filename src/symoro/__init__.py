"""Symbolic models of robots with few operations, and the code that evaluates them.

    import symoro

    robot = symoro.load("rx90")                             a bundled robot, or the path of a file
    model = symoro.derive.inverse_dynamics(robot)           one function per model (`symoro.generate` takes its name)
    print(model)                                            the equations and the operation count
    model.code("c")                                         source code in C, C++, MATLAB, Julia, ...
    model.function(values)(q=q, qd=qd, qdd=qdd)["tau"]      NumPy arrays, compiled

Namespaces: `derive` (models), `solutions` (choice among solutions of inverse models), `trajectory` (motions),
`controllers` (control laws), `study` (sweeps and design studies), `pictures` (robots and charts), `errors`
(exceptions). Modules that need NumPy are imported when one of their names is first used.
"""

from typing import TYPE_CHECKING, Any

from symoro import errors as errors
from symoro._version import __version__ as __version__
from symoro.display import html as _html
from symoro.errors import SymoroError as SymoroError
from symoro.model import Model as Model
from symoro.model import assembly_modes as assembly_modes
from symoro.model import base_parameters as base_parameters
from symoro.model import branch_solver as branch_solver
from symoro.model import generate as generate
from symoro.model import mobility as mobility
from symoro.model import newton_euler as newton_euler
from symoro.model import numeric_inverse as numeric_inverse
from symoro.model import platform_pose as platform_pose
from symoro.model import singularities as singularities
from symoro.model import singularity_analysis as singularity_analysis
from symoro.model import singularity_distance as singularity_distance
from symoro.models.catalogue import catalogue as catalogue
from symoro.robot.description import Limits as Limits
from symoro.robot.description import Robot as Robot
from symoro.robot.formats import dumps as dumps
from symoro.robot.formats import load as load
from symoro.robot.formats import loads as loads
from symoro.robot.formats import save as save

if TYPE_CHECKING:
    from symoro import controllers as controllers
    from symoro import derive as derive
    from symoro import pictures as pictures
    from symoro import solutions as solutions
    from symoro import study as study
    from symoro import trajectory as trajectory
    from symoro.identification.collision import CollisionOptions as CollisionOptions
    from symoro.identification.comparison import Comparison as Comparison
    from symoro.identification.comparison import compare as compare
    from symoro.identification.dynamic import Identification as Identification
    from symoro.identification.dynamic import identify as identify
    from symoro.identification.excitation import Excitation as Excitation
    from symoro.identification.excitation import excite as excite
    from symoro.identification.geometric import Calibration as Calibration
    from symoro.identification.geometric import calibrate as calibrate
    from symoro.identification.geometric import simulated as simulated_measurements
    from symoro.identification.log import Log as Log
    from symoro.identification.log import open_log as open_log
    from symoro.identification.log_description import PdController as PdController
    from symoro.identification.measurements import Measurements as Measurements
    from symoro.identification.measurements import read_measurements as read_measurements
    from symoro.identification.measurements import write_measurements as write_measurements
    from symoro.identification.options import CalibrationOptions as CalibrationOptions
    from symoro.identification.options import ExcitationOptions as ExcitationOptions
    from symoro.identification.options import IdentificationOptions as IdentificationOptions
    from symoro.identification.options import PostureOptions as PostureOptions
    from symoro.identification.posture_design import PostureDesign as PostureDesign
    from symoro.identification.posture_design import optimal_postures as optimal_postures
    from symoro.listings import Listing as Listing
    from symoro.listings import optimise as optimise
    from symoro.model_files import load_model as load_model
    from symoro.model_files import save_model as save_model
    from symoro.models.calibration.identifiable import GeometricParameters as GeometricParameters
    from symoro.models.calibration.identifiable import geometric_parameters as geometric_parameters
    from symoro.models.identification.base.parameters import BaseParameters as BaseParameters
    from symoro.models.identification.columns import parameter_values as parameter_values
    from symoro.models.kinematic.singularity_distance import SingularityAnalysis as SingularityAnalysis
    from symoro.runtime.function import Function as Function
    from symoro.runtime.solutions import follow as follow
    from symoro.runtime.solutions import nearest as nearest
    from symoro.runtime.solutions import valid as valid
    from symoro.runtime.solutions import windings as windings
    from symoro.runtime.solutions import within_limits as within_limits
    from symoro.simulation.computed_torque import computed_torque as computed_torque
    from symoro.simulation.linearise import Linearisation as Linearisation
    from symoro.simulation.linearise import linearise as linearise
    from symoro.simulation.options import SimulationOptions as SimulationOptions
    from symoro.simulation.result import Recording as Recording
    from symoro.simulation.result import Simulation as Simulation
    from symoro.simulation.simulate import simulate as simulate
    from symoro.simulation.torques import TorqueReport as TorqueReport
    from symoro.simulation.torques import torques as torques
    from symoro.study.design import DesignResult as DesignResult
    from symoro.study.design import DesignStudy as DesignStudy
    from symoro.study.study_file import optimise_design as optimise_design
    from symoro.study.sweep import Sweep as Sweep
    from symoro.study.sweep import sweep as sweep
    from symoro.trajectory.files import load_trajectory as load_trajectory
    from symoro.trajectory.samples import Samples as Samples
    from symoro.trajectory.sampling import sampled as sampled
    from symoro.trajectory.trajectory import Trajectory as Trajectory
    from symoro.ui.notebook import scene as scene

_NAMESPACES = ("controllers", "derive", "pictures", "solutions", "study", "trajectory")

# Public names by module, imported when they are first used.
_MODULES = {
    "listings": ("Listing", "optimise"),
    "model_files": ("load_model", "save_model"),
    "identification.collision": ("CollisionOptions",),
    "identification.comparison": ("Comparison", "compare"),
    "identification.dynamic": ("Identification", "identify"),
    "identification.excitation": ("Excitation", "excite"),
    "identification.geometric": ("Calibration", "calibrate"),
    "identification.log": ("Log", "open_log"),
    "identification.log_description": ("PdController",),
    "identification.measurements": ("Measurements", "read_measurements", "write_measurements"),
    "identification.options": (
        "CalibrationOptions",
        "ExcitationOptions",
        "IdentificationOptions",
        "PostureOptions",
    ),
    "identification.posture_design": ("PostureDesign", "optimal_postures"),
    "models.calibration.identifiable": ("GeometricParameters", "geometric_parameters"),
    "models.identification.base.parameters": ("BaseParameters",),
    "models.identification.columns": ("parameter_values",),
    "models.kinematic.singularity_distance": ("SingularityAnalysis",),
    "runtime.function": ("Function",),
    "simulation.linearise": ("Linearisation", "linearise"),
    "simulation.options": ("SimulationOptions",),
    "simulation.result": ("Recording", "Simulation"),
    "simulation.simulate": ("simulate",),
    "simulation.torques": ("TorqueReport", "torques"),
    "study.design": ("DesignResult", "DesignStudy"),
    "study.study_file": ("optimise_design",),
    "study.sweep": ("Sweep", "sweep"),
    "trajectory.samples": ("Samples",),
    "trajectory.trajectory": ("Trajectory",),
    "ui.notebook": ("scene",),
}
_PLACES = {name: (module, name) for module, names in _MODULES.items() for name in names}
_PLACES["simulated_measurements"] = ("identification.geometric", "simulated")

# Former names, accepted with a DeprecationWarning for one release.
_MOVED = {
    "computed_torque": "symoro.controllers.computed_torque",
    "follow": "symoro.solutions.follow",
    "load_trajectory": "symoro.trajectory.load",
    "nearest": "symoro.solutions.nearest",
    "sampled": "symoro.trajectory.sampled",
    "valid": "symoro.solutions.valid",
    "windings": "symoro.solutions.windings",
    "within_limits": "symoro.solutions.within_limits",
}

__all__ = [
    "BaseParameters",
    "Calibration",
    "CalibrationOptions",
    "CollisionOptions",
    "Comparison",
    "DesignResult",
    "DesignStudy",
    "Excitation",
    "ExcitationOptions",
    "Function",
    "GeometricParameters",
    "Identification",
    "IdentificationOptions",
    "Limits",
    "Linearisation",
    "Listing",
    "Log",
    "Measurements",
    "Model",
    "PdController",
    "PostureDesign",
    "PostureOptions",
    "Recording",
    "Robot",
    "Samples",
    "Simulation",
    "SimulationOptions",
    "SingularityAnalysis",
    "Sweep",
    "SymoroError",
    "TorqueReport",
    "Trajectory",
    "__version__",
    "assembly_modes",
    "base_parameters",
    "branch_solver",
    "calibrate",
    "catalogue",
    "compare",
    "controllers",
    "derive",
    "dumps",
    "errors",
    "excite",
    "generate",
    "geometric_parameters",
    "identify",
    "linearise",
    "load",
    "load_model",
    "loads",
    "mobility",
    "numeric_inverse",
    "open_log",
    "optimal_postures",
    "optimise",
    "optimise_design",
    "parameter_values",
    "pictures",
    "platform_pose",
    "read_measurements",
    "save",
    "save_model",
    "scene",
    "simulate",
    "simulated_measurements",
    "singularities",
    "singularity_analysis",
    "singularity_distance",
    "solutions",
    "study",
    "sweep",
    "torques",
    "trajectory",
    "write_measurements",
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
    """Import a public name of the package when it is first used, with NumPy only if the name requires it."""
    from importlib import import_module

    if name in _NAMESPACES:
        return import_module(f"symoro.{name}")
    if name in _PLACES:
        module, original = _PLACES[name]
        return getattr(import_module(f"symoro.{module}"), original)
    if name in _MOVED:
        from symoro.deprecation import moved_name

        return moved_name(f"symoro.{name}", _MOVED[name])
    raise AttributeError(f"module 'symoro' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
