"""Registry of the export targets that are more than the sources of one language: one module per target."""

from __future__ import annotations

from types import ModuleType

from symoro.emit.target import Target
from symoro.emit.targets import cmake, cortex_m, fmu, mex, ros2, rust, simulink

_MODULES: tuple[ModuleType, ...] = (cmake, cortex_m, fmu, mex, ros2, rust, simulink)
TARGETS: dict[str, Target] = {module.TARGET.id: module.TARGET for module in _MODULES}

__all__ = ["TARGETS"]
