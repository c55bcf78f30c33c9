"""Identification of dynamic parameters from logs, and of geometric parameters from measured poses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from symoro.identification.comparison import Comparison as Comparison
    from symoro.identification.comparison import compare as compare
    from symoro.identification.contacts import Contact as Contact
    from symoro.identification.dynamic import Identification as Identification
    from symoro.identification.dynamic import identify as identify
    from symoro.identification.excitation import Excitation as Excitation
    from symoro.identification.excitation import excite as excite
    from symoro.identification.geometric import Calibration as Calibration
    from symoro.identification.geometric import calibrate as calibrate
    from symoro.identification.geometric import simulated as simulated
    from symoro.identification.log import Log as Log
    from symoro.identification.log import log_of_arrays as log_of_arrays
    from symoro.identification.log import open_log as open_log
    from symoro.identification.measurements import Measurements as Measurements
    from symoro.identification.measurements import read_measurements as read_measurements
    from symoro.identification.measurements import write_measurements as write_measurements
    from symoro.models.identification.filters import filter_program as filter_program
    from symoro.models.identification.filters import low_pass_and_derivative as low_pass_and_derivative

_MODULES = {
    "identification.comparison": ("Comparison", "compare"),
    "identification.contacts": ("Contact",),
    "identification.dynamic": ("Identification", "identify"),
    "identification.excitation": ("Excitation", "excite"),
    "identification.geometric": ("Calibration", "calibrate", "simulated"),
    "identification.log": ("Log", "log_of_arrays", "open_log"),
    "identification.measurements": ("Measurements", "read_measurements", "write_measurements"),
    "models.identification.filters": ("filter_program", "low_pass_and_derivative"),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "Calibration",
    "Comparison",
    "Contact",
    "Excitation",
    "Identification",
    "Log",
    "Measurements",
    "calibrate",
    "compare",
    "excite",
    "filter_program",
    "identify",
    "log_of_arrays",
    "low_pass_and_derivative",
    "open_log",
    "read_measurements",
    "simulated",
    "write_measurements",
]


def __getattr__(name: str) -> Any:
    """Return a public name of this package; its module, and NumPy and SciPy with it, are imported at first use."""
    if name in _MODULE_OF:
        from importlib import import_module

        return getattr(import_module(f"symoro.{_MODULE_OF[name]}"), name)
    raise AttributeError(f"module 'symoro.identification' has no attribute '{name}'")
