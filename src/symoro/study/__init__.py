"""Sweeps and design studies: models and measures over grids and samples, and optimisation of designs."""

from symoro.study.measures import MEASURES as MEASURES
from symoro.study.sweep import Sweep as Sweep
from symoro.study.sweep import sweep as sweep

__all__ = ["MEASURES", "Sweep", "sweep"]
