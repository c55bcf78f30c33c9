"""Registry of the export targets that are more than the sources of one language: one module per target."""

from __future__ import annotations

from types import ModuleType

from symoro.emit.target import Target
from symoro.emit.targets import cmake, ros2

_MODULES: tuple[ModuleType, ...] = (cmake, ros2)
TARGETS: dict[str, Target] = {module.TARGET.id: module.TARGET for module in _MODULES}

__all__ = ["TARGETS"]
